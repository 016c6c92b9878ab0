"""One record: parses as an Example, holds what it should, its image decodes to the stored size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from tfrecordcli import schema
from tfrecordcli.images.check import CheckedImage
from tfrecordcli.integrity.declared_check import compare_declared
from tfrecordcli.integrity.example_parser import Feature
from tfrecordcli.integrity.expectations import Expectations
from tfrecordcli.integrity.image_comparison import (
    Finding,
    SizesBeside,
    compare_beside,
    compare_stored,
    first_value,
    shown_text,
)
from tfrecordcli.integrity.image_features import find_images, find_raw, find_size, looks_like_image
from tfrecordcli.integrity.record_parser import parse_record
from tfrecordcli.integrity.tensorflow_view import problem_of
from tfrecordcli.integrity.wire import NotAnExample
from tfrecordcli.options import ImageOptions
from tfrecordcli.reasons import Rejected

# The image is only looked at: nothing may turn or shrink it, and its bytes are in memory already.
_ANY_SIZE: Final = 1 << 40

CheckImage = Callable[[bytes, ImageOptions], CheckedImage]


class Checked(NamedTuple):
    """One record after its check.

    Attributes:
      findings: what is wrong with it.
      labels: its label ids.
      image: the bytes of its image, the largest of several, or its raw pixels; None when it holds none
        that is known.
      images: how many were checked.
      is_raw: whether it holds raw pixels instead.
      is_unsized: whether no height and width stand beside its image.
      is_sequence: whether it is a SequenceExample, whose feature lists were not looked at.
    """

    findings: tuple[Finding, ...]
    labels: tuple[int, ...] = ()
    image: bytes | None = None
    images: int = 0
    is_raw: bool = False
    is_unsized: bool = False
    is_sequence: bool = False


class RecordChecker:
    """Checks the records of one dataset."""

    def __init__(self, expected: Expectations, check: str, check_image: CheckImage, max_pixels: int) -> None:
        self._expected = expected
        self._options = ImageOptions(
            check="decode" if check == "decode" else "structure",
            exif="keep",
            max_pixels=max_pixels,
            max_image_bytes=_ANY_SIZE,
        )
        self._check_image = check_image

    def check(self, payload: bytes) -> Checked:
        try:
            features, is_sequence, deviations = parse_record(payload)
        except NotAnExample as error:
            return Checked((Finding("not_an_example", {"detail": str(error)}),))
        findings = [Finding(*problem_of(deviation)) for deviation in deviations]
        findings += [*self._features(features), *compare_declared(features, self._expected.declared)]
        labels = features.get(self._expected.label_key)
        ids: tuple[Any, ...] = tuple(labels.values) if labels is not None and labels.kind == "int64" else ()
        label_keys = (self._expected.label_key, self._expected.text_key)
        if not any(found.details.get("key") in label_keys for found in findings):
            findings += self._labels(ids, features)
        if not self._expected.features:
            checked = self._foreign_images(features, findings, ids)
            return checked._replace(is_sequence=True) if is_sequence else checked
        image = first_value(features, schema.IMAGE_ENCODED)
        if not isinstance(image, bytes):
            return Checked(tuple(findings), ids)
        findings += self._image(schema.IMAGE_ENCODED, image, features)
        return Checked(tuple(findings), ids, image, 1)

    def _foreign_images(
        self, features: dict[str, Feature], findings: list[Finding], ids: tuple[Any, ...]
    ) -> Checked:
        """Checks every image of a record that somebody else wrote."""
        images = find_images(features)
        raw = find_raw(features) if not images else None
        named = first_value(features, schema.IMAGE_ENCODED)
        if isinstance(named, bytes) and raw is None and not looks_like_image(named):
            images.insert(0, (schema.IMAGE_ENCODED, named))  # it must be one, whatever it is
        sizes: SizesBeside = {}
        is_sized = False
        for key, data in images:
            findings += self._image(key, data, features, sizes)
            is_sized = is_sized or find_size(features, key) is not None
        # A size that stands beside several images need not be that of each.
        findings += [found[0] for found in sizes.values() if found[0] is not None and all(found)]
        image = max((data for _, data in images), key=len, default=raw.data if raw else None)
        is_unsized = bool(images) and not is_sized
        return Checked(tuple(findings), ids, image, len(images), raw is not None, is_unsized)

    def _features(self, features: dict[str, Feature]) -> Iterator[Finding]:
        """Keys, kinds and counts against the manifest's."""
        for key, spec in self._expected.features.items():
            feature = features.get(key)
            if feature is None:
                if spec.required:
                    yield Finding("feature_missing", {"key": key})
            elif feature.kind != spec.kind:
                found = feature.kind or "nothing"
                yield Finding("feature_kind", {"key": key, "found": found, "expected": spec.kind})
            elif spec.count not in (None, len(feature.values)):
                found_count = len(feature.values)
                yield Finding("feature_count", {"key": key, "found": found_count, "expected": spec.count})

    def _labels(self, ids: tuple[Any, ...], features: dict[str, Feature]) -> Iterator[Finding]:
        """Ids within the label map, and equal to their texts."""
        if self._expected.labels is None:
            return
        key = self._expected.text_key
        texts = features[key].values if key in features else []
        if len(texts) != len(ids):
            yield Finding("feature_count", {"key": key, "found": len(texts), "expected": len(ids)})
            return
        for label, text in zip(ids, texts, strict=True):
            name = self._expected.labels.get(label)
            if name is None:
                yield Finding("label_unknown", {"label": label})
            elif name.encode() != text:
                yield Finding(
                    "label_text", {"label": label, "expected": repr(name), "found": shown_text(text)}
                )

    def _image(
        self,
        key: str,
        data: bytes,
        features: dict[str, Feature],
        sizes: SizesBeside | None = None,
    ) -> Iterator[Finding]:
        """Decodes, and compares with what the record says of it.

        Args:
          sizes: takes what a foreign record's own keys say of the image's size.
        """
        try:
            image = self._check_image(data, self._options)
        except Rejected as rejected:
            if rejected.code == "too_many_pixels":
                yield Finding("image_too_large", {"key": key, **rejected.details})
            else:
                yield Finding("image_damaged", {"key": key, "detail": rejected.reason})
            told = find_size(features, key)
            if told is not None and sizes is not None:
                sizes.setdefault(told[0], []).append(None)  # it may be that of this one
            return
        if key == schema.IMAGE_ENCODED:
            yield from compare_stored(image, data, features)
        if sizes is not None and not (key == schema.IMAGE_ENCODED and schema.IMAGE_HEIGHT in features):
            compare_beside(key, image, features, sizes)
