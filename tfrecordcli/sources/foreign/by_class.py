"""JSON of boxes by class and image: `{"cat": {"1": {"xmin": 1, "ymin": 2, "xmax": 9, "ymax": 8}}}`.

Images are in folders of the classes, called by the inner keys. Above four numbers these are names of images:
`{"cat": {"a.jpg": [1, 2, 9, 8]}}`.
"""

from __future__ import annotations

import os
import re
import shlex
from itertools import islice
from typing import Final

from tfrecordcli.number_patterns import WRITTEN
from tfrecordcli.sources.column_words import without_extension
from tfrecordcli.sources.foreign.kind import EXTENSION, ForeignList, need_none
from tfrecordcli.split_words import SPLIT_WORDS
from tfrecordcli.storage.store_path import walk_local

_WALKED: Final = 2_000  # folders that are looked into
_CODE: Final = (
    'import csv, json, pathlib, sys; t = json.load(open(sys.argv[1], "rb")); '
    "r = pathlib.Path(sys.argv[1]).parent; f = dict(); "
    '[f.setdefault((p.parent.name, n), []).append(p.relative_to(r).as_posix()) for p in sorted(r.rglob("*")) '
    'if p.is_file() for n in {p.name, p.stem}]; b = "xmin ymin xmax ymax".split(); '
    'w = csv.writer(sys.stdout); w.writerow(["image", *b, "label"]); '
    "w.writerows([*(p if len(p) == 1 else "
    'sys.exit(f"{len(p)} files called {n} in folders called {c}")), *[o[k] for k in b], c] '
    "for c, v in t.items() for n, o in v.items() for p in [f.get((c, n), [])])"
)
_BY_CLASS: Final = ForeignList(
    "an object of boxes by class and image (JSON)",
    re.compile(
        r'\s*\{\s*"([^"\n]+)"\s*:\s*\{\s*"([^"\n]+)"\s*:\s*\{'
        r'(?=[^{}]*"xmin"\s*:)(?=[^{}]*"ymin"\s*:)(?=[^{}]*"xmax"\s*:)(?=[^{}]*"ymax"\s*:)'
    ),
    "",
    f"python -c {shlex.quote(_CODE)} ".replace("{", "{{").replace("}", "}}") + "{name}",
)
# Keys above images that are no classes.
_NO_CLASSES: Final = "|".join((*SPLIT_WORDS, "annotations", "boxes", "bboxes", "data", "images", "labels"))
_NUMBERS: Final = rf"\[(?:\s*{WRITTEN}\s*,){{3}}\s*{WRITTEN}\s*\]"
_LINES: Final = (
    'import json, sys; t = json.load(open(sys.argv[1], "rb")); d = dict(); '
    "[d.setdefault(i, []).extend((c, b) for b in ([v] if v and not isinstance(v[0], list) else v)) "
    "for c, o in t.items() for i, v in o.items()]; "
    "[print(json.dumps(dict(image=i, boxes=[b for _, b in v], labels=[c for c, _ in v]))) "
    "for i, v in d.items()]"
)
# Four labels of 0 and 1 are no box.
NUMBERS_BY_CLASS: Final = ForeignList(
    "an object of boxes by class and image (JSON)",
    re.compile(
        rf'\s*\{{\s*"(?!(?:{_NO_CLASSES})")[^"\n]+"\s*:\s*\{{\s*"[^"\n]+{EXTENSION}"\s*:\s*'
        rf"(?:\[\s*)?(?=[^\]]*(?:[2-9]|[1-9][0-9])\s*[,\].]){_NUMBERS}",
        re.IGNORECASE | re.ASCII,
    ),
    "",
    f"python -c {shlex.quote(_LINES)} ".replace("{", "{{").replace("}", "}}") + "{name}",
    as_lines=True,
)


def need_no_boxes_by_class(text: str, name: str) -> None:
    """Refuses such JSON, where a folder below it is called as its first key, with a file as the key in there.

    Raises:
      InputError: as `tfrecordcli.sources.foreign.kind.need_none`.
    """
    first = _BY_CLASS.sign.match(text)
    if first is None or not os.path.isfile(name):
        return
    walk = islice(walk_local(os.path.dirname(os.path.abspath(name))), _WALKED)
    files = (file for folder, _, names in walk if os.path.basename(folder) == first[1] for file in names)
    if any(first[2] in (file, without_extension(file)) for file in files):
        need_none((_BY_CLASS,), text, name)
