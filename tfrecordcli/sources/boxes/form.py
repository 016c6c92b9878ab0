"""Whether the four numbers of boxes are what their list says: two corners, or a corner with width and height.

Nothing in a number tells; the sizes of the images do. `[30, 20, 70, 36]` lies within 80 x 40 pixels as two
corners, and reaches beyond them as corner and extent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from tfrecordcli.boxes import has_boxes, parts_of, texts_of_box
from tfrecordcli.errors import InputError
from tfrecordcli.sources.boxes.columns import BoxFormat
from tfrecordcli.sources.boxes.fit import (
    SHARE_BEYOND,
    SOME_BEYOND,
    Numbers,
    Size,
    are_centers,
    are_corners,
    are_extents,
    are_swapped,
    fits,
    forms_of_corners,
    nearly_all,
    overhang,
    reach,
)
from tfrecordcli.sources.boxes.unit import listed_size, sizes_of

# Of true corners a few are listed in another order; only of many boxes a few of those are enough.
_SHARE_TURNED: Final = 0.1
_SOME_TURNED: Final = 2
_MANY: Final = 20
_SHARE_OF_FEW: Final = 0.5
# What the numbers of parts of a thousand reach.
_THOUSAND: Final = 1000
_MANY_THOUSANDTHS: Final = 900
# Centres may be drawn a little beyond the edges: by up to this part of a side, but not in nearly all boxes.
_FAR: Final = 0.1
_NEARLY_ALL: Final = 0.9
NAMES: Final[Mapping[BoxFormat, str]] = {
    "xywh": "x, y, width, height",
    "xyxy": "xmin, ymin, xmax, ymax",
    "yxyx": "ymin, xmin, ymax, xmax",
    "center_xywh": "centre x, centre y, width, height",
}


def need_form(form: BoxFormat, unit: str, images: Sequence[tuple[str, str]], root: str) -> None:
    """Refuses boxes that fit into their images only as what the list does not call them.

    Args:
      form, unit, images, root: as of `forms_that_fit`.

    Raises:
      InputError: with the options that settle it.
    """
    fit = forms_that_fit(form, unit, images, root)
    if fit:
        raise other_form(form, fit)


def told_otherwise(form: BoxFormat, unit: str, images: Sequence[tuple[str, str]], root: str) -> list[str]:
    """That boxes do not fit as what the user says that they are, but as something else, if so.

    Args:
      form, unit, images, root: as of `forms_that_fit`.
    """
    fit = forms_that_fit(form, unit, images, root)
    ways = " or ".join(f"--box-format {each}" for each in fit)
    return [f"{other_form(form, fit).message}, which {ways} says"] if fit else []


def forms_that_fit(
    form: BoxFormat, unit: str, images: Sequence[tuple[str, str]], root: str
) -> list[BoxFormat]:
    """As what boxes fit into their images that do not as what they are taken for; none where they do.

    Args:
      form: for which they are taken; corners in any order are told by their numbers alone.
      unit: --box-unit.
      images: (path or URL, what `tfrecordcli.boxes` has of it and its boxes) of the first rows.
      root: absolute folder or URL that relative paths are relative to.
    """
    if form == "yxyx":
        return []
    boxes = boxes_with_sizes(form, unit, images, root, are_doubtful=True)
    fit: list[BoxFormat] = []
    if form == "center_xywh":
        fit += _forms_of_centers(boxes)
    elif form == "xyxy":
        fit += ["xywh"] if are_extents(boxes) and not are_swapped(boxes) else []
    elif boxes:
        fit += forms_of_corners(boxes) if are_corners(boxes) else []
        fit += ["center_xywh"] if _are_beyond(boxes) and are_centers(boxes) else []
    return fit


def may_be_centers(unit: str, images: Sequence[tuple[str, str]], root: str) -> bool:
    """Whether boxes that are taken for x, y, width, height are fractions that fit as YOLO's, too.

    Args:
      unit, images, root: as of `need_form`.
    """
    boxes = boxes_with_sizes("xywh", unit, images, root, are_doubtful=True)
    return bool(boxes) and boxes[0][1] == (1.0, 1.0) and are_centers(boxes)


def _forms_of_centers(boxes: Sequence[tuple[Numbers, Size]]) -> list[BoxFormat]:
    """What boxes can be that are taken for centres, of which a quarter reach beyond their images.

    Some of these reach far beyond, or nearly all boxes are among them.
    """
    beyond = [(box, size) for box, size in boxes if not are_centers([(box, size)])]
    if len(beyond) < SOME_BEYOND or len(beyond) <= SHARE_BEYOND * len(boxes):
        return []
    far = sum(overhang(box, size) > _FAR for box, size in beyond)
    if far < SOME_BEYOND and len(beyond) < _NEARLY_ALL * len(boxes):
        return []
    fit: list[BoxFormat] = ["xywh"] if are_extents(boxes) else []
    are_in_order = nearly_all(a <= c and b <= d and fits(c, d, size) for (a, b, c, d), size in boxes)
    return [*fit, "xyxy"] if are_in_order else fit


def _are_beyond(boxes: Sequence[tuple[Numbers, Size]]) -> bool:
    """Whether extents reach beyond their images: one of fractions, which then have no unit, or many."""
    beyond = sum(not fits(a + c, b + d, size) for (a, b, c, d), size in boxes)
    return beyond > (0 if boxes[0][1] == (1.0, 1.0) else SHARE_BEYOND * len(boxes))


def boxes_with_sizes(
    form: BoxFormat, unit: str, images: Sequence[tuple[str, str]], root: str, *, are_doubtful: bool = False
) -> list[tuple[Numbers, Size]]:
    """Boxes in a form with the sizes of their images, 1 x 1 of fractions and 100 x 100 of percents.

    Args:
      unit, images, root: as of `need_form`.
      are_doubtful: none where their numbers alone say that they are of this form.
    """
    by_image, texts = grouped(images, form)
    numbers = [each for some in by_image.values() for each in some]
    if not numbers or (are_doubtful and not _MAY_BE_OTHERS[form](numbers)):
        return []
    side = _side(unit, numbers)
    sizes = ((uri, (side, side)) for uri in by_image) if side else _sizes(texts, root)
    return [(box, size) for uri, size in sizes for box in by_image[uri]]


def are_thousandths(images: Sequence[tuple[str, str]], root: str) -> bool:
    """Whether boxes are whole numbers up to 1000 of which most end beyond their images, as models tell them.

    Args:
      images, root: as of `need_form`.
    """
    by_image, texts = grouped(images, "xyxy")
    numbers = [number for some in by_image.values() for each in some for number in each]
    if any(number % 1 for number in numbers) or not _MANY_THOUSANDTHS <= max(numbers, default=0) <= _THOUSAND:
        return False
    sizes = _sizes(texts, root)
    beyond = [not fits(max(a, c), max(b, d), size) for uri, size in sizes for a, b, c, d in by_image[uri]]
    return len(beyond) >= SOME_BEYOND and 2 * sum(beyond) > len(beyond)


def are_in_others(images: Sequence[tuple[str, str]], others: Mapping[str, Size], root: str) -> bool:
    """Whether boxes end beyond their images, a quarter of them, and all fit into other sizes of these.

    Args:
      images, root: as of `need_form`.
      others: by path or URL.
    """
    by_image, texts = grouped(images, "xyxy")
    known = [(size, others[uri], by_image[uri]) for uri, size in _sizes(texts, root) if uri in others]
    told = [(max(a, c), max(b, d), size, other) for size, other, some in known for a, b, c, d in some]
    beyond = sum(not fits(right, bottom, size) for right, bottom, size, _ in told)
    return beyond > SHARE_BEYOND * len(told) and all(
        fits(right, bottom, other) for right, bottom, _, other in told
    )


def grouped(
    images: Sequence[tuple[str, str]], form: BoxFormat
) -> tuple[dict[str, list[Numbers]], dict[str, str]]:
    """The boxes of each image in one form, and the first text of each."""
    by_image: dict[str, list[Numbers]] = {}
    texts: dict[str, str] = {}
    for uri, text in images:
        by_image.setdefault(uri, []).extend(_numbers(text, form))
        texts.setdefault(uri, text)
    return by_image, texts


def other_form(form: BoxFormat, fit: Sequence[BoxFormat]) -> InputError:
    """What is said of boxes that fit in these forms, and not in the one for which they are taken."""
    what = "end before they begin" if form == "xyxy" else "reach beyond their image"
    names = " and as ".join(NAMES[each] for each in fit)
    many = "boxes" if fit[0] == "center_xywh" else "many boxes"
    return InputError(f"{many} {what} as {NAMES[form]}; nearly all fit as {names}", _way_out(form, fit))


def other_areas(fit: Sequence[BoxFormat]) -> InputError:
    """What is said of boxes whose areas are those of corners, in one of these forms."""
    what = f"areas of boxes are theirs as {NAMES['xyxy']}, and not as {NAMES['xywh']}"
    return InputError(what, _way_out("xywh", fit))


def _way_out(form: BoxFormat, fit: Sequence[BoxFormat]) -> str:
    others = "".join(f"--box-format {each} as {NAMES[each]}, " for each in fit[1:])
    return f"--box-format {fit[0]} takes them so, {others}--box-format {form} as they are"


def _may_be_no_extents(numbers: Sequence[Numbers]) -> bool:
    """Whether boxes may be corners, or centres, of which none begins a pixel before its image."""
    may_be_corners = nearly_all(a <= c and b <= d for a, b, c, d in numbers)
    may_be_centers = all(a - c / 2 >= -1 and b - d / 2 >= -1 for a, b, c, d in numbers)
    return bool(numbers) and (may_be_corners or may_be_centers)


def _may_be_extents(numbers: Sequence[Numbers]) -> bool:
    turned = sum(c < a or d < b for a, b, c, d in numbers)
    share = _SHARE_TURNED if len(numbers) >= _MANY else _SHARE_OF_FEW
    return turned >= _SOME_TURNED and turned > share * len(numbers)


# By the form for which boxes are taken: whether their numbers alone let them be others.
_MAY_BE_OTHERS: Final[Mapping[BoxFormat, Callable[[Sequence[Numbers]], bool]]] = {
    "xywh": _may_be_no_extents,
    "xyxy": _may_be_extents,
    "center_xywh": bool,
}


def _numbers(text: str, form: BoxFormat) -> Iterator[Numbers]:
    """The boxes of a field, which has them as corners, as their list has them."""
    for box in parts_of(text)[1] if has_boxes(text) else ():
        corners, _ = texts_of_box(box)
        if len(corners) == 4:
            a, b, c, d = map(float, corners)
            if form == "xywh":
                yield a, b, c - a, d - b
            elif form == "center_xywh":
                yield (a + c) / 2, (b + d) / 2, c - a, d - b
            else:
                yield a, b, c, d


def extents_in(text: str) -> list[Numbers]:
    """The boxes of a field, which has them as corners, as x, y, width, height."""
    return list(_numbers(text, "xywh"))


def _side(unit: str, numbers: Sequence[Numbers]) -> float:
    """Of every image, where boxes are parts of it; 0: pixels."""
    if unit in ("fractions", "percent"):
        return 1.0 if unit == "fractions" else 100.0
    are_fractions = unit == "auto" and max(map(max, numbers)) <= reach(1.0)
    return 1.0 if are_fractions and any(value % 1 for each in numbers for value in each) else 0.0


def _sizes(texts: dict[str, str], root: str) -> Iterator[tuple[str, Size]]:
    """(path or URL, size in pixels) of images of which it is listed, or that can be read."""
    unlisted = []
    for uri, text in texts.items():
        size = listed_size(text)
        if size is None:
            unlisted.append((uri, text))
        elif min(size) > 1:
            yield uri, size
    yield from ((uri, size) for (uri, _), size in sizes_of(unlisted, root))
