"""Commands that make a list which is read of one that is not, as hints have them."""

from __future__ import annotations

import json
import os
import shlex
from typing import Final

from tfrecordcli.shell import as_path

# Where the list is no file for a command to begin with, such as standard input.
SAVE: Final = "save it in a file, then convert that: the message then has a command that makes "
AS_CSV: Final = SAVE + "a CSV of it"
AS_LINES: Final = SAVE + "JSON Lines of it"


def as_commas(delimiter: str) -> str:
    """The command for `made_by` that writes rows with commas between their fields, which may hold some."""
    if delimiter == ",":
        return "cat {name}"
    reader = f"csv.reader(sys.stdin, delimiter={json.dumps(delimiter)}, skipinitialspace=True, strict=True)"
    # Latin-1 keeps the bytes of every encoding.
    code = (
        'import csv, sys; [f.reconfigure(encoding="latin-1", newline="") for f in (sys.stdin, sys.stdout)]; '
        f'csv.writer(sys.stdout, lineterminator="\\n").writerows({reader})'
    )
    return f"python -c {shlex.quote(code)} < {{name}}"


def made_by(header: str, command: str, name: str) -> str:
    """A hint with a command that makes a CSV beside a file.

    Args:
      header: of the CSV; empty: the command writes it.
      command: that writes the rows; ``{name}`` stands for the file.
      name: of the file.
    """
    if not os.path.isfile(name):
        return AS_CSV
    rows = command.format(name=shlex.quote(as_path(name)))
    target = shlex.quote(as_path(f"{os.path.splitext(name)[0]}-as-csv.csv"))
    whole = f"(echo {header}; {rows})" if header else rows
    return f"make a CSV of it: {whole} > {target}"
