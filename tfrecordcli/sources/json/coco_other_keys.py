"""Relatives of COCO whose images name their files under another key: the command that makes COCO."""

from __future__ import annotations

import os
from typing import Any

from tfrecordcli.errors import InputError
from tfrecordcli.sources.column_words import IMAGE_EXTENSION
from tfrecordcli.sources.pandas_commands import literal, python_command


def key_of_names(image: dict[str, Any]) -> str:
    """The only key of an image that has the name of a file; empty where there is none, or several."""
    found = [key for key, value in image.items() if isinstance(value, str) and IMAGE_EXTENSION.search(value)]
    return found[0] if len(found) == 1 else ""


def names_elsewhere(key: str, name: str) -> InputError:
    """The refusal of such a file, with the command.

    Without categories, these are the one array of objects with an id that annotations have, too, and with a
    name: `persons` with `person_id` and `person_name`.

    Args:
      key: that has the names of files.
      name: of the file.
    """
    target = f"{os.path.splitext(name)[0]}-as-coco.json"
    code = (
        f'import json; t = json.load(open({literal(name)}, "rb")); A = t.get("annotations") or []; '
        f'[i.update(file_name=i.get({literal(key)})) for i in t["images"]]; '
        "C = [(k, n, v) for v in t.values() if isinstance(v, list) and v and isinstance(v[0], dict) "
        'for k in v[0] if k.endswith("_id") and k != "image_id" and v is not A and A and k in A[0] '
        'for n in v[0] if n.endswith("name")] if "categories" not in t else []; '
        "[(t.update(categories=[dict(id=c[k], name=c[n]) for c in v]), "
        "[a.update(category_id=a.get(k)) for a in A]) for k, n, v in C[:1] if len(C) == 1]; "
        f'json.dump(t, open({literal(target)}, "x"))'
    )
    command = python_command(code, name)
    hint = f"make COCO of it: {command}" if command else "call that key file_name"
    return InputError(f"{name}: no image has a file_name, by which COCO names files; {key} has names", hint)
