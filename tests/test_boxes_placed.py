"""Where boxes come to lie: on turned and smaller photos, in either frame."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from boxing import (
    HEADER,
    HEIGHT,
    MARKED,
    STORED,
    WIDTH,
    boxes_of,
    convert,
    photos,
    sideways,
    witnessed,
    write,
)
from converting import manifest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tfrecordcli.shards.box_placement import turn_corners


@pytest.mark.parametrize("frame", ["upright", "stored"])
@pytest.mark.parametrize("exif", ["apply", "keep"])
def test_boxes_follow_the_photo_through_all_turns(frame: str, exif: str, tmp_path: Path, tf: Any) -> None:
    rows = []
    for orientation in STORED:
        name = f"{orientation}.jpg"
        sideways(tmp_path / "in" / name, orientation)
        stored = Image.open(tmp_path / "in" / name)
        red = np.argwhere(np.asarray(stored)[:, :, 1] < 100)
        (top, left), (bottom, right) = red.min(0), red.max(0) + 1
        box = MARKED if frame == "upright" else (left, top, right, bottom)
        rows.append(f"{name},cat,{','.join(map(str, box))}\n")
    source = write(tmp_path / "in", HEADER + "".join(rows))
    done = convert(source, tmp_path / "out", box_frame=frame, exif=exif, max_side=None)
    assert (done.exit_code, done.records) == (0, 8)
    for values in witnessed(tf, tmp_path / "out").values():
        pixels = tf.io.decode_image(values["image/encoded"][0]).numpy()
        ((_, corners),) = boxes_of(values)
        left, top, right, bottom = (round(value) for value in corners)
        inside = pixels[top:bottom, left:right]
        assert inside.size == 3 * 20 * 10
        assert (inside[:, :, 1] < 100).all()


@given(st.tuples(*[st.floats(0, 1)] * 4), st.sampled_from(sorted(STORED)))
def test_turning_there_and_back_is_nothing(corners: tuple[float, ...], orientation: int) -> None:
    x0, y0, x1, y1 = corners
    back = {6: 8, 8: 6}.get(orientation, orientation)
    there = turn_corners((x0, y0, x1, y1), orientation)
    assert turn_corners(there, back) == pytest.approx(corners)


def test_the_size_that_the_list_tells_says_which_frame(tmp_path: Path, tf: Any) -> None:
    sideways(tmp_path / "in" / "6.jpg", 6)
    header = "filename,width,height,class,xmin,ymin,xmax,ymax\n"
    for name, size, box in (
        ("upright", (WIDTH, HEIGHT), (0, 0, 20, 10)),
        ("stored", (HEIGHT, WIDTH), (0, 60, 10, 80)),
        # Some tools tell the size of the stored pixels beside boxes on the upright photo.
        ("tells one and draws on the other", (HEIGHT, WIDTH), (60, 0, 80, 10)),
    ):
        row = ",".join(map(str, (*size, "cat", *box)))
        source = write(tmp_path / "in", f"{header}6.jpg,{row}\n", f"{name}.csv")
        convert(source, tmp_path / name)
        ((_, found),) = boxes_of(witnessed(tf, tmp_path / name)["6.jpg"])
        assert found == ((60, 0, 80, 10) if name.startswith("tells") else MARKED)
        frame = "stored" if name == "stored" else "upright"
        assert manifest(tmp_path / name)["notes"] == {"exif_turned": 1, f"box_frame_{frame}": 1}


@pytest.mark.parametrize(
    ("turned", "listed", "is_told"),
    [
        ((6, 3), "stored", True),
        ((6, 3), "upright", False),
        ((6, 8), "stored", False),
        ((3, 2), "stored", False),
    ],
)
def test_photos_whose_size_tells_of_stored_pixels_speak_for_those_that_are_upside_down(
    turned: tuple[int, int], listed: str, is_told: bool, tmp_path: Path
) -> None:
    rows = []
    for orientation in turned:
        sideways(tmp_path / "in" / f"{orientation}.jpg", orientation)
        across = orientation > 4 and listed == "stored"
        size = (HEIGHT, WIDTH) if across else (WIDTH, HEIGHT)
        rows.append(f"{orientation}.jpg,{size[0]},{size[1]},cat,0,0,20,10\n")
    header = "filename,width,height,class,xmin,ymin,xmax,ymax\n"
    source = write(tmp_path / "in", header + "".join(rows))
    done = convert(source, tmp_path / "out")
    assert any("wrong place" in told for told in done.warnings) is is_told
    again = convert(source, tmp_path / "again", box_frame="stored")
    assert not any("wrong place" in told for told in again.warnings)


def test_boxes_keep_their_place_on_smaller_images(tmp_path: Path, tf: Any) -> None:
    source = write(photos(tmp_path / "in", "a.png"), f"{HEADER}a.png,cat,8,4,40,20\n")
    convert(source, tmp_path / "out", max_side=40)
    values = witnessed(tf, tmp_path / "out")["a.png"]
    assert (values["image/width"], boxes_of(values)) == ([40], [("cat", (4.0, 2.0, 20.0, 10.0))])
    assert values["image/object/area"] == [16 * 8]
