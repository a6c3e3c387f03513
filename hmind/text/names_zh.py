"""Names in Chinese sentences: jieba's words, surnames with titles, endings of places and organisations."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterator
from functools import cache

from hmind.model import EntityType
from hmind.text.lexicon import either, listed, words
from hmind.text.named import Named
from hmind.text.segmenter import segmenter

_HAN = r"\u4e00-\u9fff"
_BOOK = re.compile(r"《([^《》]{1,40})》")
_LATIN = re.compile(r"(?<![A-Za-z])[A-Z][A-Za-z0-9]+(?: [A-Z][A-Za-z0-9]+)*")
_NOUNS = ("n", "nr", "ns", "nt", "nz", "vn", "j", "eng", "an", "l", "s", "b", "a", "v", "f", "ng")


@cache
def _tags() -> dict[str, str]:
    """The part of speech of each word in jieba's dictionary, without the model of jieba.posseg."""
    tags: dict[str, str] = {}
    with segmenter().get_dict_file() as lines:
        for line in lines:
            word, _, tag = line.decode().split(" ")
            tags[word] = sys.intern(tag.strip())
    return tags


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    surname = either("names", "zh.surnames")
    relation = f"{either('relations', 'zh.kin')}|{either('relations', 'zh.others')}"
    pets = either("relations", "zh.pets")
    return {
        "titled": re.compile(rf"(?:{surname})[{_HAN}]{{0,2}}?(?:{either('relations', 'zh.titles')})(?![{_HAN}]?人)"),
        "little": re.compile(rf"(?<![{_HAN}]大)[小老阿][{_HAN}]"),
        "related": re.compile(rf"我(?:的|家|们家)?(大|小|二|三|老|亲|好|前|最好的|新)?({relation})"),
        "named": re.compile(
            rf"({relation}|{pets}|孩子|小孩|学生)?(?:的)?(?:名字)?(?:是叫|叫做|叫|名叫|取名|名字是|是)([{_HAN}]{{2,4}}|[A-Z][a-z]+)"
        ),
        "pet": re.compile(rf"我(?:的|家|们家)(?:的|那只|那条)?({pets})"),
        "own_name": re.compile(
            rf"我(?:的(?:名字|大名|全名|真名))?(?:就)?(?:叫做?|是叫)((?:{surname})[{_HAN}]{{1,2}})"
            r"(?=[，。,.！!？?、；; ]|$)"
        ),
        "surname": re.compile(rf"(?:{surname})"),
    }


def find(text: str, known: Collection[str] = (), owner: str = "user") -> list[Named]:
    """Named things of a Chinese sentence: known names, people, places, organisations, happenings, objects."""
    cut = segmenter().lcut(text, HMM=False)
    found = [Named(name, EntityType.PERSON) for name in sorted(known) if len(name) > 1 and name in text]
    found += _itself(text)
    found += _people(text, cut, owner)
    found += _joined(cut)
    found += _landmarks(cut)
    found += [Named(match.group(1), EntityType.OBJECT) for match in _BOOK.finditer(text)]
    found += _latin(text)
    found += [Named(name, EntityType.ORGANISATION) for name in _organisations().findall(text)]
    return _whole(found, text)


def _whole(found: list[Named], text: str) -> list[Named]:
    """Without the pieces of longer names: 林晓 of 林晓雨, 平江路 of 苏州平江路. A city in an address stays."""

    def piece(one: Named, other: Named) -> bool:
        if one.type is not other.type or len(one.name) >= len(other.name):
            return False
        part = other.name.startswith(one.name) if one.type is EntityType.PERSON else other.name.endswith(one.name)
        return part and text.count(one.name) == text.count(other.name) > 0

    return [one for one in found if not any(piece(one, other) for other in found)]


@cache
def _organisations() -> re.Pattern[str]:
    """Well-known ones that jieba cuts apart."""
    return re.compile("|".join(name for name in listed("names", "zh.orgs") if len(name) > 2))


def _itself(text: str) -> Iterator[Named]:
    """The name that somebody gives as their own, whole, however jieba cuts it."""
    for match in _patterns()["own_name"].finditer(text):
        yield Named(match.group(1), EntityType.PERSON)


def _landmarks(cut: list[str]) -> Iterator[Named]:
    """Mountains, lakes, temples, roads by the letter they end in; nobody is called so."""
    tags, ends, plain = _tags(), words("names", "zh.landmark_ends"), words("names", "zh.not_names")
    for at, word in enumerate(cut):
        before = cut[at - 1] if at else ""
        if is_landmark(word):
            yield Named(word, EntityType.PLACE)
        elif (
            word in ends
            and len(before) > 1
            and tags.get(before, "") in ("nr", "nrt", "ns", "nz")
            and before not in plain
        ):
            yield Named(before + word, EntityType.PLACE)


def is_landmark(word: str) -> bool:
    """Whether a word of jieba's is the name of a place by its last letter: 明孝陵, 昭陵, 灵隐寺; no 小河, no 高山."""
    tag = _tags().get(word, "")
    if len(word) < 2 or word[-1] not in words("names", "zh.landmark_ends") or word in words("names", "zh.not_names"):
        return False
    if len(word) == 2 and (word[0] in words("names", "zh.plain_before") or tag not in ("ns", "nrt", "nr")):
        return False
    return tag in ("ns", "nr", "nrt", "nrfg", "nz")


def _no_person(word: str) -> bool:
    """Interjections (拜拜), small things (小河) and landmarks that jieba's dictionary takes for people."""
    doubled = len(word) == 2 and word[0] == word[1]
    small = len(word) == 2 and word[0] in "小老阿大" and word[1] in words("names", "zh.things_after_little")
    return (
        small
        or is_landmark(word)
        or (doubled and word in words("names", "zh.doubled"))
        or word[-1] in words("names", "zh.landmark_ends")
        or word in words("names", "zh.plants")
    )


def _latin(text: str) -> Iterator[Named]:
    for match in _LATIN.finditer(text):
        name = match.group()
        if name in words("names", "en.not_names") or len(name) < 2:
            continue
        if name in words("names", "en.orgs"):
            yield Named(name, EntityType.ORGANISATION)
        elif name in words("names", "en.places"):
            yield Named(name, EntityType.PLACE)
        elif name in words("names", "en.first_names"):
            yield Named(name, EntityType.PERSON)
        else:
            yield Named(name, EntityType.OBJECT)


def _people(text: str, cut: list[str], owner: str) -> Iterator[Named]:
    patterns, tags = _patterns(), _tags()
    titles, surnames = words("relations", "zh.titles"), words("names", "zh.surnames")
    stop = words("names", "zh.not_names")
    for at, word in enumerate(cut):
        after = cut[at + 1] if at + 1 < len(cut) else ""
        before = cut[at - 1] if at else ""
        tag = tags.get(word, "")
        if _no_person(word):
            continue
        if (
            word in surnames
            and after in titles
            and (before == "" or before[-1:] not in "我你他她的" or before.endswith("的"))
        ):
            yield Named(word + after, EntityType.PERSON)
        elif (
            len(word) in (2, 3)
            and word[0] in surnames
            and word[1:] in titles
            and word not in stop
            and word not in ("高手",)
        ):
            yield Named(word, EntityType.PERSON)
        elif word in ("小", "老", "阿") and after in surnames and len(after) == 1 and after not in "时事家":
            title = cut[at + 2] if at + 2 < len(cut) and cut[at + 2] in titles else ""
            yield Named(word + after + title, EntityType.PERSON)
        elif 2 <= len(word) <= 3 and word[0] in "小阿老" and tag.startswith("nr") and word not in stop:
            yield Named(word, EntityType.PERSON)
        elif len(word) == 2 and tag == "nr" and after == "的":
            continue
        elif 2 <= len(word) <= 4 and tag in ("nr", "nrt", "nrfg") and word not in stop:
            if word[0] in surnames or word[:2] in surnames:
                yield Named(word, EntityType.PERSON)
        elif (
            word in surnames
            and 1 <= len(after) <= 2
            and (
                tags.get(after, "x") in ("x", "nr", "nz", "ng", "nrt", "ag")
                or (len(after) == 1 and tags.get(after) == "n" and before in ("和", "跟", "与", "叫"))
            )
            and before
            in (
                "叫",
                "是",
                "和",
                "跟",
                "找",
                "同学",
                "同事",
                "朋友",
                "室友",
                "医生",
                "老师",
                "认识",
                "，",
                "、",
                "",
                "与",
                "给",
                "约",
                "陪",
                "了",
                "遇到",
                "遇见",
                "碰到",
                "见到",
                "见",
                "带",
                "请",
                "教",
                "问",
                "帮",
            )
            and re.fullmatch(rf"[{_HAN}]+", after)
        ):
            yield Named(word + after, EntityType.PERSON)
    for match in patterns["related"].finditer(text):
        relation = match.group(2)
        rest = text[match.end() :]
        if match.group(2) == "对象" or rest.startswith("机"):
            continue
        known_as = re.match(
            rf"(?:的名字)?(?:叫|名叫)([{_HAN}]{{2,3}}|[A-Z][a-z]+)(?=[，。,！!？?、的是在也，]|$)", rest
        )
        alias = f"{'用户' if owner == 'user' else owner}的{relation}"
        yield Named(known_as.group(1), EntityType.PERSON, (alias,)) if known_as else Named(alias, EntityType.PERSON)
    for match in patterns["named"].finditer(text):
        if (
            match.group(1) is None
            or match.group().endswith("什么")
            or ("是" in match.group(0)[:-2] and "名字" not in match.group(0))
        ):
            continue
        name = match.group(2)
        name = re.split(r"[的，是在今已很也都和跟]", name)[0]
        if len(name) >= 2 and name not in ("什么", "我的", "一个") and "叫" in match.group(0):
            pet = match.group(1) in words("relations", "zh.pets")
            yield Named(name[:4], EntityType.OBJECT if pet else EntityType.PERSON)
    for match in patterns["pet"].finditer(text):
        yield Named(f"{'用户' if owner == 'user' else owner}的{match.group(1)}", EntityType.OBJECT)


def _joined(cut: list[str]) -> Iterator[Named]:
    """Words that end as places, organisations or happenings do, with the nouns before them."""
    tags, stop = _tags(), words("names", "zh.not_names")
    places, orgs, happenings = (
        listed("names", "zh.place_ends"),
        listed("names", "zh.org_ends"),
        words("names", "zh.happenings"),
    )
    for at, word in enumerate(cut):
        if word in stop or not re.match(rf"[{_HAN}]", word) or (len(word) == 2 and word[0] == word[1]):
            continue
        tag = tags.get(word, "")
        head = next((end for end in ("手术", "婚礼", "考试", "比赛") if word.endswith(end) and len(word) > 2), "")
        if head and word not in happenings:
            yield Named(head if word[0] in "做动办" else word, EntityType.HAPPENING)
        elif word in happenings or word in words("names", "zh.holidays"):
            yield Named(_with_nouns(cut, at) if word in happenings else word, EntityType.HAPPENING)
        elif word in words("names", "zh.orgs"):
            yield Named(word, EntityType.ORGANISATION)
        elif word in words("names", "zh.products"):
            yield Named(word, EntityType.OBJECT)
        elif word.endswith(orgs) and len(word) > 1 and (len(word) > 2 or word in orgs):
            name = _with_nouns(cut, at) if word in orgs else word
            if name not in orgs:
                yield Named(name, EntityType.ORGANISATION)
        elif tag == "nt" and not (len(word) < 4 and word.endswith(("部", "科", "室", "处", "所", "组", "院"))):
            yield Named(word, EntityType.PLACE if word.endswith(places) else EntityType.ORGANISATION)
        elif tag == "ns" and len(word) > 1:
            if not (at + 1 < len(cut) and (cut[at + 1] in places or cut[at + 1] in orgs)) and _surely_place(cut, at):
                yield Named(word, EntityType.PLACE)
        elif word in places and (
            len(word) > 1 or (at and tags.get(cut[at - 1], "") in ("ns", "nr", "nz") and len(cut[at - 1]) > 1)
        ):
            name = _with_nouns(cut, at)
            if name != word:
                yield Named(name, EntityType.PLACE)
        elif (
            len(word) > 2
            and word.endswith(places)
            and (
                (tag in ("ns", "nz", "n", "") and not word.endswith(("市", "路", "街", "村", "省", "县")))
                or tag == "ns"
            )
        ):
            yield Named(word, EntityType.PLACE)


def _surely_place(cut: list[str], at: int) -> bool:
    """Whether a word that jieba calls a place is one: its dictionary also calls 拜拜, 深度 and 美丽 so."""
    word, after = cut[at], cut[at + 1] if at + 1 < len(cut) else ""
    if len(word) > 2 or word in words("names", "zh.cities"):
        return True
    return bool(at) and cut[at - 1] in words("names", "zh.place_cues") and after != "的"


def _with_nouns(cut: list[str], at: int) -> str:
    """The word at ``at`` with up to three nouns before it that belong to its name."""
    tags, start = _tags(), at
    while start > 0 and at - start < 3:
        word = cut[start - 1]
        if (
            word in words("names", "zh.never_inside")
            or (word in words("names", "zh.place_ends") and cut[at] in words("names", "zh.happenings"))
            or not re.fullmatch(rf"[{_HAN}A-Za-z]+", word)
            or tags.get(word, "n") not in _NOUNS
        ):
            break
        if len(word) == 1 and tags.get(word, "n") in ("v", "a", "f", "b"):
            break
        start -= 1
    while start < at and tags.get(cut[start]) == "v":
        start += 1
    return "".join(cut[start : at + 1])
