"""TFRecords of pixels whose size no feature tells, as those that scripts make of CIFAR-10."""

from __future__ import annotations

import io
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from converting import convert_json, shell, tfrec
from PIL import Image
from recording import foreign, records_of


def _picture(depth: int) -> Any:
    """Pixels of 16 x 16 whose channels differ, each brighter from left to right."""
    ramp = np.tile(np.arange(0, 64, 4, dtype=np.uint8), (16, 1))[..., None]
    return ramp + np.arange(depth, dtype=np.uint8) * 80


def _told(source: Path, folder: Path) -> tuple[str, str]:
    error = tfrec("convert", source, folder / "no", "--json").json["error"]
    return error["message"], error["hint"]


@pytest.mark.parametrize(("depth", "order"), [(3, "first"), (3, "last"), (1, "last")])
def test_squares_are_refused_with_the_command_that_gives_them_a_size(
    depth: int, order: str, tmp_path: Path
) -> None:
    """The likelier order of channels comes first; the other one is told, too."""
    picture = _picture(depth)
    for split, lighter in (("train", 0), ("test", 1)):
        pixels = picture + np.uint8(lighter)
        data = (pixels.transpose(2, 0, 1) if order == "first" else pixels).tobytes()
        records = [{"image": [data], "label": [number % 2]} for number in range(3)]
        foreign(tmp_path / f"in/{split}.tfrecords", *records)
    message, hint = _told(tmp_path / "in", tmp_path)
    assert f"image holds {256 * depth:,} bytes in each record, as 16 x 16 pixels" in message
    assert hint.count("; where it is otherwise, channels ") == (depth > 1)
    if depth > 1:
        assert f"by TensorFlow, with channels {order}: " in hint
    command, _, then = re.split(" by TensorFlow(?:, with channels [a-z]+)?: ", hint)[1].partition("; then ")
    made = shell(command, tmp_path)
    assert made.code == 0, made.err
    done = convert_json(shlex.split(then)[2], tmp_path / "out")
    assert done["records"] == 6
    for split, lighter in (("train", 0), ("test", 1)):
        for record in records_of(tmp_path / "out", f"{split}*"):
            with Image.open(io.BytesIO(record["image/encoded"][0])) as image:
                assert np.array_equal(np.asarray(image).reshape(16, 16, depth), picture + np.uint8(lighter))


def test_bytes_of_no_square_are_refused_with_what_they_lack(tmp_path: Path) -> None:
    records = [{"image": [bytes(range(250, 256)) * 40], "label": [number]} for number in range(3)]
    message, hint = _told(foreign(tmp_path / "a.tfrecords", *records), tmp_path)
    assert "image holds 240 bytes in each record: no file of an image" in message
    assert hint.startswith("write height, width and channels beside them")


def test_files_of_several_sizes_are_to_be_given_one_by_one(tmp_path: Path) -> None:
    for side in (8, 16):
        data = bytes(range(128, 256)) * (side * side * 3 // 128) + b"\xff" * (side * side * 3 % 128)
        foreign(tmp_path / f"in/r{side:02}.tfrecords", *[{"data": [data], "shape": [3, side, side]}] * 3)
    message, hint = _told(tmp_path / "in", tmp_path)
    assert "data holds bytes of several lengths (192, 768)" in message
    assert hint.endswith("give one of them alone")
    _, hint = _told(tmp_path / "in/r16.tfrecords", tmp_path)
    assert "write them as PNG by TensorFlow" in hint


@pytest.mark.parametrize(
    "records",
    [
        [{"image": [bytes(range(200, 200 + n)) * 30], "label": [n]} for n in range(3, 6)],
        [{"image": [b"text of sixty-four letters or more, which is as long as any other"]}] * 3,
        [{"image": [b"\xff" * 768], "label": [1]}],
    ],
    ids=["of other lengths", "text", "one alone"],
)
def test_other_bytes_are_records_without_an_image(records: list[Any], tmp_path: Path) -> None:
    done = convert_json(foreign(tmp_path / "a.tfrecords", *records), tmp_path / "out")
    assert done["reasons"] == {"no_image_in_record": len(records)}
