"""Turns "I" into "she said of herself" notes: simple English sentences of a speaker in the third person.

Only what is safe is retold; anything else gives None and is quoted by the caller.
"""

from __future__ import annotations

import re
from functools import cache
from typing import cast

from hmind.text.lexicon import table, words

_OTHERS = re.compile(r"\b(?:you|your|yours|let['’]s|we['’]d)\b|[\"“”]", re.IGNORECASE)
_TITLE = re.compile(r"[\"“](?![^\"“”]*\b(?:I|me|my|mine|you|your|we|us|our)\b)[^\"“”]{1,80}[\"”]", re.IGNORECASE)
"""Quoted words in which nobody speaks of themselves."""
_US = re.compile(r"\b(?:we|us|our|ours|ourselves)\b", re.IGNORECASE)
_FILLER = re.compile(
    r"^(?:(?:yeah|yes|yep|no|well|so|oh|hey|hi|actually|honestly|anyway|btw|by the way|"
    r"and|but|also|plus|wow|thanks|thank you|hmm|um|like|ok|okay|sure)\b[,!.]*\s+)+",
    re.IGNORECASE,
)
_TOPIC = re.compile(
    r"(?:The|A|An|Her|His|Their|This|That)\s+(?!one\b|thing\b|only\b|same\b|way\b|other\b|first\b|best\b)[\w-]+(?:\s+[\w-]+){0,4}?(?:\s+\([^)]*\))?\s+"
    r"(?:is|are|was|were|will|has|have|had|comes?|came|starts?|ends?|takes?|took|went|goes|opens?|costs?|lets|said|says)\b"
)
"""A noun with its verb: "The recording went great"."""
_FIRST = re.compile(
    r"\b(?:I(?:['’](?P<clitic>m|ve|d|ll))?(?![\w'’])|(?P<my>[Mm]y)|(?P<me>me(?!-))|(?P<self>myself)|mine)\b"
)
_VERB = re.compile(
    r"\s+(?P<adverb>(?:(?:\w+ly|just|also|still|never|always|often|even|only|now|then|once|already|sometimes)\s+)*)"
    r"(?P<verb>[a-z]+?(?:n['’]t)?)(?![\w'’])"
)
_OPENING = re.compile(r"(?P<verb>[A-Z][a-z]+)(?=\s+(?!by\b|to be\b))")
_LEAD = (
    r"(?P<lead>(?:(?:yesterday|today|tonight|tomorrow|recently|lately|currently|now|finally|"
    r"luckily|unfortunately|sadly|"
    r"(?:last|next|this|every) \w+|(?:in|on|since|during) [\w ]{2,20}?|"
    r"\w+ (?:days|weeks|months|years) ago)(?: \([^)]*\))?,?\s+)?)"
)
_SUBJECT = re.compile(
    rf"^{_LEAD}(?:I(?P<clitic>['’](?:m|ve|d|ll))?|(?P<my>my))\s+(?P<adverb>(?:(?:\w+ly|just|also|still|never|always|often|even|only|now|then|once|already|sometimes)\s+)*)(?P<verb>[a-z]+?(?:n['’]t)?)(?![\w'’])",
    re.IGNORECASE,
)
_WE = re.compile(
    rf"^{_LEAD}we(?P<clitic>['’](?:re|ve|ll))?\s+(?=(?:all\s+|both\s+)?[a-z])(?P<all>(?:all|both)\s+)?", re.IGNORECASE
)
_WE_CLITICS = {"": "", "re": "are ", "ve": "have ", "ll": "will "}
_WITH = re.compile(
    rf"^{_LEAD}(?:my (?P<one>[a-z][\w -]{{1,30}}?) and I|me and my (?P<other>[a-z][\w-]+))\s+(?=[a-z])", re.IGNORECASE
)
_WITHOUT_I = [
    (
        re.compile(
            r"^(?P<adverb>(?:(?:just|also|even|still|finally|really|recently) )?)been\b"
            r"(?! (?:ages|a (?:while|busy|long|wild|crazy|tough|great|rough|week|month|year)|"
            r"so long|too long|forever|quite))",
            re.IGNORECASE,
        ),
        "has {}been",
    ),
    (
        re.compile(
            r"^(?P<adverb>(?:(?:so|really|super|very|still|also) )*)(?=(?:excited|thrilled|grateful|proud|glad|happy) "
            r"(?:to|for|that|about|of)\b)",
            re.IGNORECASE,
        ),
        "is {}",
    ),
    (re.compile(r"^(?P<adverb>(?:just |really )?)can['’]t wait\b", re.IGNORECASE), "{}can't wait"),
    (re.compile(r"^(?P<adverb>(?:just )?)gotta\b", re.IGNORECASE), "{}has to"),
    (
        re.compile(
            r"^(?P<adverb>(?:just |really |so )?)(?P<verb>wish|hope|guess|love|miss|need|want)\b"
            r"(?= (?:I|my|to|that)\b)",
            re.IGNORECASE,
        ),
        "",
    ),
    (
        re.compile(
            r"^(?P<adverb>(?:just |really )?)don['’]t (?=(?:feel|think|know|want|like|believe)\b)", re.IGNORECASE
        ),
        "{}doesn't ",
    ),
]
"""Openings whose "I have" or "I am" goes without saying."""
_PAIRS = [
    (re.compile(r"\b[Ww]e(?=\b|['’])"), "they"),
    (re.compile(r"\bus\b"), "them"),
    (re.compile(r"\bourselves\b"), "themselves"),
    (re.compile(r"\bours\b"), "theirs"),
    (re.compile(r"\b[Oo]ur\b"), "their"),
    (re.compile(r"\bI['’]m\b"), "they're"),
    (re.compile(r"\bI am\b"), "they are"),
    (re.compile(r"\bI was\b"), "they were"),
    (re.compile(r"\bI wasn['’]t\b"), "they weren't"),
    (re.compile(r"\bI(?=['’](?:ve|d|ll)\b)"), "they"),
    (re.compile(r"\bI\b"), "they"),
    (re.compile(r"\bmyself\b"), "themselves"),
    (re.compile(r"\b[Mm]ine\b"), "theirs"),
    (re.compile(r"\b[Mm]y\b"), "their"),
    (re.compile(r"\bme\b(?!-)"), "them"),
]


def retell(sentence: str, name: str) -> str | None:
    """``sentence`` with its speaker in the third person, or None where that is not safe.

    "I went to my sister's flat" by Ann gives "Ann went to their sister's flat".
    """
    if _OTHERS.search(_TITLE.sub("", sentence)):
        return None
    text = _FILLER.sub("", sentence)
    together = _together(text, name)
    if together:
        return together
    match = _SUBJECT.match(text)
    if match is None:
        return _opened(text, name) or _within(text, name) or _ours(text, name)
    verb, rest = match["verb"], text[match.end() :]
    if match["my"]:
        first = match["verb"]
        plain = _third_person(f" {first}{rest}")
        return _capital(
            f"{match['lead']}{_inside(name) if match['lead'] else name}'s {match['adverb']}".rstrip() + plain
        )
    conjugated = _clitic(match["clitic"][1:], verb) if match["clitic"] else _conjugate(verb)
    if conjugated is None:
        return None
    name = _inside(name) if match["lead"] else name
    if verb.lower() in words("verbs", "base") or verb.lower() in _special():
        rest = _and_verb().sub(lambda found: f"{found[1]} {found[2] or ''}{_conjugate(found[3])}", rest)
    adverb = match["adverb"]
    if match["clitic"] or verb.lower() in ("am", "was", "have"):
        told = f"{conjugated[0]} {adverb}{conjugated[1]}" if match["clitic"] else f"{adverb}{conjugated}"
    else:
        told = f"{adverb}{conjugated}"
    return _capital(f"{match['lead']}{name} {told}".replace("  ", " ") + _third_person(rest))


def is_impersonal(sentence: str) -> bool:
    """Whether a sentence has no "I", "you" or "we" in it and quotes nobody."""
    return not (_OTHERS.search(_TITLE.sub("", sentence)) or _FIRST.search(sentence) or _US.search(sentence))


def needs_speaker(sentence: str) -> bool:
    """Whether a sentence only makes sense when one knows who said it: it opens with no topic of its own."""
    return not is_impersonal(sentence) or _TOPIC.match(sentence) is None


def _inside(name: str) -> str:
    return "the user" if name == "The user" else name


def _together(text: str, name: str) -> str | None:
    """ "We moved" by Ann gives "Ann and others moved", "My aunt and I moved" gives "Ann and their aunt moved"."""
    if found := _WITH.match(text):
        who = f"{_inside(name) if found['lead'] else name} and their {found['one'] or found['other']}"
        return _capital(f"{found['lead']}{who} {_third_person(text[found.end() :])}")
    if found := _WE.match(text):
        verb = _WE_CLITICS[(found["clitic"] or "")[1:].lower()]
        who = f"{_inside(name) if found['lead'] else name} and others"
        return _capital(f"{found['lead']}{who} {verb}{found['all'] or ''}{_third_person(text[found.end() :])}")
    return None


def _ours(text: str, name: str) -> str | None:
    """The first "we", "us" or "our" anywhere in ``text`` becomes the name, the others "they"."""
    first = _US.search(text)
    if first is None:
        return None
    before, rest = text[: first.start()], text[first.end() :]
    who = name if not before else _inside(name)
    match first.group().lower():
        case "our":
            return _capital(f"{before}{who}'s{_third_person(rest)}")
        case "us":
            return _capital(f"{before}{who} and others{_third_person(rest)}")
        case "we":
            clitic = re.match(r"['’](re|ve|ll)\b ?", rest)
            verb = f" {_WE_CLITICS[clitic[1]]}" if clitic else ""
            rest = rest[clitic.end() :] if clitic else rest
            return _capital(f"{before}{who} and others{verb}{_third_person(rest)}")
    return None


def _opened(text: str, name: str) -> str | None:
    """ "Ran ten miles" by Ann gives "Ann ran ten miles"."""
    for pattern, told in _WITHOUT_I:
        if elided := pattern.match(text):
            verb = _conjugate(elided["verb"]) if "verb" in pattern.groupindex else ""
            start = told.format(elided["adverb"].lower()) if told else f"{elided['adverb'].lower()}{verb}"
            rest = text[elided.end() :]
            return f"{name} {start}{_third_person(rest if start[-1] != ' ' else rest[:1].lower() + rest[1:])}"
    found = _OPENING.match(text)
    if found is None or re.search(r"\bI\b", text[: found.end() + 12]):
        return None
    verb = found["verb"].lower()
    past = verb in words("verbs", "opening_past") or (
        verb.endswith("ed") and len(verb) > 4 and verb not in words("verbs", "not_past")
    )
    ing = verb in words("verbs", "opening_ing") and not re.search(
        r"\b(?:is|are|was|were|can|has|helps?|makes?)\b", text
    )
    if not past and not ing:
        return None
    return f"{name} {'is ' if ing else ''}{verb}{_third_person(text[found.end() :])}"


def _within(text: str, name: str) -> str | None:
    """The first "I", "me" or "my" anywhere in ``text`` becomes the name, the others "they"."""
    first = _FIRST.search(text)
    if first is None:
        return None
    before, rest = _third_person(text[: first.start()]), text[first.end() :]
    who = name if not before else _inside(name)
    if first.group() in ("mine",) or first["my"]:
        return _capital(f"{before}{who}'s{_third_person(rest)}")
    if first["me"]:
        return _capital(f"{before}{who}{_third_person(rest)}")
    if first["self"]:
        return None
    verb = _VERB.match(rest)
    if verb is None:
        return None
    if first["clitic"]:
        told = _clitic(first["clitic"], verb["verb"])
        plain = f"{told[0]} {verb['adverb']}{told[1]}" if told else ""
    else:
        plain = f"{verb['adverb']}{_conjugate(verb['verb'])}" if _conjugate(verb["verb"]) else ""
    return _capital(f"{before}{who} {plain}{_third_person(rest[verb.end() :])}") if plain else None


def _clitic(clitic: str, verb: str) -> tuple[str, str] | None:
    match clitic.lower():
        case "m":
            return "is", verb
        case "ve":
            return "has", verb
        case "ll":
            return "will", verb
    if verb in ("better", "been", "never") or verb.endswith("ed"):
        return "had", verb
    return "would", verb


def _conjugate(verb: str) -> str | None:
    lower = verb.lower().replace("’", "'")
    if lower in _special():
        return _special()[lower]
    if lower in words("verbs", "unchanged") or (lower.endswith("ed") and lower not in ("need", "feed", "seed")):
        return lower
    if lower not in words("verbs", "base") and lower not in words("verbs", "also_base"):
        return None
    if lower.endswith("y") and lower[-2] not in "aeou":
        return f"{lower[:-1]}ies"
    return f"{lower}es" if lower.endswith(("s", "sh", "ch", "x", "z", "o")) else f"{lower}s"


def _third_person(rest: str) -> str:
    for pattern, replacement in _PAIRS:
        rest = pattern.sub(replacement, rest)
    return rest


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


@cache
def _special() -> dict[str, str]:
    return cast("dict[str, str]", table("verbs")["special"])


@cache
def _and_verb() -> re.Pattern[str]:
    verbs = "|".join(sorted(words("verbs", "base") | {"have", "go", "do"}))
    return re.compile(rf"\b(and|but|or)\s+((?:also|then|really|usually|often)\s+)?({verbs})\b(?!\s+(?:of|is|was)\b)")
