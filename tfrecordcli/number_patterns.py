"""Which texts are numbers. Python's float() takes more: 1_000, ١, inf, blanks around them."""

from __future__ import annotations

import re
from typing import Final

# Of a value, however people write it: 1, +1, 1., .5, 1e-3. Digits are never given back, or several numbers
# in one pattern would take longer with each digit, to the eighth power.
NUMBER: Final = re.compile(r"[+-]?(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+")
# As programs write it, where the question is what a text is: +1, .5 can be names of columns or images.
WRITTEN: Final = r"-?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?"
WRITTEN_NUMBER: Final = re.compile(WRITTEN)
