"""Keys that a box has in JSON: those of its sides, its label and its attributes."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from tfrecordcli.errors import InputError
from tfrecordcli.schema import ATTRIBUTES
from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import columns_beside_boxes
from tfrecordcli.sources.made_list import made_by

SIDES: Final = ("xmin", "ymin", "xmax", "ymax")
EXTENT: Final = ("left", "top", "width", "height")
LABELS: Final = ("label", "class", "class_name", "category", "name")
HUGGING_FACE_BOXES: Final = ("bbox", "bboxes", "boxes")
HUGGING_FACE_LABELS: Final = ("category", "categories", "label", "labels", "category_id", "class")
HUGGING_FACE_NAMES: Final = ("class_name", "name")  # labels where there is none of those
_NO_LABELS: Final = frozenset((*SIDES, *EXTENT, *HUGGING_FACE_BOXES, "id"))
# Keys of four numbers that are a box in a form which nothing says; a region may be around one.
_REGIONS: Final = frozenset(("region", "roi"))
_PLACES: Final = _REGIONS | {"box", "boundingbox", "bndbox", "coordinates", "coords", "rect", "rectangle"}
# iscrowd, isCrowd, is_crowd and crowd are one.
_FLAGS: Final = {name.removeprefix("is_").replace("_", ""): name for name in ATTRIBUTES} | {"pose": "view"}


def attribute_called(key: str) -> str | None:
    """The attribute that a key stands for."""
    return _FLAGS.get(key.lower().replace("_", "").removeprefix("is"))


def is_place(key: str) -> bool:
    """Whether four numbers under this key are a box, by its name."""
    return _plain(key) in _PLACES


def is_region(key: str) -> bool:
    """Whether four numbers under this key may be around a box."""
    return _plain(key) in _REGIONS


def _plain(key: str) -> str:
    return key.lower().replace("_", "").replace("-", "")


def label_keys(element: Mapping[str, Any], known: tuple[str, ...], taken: tuple[str, ...]) -> tuple[str, ...]:
    """These keys of labels; where a box has none of them, also the one by which a CSV's column is known.

    Args:
      taken: keys of its sides.
    """
    if any(key in element for key in known):
        return known
    return (*known, *_like_a_column(tuple(key for key in element if key not in taken)))


@dataclass(slots=True)
class LabelKey:
    """Under which keys the boxes of a file have their labels, as its first box with such a key has them.

    Another key of a box without it says something else: `target` where the others have `category`, if some
    without a value.

    Attributes:
      key: one that is known by a CSV's column alone; empty: those that are known; None: no box had one.
      is_blank: whether the known keys that boxes had so far were without a value.
      skips_blanks: whether known keys without a value decide nothing.
    """

    key: str | None = None
    is_blank: bool = False
    skips_blanks: bool = False

    def keys_in(
        self, element: Mapping[str, Any], known: tuple[str, ...], taken: tuple[str, ...]
    ) -> tuple[str, ...]:
        """As `label_keys`; where it is decided, those alone."""
        if self.key is not None:
            if self.is_blank:
                self.is_blank = not _with_values(element, known)
            return (self.key,) if self.key else known
        if any(key in element for key in known):
            self.is_blank = not _with_values(element, known)
            self.key = None if self.is_blank and self.skips_blanks else ""
            return known
        keys = label_keys(element, known, taken)
        self.key = next(iter(_with_values(element, keys)), None)
        return keys


def _with_values(element: Mapping[str, Any], keys: tuple[str, ...]) -> list[str]:
    return [key for key in keys if element.get(key) not in (None, "")]


@lru_cache(maxsize=64)
def _like_a_column(keys: tuple[str, ...]) -> tuple[str, ...]:
    with suppress(InputError):  # several could be it
        return tuple(key for purpose, key in columns_beside_boxes(keys, set(), ()) if purpose == "label")
    return ()


def likely_labels(boxes: Any, others: Collection[str]) -> Iterator[tuple[str, str]]:
    """The keys, and texts, that may be the labels of boxes where these have none under a known key.

    Args:
      boxes: of a line.
      others: keys of lines.
    """
    known = (*LABELS, *HUGGING_FACE_LABELS)
    for each in boxes if isinstance(boxes, list) else ():
        if isinstance(each, dict) and not _with_values(each, label_keys(each, known, ())):
            texts = [(key, value) for key, value in each.items() if isinstance(value, str) and value]
            free = {key for key, _ in texts} - {*_NO_LABELS, *known, *others}
            yield from ((key, text) for key, text in texts if key in free and not attribute_called(key))


def called_label(key: str, name: str, *, is_blank: bool) -> str:
    """That boxes of a list may have their label under a key, with the command that calls it so.

    Args:
      key: that is not known.
      name: of the list.
      is_blank: whether boxes have known keys without a value, which the command calls otherwise.
    """
    written = re.escape(json.dumps(key, ensure_ascii=False)).replace("/", r"\/")
    script = f's/{written}[[:space:]]*:/"label":/g'
    if is_blank:
        known = "|".join(dict.fromkeys((*LABELS, *HUGGING_FACE_LABELS)))
        script = rf's/"({known})"[[:space:]]*:[[:space:]]*(null|"")/"no_\1": null/g; {script}'
    words = command_line(["sed", "-E", script])
    how = made_by("", f"{words.replace('{', '{{').replace('}', '}}')} {{name}}", name, as_lines=True)
    what = "value under a key" if is_blank else "key"
    return f"boxes have no {what} of a label that is known: where {key} holds it, {how}"
