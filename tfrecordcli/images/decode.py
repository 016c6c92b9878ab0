"""Decodes images with Pillow: those that TensorFlow cannot read, and those to be turned or shrunk.

Only one frame of an image is ever decoded, never counted, and only by decoders inside Pillow:
none of the formats here runs an external program (as EPS, WMF and FITS do).
"""

from __future__ import annotations

import functools
import importlib
import io
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from PIL import Image, UnidentifiedImageError
from PIL.GifImagePlugin import GifImageFile
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile
from PIL.TiffImagePlugin import TiffImageFile

from tfrecordcli.images.headers import check_tile, read_webp
from tfrecordcli.images.jpeg import JpegInfo
from tfrecordcli.images.jpeg_segments import LOSSLESS
from tfrecordcli.images.notes import REENCODED_FORMATS
from tfrecordcli.images.pillow_guard import bomb_limit, guarded, need_memory, sparing_the_image, undecodable
from tfrecordcli.images.png import PngInfo, lean_png
from tfrecordcli.images.sniff import UNSIGNED_FORMATS
from tfrecordcli.reasons import Rejected

# Pillow's names of formats that lose something, unless the file says otherwise.
LOSSY_FORMATS: Final = frozenset({"WEBP", "AVIF", "JPEG2000", "HEIF"})
# Images inside an image, whose sizes the outer header need not tell.
_NESTING_FORMATS: Final = frozenset({"ICO", "CUR", "ICNS"})
_NESTED_PIXELS: Final = 1 << 22  # icons have up to 1024 x 1024
# Formats of which Pillow reads some kinds only.
_KINDS_UNREAD: Final = frozenset({"BMP", "DIB", "TIFF", "DDS", "SGI"})
_ANIMATED_FORMATS: Final = frozenset({"GIF", "WEBP", "AVIF", "TIFF"})
_MAX_ICC_BYTES: Final = 4 << 20  # a profile has 0.5 to 3,000 KB

_CR2_MARK: Final = b"CR"  # of Canon, after the header of a TIFF
# TIFF tags (TIFF 6.0; Adobe DNG specification)
_SUBFILE_TYPE, _BITS_PER_SAMPLE, _ORIENTATION, _DNG_VERSION = 254, 258, 274, 50706


@dataclass(frozen=True, slots=True)
class DecodedImage:
    """A decoded image.

    Attributes:
      image: Pillow's image, loaded.
      source: Pillow's name of the format that it had.
      is_lossy: it went through lossy compression, so that another time does little harm.
      icc_profile: empty when there is none.
      exif_block: as `read_exif` takes it, empty when there is none.
      height: pixels before any shrinking.
      width: pixels before any shrinking.
      notes: what decoding already found.
    """

    image: Image.Image
    source: str
    is_lossy: bool
    icc_profile: bytes
    exif_block: bytes
    height: int
    width: int
    notes: tuple[str, ...] = ()


SizeCheck = Callable[[int, int], None]  # takes width and height, raises Rejected


def decode_jpeg(data: bytes, info: JpegInfo, draft_size: tuple[int, int] | None) -> DecodedImage:
    """Decodes a walked JPEG.

    Args:
      data: the file.
      info: what the walk found.
      draft_size: width and height that are enough; libjpeg then scales by 1/2, 1/4 or 1/8 while it
        decodes. Never used on other coding processes than TensorFlow's: on lossless JPEG (SOF3) a
        scaled decode destroys the heap.

    Raises:
      Rejected: corrupt, unsupported_jpeg.
    """
    frame = info.frame
    rare = Rejected("unsupported_jpeg", detail="a rare coding process")
    reject = undecodable("JPEG") if frame.is_kept else rare
    with sparing_the_image(frame.width * frame.height), guarded(reject):
        # Not Image.open, which takes a multi-picture file for another format.
        image = JpegImageFile(io.BytesIO(data))
        if draft_size is not None and frame.is_kept:
            image.draft(None, draft_size)
        image.load()
    return DecodedImage(
        image=image,
        source="JPEG",
        is_lossy=frame.process != LOSSLESS,
        icc_profile=_bytes_of(image, "icc_profile"),
        exif_block=_bytes_of(image, "exif"),
        height=frame.height,
        width=frame.width,
    )


def decode_png(data: bytes, info: PngInfo) -> DecodedImage:
    """Decodes a walked PNG; an image of 16 bits a channel comes back with 8, unless it is gray.

    Raises:
      Rejected: corrupt.
    """
    with sparing_the_image(info.header.width * info.header.height), guarded(undecodable("PNG")):
        # Without the chunks that Pillow minds and TensorFlow does not, such as large texts.
        image = PngImageFile(io.BytesIO(lean_png(data, info)))
        image.load()
    is_reduced = info.header.depth == 16 and not image.mode.startswith("I")
    return DecodedImage(
        image=image,
        source="PNG",
        is_lossy=False,
        icc_profile=_inflated_profile(info.icc_chunk),
        exif_block=info.exif_block,
        height=info.header.height,
        width=info.header.width,
        notes=("depth_reduced",) if is_reduced else (),
    )


def decode_other(data: bytes, formats: tuple[str, ...], check_size: SizeCheck) -> DecodedImage:
    """Decodes the first frame of an image that is neither a kept JPEG nor a PNG.

    Args:
      data: the file.
      formats: Pillow's names of what it may be.
      check_size: called before anything is decoded.

    Raises:
      Rejected: corrupt, unknown_format, unsupported_image, needs_heif, and what `check_size` raises.
      MemoryError: there is too little for this image.
    """
    pixels = 0

    def check(width: int, height: int) -> None:
        nonlocal pixels
        check_size(width, height)
        pixels = width * height

    try:
        return _decode_other(data, formats, check)
    except Rejected as problem:
        if problem.code in ("corrupt", "unknown_format"):
            need_memory(pixels)
        raise


def _decode_other(data: bytes, formats: tuple[str, ...], check_size: SizeCheck) -> DecodedImage:
    is_lossless_webp = False
    if formats == ("HEIF",):
        _register_heif()
    elif formats == ("WEBP",):
        webp = read_webp(data)
        if webp is None:
            raise undecodable("WebP")
        check_size(webp.width, webp.height)
        is_lossless_webp = webp.lossless
    with guarded(*_rejections(formats)):
        image = _open(data, formats)
        if isinstance(image, TiffImageFile):
            check_tile(data, check_size)
        check_size(image.width, image.height)
        notes = _tiff_notes(image, data) if isinstance(image, TiffImageFile) else []
        with bomb_limit(image.width * image.height):  # for images inside, whose sizes are not known yet
            image.load()
        source = image.format or formats[0]
        if source in _ANIMATED_FORMATS and _has_more_frames(image, data):
            notes.append("first_frame")
    return DecodedImage(
        image=image,
        source=source,
        is_lossy=source in LOSSY_FORMATS and not is_lossless_webp,
        icc_profile=_bytes_of(image, "icc_profile"),
        exif_block=_bytes_of(image, "exif"),
        height=image.height,
        width=image.width,
        notes=tuple(notes),
    )


def _rejections(formats: tuple[str, ...]) -> tuple[Rejected, Rejected | None]:
    """What an image is that Pillow cannot decode, and one of a kind that Pillow does not know."""
    name = REENCODED_FORMATS[formats[0]]
    unsupported = None
    if formats[0] in _KINDS_UNREAD:
        unsupported = Rejected("unsupported_image", format=name, detail="its compression or pixel format")
    reject = Rejected("unknown_format") if formats == UNSIGNED_FORMATS else undecodable(name)
    return reject, unsupported


def _open(data: bytes, formats: tuple[str, ...]) -> Image.Image:
    limit = _NESTED_PIXELS if _NESTING_FORMATS.intersection(formats) else None
    with bomb_limit(limit):
        try:
            return Image.open(io.BytesIO(data), formats=formats)
        except UnidentifiedImageError:
            if formats != ("TIFF",):
                raise
            return TiffImageFile(io.BytesIO(data))  # raises what Image.open does not tell


def _has_more_frames(image: Image.Image, data: bytes) -> bool:
    if not isinstance(image, GifImageFile):
        return bool(getattr(image, "is_animated", False))
    try:  # on another image, for asking moves a GIF to its second frame and back
        return GifImageFile(io.BytesIO(data)).is_animated
    except MemoryError:
        raise
    except Exception:  # damage after the first frame, which is all that is used
        return False


def _tiff_notes(image: TiffImageFile, data: bytes) -> list[str]:
    """Notes on a TIFF, before Pillow decodes it and turns it upright.

    Raises:
      Rejected: unsupported_image, for raw photos: what Pillow finds in them is a small preview.
    """
    tags = image.tag_v2
    kind = tags.get(_SUBFILE_TYPE, 0)
    is_preview = isinstance(kind, int) and kind & 1
    if _DNG_VERSION in tags or is_preview or data.startswith(_CR2_MARK, 8):
        raise Rejected("unsupported_image", format="TIFF", detail="a raw photo or a preview")
    notes = []
    if tags.get(_ORIENTATION, 1) in range(2, 9):
        notes.append("exif_turned")
    bits = tags.get(_BITS_PER_SAMPLE, (1,))
    if isinstance(bits, tuple) and max(bits) == 16 and not image.mode.startswith(("I", "F")):
        notes.append("depth_reduced")
    return notes


@functools.cache
def _register_heif() -> None:
    """Teaches Pillow to read HEIC.

    Raises:
      Rejected: needs_heif.
    """
    try:
        pi_heif = importlib.import_module("pi_heif")
    except ImportError:
        raise Rejected("needs_heif") from None
    pi_heif.register_heif_opener()


def _bytes_of(image: Image.Image, key: str) -> bytes:
    value = image.info.get(key)
    return value if isinstance(value, bytes) else b""


def _inflated_profile(chunk: bytes) -> bytes:
    """The profile in an iCCP chunk's body; empty when there is none, or it is damaged or a bomb."""
    _, _, rest = chunk.partition(b"\0")
    try:
        inflater = zlib.decompressobj()
        profile = inflater.decompress(rest[1:], _MAX_ICC_BYTES)
    except zlib.error:
        return b""
    return profile if inflater.eof else b""
