"""A TFRecord file being written: framing, whole-file checksum and offset index in one pass."""

from __future__ import annotations

import contextlib
import os
import zlib
from collections.abc import Callable, Sequence
from typing import Final

import google_crc32c

from tfrecordcli.formats.tfrecord import FOOTER_SIZE, HEADER_SIZE, frame, masked

crc32c_of_both: Callable[[int, int, int], int] | None = None
with contextlib.suppress(ImportError, AttributeError):  # built without a compiler, or of an earlier version
    from tfrecordcli.formats import _digest

    crc32c_of_both = _digest.crc32c_of_both

# Records are gathered to about this many bytes for each write.
_BATCH_BYTES: Final = 1 << 18
_MAX_PIECES: Final = 512  # below IOV_MAX (1024 on Linux and macOS)
_GZIP_LEVEL: Final = 6

# Bytes after which the disk is set to work, so that it does not wait for the end of a shard and the
# end of a shard not for it.
_STRETCH_BYTES: Final = 1 << 22
_HAS_ADVICE: Final = hasattr(os, "posix_fadvise")  # not on macOS


class RecordFile:
    """Writes records to a new file; `finish` makes it durable.

    Attributes:
      size: bytes in the file so far written or waiting (compressed when ``gzip``).
      crc32c: CRC32C of those bytes, unmasked.
      last_crc: masked CRC32C of the last record's payload, as it is in the file; 0 without one.
      index: (offset, size) of each record with its frame, in bytes of the uncompressed stream;
        only kept when asked for.
    """

    def __init__(self, path: str, *, gzip: bool = False, index: bool = False) -> None:
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
        # zlib's own gzip header has no time stamp and no name: the same records, the same bytes.
        self._gzip = zlib.compressobj(_GZIP_LEVEL, zlib.DEFLATED, 31) if gzip else None
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0
        self._offset = 0
        self._sent = 0  # bytes that the disk was asked to write
        self.size = 0
        self.crc32c = 0
        self.last_crc = 0
        self.index: list[tuple[int, int]] | None = [] if index else None

    def append(self, *pieces: bytes) -> None:
        """Adds one record, whose payload the pieces are."""
        length, crc = sum(map(len, pieces)), 0
        for piece in pieces:
            crc = google_crc32c.extend(crc, piece)
        size = HEADER_SIZE + length + FOOTER_SIZE
        if self.index is not None:
            self.index.append((self._offset, size))
        self._offset += size
        self.last_crc = masked(crc)
        header, footer = frame(length, crc)
        if self._gzip:
            for part in (header, b"".join(pieces), footer):
                self._add(self._gzip.compress(part))
        else:
            before = google_crc32c.extend(self.crc32c, header)
            self.crc32c = google_crc32c.extend(_crc_with(before, pieces, crc, length), footer)
            self._waiting += (header, *pieces, footer)
            self._waiting_bytes += size
            self.size += size
        if self._waiting_bytes >= _BATCH_BYTES or len(self._waiting) >= _MAX_PIECES:
            self._flush()

    def finish(self) -> None:
        """Writes what waits and forces the file to the disk."""
        if self._gzip:
            self._add(self._gzip.flush())
        self._flush()
        os.fsync(self._descriptor)

    def _add(self, piece: bytes) -> None:
        self._waiting.append(piece)
        self._waiting_bytes += len(piece)
        self.crc32c = google_crc32c.extend(self.crc32c, piece)
        self.size += len(piece)

    def _flush(self) -> None:
        pieces: list[bytes | memoryview] = list(self._waiting)
        left = self._waiting_bytes
        self._waiting.clear()
        self._waiting_bytes = 0
        while left:
            written = os.writev(self._descriptor, pieces[:_MAX_PIECES])
            left -= written
            if left:
                pieces = _without(pieces, written)
        if _HAS_ADVICE and self.size - self._sent >= _STRETCH_BYTES:
            self._send_to_disk()

    def _send_to_disk(self) -> None:
        """Begins to write what the system still holds back, without waiting for it.

        Linux does that first when it is told that a range will not be needed (mm/fadvise.c); pages that
        are being written stay in its cache.
        """
        length = self.size - self._sent
        os.posix_fadvise(self._descriptor, self._sent, length, os.POSIX_FADV_DONTNEED)
        self._sent = self.size

    def __enter__(self) -> RecordFile:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)


def _crc_with(before: int, pieces: Sequence[bytes], crc: int, length: int) -> int:
    """CRC32C of bytes and of these pieces behind them, from that of each."""
    if crc32c_of_both is not None:
        return crc32c_of_both(before, crc, length)
    for piece in pieces:
        before = google_crc32c.extend(before, piece)
    return before


def _without(pieces: list[bytes | memoryview], written: int) -> list[bytes | memoryview]:
    """What is left of pieces of which so many bytes were written."""
    for number, piece in enumerate(pieces):
        if written < len(piece):
            return [memoryview(piece)[written:], *pieces[number + 1 :]]
        written -= len(piece)
    return []
