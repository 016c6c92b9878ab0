"""Random lists of labels become what they were made of, at once or by what the messages propose."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from class_lists import run
from following import shown
from sampling import first

# Share of lists that may end in a refusal without a way out, or with rejected images.
_DEAD_ENDS = 0.02


@pytest.mark.parametrize(
    "seeds", first([range(10)], [range(start, start + 100) for start in (100, 200)]), ids=str
)
def test_lists_of_labels_are_read_as_they_are_meant(seeds: Sequence[int], tmp_path: Path) -> None:
    ends = list(run(seeds, tmp_path))
    wrong = [each for each in ends if each[2].judgement.startswith("wrong")]
    assert not wrong, "".join(shown(*each) for each in wrong)
    dead = [each for each in ends if each[2].judgement != "right"]
    assert len(dead) <= _DEAD_ENDS * len(ends), "".join(shown(*each) for each in dead)
