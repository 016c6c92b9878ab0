"""Which features of TFRecords hold labels, boxes or numbers to predict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.schema import OBJECT_CORNERS
from tfrecordcli.sources.listed import Findings
from tfrecordcli.sources.records.box_form import need_form
from tfrecordcli.sources.records.box_keys import find_box_keys
from tfrecordcli.sources.records.boxes import BoxKeys
from tfrecordcli.sources.records.boxes_of_one_class import with_labels
from tfrecordcli.sources.records.files import RecordFiles
from tfrecordcli.sources.records.image import Features
from tfrecordcli.sources.records.labels import (
    free_keys,
    keys_given,
    label_key,
    need_label_key,
    of_whole_images,
)
from tfrecordcli.sources.records.sequences import is_sequence, need_no_sequence
from tfrecordcli.sources.records.targets import need_target


@dataclass(frozen=True, slots=True)
class Keys:
    """Which features of the records hold what; empty: none does.

    Attributes:
      label: of whole images.
      target: of numbers to predict.
      one_hot: keys of 0 and 1, each a label of whole images.
      unused: of the labels of boxes that are not stored.
      boxes: those that are.
    """

    label: str = ""
    target: str = ""
    one_hot: tuple[str, ...] = ()
    unused: str = ""
    boxes: BoxKeys | None = None


def choose_keys(
    sample: Sequence[Features], files: RecordFiles, findings: Findings, options: ReadOptions
) -> Keys:
    """The keys of boxes and labels, by the first records of a few files.

    Args:
      findings: which take in what is to be told of them.

    Raises:
      InputError: none hold what the task needs, or it is not certain which.
    """
    name = files.given
    given, one_hot = keys_given(name, sample, options)
    if options.task == "regression":
        return _key_of_target(sample, files, findings, given)
    boxes = find_box_keys(sample, options, is_tfds=files.is_tfds)
    if boxes is not None and options.task != "classification" and not one_hot:
        is_own = files.schema is not None and boxes.sides != OBJECT_CORNERS
        if not is_own:
            boxes, notes = with_labels(sample, boxes, files, options.unlabelled)
            need_form(name, sample, boxes, options.box_format)
            findings.notes += [*notes, *of_whole_images(sample, boxes.label, options.task)]
            return Keys(boxes=replace(boxes, form=options.box_format or boxes.form))
    if options.task == "detection":
        what = "no record holds boxes under keys that are known"
        raise InputError(f"{name}: {what}", "tfrec inspect shows what they hold")
    of_boxes = boxes.label if boxes is not None else ""
    label = "" if one_hot else given or label_key(sample, of_boxes)
    if label and not given and is_sequence(sample, label, of_boxes):
        findings.notes += need_no_sequence(name, sample, label, options.unlabelled)
        return Keys(unused=of_boxes)
    if not label and not one_hot and files.schema is None:
        findings.notes += need_label_key(name, sample, options.unlabelled)
    return Keys(label, one_hot=tuple(one_hot), unused=of_boxes)


def _key_of_target(sample: Sequence[Features], files: RecordFiles, findings: Findings, given: str) -> Keys:
    """The key of numbers to predict, unless a dataset of ours has them anyway."""
    schema = files.schema
    if schema is not None and schema.task == "regression":
        return Keys()
    findings.tells_numbers = True
    classes = schema.label_key if schema is not None else ""
    free = [key for key in free_keys(sample) if key != classes]
    return Keys(target=given or need_target(files.given, sample, free))
