"""What a call from Python is told, in its own words: keywords for flags, the index for lines of a DataFrame.

Messages are written for the command line, as rejects.csv and manifests keep them; they are put into these
words where they reach the caller.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final, TypeVar

from tfrecordcli.errors import DatasetWarning, TfrecError
from tfrecordcli.given_options import make_options
from tfrecordcli.inspecting.options import InspectOptions
from tfrecordcli.option_definition import Option, need_known, options_of
from tfrecordcli.options import ImageOptions, ReadOptions, RunOptions, ShardChoice, ShardOptions
from tfrecordcli.progress import Reporter
from tfrecordcli.progress_bar import bar_for_python
from tfrecordcli.result import ConvertResult, RejectedRow, RejectGroup
from tfrecordcli.sources.data_frame import FrameLines
from tfrecordcli.units import plural
from tfrecordcli.verify_options import VerifyOptions
from tfrecordcli.verify_report import VerifyReport

_T = TypeVar("_T")
_PACKAGE: Final = "tfrecordcli"
_KINDS: Final = (VerifyOptions, ReadOptions, ImageOptions, ShardOptions, RunOptions, ShardChoice)
_OPTIONS: Final = (
    *(option for kind in _KINDS for option in options_of(kind).values()),
    options_of(InspectOptions)["max_records"],
)
_BY_FLAG: Final = {flag: option for option in _OPTIONS for flag in (option.flag, option.off)}
_FLAG: Final = re.compile(r"(?<![\w/.-])--[a-z]+(?:-[a-z]+)*(?![\w-])")
# A word behind a flag, without the punctuation behind it.
_WORD: Final = re.compile(r" ('[^']*'|[^\s;()]+?)(?=[:;,)]?(?:\s|$))")
# Such words that go on with the sentence and are no value.
_PROSE: Final = frozenset(
    (
        *("admits", "allows", "and", "are", "cannot", "does", "is", "leave", "makes", "must", "names"),
        *("hold", "keeps", "needs", "or", "passed", "says", "takes", "them", "wrote"),
    )
)
# What is before a flag that belongs to a command line.
_COMMAND: Final = re.compile(r"\btfrec [a-z-]+(?:(?![;,:] ).)*$")
_LINES: Final = re.compile(r"\bline \d+(?:, \d+)*")


def as_keywords(text: str) -> str:
    """A message with keywords where it names flags: ``check="structure"`` for ``--check structure``."""
    found, end = "", 0
    for match in _FLAG.finditer(text):
        option = _BY_FLAG.get(match[0])
        if option is None or match.start() < end or _COMMAND.search(text[: match.start()]):
            continue
        value, after = _value_behind(option, match[0], text[: match.start()], text[match.end() :])
        between = text[end : match.start()]
        found += f"{', ' if found and between == ' ' else between}{option.keyword}={value}"
        end = match.end() + after
    return found + text[end:]


def _value_behind(option: Option, flag: str, before: str, rest: str) -> tuple[str, int]:
    """The value that a message gives an option, as Python writes it, and how much of the text that is."""
    if option.kind is bool:
        is_named = rest.startswith((" must", ", --")) or before.endswith(("of: ", ", "))
        return ("" if is_named else str(flag == option.flag)), 0
    match = _WORD.match(rest)
    word = match[1] if match else ""
    if not _is_value(option, word):
        return "", 0
    text = word.strip("'")
    is_bare = text.isupper() or (text.isdecimal() and int in option.kinds)
    return (text if is_bare else f'"{text}"'), len(word) + 1


def _is_value(option: Option, word: str) -> bool:
    if option.choices:
        return bool(word) and set(word.split("|")) <= set(option.choices)
    if word[:1].isdecimal() or "=" in word or word[:1] == "'":
        return True
    is_text = str in option.kinds or option.is_repeated or option.kind == tuple[str, ...]
    return is_text and bool(word) and word not in _PROSE and not word.endswith("?")


def need_no_more(unknown: Mapping[str, object], function: Callable[..., object]) -> None:
    """Refuses keywords that a function does not have, as those are whose options are a table.

    Args:
      unknown: what it was given beyond its own ones.

    Raises:
      UsageError: there are some.
    """
    need_known(unknown, function.__kwdefaults__ or {})


def told(
    call: Callable[[Reporter], _T],
    progress: bool | None = None,
    options: Mapping[str, Any] = MappingProxyType({}),
    source: Any = "",
) -> _T:
    """What a call returns or raises, in the words of Python; arguments as of `bar_for_python` and `Words`."""
    reporter, words = bar_for_python(progress), Words(options, source)
    try:
        result = call(reporter)
    except TfrecError as error:
        words.tell_error(error)
        raise
    if isinstance(result, ConvertResult):
        told_result = words.convert_result(result)
        _warn_of(told_result)
        return told_result  # type: ignore[return-value]
    if isinstance(result, VerifyReport):
        return words.verify_report(result)  # type: ignore[return-value]
    return result


def _warn_of(result: ConvertResult) -> None:
    """Tells by Python's warnings what is in a result that nobody may look at, at the line of the caller."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        level, frame = level + 1, frame.f_back
    rejected = [f"{result.rejected:,} of {plural(result.rows, 'row')} rejected: see problems of the result"]
    for text in (*result.warnings, *(rejected if result.rejected else ())):
        warnings.warn(text, DatasetWarning, stacklevel=level)


class Words:
    """The words of one call.

    Args:
      options: that it was given.
      source: what it converts; "" when it converts nothing.
    """

    def __init__(self, options: Mapping[str, Any], source: Any = "") -> None:
        self._labels_file = str(options.get("labels") or "--")  # whose lines are its own
        self._columns = {"columns": options.get("columns")}
        self._frame = source if hasattr(source, "itertuples") else None

    @cached_property
    def _lines(self) -> FrameLines:
        return FrameLines(self._frame, make_options(self._columns).read)

    def text(self, text: str) -> str:
        """A message in these words."""
        if self._frame is not None and not text.startswith(self._labels_file):
            text = _LINES.sub(self._index, text)
        return as_keywords(text)

    def _index(self, match: re.Match[str]) -> str:
        labels = (self._lines.index_label(int(number)) for number in re.findall(r"\d+", match[0]))
        return f"index {', '.join(map(repr, labels))}"

    def tell_error(self, error: TfrecError) -> None:
        error.message, error.hint = self.text(error.message), self.text(error.hint)
        error.args = (error.message,)

    def _texts(self, texts: Iterable[str]) -> tuple[str, ...]:
        return tuple(map(self.text, texts))

    def _problem(self, problem: RejectedRow) -> RejectedRow:
        """A rejected row; one of a DataFrame with its index beside the line of rejects.csv."""
        told: RejectedRow = {**problem, "reason": self.text(problem["reason"])}
        if self._frame is not None and told["line"] is not None:
            told["index"] = self._lines.index_label(told["line"])
        return told

    def convert_result(self, result: ConvertResult) -> ConvertResult:
        groups: Iterable[RejectGroup] = (
            {
                **group,
                "reason": self.text(group["reason"]),
                "named": tuple(map(self._problem, group["named"])),
            }
            for group in result.reject_groups
        )
        return replace(
            result,
            problems=tuple(map(self._problem, result.problems)),
            reject_groups=tuple(groups),
            warnings=self._texts(result.warnings),
            remarks=self._texts(result.remarks),
            error=self.text(result.error),
        )

    def verify_report(self, report: VerifyReport) -> VerifyReport:
        if report.failure is not None:
            self.tell_error(report.failure)
        feed = report.feed
        if feed is not None and feed.advice is not None:
            feed = replace(feed, advice=self.text(feed.advice))
        problems = (replace(each, message=self.text(each.message)) for each in report.problems)
        return replace(
            report,
            problems=tuple(problems),
            not_checked=self._texts(report.not_checked),
            notes=self._texts(report.notes),
            feed=feed,
        )
