"""Random lists in JSON as scripts write them, with what must come of each."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any, Final

import pandas as pd
from listing_folders import CLASSES, COUNT, SIZE, SPLITS, Corners, Shown, Written

_WORDS: Final = (("train", "val", "test"), ("train", "valid", "test"), ("TRAIN", "VALIDATION", "TEST"))
_IMAGE: Final = (
    "image",
    "file",
    "filename",
    "file_name",
    "img",
    "path",
    "image_path",
    "photo",
    "name",
    "imageName",
)
_LABEL: Final = (
    "label",
    "class",
    "category",
    "species",
    "tag",
    "breed",
    "target",
    "type",
    "kind",
    "diagnosis",
)
_SPLIT: Final = ("split", "set", "subset", "usage", "partition")
_BOXES: Final = ("boxes", "objects", "annotations", "regions", "detections", "bboxes", "labels", "items")
_FURTHER: Final[dict[str, Callable[[Random, int], Any]]] = {
    "id": lambda _, n: n,
    "width": lambda *_: SIZE[0],
    "height": lambda *_: SIZE[1],
    "date": lambda chance, _: f"2023-05-{chance.randint(1, 28):02}",
    "camera": lambda chance, _: chance.choice(("Canon", "Nikon")),
    "age": lambda chance, _: chance.choice((23, 41, 52, 67)),
    "verified": lambda chance, _: chance.choice((True, False)),
    "url": lambda _, n: f"https://example.com/p/{n}",
    "meta": lambda chance, _: {"iso": chance.choice((100, 200))},
    "notes": lambda *_: "",
}
Row = dict[str, Any]
# Where names of classes stand beside the images of a document, and how.
_NAMES: Final = ("classes", "class_names", "categories", "labels", "class_list", "id2label", "CLASSES")
_HOW_NAMED: Final[tuple[Callable[[tuple[str, ...]], Any], ...]] = (
    list,
    list,
    lambda names: [{"id": number, "name": name} for number, name in enumerate(names)],
    lambda names: {str(number): name for number, name in enumerate(names)},
    lambda names: {name: number for number, name in enumerate(names)},
)
_HELD: Final = ("images", "data", "frames", "samples", "items", "annotations", "files", "dataset", "labels")
_BESIDE: Final[dict[str, Any]] = {
    "info": {"n": COUNT, "contributors": ["A", "B"]},
    "created": "2024-02-11T09:14:03",
    "version": 2,
    "root": "photos",
    "meta": {"tool": {"name": "dump", "version": 3}},
}


def random_document(seed: int) -> Written:
    """The list of a seed, beside its images."""
    chance = Random(seed)
    has_boxes = chance.random() < 0.5
    folder = chance.choice(("", "images/", "photos/"))
    words = chance.choice(_WORDS) if chance.random() < 0.35 else ()
    classes = chance.choice(CLASSES)
    name = chance.choice((lambda n: f"{n:03}.jpg", lambda n: f"img_{n * 37}.jpg", lambda n: f"IMG {n}.JPG"))
    shown = tuple(
        Shown(
            folder + name(number),
            SPLITS[(0, 1, 0, 2)[number % 4]] if words else "",
            "" if has_boxes else chance.choice(classes),
            _boxes(chance, classes) if has_boxes else (),
        )
        for number in range(COUNT)
    )
    is_whole = chance.random() < 0.4 or not folder
    names = [each.path if is_whole else each.path.rpartition("/")[2] for each in shown]
    split_words = [words[SPLITS.index(each.split)] if words else "" for each in shown]
    write = _of_boxes if has_boxes else _of_labels
    told, document = "pandas", None
    # Drawn apart: documents that hold lists, of which some have numbers of classes; tables are none of these.
    held, state = Random(-1 - seed), chance.getstate()
    if held.random() < 0.4:
        numbered = classes if held.random() < 0.7 else ()
        texts = {text: number if numbered else text for number, text in enumerate(classes)}
        document, told = write(chance, shown, texts, names, split_words)
        document, how = _held(held, document, numbered)
        told = told if told.startswith("pandas") else f"{how}: {told}"
    if told.startswith("pandas"):
        chance.setstate(state)
        document, told = write(chance, shown, {text: text for text in classes}, names, split_words)
    is_lines = isinstance(document, list) and isinstance(document[0], dict) and chance.random() < 0.3
    lines = "".join(f"{json.dumps(row)}\n" for row in document) if is_lines else ""
    path = f"list.{'jsonl' if is_lines else 'json'}"
    content = lines or json.dumps(document, indent=chance.choice((None, 1)))
    traits = f"{told}; {folder}, whole {is_whole}, {words} {classes[0]}"
    return Written(shown, {path: content.encode()}, has_boxes, traits, path)


def _held(chance: Random, document: Any, classes: tuple[str, ...]) -> tuple[Any, str]:
    """A document that holds a list, and how it does.

    Args:
      classes: names of the numbers in the list; none: it has names itself.
    """
    beside = {key: _BESIDE[key] for key in chance.sample(sorted(_BESIDE), chance.choice((0, 1, 2)))}
    called, held = chance.choice(_NAMES), chance.choice(_HELD)
    named = {called: chance.choice(_HOW_NAMED)(classes)} if classes else {}
    held = held if held != called else "images"
    holds_splits = isinstance(document, dict) and all(map(_is_split, document))
    if holds_splits and chance.random() < 0.5:
        parts, how = document, "splits"
    elif isinstance(document, dict) and "version" in document:
        parts, how = document, "under"
    else:
        parts, how = {held: document}, held
    if chance.random() < 0.2:
        beside["meta"] = named | {"tool": "dump"}
    else:
        beside |= named
    items = [*beside.items(), *parts.items()]
    return dict(items if chance.random() < 0.7 else items[::-1]), f"{how} beside {[*beside]} {called}"


def _is_split(key: Any) -> bool:
    return str(key).lower() in ("train", "val", "valid", "validation", "test")


def _boxes(chance: Random, classes: tuple[str, ...]) -> tuple[tuple[str, Corners], ...]:
    boxes = []
    for _ in range(chance.choice((0, 1, 1, 2, 3))):
        x, y = chance.randrange(2, 50), chance.randrange(2, 36)
        box = x, y, chance.randrange(x + 6, SIZE[0] + 1), chance.randrange(y + 6, SIZE[1] + 1)
        boxes.append((chance.choice(classes), box))
    return tuple(boxes)


def _further(chance: Random, taken: tuple[str, ...]) -> tuple[str, ...]:
    names = [name for name in _FURTHER if name not in taken]
    return tuple(chance.sample(names, chance.choice((0, 0, 1, 2, 3))))


def _of_labels(
    chance: Random, shown: tuple[Shown, ...], texts: Row, names: list[str], words: list[str]
) -> tuple[Any, str]:
    image, label, split = chance.choice(_IMAGE), chance.choice(_LABEL), chance.choice(_SPLIT)
    further = _further(chance, (image, label, split))
    rows: list[Row] = [
        {image: name, label: texts[each.label]}
        | ({split: word} if word else {})
        | {key: _FURTHER[key](chance, n) for key in further}
        for n, (each, name, word) in enumerate(zip(shown, names, words, strict=True))
    ]
    if chance.random() < 0.3:
        rows = [dict(chance.sample([*row.items()], len(row))) for row in rows]
    told = f"labels {image} {label} {split} {further}"
    kind = chance.choice(
        ("array", "under", "by name", "columns", "pandas", "short", "by class", "pairs", "by split")
    )
    return _document(chance, kind, rows, (image, label, split)), f"{kind}: {told}"


def _document(chance: Random, kind: str, rows: list[Row], keys: tuple[str, str, str]) -> Any:
    image, label, split = keys
    has_splits = split in rows[0]
    match kind:
        case "under":
            return {
                chance.choice(("images", "data", "items", "records", "photos", "samples")): rows,
                "version": 2,
            }
        case "by name":
            return {row[image]: {key: value for key, value in row.items() if key != image} for row in rows}
        case "columns":
            return {key: [row[key] for row in rows] for key in rows[0]}
        case "pandas":
            frame = pd.DataFrame(rows)
            return json.loads(frame.to_json(orient=chance.choice(("split", "index", "columns", "table"))))
        case "by split" if has_splits:
            words = dict.fromkeys(row[split] for row in rows)
            return {
                word: [{k: v for k, v in row.items() if k != split} for row in rows if row[split] == word]
                for word in words
            }
        case "short" if not has_splits:
            return {row[image]: row[label] for row in rows}
        case "by class" if not has_splits:
            return {
                name: [row[image] for row in rows if row[label] == name] for name in {r[label] for r in rows}
            }
        case "pairs" if not has_splits:
            return [[row[image], row[label]] for row in rows]
    return rows


def _of_boxes(
    chance: Random, shown: tuple[Shown, ...], texts: Row, names: list[str], words: list[str]
) -> tuple[Any, str]:
    image, boxes, split = chance.choice(_IMAGE), chance.choice(_BOXES), chance.choice(_SPLIT)
    form, write = chance.choice([*_FORMS.items()])
    label = chance.choice(_LABEL)
    rows: list[Row] = [
        {image: name}
        | ({split: word} if word else {})
        | {boxes: [write(label, texts[text], corners) for text, corners in each.boxes]}
        for each, name, word in zip(shown, names, words, strict=True)
    ]
    if Random(repr(shown)).random() < 0.15:  # drawn apart: other seeds stay what they were
        form = "by class"
        for row, each in zip(rows, shown, strict=True):
            row[boxes] = _by_class(each, texts)
    told = f"boxes {image} {boxes} {label} {form} {split}"
    kind = chance.choice(("array", "array", "under", "by name"))
    if kind == "under":
        return {chance.choice(("images", "data", "frames", "photos")): rows, "version": 2}, f"under: {told}"
    if kind == "by name" and not words[0]:
        return {row[image]: row[boxes] for row in rows}, f"by name: {told}"
    return rows, f"array: {told}"


def _by_class(image: Shown, texts: Row) -> dict[str, list[list[int]]]:
    found: dict[str, list[list[int]]] = {}
    for text, corners in image.boxes:
        found.setdefault(str(texts[text]), []).append([*corners])
    return found


def _extent(box: Corners) -> Corners:
    return box[0], box[1], box[2] - box[0], box[3] - box[1]


def _named(names: str, label: str, text: str, numbers: Corners) -> Row:
    return {label: text, **_sides(names, numbers)}


def _sides(names: str, numbers: Corners) -> Row:
    return dict(zip(names.split(), numbers, strict=True))


_FORMS: Final[dict[str, Callable[[str, str, Corners], Any]]] = {
    "xmin": lambda label, text, box: _named("xmin ymin xmax ymax", label, text, box),
    "x1": lambda label, text, box: _named("x1 y1 x2 y2", label, text, box),
    "left": lambda label, text, box: _named("left top width height", label, text, _extent(box)),
    "xywh": lambda label, text, box: _named("x y width height", label, text, _extent(box)),
    "xywh short": lambda label, text, box: _named("x y w h", label, text, _extent(box)),
    "bbox xywh": lambda label, text, box: {label: text, "bbox": [*_extent(box)]},
    "bbox xyxy": lambda label, text, box: {label: text, "bbox": [*box]},
    "box xyxy": lambda label, text, box: {"box": [*box], label: text},
    "nested": lambda label, text, box: {label: text, "bbox": _sides("xmin ymin xmax ymax", box)},
    "array": lambda _, text, box: [*box, text],
}
