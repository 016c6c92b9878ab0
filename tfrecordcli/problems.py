"""Everything that can be wrong with a dataset: codes, severities, texts and hints, in one table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

Severity = Literal["error", "warning"]

# code -> (severity, text)
PROBLEMS: Final[dict[str, tuple[Severity, str]]] = {
    # --- the dataset ---
    "unfinished": ("error", "this conversion was not finished: {detail}"),
    "shards_missing": ("error", "{series} has {found} of {expected} shards"),
    "manifest_missing": ("warning", "it is missing, so that the records are checked as those of anybody"),
    "manifest_damaged": ("error", "manifest.json is not as it was written: {detail}"),
    "shards_list_damaged": ("error", "shards.jsonl is not as it was written: {detail}"),
    "side_file_edited": ("error", "this file beside the shards is not as it was written: {detail}"),
    "label_map_edited": ("error", "label_map.pbtxt is not the label map of the manifest: {detail}"),
    "labels_edited": ("error", "labels.txt is not the label map of the manifest: {detail}"),
    "rejects_missing": ("error", "the list of the rejected rows is missing, of {detail}"),
    "no_records": ("error", "there is no record in it"),
    "empty_split": ("error", "the split {split} has no record"),
    "split_digest": ("error", "the records of {split} together are not those that were written"),
    "class_mix": ("warning", "the classes are mixed otherwise than in the rest of {split}: {detail}"),
    "duplicate_image": ("warning", "the same image as {other}"),
    "leakage": ("warning", "the same image is in another split: {other}"),
    "features_disagree": ("error", "these datasets are not one: {detail}"),
    "datasets_disagree": ("error", "these datasets are not one: {detail}"),
    "source_id_twice": ("error", "image/source_id is that of {other} too"),
    "source_id_again": ("warning", "image/source_id is that of {other} too"),
    "kinds_differ": (
        "warning",
        "{key} holds {found} (records so: {records}), but {expected} elsewhere ({most})",
    ),
    "names_differ": (
        "warning",
        "{key} {label} is {found} (records so: {records}), but {expected} elsewhere ({most})",
    ),
    "ids_differ": (
        "warning",
        "{key} of {name} is {found} (records so: {records}), but {expected} elsewhere ({most})",
    ),
    "label_beside": (
        "warning",
        "label {label} is {detail} (records so: {records})",
    ),
    # --- a file ---
    "file_missing": ("error", "the file is missing"),
    "file_extra": ("error", "the file does not belong to the dataset"),
    "file_empty": ("error", "the file is empty; it should hold {expected}"),
    "file_without_records": ("warning", "there is no record in the file"),
    "file_size": ("error", "{size} bytes instead of {expected}"),
    "file_checksum": ("error", "the file's checksum is {found} instead of {expected}"),
    "files_swapped": ("error", "this is the content of {other}"),
    "record_count": ("error", "the number of records is {found} instead of {expected}"),
    "record_dropped": ("error", "{count} missing: {found} of {expected} are there, the last one among them"),
    "record_doubled": ("error", "the record stands in the file already, as record {other}"),
    "content_digest": ("error", "the records of the file together are not those that were written"),
    "cut_between_records": (
        "error",
        "only {found} of {expected} records are there, and the last one is missing",
    ),
    "trailing_bytes": ("error", "{size} follow the last record: {detail}"),
    "unreadable": ("error", "the file cannot be read: {detail}"),
    "is_gzip": ("error", "gzip data under the name of a plain file"),
    "gzip_unnamed": ("warning", "gzip data under a name without .gz"),
    "not_gzip": ("error", "not gzip, although its name says so"),
    "not_tfrecord": ("error", "this is no TFRecord file: {detail}"),
    "changed_as_text": ("error", "the file was changed as if it were text: {detail}"),
    "gzip_cut": ("error", "the gzip stream is cut short"),
    "gzip_damaged": ("error", "the gzip stream is damaged"),
    "gzip_unread": (
        "error",
        "TensorFlow takes the file to end here, between two gzip members: the last {unread} are never read",
    ),
    "index_missing": ("error", "the index of this shard is missing"),
    "index_wrong": ("error", "the index differs from the records: {detail}"),
    "tfds_stale": ("error", "TensorFlow Datasets would read other records than there are: {detail}"),
    "tfds_count": ("error", "{found}, but dataset_info.json says {expected}"),
    # --- a record ---
    "cut_in_record": ("error", "the file ends inside this record"),
    "length_damaged": ("error", "the record's length is damaged; nothing after it can be trusted"),
    "payload_damaged": ("error", "the record's content does not match its checksum"),
    "not_an_example": ("error", "the record is no tf.train.Example: {detail}"),
    "not_as_declared": ("error", "{key}: {found}, but features.json says {expected}"),
    "tensorflow_refuses": ("error", "tf.io.parse_example refuses the record: {detail}"),
    "tensorflow_differs": ("error", "tf.io.parse_example reads {key} otherwise than protobuf: {detail}"),
    "feature_missing": ("error", "{key} is missing"),
    "feature_kind": ("error", "{key} holds {found} instead of {expected}"),
    "feature_count": ("error", "the number of values of {key} is {found} instead of {expected}"),
    "label_unknown": ("error", "label {label} is not in the label map"),
    "label_text": ("error", "label {label} is {expected} in the label map, but {found} in the record"),
    "box_lengths": ("error", "the lists of its boxes differ in length: {detail}"),
    "box_corners": ("error", "box {number} is none within the image: xmin, ymin, xmax, ymax {corners}"),
    "box_beyond": (
        "warning",
        "box {number} reaches beyond the image: xmin, ymin, xmax, ymax {corners}{why}",
    ),
    "box_pixels": (
        "error",
        "boxes are in pixels, where readers take fractions: box {number}, xmin, ymin, xmax, ymax {corners}",
    ),
    "box_background": (
        "warning",
        "a box has label {label}, but readers keep 0 for the background and drop what is not above it",
    ),
    "image_damaged": ("error", "{key} cannot be decoded: {detail}"),
    "image_doubtful": ("warning", "{key} decodes, but may be damaged: {detail}"),
    "image_too_large": (
        "error",
        "{key} has {width} x {height} pixels, more than {limit}: it was not decoded",
    ),
    "image_format": ("error", "image/format says {found}, the image is {expected}"),
    "image_size": ("error", "stored as {found}, the image is {expected} (height x width x channels)"),
    "image_elsewhere": (
        "warning",
        "its image is under {keys}, and not under {usual} as nearly everywhere; "
        "records of this file so: {records}",
    ),
    "image_size_beside": ("warning", "{keys} say {found}, {key} is {expected} (height x width)"),
    # --- the feed ---
    "feed_failed": ("error", "TensorFlow could not read it: {detail}"),
    "feed_count": ("error", "TensorFlow read {found} records of {split} instead of {expected}"),
    "feed_labels": ("error", "the labels of {split} that TensorFlow read are not those that were written"),
    "feed_digest": ("error", "the records of {split} that TensorFlow read are not those that were written"),
}

# Codes of datasets that cannot be read as one.
DISAGREE: Final = frozenset({"features_disagree", "datasets_disagree"})

# code -> what to do about it
HINTS: Final[dict[str, str]] = {
    # --- the dataset ---
    "unfinished": "run the same tfrec convert, or the steps after tfrec plan, again; they continue",
    "shards_missing": "copy the others too, or let what wrote them finish",
    "manifest_missing": "copy it again from where the shards were made",
    "manifest_damaged": "copy it again from where it was made, or convert again with --overwrite",
    "shards_list_damaged": "copy it again from where it was made, or convert again with --overwrite",
    "side_file_edited": "copy it again from where it was made, or convert again with --overwrite",
    "label_map_edited": "write the ids and names of manifest.json back, or convert again with --overwrite",
    "labels_edited": "write the labels of manifest.json back; to rename them, convert again with --labels",
    "rejects_missing": "copy it again from where it was made: only there the rejected rows are told",
    "no_records": "check the path, and that the copy is complete; this one cannot be ignored",
    "empty_split": "rejects.csv says why its rows were rejected: mend and convert them again",
    "split_digest": "copy the shards of this split again, or convert again with --overwrite",
    "class_mix": "shuffle over all shards when training, or write the records again in random order",
    "duplicate_image": "drop one of the two rows from the source, unless it is meant to count twice",
    "features_disagree": "convert one again with the other's --task, --features and columns of boxes",
    "datasets_disagree": "convert one as the other was: --labels OTHER/manifest.json --new-labels append",
    "source_id_twice": "convert all of it at once: readers tell images apart by this number",
    "source_id_again": "give each image one of its own: COCO's metrics pass over the second one of an id",
    "kinds_differ": "write one kind everywhere: tf.io.parse_example refuses any but the one it is told",
    "names_differ": "write one name an id, or readers of ids learn another class than those of names",
    "ids_differ": "write one id a name, or readers of ids learn another class than those of names",
    "label_beside": "put the label map there that the records were written with, or write them again",
    "leakage": "give both rows the same split in the source, or scores will look too good",
    # --- a file ---
    "file_missing": "copy it again, or convert again with --overwrite",
    "file_extra": "move it away: a reader that takes all files would read it too",
    "file_empty": "copy it again: the copy failed, or the disk was full",
    "file_without_records": "remove it, unless whoever wrote it had nothing to write",
    "file_size": "copy the file again: it is cut, or it was written again",
    "file_checksum": "copy the file again: some of it was changed",
    "files_swapped": "give both files their right names, or copy them again",
    "record_count": "copy the file again: records were added to it",
    "record_dropped": "copy the file again: a program that wrote it again left records out",
    "record_doubled": "copy the file again: a program that wrote it again repeated it",
    "content_digest": "copy the file again: records in it were replaced",
    "cut_between_records": "copy the file again: it was cut, or the disk was full",
    "trailing_bytes": "copy the file again, or cut it off at this byte (head -c)",
    "unreadable": "see to its permissions and its disk, then verify again",
    "is_gzip": "copy the file again: something on its way compressed it",
    "gzip_unnamed": 'tell readers so: tf.data.TFRecordDataset(files, compression_type="GZIP")',
    "not_gzip": "copy the file again, or take .gz off its name if it was unpacked",
    "not_tfrecord": "look at what the copy or the download really gave, and do it again",
    "changed_as_text": "copy it again in binary mode (git: mark it -text; FTP: type binary)",
    "gzip_cut": "copy the file again: it was cut, or the disk was full",
    "gzip_damaged": "copy the file again: some of it was changed",
    "gzip_unread": "make one gzip stream of it: gunzip the file, then gzip it again",
    "index_missing": "copy it again; no other file is needed to read the records in order",
    "index_wrong": "copy shard and index again from the same place",
    "tfds_stale": "remove it, or convert again with --overwrite, which writes it again",
    "tfds_count": "copy the file again, and dataset_info.json with it, from where both were made",
    # --- a record ---
    "cut_in_record": "copy the file again: it was cut, or the disk was full",
    "length_damaged": "copy the file again; what stands before this record can still be read",
    "payload_damaged": "copy the file again; the other records can still be read",
    "not_an_example": "ask who wrote it what the records are, and how they are read",
    "not_as_declared": "copy features.json again from where the records were made, or make them again",
    "tensorflow_refuses": "have it written again: tf.train.Example.FromString(record).SerializeToString()",
    "tensorflow_differs": "have it written again: tf.train.Example.FromString(record).SerializeToString()",
    "feature_missing": "convert again with --overwrite: another program wrote this record",
    "feature_kind": "convert again with --overwrite: another program wrote this record",
    "feature_count": "convert again with --overwrite: another program wrote this record",
    "label_unknown": "convert again with --overwrite: map and records come from different conversions",
    "label_text": "convert again with --overwrite: map and records come from different conversions",
    "box_lengths": "write the record again with one value a box in each list: readers go by their place",
    "box_corners": "write 0 <= min <= max <= 1, as fractions of the image's size",
    "box_beyond": "tfrec convert of the boxes' own list clips them, and turns them with the photo",
    "box_pixels": "tfrec convert of these records with --box-unit pixels writes fractions",
    "box_background": (
        "count ids from 1, as convert does without --label-type id (VoTT counts labels from 0, but those of "
        "its label map from 1)"
    ),
    "image_damaged": "mend or drop the image in the source, and write the records again",
    "image_doubtful": "look at it; an image that is right stays without a word with convert --admit dc_range",
    "image_too_large": "--max-pixels admits it, for up to 20 bytes of memory a pixel; or drop the image",
    "image_format": "write the format that the image has, or readers pick the wrong decoder",
    "image_size": "write the size that decoding gives; turned photos have height and width exchanged",
    "image_elsewhere": "drop it or write it again: a parse function that asks for the usual key fails",
    "image_size_beside": "check what these keys are for; a parse function must not reshape by them",
    # --- the feed ---
    "feed_failed": "tfrec verify --no-feed tells more about the files; else look at the installation",
    "feed_count": "verify again, as the files may have changed meanwhile; else it is a bug in tfrec",
    "feed_labels": "verify again, as the files may have changed meanwhile; else it is a bug in tfrec",
    "feed_digest": "verify again, as the files may have changed meanwhile; else it is a bug in tfrec",
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
