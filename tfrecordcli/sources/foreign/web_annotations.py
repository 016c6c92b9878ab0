"""Web Annotations of the W3C, as Annotorious writes them: regions of images, tagged.

`{"type": "Annotation", "body": [{"purpose": "tagging", "value": "stain"}], "target": {"source":
"https://…/a.jpg", "selector": {"type": "FragmentSelector", "value": "xywh=pixel:8,4,32,16"}}}`; an
`SvgSelector` has an outline, and a target that is text ends with its fragment
(https://www.w3.org/TR/annotation-model/). They stand in an array, under `items` or `@graph`, in lines or
alone.
"""

from __future__ import annotations

import re
import shlex
from typing import Final

from tfrecordcli.sources.foreign.kind import FILES_OF_URLS, ForeignList

# Of SVG, outlines with straight sides and ellipses get the rectangle around. Fractions are made of percent.
_SHAPES: Final = (
    'no = lambda v: sys.exit(f"no box: {v}"); '
    r'D = lambda v: [float(n) for n in re.findall(r"[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?", v)]; '
    'H = lambda n: ["", min(n[::2]), min(n[1::2]), max(n[::2]) - min(n[::2]), max(n[1::2]) - min(n[1::2])]; '
    r'A = lambda k, v: re.findall(r"\s(" + k + r")=[\"\x27]([^\"\x27]*)", v); '
    'E = lambda c: [n for s in (-1, 1) for d in "xy" '
    'for n in [float(c["c" + d]) + s * float(c.get("r" + d) or c["r"])]]; '
    "svg = lambda v: (lambda p, c: no(v) if bool(p) == bool(c) or len(c) != len(A('c[xy]|r[xy]?', v)) "
    'or "transform" in v or "<rect" in v or re.search(r"[^MLZz0-9eE\\s.,+-]", p) '
    'else H(D(p) or E(c)))(" ".join(p for _, p in A("points|d", v)), dict(A("c[xy]|r[xy]?", v))); '
    r'xywh = lambda v: (lambda m: [m[1] or "", *map(float, m[2].split(","))] if m else no(v))'
    r'(re.search(r"xywh=(?:(percent)|pixel)?:?([-0-9.]+(?:,[-0-9.]+){3})$", v)); '
).replace("'c[xy]|r[xy]?'", '"c[xy]|r[xy]?"')
_CODE: Final = (
    f"import csv, json, re, sys; {FILES_OF_URLS}{_SHAPES}"
    "L = lambda v: v if isinstance(v, list) else [v] if v else []; "
    'T = lambda v: [v] if isinstance(v, dict) and "target" in v else '
    "[a for c in (v.values() if isinstance(v, dict) else L(v)) "
    "if isinstance(c, (dict, list)) for a in T(c)]; "
    's = open(sys.argv[1], encoding="utf-8-sig").read(); '
    r't = T(json.loads("[" + re.sub(r"}\s*\n\s*{", "},{", s) + "]")); '
    'I = lambda g: g if isinstance(g, str) else g["id"] if "id" in g else I(g["source"]); '
    'G = lambda g: (I(g.get("source") or g) if isinstance(g, dict) else g, '
    '[c.get("value", "") for c in L(g.get("selector"))] if isinstance(g, dict) else []); '
    'B = lambda u, V: next((f(v) for f, k in ((xywh, "xywh="), (svg, "<svg")) for v in [*V, u] if k in v), '
    "[]) or (V and no(V)); "
    'W = lambda a, all: [b["value"] for b in L(a.get("body")) if isinstance(b, dict) and "value" in b '
    'and (all or {"tagging", "classifying"} & {*L(b.get("purpose") or a.get("motivation"))})]; '
    "c = not any(W(a, False) for a in t); "
    'c and print("no tags: other bodies are the labels", file=sys.stderr); '
    'r = [(u.split("#")[0], B(u, V), W(a, c)) for a in t for g in L(a["target"]) for u, V in [G(g)]]; '
    "k = [x for x in r if x[1]]; len(k) < len(r) and "
    'print(len(r) - len(k), "annotations without a region left out", file=sys.stderr); '
    'len({x[1][0] for x in k}) > 1 and sys.exit("regions in percent and in pixels"); '
    "f = near(u for u, _, _ in k); "
    'w = csv.writer(sys.stdout); w.writerow("image x y width height label".split()); '
    "w.writerows([f(u), *(round(n / (100 if p else 1), 6) for n in q), l] "
    'for u, (p, *q), y in k for l in y or [""])'
)
WEB_ANNOTATIONS: Final = ForeignList(
    "a list of Web Annotations of the W3C (JSON)",
    re.compile(
        r'\s*(?:\[\s*)?\{(?=[\s\S]*"target"\s*:)(?=[\s\S]*"(?:body|(?:\w+:)?Annotation)")'
        r'(?=[\s\S]*(?:"(?:[^"\n]*#)?xywh=|"type"\s*:\s*"SvgSelector"))'
    ),
    "",
    f"python -c {shlex.quote(_CODE)} ".replace("{", "{{").replace("}", "}}") + "{name}",
)
