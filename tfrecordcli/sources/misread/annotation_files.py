"""Lists whose rows pair an image with a file that tells its boxes or its mask, as PaddleDetection has them.

`JPEGImages/a.jpg Annotations/a.xml` with a blank between, and in the lists of PaddleSeg `images/a.jpg
labels/a.png`; other tools part both by a tab or a comma.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterable
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import IMAGE_EXTENSION
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.made_list import made_by, rows_by
from tfrecordcli.sources.misread.label_files import names_images_alone
from tfrecordcli.sources.misread.texts_of_boxes import boxes_of_texts
from tfrecordcli.sources.sample import Sample

_FILE: Final = re.compile(r".+\.(xml|txt|json)", re.IGNORECASE)
_PAIR: Final = re.compile(r"(.+?\.(?:jpe?g|png|bmp|gif|tiff?|webp))[ \t]+(\S.*)", re.IGNORECASE)
# {image}, {file}: numbers of the columns.
_VOC: Final = (
    "import csv, os, sys, xml.etree.ElementTree as E; d = os.path.dirname(sys.argv[1]); "
    'r = csv.reader(open(sys.argv[1], encoding="utf-8-sig", newline=""), delimiter={delimiter}, '
    'skipinitialspace=True); w = csv.writer(sys.stdout, lineterminator="\\n"); {skip}'
    'k = "xmin ymin xmax ymax".split(); w.writerow(["image", "label", *k]); '
    'w.writerows([f[{image}], *([o.findtext("name"), *[o.findtext("bndbox/" + c) for c in k]] '
    'if o is not None else [""] * 5)] for f in r if f '
    'for o in E.parse(os.path.join(d, f[{file}])).findall("object") or [None])'
)


def need_no_annotation_files(sample: Sample, rows: RowFile) -> None:
    """Refuses lists whose labels are files of annotations, or images, which may be masks.

    Raises:
      InputError: with the command that makes a list of boxes, or converts the folder that holds both.
    """
    if rows.options.label_type != "auto" or rows.is_spooled:
        return
    pairs = _pairs(sample)
    endings = {_ending(file) for _, file in pairs}
    # Most images have a file of their own, and some the same empty one; what comes again in most is a class.
    if len(endings) != 1 or "" in endings or 2 * len({file for _, file in pairs}) <= len({*pairs}):
        return
    (ending,) = endings
    image, file = pairs[0]
    if ending == "image":
        raise InputError(
            f"its rows name two images each, as {image} and {file}, of which the second may be a mask",
            f"masks are not read; the first alone: {_named(sample, rows)}",
        )
    what = f"its rows name an image and a file of annotations each, as {image} and {file}"
    if ending == "xml":
        raise InputError(what, _boxes_of_voc(sample, rows))
    is_text, columns = ending == "txt", _columns(sample)
    of_texts = is_text and boxes_of_texts(rows, pairs, columns, has_header=bool(sample.shape.header))
    raise InputError(what, of_texts or _folder(rows, pairs))


def _pairs(sample: Sample) -> list[tuple[str, str]]:
    """An image and what stands behind it in each row; empty where that is none in some, or several."""
    if names_images_alone(sample):
        found = [_PAIR.fullmatch(uri) for _, uri, _ in sample.words]
        pairs = [(match[1], match[2]) for match in found if match]
        return pairs if len(pairs) == len(found) else []
    if any(len(names) != 1 or IMAGE_EXTENSION.search(names[0]) for _, _, names in sample.words):
        return []  # several labels; or names of images, of which planning asks
    return [(uri, names[0]) for _, uri, names in sample.words]


def _ending(file: str) -> str:
    """What the file beside an image is: its ending, or `image`; empty for what is no file."""
    match = _FILE.fullmatch(file)
    return match[1].lower() if match else "image" if IMAGE_EXTENSION.search(file) else ""


def _boxes_of_voc(sample: Sample, rows: RowFile) -> str:
    image, file, delimiter = _columns(sample)
    skip = "next(r); " if sample.shape.header else ""
    code = _VOC.format(delimiter=json.dumps(delimiter), image=image, file=file, skip=skip)
    command = f"python -c {shlex.quote(code)}".replace("{", "{{").replace("}", "}}")
    return made_by("", f"{command} {{name}}", rows.name)


def _named(sample: Sample, rows: RowFile) -> str:
    """The command for a list of nothing but the first images."""
    image, _, delimiter = _columns(sample)
    made = made_by("image", rows_by(f"w.writerows([f[{image}]] for f in r if f)", delimiter), rows.name)
    return f"{made}, and convert that with --unlabelled keep"


def _columns(sample: Sample) -> tuple[int, int, str]:
    """The numbers of the columns of the image and of the file, and what parts them."""
    if names_images_alone(sample):
        return 0, 1, " "
    shape = sample.shape
    return shape.image or 0, shape.labels[0] if shape.labels else 1, shape.delimiter


def _folder(rows: RowFile, pairs: Iterable[tuple[str, str]]) -> str:
    """The command for the folder of all, which is refused where these files are no boxes that are read."""
    above = rows.options.image_root or os.path.dirname(rows.name)
    folders = {os.path.dirname(os.path.join(above, path)) for pair in pairs for path in pair}
    command = command_line(["tfrec", "convert", os.path.commonpath(folders) or ".", "OUTPUT_DIR"])
    return f"convert the folder that holds both: {command} --task detection"
