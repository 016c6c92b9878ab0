"""Labels as a feed gives them: one id, a multi-hot row, or none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, overload

from tfrecordcli.dataset.labels import is_canonical_id
from tfrecordcli.dataset.manifest import Manifest
from tfrecordcli.errors import InputError, UsageError
from tfrecordcli.feed.options import LabelMode
from tfrecordcli.feed.splits import Split
from tfrecordcli.schema import IMAGE_TARGET, ROW_LABEL, Schema
from tfrecordcli.units import plural

# A batch of 64 multi-hot rows of so many classes takes 256 MB.
_MAX_CLASSES: Final = 1 << 20
# Up to here tfrec chooses multi-hot rows by itself.
_FEW_CLASSES: Final = 1 << 14
BACKGROUND: Final = "background"


class SparseNames(Sequence[str]):
    """Names of ids of which most are not in use: ``names[id]`` as in a list, in the memory of those in use.

    As in a list with its gaps filled, an id that is not in use is called by its number, and the length is
    the highest id + 1 (which for 2**63 - 1 is more than `len` can tell). Iterating goes over all of that;
    ``in_use`` has the ids that records can have.

    Attributes:
      in_use: id -> name, in id order.
    """

    def __init__(self, labels: Mapping[str, int]) -> None:
        self.in_use = {label_id: name for name, label_id in sorted(labels.items(), key=lambda item: item[1])}
        self._length = max(self.in_use, default=-1) + 1

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> list[str]: ...

    def __getitem__(self, index: int | slice) -> str | list[str]:
        """The name of an id, or those of a range of ids.

        Raises:
          IndexError: no label has an id as high.
        """
        ids = range(self._length)[index]  # takes NumPy's whole numbers too
        if isinstance(ids, range):
            return [self._name(label_id) for label_id in ids]
        return self._name(ids)

    def _name(self, label_id: int) -> str:
        return self.in_use.get(label_id, str(label_id))

    def __contains__(self, name: object) -> bool:
        if name in self.in_use.values():
            return True
        is_id = isinstance(name, str) and is_canonical_id(name)
        return is_id and int(str(name)) < self._length and int(str(name)) not in self.in_use

    def __repr__(self) -> str:
        return f"SparseNames({self.in_use})"


def class_names(manifest: Manifest) -> Sequence[str]:
    """Names in id order, so that ``names[id]`` is the name of an id.

    When the labels were ids already, gaps are filled with the missing numbers; beyond a million ids the
    list would be long, and `SparseNames` stands in its place. Where ids of boxes begin at 1, 0 is the
    background.
    """
    labels = manifest.labels
    if manifest.schema.first_id and BACKGROUND not in labels:
        labels = {BACKGROUND: 0, **labels}
    highest = num_classes(manifest)
    if highest > max(len(labels), _MAX_CLASSES):
        return SparseNames(labels)
    if len(labels) < highest:
        by_id = {label_id: name for name, label_id in labels.items()}
        return [by_id.get(label_id, str(label_id)) for label_id in range(highest)]
    return sorted(labels, key=labels.__getitem__)


def num_classes(manifest: Manifest) -> int:
    """Outputs that a classifier needs: the highest id + 1."""
    return max(manifest.labels.values(), default=-1) + 1


def label_mode_for(mode: LabelMode, schema: Schema) -> LabelMode:
    """The mode that fits: rows of which no column is a label have none to give."""
    has_none = schema.task == "tabular" and not any(each.key == ROW_LABEL for each in schema.features)
    return "none" if has_none and mode == "int" else mode


def check_label_mode(mode: LabelMode, splits: Iterable[Split], classes: int, schema: Schema) -> None:
    """Refuses a mode that these labels cannot be given in.

    Raises:
      InputError: ``int``, and not every record has exactly one label.
      UsageError: ``multi_hot``, and there are no classes or too many.
    """
    if schema.task == "regression":
        _check_target(mode, schema)
        return
    if schema.task == "detection" and mode == "int":
        return
    if mode == "multi_hot" and not 0 < classes <= _MAX_CLASSES:
        raise UsageError(
            f"label_mode='multi_hot' needs 1 to {_MAX_CLASSES:,} classes, got {classes:,}",
            "use label_mode='int' or 'none'",
        )
    if mode != "int":
        return
    for split in splits:
        held = sum(split.labels.values())
        if held < split.records:
            raise InputError(
                f"label_mode='int' needs a label in every record; in {split.name}, "
                f"{plural(split.records, 'record')} hold {plural(held, 'label')}",
                "use label_mode='multi_hot' (no label: a row of zeros) or 'none'",
            )
        if held > split.records:
            raise InputError(
                f"label_mode='int' needs one label a record; in {split.name}, "
                f"{plural(split.records, 'record')} hold {plural(held, 'label')}",
                "use label_mode='multi_hot'",
            )


def _check_target(mode: LabelMode, schema: Schema) -> None:
    """The same where the label is a number to predict."""
    if mode == "multi_hot":
        raise UsageError("label_mode='multi_hot' is for classes; these labels are numbers", "leave it out")
    if mode == "int" and not all(each.required for each in schema.features if each.key == IMAGE_TARGET):
        raise InputError(
            "not every record has a number to predict",
            "convert without gaps, or use label_mode='none'",
        )


def natural_mode(manifest: Manifest, splits: Iterable[Split]) -> LabelMode:
    """The mode in which every label of a dataset can be given: the one that tfrec proves and times."""
    if manifest.schema.task == "detection":
        return "int"
    classes = num_classes(manifest)
    if not classes:  # also where numbers are predicted: their bytes are proved as all others are
        return "none"
    # Where records without a label are allowed, a record with two can make up for one without.
    all_labelled = manifest.options.get("read", {}).get("unlabelled") != "keep"
    if all_labelled and all(sum(split.labels.values()) == split.records for split in splits):
        return "int"
    return "multi_hot" if classes <= _FEW_CLASSES else "none"
