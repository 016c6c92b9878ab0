"""Commands that read a list with pandas and write it anew, as hints have them."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import chain

from tfrecordcli.number_notation import Notation
from tfrecordcli.shell import command_line
from tfrecordcli.sources.text_encoding import is_utf_8


def changed(
    name: str,
    delimiter: str,
    change: str,
    what: str,
    *,
    modules: str = "pandas as pd",
    names: Sequence[str] = (),
    encoding: str = "utf-8",
) -> str:
    """A command that reads a list with pandas, changes it, and writes it beside itself.

    Args:
      name, delimiter: of the list.
      change: Python; ``t`` is the table, and the last statement an expression of the one that is written.
      what: the list is then, as `beside` says it.
      modules: that it imports.
      names: of its columns, where it has no header.
      encoding: of the list; what is written is UTF-8.
    """
    code = f"import {modules}; t = {table(name, delimiter, names, encoding)}; {_written(change, name, what)}"
    return python_command(code, name)


def changed_by_axis(
    name: str, delimiter: str, numbers: Sequence[str], axes: Sequence[str], sign: str, what: str
) -> str:
    """The command that takes numbers of boxes by a column of their axis, and leaves these two columns out.

    Args:
      name, delimiter, what: as of `changed`.
      numbers: names of their columns, x and y or y and x by turns.
      axes: names of the two columns, in the order of these.
      sign: what Python has between a number and that of the column.
    """
    pairs = ", ".join(f"{literal(n)}: {literal(axes[turn % 2])}" for turn, n in enumerate(numbers))
    change = (
        f"n = pd.to_numeric; t = t.assign(**{{c: n(t[c]) {sign} n(t[o]) for c, o in {{{pairs}}}.items()}})"
        f".drop(columns=[{', '.join(map(literal, axes))}]); t"
    )
    return changed(name, delimiter, change, what)


def most_say(columns: str, between: str = "") -> str:
    """Python that makes a column ``label`` of what most of some columns say, empty where they are at odds.

    Args:
      columns: Python that gives their names.
      between: Python that comes before the column is made.
    """
    return (
        f"c = {columns}; v = t[c].apply(lambda s: s.str.strip()); "
        f'm = v.where(v != "").mode(axis=1); {between}t["label"] = m[0].where(m.count(axis=1) == 1, ""); '
    )


def with_names(names: Mapping[str, str], name: str, delimiter: str, change: str = "") -> str:
    """A command that calls columns of a list of boxes otherwise.

    Args:
      names: of a column -> what it is to be called.
      name, delimiter: as of `in_plain_numbers`.
      change: Python that changes the table ``t`` then, and ends with `; `.
    """
    pairs = ", ".join(f"{literal(old)}: {literal(new)}" for old, new in names.items())
    read = f"import pandas as pd; t = {table(name, delimiter)}" if delimiter else _loaded(name)
    code = f"{read.removesuffix('; ')}.rename(columns={{{pairs}}}); "
    return python_command(code + change + _written("t", name, "boxes"), name)


def lines_as_csv(name: str) -> str:
    """A command that makes a CSV of an array of JSON, or JSON Lines; empty where it is no file.

    Each key is a column.
    """
    return python_command(f"{_loaded(name)}{_written('t', name, 'as-csv')}", name)


def in_plain_numbers(column: str, notation: Notation, name: str, delimiter: str) -> str:
    """A command that leaves of the numbers of a column what programs read.

    Args:
      notation: of these numbers.
      name, delimiter: of the list; no delimiter: it is an array of JSON, or JSON Lines.
    """
    change = "t" + "".join(
        f'.replace({{{literal(column)}: {literal(old)}}}, "{new}", regex=True)'
        for old, new in notation.replacements()
    )
    if delimiter:
        return changed(name, delimiter, change, "plain")
    return python_command(f"{_loaded(name)}{_written(change, name, 'plain')}", name)


def _loaded(name: str) -> str:
    """Python that makes a table of an array of JSON, or JSON Lines, every value as it is."""
    return (
        f'import json, pandas as pd; s = open({literal(name)}, encoding="utf-8-sig").read().strip(); '
        'r = json.loads(s) if s[0] == "[" else [json.loads(v) for v in s.split("\\n") if v.strip()]; '
        "t = pd.DataFrame(r, dtype=object); "
    )


def _written(code: str, name: str, what: str) -> str:
    return f'{code}.to_csv({literal(beside(name, what))}, index=False, mode="x")'


def joined_by_name(names: Mapping[str, str], delimiter: str, encoding: str, column: str) -> tuple[str, str]:
    """A command that writes one list of several, with a column ``label`` of a name for each.

    Args:
      names: of the lists, which are in one folder -> what each is called in that column.
      delimiter, encoding: of all of them.
      column: what their only column is to be called where they have no header; empty: they have one.

    Returns:
      The command, and what it writes.
    """
    pairs = ", ".join(f"{literal(path)}: {literal(name)}" for path, name in names.items())
    fields = _fields(delimiter, encoding)
    if column:
        fields += f", header=None, names=[{literal(column)}]"
    target = os.path.join(os.path.dirname(next(iter(names))), "all-labelled.csv")
    code = (
        f"import pandas as pd; pd.concat([pd.read_csv(p, {fields}).assign(label=n) "
        f'for p, n in {{{pairs}}}.items()]).to_csv({literal(target)}, index=False, mode="x")'
    )
    return command_line(["python", "-c", code]), target


def table(name: str, delimiter: str = ",", names: Sequence[str] = (), encoding: str = "utf-8") -> str:
    """Python that reads a list with pandas, every field as it is, also NA; not blanks before it.

    Rows that repeat the header are left out.

    Args:
      names: of its columns, where it has no header.
      encoding: of the list.
    """
    header = f", header=None, names=[{', '.join(map(literal, names))}]" if names else ""
    read = f"pd.read_csv({literal(name)}, {_fields(delimiter, encoding)}{header})"
    if names:
        return read
    words, comes_again = _header(name, delimiter)
    if any(each != each.rstrip() for each in words):  # fields are padded so, too
        read += ".rename(columns=str.strip).apply(lambda s: s.str.strip())"
    if comes_again:
        told = "t.columns" if all(words) else 't.columns.str.replace("Unnamed: .*", "", regex=True)'
        read += f".loc[lambda t: (t != {told}).any(axis=1)].reset_index(drop=True)"
    return read


def _header(name: str, delimiter: str) -> tuple[list[str], bool]:
    """The names in the header of a list, with blanks behind them; whether a line may be its first again."""
    with suppress(OSError, csv.Error), open(name, encoding="latin-1", newline="") as file:
        first = next(filter(str.strip, file), "").rstrip("\r\n")
        header = next(csv.reader(chain([first], file), delimiter=delimiter, skipinitialspace=True), [])
        return header, any(line.startswith(first) for line in file)
    return [], False


def _fields(delimiter: str, encoding: str) -> str:
    separator = "" if delimiter == "," else f", sep={json.dumps(delimiter)}"
    # Of rows that end in a further empty field, pandas would take the first column for no column.
    read = f"dtype=str, keep_default_na=False, skipinitialspace=True, index_col=False{separator}"
    return read if is_utf_8(encoding) else f"{read}, encoding={literal(encoding)}"


def python_command(code: str, name: str) -> str:
    """A command that runs this over a file; empty where it is none."""
    return command_line(["python", "-c", code]) if os.path.isfile(name) else ""


def beside(name: str, what: str) -> str:
    """A CSV beside a list, in whose folder relative paths count."""
    return f"{os.path.splitext(name)[0]}-{what}.csv"


def literal(text: str) -> str:
    """A Python literal that stands well between the single quotes of a shell."""
    return f'"{text}"' if '"' not in text and "\\" not in text else repr(text)
