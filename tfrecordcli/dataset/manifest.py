"""manifest.json and its neighbours: written last, the proof that every shard is there."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final

import google_crc32c

from tfrecordcli.boxes import BoxCounts
from tfrecordcli.dataset.checksummed_json import FileSum, SummedText
from tfrecordcli.dataset.plan import Plan
from tfrecordcli.dataset.shard_info import RecordFacts, ShardEntry, ShardInfo
from tfrecordcli.errors import InternalError, OutputError
from tfrecordcli.formats.digest import add_digests
from tfrecordcli.formats.typed_json import MismatchError, from_json, of_type, plain
from tfrecordcli.naming import (
    BOXES_LEFT_OUT,
    INDEX_SUFFIX,
    LABEL_MAP,
    LABELS,
    MANIFEST,
    REJECTS,
    SHARDS,
    SIDE_FILES,
    TFDS_FILES,
    is_dataset_file,
    parse_shard_name,
)
from tfrecordcli.schema import CLASSIFICATION, NO_SPLIT, SCHEMA_VERSION, SPLITS, Schema
from tfrecordcli.storage.network import map_ahead
from tfrecordcli.storage.store_path import Place, StorePath, size_of
from tfrecordcli.storage.writing import whole_file


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


def split_counts(plan: Plan, totals: Mapping[str, Totals]) -> dict[str, dict[str, int]]:
    """Rows of every split by what became of them, checked to add up.

    The bucket ``none`` holds rows that never got a split.

    Raises:
      InternalError: rows are not records + rejected + merged + discarded.
    """
    counts = {}
    for split in (*SPLITS, NO_SPLIT):
        fates = plan.tally.get(split, {})
        sums = totals.get(split, Totals())
        if not fates.get("rows"):
            continue
        entry = {
            "rows": fates["rows"],
            "records": sums.records,
            "rejected": fates.get("rejected", 0) + sums.rejected,
            "merged": fates.get("merged", 0),
            "discarded": fates.get("discarded", 0),
        }
        if entry["rows"] != sum(entry.values()) - entry["rows"]:
            raise InternalError(f"the rows of {split} do not add up: {entry}")
        counts[split] = entry | {"shards": sums.shards, "bytes": sums.bytes}
    return counts


def box_counts(plan: Plan, totals: Mapping[str, Totals]) -> BoxCounts:
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


def manifest_values(
    plan: Plan,
    labels: Mapping[str, int],
    totals: Mapping[str, Totals],
    version: str,
    files: Mapping[str, FileSum],
) -> dict[str, Any]:
    """Content of manifest.json. It holds no time, user or path that the user did not write.

    Args:
      files: name -> size and checksum of each file beside the shards.
    """
    notes: Counter[str] = Counter()
    reasons = Counter(plan.problem_codes)
    for sums in totals.values():
        notes.update(sums.notes)
        reasons.update(sums.reasons)
    counts = split_counts(plan, totals)
    for split in counts.keys() - {NO_SPLIT}:
        sums = totals.get(split, Totals())
        extra: dict[str, Any] = {"digest": f"{sums.digest:016x}", "bytes_read": sums.bytes_read}
        extra |= plain(sums.facts)
        if plan.schema.task == "detection":
            extra["boxes"] = sums.boxes.stored
        # JSON makes text of the numbers; a million texts would be kept here.
        extra["labels"] = sums.take_labels()
        counts[split] |= extra
    values = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "tfrecordcli", "version": version},
        "codecs": _codec_versions(totals),
        "identity": plan.identity,
        "options": plan.options,
        "rows": plan.rows,
        "records": sum(sums.records for sums in totals.values()),
        "splits": counts,
        "label_kind": plan.label_kind,
        "num_labels": len(labels),
        "labels": labels,
        "schema": plain(plan.schema),
        "features": plan.schema.table(),
        "reasons": dict(sorted(reasons.items())),
        "notes": dict(sorted(notes.items())),
        "remarks": list(plan.remarks),
        "warnings": list(plan.warnings),
        "files": plain(files),
    }
    if plan.schema.task == "detection":
        values["box_unit"] = plan.unit
        values["boxes"] = plain(box_counts(plan, totals))
    if not plan.tells_lines:
        values["tells_lines"] = False
    if plan.schema.task != "tabular":
        values["gate"] = plan.gate
    return values | {"checksum": manifest_checksum(values)}


def manifest_checksum(values: Mapping[str, Any]) -> str:
    """CRC32C of what a manifest says, however it is laid out: 8 hex digits; its own entry is left out."""
    crc = 0
    for name, value in values.items():
        if name != "checksum":
            for piece in chain([f"[{json.dumps(name)}, "], _json_pieces(value), "]"):
                crc = google_crc32c.extend(crc, piece.encode())
    return f"{crc:08x}"


def _json_pieces(value: Any) -> Iterator[str]:
    """The text of `json.dumps`, some entries at a time: a million labels are never one text."""
    if not isinstance(value, Mapping):
        yield json.dumps(value)
        return
    if isinstance(value, _LabelCounts):
        yield f"{{{value.text.decode()}}}"
        return
    entries = iter(value.items())
    before = "{"
    while some := dict(islice(entries, 1_000)):
        if any(isinstance(inner, Mapping) for inner in some.values()):
            for key, inner in some.items():
                yield f"{before}{json.dumps(key)}: "
                yield from _json_pieces(inner)
                before = ", "
        else:
            yield before + json.dumps(some)[1:-1]
            before = ", "
    yield "}" if value else "{}"


def schema_of(manifest: Mapping[str, Any]) -> Schema:
    """The schema of a dataset; manifests of earlier versions have none, as there was only one.

    Raises:
      MismatchError: it is none.
    """
    if "schema" not in manifest:
        return CLASSIFICATION
    try:
        return of_type(Schema, manifest["schema"])
    except MismatchError as error:
        raise error.within("schema") from None


def sums_of_files(manifest: Mapping[str, Any]) -> dict[str, FileSum]:
    """Name -> size and checksum of what was written beside the shards, as far as its version tells.

    Raises:
      MismatchError: they are none, or of other files.
    """
    # Once rejects.csv alone was told of, under a key of its own.
    files = manifest.get("files", {REJECTS: manifest["rejects"]} if "rejects" in manifest else {})
    try:
        sums = of_type(dict[str, FileSum], files)
        if not sums.keys() <= {*SIDE_FILES} - {MANIFEST}:
            raise MismatchError("files that are none beside the shards")
        return sums
    except MismatchError as error:
        raise error.within("files") from None


def _codec_versions(totals: Mapping[str, Totals]) -> dict[str, str]:
    """Library -> version; several when a run went on after an upgrade."""
    found: dict[str, list[str]] = {}
    for name, version in sorted(set().union(*(sums.codecs for sums in totals.values()))):
        found.setdefault(name, []).append(version)
    return {name: ", ".join(versions) for name, versions in found.items()}


def write_manifest(folder: Place, values: Mapping[str, Any], temporary: Path) -> None:
    """Writes manifest.json in one step; from then on the dataset is complete."""
    with whole_file(folder / MANIFEST, temporary) as file:
        file.writelines(json.JSONEncoder(indent=2, ensure_ascii=False).iterencode(values))
        file.write("\n")


# A line of `write_manifest` that says how many records of a split have a label.
_LABEL_COUNT = re.compile(rb' {8}"\d+": \d+,?\s*')

_KINDS: Final = {
    "identity": str, "options": dict, "rows": int, "records": int, "splits": dict, "label_kind": str,
    "num_labels": int, "labels": dict, "reasons": dict, "notes": dict, "warnings": list,
}  # fmt: skip


class DamagedManifest(OutputError):
    """A manifest that tfrec wrote, but not as it is."""


def load_manifest(folder: Place, *, label_counts: bool = True) -> dict[str, Any] | None:
    """Content of a folder's manifest.json, or None when there is none.

    Args:
      label_counts: False leaves out how many records of each split have which label: of a million labels
        that is more than all the rest.

    Raises:
      DamagedManifest: its content differs from its checksum.
      OutputError: a file of that name, but not ours, or one of a newer tfrec.
    """
    path = folder / MANIFEST
    try:
        values, is_whole = _read_manifest(path, label_counts)
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError):
        values, is_whole = None, False
    if not isinstance(values, dict) or not {"identity", "checksum"} <= values.keys():
        raise OutputError(
            f"{path}: this is no manifest of tfrec", "move it away or choose another output directory"
        )
    version = values.get("schema_version")
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise OutputError(
            f"{path}: this dataset was written by a newer tfrec",
            "update: pip install -U tfrecordcli",
            code="newer",
        )
    if not is_whole:
        raise DamagedManifest(
            f"{path}: the manifest is damaged, or was edited",
            "tfrec verify shows what is wrong; tfrec convert --overwrite makes the dataset anew",
        )
    return values


def _is_whole(values: Any) -> bool:
    return (
        isinstance(values, dict)
        and all(isinstance(values.get(name), kind) for name, kind in _KINDS.items())
        and values.get("checksum") == manifest_checksum(values)
    )


class _LabelCounts(dict[str, int]):
    """The label counts of a split that are left out: empty, and their JSON text for the checksum."""

    text = b""


def _read_manifest(path: Place, label_counts: bool) -> tuple[Any, bool]:
    """What is in the file, and whether it is as it was written."""
    values: Any = None
    is_whole = False
    if not label_counts:
        with path.open("rb") as lines, contextlib.suppress(ValueError):
            values = _without_counts(lines)
            is_whole = _is_whole(values)
    if not is_whole:  # laid out anew by somebody, say
        values = json.loads(path.read_bytes())
        is_whole = _is_whole(values)
    if is_whole and not label_counts:
        for counts in values["splits"].values():
            if isinstance(counts, dict) and "labels" in counts:
                counts["labels"] = {}
    return values, is_whole


def _without_counts(lines: Iterable[bytes]) -> Any:
    """The values of a manifest's lines, as `write_manifest` lays them out."""
    data = bytearray()
    texts: list[bytearray] = []
    is_count = False
    for line in lines:
        was_count, is_count = is_count, _LABEL_COUNT.fullmatch(line) is not None
        if not is_count:
            data += line
        elif was_count:
            texts[-1] += b" " + line.strip()
        else:
            data += b'"": %d\n' % len(texts)
            texts.append(bytearray(line.strip()))
    values = json.loads(data.decode())
    data.clear()
    splits = values.get("splits") if isinstance(values, dict) else None
    for counts in splits.values() if isinstance(splits, dict) else ():
        place = counts.get("labels") if isinstance(counts, dict) else None
        if isinstance(place, dict) and place.keys() == {""}:
            counts["labels"] = _LabelCounts()
            counts["labels"].text = bytes(texts[place[""]])
    return values


def belongs(name: str, manifest: Mapping[str, Any]) -> bool:
    """Whether a file of this name is one of the dataset's, and not only called like one.

    Args:
      manifest: of the dataset; of a damaged one, which is empty here, every file called like one is.
    """
    if not manifest:
        return is_dataset_file(name)
    if name in SIDE_FILES:
        rejected = sum(counts["rejected"] for counts in manifest["splits"].values())
        has_labels = bool(manifest["num_labels"])
        boxes = manifest.get("boxes")
        return {
            LABELS: has_labels,
            LABEL_MAP: has_labels and boxes is not None,
            REJECTS: bool(rejected),
            BOXES_LEFT_OUT: bool(boxes and boxes["left_out"]),
            **{file: file in manifest.get("files", {}) for file in TFDS_FILES},
        }.get(name, True)
    options = manifest["options"]["shard"]
    is_index = name.endswith(INDEX_SUFFIX)
    shard = parse_shard_name(name.removesuffix(INDEX_SUFFIX))
    if shard is None or (is_index and not options["index"]) or shard.compression != options["compression"]:
        return False
    return bool(shard.count == manifest["splits"].get(shard.split, {}).get("shards"))


def damaged_file(folder: Place, manifest: Mapping[str, Any]) -> str:
    """The first file of a finished dataset that is not as long as it was made; empty when all are.

    This takes a look at each file, not into it.

    Raises:
      StoreError, OutageError: the store that it is on is in the way.
    """

    has_index = manifest["options"]["shard"]["index"]

    def look(line: bytes) -> str:
        entry = from_json(ShardEntry, line)
        name = entry.file
        if not _has_size(folder / name, entry.bytes):
            return name
        return name + INDEX_SUFFIX if has_index and not (folder / (name + INDEX_SUFFIX)).is_file() else ""

    try:
        with (folder / SHARDS).open("rb") as lines:
            shards = 0
            mapping = map_ahead if isinstance(folder, StorePath) else map
            for damaged in mapping(look, lines):
                shards += 1
                if damaged:
                    return damaged
    except (OSError, ValueError):
        return SHARDS
    planned = sum(counts.get("shards", 0) for counts in manifest["splits"].values())
    return _damaged_side_file(folder, manifest) if shards == planned else SHARDS


def _damaged_side_file(folder: Place, manifest: Mapping[str, Any]) -> str:
    """The same of what stands beside the shards."""
    if manifest["num_labels"] and not _holds(folder / LABELS, "\n".join([*manifest["labels"], ""])):
        return LABELS
    rejected = sum(counts["rejected"] for counts in manifest["splits"].values())
    # Whether it is whole is not known: people mend it where it is.
    if rejected and not (folder / REJECTS).is_file():
        return REJECTS
    written = sums_of_files(manifest)
    others = (name for name in TFDS_FILES if name in written)
    return next((name for name in others if not _has_size(folder / name, written[name].bytes)), "")


def _holds(path: Place, text: str) -> bool:
    try:
        return path.read_bytes() == text.encode()
    except OSError:
        return False


def _has_size(path: Place, size: int) -> bool:
    try:
        return size_of(path) == size
    except OSError:
        return False


def write_text(path: Place, pieces: Iterable[str], temporary: Path) -> FileSum:
    """Writes a file beside the shards in one step."""
    with whole_file(path, temporary) as file:
        summed = SummedText(file)
        for piece in pieces:
            summed.write(piece)
    return summed.sum()
