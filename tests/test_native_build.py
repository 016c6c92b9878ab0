"""Installing from the sources, with a C compiler and without one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from converting import environment, manifest, run_process

ROOT = Path(__file__).parents[1]
_SOURCES = ("setup.py", "setup.cfg", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE")

pytestmark = pytest.mark.thorough


def install(folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Installs a copy of the sources, where nothing was built, into `folder`/site."""
    source = folder / "source"
    shutil.copytree(
        ROOT / "tfrecordcli", source / "tfrecordcli", ignore=shutil.ignore_patterns("*.so", "__pycache__")
    )
    for name in _SOURCES:
        shutil.copy(ROOT / name, source)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    return subprocess.run(
        [*pip, "--target", str(folder / "site"), str(source)],
        capture_output=True, text=True, env=environment(**env), check=False,
    )  # fmt: skip


def told(folder: Path, *arguments: object) -> str:
    """What the installed command prints."""
    command = (sys.executable, "-P", "-m", "tfrecordcli")
    done = run_process(*arguments, env=environment(PYTHONPATH=str(folder / "site")), command=command)
    assert done.code == 0, done.err
    return done.out


def test_without_a_compiler_it_installs_and_works(tmp_path: Path) -> None:
    done = install(tmp_path, CC="false")
    assert done.returncode == 0, done.stderr
    assert "(gate: portable)" in told(tmp_path, "--version")
    told(tmp_path, "convert", ROOT / "sample_data" / "data.csv", tmp_path / "out")
    assert (manifest(tmp_path / "out")["gate"], manifest(tmp_path / "out")["records"]) == ("portable", 30)


def test_a_wheel_for_others_must_have_it(tmp_path: Path) -> None:
    done = install(tmp_path, CC="false", TFREC_NATIVE="required")
    assert done.returncode != 0
    assert re.search("error: [Cc]ommand .*'false'|error: command '.*false' failed", done.stderr), done.stderr


@pytest.mark.skipif(not shutil.which(os.environ.get("CC", "cc")), reason="there is no C compiler")
def test_with_a_compiler_it_is_native(tmp_path: Path) -> None:
    done = install(tmp_path, TFREC_NATIVE="required")
    assert done.returncode == 0, done.stderr
    assert "(gate: native " in told(tmp_path, "--version")
    built = {path.name.partition(".")[0] for path in (tmp_path / "site").rglob("*.so")}
    assert built == {"_boxes", "_digest", "_jpeg_walk"}
