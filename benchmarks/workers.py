"""How much faster is `tfrec` with more workers? One, two, four, … up to the cores of this machine, in turns.

    python benchmarks/workers.py --work /var/tmp/bench --rounds 2

Each further photo counts, so that starting workers does not. README.md says what each part measures. Exit
code 2 when something could not be run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping

import verify_parts
from bench import Bench, Part, Ratio
from driver import Benchmark, run
from processes import Command, Spread, Usage, alternate, spread

from tfrecordcli.processes import available_cores


def _numbers() -> list[int]:
    """1, 2, 4, … and as many as there are cores."""
    cores = available_cores()
    return sorted({1 << power for power in range(cores.bit_length())} | {cores})


def _against_one(bench: Bench, title: str, make: Callable[[int, int], Command]) -> Part:
    """A command with each number of workers.

    Args:
      bench: what all parts share.
      title: of the part.
      make: makes the command for so many photos and workers.
    """
    counts = bench.small, bench.large
    commands = {bench.at(_name(n), count): make(count, n) for n in _numbers() for count in counts}
    runs = alternate(commands, bench.rounds)

    def gain(number: int) -> Spread:
        def figure(usages: Mapping[str, Usage]) -> float:
            one, many = (bench.slope(usages, _name(n), lambda usage: usage.wall) for n in (1, number))
            return one / many

        return spread(runs, figure)

    def rate(number: int) -> Spread:
        return spread(runs, lambda usages: 1 / bench.slope(usages, _name(number), lambda usage: usage.wall))

    ratios = [Ratio(f"{_name(n)}, each further photo", rate(n), unit=" photos/s") for n in _numbers()]
    ratios += [Ratio(f"1 worker / {_name(n)}, wall", gain(n)) for n in _numbers()[1:]]
    return Part(title, runs, ratios)


def _name(number: int) -> str:
    return f"{number} worker{'s' * (number > 1)}"


def decode(bench: Bench) -> Part:
    """(a) Conversion with full checks."""
    title = "`tfrec convert --check decode`"
    return _against_one(bench, title, lambda count, n: bench.convert(count, "decode", n))


def structure(bench: Bench) -> Part:
    """(b) Conversion without decoding."""
    title = "`tfrec convert --check structure`"
    return _against_one(bench, title, lambda count, n: bench.convert(count, "structure", n))


def verify(bench: Bench) -> Part:
    """(c) The integrity of a dataset."""
    title = "`tfrec verify --no-feed`"
    return _against_one(bench, title, lambda count, n: verify_parts.verify(bench, count, "decode", workers=n))


WORKERS = Benchmark(
    name="workers",
    subject="Workers",
    parts={"a": decode, "b": structure, "c": verify},
    needs_all_photos={"a", "b", "c"},
    needs_none=frozenset(),
    peers=lambda work, chosen: [],
)

if __name__ == "__main__":
    sys.exit(run(WORKERS, "How much faster is tfrec with more workers?"))
