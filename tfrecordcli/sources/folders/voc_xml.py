"""One XML file of Pascal VOC's kind: what it says of its image.

The grammar is that of the VOC devkit and of labelImg; children are taken by name, never by their order, and
only those right in an object: its parts have boxes of their own.
"""

from __future__ import annotations

import codecs
import math
import re
from dataclasses import dataclass, field
from typing import Final
from xml.parsers import expat

from tfrecordcli.dataset.labels import has_control_characters
from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.listed import Untyped

MOST_BYTES: Final = 8 << 20
_DEEPEST: Final = 32
_CORNERS: Final = ("xmin", "ymin", "xmax", "ymax")
NO_CORNERS: Final = (math.nan, math.nan, math.nan, math.nan)
_FLAGS: Final = ("difficult", "truncated", "occluded")
_OF_OBJECT: Final = frozenset({"name", "pose", *_FLAGS})
USED_OF_OBJECTS: Final = _OF_OBJECT | {"bndbox"}
_YES, _NO = frozenset({"1", "true", "yes"}), frozenset({"", "0", "false", "no", "unspecified"})
_DECLARED: Final = re.compile(rb"""\s*<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']""")
_MARKS: Final = {"utf-8": codecs.BOM_UTF8, "utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}
# Encodings of Python that are none of text files; two of them take time by the square of the length.
_NO_ENCODINGS: Final = frozenset({"idna", "punycode", "raw-unicode-escape", "unicode-escape", "utf-7"})


@dataclass(frozen=True, slots=True)
class VocObject:
    """One object.

    Attributes:
      name: what it is.
      corners: (xmin, ymin, xmax, ymax) in pixels, as written; four nan where one cannot be read.
      written: those four then, as text.
      attributes: difficult, truncated, occluded and the pose as ``view``, as far as they are said.
    """

    name: str
    corners: tuple[float, float, float, float]
    attributes: dict[str, int | float | str]
    written: tuple[str, ...] = ()


@dataclass(slots=True)
class Annotation:
    """One file.

    Attributes:
      filename: of the image as written, often of another machine; empty when it does not say.
      width, height: of the image; None: not said, or no positive whole number.
      objects: in the order of the file.
      further: text of other elements by name; of those in one of them as ``source.database``. An object is
        what is there twice.
      of_objects: names of the elements of objects.
      empty: how many objects have none: how HollywoodHeads says that there is nothing.
      problem: why the first object that cannot be used cannot: a field that is twice in it, no bndbox or
        name, a corner that is missing or no number.
    """

    filename: str = ""
    width: int | None = None
    height: int | None = None
    objects: list[VocObject] = field(default_factory=list)
    further: dict[str, Untyped | dict[str, str]] = field(default_factory=dict)
    of_objects: set[str] = field(default_factory=set)
    empty: int = 0
    problem: Rejected | None = None


class OrientedBox(Exception):
    """An object has an oriented box (robndbox, as roLabelImg writes)."""


def parse_annotation(data: bytes) -> Annotation:
    """What a file says.

    Args:
      data: the whole file, `MOST_BYTES` at most.

    Raises:
      Rejected: ``bad_annotation``: no XML of this kind, or a document type.
      OrientedBox: the dataset is of a kind that is not read.
    """
    reader = _Reader()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text.append
    parser.StartDoctypeDeclHandler = _refuse_doctype
    try:
        parser.Parse(_decoded(data), True)
    except expat.ExpatError as error:
        detail = f"it is no well-formed XML (line {error.lineno}; is a & or < meant as text there?)"
        raise Rejected("bad_annotation", detail=detail) from error
    except UnicodeError as error:
        raise Rejected("bad_annotation", detail="it holds what is no Unicode") from error
    return reader.found


def _refuse_doctype(*_: object) -> None:
    raise Rejected("bad_annotation", detail="it declares a document type (DOCTYPE), which is not read")


def _decoded(data: bytes) -> str:
    """The text of a file in the encoding that it declares: expat itself knows few."""
    encoding = next((name for name, mark in _MARKS.items() if data.startswith(mark)), "")
    if encoding:
        data = data[len(_MARKS[encoding]) :]
    else:
        declared = _DECLARED.match(data[:400])
        encoding = declared[1].decode() if declared else "utf-8"
    try:
        if codecs.lookup(encoding).name.replace("_", "-") in _NO_ENCODINGS:
            raise LookupError
        return data.decode(encoding)
    except LookupError as error:
        raise Rejected("bad_annotation", detail=f"its encoding {encoding} is not known") from error
    except UnicodeError as error:
        at = f"byte {error.start}" if isinstance(error, UnicodeDecodeError) else "a byte"
        detail = f"{at} is not {encoding}, which it is taken for; declare its encoding in the first line"
        raise Rejected("bad_annotation", detail=detail) from error


class _Reader:
    """What was found so far; the methods are told what the parser comes to."""

    def __init__(self) -> None:
        self.found = Annotation()
        self.text: list[str] = []
        self._open: list[str] = []
        self._fields: dict[str, str] = {}  # of the object
        self._box: dict[str, str] | None = None  # of the object
        self._path = ""
        self._is_read = True  # the object, so far
        self._is_empty = True  # the object
        self._elsewhere = ""  # the first element of the annotation in which an object is, as of a relation

    def start(self, name: str, _: dict[str, str]) -> None:
        depth = len(self._open)
        if depth == 0 and name != "annotation":
            detail = f"its first element is {name!r} and not annotation, as in Pascal VOC"
            raise Rejected("bad_annotation", detail=detail)
        if depth == _DEEPEST:
            raise Rejected("bad_annotation", detail=f"its elements are nested deeper than {_DEEPEST}")
        if depth == 1 and name == "object":
            self._fields, self._box, self._is_read, self._is_empty = {}, None, True, True
        elif depth == 2 and self._open[1] == "object":
            self._is_empty = False
        elif name == "object" and "object" not in self._open:
            self._elsewhere = self._elsewhere or self._open[1]
        if depth == 2 and name == "bndbox" and self._open[1] == "object":
            if self._box is not None:
                self._note_twice(name)
            else:
                self._box = {}
        self._open.append(name)
        self.text.clear()

    def end(self, name: str) -> None:
        opened = self._open
        opened.pop()
        depth = len(opened)
        if depth == 3 and opened[2] == "bndbox" and opened[1] == "object" and self._box is not None:
            self._put(self._box, name)
        elif depth == 2 and opened[1] == "object":
            self.found.of_objects.add(name)
            if name in _OF_OBJECT:
                self._put(self._fields, name)
            elif name == "robndbox":
                raise OrientedBox
        elif depth == 2 and opened[1] == "size":
            if name == "width":
                self.found.width = _pixels(self._said())
            elif name == "height":
                self.found.height = _pixels(self._said())
        elif depth == 2:
            self._put_further(f"{opened[1]}.{name}")
        elif depth == 1:
            self._end_child(name)
        elif depth == 0 and self._elsewhere and not (self.found.objects or self.found.empty):
            detail = f"its objects are in {self._elsewhere}, and not right in the annotation as in Pascal VOC"
            raise Rejected("bad_annotation", detail=detail)
        self.text.clear()

    def _end_child(self, name: str) -> None:
        if name == "object" and self._is_empty and not self._said():
            self.found.empty += 1
        elif name == "object":
            self.found.objects.append(self._finished())
        elif name == "filename":
            self.found.filename = self._said() or self._path
        elif name == "path":
            self._path = self._said()
            self.found.filename = self.found.filename or self._path
        else:
            self._put_further(name)

    def _put_further(self, name: str) -> None:
        said = self._said()
        if said:
            self.found.further[name] = {} if name in self.found.further else Untyped(said)

    def _said(self) -> str:
        return "".join(self.text).strip()

    def _put(self, fields: dict[str, str], name: str) -> None:
        if name in fields:
            self._note_twice(name)
        fields.setdefault(name, self._said())

    def _note_twice(self, name: str) -> None:
        self._is_read = False
        self._note(Rejected("bad_annotation", detail=f"{self._place()} has two elements {name}"))

    def _note(self, problem: Rejected) -> None:
        self.found.problem = self.found.problem or problem

    def _place(self) -> str:
        return f"object[{len(self.found.objects)}]"

    def _finished(self) -> VocObject:
        name = self._fields.get("name", "")
        if has_control_characters(name):
            detail = f"the name of {self._place()} holds a line break or control character"
            self._note(Rejected("bad_annotation", detail=detail))
            name = ""
        elif self._box is None or not name:
            missing = "name" if self._box else "bndbox"
            self._note(Rejected("bad_annotation", detail=f"{self._place()} has no {missing}"))
        attributes, box = _attributes(self._fields), self._box or {}
        try:
            xmin, ymin, xmax, ymax = (self._number(box, name) for name in _CORNERS)
        except Rejected as problem:
            self._note(problem)
            self._is_read = False
        if self._is_read:
            return VocObject(name, (xmin, ymin, xmax, ymax), attributes)
        return VocObject(name, NO_CORNERS, attributes, tuple(box.get(name, "") for name in _CORNERS))

    def _number(self, box: dict[str, str], name: str) -> float:
        text = box.get(name)
        if text is None:
            raise Rejected("bad_box", what=f"of {self._place()} has no {name}")
        value = float(text) if NUMBER.fullmatch(text) else math.nan
        if not math.isfinite(value):
            raise Rejected("bad_box", what=f"of {self._place()} has {text[:40]!r} for {name}")
        return value


def _attributes(fields: dict[str, str]) -> dict[str, int | float | str]:
    """What is said beside name and box; a flag that is neither yes nor no is not said."""
    said: dict[str, int | float | str] = {}
    for flag in _FLAGS:
        word = fields.get(flag, "").lower()
        if word in _YES:
            said[flag] = 1
        elif word in _NO and flag in fields:
            said[flag] = 0
    pose = fields.get("pose", "")
    if pose and not has_control_characters(pose):
        said["view"] = pose
    return said


def _pixels(text: str) -> int | None:
    value = float(text) if NUMBER.fullmatch(text) else 0.0
    return int(value) if 1 <= value < 1 << 31 and value == int(value) else None
