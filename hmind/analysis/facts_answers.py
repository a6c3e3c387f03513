"""Facts in answers: "Where do you live?" – "In Ghent." The question gives the sentence, the person's answer the fact.

Reads config/lexicon/answers.toml. An answer that is a whole sentence is none of its business.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache

from hmind.analysis import facts_en, facts_zh
from hmind.analysis.claims import Claim, Voice
from hmind.errors import SettingsError
from hmind.text import sentences
from hmind.text.lexicon import either, table

_CONFIRMED = 0.7
"""Most that is made of a "yes": the words are the other side's, so a person is asked before it counts."""
_LONGEST = {"en": 120, "zh": 60}
"""Letters of a sentence after which it is no short answer."""
_HOLE = re.compile(r"%([a-z]+\.[a-z]+)%")
_THIRD = {"am": "is", "have": "has", "study": "studies", "do": "does"}
"""Verbs whose third person is not just an "s" more."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """One kind of question; see config/lexicon/answers.toml."""

    asked: re.Pattern[str]
    told: str
    predicates: frozenset[str]
    needs: re.Pattern[str] | None
    drop: re.Pattern[str] | None
    proper: bool
    direct: bool
    many: bool


def find(question: str, said: Sequence[str], language: str, voice: Voice, at: datetime) -> list[Claim]:
    """Claims that the first sentence of a turn makes as an answer to ``question``; none where it does not answer.

    Args:
        question: what another asked last, in the same language.
        said: the sentences of the answering turn.
        voice: who answers, and of whom the facts are.
        at: when it was answered, aware, UTC.
    """
    answer = said[0].strip() if said else ""
    asked = question.strip().replace("’", "'")
    if not asked or not answer or answer.endswith(("?", "？")) or len(answer) > _LONGEST[language]:
        return []
    answer = answer.replace("’", "'")
    voiced = _Voiced(language, voice, at)
    return voiced.of_theirs(asked, answer) or voiced.named(asked, answer) or voiced.confirmed(asked, answer)


class _Voiced:
    """Reads answers of one voice."""

    def __init__(self, language: str, voice: Voice, at: datetime) -> None:
        self._language = language
        self._voice = voice
        self._at = at

    def of_theirs(self, asked: str, answer: str) -> list[Claim]:
        """ "What does your sister do?" – "She's a vet." """
        pronoun, whose = self._pattern("pronoun").match(answer), self._pattern("theirs").search(asked)
        if pronoun is None or whose is None:
            return []
        rest = answer[pronoun.end() :]
        if self._language == "zh":
            return self._read(f"我{whose.group()[1:]}{rest}")
        verb = " is" if pronoun["is"] else ""
        return self._read(f"My{whose.group()[4:]}{verb} {rest}")

    def confirmed(self, asked: str, answer: str) -> list[Claim]:
        """ "You live in Lima, right?" – "Yes." And "No, in Cusco.": the same of another thing."""
        parts = self._pattern("yes_no").match(asked)
        if parts is None:
            return []
        sentence = self._turned(parts)
        if self._pattern("confirms").match(answer):
            if self._pattern("open").search(asked):
                return []
            claims = self._read(sentence, table("answers")[self._language]["confirmed"])
            return [replace(claim, confidence=min(claim.confidence, _CONFIRMED)) for claim in claims]
        denial = self._pattern("denies").match(answer)
        if denial is None:
            return []
        meant = self._pattern("more").sub("", self._pattern("stops").sub("", answer[denial.end() :])).strip(" .!。！")
        if not meant or self._pattern("refuses").match(meant) or self._pattern("whole").match(meant):
            return []
        for claim in self._read(sentence, table("answers")[self._language]["corrected"]):
            bare = re.sub(r"^(?:in|at|for|an?|from|to)\s+", "", meant)
            if not bare[:1].isupper() and claim.object[:1].isupper():
                continue
            instead = sentence.replace(claim.object, bare, 1)
            found = [other for other in self._read(instead, [claim.predicate]) if other.object != claim.object]
            if found:
                return found
        return []

    def named(self, asked: str, answer: str) -> list[Claim]:
        """ "Where do you live?" – "In Ghent." """
        bare = answer
        if lead := self._pattern("lead").match(bare):
            bare = bare[lead.end() :].strip(" ,，")
        if not bare or self._pattern("whole").match(bare):
            return []
        if self._pattern("refuses").match(bare) and not re.match(r"no \w+", bare, re.IGNORECASE):
            return []
        bare = self._pattern("stops").sub("", bare).strip(" .!,。！，")
        asked, whose = self._whose(asked)
        for kind in _kinds(self._language):
            question = kind.asked.search(asked)
            if question is None or (whose is None and "%rel%" not in kind.told):
                continue
            first = self._pattern("more").sub("", bare)
            for told in dict.fromkeys((bare, first) if kind.many else (first, bare)):
                if claims := list(self._as(kind, question, told, whose or "")):
                    return claims
        return []

    def _as(self, kind: _Kind, question: re.Match[str], bare: str, whose: str) -> Iterator[Claim]:
        if not bare or (kind.needs and not kind.needs.match(bare)):
            return
        if (kind.needs is None or not kind.needs.match("no gluten")) and self._pattern("refuses").match(bare):
            return
        thing = kind.drop.sub("", bare, count=1) if kind.drop else bare
        if kind.proper and (thing := self._proper(thing)) == "":
            return
        if kind.direct:
            match = kind.needs.match(thing) if kind.needs else None
            if match:
                for predicate in kind.predicates:
                    yield Claim(self._voice.subject, predicate, match.group(), 0.8, 0)
            return
        groups = question.groupdict(default="")
        related = next((value for name, value in groups.items() if name.startswith("rel") and value), "")
        if self._language == "zh":
            thing = re.sub(r"(?:呢|呀|啊|哦|哈|这边|那边|就行|就好|即可|吧)+(?=$|[，,])", "", thing)
            if "过敏" in kind.told or "岁" in kind.told:
                thing = re.sub(r"(?:过敏|岁|了|啦)+(?=$|[，,])", "", thing)
            thing = re.sub(r"[，,](?=[^，,]{1,6}(?:$|[，,]))", "、", thing) if kind.many else thing
            thing = re.sub(r"(?:人|专业|的|不(?:能)?吃|上班|工作)$", "", thing)
        told = _of(whose, kind.told, self._language) if whose else kind.told
        yield from self._read(told.replace("%rel%", related).replace("{o}", thing), kind.predicates)

    def _whose(self, asked: str) -> tuple[str, str | None]:
        """The question as if put to the speaker of themselves, and of whom of theirs it is: "" for themselves.

        None where it is of another, or of nobody known: "How old is she?"
        """
        theirs = self._pattern("theirs").search(asked)
        if theirs is None or self._pattern("named").search(asked):
            return asked, None if self._pattern("of_others").search(asked) else ""
        whose, start, end = theirs.group(), theirs.start(), theirs.end()
        if self._language == "zh":
            return f"{asked[:start]}你{asked[end:]}", re.sub(r"^[你您]", "", whose)
        before = re.sub(r"\bdoes\s+$", "do ", re.sub(r"\bis\s+$", "are ", re.sub(r"\bhas\s+$", "have ", asked[:start])))
        after = asked[end:]
        you = "your" if re.match(r"'s\s+\w", after) else "you"
        return f"{before}{you}{after.removeprefix(chr(39) + 's')}", whose.split(" ", 1)[1]

    def _proper(self, thing: str) -> str:
        """A name that may have been typed in small letters, with capitals; "" for what is no name."""
        if self._language == "zh":
            return thing
        first, _, rest = thing.partition(" ")
        if thing[:1].isupper():
            return "" if self._pattern("common").fullmatch(first) and not rest[:1].isupper() else thing
        if not thing or len(thing.split()) > 3 or self._pattern("common").search(thing):
            return ""
        return thing.title() if thing.islower() else thing

    def _turned(self, parts: re.Match[str]) -> str:
        """A question to "you" as the sentence of who answers it."""
        rest = parts["rest"]
        if self._language == "zh":
            return re.sub(r"[你您](?:们)?", "我", rest.replace("是不是", "是").replace("有没有", "有"))
        do = (parts["do"] or "").lower()
        verb = {"are": " am", "were": " was", "have": " have", "can": " can"}.get(do, "")
        if do.startswith(("is it", "am i")):
            verb = ""
        rest = re.sub(r"^you(?:'re| are)\b", "I am", rest, flags=re.IGNORECASE)
        rest = re.sub(r"^you(?:'ve| have)\b", "I have", rest, flags=re.IGNORECASE)
        rest = re.sub(r"^you\b", f"I{verb}", rest, flags=re.IGNORECASE)
        return re.sub(r"\byour\b", "my", rest, flags=re.IGNORECASE)

    def _read(self, text: str, predicates: Sequence[str] | frozenset[str] | None = None) -> list[Claim]:
        """What the fact rules find in a sentence, as if the speaker had said it."""
        find_facts = facts_zh.find if self._language == "zh" else facts_en.find
        claims = find_facts(sentences.split(text)[:1], self._voice, self._at)
        kept = (replace(claim, sentence=0) for claim in claims if predicates is None or claim.predicate in predicates)
        return [*dict.fromkeys(kept)]

    def _pattern(self, name: str) -> re.Pattern[str]:
        return _pattern(self._language, name)


def _of(whose: str, told: str, language: str) -> str:
    """ "I live in {o}" of one of theirs: "My sister lives in {o}"."""
    if language == "zh":
        return told.replace("我", f"我{whose}", 1)
    found = re.match(r"I (\w+)\b", told)
    if found is None:
        return told.replace("My ", f"My {whose}'s ", 1)
    verb = found[1]
    third = _THIRD.get(verb, verb if verb in ("was", "grew") else f"{verb}s")
    return f"My {whose} {third}{told[found.end() :]}"


@cache
def _pattern(language: str, name: str) -> re.Pattern[str]:
    return _compiled(table("answers")[language][name], language)


@cache
def _kinds(language: str) -> tuple[_Kind, ...]:
    return tuple(
        _Kind(
            asked=_compiled(row["asked"], language),
            told=row["told"],
            predicates=frozenset(row["predicates"]),
            needs=_compiled(row["needs"], language) if "needs" in row else None,
            drop=_compiled(f"^(?:{row['drop']})", language) if "drop" in row else None,
            proper=row.get("proper", False),
            direct=row.get("direct", False),
            many=row.get("many", False),
        )
        for row in table("answers")[language]["kinds"]
    )


def _compiled(pattern: str, language: str) -> re.Pattern[str]:
    def fill(hole: re.Match[str]) -> str:
        file, key = hole.group(1).split(".")
        return either(file, f"{language}.{key}")

    try:
        return re.compile(_HOLE.sub(fill, pattern), re.IGNORECASE)
    except (re.error, KeyError) as error:
        raise SettingsError(f"answers.toml: a pattern is broken ({error}). Restore the file.") from error
