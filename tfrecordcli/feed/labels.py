"""Labels as a feed gives them: one id, a multi-hot row, or none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from tfrecordcli.errors import InputError, UsageError
from tfrecordcli.feed.options import LabelMode
from tfrecordcli.feed.quiet import import_tensorflow
from tfrecordcli.feed.source import Source
from tfrecordcli.units import plural

# A batch of 64 multi-hot rows of so many classes takes 256 MB.
_MAX_CLASSES: Final = 1 << 20
# Up to here tfrec chooses multi-hot rows by itself.
_FEW_CLASSES: Final = 1 << 14


def class_names(manifest: Mapping[str, Any]) -> list[str]:
    """Names in id order, so that ``names[id]`` is the name of an id.

    When the labels were ids already, gaps are filled with the missing numbers; beyond a million,
    only the ids in use are listed.
    """
    labels: Mapping[str, int] = manifest["labels"]
    highest = num_classes(manifest)
    if len(labels) < highest <= _MAX_CLASSES:
        by_id = {label_id: name for name, label_id in labels.items()}
        return [by_id.get(label_id, str(label_id)) for label_id in range(highest)]
    return sorted(labels, key=labels.__getitem__)


def num_classes(manifest: Mapping[str, Any]) -> int:
    """Outputs that a classifier needs: the highest id + 1."""
    return max(manifest["labels"].values(), default=-1) + 1


def check_label_mode(mode: LabelMode, sources: Iterable[Source], classes: int) -> None:
    """Refuses a mode that these labels cannot be given in.

    Raises:
      InputError: ``int``, and not every record has exactly one label.
      UsageError: ``multi_hot``, and there are no classes or too many.
    """
    if mode == "multi_hot" and not 0 < classes <= _MAX_CLASSES:
        raise UsageError(
            f"label_mode='multi_hot' needs 1 to {_MAX_CLASSES:,} classes, got {classes:,}",
            "use label_mode='int' or 'none'",
        )
    if mode != "int":
        return
    for source in sources:
        held = sum(source.labels.values())
        if held < source.records:
            raise InputError(
                f"label_mode='int' needs a label in every record; in {source.split}, "
                f"{plural(source.records, 'record')} hold {plural(held, 'label')}",
                "use label_mode='multi_hot' (no label: a row of zeros) or 'none'",
            )
        if held > source.records:
            raise InputError(
                f"label_mode='int' needs one label a record; in {source.split}, "
                f"{plural(source.records, 'record')} hold {plural(held, 'label')}",
                "use label_mode='multi_hot'",
            )


def natural_mode(manifest: Mapping[str, Any], sources: Iterable[Source]) -> LabelMode:
    """The mode in which every label of a dataset can be given: the one that tfrec proves and times."""
    classes = num_classes(manifest)
    if not classes:
        return "none"
    # Where records without a label are allowed, a record with two can make up for one without.
    all_labelled = manifest["options"].get("read", {}).get("unlabelled") != "keep"
    if all_labelled and all(sum(source.labels.values()) == source.records for source in sources):
        return "int"
    return "multi_hot" if classes <= _FEW_CLASSES else "none"


def graph_label(ids: Any, mode: LabelMode, classes: int) -> Any:
    """The label of one record, in the graph.

    Args:
      ids: int64 [n], as they stand in the record.
      mode: ``int`` or ``multi_hot``.
      classes: length of a multi-hot row.

    Returns:
      int64 [] or float32 [classes]. TensorFlow's InvalidArgumentError when ``int`` and n is not 1.
    """
    tf = import_tensorflow()
    if mode == "int":
        return tf.reshape(ids, [])
    rows = tf.one_hot(ids, classes)  # none of them when there is no id: a sum is 0 then, a maximum not
    return tf.ensure_shape(tf.minimum(tf.reduce_sum(rows, axis=0), 1.0), [classes])
