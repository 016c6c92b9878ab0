"""Rows without a header that name further images behind the first: pairs, or what a header has to tell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.sources.column_words import IMAGE_EXTENSION
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.made_list import as_commas, made_by
from tfrecordcli.sources.pairs_of_images import ONE_IMAGE, images_alone, told_pairs
from tfrecordcli.sources.proposals.names_of_numbers import are_numbers
from tfrecordcli.sources.sample import Sample
from tfrecordcli.split_words import parse_split

# A log of Udacity's driving simulator.
_CAMERAS: Final = ("center", "left", "right")
_DRIVEN: Final = ("steering", "throttle", "brake", "speed")
_Columns = Sequence[tuple[str, ...]]


def need_no_images_behind(sample: Sample, rows: RowFile) -> None:
    """Refuses names of further images behind each, with words or numbers: nothing says what these tell of.

    Raises:
      InputError: with the commands that write a header, and a list of all images.
    """
    options, named = rows.options, [row for row in sample.words if row[2]]
    columns: _Columns = list(zip(*(names for _, _, names in named), strict=False))
    places = [i for i, column in enumerate(columns) if all(map(IMAGE_EXTENSION.search, column))]
    if sample.shape.header or not places or len(columns) == 1 or options.multi_label:
        return
    before = _before(sample)
    images = [len(before), *(len(before) + 1 + i for i in places)]
    split, delimiter = 0 if before == ["split"] else None, sample.shape.delimiter
    alone = images_alone(images, split, rows.name, delimiter, has_header=False)
    if pairs := told_pairs((uri, names[places[0]], _told(names, places)) for _, uri, names in named):
        raise InputError(f"its rows are pairs of images: {pairs}", f"{ONE_IMAGE}: {alone}")
    if options.label_type == "auto" and options.task != "classification":
        header = [*before, "image", *_names(len(columns), places)]
        with_header = made_by(",".join(header), as_commas(delimiter), rows.name)
        raise InputError(
            f"each row names a further image behind the first, as {columns[places[0]][0]}",
            _as_udacity(named[0][1], columns, rows.name, delimiter)
            or f"a record holds one image: where the rest tells of the first, {with_header}, with the names "
            f"that are true; where it tells of both, {alone}",
        )


def _before(sample: Sample) -> list[str]:
    """What a column before the images is to be called; nothing where there is none."""
    word = next((word for word, _, names in sample.words if names), "")
    return [] if not word else ["column_0" if parse_split(word) is None else "split"]


def _told(names: Sequence[str], places: Sequence[int]) -> str:
    return " ".join(name for i, name in enumerate(names) if i not in places)


def _names(count: int, places: Sequence[int]) -> list[str]:
    """Names for so many columns behind the image, those of images at these places: `other`, `label`."""
    others = [f"other_{i}" if i > 1 else "other" for i in range(1, len(places) + 1)]
    rest = ["label", *(f"column_{i}" for i in range(2, count + 1))]
    return [(others if i in places else rest).pop(0) for i in range(count)]


def _as_udacity(first: str, columns: _Columns, name: str, delimiter: str) -> str:
    """A hint with the command that writes the header of a log of Udacity's simulator; else empty."""
    firsts = [first, *(column[0] for column in columns)]
    cameras = [re.split(r"[/\\]", first)[-1].partition("_")[0] for first in firsts[: len(_CAMERAS)]]
    are_driven = len(firsts) == len(_CAMERAS + _DRIVEN) and all(map(are_numbers, columns[2:]))
    if tuple(cameras) != _CAMERAS or not are_driven:
        return ""
    how = "convert that with --columns image_uri=center,label=steering --task regression"
    return f"{made_by(','.join(_CAMERAS + _DRIVEN), as_commas(delimiter), name)}, and {how}"
