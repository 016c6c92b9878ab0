"""What four numbers a box in TFRecords can be, where their keys do not tell: what fits into the images."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final

from tfrecordcli.boxes import Unit
from tfrecordcli.errors import InputError
from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import OBJECT_CORNERS
from tfrecordcli.sources.boxes.columns import BoxFormat
from tfrecordcli.sources.boxes.fit import (
    Numbers,
    Size,
    are_centers,
    are_extents,
    are_in_order,
    are_vertical_first,
    fits,
    nearly_all,
)
from tfrecordcli.sources.boxes.form import NAMES
from tfrecordcli.sources.boxes.words import WHOLE_IMAGES
from tfrecordcli.sources.records.box_keys import are_in_pixels, whole_boxes
from tfrecordcli.sources.records.boxes import BoxKeys, Features
from tfrecordcli.sources.records.image import image_of
from tfrecordcli.tfrecords.image_features import find_raw, find_size

OF_LIST: Final = "convert the list that they were made of"
Boxes = Sequence[tuple[Numbers, Size]]
# In this order they are proposed: TensorFlow has its boxes so.
_FORMS: Final[Mapping[BoxFormat, Callable[[Boxes], bool]]] = {
    "yxyx": lambda boxes: are_in_order(box for box, _ in boxes) and are_vertical_first(boxes),
    "xyxy": lambda boxes: (
        are_in_order(box for box, _ in boxes)
        and nearly_all(fits(box[2], box[3], size) for box, size in boxes)
    ),
    "xywh": are_extents,
    "center_xywh": are_centers,
}


def need_form(name: str, sample: Sequence[Features], keys: BoxKeys, form: BoxFormat | None) -> None:
    """Refuses boxes of which it is not certain what their numbers are.

    Args:
      name: of the source, for messages.
      form: by an option.

    Raises:
      InputError: with the options that settle it.
    """
    take = f"--task classification takes {keys.label or keys.text} for labels of whole images"
    if keys.sides == OBJECT_CORNERS:
        if keys.unit == "fractions" and are_in_pixels(sample, keys):
            what = f"the sides of boxes under {keys.sides[0]} are pixels, where fractions of the size belong"
            take = "--task classification takes the images without their boxes"
            raise InputError(f"{name}: {what}", f"--box-unit pixels takes them so; {take}")
        return
    if keys.is_told or form is not None or len(keys.sides) > 1:
        return
    boxes = [*_with_sizes(sample, keys)]
    fit = [each for each, may_be in _FORMS.items() if boxes and may_be(boxes)]
    if keys.form in fit and keys.form == "yxyx":  # as the keys say
        return
    what = f"{keys.sides[0]} holds four numbers for each of {keys.label or keys.text or 'any boxes'}"
    if keys.are_of_one_class:
        take = WHOLE_IMAGES
    if keys.sides == (keys.label,):
        what = f"{keys.label} holds five numbers for each box, the last of which is taken for its label"
        take = WHOLE_IMAGES
    if not fit:
        raise InputError(f"{name}: {what}: boxes in a form that is not known", f"{OF_LIST}; {take}")
    ways = ", ".join(f"--box-format {each} takes them for {NAMES[each]}" for each in fit)
    fitting = "these forms" if len(fit) > 1 else "this form alone"
    raise InputError(
        f"{name}: {what}: boxes, and nothing says in which form; they fit into the images in {fitting}",
        f"{ways}; {take}",
    )


def told_size(features: Features) -> tuple[int, int] | None:
    """Width and height of the image of a record, as its keys tell; None: they do not."""
    key, data = image_of(features)
    raw = find_raw(features) if not data else None
    told = find_size(features, raw.key if raw is not None else key)
    return (told[1][1], told[1][0]) if told is not None else None


def _size_of(features: Features) -> Size | None:
    """The same, else as its image has it; None: it has none."""
    if (told := told_size(features)) is not None:
        return told
    _, data = image_of(features)
    if not data and (raw := find_raw(features)) is not None:
        return raw.width, raw.height
    from tfrecordcli.images.size import read_size  # here: it loads NumPy

    with suppress(Rejected):
        _, height, width = read_size(data)
        return width, height
    return None


def _with_sizes(sample: Sequence[Features], keys: BoxKeys) -> Iterator[tuple[Numbers, Size]]:
    """Boxes with the sizes of their images, in the unit of the boxes."""
    whole: dict[Unit | None, Size] = {"fractions": (1.0, 1.0), "percent": (100.0, 100.0)}
    unit = keys.unit or ("pixels" if are_in_pixels(sample, keys) else "fractions")
    for features in sample:
        boxes = whole_boxes(features, keys)
        size = whole.get(unit) or (_size_of(features) if boxes else None)
        if size is not None:
            yield from (((a, b, c, d), size) for a, b, c, d in boxes)
