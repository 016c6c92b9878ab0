"""One element of a feed, made of one record in a TensorFlow graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tfrecordcli.errors import UsageError
from tfrecordcli.feed.boxes import BOXES, LABELS, graph_boxes, name_of, need_objects, padded
from tfrecordcli.feed.boxes import KEYS as BOX_KEYS
from tfrecordcli.feed.columns import IMAGE, chosen_columns, graph_columns
from tfrecordcli.feed.graph import decode, graph_digest, graph_label, parse_spec, ranks_of, resize
from tfrecordcli.feed.options import FeedOptions
from tfrecordcli.feed.recipe import Recipe
from tfrecordcli.feed.tensorflow import import_tensorflow
from tfrecordcli.schema import IMAGE_ENCODED, IMAGE_TARGET, Feature, Schema, is_of_boxes
from tfrecordcli.units import plural


def element_of(record: Any, recipe: Recipe, schema: Schema) -> Any:
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
