"""The table of English fact rules: patterns over one clause, with what they mean. Applied by facts_en."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial

from hmind.text.lexicon import either

_KIN = either("relations", "en.kin")
_ADV = r"(?:(?:\w+ly|just|also|now|still|always|already|so|very|quite|even|all|both|absolutely|currently|once|even)\s+)*"
ADVERBS = re.compile(_ADV, re.IGNORECASE)
_BE = r"(?:am|is|are)"
_HAVE = r"(?:have|has)(?:\s+got)?"
_AUX = r"(?:(?:have|has)\s+(?:just\s+|recently\s+|finally\s+)?)?"
_NAME = r"(?P<o>(?-i:[A-Z][\w'’-]+(?:\s+[A-Z][\w'’-]+){0,2}))"
_ANY = r"(?P<o>.+)"
_PLACE = r"(?P<o>(?-i:(?:the\s+)?[A-Z]).+?)"
_END = r"(?=$|\s+(?:with|and|from|for|since|because|so|to|about|last|in|on|next|this|two|three|a|an|few|\d|now|when|after|these|at|alone|again|permanently|right|years|yesterday|but|where|which|who|too|as|recently)\b)"
_COUNT = r"(?:a|an|one|two|three|four|five|\d)"


@dataclass(frozen=True, slots=True)
class Rule:
    """One way of saying one thing.

    Attributes:
        value: the object, where the pattern itself says it; else group ``o``.
        state: may be over ("used to", "as a kid"); then it gets a valid_to.
        over: the clause says that it has ended. starts: that it begins now. dated: look for a time.
        needs_future: only with a time to come. capital: object must start so. many: split lists.
        shared: "we" speaks for the speaker. others: may be said of my sister or of Anna.
        speaker_only: the subject is the speaker, whatever the clause's subject.
        after_subject: the pattern begins where the subject and its adverbs end.
        plan: a time counts when it is not over yet.
        negative: its verb may be negated; all others need the words before the object without a "not".
        last: no rule after this one looks at the clause. longest: most words of an object.
    """

    predicate: str
    pattern: re.Pattern[str]
    confidence: float = 0.9
    value: str = ""
    state: bool = True
    over: bool = False
    starts: bool = False
    dated: bool = False
    needs_future: bool = False
    capital: bool = False
    many: bool = False
    bare: bool = True
    taste: bool = False
    shared: bool = False
    others: bool = True
    speaker_only: bool = False
    last: bool = True
    negative: bool = False
    plan: bool = False
    after_subject: bool = False
    longest: int = 8


def _rule(predicate: str, pattern: str, **more: object) -> Rule:
    return Rule(predicate, re.compile(pattern, re.IGNORECASE), **more)  # type: ignore[arg-type]


def _of(predicate: str, verb: str, **more: object) -> Rule:
    """A rule on what follows the subject and its adverbs."""
    return _rule(predicate, verb, after_subject=True, **more)


_mine = partial(_rule, speaker_only=True)

_NAMES = [
    _mine("name", rf"^(?:my (?:full |first |real |actual )?name is|call me|(?:please )?call me|people call me|everyone calls me|(?:my )?friends call me|i am called|i go by|you can call me)\s+{_NAME}", state=False),
    _mine("changed_name_to", rf"^(?:i {_AUX}(?:legally |officially |just )*changed my (?:\w+ )?name (?:from \w+ )?to|i now go by|my new name is|my name is now|i am now called)\s+{_NAME}", dated=True, starts=True, state=False),
    _mine("name", rf"^i am\s+(?P<o>(?-i:(?:{either('names', 'en.first_names')})))(?=$|,|\s+(?:and|from)\b)", confidence=0.85, state=False),
]
_HOME = [
    _of("lives_in", rf"used to live in\s+{_PLACE}{_END}", capital=True, over=True, confidence=0.65, shared=True),
    _of("lives_in", rf"(?:lived|was living|were living)\s+in\s+{_PLACE}{_END}", capital=True, over=True, confidence=0.6, shared=True),
    _of("lives_in", rf"(?:{_BE}\s+)?{_ADV}(?:live|lives|living|reside|resides|residing|based|settled)\s+(?:\w+\s+)?in\s+{_PLACE}{_END}", capital=True, dated=True, shared=True),
    _of("lives_in", rf"have (?:been living|lived)\s+in\s+{_PLACE}{_END}", capital=True, dated=True, shared=True),
    _of("lives_in", rf"{_AUX}{_ADV}(?:moved|relocated|emigrated|immigrated)\s+(?:back\s+|over\s+|up\s+|down\s+|out\s+|house\s+)?(?:from\s+.+?\s+)?(?:to|into)\s+{_PLACE}{_END}", capital=True, dated=True, starts=True, shared=True),
    _of("plans_to", rf"(?:{_BE})\s+(?:moving|relocating|emigrating)\s+(?:back\s+|over\s+)?to\s+(?P<o>(?-i:[A-Z]).+)", capital=True, dated=True, confidence=0.9, shared=True),
    _of("comes_from", rf"(?:{_BE}|come|comes)\s+(?:originally\s+)?from\s+{_PLACE}{_END}", capital=True, state=False),
    _of("born_in", rf"was\s+(?:actually\s+)?born\s+(?:and raised\s+)?in\s+(?P<o>(?-i:[A-Z]).+?){_END}", capital=True, state=False, last=False),
    _of("grew_up_in", rf"(?:was born and raised|grew up|was raised)\s+in\s+{_PLACE}{_END}", capital=True, state=False),
]
_OCC = either("facts", "en.occupations")
_WORK = [
    _of("works_at", rf"used to work (?:at|for)\s+{_PLACE}{_END}", capital=True, over=True, confidence=0.65),
    _of("works_as", rf"used to (?:be|work as)\s+(?:a|an)\s+(?P<o>(?:\w+\s+){{0,2}}(?:{_OCC}))\b", over=True, confidence=0.65),
    _of("works_at", rf"(?:left|quit|resigned from|{_AUX}(?:just )?(?:left|quit|resigned from)|got (?:fired|laid off) from|was (?:fired|laid off) from|retired from)\s+(?:my (?:job|position|role)\s+(?:at|with)\s+)?(?:working (?:at|for)\s+)?(?P<o>(?-i:[A-Z]).+?){_END}", capital=True, over=True, confidence=0.85),
    _of("employment", rf"{_AUX}(?:just )?(?:quit|left|lost|resigned from)\s+my job\b", value="left the job", dated=True, starts=True, state=False),
    _of("employment", rf"(?:{_BE}|{_AUX}got|was|have been|has been)\s+(?:just\s+|recently\s+|currently\s+|now\s+)?(?P<o>retired|unemployed|self-employed|laid off|between jobs|made redundant|on maternity leave|on parental leave)\b", dated=True),
    _of("employment", rf"{_AUX}(?P<o>retired)\b(?!\s+from)", dated=True, starts=True, state=False),
    _of("works_as", rf"{_ADV}(?:work|works|am working|is working|have worked|got a job|{_AUX}started(?: working)?|{_AUX}started a new job)\s+as\s+(?:a|an|the)\s+(?P<o>.+?)(?=$|\s+(?:at|for|in|since|from|with)\b)", dated=True, last=False, longest=4),
    _of("works_as", rf"{_BE}\s+{_ADV}(?:a|an)\s+(?P<o>(?:[\w-]+\s+){{0,3}}?(?:{_OCC}))(?=$|\s+(?:at|for|in|by|who|since|with|working|here|now|from|and|on)\b)", last=False, longest=5),
    _of("works_as", rf"(?:work|works|am working|is working|worked)\s+(?:at|for)\s+.+?\s+as\s+(?:a|an|the)\s+(?P<o>[\w -]+?)(?=$|,|\s+(?:and|since|in|for)\b)", last=False, longest=4),
    _of("works_at", rf"(?:{_BE}\s+)?{_ADV}(?:work|works|working|have worked|has worked|have been working|been working|have a job|has a job)\s+(?:\w+\s+)?(?:at|for)\s+{_PLACE}{_END}", capital=True, dated=True),
    _of("works_at", rf".{{3,60}}?\b(?:{_OCC})\s+(?:at|for)\s+{_PLACE}{_END}", capital=True, confidence=0.85),
    _of("works_at", rf"{_AUX}{_ADV}(?:joined|started (?:working )?(?:at|for)|started (?:a|my) (?:new )?(?:job|position|role) (?:at|with)|got (?:a|the) (?:new )?(?:job|position|role|offer) (?:at|with)|got hired (?:at|by)|was hired by)\s+(?P<o>(?-i:(?:the\s+)?[A-Z]).+?){_END}", capital=True, dated=True, starts=True),
    _of("works_in", rf"{_ADV}(?:work|works|am working|is working)\s+in\s+(?P<o>(?:\w+\s+)?(?:finance|marketing|sales|tech|it|healthcare|education|publishing|advertising|insurance|banking|retail|hospitality|construction|logistics|hr|law|accounting|journalism|research|tourism|fashion|agriculture|consulting|engineering|design|real estate|customer service))\b"),
]
_STUDY = [
    _of("graduated_from", rf"{_AUX}(?:just )?graduated\s+(?:from|at)\s+{_PLACE}{_END}", capital=True, dated=True, state=False),
    _of("studies_at", rf"(?:study|studies|am studying|is studying|go to school|goes to school|am enrolled|is enrolled|got into|was accepted (?:to|into|at)|got accepted (?:to|into))\s*(?:\w+\s+)?(?:at|in(?= the)|)\s*{_PLACE}{_END}", capital=True, confidence=0.85),
    _of("studies_at", rf".{{2,50}}?\b(?:student|freshman|sophomore|undergraduate|studying [\w ]{{2,30}}?|phd|degree [\w ]{{2,30}}?)\s+at\s+{_PLACE}{_END}", capital=True, last=False),
    _of("studies", rf"(?:(?:{_BE})\s+{_ADV}(?:studying|majoring in|doing (?:a|my) (?:phd|degree|master's|masters|bachelor's) in)|study|studies|major in|majors in)\s+(?P<o>(?!for\b|in\b|at\b|hard\b|abroad\b|a lot\b|with\b|every)[\w ]+?)(?=$|\s+(?:at|in|for|since|with|now|and|abroad|because|every|right|online)\b)", longest=4),
]
_FAMILY = [
    _mine("marital_status", rf"^(?:i|we) (?:am|are|have been|{_AUX}got|just got|{_AUX}just got|are now|am now|were|was|will be|are getting|am getting)\s+(?:now\s+|finally\s+|just\s+|happily\s+|recently\s+|officially\s+)*(?P<o>engaged|divorced|separated|widowed|married)\b", dated=True, state=True, last=False),
    _mine("spouse", rf"^i (?:am|{_AUX}got|have been|just got) (?:\w+ )?married to\s+{_NAME}", state=False),
    _mine("marital_status", r"^i am (?:\w+ly |still |currently )?(?P<o>single|a widow|a widower|in a relationship)$"),
    _mine("is_pregnant", r"^(?:i am|my wife is|my partner is|we are) (?:\w+ weeks |\w+ months |currently |officially )?(?:pregnant|expecting(?: a baby| twins| our .+)?)$", value="yes", dated=True, state=False),
    _mine("has_child", rf"^(?:i|my wife|my partner|we) {_AUX}(?:just |recently )?(?:gave birth to|welcomed|had)\s+(?P<o>(?:a|our|my)\s+(?:\w+\s+){{0,2}}(?:baby|boy|girl|son|daughter|twins)(?:\s+(?:boy|girl))?(?:\s+(?:named|called)\s+(?-i:[A-Z]\w+))?)", dated=True, starts=True, state=False),
    _mine("has_child", r"^(?:my|our) (?P<o>(?:\w+ )?(?:son|daughter|baby|child|twins)(?: [A-Z]\w+)?) (?:was|were) born", dated=True, starts=True, state=False),
    _rule("lost", rf"^(?:my|our)\s+(?P<o>(?:\w+\s+)?(?:{_KIN}|friend|best friend|dog|cat)(?:\s+(?-i:[A-Z]\w+))?)\s+(?:has\s+|have\s+|just\s+|sadly\s+|recently\s+|suddenly\s+|peacefully\s+)*(?:died|passed away|passed on|passed)\b", speaker_only=True, dated=True, state=False),
    _mine("lost", rf"^(?:i|we) {_AUX}(?:just |recently )?lost my\s+(?P<o>(?:{_KIN}|best friend|dog|cat))\b", dated=True, state=False),
    *[
        _mine(f"has_{kin}", rf"^i {_HAVE}\s+(?:only\s+|also\s+)?(?:{_COUNT}|twin|triplet)\s+(?P<o>(?:(?:older|younger|elder|little|big|twin|baby|beautiful|lovely|wonderful|grown|adult|teenage|\d+-year-old|\w+-year-old)\s+)*{form}(?:s|ren)?(?:,?\s+(?:named|called|who is called)\s+(?-i:[A-Z]\w+)(?:\s+and\s+(?-i:[A-Z]\w+))?)?)(?=$|,|\s+(?:who|and|in|living|at|studying|working|aged)\b)", state=False)
        for kin, form in (("sister", "sister"), ("brother", "brother"), ("sibling", "sibling"), ("child", "(?:son|daughter|child|kid|boy|girl)"), ("spouse", "(?:husband|wife|partner)"), ("partner", "(?:girlfriend|boyfriend)"), ("grandchild", "(?:grandson|granddaughter|grandchild)"), ("relative", "(?:cousin|niece|nephew|uncle|aunt)"))
    ],
    *[
        _mine(f"has_{kin}", rf"^my (?:\w+ )?(?:{form})(?:'s name is| is called| is named|, whose name is)\s+{_NAME}", state=False)
        for kin, form in (("sister", "sister"), ("brother", "brother"), ("child", "son|daughter|child|baby"), ("spouse", "husband|wife|partner|spouse"), ("partner", "girlfriend|boyfriend"), ("mother", "mother|mom|mum"), ("father", "father|dad"), ("grandmother", "grandmother|grandma"), ("grandfather", "grandfather|grandpa"), ("friend", "friend|best friend"), ("doctor", "doctor|gp"), ("boss", "boss|manager"), ("teacher", "teacher|tutor"), ("roommate", "roommate|flatmate|housemate"))
    ],
]
_PET = either("relations", "en.pets")
_PETS = [
    _mine("has_pet", rf"^(?:i|we) (?:{_HAVE}|own|{_AUX}(?:just |recently |finally )*(?:adopted|rescued|got|bought|took in))\s+(?:{_COUNT}\s+|some\s+|this\s+)?(?P<o>(?:(?!my\b|our\b|the\b|been\b|to\b|it\b|him|her|no\b|more|off|rid|that|this|these|always|never|ever\b|liked|loved|wanted|had\b|seen|a lot|met|of\b)[\w-]+\s+){{0,3}}?(?:{_PET})(?:\s+and\s+(?:a\s+|an\s+|one\s+|two\s+|three\s+)(?:\w+\s+)?(?:{_PET}))?(?:,?\s+(?:(?:named|called)\s+)?(?-i:[A-Z]\w+)(?:\s+and\s+(?-i:[A-Z]\w+))?)?)(?=$|,|\s+(?:and|from|who|at|last|since|for|yesterday|today|this|two|in|named|called|with|recently|a|to)\b)", shared=True, dated=True),
    _mine("has_pet", rf"^(?:my|our) (?P<o>(?:\w+ )?(?:{_PET})(?:'s name is| is called| is named)\s+(?-i:[A-Z]\w+))", state=False),
    _mine("has_pet", rf"^(?:my|our) (?P<o>(?:{_PET})\s+(?-i:[A-Z][a-z]+))\s+(?:is|loves|likes|has|just|was|got|turned|hates|sleeps)\b", state=False, confidence=0.85),
]
_COND, _MED = either("facts", "en.conditions"), either("facts", "en.medications")
_HEALTH = [
    _of("allergic_to", rf"{_BE}\s+{_ADV}(?:deathly |a bit |a little |pretty )?allergic to\s+{_ANY}", many=True, dated=False, longest=4, confidence=0.95),
    _of("allergic_to", rf"(?:{_HAVE}|suffer from|suffers from|developed|{_AUX}developed)\s+(?:a|an)\s+(?:\w+\s+)?(?:allergy|reaction) to\s+{_ANY}", many=True, longest=4),
    _of("allergic_to", rf"(?:{_HAVE}|suffer from|suffers from)\s+(?:a|an)?\s*(?:\w+ly\s+|severe\s+|mild\s+|bad\s+|serious\s+)?(?P<o>\w+(?:\s\w+)?)\s+allerg(?:y|ies)\b", longest=3),
    _of("has_condition", rf"{_BE}\s+{_ADV}(?P<o>{either('facts', 'en.adjectives')})\b", dated=False),
    _of("has_condition", rf"(?:(?:was|were|got|have been|has been|am|is)\s+{_ADV})?diagnosed with\s+(?:a\s+|an\s+)?(?P<o>(?:type (?:[12]|one|two) )?[\w'-]+(?: [\w'-]+){{0,3}}?){_END}", dated=True, longest=6),
    _of("has_condition", rf"(?:{_HAVE}|suffer from|suffers from|live with|lives with|struggle with|struggles with|am living with|am dealing with|am battling|is battling|developed|{_AUX}developed)\s+(?:a\s+|an\s+|severe\s+|mild\s+|chronic\s+|bad\s+|terrible\s+|really\s+)*(?P<o>(?:(?!no|not|question|about|of|from|talk|friend|student|patient|client|for|with|book|article)[\w-]+\s+){{0,2}}?(?:{_COND}))\b", dated=True, longest=4),
    _of("has_condition", rf"{_HAVE}\s+(?:a\s+|an\s+)?(?P<o>(?:(?:high|low)\s+(?:blood pressure|cholesterol|blood sugar))|(?:heart|kidney|thyroid|liver|lung)\s+(?:condition|disease|problem|murmur)|chronic \w+(?: \w+)?)\b"),
    _of("takes_medication", rf"(?:take|takes|am taking|is taking|am on|is on|have to take|started taking|{_AUX}started(?: taking)?|was prescribed|{_AUX}been prescribed|was put on|use|uses)\s+(?:\w+\s+)?(?:of\s+)?(?P<o>(?:{_MED})(?:\s+(?:tablets|pills|injections|for [\w ]+))?)\b", dated=True),
    _of("takes_medication", r"(?:take|takes|am taking|is taking|am on|is on)\s+(?P<o>(?:medication|medicine|meds|tablets|pills)\s+for\s+[\w ]+)"),
    _of("had_surgery", rf"(?:had|underwent|{_AUX}had|{_AUX}undergone|just had)\s+(?:a\s+|an\s+|my\s+|to have\s+)?(?P<o>(?:(?!no)[\w-]+\s+){{0,3}}?(?:surgery|operation|transplant|bypass|appendectomy|c-section|caesarean|biopsy))\b", dated=True, state=False),
    _of("had_surgery", r"had\s+my\s+(?P<o>(?:appendix|tonsils|gallbladder|wisdom teeth|spleen)\s+(?:removed|taken out|out))\b", dated=True, state=False),
    _of("has_injury", rf"{_AUX}(?:just\s+)?(?P<o>(?:broke|fractured|sprained|tore|dislocated|twisted|injured)\s+(?:my|his|her|their)\s+(?:\w+\s+)?(?:arm|leg|ankle|wrist|knee|foot|hand|finger|toe|rib|ribs|hip|shoulder|collarbone|elbow|ligament|acl|back|nose))\b", dated=True, state=False),
]
_DIET = either("facts", "en.diets")
_TASTES = [
    _of("diet", rf"(?:(?:{_BE}|became|went|turned|{_AUX}(?:become|gone|been)|eat|eats|follow|keep|am on)\s+){_ADV}(?:strictly\s+|a\s+|an\s+|the\s+)?(?:strict\s+|lifelong\s+)?(?P<o>{_DIET})\b(?!\s+(?:restaurant|place|food|friend))", dated=True),
    _of("avoids", r"(?:do|does) not (?:eat|drink|touch)\s+(?:any\s+)?(?P<o>(?!it|that|this|much|a lot|enough|at|in|out|any ?more|anything)[\w -]+)", many=True, longest=4, others=True, negative=True),
    _of("avoids", r"(?:can|may) not (?:eat|drink|have|tolerate)\s+(?:any\s+)?(?P<o>(?!it|that|this|much|any ?more|a |enough|kids)[\w -]+)", many=True, longest=3, confidence=0.85, negative=True),
    _of("avoids", rf"(?:{_AUX}(?:just |recently |finally )?(?:stopped|quit|gave up|given up))\s+(?:eating\s+|drinking\s+)?(?P<o>smoking|drinking|alcohol|coffee|sugar|meat|caffeine|cigarettes|dairy|gluten|beer|wine|soda|vaping|gambling|[\w]+ food)\b", dated=True, starts=True, state=False, negative=True),
    _of("dislikes", r"(?:hate|hates|dislike|dislikes|detest|detests|despise|loathe|can not stand|can not bear|do not like|does not like|do not enjoy|does not enjoy|really do not like|never liked|am not a (?:big |huge )?fan of|is not a fan of|am not into|am not fond of|do not care for)\s+" + _ANY, taste=True, many=True, longest=5, negative=True),
    _mine("favorite", r"^my (?:all-time |absolute )?favou?rite (?P<o>[\w ]{2,25}? (?:is|are) .+)", bare=False, longest=12, state=True, confidence=0.9),
    _mine("favorite", r"^(?P<o>[\w ]{2,40} is my (?:all-time |absolute )?favou?rite [\w ]{2,25})$", longest=12, confidence=0.85),
    _of("prefers", r"(?:prefer|prefers|would rather have)\s+(?P<o>(?!to be (?:contacted|called))(?:.+?))(?=$|\s+(?:because|but|when|so|if)\b)", taste=True, longest=9),
    _of("likes", rf"(?:{_BE})\s+{_ADV}(?:a\s+(?:big\s+|huge\s+|massive\s+|great\s+|lifelong\s+)?fan of|into|fond of|keen on|crazy about|obsessed with|passionate about|addicted to)\s+{_ANY}", taste=True, many=True, longest=5),
    _of("likes", rf"(?:{_AUX}always\s+loved|love|loves|like|likes|enjoy|enjoys|adore|adores)\s+{_ANY}", taste=True, many=True, longest=5),
    _mine("hobby", r"^(?:one of )?my (?:main |favou?rite |new )?(?:hobby|hobbies|pastime|passion) (?:is|are|include)\s+" + _ANY, many=True, longest=4),
]
_OWNS = either("facts", "en.things")
_POSSESSIONS = [
    _mine("owns", rf"^(?:i|we) {_AUX}(?:just |recently |finally )?sold (?:my|our)\s+(?:old\s+)?(?P<o>(?:\w+\s+){{0,2}}(?:{_OWNS}))\b", over=True, confidence=0.85),
    _mine("owns", rf"^(?:i|we) {_AUX}(?:just |recently |finally )*(?:bought|purchased|picked up|ordered|treated myself to)\s+(?:myself\s+|ourselves\s+)?(?:a|an|my|our|my first|our first)\s+(?:brand[- ]new\s+|brand new\s+|new\s+|second-hand\s+|used\s+|first\s+|own\s+)*(?P<o>(?:[\w-]+\s+){{0,2}}(?:{_OWNS}))\b", dated=True, starts=True),
    _mine("owns", rf"^(?:i|we) (?:own|{_HAVE})\s+(?:a|an|my own|our own|two|three)\s+(?:brand[- ]new\s+|new\s+|old\s+|small\s+|little\s+|vintage\s+)*(?P<o>(?:[\w-]+\s+){{0,2}}(?:{_OWNS}))s?(?=$|,|\s+(?:that|and|with|in|which|from|at|on|by)\b)"),
    _mine("owns", r"^(?:i|we) (?:own|drive)\s+(?:a|an)\s+(?P<o>[\w -]+?)(?=$|\s+(?:that|and|with|in|which|from|to|at)\b)", confidence=0.85, longest=4),
]
_PERSONAL = [
    _of("age", r"(?:am|is)\s+(?:already\s+|now\s+|only\s+|almost\s+)?(?P<o>\d{1,3})(?:\s+years? old)(?=$|\s|,)", state=False),
    _of("age", r"(?:am|is)\s+(?:already\s+|now\s+)?(?P<o>\d{2})(?=$|\s+and\b)", state=False, confidence=0.83),
    _of("age", rf"{_AUX}(?:just\s+)?(?:turned|turn|am turning|is turning)\s+(?P<o>\d{{1,3}})\b", dated=True, state=False),
    _mine("birthday", r"^my birthday is\s+(?:on\s+)?(?P<o>(?!coming|soon|next|this|today|tomorrow|not|the best|always)[\w ,]+)", state=False, bare=False, longest=5),
    _mine("birthday", r"^i was born on\s+(?P<o>[\w ,]+)", state=False, bare=False, longest=5),
    _mine("birth_year", r"^i was born in\s+(?P<o>(?:19|20)\d\d)\b", state=False),
    _mine("preferred_language", rf"^(?:please |from now on,? |always |can you |could you |i (?:would )?prefer (?:if you |you to |to )?)*(?:reply|respond|answer|talk|speak|write|communicate|chat|be answered|get answers|get replies)(?:\s+(?:to me|with me|your answers|everything))?\s+(?:only\s+)?in\s+(?P<o>{either('facts', 'en.languages')})\b"),
    _mine("speaks", rf"^(?:i|my (?:native|first|mother) (?:language|tongue))\s+(?:\w+ly\s+|also\s+|can\s+)*(?:speak|is)\s+(?:fluent\s+|a little\s+|some\s+)?(?P<o>(?:{either('facts', 'en.languages')})(?:(?:,\s*|\s+and\s+|,\s+and\s+)(?:a little\s+|some\s+)?(?:{either('facts', 'en.languages')}))*)\b", many=True),
    _mine("contact_preference", r"^(?:i prefer (?:to be (?:contacted|reached|called)|being contacted|contact)\s+|please (?:contact|reach|email|text|message) me\s+|the best way to reach me is\s+)(?P<o>(?:by|via|on|at|through|after|before|only)?\s*[\w ]+)", bare=False),
]
_IDLE = (
    r"(?!(?:be|say|tell|admit|need|have|miss|love|keep|make (?:it|this|that|sure|my|the most)|stay|try|give (?:it|this|that)|check|see (?:if|how|what|where|it)|look|do (?:it|this|that|my|whatever|everything)|"
    r"let|think|put (?:in|my|all)|use|get (?:it|through|there|better|this)|work (?:on|hard|harder)|focus|continue|show|share|remember|believe|enjoy|take (?:it|this|that|a chance|the)|end up|happen|win|succeed|help|go for it|regret|die|cry|lie|call it|leave it|figure|inspire)\b)"
)
_PLANS = [
    _of("plans_to", r"(?:am|are|is)\s+(?:\w+ly\s+)?(?P<o>going to (?:a |an |the |my |our |(?-i:[A-Z])).+)", dated=True, shared=True, state=False, plan=True, longest=16, bare=False, confidence=0.85),
    _of("plans_to", rf"(?:{_BE}\s+{_ADV}(?:planning (?:to|on)|going to|gonna|about to|intending to|set to|preparing to|due to|scheduled to)|plan(?:s)? to|plan(?:s)? on|intend(?:s)? to|{_AUX}decided to)\s+(?P<o>{_IDLE}.+)", dated=True, shared=True, state=False, plan=True, longest=16, bare=False, confidence=0.85),
    _of("plans_to", rf"{_BE}\s+{_ADV}hoping to\s+(?P<o>{_IDLE}.+)", dated=True, needs_future=True, shared=True, state=False, plan=True, longest=16, bare=False, confidence=0.7),
    _of("signed_up_for", rf"{_AUX}(?:just\s+|recently\s+)?(?:signed up|enrolled|registered)\s+(?:for|in)\s+(?P<o>(?!it|this|that).+)", dated=False, shared=True, state=False, longest=8),
    _of("plans_to", rf"(?:{_BE})\s+{_ADV}(?P<o>(?:flying|travelling|traveling|driving|going|visiting|starting|meeting|having|taking|leaving|moving|running|hosting|attending|returning|seeing|launching|graduating|performing|presenting|retiring|marrying)\b.+)", dated=True, needs_future=True, shared=True, state=False, plan=True, longest=16, bare=False, confidence=0.85),
    _of("plans_to", rf"will (?:be (?=\w+ing))?(?P<o>(?!always|never|not|definitely|keep|let|tell){_IDLE}[a-z]+ .+)", dated=True, needs_future=True, shared=True, state=False, plan=True, longest=16, bare=False, confidence=0.85),
    _mine("plans_to", r"^i have (?:a|an|my)\s+(?P<o>(?:\w+\s+){0,3}(?:appointment|interview|exam|surgery|operation|meeting|flight|wedding|deadline|presentation|check-up|checkup|test|race|marathon|concert)\b.*)", dated=True, needs_future=True, state=False, plan=True, bare=False, longest=14),
    _mine("has_goal", r"^my (?:\w+ )?(?:goal|dream|ambition|new year's resolution|resolution) (?:for \w+ (?:\w+ )?)?is to\s+" + _ANY, state=True, longest=16, bare=False, confidence=0.85),
]

RULES: tuple[Rule, ...] = (
    *_NAMES, *_HEALTH, *_HOME, *_FAMILY, *_PETS, *_WORK, *_STUDY, *_PERSONAL, *_PLANS, *_POSSESSIONS, *_TASTES,
)  # fmt: skip
"""In the order in which they are tried; the first that fits and is ``last`` ends the clause."""
