"""Turns 我 into the speaker's name: simple Chinese sentences in the third person, or None where that is not safe."""

from __future__ import annotations

import re
from functools import cache

from hmind.text.lexicon import either

_OTHERS = re.compile(r"咱|[“”\"「」『』‘’]|我说|我问|自我|敌我|忘我")
_YOU = re.compile(r"[你您]们?")
_TITLE = re.compile(r"[“「『][^“”「」『』你您咱我]{1,40}[”」』]")
"""Quoted words in which nobody speaks of themselves."""
_TOPIC = re.compile(r"[^，,。！？\s]{2,24}?(?:的[^，,。！？\s]{1,8})?(?:是|在|有|将|于|为|会在|定在)")
"""A noun phrase up to its verb: 论坛的地点是……"""
_DROPPED = re.compile(
    r"(?:[\d一二三四五六七八九十今明后昨前去上下这本个周月末年日号天星期早晚中午]{1,8}(?:（[^）]*）)?)?"
    r"(?:(?:很|最|特别|非常|挺|也|还|不太?)*(?:喜欢|讨厌|爱吃|爱喝|爱看)|(?:想|打算|准备|计划)(?=[带去和跟做学买换报考搬找请到参把]))"
)
"""A sentence whose 我 goes without saying: 下个月想带妈妈去南京."""
_FILLER = re.compile(r"^(?:(?:嗯+|哦+|啊|唉|哎|对了|是的|好的|其实|那个|然后|哈哈+|嘿嘿|对啊|是啊)[，,、!！~ ]*)+")


def retell(sentence: str, name: str) -> str | None:
    """``sentence`` with 我 replaced by ``name``, 我们 by 某某他们, 你 by 对方; None where it is not safe."""
    if _OTHERS.search(_TITLE.sub("", sentence)):
        return None
    if "我" not in sentence:
        return f"{name}{sentence}" if _DROPPED.match(sentence) and not _YOU.search(sentence) else None
    text = _FILLER.sub("", sentence) or sentence
    text = text.replace("我们", f"{name}他们", 1).replace("我们", "他们")
    text = _kin().sub(lambda match: f"{name}的{match[1]}", text)
    return _YOU.sub("对方", text.replace("我", name))


def is_impersonal(sentence: str) -> bool:
    """Whether a sentence has no 我 or 你 in it, quotes nobody and opens with a topic of its own."""
    return not needs_speaker(sentence)


def needs_speaker(sentence: str) -> bool:
    """Whether a sentence without 我 only makes sense when one knows who said it: it opens with no topic of its own."""
    bare = _TITLE.sub("", sentence)
    return bool(_OTHERS.search(bare) or _YOU.search(bare)) or "我" in sentence or _TOPIC.match(sentence) is None


@cache
def _kin() -> re.Pattern[str]:
    return re.compile(rf"我(?!的)({either('relations', 'zh.kin')}|{either('relations', 'zh.others')})")
