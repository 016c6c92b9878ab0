"""Several sources as one: each is opened as it would be alone, and their rows become one list of tfrec's own.

So whatever comes after the sources, from the plan to rejects.csv, knows one list only.
"""

from __future__ import annotations

import contextlib
import csv
import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from tfrecordcli.boxes import Unit, parts_of, texts_of_box, texts_of_image
from tfrecordcli.errors import InputError, UsageError
from tfrecordcli.option_parsing import typed_column
from tfrecordcli.options import ReadOptions, of_split
from tfrecordcli.progress import Reporter
from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import (
    ATTRIBUTES,
    CLASSIFICATION,
    IMAGE_FILENAME,
    IMAGE_TARGET,
    SPLITS,
    Feature,
    Schema,
    detection,
    named_by_column,
    regression,
)
from tfrecordcli.sources.box_columns import told_unit
from tfrecordcli.sources.common_root import Move, common_root, mover
from tfrecordcli.sources.csv_columns import FILENAME_COLUMN, OWN_COLUMNS, SOURCE_COLUMN, CsvShape
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.data_frame import FrameLines
from tfrecordcli.sources.given import GivenSource, given_sources
from tfrecordcli.sources.own_list import MOST_ID, as_field
from tfrecordcli.sources.rows import GROUP, Malformed, Row, as_written, corners_as_written
from tfrecordcli.sources.source import (
    FolderOfLists,
    Source,
    digest_of,
    need_unchanged,
    open_source,
    plain_options,
)
from tfrecordcli.split_words import DISCARD
from tfrecordcli.storage.scratch import scratch_folder
from tfrecordcli.storage.writing import writing_to

_CORNERS: Final = ("xmin", "ymin", "xmax", "ymax")
_OF_BOXES: Final = (*_CORNERS, "width", "height", *ATTRIBUTES)
_SHOWN: Final = 3  # names of sources in a message
# Features from columns that are no further ones: numbers to predict, names of images that are parts of files.
_NAMED: Final = (IMAGE_TARGET, IMAGE_FILENAME)


@dataclass(frozen=True, slots=True)
class _Part:
    """One of several sources, ready to be read.

    Attributes:
      name: as messages call it.
      lines: of a DataFrame: what its index calls the rows.
    """

    given: GivenSource
    source: Source
    name: str
    lines: FrameLines | None = None

    @property
    def task(self) -> str:
        return self.source.schema.task

    @property
    def further(self) -> tuple[Feature, ...]:
        """Features from further columns, what rows are grouped by included."""
        return tuple(each for each in self.source.rows.features if each.key not in _NAMED)


@contextlib.contextmanager
def open_sources(
    source: Any, options: ReadOptions, output_dir: str, reporter: Reporter | None = None
) -> Iterator[Source]:
    """Opens one source or several, as `given_sources` takes them, as one.

    Args:
      source: what is converted.
      options: how it is read; those that name a split hold for the sources of that split.
      output_dir: left out when it stands inside a source folder.
      reporter: told how long standard input is waited for.

    Raises:
      UsageError: which sources are meant is not certain, or an option names a split that none is for.
      InputError: one cannot be read, or they contradict each other.
    """
    given = given_sources(source)
    if len(given) == 1 and not given[0].split and not options.by_split:
        with ExitStack() as stack:
            try:
                yield stack.enter_context(open_source(given[0].source, options, output_dir, reporter))
                return
            except FolderOfLists as folder:
                given = tuple(GivenSource(path, split) for split, path in folder.lists)
    if options.task == "tabular":
        raise InputError(
            "--task tabular takes one list, and no SPLIT=",
            "put all rows into one CSV, with a column called split",
        )
    with scratch_folder() as scratch, ExitStack() as stack:
        parts = tuple(_opened(given, options, output_dir, reporter, stack))
        yield _combined(parts, options, scratch / "several.csv")


def _opened(
    given: Iterable[GivenSource],
    options: ReadOptions,
    output_dir: str,
    reporter: Reporter | None,
    stack: ExitStack,
) -> Iterator[_Part]:
    given = tuple(given)
    _need_known_splits(given, options)
    _need_one_stdin(given)
    for each in given:
        chosen = replace(of_split(options, each.split), is_part=len(given) > 1)
        try:
            source = stack.enter_context(open_source(each.source, chosen, output_dir, reporter))
        except FolderOfLists as folder:
            lists = (GivenSource(path, split) for split, path in folder.lists)
            if each.split:
                raise InputError(
                    f"{each.split}={each.source}: this folder has lists for splits of its own",
                    f"give it without {each.split}=, or one of its lists: {folder.lists[0][1]}",
                ) from None
            yield from _opened(lists, options, output_dir, reporter, stack)
            continue
        is_frame = hasattr(each.source, "itertuples")
        name = " ".join(filter(None, [source.rows.name, each.split if is_frame else ""]))
        yield _Part(each, source, name, FrameLines(each.source, chosen) if is_frame else None)


def _need_known_splits(given: Sequence[GivenSource], options: ReadOptions) -> None:
    """Refuses an option for a split that no source is for, whose value would do nothing."""
    splits = {each.split for each in given}
    for split, option, text in options.by_split:
        if split not in splits and "" not in splits:
            flag = f"--{option.replace('_', '-')}"
            raise UsageError(f"{flag} {split}={text}: no source is for {split}", f"as in {split}=list.csv")


def _need_one_stdin(given: Sequence[GivenSource]) -> None:
    if sum(isinstance(each.source, str) and each.source == "-" for each in given) > 1:
        raise UsageError("standard input is given twice", "save one of the lists in a file")


def _combined(parts: Sequence[_Part], options: ReadOptions, path: Path) -> Source:
    """One source of all of these."""
    _need_one_task(parts)
    ids = {} if options.labels_file is not None else _agreed_ids(parts)
    schema, features, said = _schema_of(parts, options)
    _need_own_names(features, schema.task)
    common = common_root([part.source.image_root for part in parts])
    writer = _Writer(path, schema.task, features, len(parts) > 1)
    with writing_to(path.parent), path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\r\n")  # so that fields with either are quoted
        rows.writerow(writer.header)
        notes = [
            (part.name, note)
            for part in parts
            for note in writer.write(rows, part, mover(part.source.image_root, common))
        ]
    for part in parts:
        need_unchanged(part.source)
    name = _name_of([part.name for part in parts])
    own = RowFile(
        str(path),
        name,
        _options_of(options, schema, features),
        is_own=True,
        features=features,
        attributes=schema.attributes if schema.task == "detection" else (),
        is_spooled=True,
    )
    root, as_given = _root_of(parts, common)
    return Source(
        own,
        "",
        root,
        as_given,
        digest_of(own),
        os.path.getsize(path),
        (*_by_source(notes), *said),
        schema,
        tuple(_by_source((part.name, doubt) for part in parts for doubt in part.source.doubts)),
        ids,
        writer.has_ids and all(part.source.has_ids for part in parts),
        tuple(
            (", ".join(filter(None, [part.name, place])), box, why)
            for part in parts
            for place, box, why in part.source.left_out
        ),
        "stored" if all(part.source.box_frame == "stored" for part in parts) else "auto",
        any(part.source.is_unpacked for part in parts),
    )


def _by_source(told: Iterable[tuple[str, str]]) -> Iterator[str]:
    """What is to be told of sources, by (name, text): once for all of which it holds."""
    names: dict[str, list[str]] = {}
    for name, text in told:
        names.setdefault(text, []).append(name)
    return (f"{_name_of(some)}: {text}" for text, some in names.items())


def _name_of(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _root_of(parts: Sequence[_Part], common: str) -> tuple[str, str]:
    """(root of the images, the same as a user would write it)."""
    first = parts[0].source
    if common == first.image_root:
        return common, first.root_as_given
    if not common:
        return os.path.abspath(os.sep), os.path.abspath(os.sep)
    givens = [part.source.root_as_given for part in parts]
    return common, common if any(map(os.path.isabs, givens)) else os.path.relpath(common)


def _options_of(options: ReadOptions, schema: Schema, features: Sequence[Feature]) -> ReadOptions:
    """How the list of all rows is read, by whose words the command for mended rows is made."""
    pinned = tuple((name, name) for name in ("split", "image_uri", "label")) if features else ()
    groups = [str(each.column) for each in features if each.key == GROUP]
    return replace(
        plain_options(options),
        columns=pinned,
        task=schema.task,
        features=options.features,
        split_by=groups[0] if groups else None,
        box_format=None,
        box_unit="auto",
        label_names=None,
        image_root=options.image_root,
        by_split=(),
    )


# --- what all have in common ---


def _need_one_task(parts: Sequence[_Part]) -> None:
    first = parts[0]
    other = next((part for part in parts if part.task != first.task), None)
    if other is None:
        return
    boxes, labels = (first, other) if first.task == "detection" else (other, first)
    raise InputError(
        f"{boxes.name} is a list of boxes, {labels.name} is none",
        "convert them apart, or take no boxes from any of them: --task classification",
    )


def _agreed_ids(parts: Sequence[_Part]) -> dict[str, int]:
    """name -> id of all sources that give ids.

    Raises:
      InputError: two give a name different ids, or an id different names.
    """
    ids: dict[str, tuple[int, str]] = {}
    names: dict[int, tuple[str, str]] = {}
    hint = "give all of them the same ids, or settle the names in a file: --labels FILE"
    for part in parts:
        for name, number in part.source.label_ids.items():
            known, where = ids.setdefault(name, (number, part.name))
            if known != number:
                raise InputError(f"{name!r} has the id {known} in {where}, but {number} in {part.name}", hint)
            taken, where = names.setdefault(number, (name, part.name))
            if taken != name:
                raise InputError(
                    f"the id {number} stands for {taken!r} in {where}, but for {name!r} in {part.name}", hint
                )
    return {name: number for name, (number, _) in ids.items()}


def _schema_of(parts: Sequence[_Part], options: ReadOptions) -> tuple[Schema, tuple[Feature, ...], list[str]]:
    """The schema of all records, the features of further columns as the rows have them, what to tell."""
    schema: Schema = CLASSIFICATION
    if parts[0].task == "detection":
        told = {name for part in parts for name in part.source.schema.attributes}
        schema = detection(name for name in ATTRIBUTES if name in told)
    if parts[0].task == "regression":
        targets = [each for part in parts for each in part.source.schema.columns if each.key == IMAGE_TARGET]
        is_required = all(each.required for each in targets)
        schema = regression(schema, replace(targets[0], required=is_required, column="label"))
    if any(each.key == IMAGE_FILENAME for part in parts for each in part.source.rows.features):
        schema = named_by_column(schema, FILENAME_COLUMN)
    merged, said = _merged_features(parts)
    _need_all_found(merged, options)
    group = [feature for feature in merged if feature.key == GROUP]
    further = [feature for feature in merged if feature.key != GROUP]
    schema = replace(schema, features=(*schema.features, *further))
    return schema, (*schema.columns, *group), said


def _merged_features(parts: Sequence[_Part]) -> tuple[list[Feature], list[str]]:
    """Each further feature once, of a kind that holds what all sources have."""
    found: dict[str, list[Feature]] = {}
    for part in parts:
        for feature in part.further:
            found.setdefault(feature.key, []).append(feature)
    merged, said = [], []
    for key, some in found.items():
        kinds = {each.kind for each in some}
        kind = "bytes" if "bytes" in kinds else "float" if len(kinds) > 1 else some[0].kind
        if len(kinds) > 1:
            word = "text" if kind == "bytes" else "float"
            said.append(f"column {key} is {word}, as not all sources have it so")
        is_required = len(some) == len(parts) and all(each.required for each in some)
        merged.append(replace(some[0], kind=kind, required=is_required))
    return merged, said


def _need_all_found(merged: Sequence[Feature], options: ReadOptions) -> None:
    """A column that one source lacks is missing there; one that all lack was misspelt."""
    if tuple(options.features) == ("all",):
        return
    known = {feature.column for feature in merged}
    for entry in options.features:
        if entry not in known and typed_column(entry)[0] not in known:
            raise InputError(f"--features {entry}: no source has a column of that name with a value in it")


def _need_own_names(features: Sequence[Feature], task: str) -> None:
    """Refuses further columns that are called like those of the list that tfrec writes."""
    own = {SOURCE_COLUMN, "split", "image_uri", "label", *OWN_COLUMNS}
    own |= {*_OF_BOXES} if task == "detection" else set()
    for feature in features:
        if feature.key not in _NAMED and str(feature.column).lower() in own:
            raise InputError(
                f"several sources cannot have a further column called {feature.column}", "rename it"
            )


# --- the list ---


@dataclass(slots=True)
class _Writer:
    """The rows of all sources, and what is found on the way.

    Attributes:
      path: of the list.
      task: of its records.
      features: from further columns.
      names_sources: whether a column says which source a row is of.
      has_ids: whether no two sources have given an image the same number so far.
    """

    path: Path
    task: str
    features: Sequence[Feature]
    names_sources: bool
    has_ids: bool = True
    _met: bytearray = field(default_factory=lambda: bytearray((MOST_ID >> 3) + 1))
    _met_here: bytearray = field(default_factory=bytearray)

    @property
    def header(self) -> list[str]:
        further = [str(each.column) for each in self._in_columns]
        first = [SOURCE_COLUMN] if self.names_sources else []
        if self.task == "detection":
            return [*first, "split", "image_uri", "label", *_OF_BOXES, *further, *OWN_COLUMNS]
        return [*first, "split", "image_uri", *further, *OWN_COLUMNS, "label"]

    @property
    def _in_columns(self) -> Sequence[Feature]:
        """Features that have a column under their own name, each column once."""
        return [*{each.column: each for each in self.features if each.key != IMAGE_TARGET}.values()]

    def write(self, file: Any, part: _Part, move: Move) -> list[str]:
        """Writes the rows of a source; returns what is to be told of it."""
        rows = part.source.rows
        unit, said = _unit_of(rows) if self.task == "detection" else ("pixels", [])
        shape, records = rows.read_records()
        parse = rows.parser(shape)
        place_of = _placer(part, shape)
        self._met_here = bytearray(len(self._met))
        first = [part.name] if self.names_sources else []
        for line, fields in records:
            row = parse(line, fields)
            written = as_written(shape, fields) if row.problem is not None else ("", "", [])
            split, problem = _split_of(row, part.given, written[0])
            labels = list(row.labels) or written[2]
            texts = _texts_of_further(part, shape, row, fields)
            own = [place_of(line, fields), "", "", as_field(problem) if problem else ""]
            uri = move(row.image_uri or written[1])
            if row.problem is None:
                texts = {IMAGE_FILENAME: uri, **texts}
            further = [texts.get(each.key, "") for each in self._in_columns]
            if self.task == "detection":
                attributes = part.source.schema.attributes
                corners = corners_as_written(shape, fields) if problem else None
                box, own[1], own[2] = self._box_fields(row, attributes, unit, corners)
                own[1] = own[1].capitalize() if part.source.box_frame == "stored" else own[1]
                file.writerow([*first, split, uri, *(labels[:1] or [""]), *box, *further, *own])
            else:
                labels = [texts.get(IMAGE_TARGET, "")] if self.task == "regression" else labels
                file.writerow([*first, split, uri, *further, *own, *labels])
        for at, bits in enumerate(self._met_here):
            self._met[at] |= bits
        return [*part.source.notes, *shape.notes, *said]

    def _box_fields(
        self, row: Row, attributes: Sequence[str], unit: str, written: Sequence[str] | None
    ) -> tuple[list[str], str, str]:
        """(corners, size and attributes; unit; number of the image) of a row."""
        blank = ("",) * len(_CORNERS)
        if not row.boxes:
            return [*(written or blank), *[""] * (len(_OF_BOXES) - len(blank))], unit, ""
        image, boxes = parts_of(row.boxes)
        width, height, own_unit, source_id = texts_of_image(image)
        corners, told = texts_of_box(boxes[0]) if boxes else ((), ())
        values = dict(zip(attributes, told, strict=False))
        self._meet(source_id)
        box = [*(corners or written or blank), width, height]
        return [*box, *(values.get(name, "") for name in ATTRIBUTES)], own_unit or unit, source_id

    def _meet(self, source_id: str) -> None:
        """Notes the number of an image; one of another source makes all of them useless."""
        if source_id and self.has_ids and int(source_id) <= MOST_ID:
            at, bit = int(source_id) >> 3, 1 << (int(source_id) & 7)
            self.has_ids = not self._met[at] & bit
            self._met_here[at] |= bit


def _unit_of(rows: RowFile) -> tuple[Unit, list[str]]:
    """The unit of those boxes whose rows do not name theirs: all of them have to be read for it."""
    if rows.options.box_unit != "auto":
        return rows.options.box_unit, []
    shape, read = rows.read()
    deque(read, maxlen=0)
    if shape.boxes is None or not shape.boxes.extremes.count:
        return "pixels", []
    unit = shape.boxes.extremes.unit(rows.name)
    return unit, [told_unit(unit, shape.boxes.extremes)]


def _placer(part: _Part, shape: CsvShape) -> Any:
    """A function from (line, fields) to where people find the row."""
    rows, lines = part.source.rows, part.lines
    if rows.is_spooled:
        column = shape.header.index(OWN_COLUMNS[0])
        return lambda line, fields: fields[column]
    if rows.is_listing:
        return lambda line, fields: ""
    if lines is not None:
        return lambda line, fields: f"index {lines.index_label(line)!r}"
    return lambda line, fields: f"line {line}"


def _split_of(row: Row, given: GivenSource, word: str) -> tuple[str, Rejected | None]:
    """The split word of a row, and why it cannot be used."""
    if row.split is None:
        return word or given.split, row.problem
    if not given.split or row.split in (given.split, DISCARD):
        return row.split, row.problem
    if row.split in SPLITS:
        return row.split, row.problem or Rejected("other_split", split=row.split, given=given.split)
    return given.split, row.problem


def _texts_of_further(
    part: _Part, shape: CsvShape, row: Row, fields: list[str] | Malformed
) -> Mapping[str, str]:
    """Fields of the features that come from columns, by key."""
    keys = [each.key for each in part.source.rows.features]
    if row.extras:
        return dict(zip(keys, row.extras, strict=True))
    if isinstance(fields, Malformed):
        return {}
    return {
        key: fields[column].strip()
        for key, column in zip(keys, shape.further, strict=True)
        if column is not None and column < len(fields)
    }
