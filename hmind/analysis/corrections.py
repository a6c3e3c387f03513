"""What people take back in the same breath: "I live in Lisbon. Sorry, not Lisbon, Porto." Finds no facts of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from hmind.analysis.claims import Claim

_EN = re.compile(
    r"""(?:\s+years?\s+old)?[\s,.;:!–—-]*(?:(?:oh|um|uh|er|ah|hm+|well|actually|wait|no)[\s,.!…–—-]+)*
    (?:(?:(?P<weak>sorry|oops|pardon)|my\ mistake|my\ bad|scratch\ that|strike\ that|correction|typo|i\ misspoke
      |i\ meant|i\ mean|make\ that|no,?\ wait|wait,?\ no|or\ rather)[\s,.:!–—-]+)
    (?P<meant>(?:i\ mean(?:t)?|that's|it's|make\ that|rather|should\ be|to\ say)[\s,]+)*
    (?:not\s+(?P<not>[^,.;!?]{1,40}?)\s*(?:[,.;–—-]|\bbut\b)+\s*(?:but\s+)?)?
    (?:(?:in|at|with|for|it's|a|an|the)\s+)?(?P<new>\w[^,.;!?()\n]{0,40}?)\s*(?:[,.;!?()\n]|,?\s+not\b|$)""",
    re.IGNORECASE | re.VERBOSE,
)
_ZH = re.compile(
    r"""(?:周?岁)?[\s，。,.！!；;、…—]*(?:(?:哦|啊|呃|额|嗯|那个|等等|等一下)[，,。…]*)*
    (?:(?:不对|不是(?=[，,。！])|说错了?|我?说错了|打错了?|写错了?|记错了|口误|更正(?:一下)?|纠正(?:一下)?|错了|(?:抱歉|不好意思)(?=[，,。](?:不是|我?说错|应该是|错了|打错)))[，,。！…：:]*)+
    (?:(?:不是(?P<not>[^，。！,]{1,16})[，,]?)?(?:应该)?(?:我)?(?:是|说的是|想说的是|改成)?)
    (?P<new>[\u4e00-\u9fffA-Za-z\d·]{1,16}?)(?:周?岁)?(?:才对|才是)?(?:$|[，。！,.!；;\n])""",
    re.VERBOSE,
)


def applied(claims: Sequence[Claim], sentences: Sequence[str], language: str) -> list[Claim]:
    """``claims`` with the objects that the words right after them correct.

    A correction counts where it begins right behind the object, in its sentence or at the start of the
    next one, and names something of the same shape: a number for a number, in English a name for a name.
    """
    return [_corrected(claim, sentences, language) for claim in claims]


def _corrected(claim: Claim, sentences: Sequence[str], language: str) -> Claim:
    said = sentences[claim.sentence]
    place = said.find(claim.object)
    if place < 0:
        return claim
    after = said[place + len(claim.object) :]
    following = sentences[claim.sentence + 1] if claim.sentence + 1 < len(sentences) else ""
    more = sentences[claim.sentence + 2] if claim.sentence + 2 < len(sentences) else ""
    rest = after.rstrip(".。！! ")
    tail = f"{rest}, {following} {more}" if language == "en" else f"{rest}，{following}{more}"
    found = (_ZH if language == "zh" else _EN).match(tail)
    if found is None or not _alike(claim.object, found["new"], language):
        return claim
    plain = claim.object.islower() and not claim.object[:1].isdigit()
    if language == "en" and found["weak"] and not found["meant"] and not found["not"] and plain:
        return claim  # "I love jazz. Sorry, dinner is ready."
    if found["not"] and claim.object.casefold() not in found["not"].casefold():
        return claim
    return replace(claim, object=found["new"].strip())


def _alike(old: str, new: str, language: str) -> bool:
    if old[:1].isdigit() or new[:1].isdigit():
        return old[:1].isdigit() and new[:1].isdigit()
    if language == "zh":
        return new != old and not re.search(r"^(?:我|你|他|她|它|这|那|没|不|就|都|忘)|吗$|了$", new)
    if len(new.split()) > len(old.split()) + 2 or re.match(
        r"(?:i|we|you|he|she|it|they|that|this|my)\b", new, re.IGNORECASE
    ):
        return False
    return old[:1].isupper() == new[:1].isupper()
