"""label_map.pbtxt: the label map as TensorFlow's Object Detection API reads it.

The text form of a StringIntLabelMap (tensorflow/models, research/object_detection/protos/
string_int_label_map.proto); some readers know of `id` and `name` only, so nothing else is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from tfrecordcli.errors import InputError

_TOKEN: Final = re.compile(
    r"""\s+|\#[^\n]*|(?P<word>[A-Za-z_][A-Za-z0-9_]*)|(?P<number>-?[0-9]+)|(?P<mark>[{}:;,<>\[\]])"""
    r"""|(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')"""
)
_ESCAPE: Final = re.compile(r"""\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|(.))""")
_LETTERS: Final = {"n": "\n", "r": "\r", "t": "\t", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_OPENING, _CLOSING = frozenset("{<"), frozenset("}>")


def to_pbtxt(ids: Mapping[str, int]) -> str:
    """The file's text for names and their ids, in this order."""
    item = "item {{\n  id: {}\n  name: '{}'\n}}\n\n"
    return "".join(item.format(number, _escaped(name)) for name, number in ids.items())


def is_pbtxt(text: str) -> bool:
    """Whether a text begins as a label map does."""
    return re.match(r"(?:\s+|#[^\n]*\n)*item\s*[{<:]", text) is not None


def from_pbtxt(text: str, name: str) -> dict[str, int]:
    """Names and their ids, in the order of the ids.

    ``display_name`` stands for a name that is missing; other fields are not looked at.

    Args:
      name: of the file, for messages.

    Raises:
      InputError: it is no label map, an item has no id or no name, or two have the same.
    """
    ids: dict[str, int] = {}
    for number, item in enumerate(_items(text, name), 1):
        label, label_id = item.get("name") or item.get("display_name"), item.get("id")
        if not label or label_id is None:
            raise InputError(f"{name}: item {number} has no {'id' if label else 'name'}", "give it one")
        if label in ids or int(label_id) in ids.values():
            raise InputError(f"{name}: item {number}: {label!r} or its id {label_id} is there twice")
        ids[label] = int(label_id)
    if not ids:
        raise InputError(f"{name}: no item in it", "write them as in item { id: 1 name: 'cat' }")
    return dict(sorted(ids.items(), key=lambda item: item[1]))


def display_names(text: str, name: str) -> dict[int, str]:
    """The names for people by their ids, of items that have them; arguments as of `from_pbtxt`."""
    return {int(item["id"]): item["display_name"] for item in _items(text, name) if "display_name" in item}


def _escaped(name: str) -> str:
    return name.replace("\\", "\\\\").replace("'", "\\'")


def _items(text: str, name: str) -> Iterator[dict[str, str]]:
    """The fields of each item that hold a text or a number."""
    item: dict[str, str] = {}
    depth, field = 0, ""
    for kind, token, line in _tokens(text, name):
        if token in _OPENING:
            if depth == 0 and field != "item":
                raise InputError(f"{name}: line {line}: {field!r} is none of a label map")
            item = {} if depth == 0 else item
            depth += 1
        elif token in _CLOSING:
            depth -= 1
            if depth < 0:
                raise InputError(f"{name}: line {line}: a bracket closes nothing")
            if depth == 0:
                yield item
        elif kind == "word":
            field = token
        elif depth == 1 and kind in ("text", "number"):
            item[field] = _unescaped(token[1:-1]) if kind == "text" else token
    if depth:
        raise InputError(f"{name}: a bracket is never closed", "is the file whole?")


def _tokens(text: str, name: str) -> Iterator[tuple[str, str, int]]:
    """(kind, text, line) of each."""
    at, line = 0, 1
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise InputError(f"{name}: line {line}: this is no label map", "write item { id: 1 name: 'cat' }")
        if match.lastgroup:
            yield match.lastgroup, match[0], line
        line += match[0].count("\n")
        at = match.end()


def _unescaped(text: str) -> str:
    """Octal and hexadecimal escapes are bytes of UTF-8."""
    if "\\" not in text:
        return text
    out = bytearray()
    end = 0
    for match in _ESCAPE.finditer(text):
        out += text[end : match.start()].encode()
        octal, hexadecimal, letter = match.groups()
        if letter is not None:
            out += _LETTERS.get(letter, letter).encode()
        else:
            out.append((int(octal, 8) if octal else int(hexadecimal, 16)) & 0xFF)
        end = match.end()
    return (out + text[end:].encode()).decode(errors="replace")
