"""Files of other tools, and the commands that are proposed for them."""

from __future__ import annotations

from pathlib import Path

from converting import shell


def run_bash(command: str, folder: Path) -> None:
    """With the Python that runs the tests."""
    done = shell(command, folder, "-e")
    assert done.code == 0, done


def write_files(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8", newline="")
