"""Lists of the same images whose numbers may answer several questions, as styles and genres of paintings."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Final

from tfrecordcli.dataset.labels import is_canonical_id
from tfrecordcli.shell import command_line
from tfrecordcli.sources.sample import MOST_ROWS
from tfrecordcli.sources.several.part import SourcePart

_FEWEST: Final = 4  # images of a list that tell


def several_questions(parts: Sequence[SourcePart]) -> str:
    """What one label each of the same images may be in several lists; empty where nothing tells.

    Numbers of one vocabulary and those of another are the same labels as soon as they are joined.

    Args:
      parts: the sources.
    """
    labels = [_labels_by_image(part) for part in parts]
    questions: list[list[int]] = []  # parts of each, which have no image twice
    for i, own in enumerate(labels):
        found = (each for each in questions if not any(own.keys() & labels[j].keys() for j in each))
        if (question := next(found, None)) is None:
            questions.append([i])
        else:
            question.append(i)
    first = [{uri: label for i in question for uri, label in labels[i].items()} for question in questions[:2]]
    if len(first) < 2 or not all(labels) or not _are_alike(*first):
        return ""
    commands = (
        f"{command_line(['tfrec', 'convert', *(_called(parts[i]) for i in question)])} OUTPUT_DIR-{number}"
        for number, question in enumerate(questions, 1)
    )
    return (
        "where the numbers of these lists answer different questions, each is a dataset of its own, with the "
        f"same other options: {'; '.join(commands)}"
    )


def _labels_by_image(part: SourcePart) -> dict[str, str]:
    """The ids of the first images; empty where some have other labels than one id, or are there twice."""
    rows = part.source.rows
    if part.task != "classification" or rows.is_listing:
        return {}
    _, read = rows.read()
    some = [row for row in islice(read, MOST_ROWS) if row.problem is None and row.image_uri]
    labels = {row.image_uri: row.labels[0] for row in some if len(row.labels) == 1}
    return labels if len(labels) == len(some) and all(map(is_canonical_id, labels.values())) else {}


def _are_alike(one: dict[str, str], two: dict[str, str]) -> bool:
    """Whether most images of the shorter are in the other, where most have another of the same numbers.

    Where most have the same one, lists are of several raters, or of one dataset that is parted several times.
    """
    shared = one.keys() & two.keys()
    is_most = 2 * len(shared) >= min(len(one), len(two)) and len(shared) >= _FEWEST
    others = sum(one[uri] != two[uri] for uri in shared)
    return is_most and 2 * others > len(shared) and not {*one.values()}.isdisjoint(two.values())


def _called(part: SourcePart) -> str:
    return f"{part.given.split}={part.name}" if part.given.split else part.name
