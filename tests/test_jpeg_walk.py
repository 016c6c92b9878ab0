"""The native walk over the picture data of JPEGs. Without a compiler there is none, and nothing to test."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

jpeg_walk = pytest.importorskip(
    "tfrecordcli.images._jpeg_walk", reason="needs the native module (a C compiler)"
)


def jpeg(mode: str = "RGB", size: tuple[int, int] = (70, 45), **options: object) -> bytes:
    noise = np.random.default_rng(5).integers(0, 256, (size[1], size[0], 3), np.uint8)
    file = io.BytesIO()
    Image.fromarray(noise).convert(mode).save(file, "JPEG", **options)
    return file.getvalue()


@pytest.mark.parametrize("mode", ["L", "RGB", "CMYK"])
@pytest.mark.parametrize("progressive", [False, True])
@pytest.mark.parametrize("quality", [1, 75, 100])
def test_good_files_are_right(mode: str, progressive: bool, quality: int) -> None:
    assert jpeg_walk.walk(jpeg(mode, quality=quality, progressive=progressive)) is None


@pytest.mark.parametrize("buffer", [bytes, bytearray, memoryview])
def test_any_buffer_is_walked(buffer: type) -> None:
    assert jpeg_walk.walk(buffer(jpeg())) is None


@pytest.mark.parametrize("progressive", [False, True])
def test_every_beginning_of_a_file_is_truncated(progressive: bool) -> None:
    data = jpeg(progressive=progressive)
    for size in range(2, len(data)):
        assert jpeg_walk.walk(data[:size]) == ("truncated", "it ends before its picture does", size)


def test_a_version_is_told() -> None:
    assert jpeg_walk.VERSION >= 1
