"""Paths of images that several columns tell together: `video_0/12.jpg` of video 0 and frame 12.

Such paths are proposed only where the files that are there show how the images of all rows are called.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import groupby, islice, product
from typing import Final

from tfrecordcli.sources.column_words import IMAGE_EXTENSION
from tfrecordcli.sources.pandas_commands import changed, literal
from tfrecordcli.storage.store_path import walk_local
from tfrecordcli.storage.uris import is_remote

_Table = Sequence[Sequence[str]]

# Folders, and images in them, that are looked at.
_WALKED: Final = 2_000
_LOOKED_AT: Final = 100_000
# Files that may be the image of one row, and ways in which the name of one may be made of columns.
_LIKELY: Final = 20
_WAYS: Final = 5_000
# The part of the rows whose images may be missing: one in twenty.
_MAY_LACK: Final = 0.05
_CALLED_FRAME: Final = re.compile(r"frame", re.IGNORECASE)
_CALLED_VIDEO: Final = re.compile(r"video|clip|movie|scene|camera|recording|^seq", re.IGNORECASE)
_SPAN: Final = (re.compile(r"start|first|begin", re.IGNORECASE), re.compile(r"end|last|stop", re.IGNORECASE))
_NUMBER: Final = re.compile(r"[0-9]{1,18}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a path: as it stands, or the field of a column, with zeros before it up to a width."""

    text: str = ""
    column: int | None = None
    width: int = 0

    def of(self, row: Sequence[str]) -> str:
        """What it is in the path of a row."""
        return self.text if self.column is None else row[self.column].replace("\\", "/").zfill(self.width)


Pattern = tuple[Part, ...]


def paths_hint(
    header: Sequence[str], fields: _Table, image: int | None, root: str, name: str, delimiter: str
) -> str:
    """A hint with the command that writes the path of each image into a column; empty where none is certain.

    Args:
      header: column names.
      fields: of the first rows, outer blanks removed.
      image: the column of images, whose fields lead to no file; None: there is no such column.
      root: folder or URL that relative paths are relative to.
      name, delimiter: of the list.
    """
    rows = _whole(fields, header)
    if not rows or not os.path.isfile(name):
        return ""
    certain = certain_paths_hint(header, fields, image, root, name, delimiter)
    if certain or image is not None:
        return certain
    frames, videos = _named(header, rows, _CALLED_FRAME), _named(header, rows, _CALLED_VIDEO)
    frames = [i for i in frames if all(_NUMBER.fullmatch(row[i]) for row in rows)]
    if not frames:
        return ""
    first, last = ([i for i in frames if each.match(header[i])] for each in _SPAN)
    apart = [i for i in frames if i not in (*first, *last)]
    if len(first) == len(last) == 1 and not apart:
        return _rows_of_frames(header[first[0]], header[last[0]], name, delimiter)
    of_video = [i for i in videos if i not in frames][:1]
    likely = (
        *(part for i in of_video for part in (Part(column=i), Part("/"))),
        Part(column=(apart or frames)[0]),
    )
    command = command_for((*likely, Part(".jpg")), header, rows, image, name, delimiter)
    return f"write the path of each image into a column, put together as the files are called: {command}"


def certain_paths_hint(
    header: Sequence[str], fields: _Table, image: int | None, root: str, name: str, delimiter: str
) -> str:
    """The same, where the files that are there show it; the arguments are those of `paths_hint`."""
    rows = _whole(fields, header)
    if not rows or not os.path.isfile(name) or is_remote(root):
        return ""
    files = {*_files(root or ".")}
    pattern = _pattern(header, rows, image, files)
    if not pattern or (image is None and pattern == (Part(column=pattern[0].column),)):
        return ""  # an option that names the column does
    command = command_for(pattern, header, rows, image, name, delimiter)
    paths = [path_of_row(pattern, row) for row in rows]
    without = len([path for path in paths if path not in files])
    but = f" (of {without} of {len(rows):,} rows there is none)" if without else ""
    return f"paths of images are told by columns, as {paths[0]}{but}: {command}"


def _whole(fields: _Table, header: Sequence[str]) -> _Table:
    return [row for row in fields if len(row) == len(header)]


def _rows_of_frames(first: str, last: str, name: str, delimiter: str) -> str:
    change = (
        f"n = range(len(t)); a, b = t[{literal(first)}], t[{literal(last)}]; "
        't["frame"] = [range(int(a[i]), int(b[i]) + 1) for i in n]; '
        't.explode("frame")'
    )
    command = changed(name, delimiter, change, "by-frame")
    return f"each row is of several frames; make a row of each, {last} included: {command}"


def _pattern(header: Sequence[str], rows: _Table, image: int | None, files: Set[str]) -> Pattern:
    """How paths are made of columns, if rows are found so, each image apart, and in no other way.

    All rows, or nearly all where none finds all and the column of images tells them.
    """
    known = _named(header, rows, _CALLED_FRAME, _CALLED_VIDEO) + ([] if image is None else [image])
    images = len({tuple(row[i] for i in known) for row in rows}) if known else len(rows)
    found: dict[tuple[str, ...], Pattern] = {}
    for pattern in dict.fromkeys(_patterns(max(rows, key=lambda row: (len({*row}), *row)), files)):
        paths = tuple(path_of_row(pattern, row) for row in rows)
        if all(path in files for path in paths) or (
            _columns(pattern) == {image} and _have_gaps(paths, [row[image or 0] for row in rows], files)
        ):
            found.setdefault(paths, pattern)
    found = {paths: pattern for paths, pattern in found.items() if files >= {*paths}} or found
    found = {paths: pattern for paths, pattern in found.items() if len({*paths}) >= images}
    alone = set() if image is not None else {*_named(header, rows, _CALLED_FRAME)}
    # What one column tells by itself, that may be taken for the images, and these may be in another folder;
    # but where zeros are missing before its numbers, the folder alone does not help.
    found = {
        paths: way
        for paths, way in found.items()
        if len(_columns(way)) > 1
        or _columns(way) <= alone
        or (_columns(way) == {image} and any(part.width for part in way))
    }
    most = max((len({*paths}) for paths in found), default=0)
    likely = [pattern for paths, pattern in found.items() if len({*paths}) == most]
    return likely[0] if len(likely) == 1 else ()


def _have_gaps(paths: Sequence[str], numbers: Sequence[str], files: Set[str]) -> bool:
    """Whether few images of numbered rows are missing, none of them before or behind all others.

    At an end it may be another image that has each number: of those that are counted from 0, say.
    """
    if not all(map(_NUMBER.fullmatch, numbers)):
        return False
    there = [path in files for path in paths]
    found = [int(number) for number, is_there in zip(numbers, there, strict=True) if is_there]
    missing = [int(number) for number, is_there in zip(numbers, there, strict=True) if not is_there]
    are_few = bool(found) and len(missing) <= _MAY_LACK * len(paths)
    return are_few and all(min(found) < number < max(found) for number in missing)


def _named(header: Sequence[str], rows: _Table, *called: re.Pattern[str]) -> list[int]:
    """Columns that are called so and filled."""
    found = [i for i, name in enumerate(header) if any(each.search(name) for each in called)]
    return [i for i in found if all(row[i] for row in rows)]


def _files(root: str) -> Iterator[str]:
    """Paths of images below a folder, relative to it."""
    walk = islice(walk_local(root), _WALKED)
    paths = (os.path.relpath(os.path.join(folder, name), root) for folder, _, names in walk for name in names)
    return islice(filter(IMAGE_EXTENSION.search, paths), _LOOKED_AT)


def _patterns(row: Sequence[str], files: Set[str]) -> Iterator[Pattern]:
    """Ways in which the path of one of the files is made of the fields of a row."""
    columns: defaultdict[str, list[int]] = defaultdict(list)
    for i, field in enumerate(row):
        columns[field.replace("\\", "/")].append(i)
    words = sorted(filter(None, columns), key=len, reverse=True)
    fields = "|".join(f"0*{word}" if _NUMBER.fullmatch(word) else re.escape(word) for word in words)
    # Words and numbers count as a whole: `1` is no part of `12`, nor `a` of `cat`.
    search = re.compile(
        rf"(?<![0-9])(?=[0-9])(?:{fields})(?![0-9])|(?<![a-zA-Z])(?![0-9])(?:{fields})(?![a-zA-Z])"
    )
    matches = {path: [*search.finditer(path)] for path in files} if words else {}
    share = {path: sum(len(match[0]) for match in found) / len(path) for path, found in matches.items()}
    for path in sorted(filter(share.get, share), key=lambda path: (-share[path], path))[:_LIKELY]:
        yield from islice(_ways(path, matches[path], columns), _WAYS)


def _ways(path: str, matches: Sequence[re.Match[str]], columns: Mapping[str, list[int]]) -> Iterator[Pattern]:
    """Each match is the field of a column, which may be filled up with zeros, or stands in all paths."""
    choices: list[list[Part]] = []
    end = 0
    for match in matches:
        field = match[0] if match[0] in columns else match[0].lstrip("0") or "0"
        widths = [0, len(match[0])] if _NUMBER.fullmatch(field) else [0]
        parts = [Part(column=i, width=width) for width in widths for i in columns.get(field, ())]
        choices += [[Part(path[end : match.start()])], [*parts, Part(match[0])]]
        end = match.end()
    for way in product(*choices, [Part(path[end:])]):
        if any(part.column is not None for part in way):
            yield tuple(_joined(way))


def _joined(way: Iterable[Part]) -> Iterator[Part]:
    """The same parts, those that stand in all paths as one where they are neighbours."""
    for column, parts in groupby(way, key=lambda part: part.column):
        if column is not None:
            yield from parts
        elif text := "".join(part.text for part in parts):
            yield Part(text)


def _columns(pattern: Pattern) -> set[int]:
    return {part.column for part in pattern if part.column is not None}


def path_of_row(pattern: Pattern, row: Sequence[str]) -> str:
    """The path of the image of a row."""
    return "".join(part.of(row) for part in pattern).lstrip("/")


def command_for(
    pattern: Pattern, header: Sequence[str], rows: _Table, image: int | None, name: str, delimiter: str
) -> str:
    """The command that writes such paths into the column of images, or a new one; empty where it is no file.

    Args:
      rows: of the list, of the length of its header.
      image, name, delimiter: as in `paths_hint`.
    """
    terms = " + ".join(_term(part, header, rows) for part in pattern)
    if any("".join(part.of(row) for part in pattern).startswith("/") for row in rows):
        terms = f'({terms}).str.lstrip("/")'
    target = literal("image" if image is None else header[image])
    return changed(name, delimiter, f"t[{target}] = {terms}; t", "with-paths")


def _term(part: Part, header: Sequence[str], rows: _Table) -> str:
    if part.column is None:
        return literal(part.text)
    term = f"t[{literal(header[part.column])}].str.strip()"
    if any("\\" in row[part.column] for row in rows):
        term += '.str.replace(chr(92), "/")'
    return f"{term}.str.zfill({part.width})" if part.width else term
