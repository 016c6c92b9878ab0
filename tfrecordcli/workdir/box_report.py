"""boxes-left-out.csv: boxes that are in no record, though their image is."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from tfrecordcli.dataset.checksummed_json import FileSum, SummedText
from tfrecordcli.dataset.shard_info import ShardInfo
from tfrecordcli.reasons import BOX_REASONS
from tfrecordcli.storage.store_path import Place
from tfrecordcli.storage.uris import public_uri
from tfrecordcli.storage.writing import whole_file

COLUMNS: Final = ("image_uri", "label", "tfrec_line", "tfrec_code", "tfrec_reason")


class BoxReport:
    """Boxes that were left out, on disk: memory does not grow with their number.

    Attributes:
      count: of them.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / "boxes-left-out"
        self.count = 0

    def __enter__(self) -> BoxReport:
        self._file = self._path.open("w", encoding="utf-8", newline="")
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def gather(self, infos: Iterable[ShardInfo]) -> Iterator[ShardInfo]:
        """Passes shard infos on and takes in what their images are stored without."""
        writer = csv.writer(self._file, lineterminator="\n")
        for info in infos:
            for box in info.left_out:
                reason = BOX_REASONS[box.code]
                writer.writerow([public_uri(box.image_uri), box.label, box.line, box.code, reason])
                self.count += 1
            yield info

    def write_to(self, path: Place, temporary: Path) -> FileSum:
        """Writes the report; returns its size and checksum."""
        with whole_file(path, temporary) as file, self._path.open(encoding="utf-8", newline="") as rows:
            summed = SummedText(file)
            summed.write(",".join(COLUMNS) + "\n")
            for row in rows:
                summed.write(row)
        return summed.sum()
