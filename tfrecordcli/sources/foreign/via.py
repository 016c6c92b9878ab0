"""The VGG Image Annotator's CSV: regions are JSON, and their labels one of several attributes.

https://www.robots.ox.ac.uk/~vgg/software/via/: COCO, which it exports too, has no categories where labels
were typed as text, and none after a CSV was loaded.
"""

from __future__ import annotations

import re
import shlex
from typing import Final

from tfrecordcli.sources.foreign.kind import ForeignList

_HEADER: Final = r"#?filename,file_size,file_attributes,region_count,"
# The label is the attribute that most regions have, of several the one of fewer words: it is told.
_CODE: Final = (
    "import csv, json, sys; from collections import defaultdict; "
    'q = lambda f, i: json.loads(f[i] or "null") or dict(); '
    'f = open(sys.argv[1], newline="", encoding="utf-8-sig"); '
    "r = [(f[0], q(f, 5), q(f, 6)) for f in [*csv.reader(f)][1:]]; "
    't = lambda v: "|".join(n for n, c in v.items() if c) if isinstance(v, dict) else v; '
    "d = defaultdict(list); [d[k].append(t(v)) for _, s, a in r if s for k, v in a.items() if t(v)]; "
    "k = max(d, key=lambda k: (len(d[k]), -len(set(d[k]))), default=None); "
    'k or sys.exit("no region has an attribute with a text"); '
    'any(s.get("name") == "point" for _, s, _ in r) and sys.exit("there are points, which have no extent"); '
    'any(s.get("theta") for _, s, _ in r) and sys.exit("there are turned ellipses"); '
    'e = lambda s, x, w, rx: s.get("all_points_" + x) or ([s[x], s[x] + s[w]] if x in s '
    'else [s["c" + x] - s.get("r", s.get(rx)), s["c" + x] + s.get("r", s.get(rx))]); '
    'w = csv.writer(sys.stdout); w.writerow("image xmin ymin xmax ymax label".split()); '
    'b = lambda s: (e(s, "x", "width", "rx"), e(s, "y", "height", "ry")); '
    'l = lambda s, a: [*map(min, b(s)), *map(max, b(s)), t(a.get(k, ""))]; '
    '[w.writerow([n, *(l(s, a) if s else [""] * 5)]) for n, s, a in r]; '
    'print("labels are those of", k, file=sys.stderr)'
)
VIA_LISTS: Final = (
    ForeignList(
        "a CSV of the VGG Image Annotator without regions",
        # Up to the end, of which the last line may be cut.
        re.compile(rf'{_HEADER}[^\n]*\n(?:[^\n]*,0,0,"?\{{\}}"?,"?\{{\}}"?[ ]*\r?\n)+[^\n]*\Z'),
        "",
        'python -c \'import csv, json, sys; r = [*csv.reader(open(sys.argv[1], newline=""))][1:]; '
        'any(f[3] != "0" for f in r) and sys.exit("there are regions: export them as COCO"); '
        "t = [(f[0], json.loads(f[2])) for f in r]; k = [*dict.fromkeys(k for _, a in t for k in a)]; "
        'w = csv.writer(sys.stdout); w.writerow(["image", *k]); '
        's = lambda v: "|".join(n for n, c in v.items() if c) if isinstance(v, dict) else v; '
        'w.writerows([n, *(s(a.get(c, "")) for c in k)] for n, a in t)\' {name}',
    ),
    ForeignList(
        "a CSV of the VGG Image Annotator",
        re.compile(rf"{_HEADER}region_id,region_shape_attributes,region_attributes\s*\n"),
        "",
        f"python -c {shlex.quote(_CODE)} {{name}}",
        tells_boxes=True,
    ),
    ForeignList(
        "a CSV of the VGG Image Annotator 3",
        re.compile(r"#[^\n]*VGG Image Annotator|# ?CSV_HEADER"),
        "",
        "",
    ),
)
