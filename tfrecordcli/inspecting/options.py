"""The options of `inspect`; each is defined here, once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from tfrecordcli.option_definition import changed, not_used, option

# Images that are exported, and drawn, when nobody says how many.
EXPORTED: Final = 10
ON_SHEET: Final = 48


def unused_options(options: InspectOptions) -> Iterator[str]:
    """Notes for options that are given and do nothing."""
    if options.export_dir is None and options.sheet is None and options.num_records is not None:
        yield not_used(changed(options, ("num_records",)), "neither --export nor --sheet is given")
    if options.export_dir is None and (of_export := changed(options, ("export_format",))):
        yield not_used(of_export, "--export is not given")


@dataclass(frozen=True, slots=True)
class InspectOptions:
    """What is read, and what is made of it."""

    max_records: int | None = option(None, "Read at most N records.", "N", least=1, shown="all")
    parse_fn: bool = option(False, "Print a Python module that parses the records, nothing else.")
    export_dir: str | None = option(
        None, "Write images, and a list of them that tfrec convert reads.", "DIR", flag="--export"
    )
    export_format: Literal["csv", "coco"] = option("csv", "What --export lists boxes in.")
    sheet: str | None = option(None, "Draw a contact sheet.", "FILE.png")
    num_records: int | None = option(
        None, "Images of --export and --sheet, from all files in turn.", "N", least=1,
        shown=f"{EXPORTED}, {ON_SHEET}",
    )  # fmt: skip
