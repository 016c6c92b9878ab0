"""One record: parses as an Example, holds what it should, its image decodes to the stored size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from tfrecordcli import schema
from tfrecordcli.images.check import CheckedImage
from tfrecordcli.images.notes import reencoded
from tfrecordcli.integrity.example_parser import Feature, NotAnExample, parse_example
from tfrecordcli.integrity.expectations import Expectations
from tfrecordcli.integrity.image_features import find_images, find_raw, find_size, looks_like_image
from tfrecordcli.options import ImageOptions
from tfrecordcli.reasons import Rejected

# The image is only looked at: nothing may turn or shrink it, and size is no reason to refuse.
_ANY_SIZE: Final = 1 << 40

_LABEL_KEYS: Final = (schema.CLASS_LABEL, schema.CLASS_TEXT)

CheckImage = Callable[[bytes, ImageOptions], CheckedImage]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong with a record: a code of `PROBLEMS` and what fills its text in."""

    code: str
    details: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Checked:
    """One record after its check.

    Attributes:
      findings: what is wrong with it.
      labels: its label ids.
      image: the bytes of its image, the largest of several; None when it holds none that is known.
      images: how many were checked.
      is_raw: whether it holds raw pixels instead.
      is_unsized: whether no height and width stand beside its image.
    """

    findings: tuple[Finding, ...]
    labels: tuple[int, ...] = ()
    image: bytes | None = None
    images: int = 0
    is_raw: bool = False
    is_unsized: bool = False


class RecordChecker:
    """Checks the records of one dataset."""

    def __init__(self, expected: Expectations, check: str, check_image: CheckImage) -> None:
        self._expected = expected
        self._options = ImageOptions(
            check="decode" if check == "decode" else "structure",
            exif="keep",
            max_pixels=_ANY_SIZE,
            max_image_bytes=_ANY_SIZE,
        )
        self._check_image = check_image

    def check(self, payload: bytes) -> Checked:
        try:
            features = parse_example(payload)
        except NotAnExample:
            return Checked((Finding("not_an_example", {}),))
        findings = list(self._features(features))
        labels = features.get(schema.CLASS_LABEL)
        ids: tuple[Any, ...] = tuple(labels.values) if labels is not None and labels.kind == "int64" else ()
        if not findings or not any(found.details["key"] in _LABEL_KEYS for found in findings):
            findings += self._labels(ids, features)
        if not self._expected.features:
            return self._foreign_images(features, findings, ids)
        image = _first(features, schema.IMAGE_ENCODED)
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
        named = _first(features, schema.IMAGE_ENCODED)
        if isinstance(named, bytes) and raw is None and not looks_like_image(named):
            images.insert(0, (schema.IMAGE_ENCODED, named))  # it must be one, whatever it is
        sizes: dict[tuple[str, str], list[Finding | None]] = {}
        is_sized = False
        for key, data in images:
            findings += self._image(key, data, features, sizes)
            is_sized = is_sized or find_size(features, key) is not None
        # A size that stands beside several images need not be that of each.
        findings += [found[0] for found in sizes.values() if found[0] is not None and all(found)]
        image = max((data for _, data in images), key=len, default=None)
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
            elif spec.required and len(feature.values) != 1:
                yield Finding("feature_count", {"key": key, "found": len(feature.values), "expected": 1})

    def _labels(self, ids: tuple[Any, ...], features: dict[str, Feature]) -> Iterator[Finding]:
        """Ids within the label map, and equal to their texts."""
        if self._expected.labels is None:
            return
        texts = features[schema.CLASS_TEXT].values if schema.CLASS_TEXT in features else []
        if len(texts) != len(ids):
            yield Finding(
                "feature_count", {"key": schema.CLASS_TEXT, "found": len(texts), "expected": len(ids)}
            )
            return
        for label, text in zip(ids, texts, strict=True):
            name = self._expected.labels.get(label)
            if name is None:
                yield Finding("label_unknown", {"label": label})
            elif name.encode() != text:
                yield Finding("label_text", {"label": label, "expected": repr(name), "found": repr(text)})

    def _image(
        self,
        key: str,
        data: bytes,
        features: dict[str, Feature],
        sizes: dict[tuple[str, str], list[Finding | None]] | None = None,
    ) -> Iterator[Finding]:
        """Decodes, and compares with what the record says of it.

        Args:
          sizes: takes what a foreign record's own keys say of the image's size.
        """
        try:
            image = self._check_image(data, self._options)
        except Rejected as rejected:
            yield Finding("image_damaged", {"key": key, "detail": rejected.reason})
            told = find_size(features, key)
            if told is not None and sizes is not None:
                sizes.setdefault(told[0], []).append(None)  # it may be that of this one
            return
        if key == schema.IMAGE_ENCODED:
            yield from _compare(image, data, features)
        if sizes is not None and not (key == schema.IMAGE_ENCODED and schema.IMAGE_HEIGHT in features):
            _compare_beside(key, image, features, sizes)


def _compare(image: CheckedImage, data: bytes, features: dict[str, Feature]) -> Iterator[Finding]:
    """An image under `image/encoded` with what stands beside it."""
    stored = _first(features, schema.IMAGE_FORMAT)
    kept = image.data is data or image.data == data
    image_format = image.format if kept else _format_before(image)
    if isinstance(stored, bytes) and _plain(stored) not in _names_of(image_format):
        yield Finding("image_format", {"found": repr(stored), "expected": image_format})
    sizes = {schema.IMAGE_HEIGHT: image.height, schema.IMAGE_WIDTH: image.width}
    if kept:  # the channels of what was encoded again are not those of the source
        sizes[schema.IMAGE_CHANNELS] = image.channels
    found = {key: _first(features, key) for key in sizes}
    if any(value is not None and value != sizes[key] for key, value in found.items()):
        yield Finding(
            "image_size",
            {"found": _shown(found.values()), "expected": _shown(sizes.values())},
        )


def _compare_beside(
    key: str,
    image: CheckedImage,
    features: dict[str, Feature],
    sizes: dict[tuple[str, str], list[Finding | None]],
) -> None:
    """An image under a key of others with the height and width that seem to be its own."""
    told = find_size(features, key)
    if told is None:
        return
    names, size = told
    finding = None
    if size != (image.height, image.width):
        found, expected = _shown(size), _shown((image.height, image.width))
        if names == (schema.IMAGE_HEIGHT, schema.IMAGE_WIDTH):
            finding = Finding("image_size", {"found": found, "expected": expected})
        else:  # which may be those of something else
            details = {"keys": " and ".join(names), "found": found, "key": key, "expected": expected}
            finding = Finding("image_size_beside", details)
    sizes.setdefault(names, []).append(finding)


def _first(features: dict[str, Feature], key: str) -> bytes | float | int | None:
    feature = features.get(key)
    return feature.values[0] if feature is not None and len(feature.values) == 1 else None


def _format_before(image: CheckedImage) -> str:
    """The format of an image that was encoded again."""
    notes = (note.removeprefix(reencoded("")) for note in image.notes if note.startswith(reencoded("")))
    return next(notes, image.format)


def _plain(image_format: bytes) -> bytes:
    """`jpg` of `.JPG` and of `image/jpg`."""
    return image_format.lower().removeprefix(b"image/").removeprefix(b".")


def _names_of(image_format: str) -> tuple[bytes, ...]:
    aliases = {"jpeg": b"jpg", "tiff": b"tif", "heif": b"heic", "jpeg2000": b"jp2"}
    name = image_format.encode()
    return name, aliases.get(image_format, name)


def _shown(sizes: Any) -> str:
    return " x ".join("?" if size is None else str(size) for size in sizes)
