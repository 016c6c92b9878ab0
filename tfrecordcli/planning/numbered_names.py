"""Labels that are numbers of the lines of a file of names, which was given for the names themselves."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import Final

from tfrecordcli.dataset.labels import LabelMap, quoted
from tfrecordcli.errors import InputError
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.units import plural

_CODE: Final = (
    'import json, sys; lines = open(sys.argv[1], encoding="utf-8-sig").read().splitlines(); '
    "print(json.dumps(dict(enumerate(lines, int(sys.argv[2])))))"
)

_OTHERS: Final = frozenset((".json", ".pbtxt"))  # these are no names, one a line


def need_no_numbers(labels: LabelMap, used: Collection[str]) -> None:
    """Refuses numbers for labels where a file of names was given that has as many lines, and none of them.

    Args:
      labels: of the file.
      used: labels of the list.

    Raises:
      InputError: with the command that numbers the lines, from 0 where the list has a 0.
    """
    are_numbers = bool(used) and all(label.isascii() and label.isdecimal() for label in used)
    if labels.kind != "name" or not are_numbers or not labels.ids.keys().isdisjoint(used):
        return
    first, last = (limit(map(int, used)) for limit in (min, max))
    start = min(first, 1)
    if last - start >= len(labels.ids):
        return
    path = labels.source
    if not os.path.isfile(path) or os.path.splitext(path)[1].lower() in _OTHERS:
        return
    target = as_path(f"{os.path.splitext(path)[0]}-by-number.json")
    command = command_line(["python", "-c", _CODE, as_path(path), str(start)])
    is_sure = start == 0 or last == len(labels.ids)
    count = "" if is_sure else " (if its first is 0, write 0 in place of the 1)"
    raise InputError(
        f"{path} has names, and labels are numbers ({', '.join(map(quoted, sorted(used, key=int)[:3]))}), "
        f"up to {last} of {plural(len(labels.ids), 'name')}",
        f"where they number its lines{count}: {command} > {command_line([target])}; then "
        f"{command_line(['--label-names', target])} instead of {command_line(['--labels', path])}",
    )
