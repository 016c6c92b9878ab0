"""Of several sources one whose images are not there, as where each needs an `--image-root` of its own."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Final

from tfrecordcli.shell import command_line
from tfrecordcli.sources.proposals.missing_images import has_image, missing_hint
from tfrecordcli.sources.several.part import SourcePart
from tfrecordcli.sources.several.shared_names import uris_in
from tfrecordcli.storage.uris import is_remote
from tfrecordcli.units import parse_pairs, some_of

_NONE_IS_THERE: Final = "none of the first images of "
_LOOKED_FOR: Final = 20  # images of each source
_ROOT: Final = "--image-root "
_MAP: Final = "--map "
# What a hint ends in that leads to images; others say that an option does not count.
_LEADS: Final = re.compile(r"(?:there with|are those,) (--image-root |--map )(.*)")


@dataclass(frozen=True, slots=True)
class _Look:
    """What a look at the first images of a source says.

    Attributes:
      uris: of images.
      hint: where they may be if none is where it says; None: one is, or it is not certain.
    """

    part: SourcePart
    uris: Set[str]
    hint: str | None

    @property
    def given(self) -> str | None:
        """The root that the user gave."""
        return self.part.source.rows.options.image_root

    @property
    def root(self) -> str:
        """As the shell has it; empty where the hint does not end in it."""
        return self._value_of(_ROOT)

    @property
    def map(self) -> str:
        """As the shell has it; empty where the hint does not end in it."""
        return self._value_of(_MAP)

    @property
    def way(self) -> str:
        """The option that a hint ends in; empty: in none."""
        return _ROOT + self.root if self.root else _MAP + self.map if self.map else ""

    @property
    def options(self) -> list[str]:
        """The root that the user gave where it is right, and what leads to the images."""
        is_right = self.hint is None or self.map
        roots = [command_line(["--image-root", self.given])] if self.given and is_right else []
        return [*roots, *filter(None, [self.way])]

    def _value_of(self, option: str) -> str:
        found = _LEADS.search(self.hint or "")
        return found[2] if found and found[1] == option and ";" not in found[2] else ""


def missing_of_one(parts: Sequence[SourcePart]) -> Iterator[str]:
    """That the first images of one source are not there and those of another are, with the way to both.

    Where all are missing and no way is known to some, it is told before the work, as of one source.
    """
    looks = [_look(part) for part in parts]
    lost = [look for look in looks if look.hint is not None]
    if not all(os.path.exists(part.name) for part in parts):
        return
    if len(lost) == len(looks) and (len(looks) == 1 or not all(look.way for look in looks)):
        return
    if len(lost) == len(looks) and len({look.way for look in looks}) == 1:
        if not any(look.root and look.given for look in looks):
            yield f"{_NONE_IS_THERE}{some_of([part.name for part in parts])} is there: {lost[0].hint}"
        return
    are_found = all(look.way or look.given for look in lost)  # without one that is given they may be there
    ways = "" if not are_found else _in_one_call(looks) or _each_by_itself(looks)
    for look in lost[: 1 if ways else None]:  # the ways are those of all
        others = [each.part.name for each in lost if ways and each is not look]
        also = f"; nor of {some_of(others)}" if others else ""
        yield f"{_NONE_IS_THERE}{look.part.name} is there: {look.hint}{also}{ways}"


def is_told_where(warnings: Iterable[str]) -> bool:
    """Whether one of `missing_of_one` is among warnings, with the options that lead to the images."""
    return any(warning.startswith(_NONE_IS_THERE) and _LEADS.search(warning) for warning in warnings)


def _in_one_call(looks: Sequence[_Look]) -> str:
    """The command for all, where a split, or how paths begin, tells each source from the others."""
    splits = [look.part.given.split for look in looks]
    rooted = [look.part.given.split for look in looks if look.root]
    mapped = {look.map: look for look in looks if look.map}
    is_certain = all(look.way for look in looks if look.hint is not None)
    if not is_certain or len(mapped) > 1 or not all(split and splits.count(split) == 1 for split in rooted):
        return ""
    if any(_begin_so(look.uris, way) for way in mapped for look in looks if look.map != way):
        return ""
    given = {look.given for look in looks}
    options = [command_line(["--image-root", root]) for root in given if root and len(given) == 1]
    for split, look in zip(splits, looks, strict=True):
        own = command_line([look.given]) if look.given and len(given) > 1 else ""
        options += [f"{_ROOT}{split}={look.root or own}"] * bool(look.root or own)
    options += [_MAP + way for way in mapped]
    command = " ".join(["tfrec convert", *map(_called, looks), "OUTPUT_DIR", *dict.fromkeys(options)])
    return f"; for all, with the same other options: {command}"


def _begin_so(uris: Set[str], way: str) -> bool:
    """Whether paths begin as a `--map` changes them."""
    [(prefix, _), *_] = parse_pairs(shlex.split(way)[0], _MAP)
    return any(uri.startswith(prefix) for uri in uris)


def _each_by_itself(looks: Sequence[_Look]) -> str:
    datasets = [f"OUTPUT_DIR-{number}" for number in range(1, len(looks) + 1)]
    commands = [
        " ".join(["tfrec convert", _called(look), dataset, *look.options])
        for look, dataset in zip(looks, datasets, strict=True)
    ]
    commands.append(" ".join(["tfrec convert", *datasets, "OUTPUT_DIR"]))
    return (
        "; --image-root counts for all sources, so convert each by itself, then the datasets, with the same "
        f"other options: {'; '.join(commands)}"
    )


def _called(look: _Look) -> str:
    split, name = look.part.given.split, look.part.name
    return command_line([f"{split}={name}" if split else name])


def _look(part: SourcePart) -> _Look:
    root = part.source.image_root
    uris = uris_in(part)
    some = sorted(uris)[:_LOOKED_FOR]
    files = (uri.partition("#")[0] for uri in some)  # of a record: its file, and its number
    is_unknown = is_remote(root) or part.source.is_unpacked or not some
    if is_unknown or any(has_image(root, uri) for uri in (*some, *files)):
        return _Look(part, uris, None)
    hint = missing_hint(some[0], root, some)
    return _Look(part, uris, None if part.source.rows.options.map and _MAP in hint else hint)
