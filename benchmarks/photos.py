"""Photo-like JPEGs of about 100 KB, the same on every machine with the same encoder, and lists of them.

What costs time in a JPEG is its entropy-coded data, so the pictures have what photos have: a smooth
light, regions of different colour and texture, detail whose strength falls with its fineness (1/f),
and a little sensor noise. 200 scenes are made; every photo is another crop of one of them, so no two
files hold the same bytes.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import simplejpeg
from numpy.typing import NDArray

RECIPE = 1  # of the pictures below; photos of another recipe are made again
SCENES = 200
LABELS = 20
SCENE_SIZE = (480, 640)  # height, width
PHOTO_SIZE = (375, 500)

Pixels = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class PhotoSet:
    """Photos on disk, and CSV lists of the first so many of them."""

    folder: Path
    paths: Sequence[Path]

    def csv(self, count: int) -> Path:
        """The list of the first `count` photos, all for training."""
        return self.folder / f"data-{count}.csv"

    def size(self, count: int) -> int:
        """Bytes of the first `count` photos."""
        return sum(path.stat().st_size for path in self.paths[:count])


def make_photos(folder: Path, counts: Sequence[int]) -> PhotoSet:
    """Make as many photos as the largest count asks for, or take those made before; list each count."""
    folder.mkdir(parents=True, exist_ok=True)
    total = max(counts)
    names = [photo_name(number) for number in range(total)]
    made = _made_before(folder)
    if made < total:
        _write_photos(folder, range(made, total))
        (folder / "made.json").write_text(json.dumps({"recipe": RECIPE, "photos": total}))
    photos = PhotoSet(folder, [folder / name for name in names])
    for count in counts:
        _write_csv(photos.csv(count), names[:count])
    return photos


def photo_name(number: int) -> str:
    """Path of a photo in the folder: `images/label-07/000207.jpg`."""
    return f"images/{_label(number)}/{number:06}.jpg"


def _label(number: int) -> str:
    return f"label-{number % SCENES % LABELS:02}"


def _made_before(folder: Path) -> int:
    """How many photos of this recipe are there already; those of another are removed."""
    try:
        made = json.loads((folder / "made.json").read_text())
    except FileNotFoundError:
        made = {}
    if made.get("recipe") == RECIPE:
        return int(made["photos"])
    shutil.rmtree(folder / "images", ignore_errors=True)
    return 0


def _write_csv(path: Path, names: Sequence[str]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("split", "image_uri", "label"))
        writer.writerows(("TRAIN", name, _label(number)) for number, name in enumerate(names))


def _write_photos(folder: Path, numbers: range) -> None:
    for label in range(LABELS):
        (folder / "images" / _label(label)).mkdir(parents=True, exist_ok=True)
    by_scene = [[number for number in numbers if number % SCENES == index] for index in range(SCENES)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for _ in pool.map(lambda index: _write_scene(folder, index, by_scene[index]), range(SCENES)):
            pass


def _write_scene(folder: Path, index: int, numbers: Sequence[int]) -> None:
    """Write all photos of one scene."""
    if not numbers:
        return
    pixels = scene(index)
    for number in numbers:
        (folder / photo_name(number)).write_bytes(_encode(_crop(pixels, number // SCENES), 91 + index % 5))


def _crop(pixels: NDArray[np.uint8], turn: int) -> NDArray[np.uint8]:
    """The crop of this turn; no two of the first 14,946 turns (106 x 141 positions) get the same one."""
    height, width = PHOTO_SIZE
    top = turn * 51 % (SCENE_SIZE[0] - height + 1)
    left = turn * 37 % (SCENE_SIZE[1] - width + 1)
    return np.ascontiguousarray(pixels[top : top + height, left : left + width])


def _encode(pixels: NDArray[np.uint8], quality: int) -> bytes:
    data: bytes = simplejpeg.encode_jpeg(pixels, quality=quality, colorspace="RGB", colorsubsampling="420")
    return data


# --- scenes --------------------------------------------------------------------------------------


def scene(index: int) -> NDArray[np.uint8]:
    """RGB pixels of one scene, `SCENE_SIZE` large."""
    rng = np.random.default_rng(index)
    light = _noise(rng, falloff=2.4)
    regions = np.digitize(_noise(rng, falloff=1.8), (-0.5, 0.6))
    strength = rng.uniform(9, 40, size=3)[regions]
    texture = _noise(rng, falloff=rng.uniform(0.9, 1.25)) * strength
    hues = rng.uniform(50, 205, size=(3, 3))[regions]
    tints = np.stack([_noise(rng, falloff=1.7) for _ in range(3)], axis=-1)
    grain = rng.standard_normal(SCENE_SIZE) * 2.5
    pixels = hues + 5 * tints + (18 * light + texture + grain)[..., None]
    return np.clip(pixels, 0, 255).astype(np.uint8)


def _noise(rng: np.random.Generator, falloff: float) -> Pixels:
    """Noise whose amplitude falls with frequency to the power of `falloff`; mean 0, deviation 1."""
    height, width = SCENE_SIZE
    vertical = np.fft.fftfreq(height)[:, None]
    horizontal = np.fft.rfftfreq(width)[None, :]
    frequency = np.hypot(vertical, horizontal)
    frequency[0, 0] = np.inf  # no constant part
    phases = np.exp(2j * np.pi * rng.random(frequency.shape))
    field: NDArray[Any] = np.fft.irfft2(phases / frequency**falloff, s=SCENE_SIZE)
    normed: Pixels = (field / field.std()).astype(np.float32)
    return normed
