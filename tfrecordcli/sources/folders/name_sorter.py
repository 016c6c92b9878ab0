"""File names in order, however many: sorted in runs that wait in a temporary file, and merged."""

from __future__ import annotations

import heapq
import os
import tempfile
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise
from typing import IO, Final

from tfrecordcli.storage.scratch import scratch_parent, writing_scratch

_IN_MEMORY: Final = 20_000  # names, of about 100 bytes each with what Python needs for them
_PIECE: Final = 1 << 13
_END: Final = b"\0"  # which no file name holds


def in_order(names: Iterable[str], most: int = _IN_MEMORY) -> Iterator[str]:
    """`sorted`, with ``most`` names in memory at a time.

    Raises:
      ResourceError: there is nowhere to put the others.
    """
    names = iter(names)
    batch = list(islice(names, most))
    if len(batch) < most:
        yield from sorted(batch)
        return
    with writing_scratch():
        spool = tempfile.TemporaryFile(dir=scratch_parent())  # noqa: SIM115
    with spool as file:
        bounds = [0, _write_run(file, sorted(batch))]
        batch.clear()
        for name in names:
            batch.append(name)
            if len(batch) == most:
                bounds.append(_write_run(file, sorted(batch)))
                batch.clear()
        runs = [_read_run(file.fileno(), begin, end) for begin, end in pairwise(bounds)]
        yield from heapq.merge(*runs, sorted(batch))


def _write_run(file: IO[bytes], names: Iterable[str]) -> int:
    """Where the run ends."""
    with writing_scratch():
        file.writelines(name.encode() + _END for name in names)
        file.flush()
        return file.tell()


def _read_run(descriptor: int, begin: int, end: int) -> Iterator[str]:
    rest = b""
    while begin < end:
        piece = os.pread(descriptor, min(_PIECE, end - begin), begin)
        begin += len(piece)
        *whole, rest = (rest + piece).split(_END)
        for name in whole:
            yield name.decode()
