"""How large an image is stored."""

from __future__ import annotations


def target_size(width: int, height: int, max_side: int | None) -> tuple[int, int]:
    """The size in pixels, at least 1 x 1, whose longer side is at most `max_side` (None: any)."""
    if max_side is None or max(width, height) <= max_side:
        return width, height
    scale = max_side / max(width, height)
    return max(1, round(width * scale)), max(1, round(height * scale))
