"""Which of the two languages a text is in. No model, no statistics: the share of CJK letters."""

from __future__ import annotations

import re

_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_URL = re.compile(r"(?:https?://|www\.)[!-~]+")
_WORD = re.compile(r"[^\W\d_\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+")

CJK_LETTERS_PER_WORD = 1.6
"""A Chinese word has about this many letters; so many weigh as much as one word of another script."""


def detect(text: str) -> str:
    """``zh`` or ``en``, whichever has more words in ``text``; ``en`` where there are no letters.

    Chat mixes both: "我在Google上班" is ``zh``, "I had 火锅 with my sister" is ``en``. Any script
    other than CJK counts as ``en``, kana counts as ``zh``. Addresses of the web do not count.
    """
    cjk = len(_CJK.findall(text))
    if not cjk:
        return "en"
    words = len(_WORD.findall(_URL.sub(" ", text)))
    return "zh" if cjk / CJK_LETTERS_PER_WORD >= words else "en"
