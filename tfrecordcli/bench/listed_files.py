"""The image files of ways that read files: those that a list names, or those in the records."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from tfrecordcli.bench.ways import open_list
from tfrecordcli.dataset.manifest import Manifest
from tfrecordcli.errors import InputError, UsageError
from tfrecordcli.feed.boxes import LABELS
from tfrecordcli.feed.options import FeedOptions
from tfrecordcli.feed.pipeline import assemble
from tfrecordcli.feed.recipe import Recipe
from tfrecordcli.feed.splits import largest, read_splits
from tfrecordcli.feed.tensorflow import failures_in_words, import_tensorflow
from tfrecordcli.feed.timing import timed_recipe
from tfrecordcli.formats.typed_json import of_type
from tfrecordcli.images.check import check_image
from tfrecordcli.options import ImageOptions, ReadOptions
from tfrecordcli.planning.split_assignment import UNASSIGNED, Dealt, Splitter, split_by_group
from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.several.joined import open_sources
from tfrecordcli.sources.source import Source
from tfrecordcli.storage.reading import read_image
from tfrecordcli.storage.store_path import Place
from tfrecordcli.storage.uris import is_remote, join

# What is laid out at most for the ways that read files.
_MOST_IMAGES: Final = 2000
_MOST_BYTES: Final = 512 << 20
# Characters of a reason of TensorFlow's.
_LONGEST_REASON: Final = 300

# What every way decodes as it is: JPEG, PNG, GIF, BMP.
_MAGIC: Final = (b"\xff\xd8", b"\x89PNG", b"GIF8", b"BM")


@dataclass(frozen=True, slots=True)
class Listed:
    """Files that are read as they are, and rows that were passed over until there were enough."""

    files: int
    passed_over: int


def list_files(source: Sequence[str], split: str, manifest: Manifest, into: Path) -> Listed:
    """Writes a list of `file,label` of the images that the rows of one split name.

    At most 2,000 images or 512 MiB. Passed over are rows whose image cannot be used, or is of a format that
    TensorFlow does not decode. A row's first label counts; -1 stands for none.

    Args:
      source: what was converted, one or several; it is read as it was then, as the manifest has it.
      split: whose rows are taken.
      manifest: of the dataset that came of it.
      into: folder of the list.

    Raises:
      InputError: there is no such source, or none of its images can be used.
      UsageError: the images are not local files.
    """
    options = _options_of(manifest)
    labels = manifest.labels
    files = passed_over = size = 0
    with (
        open_sources(source, options, str(into)) as rows,
        open_list(into, "w") as file,
    ):
        writer = csv.writer(file)
        for uri, names in _rows_of(rows, split, options):
            found = _usable(uri, rows.image_root)
            if found is None:
                passed_over += 1
                continue
            if files >= _MOST_IMAGES or size + found[1] > _MOST_BYTES:
                break
            writer.writerow((found[0], labels.get(names[0], -1) if names else -1))
            files, size = files + 1, size + found[1]
    if not files:
        raise InputError(
            f"{', '.join(source)}: none of its images for {split} can be used",
            "is it the list of this dataset?",
        )
    return Listed(files, passed_over)


def _options_of(manifest: Manifest) -> ReadOptions:
    """How the source was read; labels come from the manifest's map, whatever file they came from."""
    # Datasets of which this is not known are of the time when every folder was read so.
    values = {"label_folder": "first", **manifest.options["read"], "labels_file": None, "label_names": None}
    return of_type(ReadOptions, values)


def _rows_of(source: Source, split: str, options: ReadOptions) -> Iterator[tuple[str, tuple[str, ...]]]:
    """(image URI, labels) of the rows of a split, as the conversion assigned them."""
    if options.stratify:
        raise UsageError(
            "how rows were assigned by --stratify is not known from the list", "leave out --source"
        )
    splitter = Splitter(options.splits, options.split_seed)
    rows = source.rows.read()[1]
    for row in split_by_group(rows, splitter, Dealt()) if options.split_by is not None else rows:
        if row.problem is None:
            chosen = splitter.split_of(row.image_uri) if row.split == UNASSIGNED else row.split
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


def lay_out_files(folder: Place, manifest: Manifest, into: Path) -> int:
    """Writes images of the largest split as files, with a list of `file,label`; returns how many.

    At most 2,000 images or 512 MiB. A record's first label counts; -1 stands for none.

    Raises:
      InputError: the records cannot be read.
      MissingPackageError: TensorFlow is not installed.
    """
    source = largest(read_splits(folder, manifest))
    if source is None:
        return 0
    recipe = timed_recipe(manifest, source, FeedOptions(repeat=False, shuffle=False, device="cpu"))
    once = replace(recipe.with_options(repeat=False), until="parse")
    count = size = 0
    with _reading(folder), open_list(into, "w") as file:
        writer = csv.writer(file)
        for encoded, label in _records(assemble(source, once), once):
            if count >= _MOST_IMAGES or size + len(encoded) > _MOST_BYTES:
                break
            name = f"{count:06d}"
            (into / name).write_bytes(encoded)
            writer.writerow((str(into / name), label))
            count, size = count + 1, size + len(encoded)
    return count


@contextmanager
def _reading(folder: Place) -> Iterator[None]:
    """Turns TensorFlow's errors over damaged or missing shards into one with a hint."""
    try:
        with failures_in_words():
            yield
    except import_tensorflow().errors.OpError as error:
        reason = error.message.rpartition("}} ")[2].partition("\n")[0][:_LONGEST_REASON]
        raise InputError(
            f"{folder}: TensorFlow cannot read its records: {reason}", "tfrec verify says what is wrong"
        ) from error


def _records(dataset: Any, recipe: Recipe) -> Any:
    """(encoded image, label id) of every element."""
    mode = recipe.options.label_mode
    for batch in dataset:
        files = (batch if mode == "none" else batch[0]).numpy()
        labels = [-1] * len(files) if mode == "none" else _first_labels(batch[1])
        for encoded, label in zip(files, labels, strict=True):
            if mode == "multi_hot":
                label = label.argmax() if label.any() else -1
            yield bytes(encoded), int(label)


def _first_labels(labels: Any) -> Any:
    """The labels of a batch as an array; of boxes, that of the first of each image."""
    return labels[LABELS][:, 0].numpy() if isinstance(labels, dict) else labels.numpy()
