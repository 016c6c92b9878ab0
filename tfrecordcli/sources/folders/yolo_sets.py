"""Several YOLO datasets below one folder, such as the folds of a cross-validation: each describes itself."""

from __future__ import annotations

import posixpath
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.folders.annotation_files import HEAD_BYTES, YAML, YOLO, is_annotation
from tfrecordcli.sources.folders.tree import Entries, Tree, joined

_TOLD: Final = 3
# Images of the same name whose bytes are compared.
_COMPARED: Final = 8


def sets_in(tree: Tree, folder: str, entries: Entries) -> list[str]:
    """The YAML file right in a folder that describes a dataset there, if there is one."""
    paths = (joined(folder, name) for name in entries.files if name.lower().endswith(YAML))
    return [path for path in paths if is_annotation(path, YOLO, tree.head(path, HEAD_BYTES))][:1]


def need_no_folds(tree: Tree, sets: list[str]) -> None:
    """Refuses datasets that hold the same images, which would be several times in one, and in several splits.

    Args:
      sets: the YAML file of each.

    Raises:
      InputError: naming an image, with the command for one of them.
    """
    folders = [path.rpartition("/")[0] for path in sets]
    if len(folders) > 1 and (again := _again(tree, folders)):
        raise InputError(
            f"{tree.root}: {_shown(folders)} are datasets of their own ({sets[0]}) and hold the same images, "
            f"as folds do: {again[0]}, {again[1]}",
            f"convert one of them: {_command(tree, folders[:1])}",
        )


def need_names_of_one(tree: Tree, sets: list[str]) -> None:
    """Refuses a folder without names of classes in which folders have such, for themselves.

    Raises:
      InputError: with the command that converts these folders.
    """
    folders = [path.rpartition("/")[0] for path in sets]
    if folders:
        what = "is a dataset of its own" if len(folders) == 1 else "are datasets of their own"
        raise InputError(
            f"{tree.root}: {_shown(folders)} {what} ({sets[0]}), and nothing above says what the numbers of "
            "the classes mean",
            f"give what is meant: {_command(tree, folders)}",
        )


def _again(tree: Tree, folders: list[str]) -> tuple[str, str] | None:
    """Two paths of one image where most images below the first folder are below another; None: they are not.

    Names alone do not tell: `0001.jpg` of two sets may be two images.
    """
    first, *others = (_images(tree, folder) for folder in folders)
    for other in others:
        shared = [name for name in first if name in other and other[name] != first[name]]
        pairs = [(first[name], other[name]) for name in shared]
        is_most = 2 * len(shared) > len(first)
        if is_most and all(_are_alike(tree, *pair) for pair in pairs[:_COMPARED]):
            return pairs[0]
    return None


def _images(tree: Tree, folder: str) -> dict[str, str]:
    """Path by name of the images below a folder."""
    return {name: joined(path, name) for path, entries in tree.walk(folder) for name in entries.images}


def _are_alike(tree: Tree, one: str, other: str) -> bool:
    return tree.head(one, HEAD_BYTES) == tree.head(other, HEAD_BYTES)


def _shown(folders: list[str]) -> str:
    return ", ".join([*folders[:_TOLD], *["…"][: len(folders) > _TOLD]])


def _command(tree: Tree, folders: list[str]) -> str:
    sources = [as_path(posixpath.join(tree.root, folder)) for folder in folders]
    return f"{command_line(['tfrec', 'convert', *sources])} OUTPUT_DIR"
