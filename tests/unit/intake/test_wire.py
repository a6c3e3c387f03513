"""The wire format: whatever comes in is a turn or a named fault, and the turn is clean."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hmind import settings as settings_module
from hmind.errors import BadTurn
from hmind.intake.wire import MAX_ID_CHARS, Delivery, turn_from
from hmind.model import Role, Turn

INTAKE = settings_module.load({}).intake
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)

FIELDS = ("user_id", "session_id", "tenant", "turn_id", "role", "speaker", "content", "occurred_at", "timezone", "more")
ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.text(alphabet=st.characters(codec="utf-16")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
TIMES = st.sampled_from(
    [
        "2026-11-30T10:00:00Z",
        "2026-11-30",
        "20261130T100000+0800",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-12:00",
        "1796000000",
        1796000000.5,
        1796000000123,
        -1e300,
        1e400,
        10**400,
        "",
    ]
)


def outcome(payload: object) -> Turn | BadTurn:
    try:
        return turn_from(Delivery(payload, "1-0", NOW), INTAKE, NOW)
    except BadTurn as fault:
        return fault


@settings(max_examples=300)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            **dict.fromkeys(FIELDS, ANYTHING),
            "occurred_at": TIMES | ANYTHING,
            "timezone": st.sampled_from(["Asia/Shanghai", "../etc/passwd", "\0", "x" * 5000]) | ANYTHING,
            "content": st.text() | ANYTHING,
            "user_id": st.text() | ANYTHING,
        },
    )
)
@example({"user_id": "u", "content": "\ud800 half", "occurred_at": float("nan")})
def test_any_object_is_a_clean_turn_or_a_named_fault(message: dict) -> None:
    turn = outcome(message)
    if isinstance(turn, BadTurn):
        assert turn.field in (*FIELDS, "turn")
        return
    for text in (turn.tenant, turn.user_id, turn.session_id, turn.turn_id, turn.speaker, turn.content):
        assert text
        assert "\0" not in text
        text.encode()
    assert max(len(turn.user_id), len(turn.session_id), len(turn.turn_id), len(turn.speaker)) <= MAX_ID_CHARS
    assert turn.occurred_at.tzinfo is UTC
    assert turn.received_at == NOW


@settings(max_examples=300)
@given(st.binary() | st.text() | ANYTHING.map(lambda value: json.dumps(value)))
@example("[" * 100_000)
@example(b'{"user_id": "u", "content": "\xff\xfe"}')
def test_any_payload_is_a_turn_or_a_named_fault(payload: bytes | str) -> None:
    Delivery(payload, "1-0", NOW).text.encode()
    found = outcome(payload)
    assert isinstance(found, Turn) or found.reason


@pytest.mark.parametrize(
    ("told", "meant"),
    [
        ("2026-11-30T08:30:00+08:00", datetime(2026, 11, 30, 0, 30, tzinfo=UTC)),
        ("2026-11-30T08:30:00Z", datetime(2026, 11, 30, 8, 30, tzinfo=UTC)),
        ("2026-11-30 08:30", datetime(2026, 11, 30, 8, 30, tzinfo=UTC)),
        (1796000000, datetime(2026, 11, 30, 0, 53, 20, tzinfo=UTC)),
        (1796000000000, datetime(2026, 11, 30, 0, 53, 20, tzinfo=UTC)),
        ("1796000000.5", datetime(2026, 11, 30, 0, 53, 20, 500000, tzinfo=UTC)),
    ],
)
def test_times(told: object, meant: datetime) -> None:
    message = {"user_id": "u", "content": "x", "occurred_at": told}
    assert turn_from(Delivery(message, "1-0", NOW), INTAKE, NOW).occurred_at == meant


@pytest.mark.parametrize(("name", "role"), [("human", Role.USER), ("AI", Role.ASSISTANT), ("developer", Role.SYSTEM)])
def test_other_names_of_roles(name: str, role: Role) -> None:
    assert turn_from(Delivery({"user_id": "u", "content": "x", "role": name}, "1", NOW), INTAKE, NOW).role is role


def test_numbers_are_taken_as_names_and_the_speaker_defaults_to_the_role() -> None:
    turn = turn_from(Delivery({"user_id": 42, "content": "x"}, "1", NOW), INTAKE, NOW)
    assert (turn.user_id, turn.session_id, turn.tenant, turn.speaker) == ("42", "main", "default", "user")


@pytest.mark.parametrize("occurred_at", [None, "2026-11-30T08:30:00Z", "2026-11-30T08:30:00"])
def test_a_zone_that_does_not_exist_is_told_whether_or_not_it_is_needed(occurred_at: str | None) -> None:
    fault = outcome({"user_id": "u", "content": "x", "occurred_at": occurred_at, "timezone": "Mars/Base"})
    assert isinstance(fault, BadTurn)
    assert fault.field == "timezone"
