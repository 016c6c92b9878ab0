"""How the words of a row are understood: what options say and what the first rows of a list show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.image_paths import AS_LISTED, PathRules
from tfrecordcli.sources.label_fields import (
    is_flag,
    is_yes,
    items_of,
    names_of_ones,
    parts_of,
    positions_of_ones,
)


@dataclass(frozen=True, slots=True)
class Reading:
    """How the words of a row are understood.

    Attributes:
      one_hot: names of the columns that hold 0 or 1 instead of labels.
      tick: what stands for 1 there, too; empty: nothing does.
      lists: whether a label field is a list in text, of ``labels`` or of 0 and 1 at their ``positions``.
      places: how many such positions each row has.
      separator: between the labels of a field; empty: it is one label.
      names: name by label of the list; empty: labels are names themselves.
      names_file: that they are from.
      splits: split word by word of the list; those that are not in it stay as they are.
      paths: of images.
      na: words of further columns that stand for no value.
      missing: value by further column, where a row has none.
      flags: further columns that hold yes or no, stored as 1 and 0.
      skips_without_target: whether rows without the number to predict are left out.
    """

    one_hot: tuple[str, ...] = ()
    tick: str = ""
    lists: Literal["", "labels", "positions"] = ""
    places: int = 0
    separator: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    names_file: str = ""
    splits: Mapping[str, str] = field(default_factory=dict)
    paths: PathRules = AS_LISTED
    na: tuple[str, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    skips_without_target: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether every word stands for itself."""
        return self == PLAIN

    @property
    def changes_labels(self) -> bool:
        """Whether a label field is not the label of its row."""
        return bool(self.one_hot or self.lists or self.separator or self.names)

    def split(self, word: str) -> str:
        """The split word for a word of the list."""
        return self.splits.get(word, word)

    def labels(self, fields: list[str]) -> list[str]:
        """The labels that the label fields of a row stand for.

        Raises:
          Rejected: ``bad_value``, ``field_count`` or ``unknown_label``.
        """
        if self.one_hot:
            fields = names_of_ones(fields, self.one_hot, self.tick)
        elif self.lists:
            items = [items_of(each) for each in fields]
            fields = [label for each in items for label in self._of_list(each)]
        elif self.separator:
            fields = [label for each in fields for label in parts_of(each, self.separator)]
        return list(self._named(fields)) if self.names else fields

    def value(self, column: str | None, text: str) -> str:
        """The field of a further column, as its feature reads it."""
        if text in self.na:
            text = ""
        if not text and column is not None:
            return self.missing.get(column, "")
        if column in self.flags and is_flag(text):
            return str(int(is_yes(text)))
        return text

    def _of_list(self, items: list[str]) -> list[str]:
        return positions_of_ones(items, self.places) if self.lists == "positions" else items

    def _named(self, labels: Iterable[str]) -> Iterable[str]:
        for label in filter(None, labels):
            name = self.names.get(label) or self.names.get(label.removesuffix(".0"))
            if name is None:
                raise Rejected("unknown_label", value=repr(label[:100]), labels_file=self.names_file)
            yield name


PLAIN: Final = Reading()
