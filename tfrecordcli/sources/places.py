"""Where people find the rows of a list that tfrec wrote itself: the place in the source, not the line."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Mapping, Set
from contextlib import closing
from typing import Final, NamedTuple

from tfrecordcli.sources.column_words import OWN_COLUMNS, SOURCE_COLUMN
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.row import Malformed

_LINE: Final = re.compile(r"line (\d+)")
_BOX: Final = re.compile(r", box \d+$")
# Codes whose reason names the lines of other rows, and of these those that are about one box.
_OF_OTHER_ROWS: Final = frozenset(
    {"conflicting_label", "conflicting_split", "conflicting_value", "conflicting_box", "same_image"}
)
OF_ONE_BOX: Final = frozenset({"bad_box", "bad_value", "conflicting_box"})
# Not the `line 3` of `in a.csv, line 3`: a reason with places stays as it is.
_LINES: Final = re.compile(r"(?:(?<=\bin )|(?<=used: ))line (\d+(?:, \d+)*)")


class Where(NamedTuple):
    """Where a row is.

    Attributes:
      source: its name; "" where there is only one.
      place: as `images[3]` or `line 12`; "" where the image says enough.
    """

    source: str
    place: str

    @property
    def line(self) -> int | None:
        """The line of the source, where it has lines."""
        match = _LINE.fullmatch(self.place)
        return int(match[1]) if match else None

    def of_image(self) -> Where:
        """The place of the image that a box is in."""
        return self._replace(place=_BOX.sub("", self.place))

    def __str__(self) -> str:
        return ", ".join(filter(None, self))


# Where the rows of these lines are.
Places = Callable[[Set[int]], Mapping[int, Where]]


def places_of(rows: RowFile, lines: Collection[int]) -> Mapping[int, Where]:
    """Line of a list of tfrec's own -> where that row is; empty for other lists, and for one that is gone."""
    found: dict[int, Where] = {}
    if not rows.is_spooled or not lines or not os.path.exists(rows.path):
        return found
    shape, records = rows.read_records()
    names = {name: number for number, name in enumerate(shape.header)}
    last = max(lines)
    with closing(records):
        for line, fields in records:
            if line > last:
                break
            if line in lines and not isinstance(fields, Malformed):
                source = fields[names[SOURCE_COLUMN]] if SOURCE_COLUMN in names else ""
                found[line] = Where(source, fields[names[OWN_COLUMNS[0]]])
    return found


def lines_told(code: str, reason: str) -> set[int]:
    """The lines of other rows that a reason names."""
    if code not in _OF_OTHER_ROWS:
        return set()
    return {int(number) for match in _LINES.finditer(reason) for number in match[1].split(", ")}


def with_places_told(code: str, reason: str, found: Mapping[int, Where]) -> str:
    """The same reason with the places of rows instead of their lines, as far as these are known."""
    if code not in _OF_OTHER_ROWS:
        return reason

    def told(match: re.Match[str]) -> str:
        places = [found.get(int(number)) for number in match[1].split(", ")]
        wheres = [each if code in OF_ONE_BOX else each.of_image() for each in places if each]
        return "; ".join(dict.fromkeys(map(str, wheres))) or "another row"

    return _LINES.sub(told, reason)
