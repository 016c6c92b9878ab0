"""`tfrec inspect`: its options, and what it makes of records; the work is `tfrecordcli.inspecting`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tfrecordcli.cli.inspect_summary import problem_lines, summary
from tfrecordcli.cli.options import completes, printing, takes
from tfrecordcli.cli.output import print_json, print_said, printable
from tfrecordcli.errors import TfrecError, UsageError
from tfrecordcli.inspecting.options import EXPORTED, ON_SHEET, InspectOptions, unused_options
from tfrecordcli.option_definition import make_values
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.units import join_names, plural, some_of

if TYPE_CHECKING:
    from tfrecordcli.inspecting.inspection import Inspection


@click.command()
@click.argument("path", shell_complete=completes(place="file"))
@takes(InspectOptions)
@printing()
def inspect(path: str, as_json: bool, quiet: bool, **options: Any) -> int:
    """Show what is in TFRecords, whoever wrote them.

    PATH is a folder of TFRecords or one TFRecord file, plain or gzip.

    \b
    tfrec inspect out/
    tfrec inspect train.tfrecord --parse-fn > reading.py
    tfrec inspect out/ --export some/ --num-records 100
    tfrec inspect out/ --sheet sheet.png
    """  # fmt: skip
    from tfrecordcli.cli.progress import reporting
    from tfrecordcli.inspecting.inspection import as_json_values
    from tfrecordcli.inspecting.inspection import inspect as run

    chosen: InspectOptions = make_values(options, InspectOptions)[0]
    _check(chosen)
    with reporting(quiet or as_json) as reporter:
        inspection = run(path, max_records=chosen.max_records, reporter=reporter)
        made = _make(inspection, chosen)
    if as_json:
        warnings = ["only the first records were read"] if inspection.stopped else []
        values = as_json_values(inspection) | made | {"notes": [*unused_options(chosen)]}
        print_json("inspect", inspection.exit_code, values, _error_of(inspection), warnings=warnings)
        return inspection.exit_code
    code = made.get("parse_function")
    if code:
        click.echo(code)
    elif not quiet:
        click.echo(summary(inspection))
    if code or quiet:
        for line in problem_lines(inspection):
            click.echo(line, err=True)
    if not quiet:
        for line in _product_lines(made):
            click.echo(line, err=bool(code))
        for note in unused_options(chosen):
            print_said(f"note: {note}")
    return inspection.exit_code


def _check(options: InspectOptions) -> None:
    """Refuses what cannot be written before anything is read."""
    export_dir, sheet = options.export_dir, options.sheet
    if export_dir is not None:
        from tfrecordcli.inspecting.export import check_export_folder

        if "://" in export_dir:
            what = f"--export {export_dir}: this is written to a local path only"
            raise UsageError(what, "copy it from there")
        check_export_folder(Path(export_dir))
    if sheet is not None:
        from tfrecordcli.contact_sheet import check_sheet_path

        check_sheet_path(sheet)


def _make(inspection: Any, options: InspectOptions) -> dict[str, Any]:
    """Makes what the options ask for; returns what `--json` tells of it."""
    made: dict[str, Any] = {}
    export_dir, sheet, num_records = options.export_dir, options.sheet, options.num_records
    if not inspection.records:
        return made
    if options.parse_fn:
        from tfrecordcli.inspecting.parse_function import parse_function

        made["parse_function"] = parse_function(inspection)
    if export_dir is not None:
        from tfrecordcli.inspecting.export import export

        done = export(inspection, Path(export_dir), num_records or EXPORTED, options.export_format)
        made["export"] = dataclasses.asdict(done)
    if sheet is not None:
        from tfrecordcli.inspecting.sheet import draw_sheet

        images = draw_sheet(inspection, Path(sheet), num_records or ON_SHEET)
        made["sheet"] = {"file": sheet, "images": images}
    return made


def _product_lines(made: Mapping[str, Any]) -> Iterator[str]:
    """What was written, and what to do with it."""
    export = made.get("export")
    if export is not None:
        folder = printable(export["folder"])
        names = Path(export["labels_file"]).name
        lists = [*export["lists"], names] if names else [*export["lists"]]
        beside = f", {', '.join(lists[:-1])} and {lists[-1]}" if len(lists) > 1 else f" and {lists[0]}"
        boxes = f" ({plural(export['boxes'], 'box', 'boxes')})" if export["boxes"] is not None else ""
        yield f"\nwrote {plural(export['images'], 'image')}{beside}{boxes} into {folder}"
        if export["float_label"]:
            yield f"  left out: {printable(export['float_label'])}, whose floats are no labels"
        if export["left_out"]:
            yield f"  not exported: {printable(some_of(export['left_out'], 8), 800)}"
        if export["sequences"]:
            yield f"  not exported: the feature lists of {plural(export['sequences'], 'SequenceExample')}"
        if export["uneven"]:
            what = "whose lists of boxes differ in length or hold no numbers"
            yield f"  passed over: {plural(export['uneven'], 'record')} {what}"
        if export["made"]:
            yield f"  PNGs made of raw pixels: {export['made']:,}; all others are the bytes as stored"
        if export["several"]:
            yield f"  of {plural(export['several'], 'record')} with several images, one was written"
        if export["without_image"]:
            yield f"  passed over: {plural(export['without_image'], 'record')} without an image"
        keep = " --unlabelled keep" if export["unlabelled"] else ""
        words = [*_sources(export)]
        if export["labels_file"]:  # ids of the names as they were, whatever of them is in the CSV
            words += ["--labels", as_path(export["labels_file"])]
            words += ["--label-type", export["label_type"]] if export["label_type"] else []
        if export["columns"]:
            typed = (f"{name}:{kind}" for name, kind in export["columns"].items())
            words += ["--columns", "image_uri=image_uri,label=label,split=split"]
            words += ["--features", join_names(typed)]
        if export["is_target"]:
            words += ["--task", "regression"]
        keep = " --box-frame stored" if export["boxes"] is not None else keep
        yield f"  tfrec convert {printable(command_line(words), 10_000)} OUTPUT_DIR{keep}"
    if "sheet" in made:
        yield f"\ndrew {plural(made['sheet']['images'], 'image')} into {printable(made['sheet']['file'])}"


def _sources(export: Mapping[str, Any]) -> Iterator[str]:
    """What tfrec convert is given to read an export."""
    for name, split in export["lists"].items():
        path = f"{export['folder'].rstrip('/')}/{name}"
        yield f"{split}={path}" if split else as_path(path)


def _error_of(inspection: Inspection) -> TfrecError | None:
    if inspection.ok:
        return None
    if not inspection.problem_counts:
        return TfrecError("there is no record", "is it the right path?", code="no_records")
    count = plural(sum(inspection.problem_counts.values()), "problem")
    return TfrecError(f"{count} found", "problems lists them", code="problems")
