"""The parts of the convert benchmark, one function each: what is run against what, and the targets."""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence

import setting
from bench import Bench, Part, Ratio, wall_ratio
from processes import Command, Spread, Usage, alternate, spread

# By default glibc hands freed memory back to the system above 128 KB. A writer whose records are about
# that large can then fault it in again for each record; whether it does hangs on chance.
KEEP_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(64 << 20)}
CODEC = "codec alone"  # no check can be faster than what decodes
QUICK_ROUNDS = 5  # commands of a split second run this many times as often


def against_writers(bench: Bench) -> Part:
    """(a) Checked conversion against writers that check nothing."""
    tensorflow, peers = setting.tensorflow_python(bench.work), setting.peers_python(bench.work)
    runs = alternate(
        {
            "import tensorflow": Command([tensorflow, "-c", "import tensorflow"]),
            "TensorFlow loop": bench.peer(tensorflow, "tensorflow"),
            "tfrecord": bench.peer(peers, "tfrecord"),
            "tfrecord, memory kept": bench.peer(peers, "tfrecord", KEEP_MEMORY),
            "webdataset": bench.peer(peers, "webdataset"),
            "tfrec, decode": bench.convert(bench.small, "decode"),
            CODEC: bench.codec(bench.small, processes=bench.workers),
        },
        bench.rounds,
    )

    def floor(usages: Mapping[str, Usage]) -> float:
        return float(json.loads(usages[CODEC].stdout)["wall"])

    fastest = min(
        ("tfrecord", "webdataset"), key=lambda name: statistics.median(run.wall for run in runs[name])
    )
    slower = "webdataset" if fastest == "tfrecord" else "tfrecord"
    ratios = [
        Ratio("tfrec / TensorFlow loop, wall", wall_ratio(runs, "tfrec, decode", "TensorFlow loop"), 0.5),
        Ratio(
            f"tfrec / {fastest} (the fastest other writer), wall",
            wall_ratio(runs, "tfrec, decode", fastest),
            1.0,
        ),
        Ratio(f"tfrec / {slower}, wall", wall_ratio(runs, "tfrec, decode", slower)),
        Ratio(
            "tfrec / tfrecord, memory kept, wall", wall_ratio(runs, "tfrec, decode", "tfrecord, memory kept")
        ),
        Ratio(
            "import tensorflow / TensorFlow loop, wall",
            wall_ratio(runs, "import tensorflow", "TensorFlow loop"),
        ),
        Ratio(
            "codec alone, without its start / TensorFlow loop, wall",
            spread(runs, lambda usages: floor(usages) / usages["TensorFlow loop"].wall),
        ),
        Ratio(
            f"codec alone, without its start / {fastest}, wall",
            spread(runs, lambda usages: floor(usages) / usages[fastest].wall),
        ),
    ]
    return Part(f"Against writers that check nothing, {bench.small:,} photos", runs, ratios)


def against_codec(bench: Bench) -> Part:
    """(b) CPU of each further photo against the bare codec."""
    count = bench.large - bench.small
    few, many = f"tfrec, decode, {bench.small:,}", f"tfrec, decode, {bench.large:,}"
    bare = f"codec alone, {count:,}"
    few_copied, many_copied = f"cat and sync, {bench.small:,}", f"cat and sync, {bench.large:,}"
    runs = alternate(
        {
            few: bench.convert(bench.small, "decode"),
            many: bench.convert(bench.large, "decode"),
            bare: bench.codec(bench.large, skip=bench.small, processes=bench.workers),
            few_copied: bench.cat(bench.small),
            many_copied: bench.cat(bench.large),
        },
        bench.rounds,
    )

    def ours(usages: Mapping[str, Usage]) -> float:
        return (usages[many].cpu - usages[few].cpu) / count

    def copying(usages: Mapping[str, Usage]) -> float:
        return (usages[many_copied].cpu - usages[few_copied].cpu) / count

    def floor(usages: Mapping[str, Usage]) -> float:
        return codec(usages) + copying(usages)

    def codec(usages: Mapping[str, Usage]) -> float:
        return float(json.loads(usages[bare].stdout)["cpu"]) / count

    def microseconds(figure: Callable[[Mapping[str, Usage]], float]) -> Spread:
        return spread(runs, lambda usages: figure(usages) * 1e6)

    ratios = [
        Ratio("tfrec / codec, CPU a photo", spread(runs, lambda usages: ours(usages) / codec(usages)), 1.2),
        Ratio("tfrec, CPU a photo", microseconds(ours), unit=" us"),
        Ratio("codec, CPU a photo", microseconds(codec), unit=" us"),
        Ratio("cat, CPU a photo", microseconds(copying), unit=" us"),
        Ratio("tfrec / (codec + cat), CPU a photo", spread(runs, lambda u: ours(u) / floor(u))),
    ]
    return Part(f"Against the bare codec, {bench.small:,} to {bench.large:,} photos", runs, ratios)


def against_cat(bench: Bench) -> Part:
    """(c) Structure check against copying the bytes."""
    small, large = f"{bench.small:,}", f"{bench.large:,}"
    commands = {}
    for name, count in ((small, bench.small), (large, bench.large)):
        commands[f"cat and sync, {name}"] = bench.cat(count)
        commands[f"tfrec, structure, {name}"] = bench.convert(count, "structure")
    runs = alternate(commands, bench.rounds)

    def slope(usages: Mapping[str, Usage]) -> float:
        ours = usages[f"tfrec, structure, {large}"].wall - usages[f"tfrec, structure, {small}"].wall
        return ours / (usages[f"cat and sync, {large}"].wall - usages[f"cat and sync, {small}"].wall)

    whole = wall_ratio(runs, f"tfrec, structure, {small}", f"cat and sync, {small}")
    ratios = [
        Ratio(f"tfrec / cat and sync, {small} photos, wall", whole, 3.0),
        Ratio("tfrec / cat and sync, each further photo, wall", spread(runs, slope), 1.0),
    ]
    return Part("Structure check against cat and sync", runs, ratios)


def two_workers(bench: Bench) -> Part:
    """(d) Two workers against one, and what the machine itself gives to a second process."""
    commands = {
        bench.at(name, count): bench.convert(count, "decode", workers)
        for count in (bench.small, bench.large)
        for workers, name in ((1, "tfrec, 1 worker"), (2, "tfrec, 2 workers"))
    }
    commands |= {
        "codec, 1 process": bench.codec(bench.small, processes=1),
        "codec, 2 processes": bench.codec(bench.small, processes=2),
    }
    runs = alternate(commands, bench.rounds)

    def codec(usages: Mapping[str, Usage]) -> float:
        one, two = (json.loads(usages[f"codec, {name}"].stdout) for name in ("1 process", "2 processes"))
        return float(one["wall"] / two["wall"])

    def gain(usages: Mapping[str, Usage]) -> float:
        one, two = (bench.slope(usages, f"tfrec, {name}", _wall) for name in ("1 worker", "2 workers"))
        return one / two

    whole = wall_ratio(
        runs, bench.at("tfrec, 1 worker", bench.small), bench.at("tfrec, 2 workers", bench.small)
    )
    ratios = [
        Ratio("1 worker / 2 workers, each further photo, wall", spread(runs, gain), 1.8, "at least"),
        Ratio(f"1 worker / 2 workers, {bench.small:,} photos, wall", whole),
        Ratio("the same for the bare codec, without its start", spread(runs, codec)),
    ]
    return Part("Two workers against one", runs, ratios)


def _wall(usage: Usage) -> float:
    return usage.wall


def start_up(bench: Bench) -> Part:
    """(e) `tfrec --help` against the import of click."""
    runs = alternate(
        {
            "import click": Command([sys.executable, "-c", "import click"]),
            "tfrec --help": Command([*bench.tfrec, "--help"]),
        },
        bench.rounds * QUICK_ROUNDS,
    )
    return Part(
        "Start",
        runs,
        [Ratio("help / import click, wall", wall_ratio(runs, "tfrec --help", "import click"), 3.0)],
    )


def sample_data(bench: Bench) -> Part:
    """(f) The sample data, all in all."""
    name = "tfrec convert sample_data/data.csv"
    runs = alternate({name: bench.sample()}, bench.rounds * QUICK_ROUNDS)
    wall = spread(runs, lambda usages: usages[name].wall)
    return Part("Sample data, 30 pictures", runs, [Ratio("wall", wall, 1.0, unit=" s")])


def against_before(bench: Bench) -> Part:
    """(g) Full checks now and before."""

    def command(count: int, tfrec: Sequence[str], more: Sequence[str]) -> Command:
        return bench.convert(count, "decode", None, tfrec, *more)

    return bench.against_before(command)


PARTS: dict[str, Callable[[Bench], Part]] = {
    "a": against_writers,
    "b": against_codec,
    "c": against_cat,
    "d": two_workers,
    "e": start_up,
    "f": sample_data,
    "g": against_before,
}
