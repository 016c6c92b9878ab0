"""Run whole commands in alternating turns and measure their wall time and CPU.

A B C, A B C, ...: a machine that slows down for a while slows all of them, and ratios within a round
stay comparable. CPU is user + system of the command and of all processes it waited for.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

BLOCK = 1 << 20

# Settings of one shell that would change what is measured: without its bytecode cache, TensorFlow
# alone takes twice as long to import.
DISTURBING = (
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONPYCACHEPREFIX",
    "PYTHONOPTIMIZE",
    "PYTHONUNBUFFERED",
    "MALLOC_",
)


class CommandFailed(Exception):
    """A measured command failed, or did not do its work."""


@dataclass(frozen=True, slots=True)
class Command:
    """One thing to measure.

    Attributes:
      argv: the program and its arguments.
      inputs: files that must be in the page cache before the clock starts.
      output: file or directory that the command makes; removed before and after each run.
      least_bytes: the output must hold at least this many, or the command did not do its work.
      settings: environment variables of its own.
    """

    argv: Sequence[str]
    inputs: Sequence[Path] = ()
    output: Path | None = None
    least_bytes: int = 0
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Usage:
    """What one run took, in seconds, and what it printed."""

    wall: float
    cpu: float
    stdout: str = ""


@dataclass(frozen=True, slots=True)
class Spread:
    """Median, lowest and highest of one figure over all rounds."""

    median: float
    low: float
    high: float


Runs = Mapping[str, Sequence[Usage]]


def alternate(commands: Mapping[str, Command], rounds: int) -> Runs:
    """Run the commands in turn, `rounds` times over; usages by name, in order of the rounds."""
    runs: dict[str, list[Usage]] = {name: [] for name in commands}
    for number in range(1, rounds + 1):
        for name, command in commands.items():
            usage = measure(command)
            runs[name].append(usage)
            note = f"round {number}/{rounds}  {name}: {usage.wall:.2f} s wall, {usage.cpu:.2f} s CPU"
            print(note, file=sys.stderr, flush=True)
    return runs


def measure(command: Command) -> Usage:
    """Run one command: inputs warm, its old output gone, nothing left to be written by others."""
    if command.output is not None:
        _remove(command.output)
        command.output.parent.mkdir(parents=True, exist_ok=True)
    warm(command.inputs)
    os.sync()
    usage = _run(command.argv, _clean_environment() | dict(command.settings))
    if command.output is not None:
        found = _bytes_of(command.output)
        _remove(command.output)
        if found < command.least_bytes:
            raise CommandFailed(f"{command.argv[0]} wrote {found} bytes, not {command.least_bytes} or more")
    return usage


def spread(runs: Runs, figure: Callable[[Mapping[str, Usage]], float]) -> Spread:
    """A figure computed within each round (a ratio, a slope), over all rounds."""
    rounds = zip(*runs.values(), strict=True)
    values = [figure(dict(zip(runs, usages, strict=True))) for usages in rounds]
    return Spread(statistics.median(values), min(values), max(values))


def warm(paths: Sequence[Path]) -> None:
    """Read the files, so that they are in the page cache (which must have room for them)."""
    buffer = bytearray(BLOCK)
    for path in paths:
        with path.open("rb", buffering=0) as file:
            while file.readinto(buffer):
                pass


def _clean_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(DISTURBING)}


def _run(argv: Sequence[str], environment: Mapping[str, str]) -> Usage:
    with tempfile.TemporaryFile("w+") as stdout, tempfile.TemporaryFile("w+") as stderr:
        start = time.perf_counter()
        process = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, env=environment
        )
        try:
            _, status, used = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            raise
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)  # it is reaped: Popen must not wait again
        if process.returncode != 0:
            raise CommandFailed(_failure(argv, process.returncode, stderr))
        stdout.seek(0)
        return Usage(wall, used.ru_utime + used.ru_stime, stdout.read())


def _failure(argv: Sequence[str], code: int, stderr: IO[str]) -> str:
    stderr.seek(0)
    tail = "\n".join(stderr.read().splitlines()[-12:])
    return f"exit code {code} from: {' '.join(argv)[:400]}\n{tail}"


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _bytes_of(path: Path) -> int:
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return path.stat().st_size if path.exists() else 0
