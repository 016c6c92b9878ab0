"""What the numbers of a finished dataset say against its boxes."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from tfrecordcli.dataset.manifest import Manifest
from tfrecordcli.options import ConvertOptions
from tfrecordcli.storage.store_path import Place
from tfrecordcli.units import plural

# Whoever guesses at what is hidden draws some boxes beyond the edges; of so many something may be wrong.
_SOME_CHANGED = 5
_SHARE_CHANGED = 0.25


def doubts_of_boxes(output: Place, options: ConvertOptions, manifest: Manifest) -> Iterable[str]:
    """Warnings of boxes that may be somewhere else than they were drawn."""
    yield from _cut(output, options, manifest)
    yield from _sorted(manifest)
    yield from _turned(manifest)


def _cut(output: Place, options: ConvertOptions, manifest: Manifest) -> Iterable[str]:
    """That many boxes were cut at the edges of their images, where nobody said what their numbers are."""
    boxes, read = manifest.boxes, options.read
    if boxes is None or read.box_format is not None or read.box_unit != "auto":
        return
    if _are_many(boxes.clipped, boxes.stored):
        yield (
            f"{boxes.clipped:,} of {plural(boxes.stored, 'box', 'boxes')} reached beyond their images, and "
            f"are cut at the edges: look at some (tfrec inspect {shlex.quote(str(output))} --sheet "
            "boxes.png); where they are wrong, --box-format and --box-unit say what their numbers are"
        )


def _are_many(changed: int, stored: int) -> bool:
    return changed >= _SOME_CHANGED and changed > _SHARE_CHANGED * stored


def _sorted(manifest: Manifest) -> Iterable[str]:
    """That many boxes had their corners in another order."""
    boxes = manifest.boxes
    if boxes is not None and _are_many(boxes.swapped, boxes.stored):
        yield (
            f"{boxes.swapped:,} of {plural(boxes.stored, 'box', 'boxes')} had corners in another order and "
            "were sorted: where their y is counted from below, they are upside down, and have to be turned"
        )


def _turned(manifest: Manifest) -> Iterable[str]:
    """That photos were taken to have boxes in the one frame, and those whose size tells it in the other."""
    guessed, stored = (manifest.notes.get(f"box_frame_{how}", 0) for how in ("guessed", "stored"))
    if guessed and stored and "box_frame_upright" not in manifest.notes:
        yield (
            f"boxes of {plural(guessed, 'photo')} with an EXIF rotation are taken to be upright, but of "
            f"{stored:,} more the list tells the size of the stored pixels: where all its boxes are on "
            "these, some are in the wrong place, and --box-frame stored puts them right"
        )
