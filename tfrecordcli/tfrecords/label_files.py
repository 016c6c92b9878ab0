"""Names of the label ids in TFRecords: by what stands beside the files, and by the records themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from tfrecordcli.dataset.label_map_pbtxt import display_names, from_pbtxt
from tfrecordcli.dataset.manifest_file import DamagedManifest, load_manifest
from tfrecordcli.errors import TfrecError
from tfrecordcli.naming import LABELS, TFDS_NAMES_SUFFIX
from tfrecordcli.storage.files import read_regular
from tfrecordcli.storage.store_path import Place, file_names, size_of
from tfrecordcli.tfrecords.label_keys import NO_LABEL
from tfrecordcli.units import plural

_NUMBERED: Final = re.compile(r"(\d{1,9}):(.+)")  # a line of labels.txt of tensorflow/models, slim
_PARTING: Final = re.compile(r"[-./]")
_MOST_BYTES: Final = 1 << 26


@dataclass(frozen=True, slots=True)
class Names:
    """Names by id, and the file that they are from; nothing when no file tells them.

    Attributes:
      displayed: names for people, where a label map has them beside others.
      is_list: whether the file has names alone, whose lines were counted from 0.
    """

    by_id: Mapping[int, str] = field(default_factory=dict)
    file: str = ""
    are_ids: bool = False
    displayed: Mapping[int, str] = field(default_factory=dict)
    is_list: bool = False
    notes: tuple[str, ...] = ()


def names_beside(folder: Place, key: str) -> Names:
    """The names of labels that stand beside TFRecords: our manifest, a label map, or a list of names.

    Args:
      key: of the records that holds the ids, which TensorFlow Datasets names its list after.
    """
    try:
        manifest = load_manifest(folder)
    except (DamagedManifest, TfrecError):
        manifest = None
    if manifest is not None:
        return Names({number: name for name, number in manifest.labels.items()},
                     "manifest.json", manifest.label_kind == "id")  # fmt: skip
    beside = file_names(folder)
    maps = [folder / name for name in beside if name.endswith(".pbtxt")]
    for path in (*(maps if len(maps) == 1 else ()), *_tfds_lists(folder, beside, key), folder / LABELS):
        text = _text(path)
        by_id = _parse(text, path) if text else {}
        if by_id:
            is_list = not path.name.endswith(".pbtxt")
            displayed = {} if is_list else display_names(text, path.name)
            note = f"names of labels are those of {path.name}"
            return Names(by_id, path.name, displayed=displayed, is_list=is_list, notes=(note,))
    return Names()


def _tfds_lists(folder: Place, names: Iterable[str], key: str) -> list[Place]:
    """The lists of TensorFlow Datasets that can be of a key.

    It writes a dot for a slash in the name of a feature, and a hyphen between those of nested features
    (core/features/features_dict.py, save_metadata); records have a slash in the place of both.
    """
    parts = _PARTING.split(key)
    found = (name for name in names if name.endswith(TFDS_NAMES_SUFFIX))
    return [folder / name for name in found if _PARTING.split(name.removesuffix(TFDS_NAMES_SUFFIX)) == parts]


def _text(path: Place) -> str:
    try:
        return read_regular(path).decode() if size_of(path) < _MOST_BYTES else ""
    except (OSError, UnicodeDecodeError):
        return ""


def _parse(text: str, path: Place) -> dict[int, str]:
    if path.name.endswith(".pbtxt"):
        try:
            return {number: name for name, number in from_pbtxt(text, path.name).items()}
        except TfrecError:
            return {}
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    numbered = [_NUMBERED.fullmatch(line) for line in lines]
    if all(numbered):
        return {int(match[1]): match[2].strip() for match in numbered if match}
    return dict(enumerate(lines))


class LabelIds:
    """Names for the labels of records, and which ids go with them.

    Args:
      names: of a file beside the records.
      are_ids: whether labels with an id are called by that alone.
    """

    def __init__(self, names: Names, *, are_ids: bool = False) -> None:
        self._names = names
        self._are_ids = are_ids or names.are_ids
        self._called: dict[int, str] = {}
        self._has_other_names = False
        self._doubled: tuple[str, int, int] | None = None
        self._met: dict[str, int] = {}
        self._contradicts = False
        self._unnamed: set[int] = set()

    def name(self, number: int | None, text: str | None) -> str:
        """How a label is called: by its text, stripped, else by the name of its id, else by the id."""
        text = text.strip() if text else ""
        if number is None:
            return text
        if self._are_ids and not self._names.are_ids and number != NO_LABEL:
            return str(number)
        name = text or self._names.by_id.get(number)
        if name is None:
            if self._names.by_id:
                self._unnamed.add(number)
            return str(number) if number != NO_LABEL else ""
        if self._met.setdefault(name, number) != number:
            self._contradicts = True
            self._doubled = self._doubled or (name, self._met[name], number)
        self._has_other_names |= self._called.setdefault(number, name) != name
        return name

    @property
    def of_one_name(self) -> tuple[str, int, int] | None:
        """A name that two ids have, where each id has one name in all records: these may be two classes."""
        return None if self._has_other_names else self._doubled

    def name_of_float(self, number: float, *, are_ids: bool) -> str:
        """The same of a float: without a name it keeps its point, which tells measurements from ids.

        Args:
          are_ids: whether whole ones are known to be ids.
        """
        is_id = number.is_integer() and (are_ids or self._names.by_id or number == NO_LABEL)
        return self.name(int(number), None) if is_id else repr(number)

    def ids(self, *, may_have_gaps: bool) -> dict[str, int]:
        """name -> id where the source fixes them.

        Args:
          may_have_gaps: whether what is made of them can have ids without a label, as lists of boxes can;
            others are numbered in the order of their ids.
        """
        known = self._known()
        if self._are_ids or self._is_mixed(known):
            return {}
        if may_have_gaps or not self._has_gaps(known):
            return known
        return {name: number for number, name in enumerate(sorted(known, key=lambda name: known[name]))}

    def are_as_sorted(self, first: int) -> bool:
        """Whether ids are those that the names would be given anyway: sorted, from ``first`` on."""
        known = self._known()
        return known == {name: number for number, name in enumerate(sorted(known), first)}

    def notes(self, *, may_have_gaps: bool) -> list[str]:
        """What a person should know of them."""
        told = []
        known = self._known()
        if self._are_ids:
            pass
        elif self._is_mixed(known):
            told.append("the ids of labels contradict each other among the records: names are renumbered")
        elif not may_have_gaps and self._has_gaps(known):
            told.append("label ids have gaps or do not begin at 0: they are renumbered, in their order")
        if self._unnamed:
            told.append(f"{plural(len(self._unnamed), 'label id')} without a name in {self._names.file}")
        return told

    def _known(self) -> dict[str, int]:
        return {name: number for number, name in self._names.by_id.items()} | self._met

    def _is_mixed(self, known: Mapping[str, int]) -> bool:
        is_doubled = len(set(known.values())) < len(known)
        return self._contradicts or is_doubled or min(known.values(), default=0) < 0

    def _has_gaps(self, known: Mapping[str, int]) -> bool:
        return sorted(known.values()) != list(range(len(known)))
