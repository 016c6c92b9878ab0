"""rejects.csv: every row that could not be used, in a form that can be mended and converted again."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import chain, islice
from pathlib import Path

from tfrecordcli.dataset.checksummed_json import FileSum, SummedText
from tfrecordcli.dataset.shard_info import RejectedImage, ShardInfo
from tfrecordcli.naming import REJECTS
from tfrecordcli.planning.problem_groups import ProblemGroup, ProblemGroups
from tfrecordcli.planning.scan import SHOWN_PROBLEMS, RowProblem
from tfrecordcli.reasons import REASONS
from tfrecordcli.schema import ATTRIBUTES
from tfrecordcli.sources.column_words import (
    FURTHER_FIELD,
    FURTHER_LABEL,
    OWN_COLUMNS,
    REPORT_COLUMNS,
    ROW_COLUMN,
    SOURCE_COLUMN,
)
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.csv_shape import CsvShape, detect_delimiter
from tfrecordcli.sources.places import Places, Where, lines_told, places_of, with_places_told
from tfrecordcli.sources.row import Malformed, Row
from tfrecordcli.sources.row_fields import CORNER_COLUMNS, fields_by_position, without_padding
from tfrecordcli.sources.text_lines import MAX_ROW
from tfrecordcli.storage.files import open_binary
from tfrecordcli.storage.store_path import Place
from tfrecordcli.storage.writing import whole_file

# Lines of the source that one file of a `RejectBook` covers, and rejects that wait in memory.
_STRETCH = 100_000
_WAITING = 10_000
# The code of further lines of an image that is rejected as a whole.
SAME_IMAGE = "same_image"
# What parts the fields of the header; a line as tfrec writes it, or a spreadsheet (`62.0`, `62,0`).
_AFTER = re.compile(rf"""{REPORT_COLUMNS[0]}["']?([,;|\t])""")
# Columns of an earlier report, and what was wrong before a row was mended.
_ADDED = (*REPORT_COLUMNS, ROW_COLUMN, OWN_COLUMNS[-1])
_Entry = tuple[int, str, str, str]  # line, code, reason, image URI ("" where no column is called that)
_LINE = re.compile(r"\s*([1-9][0-9]{0,17})(?:[.,]0*)?\s*")


class RejectBook:
    """Why each rejected line was rejected, on disk: memory does not grow with their number.

    Its length is that of all rejected rows; in a list of boxes, of images.

    Attributes:
      lines: that it tells of; an image of a list of boxes can have many.
    """

    def __init__(self, folder: Path) -> None:
        self.lines = 0
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._waiting: dict[int, list[str]] = {}
        self._count = 0
        self._stretch: tuple[int, dict[int, tuple[str, str]]] = (-1, {})
        self._places: Places | None = None

    def add(self, problem: RowProblem) -> None:
        self._add(problem.line, problem.code, problem.reason)
        for line in problem.also:
            self._add(line, SAME_IMAGE, REASONS[SAME_IMAGE].format(line=problem.line))
        self._count += 1

    def _add(self, line: int, code: str, reason: str) -> None:
        entry = json.dumps([line, code, reason], ensure_ascii=False)
        self._waiting.setdefault(line // _STRETCH, []).append(entry + "\n")
        self.lines += 1
        if self.lines % _WAITING == 0:
            self._flush()

    def __len__(self) -> int:
        return self._count

    def reason_of(self, line: int) -> tuple[str, str] | None:
        """(code, reason), or None for a line that was not rejected. Fast for lines in order."""
        number = line // _STRETCH
        if self._stretch[0] != number:
            self._flush()
            self._stretch = (number, self._load(number))
        return self._stretch[1].get(line)

    def tell_places(self, places: Places) -> None:
        """Has reasons that name other rows tell where these are, instead of their lines."""
        self._places = places
        self._stretch = (-1, {})

    def _load(self, number: int) -> dict[int, tuple[str, str]]:
        try:
            with (self._folder / str(number)).open(encoding="utf-8", newline="\n") as file:
                entries = [json.loads(entry) for entry in file]
        except FileNotFoundError:
            return {}
        if self._places is not None:
            told = (lines_told(code, reason) for _, code, reason in entries)
            found = self._places({line for lines in told for line in lines})
            entries = [(line, code, with_places_told(code, reason, found)) for line, code, reason in entries]
        return {line: (code, reason) for line, code, reason in entries}

    def _flush(self) -> None:
        for number, entries in self._waiting.items():
            with (self._folder / str(number)).open("a", encoding="utf-8", newline="\n") as file:
                file.writelines(entries)
        self._waiting.clear()


class ProblemList:
    """Rejected rows of a run: for showing the first ones and how all group; all in a book if there is one."""

    def __init__(self, problems: Iterable[RowProblem], book: RejectBook | None = None) -> None:
        self._book = book
        self._shown: dict[int, RowProblem] = {}
        self._groups = ProblemGroups()
        for problem in problems:
            self._add(problem)

    def gather(self, infos: Iterable[ShardInfo]) -> Iterator[ShardInfo]:
        """Passes shard infos on and takes their rejects in."""
        for info in infos:
            self.add_rejects(info.rejects, info.split)
            yield info

    def add_rejects(self, rejects: Iterable[RejectedImage], split: str) -> None:
        """Takes rows in whose images were rejected."""
        for row in rejects:
            self._add(RowProblem(row.line, split, row.image_uri, row.code, row.reason, row.also))

    def _add(self, problem: RowProblem) -> None:
        if self._book is not None:
            self._book.add(problem)
        self._groups.add(problem)
        if len(self._shown) < SHOWN_PROBLEMS:
            self._shown[problem.line] = problem

    def shown(self) -> list[RowProblem]:
        """At most `SHOWN_PROBLEMS` of them, by line."""
        return sorted(self._shown.values(), key=lambda problem: problem.line)

    def groups(self) -> tuple[ProblemGroup, ...]:
        """The largest groups of all of them."""
        return self._groups.groups()


def read_rejects(folder: Place, rows: RowFile) -> Iterator[RowProblem]:
    """The rejected rows of a finished dataset, with the image URIs of its source, as far as they are told.

    People mend rejects.csv where it is, and spreadsheets save it as they like. What they took out, or what is
    not told any more, is left out. In line order, but for very many rows that somebody sorted otherwise.
    """
    row: Row | None = None
    before = 0
    source: Iterator[Row] = iter(())
    for line, code, reason, _ in _in_order(_read_entries(folder)):
        if not before or line < before:
            source = rows.read()[1]
            row = next(source, None)
        before = line
        while row is not None and row.line < line:
            row = next(source, None)
        if row is not None and row.line == line:
            yield RowProblem(line, row.split or "", row.told_uri, code, reason)


def listed_codes(folder: Place) -> Counter[str]:
    """code -> rows of rejects.csv that tell it, as far as the file is one still."""
    return Counter(code for _, code, _, _ in _read_entries(folder))


def listed_rejects(folder: Place) -> Iterator[RowProblem]:
    """The rejected rows as rejects.csv alone tells them: the source is not at hand."""
    for line, code, reason, image_uri in _read_entries(folder):
        yield RowProblem(line, "", image_uri, code, reason)


def _in_order(entries: Iterator[_Entry]) -> Iterator[_Entry]:
    """The same, as many as wait in memory sorted at a time; of a line that comes twice, one."""
    while some := {entry[0]: entry for entry in islice(entries, _WAITING)}:
        yield from (some[line] for line in sorted(some))


def listed_places(folder: Place, lines: Set[int]) -> Mapping[int, Where]:
    """Where the rejected rows of these lines are, as far as rejects.csv tells it."""
    found: dict[int, Where] = {}
    for header, fields in _read_table(folder):
        told = dict(zip(header, fields, strict=False))
        number = _LINE.fullmatch(told.get(_line_column(header), ""))
        if number is not None and int(number[1]) in lines and OWN_COLUMNS[0] in told:
            found[int(number[1])] = Where(told.get(SOURCE_COLUMN, ""), told[OWN_COLUMNS[0]])
    return found


def _read_entries(folder: Place) -> Iterator[_Entry]:
    """Each row of rejects.csv that tells its line, code and reason."""
    for header, fields in _read_table(folder):
        line, code, reason = map(header.index, (_line_column(header), *REPORT_COLUMNS[1:]))
        uri = header.index("image_uri") if "image_uri" in header else None
        number = _LINE.fullmatch(fields[line]) if len(fields) > max(line, code, reason, uri or 0) else None
        if number is not None and fields[code].strip() != SAME_IMAGE:
            image_uri = "" if uri is None else fields[uri]
            yield int(number[1]), fields[code].strip(), fields[reason].strip(), image_uri


def _line_column(header: Sequence[str]) -> str:
    """The column of the line in the list that was read, the joined one of several sources."""
    return ROW_COLUMN if ROW_COLUMN in header else REPORT_COLUMNS[0]


def _read_table(folder: Place) -> Iterator[tuple[list[str], list[str]]]:
    """(header, fields) of each row of rejects.csv, as far as the file is one still."""
    try:
        raw = open_binary(folder / REJECTS)
    except OSError:
        return
    with io.TextIOWrapper(raw, encoding="utf-8-sig", errors="replace", newline="") as file:
        first = file.readline(MAX_ROW)
        after = _AFTER.search(first)
        delimiter = after[1] if after else detect_delimiter(first)
        reader = csv.reader(chain([first], file), delimiter=delimiter)
        with contextlib.suppress(csv.Error):  # a quote that is never closed, say: the rest tells nothing
            header = [name.strip() for name in next(reader, [])]
            if not {*REPORT_COLUMNS} <= {*header}:
                return
            for fields in reader:
                yield header, fields


def write_rejects(
    folder: Place, rows: RowFile, rejects: RejectBook, temporary: Path | None = None
) -> FileSum:
    """Writes rejects.csv in the order of the source.

    Its columns are the source's own, those that a ragged row needs on top, and why it was rejected. Of
    several sources the line is that of a row's own, empty where that has none; the line in the list of all
    of them comes last.

    Args:
      folder: that it is written to.
      rows: the source, which is read again for the rows as they were written.
      rejects: which lines, and why.
      temporary: folder for the file while it is written; ``folder`` when left out.

    Returns:
      its size and checksum.
    """
    shape, records = rows.read_records()
    header, keep = _base_columns(shape, rows)
    longest = max((len(fields) for _, fields in _chosen(records, rejects, shape, keep)), default=0)
    width = max(len(header), longest)
    prefix = FURTHER_LABEL if not shape.header or shape.open_ended else FURTHER_FIELD
    header += [f"{prefix}{number}" for number in range(2, width - len(header) + 2)]
    with whole_file(folder / REJECTS, temporary) as file:
        summed = SummedText(file)
        writer = csv.writer(summed, lineterminator="\n")
        own_line = _own_line(rows, header)
        if own_line is not None:
            rejects.tell_places(partial(places_of, rows))
        writer.writerow([*header, *REPORT_COLUMNS, *([ROW_COLUMN] if own_line else [])])
        # The one character that needs quotes and gets none from the writer above.
        quoting = csv.writer(summed, lineterminator="\n", quoting=csv.QUOTE_ALL)
        for line, fields in _chosen(rows.read_records()[1], rejects, shape, keep):
            padding = [""] * (width - len(fields))
            chosen = quoting if any("\r" in field for field in fields) else writer
            why = rejects.reason_of(line) or ()
            report = (str(line), *why) if own_line is None else (own_line(fields), *why, str(line))
            chosen.writerow([*fields, *padding, *report])
    return summed.sum()


def _own_line(rows: RowFile, header: Sequence[str]) -> Callable[[list[str]], str] | None:
    """The line that the fields of a row of several sources tell; None for a list of one source."""
    if not rows.is_spooled or SOURCE_COLUMN not in header:
        return None
    place = header.index(OWN_COLUMNS[0])
    return lambda fields: str(Where("", fields[place]).line or "") if place < len(fields) else ""


def _base_columns(shape: CsvShape, rows: RowFile) -> tuple[list[str], list[int]]:
    """The source's column names, and the numbers of those kept: not an earlier report's.

    A list of tfrec's own has a column for each attribute that boxes can have: those that no box has are no
    columns of the source.
    """
    if not shape.header:
        return ["split", "image_uri", "label", *(CORNER_COLUMNS if shape.boxes else ())], []
    untold = {*ATTRIBUTES} - {*rows.attributes} if rows.is_spooled and shape.boxes is not None else set()
    keep = [i for i, name in enumerate(shape.header) if name not in _ADDED and name not in untold]
    return [shape.header[i] for i in keep], keep


def _chosen(
    records: Iterator[tuple[int, list[str] | Malformed]],
    rejects: RejectBook,
    shape: CsvShape,
    keep: list[int],
) -> Iterator[tuple[int, list[str]]]:
    """(line, fields in the order of the columns) of the rejected rows."""
    left = rejects.lines
    for line, fields in records:
        if not left:
            return  # a long list is not read to its end for a few rows at its start
        if rejects.reason_of(line) is None:
            continue
        left -= 1
        if isinstance(fields, Malformed):
            fields = fields.fields(shape.delimiter)
        if shape.header:
            fields = without_padding(fields)
            yield line, [fields[i] for i in keep if i < len(fields)] + fields[len(shape.header) :]
        else:
            yield line, fields_by_position(fields, shape)
