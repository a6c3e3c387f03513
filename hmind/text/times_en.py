"""All English rules of time, in order of precedence. Putting what they find together is in times.py."""

from __future__ import annotations

import re

from hmind.text.times_en_dates import DATES
from hmind.text.times_en_days import DAYS
from hmind.text.times_en_parts import PARTS
from hmind.text.times_en_words import tense
from hmind.text.times_rules import Reader

# ASCII, so that a word may stand right beside Chinese. All rules begin at the start of a word.
READER = Reader(PARTS + DAYS + DATES, tense, re.IGNORECASE | re.ASCII, gate=r"\b(?=\w)")
