"""Third person, absolute dates, names: what notes are made of."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hmind.analysis import dating, retell_en, retell_zh, trimming
from hmind.model import EntityType
from hmind.text import names
from hmind.text.times import ResolvedTime


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I went to my sister's flat.", "Ann went to their sister's flat."),
        ("I'm keen on chess and I've won twice.", "Ann is keen on chess and they've won twice."),
        ("I have two cats.", "Ann has two cats."),
        ("I love rye bread and bake it weekly.", "Ann loves rye bread and bakes it weekly."),
        ("My brother lent me his car.", "Ann's brother lent them his car."),
        ("Yesterday (7 May 2024) I ran ten miles.", "Yesterday (7 May 2024) Ann ran ten miles."),
        ("Well, I don't eat fish.", "Ann doesn't eat fish."),
        ("We went home.", "Ann and others went home."),
        ("Last week, we're told, it rained.", "Last week, Ann and others are told, it rained."),
        ("I froze when we got stuck in our lift.", "Ann froze when they got stuck in their lift."),
        ("When we met, I was young.", "When they met, Ann was young."),
        ("My wife and I sailed to Malta with our dog.", "Ann and their wife sailed to Malta with their dog."),
        ("They mended our roof.", "They mended Ann's roof."),
        ("It kept us busy.", "It kept Ann and others busy."),
        ('I loved "Paper Boats" as a child.', 'Ann loved "Paper Boats" as a child.'),
        ("Been painting the fence for my aunt.", "Ann has been painting the fence for their aunt."),
        ("So grateful for my team.", "Ann is grateful for their team."),
        ("Wish I had a bigger kiln.", "Ann wishes they had a bigger kiln."),
        ("Don't think I can come.", "Ann doesn't think they can come."),
        ("Can't wait to see my brother.", "Ann can't wait to see their brother."),
    ],
)
def test_english_in_the_third_person(said: str, told: str) -> None:
    assert retell_en.retell(said, "Ann") == told


@pytest.mark.parametrize(
    "said",
    [
        "I told you so.",
        "We'd rather stay.",
        "Let's go home.",
        '"I quit," he said.',
        "Rain again.",
        "I gloop the snark.",
    ],
)
def test_english_that_is_not_safe_to_retell(said: str) -> None:
    assert retell_en.retell(said, "Ann") is None


def test_chinese_in_the_third_person() -> None:
    assert retell_zh.retell("我妈妈送了我一条围巾。", "用户") == "用户的妈妈送了用户一条围巾。"
    assert retell_zh.retell("我会照你的办法腌萝卜。", "用户") == "用户会照对方的办法腌萝卜。"
    assert retell_zh.retell("你先别急。", "用户") is None
    assert retell_zh.retell("我们去了海边，我们都晒黑了。", "小叶") == "小叶他们去了海边，他们都晒黑了。"
    assert retell_zh.retell("我在读“远山”这本书。", "小叶") == "小叶在读“远山”这本书。"
    assert retell_zh.retell("他说“我不来”。", "小叶") is None
    assert retell_zh.retell("咱们去吧。", "小叶") is None


def _time(grain: str, start: datetime, end: datetime) -> ResolvedTime:
    return ResolvedTime(start, end, grain, "then", (0, 4), -1)


@pytest.mark.parametrize(
    ("grain", "start", "end", "english", "chinese"),
    [
        ("day", (2024, 5, 7), (2024, 5, 8), "7 May 2024", "2024年5月7日"),
        ("week", (2024, 4, 29), (2024, 5, 6), "29 April to 5 May 2024", "2024年4月29日至5月5日"),
        ("month", (2024, 4, 1), (2024, 5, 1), "April 2024", "2024年4月"),
        ("season", (2023, 6, 1), (2023, 9, 1), "June 2023 to August 2023", "2023年6月至2023年8月"),
        ("year", (2023, 1, 1), (2024, 1, 1), "2023", "2023年"),
    ],
)
def test_dates_in_words(
    grain: str, start: tuple[int, int, int], end: tuple[int, int, int], english: str, chinese: str
) -> None:
    time = _time(grain, datetime(*start, tzinfo=UTC), datetime(*end, tzinfo=UTC))
    assert dating.absolute(time, "en") == english
    assert dating.absolute(time, "zh") == chinese


def test_a_vague_time_and_one_with_its_year_stay_as_they_are() -> None:
    at = datetime(2024, 5, 8, tzinfo=UTC)
    assert dating.with_dates("then it rained", [_time("recent", at, at)], "en") == "then it rained"
    dated = ResolvedTime(at, at, "year", "in 2019", (0, 7), -1)
    assert dating.with_dates("in 2019 it rained", [dated], "en") == "in 2019 it rained"


def found(text: str, language: str) -> dict[str, EntityType]:
    return {named.name: named.type for named in names.find(text, language)}


def test_capitals_that_are_no_names() -> None:
    for text in ("Wow! Thanks.", "Yes, Monday works. I'm OK.", "Great! How about English?", "Painting is fun."):
        assert found(text, "en") == {}


def test_english_names_and_their_kinds() -> None:
    got = found("Dr Lee and my aunt Edith flew from Oslo to Hyde Park for the charity race.", "en")
    assert got["Dr Lee"] is EntityType.PERSON
    assert got["Edith"] is EntityType.PERSON
    assert got["Oslo"] is got["Hyde Park"] is EntityType.PLACE
    assert got["charity race"] is EntityType.HAPPENING
    assert found("Our dog Biscuit sleeps all day.", "en") == {"Biscuit": EntityType.OBJECT}


def test_chinese_names_and_their_kinds() -> None:
    got = found("我妈妈和张阿姨在成都的协和医院见了李医生，聊了《红楼梦》。", "zh")
    assert got["用户的妈妈"] is got["张阿姨"] is got["李医生"] is EntityType.PERSON
    assert got["成都"] is got["协和医院"] is EntityType.PLACE
    assert got["红楼梦"] is EntityType.OBJECT
    assert found("我过敏了，今天很高兴，小心点。", "zh") == {}
    assert found("我家的猫叫年糕。", "zh")["年糕"] is EntityType.OBJECT


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("A lot has happened since we last spoke - I sold the boat.", "I sold the boat."),
        ("Lots has changed - my aunt opened a museum.", "My aunt opened a museum."),
        ("On a different note, my aunt opened a museum.", "My aunt opened a museum."),
        ("You won't believe it, we saw a whale!", "We saw a whale!"),
        ("I wanted to let you know I sold the boat.", "I sold the boat."),
        ("Since our last chat I've moved twice.", "I've moved twice."),
        ("- I mended the fence.", "I mended the fence."),
    ],
)
def test_what_only_leads_to_it_is_left_out(said: str, kept: str) -> None:
    assert trimming.trim(said, "en") == kept


def test_a_day_with_an_ending_is_dated_behind_it_and_full_stops_are_not_doubled() -> None:
    start = datetime(2024, 5, 8, tzinfo=UTC)
    day = ResolvedTime(start, datetime(2024, 5, 9, tzinfo=UTC), "day", "Tomorrow", (0, 8), 1)
    assert dating.with_dates("Tomorrow's fair is cancelled", [day], "en") == "Tomorrow's (8 May 2024) fair is cancelled"
    assert trimming.trim("展览会的地点是河边的旧仓库。。", "zh") == "展览会的地点是河边的旧仓库。"


def test_a_request_behind_what_is_told_is_left_out_unless_it_asks_to_remember() -> None:
    assert trimming.trim("我下周要去泉州，请给我推荐几家茶馆。", "zh") == "我下周要去泉州。"
    assert trimming.trim("我下周要去泉州，请帮我记住。", "zh") == "我下周要去泉州，请帮我记住。"
