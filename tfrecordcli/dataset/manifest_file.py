"""The file manifest.json: written last, under a checksum of what it says, and read back."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final

import google_crc32c

from tfrecordcli.dataset.manifest import Manifest, parse_manifest
from tfrecordcli.errors import OutputError
from tfrecordcli.formats.typed_json import MismatchError
from tfrecordcli.naming import MANIFEST
from tfrecordcli.schema import SCHEMA_VERSION
from tfrecordcli.storage.files import is_no_file, open_binary, read_regular
from tfrecordcli.storage.store_path import Place
from tfrecordcli.storage.writing import whole_file

# A line of `write_manifest` that says how many records of a split have a label.
_LABEL_COUNT: Final = re.compile(rb' {8}"\d+": \d+,?\s*')


class DamagedManifest(OutputError):
    """A manifest that tfrec wrote, but not as it is."""


def manifest_checksum(values: Mapping[str, Any]) -> str:
    """CRC32C of what a manifest says, however it is laid out: 8 hex digits; its own entry is left out."""
    crc = 0
    for name, value in values.items():
        if name != "checksum":
            for piece in chain([f"[{json.dumps(name)}, "], _json_pieces(value), "]"):
                crc = google_crc32c.extend(crc, piece.encode())
    return f"{crc:08x}"


def _json_pieces(value: Any) -> Iterator[str]:
    """The text of `json.dumps`, some entries at a time: a million labels are never one text."""
    if not isinstance(value, Mapping):
        yield json.dumps(value)
        return
    if isinstance(value, _LabelCounts):
        yield f"{{{value.text.decode()}}}"
        return
    entries = iter(value.items())
    before = "{"
    while some := dict(islice(entries, 1_000)):
        if any(isinstance(inner, Mapping) for inner in some.values()):
            for key, inner in some.items():
                yield f"{before}{json.dumps(key)}: "
                yield from _json_pieces(inner)
                before = ", "
        else:
            yield before + json.dumps(some)[1:-1]
            before = ", "
    yield "}" if value else "{}"


def write_manifest(folder: Place, values: Mapping[str, Any], temporary: Path) -> None:
    """Writes manifest.json in one step; from then on the dataset is complete."""
    with whole_file(folder / MANIFEST, temporary) as file:
        file.writelines(json.JSONEncoder(indent=2, ensure_ascii=False).iterencode(values))
        file.write("\n")


def load_manifest(folder: Place, *, label_counts: bool = True) -> Manifest | None:
    """A folder's manifest.json, or None when there is none.

    Args:
      label_counts: False leaves out how many records of each split have which label: of a million labels
        that is more than all the rest.

    Raises:
      DamagedManifest: its content differs from its checksum.
      OutputError: a file of that name, but not ours, or one of a newer tfrec.
    """
    path = folder / MANIFEST
    try:
        values, is_whole = _read_manifest(path, label_counts)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (ValueError, RecursionError):
        values, is_whole = None, False
    except OSError as error:
        if not is_no_file(error):
            raise
        values, is_whole = None, False
    if not isinstance(values, dict) or not {"identity", "checksum"} <= values.keys():
        raise OutputError(
            f"{path}: this is no manifest of tfrec", "move it away or choose another output directory"
        )
    version = values.get("schema_version")
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise OutputError(
            f"{path}: this dataset was written by a newer tfrec",
            "update: pip install -U tfrecordcli",
            code="newer",
        )
    try:
        if not is_whole:
            raise MismatchError("its content differs from its checksum")
        return parse_manifest(values)
    except MismatchError as error:
        raise DamagedManifest(
            f"{path}: the manifest is damaged, or was edited: {error}",
            "tfrec verify shows what is wrong; tfrec convert --overwrite makes the dataset again",
        ) from None


def _is_whole(values: Any) -> bool:
    return isinstance(values, dict) and values.get("checksum") == manifest_checksum(values)


class _LabelCounts(dict[str, int]):
    """The label counts of a split that are left out: empty, and their JSON text for the checksum."""

    text = b""


def _read_manifest(path: Place, label_counts: bool) -> tuple[Any, bool]:
    """What is in the file, and whether it is as it was written."""
    values: Any = None
    is_whole = False
    if not label_counts:
        with open_binary(path) as lines, contextlib.suppress(ValueError):
            values = _without_counts(lines)
            is_whole = _is_whole(values)
    if not is_whole:  # reformatted by somebody, say
        values = json.loads(read_regular(path))
        is_whole = _is_whole(values)
    if is_whole and not label_counts:
        for counts in _splits_of(values):
            counts["labels"] = {}
    return values, is_whole


def _without_counts(lines: Iterable[bytes]) -> Any:
    """The values of a manifest's lines, as `write_manifest` lays them out."""
    data = bytearray()
    texts: list[bytearray] = []
    is_count = False
    for line in lines:
        was_count, is_count = is_count, _LABEL_COUNT.fullmatch(line) is not None
        if not is_count:
            data += line
        elif was_count:
            texts[-1] += b" " + line.strip()
        else:
            data += b'"": %d\n' % len(texts)
            texts.append(bytearray(line.strip()))
    values = json.loads(data.decode())
    data.clear()
    for counts in _splits_of(values):
        place = counts["labels"]
        if isinstance(place, dict) and place.keys() == {""}:
            counts["labels"] = _LabelCounts()
            counts["labels"].text = bytes(texts[place[""]])
    return values


def _splits_of(values: Any) -> list[dict[str, Any]]:
    """What a manifest says of those splits that have label counts."""
    splits = values.get("splits") if isinstance(values, dict) else None
    found = splits.values() if isinstance(splits, dict) else ()
    return [counts for counts in found if isinstance(counts, dict) and "labels" in counts]
