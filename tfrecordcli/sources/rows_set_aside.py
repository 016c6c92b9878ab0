"""Columns and keys that say that a row was deleted or taken out, and whose rows are taken as others."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.label_fields import is_flag, is_yes
from tfrecordcli.sources.pandas_commands import changed, literal
from tfrecordcli.sources.sample import Sample
from tfrecordcli.sources.text_encoding import is_utf_8
from tfrecordcli.units import plural

# `isDeleted`, `is_deleted`, `deleted`, `archived`.
_CALLED: Final = re.compile(
    r"(?:is|was)?[ _-]?(?:soft[ _-]?)?"
    r"(?:deleted|removed|archived|hidden|discarded|excluded|trashed|obsolete)",
    re.IGNORECASE,
)
_LETTERS: Final = ("", "t", "f", "y", "n")
_YES: Final = "true|t|yes|y|1|1.0"


def told_set_aside(sample: Sample, rows: RowFile) -> Iterator[str]:
    """That rows of a CSV were taken out, with the command that leaves them out."""
    for name, fields in sample.unread(lambda name: _CALLED.fullmatch(name) is not None).items():
        count = sum(map(_says_so, fields))
        if not 0 < count < len(fields) or not all(
            is_flag(each) or each.lower() in _LETTERS for each in fields
        ):
            continue
        keep = f'~t[{literal(name)}].str.strip().str.lower().isin("{_YES}".split("|"))'
        command = changed(
            rows.name, sample.shape.delimiter, f"t = t[{keep}]; t", "kept", encoding=rows.options.encoding
        )
        kept = "" if is_utf_8(rows.options.encoding) else ", without --encoding"
        way = f"leave them out: {command}, and convert that{kept}" if command else "leave them out"
        yield f"{name} says yes in {plural(count, 'row')} looked at, taken as the others are: {way}"


def told_keys_set_aside(extras: Mapping[str, Collection[str]], used: Collection[str]) -> Iterator[str]:
    """The same of JSON.

    Args:
      extras: some values of each key that is known for nothing.
      used: those that are stored.
    """
    for key, values in extras.items():
        name = key.rpartition(".")[2]
        if key not in used and _CALLED.fullmatch(name) and len(values) > 1 and any(map(_says_so, values)):
            yield f"{key} says yes of some images, taken as the others are: leave them out of the file"


def _says_so(field: str) -> bool:
    return is_yes(field) or field.lower() in ("t", "y")
