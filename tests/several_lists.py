"""Random datasets in several lists, each converted as a person does who follows what the messages propose.

`python tests/several_lists.py --seeds 5000:5300` tries others than the tests do, and shows all that do not
end well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from shutil import rmtree

from class_lists import Judge
from following import OF_NO_CLASSES, End, Person, follow, main
from listing_several import SeveralLists, images_of, random_lists


def run(seeds: Iterable[int], folder: Path) -> Iterator[tuple[int, SeveralLists, End]]:
    """Where a person ends up with the lists of each seed.

    Args:
      folder: for lists and datasets; it is there and empty.
    """
    for seed in seeds:
        lists = random_lists(seed)
        place = folder / f"lists-{seed}"
        images_of(lists, place)
        for name, text in lists.files.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes(text)
        person = Person(Judge(lists.written), OF_NO_CLASSES, lists.written.labels)
        yield seed, lists, follow(person, place, lists.sources)
        rmtree(place)


if __name__ == "__main__":
    main(run, __doc__)
