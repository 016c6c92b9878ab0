"""Which keys of an object in JSON Lines name its image, split, label and boxes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.sources.column_words import KNOWN_COLUMNS
from tfrecordcli.sources.json.chats import chat_hint
from tfrecordcli.units import some_of

PLAIN_BOXES: Final = ("boxes", "objects")
_TRAINING_LIST: Final = "give the list that the model was trained with"
# Keys of lines that are no lists of labelled images: what they are, and the way out.
_REFUSED: Final = {
    "prediction": ("prediction results of Vertex AI", _TRAINING_LIST),
    "predictions": ("prediction results", _TRAINING_LIST),
    "confidences": ("prediction results of Vertex AI", _TRAINING_LIST),
    "textContent": ("a list of texts", "only images are converted"),
    "textGcsUri": ("a list of texts", "only images are converted"),
    "videoGcsUri": ("a list of videos", "extract their frames, and list these"),
    "polygonAnnotations": ("a list of polygons", "write their boxes as boundingBoxAnnotations"),
    "polylineAnnotations": ("a list of lines", "write boxes as boundingBoxAnnotations"),
    "segmentationAnnotation": ("a list of masks", "write their boxes as boundingBoxAnnotations"),
    "data_row": ("an export of Labelbox", "export it as COCO"),
}
# Keys of boxes in forms that cannot be read for certain.
ONE_BOX: Final = ("bbox", "bounding_box", "box")
UNCERTAIN_BOXES: Final = frozenset(("annotations", "bboxes", "bounding_boxes", *ONE_BOX))
# Those that, as arrays of numbers, may have an array of labels beside them.
_BESIDE_LABELS: Final = ("boxes", "bboxes", "bbox")
_FORM: Final = 'write "boxes": [{"label": "…", "xmin": …, "ymin": …, "xmax": …, "ymax": …}, …]'
_OF_WEB: Final = ("image_url", "url", "uri")  # which name images last, where other keys do
SAY_IMAGE: Final = "--columns image_uri=KEY says which one does"
Columns = Sequence[tuple[str, str]]


def refusal_of(fields: Collection[str], name: str) -> InputError | None:
    """Why a line is none of a list of labelled images, if it is not."""
    found = next(((key, *told) for key, told in _REFUSED.items() if key in fields), None)
    if found is None:
        return None
    key, what, hint = found
    return InputError(f"this is {what}: it has {key}", hint)


@dataclass(frozen=True, slots=True)
class Roles:
    """The keys of a line that hold what is known; empty: there is none.

    Attributes:
      unclear: why that is not certain.
      beside: key of boxes that may have a list of labels beside them; empty: there is none.
      unclear_boxes: why boxes are not certain, unless they have.
    """

    image: str
    split: str
    label: str
    boxes: str
    unclear: InputError | None = None
    beside: str = ""
    unclear_boxes: InputError | None = None


def roles_of(fields: Collection[str], columns: Columns, name: str) -> Roles:
    """Which keys of a line hold what; the first of those that could."""
    chosen, unclear = dict(columns), refusal_of(fields, name)
    found = {}
    for role, known in KNOWN_COLUMNS.items():
        keys = [chosen[role]] if role in chosen else [key for key in fields if key.lower() in known]
        keys.sort(key=lambda key: key.lower() in _OF_WEB)
        if len(keys) > 1:
            what = f"both {keys[0]} and {keys[1]} could be the {role.replace('image_uri', 'image')}"
            unclear = unclear or InputError(what, f"--columns {role}={keys[0]} chooses")
        found[role] = keys[0] if keys else ""
    if "label" not in chosen and found["label"] in chosen.values():
        found["label"] = ""
    boxes, why = _box_key(fields, found["label"])
    if not found["image_uri"]:
        what = f"no key names the image; its keys are {some_of(list(fields), 20) or 'none'}"
        unclear = unclear or InputError(what, chat_hint(fields, name) or SAY_IMAGE)
    beside = [key for key in fields if key in _BESIDE_LABELS] if found["label"] else []
    only = beside[0] if len(beside) == 1 else ""
    return Roles(found["image_uri"], found["split"], found["label"], boxes, unclear, only, why)


def _box_key(fields: Collection[str], label: str) -> tuple[str, InputError | None]:
    """The key that holds boxes, or none; why they cannot be read, if they are not."""
    boxes = [key for key in PLAIN_BOXES if key in fields]
    uncertain = [key for key in fields if key.lower() in UNCERTAIN_BOXES]
    if uncertain or len(boxes) > 1:
        what = f"boxes in {(uncertain or boxes)[-1]} are not of a form that is read"
        return "", InputError(what, _FORM)
    if boxes and label:
        what = f"it has boxes ({boxes[0]}) and a label of the whole image ({label})"
        return "", InputError(what, "leave one of them out, or give it another name")
    return (boxes[0] if boxes else ""), None
