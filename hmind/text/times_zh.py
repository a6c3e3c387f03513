"""What Chinese says about time: the words and what they mean. Putting them together is in times.py."""
# ruff: noqa: ARG001 - every rule has the same signature, whether it needs the moment or not

from __future__ import annotations

import re
from datetime import date, timedelta

from hmind.text import holidays, numbers
from hmind.text import times_calendar as calendar
from hmind.text import times_zh_words as words
from hmind.text.times_calendar import Stretch
from hmind.text.times_rules import Clock, Found, Moment, Reader, RuleBook
from hmind.text.times_zh_parts import PARTS

RULES = RuleBook()

# Words that only look like a time; these rules use them up.


@RULES.rule(
    r"""明天会更好|(?<=的)明天(?=[。！!，]|$)|聪明天真|[目以之眼]前天天?气?|(?:先天|[以然之最])后天天?|后天(?:性|培养|失调)|前天空
    |一天到晚|三天两头|当今天下|[至如]今年轻|每(?:逢|到|个)?\s?(?:周|星期|礼拜)[一二三四五六日天末]?|(?:每天|那天|当天|第[二三四五六七八九十]天|一[个天整]|整个?|[好几]个)的?(?:凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里|半夜)|每(?:年|个?月|天)
    |(?:周|星期|礼拜)[一二三四五六日]到(?:周|星期|礼拜)?[一二三四五六日天]|工作日
    |上[个]?月[球亮台饼]|[下这本]个?月[球亮台饼光]|十一[个点岁块]|六一[个二三四五六七八九十]|五一[个二三四五六七八九十]
    |[这那第几哪有同][\s]?[一二两三四五六七八九十几]?[点](?![钟半])|第?[一二三四五六七八九十\d]+点(?:建议|意见|原因|理由|要求|看法|想法|感受|问题|不同|说明|体会|共识)
    |春节联欢晚会|国庆(?:路|街)|圣诞(?:树|老人|卡|歌|帽)|中秋月|元宵(?=[很真好煮吃])|端午(?=粽)|刚刚好|不早不晚"""
)
def _no_time(match: re.Match[str], at: Moment) -> None:
    return None


# Days counted from today.

_DAY_OFFSETS = {"大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "大后": 3, "当": 0}


@RULES.rule(r"(?P<which>大前|前|昨|今|明|大后|后)(?:天|(?<=[昨今明])[日儿]个?)(?!天[天下]|[个年])")
def _near_day(match: re.Match[str], at: Moment) -> Stretch:
    return calendar.days(at.today + timedelta(days=_DAY_OFFSETS[match["which"]]))


@RULES.rule(r"(?P<which>前|昨|今|明|(?<!以)后)(?P<part>早晨?|晨|晚|夜)(?![已点])")
def _near_evening(match: re.Match[str], at: Moment) -> Found:
    day = calendar.days(at.today + timedelta(days=_DAY_OFFSETS[match["which"]]))
    return Found(day, part="evening" if match["part"] in "晚夜" else "morning")


@RULES.rule(r"刚才|(?<!一)方才|刚刚|就在刚刚")
def _just_now(match: re.Match[str], at: Moment) -> Stretch:
    return Stretch(at.now - timedelta(minutes=15), at.now, "minute")


# Counted and vague distances.


_AMOUNT = rf"""
    (?: (?P<few>好?几|数|若干|一两|两三|三四|三五|四五|五六|七八)(?P<few_unit>{words.UNIT})
      | (?P<half>半)(?P<half_unit>个?小时|个?钟头|个月|天|年)
      | (?P<count>{words.N})多?(?P<point>个半(?=小时|钟头|月|星期|礼拜))?(?P<unit>{words.UNIT})(?P<and_half>半)? )"""


@RULES.rule(rf"(?:大概|大约|差不多|快|约)?{_AMOUNT}(?:以前|之前|前(?![后面台方端往]))(?:的?(?P<same>今天|这个时候))?")
def _ago(match: re.Match[str], at: Moment) -> Stretch | None:
    if match["same"] and match["unit"] and words.unit(match["unit"]) in ("year", "month"):
        months = words.number(match["count"]) * (12 if words.unit(match["unit"]) == "year" else 1)
        return calendar.days(calendar.shift_months(at.today, -months))
    return _away(match, at, -1)


@RULES.rule(rf"(?:再?过|大概|大约|差不多|约)?{_AMOUNT}(?:以后|之后|后(?!来|[面台方天]))")
def _later(match: re.Match[str], at: Moment) -> Stretch | None:
    return _away(match, at, 1)


@RULES.rule(rf"(?:再|(?<![^，。！？,\s等要就得我你他她们怕能还]))过{_AMOUNT}(?!了)")
def _in_a_while(match: re.Match[str], at: Moment) -> Stretch | None:
    if match["count"] == "两" and match["unit"] == "天":
        return calendar.few_away(at.now, 1, "day")
    return _away(match, at, 1)


def _away(match: re.Match[str], at: Moment, sign: int) -> Stretch | None:
    if match["few"]:
        pair = numbers.chinese(match["few"][0]), numbers.chinese(match["few"][-1])
        least, most = (pair[0], pair[1]) if pair[0] and pair[1] else (2, 5)
        return calendar.few_away(at.now, sign, words.unit(match["few_unit"]), least, most)
    if match["half"]:
        return calendar.away(at.now, sign * 0.5, words.unit(match["half_unit"]))
    count = words.number(match["count"]) + (0.5 if match["point"] or match["and_half"] else 0)
    if count > 9999 or (match["unit"] == "年" and count > 1000):
        return None
    return calendar.away(at.now, sign * count, words.unit(match["unit"]))


@RULES.rule(
    rf"(?:在?过去的?|最近的?|近|这)(?:(?P<few>好?几)|(?P<count>{words.N}))(?P<unit>个?星期|个?礼拜|周|天|个?月|年)(?:以?来|里|内)?(?![前后了])"
)
def _last_few(match: re.Match[str], at: Moment) -> Stretch:
    count = 3 if match["few"] else words.number(match["count"])
    if match.group().startswith("这") and count == 2:
        count = 3
    return calendar.window(at.now, count, words.unit(match["unit"]))


@RULES.rule(
    r"(?<!在)(?<!以)前(?:几|些|两)(?P<unit>天|日|个?星期|周|个月|年)|(?:前一?阵子|前段时间|前段日子|前不久|不久前|前些时候)"
)
def _some_days_ago(match: re.Match[str], at: Moment) -> Stretch:
    if match["unit"]:
        return calendar.few_away(at.now, -1, words.unit(match["unit"]), least=1 if match["unit"] in ("天", "日") else 2)
    return calendar.window(at.now, 60, "day")


@RULES.rule(r"(?<!离)(?:最近(?!的|[一这]家)|近来|近期|近日|这阵子|这段时间|这段日子)")
def _recently(match: re.Match[str], at: Moment) -> Stretch | None:
    sentence, start = at.sentence(match)
    if re.search("[离距][^，,]{0,10}$", sentence[:start]):
        return None
    return calendar.window(at.now, 30, "day")


# Weeks and weekdays.

_WHICH = r"(?:上+|下+|这一?|本|当)"


@RULES.rule(
    rf"(?P<which>{_WHICH})个?(?:{words.WEEK}(?P<day>[一二三四五六日天])(?![天个次年月层楼块])|(?:{words.WEEK})(?P<end>末))"
)
def _weekday_of_week(match: re.Match[str], at: Moment) -> Stretch:
    if match["end"]:
        return calendar.weekend(at.today, words.offset(match["which"]))
    return calendar.days(calendar.weekday(at.today, words.WEEKDAYS[match["day"]], words.offset(match["which"])))


_RANGE = re.compile(rf"(?P<which>{_WHICH})个?{words.WEEK}[一二三四五六日天][到至和、跟或]$")


@RULES.rule(rf"(?P<which>{_WHICH})一?个?(?:星期|礼拜|周(?![边围到末年转期]))")
def _week(match: re.Match[str], at: Moment) -> Stretch:
    return calendar.week(at.today, words.offset(match["which"]))


@RULES.rule(
    rf"(?<!每)(?<!每个)(?<![一二三四五六七八九十两几\d半])(?<!个)(?:{words.WEEK}(?P<day>[一二三四五六日天])(?![天个次年月层楼块到至])|周末)"
)
def _bare_weekday(match: re.Match[str], at: Moment) -> Stretch | None:
    """This week's where the sentence has no tense; none where it tells of a habit."""
    sentence, start = at.sentence(match)
    if words.HABIT.search(sentence):
        return None
    if match["day"] and (first := _RANGE.search(sentence, 0, start)):
        return calendar.days(calendar.weekday(at.today, words.WEEKDAYS[match["day"]], words.offset(first["which"])))
    weeks, tense = (0, -1, 1), at.tense(match)
    if not match["day"]:
        choices = [calendar.weekend(at.today, n) for n in weeks]
    else:
        choices = [calendar.days(calendar.weekday(at.today, words.WEEKDAYS[match["day"]], n)) for n in weeks]
    return choices[0] if tense == 0 else calendar.nearest(choices, at.now, tense)


# Dates.


@RULES.rule(
    rf"""(?:(?P<year>{words.YEAR}|{words.NEAR_YEAR}|(?<!\d)\d\d年(?=\d))的?\s?)?(?P<month>{words.MONTH})\s?(?:份?的?(?P<part>{words.MONTH_PART})|份?(?P<day>{words.DAY}|(?:3[01]|[12]\d|0?[1-9])(?![\d个:：点]))|(?P<whole>份)?(?![球亮饼台光]))"""
)
def _date(match: re.Match[str], at: Moment) -> Stretch | None:
    number = words.number(match["month"])
    day = words.number(match["day"]) if match["day"] else None
    if match["year"]:
        year = words.of_year(match["year"], at)
        return _in_year(year + 2000 if year < 100 else year, number, day, match["part"])
    if words.HABIT.search(at.sentence(match)[0]):
        return None
    choices = []
    for year in range(at.today.year - 4, at.today.year + 5):
        try:
            choices.append(_in_year(year, number, day, match["part"]))
        except ValueError:  # 29 February
            continue
    return calendar.nearest(choices, at.now, at.tense(match)) if choices else None


def _in_year(year: int, number: int, day: int | None, part: str | None) -> Stretch:
    if day is not None:
        return calendar.days(date(year, number, day))
    return calendar.month_part(year, number, words.MONTH_PARTS[part]) if part else calendar.month(year, number)


@RULES.rule(rf"(?P<which>{_WHICH})个?月(?![球亮饼台光])(?:的?(?:(?P<day>{words.DAY})|(?P<part>{words.MONTH_PART})))?")
def _near_month(match: re.Match[str], at: Moment) -> Stretch:
    month = calendar.month(at.today.year, at.today.month + words.offset(match["which"])).start
    return _in_year(month.year, month.month, words.number(match["day"]) if match["day"] else None, match["part"])


@RULES.rule(r"(?<![个上下这本份几一二三四五六七八九十\d])月(?P<part>初|中旬|上旬|下旬|底|末)")
def _part_of_this_month(match: re.Match[str], at: Moment) -> Stretch | None:
    if words.HABIT.search(at.sentence(match)[0]):
        return None
    parts = [
        calendar.month_part(at.today.year, at.today.month + n, words.MONTH_PARTS[match["part"]]) for n in (0, -1, 1)
    ]
    tense = at.tense(match)
    return parts[0] if tense == 0 else calendar.nearest(parts, at.now, tense)


@RULES.rule(rf"(?<![\d月一二三四五六七八九十第男女])(?P<day>{words.DAY})(?<!日)")
def _bare_day(match: re.Match[str], at: Moment) -> Stretch | None:
    """5号: the nearest day of that number; none in a habit. Never 5日, which counts as often as it dates."""
    if words.HABIT.search(at.sentence(match)[0]):
        return None
    number, choices = words.number(match["day"]), []
    for offset in (0, -1, 1, -2, 2):
        month = calendar.month(at.today.year, at.today.month + offset)
        if number <= (month.end - month.start).days:
            choices.append(calendar.days(month.start.date() + timedelta(days=number - 1)))
    tense = at.tense(match)
    return choices[0] if tense == 0 else calendar.nearest(choices, at.now, tense)


# Years, seasons and holidays.


@RULES.rule(
    rf"""(?P<year>{words.YEAR}|{words.NEAR_YEAR})的?\s?(?:(?P<season>{words.SEASON})|(?P<part>{words.YEAR_PART})|(?P<holiday>{words.HOLIDAY})节?
    |(?P<same>(?:今天|这个时候|这时候|此时)))"""
)
def _part_of_year(match: re.Match[str], at: Moment) -> Stretch | None:
    year = words.of_year(match["year"], at)
    if match["season"]:
        return calendar.season(year, words.SEASONS[match["season"][0]])
    if match["holiday"]:
        return holidays.holiday(match["holiday"], year)
    if match["same"]:
        return calendar.days(calendar.shift_months(at.today, 12 * (year - at.today.year)))
    part = match["part"] if match["part"].endswith("半年") else match["part"][-1]
    return calendar.year_part(year, words.YEAR_PARTS[part])


@RULES.rule(rf"(?P<year>{words.YEAR}|{words.NEAR_YEAR})(?![代级])")
def _year(match: re.Match[str], at: Moment) -> Stretch | None:
    if match["year"] in ("当年", "次年"):
        return None
    return calendar.year(words.of_year(match["year"], at))


@RULES.rule(r"(?<![今去明一每常半\d一二两三四五六七八九十])年(?P<part>底|末|初)(?!班)|(?P<half>上半年|下半年)")
def _part_of_this_year(match: re.Match[str], at: Moment) -> Stretch | None:
    if words.HABIT.search(at.sentence(match)[0]):
        return None
    part = words.YEAR_PARTS[match["part"] or match["half"]]
    parts = [calendar.year_part(at.today.year + n, part) for n in (0, -1, 1)]
    tense = at.tense(match)
    return parts[0] if tense == 0 else calendar.nearest(parts, at.now, tense)


@RULES.rule(
    rf"(?P<which>上个|下个|这个)?(?:(?P<holiday>{words.HOLIDAY})(?:节|长假|假期|期间|(?<=[^十一三六])(?!节))|(?:(?P<bare>十一|五一|六一)(?=[去回放我他她你到在出全和跟期假的]|$)))"
)
def _near_holiday(match: re.Match[str], at: Moment) -> Stretch | None:
    if words.HABIT.search(at.sentence(match)[0]):
        return None
    around = (holidays.holiday(match["holiday"] or match["bare"], at.today.year + n) for n in (0, -1, 1))
    choices = [one for one in around if one is not None]
    tense = words.offset(match["which"]) if match["which"] else at.tense(match)
    return calendar.nearest(choices, at.now, tense) if choices else None


# Times of day.


@RULES.rule(
    rf"""(?:(?P<part>{words.PART})的?\s?)?(?P<hour>2[0-4]|1\d|0?\d|二十[一二三四]?|十[一二三四五六七八九]?|[零一二两三四五六七八九])
    (?:[:：](?P<digits>[0-5]\d)(?!\d)|\s?点(?:(?P<half>半)|(?P<quarter>[一三]刻)|(?P<minute>[0-5]?\d|[一二三四五]?十[一二三四五六七八九]?|零[一二三四五六七八九])分?(?!\d|[个天年])|(?P<sharp>钟|整)|(?![半\d点儿钟])))(?:左右|多)?"""
)
def _clock(match: re.Match[str], at: Moment) -> Found | None:
    """三点 alone may count points, so one alone needs more: 钟, 半, minutes, or a part of the day."""
    said = match["part"] or match["half"] or match["quarter"] or match["minute"] or match["sharp"] or match["digits"]
    if not said and match["hour"] in ("零", "0", "00"):
        return Found(clock=Clock(0), alone=False)
    if not said and match["hour"] in ("一", "1"):
        return None
    minute = int(match["digits"]) if match["digits"] else None
    if match["half"]:
        minute = 30
    elif match["quarter"]:
        minute = 15 if match["quarter"][0] == "一" else 45
    elif match["minute"]:
        minute = words.number(match["minute"].lstrip("零") or "零")
    part = words.PARTS[match["part"]] if match["part"] else None
    alone = not words.HABIT.search(at.sentence(match)[0])
    return Found(part=part, clock=Clock(words.number(match["hour"]), minute), alone=alone)


@RULES.rule(rf"(?P<part>{words.PART})(?!好|安)")
def _part_of_day(match: re.Match[str], at: Moment) -> Found | None:
    alone = not words.HABIT.search(at.sentence(match)[0])
    return Found(part=words.PARTS[match["part"]], alone=alone)


READER = Reader(PARTS + RULES, words.tense, re.NOFLAG)
