"""Lists on disk, and DataFrames, as sources: what is no CSV is first written as one.

The readers of JSON are imported where there may be some.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from tfrecordcli.boxes import Unit
from tfrecordcli.errors import InputError
from tfrecordcli.option_definition import changed
from tfrecordcli.options import ABOUT_COLUMNS, ReadOptions
from tfrecordcli.sources.box_columns import BoxFormat
from tfrecordcli.sources.boxes_in_text import lines_as_csv
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.data_frame import frame_table
from tfrecordcli.sources.foreign.lists import need_no_foreign_list
from tfrecordcli.sources.own_list import OwnList, Reader, write_own_list
from tfrecordcli.sources.source import (
    OF_FILES,
    Source,
    finished_source,
    need_format,
    need_images,
    plain_options,
    write_rows,
)
from tfrecordcli.sources.unused_options import unused_by
from tfrecordcli.units import some_of

if TYPE_CHECKING:
    from tfrecordcli.sources.json.kinds import JsonKind

_HEAD = 1 << 14  # bytes by which the kind of a list is told


def source_of_list(path: str, name: str, options: ReadOptions, spool: Path, given: str, root: str) -> Source:
    """A list on disk, whatever its form.

    Args:
      path: where it is.
      name: as messages call it.
      spool: that it is written to in tfrec's own form when it is no CSV.
      given, root: of the source.
    """
    need_format(name, options.format, OF_FILES)
    kind = json_kind(path, name, options)
    if kind is None:
        return finished_source(RowFile(path, name, options), given, root)
    _need_no_columns(kind, name, options)
    need_images(name, "JSON", options)
    own = spool.with_name("own.csv")
    read = _json_reader(kind, path, name, options)
    source = source_of_own(
        own, write_own_list(own, read, name, options.unlabelled), name, options, given, root
    )
    used = ("columns",) if kind == "jsonl" else ()
    return telling_unused(source, "a list in JSON", options, used)


def json_kind(path: str, name: str, options: ReadOptions) -> JsonKind | None:
    """Which reader of JSON a list is for; None: it is no JSON."""
    if options.format != "auto":
        from tfrecordcli.sources.json.kinds import JsonKind

        return next((kind for kind in get_args(JsonKind) if kind == options.format), None)
    try:
        with open(path, "rb") as file:
            head = file.read(_HEAD)
    except OSError as error:
        raise InputError(f"{name}: the file cannot be read", "check its permissions") from error
    need_no_foreign_list(head, name, options.encoding, has_columns=bool(options.columns))
    if b"{" not in head and b"[" not in head:
        return None
    from tfrecordcli.sources.json.kinds import kind_of_json

    return kind_of_json(head, name, options.encoding, has_columns=bool(options.columns))


def _json_reader(kind: JsonKind, path: str, name: str, options: ReadOptions) -> Reader:
    from tfrecordcli.sources.json.coco import read_coco
    from tfrecordcli.sources.json.createml import read_createml
    from tfrecordcli.sources.json.lines import read_json_lines

    unit: Unit | None = None if options.box_unit == "auto" else options.box_unit
    encoding, form = options.encoding, options.box_format
    if kind == "coco":
        return lambda findings: read_coco(path, findings, name, encoding, unit, form)
    if kind == "createml":
        return lambda findings: read_createml(path, findings, name, encoding, form or "center_xywh")
    need = options.unlabelled == "error"
    return lambda findings: read_json_lines(
        path, findings, name, encoding, options.columns, form or "xywh", needs_labels=need
    )


def source_of_own(path: Path, own: OwnList, name: str, options: ReadOptions, given: str, root: str) -> Source:
    """The source of a list that was written in tfrec's own form."""
    findings = own.findings
    notes = [*findings.notes, *(f"{count:,} {what}" for what, count in sorted(findings.counts.items()))]
    if own.extras:
        notes.append(f"fields that are not used: {some_of(list(own.extras))}")
    plain = replace(plain_options(options), image_root=options.image_root, map=options.map, box_format=None)
    if findings.tells_names:
        plain = replace(plain, split_by=options.split_by, split_map=options.split_map)
    rows = RowFile(str(path), name, plain, is_own=True, attributes=own.attributes, is_spooled=True)
    form: BoxFormat | None = "xywh" if findings.has_extents and options.box_format is None else None
    rows = replace(rows, features=findings.features, assumed_form=form)
    source = finished_source(rows, given, root, notes)
    left_out = tuple(findings.left_out)
    ids = _named(findings.label_ids, source.rows.reading.names, may_have_gaps=own.has_boxes)
    return replace(source, label_ids=ids, has_ids=own.has_ids, left_out=left_out)


def _named(ids: Mapping[str, int], names: Mapping[str, str], *, may_have_gaps: bool) -> Mapping[str, int]:
    """The ids of labels by the names that ``--label-names`` gives them; no row has a label without one."""
    if not names:
        return ids
    in_order = sorted((number, names[label]) for label, number in ids.items() if label in names)
    if may_have_gaps or len(in_order) == len(ids):
        return {name: number for number, name in in_order}
    return {name: number for number, (_, name) in enumerate(in_order)}


def _need_no_columns(kind: JsonKind, name: str, options: ReadOptions) -> None:
    """Refuses options for further columns: without --split-by the images of a patient would be in all splits.

    Beside other sources --features is for those that have columns.
    """
    given = changed(options, ("split_by",) if options.is_part else ("split_by", "features"))
    if not given:
        return
    flags = ", ".join(option.flag for option in given)
    command = lines_as_csv(name) if kind == "jsonl" else ""
    raise InputError(
        f"{name}: {flags}: further fields of a list in JSON are not read",
        f"make a CSV with columns for them, a row for each image or box{': ' if command else ''}{command}; "
        "or leave the option out",
    )


def telling_unused(source: Source, what: str, options: ReadOptions, used: Sequence[str] = ()) -> Source:
    """The source with a note for options about columns that it has no use for, but for ``used``."""
    names = [name for name in (*ABOUT_COLUMNS, "delimiter", "exclude") if name not in ("task", "map", *used)]
    return replace(source, notes=(*unused_by(what, options, names), *source.notes))


def source_of_frame(frame: Any, options: ReadOptions, spool: Path) -> Source:
    """A DataFrame.

    Raises:
      InputError: it is none, or holds what no list can.
    """
    if not hasattr(frame, "itertuples"):
        raise InputError(f"a {type(frame).__name__} cannot be converted", "give a path or a pandas DataFrame")
    header, rows = frame_table(frame, options)
    try:
        write_rows(spool, rows, header)
    except UnicodeEncodeError as error:
        text = ascii(error.object.strip())
        raise InputError(f"DataFrame: not every character is Unicode: {text}", "rename the file") from error
    notes = unused_by("a DataFrame", options, ("encoding", "delimiter", "label_folder", "exclude"))
    options = replace(options, encoding="utf-8", delimiter=",")
    return finished_source(RowFile(str(spool), "DataFrame", options, is_own=True), "", ".", notes)
