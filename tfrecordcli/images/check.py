"""The gate: the bytes of any file in, a JPEG or PNG that TensorFlow decodes out, or a reject.

What decodes is imported where an image needs it: most need none of it, and it takes longer to load than a
thousand of them to check.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from tfrecordcli.images import jpeg, png
from tfrecordcli.images.checked_image import CheckedImage, Transform
from tfrecordcli.images.exif import Exif
from tfrecordcli.images.gate import settled, walk_picture_data
from tfrecordcli.images.jpeg import JpegInfo, walk_jpeg
from tfrecordcli.images.png import PngInfo, check_picture, walk_png
from tfrecordcli.images.target_size import target_size
from tfrecordcli.options import ImageOptions
from tfrecordcli.reasons import Rejected, too_many_bytes

if TYPE_CHECKING:
    from tfrecordcli.images.decode import DecodedImage

_JPEG_SIGNATURE: Final = jpeg.SIGNATURE[:2]
# TensorFlow refuses JPEGs with as many values, and PNGs with as many pixels (kernels/image/).
_TENSORFLOW_LIMIT: Final = 1 << 29


def check_image(data: bytes, options: ImageOptions) -> CheckedImage:
    """Checks an image, and encodes it again when it is of another format, rotated or too large.

    JPEG (8 bits, baseline or progressive, 1, 3 or 4 components) and PNG keep their bytes.

    Args:
      data: a whole file.
      options: what is asked of it.

    Raises:
      Rejected: whatever the bytes.
      MemoryError: there is too little memory, which says nothing about the image.
    """
    if not data:
        raise Rejected("empty_file")
    if len(data) > options.max_image_bytes:
        raise too_many_bytes(len(data), options.max_image_bytes)
    if data.startswith(_JPEG_SIGNATURE):
        return _check_jpeg(data, options)
    if data.startswith(png.SIGNATURE):
        return _check_png(data, options)
    if png.SIGNATURE.startswith(data):
        raise Rejected("truncated", format="PNG")
    from tfrecordcli.images.decode import decode_other
    from tfrecordcli.images.sniff import pillow_formats

    def check_size(width: int, height: int) -> None:
        _check_size(width, height, options)

    return _encoded(decode_other(data, pillow_formats(data), check_size), options)


def _check_jpeg(data: bytes, options: ImageOptions) -> CheckedImage:
    info = walk_jpeg(data, is_decoded_next=options.check == "decode")
    frame = info.frame
    _check_size(frame.width, frame.height, options)
    if not frame.is_kept:
        return _encoded(_decoded(data, info), options)
    if frame.width * frame.height * len(frame.components) >= _TENSORFLOW_LIMIT:
        raise Rejected("decoder_limit", width=frame.width, height=frame.height)
    if not info.has_huffman_tables:
        from tfrecordcli.images.jpeg_decode import with_huffman_tables

        data = with_huffman_tables(data)
    if options.check == "decode":
        is_walked = settled(options.gate) == "native" and walk_picture_data(data, options.admit)
        if not is_walked:
            from tfrecordcli.images.jpeg_decode import decode_strictly

            decode_strictly(data, frame)
    notes = _jpeg_notes(info)
    size = target_size(frame.width, frame.height, options.max_side)
    is_shrunk = size != (frame.width, frame.height)
    if is_shrunk or _is_turned(info.exif, options):
        return _encoded(_decoded(data, info, size if is_shrunk else None), options, notes)
    notes += _kept_notes(info.exif, has_icc=info.has_icc)
    if len(frame.components) == 4:
        notes.append("cmyk")
    channels = 1 if len(frame.components) == 1 else 3
    kept = _kept_transform(frame.width, frame.height, info.exif)
    return CheckedImage(data, "jpeg", frame.height, frame.width, channels, tuple(notes), kept)


def _jpeg_notes(info: JpegInfo) -> list[str]:
    notes = []
    if not info.has_huffman_tables:
        notes.append("huffman_tables_added")
    if info.is_multi_picture:
        notes.append("multi_picture")
    elif info.trailing:
        notes.append("trailing_bytes")
    return notes


def _check_png(data: bytes, options: ImageOptions) -> CheckedImage:
    header = png.read_header(data)
    _check_size(header.width, header.height, options)
    if header.width * header.height >= _TENSORFLOW_LIMIT:
        raise Rejected("decoder_limit", width=header.width, height=header.height)
    info = walk_png(data)
    check_picture(info)
    notes = ["first_frame"] if info.is_animated else []
    size = target_size(header.width, header.height, options.max_side)
    if size != (header.width, header.height) or _is_turned(info.exif, options):
        from tfrecordcli.images.decode import decode_png

        return _encoded(decode_png(data, info), options, notes)
    notes += _png_notes(info)
    kept = _kept_transform(header.width, header.height, info.exif)
    return CheckedImage(data, "png", header.height, header.width, info.channels, tuple(notes), kept)


def _png_notes(info: PngInfo) -> list[str]:
    notes = _kept_notes(info.exif, has_icc=bool(info.icc_chunk))
    if info.channels in (2, 4):
        notes.append("alpha")
    if info.header.depth == 16:
        notes.append("sixteen_bit")
    if info.trailing:
        notes.append("trailing_bytes")
    return notes


def _kept_notes(exif: Exif, *, has_icc: bool) -> list[str]:
    notes = []
    if exif.orientation > 1:
        notes.append("exif_kept")
    if exif.has_gps:
        notes.append("gps_position")
    if has_icc:
        notes.append("icc_profile")
    return notes


def _kept_transform(width: int, height: int, exif: Exif) -> Transform | None:
    return Transform(width, height, exif.orientation) if exif.orientation > 1 else None


def _is_turned(exif: Exif, options: ImageOptions) -> bool:
    return options.exif == "apply" and exif.orientation > 1


def _check_size(width: int, height: int, options: ImageOptions) -> None:
    pixels = width * height
    if pixels > options.max_pixels:
        raise Rejected("too_many_pixels", width=width, height=height, limit=options.max_pixels, pixels=pixels)


def _decoded(data: bytes, info: JpegInfo, draft_size: tuple[int, int] | None = None) -> DecodedImage:
    from tfrecordcli.images.decode import decode_jpeg

    return decode_jpeg(data, info, draft_size)


def _encoded(decoded: DecodedImage, options: ImageOptions, notes: Sequence[str] = ()) -> CheckedImage:
    from tfrecordcli.images.encode import encode

    image = encode(decoded, options)
    return image._replace(notes=tuple(dict.fromkeys([*notes, *image.notes])))
