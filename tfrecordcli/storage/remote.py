"""Images that are read over a network, one by itself and many ahead of their turn; copies of files there."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache
from typing import IO, Final

from tfrecordcli.errors import InputError, MalformedAnswerError
from tfrecordcli.reasons import Rejected, too_many_bytes
from tfrecordcli.storage.network import REQUESTS
from tfrecordcli.storage.record_parts import image_in, part_of
from tfrecordcli.storage.store_path import place_of
from tfrecordcli.storage.stores import hint_of, store_of
from tfrecordcli.storage.uris import WEB, check_web_url, is_on_store, parse_store_url, public_uri, scheme_of
from tfrecordcli.storage.web import copy_web, read_web, web_size
from tfrecordcli.storage.web_answer import AnswerError

# Bytes of images that one process has asked for and not used yet.
_BYTES: Final = 64 << 20

_PIECE: Final = 1 << 20


def read_remote(url: str, max_bytes: int, admit: Callable[[int], None] = lambda size: None) -> bytes:
    """An image by its URL, which may be that of a part of a TFRecord file on a store.

    Args:
      admit: called with its size before the body is read, or with what has come so far where the server
        does not tell the size; may wait.

    Raises:
      Rejected: it is not there, may not be read, is too large, is another one, or comes malformed each time.
      StoreError, OutageError: no image can be had, for now.
    """

    def within_limit(size: int) -> None:
        if size > max_bytes:
            raise too_many_bytes(size, max_bytes)
        admit(size)

    try:
        if scheme_of(url) in WEB:
            return read_web(url, within_limit, most=max_bytes)
        part = part_of(url)
        if part is not None:
            within_limit(part.length)
            name = parse_store_url(part.path)
            end = part.offset + part.length
            return image_in(store_of(name).read_range(name.key, part.offset, end), part)
        name = parse_store_url(url)
        return store_of(name).read(name.key, within_limit)
    except MalformedAnswerError as error:
        raise Rejected("unreadable") from error
    except FileNotFoundError as error:
        raise Rejected("not_found") from error
    except PermissionError as error:
        raise Rejected("permission_denied") from error
    except OSError as error:
        raise Rejected("unreadable") from error


def remote_size(url: str) -> int | None:
    """Bytes of an image, without reading it; None when that is not told.

    Raises:
      FileNotFoundError, PermissionError, StoreError, OutageError
    """
    if not is_on_store(url):
        return web_size(url)
    name = parse_store_url(url)
    return store_of(name).head(name.key).size


class _Budget:
    """Bytes that may be in memory at a time.

    A body is admitted while there is room, and always when it is its turn to be used: what holds the
    room comes before it then, or is itself.
    """

    def __init__(self, room: int) -> None:
        self._room = room
        self._used = 0
        self._turn = 1  # number of the image that is used next
        self._waiting = 0
        self._closed = False
        self._changed = threading.Condition(threading.Lock())

    def take(self, number: int, size: int) -> None:
        with self._changed:
            while not (self._closed or number <= self._turn or self._used + size <= self._room):
                self._waiting += 1
                self._changed.wait()
                self._waiting -= 1
            self._used += size

    def give_back(self, size: int, turn: int = 0) -> None:
        """Makes room; ``turn`` is the number of the image that is used next, where that changes."""
        with self._changed:
            self._used -= size
            self._turn = max(self._turn, turn)
            if self._waiting:
                self._changed.notify_all()

    def close(self) -> None:
        """Lets everybody go who waits."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


@lru_cache(maxsize=1)
def _threads(process: int) -> ThreadPoolExecutor:
    """The threads of this process that read, kept for its next shard; a fork has none of its parent's."""
    return ThreadPoolExecutor(REQUESTS, "tfrec-read")


class RemoteReader:
    """Reads images in threads, ahead of their turn, in bounded memory."""

    def __init__(self) -> None:
        self._pool = _threads(os.getpid())
        self._budget = _Budget(_BYTES)
        self._count = 0

    def open(self, url: str, max_bytes: int) -> RemoteImage:
        """An image that is asked for now."""
        self._count += 1
        return RemoteImage(self._pool, self._budget, self._count, (url, max_bytes))

    def close(self) -> None:
        """Lets its threads go; images that are still under way are to be closed first."""
        self._budget.close()


class RemoteImage:
    """One image under way; it is used in the order in which images were opened."""

    def __init__(
        self, pool: ThreadPoolExecutor, budget: _Budget, number: int, request: tuple[str, int]
    ) -> None:
        self._budget = budget
        self._number = number
        self._taken = 0
        self._answer: Future[bytes] = pool.submit(read_remote, *request, self._admit)

    def _admit(self, size: int) -> None:
        if size < self._taken:  # by a body that broke off
            self._budget.give_back(self._taken - size)
        elif size > self._taken:
            self._budget.take(self._number, size - self._taken)
        self._taken = size

    def read(self) -> bytes:
        """Its bytes. Raises as `read_remote` does."""
        try:
            return self._answer.result()
        finally:
            self._budget.give_back(self._taken, self._number + 1)

    def close(self) -> None:
        """Gives it up."""
        self._answer.cancel()


def download(url: str, file: IO[bytes]) -> None:
    """Writes what is at a URL to an open file.

    Raises:
      InputError: it is not there, or may not be read, or the server's answer is none to read.
      OSError: as of writing.
      StoreError, OutageError: the store or server is in the way.
    """
    name = public_uri(url)
    try:
        if scheme_of(url) in WEB:
            check_web_url(url)
            copy_web(url, file)
        else:
            with place_of(url).open("rb") as source:
                shutil.copyfileobj(source, file, _PIECE)
    except Rejected as problem:
        raise InputError(f"{name}: {problem.reason}") from None
    except MalformedAnswerError as error:
        raise InputError(error.message, "check the URL, and what answers there") from error
    except AnswerError as error:
        raise InputError(f"{name}: {error.strerror}", "check the URL") from error
    except FileNotFoundError as error:
        raise InputError(f"{name}: there is nothing of this name", "check the URL") from error
    except PermissionError as error:
        hint = "does the URL need a signature?" if scheme_of(url) in WEB else hint_of(scheme_of(url))
        raise InputError(f"{name}: may not be read", hint) from error
