"""The options of a conversion, as frozen values; each is defined here, once.

They come in the groups in which they matter: how the source is read, what is asked of an image,
how shards are laid out, and how the work is run. The first three decide what is written (they are
the identity of a run, together with the source's bytes); the last one does not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from tfrecordcli import option_parsing as parse
from tfrecordcli.option_definition import option
from tfrecordcli.units import parse_size

# Pillow's own limit against decompression bombs (PIL.Image.MAX_IMAGE_PIXELS): 2**30 bytes / 4 / 3.
DEFAULT_MAX_PIXELS = 89_478_485
# 100 to 200 MB a shard is the usual advice (tensorflow.org/tutorials/load_data/tfrecord).
_SHARD_SIZE = 128 << 20


# Options of `ReadOptions` that say what columns hold: nothing for a folder, whose list is written by tfrec.
ABOUT_COLUMNS: Final = (
    "columns", "task", "features", "missing", "na", "one_hot", "label_separator", "multi_label", "split_map",
    "map", "split_by",
)  # fmt: skip


# Runners of every Beam, known without it.
BEAM_RUNNERS: Final = (
    "DirectRunner", "SwitchingDirectRunner", "FnApiRunner", "PrismRunner", "InteractiveRunner",
    "DataflowRunner", "PortableRunner", "FlinkRunner", "SparkRunner", "SamzaRunner", "DaskRunner",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How the source is read.

    Attributes:
      columns: (field, column name) pairs, field one of image_uri, label, split; label may repeat.
      encoding: a Python codec name.
      delimiter: one character; None is found out from the first line.
      label_folder: None: a folder that has images deeper than in a label folder is refused.
      labels_file: its path; among the options of a plan or a manifest, the SHA-256 of what it says.
      splits: (split, weight) pairs; weights above 0.
      one_hot: names of columns, each a label.
      label_separator: between the labels of one field; "": a field is one label; None: not known.
      label_names: its path; among the options of a plan or a manifest, the SHA-256 of what it says.
      split_map: (word of the list, split word) pairs.
      map: (prefix of the list, prefix instead) pairs.
      by_split: (split, name, text) of options of single sources; what they change is in the rows.
      is_part: whether the source is one of several.
    """

    columns: tuple[tuple[str, str], ...] = option(
        (), "Columns of the CSV that hold image_uri, label and split, as in "
        "image_uri=Filename,label=Species.", "FIELD=NAME,…", parse.columns, shown="by their known names",
        of_source=True, is_joined=True,
    )  # fmt: skip
    image_root: str | None = option(
        None,
        "Folder that relative image paths are relative to.",
        "DIR",
        shown="the CSV's own",
        of_source=True,
    )
    encoding: str = option("utf-8", "Encoding of the CSV.", parse=parse.encoding, of_source=True)
    delimiter: str | None = option(
        None,
        "Delimiter of the CSV: one character, or tab.",
        parse=parse.delimiter,
        shown="found out",
        of_source=True,
    )
    unlabelled: Literal["error", "keep", "skip"] = option(
        "error", "Rows without a label: reject them, keep them without a label feature, or leave them out."
    )
    label_folder: Literal["first", "last"] | None = option(
        None, "Of a folder with images deeper than <label>/<file>: which folder is the label.", shown="refuse"
    )
    label_type: Literal["auto", "name", "id"] = option(
        "auto", "auto: labels that are all integers are ids and stay as they are."
    )
    labels_file: str | None = option(
        None, "Fixed vocabulary: a name a line, id = line from 0; label_map.pbtxt or manifest.json.", "FILE",
        keyword="labels", shown="all labels, sorted",
    )  # fmt: skip
    new_labels: Literal["reject", "append"] = option(
        "reject", "Labels that are not in --labels: reject their rows, or number them after it."
    )
    task: Literal["auto", "classification", "detection", "regression", "tabular"] = option(
        "auto", "What is made of the list; auto: detection for lists of boxes, else classification; "
        "regression: the label column holds a number to predict; tabular: rows have no image, and every "
        "column is stored."
    )  # fmt: skip
    format: Literal[
        "auto", "csv", "folder", "jsonl", "coco", "createml", "voc", "yolo", "automl", "retinanet", "tfrecord"
    ] = option(
        "auto", "What the source is: csv, folder, jsonl, coco, createml, voc, yolo, automl, retinanet or "
        "tfrecord; auto: told by what is in it.", "NAME", of_source=True,
    )  # fmt: skip
    box_format: Literal["xyxy", "yxyx", "xywh", "center_xywh"] | None = option(
        None, "What the four numbers of a box are.", shown="by the columns' names", of_source=True
    )
    box_unit: Literal["auto", "pixels", "fractions", "percent"] = option(
        "auto", "Unit of boxes; auto: by the numbers of the whole list.", of_source=True
    )
    empty_images: Literal["keep", "skip"] = option(
        "keep", "Images that a list of boxes names without a box: keep them, or leave them out."
    )
    splits: tuple[tuple[str, float], ...] = option(
        (("train", 80.0), ("validation", 10.0), ("test", 10.0)),
        "How rows without a split are assigned, by a hash of the image_uri.", "SPLIT=SHARE,…", parse.splits,
        shown="train=80,validation=10,test=10", is_joined=True,
    )  # fmt: skip
    split_seed: int = option(0, "Seed of that assignment.", "N")
    features: tuple[str, ...] = option(
        (), "Further columns, or keys of images in JSON, to store: all, or with types, as age:int,zip:text, "
        "score:float,old:bool,tags:text[;].", "COLUMN[:TYPE],…", parse.features, shown="none",
        is_joined=True,
    )  # fmt: skip
    missing: tuple[tuple[str, str], ...] = option(
        (), "Values of further columns where the list has none, as in age=-1.", "COLUMN=VALUE,…",
        parse.missing, shown="no feature", is_joined=True,
    )  # fmt: skip
    na: tuple[str, ...] = option(
        (), "Words of further columns that stand for no value, as NA,null.", "WORD,…", parse.names,
        shown="blank fields", is_joined=True,
    )  # fmt: skip
    split_by: str | None = option(
        None, "Column or key whose equal values stay in one split, as of a patient, where rows name none.",
        "COLUMN", shown="image_uri",
    )  # fmt: skip
    stratify: bool = option(
        False, "Assign rows without a split so that each split has its share of every class and none is "
        "lost; adding rows may move others.", off="--no-stratify", shown="off",
    )  # fmt: skip
    one_hot: tuple[str, ...] = option(
        (), "Columns that each stand for a label: 1 where an image has it, else 0.", "COLUMN,…", parse.names,
        shown="refuse", is_joined=True,
    )  # fmt: skip
    label_separator: str | None = option(
        None, "What stands between the labels of one field, as blank or |; none: a field is one label.",
        "TEXT", parse.label_separator, shown="refuse",
    )  # fmt: skip
    multi_label: bool = option(
        False, "Several rows of one image are several labels of it.", off="--no-multi-label", shown="off"
    )
    label_names: str | None = option(
        None, "Names for the ids or codes of the list: a file of two columns.", "FILE", shown="none"
    )
    split_map: tuple[tuple[str, str], ...] = option(
        (), "Words of the list for splits, as in True=validation,False=train.", "WORD=SPLIT,…",
        parse.split_map, shown="none", is_joined=True,
    )  # fmt: skip
    map: tuple[tuple[str, str], ...] = option(
        (), "Beginnings of image paths and what stands here instead, as in gs://bucket/photos/=photos/.",
        "PREFIX=PREFIX,…", parse.path_map, shown="off", is_joined=True,
    )  # fmt: skip

    exclude: tuple[str, ...] = option(
        (), "Files and folders of a source folder to pass over, by name or, with a slash, by path, as in "
        "thumbs,*_mask.png,raw/*.", "GLOB,…", parse.patterns, shown="none",
        is_joined=True,
    )  # fmt: skip

    by_split: tuple[tuple[str, str, str], ...] = ()
    is_part: bool = False


@dataclass(frozen=True, slots=True)
class ImageOptions:
    """What is asked of each image. No value of ``check`` admits an image that TensorFlow refuses."""

    check: Literal["decode", "structure"] = option(
        "decode", "decode: every byte of every image is decoded. structure: the file is walked, damage "
        "inside the image data can pass."
    )  # fmt: skip
    gate: Literal["auto", "native", "portable"] = option(
        "auto", "What --check decode judges JPEGs by: native, every code of their data, which is faster and "
        "finds more; portable, libjpeg; auto: native where it was built."
    )  # fmt: skip
    admit: tuple[str, ...] = option(
        (), "Reasons that are no reason here: dc_range.", "REASON,…", parse.admitted, shown="none",
        offered=("dc_range",), is_joined=True,
    )  # fmt: skip
    exif: Literal["apply", "keep"] = option("apply", "Turn rotated photos upright, or keep them as they are.")
    max_side: int | None = option(
        None, "Shrink images whose longer side is above N pixels.", "N", least=1, shown="off"
    )
    max_pixels: int = option(DEFAULT_MAX_PIXELS, "Reject images of more pixels.", "N", least=1)
    box_frame: Literal["auto", "upright", "stored"] = option(
        "auto", "Of photos with an EXIF rotation: whether boxes were drawn on the upright photo or on the "
        "stored pixels; auto: by the size that the list tells."
    )  # fmt: skip
    boxes: Literal["clip", "strict"] = option(
        "clip", "Boxes that reach beyond their image: clip them, or reject the image."
    )
    max_image_bytes: int = option(64 << 20, "Reject larger image files.", "SIZE", parse_size, shown="64MiB")


@dataclass(frozen=True, slots=True)
class ShardOptions:
    """How records are laid out in shards.

    Attributes:
      num_shards: (split, shards) pairs; split "" stands for every split. Empty: from shard_size.
      shard_size: bytes.
    """

    seed: int = option(0, "Seed of the order in the shards.", "N")
    num_shards: tuple[tuple[str, int], ...] = option(
        (), "Shards a split, or as in train=8,test=1.", "N", parse.num_shards, shown="from --shard-size",
        is_joined=True,
    )  # fmt: skip
    shard_size: int = option(_SHARD_SIZE, "Size of a shard to aim at.", "SIZE", parse_size, shown="128MiB")
    compression: Literal["none", "gzip"] = option("none", "Compress the shards.")
    index: bool = option(
        False, "Write an offset index beside each shard, as DALI and PyTorch readers want it.",
        off="--no-index", shown="off",
    )  # fmt: skip
    tfds: bool = option(
        True, "Write dataset_info.json and features.json beside plain shards, by which TensorFlow Datasets "
        "reads them.", off="--no-tfds", shown="on",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How the work is run; nothing in here changes a byte of the output.

    Attributes:
      max_rejects: a number, or a share in [0, 1] as a float.
      fail_fast: without it, and when half of the rows can be used, all of these are converted.
      workers: None is one for each available core.
      runner: ``local``, or an Apache Beam runner by its name.
      beam_options: (name, value) pairs passed on to Beam; value None is a flag.
    """

    max_rejects: int | float = option(
        0, "Rejected rows that still count as success.", "N|N%", parse.max_rejects
    )
    fail_fast: bool = option(False, "Stop as soon as --max-rejects is passed.")
    workers: int | None = option(None, "Busy processes.", "N", least=1, shown="available cores")
    runner: str = option(
        "local", "What makes the shards: local, or an Apache Beam runner, as DirectRunner or DataflowRunner.",
        "NAME", offered=("local", *BEAM_RUNNERS),
    )  # fmt: skip
    project: str | None = option(None, "Google Cloud project, for DataflowRunner.", "ID")
    region: str | None = option(None, "Google Cloud region, for DataflowRunner.", "NAME")
    temp_location: str | None = option(
        None, "Where Beam puts files of its own.", "URL", shown="inside OUTPUT_DIR"
    )
    beam_options: tuple[tuple[str, str | None], ...] = option(
        (), "An option of Beam, as in max_num_workers=50.", "NAME=VALUE",
        parse.beam_options, flag="--beam-option", is_repeated=True,
    )  # fmt: skip
    dry_run: bool = option(False, "Check the source and show the plan only.")
    sheet: str | None = option(
        None, "With --dry-run: draw some images as they would be stored, with their boxes.", "FILE.png",
        shown="off",
    )  # fmt: skip
    overwrite: bool = option(False, "Replace a finished dataset.")

    def allows_rejects(self, rejected: int, rows: int) -> bool:
        """Whether this many rejects among this many rows still count as success."""
        limit = self.max_rejects * rows if isinstance(self.max_rejects, float) else self.max_rejects
        return rejected <= limit


@dataclass(frozen=True, slots=True)
class ConvertOptions:
    """All options of one conversion."""

    read: ReadOptions = field(default_factory=ReadOptions)
    image: ImageOptions = field(default_factory=ImageOptions)
    shard: ShardOptions = field(default_factory=ShardOptions)
    run: RunOptions = field(default_factory=RunOptions)


@dataclass(frozen=True, slots=True)
class ShardChoice:
    """Which shards of a plan `write_shards` makes: those that are in both."""

    shards: str | None = option(
        None, "Numbers of shards, over all splits, from 0.", "A-B,…", shown="all", is_joined=True
    )
    part: str | None = option(None, "One of N equal parts, I from 0.", "I/N", shown="all")
