"""What describes a YOLO dataset: data.yaml, Darknet's obj.data, or lists of images called like splits.

What `train` and its like name is looked for as written; then, since these files often come from another
machine or folder, without what stands before the part that is there.
"""

from __future__ import annotations

import os
import posixpath
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final

from tfrecordcli.errors import InputError
from tfrecordcli.reasons import Rejected
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.folders.annotation_files import HEAD_BYTES, YAML, YOLO, is_annotation
from tfrecordcli.sources.folders.tree import Tree, child, is_image_name, joined, tidy, top_of
from tfrecordcli.sources.folders.yolo_names import checked_names, read_names
from tfrecordcli.split_words import TEST, TRAIN, VALIDATION, parse_split
from tfrecordcli.storage.uris import is_remote

_MOST_BYTES: Final = 1 << 20
_IS_NUMBER: Final = re.compile("[0-9]{1,9}").fullmatch
_PREFERRED: Final = ("data.yaml", "dataset.yaml", "data.yml", "dataset.yml")
OBJ_DATA: Final = "obj.data"  # Darknet's
_SPLITS: Final = {
    "train": TRAIN,
    "val": VALIDATION,
    "valid": VALIDATION,
    "validation": VALIDATION,
    "test": TEST,
}


@dataclass(slots=True)
class Description:
    """What a dataset says of itself.

    Attributes:
      path: of the file that says so; empty: there is none.
      names: of classes by number; empty: it does not say.
      count: of classes, if only that is said; else 0.
      splits: (split, path as written) of folders of images or lists of them.
      bases: folders that those paths may be relative to.
      has_points: whether it says that key points are behind each box.
    """

    path: str = ""
    names: dict[int, str] = field(default_factory=dict)
    count: int = 0
    splits: list[tuple[str, str]] = field(default_factory=list)
    bases: tuple[str, ...] = ("",)
    has_points: bool = False


def describe(tree: Tree, name: str = "") -> Description:
    """The description of the dataset in a tree, by what stands in its top folder, or `data` in there.

    Args:
      name: of the YAML file, when it was given; empty: it is looked for.

    Raises:
      InputError: it cannot be read or says nothing certain, or there are several.
    """
    top = "" if name else top_of(tree)
    files = [joined(top, name) for name in tree.entries(top).files]
    yaml_files = [name] if name else _yaml_files(tree, files)
    if yaml_files:
        return _from_yaml(tree, yaml_files[0])
    deeper = joined(top, child(tree.entries(top), "data"))
    for path in (joined(folder, OBJ_DATA) for folder in dict.fromkeys([top, deeper])):
        if tree.is_file(path):
            return _from_darknet(tree, path, top)
    lists = [(split, path) for path in files if (split := _split_of_list(tree, path))]
    return Description(splits=sorted(lists, key=lambda pair: [TRAIN, VALIDATION, TEST].index(pair[0])))


def is_description(path: str) -> bool:
    """Whether a local file is a YAML file that describes a dataset."""
    if not path.lower().endswith(YAML):
        return False
    with open(path, "rb") as file:
        return is_annotation(path, YOLO, file.read(HEAD_BYTES))


def _yaml_files(tree: Tree, files: list[str]) -> list[str]:
    """The YAML files that describe a dataset: those that are called so, else the only one.

    Raises:
      InputError: there are several.
    """
    found = [name for name in files if name.lower().endswith(YAML)]
    found = [name for name in found if is_annotation(name, YOLO, tree.head(name, HEAD_BYTES))]
    preferred: list[str] = [path for name in _PREFERRED for path in found if path.rpartition("/")[2] == name][
        :1
    ]
    if len(found) > 1 and not preferred:
        raise InputError(
            f"{tree.root}: {found[0]} and {found[1]} both describe a YOLO dataset",
            f"give the one that is meant in place of the folder: {joined(tree.root, found[0])}",
        )
    return preferred or found


def _split_of_list(tree: Tree, name: str) -> str:
    """The split of a list of images such as train.txt; empty for every other file."""
    split = parse_split(name.rpartition("/")[2][:-4]) if name.lower().endswith(".txt") else ""
    if split not in (TRAIN, VALIDATION, TEST):
        return ""
    first = tree.head(name, HEAD_BYTES).decode(errors="replace").strip().splitlines()[:1]
    return split if first and is_image_name(first[0]) else ""


def _from_yaml(tree: Tree, name: str) -> Description:
    place = joined(tree.root, name)
    values = _load_yaml(tree, name)
    entries = {key: _texts(place, key, values.get(key)) for key in _SPLITS}
    base = "".join(_texts(place, "path", values.get("path"))[:1])
    folder = name.rpartition("/")[0]
    names, count = _names_in_yaml(tree, name, values), str(values.get("nc", "")).strip()
    return Description(
        name,
        names,
        int(count) if not names and _IS_NUMBER(count) and len(count) < 6 else 0,
        [(_SPLITS[key], entry) for key, paths in entries.items() for entry in paths],
        tuple(dict.fromkeys([tidy(folder, base), folder])),
        has_points="kpt_shape" in values,
    )


def _load_yaml(tree: Tree, name: str) -> dict[str, Any]:
    import yaml

    place = joined(tree.root, name)
    hint = "is it the data.yaml of a YOLO dataset?"
    try:
        # Every value is the text that stands there: no `no` for False, and nothing that YAML can run.
        values = yaml.load(tree.read(name, _MOST_BYTES), Loader=yaml.BaseLoader)
    except Rejected as problem:
        raise InputError(f"{place}: {problem.reason}", hint) from problem
    except (yaml.YAMLError, UnicodeError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" (line {mark.line + 1})" if mark else ""
        raise InputError(f"{place}: this is no YAML{where}", hint) from error
    if not isinstance(values, dict):
        raise InputError(f"{place}: this is no table of keys and values", hint)
    return values


def _texts(place: str, key: str, value: object) -> list[str]:
    """A value that is a text or a list of texts."""
    values = value if isinstance(value, list) else [] if value is None else [value]
    if not all(isinstance(entry, str) for entry in values):
        raise InputError(f"{place}: {key} is neither a path nor a list of paths", "write one path a split")
    return [text for entry in values if (text := str(entry).strip()) not in ("", "null", "~")]


def _names_in_yaml(tree: Tree, name: str, values: dict[str, Any]) -> dict[int, str]:
    """The names by number; empty when the file has none.

    Raises:
      InputError: they are neither a list nor a map of numbers, or not as many as ``nc``.
    """
    place = joined(tree.root, name)
    written = values.get("names")
    if isinstance(written, str) and written:
        return read_names(tree, tidy(name.rpartition("/")[0], written))
    pairs: list[tuple[Any, Any]] = []
    if isinstance(written, dict | list):
        pairs = [*(written.items() if isinstance(written, dict) else enumerate(written))]
    if not all(_IS_NUMBER(str(key)) and isinstance(text, str) for key, text in pairs):
        raise InputError(
            f"{place}: names is neither a list nor a map of numbers to names", "write names: [cat, dog]"
        )
    count = str(values.get("nc", "")).strip()
    if pairs and _IS_NUMBER(count) and int(count) != len(pairs):
        raise InputError(
            f"{place}: nc says {int(count)} classes, and names has {len(pairs)}",
            "correct the one that is wrong: a number has to mean one name",
        )
    return checked_names(place, {int(key): text for key, text in pairs}) if pairs else {}


def _from_darknet(tree: Tree, name: str, top: str) -> Description:
    """What `train = data/train.txt` and the like in obj.data say, relative to the folder or what it is in."""
    try:
        text = tree.read(name, _MOST_BYTES).decode("utf-8-sig", errors="replace")
    except Rejected as problem:
        place = joined(tree.root, name)
        raise InputError(f"{place}: {problem.reason}", "mend it, or move it away") from problem
    pairs = [line.partition("=") for line in text.splitlines() if "=" in line]
    values = {key.strip().lower(): value.strip() for key, _, value in pairs}
    splits = [(split, values[key]) for key, split in _SPLITS.items() if values.get(key)]
    found = Description(name, splits=splits, bases=tuple(dict.fromkeys([top, name.rpartition("/")[0]])))
    written = values.get("names", "")
    names = next(filter(tree.is_file, candidates(written, found.bases)), "") if written else ""
    found.names = read_names(tree, names) if names else {}
    return found


def candidates(written: str, bases: tuple[str, ...], *, is_only: bool = False) -> Iterator[str]:
    """Where a path of a description may lead to: as written, then without its first parts.

    Args:
      is_only: whether no other split is elsewhere, so that any part of the path says which folder is meant.
    """
    written = written.replace("\\", "/")
    for base in bases:
        yield tidy(base, written)
    parts = [part for part in written.split("/") if part not in ("", ".", "..")]
    if parts and parts[0].endswith(":"):
        parts = parts[1:]
    for start in range(len(parts)):
        if is_only or may_stand_alone(parts[start:], len(parts)):
            for base in dict.fromkeys(["", *bases]):
                yield tidy(base, "/".join(parts[start:]))
    if is_only:
        yield from bases


def may_stand_alone(parts: list[str], count: int) -> bool:
    """Whether the end of a path still says which folder is meant: `images` alone may be that of any split."""
    is_telling = len(parts) > 1 or len(parts) == count
    return is_telling or posixpath.splitext(parts[0])[1] != "" or bool(parse_split(parts[0]))


def resolve_folder(tree: Tree, written: str, bases: tuple[str, ...], *, is_only: bool = False) -> str | None:
    """The folder that a path of a description leads to; None: there is none.

    Where `valid` is not there and `val` is, that is the one.

    Args:
      is_only: as of `candidates`.
    """
    paths = list(candidates(written, bases, is_only=is_only))
    found = (path for path in paths if tree.is_folder(path))
    others = (other for path in paths for other in _other_spellings(tree, path) if tree.is_folder(other))
    return next(chain(found, others), None)


def _other_spellings(tree: Tree, path: str) -> Iterator[str]:
    parts = path.split("/")
    for at, part in enumerate(parts):
        if split := parse_split(part):
            folders = tree.entries("/".join(parts[:at])).folders
            names = [name for name in folders if parse_split(name) == split]
            if len(names) == 1:
                yield "/".join([*parts[:at], names[0], *parts[at + 1 :]])


def leaving_out(tree: Tree, described: Description, written: str) -> str:
    """How a set that is not there is left out, as Roboflow writes it; empty where no line is its own."""
    path = os.path.join(tree.root, described.path)
    if is_remote(tree.root) or not os.path.isfile(path):
        return ""
    lines = tree.read(described.path, _MOST_BYTES).decode("utf-8", "replace").splitlines()
    if sum(f": {written}" in line for line in lines) != 1:
        return ""
    stem, ending = os.path.splitext(path)
    target = as_path(f"{stem}-there{ending}")
    command = command_line(["grep", "-v", "-F", f": {written}", as_path(path)])
    then = command_line(["tfrec", "convert", target])
    return f"; where there is none, leave it out: {command} > {shlex.quote(target)}; then: {then} OUTPUT_DIR"
