"""A small HTTP server that speaks /v1/embeddings, well or badly. Runs in a thread of the test.

Its vectors are those of a real embedder, so that what is said of an embedder can be tested
through it. How it misbehaves is a list of faults, one for each coming request.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from hmind.embedding.embedder import Embedder


@dataclass
class EmbeddingsServer:
    """What the server does, and what it was asked.

    Attributes:
        faults: names of the faults of the coming requests, first first: ``429``, ``400``, ``500``,
            ``wrong_dimension``, ``truncated``, ``too_few``, ``shuffled``, ``ragged``, ``error_body``.
            Then it behaves.
        batches: number of texts of each request.
        retry_after: the header of a 429, seconds.
    """

    model: Embedder
    url: str = ""
    faults: list[str] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    retry_after: str = "0.05"

    def answer(self, asked: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        texts = asked["input"]
        self.batches.append(len(texts))
        fault = self.faults.pop(0) if self.faults else ""
        if fault.isdigit():
            headers = {"Retry-After": self.retry_after} if fault == "429" else {}
            # As real servers do, it quotes what it was sent.
            return int(fault), headers, json.dumps({"error": {"message": f"cannot embed {texts}"}}).encode()
        if fault == "error_body":
            return 200, {}, json.dumps({"error": {"message": f"cannot embed {texts}"}}).encode()
        rows = [
            {"object": "embedding", "index": index, "embedding": [float(x) for x in row]}
            for index, row in enumerate(self.model.passages(texts))
        ]
        if fault == "wrong_dimension":
            rows = [row | {"embedding": row["embedding"][:7]} for row in rows]
        elif fault == "too_few":
            rows = rows[:-1]
        elif fault == "shuffled":
            rows = rows[::-1]
        elif fault == "ragged":
            rows[-1]["embedding"] = rows[-1]["embedding"][:7]
        body = json.dumps({"object": "list", "model": asked["model"], "data": rows}).encode()
        return 200, {}, body[: len(body) // 2] if fault == "truncated" else body


@contextmanager
def serving(model: Embedder) -> Iterator[EmbeddingsServer]:
    """A running server on a free port of 127.0.0.1; gone when the block ends."""
    state = EmbeddingsServer(model)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            state.keys.append(self.headers.get("Authorization", ""))
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, headers, body = state.answer(asked)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
