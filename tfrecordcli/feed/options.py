"""How a dataset is fed: sizes, order, labels, share, device; and whether batches fit into memory."""

from __future__ import annotations

import operator
import os
import resource
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal, get_args

from tfrecordcli.errors import UsageError
from tfrecordcli.option_parsing import device
from tfrecordcli.processes import available_cores
from tfrecordcli.units import format_size, plural

Resize = Literal["pad", "stretch", "crop"]
LabelMode = Literal["int", "multi_hot", "none"]
BoxFormat = Literal["rel_yxyx", "yxyx", "rel_xyxy", "xyxy", "rel_xywh", "xywh", "center_xywh"]
Crowd = Literal["keep", "drop"]
Style = Literal["tuple", "keras", "keras_cv"]

BOX_FORMATS: Final = get_args(BoxFormat)
_WORDS: Final = {
    "resize": get_args(Resize),
    "label_mode": get_args(LabelMode),
    "box_format": BOX_FORMATS,
    "crowd": get_args(Crowd),
    "style": get_args(Style),
}

# Batches that exist at the same time: one is used, two are ready ahead, and one is being made.
_BATCHES: Final = 4
# Bytes of a pixel in a batch, and while an image is resized: as float32, twice.
_STORED, _RESIZED = 3, 2 * 3 * 4
# Images of a batch that are timed even when the split has fewer: its epochs go round for it.
_ALWAYS: Final = 256

_CGROUPS: Final = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


@dataclass(frozen=True, slots=True)
class FeedOptions:
    """Options of a feed; what cannot be right is refused when they are made.

    Attributes:
      batch_size: images a batch, from 1.
      image_size: pixels of a side, (height, width), or None: as they are. Images of different sizes cannot
        be batched, so None needs ``batch_size=1``, ``raw``, or a function that brings them to one size
        (``augment`` of `tfrecordcli.feed.loading.load`).
      shuffle: whether files and records come in another order each epoch.
      seed: makes the order of each epoch reproducible; None: another order each time.
      repeat: whether epochs follow one another without end, batches reaching across their borders.
      resize: ``pad``: whole image, black borders; ``crop``: middle of the image; ``stretch``.
      label_mode: ``int``: one id, int64 [B]; ``multi_hot``: float32 [B, num_classes]; ``none``: no
        labels, elements are images alone. Of a dataset with boxes ``int`` is a dictionary of ``boxes`` and
        ``labels``.
      shard: (i, n): the i-th of n equal shares of the records, i from 0; shares differ by one record at
        most and together hold every record once.
      raw: whether elements hold the encoded image files, string [B], instead of pixels.
      drop_remainder: whether a last batch that is not full is left out.
      box_format: of boxes, by Keras's names: fractions of the image as it is fed where they begin with
        ``rel_``, else pixels of it; ``xywh``: left, top, width, height.
      max_boxes: of an image in a batch; where it has fewer, boxes and labels are filled up with -1.
      ragged: whether boxes and labels come as tf.RaggedTensor instead, all of them.
      first_label: of boxes: 1: their ids as they stand, 0 is the background; 0: numbers without gaps from 0
        in the order of the ids, as YOLO's and Keras's detectors count.
      crowd: whether boxes that hold a crowd (``is_crowd``) are among them; evaluation wants them, training
        does not.
      features: keys of further columns, or ``all`` of them. The image becomes a dictionary then, ``image``
        and the columns by their keys: int64, float32 or string [B], ragged where a column holds lists. Keys
        that every record has, such as ``image/filename``, are taken too; those of each box, such as
        ``image/object/area``, stand among the boxes by the last word of their key. Of rows without images:
        which columns; all when left out.
      defaults: key -> value where a record has none. Whole numbers with gaps need one; of others it is nan
        or an empty text.
      style: ``tuple``: (image, label); ``keras``: a dictionary as Keras's preprocessing layers take it,
        ``images`` and ``labels`` or ``bounding_boxes`` (``boxes`` and ``labels``); ``keras_cv``: the same
        with ``classes`` for the labels of boxes, as KerasCV has it.
      device: where batches arrive: ``auto`` (the first GPU if there is one), ``cpu``, ``gpu``, ``gpu:N``.

    Numbers may be of any whole type, NumPy's too, and pairs may be lists; they are kept as int and tuple.

    Raises:
      UsageError: an option has a value that cannot be right.
    """

    batch_size: int = 64
    image_size: int | tuple[int, int] | None = 224
    shuffle: bool = True
    seed: int | None = None
    repeat: bool = False
    resize: Resize = "pad"
    label_mode: LabelMode = "int"
    shard: tuple[int, int] = (0, 1)
    raw: bool = False
    drop_remainder: bool = False
    box_format: BoxFormat = "rel_yxyx"
    max_boxes: int = 100
    ragged: bool = False
    first_label: Literal[0, 1] = 1
    crowd: Crowd = "keep"
    features: str | Collection[str] = ()
    defaults: Mapping[str, Any] = field(default_factory=dict)
    style: Style = "tuple"
    device: str = "auto"

    def __post_init__(self) -> None:
        for name in ("batch_size", "image_size", "seed", "shard", "max_boxes", "first_label"):
            object.__setattr__(self, name, _plain(getattr(self, name)))
        self._settle_features()
        _need(_is_count(self.batch_size), "batch_size must be a whole number from 1", self.batch_size)
        _need(self._size_is_right(), "image_size must be pixels, (height, width) or None", self.image_size)
        _need(_is_count(self.max_boxes), "max_boxes must be a whole number from 1", self.max_boxes)
        for name in ("shuffle", "repeat", "raw", "drop_remainder", "ragged"):
            _need(isinstance(getattr(self, name), bool), f"{name} must be True or False", getattr(self, name))
        _need(self.seed is None or _is_whole(self.seed), "seed must be a whole number or None", self.seed)
        first = self.first_label
        _need(_is_whole(first) and first in (0, 1), "first_label must be 0 or 1", first)
        for name, known in _WORDS.items():
            given = getattr(self, name)
            _need(given in known, f"{name} must be one of {', '.join(known)}", given)
        _need(self._shard_is_right(), "shard must be (i, n) with 0 <= i < n", self.shard)
        device(self.device, "device")
        _need(
            not (self.raw and self.device.startswith("gpu")),
            "raw=True gives strings, which a GPU cannot hold: device must be cpu or auto",
            self.device,
        )
        _need(
            not (self.ragged and self.device.startswith("gpu")),
            "ragged=True gives ragged tensors, which are not copied to a GPU: device must be cpu or auto",
            self.device,
        )

    def _settle_features(self) -> None:
        """Makes a tuple of names, and a dictionary of plain values."""
        names: Any = (self.features,) if isinstance(self.features, str) else self.features
        are_names = isinstance(names, Collection) and all(isinstance(name, str) for name in names)
        _need(are_names, "features must be names of columns, or 'all'", names)
        object.__setattr__(self, "features", tuple(names))
        _need(isinstance(self.defaults, Mapping), "defaults must be values by column", self.defaults)
        defaults = {key: _plain(value) for key, value in self.defaults.items()}
        object.__setattr__(self, "defaults", defaults)

    @property
    def height_width(self) -> tuple[int, int] | None:
        """Pixels that images are resized to; None: they are not."""
        size = self.image_size
        return (size, size) if isinstance(size, int) else size

    @property
    def is_of_one_size(self) -> bool:
        """Whether images come at one size, or as files."""
        return self.image_size is not None or self.raw

    @property
    def is_batchable(self) -> bool:
        """Whether elements fit into batches whatever the size of their images."""
        return self.is_of_one_size or self.batch_size == 1

    def _size_is_right(self) -> bool:
        size: Any = self.image_size
        if isinstance(size, tuple):
            return len(size) == 2 and all(map(_is_count, size))
        return size is None or _is_count(size)

    def _shard_is_right(self) -> bool:
        shard: Any = self.shard
        if not (isinstance(shard, tuple) and len(shard) == 2 and all(map(_is_whole, shard))):
            return False
        return bool(0 <= shard[0] < shard[1])


def _plain(value: Any) -> Any:
    """Whole numbers of any type as int, lists as tuples; everything else as it is."""
    if isinstance(value, list | tuple):
        return tuple(map(_plain, value))
    try:
        return value if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return value


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return _is_whole(value) and value >= 1


def _need(holds: bool, rule: str, got: object) -> None:
    if not holds:
        raise UsageError(f"{rule}, got {got!r}" if not isinstance(got, str) else f"{rule}, got {got}")


def timed_options(options: FeedOptions, records: int) -> FeedOptions:
    """Options with a batch size that a split of so many records can fill in a bounded time."""
    return replace(options, batch_size=min(options.batch_size, max(records, _ALWAYS)))


def check_room(options: FeedOptions, records: int, memory: int | None = None) -> None:
    """Refuses batches that no run on this machine could hold.

    Args:
      options: of the feed.
      records: of the largest split.
      memory: of the machine, bytes; by default what this process may use.

    Raises:
      UsageError
    """
    size = options.height_width
    if size is None:
        return
    batch = timed_options(options, records).batch_size
    pixels = size[0] * size[1]
    need = pixels * (_BATCHES * batch * _STORED + min(batch, available_cores()) * _RESIZED)
    room = usable_memory() if memory is None else memory
    if need > room:
        images = plural(batch, "image")
        raise UsageError(
            f"batches of {images} of {size[0]:,} x {size[1]:,} pixels need {_shown(need)} of memory,"
            f" and there is {format_size(room)}",
            "use a smaller --image-size" + (" or --batch-size" if batch > 1 else ""),
        )


def usable_memory() -> int:
    """Bytes that this process can have: of the machine, its container and its limit (ulimit -v)."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    limits = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), *_of_container()]
    return min(limits if limit == resource.RLIM_INFINITY else [*limits, limit])


def _of_container() -> Iterator[int]:
    for path in _CGROUPS:
        try:
            text = Path(path).read_text(encoding="ascii").strip()
        except OSError:
            continue
        if text.isdecimal():  # or "max"
            yield int(text)


def _shown(size: int) -> str:
    return format_size(size) if size < 10**15 else "more than 1,000 TB"
