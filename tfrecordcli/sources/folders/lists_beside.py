"""Lists and JSON files that stand among images in folders, and may say what the images show."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from itertools import accumulate, islice
from typing import Final

from tfrecordcli.naming import is_dataset_file
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.column_words import without_extension
from tfrecordcli.sources.folders.annotation_files import (
    HEAD_BYTES,
    is_coco,
    names_images,
    words_of,
)
from tfrecordcli.sources.folders.boxes_in_tables import BoxesInTables
from tfrecordcli.sources.folders.image_folders import split_in_path
from tfrecordcli.sources.folders.json_beside import list_hint
from tfrecordcli.sources.folders.lists_alike import told_of_alike
from tfrecordcli.sources.folders.lists_and_images import converting_with_images
from tfrecordcli.sources.folders.lists_of_splits import (
    by_split,
    converting_lists,
    images_named,
    is_table,
    lists_of_images_there,
    split_in_name,
    without_split,
)
from tfrecordcli.sources.folders.texts_of_images import (
    NO_LISTS,
    are_json_lines,
    count_named,
    is_prose,
    keys_of,
    may_be_list,
    naming_most,
    tells_of_images,
)
from tfrecordcli.sources.folders.tree import joined
from tfrecordcli.sources.foreign.google_photos import is_about_photo, is_called_about_photo
from tfrecordcli.sources.proposals.parts_of_lists import asked_with_parts

_TABLES: Final = (".csv", ".tsv")
_WORKBOOKS: Final = (".xlsx", ".xls", ".ods")
_OTHERS: Final = (".json", ".jsonl")
# What may be a list, too, where nothing else is.
_TEXTS: Final = (".txt", ".ndjson", ".lst", *_OTHERS)
# The part of all images that the texts of one name have, where they are asked about before others.
_PART: Final = 0.5
_ROWS: Final = 20  # of a table, whose images are looked for
_NUMBER: Final = re.compile(r"[0-9]+")
_SEPARATOR: Final = re.compile(r"[,;|\t]")
_MOST_NAMES: Final = 5_000  # of images and numbers in them; where there are more, any table may name some
_STRING: Final = re.compile(rb'"([^"\\]+)"')
_FOLDERS: Final = 20  # that JSON is taken from
_ABOUT: Final = frozenset({"readme", "license"})
# What is to be sent in for a contest, with labels that say nothing: `sampleSubmission.csv`.
_TO_BE_SENT: Final = re.compile(r"sample[ _.-]?submission", re.IGNORECASE)
# Of one folder that are looked into, and files called like no list of all.
_MOST: Final = 5
_MOST_OTHERS: Final = 20
_METADATA: Final = "metadata.jsonl"
# Corners of a box in JSON, or all its numbers.
_BOX_IN_JSON: Final = re.compile(rb'"xmin"\s*:(?=[^{}]*"ymax"\s*:)|"bbox"\s*:\s*\[')


class ListsBeside:
    """Files of one listing that may be lists of its images.

    Args:
      head: gives the first bytes of a file, as many as it is told.
      of_images: tables in the same listing, which are those of single images where they are called like such.

    Attributes:
      paths: some of each folder, by it: tables and JSON.
    """

    def __init__(self, head: Callable[[str, int], bytes], of_images: BoxesInTables | None = None) -> None:
        self._head = head
        self._of_images = of_images
        self.paths: dict[str, list[str]] = {}
        self._texts: dict[str, list[str]] = {}
        self._others: dict[str, list[str]] = {}  # by ending
        self._images: set[str] = set()  # names without extension, and the numbers in them

    def __bool__(self) -> bool:
        return bool(self.paths or self._texts)

    def add_image(self, path: str) -> None:
        """Notes the name of an image, by which tables about something else are told."""
        if len(self._images) < _MOST_NAMES:
            stem = without_extension(path.rpartition("/")[2])
            self._images |= {stem, *map(_bare, _NUMBER.findall(stem))}

    def add(self, path: str) -> None:
        """Notes a file that is called like a list and is none that tfrec writes."""
        folder, _, name = path.rpartition("/")
        is_about = name.lower().partition(".")[0] in _ABOUT or _TO_BE_SENT.match(name)
        if is_about or is_dataset_file(name) or is_called_about_photo(name):
            return
        for endings, found in (((*_TABLES, *_OTHERS), self.paths), (_TEXTS, self._texts)):
            if path.lower().endswith(endings):
                paths = found.setdefault(folder, [])
                if path not in paths:  # a folder may be listed again
                    paths += [path][: _MOST - len(paths)]
        ending = os.path.splitext(name)[1].lower()
        if ending not in (*_TABLES, *_TEXTS) and (ending in self._others or len(self._others) < _MOST_OTHERS):
            paths = self._others.setdefault(ending, [])
            paths += [path][: _MOST - len(paths)]

    def above(self, folders: Iterable[str]) -> ListsBeside:
        """Those that stand in some folders, or above these."""
        parents = {parent for folder in folders for parent in accumulate(folder.split("/"), joined)} | {""}
        return self.right_in(parents)

    def right_in(self, folders: Iterable[str]) -> ListsBeside:
        """Those that stand right in some folders."""
        found = ListsBeside(self._head, self._of_images)
        for folder in sorted(folders):
            for path in {*self.paths.get(folder, ()), *self._texts.get(folder, ())}:
                found.add(path)
        return found

    def first_table(self) -> str:
        """A table, or Hugging Face's metadata.jsonl, by its name alone; empty when there is none."""
        return likeliest(self.tables())

    def tables(self) -> list[str]:
        """Tables, and Hugging Face's metadata.jsonl."""
        paths = [path for some in self.paths.values() for path in some]
        return [path for path in paths if is_table(path) or path.endswith(_METADATA)]

    def texts(self) -> list[str]:
        """Files of text that may be lists, too, such as JSON."""
        return [path for some in self._texts.values() for path in some]

    def _may_name(self, path: str) -> bool:
        """Whether a table may name images of the folder: by whole names, or by the numbers in these."""
        head = self._head(path, HEAD_BYTES)
        if len(self._images) >= _MOST_NAMES or names_images(head):
            return True
        first, *rows = head.decode("utf-8", "replace").splitlines()[: _ROWS + 1] or [""]
        ranges = {word for name in _SEPARATOR.split(first) for word in words_of(name)}
        if not rows or {"from", "to"} <= ranges or {"start", "end"} <= ranges:
            return not rows
        fields = {_unquoted(field) for row in rows for field in _SEPARATOR.split(row)}
        return any(field in self._images or _bare(field) in self._images for field in fields)

    def naming_by_ids(self) -> ListsBeside:
        """Tables and texts that name images of the folder, if without their extension, in most rows."""
        found = ListsBeside(self._head, self._of_images)
        texts = (path for path in self.texts() if path.lower().endswith(".txt"))
        for path in filter(self._names_most, (*self.tables(), *texts)):
            found.add(path)
        return found

    def _names_most(self, path: str) -> bool:
        lines = self._head(path, HEAD_BYTES).decode("utf-8", "replace").splitlines()
        rows = lines[1 : _ROWS + 1]
        if rows and lines[0].isdecimal() and all(map(_SEPARATOR.search, rows)):
            return False  # a number above a table is no header
        fields = (map(_stem_of_field, _SEPARATOR.split(row)) for row in rows)
        named = sum(not self._images.isdisjoint(row) for row in fields)
        return bool(rows) and named >= _PART * len(rows)

    def _naming(self, count: int) -> list[str]:
        heads = {path: self._head(path, HEAD_BYTES) for path in self.texts()}
        paths = [path for path, head in heads.items() if may_be_list(head) or is_coco(head)]
        paths = [path for path in paths if not is_about_photo(heads[path])]
        named: Counter[str] = Counter()
        for path in paths:
            is_whole = len(heads[path]) < HEAD_BYTES and path.lower().endswith(".txt")
            named[without_split(path)] += count_named(heads[path]) if is_whole else count
        prose = [path for path in paths if is_prose(heads[path])]
        plain = [path for path in paths if path not in prose]
        return (
            [path for path in plain if named[without_split(path)] >= _PART * count]
            # Labels have several words, too.
            or [path for path in prose if named[without_split(path)] >= count]
            or [path for path in plain if tells_of_images(heads[path])]
        )

    def asked(self, root: str, count: int = 0, *, are_all_met: bool = False) -> str:
        """Whether a list is that of so many images, with its command, or for those in folders of splits.

        A table comes before texts that name images, and of these one of many; where all tables are those of
        single images, these are to be joined. Empty where there is nothing.

        Args:
          are_all_met: whether all images are known, so that a table that names none of them is no list.
        """
        tables = self.tables()
        of_images = self._of_images if any(map(self._is_of_an_image, tables)) else None
        tables = [path for path in tables if not self._is_of_an_image(path)]
        tables = [path for path in tables if not are_all_met or self._may_name(path)]
        lists = self._coco_rather(tables) or tables or self._naming(count)
        asked = self._asking(root, lists) or self.others_asked(root, count)
        return asked or (of_images.joining(root) if of_images else "")

    def _is_of_an_image(self, path: str) -> bool:
        return self._of_images is not None and self._of_images.holds(path)

    def _coco_rather(self, tables: Collection[str]) -> list[str]:
        """COCO that names images of the folder, beside tables that name others alone: their URLs, perhaps."""
        named = [{*images_named(self._head(path, HEAD_BYTES))} for path in tables]
        if not named or not all(some and not self._are_here(some) for some in named):
            return []
        heads = {path: self._head(path, HEAD_BYTES) for path in self.texts()}
        return [path for path, head in heads.items() if is_coco(head) and self._are_here(images_named(head))]

    def by_names_asked(self, root: str, count: int) -> str:
        """Whether JSON that has names of images without extensions, most in its first bytes, is the list."""
        heads = {path: self._head(path, HEAD_BYTES) for path in self.texts() if path.endswith(".json")}
        strings = {path: {*map(os.fsdecode, _STRING.findall(head))} for path, head in heads.items()}
        named = {
            path: sum(not each.isdecimal() and each in self._images for each in found)
            for path, found in strings.items()
        }
        return self._asking(root, [path for path, here in named.items() if here >= min(_ROWS, _PART * count)])

    def _are_here(self, names: Iterable[bytes]) -> bool:
        return any(_stem_of_field(os.fsdecode(name)) in self._images for name in names)

    def others_asked(self, root: str, count: int) -> str:
        """The same of texts that are called as no list is: `info.labels`; empty where there is none."""
        some = (path for ending, paths in self._others.items() if ending not in NO_LISTS for path in paths)
        asked = self._asking(root, naming_most({path: self._head(path, HEAD_BYTES) for path in some}, count))
        return asked or self._workbook_asked(root)

    def _workbook_asked(self, root: str) -> str:
        """The same of the first workbook, whose rows are not looked at; empty where there is none."""
        path = next((path for ending in _WORKBOOKS for path in self._others.get(ending, ())), "")
        whole = as_path(os.path.join(root, path))
        reading = command_line(["tfrec", "convert", whole])
        return path and f"is {whole} the list of these images? {reading} OUTPUT_DIR tells how it is read"

    def _asking(self, root: str, lists: Collection[str]) -> str:
        """Whether the first of some lists is that of the images, with its command; empty for none."""
        if not lists:
            return ""
        first = likeliest(lists)
        like = [path for path in sorted(lists) if self.form_of(path) == self.form_of(first)]
        alike = {path: split_in_path(path) for path in like}
        if not any(alike.values()) and (by_name := by_split(like)):
            alike = {path: split for split, path in by_name.items()}
        elif len(alike) == 1 or not all(_is_of(split, path) for path, split in alike.items()):
            beside = [path for path in sorted(lists) if self._may_be_with(path, first)]
            alike = {path: split for split, path in by_split(beside).items()} or {first: ""}
        is_one = [*alike.values()] == [""]
        parts = self.of_splits_beside(root, first) if is_one else ""
        if is_one and not parts and (told := told_of_alike(root, first, lists, self._head)):
            return told
        command = converting_with_images(root, [(alike[path], path) for path in alike], self._head)
        return f"{asked_with_parts(os.path.join(root, first))} the list of these images? {command}{parts}"

    def form_of(self, path: str) -> tuple[str, int]:
        """What lists of splits have in common: their names without those, and how many fields a row has."""
        row = self._head(path, HEAD_BYTES).partition(b"\n")[0] if is_table(path) else b""
        return without_split(path), len(_SEPARATOR.split(row.decode("utf-8", "replace")))

    def _may_be_with(self, path: str, first: str) -> bool:
        """Whether a list may be one of another split: a table with fewer columns has no labels, perhaps."""
        is_less = is_table(path) and self.form_of(path)[1] < self.form_of(first)[1]
        return os.path.dirname(path) == os.path.dirname(first) and not is_less

    def of_splits_beside(self, root: str, path: str) -> str:
        """The command for lists beside one, called after splits, as a hint goes on: `train_labels.csv`.

        Empty where there are none, or two of one split.
        """
        beside = sorted(each for each in self.paths.get(os.path.dirname(path), ()) if is_table(each))
        named = [each for each in beside if split_in_name(each)]
        found = by_split(named) if len({*map(self.form_of, named)}) == 1 else {}
        if not found or path in named:
            return ""
        return f", or by splits {converting_with_images(root, sorted(found.items()), self._head)}"

    def lines_asked(self, root: str) -> str:
        """Whether JSON Lines that name images, whatever their file is called, are the list; or empty.

        With those of other splits that have all its keys, as those to be predicted have not.
        """
        paths = (path for found in (self._texts, self._others) for some in found.values() for path in some)
        heads = {path: self._head(path, HEAD_BYTES) for path in paths}
        lines = {path: keys_of(head) for path, head in heads.items() if are_json_lines(head)}
        first = likeliest(lines)
        beside = [path for path in sorted(lines) if without_split(path) == without_split(first)]
        if alike := by_split([path for path in beside if lines[path] >= lines[first]]):
            return list_hint(root, first, converting_lists(root, alike.items()))
        return list_hint(root, first) if first else ""

    def json_files(self) -> list[str]:
        """JSON files, one of each of the first folders."""
        some = ([path for path in paths if path.lower().endswith(".json")] for paths in self.paths.values())
        return [paths[0] for paths in islice(filter(None, some), _FOLDERS)]

    def json_of_boxes(self) -> str:
        """JSON that has boxes and is alone in its folder, so that it is none for each image; or empty."""
        alone = (paths[0] for paths in self.paths.values() if len(paths) == 1)
        found = (path for path in islice(alone, _FOLDERS) if path.lower().endswith(".json"))
        return likeliest(path for path in found if _BOX_IN_JSON.search(self._head(path, HEAD_BYTES)))

    def of_images_there(self, root: str) -> str:
        """The command that reads tables right in a folder whose first rows name images there; or empty.

        Args:
          root: the folder; of one on a store nothing is told.
        """
        tables = sorted(filter(is_table, self.paths.get("", ())), key=_rank)
        return lists_of_images_there(root, tables, self._head) if os.path.isdir(root) else ""

    def likely(self, class_folders: Collection[str]) -> list[str]:
        """Those that are in none of some folders, and may be lists of what is in these, likeliest first."""
        paths = {path for found in (self.paths, self._texts) for some in found.values() for path in some}
        beside = (path for path in paths if path.rpartition("/")[0] not in class_folders)
        return sorted(beside, key=lambda path: (path.count("/"), not is_table(path), _rank(path), path))


def _unquoted(field: str) -> str:
    return field.strip().strip('"')


def _stem_of_field(field: str) -> str:
    return without_extension(_unquoted(field).rpartition("/")[2])


def _bare(number: str) -> str:
    return number.lstrip("0") or number


def likeliest(paths: Iterable[str]) -> str:
    """The one of some lists that is called most like one of labelled images; empty for none."""
    return min(paths, key=lambda path: (_rank(path), path), default="")


def _is_of(split: str, path: str) -> bool:
    """Whether a list in a folder of a split is called after no other one."""
    return bool(split) and split_in_name(path) in ("", split)


def _rank(path: str) -> int:
    """Names of lists of labelled images come first, those of what is to be predicted last."""
    name = path.rpartition("/")[2].lower()
    if "submission" in name or "test" in name:
        return 2
    return 0 if any(word in name for word in ("train", "label", "metadata", "annotation")) else 1
