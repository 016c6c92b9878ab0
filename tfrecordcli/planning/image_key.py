"""What an image is compared and dealt by: spellings of one path are one key."""

from __future__ import annotations

import re
from collections.abc import Callable

from tfrecordcli.storage.uris import is_remote, local_path, scheme_of

_NOTHING = re.compile(r"/(?:\.?/)+")

ImageKey = Callable[[str], str]


def image_key(uri: str) -> str:
    """The key of an image URI: `a.jpg` for `./a.jpg`, `img/a.jpg` for `img//a.jpg` and `img\\a.jpg`.

    `..` stays, for what is above a linked folder is not what its name says. URLs stay as they are, for in
    the name of an object every character counts; only file:// is the path that it stands for.
    """
    # Most URIs are their own key, and every row asks.
    if "//" not in uri and "./" not in uri and "\\" not in uri:
        return uri
    scheme = scheme_of(uri) if "://" in uri else ""
    if scheme == "file":
        uri = local_path(uri, "")
    elif scheme:
        return uri
    return _NOTHING.sub("/", uri.replace("\\", "/")).removeprefix("./")


def same_uri(uri: str) -> str:
    """The key where only equal URIs are the same image: below a URL, and among files that were listed."""
    return uri


def key_of(image_root: str, is_listing: bool) -> ImageKey:
    """How the images of a source are compared.

    Args:
      image_root: folder or URL that they are relative to.
      is_listing: whether they are files that were found, each one another.
    """
    return same_uri if is_listing or is_remote(image_root) else image_key
