"""EXIF: rotated photos come out upright, everything else in the block stays."""

from __future__ import annotations

import io
import struct

import numpy as np
import pytest
from PIL import Image, ImageOps
from test_images_samples import GPS, MAKE, ORIENTATION, checked, encode, exif, photo, pixels

from tfrecordcli.images.exif import NO_EXIF, Exif, read_exif, without_orientation
from tfrecordcli.options import ImageOptions

KEEP = ImageOptions(exif="keep")
APPLY = ImageOptions(exif="apply")
TURNED = pytest.mark.parametrize("orientation", range(2, 9))


def upright(data: bytes) -> np.ndarray:
    """What Pillow makes of it."""
    return np.asarray(ImageOps.exif_transpose(Image.open(io.BytesIO(data)))).astype(int)


@TURNED
@pytest.mark.parametrize("mode", ["RGB", "L", "CMYK"])
def test_rotated_jpeg_comes_out_upright(orientation: int, mode: str) -> None:
    data = encode(photo().convert(mode), "JPEG", quality=95, exif=exif(orientation, latitude=48.0))
    found = checked(data, APPLY)
    wanted = upright(data)
    assert (found.format, found.height, found.width) == ("jpeg", *wanted.shape[:2])
    assert np.abs(pixels(found.data) - wanted).mean() < 2
    assert {"exif_turned", "gps_position"} <= set(found.notes)
    tags = Image.open(io.BytesIO(found.data)).getexif()
    assert ORIENTATION not in tags
    assert tags[MAKE] == "Maker"
    assert tags.get_ifd(GPS)[2] == (48.0, 0.0, 0.0)


@TURNED
@pytest.mark.parametrize("mode", ["RGB", "L", "1", "P", "RGBA", "LA", "I;16"])
def test_rotated_png_comes_out_upright_without_loss(orientation: int, mode: str) -> None:
    if mode == "I;16":
        image = Image.fromarray(np.arange(3072, dtype=np.uint16).reshape(48, 64) * 21)
    else:
        image = photo().convert("RGB" if mode != "LA" else "L").convert(mode)
    data = encode(image, "PNG", exif=exif(orientation))
    found = checked(data, APPLY)
    assert found.format == "png"
    assert "exif_turned" in found.notes
    assert np.array_equal(pixels(found.data), upright(data))
    assert ORIENTATION not in Image.open(io.BytesIO(found.data)).getexif()


@TURNED
@pytest.mark.parametrize("source", ["WEBP", "AVIF", "TIFF"])
def test_rotated_images_of_other_formats_come_out_upright(orientation: int, source: str) -> None:
    data = encode(photo(), source, exif=exif(orientation))
    found = checked(data, APPLY)
    assert "exif_turned" in found.notes
    assert np.abs(pixels(found.data) - upright(data)).mean() < 3
    assert ORIENTATION not in Image.open(io.BytesIO(found.data)).getexif()


@TURNED
def test_kept_rotation_is_noted(orientation: int) -> None:
    for source in ("JPEG", "PNG"):
        data = encode(photo(), source, exif=exif(orientation))
        found = checked(data, KEEP)
        assert found.data is data
        assert found.notes == ("exif_kept",)
    found = checked(encode(photo(), "WEBP", exif=exif(orientation)), KEEP)
    assert set(found.notes) == {"reencoded_webp", "exif_kept"}
    assert Image.open(io.BytesIO(found.data)).getexif()[ORIENTATION] == orientation


@pytest.mark.parametrize("orientation", [6, 7])
def test_turned_and_shrunk(orientation: int) -> None:
    for source in ("JPEG", "PNG", "WEBP"):
        found = checked(
            encode(photo(), source, exif=exif(orientation)), ImageOptions(max_side=32, exif="apply")
        )
        assert (found.width, found.height) == (24, 32)
        assert {"exif_turned", "shrunk"} <= set(found.notes)


@pytest.mark.parametrize("order", ["<", ">"])
def test_reading_both_byte_orders(order: str) -> None:
    entries = struct.pack(order + "HHIHH", ORIENTATION, 3, 1, 6, 0) + struct.pack(
        order + "HHII", GPS, 4, 1, 38
    )
    gps = struct.pack(order + "HHHII", 1, 2, 5, 3, 0)
    head = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(order + "I", 8)
    block = head + struct.pack(order + "H", 2) + entries + bytes(4) + gps
    assert read_exif(block) == read_exif(b"Exif\0\0" + block) == Exif(orientation=6, has_gps=True)
    assert read_exif(without_orientation(block)) == Exif(orientation=0, has_gps=True)
    assert len(without_orientation(block)) == len(block)
    for end in range(len(block)):
        read_exif(block[:end])
        assert len(without_orientation(block[:end])) == end


@pytest.mark.parametrize(
    "block",
    [b"", b"Exif\0\0", b"II*\0", b"II*\0\xff\xff\xff\xff", b"junk" * 9, b"MM\0*\0\0\0\x08\xff\xff"],
)
def test_damaged_exif_counts_as_none(block: bytes) -> None:
    assert read_exif(block) == NO_EXIF
    assert without_orientation(block) == block


@pytest.mark.parametrize("value", [0, 9, 65535])
def test_impossible_orientations_count_as_none(value: int) -> None:
    assert read_exif(exif(value)).orientation == 0


def test_empty_gps_directory_is_no_position() -> None:
    block = Image.Exif()
    block.get_ifd(GPS)[0] = b"\2\3\0\0"
    assert not read_exif(block.tobytes()).has_gps
    assert read_exif(exif(latitude=1.5)).has_gps
