"""EXIF: rotated photos come out upright, everything else in the block stays."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image, ImageOps
from test_images_samples import GPS, MAKE, ORIENTATION, checked, chunk, encode, exif, photo, pixels

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


def raw_profile(block: bytes) -> bytes:
    """EXIF as ImageMagick writes it into a text chunk."""
    digits = block.hex()
    lines = [digits[at : at + 72] for at in range(0, len(digits), 72)]
    return b"\nexif\n%8d\n" % len(block) + "\n".join(lines).encode() + b"\n"


def with_chunk(data: bytes, name: bytes, body: bytes, *, damaged: bool = False) -> bytes:
    """A PNG with one more chunk after its header."""
    return data[:33] + chunk(name, body, damaged=damaged) + data[33:]


TEXT_CHUNKS = {
    "tEXt": (b"tEXt", lambda text: b"Raw profile type exif\0" + text),
    "zTXt": (b"zTXt", lambda text: b"Raw profile type exif\0\0" + zlib.compress(text)),
}


@TURNED
@pytest.mark.parametrize(("name", "body"), TEXT_CHUNKS.values(), ids=TEXT_CHUNKS)
def test_exif_in_a_text_chunk_of_a_png(orientation: int, name: bytes, body: Callable[[bytes], bytes]) -> None:
    data = with_chunk(encode(photo(), "PNG"), name, body(raw_profile(exif(orientation))))
    found = checked(data, APPLY)
    assert "exif_turned" in found.notes
    assert np.array_equal(pixels(found.data), upright(data))
    assert ORIENTATION not in Image.open(io.BytesIO(found.data)).getexif()
    kept = checked(data, KEEP)
    assert (kept.data, kept.notes) == (data, ("exif_kept",))


def test_the_chunk_for_exif_counts_more_than_text() -> None:
    data = encode(photo(), "PNG", exif=exif(3))
    data = with_chunk(data, b"tEXt", b"Raw profile type exif\0" + raw_profile(exif(6)))
    assert np.array_equal(pixels(checked(data, APPLY).data), upright(data))


DAMAGED_TEXT = {
    "no digits": (b"tEXt", b"Raw profile type exif\0\nexif\n 4\nzzzz\n"),
    "not ASCII": (b"tEXt", b"Raw profile type exif\0\nexif\n 4\n\xff\xff\n"),
    "another text": (b"tEXt", b"Comment\0" + raw_profile(exif(6))),
    "no EXIF": (b"tEXt", b"Raw profile type exif\0" + raw_profile(b"junk")),
    "not deflated": (b"zTXt", b"Raw profile type exif\0\0junk"),
    "a bomb": (b"zTXt", b"Raw profile type exif\0\0" + zlib.compress(bytes(1 << 22))),
}


@pytest.mark.parametrize(("name", "body"), DAMAGED_TEXT.values(), ids=DAMAGED_TEXT)
def test_damaged_text_counts_as_none(name: bytes, body: bytes) -> None:
    data = with_chunk(encode(photo(), "PNG"), name, body)
    found = checked(data, APPLY)
    assert (found.data, found.notes) == (data, ())


def test_text_with_a_wrong_checksum_counts_as_none() -> None:
    body = b"Raw profile type exif\0" + raw_profile(exif(6))
    assert checked(with_chunk(encode(photo(), "PNG"), b"tEXt", body, damaged=True), APPLY).notes == ()


@pytest.mark.parametrize("source", ["JPEG", "PNG"])
def test_orientation_in_xmp_only_is_passed_over(source: str) -> None:
    xmp = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:Description tiff:Orientation="6"/></x:xmpmeta>'
    if source == "PNG":
        data = with_chunk(encode(photo(), "PNG"), b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + xmp)
    else:
        data = encode(photo(), "JPEG", xmp=xmp)
    assert upright(data).shape[:2] == (64, 48)  # Pillow turns it
    assert checked(data, APPLY).data == data


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
