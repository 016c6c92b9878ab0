"""`load`: a dataset as tf.data.Datasets whose batches arrive on an accelerator."""

from __future__ import annotations

import dataclasses
import inspect
import os
import warnings
from collections.abc import Collection, Mapping
from typing import Any

from tfrecordcli.dataset.manifest import schema_of
from tfrecordcli.errors import UsageError
from tfrecordcli.feed.graph import parse_spec
from tfrecordcli.feed.labels import check_label_mode, class_names, label_mode_for, num_classes
from tfrecordcli.feed.options import FeedOptions
from tfrecordcli.feed.pipeline import Augment, Recipe, warm_up, with_cardinality
from tfrecordcli.feed.rows import need_whole_numbers
from tfrecordcli.feed.splits import check_presence, open_dataset, read_splits
from tfrecordcli.feed.tensorflow import CPU, choose_device
from tfrecordcli.split_words import parse_split
from tfrecordcli.storage.store import forget_stores
from tfrecordcli.storage.store_path import place_of
from tfrecordcli.storage.uris import is_remote
from tfrecordcli.units import nearest


class Splits(dict[str, Any]):
    """The splits of a dataset, each a tf.data.Dataset.

    A split is found under every word that image lists use for it: ``TRAIN`` and ``training`` are
    ``train``, ``val`` is ``validation``.

    Attributes:
      class_names: in id order: ``class_names[label]`` is the name of a label. A list; for ids beyond a
        million with gaps among them a `tfrecordcli.feed.labels.SparseNames`, which is looked up alike.
      num_classes: outputs that a classifier needs.
      manifest: content of manifest.json.
      parse_spec: the ``features`` of tf.io.parse_single_example for all that the records hold.
      device: where batches arrive: ``cpu`` or ``gpu:N``.
    """

    def __init__(self, datasets: Mapping[str, Any], manifest: Mapping[str, Any], device: str) -> None:
        super().__init__(datasets)
        self.manifest = manifest
        self.class_names = class_names(manifest)
        self.num_classes = num_classes(manifest)
        self.parse_spec = parse_spec(schema_of(manifest))
        self.device = device

    def __missing__(self, word: str) -> Any:
        split = parse_split(word) if isinstance(word, str) else None
        if split is None or not dict.__contains__(self, split):
            raise KeyError(f"{word!r}: this dataset has {', '.join(self) or 'no splits'}")
        return dict.__getitem__(self, split)

    def __contains__(self, word: object) -> bool:
        return super().__contains__(word) or (
            isinstance(word, str) and super().__contains__(parse_split(word))
        )

    def get(self, word: str, default: Any = None) -> Any:
        """The dataset of a split, or ``default``."""
        try:
            return self[word]
        except KeyError:
            return default


def load(
    path: str | os.PathLike[str],
    *,
    augment: Augment | None = None,
    augment_splits: str | Collection[str] = ("train",),
    **options: Any,
) -> Splits:
    """Loads a dataset that `tfrec convert` wrote, for training.

    Args:
      path: its folder, or its URL: gs://, s3://, oss:// or az://, read through a local cache
        (`tfrecordcli.feed.store_cache`).
      augment: called with (image uint8 [H, W, 3], label) of each element, in the graph, before batching;
        returns both, of any type and any one size. Without labels it is called with the image alone. With
        ``image_size=None`` it sees each image at its own size, as random crops of whole photos want it.
      augment_splits: where that happens; validation and test data stay as they are unless named.
      **options: those of `tfrecordcli.feed.options.FeedOptions`: ``batch_size=64``, ``image_size=224``,
        ``shuffle=True``, ``seed=None``, ``resize="pad"``, ``label_mode="int"``, ``shard=(0, 1)``, …

    Returns:
      split -> tf.data.Dataset of (uint8 [B, H, W, 3], int64 [B]), of known length, in a new order each
      epoch. With other options: float32 [B, num_classes] or no labels; string [B] for ``raw``. Where numbers
      are predicted, float32 [B] in the place of labels. Of a dataset with boxes a dictionary in their place:
      ``boxes`` float32 [B, max_boxes, 4] and ``labels`` int64 [B, max_boxes], filled up with -1; they lie
      on the image as it is fed, and ids are from 1. ``augment`` gets and returns this dictionary, not yet
      filled up: what it does to the image, such as a flip, it must do to the boxes. Of rows without images
      the first of both is a dictionary too, key -> int64, float32 or string [B] of each column, nan or an
      empty text where a row has none, ragged for columns of lists, and
      alone where no column holds labels; for ``raw`` the serialized records.

    Every shard is looked for, and its size compared; none is read. So a shard of the right size with other
    bytes in it shows while batches are taken only, as TensorFlow's DataLossError, which has the byte but not
    the file: `tfrec verify` names both.

    Raises:
      UsageError: an option is unknown or cannot be right; images of a split would keep different sizes in
        one batch; a GPU is asked for and not there.
      InputError: there is no such dataset, a shard is missing or of another size, or its labels do not fit
        ``label_mode``.
      MissingPackageError: TensorFlow is not installed.
    """
    chosen = _options(options)
    if augment is not None:
        _check_augment(augment, chosen)
    forget_stores()
    folder = place_of(path if is_remote(os.fspath(path)) else os.path.abspath(path))
    manifest = open_dataset(folder)
    chosen = dataclasses.replace(chosen, label_mode=label_mode_for(chosen.label_mode, schema_of(manifest)))
    splits = read_splits(folder, manifest)
    check_presence(folder, splits)
    check_label_mode(chosen.label_mode, splits, num_classes(manifest), schema_of(manifest))
    _check_boxes(chosen, manifest)
    is_table = schema_of(manifest).task == "tabular"
    if is_table and not chosen.raw:
        need_whole_numbers(schema_of(manifest))
    names = [split.name for split in splits]
    augmented = _augmented_splits(augment_splits, names) if augment is not None else set()
    _check_sizes(chosen, names, augmented)
    device = CPU if chosen.raw or chosen.ragged or is_table else choose_device(chosen.device)
    warm_up(device)
    plain = Recipe(chosen, num_classes(manifest), device)
    with_augment = dataclasses.replace(plain, augment=augment)
    datasets = {
        split.name: with_cardinality(split, with_augment if split.name in augmented else plain)
        for split in splits
    }
    return Splits(datasets, manifest, device.name)


def _augmented_splits(words: str | Collection[str], splits: Collection[str]) -> set[str]:
    """The splits that are meant; a misspelt one must not pass for one that is not augmented."""
    chosen = [words] if isinstance(words, str) else words
    if not isinstance(chosen, Collection) or not all(isinstance(word, str) for word in chosen):
        raise UsageError(f"augment_splits must be names of splits, got {words!r}", "as in ('train',)")
    for word in chosen:
        if parse_split(word) is None and word not in splits:
            hint = f"the dataset has {', '.join(splits)}"
            raise UsageError(f"augment_splits: there is no split {word!r}", hint)
    return {parse_split(word) or word for word in chosen}


def _check_boxes(options: FeedOptions, manifest: Mapping[str, Any]) -> None:
    """Refuses options of boxes where there are none; warns of boxes that no batch has room for.

    Raises:
      UsageError
    """
    is_for_boxes = schema_of(manifest).task == "detection" and options.label_mode == "int"
    usual = FeedOptions()
    for name in ("box_format", "max_boxes", "ragged"):
        if not is_for_boxes and getattr(options, name) != getattr(usual, name):
            raise UsageError(f"{name} is for boxes, and elements have none here", "leave it out")
    most = manifest["boxes"]["most"] if is_for_boxes else 0
    if most > options.max_boxes and not options.ragged:
        said = f"an image has {most:,} boxes, and max_boxes={options.max_boxes:,} leaves the rest out"
        warnings.warn(f"{said}: load with max_boxes={most} or ragged=True for all of them", stacklevel=6)


def _check_sizes(options: FeedOptions, splits: Collection[str], augmented: Collection[str]) -> None:
    plain = [split for split in splits if split not in augmented]
    if plain and not options.is_batchable:
        raise UsageError(
            "images of different sizes cannot be batched, and nothing brings those of"
            f" {', '.join(plain)} to one",
            "give image_size, batch_size=1 or raw=True, or an augment that returns one size, with"
            f" augment_splits={tuple(splits)}",
        )


def _check_augment(augment: Augment, options: FeedOptions) -> None:
    if options.raw:
        raise UsageError(
            "augment works on pixels, and raw=True gives encoded files", "map the dataset instead"
        )
    names = ("image",) if options.label_mode == "none" else ("image", "label")
    try:
        inspect.signature(augment).bind(*names)
    except TypeError as error:
        call = f"augment({', '.join(names)})"
        raise UsageError(
            f"augment must be callable as {call}: {error}", "give it these parameters"
        ) from error
    except ValueError:
        pass  # a native function tells nothing of its parameters


def _options(given: Mapping[str, Any]) -> FeedOptions:
    known = [field.name for field in dataclasses.fields(FeedOptions)]
    unknown = sorted(given.keys() - set(known))
    if unknown:
        known += ["augment", "augment_splits"]
        hint = nearest(unknown[0], known) or f"it has {', '.join(known)}"
        raise UsageError(f"load has no option {unknown[0]!r}", hint)
    return FeedOptions(**given)
