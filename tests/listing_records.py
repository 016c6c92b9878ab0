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
from listing_folders import CLASSES, SPLITS, Corners
from PIL import Image
from verifying import framed

from tfrecordcli.formats.example import Empty, encode_example

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
Values = dict[str, Any]
# By the form of four numbers, as xmin, ymin, xmax, ymax make them.
_FORMS: Final[dict[str, Callable[..., tuple[float, ...]]]] = {
    "xyxy": lambda a, b, c, d: (a, b, c, d),
    "yxyx": lambda a, b, c, d: (b, a, d, c),
    "xywh": lambda a, b, c, d: (a, b, c - a, d - b),
    "center": lambda a, b, c, d: ((a + c) / 2, (b + d) / 2, c - a, d - b),
}
_FLAT: Final = (
    "boxes",
    "bboxes",
    "bbox",
    "gt_boxes",
    "objects/bbox",
    "image/object/bbox",
    "rects",
    "label/boxes",
)
_OF_BOXES: Final = (
    "labels", "label", "classes", "class_ids", "objects/label", "image/object/class/label", "category_id",
)  # fmt: skip
_SIDES: Final = {
    "xyxy": ("xmin ymin xmax ymax", "x1 y1 x2 y2", "left top right bottom", "x_min y_min x_max y_max"),
    "xywh": ("x y w h", "x y width height", "left top width height"),
    "center": ("cx cy w h", "x_center y_center width height"),
}
_PARENTS: Final = ("", "bbox/", "image/object/bbox/", "objects/", "image/bbox/")
_LABELS: Final = (
    "label",
    "labels",
    "class",
    "image/class/label",
    "target",
    "class_id",
    "category",
    "image/label",
)
_OTHER_LABELS: Final = ("y", "digit", "species", "breed", "diagnosis", "cls")


@dataclass(frozen=True)
class Shown:
    """An image, and what its record says of it.

    Attributes:
      image: its file, or what its pixels are.
      labels: of the whole image.
      boxes: with their labels.
    """

    image: bytes
    size: tuple[int, int]
    split: str
    labels: tuple[str, ...] = ()
    boxes: tuple[tuple[str, Corners], ...] = ()


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


@dataclass
class _Made:
    """What a family of records adds to each, and beside them."""

    told: str
    records: list[Values]
    beside: dict[str, bytes]
    labels: frozenset[str] = frozenset()


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
    family = chance.choice(_DETECTION if has_boxes else _CLASSIFICATION)
    shown = [_drawn(chance, each, classes, has_boxes=has_boxes) for each in shown]
    made, shown = family(chance, shown, classes)
    name, key = chance.choice(_NAMES), chance.choice(_IMAGES)
    further = chance.sample(sorted(_FURTHER), chance.choice((0, 1, 2, 3)))
    if family is _flags:  # which of those are labels, a person says
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


# --- boxes ---


def _fractions(form: str, box: Corners, size: tuple[int, int]) -> list[float]:
    width, height = size
    sides = (height, width, height, width) if form == "yxyx" else (width, height, width, height)
    return [number / side for number, side in zip(_FORMS[form](*box), sides, strict=True)]


def _numbers(form: str, unit: str, shown: Shown) -> list[list[float]]:
    if unit == "fractions":
        return [_fractions(form, box, shown.size) for _, box in shown.boxes]
    return [[*map(float, _FORMS[form](*box))] for _, box in shown.boxes]


def _sides(keys: Sequence[str], boxes: Sequence[Sequence[float]]) -> Values:
    return {key: [box[at] for box in boxes] or Empty["float"] for at, key in enumerate(keys)}


def _called(
    chance: Random,
    key: str,
    shown: list[Shown],
    classes: tuple[str, ...],
    first: int,
    *,
    kinds: Sequence[str],
) -> tuple[list[Values], list[Shown], str]:
    """The labels of boxes under a key, as names, as ids, or as both, and what they are then."""
    kind = chance.choice(kinds)
    records: list[Values] = []
    for each in shown:
        ids = [classes.index(name) + first for name, _ in each.boxes] or Empty["int64"]
        names = [name.encode() for name, _ in each.boxes] or Empty["bytes"]
        text = f"{key.removesuffix('label')}text" if key.endswith("/label") else f"{key}_text"
        records.append({"ids": {key: ids}, "names": {key: names}, "both": {key: ids, text: names}}[kind])
    return records, _numbered(shown, classes, first) if kind == "ids" else shown, kind


def _numbered(shown: list[Shown], classes: tuple[str, ...], first: int) -> list[Shown]:
    def number(name: str) -> str:
        return str(classes.index(name) + first)

    return [
        Shown(
            each.image, each.size, each.split, tuple(map(number, each.labels)),
            tuple((number(name), box) for name, box in each.boxes),
        )
        for each in shown
    ]  # fmt: skip


_OD: Final = "image/object/bbox/"


def _of_detection_api(
    chance: Random, shown: list[Shown], classes: tuple[str, ...]
) -> tuple[_Made, list[Shown]]:
    """TensorFlow's Object Detection API; efficientdet; yolov3-tf2; the same in pixels."""
    unit = chance.choice(("fractions", "fractions", "fractions", "pixels"))
    named = [f"{_OD}{side}" for side in ("xmin", "ymin", "xmax", "ymax")]
    kind = chance.choice(("both", "names", "map", "ids"))
    labels, ids = "image/object/class/label", [classes.index(name) for name in classes]
    records = []
    for each in shown:
        values = _sides(named, _numbers("xyxy", unit, each))
        texts = [name.encode() for name, _ in each.boxes] or Empty["bytes"]
        if kind != "names":
            values[labels] = [classes.index(name) + 1 for name, _ in each.boxes] or Empty["int64"]
        if kind in ("both", "names"):
            values["image/object/class/text"] = texts
        values["image/object/is_crowd"] = [0] * len(each.boxes) or Empty["int64"]
        records.append(values)
    pbtxt = "".join(f"item {{\n  id: {n + 1}\n  name: '{classes[n]}'\n}}\n" for n in ids)
    beside = {"label_map.pbtxt": pbtxt.encode()} if kind == "map" else {}
    made = _Made(f"detection api, {unit}, {kind}", records, beside)
    return made, _numbered(shown, classes, 1) if kind == "ids" else shown


def _of_tfds(chance: Random, shown: list[Shown], classes: tuple[str, ...]) -> tuple[_Made, list[Shown]]:
    """TensorFlow Datasets, with what it writes beside its records, or a part of it."""
    is_whole, label = chance.random() < 0.6, chance.choice(("objects/label", "objects/type"))
    records = [
        {"objects/bbox": [v for box in _numbers("yxyx", "fractions", each) for v in box] or Empty["float"],
         label: [classes.index(name) for name, _ in each.boxes] or Empty["int64"]}
        for each in shown
    ]  # fmt: skip
    names = {f"{label.replace('/', '-')}.labels.txt": "\n".join((*classes, "")).encode()}
    info = {"dataset_info.json": b'{"name": "pets", "splits": []}'}
    beside = {**names, **info} if is_whole else {}
    known = frozenset({label} if label.endswith("type") else ())
    return _Made(f"tfds, {label}, whole {is_whole}", records, beside, known), (
        shown if is_whole else _numbered(shown, classes, 0)
    )


def _flat(chance: Random, shown: list[Shown], classes: tuple[str, ...]) -> tuple[_Made, list[Shown]]:
    """Four numbers a box under a key of one's own."""
    form, unit = chance.choice(sorted(_FORMS)), chance.choice(("fractions", "pixels"))
    key, label = chance.choice(_FLAT), chance.choice(_OF_BOXES)
    is_int = unit == "pixels" and form != "center" and chance.random() < 0.5
    cast: Callable[[float], float] = int if is_int else float
    boxes = [[cast(v) for box in _numbers(form, unit, each) for v in box] for each in shown]
    first = chance.choice((0, 1))
    labels, told, kind = _called(chance, label, shown, classes, first, kinds=("ids", "names", "both"))
    counted = chance.random() < 0.3
    records = [
        {key: flat or Empty["float"], **of_labels, **({"num_boxes": [len(flat) // 4]} if counted else {})}
        for flat, of_labels in zip(boxes, labels, strict=True)
    ]
    return _Made(f"flat, {key} {label} {form} {unit} {kind} {cast}", records, {}), told


def _named(chance: Random, shown: list[Shown], classes: tuple[str, ...]) -> tuple[_Made, list[Shown]]:
    """Four keys of sides of one's own."""
    form, unit = chance.choice(sorted(_SIDES)), chance.choice(("fractions", "pixels"))
    parent = chance.choice(_PARENTS)
    names = chance.choice([each for each in _SIDES[form] if parent or "width" not in each])
    keys, label = [parent + name for name in names.split()], chance.choice(_OF_BOXES)
    labels, told, kind = _called(chance, label, shown, classes, 0, kinds=("ids", "names", "both"))
    records = [
        {**_sides(keys, _numbers(form, unit, each)), **of_labels}
        for each, of_labels in zip(shown, labels, strict=True)
    ]
    return _Made(f"named, {keys} {label} {form} {unit} {kind}", records, {}), told


# --- labels of whole images ---


def _of_key(chance: Random, shown: list[Shown], classes: tuple[str, ...]) -> tuple[_Made, list[Shown]]:
    """An id, a name, or both."""
    is_known = chance.random() < 0.75
    key, first = chance.choice(_LABELS if is_known else _OTHER_LABELS), chance.choice((0, 0, 1))
    kind = chance.choice(("ids", "names", "both", "listed") if is_known else ("ids", "names"))
    text = "image/class/text" if key == "image/class/label" else f"{key}_text"
    records: list[Values] = []
    for each in shown:
        (name,) = each.labels
        ids, names = {key: [classes.index(name) + first]}, {key: [name.encode()]}
        records.append(
            names if kind == "names" else ids | ({text: [name.encode()]} if kind == "both" else {})
        )
    is_listed = kind == "listed" and first == 0
    beside = {"labels.txt": "\n".join((*classes, "")).encode()} if is_listed else {}
    known = frozenset() if is_known else frozenset({key})
    made = _Made(f"label, {key} {kind} {first}", records, beside, known)
    return made, shown if kind in ("names", "both") or is_listed else _numbered(shown, classes, first)


def _vectors(chance: Random, shown: list[Shown], classes: tuple[str, ...]) -> tuple[_Made, list[Shown]]:
    """A row of 0 and 1, a place a label, as whole numbers or floats."""
    key, count = chance.choice(("label", "labels", "class", "one_hot_label")), max(3, len(classes))
    cast: Callable[[bool], float] = chance.choice((int, float))
    records = [{key: [cast(classes.index(each.labels[0]) == at) for at in range(count)]} for each in shown]
    return _Made(f"vectors, {key} {cast}", records, {}), _numbered(shown, classes, 0)


def _flags(chance: Random, shown: list[Shown], classes: tuple[str, ...]) -> tuple[_Made, list[Shown]]:
    """Keys of 0 and 1, each a label."""
    names = classes[: max(2, len(classes))]
    labels = [tuple(sorted({*each.labels, chance.choice(names)})) for each in shown]
    records = [{name: [int(name in each)] for name in names} for each in labels]
    told = [replace(a, labels=each) for a, each in zip(shown, labels, strict=True)]
    return _Made(f"flags, {names}", records, {}, frozenset(names)), told


_Family = Callable[[Random, list[Shown], tuple[str, ...]], tuple[_Made, list[Shown]]]
_DETECTION: Final[tuple[_Family, ...]] = (
    _of_detection_api, _of_detection_api, _of_tfds, _flat, _flat, _flat, _named, _named,
)  # fmt: skip
_CLASSIFICATION: Final[tuple[_Family, ...]] = (_of_key, _of_key, _of_key, _vectors, _flags)
