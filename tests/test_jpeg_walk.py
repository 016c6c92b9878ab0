"""The native walk over the picture data of JPEGs. Without a compiler there is none, and nothing to test."""

from __future__ import annotations

import io
import random
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Any

import numpy as np
import pytest
import simplejpeg
from jpeg_writing import DCT, ONE_BY_ONE, PROGRESSIVE, SEQUENTIAL, STEP, ZIGZAG, planes, write_jpeg
from PIL import Image

from tfrecordcli.images.jpeg import marker_by_pattern

_jpeg_walk = pytest.importorskip(
    "tfrecordcli.images._jpeg_walk", reason="needs the native module (a C compiler)"
)
walk = _jpeg_walk.walk

EOI = b"\xff\xd9"
SOF, DHT, SOS, DQT, DRI = 0xC0, 0xC4, 0xDA, 0xDB, 0xDD
NEXT_SCAN = re.compile(rb"\xff[\xc4\xda]")


def jpeg(mode: str = "RGB", size: tuple[int, int] = (70, 45), contrast: float = 40, **options: Any) -> bytes:
    width, height = size
    rng = np.random.default_rng(width + height)
    pixels = rng.normal(128, contrast, (height, width, 3)) + np.linspace(-60, 60, width)[:, None]
    image = Image.fromarray(pixels.clip(0, 255).astype(np.uint8)).convert(mode)
    file = io.BytesIO()
    image.save(file, "JPEG", **options)
    return file.getvalue()


def segment(data: bytes, marker: int) -> int:
    """Where the body of the first such segment begins."""
    at = 2
    while data[at + 1] != marker:
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return at + 4


def picture_data(data: bytes) -> int:
    header = segment(data, SOS)
    return header - 2 + int.from_bytes(data[header - 2 : header], "big")


def changed(data: bytes, at: int, *values: int) -> bytes:
    return data[:at] + bytes(values) + data[at + len(values) :]


# --- good files ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["L", "RGB", "CMYK"])
@pytest.mark.parametrize("progressive", [False, True])
@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize("quality", [1, 75, 100])
@pytest.mark.parametrize("size", [(1, 1), (17, 9), (200, 150)])
def test_good_files_are_right(
    mode: str, progressive: bool, optimize: bool, quality: int, size: tuple[int, int]
) -> None:
    data = jpeg(mode, size, quality=quality, progressive=progressive, optimize=optimize)
    assert walk(data) is None


@pytest.mark.parametrize("progressive", [False, True])
@pytest.mark.parametrize("options", [{"restart_marker_blocks": 1}, {"restart_marker_rows": 1}])
def test_restart_intervals_are_followed(progressive: bool, options: dict[str, int]) -> None:
    data = jpeg(progressive=progressive, **options)
    assert b"\xff\xd7" in data or "restart_marker_rows" in options
    assert walk(data) is None


def test_a_file_without_huffman_tables_has_the_standard_ones() -> None:
    data = jpeg(optimize=False)
    while b"\xff\xc4" in data:
        at = segment(data, DHT) - 4
        data = data[:at] + data[at + 2 + int.from_bytes(data[at + 2 : at + 4], "big") :]
    assert walk(data) is None


def test_what_follows_the_picture_does_not_matter() -> None:
    assert walk(jpeg() + b"\xff\xd8 and more") is None


def padded(progressive: bool) -> list[bytes]:
    """Files with a byte of ones at their end, of 59 lengths of data."""
    files = (jpeg(size=(side, 8), progressive=progressive) for side in range(1, 60))
    return [data[: -len(EOI)] + b"\xff\x00" + EOI for data in files]


def test_a_byte_of_ones_at_the_end_of_whole_bytes_is_padding() -> None:
    files = padded(progressive=False)
    verdicts = [walk(data) for data in files]
    assert None in verdicts
    assert {verdict[1] for verdict in verdicts if verdict} == {"more data than its blocks take"}
    twice = files[verdicts.index(None)].replace(b"\xff\x00" + EOI, b"\xff\x00\xff\x00" + EOI)
    assert walk(twice)[0] == "corrupt"


def test_progressive_scans_are_not_padded_so() -> None:
    assert {walk(data)[1] for data in padded(progressive=True)} == {"more data than its blocks take"}


@pytest.mark.parametrize("buffer", [bytes, bytearray, memoryview])
def test_any_buffer_is_walked(buffer: type) -> None:
    assert walk(buffer(jpeg())) is None


def test_what_is_no_buffer_is_refused() -> None:
    with pytest.raises(TypeError):
        walk("text")
    with pytest.raises(BufferError):
        walk(memoryview(jpeg())[::2])


def test_threads_walk_at_once() -> None:
    files = [jpeg(size=(side, side), progressive=side % 2 == 0) for side in range(100, 120)]
    files += [changed(data, len(data) // 2, 0, 0, 0) for data in files]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(walk, files * 4)) == [walk(data) for data in files] * 4


# --- verdicts --------------------------------------------------------------------------------------


@pytest.mark.parametrize("progressive", [False, True])
def test_every_beginning_of_a_file_is_truncated(progressive: bool) -> None:
    data = jpeg(progressive=progressive)
    for size in range(2, len(data)):
        assert walk(data[:size]) == ("truncated", "it ends before its picture does", size)


@pytest.mark.parametrize(
    ("marker", "detail"), [(0xC3, "lossless or hierarchical"), (0xC9, "arithmetic coding")]
)
def test_other_processes_are_not_judged(marker: int, detail: str) -> None:
    data = jpeg()
    at = segment(data, SOF) - 4
    assert walk(changed(data, at + 1, marker)) == ("unsupported", detail, at)


def test_twelve_bits_are_not_judged() -> None:
    data = jpeg()
    assert walk(changed(data, segment(data, SOF), 12))[:2] == ("unsupported", "not 8 bits a channel")


def test_scans_that_never_came_are_missed() -> None:
    data = jpeg(progressive=True)
    starts = [found.start() for found in NEXT_SCAN.finditer(data, picture_data(data))]
    assert len(starts) >= 9
    for start in starts:
        assert walk(data[:start] + EOI) == ("incomplete", "scans that never came", start)


def test_brightness_beyond_white_is_a_reason_of_its_own() -> None:
    data = jpeg("L", contrast=70, quality=95)
    data = changed(data, segment(data, DQT) + 1, 255)  # the step of DC
    reason, _, at = walk(data)
    assert reason == "dc_range"
    assert picture_data(data) <= at < len(data)
    assert walk(data[:-2])[0] == "truncated"
    assert walk(data[:-12] + EOI)[0] == "corrupt"


def flat(level: int, step: int, progressive: bool) -> bytes:
    file = io.BytesIO()
    Image.new("L", (8, 8), level).save(file, "JPEG", qtables=[[step] * 64], progressive=progressive)
    return file.getvalue()


@pytest.mark.parametrize("progressive", [False, True])
@pytest.mark.parametrize("level", [0, 255])
def test_black_and_white_are_right_whatever_the_step(level: int, progressive: bool) -> None:
    assert {walk(flat(level, step, progressive)) for step in range(1, 256)} == {None}


@pytest.mark.parametrize("progressive", [False, True])
@pytest.mark.parametrize("level", [0, 255])
def test_little_more_than_black_and_white_is_beyond(level: int, progressive: bool) -> None:
    data = flat(level, 16, progressive)  # DC is 64 or -64 steps
    verdicts = [walk(changed(data, segment(data, DQT) + 1, step)) for step in (16, 17)]
    assert [verdict and verdict[0] for verdict in verdicts] == [None, "dc_range"]


def edges(first: str, second: str, **options: Any) -> bytes:
    """Stripes 4 pixels wide in two colours, all steps 1."""
    image = Image.new("RGB", (64, 64), first)
    for left in range(0, 64, 8):
        image.paste(second, (left, 0, left + 4, 64))
    file = io.BytesIO()
    image.save(file, "JPEG", quality=100, **options)
    return file.getvalue()


def with_ac_steps(data: bytes, table: int, step: int) -> bytes:
    at = segment(data, DQT)
    if table:
        at += 2 + int.from_bytes(data[at - 2 : at], "big")
    return changed(data, at + 2, *[step] * 63)


@pytest.mark.parametrize(("step", "reason"), [(1, None), (2, "dc_range")])
@pytest.mark.parametrize("options", [{}, {"restart_marker_blocks": 1}, {"optimize": True}], ids=str)
def test_samples_beyond_black_and_white_are_found_where_the_mean_is_right(
    step: int, reason: str | None, options: dict[str, Any]
) -> None:
    verdict = walk(with_ac_steps(edges("black", "white", **options), 0, step))
    assert (verdict and verdict[0]) == reason


@pytest.mark.parametrize(("subsampling", "reason"), [(0, "dc_range"), (2, None)])
def test_samples_of_subsampled_colours_are_not_looked_at(subsampling: int, reason: str | None) -> None:
    data = with_ac_steps(edges("blue", "yellow", subsampling=subsampling), 1, 2)
    verdict = walk(data)
    assert (verdict and verdict[0]) == reason


def levels_beyond(coefficients: list[np.ndarray], steps: np.ndarray) -> float:
    """By how much samples go further beyond black or white than quantisation can take them."""

    def transformed(numbers: np.ndarray, waves: np.ndarray) -> np.ndarray:
        blocks = np.empty(numbers.shape)
        blocks[..., ZIGZAG] = numbers * steps
        return waves.T @ blocks.reshape(*numbers.shape[:-1], 8, 8) @ waves

    bound = transformed(np.full(64, 0.5), np.abs(DCT)) + 2
    samples = [transformed(plane, DCT) for plane in coefficients]
    return max(float(np.maximum(plane - 127 - bound, -128 - plane - bound).max()) for plane in samples)


def test_samples_are_bounded_as_by_numpy() -> None:
    factors, found = [(1, 1)] * 3, []
    for seed in range(150):
        chance = random.Random(seed)
        picture = Image.open(io.BytesIO(jpeg(size=(20 + seed % 40, 17), contrast=chance.randrange(20, 90))))
        steps = np.array([STEP] + [chance.choice([STEP, STEP + seed % 13]) for _ in range(63)])
        data = write_jpeg(picture, factors)
        verdict = walk(changed(data, segment(data, DQT) + 1, *steps.tolist()))
        assert verdict is None or verdict[0] == "dc_range"
        found.append((verdict is not None, levels_beyond(planes(picture, factors), steps)))
    blamed = [beyond for is_blamed, beyond in found if is_blamed]
    missed = [beyond for is_blamed, beyond in found if not is_blamed]
    assert len(blamed) > 30
    assert min(blamed) > 0, "nothing is blamed that quantisation explains"
    assert max(missed) < 20


def test_brightness_beyond_white_does_not_hide_missing_scans() -> None:
    data = jpeg("L", contrast=70, quality=95, progressive=True)
    data = changed(data, segment(data, DQT) + 1, 255)
    assert walk(data)[0] == "dc_range"
    second = NEXT_SCAN.search(data, picture_data(data))
    assert second is not None
    assert walk(data[: second.start()] + EOI)[0] == "incomplete"


def corrupt_files() -> Iterator[tuple[str, bytes]]:
    data, restarted, progressive = jpeg(), jpeg(restart_marker_blocks=1), jpeg(progressive=True)
    start, restart = picture_data(data), restarted.index(b"\xff\xd1")
    yield "no JPEG signature", b"GIF89a"
    yield "stray bytes between its segments", changed(data, 2, 0)
    yield "a marker that does not belong there", changed(data, 3, 0xC8)
    yield "a segment of impossible length", changed(data, 4, 0, 1)
    yield "no picture data", data[: segment(data, SOF) - 4] + EOI
    yield "two frame headers", data[: start - 14] + data[segment(data, SOF) - 4 :]
    yield "a bad frame header", changed(data, segment(data, SOF) + 5, 2)
    yield "a bad frame header", changed(data, segment(data, SOF) + 7, 0x51)
    yield "a size that is missing", changed(data, segment(data, SOF) + 1, 0, 0)
    yield "a bad quantisation table", changed(data, segment(data, DQT), 4)
    yield "a bad Huffman table", changed(data, segment(data, DHT), 0x20)
    yield "a bad Huffman table", changed(data, segment(data, DHT) + 1, 3)
    yield "a bad restart interval", data[:2] + b"\xff\xdd\x00\x03\x00" + data[2:]
    yield (
        "picture data before the frame header",
        data[: segment(data, SOF) - 4] + data[segment(data, SOS) - 4 :],
    )
    yield "more picture data than components", data[:-2] + data[segment(data, SOS) - 4 :]
    yield "a bad scan header", changed(data, segment(data, SOS), 2)
    yield "a bad scan header", changed(data, start - 2, 62)
    yield "scans in an impossible order", progressive[:-2] + progressive[segment(progressive, SOS) - 4 :]
    yield "picture data that end before the last block", data[:-40] + EOI
    yield "more data than its blocks take", data[:-2] + b"abc" + EOI
    yield "a restart marker that is missing or out of order", changed(restarted, restart + 1, 0xD2)
    yield "picture data that end before the last block", data[:-40] + b"\xff\xd0" + data[-40:]
    yield "fill bytes amid the picture data", data[: start + 9] + b"\xff\xff\x00" + data[start + 9 :]


@pytest.mark.parametrize(("detail", "data"), list(corrupt_files()))
def test_a_person_is_told_what_is_wrong(detail: str, data: bytes) -> None:
    reason, told, at = walk(data)
    assert (reason, told) == ("corrupt", detail)
    assert 0 <= at < len(data)


def test_damage_is_found_where_it_is_or_later() -> None:
    data = jpeg(restart_marker_blocks=2)
    verdicts = [
        (at, walk(changed(data, at, data[at] ^ 0x55))) for at in range(picture_data(data), len(data) - 2)
    ]
    found = [(at, verdict[2]) for at, verdict in verdicts if verdict]
    assert len(found) > len(verdicts) / 3
    assert all(place >= at - 3 for at, place in found), "a code begins up to 3 bytes before its last bit"
    interval = max(map(len, re.split(rb"\xff[\xd0-\xd7]", data[picture_data(data) :])))
    assert sum(place <= at + interval for at, place in found) > 0.9 * len(found)


def test_a_size_that_is_claimed_takes_no_memory() -> None:
    data = jpeg(progressive=True)
    claimed = changed(data, segment(data, 0xC2) + 1, *([0xFF, 0xDC] * 2))  # 65,500 pixels a side
    assert walk(claimed)[0] == "corrupt"


def test_a_version_is_told() -> None:
    assert _jpeg_walk.VERSION >= 1


# --- markers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", range(12))
def test_markers_are_found_where_the_pattern_finds_them(length: int) -> None:
    chance = random.Random(length)
    for _ in range(300):
        data = bytes(
            chance.choices([0xFF, 0, 0xD0, 0xD7, 0xD8, 0xCF, 0xD9, 1], [8, 2, 1, 1, 1, 1, 1, 2], k=length)
        )
        for start in range(length + 2):
            assert _jpeg_walk.next_marker(data, start) == marker_by_pattern(data, start)


# --- against decoders ------------------------------------------------------------------------------


def damaged_files(count: int, seed: int) -> Iterator[bytes]:
    """Small JPEGs with damaged picture data."""
    chance = random.Random(seed)
    for _ in range(count):
        size = chance.randint(1, 90), chance.randint(1, 90)
        options: dict[str, Any] = {
            "quality": chance.choice([20, 60, 85, 95]),
            "subsampling": chance.randrange(3),
        }
        options |= {"progressive": chance.random() < 0.5, "optimize": chance.random() < 0.5}
        if chance.random() < 0.3:
            options["restart_marker_blocks"] = chance.randint(1, 5)
        data = jpeg(chance.choice(["L", "RGB", "RGB"]), size, chance.choice([5, 40]), **options)
        for _ in range(10):
            yield damaged(data, chance)


def damaged(data: bytes, chance: random.Random) -> bytes:
    result = bytearray(data)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(picture_data(data), len(data) - 2)
        length = chance.randint(1, 9)
        new: bytes = chance.choice([b"", b"\0", b"\xff", chance.randbytes(1), chance.randbytes(length)])
        result[at : at + chance.choice([len(new), 0, 1, length])] = new
    return bytes(result)


def damaged_odd_files(count: int, seed: int) -> Iterator[bytes]:
    """The same of sampling factors, scans and restart intervals that few encoders write."""
    chance = random.Random(seed)
    for number in range(count):
        factors = chance.choice(
            [((2, 1), (1, 2), (1, 1)), ((4, 1), (1, 1), (2, 1)), ((1, 1), (2, 2), (1, 1))]
        )
        passes = chance.choice([SEQUENTIAL, ONE_BY_ONE, PROGRESSIVE])
        picture = Image.open(io.BytesIO(jpeg(size=(20 + number, 33))))
        data = write_jpeg(picture, factors, passes, chance.choice([0, 1, 3]))
        for _ in range(10):
            yield damaged(data, chance)


def libjpeg_complains(data: bytes) -> bool:
    try:
        simplejpeg.decode_jpeg(data, "RGB", strict=True)
    except ValueError:
        return True
    return False


@pytest.mark.parametrize(
    "count", [40, pytest.param(2000, marks=pytest.mark.thorough, id="thorough")], ids=str
)
def test_what_libjpeg_complains_of_is_refused(count: int) -> None:
    found = 0
    for data in damaged_files(count, seed=count):
        is_blamed = libjpeg_complains(data)
        found += is_blamed
        assert walk(data) or not is_blamed
    assert found > 3 * count


@pytest.mark.thorough
def test_what_tensorflow_complains_of_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    import tensorflow as tf

    found = 0
    for data in chain(damaged_files(300, seed=3), damaged_odd_files(60, seed=4)):
        capfd.readouterr()
        try:
            tf.io.decode_jpeg(data)
        except tf.errors.InvalidArgumentError:
            is_blamed = True
        else:
            is_blamed = "orrupt JPEG" in capfd.readouterr().err
        found += is_blamed
        assert walk(data) or not is_blamed
    assert found > 300
