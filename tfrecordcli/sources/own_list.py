"""A list in the form of tfrec's own: what was read from JSON or folders as a CSV, a row for each box.

So one reader serves every source, each can be read twice, and rejected rows have a form that people can mend.
"""

from __future__ import annotations

import csv
import json
import math
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import ATTRIBUTES
from tfrecordcli.sources.boxes.columns import Extremes
from tfrecordcli.sources.boxes.fields import UNREAD
from tfrecordcli.sources.column_words import CONTENT_COLUMN, FILENAME_COLUMN, OWN_COLUMNS
from tfrecordcli.sources.further_keys import FurtherKeys
from tfrecordcli.sources.key_columns import KeyColumn, texts_of
from tfrecordcli.sources.listed import Findings, ListedBox, ListedImage
from tfrecordcli.sources.proposals.splits import MOST_SPLITS
from tfrecordcli.split_words import DISCARD
from tfrecordcli.storage.writing import writing_to

_CORNERS: Final = ("xmin", "ymin", "xmax", "ymax")
_BOX_HEADER: Final = ("split", "image_uri", "label", *_CORNERS, "width", "height", *ATTRIBUTES, *OWN_COLUMNS)
_LABEL_HEADER: Final = ("split", "image_uri", *OWN_COLUMNS, "label")

# Ids of images that every reader takes: some make floats of 32 bits of them.
MOST_ID: Final = (1 << 24) - 1

# What a further field is told as, for the values of `OwnList.extras`, that is an array of objects with four
# numbers or more, as a box has them.
OBJECTS: Final = "[{}]"
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
# In the place of labels that could not be read, where rows without one can be used: its tab rejects it again.
_UNREAD_LABEL: Final = f"{UNREAD}\t{UNREAD}"
# Codes of problems that an image has for its boxes, or for what else its list says of it: not for itself.
_OF_ANNOTATIONS: Final = frozenset({"bad_annotation", "bad_box", "control_character", "damaged_record"})

# Takes what is found about the whole list; yields its images.
Reader = Callable[[Findings], Iterator[ListedImage]]


@dataclass(slots=True)
class OwnList:
    """What a list held that was written in tfrec's own form.

    Attributes:
      findings: of its reader.
      has_boxes: whether it is a list of boxes.
      attributes: of boxes that it tells.
      extras: names of further fields, and the first different values of each as text.
      has_splits: whether any image names its split.
      further: those of them that are columns.
      pixels: numbers of the boxes that its kind of list has in pixels.
      tells_units: whether each box names its unit.
      has_ids: whether each image has a number of its own that readers of records can take.
    """

    findings: Findings
    has_boxes: bool = True
    attributes: tuple[str, ...] = ()
    extras: dict[str, dict[str, None]] = field(default_factory=dict)
    has_splits: bool = False
    further: Sequence[KeyColumn] = ()
    tells_units: bool = False
    has_ids: bool = True
    pixels: Extremes = field(default_factory=Extremes)


def write_own_list(
    path: Path, read: Reader, name: str, unlabelled: str, further: FurtherKeys | None = None
) -> OwnList:
    """Writes all images of a list.

    Args:
      path: that is written to.
      read: reads the list.
      name: of the list, for messages.
      unlabelled: what becomes of images that a list of boxes has not labelled.
      further: keys that become columns; None: none is asked for.

    Raises:
      InputError: there is no image in it, a further key is not there, or what the reader raises.
    """
    findings = Findings()
    images = read(findings)
    first = next(images, None)
    if first is None:
        raise InputError(f"{name}: there is no image in it", "is it the right list?")
    own = OwnList(findings, findings.has_boxes, tells_units=findings.has_boxes)
    writer = _Writer(own, unlabelled)
    header = [*_names(findings), *(_BOX_HEADER if own.has_boxes else _LABEL_HEADER)]
    with writing_to(path.parent), path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\r\n")
        rows.writerow(header)
        for image in chain([first], images):
            names = _names_of(image, findings) if findings.tells_names else []
            names += [further.add(image.place, image.extras)] if further is not None else []
            rows.writerows([*names, *row] for row in writer.rows(image))
    if further is not None:
        own.further = _further_columns(further, own, name, header)
        _part_further(path, own.further, header)
    own.attributes = tuple(name for name in ATTRIBUTES if name in writer.attributes)
    own.has_ids = writer.has_ids
    return own


def _names(findings: Findings) -> tuple[str, ...]:
    """The columns of images that have names of their own."""
    if not findings.tells_names:
        return ()
    return FILENAME_COLUMN, CONTENT_COLUMN, *(str(each.column) for each in findings.features)


def _names_of(image: ListedImage, findings: Findings) -> list[str]:
    further = image.further or ("",) * len(findings.features)
    return [image.filename, image.content, *further]


def _further_columns(
    further: FurtherKeys, own: OwnList, name: str, header: Sequence[str]
) -> Sequence[KeyColumn]:
    try:
        found = further.columns(own.extras, own.findings.keys_of_boxes, header)
    except InputError as error:
        raise InputError(f"{name}: {error.message}", error.hint) from None
    own.findings.notes += further.notes
    return found


def _part_further(path: Path, columns: Sequence[KeyColumn], header: Sequence[str]) -> None:
    """Writes a list again whose rows begin with further keys as JSON: now with a column for each.

    Which keys there are, and of what type, is known when all of the list was read, and reading that twice
    would take longer.
    """
    joined = path.with_suffix(".joined")
    problem_at = header.index(OWN_COLUMNS[-1])
    csv.field_size_limit(sys.maxsize)  # which each reader of rows sets for itself
    last = ""
    texts: list[str] = []
    problem = None
    with writing_to(path.parent):
        path.rename(joined)
    with (
        writing_to(path.parent),
        joined.open(encoding="utf-8", newline="") as before,
        path.open("w", encoding="utf-8", newline="") as file,
    ):
        rows = csv.writer(file, lineterminator="\r\n")
        rows.writerow([*(column.name for column in columns), *header])
        for keys, *row in islice(csv.reader(before), 1, None):
            if keys != last or not texts:
                last, (texts, problem) = keys, texts_of(columns, json.loads(keys))
            if problem is not None and not row[problem_at]:
                row[problem_at] = as_field(problem)
            rows.writerow([*texts, *row])
    joined.unlink()


class _Writer:
    """The rows of images, and what they have in common so far."""

    def __init__(self, own: OwnList, unlabelled: str) -> None:
        self._own = own
        self._unlabelled = unlabelled
        self._met = bytearray((MOST_ID >> 3) + 1)  # a bit for each id
        self.has_ids = own.has_boxes
        self.attributes: set[str] = set()

    def rows(self, image: ListedImage) -> Iterator[list[str]]:
        self._own.has_splits = self._own.has_splits or bool(image.split)
        self._tell_extras(image)
        if image.image_uri and not self._own.findings.groups.are_told:
            self._own.findings.groups.add(image.extras)
        self._meet(image.source_id)
        problem = as_field(image.problem) if image.problem else ""
        if not self._own.has_boxes:
            labels = image.labels
            if not labels and image.problem is not None and image.problem.code == "bad_annotation":
                labels = () if self._unlabelled == "error" else (_UNREAD_LABEL,)
            yield [image.split, image.image_uri, image.place, "", "", problem, *labels]
            return
        split = image.split
        if image.boxes is None and not problem:
            problem = "" if self._unlabelled == "skip" else as_field(Rejected("no_label", columns=""))
            split = DISCARD if self._unlabelled == "skip" else split
        size = ["" if side is None else str(side) for side in (image.width, image.height)]
        source_id = "" if image.source_id is None else str(image.source_id)
        of_image = [image.unit or "", source_id, problem]
        boxes: Sequence[ListedBox] = image.boxes or ()
        self._own.tells_units &= image.unit is not None or not boxes
        if image.problem is not None:
            boxes = _told_again(boxes, image.problem)
        if not boxes:
            unread = image.problem is not None and image.problem.code in _OF_ANNOTATIONS
            nothing = ["", UNREAD if unread else "", *[""] * (len(_CORNERS) - 1)]
            yield [split, image.image_uri, *nothing, *size, *[""] * len(ATTRIBUTES), image.place, *of_image]
        for box in boxes:
            self.attributes.update(box.attributes)
            told = [str(box.attributes.get(name, "")) for name in ATTRIBUTES]
            if image.unit == "pixels" and not any(map(math.isnan, box.corners)):
                self._own.pixels.take(box.corners)
            place = f"{image.place}, box {box.place}"
            yield [split, image.image_uri, box.label, *_corners(box), *size, *told, place, *of_image]

    def _tell_extras(self, image: ListedImage) -> None:
        for name, value in image.extras.items():
            values = self._own.extras.setdefault(name, {})
            if len(values) <= MOST_SPLITS and value is not None:
                values[_as_told(value)] = None

    def _meet(self, source_id: int | None) -> None:
        """Notes an id; one that is missing, too large or there twice makes all of them useless."""
        if not self.has_ids:
            return
        if source_id is None or not 0 <= source_id <= MOST_ID:
            self.has_ids = False
            return
        at, bit = source_id >> 3, 1 << (source_id & 7)
        self.has_ids = not self._met[at] & bit
        self._met[at] |= bit


def _as_told(value: Any) -> str:
    """What a further field holds, as text; of arrays whether there are objects in them that may be boxes."""
    if isinstance(value, list) and any(map(_may_be_box, value)):
        return OBJECTS
    return "[]" if isinstance(value, (dict, list)) else str(value).strip()


def _may_be_box(value: Any) -> bool:
    return isinstance(value, dict) and len(_NUMBER.findall(json.dumps(value))) >= len(_CORNERS)


def as_field(problem: Rejected, label_counts: bool = True) -> str:
    """Why a row cannot be used, as the last of the own columns has it.

    Args:
      label_counts: whether the label of the row is one of the vocabulary, and not only for a person to see.
    """
    told = [problem.code, problem.reason] if label_counts else [problem.code, problem.reason, "no label"]
    return json.dumps(told, ensure_ascii=False)


def _told_again(boxes: Sequence[ListedBox], problem: Rejected) -> list[ListedBox]:
    """Boxes of an image that has a problem, first those for which it is rejected until they are mended."""
    if boxes and problem.code in _OF_ANNOTATIONS and all(box.is_read for box in boxes):
        first, *others = boxes
        boxes = [replace(first, written=(*map(repr, first.corners),)), *others]
    return sorted(boxes, key=lambda box: box.is_read)


def _corners(box: ListedBox) -> list[str]:
    """The four fields of a box; what could not be read in them is what the list has, behind a mark."""
    if not box.written:
        texts = [repr(value) for value in box.corners]
        return [UNREAD, "", "", ""] if all(map(math.isnan, box.corners)) else texts
    if len(box.written) < len(_CORNERS):
        return [f"{UNREAD} {box.written[0]}".strip(), "", "", ""]
    are_numbers = [NUMBER.fullmatch(text) is not None for text in box.written]
    are_read = [False, *are_numbers[1:]] if all(are_numbers) else are_numbers
    pairs = zip(box.written, are_read, strict=True)
    return [text if is_read else f"{UNREAD} {text}".strip() for text, is_read in pairs]
