"""Runs that are killed at random moments; `make chaos` kills many more of them."""

from __future__ import annotations

import random
import sys

import pytest
from chaos import Arena
from sampling import first

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the process group of a run ends with it")

SCENARIOS = ("new", "replaced", "stdin", "folder")


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Arena:
    return Arena(tmp_path_factory.mktemp("chaos"))


@pytest.mark.parametrize(
    ("name", "seed"),
    first(
        [("new", 0), ("replaced", 0)],
        [(name, seed) for name in SCENARIOS for seed in range(5) if seed or name in ("stdin", "folder")],
        unpack=True,
    ),
)
def test_the_same_command_finishes_what_was_killed(arena: Arena, name: str, seed: int) -> None:
    scenario = arena.scenario(name)
    random_ = random.Random(f"{name} {seed}")
    while not arena.trial(scenario, random_):
        pass  # the moment came too late


@pytest.mark.parametrize("back", first([8], [3, 13, 18, 23, 28, 33, 38]))
def test_killed_while_the_new_dataset_takes_the_place_of_the_old_one(arena: Arena, back: int) -> None:
    scenario = arena.scenario("replaced")
    assert arena.killed_at(scenario, scenario.changes - back)
