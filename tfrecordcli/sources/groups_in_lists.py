"""Images of a list that belong into one split, by their names: copies, eyes of a patient, frames."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from itertools import islice
from typing import Final

from tfrecordcli.schema import IMAGE_FILENAME
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.folders.augmented_copies import GROUP, MORE, PREVENTING, copies_told
from tfrecordcli.sources.groups_in_columns import group_column_note
from tfrecordcli.sources.names_alike import Alike, names_alike
from tfrecordcli.sources.pandas_commands import changed, literal, python_command
from tfrecordcli.sources.sample import Sample, sample_of
from tfrecordcli.split_words import UNASSIGNED

_LOOKED_AT: Final = 10_000  # rows
_HEAD: Final = 65_536  # characters of JSON
# What Roboflow writes behind the name of an image: `frame_3_jpg.rf.0c1f…e2.jpg`.
_OF_ROBOFLOW: Final = r"_[A-Za-z]+[.]rf[.][0-9A-Za-z]+[.][A-Za-z]+"
_ENDING: Final = "[.][^./]*$"
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
    images = _Images(rows)
    return _copies(images) or _alike(images)


class _Images:
    """The first images of a list that name no split, by what they are called.

    Attributes:
      rows: the list.
      labels: of each image.
      files: of each record of TFRecords, by its name, those that it is in; else none.
    """

    def __init__(self, rows: RowFile) -> None:
        self.rows = rows
        self.labels: dict[str, set[str]] = {}
        self.files: dict[str, set[str]] = {}
        are_records = [each.key for each in rows.features][:1] == [IMAGE_FILENAME]
        for row in islice(rows.read()[1], _LOOKED_AT):
            name = row.told_uri
            if are_records:  # whose paths are numbers in files
                name = row.extras[0].removesuffix(".tfrecord") if row.extras else ""
                self.files.setdefault(name, set()).add(row.image_uri.rpartition("#")[0])
            if row.split == UNASSIGNED and name:
                self.labels.setdefault(name, set()).update(row.labels)

    def way(self, uri: str, what: str, replaced: Sequence[str]) -> str:
        """The command that writes groups, and the option that keeps them; empty where there is none.

        Args:
          uri: an image of the list.
          what: the groups are.
          replaced: patterns of what is left out of a path, one after the other.
        """
        if self.files:
            return ""
        if self.rows.is_spooled:
            return _in_json(self.rows.name, uri, what, replaced)
        changes = "".join(f'.str.replace({_raw(each)}, "", regex=True)' for each in replaced)
        return _in_table(self.rows, what, changes)


def _copies(images: _Images) -> str:
    """That there are copies beside their images."""
    told = copies_told(images.labels)
    if not told:
        return ""
    way = images.way(next(iter(images.labels)), "what each is made of", (_ENDING, MORE))
    return f"{told}: {way or PREVENTING}"


def _alike(images: _Images) -> str:
    """That names begin alike, where no column tells of groups."""
    labels = images.labels
    behind = _OF_ROBOFLOW if all(map(re.compile(f"{_OF_ROBOFLOW}$").search, labels)) else ""
    paths = {re.sub(f"{behind}$", "", path): path for path in labels}
    found = names_alike({name: labels[path] for name, path in paths.items()})
    if found is None or group_column_note(images.rows):
        return ""
    pattern = f"{found.pattern.removesuffix('$')}{behind}$"
    way = images.way(paths[found.groups[0][0]], "their begins", [pattern])
    return f"{found.told}: {way or _of_files(images, found) or PREVENTING}"


def _of_files(images: _Images, found: Alike) -> str:
    """How whole files of TFRecords are given, where each group is in one, as a drive of Waymo's; or empty."""
    of_groups = [set().union(*(images.files.get(name, ()) for name in group)) for group in found.groups]
    if any(len(each) != 1 for each in of_groups):
        return ""
    name = images.rows.name
    folder = name if os.path.isdir(name) else os.path.dirname(name)
    first, second = (as_path(os.path.join(folder, min(each))) for each in of_groups[:2])
    command = command_line(["tfrec", "convert", f"train={first}", f"validation={second}"])
    return (
        "put the files into folders called train and validation, or give each by its split, "
        f"as in {command} … OUTPUT_DIR"
    )


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


def _in_json(name: str, uri: str, what: str, replaced: Sequence[str]) -> str:
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
    path = f"d[{literal(key[1])}]"
    for each in replaced:
        path = f're.sub({_raw(each)}, "", {path})'
    group = f'"{GROUP}": {path}'
    images = "" if head.startswith("[") else '["images"]'
    made = code.format(name=literal(name), target=literal(target), group=group, images=images)
    command = python_command(f"import json, re; {made}", name)
    return command and f"write {what} into {target}: {command}, and {_BY_OPTION}"


def _raw(pattern: str) -> str:
    return f'r"{pattern}"'


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False
