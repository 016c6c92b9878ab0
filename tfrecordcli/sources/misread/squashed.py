"""Boxes in pixels of originals whose files here all have one size, whatever shape they had."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.sources.boxes.columns import BoxColumns
from tfrecordcli.sources.boxes.fit import Numbers, Size, fits
from tfrecordcli.sources.boxes.form import grouped
from tfrecordcli.sources.boxes.unit import LOOKED_AT, listed_size, size_of_file
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.pandas_commands import changed, changed_by_axis, literal
from tfrecordcli.sources.sample import Sample
from tfrecordcli.storage.uris import is_remote

_SOME: Final = 3  # images that tell something
_SAME_SHAPE: Final = 0.02


def need_no_squashed(rows: RowFile, sample: Sample, images: Sequence[tuple[str, str]], root: str) -> None:
    """Refuses boxes that fit into listed sizes, some of another shape, where all files have one other size.

    Nothing says whether their pictures were squashed, as those of most such sets were, or cut.

    Args:
      images, root: as of `tfrecordcli.sources.box_form.need_form`.

    Raises:
      InputError: with the command that makes fractions of the boxes.
    """
    boxes = sample.shape.boxes
    if boxes is None or boxes.size is None or len(boxes.corners) != 4 or not sample.shape.header:
        return
    found = [] if is_remote(root) else _squashed(images, root)
    if not found:
        return
    names = [sample.shape.header[column] for column in (*boxes.corners, *boxes.size)]
    is_certain = any(not fits(max(a, c), max(b, d), size) for size, _, some in found for a, b, c, d in some)
    are_fractions = all(max(box) <= 1 for *_, some in found for box in some)
    what, ways = f"boxes {'are' if is_certain else 'may be'} in pixels of the originals", []
    if are_fractions:
        what, ways = "boxes are fractions", [_unsized("where files were squashed", names[4:], rows, sample)]
    else:
        command = _fractions(boxes, names, rows, sample)
        ways = [
            f"where files were squashed, make fractions of the boxes{': ' * bool(command)}{command}, and "
            "convert that with --box-unit fractions"
        ]
        if not is_certain:
            ways += [_unsized("in pixels of the files", names[4:], rows, sample)]
        ways += ["--box-unit pixels rejects the images of another shape"]
    size = " x ".join(map(str, found[0][0]))
    raise InputError(
        f"images have {size} pixels each, and {' and '.join(names[4:])} tell other shapes: {what}",
        "; ".join(ways),
    )


def _unsized(where: str, size: Sequence[str], rows: RowFile, sample: Sample) -> str:
    """The command that leaves out the columns of sizes, and where it is right."""
    change = f"t.drop(columns=[{', '.join(map(literal, size))}])"
    command = changed(rows.name, sample.shape.delimiter, change, "unsized")
    return f"{where}, leave these columns out{': ' * bool(command)}{command}"


def _squashed(images: Sequence[tuple[str, str]], root: str) -> list[tuple[Size, Size, list[Numbers]]]:
    """(size of the file, listed size, boxes) of the first images, where they are such; else nothing.

    The first file that has the listed size, as nearly any list has soon, ends the search.
    """
    by_image, texts = grouped(images, "xyxy")
    first = [
        (uri, listed) for uri, text in texts.items() if (listed := listed_size(text)) and min(listed) > 0
    ]
    found: list[tuple[Size, Size, list[Numbers]]] = []
    for uri, listed in first[:LOOKED_AT]:
        if is_remote(uri) or not all(fits(max(a, c), max(b, d), listed) for a, b, c, d in by_image[uri]):
            return []
        size = size_of_file(uri, root)
        if size in (listed, listed[::-1]) or (found and size not in (None, found[0][0])):
            return []
        found += [(size, listed, by_image[uri])] if size is not None else []
    is_other = any(abs(w * b / (h * a) - 1) > _SAME_SHAPE for (a, b), (w, h), _ in found)
    return found if is_other and len(found) >= _SOME else []


def _fractions(boxes: BoxColumns, names: Sequence[str], rows: RowFile, sample: Sample) -> str:
    """The command that divides the numbers of boxes by the listed sizes, and leaves these out."""
    *numbers, width, height = names
    by_axis = (height, width) if boxes.form == "yxyx" else (width, height)
    return changed_by_axis(rows.name, sample.shape.delimiter, numbers, by_axis, "/", "fractions")
