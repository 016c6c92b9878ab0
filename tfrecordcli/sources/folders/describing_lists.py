"""Lists that stand in the place of label folders: they say what the images in these show."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.sources.folders.annotation_files import HEAD_BYTES, is_coco, names_images
from tfrecordcli.sources.folders.lists_alike import lists_like, told_of_alike
from tfrecordcli.sources.folders.lists_and_images import converting_with_images
from tfrecordcli.sources.folders.lists_beside import ListsBeside, likeliest
from tfrecordcli.sources.folders.lists_of_splits import by_split, is_table, split_in_name
from tfrecordcli.sources.folders.texts_of_images import count_named, tells_of_images
from tfrecordcli.sources.foreign.google_photos import is_about_photo
from tfrecordcli.split_words import split_of
from tfrecordcli.units import some_of

_TOLD: Final = 3  # folders beside the first
_NUMBERS: Final = re.compile("[0-9]+")
_PARTITION: Final = re.compile(r"[^/=]+=([^/=]+)(?=/)")


class DescribingLists:
    """Those of one listing.

    Args:
      root: the folder that is listed.
      lists: the files that may be lists.
      head: gives the first bytes of a file, as many as it is told.
    """

    def __init__(self, root: str, lists: ListsBeside, head: Callable[[str, int], bytes]) -> None:
        self._root = root
        self._lists = lists
        self._head = head

    def first(self, class_folders: Collection[str], *, is_one_class: bool) -> str:
        """The likeliest list; empty when there is none.

        Beside one class, any file that names images is one; beside several, each class folder has to have its
        own: a single list of them all may say the same as the folders.
        """
        if is_one_class:
            paths = self._lists.paths
            folders = sorted(paths, key=lambda folder: (not any(map(is_table, paths[folder])), folder))
            named = next(filter(None, map(self._in, folders)), "")
            return named or self._telling() or self._lists.naming_by_ids().first_table()
        return self._in(min(class_folders)) if all(map(self._in, class_folders)) else ""

    def refusal(self, path: str, insist: str, folders: Collection[str]) -> InputError:
        """What is said of folders that a list describes, with the command that reads it.

        Args:
          path: of the list.
          insist: what takes the folders all the same.
          folders: of several classes, each with lists of its own; none of one class.
        """
        hint = self._reading(path)
        if told := told_of_alike(self._root, path, self._lists.tables(), self._head):
            hint = told
        elif is_table(path):
            hint += self._lists.of_splits_beside(self._root, path)
            others = sorted({*folders} - {os.path.dirname(path)})[:_TOLD]
            hint += "".join(f", of {each} {self._reading(self._in(each))}" for each in others)
        else:
            hint += " reads it, or tells how"
        what = "its folders of images are" if folders else "its only folder of images is"
        return InputError(
            f"{self._root}: {what} described by {self._shown_with(path)}, so that it is not certain what is "
            "a label",
            f"{hint}, or move it away; {insist}",
        )

    def without_images(self) -> str:
        """The command for the likeliest of lists whose images stand elsewhere; empty where there is none.

        JSON that is not COCO's may be a file for each image.
        """
        named = [path for folder in self._lists.paths for path in self._naming_in(folder)]
        found = [path for path in named if is_table(path) or is_coco(self._head(path, HEAD_BYTES))]
        first = likeliest(found)
        beside = self._lists.of_splits_beside(self._root, first) if is_table(first) else ""
        return self._reading(first) + beside if found else ""

    def _reading(self, path: str) -> str:
        """The command for a list, with those of other splits beside it."""
        form = self._lists.form_of(path)
        beside = [*self._naming_in(os.path.dirname(path))]
        alike = by_split([each for each in beside if self._lists.form_of(each) == form])
        lists = sorted(alike.items()) if path in alike.values() else self._coco_by_split(path, beside)
        lists = lists or self._partitions(path) or self._parts(path, beside)
        return converting_with_images(self._root, lists, self._head)

    def _partitions(self, path: str) -> list[tuple[str, str]]:
        """Those of a table that is parted by its splits, in folders such as `split=train`; or none."""
        everywhere = (each for folder in self._lists.paths for each in self._naming_in(folder))
        parted = [each for each in everywhere if _bare(each) == _bare(path)]
        splits = [split_of(found[1]) if (found := _PARTITION.search(each)) else "" for each in parted]
        return sorted(zip(splits, parted, strict=True)) if all(splits) else []

    def _parts(self, path: str, beside: Collection[str]) -> list[tuple[str, str]]:
        """A list with all that are called like it but for numbers, as Spark writes `part-00000-….csv`."""
        numbered = [each for each in beside if _bare(each) == _bare(path)]
        return [("", each) for each in lists_like(path, numbered, self._head)]

    def _coco_by_split(self, path: str, beside: Collection[str]) -> list[tuple[str, str]]:
        """Files of COCO by the splits in their names, which may say more: `cis_val.json`, `trans_test.json`.

        Empty where one names no split, or two the same.
        """
        files = [each for each in beside if not is_table(each) and is_coco(self._head(each, HEAD_BYTES))]
        return sorted(by_split(files).items()) if path in files else []

    def _telling(self) -> str:
        """A text that has something behind the names of images; empty when there is none."""
        return likeliest(
            path for path in self._lists.texts() if tells_of_images(self._head(path, HEAD_BYTES))
        )

    def _in(self, folder: str) -> str:
        """A file right in a folder that names images, the likeliest list; empty when there is none."""
        return next(self._naming_in(folder), "")

    def _naming_in(self, folder: str) -> Iterator[str]:
        """All of these, tables before others, and of the others such of training first."""
        others = (path for path in self._lists.paths.get(folder, ()) if not is_table(path))
        tables = filter(is_table, self._lists.paths.get(folder, ()))
        paths = [*sorted(tables), *sorted(others, key=lambda path: (split_in_name(path) != "train", path))]
        for path in paths:
            head = self._head(path, HEAD_BYTES)
            if names_images(head) and not is_about_photo(head):
                yield path

    def _shown_with(self, path: str) -> str:
        """A list with those in its folder that name several images, too, as messages call them."""
        beside = (each for each in self._naming_in(os.path.dirname(path)) if each != path)
        others = [each for each in beside if count_named(self._head(each, HEAD_BYTES)) > 1]
        return f"lists ({some_of([path, *others])})" if others else f"a list ({path})"


def _bare(path: str) -> str:
    """A path without its numbers and what its partition is."""
    return _NUMBERS.sub("", _PARTITION.sub("", path))
