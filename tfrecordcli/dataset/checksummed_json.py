"""Checksums by which tfrec knows its own files again: a JSON file holds its own, and those of other files."""

from __future__ import annotations

from typing import Any, Final, TypeVar

import google_crc32c

from tfrecordcli.formats.typed_json import from_json, to_json
from tfrecordcli.storage.store_path import Place

T = TypeVar("T")

_PIECE: Final = 1 << 20
_MARK: Final = b',"checksum":"'
_LENGTH: Final = len(_MARK) + len('01234567"}')


def dump(value: Any, indent: int | None = None) -> bytes:
    """The JSON object of a dataclass or mapping, with a checksum of all text before it."""
    body = to_json(value, indent).encode()[:-1].rstrip()
    return b'%b%b%08x"}' % (body, _MARK, google_crc32c.value(body))


def load(kind: type[T], data: bytes) -> T:
    """The value of this type that was dumped.

    Raises:
      ValueError: the text is not as it was written, down to the last character, or (a `MismatchError`, which
        names the field) no such value.
    """
    body = data[:-_LENGTH]
    if data[-_LENGTH:] != b'%b%08x"}' % (_MARK, google_crc32c.value(body)):
        raise ValueError("it is cut or was edited")
    return from_json(kind, body + b"}")


def crc32c_of(path: Place) -> int:
    """CRC32C of a file.

    Raises:
      FileNotFoundError: there is none.
    """
    crc = 0
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            crc = google_crc32c.extend(crc, piece)
    return crc
