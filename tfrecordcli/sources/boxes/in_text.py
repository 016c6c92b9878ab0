"""Fields that hold several boxes, or JSON: what they are, and commands that make a row of each box."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from tfrecordcli.number_patterns import WRITTEN
from tfrecordcli.sources.boxes.words import BOX_ROWS, WHOLE_IMAGES, corner_columns
from tfrecordcli.sources.pandas_commands import changed, literal, with_names

# The begin of a JSON object, or of several in an array, as Label Studio writes boxes into a field.
_OBJECTS: Final = re.compile(r"""\[?\s*\{\s*["'][^"']*["']\s*:""")
_COLUMNS_OF_BOXES: Final = ("label", "xmin", "ymin", "xmax", "ymax")
_NESTED: Final = re.compile(r"[\[(]\s*[\[(]")
# A class before its numbers, none of which begins with a letter: `n01978287`, `U+306F`.
_NAME: Final = "[A-Za-z][A-Za-z0-9_+.-]*"
# As ImageNet has them: `n01978287 85 1 499 272 n01978287 3 4 50 60`.
_FIVES: Final = re.compile(rf"(?:{_NAME}(?: -?[0-9]+(?:\.[0-9]+)?){{4}} ?)+", re.ASCII)
# The same with a confidence behind each label: `opacity 1 78 58 178 258 none 1 0 0 1 1`.
_SIXES: Final = re.compile(rf"(?:{_NAME}(?: -?[0-9]+(?:\.[0-9]+)?){{5}} ?)+", re.ASCII)
_PAIR: Final = rf"[\[(]\s*{WRITTEN}\s*,\s*{WRITTEN}\s*[\])]"
# A label and its box, as Python writes a list of such: `[('cat', (1, 2, 30, 40))]`.
_LABELLED: Final = re.compile(rf"""[\[(]\s*[\[(]\s*(?:'[^']*'|"[^"]*")\s*,\s*[\[(]\s*{WRITTEN}\s*,""")
_OUTLINE: Final = re.compile(rf"[\[(]\s*{_PAIR}(?:\s*,\s*{_PAIR}){{2,}}\s*,?\s*[\])]", re.ASCII)
# What says in an object that it tells of places: a key, or four numbers.
_PLACE: Final = re.compile(
    rf"""["'](?:[a-z_]*(?:box|polygon|coord|geometry|vertices|x_?min|min_?x|center)[a-z_]*"""
    rf"""|points|left|rect[a-z_]*|c?x[01]?)["']"""
    rf"""\s*:|[\[(]\s*{WRITTEN}(?:\s*,\s*{WRITTEN}){{3}}\s*[\])]""",
    re.IGNORECASE | re.ASCII,
)
# Values of a list without commas, as NumPy writes `[[1. 2. 3. 4.]\n [5. 6. 7. 8.]]`, `['cat' 'dog']`.
_VALUE: Final = r"""\[[^][,'"{}]*\]|'[^']*'|"[^"]*"|[^][\s,'"{}()]+(?=[\s\]])"""
_NUMPY: Final = re.compile(rf"\[\s*(?:(?:{_VALUE})\s*)*\]")
# Python that makes a list of such text, or of one with commas; in the single quotes of a shell.
_VALUES_CODE: Final = (
    r'lambda s: [", ".join(re.split(r"[\s,]+", v[1:-1].strip())) if v[0] in "([" else v.strip("\"\x27") '
    r'for v in re.findall(r"[\[(][^])]*[])]|\x27[^\x27]*\x27|\"[^\"]*\"|[^\s,]+", s[1:-1])]'
)
_IN_BRACKETS: Final = re.compile(rf"[\[(]\s*{WRITTEN}(?:[\s,]\s*{WRITTEN}){{3}}\s*[\])]")
_LONGEST_SHOWN: Final = 60
# What the four numbers of a box are, as names of columns and --box-format say it.
_SIDES: Final = ("xmin", "ymin", "xmax", "ymax")
_FORMS: Final = {"xyxy": "xyxy", "yxyx": "yxyx", "cxcywh": "center_xywh", "xywh": "xywh"}


def is_json_object(field: str) -> bool:
    """Whether a field holds an object, or several in an array."""
    return _OBJECTS.match(field) is not None


def is_json_of_boxes(field: str) -> bool:
    """Whether a field holds an object, or several arrays in one."""
    return is_json_object(field) or _NESTED.match(field) is not None


def is_box_in_brackets(field: str) -> bool:
    """Whether a field is four numbers in brackets."""
    return _IN_BRACKETS.fullmatch(field) is not None


def is_list_of_boxes(field: str) -> bool:
    """Whether a field holds several arrays in one, of which one has four numbers."""
    return _NESTED.match(field) is not None and _PLACE.search(field) is not None


def tells_of_boxes(field: str) -> bool:
    """Whether a field in a column of any name holds boxes: objects may be of anything else."""
    return is_json_of_boxes(field) and (not is_json_object(field) or _PLACE.search(field) is not None)


def shown(field: str) -> str:
    """A field for a message."""
    return field if len(field) <= _LONGEST_SHOWN else f"{field[: _LONGEST_SHOWN - 1]}…"


def parted(
    column: str,
    field: str,
    name: str,
    delimiter: str,
    beside_it: Mapping[str, str],
    *,
    as_bbox: bool = False,
) -> str:
    """A hint with the command that makes a row of each box in such fields.

    Args:
      field: one of the column's.
      name, delimiter: of the list.
      beside_it: columns with a value for each box, as `as_many_beside` finds them.
      as_bbox: whether the name of the column is none of boxes: each is written into one called `bbox`.
    """
    loads = "json.loads" if _is_json(field) and not beside_it else "ast.literal_eval"
    module = loads.partition(".")[0]
    read = f'replace("", "[]").map({loads}).map(lambda v: v if isinstance(v, list) else [v])'
    if any(map(_is_numpy, (field, *beside_it.values()))):
        module, read = "re", f"map({_VALUES_CODE})"
    parts, columns = f"t[c] = t[c].{read}", "c"
    if beside_it:
        names = ", ".join(map(literal, (column, *beside_it)))
        parts, columns = f"k = [{names}]; t[k] = t[k].apply(lambda s: s.{read})", "k"
    change = f"c = {literal(column)}; {parts}; t = t.explode({columns}, ignore_index=True); "
    if is_json_object(field):
        change += (
            "b = pd.json_normalize([v if isinstance(v, dict) else {} for v in t.pop(c)]); "
            't = t.rename(columns={k: f"image_{k}" for k in b}).join(b); '
        )
    elif _LABELLED.match(field):
        each = 'v if isinstance(v, (list, tuple)) else ("", "")'
        change += f't["label"], t["bbox"] = zip(*[{each} for v in t.pop(c)]); '
    elif as_bbox:
        change += 't = t.rename(columns={c: "bbox"}); '
    command = changed(name, delimiter, f"{change}t", "boxes", modules=f"{module}, pandas as pd")
    return f"make a row of each box: {command}" if command else BOX_ROWS


def _is_json(field: str) -> bool:
    """Whether a field is JSON of objects, which may have null and true, and not what Python writes."""
    try:
        return is_json_object(field) and bool(json.loads(field))
    except ValueError:
        return False


def _is_numpy(field: str) -> bool:
    """Whether a field is a list as NumPy writes it, and as Python does not."""
    return _NUMPY.fullmatch(field) is not None and _count_of(field) != _python_count(field)


def as_many_beside(header: Sequence[str], rows: Iterable[Sequence[str]], column: str) -> dict[str, str]:
    """The columns whose fields are lists in text with as many values as there are boxes in each row.

    Args:
      rows: fields of the first rows.
      column: that holds the boxes.

    Returns:
      their longest fields by their names.
    """
    whole = [fields for fields in rows if len(fields) == len(header)]
    counts = [_count_of(fields[header.index(column)]) for fields in whole]
    if None in counts or not any(counts):
        return {}
    others = {name: i for i, name in enumerate(header) if header.count(name) == 1 and name != column}
    return {
        name: max((fields[i] for fields in whole), key=len)
        for name, i in others.items()
        if [_count_of(fields[i]) for fields in whole] == counts
    }


def _count_of(field: str) -> int | None:
    """How many values a list has as Python, JSON or NumPy write it; None: the field is none."""
    return len(re.findall(_VALUE, field[1:])) if _NUMPY.fullmatch(field) else _python_count(field)


def _python_count(field: str) -> int | None:
    try:
        value = ast.literal_eval(field or "[]")
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return len(value) if isinstance(value, list) else None


def parted_texts(
    field: str, name: str, delimiter: str, header: Iterable[str], image: str, column: str
) -> str:
    """The same for `LABEL x1 y1 x2 y2 LABEL x1 y1 x2 y2`, as ImageNet and others have it.

    With a confidence behind each label, which is left out, the label `none` stands for no box. The command
    fails at any other text: no box is lost silently. Columns called like those that it writes are renamed.

    Args:
      name, delimiter, header: of the list.
      image, column: names of the columns of images and of such fields.
    """
    has_confidence = _SIXES.fullmatch(field) is not None
    if not has_confidence and _FIVES.fullmatch(field) is None:
        return BOX_ROWS
    box = f"({_NAME}){' -?[0-9.]+' * has_confidence}{' (-?[0-9.]+)' * 4}"
    taken = {"image", *_COLUMNS_OF_BOXES} - {image, column}
    names = {each: f"list_{each}" for each in header if each in taken} | {image: "image"}
    renamed = ", ".join(f"{literal(old)}: {literal(new)}" for old, new in names.items())
    none = ' and v[0] != "none"' if has_confidence else ""
    change = (
        f'c = {literal(column)}; b = "{box}"; s = t.pop(c).str.strip(); '
        'bad = s[~s.str.fullmatch(f"(?:{b} *)*")]; assert bad.empty, f"no boxes: {bad.iloc[0]}"; '
        f't = t.rename(columns={{{renamed}}}); t["label"] = s.str.findall(b); '
        f't = t.explode("label", ignore_index=True); t["{" ".join(_COLUMNS_OF_BOXES)}".split()] = '
        f'[v if isinstance(v, tuple){none} else [""] * 5 for v in t["label"]]; t'
    )
    command = changed(name, delimiter, change, "boxes")
    return f"make a row of each box: {command}" if command else BOX_ROWS


def parted_strings(name: str, delimiter: str, column: str) -> str:
    """The same for `x1 y1 x2 y2;x1 y1 x2 y2`, as Global Wheat has it, with `no_box` where there is none.

    The command fails at any other text: no box is lost silently.
    """
    number = "(-?[0-9.]+)"
    change = (
        f"c = {literal(column)}; "
        't[c] = t[c].replace("no_box", "").str.strip("; ").str.split(";"); '
        "t = t.explode(c, ignore_index=True); s = t.pop(c).str.strip(); "
        f'b = s.str.extract("^{" +".join([number] * 4)}$"); bad = s[b[0].isna() & (s != "")]; '
        'assert bad.empty, f"no four numbers: {bad.iloc[0]}"; '
        't["xmin ymin xmax ymax".split()] = b; t'
    )
    command = changed(name, delimiter, change, "boxes")
    return f"make a row of each box: {command}" if command else BOX_ROWS


def renamed(column: str, name: str, delimiter: str) -> str:
    """A hint with the command that calls the column of boxes of a list `bbox`.

    Args:
      column: whose name may say what its four numbers are: `bbox_xyxy`.
      name, delimiter: of the list.
    """
    form = next((form for form in _FORMS if form in column.lower()), "")
    how = f" with --box-format {_FORMS[form]}" if form else ", with --box-format xyxy where they are corners"
    command = with_names({column: "bbox"}, name, delimiter)
    return f"call that column bbox{': ' * bool(command)}{command}, and convert that{how}"


def is_outline(field: str) -> bool:
    """Whether a field is as `[(10, 20), (30, 20), (30, 40)]`: three points or more."""
    return _OUTLINE.fullmatch(field) is not None


def around_outlines(column: str, name: str, delimiter: str) -> str:
    """A hint with the command that writes the rectangle around each outline; empty ones stay without.

    Args:
      column: that holds outlines as `is_outline` knows them.
      name, delimiter: of the list.
    """
    change = (
        f'p = [list(zip(*ast.literal_eval(s))) if s else [[""], [""]] for s in t.pop({literal(column)})]; '
        't["xmin ymin xmax ymax".split()] = [[min(x), min(y), max(x), max(y)] for x, y in p]; t'
    )
    command = changed(name, delimiter, change, "boxes", modules="ast, pandas as pd")
    return f"write the rectangle around each{': ' * bool(command)}{command}"


def around_corners(header: Sequence[str], name: str, delimiter: str) -> str:
    """A hint with the command that writes the rectangle around the corners in columns `x1`, `y1`, `x2`, …

    Args:
      header: which has such columns.
      name, delimiter: of the list.
    """
    x, y = corner_columns(header)
    command = rectangles_around(x, y, name, delimiter) if x else ""
    return f"write the rectangle around each{': ' * bool(command)}{command}; {WHOLE_IMAGES}"


def rectangles_around(x: Sequence[str], y: Sequence[str], name: str, delimiter: str) -> str:
    """The command that writes the rectangle around the corners in these columns; empty: the list is no file.

    It fails at a corner of which one number is missing.
    """
    pairs = [f"[{', '.join(map(literal, names))}]" for names in (x, y)]
    change = (
        f'x, y = (t[c].replace("", "nan").astype(float) for c in ({pairs[0]}, {pairs[1]})); '
        'assert (x.isna().to_numpy() == y.isna().to_numpy()).all(), "half a corner"; '
        't["xmin ymin xmax ymax".split()] = pd.concat([x.min(axis=1), y.min(axis=1), x.max(axis=1), '
        "y.max(axis=1)], axis=1); t.drop(columns=[*x, *y])"
    )
    return changed(name, delimiter, change, "boxes")
