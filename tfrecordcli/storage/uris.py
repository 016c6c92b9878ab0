"""Image URIs as people write them, turned into local paths."""

from __future__ import annotations

import os
import re
from urllib.parse import unquote, urlsplit, urlunsplit

from tfrecordcli.reasons import Rejected

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")


def scheme_of(uri: str) -> str:
    """`gs` of `gs://bucket/key`, in lower case; empty for a path (`C:\\photos` is a path)."""
    match = _SCHEME.match(uri)
    return match[1].lower() if match else ""


def local_path(uri: str, root: str) -> str:
    """The local path of an image URI.

    Args:
      uri: a path, relative to ``root`` or absolute, or a file:// URL (only there is %20 a blank).
      root: absolute folder.

    Raises:
      Rejected: ``unsupported_scheme``.
    """
    scheme = scheme_of(uri)
    if scheme == "file":
        _, slash, path = uri.partition("://")[2].partition("/")
        return unquote(slash + path)
    if scheme:
        raise Rejected("unsupported_scheme", scheme=scheme)
    return os.path.join(root, uri)


def with_forward_slashes(uri: str) -> str | None:
    """A URI written on Windows as other systems write it; None when it has no backslash."""
    return uri.replace("\\", "/") if "\\" in uri and os.sep == "/" else None


def public_uri(uri: str) -> str:
    """A URI without its query string and credentials, which signed URLs hold; paths as they are."""
    if not scheme_of(uri):
        return uri
    parts = urlsplit(uri)
    if scheme_of(uri) in ("http", "https"):
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
    return uri
