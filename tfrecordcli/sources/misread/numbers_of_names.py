"""Labels that are numbers where a file has their names by others: from 1 for labels from 0, or by codes."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from itertools import chain
from typing import Final

from tfrecordcli.dataset.label_names import LabelNames
from tfrecordcli.dataset.labels import is_canonical_id
from tfrecordcli.errors import InputError
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.made_list import into
from tfrecordcli.units import some_of

_SEVERAL: Final = 2
# Python that counts the number in each line of a file on by one: its first, or its last.
_COUNTED: Final = (
    "import re, sys; [print(re.sub({pattern}, lambda m: str(int(m[0]) {step}), l.rstrip(), count=1)) "
    'for l in open(sys.argv[1], encoding="utf-8-sig")]'
)
# The same that writes the number of each line for its code.
_NUMBERED: Final = (
    'import re, sys; [print(n, {name}, sep="\\t") for n, l in '
    'enumerate(filter(str.strip, open(sys.argv[1], encoding="utf-8-sig")), {start})]'
)
_BEHIND_CODE: Final = 're.sub(r"^[^\\s,;]+[\\s,;]+", "", l.rstrip())'
_WHOLE_LINE: Final = '" ".join(l.split())'


def need_same_numbers(labels: Collection[str], names: LabelNames, path: str) -> None:
    """Refuses names by numbers which go on from 1 for labels from 0, or from 0 for labels from 1.

    One label has no name then, and all others have that of another class.

    Args:
      labels: of the first rows.
      names: of the file.
      path: of this.

    Raises:
      InputError: with the command that counts the numbers of the file anew.
    """
    if len(names.names) < _SEVERAL or not all(map(is_canonical_id, [*names.names, *labels])):
        return
    numbers, met = {*map(int, names.names)}, {*map(int, labels)}
    first, last = min(numbers), max(numbers)
    if len(numbers) <= last - first or first > 1 or not met:
        return
    step = -1 if first == 1 else 1
    without, of_none = (first - 1, last) if first else (last + 1, 0)
    if without not in met or of_none in met or not met <= {number + step for number in numbers}:
        return
    start = first + step
    pattern = r'r"\d+(?=\D*$)"' if names.are_first else r'r"\d+"'
    code = _COUNTED.format(pattern=pattern, step="- 1" if step < 0 else "+ 1")
    way = "" if names.is_json else _written_anew(path, f"from-{start}", code)
    raise InputError(
        f"labels are numbers from {start} ({_shown(met)}), and names in {path} are numbered from {first}, so "
        "that each may be that of another label",
        f"where the first name is that of {start}, count its numbers from {start}{way}; "
        f"where label {without} is something else, add a line with its name, as {without},background",
    )


def need_names_of_numbers(labels: Collection[str], names: LabelNames, path: str) -> None:
    """Refuses names by codes, as those of synsets are, for labels that are numbers of their lines.

    Args: as of `need_same_numbers`.

    Raises:
      InputError: with the command that writes the numbers of lines for the codes.
    """
    are_codes = not any(map(is_canonical_id, names.names)) and not names.doubled
    if not are_codes or not labels or not all(map(is_canonical_id, labels)) or len(names.names) < _SEVERAL:
        return
    met = {*map(int, labels)}
    start = 0 if 0 in met else 1
    if max(met) >= len(names.names) + start:
        return
    are_lines = not (names.are_first or names.is_json)
    code = next(iter(names.names))
    if are_lines and not any(map(str.isdigit, chain.from_iterable(names.names))) and _are_words(path):
        way = _written_anew(path, "by-number", _NUMBERED.format(start=start, name=_WHOLE_LINE))
        raise InputError(
            f"labels are numbers ({_shown(met)}), and lines of {path} are names of several words",
            f"where these numbers count the lines from {start}, write them before the names{way}",
        )
    written = _NUMBERED.format(start=start, name=_BEHIND_CODE)
    way = _written_anew(path, "by-number", written) if are_lines else ""
    raise InputError(
        f"labels are numbers ({_shown(met)}), and names in {path} stand behind codes, as {code}",
        f"where these numbers count the lines from {start}, write them for the codes{way}",
    )


def _are_words(path: str) -> bool:
    """Whether blanks alone part the words of a file: what a comma or a tab parts is a code and a name."""
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        return not any(sign in line for line in file for sign in ",;\t")


def _written_anew(path: str, what: str, code: str) -> str:
    """The command that writes a file of names beside this one, and the option for that, as a hint goes on."""
    stem, ending = os.path.splitext(path)
    beside = f"{stem}-{what}{ending}"
    made = into(command_line(["python", "-c", code, as_path(path)]), command_line([as_path(beside)]))
    return f": {made}; then {command_line(['--label-names', beside])}"


def _shown(numbers: Iterable[int]) -> str:
    return some_of(list(map(str, sorted(numbers))))
