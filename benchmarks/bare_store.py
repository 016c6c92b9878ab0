"""Reads objects with bare calls of obstore and drops them: what no reader that uses it can beat.

    python benchmarks/bare_store.py photos.csv --processes 2

The store is that of the environment's AWS settings; its objects are those of `s3://bkt`.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

from obstore.store import S3Store

from tfrecordcli.storage.network import REQUESTS


def read_all(keys: list[str]) -> int:
    """The bytes of all these objects, read by as many threads as a worker of tfrec has."""
    store = S3Store("bkt", client_options={"allow_http": True, "timeout": timedelta(seconds=30)})
    with ThreadPoolExecutor(REQUESTS) as pool:
        return sum(pool.map(lambda key: len(store.get(key).bytes()), keys))


def main() -> None:
    """Prints the bytes that were read."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("csv", type=Path)
    parser.add_argument("--processes", type=int, default=1, metavar="N")
    parser.add_argument("--only", type=int, metavar="I", help="every Nth object, from this one")
    options = parser.parse_args()
    if options.only is None and options.processes > 1:
        argv = [sys.executable, __file__, str(options.csv), "--processes", str(options.processes), "--only"]
        children = [subprocess.Popen([*argv, str(number)]) for number in range(options.processes)]
        sys.exit(max(child.wait() for child in children))
    with options.csv.open(newline="") as file:
        keys = [row["image_uri"] for row in csv.DictReader(file)]
    print(read_all(keys[options.only or 0 :: options.processes]), flush=True)


if __name__ == "__main__":
    main()
