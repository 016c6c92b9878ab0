"""Random TFRecords of others, each converted as a person does who follows what the messages propose.

`python tests/record_lists.py --seeds 5000:5300` tries others than the tests do, and shows all that do not
end well.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from shutil import rmtree
from typing import Any, Final

import numpy as np
from boxing import are_boxes, examples_by_split
from following import OF_NO_BOXES, OF_NO_CLASSES, End, Person, follow, main, verdict
from listing_records import Written, random_records
from PIL import Image
from record_families import Shown

_OF_NO_CLASSES: Final = re.compile(OF_NO_CLASSES.pattern.replace("(?:", "(?:max-rejects|", 1))


def run(seeds: Iterable[int], folder: Path) -> Iterator[tuple[int, Written, End]]:
    """Where a person ends up with the TFRecords of each seed.

    Args:
      folder: for records and datasets; it is there and empty.
    """
    for seed in seeds:
        written = random_records(seed)
        place = folder / f"records-{seed}"
        for path, content in written.files.items():
            (place / "in" / path).parent.mkdir(parents=True, exist_ok=True)
            (place / "in" / path).write_bytes(content)
        passes_over = OF_NO_BOXES if written.has_boxes else _OF_NO_CLASSES
        person = Person(_Judge(written), passes_over, written.labels)
        yield seed, written, follow(person, place, ("in",))
        rmtree(place)


class _Judge:
    """Says whether a dataset is what its records were made of."""

    def __init__(self, written: Written) -> None:
        self._written = written

    def __call__(self, done: dict[str, Any], output: Path) -> str:
        wanted = {each.image: each for each in self._written.shown}
        found = examples_by_split(output)
        rights = (self._is_right(_known(wanted, each), split, each) for split, each in found)
        return verdict(done, rights, is_whole=len(found) == len(wanted))

    def _is_right(self, shown: Shown | None, split: str, values: dict[str, list[Any]]) -> bool:
        if shown is None or shown.split not in ("", split):
            return False
        if shown.target is not None:
            return values.get("image/target") == [shown.target]
        if not self._written.has_boxes:
            return sorted(text.decode() for text in values.get("image/class/text", [])) == sorted(
                shown.labels
            )
        return "image/object/bbox/xmin" in values and are_boxes(values, shown.boxes)


def _known(wanted: dict[bytes, Shown], values: dict[str, list[Any]]) -> Shown | None:
    (image,) = values["image/encoded"]
    if image not in wanted:
        with Image.open(io.BytesIO(image)) as photo:
            image = np.asarray(photo.convert("RGB")).tobytes()
    return wanted.get(image)


if __name__ == "__main__":
    main(run, __doc__)
