"""The bytes of a shard, plain or gzip, as far as TensorFlow reads them; what is damaged is distinguished."""

from __future__ import annotations

import io
import zlib
from typing import IO, Any, Final

import google_crc32c

from tfrecordcli.storage.files import open_binary
from tfrecordcli.tfrecords.framing import begins_record

# Bytes asked of the file at a time, and inflated at a time: what TensorFlow takes, on which depends where it
# stops (tensorflow/core/lib/io/zlib_inputstream.cc). They are still in the cache when the next one who needs
# them comes.
_CHUNK: Final = 1 << 18

# Bytes from which on a record is put together without a second copy of it.
_HUGE: Final = 1 << 22

_GZIP_MAGIC: Final = b"\x1f\x8b"


class GzipDamaged(Exception):
    """The gzip stream is not what a compressor wrote."""


class GzipCut(Exception):
    """The gzip stream ends before its end."""


def is_gzip(head: bytes) -> bool:
    """Whether a file that begins with these bytes, 12 or more, is compressed."""
    # The length of a plain file's first record can look like the start of gzip data.
    return head.startswith(_GZIP_MAGIC) and not begins_record(head)


class ShardStream:
    """A shard opened for reading from its start, or from a record of a plain file.

    Args:
      start: offset of that record.
      crc32c: of all bytes before it.

    Attributes:
      is_gzip: whether the file is compressed, by its first bytes.
      file_size: bytes read from the file so far; all of it once the end was reached.
      crc32c: of those bytes, unmasked.
      offset: bytes handed out so far, of the uncompressed stream.
      unread: bytes of gzip data behind the end of the stream that hold more, but are never read by
        TensorFlow: the file ends for it at a member that gives it nothing, unless more of the file is left
        to be fetched then.
    """

    def __init__(self, file: IO[bytes], start: int = 0, crc32c: int = 0) -> None:
        self._file = file
        if start:
            file.seek(start)
        self.file_size = self.offset = start
        self.crc32c = crc32c
        self._buffer = b""
        self._start = 0
        self._raw = self._read_raw()
        self.is_gzip = not start and is_gzip(self._raw)
        self._inflate = zlib.decompressobj(31) if self.is_gzip else None
        self._is_between_members = self._is_damaged = False
        self.unread = 0

    def peek(self, count: int) -> bytes:
        """At most ``count`` bytes that come next, without moving on; fewer before damage too."""
        try:
            self._fill(count)
        except (GzipDamaged, GzipCut):
            pass  # who reads on is told
        return self._buffer[self._start : self._start + count]

    def read(self, count: int) -> bytes:
        """``count`` bytes, or fewer when the stream ends.

        Raises:
          GzipDamaged, GzipCut
        """
        data = self._buffer[self._start : self._start + count]
        self._start += len(data)
        if len(data) < count:
            data = (self._read_on if count < _HUGE else self._read_huge)(data, count - len(data))
        self.offset += len(data)
        return data

    def _read_on(self, before: bytes, missing: int) -> bytes:
        """``before`` and up to ``missing`` bytes more, copied only once."""
        parts: list[bytes | memoryview] = [before]
        self._buffer, self._start = b"", 0
        try:
            while missing > 0 and (piece := self._next_piece()):
                self._buffer, self._start = piece, min(missing, len(piece))
                parts.append(memoryview(piece)[: self._start])
                missing -= self._start
        except (GzipDamaged, GzipCut):
            self._buffer, self._start = b"".join(parts), 0
            raise
        return b"".join(parts)

    def _read_huge(self, before: bytes, missing: int) -> bytes:
        """The same in little more than the memory of its result, piece after piece."""
        offset = self.offset
        whole = io.BytesIO()
        whole.write(before)
        while missing > 0 and (piece := self.read(min(missing, _HUGE >> 1))):
            whole.write(piece)
            missing -= len(piece)
        self.offset = offset  # who asked for all of it counts it
        return whole.getvalue()

    def skip(self) -> None:
        """Goes to the end of the stream.

        Raises:
          GzipDamaged, GzipCut
        """
        while piece := self._next_piece():
            self.offset += len(piece)

    def drain(self) -> None:
        """Reads the file to its end, for its size and checksum."""
        while self._read_raw():
            pass

    def _read_raw(self, count: int | None = None) -> bytes:
        """The next bytes of the file: so many, and fewer at its end only."""
        count = _CHUNK if count is None else count
        data = self._file.read(count)
        while len(data) < count and (more := self._file.read(count - len(data))):
            data += more  # a store may give what has come so far
        self.crc32c = google_crc32c.extend(self.crc32c, data)
        self.file_size += len(data)
        return data

    def _fill(self, count: int) -> None:
        """Makes at least ``count`` bytes ready, unless the stream ends."""
        missing = count - (len(self._buffer) - self._start)
        if missing <= 0:
            return
        pieces = [self._buffer[self._start :]]
        try:
            while missing > 0 and (piece := self._next_piece()):
                pieces.append(piece)
                missing -= len(piece)
        finally:
            self._buffer = b"".join(pieces)
            self._start = 0

    def _next_piece(self) -> bytes:
        """The next uncompressed bytes; empty at the end."""
        if self._inflate is not None:
            return self._inflated()
        raw, self._raw = self._raw, b""
        return raw or self._read_raw()

    def _inflated(self) -> bytes:
        """Goes through the file in TensorFlow's steps, so that the stream ends where TensorFlow ends it."""
        while not self.unread:
            if data := self._inflate_step():
                return data
            more = self._read_raw(_CHUNK - len(self._raw))
            if not more:
                self._end_inflating()
                break
            self._raw += more
        return b""

    def _end_inflating(self) -> None:
        if not self._is_between_members:
            raise GzipCut
        if self._holds_more(self._raw):
            self.unread = len(self._raw)

    def _inflate_step(self) -> bytes:
        """What comes of the bytes at hand, up to the end of a member (many are one stream: RFC 1952, 2.2)."""
        assert self._inflate is not None
        if self._is_damaged:
            raise GzipDamaged
        before = self._inflate.copy()
        try:
            data = self._inflate.decompress(self._raw, _CHUNK)
        except zlib.error:
            self._is_damaged = True
            return _inflate_up_to_damage(before, self._raw) or self._inflate_step()
        if self._inflate.eof:
            self._is_between_members, self._raw = True, self._inflate.unused_data
            self._inflate = zlib.decompressobj(31)
        elif self._raw:
            self._is_between_members, self._raw = False, self._inflate.unconsumed_tail
        return data

    def _holds_more(self, raw: bytes) -> bool:
        """Whether whole members hold anything; empty ones, as bgzip puts at the end, do not matter.

        Raises:
          GzipDamaged, GzipCut
        """
        while raw:
            inflate = zlib.decompressobj(31)
            try:
                if inflate.decompress(raw, 1):
                    return True
            except zlib.error:
                self._is_damaged = True
                raise GzipDamaged from None
            if not inflate.eof:
                raise GzipCut
            raw = inflate.unused_data
        return False


def _inflate_up_to_damage(inflate: Any, raw: bytes) -> bytes:
    """What zlib gives before the byte at which it stops; it throws that away itself."""
    pieces = []
    at, step = 0, 4096
    while step:
        before = inflate.copy()
        try:
            pieces.append(inflate.decompress(raw[at : at + step]))
            at += step
        except zlib.error:
            inflate = before
            step //= 8
    return b"".join(pieces)


def open_shard(path: str) -> IO[bytes]:
    """A shard's file, locally unbuffered: `ShardStream` reads large pieces itself.

    Raises:
      OSError: as `open_regular`.
    """
    return open_binary(path, buffering=0)
