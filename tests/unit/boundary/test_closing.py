"""What ends a talk and what only sounds like it, in both languages; and the files an operator writes."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmind.boundary.closing import ClosingPhrases
from hmind.errors import SettingsError
from hmind.settings import config_dir

PHRASES = ClosingPhrases.load(config_dir() / "closing")

CLOSING = [
    ("Okay, bye!", "en.goodbye"),
    ("BYE 👋👋", "en.goodbye"),
    ("Good night 😴", "en.goodbye"),
    ("See you tomorrow, Priya.", "en.see_you"),
    ("Alright. Talk to you later!", "en.see_you"),
    ("I\u2019ve got to go now. Good luck with the exam!", "en.leaving"),
    ("No, that\u2019s all, thanks.", "en.that_is_all"),
    ("thats everything for now", "en.that_is_all"),
    ("Nope, I don't need anything else.", "en.that_is_all"),
    ("I wanted to ask more, but that is all for today", "en.that_is_all"),
    ("Have a lovely weekend", "en.have_a_good_one"),
    ("Thank you so much for listening", "en.thank_you"),
    ("Thanks, but that's all.", "en.that_is_all"),
    ("You're welcome!", "en.you_are_welcome"),
    ("再见", "zh.goodbye"),
    ("好的，那再見啦", "zh.goodbye"),
    ("拜拜🫡", "zh.goodbye"),
    ("你吃过饭了吗？算了，拜拜", "zh.goodbye"),
    ("行，那明天见", "zh.see_you"),
    ("妈妈晚安", "zh.good_night"),
    ("你也早点休息吧", "zh.good_night"),
    ("没事的话我先走了", "zh.leaving"),
    ("今天先这样，我去接孩子", "zh.that_is_all"),
    ("没有了，谢谢", "zh.thank_you"),
    ("谢谢你的帮助！", "zh.thank_you"),
    ("不客气", "zh.you_are_welcome"),
]

GOING_ON = [
    "",
    "?",
    "……",
    "Thanks, but what about the blue one?",
    "thanks, but what about Tuesday",
    "Thank you. Can you also check the trains?",
    "Thanks! How much does it cost?",
    "Yes, thanks.",
    "Bye for now, oh wait, one more thing",
    "See you at six?",
    "I never said goodbye to my grandmother",
    "That's all I remember about the house we had in Cork",
    "I have to go to the dentist on Monday",
    "I bought goodbyes by the dozen",
    "The good nights of sleep are over since the baby came",
    "I appreciate good coffee in the morning",
    "Thank goodness the bus was late",
    "I'll take care of the dishes",
    "他晚安都没说就挂了电话",
    "谢谢他的帮忙我才找到工作",
    "谢谢，不过我还想问一下",
    "谢谢！不过明天几点开门？",
    "拜拜，对了你妈妈身体好吗",
    "明天见？",
    "我们明天见面吧",
    "希望能再见到他",
    "他没说再见就出门了",
    "我昨天晚上很早就睡了所以没看到",
    "这件事情我先走了流程再告诉你",
]


@pytest.mark.parametrize(("text", "name"), CLOSING)
def test_it_closes(text: str, name: str) -> None:
    assert PHRASES.closes(text) == name


@pytest.mark.parametrize("text", GOING_ON)
def test_it_goes_on(text: str) -> None:
    assert PHRASES.closes(text) is None


@given(st.text(max_size=400))
def test_any_text_gets_an_answer(text: str) -> None:
    assert PHRASES.closes(text) is None or "." in str(PHRASES.closes(text))


@given(st.sampled_from(["but what about the other one?", "however, can you check the date"]))
def test_a_contrast_after_it_cancels_any_english_phrase(contrast: str) -> None:
    for text, name in CLOSING:
        if name.startswith("en."):
            assert PHRASES.closes(f"{text.rstrip('!.')}, {contrast}") is None


def test_a_language_is_added_by_a_file(tmp_path: Path) -> None:
    (tmp_path / "fr.toml").write_text(
        "language = 'fr'\nwhole_words = true\ntail_chars = 80\nclause_breaks = '[.,!]+|[?]+'\n"
        "[farewells]\nau_revoir = ['au revoir', 'bonne nuit']\n[thanks]\nmerci = ['merci']\n"
        "[takes_on]\nmais = ['mais']\n[answers]\noui = ['^oui']\n"
        "[offers]\nautre = ['autre chose']\n",
        encoding="utf-8",
    )
    phrases = ClosingPhrases.load(tmp_path)
    assert phrases.languages == ("fr",)
    assert phrases.closes("Merci, bonne nuit !") == "fr.au_revoir"
    assert phrases.closes("Merci, mais demain alors") is None
    assert phrases.closes("Oui, merci") is None
    assert phrases.closes("au revoirs") is None
    assert phrases.offers("Autre chose ?")
    assert not phrases.offers("Autrefois ?")


def test_the_spanish_file_of_the_documents_stands_beside_those_that_are_there(tmp_path: Path) -> None:
    tuning = Path(__file__).resolve().parents[3] / "docs" / "tuning.md"
    [spanish] = re.findall(r"```toml\n(language = \"es\".*?)```", tuning.read_text(encoding="utf-8"), flags=re.DOTALL)
    for own in (config_dir() / "closing").glob("*.toml"):
        shutil.copy(own, tmp_path)
    before = ClosingPhrases.load(tmp_path)
    (tmp_path / "es.toml").write_text(spanish, encoding="utf-8")
    phrases = ClosingPhrases.load(tmp_path)
    assert phrases.languages == ("en", "es", "zh")
    for text, name in [
        ("¡Adiós, hasta mañana!", "es.goodbye"),
        ("Vale, nos vemos.", "es.goodbye"),
        ("No, eso es todo.", "es.that_is_all"),
        ("Muchas gracias por la ayuda", "es.thank_you"),
        ("好的，再见", "zh.goodbye"),
        ("Okay, bye!", "en.goodbye"),
    ]:
        assert phrases.closes(text) == name
    for text in (
        "Gracias, pero ¿qué hay del martes?",
        "Adiós, por cierto necesito otro billete",
        "Sí, gracias",
        "Gracias. ¿Puedes mirar también el tren?",
        "¿Buenas noches en plural?",
    ):
        assert phrases.closes(text) is None
    assert phrases.offers("¿Necesita algo más?")
    assert [phrases.closes(text) for text, _ in CLOSING] == [before.closes(text) for text, _ in CLOSING]


GOOD = {
    "language": "'xx'",
    "whole_words": "true",
    "tail_chars": "80",
    "clause_breaks": "'[.]+'",
    "[farewells]": "\nx = ['x']",
    "[thanks]": "\nx = ['x']",
    "[takes_on]": "\nx = ['x']",
    "[answers]": "\nx = ['x']",
    "[offers]": "\nx = ['x']",
}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"tail_chars": None}, "tail_chars is missing"),
        ({"[thanks]": None}, "thanks is missing"),
        ({"[extra]": "\nx = ['x']"}, "extra is not known"),
        ({"[farewells]": "\nx = ['(x']"}, "farewells.x has a pattern"),
        ({"[farewells]": "\nx = [7]"}, "farewells.x has a pattern"),
        ({"[farewells]": "\nx = 'x'"}, "farewells"),
        ({"tail_chars": "0"}, "tail_chars"),
        ({"language": "'xx"}, "TOML"),
    ],
)
def test_a_faulty_file_is_refused_with_its_name_and_key(
    tmp_path: Path, change: dict[str, str | None], said: str
) -> None:
    values = {**GOOD, **change}
    lines = [f"{key} {'' if key[0] == '[' else '= '}{value}" for key, value in values.items() if value is not None]
    (tmp_path / "xx.toml").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(SettingsError, match=said) as caught:
        ClosingPhrases.load(tmp_path)
    assert "xx.toml" in str(caught.value)


def test_a_folder_without_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"en\.toml"):
        ClosingPhrases.load(tmp_path)
