"""What a list that is no CSV says of one image: the rows that readers of JSON and of folders yield.

A reader is a function of a path that yields a `ListedImage` for each image and adds to a `Findings` what
holds for the whole list. It knows nothing of planning, of the images themselves, or of what other lists say.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tfrecordcli.boxes import Unit
from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import Feature
from tfrecordcli.sources.boxes.columns import BoxFormat
from tfrecordcli.sources.boxes.fields import UNREAD
from tfrecordcli.sources.group_names import GroupKeys


@dataclass(frozen=True, slots=True)
class ListedBox:
    """One box as a list has it.

    Attributes:
      label: name of what is in it.
      corners: (xmin, ymin, xmax, ymax) from the top left corner of the image, in the unit of the image;
        neither sorted nor clipped, whatever the list says. Four nan where the list has no box that could be
        read: its image has a problem, and the box is there to be counted. So may the label be empty.
      place: number of the box in its list: a line, or an element counted from 0.
      attributes: by a name of `tfrecordcli.schema.ATTRIBUTES`; only what the list says. ``area`` is in
        pixels of the image as listed.
      written: of a box that could not be read what the list has for its four corners, or, where it has them
        in another form, one text. An attribute that could not be read begins with `UNREAD`.
    """

    label: str
    corners: tuple[float, float, float, float]
    place: int
    attributes: Mapping[str, int | float | str] = field(default_factory=dict)
    written: tuple[str, ...] = ()

    @property
    def is_read(self) -> bool:
        """Whether all of it could be read."""
        odd = (value for value in self.attributes.values() if isinstance(value, str))
        return (
            bool(self.label)
            and not self.written
            and not any(map(math.isnan, self.corners))
            and not any(value.startswith(UNREAD) for value in odd)
        )


class Untyped(str):
    """A further field of a list that tells no types, as XML: it may be a number, as the field of a CSV."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class ListedImage:
    """One image as a list has it.

    Attributes:
      place: where the list says so, for people: ``line 12``, ``images[3]``, ``Annotations/a.xml``.
      image_uri: path or URL as written; a relative one is relative to the list's folder or --image-root.
      split: the word for it, or empty when the list has none.
      labels: of the whole image; empty in a list of boxes.
      boxes: empty: an image that is known to show nothing; None: a list without boxes, or one of boxes that
        has not labelled this image, or of which it is not known, which its problem tells.
      unit: of the boxes' corners; None: one for the whole list, which all of its numbers tell.
      width, height: pixels that the list says the image has; None: it does not say.
      source_id: number that the list gives the image.
      extras: further fields by name, as JSON has them.
      problem: why the image cannot be used, or None.
      filename: that its record is to hold, where that is not the URI (`Findings.tells_names`).
      further: fields of `Findings.features`, in their order.
      content: by which images without a split are assigned, where that is not the URI.
    """

    place: str
    image_uri: str
    split: str = ""
    labels: tuple[str, ...] = ()
    boxes: tuple[ListedBox, ...] | None = None
    unit: Unit | None = "pixels"
    width: int | None = None
    height: int | None = None
    source_id: int | None = None
    extras: Mapping[str, Any] = field(default_factory=dict)
    problem: Rejected | None = None
    filename: str = ""
    content: str = ""
    further: tuple[str, ...] = ()


@dataclass(slots=True)
class Findings:
    """What a reader found about its whole list.

    Attributes:
      notes: what was decided, for a person to check; a line each.
      counts: things that are told by their number, such as segmentations that are not stored.
      label_ids: name -> id where the list fixes them (ids of categories, order of names), as the list has
        them, 0 included; empty: it does not.
      left_out: (place of the image, place of the box, reason) of boxes that the reader itself left out.
      has_boxes: whether it is a list of boxes; known when the first image comes.
      tells_names: whether images have names and contents of their own, beside their URIs.
      tells_splits: whether their words for splits are people's own, as those of a column are.
      unsure_splits: keys that may be the split and are not read as such -> the options that read them.
      unread_splits: keys of other names that hold nothing else than words of splits -> these words.
      splits_beside: commands that make what is read of files beside that name the images of splits.
      tells_numbers: whether labels of whole images may be numbers to predict.
      features: that are stored of each image beside what every list tells.
      calls_xy: whether the place of extents is called x and y alone, as centres may be; known at the end.
      form: that boxes were taken for by the names of their numbers only, or by their place, which may be
        wrong; None: it is certain. Known at the end.
      columns: that ``--columns`` can name; known at the end.
      groups: keys of images that tell what several of them come from; complete at the end.
      keys_of_boxes: all, or those that are not stored; known at the end.
    """

    notes: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    label_ids: dict[str, int] = field(default_factory=dict)
    left_out: list[tuple[str, int, str]] = field(default_factory=list)
    has_boxes: bool = True
    tells_names: bool = False
    tells_splits: bool = False
    unsure_splits: dict[str, str] = field(default_factory=dict)
    unread_splits: dict[str, list[str]] = field(default_factory=dict)
    splits_beside: list[str] = field(default_factory=list)
    tells_numbers: bool = False
    features: tuple[Feature, ...] = ()
    calls_xy: bool = False
    form: BoxFormat | None = None
    columns: set[str] = field(default_factory=set)
    groups: GroupKeys = field(default_factory=GroupKeys)
    keys_of_boxes: set[str] = field(default_factory=set)
