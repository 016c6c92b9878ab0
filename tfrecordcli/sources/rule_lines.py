"""A row of dashes below a header, as programs of databases print it, and the command that leaves it out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tfrecordcli.sources.made_list import made_by, rows_by

_RULE: Final = re.compile(":?-{2,}:?")
# Nor empty lines, and a last one such as `(141 rows affected)`; `NULL` is what they print for nothing.
_WITHOUT: Final = (
    'w.writerows(["" if f == "NULL" else f for f in map(str.strip, l)] for l in r '
    'if "".join(l).strip(" :-") and not (len(l) == 1 and l[0][:1] == "(" and l[0][-1:] == ")"))'
)


def without_rule(table: Sequence[Sequence[str]], name: str, delimiter: str) -> str:
    """A hint with the command that leaves it out; empty where there is none.

    Args:
      table: the rows below the header, outer blanks removed.
      name, delimiter: of the list.
    """
    fields = [field for field in table[0] if field] if table else []
    is_rule = len(table) > 1 and len(fields) > 1 and all(map(_RULE.fullmatch, fields))
    return made_by("", rows_by(_WITHOUT, delimiter), name) if is_rule else ""
