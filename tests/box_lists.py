"""Random lists of boxes, each converted as a person does who follows what the messages propose.

`python tests/box_lists.py --seeds 5000:5300` tries others than the tests do, and shows all that do not end
well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from shutil import copytree, rmtree
from typing import Any

from boxing import are_boxes, records
from following import OF_NO_BOXES, SPLITS, End, Person, follow, main, verdict
from listing_boxes import Shown, Written, images_for, random_list


def run(seeds: Iterable[int], folder: Path) -> Iterator[tuple[int, Written, End]]:
    """Where a person ends up with the list of each seed.

    Args:
      folder: for lists and datasets; it is there and empty.
    """
    images = images_for(folder / "images")
    for seed in seeds:
        written = random_list(seed)
        place = folder / f"list-{seed}"
        copytree(images, place)
        (place / "list.csv").write_bytes(written.content)
        person = Person(_Judge(written), OF_NO_BOXES)
        yield seed, written, follow(person, place, ("list.csv",))
        rmtree(place)


class _Judge:
    """Says whether a dataset is what its list was made of."""

    def __init__(self, written: Written) -> None:
        self._written = written

    def __call__(self, done: dict[str, Any], output: Path) -> str:
        found = records(output)
        wanted = {each.name: each for each in self._written.shown}
        are_same = (
            all("image/object/bbox/xmin" in each for each in found.values())
            and found.keys() <= wanted.keys()
            and all(are_boxes(found[name], wanted[name].boxes) for name in found)
            and all(_are_of_split(wanted, output, split) for split in SPLITS.values())
        )
        return verdict(done, [are_same], is_whole=found.keys() == wanted.keys())


def _are_of_split(wanted: dict[str, Shown], output: Path, split: str) -> bool:
    """Whether the shards of a split have none but its images, where the list names splits."""
    content = b"".join(path.read_bytes() for path in output.glob(f"{split}-*.tfrecord"))
    named = (each for each in wanted.values() if each.split and each.name.encode() in content)
    return all(SPLITS[each.split[:3].lower()] == split for each in named)


if __name__ == "__main__":
    main(run, __doc__)
