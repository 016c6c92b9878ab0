"""Random TFRecords as other projects write them, with what must come of each."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final

import numpy as np
from converting import jpeg
from listing_folders import CLASSES, SPLITS
from PIL import Image
from record_families import CLASSIFICATION, DETECTION, Shown, Values, flags
from verifying import framed

from tfrecordcli.formats.example import encode_example

COUNT: Final = 16
_SIZES: Final = ((64, 48), (48, 64), (80, 60))
_WORDS: Final = (("train", "val", "test"), ("train", "validation", "test"), ("TRAIN", "VALID", "TEST"), ())
_SHARDS: Final = (
    "{split}-{n:05}-of-00002.tfrecord", "pets_{split}.record-{n:05}-of-00002",
    "birds-{split}.tfrecord-{n:05}-of-00002", "{split}/{n:02}-8.tfrec", "{split}{n}.tfrecords",
    "my_{split}_{n}.tfrec", "tfrecords/{split}-{n}.tfrecord.gz",
)  # fmt: skip
_PLAIN: Final = ("{n:02}-8.tfrec", "data-{n:05}-of-00002", "all_{n}.tfrecord", "shard{n}.tfrecord.gz")
_IMAGES: Final = ("image/encoded", "image", "image_raw", "image_bytes", "img", "jpeg")
_NAMES: Final = ("image/filename", "filename", "file_name", "image_name", "image_id", "")
_FURTHER: Final[dict[str, Callable[[Random, int], Any]]] = {
    "patient_id": lambda _, n: [b"p%d" % (n // 3)],
    "age": lambda chance, _: [chance.choice((23.0, 41.5, 52.0))],
    "image/key/sha256": lambda chance, _: [b"%064x" % chance.getrandbits(256)],
    "image/format": lambda *_: [b"jpeg"],
    "version": lambda *_: [1],
    "sex": lambda chance, _: [chance.choice((0, 1))],
    "fold": lambda _, n: [n % 4],
    "embedding": lambda chance, _: [chance.random() for _ in range(8)],
}


@dataclass(frozen=True)
class Written:
    """Files of TFRecords, and what stands beside them.

    Attributes:
      labels: keys that the one who wrote them knows to hold labels; none: nobody has to be asked.
      content: a record, for people.
    """

    shown: tuple[Shown, ...]
    files: dict[str, bytes]
    has_boxes: bool
    traits: str
    labels: frozenset[str]
    content: bytes


def random_records(seed: int) -> Written:
    """The TFRecords of a seed."""
    chance = Random(seed)
    has_boxes = chance.random() < 0.6
    words = chance.choice(_WORDS)
    sizes = [chance.choice(_SIZES) for _ in range(COUNT)]
    classes = chance.choice(CLASSES)
    splits = [SPLITS[(0, 1, 0, 2)[n % 4]] if words else "" for n in range(COUNT)]
    shown = [
        Shown(jpeg(n, *size), size, split) for n, (size, split) in enumerate(zip(sizes, splits, strict=True))
    ]
    family = chance.choice(DETECTION if has_boxes else CLASSIFICATION)
    shown = [_drawn(chance, each, classes, has_boxes=has_boxes) for each in shown]
    made, shown = family(chance, shown, classes)
    name, key = chance.choice(_NAMES), chance.choice(_IMAGES)
    further = chance.sample(sorted(_FURTHER), chance.choice((0, 1, 2, 3)))
    if family is flags:  # which of those are labels, a person says
        further = [each for each in further if each not in ("sex", "version")]
    is_raw = chance.random() < 0.15
    records = []
    for number, (each, values) in enumerate(zip(shown, made.records, strict=True)):
        image, sized = _image_of(key, each, is_raw=is_raw)
        of_name = {name: [b"photo_%d.jpg" % (number * 7)]} if name else {}
        others = {key: _FURTHER[key](chance, number) for key in further}
        records.append({**sized, **of_name, **others, **values, key: [image]})
    shard = chance.choice(_SHARDS if words else _PLAIN)
    files = _files(shard, words, shown, records)
    if is_raw:
        shown = [replace(each, image=_pixels(each.image)) for each in shown]
    traits = f"{made.told}; {shard}, {words}, {classes[0]}, {name}, raw {is_raw}, {further}"
    content = json.dumps({key: str(values)[:90] for key, values in records[1].items()}).encode()
    return Written(tuple(shown), {**files, **made.beside}, has_boxes, traits, made.labels, content)


def _drawn(chance: Random, shown: Shown, classes: tuple[str, ...], *, has_boxes: bool) -> Shown:
    if not has_boxes:
        return replace(shown, labels=(chance.choice(classes),))
    boxes = []
    for _ in range(chance.choice((0, 1, 1, 2, 3))):
        x, y = chance.randrange(1, shown.size[0] - 12), chance.randrange(1, shown.size[1] - 12)
        box = x, y, chance.randrange(x + 6, shown.size[0] + 1), chance.randrange(y + 6, shown.size[1] + 1)
        boxes.append((chance.choice(classes), box))
    return replace(shown, boxes=tuple(boxes))


def _pixels(image: bytes) -> bytes:
    with Image.open(io.BytesIO(image)) as photo:
        return np.asarray(photo.convert("RGB")).tobytes()


def _image_of(key: str, shown: Shown, *, is_raw: bool) -> tuple[bytes, Values]:
    parent = "image/" if key == "image/encoded" else ""
    width, height = shown.size
    size = {f"{parent}height": [height], f"{parent}width": [width]}
    if not is_raw:
        return shown.image, size
    return _pixels(shown.image), {**size, f"{parent}{'channels' if parent else 'depth'}": [3]}


def _files(
    shard: str, words: Sequence[str], shown: Sequence[Shown], records: Sequence[Values]
) -> dict[str, bytes]:
    """Each split in two files."""
    files: dict[str, bytes] = {}
    for number, (each, values) in enumerate(zip(shown, records, strict=True)):
        word = words[SPLITS.index(each.split)] if words else ""
        path = shard.format(split=word, n=(number // 4) % 2)
        files[path] = files.get(path, b"") + framed(encode_example(values))
    return {path: gzip.compress(data) if path.endswith(".gz") else data for path, data in files.items()}
