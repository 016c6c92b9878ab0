"""COCO: images, their boxes and the names of categories, in one JSON file that may be far larger than memory.

The format: https://cocodataset.org/#format-data. A box is [x, y, width, height] in pixels from the top left
corner. The arrays may stand in any order, and annotations before their images, so boxes are collected in
about 50 bytes each; nothing else of an annotation is kept.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any, TypeAlias

from tfrecordcli.boxes import Unit
from tfrecordcli.dataset.labels import quoted
from tfrecordcli.errors import InputError
from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.boxes.columns import BoxFormat
from tfrecordcli.sources.boxes.fields import UNREAD
from tfrecordcli.sources.boxes.fit import (
    Numbers,
    Size,
    are_corners,
    are_no_extents_but_centers,
    forms_of_corners,
    have_areas_of_corners,
)
from tfrecordcli.sources.boxes.form import other_areas, other_form
from tfrecordcli.sources.json.coco_box import NO_CROWD
from tfrecordcli.sources.json.coco_categories import labels_of, of_nothing
from tfrecordcli.sources.json.coco_content import (
    INSTANCES,
    Boxes,
    Content,
    further_in,
    read_content,
)
from tfrecordcli.sources.json.coco_other_keys import names_elsewhere
from tfrecordcli.sources.json.documents import lines_of_images
from tfrecordcli.sources.json.fields import as_shown
from tfrecordcli.sources.json.nested_boxes import lines_of_file
from tfrecordcli.sources.json.nested_coco import nested
from tfrecordcli.sources.json.split_keys import SplitKeys
from tfrecordcli.sources.listed import Findings, ListedBox, ListedImage
from tfrecordcli.units import plural, some_of

# Those of an image's further keys that are asked for.
Wanted: TypeAlias = Callable[[Mapping[str, Any]], dict[str, Any]]


def read_coco(
    path: str,
    findings: Findings,
    name: str = "",
    encoding: str = "utf-8",
    unit: Unit | None = None,
    box_format: BoxFormat | None = None,
    further: Path | None = None,
    wanted: Wanted = dict,
    splits: SplitKeys | None = None,
) -> Iterator[ListedImage]:
    """The images of a COCO file, in its order, each with its boxes, or with labels where none has a box.

    Boxes whose image is not in the file go to ``findings.left_out``; an image with a box that cannot be read,
    or of a category that is not in the file, has a problem. Ids of categories are those of the file, 0
    included.

    Args:
      findings: complete when the first image comes.
      name: of the file, as messages call it; its path when left out.
      unit: of the boxes, where it is known; else pixels.
      box_format: of the boxes, where it is known; else xywh, and boxes that fit as others only are refused.
      further: file for the further keys of images meanwhile, which are many; None: they are not told.
      wanted: tells those of them in which entries of one image must be alike.
      splits: tells which key of images names their splits; None: the words under it.

    Raises:
      InputError: it is no JSON, another kind of COCO file, or cannot be read for certain.
    """
    name = name or path
    content = read_content(path, name, encoding, findings, box_format or "xywh", further, splits)
    _need_instances(content, name)
    content.splits.choose(name, findings)
    fit = _other_forms(content, unit) if box_format is None else []
    if fit:
        error = other_form("xywh", fit)
        raise InputError(f"{name}: {error.message}", error.hint)
    if box_format is None and have_areas_of_corners(_with_areas(content.boxes)):
        error = other_areas(forms_of_corners(_in_images(content, unit)))
        raise InputError(f"{name}: {error.message}", error.hint)
    if next(_in_images(content, unit), None) is None:
        findings.form = "xywh"  # files of images may tell
    nothing = of_nothing(content)
    labels = labels_of(content, name, findings, nothing)
    _mark_doubles(content, findings, further, wanted)
    order, starts = _by_image(content)
    _leave_out_strays(content, name, order, starts, findings)
    images = _listed(content, labels, nothing, (order, starts), unit or "pixels", further)
    if content.has_box or not content.boxes.image:
        return images
    findings.has_boxes = False
    findings.notes.append("no annotation has a bbox: their categories are labels of whole images")
    if findings.left_out:
        findings.counts["annotations of images that it does not list"] = len(findings.left_out)
        findings.left_out.clear()
    return map(_labelled, images)


def _other_forms(content: Content, unit: Unit | None) -> list[BoxFormat]:
    """The forms in which all boxes fit into their images, where as x, y, width, height many do not."""
    corners = are_corners(_in_images(content, unit))
    fit = forms_of_corners(_in_images(content, unit)) if corners else []
    return [*fit, "center_xywh"] if are_no_extents_but_centers(_in_images(content, unit)) else fit


def _labelled(image: ListedImage) -> ListedImage:
    """An image whose annotations have no boxes but categories."""
    names = dict.fromkeys(box.label for box in image.boxes or ())
    return replace(image, labels=tuple(names), boxes=None)


def _need_instances(content: Content, name: str) -> None:
    """Refuses files of the COCO family that have no annotations."""
    if "images" not in content.keys:
        hint = lines_of_file(name) or lines_of_images(name) or INSTANCES
        raise InputError(f"{name}: there is no array images in it", hint)
    if not content.images.name and not content.boxes.image:
        raise InputError(f"{name}: there is no image in it", "is it the right file?")
    if content.nested and not content.boxes.image:
        what = f"images hold their annotations ({content.nested}); COCO has one array of all"
        raise nested(name, what, has_command=content.nests_boxes)
    has_none = "annotations" not in content.keys or not (content.boxes.image or content.categories)
    lines = has_none and (lines_of_file(name) or lines_of_images(name))
    if content.category_error is not None and not lines:
        raise content.category_error
    if has_none:
        content.need_known_images(name)
        what = "this is a list of images without annotations (image_info)"
        hint = f"{INSTANCES}; for images alone give their folder with --unlabelled keep"
        if lines:
            what, hint = "images hold what is told of them, and there is no array of annotations", lines
        raise InputError(f"{name}: {what}", hint)
    if not content.category_ids:
        content.levels.need_none(name)
    if content.called and not any(content.images.name):
        raise names_elsewhere(content.called, name)
    if content.category_ids and not content.categories:
        what = "annotations have categories, but none has a name: there is no array categories"
        raise InputError(f"{name}: {what}", 'add "categories": [{"id": 1, "name": "…"}]')


def _with_areas(boxes: Boxes) -> Iterator[tuple[Numbers, float]]:
    """(x, y, width, height, as written; area) of each box that has both."""
    for number, area in enumerate(boxes.area):
        x, y, right, bottom = boxes.corners[4 * number : 4 * number + 4]
        if not (math.isnan(area) or math.isnan(x)):
            yield (x, y, right - x, bottom - y), area


def _in_images(content: Content, unit: Unit | None) -> Iterator[tuple[Numbers, Size]]:
    """(x, y, width, height) of each box, and the size that is listed of its image."""
    sides = {"width": array("i"), "height": array("i")}
    for side, sizes in sides.items():
        sizes.frombytes(bytes(4 * (len(content.image_ids) + 1)))  # the last one is that of no image
        for number, size in zip(content.images.number, getattr(content.images, side), strict=True):
            sizes[number] = size
    for box, image in enumerate(content.boxes.image):
        width, height = (sizes[image] for sizes in sides.values())
        x, y, right, bottom = content.boxes.corners[4 * box : 4 * box + 4]
        if image >= 0 and width > 1 and height > 1 and not math.isnan(x):
            yield (x, y, right - x, bottom - y), (1, 1) if unit == "fractions" else (width, height)


def _mark_doubles(content: Content, findings: Findings, further: Path | None, wanted: Wanted) -> None:
    """Entries of ``images`` that are alike count once; those that share a name or an id only are not used."""
    first_of_name: dict[str, int] = {}
    first_of_number: dict[int, int] = {}
    images, splits = content.images, content.splits
    entries = zip(images.name, images.number, images.width, images.height, strict=True)
    seen = list(entries) if len(set(images.number)) < len(images.name) else []
    extras = _extras_of_doubles(content, further, wanted) if seen else {}
    for entry, (name, number) in enumerate(zip(images.name, images.number, strict=True)):
        if entry in content.entry_problems:
            continue
        same_id = first_of_number.setdefault(number, entry)
        same_name = first_of_name.setdefault(name, entry)
        is_alike = same_id == same_name != entry and seen[entry] == seen[same_id]
        one, other = ({splits.key: splits.of(each)} for each in (same_id, entry))
        odd = _different(one | extras[same_id], other | extras[entry]) if is_alike else []
        if is_alike and not odd:
            content.doubles.add(entry)
            findings.counts["images listed twice alike"] += 1
        elif same_id != entry or same_name != entry:
            what, first = ("id", same_id) if same_id != entry else ("file_name", same_name)
            what += f" and different further keys: {some_of([*map(quoted, odd)])}" if odd else ""
            detail = f"images[{first}] and images[{entry}] have the same {what}"
            problem = Rejected("bad_annotation", detail=detail)
            content.entry_problems.setdefault(first, problem)
            content.entry_problems.setdefault(entry, problem)


def _different(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """Keys under which these have other values."""
    return [key for key in {**one, **other} if one.get(key) != other.get(key)]


def _extras_of_doubles(content: Content, further: Path | None, wanted: Wanted) -> dict[int, dict[str, Any]]:
    """The further keys that are asked for, of entries whose image has several, by their numbers."""
    counts = Counter(content.images.number)
    told = enumerate(zip(content.images.number, further_in(further), strict=False))
    return {entry: wanted(extras) for entry, (number, extras) in told if counts[number] > 1}


def _by_image(content: Content) -> tuple[array[int], array[int]]:
    """Boxes in the order of their images' numbers, and where those of each begin: by counting."""
    counts = array("i", bytes(4 * (len(content.image_ids) + 2)))
    for image in content.boxes.image:  # -1 has no id and comes first
        counts[image + 1] += 1
    starts = array("i", [0, *accumulate(counts)])
    following = array("i", starts)
    order = array("i", bytes(4 * len(content.boxes.image)))
    for box, image in enumerate(content.boxes.image):
        order[following[image + 1]] = box
        following[image + 1] += 1
    return order, starts


def _leave_out_strays(
    content: Content, name: str, order: array[int], starts: array[int], findings: Findings
) -> None:
    """Boxes whose image the file does not have.

    Raises:
      InputError: those are most: the arrays are not of one dataset.
    """
    listed = set(content.images.number)
    for each, number in [(None, -1), *content.image_ids.items()]:
        if number >= 0 and number in listed:
            continue
        place = "no image_id" if each is None else f"image_id {as_shown(each)}"
        why = "names no image" if each is None else "images has no such id"
        findings.left_out += [(place, box, why) for box in order[starts[number + 1] : starts[number + 2]]]
    strays = len(findings.left_out)
    if 2 * strays > len(order):
        first = findings.left_out[0]
        what = f"{plural(strays, 'annotation')} of {len(order):,} name no image that is in it"
        hint = f"is it a part of another file? the first is annotations[{first[1]}]: {first[0]}"
        raise InputError(f"{name}: {what}", hint)


def _listed(
    content: Content,
    labels: dict[int, str],
    nothing: Collection[int],
    by_image: tuple[array[int], array[int]],
    unit: Unit,
    further: Path | None,
) -> Iterator[ListedImage]:
    images, (order, starts) = content.images, by_image
    extras_of = further_in(further)
    ids = {number: each for each, number in content.image_ids.items() if isinstance(each, int)}
    told: set[int] = set()  # an image that occurs twice has its boxes once
    for entry, number in enumerate(images.number):
        extras = content.splits.without_key(next(extras_of))
        if entry in content.doubles:
            continue
        boxes: tuple[ListedBox, ...] = ()
        if number not in told and number >= 0:
            boxes = tuple(
                _box(content.boxes, box, labels)
                for box in order[starts[number + 1] : starts[number + 2]]
                if content.boxes.category[box] not in nothing
            )
            told.add(number)
        image_id = ids.get(number)
        yield ListedImage(
            f"images[{entry}]",
            images.name[entry],
            content.splits.of(entry),
            boxes=boxes,
            unit=unit,
            width=images.width[entry] or None,
            height=images.height[entry] or None,
            source_id=image_id if image_id is not None and image_id >= 0 else None,
            extras=extras,
            problem=content.entry_problems.get(entry) or _problem(content, number, boxes),
        )


def _box(boxes: Boxes, number: int, labels: dict[int, str]) -> ListedBox:
    attributes: dict[str, int | float | str] = {}
    if boxes.crowd[number] != NO_CROWD:
        attributes["is_crowd"] = boxes.crowd[number]
    if not math.isnan(boxes.area[number]):
        attributes["area"] = boxes.area[number]
    if number in boxes.odd_crowds:
        attributes["is_crowd"] = f"{UNREAD} {boxes.odd_crowds[number]}"
    x, y, right, bottom = boxes.corners[4 * number : 4 * number + 4]
    label, written = labels.get(boxes.category[number], ""), boxes.written.get(number, ())
    return ListedBox(label, (x, y, right, bottom), number, attributes, written)


def _problem(content: Content, number: int, boxes: tuple[ListedBox, ...]) -> Rejected | None:
    problem = content.box_problems.get(number)
    empty = next((box.place for box in boxes if math.isnan(box.corners[0])), None)
    if problem is None and empty is not None and content.has_box:
        return Rejected("bad_annotation", detail=f"annotations[{empty}] has no bbox")
    unnamed = next((box.place for box in boxes if not box.label), None)
    if problem is not None or unnamed is None:
        return problem
    category = content.boxes.category[unnamed]
    category_id = next(each for each, at in content.category_ids.items() if at == category)
    detail = f"annotations[{unnamed}] has category_id {as_shown(category_id)}, which categories has not"
    return Rejected("bad_annotation", detail=detail)
