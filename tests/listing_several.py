"""Random datasets in several lists, one a split as people part them, with what must come of each."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Final

from listing_classes import PHOTOS, Written, random_list

_WORDS: Final = (
    {"train": "train", "validation": "val", "test": "test"},
    {"train": "train", "validation": "valid", "test": "test"},
    {"train": "training", "validation": "validation", "test": "testing"},
)
_NAMES: Final = ("{}.csv", "{}_labels.csv", "labels_{}.csv", "data_{}.csv")
_OTHER_LABELS: Final = ("label", "class", "category", "target")
Table = list[list[str]]


@dataclass(frozen=True)
class SeveralLists:
    """Lists, and what they name together.

    Attributes:
      files: texts by path.
      sources: as a person gives them.
      written: the list that they are parts of; its images are where the parts have them.
    """

    files: dict[str, bytes]
    sources: tuple[str, ...]
    written: Written
    traits: str

    @property
    def content(self) -> bytes:
        """The lists, one below the other."""
        return b"".join(b"== %b\n%b" % (name.encode(), text[:400]) for name, text in self.files.items())


@dataclass(frozen=True)
class _Layout:
    """Where lists and images are: `{}` stands for the word of the split."""

    lists: str
    images: str


_LAYOUTS: Final = (
    _Layout("", ""),
    _Layout("{}/", "{}/"),
    _Layout("annotations/", "{}/"),
    _Layout("", "{}/"),
    _Layout("lists/", ""),
    _Layout("", "images/{}/"),
)


def random_lists(seed: int) -> SeveralLists:
    """The lists of a seed."""
    chance = Random(seed)
    whole = _list_without_splits(chance)
    header, *rows = _table(whole)
    layout, words, name = chance.choice(_LAYOUTS), chance.choice(_WORDS), chance.choice(_NAMES)
    splits = chance.choice((["train", "validation"], ["train", "test"], ["train", "validation", "test"]))
    of_rows = [splits[number % 6] if number % 6 < len(splits) else "train" for number in range(len(rows))]
    files, sources, said = {}, [], list[str]()
    labels = set(whole.labels)
    for split in splits:
        part = [row for row, of in zip(rows, of_rows, strict=True) if of == split]
        table, how = [header, *part], ""
        if split != "train":
            table, how = _varied(table, chance, whole.labels)
            labels |= {*table[0]} & {*_OTHER_LABELS} if how == "renamed" else set()
        path = layout.lists.format(words[split]) + name.format(words[split])
        files[path] = _written(table, chance)
        sources.append(f"{words[split]}={path}")
        said += [f"{split}: {how}"] * bool(how)
    shown = tuple(
        replace(each, path=layout.images.format(words[split]) + each.path, split=split)
        for each, split in zip(whole.shown, of_rows, strict=True)
    )
    traits = f"{whole.traits}; {layout}; {'; '.join(said)}"
    return SeveralLists(files, tuple(sources), replace(whole, shown=shown, labels=frozenset(labels)), traits)


def images_of(lists: SeveralLists, folder: Path) -> None:
    """Writes the images that lists name."""
    for number, shown in enumerate(lists.written.shown):
        path = folder / shown.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(PHOTOS[number])


def _list_without_splits(chance: Random) -> Written:
    """A list in CSV that names no split."""
    while True:
        found = random_list(chance.getrandbits(32))
        if found.name.endswith(".csv") and not found.shown[0].split:
            return found


def _table(written: Written) -> Table:
    text = written.content.decode("utf-8-sig")
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    return list(csv.reader(io.StringIO(text), delimiter=delimiter))


def _varied(table: Table, chance: Random, labels: frozenset[str]) -> tuple[Table, str]:
    """A list as another person wrote it, and how."""
    manner = chance.choice(("", "", "", "turned", "renamed"))
    header = table[0]
    if manner == "turned":
        order = chance.sample(range(len(header)), len(header))
        return [[row[at] for at in order] for row in table], manner
    if manner == "renamed" and len(labels) == 1:
        [label] = labels
        other = next(each for each in _OTHER_LABELS if each not in header)
        return [[other if name == label else name for name in header], *table[1:]], manner
    return table, ""


def _written(table: Sequence[Sequence[str]], chance: Random) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=chance.choice(",,,,;\t"), lineterminator="\n")
    writer.writerows(table)
    return text.getvalue().encode()
