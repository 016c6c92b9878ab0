"""Planning takes the memory of a few thousand rows, however many; `benchmarks/scale.py` goes further."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from converting import tfrec

# VmHWM: unlike ru_maxrss it does not begin with what the process held that this one was forked from.
_PEAK = """
import pathlib, re, sys
import tfrecordcli
result = tfrecordcli.convert(sys.argv[1], sys.argv[2], dry_run=True)
peak = re.search(r"VmHWM:\\s+(\\d+) kB", pathlib.Path("/proc/self/status").read_text())
print(result.records, result.num_labels, int(peak[1]) * 1024)
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def peak_of(folder: Path, rows: int, labels: int) -> int:
    """Highest memory in bytes of a process that plans a list of so many rows."""
    csv = folder / "list.csv"
    with csv.open("w") as file:
        file.write("split,image_uri,label\n")
        for n in range(rows):
            file.write(f"TRAIN,photos/{n % 100}/img_{n:09}.jpg,class_{n % labels:07}\n")
    done = tfrec(csv, folder / "out", command=[sys.executable, "-c", _PEAK])
    records, num_labels, peak = map(int, done.out.split())
    assert (records, num_labels) == (rows, labels)
    return peak


def test_memory_does_not_grow_with_the_rows(tmp_path: Path) -> None:
    assert peak_of(tmp_path, 300_000, 100) <= 1.3 * peak_of(tmp_path, 60_000, 100)


def test_a_label_costs_at_most_300_bytes(tmp_path: Path) -> None:
    rows = 150_000
    assert peak_of(tmp_path, rows, rows) - peak_of(tmp_path, rows, 100) <= 300 * rows
