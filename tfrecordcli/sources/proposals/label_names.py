"""How columns of labels are called, and those of what is told of rows."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

# Patterns, which `re` compiles when they are first asked: few lists do, and every start would pay for it.

# How unlikely a column is one of labels whose name says nothing.
UNTOLD: Final = 2
# Of HAM10000, CBIS-DDSM, diabetic retinopathy, and many others.
_CALLED_LABEL: Final = (
    r"^(dx|level|grade|stage|condition|type|product[\s_-]?type)$|[\s_-]grade$|patholog|disease|severity|class|label|categor|taxon"
    r"|(^|[\s_-])(defect|fault|damage|anomaly|pest)([\s_-]?(type|kind|code|name))?$"
    r"|(^|[\s_-])(cls|genus|family|variety|cultivar|rasse|gattung|sorte)($|[\s_-])"
)
# Surer ones, as `scientific_name` of iNaturalist beside its `iconic_taxon_name` of larger groups.
_SURELY_LABEL: Final = (
    r"(.*[\s_-])?(species|(common|scientific|latin)[\s_-]?name|breed|diagnos(is|e|tic)|findings?|histolog(y|ie)|befund)"
    r"([\s_-]?(\d+|guess|name|id|code))?"
)
# `artist_name`, `gt_name`; not of who, where and which file.
_NAMED: Final = (
    r"(?!.*(file|image|img|photo|pic|path|folder|dir|video|camera|device|patient|person|user|owner|annotat|worker"
    r"|rater|site|station|place|location|city|country|region|street|first|last|full|host|project|source|data"
    r"|column|field|option|original|display|alt|split|run))(.+[\s_-])name"
)
# Who told of an image, and remarks on it.
_TOLD_BY: Final = (
    r"rater|annotator|labell?er|(annotated|labell?ed)[\s_-]?by|observer|inspector|examiner|operator|pr(ü|ue)fer(in)?|bearbeiter(in)?|untersucher(in)?"
    r"|remarks?|bemerkung(en)?|notes?|comments?"
)
# Columns that tell who said something, without the signs in their names.
_RATER: Final = (
    "(?:rater|annotator|labell?er|worker|reader|reviewer|grader|judge|assessor|expert|coder|user"
    "|radiologist|pathologist|dermatologist|(?:annotated|labell?ed|rated|graded|reviewed|completed)by)"
    "(?:id|uid|name|no|nr|num|number|index|idx|code|email)?"
)
# What a model said, beside what is true.
_PREDICTED: Final = r"(y[\s_-]?)?(pred(icted|ictions?)?|hat)([\s_-]\w+)?"
# What is told of rows, of their images and by whom.
_ABOUT_ROWS: Final = rf"(.*[\s_-])?(quality[\s_-]?grade|licen[cs]e|source|camera|{_TOLD_BY}|{_PREDICTED})"
# Where an image was taken, by whose hands and with what.
_TAKEN: Final = (
    r"site|station|location|region|country|city|hospital|clinic|cent(er|re)|farm|field|plot|boat|trap|batch|replicate"
    r"|licen[cs]e|source|camera|device|scanner|photographer|user|owner"
)
# Columns that stand beside what is to be told of an image: who is in it, and who told of it.
_BESIDE_TARGET: Final = rf"(fe)?male|(.*[\s_-])?(sex|gender|geschlecht|laterality|{_TAKEN}|{_TOLD_BY})"
# Which of two an image shows, by words of sides: `eye` may be open, too.
_OF_TWO: Final = r"(.*[\s_-])?(eye|side|knee|breast|hand|foot|ear)"
_SIDES: Final = frozenset({"l", "r", "left", "right", "od", "os", "ou"})
# Who answered a form, where an address stands beside the name.
_PERSON: Final = r"((full|your)[\s_-]?)?name"
_ADDRESS: Final = r"(.*[\s_-])?e-?mail([\s_-]?address)?"
# By which rows are chosen, or were checked.
_CHOOSES_ROWS: Final = (
    r"exclud\w*([\s_-].*)?|(run|use|skip|ignore)[\s_-].*|(is|in|for)[\s_-]?(train|val|valid|test)\w*([\s_-]\w+)?"
    r"|(is[\s_-]?)?(valid|checked|verified|reviewed)"
)
# What comes again and is no label.
_NO_LABEL: Final = (
    r"^(k?fold|date|(date)?time(stamp)?|ext(ension)?|format|frame|stratif\w*)$|_(date|time)$"
    r"|^(user|owner|annotator|labell?er|worker|rater|camera|device)[\s_.-]?(u?id|nr|no|number)$"
)


def is_no_label(name: str) -> bool:
    """Whether a column is called like what comes again in rows that have nothing else in common."""
    return re.search(_NO_LABEL, name, re.IGNORECASE) is not None


def is_beside_target(name: str) -> bool:
    """Whether a column of words, or a question for one, is no label where numbers to predict are."""
    return re.fullmatch(_BESIDE_TARGET, name.rstrip("? "), re.IGNORECASE) is not None


def is_predicted(name: str) -> bool:
    """Whether a column is called like what a model said."""
    return re.fullmatch(rf"(.*[\s_-])?{_PREDICTED}", name, re.IGNORECASE) is not None


def is_of_two(name: str, fields: Iterable[str]) -> bool:
    """Whether a column tells which eye, or the like, of somebody an image shows."""
    return re.fullmatch(_OF_TWO, name, re.IGNORECASE) is not None and _SIDES.issuperset(
        map(str.lower, fields)
    )


def is_respondent(name: str, names: Iterable[str]) -> bool:
    """Whether a column is called like people's names, beside one called like their addresses."""
    is_name = re.fullmatch(_PERSON, name, re.IGNORECASE) is not None
    return is_name and any(re.fullmatch(_ADDRESS, each, re.IGNORECASE) for each in names)


def is_rater(name: str) -> bool:
    """Whether a column is called like those who each tell something of an image: `ASSIGNMENT:worker_id`."""
    parts = [re.sub("[^a-z]", "", part) for part in re.split("[:./]", name.lower())]
    return re.fullmatch(_RATER, next(filter(None, reversed(parts)), "")) is not None


def chooses_rows(name: str) -> bool:
    """Whether a column is called like flags of rows that are left out, used for something, or checked."""
    return re.fullmatch(_CHOOSES_ROWS, name, re.IGNORECASE) is not None


def is_of_groups(name: str, names: Iterable[str]) -> bool:
    """Whether a column is called like larger groups of the classes that another has."""
    found = re.fullmatch(r"(.*)category", name, re.IGNORECASE)
    return found is not None and f"{found[1]}class".lower() in map(str.lower, names)


def unlikely(name: str) -> int:
    """How unlikely a column is one of labels, by its name."""
    if re.fullmatch(_ABOUT_ROWS, name, re.IGNORECASE):
        return 3
    if re.fullmatch(_SURELY_LABEL, name, re.IGNORECASE):
        return 0
    is_called = re.search(_CALLED_LABEL, name, re.IGNORECASE) or re.fullmatch(_NAMED, name, re.IGNORECASE)
    return 1 if is_called else UNTOLD
