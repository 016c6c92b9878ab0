"""Inputs that a coverage-guided fuzzer grows out of JPEGs: libFuzzer, or Atheris, which takes its options."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from fuzz.outcome import BUG, CRASH, HANG, REPORTED, Outcome
from fuzz.pictures import sources

_WHAT: Final = "inputs of a fuzzer"
_SECONDS: Final = 600.0
_TOLD: Final = 3000  # characters of a report


def seeds() -> list[bytes]:
    """The JPEGs that inputs are grown from: sequential and progressive ones."""
    return [data for _, data in sorted(sources().items()) if data.startswith(b"\xff\xd8")]


def save_seeds(folder: Path) -> Path:
    """The folder of the seeds, below this one."""
    saved = folder / "seeds"
    saved.mkdir(parents=True)
    for number, data in enumerate(seeds()):
        (saved / f"{number}.jpg").write_bytes(data)
    return saved


def options(seed: int, runs: int, grown: Path, seeds: Path) -> list[str]:
    """Those of libFuzzer, and its folders: the same inputs for the same seed.

    Args:
      grown: a folder, where an input is left over which it stopped.
      seeds: a folder, which stays as it is.
    """
    # The first folder is added to: where that were the seeds, a trial would hang on those before it.
    corpus = grown / "corpus"
    shutil.rmtree(corpus, ignore_errors=True)
    corpus.mkdir(parents=True)
    chosen = [f"-seed={seed}", f"-runs={runs}", "-max_len=8192", "-timeout=10", "-verbosity=0"]
    # Its own look at the peak of memory would see that of the process that started it.
    chosen += ["-rss_limit_mb=0", "-malloc_limit_mb=512", f"-artifact_prefix={grown}/"]
    return [*chosen, str(corpus), str(seeds)]


def judge_inputs(argv: Sequence[str], grown: Path, runs: int) -> Outcome:
    """How a run of a fuzzer ended."""
    try:
        done = subprocess.run(argv, capture_output=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return Outcome(HANG, _WHAT, f"more than {_SECONDS:g} s", weight=runs)
    if not done.returncode:
        return Outcome(REPORTED, _WHAT, weight=runs)
    report = done.stderr.decode(errors="replace")
    files = {path.name: path.read_bytes() for path in grown.glob("*") if path.is_file()}
    files["report.txt"] = report[-_TOLD:].encode()
    return Outcome(CRASH if "Sanitizer" in report else BUG, _WHAT, _summary(report), files, runs)


def _summary(report: str) -> str:
    lines = [line for line in report.splitlines() if "SUMMARY" in line or "Error" in line or "ERROR" in line]
    return lines[-1] if lines else report[-200:]
