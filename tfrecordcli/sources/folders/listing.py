"""A folder of images as an image list: `<split>/<label>/<file>`, `<label>/<file>`, or flat ones."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Final

from tfrecordcli.options import ReadOptions
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.folders.albums import Albums
from tfrecordcli.sources.folders.annotation_files import (
    ANNOTATION_FOLDERS,
    OF_ONE_CLASS,
    names_a_split,
    say_nothing,
    split_in,
)
from tfrecordcli.sources.folders.copy_folders import CopyFolders
from tfrecordcli.sources.folders.exclusion import Exclusion
from tfrecordcli.sources.folders.folders_again import FoldersAgain
from tfrecordcli.sources.folders.folders_in_columns import ImagesBetween
from tfrecordcli.sources.folders.inventory import Inventory, ListedRow
from tfrecordcli.sources.folders.last_folders import SharedNames
from tfrecordcli.sources.folders.layout import Layout
from tfrecordcli.sources.folders.levels import Level, Levels
from tfrecordcli.sources.folders.silent_splits import silent_splits
from tfrecordcli.sources.folders.split_labels import is_label_beside, need_no_split_map
from tfrecordcli.sources.folders.splits_below import are_splits_below
from tfrecordcli.sources.folders.tree import joined
from tfrecordcli.split_words import UNASSIGNED, in_one_split, parse_split, parted, split_of

_TOLD: Final = 5
# Folders at most among which one of images is looked for.
_BESIDE: Final = 16


class Listing(ABC):
    """The images under a folder, listed once in sorted order.

    Attributes:
      root: the folder.
      base: the folder below root in which the folders of splits or labels stand; empty: root itself.
      exclusion: what was asked to be skipped.
      passed_over: files and folders that were not taken, relative to root; the first ones by name.
      passed_over_count: how many there were.
      not_text: folders and images that were not taken, since their names are not UTF-8; the first ones.
      not_text_count: how many there were.
      unread_splits: names of folders that are called like splits and were not read as such.
      are_splits_below: whether the folders of splits stand in those of labels.
      named_splits: the command for folders that are called like splits and were read as none.
      no_labels: names of folders whose images were taken without a label.
    """

    def __init__(self, root: str, options: ReadOptions) -> None:
        self.root = root
        self.base = ""
        self.exclusion = Exclusion(options.exclude)
        self.passed_over: list[str] = []
        self.passed_over_count = 0
        self.not_text: list[str] = []
        self.not_text_count = 0
        self.unread_splits: set[str] = set()
        self._split_folders: list[str] = []
        self.named_splits = ""
        self.are_splits_below = False
        self._is_assigned_below = False
        self._label_folder = options.label_folder
        self._exclude = options.exclude
        self._is_part = options.is_part
        self._split_map = dict(options.split_map)
        self._keeps_unlabelled = options.unlabelled == "keep" and options.label_folder is None
        # Where labels are not needed and it was said which folder is one, or images without any are left out.
        self._asks_for_silent = (
            options.unlabelled != "error" and not self._keeps_unlabelled and options.label_type != "name"
        )
        self._silent: dict[str, str] = {}  # by split, the folder in it that is no label
        self.no_labels: set[str] = set()
        self._levels = Levels(self._list, is_chosen=options.label_folder is not None)
        # Folders in base that were listed with all below them, and whether a folder in one holds others.
        self._walked: dict[str, bool] = {}
        self._is_beside = False  # whether folders without images stand beside those of images
        self._top: list[str] = []  # names of the folders in base
        self._inventory = Inventory(root, options, self._head)
        self._shared = SharedNames(root, options.exclude)
        self._between = ImagesBetween(root, options.exclude)
        self._again = FoldersAgain(self._head)
        self._copies = CopyFolders(self._head)
        self._albums = Albums(self._head)

    @property
    def doubts(self) -> list[str]:
        """What may not be meant, and was read all the same."""
        again = self._again.doubts(are_last=self._label_folder == "last")
        shared = self._shared.doubts(is_part=self._is_part)
        between = self._between.doubts(is_part=self._is_part)
        copies = [*self._copies.doubts(), *self._albums.doubts()]
        return [*self._inventory.doubts, *self._of_one_split(), *shared, *between, *again, *copies]

    @property
    def lists(self) -> str:
        """The command for the lists of a folder that has no image; empty where there is none."""
        return self._inventory.lists_without_images()

    @abstractmethod
    def _list(self, folder: str) -> Level:
        """What is in one folder, relative to root."""

    @abstractmethod
    def _head(self, path: str, size: int) -> bytes:
        """The first bytes of a file, relative to root; empty when it cannot be read."""

    def rows(self) -> Iterator[ListedRow]:
        """(split word, path relative to root with ``/``, label) of every image.

        Raises:
          InputError: split folders beside folders that are none, images deeper than in a label folder when
            none was chosen, annotations of object detection, masks, folders whose names are no labels.
        """
        count = 0
        for split, path, label in self._rows():
            is_silent = bool(label) and self._silent.get(split) == label
            if is_silent:
                self.no_labels.add(label)
            row = split, path, "" if is_silent else label
            self._inventory.add(row)
            self._copies.add(*row)
            self._albums.add(*row)
            if self._label_folder == "last":
                self._shared.add(self.base, split, path)
                self._between.add(path, label)
            if self._label_folder is not None:
                self._again.add(path)
            count += 1
            yield row
        if self._is_assigned_below:
            self.named_splits = self._layout().as_splits()
        self._inventory.need_no_annotations(is_beside=self._is_beside)
        self._inventory.need_classes(self.base)
        if self._label_folder is None:
            self._albums.need_none(self.root)
        self._inventory.need_labels(count)

    def _rows(self) -> Iterator[ListedRow]:
        self.base = self._find_base()
        if not self._is_part:
            need_no_split_map(
                self.root, self.base, self._split_map, self._levels, are_kept=self._keeps_unlabelled
            )
        level = self._levels.take(self.base)
        splits = [name for name in level.folders if parse_split(name) is not None]
        self._top = level.folders
        if splits and len(splits) < len(level.folders):
            others = [name for name in level.folders if name not in splits]
            is_label = is_label_beside(splits, others, self.base, self._levels)
            if self._label_folder is None or not is_label:
                self._look_beside()
                raise self._layout().mixed(splits, others)
            self.unread_splits.update(splits)
            splits = []
        self._split_folders = splits
        if self._asks_for_silent:
            self._silent = silent_splits(
                (name, label) for name in splits for label in self._labels_below(name)
            )
        filled = self._filled(self.base, level)
        self._is_beside = not splits and filled.folders != level.folders
        self.are_splits_below = (
            self._label_folder != "last"
            and not (splits or level.has_images)
            and (are_splits_below(self.base, level.folders, self._levels))
        )
        for path in level.images:
            yield UNASSIGNED, path, ""
        for name in level.folders:
            if self.are_splits_below:
                yield from self._splits_in(joined(self.base, name), name)
            elif splits:
                yield from self._labels_in(name, joined(self.base, name))
            else:
                yield from self._images_in(UNASSIGNED, joined(self.base, name), self._label_of(name, filled))
                self._walked.setdefault(name, False)

    def _of_one_split(self) -> Iterator[str]:
        """That two folders are taken for one split, as `dev` and `eval`, with what takes them for two."""
        splits = {name: split_of(name) for name in self._split_folders}
        for split, words in in_one_split(splits).items():
            moved, other = parted(words, splits.values())
            each = ((other if name == moved else of, name) for name, of in splits.items())
            root = os.path.join(self.root, self.base)
            paths = [as_path(f"{of}{'=' * bool(of)}{os.path.join(root, name)}") for of, name in each]
            yield (
                f"the folders {', '.join(words)} are taken for one split, {split}: where they are two, "
                f"{command_line(['tfrec', 'convert', *paths])} OUTPUT_DIR takes them for these"
            )

    def _labels_below(self, split: str) -> Iterator[str]:
        """The labels of the images in a split, of which some may stand for several folders."""
        folder = joined(self.base, split)
        names = self._levels.labels_of(folder, split)
        may_be_alone = len(names) > 1 and any(say_nothing([name]) for name in names)
        for name in names:
            below = f"{folder}/{name}"
            if self._label_folder == "last":
                yield from self._levels.names_above_images(below)
            elif not may_be_alone or self._levels.hold_images(below):
                yield name

    def _find_base(self) -> str:
        """Passes through folders that hold but one folder, up to those of splits or of several labels.

        Where labels are not needed, also up to a folder such as `images` in which all images are; and up to
        one that repeats the name of the source, which has the word of a split: `dogs_test/dogs_test`.
        """
        base = self._levels.unwrapped("")
        level = self._levels.look(base)
        if any(parse_split(name) is not None for name in level.folders):
            return base
        above, _, last = base.rpartition("/")
        if self._keeps_unlabelled and level.has_images and not level.folders and say_nothing([last]):
            return above
        if (
            self._label_folder is None
            and split_in(base)
            and base == os.path.basename(os.path.abspath(self.root))
        ):
            return base
        is_wrapper = self._label_folder != "last" and not level.has_images and len(level.folders) > 1
        return base if is_wrapper else ""

    def _filled(self, folder: str, level: Level) -> Level:
        """Its folders that hold images, where that tells whether one such as `images` stands alone."""
        names = level.folders
        if not self._keeps_unlabelled or len(names) > _BESIDE or not any(say_nothing([n]) for n in names):
            return level
        return level._replace(
            folders=[name for name in names if self._levels.hold_images(joined(folder, name))]
        )

    def _labels_in(self, split: str, folder: str) -> Iterator[ListedRow]:
        labels = self._levels.labels_of(folder, split)
        level = self._levels.take(folder)
        for path in level.images:
            yield split, path, ""
        filled = self._filled(folder, level)
        self._is_beside = self._is_beside or filled.folders != level.folders
        for label in level.folders:
            name = self._label_of(label, filled) if label in labels else ""
            yield from self._images_in(split, f"{folder}/{label}", name)

    def _splits_in(self, folder: str, label: str) -> Iterator[ListedRow]:
        for split in self._levels.take(folder).folders:
            for path in self._levels.take(f"{folder}/{split}").images:
                yield split, path, label

    def _label_of(self, folder: str, level: Level) -> str:
        """The label of a folder; empty for one such as `images` that stands alone, where that may be."""
        if self._keeps_unlabelled and level.folders == [folder] and say_nothing([folder]):
            self.no_labels.add(folder)
            return ""
        return folder

    def _images_in(self, split: str, folder: str, label: str) -> Iterator[ListedRow]:
        """All images below a label folder, however deep when it was said which folder is the label."""
        level = self._levels.take(folder)
        for path in level.images:
            yield split, path, label
        for name in level.folders:
            for row in self._below(split, f"{folder}/{name}", label, name):
                if self._label_folder is None:
                    self._look_beside(row[1])
                    raise self._layout().too_deep(folder, level.folders, row[1])
                yield row

    def _below(self, split: str, folder: str, first: str, last: str) -> Iterator[ListedRow]:
        level = self._levels.take(folder)
        if level.has_images and split == UNASSIGNED:
            self.unread_splits.update(filter(names_a_split, folder.split("/")))
            self._is_assigned_below = True
        for path in level.images:
            yield split, path, first if self._label_folder == "first" else last
        if level.folders:
            self._walked[folder[len(self.base) :].lstrip("/").partition("/")[0]] = True
        for name in level.folders:
            yield from self._below(split, f"{folder}/{name}", first, name)

    def _layout(self) -> Layout:
        met = (self._top, self._walked, self._levels, self._head, self._inventory)
        return Layout(self.root, self.base, *met, self._exclude)

    def _look_beside(self, image: str = "") -> None:
        """Looks for annotations before the listing is given up, which may not have come to them.

        Args:
          image: beside which there may be a folder of them.
        """
        folder = image.rpartition("/")[0]
        if folder and OF_ONE_CLASS in self._levels.look(folder).folders:
            self._levels.look(joined(folder, OF_ONE_CLASS))
        for name in self._top:
            if name.lower() in ANNOTATION_FOLDERS:
                folder = joined(self.base, name)
                for inner in self._levels.look(folder).folders[:_TOLD]:
                    self._levels.look(f"{folder}/{inner}")
        self._inventory.need_no_annotations(is_beside=self._is_beside)

    def _lose(self, path: str) -> None:
        self.not_text_count += 1
        self.not_text = sorted([*self.not_text, repr(path)[1:-1]])[:_TOLD]

    def _pass_over(self, path: str) -> None:
        self.passed_over_count += 1
        self.passed_over = sorted([*self.passed_over, repr(path)[1:-1]])[:_TOLD]
        self._inventory.pass_over(path)
