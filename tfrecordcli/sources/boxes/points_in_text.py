"""Outlines in a field as objects of points: `{"type": "polygon", "data": [{"x": 0.3, "y": 0.4}, …]}`."""

from __future__ import annotations

import ast
import json
from typing import Final

from tfrecordcli.sources.pandas_commands import changed, literal

_LEAST: Final = 3  # points of an outline
_OF_BOX: Final = 4  # keys that an object has of a box, and not of a point
# Python that finds the outlines in a value, in the single quotes of a shell.
_FIND: Final = (
    "g = lambda v: [v] if isinstance(v, list) and len(v) > 2 and all("
    'isinstance(p, dict) and {"x", "y"} <= {*p} and len(p) < 4 for p in v) else '
    "[s for o in (v.values() if isinstance(v, dict) else v if isinstance(v, list) else []) "
    "for s in g(o)]; "
)


def holds_outlines(field: str) -> bool:
    """Whether a field is an object or array, of JSON or Python, with outlines of three points or more."""
    return _loader(field) != ""


def around_points(column: str, field: str, name: str, delimiter: str) -> str:
    """A hint with the command that writes the rectangle around each outline, a row each.

    Args:
      column: that holds them.
      field: one of its fields, for which `holds_outlines`.
      name, delimiter: of the list.
    """
    loader = _loader(field)
    change = (
        f"{_FIND}c = {literal(column)}; "
        f"t[c] = [g({loader}(s)) if s.strip() else [] for s in t[c]]; t = t.explode(c, ignore_index=True); "
        "o = ((min, 0), (min, 1), (max, 0), (max, 1)); "
        't["xmin ymin xmax ymax".split()] = [[f(float(p["xy"[k]]) for p in s) if isinstance(s, list) else "" '
        "for f, k in o] for s in t.pop(c)]; t"
    )
    modules = f"{loader.partition('.')[0]}, pandas as pd"
    command = changed(name, delimiter, change, "boxes", modules=modules)
    return f"write the rectangle around each{': ' * bool(command)}{command}"


def _loader(field: str) -> str:
    """The function of Python that reads such a field; empty: it is none."""
    for loads, call in ((json.loads, "json.loads"), (ast.literal_eval, "ast.literal_eval")):
        try:
            value = loads(field)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        return call if _outlines(value) else ""
    return ""


def _outlines(value: object) -> bool:
    """Whether a value is an outline, or holds one."""
    if isinstance(value, dict):
        return any(map(_outlines, value.values()))
    if not isinstance(value, list):
        return False
    is_outline = len(value) >= _LEAST and all(
        isinstance(p, dict) and {"x", "y"} <= {*p} and len(p) < _OF_BOX for p in value
    )
    return is_outline or any(map(_outlines, value))
