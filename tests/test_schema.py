"""The schema: a feature is a line in one place, and all that has to do with records knows it from there."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from converting import fingerprint, image_list, manifest, read_csv, read_records, write_csv

import tfrecordcli
from tfrecordcli import schema
from tfrecordcli.converting.conversion import plan
from tfrecordcli.dataset.checksummed_json import load
from tfrecordcli.dataset.manifest_file import manifest_checksum
from tfrecordcli.dataset.plan import Plan
from tfrecordcli.errors import InputError
from tfrecordcli.formats.typed_json import of_type
from tfrecordcli.inspecting.parse_function import parse_function
from tfrecordcli.schema import CLASSIFICATION, Feature, Schema

AGE = Feature("image/age", "int64", doc="years", column="age")
AGES = [str(40 + n) for n in range(10)]


def with_feature(*features: Feature) -> Schema:
    return replace(CLASSIFICATION, features=(*features, *CLASSIFICATION.features))


@pytest.fixture
def age(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one line more."""
    monkeypatch.setattr(schema, "CLASSIFICATION", with_feature(AGE))


def a_list(
    folder: Path, ages: list[str], header: tuple[str, ...] = ("split", "image_uri", "label", "age")
) -> Path:
    image_list(folder, len(ages))
    rows = [("TRAIN", f"{n:03d}.jpg", "ab"[n % 2], each) for n, each in enumerate(ages)]
    return write_csv(folder / "list.csv", rows, header)


@pytest.fixture
def dataset(age: None, tmp_path: Path) -> Path:
    output = tmp_path / "out"
    done = tfrecordcli.convert(a_list(tmp_path / "in", AGES), output, num_shards=2)
    assert (done.exit_code, done.records, done.remarks) == (0, 10, ())
    return output


def ages_in(tf: Any, folder: Path) -> dict[str, list[int]]:
    found = {}
    for path in sorted(folder.glob("*.tfrecord")):
        for raw in tf.data.TFRecordDataset(str(path)).as_numpy_iterator():
            features = tf.train.Example.FromString(raw).features.feature
            (name,) = features["image/filename"].bytes_list.value
            found[name.decode()] = list(features["image/age"].int64_list.value)
    return found


def test_convert_writes_a_feature_of_a_further_column(dataset: Path, tf: Any) -> None:
    assert ages_in(tf, dataset) == {f"{n:03d}.jpg": [40 + n] for n in range(10)}
    assert len(read_records(tf, dataset, "train")) == 10
    found = manifest(dataset)
    assert of_type(Schema, found["schema"]) == with_feature(AGE)
    assert found["features"]["image/age"] == {"kind": "int64", "values": "1", "doc": "years"}


def test_the_plan_holds_the_schema_and_steps_go_by_it(
    age: None, dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "steps"
    plan(tmp_path / "in" / "list.csv", output, num_shards=2)
    saved = load(Plan, (output / "_tfrec" / "plan" / "plan.json").read_bytes())
    assert saved.schema == with_feature(AGE)
    monkeypatch.undo()  # as on a machine that knows of no such feature
    from tfrecordcli.converting.steps import finish, write_shards

    write_shards(output)
    finish(output)
    assert fingerprint(output) == fingerprint(dataset)


def signed(folder: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    values = manifest(folder)
    edit(values)
    (folder / "manifest.json").write_text(json.dumps(values | {"checksum": manifest_checksum(values)}))


def schema_lacks_kind(values: dict[str, Any]) -> None:
    del values["schema"]["features"][3]["kind"]


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda values: values["features"].pop("image/age"), "the feature image/age"),
        (lambda values: values["schema"]["features"].pop(0), "the feature image/age"),
        (lambda values: values["schema"]["features"].pop(), "the feature image/width"),
        (lambda values: values["schema"].update(task="cooking"), 'is needed, not "cooking"'),
        (schema_lacks_kind, "schema.features[3].kind: it is missing"),
    ],
)
def test_verify_names_what_is_wrong_with_a_schema(
    dataset: Path, edit: Callable[[dict[str, Any]], object], words: str
) -> None:
    if "image/width" in words:
        signed(dataset, lambda values: values["features"].pop("image/width"))
    signed(dataset, edit)
    (found,) = tfrecordcli.verify(dataset, feed=False).problems
    assert (found.code, words in found.message) == ("manifest_damaged", True), found.message


def test_verify_expects_the_feature_in_each_record(dataset: Path, tmp_path: Path) -> None:
    assert tfrecordcli.verify(dataset, feed=False).exit_code == 0

    def is_float(values: dict[str, Any]) -> None:
        values["schema"]["features"][0]["kind"] = "float"
        values["features"]["image/age"]["kind"] = "float"

    def is_another(values: dict[str, Any]) -> None:
        values["schema"]["features"][0]["key"] = "image/era"
        values["features"]["image/era"] = values["features"].pop("image/age")

    def is_pair(values: dict[str, Any]) -> None:
        values["schema"]["features"][0]["shape"] = [2]
        values["features"]["image/age"]["values"] = "2"

    edits = {"feature_kind": is_float, "feature_missing": is_another, "feature_count": is_pair}
    for code, edit in edits.items():
        shutil.copytree(dataset, tmp_path / code)
        signed(tmp_path / code, edit)
        assert tfrecordcli.verify(tmp_path / code, feed=False).problem_counts == {code: 10}


def test_inspect_and_its_parse_function_know_the_feature(dataset: Path, tf: Any, tmp_path: Path) -> None:
    text = parse_function(tfrecordcli.inspect(dataset))
    assert '"image/age": tf.io.FixedLenFeature([], tf.int64),  # years' in text
    module: dict[str, Any] = {"__name__": "parsing"}
    exec(text, module)
    files = sorted(map(str, dataset.glob("*.tfrecord")))
    assert sorted(int(example["image/age"]) for example in module["load"](files)) == list(range(40, 50))


def test_a_parse_function_of_some_records_fits_the_others(tf: Any, tmp_path: Path) -> None:
    """The first record has one label, a later one two: the schema tells that there may be any number."""
    image_list(tmp_path / "in", 9)
    rows = [("TRAIN", f"{n:03d}.jpg", "a", "b" if n == 8 else "") for n in range(9)]
    source = write_csv(tmp_path / "in" / "list.csv", rows, ("split", "image_uri", "label1", "label2"))
    tfrecordcli.convert(source, tmp_path / "out")
    files = sorted(map(str, (tmp_path / "out").glob("*.tfrecord")))
    module: dict[str, Any] = {"__name__": "parsing"}
    exec(parse_function(tfrecordcli.inspect(tmp_path / "out", max_records=1)), module)
    counts = [len(example["image/class/label"]) for example in module["load"](files)]
    assert sorted(counts) == [1] * 8 + [2]


def test_load_tells_how_to_parse_all_features(dataset: Path, tf: Any) -> None:
    splits = tfrecordcli.load(dataset, image_size=8, batch_size=4, shuffle=False)
    assert sum(len(labels) for _, labels in splits["train"]) == 10
    records = tf.data.TFRecordDataset(sorted(map(str, dataset.glob("*.tfrecord"))))
    parsed = [tf.io.parse_single_example(raw, splits.parse_spec) for raw in records]
    assert {key for example in parsed for key in example} == {*manifest(dataset)["features"]}
    assert sorted(int(example["image/age"]) for example in parsed) == list(range(40, 50))


def test_rows_without_a_right_value_are_rejected_by_name(age: None, tmp_path: Path) -> None:
    bad = ["", "x", "1.5", "1_0", str(2**63), "١", "4\t2"]
    source = a_list(tmp_path / "in", [*AGES, *bad, f" {-(2**63)} "])
    done = tfrecordcli.convert(source, tmp_path / "out", max_rejects="100%")
    assert (done.records, done.reasons) == (11, {"bad_value": 6, "control_character": 1})
    reasons = [row["tfrec_reason"] for row in read_csv(tmp_path / "out" / "rejects.csv")]
    assert reasons[0] == "age is empty; correct it"
    assert reasons[1] == "age is 'x', not a whole number; correct it"
    assert reasons[-1].startswith("the age holds a control character")


def test_rows_of_one_image_must_agree_on_values(age: None, tmp_path: Path) -> None:
    source = a_list(tmp_path / "in", AGES)
    lines = source.read_text().splitlines()
    source.write_text("\n".join([*lines, lines[1], "TRAIN,001.jpg,b,7", ""]))
    done = tfrecordcli.convert(source, tmp_path / "out", max_rejects="100%")
    assert (done.records, done.merged, done.reasons) == (9, 1, {"conflicting_value": 2})
    assert "line 3" in read_csv(tmp_path / "out" / "rejects.csv")[1]["tfrec_reason"]


@pytest.mark.parametrize("header", [("split", "image_uri", "label", "years"), ()])
def test_a_list_without_the_column_is_refused(age: None, tmp_path: Path, header: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match="no column 'age', which image/age comes from"):
        tfrecordcli.convert(a_list(tmp_path / "in", AGES, header), tmp_path / "out")


def test_optional_features_may_be_missing(monkeypatch: pytest.MonkeyPatch, tf: Any, tmp_path: Path) -> None:
    weight = Feature("image/weight", "float", required=False, column="age")
    absent = Feature("image/note", "bytes", required=False, column="note")
    monkeypatch.setattr(schema, "CLASSIFICATION", with_feature(weight, absent))
    output = tmp_path / "out"
    tfrecordcli.convert(a_list(tmp_path / "in", ["1.5", "", "-2e3"]), output)
    assert tfrecordcli.verify(output, feed=False).exit_code == 0
    spec = tfrecordcli.load(output, image_size=8).parse_spec
    records = tf.data.TFRecordDataset([str(p) for p in output.glob("*.tfrecord")])
    found = [tf.io.parse_single_example(raw, spec)["image/weight"].numpy().tolist() for raw in records]
    assert sorted(found) == [[], [-2000.0], [1.5]]
    assert manifest(output)["features"]["image/weight"]["values"] == "0..1"


def test_a_task_file_with_other_values_is_damaged(age: None, tmp_path: Path) -> None:
    """Its checksum is known at its end only, and nothing of it may be a bug meanwhile."""
    output = tmp_path / "out"
    plan(a_list(tmp_path / "in", AGES), output)
    (task,) = (output / "_tfrec" / "plan" / "tasks").iterdir()
    first, rest = task.read_text().split("\n", 1)
    for text in (first.rpartition("\t")[0], first.rpartition("\t")[0] + "\tx", first + "\t1"):
        task.write_text(f"{text}\n{rest}")
        with pytest.raises(tfrecordcli.errors.OutputError, match="the plan is damaged: row 1"):
            tfrecordcli.convert(tmp_path / "in" / "list.csv", output)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [("int64", "-0", 0), ("int64", "+7", 7), ("float", ".5", 0.5), ("float", "3.4028235e38", 3.4028235e38),
     ("bytes", "é", "é".encode())],
)  # fmt: skip
def test_a_field_is_read_as_its_kind(kind: Any, text: str, value: Any) -> None:
    assert Feature("k", kind).parse(text) == value


@pytest.mark.parametrize("text", ["nan", "inf", "1e39", "1_0", "0x1", "1e", " 1"])
def test_what_is_no_finite_float_of_32_bits_is_none(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(text)):
        Feature("k", "float").parse(text)


def test_the_schema_is_sorted_as_records_are() -> None:
    keys = [feature.key for feature in CLASSIFICATION.features]
    assert keys == sorted(keys)
