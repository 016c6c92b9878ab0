"""The writer-only install that the README documents, in a fresh virtual environment."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def _documented_commands() -> list[list[str]]:
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Installing only")[2]
    return [
        line.split() for line in re.findall(r"^\$ (pip .*)$", section.partition("\n## ")[0], re.MULTILINE)
    ]


@pytest.mark.thorough
def test_convert_works_where_only_the_writer_is_installed(tmp_path: Path) -> None:
    environment = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    python = str(environment / "bin" / "python")
    commands = _documented_commands()
    assert len(commands) == 2
    for command in commands:
        subprocess.run([python, "-m", *command, "--quiet"], cwd=ROOT, check=True)
    installed = subprocess.run(
        [python, "-m", "pip", "list"], check=True, capture_output=True, text=True
    ).stdout
    assert not re.search(r"^(tensorflow|pandas|protobuf)\b", installed, re.MULTILINE)
    assert list((environment / "lib").glob("python*/site-packages/tfrecordcli/py.typed"))
    out = tmp_path / "out"
    subprocess.run(
        [str(environment / "bin" / "tfrec"), "convert", str(ROOT / "sample_data" / "data.csv"), str(out)],
        check=True,
        cwd=tmp_path,
    )
    assert (out / "manifest.json").exists()
