"""Labels that are numbers of the lines of a file of names, which was given for the names themselves."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
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
    "print(json.dumps(dict(enumerate(filter(str.strip, lines), int(sys.argv[2])))))"
)

_OTHERS: Final = frozenset((".json", ".pbtxt"))  # these are no names, one a line


def need_no_numbers(labels: LabelMap, used: Collection[str], options: ReadOptions) -> None:
    """Refuses numbers for labels where a file of names was given that has as many lines, and no such name.

    Args:
      labels: of the file.
      used: labels of the list.
      options: that may say that they are names.

    Raises:
      InputError: with the command that numbers the lines, or that the file does.
    """
    is_meant = labels.kind != "name" or options.label_type == "name" or options.new_labels == "append"
    are_numbers = bool(used) and all(map(is_canonical_id, used))
    if is_meant or not are_numbers or not labels.ids.keys().isdisjoint(used):
        return
    path, count = labels.source, len(labels.ids)
    is_list = os.path.isfile(path) and os.path.splitext(path)[1].lower() not in _OTHERS
    if is_list and (ways := _ways(path, used, count)):
        numbers = sorted(used, key=int)
        raise InputError(
            f"{path} has names, and labels are numbers ({', '.join(map(quoted, numbers[:3]))}), "
            f"up to {numbers[-1]} of {plural(count, 'name')}",
            "; ".join(ways),
        )


def _ways(path: str, used: Collection[str], count: int) -> list[str]:
    """How these numbers get their names: by the file itself, where it has codes too, or by its lines."""
    instead = f"instead of {command_line(['--labels', path])}"
    ways = []
    with suppress(InputError):
        given = read_label_names(path)
        if {*used} <= given.names.keys():
            ways = [f"where it has their names by number: {command_line(['--label-names', path])} {instead}"]
            # `3 Series` above `1 Series` may be names.
            if not given.doubled and given.in_order_of_ids() == [*given.names.values()]:
                return ways
    target = as_path(f"{os.path.splitext(path)[0]}-by-number.json")
    then = f"> {command_line([target])}; then {command_line(['--label-names', target])} {instead}"
    for start in _starts(used, count):
        command = command_line(["python", "-c", _CODE, as_path(path), str(start)])
        ways += [f"where they number its lines from {start}: {command} {then}"]
    return ways


def _starts(used: Collection[str], count: int) -> Sequence[int]:
    """The numbers that the first of so many lines may have: both where neither 0 nor the last one occurs."""
    last = max(map(int, used))
    if "0" in used:
        return [0] if last < count else []
    return [1] if last == count else [1, 0] if last < count else []
