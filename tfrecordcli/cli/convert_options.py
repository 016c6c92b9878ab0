"""The options of `tfrec convert` in the groups in which its steps share them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from tfrecordcli.options import DEFAULT_SPLITS

_Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def options(*options: _Decorator) -> _Decorator:
    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


reading = options(
    click.option("--columns", metavar="FIELD=NAME,…", help="Columns of the CSV that hold image_uri, "
                 "label and split, as in image_uri=Filename,label=Species.  [by their known names]"),
    click.option("--image-root", metavar="DIR", help="Folder that relative image paths are relative to.  "
                 "[the CSV's own]"),
    click.option("--encoding", help="Encoding of the CSV.  [utf-8]"),
    click.option("--delimiter", help="Delimiter of the CSV: one character, or tab.  [found out]"),
    click.option("--unlabelled", type=click.Choice(["error", "keep", "skip"]),
                 help="Rows without a label: reject them, keep them without a label feature, or leave "
                 "them out.  [error]"),
    click.option("--label-folder", type=click.Choice(["first", "last"]),
                 help="Of a folder with images deeper than <label>/<file>: which folder is the "
                 "label.  [refuse]"),
    click.option("--label-type", type=click.Choice(["auto", "name", "id"]),
                 help="auto: labels that are all integers are ids and stay as they are.  [auto]"),
    click.option("--labels", "labels_file", metavar="FILE",
                 help="Fixed vocabulary, one name a line, id = line from 0.  [all labels, sorted]"),
    click.option("--new-labels", type=click.Choice(["reject", "append"]),
                 help="Labels that are not in --labels: reject their rows, or number them after "
                 "it.  [reject]"),
    click.option("--splits", metavar="SPLIT=SHARE,…",
                 help=f"How rows without a split are dealt, by a hash of the image_uri.  [{DEFAULT_SPLITS}]"),
    click.option("--split-seed", metavar="N", help="Seed of that dealing.  [0]"),
)  # fmt: skip
images = options(
    click.option("--check", type=click.Choice(["decode", "structure"]),
                 help="decode: every byte of every image is decoded. structure: the file is walked, damage "
                 "inside the image data can pass.  [decode]"),
    click.option("--max-side", metavar="N", help="Shrink images whose longer side is above N pixels.  [off]"),
    click.option("--exif", type=click.Choice(["apply", "keep"]),
                 help="Turn rotated photos upright, or keep them as they are.  [apply]"),
    click.option("--max-pixels", metavar="N", help="Reject images of more pixels.  [89478485]"),
    click.option("--max-image-bytes", metavar="SIZE", help="Reject larger image files.  [64MiB]"),
)  # fmt: skip
shards = options(
    click.option("--seed", metavar="N", help="Seed of the order in the shards.  [0]"),
    click.option("--num-shards", metavar="N", help="Shards a split, or as in train=8,test=1.  "
                 "[from --shard-size]"),
    click.option("--shard-size", metavar="SIZE", help="Size of a shard to aim at.  [128MiB]"),
    click.option("--compression", type=click.Choice(["none", "gzip"]), help="Compress the shards.  [none]"),
    click.option("--index/--no-index", default=None, help="Write an offset index beside each shard, as DALI "
                 "and PyTorch readers want it.  [off]"),
)  # fmt: skip
max_rejects = click.option(
    "--max-rejects", metavar="N|N%", help="Rejected rows that still count as success.  [0]"
)
fail_fast = click.option(
    "--fail-fast", is_flag=True, default=None, help="Stop as soon as --max-rejects is passed."
)
workers = click.option("--workers", metavar="N", help="Busy processes.  [available cores]")
overwrite = click.option("--overwrite", is_flag=True, default=None, help="Replace a finished dataset.")
running = options(
    max_rejects,
    fail_fast,
    workers,
    click.option("--runner", metavar="NAME", help="What makes the shards: local, or an Apache Beam runner, "
                 "as DirectRunner or DataflowRunner.  [local]"),
    click.option("--project", metavar="ID", help="Google Cloud project, for DataflowRunner."),
    click.option("--region", metavar="NAME", help="Google Cloud region, for DataflowRunner."),
    click.option("--temp-location", metavar="URL", help="Where Beam puts files of its own.  "
                 "[inside OUTPUT_DIR]"),
    click.option("--beam-option", "beam_options", multiple=True, metavar="NAME=VALUE",
                 help="An option of Beam, as in max_num_workers=50; may be given again."),
    click.option("--dry-run", is_flag=True, default=None, help="Check the source and show the plan only."),
    overwrite,
)  # fmt: skip
printing = options(
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the summary."),
    click.option("--quiet", is_flag=True, help="Print errors only."),
    click.option("--debug", is_flag=True, help="Show the traceback of errors."),
)
