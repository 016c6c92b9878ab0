"""One record: parses as an Example, holds what it should, its image decodes to the stored size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from tfrecordcli import schema
from tfrecordcli.images.checked_image import CheckedImage
from tfrecordcli.integrity.image_check import (
    RecordFinding,
    SizesBeside,
    check_boxes,
    compare_beside,
    compare_stored,
    first_value,
    shown_text,
)
from tfrecordcli.integrity.manifest_check import Expectations
from tfrecordcli.integrity.reports import CheckTask
from tfrecordcli.integrity.tfds import compare_declared
from tfrecordcli.options import ImageOptions
from tfrecordcli.reasons import ADMISSIBLE, Rejected
from tfrecordcli.tfrecords.example_parser import parse_record
from tfrecordcli.tfrecords.feature import FeatureValues
from tfrecordcli.tfrecords.image_features import find_images, find_raw, find_size, looks_like_image
from tfrecordcli.tfrecords.tensorflow_view import deviations, problem_of
from tfrecordcli.tfrecords.wire import NotAnExample

# The image is only looked at: nothing may turn or shrink it, and its bytes are in memory already.
_ANY_SIZE: Final = 1 << 40

_MOST_LABELS: Final = 10_000  # of a foreign record that are counted
_MOST_KEYS: Final = 16  # of a record that hold images, and are distinguished
_MOST_SIZES: Final = 10_000  # of a record that are held against several images each
CheckImage = Callable[[bytes, ImageOptions], CheckedImage]
Tell = Callable[[RecordFinding], None]


def looking_options(task: CheckTask) -> ImageOptions:
    """Those of images in records, checked in full (`decode`) or walked only."""
    return ImageOptions(
        check="decode" if task.check == "decode" else "structure",
        gate=task.gate,
        admit=task.admit,
        exif="keep",
        max_pixels=task.max_pixels,
        max_image_bytes=_ANY_SIZE,
    )


class CheckedRecord(NamedTuple):
    """One record after its check.

    Attributes:
      labels: its label ids that are in the label map; without a map all of them, but for so many that they
        are something else, such as a mask.
      image: the bytes of its image, the largest of several, or its raw pixels; None when it holds none
        that is known.
      images: how many were checked.
      image_keys: under which these are, in a record that somebody else wrote.
      source_id: the number of its image, or what others tell it by, of a record with boxes.
      features: of a record that somebody else wrote.
      is_raw: whether it holds raw pixels instead.
      is_unsized: whether no height and width stand beside its image.
      is_sequence: whether it is a SequenceExample, whose feature lists were not looked at.
    """

    labels: Iterable[Any] = ()
    image: bytes | None = None
    images: int = 0
    image_keys: frozenset[str] = frozenset()
    source_id: bytes | None = None
    features: Mapping[str, FeatureValues] = MappingProxyType({})
    is_raw: bool = False
    is_unsized: bool = False
    is_sequence: bool = False


class RecordChecker:
    """Checks the records of one dataset.

    Args:
      tell: is given what is wrong with a record, one thing after another: there may be millions.
    """

    def __init__(
        self, expected: Expectations, options: ImageOptions, check_image: CheckImage, tell: Tell
    ) -> None:
        self._expected = expected
        self._options = options
        self._check_image = check_image
        self._tell = tell

    def check(self, payload: bytes) -> CheckedRecord | None:
        """What is in a record; None when it is no Example."""
        try:
            record = parse_record(payload)
        except NotAnExample as error:
            self._tell(RecordFinding("not_an_example", {"detail": str(error)}))
            return None
        features = record.features
        are_labels_right = is_complete = True
        for finding in self._of_features(payload, record.features):
            is_complete = False
            if finding.details.get("key") in (self._expected.label_key, self._expected.text_key):
                are_labels_right = False
            self._tell(finding)
        label = features.get(self._expected.label_key)
        ids = label.values if label is not None and label.kind == "int64" else ()
        if are_labels_right:
            self._tell_all(self._of_labels(ids, features))
        keys = self._expected.label_key, self._expected.text_key
        if is_complete and self._expected.all_labelled and features.keys().isdisjoint(keys):
            self._tell(RecordFinding("feature_count", {"key": keys[0], "found": 0, "expected": 1}))
        is_ours = bool(self._expected.features)
        self._tell_all(check_boxes(features, is_ours=is_ours))
        found = self._own_image(features) if is_ours else self._foreign_images(features)
        return found._replace(
            labels=self._counted(ids),
            source_id=_source_id(features, is_ours=is_ours),
            features={} if is_ours else features,
            is_sequence=record.is_sequence and not is_ours,
        )

    def _counted(self, ids: Sequence[Any]) -> Iterable[Any]:
        if self._expected.labels is not None:
            return filter(self._expected.labels.__contains__, ids)
        return ids if len(ids) <= _MOST_LABELS else ()

    def _tell_all(self, findings: Iterable[RecordFinding]) -> None:
        for finding in findings:
            self._tell(finding)

    def _own_image(self, features: Mapping[str, FeatureValues]) -> CheckedRecord:
        image = first_value(features, schema.IMAGE_ENCODED)
        if not isinstance(image, bytes):
            return CheckedRecord()
        checked = self._decode(schema.IMAGE_ENCODED, image)
        if checked is not None:
            self._tell_all(compare_stored(checked, image, features))
        return CheckedRecord((), image, 1)

    def _foreign_images(self, features: Mapping[str, FeatureValues]) -> CheckedRecord:
        """Checks every image of a record that somebody else wrote."""
        sizes: SizesBeside = {}
        keys: set[str] = set()
        count, largest, is_sized = 0, b"", False
        raw = None
        for key, data in self._images(features):
            count += 1
            if len(keys) < _MOST_KEYS:
                keys.add(key)
            largest = max(largest, data, key=len)
            is_sized = is_sized or find_size(features, key) is not None
            self._foreign_image(key, data, features, sizes)
        # A size beside several images need not be that of each.
        self._tell_all(filter(None, sizes.values()))
        if not count and (raw := find_raw(features)) is not None:
            return CheckedRecord((), raw.data, 0, is_raw=True)
        is_unsized = bool(count) and not is_sized
        return CheckedRecord((), largest if count else None, count, frozenset(keys), is_unsized=is_unsized)

    def _images(self, features: Mapping[str, FeatureValues]) -> Iterator[tuple[str, bytes]]:
        """Key and data of each image; what stands under `image/encoded` must be one, whatever it is."""
        named = first_value(features, schema.IMAGE_ENCODED)
        if isinstance(named, bytes) and not looks_like_image(named):
            first = next(find_images(features), None)
            if first is not None or find_raw(features) is None:
                yield schema.IMAGE_ENCODED, named
        yield from find_images(features)

    def _foreign_image(
        self, key: str, data: bytes, features: Mapping[str, FeatureValues], sizes: SizesBeside
    ) -> None:
        """Checks one, and what the record's own keys say of its size."""
        image = self._decode(key, data)
        if image is not None and key == schema.IMAGE_ENCODED:
            self._tell_all(compare_stored(image, data, features))
            if schema.IMAGE_HEIGHT in features:
                return
        told = find_size(features, key)
        if told is None:
            return
        names, size = told
        # It may be that of an image that cannot be decoded.
        finding = compare_beside(key, image, names, size) if image is not None else None
        if names in sizes or len(sizes) < _MOST_SIZES:
            sizes[names] = finding and sizes.get(names, finding)
        elif finding is not None:
            self._tell(finding)

    def _decode(self, key: str, data: bytes) -> CheckedImage | None:
        try:
            return self._check_image(data, self._options)
        except Rejected as rejected:
            if rejected.code == "too_many_pixels":
                self._tell(RecordFinding("image_too_large", {"key": key, **rejected.details}))
            elif rejected.code in ADMISSIBLE:
                self._tell(RecordFinding("image_doubtful", {"key": key, "detail": rejected.reason}))
                return self._check_image(data, replace(self._options, admit=ADMISSIBLE))
            else:
                self._tell(RecordFinding("image_damaged", {"key": key, "detail": rejected.reason}))
        return None

    def _of_features(self, payload: bytes, features: Mapping[str, FeatureValues]) -> Iterator[RecordFinding]:
        """Keys, kinds and counts against TensorFlow's reading, the manifest's and what is declared."""
        for deviation in deviations(payload, features):
            yield RecordFinding(*problem_of(deviation))
        for key, spec in self._expected.features.items():
            feature = features.get(key)
            if feature is None:
                if spec.required:
                    yield RecordFinding("feature_missing", {"key": key})
            elif feature.kind != spec.kind:
                found = feature.kind or "nothing"
                yield RecordFinding("feature_kind", {"key": key, "found": found, "expected": spec.kind})
            elif spec.count not in (None, len(feature.values)):
                found_count = len(feature.values)
                yield RecordFinding(
                    "feature_count", {"key": key, "found": found_count, "expected": spec.count}
                )
        yield from compare_declared(features, self._expected.declared)

    def _of_labels(
        self, ids: Sequence[Any], features: Mapping[str, FeatureValues]
    ) -> Iterator[RecordFinding]:
        """Ids within the label map, and equal to their texts."""
        if self._expected.labels is None:
            return
        key = self._expected.text_key
        texts = features[key].values if key in features else []
        if len(texts) != len(ids):
            if key == schema.OBJECT_TEXT:  # told with the other lists of boxes
                return
            yield RecordFinding("feature_count", {"key": key, "found": len(texts), "expected": len(ids)})
            return
        for label, text in zip(ids, texts, strict=True):
            name = self._expected.labels.get(label)
            if name is None:
                yield RecordFinding("label_unknown", {"label": label})
            elif name.encode() != text:
                yield RecordFinding(
                    "label_text", {"label": label, "expected": repr(name), "found": shown_text(text)}
                )


def _source_id(features: Mapping[str, FeatureValues], *, is_ours: bool) -> bytes | None:
    """What tells an image apart; of records of others, that of boxes, whose metrics go by it."""
    if not is_ours and features.keys().isdisjoint(schema.OBJECT_CORNERS):
        return None
    source_id = first_value(features, schema.IMAGE_SOURCE_ID)
    return source_id if isinstance(source_id, bytes) and source_id else None
