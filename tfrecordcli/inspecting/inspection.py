"""The use case `inspect`: one pass over TFRecords that tells what is in them."""

from __future__ import annotations

import dataclasses
import heapq
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tfrecordcli import html
from tfrecordcli.errors import UsageError
from tfrecordcli.inspecting.boxes import BoxSummary, BoxTable
from tfrecordcli.inspecting.features import FeatureSummary, FeatureTable, shown_feature
from tfrecordcli.inspecting.images import ImageSummary, ImageTable, find_image
from tfrecordcli.inspecting.labels import LabelSummary, LabelTable
from tfrecordcli.inspecting.records import Entry, opened_dataset, read_entries, split_of
from tfrecordcli.integrity.discovery import Dataset
from tfrecordcli.integrity.reports import ProblemTally
from tfrecordcli.integrity.tfds import agreed
from tfrecordcli.problems import PROBLEMS, Problem
from tfrecordcli.progress import Reporter
from tfrecordcli.schema import Feature
from tfrecordcli.storage.files import open_binary
from tfrecordcli.storage.store_path import place_of, size_of
from tfrecordcli.storage.stores import forget_stores
from tfrecordcli.tfrecords.image_features import find_images
from tfrecordcli.units import plural

MAX_PROBLEMS: Final = 100  # that are kept; all are counted
_REPORT_EVERY: Final = 256  # records

_GZIP_MAGIC: Final = b"\x1f\x8b"

_SAMPLES: Final = 3
_SAMPLE_KEYS: Final = 50


@dataclass(frozen=True, slots=True)
class FileSummary:
    """One file: its split ("" when not known), Examples read from it, its size in bytes, `none` or `gzip`;
    `whole` is False when it was not read to its end."""

    name: str
    split: str
    records: int
    bytes: int
    compression: str
    whole: bool


@dataclass(frozen=True, slots=True)
class SampleRecord:
    """One record: where it stands, and key -> values, short and printable."""

    file: str
    record: int
    offset: int
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Inspection:
    """What is in TFRecords.

    Attributes:
      path: as it was given.
      records: Examples that were read.
      max_records: how many were asked for at most; None is all.
      stopped: whether `max_records` ended the reading before everything was read.
      files: those found, in order.
      features: by key.
      features_left_out: whether there are more keys than are distinguished.
      labels, images, boxes: None when there are none.
      samples: a few records.
      float_label: the key of floats that would be the labels, were they whole numbers; else empty.
      sequences: records that are SequenceExamples, whose context alone was read.
      schema: key -> what a dataset of tfrec holds under it; empty for records of somebody else.
      problems: the first `MAX_PROBLEMS`; problem_counts has all of them by code.
    """

    path: str
    records: int
    max_records: int | None
    stopped: bool
    files: tuple[FileSummary, ...]
    features: tuple[FeatureSummary, ...]
    features_left_out: bool
    labels: LabelSummary | None
    images: ImageSummary | None
    samples: tuple[SampleRecord, ...]
    problems: tuple[Problem, ...]
    problem_counts: Mapping[str, int]
    sequences: int = 0
    float_label: str = ""
    boxes: BoxSummary | None = None
    schema: Mapping[str, Feature] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether there are records, and nothing was found that is an error."""
        return self.records > 0 and all(PROBLEMS[code][0] != "error" for code in self.problem_counts)

    @property
    def exit_code(self) -> int:
        return 0 if self.ok else 1

    @property
    def splits(self) -> dict[str, dict[str, int]]:
        """split -> records, bytes and files; `all` for files whose split is not known."""
        table: dict[str, dict[str, int]] = {}
        for file in self.files:
            entry = table.setdefault(file.split or "all", {"records": 0, "bytes": 0, "files": 0})
            entry["records"] += file.records
            entry["bytes"] += file.bytes
            entry["files"] += 1
        return table

    @property
    def compressions(self) -> tuple[str, ...]:
        """none, gzip or both: of the files that hold anything."""
        return tuple(sorted({file.compression for file in self.files if file.bytes}))

    def _repr_html_(self) -> str:
        """What notebooks show."""
        splits = [(name, each["records"], each["files"]) for name, each in self.splits.items()]
        features = [(each.key, each.kind, each.example) for each in self.features]
        problems = [f"{each.path}: {each.message}" for each in self.problems]
        return html.page(
            f"{self.path}: {plural(self.records, 'record')} in {plural(len(self.files), 'file')}",
            html.table(("split", "records", "files"), splits),
            html.table(("feature", "kind", "example"), features),
            html.listing(problems),
        )


def inspect(
    path: str | os.PathLike[str], *, max_records: int | None = None, reporter: Reporter | None = None
) -> Inspection:
    """Looks at a folder of TFRecords or one file, plain or gzip; see `tfrecordcli.inspect`.

    Raises:
      InputError: there is nothing, or no TFRecord file.
      UsageError: max_records is below 1.
      BusyError: the dataset was replaced meanwhile.
    """
    if max_records is not None and max_records < 1:
        raise UsageError(f"--max-records must be at least 1, got {max_records}")
    forget_stores()
    path = os.fspath(path)
    reporter = reporter or Reporter()
    reporter.begin("looking for TFRecords")
    with opened_dataset(path) as dataset:
        return _Pass(path, dataset, max_records).run(reporter)


class _Pass:
    """One pass over all files."""

    def __init__(self, path: str, dataset: Dataset, max_records: int | None) -> None:
        self._path = path
        self._dataset = dataset
        self._max_records = max_records
        self._records = 0
        self._sequences = 0
        self._stopped = False
        self._features = FeatureTable()
        self._declared = agreed(dataset.tfds.values())
        self._labels = LabelTable(self._declared)
        self._images = ImageTable()
        self._boxes = BoxTable()
        self._samples = Samples()
        self._problems = ProblemTally(MAX_PROBLEMS, ())

    def run(self, reporter: Reporter) -> Inspection:
        self._problems.add(self._dataset.problems)
        manifest = self._dataset.manifest
        reporter.start(manifest.records if manifest else 0, 0)
        try:
            files = tuple(self._read(name, reporter) for name in self._dataset.shards)
        finally:
            reporter.finish()
        return Inspection(
            path=self._path,
            records=self._records,
            max_records=self._max_records,
            stopped=self._stopped,
            files=files,
            features=self._features.summaries(self._records, self._declared),
            features_left_out=self._features.is_full,
            labels=self._labels.best(),
            images=self._images.summary(),
            samples=self._samples.chosen(),
            problems=tuple(self._problems.kept),
            problem_counts=dict(sorted(self._problems.counts.items())),
            sequences=self._sequences,
            float_label=self._labels.float_key(),
            boxes=self._boxes.summary(),
            schema={f.key: f for f in manifest.schema.features} if manifest else {},
        )

    def _read(self, name: str, reporter: Reporter) -> FileSummary:
        before, problems = self._records, self._problems.counts.total()
        size, compression = _size_and_compression(str(self._dataset.folder / name))
        for entry in () if self._stopped else read_entries(self._dataset, name, self._problems.add):
            if self._records == self._max_records:
                self._stopped = True
                break
            self._add(entry)
            if self._records % _REPORT_EVERY == 0:
                reporter.advance(_REPORT_EVERY, 0, 0)
        return FileSummary(
            name=name,
            split=split_of(self._dataset, name),
            records=self._records - before,
            bytes=size,
            compression=compression,
            whole=not self._stopped and self._problems.counts.total() == problems,
        )

    def _add(self, entry: Entry) -> None:
        self._records += 1
        self._sequences += entry.is_sequence
        self._features.add(entry.features)
        self._labels.add(entry.features)
        self._samples.add(entry)
        stored = find_image(entry.features)
        self._boxes.add(entry.features, stored)
        if stored is not None:
            self._images.add(stored, (key for key, _ in find_images(entry.features)))


def _size_and_compression(path: str) -> tuple[int, str]:
    """Bytes of a file, and whether it is compressed; what cannot be read has none."""
    try:
        with open_binary(path) as file:
            magic = file.read(len(_GZIP_MAGIC))
        return size_of(place_of(path)), "gzip" if magic == _GZIP_MAGIC else "none"
    except OSError:
        return 0, "none"


class Samples:
    """Keeps the first record of the first files, and the first ones of the very first file."""

    def __init__(self) -> None:
        self._firsts: list[SampleRecord] = []
        self._others: list[SampleRecord] = []
        self._file: str | None = None

    def add(self, entry: Entry) -> None:
        is_first = entry.file != self._file
        self._file = entry.file
        samples = self._firsts if is_first else self._others
        if len(samples) < _SAMPLES:
            values = {
                key: shown_feature(f) for key, f in heapq.nsmallest(_SAMPLE_KEYS, entry.features.items())
            }
            samples.append(SampleRecord(entry.file, entry.record, entry.offset, values))

    def chosen(self) -> tuple[SampleRecord, ...]:
        return tuple((self._firsts + self._others)[:_SAMPLES])


def as_json_values(inspection: Inspection) -> dict[str, Any]:
    """What `tfrec inspect --json` tells of it."""
    values = dataclasses.asdict(inspection)
    del values["schema"]
    values["sequence_examples"] = values.pop("sequences")
    for shown, feature in zip(values["features"], inspection.features, strict=True):
        shown["kind"] = feature.kind
    if inspection.labels:
        counts = inspection.labels.counts
        values["labels"]["counts"] = [{"label": x.id, "text": x.text, "count": count} for x, count in counts]
    if inspection.images:
        sizes = inspection.images.sizes
        values["images"]["sizes"] = [{"height": h, "width": w, "count": count} for (h, w), count in sizes]
    return {"splits": inspection.splits, **values}
