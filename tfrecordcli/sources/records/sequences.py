"""Rows in TFRecords in which something comes again: a text, letter by letter, is no set of labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import command_line
from tfrecordcli.sources.records.image import Features
from tfrecordcli.sources.records.labels import free_keys
from tfrecordcli.sources.records.vectors import OF_IMAGES, places_in
from tfrecordcli.tfrecords.label_keys import labels_of
from tfrecordcli.units import join_pairs

_SHARE: Final = 1 / 10  # of the records, in which something comes again


def is_sequence(sample: Sequence[Features], key: str, box_label: str) -> bool:
    """Whether what is under a key of labels comes again in one record, in some of them.

    Args:
      box_label: key of the labels of boxes, of which several may be alike; empty: there is none.
    """
    if key == box_label or not OF_IMAGES.fullmatch(key):
        return False
    several = [labels for features in sample if len(labels := labels_of(features, key)) > 1]
    again = sum(len({*labels}) < len(labels) for labels in several)
    return again > _SHARE * len(sample) and not places_in(sample, key, box_label)


def need_no_sequence(name: str, sample: Sequence[Features], key: str, unlabelled: str) -> list[str]:
    """Refuses such a key as that of labels; where none is needed, it is noted.

    Args:
      unlabelled: what becomes of images without a label.

    Raises:
      InputError: with the options that take another key, or what stands there once each.
    """
    what = f"{key} holds several in a record, of which some come again, as letters of a text do"
    if unlabelled == "keep":
        return [f"{what}: it is stored as it is, and is no label"]
    texts = [each for each in free_keys(sample) if each != key and _is_text(sample, each)]
    ways = [f"{_taking(each)} takes {each} for the label" for each in texts[:2]]
    raise InputError(
        f"{name}: {what}; labels of an image have no order, and none comes twice",
        "; ".join(
            [
                *ways,
                "--unlabelled keep stores it as it is, without labels",
                f"{_taking(key)} takes each once",
            ]
        ),
    )


def _is_text(sample: Sequence[Features], key: str) -> bool:
    """Whether each record has one text under a key."""
    found = [features[key] for features in sample if key in features]
    return len(found) == len(sample) and all(each.kind == "bytes" and len(each.values) == 1 for each in found)


def _taking(key: str) -> str:
    return command_line(["--columns", join_pairs([("label", key)])])
