"""Tools of the tests that convert: `tfrec`, in this process or a real one, and TensorFlow as the reader."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from inline import run_here, run_python_here
from PIL import Image

TFREC = (sys.executable, "-P", "-m", "tfrecordcli")
SPLITS = ("train", "validation", "test")
# Generous: a hang must end, a slow machine must not fail.
TIMEOUT = 300.0

_PROGRESS_LINE = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ .*\n", re.MULTILINE)
# Code of Python in quotes, plain words, the file that it reads, the one that it writes, and its name then.
_OF_PYTHON = re.compile(
    r"""python -c '((?:[^']|'"'"')*)'((?: [\w./-]+)*)(?: < ([\w./-]+))?(?: > ([\w./-]+))?"""
    r"""(?: && mv \4 ([\w./-]+))?\s*"""
)
_OUTCOMES = ("records", "rejected", "merged", "discarded")


@dataclass(frozen=True)
class Run:
    """What a process left; ``err`` without the lines of progress that a slow machine adds."""

    code: int
    out: str
    err: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "err", _PROGRESS_LINE.sub("", self.err))

    @property
    def json(self) -> dict[str, Any]:
        """The one object on stdout; an error when there is anything else."""
        assert self.out.endswith("\n")
        assert self.out.count("\n") == 1
        values = json.loads(self.out)
        assert isinstance(values, dict)
        assert values["exit_code"] == self.code
        return values


def commands() -> dict[str, click.Command]:
    """All commands of `tfrec` by their names."""
    from tfrecordcli.cli.main import tfrec as group

    context = click.Context(group)
    found = {name: group.get_command(context, name) for name in group.list_commands(context)}
    return {name: command for name, command in found.items() if command is not None}


def environment(**extra: str) -> dict[str, str]:
    """A plain environment: no colours, no settings of the test run's own interpreter."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PYTEST"))}
    return {**kept, **extra}


def start(command: Sequence[object], env: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
    """A process that goes on, at the head of a group of its own; `end` ends it."""
    return subprocess.Popen(
        [*map(str, command)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=env,
        start_new_session=True,
    )


def end(process: subprocess.Popen[bytes]) -> None:
    """Kills what is left of the group of a process that `start` gave."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=TIMEOUT)


def tfrec(
    *arguments: object,
    cwd: Path | None = None,
    stdin: bytes | None = None,
    env: Mapping[str, str] | None = None,
    command: Sequence[str] | None = None,
    here: bool = False,
) -> Run:
    """Runs `tfrec` to its end.

    Args:
      here: in this process also with a runner of Beam, which must be refused before it starts.
      command: runs this process instead, such as `TFREC`. None: no process at all, unless the environment has
        something for Python itself, or the runner is one of Beam.
    """
    words = [*map(str, arguments)]
    if (
        command is None
        and (here or "--runner" not in words)
        and not any(name.startswith("PYTHON") for name in env or ())
    ):
        return Run(*run_here(words, cwd, stdin, env))
    return run_process(*words, cwd=cwd, stdin=stdin, env=env, command=command or TFREC)


def shell(command: str, cwd: Path, *options: str) -> Run:
    """Runs what a user types into bash; what asks nothing of bash runs without it.

    Args:
      command: with what the message says comes then, or without.
      *options: of bash.
    """
    command = command.partition("; then: tfrec convert ")[0]
    if command.startswith("tfrec ") and not re.search(r"[<>|&;$*?#`\n]|\s-\s", command):
        return tfrec(*shlex.split(command)[1:], cwd=cwd)
    if of_python := _OF_PYTHON.fullmatch(command):
        code, words, reads, writes, whole = of_python.groups()
        given = (cwd / reads).read_bytes() if reads else b""
        exit_code, out, err = run_python_here(code.replace("'\"'\"'", "'"), words.split(), cwd, given)
        if writes:
            (cwd / writes).write_bytes(out)
        if whole and not exit_code:
            (cwd / writes).rename(cwd / whole)
        return Run(exit_code, "" if writes else out.decode(errors="replace"), err)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    env = {**os.environ, "PATH": path, "PYTHONPATH": str(Path(__file__).parents[1])}
    return run_process(command, cwd=cwd, env=env, command=["bash", *options, "-c"])


def run_process(
    *arguments: object,
    cwd: Path | None = None,
    stdin: bytes | None = None,
    env: Mapping[str, str] | None = None,
    command: Sequence[str] = TFREC,
) -> Run:
    """Runs a process to its end."""
    done = subprocess.run(
        [*command, *map(str, arguments)],
        cwd=cwd,
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        capture_output=True,
        env=dict(env) if env is not None else environment(),
        timeout=TIMEOUT,
        check=False,
    )
    return Run(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


def convert_json(*arguments: object, **how: Any) -> dict[str, Any]:
    """`tfrec convert … --json`; its object, whose rows must add up."""
    values = tfrec("convert", *arguments, "--json", **how).json
    assert values["schema_version"] == 1
    assert values["command"] == "convert"
    if "rows" in values and values["status"] != "failed":
        rows_add_up(values)
    return values


def rows_add_up(values: Mapping[str, Any]) -> None:
    """rows = records + rejected + merged + discarded, in total and in every split."""
    assert values["rows"] == sum(values[outcome] for outcome in _OUTCOMES)
    for counts in values["splits"].values():
        assert counts["rows"] == sum(counts[outcome] for outcome in _OUTCOMES)
    for key in ("rows", *_OUTCOMES):
        assert values[key] == sum(counts[key] for counts in values["splits"].values())
    assert values["rejected"] == sum(values["reasons"].values())


@dataclass(frozen=True)
class Record:
    """One record as TensorFlow parses it; `pixels` is the shape that it decodes to."""

    keys: frozenset[str]
    encoded: bytes
    format: str
    stored: tuple[int, int, int]
    pixels: tuple[int, ...]
    filename: str
    labels: tuple[int, ...]
    texts: tuple[str, ...]
    raw: bytes


def read_records(tf: Any, folder: Path, split: str) -> list[Record]:
    """Every record of a split, in the order of the shards, through TensorFlow alone."""
    paths = sorted(str(p) for p in folder.glob(f"{split}-*.tfrecord*") if p.suffix != ".idx")
    if not paths:
        return []
    kind = "GZIP" if paths[0].endswith(".gz") else None
    return [_record(tf, bytes(raw.numpy())) for raw in tf.data.TFRecordDataset(paths, kind)]


def _record(tf: Any, raw: bytes) -> Record:
    features = tf.train.Example.FromString(raw).features.feature

    def texts(key: str) -> tuple[str, ...]:
        return tuple(value.decode() for value in features[key].bytes_list.value) if key in features else ()

    def number(key: str) -> int:
        (value,) = features[key].int64_list.value
        return int(value)

    (encoded,) = features["image/encoded"].bytes_list.value
    label = "image/class/label"
    return Record(
        keys=frozenset(features),
        encoded=encoded,
        format=texts("image/format")[0],
        stored=(number("image/height"), number("image/width"), number("image/channels")),
        pixels=tuple(tf.io.decode_image(encoded, expand_animations=False).shape),
        filename=texts("image/filename")[0],
        labels=tuple(features[label].int64_list.value) if label in features else (),
        texts=texts("image/class/text"),
        raw=raw,
    )


def read_all(tf: Any, folder: Path) -> dict[str, list[Record]]:
    """The records of every split that has any; each one decodes to the size that it stores."""
    found = {split: records for split in SPLITS if (records := read_records(tf, folder, split))}
    for records in found.values():
        for record in records:
            assert record.pixels == record.stored, record.filename
    return found


def by_filename(splits: Mapping[str, Iterable[Record]]) -> dict[str, Record]:
    """Records by image, of which no two may be of the same one."""
    records = [record for split in splits.values() for record in split]
    found = {record.filename: record for record in records}
    assert len(found) == len(records)
    return found


def fingerprint(folder: Path) -> dict[str, str]:
    """SHA-256 of every file in a folder; there must be no folder in it."""
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.iterdir())}


def manifest(folder: Path) -> dict[str, Any]:
    values: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    return values


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_csv(path: Path, rows: Iterable[Sequence[str]], header: Sequence[str] = ()) -> Path:
    """A CSV in ``path``, whose folder is made when it is not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if header:
            writer.writerow(header)
        writer.writerows(rows)
    return path


def jpeg(seed: int = 0, width: int = 24, height: int = 16, comment: bytes = b"") -> bytes:
    """A small picture, another one for each seed."""
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "JPEG", comment=comment)
    return file.getvalue()


MISSING = ("TRAIN", "missing.jpg", "a")


def image_list(folder: Path, count: int = 12, marked: Mapping[int, bytes] | None = None) -> Path:
    """A CSV of ``count`` images, all of them TRAIN, labels a and b in turn, with a header.

    Args:
      folder: that list and images go to.
      marked: number of an image -> comment that it carries.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for number in range(count):
        name = f"{number:03}.jpg"
        (folder / name).write_bytes(jpeg(number, comment=(marked or {}).get(number, b"")))
        rows.append(("TRAIN", name, "ab"[number % 2]))
    return write_csv(folder / "list.csv", rows, ("split", "image_uri", "label"))


def with_bad_rows(csv: Path, *rows: tuple[str, str, str]) -> Path:
    """The list with more rows at its end."""
    with csv.open("a") as file:
        file.writelines(",".join(row) + "\n" for row in rows)
    return csv
