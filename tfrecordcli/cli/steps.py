"""`tfrec plan`, `tfrec write-shards`, `tfrec finish`: the steps of convert, for schedulers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tfrecordcli.cli.convert import print_result_json, show_result
from tfrecordcli.cli.options import completes, printing, takes, takes_conversion
from tfrecordcli.cli.output import printable
from tfrecordcli.options import RunOptions, ShardChoice
from tfrecordcli.units import plural

if TYPE_CHECKING:
    from tfrecordcli.result import ShardsResult


@click.command()
@takes_conversion()
@takes(RunOptions, "max_rejects", "fail_fast", "overwrite")
@printing()
def plan(sources: tuple[str, ...], output_dir: str, as_json: bool, quiet: bool, **options: Any) -> int:
    """Make the plan of a conversion, for write-shards.

    The plan stays in OUTPUT_DIR/_tfrec, where every machine must see it. Arguments and options are those
    of convert.

    \b
    tfrec plan data.csv out/
    tfrec write-shards out/ --part 0/10    # and 1/10 to 9/10, on any machines
    tfrec finish out/
    """
    from tfrecordcli.cli.progress import reporting
    from tfrecordcli.converting.conversion import plan as run

    with reporting(quiet) as reporter:
        result = run(sources, output_dir, reporter=reporter, **options)
    return show_result("plan", result, as_json, quiet)


@click.command("write-shards")
@click.argument("output_dir", shell_complete=completes(place="dir"))
@takes(ShardChoice)
@takes(RunOptions, "workers")
@printing()
def write_shards(output_dir: str, as_json: bool, quiet: bool, **options: Any) -> int:
    """Make shards of a plan.

    Those that stand already are left alone, so a job that failed is just started again. Any number of
    these can be at work on one OUTPUT_DIR.

    \b
    tfrec write-shards out/ --shards 0-99
    tfrec write-shards out/ --part $SLURM_ARRAY_TASK_ID/100
    """
    from tfrecordcli.cli.progress import reporting
    from tfrecordcli.converting.steps import write_shards as run

    with reporting(quiet) as reporter:
        result = run(output_dir, reporter=reporter, **options)
    if as_json:
        print_result_json("write-shards", result)
    elif not quiet:
        click.echo(shards_summary(result))
    return 0


@click.command()
@click.argument("output_dir", shell_complete=completes(place="dir"))
@takes(RunOptions, "max_rejects")
@printing()
def finish(output_dir: str, as_json: bool, quiet: bool, max_rejects: str) -> int:
    """Make a dataset of shards that are all there.

    Also what remains to do when the command that started a distributed conversion died.

    \b
    tfrec finish out/
    """
    from tfrecordcli.converting.steps import finish as run

    return show_result("finish", run(output_dir, max_rejects=max_rejects), as_json, quiet)


def shards_summary(result: ShardsResult) -> str:
    """The summary of `write-shards`."""
    where = click.style(printable(result.output_dir), bold=True)
    if result.status == "already_complete":
        return f"{where} is complete already; nothing to do"
    resumed = f", {result.resumed_shards:,} of them from before" if result.resumed_shards else ""
    counts = f"{plural(result.records, 'record')} from {plural(result.rows, 'row')}"
    lines = [f"{where}: {result.shards:,} of {plural(result.num_shards, 'shard')} stand{resumed}: {counts}"]
    if result.rejected:
        reasons = ", ".join(f"{code} {count:,}" for code, count in result.reasons.items())
        lines.append(f"  {plural(result.rejected, 'row')} rejected: {reasons}; `tfrec finish` lists them")
    return "\n".join(lines)
