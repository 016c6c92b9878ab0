"""A folder of images as an image list: `<split>/<label>/<file>`, `<label>/<file>`, or flat files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.folders.annotation_files import (
    ANNOTATION_FOLDERS,
    OF_ONE_CLASS,
    names_a_split,
    say_nothing,
    sources_of_splits,
    split_in,
)
from tfrecordcli.sources.folders.exclusion import Exclusion
from tfrecordcli.sources.folders.inventory import Inventory, ListedRow
from tfrecordcli.sources.folders.same_images import converting_sets, need_no_folds
from tfrecordcli.sources.folders.silent_splits import silent_splits
from tfrecordcli.sources.folders.tree import joined
from tfrecordcli.sources.sizes_in_names import folders_of_sizes, several_sizes, size_in
from tfrecordcli.split_words import UNASSIGNED, parse_split

_TOLD: Final = 5
# Folders at most among which one of images is looked for.
_BESIDE: Final = 16


class Level(NamedTuple):
    """One folder of a listing: the names of its folders, sorted, and the paths of its images, in order."""

    folders: list[str]
    images: Iterable[str]
    has_images: bool


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
        self.named_splits = ""
        self._is_assigned_below = False
        self._label_folder = options.label_folder
        self._keeps = options.unlabelled == "keep"
        self._keeps_unlabelled = self._keeps and options.label_folder is None
        self.no_labels: set[str] = set()
        self._met: dict[str, Level] = {}  # folders that were looked at before their turn
        self._walked: set[str] = set()  # folders in base that were listed with all below them
        self._deep: set[str] = set()  # those of them in which a folder holds others
        self._is_beside = False  # whether folders without images stand beside those of images
        self._top: list[str] = []  # names of the folders in base
        self._inventory = Inventory(root, options, self._head)

    @property
    def doubts(self) -> list[str]:
        """What may not be meant, and was read all the same."""
        return self._inventory.doubts

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
        for row in self._rows():
            self._inventory.add(row)
            count += 1
            yield row
        if self._is_assigned_below:
            self.named_splits = self._as_splits()
        self._inventory.need_no_annotations(is_beside=self._is_beside)
        self._inventory.need_classes(self.base)
        self._inventory.need_labels(count)

    def _rows(self) -> Iterator[ListedRow]:
        self.base = self._find_base()
        level = self._take(self.base)
        splits = [name for name in level.folders if parse_split(name) is not None]
        self._top = level.folders
        if splits and len(splits) < len(level.folders):
            self._look_beside()
            raise self._mixed(splits, [name for name in level.folders if name not in splits])
        # A label folder that was chosen is one of all splits, but of those with `images` alone.
        labels = (
            (name, label) for name in splits for label in self._labels_of(joined(self.base, name), name)
        )
        self._keeps_unlabelled |= self._keeps and bool(silent_splits(labels))
        filled = self._filled(self.base, level)
        self._is_beside = not splits and filled.folders != level.folders
        for path in level.images:
            yield UNASSIGNED, path, ""
        for name in level.folders:
            if splits:
                yield from self._labels_in(name, joined(self.base, name))
            else:
                yield from self._images_in(UNASSIGNED, joined(self.base, name), self._label_of(name, filled))
                self._walked.add(name)

    def _find_base(self) -> str:
        """Passes through folders that hold but one folder, up to those of splits or of several labels.

        Where labels are not needed, also up to a folder such as `images` in which all images are.
        """
        base = self._unwrapped("")
        level = self._look(base)
        if any(parse_split(name) is not None for name in level.folders):
            return base
        above, _, last = base.rpartition("/")
        if self._keeps_unlabelled and level.has_images and not level.folders and say_nothing([last]):
            return above
        is_wrapper = self._label_folder is None and not level.has_images and len(level.folders) > 1
        return base if is_wrapper else ""

    def _look(self, folder: str) -> Level:
        """What is in a folder that will be taken later."""
        if folder not in self._met:
            self._met[folder] = self._list(folder)
        return self._met[folder]

    def _take(self, folder: str) -> Level:
        return self._met.pop(folder, None) or self._list(folder)

    def _filled(self, folder: str, level: Level) -> Level:
        """Its folders that hold images, where that tells whether one such as `images` stands alone."""
        names = level.folders
        if not self._keeps_unlabelled or len(names) > _BESIDE or not any(say_nothing([n]) for n in names):
            return level
        return level._replace(folders=[name for name in names if self._holds_images(joined(folder, name))])

    def _holds_images(self, folder: str) -> bool:
        level = self._look(folder)
        return level.has_images or any(self._holds_images(f"{folder}/{name}") for name in level.folders)

    def _labels_in(self, split: str, folder: str) -> Iterator[ListedRow]:
        labels = self._labels_of(folder, split)
        level = self._take(folder)
        for path in level.images:
            yield split, path, ""
        filled = self._filled(folder, level)
        self._is_beside = self._is_beside or filled.folders != level.folders
        for label in level.folders:
            name = self._label_of(label, filled) if label in labels else ""
            yield from self._images_in(split, f"{folder}/{label}", name)

    def _label_of(self, folder: str, level: Level) -> str:
        """The label of a folder; empty for one such as `images` that stands alone, where that may be."""
        if self._keeps_unlabelled and level.folders == [folder] and say_nothing([folder]):
            self.no_labels.add(folder)
            return ""
        return folder

    def _images_in(self, split: str, folder: str, label: str) -> Iterator[ListedRow]:
        """All images below a label folder, however deep when it was said which folder is the label."""
        level = self._take(folder)
        for path in level.images:
            yield split, path, label
        for name in level.folders:
            for row in self._below(split, f"{folder}/{name}", label, name):
                if self._label_folder is None:
                    self._look_beside(row[1])
                    raise self._too_deep(folder, level.folders, row[1])
                yield row

    def _below(self, split: str, folder: str, first: str, last: str) -> Iterator[ListedRow]:
        level = self._take(folder)
        if level.has_images and split == UNASSIGNED:
            self.unread_splits.update(filter(names_a_split, folder.split("/")))
            self._is_assigned_below = True
        for path in level.images:
            yield split, path, first if self._label_folder == "first" else last
        if level.folders:
            self._deep.add(folder[len(self.base) :].lstrip("/").partition("/")[0])
        for name in level.folders:
            yield from self._below(split, f"{folder}/{name}", first, name)

    def _mixed(self, splits: list[str], others: list[str]) -> InputError:
        are = "is a split" if len(splits) == 1 else "are splits"
        folders = "folder" if len(splits) == 1 else "folders"
        these = "this is not" if len(others) == 1 else "these are not"
        return InputError(
            f"{joined(self.root, self.base)}: the {folders} {', '.join(splits)} {are}, "
            f"but {these}: {', '.join(others)}",
            f"{self._way_out(splits, others)}; or convert a CSV that lists the images",
        )

    def _way_out(self, splits: list[str], others: list[str]) -> str:
        """What to do about folders beside those of splits: left out only if they hold fewer images."""
        if sets := [*filter(None, (self._set_in(joined(self.base, name)) for name in others))]:
            command = command_line(["tfrec", "convert", as_path(joined(self.root, sets[0]))])
            inner = ", ".join(self._look(sets[0]).folders)
            return f"{command} OUTPUT_DIR takes {inner} in there for splits, without {', '.join(splits)}"
        are_flat = not any(self._look(joined(self.base, name)).folders for name in others)
        have_labels = any(self._labels_of(joined(self.base, name), name) for name in splits)
        # Images without folders are no labels beside splits that have some: `unlabeled` may hold most.
        if (are_flat and have_labels) or self._count(others) <= self._count(splits):
            return self._exclude(others)
        if are_flat:
            return f"{self._exclude(splits)}, and takes the others for labels"
        return "call the folders of splits train, validation, test, and move the others away"

    def _exclude(self, names: list[str]) -> str:
        is_above = not set(names).isdisjoint(self.base.split("/"))  # a name counts at any depth
        passed = [joined(self.base, name) if is_above else name for name in names[:_TOLD]]
        option = command_line(["--exclude", ",".join(passed)])
        return f"{option} passes over {'it' if len(names) == 1 else 'them'}"

    def _set_in(self, folder: str) -> str:
        """The folder of splits with folders of labels that a folder is, or wraps; empty for none."""
        folder = self._unwrapped(folder)
        names = self._look(folder).folders
        are_splits = all(parse_split(name) is not None for name in names)
        has_labels = any(self._labels_of(joined(folder, name), name) for name in names)
        return folder if are_splits and has_labels else ""

    def _unwrapped(self, folder: str) -> str:
        """A folder, or the one below it where folders that hold but one folder end, or one of a split."""
        level = self._look(folder)
        while len(level.folders) == 1 and not level.has_images and parse_split(level.folders[0]) is None:
            folder = joined(folder, level.folders[0])
            level = self._look(folder)
        return folder

    def _labels_of(self, folder: str, split: str) -> list[str]:
        """The folders in one of a split, but for its own again, which is no label: `test/test`."""
        names = self._look(folder).folders
        is_again = (
            len(names) == 1 and self._label_folder is None and parse_split(split) == parse_split(names[0])
        )
        return [] if is_again else names

    def _count(self, names: list[str]) -> int:
        """How many images are in some of the folders in base, and below them."""
        return sum(1 for _ in self._images_below(joined(self.base, name) for name in names))

    def _images_below(self, folders: Iterable[str]) -> Iterator[str]:
        """The images in some folders, and below them."""
        for folder in folders:
            level = self._list(folder)
            yield from level.images
            yield from self._images_below(joined(folder, name) for name in level.folders)

    def _below_splits(self, folder: str) -> dict[str, str]:
        """Path by label and name of the images in the splits of a folder."""
        splits = [joined(folder, name) for name in self._look(folder).folders]
        return {path[len(split) + 1 :]: path for split in splits for path in self._images_below([split])}

    def _too_deep(self, folder: str, deeper: list[str], path: str) -> InputError:
        tops = [joined(self.base, name) for name in self._top]
        sizes = folders_of_sizes(self._images_below(filter(size_in, tops)))
        hint = self._inventory.choices(folder.rpartition("/")[2], path, self._images_below(tops))
        if sizes:
            return several_sizes(self.root, sizes, hint)
        shown = ", ".join(deeper[:_TOLD]) + (", …" if len(deeper) > _TOLD else "")
        are_splits = all(parse_split(name) is not None for name in deeper)
        sets = [*filter(None, map(self._set_in, tops))]
        if are_splits and len(sets) > 1:
            need_no_folds(self.root, sets, map(self._below_splits, sets), self._head)
            hint = f"where each is a set by itself: {converting_sets(self.root, sets)}; {hint}"
        elif are_splits and self._top == [folder]:  # a wrapper, but for images that stand beside it
            inner = command_line(["tfrec", "convert", as_path(joined(self.root, folder))])
            hint = f"{inner} OUTPUT_DIR takes {shown} for splits; {hint}"
        elif are_splits:
            hint += "; folders of splits have to stand above those of labels"
        elif any(map(names_a_split, {*folder.split("/")[-1:], *deeper})):
            hint += "; folders of splits are called train, validation, test"
        if sources := self._as_splits():
            hint = f"where folders are splits: {sources}; else {hint}"
        return InputError(
            f"{self.root}: the folder {folder} holds further folders with images ({shown}), "
            "so it is not certain which one is the label",
            hint,
        )

    def _as_splits(self) -> str:
        """The command for the folders on top where most have the word of a split; empty for others.

        Those that have none are left out where nothing in them lies so deep that it can be a label.
        """
        named = [*filter(split_in, self._top)]
        others = [name for name in self._top if name not in named]
        if len(others) >= len(named) or any(map(self._holds_labels, others)):
            return ""
        command = sources_of_splits(joined(self.root, self.base), named)
        return f"{command} (without {', '.join(others)})" if command and others else command

    def _holds_labels(self, name: str) -> bool:
        if name in self._walked:
            return name in self._deep
        folder = joined(self.base, name)
        return any(self._look(f"{folder}/{inner}").folders for inner in self._look(folder).folders)

    def _look_beside(self, image: str = "") -> None:
        """Looks for annotations before the listing is given up, which may not have come to them.

        Args:
          image: beside which there may be a folder of them.
        """
        folder = image.rpartition("/")[0]
        if folder and OF_ONE_CLASS in self._list(folder).folders:
            self._list(joined(folder, OF_ONE_CLASS))
        for name in self._top:
            if name.lower() in ANNOTATION_FOLDERS:
                folder = joined(self.base, name)
                for inner in self._list(folder).folders[:_TOLD]:
                    self._list(f"{folder}/{inner}")
        self._inventory.need_no_annotations(is_beside=self._is_beside)

    def _lose(self, path: str) -> None:
        self.not_text_count += 1
        self.not_text = sorted([*self.not_text, ascii(path)[1:-1]])[:_TOLD]

    def _pass_over(self, path: str) -> None:
        self.passed_over_count += 1
        self.passed_over = sorted([*self.passed_over, ascii(path)[1:-1]])[:_TOLD]
        self._inventory.pass_over(path)
