"""Labels or numbers and nothing else, a line each, beside as many images that are numbered."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from tfrecordcli.number_patterns import WRITTEN_NUMBER
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.column_words import IMAGE_EXTENSION, columns_option
from tfrecordcli.sources.made_list import made_by
from tfrecordcli.sources.pandas_commands import literal
from tfrecordcli.sources.proposals.missing_images import folders_in
from tfrecordcli.sources.proposals.unread import Unread
from tfrecordcli.storage.uris import is_remote
from tfrecordcli.units import join_names

_NUMBERED: Final = re.compile(r"(.*?)([0-9]{1,18})(\.\w+)", re.ASCII)
_LINES: Final = 2  # of each label, on average
_MOST_NUMBERS: Final = 3  # in a line: four may be a box
_BETWEEN: Final = r"[,;\s]+"
# Stops where there are not as many lines as images.
_CODE: Final = (
    "import csv, os, re, sys; s, d = sys.argv[1:]; b, e = {begin}, {end}; c = slice(len(b), -len(e)); "
    'l = open(s, encoding="utf-8-sig").read().rstrip().split("\\n"){below}; '
    "n = sorted((int(i[c]), i) for i in os.listdir(d) if i == b + i[c] + e and i[c].isdecimal()); "
    "p = os.path.relpath(d, os.path.dirname(s) or os.curdir); "
    "r = [(os.path.normpath(os.path.join(p, i)), {fields}) for (_, i), v in zip(n, l, strict=True)]; "
    'csv.writer(sys.stdout).writerows([("image", {names}), *r])'
)


class _Numbered(NamedTuple):
    """The images of a folder, whose names are numbers between these."""

    folder: str
    begin: str
    end: str
    first: str


def labels_by_line(unread: Unread) -> str:
    """The command that writes the image of each line of labels before it; empty where that is not likely.

    It is where the images of one folder near are numbered without a gap from 0 or 1, a line for each, and
    labels come again, as names of classes do not.
    """
    rows = [unread.header, *filter(any, unread.table)]
    if any(len(row) > 1 for row in rows) or _LINES * len({row[0] for row in rows}) > len(rows):
        return ""
    return _written(unread, "the labels", {"fields": "v.strip()", "names": '"label"', "below": ""})


def numbers_by_line(unread: Unread) -> str:
    """The same of lines of as many numbers each, maybe below their names: the first is the one to predict."""
    rows = [_fields(row) for row in (unread.header, *filter(any, unread.table))]
    has_header = not any(map(WRITTEN_NUMBER.fullmatch, rows[0]))
    names = rows[0] if has_header else ["target", *(f"column_{n}" for n in range(2, len(rows[0]) + 1))]
    numbers = rows[has_header:]
    if {*map(len, numbers)} != {len(names)} or not 0 < len(names) <= _MOST_NUMBERS or "image" in names:
        return ""
    if not all(WRITTEN_NUMBER.fullmatch(field) for row in numbers for field in row):
        return ""
    columns = zip(*numbers, strict=True)
    if any(len({*column}) == len(column) and all(map(str.isdecimal, column)) for column in columns):
        return ""  # these may be the numbers of the images
    fields = f're.split(r"{_BETWEEN}", v.strip())'
    told = ", ".join(map(literal, names))
    made = _written(unread, "numbers", {"fields": f"*{fields}", "names": told, "below": "[1:]" * has_header})
    named = columns_option([("image_uri", "image"), ("label", names[0])])
    stored = f" {command_line(['--features', join_names(names[1:])])}" if names[1:] else ""
    are_true = "" if has_header else ", with the names that are true"
    return made and f"{made}, and convert that with {named} --task regression{stored}{are_true}"


def _fields(row: Sequence[str]) -> list[str]:
    return re.split(_BETWEEN, " ".join(row).strip())


def _written(unread: Unread, what: str, parts: Mapping[str, str]) -> str:
    """The command that writes the image of each line before it; empty where these are not known.

    Args:
      what: the lines are.
      parts: of `_CODE`, but for what the names of images begin and end with.
    """
    root = unread.options.image_root or os.path.dirname(unread.name) or os.curdir
    if is_remote(root):
        return ""
    count = (not parts["below"]) + sum(1 for row in unread.rows() if any(row))
    found = [images for folder in (root, *folders_in(root)) if (images := _numbered(folder, count))]
    if len(found) != 1:
        return ""
    ((folder, begin, end, first),) = found
    code = _CODE.format(begin=literal(begin), end=literal(end), **parts)
    words = [shlex.quote(word).replace("{", "{{").replace("}", "}}") for word in (code, as_path(folder))]
    made = made_by("", f"python -c {words[0]} {{name}} {words[1]}", unread.name)
    return (
        f"where its {count:,} lines are {what} of as many images in {folder}, in the order of their "
        f"numbers (the first of {first}), {made}"
    )


def _numbered(folder: str, count: int) -> _Numbered | None:
    """The images right in a folder, if they are as many and numbered from 0 or 1, and all called alike."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if IMAGE_EXTENSION.search(entry.name)]
    except OSError:
        return None
    found = {int(match[2]): match for name in names if (match := _NUMBERED.fullmatch(name))}
    least = min(found, default=2)
    if len(names) != count or len(found) != count or least > 1 or max(found) - least != count - 1:
        return None
    if len({match.group(1, 3) for match in found.values()}) > 1:
        return None
    first = found[least]
    return _Numbered(folder, first[1], first[3], first[0])
