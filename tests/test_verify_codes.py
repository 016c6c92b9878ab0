"""The table of problems that integrity finds."""

from __future__ import annotations

from pathlib import Path

from tfrecordcli.problems import PROBLEMS


def test_every_code_of_integrity_has_a_test() -> None:
    here = Path(__file__).parent
    sources = [
        *here.glob("test_verify_*.py"),
        *here.glob("test_integrity_*.py"),
        here / "test_boxes_rejected.py",
        here / "test_gate.py",
    ]
    tests = "".join(path.read_text(encoding="utf-8") for path in sources)
    codes = [code for code in PROBLEMS if not code.startswith("feed_")]
    assert [code for code in codes if f'"{code}"' not in tests] == []
