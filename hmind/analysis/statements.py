"""Writes readings down as notes: speaker named, dates absolute, a question with its answer. Offline analyst only."""

from __future__ import annotations

from datetime import datetime

from hmind.analysis import dating, retell_en, retell_zh, trimming
from hmind.analysis.reading import Line, Reading
from hmind.model import Statement

LONGEST = 240
"""Letters after which a turn's next sentence opens another statement."""


def write(reading: Reading) -> list[Statement]:
    """The statements of one turn that was kept, in order; never empty for a reading with lines or a caption."""
    if reading.question is not None:
        return [_pair(reading, reading.question)]
    ids = (reading.turn.turn_id,)
    found: list[Statement] = []
    chunk: list[Line] = []
    length = 0
    for line in reading.lines:
        if chunk and (length + len(line.text) > LONGEST or line.asked or chunk[-1].asked):
            found.append(Statement(_told(chunk, reading), ids, _happened(chunk, reading)))
            chunk, length = [], 0
        chunk.append(line)
        length += len(line.text)
    if chunk:
        found.append(Statement(_told(chunk, reading), ids, _happened(chunk, reading)))
    if reading.caption:
        shown = _shown(reading)
        if found:
            last = found[-1]
            found[-1] = Statement(f"{last.text} {shown}", ids, last.occurred_at)
        else:
            found.append(
                Statement(f"{name_of(reading)}{'发了' if reading.language == 'zh' else ' shared'}{shown}", ids)
            )
    return found


def name_of(reading: Reading) -> str:
    """The speaker as a note names them: a name, "The user", 用户."""
    if reading.subject != "user":
        return reading.subject
    return "用户" if reading.language == "zh" else "The user"


def _shown(reading: Reading) -> str:
    if reading.lines:
        return f"[图片：{reading.caption}]" if reading.language == "zh" else f"[photo: {reading.caption}]"
    return f"图片：{reading.caption}" if reading.language == "zh" else f" a photo: {reading.caption}"


def _told(chunk: list[Line], reading: Reading) -> str:
    language, name = reading.language, name_of(reading)
    gap = "" if language == "zh" else " "
    dated = [trimming.trim(dating.with_dates(line.text, line.times, language), language) for line in chunk]
    if chunk[0].asked:
        return f"{name}问：{gap.join(dated)}" if language == "zh" else f"{name} asked: {gap.join(dated)}"
    parts: list[str] = []
    quoting = False
    for text in dated:
        alone = (parts and not quoting and _impersonal(text, language)) or (
            reading.subject == "user" and _stands(text, language)
        )
        told = _retold(text, name, language) or (text if alone else "")
        said = text if quoting or told else f"{name}：{text}" if language == "zh" else f"{name}: {text}"
        parts.append(told or said)
        quoting = not told
    return gap.join(_closed(part, language) for part in parts)


def _closed(text: str, language: str) -> str:
    """``text`` with a full stop where it ends in a Chinese word; English ends are left as they were written."""
    return f"{text}。" if language == "zh" and "\u4e00" <= text[-1:] <= "\u9fff" else text


def _impersonal(text: str, language: str) -> bool:
    """Whether a sentence names neither speaker nor listener, so that it can follow one that does."""
    return retell_zh.is_impersonal(text) if language == "zh" else retell_en.is_impersonal(text)


def _stands(text: str, language: str) -> bool:
    """Whether a sentence says what it is about and needs no speaker."""
    return not (retell_zh.needs_speaker(text) if language == "zh" else retell_en.needs_speaker(text))


def _retold(text: str, name: str, language: str) -> str | None:
    return retell_zh.retell(text, name) if language == "zh" else retell_en.retell(text, name)


def _pair(reading: Reading, question: Reading) -> Statement:
    line = reading.lines[0]
    answer = trimming.trim(dating.with_dates(line.text, line.times, reading.language), reading.language)
    name = name_of(reading)
    if reading.language == "zh":
        text = f"被问“{question.asks}”，{name}答：{answer}"
    else:
        text = f'Asked "{question.asks}", {name[0].lower() + name[1:] if name == "The user" else name} said: {answer}'
    return Statement(text, (question.turn.turn_id, reading.turn.turn_id), _happened([line], reading))


def _happened(chunk: list[Line], reading: Reading) -> datetime | None:
    """When the first past thing in ``chunk`` happened; plans keep the time they were told."""
    for line in chunk:
        for time in line.times:
            if dating.is_bare_clock(time):
                continue
            if time.direction <= 0 and time.grain != "recent" and time.start <= reading.turn.occurred_at:
                return time.start
    return None
