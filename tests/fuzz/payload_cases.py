"""Hostile TFRecords and payloads through `inspect`, `verify` and `load`.

They end as they may, whatever is in them. What `tf.io.parse_example` refuses, or reads otherwise than
protobuf, `verify` says before any feed; and what it calls right in a dataset of tfrec whose checksums are all
right can be loaded.
"""

from __future__ import annotations

import gzip
import random
import shutil
import struct
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from payloads import payloads
from verifying import features_of, framed, masked, split_frames

from fuzz import judging
from fuzz.damage import BYTES
from fuzz.datasets import make_datasets, save_files, with_record
from fuzz.outcome import BLAMED, BUG, CRASH, HANG, HARMLESS, REPORTED, UNREPORTED, Outcome
from fuzz.own_payloads import quirky, tensor
from fuzz.peer import Died, Hung, Raised
from fuzz.pictures import claims
from fuzz.running import Lane
from fuzz.subject import Done
from tfrecordcli.formats.example import encode_example

_SECONDS = 60.0
# What a record without any image or label may be told besides.
_OTHERS = frozenset({"gzip_unnamed", "class_mix", "duplicate_image", "label_text", "label_unknown"})
_PRODUCTS = (
    (),
    ("--json",),
    ("--parse-fn",),
    ("--export", "export"),
    ("--sheet", "sheet.png"),
    ("--max-records", "1"),
)


class Payloads:
    name = "payloads"

    def prepare(self, folder: Path, seed: int, count: int) -> None:
        self._seed = seed
        self._dataset = make_datasets(folder)["plain"]
        name = min(name for name in self._dataset if name.endswith(".tfrecord"))
        self._features = features_of(split_frames(self._dataset[name])[0])
        self._stream = _Stream(seed)

    def trial(self, lane: Lane, number: int) -> Outcome:
        random_ = random.Random(f"{self._seed} payloads {number}")
        ways: dict[Callable[[Lane, int, random.Random, Path], Outcome], float] = {
            self._record: 80,
            self._framing: 12,
            self._tensor: 3,
            self._in_dataset: 3,
            self._claim: 0.5,
        }
        (way,) = random_.choices(list(ways), list(ways.values()))
        folder = lane.folder / f"case-{number}"
        try:
            return way(lane, number, random_, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _record(self, lane: Lane, number: int, random_: random.Random, folder: Path) -> Outcome:
        payload = self._stream.take(number)
        done = _look(lane, framed(payload), random_, folder, "a record")
        if isinstance(done, Outcome):
            return done
        verdict = judging.ask_witness(lane.witness, "parse_verdict", payload, seconds=_SECONDS)
        files = {"payload": payload}
        if isinstance(verdict, str):
            return Outcome(REPORTED if done.code else CRASH, "a record", verdict, files)
        departure, has_features = verdict
        codes = done.json["problem_counts"].keys() - _OTHERS
        if departure and not codes:
            return Outcome(UNREPORTED, f"a record: {departure}", departure, files)
        if not departure and has_features and "not_an_example" in codes:
            return Outcome(BLAMED, "a record", "both parsers read it, and it is called no Example", files)
        return Outcome(REPORTED if departure else HARMLESS, "a record")

    def _tensor(self, lane: Lane, number: int, random_: random.Random, folder: Path) -> Outcome:
        payload = tensor(random_)
        done = _look(lane, framed(payload) * 3, random_, folder, "a tensor")
        if isinstance(done, Outcome):
            return done
        if done.code:
            return Outcome(REPORTED, "a tensor")
        return Outcome(UNREPORTED, "a tensor", "it is called right", {"payload": payload})

    def _framing(self, lane: Lane, number: int, random_: random.Random, folder: Path) -> Outcome:
        data = _hostile_frames(self._stream.take(number), random_)
        done = _look(lane, data, random_, folder, "frames")
        return done if isinstance(done, Outcome) else Outcome(REPORTED if done.code else HARMLESS, "frames")

    def _claim(self, lane: Lane, number: int, random_: random.Random, folder: Path) -> Outcome:
        sides = random_.choice([(65_535, 65_535), (9_400, 9_400), (20_000, 20_000)])
        name, image = random_.choice(list(claims(*sides).items()))
        what = f"a {name} that claims {sides[0]} x {sides[1]}"
        records = [{"image/encoded": [image], "image/class/label": [0]}, self._features]
        data = b"".join(framed(encode_example(features)) for features in records)
        lane.subject.end()  # its peak is that of all that went before
        done = _look(lane, data, random_, folder, what)
        if isinstance(done, Outcome):
            return done
        if done.json["records"] != 2:
            return Outcome(
                UNREPORTED, what, f"{done.json['records']} of 2 records are counted", {"file": data}
            )
        return Outcome(REPORTED if done.code else UNREPORTED, what, "it is called right", {"file": data})

    def _in_dataset(self, lane: Lane, number: int, random_: random.Random, folder: Path) -> Outcome:
        what = "a record of a dataset"
        payload = quirky(_tampered(self._features, random_), random_)
        files = with_record(self._dataset, payload)
        save_files(files, folder)
        arguments = "verify", str(folder), "--no-feed", "--json"
        done = judging.ask_command(lane.subject, *arguments, seconds=_SECONDS)
        outcome = (
            _feed(lane, folder, done, what)
            if isinstance(done, Done)
            else judging.contained(done, what, arguments)
        )
        kept = files if outcome.is_failure else {}
        return Outcome(outcome.verdict, what, outcome.detail, {**kept, **outcome.files})


def _feed(lane: Lane, folder: Path, done: Done, what: str) -> Outcome:
    """Takes the dataset with TensorFlow, as `verify` does and as users do."""
    if failure := judging.wrong_end(done, what, allowed=(0, 1, 2)):
        return failure
    try:
        fed = lane.witness.ask("feed", str(folder), seconds=2 * _SECONDS)
        loaded = lane.witness.ask("load_all", str(folder), seconds=2 * _SECONDS)
    except Raised as error:
        return Outcome(BUG, what, str(error).strip().rpartition("\n")[2])
    except Hung as error:
        return Outcome(HANG, what, str(error))
    except Died as error:
        return Outcome(REPORTED if done.code else CRASH, what, str(error))
    if fed.code == 70:
        return Outcome(BUG, what, fed.err.strip().rpartition("\n")[2], {"traceback.txt": fed.err.encode()})
    if done.code == 0 and (fed.code or loaded):
        return Outcome(UNREPORTED, what, f"only the feed tells: exit {fed.code}; load: {loaded or 'right'}")
    return Outcome(REPORTED if done.code else HARMLESS, what)


def _look(lane: Lane, data: bytes, random_: random.Random, folder: Path, what: str) -> Done | Outcome:
    """Verifies and inspects a file; what verify said, or how one of them ended as it may not."""
    is_gzip = random_.random() < 0.1
    path = folder / ("a.tfrecord.gz" if is_gzip else "a.tfrecord")
    folder.mkdir()
    path.write_bytes(gzip.compress(data, 1) if is_gzip else data)
    where = str(random_.choice([folder, path]))
    products = [
        str(folder / word) if word in ("export", "sheet.png") else word for word in random_.choice(_PRODUCTS)
    ]
    found = None
    for arguments in (("inspect", where, *products), ("verify", where, "--no-feed", "--json")):
        done = judging.ask_command(lane.subject, *arguments, seconds=_SECONDS)
        failure: Outcome | None
        if isinstance(done, Outcome):
            failure = judging.contained(done, what, arguments)
        else:
            failure = judging.wrong_end(done, what, allowed=(0, 1, 2))
        if failure:
            detail = f"{arguments[0]} {' '.join(products)}: {failure.detail}"
            return Outcome(failure.verdict, what, detail, {path.name: path.read_bytes(), **failure.files})
        found = done
    assert isinstance(found, Done)
    return found


def _hostile_frames(payload: bytes, random_: random.Random) -> bytes:
    """Frames that lie about their length, under right or wrong checksums, and what follows them."""
    frames = [framed(payload)]
    for _ in range(random_.randrange(4)):
        length = struct.pack(
            "<Q", random_.choice([0, 1, len(payload), 1 << 20, 1 << 31, 1 << 40, (1 << 64) - 1])
        )
        crc = struct.pack("<I", masked(length) ^ (random_.random() < 0.2))
        frames.insert(
            random_.randrange(len(frames) + 1), length + crc + payload + struct.pack("<I", masked(payload))
        )
    data = b"".join(frames)
    return BYTES[random_.choice(list(BYTES))](data, random_) if random_.random() < 0.5 else data


def _tampered(features: dict[str, list[object]], random_: random.Random) -> dict[str, list[object]]:
    """Features of a record of ours, seldom as they should be."""
    changed = dict(features)
    for key in features:
        chance = random_.random()
        if chance < 0.04:
            del changed[key]
        elif chance < 0.08:
            changed[key] = random_.choice([[], [0], [1.5], [b"x"], [b"\xff\xfe"], [*features[key]] * 2])
    return changed


class _Stream:
    """Payloads by number, from a generator that gives them one after another."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._lock = threading.Lock()
        self._open()

    def _open(self) -> None:
        self._next = 0
        self._ahead: dict[
            int, bytes
        ] = {}  # of numbers that another lane has not asked for yet, or never asks for
        self._items: Iterator[bytes] = iter(payloads(self._seed, 1 << 31))

    def take(self, number: int) -> bytes:
        with self._lock:
            if number in self._ahead:
                return self._ahead.pop(number)
            if number < self._next:
                self._open()
            while True:
                found, at = next(self._items), self._next
                self._next += 1
                if at == number:
                    return bytes(found)
                self._ahead[at] = bytes(found)
