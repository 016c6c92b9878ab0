"""Outlines in well-known text: the command makes the rectangles around them, and other texts are none."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from converting import shell

from tfrecordcli.sources.boxes.well_known_text import around_shapes, column_of_shapes

EARTH = "POLYGON ((-43.6 -22.9 0,-43.5 -22.9 0,-43.5 -22.8 0,-43.6 -22.9 0))"
# An outline, and the corners of the rectangle around it.
OUTLINES = {
    "POLYGON ((2 3.5 0,12.5 2 0,14 9 0,2 3.5 0))": (2, 2, 14, 9),
    "MULTIPOLYGON (((1 1, 4 1, 4 5, 1 1)), ((6 6, 8 7, 6 9, 6 6)))": (1, 1, 8, 9),
    "polygon((-1.5 2e1, 3 4, 5 +6))": (-1.5, 4, 5, 20),
    "POLYGON EMPTY": (),
    "": (),
}


def test_the_rectangle_around_each_is_written(tmp_path: Path) -> None:
    with (tmp_path / "list.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["image", "shape"], *([f"{at}.jpg", o] for at, o in enumerate(OUTLINES))])
    command = (
        "python -c " + around_shapes("shape", str(tmp_path / "list.csv"), ",").partition("python -c ")[2]
    )
    assert shell(command, tmp_path).code == 0
    with (tmp_path / "list-boxes.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    corners = [
        tuple(float(row[side]) for side in ("xmin", "ymin", "xmax", "ymax") if row[side]) for row in rows
    ]
    assert corners == list(OUTLINES.values())


@pytest.mark.parametrize(
    ("columns", "column"),
    [
        ({"geo": [EARTH], "wkt_pix": ["POLYGON EMPTY", *OUTLINES]}, "wkt_pix"),
        ({"caption": ["A dog runs ."], "geometry": [EARTH, ""]}, ""),
        ({"caption": ["polygon art on a wall", "POLYGON ((1 2, 3 4))"]}, ""),
        ({"shape": ["POLYGON EMPTY", ""]}, ""),
        ({"no numbers": ["POLYGON ((. e, 1 +, - 2))"]}, ""),
        ({"without end": ["POLYGON ((1e999 2, 3 4, 1 2))"]}, ""),
        ({"blank": ["", ""]}, ""),
    ],
)
def test_the_column_of_outlines_is_found(columns: dict[str, list[str]], column: str) -> None:
    assert column_of_shapes(columns) == column
