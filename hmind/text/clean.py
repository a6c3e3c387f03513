"""Makes any string safe to store and to search. Changes no word; knows nothing of languages."""

from __future__ import annotations

import re
import unicodedata

_LINE_ENDS = re.compile(r"\r\n?|[\u0085\u2028\u2029]")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_NEVER = re.compile(r"[\ufeff\u200b\u2060]")
_EMOJI = (
    r"\u00a9\u00ae\u2190-\u21ff\u2300-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_AFTER_EMOJI = _EMOJI + r"\ufe0f\u20e3\U000e0020-\U000e007f"
# Arabic to Sinhala, Tibetan, Burmese, Khmer and Mongolian, where a joiner changes how a word is spelt.
_JOINING = r"\u0600-\u0dff\u0f00-\u109f\u1780-\u18af\ua840-\ua87f"
_JOINERS = re.compile(
    rf"(?<=[{_AFTER_EMOJI}])\u200d(?=[{_EMOJI}])|(?<=[{_JOINING}])[\u200c\u200d](?=[{_JOINING}])|([\u200c\u200d])"
)


def clean(text: str) -> str:
    """``text`` in NFC, without what a store would refuse or a reader could not see.

    Gone are NUL and the other C0 and C1 controls except newline and tab, lone surrogates (pairs
    become the letter they stand for), byte order marks, zero-width spaces, joiners that join
    nothing, and white space at both ends. Joiners inside emoji and inside words of scripts that
    need them stay. All line ends become a newline. Never fails; the result encodes to UTF-8;
    cleaning it again changes nothing.
    """
    if text.isascii():
        if not text.isprintable():
            text = _CONTROLS.sub("", _LINE_ENDS.sub("\n", text))
        return text.strip()
    if _SURROGATES.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
    text = _NEVER.sub("", _CONTROLS.sub("", _LINE_ENDS.sub("\n", text)))
    text = unicodedata.normalize("NFC", text)
    text = _JOINERS.sub(_keep_joiner, text)
    return unicodedata.normalize("NFC", text).strip()


def _keep_joiner(match: re.Match[str]) -> str:
    return "" if match.group(1) else match.group()
