"""How time and memory of `tfrec` grow with the length of a list.

    python benchmarks/scale.py --work /var/tmp/scale                     # all parts, about 10 minutes
    python benchmarks/scale.py --work /var/tmp/scale --rows 100000,1000000 --images 20000

Plans are made by `tfrec convert --dry-run`, which makes the whole plan on disk as any run does. Memory
is the highest that the kernel saw (VmHWM of /proc/PID/status), for the parent and for each worker; CPU is
that of all of them, which other work on the machine changes least.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from setting import machine, our_versions, tfrec_command

_SPLITS = ("TRAIN",) * 8 + ("VALIDATION", "TEST")
_LABELS = 1000
# Different pictures; a list names each of them under many names (links).
_PICTURES = 100
_MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Peak:
    """One run: seconds, and of CPU; highest memory of parent and largest worker in bytes, what it said."""

    seconds: float
    cpu: float
    parent: int
    worker: int
    result: dict[str, object]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table."""

    what: str
    seconds: float
    cpu: float
    count: int
    parent: int
    worker: int


def measure(arguments: Sequence[str]) -> Peak:
    """Runs `tfrec` with `--json` and watches its memory."""
    started = time.monotonic()
    with subprocess.Popen([*tfrec_command(), *arguments], stdout=subprocess.PIPE) as process:
        watch = _Watch(process.pid)
        assert process.stdout is not None
        out = process.stdout.read()
        seconds = time.monotonic() - started
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        watch.end()
    if process.returncode:
        raise SystemExit(f"{' '.join(arguments)}: exit code {process.returncode}: {out.decode()[:500]}")
    return Peak(
        seconds,
        usage.ru_utime + usage.ru_stime,
        watch.parent,
        watch.worker,
        json.loads(out) if b"{" in out else {},
    )


class _Watch:
    """Samples VmHWM, which itself is a maximum, of a process and of its children."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self.parent = self.worker = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._ended.wait(0.02):
            self.parent = max(self.parent, _highest(self._pid))
            self.worker = max([self.worker, *map(_highest, _children(self._pid))])

    def end(self) -> None:
        self._ended.set()
        self._thread.join()


def _highest(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)


def _children(pid: int) -> list[int]:
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            found += map(int, Path(f"/proc/{pid}/task/{thread}/children").read_text().split())
    except OSError:
        return found
    return found


def write_list(path: Path, rows: int, labels: int) -> Path:
    """A list of so many rows with names and labels of the usual length, unless it is there."""
    if not path.exists():
        partial = path.with_suffix(".partial")
        with partial.open("w") as file:
            file.write("split,image_uri,label\n")
            for n in range(rows):
                split = _SPLITS[n % 10]
                file.write(f"{split},photos/{n % 1000:03d}/img_{n:09d}.jpg,class_{n * 7919 % labels:07d}\n")
        partial.rename(path)
    return path


def write_images(folder: Path, count: int) -> Path:
    """So many image files, links to a few tiny pictures, and their list, unless they are there."""
    from PIL import Image

    path = folder / f"images-{count}.csv"
    if path.exists():
        return path
    pictures = folder / f"images-{count}"
    shutil.rmtree(pictures, ignore_errors=True)
    pictures.mkdir()
    for n in range(_PICTURES):
        data = io.BytesIO()
        Image.new("RGB", (8, 8), (n, 255 - n, 7 * n % 256)).save(data, "JPEG")
        (pictures / f"p{n}.jpg").write_bytes(data.getvalue())
    lines = ["split,image_uri,label\n"]
    for n in range(count):
        name = pictures / f"{n // 1000:04d}" / f"{n:07d}.jpg"
        if n % 1000 == 0:
            name.parent.mkdir()
        os.link(pictures / f"p{n % _PICTURES}.jpg", name)
        lines.append(f"{_SPLITS[n % 10]},{name.relative_to(folder)},class_{n % _LABELS:07d}\n")
    path.write_text("".join(lines))
    return path


def plan(work: Path, rows: int, labels: int, what: str) -> Line:
    """A whole plan of a list of so many rows."""
    source = write_list(work / f"list-{rows}-{labels}.csv", rows, labels)
    peak = measure(["convert", str(source), str(work / "out"), "--dry-run", "--json", "--quiet"])
    if peak.result["records"] != rows:
        raise SystemExit(f"planned {peak.result['records']} records of {rows} rows")
    return _told(Line(what, peak.seconds, peak.cpu, rows, peak.parent, 0))


def convert(work: Path, images: int) -> Line:
    """A whole conversion of so many tiny images."""
    source, output = write_images(work, images), work / "out"
    shutil.rmtree(output, ignore_errors=True)
    peak = measure(["convert", str(source), str(output), "--json", "--quiet"])
    shutil.rmtree(output)
    what = f"convert {images:,} tiny images"
    return _told(Line(what, peak.seconds, peak.cpu, images, peak.parent, peak.worker))


def _told(line: Line) -> Line:
    print(_row(line), file=sys.stderr, flush=True)
    return line


def _row(line: Line) -> str:
    worker = f"{line.worker / _MB:.0f} MB" if line.worker else ""
    each = f"{_each(line):.1f} µs" if line.count else ""
    seconds = f"{line.seconds:.1f} s | {line.cpu:.1f} s"
    return f"| {line.what} | {seconds} | {each} | {line.parent / _MB:.0f} MB | {worker} |"


def _each(line: Line) -> float:
    """Microseconds of CPU a row, or an image."""
    return 1e6 * line.cpu / line.count


def curve(lines: Sequence[Line]) -> list[str]:
    """The same as bars: CPU a row and memory, which stay level when all is well."""
    widest = max(line.parent for line in lines)
    slowest = max(map(_each, lines))
    drawn = []
    for line in lines:
        memory = "#" * max(1, round(line.parent / widest * 30))
        pace = "#" * max(1, round(_each(line) / slowest * 30))
        drawn.append(f"{line.what:30} memory {memory:30}  CPU a row {pace}")
    return drawn


def report(command: str, idle: Line, plans: Sequence[Line], labels: Line, runs: Sequence[Line]) -> str:
    """All that was measured, as Markdown, and whether the targets were met."""
    first, last = plans[0], plans[-1]
    a_label = (labels.parent - first.parent) / _distinct(labels)
    targets = [
        (f"memory of the longest plan to that of the shortest: {last.parent / first.parent:.2f}x", 1.3,
         last.parent / first.parent),
        (f"memory of the longest plan above an idle tfrec: {(last.parent - idle.parent) / _MB:.0f} MB", 60,
         (last.parent - idle.parent) / _MB),
        (f"CPU a row of the longest plan: {_each(last):.1f} µs", 10, _each(last)),
        (f"memory a distinct label: {a_label:.0f} bytes", 300, a_label),
    ]  # fmt: skip
    return "\n".join([
        "# Scale: measured", "", f"`{command}`", "",
        ", ".join(f"{name}: {value}" for name, value in machine().items()) + ".  ",
        ", ".join(f"{name} {version}" for name, version in our_versions().items()) + ".", "",
        "| what | time | CPU | each | parent at its highest | largest worker |",
        "| --- | --- | --- | --- | --- | --- |",
        *map(_row, [idle, *plans, labels, *runs]), "",
        "```", *curve(plans), "```", "",
        "| figure | target | |", "| --- | --- | --- |",
        *(f"| {words} | at most {most} | {'met' if value <= most else 'MISSED'} |"
          for words, most, value in targets),
    ]) + "\n"  # fmt: skip


def _distinct(line: Line) -> int:
    return int(line.what.split()[-3].replace(",", ""))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="folder for lists, images and outputs")
    parser.add_argument(
        "--rows", default="100000,1000000,10000000", help="lengths of the lists that are planned"
    )
    parser.add_argument("--labels", type=int, default=1_000_000, help="distinct labels of one more list")
    parser.add_argument("--images", default="10000,100000,1000000", help="tiny images that are converted")
    parser.add_argument("--save", action="store_true", help="also write results/scale.md")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    peak = measure(["convert", "--help"])
    idle = Line("`tfrec convert --help`", peak.seconds, peak.cpu, 0, peak.parent, 0)
    lengths = sorted(map(int, arguments.rows.split(",")))
    plans = [plan(arguments.work, rows, _LABELS, f"plan {rows:,} rows") for rows in lengths]
    rows = arguments.labels
    labels = plan(arguments.work, rows, rows, f"plan {rows:,} rows, {rows:,} distinct labels")
    runs = [convert(arguments.work, count) for count in sorted(map(int, arguments.images.split(",")))]
    command = " ".join(["python benchmarks/scale.py", *_without_work(sys.argv[1:])])
    text = report(command, idle, plans, labels, runs)
    print(text)
    if arguments.save:
        results = Path(__file__).parent / "results"
        results.mkdir(exist_ok=True)
        (results / "scale.md").write_text(text)
    sys.exit(1 if "MISSED" in text else 0)


def _without_work(arguments: Sequence[str]) -> list[str]:
    kept = list(arguments)
    if "--work" in kept:
        at = kept.index("--work")
        kept[at : at + 2] = ["--work", "DIR"]
    return kept


if __name__ == "__main__":
    main()
