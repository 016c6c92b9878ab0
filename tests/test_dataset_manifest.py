"""The manifest's checksum: that of its JSON text, however large its maps are."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator
from operator import itemgetter
from pathlib import Path
from typing import Any

import google_crc32c
import pytest
from converting import image_list, tfrec

from tfrecordcli.dataset.manifest import parse_manifest
from tfrecordcli.dataset.manifest_file import (
    DamagedManifest,
    load_manifest,
    manifest_checksum,
    write_manifest,
)
from tfrecordcli.errors import OutputError
from tfrecordcli.formats.typed_json import MismatchError


def of_whole_text(values: dict[str, Any]) -> str:
    text = "".join(json.dumps(entry) for entry in values.items() if entry[0] != "checksum")
    return f"{google_crc32c.value(text.encode()):08x}"


@pytest.mark.parametrize(
    "value",
    [
        "é",
        [1, {"b": 2.5}],
        {},
        {"empty": {}},
        {"a": {"b": {"c": 1}}, "d": None},
        {str(number): number for number in range(1_000)},
        {"train": {"labels": dict.fromkeys(range(2500), 1), "records": 3}, "e": True},
        {f"k{number}": {"x": number} if number % 999 == 0 else number for number in range(3_001)},
    ],
    ids=["text", "list", "empty", "inner empty", "nested", "one batch", "numbers as keys", "mixed"],
)
def test_the_checksum_is_that_of_the_whole_text(value: Any) -> None:
    values = {"first": 1, "value": value, "checksum": "left out"}
    assert manifest_checksum(values) == of_whole_text(values)


def written(folder: Path, **more: Any) -> dict[str, Any]:
    """A manifest of two splits with label counts, and one without, in a folder."""
    none = {"rows": 1, "records": 0, "rejected": 1, "merged": 0, "discarded": 0, "shards": 0, "bytes": 0}
    counts = {**none, "rows": 2, "records": 2, "rejected": 0, "digest": "0" * 16, "labels": {"0": 1, "12": 1}}
    values: dict[str, Any] = {
        "schema_version": 1, "identity": "é", "rows": 5, "records": 5,
        "options": {"read": {"columns": []}, "shard": {"index": False, "compression": "none"}},
        "splits": {"train": counts, "validation": counts, "none": none},
        "label_kind": "id", "num_labels": 2, "labels": {"0": 0, "12": 12}, "reasons": {}, "notes": {},
        "warnings": ["ü"],
    }  # fmt: skip
    values |= more
    values["checksum"] = manifest_checksum(values)
    write_manifest(folder, values, folder)
    return values


@pytest.mark.parametrize("indent", [None, 0, 2, 4, 8, "\t"])
def test_label_counts_are_left_out_however_it_is_laid_out(tmp_path: Path, indent: Any) -> None:
    values = written(tmp_path)
    (tmp_path / "manifest.json").write_text(json.dumps(values, indent=indent, ensure_ascii=indent is None))
    assert load_manifest(tmp_path) == parse_manifest(values)
    lean = load_manifest(tmp_path, label_counts=False)
    for split in ("train", "validation"):
        values["splits"][split]["labels"] = {}
    assert lean == parse_manifest(values)


@pytest.mark.parametrize("label_counts", [True, False])
@pytest.mark.parametrize(
    "edit", [('"records": 5', '"records": 6'), ('"12": 1\n', '"12": 2\n'), ('"12": 12', '"12": 13'),
             ('"ü"', '"u"'), ('"é"', "1"), ('"rows": 1', '"rows": 0'), ('"splits"', '"spli"')],
    ids=itemgetter(0),
)  # fmt: skip
def test_an_edited_manifest_is_told(tmp_path: Path, label_counts: bool, edit: tuple[str, str]) -> None:
    written(tmp_path)
    path = tmp_path / "manifest.json"
    assert load_manifest(tmp_path, label_counts=label_counts)
    path.write_text(path.read_text().replace(*edit, 1))
    with pytest.raises(DamagedManifest, match="damaged, or was edited"):
        load_manifest(tmp_path, label_counts=label_counts)


def test_a_manifest_of_a_newer_tfrec_is_told(tmp_path: Path) -> None:
    written(tmp_path, schema_version=2, splits=[])
    with pytest.raises(OutputError, match="newer tfrec"):
        load_manifest(tmp_path)


def test_label_counts_that_are_left_out_are_never_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path)
    parsed = []
    real = json.loads
    monkeypatch.setattr(json, "loads", lambda text: parsed.append(text) or real(text))
    assert load_manifest(tmp_path, label_counts=False)
    (text,) = parsed
    assert '"12": 1\n' not in text
    assert '"12": 12' in text


def test_every_value_of_another_type_is_none_of_a_manifest(tmp_path: Path) -> None:
    """All of what `test_verify_flips.py` tries at random, of the parser alone."""
    source = image_list(tmp_path / "in", 3)
    assert tfrec("convert", source, tmp_path / "out").code == 0
    text = (tmp_path / "out" / "manifest.json").read_text(encoding="utf-8")
    for place in _places(json.loads(text)):
        for value in (None, True, -1, 0.5, "", "x", [], {}, [1], {"a": "b"}):
            values = json.loads(text)
            node = values
            for key in place[:-1]:
                node = node[key]
            node[place[-1]] = value
            with contextlib.suppress(MismatchError):  # anything else is a bug
                parse_manifest(values)


def _places(node: Any) -> Iterator[tuple[Any, ...]]:
    """The keys that lead to each value."""
    keys: Iterable[Any] = node.keys() if isinstance(node, dict) else range(len(node))
    for key in keys:
        yield (key,)
        if isinstance(node[key], (dict, list)):
            yield from ((key, *place) for place in _places(node[key]))
