"""What a folder is as a source: annotations of boxes in one of the usual layouts, or classes as folders."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal

from tfrecordcli.errors import InputError
from tfrecordcli.sources.folders.annotation_files import HEAD_BYTES, YOLO, is_annotation
from tfrecordcli.sources.folders.boxes_in_xml import need_no_xml_of_images
from tfrecordcli.sources.folders.image_folders import IMAGES, is_of_annotations, split_in_path
from tfrecordcli.sources.folders.tree import Entries, Tree, is_image_name, joined, stem_of, top_of
from tfrecordcli.sources.folders.yolo_description import describe
from tfrecordcli.sources.folders.yolo_names import is_names_file
from tfrecordcli.sources.foreign.cvat import need_no_cvat
from tfrecordcli.sources.foreign.json_an_image import need_no_json_of_an_image
from tfrecordcli.sources.foreign.lists import need_no_foreign_boxes
from tfrecordcli.sources.foreign.ua_detrac import need_no_detrac
from tfrecordcli.split_words import parse_split
from tfrecordcli.storage.uris import is_remote

FolderFormat = Literal["voc", "yolo", "roboflow"]

# Files by which Roboflow tells the annotations of a split, which are lists that other readers take.
_ROBOFLOW: Final = (
    "_annotations.coco.json",
    "_annotations.createml.json",
    "_annotations.csv",
    "_classes.csv",
)
_TELLING: Final = frozenset({*IMAGES, "labeltxt", "label_2", "gt", "data", "obj_train_data"})
# Folders that are looked into, how deep, how many that are called like nothing special, and files of each.
_MOST: Final = 60
_DEEPEST: Final = 4
_PLAIN: Final = 3
_SAMPLE: Final = 5
_KNOWN: Final = 1000
_VOC: Final = re.compile(rb"<annotation[\s>/]")
_LABELME_XML: Final = re.compile(rb"<(?:polygon|segm)>")


@dataclass(frozen=True, slots=True)
class FolderKind:
    """What a folder was taken for.

    Attributes:
      name: of the format.
      sign: path in the folder of a file that shows it.
      lists: of Roboflow: (split word or empty, path in the folder) of each list of annotations.
    """

    name: FolderFormat
    sign: str
    lists: tuple[tuple[str, str], ...] = ()


def kind_of_folder(root: str, skip: str = "", exclude: Iterable[str] = ()) -> FolderKind | None:
    """What a folder holds, by the names and first bytes of a few files; None: nothing but classes, if that.

    XML and text files count where boxes are kept: in folders called like splits, `images` or `labels`, beside
    those, and where there is a single folder; not in several folders that may be classes.

    Args:
      root: folder, or URL of a folder on a store.
      skip: a folder that is left out (an output directory inside the source).
      exclude: patterns of what is to be skipped.

    Raises:
      InputError: signs of two formats, or of one that is not read.
    """
    tree = Tree(root, skip, exclude, _KNOWN)
    visited = list(_visited(tree))
    lists = [
        (split_in_path(folder), joined(folder, name))
        for folder, entries, _ in visited
        for name in _ROBOFLOW
        if name in entries.files and not (name == "_classes.csv" and "_annotations.csv" in entries.files)
    ]
    voc = next(filter(None, (_voc_sign(tree, *place) for place in visited)), "")
    yolo = describe(tree).path or next(filter(None, (_yolo_sign(tree, *place) for place in visited)), "")
    if lists and not voc and not yolo:
        return FolderKind("roboflow", lists[0][1], tuple(lists))
    if not yolo and (not voc or _has_other_boxes(tree, voc)):
        need_no_xml_of_images(tree, visited)
        if not voc and not is_remote(root):
            need_no_detrac(root, [folder for folder, _, _ in visited])
    return _one_kind(root, voc, yolo)


def _has_other_boxes(tree: Tree, path: str) -> bool:
    """Whether a file that begins as one of Pascal VOC has objects, and none with a box as these have it."""
    head = _as_utf8(tree.head(path, HEAD_BYTES))
    return b"<object>" in head and b"bndbox" not in head


def kind_of_boxes(root: str, skip: str = "", exclude: Iterable[str] = ()) -> FolderKind | None:
    """The same of a folder that has boxes, wherever their files stand: also beside images in several folders.

    Raises:
      InputError: as `kind_of_folder`.
    """
    tree = Tree(root, skip, exclude)
    voc = yolo = ""
    for folder, entries in tree.walk():
        voc = voc or _voc_sign(tree, folder, entries, counts=True)
        yolo = yolo or _yolo_sign(tree, folder, entries, counts=True)
    return _one_kind(root, voc, yolo)


def _one_kind(root: str, voc: str, yolo: str) -> FolderKind | None:
    """What these signs show, of which either may be empty.

    Raises:
      InputError: neither is.
    """
    if voc and yolo:
        raise InputError(
            f"{root}: there are boxes of Pascal VOC ({voc}) and of YOLO ({yolo})",
            "--format voc or --format yolo says which are meant",
        )
    return FolderKind("voc", voc) if voc else FolderKind("yolo", yolo) if yolo else None


def need_no_json_of_images(root: str, skip: str = "", exclude: Iterable[str] = ()) -> None:
    """Refuses a folder that is nothing else and has such JSON, a file an image, where boxes are kept.

    Raises:
      InputError: as `need_no_json_of_an_image`.
    """
    tree = Tree(root, skip, exclude, _KNOWN)
    for folder, entries, counts in _visited(tree):
        for name in _some(entries, ".json") if counts else ():
            path = joined(folder, name)
            need_no_json_of_an_image(root, joined(root, path), tree.head(path, HEAD_BYTES))


def need_no_other_xml(root: str, skip: str = "", exclude: Iterable[str] = ()) -> None:
    """Refuses a folder that is said to be Pascal VOC's, and whose XML is nothing but boxes of another kind.

    Raises:
      InputError: as `need_no_xml_of_images`.
    """
    tree = Tree(root, skip, exclude, _KNOWN)
    visited = list(_visited(tree))
    paths = (joined(folder, name) for folder, entries, _ in visited for name in _some(entries, ".xml"))
    if not any(_VOC.search(_as_utf8(tree.head(path, HEAD_BYTES))) for path in paths):
        need_no_xml_of_images(tree, visited)


def _visited(tree: Tree) -> Iterator[tuple[str, Entries, bool]]:
    """(path, entries, whether its files count) of a few folders, those above others first."""
    base = top_of(tree)
    waiting = [(base, 0, True)]
    for _ in range(_MOST):
        if not waiting:
            return
        folder, depth, counts = waiting.pop(0)
        entries = tree.entries(folder)
        yield folder, entries, counts
        telling = [name for name in entries.folders if _tells(name)]
        plain = [name for name in entries.folders if not _tells(name)][:_PLAIN]
        if depth < _DEEPEST:
            waiting += [(joined(folder, name), depth + 1, True) for name in telling]
            waiting += [(joined(folder, name), depth + 1, _in_annotations(folder)) for name in plain]


def _tells(name: str) -> bool:
    return name.lower() in _TELLING or is_of_annotations(name) or bool(parse_split(name))


def _in_annotations(folder: str) -> bool:
    return any(map(is_of_annotations, folder.split("/")))


def _voc_sign(tree: Tree, folder: str, entries: Entries, counts: bool) -> str:
    """An XML file of Pascal VOC's kind; empty when there is none.

    Raises:
      InputError: one of CVAT or LabelMe.
    """
    for name in _some(entries, ".xml") if counts else ():
        path = joined(folder, name)
        head = _as_utf8(tree.head(path, HEAD_BYTES))
        need_no_cvat(head, joined(tree.root, path))
        if _VOC.search(head[:1000]):
            if _LABELME_XML.search(head) and b"<bndbox>" not in head:
                what = f"{joined(tree.root, path)}: this is XML of LabelMe, which is not read"
                raise InputError(what, "export it as COCO or as Pascal VOC")
            return path
    return ""


def _as_utf8(head: bytes) -> bytes:
    """The same in UTF-8, where the mark of UTF-16 begins it."""
    is_utf16 = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return head.decode("utf-16", "ignore").encode(errors="ignore") if is_utf16 else head


def _yolo_sign(tree: Tree, folder: str, entries: Entries, counts: bool) -> str:
    """A label file of YOLO's kind, or a folder of DOTA's, which the reader refuses; empty for none."""
    if folder.rpartition("/")[2].lower() == "labeltxt":
        return folder
    if not counts:
        return ""
    names = _some(entries, ".txt", len(entries.files))
    for path, head in _filled(tree, folder, names):
        need_no_foreign_boxes(head, tree.root, path)
    if not _in_annotations(folder):
        stems = set(map(stem_of, filter(is_image_name, entries.files)))
        names = [name for name in names if stem_of(name) in stems]
    names = [name for name in names if not is_names_file(name)]
    return next((path for path, head in _filled(tree, folder, names) if is_annotation(path, YOLO, head)), "")


def _filled(tree: Tree, folder: str, names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """(path, first bytes) of the first files that are not blank, as those of images without a box are."""
    heads = ((joined(folder, name), tree.head(joined(folder, name), HEAD_BYTES)) for name in names)
    return islice(((path, head) for path, head in heads if head.strip()), _SAMPLE)


def _some(entries: Entries, extension: str, most: int = _SAMPLE) -> list[str]:
    return [name for name in entries.files if name.lower().endswith(extension)][:most]
