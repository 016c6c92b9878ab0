"""Names of files beside a column of their folders, as Timelapse's `File` and `RelativePath`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final
from urllib.parse import unquote

from tfrecordcli.errors import InputError
from tfrecordcli.sources.column_words import columns_option, names_a_file
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.proposals.paths_in_columns import Part, certain_paths_hint, command_for, path_of_row
from tfrecordcli.sources.sample import Sample
from tfrecordcli.storage.uris import is_remote

_CALLED: Final = ("relativepath", "relative_path")
_FIRST: Final = 100  # rows whose files are looked for


def need_whole_paths(sample: Sample, rows: RowFile, root: str) -> None:
    """Refuses such a list where images are in the folders that it names: cameras call files alike.

    Args:
      root: folder or URL that relative paths are relative to.

    Raises:
      InputError: with the command that puts folders and names together.
    """
    image = sample.shape.image
    if image is None or not sample.shape.header or rows.is_spooled or rows.is_own or is_remote(root):
        return
    if "image_uri" not in dict(rows.options.columns) and not rows.options.map:
        _need_no_relative_path(sample, rows, root, image)
        _need_no_equal_names(sample, rows, root, image)


def _need_no_relative_path(sample: Sample, rows: RowFile, root: str, image: int) -> None:
    header = sample.shape.header
    folder = next((i for i, name in enumerate(header) if name.lower() in _CALLED), None)
    if folder is None:
        return
    table = [row for row in sample.table if len(row) == len(header)]
    pattern = (Part(column=folder), Part("/"), Part(column=image))
    bare = [row for row in table if _is_bare(row[image])][:_FIRST]
    path = _path_in_folder([(row[image], os.path.normpath(path_of_row(pattern, row))) for row in bare], root)
    if path:
        command = command_for(pattern, header, table, image, rows.name, sample.shape.delimiter)
        raise InputError(
            f"images are in the folders that column {header[folder]} names, as {path}",
            f"write these into the paths{': ' * bool(command)}{command}; {_alone(sample, rows, image)}",
        )


def _path_in_folder(named: Sequence[tuple[str, str]], root: str) -> str:
    """The first path in a folder, where most such paths are files and their names are not; else empty.

    A name that files of several folders have is no image by itself, even where there is such a file.

    Args:
      named: (name, path in its folder) of each row.
    """
    inside = [(name, path) for name, path in named if name != path]
    joined = _files([path for _, path in inside], root)
    alone = _files([name for name, _ in inside], root)
    there = {*_files([path for _, path in named], root)}
    shared = {(name, path) for name, path in named if path in there}
    is_shared = len({name for name, _ in shared}) < len(shared)
    is_meant = 2 * len(joined) > len(inside) and (is_shared or 2 * len(alone) < len(inside))
    return joined[0] if is_meant else ""


def _is_bare(name: str) -> bool:
    """Whether it is the name of a file without a folder: no path and no URL."""
    return not {"/", "\\"} & {*unquote(name)}


def _files(paths: Sequence[str], root: str) -> list[str]:
    """Those that are files."""
    return [path for path in paths if os.path.isfile(os.path.join(root, path))]


def _need_no_equal_names(sample: Sample, rows: RowFile, root: str, image: int) -> None:
    """Names that come again and are no files are merged, or contradict each other, before any is missed."""
    header = sample.shape.header
    rows_once = dict.fromkeys(map(tuple, sample.table))
    names = [name for row in rows_once for name in row[image : image + 1] if name]
    unique = list(dict.fromkeys(names))
    if len(unique) == len(names) or not all(names_a_file(name) and _is_bare(name) for name in unique):
        return
    if _files(unique[:_FIRST], root):
        return
    hint = certain_paths_hint(header, sample.table, image, root, rows.name, sample.shape.delimiter)
    if hint:
        raise InputError(
            f"column {header[image]} has the same names for images in several folders",
            f"{hint}; {_alone(sample, rows, image)}",
        )


def _alone(sample: Sample, rows: RowFile, image: int) -> str:
    """The option that takes names as they are, with what `--columns` says besides."""
    header = sample.shape.header
    labels = [("label", header[i]) for i in sample.shape.labels]
    others = [given for given in rows.options.columns if given[0] != "label"]
    return f"{columns_option([('image_uri', header[image]), *labels, *others])} takes {header[image]} alone"
