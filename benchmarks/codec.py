"""The least that checking every byte of a JPEG can cost: simplejpeg's strict decoding, on bytes in memory.

    python codec.py data.csv --skip 5000 --processes 2

Reads the listed photos (not timed), decodes them in as many processes as asked for, and prints
`{"photos": ..., "cpu": ..., "wall": ...}`: seconds of the decoding alone, CPU summed over the processes.
"""

from __future__ import annotations

import argparse
import csv
import json
import multiprocessing
import time
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path


def decode_all(images: list[bytes]) -> None:
    """Entropy-decode every image in full, at the smallest size, in gray; damage raises."""
    import simplejpeg

    for image in images:
        simplejpeg.decode_jpeg(
            image,
            "GRAY",
            fastdct=True,
            fastupsample=True,
            min_height=1,
            min_width=1,
            min_factor=8,
            strict=True,
        )


def work(paths: list[Path], start: Barrier, results: Queue[tuple[float, float]]) -> None:
    """Read the photos, wait until all processes have done so, decode; put (CPU, wall) in `results`."""
    images = [path.read_bytes() for path in paths]
    decode_all(images[:1])  # so that the import is not timed
    start.wait()
    wall, cpu = time.perf_counter(), time.process_time()
    decode_all(images)
    results.put((time.process_time() - cpu, time.perf_counter() - wall))


def measure(paths: list[Path], processes: int) -> dict[str, float]:
    """Decode the photos in this many processes at once."""
    context = multiprocessing.get_context("spawn")
    start, results = context.Barrier(processes), context.Queue()
    workers = [
        context.Process(target=work, args=(paths[number::processes], start, results), daemon=True)
        for number in range(processes)
    ]
    for worker in workers:
        worker.start()
    figures = [results.get(timeout=600) for _ in workers]
    for worker in workers:
        worker.join()
    return {
        "photos": len(paths),
        "cpu": sum(cpu for cpu, _ in figures),
        "wall": max(wall for _, wall in figures),
    }


def main() -> None:
    """Measure the photos of a list, but for the first few."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("list_file", type=Path)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    with options.list_file.open(encoding="utf-8", newline="") as file:
        paths = [options.list_file.parent / row["image_uri"] for row in csv.DictReader(file)]
    print(json.dumps(measure(paths[options.skip :], options.processes)))


if __name__ == "__main__":
    main()
