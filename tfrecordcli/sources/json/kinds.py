"""Which kind of list a JSON file is, told by its first keys; kinds that are not read are refused by name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from typing import Final, Literal

from tfrecordcli.errors import InputError
from tfrecordcli.sources.column_words import KNOWN_COLUMNS, columns_option, known_columns, likely_columns
from tfrecordcli.sources.foreign.datumaro import need_no_file_of_datumaro
from tfrecordcli.sources.foreign.google_photos import need_no_photo
from tfrecordcli.sources.foreign.json_lists import (
    OF_WHOLE_FILES,
    need_no_export_of_studio,
    need_no_foreign_json,
    need_no_json_by_id,
    need_no_json_of_tools,
    need_no_likeness_of_coco,
    need_no_lines_of_tools,
)
from tfrecordcli.sources.foreign.scrapy import KEYS, need_no_feed
from tfrecordcli.sources.json.chats import chat_hint
from tfrecordcli.sources.json.cloud_lines import SAGEMAKER_IMAGE
from tfrecordcli.sources.json.createml import BOX_KEYS, IMAGE_KEYS
from tfrecordcli.sources.json.documents import holds_images, lines_of_document
from tfrecordcli.sources.json.line_roles import PLAIN_BOXES, UNCERTAIN_BOXES, refusal_of
from tfrecordcli.sources.json.lines import VERTEX_IMAGE
from tfrecordcli.sources.json.nested_boxes import PASS_OVER, lines_of_nested_boxes
from tfrecordcli.sources.json.nested_coco import need_no_index
from tfrecordcli.sources.json.objects import TOKEN, are_of_images
from tfrecordcli.units import some_of

JsonKind = Literal["coco", "createml", "jsonl"]
_Keys = set[str]

# How a file begins that is JSON, or was meant to be.
_BEGINS: Final = re.compile(r"\s*(?:\{\s*(?:[\"'}]|$)|\[\s*(?:[\[{\]\"]|$))")
_IMAGE_NAMES: Final = frozenset({VERTEX_IMAGE.lower(), SAGEMAKER_IMAGE, *KNOWN_COLUMNS["image_uri"]})
_OF_BOXES: Final = frozenset({"rectanglelabels", "polygonlabels", "ellipselabels", "brushlabels", "choices"})
_OF_COCO: Final = frozenset({"info", "licenses", "images", "annotations", "categories"})
_OF_PAGES: Final = frozenset({"url", "uri", "image_url"})
_OF_ROWS: Final = frozenset({"objects", "boxes", *KNOWN_COLUMNS["label"]})
_OF_SLOTH: Final = frozenset({"annotations", "class", "filename"})
_OF_VISUAL_GENOME: Final = frozenset({"image_id", "image_url", "objects"})

_AS_COCO: Final = "export it as COCO or Pascal VOC from the tool that wrote it"
_ITS_FOLDER: Final = "give the folder that has these files and the images"
# Whether keys of the top object, or of the elements of an array, and keys below them show it.
_NO_OBJECTS: Final = re.compile(r'"annotations?"\s*:\s*(?:\[\s*\[|\{)')  # in an array
_Sign = Callable[[_Keys, _Keys], object]
# What it is, its sign, the way out.
_REFUSED: Final[tuple[tuple[str, _Sign, str], ...]] = (
    ("a LabelMe file", lambda top, _: "shapes" in top and top & {"imagePath", "imageData"},
     _ITS_FOLDER),
    ("a VoTT export", lambda top, _: "assets" in top and top & {"tags", "videoSettings", "version"},
     "export it from VoTT as CSV"),
    ("a VoTT asset", lambda top, _: {"asset", "regions"} <= top, "export the project from VoTT as CSV"),
    ("an export of Label Studio", lambda top, inner: (top & {"data", "completions"}
     and top & {"annotations", "predictions", "completions"}) or inner & {"rectanglelabels", "polygonlabels"},
     "export it from Label Studio as COCO"),
    ("an export of Labelbox", lambda top, _: top & {"data_row", "Labeled Data"}, "export it as COCO"),
    ("a list of BDD100K or Scalabel", lambda top, inner: ("labels" in top and "box2d" in inner)
     or {"name", "attributes", "timestamp"} <= top,
     "give the file that has boxes (box2d) of its images"),
    ("a Supervisely file", lambda top, _: {"objects", "size", "tags"} <= top, _AS_COCO),
    ("a Datumaro dataset", lambda top, inner: {"items", "categories"} <= top
     and (not inner or "attr" in inner or {"label", "labels"} <= inner),
     "make COCO of it: datum convert -f coco_instances"),
    ("prediction results of COCO", lambda top, _: "score" in top and top & {"image_id", "category_id"},
     "give the annotations that the predictions were made for: instances_….json"),
    ("a file of Visual Genome", lambda top, inner: "region_id" in inner or {"coco_id", "flickr_id"} <= top
     or ({"attributes", "relationships"} & top and "synsets" in inner), "give its objects.json"),
    ("a file of one image of V7 Darwin", lambda top, inner: "item" in top and "slots" in inner, _ITS_FOLDER),
    ("a file of one image of SuperAnnotate", lambda top, inner: {"metadata", "instances"} <= top
     and "className" in inner, _ITS_FOLDER),
    ("a file of one image of TexturePacker", lambda top, inner: "frames" in top
     and {"frame", "sourceSize"} <= inner, _ITS_FOLDER),
    ("a table of nuImages or nuScenes", lambda top, _: "token" in top and
     (top >= {"category_token", "sample_data_token"} or top >= {"calibrated_sensor_token", "filename"}),
     _ITS_FOLDER),
    ("a Jupyter notebook", lambda top, _: {"cells", "nbformat"} <= top, "give the list that it reads"),
    ("GeoJSON", lambda top, inner: "features" in top and inner & {"geometry", "type"}, _AS_COCO),
)  # fmt: skip


def kind_of_json(
    head: bytes, name: str, encoding: str = "utf-8", *, has_columns: bool = False
) -> JsonKind | None:
    """Which reader a file is for; None: it is no JSON.

    Args:
      head: its first bytes: 16 KiB show enough keys of any real file.
      name: of the file, as messages call it.
      has_columns: whether the user said which keys hold images and labels: the others are not wanted.

    Raises:
      InputError: it is JSON of a kind that is not read: which, and the way out.
    """
    text = head.decode(encoding, "ignore").removeprefix("\ufeff")
    if _BEGINS.match(text) is None:
        return None
    keys, documents = _outline(text)
    is_array = text.lstrip().startswith("[")
    top, inner = (keys[2], keys[4]) if is_array else (keys[1], keys[2] | keys[3])
    names_files = any(key.lower() in _IMAGE_NAMES - _OF_PAGES for key in top)
    if not has_columns and not names_files and "images" in top and inner >= KEYS:
        need_no_feed(text, name)
    if documents == 1 and not has_columns and not (_is_plain_row(top) if is_array else _is_coco(top, inner)):
        need_no_json_of_tools(text, name, but=_but(text, top))
    if documents > 1 and not has_columns:
        need_no_lines_of_tools(text, name)
    if not has_columns and not _has_labels(text, top):
        _need_no_points(set().union(*keys.values()), name)
    if documents == 1 and not is_array:
        need_no_photo(top, name)
        need_no_file_of_datumaro(text, name)
    need_no_export_of_studio(text, name)
    for what, shows, hint in _REFUSED:
        if shows(top, inner):
            raise InputError(f"{name}: this is {what}, which is not read", hint)
    if (
        is_array
        and top.intersection(IMAGE_KEYS)
        and top.intersection(BOX_KEYS)
        and _may_be_createml(inner, text)
    ):
        return "createml"
    if not is_array and documents == 1 and _is_coco(top, inner):
        _need_no_boxes_of_images(text, set().union(*keys.values()), name)
        need_no_likeness_of_coco(text, name)
        return "coco"
    nested = "" if has_columns or documents > 1 else lines_of_nested_boxes(text, name)
    if nested and (is_array or not holds_images(text)):
        are_known = not UNCERTAIN_BOXES.union(PLAIN_BOXES).isdisjoint(map(str.lower, top))
        hint = nested if are_known else f"{nested}; {PASS_OVER}"
        raise InputError(f"{name}: boxes of its images are not of a form that is read", hint)
    if documents > 1 or any(key.lower() in _IMAGE_NAMES for key in top):
        return "jsonl"
    hint = "COCO, CreateML and JSON Lines are read; or write a CSV with an image and its label in each row"
    lines = "" if is_array else lines_of_document(text, name)
    if keys[2] or not (lines and any(key.lower() in _IMAGE_NAMES for key in keys[3])):
        need_no_index(text, name)
        need_no_foreign_json(text, name, but=_but(text, top))
        need_no_json_by_id(text, top, name)
        if is_array and top and (has_columns or are_of_images(text)):
            return "jsonl"  # whose keys are asked for
        if is_array and top:
            hint = f"{_naming_keys(top)} says which keys hold images and labels; else {hint}"
    is_line = documents == 1 and "\n" not in text.strip() and not (nested or lines)
    if is_line and (refusal := refusal_of(top, name)):
        raise InputError(f"{name}: {refusal.message}", refusal.hint)
    hint = chat_hint(top, name) or nested or lines or hint
    found = f"with the keys {some_of(sorted(top))}" if top else "without any key that is known"
    raise InputError(f"{name}: this is JSON of an unknown kind, {found}", hint)


def _but(text: str, top: _Keys) -> tuple[str, ...]:
    """What a document is not, as `OF_WHOLE_FILES` has it; none where it may be."""
    return OF_WHOLE_FILES if "_via_settings" not in top and holds_images(text) else ()


def _need_no_boxes_of_images(text: str, keys: _Keys, name: str) -> None:
    """Refuses arrays called as those of COCO whose annotations are images with their boxes, as AU-AIR's.

    Args:
      keys: of the object that is all, and of those in it.
    """
    are_images = keys.isdisjoint(("images", "image_id"))
    are_drawn = "detections" in keys and "conf" not in keys  # not found by MegaDetector
    hint = lines_of_nested_boxes(text, name) if are_images or are_drawn else ""
    if hint:
        what = (
            "annotations are images that hold their boxes" if are_images else "images hold their detections"
        )
        raise InputError(f"{name}: {what}; not as in COCO", hint)


def _naming_keys(top: _Keys) -> str:
    """The option that names the keys of images and labels, as a CSV would have these by such names."""
    keys = sorted(top)
    images = [keys[i] for i in likely_columns(keys, "image_uri")]
    labels = [keys[i] for i in known_columns(keys, "label") or likely_columns(keys, "label")]
    if len(images) == len(labels) == 1 and images != labels:
        return columns_option([("image_uri", images[0]), ("label", labels[0])])
    return "--columns image_uri=KEY,label=KEY"


def _need_no_points(keys: _Keys, name: str) -> None:
    """Refuses an export of Label Studio that has points and no boxes: boxes have no place for them.

    Args:
      keys: of all its objects.
    """
    if "keypointlabels" in keys and keys.isdisjoint(_OF_BOXES):
        raise InputError(
            f"{name}: this is an export of Label Studio with points alone, which are not stored",
            "convert the folder of the images with --unlabelled keep; or export boxes as COCO",
        )


def _has_labels(text: str, top: _Keys) -> bool:
    """Whether a key has labels, and none of them is an array of objects."""
    plain = [key for key in top if not re.search(rf'"{re.escape(key)}"\s*:\s*\[\s*\{{', text)]
    return bool(known_columns(plain, "label") or likely_columns(plain, "label"))


def _is_plain_row(keys: _Keys) -> bool:
    """Whether an element of an array names an image, with labels or boxes that are read."""
    if keys >= _OF_VISUAL_GENOME or keys >= _OF_SLOTH:
        return False
    if keys.intersection(IMAGE_KEYS) and keys.intersection(BOX_KEYS):
        return True
    return any(key.lower() in _IMAGE_NAMES for key in keys) and any(key.lower() in _OF_ROWS for key in keys)


def _may_be_createml(boxes: _Keys, text: str) -> bool:
    """Whether keys of boxes are those of CreateML, which has `coordinates`, or of boxes that lack these."""
    return "coordinates" in boxes or (boxes <= {"label"} and not _NO_OBJECTS.search(text))


def _is_coco(top: _Keys, inner: _Keys) -> bool:
    has_boxes = "annotations" in top and "image_id" in inner
    return "images" in top or has_boxes or (bool(top) and top <= _OF_COCO)


def _outline(text: str) -> tuple[defaultdict[int, _Keys], int]:
    """The keys at each depth of brackets, and how many documents begin in a text that may be cut."""
    keys: defaultdict[int, _Keys] = defaultdict(set)
    depth = documents = 0
    for name, colon, opens, closes in TOKEN.findall(text):
        if opens:
            documents += depth == 0
            depth += 1
        elif closes:
            depth = max(0, depth - 1)
        elif colon:
            keys[depth].add(name)
    return keys, documents
