"""The table at the end."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from fuzz.images import OPTIONS
from fuzz.outcome import BLAMED, BROKEN, BUG, CRASH, EXIT, HANG, MEMORY, MISSED, UNREPORTED
from fuzz.running import Tally

_COLUMNS = (UNREPORTED, BUG, HANG, CRASH, MEMORY, BLAMED, EXIT, BROKEN)


def table(tallies: Sequence[Tally], seed: int) -> str:
    """Counts, seed, failures; then the failures by sort, and what is missed, by format and damage."""
    head = ("kind", "seed", "asked", "done", "seconds", *_COLUMNS)
    rows = [
        (
            tally.name,
            seed,
            tally.asked,
            tally.done,
            round(tally.seconds),
            *(tally.verdicts[word] for word in _COLUMNS),
        )
        for tally in tallies
    ]
    lines = list(_aligned([head, *rows]))
    for tally in tallies:
        others = ", ".join(
            f"{word} {count:,}" for word, count in sorted(tally.verdicts.items()) if word not in _COLUMNS
        )
        lines.append(f"{tally.name}: {others or 'nothing else'}")
        lines += [
            f"  FAILED {verdict}, {count:,} times: {what}"
            for (verdict, what), count in tally.failures.items()
        ]
        lines += _missed(tally)
    return "\n".join(lines)


def _missed(tally: Tally) -> Iterator[str]:
    """Damage that shows as other pixels and that no check can tell, of all damage of its sort.

    Sorts are "format: damage"; those with more after a comma are tried under other options, and left out.
    """
    counts = Counter[str]()
    missed = Counter[str]()
    for (verdict, what), count in tally.sorts.items():
        counts[what] += count
        missed[what] += count * (verdict == MISSED)
    formats = sorted({what.partition(": ")[0] for what in missed if missed[what]})
    if formats:
        yield "damage that was let in and shows as other pixels, of all damage of its sort:"
    for name in formats:
        texts = [
            f"{what.partition(': ')[2]} {missed[what]:,}/{counts[what]:,}"
            for what in sorted(counts)
            if what.partition(": ")[0] == name and not what.endswith(OPTIONS)
        ]
        yield textwrap.fill(f"{name}: {'; '.join(texts)}", 110, initial_indent="  ", subsequent_indent="    ")


def _aligned(rows: Sequence[Sequence[object]]) -> Iterable[str]:
    texts = [[f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    for row in texts:
        yield "  ".join(
            cell.ljust(width) if not at else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
