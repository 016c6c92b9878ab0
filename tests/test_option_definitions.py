"""Each option is defined once; commands, the README and the identity of a run have it from there."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import pytest
from converting import commands

from tfrecordcli.bench.ways import ComparisonOptions
from tfrecordcli.doctor.diagnosis import DoctorOptions
from tfrecordcli.errors import UsageError
from tfrecordcli.given_options import make_options
from tfrecordcli.inspecting.options import InspectOptions
from tfrecordcli.option_definition import Option, changed_words, make_values, option, options_of
from tfrecordcli.options import (
    ConvertOptions,
    ImageOptions,
    ReadOptions,
    RunOptions,
    ShardChoice,
    ShardOptions,
)
from tfrecordcli.planning import identity
from tfrecordcli.planning.identity import Identity
from tfrecordcli.verify_options import VerifyOptions

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
CONVERT = (ReadOptions, ImageOptions, ShardOptions, RunOptions)
COMMANDS: dict[str, tuple[type, ...]] = {
    "convert": CONVERT, "verify": (VerifyOptions,), "inspect": (InspectOptions,),
    "bench": (ComparisonOptions,), "doctor": (DoctorOptions,),
}  # fmt: skip
DEFINED = [
    pytest.param(command, each, id=f"{command} {each.flag}")
    for command, kinds in COMMANDS.items()
    for kind in kinds
    for each in options_of(kind).values()
]


@pytest.mark.parametrize(("command", "defined"), DEFINED)
def test_the_command_and_the_readme_have_it_as_it_is_defined(command: str, defined: Option) -> None:
    (parameter,) = [each for each in commands()[command].params if each.name == defined.name]
    assert isinstance(parameter, click.Option)
    assert (parameter.opts[0], parameter.default) == (defined.flag, None)
    section = README.partition(f"\n### tfrec {command}")[2].partition("\n### ")[0]
    row, *_ = [
        line for line in section.splitlines() if re.match(rf"\|.*`{defined.flag}[ `].* \| .* \|", line)
    ]
    names, _, default = (cell.strip() for cell in re.split(r"(?<!\\) \| ", row.strip("| ")))
    for choice in defined.choices:
        assert f"{choice}`" in names
    assert defined.shown_default in default.replace("`", "")


def test_flags_of_a_command_are_told_apart() -> None:
    for kinds in COMMANDS.values():
        flags = [each.flag for kind in kinds for each in options_of(kind).values()]
        assert len(flags) == len(set(flags))


ROUND: list[dict[str, Any]] = [
    {"columns": 'label="Name, Latin",image_uri=a=b', "unlabelled": "keep", "splits": "train=2.5,test=1"},
    {"one_hot": 'a,"b, c"', "split_map": "True=val,False=train", "multi_label": True, "stratify": True},
    {"features": "age:int,tags:text[;]", "missing": "age=-1", "na": "NA,null", "map": "gs://b/=./,/x/=y/"},
    {"label_separator": "blank", "split_by": "patient", "label_names": "n.txt"},
    {"label_separator": "none"},
    {"max_side": 7, "max_image_bytes": "1GB", "index": True, "num_shards": "train=2", "labels": "l.txt"},
]


@pytest.mark.parametrize("values", ROUND)
def test_the_words_that_are_printed_give_the_same_values(values: dict[str, Any]) -> None:
    chosen = make_options(values)
    words = [word for group in (chosen.read, chosen.image, chosen.shard) for word in changed_words(group)]
    by_flag = {each.flag: each for kind in CONVERT for each in options_of(kind).values()}
    again: dict[str, Any] = {}
    while words:
        found = by_flag[words.pop(0)]
        again[found.keyword] = True if found.kind is bool else words.pop(0)
    assert make_options(again) == chosen


def test_options_of_lists_are_given_again_for_more() -> None:
    lists = {
        each.flag for kind in (*CONVERT, ShardChoice) for each in options_of(kind).values() if each.is_joined
    }
    assert lists == {
        *("--columns", "--splits", "--features", "--missing", "--na", "--one-hot", "--split-map", "--map"),
        *("--exclude", "--admit", "--num-shards", "--shards"),
    }
    given = (
        "--map a=b --map c=,d=e --columns label=x --columns split=,label=y --columns val=label=v --columns"
    )
    given += " val=split=s --num-shards test=2 --num-shards train=3 --num-shards test=2"
    with commands()["plan"].make_context("plan", ["list.csv", "out", *given.split()]) as context:
        names = [name for kind in CONVERT[:3] for name in options_of(kind)]
        options = make_options({name: context.params[name] for name in names})
    assert options.read.map == (("a", "b"), ("c", ""), ("d", "e"))
    assert options.read.columns == (("label", "x"), ("split", ""), ("label", "y"))
    assert options.read.by_split == (("validation", "columns", "label=v,split=s"),)
    assert options.shard.num_shards == (("test", 2), ("train", 3))


# --- the identity of a run ---

OPTIONS: dict[str, dict[str, Any]] = {"read": {}, "image": {}, "shard": {}}


def test_an_identity_holds_what_is_not_at_its_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """So an option that a later version has changes nothing for those who do not use it."""

    @dataclass(frozen=True, slots=True)
    class More(ImageOptions):
        quality: int = option(90, "Of images that are encoded again.", "N", least=1)

    before = Identity("source", {**OPTIONS, "image": {"max_side": 64}})
    later = {**OPTIONS, "image": {"max_side": 64, "quality": 90}}
    monkeypatch.setattr(identity, "_LASTING", {"read": ReadOptions, "image": More, "shard": ShardOptions})
    assert Identity("source", later).digest == before.digest
    assert Identity("source", later).changes_since(before.digest, before.options) == ""
    other = Identity("other", {**OPTIONS, "image": {"max_side": 64, "quality": 80}})
    assert other.changes_since(before.digest, before.options) == "the source, --quality"


def test_what_changed_is_named_by_its_flag() -> None:
    now = Identity(
        "source", {"read": {"labels_file": "x", "label_folder": "last"}, "image": {}, "shard": {"seed": 1}}
    )
    assert now.changes_since(Identity("source", OPTIONS).digest, OPTIONS) == "--labels, --seed"
    assert (
        now.changes_since(Identity("old", OPTIONS).digest, OPTIONS)
        == "the source, --label-folder, --labels, --seed"
    )


def test_options_that_are_given_as_their_default_change_nothing() -> None:
    given = make_options({"seed": "0", "splits": "train=80,validation=10,test=10", "shard_size": "128MiB"})
    assert given == ConvertOptions()
    assert changed_words(given.read) == changed_words(replace(given.shard, index=False)) == []


def test_a_wrong_name_or_number_is_named_alike_everywhere() -> None:
    for kind in (RunOptions, VerifyOptions):
        with pytest.raises(UsageError, match="--workers must be a whole number from 1, got '0'"):
            make_values({"workers": "0"}, kind)
