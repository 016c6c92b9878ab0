"""Lists that are easily misread, and the command that mends one."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

TABLE = "--task tabular"


def rows(form: str, count: int = 8) -> str:
    """Rows in which `{i}` is the number of the row, and `{c}` one of two words."""
    return "".join(form.format(i=i, c=f"c{i % 2}") + "\n" for i in range(count))


SIDES = ("left", "top", "right", "bottom")
TWO_CORNERS = ("x_min", "y_min", "x_max", "y_max")


def four(word: str, sides: tuple[str, ...] = SIDES) -> str:
    return ",".join(f"{word}_{side}" for side in sides)


PHOTOS = "image,label,"
EIGHT = rows("{i}.jpg,{c},1,2,3,4,5,6,7,8")


def filled(message: str, folder: Path) -> None:
    """Runs the command that fills in blank fields, with the Python that runs the tests."""
    command = re.split(" > list-as-csv.csv", message.partition("make a CSV of it: ")[2])[0]
    command = command.replace("python -c", f"{shlex.quote(sys.executable)} -c", 1)
    subprocess.run(["bash", "-c", f"{command} > list-as-csv.csv"], cwd=folder, check=True)
