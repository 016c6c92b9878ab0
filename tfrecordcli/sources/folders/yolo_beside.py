"""What stands beside the description of a YOLO dataset, or below it, and may be meant in its place."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress

from tfrecordcli.errors import InputError
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.folders.annotation_files import HEAD_BYTES, YAML, YOLO, is_annotation, say_nothing
from tfrecordcli.sources.folders.tree import Tree, joined
from tfrecordcli.sources.folders.yolo_description import Description, describe
from tfrecordcli.split_words import parse_split
from tfrecordcli.units import some_of


def named_otherwise(tree: Tree, described: Description) -> Iterator[str]:
    """Notes of the descriptions beside one that was chosen by its name, which name classes otherwise."""
    folder, _, chosen = described.path.rpartition("/")
    for path, other in (_descriptions(tree, folder) if described.names else {}).items():
        if other.names and other.names != described.names:
            command = command_line(["tfrec", "convert", as_path(joined(tree.root, path))])
            names = some_of([*other.names.values()])
            yield (
                f"classes are called as in {chosen}, and otherwise in {path} ({names}): {command} OUTPUT_DIR "
                "takes these"
            )


def _descriptions(tree: Tree, folder: str) -> dict[str, Description]:
    """The descriptions right in a folder that can be read, by their paths."""
    found = {}
    for path in _description_files(tree, folder):
        with suppress(InputError):
            found[path] = describe(tree, path)
    return found


def _description_files(tree: Tree, folder: str) -> Iterator[str]:
    paths = (joined(folder, name) for name in tree.entries(folder).files if name.lower().endswith(YAML))
    return (path for path in paths if is_annotation(path, YOLO, tree.head(path, HEAD_BYTES)))


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
    return any(_description_files(tree, folder))


def _has_classes(tree: Tree, folder: str) -> bool:
    """Whether all folders in one, or in its splits, are called like classes and hold images."""
    names = tree.entries(folder).folders
    if names and all(parse_split(name) is not None for name in names):
        return any(_has_classes(tree, joined(folder, name)) for name in names)
    are_images = (tree.entries(joined(folder, name)).images for name in names)
    return len(names) > 1 and not say_nothing(names) and all(are_images)
