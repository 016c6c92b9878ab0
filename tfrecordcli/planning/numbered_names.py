"""Labels that are numbers of the lines of a file of names, which was given for the names themselves."""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import suppress
from typing import Final

from tfrecordcli.dataset.label_names import read_label_names
from tfrecordcli.dataset.labels import LabelMap, is_canonical_id, quoted
from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.units import plural

_CODE: Final = (
    'import json, sys; lines = open(sys.argv[1], encoding="utf-8-sig").read().splitlines(); '
    "print(json.dumps(dict(enumerate(lines, int(sys.argv[2])))))"
)

_OTHERS: Final = frozenset((".json", ".pbtxt"))  # these are no names, one a line


def need_no_numbers(labels: LabelMap, used: Collection[str], options: ReadOptions) -> None:
    """Refuses numbers for labels where a file of names was given that has as many lines, and none of them.

    Args:
      labels: of the file.
      used: labels of the list.
      options: that may say that they are names.

    Raises:
      InputError: with the command that numbers the lines, from 0 where there is one more than the highest
        number: the first one is that, or a header.
    """
    is_meant = labels.kind != "name" or options.label_type == "name" or options.new_labels == "append"
    are_numbers = bool(used) and all(map(is_canonical_id, used))
    if is_meant or not are_numbers or not labels.ids.keys().isdisjoint(used):
        return
    path, last, count = labels.source, max(map(int, used)), len(labels.ids)
    start = {count: 1, count - 1: 0}.get(last) if "0" not in used else 0 if last < count else None
    if start is not None and os.path.isfile(path) and os.path.splitext(path)[1].lower() not in _OTHERS:
        first = ", ".join(map(quoted, sorted(used, key=int)[:3]))
        raise InputError(
            f"{path} has names, and labels are numbers ({first}), up to {last} of {plural(count, 'name')}",
            _way(path, used, start),
        )


def _way(path: str, used: Collection[str], start: int) -> str:
    """How these numbers get their names: by the file itself, where it has codes too, or by its lines."""
    instead = f"instead of {command_line(['--labels', path])}"
    with suppress(InputError):
        if {*used} <= read_label_names(path).names.keys():
            return f"it has their names by number: {command_line(['--label-names', path])} {instead}"
    target = as_path(f"{os.path.splitext(path)[0]}-by-number.json")
    command = command_line(["python", "-c", _CODE, as_path(path), str(start)])
    return (
        f"where they number its lines: {command} > {command_line([target])}; then "
        f"{command_line(['--label-names', target])} {instead}"
    )
