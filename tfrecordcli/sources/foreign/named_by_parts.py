"""Lists of well-known sets whose rows have only a part of what their images are called.

Pascal VOC's `ImageSets/Main/cat_train.txt` (http://host.robots.ox.ac.uk/pascal/VOC/voc2012/), RAF-DB's
`list_patition_label.txt` (http://www.whdeng.cn/raf/model1.html), Adience's `fold_0_data.txt`
(https://talhassner.github.io/home/projects/Adience/Adience-data.html) and `AVA.txt`
(https://github.com/imfing/ava_downloader).
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.made_list import made_by


@dataclass(frozen=True, slots=True)
class _Set:
    r"""One kind of list.

    Attributes:
      what: it is.
      sign: of its first lines; groups are the first fields of a row.
      images: what the image of a row may be called, from the folder of the list; `\1` is the first field.
      header: of the list that is made.
      rows: what awk does to print it; IMAGE stands for the image, CLASS for what the file is called after.
      then: options for it, and what else is to be said.
      is_certain: whether this is the list even where none of these images is found.
    """

    what: str
    sign: re.Pattern[str]
    images: tuple[str, ...]
    header: str
    rows: str
    then: str = ""
    is_certain: bool = False


_SETS: Final = (
    _Set(
        "Pascal VOC's list of images with and without one class",
        re.compile(r"(?=[\s\S]* -1\s)([0-9A-Za-z_]+) +(?:-1|[01])\s*?\n"),
        (r"../../JPEGImages/\1.jpg",),
        "image,label",
        """'$2 != 0 {print IMAGE "," ($2 > 0 ? "CLASS" : "no CLASS")}'""",
        "; rows of 0, where it is difficult to see, are left out",
    ),
    _Set(
        "RAF-DB's list",
        re.compile(r"((?:train|test)_[0-9]+)\.jpg [1-7]\s*?\n"),
        (r"../Image/aligned/\1_aligned.jpg", r"Image/aligned/\1_aligned.jpg", r"\1_aligned.jpg"),
        "image,label,split",
        """'BEGIN {split("surprise fear disgust happiness sadness anger neutral", k, " ")} """
        """{split($1, s, "_"); sub(/[.]jpg$/, "", $1); print IMAGE "," k[$2 + 0] "," s[1]}'""",
    ),
    _Set(
        "Adience's list of faces",
        re.compile(r"user_id\toriginal_image\tface_id\tage\tgender\t[^\n]*\n([^\t\n]+)\t([^\t\n]+)\t([0-9]+)\t"),
        (r"faces/\1/coarse_tilt_aligned_face.\3.\2", r"aligned/\1/landmark_aligned_face.\3.\2"),
        "image,age,gender",
        # An age is a group, `(25, 32)`, a number, or None.
        r"""-F '\t' 'NR > 1 {gsub(/[() ]|None/, "", $4); sub(/,/, "-", $4); print IMAGE "," $4 "," $5}'""",
        " --columns label=age; the other label: --columns label=gender",
        is_certain=True,
    ),
    _Set(
        "AVA's list of votes",
        re.compile(r"(1) ([0-9]+)(?: [0-9]+){13}\s*?\n2(?: [0-9]+){14}\s*?\n"),
        (r"images/\2.jpg", r"image/\2.jpg", r"\2.jpg", r"../images/\2.jpg"),
        "image,label",
        # The mean of 1 to 10 by how many votes each has.
        """'{n = s = 0; for (i = 1; i <= 10; i++) {n += $(i + 2); s += i * $(i + 2)} """
        """print IMAGE "," s / n}'""",
        " --task regression",
        is_certain=True,
    ),
)  # fmt: skip


def need_no_parts_of_names(text: str, name: str, options: ReadOptions) -> None:
    """Refuses a list of one of these sets, whose images are not called as its rows say.

    Raises:
      InputError: what it is, and the command that makes a list of it.
    """
    if not os.path.isfile(name):
        return
    if options.unlabelled == "error":
        _need_no_stems(text, name)
    for kind in _SETS:
        found = kind.sign.match(text)
        if found and (image := _image_of(kind, found, name, options)):
            raise _refusal(kind, image, name)


def _need_no_stems(text: str, name: str) -> None:
    """Refuses Pascal VOC's list of a split, by its first line and the files of that image."""
    above = os.path.normpath(os.path.join(os.path.dirname(name), "..", ".."))
    stem = text.split("\n", 1)[0].strip()
    files = (
        os.path.join(above, "JPEGImages", f"{stem}.jpg"),
        os.path.join(above, "Annotations", f"{stem}.xml"),
    )
    if all(map(os.path.isfile, files)):
        command = command_line(["tfrec", "convert", as_path(above)])
        raise InputError(
            f"{name}: this is Pascal VOC's list of a split, which has no labels",
            f"convert the folder, whose splits it tells: {command} OUTPUT_DIR",
        )


def _image_of(kind: _Set, found: re.Match[str], name: str, options: ReadOptions) -> str:
    """Which of its forms leads to the first image; empty where that is called as the row says."""
    folder = os.path.dirname(name)
    listed = found[0].split("\n", 1)[0].split(" ", 1)[0]
    if os.path.isfile(os.path.join(options.image_root or folder, listed)):
        return ""
    there = (form for form in kind.images if os.path.isfile(os.path.join(folder, found.expand(form))))
    return next(there, kind.images[0] if kind.is_certain else "")


def _refusal(kind: _Set, image: str, name: str) -> InputError:
    word = os.path.splitext(os.path.basename(name))[0].rpartition("_")[0]
    expression = re.sub(r'^"" ', "", '"' + re.sub(r"\\([0-9])", r'" $\1 "', image) + '"')
    rows = kind.rows.replace("IMAGE", expression).replace("CLASS", word or "object")
    escaped = rows.replace("{", "{{").replace("}", "}}")
    hint = made_by(kind.header, f"awk {escaped} {{name}}", name)
    target = hint.rpartition(" > ")[2]
    then = f"; then: tfrec convert {target} OUTPUT_DIR{kind.then}"
    return InputError(f"{name}: this is {kind.what}, whose images are called otherwise", hint + then)
