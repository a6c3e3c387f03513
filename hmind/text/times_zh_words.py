"""The vocabulary of time in Chinese, as pieces of patterns, and what each word means."""

from __future__ import annotations

import re

from hmind.text import holidays, numbers
from hmind.text.times_rules import Moment

_FUTURE = re.compile(
    r"(?<![重主需不只])要(?!求|点|素|是|么|不)|打算|准备|计划|(?<!必)将(?!军|就)|想去|想要|约好?了?(?:去|一起|在)|即将|快要|"
    r"(?<![开聚机社宴晚约集都误领体理音不唱动舞览谈班年话学协工教例长])会(?!议|员|场|计|面|所|儿)|得去|提醒|安排在|记得|别忘|到时候|见面?$|吧$|"
    r"(?:订|预约|预定|报名|报|约|安排)[了到好]*[^，。]{0,12}[日号]的|(?:买|抢)[了到好]*[^，。]{0,12}[日号]的[^，。]{0,6}票"
)
_PAST = re.compile(
    r"(?<![为除不受])了(?!解|不起|断)|(?<![通超难经错路])过(?!年|来|程|敏|期|节|会|几|两|生日|瘾|分)|当时|曾|刚|已经|之前|没有?[去来见做吃]"
)
HABIT = re.compile(r"每[个到逢]?[天日周月年早晚星礼]|每个|经常|总是|常常|通常|平时|一般都?|习惯|天天|从来")


def tense(sentence: str) -> int:
    """-1, 0 or 1, by the words that mark aspect: 要 打算 会 before 了 过."""
    return 1 if _FUTURE.search(sentence) else -1 if _PAST.search(sentence) else 0


N = r"(?:\d+|[零〇一二两三四五六七八九十百千]+)"
UNIT = r"(?:分钟|个?小时|个?钟头|天|日|个?星期|个?礼拜|周|个?月|年)"
YEAR = r"(?:(?:19|20)\d\d|(?:一九|二[零〇])[零〇一二三四五六七八九]{2})\s?年"
NEAR_YEAR = r"(?:大前年|大后年|去年|(?<!如)今年|明年|(?<![以之])前年|(?<![以然之最今])后年|当年|次年)(?![轻纪龄代])"
YEAR_OFFSETS = {"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2, "大后年": 3}
MONTH = r"(?:1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])\s?月"
DAY_NUMBER = r"(?:3[01]|[12]\d|0?[1-9]|三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九])"
DAY = rf"{DAY_NUMBER}\s?[日号](?![线楼店房门机位车厅桌院仓坑球选])"
SEASON = r"(?:春|夏|秋|冬)(?:天|季|日|(?=[，。,\s]|$))"
SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
MONTH_PART = r"(?:初|中旬|中(?![国学文午间医])|上旬|下旬|底|末)"
MONTH_PARTS = {"初": "begin", "上旬": "early", "中": "mid", "中旬": "mid", "下旬": "late", "底": "end", "末": "end"}
YEAR_PART = r"(?:年?初|年?中(?![国学文午间医秋旬])|年?[底末]|上半年|下半年)"
YEAR_PARTS = {"上半年": "first_half", "下半年": "second_half", "初": "begin", "中": "middle", "底": "end", "末": "end"}
WEEK = r"(?:周|星期|礼拜)"
WEEKDAYS = {letter: place for place, letter in enumerate("一二三四五六日")} | {"天": 6}
HOLIDAY = "|".join(sorted((one for one in holidays.NAMES if not one.isascii()), key=len, reverse=True))
PART = r"(?:凌晨|清晨|清早|一大早|大清早|早上|早晨|上午|中午|下午|午后|傍晚|晚上|晚间|夜里|夜晚|半夜|深夜|午夜)"
PARTS = {"凌晨": "dawn", "中午": "midday", "下午": "afternoon", "午后": "afternoon"}
PARTS |= dict.fromkeys(("清晨", "清早", "一大早", "大清早", "早上", "早晨", "上午"), "morning")
PARTS |= dict.fromkeys(("傍晚", "晚上", "晚间", "夜里", "夜晚"), "evening") | dict.fromkeys(
    ("半夜", "深夜", "午夜"), "late"
)


def number(text: str) -> int:
    """The value of a number, with or without its 年 月 日 号. Raises ValueError for what is none."""
    value = numbers.chinese(text.strip().rstrip("年月日号").strip())
    if value is None:
        raise ValueError("no number")
    return value


def unit(text: str) -> str:
    """The unit by the name that the calendar knows."""
    for letter, name in (("分", "minute"), ("时", "hour"), ("钟头", "hour"), ("月", "month"), ("年", "year")):
        if letter in text:
            return name
    return "day" if text in ("天", "日") else "week"


def offset(text: str) -> int:
    """上 is -1, 上上 -2, 这 and 本 are 0, 下 is 1."""
    return text.count("下") - text.count("上")


def of_year(text: str, at: Moment) -> int:
    """The year that 去年 or 2023年 means."""
    text = text.strip()
    return at.today.year + YEAR_OFFSETS[text] if text in YEAR_OFFSETS else number(text)
