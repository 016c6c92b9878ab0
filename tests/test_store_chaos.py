"""A few runs on stores that fail at random; `python tests/store_chaos.py` makes many more of them."""

from __future__ import annotations

import sys

import pytest
from chaos import run as run_kills
from store_chaos import run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the process group of a run ends with it")


@pytest.mark.thorough
def test_no_fault_of_a_store_costs_a_dataset_or_leaves_an_object() -> None:
    outcome = run(seed=7, count=8)
    assert outcome.failures == ()
    assert outcome.done == 8


@pytest.mark.thorough
def test_kills_in_a_series() -> None:
    outcome = run_kills(seed=7, count=3)
    assert outcome.failures == ()
    assert outcome.done >= 3


def test_a_series_ends_with_its_time() -> None:
    assert run(seed=7, count=1_000, seconds=0).done == 0
