"""Oxford-IIIT Pets: lists of images by their stems, whose names begin with the breed.

A line is the stem, the number of the breed, the species (1 cat, 2 dog) and the number of the breed within it:
https://www.robots.ox.ac.uk/~vgg/data/pets/.
"""

from __future__ import annotations

import codecs
import os
import re
import shlex
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import as_path

_FOLDER: Final = "annotations"
_SPLITS: Final = ("trainval.txt", "test.txt")
# The breed before the number of the image, the number of the breed, of the species, and within that.
_LINE: Final = re.compile(r"([A-Za-z][A-Za-z_]*)_[0-9]+ ([1-9][0-9]?) [12] [1-9][0-9]?\s*", re.ASCII)
_FEWEST_BREEDS: Final = 2
_HEAD: Final = 1 << 14  # images are sorted by breed, of which a split has a hundred
_CUT: Final = _HEAD - len(codecs.BOM_UTF8)  # characters of a head that is cut, at least
# The first file is of train, the second of test; where there is one, it names no split.
_ROWS: Final = (
    'awk -v OFS=, \'FNR == 1 {f++} /^[^#]/ {k = $1; sub(/_[0-9]+$/, "", k); '
    'print "../images/" $1 ".jpg", k, $3 == 1 ? "cat" : "dog"%s}\''
)
_OF_SPLITS: Final = ', f == 1 ? "train" : "test"'


def need_no_pets(folder: str) -> None:
    """Refuses the folder of Oxford-IIIT Pets, with the command that makes a list of its splits.

    Raises:
      InputError: that is what it is.
    """
    files = [os.path.join(folder, _FOLDER, name) for name in _SPLITS]
    if not all(map(os.path.isfile, files)):
        return
    lists = []
    for path in files:
        with open(path, encoding="utf-8", errors="replace") as file:
            lists.append(_stems(file.read(_HEAD)))
    images = (os.path.join(folder, "images", f"{stem}.jpg") for stems in lists for stem in stems)
    if not all(lists) or not any(map(os.path.isfile, images)):
        return
    raise _refusal(folder or ".", files)


def need_no_list_of_pets(text: str, name: str) -> None:
    """Refuses a list of Oxford-IIIT Pets, which names images without their folder and extension.

    Raises:
      InputError: that is what it is, with the command that makes a list of it.
    """
    if _stems(text) and os.path.isfile(name):
        folder, base = os.path.split(name)
        files = [os.path.join(folder, each) for each in _SPLITS]
        is_one = base not in _SPLITS or not all(map(os.path.isfile, files))
        raise _refusal(name, [name] if is_one else files)


def _stems(head: str) -> list[str]:
    """Stems of images of a list that begins like this; none where it is no list of Pets.

    Each breed has one number there, and each number is of one breed.
    """
    whole = head.split("\n")[: -1 if len(head) >= _CUT else None]
    lines = [line for line in whole if line.strip() and not line.startswith("#")]
    found = [match for match in map(_LINE.fullmatch, lines) if match]
    pairs = {match.group(1, 2) for match in found}
    are_pairs = all(len({pair[at] for pair in pairs}) == len(pairs) for at in (0, 1))
    is_list = len(found) == len(lines) and are_pairs and len(pairs) >= _FEWEST_BREEDS
    return [line.split()[0] for line in lines] if is_list else []


def _refusal(what: str, files: list[str]) -> InputError:
    header, split = (
        ("image,label,species,split", _OF_SPLITS) if len(files) > 1 else ("image,label,species", "")
    )
    target = shlex.quote(as_path(os.path.join(os.path.dirname(files[0]), "list.csv")))
    rows = " ".join([_ROWS % split, *(shlex.quote(as_path(file)) for file in files)])
    return InputError(
        f"{what}: labels are in the names of images without extensions, as in Oxford-IIIT Pets",
        f"make a list of them: (echo {header}; {rows}) > {target}; then: tfrec convert {target} OUTPUT_DIR",
    )
