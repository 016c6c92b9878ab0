"""What stands around every use of Pillow's decoders."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from PIL import Image

from tfrecordcli.reasons import Rejected


@contextmanager
def guarded(reject: Rejected) -> Iterator[None]:
    """Turns whatever Pillow raises into one reject, and keeps its warnings quiet.

    Raises:
      Rejected: `reject`, or another that was raised inside.
      MemoryError: as raised inside; too little memory says nothing about the image.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (MemoryError, Rejected):
        raise
    except Exception:
        # On damaged data Pillow raises OSError, SyntaxError, ValueError, NotImplementedError,
        # struct.error, KeyError and whatever else its parsers run into.
        raise reject from None


def undecodable(format_name: str) -> Rejected:
    """The reject for data that Pillow gives up on."""
    return Rejected("corrupt", format=format_name, detail="it cannot be decoded; it may be cut short")


@contextmanager
def bomb_limit(pixels: int | None) -> Iterator[None]:
    """Sets Pillow's limit on the images that it meets: twice this number of pixels; None is none.

    None is for where the size is checked by our own limit, which a user can choose, right after.
    """
    before = Image.MAX_IMAGE_PIXELS
    Image.MAX_IMAGE_PIXELS = pixels
    try:
        yield
    finally:
        Image.MAX_IMAGE_PIXELS = before
