"""Random folders of images, laid out as people and tools lay them out, with what must come of each."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Final
from xml.sax.saxutils import escape

from converting import jpeg

COUNT: Final = 24
SIZE: Final = (64, 48)
PHOTOS: Final = tuple(jpeg(number, *SIZE) for number in range(COUNT))
Corners = tuple[int, int, int, int]


@dataclass(frozen=True)
class Shown:
    """An image, and what its folder says of it.

    Attributes:
      path: in the folder.
      split: train, validation, test; empty: nothing names one.
      label: of an image in folders of classes; empty: it has none.
      boxes: of an image in folders of boxes, with their labels.
    """

    path: str
    split: str
    label: str = ""
    boxes: tuple[tuple[str, Corners], ...] = ()


@dataclass(frozen=True)
class Written:
    """A folder.

    Attributes:
      files: what stands beside the images, by path.
      has_boxes: whether it is for object detection.
      source: what is converted, in the folder; empty: all of it.
    """

    shown: tuple[Shown, ...]
    files: dict[str, bytes]
    has_boxes: bool
    traits: str
    source: str = ""

    @property
    def content(self) -> bytes:
        names = "\n".join(sorted((*(each.path for each in self.shown), *self.files)))
        return self.files[self.source] if self.source else names.encode()


def write(written: Written, folder: Path) -> None:
    """Writes the images and files of a folder."""
    contents = {each.path: PHOTOS[number] for number, each in enumerate(written.shown)}
    for path, content in {**contents, **written.files}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)


CLASSES: Final = (
    ("cat", "dog"), ("cats", "dogs", "birds"), ("Healthy", "Powdery Mildew", "Rust"), ("0", "1", "2"),
    ("Apple___Black_rot", "Apple___healthy", "Corn_(maize)___Common_rust"), ("NORMAL", "PNEUMONIA"),
    ("001.Black_footed_Albatross", "002.Laysan_Albatross"), ("n02085620-Chihuahua", "n02085782-Spaniel"),
    ("Crêpe", "Müsli"), ("with_mask", "without_mask"), ("yes", "no"), ("A", "B", "C", "nothing"),
    ("good", "broken_large", "contamination"), ("10", "9", "100"), ("Class 1", "Class 2"),
)  # fmt: skip
_WORDS: Final = (
    ("train", "val", "test"), ("train", "valid", "test"), ("Train", "Validation", "Test"),
    ("train", "", "test"), ("training", "validation", "testing"), ("TRAIN", "", "TEST"), ("train", "val", ""),
    ("Training", "", "Testing"), ("training_set", "", "test_set"), ("seg_train", "", "seg_test"),
    ("train_images", "val_images", "test_images"),
)  # fmt: skip
SPLITS: Final = ("train", "validation", "test")
_NAMES: Final[tuple[Callable[[Random, int, str], str], ...]] = (
    lambda _, n, label: f"{label.replace(' ', '_')}_{n:03}.jpg",
    lambda _, n, label: f"{label} ({n}).jpg",
    lambda _, n, label: f"{label}.{n}.jpg",
    lambda _, n, __: f"{n:05}.jpg",
    lambda _, n, __: f"IMG_{4000 + n * 7}.JPG",
    lambda chance, *_: f"{chance.getrandbits(64):016x}.jpg",
    lambda _, n, __: f"image{n}.jpeg",
    lambda chance, n, __: f"2023-05-{n + 1:02}_{chance.randrange(24):02}-{chance.randrange(60):02}.jpg",
)
_OFCLASSES: Final = (
    "{split}/{label}/{name}", "{split}/{label}/{name}", "{label}/{name}", "{label}/{name}",
    "images/{label}/{name}", "images/{split}/{label}/{name}", "data/{split}/{label}/{name}",
    "{split}/images/{label}/{name}", "{split}/{split}/{label}/{name}", "{label}/{split}/{name}",
    "{label}/images/{name}", "{split}/{label}/images/{name}", "{label}/{group}/{name}",
    "pets_{split}/{label}/{name}", "archive/data/{label}/{name}", "{split}/{label}/{group}/{name}",
)  # fmt: skip
_BESIDE: Final[dict[str, bytes]] = {
    "README.txt": b"Photos of 2023.\n",
    ".DS_Store": b"\0\0\0\1Bud1",
    "LICENSE": b"CC BY 4.0\n",
    "__MACOSX/._README.txt": b"\0\5\26\7",
    "labels.txt": b"",
    "notes.json": b'{"version": 2}\n',
}


def random_folder(seed: int) -> Written:
    """The folder of a seed."""
    chance = Random(seed)
    kind = chance.random()
    made = _of_classes(chance) if kind < 0.4 else _beside_list(chance) if kind < 0.6 else _of_boxes(chance)
    wrapper = chance.choice(("", "", "", "dataset/", "archive/set/"))
    beside = chance.sample(sorted(_BESIDE), chance.choice((0, 0, 1, 2)))
    files = {wrapper + path: content for path, content in made.files.items()}
    files |= {path: _BESIDE[path] for path in beside if path not in files}
    shown = tuple(replace(each, path=wrapper + each.path) for each in made.shown)
    return replace(made, shown=shown, files=files, traits=f"{made.traits}; {wrapper} {' '.join(beside)}")


def _split_of(number: int, words: tuple[str, ...]) -> int:
    """Number of the split of an image: half of them are for training."""
    return next(at for at in ((0, 1, 0, 2)[number % 4], 0) if words[at])


def _of_classes(chance: Random) -> Written:
    layout, classes = chance.choice(_OFCLASSES), chance.choice(CLASSES)
    words, name = chance.choice(_WORDS), chance.choice(_NAMES)
    shown = []
    for number in range(COUNT):
        label = classes[(number // 4) % len(classes)]
        at = _split_of(number, words)
        parts = {
            "split": words[at],
            "label": label,
            "name": name(chance, number, label),
            "group": f"p{number // 8}",
        }
        is_split = "{split}" in layout
        shown.append(Shown(layout.format(**parts), SPLITS[at] if is_split else "", label))
    return Written(tuple(shown), {}, False, f"{layout} {words} {classes[0]}")


@dataclass(frozen=True)
class _Drawn:
    """What is drawn of a folder of boxes."""

    chance: Random
    classes: tuple[str, ...]
    words: tuple[str, ...]
    name: Callable[[Random, int, str], str]

    def images(self, layout: str) -> tuple[Shown, ...]:
        """Images in a layout, one in six of which shows nothing."""
        shown = []
        for number in range(COUNT):
            at = _split_of(number, self.words)
            name = self.name(self.chance, number, "photo").replace(" ", "_")
            split = SPLITS[at] if "{split}" in layout else ""
            boxes = tuple(self.box() for _ in range(number % 6 and self.chance.choice((1, 1, 2, 3))))
            shown.append(Shown(layout.format(split=self.words[at], name=name), split, boxes=boxes))
        return tuple(shown)

    def box(self) -> tuple[str, Corners]:
        x, y = self.chance.randrange(2, 30), self.chance.randrange(2, 20)
        corners = (x, y, x + self.chance.randrange(8, 30), y + self.chance.randrange(8, 25))
        return self.chance.choice(self.classes), corners


_OF_BOXES: Final = (
    ("cat", "dog"),
    ("raccoon",),
    ("With Mask", "No Mask"),
    ("person", "car", "traffic light"),
    ("0", "7"),
)


def _of_boxes(chance: Random) -> Written:
    drawn = _Drawn(chance, chance.choice(_OF_BOXES), chance.choice(_WORDS[:8]), chance.choice(_NAMES[3:]))
    return chance.choice((_voc, _voc, _yolo, _yolo, _coco, _coco, _listed))(drawn)


_VOC_LAYOUTS: Final = (
    ("JPEGImages/{name}", "Annotations/"), ("images/{name}", "annotations/"), ("{name}", ""),
    ("{split}/{name}", "{split}/"), ("{split}/images/{name}", "{split}/annotations/"),
    ("images/{split}/{name}", "annotations/{split}/"), ("images/{name}", "xmls/"),
    ("VOCdevkit/VOC2007/JPEGImages/{name}", "VOCdevkit/VOC2007/Annotations/"),
)  # fmt: skip


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]


def _voc(drawn: _Drawn) -> Written:
    chance = drawn.chance
    images, annotations = chance.choice(_VOC_LAYOUTS)
    has_sets = "Annotations/" in annotations and chance.random() < 0.6
    named = chance.choice(("{name}", "{name}", "{stem}", "C:\\photos\\{name}", "/home/ann/{name}"))
    size = chance.choice(("right", "right", "none", "zero"))
    shown = drawn.images(images)
    files, sets = {}, ("train", "val", "test")
    if has_sets:
        shown = tuple(replace(each, split=SPLITS[_split_of(n, sets)]) for n, each in enumerate(shown))
        for word, split in zip(sets, SPLITS, strict=True):
            lines = "".join(f"{_stem(each.path)}\n" for each in shown if each.split == split)
            place = annotations.replace("Annotations/", "ImageSets/Main/")
            files[f"{place}{word}.txt"] = lines.encode()
    for number, each in enumerate(shown):
        where = annotations.format(split=drawn.words[_split_of(number, drawn.words)])
        files[f"{where}{_stem(each.path)}.xml"] = _xml(each, named, size).encode()
    return Written(shown, files, True, f"VOC {images} {annotations} {named} {size} {has_sets}")


def _xml(shown: Shown, named: str, size: str) -> str:
    filename = named.format(name=shown.path.rpartition("/")[2], stem=_stem(shown.path))
    sizes = {"right": SIZE, "zero": (0, 0)}.get(size)
    told = (
        f"<size><width>{sizes[0]}</width><height>{sizes[1]}</height><depth>3</depth></size>" if sizes else ""
    )
    objects = "".join(
        f"<object><name>{escape(label)}</name><pose>Unspecified</pose><difficult>0</difficult><bndbox>"
        f"<xmin>{x0}</xmin><ymin>{y0}</ymin><xmax>{x1}</xmax><ymax>{y1}</ymax></bndbox></object>"
        for label, (x0, y0, x1, y1) in shown.boxes
    )
    return (
        f"<annotation><folder>x</folder><filename>{escape(filename)}</filename>{told}{objects}</annotation>\n"
    )


_YOLO_LAYOUTS: Final = (
    "images/{split}/{name}", "{split}/images/{name}", "images/{name}", "{split}/images/{name}", "{name}",
    "{split}/{name}", "obj_train_data/{name}",
)  # fmt: skip


def _yolo(drawn: _Drawn) -> Written:
    chance = drawn.chance
    layout = chance.choice(_YOLO_LAYOUTS)
    shown = drawn.images(layout)
    files: dict[str, bytes] = {}
    negative = chance.choice(("empty", "none"))
    for each in shown:
        if not each.boxes and negative == "none":
            continue
        where = each.path.replace("images/", "labels/").rpartition(".")[0]
        lines = (_yolo_line(drawn.classes.index(label), box) for label, box in each.boxes)
        files[f"{where}.txt"] = "".join(lines).encode()
    names = chance.choice(("list", "map", "classes.txt", "obj.names"))
    if names in ("list", "map"):
        files["data.yaml"] = _yaml(drawn, layout, names).encode()
    else:
        files[names] = "".join(f"{name}\n" for name in drawn.classes).encode()
    return Written(shown, files, True, f"YOLO {layout} {names} {negative}")


def _yolo_line(number: int, box: Corners) -> str:
    x0, y0, x1, y1 = box
    width, height = SIZE
    parts = (x0 + x1) / 2 / width, (y0 + y1) / 2 / height, (x1 - x0) / width, (y1 - y0) / height
    return f"{number} {' '.join(f'{part:.6f}' for part in parts)}\n"


def _yaml(drawn: _Drawn, layout: str, names: str) -> str:
    before = drawn.chance.choice(("../", "", "/content/set/", "./"))
    folder = layout.rpartition("/")[0]
    words = [word for word in drawn.words if word] if "{split}" in layout else drawn.words[:1]
    keys = dict(zip(drawn.words, ("train", "val", "test"), strict=True))
    lines = [f"{keys[word]}: {(before + folder.format(split=word)).rstrip('/') or '.'}" for word in words]
    told = json.dumps(drawn.classes)
    if names == "map":
        told = "".join(f"\n  {n}: {json.dumps(name)}" for n, name in enumerate(drawn.classes))
    return "\n".join((*lines, f"nc: {len(drawn.classes)}", f"names: {told}")) + "\n"


_SIZE: Final = {"width": SIZE[0], "height": SIZE[1]}
# Where images are, where the lists are, and what a list has before the name of an image.
_COCO_LAYOUTS: Final = (
    ("{split}2017/{name}", "annotations/instances_{split}2017.json"),
    ("{split}/{name}", "annotations/{split}.json"), ("{split}/{name}", "{split}/_annotations.coco.json"),
    ("images/{name}", "annotations.json"), ("images/{split}/{name}", "annotations/instances_{split}.json"),
    ("{name}", "_annotations.coco.json"), ("{split}/images/{name}", "{split}/annotations.json"),
    ("images/{name}", "annotations/instances_default.json"),
)  # fmt: skip


def _coco(drawn: _Drawn) -> Written:
    chance = drawn.chance
    images, lists = chance.choice(_COCO_LAYOUTS)
    shown = drawn.images(images)
    first, whole = chance.choice((0, 1, 7)), chance.choice((False, False, True))
    parts: dict[str, list[Shown]] = {}
    for number, each in enumerate(shown):
        word = drawn.words[_split_of(number, drawn.words)]
        parts.setdefault(lists.format(split=word), []).append(each)
    files = {
        path: json.dumps(_instances(drawn.classes, part, first, whole)).encode()
        for path, part in parts.items()
    }
    return Written(shown, files, True, f"COCO {images} {lists} {first} {whole}")


def _instances(classes: tuple[str, ...], shown: list[Shown], first: int, whole: bool) -> dict[str, object]:
    """Arrays of COCO.

    Args:
      first: id of the first category; others follow at gaps.
      whole: names of images have their folder.
    """
    ids = {name: first + 2 * number for number, name in enumerate(classes)}
    boxes = [(image, label, box) for image, each in enumerate(shown) for label, box in each.boxes]
    return {
        "images": [
            {"id": n, "file_name": each.path[0 if whole else each.path.rfind("/") + 1 :], **_SIZE}
            for n, each in enumerate(shown)
        ],
        "annotations": [
            {"id": n, "image_id": image, "category_id": ids[label], "iscrowd": 0, "bbox": list(_extent(box))}
            for n, (image, label, box) in enumerate(boxes)
        ],
        "categories": [{"id": n, "name": name, "supercategory": "thing"} for name, n in ids.items()],
    }  # fmt: skip


def _extent(box: Corners) -> Iterator[float]:
    x0, y0, x1, y1 = box
    yield from (float(x0), float(y0), float(x1 - x0), float(y1 - y0))


# Where images are, and a list of boxes for each split or of all.
_LISTED_LAYOUTS: Final = (
    ("{split}/{name}", "{split}/_annotations.csv"), ("images/{split}/{name}", "{split}_labels.csv"),
    ("images/{name}", "annotations.csv"), ("{split}/{name}", "{split}/_annotations.createml.json"),
    ("images/{name}", "data/{split}.csv"), ("{split}/{name}", "{split}.csv"),
)  # fmt: skip


def _listed(drawn: _Drawn) -> Written:
    """Images with boxes in tables, or in CreateML's JSON."""
    images, lists = drawn.chance.choice(_LISTED_LAYOUTS)
    parts: dict[str, list[Shown]] = {}
    shown = []
    for number, each in enumerate(drawn.images(images)):
        at = _split_of(number, drawn.words)
        split = SPLITS[at] if "{split}" in images + lists else ""
        if lists.endswith("csv"):  # such a list does not name what shows nothing
            each = replace(each, boxes=each.boxes or (drawn.box(),))
        shown.append(replace(each, split=split))
        parts.setdefault(lists.format(split=drawn.words[at]), []).append(each)
    write = _createml if lists.endswith("json") else _table_of_boxes
    files = {path: write(part).encode() for path, part in parts.items()}
    return Written(tuple(shown), files, True, f"listed {images} {lists} {drawn.words}")


def _table_of_boxes(shown: list[Shown]) -> str:
    rows = ["filename,width,height,class,xmin,ymin,xmax,ymax"]
    for each in shown:
        name = each.path.rpartition("/")[2]
        rows += [f"{name},{SIZE[0]},{SIZE[1]},{label},{','.join(map(str, box))}" for label, box in each.boxes]
    return "\n".join(rows) + "\n"


def _createml(shown: list[Shown]) -> str:
    def coordinates(box: Corners) -> dict[str, float]:
        x0, y0, x1, y1 = box
        return {"x": (x0 + x1) / 2, "y": (y0 + y1) / 2, "width": x1 - x0, "height": y1 - y0}

    return json.dumps(
        [
            {
                "image": each.path.rpartition("/")[2],
                "annotations": [
                    {"label": label, "coordinates": coordinates(box)} for label, box in each.boxes
                ],
            }
            for each in shown
        ]
    )


_BESIDE_LISTS: Final = (
    ("images/{name}", "labels.csv"), ("images/{name}", "{split}.csv"), ("{name}", "labels.csv"),
    ("{split}/{name}", "{split}.csv"), ("{split}_images/{name}", "{split}.csv"),
    ("images/{name}", "data.json"), ("train/{name}", "train.csv"), ("img/{name}", "metadata/{split}.csv"),
    ("images/{name}", "list.txt"),
)  # fmt: skip


def _beside_list(chance: Random) -> Written:
    """Images in one folder, or in those of splits, whose labels are in a list beside."""
    images, lists = chance.choice(_BESIDE_LISTS)
    classes, words, name = chance.choice(CLASSES), chance.choice(_WORDS[:9]), chance.choice(_NAMES[3:])
    columns = chance.choice(
        (("image", "label"), ("filename", "class"), ("id", "breed"), ("image_id", "species"))
    )
    named = chance.choice(("name", "stem", "path")) if lists.endswith("csv") else "name"
    shown, rows = [], {}
    for number in range(COUNT):
        at, label = _split_of(number, words), classes[(number // 4) % len(classes)]
        path = images.format(split=words[at], name=name(chance, number, label))
        shown.append(Shown(path, SPLITS[at] if "{split}" in images + lists else "", label))
        called = {"name": path.rpartition("/")[2], "stem": _stem(path), "path": path}[named]
        rows.setdefault(lists.format(split=words[at]), []).append((called, label))
    files = {path: _list_of(path, columns, part) for path, part in rows.items()}
    return Written(
        tuple(shown), files, False, f"beside {images} {lists} {named} {columns} {words} {classes[0]}"
    )


def _list_of(path: str, columns: tuple[str, str], rows: list[tuple[str, str]]) -> bytes:
    if path.endswith("json"):
        return json.dumps(dict(rows)).encode()
    if path.endswith("txt"):
        return "".join(f"{name}\t{label}\n" for name, label in rows).encode()
    return "".join(f"{','.join(row)}\n" for row in (columns, *rows)).encode()
