"""What the coherence model weighs, and what it must not be swayed by."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hmind.boundary import build
from hmind.boundary.coherence import RIVALS, Coherence, CoherenceCurve
from hmind.boundary.evidence import AFTER, MISSING, NAMES, evidence
from hmind.boundary.excerpt import HEAD_CELLS, TAIL_CELLS, excerpt
from hmind.boundary.openers import Manner, Openers, Opening
from hmind.embedding.use import UseEmbedder
from hmind.errors import SettingsError
from hmind.model import Boundary, Role
from hmind.settings import config_dir, load
from tests.unit.boundary.talk import FLUSH, MODEL, PHRASES, WORDS, detector, ends, settings, talk

USE = UseEmbedder(threads=1)

DENTIST = [
    "A: My tooth has been aching since Sunday",
    "B: Then you should see a dentist before it gets worse",
    "A: The dentist has no free appointment this week",
    "B: Ask whether they take emergencies in the morning",
]
HOLIDAY = [
    "A: We are thinking of renting a boat on the lake in August",
    "B: A boat on the lake sounds lovely, for how many days?",
    "A: Five days, with the children, and we would sleep on board",
    "B: The children will love to sleep on a boat",
]


def curve(*lines: str, assistant: str = "") -> CoherenceCurve:
    turns = [replace(turn, role=Role.ASSISTANT if turn.speaker == assistant else Role.USER) for turn in talk(*lines)]
    return CoherenceCurve(MODEL, turns, USE.passages([turn.content for turn in turns]), PHRASES, WORDS.opening)


def at_gap(*lines: str, assistant: str = "") -> float:
    return curve(*lines, assistant=assistant).across(4, 0, len(lines))


def cue(*lines: str, assistant: str = "") -> float:
    """What the form of the turns around the fifth says for a shift there, apart from their topics."""
    return curve(*lines, assistant=assistant)._cue(4)


class TestCuts:
    def test_a_new_topic_is_measured_as_coherence(self) -> None:
        cuts = detector(USE).cuts(talk(*DENTIST, *HOLIDAY), None)
        assert ends(cuts) == [(4, "topic_shift")]
        assert cuts[0].threshold == 0.5
        assert cuts[0].measured is not None
        assert 0 <= cuts[0].measured < 0.5

    def test_it_waits_for_as_many_turns_as_it_looks_at(self) -> None:
        turns = talk(*DENTIST, *HOLIDAY)
        first = next(seen for seen in range(9) if detector(USE).cuts(turns[:seen], None))
        assert first == 4 + AFTER + RIVALS

    def test_another_embedder_or_none_falls_back_to_the_cosine_rule(self) -> None:
        turns = talk(*DENTIST, *HOLIDAY)
        stranger = replace(MODEL, embedder="another-1")
        without = [cut.threshold for cut in detector(USE, None).cuts(turns, FLUSH)]
        assert [cut.threshold for cut in detector(USE, stranger).cuts(turns, FLUSH)] == without
        assert USE.topic_shift_below in without

    def test_the_setting_switches_it_off(self) -> None:
        turns = talk(*DENTIST, *HOLIDAY)
        for on, threshold in ((True, 0.5), (False, USE.topic_shift_below)):
            judge = build.detector(settings(coherence=on), USE)
            assert judge.cuts(turns, None)[0].threshold == threshold
        assert load({"HMIND_BOUNDARY_COHERENCE": "false"}).boundary.coherence is False

    def test_of_all_reasons_only_those_asked_for_close(self) -> None:
        turns = talk(*DENTIST, *HOLIDAY, "A: thanks, bye!", "B: bye", "+4000", *DENTIST * 8)
        only = detector(USE, reasons=frozenset({Boundary.TOPIC_SHIFT})).cuts(turns, FLUSH)
        assert {cut.boundary for cut in only[:-1]} == {Boundary.TOPIC_SHIFT}
        every = {cut.boundary for cut in detector(USE).cuts(turns, FLUSH)[:-1]}
        assert every > {Boundary.TOPIC_SHIFT, Boundary.CLOSING_PHRASE}


class TestCues:
    def test_an_opener_and_a_greeting_speak_for_a_shift(self) -> None:
        plain = at_gap(*DENTIST, *HOLIDAY)
        assert at_gap(*DENTIST, HOLIDAY[0].replace("We", "By the way, we"), *HOLIDAY[1:]) < plain
        assert at_gap(*DENTIST, HOLIDAY[0].replace("We", "Good morning! We"), *HOLIDAY[1:]) < plain

    def test_an_assistant_opens_less_often_than_the_person_it_serves(self) -> None:
        by_person = at_gap(*DENTIST, *HOLIDAY, assistant="B")
        between_people = at_gap(*DENTIST, *HOLIDAY)
        by_assistant = at_gap(*DENTIST, *HOLIDAY, assistant="A")
        assert by_person < between_people < by_assistant

    def test_a_bare_turn_opens_nothing(self) -> None:
        assert at_gap(*DENTIST, "A: ok fine", *HOLIDAY) > 0.5
        assert at_gap(*DENTIST, "A: 好的吧", *HOLIDAY) > 0.5

    def test_where_nobody_is_marked_words_tell_the_one_who_is_served(self) -> None:
        asked = [*DENTIST, "A: I am looking for a boat on the lake in August", *HOLIDAY[1:]]
        served = [*DENTIST, "A: We have boats on the lake in August, would you like one", *HOLIDAY[1:]]
        assert WORDS.opening.manner(asked[4][3:]) == Manner(None, requests=True, serves=False)
        assert WORDS.opening.manner(served[4][3:]) == Manner(None, requests=False, serves=True)
        assert cue(*asked) > cue(*DENTIST, *HOLIDAY) > cue(*served)

    def test_a_question_opens_less_unless_a_person_asks_an_assistant(self) -> None:
        asked = [*DENTIST, "A: Is a boat on the lake nice in August?", *HOLIDAY[1:]]
        plain = [line.rstrip("?") for line in asked]
        assert cue(*asked) < cue(*plain)
        assert cue(*asked, assistant="B") == cue(*plain, assistant="B")

    def test_after_a_bare_turn_a_topic_is_rather_over(self) -> None:
        done, wordless = [*DENTIST[:3], "B: ok", *HOLIDAY], [*DENTIST[:3], "B: 🎉", *HOLIDAY]
        assert cue(*done) > cue(*DENTIST, *HOLIDAY) == cue(*wordless)

    def test_no_evidence_without_words_and_at_the_edges(self) -> None:
        assert at_gap(*DENTIST, "A: 🎉", *HOLIDAY) == 1
        here = curve(*DENTIST)
        assert (here.across(0, 0, 4), here.across(4, 0, 4)) == (1, 1)

    def test_turns_further_away_than_it_looks_change_nothing(self) -> None:
        short, long = [*DENTIST, *HOLIDAY[:2]], [*DENTIST, *HOLIDAY]
        assert curve(*short).across(4, 0, 6) == curve(*long).across(4, 0, 8)


class TestEvidence:
    def test_the_numbers_of_a_clear_case(self) -> None:
        east, north = np.eye(2, dtype=np.float32)
        found = dict(zip(NAMES, evidence(np.stack([east, east, north, north]), 2, 0, 4), strict=True))
        assert {name: value for name, value in found.items() if value > 0.5} == {
            "within_before": 1,
            "within_after": 1,
        }
        assert found["near_2_2"] == pytest.approx(0)

    def test_sums_weigh_each_turn_alike(self) -> None:
        east, north = np.eye(2, dtype=np.float32)
        found = dict(zip(NAMES, evidence(np.stack([east, north, north]), 2, 0, 3), strict=True))
        assert found["near_1_1"] == pytest.approx(1)
        assert found["near_2_1"] == pytest.approx(0.5**0.5)
        assert found["over_before"] == pytest.approx(0)
        assert found["within_after"] == MISSING

    def test_a_turn_without_words_is_no_distance(self) -> None:
        rows = np.zeros((4, 3), dtype=np.float32)
        assert evidence(rows, 2, 0, 4).tolist() == [MISSING] * len(NAMES)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("By the way, have you fed the cat?", Opening.OPENER),
        ("Oh, well, that reminds me: the rent is due", Opening.OPENER),
        ("yes, one more thing", Opening.OPENER),
        ("Hello there", Opening.GREETING),
        ("Excuse me, is this seat taken?", Opening.GREETING),
        ("对了，你喂猫了吗", Opening.OPENER),
        ("嗯，我还想问一下房租的事", Opening.OPENER),
        ("您好，我想订一张票", Opening.GREETING),
        ("那我再问一下，年费怎么收", Opening.OPENER),
        ("还有一个，我的地址要改", Opening.OPENER),
        ("请问附近有邮局吗", Opening.GREETING),
        ("请问您的卡号是多少", None),
        ("请问还有什么可以帮您的", None),
        ("我帮您查一下", None),
        ("还有多少钱", None),
        ("哎呀差点忘了问你电影票买了吗", Opening.OPENER),
        ("对哦，差点忘了，哈哈。", None),
        ("Hiking is what we did by the way side", None),
        ("I told her hello from you", None),
        ("他对了一遍账", None),
        ("", None),
        ("🎉", None),
    ],
)
def test_openers(text: str, expected: Opening | None) -> None:
    assert WORDS.opening.opens(text) is expected


FRENCH = """language = 'fr'
whole_words = true
head_chars = 80
fillers = ['alors']
openers = ['au fait']
greetings = ['bonjour']
"""


class TestFiles:
    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            ("head_chars = 120", "head_chars = 0", "head_chars"),
            ("fillers =", "filler =", "filler"),
            ("'hi', ", "'hi(', ", "no regular expression"),
            ("greetings = [", "greetings = 3\nx = [", "x is not known"),
            ("fillers = [", "x = [", "fillers is missing"),
            ("requests = [", "request = [", "request is not known"),
        ],
    )
    def test_bad_openers_are_refused(self, tmp_path: Path, old: str, new: str, message: str) -> None:
        text = (config_dir() / "openers" / "en.toml").read_text(encoding="utf-8")
        assert old in text
        (tmp_path / "en.toml").write_text(text.replace(old, new), encoding="utf-8")
        with pytest.raises(SettingsError, match=message):
            Openers.load(tmp_path)

    @pytest.mark.parametrize("rest", ["", "requests = []\n", "requests = []\nservices = []\n"])
    def test_a_language_may_leave_requests_and_services_out(self, tmp_path: Path, rest: str) -> None:
        (tmp_path / "fr.toml").write_text(FRENCH + rest, encoding="utf-8")
        alone = Openers.load(tmp_path)
        assert alone.manner("Alors, au fait, je voudrais un billet") == Manner(Opening.OPENER, False, False)
        assert alone.manner("I need a ticket, madam") == alone.manner("") == Manner(None, False, False)
        shutil.copy(config_dir() / "openers" / "en.toml", tmp_path)
        beside = Openers.load(tmp_path)
        assert beside.manner("Bonjour !") == Manner(Opening.GREETING, False, False)
        assert beside.manner("I need a ticket, madam") == Manner(None, True, True)

    @pytest.mark.parametrize("rest", ["requests = 'il me faut'", "services = [7]", "services = ''", "request = ['a']"])
    def test_what_may_be_left_out_must_be_right_where_it_is_there(self, tmp_path: Path, rest: str) -> None:
        (tmp_path / "fr.toml").write_text(FRENCH + rest, encoding="utf-8")
        with pytest.raises(SettingsError, match=f"{rest.split()[0]} is (no list|not known)"):
            Openers.load(tmp_path)

    def test_a_folder_without_openers_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(SettingsError, match="holds no openers"):
            Openers.load(tmp_path)

    def test_a_model_without_its_arrays_or_numbers_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "coherence.toml"
        text = (config_dir() / "coherence.toml").read_text(encoding="utf-8")
        path.write_text(text, encoding="utf-8")
        with pytest.raises(SettingsError, match=r"boundary\.coherence = false"):
            Coherence.load(path)
        (tmp_path / "coherence.npz").write_bytes((config_dir() / "coherence.npz").read_bytes())
        assert Coherence.load(path).embedder == MODEL.embedder
        path.write_text(text.replace("near_1_1", "near_9_9"), encoding="utf-8")
        with pytest.raises(SettingsError, match="does not hold"):
            Coherence.load(path)

    def test_the_model_is_small(self) -> None:
        assert sum((config_dir() / f"coherence.{kind}").stat().st_size for kind in ("toml", "npz")) < 200_000


class TestExcerpt:
    def test_what_fits_stays(self) -> None:
        for text in ("", "short", "x" * (HEAD_CELLS + TAIL_CELLS), "短" * 20):
            assert excerpt(text) == text

    def test_of_a_long_turn_head_and_tail_are_left(self) -> None:
        assert excerpt("a" * 500 + "b" * 500) == "a" * HEAD_CELLS + " … " + "b" * TAIL_CELLS
        assert excerpt("头" * 300 + "尾" * 300) == "头" * (HEAD_CELLS // 5) + " … " + "尾" * (TAIL_CELLS // 5)
