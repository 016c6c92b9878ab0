"""Rows that each tell one thing of what an image shows, the image itself in one of them.

As breeders' apps write them: `plot_id,trait,value` with `p1,height,111` and `p1,photo,p1.jpg`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import IMAGE_EXTENSION
from tfrecordcli.sources.pandas_commands import changed, literal
from tfrecordcli.sources.proposals.unread import Unread

_VALUES: Final = frozenset({"value", "values", "answer", "response", "wert"})
_MOST_KINDS: Final = 100


def long_form_hint(unread: Unread) -> str:
    """The command that makes a row of each image, with what is told of it; empty where it is not certain."""
    header = unread.header
    rows = [row for row in unread.table if len(row) == len(header)]
    values = [i for i, name in enumerate(header) if name.lower() in _VALUES]
    if len(values) != 1 or len({*header}) < len(header):
        return ""
    others = [i for i in range(len(header)) if i != values[0]]
    for key in others:
        kind = _kind_of_images(rows, key, values[0])
        units = [i for i in others if i != key and _are_units(rows, key, kind, i)] if kind else []
        if units:
            return _joined(unread, header[units[0]], header[key], header[values[0]], kind)
    return ""


def _kind_of_images(rows: Sequence[Sequence[str]], key: int, value: int) -> str:
    """The only word of a column beside which all values are images, and none beside others; else empty."""
    kinds: dict[str, list[bool]] = {}
    for row in rows:
        if row[value]:
            kinds.setdefault(row[key], []).append(IMAGE_EXTENSION.search(row[value]) is not None)
        if len(kinds) > _MOST_KINDS:
            return ""
    named = [kind for kind, are_images in kinds.items() if any(are_images)]
    return named[0] if len(named) == 1 < len(kinds) and all(kinds[named[0]]) else ""


def _are_units(rows: Sequence[Sequence[str]], key: int, kind: str, unit: int) -> bool:
    """Whether a column says what rows are of: of each thing one, and of most images another."""
    told = [(row[unit], row[key]) for row in rows if row[key] != kind]
    images = [row[unit] for row in rows if row[key] == kind]
    met = {each for each, _ in told}
    is_certain = all(images) and len({*told}) == len(told)
    return is_certain and 2 * sum(each in met for each in images) > len(images)


def _joined(unread: Unread, unit: str, key: str, value: str, kind: str) -> str:
    """The hint; the command fails where one thing is told twice of what an image shows."""
    u, k, v, image = map(literal, (unit, key, value, kind))
    change = (
        f"i = t[{k}] == {image}; o = t[~i].pivot(index={u}, columns={k}, values={v}); "
        f"t[i][[{u}, {v}]].rename(columns={{{v}: {image}}}).merge(o, left_on={u}, right_index=True, "
        'how="left")'
    )
    command = changed(unread.name, unread.delimiter, change, "by-image")
    option = command_line(["--split-by", unit])
    return (
        f"column {value} holds images where {key} is {kind}, and else what is told of them: make a row of "
        f"each image{': ' * bool(command)}{command}, and convert that, with {option} to keep those of one "
        f"{unit} in one split"
    )
