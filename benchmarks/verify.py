"""How fast is `tfrec verify`, and the feed of `tfrecordcli.load`? Ratios with targets, taken in one run.

    python benchmarks/verify.py --work /var/tmp/bench              # all parts
    python benchmarks/verify.py --work /var/tmp/bench --only a,b --rounds 5
    python benchmarks/verify.py --work /var/tmp/bench --save       # also into results/verify.md

README.md says what each part measures. Progress goes to stderr, the result to stdout. Exit code 1 when
a target was missed, 2 when something could not be run.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence, Set
from pathlib import Path

import setting
from driver import Benchmark, run
from verify_parts import PARTS


def peers(work: Path, chosen: Set[str]) -> Sequence[tuple[str, Sequence[str]]]:
    """TensorFlow, where it was run."""
    return [(setting.tensorflow_python(work), ["tensorflow"])] if chosen & {"c", "d"} else []


VERIFY = Benchmark(
    name="verify",
    subject="Verifying and feeding",
    parts=PARTS,
    needs_all_photos={"a", "e"},
    needs_none=frozenset(),
    peers=peers,
)

if __name__ == "__main__":
    sys.exit(run(VERIFY, "How fast is tfrec verify, and the feed?"))
