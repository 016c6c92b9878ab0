"""Lists of boxes: which are read, what becomes of each box, and that every one is accounted for."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from converting import manifest, read_csv, tfrec
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from verifying import verify

import tfrecordcli
from tfrecordcli.shards.box_placement import turn_corners
from tfrecordcli.tfrecords.example_parser import parse_example
from tfrecordcli.tfrecords.record_reader import ShardStream, read_records

Boxes = list[tuple[str, tuple[float, ...]]]

WIDTH, HEIGHT = 80, 40
# How Pillow stores an upright photo so that EXIF's orientation turns it back.
STORED = {
    1: None,
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}
# The marked corner of the upright photo, in pixels.
MARKED = (0, 0, 20, 10)


def photo(path: Path, size: tuple[int, int] = (WIDTH, HEIGHT), colour: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, (colour, 90, 200)).save(path)
    return path


def photos(folder: Path, *names: str) -> Path:
    for number, name in enumerate(names):
        photo(folder / name, colour=number)
    return folder


def write(folder: Path, text: str, name: str = "list.csv") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def records(folder: Path) -> dict[str, dict[str, list[Any]]]:
    """filename -> values of each feature, by a reader that shares nothing with the writer."""
    found = {}
    for path in sorted(folder.glob("*.tfrecord")):
        with path.open("rb") as file:
            for record in read_records(ShardStream(file)):
                features = parse_example(record.payload)
                values = {key: list(feature.values) for key, feature in features.items()}
                found[values["image/filename"][0].decode()] = values
    return found


def witnessed(tf: Any, folder: Path) -> dict[str, dict[str, list[Any]]]:
    """As `records`, after TensorFlow has read the very same."""
    found = {}
    for raw in tf.data.TFRecordDataset(sorted(map(str, folder.glob("*.tfrecord")))):
        features = tf.train.Example.FromString(raw.numpy()).features.feature
        values = {key: list(getattr(each, each.WhichOneof("kind")).value) for key, each in features.items()}
        found[values["image/filename"][0].decode()] = values
    assert found == records(folder)
    return found


def boxes_of(values: dict[str, list[Any]]) -> Boxes:
    """(label, (xmin, ymin, xmax, ymax) in pixels of the stored image), sorted."""
    (width,), (height,) = values["image/width"], values["image/height"]
    sides = [values[f"image/object/bbox/{side}"] for side in ("xmin", "ymin", "xmax", "ymax")]
    texts = [text.decode() for text in values["image/object/class/text"]]
    scaled = [
        (x0 * width, y0 * height, x1 * width, y1 * height) for x0, y0, x1, y1 in zip(*sides, strict=True)
    ]
    rounded = [tuple(round(value, 3) for value in corners) for corners in scaled]
    return sorted(zip(texts, rounded, strict=True))


def convert(source: Path, output: Path, **options: Any) -> tfrecordcli.ConvertResult:
    return tfrecordcli.convert(source, output, workers=1, **options)


CAT, DOG = ("cat", (8.0, 4.0, 40.0, 20.0)), ("dog", (16.0, 8.0, 80.0, 40.0))
SHAPES = {
    "corners": (
        "filename,width,height,class,xmin,ymin,xmax,ymax\n"
        "a.png,80,40,cat,8,4,40,20\na.png,80,40,dog,16,8,80,40\nb.png,80,40,cat,8,4,40,20\n"
    ),
    "corners in another order": (
        "filename,cell_type,xmin,xmax,ymin,ymax\na.png,cat,8,40,4,20\na.png,dog,16,80,8,40\nb.png,cat,8,40,4,20\n",
        {"columns": "label=cell_type"},
    ),
    "VoTT": (
        '"image","xmin","ymin","xmax","ymax","label"\n"a.png",8.0,4.0,40.0,20.0,"cat"\n'
        '"b.png",8.0,4.0,40.0,20.0,"cat"\n"a.png",16.0,8.0,80.0,40.0,"dog"\n'
    ),
    "extents": (
        "image_name,label_name,x,y,w,h\na.png,cat,8,4,32,16\na.png,dog,16,8,64,32\nb.png,cat,8,4,32,16\n"
    ),
    "width and height of the box": (
        "image,label,x,y,width,height\na.png,cat,8,4,32,16\na.png,dog,16,8,64,32\nb.png,cat,8,4,32,16\n"
    ),
    "centres": (
        "image,label,x_center,y_center,w,h\na.png,cat,24,12,32,16\na.png,dog,48,24,64,32\nb.png,cat,24,12,32,16\n"
    ),
    "one column": (
        'image_id,width,height,bbox,label\na.png,80,40,"[8, 4, 32, 16]",cat\n'
        'a.png,80,40,"[16, 8, 64, 32]",dog\nb.png,80,40,8 4 32 16,cat\n'
    ),
    "one column of corners": (
        'image,bbox,label\na.png,"(8, 4, 40, 20)",cat\na.png,"[16,8,80,40]",dog\nb.png,"8,4,40,20",cat\n',
        {"box_format": "xyxy"},
    ),
    "Open Images": (
        "ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax,IsOccluded,IsGroupOf\n"
        "a.png,xclick,cat,1,.1,.5,.1,.5,0,-1\na.png,xclick,dog,1,.2,1,.2,1,1,1\nb.png,xclick,cat,1,.1,.5,.1,.5,0,0\n"
    ),
    "AutoML": (
        "TRAIN,a.png,cat,.1,.1,,,.5,.5,,\nTRAIN,a.png,dog,.2,.2,,,1,1,,\nTEST,b.png,cat,.1,.1,,,.5,.5,,\n"
    ),
    "Vertex, four vertices": (
        "a.png,cat,.1,.1,.5,.1,.5,.5,.1,.5\na.png,dog,.2,.2,1,.2,1,1,.2,1\nb.png,cat,.1,.1,.5,.1,.5,.5,.1,.5\n"
    ),
    "RetinaNet": "a.png,8,4,40,20,cat\na.png,16,8,80,40,dog\nb.png,8,4,40,20,cat\n",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_each_shape_gives_the_same_boxes(shape: str, tmp_path: Path, tf: Any) -> None:
    given_shape = SHAPES[shape]
    text, options = given_shape if isinstance(given_shape, tuple) else (given_shape, {})
    source = write(photos(tmp_path / "in", "a.png", "b.png"), text)
    done = convert(source, tmp_path / "out", **options)
    assert (done.exit_code, done.records, done.rejected) == (0, 2, 0)
    found = witnessed(tf, tmp_path / "out")
    assert boxes_of(found["a.png"]) == [CAT, DOG]
    assert boxes_of(found["b.png"]) == [CAT]
    assert found["a.png"]["image/object/class/label"] in ([1, 2], [2, 1])
    assert {*found["a.png"]["image/source_id"], *found["b.png"]["image/source_id"]} == {b"1", b"2"}
    assert verify(tmp_path / "out").exit_code == 0
    assert (tmp_path / "out" / "label_map.pbtxt").read_text() == (
        "item {\n  id: 1\n  name: 'cat'\n}\n\nitem {\n  id: 2\n  name: 'dog'\n}\n\n"
    )


def test_attributes_are_stored_where_the_list_has_them(tmp_path: Path, tf: Any) -> None:
    source = write(photos(tmp_path / "in", "a.png", "b.png"), SHAPES["Open Images"])  # type: ignore[arg-type]
    convert(source, tmp_path / "out")
    values = witnessed(tf, tmp_path / "out")["a.png"]
    by_label = dict(zip(values["image/object/class/text"], values["image/object/group_of"], strict=True))
    assert by_label == {b"cat": 0, b"dog": 1}  # -1 is for what nobody knows
    assert sorted(values["image/object/occluded"]) == [0, 1]
    assert "image/object/truncated" not in values
    assert sorted(values["image/object/area"]) == pytest.approx([32 * 16, 64 * 32])


HEADER = "filename,class,xmin,ymin,xmax,ymax\n"


def test_an_image_without_objects_has_empty_lists_of_the_right_kind(tmp_path: Path, tf: Any) -> None:
    folder = photos(tmp_path / "in", "a.png", "b.png")
    source = write(folder, f"{HEADER}a.png,cat,8,4,40,20\nb.png,,,,,\n")
    assert convert(source, tmp_path / "out", splits="train=1").exit_code == 0
    assert boxes_of(witnessed(tf, tmp_path / "out")["b.png"]) == []
    (shard,) = (tmp_path / "out").glob("*.tfrecord")
    spec = {
        "image/object/bbox/xmin": tf.io.VarLenFeature(tf.float32),
        "image/object/class/label": tf.io.VarLenFeature(tf.int64),
        "image/object/class/text": tf.io.VarLenFeature(tf.string),
    }
    raw = list(tf.data.TFRecordDataset(str(shard)))
    parsed = tf.io.parse_example(tf.stack(raw), spec)
    assert sorted(parsed["image/object/class/label"].dense_shape.numpy()) == [1, 2]
    for each in raw:
        features = tf.train.Example.FromString(each.numpy()).features.feature
        kinds = {key: feature.WhichOneof("kind") for key, feature in features.items()}
        assert kinds["image/object/bbox/xmin"] == "float_list"
        assert kinds["image/object/class/label"] == "int64_list"
        assert kinds["image/object/class/text"] == "bytes_list"
    skipped = convert(source, tmp_path / "skipped", empty_images="skip")
    assert (skipped.records, manifest(tmp_path / "skipped")["splits"]["train"]["discarded"]) == (1, 1)


# --- photos that lie on their side ---


def sideways(path: Path, orientation: int) -> None:
    """A photo whose marked corner is red once it is turned upright."""
    pixels = np.full((HEIGHT, WIDTH, 3), 200, np.uint8)
    pixels[MARKED[1] : MARKED[3], MARKED[0] : MARKED[2]] = (255, 0, 0)
    image = Image.fromarray(pixels)
    turn = STORED[orientation]
    image = image.transpose(turn) if turn is not None else image
    exif = Image.Exif()
    exif[0x0112] = orientation
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path, quality=95, subsampling=0, exif=exif)


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
        assert "box_frame_guessed" not in manifest(tmp_path / name)["notes"]


def test_boxes_keep_their_place_on_smaller_images(tmp_path: Path, tf: Any) -> None:
    source = write(photos(tmp_path / "in", "a.png"), f"{HEADER}a.png,cat,8,4,40,20\n")
    convert(source, tmp_path / "out", max_side=40)
    values = witnessed(tf, tmp_path / "out")["a.png"]
    assert (values["image/width"], boxes_of(values)) == ([40], [("cat", (4.0, 2.0, 20.0, 10.0))])
    assert values["image/object/area"] == [16 * 8]


# --- what lists really hold ---

# rows of a.png -> (boxes stored, counts that are not 0), where the image is kept.
MESS: dict[str, tuple[str, Boxes, dict[str, int]]] = {
    "corners swapped": ("a.png,cat,40,20,8,4\n", [CAT], {"swapped": 1}),
    "rounded beyond the edge": ("a.png,dog,16,8,80.01,40.3\n", [DOG], {}),
    "beyond the edge": ("a.png,dog,16,8,300,40\n", [DOG], {"clipped": 1}),
    "no width": ("a.png,cat,8,4,40,20\na.png,dog,7,5,7,9\n", [CAT], {"left_out": 1}),
    "twice the same": ("a.png,cat,8,4,40,20\na.png,cat,8,4,40,20\n", [CAT], {"merged": 1}),
    "twice but for the corners": (
        "a.png,cat,8,4,40,20\na.png,cat,40,4,8,20\n",
        [CAT],
        {"merged": 1, "swapped": 0},
    ),
    "the same four numbers": (
        "a.png,cat,4,8,20,40\na.png,cat,8,4,40,20\n",
        [("cat", (4.0, 8.0, 20.0, 40.0)), CAT],
        {"merged": 0},
    ),
}


@pytest.mark.parametrize("case", MESS)
def test_mess_is_cleaned_up_and_counted(case: str, tmp_path: Path, tf: Any) -> None:
    rows, boxes, counts = MESS[case]
    source = write(photos(tmp_path / "in", "a.png"), HEADER + rows)
    done = convert(source, tmp_path / "out", splits="train=1")
    assert (done.exit_code, done.records) == (0, 1)
    assert boxes_of(witnessed(tf, tmp_path / "out")["a.png"]) == boxes
    told = manifest(tmp_path / "out")["boxes"]
    assert {name: told[name] for name in counts} == counts
    fates = ("stored", "left_out", "merged", "rejected", "discarded")
    assert sum(told[name] for name in fates) == rows.count("\n")
    assert verify(tmp_path / "out").exit_code == 0


def test_equal_boxes_are_one_with_what_either_says(tmp_path: Path, tf: Any) -> None:
    header = "filename,class,xmin,ymin,xmax,ymax,difficult,truncated,area\n"
    rows = "a.png,cat,8,4,40,20,1,,500\na.png,cat,8,20,40,4,,0,501\n"
    rows += "b.png,cat,8,4,40,20,0,,\nb.png,cat,8,4,40,20,1,,\n"
    source = write(photos(tmp_path / "in", "a.png", "b.png"), header + rows)
    done = convert(source, tmp_path / "out", splits="train=1", max_rejects=1)
    values = witnessed(tf, tmp_path / "out")["a.png"]
    found = {name: values[f"image/object/{name}"] for name in ("difficult", "truncated", "area")}
    assert found == {"difficult": [1], "truncated": [0], "area": [500.0]}
    (problem,) = done.problems
    assert (problem["line"], problem["code"]) == (5, "conflicting_box")
    assert problem["reason"].startswith("an equal box of the image has other attributes in line 4")
    told = manifest(tmp_path / "out")["boxes"]
    assert (told["stored"], told["merged"], told["rejected"]) == (1, 1, 2)


def test_values_of_single_boxes_are_no_features(tmp_path: Path) -> None:
    rows = f"{HEADER[:-1]},colour,weather\na.png,cat,8,4,40,20,red,sun\na.png,dog,8,4,40,20,blue,sun\n"
    source = write(photos(tmp_path / "in", "a.png"), rows)
    run = tfrec("convert", source, tmp_path / "out", "--features", "all")
    assert run.code == 2
    assert "--features colour: boxes of one image have other values, as 'blue' and 'red'" in run.err
    convert(source, tmp_path / "out", features="weather", splits="train=1")
    assert records(tmp_path / "out")["a.png"]["weather"] == [b"sun"]


def test_boxes_with_scores_are_no_annotations(tmp_path: Path) -> None:
    rows = f"{HEADER[:-1]},Score\na.png,cat,8,4,40,20,{{score}}\n"
    folder = photos(tmp_path / "in", "a.png")
    assert convert(write(folder, rows.format(score=1)), tmp_path / "out").exit_code == 0
    run = tfrec("convert", write(folder, rows.format(score=0.87), "scored.csv"), tmp_path / "scored")
    assert run.code == 2
    told = " ".join(run.err.split())
    assert "column Score has 0.87: these boxes are what a model predicted" in told
    exec(shlex.split(told[told.index("python -c") :])[2])
    assert convert(folder / "scored-without-scores.csv", tmp_path / "scored").records == 1


def test_boxes_left_out_are_listed_and_cost_no_exit_code(tmp_path: Path) -> None:
    source = write(photos(tmp_path / "in", "a.png"), f"{HEADER}a.png,cat,8,4,40,20\na.png,dog,7,5,7,9\n")
    assert convert(source, tmp_path / "out").exit_code == 0
    assert read_csv(tmp_path / "out" / "boxes-left-out.csv") == [
        {
            "image_uri": "a.png",
            "label": "dog",
            "tfrec_line": "3",
            "tfrec_place": "",
            "tfrec_code": "no_extent",
            "tfrec_reason": "the box has no width or no height",
        }
    ]
    assert verify(tmp_path / "out").exit_code == 0
    (tmp_path / "out" / "boxes-left-out.csv").write_text("gone")
    assert [problem.code for problem in verify(tmp_path / "out").problems] == ["side_file_edited"]


# second row of a.png -> (code, words of the reason); its first row is good.
REJECTED = {
    "text": ("a.png,dog,1,2,x,4\n", "bad_box", "'x'"),
    "nothing": ("a.png,dog,1,2,,4\n", "bad_box", "lacks a number"),
    "not a number": ("a.png,dog,1,2,nan,4\n", "bad_box", "'nan'"),
    "without end": ("a.png,dog,1,2,1e999,4\n", "bad_box", "1e999"),
    "no label": ("a.png,,1,2,3,4\n", "bad_box", "no label"),
    "no corners": ("a.png,dog,,,,\n", "bad_box", "'dog' has no corners"),
    "outside": ("a.png,dog,100,50,120,60\n", "box_outside", "is it the right image?"),
    "fields too many": ("a.png,dog,1,2,3,4,5,6\n", "field_count", "8 fields"),
}


@pytest.mark.parametrize("case", REJECTED)
def test_a_box_that_cannot_be_used_rejects_its_whole_image(case: str, tmp_path: Path) -> None:
    row, code, words = REJECTED[case]
    folder = photos(tmp_path / "in", "a.png", "b.png", "c.png")
    good = "a.png,cat,8,4,40,20\n"
    source = write(folder, f"{HEADER}{good}{row}b.png,cat,8,4,40,20\nc.png,cat,8,4,40,20\n")
    done = convert(source, tmp_path / "out", splits="train=1")
    is_alone = code == "field_count"  # such a row names no image for certain
    assert (done.exit_code, done.records, done.rejected) == (1, 3 if is_alone else 2, 1)
    rows = read_csv(tmp_path / "out" / "rejects.csv")
    told = {each["tfrec_line"]: each["tfrec_code"] for each in rows}
    if is_alone:
        assert told == {"3": code}
    else:
        assert told in ({"2": "same_image", "3": code}, {"2": code, "3": "same_image"})
    assert any(words in each["tfrec_reason"] for each in rows)
    assert verify(tmp_path / "out").exit_code == 0
    again = convert(source, tmp_path / "out", splits="train=1")
    assert (again.status, again.rejected) == ("already_complete", 1)


def test_rejected_images_are_mended_and_converted_once(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "a.png", "b.png")
    text = f"{HEADER}a.png,cat,8,4,40,20\na.png,dog,16,8,x,40\nb.png,dog,16,8,80,40\n"
    done = convert(write(folder, text), tmp_path / "out")
    rejects = tmp_path / "out" / "rejects.csv"
    rejects.write_text(rejects.read_text().replace(",x,", ",80,"))
    words = shlex.split(done.mend_command)
    assert "--box-unit" in words
    mended = tfrec(*words[1:])
    assert mended.code == 0, mended.err
    assert boxes_of(records(tmp_path / "out-mended")["a.png"]) == [CAT, DOG]
    assert records(tmp_path / "out-mended").keys() == {"a.png"}
    assert (tmp_path / "out-mended" / "label_map.pbtxt").read_bytes() == (
        tmp_path / "out" / "label_map.pbtxt"
    ).read_bytes()


def test_rejects_of_a_list_without_a_header_can_be_converted_again(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "b.png", "c.png")
    text = "a.png,8,4,40,20,cat\na.png,16,8,80,40,dog\nb.png,8,4,40,20,cat\nc.png,,,,,\n"
    done = convert(write(folder, text), tmp_path / "out", splits="train=1")
    assert (done.exit_code, done.records, done.rejected) == (1, 2, 1)
    photo(folder / "a.png")
    mended = tfrec(*shlex.split(done.mend_command)[1:])
    assert mended.code == 0, mended.err
    assert boxes_of(records(tmp_path / "out-mended")["a.png"]) == [CAT, DOG]


def test_a_missing_image_is_one_reject(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "b.png")
    rows = "a.png,cat,8,4,40,20\na.png,dog,16,8,80,40\nb.png,cat,8,4,40,20\n"
    done = convert(write(folder, HEADER + rows), tmp_path / "out")
    assert (done.exit_code, done.records, done.rejected, done.rows) == (1, 1, 1, 2)
    assert manifest(tmp_path / "out")["boxes"]["rejected"] == 2


def test_an_image_in_two_splits_is_rejected(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "a.png", "b.png")
    header = "split,filename,class,xmin,ymin,xmax,ymax\n"
    rows = "train,a.png,cat,8,4,40,20\ntest,a.png,dog,16,8,80,40\ntrain,b.png,cat,8,4,40,20\n"
    done = convert(write(folder, header + rows), tmp_path / "out")
    assert (done.records, done.rejected, dict(done.reasons)) == (1, 1, {"conflicting_split": 1})


def test_another_size_than_listed(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "a.png", "b.png")
    header = "filename,width,height,class,xmin,ymin,xmax,ymax\n"
    rows = "a.png,160,80,cat,16,8,80,40\nb.png,100,100,cat,8,4,40,20\n"
    done = convert(write(folder, header + rows), tmp_path / "out")
    assert (done.records, dict(done.reasons), done.notes["boxes_of_another_size"]) == (
        1,
        {"other_size": 1},
        1,
    )
    assert boxes_of(records(tmp_path / "out")["a.png"]) == [CAT]


def test_strict_boxes_reject_their_image(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "a.png", "b.png")
    source = write(folder, f"{HEADER}a.png,dog,16,8,300,40\nb.png,cat,8,4,40,20\n")
    done = convert(source, tmp_path / "out", boxes="strict")
    assert (done.records, dict(done.reasons)) == (1, {"bad_box": 1})


@pytest.mark.parametrize(
    ("rows", "options", "words"),
    [
        ("a.png,cat,0,0,1,1\n", {}, ["not certain", "box_unit"]),
        ("a.png,cat,0,0,1.5,1\n", {}, ["not certain", "box_unit"]),
    ],
)
def test_an_uncertain_unit_is_asked_for(
    rows: str, options: dict[str, Any], words: Sequence[str], tmp_path: Path
) -> None:
    source = write(photos(tmp_path / "in", "a.png"), HEADER + rows)
    with pytest.raises(tfrecordcli.InputError) as caught:
        convert(source, tmp_path / "out", **options)
    assert all(word in str(caught.value) for word in words)
    assert convert(source, tmp_path / "out", box_unit="fractions").exit_code == 0


def test_class_numbers_stay_unless_one_is_zero(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "a.png")
    for name, numbers, ids in (("from 0", "03", [1, 4]), ("from 1", "14", [1, 4])):
        rows = f"a.png,{numbers[0]},8,4,40,20\na.png,{numbers[1]},16,8,80,40\n"
        done = convert(write(folder, HEADER + rows), tmp_path / name)
        assert sorted(records(tmp_path / name)["a.png"]["image/object/class/label"]) == ids
        assert any("plus 1" in remark for remark in done.remarks) == (name == "from 0")
        assert verify(tmp_path / name).exit_code == 0


def test_whole_images_of_a_list_of_boxes(tmp_path: Path) -> None:
    source = write(photos(tmp_path / "in", "a.png"), f"{HEADER}a.png,cat,8,4,40,20\n")
    convert(source, tmp_path / "out", task="classification")
    assert "image/class/label" in records(tmp_path / "out")["a.png"]


def test_the_same_bytes_for_any_workers_and_in_steps(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", *(f"{n}.png" for n in range(30)))
    rows = "".join(f"{n % 30}.png,{'cat' if n % 3 else 'dog'},{n % 7},4,40,20\n" for n in range(90))
    source = write(folder, HEADER + rows)
    for workers in (1, 3):
        tfrecordcli.convert(source, tmp_path / str(workers), workers=workers, num_shards=2, splits="train=1")
    tfrecordcli.plan(source, tmp_path / "steps", num_shards=2, splits="train=1")
    for part in ("1/2", "0/2"):
        tfrecordcli.write_shards(tmp_path / "steps", part=part, workers=1)
    tfrecordcli.finish(tmp_path / "steps")
    one, *others = [
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("1", "3", "steps")
    ]
    assert all(other == one for other in others)
    ids = sorted(int(values["image/source_id"][0]) for values in records(tmp_path / "1").values())
    assert ids == list(range(1, 31))


def test_a_data_frame_with_boxes(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    folder = photos(tmp_path / "in", "a.png")
    frame = pd.DataFrame(
        [("a.png", "cat", 8, 4, 40, 20), ("a.png", "dog", 16, 8, 80, 40)], columns=HEADER.strip().split(",")
    )
    assert convert(frame, tmp_path / "out", image_root=folder).exit_code == 0  # type: ignore[arg-type]
    assert boxes_of(records(tmp_path / "out")["a.png"]) == [CAT, DOG]


def test_what_was_taken_is_said(tmp_path: Path) -> None:
    text = "filename,width,height,class,xmin,ymin,xmax,ymax,note\na.png,80,40,cat,8,4,40,20,x\n"
    source = write(photos(tmp_path / "in", "a.png"), text)
    run = tfrec("convert", source, tmp_path / "out", "--dry-run", "--json")
    remarks = json.loads(run.out)["remarks"]
    assert any("pixels" in remark for remark in remarks)
    assert any("xmin, ymin, xmax, ymax" in remark for remark in remarks)
    assert any("not used: note" in remark for remark in remarks)


def test_the_summary_and_json_tell_what_became_of_each_box(tmp_path: Path) -> None:
    rows = "a.png,cat,8,4,40,20\na.png,dog,80,40,16,8\na.png,dog,7,5,7,9\na.png,cat,8,4,40,20\n"
    source = write(photos(tmp_path / "in", "a.png", "b.png"), f"{HEADER}{rows}b.png,cat,70,4,160,20\n")
    out = tmp_path / "out"
    counts = {"stored": 3, "left_out": 1, "merged": 1, "rejected": 0, "discarded": 0}
    changed = {"clipped": 1, "swapped": 1, "most": 2}
    planned = tfrec("convert", source, out, "--dry-run", "--json").json
    assert planned["boxes"] == {**counts, "stored": 4, "left_out": 0, "clipped": 0, "swapped": 0, "most": 3}
    text = tfrec("convert", source, out).out
    assert "  boxes: 3 stored (at most 2 in an image), 1 left out, 1 merged\n" in text
    assert "  1 box reached beyond the image, clipped to it\n" in text
    assert "  1 box with corners in another order, sorted\n" in text
    assert f"  boxes without a width or height are in {out}/boxes-left-out.csv\n" in text
    for status in ("complete", "already_complete"):
        options = ["--overwrite"] if status == "complete" else []
        told = tfrec("convert", source, out, "--json", *options).json
        assert (told["status"], told["boxes"]) == (status, {**counts, **changed})
        assert told["boxes_left_out"] == str(out / "boxes-left-out.csv")
    photo(tmp_path / "folder" / "cat" / "a.png")
    plain_list = tfrec("convert", tmp_path / "folder", tmp_path / "plain", "--json").json
    assert (plain_list["boxes"], plain_list["boxes_left_out"]) == ({}, "")


def test_the_sample_of_boxes(sample_data: Path, tmp_path: Path, tf: Any) -> None:
    """Each box lies where a shape is: darker than its picture, also in the one that is turned upright."""
    done = convert(sample_data / "boxes.csv", tmp_path / "out")
    assert (done.exit_code, done.records, dict(done.notes)) == (0, 10, {"exif_turned": 1})
    assert (done.boxes["stored"], done.boxes["clipped"], done.boxes["most"]) == (21, 0, 4)
    found = records(tmp_path / "out")
    assert sum(not boxes_of(values) for values in found.values()) == 1
    for values in found.values():
        light = tf.io.decode_image(values["image/encoded"][0]).numpy().astype(int).mean(axis=-1)
        for _, corners in boxes_of(values):
            left, top, right, bottom = map(round, corners)
            inside = light[top:bottom, left:right]
            assert inside.min() + 40 < light.max()
            assert np.median(inside) < np.median(light)
    assert verify(tmp_path / "out", strict=True).exit_code == 0


# --- columns as people call them, and what is no list of boxes ---

_AS_ABOVE = "a.png,8,4,40,20,cat\na.png,16,8,80,40,dog\nb.png,8,4,40,20,cat\n"
OTHER_NAMES = {
    "class ids beside names": "image,x1,y1,x2,y2,category_id,category_name\n"
    "a.png,8,4,40,20,3,cat\na.png,16,8,80,40,7,dog\nb.png,8,4,40,20,3,cat\n",
    "breed": f"image,xmin,ymin,xmax,ymax,breed\n{_AS_ABOVE}",
    "from zero": f"image,x0,y0,x1,y1,class\n{_AS_ABOVE}",
    "start and end": f"image,startX,startY,endX,endY,class\n{_AS_ABOVE}",
    "top left": f"image,top_left_x,top_left_y,bottom_right_x,bottom_right_y,class\n{_AS_ABOVE}",
    "label beside y": "image_id,x,y,width,height,target\n"
    "a.png,8,4,32,16,cat\na.png,16,8,64,32,dog\nb.png,8,4,32,16,cat\n",
}


@pytest.mark.parametrize("names", OTHER_NAMES)
def test_columns_are_found_by_the_names_that_people_use(names: str, tmp_path: Path) -> None:
    source = write(photos(tmp_path / "in", "a.png", "b.png"), OTHER_NAMES[names])
    assert convert(source, tmp_path / "out").records == 2
    found = records(tmp_path / "out")
    assert (boxes_of(found["a.png"]), boxes_of(found["b.png"])) == ([CAT, DOG], [CAT])


def test_class_ids_alone_are_the_labels(tmp_path: Path) -> None:
    source = write(
        photos(tmp_path / "in", "a.png"), "image,class_id,xmin,ymin,xmax,ymax\na.png,5,8,4,40,20\n"
    )
    assert convert(source, tmp_path / "out").records == 1
    assert records(tmp_path / "out")["a.png"]["image/object/class/label"] == [5]


def test_a_side_of_boxes_is_never_their_label(tmp_path: Path) -> None:
    text = "image_id,x,y,width,height\na.png,8,4,32,16\n"
    assert convert(write(photos(tmp_path / "in", "a.png"), text), tmp_path / "out").records == 1
    assert boxes_of(records(tmp_path / "out")["a.png"]) == [("object", CAT[1])]


def test_images_without_a_finding_show_nothing(tmp_path: Path) -> None:
    text = f"{HEADER}a.png,cat,8,4,40,20\nb.png,No finding,,,,\n"
    done = convert(write(photos(tmp_path / "in", "a.png", "b.png"), text), tmp_path / "out")
    assert (done.exit_code, done.records) == (0, 2)
    assert boxes_of(records(tmp_path / "out")["b.png"]) == []


NO_BOXES = {
    "outlines": ("image,class,x1,y1,x2,y2,x3,y3,x4,y4\na.png,cat,8,4,40,4,40,20,8,20\n", "outlines"),
    "VIA": (
        "filename,region_id,region_shape_attributes,region_attributes\n"
        'a.png,0,"{""name"":""rect"",""x"":1}","{""class"":""cat""}"\n',
        "VGG Image Annotator",
    ),
    "Label Studio": (
        'image,id,label\na.png,1,"[{""x"": 10.5, ""y"": 20, ""rectanglelabels"": [""cat""]}]"\n',
        "JSON object",
    ),
    "two labels": ("image,breed,species,xmin,ymin,xmax,ymax\na.png,pug,dog,8,4,40,20\n", "breed, species"),
}


@pytest.mark.parametrize("case", NO_BOXES)
def test_what_is_no_list_of_boxes_is_refused_by_name(case: str, tmp_path: Path) -> None:
    text, words = NO_BOXES[case]
    with pytest.raises(tfrecordcli.InputError, match=words) as caught:
        convert(write(photos(tmp_path / "in", "a.png"), text), tmp_path / "out")
    assert caught.value.hint


def test_a_decimal_comma_is_pointed_out(tmp_path: Path) -> None:
    text = "filename;class;xmin;ymin;xmax;ymax\na.png;cat;8,5;4;40;20\nb.png;cat;8;4;40;20\n"
    convert(write(photos(tmp_path / "in", "a.png", "b.png"), text), tmp_path / "out")
    assert "a comma for the decimal point? write 8.5" in (tmp_path / "out" / "rejects.csv").read_text()


def test_no_folder_is_proposed_where_several_have_the_image(tmp_path: Path) -> None:
    photos(tmp_path / "in", "one/a.png", "two/a.png")
    source = write(tmp_path / "in", "folder,filename,class,xmin,ymin,xmax,ymax\none,a.png,cat,8,4,40,20\n")
    with pytest.raises(tfrecordcli.InputError) as caught:
        convert(source, tmp_path / "out")
    assert caught.value.hint == "one and two have such a file each: write the folder into the paths, as one/…"


def test_paths_of_a_json_list_are_mapped_and_options_without_use_are_said(tmp_path: Path) -> None:
    photos(tmp_path / "in", "a.png")
    annotations = {
        "images": [{"id": 1, "file_name": "C:\\bob\\a.png", "width": WIDTH, "height": HEIGHT}],
        "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [8, 4, 32, 16]}],
        "categories": [{"id": 1, "name": "cat"}],
    }
    source = write(tmp_path / "in", json.dumps(annotations), "a.json")
    done = convert(source, tmp_path / "out", map={"C:\\bob\\": "./"}, features="all")
    assert done.exit_code == 0
    assert "features= is not used: the source is a list in JSON" in done.remarks
    assert boxes_of(records(tmp_path / "out")["a.png"]) == [CAT]


def test_three_sides_of_a_box_are_none(tmp_path: Path) -> None:
    source = write(photos(tmp_path / "in", "a.png"), "image,label,Xmin,Xmax,Ymin,high\na.png,cat,8,40,4,20\n")
    with pytest.raises(tfrecordcli.InputError, match="none is ymax"):
        convert(source, tmp_path / "out")
    assert convert(source, tmp_path / "out", task="classification").exit_code == 0


def test_all_boxes_of_an_image_in_one_text_are_refused(tmp_path: Path) -> None:
    source = write(
        photos(tmp_path / "in", "a.png"), "image_name,BoxesString,label\na.png,1 2 3 4;5 6 7 8,x\n"
    )
    with pytest.raises(tfrecordcli.InputError, match="column BoxesString holds all boxes"):
        convert(source, tmp_path / "out")
    assert convert(source, tmp_path / "out", task="classification").exit_code == 0


@pytest.mark.parametrize(("found", "instead"), [("16.0", "many"), ("\x1f16.0", "")])
def test_damaged_boxes_of_a_plan_are_named(found: str, instead: str, tmp_path: Path) -> None:
    names = [f"{n}.png" for n in range(200)]  # more than are read ahead, at whose end the checksum is seen to
    rows = "".join(f"{name},cat,8,4,40,20\n{name},dog,16,8,80,40\n" for name in names)
    source = write(photos(tmp_path / "in", *names), HEADER + rows)
    tfrecordcli.plan(source, tmp_path / "out", splits="train=1", num_shards=1)
    (task,) = (tmp_path / "out" / "_tfrec").rglob("tasks/*")
    first, *others = task.read_text().split("\n")
    assert found in first
    task.write_text("\n".join((first.replace(found, instead), *others)))
    run = tfrec("write-shards", tmp_path / "out")
    assert run.code == 2, run.err
    assert "the plan is damaged" in run.err
