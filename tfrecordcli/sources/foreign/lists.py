"""Lists of text: rows of numbers, of several lines or with comments."""

from __future__ import annotations

import os
import re
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import WRITTEN
from tfrecordcli.options import ReadOptions
from tfrecordcli.sources.folders.tree import joined
from tfrecordcli.sources.foreign.airtable import need_no_attachments
from tfrecordcli.sources.foreign.birds import (
    BOXES_BY_NUMBER,
    PARTS_OF_BIRDS,
    need_no_birds,
    need_no_boxes_by_number,
)
from tfrecordcli.sources.foreign.blocks_of_paths import BLOCKS_OF_PATHS
from tfrecordcli.sources.foreign.fields_of_boxes import FIELDS_OF_BOXES
from tfrecordcli.sources.foreign.hugging_face import IMAGES_AS_TEXT
from tfrecordcli.sources.foreign.kind import (
    CORNERS,
    EXTENSION,
    EXTENT,
    IMAGE,
    ForeignList,
    lines_like,
    need_none,
)
from tfrecordcli.sources.foreign.kitti import need_no_kitti
from tfrecordcli.sources.foreign.labelbox import LABELBOX
from tfrecordcli.sources.foreign.location_tokens import LOCATION_TOKENS
from tfrecordcli.sources.foreign.markdown import MARKDOWN
from tfrecordcli.sources.foreign.mot import need_no_mot
from tfrecordcli.sources.foreign.named_by_parts import need_no_parts_of_names
from tfrecordcli.sources.foreign.opencv import need_no_list_of_opencv
from tfrecordcli.sources.foreign.pascal_text import PASCAL_TEXT
from tfrecordcli.sources.foreign.pets import need_no_list_of_pets
from tfrecordcli.sources.foreign.pixels import need_no_pixels
from tfrecordcli.sources.foreign.printed import need_nothing_printed
from tfrecordcli.sources.foreign.scrapy import FEED_AS_CSV
from tfrecordcli.sources.foreign.stylegan import need_no_list_of_stylegan
from tfrecordcli.sources.foreign.via import VIA_LISTS
from tfrecordcli.sources.foreign.wflw import need_no_list_of_wflw
from tfrecordcli.sources.foreign.wider_face import WIDER_FACE
from tfrecordcli.sources.foreign.yaml_boxes import YAML_BOXES
from tfrecordcli.sources.foreign.zooniverse import ZOONIVERSE


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
    return lines_like(rf"(?:{number}\t{IMAGE}[ \t]*\r?\n)*{number}{objects}\t{IMAGE}")


# Ellipses: the longer and the shorter half, the angle of the longer one in radians, the centre, and 1
# (http://vis-www.cs.umass.edu/fddb/README.txt). The upright rectangle around each.
_ELLIPSES: Final = (
    """awk -v OFS=, 'NF == 1 && /[/]/ {{image = $1}} NF > 5 {{c = cos($3); s = sin($3); """
    """w = sqrt(($1 * c) ^ 2 + ($2 * s) ^ 2); h = sqrt(($1 * s) ^ 2 + ($2 * c) ^ 2); """
    """print image, $4 - w, $5 - h, $4 + w, $5 + h, "face"}}' {name}"""
)


def _labels_below() -> re.Pattern[str]:
    """A pattern of texts in which every other line is a path: the number of boxes that follow is no label.

    The last two lines may be cut.
    """
    path, label = rf"[^\n,;|]+{EXTENSION}", r"[^\s,;|./\\]+"
    pair = rf"{path}[ \t]*\r?\n{label}[ \t]*(?:\r?\n|\Z)"
    rest = rf"(?:\s*|{path}\s*|[^\n]+(?:\n[^\n]+)?)\Z"
    return re.compile(rf"(?:{pair}){{3,}}{rest}", re.IGNORECASE | re.ASCII)


# The upright rectangles around the corners in all such files, `gt_` before the names of images or not.
_AROUND: Final = (
    """for f in "$(dirname {name})"/*.txt; do i="$(basename "$f" .txt)"; """
    """awk -F '[, \\t]+' -v OFS=, -v i="${{i#gt_}}" '{{sub("^\\357\\273\\277", ""); """
    """sub("\\r$", "")}} NF > 8 {{x = X = $1 + 0; y = Y = $2 + 0; """
    """for (k = 3; k < 8; k += 2) {{if ($k < x) x = $k + 0; if ($k > X) X = $k + 0; """
    """if ($(k + 1) < y) y = $(k + 1) + 0; if ($(k + 1) > Y) Y = $(k + 1) + 0}}; """
    """print i, x, y, X, Y, $9; n++}} END {{if (!n) print i, "", "", "", "", ""}}' "$f"; done"""
)
_COMMENTS: Final = "a list with comments above its rows"
_KINDS: Final = (
    WIDER_FACE,
    *BLOCKS_OF_PATHS,
    ForeignList(
        "a list of ellipses of FDDB",
        lines_like(r"[^\s,;|]+/[^\s,;|]+", r"[0-9]+", rf"(?:{WRITTEN}[ \t]+){{5}}1"),
        CORNERS,
        _ELLIPSES,
    ),
    ForeignList(
        "a list of actions in videos of AVA",
        # video, second, a box in fractions, action, person (https://research.google.com/ava/download.html)
        lines_like(*[r"[\w-]{11},[0-9]{4},(?:[01]\.[0-9]+,){4}[0-9]{1,2},[0-9]+"] * 2),
        "video_id,timestamp,xmin,ymin,xmax,ymax,label,person_id",
        "cat {name}",
    ),
    ForeignList(
        "a list of faces with landmarks, as RetinaFace has it",
        lines_like(rf"#[ \t]*{IMAGE}", rf"{WRITTEN}(?:[ \t]+{WRITTEN}){{3,}}"),
        EXTENT,
        """awk -v OFS=, '/^#/ {{image = $2; next}} {{print image, $1, $2, $3, $4, "face"}}' {name}""",
    ),
    ForeignList(
        "a list of boxes behind each path, as keras-yolo3 has it",
        # Five of 0 and 1 are flags.
        lines_like(rf"(?!\S+[ \t]+[01](?:,[01]){{4}}\s){IMAGE}\|?(?:[ \t]+{WRITTEN}(?:,{WRITTEN}){{4}})+"),
        CORNERS,
        """awk '{{sub(/[|]$/, "", $1)}} NF == 1 {{print $1 ",,,,,"}} """
        """{{for (i = 2; i <= NF; i++) print $1 "," $i}}' {name}""",
        tells_boxes=True,
    ),
    ForeignList(
        "a label file of DOTA, of oriented boxes",
        re.compile(
            rf"imagesource:|gsd:|(?:{WRITTEN} ){{8}}[A-Za-z][\w-]* [012]\s", re.IGNORECASE | re.ASCII
        ),
        CORNERS,
        _AROUND,
        tells_boxes=True,
    ),
    ForeignList(
        "a list of makesense.ai without a header",
        lines_like(rf"[^,\n]+(?:,{WRITTEN}){{4}},{IMAGE},[0-9]+,[0-9]+"),
        "label,x,y,width,height,image,image_width,image_height",
        "cat {name}",
    ),
    ForeignList(
        "a list of points of makesense.ai without a header",
        lines_like(rf"[^,\n]+(?:,{WRITTEN}){{2}},{IMAGE},[0-9]+,[0-9]+"),
        "image,names,point_x,point_y",  # a row an image, so that its points stay together
        """awk -F, -v OFS=, 'NF > 3 {{if (!($4 in n)) o[++c] = $4; s = $4 in n ? "|" : ""; """
        """n[$4] = n[$4] s $1; x[$4] = x[$4] s $2; y[$4] = y[$4] s $3}} """
        """END {{for (k = 1; k <= c; k++) print o[k], n[o[k]], x[o[k]], y[o[k]]}}' {name}""",
        options="--unlabelled keep --features 'names:text[|],point_x:float[|],point_y:float[|]'",
        otherwise="so the points of each image are stored together",
    ),
    ForeignList(
        "a list of labels of makesense.ai (JSON)",
        re.compile(r'\s*\[\s*\{\s*"image"\s*:\s*"[^"\n]*"\s*,\s*"annotations"\s*:\s*\[\s*"'),
        "",
        "python -c 'import csv, json, sys; t = json.load(open(sys.argv[1], \"rb\")); "
        'w = csv.writer(sys.stdout); k = max(len(i["annotations"]) for i in t); '
        'w.writerow(["image", "label", *(f"label_{{n}}" for n in range(2, k + 1))]); '
        'w.writerows([i["image"], *i["annotations"]] for i in t)\' {name}',
    ),
    ForeignList(
        "a list of MXNet (.lst)",
        lines_like(rf"[0-9]+\t{WRITTEN}\t{IMAGE}"),
        "image,label",
        """awk -F '\\t' -v OFS=, '{{print $3, $2 + 0}}' {name}""",
    ),
    ForeignList(
        "a list of boxes of MXNet (.lst)",
        _mxnet_boxes(),
        "image,label,xmin,ymin,xmax,ymax",
        """awk -F '\\t' -v OFS=, '{{for (i = 2 + $2; i + $3 <= NF; i += $3) """
        """print $NF, $i + 0, $(i + 1), $(i + 2), $(i + 3), $(i + 4); """
        """if (2 + $2 + $3 > NF) print $NF, "", "", "", "", ""}}' {name}""",
    ),
    ForeignList(
        "a list of MXNet (.lst) with several numbers an image",
        lines_like(rf"[0-9]+(?:\t{WRITTEN}){{2,}}\t{IMAGE}"),
        "",
        """awk -F '\\t' '{{row = $NF; for (i = 2; i < NF; i++) row = row "," $i + 0; print row}}' {name}""",
    ),
    ForeignList(
        "a list of CelebA: a count, then the names of its columns",
        lines_like(r"[0-9]+", r"[^\s,;]+(?:[ \t]+[^\s,;]+)*", rf"{IMAGE}(?:[ \t]+{WRITTEN})+"),
        "",
        """awk -v OFS=, 'NR == 2 {{$1 = $1; names = $0; count = NF}} """
        # DeepFashion has one name for all attributes, whose numbers are those of lines in another file.
        """NR == 3 && NF > count + 1 {{names = "image"; for (i = 1; i < NF; i++) names = names ",label_" i"""
        """; count = NF}} """
        """NR == 3 {{print (NF > count ? "image," : "") names}} NR > 2 {{$1 = $1; print}}' {name}""",
    ),
    ForeignList(
        "a list of an image on one line and its label on the next",
        _labels_below(),
        "image,label",
        "tr -d '\\r' < {name} | paste -d , - -",
    ),
    ForeignList(
        "a list of photovoltaic cells of ELPV, parted by blanks",
        lines_like(*[rf"{IMAGE}[ ]+[01](?:\.[0-9]+)?[ ]+(?:mono|poly)"] * 2),
        "image,probability,type",
        "awk -v OFS=, '{{print $1, $2, $3}}' {name}",
        options="--columns label=probability --label-type name",
        otherwise="--task regression in place of --label-type name takes numbers",
    ),
    *VIA_LISTS,
    PASCAL_TEXT,
    YAML_BOXES,
    MARKDOWN,
    ForeignList(
        _COMMENTS,
        re.compile(r"# [^,;|\t\n]*\n"),
        "",
        # A comment with a delimiter may be the header, and stays.
        "python -c 'import itertools, re, sys; "
        r"""c = re.compile(rb"(\xef\xbb\xbf)?(# ?|# [^,;|\t]+)?\s*"); """
        """sys.stdout.buffer.writelines(itertools.dropwhile(c.fullmatch, open(sys.argv[1], "rb")))' {name}""",
    ),
    ForeignList("a CSV with a line for Excel", re.compile(r'"?sep=.?"?\r?\n'), "", "tail -n +2 {name}"),
    ForeignList(
        "a list of objects by image of CrowdHuman (.odgt)",
        re.compile(r'\{[^\n]*"gtboxes"\s*:'),
        f"{EXTENT},is_crowd",
        """jq -r '.ID as $id | .gtboxes[] | [$id + ".jpg"] + .fbox + """
        """["person", if .tag == "mask" or .extra.ignore == 1 then 1 else 0 end] | @csv' {name}""",
    ),
    ForeignList(
        "a list of choices that people made with Prodigy, of which some may be rejected",
        re.compile(r'\{(?=[^\n]*"accept"\s*:\s*\[)[^\n]*"answer"\s*:\s*"(?:accept|reject|ignore)"'),
        "",
        "python -c 'import csv, json, sys; "
        't = [r for r in map(json.loads, filter(str.strip, open(sys.argv[1], encoding="utf-8-sig"))) '
        'if r["answer"] == "accept"]; w = csv.writer(sys.stdout); '
        'k = max([1, *(len(r["accept"]) for r in t)]); '
        'w.writerow(["image", "label", *(f"label_{{n}}" for n in range(2, k + 1))]); '
        'w.writerows([r["image"], *r["accept"]] for r in t)\' {name}',
    ),
    *LOCATION_TOKENS,
    *FIELDS_OF_BOXES,
)  # fmt: skip
# Of label files, one beside each image, that begin as lists do: they are told in folders alone.
_SHARE: Final = r"(?:0?\.[0-9]+(?:[eE]-?[0-9]+)?|[01]\.0*)"
_BESIDE_KINDS: Final = (
    ForeignList(
        "a label file like those of YOLO, but with a name for each class and not its number",
        lines_like(rf"[A-Za-z][\w-]*(?:[ \t]+{_SHARE}){{4}}"),
        "image,x_center,y_center,w,h,label",
        """for f in "$(dirname {name})"/*.txt; do case "$f" in */classes.txt) continue;; esac; """
        """awk -v OFS=, -v i="$(basename "$f" .txt)" '{{sub("\\r$", "")}} """
        """NF == 5 {{print i, $2, $3, $4, $5, $1; n++}} """
        """END {{if (!n) print i, "", "", "", "", ""}}' "$f"; done""",
    ),
    ForeignList(
        "a label file of ICDAR, of texts between four corners",
        lines_like(rf"(?:{WRITTEN},[ ]?){{8}}[^,\s0-9][^\n]*"),
        CORNERS,
        _AROUND.replace("$9", '"text"'),
    ),
)


def need_no_foreign_list(head: bytes, name: str, options: ReadOptions) -> None:
    """Refuses a list that begins like one of another tool.

    Args:
      head: its first bytes.
      name: of the file, as messages call it.
      options: how it is read. Where its columns are named, its first line is their header, and no comment;
        there and with ``--task classification`` texts of boxes are not meant.

    Raises:
      InputError: what it is, and the command that mends it.
    """
    if os.path.basename(name).startswith("list_eval_partition"):
        hint = "add it to the list of labels as a column split, with --split-map 0=train,1=validation,2=test"
        raise InputError(f"{name}: this is CelebA's list of splits, which has no labels", hint)
    if os.path.basename(name) in PARTS_OF_BIRDS:
        need_no_birds(os.path.dirname(name))
    text = head.decode(options.encoding, "ignore").removeprefix("\ufeff")
    need_no_kitti(text, "", name)
    need_no_mot(text, "", name)
    need_no_list_of_pets(text, name)
    need_no_list_of_stylegan(text, name)
    need_no_list_of_wflw(text, name)
    has_labels = bool(options.columns) or options.task == "classification"
    but = [kind.what for kind in (*LOCATION_TOKENS, *FIELDS_OF_BOXES)] if has_labels else []
    need_none(_KINDS, text, name, but=[*but, _COMMENTS] if options.columns else but)
    need_no_pixels(text, name)
    if not has_labels:
        need_no_list_of_opencv(text, name)
        if os.path.basename(name) in BOXES_BY_NUMBER:
            need_no_boxes_by_number(os.path.dirname(name))
    if not options.columns:
        need_none((IMAGES_AS_TEXT, ZOONIVERSE, LABELBOX, FEED_AS_CSV), text, name)
        need_no_attachments(text, name)
        need_nothing_printed(text, name)
        need_no_parts_of_names(text, name, options)


def need_no_foreign_boxes(head: bytes, root: str, path: str) -> None:
    """Refuses a file beside images that begins like one of those which tell boxes in them.

    Args:
      head: its first bytes.
      root: the folder that was given.
      path: of the file, relative to it.

    Raises:
      InputError: as `need_no_foreign_list`.
    """
    text, name = head.decode("utf-8", "ignore").removeprefix("\ufeff"), joined(root, path)
    need_no_kitti(text, root, path)
    need_no_mot(text, root, path)
    need_none((*(kind for kind in _KINDS if kind.tells_boxes), *_BESIDE_KINDS), text, name)
    need_no_list_of_opencv(text, name)
