"""Copies made of images, told by names: these belong into the split of their image."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import islice
from typing import Final

from tfrecordcli.shell import command_line
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.folders.groups_in_names import LOOKED_AT, listing_commands
from tfrecordcli.sources.pandas_commands import literal
from tfrecordcli.split_words import UNASSIGNED
from tfrecordcli.units import plural

_HOW: Final = "aug(?:ment(?:ed|ation)?)?|flip(?:ped)?|rotated|mirrored"
# What a copy's name has more than that of its image: x_augment1, x-r90, aug_0_x, x_jpg.rf.<digest>.
MORE: Final = (
    rf"(?i)[ _.-](?:{_HOW})[ _.-]*[0-9]*$|[_-](?:f[hv]|brt|r(?:ot)?(?:90|180|270))$"
    rf"|(?<![^/])(?:{_HOW})[ _.-]+(?:[0-9]+[ _.-]+)?(?=.)"
    "|[.]rf[.][0-9a-f]{32}$"
)
_DIGEST: Final = ".rf."
_FEWEST: Final = 2  # images that have copies
GROUP: Final = "group"  # column of a list that tells what each image is made of
PREVENTING: Final = f"a list with a column of these and {command_line(['--split-by', GROUP])} prevents that"


def copies_doubt(rows: RowFile, path: str, column: str | None, exclude: Collection[str]) -> str:
    """What to know of copies that are assigned to splits one by one; empty where names tell of none.

    Args:
      rows: of the folder.
      column: that `--split-by` names, if it is given.
    """
    if column is not None:
        return ""
    found = list(islice((row for row in rows.read()[1] if row.split == UNASSIGNED), LOOKED_AT))
    told = copies_told([row.image_uri for row in found])
    if not told:
        return ""
    group = f're.sub({literal(MORE)}, "", q.rpartition(".")[0])'
    how = listing_commands(found, path, GROUP, group, exclude)
    way = f"write a list that has the name of the image each is made of: {how}" if how else ""
    return f"{told}: {way or PREVENTING}"


def copies_told(paths: Iterable[str]) -> str:
    """That images and copies of them may be in several splits; empty where names tell of few.

    Args:
      paths: of images that are assigned to splits.
    """
    more = re.compile(MORE)
    groups: dict[str, list[str]] = {}
    for path in paths:
        groups.setdefault(more.sub("", _stem(path)), []).append(path)
    several = [
        names for names in groups.values() if len(names) > 1 and any(map(more.search, map(_stem, names)))
    ]
    copied = [names for names in several if _are_of_one(names, more)]
    if len(copied) < _FEWEST or 2 * len(copied) <= len(several):
        return ""
    copy = next(name for name in copied[0] if more.search(_stem(name)))
    other = next(name for name in copied[0] if name != copy)
    return (
        f"{plural(len(copied), 'image')} and copies made of them, by their names ({copy} beside {other}), "
        "may be in several splits"
    )


def _are_of_one(names: list[str], more: re.Pattern[str]) -> bool:
    """Whether images are one and its copies: `back-flip/back-flip_1` and `2020-Aug-01` are none.

    The image itself is there, and its folder is not called so; a digest is told of copies alone.
    """
    found = [more.search(_stem(name)) for name in names]
    if any(match and match[0].lower().startswith(_DIGEST) for match in found):
        return True
    folder = names[0].rpartition("/")[0].rpartition("/")[2]
    return None in found and not re.search(_HOW, folder, re.IGNORECASE)


def _stem(path: str) -> str:
    return path.rpartition(".")[0]
