"""What the images of one folder are called, by which masks among them are known."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from tfrecordcli.sources.folders.mask_folders import KINDS

# i0_mask.png, i0_mask_1.png, mask_i0.png beside i0.jpg.
_FILE_OF: Final = re.compile(
    rf"(?:(?P<before>.+?)[ _.-]+(?:{KINDS})(?:[ _.-]*\d+)?|(?:{KINDS})[ _.-]+(?P<after>.+))",
    re.IGNORECASE,
)
# 1_mask.png beside 1_rgb.png, label_1.png beside image_1.png: what each is stands in both names. CVPPP has
# 1_fg.png and 1_centers.png, too.
_OF_PAIRS: Final = rf"{KINDS}|labels?|fg|foreground|cent(?:er|re)s?"
_PAIRED: Final = re.compile(rf"(?:(?:{_OF_PAIRS})([ _.-].+)|(.+[ _.-])(?:{_OF_PAIRS}))", re.IGNORECASE)
OF_IMAGES: Final = "image|img|photo|rgb|colou?r|original"
_SHOWN: Final = re.compile(rf"(?:(?:{OF_IMAGES})([ _.-].+)|(.+[ _.-])(?:{OF_IMAGES}))", re.IGNORECASE)
OF_MASKS_BESIDE: Final = ".png"  # that are called like photos but for their ending
# Files of one folder that are asked about, and those that are opened to see whether they are photos.
ASKED: Final = 50
OPENED: Final = 3
# How many masks tell something, and the share of the names that is enough.
_SOME: Final = 2
NEARLY_ALL: Final = 0.9


@dataclass(slots=True)
class NamesOfOne:
    """What the images of one folder are called: how many there are, how many like masks, some of these."""

    folder: str = ""
    count: int = 0
    masks: int = 0
    some: list[str] = field(default_factory=list)
    first: list[str] = field(default_factory=list)  # of all images
    twins: list[tuple[str, str]] = field(default_factory=list)  # a.png, right beside a.jpg, and that
    endings: set[str] = field(default_factory=set)
    last: str = ""
    paired: dict[str, str] = field(default_factory=dict)  # by what is left of the name without its kind
    shown: dict[str, str] = field(default_factory=dict)

    def add(self, path: str) -> None:
        """Takes in the name of an image."""
        self.count += 1
        self.first += [path][: OPENED - len(self.first)]
        stem = stem_of_path(path)
        pair = (path, self.last) if path.lower().endswith(OF_MASKS_BESIDE) else (self.last, path)
        is_twin = stem == stem_of_path(self.last) and pair[0].lower().endswith(OF_MASKS_BESIDE)
        self.twins += [pair] if is_twin else []
        self.endings.add(path.rpartition(".")[2])
        self.last = path
        for pattern, found in ((_PAIRED, self.paired), (_SHOWN, self.shown)):
            match = pattern.fullmatch(stem) if len(found) < ASKED else None
            if match is not None:
                found[match[1] or match[2]] = path

    def pairs(self) -> list[tuple[str, str]]:
        """Masks and their images, where the kind of each stands in its name."""
        return [(path, self.shown[rest]) for rest, path in self.paired.items() if rest in self.shown]

    @property
    def are_twins(self) -> bool:
        """Whether all come in pairs that are called alike but for the ending."""
        return len(self.twins) >= _SOME and 2 * len(self.twins) == self.count

    @property
    def are_masks(self) -> bool:
        """Whether nearly all are called like masks."""
        return self.masks >= _SOME and self.masks >= NEARLY_ALL * self.count


def stem_of_path(path: str) -> str:
    """The name of a file without its ending."""
    return path.rpartition("/")[2].rpartition(".")[0]


def stems_before(path: str) -> list[str]:
    """The name of a file without its ending, and what is before each part at its end: a_b, a of a_b.png."""
    stem = stem_of_path(path)
    return [stem, *(stem[: part.start()] for part in re.finditer("[ _.-]+", stem) if part.start())]


def masked_by(path: str) -> str:
    """The name without extension of the image that a file is the mask of, by its own name; empty for none."""
    match = _FILE_OF.fullmatch(stem_of_path(path))
    return (match["before"] or match["after"]) if match is not None else ""


def pattern_of(mask: str) -> str:
    """The names of masks that are called like one: `*_mask.*`, `*_mask_[0-9]*`, `label_*`; else empty."""
    stem = stem_of_path(mask)
    if match := _PAIRED.fullmatch(stem):
        kind = stem.removeprefix(match[2] or "").removesuffix(match[1] or "")
        return f"*{match[2][-1]}{kind}.*" if match[2] else f"{kind}{match[1][0]}*"
    numbered = re.search(rf"([ _.-]+(?:{KINDS})[ _.-]*)\d+$", stem, re.IGNORECASE)
    return f"*{numbered[1]}[0-9]*" if numbered else ""
