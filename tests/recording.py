"""Tools of the tests of TFRecords as a source."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

from verifying import framed

from tfrecordcli.formats.example import encode_example
from tfrecordcli.tfrecords.example_parser import parse_example


def records_of(folder: Path, pattern: str = "*.tfrecord") -> list[dict[str, Any]]:
    """The features of every record, key -> values."""
    found = []
    for path in sorted(folder.glob(pattern)):
        data, at = path.read_bytes(), 0
        while at < len(data):
            (length,) = struct.unpack_from("<Q", data, at)
            features = parse_example(data[at + 12 : at + 12 + length])
            found.append({key: list(feature.values) for key, feature in features.items()})
            at += 16 + length
    return found


def by_image(records: list[dict[str, Any]], *without: str) -> dict[bytes, dict[str, Any]]:
    """Records by their images, of which no two may be equal."""
    found = {
        record["image/encoded"][0]: {key: values for key, values in record.items() if key not in without}
        for record in records
    }
    assert len(found) == len(records)
    return found


def foreign(path: Path, *records: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(framed(encode_example(record)) for record in records))
    return path
