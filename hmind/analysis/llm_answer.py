"""From a model's reply to what it is worth: read, without what no person said, without what is worth nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Set
from datetime import UTC, tzinfo

from hmind.analysis import people_only
from hmind.analysis.llm_endpoint import Reply
from hmind.analysis.llm_json import Found, NoJson, find_object, without_thoughts
from hmind.analysis.llm_pieces import Answer, Numbers
from hmind.analysis.llm_reading import read_answer
from hmind.analysis.llm_schema import Reading, SegmentAnswer
from hmind.analysis.llm_worth import Sifted, sift
from hmind.model import Segment

log = logging.getLogger(__name__)

UNMENTIONED = "unmentioned"
"""Why a person's turn was let go that the answer said nothing about."""

NO_SALIENCE_BELOW = 0.05
"""A model that puts all it found below this has weighed nothing."""

Salient = Callable[[], Set[str]]
"""Ids of the turns that are worth remembering by another judgement, found out only when asked for."""


class Reader:
    """Reads replies about one segment.

    Args:
        salient: the turns that an answer without anything of weight is held against.
    """

    def __init__(self, segment: Segment, salient: Salient, zone: tzinfo = UTC) -> None:
        self._segment = segment
        self._salient = salient
        self._zone = zone

    def read(self, reply: Reply, asked: Numbers) -> Answer:
        """What ``reply`` says of the turns ``asked``. Never raises; faults are those of :class:`Analysis`."""
        found = _find(reply)
        if isinstance(found, str):
            return self._none(reply, asked, found)
        form = Reading(self._zone)
        read = read_answer(SegmentAnswer.model_validate(found.value, context=form), self._segment, self._zone, asked)
        if form.lost or read.lost:
            log.warning("segment %s: dropped %d items of an answer", self._segment.id, form.lost + read.lost)
        if not read.events and found.cut and "discarded" not in found.value:
            return self._none(reply, asked, "budget")
        if not read.events and found.value["events"]:
            return self._none(reply, asked, "no_event")
        of_people = people_only.keep(read.events, self._segment)
        let_go = {**read.discarded, **people_only.let_go(read.events, of_people, self._segment)}
        # A copied example may name an agent's turns: with nothing of a person left, it is its worth that counts.
        sifted = sift(of_people or read.events, self._segment)
        if not of_people:
            sifted = Sifted((), sifted.dropped)
        if fault := self._weightless(sifted, let_go, asked):
            return self._none(reply, asked, fault)
        return self._answer(
            reply,
            asked,
            sifted,
            let_go,
            "cut" if found.cut else "lost" if form.lost_told + read.lost else "",
        )

    def _weightless(self, sifted: Sifted, discarded: Collection[str], asked: Numbers) -> str:
        """Why an answer as a whole is worth nothing, or ""."""
        if sifted.dropped and not sifted.kept:
            return sifted.dropped[0][1]
        if any(event.salience >= NO_SALIENCE_BELOW for event in sifted.kept):
            return ""
        told = {turn_id for event in sifted.kept for turn_id in event.turn_ids}
        # What is let go by name was weighed; what is passed over was not.
        salient = self._salient() & (told or self._ids(asked) - set(discarded))
        return ("no_salience" if told else "nothing_found") if salient else ""

    def _answer(
        self, reply: Reply, asked: Numbers, sifted: Sifted, discarded: Mapping[str, str], incomplete: str
    ) -> Answer:
        """The answer with each turn asked about accounted for, or open where a fault may have lost it."""
        told = {turn_id for event in sifted.kept for turn_id in event.turn_ids}
        spoilt = {turn_id for event, _ in sifted.dropped for turn_id in event.turn_ids}
        silent = [number for number in asked if self._id(number) not in told | discarded.keys()]
        open_ = tuple(number for number in self._people_of(silent) if incomplete or self._id(number) in spoilt)
        unmentioned = {
            self._id(number): UNMENTIONED if self._people_of([number]) else people_only.AGENT_TALK
            for number in silent
            if number not in open_
        }
        fault = incomplete or (sifted.dropped[0][1] if sifted.dropped else "")
        return Answer(
            events=sifted.kept,
            discarded={**unmentioned, **discarded},
            open=open_,
            fault=fault if open_ else "",
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
        )

    def _none(self, reply: Reply, asked: Numbers, fault: str) -> Answer:
        return Answer(
            open=self._people_of(asked),
            fault=fault,
            usable=False,
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
        )

    def _people_of(self, numbers: Iterable[int]) -> Numbers:
        return tuple(number for number in numbers if self._segment.turns[number - 1].by_person)

    def _id(self, number: int) -> str:
        return self._segment.turns[number - 1].turn_id

    def _ids(self, numbers: Iterable[int]) -> set[str]:
        return {self._id(number) for number in numbers}


def _find(reply: Reply) -> Found | str:
    """The JSON object in a reply, or why there is none."""
    if reply.refused:
        return "refusal"
    out_of_tokens = reply.ended == "length"
    text = without_thoughts(reply.content)
    if not text and reply.thought and not out_of_tokens:
        text = without_thoughts(reply.thought)  # some servers put the whole answer there
    if not text:
        return "budget" if out_of_tokens or reply.thought or reply.content.strip() else "empty"
    try:
        return find_object(text, "events")
    except NoJson:
        return "budget" if out_of_tokens or not reply.content.strip() else "not_json"
