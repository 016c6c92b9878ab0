"""`tfrec inspect`: its options, and how it shows what it found; the work is `tfrecordcli.inspecting`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tfrecordcli.cli.options import completes, printing, takes
from tfrecordcli.cli.output import fitted, print_json, print_said, printable, wrapped
from tfrecordcli.errors import TfrecError, UsageError
from tfrecordcli.inspecting.options import EXPORTED, ON_SHEET, InspectOptions, unused_options
from tfrecordcli.option_definition import make_values
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.units import format_size, join_names, plural, some_of

if TYPE_CHECKING:
    from tfrecordcli.inspecting.boxes import BoxSummary
    from tfrecordcli.inspecting.features import FeatureSummary
    from tfrecordcli.inspecting.images import ImageSummary
    from tfrecordcli.inspecting.inspection import FileSummary, Inspection
    from tfrecordcli.inspecting.labels import LabelSummary

# Entries of a list that are shown; the JSON has all.
_FEATURES, _FILES, _LABELS, _SIZES, _PROBLEMS, _SAMPLE_KEYS = 60, 12, 20, 5, 20, 12
_BAR = 24  # characters of the longest
_LONGEST_KEY = 60


@click.command()
@click.argument("path", shell_complete=completes(place="file"))
@takes(InspectOptions)
@printing()
def inspect(path: str, as_json: bool, quiet: bool, debug: bool, **options: Any) -> int:
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
        for line in _problem_lines(inspection):
            click.echo(line, err=True)
    if not quiet:
        for line in _product_lines(made):
            click.echo(line, err=bool(code))
        for note in unused_options(chosen):
            print_said(f"note: {note}")
    return inspection.exit_code


def _need_local(option: str, path: str) -> None:
    if "://" in path:
        raise UsageError(f"{option} {path}: this is written to a local path only", "copy it from there")


def _check(options: InspectOptions) -> None:
    """Refuses what cannot be written before anything is read."""
    export_dir, sheet = options.export_dir, options.sheet
    if export_dir is not None:
        from tfrecordcli.inspecting.export import check_export_folder

        _need_local("--export", export_dir)
        check_export_folder(Path(export_dir))
    if sheet is not None:
        from tfrecordcli.contact_sheet import check_sheet_path

        _need_local("--sheet", sheet)
        check_sheet_path(Path(sheet))


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


def summary(inspection: Inspection) -> str:
    """The report as text, without a line break at its end."""
    blocks = [
        "\n".join(_headline(inspection)),
        "\n".join(_problem_lines(inspection)),
        "\n".join(_files(inspection)),
        "\n".join(_features(inspection)),
        "\n".join(_images(inspection.images)) if inspection.images else "",
        "\n".join(_boxes(inspection.boxes)) if inspection.boxes else "",
        "\n".join(_labels(inspection.labels, inspection.records)) if inspection.labels else "",
        _float_label(inspection),
        "\n".join(_samples(inspection)),
    ]
    return "\n\n".join(block for block in blocks if block)


def _problem_lines(inspection: Inspection) -> Iterator[str]:
    """What is wrong with the files, a line each; also that there is no record."""
    for problem in inspection.problems[:_PROBLEMS]:
        place = printable(problem.path)
        if problem.record is not None:
            place += f", record {problem.record} at byte {problem.offset}"
        severity = click.style(problem.severity, fg="red" if problem.severity == "error" else "yellow")
        yield f"  {severity}: {place}{': ' if place else ''}{printable(problem.message, 400)}"
    more = sum(inspection.problem_counts.values()) - len(inspection.problems[:_PROBLEMS])
    if more > 0:
        yield f"  and {more:,} more"
    if not inspection.records:
        yield f"  {click.style('error', fg='red')}: there is no record that could be read"


def _headline(inspection: Inspection) -> Iterator[str]:
    where = click.style(printable(inspection.path), bold=True)
    size = format_size(sum(file.bytes for file in inspection.files))
    packed = {("gzip",): ", gzip", ("gzip", "none"): ", some gzip"}.get(inspection.compressions, "")
    named = {n: c["records"] for n, c in inspection.splits.items() if n != "all" or c["records"]}
    splits = ", ".join(f"{printable(name, _LONGEST_KEY)} {count:,}" for name, count in named.items())
    by_split = f" ({splits})" if named.keys() - {"all"} else ""
    yield (
        f"{where}: {plural(inspection.records, 'record')}{by_split} in "
        f"{plural(len(inspection.files), 'file')}, {size}{packed}"
    )
    if inspection.stopped:
        yield f"  only the first {plural(inspection.records, 'record')} were read (--max-records)"
    if inspection.sequences:
        verb = "is a SequenceExample" if inspection.sequences == 1 else "are SequenceExamples"
        read = "the context is shown, feature lists are not read"
        yield f"  {plural(inspection.sequences, 'record')} {verb}: {read}"


def _files(inspection: Inspection) -> Iterator[str]:
    """Each file, when there are several and the headline does not tell it all."""
    files = inspection.files
    if len(files) < 2:
        return
    rows = [["file", "records", "size", ""]]
    for file in files[:_FILES]:
        rows.append([printable(file.name), f"{file.records:,}", format_size(file.bytes), _state(file)])
    yield from fitted(rows, "<>><")
    if len(files) > _FILES:
        yield f"  and {len(files) - _FILES:,} more"


def _state(file: FileSummary) -> str:
    if not file.bytes:
        return "empty"
    return "" if file.whole else "not all of it was read"


def _features(inspection: Inspection) -> Iterator[str]:
    if not inspection.features:
        return
    rows = [["feature", "kind", "declared", "values", "bytes a value", "absent", "example"]]
    for feature in inspection.features[:_FEATURES]:
        rows.append(
            [
                printable(feature.key),
                feature.kind,
                printable(feature.declared, _LONGEST_KEY),
                _range(feature.min_values, feature.max_values),
                _range(feature.min_bytes, feature.max_bytes),
                f"{feature.absent:,}" if feature.absent else "",
                _example(feature),
            ]
        )
    yield from fitted(rows, "<<<>>><")
    if len(inspection.features) > _FEATURES or inspection.features_left_out:
        yield f"  and {'at least ' if inspection.features_left_out else ''}" + (
            f"{len(inspection.features) - _FEATURES:,} more"
        )


def _example(feature: FeatureSummary) -> str:
    from tfrecordcli.inspecting.features import shown_value

    example = printable(feature.example, 80)
    if feature.lowest is None or feature.highest is None or feature.lowest == feature.highest:
        return example
    return f"{example}  ({shown_value(feature.lowest)} to {shown_value(feature.highest)})"


def _range(low: int | None, high: int | None) -> str:
    if low is None or high is None:
        return ""
    return f"{low:,}" if low == high else f"{low:,}..{high:,}"


def _images(images: ImageSummary) -> Iterator[str]:
    from tfrecordcli.tfrecords.image_features import RAW, RAW_BASE64

    raw = {RAW: "raw pixels", RAW_BASE64: "raw pixels in base64"}
    formats = ", ".join(f"{raw.get(name, name)} {count:,}" for name, count in images.formats.items())
    yield f"  images in {printable(images.key, _LONGEST_KEY)}: {formats}"
    if images.elsewhere:
        yield f"    {plural(images.elsewhere, 'image')} under other keys"
    if images.several:
        yield f"    {plural(images.several, 'record')} with several: the first of each is counted here"
    if images.others:
        others = ", ".join(
            f"{printable(key, _LONGEST_KEY)} {count:,}" for key, count in images.others.items()
        )
        yield f"    images beside them: {others}"
    if images.unreadable:
        yield f"    {plural(images.unreadable, 'image')} whose size cannot be read"
    if images.smallest is None or images.largest is None:
        return
    if images.smallest == images.largest:
        yield f"    all of {_size(images.smallest)} (height x width)"
        return
    yield f"    from {_size(images.smallest)} to {_size(images.largest)} (height x width, each by itself)"
    shown = ", ".join(f"{_size(size)} {count:,}" for size, count in images.sizes[:_SIZES])
    more = f", … ({len(images.sizes):,} sizes)" if len(images.sizes) > _SIZES else ""
    yield wrapped(f"most frequent: {shown}{more}", 4)
    if images.sizes_left_out:
        yield f"    sizes of {plural(images.sizes_left_out, 'image')} were not counted: there are too many"


def _boxes(boxes: BoxSummary) -> Iterator[str]:
    mean = f"{boxes.mean:.3g} on average" if boxes.records else "none of them counted"
    yield f"  boxes: {boxes.boxes:,} in {plural(boxes.records, 'image')}, {mean}"
    if boxes.records:
        none = f"; {plural(boxes.without, 'image')} without one" if boxes.without else ""
        yield f"    {boxes.fewest:,} to {boxes.most:,} in an image{none}"
    if boxes.small + boxes.medium + boxes.large:
        sizes = f"small {boxes.small:,}, medium {boxes.medium:,}, large {boxes.large:,}"
        yield f"    {sizes} (below 32 x 32 pixels, below 96 x 96, more)"
    if boxes.uneven:
        yield f"    {plural(boxes.uneven, 'record')} whose lists of boxes differ in length, not counted"


def _size(size: tuple[int, int]) -> str:
    return f"{size[0]}x{size[1]}"


def _labels(labels: LabelSummary, records: int) -> Iterator[str]:
    where = labels.text_key or labels.names_file
    names = f" (names in {printable(where, _LONGEST_KEY)})" if where else ""
    more = " at least" if labels.left_out else ""
    kinds = f"{more} {plural(len(labels.counts), 'kind')}"
    yield wrapped(f"labels in {printable(labels.key, _LONGEST_KEY)}{names}:{kinds}", keep_words=True)
    highest = max(count for _, count in labels.counts)
    rows = []
    for label, count in labels.counts[:_LABELS]:
        bar = "#" * max(1, round(count / highest * _BAR))
        number = "" if label.id is None else str(label.id)
        rows.append([number, printable(label.text or ""), f"{count:,}", bar])
    yield from fitted(rows, "><><", header=False, indent=4)
    if len(labels.counts) > _LABELS:
        yield f"    and {len(labels.counts) - _LABELS:,} more"
    if labels.left_out:
        yield f"    {plural(labels.left_out, 'label')} were not counted one by one: there are too many kinds"
    if labels.records < records:
        yield f"    {plural(records - labels.records, 'record')} without a label"


def _float_label(inspection: Inspection) -> str:
    if not inspection.float_label:
        return ""
    return (
        f"  {printable(inspection.float_label, _LONGEST_KEY)} holds floats, which are not counted as labels"
    )


def _samples(inspection: Inspection) -> Iterator[str]:
    for sample in inspection.samples:
        yield wrapped(f"{printable(sample.file)}, record {sample.record} at byte {sample.offset}")
        for key, value in list(sample.values.items())[:_SAMPLE_KEYS]:
            yield wrapped(f"{printable(key)}: {printable(value)}", 4)
        if len(sample.values) > _SAMPLE_KEYS:
            yield "    …"


def _error_of(inspection: Inspection) -> TfrecError | None:
    if inspection.ok:
        return None
    if not inspection.problem_counts:
        return TfrecError("there is no record", "is it the right path?", code="no_records")
    count = plural(sum(inspection.problem_counts.values()), "problem")
    return TfrecError(f"{count} found", "problems lists them", code="problems")
