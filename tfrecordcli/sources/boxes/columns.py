"""Which columns of a list hold boxes, and in which unit their numbers are.

By header in any order, words of many tools (`docs/input-formats.md` has the table).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, get_args

from tfrecordcli.boxes import Unit
from tfrecordcli.errors import InputError
from tfrecordcli.sources.boxes.sides import (
    boxes_side_by_side,
    need_one_box_a_row,
    several_boxes,
    sides_of_boxes,
)
from tfrecordcli.sources.boxes.words import (
    ATTRIBUTE_WORDS,
    CENTER_WORDS,
    CORNER_WORDS,
    EXTENT_WORDS,
    FROM_ZERO,
    IMAGEJ,
    OF_PAGES,
    OWN_WORDS,
    PAGE_WORDS,
    SIZE_WORDS,
    WHOLE_WORDS,
    as_word,
    columns_by_word,
    columns_called,
    columns_of_sides,
    without_outlines,
)
from tfrecordcli.units import plural

BoxFormat = Literal["xyxy", "yxyx", "xywh", "center_xywh"]
# Beyond this a value is no fraction of a side, however loosely a box was drawn.
SURELY_PIXELS: Final = 2.0
_FRACTIONS_END: Final = 1.01
_WHOLE_DIGITS: Final = frozenset(map(str, map(float, range(10))))
# Of boxes in pixels this share, or one or two, may end within the first one of their image, as slivers at the
# origin do; of two units mixed more do, and of a few boxes two may be half of all.
_SHARE_WITHIN_ONE: Final = 0.01
_SLIVERS: Final = 2


@dataclass(slots=True)
class Extremes:
    """What the numbers of all boxes of a list have been so far, by which its unit is told.

    Attributes:
      least, most: of all coordinates.
      has_fraction: whether one is no whole number.
      count: of boxes whose row does not name its unit.
      within_one: of those, how many end before 1 and have a fraction, as boxes in fractions do.
      whole: texts of some of the whole numbers among them.
    """

    least: float = math.inf
    most: float = -math.inf
    has_fraction: bool = False
    count: int = 0
    within_one: int = 0
    whole: set[str] = field(default_factory=set, repr=False, compare=False)

    def take(self, corners: tuple[float, float, float, float]) -> None:
        """Counts one box."""
        most = max(corners)
        self.count += 1
        self.least = min(self.least, *corners)
        self.most = max(self.most, most)
        if (not self.has_fraction or most <= _FRACTIONS_END) and not all(map(float.is_integer, corners)):
            self.has_fraction = True
            self.within_one += most <= _FRACTIONS_END

    def take_counted(
        self, count: int, least: float, most: float, has_fraction: bool = False, within_one: int = 0
    ) -> None:
        """Counts boxes, of which the others are known of all together."""
        self.count += count
        self.has_fraction |= has_fraction
        self.within_one += within_one
        self.least, self.most = min(self.least, least), max(self.most, most)

    def take_all(self, corners: Sequence[Sequence[float]]) -> None:
        """Counts boxes, of each of which there is a number in each of four columns."""
        ends = list(map(max, *corners))
        self.take_counted(len(ends), min(map(min, corners)), max(ends))
        small = [
            box for box, end in zip(zip(*corners, strict=True), ends, strict=True) if end <= _FRACTIONS_END
        ]
        fractions = sum(not all(map(float.is_integer, box)) for box in small)
        self.within_one += fractions
        self.has_fraction |= fractions > 0 or not all(all(map(float.is_integer, some)) for some in corners)

    def take_fractions(self, corners: Sequence[Sequence[str]]) -> None:
        """As `take_all`, of numbers from 0.0 to 9.9… as repr() writes them, whose texts have their order."""
        most = max(map(max, corners))
        self.take_counted(len(corners[0]), float(min(map(min, corners))), float(most))
        boxes = list(zip(*corners, strict=True))
        if most > str(_FRACTIONS_END):
            boxes = [box for box in boxes if max(box) <= str(_FRACTIONS_END)]
        self.within_one += len(boxes) - sum(map(_WHOLE_DIGITS.issuperset, boxes))
        self.has_fraction |= not all(map(_WHOLE_DIGITS.issuperset, corners))

    def are_of_two_units(self) -> bool:
        """Whether more boxes end within the first pixel of their image than a few slivers."""
        is_half = self.within_one == _SLIVERS and 2 * self.within_one >= self.count
        is_share = self.within_one >= _SHARE_WITHIN_ONE * self.count
        return is_half or (is_share and self.within_one > _SLIVERS)

    def need_one_unit(self, name: str) -> None:
        """Refuses numbers of a list in pixels among which are many of boxes in fractions.

        Args:
          name: of the list, for the message.

        Raises:
          InputError: there are.
        """
        if self.most > SURELY_PIXELS and self.are_of_two_units():
            share = f"{self.within_one:,} of {self.count:,} boxes"
            raise InputError(
                f"{name}: {share} have numbers from 0 to 1, as fractions have, and others go up to "
                f"{self.most:g}: are these of two units?",
                "write all in one unit; --box-unit fractions and --box-unit pixels take all as such",
            )

    def unit(self, name: str) -> Unit:
        """Pixels or fractions.

        Args:
          name: of the list, for the message.

        Raises:
          InputError: the numbers can be both, or are of both.
        """
        if self.most > SURELY_PIXELS:
            self.need_one_unit(name)
            return "pixels"
        if self.has_fraction and self.most <= _FRACTIONS_END:
            return "fractions"
        raise InputError(
            f"{name}: all coordinates of boxes are between {self.least:g} and {self.most:g}, so it is not "
            "certain whether they are pixels or fractions",
            "say which: --box-unit pixels or --box-unit fractions",
        )


@dataclass(slots=True)
class BoxCounts:
    """What of the boxes of a list is stored otherwise than it says.

    Attributes:
      turned: boxes of four vertices that are no upright rectangle.
      unknown: flags of -1, which Open Images has for what nobody knows.
    """

    turned: int = 0
    unknown: int = 0

    def notes(self) -> Iterator[str]:
        """A sentence of each that there is."""
        if self.turned:
            which = "boxes have" if self.turned > 1 else "box has"
            what = f"{self.turned:,} {which} four vertices that are no upright rectangle"
            yield f"{what}: the smallest one around them is stored"
        if self.unknown:
            which = f"{plural(self.unknown, 'flag')} of boxes {'is' if self.unknown == 1 else 'are'} -1"
            yield f"{which}, for what nobody knows: stored as 0"


@dataclass(frozen=True, slots=True)
class BoxColumns:
    """Where the boxes of a list are.

    Attributes:
      corners: four column numbers in the order of ``form``, or one that holds all four numbers.
      form: what the numbers are.
      size: columns of width and height of the image, or none.
      attributes: name of `ATTRIBUTES` -> column.
      unit, source_id: columns of a list of tfrec's own; None: no such column.
      note: what was taken for what, for a person to check.
      extremes: filled in while rows are read.
      counts: filled in likewise.
    """

    corners: tuple[int, ...]
    form: BoxFormat = "xyxy"
    size: tuple[int, int] | None = None
    attributes: Mapping[str, int] = field(default_factory=dict)
    unit: int | None = None
    source_id: int | None = None
    note: str = ""
    extremes: Extremes = field(default_factory=Extremes)
    counts: BoxCounts = field(default_factory=BoxCounts)

    @property
    def used(self) -> tuple[int, ...]:
        """All columns that are read."""
        return (*self.corners, *(self.size or ()), *self.attributes.values())


SAME_SIDE: Final = "several columns could hold the same side of boxes"
_FORM_NAMES: Final = {
    "xyxy": "xmin, ymin, xmax, ymax",
    "yxyx": "ymin, xmin, ymax, xmax",
    "xywh": "xmin, ymin, width, height",
    "center_xywh": "centre x, centre y, width, height",
}


def find_box_columns(
    header: Sequence[str], form: str | None = None, *, are_boxes: bool = False
) -> BoxColumns | None:
    """The columns of boxes that a header names; None: it names none.

    Args:
      form: --box-format, which overrules what the names of the columns say.
      are_boxes: whether the list is known to have boxes, under whichever names.

    Raises:
      InputError: several columns could hold the same side; the columns are outlines, or of several boxes, or
        those of a tool whose lists are not read.
    """
    try:
        words = without_outlines(columns_by_word(header))
    except InputError:
        boxes = boxes_side_by_side(header)
        if sum(box.kind == "extent" for box in boxes) > 1:  # `x2,y2,w2,h2` are called as corners are
            raise several_boxes(header, boxes) from None
        raise
    found = _corners(words, header) or sides_of_boxes(header, are_boxes=are_boxes)
    if found is None:
        return None
    corners, told = found
    need_one_box_a_row(header, corners)
    if form is not None and form not in get_args(BoxFormat):
        raise ValueError(form)
    free = {word: columns for word, columns in words.items() if not set(corners).intersection(columns)}
    is_of_page = tuple(as_word(header[column]) for column in corners) == OF_PAGES
    size = _size(free, SIZE_WORDS) or (_size(free, PAGE_WORDS) if is_of_page else None)
    default: BoxFormat = {"corners": "xyxy", "whole": "xywh", "extent": "xywh", "center": "center_xywh"}[told]  # type: ignore[assignment]
    # Whoever says of `ymin,xmin,ymax,xmax` that y comes first says what their names say.
    are_called_so = told == "corners" and corners[1] < corners[0] < corners[3] < corners[2]
    taken = default if form is None or (form == "yxyx" and are_called_so) else form
    columns = ", ".join(header[column] for column in corners)
    note = f"boxes are read from {columns}"
    if taken != "xyxy" or told != "corners":
        note += f" as {_FORM_NAMES[taken]}"
    attributes = {
        name: column
        for name, names in ATTRIBUTE_WORDS.items()
        for column in columns_called(words, names)[:1]
        if column not in corners
    }
    unit, source_id = (words[word][0] if word in words else None for word in OWN_WORDS)
    return BoxColumns(corners, taken, size, attributes, unit, source_id, note)  # type: ignore[arg-type]


def _size(words: Mapping[str, list[int]], names: Mapping[str, Sequence[str]]) -> tuple[int, int] | None:
    """The columns of width and height of these names, of each of which there is one."""
    sides = [columns_called(words, names[side]) for side in ("width", "height")]
    return (sides[0][0], sides[1][0]) if all(len(columns) == 1 for columns in sides) else None


def _corners(words: Mapping[str, list[int]], header: Sequence[str]) -> tuple[tuple[int, ...], str] | None:
    if all(header.count(name) == 1 for name in IMAGEJ):
        return tuple(map(header.index, IMAGEJ)), "extent"
    for kind, table in (
        ("corners", FROM_ZERO),
        ("corners", CORNER_WORDS),
        ("center", CENTER_WORDS),
        ("extent", EXTENT_WORDS),
    ):
        sides = columns_of_sides(words, list(table.values()), are_corners=kind == "corners")
        if all(sides) and len({columns[0] for columns in sides}) == 4:
            several = next((columns for columns in sides if len(columns) > 1), None)
            if several:
                named = ", ".join(header[column] for column in several)
                raise InputError(f"{SAME_SIDE}: {named}", "rename some")
            return tuple(columns[0] for columns in sides), kind
    whole = columns_called(words, WHOLE_WORDS)
    return ((whole[0],), "whole") if len(whole) == 1 else None


def begins_of_boxes(header: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs of columns beside one width and height, each of which could be where boxes begin."""
    words = columns_by_word(header)
    pairs = (*zip(EXTENT_WORDS["x"], EXTENT_WORDS["y"], strict=True), ("bx", "by"))
    return [(header[words[x][0]], header[words[y][0]]) for x, y in pairs if x in words and y in words]
