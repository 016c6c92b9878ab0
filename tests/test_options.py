"""Options as the command line and Python give them: what they become, and what is refused."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from tfrecordcli.errors import UsageError
from tfrecordcli.given_options import make_options
from tfrecordcli.options import ConvertOptions, RunOptions


def value_of(options: ConvertOptions, name: str) -> Any:
    """An option's value, in whichever group it stands."""
    (value,) = (getattr(group, name) for group in _groups(options) if hasattr(group, name))
    return value


def _groups(options: ConvertOptions) -> list[Any]:
    return [getattr(options, field.name) for field in dataclasses.fields(options)]


# option, what is given, what it becomes
GOOD: list[tuple[str, Any, Any]] = [
    ("columns", "image_uri=Pic", (("image_uri", "Pic"),)),
    ("columns", "label=B,label=A,split=Set", (("label", "B"), ("label", "A"), ("split", "Set"))),
    ("columns", {"image_uri": "Pic", "label": 3}, (("image_uri", "Pic"), ("label", "3"))),
    ("columns", [("label", "A")], (("label", "A"),)),
    ("columns", "label=a=b", (("label", "a=b"),)),  # a name with an equals sign
    ("image_root", Path("x/y"), "x/y"),
    ("one_hot", 'cat,"dog, large"', ("cat", "dog, large")),
    ("one_hot", ["cat", "dog"], ("cat", "dog")),
    ("label_separator", "blank", " "),
    ("label_separator", "|", "|"),
    ("label_separator", "none", ""),
    ("split_map", "True=val,False=train", (("True", "val"), ("False", "train"))),
    ("split_map", {"0": "test"}, (("0", "test"),)),
    ("map", "gs://b/p/=photos/", (("gs://b/p/", "photos/"),)),
    ("map", "gs://b/p/=./,/home/x/=", (("gs://b/p/", ""), ("/home/x/", ""))),
    ("features", "age,zip:text,tags:text[;]", ("age", "zip:text", "tags:text[;]")),
    ("features", {"age": "int", "zip": ""}, ("age:int", "zip")),
    ("labels_file", Path("l.txt"), "l.txt"),
    ("encoding", "cp1252", "cp1252"),
    ("encoding", "UTF8", "UTF8"),
    ("delimiter", ";", ";"),
    ("delimiter", "tab", "\t"),
    ("delimiter", "TAB", "\t"),
    ("delimiter", "\\t", "\t"),
    ("delimiter", "\t", "\t"),
    ("delimiter", "semicolon", ";"),
    ("delimiter", "comma", ","),
    ("splits", "train=80,validation=10,test=10", (("train", 80.0), ("validation", 10.0), ("test", 10.0))),
    ("splits", "test=1,train=3", (("train", 3.0), ("test", 1.0))),  # always in the same order
    ("splits", "train=1,test=0", (("train", 1.0),)),
    ("splits", "val=50,TRAINING=50", (("train", 50.0), ("validation", 50.0))),
    ("splits", {"Dev": 1, "holdout": 2}, (("validation", 1.0), ("test", 2.0))),
    ("splits", "train=80%,test=20%", (("train", 80.0), ("test", 20.0))),
    ("splits", {"train": 0.5, "test": 0.5}, (("train", 0.5), ("test", 0.5))),
    ("split_seed", "-3", -3),
    ("seed", 2**100, 2**100),
    ("max_side", "256", 256),
    ("max_pixels", 1, 1),
    ("max_image_bytes", "1GB", 10**9),
    ("shard_size", "64MiB", 64 << 20),
    ("shard_size", 1, 1),
    ("num_shards", "8", (("", 8),)),
    ("num_shards", 8, (("", 8),)),
    ("num_shards", "train=8,test=1", (("train", 8), ("test", 1))),
    ("num_shards", {"train": 8}, (("train", 8),)),
    ("num_shards", "Training=8,val=2", (("train", 8), ("validation", 2))),
    ("workers", "4", 4),
    ("max_rejects", "0", 0),
    ("max_rejects", 17, 17),
    ("max_rejects", "5%", 0.05),
    ("max_rejects", " 0.5% ", 0.005),
    ("max_rejects", "100%", 1.0),
    ("max_rejects", 0.25, 0.25),
    ("index", True, True),
    ("dry_run", False, False),
    ("check", "structure", "structure"),
    ("unlabelled", "skip", "skip"),
]


@pytest.mark.parametrize(("name", "given", "expected"), GOOD)
def test_values(name: str, given: Any, expected: Any) -> None:
    found = value_of(make_options({name: given}), name)
    assert found == expected
    assert type(found) is type(expected)


# option, what is given, words of the error besides the option's name
BAD: list[tuple[str, Any, list[str]]] = [
    ("columns", "Pic", ["NAME=VALUE"]),
    ("columns", "image=Pic", ["'image'", "image_uri"]),
    ("columns", "image_uri=a,image_uri=b", ["image_uri", "once"]),
    ("columns", "split=a,split=b", ["split", "once"]),
    ("columns", "label=", ["'label=' names no column, which only split= may"]),
    ("columns", "", ["NAME=VALUE"]),
    ("columns", 5, ["5"]),
    ("columns", [("label",)], ["NAME=VALUE"]),
    ("one_hot", "", ["name"]),
    ("one_hot", "a,,b", ["name"]),
    ("one_hot", "a,a", ["a", "once"]),
    ("label_separator", '"', ["few characters"]),
    ("label_separator", "x" * 17, ["few characters"]),
    ("split_map", "True=trian", ["'trian'", "train, validation, test"]),
    ("split_map", "a=train,a=test", ["a", "once"]),
    ("map", "gs://b", ["NAME=VALUE"]),
    ("features", "age:integer", ["'age:integer'", "int, float, text, bool"]),
    ("features", "age,age:int", ["age", "once"]),
    ("missing", "age=-1", ["--features"]),
    ("na", "NA", ["--features"]),
    ("encoding", "klingon", ["'klingon'"]),
    ("encoding", "hex", ["'hex'"]),  # a codec of Python, but not of text
    ("encoding", "undefined", ["'undefined'"]),
    ("encoding", "idna", ["'idna'"]),  # of host names: it ignores nothing
    ("encoding", "", ["''"]),
    ("encoding", "utf-8\0", []),
    ("encoding", 8, ["8"]),
    ("delimiter", "", []),
    ("delimiter", ",,", []),
    ("delimiter", '"', []),
    ("delimiter", "\n", []),
    ("splits", "train", ["NAME=VALUE"]),
    ("splits", "train=", ["NAME=VALUE"]),
    ("splits", "trian=80", ["'trian'", "train, validation, test"]),
    ("splits", "discard=80", ["'discard'"]),
    ("splits", "unassigned=80", ["'unassigned'"]),
    ("splits", "val=1,VALIDATION=1", ["validation", "once"]),
    ("splits", "train=x", ["'x'"]),
    ("splits", "train=-1", ["'-1'"]),
    ("splits", "train=nan", ["'nan'"]),
    ("splits", "train=inf", ["'inf'"]),
    ("splits", "train=0,test=0", ["above 0"]),
    ("splits", "train=1,train=2", ["train", "once"]),
    ("splits", {}, ["above 0"]),
    ("splits", 80, ["80"]),
    ("split_seed", "x", ["'x'", "whole number"]),
    ("seed", "1.5", ["'1.5'"]),
    ("seed", 1.5, ["1.5"]),
    ("seed", True, ["True"]),
    ("seed", "", ["''"]),
    ("max_side", "0", ["a whole number from 1"]),
    ("max_side", "-5", ["a whole number from 1"]),
    ("max_side", "big", ["'big'"]),
    ("max_pixels", 0, ["a whole number from 1"]),
    ("max_image_bytes", "64 furlongs", ["'64 furlongs'", "64MiB"]),
    ("max_image_bytes", 0, ["at least 1"]),
    ("shard_size", "lots", ["'lots'"]),
    ("shard_size", "1e400", ["'1e400'"]),
    ("num_shards", "0", ["a whole number from 1"]),
    ("num_shards", "many", ["'many'"]),
    ("num_shards", "4,8", ["more numbers than one: 4,8"]),
    ("num_shards", "2,", ["'2,'", "as in --num-shards 8"]),
    ("num_shards", 2.5, ["2.5"]),
    ("num_shards", "train=0", ["a whole number from 1"]),
    ("num_shards", "train=x", ["'x'"]),
    ("num_shards", "vals=1", ["'vals'"]),
    ("num_shards", "val=1,dev=1", ["validation", "once"]),
    ("num_shards", "train=1,train=2", ["train", "once"]),
    ("num_shards", "train=1,2", ["'2'"]),
    ("workers", 0, ["a whole number from 1"]),
    ("workers", "all", ["'all'"]),
    ("max_rejects", "-1", ["'-1'"]),
    ("max_rejects", "some", ["'some'"]),
    ("max_rejects", "1.5", ["'1.5'"]),
    ("max_rejects", "101%", ["'101%'"]),
    ("max_rejects", "-1%", ["'-1%'"]),
    ("max_rejects", "%", ["'%'"]),
    ("max_rejects", "nan%", ["'nan%'", "such as 1%"]),
    ("max_rejects", "inf%", ["'inf%'", "such as 1%"]),
    ("max_rejects", "101%", ["'101%'", "such as 1%"]),
    ("max_rejects", 1.5, ["1.5"]),
    ("max_rejects", float("nan"), ["nan"]),
    ("max_rejects", True, ["True"]),
    ("check", "none", ["'none'", "decode, structure"]),
    ("exif", "drop", ["'drop'", "apply, keep"]),
    ("unlabelled", "ignore", ["'ignore'", "error, keep, skip"]),
    ("label_type", "int", ["'int'", "auto, name, id"]),
    ("new_labels", "add", ["'add'", "reject, append"]),
    ("new_labels", "append", ["--labels"]),
    ("compression", "zip", ["'zip'", "none, gzip"]),
    ("index", "yes", ["'yes'"]),
    ("dry_run", 1, ["1"]),
    ("overwrite", "no", ["'no'"]),
    ("fail_fast", 0, ["0"]),
]


@pytest.mark.parametrize(("name", "given", "words"), BAD)
def test_bad_values(name: str, given: Any, words: list[str]) -> None:
    with pytest.raises(UsageError) as caught:
        make_options({name: given})
    for word in ("--" + name.replace("_", "-"), *words):
        assert word in f"{caught.value} {caught.value.hint}"


def test_the_labels_option_is_called_as_on_the_command_line() -> None:
    """`--labels` there is `labels` here; `labels_file` is what it holds."""
    for name in ("labels", "labels_file"):
        assert make_options({name: "x"}).read.labels_file == "x"
    with pytest.raises(UsageError, match="unknown option: labels_file"):
        make_options({"labels": "x", "labels_file": "y"})


def test_none_is_the_default() -> None:
    names = [field.name for group in _groups(ConvertOptions()) for field in dataclasses.fields(group)]
    assert len(names) == len(set(names)) > 20
    assert make_options(dict.fromkeys(names)) == make_options({}) == ConvertOptions()


def test_unknown_options_are_named() -> None:
    with pytest.raises(UsageError, match="num_shard, shuffle"):
        make_options({"shuffle": True, "num_shard": 3, "seed": 1})


def test_an_index_needs_plain_shards() -> None:
    with pytest.raises(UsageError, match="--index"):
        make_options({"index": True, "compression": "gzip"})


# --max-rejects, rejected, rows, whether it is still a success
LIMITS: list[tuple[Any, int, int, bool]] = [
    (0, 0, 10, True),
    (0, 1, 10, False),
    (3, 3, 10, True),
    (3, 4, 10, False),
    ("10%", 1, 10, True),
    ("10%", 2, 10, False),
    ("1%", 1, 99, False),
    ("100%", 10, 10, True),
    ("0%", 1, 10**9, False),
    (1, 1, 1, True),
    (1.0, 10, 10, True),
]


@pytest.mark.parametrize(("limit", "rejected", "rows", "allowed"), LIMITS)
def test_rejects_that_are_allowed(limit: Any, rejected: int, rows: int, allowed: bool) -> None:
    run: RunOptions = make_options({"max_rejects": limit}).run
    assert run.allows_rejects(rejected, rows) is allowed
