"""Where images stand in a document of JSON: in arrays, by their names, by class or in columns, under keys."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final

from tfrecordcli.sources.column_words import IMAGE_EXTENSION, KNOWN_COLUMNS
from tfrecordcli.sources.json.inner_keys import leaves_of
from tfrecordcli.sources.pandas_commands import literal
from tfrecordcli.split_words import SPLIT_WORDS

_DIGITS: Final = "0123456789_-"  # behind a split, as in train2017
# Texts, brackets and commas; a text may be cut.
_MARKS: Final = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\Z)|[\[{\]},]')
_DEEPEST: Final = 2  # keys above images
_NUMBERS: Final = 5  # of an array that is a box with the number of its class
_PAIR: Final = 2
_MOST: Final = 3  # images in an object of one

# Words in keys of what is told of the whole list.
OF_CLASSES: Final = ("class", "label", "categor", "names")
AROUND: Final = ("data", "dataset", "info", "meta", "metadata")  # names of classes
# Python for a key ``k`` without what is behind a split, and whether it is one.
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
    return first_places(text)[1]


def first_places(text: str) -> tuple[Any, list[Place]]:
    """(what can be read of a text, the places of images in that)."""
    for value, is_cut in _beginnings(text):
        if found := list(_places(value, "t", None)):
            return value, [_as_seen(place, value, is_cut) for place in found]
    return None, []


def _as_seen(place: Place, document: Any, is_cut: bool) -> Place:
    """A place with what is beside it."""
    if place.top is None:
        return place
    around = [each for each in (document, *map(document.get, AROUND)) if isinstance(each, dict)]
    named = [v for each in around for k, v in each.items() if k != place.top and is_of(OF_CLASSES, k)]
    counts = [len(each) for each in named if isinstance(each, list | dict)]
    return replace(place, is_cut=is_cut, classes=max(counts, default=0))


def is_of(words: Sequence[str], key: str) -> bool:
    return any(word in key.lower() for word in words)


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
        if all(isinstance(row, list) and _are_numbered(row) for row in value):
            labelled = [{"image": image, "label": name} for image, _, name in value]
            return _Shape('[{"image": i, "label": w} for i, _, w in %s]', labelled)
        are_pairs = all(isinstance(row, list) and len(row) == _PAIR and is_image(row[0]) for row in value)
        return _by_name([(image, told) for image, told in value], "%s") if are_pairs else None
    if all(map(is_image, value)):
        return _by_name([*value.items()], "%s.items()")
    rows = [row for row in value.values() if isinstance(row, dict)]
    are_columns = all(map(str.isdecimal, chain.from_iterable(rows)))  # of pandas
    if rows and all(map(_names_image, rows)) and not are_columns:
        return _Shape("[r for r in %s.values() if isinstance(r, dict)]", rows)
    return _in_arrays(value)


def _are_numbered(row: list[Any]) -> bool:
    """Whether these are an image, the number of its class and the name, as in CoOp's lists."""
    return [*map(type, row)] == [str, int, str] and is_image(row[0])


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
