"""`tfrec convert`: its options, and how its result is shown; the work is `converting/conversion.py`."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

import click

from tfrecordcli.cli.options import printing, takes, takes_conversion
from tfrecordcli.cli.output import (
    fitted,
    print_json,
    print_said,
    printable,
    reject_listing,
    rejects_hint,
    wrapped,
)
from tfrecordcli.errors import TfrecError
from tfrecordcli.options import RunOptions
from tfrecordcli.units import format_rate, format_size, plural

if TYPE_CHECKING:
    from tfrecordcli.result import ConvertResult, ShardsResult


@click.command()
@takes_conversion()
@takes(RunOptions)
@printing()
def convert(sources: tuple[str, ...], output_dir: str, as_json: bool, quiet: bool, **options: Any) -> int:
    """Convert an image list to sharded TFRecords.

    SOURCE is a CSV (split, image_uri, label; with or without a header), one of boxes (AutoML and
    Vertex AI, RetinaNet, Open Images, VoTT; any with columns for corners or one called bbox), a list
    in JSON (COCO, CreateML, JSON Lines), a folder of images (<split>/<label>/<file>,
    <label>/<split>/<file> or <label>/<file>) or of Pascal VOC or YOLO, TFRecords (a folder or a
    file), or - for a CSV on standard input. docs/input-formats.md shows each.

    \b
    tfrec convert data.csv out/
    tfrec convert data.csv out/ --num-shards train=8,test=1 --max-rejects 1%
    """
    from tfrecordcli.cli.progress import reporting, told_by
    from tfrecordcli.converting.conversion import convert as run

    with reporting(quiet) as reporter:
        result = run(sources, output_dir, reporter=reporter, **options)
    return show_result("convert", result, as_json, quiet, told_by(reporter))


def show_result(
    command: str, result: ConvertResult, as_json: bool, quiet: bool, told: Collection[str] = ()
) -> int:
    """Prints it as a person or a script wants it, without what was told already; returns the exit code."""
    if as_json:
        print_result_json(command, result)
    elif not quiet:
        is_above = sys.stdout.isatty() and sys.stderr.isatty()  # where it was told
        click.echo(summary(result, command, told if is_above else ()))
    elif result.exit_code:
        click.echo(summary(result, command).partition("\n")[0], err=True)
    if not quiet:
        notes = (f"note: {text}" for text in result.remarks)
        for line in (*notes, *(f"warning: {text}" for text in result.warnings)):
            if line not in told:
                print_said(line)
    return result.exit_code


def print_result_json(command: str, result: ConvertResult | ShardsResult) -> None:
    """Prints the JSON object of a conversion, or of a step of it."""
    values = {
        field.name: getattr(result, field.name)
        for field in dataclasses.fields(result)
        if field.name not in ("labels", "reject_groups")  # these are in the text summary only
    }
    failure, error = values.pop("error", ""), None
    if failure:
        shown = values.get("problems", ())
        hint = rejects_hint(result.reasons, shown) if result.rejected else "is it the right file?"
        code = "rejects" if result.rejected else "no_records"
        error = TfrecError(failure, hint, code=code)
    status, warnings = values.pop("status"), values.pop("warnings", ())
    print_json(command, values.pop("exit_code", 0), values, error, status, warnings)


def summary(result: ConvertResult, command: str, told: Collection[str] = ()) -> str:
    """The summary of `convert`, `plan` or `finish`, without a line break at its end.

    Args:
      told: lines that stand above it already; rejected rows that are all among them are not listed again.
    """
    rejects = _rejects(result, told)
    blocks = [_headline(result, command), _table(result), "\n".join(_facts(result)), rejects]
    return "\n\n".join(block for block in blocks if block)


def _headline(result: ConvertResult, command: str) -> str:
    where = click.style(printable(result.output_dir), bold=True)
    records = plural(result.records, "record")
    shards = plural(sum(s["shards"] for s in result.splits.values()), "shard")
    if result.status == "planned" and command == "plan":
        return f"{where} has its plan: {records} from {plural(result.rows, 'row')} in {shards}"
    if result.status == "planned":
        return f"{where} would get {records} from {plural(result.rows, 'row')}; --dry-run wrote nothing there"
    if result.status == "already_complete":
        same = "" if command == "finish" else " of this very source and options"
        return f"{where} is complete already: {records}{same}; nothing to do"
    if result.status == "failed" and result.splits:  # of the plan alone: no work was begun
        return f"nothing was written to {where}: {result.error}"
    if result.status == "failed":
        return f"{where} was not finished: {result.error}"
    resumed = f" ({result.resumed_shards:,} finished by an earlier run)" if result.resumed_shards else ""
    return f"{where} is complete: {records} from {plural(result.rows, 'row')} in {shards}{resumed}"


def _table(result: ConvertResult) -> str:
    if not result.splits:
        return ""
    columns = ["rows", "records", "rejected", "merged", "discarded", "shards"]
    rare = [c for c in ("merged", "discarded") if not any(s[c] for s in result.splits.values())]
    columns = [c for c in columns if c not in rare]
    rows = [["split", *columns, "size"]]
    for name, counts in result.splits.items():
        size = format_size(counts["bytes"]) if counts["bytes"] else ""
        rows.append([name if name != "none" else "(none)", *(f"{counts[c]:,}" for c in columns), size])
    return "\n".join(fitted(rows, "<" + ">" * (len(rows[0]) - 1)))


def _facts(result: ConvertResult) -> Iterable[str]:
    if result.labels:
        names = ", ".join(f"'{name}'" if "," in name else name for name in map(_short, result.labels))
        more = ", …" if result.num_labels > len(result.labels) else ""
        kind = "label id" if result.label_kind == "id" else "label"
        yield wrapped(f"{plural(result.num_labels, kind)}: {names}{more}", keep_words=True)
    for moved in result.renumbered_labels:
        yield f"  label id changes: {printable(moved)}"
    yield from _boxes(result)
    if result.notes:
        from tfrecordcli.images.notes import NOTES

        for code, count in result.notes.items():
            yield f"  {plural(count, 'image')}: {NOTES[code]}"
    if result.sheet:
        drawn, rejected = plural(result.sheet["images"], "image"), result.sheet["rejected"]
        but = f", {rejected:,} of them as rejected" if rejected else ""
        yield wrapped(f"drew {drawn} into {printable(result.sheet['file'])}{but}", keep_words=True)
    if result.images_per_second:
        read = f"read {format_size(result.bytes_read)}, " if result.bytes_read else ""  # none of a table
        rate = format_rate(result.images_per_second, "image" if read else "row")
        wrote = format_size(result.bytes_written)
        yield f"  {read}wrote {wrote} in {result.seconds:.1f} s ({rate})"


def _short(label: str) -> str:
    return printable(label, 40)


def _boxes(result: ConvertResult) -> Iterable[str]:
    counts = result.boxes
    if not counts:
        return
    verb = "stored" if result.status in ("complete", "already_complete") else "planned"
    outcomes = {"left_out": "left out", "merged": "merged", "rejected": "rejected", "discarded": "discarded"}
    told = "".join(f", {counts[name]:,} {words}" for name, words in outcomes.items() if counts[name])
    most = f" (at most {counts['most']:,} in an image)" if counts["most"] else ""
    yield f"  boxes: {counts['stored']:,} {verb}{most}{told}"
    if counts["clipped"]:
        yield f"  {plural(counts['clipped'], 'box', 'boxes')} reached beyond the image, clipped to it"
    if counts["swapped"]:
        yield f"  {plural(counts['swapped'], 'box', 'boxes')} with corners in another order, sorted"
    if result.boxes_left_out:
        yield f"  boxes that were left out, and why: {printable(result.boxes_left_out)}"


def _rejects(result: ConvertResult, told: Collection[str]) -> str:
    if not result.rejected:
        return ""
    head = click.style(f"{plural(result.rejected, 'row')} rejected", fg="red", bold=True)
    is_written = result.status in ("complete", "already_complete")
    where = f", listed in {printable(result.output_dir)}/rejects.csv" if is_written else ""
    if is_written and not result.problems:  # somebody edited it
        return f"{head}; {printable(result.output_dir)}/rejects.csv tells none of them any more"
    listing = reject_listing(result.rejected, result.reject_groups)
    is_told = all(line in told for line in listing)
    lines = [f"{head}{where}, as above"] if is_told else [f"{head}{where}:", *listing]
    if result.mend_command:
        lines += ["mend them in rejects.csv, then:", f"  {printable(result.mend_command, 10_000)}"]
    elif result.status == "failed":
        lines.append(rejects_hint(result.reasons, result.problems))
    return "\n".join(lines)
