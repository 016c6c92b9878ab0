"""Random lists of boxes, written as people write them, with what must come of each."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

from converting import jpeg

SIZES: Final = ((320, 240), (240, 320), (400, 300))
COUNT: Final = 12
_SHARE_OF_SEVERAL: Final = 0.12
Corners = tuple[int, int, int, int]
Numbers = tuple[float, float, float, float]
Labelled = list[tuple[str, list[str]]]  # boxes of an image


@dataclass(frozen=True)
class Shown:
    """An image, and what people drew on it.

    Attributes:
      split: that the list names; empty: the list has no splits.
    """

    name: str
    size: tuple[int, int]
    split: str
    boxes: tuple[tuple[str, Corners], ...]


@dataclass(frozen=True)
class Written:
    """A list, and the images that it names."""

    content: bytes
    shown: tuple[Shown, ...]
    traits: str


@dataclass(frozen=True)
class Family:
    """How a list calls the sides of boxes.

    Attributes:
      names: of the columns, in the order of the numbers; of one column: all numbers are in its text.
      form: what the numbers are.
      text: writes four numbers into one field.
      several: writes all boxes of an image into the columns of one row.
      taken: further columns that would contradict these names.
    """

    names: tuple[str, ...]
    form: str
    text: Callable[[list[str]], str] | None = None
    several: Callable[[Labelled], dict[str, str]] | None = None
    taken: frozenset[str] = frozenset()


_FORMS: Final[dict[str, Callable[[Numbers], Numbers]]] = {
    "xyxy": lambda b: b,
    "yxyx": lambda b: (b[1], b[0], b[3], b[2]),
    "xxyy": lambda b: (b[0], b[2], b[1], b[3]),
    "xywh": lambda b: (b[0], b[1], b[2] - b[0], b[3] - b[1]),
    "yxhw": lambda b: (b[1], b[0], b[3] - b[1], b[2] - b[0]),
    "center": lambda b: ((b[0] + b[2]) / 2, (b[1] + b[3]) / 2, b[2] - b[0], b[3] - b[1]),
}
# Which numbers of a form go along the width of the image.
_ACROSS: Final = {
    "xyxy": "1010",
    "yxyx": "0101",
    "xxyy": "1100",
    "xywh": "1010",
    "yxhw": "0101",
    "center": "1010",
}
_COLUMNS: Final = {
    "xyxy": (
        "xmin,ymin,xmax,ymax", "x_min,y_min,x_max,y_max", "XMin,YMin,XMax,YMax", "Xmin,Ymin,Xmax,Ymax",
        "XMIN,YMIN,XMAX,YMAX", "x1,y1,x2,y2", "X1,Y1,X2,Y2", "x0,y0,x1,y1", "left,top,right,bottom",
        "Left,Top,Right,Bottom", "xmin (px),ymin (px),xmax (px),ymax (px)", "box_x1,box_y1,box_x2,box_y2",
        "bbox_x1,bbox_y1,bbox_x2,bbox_y2", "bbox_xmin,bbox_ymin,bbox_xmax,bbox_ymax",
        "TopLeftX,TopLeftY,BottomRightX,BottomRightY", "x_start,y_start,x_end,y_end",
        "upper_left_x,upper_left_y,lower_right_x,lower_right_y", "x_1,y_1,x_2,y_2", "minX,minY,maxX,maxY",
        "xtl,ytl,xbr,ybr", "bbox_left,bbox_top,bbox_right,bbox_bottom", "min_x,min_y,max_x,max_y",
        "Roi.X1,Roi.Y1,Roi.X2,Roi.Y2", "xLeft,yTop,xRight,yBottom", "startX,startY,endX,endY",
        "xmin_px,ymin_px,xmax_px,ymax_px", "BB_left,BB_top,BB_right,BB_bottom", "l,t,r,b",
        "x_from,y_from,x_to,y_to", "left_x,top_y,right_x,bottom_y", "x.min,y.min,x.max,y.max",
        "X links,Y oben,X rechts,Y unten", "xg,yh,xd,yb", "X izq (px),Y sup (px),X der (px),Y inf (px)",
        "x_von,y_von,x_bis,y_bis",
    ),
    "yxyx": (
        "ymin,xmin,ymax,xmax", "y1,x1,y2,x2", "top,left,bottom,right", "r1,c1,r2,c2",
        "row_min,col_min,row_max,col_max", "min_row,min_col,max_row,max_col",
        "y_haut,x_gauche,y_bas,x_droite",
    ),
    "xxyy": ("xmin,xmax,ymin,ymax", "x1,x2,y1,y2", "x_min,x_max,y_min,y_max", "left,right,top,bottom"),
    "xywh": (
        "x,y,w,h", "x,y,width,height", "X,Y,Width,Height", "left,top,width,height",
        "bbox_x,bbox_y,bbox_w,bbox_h", "bbox_x,bbox_y,bbox_width,bbox_height", "xmin,ymin,width,height",
        "x_min,y_min,w,h", "TopLeftCornerX,TopLeftCornerY,Length,Height", "box_x,box_y,box_w,box_h",
        "top_left_x,top_left_y,width,height", "x,y,dx,dy", "x_min,y_min,box_width,box_height",
        "bb_left,bb_top,bb_width,bb_height", "left,top,w,h", "x (px),y (px),width (px),height (px)",
        "X links,Y oben,Breite px,Höhe px",
    ),
    "yxhw": ("row,col,height,width", "min_row,min_col,height,width"),
    "center": (
        "x_center,y_center,width,height", "cx,cy,w,h", "xc,yc,w,h", "center_x,center_y,width,height",
        "Xc,Yc,W,H", "bbox_cx,bbox_cy,bbox_w,bbox_h", "x_centre,y_centre,width,height",
        "x_mitte,y_mitte,breite,höhe",
    ),
}  # fmt: skip


def _named(keys: str, quote: str = "'") -> Callable[[list[str]], str]:
    """Writes an object of Python or JSON; no object where there is no box."""

    def write(numbers: list[str]) -> str:
        pairs = zip(keys.split(), numbers, strict=True)
        return "" if "nan" in numbers else "{" + ", ".join(f"{quote}{k}{quote}: {v}" for k, v in pairs) + "}"

    return write


_TEXTS: Final = {
    "[{}, {}, {}, {}]": lambda n: f"[{', '.join(n)}]",
    "({}, {}, {}, {})": lambda n: f"({', '.join(n)})",
    "{} {} {} {}": " ".join,
    "{},{},{},{}": ",".join,
}
_IN_TEXT: Final = (
    *((name, form, text) for text in _TEXTS.values() for name, form in (
        ("bbox", "xywh"), ("bbox", "xyxy"), ("box", "xyxy"), ("bounding_box", "xywh"), ("bbox_xyxy", "xyxy"),
    )),
    ("bbox", "xywh", _named("x y width height")),
    ("bbox", "xywh", _named("x y w h", '"')),
    ("region", "xywh", _named("left top width height", '"')),
    ("box", "xyxy", _named("x1 y1 x2 y2", '"')),
    ("bbox", "xyxy", _named("xmin ymin xmax ymax")),
)  # fmt: skip


def _family(names: tuple[str, ...], form: str) -> Family:
    sizes = {"width", "height", "w", "h"}
    taken = sizes if {name.lower() for name in names} & (sizes | {"length", "dx"}) else set()
    return Family(names, form, taken=frozenset(taken))


FAMILIES: Final = (
    *(_family(tuple(names.split(",")), form) for form, each in _COLUMNS.items() for names in each),
    *(Family((name,), form, text) for name, form, text in _IN_TEXT),
)
# Columns of rows that hold all boxes of an image, and what their numbers are.
_SEVERAL: Final[tuple[tuple[str, Callable[[Labelled], dict[str, str]]], ...]] = (
    ("xyxy", lambda boxes: {"PredictionString": " ".join(f"{k} 0.9 {' '.join(n)}" for k, n in boxes)}),
    ("xyxy", lambda boxes: {"PredictionString": " ".join(f"{k} {' '.join(n)}" for k, n in boxes)}),
    ("xywh", lambda boxes: {
        "bbox": str([list(map(float, n)) for _, n in boxes]), "label": str([k for k, _ in boxes]),
    }),
    ("xyxy", lambda boxes: {
        "boxes": str([tuple(map(float, n)) for _, n in boxes]), "labels": json.dumps([k for k, _ in boxes]),
    }),
    ("xywh", lambda boxes: {
        "annotations": json.dumps(
            [
                {"label": k, **dict(zip(("x", "y", "width", "height"), map(float, n), strict=True))}
                for k, n in boxes
            ]
        ),
    }),
)  # fmt: skip
_IMAGES: Final = (
    "image", "filename", "file_name", "image_id", "image_path", "path", "img", "Filename", "ImageID", "photo",
    "file",
)  # fmt: skip
_LABELS: Final = (
    "label", "class", "class_name", "category", "name", "species", "object", "Label", "type", "cls",
    "label_name",
)  # fmt: skip
_SPLITS: Final = ("split", "set", "subset", "Usage", "partition", "dataset")
_WORDS_OF_SPLITS: Final = (
    ("train", "val", "test"), ("TRAIN", "VALIDATION", "TEST"), ("training", "validation", "testing"),
    ("Train", "Valid", "Test"),
)  # fmt: skip
_CLASSES: Final = (
    ("cat", "dog"), ("car", "bus", "truck"), ("red blood cell", "white blood cell"), ("1", "2", "3"),
    ("0", "1"), ("Person", "Bicycle", "Dog", "Cat"), ("helmet", "head", "vest"), ("7", "12", "30"),
)  # fmt: skip
_WORDS: Final = tuple(each for each in _CLASSES if each[0].isalpha())
NEGATIVES: Final = ("blank", "zeros", "minus", "nan", "word", "absent")
_DELIMITERS: Final = (",", ",", ",", ",", ";", "\t")
FURTHER: Final = (
    "width", "score", "id", "area", "iscrowd", "annotator", "comment", "difficult", "occluded", "truncated",
    "date", "source",
)  # fmt: skip


@dataclass(frozen=True)
class _Manner:
    """All that is drawn of how a list is written."""

    family: Family
    unit: str
    negative: str
    image: str
    label: str
    split: str
    words: tuple[str, ...]
    further: tuple[str, ...]
    delimiter: str
    header: bool
    whole: bool
    bom: bool
    crlf: bool
    quoted: bool
    shuffled: bool
    chance: Random = field(repr=False, compare=False)


def images_for(folder: Path) -> Path:
    """The images that all lists name."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(COUNT):
        (folder / name_of(number)).write_bytes(jpeg(number, *SIZES[number % len(SIZES)]))
    return folder


def name_of(number: int) -> str:
    return f"photo_{number:02}.jpg"


def _box(size: tuple[int, int], chance: Random) -> Corners:
    width, height = (chance.randint(side // 12, side // 2) for side in size)
    x, y = chance.randint(0, size[0] - width), chance.randint(0, size[1] - height)
    return x, y, x + width, y + height


def _shown(chance: Random, how: _Manner) -> tuple[Shown, ...]:
    splits = how.words if how.split else ()
    classes = chance.choice(_WORDS if how.family.several else _CLASSES)
    found = []
    for number in range(COUNT):
        size = SIZES[number % len(SIZES)]
        count = chance.choice((0, 1, 1, 2, 3, 4))
        boxes = tuple((chance.choice(classes), _box(size, chance)) for _ in range(count))
        found.append(Shown(name_of(number), size, splits[number % len(splits)] if splits else "", boxes))
    return tuple(found)


def _manner(chance: Random) -> _Manner:
    family = chance.choice(FAMILIES)
    if chance.random() < _SHARE_OF_SEVERAL:
        form, write = chance.choice(_SEVERAL)
        family = Family(tuple(write([])), form, "".join, write)
    # Nothing tells without a header whether y comes first.
    header = chance.random() > 0.15 or family.text is not None or family.form in ("yxyx", "yxhw")
    further = [
        each for each in chance.sample(FURTHER, chance.choice((0, 0, 1, 2, 3))) if each not in family.taken
    ]
    return _Manner(
        family=family,
        unit=chance.choice(("pixels", "pixels", "pixels", "fractions", "percent")),
        negative=chance.choice(("blank", "absent") if family.several else NEGATIVES),
        image=chance.choice(_IMAGES),
        label=chance.choice(_LABELS),
        split=chance.choice(_SPLITS) if header and chance.random() < 0.4 else "",
        words=chance.choice(_WORDS_OF_SPLITS),
        further=tuple(further) if header else (),
        delimiter=chance.choice(_DELIMITERS),
        header=header,
        whole=chance.random() < 0.6,
        bom=chance.random() < 0.1,
        crlf=chance.random() < 0.2,
        quoted=chance.random() < 0.15,
        shuffled=header and chance.random() < 0.5,
        chance=chance,
    )


def random_list(seed: int) -> Written:
    """The list of a seed."""
    chance = Random(seed)
    how = _manner(chance)
    shown = _shown(chance, how)
    if how.negative == "absent":
        shown = tuple(each for each in shown if each.boxes)
    rows = [row for each in shown for row in _rows(how, each)]
    columns = list(rows[0])
    if how.shuffled:
        chance.shuffle(columns)
    text = io.StringIO()
    quoting = csv.QUOTE_ALL if how.quoted else csv.QUOTE_MINIMAL
    writer = csv.writer(
        text, delimiter=how.delimiter, quoting=quoting, lineterminator="\r\n" if how.crlf else "\n"
    )
    if how.header:
        writer.writerow(columns)
    writer.writerows([row[column] for column in columns] for row in rows)
    content = text.getvalue().encode("utf-8-sig" if how.bom else "utf-8")
    return Written(content, shown, _traits(how))


def _traits(how: _Manner) -> str:
    form = f"{','.join(how.family.names)} as {how.family.form} {how.unit}"
    if how.family.text:
        form += " " + how.family.text(list("abcd"))
    return (
        f"{form}; {how.negative}; {'' if how.header else 'no header; '}{how.label}; {'+'.join(how.further)}"
    )


def _rows(how: _Manner, image: Shown) -> list[dict[str, str]]:
    if how.family.several is not None:
        boxes = [(label, _numbers(how, image, box)) for label, box in image.boxes]
        return [{how.image: image.name, **how.family.several(boxes), **_split_of(how, image)}]
    return [_row(how, image, *box) for box in image.boxes] or [_row(how, image, "", None)]


def _row(how: _Manner, image: Shown, label: str, box: Corners | None) -> dict[str, str]:
    numbers = _numbers(how, image, box)
    fields = {how.image: image.name, how.label: label if box else _no_label(how)}
    if how.family.text is None:
        fields |= dict(zip(how.family.names, numbers, strict=True))
    else:
        fields[how.family.names[0]] = how.family.text(numbers) if any(numbers) else ""
    fields |= _split_of(how, image)
    for each in how.further:
        fields |= _further(how, each, image, box)
    return fields


def _split_of(how: _Manner, image: Shown) -> dict[str, str]:
    return {how.split: image.split} if how.split else {}


def _no_label(how: _Manner) -> str:
    return {"word": "No finding", "nan": "nan"}.get(how.negative, "")


def _numbers(how: _Manner, image: Shown, box: Corners | None) -> list[str]:
    if box is None:
        word = {"zeros": "0", "minus": "-1", "nan": "nan"}.get(how.negative, "")
        return [word] * 4
    width, height = image.size
    numbers = _FORMS[how.family.form](tuple(map(float, box)))
    if how.unit == "pixels":
        return [f"{n:.0f}" if how.whole and n == int(n) else f"{n:.1f}" for n in numbers]
    times, places = (100, 3) if how.unit == "percent" else (1, 5)
    sides = (width if across == "1" else height for across in _ACROSS[how.family.form])
    return [f"{n / side * times:.{places}f}" for n, side in zip(numbers, sides, strict=True)]


def _further(how: _Manner, column: str, image: Shown, box: Corners | None) -> dict[str, str]:
    chance, drawn = how.chance, box or (0, 0, 0, 0)
    match column:
        case "width":
            return {"width": str(image.size[0]), "height": str(image.size[1])}
        case "score":
            return {column: f"{chance.uniform(0.5, 1):.2f}" if box else ""}
        case "id":
            return {column: str(chance.randrange(10**6))}
        case "area":
            return {column: str((drawn[2] - drawn[0]) * (drawn[3] - drawn[1])) if box else ""}
        case "annotator":
            return {column: chance.choice(("ann", "bob", "eve"))}
        case "comment":
            return {column: chance.choice(("", "", "", "blurred, small", "at the edge"))}
        case "date":
            return {column: f"2023-05-{chance.randint(1, 28):02}"}
        case "source":
            return {column: chance.choice(("web", "own"))}
    return {column: str(chance.randrange(2)) if box else "0"}
