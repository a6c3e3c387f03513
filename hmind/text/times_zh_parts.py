"""Chinese for parts of longer times: 六月第一周, 第三季度, 九十年代, 两年前的五月."""

from __future__ import annotations

import re
from datetime import timedelta

from hmind.text import times_calendar as calendar
from hmind.text import times_zh_words as words
from hmind.text.times_calendar import Stretch
from hmind.text.times_rules import Moment, RuleBook

PARTS = RuleBook()

_NTH = {"第一": 1, "第二": 2, "第三": 3, "第四": 4, "头一": 1, "首": 1, "最后一": -1, "最后": -1}
_QUARTERS = {letter: number for letters in ("一二三四", "1234") for number, letter in enumerate(letters, 1)} | {"首": 1}


@PARTS.rule(
    rf"""(?:(?P<year>{words.YEAR}|{words.NEAR_YEAR})的?)?(?:(?P<month>{words.MONTH})份?|(?P<near>[上下这本]+)个?月)的?
    (?P<nth>{"|".join(sorted(_NTH, key=len, reverse=True))})
    个?(?:周(?P<end>末)|{words.WEEK}(?P<day>[一二三四五六日天])?(?![天个次年]))"""
)
def _nth_of_month(match: re.Match[str], at: Moment) -> Stretch:
    nth = _NTH[match["nth"]]
    weekday = -1 if match["end"] else words.WEEKDAYS[match["day"]] if match["day"] else None
    if match["near"]:
        first = calendar.month(at.today.year, at.today.month + words.offset(match["near"])).start
        return calendar.nth_of_month(first.year, first.month, nth, weekday)
    number = words.number(match["month"])
    if match["year"]:
        return calendar.nth_of_month(words.of_year(match["year"], at), number, nth, weekday)
    around = [calendar.nth_of_month(at.today.year + n, number, nth, weekday) for n in (-1, 0, 1)]
    return calendar.nearest(around, at.now, at.tense(match))


@PARTS.rule(
    rf"""(?P<which>[上下]+一?个?|[这本]个?)季度(?!末)|(?:(?P<year>{words.YEAR}|{words.NEAR_YEAR})的?)?(?:第(?P<nth>[一二三四1-4])|(?P<first>首)个?|[Qq](?P<digit>[1-4])|(?P<bare>[一二三四]))(?:个?季度|(?<=[Qq][1-4]))"""
)
def _quarter(match: re.Match[str], at: Moment) -> Stretch:
    if match["which"]:
        current = (at.today.month - 1) // 3 + 1
        return calendar.quarter(at.today.year, current + words.offset(match["which"]))
    number = _QUARTERS[match["nth"] or match["first"] or match["digit"] or match["bare"]]
    if match["year"]:
        return calendar.quarter(words.of_year(match["year"], at), number)
    around = [calendar.quarter(at.today.year + n, number) for n in (-1, 0, 1)]
    tense = at.tense(match)
    return around[1] if tense == 0 else calendar.nearest(around, at.now, tense)


@PARTS.rule(
    r"(?P<century>上个?世纪|(?:二十|20)世纪|(?:二十一|21)世纪)?的?(?P<tens>[二三四五六七八九]十|[2-9]0|[一二三四五六七八九]零)年代(?P<part>初|末|中期|后期|初期)?"
)
def _decade(match: re.Match[str], at: Moment) -> Stretch:
    """九十年代 is the last one that has begun."""
    word = match["tens"].replace("零", "十")
    tens = words.number(word)
    century = match["century"]
    if century:
        first = (2000 if "一" in century or "21" in century else 1900) + tens
    else:
        first = at.today.year // 100 * 100 + tens
        first -= 100 if first > at.today.year else 0
    parts = {"初": (0, 4), "初期": (0, 4), "中期": (4, 3), "末": (7, 3), "后期": (7, 3)}
    start, length = parts.get(match["part"] or "", (0, 10))
    return calendar.years(first + start, length)


@PARTS.rule(
    rf"(?P<count>{words.N})年(?:以|之)?前的?(?:(?P<month>{words.MONTH})份?(?P<day>{words.DAY})?|(?P<season>{words.SEASON}))"
)
def _years_ago_in(match: re.Match[str], at: Moment) -> Stretch:
    year = at.today.year - words.number(match["count"])
    if match["season"]:
        return calendar.season(year, words.SEASONS[match["season"][0]])
    month = calendar.month(year, words.number(match["month"]))
    if not match["day"]:
        return month
    return calendar.days(month.start.date() + timedelta(days=words.number(match["day"]) - 1))
