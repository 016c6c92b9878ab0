"""The VGG Image Annotator's JSON: its project, and the annotations that it exports.

Of it comes its CSV, in which labels are told from other attributes and outlines get rectangles around them:
the COCO that it exports has no categories where labels were typed as text. Regions are an array, in version 1
an object by their numbers.
"""

from __future__ import annotations

import re
import shlex
from typing import Final

from tfrecordcli.sources.foreign.kind import ForeignList

_HEADER: Final = (
    "filename,file_size,file_attributes,region_count,region_id,region_shape_attributes,region_attributes"
)
_CODE: Final = (
    'import csv, json, sys; t = json.load(open(sys.argv[1], encoding="utf-8-sig")); '
    "w = csv.writer(sys.stdout); "
    f'w.writerow("{_HEADER}".split(",")); '
    '[w.writerow([i["filename"], i.get("size", ""), json.dumps(i.get("file_attributes") or dict()), '
    'len(r), n, *[json.dumps(g.get(k) or dict()) for k in ("shape_attributes", "region_attributes")]]) '
    'for i in t.get("_via_img_metadata", t).values() for r in [i["regions"]] '
    "for n, g in enumerate((r.values() if isinstance(r, dict) else r) or [dict()])]"
)
VIA_JSON: Final = ForeignList(
    "JSON of the VGG Image Annotator",
    re.compile(
        r'\s*\{\s*(?:"_via_settings"|"[^"\n]+"\s*:\s*\{(?=[\s\S]*"filename"\s*:)(?=[\s\S]*"regions"\s*:\s*[\[{]))'
    ),
    "",
    f"python -c {shlex.quote(_CODE)} {{name}}",
)
