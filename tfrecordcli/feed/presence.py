"""Whether the shards of a dataset are there, told by their sizes before TensorFlow reads any of them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping

from tfrecordcli.errors import InputError
from tfrecordcli.feed.source import Shard, Source
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.storage.store_path import Place, StorePath
from tfrecordcli.units import plural


def check_presence(folder: Place, sources: Iterable[Source]) -> None:
    """Compares the size of every shard with that of the one that was written.

    On a disk one look at each file, on a store one listing.

    Raises:
      InputError: a file is missing or has another size; it names the first one.
      StoreError, OutageError: the store is in the way.
    """
    shards = [shard for source in sources for shard in source.shards]
    sizes = _sizes_on_store(folder) if isinstance(folder, StorePath) else None
    wrong = [(shard, size) for shard in shards if (size := _size_of(shard, sizes)) != shard.bytes]
    if not wrong:
        return
    shard, size = wrong[0]
    what = "it is missing" if size is None else f"{plural(size, 'byte')} instead of {shard.bytes:,}"
    more = len(wrong) - 1
    others = "" if not more else f" (and {'one' if more == 1 else f'{more:,}'} more like it)"
    raise InputError(
        f"{folder}: {os.path.basename(shard.path)}: {what}{others}",
        f"{command_line(['tfrec', 'verify', as_path(str(folder))])} says what is wrong",
    )


def _sizes_on_store(folder: StorePath) -> dict[str, int]:
    """URL -> bytes of the objects right in a folder."""
    _, objects = folder.store.list_folder(folder.key)
    return {f"{folder.scheme}://{folder.bucket}/{found.key}": found.size for found in objects}


def _size_of(shard: Shard, sizes: Mapping[str, int] | None) -> int | None:
    """Bytes of a shard; None when there is no such file."""
    if sizes is not None:
        return sizes.get(shard.path)
    try:
        found = os.stat(shard.path)
    except OSError:
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None
