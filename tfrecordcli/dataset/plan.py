"""The plan: which rows go to which shard, in which order, fixed before any image is read.

It is data. `plan.json` holds the totals, and one small task file a shard holds that shard's rows;
any runner on any machine executes the same tasks.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeVar

import google_crc32c

from tfrecordcli.boxes import MARK, BoxCounts, Unit
from tfrecordcli.errors import OutputError, UsageError
from tfrecordcli.formats.typed_json import MismatchError, of_type
from tfrecordcli.naming import ShardName
from tfrecordcli.options import ImageOptions, ShardOptions
from tfrecordcli.schema import CLASSIFICATION, Schema
from tfrecordcli.storage.files import is_no_file
from tfrecordcli.storage.store_path import Place
from tfrecordcli.units import plural

PLAN_FILE: Final = "plan.json"  # of a plan the last file to be written
# Between the labels of one row; no name holds a control character.
LABEL_SEPARATOR: Final = "\x1f"

_T = TypeVar("_T", ImageOptions, ShardOptions)


def damaged_plan(path: Place, plan: Place, what: str) -> OutputError:
    """The error for a file of a plan, in its folder ``plan``, that is not as it was written."""
    return OutputError(
        f"{path}: the plan is damaged: {what}",
        f"remove {plan / PLAN_FILE} and run the same command again (tfrec convert or tfrec plan)",
    )


@contextlib.contextmanager
def intact(path: Place, plan: Place) -> Iterator[None]:
    """Within it a file of a plan is read; what is wrong with it is told as of `damaged_plan`."""
    try:
        yield
    except FileNotFoundError as error:
        raise damaged_plan(path, plan, "it is gone") from error
    except ValueError as error:
        raise damaged_plan(path, plan, str(error)) from error
    except OSError as error:
        if is_no_file(error):
            raise damaged_plan(path, plan, "it is no regular file") from error
        raise


class PlannedRow(NamedTuple):
    """One record to be made: which image, with which label ids and texts, and fields of further columns.

    Of a list of boxes, ids and texts are those of each box, in the order of ``boxes`` (`tfrecordcli.boxes`).

    A tuple, because every row of a source becomes one: it is made in half the time of a frozen dataclass.
    """

    line: int
    image_uri: str
    label_ids: tuple[int, ...]
    label_texts: tuple[str, ...]
    extras: tuple[str, ...] = ()
    boxes: str = ""

    def to_line(self) -> str:
        """One line of a task file. No field can hold a tab: control characters are rejected."""
        line, uri, ids, texts, extras, boxes = self
        rest = with_further_fields(uri, extras, boxes)
        if len(ids) == 1:
            return f"{ids[0]}\t{texts[0]}\t{line}\t{rest}\n"
        return f"{','.join(map(str, ids))}\t{LABEL_SEPARATOR.join(texts)}\t{line}\t{rest}\n"


def parse_planned_row(line: str) -> PlannedRow:
    """The row of a line that `PlannedRow.to_line` wrote."""
    ids, texts, number, *rest = line.rstrip("\n").split("\t")
    uri, extras, boxes = further_fields(rest)
    if not ids:
        return PlannedRow(int(number), uri, (), (), extras, boxes)
    label_ids = tuple(map(int, ids.split(",")))
    return PlannedRow(int(number), uri, label_ids, tuple(texts.split(LABEL_SEPARATOR)), extras, boxes)


def with_further_fields(uri: str, extras: tuple[str, ...], boxes: str) -> str:
    """The end of a line: the image, fields of further columns, and boxes where the list has them."""
    if boxes:
        return "\t".join((uri, *extras, boxes))
    return "\t".join((uri, *extras)) if extras else uri


def further_fields(fields: list[str]) -> tuple[str, tuple[str, ...], str]:
    """(image, fields of further columns, boxes) of what `with_further_fields` joined, parted by tabs."""
    if fields[-1].startswith(MARK):
        return fields[0], tuple(fields[1:-1]), fields[-1]
    return fields[0], tuple(fields[1:]), ""


@dataclass(frozen=True, slots=True)
class ShardTask:
    """All that is needed to make one shard; paths are absolute.

    Attributes:
      name: of the shard.
      planned: rows in the task file.
      rows_path: the task file, a `PlannedRow` a line.
      image_root: folder that relative image URIs are relative to.
      shard_path: the finished shard.
      temporary_path: where it is written before it is renamed; each attempt adds an ending of its own.
      done_path: the done record, written once the shard exists.
      image: what is asked of each image.
      rows_crc32c: CRC32C of the task file.
      index: whether `shard_path` + ".idx" is written too.
      isolate: whether each image is checked in a child process, because an earlier attempt at this
        shard died in a decoder.
      schema: of its records.
      first: planned rows before its own, over all splits.
      unit: of boxes.
      numbers_images: whether records are numbered here, as the list gives them no numbers that will do.
      gate: as in the plan; that in ``image`` is the one to use.
      identity: of the plan.
    """

    name: ShardName
    planned: int
    rows_path: str
    image_root: str
    shard_path: str
    temporary_path: str
    done_path: str
    image: ImageOptions
    rows_crc32c: int
    index: bool = False
    isolate: bool = False
    schema: Schema = CLASSIFICATION
    first: int = 0
    unit: Unit = "pixels"
    numbers_images: bool = True
    gate: str = "portable"
    identity: str = ""

    @property
    def made_of(self) -> str:
        """What tells its shard from one of the same name and length of another plan, 8 hex digits."""
        words = f"{self.identity} {self.gate} {self.rows_crc32c}"
        return f"{google_crc32c.value(words.encode()):08x}"


@dataclass(frozen=True, slots=True)
class SplitPlan:
    """One split: rows planned (after merging, without rejects of the source) and shards."""

    split: str
    planned: int
    num_shards: int

    def shard_length(self, index: int) -> int:
        """Planned rows of one shard; those of two shards differ by at most one."""
        start = index * self.planned // self.num_shards
        return (index + 1) * self.planned // self.num_shards - start


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that was decided about a conversion.

    Attributes:
      identity: hash of the source's bytes and of every option that changes the output.
      options: those options, as JSON.
      rows: rows of the source, blank lines not counted.
      tally: split -> outcome -> rows (outcomes: rows, rejected, merged, discarded), before any image.
      splits: those that have planned rows, in the order train, validation, test.
      label_kind: ``name`` or ``id``.
      num_labels: labels in the map.
      problem_codes: rejected rows of the source by code.
      warnings: what a person should know before training on this.
      remarks: what was decided about the source, and skipped, for a person to check.
      sample: (line, image_uri) of a seeded random sample of planned rows.
      files: name -> CRC32C of the files that stand beside this one and are never written again.
      tasks: CRC32C of each task file, in the order of the shards.
      schema: of the records.
      unit: of the boxes of the list.
      numbers_images: whether images are numbered in the order of the plan, and not as the list does.
      boxes: of the list, by what became of them so far; those that are planned count as stored.
      tells_lines: whether users know its rows by their lines, and not by the files of a folder.
      gate: that every image passes, with its version (`tfrecordcli.images.gate`).
    """

    identity: str
    options: Mapping[str, Any]
    rows: int
    tally: Mapping[str, Mapping[str, int]]
    splits: tuple[SplitPlan, ...]
    label_kind: str
    num_labels: int
    problem_codes: Mapping[str, int]
    warnings: tuple[str, ...]
    sample: tuple[tuple[int, str], ...]
    files: Mapping[str, int] = field(default_factory=dict)
    tasks: tuple[int, ...] = ()
    remarks: tuple[str, ...] = ()
    schema: Schema = CLASSIFICATION
    unit: Unit = "pixels"
    numbers_images: bool = True
    boxes: BoxCounts = field(default_factory=BoxCounts)
    tells_lines: bool = True
    gate: str = "portable"

    @property
    def image_options(self) -> ImageOptions:
        """How its images are judged, but for the gate, which is that of the plan.

        Raises:
          MismatchError: `options` do not hold them.
        """
        return self._options_of(ImageOptions, "image")

    @property
    def shard_options(self) -> ShardOptions:
        """How its shards are written; raises as `image_options`."""
        return self._options_of(ShardOptions, "shard")

    def _options_of(self, kind: type[_T], name: str) -> _T:
        try:
            return of_type(kind, self.options.get(name))
        except MismatchError as error:
            raise error.within(f"options.{name}") from None

    @property
    def planned(self) -> int:
        """Records that will be written when no image is rejected."""
        return sum(split.planned for split in self.splits)

    @property
    def num_shards(self) -> int:
        return sum(split.num_shards for split in self.splits)

    def total(self, outcome: str) -> int:
        """Rows of one outcome over all splits."""
        return sum(outcomes.get(outcome, 0) for outcomes in self.tally.values())

    def shard(self, number: int) -> tuple[ShardName, int]:
        """(name, planned rows) of one shard, counted from 0 over all splits.

        Raises:
          IndexError: there is no such shard.
        """
        index = number
        for split in self.splits:
            if 0 <= index < split.num_shards:
                name = ShardName(split.split, index, split.num_shards, self.options["shard"]["compression"])
                return name, split.shard_length(index)
            index -= split.num_shards
        raise IndexError(f"shard {number} of {self.num_shards}")

    def first_row(self, number: int) -> int:
        """Planned rows of all shards before this one."""
        rows = 0
        for split in self.splits:
            if number < split.num_shards:
                return rows + number * split.planned // split.num_shards
            rows += split.planned
            number -= split.num_shards
        return rows

    def shards(self) -> Iterator[tuple[ShardName, int]]:
        """(name, planned rows) of every shard, split by split."""
        return map(self.shard, range(self.num_shards))


def plan_splits(
    planned: Mapping[str, int], options: ShardOptions, mean_bytes: float
) -> tuple[SplitPlan, ...]:
    """How many shards each split gets.

    Args:
      planned: split -> rows, at least one each; empty when no row of the source can be used.
      options: num_shards where the user fixed them, else the shard size aimed at.
      mean_bytes: mean size of an image, from a sample.

    Raises:
      UsageError: more shards than rows, or shards for a split that has no row.
    """
    fixed = dict(options.num_shards)
    empty = sorted(fixed.keys() - planned.keys() - {""})
    if planned and empty:
        raise UsageError(f"--num-shards: no row goes to {empty[0]}", f"leave out {empty[0]}=…")
    plans = []
    for split, rows in planned.items():
        count = fixed.get(split, fixed.get(""))
        if count is not None and count > rows:
            raise UsageError(
                f"--num-shards: {split} has {plural(rows, 'row')}, too few for {count:,} shards",
                f"as in --num-shards {split}={rows}",
            )
        plans.append(SplitPlan(split, rows, count or _shards_for(rows, mean_bytes, options.shard_size)))
    return tuple(plans)


def _shards_for(rows: int, mean_bytes: float, shard_size: int) -> int:
    """Enough shards for their size, and for cores and readers to have work; at most one a row."""
    by_size = math.ceil(rows * mean_bytes / shard_size)
    return min(rows, max(1, by_size, min(16, rows // 100)))
