"""CSVs of the VGG Image Annotator that are not read: beside images, also those with regions."""

from __future__ import annotations

import re
import shlex
from typing import Final

from tfrecordcli.sources.foreign.kind import ForeignList

_HEADER: Final = r"#?filename,file_size,file_attributes,region_count,"
# Rectangles, circles, ellipses and polygons by the numbers of their shapes; columns called as attributes are.
_REGIONS_3: Final = (
    'import csv, json, sys; f = open(sys.argv[1], newline="", encoding="utf-8-sig").read().splitlines(); '
    'said = lambda w: next(l.split("=", 1)[1].strip() for l in f if l.startswith("# " + w + " =")); '
    'a = json.loads(said("ATTRIBUTE")); around = lambda x, y, w, h: [x - w, y - h, x + w, y + h]; '
    "g = dict([(2, lambda x, y, w, h: [x, y, x + w, y + h]), (3, lambda x, y, r: around(x, y, r, r)), "
    "(4, around), (7, lambda *p: [*map(min, (p[::2], p[1::2])), *map(max, (p[::2], p[1::2]))])]); "
    't = csv.DictReader([l for l in f if l and l[0] != "#"], said("CSV_HEADER").split(",")); '
    'r = [[json.loads(i[k]) for k in ("file_list", "spatial_coordinates", "metadata")] for i in t]; '
    'o = set(s[0] for _, s, _ in r if s) - set(g); o and sys.exit("no boxes, but shapes " + str(o)); '
    "b = any(s for _, s, _ in r); "
    'k = [i for i in a if a[i].get("anchor_id", "").endswith("XY1") == b] or [*a]; '
    'n = ["label"] if len(k) == 1 else [a[i]["aname"] for i in k]; '
    'name = lambda v, o: "|".join(o.get(c, c) for c in v.split(",")) if o else v; '
    "w = csv.writer(sys.stdout); "
    'w.writerow(["image", *"xmin ymin xmax ymax".split() * b, *n]); '
    'w.writerows([i[0], *(g[s[0]](*s[1:]) if s else [""] * 4 * b), '
    '*(name(m.get(c, ""), a[c].get("options")) for c in k)] for i, s, m in r)'
)
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
        f"python -c {shlex.quote(_REGIONS_3)} {{name}}",
    ),
)
