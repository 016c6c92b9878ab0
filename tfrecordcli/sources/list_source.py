"""Lists on disk, and DataFrames, as sources: what is no CSV is first written as one.

The readers of JSON are imported where there may be some.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import chain, islice, starmap
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from tfrecordcli.boxes import Unit, has_boxes
from tfrecordcli.dataset.labels import quoted
from tfrecordcli.errors import InputError
from tfrecordcli.options import ABOUT_COLUMNS, ReadOptions
from tfrecordcli.sources.boxes.unit import need_pixels, told_within_one
from tfrecordcli.sources.boxes.words import BOX_ROWS
from tfrecordcli.sources.column_words import KNOWN_COLUMNS
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.data_frame import frame_table, has_names, rows_of_boxes
from tfrecordcli.sources.folders.boxes_in_tables import need_no_table_of_an_image
from tfrecordcli.sources.foreign.lists import need_no_foreign_list
from tfrecordcli.sources.further_keys import FurtherKeys
from tfrecordcli.sources.misread.images_here import need_no_files_in_keys
from tfrecordcli.sources.misread.splits_unread import splits_not_read
from tfrecordcli.sources.own_list import OBJECTS, OwnList, Reader, write_own_list
from tfrecordcli.sources.proposals.splits import split_option, words_of_splits
from tfrecordcli.sources.rows_set_aside import told_keys_set_aside
from tfrecordcli.sources.said_splits import says_no_split, says_splits
from tfrecordcli.sources.source import (
    OF_FILES,
    Source,
    finished_source,
    need_format,
    need_images,
    plain_options,
    write_rows,
)
from tfrecordcli.sources.split_flags import IN_ONE, flags_of_splits
from tfrecordcli.sources.unused_options import unused_by
from tfrecordcli.sources.via_regions import has_regions, source_of_regions
from tfrecordcli.units import plural, some_of

if TYPE_CHECKING:
    from tfrecordcli.sources.json.kinds import JsonKind

# Options about further columns, which further keys are.
ABOUT_KEYS: Final = ("features", "missing", "multi_label", "na", "split_by")
_KINDS: Final[Mapping[str, str]] = {"coco": "COCO", "createml": "CreateML", "jsonl": "JSON Lines"}
_FIRST = 20  # images
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
    own = spool.with_name("own.csv")
    kind = kind_of_list(path, name, options)
    if kind is None:
        return finished_source(RowFile(path, name, options), given, root)
    if kind == "via":
        return source_of_regions(path, name, options, own, given, root)
    need_images(name, "JSON", options)
    if kind == "jsonl":
        from tfrecordcli.sources.json.sides_in_lines import need_no_sides_in_lines

        need_no_sides_in_lines(path, name, options, options.image_root or root)
    further = FurtherKeys.asked_by(options)
    kept = spool.with_name("further.jsonl") if further is not None else None
    read = _json_reader(kind, path, name, options, kept, further)
    written = write_own_list(own, read, name, options.unlabelled, further)
    source = source_of_own(own, written, name, options, given, root)
    if kind == "jsonl":
        uris = (row.image_uri for row in islice(source.rows.read()[1], _FIRST))
        need_no_files_in_keys(uris, written, options, source.image_root)
    source = replace(source, notes=(_read_as(kind, written), *source.notes))
    used = (*ABOUT_KEYS, *(("columns", "label_separator") if kind == "jsonl" else ()))
    return telling_unused(source, "a list in JSON", _without_splits(options, written, name), used)


def _read_as(kind: JsonKind, own: OwnList) -> str:
    """What a list in JSON was taken for; where its kind has no unit, that is told by the numbers."""
    unit = ", with boxes in pixels" if own.has_boxes and own.pixels.count else ""
    return f"this is read as {_KINDS[kind]}{unit}"


def _without_splits(options: ReadOptions, own: OwnList, name: str) -> ReadOptions:
    """Options without those by which the splits of a list in JSON were read.

    Raises:
      InputError: no image has the key that was named.
    """
    key = dict(options.columns).get("split", "")
    if key and not own.findings.tells_splits and not options.is_part:
        raise InputError(f"{name}: no image has the key {key!r} of --columns split={key}", "leave it out")
    columns = tuple(pair for pair in options.columns if pair[0] != "split")
    return replace(options, columns=columns, split_map=() if own.findings.tells_splits else options.split_map)


def kind_of_list(path: str, name: str, options: ReadOptions) -> JsonKind | Literal["via"] | None:
    """Which reader of JSON a list is for, or that of the VGG Image Annotator's regions; None: neither is."""
    if options.format != "auto":
        from tfrecordcli.sources.json.kinds import JsonKind

        return next((kind for kind in get_args(JsonKind) if kind == options.format), None)
    try:
        with open(path, "rb") as file:
            head = file.read(_HEAD)
    except OSError as error:
        raise InputError(f"{name}: the file cannot be read", "check its permissions") from error
    if has_regions(path, head, options.encoding):
        return "via"
    need_no_foreign_list(head, name, options)
    need_no_table_of_an_image(head, name, options)
    if b"{" not in head and b"[" not in head:
        return None
    from tfrecordcli.sources.json.kinds import kind_of_json

    return kind_of_json(head, name, options.encoding, has_columns=bool(options.columns))


def _json_reader(
    kind: JsonKind,
    path: str,
    name: str,
    options: ReadOptions,
    kept: Path | None,
    further: FurtherKeys | None,
) -> Reader:
    """What reads such a list; ``kept`` is as `read_coco` has its ``further``."""
    from tfrecordcli.sources.json.coco import read_coco
    from tfrecordcli.sources.json.createml import read_createml
    from tfrecordcli.sources.json.lines import read_json_lines
    from tfrecordcli.sources.json.split_keys import SplitKeys

    unit: Unit | None = None if options.box_unit == "auto" else options.box_unit
    encoding, form = options.encoding, options.box_format
    splits = partial(SplitKeys, options.columns, dict(options.split_map))
    if kind == "coco":
        wanted = dict if further is None else further.wanted
        return lambda findings: read_coco(path, findings, name, encoding, unit, form, kept, wanted, splits())
    if kind == "createml":
        return lambda findings: read_createml(
            path, findings, name, encoding, form or "center_xywh", unit or "pixels", splits()
        )
    need, needs_no_boxes = options.unlabelled == "error", options.task == "classification"
    needs_one = options.task == "regression"
    separator = options.label_separator or ""
    return lambda findings: read_json_lines(
        path, findings, name, encoding, options.columns, form, need, needs_no_boxes, needs_one, separator
    )


def source_of_own(path: Path, own: OwnList, name: str, options: ReadOptions, given: str, root: str) -> Source:
    """The source of a list that was written in tfrec's own form."""
    findings = own.findings
    notes = [*findings.notes, *(_told(count, what) for what, count in sorted(findings.counts.items()))]
    if own.extras:
        used = {column.name for column in own.further}
        unused = [key for key in own.extras if key not in used]
        notes += [f"fields that are not used: {some_of(unused)}"] if unused else []
    plain = replace(plain_options(options), image_root=options.image_root, map=options.map, box_format=None)
    plain = replace(plain, multi_label=options.multi_label)
    has_own_words = findings.tells_names or findings.tells_splits
    if has_own_words:
        plain = replace(plain, split_map=options.split_map)
    if findings.tells_names:
        plain = replace(plain, split_by=options.split_by)
    elif own.further:
        plain = _with_further(plain, own, options)
    if findings.tells_numbers and options.task == "regression" and not own.has_boxes:
        plain = replace(plain, task="regression")
    rows = RowFile(str(path), name, plain, is_own=True, attributes=own.attributes, is_spooled=True)
    rows = replace(rows, columns_of_origin=options.columns, group_of_origin=findings.groups.widest())
    form = None if options.box_format else findings.form
    rows = replace(rows, features=findings.features, has_own_words=has_own_words, assumed_form=form)
    rows = replace(rows, calls_xy=findings.calls_xy, form_of_origin=options.box_format)
    rows = replace(rows, encoding_of_origin=options.encoding)
    source = finished_source(rows, given, root, notes)
    if own.has_boxes and options.box_unit == "auto":
        _need_pixels(own, source)
    left_out = tuple(findings.left_out)
    ids = _named(findings.label_ids, source.rows.reading.names, may_have_gaps=own.has_boxes)
    _need_splits_read(own, name, options)
    of_split = () if says_no_split(options) else _split_doubt(own)
    within_one = told_within_one(own.pixels, options.box_unit)
    aside = told_keys_set_aside(own.extras, {column.name for column in own.further})
    doubts = (*source.doubts, *of_split, *_boxes_doubt(own, name, options.task), *within_one, *aside)
    source = replace(source, label_ids=ids, has_ids=own.has_ids, tells_units=own.tells_units)
    return replace(source, left_out=left_out, doubts=doubts)


def _need_pixels(own: OwnList, source: Source) -> None:
    """Refuses boxes in another unit than lists of this kind have."""
    shape, records = source.rows.read_records()
    with closing(records):
        rows = starmap(source.rows.parser(shape), records)
        images = ((row.image_uri, row.boxes) for row in rows if has_boxes(row.boxes))
        need_pixels(own.pixels, images, source.image_root, source.rows.name)


def _need_splits_read(own: OwnList, name: str, options: ReadOptions) -> None:
    """Refuses a list with a key of words of splits that is not read, as `need_splits_read` does of a CSV."""
    used = {column.name for column in own.further}
    if own.has_splits or says_splits(options):
        return
    columns = {key: own.extras[key] for key in _keys_to_name(own)}
    unread = {key: words_of_splits(values, ()) for key, values in columns.items()}
    for key, words in (unread | own.findings.unread_splits).items():
        if words and key not in used:
            error = splits_not_read("key", key, words, options)
            raise InputError(f"{name}: {error.message}", error.hint)


def _keys_to_name(own: OwnList) -> list[str]:
    """Further keys that `--columns` can name, in their order; those in objects with dots."""
    known = own.findings.columns
    return [key for key in own.extras if key in known or ("." in key and key.partition(".")[0] in known)]


def _split_doubt(own: OwnList) -> Iterator[str]:
    """That a key which is not used may be the split, with the options that read it."""
    used = {column.name for column in own.further}
    keys = {*_keys_to_name(own)} - used - {""} if not own.has_splits else set()
    flags = flags_of_splits({key: own.extras[key] for key in own.extras if key in keys})
    if flags:
        yield f"keys that are not used tell splits together ({', '.join(flags)}): {IN_ONE}"
        return
    told = (split_option(key, list(own.extras[key])) for key in own.extras if key in keys)
    unsure = (option for key, option in own.findings.unsure_splits.items() if key not in used)
    split = next(filter(None, chain(told, unsure)), "")
    if split:
        yield f"a key that is not used may be the split: {split}"


def _boxes_doubt(own: OwnList, name: str, task: str) -> Iterator[str]:
    """That a key of objects which is not used may hold boxes, with the command that makes those that are."""
    from tfrecordcli.sources.json.nested_boxes import lines_of_file, may_be_boxes

    used = {column.name for column in own.further}
    told = {key for key, values in own.extras.items() if OBJECTS in values} - used
    keys = sorted(filter(may_be_boxes, told))
    if own.has_boxes or task != "auto" or not keys:
        return
    hint = lines_of_file(name) or 'they are read as "objects", with "label" and "bbox" of each'
    yield f"{some_of(keys)} may hold boxes of objects, and no boxes are read: {hint}"


def _told(count: int, what: str) -> str:
    """`1 image listed twice`, of `images listed twice`."""
    things, _, rest = what.partition(" ")
    return f"{plural(count, things.removesuffix('s'))} {rest}"


def _with_further(plain: ReadOptions, own: OwnList, options: ReadOptions) -> ReadOptions:
    """Options for a list of tfrec's own that has further columns, none of which may be taken for another."""
    return replace(
        plain,
        columns=tuple((name, name) for name in KNOWN_COLUMNS),
        task="detection" if own.has_boxes else "classification",
        features=tuple(column.entry for column in own.further if column.entry),
        missing=options.missing,
        na=options.na,
        split_by=options.split_by,
    )


def _named(ids: Mapping[str, int], names: Mapping[str, str], *, may_have_gaps: bool) -> Mapping[str, int]:
    """The ids of labels by the names that ``--label-names`` gives them; no row has a label without one."""
    if not names:
        return ids
    in_order = sorted((number, names[label]) for label, number in ids.items() if label in names)
    if may_have_gaps or len(in_order) == len(ids):
        return {name: number for number, name in in_order}
    return {name: number for number, (_, name) in enumerate(in_order)}


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
    if options.task == "auto" and not options.columns and (code := rows_of_boxes(frame)):
        what = "DataFrame: boxes and their labels are in arrays, several in a row"
        whole = '--task classification (task="classification") takes labels of whole images'
        raise InputError(what, f"make a row of each box: {code}; {whole}")
    header, rows = frame_table(frame, options)
    try:
        write_rows(spool, rows, header)
    except UnicodeEncodeError as error:
        text = ascii(error.object.strip())
        raise InputError(f"DataFrame: not every character is Unicode: {text}", "rename the file") from error
    notes = unused_by("a DataFrame", options, ("encoding", "delimiter", "label_folder", "exclude"))
    options = replace(options, encoding="utf-8", delimiter=",")
    if has_regions(str(spool), ",".join(header).encode(), "utf-8"):
        source = source_of_regions(str(spool), "DataFrame", options, spool, "", ".")
        return replace(source, notes=(*notes, *source.notes))
    try:
        file = RowFile(str(spool), "DataFrame", options, is_own=True, has_names=has_names(frame))
        return finished_source(file, "", ".", notes)
    except InputError as error:
        if BOX_ROWS in error.hint and (code := rows_of_boxes(frame)):
            raise InputError(error.message, f"make a row of each box: {code}") from None
        levels = [quoted(str(name)) for name in frame.index.names if name is not None]
        if not levels or not error.message.startswith("DataFrame: no image"):
            raise
        way = f"its index is not read: df.reset_index() makes columns of it ({some_of(levels)})"
        raise InputError(error.message, f"{way}; {error.hint}") from None
