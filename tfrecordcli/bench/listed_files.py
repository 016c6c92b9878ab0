"""The image files that a list names, as they were before a conversion, for ways that read files."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tfrecordcli.bench.ways import MOST_BYTES, MOST_IMAGES, open_list
from tfrecordcli.errors import InputError, UsageError
from tfrecordcli.images.check import check_image
from tfrecordcli.options import ImageOptions, ReadOptions
from tfrecordcli.planning.split_assignment import UNASSIGNED, SplitDealer
from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.source import Source, open_source
from tfrecordcli.storage.reading import read_image
from tfrecordcli.storage.uris import is_remote, join

# What every way decodes as it is: JPEG, PNG, GIF, BMP.
_MAGIC: Final = (b"\xff\xd8", b"\x89PNG", b"GIF8", b"BM")


@dataclass(frozen=True, slots=True)
class Listed:
    """Files that are read as they are, and rows that were passed over until there were enough."""

    files: int
    passed_over: int


def list_files(source: str, split: str, manifest: Mapping[str, Any], into: Path) -> Listed:
    """Writes a list of `file,label` of the images that the rows of one split name.

    At most 2,000 images or 512 MiB. Passed over are rows whose image cannot be used, or is of a format that
    TensorFlow does not decode. A row's first label counts; -1 stands for none.

    Args:
      source: what was converted; it is read as it was then, as the manifest has it.
      split: whose rows are taken.
      manifest: of the dataset that came of it.
      into: folder of the list.

    Raises:
      InputError: there is no such source, or none of its images can be used.
      UsageError: the images are not local files.
    """
    options = _options_of(manifest)
    labels: Mapping[str, int] = manifest["labels"]
    files = passed_over = size = 0
    with (
        open_source(source, options, str(into)) as rows,
        open_list(into, "w") as file,
    ):
        writer = csv.writer(file)
        for uri, names in _rows_of(rows, split, options):
            found = _usable(uri, rows.image_root)
            if found is None:
                passed_over += 1
                continue
            if files >= MOST_IMAGES or size + found[1] > MOST_BYTES:
                break
            writer.writerow((found[0], labels.get(names[0], -1) if names else -1))
            files, size = files + 1, size + found[1]
    if not files:
        raise InputError(
            f"{source}: none of its images for {split} can be used", "is it the list of this dataset?"
        )
    return Listed(files, passed_over)


def _options_of(manifest: Mapping[str, Any]) -> ReadOptions:
    """How the source was read; labels come from the manifest's map, whatever file they came from."""
    # Datasets of which this is not known are of the time when every folder was read so.
    values = {"label_folder": "first", **manifest["options"]["read"], "labels_file": None}
    for name in ("columns", "splits"):
        values[name] = tuple(map(tuple, values[name]))
    return ReadOptions(**values)


def _rows_of(source: Source, split: str, options: ReadOptions) -> Iterator[tuple[str, tuple[str, ...]]]:
    """(image URI, labels) of the rows of a split, as the conversion dealt them."""
    dealer = SplitDealer(options.splits, options.split_seed)
    for row in source.rows.read()[1]:
        if row.problem is None:
            chosen = dealer.deal(row.image_uri) if row.split == UNASSIGNED else row.split
            if chosen == split:
                yield row.image_uri, row.labels


def _usable(uri: str, root: str) -> tuple[str, int] | None:
    """(path, bytes) of an image that every way can decode; None when it is none."""
    options = ImageOptions(check="structure", exif="keep")
    try:
        path = join(root, uri)
        if is_remote(path):
            raise UsageError(f"{path}: bench compares on local files", "copy the images to a local folder")
        data = read_image(uri, root, options.max_image_bytes)
        check_image(data, options)
    except Rejected:
        return None
    return (path, len(data)) if data.startswith(_MAGIC) and Path(path).is_file() else None
