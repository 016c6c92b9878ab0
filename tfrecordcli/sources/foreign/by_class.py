"""JSON of boxes by class and image: `{"cat": {"1": {"xmin": 1, "ymin": 2, "xmax": 9, "ymax": 8}}}`.

Images are in folders of the classes, called by the inner keys.
"""

from __future__ import annotations

import os
import re
import shlex
from itertools import islice
from typing import Final

from tfrecordcli.sources.column_words import without_extension
from tfrecordcli.sources.foreign.kind import ForeignList, need_none
from tfrecordcli.storage.store_path import walk_local

_WALKED: Final = 2_000  # folders that are looked into
_CODE: Final = (
    'import csv, json, pathlib, sys; t = json.load(open(sys.argv[1], encoding="utf-8")); '
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
