"""TFRecords whose features are serialized tensors: TensorFlow, which writes them, is the witness."""

from __future__ import annotations

import io
import shlex
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from converting import convert_json, jpeg, shell, tfrec
from PIL import Image
from recording import by_image, foreign, records_of

from tfrecordcli.tfrecords.feature import FeatureValues
from tfrecordcli.tfrecords.image_features import find_raw
from tfrecordcli.tfrecords.tensors import opened, tensor_in

_RANDOM = np.random.default_rng(3)
# A tensor of float32 with 254 sides of 2**63 - 1, and of four bytes.
_SIDE = b"\x12\x0a\x08" + b"\xff" * 8 + b"\x7f"
_IMPOSSIBLE = b"\x08\x01\x12\xe8\x17" + _SIDE * 254 + b"\x22\x04abcd"


def _pixels(*shape: int) -> Any:
    return _RANDOM.integers(0, 256, shape, np.uint8)


@pytest.fixture
def serialized(tf: Any) -> Any:
    return lambda values: tf.io.serialize_tensor(values).numpy()


def _stored(folder: Path) -> list[tuple[Any, list[bytes]]]:
    """Pixels and names of labels of each record, in an order of their own."""
    found = []
    for record in records_of(folder):
        with Image.open(io.BytesIO(record["image/encoded"][0])) as image:
            found.append((np.asarray(image), record.get("image/class/text", [])))
    return sorted(found, key=lambda each: each[0].tobytes())


@pytest.mark.parametrize("shape", [(5, 7), (5, 7, 1), (5, 7, 3), (5, 7, 4)])
@pytest.mark.parametrize("sized", [True, False])
def test_tensors_of_uint8_are_images(
    shape: tuple[int, ...], sized: bool, serialized: Any, tmp_path: Path
) -> None:
    images = [_pixels(shape[0] + n, *shape[1:]) for n in range(4)]
    records = []
    for number, pixels in enumerate(images):
        height, width, depth = (*pixels.shape, 1)[:3]
        size = {"height": [height], "width": [width], "depth": [depth]} if sized else {}
        records.append({**size, "raw_image": [serialized(pixels)], "label": [number % 2]})
    done = convert_json(foreign(tmp_path / "train.tfrecords", *records), tmp_path / "out")
    assert (done["rejected"], done["remarks"]) == (0, ["read as TFRecords: 1 file"])
    wanted = sorted((pixels.tobytes(), b"%d" % (n % 2)) for n, pixels in enumerate(images))
    assert [(pixels.tobytes(), *names) for pixels, names in _stored(tmp_path / "out")] == wanted


def test_other_sizes_beside_a_tensor_are_told(serialized: Any, tmp_path: Path) -> None:
    records = [
        {"height": [7], "width": [5], "image": [serialized(_pixels(5, 7, 3))], "label": [n]} for n in range(2)
    ]
    done = convert_json(foreign(tmp_path / "train.tfrecords", *records), tmp_path / "out")
    assert any("beside a tensor are not those of the tensor" in remark for remark in done["remarks"]), done
    assert {pixels.shape for pixels, _ in _stored(tmp_path / "out")} == {(5, 7, 3)}


def test_an_image_goes_before_its_mask_and_other_tensors(serialized: Any, tmp_path: Path) -> None:
    image = _pixels(6, 8, 3)
    record = {
        "a_map": [serialized(_pixels(6, 8))],
        "mask": [serialized(_pixels(6, 8, 1))],
        "normals": [serialized(np.zeros((6, 8, 3), np.float32))],
        "pixels": [serialized(image)],
        "label": [1],
    }
    convert_json(foreign(tmp_path / "train.tfrecords", record), tmp_path / "out")
    ((found, _),) = _stored(tmp_path / "out")
    assert found.tobytes() == image.tobytes()


@pytest.mark.parametrize(
    "label",
    [
        np.int64,
        np.int32,
        np.uint8,
        np.float32,
        lambda n: np.array([n]),
        lambda n: np.eye(3, dtype=np.float32)[n],
        lambda n: np.eye(3, dtype=np.uint8)[n],
        lambda n: np.eye(3, dtype=bool)[n : n + 1],
        str,
    ],
)
def test_tensors_are_labels(label: Any, serialized: Any, tmp_path: Path) -> None:
    records = [
        {"image": [serialized(jpeg(n, 16, 16))], "label": [serialized(label(n % 3))]} for n in range(9)
    ]
    done = convert_json(foreign(tmp_path / "train.tfrecords", *records), tmp_path / "out")
    assert (done["records"], done["rejected"]) == (9, 0)
    found = by_image(records_of(tmp_path / "out"))
    assert [found[jpeg(n, 16, 16)]["image/class/text"] for n in range(9)] == [
        [b"%d" % (n % 3)] for n in range(9)
    ]


def test_single_values_that_tensorflow_writes_one_by_one_are_labels(tf: Any, tmp_path: Path) -> None:
    records = [
        {"image": [jpeg(n)], "label": [tf.make_tensor_proto(n).SerializeToString()]} for n in (0, 1, 300)
    ]
    convert_json(foreign(tmp_path / "train.tfrecords", *records), tmp_path / "out")
    found = by_image(records_of(tmp_path / "out"))
    assert [found[jpeg(n)]["image/class/text"] for n in (0, 1, 300)] == [[b"0"], [b"1"], [b"300"]]


def test_tensors_of_boxes_are_rows_of_four(serialized: Any, tmp_path: Path) -> None:
    """Their form is proposed where the image alone, a tensor, tells its size."""
    boxes = np.array([[2, 4, 60, 20], [30, 10, 50, 44]], np.float32)
    labels = serialized(np.array([1, 2]))
    records = [
        {"image": [serialized(_pixels(48, 64, 3))], "boxes": [serialized(boxes)], "labels": [labels]}
        for _ in range(2)
    ]
    source = foreign(tmp_path / "train.tfrecords", *records)
    hint = tfrec("convert", source, tmp_path / "no", "--json").json["error"]["hint"]
    assert ("--box-format xyxy takes" in hint, "yxyx" in hint) == (True, False)
    assert convert_json(source, tmp_path / "out", "--box-format", "xyxy")["boxes"]["stored"] == 4
    for record in records_of(tmp_path / "out"):
        assert record["image/object/bbox/xmax"] == pytest.approx([60 / 64, 50 / 64])


@pytest.mark.parametrize(
    ("key", "top", "make"),
    [
        ("image/encoded", 1.0, lambda x: (x / 255).astype(np.float32)),
        ("image", 255.0, lambda x: x.astype(np.float32)),
        ("pixels", 255, lambda x: x.astype(np.int64)),
        ("image", 255, lambda x: x[None]),
    ],
)
def test_other_pixels_are_refused_with_the_command_for_them(
    key: str, top: float, make: Any, serialized: Any, tmp_path: Path
) -> None:
    """Whose images are as written, and whose splits and labels are those of the records."""
    images = {split: _pixels(30, 41, 3) for split in ("train", "test")}
    for split, pixels in images.items():
        record = {key: [serialized(make(pixels))], "label": [1]}
        foreign(tmp_path / f"in/sub/{split}.tfrecords", record)
    (tmp_path / "in/labels.txt").write_text("cat\ndog\n")
    done = tfrec("convert", tmp_path / "in", tmp_path / "no", "--json")
    error = done.json["error"]
    assert (
        f"{key} holds serialized tensor" in error["message"],
        f"from 0 to {top:g} " in error["message"],
    ) == (
        True,
        True,
    )
    command, _, then = error["hint"].partition(" by TensorFlow: ")[2].rpartition("; then ")
    made = shell(command, tmp_path)
    assert made.code == 0, made.err
    *words, last = shlex.split(then)
    assert last == "OUTPUT_DIR"
    convert_json(words[2], tmp_path / "out")
    for split, pixels in images.items():
        (record,) = records_of(tmp_path / "out", f"{split}*")
        assert record["image/class/text"] == [b"dog"]
        with Image.open(io.BytesIO(record["image/encoded"][0])) as image:
            assert np.array_equal(np.asarray(image), pixels)


def test_pixels_of_unknown_scale_or_form_are_refused_without_a_command(
    serialized: Any, tmp_path: Path
) -> None:
    for number, values in enumerate(
        [
            np.linspace(-1, 1, 48, dtype=np.float32).reshape(4, 4, 3),
            np.full((4, 4, 3), 900, np.uint16),
            _pixels(2, 4, 4, 3),
            _pixels(3, 4, 5),
        ]
    ):
        record = {"image": [serialized(values)], "label": [1]}
        source = foreign(tmp_path / f"{number}.tfrecords", record)
        error = tfrec("convert", source, tmp_path / "no", "--json").json["error"]
        assert f"{values.dtype} {values.shape}" in error["message"]
        assert error["hint"].startswith("write them as uint8"), error["hint"]


def test_another_image_is_not_taken_for_a_tensor_under_the_standard_key(
    serialized: Any, tmp_path: Path
) -> None:
    tensor = serialized(np.zeros((5, 7, 3), np.float32))
    record = {"image/encoded": [tensor], "thumbnail": [jpeg()], "label": [1]}
    error = tfrec("convert", foreign(tmp_path / "a.tfrecord", record), tmp_path / "no", "--json").json[
        "error"
    ]
    assert "image/encoded holds serialized tensors, float32 (5, 7, 3)" in error["message"]


def test_some_tensors_of_floats_and_damaged_ones_are_rejects(serialized: Any, tmp_path: Path) -> None:
    good, labels = serialized(_pixels(5, 7, 3)), [1]
    records = [{"image": [good], "label": labels} for _ in range(6)]
    records.append({"image": [serialized(np.zeros((5, 7, 3)))], "label": labels})
    records.append({"image": [good[:-9]], "label": labels})
    records.append({"image": [good[:-9].replace(b"\x69", b"\x60", 1)], "label": labels})
    records.append({"image": [good.replace(b"\x12\x02\x08\x05", b"\x12\x02\x08\x06", 1)], "label": labels})
    records.append({"image": [good], "label": [serialized(np.zeros((2, 3)))]})
    records.append({"image": [good], "label": [serialized(np.uint64(2**64 - 1))]})
    records.append({"image/encoded": [good[:-9]], "label": labels})
    records.append({"image": [_IMPOSSIBLE], "label": labels})
    done = convert_json(foreign(tmp_path / "train.tfrecords", *records), tmp_path / "out")
    assert done["reasons"] == {"tensor_in_record": 8}
    reasons = " ".join(problem["reason"] for problem in done["problems"])
    for why in (
        "image holds a serialized tensor, float64 (5, 7, 3): pixels are uint8",
        "it is cut short or damaged",
        "its content is of 105 bytes, not of 126",
        "label holds a serialized tensor, float64 (2, 3): a label is one number",
        "label holds a serialized tensor, one uint64: a label is one number",
        "image/encoded holds a serialized tensor, uint8 (5, 7, 3): it is cut short or damaged",
        "image holds a serialized tensor, float32: it has an impossible shape",
    ):
        assert why in reasons


def test_what_is_beside_a_tensor_of_an_impossible_shape_is_read(tmp_path: Path) -> None:
    records = [{"image": [jpeg(n)], "label": [3], "junk": [_IMPOSSIBLE]} for n in range(2)]
    source = foreign(tmp_path / "train.tfrecord", *records)
    assert convert_json(source, tmp_path / "out")["records"] == 2
    shown = tfrec("inspect", source)
    assert ("labels in label: 1 kind" in shown.out, "junk: serialized tensor, float32 (" in shown.out) == (
        True,
        True,
    ), shown.out


def test_only_tensors_of_so_many_values_are_opened(serialized: Any) -> None:
    for count, is_opened in ((10_000, True), (10_001, False)):
        features = {"a": FeatureValues("bytes", [serialized(np.arange(count))])}
        assert (opened(features)["a"].values == [*range(count)]) == is_opened


def test_where_no_record_can_be_used_no_list_is_to_be_mended(serialized: Any, tmp_path: Path) -> None:
    matrix = serialized(np.zeros((3, 3)))
    source = foreign(tmp_path / "train.tfrecords", {"label": [1]}, {"label": [2]}, {"label": [matrix]})
    done = tfrec("convert", source, tmp_path / "out")
    assert "3 rows: the record holds no image" in done.out
    assert done.out.splitlines()[-1].startswith("tfrec inspect FILE shows what records hold")


def test_records_without_labels_are_in_no_list(tmp_path: Path) -> None:
    """But where a list names them, it can be mended."""
    records = [{"image": [jpeg(n)], "label": [-1]} for n in range(3)]
    source = foreign(tmp_path / "train.tfrecords", *records)
    done = tfrec("convert", source, tmp_path / "out")
    assert "3 rows: the row has no label (--unlabelled keep|skip" in done.out
    assert done.out.splitlines()[-1].startswith("tfrec inspect FILE shows what records hold")
    failed = tfrec("convert", source, tmp_path / "out", "--json").json
    assert failed["error"]["hint"].startswith("tfrec inspect FILE shows what records hold")
    rows = [f"train,{problem['image_uri']},\n" for problem in failed["problems"]]
    (tmp_path / "list.csv").write_text("".join(["split,image_uri,label\n", *rows]))
    assert "mend them in the list" in tfrec("convert", tmp_path / "list.csv", tmp_path / "out").out


def test_a_damaged_tensor_is_told_and_never_a_crash(serialized: Any) -> None:
    chance = Random(1)
    values = [
        serialized(_pixels(4, 4, 3)), serialized(np.eye(4)[1]), serialized(["a", "bc"]),
        serialized(np.int64(3)),
        b"\x08\x04\x12\x0b\x12\x09\x08" + b"\xff" * 7 + b"\x7f",  # a side of 2**56 - 1
        b"\x08\x04\x12\x0d\x12\x0b\x08" + b"\xff" * 9 + b"\x01\x22\x00",  # and of -1
        b"\x08\x04\x12\x02\x18\x01",  # of an unknown rank
        b"\x08\x03\x12\x06\x12\x04\x08\xff\xff\x01\x3a\x01\x03",  # a value for all of 32,767
        b"\x08\x04\x12" + bytes([0xA0, 0x8D, 0x06]) + b"\x12\x00" * 50_000 + b"\x22\x00",
    ]  # fmt: skip
    for _ in range(3_000):
        value = bytearray(chance.choice(values)[: chance.choice((30, 1_000_000))])
        for _ in range(chance.randrange(4)):
            value[chance.randrange(len(value))] = chance.randrange(256)
        cut = bytes(value[: chance.choice((len(value), chance.randrange(len(value) + 1)))])
        str(tensor_in(cut))
        features = {"image": FeatureValues("bytes", [cut]), "height": FeatureValues("int64", [4])}
        raw = find_raw(opened(features))
        assert raw is None or len(raw.data) == raw.height * raw.width * raw.channels


def test_inspect_names_a_tensor_and_reads_it(serialized: Any, tmp_path: Path, tf: Any) -> None:
    pixels = _pixels(5, 7, 3)
    record = {"image": [serialized(pixels)], "label": [serialized(np.int64(3))]}
    source = foreign(tmp_path / "train.tfrecords", record)
    shown = tfrec("inspect", source).out
    assert "image: serialized tensor, uint8 (5, 7, 3) (" in shown
    assert "images in image: serialized tensors 1" in shown
    assert "labels in label: 1 kind" in shown
    done = tfrec("inspect", source, "--parse-fn")
    space: dict[str, Any] = {"__name__": "read"}
    exec(done.out, space)
    (example,) = space["load"]([str(source)])
    assert np.array_equal(example["image"].numpy(), pixels)
    tfrec("inspect", source, "--export", tmp_path / "files")
    (png,) = (tmp_path / "files").rglob("*.png")
    with Image.open(png) as image:
        assert np.array_equal(np.asarray(image), pixels)
