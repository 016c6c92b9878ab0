"""Write a file like COCO's instances_train2017.json, and measure what reading it takes.

    python benchmarks/coco_file.py --work /var/tmp/bench                # 860,001 boxes: 450 MB
    python benchmarks/coco_file.py --work /var/tmp/bench --images 1000  # a quick look

The reader and json.load read the same file, each in a process of its own; time and peak memory go to stdout.
The exit code is 1 when a target was missed: 60 s of CPU and 150 MB for 860,001 boxes.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

IMAGES: Final = 118_287
BOXES: Final = 860_001
_CATEGORIES: Final = [n for n in range(1, 91) if n not in (12, 26, 29, 30, 45, 66, 68, 69, 71, 83)]
_URL: Final = "http://images.cocodataset.org/train2017/"
_MOST_SECONDS: Final = 60.0
_MOST_MEMORY: Final = 150e6


def write_coco(path: Path, images: int, seed: int = 0) -> None:
    """A file of as many images, on one line, with polygons as long as those of COCO."""
    rng = random.Random(seed)
    boxes = round(images * BOXES / IMAGES)
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"info": {"year": 2017}, "licenses": [{"id": 1, "name": "none"}], ')
        _write_array(file, "images", (_image(n) for n in range(images)))
        file.write(", ")
        _write_array(file, "annotations", (_annotation(n, rng, images) for n in range(boxes)))
        file.write(", ")
        categories = ({"supercategory": f"group{n % 12}", "id": n, "name": f"thing {n}"} for n in _CATEGORIES)
        _write_array(file, "categories", categories)
        file.write("}")


def _write_array(file: Any, key: str, elements: Iterator[dict[str, Any]]) -> None:
    file.write(f'"{key}": [')
    for number, element in enumerate(elements):
        file.write(("" if number == 0 else ", ") + json.dumps(element))
    file.write("]")


def _image(number: int) -> dict[str, Any]:
    name = f"{number * 5:012d}.jpg"
    flickr = f"http://farm{number % 9}.staticflickr.com/{number % 9999}/{number * 7919}_z.jpg"
    return {
        "license": 1, "file_name": name, "coco_url": _URL + name, "height": 480, "width": 640,
        "date_captured": "2013-11-14 11:18:45", "flickr_url": flickr, "id": number * 5,
    }  # fmt: skip


def _annotation(number: int, rng: random.Random, images: int) -> dict[str, Any]:
    x, y, width, height = (round(rng.uniform(1, 300), 2) for _ in range(4))
    points = round(rng.lognormvariate(2.75, 0.75)) + 3
    polygon = [round(rng.uniform(1, 600), 2) for _ in range(2 * points)]
    return {
        "segmentation": [polygon], "area": round(width * height * 0.6, 4), "iscrowd": 0,
        "image_id": rng.randrange(images) * 5, "bbox": [x, y, width, height],
        "category_id": rng.choice(_CATEGORIES), "id": number,
    }  # fmt: skip


def read_by(way: str, path: str) -> int:
    """The number of boxes that one way of reading finds."""
    if way == "json.load":
        with open(path, encoding="utf-8") as file:
            return len(json.load(file)["annotations"])
    from tfrecordcli.sources.json.coco import read_coco
    from tfrecordcli.sources.listed import Findings

    return sum(len(image.boxes or ()) for image in read_coco(path, Findings()))


def measure(way: str, path: Path) -> dict[str, float]:
    """CPU seconds, wall seconds and bytes at the peak of a process that reads the file in one way."""
    command = [sys.executable, __file__, "--read", way, str(path)]
    start = time.monotonic()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    wall = time.monotonic() - start
    values: dict[str, float] = json.loads(done.stdout)
    return values | {"wall": wall}


def _report_reading(way: str, path: str) -> None:
    boxes = read_by(way, path)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    cpu = usage.ru_utime + usage.ru_stime
    print(json.dumps({"boxes": boxes, "cpu": cpu, "peak": usage.ru_maxrss * 1024}))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--work", type=Path, help="folder for the file, which stays there")
    parser.add_argument("--images", type=int, default=IMAGES)
    parser.add_argument("--read", nargs=2, metavar=("WAY", "FILE"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.read:
        _report_reading(*asked.read)
        return 0
    asked.work.mkdir(parents=True, exist_ok=True)
    path = asked.work / f"instances_{asked.images}.json"
    if not path.exists():
        part = path.with_suffix(".part")
        write_coco(part, asked.images)
        os.replace(part, path)
    print(f"{path.name}: {path.stat().st_size / 1e6:,.0f} MB")
    found = {way: measure(way, path) for way in ("read_coco", "json.load")}
    for way, values in found.items():
        print(
            f"{way:10}{values['boxes']:10,.0f} boxes{values['cpu']:8.1f} s CPU{values['wall']:8.1f} s"
            f"{values['peak'] / 1e6:9,.0f} MB at the peak"
        )
    ours = found["read_coco"]
    return int(ours["cpu"] > _MOST_SECONDS or ours["peak"] > _MOST_MEMORY)


if __name__ == "__main__":
    sys.exit(main())
