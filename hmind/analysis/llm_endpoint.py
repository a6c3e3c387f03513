"""One question to an OpenAI-compatible chat endpoint: retries, waits, and what the endpoint cannot do.

What the answer means is not known here. No error bears a text of the request or the answer.
"""

from __future__ import annotations

import json
import logging
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, cast

from pydantic import BaseModel, ConfigDict, ValidationError

from hmind.errors import AnalystMisbehaved, AnalystUnavailable, SettingsError
from hmind.settings import AnalysisSettings

if TYPE_CHECKING:
    from tenacity import RetryCallState

PATIENCE_S = 30.0
"""A worker waits this long between two tries at most; when asked to wait longer it gives up, so that
the segment waits in its row instead."""

_BUSY = {408, 409, 425, 429}
_REJECTED = {400, 413, 422}
_FORM_WORDS = ("response_format", "json_schema", "structured output", "guided", "grammar")
_FORMS = ("json_schema", "json_object", "")
"""Ways to ask for an answer of our form, the next where an endpoint refuses one: OpenAI's, that of llama.cpp's
Python server (``json_object`` with a schema beside it), and by the instructions alone."""
_TOO_LONG = (
    "context_length_exceeded",
    "exceed_context_size",
    "context length",
    "context size",
    "context window",
    "too many tokens",
    "too long",
)
"""What endpoints say of a request that is longer than their model reads."""


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore")


class _Message(_Lenient):
    content: Any = None
    refusal: Any = None
    reasoning_content: Any = None
    reasoning: Any = None


class _Choice(_Lenient):
    message: _Message
    finish_reason: str | None = None


class _Usage(_Lenient):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Completion(_Lenient):
    choices: list[_Choice]
    usage: Any = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model wrote.

    Attributes:
        thought: what an endpoint that parts thinking from answering took for the former.
        ended: the endpoint's finish_reason, e.g. ``stop`` or ``length``.
    """

    content: str
    refused: bool
    ended: str
    tokens_in: int
    tokens_out: int
    thought: str = ""


class _Trouble(Exception):
    """A try that failed. ``why`` and ``kind`` bear no text."""

    def __init__(self, why: str, kind: str, again: bool, retry_after_s: float | None = None) -> None:
        super().__init__(why)
        self.kind = kind
        self.again = again and (retry_after_s is None or retry_after_s <= PATIENCE_S)
        self.retry_after_s = retry_after_s


class ChatEndpoint:
    """Asks ``settings.llm_model`` at ``settings.llm_url``.

    What the endpoint says it cannot do (structured output, a temperature) is left out from then on.

    Args:
        name: what errors call it.
        sleep: waits that many seconds between tries; tests pass their own.

    Raises:
        SettingsError: the packages of the ``llm`` extra are not installed, or the URL or key cannot be sent.
    """

    def __init__(self, settings: AnalysisSettings, name: str, sleep: Callable[[float], None] = time.sleep) -> None:
        try:
            import json_repair
            import openai
            import tenacity
        except ImportError:
            raise SettingsError(
                "analysis.llm_url: an LLM needs packages that are not installed. Run `pip install 'hmind[llm]'`."
            ) from None
        del json_repair, tenacity
        if not settings.llm_url.startswith(("http://", "https://")):
            raise SettingsError("analysis.llm_url: is no http:// or https:// address. Write http://host:port/v1.")
        key = settings.llm_key.get_secret_value() or "none"
        if not (key.isascii() and key.isprintable()):
            raise SettingsError("analysis.llm_key: has characters that no key has. Copy it again.")
        # Below WARNING some versions of the client log whole requests, which hold what users said.
        logging.getLogger("openai").setLevel(logging.WARNING)
        self._name = name
        self._model = settings.llm_model
        self._attempts = settings.llm_attempts
        self._sleep = sleep
        self._optional: dict[str, Any] = {"temperature": 0}
        if settings.llm_max_tokens:
            self._optional["max_tokens"] = settings.llm_max_tokens
        self._form = 0
        self._client = openai.OpenAI(
            base_url=settings.llm_url.rstrip("/").removesuffix("/chat/completions"),
            api_key=key,
            timeout=settings.llm_timeout_s,
            max_retries=0,
        )

    def ask(self, messages: Sequence[dict[str, str]], schema_name: str, schema: dict[str, Any]) -> Reply:
        """The model's reply to ``messages``, asked to follow ``schema``.

        Raises:
            AnalystUnavailable: no answer after all tries, or an answer that only a person can change
                (a wrong key, an unknown model).
            AnalystMisbehaved: the endpoint rejects this very request, e.g. as too long.
        """
        from tenacity import Retrying, retry_if_exception, stop_after_attempt

        tries = Retrying(
            stop=stop_after_attempt(self._attempts),
            wait=_wait_s,
            retry=retry_if_exception(lambda error: isinstance(error, _Trouble) and error.again),
            sleep=self._sleep,
            reraise=True,
        )
        try:
            return tries(self._try, messages, schema_name, schema)
        except _Trouble as trouble:
            message = f"The analyst {self._name} did not answer: {trouble}."
            raise AnalystUnavailable(message, trouble.retry_after_s, kind=trouble.kind) from None

    def _try(self, messages: Sequence[dict[str, str]], schema_name: str, schema: dict[str, Any]) -> Reply:
        import openai

        wishes = dict(self._optional)
        form = _FORMS[self._form]
        if form == "json_schema":
            shape = {"name": schema_name, "schema": schema, "strict": True}
            wishes["response_format"] = {"type": "json_schema", "json_schema": shape}
        elif form == "json_object":
            wishes["response_format"] = {"type": "json_object", "schema": schema}
        try:
            raw = self._client.chat.completions.with_raw_response.create(
                model=self._model, messages=cast(Any, list(messages)), **wishes
            )
        except openai.APITimeoutError:
            raise _Trouble("no answer in time", "timeout", again=True) from None
        except openai.APIStatusError as error:
            if self._leave_out(error, wishes):
                return self._try(messages, schema_name, schema)
            raise self._status(error) from None
        except openai.APIError as error:
            raise _Trouble(f"no connection ({type(error).__name__})", "unreachable", again=True) from None
        return _read(raw.content)

    def _leave_out(self, error: Any, wishes: dict[str, Any]) -> bool:
        """Whether the endpoint rejected one of our wishes, which is then made no more."""
        said = error.response.text
        refused = error.status_code in _REJECTED or error.status_code >= 500
        if "response_format" in wishes and refused and any(word in said for word in _FORM_WORDS):
            asked = _FORMS.index(wishes["response_format"]["type"])
            self._form = max(self._form, asked + 1)
            return True
        if error.status_code not in _REJECTED:
            return False
        if "temperature" in wishes and "temperature" in said:
            self._optional.pop("temperature", None)
            return True
        if "max_tokens" in wishes and "max_completion_tokens" in said:
            self._optional["max_completion_tokens"] = self._optional.pop("max_tokens")
            return True
        return False

    def _status(self, error: Any) -> Exception:
        status: int = error.status_code
        if status in _REJECTED:
            said = error.response.text.casefold()
            if "content_filter" in said:
                kind = "refusal"
            elif status == 413 or any(words in said for words in _TOO_LONG):
                kind = "too_long"
            else:
                kind = "rejected"
            why = f"HTTP {status}, {kind.replace('_', ' ')}"
            message = f"The analyst {self._name} answered with something that is no analysis: {why}."
            return AnalystMisbehaved(message, kind=kind)
        retry_after_s = _retry_after_s(error.response.headers)
        again = status in _BUSY or status >= 500
        return _Trouble(f"HTTP {status}", f"http_{status}", again=again, retry_after_s=retry_after_s)


def _read(body: bytes) -> Reply:
    """The reply in a completion's body; what is no completion (a proxy's page, an error told with 200) is trouble."""
    try:
        completion = _Completion.model_validate(json.loads(body))
        choice = completion.choices[0]
    except (ValueError, IndexError, RecursionError):
        raise _Trouble("HTTP 200 without a completion", "no_completion", again=True) from None
    try:
        usage = _Usage.model_validate(completion.usage or {})
    except ValidationError:
        usage = _Usage()
    message = choice.message
    return Reply(
        content=_text(message.content),
        refused=bool(message.refusal) or choice.finish_reason == "content_filter" or _has_refusal(message.content),
        ended=choice.finish_reason or "",
        tokens_in=max(0, usage.prompt_tokens or 0),
        tokens_out=max(0, usage.completion_tokens or 0),
        thought=_text(message.reasoning_content) or _text(message.reasoning),
    )


def _text(content: Any) -> str:
    """A message's text: a string, or the text parts of a list of parts."""
    if isinstance(content, list):
        texts = (part.get("text") if isinstance(part, dict) else part for part in content)
        return "".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""


def _has_refusal(content: Any) -> bool:
    return isinstance(content, list) and any(isinstance(part, dict) and part.get("refusal") for part in content)


def _wait_s(state: RetryCallState) -> float:
    """What the endpoint asked for, else half a second, doubled with each try and scattered a little."""
    from tenacity import wait_exponential, wait_random

    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, _Trouble) and error.retry_after_s is not None:
        return error.retry_after_s
    return (wait_exponential(multiplier=0.5, max=PATIENCE_S) + wait_random(0, 0.2))(state)


def _retry_after_s(headers: Any) -> float | None:
    """Seconds in a Retry-After header, given as a number or a date (RFC 9110, 10.2.3), else None."""
    value = headers.get("retry-after")
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
