"""What a path holds: our dataset, an unfinished one, or TFRecord files of somebody else."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tfrecordcli.dataset.splits import parse_split
from tfrecordcli.errors import InputError
from tfrecordcli.integrity.checksum import begins_record
from tfrecordcli.integrity.listing import is_of_another_program, read_manifest, read_shards_list
from tfrecordcli.integrity.stream import ShardStream, open_shard
from tfrecordcli.integrity.unfinished import why_ours, why_unfinished
from tfrecordcli.naming import INDEX_SUFFIX, MANIFEST, SHARDS, SIDE_FILES, WORK_DIR
from tfrecordcli.problems import Problem, problem
from tfrecordcli.schema import SPLITS
from tfrecordcli.storage.store_path import Place, StorePath, file_names, place_of, walk, why_not_read

# Names under which people keep TFRecords: *.tfrecord, *.tfrecords.gz, *.tfrec, *.tfr, *.record,
# data-00000-of-00010.
_TFRECORD_NAME = re.compile(r"tfrec|\.tfr\b|\.records?\b|\d+[-_]of[-_]\d+", re.IGNORECASE)
# What stands beside them under a name that has the same in it.
_TEXTS = (".json", ".txt", ".md", ".csv", ".py", ".yaml", ".pbtxt", ".log")
_BESIDE = (INDEX_SUFFIX, ".tmp", ".index", *_TEXTS)
# Names of which only the content tells.
_UNNAMED = re.compile(r"[^.]+|.*\.(bin|dat|data|gz|out|part|rec|shard|tf)", re.IGNORECASE)
_FRAME = 12  # bytes before a record's payload


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
    """

    folder: Place
    shards: tuple[str, ...]
    manifest: Mapping[str, Any] | None
    expected: Mapping[str, Mapping[str, Any]]
    problems: tuple[Problem, ...]
    left_out: tuple[str, ...] = ()

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
    """Names of its files, sorted; with links that cannot be followed, of which nobody knows."""
    try:
        if isinstance(folder, StorePath):
            return _objects_in(folder)
        entries = list(os.scandir(folder))
    except OSError as error:
        what, cure = why_not_read(folder, error)
        raise InputError(f"{folder}: {what}", cure) from error
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
        return entry.is_file()
    except OSError:  # a link that leads in a circle
        return True


def _one_file(path: Place) -> Dataset:
    """One file, with what the manifest beside it says of it, if there is one."""
    problems: list[Problem] = []
    folder = path.parent
    names = [name for name in (MANIFEST, SHARDS) if (folder / name).exists()]
    if not _is_tfrecord_name(path.name):
        return Dataset(folder, (path.name,), None, {}, ())
    if MANIFEST not in names or is_of_another_program(folder, [*names, path.name]):
        reason = why_ours(folder, [path.name], names)
        problems = [problem("unfinished", detail=reason)] if reason else []
        return Dataset(folder, (path.name,), None, {}, tuple(problems))
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
    present = [name for name in names if _is_tfrecord_name(name)]
    if manifest is not None and not problems:
        problems += [problem("file_missing", name) for name in sorted(expected.keys() - names)]
        known = {*SIDE_FILES, *expected, *(name + INDEX_SUFFIX for name in expected)}
        problems += [
            problem("file_extra", name) for name in names if name not in known and _is_stray(folder, name)
        ]
        present = [name for name in names if name in expected]
    return Dataset(folder, tuple(present), manifest, expected, tuple(problems), _folders_in(folder))


def _folders_in(folder: Place) -> tuple[str, ...]:
    _, folders, _ = next(iter(walk(folder)), ("", [], []))
    return tuple(sorted(name for name in folders if not name.startswith(".")))


def _is_tfrecord_name(name: str) -> bool:
    return _TFRECORD_NAME.search(name) is not None and not name.lower().endswith(_BESIDE)


def _is_stray(folder: Place, name: str) -> bool:
    """Whether a file beside the shards was meant to be one, or holds what one does."""
    if _TFRECORD_NAME.search(name) and not name.lower().endswith(_TEXTS):
        return True
    return name.endswith(INDEX_SUFFIX) or _begins_like_shard(folder / name)


def _begins_like_shard(path: Place) -> bool:
    try:
        with open_shard(str(path)) as file:
            return begins_record(ShardStream(file).peek(_FRAME))
    except OSError:
        return False


def _without_manifest(folder: Place, names: list[str]) -> Dataset:
    if (folder / WORK_DIR).is_dir():
        detail = "run the same tfrec convert again to finish it"
        return Dataset(folder, (), None, {}, (problem("unfinished", detail=detail),))
    below, left_out = _files_below(folder)
    shards = [name for name in sorted([*names, *below]) if _is_tfrecord_name(name)]
    if not shards:
        unnamed = [name for name in [*names, *below] if _UNNAMED.fullmatch(os.path.basename(name))]
        shards = sorted(name for name in unnamed if _begins_like_shard(folder / name))
    if not shards and left_out:
        raise InputError(f"{folder}: there are datasets in it: {', '.join(left_out)}", "verify one at a time")
    if not shards:
        raise InputError(f"{folder}: there is no TFRecord file in it", "is it the right folder?")
    reason = why_unfinished(folder, shards, names)
    problems = (problem("unfinished", detail=reason),) if reason else ()
    return Dataset(folder, tuple(shards), None, {}, problems, tuple(left_out))


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
                if isinstance(folder, StorePath) or os.path.isfile(os.path.join(place, name))
            ]
    return files, datasets
