"""Picture data of JPEGs against their headers: wrong sampling factors, scans that never came."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest
from jpeg_writing import ONE_BY_ONE, PROGRESSIVE, SEQUENTIAL, Pass, layout, write_jpeg
from PIL import Image
from sampling import first
from test_images_samples import BOTH_CHECKS, DECODE, checked, encode, photo, tensorflow_decodes

from tfrecordcli.images.check import check_image
from tfrecordcli.options import ImageOptions
from tfrecordcli.reasons import Rejected

pytestmark = pytest.mark.usefixtures("gates")

ONE = (1, 1)
# What cjpeg writes (-sample 4x1, 2x2,2x1, …), and more: all that TensorFlow decodes of such.
SAMPLINGS = [((h, v), ONE, ONE) for h, v in product(range(1, 5), repeat=2) if h * v <= 8]
SAMPLINGS += [
    ((3, 1), (3, 1), (3, 1)),
    ((2, 2), (2, 1), (2, 1)),
    ((2, 2), (1, 2), (1, 2)),
    ((2, 2), (2, 1), (1, 2)),
    ((1, 1), (2, 2), (1, 1)),
    ((2, 1), (2, 1), (1, 1)),
    ((1, 2), (1, 1), (1, 2)),
    ((4, 1), (2, 1), (1, 1)),
]
PICTURE = photo(83, 61)
# Scan scripts that encoders have: as jpegtran -scans takes them.
SCRIPTS = {
    "of libjpeg": PROGRESSIVE,
    "bands only": (
        Pass((0, 1, 2), 0, 0),
        *(Pass((n,), first, last) for first, last in ((1, 2), (3, 63)) for n in (2, 0, 1)),
    ),
    "DC one by one, deep": (
        *(Pass((n,), 0, 0, 0, 2) for n in (1, 0, 2)),
        *(Pass((n,), 1, 63, 0, 3) for n in (0, 1, 2)),
        *(Pass((0, 1, 2), 0, 0, low + 1, low) for low in (1, 0)),
        *(Pass((n,), 1, 63, low + 1, low) for low in (2, 1, 0) for n in (0, 1, 2)),
    ),
    "a coefficient a scan": (
        Pass((0, 1, 2), 0, 0),
        *(Pass((n,), at, at) for n in (0, 1, 2) for at in range(1, 20)),
        *(Pass((n,), 20, 63) for n in (0, 1, 2)),
    ),
}
PASSES = {"sequential": SEQUENTIAL, "one by one": ONE_BY_ONE, **SCRIPTS}


def code_of(data: bytes, options: ImageOptions = DECODE) -> str:
    try:
        check_image(data, options)
    except Rejected as rejected:
        return rejected.code
    return "kept"


@pytest.mark.parametrize(
    ("name", "restarts"),
    first(
        [*((name, 0) for name in PASSES), ("one by one", 3), ("a coefficient a scan", 3)],
        [(name, 3) for name in PASSES if name not in ("one by one", "a coefficient a scan")],
        unpack=True,
    ),
)
def test_unusual_sampling_is_kept(name: str, restarts: int) -> None:
    for factors in SAMPLINGS if name in ("sequential", "of libjpeg") else SAMPLINGS[2::5]:
        data = write_jpeg(PICTURE, factors, PASSES[name], restarts)
        assert checked(data).data is data
        # What the encoder of this test wrote is right: the same picture, however it is coded.
        plain = tensorflow_decodes(write_jpeg(PICTURE, factors))
        assert np.array_equal(tensorflow_decodes(data), plain)


def factors_of(data: bytes) -> tuple[int, list[tuple[int, int]]]:
    """Where the sampling factor of the first component stands, and all of them."""
    frame = next(data.index(mark) for mark in (b"\xff\xc0", b"\xff\xc2") if mark in data)
    return frame + 11, [(data[at] >> 4, data[at] & 15) for at in range(frame + 11, frame + 18, 3)]


def shows(data: bytes, picture: np.ndarray) -> bool:
    """Whether TensorFlow shows this picture, of a file that may be damaged."""
    try:
        found = tensorflow_decodes(data)
    except Exception:  # of many classes
        return False
    return found.shape == picture.shape and bool(np.abs(found - picture.astype(int)).mean() < 0.5)


@pytest.mark.parametrize("name", ["sequential", "of libjpeg", "by Pillow", "by Pillow, progressive"])
def test_wrong_sampling_factors_are_rejected(name: str) -> None:
    """One byte of the frame header replaced, in every way that leaves other blocks than there are."""
    if name.startswith("by"):
        is_progressive = name.endswith("progressive")
        passes = PROGRESSIVE if is_progressive else SEQUENTIAL
        files = [
            encode(picture, "JPEG", subsampling=number, progressive=is_progressive)
            for picture in (PICTURE, photo(64, 48))
            for number in range(3)
        ]
    else:
        passes = PASSES[name]
        files = [write_jpeg(PICTURE, factors, passes) for factors in SAMPLINGS[1::4]]
    outcomes = Counter[tuple[str, bool]]()
    for data in files:
        picture = tensorflow_decodes(data)
        size = picture.shape[1], picture.shape[0]
        at, factors = factors_of(data)
        for component, h, v in product(range(3), range(1, 5), range(1, 5)):
            changed = [*factors]
            changed[component] = h, v
            if layout(changed, passes, size) == layout(factors, passes, size):
                continue  # the original, or a JPEG as good as that one
            place = at + 3 * component
            variant = data[:place] + bytes([h << 4 | v]) + data[place + 1 :]
            outcomes[code_of(variant), shows(variant, picture)] += 1
    assert outcomes["kept", False] == 0, outcomes
    assert outcomes["corrupt", False] > 50


SMOOTH = Image.new("RGB", (2, 2), (200, 90, 30))
SMOOTH.putpixel((1, 1), (20, 60, 190))
TINY = [SMOOTH.resize(size, Image.Resampling.BICUBIC) for size in ((33, 20), (17, 9), (9, 17), (24, 24))]


@pytest.mark.parametrize("is_progressive", [False, True])
def test_wrong_sampling_factors_of_tiny_pictures(is_progressive: bool) -> None:
    """A few bytes may be all that is left over, of which libjpeg does not tell."""
    passes = PROGRESSIVE if is_progressive else SEQUENTIAL
    outcomes = Counter[tuple[str, bool]]()
    for image, number in product(TINY, range(3)):
        data = encode(image, "JPEG", subsampling=number, progressive=is_progressive)
        assert checked(data).data is data
        picture = tensorflow_decodes(data)
        at, factors = factors_of(data)
        for h, v in product(range(1, 5), repeat=2):
            changed = [(h, v), *factors[1:]]
            if layout(changed, passes, image.size) != layout(factors, passes, image.size):
                variant = data[:at] + bytes([h << 4 | v]) + data[at + 1 :]
                outcomes[code_of(variant), shows(variant, picture)] += 1
    # In two, the last codes happen to fill other blocks to the bit.
    assert outcomes["kept", False] <= 2, outcomes
    assert outcomes["corrupt", False] > 50


def test_wrong_sampling_factors_show_in_pictures_of_some_blocks() -> None:
    """In those of fewer, other blocks are filled to the last byte now and then (docs/images.md)."""
    walk = pytest.importorskip("tfrecordcli.images._jpeg_walk", reason="no native gate was built").walk
    found = Counter[bool]()
    size = (64, 48)
    for quality, number in product(range(10, 100, 10), range(3)):
        data = encode(photo(*size), "JPEG", subsampling=number, quality=quality)
        at, factors = factors_of(data)
        for component, h, v in product(range(3), range(1, 5), range(1, 5)):
            changed = [*factors]
            changed[component] = h, v
            if layout(changed, SEQUENTIAL, size) != layout(factors, SEQUENTIAL, size):
                place = at + 3 * component
                found[walk(data[:place] + bytes([h << 4 | v]) + data[place + 1 :]) is None] += 1
    assert found[True] == 0
    assert found[False] > 1_000


def test_tiny_pictures_as_encoders_write_them_are_kept() -> None:
    for image, number, quality, restarts in product(TINY, range(3), (1, 75, 100), (0, 2)):
        for is_progressive, mode in product((False, True), ("RGB", "CMYK")):
            data = encode(
                image.convert(mode),
                "JPEG",
                subsampling=number,
                quality=quality,
                progressive=is_progressive,
                restart_marker_blocks=restarts,
            )
            assert checked(data).data is data


def in_data(data: bytes, share: float) -> int:
    start = data.index(b"\xff\xda") + 14
    return start + int((len(data) - 2 - start) * share)


def restarts_of(data: bytes) -> list[int]:
    start = data.index(b"\xff\xda")
    return [at for at in range(start, len(data)) if data[at] == 0xFF and 0xD0 <= data[at + 1] <= 0xD7]


@pytest.mark.parametrize("name", ["sequential", "of libjpeg"])
def test_damaged_data_of_unusual_sampling(name: str) -> None:
    plain = write_jpeg(PICTURE, ((3, 1), ONE, ONE), PASSES[name])
    half = in_data(plain, 0.5)
    restarted = write_jpeg(PICTURE, ((3, 1), ONE, ONE), PASSES[name], 2)
    marks = restarts_of(restarted)
    variants = {
        "cut": plain[:half] + b"\xff\xd9",
        "bytes lost": plain[:half] + plain[half + 40 :],
        "bytes twice": plain[: half + 60] + plain[half:],
        "zeros": plain[:half] + bytes(60) + plain[half + 60 :],
        "a restart lost": restarted[: marks[1]] + restarted[marks[2] :],
        "a restart twice": restarted[: marks[2]] + restarted[marks[1] :],
        "restart of another number": restarted[: marks[1] + 1] + b"\xd5" + restarted[marks[1] + 2 :],
        "restarts nobody told of": plain[:half] + b"\xff\xd0" + plain[half:],
        "further data": plain[:-2] + bytes(range(1, 9)) + b"\xff\xd9",
    }
    for what, data in variants.items():
        assert code_of(data) in ("corrupt", "incomplete"), what


def test_harmless_oddities_of_unusual_sampling() -> None:
    plain = write_jpeg(PICTURE, ((3, 1), ONE, ONE))
    restarted = write_jpeg(PICTURE, ((3, 1), ONE, ONE), SEQUENTIAL, 2)
    marks = restarts_of(restarted)
    for data in (
        plain[:-2] + b"\xff\0\xff\xd9",  # a whole byte of padding, as jpeg-js writes it
        plain[:-2] + b"\xff\xff\xff\xd9",  # fill before a marker
        restarted[: marks[0]] + b"\xff" + restarted[marks[0] :],
        restarted[:-2] + bytes([0xFF, 0xD0 + len(marks) % 8]) + b"\xff\xd9",  # one restart more
    ):
        assert checked(data).data is data


def test_left_over_zeros_are_let_in_by_the_portable_gate_alone(gates: str) -> None:
    data = write_jpeg(PICTURE, ((3, 1), ONE, ONE))[:-2] + bytes(3) + b"\xff\xd9"
    if gates == "portable":
        assert checked(data).data is data
    else:
        assert code_of(data) == "corrupt"


# --- scans that never came ---


def scans_of(data: bytes) -> list[int]:
    """Where the scans begin."""
    return [at for at in range(len(data) - 1) if data[at : at + 2] == b"\xff\xda"]


def segment_before(data: bytes, at: int) -> int:
    """Where what belongs to a scan begins: its Huffman tables."""
    table = data.rfind(b"\xff\xc4", 0, at)
    length = int.from_bytes(data[table + 2 : table + 4], "big")
    return table if table + 2 + length == at else at


def cut_at_scans(data: bytes) -> list[bytes]:
    return [data[: segment_before(data, at)] + b"\xff\xd9" for at in scans_of(data)[1:]]


SCANNED = {
    "by Pillow": encode(PICTURE, "JPEG", progressive=True),
    "by Pillow, gray": encode(PICTURE.convert("L"), "JPEG", progressive=True),
    "by Pillow, CMYK": encode(PICTURE.convert("CMYK"), "JPEG", progressive=True),
    "one by one": write_jpeg(PICTURE, ((2, 2), ONE, ONE), ONE_BY_ONE),
    **{name: write_jpeg(PICTURE, ((2, 2), ONE, ONE), passes) for name, passes in SCRIPTS.items()},
}


@BOTH_CHECKS
@pytest.mark.parametrize("name", SCANNED)
def test_scans_that_never_came(name: str, options: ImageOptions) -> None:
    assert checked(SCANNED[name], options).data is SCANNED[name]
    cut = cut_at_scans(SCANNED[name])
    assert cut
    assert {code_of(data, options) for data in cut} == {"incomplete"}


@BOTH_CHECKS
def test_a_scan_that_is_missing_in_between(options: ImageOptions) -> None:
    for left_out in range(len(PROGRESSIVE)):
        passes = PROGRESSIVE[:left_out] + PROGRESSIVE[left_out + 1 :]
        assert code_of(write_jpeg(PICTURE, (ONE, ONE, ONE), passes), options) == "incomplete", left_out
