"""Lists that name the XML files of Pascal VOC in place of the images of these."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import chain

from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.column_words import IMAGE_EXTENSION
from tfrecordcli.sources.image_paths import entries, path_of
from tfrecordcli.sources.proposals.missing_images import folders_in


def annotations_hint(uris: Sequence[str], root: str) -> str:
    """The command for the folder that holds images and XML files; empty where it cannot be told.

    Args:
      uris: that the list has for its images.
      root: absolute folder or URL that relative ones are relative to.
    """
    path = path_of(uris[0], root)
    if not path or not all(uri.lower().endswith(".xml") for uri in uris):
        return ""
    folder = os.path.dirname(path)
    while not _has_images(folder):
        if folder in (root, os.path.dirname(folder)):
            return ""
        folder = os.path.dirname(folder)
    command = command_line(["tfrec", "convert", as_path(os.path.relpath(folder)), "OUTPUT_DIR"])
    return f"where its images belong it names XML files; convert the folder that holds both: {command}"


def _has_images(folder: str) -> bool:
    """Whether a local folder has an image, or folders in it have one."""
    some = entries(chain((folder,), folders_in(folder)), folder)
    return any(IMAGE_EXTENSION.search(name) for _, name in some)
