"""What rests on no person's words is taken out of an analysis, whoever made it; what does is left as it is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hmind.analysis.people_only import people_only
from hmind.model import Analysis, CandidateFact, EntityType, FoundEntity, FoundEvent, Role, Segment, Statement
from tests.unit.analysis.llm_talk import segment, turn

RECITED = "You told me that you are allergic to peanuts."
ASKED = "Are you allergic to peanuts?"
SENTENCE = "Maya is allergic to peanuts."


def analysis(talk: Segment, *cited: int, text: str = SENTENCE, fact: str = "peanuts", entity: str = "") -> Analysis:
    """An event with one statement, one fact and perhaps an entity, resting on the turns with these numbers."""
    ids = tuple(talk.turns[number - 1].turn_id for number in cited)
    event = FoundEvent(
        description=text,
        statements=(Statement(text, ids),),
        salience=0.9,
        salience_parts={"llm": 0.9},
        occurred_at=talk.turns[0].occurred_at,
        turn_ids=ids,
        entities=(FoundEntity(entity, EntityType.PERSON, ids),) if entity else (),
        facts=(CandidateFact("user", "allergic_to", fact, 1.0, ids, "Maya"),) if fact else (),
    )
    gone = {spoken.turn_id: "small_talk" for spoken in talk.turns if spoken.turn_id not in ids}
    return Analysis((event,), gone, "test-1")


def pair(agent: str, person: str) -> Segment:
    return segment(turn(1, agent, Role.ASSISTANT), turn(2, person))


@pytest.mark.parametrize(
    ("agent", "person"),
    [
        (ASKED, "Yes."),
        (ASKED, "Yes, badly, since I was nine."),
        (ASKED, "I am."),
        ("What are you allergic to?", "Peanuts."),
        ("How is it going?", "I had peanuts and went to hospital."),
        ("你对花生过敏吗？", "对，很严重。"),
    ],
)
@pytest.mark.parametrize("cited", [(1, 2), (2,)])
def test_an_answer_is_a_persons_own(agent: str, person: str, cited: tuple[int, ...]) -> None:
    found = analysis(pair(agent, person), *cited)
    assert people_only(pair(agent, person), found) == found


@pytest.mark.parametrize(
    "person", ["Thanks.", "Ok, thank you!", "Great, what shall I cook tonight?", "好的谢谢", "What do you think?"]
)
@pytest.mark.parametrize("recited", [RECITED, "你告诉过我你对花生过敏。"])
def test_what_is_only_thanked_for_is_not(recited: str, person: str) -> None:
    talk = pair(recited, person)
    kept = people_only(talk, analysis(talk, 1, 2, text=recited if "花生" in recited else SENTENCE))
    assert kept.events == ()
    assert kept.discarded == {"turn-0001": "agent_talk", "turn-0002": "no_content"}


def test_an_agents_words_beside_a_persons_are_no_fact_of_theirs() -> None:
    talk = pair(RECITED, "I bought a green kettle in Porto yesterday.")
    assert people_only(talk, analysis(talk, 1, 2)).events == (), "the sentence is the agent's"
    both = analysis(talk, 1, 2, text="Maya bought a kettle in Porto.", entity="Porto")
    (kept,) = people_only(talk, both).events
    assert kept.facts == ()
    assert [part.name for part in kept.entities] == ["Porto"]


def test_a_note_in_other_words_about_both_stays() -> None:
    talk = pair("You should rest, see a friend, or take the day off.", "I am totally wiped out today.")
    found = analysis(talk, 1, 2, text="Maya is exhausted; the assistant advised a break.", fact="")
    assert people_only(talk, found) == found


def test_a_part_that_goes_takes_its_names_and_the_description_along() -> None:
    talk = segment("I live in Porto.", "You told me that Clara is your sister.")
    mine, agents = Statement("Maya lives in Porto.", ("turn-0001",)), Statement("Clara is a sister.", ("turn-0002",))
    event = FoundEvent(
        description="Maya lives in Porto, Clara is her sister.",
        statements=(agents, mine),
        salience=0.5,
        salience_parts={"llm": 0.5},
        occurred_at=talk.turns[0].occurred_at,
        turn_ids=("turn-0001", "turn-0002"),
        entities=(
            FoundEntity("Clara", EntityType.PERSON, ("turn-0002",)),
            FoundEntity("Porto", EntityType.PLACE, ("turn-0001", "turn-0002")),
        ),
    )
    found = people_only(talk, Analysis((event,), {}, "test-1"))
    (kept,) = found.events
    assert (kept.description, kept.statements, kept.turn_ids) == ("Maya lives in Porto.", (mine,), ("turn-0001",))
    assert [(part.name, part.turn_ids) for part in kept.entities] == [("Porto", ("turn-0001",))]
    assert found.discarded == {"turn-0002": "agent_talk"}
    assert people_only(talk, found) == found, "twice is once"


def test_a_sentence_that_names_only_the_question_rests_on_the_answer_too() -> None:
    talk = pair(ASKED, "Yes, badly.")
    found = analysis(talk, 1)
    [event] = found.events
    fact = CandidateFact("user", "allergic_to", "peanuts", 1.0, ("turn-0002",), "Maya")
    told = replace(event, facts=(fact,), turn_ids=("turn-0001", "turn-0002"))
    (kept,) = people_only(talk, Analysis((told,), {}, "test-1")).events
    assert kept.statements[0].turn_ids == ("turn-0001", "turn-0002")
    assert kept.facts == (fact,)


@pytest.mark.parametrize("role", [Role.ASSISTANT, Role.TOOL, Role.SYSTEM])
def test_nobody_but_a_person_is_one(role: Role) -> None:
    talk = segment(turn(1, RECITED, role), turn(2, "I am going to the market.", Role.USER))
    assert people_only(talk, analysis(talk, 1)).events == ()
