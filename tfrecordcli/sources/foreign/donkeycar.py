"""Catalogs of Donkeycar's tubs (`catalog_0.catalog`), whose manifest tells which records were deleted.

Records stay in a catalog: only the last line of `manifest.json` beside it says that they are left out.
"""

from __future__ import annotations

import json
import os
from collections.abc import Set
from typing import Any, Final

from tfrecordcli.errors import InputError
from tfrecordcli.sources.made_list import made_by

_CATALOG: Final = ".catalog"
_MANIFEST: Final = "manifest.json"
_INDEX: Final = "_index"
_KEPT: Final = (
    'python -c \'import json, os, sys; f = open(sys.argv[1], encoding="utf-8-sig"); '
    f'm = open(os.path.join(os.path.dirname(sys.argv[1]), "{_MANIFEST}")); '
    'd = json.loads(m.read().splitlines()[-1])["deleted_indexes"]; '
    f'[print(r.strip()) for r in f if r.strip() and json.loads(r)["{_INDEX}"] not in d]\' {{name}}'
)


def deleted_records(name: str) -> Set[float]:
    """The numbers of deleted records that the manifest beside a catalog tells; empty where none does."""
    if not name.endswith(_CATALOG):
        return frozenset()
    try:
        with open(os.path.join(os.path.dirname(name), _MANIFEST), "rb") as file:
            told = json.loads((file.read().splitlines() or [b""])[-1])
    except (OSError, ValueError, RecursionError):  # none of a tub
        return frozenset()
    numbers = told.get("deleted_indexes") if isinstance(told, dict) else None
    if not isinstance(numbers, list):
        return frozenset()
    return {each for each in numbers if isinstance(each, (int, float))}


def is_deleted(line: Any, deleted: Set[float]) -> bool:
    """Whether a line of a catalog is one of those."""
    index = line.get(_INDEX) if isinstance(line, dict) else None
    return isinstance(index, (int, float)) and index in deleted  # 1.0, as pandas writes it, is 1


def refusal_of_deleted(count: int, name: str, options: str) -> InputError:
    """What is said of a catalog with deleted records, with the command that writes the others.

    Args:
      count: of these.
      name: of the catalog.
      options: by which it is read; empty: they are not known.
    """
    hint = made_by("", _KEPT, name, as_lines=True)
    return InputError(
        f"{name}: {_MANIFEST} tells that {count:,} of the records in this catalog of Donkeycar were deleted",
        f"{hint}; then convert that with {options}" if options else hint,
    )
