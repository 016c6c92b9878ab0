"""Lists of one header that are right only together, one in each folder, or of which only one is right."""

from __future__ import annotations

import csv
import os
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final

from tfrecordcli.shell import as_path
from tfrecordcli.sources.column_words import looks_like_image
from tfrecordcli.sources.csv_shape import detect_delimiter
from tfrecordcli.sources.folders.annotation_files import words_of
from tfrecordcli.sources.folders.lists_of_splits import converting_lists, split_in_name
from tfrecordcli.split_words import split_of
from tfrecordcli.storage.uris import is_remote
from tfrecordcli.units import plural

_Head = Callable[[str, int], bytes]
_Rows = Mapping[str, Sequence[Sequence[str]]]  # by image
_READ: Final = 1 << 20  # bytes of a list
_NAMED: Final = 20  # lists that are named one by one


def told_of_alike(root: str, first: str, paths: Iterable[str], head: _Head) -> str:
    """What is asked about lists of which none is to be converted alone unseen; empty where there are none.

    Args:
      root: all are below it.
      first: the likeliest.
      paths: those that may be such, with that one.
      head: gives so many first bytes of a file.
    """
    like = lists_like(first, paths, head)
    named = {os.path.dirname(each): each for each in like if _called(each) == _called(first)}
    if len(named) > 1:
        return _asking_for_all(root, first, [*named.values()])
    rows = {each: _by_image(each, head) for each in like if os.path.dirname(each) == os.path.dirname(first)}
    apart = [each for each, own in rows.items() if each == first or not own.keys() & rows[first].keys()]
    rivals: dict[str, _Rows] = {}
    for each, own in rows.items():
        if _are_shared(own, rows[first]) and own not in rivals.values():
            rivals[each] = own
    if len(rivals) > 1:
        return _asking_for_one(root, rivals)
    are_images = all(looks_like_image(image) for each in apart for image in rows[each])
    return _asking_for_all(root, first, apart) if len(apart) > 1 and are_images else ""


def _asking_for_all(root: str, first: str, paths: Sequence[str]) -> str:
    others = plural(len(paths) - 1, "list")
    return (
        f"are {os.path.join(root, first)} and {others} more of its columns the lists of these images? "
        f"{converting_all(root, paths)}"
    )


def _asking_for_one(root: str, rows: Mapping[str, _Rows]) -> str:
    longest = max(rows, key=lambda path: len(rows[path]))
    named = (
        f"{os.path.join(root, path)} names {plural(len(own), 'image')}"
        f"{_differing(own, rows[longest], longest)}"
        for path, own in rows.items()
    )
    ways = "; or ".join(converting_lists(root, [("", path)]) for path in rows)
    return f"which of these lists of the same images is right? {', '.join(named)}: {ways}"


def lists_like(first: str, paths: Iterable[str], head: _Head) -> list[str]:
    """The lists that have the header of one, in order; that alone where names or folders tell of splits."""
    header = _form(first, head)
    tables = {path for path in paths if not path.lower().endswith(".json")} if header else ()
    like = sorted(path for path in {first, *tables} if _form(path, head) == header)
    return [first] if len({_splits_in(path) for path in like}) > 1 or any(map(split_in_name, like)) else like


def _splits_in(path: str) -> frozenset[str]:
    """The splits that folders around a list tell of."""
    return frozenset(filter(None, map(split_of, words_of(os.path.dirname(path)))))


def converting_all(root: str, paths: Sequence[str]) -> str:
    """The command for lists of one name; for many by a pattern of the shell where they are at one depth."""
    depths = {path.count("/") for path in paths}
    if len(paths) <= _NAMED or len(depths) > 1 or is_remote(root):
        return converting_lists(root, [("", path) for path in paths])
    name = shlex.quote(os.path.basename(paths[0]))
    return f"tfrec convert {shlex.quote(as_path(root))}/{'*/' * depths.pop()}{name} OUTPUT_DIR"


def _called(path: str) -> str:
    """What a list is called, but for one that has the name of its folder, as `A1/A1.csv`."""
    folder, name = os.path.split(path)
    stem, ending = os.path.splitext(name)
    return ending if stem == os.path.basename(folder) else name


def _form(path: str, head: _Head) -> list[str]:
    """The header of a list; of one without, but with an image first, how many fields rows have."""
    first = _lines(path, head)[:1]
    fields = first[0].split(detect_delimiter(first[0])) if first else []
    return [str(len(fields))] if fields and looks_like_image(fields[0]) else first


def _lines(path: str, head: _Head) -> list[str]:
    lines = head(path, _READ).decode("utf-8-sig", "replace").splitlines()
    return [line.strip() for line in lines if line.strip()]


def _by_image(path: str, head: _Head) -> _Rows:
    """The rows of a list by their images: the first field that is called so, or the first of all."""
    header, *lines = _lines(path, head)
    rows: dict[str, list[list[str]]] = {}
    with suppress(csv.Error):  # told where it is converted
        for row in csv.reader(lines, delimiter=detect_delimiter(header), skipinitialspace=True):
            image = next(filter(looks_like_image, row), row[0] if row else "")
            rows.setdefault(image, []).append([field for field in row if field != image])
    return rows


def _are_shared(one: _Rows, other: _Rows) -> bool:
    """Whether most images of the shorter list are in the other."""
    return 2 * len(one.keys() & other.keys()) > min(len(one), len(other))


def _differing(one: _Rows, other: _Rows, name: str) -> str:
    """How many images of one list say something else in another."""
    count = sum(one[image] != other[image] for image in one.keys() & other.keys())
    return f" ({count:,} with other values than in {os.path.basename(name)})" if count else ""
