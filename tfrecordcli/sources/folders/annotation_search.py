"""Files that may tell of boxes, looked for among those of a folder that are no images."""

from __future__ import annotations

import glob
import os
import posixpath
from collections.abc import Callable, Collection, Iterator, Mapping, Sized
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.folders.annotation_files import (
    CITYSCAPES,
    COCO,
    HEAD_BYTES,
    KITTI,
    NOT_READ,
    OIDV4,
    PASCAL_VOC,
    SUPERVISELY,
    VISDRONE,
    WIDER_PERSON,
    YOLO,
    annotation_kind,
    coco_command,
    is_annotation,
    kind_beside,
)
from tfrecordcli.sources.folders.same_images import converting_sets
from tfrecordcli.sources.folders.tree import joined
from tfrecordcli.sources.folders.yolo_names import is_names_file
from tfrecordcli.sources.foreign.cvat import need_no_cvat
from tfrecordcli.sources.foreign.image_clef import need_no_image_clef
from tfrecordcli.sources.foreign.json_an_image import boxes_hint
from tfrecordcli.sources.foreign.kitti import kitti_hint
from tfrecordcli.sources.foreign.oidv4 import oidv4_hint
from tfrecordcli.sources.foreign.visdrone import visdrone_hint
from tfrecordcli.sources.foreign.wider_person import wider_person_hint
from tfrecordcli.sources.foreign.yaml_boxes import is_yaml_of_boxes
from tfrecordcli.sources.image_paths import EXTENSIONS

_EXPORT: Final = "that kind is not read: export it as COCO or Pascal VOC"
_INSIST: Final = "to classify whole images by their folders all the same, use --label-folder last"
_NAMES: Final = "classes.txt"  # LabelImg's, in each folder
_KEPT: Final = 5  # files of a kind
# Files that may be COCO's and are kept: beside its boxes it has captions and key points of each split.
_COCO_FILES: Final = 20
# What makes the hint with a list of boxes, by the folder and the first bytes of a file; it may be empty.
_LISTED: Final = {
    KITTI: kitti_hint,
    VISDRONE: visdrone_hint,
    OIDV4: oidv4_hint,
    SUPERVISELY: boxes_hint,
    CITYSCAPES: boxes_hint,
    WIDER_PERSON: wider_person_hint,
}
# What XML that --format voc reads has, and that of other tools lacks.
_BOX_OF_VOC: Final = b"<bndbox>"


class AnnotationSearch:
    """What a listing met, a few files of each kind.

    Args:
      head: gives so many first bytes of a file; none of one that cannot be read.
    """

    def __init__(self, head: Callable[[str, int], bytes]) -> None:
        self._head = head
        self._clues: dict[str, list[str]] = {}  # kind of annotations -> some files that may hold them
        self._beside: dict[str, list[str]] = {}  # the same of files that count where there are no classes
        self._has_names = False  # whether a file is called like one of names of YOLO's classes

    def add(self, path: str) -> None:
        """Takes in a file that is no image."""
        kind = annotation_kind(path)
        if kind and len(self._clues.setdefault(kind, [])) < (_COCO_FILES if kind == COCO else _KEPT):
            self._clues[kind].append(path)
        has_names = is_names_file(path.rpartition("/")[2])
        self._has_names = self._has_names or has_names
        beside = "" if kind or has_names else kind_beside(path)
        if beside and len(self._beside.setdefault(beside, [])) < _KEPT:
            self._beside[beside].append(path)

    def need_none(self, root: str, classes: Collection[str]) -> None:
        """Refuses a folder with files that tell of boxes.

        Args:
          root: that the files are relative to.
          classes: that its images seem to be of.

        Raises:
          InputError: naming the format and a file.
        """
        for path in self._beside.get(PASCAL_VOC, ()):
            need_no_image_clef(root, path, self._head(path, HEAD_BYTES), classes)
        for kind, path, head in self._annotations(classes):
            if is_yaml_of_boxes(head):
                command = command_line(["tfrec", "convert", as_path(posixpath.join(root, path))])
                raise InputError(
                    f"{root}: {path} tells of boxes in images, so that folders of these are no classes",
                    f"{command} OUTPUT_DIR tells how to make a list of it; {_INSIST}",
                )
            if kind == PASCAL_VOC:
                need_no_cvat(head, posixpath.join(root, path), _INSIST)
            if is_annotation(path, kind, head):
                raise InputError(
                    f"{root}: this is an object-detection dataset of the kind {kind} ({path}), "
                    "whose folders are no classes",
                    self._hint(kind, root, head),
                )

    def passed_over(self, root: str, folders: Collection[str]) -> Iterator[str]:
        """What is said of boxes in files beside the images of several classes.

        Args:
          root: that paths are relative to.
          folders: that hold images.
        """
        for kind, kept in self._beside.items():
            paths = [path for path in kept if path.rpartition("/")[0] in folders]
            heads = {path: self._head(path, HEAD_BYTES) for path in paths}
            first = next((path for path in paths if heads[path].strip()), "")
            if first and len(paths) > 1 and all(is_annotation(path, kind, heads[path]) for path in paths):
                how = self._by(root, folders, kind)
                yield f"boxes in files of {kind} such as {first} are passed over: {how}"

    def _by(self, root: str, folders: Collection[str], kind: str) -> str:
        """The command that reads the boxes beside images of several folders."""
        apart = sorted(folder for folder in folders if self._head(joined(folder, _NAMES), 1))
        if len(apart) == len(folders):
            return f"{converting_sets(root, apart)} reads these, each folder with its {_NAMES}"
        command = command_line(["tfrec", "convert", as_path(root), "OUTPUT_DIR", "--task", "detection"])
        if kind != YOLO or self._has_names:
            return f"{command} reads these"
        names = as_path(posixpath.join(root, _NAMES))
        return f"{command} reads these once {names} has the names of their numbers, one a line from 0"

    def _annotations(self, classes: Sized) -> Iterator[tuple[str, str, bytes]]:
        """(kind, path, first bytes) of files that may be annotations."""
        for kind, path in _pairs(self._clues):
            yield kind, path, self._head(path, HEAD_BYTES)
        if len(classes) > 1:  # boxes beside the images of several classes are skipped
            return
        for kind, path in _pairs(self._beside):
            head = self._head(path, HEAD_BYTES)
            if head.strip() and (kind != YOLO or self._is_of_an_image(path)):
                yield kind, path, head

    def _is_of_an_image(self, path: str) -> bool:
        """Whether a text is called like an image beside it: numbers of all images are in one text, too."""
        stem = os.path.splitext(path)[0]
        return any(self._head(f"{stem}{ending}", 1) for ending in ("", *EXTENSIONS))

    def _hint(self, kind: str, root: str, head: bytes) -> str:
        hint = _INSIST if kind != SUPERVISELY else _by_dataset(root)
        listed = _LISTED[kind](root, head) if kind in _LISTED else ""
        if listed or kind in NOT_READ:
            return "; ".join(filter(None, [listed or _EXPORT, hint]))
        if kind == YOLO or (kind == PASCAL_VOC and _BOX_OF_VOC in head):
            name = "yolo" if kind == YOLO else "voc"
            command = command_line(["tfrec", "convert", as_path(root)])
            return f"its boxes: {command} OUTPUT_DIR --format {name}; {hint}"
        if kind != COCO:
            return hint
        files = sorted(self._clues[COCO])
        boxes = [path for path in files if is_annotation(path, COCO, self._head(path, HEAD_BYTES))]
        return f"its boxes: {coco_command(root, boxes)}; {hint}"


def _by_dataset(root: str) -> str:
    """The option for folders of several datasets in a project of Supervisely: the last ones are all `img`."""
    several = len(glob.glob(os.path.join(glob.escape(root), "*", "ann"))) > 1
    return _INSIST.replace("last", "first") if several else ""


def _pairs(clues: Mapping[str, list[str]]) -> Iterator[tuple[str, str]]:
    return ((kind, path) for kind, paths in clues.items() for path in paths)
