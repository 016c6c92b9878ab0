"""Boxes without a column of labels that is known: of one class, unless one that is not read may be it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.option_parsing import is_asked_for
from tfrecordcli.shell import command_line
from tfrecordcli.sources.boxes.fields import says_nothing
from tfrecordcli.sources.boxes.words import as_word
from tfrecordcli.sources.column_words import columns_option, looks_like_image
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.label_fields import is_flag, is_list, items_of
from tfrecordcli.sources.misread.boxes_of_several_labels import rows_with_boxes
from tfrecordcli.sources.proposals.flag_columns import are_one_of, flag_columns
from tfrecordcli.sources.proposals.label_columns import label_ways
from tfrecordcli.sources.proposals.label_names import is_beside_target, is_no_label
from tfrecordcli.sources.proposals.number_names import is_id, is_of_sequences, is_place_or_time
from tfrecordcli.sources.proposals.splits import is_of_splits, tells_splits
from tfrecordcli.sources.proposals.table import columns_of
from tfrecordcli.sources.sample import Sample
from tfrecordcli.units import join_names, some_of

# What the column of labels may be called where no known word is; `gender` or `quality` tell of a box besides.
_CALLED_LABEL: Final = re.compile(
    "kind|class|klas|clase|nombre|label$|categ|object|species|animal|plant|fruit|vehicle|breed|defect|damage"
    "|disease|entity|sign$|annotation$"
    "|(?<!shape)(?<!image)(?<!file)(?<!mime)(?<!box)(?<!camera)(?<!sensor)(?<!source)(?<!data)type(?:$|of)"
)
# The same where it holds numbers.
_CALLED_CLASS: Final = re.compile(
    r"(.*[\s_-]|.*[a-z](?=[CKL]))?(?i:class|klasse|category|label)[\s_-]?(?i:id|no|nr|number)?"
    r"|(?i:type|kind|species|breed|taxon)[\s_-]?(?i:id|no|nr|number)?"
)
# Words beside boxes that tell of something else: texts that are read, how an object is seen and by whom.
BESIDE_CLASS: Final = re.compile(
    "text|transcri|ocr|word|caption|descri|plate|comment|remark|note|pose|view|occlu|trunc|quality|weather"
    "|scene|domain|gender|sex|split|subset|version|format|status|verif|shapetype|camera|sensor|device|source"
    "|annotat|by$"
)
# Words of a `type` that no class is called by: of shapes, of how boxes came about, of files.
_OF_SHAPES: Final = re.compile(
    "box|rect|polygon|shape|region|roi$|point|mask|segment|annotation|detection|label|object|image|photo|manual"
    "|auto|human|machine|model|groundtruth|gt$|predict|jpe?g|png|train|valid|test|default|unknown|none|nan?$"
)
_WORD: Final = re.compile(r"[^\W\d_]{2}")
_NO_WORD: Final = re.compile(r"[\W\d_]+.*|\W*\d.*[:/-].*")  # numbers, dates, lists, paths
_PATH: Final = re.compile(r".*[/\\].*")
_WHOLE: Final = re.compile(r"[0-9]+(?:\.0)?")
_SOME: Final = 2
_MOST_LABELS: Final = 20


def need_labels_of_boxes(sample: Sample, rows: RowFile) -> None:
    """Refuses boxes without labels beside columns of words, one of which may hold them.

    Raises:
      InputError: with the option that names it, and what takes all boxes for one class.
    """
    options = rows.options
    if sample.shape.labels or rows.is_own or options.unlabelled != "error":
        return
    unread = sample.unread(
        lambda name: (
            bool(name)
            and not (is_asked_for(name, options.features) or name == options.split_by)
            and not name.startswith("tfrec_")
        )
    )
    unread = {name: _words_of(fields) for name, fields in unread.items()}
    found = [name for name, fields in unread.items() if _may_be_labels(name, fields)]
    found = found or _told_of_boxes(sample, unread)
    if not found and (flags := _flags_of_classes(sample, unread)):
        raise InputError(
            f"no column of labels is known, and of columns {some_of(flags)} each box has 1 in one alone",
            f"if they are the classes: {command_line(['--one-hot', join_names(flags)])}; "
            "--unlabelled keep takes all boxes for one class",
        )
    if found:
        name, *others = found
        words = ", ".join(sorted(set(filter(None, unread[name])))[:3])
        beside = f", as do columns that are not read either: {some_of(others)}" if others else ""
        proposal = columns_option([*options.columns, ("label", name)])
        raise InputError(
            f"no column of labels is known, and column {name} holds {_what(unread[name])} ({words}){beside}",
            f"if they are the labels: {proposal}; --unlabelled keep takes all boxes for one class",
        )


def _flags_of_classes(sample: Sample, unread: Mapping[str, Sequence[str]]) -> list[str]:
    """All columns of 0 and 1 that may tell of boxes, where each box has a 1 in exactly one of them."""
    boxes = [*rows_with_boxes(sample.shape, sample.table)]
    free = [sample.shape.header.index(name) for name in unread if _may_tell(name)]
    flags = flag_columns(boxes, free)
    is_told = len(flags) >= _SOME and len(boxes) > len(flags) and are_one_of(boxes, flags)
    return [sample.shape.header[i] for i in flags] if is_told else []


def one_word_doubt(sample: Sample, rows: RowFile) -> Iterator[str]:
    """That a column called as labels are has one word for all boxes, which are stored under another."""
    if sample.shape.labels or rows.is_own or rows.options.unlabelled != "error":
        return
    for name, fields in sample.unread(lambda name: bool(_CALLED_LABEL.search(as_word(name)))).items():
        words = {*fields} - {""}
        if len(words) == 1 and all(map(_names_a_class, words)):
            proposal = columns_option([*rows.options.columns, ("label", name)])
            yield f"column {name} has {max(words)!r} for all boxes, and is not used: {proposal} calls them so"


def _names_a_class(word: str) -> bool:
    is_word = _WORD.search(word) and not (_NO_WORD.fullmatch(word) or is_flag(word) or looks_like_image(word))
    return bool(is_word) and not _OF_SHAPES.search(as_word(word))


def _words_of(fields: list[str]) -> list[str]:
    """Fields as they are; of lists in text, as `['Mass', 'Cyst']`, all their values."""
    lists = [*filter(None, fields)]
    if not lists or not all(map(is_list, lists)):
        return fields
    return [word for field in lists for word in items_of(field)]


def _may_be_labels(name: str, fields: Sequence[str]) -> bool:
    """Whether a column is called as labels are, and holds several words, or whole numbers as a class has."""
    words = {field for field in fields if field}
    numbers = {word for word in words if not says_nothing(word)}
    if _CALLED_CLASS.fullmatch(name) and all(map(_WHOLE.fullmatch, numbers)):
        return _SOME <= len(numbers) <= len(fields) / 2
    if not _are_words(words) or not _CALLED_LABEL.search(as_word(name)):
        return False
    return len(words) <= _MOST_LABELS or len(words) < len(fields)  # not ids of boxes


def _told_of_boxes(sample: Sample, unread: Mapping[str, Sequence[str]]) -> list[str]:
    """Columns of any name whose words come again, one of them twice as often as there are, likeliest first.

    Where an image has several boxes, these have several words in some image: else they tell of the image.
    """
    told = {
        name: list(filter(None, fields))
        for name, fields in unread.items()
        if _may_tell(name) or (as_word(name) == "field" and _differ(sample, name, least=1))
    }
    words = {
        name: fields
        for name, fields in told.items()
        if _are_words(fields)
        and len(fields) < 2 * len(sample.table)  # lists of several words each tell what it is like
        and not any(map(_PATH.fullmatch, fields))
        and not tells_splits(name, fields)
        and not is_of_splits(name, fields)
    }
    if not any(2 * len({*fields}) <= len(fields) and _differ(sample, name) for name, fields in words.items()):
        return []
    header = sample.shape.header
    differing = [header.index(name) for name in words if _differ(sample, name)]
    ways = label_ways(columns_of(header, sample.table, differing), beside_flags=False)
    return [header[way.columns[0]] for way in ways]


def _may_tell(name: str) -> bool:
    is_of_image = (
        is_no_label(name) or is_beside_target(name) or is_of_sequences(name) or is_place_or_time(name)
    )
    return not (is_of_image or is_id(name) or BESIDE_CLASS.search(as_word(name)))


def _are_words(fields: Iterable[str]) -> bool:
    words = {field for field in fields if field}
    if len(words) < _SOME or not any(map(_WORD.search, words)):
        return False
    return not any(_NO_WORD.fullmatch(word) or looks_like_image(word) or is_flag(word) for word in words)


def _differ(sample: Sample, name: str, least: int = 0) -> bool:
    """Whether boxes of some image have several words, or no image has several boxes and none has to.

    Args:
      least: images that must have several boxes: a field is of a farm, or of a form.
    """
    shape = sample.shape
    met: defaultdict[str, list[str]] = defaultdict(list)
    if shape.image is None:
        return False
    for image, word in sample.parts([shape.header[shape.image], name]):
        met[image].append(word)
    several = [words for words in met.values() if len(words) > 1]
    return len(several) >= least and (not several or any(len({*words} - {""}) > 1 for words in several))


def _what(fields: Iterable[str]) -> str:
    return (
        "numbers"
        if all(_WHOLE.fullmatch(field) for field in fields if field and not says_nothing(field))
        else "words"
    )
