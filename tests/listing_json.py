"""Tools of the tests of JSON readers: files of a few lines, and what a reader makes of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tfrecordcli.sources.listed import Findings, ListedImage

DETECTION = Path(__file__).resolve().parents[2] / "shared/data/detection"

Reader = Callable[..., Iterator[ListedImage]]


def write_json(folder: Path, document: Any, name: str = "a.json") -> str:
    """A file with this document, or with these bytes or this text."""
    path = folder / name
    if isinstance(document, bytes):
        path.write_bytes(document)
    else:
        text = document if isinstance(document, str) else json.dumps(document)
        path.write_text(text, encoding="utf-8")
    return str(path)


def read_with(read: Reader, path: str | Path, **how: Any) -> tuple[list[ListedImage], Findings]:
    """All images of a file, and what was found about it."""
    findings = Findings()
    return list(read(str(path), findings, Path(path).name, **how)), findings


def problem_of(image: ListedImage) -> str:
    """Why an image cannot be used, as people are told."""
    assert image.problem is not None
    return image.problem.reason
