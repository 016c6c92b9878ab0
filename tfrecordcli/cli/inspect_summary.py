"""What `tfrec inspect` says of TFRecords, as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from tfrecordcli.cli.output import fitted, printable, problem_line, wrapped
from tfrecordcli.units import format_size, plural

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


def summary(inspection: Inspection) -> str:
    """The report as text, without a line break at its end."""
    key = inspection.float_label
    blocks = [
        "\n".join(_headline(inspection)),
        "\n".join(problem_lines(inspection)),
        "\n".join(_files(inspection)),
        "\n".join(_features(inspection)),
        "\n".join(_images(inspection.images)) if inspection.images else "",
        "\n".join(_boxes(inspection.boxes)) if inspection.boxes else "",
        "\n".join(_labels(inspection.labels, inspection.records)) if inspection.labels else "",
        f"  {printable(key, _LONGEST_KEY)} holds floats, which are not counted as labels" if key else "",
        "\n".join(_samples(inspection)),
    ]
    return "\n\n".join(block for block in blocks if block)


def problem_lines(inspection: Inspection) -> Iterator[str]:
    """What is wrong with the files, a line each; also that there is no record."""
    for problem in inspection.problems[:_PROBLEMS]:
        yield problem_line(problem)
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
    from tfrecordcli.tfrecords.image_features import RAW, RAW_BASE64, TENSOR

    raw = {RAW: "raw pixels", RAW_BASE64: "raw pixels in base64", TENSOR: "serialized tensors"}
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


def _samples(inspection: Inspection) -> Iterator[str]:
    for sample in inspection.samples:
        yield wrapped(f"{printable(sample.file)}, record {sample.record} at byte {sample.offset}")
        for key, value in list(sample.values.items())[:_SAMPLE_KEYS]:
            yield wrapped(f"{printable(key)}: {printable(value)}", 4)
        if len(sample.values) > _SAMPLE_KEYS:
            yield "    …"
