"""Tools of the tests that verify: shards taken apart by code of their own, and verify without processes."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import google_crc32c
from converting import Run, tfrec
from inline import inline_workers

from tfrecordcli.formats.example import Values, encode_example
from tfrecordcli.problems import Problem
from tfrecordcli.tfrecords.example_parser import parse_example
from tfrecordcli.verify_options import VerifyOptions
from tfrecordcli.verify_report import VerifyReport
from tfrecordcli.verifying import verification


def verify(path: Path, **options: Any) -> VerifyReport:
    """Integrity of a path, in this process."""
    with inline_workers():
        return verification.verify(path, VerifyOptions(feed=False, **options))


Found = tuple[str, str, int | None, int | None]


def found(report: VerifyReport, severity: str = "error") -> list[Found]:
    """(code, path, record, offset) of the problems."""
    return sorted(
        (_place(problem) for problem in report.problems if problem.severity == severity),
        key=lambda place: tuple(map(str, place)),
    )


def _place(problem: Problem) -> Found:
    return problem.code, problem.path, problem.record, problem.offset


# --- shards ---


def masked(data: bytes) -> int:
    crc = int(google_crc32c.value(data))
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def framed(payload: bytes) -> bytes:
    length = struct.pack("<Q", len(payload))
    return length + struct.pack("<I", masked(length)) + payload + struct.pack("<I", masked(payload))


def content(path: Path) -> bytes:
    """The uncompressed stream of a shard."""
    data = path.read_bytes()
    return gzip.decompress(data) if path.name.endswith(".gz") else data


def store(path: Path, data: bytes) -> None:
    """Makes this the uncompressed stream of a shard."""
    path.write_bytes(gzip.compress(data, mtime=0) if path.name.endswith(".gz") else data)


def split_frames(data: bytes) -> list[bytes]:
    """The records of a sound stream, each with its frame."""
    frames = []
    at = 0
    while at < len(data):
        end = at + 12 + int.from_bytes(data[at : at + 8], "little") + 4
        frames.append(data[at:end])
        at = end
    assert at == len(data)
    return frames


def frames_of(path: Path) -> list[bytes]:
    return split_frames(content(path))


def offset_of(path: Path, record: int) -> int:
    return sum(map(len, frames_of(path)[:record]))


def features_of(frame: bytes) -> dict[str, list[Any]]:
    return {key: list(feature.values) for key, feature in parse_example(frame[12:-4]).items()}


def change_features(path: Path, record: int, **changes: Values | None) -> None:
    """Writes a record again with other features (`__` in a name is `/`), under right checksums."""
    frames = frames_of(path)
    features: dict[str, Any] = features_of(frames[record])
    for name, values in changes.items():
        key = name.replace("__", "/")
        if values is None:
            del features[key]
        else:
            features[key] = values
    frames[record] = framed(encode_example(features))
    store(path, b"".join(frames))


def flip(data: bytes, at: int, mask: int = 0x10) -> bytes:
    return data[:at] + bytes([data[at] ^ mask]) + data[at + 1 :]


def write_shard(path: Path, records: Sequence[bytes]) -> None:
    store(path, b"".join(map(framed, records)))


def run(*arguments: object, **how: Any) -> Run:
    return tfrec("verify", "--no-feed", *arguments, **how)


def shard(dataset: Path, number: int = 0) -> Path:
    return dataset / f"train-{number:05}-of-00003.tfrecord"


def damage(path: Path, record: int = 0) -> int:
    """Flips a bit in a record's payload; where the record starts."""
    frames = frames_of(path)
    frames[record] = flip(frames[record], 40)
    store(path, b"".join(frames))
    return sum(map(len, frames[:record]))
