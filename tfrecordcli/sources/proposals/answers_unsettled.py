"""Answers of single people in columns, of which one label is to be made by a command."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tfrecordcli.sources.column_words import known_columns
from tfrecordcli.sources.pandas_commands import changed, literal, most_say
from tfrecordcli.sources.proposals.answers import Answers, answers_in
from tfrecordcli.sources.proposals.columns import Proposal, propose_for
from tfrecordcli.sources.proposals.label_names import UNTOLD, unlikely
from tfrecordcli.sources.proposals.table import Table, columns_of
from tfrecordcli.sources.proposals.unread import Unread


def unsettled_hint(
    unread: Unread, table: Table, given: Iterable[tuple[str, str]], proposals: Iterable[Proposal]
) -> str:
    """What makes one label of what several people say of an image; empty where a column has one.

    Args:
      given: (purpose, column) pairs that the user gave.
      proposals: that were made without these columns.
    """
    header, given = unread.header, list(given)
    answers = answers_in(columns_of(header, table, range(len(header))))
    if answers is None or answers.is_settled or "label" in dict(given):
        return ""
    raters = [header[i] for i in answers.raters]
    others = [each.column for each in proposals if each.column not in raters and each.kind == "label"]
    if any(unlikely(name) < UNTOLD or known_columns([name], "label") for name in others):
        return ""
    made, alone = (
        propose_for(unread, header, [*given, ("label", name)], "auto")[0] for name in ("label", raters[0])
    )
    return (
        f"{', '.join(raters)} are answers of several people: take "
        f"{settling_answers(header, answers, unread.name, unread.delimiter)}, and convert that with "
        f"{made.options}; where {raters[0]} is the label, {alone.options}"
    )


def settling_answers(header: Sequence[str], answers: Answers, name: str, delimiter: str) -> str:
    """What makes a column ``label`` of the answers that most give, after what they agreed on.

    Args:
      name, delimiter: of the list.
    """
    raters = [header[i] for i in answers.raters]
    last, how = "", ""
    if answers.agreed is not None:
        agreed = header[answers.agreed]
        last = f'a = t[{literal(agreed)}].str.strip(); t["label"] = a.where(a != "", t["label"]); '
        how = f"{agreed}, and where that is empty "
    names = ", ".join(map(literal, raters))
    command = changed(name, delimiter, f"{most_say(f'[{names}]')}{last}t", "majority")
    how += "what most say, empty where they are at odds"
    return f"{how}{': ' * bool(command)}{command}"
