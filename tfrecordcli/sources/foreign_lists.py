"""Lists of well-known data sets and tools in a grammar of their own, known by their first lines.

Each is refused by name, with a command that makes a list of it which is read.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import WRITTEN
from tfrecordcli.shell import as_path
from tfrecordcli.sources.column_words import KNOWN_COLUMNS
from tfrecordcli.split_words import SPLIT_WORDS

_IMAGE: Final = r"[^\s,;|]+\.(?:jpe?g|png|bmp|gif|webp|tiff?)"
_CORNERS: Final = "image,xmin,ymin,xmax,ymax,label"
_EXTENT: Final = "image,x,y,width,height,label"


@dataclass(frozen=True, slots=True)
class _ForeignList:
    """One kind of list.

    Attributes:
      what: it is.
      sign: of its first lines.
      header: of the list that is made of it; empty: the command writes it, if there is one.
      command: that makes the other rows; ``{name}`` stands for the file. Empty: none does.
      tells_boxes: of images in the folders around, so that such a file shows that these are no classes.
    """

    what: str
    sign: re.Pattern[str]
    header: str
    command: str
    tells_boxes: bool = False


def _lines(*patterns: str) -> re.Pattern[str]:
    """A pattern of lines, with blank ends, at the begin of a text."""
    return re.compile(r"[ \t]*\r?\n".join(patterns) + r"[ \t]*(?:\r?\n|$)", re.IGNORECASE | re.ASCII)


def _mxnet_boxes() -> re.Pattern[str]:
    """A pattern of lines of MXNet up to the first that has objects; those before it have none.

    Behind the number of the image stand the length of a header, that of an object, the rest of the header and
    the objects. Without objects this is not to be told from labels.
    """
    header = "|".join(
        rf"{size}(?:\.0*)?\t[56](?:\.0*)?(?:\t{WRITTEN}){{{size - 2}}}" for size in range(2, 10)
    )
    number = rf"[0-9]+\t(?:{header})"
    objects = rf"(?:(?:(?:\t{WRITTEN}){{5}})+|(?:(?:\t{WRITTEN}){{6}})+)"
    return _lines(rf"(?:{number}\t{_IMAGE}[ \t]*\r?\n)*{number}{objects}\t{_IMAGE}")


_FACES: Final = (
    """awk -v OFS=, 'NF == 1 && /[.]/ {{image = $1}} NF > 3 {{if ($3 > 0 && $4 > 0) """
    """print image, $1, $2, $3, $4, "face"; else print image, "", "", "", "", ""}}' {name}"""
)
_COMMENTS: Final = "a list with comments above its rows"
_KINDS: Final = (
    _ForeignList(
        "a list of WIDER FACE",
        _lines(_IMAGE, r"[0-9]+", rf"(?:{WRITTEN}[ \t]+){{9}}{WRITTEN}"),
        _EXTENT,
        _FACES,
    ),
    _ForeignList(
        "a list of faces with landmarks, as RetinaFace has it",
        _lines(rf"#[ \t]*{_IMAGE}", rf"{WRITTEN}(?:[ \t]+{WRITTEN}){{3,}}"),
        _EXTENT,
        """awk -v OFS=, '/^#/ {{image = $2; next}} {{print image, $1, $2, $3, $4, "face"}}' {name}""",
    ),
    _ForeignList(
        "a list of boxes behind each path, as keras-yolo3 has it",
        _lines(rf"{_IMAGE}(?:[ \t]+{WRITTEN}(?:,{WRITTEN}){{4}})+"),
        _CORNERS,
        """awk 'NF == 1 {{print $1 ",,,,,"}} {{for (i = 2; i <= NF; i++) print $1 "," $i}}' {name}""",
        tells_boxes=True,
    ),
    _ForeignList(
        "the ground truth of a video, as MOT has it (gt.txt)",
        _lines(*[rf"[0-9]+,[0-9]+(?:,{WRITTEN}){{4}},[01],(?:[0-9]+,{WRITTEN}|-1,-1,-1)"] * 2),
        _EXTENT,
        # frame, track, x, y, width, height, whether it counts, class or -1, and what is of no use here
        """awk -F, -v OFS=, '{{i = sprintf("../img1/%06d.jpg", $1); n[i] += $7 == 1}} """
        """$7 == 1 {{print i, $3, $4, $5, $6, $8 < 0 ? "object" : $8}} """
        """END {{for (i in n) if (!n[i]) print i, "", "", "", "", ""}}' {name}""",
        tells_boxes=True,
    ),
    _ForeignList(
        "a label file of KITTI",
        _lines(rf"[A-Za-z_]+(?: {WRITTEN}){{14}}"),
        _CORNERS,
        # Each image has a file; those without an object get a row without a box.
        """for f in "$(dirname {name})"/*.txt; do awk -v OFS=, -v i="$(basename "$f" .txt)" """
        """'$1 != "DontCare" {{print i, $5, $6, $7, $8, $1; n++}} """
        """END {{if (!n) print i, "", "", "", "", ""}}' "$f"; done""",
        tells_boxes=True,
    ),
    _ForeignList(
        "a label file of DOTA, of oriented boxes",
        re.compile(
            rf"imagesource:|gsd:|(?:{WRITTEN} ){{8}}[A-Za-z][\w-]* [012]\s", re.IGNORECASE | re.ASCII
        ),
        "",
        "",
        tells_boxes=True,
    ),
    _ForeignList(
        "a list of makesense.ai without a header",
        _lines(rf"[^,\n]+(?:,{WRITTEN}){{4}},{_IMAGE},[0-9]+,[0-9]+"),
        "label,x,y,width,height,image,image_width,image_height",
        "cat {name}",
    ),
    _ForeignList(
        "a list of MXNet (.lst)",
        _lines(rf"[0-9]+\t{WRITTEN}\t{_IMAGE}"),
        "image,label",
        """awk -F '\\t' -v OFS=, '{{print $3, $2 + 0}}' {name}""",
    ),
    _ForeignList(
        "a list of boxes of MXNet (.lst)",
        _mxnet_boxes(),
        "image,label,xmin,ymin,xmax,ymax",
        """awk -F '\\t' -v OFS=, '{{for (i = 2 + $2; i + $3 <= NF; i += $3) """
        """print $NF, $i + 0, $(i + 1), $(i + 2), $(i + 3), $(i + 4); """
        """if (2 + $2 + $3 > NF) print $NF, "", "", "", "", ""}}' {name}""",
    ),
    _ForeignList(
        "a list of MXNet (.lst) with several numbers an image",
        _lines(rf"[0-9]+(?:\t{WRITTEN}){{2,}}\t{_IMAGE}"),
        "",
        """awk -F '\\t' '{{row = $NF; for (i = 2; i < NF; i++) row = row "," $i + 0; print row}}' {name}""",
    ),
    _ForeignList(
        "a list of CelebA: a count, then the names of its columns",
        _lines(r"[0-9]+", r"[^\s,;]+(?:[ \t]+[^\s,;]+)*", rf"{_IMAGE}(?:[ \t]+{WRITTEN})+"),
        "",
        """awk -v OFS=, 'NR == 2 {{$1 = $1; names = $0; count = NF}} """
        """NR == 3 {{print (NF > count ? "image," : "") names}} NR > 2 {{$1 = $1; print}}' {name}""",
    ),
    _ForeignList(
        "a CSV of the VGG Image Annotator 3",
        re.compile(r"#[^\n]*VGG Image Annotator|# ?CSV_HEADER"),
        "",
        "",
    ),
    _ForeignList(
        _COMMENTS,
        re.compile(r"# [^,;|\t\n]*\n"),
        "",
        # A comment with a delimiter may be the header, and stays.
        "python -c 'import itertools, re, sys; "
        r"""c = re.compile(rb"(\xef\xbb\xbf)?(# ?|# [^,;|\t]+)?\s*"); """
        """sys.stdout.buffer.writelines(itertools.dropwhile(c.fullmatch, open(sys.argv[1], "rb")))' {name}""",
    ),
    _ForeignList("a CSV with a line for Excel", re.compile(r'"?sep=.?"?\r?\n'), "", "tail -n +2 {name}"),
    _ForeignList(
        "a list of objects by image of CrowdHuman (.odgt)",
        re.compile(r'\{[^\n]*"gtboxes"\s*:'),
        f"{_EXTENT},is_crowd",
        """jq -r '.ID as $id | .gtboxes[] | [$id + ".jpg"] + .fbox + """
        """["person", if .tag == "mask" or .extra.ignore == 1 then 1 else 0 end] | @csv' {name}""",
    ),
)  # fmt: skip
# Of label files, one beside each image, that begin as lists do: they are told in folders alone.
_SHARE: Final = r"(?:0?\.[0-9]+(?:[eE]-?[0-9]+)?|[01]\.0*)"
_BESIDE_KINDS: Final = (
    _ForeignList(
        "a label file like those of YOLO, but with a name for each class and not its number",
        _lines(rf"[A-Za-z][\w-]*(?:[ \t]+{_SHARE}){{4}}"),
        "image,x_center,y_center,w,h,label",
        """for f in "$(dirname {name})"/*.txt; do case "$f" in */classes.txt) continue;; esac; """
        """awk -v OFS=, -v i="$(basename "$f" .txt)" '{{sub("\\r$", "")}} """
        """NF == 5 {{print i, $2, $3, $4, $5, $1; n++}} """
        """END {{if (!n) print i, "", "", "", "", ""}}' "$f"; done""",
    ),
    _ForeignList(
        "a label file of ICDAR, of texts between four corners",
        _lines(rf"(?:{WRITTEN},[ ]?){{8}}[^,\s0-9][^\n]*"),
        _CORNERS,
        # The upright rectangle around the corners.
        """for f in "$(dirname {name})"/*.txt; do i="$(basename "$f" .txt)"; """
        """awk -F, -v OFS=, -v i="${{i#gt_}}" '{{sub("^\\357\\273\\277", "")}} """
        """NF > 8 {{x = X = $1 + 0; y = Y = $2 + 0; """
        """for (k = 3; k < 8; k += 2) {{if ($k < x) x = $k + 0; if ($k > X) X = $k + 0; """
        """if ($(k + 1) < y) y = $(k + 1) + 0; if ($(k + 1) > Y) Y = $(k + 1) + 0}}; """
        """print i, x, y, X, Y, "text"; n++}} END {{if (!n) print i, "", "", "", "", ""}}' "$f"; done""",
    ),
)
_JSON_NAME: Final = r'"[^"\n]+\.(?:jpe?g|png|bmp|gif|webp|tiff?)"'
# What a column of images is called where JSON has a table by its columns, an array or pandas' object of each.
_JSON_IMAGES: Final = rf'"(?:{"|".join(map(re.escape, sorted(KNOWN_COLUMNS["image_uri"])))})"\s*:'
_LOADED: Final = "python -c 'import json, sys, pandas as pd; t = json.load(open(sys.argv[1])); "
# Names of classes in OpenMMLab's lists; without an array of them, numbers remain.
_OPEN_MMLAB: Final = (
    """m = t.get("metainfo", dict()); n = m.get("classes", m.get("CLASSES")); """
    """name = lambda k: k if k is None or not isinstance(n, list) else n[k]; """
)
_AS_TABLE: Final = """columns="%s".split(), dtype=object).to_csv(sys.stdout, index=False)' {name}"""
_BY_COLUMNS: Final = "a table by its columns (JSON)"
_FROM_COLUMNS: Final = _LOADED + "pd.DataFrame(t).to_csv(sys.stdout, index=False)' {name}"
_JSON_PATHS: Final = rf'\[\s*(?:{_JSON_NAME}|"[^"\n]+/[^"\n]+"\s*[,\]])'
_EXPLODED: Final = """pd.Series(t).explode().rename_axis("%s").rename("image").to_csv(sys.stdout)' {name}"""
_JSON_KINDS: Final = (
    _ForeignList(
        _BY_COLUMNS,
        # Where another column stands first, an object of images by their numbers shows it.
        re.compile(
            rf"\s*\{{\s*(?:{_JSON_IMAGES}\s*\[\s*{_JSON_NAME}"
            rf'|(?![\s\S]*{_JSON_IMAGES}\s*")'
            rf'(?:"[^"\n]+"\s*:\s*\{{\s*"0"\s*:[\s\S]*)?{_JSON_IMAGES}\s*\{{\s*"[0-9]+"\s*:\s*{_JSON_NAME})',
            re.IGNORECASE,
        ),
        "",
        _FROM_COLUMNS,
    ),
    _ForeignList(
        "a list of objects of Visual Genome (JSON)",
        re.compile(r'\s*\[\s*\{(?=[\s\S]*"objects"\s*:)(?=[\s\S]*"(?:synsets|merged_object_ids)"\s*:)'),
        "",
        _LOADED
        + """pd.DataFrame([(str(i["image_id"]) + ".jpg", (o.get("names") or [None])[0], o.get("x"), """
        """o.get("y"), o.get("w"), o.get("h")) for i in t for o in i["objects"] or [{{}}]], """
        + _AS_TABLE
        % "image label x y w h",
    ),
    _ForeignList(
        "a list of MMDetection 2 (JSON)",
        re.compile(r'\s*\[\s*\{(?=[\s\S]*"filename"\s*:)(?=[\s\S]*"ann"\s*:\s*\{\s*"bboxes"\s*:)'),
        "",
        _LOADED + """none = [([None] * 4, None)]; pd.DataFrame([(i["filename"], k, *b) for i in t """
        """for b, k in list(zip(i["ann"]["bboxes"], i["ann"]["labels"])) or none], """
        + _AS_TABLE
        % "image label xmin ymin xmax ymax",
    ),
    _ForeignList(
        "a list of Detectron2 (JSON)",
        re.compile(r'\s*\[\s*\{(?=[\s\S]*"file_name"\s*:)(?=[\s\S]*"bbox_mode"\s*:\s*[01])'),
        "",
        # mode 0: two corners, 1: a corner with width and height
        _LOADED + """none = [dict(bbox=[None] * 4, bbox_mode=0)]; """
        """pd.DataFrame([(i["file_name"], o.get("category_id"), *o["bbox"][:2], """
        """*[v + w if o["bbox_mode"] else v for v, w in zip(o["bbox"][2:], o["bbox"])], """
        """o.get("iscrowd")) for i in t for o in i.get("annotations") or none], """
        + _AS_TABLE
        % "image label xmin ymin xmax ymax is_crowd",
    ),
)
# Those by keys of their own, in which any other JSON may be seen.
_UNKNOWN_JSON: Final = (
    _ForeignList(
        "a table of pandas with its columns apart (JSON)",
        re.compile(r'\s*\{\s*"columns"\s*:\s*\[\s*"(?=[\s\S]*"data"\s*:\s*\[\s*\[)'),
        "",
        _LOADED + """pd.DataFrame(t["data"], columns=t["columns"]).to_csv(sys.stdout, index=False)' {name}""",
    ),
    _ForeignList(
        "a table of pandas with its schema (JSON)",
        re.compile(r'\s*\{\s*"schema"\s*:\s*\{\s*"fields"\s*:\s*\[(?=[\s\S]*"data"\s*:\s*\[\s*\{)'),
        "",
        _LOADED + """pd.DataFrame(t["data"]).to_csv(sys.stdout, index=False)' {name}""",
    ),
    _ForeignList(
        "an object of rows by their numbers (JSON)",
        re.compile(rf'\s*\{{\s*"[0-9]+"\s*:\s*\{{(?:[^{{}}]*,)?\s*{_JSON_IMAGES}\s*"', re.IGNORECASE),
        "",
        _LOADED + """pd.DataFrame.from_dict(t, orient="index").to_csv(sys.stdout, index=False)' {name}""",
    ),
    _ForeignList(
        "a list of MMPretrain (JSON)",
        re.compile(r'\s*\{(?=[\s\S]*"data_list"\s*:)(?=[\s\S]*"gt_label"\s*:)'),
        "",
        _LOADED + _OPEN_MMLAB + """pd.DataFrame([(i["img_path"], name(k)) for i in t["data_list"] """
        """for g in [i.get("gt_label")] for k in (g if isinstance(g, list) else [g]) or [None]], """
        + _AS_TABLE
        % "image label",
    ),
    _ForeignList(
        "a list of MMDetection 3 (JSON)",
        re.compile(r'\s*\{(?=[\s\S]*"data_list"\s*:)(?=[\s\S]*"instances"\s*:)'),
        "",
        _LOADED + _OPEN_MMLAB + """none = [dict(bbox=[None] * 4)]; """
        """pd.DataFrame([(i["img_path"], name(o.get("bbox_label")), *o["bbox"], """
        """o.get("ignore_flag")) for i in t["data_list"] for o in i.get("instances") or none], """
        + _AS_TABLE
        % "image label xmin ymin xmax ymax is_crowd",
    ),
    _ForeignList(
        "an object of labels by image (JSON)",
        re.compile(rf'\s*\{{\s*{_JSON_NAME}\s*:\s*["0-9]', re.IGNORECASE),
        "",
        _LOADED + """pd.Series(t).rename_axis("image").rename("label").to_csv(sys.stdout)' {name}""",
    ),
    _ForeignList(
        _BY_COLUMNS,
        re.compile(r'\s*\{\s*"[^"\n]+"\s*:\s*\{\s*"0"\s*:\s*["0-9]'),
        "",
        _FROM_COLUMNS,
    ),
    _ForeignList(
        "an object of images with what is told of each (JSON)",
        re.compile(rf"\s*\{{\s*{_JSON_NAME}\s*:\s*\{{", re.IGNORECASE),
        "",
        _LOADED
        + """pd.DataFrame.from_dict(t, orient="index").rename_axis("image").to_csv(sys.stdout)' {name}""",
    ),
    _ForeignList(
        "an object of images by split (JSON)",
        re.compile(rf'\s*\{{\s*"(?:{"|".join(SPLIT_WORDS)})"\s*:\s*{_JSON_PATHS}', re.IGNORECASE),
        "",
        _LOADED + _EXPLODED % "split",
    ),
    _ForeignList(
        "an object of images by label (JSON)",
        re.compile(rf'\s*\{{\s*"[^"\n]+"\s*:\s*{_JSON_PATHS}', re.IGNORECASE),
        "",
        _LOADED + _EXPLODED % "label",
    ),
    _ForeignList(
        "an array of images and labels (JSON)",
        re.compile(rf'\s*\[\s*\[\s*{_JSON_NAME}\s*,\s*(?:"[^"\n]*"|[0-9]+)\s*\]', re.IGNORECASE),
        "",
        _LOADED + """pd.DataFrame(t, columns=["image", "label"]).to_csv(sys.stdout, index=False)' {name}""",
    ),
)
# Images of a CSV whose rows are numbers, as PNGs in a folder for each label: how the CSV is read, what is
# made of the label, where the images are.
_DRAWN: Final = (
    "python -c 'import os, sys, numpy as np, pandas as pd; from PIL import Image; "
    "t = pd.read_csv(sys.argv[1], keep_default_na=False%s); "
    'y = t.pop("label" if "label" in t else t.columns[0])%s; p = %s; '
    "n = p.shape[1]; c = 1 if int(n ** 0.5) ** 2 == n else 3; s = int((n / c) ** 0.5); "
    '[(os.makedirs(f"{{sys.argv[2]}}/{{k}}", exist_ok=True), '
    'Image.fromarray(a.reshape(s, s, c).squeeze()).save(f"{{sys.argv[2]}}/{{k}}/{{i}}.png")) '
    "for i, (k, a) in enumerate(zip(y, p))]' {name}"
)
# Splits of the Facial Expression Recognition challenge, in the column Usage.
_USAGE: Final = '{{"Training": "train", "PublicTest": "validation", "PrivateTest": "test"}}'
_PIXEL_KINDS: Final = (
    _ForeignList(
        "a CSV of pixels",
        re.compile(r'"?\w+"?(?:,"?(?:pixel_?[0-9]+|[0-9]+x[0-9]+)"?){50}', re.IGNORECASE | re.ASCII),
        "",
        _DRAWN % ("", "", "t.to_numpy(np.uint8)"),
    ),
    _ForeignList(
        "a CSV of pixels without a header",
        re.compile(r"[0-9]+(?:,[0-9]{1,3}){200}", re.ASCII),
        "",
        _DRAWN % (", header=None", "", "t.to_numpy(np.uint8)"),
    ),
    _ForeignList(
        "a CSV of pixels in a field",
        re.compile(
            r'[^\n]*\bpixels\b[^\n]*\r?\n"?[^,\n]*,(?:[^,\n]*,)? ?"?[0-9]{1,3}(?: [0-9]{1,3}){200}', re.ASCII
        ),
        "",
        _DRAWN
        % (
            ", skipinitialspace=True",
            f'; y = t["Usage"].replace({_USAGE}) + "/" + y.astype(str) if "Usage" in t else y',
            'np.array([v.split() for v in t["pixels"]], np.uint8)',
        ),
    ),
)
# What CUB-200-2011 tells of its images, a file each, by their numbers; last where they are.
_PARTS_OF_BIRDS: Final = ("train_test_split.txt", "image_class_labels.txt", "classes.txt", "images.txt")
_BIRDS: Final = (
    'awk -v OFS=, \'FNR == 1 {f++} f == 1 {s[$1] = $2 ? "train" : "test"} f == 2 {c[$1] = $2} '
    'f == 3 {n[$1] = $2} f == 4 {print "images/" $2, n[c[$1]], s[$1]}\''
)
# Where the list is no file for a command to begin with, such as standard input.
_SAVE: Final = "save it in a file, then convert that: the message then has a command that makes "
AS_CSV: Final = _SAVE + "a CSV of it"
AS_LINES: Final = _SAVE + "JSON Lines of it"
_EXPORT: Final = "export the annotations as COCO there, and convert that file"


def need_no_foreign_list(head: bytes, name: str, encoding: str, has_columns: bool = False) -> None:
    """Refuses a list that begins like one of those.

    Args:
      head: its first bytes.
      name: of the file, as messages call it.
      has_columns: whether the user named its columns: its first line is their header, and no comment.

    Raises:
      InputError: what it is, and the command that mends it.
    """
    if os.path.basename(name).startswith("list_eval_partition"):
        hint = "add it to the list of labels as a column split, with --split-map 0=train,1=validation,2=test"
        raise InputError(f"{name}: this is CelebA's list of splits, which has no labels", hint)
    if os.path.basename(name) in _PARTS_OF_BIRDS:
        need_no_birds(os.path.dirname(name))
    text = head.decode(encoding, "ignore").removeprefix("\ufeff")
    _need_none(_KINDS, text, name, but=_COMMENTS if has_columns else "")
    kind = next((kind for kind in _PIXEL_KINDS if kind.sign.match(text)), None)
    if kind is not None:
        hint = _SAVE + "files of its images"
        if os.path.isfile(name):
            folder = shlex.quote(as_path(f"{os.path.splitext(name)[0]}-images"))
            command = kind.command.format(name=shlex.quote(as_path(name)))
            hint = f"write its images to files: {command} {folder}; then: tfrec convert {folder} OUTPUT_DIR"
        raise InputError(f"{name}: this is {kind.what}, which is not read", hint)


def need_no_birds(folder: str) -> None:
    """Refuses a folder of labels and splits in files by the numbers of images, as CUB-200-2011 has them.

    Raises:
      InputError: that is what it is, with the command that makes one list of them.
    """
    files = [os.path.join(folder, name) for name in _PARTS_OF_BIRDS]
    if all(map(os.path.isfile, files)):
        *others, images = (shlex.quote(as_path(file)) for file in files)
        rows = f"{_BIRDS} {' '.join(others)} {images}"
        target = shlex.quote(as_path(os.path.join(folder, "list.csv")))
        raise InputError(
            f"{folder or '.'}: labels and splits are in files by the numbers of images, as in CUB-200-2011",
            f"make a list of them: (echo image,label,split; {rows}) > {target}; then: tfrec convert {target} "
            "OUTPUT_DIR",
        )


def need_no_json_of_tools(text: str, name: str) -> None:
    """Refuses JSON whose images a reader would take, and lose what is told of them.

    Raises:
      InputError: as `need_no_foreign_list`.
    """
    _need_none(_JSON_KINDS, text, name)


def need_no_foreign_json(text: str, name: str) -> None:
    """Refuses JSON that no reader takes, where its first keys and values show what it is.

    Raises:
      InputError: as `need_no_foreign_list`.
    """
    _need_none(_UNKNOWN_JSON, text, name)


def need_no_foreign_boxes(head: bytes, name: str) -> None:
    """Refuses a file beside images that begins like one of those which tell boxes in them.

    Raises:
      InputError: as `need_no_foreign_list`.
    """
    text = head.decode("utf-8", "ignore").removeprefix("\ufeff")
    _need_none((*(kind for kind in _KINDS if kind.tells_boxes), *_BESIDE_KINDS), text, name)


def _need_none(kinds: Iterable[_ForeignList], text: str, name: str, but: str = "") -> None:
    """Refuses a text that begins like the first of these that it begins like, unless that is ``but``."""
    kind = next((kind for kind in kinds if kind.sign.match(text)), None)
    if kind is not None and kind.what != but:
        raise _refusal(kind, name)


def _refusal(kind: _ForeignList, name: str) -> InputError:
    hint = made_by(kind.header, kind.command, name) if kind.command else _EXPORT
    return InputError(f"{name}: this is {kind.what}, which is not read", hint)


def as_commas(delimiter: str) -> str:
    """The command for `made_by` that writes rows with commas between their fields, which may hold some."""
    if delimiter == ",":
        return "cat {name}"
    reader = f"csv.reader(sys.stdin, delimiter={json.dumps(delimiter)}, skipinitialspace=True, strict=True)"
    # Latin-1 keeps the bytes of every encoding.
    code = (
        'import csv, sys; [f.reconfigure(encoding="latin-1", newline="") for f in (sys.stdin, sys.stdout)]; '
        f'csv.writer(sys.stdout, lineterminator="\\n").writerows({reader})'
    )
    return f"python -c {shlex.quote(code)} < {{name}}"


def made_by(header: str, command: str, name: str) -> str:
    """A hint with a command that makes a CSV beside a file.

    Args:
      header: of the CSV; empty: the command writes it.
      command: that writes the rows; ``{name}`` stands for the file.
      name: of the file.
    """
    if not os.path.isfile(name):
        return AS_CSV
    rows = command.format(name=shlex.quote(as_path(name)))
    target = shlex.quote(as_path(f"{os.path.splitext(name)[0]}-as-csv.csv"))
    whole = f"(echo {header}; {rows})" if header else rows
    return f"make a CSV of it: {whole} > {target}"
