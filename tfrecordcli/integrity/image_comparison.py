"""A decoded image against what its record says of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tfrecordcli import schema
from tfrecordcli.images.check import CheckedImage
from tfrecordcli.images.notes import reencoded
from tfrecordcli.tfrecords.feature import Feature


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong with a record: a code of `PROBLEMS` and what fills its text in."""

    code: str
    details: dict[str, Any]


# The keys of a height and a width -> what they say wrongly of the first image that they stand beside; None
# when they are right about one of those, or may be.
SizesBeside = dict[tuple[str, str], Finding | None]


def compare_stored(image: CheckedImage, data: bytes, features: Mapping[str, Feature]) -> Iterator[Finding]:
    """An image under `image/encoded` with what stands beside it."""
    stored = first_value(features, schema.IMAGE_FORMAT)
    kept = image.data is data or image.data == data
    image_format = image.format if kept else _format_before(image)
    if isinstance(stored, bytes) and _plain(stored) not in _names_of(image_format):
        yield Finding("image_format", {"found": shown_text(stored), "expected": image_format})
    sizes = {schema.IMAGE_HEIGHT: image.height, schema.IMAGE_WIDTH: image.width}
    if kept:  # the channels of what was encoded again are not those of the source
        sizes[schema.IMAGE_CHANNELS] = image.channels
    found = {key: first_value(features, key) for key in sizes}
    if any(value is not None and value != sizes[key] for key, value in found.items()):
        yield Finding(
            "image_size",
            {"found": _shown(found.values()), "expected": _shown(sizes.values())},
        )


def compare_beside(
    key: str, image: CheckedImage, names: tuple[str, str], size: tuple[int, int]
) -> Finding | None:
    """An image under a key of others with the height and width that stand under these names."""
    if size == (image.height, image.width):
        return None
    found, expected = _shown(size), _shown((image.height, image.width))
    if names == (schema.IMAGE_HEIGHT, schema.IMAGE_WIDTH):
        return Finding("image_size", {"found": found, "expected": expected})
    # These may be those of something else.
    details = {"keys": " and ".join(names), "found": found, "key": key, "expected": expected}
    return Finding("image_size_beside", details)


def first_value(features: Mapping[str, Feature], key: str) -> bytes | float | int | None:
    """The value of a feature that has one."""
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


def shown_text(value: Any) -> str:
    """A value of a bytes feature between quotes, as names are shown; bytes that are no UTF-8 as escapes."""
    if not isinstance(value, bytes):
        return repr(value)
    try:
        return repr(value.decode())
    except UnicodeDecodeError:
        return repr(value).removeprefix("b")
