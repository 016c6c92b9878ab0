"""Everything that can be wrong with a dataset: codes, severities and texts, in one table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

Severity = Literal["error", "warning"]

# code -> (severity, text)
PROBLEMS: Final[dict[str, tuple[Severity, str]]] = {
    # --- the dataset ---
    "unfinished": ("error", "this conversion was not finished: {detail}"),
    "manifest_damaged": ("error", "manifest.json is not as it was written: {detail}"),
    "shards_list_damaged": ("error", "shards.jsonl is not as it was written: {detail}"),
    "labels_edited": ("error", "labels.txt is not the label map of the manifest: {detail}"),
    "no_records": ("error", "there is no record in it"),
    "empty_split": ("error", "the split {split} has no record"),
    "split_digest": ("error", "the records of {split} together are not those that were written"),
    "class_mix": ("warning", "the classes are mixed otherwise than in the rest of {split}: {detail}"),
    "duplicate_image": ("warning", "the same image as {other}"),
    "leakage": ("warning", "the same image is in another split: {other}"),
    # --- a file ---
    "file_missing": ("error", "the file is missing"),
    "file_extra": ("error", "the file does not belong to the dataset"),
    "file_empty": ("error", "the file is empty; it should hold {records} records"),
    "file_without_records": ("warning", "there is no record in the file"),
    "file_size": ("error", "{size} bytes instead of {expected}"),
    "file_checksum": ("error", "the file's checksum is {found} instead of {expected}"),
    "files_swapped": ("error", "this is the content of {other}"),
    "record_count": ("error", "{found} records instead of {expected}"),
    "record_dropped": ("error", "{count} records are missing between others"),
    "record_doubled": ("error", "the record stands in the file already, as record {other}"),
    "content_digest": ("error", "the records together are not those that were written"),
    "cut_between_records": ("error", "the file ends after {found} of {expected} records"),
    "unreadable": ("error", "the file cannot be read"),
    "is_gzip": ("error", "gzip data under the name of a plain file"),
    "not_gzip": ("error", "not gzip, although its name says so"),
    "not_tfrecord": ("error", "this is no TFRecord file: {detail}"),
    "gzip_cut": ("error", "the gzip stream is cut short"),
    "gzip_damaged": ("error", "the gzip stream is damaged"),
    "index_missing": ("error", "the index of this shard is missing"),
    "index_wrong": ("error", "the index differs from the records: {detail}"),
    # --- a record ---
    "cut_in_record": ("error", "the file ends inside this record"),
    "length_damaged": ("error", "the record's length is damaged; nothing after it can be trusted"),
    "payload_damaged": ("error", "the record's content does not match its checksum"),
    "not_an_example": ("error", "the record is no tf.train.Example"),
    "feature_missing": ("error", "{key} is missing"),
    "feature_kind": ("error", "{key} holds {found} instead of {expected}"),
    "feature_count": ("error", "{key} holds {found} values instead of {expected}"),
    "label_unknown": ("error", "label {label} is not in the label map"),
    "label_text": ("error", "label {label} is {expected} in the label map, but {found} in the record"),
    "image_damaged": ("error", "the image cannot be decoded: {detail}"),
    "image_format": ("error", "image/format says {found}, the image is {expected}"),
    "image_size": ("error", "stored as {found}, the image is {expected} (height x width x channels)"),
    # --- the feed ---
    "feed_failed": ("error", "TensorFlow could not read it: {detail}"),
    "feed_count": ("error", "TensorFlow read {found} records of {split} instead of {expected}"),
    "feed_labels": ("error", "the labels of {split} that TensorFlow read are not those that were written"),
    "feed_digest": ("error", "the records of {split} that TensorFlow read are not those that were written"),
}


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong.

    Attributes:
      code: a key of `PROBLEMS`.
      path: file that it is in, relative to the dataset; empty for the dataset itself.
      record: number of the record in the file, from 0; None when it is not about one.
      offset: where that record starts, bytes from the start of the (uncompressed) stream.
      message: the text, filled in.
      severity: error or warning.
    """

    code: str
    path: str
    record: int | None
    offset: int | None
    message: str
    severity: Severity


def problem(
    code: str, path: str = "", record: int | None = None, offset: int | None = None, **details: Any
) -> Problem:
    """A problem with its text filled in.

    Raises:
      KeyError: for a code or placeholder that is not in the table (a bug).
    """
    severity, text = PROBLEMS[code]
    return Problem(code, path, record, offset, text.format(**details), severity)
