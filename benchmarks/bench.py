"""The commands that are measured, and what a part of the benchmark finds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from photos import PhotoSet
from processes import Command, Runs, Spread, Usage, alternate, spread

HERE = Path(__file__).resolve().parent
SAMPLE = HERE.parent / "sample_data"
SHARDS = 16


@dataclass(frozen=True, slots=True)
class Bench:
    """What all parts need.

    Attributes:
      tfrec: the command under test.
      work: folder for photos and outputs; its file system is measured too.
      photos: the photos, at least `large` of them.
      small, large: numbers of photos; a slope is taken between the two.
      workers: busy cores of tfrec, and of the bare codec that it is compared with.
      rounds: alternating rounds of each part.
      before: the command of another version, to compare with; empty: this one with the portable gate.
    """

    tfrec: Sequence[str]
    work: Path
    photos: PhotoSet
    small: int
    large: int
    workers: int
    rounds: int
    before: Sequence[str] = ()

    def convert(
        self, count: int, check: str, workers: int | None = None, tfrec: Sequence[str] = (), *more: str
    ) -> Command:
        """`tfrec convert` of the first `count` photos."""
        csv = self.photos.csv(count)
        options = ["--check", check, "--num-shards", str(SHARDS), "--workers", str(workers or self.workers)]
        argv = [*(tfrec or self.tfrec), "convert", str(csv), str(self.output), *options, "--quiet", *more]
        return self.writing(argv, count)

    def slope(self, usages: Mapping[str, Usage], name: str, figure: Callable[[Usage], float]) -> float:
        """What each further photo takes, of runs that are called `name, count` (`at`)."""
        most, fewest = figure(usages[self.at(name, self.large)]), figure(usages[self.at(name, self.small)])
        return (most - fewest) / (self.large - self.small)

    @staticmethod
    def at(name: str, count: int) -> str:
        """What a run of so many photos is called."""
        return f"{name}, {count:,}"

    def against_before(self, command: Callable[[int, Sequence[str], Sequence[str]], Command]) -> Part:
        """CPU now against what it was before, or is with the portable gate.

        Args:
          command: makes the one to measure of a number of photos, a `tfrec`, and further options.
        """
        old = "before" if self.before else "portable gate"
        more = [] if self.before else ["--gate", "portable"]
        runs = alternate(
            {
                self.at(name, count): command(count, tfrec, options)
                for count in (self.small, self.large)
                for name, tfrec, options in ((old, self.before, more), ("now", (), []))
            },
            self.rounds,
        )
        at_small = spread(runs, lambda u: u[self.at("now", self.small)].cpu / u[self.at(old, self.small)].cpu)
        further = spread(runs, lambda u: self.slope(u, "now", _cpu) / self.slope(u, old, _cpu))
        ratios = [
            Ratio(f"now / {old}, {self.small:,} photos, CPU", at_small, 0.6),
            Ratio(f"now / {old}, each further photo, CPU", further, 0.6),
        ]
        return Part(f"Against {'the code before' if self.before else 'the portable gate'}", runs, ratios)

    def writing(self, argv: Sequence[str], count: int, settings: Mapping[str, str] | None = None) -> Command:
        """A command that reads the first `count` photos and must write all of them to `output`."""
        inputs = [self.photos.csv(count), *self.photos.paths[:count]]
        return Command(argv, inputs, self.output, self.photos.size(count), settings or {})

    def peer(self, python: str, writer: str, settings: Mapping[str, str] | None = None) -> Command:
        """Another writer, on the smaller number of photos."""
        argv = [python, str(HERE / "peers.py"), writer, str(self.photos.csv(self.small)), str(self.output)]
        return self.writing([*argv, "--shards", str(SHARDS)], self.small, settings)

    def cat(self, count: int) -> Command:
        """`cat` of the photos into one file, and that file on the disk."""
        names = self.work / f"names-{count}.txt"
        names.write_text("".join(f"{path}\n" for path in self.photos.paths[:count]))
        script = 'xargs -d "\\n" cat <"$1" >"$2" && sync "$2"'
        return self.writing(["sh", "-c", script, "sh", str(names), str(self.output)], count)

    def codec(self, count: int, *, skip: int = 0, processes: int) -> Command:
        """Bare calls of the codec on photos `skip` to `count`."""
        argv = [sys.executable, str(HERE / "codec.py"), str(self.photos.csv(count))]
        argv += ["--skip", str(skip), "--processes", str(processes)]
        return Command(argv, self.photos.paths[skip:count])

    def sample(self) -> Command:
        """`tfrec convert` of the sample data, with all defaults."""
        argv = [*self.tfrec, "convert", str(SAMPLE / "data.csv"), str(self.output), "--quiet"]
        return Command(argv, [path for path in SAMPLE.rglob("*") if path.is_file()], self.output, 1)

    @property
    def output(self) -> Path:
        """Where every command writes, one after the other."""
        return self.work / "out"


def _cpu(usage: Usage) -> float:
    return usage.cpu


@dataclass(frozen=True, slots=True)
class Ratio:
    """One comparison; `target` None is for information only."""

    what: str
    spread: Spread
    target: float | None = None
    direction: Literal["at most", "at least"] = "at most"
    unit: str = "x"

    @property
    def met(self) -> bool | None:
        """Whether the median reaches the target; None without one."""
        if self.target is None:
            return None
        if self.direction == "at most":
            return self.spread.median <= self.target
        return self.spread.median >= self.target


@dataclass(frozen=True, slots=True)
class Part:
    """What one part found: every run, and the comparisons made of them; or why nothing was measured."""

    title: str
    runs: Runs
    ratios: Sequence[Ratio]
    not_measured: str = ""


def wall_ratio(runs: Runs, first: str, second: str) -> Spread:
    """Wall time of the first over that of the second, round by round."""
    return spread(runs, lambda usages: usages[first].wall / usages[second].wall)
