"""Rows assigned so that each split has its share of every class, and none comes out empty that need not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


class StratifiedSplitter:
    """Assigns rows in a random order, each to the split that lacks most of its class and of all rows.

    So each split is within a row or two of its share of each class. Unlike `Splitter` it remembers what it
    assigned, a count for each split and each set of labels, so that another row may move others.

    Args:
      weights: (split, weight) pairs.
      rows: that will be assigned, or a few less; 0 when it is not known.
    """

    def __init__(self, weights: Sequence[tuple[str, float]], rows: int) -> None:
        total = sum(weight for _, weight in weights)
        self._shares = {split: weight / total for split, weight in weights}
        self._quotas = _quotas(self._shares, rows)
        if rows:
            self._shares = {split: quota / rows for split, quota in self._quotas.items()}
        self._assigned: Counter[str] = Counter()
        self._by_class: dict[tuple[str, ...], Counter[str]] = {}

    def split_of(self, image_uri: str, labels: tuple[str, ...]) -> str:
        """The split of a row with these labels."""
        of_class = self._by_class.setdefault(tuple(sorted({*labels})), Counter())
        of_class_next, next_row = of_class.total() + 1, self._assigned.total() + 1
        wanting = [split for split, quota in self._quotas.items() if self._assigned[split] < quota]

        def lack(split: str) -> float:
            share = self._shares[split]
            return share * of_class_next - of_class[split] + share * next_row - self._assigned[split]

        split = max(wanting or self._shares, key=lack)
        of_class[split] += 1
        self._assigned[split] += 1
        return split


def _quotas(shares: dict[str, float], rows: int) -> dict[str, int]:
    """Rows that each split gets: its share by largest remainder, and one at least where there are enough."""
    quotas = {split: int(share * rows) for split, share in shares.items()}
    by_remainder = sorted(shares, key=lambda split: quotas[split] - shares[split] * rows)
    for split in by_remainder[: rows - sum(quotas.values())]:
        quotas[split] += 1
    for split in shares:
        largest = max(quotas, key=quotas.__getitem__)
        if not quotas[split] and quotas[largest] > 1:
            quotas[split] += 1
            quotas[largest] -= 1
    return quotas
