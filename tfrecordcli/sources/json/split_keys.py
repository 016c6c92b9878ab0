"""The key under which images of a JSON file name their splits, where its words show that they do."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any, Final

from tfrecordcli.errors import InputError
from tfrecordcli.formats.typed_json import encodable
from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import KNOWN_COLUMNS, columns_option
from tfrecordcli.sources.json.line_roles import Columns
from tfrecordcli.sources.listed import Findings
from tfrecordcli.sources.proposals.splits import MOST_SPLITS, propose_split_map, words_of_splits
from tfrecordcli.split_words import PUBLISHED, parse_split, parse_split_in_column, split_in_column
from tfrecordcli.units import join_pairs

# Of the words under a key that nobody named, so many must be known ones: `set` and `subset` have other
# meanings. The rest is rejected, and not assigned without a word.
_SHARE: Final = 2 / 3


@dataclass(slots=True)
class _Key:
    """What images have under one key.

    Attributes:
      numbers: of the word of each image, -1 where there is none; as far as the last one that has any.
      words: word -> its number.
      is_certain: whether the user named it.
    """

    is_certain: bool
    numbers: array[int] = field(default_factory=lambda: array("i"))
    words: dict[str, int] = field(default_factory=dict)

    def add(self, image: int, word: str) -> None:
        if len(self.words) > MOST_SPLITS and not self.is_certain:
            return  # they are no splits
        self.numbers.extend(repeat(-1, image - len(self.numbers)))
        self.numbers.append(self.words.setdefault(word, len(self.words)))

    def tells_splits(self, renamed: Collection[str]) -> bool:
        if self.is_certain or len(self.words) > MOST_SPLITS:
            return self.is_certain
        counts = Counter(self.numbers)
        known = (n for word, n in self.words.items() if word in renamed or _is_known(word))
        return sum(counts[n] for n in known) >= _SHARE * (len(self.numbers) - counts[-1]) > 0


class SplitKeys:
    """What the images of a file, counted from 0, have under keys that may name their splits.

    Attributes:
      key: that names them; empty before `choose`, and where none does.
    """

    def __init__(self, columns: Columns = (), renamed: Collection[str] = ()) -> None:
        """
        Args:
          columns: (what it holds, key) that the user named; a ``split`` without a key: none names splits.
          renamed: words that the user said to be splits.
        """
        self.key = ""
        self._named = dict(columns).get("split")
        self._renamed = renamed
        self._keys: dict[str, _Key] = {}
        self._others: dict[str, dict[str, None]] = {}
        self._words: list[str] = []

    def add(self, image: int, element: dict[str, Any]) -> None:
        """Takes in an image; they come in their order."""
        for key, value in element.items():
            if value is None or not self._may_be(key):
                self._meet(key, value)
                continue
            found = self._keys.get(key)
            if found is None:
                found = self._keys[key] = _Key(self._named is not None)
            found.add(image, word_of(value))

    def _meet(self, key: str, value: Any) -> None:
        """Notes the words under a key of any other name, as long as they are few enough for splits."""
        if self._named is None and isinstance(value, str):
            words = self._others.setdefault(key, {})
            if len(words) <= MOST_SPLITS:
                words[value.strip()] = None

    def _may_be(self, key: str) -> bool:
        return key.lower() in KNOWN_COLUMNS["split"] if self._named is None else key == self._named != ""

    def choose(self, name: str, findings: Findings) -> None:
        """Tells the key by all that was added.

        Raises:
          InputError: it could be one of several that say different things.
        """
        found = [key for key, told in self._keys.items() if told.tells_splits(self._renamed)]
        if any(self._keys[key] != self._keys[found[0]] for key in found):
            what = f"both {found[0]} and {found[1]} could be the split of images"
            raise InputError(f"{name}: {what}", f"{columns_option([('split', found[0])])} chooses")
        self.key = found[0] if found else ""
        self._words = [*self._keys[self.key].words] if found else []
        findings.tells_splits = bool(found)
        if not found:
            findings.unsure_splits.update(self._doubts())
            told = {key: words_of_splits(words, ()) for key, words in self._others.items()}
            findings.unread_splits.update({key: words for key, words in told.items() if words})

    def _doubts(self) -> Iterator[tuple[str, str]]:
        """Keys that have words of several splits, or of folds, each with the options that take it for one."""
        for key, told in self._keys.items():
            as_map = propose_split_map(key, told.words)
            splits = {*map(split_in_column, told.words)} - {""}  # `train` alone may be a vehicle
            if len(told.words) <= MOST_SPLITS and (as_map or len(splits) > 1):
                how = [columns_option([("split", key)]), as_map or _unassigned(told.words)]
                yield key, " ".join(filter(None, how))

    def of(self, image: int) -> str:
        """The word of an image; empty where it has none."""
        numbers = self._keys[self.key].numbers if self.key else ()
        number = numbers[image] if image < len(numbers) else -1
        return "" if number < 0 else self._words[number]

    def without_key(self, extras: Mapping[str, Any]) -> Mapping[str, Any]:
        """The further keys of an image but for the one that names its split."""
        return {key: value for key, value in extras.items() if key != self.key} if self.key else extras


def _unassigned(words: Iterable[str]) -> str:
    """The option that assigns images whose words are no splits; empty where there are none."""
    others = [word for word in words if parse_split_in_column(word) is None]
    is_plain = not any(mark in word for word in others for mark in ',="')
    pairs = join_pairs((word, "unassigned") for word in others)
    return command_line(["--split-map", pairs]) if others and is_plain else ""


def _is_known(word: str) -> bool:
    return parse_split(word) is not None or word.lower() in PUBLISHED


def word_of(value: Any) -> str:
    """The word that stands for a split, as lists have it; one alone may stand in a list."""
    if isinstance(value, list) and len(value) == 1:
        return word_of(value[0])
    return "" if value is None else encodable(str(value)).strip()
