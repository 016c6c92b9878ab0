"""Keys of objects within objects, named with dots: `photo.path` of `{"photo": {"path": "a.jpg"}}`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

# DynamoDB wraps values twice, `{"Item": {"dish": {"S": "curry"}}}`, and its maps once more each.
_DEEPEST: Final = 6


def with_inner(fields: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The fields, with values that keys named with dots lead to under these names as well.

    A key that is itself called so is meant before one in an object.
    """
    inner = {name: _led_to(fields, name) for name in names if name not in fields}
    return fields | {name: value for name, value in inner.items() if value is not None}


def leaves_of(fields: Mapping[str, Any], deepest: int = _DEEPEST) -> Iterator[tuple[str, Any]]:
    """(key, value) of the fields, with those of objects named with dots in the places of these objects."""
    for key, value in fields.items():
        if isinstance(value, dict) and deepest:
            yield from (
                (f"{key}.{inner}" if inner else key, each) for inner, each in leaves_of(value, deepest - 1)
            )
        else:
            yield key, value


def _led_to(fields: Mapping[str, Any], name: str) -> Any:
    """The value that a name with dots leads to; None: there is none. Keys may have dots of their own."""
    for place in (place for place, sign in enumerate(name) if sign == "."):
        outer, rest = fields.get(name[:place]), name[place + 1 :]
        if isinstance(outer, dict):
            return outer[rest] if rest in outer else _led_to(outer, rest)
    return None
