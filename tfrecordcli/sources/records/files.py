"""The TFRecord files of a source, and where they are read: gzip, where nothing can be sought, is unpacked."""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from tfrecordcli.dataset.finished_files import damaged_file
from tfrecordcli.dataset.manifest import Manifest
from tfrecordcli.dataset.manifest_file import load_manifest
from tfrecordcli.errors import InputError, OutputError, ResourceError
from tfrecordcli.naming import TFDS_INFO, WORK_DIR
from tfrecordcli.progress import Reporter
from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import Schema
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.folders.entry import is_hidden, is_text
from tfrecordcli.sources.listed import ListedImage
from tfrecordcli.sources.records.splits_of_files import need_no_union
from tfrecordcli.sources.sizes_in_names import folders_of_sizes, several_sizes
from tfrecordcli.storage.files import open_binary
from tfrecordcli.storage.scratch import scratch_parent
from tfrecordcli.storage.store_path import Place, StorePath, place_of, size_of, walk_local
from tfrecordcli.storage.uris import is_on_store
from tfrecordcli.storage.writing import writing_to
from tfrecordcli.tfrecords.foreign import (
    begins_like_shard,
    find_tfrecords,
    incomplete_series,
    is_broken,
    known_split,
)
from tfrecordcli.tfrecords.shard_stream import GzipCut, GzipDamaged, ShardStream, is_gzip, open_shard
from tfrecordcli.tfrecords.tfds_metadata import read_folders, told_lengths
from tfrecordcli.units import format_size, plural, some_of

_HEAD: Final = 12
# A folder of TensorFlow Datasets: name/1.0.0, name/config/1.0.0.
_VERSION: Final = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+")
_PIECE: Final = 1 << 20
_ISIZE: Final = 4  # bytes at the end of gzip data that tell its size (RFC 1952, 2.3.1)
_MOST_PACKED: Final = (
    1032  # bytes that deflate makes of one: 258 of two bits. What is told beyond it is no size
)


@dataclass(slots=True)
class RecordFiles:
    """TFRecord files of one source.

    Attributes:
      given: the source as the user named it.
      folder: that the names are relative to.
      names: of the files, sorted.
      root: folder that holds them all as they are read: another one than `folder` where some are unpacked.
      doubts: what may not be meant.
      told: name -> number of its records by TensorFlow Datasets' ``dataset_info.json`` beside it; of a folder
        also files that are not there.
      damage: name -> what is wrong with its gzip data.
      replaced: split -> records that name it and are assigned anew.
      schema: of a dataset of tfrec; None: it is none, or one file of it.
      is_tfds: whether a file beside them says that TensorFlow Datasets wrote them.
      read_beside: names of other files beside them that were read.
    """

    given: str
    folder: str
    names: Sequence[str]
    root: str
    doubts: tuple[str, ...] = ()
    told: Mapping[str, int] = field(default_factory=dict)
    damage: dict[str, str] = field(default_factory=dict)
    replaced: Counter[str] = field(default_factory=Counter)
    schema: Schema | None = None
    is_tfds: bool = False
    read_beside: set[str] = field(default_factory=set)

    def path_of(self, name: str) -> str:
        """Where a file is read."""
        return os.path.join(self.root, name)

    def shown(self, name: str) -> str:
        """A file, for messages."""
        return os.path.join(self.folder, name)

    @property
    def is_unpacked(self) -> bool:
        """Whether they are read as temporary files."""
        return self.root != self.folder

    def damage_of(self, name: str, split: str) -> Iterator[ListedImage]:
        """What stands for that which could not be unpacked of a file."""
        if name in self.damage:
            yield _lost(f"{name}, its end", f"{name}#end", split, self.damage[name])

    def lost_of(self, name: str, split: str, found: int) -> Iterator[ListedImage]:
        """What stands for the records that a file lacks.

        Args:
          found: number of its records, of a file that could be read to its end.
        """
        told = self.told.get(name, 0)
        if found < told:
            detail = f"{plural(found, 'record')} in this file, but {TFDS_INFO} says {told:,}"
            yield _lost(f"{name}, its end", f"{name}#end", split, detail)

    def missing(self) -> Iterator[ListedImage]:
        """What stands for the files that are not there: one row for those of a split, however many."""
        absent: dict[str, list[str]] = {}
        for name in sorted(name for name, told in self.told.items() if told and name not in self.names):
            absent.setdefault(known_split(name), []).append(name)
        for split, names in absent.items():
            lost = plural(sum(self.told[name] for name in names), "record")
            verb = "is" if len(names) == 1 else "are"
            detail = f"{some_of(names)} {verb} missing, with the {lost} that {TFDS_INFO} tells of"
            yield _lost(names[0], f"{names[0]}#0", split, detail)


def _lost(place: str, uri: str, split: str, detail: str) -> ListedImage:
    problem = Rejected("damaged_record", detail=detail)
    return ListedImage(place, uri, split, filename=uri, problem=problem)


def find_record_files(path: str, skip: str = "") -> RecordFiles | None:
    """The TFRecords at a path, or a URL on a store; None when there are none.

    Args:
      path: of a file, or of a folder of any depth.
      skip: real path, or URL, of a folder that is left out.
    """
    place = place_of(path)
    if place.is_file() or not place.is_dir():
        folder, name = os.path.split(path)
        if not begins_like_shard(place):
            return None
        known = read_folders(place.parent, [name])
        told = {each: told for each, told in told_lengths(known).items() if each == name}
        return RecordFiles(path, folder or ".", [name], folder or ".", told=told, is_tfds=bool(known))
    if (place / WORK_DIR).is_dir():
        return None
    manifest = _manifest_of(place)
    below = list(_files_below(place, skip, deep=manifest is None))
    broken = sorted(name for name in below if not is_on_store(path) and is_broken(os.path.join(path, name)))
    names, _ = find_tfrecords(place, (name for name in below if name not in broken))
    if not names:
        return None
    if manifest is None:
        _need_one_version(path, names)
        _need_one_size(path, names)
        need_no_union(path, names)
    damaged = damaged_file(place, manifest) if manifest is not None else ""
    doubts: tuple[str, ...] = ()
    if damaged:
        doubts = (f"{damaged} of this dataset is missing or cut",)
    elif broken and manifest is None:
        doubts = (f"{some_of(broken)}: no file (a link that leads nowhere?), so no record of it is read",)
    known = read_folders(place, names)
    told = told_lengths(known)
    series = [] if manifest is not None else incomplete_series(name for name in names if name not in told)
    doubts += tuple(
        f"of {name} {found:,} of {expected:,} files are there" for name, found, expected in series
    )
    schema = manifest.schema if manifest else None
    return RecordFiles(path, path, names, path, doubts, told, schema=schema, is_tfds=bool(known))


def _need_one_version(path: str, names: Iterable[str]) -> None:
    """Refuses a folder of several versions of a dataset, as TensorFlow Datasets keeps them side by side.

    Raises:
      InputError: what to convert instead.
    """
    parts = [name.split("/")[:-1] for name in names]
    versions: dict[str, dict[str, tuple[int, ...]]] = {}
    for *above, last in filter(None, parts):
        if _VERSION.fullmatch(last):
            versions.setdefault("/".join(above), {})[last] = tuple(map(int, last.split(".")))
    for folder, found in versions.items():
        if len(found) > 1:
            whole = os.path.join(path, folder) if folder else path
            newest = os.path.join(whole, max(found, key=found.__getitem__))
            raise InputError(
                f"{whole}: there are several versions of a dataset ({some_of(sorted(found))})",
                f"convert one of them: {command_line(['tfrec', 'convert', as_path(newest)])} OUTPUT_DIR",
            )


def _need_one_size(path: str, names: Iterable[str]) -> None:
    """Refuses a folder of one dataset in several sizes, each of whose images would come as often.

    Raises:
      InputError: what to convert instead.
    """
    sizes = folders_of_sizes(names)
    if sizes:
        raise several_sizes(path, sizes)


def is_own_dataset(path: str) -> bool:
    """Whether a folder is a dataset that tfrec wrote."""
    return _manifest_of(place_of(path)) is not None


def _manifest_of(folder: Place) -> Manifest | None:
    try:
        return load_manifest(folder, label_counts=False)
    except OutputError:  # somebody else's, or damaged: the records are read all the same
        return None


def _files_below(folder: Place, skip: str, *, deep: bool) -> Iterator[str]:
    """Files in a folder, relative to it, and broken ones; in those below too where it is to go deep."""
    if not isinstance(folder, StorePath):
        yield from _local_files_below(str(folder), skip, deep=deep)
        return
    left_out = place_of(skip) if is_on_store(skip) else None
    for found in folder.store.below(folder.key):
        name = found.key[len(folder.key) :].lstrip("/")
        *folders, last = name.split("/")
        is_inside = left_out is not None and f"{folder / name}/".startswith(f"{left_out}/")
        is_ours = any(map(is_hidden, (*folders, last))) or WORK_DIR in folders
        if last and (deep or not folders) and not is_inside and not is_ours:
            yield name


def _local_files_below(folder: str, skip: str, *, deep: bool) -> Iterator[str]:
    for place, folders, names in walk_local(folder):
        folders[:] = sorted(n for n in folders if deep and not is_hidden(n) and n != WORK_DIR)
        if skip and os.path.realpath(place) == skip:
            folders.clear()
            continue
        for name in sorted(names):
            full = os.path.join(place, name)
            path = os.path.relpath(full, folder)
            if is_text(path) and not is_hidden(name) and (os.path.isfile(full) or is_broken(full)):
                yield path


def unpacked(files: RecordFiles, scratch: Path, reporter: Reporter) -> RecordFiles:
    """The same files as they are read: gzip is unpacked into a folder, others are linked or copied there.

    Args:
      scratch: an existing folder of temporary files; the whole content of the gzip files has to fit in.

    Raises:
      ResourceError: it has too little room for it.
    """
    packed = [name for name in files.names if _is_packed(files.path_of(name))]
    if not packed:
        return files
    copied = files.names if is_on_store(files.folder) else packed
    need = sum(map(_size_unpacked, map(files.path_of, packed)))
    need += sum(size_of(place_of(files.path_of(name))) for name in copied if name not in packed)
    room = shutil.disk_usage(scratch).free
    told = f"{plural(len(packed), 'gzip file')} of {format_size(need)} unpacked"
    if need > room:
        raise ResourceError(
            f"temporary files in {scratch_parent()}: {told} have no room there, {format_size(room)} are free",
            "set TMPDIR to a folder with more room; then run the same command again",
            code="no_space",
        )
    reporter.tell(f"note: {told} go to temporary files in {scratch_parent()}")
    root = scratch / "records"
    for name in files.names:
        target = root / name
        with writing_to(scratch):
            target.parent.mkdir(parents=True, exist_ok=True)
            if name not in copied:
                target.symlink_to(os.path.abspath(files.path_of(name)))
                continue
            damage = _unpack(files.path_of(name), target)
        if damage:
            files.damage[name] = damage
    return replace(files, root=str(root))


def _is_packed(path: str) -> bool:
    place = place_of(path)
    if isinstance(place, StorePath):
        return is_gzip(place.store.read_range(place.key, 0, min(_HEAD, size_of(place))))
    with open_shard(path) as file:
        return is_gzip(file.read(_HEAD))


def _size_unpacked(path: str) -> int:
    """Bytes of the content of a gzip file, modulo 4 GiB; those of the file where its end cannot tell."""
    place = place_of(path)
    size = size_of(place)
    if size < _ISIZE:
        return size
    if isinstance(place, StorePath):
        tail = place.store.read_range(place.key, size - _ISIZE, size)
    else:
        with open_binary(path) as file:
            file.seek(size - _ISIZE)
            tail = file.read(_ISIZE)
    told = int.from_bytes(tail, "little")
    return told if size < told <= size * _MOST_PACKED else size


def _unpack(path: str, target: Path) -> str:
    """Writes the content of a gzip file as far as it can be read; returns what is wrong with the rest."""
    with open_shard(path) as file, target.open("wb") as out:
        stream = ShardStream(file)
        try:
            while piece := stream.read(_PIECE):
                out.write(piece)
        except (GzipCut, GzipDamaged) as error:
            out.write(stream.peek(_PIECE))
            what = "is cut short" if isinstance(error, GzipCut) else "is damaged"
            return f"the gzip data {what} after {out.tell():,} bytes of content: what follows cannot be read"
        if stream.unread:
            return f"the last {stream.unread:,} bytes of the gzip file are not read by TensorFlow"
    return ""
