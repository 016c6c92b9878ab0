"""JSON: lists of tools, and tables, whose images no reader finds or of which one would lose the rest."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Set
from typing import Final

from tfrecordcli.sources.column_words import KNOWN_COLUMNS, VIDEO_ENDINGS
from tfrecordcli.sources.foreign.bdd import BDD
from tfrecordcli.sources.foreign.by_class import NUMBERS_BY_CLASS, need_no_boxes_by_class
from tfrecordcli.sources.foreign.by_image import boxes_in_pairs, by_image
from tfrecordcli.sources.foreign.dataturks import DATATURKS
from tfrecordcli.sources.foreign.edge_impulse import EDGE_IMPULSE
from tfrecordcli.sources.foreign.fiftyone import FIFTYONE
from tfrecordcli.sources.foreign.kind import LOADED, ForeignList, need_none
from tfrecordcli.sources.foreign.label_studio import LABEL_STUDIO
from tfrecordcli.sources.foreign.labelbox import LABELBOX_ROWS
from tfrecordcli.sources.foreign.scale_ai import SCALE_AI
from tfrecordcli.sources.foreign.sloth import SLOTH
from tfrecordcli.sources.foreign.ultralytics import ULTRALYTICS
from tfrecordcli.sources.foreign.via_json import VIA_JSON
from tfrecordcli.sources.foreign.voc_json import VOC_JSON
from tfrecordcli.sources.foreign.web_annotations import WEB_ANNOTATIONS
from tfrecordcli.sources.foreign.xview import XVIEW
from tfrecordcli.sources.proposals.missing_images import are_below
from tfrecordcli.split_words import SPLIT_WORDS

_JSON_NAME: Final = r'"[^"\n]+\.(?:jpe?g|png|bmp|gif|webp|tiff?)"'
# What a column of images is called where JSON has a table by its columns, an array or pandas' object of each.
_JSON_IMAGES: Final = rf'"(?:{"|".join(map(re.escape, sorted(KNOWN_COLUMNS["image_uri"])))})"\s*:'
# Names of classes in OpenMMLab's lists; without an array of them, numbers remain.
_OPEN_MMLAB: Final = (
    """m = t.get("metainfo", dict()); n = m.get("classes", m.get("CLASSES")); """
    """name = lambda k: k if k is None or not isinstance(n, list) else n[k]; """
)
_AS_TABLE: Final = """columns="%s".split(), dtype=object).to_csv(sys.stdout, index=False)' {name}"""
# A column of images under any name where another one has no names of files: no labels with their images.
_OTHER_VALUES: Final = rf'(?:(?!{_JSON_NAME})"[^"\n]*"|-?[0-9]|true|false|null)\s*,\s*[^\s\[{{]'
_ANY_COLUMNS: Final = (
    rf'(?=[\s\S]*:\s*\[\s*{_JSON_NAME})(?=[\s\S]*:\s*\[\s*{_OTHER_VALUES})"[^"\n]+"\s*:\s*\['
)
BY_COLUMNS: Final = "a table by its columns (JSON)"
# What a document is not that holds images under a key.
OF_WHOLE_FILES: Final = (BY_COLUMNS, VIA_JSON.what)
_FROM_COLUMNS: Final = LOADED + "pd.DataFrame(t).to_csv(sys.stdout, index=False)' {name}"
_JSON_PATHS: Final = rf'\[\s*(?:{_JSON_NAME}|"[^"\n]+/[^"\n]+"\s*[,\]])'
_EXPLODED: Final = """pd.Series(t).explode().rename_axis("%s").rename("image").to_csv(sys.stdout)' {name}"""
# The same of an array, or of JSON Lines.
_LOADED_LINES: Final = (
    """python -c 'import json, sys, pandas as pd; s = open(sys.argv[1], encoding="utf-8-sig").read(); t = """
    """json.loads(s) if s.lstrip()[0] == "[" else [json.loads(r) for r in s.splitlines() if r.strip()]; """
)
_DETECTRON_2: Final = ForeignList(
    "a list of Detectron2 (JSON)",
    re.compile(
        r'\s*(?:\[\s*)?\{(?=[\s\S]*"file_name"\s*:)(?=[\s\S]*"annotations"\s*:\s*\[\s*\{[\s\S]*"bbox_mode"\s*:\s*[01])'
    ),
    "",
    # mode 0: two corners, 1: a corner with width and height
    _LOADED_LINES + """none = [dict(bbox=[None] * 4, bbox_mode=0)]; """
    """pd.DataFrame([(i["file_name"], o.get("category_id"), *o["bbox"][:2], """
    """*[v + w if o["bbox_mode"] else v for v, w in zip(o["bbox"][2:], o["bbox"])], """
    """o.get("iscrowd")) for i in t for o in i["annotations"] or none], """
    + _AS_TABLE
    % "image label xmin ymin xmax ymax is_crowd",
)
_JSON_KINDS: Final = (
    ForeignList(
        BY_COLUMNS,
        # Where another column stands first, an object of images by their numbers shows it.
        re.compile(
            rf"\s*\{{\s*(?:{_JSON_IMAGES}\s*\[\s*{_JSON_NAME}|{_ANY_COLUMNS}"
            rf'|(?![\s\S]*{_JSON_IMAGES}\s*")'
            rf'(?:"[^"\n]+"\s*:\s*\{{\s*"0"\s*:[\s\S]*)?{_JSON_IMAGES}\s*\{{\s*"[0-9]+"\s*:\s*{_JSON_NAME})',
            re.IGNORECASE,
        ),
        "",
        _FROM_COLUMNS,
    ),
    ForeignList(
        "a list of objects of Visual Genome (JSON)",
        re.compile(r'\s*\[\s*\{(?=[\s\S]*"objects"\s*:)(?=[\s\S]*"(?:synsets|merged_object_ids)"\s*:)'),
        "",
        LOADED + """pd.DataFrame([(str(i["image_id"]) + ".jpg", (o.get("names") or [None])[0], o.get("x"), """
        """o.get("y"), o.get("w"), o.get("h")) for i in t for o in i["objects"] or [{{}}]], """
        + _AS_TABLE
        % "image label x y w h",
    ),
    ForeignList(
        "a list of images of Azure Custom Vision (JSON)",
        re.compile(
            r'\s*\[\s*\{(?=[\s\S]*"tagName"\s*:)(?=[\s\S]*"(?:regionId|originalImageUri|resizedImageUri)"\s*:)'
        ),
        "",
        # The file that is called by the id of an image, else where the service has it.
        'python -c \'import csv, glob, json, os, sys; t = json.load(open(sys.argv[1], "rb")); '
        "w = csv.writer(sys.stdout); o = glob.escape(os.path.dirname(sys.argv[1])); "
        'f = lambda i: next(map(os.path.basename, sorted(glob.glob(os.path.join(o, i["id"] + ".*")))), '
        'i.get("originalImageUri") or i["id"] + ".jpg"); b = any(i.get("regions") for i in t); '
        'w.writerow(["image", *"x y width height".split() * b, "label"]); '
        'w.writerows([f(i), *map(r.get, "left top width height".split() * b), r.get("tagName")] '
        'for i in t for r in i.get("regions" if b else "tags") or [dict()])\' {name}',
    ),
    ForeignList(
        "a list of MMDetection 2 (JSON)",
        re.compile(r'\s*\[\s*\{(?=[\s\S]*"filename"\s*:)(?=[\s\S]*"ann"\s*:\s*\{\s*"bboxes"\s*:)'),
        "",
        LOADED + """none = [([None] * 4, None)]; pd.DataFrame([(i["filename"], k, *b) for i in t """
        """for b, k in list(zip(i["ann"]["bboxes"], i["ann"]["labels"])) or none], """
        + _AS_TABLE
        % "image label xmin ymin xmax ymax",
    ),
    SLOTH,
    _DETECTRON_2,
    DATATURKS,
    LABELBOX_ROWS,
    BDD,
    VOC_JSON,
    SCALE_AI,
    XVIEW,
    WEB_ANNOTATIONS,
    *EDGE_IMPULSE,
)
_KINDS_IN_LINES: Final = (
    *ULTRALYTICS,
    _DETECTRON_2,
    DATATURKS,
    LABELBOX_ROWS,
    SLOTH,
    VOC_JSON,
    SCALE_AI,
    WEB_ANNOTATIONS,
)
_IMATERIALIST: Final = ForeignList(
    "a list of iMaterialist (JSON), with ids and labels under imageId and labelId",
    # images or annotations come first, and COCO calls none of their keys so.
    re.compile(
        r'\s*\{(?=[\s\S]*"(?:images|annotations)"\s*:\s*\[\s*\{[^{}]*"imageId"\s*:)'
        r'(?![\s\S]*"(?:image_id|file_name|id)"\s*:)'
    ),
    "",
    'python -c \'import json, sys; t = json.load(open(sys.argv[1], "rb")); '
    'd = dict((str(i["imageId"]), []) for i in t.get("images", [])); '
    '[d.setdefault(str(a["imageId"]), []).extend(map(str, a["labelId"] if isinstance(a["labelId"], list) '
    'else [a["labelId"]])) for a in t.get("annotations", [])]; '
    "[print(json.dumps(dict(image=k, labels=v))) for k, v in d.items()]' {name}",
    as_lines=True,
)


# Those by keys of their own, in which any other JSON may be seen.
_UNKNOWN_JSON: Final = (
    VIA_JSON,
    ForeignList(
        "a table of pandas with its columns apart (JSON)",
        re.compile(r'\s*\{\s*"columns"\s*:\s*\[\s*"(?=[\s\S]*"data"\s*:\s*\[\s*\[)'),
        "",
        LOADED + """pd.DataFrame(t["data"], columns=t["columns"]).to_csv(sys.stdout, index=False)' {name}""",
    ),
    ForeignList(
        "a table of pandas with its schema (JSON)",
        re.compile(r'\s*\{\s*"schema"\s*:\s*\{\s*"fields"\s*:\s*\[(?=[\s\S]*"data"\s*:\s*\[\s*\{)'),
        "",
        LOADED + """pd.DataFrame(t["data"]).to_csv(sys.stdout, index=False)' {name}""",
    ),
    ForeignList(
        "an object of rows by their numbers (JSON)",
        re.compile(rf'\s*\{{\s*"[0-9]+"\s*:\s*\{{(?:[^{{}}]*,)?\s*{_JSON_IMAGES}\s*"', re.IGNORECASE),
        "",
        LOADED + """pd.DataFrame.from_dict(t, orient="index").to_csv(sys.stdout, index=False)' {name}""",
    ),
    ForeignList(
        "a list of MMPretrain (JSON)",
        re.compile(r'\s*\{(?=[\s\S]*"data_list"\s*:)(?=[\s\S]*"gt_label"\s*:)'),
        "",
        LOADED + _OPEN_MMLAB + """pd.DataFrame([(i["img_path"], name(k)) for i in t["data_list"] """
        """for g in [i.get("gt_label")] for k in (g if isinstance(g, list) else [g]) or [None]], """
        + _AS_TABLE
        % "image label",
    ),
    ForeignList(
        "a list of MMDetection 3 (JSON)",
        re.compile(r'\s*\{(?=[\s\S]*"data_list"\s*:)(?=[\s\S]*"instances"\s*:)'),
        "",
        LOADED + _OPEN_MMLAB + """none = [dict(bbox=[None] * 4)]; """
        """pd.DataFrame([(i["img_path"], name(o.get("bbox_label")), *o["bbox"], """
        """o.get("ignore_flag")) for i in t["data_list"] for o in i.get("instances") or none], """
        + _AS_TABLE
        % "image label xmin ymin xmax ymax is_crowd",
    ),
    ForeignList(
        "a list of Tsinghua-Tencent 100K (JSON)",
        # https://cg.cs.tsinghua.edu.cn/traffic-sign/: images by their ids, boxes as objects of sides
        re.compile(r'\s*\{(?=[\s\S]*"imgs"\s*:\s*\{)(?=[\s\S]*"objects"\s*:\s*\[)(?=[\s\S]*"path"\s*:\s*")'),
        "",
        # Folders are called train, test and other.
        LOADED + """k = "xmin ymin xmax ymax".split(); none = [dict(bbox=dict())]; """
        """pd.DataFrame([(i["path"], i["path"].split("/")[0], o.get("category"), *map(o["bbox"].get, k)) """
        """for i in t["imgs"].values() for o in i.get("objects") or none], """
        + _AS_TABLE
        % "image split label xmin ymin xmax ymax",
        otherwise="--split-map other=train behind it takes images of other for train, other=discard none",
    ),
    *FIFTYONE,
    ForeignList(
        BY_COLUMNS,
        re.compile(r'\s*\{\s*"[^"\n]+"\s*:\s*\{\s*"0"\s*:\s*["0-9]'),
        "",
        _FROM_COLUMNS,
    ),
    *by_image(_JSON_NAME),
    ForeignList(
        "an object of images by split (JSON)",
        re.compile(rf'\s*\{{\s*"(?:{"|".join(SPLIT_WORDS)})"\s*:\s*{_JSON_PATHS}', re.IGNORECASE),
        "",
        LOADED + _EXPLODED % "split",
    ),
    ForeignList(
        "an object of images by label (JSON)",
        re.compile(rf'\s*\{{\s*"[^"\n]+"\s*:\s*{_JSON_PATHS}', re.IGNORECASE),
        "",
        LOADED + _EXPLODED % "label",
    ),
    ForeignList(
        "an array of images and labels (JSON)",
        re.compile(rf'\s*\[\s*\[\s*{_JSON_NAME}\s*,\s*(?:"[^"\n]*"|[0-9]+)\s*\]', re.IGNORECASE),
        "",
        LOADED + """pd.DataFrame(t, columns=["image", "label"]).to_csv(sys.stdout, index=False)' {name}""",
    ),
    *boxes_in_pairs(_JSON_NAME),
    NUMBERS_BY_CLASS,
)
_BY_ID: Final = by_image(r'"[^"\n]+"')
# Those of videos, whose frames may be here: the list made of it is told of these.
_OF_VIDEOS: Final = by_image(rf'"[^"\n]+\.(?:{VIDEO_ENDINGS})"')


def need_no_json_of_tools(text: str, name: str, but: Collection[str] = ()) -> None:
    """Refuses JSON whose images a reader would take, and lose what is told of them.

    Args:
      text: the first of the file.
      name: of it.
      but: what it is not.

    Raises:
      InputError: as `need_no_foreign_list`.
    """
    need_none(_JSON_KINDS, text, name, but)


def need_no_export_of_studio(text: str, name: str) -> None:
    """Refuses images with what people said of them in Label Studio, whose rows also look like others.

    Raises:
      InputError: as `need_no_foreign_list`.
    """
    need_none((LABEL_STUDIO,), text, name)


def need_no_likeness_of_coco(text: str, name: str) -> None:
    """Refuses JSON with the arrays of COCO and other keys in them.

    Raises:
      InputError: as `need_no_foreign_list`.
    """
    need_none((_IMATERIALIST, WEB_ANNOTATIONS), text, name)


def need_no_lines_of_tools(text: str, name: str) -> None:
    """Refuses JSON Lines whose boxes no reader takes.

    Raises:
      InputError: as `need_no_foreign_list`.
    """
    need_none(_KINDS_IN_LINES, text, name)


def need_no_foreign_json(text: str, name: str, but: Collection[str] = ()) -> None:
    """Refuses JSON that no reader takes, where its first keys and values show what it is.

    Args:
      text: the first of the file.
      name: of it.
      but: what it is not.

    Raises:
      InputError: as `need_no_foreign_list`.
    """
    need_no_boxes_by_class(text, name)
    need_none(_UNKNOWN_JSON, text, name, but)


def need_no_json_by_id(text: str, keys: Set[str], name: str) -> None:
    """Refuses an object whose keys are what images near the list are called, without their extensions.

    Args:
      text: the first of the file.
      keys: of its object.
      name: of the file.

    Raises:
      InputError: as `need_no_foreign_list`.
    """
    folder = os.path.dirname(os.path.abspath(name))
    # Images of most other datasets are called by bare numbers, too.
    near = [folder] if all(map(str.isdecimal, keys)) else [folder, os.path.dirname(folder)]
    if os.path.isfile(name) and any(are_below(keys, each) for each in near):
        need_none(_BY_ID, text, name)
    need_none(_OF_VIDEOS, text, name)
