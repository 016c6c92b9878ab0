"""Checksums by which tfrec knows its own files again: a JSON file holds its own, and those of other files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import google_crc32c

from tfrecordcli.storage.store_path import Place

_PIECE: Final = 1 << 20
_MARK: Final = b',"checksum":"'
_LENGTH: Final = len(_MARK) + len('01234567"}')


def seal(values: Mapping[str, Any], indent: int | None = None) -> bytes:
    """A JSON object of values, of which there is at least one, with a checksum of all text before it."""
    separators = (",", ":") if indent is None else None
    body = json.dumps(values, indent=indent, separators=separators).encode()[:-1].rstrip()
    return b'%b%b%08x"}' % (body, _MARK, google_crc32c.value(body))


def unseal(data: bytes) -> dict[str, Any]:
    """The values that `seal` was given, as JSON has them.

    Raises:
      ValueError: the text is not as it was written, down to the last character.
    """
    body = data[:-_LENGTH]
    if data[-_LENGTH:] != b'%b%08x"}' % (_MARK, google_crc32c.value(body)):
        raise ValueError("cut or edited")
    values: dict[str, Any] = json.loads(body + b"}")
    return values


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
