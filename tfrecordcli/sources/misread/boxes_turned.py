"""Boxes beside a column of angles: refused, with the command for the upright ones where these are certain."""

from __future__ import annotations

import math
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import WRITTEN_NUMBER
from tfrecordcli.sources.boxes.words import as_word
from tfrecordcli.sources.pandas_commands import changed, literal
from tfrecordcli.sources.sample import Sample

_ANGLES: Final = frozenset({"angle", "rotation", "theta", "rotationangle"})
_PIXELS: Final = 2.0  # beyond this a number is no fraction, by whose unequal units nothing is turned


def need_upright_boxes(sample: Sample, name: str) -> None:
    """Refuses boxes that are turned: the upright ones of these numbers are elsewhere.

    Args:
      name: of the list.

    Raises:
      InputError: with what to write in their place.
    """
    for column, fields in sample.unread(lambda name: as_word(name) in _ANGLES).items():
        turned = next((field for field in fields if _number(field)), None)
        if turned is not None:
            command = _command(sample, column, max(map(abs, map(_number, fields))), name)
            raise InputError(
                f"column {column} has {turned}: boxes that are turned are not read",
                "write the upright rectangle around each into columns xmin, ymin, xmax, ymax, and leave the "
                f"column {column} out{': ' * bool(command)}{command}",
            )


def _command(sample: Sample, angle: str, most: float, name: str) -> str:
    """What writes these of pixels that are turned by degrees about their centres; else empty.

    About which corner others are turned, and to which side, no name of a column tells.

    Args:
      most: the largest of the angles: beyond a whole turn in radians it is one in degrees.
    """
    boxes, header = sample.shape.boxes, sample.shape.header
    if boxes is None or boxes.form != "center_xywh" or len(boxes.corners) != 4 or most <= 2 * math.pi:
        return ""
    numbers = [_number(field) for column in boxes.corners for field in sample.fields(column)]
    if max(numbers) <= _PIXELS:
        return ""
    columns = ", ".join(literal(header[column]) for column in boxes.corners)
    change = (
        f"n = lambda c: pd.to_numeric(t.pop(c)); x, y, w, h = map(n, [{columns}]); "
        f"a = np.radians(n({literal(angle)}).fillna(0)); c, s = np.cos(a).abs(), np.sin(a).abs(); "
        "u, v = (w * c + h * s) / 2, (w * s + h * c) / 2; "
        "t.assign(xmin=x - u, ymin=y - v, xmax=x + u, ymax=y + v).round(3)"
    )
    return changed(name, sample.shape.delimiter, change, "boxes", modules="numpy as np, pandas as pd")


def _number(field: str) -> float:
    return float(field) if WRITTEN_NUMBER.fullmatch(field) else 0.0
