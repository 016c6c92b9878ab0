"""Names for the ids or codes of a list, from a file of two columns."""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tfrecordcli.dataset.labels import has_control_characters, is_canonical_id, quoted
from tfrecordcli.dataset.labels_file import read_option_file
from tfrecordcli.errors import InputError
from tfrecordcli.shell import command_line

_LONGEST: Final = 10_000  # characters of a line
_LINES: Final = 1_000  # by which the kind of a file is told
_DELIMITERS: Final = "\t,;"
# Words of a header without case and what parts them, where it has further columns.
_CODES: Final = frozenset({"id", "code", "classid", "categoryid", "labelid", "index", "idx", "number"})
_NAMES: Final = frozenset({"name", "classname", "categoryname", "labelname", "displayname"})
_NOT_LETTERS: Final = re.compile(r"[\W_]+")
# `0,tench, Tinca tinca`: further commas have a blank behind them, as those of a text.
_WITH_COMMAS: Final = re.compile(r'[^\s,;"]+,[^\s,;"][^,"]*(?:, [^,"]+)*')


@dataclass(frozen=True, slots=True)
class LabelNames:
    """Names by id or code, in the order of the file.

    Attributes:
      names: name by code.
      doubled: names that several codes have; these got their code behind them.
      digest: SHA-256 of the file, hexadecimal.
      are_first: whether names stand before their ids there.
      is_json: whether it is an object of JSON, and no lines.
    """

    names: dict[str, str]
    doubled: tuple[str, ...]
    digest: str
    are_first: bool = False
    is_json: bool = False

    def in_order_of_ids(self) -> list[str] | None:
        """The names in the order of their ids; None when the codes are no ids."""
        if not all(map(is_canonical_id, self.names)):
            return None
        return [self.names[code] for code in sorted(self.names, key=int)]


def read_label_names(path: str) -> LabelNames:
    """Reads `code,name` or `code<tab>name` or `code name` lines, or a JSON object of names by code.

    Of further columns two are read where a header calls them as `id` and `name`.

    A name may have commas, behind a blank, in quotes, or with a blank behind each. Names may stand before
    their ids (`cat,0`, `{"cat": 0}`): numbers that are all others are these ids, where names are none.

    Codes of one name are added to it, as ImageNet's two cranes need it. A header, such as
    `LabelName,DisplayName`, names a code that no list has, but stands among codes that are numbers.

    Raises:
      what `read_option_file` raises.
      InputError: it is no such file, or has a code twice with different names.
    """
    data, text = read_option_file("--label-names", path, "names")
    names: dict[str, str] = {}
    entries = [*_pairs(text, path)]
    are_first = _are_before_ids([entry[1:] for entry in entries])
    for place, *pair in entries:
        code, name = reversed(pair) if are_first else pair
        if not code or not name or name[0] in _DELIMITERS or has_control_characters(code + name):
            raise InputError(f"{path}: {place}: a code and its name are needed", "as in n02012849,crane")
        if names.setdefault(code, name) != name:
            raise InputError(
                f"{path}: {place}: {quoted(code)} has another name already: {quoted(names[code])}"
            )
    if not names:
        raise InputError(f"{path}: there is no name in it", "write a code and its name a line, as in 0,cat")
    first = next(iter(names))
    if not is_canonical_id(first) and len(names) > 1 and all(map(is_canonical_id, [*names][1:])):
        del names[first]
    told = _told_apart(names, hashlib.sha256(data).hexdigest())
    return replace(told, are_first=are_first, is_json=_is_json(text))


def _is_json(text: str) -> bool:
    return text.lstrip().startswith("{")


def _pairs(text: str, path: str) -> Iterator[tuple[str, str, str]]:
    """(place, code, name) of each entry, or (place, name, code)."""
    if _is_json(text):
        yield from _of_json(text, path)
        return
    lines = [(f"line {number}", line.strip()) for number, line in enumerate(text.splitlines(), 1)]
    lines = [(place, line) for place, line in lines if line]
    if long := next((place for place, line in lines if len(line) > _LONGEST), None):
        raise InputError(f"{path}: {long}: more than {_LONGEST:,} characters", "a code, then its name")
    first = [line for _, line in lines[:_LINES]]
    if columns := _columns(first[:1]):
        yield from _of_columns(lines[1:], *columns, path)
        return
    delimiter = _delimiter(first)
    is_first_alone = delimiter == " "
    if is_first_alone and all(map(_WITH_COMMAS.fullmatch, first)):
        delimiter = ","
    elif is_first_alone and not _end_in_ids(first):
        _need_two_fields(first, path)
    cut = str.rpartition if _end_in_ids(first) else str.partition
    for place, line in lines:
        fields = [*cut(line, delimiter)[::2]] if is_first_alone else _fields(line, delimiter)
        if len(fields) != 2:
            raise InputError(
                f"{path}: {place}: {len(fields)} fields where two are needed", "a code, then its name"
            )
        yield place, fields[0].strip(), fields[1].strip()


def _fields(line: str, delimiter: str) -> list[str]:
    return next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])


def _columns(header: Iterable[str]) -> tuple[str, int, int] | None:
    """(delimiter, numbers of the columns of codes and of names) of a header of three columns or more.

    None where it does not say which single ones these are.
    """
    for line in header:
        for delimiter in _DELIMITERS:
            words = [_NOT_LETTERS.sub("", field).lower() for field in _fields(line, delimiter)]
            found = [[i for i, word in enumerate(words) if word in named] for named in (_CODES, _NAMES)]
            if len(words) > 2 and all(len(some) == 1 for some in found):
                return delimiter, found[0][0], found[1][0]
    return None


def _of_columns(
    lines: Iterable[tuple[str, str]], delimiter: str, code: int, name: int, path: str
) -> Iterator[tuple[str, str, str]]:
    """The entries in two columns of several."""
    for place, line in lines:
        fields = _fields(line, delimiter)
        if len(fields) <= max(code, name):
            raise InputError(f"{path}: {place}: {len(fields)} fields are too few", "as many as in its header")
        yield place, fields[code].strip(), fields[name].strip()


def _need_two_fields(lines: Sequence[str], path: str) -> None:
    """Refuses lines of which all have as many fields, three or more, the first of them without a blank.

    Raises:
      InputError: with the command that writes the first two.
    """
    for delimiter in _DELIMITERS:
        rows = [[field.strip() for field in _fields(line, delimiter)] for line in lines]
        count = len(rows[0]) if rows else 0
        if count < 3 or any(len(row) != count or " " in row[0] or not row[1] for row in rows):
            continue
        code = (
            "import csv, sys; f = open(sys.argv[1], encoding='utf-8-sig'); csv.writer(sys.stdout).writerows("
            f"r[:2] for r in csv.reader(f, delimiter={json.dumps(delimiter)}, skipinitialspace=True))"
        )
        made = f"{path}-two.csv"
        raise InputError(
            f"{path}: {count} fields a line where a code and its name are needed",
            f"where these are the first two: {command_line(['python', '-c', code, path])} > "
            f"{command_line([made])}; then {command_line(['--label-names', made])}; or write a header that "
            "calls them id and name",
        )


def _of_json(text: str, path: str) -> Iterator[tuple[str, str, str]]:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: this is no JSON object: {error}") from error
    if all(type(value) is int for value in values.values()):
        as_texts = [(name, str(code)) for name, code in values.items()]
        values = dict(as_texts) if _are_before_ids(as_texts) else values
    for code, name in values.items():
        if not isinstance(name, str):
            raise InputError(f"{path}: the name of {quoted(code)} is no text", 'as in {"0": "cat"}')
        yield quoted(code), code.strip(), name.strip()


def _delimiter(lines: Iterable[str]) -> str:
    """What parts code and name in every line: a tab, a comma, a semicolon; else the first blank."""
    lines = list(lines)
    for delimiter in _DELIMITERS:
        fields = [_fields(line, delimiter) for line in lines]
        if not all(len(each) == 2 for each in fields):
            continue
        if not any(" " in first.strip() for first, _ in fields) or _are_before_ids(fields):
            return delimiter
    return " "


def _end_in_ids(lines: Iterable[str]) -> bool:
    """Whether names stand before their ids, some of one word and some of several: `cat 3`, `wild cat 4`."""
    pairs = [line.rpartition(" ")[::2] for line in lines]
    return _are_before_ids(pairs) and any(" " not in name.strip() for name, _ in pairs)


def _are_before_ids(pairs: Sequence[Sequence[str]]) -> bool:
    """Whether names, each another, stand before ids, each another; the first may be a header."""
    if len(pairs) > 1 and not is_canonical_id(pairs[0][1].strip()):
        pairs = pairs[1:]
    names, ids = ({pair[i].strip() for pair in pairs} for i in (0, 1))
    are_other = len(pairs) > 1 and len(names) == len(ids) == len(pairs)
    return are_other and all(map(is_canonical_id, ids)) and not all(map(is_canonical_id, names))


def _told_apart(names: dict[str, str], digest: str) -> LabelNames:
    counts = Counter(names.values())
    doubled = tuple(name for name, count in counts.items() if count > 1)
    told = {code: f"{name} ({code})" if counts[name] > 1 else name for code, name in names.items()}
    return LabelNames(told, doubled, digest)
