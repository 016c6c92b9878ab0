"""Boxes in CSV files, one for each image and called like it, as those of ACFR's fruit are."""

from __future__ import annotations

import csv
import glob
import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.boxes.columns import find_box_columns
from tfrecordcli.sources.boxes.words import (
    CIRCLE_CENTERS,
    DIAMETERS,
    RADII,
    as_word,
    columns_by_word,
    columns_called,
)
from tfrecordcli.sources.column_words import is_any_id, known_columns, likely_columns
from tfrecordcli.sources.csv_shape import detect_delimiter
from tfrecordcli.sources.folders.annotation_files import HEAD_BYTES, say_nothing
from tfrecordcli.sources.folders.files_of_images import FilesOfImages, files_and_images, lines_of
from tfrecordcli.sources.folders.tree import Tree, is_image_name, joined
from tfrecordcli.sources.foreign.napari import AROUND, BOXES, SHAPES
from tfrecordcli.sources.image_paths import EXTENSIONS
from tfrecordcli.sources.made_list import made_of_folder

_ENDING: Final = ".csv"
_SOME: Final = 2  # tables of a folder, or classes, at least
_LEVELS: Final = 2  # above a table, at which another folder may hold its image
# How far a box reaches from its corner, as columns of a list say it.
_STEPS: Final = {"dx": "w", "dy": "h"}
_KNOWN: Final = 1_000
_CODE: Final = (
    "import csv, pathlib, re, sys; r = pathlib.Path(sys.argv[1]).resolve(); w = csv.writer(sys.stdout); "
    "h = %s; w.writerow(%s); %sw.writerows([i.relative_to(r).as_posix(), *b%s] "
    "for %s for k in [[q for f in m for e in %s for q in [r / f / (p.stem + e)] if q.is_file()]] "
    'if k for i in [k[0] if len(k) == 1 else sys.exit(f"{p}: {len(k)} images are called so")] '
    "for t in [[[c.strip() for c in v] for v in csv.reader(open(p, "
    'encoding="utf-8-sig", newline=""), delimiter=%s, skipinitialspace=True) if any(v)]] '
    'if t[:1] in ([], [h]) or sys.exit(f"{p}: other columns: {t[0]}") for b in %s or [[""] * %d] '
    'if len(b) == %d or sys.exit(f"{p}: fields of a row: {b}"))'
)


class BoxesInTables:
    """The tables and images of one listing, the first ones of each folder.

    Args:
      head: gives so many first bytes of a file; none of one that cannot be read.
    """

    def __init__(self, head: Callable[[str, int], bytes]) -> None:
        self._head = head
        self._tables = FilesOfImages(_ENDING, head)
        self.add_image = self._tables.add_image
        self.add = self._tables.add

    def need_none(self, root: str, classes: Collection[str] = ()) -> Iterator[str]:
        """Refuses a folder with tables of boxes; beside several classes they are a doubt, which is yielded.

        Args:
          root: the folder.
          classes: names of its folders of labels.

        Raises:
          InputError: naming a file, with the command that makes one list of all.
        """
        folders = sorted(self._tables.by_folder)
        pairs = {folder: images for folder in folders if (images := self._images_of(folder))}
        if not pairs:
            return
        path = joined(min(pairs), min(self._tables.by_folder[min(pairs)]))
        what = "shapes of napari" if _fields(self._first_line(min(pairs)).encode()) == SHAPES else "boxes"
        told = f"{root}: each image has a CSV of its own, called like it, with {what} ({path})"
        hint = f"{self._ways(root, pairs)}; --task classification takes the folders as they are"
        if len(classes) < _SOME or say_nothing(classes):
            raise InputError(f"{told}, and none of these is the list of all", hint)
        yield f"{told}; these are passed over: {hint}"

    def _images_of(self, folder: str) -> list[str]:
        """The folders with the images that tables of boxes in a folder are called like; empty for others."""
        names = sorted(self._tables.by_folder[folder])[:_SOME]
        headers = [_fields(self._head(joined(folder, name), HEAD_BYTES)) for name in names]
        are_alike = len(names) == _SOME and headers[0] == headers[1]
        return self._tables.images_of(folder) if are_alike and _tell_boxes(headers[0]) else []

    def _ways(self, root: str, pairs: Mapping[str, Sequence[str]]) -> str:
        """The command that joins all tables, or those for folders of which each has other columns."""
        heads = {folder: self._first_line(folder) for folder in pairs}
        if len({*heads.values()}) == 1:
            return self._joining(root, heads[min(pairs)], pairs)
        above = [os.path.commonpath([f"/{each}" for each in (folder, *pairs[folder])]) for folder in pairs]
        commands = [command_line(["tfrec", "convert", as_path(joined(root, each[1:]))]) for each in above]
        return f"their columns differ, so convert each folder by itself: {', '.join(dict.fromkeys(commands))}"

    def _first_line(self, folder: str) -> str:
        head = self._head(joined(folder, min(self._tables.by_folder[folder])), HEAD_BYTES)
        return lines_of(head)[0]

    def _joining(self, root: str, line: str, pairs: Mapping[str, Sequence[str]]) -> str:
        """The command that joins all tables, with the names of their images.

        Args:
          line: the first one of each table.
        """
        header = _fields(line.encode())
        split_of = self._tables.split_of_images(pairs)
        columns = BOXES if header == SHAPES else _read_names(header)
        code = _CODE % (
            json.dumps(header, ensure_ascii=False),
            json.dumps(["image", *columns, *["split"] * bool(split_of)], ensure_ascii=False),
            split_of,
            ", z(i.relative_to(r))" * bool(split_of),
            files_and_images(pairs, f"*{_ENDING}"),
            json.dumps(sorted(self._tables.endings)),
            json.dumps(detect_delimiter(line)),
            AROUND if header == SHAPES else "t[1:]",
            len(columns),
            len(columns),
        )
        return made_of_folder("boxes", code, root) or "write one list with each image and its boxes"


def need_no_tables_in(folders: Iterable[str], skip: str = "", exclude: Iterable[str] = ()) -> None:
    """Refuses folders with tables of boxes, one for each image, wherever these are in them.

    Args:
      skip: a folder that is left out (an output directory inside the source).
      exclude: patterns of what is to be skipped.

    Raises:
      InputError: as `BoxesInTables.need_none`.
    """
    for root in folders:
        tree = Tree(root, skip, exclude, _KNOWN)
        tables = BoxesInTables(tree.head)
        for folder, entries in tree.walk():
            for name in entries.files:
                add = tables.add_image if is_image_name(name) else tables.add
                add(joined(folder, name))
        next(tables.need_none(root), None)


def need_no_table_of_an_image(head: bytes, name: str, options: ReadOptions) -> None:
    """Refuses a table of boxes without images that is called like an image, if others beside it are, too.

    Args:
      head: its first bytes.
      name: of the file.
      options: how it is read.

    Raises:
      InputError: as `BoxesInTables.need_none`, of the folder that holds tables and images.
    """
    is_asked = options.columns or options.task in ("classification", "tabular")
    if is_asked or not name.endswith(_ENDING) or not os.path.isfile(name) or not _tell_boxes(_fields(head)):
        return
    folder, base = os.path.split(os.path.abspath(name))
    below = ""
    for _ in range(_LEVELS):
        root, own = os.path.split(folder)
        path = os.path.join(glob.escape(root), "*", below, glob.escape(base.removesuffix(_ENDING)))
        if any(glob.glob(path + ending) for ending in EXTENSIONS):
            near = os.path.relpath(root) if not os.path.isabs(name) else root
            need_no_tables_in([near], exclude=options.exclude)
        folder, below = root, os.path.join(own, below)


def _fields(head: bytes) -> list[str]:
    """The first row of a table that begins like this."""
    line = next(iter(lines_of(head)), "")
    with suppress(csv.Error):
        row = next(csv.reader([line], delimiter=detect_delimiter(line), skipinitialspace=True), [])
        return [field.strip() for field in row]
    return []


def _tell_boxes(header: Sequence[str]) -> bool:
    """Whether columns are those of boxes, circles or shapes of napari, and none names images."""
    if header == SHAPES:
        return True
    images = [*known_columns(header, "image_uri"), *likely_columns(header, "image_uri")]
    if any(not is_any_id(header[number]) for number in images):
        return False
    words = columns_by_word(header)
    if all(columns_called(words, names) for names in (*CIRCLE_CENTERS.values(), (*RADII, *DIAMETERS))):
        return True
    with suppress(InputError):
        return find_box_columns(_read_names(header)) is not None
    return False


def _read_names(header: Sequence[str]) -> list[str]:
    """The names of columns, those that say how far a box reaches as they are read."""
    names = [_STEPS.get(as_word(name), name) for name in header]
    return names if {"x", "y", "w", "h"} <= {*map(as_word, names)} else [*header]
