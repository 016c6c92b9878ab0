"""What a conversion, or a step of one, did, as its caller sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NotRequired, TypedDict

from tfrecordcli import html
from tfrecordcli.units import plural

_COUNTS: Final = ("rows", "records", "rejected", "merged", "discarded", "shards", "bytes")

Status = Literal["complete", "already_complete", "planned", "failed"]


class RejectedRow(TypedDict):
    """A row that could not be used, as results and their JSON have it.

    Keys:
      source, place: what people know it by, where that is not its line (a folder, a key of a JSON file).
      line: None where it has a place and no line.
      code: one of `tfrecordcli.reasons`.
      index: of the DataFrame that Python converts.
    """

    source: NotRequired[str]
    place: NotRequired[str]
    line: int | None
    image_uri: str
    code: str
    reason: str
    index: NotRequired[Any]


class RejectGroup(TypedDict):
    """Rejected rows of one reason.

    Keys:
      reason: empty where it differs from row to row.
      rows: how many there are; named: the first of them.
    """

    code: str
    reason: str
    rows: int
    named: tuple[RejectedRow, ...]


@dataclass(frozen=True, slots=True)
class ConvertResult:
    """The outcome of `tfrecordcli.convert`.

    Also indexable: ``result["rejected"]``, and as in TFRecorder ``result["tfrecord_dir"]``,
    ``result["dataflow_url"]`` and ``result["metrics"]``, which counts rows, good_images and bad_images.

    Attributes:
      status: ``complete``: the dataset is finished; ``already_complete``: it was before; ``planned``:
        a dry run, or `tfrec plan`; ``failed``: less than half of the rows can be used, or the run was
        stopped by fail_fast.
      exit_code: of the command: 0, or 1 when more rows were rejected than allowed or a split that
        had rows got no record.
      rows: of the source; always records + rejected + merged + discarded + not_written.
      not_written: rows that can be used but were not, because the status is ``failed``.
      reasons: rejected rows by code.
      splits: split -> rows, records, rejected, merged, discarded, shards, bytes; ``none`` holds rows
        that never got a split.
      problems: rejected rows, the first 1,000.
      reject_groups: the largest groups of rejected rows of one reason.
      boxes: of a list of boxes, by what became of them (`tfrecordcli.boxes.BoxCounts`); else empty.
      boxes_left_out: path of boxes-left-out.csv; empty where no box was left out.
      notes: images by what was noted about them (`tfrecordcli.images.notes`).
      warnings: what a person should know before training on this.
      remarks: what was decided about the source, and skipped, for a person to check.
      sheet: what a dry run drew (file, images, and how many of them would be rejected); else empty.
      resumed_shards: shards that an earlier run had finished.
      seconds, images_per_second: of this run; bytes_read, bytes_written: of the dataset.
      job_id, job_url: of the job on Google Cloud that made the shards; empty with other runners.
      error: why the status is ``failed``.
      mend_command: converts rejects.csv once it is mended; empty without rejects.
    """

    status: Status
    exit_code: int
    output_dir: str
    runner: str
    rows: int
    records: int
    rejected: int
    merged: int
    discarded: int
    num_labels: int
    label_kind: str = "name"
    not_written: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)
    splits: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    problems: tuple[RejectedRow, ...] = ()
    reject_groups: tuple[RejectGroup, ...] = ()
    boxes: Mapping[str, int] = field(default_factory=dict)
    boxes_left_out: str = ""
    notes: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    sheet: Mapping[str, Any] = field(default_factory=dict)
    resumed_shards: int = 0
    seconds: float = 0.0
    images_per_second: float = 0.0
    bytes_read: int = 0
    bytes_written: int = 0
    mend_command: str = ""
    labels: tuple[str, ...] = ()
    renumbered_labels: tuple[str, ...] = ()
    job_id: str = ""
    job_url: str = ""
    error: str = ""

    def _repr_html_(self) -> str:
        """What notebooks show."""
        names = [name for name in _COUNTS if any(counts[name] for counts in self.splits.values())]
        rows = [(split, *(counts[name] for name in names)) for split, counts in self.splits.items()]
        words = self.status.replace("_", " ")
        rejects = (f"{count:,} rejected: {reason}" for reason, count in self.reasons.items())
        return html.page(
            f"{self.output_dir}: {words}, {plural(self.records, 'record')} of {plural(self.rows, 'row')}",
            html.table(("split", *names), rows),
            html.listing([*filter(None, [self.error]), *rejects, *self.warnings, *self.remarks]),
            html.command(self.mend_command),
        )

    def __getitem__(self, name: str) -> Any:
        if name == "metrics":
            return {"rows": self.rows, "good_images": self.records, "bad_images": self.rejected}
        try:
            return getattr(self, {"tfrecord_dir": "output_dir", "dataflow_url": "job_url"}.get(name, name))
        except AttributeError:
            raise KeyError(name) from None


@dataclass(frozen=True, slots=True)
class ShardsResult:
    """The outcome of `tfrec write-shards`.

    Attributes:
      status: ``complete``: the chosen shards stand; ``already_complete``: the whole dataset does.
      shards: that were chosen; num_shards: that the plan has.
      resumed_shards: chosen shards that stood before.
      rows: planned rows of the chosen shards; always records + rejected.
      reasons: rejected rows by code.
    """

    status: Literal["complete", "already_complete"]
    output_dir: str
    shards: int = 0
    num_shards: int = 0
    resumed_shards: int = 0
    rows: int = 0
    records: int = 0
    rejected: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)
    bytes_written: int = 0
    seconds: float = 0.0
    images_per_second: float = 0.0

    def _repr_html_(self) -> str:
        """What notebooks show."""
        made = f"{self.shards:,} of {plural(self.num_shards, 'shard')} chosen"
        return html.page(
            f"{self.output_dir}: {self.status.replace('_', ' ')}, {made}, {plural(self.records, 'record')}",
            html.listing(f"{count:,} rejected: {reason}" for reason, count in self.reasons.items()),
        )
