"""Airtable's CSV, where a column of attachments has `name.jpg (https://v5.airtableusercontent.com/…)`.

Several of a record are parted by commas. The URLs end to work after a few hours:
https://support.airtable.com/docs/airtable-attachment-url-behavior.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from typing import Final

from tfrecordcli.sources.column_words import looks_like_image
from tfrecordcli.sources.foreign.kind import ForeignList, need_none

_IMAGE: Final = r"[.](?:jpe?g|png|gif|bmp|webp|tiff?)"
_SIGN: Final = rf"{_IMAGE} \(https://(?:v[0-9]+\.airtableusercontent\.com|dl\.airtable\.com)/"
# Files that are called alike cannot all be beside the list: which is meant is not certain.
_COMMAND: Final = (
    "python -c 'import csv, re, sys; from collections import Counter; csv.field_size_limit(1 << 30); "
    'h, *t = csv.reader(open(sys.argv[1], newline="", encoding="utf-8-sig")); '
    'f = lambda s: re.findall("(?:^|,) ?([^\\n]+?) [(](https://[^ ()]+)[)](?=,|$)", s); '
    "c = {{i for r in t for i, s in enumerate(r) if f(s)}}; "
    "a = [([(n, u) for i in sorted(c & {{*range(len(r))}}) for n, u in f(r[i]) "
    f'if re.search("{_IMAGE}$", n, re.I)], [s for i, s in enumerate(r) if i not in c]) for r in t]; '
    "k = Counter(n for n, _ in {{x for g, _ in a for x in g}}); e = [n for n in k if k[n] > 1]; "
    'e and print(f"left out: several files are called {{e[0]}} ({{len(e)}} such names)", file=sys.stderr); '
    'w = csv.writer(sys.stdout); w.writerow(["image", *[s for i, s in enumerate(h) if i not in c]]); '
    "w.writerows([n, *r] for g, r in a for n, u in g or [(None, None)] if k[n] < 2)' {name}"
)
_AIRTABLE: Final = ForeignList(
    "Airtable's CSV, with URLs behind the names of files",
    re.compile(rf"[\s\S]*?{_SIGN}", re.IGNORECASE),
    "",
    _COMMAND,
    otherwise="the files have to be beside it",
)
_ATTACHMENT: Final = re.compile(_SIGN, re.IGNORECASE)


def need_no_attachments(text: str, name: str) -> None:
    """Refuses a CSV of Airtable, unless another of its columns names images.

    Args:
      text: the first of the list.
      name: of the file, as messages call it.

    Raises:
      InputError: what it is, and the command that makes a list of the names.
    """
    if _ATTACHMENT.search(text) and not any(_names_images(text, delimiter) for delimiter in ",;\t"):
        need_none((_AIRTABLE,), text, name)


def _names_images(text: str, delimiter: str) -> bool:
    """Whether a column has names of images in most rows, without URLs behind them."""
    _, *rows = csv.reader(text.splitlines(), delimiter=delimiter)
    named = Counter(i for row in rows for i, field in enumerate(row) if _is_name(field))
    return 2 * max(named.values(), default=0) > len(rows)


def _is_name(field: str) -> bool:
    return looks_like_image(field) and not _ATTACHMENT.search(field)
