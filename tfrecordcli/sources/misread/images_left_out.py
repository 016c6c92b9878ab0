"""Columns of a list that name further images, of which none is read: those of pairs, masks, thumbnails."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.option_parsing import is_asked_for
from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import IMAGE_EXTENSION, columns_option, without_extension
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.folders.masks import CALLED_MASK
from tfrecordcli.sources.image_paths import PathRules, path_of
from tfrecordcli.sources.pairs_of_images import ONE_IMAGE, images_alone, told_pairs
from tfrecordcli.sources.sample import Sample
from tfrecordcli.storage.uris import is_remote
from tfrecordcli.units import join_names, some_of

_NEARLY_ALL: Final = 0.9
_LOOKED_AT: Final = 100  # rows of which the files are looked for
_Rows = Sequence[tuple[str, str]]  # (image that is read, image beside it)


def need_no_pairs(sample: Sample, rows: RowFile) -> None:
    """Refuses rows that tell of an image and of one beside it, in a column that is not read.

    Raises:
      InputError: with the command that makes a list of all images.
    """
    shape = sample.shape
    if shape.boxes is not None or not shape.labels or rows.options.multi_label:
        return
    labels = [shape.header[i] for i in shape.labels if shape.header]
    for name in _beside(sample, rows):
        image = shape.header[shape.image or 0]
        told = [(one, other, " ".join(label)) for one, other, *label in sample.parts([image, name, *labels])]
        if not CALLED_MASK.fullmatch(name) and (pairs := told_pairs(told)):
            numbers = [shape.header.index(each) for each in (image, name)]
            alone = images_alone(numbers, shape.split, rows.name, shape.delimiter, has_header=True)
            ways = f"; {_taking(name, rows)} reads {name} instead" if _may_be_labelled(told) else ""
            raise InputError(f"its rows are pairs of images: {pairs}", f"{ONE_IMAGE}: {alone}{ways}")


def told_images_left_out(sample: Sample, rows: RowFile, root: str) -> Iterator[str]:
    """That columns which are not used name images other than those that are read.

    Args:
      root: absolute folder or URL that relative paths are relative to.
    """
    columns = _beside(sample, rows)
    masks = [name for name in columns if CALLED_MASK.fullmatch(name)]
    others = {name: told for name, told in columns.items() if name not in masks}
    mapped = PathRules(rows.options.map).apply
    others = {
        name: told
        for name, told in others.items()
        if _may_be_there(told, mapped, root) and not _are_same(told, mapped, root) and not _are_read(told)
    }
    if masks:
        yield f"{some_of(masks)} names masks of segmentation, which are not read"
    if not others:
        return
    first, told = next(iter(others.items()))
    image = sample.shape.header[sample.shape.image or 0]
    where = f", where these are other images than those of {image}" if is_remote(told[0][1]) else ""
    features = command_line(["--features", join_names(others)])
    # One image beside several that are read has no label of its own, as the original of distorted ones.
    are_as_many = len({other for _, other in told}) >= len({one for one, _ in told})
    instead = f"{_taking(first, rows)} reads {first} instead, " if are_as_many else ""
    yield (
        f"a record holds one image, and none that {some_of(list(others))} names, as {told[0][1]}{where}: "
        f"{instead}{features} stores the names"
    )


def _may_be_labelled(told: Sequence[tuple[str, str, str]]) -> bool:
    """Whether rows may tell of the images beside those that are read, as they do of crops."""
    is_apart = {one for one, _, _ in told}.isdisjoint(other for _, other, _ in told)
    return is_apart and not told_pairs((other, one, label) for one, other, label in told)


def _taking(name: str, rows: RowFile) -> str:
    return columns_option(
        [("image_uri", name), *(each for each in rows.options.columns if each[0] != "image_uri")]
    )


def _beside(sample: Sample, rows: RowFile) -> dict[str, _Rows]:
    """Columns that nearly all rows name an image in, of which no part of a record is made; not URLs beside
    files, or the other way round: these tell where the images came from.
    """
    shape = sample.shape
    if rows.is_spooled or shape.is_table or not shape.header or shape.image is None:
        return {}
    image, found = shape.header[shape.image], dict[str, _Rows]()
    count = sum(1 for _, uri, _ in sample.words if uri)
    known = ("", image, rows.options.split_by)
    for name in sample.unread(
        lambda name: name not in known and not is_asked_for(name, rows.options.features)
    ):
        parts = [(one, other) for one, other in sample.parts([image, name]) if one and _names_an_image(other)]
        told = [(one, other) for one, other in parts if is_remote(one) == is_remote(other)]
        if told and len(told) >= _NEARLY_ALL * count:
            found[name] = told
    return found


def _names_an_image(field: str) -> bool:
    return IMAGE_EXTENSION.search(field.partition("?")[0] if is_remote(field) else field) is not None


def _may_be_there(told: _Rows, mapped: Callable[[str], str], root: str) -> bool:
    """Whether one of these images is on this disk, or in a store; others are names of the past."""
    return any(
        is_remote(other) or os.path.isfile(path_of(mapped(other), root)) for _, other in told[:_LOOKED_AT]
    )


def _are_same(told: _Rows, mapped: Callable[[str], str], root: str) -> bool:
    """Whether nearly all rows name one image twice, once with more folders than the other time."""
    shown = told[:_LOOKED_AT]
    same = sum(
        _ends_alike(one, other) and not _are_two(mapped(one), mapped(other), root) for one, other in shown
    )
    return same >= _NEARLY_ALL * len(shown)


def _are_read(told: _Rows) -> bool:
    """Whether nearly all are read, some in the same row, as a column of left eyes names them twice."""
    read = {one for one, _ in told}
    are_all = sum(other in read for _, other in told) >= _NEARLY_ALL * len(told)
    return are_all and any(one == other for one, other in told)


def _ends_alike(one: str, other: str) -> bool:
    paths = (re.split(r"[/\\]+", without_extension(path).casefold()) for path in (one, other))
    short, long = sorted(paths, key=len)
    return long[-len(short) :] == short


def _are_two(one: str, other: str, root: str) -> bool:
    """Whether both are files, and not the same."""
    paths = [path_of(path, root) for path in (one, other)]
    return all(map(os.path.isfile, paths)) and not os.path.samefile(*paths)
