"""CSVs of Hugging Face's datasets: `to_csv` writes an image as the text of a Python dict."""

from __future__ import annotations

import re
from typing import Final

from tfrecordcli.sources.foreign.kind import ForeignList

# In the first row below the header, the first field or one behind others.
_DICT: Final = r"""\{'bytes': (?:b["']|b""|None)"""
IMAGES_AS_TEXT: Final = ForeignList(
    "a CSV of Hugging Face's datasets with images as the text of Python objects",
    re.compile(rf"""[^\n{{]+\r?\n(?:[^\n]*,)?"?{_DICT}"""),
    "",
    "python -c 'import ast, csv, os, sys; csv.field_size_limit(1 << 30); p = sys.argv[1]; "
    'r = csv.reader(open(p, newline="", encoding="utf-8-sig")); w = csv.writer(sys.stdout); '
    'o = os.path.splitext(p)[0] + "-images"; os.mkdir(o); w.writerow(next(r)); '
    'E = {{b"\\x89P": "png", b"GI": "gif", b"RI": "webp", b"BM": "bmp", b"II": "tif", b"MM": "tif"}}; '
    'S = lambda q, b: (open(os.path.join(o, q), "xb").write(b), os.path.join(os.path.basename(o), q))[1]; '
    'D = lambda q, d: S(f"{{q}}." + E.get(d["bytes"][:2], "jpg"), d["bytes"]) if d["bytes"] else d["path"]; '
    r'V = lambda q, f: D(q, ast.literal_eval(f)) if f.startswith("{{\x27bytes\x27: ") else f; '
    'w.writerows([V(f"{{n}}-{{k}}", f) for k, f in enumerate(x)] for n, x in enumerate(r))\' {name}',
)
