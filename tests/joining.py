"""Tools of the tests of several sources."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from converting import manifest, tfrec

BOXES = "filename,class,xmin,ymin,xmax,ymax\n"


def convert(*arguments: object, cwd: Path, code: int = 0) -> dict[str, Any]:
    run = tfrec("convert", *arguments, "out", "--json", cwd=cwd)
    assert run.code == code, run.err
    values: dict[str, Any] = json.loads(run.out)
    return values


def splits_of(folder: Path) -> dict[str, int]:
    return {
        name: counts["records"] for name, counts in manifest(folder)["splits"].items() if counts["records"]
    }


def refused(*arguments: object, cwd: Path) -> str:
    run = tfrec("convert", *arguments, "out", cwd=cwd)
    assert run.code == 2
    assert not (cwd / "out").exists()
    return run.err
