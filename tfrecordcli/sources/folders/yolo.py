"""A folder of YOLO's kind: a text file of classes and boxes for each image, in `labels/` or beside it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.boxes.columns import BoxFormat
from tfrecordcli.sources.folders.annotation_files import HEAD_BYTES, YAML, YOLO, is_annotation
from tfrecordcli.sources.folders.boxes_in_texts import boxes_in_tree
from tfrecordcli.sources.folders.image_folders import ANNOTATIONS, holds_masks, labels_of, split_in_path
from tfrecordcli.sources.folders.sorted_names import SortedNames
from tfrecordcli.sources.folders.tree import Tree, is_image_name, joined, stem_of, tidy
from tfrecordcli.sources.folders.yolo_beside import datasets_below, named_otherwise
from tfrecordcli.sources.folders.yolo_description import (
    Description,
    candidates,
    describe,
    leaving_out,
    resolve_folder,
)
from tfrecordcli.sources.folders.yolo_labels import (
    MOST_BYTES,
    OtherKind,
    as_fractions,
    may_be_percents,
    parse_labels,
    without_tracks,
)
from tfrecordcli.sources.folders.yolo_lists import images_of_list
from tfrecordcli.sources.folders.yolo_names import agreed_names, checked_names, is_names_file
from tfrecordcli.sources.folders.yolo_pose import need_no_pose
from tfrecordcli.sources.folders.yolo_sets import need_names_of_one, need_own_images, sets_in
from tfrecordcli.sources.listed import Findings, ListedImage
from tfrecordcli.sources.proposals.names_of_uploads import label_files_hint
from tfrecordcli.split_words import TEST, TRAIN
from tfrecordcli.storage.uris import is_remote
from tfrecordcli.units import plural, some_of

_DOTA: Final = "labeltxt"
_LABELS: Final = ("labels", "label", *(word for word in ANNOTATIONS if word.startswith("annotation")))


@dataclass(slots=True)
class _Reading:
    """One dataset that is read.

    Attributes:
      names: of classes by number.
      form: of the four numbers of a box.
      labels: folder of images -> that of its labels; None: its images have none.
      read_with: folder of labels -> folders of images of which all were read with it.
      images, missing, empty: how many images there were, without a label file, and with one without a box.
      outlines, quadrangles: how many boxes are those around an outline, and one of four points.
      among_outlines: how many boxes stood as such in files of outlines.
      percents: how many images have boxes that are no fractions, and may be percent.
      unlabelled: folder -> images in it that are left out, since none has a label file.
    """

    tree: Tree
    names: dict[int, str]
    form: BoxFormat
    labels: dict[str, str | None] = field(default_factory=dict)
    read_with: dict[str, list[str]] = field(default_factory=dict)
    images: int = 0
    missing: int = 0
    empty: int = 0
    outlines: int = 0
    quadrangles: int = 0
    among_outlines: int = 0
    percents: int = 0
    unlabelled: dict[str, int] = field(default_factory=dict)


def yolo_root(path: str) -> str:
    """The folder that image paths are relative to: that of a data.yaml, else the path itself."""
    return (posixpath.dirname(path) or ".") if path.lower().endswith(YAML) else path


def read_yolo(
    path: str,
    findings: Findings,
    skip: str = "",
    exclude: Iterable[str] = (),
    box_format: BoxFormat = "center_xywh",
) -> Iterator[ListedImage]:
    """The images of a YOLO dataset: split by split, in the order of their paths or lists.

    An image without a label file, or with an empty one, shows nothing (Ultralytics: a background image),
    unless its whole folder has no labels: then its images are not listed, and counted in a note.
    ``findings.label_ids`` are the numbers of the classes plus 1, whichever of them occur: 0 stands for the
    background.

    Args:
      path: folder, or URL of one on a store; or its data.yaml.
      skip: a folder that is left out (an output directory inside the source).
      exclude: patterns of what is to be skipped.
      box_format: what the four numbers of a box are, where a tool wrote others; outlines stay what they are.

    Raises:
      InputError: no names of classes, folders of splits that are not there, results of a prediction, oriented
        boxes, keypoints, no labels.
    """
    root = yolo_root(path)
    tree = Tree(root, skip, exclude)
    described = describe(tree, "" if root == path else path.rpartition("/")[2])
    need_no_pose(tree, described.path, has_points=described.has_points)
    reading = _Reading(tree, _names(tree, described), box_format)
    findings.label_ids |= {name: number + 1 for number, name in reading.names.items()}
    if described.splits:
        yield from _described(reading, described, findings)
    else:
        for folder, entries in tree.walk():
            if not holds_masks(folder) and any(map(is_image_name, entries.files)):
                yield from _in_folder(reading, split_in_path(folder), folder)
    yield from _without_image(reading)
    if described.path and root == path:
        read = {folder for folders in reading.read_with.values() for folder in folders}
        findings.notes += [*datasets_below(tree, described.path, read), *named_otherwise(tree, described)]
    _tell(reading, findings)


def _names(tree: Tree, described: Description) -> dict[int, str]:
    """The names of the classes: of the description, else of files of names anywhere in the tree.

    Raises:
      InputError: there are none, or they disagree; or there are several datasets, or one of DOTA, or of
        corners in pixels.
    """
    files, sets = [], []
    for folder, entries in tree.walk():
        if folder.rpartition("/")[2].lower() == _DOTA:
            raise InputError(
                f"{joined(tree.root, folder)}: these are oriented boxes (DOTA), which are not read",
                boxes_in_tree(tree).command(tree.root) or "export upright boxes from the tool that drew them",
            )
        files += [joined(folder, name) for name in entries.files if is_names_file(name)]
        sets += sets_in(tree, folder, entries) if not described.path else []
    need_own_images(tree, sets)
    if described.names:
        return described.names
    if files:
        return agreed_names(tree, files)
    if described.count:
        return checked_names(described.path, {number: f"class_{number}" for number in range(described.count)})
    need_names_of_one(tree, sets)
    boxes_in_tree(tree).need_no_corners(tree.root)
    raise InputError(
        f"{tree.root}: nothing says what the numbers of the classes mean",
        f"write the names, one a line, into {joined(tree.root, 'classes.txt')}",
    )


def _described(reading: _Reading, described: Description, findings: Findings) -> Iterator[ListedImage]:
    """The images of the splits that a description names."""
    seen: dict[str, str] = {}
    is_only = len({written for _, written in described.splits}) == 1
    for split, written in described.splits:
        tree, is_list = reading.tree, written.lower().endswith(".txt")
        if is_list:
            path = next(filter(tree.is_file, candidates(written, described.bases)), None)
        else:
            path = resolve_folder(tree, written, described.bases, is_only=is_only)
        if path is None:
            _miss(tree, described, split, written, findings)
            continue
        if path != tidy(described.bases[0], written):
            findings.notes.append(f"{described.path} names {written} for {split}: {path or '.'} is taken")
        if path in seen:
            findings.notes.append(f"{path} is named for {seen[path]} and for {split}: taken for {seen[path]}")
            continue
        seen[path] = split
        if is_list:
            yield from _in_list(reading, split, path, described)
        else:
            for folder, _ in tree.walk(path):
                yield from _in_folder(reading, split, folder)


def _miss(tree: Tree, described: Description, split: str, written: str, findings: Findings) -> None:
    """A folder or list that is not there: often so with test, which tools write without having one."""
    place = joined(tree.root, described.path)
    if split != TEST:
        below = f" below {described.bases[0]} (path)" if len(described.bases) > 1 else ""
        raise InputError(
            f"{place}: {written}, which it names for {split}{below}, is not there",
            "correct the path in it, relative to its folder or absolute, or put it beside the images"
            f"{leaving_out(tree, described, written) if split != TRAIN else ''}",
        )
    findings.notes.append(f"{described.path} names {written} for {split}, which is not there")


def _in_folder(reading: _Reading, split: str, folder: str) -> Iterator[ListedImage]:
    """The images right in a folder."""
    tree = reading.tree
    images = tree.entries(folder).images
    labels = _label_folder(reading, folder) if images else None
    if labels is None:
        reading.unlabelled |= {folder: len(images)} if images else {}
        return
    texts = SortedNames(list(filter(_is_label_file, tree.entries(labels).files)))
    for name in images:
        text = max(texts.with_stem(stem_of(name)), default="")
        yield _read_one(reading, split, joined(folder, name), joined(labels, text) if text else "")
    reading.read_with.setdefault(labels, []).append(folder)


def _read_one(reading: _Reading, split: str, image: str, text: str, place: str = "") -> ListedImage:
    """One image by its label file.

    Args:
      text: path of that file; empty: there is none.
      place: that says so, where it is not this file.
    """
    reading.images += 1
    problem: Rejected | None = None
    try:
        data = reading.tree.read(text, MOST_BYTES) if text else None
    except Rejected as found:
        data, problem = None, found if found.code != "not_found" else None
    if data is None:
        reading.missing += problem is None
        boxes = () if problem is None else None
        return ListedImage(place or image, image, split, boxes=boxes, unit="fractions", problem=problem)
    try:
        labels = parse_labels(data, reading.names, reading.form)
    except OtherKind as kind:
        path = joined(reading.tree.root, text)
        hint = "give the labels that people drew, as upright boxes"
        if kind.has_tracks and not is_remote(path):
            hint = f"numbers of tracks: {without_tracks(posixpath.dirname(path))}; predictions: {hint}"
        raise InputError(f"{path}: {kind}, which is not read", hint) from kind
    problem = labels.problem
    if problem is None:
        reading.empty += not labels.boxes
        reading.outlines += labels.outlines
        reading.quadrangles += labels.quadrangles
        reading.among_outlines += labels.among_outlines
    else:
        reading.percents += problem.code == "bad_box" and may_be_percents(data)
    return ListedImage(text, image, split, boxes=labels.boxes, unit="fractions", problem=problem)


def _in_list(reading: _Reading, split: str, path: str, described: Description) -> Iterator[ListedImage]:
    """The images that a list of paths names, a line each."""
    for number, image in images_of_list(reading.tree, path, described.bases):
        folder, _, name = image.rpartition("/")
        labels = _label_folder(reading, folder)
        if labels is None:
            reading.unlabelled[folder] = reading.unlabelled.get(folder, 0) + 1
        else:
            label_file = joined(labels, f"{stem_of(name)}.txt")
            yield _read_one(reading, split, image, label_file, f"{path} line {number}")


def _label_folder(reading: _Reading, folder: str) -> str | None:
    """The folder of the labels of the images in a folder; None: they have none."""
    if folder not in reading.labels:
        reading.labels[folder] = _find_labels(reading.tree, folder)
    return reading.labels[folder]


def _find_labels(tree: Tree, folder: str) -> str | None:
    base, rest = labels_of(folder)
    names = {name.lower(): name for name in tree.entries(base).folders}
    for path in (joined(joined(base, names[word]), rest) for word in _LABELS if word in names):
        if any(map(_is_label_file, tree.entries(path).files)):
            return path
    entries = tree.entries(folder)
    images, texts = entries.images, SortedNames(list(filter(_is_label_file, entries.files)))
    has_some = any(texts.with_stem(stem_of(name)) for name in images)
    return folder if has_some or not images else None


def _is_label_file(name: str) -> bool:
    return name.lower().endswith(".txt") and not is_names_file(name)


def _without_image(reading: _Reading) -> Iterator[ListedImage]:
    """A row for each label file that has no image."""
    tree = reading.tree
    for labels, folders in reading.read_with.items():
        images = [SortedNames(tree.entries(folder).images) for folder in folders]
        for name in filter(_is_label_file, tree.entries(labels).files):
            path = joined(labels, name)
            has_image = any(names.with_stem(stem_of(name)) for names in images)
            if not has_image and _holds_labels(tree, path):
                image, split = joined(folders[0], stem_of(name)), split_in_path(folders[0])
                yield ListedImage(path, image, split, (), (), "fractions", problem=Rejected("not_found"))


def _holds_labels(tree: Tree, path: str) -> bool:
    head = tree.head(path, HEAD_BYTES)
    return bool(head.strip()) and is_annotation(path, YOLO, head)


def _hint_of_uploads(reading: _Reading) -> str:
    """What to do where label files are called after uploads of their images, and none after an image."""
    tree = reading.tree
    for labels, folders in reading.read_with.items():
        files = [stem_of(name) for name in filter(_is_label_file, tree.entries(labels).files)]
        images = {stem_of(name) for folder in folders for name in tree.entries(folder).images}
        if hint := label_files_hint(joined(tree.root, labels), files, images):
            return hint
    return ""


def _tell(reading: _Reading, findings: Findings) -> None:
    """Notes what is told by its number.

    Raises:
      InputError: there are no images, none of them has a label, or all boxes may be percent.
    """
    root, images = reading.tree.root, reading.images
    if not images:
        raise InputError(f"{root}: there are no images with label files", "is it the right folder?")
    nothing = reading.missing + reading.empty
    are = f"{plural(reading.missing, 'image')} without a label file and {reading.empty:,} with an empty one"
    if nothing == images:
        hint = _hint_of_uploads(reading) or "are the labels where they should be?"
        raise InputError(f"{root}: no image has a label: {are}", hint)
    if reading.percents == images - nothing:
        command = "" if is_remote(root) else f": {as_fractions(root)}"
        raise InputError(
            f"{root}: no box is of fractions from 0 to 1, and all lie in 100 by 100: are they percent?",
            f"then divide them by 100, which keeps copies{command}",
        )
    if nothing:
        doubt = ", more than half of all: are the labels in the right folder?" if nothing * 2 > images else ""
        findings.notes.append(f"{are} are taken to show nothing{doubt}")
    if reading.unlabelled:
        count, folders = sum(reading.unlabelled.values()), some_of(sorted(reading.unlabelled))
        findings.notes.append(
            f"{plural(count, 'image')} in folders without any label file left out ({folders or '.'}): an "
            "empty file would say that its image shows nothing"
        )
    if reading.outlines:
        of_4 = f" ({reading.quadrangles:,} of 4 points, as oriented boxes are)" if reading.quadrangles else ""
        told = f"{plural(reading.outlines, 'outline')}{of_4} became upright boxes around them"
        if reading.among_outlines:
            told += f"; {plural(reading.among_outlines, 'line')} of four numbers in files of outlines "
            told += "taken for boxes, not for outlines of two points"
        findings.notes.append(told)
    findings.form = None if reading.outlines else reading.form
    findings.notes += reading.tree.notes()
