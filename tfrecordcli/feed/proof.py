"""Proof that TensorFlow reads what was written: every record through the pipeline that users load."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tfrecordcli.dataset.manifest import Manifest
from tfrecordcli.errors import ResourceError
from tfrecordcli.feed.batches import Taking
from tfrecordcli.feed.labels import natural_mode, num_classes
from tfrecordcli.feed.options import FeedOptions, LabelMode
from tfrecordcli.feed.pipeline import assemble
from tfrecordcli.feed.recipe import Recipe
from tfrecordcli.feed.splits import Shard, Split, read_splits
from tfrecordcli.feed.store_cache import raise_error_of_store
from tfrecordcli.feed.tensorflow import choose_device, import_tensorflow
from tfrecordcli.formats.digest import add_digests
from tfrecordcli.problems import Problem, problem
from tfrecordcli.storage.store_path import Place
from tfrecordcli.units import plural

Progress = Callable[[int], None]

# What TensorFlow puts around the reason of an error: names of nodes, ops and files' folders.
_DECORATION: Final = re.compile(r"\{\{.*?\}\}\s*|\s*\[Op:.*|\s*\[\[.*", re.DOTALL)
_LONGEST_REASON: Final = 500  # of a message that can quote a whole record
_WORD: Final = 1 << 64


@dataclass(slots=True)
class FeedTally:
    """What came out of a feed."""

    records: int = 0
    digest: int = 0
    labels: Counter[int] = field(default_factory=Counter)


def prove(
    folder: Place,
    manifest: Manifest,
    options: FeedOptions,
    on_progress: Progress | None = None,
) -> list[Problem]:
    """Reads every record of every split and compares with the manifest.

    Number of records and their order-free digest (computed in the graph, from what TensorFlow's reader
    gave) and the labels (counted from the batches that arrived, or, where multi-hot rows would be too long,
    from the ids beside them) must be those that were written.

    Args:
      folder: of the dataset.
      manifest: its content; only the splits that it lists are read.
      options: batch size, image size and device; the others are set as a proof needs them.
      on_progress: told how many more records were read, after each batch.

    Returns:
      feed_failed, feed_count, feed_labels, feed_digest; empty when all is well. No more memory is used
      for more records.

    Raises:
      InputError, UsageError, MissingPackageError: as of `load`.
      ResourceError: the host or the device ran out of memory.
      StoreError, OutageError: the store that holds the dataset is in the way.
    """
    splits = read_splits(folder, manifest)
    recipe = proof_recipe(manifest, splits, options)
    problems: list[Problem] = []
    for split in splits:
        problems += _prove_split(split, recipe, on_progress or (lambda records: None))
    return problems


def proof_recipe(manifest: Manifest, splits: list[Split], options: FeedOptions) -> Recipe:
    """The recipe of a pass over every record once, with all labels, in order."""
    is_table = manifest.schema.task == "tabular"  # whose records are parsed all the same
    whole = replace(
        options,
        shuffle=False,
        repeat=False,
        raw=is_table,
        drop_remainder=False,
        shard=(0, 1),
        label_mode=natural_mode(manifest, splits),
    )
    classes = num_classes(manifest)
    # Boxes arrive filled up, or cut where an image has very many.
    has_ids = classes > 0 and (whole.label_mode == "none" or manifest.schema.task == "detection")
    return Recipe(whole, classes, choose_device(whole.device), digest=True, ids=has_ids)


def _prove_split(split: Split, recipe: Recipe, on_progress: Progress) -> list[Problem]:
    tf = import_tensorflow()
    tally = FeedTally()
    try:
        for read in count_batches(split, recipe, tally):
            on_progress(read)
    except tf.errors.ResourceExhaustedError as error:
        raise out_of_memory(recipe.options) from error
    except tf.errors.OpError as error:
        raise_error_of_store()
        found = [p for shard in split.shards if (p := _failure_of(split, shard, recipe))]
        return found or [problem("feed_failed", detail=f"{split.name}: {reason_of(error)}")]
    return list(_compare(split, tally))


def out_of_memory(options: FeedOptions) -> ResourceError:
    """The error that says that host or device cannot hold the batches."""
    images = plural(options.batch_size, "image")
    return ResourceError(f"out of memory with batches of {images}", "use a smaller --batch-size")


def count_batches(split: Split, recipe: Recipe, tally: FeedTally) -> Iterator[int]:
    """Drains a feed into a tally; yields the records of each batch.

    Raises:
      tensorflow.errors.OpError: it cannot be read.
    """
    mode = recipe.options.label_mode
    with Taking(assemble(split, recipe)) as elements:
        for element, digests, *ids in elements:
            words = digests.numpy()
            tally.records += len(words)
            tally.digest = add_digests(tally.digest, int(words.sum()) % _WORD)  # NumPy's sum wraps too
            if ids:
                tally.labels.update(_histogram_of_ids(ids[0].numpy()))
            elif mode != "none" and not isinstance(element[1], dict):
                tally.labels.update(_histogram(element[1].numpy(), mode))
            yield len(words)


def reason_of(error: Any) -> str:
    """Why TensorFlow failed, in one line, without names of nodes and folders."""
    reason = _DECORATION.sub("", str(error.message)).strip().partition("\n")[0]
    reason = re.sub(r"(?:/[^/\s;]+)+/(?=[^/\s;]+\.tfrecord)", "", reason[:_LONGEST_REASON])
    return reason or type(error).__name__


def _histogram(labels: Any, mode: LabelMode) -> dict[int, int]:
    """Label id -> records, of the labels of one batch."""
    import numpy as np

    if mode == "int":
        ids, counts = np.unique(labels, return_counts=True)
    else:
        sums = labels.sum(axis=0)
        (ids,) = sums.nonzero()
        counts = sums[ids]
    return {int(label): int(count) for label, count in zip(ids, counts, strict=True)}


def _histogram_of_ids(rows: Any) -> Counter[int]:
    """The same of label ids, int64 [B, n], filled up with -1."""
    counts: Counter[int] = Counter()
    for row in rows.tolist():
        counts.update(label for label in row if label != -1)
    return counts


def _failure_of(split: Split, shard: Shard, recipe: Recipe) -> Problem | None:
    """The first record of one shard that cannot be read, found by reading them one by one."""
    tf = import_tensorflow()
    tally = FeedTally()
    alone = replace(split, shards=(shard,))
    try:
        for _ in count_batches(alone, recipe.with_options(batch_size=1), tally):
            pass
    except tf.errors.OpError as error:
        name = os.path.basename(shard.path)
        return problem("feed_failed", name, tally.records, detail=reason_of(error))
    return None


def _compare(split: Split, tally: FeedTally) -> Iterator[Problem]:
    if tally.records != split.records:
        yield problem("feed_count", split=split.name, found=tally.records, expected=split.records)
    if tally.labels != split.labels:
        yield problem("feed_labels", split=split.name)
    if f"{tally.digest:016x}" != split.digest:
        yield problem("feed_digest", split=split.name)
