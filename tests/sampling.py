"""What `make test` tries of many examples and variations; `make test-all` tries them all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import settings

_SHARE = 10
_FEWEST = 15


def examples(thorough: int) -> int:
    """So many under the profile `thorough`, a tenth of them otherwise."""
    if settings.get_current_profile_name() == "thorough":
        return thorough
    return min(thorough, max(_FEWEST, thorough // _SHARE))


def first(now: Iterable[Any], later: Iterable[Any], *, unpack: bool = False) -> list[Any]:
    """Values of a parameter for `make test`, then those that are left to `make test-all`.

    Args:
      unpack: each value is a tuple of the values of several parameters.
    """
    values = later if unpack else ((value,) for value in later)
    return [*now, *(pytest.param(*value, marks=pytest.mark.thorough) for value in values)]
