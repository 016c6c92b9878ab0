"""Several datasets as one: whether they agree, and what they are together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tfrecordcli.dataset.manifest import COUNTS, Manifest, SplitCounts
from tfrecordcli.errors import InputError
from tfrecordcli.formats.digest import add_digests
from tfrecordcli.problems import HINTS
from tfrecordcli.schema import Feature

Named = tuple[str, Manifest]


def union_of(manifests: Sequence[Named]) -> Manifest:
    """The manifest of several datasets together, as far as reading needs it.

    Args:
      manifests: (path of the dataset, its manifest), at least one.

    Raises:
      InputError: two of them do not agree; it names both.
    """
    for code, told in disagreements(manifests):
        raise InputError(told, HINTS[code])
    (_, first), *others = manifests
    return _joined(first, [manifest for _, manifest in others]) if others else first


def disagreements(manifests: Sequence[Named]) -> Iterator[tuple[str, str]]:
    """What keeps datasets from being one, the first thing of each of them: code of `PROBLEMS`, sentence."""
    first, *others = manifests
    known = [first]
    for other in others:
        if told := _of_schemas(first, other):
            yield "features_disagree", told
        elif told := next(filter(None, (_of_labels(each, other) for each in known)), ""):
            yield "datasets_disagree", told
        known.append(other)


def _of_schemas(one: Named, other: Named) -> str:
    (path, manifest), (other_path, other_manifest) = one, other
    schema, other_schema = manifest.schema, other_manifest.schema
    if schema.task != other_schema.task:
        return f"{path} is a dataset for {schema.task}, {other_path} one for {other_schema.task}"
    features = {feature.key: feature for feature in schema.features}
    others = {feature.key: feature for feature in other_schema.features}
    for key in sorted(features.keys() ^ others.keys()):
        has, lacks = (path, other_path) if key in features else (other_path, path)
        return f"records of {has} can have {key}, those of {lacks} cannot"
    for key, feature in features.items():
        if (feature.kind, feature.shape) != (others[key].kind, others[key].shape):
            return f"{key} is {_told(feature)} in {path}, and {_told(others[key])} in {other_path}"
    return ""


def _told(feature: Feature) -> str:
    return f"{feature.kind} ({feature.values})"


def _of_labels(one: Named, other: Named) -> str:
    (path, manifest), (other_path, other_manifest) = one, other
    labels, kinds = manifest.labels, (manifest.label_kind, other_manifest.label_kind)
    if kinds[0] != kinds[1]:
        return f"labels are {kinds[0]}s in {path}, and {kinds[1]}s in {other_path}"
    names = {label_id: name for name, label_id in labels.items()}
    for name, label_id in other_manifest.labels.items():
        if labels.get(name, label_id) != label_id:
            return f"the label {name!r} has the id {labels[name]} in {path}, and {label_id} in {other_path}"
        if names.get(label_id, name) != name:
            return f"the id {label_id} is {names[label_id]!r} in {path}, and {name!r} in {other_path}"
    return ""


def _joined(first: Manifest, others: Sequence[Manifest]) -> Manifest:
    manifests = [first, *others]
    always = set.intersection(*({f.key for f in m.schema.features if f.required} for m in manifests))
    features = tuple(replace(each, required=each.key in always) for each in first.schema.features)
    boxes = first.boxes
    if boxes is not None:
        boxes = replace(boxes, most=max(each.boxes.most for each in manifests if each.boxes))
    return replace(
        first,
        schema=replace(first.schema, features=features),
        labels={name: label_id for manifest in manifests for name, label_id in manifest.labels.items()},
        rows=sum(manifest.rows for manifest in manifests),
        records=sum(manifest.records for manifest in manifests),
        splits=_splits(manifests),
        boxes=boxes,
    )


def _splits(manifests: Sequence[Manifest]) -> dict[str, SplitCounts]:
    found: dict[str, list[SplitCounts]] = {}
    for manifest in manifests:
        for name, counts in manifest.splits.items():
            found.setdefault(name, []).append(counts)
    return {name: _sum_of(counts) for name, counts in found.items()}


def _sum_of(counts: Sequence[SplitCounts]) -> SplitCounts:
    labels: Counter[int] = Counter()
    digest = 0
    for each in counts:
        labels.update(each.labels)
        digest = add_digests(digest, int(each.digest or "0", 16))
    sums = {name: sum(getattr(each, name) for each in counts) for name in COUNTS}
    return replace(counts[0], **sums, labels=labels, digest=f"{digest:016x}" if counts[0].digest else "")
