"""Fuzzed images of every format through the gate; those that are let in, against `tf.io.decode_image`.

What TensorFlow refuses, dies of, or decodes to another size than the gate said is a failure; so is a sound
image that is refused. Damage that shows as other pixels is counted, and a failure only where it is meant to
be found: most formats have no checksum.
"""

from __future__ import annotations

import random
from pathlib import Path

from fuzz.image_damage import MEANT, SAMPLING, layout, ways_of
from fuzz.judging import PEAK, ask_witness
from fuzz.outcome import (
    BLAMED,
    BUG,
    CONTAINED,
    CRASH,
    HANG,
    HARMLESS,
    MEMORY,
    MISSED,
    REPORTED,
    UNREPORTED,
    Outcome,
)
from fuzz.peer import Died, Hung, Raised
from fuzz.pictures import claims, group_of, sources
from fuzz.running import Lane
from fuzz.subject import Gated
from tfrecordcli.options import ImageOptions

_SECONDS = 60.0
_LIMIT = 1 << 20  # pixels: no damaged header makes a case slow
DECODE = ImageOptions(max_pixels=_LIMIT)
_OPTIONS = {
    "": DECODE,
    ", only walked": ImageOptions(max_pixels=_LIMIT, check="structure"),
    ", made smaller": ImageOptions(max_pixels=_LIMIT, max_side=25),
    ", walked and made smaller": ImageOptions(max_pixels=_LIMIT, check="structure", max_side=9),
    ", turned": ImageOptions(max_pixels=_LIMIT, exif="keep"),
}
_WEIGHTS = (75, 10, 5, 3, 7)
# What a sort ends with that was not tried under the options of everyday.
OPTIONS = tuple(mark for mark in _OPTIONS if mark)
_INTACT, _CLAIMED = 0.03, 0.003


class Images:
    name = "images"

    def prepare(self, folder: Path, seed: int, count: int) -> None:
        self._seed = seed
        self._sources = sources()

    def trial(self, lane: Lane, number: int) -> Outcome:
        random_ = random.Random(f"{self._seed} images {number}")
        name, how, data, original = self._case(random_)
        (mark,) = random_.choices(list(_OPTIONS), _WEIGHTS)
        options = ImageOptions() if original is None else _OPTIONS[mark]
        what = f"{group_of(name)}: {how}{mark}"
        outcome = self._judge(lane, data, original, options, what)
        if not outcome.is_failure:
            return outcome
        files = {"image": data, "original": original or b"", "options.txt": repr(options).encode()}
        return Outcome(outcome.verdict, what, f"{name}: {outcome.detail}", files)

    def _case(self, random_: random.Random) -> tuple[str, str, bytes, bytes | None]:
        """Name of the source, what was done to it, the result, and the source if it shows something."""
        if random_.random() < _CLAIMED:
            sides = random_.choice([(65_535, 65_535), (9_400, 9_400), (30_000, 2_900), (65_535, 1)])
            name, data = random_.choice(list(claims(*sides).items()))
            return f"{name} that claims {sides[0]} x {sides[1]}", "a size that is claimed", data, None
        name = random_.choice(list(self._sources))
        original = self._sources[name]
        if random_.random() < _INTACT:
            return name, "sound", original, original
        ways = ways_of(name)
        how = random_.choice(list(ways))
        data = ways[how](original, random_)
        return name, how if data != original else "sound", data, original

    def _judge(
        self, lane: Lane, data: bytes, original: bytes | None, options: ImageOptions, what: str
    ) -> Outcome:
        gated = _through_gate(lane, data, options, what)
        if isinstance(gated, Outcome):
            return gated
        if gated.data is None:
            return Outcome(BLAMED if data == original else REPORTED, what, gated.reason)
        answer = ask_witness(lane.witness, "compare", gated.data, original, options, seconds=_SECONDS)
        if isinstance(answer, str):
            return Outcome(CRASH, what, answer)
        shape, is_same, refusal = answer
        if refusal:
            return Outcome(UNREPORTED, what, refusal)
        if shape != gated.size:
            return Outcome(UNREPORTED, what, f"decodes to {shape}, and the gate said {gated.size}")
        if is_same:
            return Outcome(HARMLESS, what)
        is_meant = options.check == "decode" and any(how in what for how in MEANT)
        if is_meant and SAMPLING in what and original is not None:
            is_meant = layout(data) != layout(original)
        return Outcome(UNREPORTED if is_meant else MISSED, what, "it shows other pixels")


def _through_gate(lane: Lane, data: bytes, options: ImageOptions, what: str) -> Gated | Outcome:
    try:
        gated = lane.subject.ask("gate", data, options, seconds=_SECONDS)
    except Hung as error:
        return Outcome(HANG, what, str(error))
    except Died as error:  # conversions and verify check such an image in a process of its own
        return Outcome(CONTAINED, what, str(error))
    except Raised as error:
        last = str(error).strip().rpartition("\n")[2]
        return Outcome(MEMORY if "MemoryError" in last else BUG, what, last)
    assert isinstance(gated, tuple)
    if gated.peak > PEAK:
        lane.subject.end()
        return Outcome(MEMORY, what, f"{gated.peak >> 20} MiB")
    return gated
