"""Processes that serve one call after another, and may die, hang or run out of memory over one.

    with Peer("fuzz.subject", memory=3 << 30) as peer:
        answer = peer.ask("verify", folder, seconds=60)

The module is imported in the process; calls name functions of it. What is asked and answered travels pickled
over pipes; what native libraries print goes to a file, whose end is quoted when the process dies.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pickle
import resource
import select
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import IO, Any

from converting import environment

_HEAD = struct.Struct("<Q")
_TESTS = Path(__file__).resolve().parents[1]
_LAST_WORDS = 600
_START = 300.0  # seconds


class Died(Exception):
    """The process ended over a call; `signal` is the one that killed it, or 0."""

    def __init__(self, code: int, words: str) -> None:
        self.signal = -code if code < 0 else 0
        name = signal.Signals(self.signal).name if self.signal else f"exit code {code}"
        super().__init__(f"{name}: {words}")


class Hung(Exception):
    """It did not answer in time, and was killed."""


class Raised(Exception):
    """The function raised; the text is its traceback."""


class Peer:
    """One such process, started when it is asked first and again after it died.

    Args:
      module: that holds the functions.
      folder: for its temporary files.
      memory: bytes of address space that it may take; 0 is no limit.
    """

    def __init__(self, module: str, folder: Path, memory: int = 0) -> None:
        self._module = module
        self._folder = folder
        self._memory = memory
        self._process: subprocess.Popen[bytes] | None = None
        self._words: IO[bytes] | None = None

    def __enter__(self) -> Peer:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def ask(self, function: str, *arguments: Any, seconds: float) -> Any:
        """What the function returns.

        Raises:
          Died, Hung, Raised
        """
        is_new = self._process is None
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            if is_new:  # what an import takes is no part of an answer
                _receive(process.stdout, _START)
            _send(process.stdin, (function, arguments))
            kind, value = _receive(process.stdout, seconds)
        except TimeoutError:
            self.end()
            raise Hung(f"{function}: no answer within {seconds:.0f} s") from None
        except (BrokenPipeError, EOFError):
            code = process.wait()
            words = self._last_words()
            self.end()
            raise Died(code, words) from None
        if kind == "raised":
            raise Raised(value)
        return value

    def end(self) -> None:
        """Kills it, with whatever it started."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.communicate()
            self._process = None
        if self._words is not None:
            self._words.close()
            self._words = None

    def _start(self) -> subprocess.Popen[bytes]:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._words = tempfile.TemporaryFile()  # noqa: SIM115
        path = os.pathsep.join([str(_TESTS), str(_TESTS.parent)])
        self._process = subprocess.Popen(
            [sys.executable, "-m", "fuzz.peer", self._module, str(self._memory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._words,
            cwd=self._folder,
            env=environment(
                PYTHONPATH=path, TMPDIR=str(self._folder), TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES=""
            ),
            start_new_session=True,
        )
        return self._process

    def _last_words(self) -> str:
        assert self._words is not None
        size = self._words.seek(0, os.SEEK_END)
        self._words.seek(max(0, size - _LAST_WORDS))
        return " / ".join(self._words.read().decode(errors="replace").split("\n")[-6:]).strip(" /")


def _send(pipe: IO[bytes], message: Any) -> None:
    data = pickle.dumps(message)
    pipe.write(_HEAD.pack(len(data)) + data)
    pipe.flush()


def _receive(pipe: IO[bytes], seconds: float) -> Any:
    end = time.monotonic() + seconds
    (size,) = _HEAD.unpack(_read(pipe, _HEAD.size, end))
    return pickle.loads(_read(pipe, size, end))


def _read(pipe: IO[bytes], size: int, end: float) -> bytes:
    data = b""
    while len(data) < size:
        if not select.select([pipe], [], [], max(0.0, end - time.monotonic()))[0]:
            raise TimeoutError
        piece = os.read(pipe.fileno(), size - len(data))
        if not piece:
            raise EOFError
        data += piece
    return data


def serve(module: str, memory: int) -> None:
    """Answers until the pipe closes."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    functions = importlib.import_module(module)
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    _send(answers, ("returned", None))
    while head := requests.read(_HEAD.size):
        function, arguments = pickle.loads(requests.read(*_HEAD.unpack(head)))
        try:
            answer = ("returned", getattr(functions, function)(*arguments))
        except Exception:
            answer = ("raised", traceback.format_exc())
        _send(answers, answer)


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
