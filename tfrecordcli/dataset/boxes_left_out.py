"""boxes-left-out.csv: boxes that are in no record, though their image is."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from itertools import islice
from pathlib import Path
from typing import Final

from tfrecordcli.dataset.checksummed_json import FileSum, SummedText
from tfrecordcli.dataset.shard_info import ShardInfo
from tfrecordcli.reasons import BOX_REASONS
from tfrecordcli.storage.store_path import Place
from tfrecordcli.storage.uris import public_uri
from tfrecordcli.storage.writing import whole_file

COLUMNS: Final = ("image_uri", "label", "tfrec_line", "tfrec_place", "tfrec_code", "tfrec_reason")
_LINE: Final = COLUMNS.index("tfrec_line")
_AT_ONCE: Final = 100_000  # boxes whose places are looked up in one reading of the list
# Lines -> (line of the source or "", place) of those that people know by other places.
Places = Callable[[Set[int]], Mapping[int, tuple[str, str]]]


def rows_of(left_out: Iterable[tuple[str, int, str]]) -> str:
    """The rows of boxes that the reader of a list left out.

    Args:
      left_out: (place, number of the box, reason) of each.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    for place, box, reason in left_out:
        writer.writerow(["", "", "", f"{place}, box {box}" if place else f"box {box}", "unread", reason])
    return file.getvalue()


class BoxReport:
    """Boxes that were left out, on disk: memory does not grow with their number.

    Attributes:
      count: of them.
    """

    def __init__(self, folder: Path, before: str = "") -> None:
        """Takes the rows that are known before any image is read."""
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / "boxes-left-out"
        self._before = before
        self.count = before.count("\n")

    def __enter__(self) -> BoxReport:
        self._file = self._path.open("w", encoding="utf-8", newline="")
        self._file.write(self._before)
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def gather(self, infos: Iterable[ShardInfo]) -> Iterator[ShardInfo]:
        """Passes shard infos on and takes in what their images are stored without."""
        writer = csv.writer(self._file, lineterminator="\n")
        for info in infos:
            for box in info.left_out:
                uri, reason = public_uri(box.image_uri), BOX_REASONS[box.code]
                writer.writerow([uri, box.label, box.line, "", box.code, reason])
                self.count += 1
            yield info

    def write_to(self, path: Place, temporary: Path, places: Places) -> FileSum:
        """Writes the report; returns its size and checksum.

        Args:
          places: where people find the rows of some lines of the list.
        """
        with whole_file(path, temporary) as file, self._path.open(encoding="utf-8", newline="") as rows:
            summed = SummedText(file)
            writer = csv.writer(summed, lineterminator="\n")
            writer.writerow(COLUMNS)
            reader = csv.reader(rows)
            while some := list(islice(reader, _AT_ONCE)):
                writer.writerows(_placed(some, places))
        return summed.sum()


def _placed(rows: list[list[str]], places: Places) -> Iterator[list[str]]:
    """The same with the places that are known in place of lines of a list of tfrec's own."""
    found = places({int(row[_LINE]) for row in rows if row[_LINE]})
    for row in rows:
        told = found.get(int(row[_LINE])) if row[_LINE] else None
        yield row if told is None else [*row[:_LINE], *told, *row[_LINE + 2 :]]
