"""Options that were given and do nothing, said."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from tfrecordcli.option_definition import Option, changed, not_used
from tfrecordcli.options import ConvertOptions, ReadOptions
from tfrecordcli.schema import Task
from tfrecordcli.storage.uris import scheme_of


def unused_by(what: str, options: ReadOptions, names: Iterable[str]) -> tuple[str, ...]:
    """A note for those of these options that are given, though a source of this kind has no use for them."""
    given = changed(options, names)
    if not given:
        return ()
    return (not_used(given, f"the source is {what}"),)


def unused_by_rows(
    options: ConvertOptions,
    reading: ReadOptions,
    task: Task,
    assigned: int,
    planned: Mapping[str, int],
    sample: Collection[str],
    assigning: Callable[[], str],
) -> Iterator[str]:
    """Notes for options of which no row has any use.

    Args:
      reading: those by which the list is read, without what is told to be of no use to its kind.
      task: that the rows are for.
      assigned: rows that name no split.
      planned: split -> rows that are planned.
      sample: image URIs of planned rows, all of them when they are few.
      assigning: gives the option by which all rows are assigned; empty where none does it.
    """
    of_column = ("split_by",) if reading.split_by == options.read.split_by else ()
    given = changed(options.read, ("splits", "split_seed", *of_column, "stratify"))
    rows = sum(planned.values())
    if given and not assigned and rows:
        instead = assigning()
        how = f"; to assign all of them anew: {instead}" if instead else ""
        yield not_used(given, f"every row has a split of its own{how}")
    if task in ("classification", "regression") and (of_boxes := _about_boxes(options)):
        yield not_used(of_boxes, "no box is stored")
    is_whole = rows == len(sample) > 0 and options.read.task != "tabular"
    if options.read.image_root is not None and is_whole and not any(map(_is_relative, sample)):
        yield "--image-root is not used: every path is absolute"
    of_images = changed(options.image)
    if options.read.task == "tabular" and of_images:
        yield not_used(of_images, "rows have no image")
    of_data = changed(options.image, ("gate", "admit")) if options.image.check == "structure" else []
    if of_data and options.read.task != "tabular":
        yield not_used(of_data, "--check structure does not look into the data of images")
    shards = dict(options.shard.num_shards)
    is_fixed = bool(shards) and ("" in shards or shards.keys() >= planned.keys())
    if is_fixed and changed(options.shard, ("shard_size",)):
        yield "--shard-size is not used: --num-shards says how many shards there are"


def unused_by_labels(options: ReadOptions, task: Task, *, has_lists: bool, has_united: bool) -> Iterator[str]:
    """Notes for options that make several labels of an image, where none has several by them.

    Args:
      task: that the rows are for.
      has_lists: rows have several labels of their own.
      has_united: images have the labels of several rows.
    """
    of_rows = changed(options, ("multi_label",))
    if of_rows and task == "detection":
        yield not_used(of_rows, "each row is a box with a label of its own")
    elif of_rows and task == "classification" and not has_united:
        yield not_used(of_rows, "no image has other labels in other rows")
    if options.label_separator and task != "regression" and not has_lists:
        yield not_used(changed(options, ("label_separator",)), "no row has several labels")


def _about_boxes(options: ConvertOptions) -> Sequence[Option]:
    """Those options for boxes that are given."""
    of_list = changed(options.read, ("box_format", "box_unit", "empty_images"))
    return [*of_list, *changed(options.image, ("box_frame", "boxes"))]


def _is_relative(uri: str) -> bool:
    return not scheme_of(uri) and not os.path.isabs(uri)
