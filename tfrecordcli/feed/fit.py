"""Whether the options of a feed fit the dataset that is to be fed."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Collection, Iterable

from tfrecordcli.dataset.manifest import Manifest
from tfrecordcli.errors import UsageError
from tfrecordcli.feed.columns import check_columns
from tfrecordcli.feed.element import gives_boxes
from tfrecordcli.feed.labels import check_label_mode, num_classes
from tfrecordcli.feed.options import FeedOptions
from tfrecordcli.feed.recipe import Augment
from tfrecordcli.feed.splits import Split


def check_fit(options: FeedOptions, manifest: Manifest, splits: Iterable[Split]) -> None:
    """Refuses options that these records cannot be fed with; warns of boxes that no batch has room for.

    Raises:
      UsageError, InputError: as `tfrecordcli.feed.loading.load`.
    """
    schema = manifest.schema
    check_label_mode(options.label_mode, splits, num_classes(manifest), schema)
    _check_boxes(options, manifest)
    check_columns(schema, options)
    if options.style != "tuple" and schema.task == "tabular":
        raise UsageError(f"style={options.style!r} is for images, and these rows have none", "leave it out")


def _check_boxes(options: FeedOptions, manifest: Manifest) -> None:
    """Refuses options of boxes where there are none; warns of boxes that no batch has room for.

    Raises:
      UsageError
    """
    schema, usual = manifest.schema, FeedOptions()
    is_for_boxes = gives_boxes(schema, options)
    for name in ("box_format", "max_boxes", "ragged", "crowd", "first_label"):
        is_of_labels = name == "first_label" and schema.task == "detection"  # multi-hot ones too
        if not is_for_boxes and not is_of_labels and getattr(options, name) != getattr(usual, name):
            raise UsageError(f"{name} is for boxes, and elements have none here", "leave it out")
    most = manifest.boxes.most if is_for_boxes and manifest.boxes else 0
    if most > options.max_boxes and not options.ragged:
        said = f"an image has {most:,} boxes, and max_boxes={options.max_boxes:,} leaves the rest out"
        warnings.warn(f"{said}: load with max_boxes={most} or ragged=True for all of them", stacklevel=7)


def warn_of_unused(
    options: FeedOptions, augment: Augment | None, are_splits_named: bool, *, has_images: bool
) -> None:
    """Warns of options that are given and do nothing beside the others, or with these records.

    Args:
      are_splits_named: whether splits are named for ``augment``.
      has_images: whether the records have.
    """
    usual = FeedOptions()
    no_resize = "images keep their size" if options.raw or options.image_size is None else ""
    if not has_images:
        no_resize = "these rows have no images"
    reasons = {
        "image_size": no_resize if options.image_size is not None or not has_images else "",
        "resize": no_resize,
        "seed": "" if options.shuffle else "shuffle=False gives one order",
        "max_boxes": "ragged=True gives all boxes" if options.ragged else "",
    }
    given = {name: why for name, why in reasons.items() if getattr(options, name) != getattr(usual, name)}
    if are_splits_named and augment is None:
        given["augment_splits"] = "there is no augment"
    for name, why in given.items():
        if why:
            warnings.warn(f"{name}= is not used: {why}", stacklevel=6)


def check_sizes(options: FeedOptions, splits: Collection[str], augmented: Collection[str]) -> None:
    """Refuses images of different sizes in a batch.

    Raises:
      UsageError
    """
    plain = [split for split in splits if split not in augmented]
    if plain and not options.is_batchable:
        raise UsageError(
            "images of different sizes cannot be batched, and nothing brings those of"
            f" {', '.join(plain)} to one",
            "give image_size, batch_size=1 or raw=True, or an augment that returns one size, with"
            f" augment_splits={tuple(splits)}",
        )


def check_augment(augment: Augment, options: FeedOptions) -> None:
    """Refuses a function that elements cannot be given to.

    Raises:
      UsageError
    """
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
