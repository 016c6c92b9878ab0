"""The keyword arguments of `tfrecordcli.convert`, `plan`, `verify` and `load`, for editors and type checkers.

Nothing imports this at run time; a test holds it equal to what these functions take. None is allowed
where it is the default.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Literal, TypedDict

from tfrecordcli.feed.recipe import Augment

Path = str | os.PathLike[str]


class PlanKeywords(TypedDict, total=False):
    """What is written, and when a plan is refused."""

    columns: str | Mapping[str, Any] | Iterable[tuple[str, Any]]
    image_root: Path | Mapping[str, Path] | None
    encoding: str | Mapping[str, str]
    delimiter: str | Mapping[str, str] | None
    unlabelled: Literal["error", "keep", "skip"]
    label_folder: Literal["first", "last"] | None
    label_type: Literal["auto", "name", "id"]
    labels: Path | None
    new_labels: Literal["reject", "append"]
    task: Literal["auto", "classification", "detection", "regression", "tabular"]
    format: (
        Literal[
            "auto",
            "csv",
            "folder",
            "jsonl",
            "coco",
            "createml",
            "voc",
            "yolo",
            "automl",
            "retinanet",
            "tfrecord",
        ]
        | Mapping[str, str]
    )
    box_format: Literal["xyxy", "yxyx", "xywh", "center_xywh"] | Mapping[str, str] | None
    box_unit: Literal["auto", "pixels", "fractions", "percent"] | Mapping[str, str]
    empty_images: Literal["keep", "skip"]
    splits: str | Mapping[str, float] | Iterable[tuple[str, float]]
    split_seed: int
    features: str | Mapping[str, str] | Iterable[str]
    missing: str | Mapping[str, Any] | Iterable[tuple[str, Any]]
    na: str | Iterable[str]
    split_by: str | None
    stratify: bool
    one_hot: str | Iterable[str]
    label_separator: str | None
    multi_label: bool
    label_names: Path | None
    split_map: str | Mapping[str, str] | Iterable[tuple[str, str]]
    map: str | Mapping[str, str] | Iterable[tuple[str, str]]
    exclude: str | Iterable[str]
    check: Literal["decode", "structure"]
    gate: Literal["auto", "native", "portable"]
    admit: str | Iterable[str]
    exif: Literal["apply", "keep"]
    max_side: int | None
    max_pixels: int
    box_frame: Literal["auto", "upright", "stored"]
    boxes: Literal["clip", "strict"]
    max_image_bytes: int | str
    seed: int
    num_shards: int | str | Mapping[str, int] | Iterable[tuple[str, int]]
    shard_size: int | str
    compression: Literal["none", "gzip"]
    index: bool
    tfds: bool
    max_rejects: float | str
    fail_fast: bool
    overwrite: bool


class ConvertKeywords(PlanKeywords, total=False):
    """The same, and who does the work."""

    workers: int | None
    runner: str
    project: str | None
    region: str | None
    temp_location: Path | None
    beam_options: str | Iterable[str] | Mapping[str, Any]
    dry_run: bool
    sheet: str | None


class VerifyKeywords(TypedDict, total=False):
    """What is verified, and how."""

    split: str | None
    shards: str | tuple[int, int] | None
    feed: bool
    check: Literal["decode", "structure"]
    gate: Literal["auto", "native", "portable"]
    max_pixels: int | None
    batch_size: int
    image_size: int
    device: str
    step_time: float
    feed_seconds: float
    strict: bool
    ignore: str | Collection[str]
    workers: int | None
    max_problems: int


class LoadKeywords(TypedDict, total=False):
    """How a dataset is fed."""

    batch_size: int
    image_size: int | tuple[int, int] | None
    shuffle: bool
    seed: int | None
    repeat: bool
    resize: Literal["pad", "stretch", "crop"]
    label_mode: Literal["int", "multi_hot", "none"]
    shard: tuple[int, int]
    raw: bool
    drop_remainder: bool
    box_format: Literal["rel_yxyx", "yxyx", "rel_xyxy", "xyxy", "rel_xywh", "xywh", "center_xywh"]
    max_boxes: int
    ragged: bool
    first_label: Literal[0, 1]
    crowd: Literal["keep", "drop"]
    features: str | Collection[str]
    defaults: Mapping[str, Any]
    style: Literal["tuple", "keras", "keras_cv"]
    device: str
    augment: Augment | None
    augment_splits: str | Collection[str]
