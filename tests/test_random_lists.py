"""Random lists and folders become what they were made of, at once or by what the messages propose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import box_lists
import class_lists
import document_lists
import folder_lists
import pytest
import record_lists
import several_lists
from following import End, Listed, shown
from sampling import first

Run = Callable[[Iterable[int], Path], Iterator[tuple[int, Listed, End]]]
# Each with the share that may end in a refusal without a way out, or with rejected images.
RUNS: dict[str, tuple[Run, float]] = {
    "labels": (class_lists.run, 0.02),
    "boxes": (box_lists.run, 0.03),
    "folders": (folder_lists.run, 0.02),
    "documents": (document_lists.run, 0.02),
    "several": (several_lists.run, 0.02),
    "records": (record_lists.run, 0.02),
}


@pytest.mark.parametrize("seeds", first([range(15)], [range(100, 200), range(200, 300)]), ids=str)
@pytest.mark.parametrize(("run", "dead_ends"), RUNS.values(), ids=RUNS)
def test_lists_are_read_as_they_are_meant(
    run: Run, dead_ends: float, seeds: Sequence[int], tmp_path: Path
) -> None:
    ends = list(run(seeds, tmp_path))
    wrong = [each for each in ends if each[2].judgement.startswith("wrong")]
    assert not wrong, "".join(shown(*each) for each in wrong)
    dead = [each for each in ends if each[2].judgement != "right"]
    assert len(dead) <= dead_ends * len(ends), "".join(shown(*each) for each in dead)
