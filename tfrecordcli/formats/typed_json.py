"""Dataclasses as JSON and back: one way for all that tfrec stores for itself or sends between its processes.

Fields stand under their names, tuples as arrays, keys of mappings as text. What is read is checked against
the annotations of its type, down to the last element, so that whoever uses it need not.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import NoneType, UnionType
from typing import Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
_Decode = Callable[[Any], Any]

_NEEDED: Final = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    NoneType: "null",
}
_LONGEST_SHOWN: Final = 60


class MismatchError(ValueError):
    """JSON that is not of the type that was asked for; its text names the field."""

    def __init__(self, what: str, where: str = "") -> None:
        super().__init__(f"{where}: {what}" if where else what)
        self.what = what
        self.where = where

    def within(self, name: str) -> MismatchError:
        """The same, as seen from what holds it under this name, or at this [place]."""
        glue = "." if self.where and not self.where.startswith("[") else ""
        return MismatchError(self.what, f"{name}{glue}{self.where}")


def to_json(value: Any, indent: int | None = None) -> str:
    """The JSON text of dataclasses, mappings, sequences and plain values."""
    separators = (",", ":") if indent is None else None
    return json.dumps(value, indent=indent, separators=separators, default=_fields_of)


def plain(value: Any) -> Any:
    """The same as dictionaries, lists and plain values, as `json.loads` gives them."""
    return json.loads(to_json(value))


def _fields_of(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


def from_json(kind: type[T], text: str | bytes) -> T:
    """The value of this type that a JSON text holds.

    Raises:
      ValueError: it is no JSON, or a `MismatchError` that names the first field that is not as it should be.
    """
    try:
        return of_type(kind, json.loads(text))
    except RecursionError:
        raise MismatchError("it is nested too deep") from None


def of_type(kind: type[T], value: Any) -> T:
    """The value of this type for one that `json.loads` gave.

    Raises:
      MismatchError: as of `from_json`.
    """
    decode: Callable[[Any], T] = _decoder(kind)  # type: ignore[arg-type]
    return decode(value)


@functools.cache
def _decoder(kind: Any) -> _Decode:
    """The function that makes a value of this type from JSON's; types are looked into once only."""
    origin, arguments = get_origin(kind) or kind, get_args(kind)
    if kind is Any:
        return lambda value: value
    if kind in _NEEDED:
        return functools.partial(_plain, kind, (int, float) if kind is float else (kind,))
    if origin is Literal:
        return functools.partial(_one_of, arguments)
    if origin in (Union, UnionType):
        return functools.partial(_optional, *(_decoder(each) for each in arguments if each is not NoneType))
    if dataclasses.is_dataclass(kind):
        return _dataclass_decoder(kind)
    if origin is tuple and arguments[-1] is not Ellipsis:
        return functools.partial(_row, tuple(map(_decoder, arguments)))
    if issubclass(origin, Mapping):
        make = Counter if origin is Counter else dict
        key, item = (*arguments, int)[:2] if arguments else (str, Any)
        return functools.partial(_mapping, make, key, item)
    if issubclass(origin, Sequence):
        return functools.partial(_sequence, list if origin is list else tuple, arguments[0])
    raise TypeError(f"{kind} has no form in JSON")


def _plain(kind: type, allowed: tuple[type, ...], value: Any) -> Any:
    if type(value) not in allowed:
        raise _needed(_NEEDED[kind], value)
    return value


def _one_of(choices: tuple[Any, ...], value: Any) -> Any:
    if value not in choices:
        raise _needed(" or ".join(map(str, choices)), value)
    return value


def _optional(decode: _Decode, value: Any) -> Any:
    return None if value is None else decode(value)


def _row(decoders: tuple[_Decode, ...], value: Any) -> tuple[Any, ...]:
    if type(value) is not list or len(value) != len(decoders):
        raise _needed(f"a list of {len(decoders)}", value)
    return tuple(
        _inner(f"[{n}]", decode, each) for n, (decode, each) in enumerate(zip(decoders, value, strict=True))
    )


def _sequence(make: type, item: Any, value: Any) -> Any:
    if type(value) is not list:
        raise _needed("a list", value)
    if set(map(type, value)) <= {item}:  # a plan can have as many checksums as shards
        return make(value)
    decode = _decoder(item)
    return make(_inner(f"[{number}]", decode, each) for number, each in enumerate(value))


def _mapping(make: type, key: Any, item: Any, value: Any) -> Any:
    if type(value) is not dict:
        raise _needed("an object", value)
    try:
        keys = map(int, value) if key is int else iter(value)
        if set(map(type, value.values())) <= {item}:
            return make(dict(zip(keys, value.values(), strict=True)))
        decode = _decoder(item)
        return make(
            {name: _inner(str(name), decode, each) for name, each in zip(keys, value.values(), strict=True)}
        )
    except MismatchError:
        raise
    except ValueError:
        raise MismatchError("its keys must be whole numbers") from None


def _dataclass_decoder(kind: Any) -> _Decode:
    hints = get_type_hints(kind)
    fields = {field.name: _decoder(hints[field.name]) for field in dataclasses.fields(kind)}
    missing = dataclasses.MISSING
    required = [
        f.name for f in dataclasses.fields(kind) if f.default is missing and f.default_factory is missing
    ]

    def decode(value: Any) -> Any:
        if type(value) is not dict:
            raise _needed("an object", value)
        for name in required:
            if name not in value:
                raise MismatchError("it is missing", name)
        for name in value:
            if name not in fields:
                raise MismatchError("no field of this name is known", shown(name))
        values = {name: _inner(name, fields[name], each) for name, each in value.items()}
        try:
            return kind(**values)
        except ValueError as error:
            raise MismatchError(str(error)) from error

    return decode


def _inner(name: str, decode: _Decode, value: Any) -> Any:
    try:
        return decode(value)
    except MismatchError as error:
        raise error.within(name) from None


def _needed(what: str, value: Any) -> MismatchError:
    return MismatchError(f"{what} is needed, not {shown(json.dumps(value))}")


def shown(text: str) -> str:
    """A text of which a message shows the beginning, its escapes written out."""
    text = text.encode("unicode_escape").decode() if not text.isprintable() else text
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"


def encodable(text: str) -> str:
    r"""The same text; halves of characters, as "\ud800" gives them, are written out."""
    return text.encode("utf-8", "backslashreplace").decode()
