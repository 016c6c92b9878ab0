"""Some images of a plan as they would be stored, with their boxes, drawn before anything is converted."""

from __future__ import annotations

import io
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from PIL import Image

from tfrecordcli.boxes import parse_boxes
from tfrecordcli.contact_sheet import ENOUGH, Cell, DrawnBox, on_white, thumbnail, write_sheet
from tfrecordcli.dataset.plan import Plan, PlannedRow, parse_planned_row
from tfrecordcli.images.checked_image import CheckedImage
from tfrecordcli.images.isolation import CheckerKilled, checking_in_child
from tfrecordcli.options import ImageOptions
from tfrecordcli.reasons import Rejected
from tfrecordcli.shards.box_placement import place_boxes
from tfrecordcli.sources.source import Source
from tfrecordcli.storage.reading import open_ahead
from tfrecordcli.units import plural

_IMAGES: Final = 24
_LOOKED_AT: Final = 1_000  # rows of a shard among which some with boxes are found


@dataclass(frozen=True, slots=True)
class Preview:
    """What was looked at: so many images, of which these would be rejected."""

    images: int
    problems: tuple[tuple[PlannedRow, Rejected], ...]


def draw_preview(plan: Plan, folder: Path, source: Source, options: ImageOptions, path: Path) -> Preview:
    """Draws a contact sheet of a plan.

    The images pass the gate, and boxes are placed as a shard would have them; what would be rejected is
    named in its place.

    Args:
      folder: that `tfrecordcli.planning.planner.make_plan` wrote.
      source: of the plan.
      path: of the PNG.

    Returns:
      What was looked at. Nothing is drawn when that is no image, or none that can be used.

    Raises:
      OutputError, ResourceError: it cannot be written.
      StoreError, OutageError: a store that holds images is in the way.
    """
    rows = [*itertools.islice(_rows(plan, folder), _IMAGES)]
    cells: list[Cell] = []
    problems: list[tuple[PlannedRow, Rejected]] = []
    with checking_in_child() as check:
        images = ((pair, pair[1].image_uri) for pair in rows)
        for (split, row), file in open_ahead(images, source.image_root, options.max_image_bytes):
            try:
                image = check(file.read(options.max_image_bytes), options)
                cells.append(_cell(split, row, image, plan, options))
            except Rejected as problem:
                problems.append((row, problem))
                cells.append(Cell(f"rejected: {problem.reason}", row.image_uri, split))
            except CheckerKilled:
                cells.append(Cell("checking it took more memory than there is", row.image_uri, split))
    if len(cells) > len(problems):
        write_sheet(path, (source.rows.name, _facts(plan)), cells)
    return Preview(len(cells), tuple(problems))


def _rows(plan: Plan, folder: Path) -> Iterator[tuple[str, PlannedRow]]:
    """Rows of all splits in turn, of each those with boxes or labels first; in the shards they are mixed."""
    splits = [_of_split(plan, folder, split.split) for split in plan.splits]
    for turn in itertools.zip_longest(*splits):
        yield from (pair for pair in turn if pair is not None)


def _of_split(plan: Plan, folder: Path, split: str) -> Iterator[tuple[str, PlannedRow]]:
    name = next(name for name, _ in plan.shards() if name.split == split)
    with (folder / "tasks" / name.stem).open(encoding="utf-8", newline="\n") as lines:
        rows = [parse_planned_row(line) for line in itertools.islice(lines, _LOOKED_AT)]
    rows.sort(key=lambda row: not row.label_ids)
    return ((split, row) for row in rows)


def _cell(split: str, row: PlannedRow, image: CheckedImage, plan: Plan, options: ImageOptions) -> Cell:
    boxes: Iterable[DrawnBox] = ()
    texts = list(row.label_texts)
    if row.boxes:
        listed = parse_boxes(row.boxes, plan.schema.attributes)
        placed = place_boxes(listed, plan.unit, image, options).boxes
        boxes = [DrawnBox(box.corners, texts[box.number], row.label_ids[box.number]) for box in placed]
        texts = [texts[box.number] for box in placed]
    counts = Counter(texts)
    labels = ", ".join(text if count == 1 else f"{text} × {count}" for text, count in counts.items())
    shown = thumbnail(_decoded(image), boxes)
    file = row.image_uri.rpartition("/")[2]
    return Cell(shown, labels, f"{file} · {split} · {image.width} × {image.height}")


def _decoded(image: CheckedImage) -> Image.Image:
    with Image.open(io.BytesIO(image.data), formats=("JPEG", "PNG")) as file:
        file.draft("RGB", ENOUGH)
        return on_white(file)


def _facts(plan: Plan) -> str:
    facts = [plural(plan.planned, "image")]
    if plan.schema.task == "detection":
        facts += [plural(plan.boxes.stored, "box", "boxes"), f"in {plan.unit}"]
    return " · ".join((*facts, plural(plan.num_labels, "label")))
