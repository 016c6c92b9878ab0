"""What follows the last record of a file, if that is no record."""

from __future__ import annotations

from typing import Final

from tfrecordcli.tfrecords.foreign_kinds import describe_foreign
from tfrecordcli.tfrecords.stream import ShardStream, open_shard

# Bytes by which it is recognised, and the fewest that text is told by.
_HEAD: Final = 512
_FEWEST: Final = 8
_PIECE: Final = 1 << 20  # bytes at a time


def describe_rest(path: str, offset: int) -> tuple[int, str]:
    """How many bytes stand from an offset of the (uncompressed) stream on, and what they are.

    The second is empty when they may be a record.

    Raises:
      OSError: the file cannot be read any more.
    """
    with open_shard(path) as file:
        stream = ShardStream(file)
        while stream.offset < offset:
            stream.read(min(_PIECE, offset - stream.offset))
        head = stream.peek(_HEAD)
        while stream.read(_PIECE):
            pass
    return stream.offset - offset, _describe(head)


def _describe(rest: bytes) -> str:
    """What follows the last record, when it can be told that it is no record."""
    if not rest.strip(b"\0"):
        return "only zero bytes; what stood there is lost, or was never written"
    if not rest.strip():
        return "only line ends and blanks"
    return describe_foreign(rest) if len(rest) >= _FEWEST else ""
