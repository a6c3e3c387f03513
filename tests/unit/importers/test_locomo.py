"""LoCoMo files: times, captions, ids, and the odd things that stand in such files."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from hmind.errors import BadTurn, ImportRefused
from hmind.importers.locomo import BETWEEN_TURNS, Locomo, session_time
from hmind.importers.message import Defaults
from hmind.intake.wire import turn_from
from hmind.model import Role, Turn
from hmind.settings import load

INTAKE = load({}).intake
AT = datetime(2026, 11, 28, tzinfo=UTC)
UTC_ZONE = ZoneInfo("UTC")


def sample(name: str = "talk-1", **more: Any) -> dict[str, Any]:
    conversation = {
        "speaker_a": "Ida",
        "speaker_b": "Bo",
        "session_1_date_time": "9:05 am on 3 March, 2024",
        "session_1": [
            {"speaker": "Ida", "dia_id": "D1:1", "text": "I bought a kayak."},
            {"speaker": "Bo", "dia_id": "D1:2", "text": "Show me!", "blip_caption": "a red kayak", "img_url": ["x"]},
        ],
        **more,
    }
    return {"sample_id": name, "qa": [], "conversation": conversation, "event_summary": {}}


def turns(content: Any, defaults: Defaults | None = None) -> list[Turn]:
    return [turn_from(m.delivery, INTAKE, AT) for m in Locomo(content, defaults or Defaults(), INTAKE, AT).messages()]


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        ("12:09 am on 13 September, 2023", datetime(2023, 9, 13, 0, 9, tzinfo=UTC)),
        ("12:00 pm on 1 January, 2024", datetime(2024, 1, 1, 12, 0, tzinfo=UTC)),
        ("9:05 AM on 3 Mar 2024", datetime(2024, 3, 3, 9, 5, tzinfo=UTC)),
        ("2024-03-03T09:05:00+01:00", datetime(2024, 3, 3, 8, 5, tzinfo=UTC)),
        ("2024-03-03", datetime(2024, 3, 3, tzinfo=UTC)),
        ("1:00 pm on 31 February, 2024", None),
        ("1:00 pm on 3 Thermidor, 2024", None),
        ("some day", None),
        ("", None),
        (None, None),
        (20240303, None),
    ],
)
def test_session_times(told: Any, expected: datetime | None) -> None:
    assert session_time(told, UTC_ZONE) == expected


def test_a_session_time_is_read_in_the_zone_that_was_named() -> None:
    assert session_time("8:00 am on 3 March, 2024", ZoneInfo("Asia/Shanghai")) == datetime(2024, 3, 3, tzinfo=UTC)
    assert turns(sample(), Defaults(timezone="Asia/Shanghai"))[0].occurred_at == datetime(2024, 3, 3, 1, 5, tzinfo=UTC)


def test_both_speakers_are_people_of_one_memory_and_photos_are_text() -> None:
    first, second = turns([sample()])
    assert {(t.user_id, t.session_id, t.role) for t in (first, second)} == {("talk-1", "session_1", Role.USER)}
    assert [(t.turn_id, t.speaker) for t in (first, second)] == [("D1:1", "Ida"), ("D1:2", "Bo")]
    assert second.content == "Show me! [photo: a red kayak]"
    assert first.occurred_at == datetime(2024, 3, 3, 9, 5, tzinfo=UTC)
    assert second.occurred_at - first.occurred_at == BETWEEN_TURNS == timedelta(seconds=20)


def test_odd_keys_are_passed_over() -> None:
    odd = {
        "session_2_date_time": "9:00 am on 4 March, 2024",
        "session_3": [],
        "session_4": None,
        "session_x": [{"speaker": "Ida", "text": "no"}],
        "session_5_summary": "…",
        "events_session_1": {},
    }
    assert [t.turn_id for t in turns(sample(**odd))] == ["D1:1", "D1:2"]


def test_sessions_come_in_order_of_their_numbers() -> None:
    def talk(n: int) -> dict[str, Any]:
        told = [{"speaker": "Ida", "dia_id": f"D{n}:1", "text": "x"}]
        return {f"session_{n}": told, f"session_{n}_date_time": f"9:00 am on {n} April, 2024"}

    read = turns(sample(**talk(10), **talk(2)))
    assert [t.session_id for t in read] == ["session_1", "session_1", "session_2", "session_10"]


def test_a_turn_that_is_none_and_a_session_without_time_become_dead_letters_alone() -> None:
    content = sample(
        session_2=[{"speaker": "Ida", "text": "when was this?"}],
        session_3=["just text", {"speaker": "Bo"}, {"speaker": "Bo", "text": 7}, {"speaker": "Bo", "text": "good"}],
        session_3_date_time="9:00 am on 5 March, 2024",
    )
    faults, good = [], []
    for message in Locomo(content, Defaults(), INTAKE, AT).messages():
        try:
            good.append(turn_from(message.delivery, INTAKE, AT).turn_id)
        except BadTurn as fault:
            faults.append((message.place, fault.field))
    assert good == ["D1:1", "D1:2", "D3:4"]
    assert faults == [
        ("session_2, turn 1", "occurred_at"),
        ("session_3, turn 1", "turn"),
        ("session_3, turn 2", "content"),
        ("session_3, turn 3", "content"),
    ]


def test_a_photo_without_words_is_what_was_said() -> None:
    told = [{"speaker": "Ida", "dia_id": "D1:1", "text": "", "blip_caption": "two otters"}]
    assert turns(sample(session_1=told))[0].content == "[photo: two otters]"


def test_samples_given_to_one_user_keep_their_sessions_apart() -> None:
    read = turns([sample("a"), sample("b")], Defaults(user_id="ida", tenant="acme"))
    assert {t.user_id for t in read} == {"ida"}
    assert [t.session_id for t in read] == ["a/session_1"] * 2 + ["b/session_1"] * 2
    assert len({(t.session_id, t.turn_id) for t in read}) == 4
    assert turns(sample("a"), Defaults(user_id="ida"))[0].session_id == "session_1"


def test_whose_memory_and_which_zone_must_be_known() -> None:
    unnamed = sample()
    del unnamed["sample_id"]
    with pytest.raises(ImportRefused, match="--user"):
        Locomo(unnamed, Defaults(), INTAKE, AT)
    assert turns(unnamed, Defaults(user_id="ida"))[0].user_id == "ida"
    with pytest.raises(ImportRefused, match="Asia/Shanghai"):
        Locomo(sample(), Defaults(timezone="Mars/Base"), INTAKE, AT)


def test_only_the_last_turn_of_a_session_closes_it() -> None:
    read = list(Locomo([sample("a"), sample("b")], Defaults(), INTAKE, AT).messages())
    assert [message.last for message in read] == [False, True, False, True]
    assert [message.place for message in read][:2] == ["session_1, turn 1", "session_1, turn 2"]
