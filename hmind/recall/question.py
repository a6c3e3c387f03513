"""The question as recall uses it: cleaned, its keywords, its language."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property

from hmind.text.clean import clean
from hmind.text.language import detect
from hmind.text.tokens import keywords


@dataclass(frozen=True)
class Question:
    """What was asked. Build it with :meth:`of`, which takes any text at all.

    Attributes:
        text: what was asked, without what a store would refuse; may be empty.
    """

    text: str

    @classmethod
    def of(cls, asked: str) -> Question:
        """A question from any string: empty, very long, or full of another language's syntax."""
        return cls(clean(asked))

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """Its keywords, each once, by the tokenizer that the stored keywords came from."""
        return tuple(dict.fromkeys(keywords(self.text)))

    @cached_property
    def folded(self) -> str:
        """Its text for looking up names in it: NFKC, lower case."""
        return fold(self.text)

    @cached_property
    def language(self) -> str:
        """``zh`` or ``en``: what a recollection that recall words itself is worded in."""
        return detect(self.text)

    def names(self, phrase: str) -> bool:
        """Whether ``phrase`` stands in the question, Latin words as whole words only."""
        return stands_in(phrase, self.folded)


def fold(text: str) -> str:
    """Text made comparable: NFKC, case folded."""
    return unicodedata.normalize("NFKC", text).casefold()


def stands_in(phrase: str, folded: str) -> bool:
    """Whether ``phrase`` stands in ``folded`` text; a Latin letter next to it means another word.

    An empty phrase stands nowhere.
    """
    wanted = fold(phrase).strip()
    if not wanted:
        return False
    left = r"(?<![a-z0-9_])" if wanted[0].isascii() and wanted[0].isalnum() else ""
    right = r"(?![a-z0-9_])" if wanted[-1].isascii() and wanted[-1].isalnum() else ""
    return re.search(left + re.escape(wanted) + right, folded) is not None
