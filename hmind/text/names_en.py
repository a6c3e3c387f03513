"""Names in English sentences: by capitals, endings, titles and a light gazetteer."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache

from hmind.model import EntityType
from hmind.text.lexicon import either, words
from hmind.text.named import Named

_RUN = re.compile(
    r"[A-Z][\w'’.-]*[\w]|[A-Z]",
)
_JOIN = re.compile(r"\s+(?:(?:of|the|de|la|le|van|von|del|da|&)\s+){0,2}$|\s+$")
_PREPOSITION = re.compile(
    r"\b(?:in|to|from|near|around|outside|visit(?:ed|ing)?|through|across|leave|left|leaving)\s+(?:the\s+)?$"
)
_WORKPLACE = re.compile(
    r"\b(?:joined|join|joining|(?:work\w*|jobs?|role|position|intern\w*|internship|employed|hired|offer|volunteer\w*|"
    r"engineer|manager|contract)\b[^.,;!?]{0,24}\b(?:at|for|with|by|from))\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_AT = re.compile(r"\bat\s+(?:the\s+)?$")
_FOR = re.compile(r"\bfor\s+$")
_SELF = re.compile(r"(?:\bI['’]m|\bI am|\b[Mm]y (?:\w+ )?name is|\b[Cc]all(?:s|ed)? me|\bknown as)\s+$")
_PET_CARE = re.compile(
    r"\b(?:vet|sitter|groomer|walker|crate|leash|collar|kennel|kibble|treats?|litter|toys?|walk(?:ed|ing)?|fe(?:e)?d(?:ing)?|"
    r"paw|leg|legs|tail)\b[^.,;!?]{0,12}$",
    re.IGNORECASE,
)
_LABEL = re.compile(r"\s(?:[A-Z]|\w*\d\w*)$")
"""Ends of what is numbered or lettered: Schedule C, Form 1040, Gate B12."""
_TITLED = re.compile(r"[\"“]([A-Z][^\"“”]{1,60})[\"”]")
_NAMED_BY = re.compile(r"\b(?:named|called|name is|name's|names are|meet|met|with|and|friend|friends)\s+$")
_SPEAKS = re.compile(
    r"\s+(?:is|was|has|had|said|says|told|asked|loves?|likes?|wants?|went|came|and I|got|will|"
    r"works?|called|gave)\b|['’]s\b"
)
_TRIM = re.compile(r"['’](?:s|re|ve|ll|d|m)?$|[.-]+$")


@cache
def _people() -> tuple[re.Pattern[str], re.Pattern[str]]:
    relation = f"{either('relations', 'en.kin')}|{either('relations', 'en.others')}"
    pets = either("relations", "en.pets")
    return (
        re.compile(rf"\b(?:my|our)\s+((?:\w+\s)?)({relation})\b(?!['’]s\s+(?:{relation}))", re.IGNORECASE),
        re.compile(
            rf"\b(?:my|our|a|an|the)\s+(?:\w+\s+){{0,2}}?({pets}|{relation})s?,?\s+"
            rf"(?:is\s+)?(?:named\s+|called\s+|whose name is\s+)?"
            rf"((?-i:[A-Z][a-zé]+)(?:(?:,?\s+and|\s+&|,)\s+((?-i:[A-Z][a-zé]+)))?)",
            re.IGNORECASE,
        ),
    )


@cache
def _pets() -> re.Pattern[str]:
    return re.compile(rf"^(?:{either('relations', 'en.pets')})$", re.IGNORECASE)


@cache
def _happenings() -> re.Pattern[str]:
    return re.compile(
        rf"\b(?:([a-z][a-z-]+)\s+)?((?:{either('names', 'en.happenings')})s?)\b(?!\s+(?:in|on) your)", re.IGNORECASE
    )


@cache
def _fixed() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{either('names', 'en.places')}|{either('names', 'en.holidays')})\b(?!['’]?\w)")


@cache
def _trusted(known: frozenset[str]) -> re.Pattern[str] | None:
    usable = sorted((name for name in known if len(name) > 1 and name.isascii()), key=lambda name: (-len(name), name))
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, usable))})\b", re.IGNORECASE) if usable else None


def find(text: str, known: Collection[str] = (), owner: str = "user") -> list[Named]:
    """Named things of an English sentence, in order of kind: people, capitals, happenings."""
    found = [*_people_of(text, owner)]
    found += _capitals(text, frozenset(known))
    found += _things_happening(text)
    return found


def _people_of(text: str, owner: str) -> Iterator[Named]:
    related, named = _people()
    lower = text.lower()
    if "my " not in lower and "our " not in lower and " named " not in lower and " called " not in lower:
        return
    for match in named.finditer(text):
        if not re.search(r"\b(?:my|our|named|called|name)\b", match.group(), re.IGNORECASE):
            continue
        kind = EntityType.OBJECT if _pets().match(match.group(1)) else EntityType.PERSON
        for name in re.split(r",?\s+and\s+|\s+&\s+|,\s+", match.group(2)):
            if name not in words("names", "en.not_names"):
                relation = f"{owner}'s {match.group(1).lower()}"
                yield Named(name, kind, (relation,))
    for match in related.finditer(text):
        relation = match.group(2).lower()
        if (
            re.match(r",?\s+(?:named\s+|called\s+)?[A-Z][a-z]+", text[match.end() :])
            and text[match.end() : match.end() + 3] != " I "
        ):
            continue
        yield Named(f"{owner}'s {relation}", EntityType.PERSON)


def _capitals(text: str, known: frozenset[str]) -> Iterator[Named]:
    stop = words("names", "en.not_names")
    taken: list[tuple[int, int]] = []
    for match in _fixed().finditer(text):
        name = match.group()
        after = text[match.end() : match.end() + 30]
        if re.match(r"\s+[A-Z][a-z]", after) or (
            match.start() > 1 and re.search(r"[A-Z]\w+\s$", text[: match.start()])
        ):
            continue
        if (
            name in ("US", "Nice", "Jordan", "Cork", "Austin", "Bath")
            and not _PREPOSITION.search(text[: match.start()])
            and not re.search(r"\b(?:the)\s$", text[: match.start()])
        ):
            continue
        kind = EntityType.HAPPENING if name in words("names", "en.holidays") else EntityType.PLACE
        taken.append(match.span())
        yield Named(name, kind)
    for match in _TITLED.finditer(text):
        if len(match.group(1).split()) <= 8 and match.group(1)[-1] not in ",!?":
            taken.append(match.span())
            yield Named(match.group(1).rstrip("."), EntityType.OBJECT)
    trusted = _trusted(known)
    if trusted is not None:
        for match in trusted.finditer(text):
            if match.group()[0].isupper() and not _inside(match.start(), taken):
                taken.append(match.span())
                yield Named(match.group(), _kind(match.group(), text, match.start(), match.end()))
    for start, end in _runs(text, stop):
        if _inside(start, taken) or _inside(end - 1, taken):
            continue
        name = _TRIM.sub("", text[start:end])
        if len(name) < 2 or name in stop:
            continue
        if name.isupper() and len(name) > 4:
            continue
        if _opens_sentence(text, start) and not _believable(name, text, end):
            continue
        yield Named(name, _kind(name, text, start, end))


def _inside(at: int, spans: list[tuple[int, int]]) -> bool:
    return any(start <= at < end for start, end in spans)


def _runs(text: str, stop: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Spans of neighbouring capitalised words that are no stop words, with small words between."""
    start = end = -1
    for match in _RUN.finditer(text):
        word = _TRIM.sub("", match.group())
        follows = start >= 0 and _JOIN.fullmatch(text[end : match.start()]) is not None
        inner = text[end : match.start()].strip() if follows else ""
        if follows and (inner == "the" or (inner and inner.split()[0] in ("the",))):
            follows = False
        if word in stop:
            if start >= 0:
                yield start, end
            start = end = -1
            continue
        possessive = match.group().endswith(("'s", "’s"))
        if follows:
            end = match.end()
        else:
            if start >= 0:
                yield start, end
            start, end = match.start(), match.end()
        if possessive:
            yield start, end
            start = end = -1
    if start >= 0:
        yield start, end


def _opens_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip(" \"“'(*-–—•")
    return not before or before[-1] in ".!?:;…\n"


def _believable(name: str, text: str, end: int) -> bool:
    """Whether a capital at the start of a sentence is more than grammar."""
    first = name.split()[0]
    if " " in name or first in words("names", "en.first_names") or first in words("relations", "en.titles"):
        return True
    if any(letter.isupper() for letter in name[1:]) and not name.isupper():
        return True
    if name in words("names", "en.orgs") or name in words("names", "en.products"):
        return True
    return bool(re.match(r"\s+(?:said|told me|asked|called me|and I)\b", text[end:]))


def _kind(name: str, text: str, start: int, end: int) -> EntityType:
    parts = name.split()
    if (
        name in words("names", "en.orgs")
        or parts[-1] in words("names", "en.org_ends")
        or (parts[0] in ("University", "Institute", "Bank", "Ministry") and len(parts) > 1)
    ):
        return EntityType.ORGANISATION
    if parts[0].rstrip(".") in words("relations", "en.titles"):
        return EntityType.PERSON
    if (len(parts) > 1 and parts[-1] in words("names", "en.place_ends")) or name in words("names", "en.places"):
        return EntityType.PLACE
    if name in words("names", "en.holidays") or parts[-1].lower() in words("names", "en.happenings"):
        return EntityType.HAPPENING
    if parts[0] in words("names", "en.products") or any(letter.isdigit() for letter in name):
        return EntityType.OBJECT
    if parts[0] in words("names", "en.first_names") and len(parts) <= 3:
        return EntityType.PERSON
    before = text[max(0, start - 50) : start]
    if _LABEL.search(name) or _PET_CARE.search(before):
        return EntityType.OBJECT
    if _SELF.search(before):
        return EntityType.PERSON
    if _PREPOSITION.search(before):
        return EntityType.PLACE
    if _WORKPLACE.search(before):
        return EntityType.ORGANISATION
    if name.isupper():
        return EntityType.ORGANISATION
    if _AT.search(before):
        return EntityType.PLACE
    if _FOR.search(before) and name.isalpha() and len(name) > 2 and not name.endswith("s"):
        return EntityType.PERSON
    if len(parts) <= 2 and (_NAMED_BY.search(before) or _SPEAKS.match(text[end:])) and name.replace(" ", "").isalpha():
        return EntityType.PERSON
    return EntityType.OBJECT


def _things_happening(text: str) -> Iterator[Named]:
    for match in _happenings().finditer(text):
        modifier = (match.group(1) or "").lower()
        head = match.group(2).lower()
        head = head[:-1] if head.endswith("s") and head[:-1] in words("names", "en.happenings") else head
        if head in words("names", "en.only_named") and modifier not in words("names", "en.namers"):
            continue
        if modifier in words("names", "en.no_modifier") or modifier.endswith(("ly", "ing", "est")):
            modifier = ""
        yield Named(f"{modifier} {head}".strip(), EntityType.HAPPENING)
