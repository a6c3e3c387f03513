"""A real HTTP server that speaks /v1/chat/completions and does what a test has scripted."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

Content = str | Mapping[str, Any] | list[Any] | None


@dataclass(frozen=True)
class Response:
    """One scripted answer: sent as it is, or kept back until the server closes, or hung up on."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    silent: bool = False
    hangs_up: bool = False


@dataclass(frozen=True)
class Request:
    """One recorded request; names of headers in lower case."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    def text(self, role: str) -> str:
        """The content of the only message with this role."""
        (content,) = [message["content"] for message in self.body["messages"] if message["role"] == role]
        return str(content)


Behaviour = Response | Callable[[Request], Response]


def completion(
    content: Content,
    *,
    finish_reason: str = "stop",
    refusal: str | None = None,
    usage: Any = None,
    **message: Any,
) -> Response:
    """A chat completion whose message holds ``content`` (a mapping is written as JSON) and ``message`` besides.

    ``usage=False`` sends null for it.
    """
    text = content if isinstance(content, str | list | None) else json.dumps(content, ensure_ascii=False)
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "test-model",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish_reason,
                "message": {"role": "assistant", "content": text, "refusal": refusal, **message},
            }
        ],
        "usage": {"prompt_tokens": 210, "completion_tokens": 34, "total_tokens": 244}
        if usage is None
        else usage or None,
    }
    return Response(body=json.dumps(body).encode())


def thinking(thought: str, content: Content = None, *, field: str = "reasoning_content", **how: Any) -> Response:
    """A completion of an endpoint that parts what the model thought from what it answered."""
    return completion(content, **{field: thought}, **how)


def in_parts(*texts: str, **how: Any) -> Response:
    """A completion whose content is a list of parts, one of them no text."""
    parts = [{"type": "thinking", "thinking": "hm"}, *({"type": "text", "text": text} for text in texts)]
    return completion(parts, **how)


def failure(status: int, message: str = "it failed", *, code: str | None = None, **headers: str) -> Response:
    """An error in OpenAI's form. Header names are given with underscores: ``Retry_After="3"``."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = json.dumps({"error": {"message": message, "type": "error", "code": code}}).encode()
    return Response(status, body, {"Content-Type": "application/json", **named})


class OpenAIServer:
    """Answers each request with the next of ``script``; used as a context manager.

    With nothing scripted it answers 501, which no client tries again for long and no test expects.
    """

    def __init__(self) -> None:
        self.script: deque[Behaviour] = deque()
        self.requests: list[Request] = []
        self._closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def url(self) -> str:
        """The base URL, ending in /v1."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def then(self, *behaviours: Behaviour) -> Self:
        """Adds behaviours to the script."""
        self.script.extend(behaviours)
        return self

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                request = Request(
                    path=self.path,
                    headers={name.lower(): value for name, value in self.headers.items()},
                    body=json.loads(self.rfile.read(length)),
                )
                outer.requests.append(request)
                behaviour = outer.script.popleft() if outer.script else failure(501, "nothing scripted")
                self._send(behaviour if isinstance(behaviour, Response) else behaviour(request))

            def _send(self, response: Response) -> None:
                if response.silent:
                    outer._closing.wait(30)
                if response.silent or response.hangs_up:
                    self.close_connection = True
                    return
                if not self.path.endswith("/v1/chat/completions"):
                    response = failure(404, "no such path")
                self.send_response(response.status)
                for name, value in response.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(response.body)))
                self.end_headers()
                self.wfile.write(response.body)

            def log_message(self, format: str, *args: Any) -> None:
                """Keeps quiet."""

        return Handler
