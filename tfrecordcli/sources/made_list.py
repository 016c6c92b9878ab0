"""Commands that make a list which is read of one that is not, as hints have them."""

from __future__ import annotations

import codecs
import contextlib
import json
import os
import re
import shlex
from collections.abc import Iterator, Sequence
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.lone_quotes import has_lone_quotes
from tfrecordcli.sources.text_encoding import is_utf_8
from tfrecordcli.storage.uris import is_remote

# Where the list is no file for a command to begin with, such as standard input.
SAVE: Final = "save it in a file, then convert that: the message then has a command that makes "
AS_CSV: Final = SAVE + "a CSV of it"
MADE_OF_FOLDER: Final = "list.csv"  # in the folder
AS_LINES: Final = SAVE + "JSON Lines of it"
_READ: Final = "index_col=False"  # at the end of what commands read with
# What reads rows in `_reader`, by their delimiter.
_QUOTED: Final = re.compile(
    r'(csv\.reader\(sys\.stdin, delimiter="([^"]+)", skipinitialspace=True, )strict=True'
)
_OPTIONS: Final = re.compile(r"(?:; --[^;']*)+$")


def as_commas(delimiter: str) -> str:
    """The command for `made_by` that writes rows with commas between their fields, which may hold some."""
    if delimiter == ",":
        return "cat {name}"
    return _python(f'csv.writer(sys.stdout, lineterminator="\\n").writerows({_reader(delimiter)})')


def rows_by(code: str, delimiter: str, written: str = ",") -> str:
    """The command for `made_by` that runs Python: ``r`` are the rows, ``w`` writes those of the CSV.

    Args:
      code: in which these are used.
      delimiter: of the rows.
      written: that of the CSV, where the user says what parts the fields of all lists.
    """
    parted = "" if written == "," else f", delimiter={json.dumps(written)}"
    return _python(
        f'r = {_reader(delimiter)}; w = csv.writer(sys.stdout{parted}, lineterminator="\\n"); {code}'
    )


def as_words(names: Sequence[str], delimiter: str, name: str) -> str:
    """A hint with the command that makes a CSV whose last column holds all that is left of each row.

    Args:
      names: of the columns.
      delimiter, name: of the list.
    """
    last = len(names) - 1
    code = f'w.writerows([*f[:{last}], " ".join(filter(None, f[{last}:]))] for f in r if f)'
    return made_by(",".join(names), rows_by(code, delimiter), name)


def _reader(delimiter: str) -> str:
    return f"csv.reader(sys.stdin, delimiter={json.dumps(delimiter)}, skipinitialspace=True, strict=True)"


def _python(code: str) -> str:
    # Latin-1 keeps the bytes of every encoding.
    whole = (
        'import csv, sys; [f.reconfigure(encoding="latin-1", newline="") for f in (sys.stdin, sys.stdout)]; '
        f"{code}"
    )
    return f"python -c {shlex.quote(whole).replace('{', '{{').replace('}', '}}')} < {{name}}"


def made_by(header: str, command: str, name: str, *, as_lines: bool = False) -> str:
    """A hint with a command that makes a CSV beside a file.

    Args:
      header: of the CSV; empty: the command writes it.
      command: that writes the rows; ``{name}`` stands for the file.
      name: of the file.
      as_lines: whether these are JSON Lines and no CSV.
    """
    if not os.path.isfile(name):
        return AS_LINES if as_lines else AS_CSV
    command = _without_mark(command) if header and _has_mark(name) else command
    reads = _QUOTED.search(command)
    if reads and has_lone_quotes(name, json.loads(f'"{reads[2]}"')):
        command = _QUOTED.sub(r"\1quoting=csv.QUOTE_NONE", command)
    rows = command.format(name=shlex.quote(as_path(name)))
    target = shlex.quote(as_path(made_path(name, as_lines=as_lines)))
    whole = f"(echo {header}; {rows})" if header else rows
    return f"make {'JSON Lines' if as_lines else 'a CSV'} of it: {whole} > {target}"


def then_converted(name: str, options: str = "", *, as_lines: bool = False) -> str:
    """What comes next, behind a hint of `made_by`; empty where that has no command.

    Args:
      name, as_lines: as `made_by` was given them.
      options: that the list needs, for a shell.
    """
    if not os.path.isfile(name):
        return ""
    target = shlex.quote(as_path(made_path(name, as_lines=as_lines)))
    return f"; then: tfrec convert {target} OUTPUT_DIR{options and f' {options}'}"


def _has_mark(name: str) -> bool:
    """Whether a file begins with UTF-8's mark, as of Excel: behind a header it would be part of a name."""
    with open(name, "rb") as file:
        return file.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8


def _without_mark(command: str) -> str:
    """The same command for such a file, where it copies rows or reads them from standard input."""
    bare = f"tail -c +{len(codecs.BOM_UTF8) + 1} {{name}}"
    if command == "cat {name}":
        return bare
    reads = command.removesuffix(" < {name}")
    return command if reads == command else f"{bare} | {reads}"


def made_path(name: str, *, as_lines: bool = False) -> str:
    """The file beside another one that such a command makes of it."""
    return f"{os.path.splitext(name)[0]}-as-{'lines.jsonl' if as_lines else 'csv.csv'}"


def made_of_folder(what: str, code: str, root: str) -> str:
    """A hint with the command that makes a list of a local folder, in it; empty for one on a store.

    Args:
      what: it is a list of.
      code: Python that writes the CSV; it is given the folder.
      root: the folder.
    """
    if is_remote(root):
        return ""
    target = shlex.quote(as_path(os.path.join(root, MADE_OF_FOLDER)))
    command = into(command_line(["python", "-c", code, as_path(root)]), target)
    return f"make a list of its {what}: {command}; then: tfrec convert {target} OUTPUT_DIR"


def into(command: str, target: str) -> str:
    """The command that writes what this one does to a file, which stands only once it is whole.

    Args:
      target: the file, quoted for a shell.
    """
    return f"{command} > {target}.part && mv {target}.part {target}"


@contextlib.contextmanager
def recoding_first(name: str, encoding: str) -> Iterator[None]:
    """In the place of a hint whose command would misread a list, gives one that reads it, or recodes it.

    Args:
      name: of the list.
      encoding: its own.

    Raises:
      InputError: as it came, but for the hint.
    """
    try:
        yield
    except InputError as error:
        is_of_list = error.message.startswith(f"{name}: ") and os.path.isfile(name)
        if not is_of_list or not _misreads(error.hint, encoding):
            raise
        if reading := _reading(error.hint, encoding):
            raise InputError(error.message, reading) from error
        stem, ending = os.path.splitext(as_path(name))
        code = (
            f'import sys; t = open(sys.argv[1], encoding="{encoding}", newline="").read(); '
            'open(sys.argv[2], "x", encoding="utf-8", newline="").write(t)'
        )
        target = f"{stem}-utf-8{ending}"
        command = command_line(["python", "-c", code, as_path(name), target])
        raise InputError(
            error.message,
            f"write it as UTF-8 first, which commands read: {command}; then without --encoding: "
            f"{command_line(['tfrec', 'convert', target])} OUTPUT_DIR{_options_in(error.hint)}",
        ) from error


def _reading(hint: str, encoding: str) -> str:
    """The same hint for a list of this encoding, where all of its commands read with pandas; else empty."""
    counts = {hint.count(each) for each in ("python -c", "pd.read_csv(", _READ)}
    if len(counts) > 1 or " > " in hint or codecs.lookup(encoding).name.startswith(("utf-16", "utf-32")):
        return ""
    read = hint.replace(_READ, f'{_READ}, encoding="{encoding}"')
    return f"{read}; what that writes is UTF-8, to be converted without --encoding"


def _options_in(hint: str) -> str:
    """What a hint proposes in place of its command: options behind it, which read the list as it is."""
    found = _OPTIONS.search(hint)
    return found[0] if found else ""


def _misreads(hint: str, encoding: str) -> bool:
    """Whether a hint has a command that takes text of another encoding for UTF-8, or for ASCII and more."""
    if codecs.lookup(encoding).name.startswith(("utf-16", "utf-32")):
        return " > " in hint or "python -c" in hint
    return "pd.read_csv(" in hint and not is_utf_8(encoding)
