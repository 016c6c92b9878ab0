"""What an image is compared and assigned by: spellings of one path are one key."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b

from tfrecordcli.storage.uris import is_remote, local_path, scheme_of

_NOTHING = re.compile(r"/(?:\.?/)+")

ImageKey = Callable[[str], str]


class KeyedHash:
    """Seeded hashes of images as 16 hexadecimal digits, the same however a path is spelled (`image_key`)."""

    def __init__(self, key: str) -> None:
        # A copy of a keyed hash costs less than a new one.
        self._hash = blake2b(digest_size=8, key=key.encode()[:64])

    def of(self, uri: str) -> str:
        """The hash of one image."""
        return self.of_all((uri,))[0]

    def of_all(self, uris: Sequence[str]) -> list[str]:
        """The hash of each image."""
        copy = self._hash.copy
        hashes = []
        for key in _keys_of(uris):
            hashed = copy()
            hashed.update(key.encode())
            hashes.append(hashed.hexdigest())
        return hashes


def _keys_of(uris: Sequence[str]) -> Iterable[str]:
    # Nearly all URIs are their own keys, which is told faster of many at once.
    return uris if _is_key("\n".join(uris)) else map(image_key, uris)


def _is_key(text: str) -> bool:
    return "//" not in text and "./" not in text and "\\" not in text


def image_key(uri: str) -> str:
    """The key of an image URI: `a.jpg` for `./a.jpg`, `img/a.jpg` for `img//a.jpg` and `img\\a.jpg`.

    `..` stays, for what is above a linked folder is not what its name says. URLs stay as they are, for in
    the name of an object every character counts; only file:// is the path that it stands for.
    """
    if _is_key(uri):
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
