"""`tfrec` and its workers within the test process: most of what they do needs no process of its own."""

from __future__ import annotations

import io
import json
import os
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from queue import SimpleQueue
from typing import Any
from unittest import mock

import click

import tfrecordcli.cli.main as command_line
from tfrecordcli.bench import comparison as feeding_comparison
from tfrecordcli.bench import worker as way_worker
from tfrecordcli.bench.ways import WayResult, WayTask
from tfrecordcli.formats import typed_json
from tfrecordcli.option_definition import options_of
from tfrecordcli.runners import local, worker
from tfrecordcli.runners.messages import Message, Request, received, send


class InlineWorker:
    """Stands in for a worker process of the local runner: the same requests and answers, as JSON.

    A request is served before `ask` returns, so shards are made one after another.
    """

    def __init__(self, events: SimpleQueue[tuple[Any, Message | None]]) -> None:
        self._events = events
        self.task: Any = None
        self.rows = self.rejected = self.bytes = 0

    def ask(self, request: Request) -> None:
        answers = io.StringIO()
        asked = io.StringIO()
        send(asked, request)
        worker._serve(received(asked.getvalue()), answers)
        for line in answers.getvalue().splitlines():
            self._events.put((self, received(line)))

    def end(self) -> None:
        pass


def inline_way(task: WayTask) -> WayResult:
    """Stands in for the process of one way of feeding: TensorFlow is loaded here already."""
    result = way_worker.measure(WayTask(**json.loads(json.dumps(asdict(task)))))
    return WayResult(**json.loads(json.dumps(asdict(result))))


_WORKER, way_process = local._Worker, feeding_comparison.run


@contextmanager
def inline_workers() -> Iterator[None]:
    """The local runner starts no process meanwhile, and `bench` none either."""
    with (
        mock.patch.object(local, "_Worker", InlineWorker),
        mock.patch.object(feeding_comparison, "run", inline_way),
    ):
        yield


@contextmanager
def worker_processes() -> Iterator[None]:
    """They do, even so."""
    with (
        mock.patch.object(local, "_Worker", _WORKER),
        mock.patch.object(feeding_comparison, "run", way_process),
    ):
        yield


class _Stream(io.TextIOWrapper):
    """A standard stream that ends in memory."""

    def __init__(self, content: bytes = b"") -> None:
        super().__init__(
            io.BytesIO(content), encoding="utf-8", errors="replace", newline="\n", write_through=True
        )

    @property
    def text(self) -> str:
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode(errors="replace")


def run_here(
    arguments: list[str], cwd: Path | None, stdin: bytes | None, env: Mapping[str, str] | None
) -> tuple[int, str, str]:
    """Runs a command line in this process, with nothing remembered of the one before.

    Returns:
      exit code, standard output, standard error.
    """
    out, err = _Stream(), _Stream()
    before = os.getcwd() if cwd is not None else ""
    with (
        mock.patch.multiple(sys, stdin=_Stream(stdin or b""), stdout=out, stderr=err, argv=["tfrec"]),
        mock.patch.object(sys.modules["__main__"], "__package__", None),  # or click calls it python -m pytest
        mock.patch.dict(os.environ, dict(env or {}), clear=env is not None),
        mock.patch.object(tempfile, "tempdir", None),
    ):
        _forget()
        if cwd is not None:
            os.chdir(cwd)
        try:
            with click.Context(command_line.tfrec, color=False).scope():
                code = command_line.run(arguments, None)
        finally:
            if cwd is not None:
                os.chdir(before)
            _forget()
    return code, out.text, err.text


def run_python_here(code: str, words: list[str], cwd: Path, stdin: bytes) -> tuple[int, bytes, str]:
    """Runs the code of a `python -c` in this process, which has loaded what it imports already.

    Returns:
      exit code, standard output, standard error.
    """
    # Strict, and as the standard streams of Python are otherwise.
    reads = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    out, err = io.BytesIO(), io.StringIO()
    writes = io.TextIOWrapper(out, encoding="utf-8", newline="\n", write_through=True)
    before, exit_code = os.getcwd(), 0
    os.chdir(cwd)
    try:
        with (
            mock.patch.multiple(sys, stdin=reads, stdout=writes, stderr=err, argv=["-c", *words]),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")  # as of a file that is left to the end to be closed
            names = {"__name__": "__main__"}
            try:
                exec(compile(code, "<string>", "exec"), names)
            except SystemExit as end:
                exit_code = end.code if isinstance(end.code, int) else 1 if end.code else 0
                err.write(end.code if isinstance(end.code, str) else "")
            except Exception:
                exit_code = 1
                traceback.print_exc(file=err)
            names.clear()  # a function of it would keep all of it for a while, and so its files
    finally:
        os.chdir(before)
    writes.flush()
    return exit_code, out.getvalue(), err.getvalue()


# What these remember follows from types alone.
_KEPT = (typed_json._decoder, options_of)
# How many modules were loaded when it was last looked for, and what empties the caches of ours.
_found: tuple[int, list[Callable[[], None]]] = (0, [])


def _forget() -> None:
    """Empties what the package remembers from one call to the next, as a new process would."""
    global _found
    if _found[0] != len(sys.modules):  # thousands, which take as long as to convert a small list
        modules = [module for name, module in list(sys.modules.items()) if name.startswith("tfrecordcli")]
        values = {id(value): value for module in modules for value in vars(module).values()}
        for kept in _KEPT:
            values.pop(id(kept), None)
        clears = [getattr(value, "cache_clear", None) for value in values.values()]
        _found = len(sys.modules), [clear for clear in clears if callable(clear)]
    for clear in _found[1]:
        clear()
