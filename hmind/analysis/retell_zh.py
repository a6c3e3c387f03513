"""Turns 我 into the speaker's name: simple Chinese sentences in the third person, or None where that is not safe."""

from __future__ import annotations

import re
from functools import cache

from hmind.text.lexicon import either

_OTHERS = re.compile(r"[你您咱]|我们|[“”\"「」『』‘’]|我说|我问|自我|敌我|忘我")
_TOPIC = re.compile(r"[^，,。！？\s]{2,24}?(?:的[^，,。！？\s]{1,8})?(?:是|在|有|将|于|为|会在|定在)")
"""A noun phrase up to its verb: 论坛的地点是……"""
_FILLER = re.compile(r"^(?:(?:嗯+|哦+|啊|唉|哎|对了|是的|好的|其实|那个|然后|哈哈+|嘿嘿|对啊|是啊)[，,、!！~ ]*)+")


def retell(sentence: str, name: str) -> str | None:
    """``sentence`` with 我 replaced by ``name``, or None where somebody else is spoken to or quoted."""
    if "我" not in sentence or _OTHERS.search(sentence):
        return None
    text = _FILLER.sub("", sentence) or sentence
    text = _kin().sub(lambda match: f"{name}的{match[1]}", text)
    return text.replace("我", name)


def needs_speaker(sentence: str) -> bool:
    """Whether a sentence without 我 only makes sense when one knows who said it: it opens with no topic of its own."""
    return bool(_OTHERS.search(sentence)) or "我" in sentence or _TOPIC.match(sentence) is None


@cache
def _kin() -> re.Pattern[str]:
    return re.compile(rf"我(?!的)({either('relations', 'zh.kin')}|{either('relations', 'zh.others')})")
