"""A folder of images as an image list: `<split>/<label>/<file>`, `<label>/<file>`, or flat files."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from itertools import chain
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
from tfrecordcli.sources.folders.annotation_search import AnnotationSearch
from tfrecordcli.sources.folders.exclusion import Exclusion
from tfrecordcli.sources.folders.labels_in_names import LabelsInNames
from tfrecordcli.sources.folders.lists_beside import ListsBeside, is_table
from tfrecordcli.sources.folders.masks import MaskSearch, may_be_masks
from tfrecordcli.sources.folders.splits_in_names import same_but_for_splits
from tfrecordcli.split_words import UNASSIGNED, parse_split
from tfrecordcli.units import plural

_TOLD: Final = 5
# Folders at most among which one of images is looked for.
_BESIDE: Final = 16
# Kinds of files that may hold images, and no reader takes.
_UNREAD: Final = re.compile(
    r"\.(?:svgz?|exr|hdr|pdf|eps|dcm|dicom|nii(?:\.gz)?|dng|cr[23]|nef|arw|orf|rw2|mov|mkv|webm|m4v)$",
    re.IGNORECASE,
)
_WITHOUT_LABEL: Final = "no_label"
_INSIST: Final = "--label-folder last takes folders and files as they are"


class Level(NamedTuple):
    """One folder of a listing: the names of its folders, sorted, and the paths of its images, in order."""

    folders: list[str]
    images: Iterable[str]
    has_images: bool


_Row = tuple[str, str, str]  # split word, path relative to root with ``/``, label


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
      doubts: what may not be meant, and was read all the same.
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
        self._needs_labels = options.unlabelled == "error"
        self._keeps_unlabelled = options.unlabelled == "keep" and options.label_folder is None
        self.no_labels: set[str] = set()
        self.doubts: list[str] = []
        self._met: dict[str, Level] = {}  # folders that were looked at before their turn
        self._is_beside = False  # whether folders without images stand beside those of images
        self._top: list[str] = []  # names of the folders in base
        self._unread: list[str] = []  # files of kinds that may hold images
        self._annotations = AnnotationSearch(self._head)
        self._lists = ListsBeside(self._head)
        self._names = LabelsInNames(options.exclude)
        self._masks = MaskSearch(self._head)
        # Names of label folders as they were met, and of the folders of splits they stand in.
        self._classes: dict[str, set[str]] = {}
        self._class_folders: set[str] = set()

    @abstractmethod
    def _list(self, folder: str) -> Level:
        """What is in one folder, relative to root."""

    @abstractmethod
    def _head(self, path: str, size: int) -> bytes:
        """The first bytes of a file, relative to root; empty when it cannot be read."""

    def rows(self) -> Iterator[_Row]:
        """(split word, path relative to root with ``/``, label) of every image.

        Raises:
          InputError: split folders beside folders that are none, images deeper than in a label folder when
            none was chosen, annotations of object detection, masks, folders whose names are no labels.
        """
        count = 0
        for row in self._rows():
            self._masks.ask(row[1])
            self._names.add(row[1])
            count += 1
            if row[2]:
                self._classes.setdefault(row[2], set()).add(row[0])
                self._class_folders.add(row[1].rpartition("/")[0])
            yield row
        if self._is_assigned_below:
            self.named_splits = self._as_splits()
        self._refuse_annotations()
        self._need_meaning()
        self._refuse_splits_in_names()
        self._refuse_masks()
        self._refuse_listed()
        self._doubt_what_was_left()
        if count and self._needs_labels and not self._classes:
            raise self._flat(count)

    def _rows(self) -> Iterator[_Row]:
        self.base = self._find_base()
        level = self._take(self.base)
        splits = [name for name in level.folders if parse_split(name) is not None]
        self._top = level.folders
        if splits and len(splits) < len(level.folders):
            self._look_beside()
            raise self._mixed(splits, [name for name in level.folders if name not in splits])
        filled = self._filled(level)
        self._is_beside = not splits and filled.folders != level.folders
        for path in level.images:
            yield UNASSIGNED, path, ""
        for name in level.folders:
            if splits:
                yield from self._labels_in(name, _join(self.base, name))
            else:
                yield from self._images_in(UNASSIGNED, _join(self.base, name), self._label_of(name, filled))

    def _find_base(self) -> str:
        """Passes through folders that hold but one folder, up to those of splits or of several labels.

        Where labels are not needed, also up to a folder such as `images` in which all images are.
        """
        base = ""
        level = self._look(base)
        while len(level.folders) == 1 and not level.has_images and parse_split(level.folders[0]) is None:
            base = _join(base, level.folders[0])
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

    def _filled(self, level: Level) -> Level:
        """Folders that hold images, where that tells whether one such as `images` stands alone."""
        names = level.folders
        if (
            not self._keeps_unlabelled
            or len(names) > _BESIDE
            or not any(say_nothing([name]) for name in names)
        ):
            return level
        return level._replace(folders=[name for name in names if self._holds_images(_join(self.base, name))])

    def _holds_images(self, folder: str) -> bool:
        level = self._look(folder)
        return level.has_images or any(self._holds_images(f"{folder}/{name}") for name in level.folders)

    def _labels_in(self, split: str, folder: str) -> Iterator[_Row]:
        level = self._take(folder)
        for path in level.images:
            yield split, path, ""
        for label in level.folders:
            yield from self._images_in(split, f"{folder}/{label}", self._label_of(label, level))

    def _label_of(self, folder: str, level: Level) -> str:
        """The label of a folder; empty for one such as `images` that stands alone, where that may be."""
        if self._keeps_unlabelled and level.folders == [folder] and say_nothing([folder]):
            self.no_labels.add(folder)
            return ""
        return folder

    def _images_in(self, split: str, folder: str, label: str) -> Iterator[_Row]:
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

    def _below(self, split: str, folder: str, first: str, last: str) -> Iterator[_Row]:
        level = self._take(folder)
        if level.has_images and split == UNASSIGNED:
            self.unread_splits.update(filter(names_a_split, folder.split("/")))
            self._is_assigned_below = True
        for path in level.images:
            yield split, path, first if self._label_folder == "first" else last
        for name in level.folders:
            yield from self._below(split, f"{folder}/{name}", first, name)

    def _mixed(self, splits: list[str], others: list[str]) -> InputError:
        are = "is a split" if len(splits) == 1 else "are splits"
        folders = "folder" if len(splits) == 1 else "folders"
        these = "this is not" if len(others) == 1 else "these are not"
        is_above = not set(others).isdisjoint(self.base.split("/"))  # a name counts at any depth
        passed = [_join(self.base, name) if is_above else name for name in others[:_TOLD]]
        return InputError(
            f"{_join(self.root, self.base)}: the {folders} {', '.join(splits)} {are}, "
            f"but {these}: {', '.join(others)}",
            f"{command_line(['--exclude', ','.join(passed)])} passes over"
            f" {'it' if len(others) == 1 else 'them'}; or convert a CSV that lists the images",
        )

    def _too_deep(self, folder: str, deeper: list[str], path: str) -> InputError:
        shown = ", ".join(deeper[:_TOLD]) + (", …" if len(deeper) > _TOLD else "")
        first, last = folder.rpartition("/")[2], path.split("/")[-2]
        hint = f"--label-folder first takes {first!r} for the label of {path}, --label-folder last {last!r}"
        are_splits = all(parse_split(name) is not None for name in deeper)
        if are_splits and self._top == [folder]:  # a wrapper, but for images that stand beside it
            inner = command_line(["tfrec", "convert", as_path(_join(self.root, folder))])
            hint = f"{inner} OUTPUT_DIR takes {shown} for splits; {hint}"
        elif are_splits:
            hint += "; folders of splits have to stand above those of labels"
        elif any(map(names_a_split, {*folder.split("/")[-1:], *deeper})):
            hint += "; folders of splits are called train, validation, test"
        sources = self._as_splits()
        if sources:
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
        command = sources_of_splits(_join(self.root, self.base), named)
        return f"{command} (without {', '.join(others)})" if command and others else command

    def _holds_labels(self, name: str) -> bool:
        folder = _join(self.base, name)
        return any(self._look(f"{folder}/{inner}").folders for inner in self._look(folder).folders)

    def _refuse_annotations(self) -> None:
        """Refuses a folder of boxes, whose folders are no classes."""
        if self._label_folder is None and (self._classes or self._needs_labels or self._is_beside):
            self._annotations.need_none(self.root, self._classes)

    def _look_beside(self, image: str = "") -> None:
        """Looks for annotations before the listing is given up, which may not have come to them.

        Args:
          image: beside which there may be a folder of them.
        """
        folder = image.rpartition("/")[0]
        if folder and OF_ONE_CLASS in self._list(folder).folders:
            self._list(_join(folder, OF_ONE_CLASS))
        for name in self._top:
            if name.lower() in ANNOTATION_FOLDERS:
                folder = _join(self.base, name)
                for inner in self._list(folder).folders[:_TOLD]:
                    self._list(f"{folder}/{inner}")
        self._refuse_annotations()

    def _need_meaning(self) -> None:
        """Refuses labels such as `images`.

        Raises:
          InputError: none of the label folders has a name for what its images show.
        """
        are_named = self._names.are_faces or self._names.are_beside(self.root, self._classes)
        is_no_label = say_nothing(self._classes) or are_named
        if not self._classes or self._label_folder is not None or not is_no_label:
            return
        names = ", ".join([*map(repr, [*self._classes][:_TOLD]), *["…"][: len(self._classes) > _TOLD]])
        hint = "--label-folder first takes them for labels all the same"
        if len({folder.rpartition("/")[0] for folder in self._class_folders}) == len(self._class_folders):
            hint += "; --unlabelled keep takes the images without a label"
        if self._lists.first_table():
            hint = f"{self._lists.asked(self.root)}; {hint}"
        elif are_named and (named := self._names.hint(self.root)):
            hint = f"{named}; {hint}"
        raise InputError(
            f"{self.root}: its folders give no label but {names}, which is not what the images show", hint
        )

    def _refuse_splits_in_names(self) -> None:
        """Refuses folders such as `cats_train` and `cats_test`, of which neither is a class.

        Raises:
          InputError: naming two of them, with the command that tells labels and splits apart.
        """
        alike = same_but_for_splits(self._classes) if self._label_folder is None else {}
        if alike:
            shown = " and ".join(map(repr, next(iter(alike.values()))[:2]))
            raise InputError(
                f"{self.root}: the folders {shown} differ in nothing but the split, so they are no labels",
                f"{self._names.hint_of_splits(self.root, self.base, alike, self._classes)}; {_INSIST}",
            )

    def _refuse_masks(self) -> None:
        """Refuses masks among the images; where somebody insists, or it is not certain, that is a doubt.

        Raises:
          InputError: naming the folders, or a file.
        """
        found = self._masks.found(self._classes)
        may_be = may_be_masks(self._classes)
        if found and self._label_folder is None:
            raise InputError(
                f"{self.root}: there are {found} among the images, which would become images of their own",
                f"move the masks away, or convert a CSV that names the images; {_INSIST}",
            )
        if found:
            self.doubts.append(f"there are {found} among the images, and they are taken for images")
        elif may_be:
            self.doubts.append(f"the folder {may_be!r} is taken for a class: if it holds masks, move it away")

    def _refuse_listed(self) -> None:
        """Refuses folders that are no classes: a list in each, or beside the only one, names the images.

        Raises:
          InputError: naming a list.
        """
        if self._label_folder is not None or not self._classes:
            return
        is_one = len(self._classes) == 1
        path = self._lists.describing(self._class_folders, is_one)
        if not path:
            return
        list_path = _join(self.root, path)
        hint = f"{command_line(['tfrec', 'convert', as_path(list_path)])} OUTPUT_DIR reads it, or tells how"
        if is_table(path):
            hint = f"convert {list_path}"
        what = "its only folder of images is" if is_one else "its folders of images are"
        raise InputError(
            f"{self.root}: {what} described by a list ({path}), so that it is not certain what is a label",
            f"{hint}, or move it away; {_INSIST}",
        )

    def _doubt_what_was_left(self) -> None:
        """Tells of files that may hold images and were passed over, and of a class that may be none."""
        if self._unread:
            files = plural(len(self._unread), "file")
            shown = ", ".join(sorted(self._unread)[:_TOLD]) + (", …" if len(self._unread) > _TOLD else "")
            self.doubts.append(
                f"passed over {files} of kinds that are not read and may hold images: {shown}; "
                "write them as PNG first where they are wanted"
            )
        has_splits = any(filter(None, chain.from_iterable(self._classes.values())))
        command = "" if has_splits else self._lists.of_images_there(self.root, self.base)
        if command:
            self.doubts.append(
                "lists beside the folders name images in them and are passed over, whatever labels "
                f"and splits they tell: {command} reads these instead"
            )
        if _WITHOUT_LABEL in self._classes and len(self._classes) > 1:
            self.doubts.append(
                f"the folder {_WITHOUT_LABEL!r} is taken for a class: CVAT and Datumaro keep images without "
                f"a label there; --exclude {_WITHOUT_LABEL} leaves them out"
            )

    def _flat(self, count: int) -> InputError:
        what = "its image is not" if count == 1 else f"none of its {count:,} images is"
        hint = "--unlabelled keep converts them without labels"
        named = self._names.hint(self.root)
        if self._lists.first(count):
            hint = f"{self._lists.asked(self.root, count)}; {hint}"
        elif named:
            hint = f"{named}; {hint}"
        return InputError(f"{self.root}: {what} in a folder of a label", hint)

    def _lose(self, path: str) -> None:
        self.not_text_count += 1
        self.not_text = sorted([*self.not_text, ascii(path)[1:-1]])[:_TOLD]

    def _pass_over(self, path: str) -> None:
        self.passed_over_count += 1
        if _UNREAD.search(path) and not path.rpartition("/")[2].startswith("."):
            self._unread.append(ascii(path)[1:-1])
        self.passed_over = sorted([*self.passed_over, ascii(path)[1:-1]])[:_TOLD]
        self._annotations.add(path)
        self._lists.add(path)
        self._names.add_beside(path)


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder and name else folder or name
