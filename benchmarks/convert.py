"""How fast is `tfrec convert`? Whole processes, in alternating turns, as ratios with targets.

    python benchmarks/convert.py --work /var/tmp/bench              # all parts
    python benchmarks/convert.py --work /var/tmp/bench --only a,c --rounds 5
    python benchmarks/convert.py --work /var/tmp/bench --save       # also into results/convert.md

README.md says what each part measures. Progress goes to stderr, the result to stdout. Exit code 1 when
a target was missed, 2 when something could not be run.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence, Set
from pathlib import Path

import setting
from convert_parts import PARTS
from driver import Benchmark, run


def peers(work: Path, chosen: Set[str]) -> Sequence[tuple[str, Sequence[str]]]:
    """The other writers."""
    if "a" not in chosen:
        return []
    return [
        (setting.tensorflow_python(work), ["tensorflow"]),
        (setting.peers_python(work), ["tfrecord", "webdataset"]),
    ]


CONVERT = Benchmark(
    name="convert",
    subject="Converting",
    parts=PARTS,
    needs_all_photos={"b", "c", "d", "g"},
    needs_none={"e", "f"},
    peers=peers,
)

if __name__ == "__main__":
    sys.exit(run(CONVERT, "How fast is tfrec convert?"))
