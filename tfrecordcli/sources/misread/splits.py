"""Words of splits that would be read as what they are not: refused, with the option that settles it."""

from __future__ import annotations

from collections.abc import Sequence

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import WRITTEN_NUMBER
from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import columns_option, looks_like_image
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.made_list import as_commas, made_by
from tfrecordcli.sources.misread.splits_unread import told_beside
from tfrecordcli.sources.proposals.headers_beside import header_beside_or
from tfrecordcli.sources.proposals.splits import (
    MOST_SPLITS,
    OR_LEAVE_OUT,
    are_splits_to_train,
    likely_splits,
    propose_likely_splits,
    propose_split_map,
)
from tfrecordcli.sources.said_labels import says_labels
from tfrecordcli.sources.sample import Sample, later_rows
from tfrecordcli.sources.split_flags import flags_of_splits, splits_of_flags
from tfrecordcli.sources.unmatched import is_of_rejects
from tfrecordcli.split_words import (
    TRAIN,
    is_no_split,
    parse_split,
    parse_split_in_column,
    split_of,
)
from tfrecordcli.units import join_pairs


def need_known_splits(sample: Sample, rows: RowFile) -> None:
    """Refuses a split column of flags, numbers of folds or other words, and proposes what they may mean.

    Raises:
      InputError: with the option that says it, or that the first fields without a header are no splits.
    """
    options = rows.options
    _need_splits_first(sample, rows)
    if sample.shape.split is None or not sample.shape.header or options.split_map:
        return
    words = sorted({word for word, _, _ in sample.words})
    name = sample.shape.header[sample.shape.split]
    as_map = propose_split_map(name, [word for word, _, _ in sample.words])
    flags = flags_of_splits({each: sample.fields(i) for i, each in enumerate(sample.shape.header)})
    if name in flags and as_map:
        how = splits_of_flags(flags, sample.parts(flags), rows.name, sample.shape.delimiter)
        raise InputError(
            f"column {name} tells one split, beside {', '.join(each for each in flags if each != name)}", how
        )
    is_named = "split" in dict(options.columns) or is_of_rejects(sample.shape.header)
    if as_map or (not is_named and _are_no_splits(words)):
        raise _no_splits(sample, rows, as_map)


def _no_splits(sample: Sample, rows: RowFile, as_map: str) -> InputError:
    """What is said of a column whose words are no splits.

    Args:
      as_map: the option that makes splits of them; empty: it is not certain.
    """
    place = sample.shape.split or 0
    unknown = sorted(word for word in _words(sample, rows, place) if parse_split_in_column(word) is None)
    says = "splits of its rows are" if rows.is_spooled else f"column {sample.shape.header[place]} says"
    are = "which is no split" if len(unknown) == 1 else "which are no splits"
    columns = rows.columns_of_origin if rows.is_spooled else rows.options.columns
    others = [each for each in columns if each[0] != "split"]
    none = f"where that tells no splits: {columns_option([*others, ('split', '')])}"
    likely = propose_likely_splits(unknown)
    how = f", as in {command_line(['--split-map', join_pairs([(unknown[0], TRAIN)])])}"
    how = f", by their names alone (put right what is not so): {likely}" if likely else how
    how = f": {as_map}" if as_map else how
    # That option would have rows trained on which another column holds out.
    told = (word for word, _, _ in sample.words if word in unknown)
    beside = told_beside(sample, rows, dict(likely_splits(sample.shape.header[place], told)))
    return InputError(
        f"{says} {', '.join(unknown[:5])}, {are}",
        "; ".join((f"say what they are{how}{OR_LEAVE_OUT}", none, *beside)),
    )


def _words(sample: Sample, rows: RowFile, place: int) -> set[str]:
    """The different words of a column; of more than splits can be, as where each row has its own, some."""
    words = {word for word, _, _ in sample.words}
    for fields in later_rows(rows):
        if len(words) > MOST_SPLITS:
            break
        words.update(fields[place : place + 1])
    return words


def _are_no_splits(words: Sequence[str]) -> bool:
    """Whether words stand for no split, or one of them for a split in another language alone, as `prova`."""
    foreign = [
        word for word in words if parse_split(word) is None and parse_split_in_column(word) is not None
    ]
    return len(foreign) < min(len(words), 2) and all(word in foreign or is_no_split(word) for word in words)


def _need_splits_first(sample: Sample, rows: RowFile) -> None:
    words = [word for word, _, _ in sample.words]
    is_by_place = not sample.shape.header and not rows.options.split_map and not rows.is_spooled
    if sample.shape.boxes is not None or rows.options.task == "detection":
        return  # what their rows need has messages of its own
    if not is_by_place or not words or any(not word or parse_split(word) is not None for word in words):
        return
    width = max(map(len, sample.table))
    names = ["id", *(f"column_{number}" for number in range(2, width + 1))]
    image = _column_of_images(sample.table, width)
    label = _likely_label(sample.table, [i for i in range(1, width) if i != image] or [width])
    names[image : image + 1] = ["image"]
    names[label : label + 1] = ["label"][: width - label]
    shown = ", ".join(sorted({*words})[:3])
    command = made_by(",".join(names), as_commas(sample.shape.delimiter), rows.name)
    raise InputError(
        f"there is no header, and what stands before each image is no split: {shown}",
        header_beside_or(f"{command}, with the names that are true", rows.name),
    )


def _column_of_images(table: Sequence[Sequence[str]], width: int) -> int:
    """The first column behind the one of words that can be a path in each row, else the next to that."""
    named = (i for i in range(1, width) if all(i < len(row) and looks_like_image(row[i]) for row in table))
    return next(named, 1)


def _likely_label(table: Sequence[Sequence[str]], others: Sequence[int]) -> int:
    """The only one of other columns that has a word in each row, else the first."""
    filled = [i for i in others if all(i < len(row) and row[i] for row in table)]
    words = [i for i in filled if not any(WRITTEN_NUMBER.fullmatch(row[i]) for row in table)]
    return words[0] if len(words) == 1 else others[0]


def need_no_split_words(sample: Sample, rows: RowFile) -> None:
    """Refuses labels that are all words of splits, where no other column says the split.

    Raises:
      InputError: with the options that read them so.
    """
    options, shape = rows.options, sample.shape
    words = {name for _, _, names in sample.words for name in names if name}
    has_splits = any(word for word, _, _ in sample.words)
    are_splits = all(map(split_of, words)) and len({*map(split_of, words)}) > 1
    if says_labels(options) or has_splits or not (are_splits or are_splits_to_train(words)):
        return
    name = shape.header[shape.labels[0]] if shape.header and shape.labels else ""
    if name or rows.is_spooled:
        split = columns_option([("split", "KEY" if rows.is_spooled else name)])
        how = f"{split} --unlabelled keep takes them for splits"
    else:
        command = made_by("image,split", as_commas(shape.delimiter), rows.name)
        how = f"{command}, and convert that with --unlabelled keep"
    raise InputError(
        f"all labels are words of splits: {', '.join(sorted(words)[:5])}",
        f"{how}; --label-type name takes them for labels",
    )
