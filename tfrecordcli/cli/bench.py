"""`tfrec bench`: its options and its table; the work is `tfrecordcli.bench.comparison`."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import click

from tfrecordcli.bench.ways import WAYS, ComparisonOptions, unused_options
from tfrecordcli.cli.options import completes, printing, takes
from tfrecordcli.cli.output import fitted, print_json, print_said, printable
from tfrecordcli.errors import TfrecError
from tfrecordcli.option_definition import make_values
from tfrecordcli.units import format_size

if TYPE_CHECKING:
    from tfrecordcli.bench.comparison import Comparison


@click.command()
@click.argument("path", shell_complete=completes(place="file"))
@takes(ComparisonOptions)
@printing("table", "Print the table only.")
def bench(path: str, as_json: bool, quiet: bool, **options: Any) -> int:
    """Compare the ways of feeding an accelerator on a dataset.

    PATH is a dataset that tfrec wrote. Each way runs in a process of its own: Python loops, everything
    preloaded, TF1 queue runners, several processes, tf.data over files and over TFRecords.

    \b
    tfrec bench out/ --step-time 60
    """  # fmt: skip
    from tfrecordcli.bench.comparison import compare_ways
    from tfrecordcli.feed.tensorflow import log_fatal_only

    def say(name: str) -> None:
        if not quiet:
            click.echo(f"{WAYS[name]} …", err=True)

    log_fatal_only()
    chosen: ComparisonOptions = make_values(options, ComparisonOptions)[0]
    comparison = compare_ways(path, chosen, say)
    notes = [*unused_options(chosen)]
    failed = ", ".join(comparison.failures)
    code = 2 if failed else 0
    if as_json:
        error = TfrecError(f"failed: {failed}", "failures says why", code="ways") if failed else None
        print_json("bench", code, dataclasses.asdict(comparison) | {"notes": notes}, error)
    else:
        click.echo(_table(comparison))
        for note in () if quiet else notes:
            print_said(f"note: {note}")
    return code


def _table(comparison: Comparison) -> str:
    rates = {result.name: result.images_per_second for result in comparison.results}
    ours = rates.get("tfdata_records", max(rates.values(), default=0.0))
    rows = [["way", "images/s", "ratio", "first batch", "memory", "accelerator waits"]]
    for result in comparison.results:
        wait = "" if result.accelerator_wait is None else f"{result.accelerator_wait:.0%}"
        rows.append(
            [
                WAYS[result.name],
                f"{result.images_per_second:,.0f}",
                f"{result.images_per_second / ours:.2f}",
                f"{result.first_batch_seconds:.1f} s",
                format_size(result.peak_memory_bytes),
                wait,
            ]
        )
    head = f"{click.style(printable(comparison.path), bold=True)}: batches of {comparison.batch_size}"
    if comparison.source:
        passed_over = f", {comparison.passed_over:,} rows passed over" if comparison.passed_over else ""
        head += f", files of {printable(comparison.source)} ({comparison.files:,}{passed_over})"
    step = f", an accelerator that takes {comparison.step_ms:g} ms a batch" if comparison.step_ms else ""
    failures = [
        f"  {click.style('failed', fg='red')}: {WAYS[name]}: {printable(reason, 400)}"
        for name, reason in comparison.failures.items()
    ]
    lines = [*(fitted(rows, "<>>>>>") if rates else ()), *failures]
    return f"{head} at {comparison.image_size} px{step}\n\n" + "\n".join(lines)
