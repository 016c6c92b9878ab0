"""What a path holds: our dataset, an unfinished one, or TFRecords of others; which shards are chosen."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from tfrecordcli.dataset.manifest import Manifest
from tfrecordcli.dataset.plan import PLAN_FILE
from tfrecordcli.dataset.shard_info import ShardEntry
from tfrecordcli.errors import InputError, UsageError
from tfrecordcli.integrity.manifest_check import is_of_another_program, read_manifest, read_shards_list
from tfrecordcli.integrity.tfds import departures
from tfrecordcli.naming import INDEX_SUFFIX, MANIFEST, SHARDS, SIDE_FILES, TFDS_FILES, WORK_DIR
from tfrecordcli.problems import Problem, problem
from tfrecordcli.schema import SPLITS
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.split_words import parse_split
from tfrecordcli.storage.store_path import Place, StorePath, file_names, place_of, walk, why_not_read
from tfrecordcli.tfrecords.foreign import (
    NUMBERED,
    find_tfrecords,
    incomplete_series,
    is_broken,
    is_like_name,
    is_stray,
)
from tfrecordcli.tfrecords.tfds_metadata import TfdsMetadata, read_folders, told_lengths
from tfrecordcli.units import some_of
from tfrecordcli.workdir.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Dataset:
    """Files to be verified.

    Attributes:
      folder: that their names are relative to.
      shards: names, sorted; those that the manifest promises and those found beside them.
      manifest: its content; None for foreign files.
      expected: name -> line of shards.jsonl.
      problems: what could be told without opening a shard.
      left_out: folders in it that are not looked into: beside foreign files, datasets of their own.
      passed_over: files beside foreign ones that are called like TFRecords and are none.
      tfds: folder, relative to the dataset, of foreign files -> what TensorFlow Datasets tells of it.
    """

    folder: Place
    shards: tuple[str, ...]
    manifest: Manifest | None
    expected: Mapping[str, ShardEntry]
    problems: tuple[Problem, ...]
    left_out: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()
    tfds: Mapping[str, TfdsMetadata] = field(default_factory=dict)

    def split_of(self, name: str) -> str:
        """The split that a shard belongs to; empty when its name does not tell."""
        words = (parse_split(word) for word in re.split(r"[^A-Za-z]+", name) if word)
        known = {word for word in words if word in SPLITS}
        return (known.pop() or "") if len(known) == 1 else ""


def discover(path: str) -> Dataset:
    """Finds out what is at a path.

    Raises:
      InputError: there is nothing, or no TFRecord file.
    """
    folder = place_of(path)
    if _is_file(folder):
        return _one_file(folder)
    names = _files_in(folder)
    if MANIFEST in names and not is_of_another_program(folder, names):
        return _ours(folder, names)
    return _without_manifest(folder, names)


def _files_in(folder: Place) -> list[str]:
    """Names of its files, sorted; with what is called like TFRecords and cannot be read as a file."""
    try:
        if isinstance(folder, StorePath):
            return _objects_in(folder)
        entries = list(os.scandir(folder))
    except OSError as error:
        what, hint = why_not_read(folder, error)
        raise InputError(f"{folder}: {what}", hint) from error
    return sorted(entry.name for entry in entries if _may_be_file(entry))


def _objects_in(folder: StorePath) -> list[str]:
    names = file_names(folder)
    if not names and not folder.is_dir():
        raise InputError(f"{folder}: there is nothing of this name", "check the URL")
    return names


def _is_file(place: Place) -> bool:
    try:
        return place.is_file()
    except OSError:  # the listing of the folder says what is wrong
        return False


def _may_be_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file() or is_broken(entry.path)
    except OSError:  # a link that leads in a circle
        return True


def _one_file(path: Place) -> Dataset:
    """One file, with what the manifest beside it says of it, if there is one."""
    problems: list[Problem] = []
    folder = path.parent
    names = [name for name in (MANIFEST, SHARDS) if (folder / name).exists()]
    if not is_like_name(path.name):
        return Dataset(folder, (path.name,), None, {}, ())
    if MANIFEST not in names or is_of_another_program(folder, [*names, path.name]):
        tfds = read_folders(folder, [path.name])
        return Dataset(folder, (path.name,), None, {}, tuple(unfinished(folder)), tfds=tfds)
    manifest = read_manifest(folder, problems)
    expected = read_shards_list(folder, manifest, problems) if manifest else {}
    if manifest and not problems and path.name not in expected:
        problems.append(problem("file_extra", path.name))
        manifest = None
    return Dataset(folder, (path.name,), manifest, expected, tuple(problems))


def _ours(folder: Place, names: list[str]) -> Dataset:
    problems: list[Problem] = []
    manifest = read_manifest(folder, problems)
    expected = read_shards_list(folder, manifest, problems) if manifest else {}
    present, _ = find_tfrecords(folder, names)
    if manifest is not None and not problems:
        problems += [problem("file_missing", name) for name in sorted(expected.keys() - names)]
        known = {*SIDE_FILES, *expected, *(name + INDEX_SUFFIX for name in expected)}
        problems += [
            problem("file_extra", name) for name in names if name not in known and is_stray(folder, name)
        ]
        problems += _wrong_for_tfds(folder, names, manifest, expected)
        present = [name for name in names if name in expected]
    return Dataset(folder, tuple(present), manifest, expected, tuple(problems), _folders_in(folder))


def _wrong_for_tfds(
    folder: Place, names: Collection[str], manifest: Manifest, expected: Mapping[str, ShardEntry]
) -> Iterator[Problem]:
    """What files that somebody put there for TensorFlow Datasets say of other records.

    Those that tfrec wrote are held against their checksums, as all files beside the shards are.
    """
    if {*TFDS_FILES}.isdisjoint(names) or manifest.files.keys() >= {*TFDS_FILES} & {*names}:
        return
    records = {name: entry.records for name, entry in expected.items()}
    labels = manifest.labels if manifest.label_kind == "name" else None
    for name, what in departures(folder, records, manifest.schema.label_key, labels):
        yield problem("tfds_stale", name, detail=what)


def _folders_in(folder: Place) -> tuple[str, ...]:
    _, folders, _ = next(iter(walk(folder)), ("", [], []))
    return tuple(sorted(name for name in folders if not name.startswith(".")))


def _without_manifest(folder: Place, names: list[str]) -> Dataset:
    if problems := unfinished(folder):
        return Dataset(folder, (), None, {}, tuple(problems))
    below, left_out = _files_below(folder)
    shards, passed_over = find_tfrecords(folder, [*names, *below])
    if not shards and left_out:
        raise InputError(f"{folder}: there are datasets in it: {some_of(left_out)}", "verify one at a time")
    if not shards:
        raise InputError(f"{folder}: there is no TFRecord file in it", "is it the right folder?")
    tfds = read_folders(folder, shards)
    told = {*told_lengths(tfds)}
    problems = [problem("file_missing", name) for name in sorted(told - {*names, *below})]
    problems += [
        problem("shards_missing", series=series, found=found, expected=expected)
        for series, found, expected in incomplete_series(name for name in shards if name not in told)
    ]
    if (folder / MANIFEST).exists() and MANIFEST not in names:  # a folder or a pipe
        read_manifest(folder, problems)
    elif SHARDS in names:
        problems.append(problem("manifest_missing", MANIFEST))
    return Dataset(
        folder, tuple(shards), None, {}, tuple(problems), tuple(left_out), tuple(passed_over), tfds
    )


def _files_below(folder: Place) -> tuple[list[str], list[str]]:
    """Files in the folders of a folder, by their relative paths, and folders that are datasets of ours."""
    files: list[str] = []
    datasets: list[str] = []
    for place, folders, names in walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        relative = os.path.relpath(place, folder)
        if relative == ".":
            continue
        if WORK_DIR in folders or (SHARDS in names and MANIFEST in names):
            datasets.append(relative)
            folders.clear()
        else:
            files += [
                os.path.join(relative, name)
                for name in names
                if isinstance(folder, StorePath)
                or os.path.isfile(path := os.path.join(place, name))
                or is_broken(path)
            ]
    return files, datasets


# --- what a folder without a manifest lacks ---


def unfinished(folder: Place) -> list[Problem]:
    """That a conversion into this folder has not ended, and how it goes on; nothing when none was begun."""
    if not (folder / WORK_DIR).is_dir():
        return []
    if not (Workspace(folder).plan / PLAN_FILE).is_file():
        return [problem("unfinished", detail="there is no plan yet")]
    steps = [command_line(("tfrec", step, as_path(str(folder)))) for step in ("write-shards", "finish")]
    detail = f"its plan stands, and {steps[0]}, then {steps[1]} carry it out"
    return [problem("unfinished", detail=detail)]


# --- which shards are looked at ---


def choose_shards(dataset: Dataset, split: str | None, numbers: tuple[int, int] | None) -> Dataset:
    """What is left of a dataset.

    Args:
      split: only this one, in any spelling; None is all.
      numbers: only shards of these numbers in their split, (first, last) inclusive; None is all.

    Raises:
      UsageError: nothing is left.
    """

    chosen_split = parse_split(split) or split if split is not None else None
    first, last = numbers or (0, 0)

    def is_chosen(name: str) -> bool:
        is_split = chosen_split is None or dataset.split_of(name) == chosen_split
        return is_split and (numbers is None or first <= _number_of(name) <= last)

    others = [found.path for found in dataset.problems if found.code in ("file_missing", "file_extra")]
    known = [*dataset.shards, *others]
    if known and not any(map(is_chosen, known)):
        splits = sorted({dataset.split_of(name) for name in known} - {""})
        have = f"its splits are {', '.join(splits)}" if splits else "its files name no split"
        raise UsageError("--split and --shards leave no shard", f"{have}; shards count from 0")
    return dataclasses.replace(
        dataset,
        shards=tuple(filter(is_chosen, dataset.shards)),
        problems=tuple(p for p in dataset.problems if p.path not in others or is_chosen(p.path)),
    )


def _number_of(name: str) -> int:
    match = NUMBERED.fullmatch(name)
    return int(match["index"]) if match else -1
