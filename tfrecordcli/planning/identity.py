"""What makes two conversions the same, and what sets them apart."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tfrecordcli.dataset.given_labels import read_given_labels
from tfrecordcli.dataset.label_names import read_label_names
from tfrecordcli.dataset.labels import LabelMap
from tfrecordcli.option_definition import Option, options_of
from tfrecordcli.options import ConvertOptions, ImageOptions, ReadOptions, ShardOptions
from tfrecordcli.sources.source import Source
from tfrecordcli.storage.uris import public_uri

# The groups of options that decide what is written.
_LASTING: Final[Mapping[str, type]] = {"read": ReadOptions, "image": ImageOptions, "shard": ShardOptions}
# The label folder decides which rows a folder has, so it is in the digest of the source.
_OF_SOURCE: Final = "label_folder"
# A dataset is complete whichever gate its images passed; the plan of an unfinished one says which it is.
_GATE: Final = "gate"
_NOT_COUNTED: Final = frozenset({_OF_SOURCE, _GATE})
_Groups = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Identity:
    """What decides which bytes a conversion writes.

    Attributes:
      source: digest of the source.
      options: those that decide what is written, as JSON; a labels file counts by its content.
    """

    source: str
    options: _Groups

    @property
    def digest(self) -> str:
        """SHA-256, hexadecimal, of the source and the options that are not at their default.

        So an option that this version does not have yet changes nothing for those who will not use it.
        """
        chosen = {
            option.name: value
            for option, value in _values(self.options)
            if option.name not in _NOT_COUNTED and value != _as_json(option.default)
        }
        return _sha256([self.source, chosen])

    def changes_since(self, digest: str, options: _Groups) -> str:
        """What is other than in the conversion of that digest and those options; empty when nothing is."""
        before = {option.name: value for option, value in _values(options)}
        changed = [option for option, value in _values(self.options) if before[option.name] != value]
        changed = [option for option in changed if option.name != _GATE]
        if digest in (Identity(self.source, options).digest, _earlier_digest(self.source, options)):
            return ", ".join(option.flag for option in changed if option.name != _OF_SOURCE)
        return ", ".join(("the source", *(option.flag for option in changed)))


def identity_of(source: Source, options: ConvertOptions) -> Identity:
    """The identity of a conversion; reads the labels file, if there is one.

    Raises:
      what `read_given_labels` raises.
    """
    return Identity(source.digest, _lasting_options(options, fixed_labels(source, options)))


def fixed_labels(source: Source, options: ConvertOptions) -> LabelMap | None:
    """The vocabulary that the user fixed, or None."""
    if options.read.labels_file is None:
        return _labels_in_order_of_ids(options, source.schema.first_id)
    return read_given_labels(options.read.labels_file, options.read.label_type, source.schema.first_id)


def _labels_in_order_of_ids(options: ConvertOptions, first_id: int) -> LabelMap | None:
    """The labels of a file of names by id, in the order of the ids; None without such a file."""
    path = options.read.label_names
    if path is None:
        return None
    names = read_label_names(path)
    in_order = names.in_order_of_ids()
    if in_order is None:
        return None
    ids = {name: number for number, name in enumerate(dict.fromkeys(in_order), first_id)}
    moved = next((code for code, name in names.names.items() if ids[name] != int(code)), None)
    if moved is None:
        return LabelMap("name", ids, path)
    name = names.names[moved]
    one = f"{name} {ids[name]} instead of {moved}"
    note = f"names are numbered from {first_id} in the order of their ids, as {one}"
    if not names.are_first:
        return LabelMap("name", ids, path, note=f"{path}: {note}")
    doubt = "where these numbers are to be the labels, write them into the list, in the place of the names"
    return LabelMap(
        "name", ids, path, warning=f"{path}: numbers behind names are their ids, and {note}; {doubt}"
    )


def _lasting_options(options: ConvertOptions, labels: LabelMap | None) -> dict[str, Any]:
    chosen = {
        group: {name: getattr(getattr(options, group), name) for name in options_of(kind)}
        for group, kind in _LASTING.items()
    }
    if options.read.image_root is not None:  # the manifest is for everybody
        chosen["read"]["image_root"] = public_uri(options.read.image_root)
    if options.read.label_names is not None:
        chosen["read"]["label_names"] = read_label_names(options.read.label_names).digest
    if options.read.labels_file is not None and labels is not None:
        chosen["read"]["labels_file"] = hashlib.sha256(labels.text().encode()).hexdigest()
    as_json: dict[str, Any] = _as_json(chosen)
    return as_json


def _values(groups: _Groups) -> list[tuple[Option, Any]]:
    """Each option of this version, with its value as JSON: where it is not among them, its default."""
    return [
        (option, groups.get(group, {}).get(option.name, _as_json(option.default)))
        for group, kind in _LASTING.items()
        for option in options_of(kind).values()
    ]


def _earlier_digest(source: str, options: _Groups) -> str:
    """The identity as it was before it held chosen options only: with every option that there was then."""
    read = {name: value for name, value in options.get("read", {}).items() if name != _OF_SOURCE}
    return _sha256([1, source, {**options, "read": read}])


def _sha256(values: Any) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def _as_json(value: Any) -> Any:
    """As it is read back from a file: tuples are lists there."""
    return json.loads(json.dumps(value))
