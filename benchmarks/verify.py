"""How fast is `tfrec verify`, and the feed of `tfrecordcli.load`? Ratios with targets, taken in one run.

    python benchmarks/verify.py --work /var/tmp/bench              # all parts
    python benchmarks/verify.py --work /var/tmp/bench --only a,b --rounds 5
    python benchmarks/verify.py --work /var/tmp/bench --save       # also into results/verify.md

README.md says what each part measures. Progress goes to stderr, the result to stdout. Exit code 1 when
a target was missed, 2 when something could not be run.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import report
import setting
from bench import Bench, Part
from convert import describe_input, two_counts
from photos import make_photos
from processes import CommandFailed, measure
from verify_parts import PARTS

RESULT = Path(__file__).resolve().parent / "results" / "verify.md"


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--work", type=Path, required=True, help="folder for photos and datasets (5 GB)")
    parser.add_argument("--only", type=_letters, default=list(PARTS), metavar="a,b", help="only these parts")
    parser.add_argument("--photos", type=two_counts, default=(5000, 20000), metavar="N,M")
    parser.add_argument("--workers", type=int, default=2, help="workers of tfrec, and processes of the codec")
    parser.add_argument("--rounds", type=int, default=3, help="alternating rounds of each part")
    parser.add_argument("--tfrec", type=shlex.split, default=setting.tfrec_command(), metavar="COMMAND")
    parser.add_argument("--json", action="store_true", help="JSON instead of Markdown on stdout")
    parser.add_argument("--save", action="store_true", help=f"write the Markdown to results/{RESULT.name}")
    return parser.parse_args()


def _letters(text: str) -> list[str]:
    letters = text.lower().split(",")
    unknown = [letter for letter in letters if letter not in PARTS]
    if unknown:
        raise argparse.ArgumentTypeError(f"no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    return letters


def prepare(options: argparse.Namespace) -> Bench:
    """Make the photos that the chosen parts need, and see that tfrec runs at all."""
    small, large = options.photos
    print("making photos", file=sys.stderr, flush=True)
    photos = make_photos(options.work / "photos", [small, large] if "a" in options.only else [small])
    bench = Bench(options.tfrec, options.work, photos, small, large, options.workers, options.rounds)
    measure(bench.sample())  # tfrec works at all, and its bytecode is cached
    return bench


def versions(options: argparse.Namespace) -> dict[str, str]:
    """Of our packages, and of TensorFlow where it was run."""
    found = setting.our_versions()
    if {"c", "d"} & set(options.only):
        found |= setting.versions_in(setting.tensorflow_python(options.work), ["tensorflow"])
    return found


def typed(options: argparse.Namespace) -> str:
    """The command line again, without paths."""
    small, large = options.photos
    return (
        f"python benchmarks/verify.py --work DIR --only {','.join(options.only)} --photos {small},{large}"
        f" --workers {options.workers} --rounds {options.rounds}"
    )


def run(options: argparse.Namespace) -> Sequence[Part]:
    """Measure the chosen parts and print the report."""
    machine = setting.machine()
    bench = prepare(options)
    found = [PARTS[letter](bench) for letter in options.only]
    result = report.Report(
        typed(options), machine, versions(options), describe_input(bench), found, "Verifying and feeding"
    )
    page = report.markdown(result)
    print(json.dumps(report.as_json(result), indent=2) if options.json else page)
    if options.save:
        RESULT.parent.mkdir(exist_ok=True)
        RESULT.write_text(page, encoding="utf-8")
    return found


def main() -> int:
    """Run the benchmark; the exit code says whether all targets were met."""
    options = arguments()
    options.work = options.work.resolve()
    try:
        found = run(options)
    except (CommandFailed, subprocess.CalledProcessError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 1 if any(ratio.met is False for part in found for ratio in part.ratios) else 0


if __name__ == "__main__":
    sys.exit(main())
