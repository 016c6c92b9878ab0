"""What rows say of one image, and what becomes of an image that several rows name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from tfrecordcli.boxes import joined, parts_of, places_of
from tfrecordcli.dataset.plan import LABEL_SEPARATOR, further_fields
from tfrecordcli.planning.buckets import is_provisional
from tfrecordcli.planning.image_key import ImageKey
from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.row import Row
from tfrecordcli.split_words import DISCARD, UNASSIGNED

# Lines of other rows that a contradiction names.
_TOLD_LINES = 8
# Rows of one image that are kept in memory; more are read again each time.
_KEPT = 1_000


@dataclass(frozen=True, slots=True)
class RowsOnDisk:
    """The rows of one image in the order of the source, any number of them."""

    lines: Iterable[str]
    image: str
    key: ImageKey

    def __iter__(self) -> Iterator[Row]:
        return (row for row in rows_of(self.lines) if self.key(row.image_uri) == self.image)

    def __len__(self) -> int:
        return sum(1 for _ in self)


ImageRows = Sequence[Row] | RowsOnDisk


def rows_of(lines: Iterable[str]) -> Iterator[Row]:
    """The rows of lines of a bucket, each with one box where `neighbours_joined` made one line of several."""
    for row in map(_row_of, lines):
        image, boxes = parts_of(row.boxes) if row.boxes else ("", [])
        if len(boxes) < 2:
            yield row
            continue
        for line, label, box in zip(places_of(row.boxes), row.labels, boxes, strict=True):
            yield row._replace(line=line, labels=(label,), boxes=joined(image, (box,)))


def _row_of(line: str) -> Row:
    _, split, labels, number, *rest = line[:-1].split("\t")
    names = tuple(labels.split(LABEL_SEPARATOR)) if labels else ()
    uri, extras, boxes = further_fields(rest)
    split = UNASSIGNED if is_provisional(split) else split
    return Row(int(number), split, uri, names, None, extras, boxes)


def rows_by_image(lines: Iterable[str], key: ImageKey) -> Iterator[ImageRows]:
    """The rows of each image whose hash is that of these lines; nearly always it is one image.

    Each can be gone through as often as one likes.
    """
    for image in sorted({key(row.image_uri) for row in rows_of(lines)}):
        rows = RowsOnDisk(lines, image, key)
        kept = list(islice(rows, _KEPT + 1))
        yield kept if len(kept) <= _KEPT else rows


def settle(rows: Iterable[Row], several: bool) -> Row | Rejected:
    """Makes one row of all rows of the same image, in line order, at least one.

    Rows that leave the split open follow those that name one. Equal rows merge; other labels are
    united when the source has rows with several labels, and otherwise a contradiction.

    Returns:
      the row, or ``conflicting_split`` / ``_label`` / ``_value`` (its lines to be filled in).
    """
    first = next(iter(rows))
    splits: set[str] = set()
    differ = False
    differ_in_values = False
    said: tuple[str, ...] = ()
    united: dict[str, None] = {}
    for row in rows:
        splits.add(row.split or UNASSIGNED)
        differ_in_values = differ_in_values or row.extras != first.extras
        if row.labels and row.labels != said:
            differ = differ or bool(said)
            said = said or row.labels
            if several:
                united.update(dict.fromkeys(row.labels))
    named = sorted(splits - {UNASSIGNED})
    if len(named) > 1:
        return Rejected("conflicting_split", lines="?")
    if differ and not several and named != [DISCARD]:
        return Rejected("conflicting_label", lines="?")
    if differ_in_values and named != [DISCARD]:
        return Rejected("conflicting_value", lines="?")
    split = named[0] if named else UNASSIGNED
    labels = tuple(united if several else dict.fromkeys(said))
    return Row(first.line, split, first.image_uri, labels, None, first.extras)


def contradictions(rows: Iterable[Row], code: str) -> Iterator[tuple[Row, Rejected]]:
    """Each row with the lines of those that contradict it, of very many only the first."""
    says = _SAYS[code]
    first = list(islice(filter(says, rows), _TOLD_LINES + 1))
    everybody = lines_of(first)
    # Whoever does not agree with one of the first is contradicted by all of them.
    told = {
        said: lines_of(row for row in rows if says(row) and says(row) != said)
        for said in dict.fromkeys(map(says, first))
    }
    for row in rows:
        yield row, Rejected(code, lines=told.get(says(row), everybody))


# What a row says in a question; nothing when it leaves it open.
_SAYS: dict[str, Callable[[Row], str | tuple[str, ...]]] = {
    "conflicting_split": lambda row: row.split or UNASSIGNED,
    "conflicting_label": lambda row: row.labels,
    "conflicting_value": lambda row: row.extras,
}


def lines_of(rows: Iterable[Row]) -> str:
    """`3, 7, 12`; of very many only the first ones, for each of them could be told of all others."""
    lines = [str(row.line) for row in islice(rows, _TOLD_LINES + 1)]
    return ", ".join(lines[:_TOLD_LINES]) + (", …" if len(lines) > _TOLD_LINES else "")
