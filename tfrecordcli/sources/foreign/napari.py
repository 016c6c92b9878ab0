"""Shapes that napari saves, a CSV for each image, with a row for each corner of each shape.

A corner is at `axis-0`, from the top, and `axis-1`, from the left; further axes would be those of a stack
(https://napari.org/stable/howtos/layers/shapes.html).
"""

from __future__ import annotations

from typing import Final

SHAPES: Final = ["index", "shape-type", "vertex-index", "axis-0", "axis-1"]
# The boxes around them, and Python that makes rows of these of those of corners ``t[1:]``.
BOXES: Final = ["xmin", "ymin", "xmax", "ymax"]
AROUND: Final = (
    "[[min(x), min(y), max(x), max(y)] for n in dict.fromkeys(c[0] for c in t[1:]) "
    "for y, x in [zip(*[map(float, c[3:]) for c in t[1:] if c[0] == n])]]"
)
