"""Folders below the description of a YOLO dataset that are datasets of their own, which it may not mean."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.folders.annotation_files import HEAD_BYTES, YAML, YOLO, is_annotation, say_nothing
from tfrecordcli.sources.folders.tree import Tree, joined
from tfrecordcli.split_words import parse_split


def datasets_below(tree: Tree, described: str, read: Collection[str]) -> Iterator[str]:
    """A note of the folders on top that have a description, too, and those of classes that are not read.

    Args:
      described: path of the description of the whole.
      read: folders of the images.
    """
    if "/" in described:
        return
    tops = tree.entries("").folders
    own = [name for name in tops if _is_described(tree, name)]
    above_read = {folder.partition("/")[0] for folder in read}
    found = [*own, *(name for name in tops if name not in {*own, *above_read} and _has_classes(tree, name))]
    if found:
        commands = (command_line(["tfrec", "convert", as_path(joined(tree.root, name))]) for name in found)
        ways = ", ".join(f"{command} OUTPUT_DIR" for command in commands)
        yield f"{described} says what is read; datasets of their own stand below it: {ways}"


def _is_described(tree: Tree, folder: str) -> bool:
    paths = (joined(folder, name) for name in tree.entries(folder).files if name.lower().endswith(YAML))
    return any(is_annotation(path, YOLO, tree.head(path, HEAD_BYTES)) for path in paths)


def _has_classes(tree: Tree, folder: str) -> bool:
    """Whether all folders in one, or in its splits, are called like classes and hold images."""
    names = tree.entries(folder).folders
    if names and all(parse_split(name) is not None for name in names):
        return any(_has_classes(tree, joined(folder, name)) for name in names)
    are_images = (tree.entries(joined(folder, name)).images for name in names)
    return len(names) > 1 and not say_nothing(names) and all(are_images)
