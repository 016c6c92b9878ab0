"""`load`: a dataset as tf.data.Datasets whose batches arrive on an accelerator."""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from tfrecordcli import html
from tfrecordcli.dataset.manifest import Manifest
from tfrecordcli.dataset.union import union_of
from tfrecordcli.errors import UsageError
from tfrecordcli.feed.columns import chosen_columns, stay_on_host
from tfrecordcli.feed.fit import check_augment, check_fit, check_sizes, warn_of_unused
from tfrecordcli.feed.graph import parse_spec
from tfrecordcli.feed.labels import class_names, label_mode_for, num_classes
from tfrecordcli.feed.options import FeedOptions
from tfrecordcli.feed.pipeline import warm_up, with_cardinality
from tfrecordcli.feed.recipe import Augment, Recipe
from tfrecordcli.feed.splits import Split, check_presence, joined_splits, open_dataset, read_splits
from tfrecordcli.feed.tensorflow import CPU, choose_device
from tfrecordcli.formats.typed_json import plain
from tfrecordcli.split_words import parse_split
from tfrecordcli.storage.store_path import place_of
from tfrecordcli.storage.stores import forget_stores
from tfrecordcli.storage.uris import is_remote
from tfrecordcli.units import nearest, plural, some_of


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

    def __init__(
        self, datasets: Mapping[str, Any], manifest: Manifest, device: str, *, first_label: int = 1
    ) -> None:
        super().__init__(datasets)
        self._manifest = manifest
        ids = manifest.labels
        self.class_names = class_names(manifest) if first_label else sorted(ids, key=ids.__getitem__)
        self.num_classes = num_classes(manifest) if first_label else len(self.class_names)
        self.parse_spec = parse_spec(manifest.schema)
        self.device = device

    @functools.cached_property
    def manifest(self) -> Mapping[str, Any]:
        return plain(self._manifest.as_json())  # type: ignore[no-any-return]

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

    def _repr_html_(self) -> str:
        """What notebooks show."""
        splits = self._manifest.splits
        rows = [(name, splits[name].records, batches.element_spec) for name, batches in self.items()]
        labels = self._manifest.labels
        return html.page(
            f"{plural(len(self), 'split')}, batches arrive on {self.device}",
            html.table(("split", "records", "of each batch"), rows),
            html.listing([f"{plural(len(labels), 'label')}: {some_of(list(labels))}"] if labels else []),
        )


def load(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    augment: Augment | None = None,
    augment_splits: str | Collection[str] = ("train",),
    **options: Any,
) -> Splits:
    """Loads a dataset that `tfrec convert` wrote, for training.

    Args:
      path: its folder, or its URL: gs://, s3://, oss:// or az://, read through a local cache
        (`tfrecordcli.feed.store_cache`); several in a list are one, where their schemas and label maps agree.
      augment: called with (image uint8 [H, W, 3], label) of each element, in the graph, before batching;
        returns both, of any type and any one size. Without labels it is called with the image alone. With
        ``image_size=None`` it sees each image at its own size, as random crops of whole photos want it. Boxes
        it gets and returns as a dictionary, not yet filled up: what it does to the image, such as a flip, it
        must do to them.
      augment_splits: where that happens; validation and test data stay as they are unless named.
      **options: those of `tfrecordcli.feed.options.FeedOptions`, which says what each makes of an element.

    Returns:
      split -> tf.data.Dataset of (uint8 [B, H, W, 3], label), of known length, in a new order each epoch. A
      label is an id, int64 [B]; a number to predict, float32 [B]; or of a dataset with boxes a dictionary:
      ``boxes`` float32 [B, max_boxes, 4] on the image as it is fed and ``labels`` int64 [B, max_boxes], from
      1, filled up with -1. In the place of the image stands, for ``raw``, its file or the record of a row,
      string [B]; of rows without images a dictionary: key -> int64, float32 or string [B] of each column,
      nan or an empty text where a row has none, ragged for lists; alone where no column is a label.

    Every shard is looked for, and its size compared; none is read. So a shard of the right size with other
    bytes in it shows while batches are taken only, as TensorFlow's DataLossError, which has the byte but not
    the file: `tfrec verify` names both.

    Raises:
      UsageError: an option is unknown or cannot be right; images of a split would keep different sizes in
        one batch; a GPU is asked for and not there.
      InputError: there is no such dataset, several do not agree, a shard is missing or of another
        size, its labels do not fit ``label_mode``, or some records have no value of a column of
        whole numbers.
      MissingPackageError: TensorFlow is not installed.
    """
    chosen = _options(options)
    if augment is not None:
        check_augment(augment, chosen)
    forget_stores()
    manifest, splits = _opened([path] if isinstance(path, (str, os.PathLike)) else list(path))
    are_splits_named = augment_splits not in ("train", ("train",))
    has_images = manifest.schema.task != "tabular"
    warn_of_unused(chosen, augment, are_splits_named, has_images=has_images)
    chosen = dataclasses.replace(chosen, label_mode=label_mode_for(chosen.label_mode, manifest.schema))
    check_fit(chosen, manifest, splits)
    names = [split.name for split in splits]
    augmented = _augmented_splits(augment_splits, names) if augment is not None else set()
    if has_images:
        check_sizes(chosen, names, augmented)
    plain = _recipe(chosen, manifest)
    warm_up(plain.device)
    recipes = {True: dataclasses.replace(plain, augment=augment), False: plain}
    datasets = {each.name: with_cardinality(each, recipes[each.name in augmented]) for each in splits}
    return Splits(datasets, manifest, plain.device.name, first_label=chosen.first_label)


def _opened(paths: Sequence[str | os.PathLike[str]]) -> tuple[Manifest, list[Split]]:
    """The manifest and the splits of one dataset, or of several as one."""
    if not paths:
        raise UsageError("there is no dataset to load", "give the folder of one, or of several")
    manifests, datasets = [], []
    for path in paths:
        folder = place_of(path if is_remote(os.fspath(path)) else os.path.abspath(path))
        manifests.append((os.fspath(path), open_dataset(folder)))
        datasets.append(read_splits(folder, manifests[-1][1]))
        check_presence(folder, datasets[-1])
    manifest = union_of(manifests)
    return manifest, joined_splits(datasets, manifest)


def _recipe(options: FeedOptions, manifest: Manifest) -> Recipe:
    schema = manifest.schema
    is_on_host = options.raw or options.ragged or schema.task == "tabular"
    is_on_host = is_on_host or stay_on_host(chosen_columns(schema, options))
    device = CPU if is_on_host else choose_device(options.device)
    ranked = tuple(sorted(manifest.labels.values())) if options.first_label == 0 else ()
    return Recipe(options, len(ranked) or num_classes(manifest), device, ranked=ranked)


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


def _options(given: Mapping[str, Any]) -> FeedOptions:
    known = [field.name for field in dataclasses.fields(FeedOptions)]
    unknown = sorted(given.keys() - set(known))
    if unknown:
        known += ["augment", "augment_splits"]
        hint = nearest(unknown[0], known) or f"it has {', '.join(known)}"
        raise UsageError(f"load has no option {unknown[0]!r}", hint)
    return FeedOptions(**given)
