"""A column of boxes for each class: of lists in text, `[[8, 4, 40, 20]]`, or as MATLAB's `writetable` has it.

Of the latter a cell holds `[x y w h;x y w h]` or `[]`; x and y count from 1
(https://www.mathworks.com/help/vision/ref/groundtruth.html). Where each image has one box of a class, the
four numbers become columns: `vehicle_1` to `vehicle_4`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Final

from tfrecordcli.number_patterns import WRITTEN, WRITTEN_NUMBER
from tfrecordcli.sources.boxes.fields import NULLS, four_numbers, is_no_box, may_be_boxes
from tfrecordcli.sources.boxes.unread_columns import may_be_class
from tfrecordcli.sources.boxes.words import BOX_ROWS
from tfrecordcli.sources.pandas_commands import changed, literal

# What such columns hold, as messages say it.
CELLS: Final = "boxes [x y width height], as MATLAB writes them"
_BOX: Final = rf"\s*{WRITTEN}(?:\s+{WRITTEN}){{3}}\s*"
_CELL: Final = re.compile(rf"\[\s*\]|\[{_BOX}(?:;{_BOX})*\]")
# What NumPy writes and MATLAB does not: `[ 1. 20.5 30. 40.]`, whose numbers may be corners.
_BY_NUMPY: Final = re.compile(r"\[\s+[0-9]|[0-9]\.(?![0-9])")
_NUMBERED: Final = re.compile(r"(.+)_([0-9]+)")
_DIGITS: Final = "0123456789"
_FOUR: Final = ("1", "2", "3", "4")
# Four numbers, or lists of such; with one behind them, of which nothing says what it is, rows are rejected.
_ALONE, _LISTED = (rf"[\[(]\s*{WRITTEN}(?:\s*,\s*{WRITTEN}){{{count}}}\s*[\])]" for count in ("3", "3,4"))
_LIST: Final = re.compile(rf"{_ALONE}|[\[(]\s*{_LISTED}(?:\s*,\s*{_LISTED})*\s*,?\s*[\])]")
# What cells hold of which the command takes all that is between brackets, if there is a number in it.
_READ: Final = rf"(?i)([][(),.\s0-9e+-]|{'|'.join(map(re.escape, sorted(NULLS)))})*"
# Of a row `v`: what its other columns say, then label, and the columns of a box, or none.
_WRITE: Final = (
    'pd.DataFrame([(*[v[c] for c in o], n, *b) for v in t.to_dict("records") '
    'for n, b in [{boxes}] or [("", [""] * {count})]], '
    'columns=["image" if c == i else c for c in o] + "label {names}".split())'
)


def holds_boxes(fields: Iterable[str]) -> bool:
    """Whether fields are blank or boxes between brackets, if any, all of a pixel or more.

    Labels as places of 0 and 1, `[0 0 1 0]`, are none; nor are arrays as NumPy writes them.
    """
    fields = [*fields]
    if any(map(_BY_NUMPY.search, fields)) or not all(not field or _CELL.fullmatch(field) for field in fields):
        return False
    boxes = [
        [*map(float, box.split())] for field in fields for box in field.strip("[] ").split(";") if box.strip()
    ]
    return any(max(box) > 1 for box in boxes) and all(min(box[2:]) >= 1 for box in boxes)


def parted_classes(image: str, name: str, delimiter: str) -> str:
    """A hint with the command that makes a row of each box of such cells.

    All columns with a bracket are classes; it fails at any other text in them: no box is lost silently.

    Args:
      image: the column of images.
      name, delimiter: of the list.
    """
    boxes = '(n, f(*b.split())) for n in k for b in v[n].strip("[] ").split(";") if b.strip()'
    return _parted(_columns_with(r"\s*\["), boxes, image, name, delimiter)


def classes_of_lists(columns: Mapping[str, Sequence[str]]) -> list[str]:
    """The columns that hold lists of four numbers, or four that may be a box; none where only one does.

    Those of four numbers whose names differ by a number alone hold the first box, the second one, and so on.
    """
    found = [name for name, fields in columns.items() if may_be_class(name) and _hold_lists(fields)]
    are_alone = all(map(four_numbers, filter(None, chain.from_iterable(columns[name] for name in found))))
    return found if len({name.rstrip(_DIGITS) if are_alone else name for name in found}) > 1 else []


def _hold_lists(fields: Sequence[str]) -> bool:
    told = [field for field in fields if not is_no_box(field)]
    alone = [each for each in map(four_numbers, told) if each]
    are_boxes = may_be_boxes([" ".join(each) for each in alone]) and max(map(float, chain(*alone))) > 1
    return bool(told) and all(map(_LIST.fullmatch, told)) and (not alone or are_boxes)


def parted_lists(image: str, name: str, delimiter: str) -> str:
    """A hint with the command that makes a row of each box of columns that `classes_of_lists` finds.

    It fails at text in them that is neither boxes nor a word for none.

    Args:
      image, name, delimiter: as of `parted_classes`.
    """
    columns = _columns_with(r"\s*[\[(]\s*[\[(]?[-0-9.\s]+,")
    boxes = '(n, [b]) for n in k for b in re.findall(r"[([][^][()]*[0-9][^][()]*[])]", v[n])'
    check = f'b = [s for c in k for s in t[c] if not re.fullmatch(r"{_READ}", s)]; assert not b, b; '
    change = _change(columns, check + _WRITE.format(boxes=boxes, count=1, names="bbox"), image)
    command = changed(name, delimiter, change, "boxes", modules="re, pandas as pd")
    return f"make a row of each box: {command}" if command else BOX_ROWS


def numbered_classes(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The classes whose four columns, numbered from 1, hold boxes of a pixel or more.

    Empty where any numbered column is of something else.
    """
    found: dict[str, list[str]] = {}
    for column in header:
        if parts := _NUMBERED.fullmatch(column):
            found.setdefault(parts[1], []).append(parts[2])
    rows = [row for row in rows if len(row) == len(header)]
    columns = {n: [header.index(f"{n}_{i}") for i in found[n]] for n in found if (*found[n],) == _FOUR}
    boxes = [[row[i] for i in each] for each in columns.values() for row in rows]
    boxes = [box for box in boxes if any(box)]
    are_boxes = len(columns) == len(found) and bool(boxes) and all(map(_is_box, boxes))
    return [*columns] if are_boxes else []


def _is_box(fields: Sequence[str]) -> bool:
    return all(map(WRITTEN_NUMBER.fullmatch, fields)) and min(map(float, fields[2:])) >= 1


def parted_numbers(classes: Sequence[str], image: str, name: str, delimiter: str) -> str:
    """As `parted_classes`, of columns that `numbered_classes` finds."""
    code = (
        f'k = {json.dumps(classes, ensure_ascii=False)}; g = [f"{{n}}_{{j}}" for n in k for j in range(1, 5)]'
    )
    boxes = '(n, f(*b)) for n in k for b in [[v[f"{n}_{j}"] for j in range(1, 5)]] if any(b)'
    return _parted(code, boxes, image, name, delimiter)


def _columns_with(begin: str) -> str:
    """Python for the columns in which a field begins so."""
    return f'k = [c for c in t if c != i and t[c].str.match(r"{begin}").any()]; g = k'


def _parted(columns: str, boxes: str, image: str, name: str, delimiter: str) -> str:
    begin = "f = lambda x, y, w, h: (float(x) - 1, float(y) - 1, w, h); "
    write = begin + _WRITE.format(boxes=boxes, count=4, names="left top width height")
    command = changed(name, delimiter, _change(columns, write, image), "boxes")
    return f"make a row of each box, x and y from 0: {command}" if command else BOX_ROWS


def _change(columns: str, write: str, image: str) -> str:
    return f"i = {literal(image)}; {columns}; o = [c for c in t if c not in g]; {write}"
