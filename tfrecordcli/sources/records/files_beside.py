"""Files beside TFRecords that may tell of them: Meta-Dataset keeps splits and names of classes in one."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import Final

from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.pandas_commands import literal
from tfrecordcli.sources.records.commands import folder_beside
from tfrecordcli.sources.records.files import RecordFiles
from tfrecordcli.storage.files import open_regular
from tfrecordcli.storage.uris import is_remote
from tfrecordcli.units import some_of

_KINDS: Final = (".json", ".csv", ".txt", ".pbtxt", ".yaml", ".yml")
# What people write for people, or programs for themselves.
_OF_NO_RECORDS: Final = ("readme", "license", "checksum", "requirements")
_STATISTICS: Final = "_stats.json"  # as img2dataset writes them beside each file
_SPEC: Final = "dataset_spec.json"
_LONGEST: Final = 1 << 24  # bytes of it
# Links to the files of each split, whose classes are numbered one after the other, and a file of their names.
_BY_SPLIT: Final = (
    'import json, os; d, o = {folder}, {out}; s = json.load(open(os.path.join(d, "{spec}"))); '
    "n = iter(range(1 << 30)); os.mkdir(o); "
    "[os.symlink(os.path.abspath(os.path.join(d, f)), os.path.join(p, f)) "
    'for w in ("TRAIN", "VALID", "TEST") for p in [os.path.join(o, w.lower())] if not os.mkdir(p) '
    'for _ in range(s["classes_per_split"].get(w, 0)) for f in [s["file_pattern"].format(next(n))]]; '
    'json.dump(s["class_names"], open(os.path.join(o, "names.json"), "x"))'
)


def told_beside(files: RecordFiles, read: Collection[str]) -> Iterator[str]:
    """What such files are passed over, in a sentence.

    Args:
      files: the source, whose records were read.
      read: paths of files that options name.
    """
    if files.schema is not None or files.is_tfds or is_remote(files.folder) or files.given != files.folder:
        return
    with suppress(OSError):
        if _is_meta_dataset(os.path.join(files.folder, _SPEC)):
            yield _by_split(files)
            return
        known = {*map(os.path.realpath, read)}
        beside = {name: os.path.join(files.folder, name) for name in os.listdir(files.folder)}
        names = sorted(
            name
            for name, path in beside.items()
            if _may_tell(name)
            and name not in files.read_beside
            and os.path.isfile(path)
            and os.path.realpath(path) not in known
        )
        if names:
            yield (
                f"{some_of(names)} beside the TFRecords {'is' if len(names) == 1 else 'are'} not read; "
                "where one names the classes, --label-names takes it"
            )


def _may_tell(name: str) -> bool:
    """Whether a file is called like data that programs read about records."""
    lower = name.lower()
    is_other = lower.startswith((".", *_OF_NO_RECORDS)) or lower.endswith(_STATISTICS)
    return lower.endswith(_KINDS) and not is_other


def _is_meta_dataset(path: str) -> bool:
    """Whether a file tells classes and splits as Meta-Dataset does, of a TFRecord for each class.

    The format is `google-research/meta-dataset`'s ``dataset_spec.py``.

    Raises:
      OSError: it cannot be read.
    """
    if not os.path.isfile(path):
        return False
    with os.fdopen(open_regular(path), "rb") as file:
        text = file.read(_LONGEST)
    try:
        spec = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return (
        isinstance(spec, dict)
        and spec.get("file_pattern") == "{}.tfrecords"
        and isinstance(spec.get("classes_per_split"), dict)
        and isinstance(spec.get("class_names"), dict)
    )


def _by_split(files: RecordFiles) -> str:
    out = folder_beside(files, "by-split")
    code = _BY_SPLIT.format(folder=literal(files.folder), out=literal(out), spec=_SPEC)
    names = as_path(os.path.join(out, "names.json"))
    then = command_line(["tfrec", "convert", as_path(out), "OUTPUT_DIR", "--label-names", names])
    return (
        f"{_SPEC} beside the TFRecords tells the split and the name of each class, and is not read: to have "
        f"them, {command_line(['python', '-c', code])}; then: {then}"
    )
