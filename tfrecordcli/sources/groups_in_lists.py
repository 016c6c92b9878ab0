"""Images of a list that belong into one split, by their names: copies, eyes of a patient, frames."""

from __future__ import annotations

import json
import os
import re
from itertools import islice
from typing import Final

from tfrecordcli.schema import IMAGE_FILENAME
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.folders.augmented_copies import GROUP, MORE, PREVENTING, copies_told
from tfrecordcli.sources.groups_in_columns import group_column_note
from tfrecordcli.sources.names_alike import names_alike
from tfrecordcli.sources.pandas_commands import changed, literal, python_command
from tfrecordcli.sources.sample import Sample, sample_of
from tfrecordcli.split_words import UNASSIGNED

_LOOKED_AT: Final = 10_000  # rows
_HEAD: Final = 65_536  # characters of JSON
# What Roboflow writes behind the name of an image: `frame_3_jpg.rf.0c1f…e2.jpg`.
_OF_ROBOFLOW: Final = r"_[A-Za-z]+[.]rf[.][0-9A-Za-z]+[.][A-Za-z]+"
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
    if rows.is_listing:
        return ""
    return _copies(rows) or (_in_records(rows) if _is_of_records(rows) else _alike(rows))


def _is_of_records(rows: RowFile) -> bool:
    """Whether these are records of TFRecords, whose paths are numbers in files."""
    return [each.key for each in rows.features][:1] == [IMAGE_FILENAME]


def _in_records(rows: RowFile) -> str:
    """That names in records begin alike; where those of each file do, as Waymo's, files can be given."""
    labels: dict[str, set[str]] = {}
    files: dict[str, set[str]] = {}
    for row in islice(rows.read()[1], _LOOKED_AT):
        name = row.extras[0].removesuffix(".tfrecord") if row.extras else ""
        if row.split == UNASSIGNED and name:
            labels.setdefault(name, set()).update(row.labels)
            files.setdefault(name, set()).add(row.image_uri.rpartition("#")[0])
    found = names_alike(labels)
    if found is None or group_column_note(rows):
        return ""
    of_groups = [set().union(*(files[name] for name in group)) for group in found.groups]
    if any(len(each) > 1 for each in of_groups):
        return f"{found.told}: {PREVENTING}"
    folder = rows.name if os.path.isdir(rows.name) else os.path.dirname(rows.name)
    first, second = (as_path(os.path.join(folder, min(each))) for each in of_groups[:2])
    command = command_line(["tfrec", "convert", f"train={first}", f"validation={second}"])
    return (
        f"{found.told}: put the files into folders called train and validation, or give each by its split, "
        f"as in {command} … OUTPUT_DIR"
    )


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
    behind = _OF_ROBOFLOW if all(map(re.compile(f"{_OF_ROBOFLOW}$").search, labels)) else ""
    paths = {re.sub(f"{behind}$", "", path): path for path in labels}
    found = names_alike({name: labels[path] for name, path in paths.items()})
    if found is None or group_column_note(rows):
        return ""
    pattern = f"{found.pattern.removesuffix('$')}{behind}$"
    if rows.is_spooled:
        how = _in_json(rows.name, paths[found.groups[0][0]], pattern)
    else:
        how = _in_table(rows, "their begins", f'.str.replace(r"{pattern}", "", regex=True)')
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
