"""The categories of a COCO file that are labels of boxes, and those that are not."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.sources.json.coco_content import Category, Content, Id
from tfrecordcli.sources.listed import Findings

# As camera traps have them, with an annotation without a bbox for each image.
_NOTHING: Final = frozenset(("empty", "blank", "none", "nothing", "no object", "no_object", "no objects"))


def of_nothing(content: Content) -> frozenset[int]:
    """The numbers of categories called so whose annotations have no box, where others have some."""
    named = {each.id for each in content.categories if each.name.strip().lower() in _NOTHING}
    found = {number for each, number in content.category_ids.items() if each in named}
    if not found or not content.has_box:
        return frozenset()
    boxes = content.boxes
    with_box = {
        category
        for number, category in enumerate(boxes.category)
        if category in found and not math.isnan(boxes.corners[4 * number])
    }
    return frozenset(found - with_box)


def labels_of(content: Content, name: str, findings: Findings, of_nothing: Collection[int]) -> dict[int, str]:
    """Number of a category -> its name; ids and what was left out go to ``findings``.

    Args:
      of_nothing: as `of_nothing` tells.

    Raises:
      InputError: categories contradict each other, or their ids are none.
    """
    by_id: dict[Id, Category] = {}
    by_name: dict[str, Category] = {}
    for each in content.categories:
        other = by_id.setdefault(each.id, each)
        if other.name != each.name:
            what = f"{other.place} and {each.place} have the id {each.id!r} and different names"
            raise InputError(f"{name}: {what}: {other.name!r}, {each.name!r}", "give one of them another id")
        other = by_name.setdefault(each.name, each)
        if other.id != each.id:
            what = f"{other.place} and {each.place} are both called {each.name!r} and have different ids"
            raise InputError(f"{name}: {what}", "rename one, or give both one id when they are the same")
    if of_nothing:
        count = sum(category in of_nothing for category in content.boxes.category)
        findings.counts["annotations without an object"] = count
    groups = {each.group for each in by_name.values() if each.group != each.name}
    kept = []
    for each in by_name.values():
        if each.id not in content.category_ids and each.name in groups:
            findings.notes.append(
                f"category {each.id} ({each.name}) only groups others and has no box: left out"
            )
        elif each.id not in content.category_ids and each.id == 0 and each.name.lower() == "background":
            findings.notes.append("category 0 (background) has no box: left out")
        elif content.category_ids.get(each.id) in of_nothing:
            findings.notes.append(
                f"category {each.id} ({each.name}) has no box and says that images show nothing: left out"
            )
        else:
            kept.append(each)
    ids = {each.name: each.id for each in kept if isinstance(each.id, int)}
    if len(ids) == len(kept):
        _need_ids(ids, name)
        findings.label_ids.update(ids)
    else:
        findings.notes.append("ids of categories are text: labels are renumbered")
    return {content.category_ids[each.id]: each.name for each in kept if each.id in content.category_ids}


def _need_ids(ids: dict[str, int], name: str) -> None:
    for label, each in ids.items():
        if not 0 <= each < 2**31:
            raise InputError(
                f"{name}: category {label!r} has the id {each}", "ids of categories are 0 to 2147483647"
            )
