"""Rows that name two images and tell something of both, which no record of one image can hold."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from tfrecordcli.sources.label_fields import is_flag
from tfrecordcli.sources.made_list import made_by, rows_by

ONE_IMAGE: Final = "a record holds one image, and no label of a pair"
_SOME: Final = 2  # images that several pairs have, so that it is no slip


def told_pairs(rows: Iterable[tuple[str, str, str]]) -> str:
    """How rows tell other things of an image with other images beside it; empty where it is not certain.

    A row for each crop of an image, or for each mask, has labels of its own, too: where no image is one of
    each column, only what is yes or no is told of both.

    Args:
      rows: (image, the one beside it, what the row tells).
    """
    met: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for image, other, label in rows:
        if image and other and label and image != other:
            met[image].setdefault(other, label)
    several = [image for image, others in met.items() if len(others) > 1]
    differing = [image for image in several if len({*met[image].values()}) > 1]
    if len(differing) < _SOME or 2 * len(differing) < len(several):
        return ""
    others = {other for each in met.values() for other in each}
    if others.isdisjoint(met) and not all(is_flag(label) for each in met.values() for label in each.values()):
        return ""
    image = differing[0]
    (first, label), *rest = met[image].items()
    second, another = next(each for each in rest if each[1] != label)
    return f"{image} is {label} with {first}, and {another} with {second}"


def images_alone(
    images: Sequence[int], split: int | None, name: str, delimiter: str, *, has_header: bool
) -> str:
    """A hint with the command that makes a list of all images that stand in several columns.

    Args:
      images: numbers of these columns.
      split: that of the splits, which are kept; None: there is none.
      name, delimiter: of the list.
    """
    columns = [[image] if split is None else [image, split] for image in images]
    names = json.dumps(["image", "split"][: len(columns[0])])
    code = (
        f"{'next(r); ' * has_header}w.writerow({names}); w.writerows(i for i in dict.fromkeys("
        f"tuple(f[j].strip() for j in c) for f in r for c in {columns} if max(c) < len(f)) if i[0])"
    )
    made = made_by("", rows_by(code, delimiter), name)
    return f"for the images alone, {made}, and convert that with --unlabelled keep"
