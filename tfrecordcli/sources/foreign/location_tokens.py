"""JSON Lines to tune vision-language models: boxes as tokens for places in the text that a model is to write.

PaliGemma: `<loc0123>` four times, y before x, in 1,024 steps, then the class; several behind `;`
(https://github.com/google-research/big_vision/tree/main/big_vision/configs/proj/paligemma). Florence-2: the
class, then `<loc_123>` four times for each of its boxes, x before y, in 1,000 bins, whose middle counts.
"""

from __future__ import annotations

import re
from typing import Final

from tfrecordcli.sources.boxes.words import WHOLE_IMAGES
from tfrecordcli.sources.foreign.kind import ForeignList

# Reads the rows with a function b that yields (label, xmin, ymin, xmax, ymax) of each box in a text. A text
# without boxes that is not empty says something else of its image, and stops it.
_ROWS: Final = (
    "python -c 'import csv, json, re, sys; "
    'g = [json.loads(r) for r in open(sys.argv[1], encoding="utf-8-sig") if r.strip()]; '
    "%s; "
    'n = [i["image"] for i in g if i["suffix"].strip() and not b(i["suffix"])]; '
    'n and sys.exit(f"no boxes in the texts of {{n[:3]}}"); '
    'w = csv.writer(sys.stdout); w.writerow("image label xmin ymin xmax ymax".split()); '
    'w.writerows([i["image"], *k] for i in g for k in b(i["suffix"]) or [[""] * 5])\' {name}'
)


def _lines_with(token: str) -> re.Pattern[str]:
    """A pattern of objects, in lines, of which one has a suffix with four such tokens."""
    return re.compile(rf'\{{(?=[\s\S]*"image"\s*:)[\s\S]*"suffix"\s*:\s*"[^"\n]*(?:{token}){{4}}')


LOCATION_TOKENS: Final = (
    ForeignList(
        "a list of boxes as PaliGemma is to write them",
        _lines_with("<loc[0-9]{4}>"),
        "",
        _ROWS % r'p = re.compile(r"((?:<loc\d{{4}}>){{4}})(?:<seg\d+>)*\s*([^;<]*)"); '
        r"b = lambda s: [[k.strip(), x, y, X, Y] for q, k in p.findall(s) "
        r'for y, x, Y, X in [[int(v) / 1024 for v in re.findall(r"\d+", q)]]]',
        otherwise=WHOLE_IMAGES,
    ),
    ForeignList(
        "a list of boxes as Florence-2 is to write them",
        _lines_with("<loc_[0-9]{1,3}>"),
        "",
        _ROWS % r'p = re.compile(r"([^<>]+)((?:(?:<loc_\d+>){{4}})+)"); '
        r"b = lambda s: [[k.strip(), *v[j:j + 4]] for k, q in p.findall(s) "
        r'for v in [[(int(v) + 0.5) / 1000 for v in re.findall(r"\d+", q)]] for j in range(0, len(v), 4)]',
        otherwise=WHOLE_IMAGES,
    ),
)
