"""Documents that hold images beside other things: where these are, and the command that makes JSON Lines.

`{"classes": ["cat"], "frames": {"a.jpg": {"subset": "train", "label": 0}}}`: objects in an array, by their
names or by ids, labels or boxes by image, pairs, images by class; under a key, or under those of splits.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final

from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import IMAGE_EXTENSION, KNOWN_COLUMNS, known_columns, likely_columns
from tfrecordcli.sources.json.inner_keys import leaves_of
from tfrecordcli.sources.made_list import made_by
from tfrecordcli.sources.pandas_commands import literal
from tfrecordcli.split_words import SPLIT_WORDS

_DIGITS: Final = "0123456789_-"  # behind a split, as in train2017
_MARKS: Final = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\Z)|[\[{\]},]')
_HEAD: Final = 1 << 14  # characters that show the first images
_DEEPEST: Final = 2  # keys above images
_NUMBERS: Final = 5  # of an array that is a box with the number of its class
_PAIR: Final = 2
_MOST: Final = 3  # images in an object of one
# Words in keys of what is told of the whole list.
_OF_CLASSES: Final = ("class", "label", "categor", "names")
_AROUND: Final = ("data", "dataset", "info", "meta", "metadata")  # names of classes
_ASIDE: Final = (*_OF_CLASSES, "info", "licen", "meta")
# Names of classes by their numbers ``u``, as ``n``: an array, from 0 or 1, objects with ids, or an object of
# either by the other. ``x`` are the images, which may be called so as well.
NAMES: Final = (
    'h = lambda v: ((dict(enumerate(v, len(v) in u)) if {0, len(v)} & u else {"": v}) '
    "if all(isinstance(c, str) for c in v) else "
    '{c["id"]: c["name"] for c in v if isinstance(c, dict) and {"id", "name"} <= {*c}}) '
    "if isinstance(v, list) else "
    "{int(k): c for k, c in v.items() if k.isdecimal() and isinstance(c, str)} "
    "or {c: k for k, c in v.items() if type(c) is int}; "
    f'c = [h(v) for o in (t, *map(t.get, "{" ".join(_AROUND)}".split())) '
    "if isinstance(o, dict) and o is not x for k, v in o.items() "
    "if v and v is not x and isinstance(v, (list, dict)) "
    f'and any(w in k.lower() for w in "{" ".join(_OF_CLASSES)}".split())]; '
    "n = next((m for m in c if m and u <= {*m}), {}); "
    'u and any(c) and not n and sys.exit(f"numbers of classes: {u}, names: {c}"); '
)
_WORD: Final = f'k.lower().rstrip("{_DIGITS}")'
_IS_SPLIT: Final = f'{_WORD} in "{" ".join(SPLIT_WORDS)}".split()'


@dataclass(frozen=True, slots=True)
class Place:
    """Where images are.

    Attributes:
      code: Python for an array of objects, one of each, in the document ``t``.
      rows: the first of them.
      top: key of the document that leads to them; empty: those of splits do; None: they are all there is.
      base: Python for what holds them, but where keys of splits do.
      is_cut: whether more may stand beside them.
      classes: how many have a name in what was seen of the document, at most.
    """

    code: str
    rows: list[dict[str, Any]]
    top: str | None
    base: str
    is_cut: bool = False
    classes: int = 0

    @property
    def may_be_named(self) -> bool:
        """Whether names of classes may stand beside them."""
        return self.is_cut or self.classes > 0

    @property
    def is_told(self) -> str:
        """Python that says whether a key ``k`` of the document leads to them."""
        return f"k == {literal(self.top)}" if self.top else _IS_SPLIT

    def leads(self, key: str) -> bool:
        """The same of a key."""
        return key == self.top if self.top else _is_split(key)


@dataclass(frozen=True, slots=True)
class _Shape:
    """How one value holds images.

    Attributes:
      code: Python for an array of objects, with a place for the value.
      rows: what that gives.
    """

    code: str
    rows: list[dict[str, Any]]


def places_in(text: str) -> list[Place]:
    """All places of images in the text of a document, which may be cut."""
    return _first_places(text)[1]


def holds_images(text: str) -> bool:
    """Whether a key of a document leads to images, of which no other is sure to tell more."""
    document, found = _first_places(text)
    return len(found) == 1 and found[0].top is not None and not _others(document, found[0])


def lines_of_images(name: str) -> str:
    """As `lines_of_document`, of a file in UTF-8 that may be COCO's, or a relative of it."""
    if not os.path.isfile(name):
        return ""
    with open(name, encoding="utf-8-sig", errors="ignore") as file:
        return lines_of_document(file.read(_HEAD), name, may_be_coco=True)


def lines_of_document(text: str, name: str, *, may_be_coco: bool = False) -> str:
    """A hint with the command that writes a line of each image; empty where it is not certain which they are.

    Args:
      text: the first of the file.
      name: of the file.
      may_be_coco: whether images that have the keys of COCO's may have their labels elsewhere.
    """
    document, found = _first_places(text)
    if len(found) != 1 or found[0].code == "t" or _others(document, found[0]):
        return ""
    place, label = found[0], _label_of(found[0])
    if may_be_coco and any(_is_of_coco(row, has_label=bool(label)) for row in place.rows):
        return ""
    code = _python_of(place, label if _are_numbers(place.rows, label) else "")
    code = code.replace("{", "{{").replace("}", "}}")
    return made_by("", f"{command_line(['python', '-c', code])} {{name}}", name, as_lines=True)


def _is_of_coco(row: Mapping[str, Any], *, has_label: bool) -> bool:
    """Whether an image has boxes, or keys of COCO's and no label."""
    has_keys = {"id", "file_name"} <= row.keys()
    return (has_keys and not has_label) or any(map(_are_objects, row.values()))


def _first_places(text: str) -> tuple[Any, list[Place]]:
    """(what can be read of a text, the places of images in that)."""
    for value, is_cut in _beginnings(text):
        if found := list(_places(value, "t", None)):
            return value, [_as_seen(place, value, is_cut) for place in found]
    return None, []


def _as_seen(place: Place, document: Any, is_cut: bool) -> Place:
    """A place with what is beside it."""
    if place.top is None:
        return place
    around = [each for each in (document, *map(document.get, _AROUND)) if isinstance(each, dict)]
    named = [v for each in around for k, v in each.items() if k != place.top and _is_of(_OF_CLASSES, k)]
    counts = [len(each) for each in named if isinstance(each, list | dict)]
    return replace(place, is_cut=is_cut, classes=max(counts, default=0))


def _is_of(words: Sequence[str], key: str) -> bool:
    return any(word in key.lower() for word in words)


def _others(document: Any, place: Place) -> list[str]:
    """Keys of a document that hold arrays of arrays or objects, or objects by the same keys as images."""
    if place.top is None:
        return []
    others = {k: v for k, v in document.items() if not place.leads(k) and not _is_of(_ASIDE, k)}
    keys = {key for held in document.items() if place.leads(held[0]) for key in _keys_of(held[1])}
    return [
        key for key, value in others.items() if _has_arrays(value) or not keys.isdisjoint(_keys_of(value))
    ]


def _keys_of(value: Any) -> Iterable[str]:
    return value if isinstance(value, dict) else ()


def _has_arrays(value: Any) -> bool:
    """Whether arrays stand in a value, or objects in an array."""
    inner = [*value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    return any(isinstance(e, list) or (isinstance(value, list) and isinstance(e, dict)) for e in inner)


def _python_of(place: Place, label: str) -> str:
    """Python that prints the lines.

    Args:
      label: key of numbers that may be those of classes with names; empty: there is none.
    """
    code = 'import json, sys; t = json.load(open(sys.argv[1], encoding="utf-8-sig")); '
    if place.is_cut:
        code += (
            "o = [k for k, v in t.items() if "
            "any(isinstance(e, list) or isinstance(v, list) and isinstance(e, dict) for e in "
            "(v.values() if isinstance(v, dict) else v if isinstance(v, list) else ())) "
            f'and not ({place.is_told} or any(w in k.lower() for w in "{" ".join(_ASIDE)}".split()))]; '
            'o and sys.exit(f"several: {o}"); '
        )
    if not label or not place.may_be_named:
        return f"{code}[print(json.dumps(r)) for r in {place.code}]"
    return (
        f"{code}g = {place.code}; L, x = {literal(label)}, {place.base}; "
        "u = {c for r in g for v in [r.get(L)] for c in (v if isinstance(v, list) else [v])} - {None}; "
        f"{NAMES}f = lambda v: [n.get(c, c) for c in v] if isinstance(v, list) else n.get(v, v); "
        "[print(json.dumps({k: f(v) if k == L else v for k, v in r.items()})) for r in g]"
    )


def _beginnings(text: str) -> Iterator[tuple[Any, bool]]:
    """(value of a text, whether it is cut): without the elements that are, at one of three depths."""
    with suppress(ValueError, RecursionError):
        yield json.loads(text), False
        return
    cuts: dict[int, tuple[int, str]] = {}
    closing = ""
    for mark in _MARKS.finditer(text):
        if mark[0] in "[{":
            closing = "]}"[mark[0] == "{"] + closing
        elif mark[0] in "]}":
            closing = closing[1:]
        elif mark[0] == ",":
            cuts[len(closing)] = mark.start(), closing
    for depth in (1,) if text.lstrip().startswith("[") else (2, 3, 1):
        if depth in cuts:
            end, closing = cuts[depth]
            with suppress(ValueError, RecursionError):
                yield json.loads(text[:end] + closing), True


def _places(value: Any, code: str, top: str | None) -> Iterator[Place]:
    """The places of images in a value.

    Args:
      code: Python for it.
      top: the key of the document that leads there, if there is one.
    """
    if shape := _shape(value):
        yield Place(shape.code % code, shape.rows, top, code)
        return
    if not isinstance(value, dict):
        return
    shapes = {key: shape for key, part in value.items() if _is_split(key) and (shape := _shape(part))}
    if shapes and len({shape.code for shape in shapes.values()}) == 1:
        (inner, *_) = (shape.code for shape in shapes.values())
        rows = [{"split": _word_of(key), **row} for key, shape in shapes.items() for row in shape.rows]
        place = (
            f'[{{"split": {_WORD}, **r}} for k, v in {code}.items() if {_IS_SPLIT} for r in {inner % "v"}]'
        )
        yield Place(place, rows, top or "", "None" if top is None else code)
        value = {key: part for key, part in value.items() if not _is_split(key)}
    for key, part in value.items():
        if code.count("[") < _DEEPEST:
            yield from _places(part, f"{code}[{literal(key)}]", key if top is None else top)


def _word_of(key: str) -> str:
    return key.lower().rstrip(_DIGITS)


def _is_split(key: str) -> bool:
    return _word_of(key) in SPLIT_WORDS


def _shape(value: Any) -> _Shape | None:
    """How a value holds images; None: it holds none, or it is not certain how."""
    if not value or not isinstance(value, list | dict):
        return None
    if isinstance(value, list):
        if all(isinstance(row, dict) and _names_image(row) for row in value):
            return _Shape("%s", value)
        are_pairs = all(isinstance(row, list) and len(row) == _PAIR and is_image(row[0]) for row in value)
        return _by_name([(image, told) for image, told in value], "%s") if are_pairs else None
    if all(map(is_image, value)):
        return _by_name([*value.items()], "%s.items()")
    rows = [row for row in value.values() if isinstance(row, dict)]
    are_columns = all(map(str.isdecimal, chain.from_iterable(rows)))  # of pandas
    if rows and all(map(_names_image, rows)) and not are_columns:
        return _Shape("[r for r in %s.values() if isinstance(r, dict)]", rows)
    return _in_arrays(value)


def _in_arrays(value: dict[str, Any]) -> _Shape | None:
    """How arrays hold images: those of each class, or one of them beside others of what is told of each."""
    arrays = [array for array in value.values() if isinstance(array, list)]
    of_images = [array for array in arrays if array and all(map(is_image, array))]
    if not of_images or len(arrays) < len(value) or any(map(_is_split, value)):
        return None
    if len(of_images) == len(arrays):
        labelled = [{"image": image, "label": _number(key)} for key in value for image in value[key]]
        number = "int(c) if c.isdecimal() and str(int(c)) == c else c"
        return _Shape(f'[{{"image": i, "label": {number}}} for c, w in %s.items() for i in w]', labelled)
    if len({*map(len, arrays)}) > 1:
        return None
    rows = [dict(zip(value, told, strict=True)) for told in zip(*arrays, strict=True)]
    return _Shape("(lambda d: [dict(zip(d, w)) for w in zip(*d.values(), strict=True)])(%s)", rows)


def _number(key: str) -> int | str:
    return int(key) if key.isdecimal() and str(int(key)) == key else key


# What is told of an image ``i`` as ``w``: how that looks, and Python for the object of it.
_TOLD: Final[tuple[tuple[Callable[[Any], bool], str, Callable[[Any], dict[str, Any]]], ...]] = (
    (lambda told: isinstance(told, dict), "**w", dict),
    (lambda told: isinstance(told, str | int) and not isinstance(told, bool), '"label": w',
     lambda told: {"label": told}),
    (lambda told: _are(told, lambda box: isinstance(box, dict) or _is_array_with_text(box)), '"objects": w',
     lambda told: {"objects": told}),
    (lambda told: _are(told, lambda box: _are_numbers_of(box, _NUMBERS)),
     '"boxes": [b[:4] for b in w], "labels": [b[4] for b in w]',
     lambda told: {"boxes": [box[:4] for box in told], "labels": [box[4] for box in told]}),
    (lambda told: _are(told, lambda box: _are_numbers_of(box, _NUMBERS - 1)),
     '"boxes": w, "labels": ["object" for b in w]',
     lambda told: {"boxes": told, "labels": ["object" for _ in told]}),
    (lambda told: _are(told, lambda label: isinstance(label, str) and " " not in label), '"labels": w',
     lambda told: {"labels": told}),
)  # fmt: skip


def _by_name(pairs: list[tuple[str, Any]], code: str) -> _Shape | None:
    """How images hold what is told of each; None: not all do in one way."""
    if all(told == [] for _, told in pairs):
        return None
    for looks_so, inner, row in _TOLD:
        if all(looks_so(told) for _, told in pairs):
            place = f'[{{{inner}, "image": i}} for i, w in {code}]'
            return _Shape(place, [{**row(told), "image": image} for image, told in pairs])
    return None


def _are(told: Any, looks_so: Callable[[Any], bool]) -> bool:
    return isinstance(told, list) and all(map(looks_so, told))


def _is_array_with_text(box: Any) -> bool:
    return isinstance(box, list) and any(isinstance(value, str) for value in box)


def _are_numbers_of(box: Any, count: int) -> bool:
    return isinstance(box, list) and len(box) == count and all(type(value) in (int, float) for value in box)


def is_image(value: Any) -> bool:
    """Whether this is text that ends as names of images do."""
    return isinstance(value, str) and IMAGE_EXTENSION.search(value) is not None


def _names_image(row: Mapping[str, Any]) -> bool:
    """Whether an object, or one in it, has an image under some key."""
    texts = [(key, value) for key, value in leaves_of(row) if isinstance(value, str) and value]
    images = [value for _, value in texts if is_image(value)]
    return len(images) <= _MOST and bool(
        images or any(key.lower() in KNOWN_COLUMNS["image_uri"] for key, _ in texts)
    )


def _label_of(place: Place) -> str:
    """The key that labels are under, by its name, or of numbers as classes have; empty: none, or several."""
    keys = [*dict.fromkeys(chain.from_iterable(place.rows))]
    keys = [key for key in keys if not any(_are_objects(row.get(key)) for row in place.rows)]
    called = known_columns(keys, "label") or likely_columns(keys, "label")
    found = [keys[number] for number in called] or numbers_of_classes(place.rows, keys, place.classes)
    return found[0] if len(found) == 1 else ""


def numbers_of_classes(rows: Sequence[Mapping[str, Any]], keys: Sequence[str], classes: int) -> list[str]:
    """Those keys under which all have a number of as many classes, but ids."""
    keys = [key for key in keys if not key.lower().endswith("id")]
    return [key for key in keys if all(type(v := row.get(key)) is int and 0 <= v <= classes for row in rows)]


def _are_objects(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(each, dict) for each in value)


def _are_numbers(rows: list[dict[str, Any]], label: str) -> bool:
    """Whether labels under a key are whole numbers, alone or in arrays."""
    told = [row.get(label) for row in rows]
    each = [*chain.from_iterable(value if isinstance(value, list) else [value] for value in told)]
    return all(type(value) in (int, type(None)) for value in each) and any(type(v) is int for v in each)
