"""Cases distributed to lanes, until all were tried or the time is up."""

from __future__ import annotations

import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from fuzz.outcome import Outcome
from fuzz.peer import Peer

# Of failures of one sort, so many are printed and kept; all are counted.
TOLD_OF_A_SORT = 3
# Of a process that runs tfrec: what Python, NumPy and the decoders reserve, and the constant of any record.
_SUBJECT_MEMORY = 3 << 30


class Lane:
    """What a case is tried with: a folder, and processes that run tfrec, TensorFlow, and kills."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        folder.mkdir(parents=True)
        self.folder = folder
        self.subject = stack.enter_context(Peer("fuzz.subject", folder / "subject", _SUBJECT_MEMORY))
        self.witness = stack.enter_context(Peer("fuzz.witness", folder / "witness"))
        self.arena = stack.enter_context(Peer("fuzz.arena", folder / "kills"))


class Kind(Protocol):
    """One kind of test; `trial` is called from several threads, each with its lane."""

    name: str

    def prepare(self, folder: Path, seed: int, count: int) -> None:
        """Makes what all cases share."""

    def trial(self, lane: Lane, number: int) -> Outcome:
        """One case; the same seed and number give the same case."""


@dataclass
class Tally:
    """What came of one kind.

    Attributes:
      asked, done: cases (of kills: killed runs).
      verdicts: how many ended how; sorts: the same, with what was done.
    """

    name: str
    asked: int
    done: int = 0
    seconds: float = 0.0
    verdicts: Counter[str] = field(default_factory=Counter)
    sorts: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def failures(self) -> dict[tuple[str, str], int]:
        from fuzz.outcome import FAILURES

        return {sort: count for sort, count in sorted(self.sorts.items()) if sort[0] in FAILURES}


Tell = Callable[[str], None]


class NotHere(Exception):
    """What a kind of test needs is not on this machine."""


class Running:
    """One run of one kind.

    Args:
      seed: of all cases.
      keep: folder that failures are kept in.
      tell: takes lines to print.
      deadline: `time.monotonic()` when it ends.
    """

    def __init__(self, kind: Kind, seed: int, keep: Path, tell: Tell, deadline: float) -> None:
        self._kind = kind
        self._seed = seed
        self._keep = keep
        self._tell = tell
        self._deadline = deadline
        self._lock = threading.Lock()
        self._errors: list[str] = []
        self._taken = 0

    def run(self, folder: Path, numbers: Iterator[int], count: int, lanes: int) -> Tally:
        """Tries cases of these numbers until their weights are ``count``, or the time is up.

        Raises:
          NotHere: this kind cannot be tried here.
          RuntimeError: a lane failed by itself, which says nothing about tfrec.
        """
        self._tally = Tally(self._kind.name, count)
        self._numbers = numbers
        self._told = started = time.monotonic()
        self._kind.prepare(folder / "shared", self._seed, count)
        threads = [
            threading.Thread(target=self._work, args=(folder / f"lane-{number}",)) for number in range(lanes)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self._tally.seconds = time.monotonic() - started
        if self._errors:
            raise RuntimeError("\n".join(self._errors))
        return self._tally

    def _work(self, folder: Path) -> None:
        try:
            with _lane(folder) as lane:
                while (number := self._next()) is not None:
                    self._take(number, self._kind.trial(lane, number))
        except Exception:
            self._errors.append(traceback.format_exc())

    def _next(self) -> int | None:
        with self._lock:
            is_over = self._taken >= self._tally.asked or time.monotonic() > self._deadline
            if is_over or self._errors:
                return None
            self._taken += 1
            return next(self._numbers, None)

    def _take(self, number: int, outcome: Outcome) -> None:
        with self._lock:
            tally = self._tally
            tally.done += outcome.weight
            self._taken += outcome.weight - 1
            tally.verdicts[outcome.verdict] += outcome.weight
            sort = (outcome.verdict, outcome.what)
            tally.sorts[sort] += outcome.weight
            if outcome.is_failure and tally.sorts[sort] <= TOLD_OF_A_SORT:
                self._tell_failure(number, outcome)
            elif time.monotonic() - self._told > 30:
                self._told = time.monotonic()
                failed = sum(tally.failures.values())
                self._tell(f"{tally.name}: {tally.done:,} of {tally.asked:,}, {failed} failures")

    def _tell_failure(self, number: int, outcome: Outcome) -> None:
        folder = self._keep / f"{self._kind.name}-{self._seed}-{number}"
        for name, data in outcome.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        self._tell(
            f"FAILED {self._kind.name} {number}: {outcome.verdict}: {outcome.what}: {outcome.detail[:600]}"
        )
        again = f"--seed {self._seed} --only {self._kind.name}:{number}"
        self._tell(f"  again: make fuzz FUZZ='{again}'" + (f"   kept: {folder}" if outcome.files else ""))


@contextmanager
def _lane(folder: Path) -> Iterator[Lane]:
    with ExitStack() as stack:
        yield Lane(folder, stack)
