"""Whether batches fit into the machine's memory, asked before anything is read."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from tfrecordcli.errors import UsageError
from tfrecordcli.feed.assembly import available_cores
from tfrecordcli.feed.options import FeedOptions
from tfrecordcli.units import format_size, plural

# Batches that exist at the same time: one is used, two are ready ahead, and one is being made.
_BATCHES: Final = 4
# Bytes of a pixel in a batch, and while an image is resized: as float32, twice.
_STORED, _RESIZED = 3, 2 * 3 * 4
# Images of a batch that are timed even when the split has fewer: its epochs go round for it.
_ALWAYS: Final = 256

_CGROUPS: Final = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def timed_options(options: FeedOptions, records: int) -> FeedOptions:
    """Options with a batch size that a split of so many records can fill in a bounded time."""
    return replace(options, batch_size=min(options.batch_size, max(records, _ALWAYS)))


def check_room(options: FeedOptions, records: int, memory: int | None = None) -> None:
    """Refuses batches that no run on this machine could hold.

    Args:
      options: of the feed.
      records: of the largest split.
      memory: of the machine, bytes; by default what this process may use.

    Raises:
      UsageError
    """
    size = options.height_width
    if size is None:
        return
    batch = timed_options(options, records).batch_size
    pixels = size[0] * size[1]
    need = pixels * (_BATCHES * batch * _STORED + min(batch, available_cores()) * _RESIZED)
    room = usable_memory() if memory is None else memory
    if need > room:
        images = plural(batch, "image")
        raise UsageError(
            f"batches of {images} of {size[0]:,} x {size[1]:,} pixels need {_shown(need)} of memory,"
            f" and there is {format_size(room)}",
            "use a smaller --image-size" + (" or --batch-size" if batch > 1 else ""),
        )


def usable_memory() -> int:
    """Bytes that this process can have: of the machine, its container and its limit (ulimit -v)."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    limits = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), *_of_container()]
    return min(limits if limit == resource.RLIM_INFINITY else [*limits, limit])


def _of_container() -> Iterator[int]:
    for path in _CGROUPS:
        try:
            text = Path(path).read_text(encoding="ascii").strip()
        except OSError:
            continue
        if text.isdecimal():  # or "max"
            yield int(text)


def _shown(size: int) -> str:
    return format_size(size) if size < 10**15 else "more than 1,000 TB"
