"""Random lists of images and their labels, written as people write them, with what must come of each."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

from converting import jpeg

COUNT: Final = 24
PHOTOS: Final = tuple(jpeg(number) for number in range(COUNT))
Row = dict[str, str]


@dataclass(frozen=True)
class Shown:
    """An image, and what a list says of it.

    Attributes:
      path: relative to the folder of the list.
      split: that the list names; empty: it names none.
      labels: of the image, in any order; of a number to predict, that.
      numbered: the same as ids, where the list has both.
    """

    path: str
    split: str
    labels: tuple[str, ...]
    numbered: tuple[str, ...] = ()


@dataclass(frozen=True)
class Written:
    """A list, and what it names.

    Attributes:
      is_target: whether numbers are to be predicted.
      labels: columns that hold them, or labels.
    """

    name: str
    content: bytes
    shown: tuple[Shown, ...]
    is_target: bool
    labels: frozenset[str]
    traits: str


@dataclass(frozen=True)
class Naming:
    """How a list names images.

    Attributes:
      path: where the image of a number is.
      field: what the list has for it.
      columns: what such columns are called.
    """

    path: Callable[[int], str]
    field: Callable[[str], str]
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Labelling:
    """How a list tells labels.

    Attributes:
      draw: the labels of one image.
      write: the columns of an image with these.
      columns: what the column of labels is called; empty: `write` says.
      is_target: whether numbers are to be predicted.
      number: ids of labels, where the list has both.
    """

    draw: Callable[[Random], tuple[str, ...]]
    columns: tuple[str, ...]
    write: Callable[[str, tuple[str, ...]], Row] = lambda column, labels: {column: labels[0]}
    is_target: bool = False
    number: Callable[[tuple[str, ...]], tuple[str, ...]] = lambda _: ()


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".jpg")


def _name(path: str) -> str:
    return path.rpartition("/")[2]


_FILES: Final = (
    "image", "filename", "file_name", "image_path", "path", "img", "Filename", "image_name", "photo", "file",
    "img_name", "Image Index", "img_path", "FilePath", "images", "picture",
)  # fmt: skip
_IDS: Final = ("image_id", "id", "Id", "id_code", "ImageID", "image_name", "img_id", "isic_id", "uuid")
NAMINGS: Final = (
    Naming(lambda n: f"photo_{n:02}.jpg", str, _FILES),
    Naming(lambda n: f"images/photo_{n:02}.jpg", str, _FILES),
    Naming(lambda n: f"images/photo_{n:02}.jpg", _name, _FILES),
    Naming(lambda n: f"images/photo_{n:02}.jpg", lambda path: path.replace("/", "\\"), _FILES),
    Naming(lambda n: f"photo_{n:02}.jpg", lambda path: f"./{path}", _FILES),
    Naming(lambda n: f"images/photo_{n:02}.jpg", lambda path: f"/data/old/{path}", _FILES),
    Naming(lambda n: f"images/photo_{n:02}.jpg", lambda path: f"../input/set/{path}", _FILES),
    Naming(lambda n: f"train_images/{n * 7919 + 10007:08x}.jpg", _stem, _IDS),
    Naming(lambda n: f"ISIC_{n * 131 + 24306:07}.jpg", _stem, _IDS),
    Naming(lambda n: f"train/{n + 1}.jpg", _stem, _IDS),
    Naming(lambda n: f"images/{n + 1:05}.jpg", lambda path: str(int(_stem(path))), _IDS),
)
_CLASSES: Final = (
    ("cat", "dog"), ("cat", "dog", "bird"), ("healthy", "rust", "scab", "multiple_diseases"),
    ("golden retriever", "border collie", "pug"), ("Benign", "Malignant"), ("yes", "no"), ("0", "1"),
    ("0", "1", "2", "3", "4"), ("1", "2", "3"), ("MEL", "NV", "BCC", "AK"), ("A", "B"),
    ("n02085620", "n02085782"), ("True", "False"), ("Class_1", "Class_2", "Class_3"),
)  # fmt: skip
_LABELS: Final = (
    "label", "class", "category", "target", "diagnosis", "species", "breed", "y", "level", "dx", "Label",
    "class_name", "has_tumor", "is_defect", "type", "disease", "grade", "stage", "quality", "emotion",
    "variety", "ground_truth", "label_name", "Category", "CLASS", "cultivar", "material",
)  # fmt: skip


def _of_one(classes: tuple[str, ...]) -> Labelling:
    return Labelling(lambda chance: (chance.choice(classes),), _LABELS)


def _with_number(classes: tuple[str, ...]) -> Labelling:
    def write(columns: str, labels: tuple[str, ...]) -> Row:
        number, word = columns.split()
        return {number: numbered(labels)[0], word: labels[0]}

    def numbered(labels: tuple[str, ...]) -> tuple[str, ...]:
        return (str(classes.index(labels[0])),)

    pairs = "label_id label", "class_id class_name", "target species", "category_id category"
    return Labelling(lambda chance: (chance.choice(classes),), pairs, write, number=numbered)


def _one_hot(classes: tuple[str, ...], yes: str, no: str) -> Labelling:
    return Labelling(
        lambda chance: (chance.choice(classes),),
        ("",),
        lambda _, labels: {name: yes if name in labels else no for name in classes},
    )


_FINDINGS: Final = ("Edema", "Mass", "Nodule", "Effusion")


def _several(chance: Random) -> tuple[str, ...]:
    return tuple(chance.sample(_FINDINGS, chance.choice((1, 1, 2, 3))))


def _joined(join: Callable[[tuple[str, ...]], str], *columns: str) -> Labelling:
    return Labelling(_several, columns, lambda column, labels: {column: join(labels)})


LABELLINGS: Final = (
    *(_of_one(classes) for classes in _CLASSES for _ in range(2)),
    *(_with_number(classes) for classes in _CLASSES[:4]),
    _one_hot(("healthy", "rust", "scab"), "1", "0"),
    _one_hot(("MEL", "NV", "BCC"), "1.0", "0.0"),
    Labelling(_several, ("",), lambda _, labels: {name: str(int(name in labels)) for name in _FINDINGS}),
    *(_joined(each.join, "labels", "Finding Labels", "tags", "label") for each in (" ", "|", ";", ",", ", ")),
    _joined(lambda labels: str([*labels]), "labels", "tags", "classes"),
    _joined(json.dumps, "labels", "categories"),
    Labelling(
        lambda chance: (f"{chance.uniform(1, 99):.2f}",),
        ("score", "age", "MOS", "weight", "price", "Pawpularity"),
        is_target=True,
    ),
)  # fmt: skip
_SPLITS: Final = (
    *((name, words) for name in ("split", "set", "subset", "Usage", "partition", "dataset") for words in (
        ("train", "val", "test"), ("TRAIN", "VALIDATION", "TEST"), ("Train", "Valid", "Test"),
        ("training", "validation", "testing"),
    )),
    ("data set", ("train", "valid", "test")),
)  # fmt: skip
_AGES: Final = (23, 35, 41, 41, 52, 60, 67, 71)
FURTHER: Final[dict[str, Callable[[Random, int], str]]] = {
    "": lambda _, n: str(n),
    "age": lambda chance, _: str(chance.choice(_AGES)),
    "sex": lambda chance, _: chance.choice(("male", "female")),
    "patient_id": lambda _, n: f"P{n // 2:03}",
    "width": lambda chance, _: str(chance.choice((640, 800))),
    "height": lambda chance, _: str(chance.choice((480, 600))),
    "confidence": lambda chance, _: f"{chance.uniform(0.5, 1):.3f}",
    "md5": lambda chance, _: f"{chance.getrandbits(128):032x}",
    "annotator": lambda chance, _: chance.choice(("ann", "bob")),
    "date": lambda chance, _: f"2023-05-{chance.randint(1, 28):02}",
    "description": lambda chance, n: f"A photo, number {n}, of {chance.choice(('the yard', 'a street'))}",
    "lat": lambda chance, _: f"{chance.uniform(40, 50):.5f}",
    "lon": lambda chance, _: f"{chance.uniform(5, 15):.5f}",
    "source": lambda *_: "web",
    "camera": lambda chance, _: chance.choice(("Canon", "Nikon")),
    "size_kb": lambda chance, _: str(chance.randint(20, 900)),
    "comment": lambda chance, _: chance.choice(("", "", "", "blurred")),
    "localization": lambda chance, _: chance.choice(("back", "arm", "face")),
    "source_url": lambda _, n: f"https://example.com/photos/{n}",
    "is_verified": lambda chance, _: chance.choice(("0", "1")),
}


@dataclass(frozen=True)
class _Manner:
    """All that is drawn of how a list is written."""

    naming: Naming
    labelling: Labelling
    image: str
    label: str
    split: str
    words: tuple[str, ...]
    further: tuple[str, ...]
    chance: Random = field(repr=False, compare=False)


def images_of(written: Written, folder: Path) -> None:
    """Writes the images that a list names."""
    for number, shown in enumerate(written.shown):
        path = folder / shown.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(PHOTOS[number])


def _manner(chance: Random) -> _Manner:
    naming, labelling = chance.choice(NAMINGS), chance.choice(LABELLINGS)
    split, words = chance.choice(_SPLITS) if chance.random() < 0.35 else ("", ())
    further = tuple(chance.sample([*FURTHER], chance.choice((0, 0, 1, 2, 3, 5))))
    image, label = chance.choice(naming.columns), chance.choice(labelling.columns)
    return _Manner(naming, labelling, image, label, split, words, further, chance)


def random_list(seed: int) -> Written:
    """The list of a seed."""
    chance = Random(seed)
    how = _manner(chance)
    shown = tuple(
        Shown(
            how.naming.path(number),
            how.words[number % 3 if number % 4 == 0 else 0] if how.split else "",
            labels := how.labelling.draw(chance),
            how.labelling.number(labels),
        )
        for number in range(COUNT)
    )
    rows = [_row(how, number, each) for number, each in enumerate(shown)]
    columns = [name for name in rows[0] if name]
    labels = frozenset(how.labelling.write(how.label, shown[0].labels))
    if chance.random() < 0.4:
        chance.shuffle(columns)
    columns = [*[""][: "" in how.further], *columns]
    traits = (
        f"{how.image}: {rows[0][how.image]}; {how.label or 'one-hot'}: {'/'.join(shown[0].labels)}; "
        f"{how.split} {'+'.join(how.further)}"
    )
    # Numbers of JSON are no names of images.
    if "" not in how.further and chance.random() < 0.15 and not rows[0][how.image].isdecimal():
        lines = (json.dumps({name: _typed(row[name]) for name in columns}) for row in rows)
        content = "".join(f"{line}\n" for line in lines).encode()
        return Written("list.jsonl", content, shown, how.labelling.is_target, labels, traits)
    text = io.StringIO()
    writer = csv.writer(
        text,
        delimiter=chance.choice(",,,,;\t"),
        quoting=csv.QUOTE_ALL if chance.random() < 0.1 else csv.QUOTE_MINIMAL,
        lineterminator="\r\n" if chance.random() < 0.2 else "\n",
    )
    writer.writerow(columns)
    writer.writerows([row[name] for name in columns] for row in rows)
    content = text.getvalue().encode("utf-8-sig" if chance.random() < 0.1 else "utf-8")
    return Written("list.csv", content, shown, how.labelling.is_target, labels, traits)


def _row(how: _Manner, number: int, shown: Shown) -> Row:
    fields = {how.image: how.naming.field(shown.path), **how.labelling.write(how.label, shown.labels)}
    fields |= {how.split: shown.split} if how.split else {}
    further = {name: FURTHER[name](how.chance, number) for name in how.further}
    return {**{name: value for name, value in further.items() if name not in fields}, **fields}


def _typed(field: str) -> object:
    try:
        return json.loads(field)
    except ValueError:
        return field
