"""Random folders, each converted as a person does who follows what the messages propose.

`python tests/folder_lists.py --seeds 5000:5300` tries others than the tests do, and shows all that do not end
well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from shutil import rmtree
from typing import Any, Final

from boxing import are_boxes, examples_by_split
from following import End, Person, follow, main, verdict
from listing_folders import PHOTOS, Shown, Written, random_folder, write

# What nobody takes who wants boxes, or who wants labels of whole images.
OF_NO_BOXES: Final = re.compile(
    r"--(?:task (?!detection)|unlabelled|label-folder|max-rejects|split-|dry|overwrite)"
)
OF_NO_CLASSES: Final = re.compile(
    r"--(?:task (?:detection|tabular)|max-rejects|split-by|dry|box|stratify|overwrite)"
)


def run(
    seeds: Iterable[int], folder: Path, make: Callable[[int], Written] = random_folder
) -> Iterator[tuple[int, Written, End]]:
    """Where a person ends up with the folder of each seed.

    Args:
      folder: for folders and datasets; it is there and empty.
      make: makes them.
    """
    for seed in seeds:
        written = make(seed)
        place = folder / f"folder-{seed}"
        write(written, place / "photos")
        person = Person(_Judge(written), OF_NO_BOXES if written.has_boxes else OF_NO_CLASSES)
        yield seed, written, follow(person, place, (f"photos/{written.source}".rstrip("/"),))
        rmtree(place)


class _Judge:
    """Says whether a dataset is what its folder was made of."""

    def __init__(self, written: Written) -> None:
        self._written = written

    def __call__(self, done: dict[str, Any], output: Path) -> str:
        wanted = dict(zip(PHOTOS, self._written.shown, strict=True))
        found = examples_by_split(output)
        rights = (self._is_right(wanted[each["image/encoded"][0]], split, each) for split, each in found)
        return verdict(done, rights, is_whole=len(found) == len(wanted))

    def _is_right(self, shown: Shown, split: str, values: dict[str, list[Any]]) -> bool:
        if shown.split not in ("", split):
            return False
        if not self._written.has_boxes:
            return [text.decode() for text in values.get("image/class/text", [])] == [shown.label]
        return "image/object/bbox/xmin" in values and are_boxes(values, shown.boxes)


if __name__ == "__main__":
    main(run, __doc__)
