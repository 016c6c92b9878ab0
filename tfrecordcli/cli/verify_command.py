"""`tfrec verify`: its options; the work is `tfrecordcli.verification`."""

from __future__ import annotations

from typing import Any

import click

from tfrecordcli.cli.output import print_error, print_json


@click.command()
@click.argument("path")
@click.option("--split", metavar="NAME", help="Only this split.  [all]")
@click.option("--shards", metavar="A-B", help="Only shards of these numbers, from 0.  [all]")
@click.option("--feed/--no-feed", default=True, help="TensorFlow reads everything too, and is timed.  [on]")
@click.option(
    "--check",
    type=click.Choice(["decode", "structure"]),
    default="decode",
    help="Decode every image in full, or walk it only.  [decode]",
)
@click.option(
    "--max-pixels",
    metavar="N",
    type=click.IntRange(1),
    help="Larger images are problems, and not decoded.  [as converted with, or 89478485]",
)
@click.option("--batch-size", metavar="N", type=click.IntRange(1), default=64, help="Of the feed.  [64]")
@click.option("--image-size", metavar="N", type=click.IntRange(1), default=224, help="Of the feed.  [224]")
@click.option(
    "--device",
    metavar="NAME",
    default="auto",
    help="Where batches must arrive: auto, cpu, gpu, gpu:1.  [auto]",
)
@click.option(
    "--step-time",
    metavar="MS",
    type=click.FloatRange(0),
    default=0.0,
    help="How long an accelerator computes for each batch: would it wait?  [0]",
)
@click.option(
    "--feed-seconds",
    metavar="S",
    type=click.FloatRange(0, min_open=True),
    default=10.0,
    help="Length of the timed sample.  [10]",
)
@click.option("--strict", is_flag=True, help="Warnings count as errors.")
@click.option("--ignore", metavar="CODE", multiple=True, help="Leave out a code; may be given again.")
@click.option("--workers", metavar="N", type=click.IntRange(1), help="Busy processes.  [available cores]")
@click.option(
    "--max-problems",
    metavar="N",
    type=click.IntRange(1),
    default=100,
    help="Problems that are listed; all are counted.  [100]",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the report.")
@click.option("--quiet", is_flag=True, help="Print errors only.")
@click.option("--debug", is_flag=True, help="Show the traceback of errors.")
def verify(path: str, as_json: bool, quiet: bool, debug: bool, **options: Any) -> int:
    """Prove that TFRecords are right and can feed an accelerator.

    PATH is a dataset that tfrec wrote, any folder of TFRecords, or one TFRecord file.

    \b
    tfrec verify out/
    tfrec verify out/ --step-time 60 --device gpu
    """  # fmt: skip
    from tfrecordcli.cli.progress import reporting
    from tfrecordcli.cli.verify_summary import as_json_values, summary
    from tfrecordcli.feed.quiet import log_fatal_only
    from tfrecordcli.verification import verify as run
    from tfrecordcli.verify_options import make_verify_options

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
