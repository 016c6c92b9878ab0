"""The parts of the verify benchmark, one function each: what is run against what, and the targets."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import setting
from bench import HERE, SHARDS, Bench, Part, Ratio
from processes import Command, Spread, Usage, alternate, spread

from tfrecordcli.processes import worker_environment

CHECKS = ("decode", "structure")
SMALL_RECORDS = 200_000
FEED_SECONDS = 10.0
FEED_TURNS = 2  # for each round of the other parts: rates of threads scatter more than CPU
STEP_TIME = 50.0  # milliseconds for a batch of 64: an accelerator that takes 1,280 images/s


def dataset(bench: Bench, count: int, *, of_before: bool = False) -> Path:
    """A dataset of the first `count` photos, made if need be; of the version before if both read it."""
    folder = bench.work / f"dataset{'-of-before' if of_before else ''}-{count}"
    if not (folder / "manifest.json").exists():
        print(f"converting {count:,} photos", file=sys.stderr, flush=True)
        tfrec = bench.before if of_before else bench.tfrec
        argv = [*tfrec, "convert", str(bench.photos.csv(count)), str(folder), "--quiet"]
        subprocess.run([*argv, "--num-shards", str(SHARDS)], check=True, stdout=sys.stderr)
    return folder


def shards_of(folder: Path) -> Sequence[Path]:
    return sorted(folder.glob("*.tfrecord"))


def verify(
    bench: Bench, count: int, check: str, tfrec: Sequence[str] = (), *more: str, workers: int | None = None
) -> Command:
    """`tfrec verify` of a dataset, without the feed."""
    folder = dataset(bench, count, of_before=bool(bench.before))
    options = ["--no-feed", "--check", check, "--workers", str(workers or bench.workers), "--quiet"]
    return Command([*(tfrec or bench.tfrec), "verify", str(folder), *options, *more], shards_of(folder))


def against_codec(bench: Bench) -> Part:
    """(a) CPU of each further photo against the bare codec."""
    count = bench.large - bench.small
    names = {check: (f"{check}, {bench.small:,}", f"{check}, {bench.large:,}") for check in CHECKS}
    bare = f"codec alone, {count:,}"
    commands = {
        name: verify(bench, number, check)
        for check, pair in names.items()
        for name, number in zip(pair, (bench.small, bench.large), strict=True)
    }
    runs = alternate(
        commands | {bare: bench.codec(bench.large, skip=bench.small, processes=bench.workers)}, bench.rounds
    )

    def ours(usages: Mapping[str, Usage], check: str) -> float:
        few, many = names[check]
        return (usages[many].cpu - usages[few].cpu) / count

    def codec(usages: Mapping[str, Usage]) -> float:
        return float(json.loads(usages[bare].stdout)["cpu"]) / count

    def microseconds(figure: Callable[[Mapping[str, Usage]], float]) -> Spread:
        return spread(runs, lambda usages: figure(usages) * 1e6)

    ratio = spread(runs, lambda usages: ours(usages, "decode") / codec(usages))
    ratios = [
        Ratio("verify, decode / codec, CPU a photo", ratio, 1.25),
        Ratio("verify, decode, CPU a photo", microseconds(lambda u: ours(u, "decode")), unit=" us"),
        Ratio("verify, structure, CPU a photo", microseconds(lambda u: ours(u, "structure")), unit=" us"),
        Ratio("codec, CPU a photo", microseconds(codec), unit=" us"),
    ]
    return Part(f"Integrity against the bare codec, {bench.small:,} to {bench.large:,} photos", runs, ratios)


def records_alone(bench: Bench) -> Part:
    """(b) Checksums and parsing alone, one process."""
    photos = shards_of(dataset(bench, bench.small))
    small = bench.work / "small.tfrecord"
    reading = [sys.executable, str(HERE / "records.py")]
    memory = {name: value for name, value in worker_environment().items() if name.startswith("MALLOC_")}
    if not small.exists():
        make = [*reading, str(small), "--make", str(SMALL_RECORDS), "--seconds", "0"]
        subprocess.run(make, check=True, stdout=sys.stderr)
    runs = alternate(
        {
            "records of 100 KB": Command([*reading, *map(str, photos)], photos, settings=memory),
            "small records": Command([*reading, str(small)], [small], settings=memory),
        },
        bench.rounds,
    )

    def rate(name: str, key: str, scale: float) -> Spread:
        def figure(usages: Mapping[str, Usage]) -> float:
            found = json.loads(usages[name].stdout)
            return float(found[key] / found["cpu"] / scale)

        return spread(runs, figure)

    ratios = [
        Ratio("100 KB records", rate("records of 100 KB", "bytes", 1e9), 1.0, "at least", " GB/s"),
        Ratio("small records", rate("small records", "records", 1.0), 20_000, "at least", " a second"),
    ]
    return Part("Checksums and parsing alone, one core", runs, ratios)


def feed(bench: Bench) -> Part:
    """(c) The feed of `load` against a pipeline written by hand."""
    folder = dataset(bench, bench.small)
    python = setting.tensorflow_python(bench.work)
    commands = {}
    turns = str(bench.rounds * FEED_TURNS)
    for mode in ("resized", "full"):
        argv = [python, str(HERE / "feed.py"), str(folder), "--mode", mode, "--rounds", turns]
        commands[mode] = Command([*argv, "--seconds", str(FEED_SECONDS)], shards_of(folder))
    runs = alternate(commands, 1)
    ratios = []
    for mode, what in (("resized", "at 224 px"), ("full", "at full size, a number an image")):
        rounds = json.loads(runs[mode][0].stdout)["rounds"]
        ours, noise = f"load / by hand, {what}", f"by hand / by hand again, {what}"
        ratios += [
            Ratio(ours, _spread_of(a / statistics.fmean(hands) for a, *hands in rounds), 0.95, "at least"),
            Ratio(noise, _spread_of(first / again for _, first, again in rounds)),
            Ratio(f"load, {what}", _spread_of(a for a, *_ in rounds), unit=" images/s"),
        ]
    return Part(f"The feed, {bench.small:,} photos, no shuffle", runs, ratios)


def accelerator(bench: Bench) -> Part:
    """(d) The feed onto a GPU: rate, and the share of its time that it would wait."""
    title = f"The feed onto a GPU, {bench.small:,} photos"
    python = setting.tensorflow_python(bench.work)
    look = "import tensorflow as tf; print(len(tf.config.list_physical_devices('GPU')))"
    found = subprocess.run([python, "-c", look], check=True, capture_output=True, text=True)
    if not int(found.stdout):
        return Part(title, {}, [], "TensorFlow sees no GPU on this machine")
    folder = dataset(bench, bench.small)
    options = ["--device", "gpu", "--step-time", str(STEP_TIME), "--feed-seconds", str(FEED_SECONDS)]
    argv = [*bench.tfrec, "verify", str(folder), "--json", "--check", "structure", *options]
    runs = alternate({"verify": Command(argv, shards_of(folder))}, bench.rounds)

    def figure(key: str, scale: float = 1.0) -> Spread:
        return spread(runs, lambda usages: json.loads(usages["verify"].stdout)["feed"][key] * scale)

    ratios = [
        Ratio("batches of 64 at 224 px on the GPU", figure("images_per_second"), unit=" images/s"),
        Ratio(f"wait with steps of {STEP_TIME:g} ms", figure("accelerator_wait", 100), unit="%"),
        Ratio("no wait from a step of", figure("break_even_step_ms"), unit=" ms"),
    ]
    return Part(title, runs, ratios)


def _spread_of(values: Iterable[float]) -> Spread:
    found = list(values)
    return Spread(statistics.median(found), min(found), max(found))


def against_before(bench: Bench) -> Part:
    """(e) Integrity now and before."""

    def command(count: int, tfrec: Sequence[str], more: Sequence[str]) -> Command:
        return verify(bench, count, "decode", tfrec, *more)

    return bench.against_before(command)


PARTS: dict[str, Callable[[Bench], Part]] = {
    "a": against_codec,
    "b": records_alone,
    "c": feed,
    "d": accelerator,
    "e": against_before,
}
