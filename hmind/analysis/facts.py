"""Facts that people state of themselves and theirs. The rules are data, facts_en and facts_zh apply them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from hmind.analysis import corrections, facts_en, facts_zh
from hmind.analysis.claims import Claim, Voice

__all__ = ["Claim", "Voice", "find"]


def find(sentences: Sequence[str], language: str, voice: Voice, at: datetime) -> list[Claim]:
    """Claims in the sentences of one turn, each once, in order.

    Only statements in the indicative fire: no question, no condition, no wish, no quotation, no
    joke. What is over gets a ``valid_to`` and less confidence. What is corrected in the same breath
    is claimed as corrected.

    Args:
        sentences: all of the turn, in order, as said.
        voice: who speaks.
        at: when it was said, aware, UTC.
    """
    read = facts_zh.find if language == "zh" else facts_en.find
    claims = corrections.applied(list(read(sentences, voice, at)), sentences, language)
    jobs = [(claim.sentence, claim.object.split("（")[0]) for claim in claims if claim.predicate == "works_at"]
    found: dict[tuple[str, str, str], Claim] = {}
    for claim in claims:
        if claim.predicate == "plans_to" and any(at == claim.sentence and job in claim.object for at, job in jobs):
            continue
        if claim.predicate == "name" and _is_short_for_another(claim, claims):
            claim = replace(claim, predicate="nickname")
        if claim.predicate == "works_as" and claim.valid_from is None and claim.valid_to is None:
            claim = replace(claim, valid_from=_start_of_job(claim, claims))
        found.setdefault((claim.subject, claim.predicate, claim.object.casefold()), claim)
    return list(found.values())


def _is_short_for_another(name: Claim, claims: Sequence[Claim]) -> bool:
    """ "我叫林晓雨，叫我晓雨就行": the second is what to call them, the first stays their name."""
    full = [one.object for one in claims if one.predicate == "name" and one.subject == name.subject]
    return any(name.object in other and name.object != other for other in full)


def _start_of_job(trade: Claim, claims: Sequence[Claim]) -> datetime | None:
    """When the workplace told in the same breath begins, if it does: "from May I'm at Orsted, as a clerk"."""
    for claim in claims:
        same = (claim.predicate, claim.sentence, claim.subject) == ("works_at", trade.sentence, trade.subject)
        if same and claim.valid_to is None:
            return claim.valid_from
    return None
