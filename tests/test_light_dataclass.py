"""Our dataclasses do what the standard library's do."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from tfrecordcli import light_dataclass
from tfrecordcli.naming import ShardName
from tfrecordcli.options import ConvertOptions

KINDS: dict[str, dict[str, bool]] = {
    "plain": {},
    "slots": {"slots": True},
    "frozen": {"frozen": True},
    "frozen-slots": {"frozen": True, "slots": True},
    "ordered": {"frozen": True, "slots": True, "order": True},
    "keywords": {"frozen": True, "slots": True, "kw_only": True},
    "itself": {"frozen": True, "slots": True, "eq": False},
}
Make = Callable[..., Any]
OURS, THEIRS = light_dataclass.dataclass, dataclasses.dataclass


def three(make: Make, kind: str) -> Any:
    """A class of three fields, made by one of both."""

    @make(**KINDS[kind])
    class Three:
        """Of three fields."""

        first: int
        second: str = "two"
        third: list[int] = dataclasses.field(default_factory=list)

    return Three


def outcome(call: Callable[[], object]) -> object:
    """What a call gives, or the type of what it raises."""
    try:
        return call()
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "ask",
    [
        lambda made: made(first=1),
        lambda made: made(1, "b"),
        lambda made: made(),
        lambda made: made(first=1, fourth=2),
        lambda made: made(first=1).third is made(first=1).third,
        lambda made: made(first=1) == made(first=1),
        lambda made: made(first=1) != made(first=2),
        lambda made: made(first=1) == (1, "two", []),
        lambda made: made(first=1) < made(first=2),
        lambda made: made(first=2) >= made(first=2),
        lambda made: made(first=1) < 2,
        lambda made: hash(made(first=1, third=())) == hash((1, "two", ())),
        lambda made: isinstance(hash(made(first=1, third=())), int),
        lambda made: setattr(made(first=1), "first", 2),
        lambda made: delattr(made(first=1), "first"),
        lambda made: dataclasses.replace(made(first=1), second="b"),
        lambda made: dataclasses.asdict(made(first=1)),
        lambda made: [field.name for field in dataclasses.fields(made)],
        lambda made: copy.deepcopy(made(first=1, third=[3])),
        lambda made: hasattr(made(first=1), "__dict__"),
        lambda made: [(p.name, p.kind, p.annotation) for p in inspect.signature(made).parameters.values()],
        lambda made: (made.__doc__, made.__match_args__),
    ],
)  # fmt: skip
def test_they_do_the_same(kind: str, ask: Callable[[Any], object]) -> None:
    ours, theirs = three(OURS, kind), three(THEIRS, kind)
    assert outcome(lambda: repr(ask(ours))) == outcome(lambda: repr(ask(theirs)))


def test_they_travel_between_processes() -> None:
    for value in (ShardName("train", 1, 2), ConvertOptions()):
        assert pickle.loads(pickle.dumps(value)) == value


def test_they_check_themselves() -> None:
    with pytest.raises(ValueError, match="3"):
        ShardName("train", 3, 2)


def test_who_changes_one_is_told_which() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError, match="split of a ShardName is never changed"):
        ShardName("train", 0, 1).split = "test"  # type: ignore[misc]
