"""Shards on a store, copied to local files just before TensorFlow reads them.

TensorFlow reads gs:// itself, but neither s3:// nor oss:// nor az://, and gs:// only with credentials of
its own finding. A copy serves all four alike, and TensorFlow's own reader is still the one that reads.
The copies of a process are in a folder of their own, which goes when the process ends; of more than
`TFREC_CACHE_BYTES` bytes (10 GiB when unset) the ones that were used longest ago go earlier, but for the
last 32, which are in use. A file that is being read stays readable when it goes.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import threading
import weakref
from contextlib import ExitStack
from functools import lru_cache
from typing import Any, Final

from tfrecordcli.errors import TfrecError, UsageError
from tfrecordcli.feed.tensorflow import import_tensorflow, untouched
from tfrecordcli.storage.scratch import scratch_error, scratch_folder
from tfrecordcli.storage.store_path import StorePath, place_of
from tfrecordcli.storage.uris import is_on_store
from tfrecordcli.units import format_size

_MOST_BYTES: Final = 10 << 30
# Files that never go: those that are open, and those fetched ahead that are not open yet.
_KEPT_FILES: Final = 32
_AT_ONCE: Final = 4

_MAKING: Final = threading.Lock()  # TensorFlow's threads ask for the first file at the same time


def fetched(files: Any, *, deterministic: bool) -> Any:
    """A tf.data.Dataset of (path, skip, take) with each path replaced by that of a local copy."""
    tf = import_tensorflow()

    def fetch(path: Any) -> bytes:
        return os.fsencode(_cache().fetch(os.fsdecode(path)))

    def localised(path: Any, skip: Any, take: Any) -> tuple[Any, Any, Any]:
        local = tf.numpy_function(fetch, [path], tf.string, stateful=False)
        return tf.ensure_shape(local, []), skip, take

    return files.map(untouched(localised), num_parallel_calls=_AT_ONCE, deterministic=deterministic)


def describe_cache() -> str:
    """Through what shards on stores are read, for people."""
    size = format_size(most_bytes())
    return f"a local cache of at most {size}, or {_KEPT_FILES} shards, in {tempfile.gettempdir()}"


def most_bytes() -> int:
    """Bytes that the cache may take.

    Raises:
      UsageError: TFREC_CACHE_BYTES is no number.
    """
    text = os.environ.get("TFREC_CACHE_BYTES", "")
    if text and not text.isdecimal():
        raise UsageError(
            f"TFREC_CACHE_BYTES: {text!r} is no number of bytes", "as in TFREC_CACHE_BYTES=1000000000"
        )
    return int(text) if text else _MOST_BYTES


def _cache() -> StoreCache:
    with _MAKING:
        return _only_cache()


def raise_error_of_store() -> None:
    """Raises what kept a shard from being copied last, which TensorFlow knows in words only.

    Raises:
      StoreError, OutageError
    """
    failure = _cache().failure
    if failure is not None:
        raise failure


@lru_cache(maxsize=1)
def _only_cache() -> StoreCache:
    return StoreCache(most_bytes())


class StoreCache:
    """Local copies of shards; the folder is removed with the object, or by the next process after a kill.

    Attributes:
      failure: why the last shard that was asked for could not be copied; None when it could.
    """

    def __init__(self, most: int) -> None:
        stack = ExitStack()
        self._folder = stack.enter_context(scratch_folder())
        weakref.finalize(self, stack.close)
        self._most = most
        self.failure: TfrecError | None = None
        self._lock = threading.Lock()
        self._sizes: dict[str, int] = {}  # path -> bytes, the one used last at the end
        self._busy: dict[str, threading.Lock] = {}

    def fetch(self, path: str) -> str:
        """The path of a local copy; a local path as it is.

        Raises:
          OSError: it cannot be copied; TensorFlow passes the message on.
        """
        if not is_on_store(path):
            return path
        local = str(self._folder / hashlib.sha256(os.fsencode(path)).hexdigest())
        with self._lock:
            busy = self._busy.setdefault(local, threading.Lock())
        with busy:
            with self._lock:
                size = self._sizes.pop(local, None)
                if size is not None:
                    self._sizes[local] = size
                    return local
            self._copy(path, local)
        return local

    def _copy(self, path: str, local: str) -> None:
        source = place_of(path)
        assert isinstance(source, StorePath)
        try:
            with source.open("rb") as object_, open(local + ".part", "wb") as copy:
                shutil.copyfileobj(object_, copy, 1 << 20)
                size = copy.tell()
        except TfrecError as error:
            self.failure = error
            raise OSError(str(error)) from error
        except (FileNotFoundError, PermissionError):  # of the object
            raise
        except OSError as error:
            self.failure = scratch_error(error, self._folder.parent)
            raise
        self.failure = None
        os.replace(local + ".part", local)
        with self._lock:
            self._sizes[local] = size
            self._make_room()

    def _make_room(self) -> None:
        total = sum(self._sizes.values())
        while total > self._most and len(self._sizes) > _KEPT_FILES:
            oldest = next(iter(self._sizes))
            total -= self._sizes.pop(oldest)
            os.unlink(oldest)
