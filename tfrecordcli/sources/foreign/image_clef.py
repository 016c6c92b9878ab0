"""ImageCLEF's photos of plants: XML beside each image, of the same name.

`<Image><FileName>1234.jpg</FileName><ClassId>5514</ClassId><Species>Quercus ilex L.</Species>…`: PlantCLEF's
tasks from 2013 on, https://www.imageclef.org/lifeclef/2015/plant. Later ones have folders of classes, too.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.sources.made_list import made_by, made_of_folder

_SIGN: Final = re.compile(rb"(?:<\?xml[^>]*>)?\s*<Image>(?=[\s\S]*<ClassId>[^<]*\S[^<]*</ClassId>)")
_PART: Final = re.compile(r"train|test|data", re.IGNORECASE)
_LABELS: Final = (
    "label is the ClassId: --columns label=species takes the names of species; --split-by observation keeps "
    "photos of one plant together"
)
# Of several splits each is told.
_CODE: Final = (
    "import csv, pathlib, sys, xml.etree.ElementTree as E; r = pathlib.Path(sys.argv[1]); "
    'a = [[(p.parent / (g("FileName") or p.stem + ".jpg")).relative_to(r).as_posix(), *map(g, '
    '"ClassId Species ObservationId".split()), g("LearnTag") or g("Learn_Tag")] '
    'for p in sorted(r.rglob("*.xml")) for t in [E.parse(p).getroot()] if t.tag == "Image" '
    'for g in [lambda k: (t.findtext(k) or "").strip()]]; n = 4 + (len({x[4] for x in a}) > 1); '
    'w = csv.writer(sys.stdout); w.writerow("image label species observation split".split()[:n]); '
    "w.writerows(x[:n] for x in a)"
)


def is_of_image_clef(head: bytes) -> bool:
    """Whether XML begins like such a file, with a class."""
    return _SIGN.match(head.removeprefix(b"\xef\xbb\xbf")) is not None


def image_clef_hint(name: str) -> str:
    """The command that makes a list of the folder of such a file, by its name."""
    command = f"""python -c '{_CODE}' """.replace("{", "{{").replace("}", "}}") + '"$(dirname {name})"'
    return f"{made_by('', command, name)}; {_LABELS}"


def need_no_image_clef(root: str, path: str, head: bytes, classes: Collection[str]) -> None:
    """Refuses a folder with such a file, unless it has folders of classes.

    These may be of species, by whatever name, or of organs; of parts of the data they are none.

    Args:
      root: the folder.
      path: of the file, relative to it.
      head: the first bytes of the file.
      classes: that the images seem to be of.

    Raises:
      InputError: what it is, and for a local folder the command that makes a list of it.
    """
    are_classes = len(classes) > 1 and not any(map(_PART.search, classes))
    if is_of_image_clef(head) and not are_classes:
        hint = made_of_folder("labels", _CODE, root) or "make a list of it: image,label"
        what = f"labels are in XML beside the images, as ImageCLEF has them ({path})"
        raise InputError(f"{root}: {what}", f"{hint}; {_LABELS}")
