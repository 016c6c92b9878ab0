"""What `check_image` keeps, encodes again and notes; TensorFlow decodes all of it."""

from __future__ import annotations

import io
import sys
import zlib
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import simplejpeg
from PIL import Image, ImageCms
from test_images_samples import (
    BOTH_CHECKS,
    DECODE,
    STRUCTURE,
    checked,
    chunk,
    encode,
    exif,
    insert_segment,
    photo,
    pixels,
    png,
    tensorflow_decodes,
    without_segments,
)

from tfrecordcli.images import decode
from tfrecordcli.images.check import check_image
from tfrecordcli.images.codec_versions import codec_versions
from tfrecordcli.images.notes import NOTES, REENCODED_FORMATS, reencoded
from tfrecordcli.images.target_size import target_size
from tfrecordcli.options import ImageOptions
from tfrecordcli.reasons import Rejected

pytestmark = pytest.mark.usefixtures("gates")

SRGB = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
PALETTE = chunk(b"PLTE", bytes(range(12)))
HALF_CLEAR = chunk(b"tRNS", b"\0\xff")
GRAY16 = Image.fromarray(np.arange(0, 65536, 11, np.uint16)[:5000].reshape(50, 100))
RGBA = Image.merge("RGBA", (*photo().split(), photo(seed=1).convert("L")))

KEPT: dict[str, tuple[bytes, set[str]]] = {
    "jpeg": (encode(photo(), "JPEG"), set()),
    "jpeg 1x1": (encode(photo(1, 1), "JPEG"), set()),
    "jpeg progressive": (encode(photo(), "JPEG", progressive=True), set()),
    "jpeg gray": (encode(photo().convert("L"), "JPEG"), set()),
    "jpeg gray progressive": (encode(photo().convert("L"), "JPEG", progressive=True), set()),
    "jpeg 4:4:4": (encode(photo(), "JPEG", subsampling=0), set()),
    "jpeg 4:2:2": (encode(photo(), "JPEG", subsampling=1), set()),
    "jpeg optimised": (encode(photo(), "JPEG", optimize=True), set()),
    "jpeg restarts": (encode(photo(), "JPEG", restart_marker_blocks=2), set()),
    "jpeg rgb": (encode(photo(), "JPEG", keep_rgb=True), set()),
    "jpeg cmyk": (encode(photo().convert("CMYK"), "JPEG"), {"cmyk"}),
    "jpeg exif upright": (encode(photo(), "JPEG", exif=exif(1)), set()),
    "jpeg gps": (encode(photo(), "JPEG", exif=exif(latitude=48.0)), {"gps_position"}),
    "jpeg icc": (encode(photo(), "JPEG", icc_profile=SRGB), {"icc_profile"}),
    "jpeg comment": (encode(photo(), "JPEG", comment=b"x" * 60000), set()),
    "jpeg broken exif": (insert_segment(encode(photo(), "JPEG"), 0xE1, b"Exif\0\0II*\0\xff"), set()),
    "jpeg odd jfif version": (encode(photo(), "JPEG").replace(b"JFIF\0\1\1", b"JFIF\0\7\7"), set()),
    "jpeg misnumbered icc": (
        insert_segment(encode(photo(), "JPEG"), 0xE2, b"ICC_PROFILE\0\x03\x01junk"),
        {"icc_profile"},
    ),
    "jpeg trailing": (encode(photo(), "JPEG") + b"more", {"trailing_bytes"}),
    "jpeg twice": (encode(photo(), "JPEG") * 2, {"multi_picture"}),
    "jpeg mpo": (encode(photo(), "MPO", save_all=True, append_images=[photo(seed=1)]), {"multi_picture"}),
    "jpeg 65500 wide": (encode(Image.new("L", (65500, 1)), "JPEG"), set()),
    "png": (encode(photo(), "PNG"), set()),
    "png 1 bit": (encode(photo().convert("1"), "PNG"), set()),
    "png gray": (encode(photo().convert("L"), "PNG"), set()),
    "png gray 2 bits": (png(depth=2), set()),
    "png gray alpha": (encode(RGBA.convert("LA"), "PNG"), {"alpha"}),
    "png alpha": (encode(RGBA, "PNG"), {"alpha"}),
    "png palette": (encode(photo().convert("P"), "PNG"), set()),
    "png palette 4 colours": (encode(photo().quantize(4), "PNG"), set()),
    "png palette alpha": (png(colour_type=3, before=[PALETTE, HALF_CLEAR]), {"alpha"}),
    "png palette damaged alpha": (
        png(colour_type=3, before=[PALETTE, chunk(b"tRNS", b"\0", damaged=True)]),
        set(),
    ),
    "png palette too much alpha": (png(colour_type=3, before=[PALETTE, chunk(b"tRNS", bytes(5))]), set()),
    "png palette empty alpha": (png(colour_type=3, before=[PALETTE, chunk(b"tRNS")]), set()),
    "png palette second alpha": (
        png(colour_type=3, before=[PALETTE, chunk(b"tRNS", bytes(5)), HALF_CLEAR]),
        {"alpha"},
    ),
    "png palette early alpha": (png(colour_type=3, before=[HALF_CLEAR, PALETTE]), set()),
    "png palette late alpha": (png(colour_type=3, before=[PALETTE], after=[HALF_CLEAR]), set()),
    "png palette alpha beyond depth": (
        png(depth=1, colour_type=3, before=[chunk(b"PLTE", bytes(30)), chunk(b"tRNS", bytes(5))]),
        set(),
    ),
    "png gray transparent colour": (png(before=[chunk(b"tRNS", b"\0\0")]), set()),
    "png gray with palette": (png(before=[chunk(b"PLTE", bytes(4))]), set()),
    "png 16 bits gray": (encode(GRAY16, "PNG"), {"sixteen_bit"}),
    "png 16 bits": (png(depth=16, colour_type=2), {"sixteen_bit"}),
    "png 16 bits alpha": (png(depth=16, colour_type=6), {"sixteen_bit", "alpha"}),
    "png interlaced": (png(13, 11, colour_type=2, interlaced=True), set()),
    "png interlaced 1x1": (png(1, 1, depth=1, interlaced=True), set()),
    "png interlaced 3x2 4 bits": (png(3, 2, depth=4, interlaced=True), set()),
    "png split data": (
        png(stream=[part for part in (zlib.compress(bytes(72)),) for part in (part[:5], part[5:], b"")]),
        set(),
    ),
    "png surplus rows": (png(stream=zlib.compress(bytes(5000))), set()),
    "png bytes after data": (png(stream=zlib.compress(bytes(72)) + bytes(99)), set()),
    "png damaged text": (png(before=[chunk(b"tEXt", b"a\0b", damaged=True)]), set()),
    "png text bomb": (png(before=[chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(3 << 20)))]), set()),
    "png large text": (png(before=[chunk(b"tEXt", b"a\0" + b"x" * (9 << 20))]), set()),
    "png icc": (encode(photo(), "PNG", icc_profile=SRGB), {"icc_profile"}),
    "png gps": (encode(photo(), "PNG", exif=exif(latitude=48.0)), {"gps_position"}),
    "png trailing": (encode(photo(), "PNG") + b"\0", {"trailing_bytes"}),
    "png end with data": (encode(photo(), "PNG")[:-12] + chunk(b"IEND", b"abc"), set()),
    "png animated": (
        encode(photo(), "PNG", save_all=True, append_images=[photo(seed=1)]),
        {"first_frame"},
    ),
    "png million wide": (png(1_000_000, 1), set()),
}


@BOTH_CHECKS
@pytest.mark.parametrize("name", KEPT)
def test_kept_byte_for_byte(name: str, options: ImageOptions) -> None:
    data, notes = KEPT[name]
    found = checked(data, options)
    assert found.data is data
    assert found.format == name.split()[0]
    if name == "jpeg twice" and options.check == "decode":
        notes = set()  # no search behind the first picture where its data is decoded anyway
    assert set(found.notes) == notes


# Format, mode and options of saving -> the notes besides reencoded_*.
LOSSLESS: list[tuple[str, Image.Image, dict[str, Any], set[str]]] = [
    ("GIF", photo().convert("P"), {}, set()),
    ("GIF", photo().convert("L"), {}, set()),
    ("GIF", photo().quantize(16), {"transparency": 3}, {"alpha"}),
    ("BMP", photo(), {}, set()),
    ("BMP", photo().convert("P"), {}, set()),
    ("BMP", photo().convert("1"), {}, set()),
    ("BMP", photo().convert("L"), {}, set()),
    ("TIFF", photo(), {}, set()),
    ("TIFF", photo(), {"compression": "tiff_lzw"}, set()),
    ("TIFF", photo().convert("1"), {"compression": "group4"}, set()),
    ("TIFF", photo().convert("P"), {}, set()),
    ("TIFF", RGBA, {}, {"alpha"}),
    ("TIFF", RGBA.convert("LA"), {}, {"alpha"}),
    ("TIFF", GRAY16, {}, {"sixteen_bit"}),
    ("WEBP", photo(), {"lossless": True}, set()),
    ("WEBP", RGBA, {"lossless": True, "exact": True}, {"alpha"}),
    ("PPM", photo(), {}, set()),
    ("PPM", photo().convert("L"), {}, set()),
    ("PPM", photo().convert("1"), {}, set()),
    ("PPM", GRAY16, {}, {"sixteen_bit"}),
    ("TGA", photo(), {}, set()),
    ("TGA", photo(), {"compression": "tga_rle"}, set()),
    ("TGA", RGBA, {}, {"alpha"}),
    ("PCX", photo(), {}, set()),
    ("PCX", photo().convert("L"), {}, set()),
    ("SGI", photo(), {}, set()),
    ("DDS", photo(), {}, set()),
    ("QOI", photo(), {}, set()),
    ("ICO", photo(32, 32), {}, set()),
    ("ICO", photo(32, 32), {"bitmap_format": "bmp"}, set()),
    ("DIB", photo(), {}, set()),
    ("XBM", photo().convert("1"), {}, set()),
]


@BOTH_CHECKS
@pytest.mark.parametrize(
    ("source", "image", "saving", "notes"),
    LOSSLESS,
    ids=[f"{source}-{image.mode}-{'-'.join(saving)}" for source, image, saving, _ in LOSSLESS],
)
def test_lossless_formats_become_png_with_the_same_pixels(
    source: str, image: Image.Image, saving: dict[str, Any], notes: set[str], options: ImageOptions
) -> None:
    data = encode(image, source, **saving)
    found = checked(data, options)
    assert found.format == "png"
    assert set(found.notes) == notes | {reencoded(source)}
    wanted = Image.open(io.BytesIO(data), formats=[source])
    mode = {1: None if "sixteen_bit" in notes else "L", 2: "LA", 3: "RGB", 4: "RGBA"}[found.channels]
    assert np.array_equal(pixels(found.data, mode), np.asarray(wanted.convert(mode) if mode else wanted))
    dtype = "uint16" if "sixteen_bit" in notes else "uint8"
    decoded = tensorflow_decodes(found.data, dtype).astype(int)
    assert np.array_equal(decoded.reshape(pixels(found.data, mode).shape), pixels(found.data, mode))


@BOTH_CHECKS
@pytest.mark.parametrize(
    ("source", "saving"),
    [
        ("WEBP", {"quality": 90}),
        ("AVIF", {"quality": 90}),
        ("JPEG2000", {"quality_layers": [10], "irreversible": True}),
    ],
    ids=["WEBP", "AVIF", "JPEG2000"],
)
def test_lossy_formats_become_jpeg(source: str, saving: dict[str, Any], options: ImageOptions) -> None:
    data = encode(photo(), source, **saving)
    found = checked(data, options)
    assert (found.format, found.notes) == ("jpeg", (reencoded(source),))
    assert np.abs(pixels(found.data) - pixels(data, "RGB")).mean() < 4
    assert Image.open(io.BytesIO(found.data)).layer[0][1:3] == (1, 1)  # type: ignore[attr-defined]  # 4:4:4


@pytest.mark.parametrize("source", ["WEBP", "AVIF"])
def test_lossy_formats_with_alpha_become_png(source: str) -> None:
    found = checked(encode(RGBA, source))
    assert (found.format, found.channels) == ("png", 4)
    assert set(found.notes) == {reencoded(source), "alpha"}


@pytest.mark.parametrize("source", ["TIFF", "TGA", "WEBP"])
def test_alpha_that_says_nothing_is_dropped(source: str) -> None:
    opaque = photo().convert("RGBA")
    saving = {"lossless": True} if source == "WEBP" else {}
    found = checked(encode(opaque, source, **saving))
    assert (found.channels, found.notes) == (3, (reencoded(source),))
    assert np.array_equal(pixels(found.data), np.asarray(photo()))


@pytest.mark.parametrize("source", ["GIF", "WEBP", "AVIF", "TIFF"])
def test_first_frame_of_animations_and_pages(source: str) -> None:
    data = encode(photo(), source, save_all=True, append_images=[photo(seed=1), photo(seed=2)])
    found = checked(data)
    assert set(found.notes) == {reencoded(source), "first_frame"}
    assert np.abs(pixels(found.data, "RGB") - np.asarray(photo())).mean() < 12


def test_cmyk_tiff_is_stored_as_rgb() -> None:
    found = checked(encode(photo().convert("CMYK"), "TIFF"))
    assert found.format == "png"
    assert set(found.notes) == {"reencoded_tiff", "colours_converted"}


def test_profiles_survive_only_where_they_fit() -> None:
    assert "icc_profile" in checked(encode(photo(), "TIFF", icc_profile=SRGB)).notes
    assert "icc_profile" in checked(encode(photo(), "WEBP", icc_profile=SRGB)).notes
    assert "icc_profile" not in checked(encode(photo().convert("L"), "TIFF", icc_profile=SRGB)).notes
    assert "icc_profile" not in checked(encode(photo(), "TIFF", icc_profile=b"no profile")).notes


@BOTH_CHECKS
@pytest.mark.parametrize("mode", ["RGB", "L"])
def test_jpeg_without_huffman_tables_gets_the_standard_ones(mode: str, options: ImageOptions) -> None:
    whole = encode(photo().convert(mode), "JPEG")
    found = checked(without_segments(whole, 0xC4), options)
    assert found.notes == ("huffman_tables_added",)
    assert np.array_equal(pixels(found.data), pixels(whole))


@BOTH_CHECKS
def test_jpeg_without_a_huffman_table_that_no_standard_has(options: ImageOptions) -> None:
    bare = without_segments(encode(photo(), "JPEG"), 0xC4)
    scan = bare.index(b"\xff\xda")
    other = bare[: scan + 6] + b"\x05" + bare[scan + 7 :]  # the first component's tables: none has number 5
    with pytest.raises(Rejected) as caught:
        check_image(other, options)
    assert caught.value.code == "corrupt"


@BOTH_CHECKS
@pytest.mark.parametrize("max_side", [None, 3, 16])
def test_lossless_jpeg_becomes_png(options: ImageOptions, max_side: int | None) -> None:
    # 24 x 16 gray pixels, each as its left neighbour predicts: one zero bit a pixel (T.81 annex H).
    frame = b"\xff\xc3\0\x0b\x08\0\x10\0\x18\1\1\x11\0"
    table = b"\xff\xc4\0\x14\0\1" + bytes(15) + b"\0"
    data = b"\xff\xd8" + frame + table + b"\xff\xda\0\x08\1\1\0\1\0\0" + bytes(48) + b"\xff\xd9"
    found = checked(data, replace(options, max_side=max_side))
    assert (found.format, found.width) == ("png", max_side or 24)
    assert "reencoded_jpeg" in found.notes
    assert set(pixels(found.data).flat) == {128}


def test_heic_needs_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    heic = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(50)
    decode._register_heif.cache_clear()
    monkeypatch.setitem(sys.modules, "pi_heif", None)
    with pytest.raises(Rejected) as missing:
        check_image(heic, DECODE)
    assert missing.value.code == "needs_heif"
    monkeypatch.undo()
    pytest.importorskip("pi_heif", reason="the extra heif is not installed")
    with pytest.raises(Rejected) as damaged:
        check_image(heic, DECODE)
    assert damaged.value.code == "corrupt"


def test_size_limits_are_exact() -> None:
    data = encode(photo(), "JPEG")
    size = ImageOptions(max_image_bytes=len(data), max_pixels=64 * 48)
    assert check_image(data, size).data is data
    for source in ("JPEG", "PNG", "GIF", "WEBP", "TIFF", "AVIF", "BMP"):
        data = encode(photo(), source)
        checked(data, ImageOptions(max_pixels=64 * 48))
        with pytest.raises(Rejected) as found:
            check_image(data, ImageOptions(max_pixels=64 * 48 - 1))
        assert found.value.code == "too_many_pixels"
        assert "64 x 48" in found.value.reason
        assert "--max-pixels 3072" in found.value.reason


@pytest.mark.parametrize("max_side", [1, 7, 20, 33, 63])
@pytest.mark.parametrize("name", ["jpeg", "jpeg progressive", "jpeg gray", "jpeg cmyk", "jpeg 4:2:2"])
def test_shrunk_jpeg_stays_jpeg(name: str, max_side: int) -> None:
    found = checked(KEPT[name][0], ImageOptions(max_side=max_side))
    assert found.format == "jpeg"
    assert (found.width, found.height) == (max_side, max(1, round(48 * max_side / 64)))
    assert set(found.notes) == KEPT[name][1] | {"shrunk"}


def test_shrinking_looks_right() -> None:
    large = photo(640, 480)
    wanted = np.asarray(large.resize((100, 75), Image.Resampling.LANCZOS)).astype(int)
    for data in (encode(large, "JPEG", quality=95), encode(large, "PNG"), encode(large, "TIFF")):
        found = checked(data, ImageOptions(max_side=100))
        assert np.abs(pixels(found.data) - wanted).mean() < 3


@pytest.mark.parametrize("name", [name for name in KEPT if name.startswith("png ") and "million" not in name])
def test_shrunk_png_stays_png(name: str) -> None:
    data, notes = KEPT[name]
    whole = checked(data)
    found = checked(data, ImageOptions(max_side=5))
    if max(whole.width, whole.height) <= 5:
        assert found.data is data
        return
    assert (found.format, max(found.width, found.height), found.channels) == ("png", 5, whole.channels)
    is_reduced = "sixteen_bit" in notes and (whole.channels != 1)
    wanted = (notes - {"sixteen_bit", "trailing_bytes"}) | {"shrunk"}
    if "sixteen_bit" in notes:
        wanted.add("depth_reduced" if is_reduced else "sixteen_bit")
    assert set(found.notes) - {"trailing_bytes"} == wanted


def test_images_within_max_side_keep_their_bytes() -> None:
    for name in ("jpeg", "png"):
        assert check_image(KEPT[name][0], ImageOptions(max_side=64)).data is KEPT[name][0]


@pytest.mark.parametrize(
    ("size", "max_side", "wanted"),
    [
        ((64, 48), None, (64, 48)),
        ((64, 48), 64, (64, 48)),
        ((64, 48), 32, (32, 24)),
        ((48, 64), 32, (24, 32)),
        ((10_000, 1), 100, (100, 1)),
        ((3, 2), 1, (1, 1)),
    ],
)
def test_target_size(size: tuple[int, int], max_side: int | None, wanted: tuple[int, int]) -> None:
    assert target_size(*size, max_side) == wanted


@pytest.mark.parametrize("max_side", [None, 32])
def test_jpegs_are_of_quality_95_without_subsampling(max_side: int | None) -> None:
    """By the tables in the file: those of the standard (quality 50) scaled as libjpeg does for 95."""
    options = ImageOptions(max_side=max_side)
    made = checked(encode(photo(), "WEBP", quality=80), options)
    image = Image.open(io.BytesIO(made.data))
    standard = Image.open(io.BytesIO(encode(photo(), "JPEG", quality=50))).quantization
    scaled = {key: [max(1, (10 * step + 50) // 100) for step in table] for key, table in standard.items()}
    assert {key: list(table) for key, table in image.quantization.items()} == scaled
    assert [(across, down) for _, across, down, _ in image.layer] == [(1, 1)] * 3


def test_encoding_again_gives_the_same_bytes() -> None:
    sources = [encode(photo(), "TIFF"), encode(photo(), "WEBP"), encode(photo(), "JPEG", exif=exif(6))]
    for data in sources:
        found = {check_image(data, options).data for options in (DECODE, STRUCTURE, DECODE)}
        assert len(found) == 1


def test_every_note_has_a_phrase() -> None:
    assert {reencoded(name) for name in REENCODED_FORMATS} <= NOTES.keys()
    assert all(phrase and "\n" not in phrase for phrase in NOTES.values())


def test_codec_versions_name_what_bytes_depend_on() -> None:
    versions = codec_versions()
    assert {"pillow", "simplejpeg", "libjpeg-turbo", "zlib"} <= versions.keys()
    assert all(isinstance(version, str) and version for version in versions.values())
    assert (versions["numpy"], versions["simplejpeg"]) == (np.__version__, simplejpeg.__version__)
