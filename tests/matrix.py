"""`make matrix`: tfrec with the oldest and the newest of what it depends on, on every Python at hand.

Each row is an environment of its own, made of wheels alone. In it the sample data are converted, inspected
and verified, by TensorFlow too where it is there, and `tfrec doctor` finds nothing wrong. TFDS and
PyTorch read them where they are there. All rows must give the same shards.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from email import message_from_bytes
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.12", "3.13")
AGES = {"oldest": "lowest-direct", "newest": "highest"}
_TFDS = "tensorflow-datasets>=4.9.6"
_TORCH = ("torch", "tfrecord")
# What is installed -> (extra, further packages); an extra of None: what writing needs, and no more.
INSTALLS: dict[str, tuple[str | None, tuple[str, ...]]] = {
    "writing only": (None, ()),
    "PyTorch": (None, _TORCH),
    "TensorFlow": ("heif", ()),
    "TensorFlow, Beam": ("beam", ()),
    "TensorFlow, TFDS": ("", (_TFDS,)),
    "TensorFlow, Beam, TFDS, PyTorch": ("beam", (_TFDS, *_TORCH)),
}
# What others cannot have together: TFDS of any age wants a newer protobuf than the oldest TensorFlow.
NEVER = {name: ("oldest",) for name in INSTALLS if "TFDS" in name}
SHOWN = ("numpy", "pillow", "pandas", "tensorflow", "apache-beam", "tensorflow-datasets", "torch")
# Python code on a dataset at {out}: what other readers make of it.
READERS = {
    "TFDS": """
import tensorflow_datasets
builder = tensorflow_datasets.builder_from_directory({out!r})
assert len(list(builder.as_dataset(split="train"))) == 20
""",
    "PyTorch": """
import glob
from torch.utils.data import DataLoader
from tfrecord.torch.dataset import TFRecordDataset
(shard,) = glob.glob({out!r} + "/train-*")
rows = TFRecordDataset(shard, None, {{"image/encoded": "byte", "image/class/label": "int"}})
assert len(list(DataLoader(rows, batch_size=None))) == 20
""",
    "TensorFlow, Beam, TFDS, PyTorch": """
import torch, tfrecordcli
batches = tfrecordcli.load({out!r}, image_size=16, batch_size=5)["train"]
assert [tuple(torch.from_numpy(images.numpy()).shape) for images, _ in batches] == [(5, 16, 16, 3)] * 4
""",
}
# Where the table stands; the words around it, and its other rows, are kept.
PAGE = ROOT / "docs" / "matrix.md"
_RULE = "| --- | --- | --- | --- | --- |\n"
TIMEOUT = 900  # seconds for a command: an environment may be a gigabyte


@dataclass(frozen=True)
class Row:
    """One environment, and how it went: ``verdict`` is empty when all is well."""

    python: str
    age: str
    install: str
    versions: str
    verdict: str
    digest: str
    seconds: float


class Failed(Exception):
    """A command failed; the message is the last of what it printed."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", action="append", help="only this version; may be given again")
    parser.add_argument("--install", action="append", choices=[*INSTALLS], help="only this; again for more")
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.relative_to(ROOT)}")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(prefix="tfrec-matrix-") as scratch:
        wheel = build_wheel(Path(scratch))
        for python, install, age in itertools.product(
            options.python or PYTHONS, options.install or INSTALLS, AGES
        ):
            if age in NEVER.get(install, ()):
                continue
            if not _answers("uv", "python", "find", "--no-python-downloads", python):
                print(f"Python {python} is not on this machine", file=sys.stderr)
                continue
            rows.append(try_one(Path(scratch) / "one", wheel, python, age, install))
            print(" | ".join(cells(rows[-1])), flush=True)
    if options.write:
        PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), rows), encoding="utf-8")
    return 1 if not rows or any(row.verdict for row in judged(rows)) else 0


def build_wheel(folder: Path) -> Path:
    run(sys.executable, "-m", "build", "--wheel", "--outdir", folder / "dist", ROOT)
    (wheel,) = (folder / "dist").glob("*.whl")
    return wheel


def try_one(folder: Path, wheel: Path, python: str, age: str, install: str) -> Row:
    """Makes an environment in a folder, does in it what a user does, and removes it."""
    began = time.monotonic()
    digest = verdict = versions = ""
    try:
        make_environment(folder, wheel, python, age, install)
        versions = shown_versions(folder)
        digest = use(folder, install)
    except Failed as failure:
        verdict = str(failure)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return Row(python, age, install, versions, verdict, digest, time.monotonic() - began)


def make_environment(folder: Path, wheel: Path, python: str, age: str, install: str) -> None:
    uv("venv", "--quiet", "--no-python-downloads", "--python", python, folder)
    extra, more = INSTALLS[install]
    if extra is None:
        into(folder, age, "-r", ROOT / "requirements-writer.txt")
    else:
        into(folder, age, *requirements(wheel, extra))
    into(folder, age, "--no-deps", wheel)
    if more:  # the newest, beside what stands; not all of what they need comes as wheels
        uv("pip", "install", "--quiet", "--python", folder / "bin" / "python", *more)
    if extra is not None:  # that nobody's wishes were passed over
        uv("pip", "check", "--quiet", "--python", folder / "bin" / "python")


def requirements(wheel: Path, extra: str) -> list[str]:
    """What a wheel requires: given one by one, as only the versions of what is given are the oldest."""
    with zipfile.ZipFile(wheel) as file:
        (name,) = (each for each in file.namelist() if each.endswith(".dist-info/METADATA"))
        lines = message_from_bytes(file.read(name)).get_all("Requires-Dist", [])
    ours = f'extra == "{extra}"'
    return [
        line.partition(";")[0] if ours in line else line
        for line in lines
        if "extra ==" not in line or ours in line
    ]


def into(folder: Path, age: str, *packages: object) -> None:
    python = folder / "bin" / "python"
    uv("pip", "install", "--quiet", "--only-binary", ":all:", "--resolution", AGES[age], "--python", python,
       *packages)  # fmt: skip


def uv(*arguments: object) -> None:
    run(sys.executable, "-m", "uv", *arguments)


def use(folder: Path, install: str) -> str:
    """What a user does, each step with its exit code; the SHA-256 of the shards."""
    tfrec, samples = folder / "bin" / "tfrec", ROOT / "sample_data"
    out, boxes = folder / "out", folder / "boxes"
    feed = ("--feed-seconds", "1") if "TensorFlow" in install else ("--no-feed",)
    run(tfrec, "convert", samples / "data.csv", out)
    run(tfrec, "convert", samples / "boxes.csv", boxes)
    run(tfrec, "inspect", boxes, "--sheet", folder / "sheet.png")
    run(tfrec, "verify", out, *feed)
    run(tfrec, "verify", boxes, "--no-feed")
    run(tfrec, "doctor")  # which looks at what no result shows, such as checksums that are computed in Python
    digest = digest_of(out, boxes)
    if "Beam" in install:
        run(tfrec, "convert", samples / "data.csv", folder / "beam", "--runner", "DirectRunner")
        if digest_of(folder / "beam", boxes) != digest:
            raise Failed("Beam's shards are other ones")
    for reader, code in READERS.items():
        if reader in install:
            run(folder / "bin" / "python", "-c", code.format(out=str(out)))
    return digest


def digest_of(*datasets: Path) -> str:
    digest = hashlib.sha256()
    for path in itertools.chain.from_iterable(sorted(each.glob("*.tfrecord")) for each in datasets):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def shown_versions(folder: Path) -> str:
    code = (
        "from importlib.metadata import distributions as d\n"
        f"v = {{x.metadata['Name'].lower(): x.version for x in d()}}\n"
        f"print(', '.join(f'{{n}} {{v[n]}}' for n in {SHOWN!r} if n in v))"
    )
    return run(folder / "bin" / "python", "-c", code).strip()


def run(*command: object) -> str:
    """What a command prints.

    Raises:
      Failed: it did not end well.
    """
    done = subprocess.run(
        [*map(str, command)],
        capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=TIMEOUT, check=False,
    )  # fmt: skip
    if done.returncode:
        last = " ".join((done.stderr.strip() or done.stdout.strip()).split()[-60:])
        raise Failed(f"{Path(str(command[0])).name} {command[1]}: {last}")
    return done.stdout


def _answers(*command: str) -> bool:
    try:
        run(sys.executable, "-m", *command)
    except Failed:
        return False
    return True


def judged(rows: Sequence[Row]) -> Iterator[Row]:
    """Rows, of which those whose shards are not those of the first that went well are wrong."""
    first = next((row.digest for row in rows if row.digest), "")
    for row in rows:
        other = "" if row.verdict or row.digest == first else "other shards"
        yield replace(row, verdict=other) if other else row


def cells(row: Row) -> tuple[str, ...]:
    verdict = f"fails: {row.verdict}" if row.verdict else "right"
    return row.python, row.install, row.age, row.versions, verdict


def with_table(page: str, rows: Sequence[Row]) -> str:
    """The page with these rows in its table, in place of those of the same environments."""
    head, _, rest = page.partition(_RULE)
    old, _, tail = rest.partition("\n\n")
    lines: dict[str, str] = {}
    for line in [*old.splitlines(), *(f"| {' | '.join(cells(row))} |" for row in judged(rows))]:
        lines[" | ".join(line.split(" | ")[:3])] = line
    table = "\n".join(lines[key] for key in sorted(lines, key=_order))
    return f"{head}{_RULE}{table}\n\n{tail}"


def _order(key: str) -> tuple[str, int, int]:
    """Where a row stands that begins with `| 3.11 | TensorFlow | oldest`."""
    python, install, age = key.removeprefix("| ").split(" | ")
    return python, [*INSTALLS].index(install), [*AGES].index(age)


if __name__ == "__main__":
    sys.exit(main())
