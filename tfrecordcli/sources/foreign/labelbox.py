"""Labelbox's exports: the older CSV, and JSON Lines, an object for each data row.

The CSV is a row for each data row, with what people drew in the JSON under `Label`:

`{"objects": [{"title": "Vest", "bbox": {"top", "left", "height", "width"}}, {"title", "polygon": [{"x",
"y"}]}], "classifications": []}`, in pixels; `Skip` where a person passed the image over. `External ID` is the
name of the file that was uploaded.

In JSON, `projects` has the `labels` of each project, with `annotations` of `objects` (`{"name": "car",
"bounding_box": {"top", "left", "height", "width"}}`, or `polygon`), and `classifications` with a
`radio_answer` or `checklist_answers`; `external_id` is the name of the file. A label has `skipped` in its
`performance_details` where a person passed the image over, and its times in `label_details`.
"""

from __future__ import annotations

import re
import shlex
from typing import Final

from tfrecordcli.sources.foreign.kind import ForeignList

_CODE: Final = (
    "import csv, json, sys; csv.field_size_limit(1 << 30); "
    't = [*csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8-sig"))]; '
    'k = [(r["External ID"] or r["Labeled Data"], json.loads(r["Label"])["objects"]) for r in t '
    'if r["Label"].lstrip()[:1] == "{"]; '
    's = len(t) - len(k); s and print(s, "without a label left out", file=sys.stderr); '
    "n = [i for i, _ in k]; d = [i for i in {*n} if n.count(i) > 1] if len({*n}) < len(n) else []; "
    'd and sys.exit(f"{d[0]} has several rows: keep the one of each image that is right"); '
    'w = csv.writer(sys.stdout); w.writerow("image label xmin ymin xmax ymax".split()); '
    "w.writerows([i, *b] for i, a in k for b in "
    '[(o["title"], b["left"], b["top"], b["left"] + b["width"], b["top"] + b["height"]) for o in a '
    'for p in [o.get("polygon") or []] for x, y in [([q["x"] for q in p], [q["y"] for q in p])] '
    'for b in [o.get("bbox") or (p and dict(left=min(x), top=min(y), width=max(x) - min(x), '
    'height=max(y) - min(y))) or sys.exit(f"{i}: {o}: no box")]] or [[""] * 5])'
)
LABELBOX: Final = ForeignList(
    "Labelbox's list of what people drew, in JSON",
    re.compile(
        r"(?=[^\n]*\bLabeled Data\b)(?=[^\n]*\bExternal ID\b)[^\n]*\bLabel\b"
        r'[\s\S]*""(?:bbox|polygon)""\s*:\s*[{\[]'
    ),
    "",
    f"python -c {shlex.quote(_CODE)} ".replace("{", "{{").replace("}", "}}") + "{name}",
)

_OF_ROWS: Final = (
    'import csv, json, sys; s = open(sys.argv[1], encoding="utf-8-sig").read(); '
    't = json.loads(s) if s.lstrip()[0] == "[" else [json.loads(r) for r in s.split("\\n") if r.strip()]; '
    'k = [(d.get("external_id") or d.get("global_key") or d["row_data"], [l for p in '
    'r.get("projects", dict()).values() for l in p["labels"] '
    'if not (l.get("performance_details") or dict()).get("skipped")]) for r in t for d in [r["data_row"]]]; '
    'm = sum(not a for _, a in k); m and print(m, "without a label, or skipped, left out", file=sys.stderr); '
    "m = sum(len(a) > 1 for _, a in k); "
    'm and print(m, "with several labels: the newest is taken", file=sys.stderr); '
    'u = lambda l: (lambda d: max(map(str, map(d.get, d.keys() & {"created_at", "updated_at", '
    '"content_last_updated_at"})), default=""))(l.get("label_details") or dict()); '
    'k = [(i, [max(a, key=u)["annotations"]]) for i, a in k if a]; n = [i for i, _ in k]; '
    "d = [i for i in {*n} if n.count(i) > 1] if len({*n}) < len(n) else []; "
    'd and sys.exit(f"several data rows are called {d[0]}: keep the one that is right"); '
    'c = [(i, dict((q["name"], "|".join(v["name"] for v in q.get("checklist_answers") or '
    '[q["radio_answer"]] if v)) for q in a[0]["classifications"] if "radio_answer" in q or '
    '"checklist_answers" in q)) for i, a in k]; h = [*dict.fromkeys(q for _, a in c for q in a)]; '
    'b = any(a["objects"] for _, [a] in k) or not h; w = csv.writer(sys.stdout); '
    'w.writerow("image label xmin ymin xmax ymax".split() if b else ["image", *h]); '
    'w.writerows([[i, *(a.get(q, "") for q in h)] for i, a in c] if not b else '
    "[[i, *v] for i, [a] in k for v in "
    '[(o["name"], g["left"], g["top"], g["left"] + g["width"], g["top"] + g["height"]) for o in a["objects"] '
    'for p in [o.get("polygon") or []] for x, y in [([q["x"] for q in p], [q["y"] for q in p])] '
    'for g in [o.get("bounding_box") or (p and dict(left=min(x), top=min(y), width=max(x) - min(x), '
    'height=max(y) - min(y))) or sys.exit(f"{i}: {o}: no box")]] or [[""] * 5]])'
)
LABELBOX_ROWS: Final = ForeignList(
    "an export of Labelbox (JSON)",
    re.compile(r'\s*(?:\[\s*)?\{\s*"data_row"\s*:(?=[\s\S]*"projects"\s*:)'),
    "",
    f"python -c {shlex.quote(_OF_ROWS)} ".replace("{", "{{").replace("}", "}}") + "{name}",
)
