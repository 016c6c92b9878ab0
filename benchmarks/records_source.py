"""Measure what converting TFRecords takes, against verifying and copying them.

    python benchmarks/records_source.py DATASET --work /var/tmp/bench

Each command is a process with one worker; CPU seconds, their ratio and the peak memory go to stdout. The exit
code is 1 when a target was missed: 1.3x the CPU of `tfrec verify --no-feed` and `cp -r` together, and 150 MB.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Final

_MOST_RATIO: Final = 1.3
_MOST_MEMORY: Final = 150e6
_TFREC: Final = (sys.executable, "-m", "tfrecordcli")


def cpu_of(*command: str) -> float:
    """CPU seconds of a command and all that it started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    out, copy = given.work / "converted", given.work / "copied"
    given.work.mkdir(parents=True, exist_ok=True)
    ratios = []
    peak = 0.0
    for _ in range(given.rounds):
        for folder in (out, copy):
            shutil.rmtree(folder, ignore_errors=True)
        convert = cpu_of(*_TFREC, "convert", str(given.dataset), str(out), "--workers", "1", "--quiet")
        # The largest process so far: verify, which comes after it, counts from the second round on.
        peak = peak or resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024.0
        verify = cpu_of(*_TFREC, "verify", str(given.dataset), "--no-feed", "--workers", "1", "--quiet")
        copied = cpu_of("cp", "-r", str(given.dataset), str(copy))
        ratios.append(convert / (verify + copied))
        print(f"convert {convert:.2f} s, verify {verify:.2f} s, cp {copied:.2f} s: {ratios[-1]:.2f}x")
    ratio = statistics.median(ratios)
    print(f"median {ratio:.2f}x (at most {_MOST_RATIO}x); largest process {peak / 1e6:.0f} MB")
    return int(ratio > _MOST_RATIO or peak > _MOST_MEMORY)


if __name__ == "__main__":
    sys.exit(main())
