"""Ways in which a dataset is spoilt beyond its bytes: files, records, gzip members, side files."""

from __future__ import annotations

import gzip
import json
import random
import zlib
from collections.abc import Callable, Mapping
from typing import Any

from verifying import features_of, framed, split_frames

from fuzz.damage import BYTES
from fuzz.datasets import Files, block_gzip, member
from tfrecordcli.formats.example import encode_example

# Changes files in place; returns what it did, or "" when there is nothing that it fits.
Tamper = Callable[[Files, random.Random], str]


def shards_of(files: Mapping[str, bytes]) -> list[str]:
    return [name for name in files if ".tfrecord" in name and not name.endswith(".idx")]


def _side_files(files: Mapping[str, bytes]) -> list[str]:
    return [name for name in files if name not in shards_of(files)]


def class_of(name: str) -> str:
    """What a file is, in a word: failures are counted by it."""
    if name.endswith(".idx"):
        return "an index"
    return ("a gzip shard" if name.endswith(".gz") else "a shard") if ".tfrecord" in name else name


def _one(names: list[str], random_: random.Random) -> str:
    """A name; side files as often as shards."""
    classes = sorted({class_of(name) for name in names})
    chosen = random_.choice(classes)
    return random_.choice([name for name in names if class_of(name) == chosen])


def spoil_bytes(files: Files, random_: random.Random) -> str:
    name = _one(list(files), random_)
    if random_.random() < 0.4:
        name = random_.choice(shards_of(files))
    how = random_.choice(list(BYTES))
    files[name] = BYTES[how](files[name], random_)
    return f"{how} in {class_of(name)}"


# --- whole files ---


def delete(files: Files, random_: random.Random) -> str:
    name = _one(list(files), random_)
    del files[name]
    return f"{class_of(name)} deleted"


def swap(files: Files, random_: random.Random) -> str:
    if len(shards_of(files)) < 2:
        return ""
    first, second = random_.sample(shards_of(files), 2)
    files[first], files[second] = files[second], files[first]
    if random_.random() < 0.5 and first + ".idx" in files:
        names = first + ".idx", second + ".idx"
        files[names[0]], files[names[1]] = files[names[1]], files[names[0]]
    return "shards swapped"


def copy_over(files: Files, random_: random.Random) -> str:
    first, second = _one(list(files), random_), _one(list(files), random_)
    if files[first] == files[second]:
        return ""
    files[second] = files[first]
    return f"{class_of(first)} copied over {class_of(second)}"


def duplicate(files: Files, random_: random.Random) -> str:
    name = random_.choice(shards_of(files))
    kind = name[name.index(".tfrecord") :]
    new = random_.choice([f"train-00007-of-00008{kind}", f"copy{kind}", f"old-{name}", f"a/{name}"])
    files[new] = files[name]
    return f"a shard copied as {'another folder' if '/' in new else new.partition('-')[0]}"


def rename(files: Files, random_: random.Random) -> str:
    name = _one(list(files), random_)
    new = random_.choice([name + ".bak", name.upper(), "x" + name, name.replace("train", "test")])
    if new in files:
        return ""
    files[new] = files.pop(name)
    return f"{class_of(name)} renamed"


def other_compression(files: Files, random_: random.Random) -> str:
    name = _one(list(files), random_)
    try:
        files[name] = gzip.decompress(files[name]) if files[name][:2] == b"\x1f\x8b" else member(files[name])
    except (OSError, EOFError, zlib.error):
        return ""
    return f"{class_of(name)} compressed or unpacked"


# --- records ---


def _stream(data: bytes) -> list[bytes] | None:
    """The frames of a shard; None when it is not whole."""
    try:
        return split_frames(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    except (OSError, EOFError, zlib.error, AssertionError):
        return None


def _change_frames(files: Files, random_: random.Random, change: Callable[[list[bytes]], str]) -> str:
    name = random_.choice(shards_of(files))
    frames = _stream(files[name])
    if not frames:
        return ""
    what = change(frames)
    data = b"".join(frames)
    files[name] = member(data) if files[name][:2] == b"\x1f\x8b" else data
    return what


def _drop(frames: list[bytes], random_: random.Random) -> str:
    del frames[random_.choice([-1, random_.randrange(len(frames))])]
    return "a record dropped"


def _double(frames: list[bytes], random_: random.Random) -> str:
    frames.insert(random_.randrange(len(frames) + 1), random_.choice(frames))
    return "a record doubled"


def _swap_records(frames: list[bytes], random_: random.Random) -> str:
    first, second = random_.randrange(len(frames)), random_.randrange(len(frames))
    frames[first], frames[second] = frames[second], frames[first]
    return "records swapped"


def _put_in_place(frames: list[bytes], random_: random.Random) -> str:
    frames[random_.randrange(len(frames))] = random_.choice(frames)
    return "a record in the place of another"


def _cut_at_record(frames: list[bytes], random_: random.Random) -> str:
    del frames[random_.randrange(len(frames)) :]
    return "cut between records"


def _spoil_payload(frames: list[bytes], random_: random.Random) -> str:
    at = random_.randrange(len(frames))
    how = random_.choice([how for how in BYTES if how != "emptied"])
    frames[at] = framed(BYTES[how](frames[at][12:-4], random_))
    return f"{how} in a record, its checksum right"


_NEW: Mapping[str, Callable[[random.Random], Any]] = {
    "image/class/label": lambda random_: [random_.choice([0, 1, 2, 3, -1, 1 << 40])],
    "image/class/text": lambda random_: [random_.choice([b"cat", b"dog", b"\xff", b""])],
    "image/filename": lambda random_: [random_.choice([b"1.img", b"", b"\0"])],
    "image/height": lambda random_: [random_.randrange(99)],
    "image/width": lambda random_: [float(random_.randrange(99))],
    "image/encoded": lambda random_: [random_.randbytes(20)],
    "image/format": lambda random_: [random_.choice([b"png", b"jpeg", b"gif"])],
}


def _change_feature(frames: list[bytes], random_: random.Random) -> str:
    at = random_.randrange(len(frames))
    try:
        features = features_of(frames[at])
    except ValueError:
        return ""
    key = random_.choice(list(_NEW))
    if random_.random() < 0.2:
        features.pop(key, None)
    else:
        features[key] = _NEW[key](random_)
    frames[at] = framed(encode_example(features))
    return f"{key} of a record changed"


RECORDS = (_drop, _double, _swap_records, _put_in_place, _cut_at_record, _spoil_payload, _change_feature)


def change_records(files: Files, random_: random.Random) -> str:
    change = random_.choice(RECORDS)
    return _change_frames(files, random_, lambda frames: change(frames, random_))


def move_record(files: Files, random_: random.Random) -> str:
    if len(shards_of(files)) < 2:
        return ""
    first, second = random_.sample(shards_of(files), 2)
    source, target = _stream(files[first]), _stream(files[second])
    if (
        not source
        or target is None
        or (files[first][:2] == b"\x1f\x8b") != (files[second][:2] == b"\x1f\x8b")
    ):
        return ""
    target.append(source.pop())
    for name, frames in ((first, source), (second, target)):
        data = b"".join(frames)
        files[name] = member(data) if files[name][:2] == b"\x1f\x8b" else data
    return "a record moved to another shard"


# --- gzip ---


def change_members(files: Files, random_: random.Random) -> str:
    names = [name for name in shards_of(files) if files[name][:2] == b"\x1f\x8b"]
    if not names:
        return ""
    name = random_.choice(names)
    data = files[name]
    content = b"".join(_stream(data) or [])
    if not content:
        return ""
    at = random_.randrange(len(content))
    ways: dict[str, Callable[[], bytes]] = {
        "compressed again": lambda: gzip.compress(content, random_.randint(0, 9)),
        "in two members": lambda: member(content[:at]) + member(content[at:]),
        "in blocks": lambda: block_gzip(content, random_.choice([50, 300, 5000])),
        "with an empty member first": lambda: member(b"") + data,
        "with an empty member within": lambda: member(content[:at]) + member(b"") + member(content[at:]),
        "with empty members at the end": lambda: data + member(b"") * random_.randint(1, 3),
        "joined with another": lambda: data + files[random_.choice(names)],
        "two bgzip files joined": lambda: block_gzip(content[:at]) + block_gzip(content[at:]),
        "with zeros at its end": lambda: data + bytes(random_.randint(1, 600)),
        "compressed twice": lambda: member(data),
        "without its trailer": lambda: data[: -random_.randint(1, 8)],
    }
    how = random_.choice(list(ways))
    files[name] = ways[how]()
    return f"gzip {how}"


# --- side files ---


def change_lines(files: Files, random_: random.Random) -> str:
    names = [name for name in _side_files(files) if not name.endswith(".idx") and b"\n" in files[name]]
    if not names:
        return ""
    name = random_.choice(names)
    lines = files[name].splitlines(keepends=True)
    at = random_.randrange(len(lines))
    how = random_.choice(["dropped", "doubled", "swapped", "reversed", "sorted"])
    if how == "dropped":
        del lines[at]
    elif how == "doubled":
        lines.insert(at, lines[at])
    elif how == "swapped":
        other = random_.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    else:
        lines = lines[::-1] if how == "reversed" else sorted(lines)
    files[name] = b"".join(lines)
    return f"lines {how} in {name}"


_VALUES = (None, True, -1, 0, 3, 0.5, "", "x", "00000000", [], {}, [1], {"a": "b"}, 1 << 70, "../x")


def _places(node: Any) -> list[tuple[Any, Any]]:
    """(mapping or list, key) of every value in a JSON document."""
    found: list[tuple[Any, Any]] = []
    for key in node if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ():
        found += [(node, key), *_places(node[key])]
    return found


def change_value(files: Files, random_: random.Random) -> str:
    names = [name for name in files if name.endswith((".json", ".jsonl"))]
    if not names:
        return ""
    name = random_.choice(names)
    lines = files[name].splitlines() if name.endswith(".jsonl") else [files[name]]
    if not lines:
        return ""
    at = random_.randrange(len(lines))
    try:
        document = json.loads(lines[at])
    except ValueError:
        return ""
    if not (places := _places(document)):
        return ""
    holder, key = random_.choice(places)
    value = random_.choice(_VALUES)
    if isinstance(holder[key], int) and random_.random() < 0.5:
        value = holder[key] + random_.choice([-1, 1])
    holder[key] = value
    lines[at] = json.dumps(document).encode()
    files[name] = b"\n".join(lines) + b"\n"
    return f"a value changed in {name}"


WAYS: tuple[tuple[Tamper, int], ...] = (
    (spoil_bytes, 40),
    (delete, 4),
    (swap, 3),
    (copy_over, 4),
    (duplicate, 3),
    (rename, 4),
    (other_compression, 3),
    (change_records, 20),
    (move_record, 2),
    (change_members, 10),
    (change_lines, 6),
    (change_value, 8),
)


def tamper(files: Files, random_: random.Random) -> str:
    """Spoils a dataset in one way, which it names."""
    ways, weights = zip(*WAYS, strict=True)
    while True:
        (way,) = random_.choices(ways, weights)
        if what := way(files, random_):
            return what
