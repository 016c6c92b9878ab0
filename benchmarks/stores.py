"""How fast is `tfrec convert` on images of a store that answers slowly? Ratios to the same images on disk.

    python benchmarks/stores.py --work /var/tmp/bench
    python benchmarks/stores.py --work /var/tmp/bench --save       # also into results/stores.md

README.md says what is measured. Exit code 1 when a target was missed, 2 when something could not be run.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from bench import HERE, SHARDS, Bench, Part, Ratio
from driver import Benchmark, run
from processes import Command, Usage, alternate, spread

from tfrecordcli.storage.network import REQUESTS

LATENCY_MS = 30


def convert_from_a_store(bench: Bench) -> Part:
    """`--check structure` of the smaller number of photos, from a disk and from a slow store."""
    count = bench.small
    with serving(bench) as port:
        commands = {
            "local": _convert(bench, count, []),
            "store": _convert(bench, count, ["--image-root", "s3://bkt"], store_settings(port)),
            "bare obstore": _bare(bench, count, store_settings(port)),
        }
        runs = alternate(commands, bench.rounds)
    in_flight = REQUESTS * bench.workers
    waiting = count * LATENCY_MS / 1000 / in_flight

    def wall(usages: Mapping[str, Usage]) -> float:
        return usages["store"].wall / max(waiting, usages["local"].wall)

    what = (
        f"wall of store to the larger of local and {waiting:.2f} s ({count} x {LATENCY_MS} ms / {in_flight})"
    )
    return Part(
        f"{count} photos from a store that answers after {LATENCY_MS} ms, {bench.workers} workers",
        runs,
        [
            Ratio(what, spread(runs, wall), 1.5),
            Ratio("CPU of store to local", spread(runs, lambda u: u["store"].cpu / u["local"].cpu), 1.3),
            Ratio(
                "CPU of store to local and bare obstore together",
                spread(runs, lambda u: u["store"].cpu / (u["local"].cpu + u["bare obstore"].cpu)),
            ),
            Ratio(
                "memory of the largest process of store above local",
                spread(runs, lambda u: (int(u["store"].stdout) - int(u["local"].stdout)) / 1e6),
                128,
                unit=" MB",
            ),
        ],
    )


def _convert(bench: Bench, count: int, more: list[str], settings: Mapping[str, str] | None = None) -> Command:
    options = ["--check", "structure", "--num-shards", str(SHARDS), "--workers", str(bench.workers), *more]
    csv = str(bench.photos.csv(count))
    argv = [
        sys.executable,
        str(HERE / "peak.py"),
        *bench.tfrec,
        "convert",
        csv,
        str(bench.output),
        *options,
        "--quiet",
    ]
    return bench.writing(argv, count, settings)


def _bare(bench: Bench, count: int, settings: Mapping[str, str]) -> Command:
    argv = [sys.executable, str(HERE / "bare_store.py"), str(bench.photos.csv(count))]
    argv += ["--processes", str(bench.workers)]
    return Command(argv, bench.photos.paths[:count], settings=settings)


def store_settings(port: str) -> Mapping[str, str]:
    return {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_EC2_METADATA_DISABLED": "true",
    }


@contextmanager
def serving(bench: Bench) -> Iterator[str]:
    """The port of a running store; it ends with the block."""
    argv = [
        sys.executable,
        str(HERE / "slow_store.py"),
        str(bench.photos.folder),
        "--latency",
        str(LATENCY_MS),
    ]
    server = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
    finally:
        server.kill()
        server.wait()
        assert server.stdout is not None
        server.stdout.close()


STORES = Benchmark(
    name="stores",
    subject="Reading from a store",
    parts={"a": convert_from_a_store},
    needs_all_photos=frozenset(),
    needs_none=frozenset(),
    peers=lambda work, chosen: [(sys.executable, ["obstore"])],
    counts=(2000, 2001),
)

if __name__ == "__main__":
    sys.exit(run(STORES, "How fast is tfrec convert on images of a slow store?"))
