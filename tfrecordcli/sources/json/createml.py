"""CreateML: an array of images with boxes whose middle is given, in pixels from the top left corner.

Apple's own spelling is ``imagefilename`` and ``annotation``, that of most tools ``image`` and ``annotations``
(https://developer.apple.com/documentation/createml/mlobjectdetector/datasource).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from tfrecordcli.boxes import Unit
from tfrecordcli.errors import InputError
from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.boxes.columns import BoxFormat
from tfrecordcli.sources.json.fields import (
    NO_CORNERS,
    Corners,
    as_label,
    as_path,
    as_shown,
    corners_in,
    further_of,
    unread,
    written_in,
)
from tfrecordcli.sources.json.split_keys import SplitKeys
from tfrecordcli.sources.json.stream import stream
from tfrecordcli.sources.listed import Findings, ListedBox, ListedImage

IMAGE_KEYS: Final = ("image", "imagefilename")
BOX_KEYS: Final = ("annotations", "annotation")
_SIDES: Final = ("x", "y", "width", "height")


def read_createml(
    path: str,
    findings: Findings,
    name: str = "",
    encoding: str = "utf-8",
    box_format: BoxFormat = "center_xywh",
    unit: Unit = "pixels",
    splits: SplitKeys | None = None,
) -> Iterator[ListedImage]:
    """The images of a CreateML file, in its order.

    An image without a key for its boxes is not labelled (``boxes`` is None); an empty array says that it
    shows nothing. An image with a box that cannot be read has a problem.

    Args:
      findings: gets the keys of boxes, and their form.
      name: of the file, as messages call it; its path when left out.
      box_format: what x, y, width and height are, where a tool wrote other things under these names.
      unit: of the boxes.
      splits: tells which key of images names their splits; None: the words under it.

    Raises:
      InputError: it is no JSON, or no array.
    """
    name = name or path
    findings.form = box_format
    splits = splits or SplitKeys()
    for index, element in enumerate(_elements(path, name, encoding)):  # all: a key may begin far behind
        splits.add(index, element if isinstance(element, dict) else {})
    splits.choose(name, findings)
    for index, element in enumerate(_elements(path, name, encoding)):
        image = _image(f"[{index}]", element, box_format, findings)
        extras = splits.without_key(image.extras)
        yield replace(image, split=splits.of(index), extras=extras, unit=unit)


def _elements(path: str, name: str, encoding: str) -> Iterator[Any]:
    for key, index, element in stream(path, name, encoding):
        if key is not None or index is None:
            raise InputError(f"{name}: this is no CreateML file, which is an array", "is it the right file?")
        yield element


def _image(place: str, element: Any, box_format: BoxFormat, findings: Findings) -> ListedImage:
    if not isinstance(element, dict):
        return ListedImage(place, "", problem=Rejected("bad_annotation", detail=f"{place} is no object"))
    image_key = _only_key(element, IMAGE_KEYS)
    box_key = _only_key(element, BOX_KEYS)
    uri, problem = as_path(element.get(image_key), f"{image_key} of {place}")
    found = element.get(box_key)
    if found is not None and not isinstance(found, list):
        problem = problem or Rejected("bad_annotation", detail=f"{box_key} of {place} is no array")
        found = []
    boxes = None
    if found is not None:
        findings.keys_of_boxes.update(key for each in found if isinstance(each, dict) for key in each)
        pairs = [_box(n, each, f"{box_key}[{n}]", box_format) for n, each in enumerate(found)]
        boxes = tuple(box for box, _ in pairs)
        problem = problem or next((why for _, why in pairs if why), None)
    extras = further_of(element, (*IMAGE_KEYS, *BOX_KEYS))
    return ListedImage(place, uri, boxes=boxes, extras=extras, problem=problem)


def _only_key(element: dict[str, Any], keys: tuple[str, str]) -> str:
    return keys[1] if keys[1] in element and keys[0] not in element else keys[0]


def _box(number: int, element: Any, what: str, box_format: BoxFormat) -> tuple[ListedBox, Rejected | None]:
    """(box, why it cannot be used)."""
    label, problem = "", None
    try:
        if not isinstance(element, dict):
            raise Rejected("bad_annotation", detail=f"{what} is {as_shown(element)}, not an object")
        label = as_label(element.get("label"), f"label of {what}")
    except Rejected as found:
        problem = found
    try:
        coordinates = element.get("coordinates") if isinstance(element, dict) else None
        return ListedBox(label, _corners(coordinates, what, box_format), number), problem
    except Rejected as found:
        shown = coordinates if isinstance(element, dict) and coordinates is not None else element
        return ListedBox(label, NO_CORNERS, number, written=written_in(found, shown)), problem or found


def _corners(coordinates: Any, what: str, box_format: BoxFormat) -> Corners:
    if not isinstance(coordinates, dict):
        raise Rejected("bad_annotation", detail=f"{what} has no coordinates")
    missing = [side for side in _SIDES if side not in coordinates]
    if missing:
        problem = Rejected("bad_box", what=f"of {what} has no {missing[0]}")
        raise unread(problem, [coordinates.get(side) for side in _SIDES], box_format)
    return corners_in([coordinates[side] for side in _SIDES], f"of {what}", box_format)
