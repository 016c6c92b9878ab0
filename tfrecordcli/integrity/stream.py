"""The bytes of a shard, plain or gzip, told by the first bytes and not by the name."""

from __future__ import annotations

import os
import zlib
from typing import IO, Final

import google_crc32c

# Bytes asked of the file at a time.
_CHUNK: Final = 1 << 20

_GZIP_MAGIC: Final = b"\x1f\x8b"


class GzipDamaged(Exception):
    """The gzip stream is not what a compressor wrote."""


class GzipCut(Exception):
    """The gzip stream ends before its end."""


class ShardStream:
    """A shard opened for reading from its start.

    Attributes:
      is_gzip: whether the file is compressed, by its first bytes.
      file_size: bytes read from the file so far; all of it once the end was reached.
      crc32c: of those bytes, unmasked.
      offset: bytes handed out so far, of the uncompressed stream.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.file_size = self.crc32c = self.offset = 0
        self._buffer = b""
        self._start = 0
        self._raw = self._read_raw()
        self.is_gzip = self._raw.startswith(_GZIP_MAGIC)
        self._inflate = zlib.decompressobj(31) if self.is_gzip else None

    def peek(self, count: int) -> bytes:
        """At most ``count`` bytes that come next, without moving on."""
        self._fill(count)
        return self._buffer[self._start : self._start + count]

    def read(self, count: int) -> bytes:
        """``count`` bytes, or fewer when the stream ends.

        Raises:
          GzipDamaged, GzipCut
        """
        self._fill(count)
        data = self._buffer[self._start : self._start + count]
        self._start += len(data)
        self.offset += len(data)
        return data

    def drain(self) -> None:
        """Reads the file to its end, for its size and checksum."""
        while self._read_raw():
            pass

    def _read_raw(self) -> bytes:
        data = self._file.read(_CHUNK)
        self.crc32c = google_crc32c.extend(self.crc32c, data)
        self.file_size += len(data)
        return data

    def _fill(self, count: int) -> None:
        """Makes at least ``count`` bytes ready, unless the stream ends."""
        missing = count - (len(self._buffer) - self._start)
        if missing <= 0:
            return
        pieces = [self._buffer[self._start :]]
        while missing > 0:
            piece = self._next_piece()
            if not piece:
                break
            pieces.append(piece)
            missing -= len(piece)
        self._buffer = b"".join(pieces)
        self._start = 0

    def _next_piece(self) -> bytes:
        """The next uncompressed bytes; empty at the end."""
        raw, self._raw = self._raw, b""
        if self._inflate is None:
            return raw or self._read_raw()
        return self._inflated(raw)

    def _inflated(self, raw: bytes) -> bytes:
        assert self._inflate is not None
        while True:
            raw = raw or self._inflate.unconsumed_tail or self._inflate.unused_data or self._read_raw()
            if not raw:
                if not self._inflate.eof:
                    raise GzipCut
                return b""
            if self._inflate.eof:  # members one after another are one stream (RFC 1952, 2.2)
                self._inflate = zlib.decompressobj(31)
            try:
                data = self._inflate.decompress(raw, _CHUNK)
            except zlib.error as error:
                raise GzipDamaged from error
            if data:
                return data
            raw = b""


def open_shard(path: str) -> IO[bytes]:
    """A shard's file, unbuffered: `ShardStream` reads large pieces itself."""
    return os.fdopen(os.open(path, os.O_RDONLY | os.O_CLOEXEC), "rb", buffering=0)
