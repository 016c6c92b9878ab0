"""A feed of Scrapy's images pipeline: items of a page each, with the files that it stored under `images`.

`{"url": "https://…/page", "image_urls": […], "images": [{"url", "path": "full/ab12.jpg", "checksum",
"status"}]}` (https://docs.scrapy.org/en/latest/topics/media-pipeline.html); in its CSV `images` is what
Python writes. Paths are relative to `IMAGES_STORE`, and an item whose images failed has none.
"""

from __future__ import annotations

import re
import shlex
from typing import Final

from tfrecordcli.sources.column_words import KNOWN_COLUMNS
from tfrecordcli.sources.foreign.kind import ForeignList, need_none

KEYS: Final = frozenset({"path", "checksum"})  # of each of the `images`
_OF_JSON: Final = (
    't = json.loads(s) if s.lstrip()[0] == "[" else [json.loads(r) for r in s.split("\\n") if r.strip()]'
)
_OF_CSV: Final = (
    't = [dict(r, images=ast.literal_eval(r["images"] or "[]")) for r in csv.DictReader(io.StringIO(s))]'
)
_LINES: Final = (
    f'n = "{" ".join(sorted(KNOWN_COLUMNS["image_uri"]))}".split(); '
    'k = [(f["path"], {("page_" + k if k.lower() in n else k): v for k, v in i.items() '
    'if k not in ("images", "image_urls")}) for i in t for f in i.get("images") or []]; '
    'm = sum(not i.get("images") for i in t); m and print(m, "items without an image left out", '
    "file=sys.stderr); [print(json.dumps(dict(image=p, **v))) for p, v in k]"
)


def _feed(sign: str, read: str) -> ForeignList:
    """A feed in one form.

    Args:
      sign: pattern of its first bytes.
      read: Python that makes its items ``t`` of its text ``s``.
    """
    code = (
        "import ast, csv, io, json, sys; "
        f's = open(sys.argv[1], encoding="utf-8-sig", newline="").read(); {read}; {_LINES}'
    )
    return ForeignList(
        "a feed of Scrapy, whose items name pages and, under images, the files of each",
        re.compile(sign),
        "",
        f"python -c {shlex.quote(code)} ".replace("{", "{{").replace("}", "}}") + "{name}",
        as_lines=True,
        otherwise="paths in it are relative to IMAGES_STORE: give that with --image-root",
    )


_FEED: Final = _feed(r"[\s\S]", _OF_JSON)
FEED_AS_CSV: Final = _feed(
    r"(?=(?:[^\n]*,)?images[,\r\n])[\s\S]*?\[\{'url': '[^'\n]*', 'path': '[^'\n]*', 'checksum': ", _OF_CSV
)


def need_no_feed(text: str, name: str) -> None:
    """Refuses JSON that has images with paths and checksums in its items, of which a reader would take pages.

    Raises:
      InputError: as `need_no_foreign_list`.
    """
    need_none((_FEED,), text, name)
