"""Images of a list that belong into one split, by their names: copies, eyes of a patient, frames."""

from __future__ import annotations

import json
import os
import re
from itertools import islice
from typing import Final

from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.folders.augmented_copies import GROUP, MORE, PREVENTING, copies_told
from tfrecordcli.sources.groups_in_columns import group_column_note
from tfrecordcli.sources.names_alike import names_alike
from tfrecordcli.sources.pandas_commands import changed, literal, python_command
from tfrecordcli.sources.sample import Sample, sample_of
from tfrecordcli.split_words import UNASSIGNED

_LOOKED_AT: Final = 10_000  # rows
_HEAD: Final = 65_536  # characters of JSON
_BY_OPTION: Final = f"convert that with --split-by {GROUP}"
_COCO: Final = re.compile(r'"images"\s*:\s*\[')
_IN_LINES: Final = (
    'open({target}, "x").writelines(json.dumps({{**d, {group}}}) + "\\n" '
    'for d in map(json.loads, filter(str.strip, open({name}, encoding="utf-8-sig"))))'
)
# What adds a group to each image `d` of JSON whose begin is so.
_IN_JSON: Final = (
    't = json.load(open({name}, encoding="utf-8-sig")); [d.update({{{group}}}) for d in t{images}]; '
    'json.dump(t, open({target}, "x"))'
)


def listed_groups_doubt(rows: RowFile) -> str:
    """What to know of images that are assigned to splits one by one; empty where names tell no groups.

    Args:
      rows: of a list of images that gives no `--split-by`.
    """
    return "" if rows.is_listing else _copies(rows) or _alike(rows)


def _copies(rows: RowFile) -> str:
    """That there are copies beside their images."""
    if rows.is_spooled:
        return ""
    told = copies_told(dict.fromkeys(uri for _, uri, _ in sample_of(rows).words if uri))
    stems = f'.str.replace(r"[.][^./]*$", "", regex=True).str.replace({literal(MORE)}, "", regex=True)'
    return told and f"{told}: {_in_table(rows, 'what each is made of', stems) or PREVENTING}"


def _alike(rows: RowFile) -> str:
    """That names begin alike, where no column tells of groups."""
    labels: dict[str, set[str]] = {}
    for row in islice(rows.read()[1], _LOOKED_AT):
        if row.split == UNASSIGNED and row.told_uri:
            labels.setdefault(row.told_uri, set()).update(row.labels)
    found = names_alike(labels)
    if found is None or group_column_note(rows):
        return ""
    if rows.is_spooled:
        how = _in_json(rows.name, found.groups[0][0], found.pattern)
    else:
        how = _in_table(rows, "their begins", f'.str.replace(r"{found.pattern}", "", regex=True)')
    return f"{found.told}: {how or PREVENTING}"


def _in_table(rows: RowFile, what: str, replaced: str) -> str:
    """The command that writes a column of groups; empty for a list of other columns without a header.

    Args:
      what: the groups are.
      replaced: Python that makes them of the column of images.
    """
    shape = rows.shape()
    names = () if shape.header else _plain_names(sample_of(rows))
    image = names[-2] if names else shape.header[shape.image] if shape.image is not None else None
    if image is None:
        return ""
    change = f't["{GROUP}"] = t[{literal(image)}]{replaced}; t'
    command = changed(rows.name, shape.delimiter, change, "groups", names=names)
    return command and f"write {what}: {command}, and {_BY_OPTION}"


def _plain_names(sample: Sample) -> tuple[str, ...]:
    """What the columns of a list without a header are, where each row is an image and a label; else none."""
    uris = [uri for _, uri, _ in sample.words]
    plain = ("split", "image", "label")
    found = (plain[place:] for place in (0, 1) if [*map(len, sample.table)] == [3 - place] * len(uris))
    return next((names for names in found if [row[-2] for row in sample.table] == uris), ())


def _in_json(name: str, uri: str, pattern: str) -> str:
    """The same for JSON; empty where it is not certain that a key of each image holds its path."""
    if not os.path.isfile(name):
        return ""
    with open(name, encoding="utf-8-sig", errors="replace") as file:
        head = file.read(_HEAD).strip()
    key = re.search(rf'"([^"\\]+)"\s*:\s*{re.escape(json.dumps(uri))}', head)
    is_line = head.startswith("{") and _COCO.search(head) is None
    code = _IN_LINES if is_line else _IN_JSON
    if key is None or (is_line and not _is_object(head.partition("\n")[0])):
        return ""
    stem, ending = os.path.splitext(name)
    target = f"{stem}-groups{ending}"
    group = f'"{GROUP}": re.sub(r"{pattern}", "", d[{literal(key[1])}])'
    images = "" if head.startswith("[") else '["images"]'
    made = code.format(name=literal(name), target=literal(target), group=group, images=images)
    command = python_command(f"import json, re; {made}", name)
    return command and f"write their begins into {target}: {command}, and {_BY_OPTION}"


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False
