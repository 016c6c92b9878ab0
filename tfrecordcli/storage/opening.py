"""Images opened a little before their turn, in order: files, and requests to stores and servers."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final, TypeVar

from tfrecordcli.reasons import Rejected
from tfrecordcli.storage.ahead import REQUESTS
from tfrecordcli.storage.reading import ImageFile, read_image
from tfrecordcli.storage.remote import RemoteImage, RemoteReader
from tfrecordcli.storage.uris import is_remote, join, with_forward_slashes

# Files opened ahead of the one that is read. Threads that read them ahead were slower: handing a cached
# file over from a thread costs more than reading it.
_FILES: Final = 8
# As many as are under way, and some that are there already.
_REMOTE: Final = REQUESTS * 3 // 2

_Row = TypeVar("_Row")


class ImageRequest:
    """One image that is on its way over the network."""

    def __init__(self, uri: str, root: str, image: RemoteImage) -> None:
        self._uri = uri
        self._root = root
        self._image = image

    def read(self, max_bytes: int) -> bytes:
        """Its bytes. Raises as `read_image` does."""
        try:
            return self._image.read()
        except Rejected as problem:
            other = with_forward_slashes(self._uri)
            if other is None or problem.code != "not_found":
                raise
        return read_image(other, self._root, max_bytes)

    def close(self) -> None:
        """Gives it up."""
        self._image.close()


OpenImage = ImageFile | ImageRequest


def open_ahead(
    rows: Iterable[tuple[_Row, str]], root: str, max_bytes: int
) -> Iterator[tuple[_Row, OpenImage]]:
    """Rows with their images, in order; each image must be read before the next one is taken.

    Args:
      rows: (anything, image URI as the source has it).
      root: absolute folder or URL that relative URIs are relative to.
      max_bytes: of an image; larger ones are rejected when they are read.
    """
    ahead: deque[tuple[_Row, OpenImage]] = deque()
    reader: RemoteReader | None = None
    try:
        for row, uri in rows:
            url = _remote_url(uri, root)
            if url:
                reader = reader or RemoteReader()
                ahead.append((row, ImageRequest(uri, root, reader.open(url, max_bytes))))
            else:
                ahead.append((row, ImageFile(uri, root)))
            if len(ahead) > (_REMOTE if url else _FILES):
                yield ahead.popleft()
        while ahead:
            yield ahead.popleft()
    finally:
        for _, image in ahead:
            image.close()
        if reader:
            reader.close()


def _remote_url(uri: str, root: str) -> str:
    """Where an image is; empty when that is a local path, or no place at all, which its reading tells."""
    if "://" not in root and "://" not in uri:
        return ""
    try:
        location = join(root, uri)
    except Rejected:
        return ""
    return location if is_remote(location) else ""
