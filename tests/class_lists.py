"""Random lists of labels, each converted as a person does who follows what the messages propose.

`python tests/class_lists.py --seeds 5000:5300` tries others than the tests do, and shows all that do not end
well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from shutil import rmtree
from typing import Any

from boxing import examples_by_split
from following import OF_NO_CLASSES, SPLITS, End, Person, follow, main, verdict
from listing_classes import PHOTOS, Shown, Written, images_of, random_list


def run(seeds: Iterable[int], folder: Path) -> Iterator[tuple[int, Written, End]]:
    """Where a person ends up with the list of each seed.

    Args:
      folder: for lists and datasets; it is there and empty.
    """
    for seed in seeds:
        written = random_list(seed)
        place = folder / f"list-{seed}"
        images_of(written, place)
        (place / written.name).write_bytes(written.content)
        person = Person(Judge(written), OF_NO_CLASSES, written.labels)
        yield seed, written, follow(person, place, (written.name,))
        rmtree(place)


class Judge:
    """Says whether a dataset is what its list was made of."""

    def __init__(self, written: Written) -> None:
        self._written = written

    def __call__(self, done: dict[str, Any], output: Path) -> str:
        wanted = dict(zip(PHOTOS, self._written.shown, strict=True))
        found = examples_by_split(output)
        rights = (
            self._is_right(wanted[values["image/encoded"][0]], split, values) for split, values in found
        )
        return verdict(done, rights, is_whole=len(found) == len(wanted))

    def _is_right(self, shown: Shown, split: str, values: dict[str, list[Any]]) -> bool:
        is_of_split = not shown.split or SPLITS[shown.split[:3].lower()] == split
        return is_of_split and self._is_labelled(shown, values)

    def _is_labelled(self, shown: Shown, values: dict[str, list[Any]]) -> bool:
        if self._written.is_target:
            told = values.get("image/target", [])
            return len(told) == 1 and abs(told[0] - float(shown.labels[0])) < 1e-4 * abs(told[0])
        told = sorted(text.decode() for text in values.get("image/class/text", []))
        return told in (sorted(shown.labels), sorted(shown.numbered or shown.labels))


if __name__ == "__main__":
    main(run, __doc__)
