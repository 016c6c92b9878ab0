"""Files that people give for an image list and that are none, known by their first bytes."""

from __future__ import annotations

import os
import re
import shlex
import zlib
from collections.abc import Callable
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.sources.folders.annotation_files import (
    CREATEML,
    PASCAL_VOC,
    YAML,
    YOLO,
    is_annotation,
    is_coco,
)
from tfrecordcli.sources.foreign.cvat import cvat_hint, is_of_cvat
from tfrecordcli.sources.foreign.dlib import dlib_hint, is_of_dlib
from tfrecordcli.sources.foreign.image_clef import image_clef_hint, is_of_image_clef
from tfrecordcli.sources.foreign.ua_detrac import detrac_hint, is_of_detrac
from tfrecordcli.sources.foreign.xml_items import item_of, items_hint
from tfrecordcli.tfrecords.framing import begins_record

STANDARD_INPUT: Final = "standard input"  # as messages call it

_HEAD_BYTES: Final = 1 << 14
_XML_HEAD: Final = 1000
_JSON_ARRAY: Final = re.compile(r'\s*\[\s*(?:$|[{\["])')
_GZIP: Final = b"\x1f\x8b"

# First bytes of the image formats that people keep under names without an extension.
_MAGIC: Final = (
    *(b"\xff\xd8\xff", b"\x89PNG\r\n", b"GIF8", b"BM", b"RIFF", b"II*\0", b"MM\0*"),
    *(b"\0\0\0\x0cjP  \r\n", b"8BPS", b"DDS ", b"icns", b"qoif"),
)

_Hint = Callable[[str], str]


def _by_pandas(function: str, *needs: str) -> _Hint:
    """A line that makes a CSV beside the file, where its relative paths count from, and replaces no file."""
    option = ", keep_default_na=False" if function == "read_excel" else ""  # else NA and None become nothing

    def hint(name: str) -> str:
        if name == STANDARD_INPUT:
            table = f"pd.{function}(io.BytesIO(sys.stdin.buffer.read()){option})"
            code = shlex.quote(f"import io, sys, pandas as pd; {table}.to_csv(sys.stdout, index=False)")
            how = f"python -c {code} < FILE | tfrec convert - OUTPUT_DIR"
            return f"make a CSV of it (pip install {' '.join(['pandas', *needs])}): {how}"
        stem = os.path.splitext(name)[0]
        table, csv = _double_quoted(name), _double_quoted(f"{stem}-as-text.csv")
        code = f'import pandas as pd; pd.{function}({table}{option}).to_csv({csv}, index=False, mode="x")'
        return f"make a CSV of it (pip install {' '.join(['pandas', *needs])}): python -c {shlex.quote(code)}"

    return hint


def _double_quoted(text: str) -> str:
    """A Python literal that reads well between the single quotes of a shell, where that is possible."""
    literal = repr(text)
    return f'"{literal[1:-1]}"' if literal[0] == "'" and '"' not in text else literal


def _says(text: str) -> _Hint:
    return lambda name: text.format(name="FILE" if name == STANDARD_INPUT else shlex.quote(name))


_AS_CSV: Final = "save it as CSV in the program that wrote it"
_UNPACK: Final = _says("unpack it, then give the list or the folder that is in it")
_PHOTO: Final = _says(
    "give the folder that it is in (without folders of labels: --unlabelled keep), or a list that names it"
)
_BOXES: Final = _says("write a CSV with a row for each box: image,xmin,ymin,xmax,ymax,label")
_XML: Final = _says("give its folder where that is Pascal VOC, else write a CSV with a row for each box")
_FOLDER: Final = _says("give the folder that it is in: boxes and splits are read from it")
_RECORDS: Final = _says("save it on a disk: tfrec convert FILE OUTPUT_DIR converts it from there")

# What a file begins with, what it is, the way out. What could be text counts beside a zero byte only.
_SIGNATURES: Final[tuple[tuple[bytes, str, _Hint], ...]] = (
    (b"PAR1", "a Parquet file", _by_pandas("read_parquet", "pyarrow")),
    (b"ARROW1", "an Arrow (Feather) file", _by_pandas("read_feather", "pyarrow")),
    (b"FEA1", "a Feather file", _by_pandas("read_feather", "pyarrow")),
    (b"ORC", "an ORC file", _by_pandas("read_orc", "pyarrow")),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "an Excel workbook",
        _by_pandas("read_excel", "xlrd"),
    ),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file", _says("write its images to files, and a CSV that names them")),
    (b"\x93NUMPY", "a NumPy array", _says("write its images to files, and a CSV that names them")),
    (b"MATLAB 5.0 MAT", "a MATLAB file", _says("write a CSV of image and label (scipy.io.loadmat reads it)")),
    (b"SQLite format 3\0", "an SQLite database", _says("export the table as CSV")),
    (b"Obj\x01", "an Avro file", _says(_AS_CSV)),
    (b"\x0a\x23\xd7\xce", "an MXNet RecordIO file", _says("write its images to files, and a CSV of them")),
    (b"%PDF-", "a PDF document", _says(_AS_CSV)),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
    (b"Rar!\x1a\x07", "a RAR archive", _UNPACK),
    (b"BZh", "a file compressed by bzip2", _UNPACK),
    (b"\xfd7zXZ\0", "a file compressed by xz", _UNPACK),
    (b"\x28\xb5\x2f\xfd", "a file compressed by zstd", _UNPACK),
)
# ISO media whose brand is none of images, Matroska, and AVI.
_VIDEO: Final = re.compile(
    rb"\0...ftyp(?!avi[fs]|he[iv]|mi[af]|msf1|jxl|crx)|\x1aE\xdf\xa3|RIFF....AVI ", re.DOTALL
)
_NOTEBOOK: Final = re.compile(rb'\{\s*"(?:cells"\s*:\s*\[|nbformat")')
_SPREADSHEET_ODS: Final = b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet"


def need_a_list(path: str, name: str) -> None:
    """Refuses a file that is none of text, or text of a known kind that is no list.

    Args:
      path: of the file.
      name: as messages call it.

    Raises:
      InputError: what it is, and the way out.
      OSError: it cannot be read.
    """
    with open(path, "rb") as file:
        head = file.read(_HEAD_BYTES)
        file.seek(max(0, file.seek(0, 2) - _HEAD_BYTES))
        tail = file.read(_HEAD_BYTES)
    found = _binary(head, tail) or _text(head, name)
    if found is not None:
        raise InputError(f"{name}: this is {found[0]}, not an image list", found[1](name))


def is_image_head(head: bytes) -> bool:
    """Whether a file that begins like this, 12 bytes at least, is one of the usual images."""
    if _VIDEO.match(head) or (head.startswith(b"RIFF") and head[8:12] == b"WAVE"):
        return False
    return head.startswith(_MAGIC) or head[4:8] == b"ftyp"


def _binary(head: bytes, tail: bytes) -> tuple[str, _Hint] | None:
    for signature, what, hint in _SIGNATURES:
        if head.startswith(signature) and not (signature.isalnum() and b"\0" not in head):
            return what, hint
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _archive(head, tail)
    if head.startswith(_GZIP):
        return _compressed(head)
    if head[:1] == b"\x80" and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return "a Python pickle", _by_pandas("read_pickle")
    if head and not head.strip(b"\0"):
        return "a file of zero bytes (a failed copy?)", _says("get the list again")
    if head[257:262] == b"ustar":
        return "a tar archive", _UNPACK
    if begins_record(head):
        return "a TFRecord file", _RECORDS
    if b"\0" in head and _VIDEO.match(head):
        return "a video", _says("extract its frames, and give the folder that they are in")
    if is_image_head(head) and (b"\0" in head or not head[:2].isalnum()):
        return "an image", _PHOTO
    return None


def _archive(head: bytes, tail: bytes) -> tuple[str, _Hint]:
    """What a zip file is, by the names in it: their directory is at its end."""
    if b"xl/workbook" in head + tail:
        return "an Excel workbook", _by_pandas("read_excel", "openpyxl")
    if head[30:].startswith(_SPREADSHEET_ODS):
        return "an OpenDocument spreadsheet", _says(_AS_CSV)
    if re.search(rb"\.npyPK|\.npy\x01|\.npy$", tail) or head[30:].split(b"\0")[0].find(b".npy") > 0:
        return "a NumPy archive", _says("write its images to files, and a CSV that names them")
    return "a zip archive", _UNPACK


def _compressed(head: bytes) -> tuple[str, _Hint]:
    """What a gzip file is, by the first of what is in it."""
    try:
        inner = zlib.decompressobj(31).decompress(head, _HEAD_BYTES)
    except zlib.error:
        inner = b""
    if not inner or b"\0" not in inner:
        how = "gunzip -c {name} | tfrec convert - OUTPUT_DIR"
        return "a file compressed by gzip", _says(f"unpack it on the way: {how}")
    what, hint = _binary(inner, b"") or ("a file", _UNPACK)
    return f"{what} compressed by gzip", hint


def _text(head: bytes, name: str) -> tuple[str, _Hint] | None:
    if head.startswith(b"\xef\xbb\xbf"):
        head = head[3:]
    begin = head.lstrip()
    if begin.startswith(b"{") and (name.lower().endswith(".ipynb") or _NOTEBOOK.match(begin)):
        return "a Jupyter notebook", _says("give the list that it reads or writes")
    if is_coco(begin):
        return "a COCO dataset (JSON)", _BOXES
    if re.match(rb'\[\s*\{\s*"(?:image|annotations)"', begin) and b'"annotations"' in begin:
        return f"a {CREATEML} dataset (JSON)", _BOXES
    if begin.startswith(b"version https://git-lfs"):
        return "a Git LFS pointer", _says("get the list itself: git lfs pull")
    if begin.startswith(b"<"):
        if re.match(rb"<!doctype html|<html", begin, re.IGNORECASE):
            return "a web page (a failed download?)", _says("download the list itself")
        if is_of_cvat(begin):
            return "CVAT's own XML", cvat_hint
        if is_of_dlib(begin[:_XML_HEAD]):
            return "a file of boxes of dlib (XML)", dlib_hint
        if is_of_detrac(begin):
            return "a file of boxes in the frames of a video, as UA-DETRAC has it (XML)", detrac_hint
        if is_of_image_clef(begin):
            return "XML of ImageCLEF, of one image", image_clef_hint
        if is_annotation("a.xml", PASCAL_VOC, begin):
            return "an XML file of annotations", _XML
        if item := item_of(begin):
            return f"XML with a <{item}> for each image", lambda path: items_hint(begin, path)
        return ("an XML file", _says(_AS_CSV)) if begin.startswith((b"<?xml", b"<!--")) else None
    if name.lower().endswith(YAML) and is_annotation(name, YOLO, head):
        return f"the description of a {YOLO} dataset", _FOLDER
    return None


def kind_of_json(first_line: str) -> str:
    """What a file looks like that begins with this line; empty for no JSON."""
    if _JSON_ARRAY.match(first_line):
        return "a JSON array"
    if not first_line.lstrip().startswith("{"):
        return ""
    return "JSON Lines" if first_line.rstrip().endswith("}") else "JSON"
