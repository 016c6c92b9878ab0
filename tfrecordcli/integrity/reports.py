"""What is asked of the check of one shard, and what it answers; both travel between processes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tfrecordcli.dataset.shard_info import ShardEntry
from tfrecordcli.images.gate import PORTABLE, Gate
from tfrecordcli.integrity.agreement import Said
from tfrecordcli.options import DEFAULT_MAX_PIXELS
from tfrecordcli.problems import PROBLEMS, Problem


@dataclass(frozen=True, slots=True)
class IndexState:
    """How far the check of an index has come.

    Attributes:
      position: byte of the next line.
      difference: where the index differs so far, in words.
      departure: (number, offset) of the first record that is not the one of the index.
    """

    position: int = 0
    difference: str = ""
    departure: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A byte range of whole records of a plain file.

    Attributes:
      number: of the part, from 0.
      begin: offset of its first record.
      end: offset after its last record; None for the last part, which goes to the end of the file.
      first_record: number of its first record in the file.
      crc32c: of all bytes before it, unmasked.
      index: the check of the index before its first record.
    """

    number: int
    begin: int
    end: int | None
    first_record: int
    crc32c: int
    index: IndexState


@dataclass(frozen=True, slots=True)
class DeclaredSpec:
    """What features.json of TensorFlow Datasets says of one feature, as `Declared` has it."""

    kind: str
    is_single: bool
    num_classes: int


@dataclass(frozen=True, slots=True)
class CheckTask:
    """One shard to be checked, or a part of one.

    Attributes:
      path: absolute.
      name: relative to the dataset; how problems call it.
      number: of the shard among those checked, from 0.
      split: that it belongs to; "" when that is not known.
      expected: its line of shards.jsonl; None without a manifest.
      manifest_path: of the dataset; "" without one.
      check: ``decode`` or ``structure``.
      index: whether an index must be there; one that is there is always checked.
      keys_folder: where keys of its images go, to find the same image twice.
      max_problems: of this shard that are kept; all are counted.
      ignore: codes of which none is kept.
      isolate: whether images are checked in a child process, after a crash.
      part: the part of the shard; None is all of it.
      max_pixels: images above it are not decoded.
      declared: key of a record -> what features.json says of it.
      gate: that its images pass.
      admit: what is no problem of its images, as the conversion let it in.
    """

    path: str
    name: str
    number: int
    split: str
    expected: ShardEntry | None
    manifest_path: str
    check: str
    index: bool
    keys_folder: str
    max_problems: int
    ignore: Sequence[str] = ()
    isolate: bool = False
    part: Part | None = None
    max_pixels: int = DEFAULT_MAX_PIXELS
    declared: Mapping[str, DeclaredSpec] = field(default_factory=dict)
    gate: Gate = PORTABLE
    admit: tuple[str, ...] = ()


@dataclass(slots=True)
class ShardReport:
    """What was found in one shard, or in a part of it.

    Attributes:
      part: number of the part.
      images: that were checked.
      image_keys: keys of a foreign record that hold its images, sorted, a line each -> records that have just
        these, number and offset of the first of them.
      imageless: records in which no image was found; of those, raw_images hold raw pixels.
      unsized: records beside whose image no height and width stand.
      sequences: records that are SequenceExamples.
      labels: label id -> records.
      said: what its records say of labels and kinds, of a file of somebody else.
      whole: whether nothing in it is damaged.
      index_skipped: whether the index beside it is of an unknown kind.
      is_read: whether it was read to its last record.
      is_done: whether the file itself could be read to the end of it.
      is_gzip: whether the file is compressed.
      end: offset after its last record that was read.
      index_difference: where the index differs from the records; empty when it does not.
      index_departure: (number, offset) of the first record that is not the one of the index.
    """

    name: str
    split: str
    records: int = 0
    bytes: int = 0
    images: int = 0
    image_keys: dict[str, list[int]] = field(default_factory=dict)
    imageless: int = 0
    raw_images: int = 0
    unsized: int = 0
    sequences: int = 0
    crc32c: str = ""
    digest: str = ""
    last_crc: str = "00000000"
    labels: Counter[int] = field(default_factory=Counter)
    said: Said = field(default_factory=Said)
    problems: list[Problem] = field(default_factory=list)
    problem_counts: Counter[str] = field(default_factory=Counter)
    whole: bool = True
    index_skipped: bool = False
    part: int = 0
    is_read: bool = True
    is_done: bool = False
    is_gzip: bool = False
    end: int = 0
    index_difference: str = ""
    index_departure: tuple[int, int] | None = None


# --- the problems of a whole dataset ---


class ProblemTally:
    """Counts problems and keeps the first.

    Args:
      limit: how many are kept.
      ignore: codes that are neither counted nor kept; ``no_records`` always is.

    Attributes:
      kept: in the order that they came.
      counts: of all, by code.
    """

    def __init__(self, limit: int, ignore: Collection[str]) -> None:
        self._limit = limit
        self._ignore = {*ignore} - {"no_records"}
        self.kept: list[Problem] = []
        self.counts: Counter[str] = Counter()

    def add(self, problems: Iterable[Problem]) -> None:
        for found in problems:
            if found.code not in self._ignore:
                self.counts[found.code] += 1
                self._keep(found)

    def add_report(self, report: ShardReport) -> None:
        """Takes in what was found in a shard, where nothing that is ignored was counted."""
        self.counts.update(report.problem_counts)
        for found in report.problems:
            self._keep(found)

    def _keep(self, found: Problem) -> None:
        if len(self.kept) < self._limit:
            self.kept.append(found)

    def severities(self) -> set[str]:
        return {PROBLEMS[code][0] for code in self.counts}
