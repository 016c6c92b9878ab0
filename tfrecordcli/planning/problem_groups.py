"""Rejected rows as a person reads them: those of one reason counted together, a few of them named."""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tfrecordcli.planning.scan import RowProblem

# Rows that are named of each group, by line; groups; reasons of one code that are distinguished.
NAMED_ROWS: Final = 20
_GROUPS = 20
_REASONS = 5

_line_of = attrgetter("line")


@dataclass(frozen=True, slots=True)
class ProblemGroup:
    """Rows that were rejected for one reason.

    Attributes:
      code: of the reason.
      reason: its text; empty where the rows of this code have too many different ones.
      rows: all of them.
      named: the first ones, by line.
    """

    code: str
    reason: str
    rows: int
    named: tuple[RowProblem, ...]


@dataclass(slots=True)
class _Group:
    rows: int = 0
    named: list[RowProblem] = field(default_factory=list)

    def add(self, problem: RowProblem) -> None:
        self.rows += 1
        if len(self.named) < NAMED_ROWS or problem.line < self.named[-1].line:
            insort(self.named, problem, key=_line_of)
            del self.named[NAMED_ROWS:]


class ProblemGroups:
    """Groups rejected rows; takes the same little memory for any number of them, in any order."""

    def __init__(self) -> None:
        self._by_code: dict[str, _Group] = {}
        self._by_reason: dict[str, dict[str, _Group]] = {}

    def add(self, problem: RowProblem) -> None:
        self._by_code.setdefault(problem.code, _Group()).add(problem)
        reasons = self._by_reason.setdefault(problem.code, {})
        if len(reasons) <= _REASONS:  # one more than are distinguished: then none is
            reasons.setdefault(problem.reason, _Group()).add(problem)

    def groups(self) -> tuple[ProblemGroup, ...]:
        """The largest ones, largest first; of two equal ones that with the first line."""
        found = []
        for code, reasons in self._by_reason.items():
            texts = reasons if len(reasons) <= _REASONS else {"": self._by_code[code]}
            found += [ProblemGroup(code, text, each.rows, tuple(each.named)) for text, each in texts.items()]
        return tuple(sorted(found, key=lambda group: (-group.rows, group.named[0].line))[:_GROUPS])
