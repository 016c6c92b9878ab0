"""`tfrec plan`, `tfrec write-shards`, `tfrec finish`: the steps of convert, for schedulers."""

from __future__ import annotations

from typing import Any

import click

from tfrecordcli.cli.convert_show import show_result
from tfrecordcli.cli.options import printing, takes
from tfrecordcli.cli.output import print_json
from tfrecordcli.options import ImageOptions, ReadOptions, RunOptions, ShardChoice, ShardOptions


@click.command()
@click.argument("source")
@click.argument("output_dir")
@takes(ReadOptions)
@takes(ImageOptions)
@takes(ShardOptions)
@takes(RunOptions, "max_rejects", "fail_fast", "overwrite")
@printing()
def plan(source: str, output_dir: str, as_json: bool, quiet: bool, debug: bool, **options: Any) -> int:
    """Make the plan of a conversion, for write-shards.

    The plan stays in OUTPUT_DIR/_tfrec, where every machine must see it. Arguments and options are those
    of convert.

    \b
    tfrec plan data.csv out/
    tfrec write-shards out/ --part 0/10    # and 1/10 to 9/10, on any machines
    tfrec finish out/
    """
    from tfrecordcli.cli.progress import reporting
    from tfrecordcli.conversion import plan as run

    with reporting(quiet) as reporter:
        result = run(source, output_dir, reporter=reporter, **options)
    return show_result("plan", result, as_json, quiet)


@click.command("write-shards")
@click.argument("output_dir")
@takes(ShardChoice)
@takes(RunOptions, "workers")
@printing()
def write_shards(output_dir: str, as_json: bool, quiet: bool, debug: bool, **options: Any) -> int:
    """Make shards of a plan.

    Those that stand already are left alone, so a job that failed is just started again. Any number of
    these can be at work on one OUTPUT_DIR.

    \b
    tfrec write-shards out/ --shards 0-99
    tfrec write-shards out/ --part $SLURM_ARRAY_TASK_ID/100
    """
    from tfrecordcli.cli.convert_json import as_json_values
    from tfrecordcli.cli.convert_summary import shards_summary
    from tfrecordcli.cli.progress import reporting
    from tfrecordcli.steps import write_shards as run

    with reporting(quiet) as reporter:
        result = run(output_dir, reporter=reporter, **options)
    if as_json:
        print_json(as_json_values("write-shards", result))
    elif not quiet:
        click.echo(shards_summary(result))
    return 0


@click.command()
@click.argument("output_dir")
@takes(RunOptions, "max_rejects")
@printing()
def finish(output_dir: str, as_json: bool, quiet: bool, debug: bool, max_rejects: str) -> int:
    """Make a dataset of shards that are all there.

    Also what remains to do when the command that started a distributed conversion died.

    \b
    tfrec finish out/
    """
    from tfrecordcli.steps import finish as run

    return show_result("finish", run(output_dir, max_rejects=max_rejects), as_json, quiet)
