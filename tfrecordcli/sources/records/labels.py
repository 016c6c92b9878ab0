"""Which features of TFRecords hold labels of whole images, and what is said where none is called so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import likely_columns
from tfrecordcli.sources.group_names import GroupKeys, width_of_group
from tfrecordcli.sources.records.image import FILENAMES, READ, Features
from tfrecordcli.sources.records.targets import are_measured, options_for_targets, target_key
from tfrecordcli.sources.records.vectors import key_of_floats
from tfrecordcli.tfrecords.image_features import find_images, find_raw, is_beside
from tfrecordcli.tfrecords.label_keys import NO_LABEL_ALONE, as_text, label_rank, labels_of
from tfrecordcli.units import join_names, join_pairs, plural, some_of

_FEWEST_FLAGS: Final = 2
_FEW: Final = 3  # keys that are proposed one by one
_SIZES: Final = ("height", "width", "depth", "channels", "size", "num")
_FLAGS: Final = {0, 1}


def label_key(sample: Sequence[Features], box_label: str) -> str:
    """The likeliest key of labels: numbers go before names, which stand beside them; empty: there is none.

    Args:
      box_label: key of the labels of boxes, if there are any.
    """
    counts: dict[str, int] = {}
    names: set[str] = set()
    images = {key for features in sample for key, _ in find_images(features)}
    for features in sample:
        for key in filter(label_rank, features.keys() - images):
            labels = labels_of(features, key)
            if labels:
                counts[key] = counts.get(key, 0) + 1
                names.update([key] if labels[0].id is None else ())
    single = {key: _single(sample, key) for key in counts if label_rank(key) == NO_LABEL_ALONE}
    flags = [key for key, values in single.items() if 0 in values and _is_flag(values)]
    if len(flags) >= _FEWEST_FLAGS:  # `Class 1`, `Class 2`: each is a label, and none says which an image has
        counts = {key: count for key, count in counts.items() if key not in flags}
    counts = {key: count for key, count in counts.items() if not are_measured(sample, key)}
    best = min(counts, key=lambda key: (label_rank(key), key in names, -counts[key], key), default="")
    return best or key_of_floats(sample, box_label) or target_key(sample)


def of_whole_images(sample: Sequence[Features], box_label: str, task: str) -> Iterator[str]:
    """That records with boxes have a label of the whole image too, as ImageNet's do.

    Args:
      box_label: key of the labels of boxes; empty: there is none.
      task: that was asked for.
    """
    key = label_key(sample, box_label)
    is_known = key.startswith("image/class/") and key != box_label
    if task == "auto" and is_known and all(features.get(key) for features in sample):
        yield f"labels of whole images ({key}) are passed over: --task classification takes them alone"


def keys_given(name: str, sample: Sequence[Features], options: ReadOptions) -> tuple[str, Sequence[str]]:
    """The key of the label, and those of 0 and 1 that are labels each, by options.

    Raises:
      InputError: no record has one of them, and no other source may have it.
    """
    known = sorted({key for features in sample for key in features})
    label = dict(options.columns).get("label", "")
    for option, key in (
        *(("--columns label=", key) for key in [label] if key),
        *(("--one-hot ", key) for key in options.one_hot),
    ):
        if key not in known and not options.is_part:
            what = f"{option}{key}: no record holds such a feature"
            raise InputError(f"{name}: {what}", f"features of the records: {some_of(known, 50)}")
    return label if label in known else "", [key for key in options.one_hot if key in known]


def need_label_key(name: str, sample: Sequence[Features], unlabelled: str) -> list[str]:
    """Refuses records whose labels may be under keys of other names; where none is needed it is noted.

    Args:
      unlabelled: what becomes of images without a label.

    Raises:
      InputError: with the options that take these keys.
    """
    how = _unnamed_labels(sample)
    what = "no feature of the records is called as a label is"
    masks = sorted({key for features in sample for key, _ in find_images(features) if is_beside(key)})
    if masks and not how:
        what += f", and masks ({some_of(masks)}) are not stored"
    if (how or masks) and unlabelled == "error":
        hint = "--unlabelled keep takes the images without labels"
        raise InputError(f"{name}: {what}", "; ".join(filter(None, [how, hint])))
    return [f"{what}: all are kept without one{'; ' * bool(how)}{how}"] if unlabelled == "keep" else []


def _unnamed_labels(sample: Sequence[Features]) -> str:
    """Options that take keys of other names for labels; empty where there are none."""
    free = free_keys(sample)
    values = {key: found for key in free if (found := _single(sample, key))}
    flags = [key for key, found in values.items() if _is_flag(found)]
    if sum(0 in values[key] for key in flags) >= _FEWEST_FLAGS:
        option = command_line(["--one-hot", join_names(flags)])
        one_hot = f"{option} takes {plural(len(flags), 'key')} of 0 and 1 for labels"
        likely = likely_columns([key.rpartition("/")[2] for key in flags], "label")
        if len(likely) != 1:
            return one_hot
        named = command_line(["--columns", join_pairs([("label", flags[likely[0]])])])
        return f"{named} takes {flags[likely[0]]} for the label, {one_hot}"
    several = {key: _all(sample, key) for key in free}
    classes = [key for key, found in several.items() if 1 < len({*found}) <= max(2, len(found) // 2)]
    classes.sort(key=lambda key: not isinstance(several[key][0], str))  # words before numbers
    ways = (f"{command_line(['--columns', join_pairs([('label', key)])])} takes {key}" for key in classes)
    of_classes = ", ".join([*ways][:_FEW]) + " for the label" * bool(classes)
    return ", ".join(filter(None, [of_classes, *options_for_targets(sample, free)]))


def group_keys(sample: Sequence[Features], stored: Iterable[str]) -> GroupKeys:
    """Keys that tell what several images come from, by the last part of each.

    Args:
      stored: further features.
    """
    groups = GroupKeys(are_told=True)
    names = {key: key.rpartition("/")[2] for key in stored}
    named = {key: name for key, name in names.items() if width_of_group(name) is not None}
    for features in sample:
        found = {key: features[key].values for key in named if key in features}
        single = {named[key]: values[0] for key, values in found.items() if len(values) == 1}
        groups.add({
            name: as_text(value) if isinstance(value, bytes) else value for name, value in single.items()
        })  # fmt: skip
    return groups


def free_keys(sample: Sequence[Features]) -> list[str]:
    """Keys that hold neither the image nor its size, name or split."""
    images = {key for features in sample for key, _ in find_images(features)}
    raw = {found.key for features in sample if (found := find_raw(features)) is not None}
    taken = {*READ, *FILENAMES, *images, *raw}
    keys = sorted({key for features in sample for key in features})
    return [
        key
        for key in keys
        if key not in taken
        and not key.startswith("image/object/")
        and not key.lower().endswith(_SIZES)
        and width_of_group(key.rpartition("/")[2]) is None
    ]


def _is_flag(values: Sequence[object]) -> bool:
    return bool(values) and {*values} <= _FLAGS


def _single(sample: Sequence[Features], key: str) -> list[object]:
    """The values of a feature that has one number, or one short text, in each record; else none."""
    values = _all(sample, key)
    return values if all(len(labels_of(features, key)) == 1 for features in sample) else []


def _all(sample: Sequence[Features], key: str) -> list[object]:
    """The values of a feature that may be labels in each record; else none."""
    found = [labels_of(features, key) for features in sample]
    return (
        [each.text if each.id is None else each.id for labels in found for each in labels]
        if all(found)
        else []
    )
