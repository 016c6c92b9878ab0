"""XML of one flat element an image, whose attributes name it and tell of it: VeRi-776's, and others like it.

`<Items><Item imageName="0001_c001_1.jpg" vehicleID="0001" colorID="1" />…`.
"""

from __future__ import annotations

import codecs
import re
from typing import Final

from tfrecordcli.sources.column_words import IMAGE_EXTENSION
from tfrecordcli.sources.made_list import made_by

_ENCODING: Final = re.compile(r"<\?xml\s[^>]*\bencoding\s*=\s*[\"']([\w.:-]+)[\"']")
_ATTRIBUTE: Final = r"[\w.:-]+\s*=\s*(?:\"[^\"<]*\"|'[^'<]*')"
_ITEM: Final = re.compile(rf"<(?:\w+:)?([A-Za-z_][\w.-]*)((?:\s+{_ATTRIBUTE})+)\s*(/?)>")
_VALUE: Final = re.compile(r"=\s*[\"']([^\"']*)")
# Files that name these sets often have letters of the wider one.
_WIDER: Final = {"gb2312": "gb18030", "gbk": "gb18030"}
# Expat reads few sets of letters, Python many.
_COMMAND: Final = (
    "python -c 'import csv, sys, xml.etree.ElementTree as E; "
    't = E.fromstring(open(sys.argv[1], encoding="{encoding}").read()); '
    'a = [i.attrib for i in t.findall(".//{{{{*}}}}{item}")]; '
    "w = csv.DictWriter(sys.stdout, dict.fromkeys(k for i in a for k in i)); "
    "w.writeheader(); w.writerows(a)' {{name}}"
)


def item_of(head: bytes) -> str:
    """The element that XML which begins like this has for each of several images; empty where there is none.

    Each such element is empty, and has an attribute with the name of an image file beside another one.
    """
    named = _ITEM.findall(_text(head))
    tags = {tag for tag, attributes, _ in named if any(map(_is_image, _VALUE.findall(attributes)))}
    items = [(_VALUE.findall(attributes), end) for tag, attributes, end in named if tag in tags]
    is_flat = all(end and len(values) > 1 and any(map(_is_image, values)) for values, end in items)
    return tags.pop() if len(tags) == 1 and len(items) > 1 and is_flat else ""


def items_hint(head: bytes, name: str) -> str:
    """The command that makes a list of such a file.

    Args:
      head: how it begins.
      name: of it.
    """
    return made_by("", _COMMAND.format(encoding=_encoding(head), item=item_of(head)), name)


def _is_image(value: str) -> bool:
    return IMAGE_EXTENSION.search(value) is not None


def _text(head: bytes) -> str:
    return head.decode(_encoding(head), "replace")


def _encoding(head: bytes) -> str:
    """What the file says its letters are, as Python calls it."""
    found = _ENCODING.match(head.decode("latin-1"))
    try:
        codec = codecs.lookup(found[1]).name if found else "utf-8"
    except LookupError:
        codec = "utf-8"
    return "utf-8-sig" if codec == "utf-8" else _WIDER.get(codec, codec)
