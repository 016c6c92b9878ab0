"""What a row costs to plan: CPU of `tfrec convert --dry-run`, by the slope between two lengths of a list.

    python benchmarks/planning.py --work /var/tmp/planning
    python benchmarks/planning.py --work /var/tmp/planning --rows 60000,200000 --rounds 3

Lists of boxes are held against one of labels, and no row names a split. The least CPU that each list took
counts, as other work on a machine adds to it. No image is opened. Exits 1 when a row with a box takes more
than 1.3 times as much.
"""

from __future__ import annotations

import argparse
import math
import random
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

_TARGET: Final = 1.3
_CLASSES: Final = 80


def labels(rows: int) -> Iterator[str]:
    """A list of images with a label each."""
    chance = random.Random(1)
    yield "image_uri,label\n"
    for row in range(rows):
        yield f"img/{row:07d}.jpg,c{chance.randrange(_CLASSES)}\n"


def boxes(rows: int, an_image: int) -> Iterator[str]:
    """A list of boxes, so many an image, as TensorFlow's tutorials have it."""
    chance = random.Random(1)
    yield "filename,width,height,class,xmin,ymin,xmax,ymax\n"
    for row in range(rows):
        x, y = chance.randrange(600), chance.randrange(400)
        image, label = row // an_image, chance.randrange(_CLASSES)
        yield f"img/{image:07d}.jpg,640,480,c{label},{x},{y},{x + 30},{y + 20}\n"


def fractions(rows: int) -> Iterator[str]:
    """A list of a box an image, in fractions of six digits."""
    chance = random.Random(1)
    yield "filename,class,xmin,ymin,xmax,ymax\n"
    for row in range(rows):
        x, y = chance.uniform(0, 0.8), chance.uniform(0, 0.8)
        corners = ",".join(f"{number:.6f}" for number in (x, y, x + 0.1, y + 0.1))
        yield f"img/{row:07d}.jpg,c{chance.randrange(_CLASSES)},{corners}\n"


def text(rows: int) -> Iterator[str]:
    """The same in pixels, its four numbers in a field, as x, y, width, height."""
    chance = random.Random(1)
    yield "image_id,class,bbox\n"
    for row in range(rows):
        box = chance.randrange(600), chance.randrange(400), 30 + row % 50, 20 + row % 30
        yield f'img/{row:07d}.jpg,c{chance.randrange(_CLASSES)},"{[*box]}"\n'


def automl(rows: int) -> Iterator[str]:
    """The same as AutoML has it, in fractions of four digits."""
    chance = random.Random(1)
    for row in range(rows):
        x, y = chance.uniform(0, 0.8), chance.uniform(0, 0.8)
        label = chance.randrange(_CLASSES)
        yield f"UNASSIGNED,img/{row:07d}.jpg,c{label},{x:.4f},{y:.4f},,,{x + 0.1:.4f},{y + 0.1:.4f},,\n"


LISTS: Final[dict[str, Callable[[int], Iterator[str]]]] = {
    "labels": labels,
    "boxes, 1 an image": lambda rows: boxes(rows, 1),
    "boxes, 7 an image": lambda rows: boxes(rows, 7),
    "boxes in fractions": fractions,
    "boxes as text": text,
    "AutoML": automl,
}


def cpu_of_plan(path: Path) -> float:
    """Seconds of CPU of one dry run, in a process of its own."""
    command = [sys.executable, "-m", "tfrecordcli", "convert", str(path), f"{path}-out", "--dry-run"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*command, "--num-shards", "4", "--quiet"], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--rows", default="120000,400000")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    few, many = map(int, options.rows.split(","))
    options.work.mkdir(parents=True, exist_ok=True)
    paths = {
        (kind, rows): options.work / f"{n}-{rows}.csv" for n, kind in enumerate(LISTS) for rows in (few, many)
    }
    for (kind, rows), path in paths.items():
        with path.open("w") as file:
            file.writelines(LISTS[kind](rows))
    least: dict[tuple[str, int], float] = {}
    for _ in range(options.rounds):
        for key, path in paths.items():
            least[key] = min(cpu_of_plan(path), least.get(key, math.inf))
    cost = {kind: (least[kind, many] - least[kind, few]) / (many - few) * 1e6 for kind in LISTS}
    print(f"{'list':20}{'us of CPU a row':>18}{'ratio':>8}")
    for kind, each in cost.items():
        print(f"{kind:20}{each:18.2f}{each / cost['labels']:8.2f}")
    return int(max(cost.values()) > _TARGET * cost["labels"])


if __name__ == "__main__":
    sys.exit(main())
