"""Kills conversions at moments chosen at random, and checks what the same command makes of it then.

    python tests/chaos.py --kills 200 [--seed N]

A moment is either a number of seconds, or a number of changes to files: an audit hook in every
process of a run counts files opened for writing, renamed, removed, folders made and removed, and
sends SIGKILL to the whole process group just before the one that was chosen. So the short steps at
the end of a run (the manifest, the replacement of an older dataset) are hit as often as long ones.
Now and then only the parent is killed, and the next run begins while its workers still end.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from converting import TFREC, TIMEOUT, environment, fingerprint, image_list, jpeg, tfrec

_HOOK = """
import os, signal, sys

_AT = int(os.environ["CHAOS_AT"])
_FOLDERS = tuple(os.environ["CHAOS_FOLDERS"].split(os.pathsep))
_LOG = os.open(os.environ["CHAOS_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir"}


def _is_counted(event, arguments):
    if event == "open":
        path, _, flags = arguments
        if not isinstance(path, str) or not flags & _WRITING:
            return False
    elif event in _CHANGES:
        path = os.fspath(arguments[0])
    else:
        return False
    # rmtree names what it removes relative to a folder that it holds open.
    return path.startswith(_FOLDERS) or (event != "open" and not os.path.isabs(path))


def _watch(event, arguments):
    if _is_counted(event, arguments):
        os.write(_LOG, b".")
        if os.fstat(_LOG).st_size == _AT:
            if "CHAOS_PARENT_ONLY" in os.environ:
                os.kill(os.getpgrp(), signal.SIGKILL)  # the leader of the group
            else:
                os.killpg(os.getpgrp(), signal.SIGKILL)


sys.addaudithook(_watch)
"""

# From this share of its changes on, a run has made its shards and finishes.
_LATE = 0.6


class Broken(AssertionError):
    """A promise was not kept; the message says after which kills."""


@dataclass(frozen=True)
class Scenario:
    """One way to convert, what stands before it, and what an undisturbed run leaves.

    Attributes:
      arguments: of `tfrec convert`, without the output directory.
      stdin: bytes on standard input.
      before: a dataset that stands in the output directory, or None.
      result: name -> SHA-256 of the files of an undisturbed run.
      code: its exit code.
      changes: changes to files that it makes.
      seconds: that it takes.
    """

    name: str
    arguments: tuple[str, ...]
    stdin: bytes | None
    before: Path | None
    result: dict[str, str]
    code: int
    changes: int
    seconds: float


class Arena:
    """A folder with sources, hooks and scenarios; runs are made and killed in it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._output = folder / "out"
        self._scratch = folder / "tmp"
        self._scratch.mkdir()
        (folder / "hook").mkdir()
        (folder / "hook" / "sitecustomize.py").write_text(_HOOK)
        csv = _with_rejects(image_list(folder / "in", 20))
        _image_tree(folder / "tree")
        before = folder / "before"
        assert (
            tfrec("convert", csv, before, "--seed", "5", "--compression", "gzip", "--max-rejects", "9").code
            == 0
        )
        shards = ("--num-shards", "train=3", "--workers", "2", "--max-rejects", "9")
        self._known: dict[str, Scenario] = {}
        self._drafts = {
            "new": _draft("new", (str(csv), *shards, "--index")),
            "replaced": _draft("replaced", (str(csv), *shards, "--overwrite"), before=before),
            "stdin": _draft("stdin", ("-", "--image-root", str(csv.parent), *shards), csv.read_bytes()),
            "folder": _draft("folder", (str(folder / "tree"), "--workers", "1")),
        }

    @property
    def scenarios(self) -> list[Scenario]:
        """All of them."""
        return [self.scenario(name) for name in self._drafts]

    def scenario(self, name: str) -> Scenario:
        """One, with what an undisturbed run of it leaves."""
        if name not in self._known:
            self._known[name] = self._undisturbed(self._drafts[name])
        return self._known[name]

    def _undisturbed(self, draft: Scenario) -> Scenario:
        self._prepare(draft)
        started = time.monotonic()
        code = self._run(draft)
        seconds = time.monotonic() - started
        assert code in (0, 1), draft.name
        changes = (self._folder / "log").stat().st_size
        assert changes > 20
        result = fingerprint(self._output)
        return replace(draft, result=result, code=code, changes=changes, seconds=seconds)

    def _prepare(self, scenario: Scenario) -> None:
        shutil.rmtree(self._output, ignore_errors=True)
        if scenario.before is not None:
            shutil.copytree(scenario.before, self._output)

    def _run(
        self, scenario: Scenario, at: int = 0, seconds: float = TIMEOUT, parent_only: bool = False
    ) -> int:
        """One run, which dies before its change number ``at`` or after some seconds; its exit code."""
        more = {"CHAOS_PARENT_ONLY": "1"} if parent_only else {}
        log = self._folder / "log"
        log.unlink(missing_ok=True)
        process = subprocess.Popen(
            [*TFREC, "convert", scenario.arguments[0], str(self._output), *scenario.arguments[1:], "--quiet"],
            stdin=subprocess.PIPE if scenario.stdin is not None else subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment(
                PYTHONPATH=str(self._folder / "hook"),
                TMPDIR=str(self._scratch),
                CHAOS_AT=str(at),
                CHAOS_LOG=str(log),
                CHAOS_FOLDERS=f"{self._output}:{self._scratch}",
                **more,
            ),
            start_new_session=True,
        )
        try:
            _, words = process.communicate(scenario.stdin, timeout=seconds)
        except subprocess.TimeoutExpired:
            _kill_group(process)
            _, words = process.communicate()
        if process.returncode not in (0, 1, -signal.SIGKILL):
            raise Broken(f"exit code {process.returncode}: {words.decode()}")
        return process.returncode

    def clear(self) -> None:
        """Removes what a trial left that was broken, so that the next one is not blamed for it."""
        shutil.rmtree(self._scratch)
        self._scratch.mkdir()

    def trial(self, scenario: Scenario, random_: random.Random) -> int:
        """Kills once or several times, then lets the same command end; the number of kills.

        Raises:
          Broken: what is left is not what an undisturbed run leaves.
        """
        self._prepare(scenario)
        moments: list[str] = []
        while not moments or (moments[-1] != "end" and random_.random() < 0.4):
            at, seconds = _moment(scenario, random_)
            moments.append(self._kill(scenario, at, seconds, parent_only=random_.random() < 0.3))
        self._finish(scenario, moments)
        return sum(moment != "end" for moment in moments)

    def killed_at(self, scenario: Scenario, change: int) -> bool:
        """Kills once before a change, then lets the same command end; whether it came to that change."""
        self._prepare(scenario)
        moment = self._kill(scenario, change, TIMEOUT)
        self._finish(scenario, [moment])
        return moment != "end"

    def _kill(self, scenario: Scenario, at: int, seconds: float, parent_only: bool = False) -> str:
        """The moment in words; `end` when the run came to its end before."""
        if self._run(scenario, at, seconds, parent_only) != -signal.SIGKILL:
            return "end"
        moment = f"change {at}" if at else f"{seconds:.3f} s"
        moment += " (the parent only)" if at and parent_only else ""
        if scenario.before is not None:
            self._look_between(scenario, moment)
        return moment

    def _finish(self, scenario: Scenario, moments: Iterable[str]) -> None:
        code = self._run(scenario)
        where = f"{scenario.name}, killed at {', '.join(moments)}"
        if code != scenario.code:
            raise Broken(f"{where}: exit code {code} instead of {scenario.code}")
        self._compare(where, scenario.result)

    def _compare(self, where: str, expected: dict[str, str]) -> None:
        there = sorted(path.name for path in self._output.iterdir())
        if there != sorted(expected):
            raise Broken(f"{where}: files are {there}, not {sorted(expected)}")
        found = fingerprint(self._output)
        changed = [name for name in expected if found[name] != expected[name]]
        if changed:
            raise Broken(f"{where}: other bytes in {changed}")
        left = sorted(path.name for path in self._scratch.iterdir())
        if left:
            raise Broken(f"{where}: left in the folder for temporary files: {left}")

    def _look_between(self, scenario: Scenario, moment: str) -> None:
        """A complete dataset, the old one or the new one, is there whenever the power goes."""
        done = tfrec("verify", self._output, "--no-feed", "--workers", "1")
        if done.code != 0:
            raise Broken(f"{scenario.name}, killed at {moment}: verify says\n{done.out}{done.err}")


def _draft(
    name: str, arguments: tuple[str, ...], stdin: bytes | None = None, before: Path | None = None
) -> Scenario:
    return Scenario(name, arguments, stdin, before, {}, 0, 0, 0.0)


def _moment(scenario: Scenario, random_: random.Random) -> tuple[int, float]:
    if random_.random() < 0.3:
        return 0, random_.uniform(0.05, scenario.seconds)
    first = 1 if random_.random() < 0.5 else int(scenario.changes * _LATE)
    return random_.randint(first, scenario.changes), TIMEOUT


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _with_rejects(csv: Path) -> Path:
    with csv.open("a") as file:
        file.write("VALIDATION,000.jpg2,a\nTEST,001.jpg,\nTEST,t.jpg,a\nVALIDATION,v.jpg,b\n")
    for name in ("t.jpg", "v.jpg"):
        (csv.parent / name).write_bytes(jpeg(len(name)))
    return csv


def _image_tree(folder: Path) -> None:
    for number in range(12):
        path = folder / ("train", "test")[number % 2] / "ab"[number // 2 % 2] / f"{number}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(jpeg(number))


def torment(arena: Arena, kills: int, seed: int, tell: Callable[[str], None]) -> int:
    """Trials over all scenarios in turn until so many runs were killed; the number of trials."""
    random_ = random.Random(seed)
    done = trials = 0
    while done < kills:
        scenario = arena.scenarios[trials % len(arena.scenarios)]
        done += arena.trial(scenario, random_)
        trials += 1
        tell(f"{done} of {kills} kills, {trials} datasets finished as undisturbed")
    return trials


@dataclass(frozen=True)
class Outcome:
    """What a series of trials came to.

    Attributes:
      done: trials, or kills, that were made.
      failures: what was not as it should be, in words with its seed; empty when all was right.
    """

    done: int
    failures: tuple[str, ...]


def run(seed: int, count: int, seconds: float = 3600.0) -> Outcome:
    """Kills ``count`` runs, or as many as the time is enough for; every dataset must end as undisturbed."""
    deadline = time.monotonic() + seconds
    done = trials = 0
    failures: list[str] = []
    random_ = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
        arena = Arena(Path(folder))
        while done < count and time.monotonic() < deadline:
            scenario = arena.scenarios[trials % len(arena.scenarios)]
            trials += 1
            try:
                done += arena.trial(scenario, random_)
            except Broken as broken:
                done += 1
                failures.append(f"seed {seed}, trial {trials}: {broken}")
                arena.clear()
    return Outcome(done, tuple(failures))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
        arena = Arena(Path(folder))
        for scenario in arena.scenarios:
            print(f"{scenario.name}: {scenario.changes} changes to files in {scenario.seconds:.2f} s")
        try:
            torment(arena, arguments.kills, arguments.seed, lambda words: print(words, flush=True))
        except Broken as broken:
            sys.exit(f"BROKEN: {broken}")


if __name__ == "__main__":
    main()
