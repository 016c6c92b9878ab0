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
from tfrecordcli.options import ImageOptions
from tfrecordcli.reasons import Rejected

# The image is only looked at: nothing may turn or shrink it, and size is no reason to refuse.
_ANY_SIZE: Final = 1 << 40

_IMAGE_MAGIC: Final = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a", b"BM", b"RIFF")

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
      image: the bytes of its image, or None when it holds none that is known.
    """

    findings: tuple[Finding, ...]
    labels: tuple[int, ...] = ()
    image: bytes | None = None


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
        ids = tuple(labels.values) if labels is not None and labels.kind == "int64" else ()
        image = find_image(features)
        if not findings:
            findings += self._labels(ids, features)
        if image is not None:
            findings += self._image(image, features)
        return Checked(tuple(findings), ids, image)  # type: ignore[arg-type]

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

    def _image(self, data: bytes, features: dict[str, Feature]) -> Iterator[Finding]:
        """Decodes, and compares with what the record says of it."""
        try:
            image = self._check_image(data, self._options)
        except Rejected as rejected:
            yield Finding("image_damaged", {"detail": rejected.reason})
            return
        stored = _first(features, schema.IMAGE_FORMAT)
        kept = image.data is data or image.data == data
        image_format = image.format if kept else _format_before(image)
        if isinstance(stored, bytes) and stored.lower() not in _names_of(image_format):
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


def find_image(features: dict[str, Feature]) -> bytes | None:
    """The image of a record: `image/encoded`, or else the one bytes feature that begins like an image."""
    named = _first(features, schema.IMAGE_ENCODED)
    if isinstance(named, bytes):
        return named
    for feature in features.values():
        if feature.kind == "bytes" and len(feature.values) == 1:
            value = feature.values[0]
            if isinstance(value, bytes) and value.startswith(_IMAGE_MAGIC):
                return value
    return None


def _first(features: dict[str, Feature], key: str) -> bytes | float | int | None:
    feature = features.get(key)
    return feature.values[0] if feature is not None and len(feature.values) == 1 else None


def _format_before(image: CheckedImage) -> str:
    """The format of an image that was encoded again."""
    notes = (note.removeprefix(reencoded("")) for note in image.notes if note.startswith(reencoded("")))
    return next(notes, image.format)


def _names_of(image_format: str) -> tuple[bytes, ...]:
    aliases = {"jpeg": b"jpg", "tiff": b"tif", "heif": b"heic", "jpeg2000": b"jp2"}
    name = image_format.encode()
    return name, aliases.get(image_format, name)


def _shown(sizes: Any) -> str:
    return " x ".join("?" if size is None else str(size) for size in sizes)
