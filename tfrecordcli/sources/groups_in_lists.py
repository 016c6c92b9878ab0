"""Images of a list that belong into one split, by their names: copies, eyes of a patient, frames."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from tfrecordcli.schema import IMAGE_FILENAME
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.folders.augmented_copies import GROUP, MORE, PREVENTING, copies_told
from tfrecordcli.sources.groups_in_columns import group_column_note
from tfrecordcli.sources.names_alike import Alike, names_alike
from tfrecordcli.sources.pandas_commands import changed, literal, python_command
from tfrecordcli.sources.sample import Sample, sample_of
from tfrecordcli.sources.text_encoding import is_utf_8
from tfrecordcli.split_words import UNASSIGNED

_LOOKED_AT: Final = 10_000  # rows
_HEAD: Final = 1_048_576  # characters of JSON
_PATHS: Final = 10  # by which a key of JSON is told
# What Roboflow writes behind the name of an image: `frame_3_jpg.rf.0c1f…e2.jpg`.
_OF_ROBOFLOW: Final = r"_[A-Za-z]+[.]rf[.][0-9A-Za-z]+[.][A-Za-z]+"
_ENDING: Final = "[.][^./]*$"
_COCO: Final = re.compile(r'"images"\s*:\s*\[')
_BETWEEN: Final = re.compile(r"[\s,]*")
# What adds a group to each image `d` of JSON; a file that stands is whole.
_IN_JSON: Final = (
    "import json, re; t = {load}; "
    "[d.update({group}) for d in t{images} if isinstance(d, dict) and isinstance(d.get({key}), str)]; "
    's = {dump}; open({target}, "x").write(s)'
)
_LINES: Final = ("[json.loads(v) for v in {file} if v.strip()]", '"".join(json.dumps(v) + "\\n" for v in t)')
_WHOLE: Final = ("json.load({file})", "json.dumps(t)")


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

    def way(self, what: str, replaced: Sequence[str]) -> str:
        """The command that writes groups, and the option that keeps them; empty where there is none.

        Args:
          what: the groups are.
          replaced: patterns of what is left out of a path, one after the other.
        """
        if self.files:
            return ""
        if self.rows.is_spooled:
            return _in_json(self.rows, [*islice(self.labels, _PATHS)], what, replaced)
        changes = "".join(f'.str.replace({_raw(each)}, "", regex=True)' for each in replaced)
        return _in_table(self.rows, what, changes)


def _copies(images: _Images) -> str:
    """That there are copies beside their images."""
    told = copies_told(images.labels)
    if not told:
        return ""
    way = images.way("what each image is made of", (_ENDING, MORE))
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
    way = images.way("the beginnings of their names", [pattern])
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
    group, encoding = _name_beside(names or shape.header), rows.options.encoding
    change = f"t[{literal(group)}] = t[{literal(image)}].str.strip(){replaced}; t"
    command = changed(rows.name, shape.delimiter, change, "groups", names=names, encoding=encoding)
    return command and f"write {what} into a column: {command}, and {_then(group, encoding)}"


def _name_beside(others: Iterable[str]) -> str:
    """What the groups are called beside other columns or keys."""
    used = {name.lower() for name in others}
    return next(
        name for name in (GROUP, *(f"{GROUP}_{i}" for i in range(2, len(used) + 3))) if name not in used
    )


def _then(group: str, encoding: str) -> str:
    return f"convert that with --split-by {group}{'' if is_utf_8(encoding) else ' and without --encoding'}"


def _plain_names(sample: Sample) -> tuple[str, ...]:
    """What the columns of a list without a header are, where each row is an image and a label; else none."""
    uris = [uri for _, uri, _ in sample.words]
    plain = ("split", "image", "label")
    found = (plain[place:] for place in (0, 1) if [*map(len, sample.table)] == [3 - place] * len(uris))
    return next((names for names in found if [row[-2] for row in sample.table] == uris), ())


def _in_json(rows: RowFile, paths: Sequence[str], what: str, replaced: Sequence[str]) -> str:
    """The same for JSON; empty where it is not certain that a key of each image holds its path.

    Args:
      paths: of the first images.
    """
    name, encoding = rows.name, rows.encoding_of_origin
    if not os.path.isfile(name):
        return ""
    read = "utf-8-sig" if is_utf_8(encoding) else encoding
    with open(name, encoding=read, errors="replace") as file:
        head = file.read(_HEAD).strip()
    first, _, others = head.partition("\n")
    are_lines = bool(others) and _is_object(first)
    begin = re.match(r"\[", head) or _COCO.search(head)
    if not are_lines and begin is None:
        return ""
    objects = [*_objects_in(head, 0 if are_lines or begin is None else begin.end())]
    key = _key_of(paths, objects)
    if key is None:
        return ""
    group, (load, dump) = (
        _name_beside({other for each in objects for other in each}),
        _LINES if are_lines else _WHOLE,
    )
    path = f"d[{literal(key)}]"
    for each in replaced:
        path = f're.sub({_raw(each)}, "", {path})'
    stem, ending = os.path.splitext(name)
    target = f"{stem}-groups{ending}"
    code = _IN_JSON.format(
        load=load.format(file=f"open({literal(name)}, encoding={literal(read)})"),
        group=f"{{{literal(group)}: {path}}}",
        images="" if are_lines or head.startswith("[") else '["images"]',
        key=literal(key),
        dump=dump,
        target=literal(target),
    )
    command = python_command(code, name)
    return command and f"write {what} into {target}: {command}, and {_then(group, encoding)}"


def _objects_in(text: str, place: int) -> Iterator[dict[str, Any]]:
    """The objects from a place on, one behind the other, up to what is no whole one."""
    decoder = json.JSONDecoder()
    while match := _BETWEEN.match(text, place):
        try:
            value, place = decoder.raw_decode(text, match.end())
        except ValueError:
            return
        if isinstance(value, dict):
            yield value


def _key_of(paths: Sequence[str], objects: Sequence[dict[str, Any]]) -> str | None:
    """The key that holds these paths, the first one the earliest; None: none holds all of them."""
    first: dict[str, int] = {}
    values: dict[str, set[str]] = {}
    for place, each in enumerate(objects):
        for key, value in each.items():
            if isinstance(value, str):
                values.setdefault(key, set()).add(value)
                if value == paths[0]:
                    first.setdefault(key, place)
    return min((key for key in first if values[key].issuperset(paths)), key=first.__getitem__, default=None)


def _raw(pattern: str) -> str:
    return f'r"{pattern}"'


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False
