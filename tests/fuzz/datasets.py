"""Small finished datasets, and one of them written again so that all of its checksums are right."""

from __future__ import annotations

import dataclasses
import json
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import google_crc32c
from converting import jpeg, write_csv
from test_images_samples import encode, photo
from verifying import features_of, framed, masked, split_frames

from fuzz.judging import real_command
from tfrecordcli.dataset.checksummed_json import sum_of
from tfrecordcli.dataset.manifest_file import manifest_checksum
from tfrecordcli.formats.digest import add_digests, record_digest

Files = dict[str, bytes]
OURS = ("plain", "gzip", "rejects")
FOREIGN = ("foreign", "foreign gzip", "bgzip", "tfds")
_EMPTY_MEMBER = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")


def load_files(folder: Path) -> Files:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def save_files(files: Mapping[str, bytes], folder: Path) -> None:
    folder.mkdir(parents=True)
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def make_datasets(folder: Path) -> dict[str, Files]:
    """Each of `OURS` and `FOREIGN`, as name -> bytes."""
    csv = _image_list(folder)
    how = {
        "plain": ("--num-shards", "train=2,validation=1,test=1", "--index"),
        "gzip": ("--num-shards", "train=2,validation=1,test=1", "--compression", "gzip"),
        "rejects": ("--num-shards", "train=1,validation=1,test=1", "--exif", "keep"),
    }
    for name, options in how.items():
        source = _with_rejects(csv) if name == "rejects" else csv
        done = real_command(
            "convert", source, folder / name, *options, "--workers", "1", "--max-rejects", "9"
        )
        assert done.code == 0, done.err
    found = {name: load_files(folder / name) for name in how}
    records = {
        name: split_frames(data) for name, data in found["plain"].items() if name.endswith(".tfrecord")
    }
    return found | _foreign([frame for frames in records.values() for frame in frames])


def _image_list(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for number in range(12):
        data = jpeg(number, width=16 + number)
        if number % 4 == 1:
            data = encode(photo(18, 14, number).convert(("L", "RGBA", "P")[number // 4]), "PNG")
        elif number % 4 == 2:
            data = encode(photo(18, 14, number), "JPEG", progressive=True)
        (folder / f"{number}.img").write_bytes(data)
        split = "TEST" if number == 11 else "VALIDATION" if number >= 9 else "TRAIN"
        rows.append((split, f"{number}.img", ("cat", "dög", "hen")[number % 3]))
    return write_csv(folder / "list.csv", rows, ("split", "image_uri", "label"))


def _with_rejects(csv: Path) -> Path:
    (csv.parent / "broken.jpg").write_bytes(jpeg(1)[:200])
    path = csv.with_name("list-with-rejects.csv")
    path.write_text(csv.read_text() + "TRAIN,missing.jpg,cat\nTEST,broken.jpg,dög\nTRAIN,0.img,\n")
    return path


# --- of other programs ---


def member(data: bytes) -> bytes:
    """One gzip member."""
    squeezer = zlib.compressobj(6, zlib.DEFLATED, 31)
    return squeezer.compress(data) + squeezer.flush()


def block_gzip(data: bytes, size: int = 700) -> bytes:
    """As bgzip writes: members of some bytes each, and an empty one at the end."""
    parts = [member(data[at : at + size]) for at in range(0, len(data), size)]
    return b"".join([*parts, _EMPTY_MEMBER])


def _foreign(frames: Sequence[bytes]) -> dict[str, Files]:
    halves = b"".join(frames[:6]), b"".join(frames[6:])
    info = {"name": "d", "version": "1.0.0", "fileFormat": "tfrecord"}
    split = {"name": "train", "filepathTemplate": "{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}"}
    splits = [{**split, "numBytes": str(sum(map(len, halves))), "shardLengths": ["6", str(len(frames) - 6)]}]
    feature = {"pythonClassName": "tensorflow_datasets.core.features.features_dict.FeaturesDict"}
    return {
        "foreign": {"a.tfrecord": halves[0], "b.tfrecord": halves[1]},
        "foreign gzip": {"a.tfrecord.gz": member(halves[0]), "b.tfrecord.gz": member(halves[1])},
        "bgzip": {"a.tfrecord.gz": block_gzip(halves[0]), "b.tfrecord.gz": block_gzip(halves[1])},
        "tfds": {
            "d-train.tfrecord-00000-of-00002": halves[0],
            "d-train.tfrecord-00001-of-00002": halves[1],
            "dataset_info.json": json.dumps(info | {"splits": splits}, indent=2).encode(),
            "features.json": json.dumps(feature, indent=2).encode(),
        },
    }


def shard_lengths(files: Mapping[str, bytes]) -> list[int] | None:
    """How many records the files of a TFDS folder hold, as its metadata say; None when they do not."""
    try:
        (split,) = json.loads(files["dataset_info.json"])["splits"]
        lengths = split["shardLengths"]
        return [int(length) for length in lengths] if all(str(n).isdecimal() for n in lengths) else None
    except (KeyError, TypeError, ValueError):
        return None


# --- all checksums right ---


def resealed(files: Mapping[str, bytes], name: str, frames: Sequence[bytes]) -> Files:
    """A plain dataset one shard of which holds other records, as if its writer had meant it so."""
    values = json.loads(files["manifest.json"])
    lines = [json.loads(line) for line in files["shards.jsonl"].splitlines()]
    data = b"".join(frames)
    changed = dict(files) | {name: data}
    changed.pop(name + ".idx", None)
    values["options"]["shard"]["index"] = False
    for line in lines:
        changed.pop(line["file"] + ".idx", None)
        if line["file"] == name:
            line |= {"records": len(frames), "planned": len(frames) + line["rejected"], "bytes": len(data)}
            line["crc32c"] = f"{google_crc32c.value(data):08x}"
            line["last_record_crc32c"] = f"{masked(frames[-1][12:-4]):08x}"
            line["digest"] = f"{_digest(frames):016x}"
    for split, counts in values["splits"].items():
        _reseal_split(counts, [line for line in lines if line["split"] == split], changed)
    values["records"] = sum(counts["records"] for counts in values["splits"].values())
    values["rows"] = sum(counts["rows"] for counts in values["splits"].values())
    changed["shards.jsonl"] = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    values["files"]["shards.jsonl"] = dataclasses.asdict(sum_of(changed["shards.jsonl"]))
    values["checksum"] = manifest_checksum(values)
    changed["manifest.json"] = json.dumps(values, indent=2).encode() + b"\n"
    return changed


def _digest(frames: Sequence[bytes]) -> int:
    digest = 0
    for frame in frames:
        digest = add_digests(digest, record_digest(frame[12:-4]))
    return digest


def _reseal_split(counts: dict[str, object], lines: Sequence[Mapping[str, int]], files: Files) -> None:
    digest, labels, numbers = 0, Counter[str](), set[int]()
    for line in lines:
        digest = add_digests(digest, int(str(line["digest"]), 16))
        for frame in split_frames(files[str(line["file"])]):
            found = _labels(frame)
            labels.update(found)
            numbers.add(len(found))
    records = sum(line["records"] for line in lines)
    others = sum(int(str(counts[outcome])) for outcome in ("rejected", "merged", "discarded"))
    counts |= {"records": records, "rows": records + others, "bytes": sum(line["bytes"] for line in lines)}
    counts |= {"digest": f"{digest:016x}", "labels": dict(sorted(labels.items()))}
    counts["labels_per_record"] = [min(numbers), max(numbers)] if numbers else None


def _labels(frame: bytes) -> set[str]:
    try:
        return {str(label) for label in features_of(frame).get("image/class/label", [])}
    except ValueError:
        return set()


def with_record(files: Mapping[str, bytes], payload: bytes) -> Files:
    """A plain dataset whose second training record is this payload, all checksums right."""
    name = min(name for name in files if name.startswith("train-") and name.endswith(".tfrecord"))
    frames = split_frames(files[name])
    return resealed(files, name, [frames[0], framed(payload), *frames[2:]])
