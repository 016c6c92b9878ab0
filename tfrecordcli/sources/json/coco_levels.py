"""Relatives of COCO whose annotations have a category at each of several levels, as DENTEX has them.

`{"category_id_1": 0, "category_id_2": 7, "category_id_3": 2}` beside `categories_1` (the quadrant),
`categories_2` (the tooth) and `categories_3` (the disease): any of them may be the label that is meant.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tfrecordcli.errors import InputError
from tfrecordcli.sources.json.fields import as_name
from tfrecordcli.sources.pandas_commands import literal, python_command
from tfrecordcli.units import some_of

_IDS: Final = "category_id_"
_CATEGORIES: Final = "categories_"
_TOLD: Final = 4  # names of a level


@dataclass(slots=True)
class Levels:
    """What was met of levels in a file.

    Attributes:
      keys: of the first annotation without ``category_id``.
      names: of the categories under each key of them.
    """

    keys: tuple[str, ...] = ()
    names: dict[str, list[str]] = field(default_factory=dict)

    def add_annotation(self, annotation: Mapping[str, Any]) -> None:
        """Takes in one that has no ``category_id``."""
        self.keys = self.keys or tuple(key for key in annotation if key.startswith(_IDS))

    def add_category(self, key: str, element: Any) -> None:
        """Takes in an element of any array."""
        if key.startswith(_CATEGORIES) and isinstance(element, dict):
            self.names.setdefault(key, []).append(as_name(element.get("name")))

    def need_none(self, name: str) -> None:
        """Refuses a file none of whose annotations has a ``category_id``, where it has such levels.

        Raises:
          InputError: telling the categories of each level, with the command that takes it for the label.
        """
        found = {key: self.names.get(_CATEGORIES + key.removeprefix(_IDS), []) for key in self.keys}
        if not found or not all(found.values()):
            return
        ways = (f"{key} ({some_of(names, _TOLD)}){_taking(key, name)}" for key, names in found.items())
        raise InputError(
            f"{name}: annotations have no category_id but {some_of([*found])}, and only one can be the label",
            f"which is it? {'; '.join(ways)}",
        )


def _taking(key: str, name: str) -> str:
    """The command that makes COCO with the categories of a level."""
    target = f"{os.path.splitext(name)[0]}-by-{key}.json"
    code = (
        f'import json; t = json.load(open({literal(name)}, "rb")); '
        f"t.update(categories=t[{literal(_CATEGORIES + key.removeprefix(_IDS))}]); k = {literal(key)}; "
        '[a.update(category_id=a[k]) for a in t["annotations"] if k in a]; '
        f'json.dump(t, open({literal(target)}, "x"))'
    )
    command = python_command(code, name)
    return f": make COCO of it: {command}" if command else f": call {key} category_id"
