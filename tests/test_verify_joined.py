"""Datasets that are read as one: a dataset that grows without being converted again."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from converting import image_list, tfrec, write_csv

import tfrecordcli
from tfrecordcli.errors import InputError, UsageError

HEADER = ("split", "image_uri", "label")


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("photos")
    image_list(folder, 8)
    return folder


def _converted(photos: Path, out: Path, rows: list[tuple[str, str, str]], *options: Any) -> Path:
    out.parent.mkdir(exist_ok=True, parents=True)
    source = write_csv(out.with_suffix(".csv"), rows, HEADER)
    done = tfrec("convert", source, out, "--image-root", photos, *options)
    assert done.code == 0, done.err
    return out


@pytest.fixture(scope="module")
def grown(photos: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A dataset, and more of it with a further label."""
    folder = tmp_path_factory.mktemp("grown")
    first = [("train", "000.jpg", "cat"), ("train", "001.jpg", "dog"), ("test", "002.jpg", "cat")]
    more = [("train", "003.jpg", "ant"), ("validation", "004.jpg", "dog")]
    one = _converted(photos, folder / "one", first)
    return one, _converted(
        photos, folder / "two", more, "--labels", one / "labels.txt", "--new-labels", "append"
    )


def test_a_dataset_that_grew_is_loaded_as_one(grown: tuple[Path, Path], tf: Any) -> None:
    splits = tfrecordcli.load(list(grown), batch_size=8, shuffle=False)
    assert list(splits) == ["train", "validation", "test"]
    assert (list(splits.class_names), splits.num_classes) == (["cat", "dog", "ant"], 3)
    assert splits.manifest["records"] == 5
    ((_, labels),) = splits["train"]
    assert sorted(labels.numpy()) == [0, 1, 2]
    ((_, labels),) = splits["val"]
    assert list(labels.numpy()) == [1]


def test_the_order_of_datasets_does_not_change_what_labels_mean(grown: tuple[Path, Path]) -> None:
    splits = tfrecordcli.load(grown[::-1], batch_size=8)
    assert list(splits.class_names) == ["cat", "dog", "ant"]


def test_it_is_verified_as_one(grown: tuple[Path, Path]) -> None:
    done = tfrec("verify", *grown, "--no-feed")
    assert done.code == 0
    assert "2 datasets are right as one: 5 records" in done.out
    report = tfrec("verify", *grown, "--no-feed", "--json").json
    assert [each["records"] for each in report["reports"]] == [3, 2]
    assert (report["ok"], report["problems"]) == (True, [])


def test_an_image_of_one_dataset_in_another_is_told(
    grown: tuple[Path, Path], photos: Path, tmp_path: Path
) -> None:
    rows = [("test", "001.jpg", "dog")]
    again = _converted(photos, tmp_path / "again", rows, "--labels", grown[0] / "labels.txt")
    report = tfrecordcli.verify([grown[0], again], feed=False)
    (found,) = report.problems
    assert found.code == "leakage"
    assert str(again) in found.path
    assert str(grown[0]) in found.message
    assert report.exit_code == 0
    assert tfrecordcli.verify([grown[0], again], feed=False, strict=True).exit_code == 1
    assert "are right as one" in report._repr_html_()


@pytest.mark.parametrize(
    ("rows", "options", "told"),
    [
        ([("train", "005.jpg", "ant"), ("train", "006.jpg", "cat")], (), "the id 0 is 'cat' in"),
        ([("train", "005.jpg", "dog")], (), "the label 'dog' has the id 1 in"),
        ([("train", "005.jpg", "7")], ("--label-type", "id"), "labels are names in"),
        ([("train", "005.jpg", "3.5")], ("--task", "regression"), "a dataset for classification"),
    ],
)
def test_what_does_not_agree_is_no_dataset(
    rows: list[tuple[str, str, str]],
    options: tuple[str, ...],
    told: str,
    grown: tuple[Path, Path],
    photos: Path,
    tmp_path: Path,
) -> None:
    other = _converted(photos, tmp_path / "other", rows, *options)
    with pytest.raises(InputError, match=told):
        tfrecordcli.load([grown[0], other])
    report = tfrec("verify", grown[0], other, "--no-feed", "--json")
    assert report.code == 1
    (found,) = report.json["problems"]
    code = "features_disagree" if "--task" in options else "datasets_disagree"
    assert (found["code"], told in found["message"]) == (code, True)


def test_further_columns_that_one_lacks_are_told(
    grown: tuple[Path, Path], photos: Path, tmp_path: Path
) -> None:
    source = write_csv(tmp_path / "list.csv", [("train", "005.jpg", "cat", "3")], (*HEADER, "age"))
    out = tmp_path / "out"
    assert tfrec("convert", source, out, "--image-root", photos, "--features", "age").code == 0
    with pytest.raises(InputError, match="can have age, those of") as error:
        tfrecordcli.load([out, grown[0]])
    assert "features=" in error.value.hint
    done = tfrec("verify", out, grown[0], "--no-feed")
    assert (done.code, "--features" in done.out, "--new-labels" in done.out) == (1, True, False)


def test_a_column_with_gaps_in_one_of_them_has_gaps(photos: Path, tmp_path: Path) -> None:
    paths = []
    for number, rows in enumerate(
        ([("005.jpg", "cat", "0.5")], [("006.jpg", "cat", "1.5"), ("007.jpg", "cat", "")])
    ):
        source = write_csv(tmp_path / f"{number}.csv", [("train", *row) for row in rows], (*HEADER, "size"))
        paths.append(tmp_path / f"out{number}")
        assert (
            tfrec("convert", source, paths[-1], "--image-root", photos, "--features", "size:float").code == 0
        )
    splits = tfrecordcli.load(paths, features=("size",), batch_size=3, shuffle=False)
    ((columns, _),) = splits["train"]
    assert sum(columns["size"].numpy() > 0) == 2


def test_gzip_and_plain_shards_are_not_one_split(
    grown: tuple[Path, Path], photos: Path, tmp_path: Path
) -> None:
    rows = [("train", "005.jpg", "cat"), ("train", "006.jpg", "dog")]
    packed = _converted(photos, tmp_path / "packed", rows, "--compression", "gzip")
    with pytest.raises(InputError, match="train is compressed by gzip in one dataset"):
        tfrecordcli.load([grown[0], packed])


def test_a_damaged_part_is_not_right(grown: tuple[Path, Path], tmp_path: Path) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(grown[1], damaged)
    shard = next(damaged.glob("train-*"))
    shard.write_bytes(shard.read_bytes()[:-1])
    done = tfrec("verify", grown[0], damaged, "--no-feed")
    assert done.code == 1
    assert "2 datasets are not right" in done.out
    with pytest.raises(InputError, match="bytes instead of"):
        tfrecordcli.load([grown[0], damaged])


def test_nothing_is_no_dataset() -> None:
    with pytest.raises(UsageError, match="there is no dataset"):
        tfrecordcli.load([])


def test_an_image_of_one_file_in_another_is_told_by_its_path(
    grown: tuple[Path, Path], tmp_path: Path
) -> None:
    shard = next(grown[0].glob("train-*.tfrecord"))
    other = tmp_path / "train.tfrecord"
    shutil.copy(shard, other)
    report = tfrecordcli.verify([shard, other], feed=False)
    assert {each.path for each in report.problems} == {str(other)}
    assert all(str(shard) in each.message for each in report.problems)
