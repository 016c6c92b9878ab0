"""xView's boxes in GeoJSON, a feature each: the image, the corners in its pixels, the number of the class.

`{"type": "FeatureCollection", "features": [{"properties": {"bounds_imcoords": "8,4,40,20", "type_id": 18,
"image_id": "10.tif"}, "geometry": {…}}]}`; xview_class_labels.txt has names of classes: `18:Passenger Car`.
"""

from __future__ import annotations

import re
import shlex
from typing import Final

from tfrecordcli.sources.foreign.kind import ForeignList

_CODE: Final = (
    "import csv, json, os, sys; "
    'f = os.path.join(os.path.dirname(sys.argv[1]), "xview_class_labels.txt"); '
    'n = dict(l.strip().split(":", 1) for l in open(f, encoding="utf-8-sig") if ":" in l) '
    "if os.path.isfile(f) else dict(); "
    'p = [i["properties"] for i in json.load(open(sys.argv[1], "rb"))["features"]]; '
    "w = csv.writer(sys.stdout); "
    'w.writerow("image xmin ymin xmax ymax label".split()); '
    'w.writerows([i["image_id"], *i["bounds_imcoords"].split(","), '
    'n.get(str(i["type_id"]), i["type_id"])] for i in p)'
)
XVIEW: Final = ForeignList(
    "a list of boxes of xView (GeoJSON)",
    re.compile(
        r'\s*\{(?=[\s\S]*"features"\s*:\s*\[)(?=[\s\S]*"bounds_imcoords"\s*:\s*"[\d.,\s-]+")'
        r'(?=[\s\S]*"type_id"\s*:)(?=[\s\S]*"image_id"\s*:\s*")'
    ),
    "",
    f"python -c {shlex.quote(_CODE)} {{name}}",
)
