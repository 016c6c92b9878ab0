"""Masks as run lengths in a column EncodedPixels, as Kaggle has them, and the rectangles around them.

A mask is pairs of the first pixel of a run and how many there are; pixels are numbered from 1, by columns.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Final

from tfrecordcli.sources.boxes.words import as_word
from tfrecordcli.sources.pandas_commands import beside, literal, python_command

_PIXELS: Final = "encodedpixels"
_RUNS: Final = re.compile(r"[1-9][0-9]* [1-9][0-9]*(?: [1-9][0-9]* [1-9][0-9]*)*")
_IMAGES: Final = ("imageid", "image", "id")
_CLASSES: Final = ("classid", "class", "label")
_JOINED: Final = ("imageidclassid", "imagelabel")  # of an image and its class, `a.jpg_1`
# Of an image without a mask one row stays, without a box.
_CODE: Final = (
    "import csv, functools, pathlib, sys; from PIL import Image; p = pathlib.Path({name}); m = {{}}; "
    '[m.setdefault(k, []).append(q) for q in sorted(p.parent.rglob("*")) '
    'if q.suffix.lower() in (".jpg", ".jpeg", ".png", ".tif", ".tiff") for k in (q.name, q.stem)]; '
    "f = lambda n: m[n][0] if len(m.get(n, ())) == 1 "
    'else sys.exit(f"{{n}}: {{len(m.get(n, ()))}} images are called so"); '
    "h = functools.cache(lambda n: Image.open(f(n)).height); "
    "b = lambda v, h: [g(c) + j for g, j in ((min, 0), (max, 1)) for c in zip(*((i // h, y) "
    "for s, k in zip(v[::2], v[1::2]) for i in (s - 1, s + k - 2) "
    "for y in ((i % h,) if (s - 1) // h == (s + k - 2) // h else (0, h - 1))))]; "
    't = [({fields}, [*map(int, r[{pixels}].split())]) for r in csv.DictReader(open(p, newline="", '
    'encoding="utf-8-sig"), delimiter={delimiter}, skipinitialspace=True)]; u = {{n for n, c, v in t if v}}; '
    'w = csv.writer(open({target}, "x", newline="")); w.writerow("image xmin ymin xmax ymax label".split()); '
    'w.writerows(dict.fromkeys((f(n).relative_to(p.parent).as_posix(), *(b(v, h(n)) if v else [""] * 4), '
    'c if v else "") for n, c, v in t if v or n not in u))'
)


def around_masks(header: Sequence[str], table: Iterable[Sequence[str]], name: str, delimiter: str) -> str:
    """A hint with the command that writes the rectangle around each mask; empty where it is not certain.

    Args:
      header, table: the first rows of a list.
      name, delimiter: of the list.
    """
    words = [as_word(column) for column in header]
    joined = _called(header, words, _JOINED)
    image = joined or _called(header, words, _IMAGES)
    if _PIXELS not in words or not image:
        return ""
    pixels = words.index(_PIXELS)
    masks = [row[pixels] for row in table if pixels < len(row) and row[pixels]]
    if not masks or not all(map(_rises, masks)):
        return ""
    label = _called(header, words, _CLASSES)
    fields = f"r[{literal(image)}], r[{literal(label)}]" if label else f'r[{literal(image)}], "object"'
    code = _CODE.format(
        name=literal(name),
        target=literal(beside(name, "boxes")),
        fields=f'*r[{literal(joined)}].rpartition("_")[::2]' if joined else fields,
        pixels=literal(header[pixels]),
        delimiter=json.dumps(delimiter),
    )
    command = python_command(code, name)
    return f"write the rectangle around each mask, by the heights of the images: {command}" if command else ""


def _called(header: Sequence[str], words: Sequence[str], names: Iterable[str]) -> str:
    """The first column that is called so; empty where there is none."""
    return next((header[words.index(name)] for name in names if name in words), "")


def _rises(mask: str) -> bool:
    """Whether each run begins behind the one before, as places do and ways from run to run do not."""
    if not _RUNS.fullmatch(mask):
        return False
    numbers = [*map(int, mask.split())]
    ends = map(sum, zip(numbers[::2], numbers[1::2], strict=True))
    return all(end <= start for end, start in zip(ends, numbers[2::2], strict=False))
