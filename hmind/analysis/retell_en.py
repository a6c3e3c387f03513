"""Turns "I" into "she said of herself" notes: simple English sentences of a speaker in the third person.

Only what is safe is retold; anything else gives None and is quoted by the caller.
"""

from __future__ import annotations

import re

_OTHERS = re.compile(
    r"\b(?:you|your|yours|you're|you've|we|we're|we've|we'll|us|our|ours|let's)\b|[\"“”]", re.IGNORECASE
)
_FILLER = re.compile(
    r"^(?:(?:yeah|yes|yep|no|well|so|oh|hey|hi|actually|honestly|anyway|btw|by the way|and|but|also|plus|wow|thanks|thank you|hmm|um|like|ok|okay|sure)\b[,!.]*\s+)+",
    re.IGNORECASE,
)
_LEAD = (
    r"(?P<lead>(?:(?:yesterday|today|tonight|tomorrow|recently|lately|currently|now|finally|luckily|unfortunately|sadly|"
    r"(?:last|next|this|every) \w+|(?:in|on|since|during) [\w ]{2,20}?|\w+ (?:days|weeks|months|years) ago)(?: \([^)]*\))?,?\s+)?)"
)
_SUBJECT = re.compile(
    rf"^{_LEAD}(?:I(?P<clitic>['’](?:m|ve|d|ll))?|(?P<my>my))\s+(?P<adverb>(?:(?:\w+ly|just|also|still|never|always|often|even|only|now|then|once|already|sometimes)\s+)*)(?P<verb>[a-z]+(?:n['’]t)?)",
    re.IGNORECASE,
)
_UNCHANGED = frozenset(
    ["can", "could", "will", "would", "shall", "should", "may", "might", "must", "can't", "cannot", "couldn't", "won't", "wouldn't", "shouldn't", "mustn't", "didn't", "hadn't", "used", "did", "had", "was", "wasn't", "went", "got", "made", "took", "came", "saw", "said", "told", "knew", "thought", "found", "gave", "felt", "left", "kept", "let", "began", "brought", "bought", "built", "caught", "chose", "cut", "dealt", "did", "drew", "drank", "drove", "ate", "fell", "fed", "fought", "flew", "forgot", "forgave", "froze", "grew", "hung", "heard", "held", "hit", "hurt", "laid", "led", "learnt", "lent", "lost", "meant", "met", "paid", "put", "quit", "read", "rode", "rang", "rose", "ran", "sent", "set", "shook", "shone", "shot", "showed", "shut", "sang", "sat", "slept", "spoke", "spent", "stood", "stole", "stuck", "struck", "swam", "swore", "taught", "tore", "threw", "understood", "woke", "wore", "won", "wrote", "became", "beat", "bent", "bet", "bit", "bled", "blew", "broke", "bred", "burnt", "burst", "crept", "dreamt", "dug", "dwelt", "hid", "knelt", "leant", "leapt", "lit", "sank", "sold", "sewed", "slid", "smelt", "spelt", "spilt", "split", "spoilt", "spread", "sprang", "stung", "swept", "swung", "underwent", "withdrew"]
)
_SPECIAL = {
    "am": "is", "have": "has", "do": "does", "don't": "doesn't", "don’t": "doesn't", "haven't": "hasn't", "haven’t": "hasn't",
    "go": "goes", "try": "tries", "study": "studies", "carry": "carries", "worry": "worries", "cry": "cries", "apply": "applies",
    "watch": "watches", "teach": "teaches", "miss": "misses", "wish": "wishes", "guess": "guesses", "coach": "coaches",
    "practise": "practises", "practice": "practices", "fix": "fixes", "relax": "relaxes", "push": "pushes", "finish": "finishes",
    "focus": "focuses", "reach": "reaches", "discuss": "discusses", "stretch": "stretches", "search": "searches",
}  # fmt: skip
_BASE = frozenset(
    ["live", "work", "like", "love", "hate", "enjoy", "want", "need", "prefer", "think", "feel", "know", "believe", "hope", "plan", "own", "play", "run", "read", "write", "cook", "bake", "paint", "drive", "take", "make", "get", "keep", "use", "eat", "drink", "speak", "say", "see", "hear", "look", "start", "stop", "help", "find", "give", "tell", "call", "leave", "move", "stay", "walk", "swim", "sing", "dance", "listen", "collect", "volunteer", "train", "travel", "visit", "spend", "save", "wake", "sleep", "wear", "remember", "understand", "agree", "appreciate", "dream", "learn", "grow", "sit", "stand", "buy", "sell", "pay", "meet", "come", "bring", "hold", "host", "manage", "suffer", "struggle", "adore", "dislike", "consider", "expect", "decide", "intend", "design", "build", "create", "support", "trust", "value", "cherish", "admire", "avoid", "crave", "dread", "garden", "hike", "jog", "knit", "meditate", "mentor", "photograph", "ski", "surf", "record", "share", "ride", "bike", "commute", "consult", "babysit", "attend", "talk", "chat"]
)
_PAIRS = [
    (re.compile(r"\bI['’]m\b"), "they're"),
    (re.compile(r"\bI am\b"), "they are"),
    (re.compile(r"\bI was\b"), "they were"),
    (re.compile(r"\bI wasn['’]t\b"), "they weren't"),
    (re.compile(r"\bI(?=['’](?:ve|d|ll)\b)"), "they"),
    (re.compile(r"\bI\b"), "they"),
    (re.compile(r"\bmyself\b"), "themselves"),
    (re.compile(r"\b[Mm]ine\b"), "theirs"),
    (re.compile(r"\b[Mm]y\b"), "their"),
    (re.compile(r"\bme\b"), "them"),
]
_AND_VERB = re.compile(
    rf"\b(and|but|or)\s+((?:also|then|really|usually|often)\s+)?({'|'.join(sorted(_BASE | {'have', 'go', 'do'}))})\b(?!\s+(?:of|is|was)\b)"
)


def retell(sentence: str, name: str) -> str | None:
    """``sentence`` with its speaker in the third person, or None where that is not safe.

    "I went to my sister's flat" by Ann gives "Ann went to their sister's flat".
    """
    if _OTHERS.search(sentence):
        return None
    text = _FILLER.sub("", sentence)
    match = _SUBJECT.match(text)
    if match is None:
        return None
    verb, rest = match["verb"], text[match.end() :]
    if match["my"]:
        first = match["verb"]
        plain = _third_person(f" {first}{rest}")
        return _capital(f"{match['lead']}{name}'s {match['adverb']}".rstrip() + plain)
    conjugated = _clitic(match["clitic"][1:], verb) if match["clitic"] else _conjugate(verb)
    if conjugated is None:
        return None
    if verb.lower() in _BASE or verb.lower() in _SPECIAL:
        rest = _AND_VERB.sub(lambda found: f"{found[1]} {found[2] or ''}{_conjugate(found[3])}", rest)
    adverb = match["adverb"]
    if match["clitic"] or verb.lower() in ("am", "was", "have"):
        told = f"{conjugated[0]} {adverb}{conjugated[1]}" if match["clitic"] else f"{adverb}{conjugated}"
    else:
        told = f"{adverb}{conjugated}"
    return _capital(f"{match['lead']}{name} {told}".replace("  ", " ") + _third_person(rest))


def _clitic(clitic: str, verb: str) -> tuple[str, str] | None:
    match clitic.lower():
        case "m":
            return "is", verb
        case "ve":
            return "has", verb
        case "ll":
            return "will", verb
    if verb in ("better", "been", "never") or verb.endswith("ed"):
        return "had", verb
    return "would", verb


def _conjugate(verb: str) -> str | None:
    lower = verb.lower()
    if lower in _SPECIAL:
        return _SPECIAL[lower]
    if lower.replace("’", "'") in _UNCHANGED or (lower.endswith("ed") and lower not in ("need", "feed", "seed")):
        return lower
    return f"{lower}s" if lower in _BASE else None


def _third_person(rest: str) -> str:
    for pattern, replacement in _PAIRS:
        rest = pattern.sub(replacement, rest)
    return rest


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
