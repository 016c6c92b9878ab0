"""TFRecords of others whose keys of labels and boxes are their own."""

from __future__ import annotations

import io
import shlex
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from boxing import boxes_of
from converting import convert_json, jpeg, tfrec
from PIL import Image
from recording import by_image, foreign, records_of
from verifying import framed

from tfrecordcli.formats.example import Empty, encode_example

_SIZE = (64, 48)
# Boxes of four images, as xmin, ymin, xmax, ymax in pixels, and their labels.
_SHOWN = [
    [((2, 4, 60, 20), 1), ((30, 10, 50, 44), 2)],
    [((10, 8, 22, 46), 2)],
    [],
    [((5, 30, 63, 47), 1), ((40, 2, 58, 30), 3), ((20, 20, 33, 29), 1)],
]
_FORMS: dict[str, Callable[..., tuple[float, ...]]] = {
    "xyxy": lambda a, b, c, d: (a, b, c, d),
    "yxyx": lambda a, b, c, d: (b, a, d, c),
    "xywh": lambda a, b, c, d: (a, b, c - a, d - b),
    "center_xywh": lambda a, b, c, d: ((a + c) / 2, (b + d) / 2, c - a, d - b),
}
_ACROSS = {"yxyx": (1, 0, 1, 0)}


def _photo(number: int) -> bytes:
    return jpeg(number, *_SIZE)


def _numbers(form: str, unit: str, box: tuple[int, ...]) -> list[float]:
    sides = [_SIZE[at] for at in _ACROSS.get(form, (0, 1, 0, 1))]
    scale = sides if unit == "fractions" else [1] * 4
    return [float(number) / side for number, side in zip(_FORMS[form](*box), scale, strict=True)]


def _record(number: int, key: str, label: str, form: str, unit: str) -> dict[str, Any]:
    flat = [value for box, _ in _SHOWN[number] for value in _numbers(form, unit, box)]
    return {"image": [_photo(number)], key: flat or Empty["float"], label: _ids(number)}


def _ids(number: int) -> Any:
    return [id_ for _, id_ in _SHOWN[number]] or Empty["int64"]


def _are_those_drawn(folder: Path) -> bool:
    found = by_image(records_of(folder))
    wanted = [sorted((str(id_), tuple(map(float, box))) for box, id_ in boxes) for boxes in _SHOWN]
    return [
        [(label, tuple(map(round, corners))) for label, corners in boxes_of(found[_photo(number)])]
        for number in range(len(_SHOWN))
    ] == wanted


@pytest.mark.parametrize("unit", ["pixels", "fractions"])
@pytest.mark.parametrize(
    ("key", "label"),
    [
        ("boxes", "labels"),
        ("objects/locations", "objects/label"),
        ("image/object/bbox", "image/object/class/label"),
    ],
)
@pytest.mark.parametrize("form", _FORMS)
def test_four_numbers_a_label_are_boxes_by_the_form_that_is_proposed(
    form: str, key: str, label: str, unit: str, tmp_path: Path
) -> None:
    source = foreign(tmp_path / "train.tfrecord", *(_record(n, key, label, form, unit) for n in range(4)))
    done = tfrec("convert", source, tmp_path / "refused", "--json")
    assert f"--box-format {form} takes them for" in done.json["error"]["hint"]
    convert_json(source, tmp_path / "out", "--box-format", form)
    assert _are_those_drawn(tmp_path / "out")


@pytest.mark.parametrize("form", _FORMS)
def test_five_numbers_a_box_have_the_label_last(form: str, tmp_path: Path) -> None:
    records = []
    for number, boxes in enumerate(_SHOWN):
        flat = [value for box, id_ in boxes for value in (*_numbers(form, "pixels", box), float(id_))]
        records.append({"image": [_photo(number)], "gt_boxes": flat or Empty["float"], "label": [number % 2]})
    source = foreign(tmp_path / "train.tfrecord", *records)
    done = tfrec("convert", source, tmp_path / "refused", "--json")
    assert f"--box-format {form} takes them for" in done.json["error"]["hint"]
    convert_json(source, tmp_path / "out", "--box-format", form)
    assert _are_those_drawn(tmp_path / "out")


@pytest.mark.parametrize("padding", [0, -1])
@pytest.mark.parametrize("unit", ["pixels", "fractions"])
def test_boxes_that_fill_up_records_are_left_out_and_counted(unit: str, padding: int, tmp_path: Path) -> None:
    records = []
    for number, boxes in enumerate(_SHOWN):
        flat = [value for box, _ in boxes for value in _numbers("yxyx", unit, box)]
        missing = 6 - len(boxes)
        labels = [*(id_ for _, id_ in boxes), *[padding] * missing]
        filled = [*flat, *[float(padding)] * (4 * missing)]
        records.append({"image": [_photo(number)], "boxes": filled, "labels": labels})
    source = foreign(tmp_path / "train.tfrecord", *records)
    assert "--box-format yxyx" in tfrec("convert", source, tmp_path / "refused").err
    done = convert_json(source, tmp_path / "out", "--box-format", "yxyx")
    assert any(remark.startswith("18 rows of zeros") for remark in done["remarks"]), done["remarks"]
    assert (done["num_labels"], _are_those_drawn(tmp_path / "out")) == (3, True)


def test_numbers_that_are_no_boxes_by_their_key_stay_features(tmp_path: Path) -> None:
    records = [
        {"image": [jpeg(n)], "label": [n % 2], "tokens": [1 + at for at in range(5 * (n + 1))]}
        for n in range(4)
    ]
    convert_json(foreign(tmp_path / "train.tfrecord", *records), tmp_path / "out")
    assert by_image(records_of(tmp_path / "out"))[jpeg(0)]["tokens"] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("beside", [True, False])
def test_boxes_of_one_an_image_are_those_of_tensorflow_datasets_where_it_wrote_them(
    beside: bool, tmp_path: Path
) -> None:
    records = [
        {"image": [_photo(n)], "bbox": _numbers("yxyx", "fractions", (2 + n, 4, 60, 20)), "label": [n]}
        for n in range(4)
    ]
    source = foreign(tmp_path / "in/birds-train.tfrecord-00000-of-00001", *records)
    if beside:
        (source.parent / "dataset_info.json").write_text('{"name": "birds", "splits": []}')
    done = tfrec("convert", source.parent, tmp_path / "out")
    assert (done.code, "--box-format yxyx" in done.err) == ((0, False) if beside else (2, True)), done.err


def test_labels_of_boxes_under_a_key_of_another_name_are_taken_by_the_option_that_is_proposed(
    tmp_path: Path,
) -> None:
    """TensorFlow Datasets' KITTI has the classes of objects in `type`."""
    records = [
        _record(n, "objects/bbox", "objects/type", "yxyx", "fractions") | {"objects/truncated": _some(n)}
        for n in range(4)
    ]
    source = foreign(tmp_path / "train.tfrecord", *records)
    done = tfrec("convert", source, tmp_path / "refused", "--json")
    assert done.json["error"]["hint"].startswith("--columns label=objects/type takes objects/type for"), done
    convert_json(source, tmp_path / "out", "--columns", "label=objects/type", "--box-format", "yxyx")
    assert _are_those_drawn(tmp_path / "out")


def _some(number: int) -> Any:
    return [0.5 + at for at, _ in enumerate(_SHOWN[number])] or Empty["float"]


@pytest.mark.parametrize(
    ("names", "form"),
    [
        ("xmin ymin xmax ymax", "xyxy"),
        ("bbox/x1 bbox/y1 bbox/x2 bbox/y2", "xyxy"),
        ("image/object/bbox/x image/object/bbox/y image/object/bbox/w image/object/bbox/h", "xywh"),
        ("objects/cx objects/cy objects/width objects/height", "center_xywh"),
    ],
)
@pytest.mark.parametrize("unit", ["pixels", "fractions"])
def test_sides_are_read_by_their_names(names: str, form: str, unit: str, tmp_path: Path) -> None:
    records = []
    for number, boxes in enumerate(_SHOWN):
        sides = [[_numbers(form, unit, box)[at] for box, _ in boxes] or Empty["float"] for at in range(4)]
        labels = {"image/object/class/label": _ids(number)}
        size = {"height": [_SIZE[1]], "width": [_SIZE[0]]}
        records.append(
            {"image": [_photo(number)], **dict(zip(names.split(), sides, strict=True)), **labels, **size}
        )
    convert_json(foreign(tmp_path / "train.tfrecord", *records), tmp_path / "out")
    assert _are_those_drawn(tmp_path / "out")


def test_pixels_under_keys_of_fractions_are_taken_by_the_option_that_is_proposed(tmp_path: Path) -> None:
    records = [
        {
            "image/encoded": [_photo(number)],
            **{
                f"image/object/bbox/{name}": [float(box[at]) for box, _ in boxes] or Empty["float"]
                for at, name in enumerate(("xmin", "ymin", "xmax", "ymax"))
            },
            "image/object/class/label": _ids(number),
        }
        for number, boxes in enumerate(_SHOWN)
    ]
    source = foreign(tmp_path / "train.tfrecord", *records)
    assert "--box-unit pixels takes them so" in tfrec("convert", source, tmp_path / "refused").err
    convert_json(source, tmp_path / "out", "--box-unit", "pixels")
    assert _are_those_drawn(tmp_path / "out")


def _list_of(key: str, *rows: list[float]) -> bytes:
    """The second field of a tf.train.SequenceExample."""
    features = [_field(2, _field(1, struct.pack(f"<{len(row)}f", *row))) for row in rows]
    entry = _field(1, key.encode()) + _field(2, b"".join(_field(1, each) for each in features))
    return _field(2, _field(1, entry))


def _field(number: int, content: bytes) -> bytes:
    assert len(content) < 128
    return bytes([number << 3 | 2, len(content)]) + content


def test_what_is_in_the_lists_of_sequences_is_not_lost_silently(tmp_path: Path) -> None:
    context = encode_example({"image/encoded": [_photo(1)], "image/class/label": [1]})
    source = tmp_path / "train.tfrecord"
    source.write_bytes(framed(context + _list_of("boxes", [2.0, 4.0, 60.0, 20.0], [3.0, 4.0, 9.0, 20.0])))
    refused = tfrec("convert", source, tmp_path / "out")
    assert (refused.code, "feature lists is not read" in refused.err) == (2, True), refused.err
    done = convert_json(source, tmp_path / "out", "--task", "classification")
    assert any("feature lists is not read" in remark for remark in done["remarks"])
    assert records_of(tmp_path / "out")[0]["image/class/label"] == [1]


def test_raw_pixels_under_the_key_of_an_image_become_a_png(tmp_path: Path) -> None:
    size = {"image/height": [2], "image/width": [3], "image/channels": [3], "image/class/label": [1]}
    source = foreign(tmp_path / "train.tfrecord", {"image/encoded": [bytes(range(18))], **size})
    convert_json(source, tmp_path / "out")
    (record,) = records_of(tmp_path / "out")
    with Image.open(io.BytesIO(record["image/encoded"][0])) as image:
        assert image.tobytes() == bytes(range(18))


@pytest.mark.parametrize("keys", [("class 1", "class 2"), ("label_cat", "label_dog")])
def test_keys_of_0_and_1_that_are_called_labels_are_one_each(keys: tuple[str, str], tmp_path: Path) -> None:
    flags = [{keys[0]: 1, keys[1]: 0}, {keys[0]: 0, keys[1]: 1}]
    source = foreign(tmp_path / "a.tfrecord", *(_flagged(n, each) for n, each in enumerate(flags)))
    done = tfrec("convert", source, tmp_path / "out", "--json")
    option = shlex.split(done.json["error"]["hint"].partition(" takes ")[0])
    assert option == ["--one-hot", ",".join(keys)]


@pytest.mark.parametrize(("key", "text"), [("label", "label_name"), ("class_id", "class_name")])
def test_names_beside_ids_are_called_in_several_ways(key: str, text: str, tmp_path: Path) -> None:
    names = [b"cat", b"dog"]
    records = [{"image": [jpeg(n)], key: [n], text: [names[n]]} for n in range(2)]
    convert_json(foreign(tmp_path / "train.tfrecord", *records), tmp_path / "out")
    found = by_image(records_of(tmp_path / "out"))
    assert [found[jpeg(n)]["image/class/text"] for n in range(2)] == [[b"cat"], [b"dog"]]


def _flagged(number: int, flags: dict[str, int]) -> dict[str, Any]:
    keys = {name: [value] for name, value in flags.items()}
    return {"image": [jpeg(number)], "depth": [1], "PatientID": [b"p%d" % (number // 2)], **keys}


_FLAGS = [
    {"Tube - Normal": 1, "Tube, Borderline": 0, "Line": 1},
    {"Tube - Normal": 0, "Tube, Borderline": 1, "Line": 1},
    {"Tube - Normal": 0, "Tube, Borderline": 0, "Line": 1},
]


def test_keys_of_0_and_1_are_labels_by_the_option_that_is_proposed(tmp_path: Path) -> None:
    source = foreign(tmp_path / "a.tfrecord", *(_flagged(n, flags) for n, flags in enumerate(_FLAGS)))
    hint = tfrec("convert", source, tmp_path / "out", "--json").json["error"]["hint"]
    option = shlex.split(hint.partition(" takes ")[0])
    assert option == ["--one-hot", 'Line,Tube - Normal,"Tube, Borderline"']
    convert_json(source, tmp_path / "out", *option)
    found = by_image(records_of(tmp_path / "out"))
    texts = [[text.decode() for text in found[jpeg(n)]["image/class/text"]] for n in range(3)]
    assert [sorted(each) for each in texts] == [
        sorted(name for name, value in flags.items() if value) for flags in _FLAGS
    ]
    assert "Line" not in found[jpeg(0)]
    kept = convert_json(source, tmp_path / "kept", "--unlabelled", "keep")
    assert any("all are kept without one; --one-hot 'Line" in remark for remark in kept["remarks"])


def test_a_key_of_another_name_is_the_label_by_the_option_that_is_proposed(tmp_path: Path) -> None:
    records = [{"image": [jpeg(n)], "digit": [n % 3], "height": [8]} for n in range(12)]
    source = foreign(tmp_path / "train.tfrecord", *records)
    done = tfrec("convert", source, tmp_path / "out")
    assert (done.code, "--columns label=digit takes digit for the label" in done.err) == (2, True), done.err
    convert_json(source, tmp_path / "out", "--columns", "label=digit")
    found = by_image(records_of(tmp_path / "out"))
    assert [found[jpeg(n)]["image/class/label"] for n in range(12)] == [[n % 3] for n in range(12)]


def test_several_labels_under_a_key_of_another_name(tmp_path: Path) -> None:
    tags = [[b"red", b"small"], [b"red"], [b"small"], [b"red"]]
    source = foreign(
        tmp_path / "train.tfrecord", *({"image": [jpeg(n)], "tags": each} for n, each in enumerate(tags))
    )
    assert "--columns label=tags takes tags for the label" in tfrec("convert", source, tmp_path / "out").err
    convert_json(source, tmp_path / "out", "--columns", "label=tags")
    found = by_image(records_of(tmp_path / "out"))
    assert [sorted(found[jpeg(n)]["image/class/text"]) for n in range(4)] == tags


def test_texts_of_ids_have_no_blanks_around_them(tmp_path: Path) -> None:
    texts = [b" y", b"z", b"x "]
    records = [
        {"image/encoded": [jpeg(n)], "image/class/label": [n], "image/class/text": [text]}
        for n, text in enumerate(texts)
    ]
    source = foreign(tmp_path / "train.tfrecord", *records)
    convert_json(source, tmp_path / "out")
    found = sorted(record["image/class/text"][0] for record in records_of(tmp_path / "out"))
    assert found == [b"x", b"y", b"z"]
    assert tfrec("verify", tmp_path / "out", "--no-feed").code == 0


def test_of_two_keys_of_0_and_1_the_one_called_like_a_label_comes_first(tmp_path: Path) -> None:
    records = [{"image": [jpeg(n)], "diagnosis": [n % 2], "sex": [n // 2 % 2]} for n in range(8)]
    source = foreign(tmp_path / "train.tfrecord", *records)
    hint = tfrec("convert", source, tmp_path / "no", "--json").json["error"]["hint"]
    assert hint.startswith(
        "--columns label=diagnosis takes diagnosis for the label, --one-hot diagnosis,sex "
    )


@pytest.mark.parametrize("option", [("--columns", "label=digits"), ("--one-hot", "cat,dog")])
def test_keys_that_no_record_has_are_refused(option: tuple[str, str], tmp_path: Path) -> None:
    source = foreign(tmp_path / "train.tfrecord", {"image": [jpeg(1)], "digit": [1]})
    done = tfrec("convert", source, tmp_path / "out", *option)
    assert (done.code, "features of the records: digit, image" in done.err) == (2, True), done.err


def test_what_several_images_come_from_is_pointed_out(tmp_path: Path) -> None:
    records = [{"image": [jpeg(n)], "label": [n % 2], "PatientID": [b"p%d" % (n // 2)]} for n in range(40)]
    done = convert_json(foreign(tmp_path / "a.tfrecord", *records), tmp_path / "out")
    assert "images of one PatientID may be in several splits, which --split-by PatientID prevents" in [
        remark for remark in done["remarks"] if "may be in" in remark
    ]
    done = convert_json(tmp_path / "a.tfrecord", tmp_path / "by", "--split-by", "PatientID")
    assert not any("may be in several splits" in remark for remark in done["remarks"])


def test_two_ids_of_one_name_are_two_classes_unless_they_are_said_to_be_one(tmp_path: Path, tf: Any) -> None:
    """As in ImageNet, where the bird and the machine are both called crane."""
    named = [(135, b"crane"), (518, b"crane"), (7, b"cock"), (135, b"crane")]
    foreign(
        tmp_path / "in/train-00000-of-00001",
        *(
            {"image/encoded": [_photo(n)], "image/class/label": [id_], "image/class/text": [text]}
            for n, (id_, text) in enumerate(named)
        ),
    )
    error = convert_json("in", "out", cwd=tmp_path)["error"]
    assert "label 'crane' has the ids 135 and 518" in error["message"]
    assert error["hint"].startswith("--label-type id keeps the ids")
    for kind, wanted in (("id", [135, 518, 7, 135]), ("name", [1, 1, 0, 1])):
        assert convert_json("in", kind, "--label-type", kind, cwd=tmp_path)["records"] == len(named)
        found = by_image(records_of(tmp_path / kind))
        assert [found[_photo(n)]["image/class/label"] for n in range(len(named))] == [
            [each] for each in wanted
        ]
