"""Rows without a header with the size of their image beside a box: `a.png;91;182;3;16;79;155;0;` (TSRD)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tfrecordcli.number_patterns import WRITTEN_NUMBER
from tfrecordcli.sources.boxes.unit import LOOKED_AT, size_of_file
from tfrecordcli.storage.uris import is_remote

_SIDES: Final = 4
_SOME_ROWS: Final = 3  # that show what a column holds


@dataclass(frozen=True, slots=True)
class SizeBehind:
    """Two columns side by side that may be width and height of the images.

    Attributes:
      place: number of the first, from 0.
      is_certain: whether images have these sizes.
    """

    place: int
    is_certain: bool


def size_behind(
    columns: Sequence[Sequence[str]], start: int, uris: Sequence[str], root: str
) -> SizeBehind | None:
    """The columns in which all boxes lie; of images that can be read here, they must be the sizes.

    Args:
      columns: of fields behind the image.
      start: number of the column in which boxes begin, which are corners.
      uris: of the image of each row.
      root: absolute folder or URL that relative paths are relative to.
    """
    boxes = [tuple(map(float, row)) for row in zip(*columns[start : start + _SIDES], strict=True)]
    places = [*range(start - 1), *range(start + _SIDES, len(columns) - 1)]
    sizes = {place: _sizes(columns[place : place + 2]) for place in places}
    holding = [place for place in places if _hold(sizes[place], boxes)]
    seen = dict(sizes_of_files(uris, root)) if holding else {}
    if not seen:
        return SizeBehind(holding[0], is_certain=False) if holding and len(boxes) >= _SOME_ROWS else None
    same = (place for place in holding if all(sizes[place][row] == size for row, size in seen.items()))
    place = next(same, None)
    return None if place is None else SizeBehind(place, is_certain=True)


def _sizes(pair: Sequence[Sequence[str]]) -> list[tuple[float, ...]]:
    """Width and height of each row; nothing where they are no numbers."""
    if not all(WRITTEN_NUMBER.fullmatch(field) for column in pair for field in column):
        return []
    return [tuple(map(float, row)) for row in zip(*pair, strict=True)]


def _hold(sizes: Sequence[tuple[float, ...]], boxes: Sequence[tuple[float, ...]]) -> bool:
    """Whether each box in pixels lies in such an image, and one of them ends beyond its middle."""
    ends = [(c / w, d / h) for (w, h), (_, _, c, d) in zip(sizes, boxes, strict=False) if min(w, h) > 1]
    are_inside = all(max(end) <= 1 for end in ends) and all(max(box) > 1 and min(box) >= 0 for box in boxes)
    return len(ends) == len(boxes) and are_inside and any(min(end) > 0.5 for end in ends)


def sizes_of_files(uris: Sequence[str], root: str) -> Iterator[tuple[int, tuple[int, int]]]:
    """Rows whose images can be read here, with width and height; a few are tried."""
    for row, uri in enumerate(uris[:LOOKED_AT]):
        size = None if is_remote(uri) or is_remote(root) else size_of_file(uri, root)
        if size is not None:
            yield row, size
