"""TFRecorder's own arguments of a conversion, in the words of tfrec.

What its functions took (TFRecorder 2.0, github.com/google/tensorflow-recorder: tfrecorder/accessor.py,
converter.py, input_schema.py, types.py) works here, or is refused with what does the same today.
docs/from-tfrecorder.md has them all side by side.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tfrecordcli.errors import UsageError

# Types of columns in a schema of TFRecorder, as a type of `features=`.
_INPUTS: Final = {"IntegerInput": "int", "FloatInput": "float", "StringInput": "text"}
_LABELS: Final = ("StringLabel", "IntegerLabel")
_TYPES: Final = ("SplitKey", "ImageUri", *_INPUTS, *_LABELS)
_PAGE: Final = "docs/from-tfrecorder.md has TFRecorder's arguments beside today's"
_GONE: Final = {
    "header": "leave it out: tfrec finds out whether a CSV has a header, and columns= says what is in it",
    "tfrecorder_wheel": "leave it out: workers are given the tfrec that runs here",
    "input_data": "it is the first argument now, a path or a DataFrame",
}
# Its functions and modules -> what there is instead.
FUNCTIONS: Final = {
    "convert_and_load": "call tfrecordcli.convert(source, output_dir), then tfrecordcli.load(output_dir)",
    "create_tfrecords": "it is tfrecordcli.convert(source, output_dir)",
    "check_tfrecords": "it is tfrecordcli.verify(path), and tfrec inspect PATH --export FOLDER for a look",
    "input_schema": "convert takes a schema as a mapping of names: schema={'split': 'SplitKey', …}",
    "types": "convert takes a schema as a mapping of names: schema={'split': 'SplitKey', …}",
}


def in_our_words(source: Any, options: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """A source and its options, with those of TFRecorder put into today's.

    Args:
      source: a DataFrame, of which ``names`` and ``schema`` choose columns, or anything else.

    Raises:
      UsageError: one does nothing any more, is said twice, or cannot be right; the hint says what to use.
    """
    ours = dict(options)
    if "names" in ours:
        source = _chosen(source, ours.pop("names"), "names")
    for name in ("schema_map", "schema"):
        if name in ours:
            kinds = _kinds(ours.pop(name), name)
            source = _chosen(source, list(kinds), name)
            _add(ours, _of_schema(kinds), name)
    if "dataflow_options" in ours:
        _add(ours, {"beam_options": ours.pop("dataflow_options") or {}}, "dataflow_options")
    if "job_label" in ours:
        _name_job(ours, ours.pop("job_label"))
    for name, instead in _GONE.items():
        if name in ours:
            raise UsageError(f"{name}= was an argument of TFRecorder", f"{instead}; {_PAGE}")
    return source, ours


def _chosen(source: Any, names: Any, option: str) -> Any:
    """The columns of a DataFrame that are named; of other sources the schema names what it needs."""
    if not hasattr(source, "itertuples"):
        if option == "names":
            hint = "use columns=, as in columns='split=set,image_uri=file,label=class'"
            raise UsageError("names= was an argument of TFRecorder, for its reader of CSVs", hint)
        return source
    missing = [str(name) for name in names if name not in source.columns]
    if missing:
        there = ", ".join(map(str, source.columns))
        raise UsageError(f"{option}=: the DataFrame has no column {', '.join(missing)}", f"it has {there}")
    return source[list(names)]


def _kinds(schema: Any, option: str) -> dict[str, str]:
    """Column -> name of its type, of a schema or of the mapping that one is made of."""
    mapping = getattr(schema, "input_schema_map", schema)
    if not isinstance(mapping, Mapping):
        raise UsageError(f"{option}= must map columns to types, got {schema!r}", _PAGE)
    kinds = {str(column): getattr(kind, "__name__", str(kind)) for column, kind in mapping.items()}
    for column, kind in kinds.items():
        if kind not in _TYPES:
            hint = f"there are {', '.join(_TYPES)}, as names"
            raise UsageError(f"{option}=: column {column!r} has the type {kind}, which there is not", hint)
    for kinds_of_one in (("SplitKey",), ("ImageUri",), _LABELS):
        found = [column for column, kind in kinds.items() if kind in kinds_of_one]
        if len(found) > 1:
            told = ", ".join(map(repr, found))
            raise UsageError(f"{option}=: {kinds_of_one[0]} is said of more than one column: {told}")
    return kinds


def _of_schema(kinds: Mapping[str, str]) -> dict[str, Any]:
    """The options that say what a schema says."""
    field = {"SplitKey": "split", "ImageUri": "image_uri", **dict.fromkeys(_LABELS, "label")}
    columns = {field[kind]: column for column, kind in kinds.items() if kind in field}
    found: dict[str, Any] = {"columns": columns}
    if features := {column: _INPUTS[kind] for column, kind in kinds.items() if kind in _INPUTS}:
        found["features"] = features
    if "image_uri" not in columns:
        found["task"] = "tabular"
    elif "label" not in columns:
        found["unlabelled"] = "keep"
    if "IntegerLabel" in kinds.values():
        found["label_type"] = "id"
    return found


def _add(ours: dict[str, Any], more: Mapping[str, Any], option: str) -> None:
    for name, value in more.items():
        if name in ours:
            raise UsageError(f"{option}= says what {name}= says too", "give one of the two")
        ours[name] = value


def _name_job(ours: dict[str, Any], label: str) -> None:
    """On Dataflow a label names the job, as it did; elsewhere it named a folder, now gone."""
    if not str(ours.get("runner", "")).lower().startswith("dataflow"):
        hint = "leave it out: output_dir is the folder of the dataset itself, so name it there"
        raise UsageError("job_label= named a folder that TFRecorder made below output_dir", hint)
    beam_options = ours.setdefault("beam_options", {})
    if not isinstance(beam_options, Mapping):
        raise UsageError("job_label= needs beam_options= as a mapping", "or name the job there: job_name")
    ours["beam_options"] = {"job_name": str(label).lower().replace("_", "-"), **beam_options}
