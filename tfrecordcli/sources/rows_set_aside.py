"""Columns and keys that say that a row was deleted, rejected or taken out: they are taken as others."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from tfrecordcli.option_parsing import is_asked_for
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.further_columns import ALL
from tfrecordcli.sources.label_fields import is_any_flag, is_any_yes
from tfrecordcli.sources.pandas_commands import changed, literal
from tfrecordcli.sources.sample import Sample
from tfrecordcli.sources.text_encoding import is_utf_8
from tfrecordcli.units import plural

# `isDeleted`, `is_deleted`, `deleted`, `archived`.
_CALLED: Final = re.compile(
    r"(?:is|was)?[ _-]?(?:soft[ _-]?)?"
    r"(?:deleted|removed|archived|hidden|discarded|excluded|trashed|obsolete)",
    re.IGNORECASE,
)
_YES: Final = ("true", "t", "yes", "y", "1", "1.0")
# What became of somebody's work, by names of columns without the signs in them: `AssignmentStatus` of
# Mechanical Turk, `review_state`.
_OF_WORK: Final = re.compile(
    r"(?:assignment|annotat(?:ion|or)|label(?:l?ing)?|review(?:er)?|task|hit|job|submission|worker|workflow"
    r"|moderation|approval|verification|validation|bearbeitungs?|freigabe|pr(?:ü|ue)f(?:ungs?)?)"
    r"(?:status|state)|(?:review|approval)(?:result)?"
)
# What may as well be that of the thing in the image.
_OF_ROWS: Final = re.compile(
    r"(?:row|record|image|img|photo|picture|file|item|asset|data|sample|entry|upload|qa|object|b?box|current|final)?"
    r"(?:status|state)"
)
_OUT: Final = frozenset(
    (
        "rejected", "reject", "not approved", "declined", "refused", "disapproved", "skipped", "cancelled",
        "canceled", "expired", "invalid", "deleted", "removed", "discarded", "trashed", "draft", "abgelehnt",
        "zurückgewiesen", "verworfen", "ungültig", "gelöscht", "übersprungen", "storniert", "entwurf",
    )
)  # fmt: skip
_IN: Final = frozenset(
    (
        "approved", "accepted", "accept", "submitted", "done", "complete", "completed", "finished", "final",
        "published", "valid", "validated", "verified", "confirmed", "reviewed", "checked", "labeled",
        "labelled", "annotated", "active", "ok", "genehmigt", "akzeptiert", "angenommen", "freigegeben",
        "bestätigt", "fertig", "erledigt", "abgeschlossen", "gültig", "geprüft", "aktiv", "eingereicht",
    )
)  # fmt: skip


class _Aside(NamedTuple):
    """A column that takes rows out: what it says of them, and its words for that, lower case."""

    column: str
    says: str
    words: tuple[str, ...]

    def has(self, field: str) -> bool:
        return field.lower() in self.words

    @property
    def kept(self) -> str:
        """Python that tells the other rows."""
        words = literal("|".join(self.words))
        return f'~t[{literal(self.column)}].str.strip().str.lower().isin({words}.split("|"))'


def told_set_aside(sample: Sample, rows: RowFile) -> Iterator[str]:
    """That rows of a CSV were taken out, with the command that leaves them out."""
    for aside in _asides(sample, rows):
        count = sum(map(aside.has, sample.fields(sample.shape.header.index(aside.column))))
        change = f"t[{aside.kept}]"
        command = changed(rows.name, sample.shape.delimiter, change, "kept", encoding=rows.options.encoding)
        kept = "" if is_utf_8(rows.options.encoding) else ", without --encoding"
        way = f"leave them out: {command}, and convert that{kept}" if command else "leave them out"
        said = f"{aside.column} says {aside.says} in {plural(count, 'row')} looked at"
        yield f"{said}, taken as the others are: {way}"


def without_set_aside(sample: Sample, rows: RowFile) -> tuple[Sample, str]:
    """The rows that were not taken out, and Python that leaves only these in ``t``; empty: all."""
    change = ""
    for aside in _asides(sample, rows):
        column = sample.shape.header.index(aside.column)
        table = [row for row in sample.table if not (column < len(row) and aside.has(row[column]))]
        sample = replace(sample, table=table)
        change += f"t = t[{aside.kept}]; "
    return sample, change


def _asides(sample: Sample, rows: RowFile) -> list[_Aside]:
    """The columns that take some rows out, and not all."""
    found = [*_flags(sample), *_states(sample, rows)]
    said = {each: sample.fields(sample.shape.header.index(each.column)) for each in found}
    return [each for each, fields in said.items() if 0 < sum(map(each.has, fields)) < len(fields)]


def _flags(sample: Sample) -> Iterator[_Aside]:
    for name, fields in sample.unread(lambda name: _CALLED.fullmatch(name) is not None).items():
        if all(map(is_any_flag, fields)):
            yield _Aside(name, "yes", _YES)


def _states(sample: Sample, rows: RowFile) -> Iterator[_Aside]:
    """Columns called like states, with words for what is out; not those that are asked for as features."""
    asked = rows.options.features if rows.options.features != ALL else ()
    for name, fields in sample.unread(_is_state).items():
        words = tuple(sorted({*map(str.lower, fields)} & _OUT))
        if words and not is_asked_for(name, asked) and _tells_of_rows(sample, name, fields):
            said = sorted({field for field in fields if field.lower() in words})
            yield _Aside(name, " or ".join(said), words)


def _is_state(name: str) -> bool:
    return any(each.fullmatch(_plain(name)) for each in (_OF_WORK, _OF_ROWS))


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


def _tells_of_rows(sample: Sample, name: str, fields: Sequence[str]) -> bool:
    """Whether a column of states tells what became of rows, and not of the things in their images."""
    others = {*map(str.lower, fields)} - _OUT
    is_of_work = _OF_WORK.fullmatch(_plain(name)) is not None
    return bool(others & _IN or others == {""}) and (is_of_work or not _follows_labels(sample, name))


def _follows_labels(sample: Sample, name: str) -> bool:
    """Whether rows that are out have labels of their own, as parts of a machine are rejected for a defect."""
    header = sample.shape.header
    labels: dict[bool, set[tuple[str, ...]]] = {True: set(), False: set()}
    for state, *words in sample.parts([name, *(header[i] for i in sample.shape.labels)]):
        labels[state.lower() in _OUT].add(tuple(words))
    return all(map(any, labels[True])) and labels[True].isdisjoint(labels[False])


def told_keys_set_aside(extras: Mapping[str, Collection[str]], used: Collection[str]) -> Iterator[str]:
    """The same of JSON.

    Args:
      extras: some values of each key that is known for nothing.
      used: those that are stored.
    """
    for key, values in extras.items():
        name = key.rpartition(".")[2]
        if key not in used and _CALLED.fullmatch(name) and len(values) > 1 and any(map(is_any_yes, values)):
            yield f"{key} says yes of some images, taken as the others are: leave them out of the file"
