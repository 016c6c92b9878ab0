"""CVAT for images 1.1, CVAT's own XML: https://docs.cvat.ai/docs/manual/advanced/formats/format-cvat/."""

from __future__ import annotations

import re
import shlex
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.sources.made_list import made_by, then_converted

_SIGN: Final = re.compile(rb"<annotations[\s>]")
_HEAD: Final = 1000
# The rectangle around what is turned, outlined or painted. Subsets are the splits where there are several.
_CODE: Final = (
    "import cmath, csv, math, sys, xml.etree.ElementTree as E; "
    't = E.parse(sys.argv[1]).getroot().findall("image"); '
    't or sys.exit("it names no image, as one of a video does not"); '
    "n = lambda e, k: [float(e.get(a) or 0) for a in k.split()]; "
    "turned = lambda l, t, r, b, a: [complex(l + r, t + b) / 2 + complex(i * (r - l), j * (b - t)) / 2 * "
    "cmath.rect(1, math.radians(a)) for i in (-1, 1) for j in (-1, 1)]; "
    "f = dict("
    'box=lambda e: turned(*n(e, "xtl ytl xbr ybr rotation")), '
    'polygon=lambda e: [complex(*map(float, p.split(","))) for p in e.get("points").split(";")], '
    'mask=lambda e: turned(*(lambda l, t, w, h: (l, t, l + w, t + h, 0))(*n(e, "left top width height")))); '
    'o = {e.tag for i in t for e in i} - {*f, "tag"}; '
    'o and sys.exit(f"no boxes, but {o}"); '
    "b = [(i, [(e, f[e.tag](e)) for e in i if e.tag in f]) for i in t]; "
    'k = len({i.get("subset") for i in t}) > 1; '
    'any(a for _, a in b) or sys.exit("no boxes, but tags of whole images"); '
    'v = lambda p: [round(g(getattr(c, s) for c in p), 2) for g in (min, max) for s in ("real", "imag")]; '
    'w = csv.writer(sys.stdout); w.writerow(["split"] * k + "image xmin ymin xmax ymax label".split()); '
    'w.writerows([i.get("subset")] * k + [i.get("name"), *r] for i, a in b '
    'for r in [[*v(p), e.get("label")] for e, p in a] or [[""] * 5])'
)
_COMMAND: Final = f"python -c {shlex.quote(_CODE)} ".replace("{", "{{").replace("}", "}}") + "{name}"


def is_of_cvat(head: bytes) -> bool:
    """Whether XML begins like such a file."""
    return _SIGN.search(head[:_HEAD]) is not None


def need_no_cvat(head: bytes, name: str, insist: str = "") -> None:
    """Refuses such a file in a folder.

    Args:
      head: its first bytes.
      name: of it.
      insist: what takes the folder all the same.

    Raises:
      InputError: with what makes a list of it.
    """
    if is_of_cvat(head):
        hint = "; ".join(filter(None, (cvat_hint(name) + then_converted(name), insist)))
        raise InputError(f"{name}: this is CVAT's own XML, which is not read", hint)


def cvat_hint(name: str) -> str:
    """The command that makes a list of such a file, by its name."""
    return f"export it from CVAT as COCO or as Pascal VOC; or {made_by('', _COMMAND, name)}"
