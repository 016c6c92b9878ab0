"""A column `id` that is taken for the images of a list, beside one that names them: refused, with both ways.

It may number objects, tracks or rows. Where its values happen to be names of files, as `7` is of `7.jpg`,
each object would be stored with the image of that number.

A first row that `--columns` has as the header is told of where it names an image that is there.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.option_parsing import typed_column
from tfrecordcli.sources.boxes.words import as_word
from tfrecordcli.sources.column_words import columns_option, is_any_id, names_a_file
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.image_paths import EXTENSIONS, PathRules, path_of
from tfrecordcli.sources.made_list import as_commas, made_by
from tfrecordcli.sources.proposals.images_beside_ids import images_beside_id
from tfrecordcli.sources.proposals.missing_images import holds_images
from tfrecordcli.sources.sample import Sample
from tfrecordcli.storage.uris import is_remote

_LOOKED_AT: Final = 100
_FRAMES: Final = frozenset({
    "frame", "frameid", "framenumber", "frameno", "framenum", "framenr", "frameindex", "frameidx",
})  # fmt: skip


def need_column_of_images(sample: Sample, rows: RowFile, root: str) -> None:
    """Refuses a column `id` taken for images where another column has names of files, or numbers of frames.

    The column `id` is right where more of its values are files here than of the other column's, and, beside
    labels of whole images, where all of them are; those of boxes may be tracks. Where none is one, a column
    of names of images alone is likelier, wherever these are.

    Args:
      root: absolute folder or URL that relative paths are relative to.

    Raises:
      InputError: with the option that names either column.
    """
    shape, options = sample.shape, rows.options
    if shape.image is None or not shape.header or "image_uri" in dict(options.columns):
        return
    taken = shape.header[shape.image]
    if rows.is_spooled or not is_any_id(taken):
        return
    ids = set(filter(None, sample.fields(shape.image)))
    those = _there(ids, rows, root)
    are_urls = bool(ids) and all(map(is_remote, ids))  # no numbers; whether they are there is seen later
    if are_urls or (shape.boxes is None and those == min(len(ids), _LOOKED_AT)):
        return
    named = "" if those or options.map else images_beside_id(shape.header, sample.table, root)
    asked = {"", options.split_by, *(typed_column(entry)[0] for entry in options.features)}
    for name, fields in sample.unread(lambda name: name not in asked).items():
        values = set(filter(None, fields))
        these = _there(values, rows, root)
        are_frames = as_word(name) in _FRAMES and all(map(str.isdecimal, ids | values))
        is_doubted = these >= those if are_frames else these > those and all(map(names_a_file, values))
        if values and (is_doubted or name == named):
            others = [each for each in options.columns if each[0] != "image_uri"]
            ways = [columns_option([("image_uri", each), *others]) for each in (name, taken)]
            what = "numbers of frames" if are_frames else "names of files"
            example = next(filter(None, fields))
            raise InputError(
                f"column {taken} would name the images, and column {name} has {what}, as {example}",
                f"say which names them: {ways[0]}, or {ways[1]}",
            )


def told_image_for_header(sample: Sample, rows: RowFile, root: str) -> Iterable[str]:
    """That the first row, whose fields `--columns` names, tells of an image as the rows below do.

    Args:
      root: as of `need_column_of_images`.
    """
    shape = sample.shape
    if shape.image is None or rows.is_spooled or "image_uri" not in dict(rows.options.columns):
        return
    name, ids = shape.header[shape.image], set(filter(None, sample.fields(shape.image)))
    what = "an image"
    if ids and _are_folders([name, *ids], rows, root):
        what = "a folder of images"
    elif not ids or not _there([name], rows, root) or _there(ids, rows, root) < min(len(ids), _LOOKED_AT):
        return
    called = {shape.image: "image", **dict.fromkeys(shape.labels, "label")}
    names = [called.get(i, f"column_{i + 1}") for i in range(len(shape.header))]
    yield (
        f"the first row is taken for a header, and {name} is {what} as those below are: where it is none, "
        f"{made_by(','.join(names), as_commas(shape.delimiter), rows.name)}"
    )


def _are_folders(values: Iterable[str], rows: RowFile, root: str) -> bool:
    """Whether the first of these are local folders that hold images."""
    rules = PathRules(rows.options.map)
    paths = [path_of(rules.apply(value), root) for value in [*values][:_LOOKED_AT]]
    return all(path and holds_images(path) for path in paths)


def _there(values: Iterable[str], rows: RowFile, root: str) -> int:
    """How many of these, or of some of them, are files, with the extension that they may leave out."""
    rules = PathRules(rows.options.map)
    paths = [path_of(rules.apply(value), root) for value in sorted(values)[:_LOOKED_AT]]
    return sum(any(os.path.isfile(path + end) for end in ("", *EXTENSIONS)) for path in paths if path)
