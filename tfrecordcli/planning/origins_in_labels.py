"""Labels that tell what images come from, alone or beside what they show: `patient01`, `S01_walk_R2`."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import PurePosixPath
from typing import Final

from tfrecordcli.dataset.labels import quoted
from tfrecordcli.planning.label_doubts import LABEL_COLUMN, LABEL_FOLDER
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.machine_ids import are_ids
from tfrecordcli.sources.made_list import into
from tfrecordcli.sources.row import Row
from tfrecordcli.split_words import UNASSIGNED, parse_split
from tfrecordcli.units import some_of

# What images come from; with a number behind it, no class of what they show.
_THING: Final = (
    "(?:patient|subject|person(?:ne)?|participant|volunteer|proband|driver|user|case|study|exam|visit|session"
    "|scan|video|vid|mvi|dji|gopr|clip|frame|sequence|seq|batch|day|image|img|photo|cam(?:era)?|plot"
    "|slide|take|trial)[ _.-]?[0-9]+"
)
_DAY: Final = r"[12][0-9]{3}([_.-])[01][0-9]\1[0-3][0-9]"
# A letter says so above its numbers of two figures only: `S1` to `S4` are stages.
_CASE: Final = "[a-z]{1,3}[_-]20[0-9]{2}[_-][0-9]{2,}"
_ORIGIN: Final = re.compile(f"{_THING}|(?:p|s|id)[ _.-]?[0-9]{{2,}}|{_CASE}|{_DAY}", re.IGNORECASE | re.ASCII)
_SOME_ORIGINS: Final = 3
# Two that are called like videos, numbered as cameras do, are no classes either.
_VIDEO: Final = re.compile(r"(?:video|vid|mvi|dji|gopr|clip)[ _.-]?[0-9]{2,}", re.IGNORECASE | re.ASCII)

# The same as a part of a name, where it is certain by itself, or beside such ones where it goes with several
# words; and what is as little of a class beside one of these.
_CERTAIN: Final = f"{_THING}|id[0-9]+|[a-z]{{1,2}}0[0-9]+|20[0-9]{{2}}[01][0-9][0-3][0-9]"
_LIKELY: Final = f"{_CERTAIN}|[a-z]{{1,2}}[0-9]{{2,4}}"
_BESIDE: Final = f"{_LIKELY}|[a-z]{{1,2}}[0-9]|[0-9]+"
_BETWEEN: Final = "[_. -]+"
_CERTAIN_PART: Final = re.compile(_CERTAIN, re.IGNORECASE | re.ASCII)
_LIKELY_PART: Final = re.compile(_LIKELY, re.IGNORECASE | re.ASCII)
_PART_BESIDE: Final = re.compile(_BESIDE, re.IGNORECASE | re.ASCII)
_SOME_NAMES: Final = 6
_LOOKED_AT: Final = 10_000  # names
# `aachen/aachen_000000_000019_leftImg8bit.png`: other names that begin as their folder may be of classes.
_OF_CITY: Final = re.compile(r"(?:.*/)?([^/]+)/\1_[0-9]{6}_[0-9]{6}_leftImg8bit\.[a-z]+")
_IN_A_COLUMN: Final = "convert a list that has these in a column; --split-by keeps those of one together"
# The columns of such a list of a folder, and of one with splits on top.
_COLUMNS: Final = ["image", "label", "origin", "split"]
_CODE: Final = (
    "import csv, re, sys; from pathlib import Path; r = Path(sys.argv[1]); w = csv.writer(sys.stdout); "
    "w.writerow({columns}); "
    "[w.writerow([p.relative_to(r).as_posix(), "
    '"_".join(t for t in d if not re.fullmatch(sys.argv[3], t)), '
    "next(t for t in d if re.fullmatch(sys.argv[2], t)){split}]) "
    'for p in sorted(r.rglob("*")) if p.suffix in sys.argv[4:] '
    f'for d in [re.split("{_BETWEEN}", p.parent.name)]]'
)


def origin_warnings(
    met: Collection[str], *, are_folders: bool, listed: Callable[[], str] = str
) -> Iterator[str]:
    """Whether labels are what images come from, or have that in their names.

    Args:
      met: the distinct labels of rows that are used.
      are_folders: whether they are names of folders.
      listed: the commands for a list with the rest of such names as labels; empty where there are none.
    """
    where, hint = LABEL_FOLDER if are_folders else LABEL_COLUMN
    how = "else convert a CSV with the label of each image" if are_folders else hint
    origin = _ORIGIN if len(met) >= _SOME_ORIGINS else _VIDEO
    numbered = len(met) > 1 and all(map(origin.fullmatch, met))
    if numbered or are_ids(met):
        yield (
            f"labels are {'numbered' if numbered else 'ids that machines give out'} ({_shown(met)}), as what "
            f"images come from is and not what they show: is that {where}? {how}; --split-by keeps those of "
            "one together"
        )
    elif rests := rests_of(met):
        yield (
            f"labels have what images come from in their names ({_shown(met)}): "
            f"without it there are {len(rests)} ({some_of(rests)}); where these are the labels, "
            f"{listed() or _IN_A_COLUMN}"
        )


def city_warnings(uris: Collection[str]) -> Iterator[str]:
    """That folders are cities where photos were taken, by the names that Cityscapes gives its images.

    Args:
      uris: of some images that have the labels of their folders.
    """
    if uris and all(map(_OF_CITY.fullmatch, uris)):
        yield (
            "labels are the cities of Cityscapes where images were taken, and not what they show: the folder "
            "that holds leftImg8bit and gtFine, or gtBboxCityPersons, has the command for the boxes in them"
        )


def _shown(met: Collection[str]) -> str:
    return some_of([*map(quoted, sorted(met))], 2)


def rests_of(met: Collection[str]) -> list[str]:
    """What is left of names without that, sorted; none where these parts may tell of classes."""
    if len(met) < _SOME_NAMES:
        return []
    rests: dict[str, set[str]] = defaultdict(set)  # by what images come from
    certain = 0
    for name in islice(met, _LOOKED_AT):
        parts = re.split(_BETWEEN, name)
        origins = [*filter(_LIKELY_PART.fullmatch, parts)]
        rest = _rest(parts)
        if not origins or not rest:
            return []
        certain += any(map(_CERTAIN_PART.fullmatch, origins))
        for origin in origins:
            rests[origin].add(rest)
    found = sorted(set().union(*rests.values()))
    are_crossed = 2 * sum(len(some) > 1 for some in rests.values()) >= len(rests)
    names = min(len(met), _LOOKED_AT)
    is_enough = 1 < len(found) <= names // 2 and (certain == names or (certain > 0 and are_crossed))
    return found if is_enough else []


def _rest(parts: Sequence[str]) -> str:
    return "_".join(part for part in parts if not _PART_BESIDE.fullmatch(part))


def listing(rows: Iterable[Row], root: str) -> str:
    """The commands for a list of a folder with what is left of its labels, and where images come from.

    Args:
      rows: of the folder.
      root: the folder, a local one.
    """
    rows = [*islice(rows, _LOOKED_AT)]
    paths = [PurePosixPath(row.image_uri) for row in rows]
    has_splits = any(row.split != UNASSIGNED for row in rows)
    if any(
        row.labels != (path.parent.name,) or (has_splits and parse_split(path.parts[0]) != row.split)
        for row, path in zip(rows, paths, strict=True)
    ):
        return ""
    endings = sorted({path.suffix for path in paths})
    target = as_path(f"{root.rstrip('/')}/list.csv")
    columns, split = _COLUMNS[: 3 + has_splits], ", p.relative_to(r).parts[0]" * has_splits
    code = _CODE.replace("{columns}", json.dumps(columns)).replace("{split}", split)
    told = patterns({path.parent.name for path in paths})
    command = command_line(["python", "-c", code, as_path(root), *told, *endings])
    convert = command_line(["tfrec", "convert", target])
    return f"{into(command, command_line([target]))}; then: {convert} OUTPUT_DIR" + " --split-by origin" * (
        not has_splits
    )


def patterns(names: Collection[str]) -> tuple[str, str]:
    """What matches the parts of these names that are what images come from, and all that is left out."""
    parts = {part for name in names for part in re.split(_BETWEEN, name)}
    likely, beside = (_pattern(filter(kind.fullmatch, parts)) for kind in (_LIKELY_PART, _PART_BESIDE))
    return likely, beside


def _pattern(parts: Iterable[str]) -> str:
    """What matches these parts, and others with other numbers in them."""
    return "|".join(sorted({re.sub("[0-9]+", "[0-9]+", part) for part in parts}))
