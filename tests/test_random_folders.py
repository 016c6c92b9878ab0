"""Random folders become what they were made of, at once or by what the messages propose."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from folder_lists import run
from following import shown
from sampling import first

# Share of folders that may end in a refusal without a way out, or with rejected images.
_DEAD_ENDS = 0.02


@pytest.mark.parametrize(
    "seeds", first([range(20)], [range(start, start + 200) for start in (100, 300)]), ids=str
)
def test_folders_are_read_as_they_are_meant(seeds: Sequence[int], tmp_path: Path) -> None:
    ends = list(run(seeds, tmp_path))
    wrong = [each for each in ends if each[2].judgement.startswith("wrong")]
    assert not wrong, "".join(shown(*each) for each in wrong)
    dead = [each for each in ends if each[2].judgement != "right"]
    assert len(dead) <= _DEAD_ENDS * len(ends), "".join(shown(*each) for each in dead)
