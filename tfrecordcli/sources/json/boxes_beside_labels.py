"""Boxes and labels of images in arrays beside each other, under keys that are not read: `gt_boxes`, `cls`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from tfrecordcli.shell import command_line
from tfrecordcli.sources.boxes.object_keys import attribute_called
from tfrecordcli.sources.column_words import KNOWN_COLUMNS
from tfrecordcli.sources.json.line_roles import PLAIN_BOXES
from tfrecordcli.sources.made_list import made_by, then_converted

_SIDES: Final = 4
# What a key says of the four numbers, as in `boxes_cxcywh`.
_FORMS: Final[Mapping[str, str]] = {
    "cxcywh": "center_xywh", "xywh": "xywh", "ltwh": "xywh", "xyxy": "xyxy", "ltrb": "xyxy",
    "x1y1x2y2": "xyxy", "yxyx": "yxyx", "tlbr": "yxyx",
}  # fmt: skip
_FORM: Final = re.compile("|".join(_FORMS))


def keys_of_both(rows: Sequence[Mapping[str, Any]]) -> tuple[str, str] | None:
    """The keys of boxes and of their labels; None: these rows have none, or are read as they are.

    Args:
      rows: the first objects of a list.
    """
    keys = dict.fromkeys(key for row in rows for key in row)
    boxes = [key for key in keys if _hold(rows, key, _is_box)]
    others = [key for key in keys if key not in boxes and not attribute_called(key)]
    if any(key in PLAIN_BOXES for key in boxes) and any(map(_is_known, others)):
        return None
    labels = [key for key in others if _hold(rows, key, _is_label)]
    pairs = [(box, label) for box in boxes for label in labels if _are_as_many(rows, box, label)]
    return pairs[0] if len(pairs) == 1 else None


def lines_of_both(box: str, label: str, image: str, name: str, *, are_lines: bool) -> str:
    """A hint with the command that writes lines whose boxes and labels are read, and what converts these.

    Args:
      box, label, image: keys.
      name: of the list, a file.
      are_lines: whether it has lines, and no array.
    """
    opened = 'open(sys.argv[1], encoding="utf-8-sig")'
    rows = f"map(json.loads, filter(str.strip, {opened}))" if are_lines else f"json.load({opened})"
    keys = json.dumps([image, box, label], ensure_ascii=False)
    code = (
        f"import json, sys; I, B, L = K = {keys}; "
        "[print(json.dumps({**{k: v for k, v in r.items() if k not in K}, "
        f'"image": r[I], "boxes": r.get(B) or [], "labels": r.get(L) or []}})) for r in {rows}]'
    )
    command = command_line(["python", "-c", code]).replace("{", "{{").replace("}", "}}")
    form = _FORM.search(re.sub(r"[^a-z0-9]", "", box.lower()))
    option = f"--box-format {_FORMS[form[0]]}" if form else ""
    return made_by("", f"{command} {{name}}", name, as_lines=True) + then_converted(
        name, option, as_lines=True
    )


def _is_known(key: str) -> bool:
    return key.lower() in KNOWN_COLUMNS["label"]


def _hold(rows: Sequence[Mapping[str, Any]], key: str, is_one: Callable[[object], bool]) -> bool:
    """Whether a key has arrays of such values alone, and some of them."""
    found = [row.get(key) for row in rows]
    lists = [each for each in found if each is not None]
    are_lists = all(isinstance(each, list) for each in lists)
    return are_lists and any(lists) and all(is_one(value) for each in lists for value in each)


def _is_box(value: object) -> bool:
    return isinstance(value, list) and len(value) == _SIDES and all(type(n) in (int, float) for n in value)


def _is_label(value: object) -> bool:
    return type(value) in (int, str)


def _are_as_many(rows: Sequence[Mapping[str, Any]], key: str, other: str) -> bool:
    return all(len(row.get(key) or ()) == len(row.get(other) or ()) for row in rows)
