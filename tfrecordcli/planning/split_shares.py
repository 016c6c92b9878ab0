"""Whether the splits that rows were assigned to came out as they were meant: few rows can miss a split."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tfrecordcli.options import ReadOptions
from tfrecordcli.planning.split_assignment import KEPT, Splitter
from tfrecordcli.units import join_pairs, plural

# What looking for a better seed may cost: seeds that are tried, times rows.
_SEEDS: Final = 1_000
_TRIALS: Final = 50_000


@dataclass(slots=True)
class SplitRows:
    """Rows that name no split and can be used: how many, and the images of the first ones.

    Attributes:
      count: of them.
      first: the images of the first ones, that were assigned one by one.
      groups: how many images each of the first groups has, by what it was assigned by.
      are_all: whether no row of the list names its split.
    """

    count: int = 0
    first: dict[str, None] = field(default_factory=dict)
    groups: dict[str, int] = field(default_factory=dict)
    are_all: bool = True

    def add(self, *image_uris: str) -> None:
        self.add_all(len(image_uris), image_uris)

    def add_all(self, count: int, image_uris: Iterable[str]) -> None:
        """Takes in so many; their images are gone through as long as one is kept."""
        self.count += count
        for image_uri in image_uris:
            if len(self.first) == KEPT:
                break
            self.first[image_uri] = None


def lost_split_warning(assigned: SplitRows, planned: Mapping[str, int], options: ReadOptions) -> str:
    """What to know when a split got no row, or less than half of its share; empty when none did.

    Args:
      assigned: the rows that the shares are of.
      planned: split -> records, of these rows and of those that name their split.
      options: the shares, and the seed that rows were assigned with.
    """
    wanted = _shares(assigned.count, options.splits)
    if not assigned.count or _is_fair(planned, wanted):
        return ""
    asked = join_pairs((split, f"{weight:g}") for split, weight in options.splits)
    return (
        f"the splits came out as {_told(planned, wanted)}: {plural(assigned.count, 'row')} without a split "
        f"{'is' if assigned.count == 1 else 'are'} few for {asked}; {_hint(assigned, planned, options)}"
    )


def _hint(assigned: SplitRows, planned: Mapping[str, int], options: ReadOptions) -> str:
    wanted = _shares(assigned.count, options.splits)
    # What was assigned by what its image holds is counted without its name.
    images = assigned.groups or dict.fromkeys(assigned.first, 1)
    are_all = sum(images.values()) == assigned.count if assigned.groups else assigned.count <= KEPT
    is_known = not options.stratify and bool(images) and are_all
    found = _better_seed(images, planned, options) if is_known else None
    if found is not None:
        seed, counts = found
        or_else = "" if assigned.groups else ", --stratify keeps shares of classes too"
        return f"--split-seed {seed} makes it {_told(counts, wanted)}{or_else}"
    lost = [split for split in wanted if not planned.get(split)]
    larger = min(lost or wanted, key=lambda split: wanted[split])
    is_helped = options.split_by is None and not options.stratify and assigned.count >= len(wanted)
    first = "--stratify gives each split its share; or " if is_helped else ""
    return f"{first}give {larger} a larger share by --splits, or name the split of some rows in the list"


def _better_seed(
    images: Mapping[str, int], planned: Mapping[str, int], options: ReadOptions
) -> tuple[int, Mapping[str, int]] | None:
    """The seed, of the first ones, that comes nearest to the shares, and what it gives; None if none does.

    Args:
      images: how many are assigned by each of these.
    """
    rows = sum(images.values())
    wanted = _shares(rows, options.splits)
    named = Counter(planned)
    named.subtract(_counts(images, options, options.split_seed))
    least = _least_off(rows, named, wanted)
    best: tuple[float, int, Mapping[str, int]] | None = None
    for seed in range(max(2, min(_SEEDS, _TRIALS // len(images))) if least < math.inf else 0):
        counts = _counts(images, options, seed)
        counts.update(named)
        off = sum(abs(counts[split] - named[split] - share) for split, share in wanted.items())
        if _is_fair(counts, wanted) and (best is None or off < best[0]):
            best = (off, seed, counts)
            if off <= least:
                break
    return best and best[1:]


def _least_off(rows: int, named: Mapping[str, int], wanted: Mapping[str, float]) -> float:
    """How far from the shares so many rows come at least, when splits are fair; infinite: they cannot be."""
    given = {split: max(0, _fewest(split, wanted) - named[split]) for split in wanted}
    if sum(given.values()) > rows:
        return math.inf
    for _ in range(rows - sum(given.values())):
        given[max(given, key=lambda split: wanted[split] - given[split])] += 1
    return sum(abs(given[split] - share) for split, share in wanted.items())


def _counts(images: Mapping[str, int], options: ReadOptions, seed: int) -> Counter[str]:
    splits = Splitter(options.splits, seed).splits_of([*images])
    counts: Counter[str] = Counter()
    for split, count in zip(splits, images.values(), strict=True):
        counts[split] += count
    return counts


def _shares(rows: int, weights: Sequence[tuple[str, float]]) -> dict[str, float]:
    total = sum(weight for _, weight in weights)
    return {split: rows * weight / total for split, weight in weights}


def _is_fair(counts: Mapping[str, int], wanted: Mapping[str, float]) -> bool:
    return all(counts.get(split, 0) >= _fewest(split, wanted) for split in wanted)


def _fewest(split: str, wanted: Mapping[str, float]) -> int:
    most = sum(wanted.values()) - len(wanted) + 1  # that a split can have when each of the others has one
    return math.ceil(max(1, min(wanted[split] / 2, round(most))))


def _told(counts: Mapping[str, int], wanted: Mapping[str, float]) -> str:
    return ", ".join(f"{split} {counts.get(split, 0):,}" for split in wanted)
