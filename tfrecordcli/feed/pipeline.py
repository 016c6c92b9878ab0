"""The stages of a feed put together: the one place where they are.

What users load, what is proved and what is timed differ in a `Recipe`, not in code. Why it is built
like this (measured with TensorFlow 2.21):

- Decoding takes three quarters of the time, so the parallel map is what counts. TensorFlow runs as many of
  its calls at a time as there are cores; twice as many wait their turn, so that none is idle while a batch
  is filled (16 cores: 15.8 of them busy instead of 14.8, and a tenth more images).
- Autotuning is off: it gains nothing over that, and closing an autotuned iterator can take seconds,
  because its thread sleeps up to a minute between two looks at the pipeline.
- Options are set before the copy to the device and after it, since they do not pass that border.
- The copy to the device comes last: any stage after it would bring the tensors back to the CPU.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, Final

from tfrecordcli.feed.columns import chosen_columns, has_lists
from tfrecordcli.feed.element import element_of
from tfrecordcli.feed.options import FeedOptions
from tfrecordcli.feed.recipe import Recipe
from tfrecordcli.feed.records import READ_BUFFER, is_ordered, read_records, share_size
from tfrecordcli.feed.splits import Split
from tfrecordcli.feed.tensorflow import Device, import_tensorflow, quiet_stderr, untouched

# Batches that are ready ahead, on the host and on the device.
_AHEAD: Final = 2

_CALLS_A_CORE: Final = 2

_RANK_OF_IMAGES: Final = 4  # [batch, height, width, channel]


def assemble(split: Split, recipe: Recipe) -> Any:
    """The tf.data.Dataset of batches of one split.

    Elements are (image or encoded file, label), or the first alone without labels. What ends before
    ``batch`` gives: ``read``: serialised records; ``parse``: encoded files; ``decode``: int32 [B],
    height times width of each image; ``resize``: uint8 [B], one value of each.
    """
    tf = import_tensorflow()
    options = recipe.options
    dataset = read_records(split, options, recipe.cores)
    if recipe.until != "read":
        dataset = dataset.map(
            untouched(lambda record: element_of(record, recipe, split.schema)),
            num_parallel_calls=recipe.cores * _CALLS_A_CORE,
            deterministic=is_ordered(options),
        )
    is_parsed = split.schema.task != "tabular" or not options.raw
    is_ragged = options.ragged or (is_parsed and has_lists(chosen_columns(split.schema, options)))
    dataset = _batched(dataset, recipe, is_ragged=is_ragged).prefetch(_AHEAD)
    dataset = dataset.with_options(_settings(tf, options))
    if recipe.until != "device" or not recipe.device.is_gpu:
        return dataset
    return copied_to(dataset, recipe.device, options)


def with_cardinality(split: Split, recipe: Recipe) -> Any:
    """As `assemble`, of known length: TensorFlow raises when the shards give more or fewer batches."""
    tf = import_tensorflow()
    batches = number_of_batches(split, recipe.options)
    dataset = assemble(split, replace(recipe, until="batch"))
    dataset = dataset.apply(tf.data.experimental.assert_cardinality(batches))
    if not recipe.device.is_gpu:
        return dataset
    dataset = copied_to(dataset, recipe.device, recipe.options)
    # The copy to a device forgets the length, and a stage after it would undo it: so it is told here,
    # to len(), Dataset.cardinality() and Keras.
    dataset.cardinality = lambda: tf.constant(batches, tf.int64)
    return dataset


def number_of_batches(split: Split, options: FeedOptions) -> int:
    """Batches of an epoch; TensorFlow's INFINITE_CARDINALITY (-1) with ``repeat``."""
    records = share_size(split, options.shard)
    if options.repeat and records:
        return -1
    return records // options.batch_size if options.drop_remainder else -(-records // options.batch_size)


def _batched(dataset: Any, recipe: Recipe, *, is_ragged: bool) -> Any:
    tf = import_tensorflow()
    options = recipe.options
    if is_ragged:
        dataset = dataset.ragged_batch(options.batch_size, options.drop_remainder)
        return dataset if options.is_of_one_size else dataset.map(untouched(_with_dense_images))
    if not recipe.ids:
        return dataset.batch(options.batch_size, options.drop_remainder)
    filling = tf.nest.map_structure(
        lambda spec: tf.constant(-1 if spec.dtype == tf.int64 else 0, spec.dtype), dataset.element_spec
    )
    return dataset.padded_batch(
        options.batch_size, padding_values=filling, drop_remainder=options.drop_remainder
    )


def _with_dense_images(*batch: Any) -> Any:
    """A batch whose images, alone in it at their own size, are no ragged tensors."""
    tf = import_tensorflow()

    def dense(values: Any) -> Any:
        is_image = isinstance(values, tf.RaggedTensor) and values.shape.rank == _RANK_OF_IMAGES
        return values.to_tensor() if is_image else values

    made = tf.nest.map_structure(dense, batch)
    return made if len(made) > 1 else made[0]


def copied_to(dataset: Any, device: Device, options: FeedOptions) -> Any:
    """The batches, copied to a device ahead of their use."""
    tf = import_tensorflow()
    dataset = dataset.apply(tf.data.experimental.prefetch_to_device(device.path, _AHEAD))
    return dataset.with_options(_settings(tf, options))


def warm_up(device: Device) -> None:
    """Has TensorFlow write now, unseen, what it writes at the first use of a device, a reader and a copy."""
    tf = import_tensorflow()
    with quiet_stderr():
        nothing = tf.data.TFRecordDataset(os.devnull, "", READ_BUFFER)
        # Numbers, since a GPU cannot hold strings.
        nothing = nothing.map(untouched(lambda record: tf.zeros([1]))).batch(1)
        for _ in copied_to(nothing, device, FeedOptions()) if device.is_gpu else nothing:
            pass


def _settings(tf: Any, options: FeedOptions) -> Any:
    settings = tf.data.Options()
    settings.autotune.enabled = False
    settings.deterministic = is_ordered(options)
    if options.shard != (0, 1):  # a share is not to be divided once more by a tf.distribute strategy
        settings.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    return settings
