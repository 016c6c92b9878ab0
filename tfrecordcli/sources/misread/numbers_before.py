"""Numbers before the image of each row, parted by blanks: which of them is a label, nothing says."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import WRITTEN
from tfrecordcli.sources.made_list import made_by

_NUMBERS: Final = re.compile(rf"(?:{WRITTEN}[ \t]+)+(?=\S)")
_MANY: Final = 10  # rows whose numbers do not ascend by chance
_POINTS: Final = 8  # numbers that are seldom fewer where they are points
_REGRESSION: Final = "--task regression takes numbers that are no classes"
# The commands that write the first word of each row behind its path, which may have blanks, the folder of the
# image there, and the path alone.
_REST: Final = r"""sub(/\r$/, ""); v = $1; sub(/^[ \t]*[^ \t]+[ \t]+/, "")"""
FIRST_BEHIND: Final = f"""awk '{{{{{_REST}; print $0 "," v}}}}' {{name}}"""
_FOLDER_BEHIND: Final = f"""awk '{{{{{_REST}; print $0 "," p[split($0, p, "/") - 1]}}}}' {{name}}"""
_REST_ALONE: Final = f"awk '{{{{{_REST}; print}}}}' {{name}}"
# Of commands for k numbers before the path: what leaves them out, and writes the n-th of them behind it.
_SEVERAL_OUT: Final = (
    r"""NF {{sub(/^\357\273\277/, ""); sub(/\r$/, ""); v = $n; """
    r"""for (i = 0; i < k; i++) sub(/^[ \t]*[^ \t]+[ \t]+/, ""); gsub(/"/, "\"\""); """
)
_ONE_BEHIND: Final = (
    """'BEGIN {{if (n < 1 || n > k || n != int(n)) {{print "n: 1 to " k > "/dev/stderr"; exit 1}}}} """
    rf"""{_SEVERAL_OUT}print "\"" $0 "\"," v}}}}' {{name}}"""
)
_PATH_ALONE: Final = rf"""'{_SEVERAL_OUT}print "\"" $0 "\""}}}}' {{name}}"""


def need_no_numbers(paths: Sequence[str], name: str, folder: str) -> None:
    """Refuses rows that all begin with numbers; one that counts the rows is no label.

    Args:
      paths: rows of nothing but a path, as it seems.
      name: of the list.
      folder: that paths are relative to.

    Raises:
      InputError: with the commands that write a number behind its image, and leave all of them out.
    """
    begins = [match[0] if (match := _NUMBERS.match(path)) else "" for path in paths]
    if not all(begins):
        return
    count = _count_before(paths[0], min(len(begin.split()) for begin in begins), folder)
    if count > 1:
        raise _several(count, name)
    regression = f"{_REGRESSION}, --unlabelled keep what stands here as names of images without labels"
    labels = made_by("image,label", FIRST_BEHIND, name)
    if not _count_rows([path.split(None, 1)[0] for path in paths]):
        raise InputError(
            "its rows have a number, a blank and an image, in this order", f"{labels}; {regression}"
        )
    raise InputError(
        "its rows have a number that counts them, a blank and an image, in this order",
        f"{_without_count(paths, name)}; where the numbers tell of the images, {labels}, and {_REGRESSION}",
    )


def _count_before(path: str, most: int, folder: str) -> int:
    """How many numbers stand before a path, which may begin with one itself where such a file is there."""
    rests = (path.split(None, count)[-1] for count in range(1, most))
    there = (os.path.isfile(os.path.join(folder, rest.strip())) for rest in rests)
    return next((count for count, is_there in enumerate(there, 1) if is_there), most)


def _several(count: int, name: str) -> InputError:
    label = made_by("image,label", f"awk -v k={count} -v n=NUMBER {_ONE_BEHIND}", name)
    alone = made_by("image", f"awk -v k={count} {_PATH_ALONE}", name)
    points = "; points, as of faces, are not stored" if count >= _POINTS else ""
    return InputError(
        f"its rows have {count} numbers and then an image, and no header says what they are",
        f"where one is the label, its place (1 to {count}) for NUMBER: {label}; {_REGRESSION}; else: "
        f"{alone}, and convert that with --unlabelled keep{points}",
    )


def _without_count(paths: Sequence[str], name: str) -> str:
    """What is made of rows without the number that counts them: labels where folders may be such."""
    images = [path.split(None, 1)[1].split("/") for path in paths]
    folders = {image[-2] for image in images if len(image) > 1}
    if len(folders) > 1 and all(len(image) > 1 for image in images):
        shown = ", ".join(sorted(folders)[:3])
        return f"where folders are the labels ({shown}), {made_by('image,label', _FOLDER_BEHIND, name)}"
    return f"{made_by('image', _REST_ALONE, name)}, and convert that with --unlabelled keep"


def _count_rows(numbers: Sequence[str]) -> bool:
    """Whether these are whole numbers each of which is larger than the one before, in many rows."""
    are_whole = len(numbers) >= _MANY and all(map(str.isdecimal, numbers))
    return are_whole and all(int(left) < int(right) for left, right in pairwise(numbers))
