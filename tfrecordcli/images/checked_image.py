"""An image that passed the gate, and what was done to it there."""

from __future__ import annotations

from typing import NamedTuple


class Transform(NamedTuple):
    """What the gate did to an image, so that what was drawn on it can follow.

    Attributes:
      width, height: pixels of the file that was checked, as stored in it.
      orientation: 1 to 8, how its EXIF says that these pixels are to be turned; 1: not at all.
      is_turned: whether the stored image is turned so.
    """

    width: int
    height: int
    orientation: int = 1
    is_turned: bool = False


class CheckedImage(NamedTuple):
    """An image that TensorFlow decodes.

    A tuple, as all are of which one is made for each image: a frozen dataclass takes three times as long.

    Attributes:
      data: a JPEG or PNG file.
      format: ``jpeg`` or ``png``, from the content.
      height: pixels, at least 1, of what ``tf.io.decode_image(data, channels=0)`` returns.
      width: pixels, at least 1, of the same.
      channels: 1 to 4, of the same.
      notes: keys of `NOTES`, without repetition.
      transform: what it was before; None: the same, and not to be turned.
    """

    data: bytes
    format: str
    height: int
    width: int
    channels: int
    notes: tuple[str, ...]
    transform: Transform | None = None
