"""The images of many records together: formats and sizes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tfrecordcli.inspecting.histogram import Histogram
from tfrecordcli.inspecting.pictures import Picture

_MAX_KEYS: Final = 16


@dataclass(frozen=True, slots=True)
class ImageSummary:
    """What the headers of all images say.

    Attributes:
      key: of the feature that holds most of them.
      size_keys: of the features with height, width and channels of raw pixels; empty for image files.
      records: whose image is under that key.
      elsewhere: records whose image is under another key.
      several: records that hold more than one image under that key, of which the first was looked at.
      others: key -> records, of other keys that hold images too.
      formats: format -> images, most frequent first.
      unreadable: images whose header cannot be read.
      sizes: ((height, width), images), most frequent first.
      sizes_left_out: images whose sizes were not counted one by one, because there are too many.
      smallest, largest: (height, width) in pixels, each side by itself; None when no header can be read.
    """

    key: str
    size_keys: tuple[str, ...]
    records: int
    elsewhere: int
    formats: Mapping[str, int]
    unreadable: int
    sizes: tuple[tuple[tuple[int, int], int], ...]
    sizes_left_out: int
    smallest: tuple[int, int] | None
    largest: tuple[int, int] | None
    several: int = 0
    others: Mapping[str, int] = field(default_factory=dict)


class ImageTable:
    """Counts images."""

    def __init__(self) -> None:
        self._keys: Histogram[tuple[str, tuple[str, ...]]] = Histogram(_MAX_KEYS)
        self._holders: Histogram[str] = Histogram(_MAX_KEYS)
        self._several: Counter[str] = Counter()
        self._formats: Histogram[str] = Histogram()
        self._sizes: Histogram[tuple[int, int]] = Histogram()
        self._unreadable = 0
        self._smallest: tuple[int, int] | None = None
        self._largest: tuple[int, int] | None = None

    def add(self, picture: Picture, keys: Sequence[str]) -> None:
        """Counts the image of a record.

        Args:
          keys: of all images of the record, once for each.
        """
        for key in dict.fromkeys(keys):
            self._holders.add(key)
        if keys.count(picture.key) > 1:
            self._several[picture.key] += 1
        self._keys.add((picture.key, picture.size_keys))
        self._formats.add(picture.format)
        if picture.height is None or picture.width is None:
            self._unreadable += 1
            return
        height, width = picture.height, picture.width
        self._sizes.add((height, width))
        low, high = self._smallest or (height, width), self._largest or (height, width)
        self._smallest = min(low[0], height), min(low[1], width)
        self._largest = max(high[0], height), max(high[1], width)

    def summary(self) -> ImageSummary | None:
        """All of them together; None when there was none."""
        if not self._keys.total():
            return None
        (key, size_keys), count = self._keys.most_frequent()[0]
        return ImageSummary(
            key=key,
            size_keys=size_keys,
            records=count,
            elsewhere=self._keys.total() - count,
            formats=dict(self._formats.most_frequent()),
            unreadable=self._unreadable,
            sizes=tuple(self._sizes.most_frequent()),
            sizes_left_out=self._sizes.left_out,
            smallest=self._smallest,
            largest=self._largest,
            several=self._several[key],
            others={other: n for other, n in self._holders.most_frequent() if other != key},
        )
