"""Several sources that are called like splits and were given without them."""

from __future__ import annotations

import os
from collections.abc import Sequence

from tfrecordcli.shell import command_line
from tfrecordcli.sources.folders.annotation_files import split_in
from tfrecordcli.sources.given import GivenSource


def command_of_named_splits(given: Sequence[GivenSource]) -> str:
    """The command that gives each source the split that it is called by.

    Args:
      given: the sources.

    Returns:
      "" where a source was given one, is no path, or where they are called by fewer than two.
    """
    if any(each.split or not isinstance(each.source, (str, os.PathLike)) for each in given):
        return ""
    paths = [os.fspath(each.source) for each in given]
    sources = with_named_splits(given)
    if sources == paths:
        return ""
    return f"{command_line(['tfrec', 'convert', *sources])} OUTPUT_DIR, with these options,"


def with_named_splits(given: Sequence[GivenSource]) -> list[str]:
    """Paths as a command takes them: each with the split it was given, else with that it is called by.

    None is called by one where they are called by fewer than two.
    """
    paths = [os.fspath(each.source) for each in given]
    splits = [each.split or _split_of(path) for each, path in zip(given, paths, strict=True)]
    if len({*splits} - {""}) < 2:
        splits = [each.split for each in given]
    return [f"{split}={path}" if split else path for split, path in zip(splits, paths, strict=True)]


def _split_of(path: str) -> str:
    """The split that a file or folder is called by, else the folder that it is in; empty where neither is."""
    folder, name = os.path.split(path.rstrip("/"))
    return split_in(os.path.splitext(name)[0]) or split_in(os.path.basename(folder))
