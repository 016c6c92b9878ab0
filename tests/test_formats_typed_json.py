"""Dataclasses as JSON and back: what is read is of its type, and what is not is named by its field."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import random
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from tfrecordcli.dataset.checksummed_json import dump, load
from tfrecordcli.dataset.plan import Plan, ShardTask, SplitPlan
from tfrecordcli.dataset.shard_info import RecordFacts, RejectedImage, ShardInfo
from tfrecordcli.errors import UsageError
from tfrecordcli.formats.typed_json import MismatchError, from_json, to_json
from tfrecordcli.integrity.reports import CheckTask, DeclaredSpec, IndexState, Part, ShardReport
from tfrecordcli.naming import ShardName
from tfrecordcli.options import ImageOptions
from tfrecordcli.problems import problem
from tfrecordcli.runners import messages


@dataclass(frozen=True, slots=True)
class Inner:
    name: str
    sizes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Outer:
    inner: Inner
    rows: tuple[tuple[int, str], ...] = ()
    share: float = 0.5
    kind: Literal["a", "b"] = "a"
    is_on: bool = False
    part: Inner | None = None
    counts: Counter[int] = field(default_factory=Counter)
    by_name: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    several: Sequence[Inner] = ()
    anything: Any = None


FULL = Outer(
    Inner("é\u2028", (1, 2)), ((3, "x"),), 2.0, "b", True, Inner("p"), Counter({7: 2}),
    {"train": {"rows": 1}}, (Inner("s"),), {"k": [1, None]},
)  # fmt: skip


@pytest.mark.parametrize("value", [FULL, Outer(Inner(""))], ids=["full", "defaults"])
@pytest.mark.parametrize("indent", [None, 1])
def test_a_value_comes_back_as_it_was(value: Outer, indent: int | None) -> None:
    assert from_json(Outer, to_json(value, indent)) == value
    assert load(Outer, dump(value, indent)) == value


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        ({"inner": {"name": 3}}, "inner.name: text is needed, not 3"),
        ({"inner": {}}, "inner.name: it is missing"),
        ({"inner": {"name": "", "size": 1}}, "inner.size: no field of this name is known"),
        ({"inner": []}, "inner: an object is needed, not []"),
        ({"rows": [[1, "a"], [1]]}, "rows[1]: a list of 2 is needed, not [1]"),
        ({"rows": [[1, "a"], ["1", "a"]]}, 'rows[1][0]: a whole number is needed, not "1"'),
        ({"share": True}, "share: a number is needed, not true"),
        ({"is_on": 1}, "is_on: true or false is needed, not 1"),
        ({"kind": "c"}, 'kind: a or b is needed, not "c"'),
        ({"kind": ["a"]}, 'kind: a or b is needed, not ["a"]'),
        ({"part": 3}, "part: an object is needed, not 3"),
        ({"counts": {"x": 1}}, "counts: its keys must be whole numbers"),
        ({"counts": {"1": "x"}}, 'counts.1: a whole number is needed, not "x"'),
        ({"by_name": {"train": {"rows": None}}}, "by_name.train.rows: a whole number is needed, not null"),
        ({"several": [{"name": "x"}, {"name": "y", "sizes": [1.5]}]}, "several[1].sizes[0]: a whole number"),
        ({"several": "abc"}, 'several: a list is needed, not "abc"'),
    ],
)
def test_what_is_not_of_its_type_is_named(edit: dict[str, Any], words: str) -> None:
    values = json.loads(to_json(FULL)) | edit
    with pytest.raises(MismatchError) as caught:
        from_json(Outer, json.dumps(values))
    assert str(caught.value).startswith(words)


def test_a_message_stays_short_and_printable() -> None:
    with pytest.raises(MismatchError) as caught:
        from_json(Inner, json.dumps({"name": ["\x1b[31m" + "x" * 10_000]}))
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 120


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"name": "x"', b"\xff"])
def test_what_is_no_json_is_a_value_error(text: str | bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        from_json(Inner, text)


@pytest.mark.parametrize("position", [0, 5, -1, -5, -12, -20])
def test_a_byte_that_changed_is_no_value(position: int) -> None:
    data = bytearray(dump(FULL))
    data[position] ^= 1
    with pytest.raises(ValueError, match="cut or was edited"):
        load(Outer, bytes(data))


SHARD = "train-00000-of-00001.tfrecord"
TASK = ShardTask(ShardName("train", 1, 3), 2, "r", "i", "s", "t", "d", ImageOptions(max_side=9), 1 << 31)
INFO = ShardInfo(SHARD, "train", 2, 1, 9, "0" * 8, "1" * 8, "2" * 16, 7, {0: 1}, {"gif": 1}, {"zlib": "1"},
                 (RejectedImage(3, "a", "text", "why"),), RecordFacts((1, 2), None, None))  # fmt: skip
CHECK = CheckTask("p", "n", 0, "test", INFO.entry(), "m", "decode", False, "k", 5, ("x",), True,
                  Part(1, 2, None, 3, 4, IndexState(5, "", (6, 7))), 8,
                  {"k": DeclaredSpec("int64", True, 3)})  # fmt: skip
REPORT = ShardReport("n", "test", labels=Counter({3: 1}), problems=[problem("no_records")],
                     problem_counts=Counter(no_records=1), index_departure=(1, 2))  # fmt: skip
PLAN = Plan("id", {"image": {}}, 3, {"train": {"rows": 3}}, (SplitPlan("train", 3, 1),), "name", 1, {},
            ("w",), ((1, "a"),), {"labels.txt": 1}, (1,))  # fmt: skip


@pytest.mark.parametrize("value", [TASK, INFO, CHECK, REPORT, PLAN], ids=lambda value: type(value).__name__)
def test_all_that_is_stored_or_sent_comes_back(value: Any) -> None:
    assert from_json(type(value), to_json(value)) == value


@pytest.mark.parametrize(
    "message",
    [
        messages.Make(TASK), messages.Check(CHECK), messages.Look(("a", "b"), "r", ImageOptions()),
        messages.Progress(1, 2, 3, INFO.rejects), messages.Made(), messages.Checked(REPORT),
        messages.Looked((None, ("text", "why"))), messages.Killed(), messages.Bug("Trace\nback"),
        messages.failed(UsageError("what", "hint", code="code")),
    ],
    ids=lambda message: type(message).__name__,
)  # fmt: skip
def test_every_message_comes_back(message: messages.Message, capsys: pytest.CaptureFixture[str]) -> None:
    messages.send(sys.stdout, message)
    line = capsys.readouterr().out
    assert line.count("\n") == 1
    assert messages.received(line) == message


@pytest.mark.parametrize("kind", ["OSError", "Final", "nothing", "__name__"])
def test_only_errors_of_our_own_are_raised(kind: str) -> None:
    with pytest.raises(ValueError, match="there is no error"):
        messages.Failed(kind, "", "", "").error()


@pytest.mark.parametrize(
    "value", [TASK, INFO, CHECK, REPORT, PLAN, FULL], ids=lambda value: type(value).__name__
)
def test_hostile_values_are_mismatches_and_nothing_else(value: Any) -> None:
    """Any field of any other kind: either the type takes it, or a MismatchError says so."""
    seen = random.Random(3)
    refused = 0
    for _ in range(300):
        values = json.loads(to_json(value))
        name = seen.choice([f.name for f in dataclasses.fields(value)])
        values[name] = seen.choice([None, 3, "x", [], {}, [[]], {"a": {}}, 1e99, True, [None], {"": [3]}])
        with contextlib.suppress(MismatchError):
            from_json(type(value), json.dumps(values))
            continue
        refused += 1
    assert 100 < refused < 300
