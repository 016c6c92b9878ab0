"""The command line of a benchmark: it runs the parts that were asked for and prints what they found."""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

import report
import setting
from bench import SHARDS, Bench, Part
from photos import make_photos
from processes import CommandFailed, measure

RESULTS = Path(__file__).resolve().parent / "results"


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One benchmark.

    Attributes:
      name: of its script and its page in results/.
      subject: what is measured, for the title.
      parts: by their letters.
      needs_all_photos: parts that take the larger number of photos.
      needs_none: parts that take none.
      peers: Python interpreter -> packages whose versions matter, for (work folder, parts).
      counts: the smaller and the larger number of photos, unless others are asked for.
    """

    name: str
    subject: str
    parts: Mapping[str, Callable[[Bench], Part]]
    needs_all_photos: Set[str]
    needs_none: Set[str]
    peers: Callable[[Path, Set[str]], Sequence[tuple[str, Sequence[str]]]]
    counts: tuple[int, int] = (5000, 20000)

    @property
    def page(self) -> Path:
        """Where `--save` writes."""
        return RESULTS / f"{self.name}.md"


def run(benchmark: Benchmark, what: str) -> int:
    """Runs a benchmark as its command line says; the exit code says whether all targets were met.

    Args:
      benchmark: to be run.
      what: it measures, in a line for --help.
    """
    options = _arguments(benchmark, what)
    options.work = options.work.resolve()
    try:
        found = _measure(benchmark, options)
    except (CommandFailed, subprocess.CalledProcessError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 1 if any(ratio.met is False for part in found for ratio in part.ratios) else 0


def _arguments(benchmark: Benchmark, what: str) -> argparse.Namespace:
    parts = benchmark.parts

    def letters(text: str) -> list[str]:
        chosen = text.lower().split(",")
        unknown = [letter for letter in chosen if letter not in parts]
        if unknown:
            raise argparse.ArgumentTypeError(f"no part {', '.join(unknown)}; there are {', '.join(parts)}")
        return chosen

    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("--work", type=Path, required=True, help="folder for all that is made (5 GB)")
    parser.add_argument("--only", type=letters, default=list(parts), metavar="a,b", help="only these parts")
    parser.add_argument("--photos", type=_two_counts, default=benchmark.counts, metavar="N,M")
    parser.add_argument("--workers", type=int, default=2, help="workers of tfrec, and processes of the codec")
    parser.add_argument("--rounds", type=int, default=3, help="alternating rounds of each part")
    parser.add_argument("--tfrec", type=shlex.split, default=setting.tfrec_command(), metavar="COMMAND")
    parser.add_argument(
        "--before", type=shlex.split, default=[], metavar="COMMAND", help="another version's tfrec"
    )
    parser.add_argument("--json", action="store_true", help="JSON instead of Markdown on stdout")
    parser.add_argument("--save", action="store_true", help=f"write the page results/{benchmark.page.name}")
    return parser.parse_args()


def _two_counts(text: str) -> tuple[int, int]:
    """`5000,20000` as numbers of photos."""
    try:
        small, large = (int(number) for number in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError("two numbers are needed, as in 5000,20000") from None
    if not SHARDS <= small < large:
        raise argparse.ArgumentTypeError(f"needed: {SHARDS} <= N < M")
    return small, large


def _measure(benchmark: Benchmark, options: argparse.Namespace) -> Sequence[Part]:
    """Measures the chosen parts and prints the report."""
    machine = setting.machine()
    bench = _prepare(benchmark, options)
    found = [benchmark.parts[letter](bench) for letter in options.only]
    result = report.Report(
        command=_typed(benchmark, options),
        machine=machine,
        versions=_versions(benchmark, options),
        input=_describe_input(bench),
        parts=found,
        subject=benchmark.subject,
    )
    page = report.markdown(result)
    print(json.dumps(report.as_json(result), indent=2) if options.json else page)
    if options.save:
        RESULTS.mkdir(exist_ok=True)
        benchmark.page.write_text(page, encoding="utf-8")
    return found


def _prepare(benchmark: Benchmark, options: argparse.Namespace) -> Bench:
    """Makes the photos that the chosen parts need, and sees that tfrec runs at all."""
    small, large = options.photos
    chosen = set(options.only)
    counts = [small, large] if benchmark.needs_all_photos & chosen else [small]
    if chosen <= benchmark.needs_none:
        counts = [0]
    print("making photos", file=sys.stderr, flush=True)
    photos = make_photos(options.work / "photos", counts)
    chosen_by_user = (options.workers, options.rounds, options.before)
    bench = Bench(options.tfrec, options.work, photos, small, large, *chosen_by_user)
    measure(bench.sample())  # tfrec works at all, and its bytecode is cached
    return bench


def _versions(benchmark: Benchmark, options: argparse.Namespace) -> dict[str, str]:
    """Of our packages, and of the peers where they were run."""
    found = setting.our_versions()
    for python, packages in benchmark.peers(options.work, set(options.only)):
        found |= setting.versions_in(python, packages)
    return found


def _describe_input(bench: Bench) -> str:
    """The photos in one sentence."""
    count = len(bench.photos.paths)
    if not count:
        return "No photos were needed."
    mean = bench.photos.size(count) / count / 1000
    return f"Photos: JPEG, 500 x 375, 4:2:0, {mean:.0f} KB on average, made by photos.py."


def _typed(benchmark: Benchmark, options: argparse.Namespace) -> str:
    """The command line again, without paths."""
    small, large = options.photos
    return (
        f"python benchmarks/{benchmark.name}.py --work DIR --only {','.join(options.only)}"
        f" --photos {small},{large} --workers {options.workers} --rounds {options.rounds}"
        f"{' --before COMMAND' if options.before else ''}"
    )
