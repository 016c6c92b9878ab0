"""JSON that tells of images by their names: an object of them, or an array of pairs."""

from __future__ import annotations

import re
from typing import Final

from tfrecordcli.number_patterns import WRITTEN
from tfrecordcli.sources.foreign.kind import LOADED, ForeignList

_CLASS: Final = r'(?:,\s*(?:"[^"\n]*"|[0-9]+)\s*)?'
_BOX: Final = rf"\[(?:\s*{WRITTEN}\s*,){{3}}\s*{WRITTEN}\s*"
# One box without a class may as well be four labels: one of it is above 1, and all images have as many.
_ONE_BOX: Final = (
    rf"(?=[^\]]*[\[,]\s*(?:[2-9]|[1-9][0-9])){_BOX}\]"
    rf"(?![\s\S]*[:,]\s*\[\s*{WRITTEN}(?:(?:\s*,\s*{WRITTEN}){{0,2}}|(?:\s*,\s*{WRITTEN}){{4,}})\s*\])"
)
_BOXES: Final = rf'(?:\[\s*{_BOX}{_CLASS}\]|{_BOX},\s*"[^"\n]*"\s*\])'
# ``p`` are images, each with what is told of it; remarks and null are left out.
_PAIRS: Final = (
    "p = [(k, v) for k, v in (t.items() if isinstance(t, dict) else t) "
    'if isinstance(v, list) or print("left out:", k, file=sys.stderr)]; '
)
_AS_LINES: Final = (
    'python -c \'import json, sys; t = json.load(open(sys.argv[1], "rb")); '
    + _PAIRS
    + "p = [(k, [v] if v and not isinstance(v[0], list) else v) for k, v in p]; "
    "[print(json.dumps(dict(image=k, boxes=[b[:4] for b in v], "
    """labels=[[*b, "object"][4] for b in v]))) for k, v in p]' {name}"""
)
# An object of boxes by their numbers, or by those of their classes.
_AS_NUMBERED: Final = (
    'python -c \'import json, sys; t = json.load(open(sys.argv[1], "rb")); '
    "[print(json.dumps(dict(image=k, boxes=[*v.values()], labels=%s))) for k, v in t.items() "
    'if isinstance(v, dict) or print("left out:", k, file=sys.stderr)]\' {name}'
)
_AS_LABELS: Final = (
    'python -c \'import json, sys; t = json.load(open(sys.argv[1], "rb")); '
    + _PAIRS
    + "[print(json.dumps(dict(image=k, labels=[*map(str, v)]))) for k, v in p]' {name}"
)
_AS_ROWS: Final = (
    LOADED + _PAIRS + "pd.json_normalize([dict(o, image=k) for k, v in p for o in v or [dict()]])"
    ".to_csv(sys.stdout, index=False)' {name}"
)
# Two captions of four words or more, for each image.
_CAPTION: Final = r'"(?:(?:[^"\\\s]|\\.)+\s+){3,}(?:[^"\\]|\\.)*"'
_AS_CAPTIONS: Final = (
    "python -c 'import json, sys; "
    '[print(json.dumps(dict(image=k, captions=v))) for k, v in json.load(open(sys.argv[1], "rb")).items()]\' '
    "{name}"
)


def by_image(name: str) -> tuple[ForeignList, ...]:
    """Objects with what is told of each image.

    Args:
      name: pattern of a key, which is an image.
    """
    remarks = rf'(?:(?!{name})"[^"\n]*"\s*:\s*"[^"\n]*"\s*,\s*)*'
    first = rf"\s*\{{\s*{remarks}(?:{name}\s*:\s*(?:\[\s*\]|\{{\s*\}})\s*,\s*)*{name}\s*:\s*"
    return (
        *_of_boxes("an object of %s by image (JSON)", first),
        ForeignList(
            "an object of captions by image (JSON)",
            re.compile(rf"{first}\[\s*{_CAPTION}\s*,\s*{_CAPTION}", re.IGNORECASE),
            "",
            _AS_CAPTIONS,
            as_lines=True,
            options="--unlabelled keep --features captions",
        ),
        ForeignList(
            "an object of labels by image (JSON)",
            re.compile(rf'\s*\{{\s*{name}\s*:\s*["0-9]', re.IGNORECASE),
            "",
            LOADED + """pd.Series(t).rename_axis("image").rename("label").to_csv(sys.stdout)' {name}""",
        ),
        ForeignList(
            "an object of numbered boxes by image (JSON)",
            re.compile(rf'{first}\{{\s*"[0-9]+"\s*:\s*{_ONE_BOX}', re.IGNORECASE),
            "",
            _AS_NUMBERED % '["object"] * len(v)',
            as_lines=True,
            others=("where the numbers are those of classes", _AS_NUMBERED % "[*v]"),
        ),
        ForeignList(
            "an object of images with what is told of each (JSON)",
            re.compile(rf"\s*\{{\s*{name}\s*:\s*\{{", re.IGNORECASE),
            "",
            LOADED
            + """pd.DataFrame.from_dict(t, orient="index").rename_axis("image").to_csv(sys.stdout)' {name}""",
        ),
    )


def boxes_in_pairs(name: str) -> tuple[ForeignList, ...]:
    """Arrays of an image and its boxes: `[["a.jpg", [[1, 2, 9, 9]]]]`.

    Args:
      name: pattern of an image.
    """
    first = rf"\s*\[\s*(?:\[\s*{name}\s*,\s*\[\s*\]\s*\]\s*,\s*)*\[\s*{name}\s*,\s*"
    return _of_boxes("an array of images and their %s (JSON)", first)


def _of_boxes(what: str, first: str) -> tuple[ForeignList, ...]:
    """Boxes as arrays, whose class stands behind them if anywhere, and as objects, one in a row each.

    Args:
      what: they are, with a place for either.
      first: pattern of all before the first boxes.
    """
    arrays, numbers, objects = (f"{first}{rest}" for rest in (_BOXES, _ONE_BOX, r"\[\s*\{"))
    return (
        ForeignList(
            what % "four numbers, as of a box or of labels,",
            re.compile(numbers, re.IGNORECASE),
            "",
            _AS_LINES,
            as_lines=True,
            others=("where they are labels of the image", _AS_LABELS),
        ),
        ForeignList(what % "boxes", re.compile(arrays, re.IGNORECASE), "", _AS_LINES, as_lines=True),
        ForeignList(what % "objects", re.compile(objects, re.IGNORECASE), "", _AS_ROWS),
    )
