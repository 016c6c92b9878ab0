"""Lists of boxes: which are read, and what is said and stored of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from boxing import CAT, DOG, HEADER, boxes_of, convert, photo, photos, records, witnessed, write
from converting import manifest, tfrec
from verifying import verify

import tfrecordcli

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


# --- what the list is told to become, and what is told of it ---


def test_class_numbers_stay_unless_one_is_zero(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "a.png")
    for name, numbers, ids in (
        ("from 0", "03", [1, 4]),
        ("from 1", "14", [1, 4]),
        ("from 0, as floats", ("0.0", "3.0"), [1, 4]),
        ("from 1, as floats", ("1.0", "4.0"), [1, 4]),
    ):
        rows = f"a.png,{numbers[0]},8,4,40,20\na.png,{numbers[1]},16,8,80,40\n"
        done = convert(write(folder, HEADER + rows), tmp_path / name)
        assert sorted(records(tmp_path / name)["a.png"]["image/object/class/label"]) == ids
        assert any("plus 1" in remark for remark in done.remarks) == ("from 0" in name)
        texts = records(tmp_path / name)["a.png"]["image/object/class/text"]
        assert sorted(texts) == [str(float(number))[:-2].encode() for number in numbers]
        assert verify(tmp_path / name).exit_code == 0


def test_whole_floats_of_boxes_have_the_ids_of_a_dataset(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "a.png")
    rows = "a.png,0.0,8,4,40,20\na.png,3.0,16,8,80,40\n"
    convert(write(folder, HEADER + rows), tmp_path / "first")
    more = write(folder, f"{HEADER}{rows}a.png,5.0,2,2,9,9\n", "more.csv")
    done = convert(more, tmp_path / "out", labels=tmp_path / "first" / "manifest.json", new_labels="append")
    assert (done.records, done.labels) == (1, ("0", "3", "5"))
    assert sorted(records(tmp_path / "out")["a.png"]["image/object/class/label"]) == [1, 4, 5]


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
    assert f"  boxes that were left out, and why: {out}/boxes-left-out.csv\n" in text
    for status in ("complete", "already_complete"):
        options = ["--overwrite"] if status == "complete" else []
        told = tfrec("convert", source, out, "--json", *options).json
        assert (told["status"], told["boxes"]) == (status, {**counts, **changed})
        assert told["boxes_left_out"] == str(out / "boxes-left-out.csv")
    photo(tmp_path / "folder" / "cat" / "a.png")
    plain_list = tfrec("convert", tmp_path / "folder", tmp_path / "plain", "--json").json
    assert (plain_list["boxes"], plain_list["boxes_left_out"]) == ({}, "")


def test_labels_with_commas_stand_in_quotes_in_the_summary(tmp_path: Path) -> None:
    source = write(
        photos(tmp_path / "in", "a.png"), f'{HEADER}a.png,"Dog, big",8,4,40,20\na.png,Cat,9,4,40,20\n'
    )
    assert "  2 labels: Cat, 'Dog, big'\n" in tfrec("convert", source, tmp_path / "out").out


def test_the_sample_of_boxes(sample_data: Path, tmp_path: Path, tf: Any) -> None:
    """Each box lies where a shape is: darker than its picture, also in the one that is turned upright."""
    done = convert(sample_data / "boxes.csv", tmp_path / "out")
    assert (done.exit_code, done.records) == (0, 10)
    assert done.notes == {"box_frame_upright": 1, "exif_turned": 1}
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
