"""What the readers of annotations cost: CPU and memory an image, each in a process of its own.

    python benchmarks/readers.py --work /var/tmp/readers
    python benchmarks/readers.py --work /var/tmp/readers --images 10000,100000

The annotations are made there, unless they are: two boxes an image, as labelImg and Ultralytics write them.
No image is opened: the files called so are empty. Exits 1 when a VOC file takes more than its target.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from tfrecordcli.sources.folders.voc import read_voc
from tfrecordcli.sources.folders.yolo import read_yolo
from tfrecordcli.sources.listed import Findings, ListedImage

_TARGET: Final = 400.0  # microseconds of CPU for a VOC file
_MB: Final = 1_000_000
_READERS: Final[dict[str, Callable[[str, Findings], Iterator[ListedImage]]]] = {
    "voc": read_voc,
    "yolo": read_yolo,
}
_OBJECT: Final = (
    "\t<object>\n\t\t<name>{}</name>\n\t\t<pose>Unspecified</pose>\n\t\t<truncated>0</truncated>\n"
    "\t\t<difficult>0</difficult>\n\t\t<bndbox>\n\t\t\t<xmin>81</xmin>\n\t\t\t<ymin>88</ymin>\n"
    "\t\t\t<xmax>522</xmax>\n\t\t\t<ymax>408</ymax>\n\t\t</bndbox>\n\t</object>\n"
)
_XML: Final = (
    "<annotation>\n\t<folder>images</folder>\n\t<filename>{}.jpg</filename>\n\t<path>/home/bob/images/{}.jpg</path>\n"
    "\t<source>\n\t\t<database>Unknown</database>\n\t</source>\n\t<size>\n\t\t<width>650</width>\n"
    "\t\t<height>417</height>\n\t\t<depth>3</depth>\n\t</size>\n\t<segmented>0</segmented>\n"
    + _OBJECT.format("cat")
    + _OBJECT.format("dog")
    + "</annotation>\n"
)


def write_files(folder: Path, kind: str, images: int) -> None:
    """A dataset of so many images, unless it is there."""
    if folder.exists():
        return
    partial = folder.with_suffix(".partial")
    annotations, pictures = ("Annotations", "JPEGImages") if kind == "voc" else ("labels", "images")
    for name in (annotations, pictures):
        (partial / name).mkdir(parents=True, exist_ok=True)
    (partial / "classes.txt").write_text("cat\ndog\n")
    for n in range(images):
        stem = f"{n:012d}"
        (partial / pictures / f"{stem}.jpg").touch()
        if kind == "voc":
            (partial / annotations / f"{stem}.xml").write_text(_XML.format(stem, stem))
        else:
            text = "0 0.617 0.35944 0.114 0.17382\n1 0.094 0.38661 0.156 0.2338\n"
            (partial / annotations / f"{stem}.txt").write_text(text)
    partial.rename(folder)


def measure(kind: str, folder: str, images: int) -> None:
    """Reads everything and prints microseconds of CPU and bytes of memory an image, for a small process."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    started = time.process_time()
    count = sum(1 for image in _READERS[kind](folder, Findings()) if image.problem is None)
    seconds = time.process_time() - started
    if count != images:
        raise SystemExit(f"{folder}: {count} of {images} images were read")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
    print(seconds / images * 1e6, memory)


def main() -> int:
    """Makes what is read, reads it, and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--images", default="20000")
    parser.add_argument("--one", nargs=3, metavar=("KIND", "FOLDER", "IMAGES"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        measure(options.one[0], options.one[1], int(options.one[2]))
        return 0
    print("| reader | images | CPU an image | memory above an idle process |\n| --- | --- | --- | --- |")
    slowest = 0.0
    for kind in _READERS:
        for images in map(int, options.images.split(",")):
            folder = options.work / f"{kind}-{images}"
            write_files(folder, kind, images)
            again = [
                sys.executable,
                __file__,
                "--work",
                str(options.work),
                "--one",
                kind,
                str(folder),
                str(images),
            ]
            cost, memory = subprocess.run(again, check=True, capture_output=True, text=True).stdout.split()
            print(f"| {kind} | {images:,} | {float(cost):.0f} µs | {int(memory) / _MB:.0f} MB |", flush=True)
            slowest = max(slowest, float(cost)) if kind == "voc" else slowest
    print(f"\na VOC file: {slowest:.0f} µs of CPU; the target is {_TARGET:.0f}")
    return int(slowest > _TARGET)


if __name__ == "__main__":
    sys.exit(main())
