"""Boxes without labels in TFRecords of others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from boxing import boxes_of
from converting import convert_json, jpeg, tfrec
from recording import by_image, foreign, records_of

from tfrecordcli.formats.example import Empty

_SIZE = (64, 48)
# Boxes of three images, as ymin, xmin, ymax, xmax in fractions.
_BOXES = [
    [(0.25, 0.25, 0.5, 0.75), (0.125, 0.5, 0.75, 0.625)],
    [],
    [(0.0, 0.25, 0.5, 1.0)],
]
_PARENTS = ("faces/bbox", "boxes", "image/object/bbox")
_ENDINGS = ("xmin ymin xmax ymax", "xmins ymins xmaxs ymaxs", "xmins ymins xmaxes ymaxes", "x1s y1s x2s y2s")


def _photo(number: int) -> bytes:
    return jpeg(number, *_SIZE)


def _some(number: int, values: tuple[int, ...]) -> Any:
    return [values[at % len(values)] for at, _ in enumerate(_BOXES[number])] or Empty["int64"]


def _flat(key: str, number: int) -> dict[str, Any]:
    return {"image": [_photo(number)], key: [v for box in _BOXES[number] for v in box] or Empty["float"]}


def _wider(number: int) -> dict[str, Any]:
    """As TensorFlow Datasets' wider_face has them."""
    kinds = {"blur": (0, 1), "invalid": (0, 1), "occlusion": (1, 0, 2), "pose": (1, 0)}
    return _flat("faces/bbox", number) | {f"faces/{key}": _some(number, each) for key, each in kinds.items()}


def _sides(parent: str, ending: str, number: int) -> dict[str, Any]:
    keys = [f"{parent}/{name}" for name in ending.split()]
    sides = {key: [box[at] for box in _BOXES[number]] for key, at in zip(keys, (1, 0, 3, 2), strict=True)}
    return {"image": [_photo(number)], **{key: each or Empty["float"] for key, each in sides.items()}}


def _are_objects(folder: Path) -> bool:
    found = by_image(records_of(folder))
    width, height = _SIZE
    return all(
        boxes_of(found[_photo(number)])
        == sorted(("object", (b * width, a * height, d * width, c * height)) for a, b, c, d in boxes)
        for number, boxes in enumerate(_BOXES)
    )


def test_boxes_of_tensorflow_datasets_without_classes_are_of_one(tmp_path: Path) -> None:
    foreign(tmp_path / "in/wider_face-train.tfrecord-00000-of-00001", *map(_wider, range(3)))
    (tmp_path / "in/dataset_info.json").write_text('{"name": "wider_face", "splits": []}')
    done = convert_json(tmp_path / "in", tmp_path / "out")
    assert any("no key of labels: all boxes are of one class" in remark for remark in done["remarks"])
    assert _are_objects(tmp_path / "out")


@pytest.mark.parametrize("parent", _PARENTS)
@pytest.mark.parametrize("ending", _ENDINGS)
def test_sides_of_boxes_without_labels(ending: str, parent: str, tmp_path: Path) -> None:
    source = foreign(tmp_path / "train.tfrecord", *(_sides(parent, ending, number) for number in range(3)))
    done = convert_json(source, tmp_path / "out")
    assert any("no key of labels" in remark for remark in done["remarks"])
    assert _are_objects(tmp_path / "out")


@pytest.mark.parametrize("key", ["faces/bbox", "boxes"])
def test_four_numbers_a_box_without_labels_are_refused_with_their_form(key: str, tmp_path: Path) -> None:
    source = foreign(tmp_path / "train.tfrecord", *(_flat(key, number) for number in range(3)))
    refused = tfrec("convert", source, tmp_path / "refused")
    assert (refused.code, f"{key} holds four numbers" in refused.err) == (2, True)
    assert "--box-format yxyx takes them" in refused.err
    convert_json(source, tmp_path / "out", "--box-format", "yxyx")
    assert _are_objects(tmp_path / "out")


def test_what_may_be_the_labels_of_boxes_is_proposed_beside_the_option_for_one_class(tmp_path: Path) -> None:
    source = foreign(
        tmp_path / "train.tfrecord",
        *(_sides("boxes", _ENDINGS[0], n) | {"boxes/kind": _some(n, (1, 2))} for n in range(3)),
    )
    refused = tfrec("convert", source, tmp_path / "refused")
    assert (refused.code, "--columns label=boxes/kind takes boxes/kind" in refused.err) == (2, True)
    assert "--unlabelled keep takes all boxes for one class" in refused.err
    convert_json(source, tmp_path / "out", "--unlabelled", "keep")
    assert _are_objects(tmp_path / "out")


def test_sides_beside_the_label_of_an_image_are_no_boxes_of_one_class(tmp_path: Path) -> None:
    """Where several boxes stand beside one label, it is not certain that they belong to it."""
    records = [_sides("faces", _ENDINGS[0], n) | {"label": [n]} for n in range(3)]
    convert_json(foreign(tmp_path / "train.tfrecord", *records), tmp_path / "out")
    assert [by_image(records_of(tmp_path / "out"))[_photo(n)]["image/class/label"] for n in range(3)] == [
        [0], [1], [2],
    ]  # fmt: skip
    records = [_sides("image/object/bbox", _ENDINGS[0], n) | {"label": [n]} for n in range(3)]
    refused = tfrec("convert", foreign(tmp_path / "b/train.tfrecord", *records), tmp_path / "refused")
    assert (refused.code, "--task classification takes label" in refused.err) == (2, True), refused.err


def test_numbers_of_other_names_are_no_boxes(tmp_path: Path) -> None:
    records = [_flat("tokens", n) for n in range(3)]
    source = foreign(tmp_path / "train.tfrecord", *records)
    done = convert_json(source, tmp_path / "out", "--unlabelled", "keep")
    are_stored = ["tokens" in record for record in records_of(tmp_path / "out")]
    assert (done["records"], sum(are_stored)) == (3, 2)
