"""TensorFlow as the witness: what it reads, parses and decodes."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from google.protobuf.message import DecodeError

from fuzz.subject import Done, command
from tfrecordcli.images.check import check_image
from tfrecordcli.options import ImageOptions

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)

_SHAPE = {
    "image/encoded": tf.io.FixedLenFeature([], tf.string),
    "image/filename": tf.io.FixedLenFeature([], tf.string, ""),
    "image/class/label": tf.io.VarLenFeature(tf.int64),
    "image/class/text": tf.io.VarLenFeature(tf.string),
    "image/height": tf.io.FixedLenFeature([], tf.int64, -1),
    "image/width": tf.io.FixedLenFeature([], tf.int64, -1),
}
ERROR = "error: "


def read_folder(folder: str) -> dict[str, list[str]]:
    """What TensorFlow reads of each file of a folder that is named as a shard: a line a record.

    A line is what parsing and decoding give, digested; one that begins with `ERROR` ends a file. Compression
    is told by the first bytes: whether a name tells it is not its question.
    """
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        if ".tfrecord" in path.name.lower() and not path.name.lower().endswith(".idx") and path.is_file():
            found[path.relative_to(folder).as_posix()] = _read_file(path)
    return found


def _read_file(path: Path) -> list[str]:
    lines: list[str] = []
    with path.open("rb") as file:
        kind = "GZIP" if file.read(2) == b"\x1f\x8b" else None
    try:
        for record in tf.data.TFRecordDataset(str(path), kind):
            lines.append(_line(record.numpy()))
    except tf.errors.OpError as error:
        lines.append(ERROR + type(error).__name__)
    return lines


@functools.lru_cache(maxsize=1 << 14)
def _line(record: bytes) -> str:
    """Label, text, name, size and pixels of a record; an error as such."""
    try:
        values = tf.io.parse_single_example(record, _SHAPE)
        pixels = tf.io.decode_image(values.pop("image/encoded"), channels=0, expand_animations=False).numpy()
    except (tf.errors.OpError, ValueError) as error:
        return f"{ERROR}{type(error).__name__}"
    texts = [f"{pixels.shape}", hashlib.sha256(pixels.tobytes()).hexdigest()[:16]]
    for value in values.values():
        dense = value.values if isinstance(value, tf.SparseTensor) else value
        texts.append(repr(np.asarray(dense.numpy()).tolist()))
    return " ".join(texts)


# --- records ---


def parse_verdict(payload: bytes) -> tuple[str, bool]:
    """What is wrong with a record, empty when both parsers, TensorFlow's and protobuf's, read the same of it;
    and whether protobuf finds any feature."""
    try:
        features = tf.train.Example.FromString(payload).features.feature
    except DecodeError:
        return "neither parser reads it" if _parse(
            payload, {}
        ) == "refused" else "protobuf alone refuses it", False
    kinds = {key: feature.WhichOneof("kind") for key, feature in features.items()}
    types = {"bytes_list": tf.string, "float_list": tf.float32, "int64_list": tf.int64}
    spec = {key: tf.io.VarLenFeature(types[kind]) for key, kind in kinds.items() if kind}
    parsed = _parse(payload, spec)
    if isinstance(parsed, str):
        return "TensorFlow refuses it", bool(features)
    for key in spec:
        expected = list(getattr(features[key], kinds[key]).value)
        if _as_bits(parsed[key]) != _as_bits(np.array(expected, parsed[key].dtype)):
            return "TensorFlow reads it otherwise", bool(features)
    return "", bool(features)


def _parse(payload: bytes, spec: dict[str, Any]) -> Any:
    spec = spec or {"no such key": tf.io.VarLenFeature(tf.string)}
    try:
        return {key: value.values.numpy() for key, value in tf.io.parse_single_example(payload, spec).items()}
    except (tf.errors.OpError, ValueError):
        return "refused"


def _as_bits(values: Any) -> Any:
    return values.tolist() if values.dtype == object else (values.dtype.kind, values.tobytes())


def feed(folder: str) -> Done:
    """`tfrec verify` with its feed, as short as it can be."""
    short = ("--feed-seconds", "0.01", "--image-size", "8", "--batch-size", "4", "--device", "cpu")
    return command("verify", folder, *short, "--json", "--workers", "1")


def load_all(folder: str) -> str:
    """Takes all that `tfrecordcli.load` gives; how it failed, empty when it did not."""
    from tfrecordcli import load
    from tfrecordcli.errors import TfrecError

    try:
        for split in load(folder, image_size=8, batch_size=4, shuffle=False, device="cpu").values():
            for _ in split:
                pass
    except TfrecError as error:
        return f"refused: {error}"
    except (tf.errors.OpError, UnicodeDecodeError) as error:  # the latter over an error that quotes a record
        return f"TensorFlow: {type(error).__name__}"
    return ""


# --- images ---


def compare(data: bytes, original: bytes | None, options: ImageOptions) -> tuple[tuple[int, ...], bool, str]:
    """Shape of what `tf.io.decode_image` gives, whether it shows what the original does (no original is no
    difference), and why TensorFlow refuses the image, empty when it does not."""
    try:
        pixels = _pixels(data)
    except tf.errors.OpError as error:
        return (), False, f"{type(error).__name__}: {error.message}"[:300]
    expected = pixels if original is None else _expected(original, options)
    return pixels.shape, pixels.shape == expected.shape and bool((pixels == expected).all()), ""


def _pixels(data: bytes) -> Any:
    return tf.io.decode_image(data, channels=0, expand_animations=False).numpy()


@functools.lru_cache(maxsize=512)
def _expected(data: bytes, options: ImageOptions) -> Any:
    return _pixels(check_image(data, options).data)
