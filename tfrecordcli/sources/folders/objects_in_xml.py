"""Boxes in XML of any kind, by what an element holds: four sides of known names, and a class beside.

`<obj><cls>cat</cls><rect><x>8</x><y>4</y><w>32</w><h>16</h></rect></obj>`, or the same in attributes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, cast
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.sources.boxes.columns import find_box_columns
from tfrecordcli.sources.column_words import looks_like_image
from tfrecordcli.sources.pandas_commands import literal

_CLASS: Final = re.compile(
    r"(?i)(?:obj(?:ect)?_?)?(?:name|label|cls|type|class(?:_?(?:name|id))?|category(?:_?(?:name|id))?)"
)
_SIDES: Final = 4
# What four numbers are called in a list, by the kind of their box.
_NAMES: Final[Mapping[str, Sequence[str]]] = {
    "xyxy": ("xmin", "ymin", "xmax", "ymax"),
    "xywh": ("x", "y", "width", "height"),
    "center_xywh": ("x_center", "y_center", "width", "height"),
}


@dataclass(frozen=True, slots=True)
class ObjectsInXml:
    """How files tell objects.

    Attributes:
      tag: of the element of an object.
      box: path from there to the element of its box, `.` for itself.
      sides: names of four elements in that, or of its attributes.
      header: what these are called in a list.
      label: name of the element of its class, or of its attribute.
      are_attributes, is_attribute: whether the sides, and the class, are attributes.
    """

    tag: str
    box: str
    sides: Sequence[str]
    header: Sequence[str]
    label: str
    are_attributes: bool
    is_attribute: bool

    @property
    def rows(self) -> str:
        """Python for the sides and the class of each box, where ``t`` is the root of a file."""
        sides = f"[{', '.join(map(literal, self.sides))}]"
        get, of_object = ("get" if each else "findtext" for each in (self.are_attributes, self.is_attribute))
        return (
            f"[[*map(e.{get}, {sides}), o.{of_object}({literal(self.label)})] "
            f"for o in t.iter({literal(self.tag)}) for e in o.findall({literal(self.box)})]"
        )


def objects_in(heads: Iterable[bytes], *, is_told: bool) -> ObjectsInXml | None:
    """How files that begin like these tell objects, where all that do tell them alike.

    Args:
      is_told: whether other names say that there are boxes; else some file has to have several.
    """
    found = [[*_objects_in(head)] for head in heads]
    kinds = {each for objects in found for each in objects}
    is_sure = is_told or any(len(objects) > 1 for objects in found)
    return kinds.pop() if len(kinds) == 1 and is_sure else None


def _objects_in(head: bytes) -> Iterator[ObjectsInXml]:
    """Of each element that has a box and a class; those within others come first."""
    parser: XMLPullParser[Any] = XMLPullParser(("end",))
    if b"<!ENTITY" in head:
        return  # which may stand for more than memory holds
    with suppress(ParseError, LookupError, ValueError):  # cut at the end, or of an encoding that is not read
        parser.feed(head)
        parser.close()
    with suppress(ParseError, LookupError, ValueError):
        for _, element in cast(Iterator[tuple[str, Element]], parser.read_events()):
            yield from _object(element)


def _object(element: Element) -> Iterator[ObjectsInXml]:
    labels, own = (
        [name for name, text in fields.items() if _CLASS.fullmatch(name) and not looks_like_image(text)]
        for fields in (_leaves(element), element.attrib)
    )
    if len(labels) + len(own) != 1:
        return
    for box in (element, *element):
        path = "." if box is element else box.tag
        for fields, are_attributes in ((_leaves(box), False), (box.attrib, True)):
            numbers = [name for name, text in fields.items() if NUMBER.fullmatch(text.strip())]
            form, sides = _box(numbers)
            if form:
                label, header = (labels or own)[0], _NAMES[form]
                yield ObjectsInXml(element.tag, path, sides, header, label, are_attributes, bool(own))
                return


def _leaves(element: Element) -> dict[str, str]:
    """The texts of the elements in one that have none themselves, by name; none that are there twice."""
    names = [child.tag for child in element]
    return {
        child.tag: child.text or "" for child in element if not len(child) and names.count(child.tag) == 1
    }


def _box(names: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The kind of a box of numbers with these names, and the names of its four; empty: they are none."""
    with suppress(InputError):
        boxes = find_box_columns(names, are_boxes=True)
        if boxes is not None and len(boxes.corners) == _SIDES and boxes.form in _NAMES:
            return boxes.form, tuple(names[i] for i in boxes.corners)
    return "", ()
