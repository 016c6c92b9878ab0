"""The rows of several sources as one list of tfrec's own, with the place of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tfrecordcli.boxes import Unit, has_boxes, parts_of, texts_of_box, texts_of_image
from tfrecordcli.dataset.labels import has_control_characters, is_canonical_id, quoted
from tfrecordcli.options import ReadOptions
from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import ATTRIBUTES, IMAGE_FILENAME, IMAGE_TARGET, SPLITS, Feature
from tfrecordcli.sources.boxes.columns import BoxColumns
from tfrecordcli.sources.boxes.unit import LOOKED_AT, MOST_PERCENT, told_within_one, unit_of
from tfrecordcli.sources.column_words import FILENAME_COLUMN, OWN_COLUMNS, SOURCE_COLUMN
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.csv_shape import CsvShape
from tfrecordcli.sources.given import GivenSource
from tfrecordcli.sources.key_columns import for_a_person, form_wanted
from tfrecordcli.sources.own_list import MOST_ID, as_field
from tfrecordcli.sources.row import Malformed, Row
from tfrecordcli.sources.row_fields import as_written, attributes_as_written, corners_as_written
from tfrecordcli.sources.several.common_root import Move
from tfrecordcli.sources.several.part import SourcePart
from tfrecordcli.split_words import DISCARD

_CORNERS: Final = ("xmin", "ymin", "xmax", "ymax")
_KINDS_OF_LABELS: Final = 2  # numbers and others
OF_BOXES: Final = (*_CORNERS, "width", "height", *ATTRIBUTES)


@dataclass(slots=True)
class CommonList:
    """The rows of all sources, and what is found on the way.

    Attributes:
      path: of the list.
      task: of its records.
      has_labels: whether these have labels, or numbers to predict.
      features: from further columns.
      names_sources: whether a column says which source a row is of.
      has_ids: whether no two sources have given an image the same number so far.
      labels: of each source the first that is a number, and the first that is none, where there is one.
      other_splits: of each list, how many rows name another split than it was given for.
      doubts: (source, whether its boxes are of the unit that they are taken for).
    """

    path: Path
    task: str
    has_labels: bool
    features: Sequence[Feature]
    names_sources: bool
    has_ids: bool = True
    labels: dict[str, dict[bool, str]] = field(default_factory=dict)
    other_splits: dict[str, int] = field(default_factory=dict)
    doubts: list[tuple[str, str]] = field(default_factory=list)
    _met: bytearray = field(default_factory=lambda: bytearray((MOST_ID >> 3) + 1))
    _met_here: bytearray = field(default_factory=bytearray)

    @property
    def header(self) -> list[str]:
        further = [str(each.column) for each in self._in_columns]
        first = [SOURCE_COLUMN] if self.names_sources else []
        if self.task == "detection":
            return [*first, "split", "image_uri", "label", *OF_BOXES, *further, *OWN_COLUMNS]
        image = [] if self.task == "tabular" else ["image_uri"]
        return [*first, "split", *image, *further, *OWN_COLUMNS, *(["label"] if self.has_labels else [])]

    @property
    def _in_columns(self) -> Sequence[Feature]:
        """Features that have a column under their own name, each column once."""
        return [*{each.column: each for each in self.features if each.key != IMAGE_TARGET}.values()]

    def write(self, file: Any, part: SourcePart, move: Move) -> list[str]:
        """Writes the rows of a source; returns what is to be told of it.

        Raises:
          InputError: its boxes are of two units.
        """
        rows = part.source.rows
        unit, said = _unit_of(rows, part.source.image_root) if self.task == "detection" else ("pixels", [])
        shape, records = rows.read_records()
        parse = rows.parser(shape)
        place_of = _placer(part, shape)
        self._met_here = bytearray(len(self._met))
        first = [part.name] if self.names_sources else []
        met = self.labels.setdefault(part.name, {})
        in_columns, reads_further = self._in_columns, bool(rows.features)
        is_parted = any(each.separator for each in self.features)
        is_detection, attributes = self.task == "detection", part.source.schema.attributes
        is_stored = part.source.box_frame == "stored"
        other_splits = 0
        for line, fields in records:
            row = parse(line, fields)
            if len(met) < _KINDS_OF_LABELS:
                for label in row.labels:
                    met.setdefault(is_canonical_id(label), label)
            written = as_written(shape, fields) if row.problem is not None else ("", "", [])
            split, problem = _split_of(row, part.given, written[0])
            other_splits += problem is not None and problem.code == "other_split"
            labels = list(row.labels) or written[2]
            texts = _texts_of_further(part, shape, row, fields) if reads_further else {}
            problem = (self._part_as_all(texts, part) if is_parted else None) or problem
            if isinstance(fields, Malformed):
                labels = self._whole_row("\t".join(fields.fields(shape.delimiter)), texts) or labels
            own = [place_of(line, fields), "", "", as_field(problem, bool(row.labels)) if problem else ""]
            uri = move(row.image_uri or written[1])
            if row.problem is None:
                texts = {IMAGE_FILENAME: uri, **texts}
            further = [texts.get(each.key, "") for each in in_columns]
            if is_detection:
                of_box: tuple[Any, ...] = ()
                if problem:
                    of_box = corners_as_written(shape, fields), attributes_as_written(shape, fields)
                box, own[1], own[2] = self._box_fields(row, attributes, unit, *of_box)
                own[1] = own[1].capitalize() if is_stored else own[1]
                file.writerow([*first, split, uri, *(labels[:1] or [""]), *box, *further, *own])
            else:
                labels = [texts.get(IMAGE_TARGET, "")] if self.task == "regression" else labels
                image = [] if self.task == "tabular" else [uri]
                file.writerow([*first, split, *image, *further, *own, *labels])
        if other_splits and not rows.is_listing and FILENAME_COLUMN not in shape.header:
            self.other_splits[part.name] = other_splits
        self._met = _united(self._met, self._met_here)
        counted = [] if shape.boxes is None else self._counted(shape.boxes, unit, part.name, rows.options)
        return [*part.source.notes, *shape.notes, *said, *counted]

    def _counted(self, boxes: BoxColumns, unit: Unit, name: str, options: ReadOptions) -> Iterable[str]:
        """What is to be told of the boxes of a source when all of them were met.

        Raises:
          InputError: they are of two units.
        """
        if unit == "pixels" and options.box_unit == "auto":
            boxes.extremes.need_one_unit(name)
        if unit == "pixels":
            doubts = told_within_one(boxes.extremes, options.box_unit)
            self.doubts += [(name, doubt) for doubt in doubts]
        return boxes.counts.notes()

    def _part_as_all(self, texts: dict[str, str], part: SourcePart) -> Rejected | None:
        """Parts the values of a source's fields as those of all sources are; returns why one cannot be."""
        own = {each.column: each.separator for each in part.further if each.separator}
        common = {each.column: each.separator for each in self.features if each.separator}
        problem = None
        for each in part.further:
            text, before, after = texts.get(each.key, ""), own.get(each.column, ""), common.get(each.column)
            if not after or before == after or has_control_characters(text):
                continue
            values = text.split(before) if before else [text]
            odd = next((value for value in values if after in value), None)
            texts[each.key] = after.join(values) if odd is None else for_a_person(values)
            if odd is not None:
                what = f"has {quoted(odd)}, which cannot be told from its neighbours ({form_wanted(after)})"
                problem = problem or Rejected("bad_value", column=each.column, what=what)
        return problem

    def _whole_row(self, text: str, texts: dict[str, str]) -> list[str]:
        """The labels of what is no row of its list, or a further field of it: what was written there.

        Its fields are parted by tabs, which reject it again until it is mended: in the columns of the list of
        all sources it might be taken for a row.
        """
        if self.task == "regression":
            texts[IMAGE_TARGET] = text
        elif self.task == "detection" or self.has_labels:
            return [text]
        else:
            texts.update({each.key: text for each in self._in_columns if each.key == each.column})
        return []

    def _box_fields(
        self,
        row: Row,
        attributes: Sequence[str],
        unit: str,
        written: Sequence[str] = ("",) * 4,
        told_as_written: Mapping[str, str] | None = None,
    ) -> tuple[list[str], str, str]:
        """(corners, size and attributes; unit; number of the image) of a row.

        Args:
          written, told_as_written: corners and attributes of a box that cannot be used.
        """
        if not row.boxes:
            return [*written, *[""] * (len(OF_BOXES) - len(written))], unit, ""
        image, boxes = parts_of(row.boxes)
        width, height, own_unit, source_id = texts_of_image(image)
        corners, told = texts_of_box(boxes[0]) if boxes else ((), ())
        values = told_as_written or {} if not corners else dict(zip(attributes, told, strict=False))
        self._meet(source_id)
        box = [*(corners or written), width, height]
        return [*box, *(values.get(name, "") for name in ATTRIBUTES)], own_unit or unit, source_id

    def _meet(self, source_id: str) -> None:
        """Notes the number of an image; one of another source makes all of them useless."""
        if source_id and self.has_ids and int(source_id) <= MOST_ID:
            at, bit = int(source_id) >> 3, 1 << (int(source_id) & 7)
            self.has_ids = not self._met[at] & bit
            self._met_here[at] |= bit


def _united(bits: bytearray, others: bytearray) -> bytearray:
    # A loop over 2 MB would take longer than most lists.
    both = int.from_bytes(bits, "little") | int.from_bytes(others, "little")
    return bytearray(both.to_bytes(len(bits), "little"))


def _unit_of(rows: RowFile, root: str) -> tuple[Unit, list[str]]:
    """The unit of those boxes whose rows do not name theirs: rows are read until it is certain."""
    if rows.options.box_unit != "auto":
        return rows.options.box_unit, []
    shape, records = rows.read_records()
    if shape.boxes is None:
        return "pixels", []
    numbers, parse = shape.boxes.extremes, rows.parser(shape)
    images: dict[str, str] = {}
    with closing(records):
        for line, fields in records:
            row = parse(line, fields)
            if rows.is_spooled and row.boxes and _names_its_unit(row):
                return "pixels", []  # what is no CSV names the unit of all of its rows, or of none
            if numbers.most > MOST_PERCENT:
                break
            if has_boxes(row.boxes) and len(images) < LOOKED_AT:
                images[row.image_uri] = row.boxes
    if not numbers.count:
        return "pixels", []
    return unit_of(numbers, images.items(), root, rows.name)


def _names_its_unit(row: Row) -> bool:
    _, _, unit, _ = texts_of_image(parts_of(row.boxes)[0])
    return bool(unit)


def _placer(part: SourcePart, shape: CsvShape) -> Any:
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
    part: SourcePart, shape: CsvShape, row: Row, fields: list[str] | Malformed
) -> dict[str, str]:
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
