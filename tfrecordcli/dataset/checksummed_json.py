"""Checksums by which tfrec knows its own files again: a JSON file holds its own, and those of other files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final, TextIO, TypeVar

import google_crc32c

from tfrecordcli.formats.typed_json import from_json, to_json
from tfrecordcli.storage.files import open_binary
from tfrecordcli.storage.store_path import Place

T = TypeVar("T")

_CRC32C: Final = re.compile(r"[0-9a-f]{8}")

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


@dataclass(frozen=True, slots=True)
class FileSum:
    """Size of a file, and its CRC32C as 8 hex digits."""

    bytes: int
    crc32c: str

    def __post_init__(self) -> None:
        if self.bytes < 0 or _CRC32C.fullmatch(self.crc32c) is None:
            raise ValueError("this is no size and CRC32C")


class SummedText:
    """Writes to a UTF-8 text file; its size and checksum are known without reading it again."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._bytes = self._crc32c = 0

    def write(self, text: str) -> None:
        data = text.encode()
        self._bytes += len(data)
        self._crc32c = google_crc32c.extend(self._crc32c, data)
        self._file.write(text)

    def sum(self) -> FileSum:
        """That of all that was written."""
        return FileSum(self._bytes, f"{self._crc32c:08x}")


def sum_of(data: bytes) -> FileSum:
    """That of a file with this content."""
    return FileSum(len(data), f"{google_crc32c.value(data):08x}")


def sum_of_file(path: Place) -> FileSum:
    """That of a file of any length.

    Raises:
      OSError: as `open_binary`.
    """
    size = crc32c = 0
    with open_binary(path) as file:
        while piece := file.read(_PIECE):
            size += len(piece)
            crc32c = google_crc32c.extend(crc32c, piece)
    return FileSum(size, f"{crc32c:08x}")


def crc32c_of(path: Place) -> int:
    """CRC32C of a file; raises as `sum_of_file`."""
    return int(sum_of_file(path).crc32c, 16)
