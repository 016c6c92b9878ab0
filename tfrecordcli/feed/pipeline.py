"""The stages of a feed put together: the one place where they are.

What users load, what is proved and what is timed differ in a `Recipe`, not in code. Why it is built
like this (measured with TensorFlow 2.21):

- Decoding takes three quarters of the time, so the parallel map is what counts: as many calls as cores.
- Autotuning is off: it gains nothing over that, and closing an autotuned iterator can take seconds,
  because its thread sleeps up to a minute between two looks at the pipeline.
- Options are set before the copy to the device and after it, since they do not pass that border.
- The copy to the device comes last: any stage after it would bring the tensors back to the CPU.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from tfrecordcli.errors import UsageError
from tfrecordcli.feed.boxes import BOXES, LABELS, graph_boxes, name_of, need_objects, padded
from tfrecordcli.feed.boxes import KEYS as BOX_KEYS
from tfrecordcli.feed.columns import IMAGE, chosen_columns, graph_columns, has_lists
from tfrecordcli.feed.graph import decode, graph_digest, graph_label, parse_spec, ranks_of, resize
from tfrecordcli.feed.options import FeedOptions
from tfrecordcli.feed.splits import Split
from tfrecordcli.feed.store_cache import fetched
from tfrecordcli.feed.tensorflow import CPU, Device, import_tensorflow, quiet_stderr, untouched
from tfrecordcli.processes import available_cores
from tfrecordcli.schema import IMAGE_ENCODED, IMAGE_TARGET, Feature, Schema, is_of_boxes
from tfrecordcli.storage.uris import is_on_store
from tfrecordcli.units import plural

Stage = Literal["read", "parse", "decode", "resize", "batch", "device"]
Augment = Callable[[Any, Any], Any]

# Batches that are ready ahead, on the host and on the device.
_AHEAD: Final = 2

# Files that are read at a time, in turns of so many records. Fixed, so that the order of the records is
# the same on every machine. 16 is beyond what any decoder can keep up with.
_OPEN_FILES: Final = 16
_BLOCK: Final = 8
READ_BUFFER: Final = 1 << 20

# The records were mixed when the shards were written, files come in another order each epoch, and the
# buffer mixes what is read from several of them. It holds encoded images, and no more than this.
_SHUFFLE_BYTES: Final = 64 << 20
_SHUFFLE_RECORDS: Final = 1 << 14

_RANK_OF_IMAGES: Final = 4  # [batch, height, width, channel]

Piece = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a feed does with the records of a split.

    Attributes:
      options: of the feed.
      classes: length of a multi-hot label.
      device: where batches arrive.
      augment: applied to (image, label) of each element before batching; None: nothing.
      digest: whether elements become pairs (element, digest of the record).
      ids: whether elements become triples then, with the label ids of the record, whatever ``label_mode``
        is: int64 [n], in a batch filled up with -1.
      ranked: ids in use, in order, where labels are their ranks among them; empty: labels are ids.
      until: the last stage; a feed that ends early is only good for being timed.
      cores: parallel calls of the stages that compute.
    """

    options: FeedOptions
    classes: int
    device: Device = CPU
    augment: Augment | None = None
    digest: bool = False
    ids: bool = False
    ranked: tuple[int, ...] = ()
    until: Stage = "device"
    cores: int = field(default_factory=available_cores)

    def with_options(self, **changes: Any) -> Recipe:
        """The recipe with some of its `FeedOptions` changed."""
        return replace(self, options=replace(self.options, **changes))


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
            untouched(lambda record: _element(record, recipe, split.schema)),
            num_parallel_calls=recipe.cores,
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


def _element(record: Any, recipe: Recipe, schema: Schema) -> Any:
    """One element of a record, string []."""
    options = recipe.options
    columns = chosen_columns(schema, options)
    example = _parse(record, columns, schema, options)
    image = _input(record, example, recipe, schema)
    label = None if options.label_mode == "none" else _label(example, recipe, schema)
    if recipe.augment is not None:
        image, label = _augmented(recipe.augment, image, label)
    if gives_boxes(schema, options):
        names = [name_of(each.key) for each in columns if is_of_boxes(each.key)]
        label = need_objects(label)
        label = label if options.ragged else padded(label, options.max_boxes, names)
    element = _styled(image, _beside(example, columns, options, schema), label, options)
    if not recipe.digest:
        return element
    digest = graph_digest(record)
    return (element, digest, example[schema.label_key]) if recipe.ids else (element, digest)


def gives_boxes(schema: Schema, options: FeedOptions) -> bool:
    """Whether the label of an element is a dictionary of boxes."""
    return schema.task == "detection" and options.label_mode == "int"


def _parse(record: Any, columns: Iterable[Feature], schema: Schema, options: FeedOptions) -> dict[str, Any]:
    """What an element is made of, out of one serialised example."""
    tf = import_tensorflow()
    keys = [IMAGE_ENCODED, schema.label_key, IMAGE_TARGET, *(each.key for each in columns)]
    if gives_boxes(schema, options):
        keys += BOX_KEYS
    example: dict[str, Any] = tf.io.parse_single_example(record, parse_spec(schema, keys))
    return example


def _input(record: Any, example: Mapping[str, Any], recipe: Recipe, schema: Schema) -> Any:
    """What a model is fed of one record: pixels, a file or a row."""
    options = recipe.options
    if schema.task == "tabular":
        columns = chosen_columns(schema, options)
        return record if options.raw else graph_columns(example, columns, options.defaults)
    encoded = example[IMAGE_ENCODED]
    return encoded if options.raw or recipe.until == "parse" else _image(encoded, recipe)


def _label(example: Mapping[str, Any], recipe: Recipe, schema: Schema) -> Any:
    """The label of one record: an id, a multi-hot row, a number, or boxes."""
    options = recipe.options
    if gives_boxes(schema, options):
        more = [each.key for each in chosen_columns(schema, options) if is_of_boxes(each.key)]
        return graph_boxes(example, options, more, recipe.ranked)
    if IMAGE_TARGET in example:
        return example[IMAGE_TARGET]
    ids = example[schema.label_key]
    ids = ranks_of(ids, recipe.ranked) if recipe.ranked else ids
    return graph_label(ids, options.label_mode, recipe.classes)


def _beside(
    example: Mapping[str, Any], columns: Iterable[Feature], options: FeedOptions, schema: Schema
) -> dict[str, Any]:
    """The columns that stand beside an image."""
    if schema.task == "tabular":
        return {}
    of_image = (each for each in columns if not is_of_boxes(each.key))
    return graph_columns(example, of_image, options.defaults)


def _styled(image: Any, beside: Mapping[str, Any], label: Any, options: FeedOptions) -> Any:
    """An element in the shape that `FeedOptions.style` names."""
    if options.style == "tuple":
        inputs = {IMAGE: image, **beside} if beside else image
        return inputs if label is None else (inputs, label)
    element = {"images": image, **beside}
    if isinstance(label, Mapping) and options.style == "keras_cv":
        rest = {name: values for name, values in label.items() if name not in (BOXES, LABELS)}
        label = {BOXES: label[BOXES], "classes": label[LABELS], **rest}
    if label is not None:
        element["bounding_boxes" if isinstance(label, Mapping) else "labels"] = label
    return element


def _image(encoded: Any, recipe: Recipe) -> Any:
    tf = import_tensorflow()
    image = decode(encoded)
    if recipe.until == "decode":
        return tf.reduce_prod(tf.shape(image)[:2])
    size = recipe.options.height_width
    if size is not None:
        image = resize(image, size, recipe.options.resize)
    return image[0, 0, 0] if recipe.until == "resize" else image


def _augmented(augment: Callable[..., Any], image: Any, label: Any) -> tuple[Any, Any]:
    """What the user's function makes of an element; without a label it is called with the image alone.

    Raises:
      UsageError: it returns another number of tensors.
    """
    tf = import_tensorflow()
    before = (image,) if label is None else (image, label)
    after = tf.function(augment)(*before)  # Python's if and for may depend on tensors in it
    after = tuple(after) if isinstance(after, tuple | list) else (after,)
    if len(after) != len(before):
        names = ("image", "label")[: len(before)]
        raise UsageError(f"augment must return ({', '.join(names)}), got {plural(len(after), 'value')}")
    return after[0], None if label is None else after[1]


def _settings(tf: Any, options: FeedOptions) -> Any:
    settings = tf.data.Options()
    settings.autotune.enabled = False
    settings.deterministic = is_ordered(options)
    if options.shard != (0, 1):  # a share is not to be divided once more by a tf.distribute strategy
        settings.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    return settings


def read_records(split: Split, options: FeedOptions, cores: int) -> Any:
    """A tf.data.Dataset of serialised tf.train.Examples, string [], endless with ``repeat``."""
    tf = import_tensorflow()
    pieces = share_of(split, options.shard)
    paths, skips, takes = (list(column) for column in zip(*pieces, strict=True)) if pieces else ([], [], [])
    names = [os.fsencode(path) for path in paths]  # which need not be UTF-8
    files = tf.data.Dataset.from_tensor_slices(
        (tf.constant(names, tf.string), tf.constant(skips, tf.int64), tf.constant(takes, tf.int64))
    )
    if options.shuffle and len(pieces) > 1:
        files = files.shuffle(len(pieces), options.seed, reshuffle_each_iteration=True)

    if any(is_on_store(path) for path in paths):
        files = fetched(files, deterministic=is_ordered(options))

    def read_piece(path: Any, skip: Any, take: Any) -> Any:
        records = tf.data.TFRecordDataset(path, split.compression, READ_BUFFER)
        return records if options.shard == (0, 1) else records.skip(skip).take(take)

    open_files = max(1, min(len(pieces), _OPEN_FILES))
    records = files.interleave(
        untouched(read_piece),
        cycle_length=open_files,
        block_length=_BLOCK,
        num_parallel_calls=min(cores, open_files),  # more than cycle_length is an error
        deterministic=is_ordered(options),
    )
    if options.shuffle:
        records = records.shuffle(_shuffle_size(split, options), options.seed, reshuffle_each_iteration=True)
    return records.repeat() if options.repeat else records


def is_ordered(options: FeedOptions) -> bool:
    """Whether the order of the elements must be reproducible."""
    return not options.shuffle or options.seed is not None


def share_of(split: Split, shard: tuple[int, int]) -> list[Piece]:
    """(path, records to skip, records to take) of each file that holds a part of the i-th of n shares.

    A share is a range of the records in the order of the shards, so that each file is read by few.
    """
    index, count = shard
    begin, end = (split.records * i // count for i in (index, index + 1))
    pieces = []
    passed = 0
    for file in split.shards:
        first, last = max(begin - passed, 0), min(end - passed, file.records)
        if first < last or count == 1:
            pieces.append((file.path, first, last - first))
        passed += file.records
    return pieces


def share_size(split: Split, shard: tuple[int, int]) -> int:
    """Records in the i-th of n shares."""
    index, count = shard
    return split.records * (index + 1) // count - split.records * index // count


def _shuffle_size(split: Split, options: FeedOptions) -> int:
    fitting = int(_SHUFFLE_BYTES / split.bytes_per_record) if split.bytes else 1
    held = share_size(split, options.shard)
    return max(1, min(held, max(fitting, options.batch_size), _SHUFFLE_RECORDS))
