"""Tools of the tests on boxes: photos, lists, and what their records hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
from PIL import Image

import tfrecordcli
from tfrecordcli.tfrecords.example_parser import parse_example
from tfrecordcli.tfrecords.record_reader import read_records
from tfrecordcli.tfrecords.shard_stream import ShardStream

_NEAR: Final = 0.5  # pixels

Boxes = list[tuple[str, tuple[float, ...]]]

WIDTH, HEIGHT = 80, 40
# How Pillow stores an upright photo so that EXIF's orientation turns it back.
STORED = {
    1: None,
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}
# The marked corner of the upright photo, in pixels.
MARKED = (0, 0, 20, 10)


def photo(path: Path, size: tuple[int, int] = (WIDTH, HEIGHT), colour: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, (colour, 90, 200)).save(path)
    return path


def photos(folder: Path, *names: str) -> Path:
    for number, name in enumerate(names):
        photo(folder / name, colour=number)
    return folder


def write(folder: Path, text: str, name: str = "list.csv") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def records(folder: Path) -> dict[str, dict[str, list[Any]]]:
    """filename -> values of each feature, by a reader that shares nothing with the writer."""
    paths = sorted(folder.glob("*.tfrecord"))
    return {values["image/filename"][0].decode(): values for path in paths for values in examples(path)}


def examples(shard: Path) -> Iterator[dict[str, list[Any]]]:
    """The values of each feature of the records in a shard."""
    with shard.open("rb") as file:
        for record in read_records(ShardStream(file)):
            features = parse_example(record.payload)
            yield {key: list(feature.values) for key, feature in features.items()}


def examples_by_split(folder: Path) -> list[tuple[str, dict[str, list[Any]]]]:
    """(split, values of each feature) of all records of a dataset."""
    shards = ((path.name.partition("-")[0], path) for path in folder.glob("*.tfrecord"))
    return [(split, values) for split, path in shards for values in examples(path)]


def witnessed(tf: Any, folder: Path) -> dict[str, dict[str, list[Any]]]:
    """As `records`, after TensorFlow has read the very same."""
    found = {}
    for raw in tf.data.TFRecordDataset(sorted(map(str, folder.glob("*.tfrecord")))):
        features = tf.train.Example.FromString(raw.numpy()).features.feature
        values = {key: list(getattr(each, each.WhichOneof("kind")).value) for key, each in features.items()}
        found[values["image/filename"][0].decode()] = values
    assert found == records(folder)
    return found


def boxes_of(values: dict[str, list[Any]]) -> Boxes:
    """(label, (xmin, ymin, xmax, ymax) in pixels of the stored image), sorted."""
    (width,), (height,) = values["image/width"], values["image/height"]
    sides = [values[f"image/object/bbox/{side}"] for side in ("xmin", "ymin", "xmax", "ymax")]
    texts = [text.decode() for text in values["image/object/class/text"]]
    scaled = [
        (x0 * width, y0 * height, x1 * width, y1 * height) for x0, y0, x1, y1 in zip(*sides, strict=True)
    ]
    rounded = [tuple(round(value, 3) for value in corners) for corners in scaled]
    return sorted(zip(texts, rounded, strict=True))


def are_boxes(values: dict[str, list[Any]], wanted: Iterable[tuple[str, Iterable[float]]]) -> bool:
    """Whether a record has these boxes, each within half a pixel, as fractions and percents are rounded.

    Args:
      wanted: label and corners of each.
    """
    left = [(label, tuple(map(float, corners))) for label, corners in wanted]
    for box in boxes_of(values):  # two may begin within a rounding of each other, in either order
        near = next((each for each in left if _are_near(box, each)), None)
        if near is None:
            return False
        left.remove(near)
    return not left


def _are_near(one: tuple[str, tuple[float, ...]], other: tuple[str, tuple[float, ...]]) -> bool:
    return one[0] == other[0] and max(abs(a - b) for a, b in zip(one[1], other[1], strict=True)) < _NEAR


def convert(source: Any, output: Path, **options: Any) -> tfrecordcli.ConvertResult:
    return tfrecordcli.convert(source, output, workers=1, **options)


CAT, DOG = ("cat", (8.0, 4.0, 40.0, 20.0)), ("dog", (16.0, 8.0, 80.0, 40.0))

HEADER = "filename,class,xmin,ymin,xmax,ymax\n"


def sideways(path: Path, orientation: int) -> None:
    """A photo whose marked corner is red once it is turned upright."""
    pixels = np.full((HEIGHT, WIDTH, 3), 200, np.uint8)
    pixels[MARKED[1] : MARKED[3], MARKED[0] : MARKED[2]] = (255, 0, 0)
    image = Image.fromarray(pixels)
    turn = STORED[orientation]
    image = image.transpose(turn) if turn is not None else image
    exif = Image.Exif()
    exif[0x0112] = orientation
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path, quality=95, subsampling=0, exif=exif)
