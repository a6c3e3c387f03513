"""Applies the Chinese fact rules: cuts sentences into clauses, carries 我 over, weighs what is told."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from hmind.analysis.claims import Claim, Voice
from hmind.analysis.fact_rules import Rule, clause_pattern, rule_part, rules
from hmind.text import times
from hmind.text.lexicon import either, table, words
from hmind.text.names import possessive

_NAMED_NEXT = re.compile(
    rf"({either('relations', 'zh.pets')}|{either('relations', 'zh.kin')})[，,](?:名字|它|她|他)?(?=叫)"
)
_RELATION = re.compile(
    rf"我(?:的|家|们家)?(?:的|这|那)?(?:大|小|二|三|最好的|好)?({either('relations', 'zh.kin')}|{either('relations', 'zh.others')})"
    rf"|我(?:们)?家(?:的|那)?(?:只|条)?({either('relations', 'zh.pets')})"
)
_HAS_ONE = re.compile(
    rf"(?:养|有)(?:了|着)?(?:一|个|只|条|位|匹)+[\u4e00-\u9fff]{{0,4}}?({either('relations', 'zh.kin')}|{either('relations', 'zh.pets')})(?=$|叫)"
)
_HAS_MORE = re.compile(
    rf"(?:养|有)(?:了|着)?[两俩二三四五几仨\d]+[个只条位匹]?[\u4e00-\u9fff]{{0,4}}?(?:{either('relations', 'zh.kin')}|{either('relations', 'zh.pets')})$"
)

_CALLED = re.compile(r"^(?:一[家所间个])?(?:叫做?|名叫|名为)([^的]{1,10})的([\u4e00-\u9fff]{1,6})$")
_SELF = frozenset({"我", "我们", "我自己", "本人"})
_OF_MINE = re.compile(rf"(?:{either('relations', 'zh.kin')})(?!们)(?=是|在|叫|对|有|也|今年|去年|喜欢|刚|都)")
_ONE_OF = re.compile(r"^一[家所间个名位](?=[\u4e00-\u9fff]{2})")
_LASTED = re.compile(r"[一二三四五六七八九十两几半\d]+个?(?:年|月|周|天)(?:多)?了?$")
_OPENING_LETTERS = 4
"""A time that far in opens its sentence and counts for what ended in any of its clauses."""
_TRIM = re.compile(r"(?:了|啦|啊|呀|哦|呢|吧|的|哈|嘛|哟)+$")


def _clause(name: str) -> re.Pattern[str]:
    return clause_pattern("zh", name)


@dataclass(frozen=True, slots=True)
class _Clause:
    text: str
    hedged: bool
    past: bool
    when: str = ""


def find(sentences: Sequence[str], voice: Voice, at: datetime) -> Iterator[Claim]:
    """Claims of one turn, in order; see :func:`hmind.analysis.facts.find`."""
    for number, sentence in enumerate(sentences):
        following = sentences[number + 1] if number + 1 < len(sentences) else ""
        if _clause("joke").search(sentence) or _clause("joke").search(following) or len(sentence) > 1000:
            continue
        text = _clause("quoted").sub(_unquoted, _clause("reported").sub("", sentence)).replace(" ", "")
        if _clause("unreal").search(text):
            continue
        if number == 0:
            text = _with_subject(text)
        for clause in _clauses(text):
            yield from _claims(clause, sentence, number, voice, at)


def _with_subject(text: str) -> str:
    """ "喜欢做饭" and "下周想去爬山" with the 我 that goes without saying where a turn begins."""
    lead = _clause("lead").match(text)
    when, rest = (lead.group(), text[lead.end() :]) if lead else ("", text)
    found = _clause("dropped").match(rest)
    if found is None or (found.group()[0] in "想要打准计" and not _clause("future").search(when)):
        return text
    return f"{when}我{rest}"


def _unquoted(match: re.Match[str]) -> str:
    """Titles stay; what somebody said goes."""
    inner = match.group()[1:-1]
    return "" if re.search(r"[我你他她吗呢吧，。！？]|是|在", inner) or len(inner) > 16 else inner


def _clauses(text: str) -> Iterator[_Clause]:
    subject = ""
    asked = re.split(r"(?<=[，,])", text) if text.endswith(("?", "？")) else []
    if asked:
        text = "".join(asked[:-1])
    for part in _clause("split").split(_NAMED_NEXT.sub(r"\1", text)):
        clause = part.strip()
        if not clause or _clause("asks").search(clause):
            continue
        hedged = bool(_clause("hedge").search(clause))
        lead = _clause("lead").match(clause)
        when = lead.group() if lead else ""
        clause = clause[len(when) :] if lead else clause
        if _clause("quote_by").match(clause) and not clause.startswith("我"):
            subject = ""
            continue
        found = rule_part("zh", "who").match(clause)
        if found:
            subject = found.group()
        elif subject in _SELF and _OF_MINE.match(clause):
            clause = f"我{clause}"
            subject = rule_part("zh", "who").match(clause).group()
        elif _RELATION.match(subject) and re.match(r"[他她](?!们)", clause):
            clause = subject + clause[1:]
        elif re.match(r"[你您他她它这那谁]|大家|别人|有人|人家|咱", clause):
            subject = ""
        elif subject and (_clause("carries").match(clause) or when):
            clause = subject + clause
        if (one := _HAS_ONE.search(clause)) and subject.startswith("我"):
            subject = f"我{'家' if one[1] in words('relations', 'zh.pets') else ''}{one[1]}"
        elif _HAS_MORE.search(clause):
            subject = ""
        past = bool(_clause("past").search(when + clause))
        who = rule_part("zh", "who").match(clause)
        if who and when and _clause("when").search(when):
            yield _Clause(f"{who.group()}{re.sub('[，,]', '', when)}{clause[who.end() :]}", hedged, past)
        yield _Clause(clause, hedged, past)
        inner = _clause("when").match(clause, who.end()) if who else None
        if who and inner:
            yield _Clause(who.group() + clause[inner.end() :], hedged, past, inner.group())


def _claims(clause: _Clause, sentence: str, number: int, voice: Voice, at: datetime) -> Iterator[Claim]:
    found = rule_part("zh", "who").match(clause.text)
    if found is None and not _clause("opens").match(clause.text):
        return
    verb, skipped = "", ""
    if found is not None:
        adverbs = rule_part("zh", "adv").match(clause.text, found.end())
        skipped = adverbs.group() if adverbs else ""
        verb = clause.text[found.end() + len(skipped) :]
    for rule in rules("zh"):
        if rule.after_subject and found is None:
            continue
        text = verb if rule.after_subject else clause.text
        match = rule.pattern.match(text)
        if match is None:
            continue
        if not rule.negative and _clause("not").search(match.group() if rule.value else text[: match.start("o")]):
            continue
        subject, share = _who(rule, found, voice)
        objects = _objects(rule.value or rule.form.format(**match.groupdict(default="")), rule)
        start, end = _validity(rule, clause, sentence, at)
        if (rule.needs_future and start is None) or (rule.begun and _yet_to_come(clause, start, at)):
            continue
        confidence = rule.confidence * share
        if clause.past and (rule.plan or rule.wish):
            continue
        if rule.over or (clause.past and rule.state and not rule.starts):
            start, end = None, end or at
            confidence = confidence if rule.over else min(confidence, 0.65)
        if clause.hedged:
            confidence = min(confidence, 0.65)
        for item in objects:
            yield Claim(subject, rule.predicate, item, round(confidence, 3), number, start, end)
        if objects and rule.last:
            return


def _yet_to_come(clause: _Clause, start: datetime | None, at: datetime) -> bool:
    """Whether the clause names a day to come, which may have been taken out of it."""
    dropped = times.resolve(clause.when, at) if clause.when else []
    return any(time.start > at for time in dropped) or (start is not None and start > at)


def _who(rule: Rule, found: re.Match[str] | None, voice: Voice) -> tuple[str, float]:
    if rule.own:
        return voice.subject, 1.0
    relation = _RELATION.match(found.group()) if found else None
    if relation is None:
        return voice.subject, 1.0
    who = relation[1] or relation[2]
    return possessive(voice.subject, table("relations")["zh_full"].get(who, who), "zh"), 0.83


def _objects(value: str, rule: Rule) -> list[str]:
    parts = re.split(r"[、和与跟及]|以及", value) if rule.many else [value]
    kept: list[str] = []
    for part in parts:
        part = _ONE_OF.sub("", _CALLED.sub(r"\1（\2）", _TRIM.sub("", part.rstrip("，"))))
        if not part or len(part) > rule.longest:
            continue
        if rule.place and (part in words("facts", "zh.no_place") or re.match(r"[这那我你他她某]|一[个家楼]", part)):
            continue
        if rule.taste and (part in words("facts", "zh.no_taste") or re.match(r"[你您他她它这那]", part)):
            continue
        kept.append(part)
    return kept


def _validity(rule: Rule, clause: _Clause, sentence: str, at: datetime) -> tuple[datetime | None, datetime | None]:
    over = rule.over or (clause.past and rule.state and not rule.starts)
    if not rule.dated and not over:
        return None, None
    found = times.resolve(clause.text, at)
    if not found and (rule.starts or rule.over or not rule.state):
        found = times.resolve(sentence, at)
        found = [time for time in found if not rule.over or time.span[0] <= _OPENING_LETTERS]
    named = [
        time for time in found if time.grain != "recent" and (time.end > at or not (rule.plan or rule.needs_future))
    ]
    if over:
        return None, (named[0].start if named and named[0].start <= at else at)
    if named:
        return named[0].start, None
    return (at if rule.starts and not rule.needs_future and not _LASTED.search(clause.text) else None), None
