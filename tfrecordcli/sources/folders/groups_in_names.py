"""Groups of images that names or folders tell of, for --split-by: a folder has no columns of them."""

from __future__ import annotations

import os
import re
import shlex
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.folders.label_choices import is_no_label
from tfrecordcli.sources.folders.video_files import is_video
from tfrecordcli.sources.names_alike import names_alike
from tfrecordcli.sources.pandas_commands import literal
from tfrecordcli.sources.row import Row
from tfrecordcli.split_words import UNASSIGNED, split_of_folder
from tfrecordcli.units import some_of

_COLUMN: Final = "folder"
LOOKED_AT: Final = 10_000  # images by which the command is made
# What takes the label of a path, as Python, and the same here.
_LABELS: Final[Mapping[str, Callable[[tuple[str, ...]], str]]] = {
    'q.split("/")[-2]': lambda parts: parts[-2],
    'q.split("/")[0]': lambda parts: parts[0],
    'q.split("/")[1]': lambda parts: parts[1],
}
_LAST, _SECOND = 'q.split("/")[-2]', 'q.split("/")[1]'
_PART: Final = "[_.-]"  # what ends the first part of a name
_AS_CSV: Final = (
    "make a CSV of it with a column {}; tfrec inspect --export writes one of its records once it was "
    "converted without that option"
)
_FEWEST: Final = 3  # groups
_MANY: Final = 5  # of a label


@dataclass(frozen=True, slots=True)
class _Groups:
    """What images belong together by.

    Attributes:
      code: the group of a path `q`, as Python.
      names: of the groups.
    """

    code: str
    names: Collection[str]


def need_no_groups(rows: RowFile, path: str, column: str | None, exclude: Collection[str]) -> None:
    """Refuses to assign images to splits one by one where those of a group are to stay together.

    Args:
      rows: of the folder.
      column: that --split-by names, if it is given.

    Raises:
      InputError: some images are in no folder of a split.
    """
    if column is None:
        return
    if not any(row.split == UNASSIGNED for row in rows.read()[1]):
        return
    found = list(islice(rows.read()[1], LOOKED_AT))
    raise InputError(
        f"{path}: --split-by {column}: a folder has no columns", _hint(found, path, column, exclude)
    )


def _hint(rows: Collection[Row], path: str, column: str, exclude: Collection[str]) -> str:
    in_folders, in_names = _by_folders(rows, 1), _by_names(rows)
    if videos := _by_videos(rows):
        how = listing_commands(rows, path, column, videos.code, exclude)
        return f"write a list that has the video of each frame: {how}" if how else _AS_CSV.format(column)
    groups = in_folders or in_names
    commands = groups and listing_commands(rows, path, column, groups.code, exclude)
    if groups and commands:
        part = "the folder of each image" if in_folders else "a part of each name"
        where = "" if in_folders else "what is before the first _ or -: "
        return f"write a list that has {part}, here {where}{some_of(sorted(groups.names))}: {commands}"
    return _AS_CSV.format(column)


def folders_note(rows: RowFile) -> str:
    """What to know of a folder whose images are assigned to splits one by one; empty where nothing.

    So where each label has several folders of several images, or several folders have images of each label.
    """
    found = list(islice(rows.read()[1], LOOKED_AT))
    groups = _by_folders(found, _FEWEST)
    if videos := _by_videos(found):
        how = listing_commands(found, rows.name, "video", videos.code, rows.options.exclude)
        way = how or "a list with a column of these and --split-by prevents that"
        return f"frames of one video ({some_of(sorted(videos.names))}) may be in several splits: {way}"
    if groups is None:
        return _partners_note(found, rows)
    how = listing_commands(found, rows.name, _COLUMN, groups.code, rows.options.exclude)
    way = how or f"a list with a column of these and {command_line(['--split-by', _COLUMN])} prevents that"
    shown = some_of(sorted(groups.names))
    return f"images of one folder ({shown}) may be in several splits: where they belong together: {way}"


def _partners_note(found: Collection[Row], rows: RowFile) -> str:
    alike = names_alike({row.image_uri: row.labels for row in found})
    if alike is None:
        return ""
    group = f're.sub(r"{alike.pattern}", "", q)'
    how = listing_commands(found, rows.name, "group", group, rows.options.exclude)
    way = how or "a list with a column of these and --split-by prevents that"
    return f"{alike.told}: {way}"


def _by_folders(rows: Collection[Row], fewest: int) -> _Groups | None:
    """The folders below those of labels, or above where these are the last; of several the first with many.

    Args:
      rows: of a folder.
      fewest: of these folders a label has more, or as many if they are several.
    """
    taken = _taken_of(rows)[:1]
    if not taken:
        return None
    first = None
    folders = [PurePosixPath(row.image_uri).parts[:-1] for row in rows]
    for depth in _depths(taken[0], max(map(len, folders))):
        least = depth + (taken[0] == _LAST)
        groups = [
            (each[:depth], row.labels) for each, row in zip(folders, rows, strict=True) if len(each) >= least
        ]
        names = Counter("/".join(group) for group, _ in groups)
        of_label = len({*groups}) / len({label for _, label in groups})
        are_groups = _FEWEST <= len(names) <= len(groups) / 2 and len(groups) > len(folders) / 2
        if not are_groups or of_label <= 1 or of_label < fewest or any(map(_tells_none, names)):
            continue
        found = _Groups(f'"/".join(q.split("/")[:{depth}])', names)
        if of_label >= _MANY:
            return found
        first = first or found
    return first


def _by_videos(rows: Collection[Row]) -> _Groups | None:
    """The videos after which several images each are called, as of `frames_of`; None: none is."""
    names = Counter(row.image_uri.rpartition("-")[0] for row in rows)
    videos = [name for name, count in names.items() if count > 1 and is_video(name)]
    code = r're.sub(r"(\.\w+)-\d+\.\w+$", r"\1", q)'
    return _Groups(code, videos) if videos else None


def _depths(taken: str, most: int) -> Iterator[int]:
    """How many folders on top may tell a group.

    Args:
      taken: what takes the label of a path.
      most: the folders of the deepest image.
    """
    return iter(range(1, most) if taken == _LAST else range(2 + (taken == _SECOND), most + 1))


def _tells_none(group: str) -> bool:
    name = group.rpartition("/")[2]
    return bool(split_of_folder(name)) or is_no_label(name)


def _by_names(rows: Collection[Row]) -> _Groups | None:
    """The first parts of names; None where they are all one, or each image has its own.

    Words that come again in most folders, and are fewer than these, tell what the images show: `front_1.jpg`.
    """
    paths = [row.image_uri.rpartition("/") for row in rows]
    parts = [re.split(_PART, name)[0] for _, _, name in paths]
    names, folders = {*parts}, {folder for folder, _, _ in paths}
    places = Counter(part for part, _ in {*zip(parts, (folder for folder, _, _ in paths), strict=True)})
    are_words = not any(re.search("[0-9]", part) for part in names)
    are_everywhere = len(names) < len(folders) and all(2 * n > len(folders) for n in places.values())
    if len(names) in (1, len(parts)) or (are_words and are_everywhere):
        return None
    return _Groups(f're.split("{_PART}", q.split("/")[-1])[0]', names)


def _taken_of(rows: Collection[Row]) -> Sequence[str]:
    """What takes the labels of paths, all of them, as Python."""
    paths = [PurePosixPath(row.image_uri).parts for row in rows]
    return [
        code
        for code, label in _LABELS.items()
        if all(len(p) > 1 and (label(p),) == row.labels for p, row in zip(paths, rows, strict=True))
    ]


def listing_commands(
    rows: Collection[Row], path: str, column: str, group: str, exclude: Collection[str]
) -> str:
    """The commands for a list of a folder with a column of groups; empty where none is certain.

    Args:
      rows: of the folder, the first ones.
      group: that of a path `q`, as Python.
    """
    paths = [PurePosixPath(row.image_uri).parts for row in rows]
    is_labelled = [bool(row.labels) for row in rows]
    takes = _taken_of(rows)
    if (
        exclude
        or not os.path.isdir(path)
        or any(row.boxes for row in rows)
        or (any(is_labelled) and not takes)
    ):
        return ""
    label = f", {takes[0]}" if takes else ""
    endings = sorted({parts[-1][parts[-1].rfind(".") :] for parts in paths})
    header = f'"image", {chr(34) + "label" + chr(34) + ", " if takes else ""}{literal(column)}'
    code = (
        "import csv, glob, re, sys; w = csv.writer(sys.stdout); "
        f"w.writerow([{header}]); "
        f"[w.writerow([q{label}, {group}]) "
        'for q in sorted(glob.glob("**", root_dir=sys.argv[1], recursive=True)) '
        f"if q.endswith(({', '.join(map(literal, endings))},))]"
    )
    split_by = command_line(["--split-by", column])
    listed = as_path(f"{path.rstrip('/')}/list.csv")
    keep = "" if takes else " --unlabelled keep"
    return (
        f"{command_line(['python', '-c', code, as_path(path)])} > {shlex.quote(listed)}, then "
        f"{command_line(['tfrec', 'convert', listed])} OUTPUT_DIR {split_by}{keep}"
    )
