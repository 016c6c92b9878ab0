"""Splits whose only folder says nothing of its images, as `test/images` beside `train/cat`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from glob import escape
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import command_line
from tfrecordcli.sources.folders.annotation_files import say_nothing
from tfrecordcli.units import join_names

AS_NAMES: Final = "--label-type name takes them for labels"


def silent_splits(folders: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The only label of splits where that is no label, by the split; empty where no other split has better.

    What is a class of another split, as `photos` beside `paintings`, is one everywhere.

    Args:
      folders: (split or empty, label) of those of labels.
    """
    labels: dict[str, set[str]] = {}
    for split, label in folders:
        labels.setdefault(split, set()).add(label)
    silent = {
        split: min(names)
        for split, names in labels.items()
        if split and len(names) == 1 and say_nothing(names)
    }
    others = {label for split, names in labels.items() if split not in silent for label in names}
    if say_nothing(others):
        return {}
    return {split: label for split, label in silent.items() if label not in others}


def no_labels_in(root: str, folders: Sequence[str], list_asked: str) -> InputError:
    """The refusal of such folders.

    Args:
      folders: of the images without labels, below root.
      list_asked: whether a list beside is theirs, with its command; empty for none.
    """
    them = "it" if len(folders) == 1 else "them"
    as_images = f"--unlabelled keep takes the images in {them} without a label"
    exclusion = f"{command_line(['--exclude', join_names(map(escape, folders))])} passes over {them}"
    return InputError(
        f"{root}: the folders of other splits are labels, but not {', '.join(folders)}",
        "; ".join(filter(None, [list_asked, as_images, exclusion, AS_NAMES])),
    )
