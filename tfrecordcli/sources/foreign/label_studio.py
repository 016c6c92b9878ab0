"""Label Studio's exports with rectangles or outlines: JSON, JSON-MIN and CSV. Of JSON also choices.

JSON has tasks with `data` and the `annotations` of people, each with a `result` of values; JSON-MIN and CSV
have a row for each annotation, in which a list of values stands under the name of the tag. A value of a
rectangle is `{"x", "y", "width", "height", "rotation", "rectanglelabels", "original_width",
"original_height"}`, in percent of the image, turned by degrees about its top left corner; that of an outline
has `points` (https://labelstud.io/guide/export). Annotations that were cancelled say nothing.
"""

from __future__ import annotations

import re
import shlex
from typing import Final

from tfrecordcli.sources.foreign.kind import EXTENSION, FILES_OF_URLS, ForeignList
from tfrecordcli.sources.made_list import made_by, then_converted
from tfrecordcli.sources.pandas_commands import literal

# ``T``: tasks, or rows. ``R``: of each annotation its image, whether it is no ground truth, id and values;
# of an image the least is taken. ``q``: an upload whose eight characters are a folder of their own.
_CODE: Final = (
    "import cmath, csv, io, json, math, re, sys; "
    + FILES_OF_URLS
    + "E = lambda *a: print(*a, file=sys.stderr); "
    's = open(sys.argv[1], encoding="utf-8-sig", newline="").read(); '
    'T = json.loads(s) if s.lstrip()[0] == "[" else [{k: json.loads(v) if v and v[:2] == "[{" else v '
    "for k, v in r.items() if k} for r in csv.DictReader(io.StringIO(s)%(delimiter)s)]; "
    'e = re.compile(r"[.](jpe?g|png|bmp|gif|webp|tiff?)\\b|/data/(upload|local-files)/", re.I); '
    'p = lambda u: U.unquote(u.split("?d=")[1]) if "/data/local-files/?d=" in u else u; '
    'q = lambda u: re.sub("/([0-9a-f]{8})-(?=[^/]+$)", r"/\\1/", u); '
    'h = lambda d: (lambda m: m[0] if len({b(q(u)) for u in m}) == 1 else sys.exit(f"no single image: {m}"))('
    "[p(d[k]) for k in %(keys)s]); "
    'A = lambda t: [a for a in t.get("annotations") or t.get("completions") or [] '
    'if not (a.get("was_cancelled") or a.get("skipped"))]; '
    'J = isinstance(T[0].get("data"), dict); '
    'R = [(h(t["data"]), not a.get("ground_truth"), a.get("id"), [(v["from_name"], {**v, **v["value"]}) '
    'for v in a["result"] if "value" in v]) for t in T for a in A(t)] if J else '
    '[(h(t), 0, t.get("annotation_id", 0), [(k, v) for k, x in t.items() if isinstance(x, list) for v in x '
    'if isinstance(v, dict)]) for t in T if t.get("annotation_id", 0) not in (None, "")]; '
    "m = sum(not A(t) for t in T) if J else len(T) - len(R); "
    'm and E(m, "without an annotation left out"); '
    "G = {}; [G.setdefault(i, []).append((g, len(str(a)), str(a), n, v)) "
    "for n, (i, g, a, v) in enumerate(R)]; k = [(i, min(x)[-1]) for i, x in G.items()]; "
    "m = sum(len(x) > 1 for x in G.values()); "
    'm and E(m, "images have several annotations: the ground truth is taken, else the first by its id"); '
    'L = lambda v: next((v[k] for k in v if k.endswith("labels")), None); '
    "B = [(i, [v for _, v in x if L(v) is not None]) for i, x in k]; "
    'C = [(i, {n: v["choices"] for n, v in x if "choices" in v}) for i, x in k]; '
    "H = [*dict.fromkeys(n for _, c in C for n in c)]; a = any(x for _, x in B); "
    'a or H or sys.exit("no boxes, and no choices"); '
    'a and H and E("choices are left out"); '
    "M = {n for _, c in C for n in c if len(c[n]) > 1}; "
    'O = lambda v: [v.get(f"original_{s}") or (sys.exit(f"no size: {v}") if v.get("rotation") else 100) '
    'for s in ("width", "height")]; '
    "S = lambda v, x, y: complex(x * O(v)[0], y * O(v)[1]) / 100; "
    'P = lambda v: sys.exit(f"of a turned image: {v}") if v.get("image_rotation") else '
    '[S(v, *c) for c in v["points"]] if "points" in v else [S(v, v["x"], v["y"]) + S(v, x, y) * '
    'cmath.rect(1, math.radians(v.get("rotation") or 0)) for x in (0, v["width"]) for y in (0, v["height"])] '
    'if "height" in v else sys.exit(f"no box: {v}"); '
    "f = near([c for i in G for c in (i, q(i))]); "
    "f = (lambda f: lambda i: next((n for c in (i, q(i)) for n in [f(c)] if n != c), i))(f); "
    "w = csv.writer(sys.stdout); "
    'w.writerow("image label xmin ymin xmax ymax image_width image_height".split() if a else '
    '["image", *(H if len(H) > 1 else ["label"])]); '
    "w.writerows([[f(i), *r] for i, x in B for r in [[l, *(round(g(getattr(c, s) for c in P(v)), 2) "
    'for g in (min, max) for s in ("real", "imag")), *O(v)] for v in x for l in L(v) or [""]] or [[""] * 7]] '
    'if a else [[f(i), *(json.dumps(c.get(n, [])) if n in M else c.get(n, [""])[0] for n in H)] '
    "for i, c in C])"
)
# An image of a task, or a row.
_IMAGE: Final = rf'(?=[\s\S]*:\s*"[^"\n]*(?:{EXTENSION}|/data/(?:upload|local-files)/)[^"\n]*")'
_OF_JSON: Final = '[k for k, v in d.items() if isinstance(v, str) and e.search(v)] or ["image"]'
_OR: Final = "or export it from Label Studio as COCO"


def _command(keys: str, delimiter: str = ",") -> str:
    parted = "" if delimiter == "," else f", delimiter={literal(delimiter)}"
    code = _CODE.replace("%(keys)s", keys).replace("%(delimiter)s", parted)
    return f"python -c {shlex.quote(code)} ".replace("{", "{{").replace("}", "}}") + "{name}"


LABEL_STUDIO: Final = ForeignList(
    "an export of Label Studio",
    re.compile(
        rf'\s*\[\s*\{{{_IMAGE}(?:(?=[\s\S]*"data"\s*:\s*\{{)(?=[\s\S]*"result"\s*:\s*\[)'
        r'|(?=[\s\S]*"(?:rectangle|polygon)labels"\s*:\s*\[)'
        r'|(?=[\s\S]*"labels"\s*:\s*\[)(?=[\s\S]*"rotation"\s*:)(?=[\s\S]*"original_width"\s*:))',
        re.IGNORECASE,
    ),
    "",
    _command(_OF_JSON),
    otherwise=_OR,
)


def is_label_studio(field: str) -> bool:
    """Whether a field holds rectangles or outlines as Label Studio's CSV has them, in percent."""
    return field.startswith("[") and any(f'"{kind}labels"' in field for kind in ("rectangle", "polygon"))


def boxes_of_studio(image: str, name: str, delimiter: str) -> str:
    """A hint with the command that makes a row of each box of a CSV.

    Args:
      image: name of the column of images.
      name, delimiter: of the list.
    """
    return made_by("", _command(f"[{literal(image)}]", delimiter), name) + then_converted(name)
