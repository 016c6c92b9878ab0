"""What was measured, as Markdown for people and as JSON for programs."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench import Part, Ratio
from processes import Spread


@dataclass(frozen=True, slots=True)
class Report:
    """All parts of one benchmark run.

    Attributes:
      command: what was typed, without paths.
      machine: what it ran on.
      versions: of all packages in play.
      input: the photos in words.
      subject: what was measured, for the title.
    """

    command: str
    machine: Mapping[str, str]
    versions: Mapping[str, str]
    input: str
    parts: Sequence[Part]
    subject: str


def markdown(report: Report) -> str:
    """The report as one Markdown page."""
    lines = [
        f"# {report.subject}: measured",
        "",
        f"`{report.command}`",
        "",
        ", ".join(f"{name}: {value}" for name, value in report.machine.items()) + ".  ",
        ", ".join(f"{name} {version}" for name, version in report.versions.items()) + ".  ",
        report.input,
        "",
        "Whole processes in alternating turns. Inputs are in the page cache, outputs are removed between",
        "runs, and the disk is synced before each. Ratios are taken within each round; the figure is the",
        "median, and the range is that of all rounds. CPU is user and system time, child processes included.",
    ]
    for part in report.parts:
        lines += ["", *_part(part)]
    return "\n".join(lines) + "\n"


def as_json(report: Report) -> dict[str, Any]:
    """The report as plain data; seconds unless a unit says otherwise."""
    return {
        "command": report.command,
        "machine": dict(report.machine),
        "versions": dict(report.versions),
        "input": report.input,
        "parts": [
            {
                "title": part.title,
                "not_measured": part.not_measured,
                "runs": {
                    name: [{"wall": run.wall, "cpu": run.cpu} for run in runs]
                    for name, runs in part.runs.items()
                },
                "ratios": [_ratio_as_json(ratio) for ratio in part.ratios],
            }
            for part in report.parts
        ],
    }


def _part(part: Part) -> Iterator[str]:
    yield f"## {part.title}"
    yield ""
    if part.not_measured:
        yield f"**Not measured**: {part.not_measured}."
        return
    yield "| command | wall s | CPU s | rounds |"
    yield "| --- | ---: | ---: | ---: |"
    for name, runs in part.runs.items():
        wall = statistics.median(run.wall for run in runs)
        cpu = statistics.median(run.cpu for run in runs)
        yield f"| {name} | {wall:.2f} | {cpu:.2f} | {len(runs)} |"
    yield ""
    yield "| comparison | median | range | target | |"
    yield "| --- | ---: | ---: | ---: | --- |"
    for ratio in part.ratios:
        yield _ratio(ratio)


def _ratio(ratio: Ratio) -> str:
    target = "" if ratio.target is None else f"{ratio.direction} {ratio.target:g}{ratio.unit}"
    verdict = {True: "met", False: "**missed**", None: ""}[ratio.met]
    values = ratio.spread
    digits = 2 if values.median < 100 else 0
    median, low, high = (f"{value:.{digits}f}" for value in (values.median, values.low, values.high))
    return f"| {ratio.what} | {median}{ratio.unit} | {low} to {high} | {target} | {verdict} |"


def _ratio_as_json(ratio: Ratio) -> dict[str, Any]:
    return {
        "what": ratio.what,
        "unit": ratio.unit.strip(),
        **_spread_as_json(ratio.spread),
        "target": ratio.target,
        "direction": ratio.direction,
        "met": ratio.met,
    }


def _spread_as_json(values: Spread) -> dict[str, float]:
    return {"median": values.median, "low": values.low, "high": values.high}
