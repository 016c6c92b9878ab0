"""Tables in notes in Markdown, whose images may be embedded: `| P-01 | ![[P-01.jpg]] | brittle |`.

Obsidian embeds a file as `![[P-01.jpg]]`, with a size as `![[P-01.jpg\\|200]]` in a table; others as
`![words](photos/P-01.jpg)`, with blanks and the like as in URLs.
"""

from __future__ import annotations

import re
import shlex
from typing import Final

from tfrecordcli.sources.foreign.kind import EXTENSION, ForeignList

_ROW: Final = r"[ \t]*\|[^\n]*\|[ \t]*\r?\n"
_RULE: Final = r"[ \t]*\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*\r?\n"
_EMBEDDED: Final = rf"!\[[^\n|]*{EXTENSION}"
# What may stand above a table: no row of another list, which may have one in a text of several lines.
_ABOVE: Final = rf"(?:(?:![^\n]*|(?![^\n]*{EXTENSION})[^\n]*)\n)*?"
# The tables that name images, or else all; ``h`` is the header of each, or None.
_CODE: Final = (
    "import csv, itertools, re, sys, urllib.parse; "
    'sys.stdout.reconfigure(encoding="utf-8"); '
    "w = lambda m: m[1] or urllib.parse.unquote(m[2]); "
    r'u = lambda x: re.sub(r"^!?\[\[([^]|\\]+).*\]\]$|^!\[[^]]*\]\(<?(.+?)>?(?: \"[^\"]*\")?\)$", w, '
    r'x.strip()).replace("\\|", "|"); '
    r'f = lambda l: [*map(u, re.split(r"(?<!\\)\|", l[1:].removesuffix("|")))]; '
    'g = itertools.groupby(map(str.strip, open(sys.argv[1], encoding="utf-8-sig")), '
    'lambda l: l[:1] == "|"); t = [[*map(f, b)] for is_row, b in g if is_row]; '
    f'i = re.compile(r"{EXTENSION}$", re.I); '
    "t = [b for b in t if any(i.search(x) for l in b for x in l)] or t; "
    'h = [b[0] if re.fullmatch("[-:]+", "".join(sum(b[1:2], []))) else None for b in t]; '
    "n = [b for b in h if b not in (None, h[0])]; "
    'n and sys.exit(f"tables of other columns: {h[0]}, {n[0]}"); '
    'csv.writer(sys.stdout, lineterminator="\\n").writerows('
    "[*h[:h[0] is not None], *(l for k, b in zip(h, t) for l in b[2 * (k is not None):])])"
)
MARKDOWN: Final = ForeignList(
    "a table in Markdown",
    re.compile(
        rf"{_ABOVE}{_ROW}{_RULE}[ \t]*\||(?:{_ROW})?(?=[^\n]*{_EMBEDDED})[ \t]*\|[^\n]*\|[ \t]*(?:\r?\n|$)",
        re.IGNORECASE,
    ),
    "",
    "python -c " + shlex.quote(_CODE).replace("{", "{{").replace("}", "}}") + " {name}",
)
