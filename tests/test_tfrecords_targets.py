"""Numbers to predict in TFRecords of others."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest
from converting import convert_json, jpeg, tfrec, write_csv
from recording import by_image, foreign, records_of
from verifying import verify

_COUNT = 6
_OF_NUMBERS: dict[str, Callable[[int], float]] = {
    "some whole": lambda n: n * 1.5,
    "none whole": lambda n: n + 0.25,
    "below 0": lambda n: n * 0.5 - 1.5,
}


def _written(path: Path, key: str, number: Callable[[int], object], **others: object) -> Path:
    return foreign(path, *({"image": [jpeg(n)], key: [number(n)], **others} for n in range(_COUNT)))


def _targets(folder: Path) -> list[object]:
    found = by_image(records_of(folder))
    return [found[jpeg(n)]["image/target"] for n in range(_COUNT)]


@pytest.mark.parametrize("key", ["label", "target", "image/class/label", "image/target", "image/label"])
@pytest.mark.parametrize("numbers", _OF_NUMBERS)
def test_floats_with_a_point_are_no_labels_but_numbers_to_predict(
    numbers: str, key: str, tmp_path: Path
) -> None:
    source = _written(tmp_path / "train.tfrecord", key, _OF_NUMBERS[numbers])
    refused = tfrec("convert", source, tmp_path / "refused")
    assert (refused.code, "--task regression takes" in refused.err) == (2, True), refused.err
    done = convert_json(source, tmp_path / "out", "--task", "regression")
    assert (done["records"], done["rejected"]) == (_COUNT, 0)
    assert _targets(tmp_path / "out") == [[_OF_NUMBERS[numbers](n)] for n in range(_COUNT)]
    assert verify(tmp_path / "out", strict=True).problems == ()


def test_numbers_under_a_key_of_another_name_are_predicted_by_the_options_that_are_proposed(
    tmp_path: Path,
) -> None:
    source = _written(tmp_path / "train.tfrecord", "price", lambda n: n / 2, weather=[b"dry"])
    options = "--columns label=price --task regression"
    for more in ((), ("--task", "regression")):
        refused = tfrec("convert", source, tmp_path / "refused", *more)
        assert (refused.code, f"{options} takes price" in refused.err) == (2, True), refused.err
    convert_json(source, tmp_path / "out", *options.split())
    assert _targets(tmp_path / "out") == [[n / 2] for n in range(_COUNT)]
    assert "price" not in records_of(tmp_path / "out")[0]


def test_whole_numbers_and_texts_are_predicted_where_they_are_named(tmp_path: Path) -> None:
    source = _written(tmp_path / "train.tfrecord", "age", lambda n: n, told=[b"1.5"], label=[1])
    convert_json(source, tmp_path / "age", "--columns", "label=age", "--task", "regression")
    assert _targets(tmp_path / "age") == [[float(n)] for n in range(_COUNT)]
    convert_json(source, tmp_path / "told", "--columns", "label=told", "--task", "regression")
    assert _targets(tmp_path / "told") == [[1.5]] * _COUNT
    refused = tfrec("convert", source, tmp_path / "refused", "--task", "regression")
    assert (refused.code, "label=age" in refused.err) == (2, True)  # `label` holds classes


def test_whole_floats_are_ids_and_said_to_be_as_in_other_lists(tmp_path: Path) -> None:
    source = _written(tmp_path / "train.tfrecord", "label", lambda n: float(n % 3))
    done = convert_json(source, tmp_path / "out")
    assert any("whole floats" in remark for remark in done["remarks"])
    found = by_image(records_of(tmp_path / "out"))
    assert [found[jpeg(n)]["image/class/label"] for n in range(_COUNT)] == [[n % 3] for n in range(_COUNT)]
    (tmp_path / "labels.txt").write_text("cat\ndog\neel\n")
    convert_json(source, tmp_path / "named")
    names = {text for each in records_of(tmp_path / "named") for text in each["image/class/text"]}
    assert names == {b"cat", b"dog", b"eel"}


def test_a_measurement_called_a_label_leaves_the_one_that_is(tmp_path: Path) -> None:
    source = _written(tmp_path / "train.tfrecord", "label", lambda n: n / 2, category=[b"cat"])
    convert_json(source, tmp_path / "out")
    assert {each["image/class/text"][0] for each in records_of(tmp_path / "out")} == {b"cat"}
    assert all("label" in each for each in records_of(tmp_path / "out"))


def test_records_and_lists_of_numbers_become_one_dataset(tmp_path: Path) -> None:
    source = _written(tmp_path / "train.tfrecord", "label", lambda n: n * 1.5)
    (tmp_path / "9.jpg").write_bytes(jpeg(9))
    listed = write_csv(tmp_path / "a.csv", [("train", "9.jpg", "0.5")], ("split", "image_uri", "label"))
    done = convert_json(f"train={listed}", f"train={source}", tmp_path / "out", "--task", "regression")
    assert (done["records"], done["rejected"]) == (_COUNT + 1, 0)
    assert sorted(each["image/target"][0] for each in records_of(tmp_path / "out")) == sorted(
        [0.5, *(n * 1.5 for n in range(_COUNT))]
    )
    ids = _written(tmp_path / "ids/train.tfrecord", "label", lambda n: float(n % 2))
    listed = write_csv(tmp_path / "b.csv", [("train", "9.jpg", "1")], ("split", "image_uri", "label"))
    done = convert_json(f"train={listed}", f"train={ids}", tmp_path / "classes")
    assert (done["records"], done["rejected"]) == (_COUNT + 1, 0)
    assert {each["image/class/label"][0] for each in records_of(tmp_path / "classes")} == {0, 1}


def test_records_without_one_number_are_rejects(tmp_path: Path) -> None:
    values = ([0.5], [], [1.5, 2.5], [2.0], [3.5], [math.nan])
    records = [{"image": [jpeg(n)], **({"age": each} if each else {})} for n, each in enumerate(values)]
    source = foreign(tmp_path / "train.tfrecord", *records)
    options = ("--columns", "label=age", "--task", "regression", "--max-rejects", "50%")
    done = convert_json(source, tmp_path / "out", *options)
    assert (done["records"], done["rejected"]) == (3, 3)
    kept = convert_json(source, tmp_path / "kept", *options, "--unlabelled", "keep")
    assert (kept["records"], kept["rejected"]) == (5, 1)
    assert {each["code"] for each in done["problems"]} == {"bad_value"}
