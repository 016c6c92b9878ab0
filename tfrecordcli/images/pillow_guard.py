"""What stands around every use of a decoder: one reject for all errors, limits, and was it the memory?"""

from __future__ import annotations

import mmap
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from PIL import Image

from tfrecordcli.reasons import Rejected

# How Pillow tells a sound image that it cannot decode from a damaged one.
_UNSUPPORTED: Final = re.compile("[Uu]nsupported|unknown pixel mode|Invalid value for samples per pixel")
# Compressions of TIFF that Pillow has not: Aperio's and others' JPEG 2000, JBIG, LERC, lossy DNG, JPEG XL.
_UNREAD_TIFF_COMPRESSIONS: Final = frozenset({33003, 33005, 34661, 34712, 34887, 34892, 50002, 52546})

# What decoders take for each pixel, at most: coefficients of a progressive JPEG (6), a picture of four
# channels, and a copy of it in another order.
_BYTES_A_PIXEL: Final = 16
_ROOM: Final = 16 << 20  # for what does not depend on the picture


@contextmanager
def guarded(reject: Rejected, unsupported: Rejected | None = None) -> Iterator[None]:
    """Turns whatever Pillow raises into one reject, and keeps its warnings quiet.

    Args:
      reject: for what it cannot decode.
      unsupported: for what it says to be of a kind that it does not read; `reject` without it.

    Raises:
      Rejected: one of these two, or another that was raised inside.
      MemoryError: as raised inside; too little memory says nothing about the image.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (MemoryError, Rejected):
        raise
    except Exception as error:
        # On damaged data Pillow raises OSError, SyntaxError, ValueError, NotImplementedError,
        # struct.error, KeyError and whatever else its parsers run into.
        if unsupported is not None and _is_unsupported(error):
            raise unsupported from None
        raise reject from None


def _is_unsupported(error: Exception) -> bool:
    cause = error.args[0] if error.args else None
    if isinstance(cause, KeyError):  # how Pillow tells of a TIFF's compression
        return bool(_UNREAD_TIFF_COMPRESSIONS.intersection(cause.args))
    return isinstance(error, NotImplementedError) or _UNSUPPORTED.search(str(error)) is not None


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


@contextmanager
def sparing_the_image(pixels: int) -> Iterator[None]:
    """What is rejected inside is not when a decoder could not have had the memory for so many pixels.

    Raises:
      MemoryError
    """
    try:
        yield
    except Rejected:
        need_memory(pixels)
        raise


def need_memory(pixels: int) -> None:
    """To be called when a decoder gave a picture up.

    Raises:
      MemoryError: it could not have had the memory for it, so that this says nothing about the image.
    """
    try:
        mmap.mmap(-1, _BYTES_A_PIXEL * pixels + _ROOM).close()  # asked for, but not touched
    except OSError:
        raise MemoryError from None
