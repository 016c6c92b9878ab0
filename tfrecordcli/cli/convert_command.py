"""`tfrec convert`: its options; the work is `tfrecordcli.conversion`."""

from __future__ import annotations

from typing import Any

import click

from tfrecordcli.cli.convert_show import show_result
from tfrecordcli.cli.options import printing, takes
from tfrecordcli.options import ImageOptions, ReadOptions, RunOptions, ShardOptions


@click.command()
@click.argument("source")
@click.argument("output_dir")
@takes(ReadOptions)
@takes(ImageOptions)
@takes(ShardOptions)
@takes(RunOptions)
@printing()
def convert(
    source: str,
    output_dir: str,
    as_json: bool,
    quiet: bool,
    debug: bool,
    **options: Any,
) -> int:
    """Convert an image list to sharded TFRecords.

    SOURCE is a CSV (split, image_uri, label; with or without a header), a folder of images
    (<split>/<label>/<file> or <label>/<file>), or - for a CSV on standard input.

    \b
    tfrec convert data.csv out/
    tfrec convert data.csv out/ --num-shards train=8,test=1 --max-rejects 1%
    """
    from tfrecordcli.cli.progress import reporting, told_by
    from tfrecordcli.conversion import convert as run

    with reporting(quiet) as reporter:
        result = run(source, output_dir, reporter=reporter, **options)
    return show_result("convert", result, as_json, quiet, told_by(reporter))
