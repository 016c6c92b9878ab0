"""Is any command of `tfrec` slower than in another version? The two take turns, and the other one twice.

    python benchmarks/versions.py --work /var/tmp/bench --before OTHER/bin/tfrec --rounds 5

The second turn shows how far the runs of one version differ: a part is missed when the median of now
is above that of before by more. README.md says what is measured. Exit code 1 when one was missed, 2 when
something could not be run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import verify_parts
from bench import Bench, Part, Ratio
from driver import Benchmark, run
from processes import Command, CommandFailed, Usage, alternate, spread
from scale import write_images, write_list
from stores import serving, store_settings

# Lists that are planned, by their letters: rows and distinct labels, as scale.py has them.
_LISTS = {"b": (400_000, 1000), "g": (2_000_000, 1000), "h": (1_000_000, 1_000_000)}
_TINY = 4000

Make = Callable[[Sequence[str]], Command]


def _compared(bench: Bench, title: str, make: Make) -> Part:
    """One command of both versions.

    Args:
      bench: what all parts share.
      title: of the part.
      make: makes the command for a `tfrec`.
    """
    if not bench.before:
        raise CommandFailed("--before COMMAND is needed: the tfrec of another version")
    turns = {"before": bench.before, "now": bench.tfrec, "before again": bench.before}
    runs = alternate({name: make(tfrec) for name, tfrec in turns.items()}, bench.rounds)
    noise = spread(runs, lambda usages: usages["before again"].cpu / usages["before"].cpu)
    most = round(max(1.0, noise.high, 1 / noise.low), 2)
    return Part(
        title,
        runs,
        [
            Ratio("now / before, CPU", spread(runs, _against_before("now")), most),
            Ratio("before again / before, CPU", noise),
        ],
    )


def _against_before(name: str) -> Callable[[Mapping[str, Usage]], float]:
    """CPU of a turn over the mean of the two of the other version."""
    return lambda usages: usages[name].cpu * 2 / (usages["before"].cpu + usages["before again"].cpu)


def help_text(bench: Bench) -> Part:
    """(a) The start of a command."""
    return _compared(bench, "`tfrec convert --help`", lambda tfrec: Command([*tfrec, "convert", "--help"]))


def plan(rows: int, labels: int, bench: Bench) -> Part:
    """(b), (g), (h) A plan of a long list."""
    source = write_list(bench.work / f"list-{rows}-{labels}.csv", rows, labels)
    more = ["--dry-run", "--json", "--quiet"]
    return _compared(
        bench,
        f"Plan of {rows:,} rows with {labels:,} labels",
        lambda tfrec: Command([*tfrec, "convert", str(source), str(bench.output), *more], [source]),
    )


def tiny_images(bench: Bench) -> Part:
    """(c) Many images of hardly any bytes: what a record costs beside its image."""
    source = write_images(bench.work, _TINY)
    return _compared(
        bench,
        f"{_TINY:,} images of 8 x 8",
        lambda tfrec: Command(
            [*tfrec, "convert", str(source), str(bench.output), "--quiet"], [source], bench.output, _TINY
        ),
    )


def structure(bench: Bench) -> Part:
    """(d) Photos from a disk."""
    return _compared(
        bench,
        f"{bench.small:,} photos from a disk, `--check structure`",
        lambda tfrec: bench.convert(bench.small, "structure", None, tfrec),
    )


def store(bench: Bench) -> Part:
    """(e) The same photos from a slow store."""
    with serving(bench) as port:

        def command(tfrec: Sequence[str]) -> Command:
            there = bench.convert(bench.small, "structure", None, tfrec, "--image-root", "s3://bkt")
            return bench.writing(there.argv, bench.small, store_settings(port))

        return _compared(bench, f"{bench.small:,} photos from a slow store, `--check structure`", command)


def verify(bench: Bench) -> Part:
    """(f) Integrity of a dataset that the other version made."""
    return _compared(
        bench,
        f"`tfrec verify --no-feed` of {bench.small:,} photos",
        lambda tfrec: verify_parts.verify(bench, bench.small, "decode", tfrec),
    )


VERSIONS = Benchmark(
    name="versions",
    subject="Two versions",
    parts={
        "a": help_text,
        **{letter: partial(plan, rows, labels) for letter, (rows, labels) in _LISTS.items()},
        "c": tiny_images,
        "d": structure,
        "e": store,
        "f": verify,
    },
    needs_all_photos=frozenset(),
    needs_none=frozenset("abcgh"),
    peers=lambda work, chosen: [],
    counts=(2000, 2001),
)

if __name__ == "__main__":
    sys.exit(run(VERSIONS, "Is any command of tfrec slower than in another version?"))
