"""Files beside folders of images that give each folder a value, which is the label, and not its name."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final

from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.folders.lists_of_splits import by_split, converting_lists
from tfrecordcli.sources.folders.rows_of_heads import rows_of_head
from tfrecordcli.sources.foreign.kind import FILE_OF_IMAGE
from tfrecordcli.sources.made_list import MADE_OF_FOLDER, into
from tfrecordcli.sources.pandas_commands import literal
from tfrecordcli.storage.uris import is_remote
from tfrecordcli.units import some_of

_READ: Final = 1 << 16  # bytes of a file
_FEWEST: Final = 2
_PAIR: Final = 2  # fields
_LIST: Final = (
    "import csv, json, pathlib, re, sys; r = pathlib.Path(sys.argv[1]); "
    't = json.load(open({path}, encoding="utf-8-sig")); '
    r'w = csv.writer(sys.stdout, lineterminator="\n"); w.writerow(["image", "label"]); '
    'w.writerows([p.as_posix(), t[k]] for p in sorted(q.relative_to(r) for q in r.rglob("*")) '
    'if re.search(r"{image}", p.name) for k in p.parts[:-1] if k in t)'
)


def told_of_folders(
    root: str, paths: Iterable[str], head: Callable[[str, int], bytes], class_folders: Collection[str]
) -> str:
    """What is said where JSON tells a value of each of some folders, as a label by tracklet; else empty.

    Classes have ids, or names, of their own there: a value that comes again is said of what a class is not.

    Args:
      root: the folder that is listed.
      paths: of files in it.
      head: gives so many first bytes of a file.
      class_folders: those of the images that have labels.
    """
    if is_remote(root):
        return ""
    names = {folder.rpartition("/")[2] for folder in class_folders}
    some = {path: _pairs(path, head, names) for path in sorted(paths) if path.endswith(".json")}
    found = [path for path, pairs in some.items() if pairs]
    folders = [os.path.dirname(path) for path in found]
    if not any(map(_come_again, some.values())) or len({*folders}) < len(found):
        return ""
    splits = {folder: split for split, folder in by_split(folders).items()}
    listed = [(splits.get(folder, ""), os.path.join(folder, MADE_OF_FOLDER)) for folder in folders]
    made = "; ".join(_listing(root, path) for path in found)
    then = converting_lists(root, listed)
    shown = some_of([os.path.join(root, path) for path in found])
    return (
        f"{shown} gives each folder a value, some of them the same one, and the names of the folders are "
        f"taken for labels: where the values are these, make a list of each: {made}; then: {then}"
    )


def _pairs(path: str, head: Callable[[str, int], bytes], names: Collection[str]) -> list[Sequence[str]]:
    """The pairs in a file of a folder and its value, where folders are called by ids; else none."""
    _, rows = rows_of_head(path, head(path, _READ), _READ)
    pairs = [row for row in rows if len(row) == _PAIR]
    known = [row for row in pairs if row[0] in names]
    are_ids = sum(any(map(str.isdecimal, name)) for name, _ in known) * 2 > len(known)
    return known if are_ids and len(known) >= max(_FEWEST, len(pairs) / 2) else []


def _come_again(pairs: Sequence[Sequence[str]]) -> bool:
    return 1 < len({value for _, value in pairs}) < len(pairs)


def _listing(root: str, path: str) -> str:
    """The command that makes a list of the images in the folder of such a file."""
    whole = os.path.join(root, path)
    folder = as_path(os.path.dirname(whole))
    code = _LIST.format(path=literal(whole), image=FILE_OF_IMAGE)
    return into(
        command_line(["python", "-c", code, folder]), shlex.quote(os.path.join(folder, MADE_OF_FOLDER))
    )
