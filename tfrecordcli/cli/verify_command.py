"""`tfrec verify`: its options; the work is `tfrecordcli.verification`."""

from __future__ import annotations

from typing import Any

import click

from tfrecordcli.cli.options import printing, takes
from tfrecordcli.cli.output import print_error, print_json
from tfrecordcli.verify_options import VerifyOptions, make_verify_options


@click.command()
@click.argument("path")
@takes(VerifyOptions)
@printing("report")
def verify(path: str, as_json: bool, quiet: bool, debug: bool, **options: Any) -> int:
    """Prove that TFRecords are right and can feed an accelerator.

    PATH is a dataset that tfrec wrote, any folder of TFRecords, or one TFRecord file.

    \b
    tfrec verify out/
    tfrec verify out/ --step-time 60 --device gpu
    """  # fmt: skip
    from tfrecordcli.cli.progress import reporting
    from tfrecordcli.cli.verify_summary import as_json_values, summary
    from tfrecordcli.feed.tensorflow import log_fatal_only
    from tfrecordcli.verification import verify as run

    log_fatal_only()
    with reporting(quiet) as reporter:
        report = run(path, make_verify_options(options), reporter)
    if as_json:
        print_json(as_json_values(report))
    elif not quiet or report.exit_code:
        click.echo(summary(report))
    if report.failure is not None:
        print_error(report.failure)
    return report.exit_code
