"""What becomes of a list when a person does what the messages propose, up to four times."""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, Final, Protocol

from converting import commands, convert_json, shell
from inline import inline_workers

_TIMES: Final = 4
_LABEL: Final = re.compile(r"\blabel=\"?([^\",]+)")
_MARKS: Final = ",;:.)"  # behind an option in a sentence
_ALTERNATIVES: Final = 6
_SHOWN: Final = 600
_BEGIN: Final = re.compile(r"(?<![^\s:(])(?:\(echo |\(cd |python -c |awk |sed |iconv |jq |tfrec convert )")
# Several sources converted each by itself, with the options that were given, and the datasets then.
_EACH_BY_ITSELF: Final = re.compile(r"same other options: .* OUTPUT_DIR-1.*OUTPUT_DIR-[0-9]+ OUTPUT_DIR")
_OPTION: Final = re.compile(
    r"""(?<![\w-])--[a-z][a-z-]*(?! does)(?: (?:'[^']*'|"[^"]*"|[^\s'"-](?:[^\s'"]|'[^']*')*))?"""
)
_MADE: Final = re.compile(r"""> *([\w./-]+\.(?:csv|jsonl|tsv|txt))|to_csv\("([^"]+)\"""")
# Options of another kind of dataset: nobody who has boxes takes them, or who has labels of whole images.
OF_NO_BOXES: Final = re.compile(
    r"--(?:task (?!detection)|unlabelled|features|label-names|labels|map|label-folder|max-rejects|exclude"
    r"|split|dry)"
)
OF_NO_CLASSES: Final = re.compile(
    r"--(?:task (?:detection|tabular)|unlabelled|features|label-names|labels|label-folder|max-rejects|exclude"
    r"|split|dry|box|stratify)"
)


# A word of a list for a split, in lower case, begins so.
SPLITS: Final = {"tra": "train", "val": "validation", "tes": "test"}
Options = tuple[tuple[str, ...], ...]  # each with its value, if it takes one


@dataclass(frozen=True)
class Proposal:
    """What a message says to do: a command for a shell and what it makes, options, or both.

    Attributes:
      made: sources to be converted then; none: those that were.
      of_each: whether it converts each source, as options say that were given: they do not count any more.
    """

    command: str
    made: tuple[str, ...]
    options: Options
    of_each: bool = False


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


@dataclass(frozen=True)
class Person:
    """Somebody who follows messages.

    Attributes:
      judge: says of what `tfrec convert --json` printed, and of its folder, what they are.
      passes_over: options that this person has no use for.
      labels: columns that hold labels, as this person knows; none: it knows of none.
    """

    judge: Callable[[dict[str, Any], Path], str]
    passes_over: re.Pattern[str]
    labels: frozenset[str] = frozenset()

    def may_take(self, proposal: Proposal) -> bool:
        """Whether a proposal takes no other column for the label."""
        named = (_LABEL.search(value) for _, *values in proposal.options for value in values)
        return not self.labels or all(found is None or found[1] in self.labels for found in named)


def follow(
    person: Person,
    folder: Path,
    sources: tuple[str, ...],
    options: Options = (),
    steps: tuple[str, ...] = (),
) -> End:
    """Converts, and goes on with the first proposal, else with another one that is right.

    Args:
      folder: where the sources are, and their images; it is copied for each try.
      steps: that were followed before.
    """
    output = folder.with_name(f"{folder.name}-out")
    done = convert_json(*sources, output, *chain.from_iterable(options), cwd=folder)
    if "records" in done and done["status"] != "failed":
        end = End(person.judge(done, output), steps, told_by(done))
        shutil.rmtree(output, ignore_errors=True)
        return end
    told = told_by(done)
    if len(steps) == _TIMES:
        return End("refused", steps, told)
    found: End | None = None
    taken = filter(person.may_take, proposals(told, person.passes_over))
    for number, proposal in enumerate(_first(taken)):
        end = _try(person, folder, number, sources, proposal, options, steps)
        if end.judgement == "right":
            return End(end.judgement, end.steps, end.told, end.chosen or number > 0)
        found = found or end
    return found or End("refused", steps, told)


def _try(
    person: Person,
    folder: Path,
    number: int,
    sources: tuple[str, ...],
    proposal: Proposal,
    options: Options,
    steps: tuple[str, ...],
) -> End:
    copy = folder.with_name(f"{folder.name}{number}")
    shutil.copytree(folder, copy)
    taken = (*steps, " ".join((proposal.command, *chain.from_iterable(proposal.options))).strip())
    command = proposal.command
    if proposal.of_each:
        command, options = "; ".join(_with_its_own(each, options) for each in command.split("; ")), ()
    try:
        if command and (run := shell(command, copy)).code:
            return End("refused", taken, f"the command failed: {run.err[-400:]}")
        made = proposal.made or sources
        if command and not (copy / _path_of(made[0])).exists():
            return End("refused", taken, f"{made[0]} was not made")
        return follow(person, copy, made, _merged(options, proposal.options), taken)
    finally:
        shutil.rmtree(copy)


def _with_its_own(command: str, options: Options) -> str:
    """A command for one source, with the options that are not for another split."""
    split = shlex.split(command)[2].partition("=")[0]
    own = (each for each in options if _kind(each)[1] in ("", split))
    return f"{command} {shlex.join(chain.from_iterable(own))}"


def _path_of(source: str) -> str:
    """A source without the split that stands before it."""
    split, equals, path = source.partition("=")
    return path if equals and split in SPLITS.values() else source


def _merged(options: Options, further: Options) -> Options:
    """Options of which a later one takes the place of an earlier one."""
    again = {_kind(option) for option in further}
    return (*(option for option in options if _kind(option) not in again), *further)


def _kind(option: tuple[str, ...]) -> tuple[str, str]:
    """What a later option takes the place of: the same, for the sources of the same split."""
    split, equals, _ = (option[1:] or ("",))[0].partition("=")
    return option[0], split if equals and split in SPLITS.values() else ""


def _first(found: Iterator[Proposal]) -> list[Proposal]:
    return list(dict.fromkeys(found))[:_ALTERNATIVES]


def verdict(done: dict[str, Any], rights: Iterable[bool], *, is_whole: bool) -> str:
    """What a dataset is.

    Args:
      done: what `tfrec convert --json` printed.
      rights: whether each of its records is what it should be.
      is_whole: whether it has all of them.
    """
    if not all(rights):
        warnings = (each for each in done["warnings"] if not each.startswith("the splits came out as"))
        return "wrong, warned" if any(warnings) else "wrong"
    return "right" if is_whole else "partly"


def told_by(done: dict[str, Any]) -> str:
    """The error and its hint; of a conversion, warnings and notes."""
    if error := done.get("error"):
        rows = "\n".join(str(problem.get("reason", "")) for problem in done.get("problems", ()))
        return "\n".join((error["message"], error.get("hint", ""), *done["warnings"], rows))
    return "\n".join(map(str, (*done["warnings"], *done["remarks"])))


def proposals(told: str, passed_over: re.Pattern[str]) -> Iterator[Proposal]:
    """Commands and options of a message, in its order, without some options."""
    at = 0
    if each := _EACH_BY_ITSELF.search(told):
        commands = each[0].partition(": ")[2].split("; ")
        datasets = re.findall(r"OUTPUT_DIR-[0-9]+", commands[-1])
        yield Proposal("; ".join(commands[:-1]), tuple(datasets), (), of_each=True)
    while True:
        begin, option = _BEGIN.search(told, at), _next_option(told, at, passed_over)
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
            if after := re.match(r"; then: (tfrec convert .*)", told[end:]):
                then = _of_tfrec(after[1][: _end_of(after[1], 0)])
                yield Proposal(command, then.made, then.options)
            after = re.match(r"[;,]? (?:then|with|and|and then|convert)[^;:]*?(--.*)", told[end:])
            if after and (option := _OPTION.match(after[1])) and not passed_over.match(option[0]):
                yield Proposal(command, tuple(made[-1:]), (_words_of(option),))
            yield Proposal(command, tuple(made[-1:]), ())
        else:
            found: Options = ()
            while option is not None:
                words = _words_of(option)
                found += (words,) if _is_whole(words) else ()
                text = words[0] if len(words) == 1 else option[0].rstrip(_MARKS)
                at = option.start() + len(text)
                option = _OPTION.match(told, at + 1) if told[at : at + 1] == " " else None
            if found:
                yield Proposal("", (), found)


@cache
def _flags() -> frozenset[str]:
    """Options that take no value."""
    of_convert = commands()["convert"].params
    return frozenset(chain.from_iterable(each.opts for each in of_convert if getattr(each, "is_flag", False)))


def _is_whole(words: tuple[str, ...]) -> bool:
    return len(words) > 1 or words[0] in _flags()


def _words_of(option: re.Match[str]) -> tuple[str, ...]:
    name, _, value = option[0].partition(" ")
    words = tuple(shlex.split(f"{name} {value.rstrip(_MARKS) or value[:1]}"))
    return words[:1] if words[0] in _flags() else words


def _next_option(told: str, at: int, passed_over: re.Pattern[str]) -> re.Match[str] | None:
    found = (match for match in _OPTION.finditer(told, at) if not passed_over.match(match[0]))
    return next((match for match in found if _is_whole(_words_of(match))), None)


def _of_tfrec(command: str) -> Proposal:
    words = shlex.split(command)[2:]
    first = next((at for at, word in enumerate(words) if word.startswith("--")), len(words))
    options = tuple(map(_words_of, _OPTION.finditer(shlex.join(words[first:]))))
    sources = words[: first - (words[first - 1] == "OUTPUT_DIR" or first == len(words))]
    return Proposal("", tuple(sources), options)


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
            if letter == "," and (told[at - 1 : at] == " " or re.match(r" [-(']", rest)):
                continue
            return at
    return len(told)


class Listed(Protocol):
    """A list that was drawn."""

    @property
    def content(self) -> bytes: ...
    @property
    def traits(self) -> str: ...


def shown(seed: int, written: Listed, end: End) -> str:
    """What happened to a list, for whoever reads why a test failed."""
    rows = written.content.decode("utf-8-sig")[:_SHOWN]
    steps = "".join(f"\n  >> {step[:_SHOWN]}" for step in end.steps)
    return f"seed {seed}, {end.name}: {written.traits}\n{rows}{steps}\n  {end.told[:_SHOWN]}\n"


def main(run: Callable[[Iterable[int], Path], Iterator[tuple[int, Listed, End]]], told: str | None) -> None:
    """Shows what becomes of the lists of seeds; exits with 1 where one is wrong.

    Args:
      run: yields each seed with its list, and where a person ends with it.
      told: of the lists.
    """
    parser = argparse.ArgumentParser(description=(told or "").splitlines()[0])
    parser.add_argument("--seeds", default="0:100", help="first, and the one behind the last")
    first, last = map(int, parser.parse_args().seeds.split(":"))
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="lists-") as folder, inline_workers():
        for seed, written, end in run(range(first, last), Path(folder)):
            counts[end.name] += 1
            if end.judgement != "right":
                print(shown(seed, written, end), flush=True)
    print(", ".join(f"{count} {name}" for name, count in counts.most_common()))
    sys.exit(any(name.startswith("wrong") for name in counts))
