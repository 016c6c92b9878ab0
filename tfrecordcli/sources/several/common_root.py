"""Image paths of several sources, each relative to a folder of its own, as paths below one folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from tfrecordcli.reasons import Rejected
from tfrecordcli.storage.uris import is_remote, join, scheme_of

Move = Callable[[str], str]


def common_root(roots: Sequence[str]) -> str:
    """The nearest folder that holds all of these, or the one URL that all of them are.

    Args:
      roots: absolute folders and URLs.

    Returns:
      "" when they share nothing but the top of the file system, or are URLs that differ.
    """
    if len({*roots}) == 1:
        return roots[0]
    if any(map(is_remote, roots)):
        return ""
    common = os.path.commonpath(roots)
    return "" if common == os.path.dirname(common) else common


def mover(root: str, common: str) -> Move:
    """A function from an image path relative to ``root`` to one relative to ``common``.

    Absolute paths and URLs stay as they are; without a common folder all become that. `..` is resolved where
    no link is in the way, so that one file has one path whichever source names it.
    """
    if root == common:
        return lambda uri: uri
    if not common:
        return lambda uri: _absolute(uri, root)
    below = os.path.relpath(root, common).split(os.sep)
    is_plain = os.path.realpath(root) == os.path.join(os.path.realpath(common), *below)
    return lambda uri: _below(uri, below, is_plain)


def _is_relative(uri: str) -> bool:
    return bool(uri) and not scheme_of(uri) and not os.path.isabs(uri)


def _absolute(uri: str, root: str) -> str:
    if not _is_relative(uri):
        return uri
    if not is_remote(root):
        return os.path.join(root, uri)
    try:
        return join(root, uri)
    except Rejected:  # told when the row is read
        return f"{root.rstrip('/')}/{uri}"


def _below(uri: str, folders: Sequence[str], is_plain: bool) -> str:
    if not _is_relative(uri):
        return uri
    above = [*folders]
    uri = uri.removeprefix("./")
    while is_plain and above and uri.startswith("../"):
        uri = uri[3:]
        above.pop()
    return "/".join([*above, uri])
