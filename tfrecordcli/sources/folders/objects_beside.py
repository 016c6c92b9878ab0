"""Objects with boxes in the JSON file of each image, in an array or each under a key of its own.

`{"source": "shop", "item1": {"bounding_box": [8, 4, 40, 20], "category_name": "skirt"}}`, as DeepFashion2.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tfrecordcli.sources.boxes.object_forms import BoxForm, form_of
from tfrecordcli.sources.pandas_commands import literal

_FIELDS: Final = "(t if isinstance(t, dict) else dict())"  # a file may hold `[]`, for nothing
_PLAIN: Final = "not isinstance(v, (dict, list))"


def objects_code(fields: Mapping[str, Any]) -> str:
    """Python for the objects of ``t``, such fields, as JSON Lines have them; empty where none has a box.

    Args:
      fields: of the file of one image.
    """
    for key, value in fields.items():
        objects = [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
        if objects and len(objects) == len(value) and (form := _form_of(objects)):
            return _made(form, f"{_FIELDS}.get({literal(key)}) or []")
    apart = [value for value in fields.values() if isinstance(value, dict)]
    if apart and (form := _form_of(apart)):
        keys = ", ".join(map(literal, form.of_box))
        return _made(form, f"{_FIELDS}.values() if isinstance(b, dict) and {{{keys}}} <= {{*b}}")
    return ""


def _form_of(objects: Sequence[Any]) -> BoxForm | None:
    """The only form that their boxes have; None: they have none, or it is not certain."""
    form = form_of(objects, are_called=False)
    is_certain = form is not None and form.kind != "array" and len(form.forms) == 1 and bool(form.label)
    return form if is_certain else None


def _made(form: BoxForm, objects: str) -> str:
    names = json.dumps([*form.of_box, form.label])
    return (
        f"[dict({{k: v for k, v in b.items() if k not in {names} and {_PLAIN}}}, "
        f"label=b.get({literal(form.label)}), {form.key}={form.code(form.forms[0])}) for b in {objects}]"
    )
