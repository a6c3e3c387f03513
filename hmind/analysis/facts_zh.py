"""Chinese fact rules: a clause whose subject is 我 or 我妈妈, said or carried over, and whose verb says something lasting."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from hmind.analysis.claims import Claim, Voice
from hmind.analysis.fact_rules_zh import ADVERBS, RULES, WHO, Rule
from hmind.text import times
from hmind.text.lexicon import either, words
from hmind.text.names import possessive

_JOKE = re.compile(r"开玩笑|逗你|骗你的|玩笑话|说着玩|瞎说的|编的")
_UNREAL = re.compile(
    r"(?:如果|要是|假如|假设|倘若|若是|万一|要不是|幻想|梦见|梦到|做梦|好像是在梦|恨不得|巴不得|真想|多想|好想|多希望|希望(?:我|自己|有一天|能|可以)|想象一下|"
    r"的话[，,]|就好了|该多好|小说里|故事里|剧里|电影里|游戏里|歌词|台词|角色|主角|扮演|台湾腔说)"
)
_QUOTED = re.compile(r"[“\"「『‘][^”\"」』’]*[”\"」』’]")
_ASKS = re.compile(r"[?？]|吗$|呢$|什么|哪里|哪儿|哪个|哪家|怎么办|怎么样$|谁$|几岁$|多少|是不是|有没有|能不能|可不可以|要不要|会不会|该不该")
_SPLIT = re.compile(r"[，,；;：:。！!\n（）()~～]+|(?<!一)(?=但是|不过|所以|然后|而且|因为|可是|只是|于是|后来)")
_LEAD = re.compile(
    r"^(?:(?:对了|其实|嗯+|哦+|啊|唉|那个|就是|不过|但是|但|可是|而且|然后|所以|因为|由于|另外|还有|顺便(?:说|提)一?下?|告诉你(?:一个好消息|个事)?|跟你说(?:个事|一下)?|"
    r"说实话|老实说|请?(?:你)?(?:一定要)?(?:帮我)?(?:记住|记一下|记得|记下)(?:了|一下|哦)?|你要知道|提醒一下|好消息|坏消息|没想到|后来|于是|只是|虽然|尽管|毕竟|目前|现在|最近|如今|这几年|这段时间|从小|平时|平常|一直以来|"
    r"今天|昨天|前天|今年|去年|前年|明年|明天|后天|今晚|昨晚|(?:上|下|这)个?(?:周|月|星期|礼拜|学期)[一二三四五六日天末]?|本周[一二三四五六日末]?|周[一二三四五六日天末]|星期[一二三四五六日天]|\d{2,4}年(?:\d+月)?(?:\d+[日号])?|\d+月(?:\d+[日号])?(?:份)?|"
    r"[一二三四五六七八九十两几半\d]+个?(?:天|年|月|周|星期)(?:前|后|以前|之前|以后|之后)|从\d+年(?:起|开始)|年底|年初|月底|月初|刚刚|刚才|医生(?:说|告诉我|诊断)|比起[\u4e00-\u9fff]{1,6}?(?=我)|体检(?:发现|结果(?:显示|表明))|检查(?:发现|结果(?:显示|表明))|(?:我)?(?:觉得|感觉|想着|记得|怀疑)(?=我))[，,\s]*)+"
)
_HEDGE = re.compile(r"可能|也许|大概|好像|似乎|应该是|应该|说不定|估计|不确定|我觉得|我感觉|怀疑|或许|貌似")
_NAMED_NEXT = re.compile(rf"({either('relations', 'zh.pets')}|{either('relations', 'zh.kin')})[，,](?:名字|它|她|他)?(?=叫)")
_WHEN = re.compile(
    r"(?:大前天|前天|昨天|今天|明天|后天|大后天|今早|今晚|昨晚|明晚|今年|去年|前年|明年|(?:上|下|这|本)个?(?:周|月|星期|礼拜|学期)[一二三四五六日天末]?|"
    r"周[一二三四五六日天末]|星期[一二三四五六日天]|\d{2,4}年|[\d一二三四五六七八九十]{1,3}月份?|[\d一二三四五六七八九十]{1,3}[日号]|年初|年底|月初|月底|早上|上午|中午|下午|晚上|"
    r"[一二三四五六七八九十两几半\d]+个?(?:天|年|月|周|星期)(?:前|后|以前|之前|以后|之后)|刚刚?|最近|春天|夏天|秋天|冬天|春节|国庆节?|从|起|开始)+"
)
_PAST = re.compile(r"以前|之前|曾经|过去|原来|小时候|当年|那时|上学的时候|大学时|年轻时|本来|住过|做过|当过")
_NOT = re.compile(r"[没未无]|非(?!常)|(?<![特分区级性])别|不(?!小心|久|错)|从来")
_QUOTE_BY = re.compile(r"^(?:他|她|它|他们|她们|有人|别人|朋友|同事|老师|妈妈|爸爸|你|您|网上|书上|[\u4e00-\u9fff]{1,4}(?<!医生))(?:说|告诉|问|觉得|以为|认为|讲)")
_WHO = re.compile(rf"^{WHO}")
_RELATION = re.compile(rf"我(?:的|家|们家)?(?:大|小|二|三|最好的|好)?({either('relations', 'zh.kin')}|{either('relations', 'zh.others')})")
_OPENS = re.compile(r"我|叫我|你?可以叫我|大家|朋友们?|请|以后|之后|麻烦|希望|最好|尽量|用")
_TRIM = re.compile(r"(?:了|啦|啊|呀|哦|呢|吧|的|哈|嘛|哟)+$")
_CARRIES = re.compile(r"^(?:也|还|都|就|现在|目前|刚|又|一直|已经|左|右|脚|手腕|腿|在|住|是|当|做|有|养|对|喜欢|不|讨厌|爱|打算|计划|准备|决定|每天|平时|今年|患|得|搬|从|毕业|学|会|买|明|后|下|周|老家|来自|特别|非常|很|最|更|吃|被|去年|上个?月|上周|昨天)")


@dataclass(frozen=True, slots=True)
class _Clause:
    text: str
    hedged: bool
    past: bool


def find(sentences: Sequence[str], voice: Voice, at: datetime) -> Iterator[Claim]:
    """Claims of one turn, in order; see :func:`hmind.analysis.facts.find`."""
    for number, sentence in enumerate(sentences):
        following = sentences[number + 1] if number + 1 < len(sentences) else ""
        if _JOKE.search(sentence) or _JOKE.search(following) or len(sentence) > 1000:
            continue
        text = _QUOTED.sub(_unquoted, sentence).replace(" ", "")
        if _UNREAL.search(text):
            continue
        for clause in _clauses(text):
            yield from _claims(clause, sentence, number, voice, at)


def _unquoted(match: re.Match[str]) -> str:
    """Titles stay; what somebody said goes."""
    inner = match.group()[1:-1]
    return "" if re.search(r"[我你他她吗呢吧，。！？]|是|在", inner) or len(inner) > 16 else inner


def _clauses(text: str) -> Iterator[_Clause]:
    subject = ""
    asked = re.split(r"(?<=[，,])", text) if text.endswith(("?", "？")) else []
    if asked:
        text = "".join(asked[:-1])
    for part in _SPLIT.split(_NAMED_NEXT.sub(r"\1", text)):
        clause = part.strip()
        if not clause or _ASKS.search(clause):
            continue
        hedged = bool(_HEDGE.search(clause))
        lead = _LEAD.match(clause)
        when = lead.group() if lead else ""
        clause = clause[len(when) :] if lead else clause
        if _QUOTE_BY.match(clause) and not clause.startswith("我"):
            subject = ""
            continue
        found = _WHO.match(clause)
        if found:
            subject = found.group()
        elif re.match(r"[你您他她它这那谁]|大家|别人|有人|人家|咱", clause):
            subject = ""
        elif subject and (_CARRIES.match(clause) or when):
            clause = subject + clause
        past = bool(_PAST.search(when + clause))
        who = _WHO.match(clause)
        if who and when and _WHEN.search(when):
            yield _Clause(f"{who.group()}{re.sub('[，,]', '', when)}{clause[who.end() :]}", hedged, past)
        yield _Clause(clause, hedged, past)
        inner = _WHEN.match(clause, who.end()) if who else None
        if who and inner:
            yield _Clause(who.group() + clause[inner.end() :], hedged, past)


def _claims(clause: _Clause, sentence: str, number: int, voice: Voice, at: datetime) -> Iterator[Claim]:
    found = _WHO.match(clause.text)
    if found is None and not _OPENS.match(clause.text):
        return
    verb, skipped = "", ""
    if found is not None:
        adverbs = ADVERBS.match(clause.text, found.end())
        skipped = adverbs.group() if adverbs else ""
        verb = clause.text[found.end() + len(skipped) :]
    for rule in RULES:
        if rule.after_subject and found is None:
            continue
        text = verb if rule.after_subject else clause.text
        match = rule.pattern.match(text)
        if match is None:
            continue
        if not rule.negative and _NOT.search(match.group() if rule.value else text[: match.start("o")]):
            continue
        subject, share = _who(rule, found, voice)
        objects = _objects(rule.value or match["o"], rule)
        start, end = _validity(rule, clause, sentence, at)
        if rule.needs_future and start is None:
            continue
        confidence = rule.confidence * share
        if rule.over or (clause.past and rule.state):
            start, end = None, end or at
            confidence = confidence if rule.over else min(confidence, 0.65)
        if clause.hedged:
            confidence = min(confidence, 0.65)
        for item in objects:
            yield Claim(subject, rule.predicate, item, round(confidence, 3), number, start, end)
        if objects and rule.last:
            return


def _who(rule: Rule, found: re.Match[str] | None, voice: Voice) -> tuple[str, float]:
    if rule.own:
        return voice.subject, 1.0
    relation = _RELATION.match(found.group()) if found else None
    if relation is None:
        return voice.subject, 1.0
    return possessive(voice.subject, relation.group(1), "zh"), 0.83


def _objects(value: str, rule: Rule) -> list[str]:
    parts = re.split(r"[、和与跟及]|以及", value) if rule.many else [value]
    kept: list[str] = []
    for part in parts:
        part = _TRIM.sub("", part)
        if not part or len(part) > rule.longest:
            continue
        if rule.place and (part in words("facts", "zh.no_place") or re.match(r"[这那我你他她某]|一[个家楼]", part)):
            continue
        if rule.taste and (part in words("facts", "zh.no_taste") or re.match(r"[你您他她它这那]", part)):
            continue
        kept.append(part)
    return kept


def _validity(rule: Rule, clause: _Clause, sentence: str, at: datetime) -> tuple[datetime | None, datetime | None]:
    if not rule.dated and not rule.over and not clause.past:
        return None, None
    found = times.resolve(clause.text, at)
    if not found and (rule.starts or rule.over or not rule.state):
        found = times.resolve(sentence, at)
    named = [time for time in found if time.grain != "recent" and (not rule.plan or time.end > at)]
    if rule.over or clause.past:
        return None, (named[0].start if named and named[0].start <= at else at)
    if named:
        return named[0].start, None
    return (at if rule.starts else None), None
