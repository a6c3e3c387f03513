"""Tells sentences that say something from those that only keep a talk going. Judges; keeps nothing."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache

from hmind.text import tokens
from hmind.text.lexicon import matcher, table

SMALL_TALK, QUESTION, NO_CONTENT, REQUEST = "small_talk", "question", "no_content", "request"

_LETTER = re.compile(r"[^\W_]")
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_SPACES = re.compile(r"\s+")
_PARTS = re.compile(r"\s*[,，、!！~～;；.。—–-]+\s*|\s*\bbut\b\s*")
_ASKS = re.compile(r"[?？][\s\"'”’)）~～]*\W*$")
_ASKS_ZH = re.compile(
    r"(吗|呢|么|嘛)[。!！~～\s]*$|^(为什么|怎么|什么|哪|谁|几点|多少|如何|能不能|可不可以|是不是|有没有)"
)
_FIRST = {
    "en": re.compile(r"\b(i|i'm|i've|i'd|i'll|im|my|me|mine|myself|we|we're|we've|our|ours|us)\b", re.IGNORECASE),
    "zh": re.compile(r"[我咱俺]|本人"),
}
_NUMBER = re.compile(r"\d")
_PAST = re.compile(
    r"\b(was|were|had|went|took|got|made|gave|came|told|said|won|lost|found|began|has|have|\w{3,}ed)\b"
    r"|'s (a|an|my|from)\b"
)
_INNER_CAPITAL = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+|\b[A-Z]{2,}\b|[\"“][A-Z]")
_WHEN = {
    "en": re.compile(
        r"\b(yesterday|today|tonight|tomorrow|(?:last|next|this|on|every) "
        r"(?:week|weekend|month|year|spring|summer|autumn|fall|winter|\w+day))\b",
        re.IGNORECASE,
    ),
    "zh": re.compile(r"[昨今明后]天|[上下这]个?(?:周|月|星期)|周[一二三四五六日末]|[今明去]年"),
}
_YOU = re.compile(r"\b(?:you|your|yours)\b|\byou['’]", re.IGNORECASE)
_WE = re.compile(r"\b(?:we|us|let['’]s)\b|\bwe['’]", re.IGNORECASE)
_SELF = re.compile(r"\b(?:i|me|my|mine|myself|im)\b|\bi['’]", re.IGNORECASE)
_OWN_WE = re.compile(
    r"\bwe(?:['’](?:re|ve|d)| are| have| had)? (?:(?:all|both|each|just|also|really|actually|even|finally|always|often|"
    r"usually|still|currently|recently) )*"
    r"(?:was|were|had|did|went|took|got|made|gave|came|told|said|won|lost|found|began|brought|bought|built|met|saw|sat|"
    r"spent|felt|ate|drove|ran|held|taught|grew|left|kept|chose|love|enjoy|live|own|don['’]t|have an?|"
    r"(?!need)\w{3,}ed|\w{3,}ing)\b",
    re.IGNORECASE,
)
"""What "we" did, do or are about to do, unlike what "we" can or must."""
_QUOTED = re.compile(r"[\"“”]\w")
_POINTS_BACK = re.compile(
    r"^(?:and |but |so |yeah,? |plus,? )?(?:it|that|this)(?:['’](?:s|ll))?\b(?! (?:day|year|week|month)\b)",
    re.IGNORECASE,
)
_LONGEST_POINTER = 70
_ADVICE_FROM = 8
"""Content words from which a sentence to the listener tells enough to be advice."""
_ELIDED = re.compile(
    r"^(?:(?:thanks|yeah|yep|yes|no|well|oh|hey)[,! ]+)?(?:been|still|just|got|gonna|gotta go|had|went|made|took|"
    r"started|finished|working|planning|thinking|trying|looking|hoping|currently|recently)\b",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"\b(?:once|twice|two|three|four|five|six|seven|eight|nine|ten|dozens?|hundreds?|every)\b", re.IGNORECASE
)
_PAST_DEED = re.compile(
    r"\b(?:i|we|my \w+)(?:['’](?:ve|d))? (?:\w+ly |just |also |never )*"
    r"(?:was|were|had|\w{3,}ed|went|took|got|made|found|met|bought|saw|won|lost|began|wrote|built|sold)\b",
    re.IGNORECASE,
)
_LATELY = re.compile(rf"{_WHEN['en'].pattern}|\b(?:just|finally|recently|officially)\b", re.IGNORECASE)
_BEFELL = re.compile(
    r"(?<!it )(?<!that )(?<!they )\b(?:hit|ran|broke|fell|died|came|took|brought|sent|told|visited|called|invited|"
    r"offered|robbed|stopped|flooded|crashed|caught|lent|bought|taught|joined|asked|helped|cost|led) "
    r"(?:\w+ ){0,3}(?:us|our)\b",
    re.IGNORECASE,
)
"""What somebody or something did to "us"; how it made us feel is no such thing."""
_HEART = re.compile(r"<3+")
_MAXIM_BELOW = 5
_LONGEST_SMALL_TALK = 90
_ECHO_BELOW = 6
"""A reaction without "I" counts as said before when it has fewer new words than this."""


def is_question(sentence: str, language: str) -> bool:
    """Whether a sentence asks."""
    if _ASKS.search(sentence):
        return True
    return language == "zh" and bool(_ASKS_ZH.search(sentence))


def content_words(sentence: str, language: str, without: Collection[str] = ()) -> list[str]:
    """Keywords that carry matter: no praise, no filler, none of the names in ``without``."""
    dull = _fluff(language)
    found = [word for word in tokens.keywords(sentence) if word not in dull and word not in without]
    return [word for word in found if len(word) > 1 or word.isdigit()] if language == "zh" else found


def judge(
    sentence: str,
    language: str,
    names: Collection[str] = (),
    heard: Collection[str] = (),
    among_people: bool = False,
) -> str:
    """Why a sentence is not worth keeping, or "" when it is.

    Args:
        names: who talks to whom; "Thanks, Mel!" is small talk when Mel is one of them.
        heard: content words of the last turns; praise that only repeats them says nothing new.
        among_people: nobody but people talk, so that "we" may be all of them.
    """
    if not _LETTER.search(_HEART.sub("", sentence)):
        return NO_CONTENT
    if is_small_talk(sentence, language, names):
        return SMALL_TALK
    if is_question(sentence, language):
        return QUESTION
    content = content_words(sentence, language, {name.lower() for name in names})
    said_first = _uncalled(sentence.lstrip(" -–—*\"'“"), names)
    reacts = matcher("smalltalk", f"{language}.reaction").search(said_first)
    if is_news(sentence, language):
        return ""
    if not content:
        return SMALL_TALK if reacts else NO_CONTENT
    own = bool(_FIRST[language].search(sentence)) or (language == "en" and bool(_ELIDED.match(sentence)))
    if language == "en" and len(set(content)) < _ADVICE_FROM and _only_cheers(sentence, names, among_people):
        return SMALL_TALK
    if reacts:
        new = [word for word in content if word not in heard]
        if (
            (not own or (language == "en" and _about_you(sentence)))
            and len(new) < _ECHO_BELOW
            and not (language == "en" and tells_deed(sentence) and _LATELY.search(sentence))
            and not _NUMBER.search(sentence)
        ):
            return SMALL_TALK
    elif not own and len(set(content)) < _least(sentence, language, names):
        return NO_CONTENT
    return ""


def _least(sentence: str, language: str, names: Collection[str]) -> int:
    """Content words that a sentence needs which does not tell of the speaker. Maxims need more than happenings."""
    if _NUMBER.search(sentence):
        return 0
    if (
        language == "zh"
        or _WHEN[language].search(sentence)
        or _PAST.search(sentence)
        or any(word not in names for word in _INNER_CAPITAL.findall(sentence))
    ):
        return 2
    return _MAXIM_BELOW


def _only_cheers(sentence: str, names: Collection[str], among_people: bool) -> bool:
    """Whether an English sentence is about the listener or everybody, and tells nothing that happened or will.

    Whoever tells an agent of "us" means themselves and theirs; among people it may be all who talk.
    """
    if (
        not (_YOU.search(sentence) or (among_people and _WE.search(sentence)))
        or _SELF.search(sentence)
        or _OWN_WE.search(sentence)
    ):
        return False
    if _ELIDED.match(sentence) or _COUNTED.search(sentence):
        return False
    if _BEFELL.search(sentence):
        return False
    return not (_NUMBER.search(sentence) or _names_something(sentence, names))


def _names_something(sentence: str, names: Collection[str]) -> bool:
    """Whether it has a day, a title or a name that is not of those who talk."""
    if _WHEN["en"].search(sentence) or _QUOTED.search(sentence):
        return True
    return any(word not in names for word in _INNER_CAPITAL.findall(sentence))


def points_back(sentence: str, language: str) -> bool:
    """Whether a sentence only says how something told before is, so that by itself it tells nothing: "It helps me"."""
    if language != "en" or len(sentence) > _LONGEST_POINTER or not _POINTS_BACK.match(sentence):
        return False
    return not (_NUMBER.search(sentence) or _names_something(sentence, ()) or _PAST_DEED.search(sentence))


def tells_deed(sentence: str) -> bool:
    """Whether an English sentence says what its speaker did, or what befell them."""
    return bool(_PAST_DEED.search(sentence))


def is_news(sentence: str, language: str) -> bool:
    """Whether somebody tells what they achieved or lost, be it in three words: "I got the job!"."""
    return bool(matcher("smalltalk", f"{language}.news").search(sentence.replace("’", "'")))


def is_order(sentence: str, language: str) -> bool:
    """Whether a sentence wants to change how the listener works: its rules, its memory, what it is."""
    return bool(matcher("smalltalk", f"{language}.order").search(sentence))


def is_request(sentence: str, language: str, ordered: bool = False) -> bool:
    """Whether a sentence only asks the agent to do something and tells nothing of who asks.

    Beside an order ("ignore your rules") whatever is asked for counts, also what names the speaker.
    """
    bare = sentence.replace("’", "'").strip(" \"'“”*")
    if not matcher("smalltalk", f"{language}.request").search(bare):
        return False
    rest = matcher("smalltalk", f"{language}.for_me").sub(" ", bare)
    return ordered or not _FIRST[language].search(rest)


def is_small_talk(sentence: str, language: str, names: Collection[str] = ()) -> bool:
    """Whether a sentence, or each part of it, is a greeting, thanks, a filler or a reaction."""
    if len(sentence) > _LONGEST_SMALL_TALK:
        return False
    bare = _bare(sentence.lower().replace("’", "'"), names)
    if not bare:
        return True
    pattern = matcher("smalltalk", f"{language}.sentence")
    if pattern.fullmatch(bare):
        return True
    parts = [_bare(part, names) for part in _PARTS.split(bare)]
    return len(parts) > 1 and all(not part or pattern.fullmatch(part) for part in parts)


def _bare(text: str, names: Collection[str]) -> str:
    for name in sorted(names, key=lambda name: (-len(name), name)):
        if name and name.lower() in text:
            text = re.sub(rf"(?:^|(?<=[\s,，!]))\s*{re.escape(name.lower())}(?=$|[\s,，!！.。~?]|\W)", " ", text)
    return _SPACES.sub(" ", _EDGES.sub("", text)).strip(" ,，!")


def _uncalled(sentence: str, names: Collection[str]) -> str:
    """ "Mel, that's great" without whom it is said to."""
    first, comma, rest = sentence.partition(",")
    return rest.lstrip() if comma and first.strip() in names else sentence


def _about_you(sentence: str) -> bool:
    return bool(re.search(r"\b(you|your|you're|you've|yours)\b", sentence, re.IGNORECASE))


@cache
def _fluff(language: str) -> frozenset[str]:
    return frozenset(tokens.keywords(table("smalltalk")[language]["fluff"]))
