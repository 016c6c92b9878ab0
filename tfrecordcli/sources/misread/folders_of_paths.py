"""Lists of nothing but paths whose folders may be labels: which they are, and what makes columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from tfrecordcli.sources.column_words import columns_option
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.group_names import width_of_group
from tfrecordcli.sources.made_list import made_by
from tfrecordcli.split_words import split_of
from tfrecordcli.units import some_of

_FOLDERS: Final = 'l = p[{first}]; for (k = {first} + 1; k < n; k++) l = l "/" p[k]; '
_LAST_TWO: Final = 'l = p[n - 2] "/" p[n - 1]; '
_BEGIN_AT_ROOT: Final = r'sub(/^\//, ""); '
# The folder that the image lies in, of paths that all have one, or several at their end; or all of them.
_WITH_FOLDERS: Final = (
    r"""awk '{{{{sub(/^\357\273\277/, ""); {sub}sub(/[ \t\r]+$/, ""); n = split($0, p, /[\/\\]/)}}}} """
    r"""NF {{{{{loop}print $0 "," {folder}}}}}' {{name}}"""
)
_EACH: Final = 'l = p[1]; for (k = 2; k < n; k++) l = l "," p[k]; '
_YEAR: Final = re.compile("(?:19|20)[0-9]{2}")
_SHOWN: Final = 3


def label_of_folder(rows: RowFile, folder: str, shown: str, *, is_from_root: bool) -> str:
    """What writes the folder of each image as its label, and some of these.

    Where one folder is not enough to tell classes apart, several; where several may tell them, all are
    columns, of which one is to be named.

    Args:
      folder: the last one, in awk.
      shown: some of these.
      is_from_root: whether paths begin at a root that is not this machine's.
    """
    sub = _BEGIN_AT_ROOT * is_from_root
    folders = Counter(_folders_of(row.image_uri) for row in rows.read()[1] if row.image_uri)
    is_last = folder == "p[n - 1]"
    if is_last and (levels := _levels(folders)):
        depth = len(next(iter(folders)))
        header = ",".join(["image", *(f"folder_{level}" for level in range(1, depth + 1))])
        made = made_by(header, _WITH_FOLDERS.format(sub=sub, loop=_EACH, folder="l"), rows.name)
        ways = (
            f"{columns_option([('label', f'folder_{level}')])} ({some_of(names, _SHOWN)})"
            for level, names in levels
        )
        return f"where a folder is the label, {made}, and convert that with {', or '.join(ways)}"
    loop, told = _several_folders(folders) if is_last else ("", "")
    folder, shown = ("l", told) if loop else (folder, shown)
    made = made_by("image,label", _WITH_FOLDERS.format(sub=sub, loop=loop, folder=folder), rows.name)
    return f"where folders are the labels ({shown}), {made}"


def _folders_of(path: str) -> tuple[str, ...]:
    return (*path.replace("\\", "/").strip("/").split("/")[:-1],)


def _parents(folders: Iterable[Sequence[str]]) -> dict[str, set[str]]:
    """What stands above each last folder."""
    above: dict[str, set[str]] = {}
    for each in folders:
        if each:
            above.setdefault(each[-1], set()).add("/".join(each[-2:-1]))
    return above


def _are_shared(above: dict[str, set[str]]) -> bool:
    """Whether most last folders stand below several others, as classes do below patients, and years."""
    return 2 * sum(len(parents) > 1 for parents in above.values()) >= len(above)


def _levels(folders: Counter[tuple[str, ...]]) -> list[tuple[int, list[str]]]:
    """Which folders, from 1, may be labels, the likeliest first, and their names; none: the last is one."""
    if len({*map(len, folders)}) != 1 or not _are_shared(_parents(folders)):
        return []
    names = [sorted({*level}) for level in zip(*folders, strict=True)]
    if any(split_of(name) for level in names for name in level):
        return []
    varied = [i for i, level in enumerate(names) if 1 < len(level) <= folders.total() // 2]
    varied.sort(key=lambda i: (_is_unlikely(names[i]), -i))
    return [(i + 1, names[i]) for i in varied] if len(varied) > 1 else []


def _is_unlikely(names: Sequence[str]) -> bool:
    """Whether folders are called after years, or after groups such as patients."""
    are_years = all(map(_YEAR.fullmatch, names))
    return are_years or all(width_of_group(name) is not None for name in names)


def _several_folders(folders: Iterable[Sequence[str]]) -> tuple[str, str]:
    """(what makes the label ``l`` of several folders in awk, some labels); both empty: one is enough.

    SUN397 has `bazaar/indoor` and `church/indoor` beside `abbey`: the last folder is of two classes. Where
    most are, as those of splits or patients, what stands above tells no class.
    """
    above, depths = _parents(folders), {*map(len, filter(None, folders))}
    shared = {name: parents for name, parents in above.items() if len(parents) > 1}
    told = [f"{parent}/{name}" for name, parents in shared.items() for parent in sorted(parents)]
    are_most = _are_shared(above) and len(depths) == 1
    if not told or are_most or any(split_of(parent) for parents in shared.values() for parent in parents):
        return "", ""
    loop = _LAST_TWO if len(depths) == 1 else _FOLDERS.format(first=min(depths))
    return loop, ", ".join(sorted(told)[:_SHOWN])
