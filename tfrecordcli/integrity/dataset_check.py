"""A dataset as a whole, from the reports of its shards: splits, mix, images seen twice, what was left out."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from tfrecordcli.dataset.manifest import Manifest, SplitCounts
from tfrecordcli.formats.digest import add_digests
from tfrecordcli.integrity.agreement import set_of
from tfrecordcli.integrity.discovery import Dataset
from tfrecordcli.integrity.duplicates import RecordPlace, Twice, find_twice, source_ids_folder
from tfrecordcli.integrity.reports import ShardReport
from tfrecordcli.naming import WORK_DIR
from tfrecordcli.problems import Problem, problem
from tfrecordcli.schema import SPLITS
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.tfrecords.foreign import series_of
from tfrecordcli.units import plural, some_of
from tfrecordcli.workdir.job import is_left_over

# The share of records from which on a key is that of their images.
_NEARLY_ALL: Final = 0.9
# A shard's mix is far from its split's when chi-square lies this many standard deviations above what
# chance gives, and when at least this share of its records would have to change their class.
_MAX_DEVIATIONS: Final = 8.0
_MIN_DISTANCE: Final = 0.1
# Classes with fewer expected records are taken together, as the chi-square test wants it.
_MIN_EXPECTED: Final = 5.0


# What a shard's check says of a file that is whole, but not the one that was written.
_EXPLAINED_BY_SWAP: Final = frozenset(
    [
        *("file_size", "file_checksum", "record_count", "record_dropped", "cut_between_records"),
        *("content_digest", "record_doubled"),
    ]
)


def tell_swapped(report: ShardReport, dataset: Dataset, by_content: Mapping[tuple[int, str], str]) -> None:
    """Says so in a report when the file holds what another shard should.

    Args:
      by_content: (bytes, crc32c) -> name of the shard that should have them.
    """
    other = by_content.get((report.bytes, report.crc32c))
    if other is None or not report.bytes or not _differs(report, dataset):
        return
    report.problems = [p for p in report.problems if p.code not in _EXPLAINED_BY_SWAP]
    for code in _EXPLAINED_BY_SWAP:
        report.problem_counts.pop(code, None)
    report.problems.append(problem("files_swapped", report.name, other=other))
    report.problem_counts["files_swapped"] += 1


def _differs(report: ShardReport, dataset: Dataset) -> bool:
    """Whether a file has other bytes than were written; True when that is not known."""
    expected = dataset.expected.get(report.name)
    return expected is None or (report.bytes, report.crc32c) != (expected.bytes, expected.crc32c)


def check_splits(
    dataset: Dataset, reports: Sequence[ShardReport], ignore: Collection[str]
) -> Iterator[Problem]:
    """Each split's records together against the manifest, unless a problem of its files explains them.

    Args:
      ignore: codes of problems that explain nothing.
    """
    assert dataset.manifest is not None
    is_listed = all(found.code in ignore for found in dataset.problems if found.code != "file_extra")
    for split, counts in dataset.manifest.splits.items():
        if split not in SPLITS:
            continue
        if not counts.records and counts.rows > counts.discarded:
            yield problem("empty_split", split=split)
        chosen = [report for report in reports if report.split == split]
        if len(chosen) != counts.shards and not is_listed:
            continue
        if any({*report.problem_counts} - {*ignore} and _differs(report, dataset) for report in chosen):
            continue
        digest = 0
        labels: Counter[int] = Counter()
        for report in chosen:
            digest = add_digests(digest, int(report.digest or "0", 16))
            labels.update(report.labels)
        is_as_written = f"{digest:016x}" == counts.digest and labels == counts.labels
        if not is_as_written or not _can_be(counts, labels.total()):
            yield problem("split_digest", split=split)


def _can_be(counts: SplitCounts, labels: int) -> bool:
    """Whether records that have as many labels each as the manifest says can have so many together."""
    if counts.labels_per_record is None:  # there are no records, or an earlier version wrote them
        return True
    least, most = counts.labels_per_record
    return least * counts.records <= labels <= most * counts.records


def check_class_mix(reports: Sequence[ShardReport]) -> Iterator[Problem]:
    """Shards whose classes are far from the mix of their split: sorted input that was not shuffled."""
    by_split: dict[str, list[ShardReport]] = {}
    for report in reports:
        by_split.setdefault(report.split or series_of(report.name), []).append(report)
    for split, members in by_split.items():
        total: Counter[int] = Counter()
        for report in members:
            total.update(report.labels)
        if len(total) < 2 or len(members) < 2:
            continue
        for report in members:
            detail = _departure(report.labels, total, report.records)
            if detail:
                yield problem("class_mix", report.name, split=split or "the dataset", detail=detail)


def check_image_keys(reports: Iterable[ShardReport]) -> Iterator[Problem]:
    """Records of others that hold their images elsewhere than nearly all of their series."""
    by_series: dict[str, list[ShardReport]] = {}
    for report in reports:
        by_series.setdefault(series_of(report.name), []).append(report)
    for members in by_series.values():
        counts: Counter[str] = Counter()
        for report in members:
            for keys, (records, _, _) in report.image_keys.items():
                counts.update(dict.fromkeys(keys.split("\n"), records))
        total = sum(records for report in members for records, _, _ in report.image_keys.values())
        usual, most = max(counts.items(), key=lambda item: (item[1], item[0]), default=("", 0))
        if most == total or most < _NEARLY_ALL * total:
            continue
        for report in members:
            for keys, (records, number, offset) in report.image_keys.items():
                if usual not in keys.split("\n"):
                    details = {"keys": " and ".join(keys.split("\n")), "usual": usual, "records": records}
                    yield problem("image_elsewhere", report.name, number, offset, **details)


def _departure(found: Counter[int], total: Counter[int], records: int) -> str:
    """How a shard's classes depart from the total's; empty when chance explains it.

    Objects of one image are alike: they count as if each image had one (Kish's design effect, at its most).
    """
    size, everything = found.total(), total.total()
    if not size:
        return ""
    cells: list[tuple[float, int]] = []
    rest_expected, rest_found = 0.0, 0
    for label, count in total.items():
        expected = size * count / everything
        if expected >= _MIN_EXPECTED:
            cells.append((expected, found[label]))
        else:
            rest_expected += expected
            rest_found += found[label]
    if rest_expected >= _MIN_EXPECTED:
        cells.append((rest_expected, rest_found))
    freedom = len(cells) - 1
    if freedom < 1:
        return ""
    chi_square = sum((seen - expected) ** 2 / expected for expected, seen in cells)
    chi_square /= max(size / records, 1.0)
    distance = sum(abs(seen - expected) for expected, seen in cells) / 2 / size
    if (chi_square - freedom) / math.sqrt(2 * freedom) < _MAX_DEVIATIONS or distance < _MIN_DISTANCE:
        return ""
    what = "records" if size <= records else "labels"
    return f"{distance:.0%} of its {size:,} {what} would have to be of another class"


# What explains images seen twice, so that they need not be told one by one.
_EXPLAINS_TWICE: Final = frozenset(("record_doubled", "files_swapped"))


def check_twice(
    folders: Sequence[str], shards: Mapping[int, tuple[str, str]], reports: Iterable[ShardReport]
) -> Iterator[Problem]:
    """Images that stand in two records.

    Args:
      folders: of the image keys.
      shards: (name, split) of every shard by its number.
      reports: of these shards.
    """
    for pair, name, other_name in _unexplained(folders, shards, reports):
        split, other_split = shards[pair.second.shard][1], shards[pair.first.shard][1]
        code = "leakage" if split and other_split and split != other_split else "duplicate_image"
        other = f"record {pair.first.record} of {other_name}"
        yield problem(code, name, pair.second.record, pair.second.offset, other=other)


def check_source_ids(
    folder: str, shards: Mapping[int, tuple[str, str]], reports: Iterable[ShardReport], *, is_ours: bool
) -> Iterator[Problem]:
    """Numbers of images that stand in two records; arguments as of `check_twice`."""
    pairs = _unexplained([source_ids_folder(folder)], shards, reports)
    if not is_ours:
        yield from _told_once(pairs, shards)
        return
    for pair, name, other_name in pairs:
        other = f"record {pair.first.record} of {other_name}"
        yield problem("source_id_twice", name, pair.second.record, pair.second.offset, other=other)


def _told_once(
    pairs: Iterable[tuple[Twice, str, str]], shards: Mapping[int, tuple[str, str]]
) -> Iterator[Problem]:
    """Ids of others' images that stand in several records of one split, each once: it may be that of all."""
    for _, same in itertools.groupby(pairs, lambda found: found[0].first):
        first: dict[tuple[str, str], RecordPlace] = {}
        again: dict[tuple[str, str], tuple[RecordPlace, RecordPlace]] = {}
        for at, (pair, _, _) in enumerate(same):
            for place in (pair.second,) if at else (pair.first, pair.second):
                name, split = shards[place.shard]
                one = set_of(name), split
                known = first.setdefault(one, place)
                if known != place:
                    again.setdefault(one, (known, place))
        for known, place in again.values():
            other = f"record {known.record} of {shards[known.shard][0]}"
            yield problem("source_id_again", shards[place.shard][0], place.record, place.offset, other=other)


def _unexplained(
    folders: Sequence[str], shards: Mapping[int, tuple[str, str]], reports: Iterable[ShardReport]
) -> Iterator[tuple[Twice, str, str]]:
    """Pairs of equal keys that no problem of their files explains, with the files of the second and first."""
    explained = {report.name for report in reports if _EXPLAINS_TWICE & report.problem_counts.keys()}
    for pair in find_twice(*folders):
        name, other_name = shards[pair.second.shard][0], shards[pair.first.shard][0]
        if not explained & {name, other_name}:
            yield pair, name, other_name


def totals_by_split(reports: Iterable[ShardReport]) -> dict[str, dict[str, Any]]:
    """records, bytes and shards of each split; of files whose names tell no split, under another word."""
    table: dict[str, dict[str, Any]] = {}
    reports = list(reports)
    unknown = "other" if any(report.split for report in reports) else "all"
    for report in reports:
        entry = table.setdefault(report.split or unknown, {"records": 0, "bytes": 0, "shards": 0})
        entry["records"] += report.records
        entry["bytes"] += report.bytes
        entry["shards"] += 1
    return table


# --- what was not checked ---


def what_was_not_checked(dataset: Dataset, reports: Iterable[ShardReport]) -> list[str]:
    """Sentences on what could not be checked here."""
    if dataset.manifest is not None:
        return list(_folders_of_ours(dataset, dataset.manifest))
    tfds = dataset.tfds.values()
    counts = "" if any(metadata.lengths for metadata in tfds) else "number of records, "
    rest = "" if any(metadata.features for metadata in tfds) else ", features and labels"
    missing = [f"{counts}checksums{rest}: there is no manifest.json to compare with"]
    missing += [sentence for metadata in tfds for sentence in metadata.problems]
    if dataset.left_out:
        missing.append(f"{some_of(dataset.left_out)}: datasets of their own; verify them by their own paths")
    if others := dataset.passed_over:
        verb = "is" if len(others) == 1 else "are"
        missing.append(
            f"{plural(len(others), 'file')} that {verb} named like TFRecords but "
            f"{'begins' if len(others) == 1 else 'begin'} like none: {some_of(others, 10)}"
        )
    return [*missing, *_unchecked_records(list(reports))]


def _unchecked_records(reports: Sequence[ShardReport]) -> Iterator[str]:
    """What could not be checked of the records of anybody's shards."""
    raw = sum(report.raw_images for report in reports)
    without = sum(report.imageless for report in reports) - raw
    unsized = sum(report.unsized for report in reports)
    sequences = sum(report.sequences for report in reports)
    if sequences:
        verb = "is a SequenceExample" if sequences == 1 else "are SequenceExamples"
        whose = "whose feature lists were not looked at, images in them neither"
        yield f"feature lists: {plural(sequences, 'record')} {verb}, {whose}"
    if raw:
        verb = "holds" if raw == 1 else "hold"
        yield f"images: {plural(raw, 'record')} {verb} raw pixels, whose number of bytes is right"
    if without:
        verb = "holds" if without == 1 else "hold"
        yield f"images: {plural(without, 'record')} {verb} no JPEG or PNG that could be found"
    if unsized:
        yield f"sizes: no height and width stand beside the image of {plural(unsized, 'record')}"
    skipped = [report.name for report in reports if report.index_skipped]
    if skipped:
        yield f"indexes: that of {skipped[0]} ({len(skipped)} in all) is of an unknown kind"
    if not any(report.labels for report in reports):
        yield "the mix of classes: no record has image/class/label"
    if len(reports) > 1 and not any(report.split for report in reports):
        yield "images in two splits: the file names do not tell the splits"


def _folders_of_ours(dataset: Dataset, manifest: Manifest) -> Iterator[str]:
    """What stands in a dataset of tfrec that never had a folder when it was finished."""
    others = [name for name in dataset.left_out if name != WORK_DIR]
    if others:
        yield f"what is in {some_of(others)}: no part of the dataset"
    if WORK_DIR not in dataset.left_out:
        return
    if is_left_over(dataset.folder, manifest):
        hint = f"{command_line(['tfrec', 'finish', as_path(str(dataset.folder))])} clears it up"
        yield f"what is in {WORK_DIR}: left by a run that died, unless one begins just now; {hint}"
    else:
        yield f"what is in {WORK_DIR}: a conversion that replaces the dataset is at work, or was not finished"
