"""The commands for lists in a folder whose images may stand in another one beside or below."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from tfrecordcli.shell import as_path
from tfrecordcli.sources.folders.lists_of_splits import converting_lists, images_named
from tfrecordcli.sources.proposals.missing_images import folders_in, has_image
from tfrecordcli.storage.uris import is_remote

_SEARCHED: Final = 1 << 20  # bytes of a list
_NAMES: Final = 20  # of its images that are looked for


def converting_with_images(
    root: str, lists: Iterable[tuple[str, str]], head: Callable[[str, int], bytes]
) -> str:
    """The command for lists below a root, with the folders of their images where these are elsewhere.

    Args:
      root: the folder.
      lists: each with its split, or none.
      head: gives so many first bytes of a file, relative to root.
    """
    lists = [*lists]
    return converting_lists(root, lists, *(() if is_remote(root) else _roots(root, lists, head)))


def _roots(root: str, lists: Sequence[tuple[str, str]], head: Callable[[str, int], bytes]) -> list[str]:
    """The options that say where images are."""
    roots = [(split, _root_of(os.path.join(root, path), head(path, _SEARCHED))) for split, path in lists]
    found = {folder for _, folder in roots}
    if len(found) == 1:
        roots = [("", min(found))]
    # Where a list has no split, no folder can be said for it alone.
    elif not all(split for split, _ in roots):
        return []
    given = [as_path(f"{split}={folder}".removeprefix("=")) for split, folder in roots if folder]
    return [word for each in given for word in ("--image-root", each)]


def _root_of(path: str, head: bytes) -> str:
    """The only folder around a list that has all images tried; empty for its own, or none."""
    named = dict.fromkeys(map(os.fsdecode, images_named(head)))
    names = [name for name in named if "://" not in name and not os.path.isabs(name)]
    names = names[:: 1 + len(names) // _NAMES]  # of all parts of the list, which may be in several folders
    own = os.path.dirname(os.path.abspath(path))
    if not names or any(has_image(own, name) for name in names):
        return ""
    above = os.path.dirname(own)
    for folders in folders_in(own), [above], folders_in(above):
        near = [each for each in folders if all(has_image(each, name) for name in names)]
        if near:
            found = near[0] if len(near) == 1 else ""
            return os.path.relpath(found) if found and not os.path.isabs(path) else found
    return ""
