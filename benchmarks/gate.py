"""Measures the native walk over JPEGs against the portable check: its time, what it finds, what it blames.

    python gate.py --work /var/tmp/gate                  # all, about an hour on 2 cores
    python gate.py --work /var/tmp/gate --only cpu --photos 200

The exit code is 1 when a target was missed. See README.md for what it needs.
"""

from __future__ import annotations

import argparse
import functools
import io
import random
import subprocess
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import setting
import simplejpeg
from damaged_files import KINDS, OF_PROGRESSIVE, Damage, is_harmed, picture_data, pixels
from photos import make_photos
from PIL import Image

from tfrecordcli.images._jpeg_walk import walk
from tfrecordcli.images.jpeg import walk_jpeg
from tfrecordcli.images.jpeg_decode import decode_strictly
from tfrecordcli.images.jpeg_segments import PROGRESSIVE
from tfrecordcli.reasons import Rejected

HERE = Path(__file__).resolve().parent
PAGE = HERE / "results" / "gate.md"
ENCODERS = (
    "numpy",
    "Pillow",
    "simplejpeg",
    "opencv-python-headless",
    "jpeglib",
    "pyjpegli",
    "mozjpeg-lossless-optimization",
)
MOST_CPU_OF = {"baseline": 0.45, "progressive": 0.45, "baseline, 64 px": 1.0, "progressive, 64 px": 1.0}
LEAST_GAIN, LEAST_GOOD, LEAST_ENCODERS = 10.0, 10_000, 9
ROUNDS: Final = 5
Table = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Part:
    """What one part found.

    Attributes:
      title: of its section.
      table: rows of cells, the first a heading.
      misses: targets that were missed, in words.
    """

    title: str
    table: Table
    misses: Sequence[str]


# --- the checks ------------------------------------------------------------------------------------


def decode_eighth(data: bytes) -> None:
    """libjpeg-turbo at its fastest: 1/8 scale in gray; ValueError for whatever it warns about."""
    simplejpeg.decode_jpeg(
        data, "GRAY", fastdct=True, fastupsample=True, min_height=1, min_width=1, min_factor=8
    )


def is_loaded(data: bytes) -> bool:
    """Whether Pillow loads it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            Image.open(io.BytesIO(data)).load()
    except Exception:  # of any kind: it is Pillow's way to refuse
        return False
    return True


def is_portably_right(data: bytes) -> bool:
    """Whether the check without the native module lets it in: a walk over the markers, and a decode."""
    try:
        decode_strictly(data, walk_jpeg(data, is_decoded_next=True).frame)
    except Rejected:
        return False
    return True


@functools.cache
def _former(python: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [python, "-I", HERE / "former_check.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


def is_formerly_right(python: str, data: bytes) -> bool:
    """Whether the version of tfrec that belongs to this Python lets it in."""
    former = _former(python)
    assert former.stdin is not None, "a pipe"
    assert former.stdout is not None, "a pipe"
    former.stdin.write(len(data).to_bytes(8, "little") + data)
    former.stdin.flush()
    answer = former.stdout.read(1)
    if answer not in (b"0", b"1"):
        raise SystemExit(
            f"--before {python}: no answer; is there a tfrec in it, and where it can be imported?"
        )
    return answer == b"1"


# --- time ------------------------------------------------------------------------------------------


def measure_cpu(photos: Sequence[bytes]) -> Part:
    """CPU of both, photo by photo in turns; of each photo the best round, for others use the cores too."""
    table = [("photos", "KB", "1/8 decode, µs", "walk, µs", "walk / 1/8 decode")]
    misses = []
    for name, files in _sets_for_cpu(photos):
        best = {decode_eighth: [0] * len(files), walk: [0] * len(files)}
        for turn in range(ROUNDS):
            for number, data in enumerate(files):
                for check, times in best.items():
                    spent = _cpu(check, data)
                    times[number] = min(spent, times[number]) if turn else spent
        decoded, walked = (sum(times) / len(files) / 1000 for times in best.values())
        ratio = walked / decoded
        size = sum(map(len, files)) / len(files) / 1000
        table.append((name, f"{size:.1f}", f"{decoded:,.0f}", f"{walked:,.0f}", f"{ratio:.2f}x"))
        if ratio > (most := MOST_CPU_OF.get(name, ratio)):
            misses.append(f"{name}: {ratio:.2f}x is more than {most}x")
    return Part("CPU of the gate alone", table, misses)


def _cpu(check: Callable[[bytes], object], data: bytes) -> int:
    started = time.thread_time_ns()
    check(data)
    return time.thread_time_ns() - started


def _sets_for_cpu(photos: Sequence[bytes]) -> Iterator[tuple[str, list[bytes]]]:
    yield "baseline", list(photos)
    yield "progressive", [progressive(data) for data in photos]
    yield "baseline, optimised tables", [_saved(data, optimize=True) for data in photos[:200]]
    for side in (8, 64, 128, 224):
        yield f"baseline, {side} px", [_saved(data, side) for data in photos[:200]]
        yield f"progressive, {side} px", [_saved(data, side, progressive=True) for data in photos[:200]]


def progressive(data: bytes) -> bytes:
    """The same picture, coded progressively."""
    return transcoded(data, "progressive")


def transcoded(data: bytes, process: str) -> bytes:
    """The same picture, coded without loss as "baseline" or "progressive"."""
    argv = ["jpegtran", "-copy", "none", *(["-progressive"] if process == "progressive" else [])]
    return subprocess.run(argv, input=data, capture_output=True, check=True).stdout


def _saved(data: bytes, side: int | None = None, **options: bool) -> bytes:
    image = Image.open(io.BytesIO(data)).convert("RGB")
    if side:
        image = image.resize((side, side))
    file = io.BytesIO()
    image.save(file, "JPEG", quality=90, **options)
    return file.getvalue()


# --- what is found ---------------------------------------------------------------------------------

CHECKS = ("Pillow load", "check before", "portable check", "walk without dc_range", "walk")
Found = Counter[tuple[str, str]]  # by kind of damage, and check or "harmful" or what only one of two finds


@dataclass(frozen=True, slots=True)
class Case:
    """A photo to damage.

    Attributes:
      number: of the photo; what happens to it depends on it.
      data, other: the photo, and one whose bytes get into it.
      each: how many times each kind of damage is done.
      is_progressive: whether it is coded so.
      before: the Python of the version of tfrec to compare with; None: with the portable check.
    """

    number: int
    data: bytes
    other: bytes
    each: int
    is_progressive: bool
    before: str | None

    @property
    def kinds(self) -> Mapping[str, Damage]:
        return OF_PROGRESSIVE if self.is_progressive else KINDS


def measure_damage(cases: Sequence[Case], what: str, least_gain: float) -> Part:
    """Of damaged files that show another picture, how many each check finds."""
    found: Found = Counter()
    with get_context("spawn").Pool() as pool:
        for counts in pool.imap_unordered(_damage_one, cases):
            found += counts
    first = cases[0]
    for column in ("harmful", *CHECKS, "missed"):
        found["all", column] = sum(found[kind, column] for kind in first.kinds)
    checks = [check for check in CHECKS if first.before or check != "check before"]
    table = [("damage", "harmful", *(f"{check}, %" for check in checks), "missed by the walk alone")]
    for kind in (*first.kinds, "all"):
        shares = (f"{_share(found, kind, check):.1f}" for check in checks)
        table.append((kind, f"{found[kind, 'harmful']:,}", *shares, str(found[kind, "missed"])))
    name = "progressive" if first.is_progressive else "baseline"
    title = f"Harmful damage found, {name}, {len(cases)} {what} photos, {first.each} of each kind"
    return Part(
        title, table, _missed(found, name, "check before" if first.before else "portable check", least_gain)
    )


def _missed(found: Found, name: str, other: str, least_gain: float) -> Sequence[str]:
    """What the walk finds too little of, against another check."""
    before = _share(found, "all", other)
    gain = _share(found, "all", "walk") - before
    floor = f"{gain:.1f} points above the {other}, which leaves {100 - before:.1f}"
    misses = [f"{name}: {floor}; asked for {least_gain:.1f}"] * (gain < least_gain)
    if found["all", "missed"]:
        misses.append(f"{name}: {found['all', 'missed']} files that another check finds were missed")
    return misses


def _share(found: Found, kind: str, check: str) -> float:
    return 100 * found[kind, check] / max(1, found[kind, "harmful"])


def _damage_one(case: Case) -> Found:
    data = case.data
    start, right, found = picture_data(data), pixels(data), Found()
    assert right is not None, "a photo that is not damaged"
    for kind, damage in case.kinds.items():
        for turn in range(case.each):
            changed = damage(data, start, case.other, random.Random(f"{case.number} {kind} {turn}"))
            if changed == data or not is_harmed(right, pixels(changed)):
                continue
            verdict = walk(changed)
            others = {
                "check before": bool(case.before) and not is_formerly_right(str(case.before), changed),
                "portable check": not is_portably_right(changed),
            }
            found[kind, "harmful"] += 1
            found[kind, "Pillow load"] += not is_loaded(changed)
            found[kind, "walk without dc_range"] += verdict is not None and verdict[0] != "dc_range"
            found[kind, "walk"] += verdict is not None
            found[kind, "missed"] += verdict is None and any(others.values())
            for check, is_found in others.items():
                found[kind, check] += is_found
    return found


# --- what is blamed --------------------------------------------------------------------------------


def measure_good(folder: Path) -> Part:
    """Good files that are refused, by encoder."""
    table = [("encoder", "files", "refused by the walk", "of them dc_range", "refused by the portable check")]
    misses, total, encoders = [], 0, 0
    for encoder in sorted(path for path in folder.iterdir() if any(path.glob("*.jpg"))):
        files = {path: path.read_bytes() for path in sorted(encoder.glob("*.jpg"))}
        if encoder.name == "pictures":
            continue
        refused = {path: verdict for path, data in files.items() if (verdict := walk(data))}
        misses += [f"{path}: {verdict}" for path, verdict in refused.items()]
        ranges = sum(verdict[0] == "dc_range" for verdict in refused.values())
        portably = sum(not is_portably_right(data) for data in files.values())
        table.append((encoder.name, f"{len(files):,}", str(len(refused)), str(ranges), str(portably)))
        total, encoders = total + len(files), encoders + 1
    table.append((f"all {encoders}", f"{total:,}", str(len(misses)), "", ""))
    if total < LEAST_GOOD or encoders < LEAST_ENCODERS:
        misses.append(
            f"{total:,} files of {encoders} encoders; {LEAST_GOOD:,} of {LEAST_ENCODERS} are asked for"
        )
    return Part("Good files refused", table, misses)


# --- the command -----------------------------------------------------------------------------------


def measure(options: argparse.Namespace) -> Iterator[Part]:
    """The parts that were asked for."""
    counts = [
        count
        for name, count in (("cpu", options.photos), ("damage", options.damaged))
        if name in options.only
    ]
    photos = make_photos(options.work / "photos", [max(counts, default=1)])
    files = [path.read_bytes() for path in photos.paths]
    if "cpu" in options.only:
        yield measure_cpu(files[: options.photos])
    if "damage" in options.only:
        for is_progressive in (False, True):
            yield _damage(files, "drawn", 0, options, is_progressive)
    if "real" in options.only and options.photos_in:
        for is_progressive in (False, True):
            real = real_photos(options.photos_in, is_progressive)
            yield _damage(real, "real", LEAST_GAIN, options, is_progressive)
    if "good" in options.only:
        folder = options.work / "good"
        if not options.keep_good:
            python = setting.encoders_python(options.work, ENCODERS)
            argv = [python, str(HERE / "good_files.py"), str(folder), "--pictures", str(options.pictures)]
            subprocess.run(argv, check=True)
        yield measure_good(folder)


def _damage(
    photos: Sequence[bytes], what: str, least_gain: float, options: argparse.Namespace, is_progressive: bool
) -> Part:
    photos = photos[: options.damaged]
    cases = [
        Case(
            number,
            _coded(data, is_progressive),
            photos[number - 1],
            options.each,
            is_progressive,
            options.before,
        )
        for number, data in enumerate(photos)
    ]
    return measure_damage(cases, what, least_gain)


def _coded(data: bytes, is_progressive: bool) -> bytes:
    """As it is, or where it is not progressive and is to be, coded so."""
    recodes = is_progressive and walk_jpeg(data).frame.process != PROGRESSIVE
    return progressive(data) if recodes else data


def real_photos(folder: Path, is_progressive: bool) -> list[bytes]:
    """Sound photos below a folder, each up to its EOI; the same order each time.

    All of a kind where the folder is one of package_photos.py, else the baseline ones of 20 to 500 KB.
    """
    parts = {True: folder / "progressive", False: folder / "baseline"}
    parted = parts[True].is_dir()
    found = []
    for path in sorted((parts[is_progressive] if parted else folder).rglob("*")):
        if path.suffix.lower() not in (".jpg", ".jpeg"):
            continue
        if not parted and not 20_000 <= path.stat().st_size <= 500_000:
            continue
        data = path.read_bytes()
        data = data[: data.rfind(b"\xff\xd9") + 2]
        if walk(data) is not None or not is_portably_right(data):
            continue
        if (walk_jpeg(data).frame.process == PROGRESSIVE) == (parted and is_progressive):
            found.append(data)
    return found


def markdown(parts: Iterable[Part], command: str) -> str:
    """The page, as it is kept in results/."""
    lines = ["# The native walk over JPEGs: measured", "", f"`{command}`", ""]
    lines += [f"- {name}: {value}" for name, value in {**setting.machine(), **setting.our_versions()}.items()]
    for part in parts:
        head, *rows = part.table
        lines += ["", f"## {part.title}", "", _row(head), _row(["---"] * len(head)), *map(_row, rows)]
        lines += ["", *(f"MISSED: {miss}" for miss in part.misses[:20])]
        if not part.misses:
            lines.append("All targets met.")
    return "\n".join(lines) + "\n"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> int:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--work", type=Path, required=True, help="folder for photos and good files")
    parser.add_argument(
        "--only", type=lambda text: text.split(","), default=["cpu", "damage", "real", "good"]
    )
    parser.add_argument("--photos", type=int, default=1000, help="whose CPU is measured  [1000]")
    parser.add_argument("--damaged", type=int, default=300, help="that are damaged  [300]")
    parser.add_argument("--photos-in", type=Path, help="folder of real photos, which are damaged too")
    parser.add_argument(
        "--before", metavar="PYTHON", help="of another version of tfrec, whose check is asked too"
    )
    parser.add_argument("--each", type=int, default=10, help="files of each kind of damage  [10]")
    parser.add_argument("--pictures", type=int, default=120, help="that each encoder is given  [120]")
    parser.add_argument("--keep-good", action="store_true", help="take the good files made before")
    parser.add_argument("--save", action="store_true", help="write results/gate.md too")
    options = parser.parse_args()
    command = " ".join(["benchmarks/gate.py", *sys.argv[1:]]).replace(str(options.work), "WORK")
    command = command.replace(str(options.photos_in), "PHOTOS").replace(str(options.before), "PYTHON")
    parts = list(measure(options))
    page = markdown(parts, command)
    print(page, end="")
    if options.save:
        PAGE.write_text(page, encoding="utf-8")
    return 1 if any(part.misses for part in parts) else 0


if __name__ == "__main__":
    sys.exit(main())
