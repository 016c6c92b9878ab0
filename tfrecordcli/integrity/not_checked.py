"""What could not be checked, most of it in files that somebody else wrote."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tfrecordcli.integrity.discovery import Dataset
from tfrecordcli.integrity.reports import ShardReport
from tfrecordcli.naming import WORK_DIR
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.units import plural, some_of
from tfrecordcli.workdir.job import is_left_over


def what_was_not_checked(dataset: Dataset, reports: Iterable[ShardReport]) -> list[str]:
    """Sentences on what could not be checked here."""
    if dataset.manifest is not None:
        return list(_folders_of_ours(dataset, dataset.manifest))
    tfds = dataset.tfds.values()
    counts = "" if any(metadata.lengths for metadata in tfds) else "number of records, "
    rest = "" if any(metadata.features for metadata in tfds) else ", features and labels"
    missing = [f"{counts}checksums{rest}: there is no manifest.json to compare with"]
    missing += [sentence for metadata in tfds for sentence in metadata.trouble]
    if dataset.left_out:
        missing.append(f"{some_of(dataset.left_out)}: datasets of their own; verify them by their own paths")
    if others := dataset.passed_over:
        verb = "is" if len(others) == 1 else "are"
        missing.append(
            f"{plural(len(others), 'file')} that {verb} named like TFRecords but "
            f"{'begins' if len(others) == 1 else 'begin'} like none: {some_of(others, 10)}"
        )
    reports = list(reports)
    raw = sum(report.raw_images for report in reports)
    without = sum(report.imageless for report in reports) - raw
    unsized = sum(report.unsized for report in reports)
    sequences = sum(report.sequences for report in reports)
    if sequences:
        verb = "is a SequenceExample" if sequences == 1 else "are SequenceExamples"
        whose = "whose feature lists were not looked at, images in them neither"
        missing.append(f"feature lists: {plural(sequences, 'record')} {verb}, {whose}")
    if raw:
        verb = "holds" if raw == 1 else "hold"
        missing.append(f"images: {plural(raw, 'record')} {verb} raw pixels, whose number of bytes is right")
    if without:
        verb = "holds" if without == 1 else "hold"
        missing.append(f"images: {plural(without, 'record')} {verb} no JPEG or PNG that could be found")
    if unsized:
        missing.append(f"sizes: no height and width stand beside the image of {plural(unsized, 'record')}")
    skipped = [report.name for report in reports if report.index_skipped]
    if skipped:
        missing.append(f"indexes: that of {skipped[0]} ({len(skipped)} in all) is of an unknown kind")
    if not any(report.labels for report in reports):
        missing.append("the mix of classes: no record has image/class/label")
    if len(reports) > 1 and not any(report.split for report in reports):
        missing.append("images in two splits: the file names do not tell the splits")
    return missing


def _folders_of_ours(dataset: Dataset, manifest: Mapping[str, Any]) -> Iterator[str]:
    """What stands in a dataset of tfrec that never had a folder when it was finished."""
    others = [name for name in dataset.left_out if name != WORK_DIR]
    if others:
        yield f"what is in {some_of(others)}: no part of the dataset"
    if WORK_DIR not in dataset.left_out:
        return
    if is_left_over(dataset.folder, manifest):
        cure = f"{command_line(['tfrec', 'finish', as_path(str(dataset.folder))])} clears it up"
        yield f"what is in {WORK_DIR}: left by a run that died, unless one begins just now; {cure}"
    else:
        yield f"what is in {WORK_DIR}: a conversion that replaces the dataset is at work, or was not finished"
