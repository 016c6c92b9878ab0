"""How many random examples a test tries: few in `make test`, all in `make test-all`."""

from __future__ import annotations

from hypothesis import settings

_SHARE = 10
_FEWEST = 15


def examples(thorough: int) -> int:
    """So many under the profile `thorough`, a tenth of them otherwise."""
    if settings.get_current_profile_name() == "thorough":
        return thorough
    return min(thorough, max(_FEWEST, thorough // _SHARE))
