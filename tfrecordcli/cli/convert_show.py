"""How a command shows the result of a conversion."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import click

from tfrecordcli.cli.output import print_json, print_said

if TYPE_CHECKING:
    from tfrecordcli.result import ConvertResult


def show_result(
    command: str, result: ConvertResult, as_json: bool, quiet: bool, told: Collection[str] = ()
) -> int:
    """Prints it as a person or a script wants it, without what was told already; returns the exit code."""
    from tfrecordcli.cli.convert_json import as_json_values
    from tfrecordcli.cli.convert_summary import summary

    if as_json:
        print_json(as_json_values(command, result))
    elif not quiet:
        click.echo(summary(result, command))
    elif result.exit_code:
        click.echo(summary(result, command).partition("\n")[0], err=True)
    if not quiet:
        notes = (f"note: {text}" for text in result.remarks)
        for line in (*notes, *(f"warning: {text}" for text in result.warnings)):
            if line not in told:
                print_said(line)
    return result.exit_code
