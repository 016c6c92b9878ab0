"""Names of images as URLs have them, `a%20b.jpg`, in a list whose files are called `a b.jpg`.

They are not decoded on reading: a file may have a `%` in its name, and the list may mean that one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.image_paths import path_of
from tfrecordcli.sources.pandas_commands import literal, python_command
from tfrecordcli.sources.sample import Sample
from tfrecordcli.storage.uris import scheme_of

# Decodes a name that is no file, where the decoded one is.
_DECODE = (
    "import csv, json, os; from urllib.parse import unquote as u; "
    "f = lambda p: os.path.isfile(os.path.join({root}, p)); "
    "d = lambda p: u(p) if not f(p) and f(u(p)) else p; "
)
_OF_ROWS = (
    'r = csv.reader(open({name}, newline="", encoding="utf-8-sig"), delimiter={delimiter}, '
    "skipinitialspace=True); "
    'csv.writer(open({made}, "x", newline="", encoding="utf-8"), delimiter={delimiter})'
    ".writerows(map(d, each) for each in r)"
)
_OF_JSON = (
    "h = lambda o: {{k: d(v) if isinstance(v, str) else v for k, v in o.items()}}; "
    'json.dump(json.load(open({name}, "rb"), object_hook=h), open({made}, "x"))'
)


def told_names_of_urls(sample: Sample, rows: RowFile, uris: Iterable[str], root: str) -> Iterator[str]:
    """That files are called like such names decoded, with the command that writes them so where there is one.

    Args:
      uris: of the first rows.
      root: absolute folder or URL that relative ones are relative to.
    """
    mapped = [(uri, rows.reading.paths.apply(uri)) for uri in uris if "%" in uri]
    found = [(uri, path) for uri, path in mapped if not scheme_of(path) and _is_decoded(path, root)]
    if found:
        uri, path = found[0]
        command = _command(sample, rows, root) if uri == path else ""
        what = f"{path} is not there, but {unquote(path)} is: the list has names as URLs have them"
        yield f"{what}; write each as its file is called{': ' * bool(command)}{command}"


def _is_decoded(uri: str, root: str) -> bool:
    paths = path_of(uri, root), path_of(unquote(uri), root)
    return all(paths) and not os.path.isfile(paths[0]) and os.path.isfile(paths[1])


def _command(sample: Sample, rows: RowFile, root: str) -> str:
    """The command; empty where the names are in no CSV or JSON file, or in JSON Lines."""
    stem, extension = os.path.splitext(rows.name)
    is_json = extension.lower() == ".json"
    if rows.is_spooled != is_json or (is_json and _is_of_lines(rows.name)):
        return ""
    made = f"{stem}-decoded{extension}"
    code = (_DECODE + (_OF_JSON if is_json else _OF_ROWS)).format(
        root=literal(root),
        name=literal(rows.name),
        made=literal(made),
        delimiter=json.dumps(sample.shape.delimiter),
    )
    command = python_command(code, rows.name)
    return f"{command}; then the same command with {command_line([as_path(made)])}" if command else ""


def _is_of_lines(name: str) -> bool:
    """Whether a JSON file has a value in a line and more behind it, which `json.load` does not read."""
    with open(name, "rb") as file:
        lines = filter(bytes.strip, file)
        first, more = next(lines, b""), next(lines, b"")
    if not more:
        return False
    try:
        json.loads(first)
    except ValueError:
        return False
    return True
