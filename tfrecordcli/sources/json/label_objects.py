"""Labels of JSON Lines that are objects: `"label": {"name": "cat", "confidence": 0.9}`."""

from __future__ import annotations

from itertools import islice
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.sources.column_words import columns_option
from tfrecordcli.sources.json.fields import as_shown
from tfrecordcli.sources.json.inner_keys import leaves_of
from tfrecordcli.sources.json.line_file import MOST_UNCLEAR, LineFile
from tfrecordcli.sources.json.line_stream import lines_of

_SEVERAL: Final = 2  # lines, as one may be wrong
# Keys in them that are called after what it says, likeliest first.
_NAMES: Final = ("name", "label", "class", "class_name", "value", "text", "title", "category", "id")


def need_plain_label(path: str, encoding: str, begin: LineFile) -> None:
    """Refuses labels that are objects with names or numbers in them, in all of the first lines.

    Args:
      begin: the first lines, as they were met.

    Raises:
      InputError: with the options that name a key in them.
    """
    key = next((roles.label for roles in begin.roles.values() if roles.label), "")
    lines = (value for _, value in lines_of(path, begin.name, encoding) if isinstance(value, dict))
    shown = (line.get(key) for line in islice(lines, MOST_UNCLEAR * bool(key)))
    first = next(shown, None)
    labels = [first, *shown] if isinstance(first, dict) else []
    if len(labels) < _SEVERAL or not all(isinstance(each, dict) for each in labels):
        return
    told = [dict(leaves_of({key: each})) for each in labels]
    names = [each for each in told[0] if all(isinstance(one.get(each), str | int) for one in told)]
    if not names:
        return
    given = [each for each in begin.columns if each[0] != "label"]
    ways = [columns_option([*given, ("label", name)]) for name in sorted(names, key=_rank)]
    raise InputError(
        f"{begin.name}: {key} is an object, as {as_shown(labels[0])}",
        f"name what is in it: {' or '.join(ways)}",
    )


def _rank(key: str) -> int:
    last = key.rpartition(".")[2].lower()
    return _NAMES.index(last) if last in _NAMES else len(_NAMES)
