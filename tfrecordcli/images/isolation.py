"""Checks images in a child process, so that a decoder's native crash costs one row, not a shard.

Only the second attempt at a shard whose worker crashed pays for this.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import struct
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import IO, Any

from tfrecordcli.images.check import check_image
from tfrecordcli.images.checked_image import CheckedImage
from tfrecordcli.options import ImageOptions
from tfrecordcli.processes import CRASH_SIGNALS, leave_signals_to_parent, start_python
from tfrecordcli.reasons import Rejected


class CheckerKilled(Exception):
    """The child that checked an image was killed from outside, most likely for memory."""


class _Child:
    """A process that checks one image after another."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def check(self, data: bytes, options: ImageOptions) -> CheckedImage:
        if self._process is None:
            self._process = start_python(
                "tfrecordcli.images.isolation",
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        answer: Any
        try:
            _send(self._process.stdin, (data, options))
            answer = _receive(self._process.stdout)
        except (BrokenPipeError, EOFError):
            answer = self._cause_of_death()
        if isinstance(answer, Exception):
            raise answer
        assert isinstance(answer, CheckedImage)
        return answer

    def _cause_of_death(self) -> Exception:
        assert self._process is not None
        status = self._process.wait()
        self.close()
        if -status in CRASH_SIGNALS:
            return Rejected("decoder_crash")
        what = f"the checking process ended with status {status}"
        return CheckerKilled(what) if status < 0 else RuntimeError(what)

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


@contextlib.contextmanager
def checking_in_child() -> Iterator[Callable[[bytes, ImageOptions], CheckedImage]]:
    """A stand-in for `check_image` that survives the decoder's crashes."""
    child = _Child()
    try:
        yield child.check
    finally:
        child.close()


def _send(stream: IO[bytes], value: object) -> None:
    body = pickle.dumps(value)
    stream.write(struct.pack("<Q", len(body)) + body)
    stream.flush()


def _receive(stream: IO[bytes]) -> Any:
    head = stream.read(8)
    if len(head) < 8:
        raise EOFError
    (length,) = struct.unpack("<Q", head)
    body = stream.read(length)
    if len(body) < length:
        raise EOFError
    return pickle.loads(body)


def main() -> None:
    """The child's loop; ends when the parent closes its side."""
    leave_signals_to_parent()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a native library prints must not get between the answers
    while True:
        try:
            data, options = _receive(sys.stdin.buffer)
        except EOFError:
            return
        try:
            answer: object = check_image(data, options)
        except (Rejected, MemoryError) as problem:
            answer = problem
        except Exception:
            answer = RuntimeError(traceback.format_exc())
        _send(answers, answer)
