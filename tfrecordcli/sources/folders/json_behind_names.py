"""JSON files called like their image and a word: `a_features.json` and `a_labels.json` of `a.jpg`."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Collection, Iterable
from typing import Final

from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.folders.json_beside import plain_fields
from tfrecordcli.sources.made_list import into
from tfrecordcli.sources.pandas_commands import literal
from tfrecordcli.units import some_of

_BEHIND: Final = re.compile(r"(.+)([_.-][A-Za-z]\w*)")
_SOME: Final = 2  # images with such a file
_MOST: Final = 5  # files of an image


def json_behind_names_hint(root: str, paths: Iterable[str], endings: Collection[str]) -> str:
    """The command that makes a list of all that such files tell; empty where there are none.

    Args:
      root: the folder.
      paths: of some JSON files in there.
      endings: of the images.
    """
    found: dict[str, dict[str, str]] = {}  # what stands behind the names of images -> image -> file
    for path in paths:
        match = _BEHIND.fullmatch(os.path.splitext(path)[0])
        images = [match[1] + each for each in endings] if match else []
        if match and any(os.path.isfile(os.path.join(root, image)) for image in images):
            found.setdefault(match[2], {})[match[1]] = path
    kinds = [behind for behind, files in found.items() if len(files) >= _SOME]
    if not 0 < len(kinds) <= _MOST:
        return ""
    first = [next(iter(found[behind].values())) for behind in kinds]
    fields = [plain_fields(os.path.join(root, path)) for path in first]
    if not all(fields):
        return ""
    shown = some_of([*dict.fromkeys(key for each in fields for key in each)])
    target = as_path(os.path.join(root, "list.jsonl"))
    command = into(command_line(["python", "-c", _code(kinds, endings), as_path(root)]), shlex.quote(target))
    return (
        f"JSON files are called like each image and {' and '.join(kinds)}, with the keys {shown}: "
        f"make a list of them: {command}; then {command_line(['tfrec', 'convert', target])} OUTPUT_DIR "
        "proposes the key of the label"
    )


def _code(kinds: Iterable[str], endings: Iterable[str]) -> str:
    """Python that writes a line for each image with such files."""
    suffixes = ", ".join(literal(ending) for ending in sorted(endings))
    return (
        "import json, pathlib, sys; r = pathlib.Path(sys.argv[1]); "
        f"n = lambda i: [q for s in {json.dumps([*kinds])} "
        'for q in [i.with_name(f"{i.stem}{s}.json")] if q.is_file()]; '
        '[print(json.dumps({"image": i.relative_to(r).as_posix(), **{k: v for p in n(i) for k, v in '
        'json.loads(p.read_bytes()).items() if k != "image" and not isinstance(v, (dict, list))}})) '
        f'for i in sorted(r.rglob("*")) if i.suffix in ({suffixes},) and n(i)]'
    )
