"""Options as users give them, by the command line or by keywords: parsed, and checked against each other."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from tfrecordcli.errors import UsageError
from tfrecordcli.option_definition import changed, changed_words, joined_texts, make_values, options_of
from tfrecordcli.options import ConvertOptions, ImageOptions, ReadOptions, RunOptions, ShardOptions
from tfrecordcli.split_words import split_of
from tfrecordcli.units import join_pairs

_OF_LABELS: Final = ("one_hot", "label_separator", "multi_label", "label_names", "labels_file")


def make_options(values: Mapping[str, Any]) -> ConvertOptions:
    """Options from flat names, as the command line and `tfrecordcli.convert` take them.

    Values may be the text that a user types (`"128MiB"`, `"5%"`, `"train=8"`) or the value itself.

    Raises:
      UsageError: for an unknown name or a value that cannot be right.
    """
    values, by_split = _parted(values)
    options = ConvertOptions(*make_values(values, ReadOptions, ImageOptions, ShardOptions, RunOptions))
    options = replace(options, read=replace(options.read, by_split=by_split))
    for split in dict.fromkeys(split for split, _, _ in by_split):
        of_split(options.read, split)
    if options.shard.index and options.shard.compression != "none":
        raise UsageError("--index needs plain shards", "leave out --compression gzip, or --index")
    if options.read.new_labels == "append" and options.read.labels_file is None:
        raise UsageError("--new-labels append needs a vocabulary to append to", "give one by --labels FILE")
    _need_one_way_of_labels(options.read)
    if options.run.sheet is not None and not options.run.dry_run:
        hint = "add --dry-run; tfrec inspect --sheet draws a dataset that stands"
        raise UsageError("--sheet is drawn before anything is converted", hint)
    if options.read.stratify and options.read.split_by is not None:
        raise UsageError("--stratify and --split-by assign rows in different ways", "give one of them")
    is_table = options.read.task == "tabular"
    if is_table and options.read.stratify:
        raise UsageError("--stratify would part equal rows of --task tabular", "leave it out")
    if (options.read.missing or options.read.na) and not options.read.features and not is_table:
        flag = "--missing" if options.read.missing else "--na"
        raise UsageError(
            f"{flag} is about further columns", "name these by --features, or give --features all"
        )
    return options


def of_split(options: ReadOptions, split: str) -> ReadOptions:
    """The options of a source whose rows are for a split; "": of any.

    Raises:
      UsageError: a value that cannot be right.
    """
    table = options_of(ReadOptions)
    own = {name: table[name].value_of(text) for of, name, text in options.by_split if of == split}
    return replace(options, by_split=(), **own)


def given_words(options: ReadOptions, names: Collection[str]) -> list[str]:
    """What gives these options on the command line again, those of single splits too; of others nothing."""
    table = options_of(ReadOptions)
    of_splits = ((name, f"{split}={text}") for split, name, text in options.by_split if name in names)
    more = (word for name, text in of_splits for word in (table[name].flag, text))
    return [*changed_words(options, names), *more]


def _parted(values: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[tuple[str, str, str], ...]]:
    """Values without those that are for a split, and these: (split, name of the option, text).

    The command line gives each as often as it was typed, Python in a mapping by split.
    """
    rest, by_split = dict(values), []
    for name, option in options_of(ReadOptions).items():
        if not option.of_source:
            continue
        given = rest.get(name)
        if isinstance(given, Mapping) and given and all(split_of(str(word)) for word in given):
            by_split += [(split_of(str(word)), name, _as_text(value)) for word, value in given.items()]
            del rest[name]
        elif isinstance(given, (list, tuple)) and all(isinstance(each, str) for each in given):
            texts = [each for each in given if not _has_split(each)]
            by_split += [_split_and_text(name, each) for each in given if _has_split(each)]
            if len(texts) > 1 and not option.is_joined:
                what = f"{option.flag} is given more than once: {', '.join(texts)}"
                raise UsageError(what, "for a split: train=VALUE")
            rest[name] = joined_texts(texts) if texts else None
        elif isinstance(given, str) and _has_split(given):
            by_split.append(_split_and_text(name, given))
            del rest[name]
    return rest, tuple(_once_each(by_split))


def _has_split(text: str) -> bool:
    return bool(split_of(text.partition("=")[0])) and "=" in text


def _split_and_text(name: str, text: str) -> tuple[str, str, str]:
    word, _, value = text.partition("=")
    return split_of(word), name, value


def _as_text(value: Any) -> str:
    if not isinstance(value, Mapping):
        return str(value)
    pairs = ((k, some if isinstance(some, (list, tuple)) else [some]) for k, some in value.items())
    return join_pairs((str(name), str(each)) for name, some in pairs for each in some)


def _once_each(by_split: Sequence[tuple[str, str, str]]) -> Iterator[tuple[str, str, str]]:
    """The same, each option once for a split.

    Raises:
      UsageError: one is given again which holds no list.
    """
    found: dict[tuple[str, str], list[str]] = {}
    for split, name, text in by_split:
        found.setdefault((split, name), []).append(text)
    for (split, name), texts in found.items():
        option = options_of(ReadOptions)[name]
        if len(texts) > 1 and not option.is_joined:
            raise UsageError(f"{option.flag} is given more than once for {split}", "give it once")
        yield split, name, joined_texts(texts)


def _need_one_way_of_labels(options: ReadOptions) -> None:
    of_labels = changed(options, _OF_LABELS) if options.task == "regression" else []
    if of_labels:
        raise UsageError(f"{of_labels[0].flag} is about labels, --task regression about numbers", "give one")
    if not options.one_hot:
        return
    if any(name == "label" for name, _ in options.columns):
        raise UsageError("--one-hot and --columns label=… both say which columns are labels", "give one")
    if options.label_separator:
        raise UsageError("--one-hot and --label-separator exclude each other", "give one")
