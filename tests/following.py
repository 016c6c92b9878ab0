"""What becomes of a list when a person does what the messages propose, up to four times."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from converting import convert_json, shell

_TIMES: Final = 4
_ALTERNATIVES: Final = 6
_BEGIN: Final = re.compile(r"(?<![^\s:(])(?:\(echo |\(cd |python -c |awk |sed |iconv |jq |tfrec convert )")
_OPTION: Final = re.compile(
    r"""(?<![\w-])--[a-z][a-z-]*(?: (?:'[^']*'|"[^"]*"|[^\s'"-](?:[^\s'"]|'[^']*')*))?"""
)
_MADE: Final = re.compile(r"""> *([\w./-]+\.(?:csv|jsonl|tsv|txt))|to_csv\("([^"]+)\"""")
# Options of another kind of dataset: nobody who has boxes takes them.
_OTHERS: Final = re.compile(
    r"--(?:task (?!detection)|unlabelled|features|label-names|labels|map|label-folder|max-rejects|exclude"
    r"|split|dry)"
)


@dataclass(frozen=True)
class Proposal:
    """What a message says to do: a command for a shell and what it makes, options, or both."""

    command: str
    made: str
    options: tuple[str, ...]


@dataclass(frozen=True)
class End:
    """Where it ended.

    Attributes:
      judgement: right, wrong, warned, partly or refused.
      steps: what was followed on the way.
      told: the last words.
      chosen: whether something else than the first proposal was taken.
    """

    judgement: str
    steps: tuple[str, ...]
    told: str
    chosen: bool = False

    @property
    def name(self) -> str:
        """`right`, `right, followed`, `right, chosen`, and so on."""
        return self.judgement + (", chosen" if self.chosen else ", followed" if self.steps else "")


Judge = Callable[[dict[str, Any], Path], str]


def follow(folder: Path, source: str, judge: Judge, options: tuple[str, ...] = ()) -> End:
    """Converts, and goes on with the first proposal, else with another one that is right.

    Args:
      folder: where the list is, and its images; it is copied for each try.
    """
    return _follow(folder, source, judge, options, ())


def _follow(folder: Path, source: str, judge: Judge, options: tuple[str, ...], steps: tuple[str, ...]) -> End:
    output = folder.with_name(f"{folder.name}-out")
    done = convert_json(source, output, *options, cwd=folder)
    if "records" in done and done["status"] != "failed":
        end = End(judge(done, output), steps, told_by(done))
        shutil.rmtree(output, ignore_errors=True)
        return end
    told = told_by(done)
    if len(steps) == _TIMES:
        return End("refused", steps, told)
    found: End | None = None
    for number, proposal in enumerate(_first(proposals(told))):
        end = _try(folder, f"{folder.name}{number}", source, judge, proposal, options, steps)
        if end.judgement == "right":
            return End(end.judgement, end.steps, end.told, end.chosen or number > 0)
        found = found or end
    return found or End("refused", steps, told)


def _try(
    folder: Path,
    name: str,
    source: str,
    judge: Judge,
    proposal: Proposal,
    options: tuple[str, ...],
    steps: tuple[str, ...],
) -> End:
    copy = folder.with_name(name)
    shutil.copytree(folder, copy)
    taken = (*steps, " ".join((proposal.command, *proposal.options)).strip())
    try:
        if proposal.command and (run := shell(proposal.command, copy)).code:
            return End("refused", taken, f"the command failed: {run.err[-400:]}")
        made = proposal.made or source
        if proposal.command and not (copy / made).exists():
            return End("refused", taken, f"{made} was not made")
        return _follow(copy, made, judge, _merged(options, proposal.options), taken)
    finally:
        shutil.rmtree(copy)


def _merged(options: tuple[str, ...], further: tuple[str, ...]) -> tuple[str, ...]:
    """Options of which a later one takes the place of an earlier one."""
    again = set(further[::2])
    kept = [
        word for at in range(0, len(options), 2) if options[at] not in again for word in options[at : at + 2]
    ]
    return (*kept, *further)


def _first(found: Iterator[Proposal]) -> list[Proposal]:
    return list(dict.fromkeys(found))[:_ALTERNATIVES]


def told_by(done: dict[str, Any]) -> str:
    """The error and its hint; of a conversion, warnings and notes."""
    if error := done.get("error"):
        rows = "\n".join(str(problem.get("reason", "")) for problem in done.get("problems", ()))
        return "\n".join((error["message"], error.get("hint", ""), *done["warnings"], rows))
    return "\n".join(map(str, (*done["warnings"], *done["remarks"])))


def proposals(told: str) -> Iterator[Proposal]:
    """Commands and options of a message, in its order."""
    at = 0
    while True:
        begin, option = _BEGIN.search(told, at), _next_option(told, at)
        if begin is None and option is None:
            return
        if begin is not None and (option is None or begin.start() < option.start()):
            end = _end_of(told, begin.start())
            command = told[begin.start() : end]
            at = end
            if command.startswith("tfrec convert"):
                yield _of_tfrec(command)
                continue
            made = [first or second for first, second in _MADE.findall(command)]
            after = re.match(r"[;,]? (?:then|with|and|and then|convert)[^;:]*?(--.*)", told[end:])
            if after and (option := _OPTION.match(after[1])) and not _OTHERS.match(option[0]):
                yield Proposal(
                    command, made[-1] if made else "", tuple(shlex.split(option[0].rstrip(",;:.)")))
                )
            yield Proposal(command, made[-1] if made else "", ())
        else:
            words: tuple[str, ...] = ()
            while option is not None:
                text = option[0].rstrip(",;:.)")
                words += tuple(shlex.split(text))
                at = option.start() + len(text)
                option = _OPTION.match(told, at + 1) if told[at : at + 1] == " " else None
            if words and not len(words) % 2:
                yield Proposal("", "", words)


def _next_option(told: str, at: int) -> re.Match[str] | None:
    return next((m for m in _OPTION.finditer(told, at) if not _OTHERS.match(m[0]) and " " in m[0]), None)


def _of_tfrec(command: str) -> Proposal:
    words = shlex.split(command)[2:]
    first = next((at for at, word in enumerate(words) if word.startswith("--")), len(words))
    return Proposal("", words[0], tuple(words[first:]))


def _end_of(told: str, start: int) -> int:
    """Where a command ends: before a mark that no quote or parenthesis holds."""
    quote, depth = "", 0
    for at in range(start, len(told)):
        letter, rest = told[at], told[at + 1 : at + 3]
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter == "(":
            depth += 1
        elif letter == ")":
            if not depth:
                return at
            depth -= 1
        elif letter == "\n" or (not depth and letter in ";,:" and re.match(r" [a-z(-]|$|\n", rest or "")):
            if letter == "," and re.match(r" [-(']", rest):
                continue
            return at
    return len(told)
