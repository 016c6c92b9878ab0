"""CUB-200-2011, and sets in its form: labels, splits and boxes of images in files by their numbers."""

from __future__ import annotations

import os
import re
import shlex
from contextlib import suppress
from itertools import islice
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import WRITTEN
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.foreign.kind import EXTENSION

# What CUB-200-2011 tells of its images, a file each, by their numbers; last where they are.
PARTS_OF_BIRDS: Final = ("train_test_split.txt", "image_class_labels.txt", "classes.txt", "images.txt")
# Two of these, which other sets have as well.
BOXES_BY_NUMBER: Final = ("images.txt", "bounding_boxes.txt")
_IMAGE: Final = re.compile(rf"[0-9]+[ \t]+(\S.*{EXTENSION})\s*", re.IGNORECASE)
_BOX: Final = re.compile(rf"[0-9]+(?:[ \t]+{WRITTEN}){{4}}\s*")
_FOLDERS: Final = ("images/", "Images/", "")
_LOOKED_AT: Final = 1000  # lines
_QUOTE: Final = 'function q(t) {gsub(/"/, "\\"\\"", t); return "\\"" t "\\""} '
# Names and paths are the rest of their line, blanks and commas included: `817 Common Loon (Breeding)`.
_BIRDS: Final = (
    f"awk -v OFS=, '{_QUOTE}"
    'FNR == 1 {f++} {sub(/[ \\t\\r]+$/, ""); k = $1; v = $2; sub(/^[ \\t]*[^ \\t]+[ \\t]+/, "")} '
    'f == 1 {s[k] = v ? "train" : "test"} f == 2 {c[k] = v} '
    'f == 3 {n[k] = $0} f == 4 {print q("images/" $0), q(n[c[k]]), s[k]}\''
)


def need_no_birds(folder: str, otherwise: str = "") -> None:
    """Refuses a folder of labels and splits in files by the numbers of images, as CUB-200-2011 has them.

    Args:
      otherwise: what takes it for something else.

    Raises:
      InputError: that is what it is, with the command that makes one list of them.
    """
    files = [os.path.join(folder, name) for name in PARTS_OF_BIRDS]
    if all(map(os.path.isfile, files)):
        *others, images = (shlex.quote(as_path(file)) for file in files)
        rows = f"{_BIRDS} {' '.join(others)} {images}"
        target = shlex.quote(as_path(os.path.join(folder, "list.csv")))
        raise InputError(
            f"{folder or '.'}: labels and splits are in files by the numbers of images, as in CUB-200-2011",
            f"make a list of them: (echo image,label,split; {rows}) > {target}; then: tfrec convert {target} "
            f"OUTPUT_DIR{otherwise and f'; {otherwise}'}",
        )


def need_no_boxes_by_number(folder: str) -> None:
    """Refuses a list of images and one of boxes by their numbers, as Stanford Dogs has them in CUB's form.

    Raises:
      InputError: that is what they are, with the command that makes one list of them.
    """
    images, boxes = (os.path.join(folder, name) for name in BOXES_BY_NUMBER)
    paths, are_boxes = _first_lines(images, _IMAGE), _first_lines(boxes, _BOX)
    if not paths or not are_boxes:
        return
    holding = (each for each in _FOLDERS if os.path.isfile(os.path.join(folder, each, paths[0])))
    there = next(holding, _FOLDERS[0])
    classes = {path.split("/")[-2] for path in paths if "/" in path}
    has_labels = len(classes) > 1 and all("/" in path for path in paths)
    label = ', q(c[split(i[k], c, "/") - 1])' if has_labels else ""
    lines = (
        f"awk -v f={there} -v OFS=, '{_QUOTE}"
        '{sub(/[ \\t\\r]+$/, ""); k = $1} '
        'FNR == NR {sub(/^[ \\t]*[^ \\t]+[ \\t]+/, ""); i[k] = $0; next} '
        f"NF {{n[k]; print q(f i[k]), $2, $3, $4, $5{label}}} "
        f"""END {{for (k in i) if (!(k in n)) print q(f i[k]), "", "", "", ""{', ""' * has_labels}}}'"""
    )
    files = " ".join(shlex.quote(as_path(file)) for file in (images, boxes))
    header = f"image,x,y,width,height{',label' * has_labels}"
    target = shlex.quote(as_path(os.path.join(folder, "boxes.csv")))
    told = ", whose folders are taken for labels," if has_labels else ""
    alone = command_line(["tfrec", "convert", as_path(os.path.join(folder or ".", there)), "OUTPUT_DIR"])
    raise InputError(
        f"{folder or '.'}: images and their boxes are in files by the numbers of images, as in CUB-200-2011",
        f"make a list of them{told} as x, y, width, height: (echo {header}; "
        f"{lines} {files}) > {target}; "
        f"then: tfrec convert {target} OUTPUT_DIR"
        + f"; without boxes: {alone} --label-folder last"
        * has_labels,
    )


def _first_lines(name: str, pattern: re.Pattern[str]) -> list[str]:
    """What the first lines of a file say, if all are like this and the file is there; else nothing."""
    with suppress(OSError), open(name, encoding="utf-8", errors="replace") as file:
        found = [pattern.fullmatch(line) for line in islice(file, _LOOKED_AT)]
        return [match[match.re.groups] for match in found if match] if all(found) else []
    return []
