"""Every error H-Mind raises on purpose. Few, named, and never carrying what a user said.

The first line of each docstring is the pattern of its message: what happened, to which
thing, and what to do about it.
"""

from __future__ import annotations


class HmindError(Exception):
    """Base of all errors raised by H-Mind on purpose."""


class Retryable(HmindError):
    """The same call may succeed later: a store or an endpoint was not reachable, or busy."""


class Permanent(HmindError):
    """The same call will fail again until a person changes something."""


class SettingsError(Permanent):
    """<where>: <what is wrong>. <what to write instead>."""


class BadTurn(Permanent):
    """<field>: <why the turn cannot be accepted>.

    Attributes:
        field: the wire field at fault, e.g. ``user_id``; ``turn`` for the message as a whole.
        reason: a sentence without any text of the user.
    """

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


class StoreUnavailable(Retryable):
    """<store> at <address without password> does not answer: <why>. <what to do>."""


class SchemaMismatch(Permanent):
    """The database is at <what it has>, this version needs <what it needs>. Run `<command>`."""


class EmbeddingUnavailable(Retryable):
    """The embedder <name> did not answer: <why, without text>."""


class AnalystUnavailable(Retryable):
    """The analyst <name> did not answer: <why, without text>.

    Attributes:
        retry_after_s: seconds the endpoint asked us to wait, or None.
        kind: a fixed word for the reason: ``unreachable``, ``timeout``, ``no_completion`` or ``http_<status>``.
        tokens_in, tokens_out, calls: what was spent on this segment before.
    """

    def __init__(
        self,
        message: str,
        retry_after_s: float | None = None,
        *,
        kind: str = "unavailable",
        tokens_in: int = 0,
        tokens_out: int = 0,
        calls: int = 0,
    ) -> None:
        super().__init__(message)
        self.calls = calls
        self.retry_after_s = retry_after_s
        self.kind = kind
        self.tokens_in = tokens_in
        self.tokens_out = tokens_out


class AnalystMisbehaved(Permanent):
    """The analyst <name> answered with something that is no analysis: <kind of fault>.

    Attributes:
        kind: a fixed word for the fault, e.g. ``refusal``; see :attr:`hmind.model.Analysis.why`.
        tokens_in, tokens_out, calls: what was spent on this segment.
    """

    def __init__(
        self, message: str, *, kind: str = "misbehaved", tokens_in: int = 0, tokens_out: int = 0, calls: int = 0
    ) -> None:
        super().__init__(message)
        self.calls = calls
        self.kind = kind
        self.tokens_in = tokens_in
        self.tokens_out = tokens_out


class ImportRefused(Permanent):
    """<file>: <why it is not a file that can be imported>. <the nearest guess>."""


class UnknownId(Permanent):
    """<what was given>: <no memory, several memories, or too short to tell>. <what to do>."""


class BadLabels(Permanent):
    """<folder, file, or file and line>: <why it is no labelled sample>."""
