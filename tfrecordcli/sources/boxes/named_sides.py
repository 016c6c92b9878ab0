"""Fields that name the sides of one box, as programs print objects: `Rect(left=4, top=2, width=8, height=6)`.

So do pyzbar and many a dataclass; C# writes `{X=4,Y=2,Width=8,Height=6}`, JSON `{"x": 4, "y": 2, …}`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import WRITTEN
from tfrecordcli.sources.boxes.columns import find_box_columns
from tfrecordcli.sources.pandas_commands import changed, literal

_SIDES: Final = 4
_NUMBER: Final = rf"(?:np\.[a-z0-9]+\({WRITTEN}\)|{WRITTEN})"
_SIDE: Final = rf"[\"']?([A-Za-z][A-Za-z0-9_]*)[\"']?\s*[=:]\s*{_NUMBER}"
_BOX: Final = re.compile(
    rf"(?:[A-Za-z_][\w.]*\s*)?[(\[{{<]?\s*{_SIDE}(?:[,;\s]+{_SIDE}){{3}}\s*[)\]}}>]?", re.ASCII
)
# How the numbers of a form become corners, in the command's `b`.
_CORNERS: Final = {
    "xyxy": "",
    "xywh": "b[2] += b[0]; b[3] += b[1]; ",
    "center_xywh": "b[0] -= b[2] / 2; b[1] -= b[3] / 2; b[2] += b[0]; b[3] += b[1]; ",
}


def name_sides(fields: Sequence[str]) -> bool:
    """Whether each field is four numbers with names, the same in all, which are those of a box's sides."""
    names = {tuple(_names_in(field)) for field in fields}
    return len(names) == 1 and _form(*names)[0] != ""


def _names_in(field: str) -> list[str]:
    """The names of four numbers; empty where the field is something else."""
    match = _BOX.fullmatch(field)
    return re.findall(_SIDE, field) if match else []


def _form(names: Sequence[str]) -> tuple[str, Sequence[str]]:
    """What four numbers are of a box, and their names in that order; empty: nothing."""
    with suppress(InputError):
        boxes = find_box_columns(names) if len({*names}) == _SIDES else None
        if boxes is not None and len(boxes.corners) == _SIDES and boxes.form in _CORNERS:
            return boxes.form, [names[i] for i in boxes.corners]
    return "", ()


def parted_sides(column: str, field: str, name: str, delimiter: str) -> str:
    """A hint with the command that makes columns of corners of such fields; blank ones stay without.

    Args:
      column: that holds them.
      field: one of its.
      name, delimiter: of the list.
    """
    form, sides = _form(_names_in(field))
    change = (
        f"s = t.pop({literal(column)}); "
        f'b = pd.concat([s.str.extract(rf"\\b{{k}}[\\x22\\x27]?\\s*[=:]'
        r'\s*(?:np\.\w+\()?([-+.\de]+)")[0] '
        f"for k in {literal(' '.join(sides))}.split()], axis=1, ignore_index=True).apply(pd.to_numeric); "
        'bad = s[b.isna().any(axis=1) & (s != "")]; '
        'assert bad.empty, f"no box: {bad.iloc[0]}"; '
        f'{_CORNERS[form]}t["xmin ymin xmax ymax".split()] = b; t'
    )
    command = changed(name, delimiter, change, "boxes")
    return f"make columns of its corners{': ' * bool(command)}{command}"
