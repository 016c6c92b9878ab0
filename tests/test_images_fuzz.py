"""Damaged bytes: only `Rejected` may come of them, and TensorFlow decodes whatever is let in."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jpeg_writing import ONE_BY_ONE, PROGRESSIVE, write_jpeg
from sampling import examples
from test_images_samples import (
    BOTH_CHECKS,
    DECODE,
    STRUCTURE,
    checked,
    chunk,
    encode,
    exif,
    photo,
    png,
)

from tfrecordcli.images import png as png_module
from tfrecordcli.options import ImageOptions
from tfrecordcli.reasons import Rejected

PILLOW_IMAGES = Path(__file__).parents[2] / "shared" / "data" / "pillow" / "images"

SMALL = photo(40, 32)
SOURCES: dict[str, bytes] = {
    "jpeg": encode(SMALL, "JPEG"),
    "jpeg progressive": encode(SMALL, "JPEG", progressive=True),
    "jpeg gray": encode(SMALL.convert("L"), "JPEG"),
    "jpeg cmyk": encode(SMALL.convert("CMYK"), "JPEG"),
    "jpeg restarts": encode(SMALL, "JPEG", restart_marker_blocks=3),
    "jpeg 3x1": write_jpeg(SMALL, ((3, 1), (1, 1), (1, 1)), restarts=2),
    "jpeg 3x1 progressive": write_jpeg(SMALL, ((3, 1), (1, 1), (1, 1)), PROGRESSIVE),
    "jpeg scan by scan": write_jpeg(SMALL, ((2, 2), (2, 1), (1, 2)), ONE_BY_ONE),
    "jpeg rotated": encode(SMALL, "JPEG", exif=exif(6, latitude=3.0)),
    "png": encode(SMALL, "PNG"),
    "png palette": encode(SMALL.quantize(9), "PNG", transparency=2),
    "png rotated": encode(SMALL, "PNG", exif=exif(8)),
    "png interlaced": png(23, 17, colour_type=6, interlaced=True),
    "gif": encode(SMALL, "GIF"),
    "bmp": encode(SMALL, "BMP"),
    "bmp palette": encode(SMALL.quantize(9), "BMP"),
    "tiff": encode(SMALL, "TIFF", compression="tiff_lzw"),
    "webp": encode(SMALL, "WEBP"),
    "webp lossless": encode(SMALL, "WEBP", lossless=True),
    "avif": encode(SMALL, "AVIF"),
    "jpeg 2000": encode(SMALL, "JPEG2000"),
    "tga": encode(SMALL, "TGA", compression="tga_rle"),
    "ico": encode(photo(32, 32), "ICO"),
    "psd": b"8BPS\0\1" + bytes(6) + b"\0\3\0\0\0\x08\0\0\0\x08\0\x08\0\3" + bytes(12) + bytes(2 + 192),
}
# Small limits, so that no damaged header makes a test slow.
OPTIONS = [
    ImageOptions(max_pixels=1 << 20),
    ImageOptions(max_pixels=1 << 20, check="structure"),
    ImageOptions(max_pixels=1 << 20, check="structure", max_side=9),
    ImageOptions(max_pixels=1 << 20, max_side=25, exif="keep"),
]


def is_kept(data: bytes, options: ImageOptions) -> bool:
    """Whether it is let in; TensorFlow then decodes it to the size that is stored."""
    try:
        checked(data, options)
    except Rejected:
        return False
    return True


def damaged(data: bytes, rng: np.random.Generator) -> bytes:
    """One random damage of the kinds that copies, disks and programs make."""
    spoilt = bytearray(data)
    kind = rng.integers(9)
    at, other = sorted(int(place) for place in rng.integers(0, len(data), 2))
    if kind == 0:
        return data[:at]
    if kind == 1:
        spoilt[at] ^= 1 << int(rng.integers(8))
    elif kind == 2:
        spoilt[int(rng.integers(min(len(data), 200)))] = int(rng.integers(256))
    elif kind == 3:
        spoilt[at : at + 16] = rng.bytes(16)
    elif kind == 4:
        del spoilt[at:other]
    elif kind == 5:
        spoilt[at:at] = spoilt[at:other]
    elif kind == 6:
        spoilt[at:] = bytes(len(data) - at)
    elif kind == 7:
        spoilt[at : at + 2] = b"\xff" + bytes([int(rng.integers(256))])
    else:
        return data[:at] + data[-12:]
    return bytes(spoilt)


def with_right_checksums(data: bytes) -> bytes:
    """A damaged PNG whose chunks have checksums that match, so that damage gets past them."""
    parts, at = [data[:8]], 8
    while at + 12 <= len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        if at + 12 + length > len(data):
            break
        parts.append(chunk(data[at + 4 : at + 8], data[at + 8 : at + 8 + length]))
        at += 12 + length
    return b"".join(parts) + data[at:]


@pytest.mark.parametrize("name", SOURCES)
def test_seeded_damage(name: str) -> None:
    rng = np.random.default_rng(len(name))
    outcomes = set()
    for number in range(160):
        data = damaged(SOURCES[name], rng)
        if name.startswith("png") and number % 2:
            data = with_right_checksums(data)
        outcomes.add(is_kept(data, OPTIONS[number % len(OPTIONS)]))
    assert False in outcomes


@pytest.mark.parametrize(
    "name", [name for name in SOURCES if name.startswith(("jpeg", "png")) and name != "jpeg 2000"]
)
def test_cut_anywhere(name: str) -> None:
    data = SOURCES[name]
    for end in range(2, len(data), max(1, len(data) // 150)):
        for options in OPTIONS[:2]:
            with pytest.raises(Rejected) as found:
                checked(data[:end], options)
            assert found.value.code == "truncated"


MUTATIONS = st.lists(
    st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255), st.integers(0, 2)),
    min_size=1,
    max_size=4,
)
FUZZ = settings(
    max_examples=examples(250), deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)


def mutated(data: bytes, mutations: list[tuple[float, int, int]]) -> bytes:
    spoilt = bytearray(data)
    for place, value, kind in mutations:
        at = int(place * len(spoilt))
        if kind == 0:
            spoilt[at : at + 1] = bytes([value])
        elif kind == 1:
            spoilt[at:at] = bytes([value])
        else:
            del spoilt[at : at + 1 + value % 16]
    return bytes(spoilt)


@FUZZ
@given(
    st.sampled_from([name for name in SOURCES if name.startswith("jpeg")]),
    MUTATIONS,
    st.sampled_from(OPTIONS),
)
def test_mutated_jpeg(name: str, mutations: list[tuple[float, int, int]], options: ImageOptions) -> None:
    is_kept(mutated(SOURCES[name], mutations), options)


@FUZZ
@given(
    st.sampled_from([name for name in SOURCES if name.startswith("png")]),
    MUTATIONS,
    st.sampled_from(OPTIONS),
    st.booleans(),
)
def test_mutated_png(
    name: str, mutations: list[tuple[float, int, int]], options: ImageOptions, repaired: bool
) -> None:
    data = mutated(SOURCES[name], mutations)
    is_kept(with_right_checksums(data) if repaired else data, options)


@FUZZ
@given(st.binary(max_size=300), st.sampled_from([b"", *(source[:40] for source in SOURCES.values())]))
def test_any_bytes(data: bytes, head: bytes) -> None:
    is_kept(head + data, OPTIONS[0])


def load_png_module() -> ModuleType:
    """A fresh copy of the module for PNG, which does not replace the one in use."""
    in_use = sys.modules.pop(png_module.__name__)
    try:
        return importlib.import_module(png_module.__name__)
    finally:
        sys.modules[png_module.__name__] = in_use


def verdict(module: ModuleType, data: bytes) -> str:
    try:
        module.check_picture(module.walk_png(data))
    except Rejected as reject:
        return reject.reason
    return "kept"


def test_same_verdicts_without_isal(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("isal", reason="isal is not installed")
    with_isal = load_png_module()
    monkeypatch.setitem(sys.modules, "isal", None)
    without_isal = load_png_module()
    assert with_isal._new_inflater is not without_isal._new_inflater
    rng = np.random.default_rng(5)
    verdicts = set()
    for name in [name for name in SOURCES if name.startswith("png")]:
        for _ in range(300):
            data = with_right_checksums(damaged(SOURCES[name], rng))
            if data.startswith(png_module.SIGNATURE):
                verdicts.add(verdict(with_isal, data))
                assert verdict(with_isal, data) == verdict(without_isal, data)
    assert len(verdicts) > 3


@BOTH_CHECKS
def test_pillows_own_test_images(options: ImageOptions) -> None:
    if not PILLOW_IMAGES.is_dir():
        pytest.skip(f"Pillow's test images are not at {PILLOW_IMAGES}")
    files = sorted(path for path in PILLOW_IMAGES.rglob("*") if path.is_file())
    kept = [path for path in files if is_kept(path.read_bytes(), options)]
    assert len(kept) > len(files) // 2


def test_damaged_files_are_mostly_found() -> None:
    """Sixteen spoilt bytes in a JPEG's data: the decode finds more of them than the walk."""
    rng = np.random.default_rng(7)
    data = encode(photo(160, 120), "JPEG")
    start = data.index(b"\xff\xda") + 20
    found = {DECODE: 0, STRUCTURE: 0}
    for _ in range(60):
        at = int(rng.integers(start, len(data) - 40))
        spoilt = data[:at] + rng.bytes(16) + data[at + 16 :]
        for options in found:
            found[options] += not is_kept(spoilt, options)
    assert found[DECODE] > found[STRUCTURE]
