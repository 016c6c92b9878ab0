"""A Python module that reads the records which were looked at, with TensorFlow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tfrecordcli.errors import UsageError
from tfrecordcli.inspecting.features import FeatureSummary
from tfrecordcli.inspecting.images import ImageSummary
from tfrecordcli.inspecting.inspection import Inspection
from tfrecordcli.schema import OBJECT_CORNERS
from tfrecordcli.tfrecords.image_features import RAW, RAW_BASE64, TENSOR
from tfrecordcli.units import plural

_TYPES: Final = {"bytes": "tf.string", "int64": "tf.int64", "float": "tf.float32"}
# What tf.io.decode_image reads in every TensorFlow 2.
_DECODED: Final = frozenset({"jpeg", "png", "gif", "bmp"})

_LOAD: Final = """

def load(files):
    \"\"\"All records of these files, parsed.\"\"\"
    dataset = tf.data.TFRecordDataset(files, compression_type=COMPRESSION)
    return dataset.map(parse, num_parallel_calls=tf.data.AUTOTUNE)
"""
_LOAD_MIXED: Final = """

def compression_of(file):
    \"\"\"Some of the files are gzip, some are not: their first bytes tell.\"\"\"
    with tf.io.gfile.GFile(file, "rb") as stream:
        return "GZIP" if stream.read(2) == b"\\x1f\\x8b" else ""


def load(files):
    \"\"\"All records of these files, parsed.\"\"\"
    pairs = tf.data.Dataset.from_tensor_slices((files, [compression_of(file) for file in files]))
    dataset = pairs.flat_map(lambda file, kind: tf.data.TFRecordDataset(file, compression_type=kind))
    return dataset.map(parse, num_parallel_calls=tf.data.AUTOTUNE)
"""
_MAIN: Final = """
if __name__ == "__main__":
    import sys

    for example in load(sys.argv[1:]).take(3):
        for key, value in example.items():
            print(key, value.dtype.name, value.shape, repr(value.numpy())[:60])
"""


def parse_function(inspection: Inspection) -> str:
    """A module with FEATURES, parse and load, right for the features of every record that was read.

    Raises:
      UsageError: there is no feature that it could parse.
    """
    if not _parsed(inspection):
        hint = "tfrec inspect without --parse-fn shows what is there"
        if inspection.sequences:
            hint = "they are SequenceExamples, which tf.io.parse_single_sequence_example reads"
        raise UsageError("--parse-fn: the records have no feature that could be parsed", hint)
    images = inspection.images
    decoding = [*_decoding(inspection, images)] if images is not None else []
    for key in images.others if images is not None else ():
        decoding.append(f"# example[{_quoted(key)}] holds images too, which stay as they are")
    lines = [
        '"""Reads TFRecords: of an example to a dictionary of tensors.',
        "",
        *_origin(inspection),
        '"""',
        "",
        "import tensorflow as tf",
        "",
    ]
    mixed = len(inspection.compressions) > 1
    if not mixed:
        lines += [f'COMPRESSION = "{"GZIP" if inspection.compressions == ("gzip",) else ""}"', ""]
    lines += ["FEATURES = {", *(f"    {line}" for line in _specs(inspection)), "}", "", ""]
    lines += [
        "def parse(record):",
        '    """The features of one serialized tf.train.Example."""',
        "    example = tf.io.parse_single_example(record, FEATURES)",
        *(f"    {line}" for line in _densifying(inspection)),
        *(f"    {line}" for line in decoding),
        "    return example",
        "",
    ]
    return "\n".join(lines) + (_LOAD_MIXED if mixed else _LOAD) + "\n" + _MAIN.rstrip("\n")


def _origin(inspection: Inspection) -> Iterator[str]:
    yield f"It fits the features of the {plural(inspection.records, 'record')} that tfrec inspect read."
    if inspection.images is not None:
        yield "No image was decoded, only headers were read: a damaged one is an error when it is decoded."
    if inspection.sequences:
        yield "They are SequenceExamples: their context is parsed, their feature lists are left out."
    if inspection.stopped:
        yield "There are more records, which were not looked at."
    if inspection.problem_counts:
        yield "Some of the files are damaged: what could not be read was not looked at."


def _parsed(inspection: Inspection) -> list[FeatureSummary]:
    return [feature for feature in inspection.features if len(feature.kinds) == 1 and feature.key]


def _specs(inspection: Inspection) -> Iterator[str]:
    """The lines of FEATURES."""
    parsed = _parsed(inspection)
    for feature in inspection.features:
        key = _quoted(feature.key)
        if feature not in parsed:
            yield f"# {key} is left out: it holds {feature.kind}"
            continue
        kind = _TYPES[feature.kind]
        doc = inspection.schema[feature.key].doc if feature.key in inspection.schema else ""
        if _is_fixed(feature, inspection):
            shape = "[]" if feature.max_values == 1 else f"[{feature.max_values}]"
            yield f"{key}: tf.io.FixedLenFeature({shape}, {kind}),{doc and '  # '}{doc}"
        else:
            yield f"{key}: tf.io.VarLenFeature({kind}),  # {doc}{doc and ': '}{_counts(feature)}"
    if inspection.features_left_out:
        yield "# and there are more keys than tfrec inspect tells apart"


def _is_fixed(feature: FeatureSummary, inspection: Inspection) -> bool:
    """Whether every record has as many values, also of those that were not read."""
    if feature.key.startswith("image/object/") and inspection.boxes is not None:
        return False  # however many boxes the images have that were read
    known = inspection.schema.get(feature.key)
    if known is None or not inspection.stopped:
        return feature.is_fixed
    return known.required and known.count is not None


def _counts(feature: FeatureSummary) -> str:
    low, high = feature.min_values, feature.max_values
    counts = f"{low:,} values" if low == high else f"{low:,} to {high:,} values"
    return f"{counts}; absent from {plural(feature.absent, 'record')}" if feature.absent else counts


def _densifying(inspection: Inspection) -> Iterator[str]:
    keys = [_quoted(feature.key) for feature in _parsed(inspection) if not _is_fixed(feature, inspection)]
    if keys:
        yield f"for key in ({', '.join(keys)},):"
        yield "    example[key] = tf.sparse.to_dense(example[key])  # a vector, empty where it is absent"
    if inspection.boxes is not None and inspection.boxes.records and "boxes" not in keys:
        ymin, xmin, ymax, xmax = (f"example[{_quoted(OBJECT_CORNERS[side])}]" for side in (1, 0, 3, 2))
        yield "# Fractions of the image, float32 [n, 4], as tf.image.draw_bounding_boxes takes them:"
        yield 'example["boxes"] = tf.stack('
        yield f"    [{ymin}, {xmin}, {ymax}, {xmax}], axis=-1"
        yield ")"
    labels = inspection.labels
    if labels is not None and _quoted(labels.key) in keys:
        ids = [label.id for label, _ in labels.counts if label.id is not None]
        if ids and min(ids) >= 0 and not labels.left_out:
            key = _quoted(labels.key)
            yield "# As a multi-hot vector:"
            yield f"# tf.reduce_max(tf.one_hot(example[{key}], {max(ids) + 1}), axis=0)"


def _decoding(inspection: Inspection, images: ImageSummary) -> Iterator[str]:
    """Lines that turn the image into pixels, or say why they do not."""
    key = f"example[{_quoted(images.key)}]"
    feature = next((f for f in inspection.features if f.key == images.key), None)
    if images.several:
        first = f"tf.io.decode_image({key}[0], channels=3, expand_animations=False)"
        yield f"# {key} stays as it is, a vector of files, as several images stand in it. The first:"
        yield f"# {first}"
        return
    if (
        feature is None
        or not feature.is_fixed
        or feature.max_values > 1
        or images.elsewhere
        or images.records < inspection.records
    ):
        yield f"# {key} stays as it is: not every record has an image there"
        return
    formats = set(images.formats)
    if images.unreadable or not (formats <= _DECODED or formats in ({RAW}, {RAW_BASE64}, {TENSOR})):
        counts = ", ".join(f"{name} {count:,}" for name, count in images.formats.items())
        yield f"# {key} stays as it is: TensorFlow does not decode all of it ({counts})"
    elif formats <= _DECODED:
        # tf.io.decode_image adds no channel to a BMP and takes none away.
        channels = "" if "bmp" in formats else ", channels=3"
        yield f"{key} = tf.io.decode_image({key}{channels}, expand_animations=False)"
    elif formats == {TENSOR}:
        yield f"{key} = tf.io.parse_tensor({key}, tf.uint8)"
    else:
        sizes = ", ".join(map(_quoted, images.size_keys))
        data = key
        if formats == {RAW_BASE64}:  # TensorFlow takes the URL-safe alphabet alone
            yield f'digits = tf.strings.regex_replace({key}, "[+]", "-")'
            data = 'tf.io.decode_base64(tf.strings.regex_replace(digits, "/", "_"))'
        yield f"pixels = tf.io.decode_raw({data}, tf.uint8)"
        yield f"size = [example[key] for key in ({sizes})]"
        yield f"{key} = tf.reshape(pixels, tf.stack(size))"


def _quoted(key: str) -> str:
    """A key as a Python literal in which everything is printable."""
    literal = repr(key)
    return f'"{key}"' if literal == f"'{key}'" and '"' not in key else literal
