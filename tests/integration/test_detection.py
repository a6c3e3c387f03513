"""Detection on real stores: every trigger by a moved clock, and what must hold however turns and workers come."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from support.chat import NOW, Chat, MovedClock

from hmind.bootstrap import Hmind
from hmind.boundary import windows
from hmind.embedding.embedder import Embedder, Vectors
from hmind.errors import EmbeddingUnavailable
from hmind.model import Boundary, SessionRef
from hmind.settings import Settings
from hmind.shortterm import keys

SILENCE_S = 300
SETTLE_S = 900
SECOND = timedelta(seconds=1)

BREAD = (
    "Ana: I want to bake sourdough bread this weekend.",
    "Agent: Which flour do you use for the dough?",
    "Ana: Rye and wheat flour, with a starter that is three years old.",
    "Agent: Then let the dough rest for a night before baking.",
)
RENT = (
    "Ana: The landlord wants to raise the rent of our flat.",
    "Agent: Is the rent contract limited to a year?",
    "Ana: It runs until June, then the landlord may raise it.",
    "Agent: Then talk to the tenants' association about the contract.",
)
GOODBYE = ("Ana: Thank you for everything, goodbye!", "Agent: Take care, bye!")


class Watched:
    """The embedder that the detector asks, with something that happens while it is asked, once."""

    def __init__(self, inner: Embedder) -> None:
        self.name, self.dim = inner.name, inner.dim
        self.topic_shift_below, self.unrelated_cos = inner.topic_shift_below, inner.unrelated_cos
        self.inner = inner
        self.meanwhile: list[Callable[[], object]] = []

    def passages(self, texts: Sequence[str]) -> Vectors:
        if self.meanwhile:
            self.meanwhile.pop(0)()
        return self.inner.passages(texts)

    questions = passages


@pytest.fixture(scope="module")
def app(module_settings: Settings, clock: MovedClock) -> Iterator[Hmind]:
    made = Hmind(module_settings, clock=clock)
    made.__dict__["boundary_embedder"] = Watched(made.boundary_embedder)
    yield made
    made.close()


@pytest.fixture(scope="module")
def watched(app: Hmind) -> Watched:
    return app.boundary_embedder


@pytest.fixture
def chat(app: Hmind, watched: Watched, clock: MovedClock, request: pytest.FixtureRequest) -> Chat:
    """A session of a user of this test's own."""
    clock.now = NOW
    watched.meanwhile.clear()
    return Chat(app, clock, request.node.name)


# Why a window closes


def test_a_silence_within_the_window_is_measured_by_the_speakers_clock(chat: Chat) -> None:
    chat.send([(NOW - timedelta(days=900), BREAD[0]), (NOW - timedelta(days=900) + 300 * SECOND, BREAD[1])])
    assert len(chat.detect()) == 1
    [closed] = chat.segments()
    assert (closed.boundary, closed.turns) == ("silence", ("t1",))
    assert (closed.measured, closed.threshold) == (300.0, 300.0)
    assert chat.fates() == {"t1": "segmented", "t2": "waiting"}


def test_a_second_less_is_no_silence(chat: Chat) -> None:
    chat.send([(NOW - 299 * SECOND, BREAD[0]), (NOW, BREAD[1])])
    assert chat.detect() == []
    assert chat.window("due_at") == NOW + SILENCE_S * SECOND


def test_an_idle_session_is_over_when_both_clocks_say_so(chat: Chat, clock: MovedClock) -> None:
    chat.say(*BREAD[:2], at=NOW - timedelta(days=9))
    clock.forward(SILENCE_S - 1)
    assert chat.detect() == [], "said long ago, and sent just now"
    clock.forward(1)
    chat.detect()
    [closed] = chat.segments()
    assert (closed.boundary, closed.turns, closed.threshold) == ("silence", ("t1", "t2"), 300.0)
    assert closed.measured == timedelta(days=9).total_seconds() - 20 + SILENCE_S
    assert chat.window("due_at") is None


def test_a_session_whose_turns_were_dated_ahead_is_not_idle(chat: Chat, clock: MovedClock) -> None:
    chat.say(*BREAD[:2], at=NOW + timedelta(hours=1))
    clock.forward(SILENCE_S)
    assert chat.detect() == []
    clock.forward(3600 + 20)
    assert len(chat.detect()) == 1


def test_a_farewell_takes_its_answer_along(chat: Chat) -> None:
    chat.say(*BREAD[:3], GOODBYE[0])
    assert chat.detect() == [], "its answer may follow"
    chat.say(GOODBYE[1])
    assert chat.detect() == [], "and the answer's answer"
    chat.say(RENT[0])
    chat.detect()
    [closed] = chat.segments()
    assert (closed.boundary, closed.turns) == ("closing_phrase", ("t1", "t2", "t3", "t4", "t5"))
    assert (closed.measured, closed.threshold) == (None, None)
    assert chat.waiting() == ["t6"]


def test_another_topic_is_found_once_what_follows_is_there(chat: Chat) -> None:
    chat.say(*BREAD)
    chat.say(*RENT[:2])
    assert chat.detect() == [], "two turns behind the gap are not enough to be certain"
    chat.say(*RENT[2:])
    chat.detect()
    [closed] = chat.segments()
    assert (closed.boundary, closed.turns) == ("topic_shift", ("t1", "t2", "t3", "t4"))
    assert closed.threshold == pytest.approx(0.5), "judged by the coherence model"
    assert 0 <= closed.measured < 0.2


def test_no_segment_is_longer_than_ten_rounds(chat: Chat) -> None:
    chat.say(*[f"{'Ana' if n % 2 else 'Agent'}: The bread dough rests for {n} hours." for n in range(1, 24)])
    chat.detect()
    [closed] = chat.segments()
    assert (closed.boundary, closed.measured, closed.threshold) == ("max_rounds", 11.0, 10.0)
    assert chat.rows("SELECT rounds BETWEEN 3 AND 10 FROM segments WHERE user_id = :user_id") == [(True,)]


def test_the_daily_sweep_closes_what_is_open_and_says_that_it_did(chat: Chat) -> None:
    chat.say(*BREAD)
    chat.detect(because=Boundary.DAILY)
    [closed] = chat.segments()
    assert (closed.boundary, len(closed.turns), closed.measured, closed.threshold) == ("daily", 4, None, None)
    assert chat.window("due_at") is None
    assert chat.detect(because=Boundary.DAILY) == []


def test_a_flush_closes_what_was_before_it_and_nothing_after(chat: Chat) -> None:
    chat.say(*BREAD[:2])
    chat.flush()
    chat.say(*BREAD[2:])
    chat.detect()
    [closed] = chat.segments()
    assert (closed.boundary, closed.turns, closed.measured, closed.threshold) == ("flush", ("t1", "t2"), None, None)
    assert chat.waiting() == ["t3", "t4"]
    assert (chat.window("flush_seq"), chat.window("due_at")) == (None, chat.clock.now + SILENCE_S * SECOND)


def test_a_flush_is_heeded_when_a_turn_after_it_is_dated_before_it(chat: Chat) -> None:
    chat.say(*BREAD[:2], hold=True)
    chat.flush()
    chat.say(BREAD[2], at=NOW - 30 * SECOND, hold=True)
    chat.detect()
    assert chat.ends() == [("flush", "t1", "t2")]
    assert chat.waiting() == ["t3"]


def test_a_short_segment_is_given_the_turns_before_it(chat: Chat) -> None:
    chat.say(*BREAD, *BREAD, apart_s=20)
    chat.flush()
    chat.detect()
    chat.clock.forward(SILENCE_S)
    chat.say(*RENT[:2])
    chat.flush()
    chat.detect()
    [long, short] = chat.segments()
    assert (long.turns[0], long.context) == ("t1", ())
    assert short.context == ("t3", "t4", "t5", "t6", "t7", "t8")


def test_the_context_is_never_of_another_session_nor_of_what_came_later(chat: Chat) -> None:
    other = Chat(chat.app, chat.clock, chat.user_id, "other")
    other.say(*BREAD, at=NOW - 600 * SECOND)
    chat.say(BREAD[0], at=NOW - 60 * SECOND)
    chat.say(BREAD[2], at=NOW)
    chat.flush()
    chat.detect()
    chat.say(RENT[0], at=NOW - 30 * SECOND)
    chat.flush()
    chat.detect()
    assert [(seen.turns, seen.context) for seen in chat.segments()] == [(("t1", "t2"), ()), (("t3",), ("t1",))]


def test_a_late_turn_gets_a_segment_of_its_own(chat: Chat) -> None:
    chat.say(*BREAD)
    chat.flush()
    chat.detect()
    chat.say(RENT[0], at=NOW - timedelta(hours=2))
    assert chat.detect() == []
    chat.clock.forward(SILENCE_S)
    assert len(chat.detect()) == 1
    assert chat.ends() == [("silence", "t5", "t5"), ("flush", "t1", "t4")]


# Imports


def test_an_import_waits_for_its_flush(chat: Chat, clock: MovedClock) -> None:
    for lines in (BREAD, GOODBYE):
        chat.say(*lines, hold=True)
    clock.forward(SETTLE_S - 1)
    assert chat.session not in windows.take_due(chat.app.engine, clock.now, 1000)
    chat.flush()
    assert chat.session in windows.take_due(chat.app.engine, clock.now, 1000)
    chat.detect()
    assert chat.ends() == [("closing_phrase", "t1", "t6")]
    assert chat.window("held") is False
    assert chat.rows("SELECT backfill FROM segments WHERE user_id = :user_id") == [(True,)]


def test_an_import_that_died_is_closed_after_a_while(chat: Chat, clock: MovedClock) -> None:
    chat.say(*BREAD[:2], at=NOW - timedelta(days=400), hold=True)
    clock.forward(SETTLE_S - 1)
    assert chat.detect() == []
    assert chat.waiting() == ["t1", "t2"]
    clock.forward(SETTLE_S)
    assert chat.session in windows.take_due(chat.app.engine, clock.now, 1000)
    assert len(chat.detect()) == 1
    assert chat.ends() == [("silence", "t1", "t2")]


def test_the_daily_sweep_leaves_an_import_alone(chat: Chat, clock: MovedClock) -> None:
    live = Chat(chat.app, clock, chat.user_id, "live")
    young = Chat(chat.app, clock, chat.user_id, "young")
    done = Chat(chat.app, clock, chat.user_id, "done")
    chat.say(*BREAD[:2], at=NOW, hold=True)
    live.say(*BREAD[:2], at=NOW)
    done.say(*BREAD[:2], at=NOW)
    done.detect(because=Boundary.DAILY)
    clock.forward(3600)
    young.say(BREAD[0])
    found = windows.open_since(chat.app.engine, clock.now - SILENCE_S * SECOND)
    assert [session.session_id for session in found if session.user_id == chat.user_id] == ["live"]


# However they come

LONG_TALK = [
    (timedelta(seconds=20 * place + (700 if place >= 22 else 0)), line)
    for place, line in enumerate(
        [
            *BREAD,
            *RENT,
            *GOODBYE,
            "Ana: 我想给妈妈买一份生日礼物。",
            "Agent: 她喜欢什么样的礼物？",
            "Ana: 她喜欢养花，也喜欢喝茶。",
            "Agent: 那就送她一盆兰花吧。",
            *[f"{'Ana' if n % 2 == 0 else 'Agent'}: The bread dough rests for {n} hours." for n in range(36)],
            "Ana: Ok.",
        ]
    )
]
_users = itertools.count()


def test_the_long_talk_has_every_kind_of_boundary(app: Hmind, clock: MovedClock, chat: Chat) -> None:
    whole = segments_of(app, clock, [len(LONG_TALK)])
    kinds = {boundary for boundary, *_ in whole}
    assert kinds == {"silence", "closing_phrase", "topic_shift", "max_rounds", "flush"}
    assert sum(len(turns) for _, turns, *_ in whole) == len(LONG_TALK)


@hypothesis_settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(portions=st.lists(st.integers(1, 12), min_size=1, max_size=20))
def test_turns_that_trickle_in_give_the_same_segments(app: Hmind, clock: MovedClock, portions: list[int]) -> None:
    assert segments_of(app, clock, portions) == segments_of(app, clock, [len(LONG_TALK)])


def segments_of(app: Hmind, clock: MovedClock, portions: list[int]) -> list[tuple]:
    """The talk in portions with a look after each, then a flush: reason, turns, values and context of each segment."""
    clock.now = NOW
    chat = Chat(app, clock, f"trickle-{next(_users)}")
    rest = [(NOW + after, line) for after, line in LONG_TALK]
    for portion in [*portions, len(rest)]:
        part, rest = rest[:portion], rest[portion:]
        if part:
            clock.now = part[-1][0]
            chat.send(part)
            chat.detect()
    chat.flush()
    chat.detect()
    assert chat.waiting() == []
    return [(s.boundary, s.turns, s.measured, s.threshold, s.context) for s in chat.segments()]


def test_a_session_of_thousands_of_turns_drains(chat: Chat, clock: MovedClock) -> None:
    count = 5000
    lines = [f"{'Ana' if n % 2 else 'Agent'}: The bread dough rests for {n % 40} hours." for n in range(1, count + 1)]
    said = [(NOW - timedelta(days=3) + n * SECOND, line) for n, line in enumerate(lines)]
    for start in range(0, count, 1000):
        chat.send(said[start : start + 1000], hold=True)
    chat.flush()
    closed = chat.detect()
    assert chat.waiting() == []
    assert chat.window("due_at") is None
    turns = [turn_id for seen in chat.segments() for turn_id in seen.turns]
    assert turns == [f"t{n}" for n in range(1, count + 1)]
    kinds = [seen.boundary for seen in chat.segments()]
    assert (len(kinds), kinds.count("flush"), kinds[-1]) == (len(closed), 1, "flush")


# Several at once


def test_two_detections_at_once_close_each_turn_once(chat: Chat) -> None:
    for _ in range(3):
        chat.say(*BREAD)
        chat.clock.forward(SILENCE_S)
    start = threading.Barrier(4)

    def detect() -> list[str]:
        start.wait()
        return chat.detect()

    with ThreadPoolExecutor(4) as pool:
        runs = [run.result() for run in [pool.submit(detect) for _ in range(4)]]
    assert sum(len(run) for run in runs) == 3, "one of them held the lock"
    chat.detect()
    assert chat.ends() == [("silence", "t1", "t4"), ("silence", "t5", "t8"), ("silence", "t9", "t12")]


def test_two_detections_without_the_lock_close_each_turn_once(chat: Chat, watched: Watched) -> None:
    chat.say(*BREAD)
    chat.clock.forward(SILENCE_S)
    second: list[list[str]] = []

    def lose_the_lock_to_another() -> None:
        chat.app.redis.delete(keys.detecting(chat.session))
        second.append(chat.detect())

    watched.meanwhile.append(lose_the_lock_to_another)
    first = chat.detect()
    assert (len(first), [len(run) for run in second]) == (0, [1])
    assert chat.ends() == [("silence", "t1", "t4")]
    assert chat.window("due_at") is None


def test_who_does_not_get_the_lock_makes_sure_that_somebody_looks_again(chat: Chat, watched: Watched) -> None:
    chat.say(*BREAD)
    others: list[list[str]] = []
    watched.meanwhile.append(lambda: others.append(chat.detect()))
    assert chat.detect() == []
    assert others == [[]]
    assert chat.window("due_at") == chat.clock.now + SILENCE_S * SECOND


def test_a_turn_that_comes_in_meanwhile_is_looked_at_too(chat: Chat, watched: Watched) -> None:
    chat.say(*BREAD)
    watched.meanwhile.append(lambda: chat.say(RENT[0]))
    assert chat.detect(because=Boundary.DAILY)
    assert chat.ends() == [("daily", "t1", "t4"), ("daily", "t5", "t5")]
    assert chat.window("due_at") is None


def test_a_turn_that_comes_in_meanwhile_keeps_an_open_window_due(chat: Chat, watched: Watched) -> None:
    chat.say(*BREAD)
    watched.meanwhile.append(lambda: chat.say(BREAD[2]))
    assert chat.detect() == []
    assert chat.window("due_at") == chat.clock.now + SILENCE_S * SECOND
    assert len(chat.waiting()) == 5


def test_a_flush_that_comes_in_meanwhile_is_not_put_off(chat: Chat, watched: Watched) -> None:
    chat.say(*BREAD)
    watched.meanwhile.append(chat.flush)
    assert len(chat.detect()) == 1
    assert chat.ends() == [("flush", "t1", "t4")]


def test_an_intake_that_took_its_numbers_first_and_commits_last_is_not_forgotten(chat: Chat, watched: Watched) -> None:
    """Its turn has a lower number than the last one known, so numbers alone would not tell that it came."""
    chat.say(BREAD[0])
    numbers = chat.rows("SELECT seq FROM ledger WHERE user_id = :user_id")
    chat.say(*BREAD[1:])
    chat.detect(because=Boundary.DAILY)
    window = "UPDATE windows SET due_at = :due, last_seq = last_seq WHERE user_id = :user_id RETURNING 1"
    row = """
        INSERT INTO ledger (tenant, user_id, session_id, turn_id, seq, role, origin, occurred_at, received_at, state,
            updated_at)
        OVERRIDING SYSTEM VALUE
        VALUES ('default', :user_id, :session_id, 'slow', :seq, 'user', 'task', :now, :now, 'waiting', :now)
        RETURNING 1
    """
    with chat.app.engine.connect() as connection:
        before = windows.read(connection, chat.session, 10)
    assert before is not None
    chat.rows(row, seq=numbers[0][0], now=chat.clock.now)
    chat.rows(window, due=chat.clock.now)
    with chat.app.engine.begin() as connection:
        assert not windows.settle(connection, chat.session, before, 0, None)
    assert chat.window("due_at") == chat.clock.now


# Texts that are gone


def test_a_young_turn_whose_text_is_not_there_yet_is_waited_for(chat: Chat, clock: MovedClock) -> None:
    chat.say(*BREAD[:2])
    drop_texts(chat)
    clock.forward(SILENCE_S)
    assert chat.detect() == []
    assert chat.fates() == {"t1": "waiting", "t2": "waiting"}
    assert chat.window("due_at") == NOW + (20 + SILENCE_S) * SECOND, "looked at soon, not later than it was due"


def test_a_turn_whose_text_was_lost_ends_and_the_others_go_on(chat: Chat, clock: MovedClock) -> None:
    chat.say(*BREAD[:2])
    drop_texts(chat)
    chat.say(*BREAD[2:])
    clock.forward(601)
    chat.detect()
    assert chat.fates() == {"t1": "expired text_lost", "t2": "expired text_lost", "t3": "segmented", "t4": "segmented"}
    assert chat.window("due_at") is None


def test_a_turn_that_nobody_looked_at_for_72_hours_ends(chat: Chat, clock: MovedClock) -> None:
    chat.say(*BREAD[:2], at=NOW)
    clock.forward(72 * 3600 - 1)
    chat.say(*BREAD[2:])
    clock.forward(SILENCE_S)
    chat.detect()
    assert chat.fates() == {"t1": "expired raw_ttl", "t2": "expired raw_ttl", "t3": "segmented", "t4": "segmented"}


def test_a_session_of_which_nothing_is_left_is_settled(chat: Chat, clock: MovedClock) -> None:
    chat.say(*BREAD[:2])
    drop_texts(chat)
    clock.forward(601)
    assert chat.detect() == []
    assert set(chat.fates().values()) == {"expired text_lost"}
    assert chat.window("due_at") is None


def drop_texts(chat: Chat) -> None:
    chat.app.redis.delete(keys.turns(chat.session), keys.seen(chat.session))


# Who looks, and when


def test_a_due_window_is_given_to_one_caller(settings: Settings) -> None:
    clock = MovedClock(NOW)
    app = Hmind(settings, clock=clock)
    sessions = [f"s{n:02}" for n in range(20)]
    for session_id in sessions:
        Chat(app, clock, "ana", session_id).say(BREAD[0], at=NOW)
    clock.forward(SILENCE_S)
    start = threading.Barrier(4)

    def take() -> list[SessionRef]:
        start.wait()
        return windows.take_due(app.engine, clock.now, 6)

    with ThreadPoolExecutor(4) as pool:
        runs = [run.result() for run in [pool.submit(take) for _ in range(4)]]
    taken = [session.session_id for run in runs for session in run]
    taken += [session.session_id for session in windows.take_due(app.engine, clock.now, 100)]
    assert sorted(taken) == sessions
    assert windows.take_due(app.engine, clock.now, 100) == []
    app.close()


def test_a_window_that_nobody_settles_comes_again_later_and_later(chat: Chat, clock: MovedClock) -> None:
    chat.say(BREAD[0], at=NOW)
    clock.forward(SILENCE_S)
    delays = []
    for _ in range(9):
        assert chat.session in windows.take_due(chat.app.engine, clock.now, 1000)
        due = chat.window("due_at")
        delays.append((due - clock.now).total_seconds())
        clock.now = due - SECOND
        assert chat.session not in windows.take_due(chat.app.engine, clock.now, 1000)
        clock.now = due
    assert delays == [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]
    chat.say(BREAD[1])
    assert chat.window("attempts") == 0, "a new turn is a new beginning"


def test_an_embedder_that_fails_leaves_the_window_due_and_says_so(chat: Chat, watched: Watched) -> None:
    def fail() -> None:
        raise EmbeddingUnavailable("The embedder did not answer.")

    chat.say(*BREAD)
    due = chat.window("due_at")
    watched.meanwhile.append(fail)
    with pytest.raises(EmbeddingUnavailable):
        chat.detect()
    assert (chat.window("due_at"), chat.window("last_error")) == (due, "EmbeddingUnavailable")
    assert len(chat.detect(because=Boundary.DAILY)) == 1, "the lock was given back"
    assert chat.window("last_error") is None


def test_a_session_that_nobody_knows_is_no_error(app: Hmind) -> None:
    assert app.detection.detect(SessionRef("default", "nobody", "s")) == []
