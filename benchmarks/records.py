"""How fast one process reads records as `tfrec verify` does: both checksums, and the Example taken apart.

    python records.py FILE... --seconds 3

Reads the files again and again and prints `{"records": ..., "bytes": ..., "cpu": ...}`, seconds of one core.
With `--make COUNT` it writes a file of so many small records first.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from tfrecordcli.formats.example import Values, encode_example
from tfrecordcli.formats.record_file import RecordFile
from tfrecordcli.tfrecords.example_parser import parse_example
from tfrecordcli.tfrecords.record_reader import read_records
from tfrecordcli.tfrecords.shard_stream import ShardStream, open_shard

SMALL_IMAGE = bytes(range(256)) * 6  # about a 32 x 32 JPEG


def make_small_records(path: Path, count: int) -> None:
    """Write a file of small records with all keys that tfrec writes."""
    with RecordFile(str(path)) as file:
        for number in range(count):
            features: dict[str, Values] = {
                "image/encoded": [SMALL_IMAGE],
                "image/format": [b"jpeg"],
                "image/height": [32],
                "image/width": [32],
                "image/channels": [3],
                "image/filename": [b"images/%06d.jpg" % number],
                "image/class/label": [number % 1000],
                "image/class/text": [b"label-%03d" % (number % 1000)],
            }
            file.append(encode_example(features))
        file.finish()


def read_file(path: Path) -> tuple[int, int]:
    """Records and bytes of one file, every record checked and parsed."""
    with open_shard(str(path)) as file:
        stream = ShardStream(file)
        records = 0
        for record in read_records(stream):
            if record.payload is None:
                raise SystemExit(f"{path}: record {record.number}: {record.damage}")
            parse_example(record.payload)
            records += 1
        return records, stream.offset


def measure(paths: list[Path], seconds: float) -> dict[str, float]:
    """Read the files for about so long; at least once."""
    records = size = 0
    start = time.process_time()
    while True:
        for path in paths:
            found = read_file(path)
            records += found[0]
            size += found[1]
        used = time.process_time() - start
        if used >= seconds:
            return {"records": records, "bytes": size, "cpu": used}


def main() -> None:
    """Measure the files that are given."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--make", type=int, default=0, metavar="COUNT")
    options = parser.parse_args()
    if options.make:
        make_small_records(options.files[0], options.make)
    print(json.dumps(measure(options.files, options.seconds)))


if __name__ == "__main__":
    main()
