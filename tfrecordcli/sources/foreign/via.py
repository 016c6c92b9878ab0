"""CSVs of the VGG Image Annotator that are not read: beside images, also those with regions."""

from __future__ import annotations

import re
from typing import Final

from tfrecordcli.sources.foreign.kind import ForeignList

_HEADER: Final = r"#?filename,file_size,file_attributes,region_count,"
VIA_LISTS: Final = (
    ForeignList(
        "a CSV of the VGG Image Annotator without regions",
        # Up to the end, of which the last line may be cut.
        re.compile(rf'{_HEADER}[^\n]*\n(?:[^\n]*,0,0,"?\{{\}}"?,"?\{{\}}"?[ ]*\r?\n)+[^\n]*\Z'),
        "",
        "python -c 'import csv, json, sys; "
        'r = [*csv.reader(open(sys.argv[1], newline="", encoding="utf-8-sig"))][1:]; '
        "t = [(f[0], json.loads(f[2])) for f in r]; k = [*dict.fromkeys(k for _, a in t for k in a)]; "
        'w = csv.writer(sys.stdout); w.writerow(["image", *k]); '
        's = lambda v: "|".join(n for n, c in v.items() if c) if isinstance(v, dict) else v; '
        'w.writerows([n, *(s(a.get(c, "")) for c in k)] for n, a in t)\' {name}',
    ),
    ForeignList(
        "a CSV of the VGG Image Annotator",
        re.compile(rf"{_HEADER}region_id,region_shape_attributes,region_attributes\s*\n"),
        "",
        "",
        tells_boxes=True,
    ),
    ForeignList(
        "a CSV of the VGG Image Annotator 3",
        re.compile(r"#[^\n]*VGG Image Annotator|# ?CSV_HEADER"),
        "",
        "",
    ),
)
