"""Commands for columns of several boxes a row (`x1,y1,w1,h1,x2,y2,w2,h2`), and of several corners of one."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from tfrecordcli.sources.boxes.columns import begins_of_boxes
from tfrecordcli.sources.boxes.sides import SidesOfBox, boxes_side_by_side
from tfrecordcli.sources.boxes.words import BOX_ROWS, WHOLE_IMAGES
from tfrecordcli.sources.column_words import KNOWN_COLUMNS, known_columns, likely_columns
from tfrecordcli.sources.pandas_commands import changed, literal, with_names

_NAMES: Final[Mapping[str, str]] = {
    "corners": "xmin ymin xmax ymax",
    "extent": "x y w h",
    "center": "x_center y_center w h",
}
_PART: Final = re.compile("[a-z]+|[0-9]+")
_BOX: Final = frozenset({"box", "bbox"})
# What columns of labels say beside what boxes are called by; surest first.
_LABELS: Final = (
    frozenset(KNOWN_COLUMNS["label"]),
    frozenset({"class", "label", "category", "cls", "name", "species"}),
    frozenset({"type", "kind", "object", "tag", "breed"}),
    frozenset({"class", "label", "category", "cls", "id"}),
)
_ORDINALS: Final = frozenset({"first", "second", "third", "fourth", "fifth", "one", "two", "three", "four"})


def parted_columns(header: Sequence[str], name: str, delimiter: str) -> str:
    """A hint with the command that makes a row of each box of a row.

    A box has the label of its own columns (`label1`), else that of the row, else the words of its columns, if
    these differ (`car_x1`, `face_x1`, not `obj1_x`, `obj2_x`). Four empty fields are no box, without a label.

    Args:
      header: of the list, which has such rows.
      name, delimiter: of the list.
    """
    boxes = boxes_side_by_side(header)
    change = _change(header, boxes) if len({box.kind for box in boxes}) == 1 else ""
    command = changed(name, delimiter, change, "boxes") if change else ""
    return f"{f'make a row of each box: {command}' if command else BOX_ROWS}; {WHOLE_IMAGES}"


def corners_chosen(header: Sequence[str], name: str, delimiter: str) -> str:
    """A hint with the commands each of which leaves one pair of columns for where boxes begin.

    Args:
      header: of the list, which has several such pairs.
      name, delimiter: of the list; empty where it is no file.
    """
    pairs, hints = begins_of_boxes(header), []
    for chosen in pairs:
        others = [pair for pair in pairs if pair != chosen]
        names = dict(zip(chosen, "xy", strict=True))
        for number, pair in enumerate(others, 2):
            names |= {column: f"{side}_of_point_{number}" for column, side in zip(pair, "xy", strict=True)}
        if command := with_names(names, name, delimiter):
            hints.append(f"where {', '.join(chosen)} are the corner: {command}")
    return "; ".join([*hints, WHOLE_IMAGES]) if hints else ""


def _change(header: Sequence[str], boxes: Sequence[SidesOfBox]) -> str:
    own = [_label_of(box, header) for box in boxes]
    common = known_columns(header, "label") or likely_columns(header, "label")
    if (any(own) and not all(own)) or len(common) > 1 or (common and any(own)):
        return ""
    names, called = _NAMES[boxes[0].kind], _classes_in_names(boxes)
    columns = [[header[i] for i in box.columns] for box in boxes]
    if all(own):
        names, columns = f"label {names}", [[its, *some] for its, some in zip(own, columns, strict=True)]
    each, label = " for c in g", literal(header[common[0]] if common else "label")
    are_told = bool(common or called) or all(own)
    if called and not common and not all(own):
        each = f".assign(label=n) for n, c in zip({_json(called)}, g)"
    unlabelled = f'u.loc[(u[k[-4:]] == "").all(axis=1), {label}] = ""; ' if are_told else ""
    return (
        f'g = {_json(columns)}; k = "{names}".split(); '
        f"r = t.drop(columns=sum(g, [])); u = pd.concat([r.join(t[c].set_axis(k, axis=1)){each}]); "
        f'{unlabelled}u.sort_index(kind="stable")'
    )


def _json(value: object) -> str:
    """A Python literal that stands well between the single quotes of a shell."""
    return json.dumps(value, ensure_ascii=False)


def _label_of(box: SidesOfBox, header: Sequence[str]) -> str:
    """The name of the column of labels of this box alone; empty where there is none."""
    own = Counter(part for word in box.rest for part in _PART.findall(word))
    found = []
    for name in header:
        parts = Counter(part for part in _PART.findall(name.lower()) if part not in _BOX)
        further = {*(parts - own)}
        ranks = (rank for rank, words in enumerate(_LABELS) if further and further <= words)
        # `object_1` beside `object_1_x`
        is_number = parts == own and any(map(str.isdecimal, own))
        rank = next(ranks, len(_LABELS) if is_number else None)
        if rank is not None and not own - parts and (own or not rank):
            found.append((rank, name))
    return min(found, default=(0, ""))[1]


def _classes_in_names(boxes: Sequence[SidesOfBox]) -> list[str]:
    """The words that parts of the names tell each box by; empty where they number boxes: `obj1`, `obj2`."""
    words = [[re.sub(r"[\W\d_]+", "", word) for word in box.rest] for box in boxes]
    called = [" ".join(word for word in some if len(word) > 1 and word not in _ORDINALS) for some in words]
    return called if len({*called}) > 1 else []
