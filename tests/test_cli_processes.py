"""Every command as a process, with workers of its own, does and says what it does and says in a test."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from converting import Run, commands, fingerprint, image_list, tfrec
from sampling import first

COMMAND = (str(Path(sys.executable).with_name("tfrec")),)
SHARDS = ("--num-shards", "2", "--max-rejects", "1")
STEPS = [
    ("convert", "in/list.csv", "out", *SHARDS),
    ("verify", "out", "--no-feed"),
    ("inspect", "out"),
    ("plan", "in/list.csv", "steps", *SHARDS),
    ("write-shards", "steps"),
    ("finish", "steps", "--max-rejects", "1"),
    ("bench", "out", "--way", "python_files", "--seconds", "0.2", "--image-size", "8"),
    ("completion", "bash"),
    ("doctor",),
    ("verify", "nowhere"),
    ("convert", "--no-such-option"),
]


def test_every_command_is_tried() -> None:
    assert {step[0] for step in STEPS} == set(commands())


@pytest.mark.parametrize("more", first([("--json",)], [()]), ids=["json", "text"])
def test_a_process_does_and_says_the_same(tmp_path: Path, more: tuple[str, ...]) -> None:
    folders = (tmp_path / "here", tmp_path / "apart")
    for folder in folders:
        csv = image_list(folder / "in", 6)
        csv.write_text(csv.read_text() + "TRAIN,missing.jpg,a\n")
    for step in STEPS:
        if step[0] in ("bench", "doctor") and more:
            continue  # loads TensorFlow
        here = tfrec(*step, *more, cwd=folders[0])
        apart = tfrec(*step, *more, cwd=folders[1], command=COMMAND)
        assert untimed(here) == untimed(apart), step
        if step[0] not in ("doctor", "completion"):  # who judges this machine; who has no --json
            assert here.code == (2 if step in STEPS[-2:] else 0), step
    for output in ("out", "steps"):
        assert fingerprint(folders[0] / output) == fingerprint(folders[1] / output)


def untimed(done: Run) -> tuple[int, str, str]:
    """A run without what no two have in common: times, rates, memory, and so where lines are wrapped."""
    texts = (re.sub(r"\d[\d.,]*( ?[kMG]?i?B| ms| s)?\b", "0", text) for text in (done.out, done.err))
    return (done.code, *(re.sub(r"\s+|-{2,}", " ", text) for text in texts))
