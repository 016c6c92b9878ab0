"""The options of a conversion, as frozen values.

They come in the groups in which they matter: how the source is read, what is asked of an image,
how shards are laid out, and how the work is run. The first three decide what is written (they are
the identity of a run, together with the source's bytes); the last one does not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

# Pillow's own limit against decompression bombs (PIL.Image.MAX_IMAGE_PIXELS): 2**30 bytes / 4 / 3.
DEFAULT_MAX_PIXELS = 89_478_485
DEFAULT_MAX_IMAGE_BYTES = 64 << 20
# 100 to 200 MB a shard is the usual advice (tensorflow.org/tutorials/load_data/tfrecord).
DEFAULT_SHARD_SIZE = 128 << 20
DEFAULT_SPLITS = "train=80,validation=10,test=10"


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How the source is read.

    Attributes:
      columns: (field, column name) pairs, field one of image_uri, label, split; label may repeat.
      image_root: folder that relative image paths are relative to; None is the source's own.
      encoding: of the CSV, a Python codec name.
      delimiter: one character; None is found out from the first line.
      unlabelled: what a row without a label is: an error, kept, or left out.
      label_folder: which of the folders above an image is its label, where there are several; None: a
        folder that has images deeper than in a label folder is refused.
      label_type: whether labels are names (numbered sorted) or already ids.
      labels_file: fixed vocabulary, one name a line, id = line from 0.
      new_labels: what labels are that it does not have: rejects, or numbered after it.
      splits: (split, weight) pairs by which rows without a split are dealt; weights above 0.
      split_seed: of that dealing, any int.
    """

    columns: tuple[tuple[str, str], ...] = ()
    image_root: str | None = None
    encoding: str = "utf-8"
    delimiter: str | None = None
    unlabelled: Literal["error", "keep", "skip"] = "error"
    label_folder: Literal["first", "last"] | None = None
    label_type: Literal["auto", "name", "id"] = "auto"
    labels_file: str | None = None
    new_labels: Literal["reject", "append"] = "reject"
    splits: tuple[tuple[str, float], ...] = (("train", 80.0), ("validation", 10.0), ("test", 10.0))
    split_seed: int = 0


@dataclass(frozen=True, slots=True)
class ImageOptions:
    """What is asked of each image.

    Attributes:
      check: ``decode`` entropy-decodes every byte; ``structure`` walks the file (JPEG) or inflates
        it (PNG). Neither admits an image that TensorFlow refuses.
      exif: ``apply`` turns rotated photos upright, ``keep`` leaves them as they are.
      max_side: longest side in pixels, larger images are shrunk to it; None keeps every size.
      max_pixels: height x width above this is rejected, from the header, before decoding.
      max_image_bytes: files larger than this are rejected before they are read.
    """

    check: Literal["decode", "structure"] = "decode"
    exif: Literal["apply", "keep"] = "apply"
    max_side: int | None = None
    max_pixels: int = DEFAULT_MAX_PIXELS
    max_image_bytes: int = DEFAULT_MAX_IMAGE_BYTES


@dataclass(frozen=True, slots=True)
class ShardOptions:
    """How records are laid out in shards.

    Attributes:
      seed: of the order of the records, any int.
      num_shards: (split, shards) pairs; split "" stands for every split. Empty: from shard_size.
      shard_size: target in bytes of a shard.
      compression: none or gzip.
      index: whether an offset index is written beside each shard.
    """

    seed: int = 0
    num_shards: tuple[tuple[str, int], ...] = ()
    shard_size: int = DEFAULT_SHARD_SIZE
    compression: Literal["none", "gzip"] = "none"
    index: bool = False


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How the work is run; nothing in here changes a byte of the output.

    Attributes:
      workers: busy processes; None is one for each available core.
      runner: which runner executes the shard tasks: ``local``, or an Apache Beam runner by its name.
      project, region: of Google Cloud, for DataflowRunner.
      temp_location: where a Beam runner puts its own files; None is inside the output directory.
      beam_options: (name, value) pairs passed on to Beam; value None is a flag.
      max_rejects: rejected rows that still count as success: a number, or a share in [0, 1].
      fail_fast: stop as soon as max_rejects is passed; without it, and when half of the rows can be used,
        all of these are converted.
      dry_run: plan only.
      overwrite: replace a finished dataset.
    """

    workers: int | None = None
    runner: str = "local"
    project: str | None = None
    region: str | None = None
    temp_location: str | None = None
    beam_options: tuple[tuple[str, str | None], ...] = ()
    max_rejects: int | float = 0
    fail_fast: bool = False
    dry_run: bool = False
    overwrite: bool = False

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
