"""What the shards of a dataset come to: sums by split, shards.jsonl on the way, and the manifest at last."""

from __future__ import annotations

import dataclasses
import json
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tfrecordcli.boxes import BoxCounts
from tfrecordcli.dataset.checksummed_json import FileSum, SummedText
from tfrecordcli.dataset.manifest import Manifest, SplitCounts
from tfrecordcli.dataset.manifest_file import manifest_checksum
from tfrecordcli.dataset.plan import Plan
from tfrecordcli.dataset.shard_info import RecordFacts, ShardInfo
from tfrecordcli.errors import InternalError
from tfrecordcli.formats.digest import add_digests
from tfrecordcli.formats.typed_json import plain
from tfrecordcli.schema import NO_SPLIT, SCHEMA_VERSION, SPLITS
from tfrecordcli.storage.store_path import Place
from tfrecordcli.storage.writing import whole_file
from tfrecordcli.version import __version__


@dataclass(slots=True)
class Totals:
    """Sums over the shards of one split, or of all; ``lengths`` are the records of each, in order."""

    shards: int = 0
    planned: int = 0
    records: int = 0
    rejected: int = 0
    bytes: int = 0
    bytes_read: int = 0
    digest: int = 0
    lengths: array[int] = field(default_factory=lambda: array("q"))
    labels: Counter[int] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    codecs: set[tuple[str, str]] = field(default_factory=set)
    facts: RecordFacts = field(default_factory=RecordFacts)
    boxes: BoxCounts = field(default_factory=BoxCounts)

    def add(self, info: ShardInfo) -> None:
        self.shards += 1
        self.lengths.append(info.records)
        self.planned += info.planned
        self.records += info.records
        self.rejected += len(info.rejects)
        self.bytes += info.bytes
        self.bytes_read += info.bytes_read
        self.digest = add_digests(self.digest, int(info.digest, 16))
        self.labels.update(info.labels)
        self.notes.update(info.notes)
        self.codecs.update(info.codecs.items())
        self.facts.add(info.facts)
        self.boxes.add(info.boxes)
        self.reasons.update(reject.code for reject in info.rejects)

    def take_labels(self) -> dict[int, int]:
        """Records of each label, in the order of ids; given away: a million of them stand nowhere twice."""
        ids = sorted(self.labels)
        counts = array("q", map(self.labels.__getitem__, ids))
        self.labels.clear()
        return dict(zip(ids, counts, strict=True))


def sum_shards(
    infos: Iterable[ShardInfo], shards_file: Place, temporary: Path
) -> tuple[dict[str, Totals], FileSum]:
    """Totals by split; writes shards.jsonl on the way, a line a shard, and tells its sum."""
    totals: dict[str, Totals] = {}
    with whole_file(shards_file, temporary) as file:
        lines = SummedText(file)
        for info in infos:
            totals.setdefault(info.split, Totals()).add(info)
            lines.write(json.dumps(plain(info.entry())) + "\n")
    return totals, lines.sum()


def make_manifest(
    plan: Plan,
    labels: Mapping[str, int],
    totals: Mapping[str, Totals],
    files: Mapping[str, FileSum],
) -> Manifest:
    """The manifest of a dataset whose shards stand; the label counts of the totals go into it.

    Args:
      files: name -> size and checksum of each file beside the shards.

    Raises:
      InternalError: rows or boxes do not add up.
    """
    notes: Counter[str] = Counter()
    reasons = Counter(plan.problem_codes)
    for sums in totals.values():
        notes.update(sums.notes)
        reasons.update(sums.reasons)
    has_boxes = plan.schema.task == "detection"
    manifest = Manifest(
        schema_version=SCHEMA_VERSION,
        tool={"name": "tfrecordcli", "version": __version__},
        codecs=_codec_versions(totals),
        identity=plan.identity,
        options=plan.options,
        rows=plan.rows,
        records=sum(sums.records for sums in totals.values()),
        splits={
            split: _split_counts(plan, split, totals.get(split, Totals()))
            for split in (*SPLITS, NO_SPLIT)
            if plan.tally.get(split, {}).get("rows")
        },
        label_kind=plan.label_kind,
        num_labels=len(labels),
        labels=labels,
        schema=plan.schema,
        features=plan.schema.table(),
        reasons=dict(sorted(reasons.items())),
        notes=dict(sorted(notes.items())),
        remarks=tuple(plan.remarks),
        warnings=tuple(plan.warnings),
        files=files,
        box_unit=plan.unit if has_boxes else "",
        boxes=_box_counts(plan, totals) if has_boxes else None,
        tells_lines=plan.tells_lines,
        gate=None if plan.schema.task == "tabular" else plan.gate,
    )
    return dataclasses.replace(manifest, checksum=manifest_checksum(manifest.as_json()))


def _split_counts(plan: Plan, split: str, sums: Totals) -> SplitCounts:
    """Rows of a split by what became of them, checked to add up, and what its records are like."""
    tally = plan.tally[split]
    facts = {each.name: getattr(sums.facts, each.name) for each in dataclasses.fields(sums.facts)}
    try:
        return SplitCounts(
            rows=tally["rows"],
            records=sums.records,
            rejected=tally.get("rejected", 0) + sums.rejected,
            merged=tally.get("merged", 0),
            discarded=tally.get("discarded", 0),
            shards=sums.shards,
            bytes=sums.bytes,
            digest="" if split == NO_SPLIT else f"{sums.digest:016x}",
            bytes_read=sums.bytes_read,
            boxes=sums.boxes.stored if plan.schema.task == "detection" and split != NO_SPLIT else None,
            # JSON makes text of the numbers; a million texts would be kept here.
            labels=sums.take_labels(),
            **facts,
        )
    except ValueError as error:
        raise InternalError(f"the rows of {split} do not add up: {error}") from error


def _box_counts(plan: Plan, totals: Mapping[str, Totals]) -> BoxCounts:
    """Boxes of a whole list by what became of them, checked to add up.

    Raises:
      InternalError: some were lost.
    """
    made = BoxCounts()
    for sums in totals.values():
        made.add(sums.boxes)
    if made.stored + made.left_out + made.rejected != plan.boxes.stored:
        raise InternalError(f"the boxes do not add up: {plan.boxes.stored:,} planned, {made}")
    made.add(dataclasses.replace(plan.boxes, stored=0, most=0))
    return made


def _codec_versions(totals: Mapping[str, Totals]) -> dict[str, str]:
    """Library -> version; several when a run went on after an upgrade."""
    found: dict[str, list[str]] = {}
    for name, version in sorted(set().union(*(sums.codecs for sums in totals.values()))):
        found.setdefault(name, []).append(version)
    return {name: ", ".join(versions) for name, versions in found.items()}
