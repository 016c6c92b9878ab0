"""One row of an image list, checked by itself but not against other rows."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

from tfrecordcli.dataset.labels import has_control_characters
from tfrecordcli.reasons import Rejected
from tfrecordcli.split_words import DISCARD, suggest_split
from tfrecordcli.storage.uris import check_uri

# Key of a feature that is no part of a record: what keeps rows in one split; begins what is hashed for it.
GROUP: Final = "group\x1f"
# Begins what stands for the image of a row that has none: a digest of the row, by which it is assigned.
ROW: Final = "row\x1f"
# Characters of a wrong split that a message shows.
LONGEST_WORD = 100


class Row(NamedTuple):
    """One row as the source has it, checked by itself but not against other rows.

    A tuple, because every row of a source becomes one: it is made in half the time of a frozen dataclass.

    Attributes:
      line: physical line in the source where the row starts, from 1.
      split: train, validation, test, ``discard``, ``""`` when the row leaves it to the splitter, or
        None when it names no known split.
      image_uri: as written, outer blanks removed; empty when the row names none.
      labels: label names in the row's order, without doubles.
      problem: why the row cannot be used, or None.
      extras: fields of the features that come from further columns; none of a row that cannot be used.
      boxes: the field of `tfrecordcli.boxes`, with one box or none; empty when the list has no boxes.
    """

    line: int
    split: str | None
    image_uri: str
    labels: tuple[str, ...]
    problem: Rejected | None = None
    extras: tuple[str, ...] = ()
    boxes: str = ""

    @property
    def told_uri(self) -> str:
        """The image for people; empty where there is none."""
        return "" if self.image_uri.startswith(ROW) else self.image_uri


@dataclass(frozen=True, slots=True)
class Malformed:
    """A line that is no row of its list, and why.

    Attributes:
      text: of a line that is not valid CSV.
      parsed: fields of one that is; of the other none.
    """

    problem: Rejected
    text: str = ""
    parsed: tuple[str, ...] = ()

    def fields(self, delimiter: str) -> list[str]:
        """What people see of it: quotes are part of the fields of what is not valid CSV."""
        return [*self.parsed] or next(
            csv.reader([self.text], delimiter=delimiter, quoting=csv.QUOTE_NONE), []
        )


RowParser = Callable[[int, list[str] | Malformed], Row]


def problem_of(word: str, split: str | None, uri: str, labels: tuple[str, ...]) -> Rejected | None:
    if split is None:
        return Rejected(
            "unknown_split", value=repr(word[:LONGEST_WORD]), suggestion=suggest_split(word[:LONGEST_WORD])
        )
    if not uri:
        return Rejected("no_image_uri")
    if has_control_characters(uri):
        return Rejected("control_character", field="image_uri")
    if ":" in uri:
        try:
            check_uri(uri)
        except Rejected as problem:
            return problem
    if split != DISCARD:
        for label in labels:
            if has_control_characters(label):
                return Rejected("control_character", field="label")
    return None
