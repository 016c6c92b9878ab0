"""Columns of what single people say of each image, and the one of what they agreed on."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tfrecordcli.sources.proposals.label_names import UNTOLD, unlikely
from tfrecordcli.sources.proposals.table import Columns

_SEVERAL: Final = 2
# `reader_1`, `expert2_label`, `label_annotator_a`; compiled when first asked.
_OF_ONE: Final = (
    r"(?P<before>(?:.*[\s_.-])?(?:rater|annotator|labell?er|reader|reviewer|grader|judge|assessor|expert|coder"
    r"|observer|doctor|physician|radiologist|pathologist|dermatologist|ophthalmologist)[\s_.-]?)"
    r"(?:[0-9]{1,2}|[a-e])(?P<behind>(?:[\s_.-].*)?)"
)
_AGREED: Final = (
    r"(.*[\s_.-])?(consensus|final|gold|gold[\s_-]?standard|(ground[\s_-]?)?truth|gt|adjudicated|adjudication"
    r"|majority|agreed)([\s_.-]?(vote|label|class|diagnosis|finding|grade|reading|opinion|decision))?"
)
_COMPARED: Final = 4  # so many rows show one answer of several people to be the same in one of them at least
_NEARLY: Final = 0.9


@dataclass(frozen=True, slots=True)
class Answers:
    """What several people say of each image.

    Attributes:
      raters: numbers of their columns.
      agreed: number of the column of what they agreed on, if there is one.
      is_settled: whether it has a word in nearly all rows, and not where they are at odds alone.
    """

    raters: tuple[int, ...]
    agreed: int | None
    is_settled: bool


def answers_in(columns: Columns) -> Answers | None:
    """The columns of what single people say, and say alike in rows; None: there are none."""
    called = defaultdict[tuple[str, str], list[int]](list)
    for i in columns.fields:
        if found := re.fullmatch(_OF_ONE, columns.names[i], re.IGNORECASE):
            called[found["before"].lower(), found["behind"].lower()].append(i)
    for raters in called.values():
        if len(raters) >= _SEVERAL and _say_alike(columns, raters):
            agreed = _agreed(columns, raters)
            least = _NEARLY * max(len(columns.fields[i]) for i in raters)
            is_settled = agreed is not None and len(columns.fields[agreed]) >= least
            return Answers((*raters,), agreed, is_settled)
    return None


def _say_alike(columns: Columns, raters: Sequence[int]) -> bool:
    """Whether two people give one answer in rows, as names of two people never are the same in one."""
    rows = [[row[i] for i in raters if i < len(row) and row[i]] for row in columns.table]
    told = [row for row in rows if len(row) >= _SEVERAL]
    alike = sum(len({*row}) < len(row) for row in told)
    return alike * _COMPARED >= len(told) > 0 and max(len({*columns.fields[i]}) for i in raters) < len(rows)


def _agreed(columns: Columns, raters: Sequence[int]) -> int | None:
    """The first column that is called so, or like labels, and has hardly a word but theirs."""
    words = {word for i in raters for word in columns.fields[i]}
    others = {i: fields for i, fields in columns.fields.items() if i not in raters}
    theirs = [
        i
        for i, fields in others.items()
        if len({*fields}) > 1 and sum(field in words for field in fields) >= _NEARLY * len(fields)
    ]
    agreed = [i for i in theirs if _is_agreed(columns.names[i])]
    called = [i for i in theirs if unlikely(columns.names[i]) < UNTOLD]
    return next(iter([*agreed, *called]), None)


def _is_agreed(name: str) -> bool:
    return re.fullmatch(_AGREED, name, re.IGNORECASE) is not None
