"""The analyst that asks an LLM. Asking is in llm_endpoint.py, the question in llm_prompt.py, the answer in
llm_answer.py, asking again about what it left out in llm_pieces.py."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import UTC, tzinfo

from hmind.analysis.analyst import Analyst
from hmind.analysis.llm_answer import Reader
from hmind.analysis.llm_endpoint import ChatEndpoint
from hmind.analysis.llm_pieces import Answer, Gathered, Numbers, gather
from hmind.analysis.llm_prompt import ask_about, instructions
from hmind.analysis.llm_rest import read_rest
from hmind.analysis.llm_schema import answer_schema
from hmind.analysis.offline import OfflineAnalyst
from hmind.analysis.people_only import AGENT_TALK
from hmind.errors import AnalystMisbehaved, SettingsError
from hmind.model import Analysis, Known, Segment
from hmind.settings import AnalysisSettings

log = logging.getLogger(__name__)

SALIENT_AT = 0.5
"""What the other analyst weighs so much is not passed over by a model that found nothing of weight."""


class LlmAnalyst:
    """An Analyst behind an OpenAI-compatible chat endpoint; one call a segment where the answer is whole.

    What an answer leaves out because it was cut off, was no analysis or was worth nothing is asked again in
    smaller pieces, in at most ``analysis.llm_pieces`` calls, begun within the time that all tries of one call
    may take. The offline analyst reads what is then still left.

    Args:
        zone: in which times are shown to the model and dates without a zone are read.
        sleep: waits between tries; tests pass their own.
        clock: seconds that only grow.

    Raises:
        SettingsError: no URL or model, or the packages of the ``llm`` extra are missing.
    """

    def __init__(
        self,
        settings: AnalysisSettings,
        *,
        zone: tzinfo = UTC,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        for key in ("llm_url", "llm_model"):
            if not getattr(settings, key):
                raise SettingsError(f"analysis.{key}: is empty. Set it, or empty both for the offline analyst.")
        instructions()
        self._name = f"llm:{settings.llm_model}"
        self._zone = zone
        self._endpoint = ChatEndpoint(settings, self._name, sleep)
        self._schema = answer_schema()
        self._pieces = settings.llm_pieces
        self._patience_s = settings.llm_attempts * settings.llm_timeout_s
        self._clock = clock
        self._other: Analyst = OfflineAnalyst()

    @property
    def name(self) -> str:
        """``llm:`` and the model."""
        return self._name

    def analyze(self, segment: Segment, known: Known) -> Analysis:
        """Events of ``segment``; see :class:`hmind.analysis.analyst.Analyst`.

        The outcome is ``partial`` when the offline analyst had to read some of it, or when a turn was too long
        to be shown whole; ``why`` says which fault it was. Where no person speaks nobody is asked.

        Raises:
            AnalystUnavailable: the endpoint did not answer.
            AnalystMisbehaved: it answered, but nothing could be taken from any answer.
        """
        people = tuple(number for number, turn in enumerate(segment.turns, start=1) if turn.by_person)
        if not people:
            return Analysis((), {turn.turn_id: AGENT_TALK for turn in segment.turns}, self._name)
        reader = Reader(segment, lambda: self._salient(segment, known), self._zone)
        shortened = False

        def ask(numbers: Numbers) -> Answer:
            nonlocal shortened
            asked = numbers if numbers != people else tuple(range(1, len(segment.turns) + 1))
            question = ask_about(segment, known, self._zone, asked)
            shortened = shortened or question.shortened
            try:
                reply = self._endpoint.ask(question.messages, "segment_analysis", self._schema)
            except AnalystMisbehaved as error:
                return Answer(open=numbers, fault=error.kind, usable=False)
            return reader.read(reply, asked)

        until = self._clock() + self._patience_s
        gathered = gather(ask, people, self._pieces, lambda: self._clock() < until)
        if gathered.fault:
            log.warning(
                "%s: an answer was %s, segment %s; %d calls, %d of %d turns left to the offline analyst",
                self._name,
                gathered.fault,
                segment.id,
                gathered.calls,
                len(gathered.open),
                len(people),
            )
        if not gathered.usable:
            raise self._misbehaved(gathered)
        return self._whole(segment, known, gathered, shortened)

    def _whole(self, segment: Segment, known: Known, gathered: Gathered, shortened: bool) -> Analysis:
        """The analysis of all turns: the model's, and the other analyst's of what was left."""
        rest, let_go = read_rest(segment, gathered.open, self._other, known)
        order = {turn.turn_id: at for at, turn in enumerate(segment.turns)}
        events = sorted((*gathered.events, *rest), key=lambda event: order[event.turn_ids[0]])
        told = {turn_id for event in events for turn_id in event.turn_ids}
        reasons = {**dict.fromkeys(order, AGENT_TALK), **let_go, **gathered.discarded}
        why = gathered.last_fault if gathered.open else "shortened" if shortened else ""
        return Analysis(
            events=tuple(events),
            discarded={turn_id: reasons[turn_id] for turn_id in order if turn_id not in told},
            analyst=self._name,
            outcome="partial" if why else "complete",
            tokens_in=gathered.tokens_in,
            tokens_out=gathered.tokens_out,
            calls=gathered.calls,
            why=why,
        )

    def _salient(self, segment: Segment, known: Known) -> set[str]:
        events = self._other.analyze(segment, known).events
        return {turn_id for event in events if event.salience >= SALIENT_AT for turn_id in event.turn_ids}

    def _misbehaved(self, gathered: Gathered) -> AnalystMisbehaved:
        fault = gathered.fault.replace("_", " ")
        return AnalystMisbehaved(
            f"The analyst {self._name} answered with something that is no analysis: {fault}.",
            kind=gathered.fault,
            tokens_in=gathered.tokens_in,
            tokens_out=gathered.tokens_out,
            calls=gathered.calls,
        )
