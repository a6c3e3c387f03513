"""The analyst that asks an LLM. Asking is in llm_endpoint.py, the question in llm_prompt.py, the reading in
llm_json.py, llm_schema.py and llm_reading.py."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import UTC, tzinfo

from hmind.analysis.llm_endpoint import ChatEndpoint, Reply
from hmind.analysis.llm_json import Found, NoJson, find_object, without_thoughts
from hmind.analysis.llm_prompt import ask_about, instructions
from hmind.analysis.llm_reading import UNMENTIONED, read_answer
from hmind.analysis.llm_schema import Reading, SegmentAnswer, answer_schema
from hmind.errors import AnalystMisbehaved, SettingsError
from hmind.model import Analysis, Known, Segment
from hmind.settings import AnalysisSettings

log = logging.getLogger(__name__)


class LlmAnalyst:
    """An Analyst behind an OpenAI-compatible chat endpoint; one call a segment.

    Args:
        zone: in which times are shown to the model and dates without a zone are read.
        sleep: waits between tries; tests pass their own.

    Raises:
        SettingsError: no URL or model, or the packages of the ``llm`` extra are missing.
    """

    def __init__(
        self, settings: AnalysisSettings, *, zone: tzinfo = UTC, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        for key in ("llm_url", "llm_model"):
            if not getattr(settings, key):
                raise SettingsError(f"analysis.{key}: is empty. Set it, or empty both for the offline analyst.")
        instructions()
        self._name = f"llm:{settings.llm_model}"
        self._zone = zone
        self._endpoint = ChatEndpoint(settings, self._name, sleep)
        self._schema = answer_schema()

    @property
    def name(self) -> str:
        """``llm:`` and the model."""
        return self._name

    def analyze(self, segment: Segment, known: Known) -> Analysis:
        """Events of ``segment``; see :class:`hmind.analysis.analyst.Analyst`.

        The outcome is ``partial`` when the answer was cut off, when what was wrong in it left a turn
        unmentioned, or when a turn was too long to be shown whole.

        Raises:
            AnalystUnavailable: the endpoint did not answer.
            AnalystMisbehaved: it answered, but with no analysis: ``refusal``, ``budget`` (all tokens went
                into thinking, or it was cut off before one event was whole), ``empty``, ``not JSON``,
                ``no event of the asked form``.
        """
        question = ask_about(segment, known, self._zone)
        reply = self._endpoint.ask(question.messages, "segment_analysis", self._schema)
        found = self._find(reply)
        reading = Reading(self._zone)
        read = read_answer(SegmentAnswer.model_validate(found.value, context=reading), segment, self._zone)
        lost = reading.lost + read.lost
        if not read.events and found.cut and "discarded" not in found.value:
            raise self._misbehaved("budget")
        if not read.events and found.value["events"]:
            raise self._misbehaved("no event of the asked form")
        if lost:
            log.warning("%s: dropped %d items of an answer, segment %s", self._name, lost, segment.id)
        forgotten = UNMENTIONED in read.discarded.values()
        partial = found.cut or question.shortened or (lost > 0 and forgotten)
        return Analysis(
            events=read.events,
            discarded=read.discarded,
            analyst=self._name,
            outcome="partial" if partial else "complete",
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
        )

    def _find(self, reply: Reply) -> Found:
        if reply.refused:
            raise self._misbehaved("refusal")
        if not without_thoughts(reply.content):
            raise self._misbehaved("budget" if reply.ended == "length" else "empty")
        try:
            return find_object(reply.content, "events")
        except NoJson:
            raise self._misbehaved("budget" if reply.ended == "length" else "not JSON") from None

    def _misbehaved(self, kind: str) -> AnalystMisbehaved:
        return AnalystMisbehaved(f"The analyst {self._name} answered with something that is no analysis: {kind}.")
