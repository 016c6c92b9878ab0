"""Records of several images, as of episodes and films: refused, with the command that lists their images."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.reasons import Rejected
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.records.commands import ON_STORE, folder_beside, patterns
from tfrecordcli.sources.records.files import RecordFiles
from tfrecordcli.sources.records.image import Features, counts_of_images, image_of
from tfrecordcli.split_words import SPLIT_WORDS, split_of
from tfrecordcli.storage.uris import is_on_store
from tfrecordcli.tfrecords.feature import FeatureValues
from tfrecordcli.tfrecords.foreign import known_split
from tfrecordcli.units import some_of

_MOST_CHARACTERS: Final = 200  # of a label

# With the folder, a new one, the keys of images and of their labels ("": none), and the files behind it.
_CODE: Final = """\
import csv, glob, os, re, sys, tensorflow as tf; from pathlib import Path; \
source, out, key, text, *names = sys.argv[1:]; os.mkdir(out); \
rows = open(Path(out, "frames.csv"), "x", newline="", encoding="utf-8"); w = csv.writer(rows); \
w.writerow(["split", "image", "record", *(["label"] if text else [])]); \
files = sorted(f for n in names for f in glob.glob(n, root_dir=source, recursive=True)); \
paths = [os.path.join(source, f) for f in files]; \
begins = [(p.read(2), p.close())[0] for p in (open(path, "rb") for path in paths)]; \
splits = [(re.findall(r"(?i)(?<![a-z])(?:SPLITS)(?![a-z])", f) or [""])[0] for f in files]; \
[(Path(out, name).write_bytes(data), w.writerow([splits[i], name, f"{f}#{j}", \
*([x[text].bytes_list.value[k].decode()] if text else [])])) for i, f in enumerate(files) \
for j, r in enumerate(tf.data.TFRecordDataset(paths[i], "GZIP" * (begins[i] == bytes([31, 139])))) \
for x in [tf.train.Example.FromString(r.numpy()).features.feature] \
for k, data in enumerate(x[key].bytes_list.value) \
for name in [f"{i:05}-{j:06}-{k:04}." + ("png" if data[1:4] == b"PNG" else "jpg")]]; rows.close()\
"""


def need_single_images(sample: Sequence[Features], files: RecordFiles) -> None:
    """Refuses records of which half or more hold several images under the key of the image.

    Raises:
      InputError: with the command that makes a file of each image.
    """
    taken = [counts[key] for key, counts in _counts(sample)]
    several = [count for count in taken if count > 1]
    if not several or 2 * len(several) < len(taken):
        return
    key = next(key for key, counts in _counts(sample) if counts[key] > 1)
    shown = f"{min(several)} to {max(several)}" if len({*several}) > 1 else f"{several[0]}"
    what = f"records hold several images each under {key} ({shown}), of which one alone would be taken"
    raise InputError(f"{files.given}: {what}", _way_out(files, key, _label_of(sample, key)))


def told_series(sample: Sequence[Features]) -> Iterator[str]:
    """That beside the image which is taken others stand, as frames of a film or the mask of a photo."""
    left = {(key, other) for key, counts in _counts(sample) for other in counts}
    beside = {(key, other) for key, other in left if other != key}
    if beside:
        taken, others = (sorted({pair[i] for pair in beside}) for i in (0, 1))
        yield f"records hold several images: that under {some_of(taken)} is taken, none of {some_of(others)}"


def several_images(features: Features) -> Rejected | None:
    """Why a record with several images under the key of its image has none that can be used, if so it is."""
    key, _ = image_of(features)
    count = counts_of_images(features)[key] if key else 0
    return Rejected("several_images_in_record", count=count, key=key) if count > 1 else None


def _counts(sample: Sequence[Features]) -> Iterator[tuple[str, dict[str, int]]]:
    """The key of the image, and how many images each key holds, of each record with one."""
    for features in sample:
        key, data = image_of(features)
        if data:
            yield key, counts_of_images(features)


def _label_of(sample: Sequence[Features], key: str) -> str:
    """The one key with a short text for each image; empty where there is none, or several."""
    whole = [features for features in sample if key in features]
    shared = set.intersection(*({*features} for features in whole)) - {key}
    found = [
        name
        for name in shared
        if all(_are_texts(features[name], len(features[key].values)) for features in whole)
    ]
    return found[0] if len(found) == 1 else ""


def _are_texts(feature: FeatureValues, count: int) -> bool:
    if feature.kind != "bytes" or len(feature.values) != count:
        return False
    for value in feature.values:
        text = value.decode(errors="replace") if isinstance(value, bytes) else ""
        if not 0 < len(text) <= _MOST_CHARACTERS or not text.isprintable() or "\ufffd" in text:
            return False
    return True


def _way_out(files: RecordFiles, key: str, label: str) -> str:
    if is_on_store(files.folder):
        return ON_STORE
    words = "|".join(sorted(filter(split_of, SPLIT_WORDS), key=len, reverse=True))
    out = folder_beside(files, "frames")
    code = _CODE.replace("SPLITS", words)
    make = command_line(
        ["python", "-c", code, as_path(files.folder), as_path(out), key, label, *patterns(files)]
    )
    again = ["tfrec", "convert", as_path(f"{out}/frames.csv")]
    options = [] if label else ["--unlabelled", "keep"]
    if not all(map(known_split, files.names)):
        options += ["--split-by", "record"]  # so that what follows each other stays together
    of_label = f" with {label} for labels" if label else ""
    return (
        f"write them to files, and a list of them{of_label}, by TensorFlow: {make}; then "
        f"{command_line(again)} OUTPUT_DIR{' ' if options else ''}{command_line(options)}"
    )
