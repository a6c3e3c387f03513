"""The vocabulary of time in English, as pieces of patterns, and what each word means."""
# ruff: noqa: SIM905 - a list of words reads best as words

from __future__ import annotations

import re

from hmind.text import holidays, numbers

_FUTURE = re.compile(
    r"\b(?:will|won't|shall|going\s+to|gonna|plan(?:s|ning|ned\s+(?:for|on|in))?|want(?:s)?\s+to|hop(?:e|es|ing)\s+to|would\s+like|'d\s+like"
    r"|let's|should|coming\s+up|upcoming|due|starts|leaves|arrives|begins|remind|schedule[ds]?|book(?:ed)?\s+for"
    r"|(?:am|is|are|'m|'re)\s+\w+ing|looking\s+forward)\b|'ll\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:was|were|did|didn't|wasn't|weren't|had|hadn't|went|got|saw|met|took|came|bought|made|said|told|felt|left|found"
    r"|gave|ate|drank|ran|won|lost|broke|fell|flew|drove|wrote|read|began|started|thought|knew|spent|sent|taught|caught"
    r"|brought|heard|held|kept|led|paid|put|sat|slept|spoke|stood|swam|threw|woke|wore|became|built|grew|hit|hurt|cut"
    r"|chose|drew|dug|fed|fought|forgot|forgave|froze|hid|hung|laid|lay|lent|lit|meant|quit|rang|rode|rose|sang|sank|sold|shot|shut"
    r"|stole|stuck|swept|tore|understood|withdrew|bit|blew|bent|dealt"
    r"|crept|dreamt|learnt|beat|burnt|been|gone|done|seen|[a-z]{2,}(?<!ne)(?<!fe)ed|since|ago)\b",
    re.IGNORECASE,
)

_ARRANGED = re.compile(
    r"\b(?:booked|reserved|scheduled|arranged|signed\s+up|registered|enrolled|postponed|rescheduled|invited|entered)\b[^.!?]{0,60}\b(?:for|to|until)\b"
    r"|\b(?:tickets?|seats|reservations?|appointment|invitation)\b[^.!?]{0,40}\b(?:for|to|on|at|in)\b"
    r"|(?:\bis|\bare|'s)\s+(?:not\s+until|on|in|from)\s+(?:the\s+)?(?:\d{1,2}(?:st|nd|rd|th)?\b|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b)",
    re.IGNORECASE,
)
_HAPPENED = re.compile(r"\b(?:was|were|had|went|attended|missed|saw|cancel(?:l)?ed|ago|yesterday)\b", re.IGNORECASE)

_STATE = re.compile(
    r"(?:\b(?:am|is|are|be|being|feel|get)|'(?:m|re|s))\s+(?:\w+ly\s+|so\s+|very\s+|still\s+|all\s+|too\s+|not\s+)?[a-z]+ed\b",
    re.IGNORECASE,
)
"""How things are now: "I'm so excited" and "it is closed" tell nothing of the past."""


def tense(sentence: str) -> int:
    """-1, 0 or 1, by the verb forms in the sentence; "would" and "planned to" of the past lose to the future.

    What was arranged in the past is yet to come: "I booked a table for 20 March".
    """
    sentence = _STATE.sub(" ", sentence.replace("’", "'"))
    if _ARRANGED.search(sentence) and not _HAPPENED.search(sentence):
        return 1
    if _FUTURE.search(sentence):
        return -1 if re.search(r"\b(?:was|were)\s+(?:going|planning)\b", sentence) else 1
    return -1 if _PAST.search(sentence) else 0


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH = (
    r"(?:(?:January|February|March|April|May|June|July|August|September|October|November|December)\b"
    r"|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?)"
)
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
WEEKDAY = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
SHORT_DAY = rf"(?:{WEEKDAY}\b|(?:Mon|Tues?|Wed|Thur?s?|Fri|Sat|Sun(?!\s+(?:shin|was|is|set|rose)))\b\.?)"
NUMBER = rf"(?:\d+|{numbers.ENGLISH})"
UNIT = r"(?:minute|min|hour|hr|day|night|weekend|week|month|year|yr)"
FEW = r"(?:a\s+few|a\s+number\s+of|several|some|few|many)"
FOUR = r"(?:19|20)\d\d"
YEAR = rf"{FOUR}\b"
DAY = r"(?:3[01]|[12]\d|0?[1-9])"
ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth "
    "twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first"
).split()
ORDINAL = "|".join(sorted(ORDINALS, key=len, reverse=True))
HOUR = "1[0-2]|[1-9]|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
SEASON = r"(?:spring|summer|autumn|fall|winter)"
MONTH_PART = (
    r"(?:early|mid|middle|late|the\s+end|end|the\s+beginning|beginning|the\s+start|start|the\s+middle)(?:\s+of|[\s-])"
)
HOLIDAY = "|".join(
    re.escape(name).replace(r"\ ", r"\s+").replace("'", "['’]")
    for name in sorted((one for one in holidays.NAMES if one.isascii()), key=len, reverse=True)
)


def month(text: str) -> int:
    """The number of a month, 1 to 12, by its name or the start of it."""
    return _MONTHS.index(text.lower()[:3]) + 1


def weekday(text: str) -> int:
    """The number of a weekday, 0 is Monday, by its name or the start of it."""
    return _WEEKDAYS.index(text.lower()[:3])


def season(text: str) -> str:
    """The season by the name that the calendar knows."""
    return "autumn" if text.lower() == "fall" else text.lower()


def unit(text: str) -> str:
    """The unit by the name that the calendar knows; nights count as days."""
    return {"min": "minute", "hr": "hour", "yr": "year", "night": "day"}.get(text.lower(), text.lower())


def part(text: str) -> str:
    """The part of a month or year by the name that the calendar knows: "the end of" is ``end``."""
    word = re.split(r"[\s-]", text.lower().removeprefix("the").lstrip())[0]
    return {"beginning": "begin", "start": "begin", "middle": "mid"}.get(word, word)


def offset(text: str) -> int:
    """last and past are -1, this is 0, next and coming are 1."""
    word = text.lower().split()[-1]
    return -1 if word in ("last", "past", "previous") else 1 if word in ("next", "coming", "following") else 0
