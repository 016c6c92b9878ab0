"""Which feature of a record holds its labels, and what they are."""

from __future__ import annotations

import functools
import re
from collections.abc import Container, Mapping, Sequence
from typing import Final, NamedTuple

from tfrecordcli.schema import CLASS_LABEL, OBJECT_LABEL, OBJECT_TEXT
from tfrecordcli.tfrecords.feature import FeatureValues

# What TensorFlow Datasets stores where there is no label.
NO_LABEL: Final = -1

_WORDS: Final = ("label", "labels", "class", "classes", "category", "categories", "target")
# Of a key in whose name such a word stands beside others.
NO_LABEL_ALONE: Final = 100
_LOOKS_LIKE_LABEL: Final = re.compile(rf"(?<![a-z])(?:{'|'.join(_WORDS)})(?![a-z])")
_OF_NAMES: Final = ("text", "name", "names")
_ID: Final = re.compile(r"_ids?$")
_MAX_LABELS: Final = 100  # of a record; more are a mask or a sequence
_MAX_OBJECTS: Final = 10_000  # in one image
_MAX_BYTES: Final = 200  # of a name


class Label(NamedTuple):
    """A label of a record: its number, its name, or both."""

    id: int | None
    text: str | None

    @property
    def name(self) -> str:
        """How a person calls it: by its text, else by its number."""
        return str(self.id) if self.text is None else self.text


def labels_of(
    features: Mapping[str, FeatureValues], key: str, names: Sequence[str] = ()
) -> tuple[Label, ...]:
    """The labels of a record under a key; none when it is absent, or no label after all.

    Args:
      names: of the ids, where TensorFlow Datasets tells them; with these, -1 is no label.
    """
    feature = features.get(key)
    most = _MAX_OBJECTS if key in (OBJECT_LABEL, OBJECT_TEXT) else _MAX_LABELS
    if feature is None or not 1 <= len(feature.values) <= most:
        return ()
    if feature.kind == "bytes":
        names = _names(feature)
        return tuple(Label(None, name) for name in names)
    if feature.kind == "float" and not is_fractional(feature):
        return (Label(int(feature.values[0]), None),)
    if feature.kind != "int64":
        return ()
    beside = features.get(text_key_of(key, features))
    texts: tuple[str | None, ...] = _names(beside) if beside is not None and beside.kind == "bytes" else ()
    if len(texts) != len(feature.values):
        texts = (None,) * len(feature.values)
    ids = [int(value) for value in feature.values]
    if not names:
        return tuple(map(Label, ids, texts))
    known = [(id_, names[id_] if 0 <= id_ < len(names) else None) for id_ in ids]
    pairs = zip(known, texts, strict=True)
    return tuple(Label(id_, text or name) for (id_, name), text in pairs if id_ != NO_LABEL)


def is_fractional(feature: FeatureValues) -> bool:
    """Whether a feature of floats is no label: several of them, or one that is no whole number."""
    return len(feature.values) != 1 or not float(feature.values[0]).is_integer()


def text_key_of(key: str, known: Container[str]) -> str:
    """The key that holds the names of the numbers under a key: `image/class/text` for `image/class/label`.

    Args:
      known: keys that there are.
    """
    keys = text_keys_of(key)
    return next((each for each in keys if each in known), keys[0])


@functools.lru_cache(256)
def text_keys_of(key: str) -> tuple[str, ...]:
    """The keys that may hold these names, the likeliest first: `class_name` for `class_id`."""
    first = f"{key.removesuffix('label')}text" if key.endswith("label") else f"{key}_text"
    stems = dict.fromkeys((key, _ID.sub("", key)))
    return first, *(f"{stem}_{word}" for stem in stems for word in _OF_NAMES)


def _names(feature: FeatureValues) -> tuple[str, ...]:
    values = [value for value in feature.values if isinstance(value, bytes)]
    return () if any(len(value) > _MAX_BYTES for value in values) else tuple(map(as_text, values))


@functools.lru_cache(4096)
def label_rank(key: str) -> int:
    """The less, the more a key looks like the label; 0 when it does not."""
    if key == CLASS_LABEL:
        return 1
    lower = key.lower()
    if lower.endswith("/format"):  # of a mask, as `image/segmentation/class/format`
        return 0
    if lower in _WORDS:
        return 2 + _WORDS.index(lower)
    return NO_LABEL_ALONE if _LOOKS_LIKE_LABEL.search(lower) else 0


def as_text(value: bytes) -> str:
    """A short bytes value as text; what is not UTF-8 stays visible as escapes."""
    return value.decode("utf-8", "backslashreplace")
