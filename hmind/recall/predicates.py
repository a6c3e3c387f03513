"""How facts are asked for, in both languages. How they are worded is hmind.memory.wording's."""

from __future__ import annotations

from collections.abc import Iterable

from hmind.memory.wording import wordings
from hmind.recall.question import Question
from hmind.text.tokens import keywords


def terms_of_fact(subject: str, predicate: str, object_: str) -> list[str]:
    """What a fact is found by: words of subject, predicate and object, and the predicate itself."""
    own = "" if subject == "user" else subject
    return [*keywords(f"{own} {predicate.replace('_', ' ')} {object_}"), mark(predicate)]


def terms_of_question(question: Question, predicates: Iterable[str]) -> list[str]:
    """The question's keywords, where those that ask for a predicate give way to the predicate.

    Only ``predicates`` (those that the user has) are looked for. "Where do I live?" becomes the
    mark of ``lives_in`` and nothing else, so that a fact that answers it answers all of it.
    """
    marks: list[str] = []
    spent: set[str] = set()
    for predicate in dict.fromkeys(predicates):
        known = wordings().get(predicate)
        said = [phrase for phrase in known.asked if question.names(phrase)] if known else []
        if said:
            marks.append(mark(predicate))
            spent.update(word for phrase in said for word in keywords(phrase))
    return [term for term in question.terms if term not in spent] + marks


def mark(predicate: str) -> str:
    """A term that no text can contain, standing for the predicate itself."""
    return f"\x1f{predicate}"
