"""What makes two conversions the same, and what sets them apart."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tfrecordcli.dataset.labels import LabelMap, read_labels_file
from tfrecordcli.options import ConvertOptions
from tfrecordcli.schema import SCHEMA_VERSION
from tfrecordcli.sources.source import Source
from tfrecordcli.storage.uris import public_uri


@dataclass(frozen=True, slots=True)
class Identity:
    """What decides which bytes a conversion writes.

    Attributes:
      source: digest of the source.
      options: those that decide what is written, as JSON; a labels file counts by its content.
    """

    source: str
    options: Mapping[str, Any]

    @property
    def digest(self) -> str:
        """SHA-256 over all of it, hexadecimal."""
        # The label folder decides which rows a folder has, so it is in the digest of the source already.
        options = {
            group: {name: value for name, value in values.items() if name != "label_folder"}
            for group, values in self.options.items()
        }
        text = json.dumps([SCHEMA_VERSION, self.source, options], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def changes_since(self, digest: str, options: Mapping[str, Any]) -> str:
        """What is other than in the conversion of that digest and those options; empty when nothing is."""
        if digest == self.digest:
            return ""
        changed = _changed_options(options, self.options)
        if Identity(self.source, options).digest != digest:
            changed.insert(0, "the source")
        return ", ".join(changed)


def identity_of(source: Source, options: ConvertOptions) -> Identity:
    """The identity of a conversion; reads the labels file, if there is one.

    Raises:
      what `read_labels_file` raises.
    """
    return Identity(source.digest, _lasting_options(options, fixed_labels(options)))


def fixed_labels(options: ConvertOptions) -> LabelMap | None:
    """The vocabulary that the user fixed, or None."""
    if options.read.labels_file is None:
        return None
    return read_labels_file(options.read.labels_file, options.read.label_type)


def _lasting_options(options: ConvertOptions, labels: LabelMap | None) -> dict[str, Any]:
    chosen = {
        "read": dataclasses.asdict(options.read),
        "image": dataclasses.asdict(options.image),
        "shard": dataclasses.asdict(options.shard),
    }
    if options.read.image_root is not None:  # the manifest is for everybody
        chosen["read"]["image_root"] = public_uri(options.read.image_root)
    if labels is not None:
        chosen["read"]["labels_file"] = hashlib.sha256(labels.text().encode()).hexdigest()
    as_json: dict[str, Any] = json.loads(json.dumps(chosen))
    return as_json


def _changed_options(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """The options, as the command line calls them, whose values differ."""
    return [
        "--" + ("labels" if name == "labels_file" else name.replace("_", "-"))
        for group in now
        for name in now[group]
        if before.get(group, {}).get(name) != now[group][name]
    ]
