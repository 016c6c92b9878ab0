"""How values of a record look to a person: short, and nothing in it that a terminal would obey."""

from __future__ import annotations

import codecs
from typing import Final

from tfrecordcli.integrity.example_parser import Feature

_SHOWN_VALUES: Final = 3
_SHOWN_CHARACTERS: Final = 40
_SHOWN_BINARY: Final = 8  # bytes of what is no text

_IMAGES: Final = ((b"\xff\xd8\xff", "JPEG"), (b"\x89PNG\r\n\x1a\n", "PNG"), (b"GIF8", "GIF"))

_NEW_UTF8_DECODER = codecs.getincrementaldecoder("utf-8")


def escaped(text: str) -> str:
    """Text whose unprintable characters are written as escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def as_text(value: bytes) -> str:
    """A short bytes value as text; what is not UTF-8 stays visible as escapes."""
    return value.decode("utf-8", "backslashreplace")


def shown_feature(feature: Feature) -> str:
    """The first values of a feature: ``3``, ``[0.5, 1, 2, …]``, ``'cat'``, ``JPEG (1,234 bytes)``."""
    values = [shown_value(value) for value in feature.values[:_SHOWN_VALUES]]
    if len(feature.values) == 1:
        return values[0]
    more = ", …" if len(feature.values) > len(values) else ""
    return f"[{', '.join(values)}{more}]"


def shown_value(value: bytes | float | int) -> str:
    if isinstance(value, bytes):
        return _shown_bytes(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _shown_bytes(value: bytes) -> str:
    head = value[: 4 * _SHOWN_CHARACTERS]
    try:
        text = _NEW_UTF8_DECODER().decode(head)  # a character may be cut at the end of the head
    except UnicodeDecodeError:
        text = ""
    odd = sum(not (c.isprintable() or c.isspace()) for c in text)
    size = f"({len(value):,} bytes)"
    for magic, name in _IMAGES:
        if value.startswith(magic):
            return f"{name} {size}"
    if (not text and value) or odd > len(text) / 4:
        dots = " …" if len(value) > _SHOWN_BINARY else ""
        return f"{value[:_SHOWN_BINARY].hex(' ')}{dots} {size}"
    if len(text) > _SHOWN_CHARACTERS:
        return f"{escaped(text[: _SHOWN_CHARACTERS - 10])}… {size}"
    return f"'{escaped(text)}'"
