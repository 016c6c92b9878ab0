"""Files beside a list that name the images of each split, where the list itself tells no splits."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.csv_shape import detect_delimiter, detect_shape
from tfrecordcli.sources.files_of_splits import (
    SplitFiles,
    files_of_splits,
    lines_of,
    read_file,
)
from tfrecordcli.sources.folders.annotation_files import HEAD_BYTES
from tfrecordcli.sources.folders.lists_and_images import converting_with_images
from tfrecordcli.sources.folders.lists_of_splits import split_in_name
from tfrecordcli.sources.folders.tree import is_image_name
from tfrecordcli.sources.foreign.kind import FILE_OF_IMAGE, keyed_by_name
from tfrecordcli.sources.made_list import made_by, rows_by
from tfrecordcli.sources.pandas_commands import literal
from tfrecordcli.sources.splits_in_one_text import pairs_in_one_text
from tfrecordcli.split_words import SPLIT_WORDS
from tfrecordcli.units import some_of

_UNQUOTED: Final = r's.strip().strip("\"")'


def splits_beside_list(rows: RowFile, uris: Collection[str]) -> str:
    """What to know of rows without a split whose images files beside name by splits; or empty.

    Args:
      rows: a list on disk.
      uris: of the first of its images.
    """
    is_of_all = not split_in_name(rows.name)
    found = files_of_splits(os.path.dirname(rows.name), rows.name, uris, with_rest=is_of_all)
    return _told(found, _with_splits(rows, found)) if found else ""


def splits_beside_yolo(root: str, uris: Collection[str]) -> str:
    """The same of the images of a YOLO dataset in a local folder, which has no lists of splits in it."""
    found = files_of_splits(root, "", uris)
    if not found or found.one:
        return ""
    are_kept = any(os.path.exists(os.path.join(root, f"{split}.txt")) for split in SPLIT_WORDS if split)
    kept = "; those that are there are kept as .orig" * are_kept
    return _told(found, _reading(found) or f"{_copied(found, root)} makes lists of them that are read{kept}")


def splits_beside_voc(root: str, uris: Collection[str]) -> str:
    """The same of a folder of Pascal VOC whose images lists of boxes name by splits, as they are made of it.

    Texts of names are read with it, or told of there.
    """
    found = files_of_splits(root, "", uris)
    reading = _reading(found) if found else ""
    return _told(found, reading) if found and reading else ""


def making_sets(commands: Sequence[str]) -> str:
    """The same of a folder of Pascal VOC, with the commands that make sets in ImageSets; none: empty."""
    made = "; ".join(commands)
    return _warned("", f"{made} makes sets of them, which are read") if made else ""


def _reading(found: SplitFiles) -> str:
    """The command for texts that are lists of boxes by themselves; empty for others."""
    if not found.texts or not all(map(_tells_boxes, found.texts.values())):
        return ""
    return f"{converting_with_images('', sorted(found.texts.items()), read_file)} reads these instead"


def _tells_boxes(path: str) -> bool:
    line = read_file(path, HEAD_BYTES).decode("utf-8-sig", "replace").partition("\n")[0]
    delimiter = detect_delimiter(line)
    with suppress(InputError):  # of columns that are not known
        fields = [field.strip().strip('"') for field in line.split(delimiter)]
        return detect_shape(fields, delimiter, ReadOptions()).boxes is not None
    return False


def _copied(found: SplitFiles, root: str) -> str:
    """The command that writes such texts where they are read, with the names of the files of images."""
    names = {path: os.path.join(root, f"{split}.txt") for split, path in found.texts.items()}
    lines = (line for path in found.texts.values() for line in lines_of(read_file(path), found.behind))
    are_new = not any(map(os.path.exists, names.values()))
    if names and are_new and not found.behind and all(map(is_image_name, lines)):
        return "; ".join(command_line(["cp", as_path(path), as_path(to)]) for path, to in names.items())
    texts = json.dumps(found.texts, ensure_ascii=False)
    named = f'{{k: open(p, encoding="utf-8-sig") for k, p in {texts}.items()}}'
    if found.json:
        named = f'json.load(open({literal(found.json)}, encoding="utf-8-sig"))'
    code = (
        "import json, pathlib, re, sys; r = pathlib.Path(sys.argv[1]); "
        f"{keyed_by_name(found.depth, _UNQUOTED)}"
        'm = {n(str(p)): str(p.relative_to(r)) for p in r.rglob("*") '
        f'if re.search(r"{FILE_OF_IMAGE}", p.name)}}; '
        f't = {{k: "".join(m[i] + "\\n" for l in v '
        f'if (i := n(re.sub(r"{found.behind}", "", l.strip()))) in m) for k, v in {named}.items()}}; '
        # Lists there are the user's own, but for those that this made before.
        '[q.rename(o) for k in t for q in [r / f"{k}.txt"] for o in [r / f"{k}.txt.orig"] '
        "if q.exists() and not o.exists()]; "
        '[(r / f"{k}.txt").write_text(v, encoding="utf-8") for k, v in t.items()]'
    )
    return command_line(["python", "-c", code, as_path(root)])


def _told(found: SplitFiles, way: str) -> str:
    return _warned(f" ({some_of(found.paths)})", way)


def _warned(files: str, way: str) -> str:
    what = f"files beside name the images of splits{files}"
    return f"{what}, and rows without a split are assigned whatever these say: {way}"


def _with_splits(rows: RowFile, found: SplitFiles) -> str:
    """How the list gets a column of splits."""
    shape = rows.shape()
    by_hand = _reading(found) or "write the split of each image into the list"
    if rows.is_spooled or rows.is_own or (shape.boxes is not None and not shape.header):
        return by_hand
    if shape.header and (shape.image is None or "split" in map(str.lower, shape.header)):
        return by_hand
    if found.one:
        pairs = pairs_in_one_text(read_file(found.one), found.one, "n")
    elif found.json:
        of_file = f'json.load(open({literal(found.json)}, encoding="utf-8-sig")).items() for l in v'
        pairs = f'n(l.encode().decode("latin-1")): k for k, v in {of_file}'
    else:
        texts = json.dumps(found.texts, ensure_ascii=False)
        line = 'l.removeprefix("\\xef\\xbb\\xbf").strip()'
        line = f're.sub(r"{found.behind}", "", {line})' if found.behind else line
        pairs = f'n({line}): k for k, p in {texts}.items() for l in open(p, encoding="latin-1")'
    head = 'w.writerow(["split", *next(r)]); ' if shape.header else ""
    code = (
        f"import json, re; {keyed_by_name(found.depth)}s = {{{pairs}}}; "
        f'{head}w.writerows([s.get(n(f[{shape.image or 0}]), "{found.others}"), *f] for f in r if f)'
    )
    made = made_by("", rows_by(code, shape.delimiter, rows.options.delimiter or ","), rows.name)
    return f"{made}, and convert that"
