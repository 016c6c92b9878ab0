"""Files of other tools, and the commands that are proposed for them."""

from __future__ import annotations

import base64
import io
import json
import zlib
from pathlib import Path
from typing import Any, Final

from converting import shell
from PIL import Image


def run_bash(command: str, folder: Path) -> None:
    """With the Python that runs the tests."""
    done = shell(command, folder, "-e")
    assert done.code == 0, done


def write_files(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8", newline="")


EXTENT: Final = {"x": 8, "y": 4, "w": 32, "h": 16}


def mapillary(count: int) -> str:
    box = {"key": "o", "label": "cat", "bbox": {"xmin": 8, "ymin": 4, "xmax": 40, "ymax": 20}}
    return json.dumps({"width": 80, "height": 40, "ispano": False, "objects": [box] * count})


def supervisely(tag: str, points: list[list[int]] | None, shape: str = "rectangle") -> str:
    told: list[Any] = [
        {"classTitle": "cat", "geometryType": shape, "points": {"exterior": points, "interior": []}}
    ]
    if points and shape == "bitmap":
        (x, y), (right, bottom) = points
        file = io.BytesIO()
        Image.new("1", (right - x, bottom - y)).save(file, "PNG")
        data = base64.b64encode(zlib.compress(file.getvalue())).decode()
        told = [{"classTitle": "cat", "geometryType": shape, "bitmap": {"data": data, "origin": [x, y]}}]
    top = {"description": "", "tags": [{"name": tag}], "size": {"height": 40, "width": 80}}
    return json.dumps(top | {"objects": told if points else []}, indent=4)


def darwin(path: str, annotation: dict[str, Any]) -> str:
    folder, _, name = path.rpartition("/")
    item = {"name": name, "path": f"/{folder}", "slots": [{"width": 80}]}
    return json.dumps({"version": "2.0", "item": item, "annotations": [annotation]})


def super_annotate(name: str, points: Any, kind: str) -> str:
    instances = [{"type": kind, "className": "cat", "points": points}]
    return json.dumps({"metadata": {"name": name}, "instances": instances})


# Several volunteers answer each subject; what is told of it changes meanwhile.


DARWIN: Final = darwin("1.png", {"name": "cat", "bounding_box": EXTENT})
