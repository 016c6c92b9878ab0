"""Boxes in TFRecords without labels that are known: of one class, unless another key may hold them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import command_line
from tfrecordcli.sources.boxes.words import WHOLE_IMAGES, as_word
from tfrecordcli.sources.column_words import NO_LABELS_OF_BOXES
from tfrecordcli.sources.misread.boxes_of_one_class import BESIDE_CLASS
from tfrecordcli.sources.records.box_keys import labels_unnamed
from tfrecordcli.sources.records.boxes import BoxKeys, Features
from tfrecordcli.sources.records.files import RecordFiles
from tfrecordcli.sources.records.labels import label_key
from tfrecordcli.storage.store_path import place_of
from tfrecordcli.tfrecords.label_files import names_beside
from tfrecordcli.units import join_pairs

_FEW: Final = 3  # keys that are proposed


def with_labels(
    sample: Sequence[Features], keys: BoxKeys, files: RecordFiles, unlabelled: str
) -> tuple[BoxKeys, list[str]]:
    """Keys of boxes as they are, or of one class where nothing else holds labels; and what to tell of it.

    Args:
      unlabelled: what is to become of boxes without labels.

    Raises:
      InputError: another key may hold them, or the image has some; with the options.
    """
    if any(key in features for features in sample for key in (keys.label, keys.text)):
        return keys, []
    others = [
        key
        for key in labels_unnamed(sample, keys)
        if not BESIDE_CLASS.search(as_word(key.rpartition("/")[2]))
    ]
    if files.is_tfds:  # it writes the names of classes beside its records
        others = [key for key in others if names_beside(place_of(files.folder), key).by_id]
    of_image = label_key(sample, "")
    if (others or of_image) and unlabelled == "error":
        ways = (f"{command_line(['--columns', join_pairs([('label', key)])])} takes {key}" for key in others)
        labels = ", ".join([*ways][:_FEW]) + " for the labels of boxes"
        take = (
            f"--task classification takes {of_image} for labels of whole images" if of_image else WHOLE_IMAGES
        )
        hints = [labels] if others else []
        raise InputError(
            f"{files.given}: no feature beside {keys.sides[0]} is called as a label is",
            "; ".join([*hints, "--unlabelled keep takes all boxes for one class", take]),
        )
    return replace(keys, are_of_one_class=True), [NO_LABELS_OF_BOXES.format("key")]
