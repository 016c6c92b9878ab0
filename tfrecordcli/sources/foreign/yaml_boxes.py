"""YAML of boxes by image, as Bosch's Small Traffic Lights has them: `- boxes: [{label: Red, x_max: 9.5, …}]`.

Words are taken as they are written: to YAML `off`, a label there, is false.
"""

from __future__ import annotations

import re
from typing import Final

from tfrecordcli.sources.foreign.kind import EXTENSION, ForeignList

# An image without boxes may come first.
_SIGN: Final = re.compile(
    rf"\s*(?:---\s*)?- boxes:(?=[\s\S]*?\n  path: [^\n]+{EXTENSION}['\"]?[ \t]*\r?\n)"
    r"(?:[ \t]*\[\]|\s*- \{?[\s\S]*?\bx_m(?:ax|in):)",
    re.IGNORECASE | re.ASCII,
)
YAML_BOXES: Final = ForeignList(
    "a list of boxes in YAML, as Bosch's Small Traffic Lights has it",
    _SIGN,
    "",
    "python -c 'import csv, sys, yaml; "
    't = yaml.load(open(sys.argv[1], "rb"), getattr(yaml, "CBaseLoader", yaml.BaseLoader)); '
    'k = "x_min y_min x_max y_max label".split(); w = csv.writer(sys.stdout); '
    'w.writerow("image xmin ymin xmax ymax label occluded".split()); '
    'w.writerows([i["path"], *([*map(b.get, k), int(b.get("occluded") == "true")] if b else [None] * 6)] '
    'for i in t for b in i["boxes"] or [None])\' {name}',
)


def is_yaml_of_boxes(head: bytes) -> bool:
    """Whether a file begins like such a list."""
    return _SIGN.match(head.decode("utf-8", "ignore")) is not None
