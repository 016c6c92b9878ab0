"""What a COCO file holds, as numbers: read once, from its beginning to its end."""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from typing import Any, Final, TextIO

from tfrecordcli.dataset.labels import has_control_characters
from tfrecordcli.errors import InputError
from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.boxes.columns import BoxFormat
from tfrecordcli.sources.boxes.predictions import need_no_scored_box, sure_detections
from tfrecordcli.sources.json.coco_box import NO_AREA, NO_CROWD, area_of, corners_of, crowd_of, need_upright
from tfrecordcli.sources.json.coco_captions import captions_of_coco
from tfrecordcli.sources.json.coco_levels import Levels
from tfrecordcli.sources.json.coco_other_keys import key_of_names
from tfrecordcli.sources.json.documents import lines_of_images
from tfrecordcli.sources.json.fields import (
    NO_CORNERS,
    as_id,
    as_name,
    as_path,
    as_shown,
    as_size,
    further_of,
    is_unicode,
    written_in,
)
from tfrecordcli.sources.json.nested_boxes import lines_of_file
from tfrecordcli.sources.json.nested_coco import (
    NESTED,
    are_boxes,
    holds_annotations,
    is_object_of_elements,
    nested,
)
from tfrecordcli.sources.json.split_keys import SplitKeys
from tfrecordcli.sources.json.stream import stream
from tfrecordcli.sources.listed import Findings
from tfrecordcli.storage.writing import writing_to

Id = int | str

_ARRAYS: Final = ("images", "annotations", "categories")
INSTANCES: Final = "give the file of the boxes: instances_….json, _annotations.coco.json"
# Keys of images that are no further ones.
_KEYS_OF_IMAGES: Final = ("id", "image_id", "file_name", "width", "height")
# Keys of annotations that are counted and not stored.
_NOT_STORED: Final = (
    ("segmentation", "segmentations not stored"),
    ("keypoints", "keypoints not stored"),
    ("attributes", "attributes not stored"),
    ("score", "scores not stored"),
)
# What an annotation has that is of another kind of COCO file, what that is called, and the way out.
_OTHERS: Final = {
    "caption": ("captions", INSTANCES),
    "segments_info": ("panoptic segmentations", INSTANCES),
}
# The same of images; the way out by the name of the file.
_OTHER_IMAGES: Final[Mapping[str, tuple[str, Callable[[str], str]]]] = {
    "detections": ("predictions of a model, as MegaDetector writes them", sure_detections),
    "sentences": (
        "captions, as in Karpathy's splits of COCO",
        lambda _: f"{INSTANCES}; captions are no labels of images",
    ),
}


@dataclass(slots=True)
class Boxes:
    """The boxes of all annotations in their order, as numbers; images and categories count from 0."""

    image: array[int] = field(default_factory=lambda: array("i"))
    category: array[int] = field(default_factory=lambda: array("i"))
    corners: array[float] = field(default_factory=lambda: array("d"))  # four a box
    area: array[float] = field(default_factory=lambda: array("d"))
    crowd: array[int] = field(default_factory=lambda: array("b"))
    written: dict[int, tuple[str, ...]] = field(default_factory=dict)  # of those that cannot be read
    odd_crowds: dict[int, str] = field(default_factory=dict)  # neither 0 nor 1


@dataclass(slots=True)
class Images:
    """The entries of ``images`` in their order."""

    number: array[int] = field(default_factory=lambda: array("i"))  # of the image, by its id
    name: list[str] = field(default_factory=list)
    width: array[int] = field(default_factory=lambda: array("i"))  # 0: not said
    height: array[int] = field(default_factory=lambda: array("i"))


@dataclass(slots=True)
class Category:
    """One of ``categories``."""

    id: Id
    name: str
    group: str
    place: str


@dataclass(slots=True)
class Content:
    """What a file holds.

    Attributes:
      box_format: in which boxes were read.
      image_ids, category_ids: id -> its number, in the order in which they are met.
      entry_problems: number of an entry of ``images`` -> why it cannot be used.
      box_problems: number of an image -> what is wrong with the first of its boxes that cannot be read; not
        that an annotation has none, which its corners tell.
      doubles: entries that say the same as one before.
      splits: of the entries of ``images``.
      has_box: whether any annotation has a box or a segmentation.
      keys: at the top of the file.
      category_error: of the first category that cannot be read, told where the file is COCO.
      nests_boxes: whether all that images have there are annotations with a box.
      called: key of an image without ``file_name`` under which it has the name of a file; empty: none has.
      other: key of an image that shows another kind of file; empty: none has one.
      nested: key under which an image has what may be a list of its annotations; empty: none has.
      levels: of categories that annotations have in the place of one.
    """

    box_format: BoxFormat = "xywh"
    boxes: Boxes = field(default_factory=Boxes)
    images: Images = field(default_factory=Images)
    categories: list[Category] = field(default_factory=list)
    image_ids: dict[Id, int] = field(default_factory=dict)
    category_ids: dict[Id, int] = field(default_factory=dict)
    entry_problems: dict[int, Rejected] = field(default_factory=dict)
    box_problems: dict[int, Rejected] = field(default_factory=dict)
    doubles: set[int] = field(default_factory=set)
    splits: SplitKeys = field(default_factory=SplitKeys)
    nests_boxes: bool = True
    has_box: bool = False
    category_error: InputError | None = None
    keys: set[str] = field(default_factory=set)
    nested: str = ""
    called: str = ""
    other: str = ""
    levels: Levels = field(default_factory=Levels)

    def need_known_images(self, name: str) -> None:
        """Refuses a file of another kind by the key that images have."""
        if self.other:
            what, way_out = _OTHER_IMAGES[self.other]
            raise InputError(f"{name}: these are {what}: images have {self.other}", way_out(name))


def read_content(
    path: str,
    name: str,
    encoding: str,
    findings: Findings,
    box_format: BoxFormat,
    further: Path | None = None,
    splits: SplitKeys | None = None,
) -> Content:
    """All of a file; annotations of which something is not stored are counted in ``findings``.

    Args:
      further: file that gets the further keys of each entry of ``images``, a line each; None: none are kept.

    Raises:
      InputError: it is no JSON, no COCO file, or has captions or panoptic segmentations.
    """
    content = Content(box_format, splits=splits or SplitKeys())
    findings.groups.are_told = True
    if further is None:
        _read(content, path, name, encoding, findings, None)
        return content
    with writing_to(further.parent), further.open("w", encoding="ascii") as file:
        _read(content, path, name, encoding, findings, file)
    return content


def further_in(further: Path | None) -> Iterator[dict[str, Any]]:
    """The further keys of each entry of ``images`` that `read_content` kept; empty ones of none."""
    if further is None:
        yield from repeat({})
        return
    with further.open(encoding="ascii") as file:
        yield from map(json.loads, file)


def _read(
    content: Content, path: str, name: str, encoding: str, findings: Findings, further: TextIO | None
) -> None:
    for key, index, element in stream(path, name, encoding):
        if key is None:
            raise InputError(
                f"{name}: this is no COCO file, which is one JSON object", "is it the right file?"
            )
        content.keys.add(key)
        if key not in _ARRAYS:
            content.levels.add_category(key, element)
            continue
        if index is None:
            if key != "categories" and is_object_of_elements(element):
                raise nested(name, f"{key} is an object, where COCO has an array")
            if element != []:
                hint = lines_of_file(name) or lines_of_images(name) or "export it again"
                raise InputError(f"{name}: {key} is {as_shown(element)}, not an array", hint)
        elif key == "images":
            _add_image(content, index, element, findings)
            if isinstance(element, dict):
                findings.groups.add(element)
            if further is not None:
                keys = further_of(element, _KEYS_OF_IMAGES) if isinstance(element, dict) else {}
                further.write(json.dumps(keys) + "\n")
        elif key == "annotations":
            _add_box(content, index, element, name, findings)
            if further is not None and isinstance(element, dict):
                findings.keys_of_boxes.update(element)
        else:
            _add_category(content, index, element, name)


def _add_image(content: Content, index: int, element: Any, findings: Findings) -> None:
    entry = element if isinstance(element, dict) else {}
    content.splits.add(index, entry)
    image_id, images = _id_of(entry, "image_id"), content.images
    keys = [key for key in NESTED if holds_annotations(entry.get(key))]
    content.nested = content.nested or next(iter(keys), "")
    content.other = content.other or next(
        (key for key in _OTHER_IMAGES if isinstance(entry.get(key), list)), ""
    )
    content.nests_boxes = content.nests_boxes and all(are_boxes(entry[key]) for key in keys)
    uri, problem = as_path(_file_name(entry, findings), f"file_name of images[{index}]")
    content.called = content.called or ("" if uri else key_of_names(entry))
    if image_id is None:
        problem = Rejected("bad_annotation", detail=f"images[{index}] has no id")
    if problem is not None:
        content.entry_problems[index] = problem
    images.number.append(-1 if image_id is None else _number(content.image_ids, image_id))
    images.name.append(uri)
    images.width.append(as_size(entry.get("width")) or 0)
    images.height.append(as_size(entry.get("height")) or 0)


def _file_name(entry: dict[str, Any], findings: Findings) -> Any:
    """LVIS has URLs instead, of which the last two parts are the folder and the file of COCO's archives."""
    url = entry.get("coco_url")
    if "file_name" in entry or not isinstance(url, str):
        return entry.get("file_name")
    findings.counts["images named by the end of coco_url"] += 1
    return "/".join(url.split("/")[-2:])


def _id_of(entry: dict[str, Any], other: str) -> Id | None:
    """The id of an element; Herbarium's files call it as annotations do."""
    return as_id(entry["id"] if "id" in entry else entry.get(other))


def _number(ids: dict[Id, int], each: Id) -> int:
    return ids.setdefault(each, len(ids))


def _add_box(content: Content, index: int, element: Any, name: str, findings: Findings) -> None:
    annotation = element if isinstance(element, dict) else {}
    _need_known(annotation, index, name)
    boxes = content.boxes
    content.has_box = content.has_box or bool(annotation.get("bbox") or annotation.get("segmentation"))
    image_id, category_id = as_id(annotation.get("image_id")), as_id(annotation.get("category_id"))
    image = -1 if image_id is None else _number(content.image_ids, image_id)
    corners, area, crowd = NO_CORNERS, NO_AREA, NO_CROWD
    try:
        if not isinstance(element, dict):
            raise Rejected("bad_annotation", detail=f"annotations[{index}] is no object")
        if annotation.get("bbox") or annotation.get("segmentation"):
            need_upright(annotation, index)
            corners = corners_of(annotation, index, content.box_format)
        area, crowd = area_of(annotation.get("area")), crowd_of(annotation.get("iscrowd"), index)
        if category_id is None:
            content.levels.add_annotation(annotation)
            raise Rejected("bad_annotation", detail=f"annotations[{index}] has no category_id")
    except Rejected as problem:
        content.box_problems.setdefault(image, problem)
        if math.isnan(corners[0]):
            boxes.written[index] = written_in(problem, annotation.get("bbox") or element)
        if annotation.get("iscrowd") not in (None, 0, 1):
            boxes.odd_crowds[index] = as_shown(annotation.get("iscrowd"))
    boxes.image.append(image)
    boxes.category.append(-1 if category_id is None else _number(content.category_ids, category_id))
    boxes.corners.extend(corners)
    boxes.area.append(area)
    boxes.crowd.append(crowd)
    if "score" in annotation:
        need_no_scored_box(annotation, f"{name}: annotations[{index}]", name)
    for key, what in _NOT_STORED:
        if annotation.get(key):
            findings.counts[what] += 1


def _need_known(annotation: dict[str, Any], index: int, name: str) -> None:
    """Refuses a file of another kind by the first annotation that shows it."""
    for key, (what, hint) in _OTHERS.items():
        if key in annotation and not (key == "caption" and "bbox" in annotation):
            if key == "caption":
                hint = f"{hint}; for the captions {captions_of_coco(name)}"
            raise InputError(f"{name}: these are {what}, not boxes: annotations[{index}] has {key}", hint)


def _add_category(content: Content, index: int, element: Any, name: str) -> None:
    try:
        content.categories.append(_category(index, element, name))
    except InputError as error:
        content.category_error = content.category_error or error


def _category(index: int, element: Any, name: str) -> Category:
    place = f"categories[{index}]"
    entry = element if isinstance(element, dict) else {}
    category_id, called = (
        _id_of(entry, "category_id"),
        as_name(entry.get("name", entry.get("scientificName"))),
    )
    if category_id is None or not called:
        what = "id" if category_id is None else "name"
        raise InputError(f"{name}: {place} has no {what}", "give each category an id and a name")
    if has_control_characters(called) or not is_unicode(called):
        raise InputError(f"{name}: the name of {place} is {as_shown(called)}", "write it as plain text")
    return Category(category_id, called, as_name(entry.get("supercategory")), place)
