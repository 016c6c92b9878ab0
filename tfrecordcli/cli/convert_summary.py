"""What `tfrec convert` and its steps tell a person at the end."""

from __future__ import annotations

from collections.abc import Iterable

import click

from tfrecordcli.cli.output import printable
from tfrecordcli.cli.reject_listing import REJECTS_HINT, reject_listing
from tfrecordcli.cli.table import aligned
from tfrecordcli.result import ConvertResult, ShardsResult
from tfrecordcli.units import format_rate, format_size, plural


def summary(result: ConvertResult, command: str) -> str:
    """The summary of `convert`, `plan` or `finish`, without a line break at its end."""
    blocks = [_headline(result, command), _table(result), "\n".join(_facts(result)), _rejects(result)]
    return "\n\n".join(block for block in blocks if block)


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


def _headline(result: ConvertResult, command: str) -> str:
    where = click.style(printable(result.output_dir), bold=True)
    records = plural(result.records, "record")
    shards = plural(sum(s["shards"] for s in result.splits.values()), "shard")
    if result.status == "planned" and command == "plan":
        return f"{where} has its plan: {records} from {plural(result.rows, 'row')} in {shards}"
    if result.status == "planned":
        return f"{where} would get {records} from {plural(result.rows, 'row')}; --dry-run wrote nothing"
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
    return "\n".join(aligned(rows))


def _facts(result: ConvertResult) -> Iterable[str]:
    if result.labels:
        names = ", ".join(printable(name, 40) for name in result.labels)
        more = ", …" if result.num_labels > len(result.labels) else ""
        kind = "label id" if result.label_kind == "id" else "label"
        yield f"  {plural(result.num_labels, kind)}: {names}{more}"
    for moved in result.renumbered_labels:
        yield f"  label id changes: {printable(moved)}"
    if result.notes:
        from tfrecordcli.images.notes import NOTES

        for code, count in result.notes.items():
            yield f"  {plural(count, 'image')}: {NOTES[code]}"
    if result.images_per_second:
        yield (
            f"  read {format_size(result.bytes_read)}, wrote {format_size(result.bytes_written)} "
            f"in {result.seconds:.1f} s ({format_rate(result.images_per_second, 'image')})"
        )


def _rejects(result: ConvertResult) -> str:
    if not result.rejected:
        return ""
    head = click.style(f"{plural(result.rejected, 'row')} rejected", fg="red", bold=True)
    is_written = result.status in ("complete", "already_complete")
    where = f", all of them in {printable(result.output_dir)}/rejects.csv" if is_written else ""
    lines = [f"{head}{where}:", *reject_listing(result.rejected, result.reject_groups)]
    if result.mend_command:
        lines += ["mend them in rejects.csv, then:", f"  {printable(result.mend_command, 10_000)}"]
    elif result.status == "failed":
        lines.append(REJECTS_HINT)
    return "\n".join(lines)
