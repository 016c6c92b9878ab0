"""Zooniverse's CSV of classifications: what each volunteer answered about a subject, as JSON in fields.

`annotations` is an array of `{"task": "T0", "value": …}`: a text, several, or objects of a choice (a survey,
a menu) or of what was drawn; null where a task was passed over. `subject_data` is an object whose only value
has what the owner told of the subject, the names of its images among it:
https://help.zooniverse.org/next-steps/data-exports/.
"""

from __future__ import annotations

import re
from typing import Final

from tfrecordcli.sources.foreign.kind import ForeignList

# Of each subject the answer that more volunteers gave than any other, and the share of these.
_COMMAND: Final = (
    "python -c 'import csv, json, re, sys; from collections import Counter; csv.field_size_limit(1 << 30); "
    't = [*csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8-sig"))]; '
    'len({{r.get("workflow_id") for r in t}}) > 1 and '
    'sys.exit("there are several workflows: export the classifications of one of them"); '
    'a = [(r["subject_ids"], v) for r in t for v in json.loads(r["annotations"]) '
    'if v.get("value") is not None]; k = sys.argv[2] if sys.argv[2:] else a[0][1]["task"]; '
    'n = lambda v: v if isinstance(v, str) else isinstance(v, dict) and (v.get("choice") or v.get("label") '
    'or v.get("option") is False and v["value"]) or sys.exit(f"{{k}}: {{v}} is no answer of words: put '
    'another task behind the file, or reduce what was drawn with panoptes_aggregation of Zooniverse"); '
    "c = {{s: Counter() for s, _ in a}}; "
    '[c[s].update(["|".join(sorted(map(n, v["value"] if isinstance(v["value"], list) else [v["value"]])))]) '
    'for s, v in a if v["task"] == k]; '
    "m = [(s, *x.most_common(2), (None, 0)) for s, x in c.items() if x]; "
    "e = sum(x[1][1] == x[2][1] for x in m); "
    'e and print(f"subjects without a majority, which are left out: {{e}}", file=sys.stderr); '
    'o = {{r["subject_ids"]: r["subject_data"] for r in t}}; '
    "f = lambda s: {{v: 0 for d in json.loads(s).values() for v in d.values() if isinstance(v, str) "
    'and re.search("[.](jpe?g|png|gif|bmp|webp|tiff?)$", v, re.I)}} or sys.exit(f"no image: {{s}}"); '
    'w = csv.writer(sys.stdout); w.writerow(["image", "label", "agreement"]); '
    "w.writerows([i, x[1][0], round(x[1][1] / sum(c[x[0]].values()), 3)] "
    "for x in m if x[1][1] > x[2][1] for i in f(o[x[0]]))' {name}"
)
ZOONIVERSE: Final = ForeignList(
    "Zooniverse's list of classifications, several of each subject",
    re.compile(
        r'"?classification_id"?,(?=[^\n]*\bannotations\b)(?=[^\n]*\bsubject_data\b)'
        r"(?![^\n]*\b(?:image|image_uri|file_?name|path)\b)",  # a list made of it has its own
        re.IGNORECASE,
    ),
    "",
    _COMMAND,
    otherwise="it has what most answered to the first task (several parted by |); for another task put its "
    "name, as T1, behind the file",
)
