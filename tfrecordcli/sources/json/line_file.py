"""A file of JSON Lines while it is read: how, and what was met in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.sources.boxes.columns import BoxFormat
from tfrecordcli.sources.boxes.object_keys import LabelKey
from tfrecordcli.sources.json.line_roles import Columns, Roles

# Objects that are looked at for one that is clear, before a list is refused.
MOST_UNCLEAR: Final = 1000


@dataclass(slots=True)
class LineFile:
    """How lines of a file are read, and what was met in them.

    Attributes:
      needs_one_number: whether a label is a number to predict.
      separator: between labels in one text; empty: a text is one label.
      kinds: of annotations -> the place of the first line that has it.
      roles: of the keys of a line, by these keys.
      unused: keys of boxes that are not stored.
      has_boxes: whether it is known to be a list of boxes.
      has_extents: whether boxes of any line so far are four numbers under one key, or begin at ``left``.
      has_corners: whether those of any line so far have a key for each corner.
      calls_xy: whether the place of any box so far is called x and y alone.
      is_clear: whether of any line so far it is certain which image it names, and how.
      unclear: what is wrong with the first line of which it is not.
      vectors: labels of the first lines that have several.
      empty: lines whose list of labels is empty, which tell nothing of the others.
      places: how many places the labels of a line have, which are 0 or 1; 0: they are labels themselves.
      texts_of_boxes: two of each key that may hold labels of boxes, and is not known.
      label_key: of boxes.
      has_labels_of_boxes: whether any line so far has boxes with labels.
      inner: those of the named keys that may be in objects: they have dots.
    """

    name: str
    columns: Columns
    box_format: BoxFormat | None
    needs_no_boxes: bool = False
    needs_one_number: bool = False
    separator: str = ""
    kinds: dict[str, str] = field(default_factory=dict)
    roles: dict[tuple[str, ...], Roles] = field(default_factory=dict)
    unused: dict[str, None] = field(default_factory=dict)
    has_boxes: bool = False
    has_extents: bool = False
    has_corners: bool = False
    calls_xy: bool = False
    is_clear: bool = False
    unclear: InputError | None = None
    vectors: list[tuple[str, ...]] = field(default_factory=list)
    empty: int = 0
    places: int = 0
    texts_of_boxes: dict[str, set[str]] = field(default_factory=dict)
    label_key: LabelKey = field(default_factory=LabelKey)
    has_labels_of_boxes: bool = False
    inner: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.inner = tuple(key for _, key in self.columns if "." in key)

    @property
    def key_of_label(self) -> str:
        """The first key of boxes, none of which is known, with two texts: labels are seldom all the same."""
        return next((key for key, texts in self.texts_of_boxes.items() if len(texts) > 1), "")

    def add_texts(self, texts: Iterable[tuple[str, str]]) -> None:
        """Keeps texts of boxes, by key, as far as they may be labels."""
        for key, text in texts:
            kept = self.texts_of_boxes.setdefault(key, set())
            if len(kept) < 2:
                kept.add(text)
