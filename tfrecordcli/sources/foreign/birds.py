"""CUB-200-2011: labels and splits of images in files by their numbers."""

from __future__ import annotations

import os
import shlex
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import as_path

# What CUB-200-2011 tells of its images, a file each, by their numbers; last where they are.
PARTS_OF_BIRDS: Final = ("train_test_split.txt", "image_class_labels.txt", "classes.txt", "images.txt")
# Names and paths are the rest of their line, blanks and commas included: `817 Common Loon (Breeding)`.
_BIRDS: Final = (
    'awk -v OFS=, \'function q(t) {gsub(/"/, "\\"\\"", t); return "\\"" t "\\""} '
    'FNR == 1 {f++} {sub(/[ \\t\\r]+$/, ""); k = $1; v = $2; sub(/^[ \\t]*[^ \\t]+[ \\t]+/, "")} '
    'f == 1 {s[k] = v ? "train" : "test"} f == 2 {c[k] = v} '
    'f == 3 {n[k] = $0} f == 4 {print q("images/" $0), q(n[c[k]]), s[k]}\''
)


def need_no_birds(folder: str) -> None:
    """Refuses a folder of labels and splits in files by the numbers of images, as CUB-200-2011 has them.

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
            "OUTPUT_DIR",
        )
