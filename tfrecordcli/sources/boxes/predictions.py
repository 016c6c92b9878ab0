"""What a model predicted: boxes with a score, which nobody drew, told from annotations by that score."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import command_line
from tfrecordcli.sources.made_list import made_by
from tfrecordcli.sources.pandas_commands import changed, literal

# Words for columns and keys, lower case, without `_`, `-`, blanks.
_SCORES: Final = frozenset({
    "score", "scores", "confidence", "confidences", "conf", "prob", "probability", "detectionscore",
    "boxscore", "confidencescore", "predictionscore",
})  # fmt: skip

_WITHOUT: Final = "without-scores"
# From where its authors take what version 5 of MegaDetector finds. An image that it could not read has none.
_SURE: Final = 0.2
_OF_MEGADETECTOR: Final = (
    'python -c \'import csv, json, sys; t = json.load(open(sys.argv[1], "rb")); '
    'c = t.get("detection_categories") or {{"1": "animal", "2": "person", "3": "vehicle"}}; '
    'r = [[i["file"], *b] for i in t["images"] if i.get("detections") is not None for b in '
    f'[[c[d["category"]], *d["bbox"]] for d in i["detections"] if d["conf"] >= {_SURE}] or [[""] * 5]]; '
    'csv.writer(sys.stdout).writerows(["image label x y width height".split(), *r])\' {name}'
)


def is_score(name: str) -> bool:
    """Whether a column or a key is called as that which says how sure a model was."""
    return name.lower().replace("_", "").replace("-", "").replace(" ", "") in _SCORES


def is_unsure(value: object) -> bool:
    """Whether a value lies between 0 and 1; for a box that people drew Open Images has 1."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return False
    try:
        return 0 < float(value) < 1
    except ValueError:
        return False


def need_no_scored_rows(name: str, columns: Mapping[str, Iterable[str]], delimiter: str) -> None:
    """Refuses a list of boxes that has a column of scores.

    Args:
      name: of the list, as messages call it.
      columns: those of scores, with their first fields.

    Raises:
      InputError: with a command that leaves the column out.
    """
    for column, fields in columns.items():
        score = next(filter(is_unsure, fields), None)
        if score is not None:
            command = changed(name, delimiter, f"t.drop(columns={literal(column)})", _WITHOUT)
            raise _predicted(f"column {column} has {score}", "column", command)


def need_no_scored_box(box: Any, where: str, name: str) -> None:
    """Refuses a box in JSON that has a score.

    Args:
      where: the box is, for the message.
      name: of the list, as messages call it.

    Raises:
      InputError: with a command that leaves the scores out.
    """
    for key, value in box.items() if isinstance(box, dict) else ():
        if is_score(key) and is_unsure(value):
            command = command_line(["jq", "-c", f"del(..|.{key}?)", name])
            stem, ending = os.path.splitext(name)
            command += f" > {command_line([f'{stem}-{_WITHOUT}{ending}'])}"
            raise _predicted(f"{where} has {key} {value}", "key", command if os.path.isfile(name) else "")


def sure_detections(name: str) -> str:
    """A hint with the command that takes MegaDetector's boxes of some confidence.

    Args:
      name: of its file.
    """
    made = made_by("", _OF_MEGADETECTOR, name)
    return (
        f"give what people annotated; where they have checked these, {made}; it takes those of a conf of "
        f"{_SURE} or more: convert that with --box-unit fractions"
    )


def _predicted(found: str, what: str, command: str) -> InputError:
    return InputError(
        f"{found}: these boxes are what a model predicted, not what people drew",
        f"give the list that people made; to take these for it all the same, leave that {what} out"
        + (f": {command}" if command else ""),
    )
