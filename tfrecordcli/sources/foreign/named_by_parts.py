"""Lists of well-known sets whose rows have only a part of what their images are called.

Pascal VOC's `ImageSets/Main/cat_train.txt` (http://host.robots.ox.ac.uk/pascal/VOC/voc2012/), RAF-DB's
`list_patition_label.txt` (http://www.whdeng.cn/raf/model1.html), Adience's `fold_0_data.txt`
(https://talhassner.github.io/home/projects/Adience/Adience-data.html) and `AVA.txt`
(https://github.com/imfing/ava_downloader).
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.made_list import made_by
from tfrecordcli.units import some_of

_HEAD: Final = 1_000  # characters


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
      has_parts: whether lists beside it that are called so, but for a number, are the rest.
    """

    what: str
    sign: re.Pattern[str]
    images: tuple[str, ...]
    header: str
    rows: str
    then: str = ""
    is_certain: bool = False
    has_parts: bool = False


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
        "image,age,gender,user_id",
        # An age is a group, `(25, 32)`, a number, or None.
        r"""-F '\t' 'FNR > 1 {gsub(/[() ]|None/, "", $4); sub(/,/, "-", $4); """
        r"""print IMAGE "," $4 "," $5 "," $1}'""",
        " --columns label=age --split-by user_id; the other label: --columns label=gender",
        is_certain=True,
        has_parts=True,
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
            rest = _rest_of(kind, name) if kind.has_parts and not options.is_part else []
            raise _refusal(kind, image, name, rest)


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


@dataclass(frozen=True, slots=True)
class _Image:
    """How the images of a list are found.

    Attributes:
      form: of their paths, as in `_Set.images`.
      option: for the folder that these are in; empty: that of the list.
      said: of the folder that was given, where it is another one.
    """

    form: str
    option: str = ""
    said: str = ""


def _image_of(kind: _Set, found: re.Match[str], name: str, options: ReadOptions) -> _Image | None:
    """Which of its forms leads to the first image; None where that is called as the row says."""
    folder, root = os.path.dirname(name), options.image_root or ""
    listed = found[0].split("\n", 1)[0].split(" ", 1)[0]
    if os.path.isfile(os.path.join(root or folder, listed)):
        return None
    within = [form.split("/", level)[level] for form in kind.images for level in range(form.count("/") + 1)]
    for form in within if root else ():
        if os.path.isfile(os.path.join(root, found.expand(form))):
            option = command_line(["--image-root", as_path(root)])
            return _Image(form, "" if options.is_part else f" {option}")  # for several, `made_of_all` has it
    for form in kind.images:
        if os.path.isfile(os.path.join(folder, found.expand(form))):
            return _Image(
                form, said="; --image-root does not fit: paths are from the list's folder" * bool(root)
            )
    return _Image(kind.images[0]) if kind.is_certain else None


def _rest_of(kind: _Set, name: str) -> list[str]:
    """Lists of the same kind beside one that are called like it, but for a number."""
    folder, own = os.path.split(name)
    pattern = re.sub("[0-9]+", "[0-9]*", glob.escape(own))
    alike = sorted(glob.glob(os.path.join(glob.escape(folder), pattern)))
    return [path for path in alike if os.path.basename(path) != own and kind.sign.match(_head(path))]


def _head(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read(_HEAD)


def _refusal(kind: _Set, image: _Image, name: str, rest: Sequence[str]) -> InputError:
    """What is said of a list.

    Args:
      rest: lists that the command is to read besides.
    """
    word = os.path.splitext(os.path.basename(name))[0].rpartition("_")[0]
    expression = re.sub(r'^"" ', "", '"' + re.sub(r"\\([0-9])", r'" $\1 "', image.form) + '"')
    rows = kind.rows.replace("IMAGE", expression).replace("CLASS", word or "object")
    others = "".join(f" {command_line([as_path(path)])}" for path in rest)
    escaped, names = (text.replace("{", "{{").replace("}", "}}") for text in (rows, others))
    hint = made_by(kind.header, f"awk {escaped} {{name}}{names}", name)
    if rest:
        parts = some_of([os.path.basename(path) for path in rest])
        hint = hint.replace(" of it: ", f" of it and of the rest of the dataset beside it ({parts}): ", 1)
    target = hint.rpartition(" > ")[2]
    then = f"; then: tfrec convert {target} OUTPUT_DIR{image.option}{kind.then}{image.said}"
    return InputError(f"{name}: this is {kind.what}, whose images are called otherwise", hint + then)
