"""How other projects write labels and boxes into TFRecords: a family of records each, with what they mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final

from listing_folders import Corners

from tfrecordcli.formats.example import Empty

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
_TARGETS: Final = ("label", "target", "image/target", "image/label", "y")
_OTHER_TARGETS: Final = ("age", "steering_angle", "price", "bmi")
_OTHER_LABELS: Final = ("y", "digit", "species", "breed", "diagnosis", "cls")


@dataclass(frozen=True)
class Shown:
    """An image, and what its record says of it.

    Attributes:
      image: its file, or what its pixels are.
      labels: of the whole image.
      boxes: with their labels.
      target: a number to predict of it.
    """

    image: bytes
    size: tuple[int, int]
    split: str
    labels: tuple[str, ...] = ()
    boxes: tuple[tuple[str, Corners], ...] = ()
    target: float | None = None


@dataclass
class Made:
    """What a family of records adds to each, and beside them."""

    told: str
    records: list[Values]
    beside: dict[str, bytes]
    labels: frozenset[str] = frozenset()


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
) -> tuple[Made, list[Shown]]:
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
    made = Made(f"detection api, {unit}, {kind}", records, beside)
    return made, _numbered(shown, classes, 1) if kind == "ids" else shown


def _of_tfds(chance: Random, shown: list[Shown], classes: tuple[str, ...]) -> tuple[Made, list[Shown]]:
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
    return Made(f"tfds, {label}, whole {is_whole}", records, beside, known), (
        shown if is_whole else _numbered(shown, classes, 0)
    )


def _flat(chance: Random, shown: list[Shown], classes: tuple[str, ...]) -> tuple[Made, list[Shown]]:
    """Four numbers a box under a key of one's own."""
    form, unit = chance.choice(sorted(_FORMS)), chance.choice(("fractions", "pixels"))
    key, label = chance.choice(_FLAT), chance.choice(_OF_BOXES)
    is_int = unit == "pixels" and form != "center" and chance.random() < 0.5
    cast: Callable[[float], float] = int if is_int else float
    boxes = [[cast(v) for box in _numbers(form, unit, each) for v in box] for each in shown]
    first = chance.choice((0, 1))
    labels, told, kind = _called(chance, label, shown, classes, first, kinds=("ids", "names", "both"))
    counted = chance.random() < 0.3
    if kind == "ids" and chance.random() < 0.25:
        padding = chance.choice((0, -1))
        records = [
            _padded(padding, each, {key: flat, **of_labels}, key, label, cast)
            for each, flat, of_labels in zip(shown, boxes, labels, strict=True)
        ]
        return Made(
            f"padded by {padding}, {key} {label} {form} {unit} from {first} {cast}", records, {}
        ), told
    records = [
        {key: flat or Empty["float"], **of_labels, **({"num_boxes": [len(flat) // 4]} if counted else {})}
        for flat, of_labels in zip(boxes, labels, strict=True)
    ]
    return Made(f"flat, {key} {label} {form} {unit} {kind} {cast}", records, {}), told


def _padded(
    padding: int, shown: Shown, values: Values, key: str, label: str, cast: Callable[[float], float]
) -> Values:
    """Boxes filled up to a number that is the same in all records."""
    missing = 5 - len(shown.boxes)
    ids = values[label] if shown.boxes else []
    return {
        key: [*values[key], *[cast(padding)] * (4 * missing)],
        label: [*ids, *[padding] * missing],
        "num_boxes": [len(shown.boxes)],
    }


def _named(chance: Random, shown: list[Shown], classes: tuple[str, ...]) -> tuple[Made, list[Shown]]:
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
    return Made(f"named, {keys} {label} {form} {unit} {kind}", records, {}), told


def _fives(chance: Random, shown: list[Shown], classes: tuple[str, ...]) -> tuple[Made, list[Shown]]:
    """Five numbers a box, the last of which is its class."""
    form, unit = chance.choice(sorted(_FORMS)), chance.choice(("fractions", "pixels"))
    key = chance.choice(_FLAT)
    records = [
        {
            key: [
                v
                for box, (name, _) in zip(_numbers(form, unit, each), each.boxes, strict=True)
                for v in (*box, float(classes.index(name)))
            ]
            or Empty["float"]
        }
        for each in shown
    ]
    return Made(f"fives, {key} {form} {unit}", records, {}), _numbered(shown, classes, 0)


def _of_one_class(chance: Random, shown: list[Shown], classes: tuple[str, ...]) -> tuple[Made, list[Shown]]:
    """A box an image beside its label."""
    form, unit = chance.choice(sorted(_FORMS)), chance.choice(("fractions", "pixels"))
    key, label = (
        chance.choice(("bbox", "box", "bounding_box", "roi")),
        chance.choice(("label", "class", "image/class/label")),
    )
    boxes = [each.boxes[:1] or ((classes[0], (1, 2, 30, 40)),) for each in shown]
    shown = [replace(each, boxes=some) for each, some in zip(shown, boxes, strict=True)]
    records = [
        {key: _numbers(form, unit, each)[0], label: [classes.index(each.boxes[0][0])]} for each in shown
    ]
    return Made(f"one box, {key} {label} {form} {unit}", records, {}), _numbered(shown, classes, 0)


def _unlabelled(chance: Random, shown: list[Shown], classes: tuple[str, ...]) -> tuple[Made, list[Shown]]:
    """Boxes of one class, which nothing names."""
    form, unit = chance.choice(sorted(_SIDES)), chance.choice(("fractions", "pixels"))
    key, parent = chance.choice(_FLAT), chance.choice(_PARENTS)
    names = chance.choice([each for each in _SIDES[form] if parent or "width" not in each])
    is_flat, ending = chance.random() < 0.4, chance.choice(("", "s"))
    records = []
    for each in shown:
        numbers = _numbers(form, unit, each)
        flat = {key: [v for box in numbers for v in box] or Empty["float"]}
        records.append(flat if is_flat else _sides([f"{parent}{n}{ending}" for n in names.split()], numbers))
    told = [replace(each, boxes=tuple(("object", box) for _, box in each.boxes)) for each in shown]
    keys = key if is_flat else f"{parent}{names}{ending}"
    return Made(f"unlabelled, {keys} {form} {unit}", records, {}), told


# --- labels of whole images ---


def _of_key(chance: Random, shown: list[Shown], classes: tuple[str, ...]) -> tuple[Made, list[Shown]]:
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
    made = Made(f"label, {key} {kind} {first}", records, beside, known)
    return made, shown if kind in ("names", "both") or is_listed else _numbered(shown, classes, first)


def _vectors(chance: Random, shown: list[Shown], classes: tuple[str, ...]) -> tuple[Made, list[Shown]]:
    """A row of 0 and 1, a place a label, as whole numbers or floats."""
    key, count = chance.choice(("label", "labels", "class", "one_hot_label")), max(3, len(classes))
    cast: Callable[[bool], float] = chance.choice((int, float))
    records = [{key: [cast(classes.index(each.labels[0]) == at) for at in range(count)]} for each in shown]
    return Made(f"vectors, {key} {cast}", records, {}), _numbered(shown, classes, 0)


def _several(chance: Random, shown: list[Shown], classes: tuple[str, ...]) -> tuple[Made, list[Shown]]:
    """Several ids or names of an image."""
    key, kind = chance.choice(("labels", "classes", "label", "tags")), chance.choice(("ids", "names"))
    told = [replace(each, labels=tuple(sorted({*each.labels, chance.choice(classes)}))) for each in shown]
    records = [
        {key: [classes.index(n) if kind == "ids" else n.encode() for n in each.labels]} for each in told
    ]
    known = frozenset({key} if key == "tags" else ())
    return Made(f"several, {key} {kind}", records, {}, known), _numbered(
        told, classes, 0
    ) if kind == "ids" else told


def flags(chance: Random, shown: list[Shown], classes: tuple[str, ...]) -> tuple[Made, list[Shown]]:
    """Keys of 0 and 1, each a label."""
    names = classes[: max(2, len(classes))]
    labels = [tuple(sorted({*each.labels, chance.choice(names)})) for each in shown]
    records = [{name: [int(name in each)] for name in names} for each in labels]
    told = [replace(a, labels=each) for a, each in zip(shown, labels, strict=True)]
    return Made(f"flags, {names}", records, {}, frozenset(names)), told


def _targets(chance: Random, shown: list[Shown], classes: tuple[str, ...]) -> tuple[Made, list[Shown]]:
    """A number to predict an image, some of which may be whole."""
    is_known = chance.random() < 0.6
    key, first = chance.choice(_TARGETS if is_known else _OTHER_TARGETS), chance.choice((-2.0, 0.0, 40.0))
    told = [
        replace(each, labels=(), target=first + chance.randrange(9) / 2 + 0.25 * (number == 1))
        for number, each in enumerate(shown)
    ]
    known = frozenset({key})
    return Made(f"targets, {key} from {first}", [{key: [each.target]} for each in told], {}, known), told


Family = Callable[[Random, list[Shown], tuple[str, ...]], tuple[Made, list[Shown]]]
DETECTION: Final[tuple[Family, ...]] = (
    _of_detection_api, _of_detection_api, _of_tfds, _flat, _flat, _flat, _named, _named, _fives,
    _of_one_class, _unlabelled,
)  # fmt: skip
CLASSIFICATION: Final[tuple[Family, ...]] = (
    _of_key, _of_key, _of_key, _vectors, _several, flags, _targets,
)  # fmt: skip
