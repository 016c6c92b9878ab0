"""Splits that folders or files in the paths of a list are called by, where the list has no column of them."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from contextlib import closing
from itertools import islice
from typing import Final

from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.folders.splits_in_names import list_by_files
from tfrecordcli.sources.pandas_commands import beside, changed, literal, python_command
from tfrecordcli.sources.row import Malformed
from tfrecordcli.sources.text_encoding import is_utf_8, then_without_encoding
from tfrecordcli.split_words import SPLIT_WORDS, split_of

# Folders of rows behind the sample may have any of them.
_WORDS: Final = "|".join(filter(split_of, SPLIT_WORDS))
_LOOKED_AT: Final = 1_000  # images whose folders tell the place of the label
# What stands behind the word of a split: in a path whose folders are called so, and in one whose file is.
_FOLDER, _FILE = r"[/\\]", "[_-]"
_BY_WORD: Final = f"({_WORDS}){_FILE}"
_PREFIX: Final = re.compile(_BY_WORD, re.IGNORECASE)
_BY_FILES: Final = "names of images begin with words of splits"
_ODD_ONE_IN: Final = 10  # other files of a folder
# As `other` of TT100K and `extra` of SVHN, whose images nobody is to meet in a test set by chance.
_OF_OTHERS: Final = (
    "; images of other folders get none by that and are assigned: write train into their rows, or discard to "
    "leave them out"
)


def splits_in_paths_warning(rows: RowFile, uris: Collection[str]) -> str:
    """What to know of rows without a split whose images, or their folders, are called like several; or empty.

    Args:
      rows: the list.
      uris: of its images, or a sample of them.
    """
    folders, files = [*map(_split_folder, uris)], [*map(_split_prefix, uris)]
    if rows.is_listing:
        named = [*filter(None, files)]
        are_most = _ODD_ONE_IN * len(named) >= (_ODD_ONE_IN - 1) * len(files)
        return _told(_BY_FILES, named, _list_of_folder(rows)) if are_most and _are_several(named) else ""
    in_folders = [*filter(None, folders)]
    if _are_several(in_folders) and not (len(in_folders) < len(folders) and _are_labels(rows)):
        command = _command(rows, _FOLDER)
        command += _OF_OTHERS * (len(in_folders) < len(folders))
        return _told("images are in folders called like splits", in_folders, command)
    if all(files) and _are_several(files):
        return _told(_BY_FILES, files, _command(rows, _FILE))
    return ""


def _are_labels(rows: RowFile) -> bool:
    """Whether folders called like splits are classes beside others, as trains are beside cars."""
    met = ((_split_folder(row.image_uri), row.labels) for row in islice(rows.read()[1], _LOOKED_AT))
    return all(labels == (folder,) for folder, labels in met if folder)


def _are_several(words: Collection[str]) -> bool:
    return len({*map(split_of, words)}) > 1


def _told(what: str, words: Collection[str], command: str) -> str:
    named = ", ".join(sorted({*words})[:5])
    return f"{what} ({named}), and rows without a split are assigned whatever these say: {command}"


def _split_folder(uri: str) -> str:
    """The folder in a path that is called like a split, the last of several; empty where none is."""
    folders = uri.replace("\\", "/").split("/")[:-1]
    return next((folder for folder in reversed(folders) if split_of(folder)), "")


def _split_prefix(uri: str) -> str:
    """The word of a split that the name of a file begins with; empty where there is none."""
    match = _PREFIX.match(uri.replace("\\", "/").rpartition("/")[2])
    return match[1] if match else ""


def _list_of_folder(rows: RowFile) -> str:
    """How the images of a folder get splits: by a list of them."""
    if not os.path.isdir(rows.name):
        return "write a list with the label and the split of each image"
    label, endings = _labels_and_endings(rows)
    command = list_by_files(rows.name, _BY_WORD, label, endings, rows.options.exclude)
    return f"make a list of them: {command}, and convert that{' with --unlabelled keep' * (not label)}"


def _labels_and_endings(rows: RowFile) -> tuple[str, set[str]]:
    """Which of the folders above an image is its label, as a slice, empty for none; all endings of images."""
    shape, records = rows.read_records()
    places: list[tuple[Sequence[str], str]] = []
    endings = set()
    with closing(records):
        for _, fields in records:
            assert not isinstance(fields, Malformed)
            assert shape.image is not None
            *folders, name = fields[shape.image].split("/")
            endings.add(os.path.splitext(name)[1])
            label = fields[shape.labels[0]]
            if label and len(places) < _LOOKED_AT:
                places.append((folders, label))
    if not places:
        return "", endings
    slices = {"-1:": slice(-1, None), **{f"{i}:{i + 1}": slice(i, i + 1) for i in range(len(places[0][0]))}}
    fit = (text for text, part in slices.items() if all(each[part] == [label] for each, label in places))
    return next(fit, "-1:"), endings


def _command(rows: RowFile, behind: str) -> str:
    """How the list gets a column of splits.

    Args:
      behind: the pattern of what stands behind the word of a split.
    """
    command = ""
    shape = rows.shape() if not rows.is_spooled and os.path.isfile(rows.name) else None
    if shape is not None and shape.image is not None:
        change = (
            f't["split"] = t[{literal(shape.header[shape.image])}]'
            f'.str.extract(r"(?i)(?:.*[/\\\\]|^)({_WORDS}){behind}", expand=False); t'
        )
        command = changed(rows.name, shape.delimiter, change, "with-splits", encoding=rows.options.encoding)
    elif shape is not None and not shape.header:
        command = _command_without_header(rows.name, shape.delimiter, behind, _encoding(rows))
    then = then_without_encoding(rows.options.encoding)
    return f"write them into a column{f': {command}{then}' if command else ' called split'}"


def _command_without_header(name: str, delimiter: str, behind: str, encoding: str) -> str:
    """The command for rows that begin with the image, which writes the split before it."""
    sign = "\\t" if delimiter == "\t" else delimiter
    pattern = rf"(?im)^(\x22?(?:[^{sign}\n]*[/\\])?({_WORDS}){behind})?(?=.)"
    code = (
        f'import re; t = open({literal(name)}, encoding="{encoding}", newline="").read(); '
        f'open({literal(beside(name, "with-splits"))}, "x", encoding="utf-8", newline="")'
        f'.write(re.sub(r"{pattern}", r"\\2{sign}\\1", t))'
    )
    command = python_command(code, name)
    return f"{command}, and convert that with --delimiter ' '" if command and delimiter == " " else command


def _encoding(rows: RowFile) -> str:
    return "utf-8-sig" if is_utf_8(rows.options.encoding) else rows.options.encoding
