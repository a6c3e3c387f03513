"""Applies the Chinese fact rules: cuts sentences into clauses, carries 我 over, weighs what is told."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from hmind.analysis import facts_reader
from hmind.analysis.claims import Claim, Voice
from hmind.analysis.fact_rules import Rule, clause_pattern, rule_part
from hmind.analysis.facts_reader import Clause, Tongue
from hmind.text.lexicon import either, table, words
from hmind.text.names import possessive

_KIN = f"{either('relations', 'zh.kin')}"
_PETS = f"{either('relations', 'zh.pets')}"
_NAMED_NEXT = re.compile(rf"({_PETS}|{_KIN})[，,](?:名字|它|她|他)?(?=叫)")
_RELATION = re.compile(
    rf"我(?:的|家|们家)?(?:的|这|那)?(?:大|小|二|三|最好的|好)?({_KIN}|{either('relations', 'zh.others')})"
    rf"|我(?:们)?家(?:的|那)?(?:只|条)?({_PETS})"
)
_HAS_ONE = re.compile(rf"(?:养|有)(?:了|着)?(?:一|个|只|条|位|匹)+[\u4e00-\u9fff]{{0,4}}?({_KIN}|{_PETS})(?=$|叫)")
_HAS_MORE = re.compile(
    rf"(?:养|有)(?:了|着)?[两俩二三四五几仨\d]+[个只条位匹]?[\u4e00-\u9fff]{{0,4}}?(?:{_KIN}|{_PETS})$"
)
_CALLED = re.compile(r"^(?:一[家所间个])?(?:叫做?|名叫|名为)([^的]{1,10})的([\u4e00-\u9fff]{1,6})$")
_SELF = frozenset({"我", "我们", "我自己", "本人"})
_OF_MINE = re.compile(rf"(?:{_KIN})(?!们)(?=是|在|叫|对|有|也|今年|去年|喜欢|刚|都)")
_OF_OTHERS = re.compile(
    rf"(?:{_KIN}|{either('relations', 'zh.others')})?的(?:大|小)?(?:{_KIN}|{either('relations', 'zh.others')})"
)
""" 我同事的女儿: one of theirs."""
_IN_THE_ROLE_OF = re.compile(r"^作为一?[个名位]?([\u4e00-\u9fff]{2,8})[，,](?=我)")
_GAVE_ME = re.compile(
    r"^(?:医生|大夫|医院)(?:刚|又|就)?(?:给|让|叫|要求)(?!我|你|他|她)(?:先)?(?:开了?|吃|换了?|服用?)(?=[\u4e00-\u9fffA-Za-z])"
)
_PERSON = re.compile(rf"[他她]|{_KIN}|同事|朋友")
_BIRTHDAY = re.compile(r"(?:我的?)?生日(?:就?快到了?|要到了|马上到了?|快了)$")
_DATE = re.compile(
    r"^(?:农历|阴历|阳历|公历)?[\d一二三四五六七八九十正腊冬]{1,3}月(?:[\d一二三四五六七八九十初廿]+[日号]?)$"
)
_TOLD_BY_ONE = re.compile(
    r"(?:^|(?<=[，,。]))(?![^，,]*(?:医生|大夫|医院|我|听|据|老实|坦白|总的来|一般来|严格来|简单来|按理|照理|不用|应该|可以|话|你|怎么))"
    r"[^，,]{1,14}(?<![小传学])(?:说|讲|表示|写道)[，,]我.*$"
)
""" 播客里那个人说，我…: what follows is another's."""
_NAMED_KIN = re.compile(
    rf"^(我(?:的|家|们家)?(?:大|小)?({_KIN}|朋友|好朋友|闺蜜|同事|室友|舍友))(?P<name>([\u4e00-\u9fff])\4|[小阿][\u4e00-\u9fff])"
    r"(?=今|去|也|是|在|对|有|特|最|很|刚|已|都|喜|不|要|会|每|明|后|下|上|打|弹|拉|吹|跑|学|做|吃|喝|养|当|读|开|怕|讨|爱|总|得|被|给|结|毕|[一二三四五六七八九十\d]|叫|从|住|考|就)"
)
_ONE_OF = re.compile(r"^一[家所间个名位](?=[\u4e00-\u9fff]{2})")
_LASTED = re.compile(r"[一二三四五六七八九十两几半\d]+个?(?:年|月|周|天)(?:多)?了?$")
_HAS = {
    "has_sister": "姐姐 妹妹 姐 妹 表姐 表妹 堂姐 堂妹",
    "has_brother": "哥哥 弟弟 哥 弟 表哥 表弟 堂哥 堂弟",
    "has_child": "儿子 女儿 孩子 宝宝",
    "has_spouse": "老公 丈夫 老婆 妻子 太太 爱人",
    "has_partner": "男朋友 女朋友 男友 女友 对象",
    "has_friend": "朋友 好朋友 闺蜜",
    "has_colleague": "同事",
    "has_roommate": "室友 舍友",
}
_TRIM = re.compile(r"(?:了|啦|啊|呀|哦|呢|吧|的|哈|嘛|哟)+$")


def _clause(name: str) -> re.Pattern[str]:
    return clause_pattern("zh", name)


def find(sentences: Sequence[str], voice: Voice, at: datetime) -> Iterator[Claim]:
    """Claims of one turn, in order; see :func:`hmind.analysis.facts.find`."""
    return facts_reader.find(_CHINESE, sentences, voice, at)


def _cleared(sentence: str, number: int) -> str:
    """The sentence without what is quoted, reported or only imagined."""
    text = _clause("quoted").sub(_unquoted, _clause("reported").sub("", sentence)).replace(" ", "")
    if _clause("unreal").search(text):
        return ""
    return _with_subject(text) if number == 0 else text


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


def _clauses(text: str) -> Iterator[Clause]:
    subject, before = "", ""
    text = _TOLD_BY_ONE.sub("", _IN_THE_ROLE_OF.sub(r"我是\1，", text))
    asked = re.split(r"(?<=[，,])", text) if text.endswith(("?", "？")) else []
    if asked:
        text = "".join(asked[:-1])
    for part in _clause("split").split(_NAMED_NEXT.sub(r"\1", text)):
        clause = part.strip()
        if _BIRTHDAY.search(before) and _DATE.match(clause):
            clause = f"我的生日是{clause}"
        before = part
        if (gave := _GAVE_ME.match(clause)) and (subject or not _PERSON.search(text)):
            clause = f"{subject or '我'}在吃{clause[gave.end() :]}"
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
        if found and _OF_OTHERS.match(clause, found.end()):
            subject = ""
            continue
        if found:
            subject = found.group()
        elif subject in _SELF and _OF_MINE.match(clause):
            clause = f"我{clause}"
            found = rule_part("zh", "who").match(clause)
            subject = found.group() if found else subject
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
            yield Clause(f"{who.group()}{re.sub('[，,]', '', when)}{clause[who.end() :]}", hedged, past)
        yield Clause(clause, hedged, past)
        inner = _clause("when").match(clause, who.end()) if who else None
        if who and inner:
            yield Clause(who.group() + clause[inner.end() :], hedged, past, inner.group())


def _introduced(clause: Clause, number: int, voice: Voice) -> Iterator[Claim]:
    """我女儿朵朵今年上学 tells has_child 朵朵."""
    found = _NAMED_KIN.match(clause.text)
    if found is None or clause.hedged:
        return
    for predicate, kin in _HAS.items():
        if found[2] in kin.split():
            yield Claim(voice.subject, predicate, found["name"], 0.8, number)


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


_CHINESE = Tongue(
    language="zh",
    longest_sentence=1000,
    opening_letters=4,
    cleared=_cleared,
    clauses=_clauses,
    subject=lambda clause: rule_part("zh", "who").match(clause),
    who=_who,
    objects=_objects,
    introduced=_introduced,
    lasted=_LASTED,
)
