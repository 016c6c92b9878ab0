"""Several YOLO datasets below one folder, such as the folds of a cross-validation: each describes itself."""

from __future__ import annotations

from tfrecordcli.errors import InputError
from tfrecordcli.sources.folders.annotation_files import HEAD_BYTES, YAML, YOLO, is_annotation
from tfrecordcli.sources.folders.same_images import converting_sets, need_no_folds, sets_shown
from tfrecordcli.sources.folders.tree import Entries, Tree, joined


def sets_in(tree: Tree, folder: str, entries: Entries) -> list[str]:
    """The YAML file right in a folder that describes a dataset there, if there is one."""
    paths = (joined(folder, name) for name in entries.files if name.lower().endswith(YAML))
    return [path for path in paths if is_annotation(path, YOLO, tree.head(path, HEAD_BYTES))][:1]


def need_own_images(tree: Tree, sets: list[str]) -> None:
    """Refuses datasets that hold the same images, which would be several times in one, and in several splits.

    Args:
      sets: the YAML file of each.

    Raises:
      InputError: naming an image, with the command for one of them.
    """
    folders = [path.rpartition("/")[0] for path in sets]
    if len(folders) > 1:
        what = f"are datasets of their own ({sets[0]})"
        need_no_folds(tree.root, folders, (_images(tree, each) for each in folders), tree.head, what)


def need_names_of_one(tree: Tree, sets: list[str]) -> None:
    """Refuses a folder without names of classes in which folders have such, for themselves.

    Raises:
      InputError: with the command that converts these folders.
    """
    folders = [path.rpartition("/")[0] for path in sets]
    if folders:
        what = "is a dataset of its own" if len(folders) == 1 else "are datasets of their own"
        raise InputError(
            f"{tree.root}: {sets_shown(folders)} {what} ({sets[0]}), and nothing above says what the "
            "numbers of the classes mean",
            f"give what is meant: {converting_sets(tree.root, folders)}",
        )


def _images(tree: Tree, folder: str) -> dict[str, str]:
    """Path by name of the images below a folder."""
    return {name: joined(path, name) for path, entries in tree.walk(folder) for name in entries.images}
