"""rejects.csv: every row that could not be used, in a form that can be mended and converted again."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tfrecordcli.dataset.csv_shape import FURTHER_FIELD, FURTHER_LABEL, REPORT_COLUMNS, CsvShape
from tfrecordcli.dataset.row_file import RowFile
from tfrecordcli.dataset.rows import fields_by_position, without_padding
from tfrecordcli.dataset.scan import SHOWN_PROBLEMS, Problem
from tfrecordcli.dataset.shard_info import RejectedRow, ShardInfo
from tfrecordcli.naming import REJECTS
from tfrecordcli.reasons import IMAGE_REASONS, Rejected
from tfrecordcli.storage.writing import publish


class ProblemList:
    """All rejected rows of a run: reasons by line, and the first ones whole, for showing."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.reasons: dict[int, tuple[str, str]] = {}
        self._shown: list[Problem] = []
        for problem in problems:
            self._add(problem)

    def gather(self, infos: Iterable[ShardInfo]) -> Iterator[ShardInfo]:
        """Passes shard infos on and takes their rejects in."""
        for info in infos:
            self.add_rejects(info.rejects, info.split)
            yield info

    def add_rejects(self, rejects: Iterable[RejectedRow], split: str) -> None:
        """Takes rows in whose images were rejected."""
        for reject in rejects:
            self._add(Problem(reject.line, split, reject.image_uri, reject.code, reject.reason))

    def _add(self, problem: Problem) -> None:
        self.reasons[problem.line] = (problem.code, problem.reason)
        if len(self._shown) < SHOWN_PROBLEMS:
            self._shown.append(problem)

    def of_images(self) -> list[Problem]:
        """Those among the first whose image, not row, is at fault; by line."""
        return [problem for problem in self.shown() if problem.code in IMAGE_REASONS]

    def shown(self) -> list[Problem]:
        """At most `SHOWN_PROBLEMS` of them, by line."""
        return sorted(self._shown, key=lambda problem: problem.line)


def read_rejects(folder: Path, rows: RowFile) -> ProblemList:
    """The rejected rows of a finished dataset, with the image URIs that its source has for them."""
    reasons: dict[int, tuple[str, str]] = {}
    try:
        with (folder / REJECTS).open(encoding="utf-8", newline="") as file:
            for entry in csv.DictReader(file):
                line, code, reason = (entry[column] for column in REPORT_COLUMNS)
                reasons[int(line)] = (code, reason)
    except FileNotFoundError:
        return ProblemList(())
    chosen = (row for row in rows.read()[1] if row.line in reasons)
    return ProblemList(
        Problem(row.line, row.split or "", row.image_uri, *reasons[row.line]) for row in chosen
    )


def write_rejects(folder: Path, rows: RowFile, rejects: Mapping[int, tuple[str, str]]) -> None:
    """Writes rejects.csv in the order of the source.

    Its columns are the source's own, those that a ragged row needs on top, and why it was rejected.

    Args:
      folder: that it is written to.
      rows: the source, which is read again for the rows as they were written.
      rejects: line -> (code, reason).
    """
    shape, records = rows.read_records()
    header, keep = _base_columns(shape)
    width = max(len(header), *(len(fields) for _, fields in _chosen(records, rejects, shape, keep)))
    prefix = FURTHER_LABEL if not shape.header or shape.open_ended else FURTHER_FIELD
    header += [f"{prefix}{number}" for number in range(2, width - len(header) + 2)]
    temporary = folder / (REJECTS + ".tmp")
    with temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*header, *REPORT_COLUMNS])
        # The one character that needs quotes and gets none from the writer above.
        quoting = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
        for line, fields in _chosen(rows.read_records()[1], rejects, shape, keep):
            padding = [""] * (width - len(fields))
            chosen = quoting if any("\r" in field for field in fields) else writer
            chosen.writerow([*fields, *padding, str(line), *rejects[line]])
    publish(temporary, folder / REJECTS)


def _base_columns(shape: CsvShape) -> tuple[list[str], list[int]]:
    """The source's column names, and the numbers of those kept: not an earlier report's."""
    if not shape.header:
        return ["split", "image_uri", "label"], []
    keep = [i for i, name in enumerate(shape.header) if name not in REPORT_COLUMNS]
    return [shape.header[i] for i in keep], keep


def _chosen(
    records: Iterator[tuple[int, list[str] | Rejected]],
    rejects: Mapping[int, tuple[str, str]],
    shape: CsvShape,
    keep: list[int],
) -> Iterator[tuple[int, list[str]]]:
    """(line, fields in the order of the columns) of the rejected rows."""
    for line, fields in records:
        if line not in rejects:
            continue
        if isinstance(fields, Rejected):
            yield line, []
        elif shape.header:
            fields = without_padding(fields)
            yield line, [fields[i] for i in keep if i < len(fields)] + fields[len(shape.header) :]
        else:
            yield line, fields_by_position(fields)
