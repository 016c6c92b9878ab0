"""`tfrec doctor`: its options, and how its findings are shown; the work is `tfrecordcli.doctor`."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

import click

from tfrecordcli.cli.options import printing, takes
from tfrecordcli.cli.output import print_json, printable, wrapped
from tfrecordcli.doctor.diagnosis import DoctorOptions
from tfrecordcli.errors import TfrecError
from tfrecordcli.option_definition import make_values
from tfrecordcli.units import plural
from tfrecordcli.version import __version__

if TYPE_CHECKING:
    from tfrecordcli.doctor.finding import Finding

_COLOURS: Final = {"ok": "green", "absent": "yellow", "wrong": "red"}


@click.command()
@takes(DoctorOptions)
@printing("findings", "Print what is wrong only.")
def doctor(as_json: bool, quiet: bool, **options: Any) -> int:
    """Show whether this machine has what tfrec needs.

    Each line that is not ok ends with what to do. The exit code is 1 when something is wrong; what is
    absent is needed for what its line says only.

    \b
    tfrec doctor
    tfrec doctor --stores gs://bucket/photos --stores s3://other
    """  # fmt: skip
    from tfrecordcli.doctor.diagnosis import diagnose
    from tfrecordcli.feed.tensorflow import log_fatal_only

    log_fatal_only()
    chosen: DoctorOptions = make_values(options, DoctorOptions)[0]
    if not (as_json or quiet):
        click.echo(f"{click.style('tfrec', bold=True)} {__version__}")
    found = []
    for finding in diagnose(chosen.stores):
        found.append(finding)
        if not as_json and (finding.state == "wrong" or not quiet):
            click.echo(_line(finding))
    wrong = sum(finding.state == "wrong" for finding in found)
    code = 1 if wrong else 0
    if as_json:
        error = TfrecError(f"{plural(wrong, 'finding')} wrong", "see findings", code="doctor")
        values = {"version": __version__, "findings": [dataclasses.asdict(finding) for finding in found]}
        print_json("doctor", code, values, error if wrong else None)
    return code


def _line(finding: Finding) -> str:
    text = f"{printable(finding.text, 400)}: {finding.hint}" if finding.hint else printable(finding.text, 400)
    head = f"  {finding.state:<6}  {finding.topic:<10} "
    rest = wrapped(text, len(head), keep_words=True).removeprefix(" " * len(head))
    return click.style(head[:8], fg=_COLOURS[finding.state]) + head[8:] + rest
