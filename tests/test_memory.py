"""Planning takes the memory of a few thousand rows, however many; `benchmarks/scale.py` goes further."""

from __future__ import annotations

import os
import struct
import sys
from pathlib import Path

import pytest
from converting import jpeg, tfrec
from verifying import framed

from tfrecordcli.formats.example import encode_example

# VmHWM: unlike ru_maxrss it does not begin with what the process held that this one was forked from.
_PEAK = """
import pathlib, re, sys
import tfrecordcli
result = tfrecordcli.convert(sys.argv[1], sys.argv[2], dry_run="dry" in sys.argv, workers=1)
peak = re.search(r"VmHWM:\\s+(\\d+) kB", pathlib.Path("/proc/self/status").read_text())
print(result.records, result.num_labels, int(peak[1]) * 1024)
"""

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
    pytest.mark.thorough,
]


def peak_of(folder: Path, rows: int, labels: int) -> int:
    """Highest memory in bytes of a process that plans a list of so many rows."""
    csv = folder / "list.csv"
    with csv.open("w") as file:
        file.write("split,image_uri,label\n")
        for n in range(rows):
            file.write(f"TRAIN,photos/{n % 100}/img_{n:09}.jpg,class_{n % labels:07}\n")
    return peak_of_list(csv, folder / "out", (rows, labels), "dry")


def peak_of_list(csv: Path, output: Path, counts: tuple[int, int], *more: str) -> int:
    """The same of any list; `counts` are the records and the labels that are to be found."""
    done = tfrec(csv, output, *more, command=[sys.executable, "-c", _PEAK])
    records, num_labels, peak = map(int, done.out.split())
    assert (records, num_labels) == counts
    return peak


def test_memory_does_not_grow_with_the_rows(tmp_path: Path) -> None:
    assert peak_of(tmp_path, 300_000, 100) <= 1.3 * peak_of(tmp_path, 60_000, 100)


@pytest.mark.parametrize(("labels", "has_more"), [(1, False), (2, False), (2, True)])
def test_memory_does_not_grow_with_the_rows_of_one_image(labels: int, has_more: bool, tmp_path: Path) -> None:
    """Rows that say the same make one record, others are rejected.

    A column may tell which row is the newest, for which the first 100,000 are looked at.
    """
    peaks = []
    for rows in (100_000, 220_000) if has_more else (60_000, 180_000):
        csv = tmp_path / f"{rows}.csv"
        with csv.open("w") as file:
            file.write("split,image_uri,label" + ",changed,remarks" * has_more + "\nTRAIN,b.jpg,x\n")
            for n in range(rows):
                more = f",{1_600_000_000 + n},{n}{'remark ' * 20}" if has_more else ""
                file.write(f"TRAIN,photos/a.jpg,class_{n % labels}{more}\n")
        peaks.append(peak_of_list(csv, tmp_path / "out", (3 - labels, labels + 1), "dry"))
    assert peaks[1] <= 1.3 * peaks[0]


# The peaks of the process itself and of its worker, in kB. What the system tells of a child at its end counts
# what it was before it became a program of its own: a copy of its parent.
_PEAKS = """
import contextlib, pathlib, re, sys, threading
import tfrecordcli

def peak(process):
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", (process / "status").read_text())[1])

def watch():
    while not done.wait(0.01):
        for children in self.glob("task/*/children"):
            with contextlib.suppress(OSError, TypeError):  # it has just ended
                for process in (pathlib.Path("/proc") / number for number in children.read_text().split()):
                    if (process / "cmdline").read_bytes() not in (b"", command):
                        peaks.append(peak(process))

self, peaks, done = pathlib.Path("/proc/self"), [], threading.Event()
command = (self / "cmdline").read_bytes()
watching = threading.Thread(target=watch)
watching.start()
try:
    result = tfrecordcli.convert(sys.argv[1], sys.argv[2], num_shards=2, workers=1)
finally:
    done.set()
    watching.join()
print(result.records, peak(self), max(peaks))
"""


def test_memory_does_not_grow_with_the_images_that_are_converted(tmp_path: Path) -> None:
    """Neither in the parent nor in the worker."""
    (tmp_path / "a.jpg").write_bytes(jpeg(1, 8, 8))
    peaks = []
    for images in (3_000, 15_000):
        folder = tmp_path / str(images) / "label"
        folder.mkdir(parents=True)
        for number in range(images):
            (folder / f"{number:05}.jpg").hardlink_to(tmp_path / "a.jpg")
        done = tfrec(folder.parent, tmp_path / f"out-{images}", command=[sys.executable, "-c", _PEAKS])
        records, *peak = map(int, done.out.split())
        assert records == images
        peaks.append(peak)
    (parent, worker), (later_parent, later_worker) = peaks
    assert later_parent <= 1.3 * parent
    assert later_worker <= 1.2 * worker


# A folder whose files need not be made.
_LISTING = """
import os, pathlib, re, sys
from tfrecordcli.sources.folders.local import FolderListing
from tfrecordcli.options import ReadOptions

class Entry:
    def __init__(self, number):
        self.name = f"img_{number:09}.jpg"
    is_dir = is_symlink = lambda self: False
    is_file = lambda self: True

class Entries:
    __enter__ = lambda self: map(Entry, range(int(sys.argv[1])))
    __exit__ = lambda *_: None

os.scandir = lambda path: Entries()
count = sum(1 for _ in FolderListing("photos", ReadOptions(unlabelled="keep")).rows())
peak = re.search(r"VmHWM:\\s+(\\d+) kB", pathlib.Path("/proc/self/status").read_text())
print(count, int(peak[1]) * 1024)
"""


def test_memory_does_not_grow_with_the_images_in_records(tmp_path: Path) -> None:
    """The first records of some files are looked at together."""
    peaks = []
    for segments in (1, 40):
        comments = (b"\xff\xfe\xff\xff" + bytes(65_533)) * segments
        for number in range(50):
            photo = jpeg(number)
            record = {"image/encoded": [photo[:2] + comments + photo[2:]], "image/class/label": [1]}
            with (tmp_path / f"{segments}.tfrecord").open("ab") as file:
                file.write(framed(encode_example(record)))
        peaks.append(peak_of_list(tmp_path / f"{segments}.tfrecord", tmp_path / "out", (50, 1), "dry"))
    assert peaks[1] <= peaks[0] + (40 << 20)  # of 130 MB


def test_memory_does_not_grow_with_the_files_of_a_folder() -> None:
    peaks = []
    for files in (100_000, 500_000):
        count, peak = map(int, tfrec(files, command=[sys.executable, "-c", _LISTING]).out.split())
        assert count == files
        peaks.append(peak)
    assert peaks[1] <= 1.3 * peaks[0]


def test_a_label_costs_at_most_300_bytes_in_the_plan(tmp_path: Path) -> None:
    rows = 150_000
    assert peak_of(tmp_path, rows, rows) - peak_of(tmp_path, rows, 100) <= 300 * rows


def test_a_label_costs_at_most_300_bytes_in_a_whole_conversion(tmp_path: Path) -> None:
    """1,000 images of 150 labels each; each has the same ones, or none has a label of another."""
    (tmp_path / "0.jpg").write_bytes(jpeg(0))
    for number in range(1, 1000):
        os.link(tmp_path / "0.jpg", tmp_path / f"{number}.jpg")
    peaks = []
    for distinct in (150, 150_000):
        csv = tmp_path / f"{distinct}.csv"
        with csv.open("w") as file:
            file.write("split,image_uri,label\n")
            for image in range(1000):
                names = (f"class_{(image * 150 + n) % distinct:07}" for n in range(150))
                file.write(f"TRAIN,{image}.jpg,{','.join(names)}\n")
        counts = (1000, distinct)
        first, again = (peak_of_list(csv, tmp_path / f"out-{distinct}", counts) for _ in range(2))
        peaks.append((first, again))
    for few, many in zip(*peaks, strict=True):  # of a conversion, and of the same one again
        assert many - few <= 300 * 150_000


_COCO = """
import pathlib, re, sys
from tfrecordcli.sources.json.coco import read_coco
from tfrecordcli.sources.listed import Findings
kept = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None  # where further keys of images are asked for
count = sum(len(image.boxes) for image in read_coco(sys.argv[1], Findings(), further=kept))
peak = re.search(r"VmHWM:\\s+(\\d+) kB", pathlib.Path("/proc/self/status").read_text())
print(count, int(peak[1]) * 1024)
"""


@pytest.mark.parametrize("kept", [(), ("further.jsonl",)], ids=["boxes", "boxes and further keys"])
def test_a_box_of_coco_costs_at_most_200_bytes_whatever_else_is_said_of_it(
    kept: tuple[str, ...], tmp_path: Path
) -> None:
    """Polygons of 1,000 bytes among it, before the images that they are in, each of which has six boxes.

    And a text of 2,000 bytes of each image. The smaller file fills the reader's buffers, too.
    """
    few, many, peaks = 12_000, 60_000, []
    for number in (few, many):
        path = tmp_path / f"{number}.json"
        rest = f'"category_id": 1, "segmentation": [[{", ".join(["123.45"] * 128)}]]'
        with path.open("w") as file:
            file.write('{"categories": [{"id": 1, "name": "a"}], "annotations": [')
            boxes_of = (f'{{"image_id": {n // 6}, "bbox": [1, 2, 3, {n}.5], {rest}}}' for n in range(number))
            file.write(",".join(boxes_of))
            file.write('], "images": [')
            rest = f'"split": "train", "told": "{"x" * 2000}"'
            images = (f'{{"id": {n}, "file_name": "{n:012}.jpg", {rest}}}' for n in range(number // 6))
            file.write(",".join(images))
            file.write("]}")
        more = [tmp_path / name for name in kept]
        count, peak = map(int, tfrec(path, *more, command=[sys.executable, "-c", _COCO]).out.split())
        assert count == number
        peaks.append(peak)
    assert peaks[1] - peaks[0] <= 200 * (many - few)


_PEAK_OF_WALK = """
import re, sys
from tfrecordcli.images._jpeg_walk import walk
def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1]) * 1024
data = open(sys.argv[1], "rb").read()
before = peak()
print(walk(data)[0], peak() - before)
"""


def test_the_native_walk_takes_65_times_a_jpeg_at_most(tmp_path: Path) -> None:
    """A progressive one of the least bits for its blocks, each of which it keeps 8 bytes of."""
    pytest.importorskip("tfrecordcli.images._jpeg_walk", reason="needs the native module (a C compiler)")
    rows = 8187  # of 512 blocks
    frame = struct.pack(">BHHB", 8, 8 * rows, 8 * 512, 1) + b"\x01\x11\x00"
    dc, ac = (bytes([number, 1, *bytes(15), symbol]) for number, symbol in ((0, 0), (0x10, 0x90)))
    parts = [_segment(0xDB, bytes([0, *[1] * 64])), _segment(0xC2, frame), _segment(0xC4, dc + ac)]
    parts += [_segment(0xDA, b"\x01\x01\x00\x00\x00\x00"), bytes(rows * 512 // 8)]  # a bit for each DC
    parts += [
        _segment(0xDA, b"\x01\x01\x00\x01\x3f\x01"),
        bytes(-(-rows * 10 // 8)),
    ]  # 10 for 512 empty blocks
    file = tmp_path / "blocks.jpg"
    file.write_bytes(b"\xff\xd8" + b"".join(parts) + b"\xff\xd9")
    reason, taken = tfrec(file, command=[sys.executable, "-c", _PEAK_OF_WALK]).out.split()
    assert reason == "incomplete", "it went over all of them"
    size = file.stat().st_size
    assert 60 * size < int(taken) <= 65 * size + (256 << 10)


def _segment(marker: int, body: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body
