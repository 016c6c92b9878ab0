"""Ids that machines give out: hashes, UUIDs, UIDs of DICOM. They tell nothing of what images show."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

_UUID: Final = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_HEX: Final = "[0-9a-f]{8,}"
_KINDS: Final = (re.compile(_UUID, re.IGNORECASE), re.compile(_HEX, re.IGNORECASE))
_UID: Final = re.compile(r"[0-2](?:\.[0-9]+){5,}", re.ASCII)
# In a longer name, up to a sign or its end: a letter behind a digit is twice there, as in no `face0001a`.
_WITHIN: Final = re.compile(
    f"(?:{_UUID}|(?=[0-9]*[a-f]*[0-9]+[a-f]+[0-9]+[a-f]){_HEX})(?![^\\W_])", re.IGNORECASE
)
# Of digits and all letters, as databases and video sites count: letters and digits by turns.
_TOKEN: Final = re.compile("(?=(?:[a-z]*[0-9]+[a-z]+){3})[0-9a-z]{20,}(?![^\\W_])", re.IGNORECASE)
_MIXED: Final = re.compile("[0-9][a-f]", re.IGNORECASE)


def id_at(name: str, start: int = 0) -> bool:
    """Whether an id stands in a name at a place: hexadecimal digits, or many letters and digits by turns."""
    return (_WITHIN.match(name, start) or _TOKEN.match(name, start)) is not None


def are_ids(names: Collection[str]) -> bool:
    """Whether all of several names are ids of one kind; hexadecimal ones of one length, not all digits."""
    if len(names) == 1 or all(map(_UID.fullmatch, names)):
        return len(names) > 1
    is_mixed = 2 * sum(map(bool, map(_MIXED.search, names))) > len(names)
    is_one_kind = any(all(map(kind.fullmatch, names)) for kind in _KINDS)
    return is_one_kind and is_mixed and len({*map(len, names)}) == 1
