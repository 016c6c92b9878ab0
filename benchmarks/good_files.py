"""Good JPEGs of many encoders: what a gate must let in.

    python good_files.py FOLDER --pictures 120

Draws pictures, and encodes each in many ways with whatever of `ENCODERS` is here, into FOLDER/ENCODER.
Encoders of other languages are run by the programs in encoders/; jpeg-js is taken from FOLDER/node_modules.
The same pictures and choices come each time.
"""

from __future__ import annotations

import argparse
import importlib
import io
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from photos import SCENES, scene
from PIL import Image

HERE = Path(__file__).resolve().parent / "encoders"
QUALITIES = (1, 10, 30, 50, 75, 85, 90, 95, 100)
# Sampling factors of one or three components, as cjpeg takes them.
SAMPLINGS = (
    *("1x1", "2x1", "1x2", "2x2", "4x1", "1x4", "4x2", "2x4", "3x1", "1x3", "3x2"),
    *("4x1,1x1,2x1", "2x2,1x1,2x2", "2x2,2x1,1x2", "1x1,2x2,1x1", "2x1,1x2,1x1", "1x1,1x1,2x2"),
)
# Scan scripts (libjpeg's wizard.txt): sequential in several scans, spectral selection, many approximations.
SCRIPTS = {
    "colours": "0;1;2;",
    "brightness": "0;1 2;",
    "bands": "0 1 2: 0 0 0 0; 0: 1 5 0 0; 0: 6 63 0 0; 2: 1 63 0 0; 1: 1 63 0 0;",
    "bits": """
        0: 0 0 0 4; 1 2: 0 0 0 2; 0: 0 0 4 3; 0: 0 0 3 2; 0: 1 63 0 5; 0: 1 63 5 4; 0: 1 63 4 3; 0: 1 63 3 2;
        0: 1 63 2 1; 0: 1 63 1 0; 0: 0 0 2 1; 0: 0 0 1 0; 1 2: 0 0 2 1; 1 2: 0 0 1 0; 1: 1 20 0 0;
        1: 21 63 0 3; 1: 21 63 3 2; 1: 21 63 2 1; 1: 21 63 1 0; 2: 1 63 0 0;""",
}


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture, and files of it that other programs read.

    Attributes:
      image: RGB.
      png, ppm, rgba: the same.
    """

    image: Image.Image
    png: Path
    ppm: Path
    rgba: Path


def draw(folder: Path, count: int) -> list[Picture]:
    """Pictures of 1 to 320 pixels a side: crops of scenes, some with hard edges, some of flat colour."""
    folder.mkdir(parents=True, exist_ok=True)
    pictures = []
    for number in range(count):
        rng = np.random.default_rng(number)
        pixels = _crop(scene(number % SCENES), rng)
        if number % 5 == 3:
            pixels = (pixels > 110).astype(np.uint8) * 255
        if number % 10 == 7:
            pixels[:] = pixels[0, 0]
        image = Image.fromarray(pixels)
        path = folder / f"{number:04}_{image.width}x{image.height}"
        made = Picture(image, *(path.with_suffix(suffix) for suffix in (".png", ".ppm", ".rgba")))
        image.save(made.png)
        image.save(made.ppm)
        made.rgba.write_bytes(image.convert("RGBA").tobytes())
        pictures.append(made)
    return pictures


def _crop(pixels: np.ndarray[Any, np.dtype[np.uint8]], rng: np.random.Generator) -> Any:
    height, width = (int(rng.integers(1, rng.choice([12, 65, 321]))) for _ in range(2))
    top, left = int(rng.integers(0, pixels.shape[0] - height)), int(rng.integers(0, pixels.shape[1] - width))
    return pixels[top : top + height, left : left + width].copy()


# --- encoders: each yields files of a picture ------------------------------------------------------

Files = Iterator[bytes]


def _pillow(picture: Picture, chance: random.Random) -> Files:
    ways: list[tuple[str, dict[str, Any]]] = [
        (mode, {"quality": chance.choice(QUALITIES), "progressive": is_progressive, "optimize": is_optimised})
        for mode in ("L", "RGB", "CMYK")
        for is_progressive in (False, True)
        for is_optimised in (False, True)
    ]
    ways += [("RGB", {"quality": 90, "subsampling": number, "exif": b"Exif\0\0"}) for number in (0, 1, 2)]
    ways += [("RGB", {"restart_marker_blocks": count}) for count in (1, 3)]
    ways += [("RGB", {"restart_marker_rows": 1, "progressive": True}), ("RGB", {"keep_rgb": True})]
    ways += [
        ("RGB", {"qtables": "web_high", "comment": b"\xff\xd9 in a comment", "icc_profile": bytes(70_000)})
    ]
    for mode, options in ways:
        file = io.BytesIO()
        picture.image.convert(mode).save(file, "JPEG", **options)
        yield file.getvalue()
    file = io.BytesIO()
    picture.image.save(file, "MPO", save_all=True, append_images=[picture.image])
    yield file.getvalue()


def _turbo(picture: Picture, chance: random.Random) -> Files:
    simplejpeg = importlib.import_module("simplejpeg")
    pixels = np.asarray(picture.image)
    for sampling in ("444", "422", "420", "440", "411", "Gray"):
        for fast in (False, True):
            quality = chance.choice(QUALITIES)
            yield simplejpeg.encode_jpeg(pixels, quality, "RGB", sampling, fastdct=fast)


def _cjpeg(picture: Picture, chance: random.Random) -> Files:
    extras: list[list[str]] = [
        [],
        ["-progressive"],
        ["-optimize"],
        ["-grayscale"],
        ["-rgb"],
        ["-dct", "float"],
    ]
    extras += [["-restart", "1"], ["-restart", "3B"], ["-progressive", "-restart", "2B"], ["-baseline"]]
    scripts = [["-scans", str(path)] for path in sorted(picture.png.parent.glob("*.scans"))]
    for _ in range(24):
        quality, sampling = str(chance.choice(QUALITIES)), chance.choice(SAMPLINGS)
        extra = chance.choice(extras + scripts) + chance.choice([[], ["-smooth", "20"]])
        yield from _run(["cjpeg", "-quality", quality, "-sample", sampling, *extra, str(picture.ppm)])


def _jpegtran(picture: Picture, chance: random.Random) -> Files:
    file = io.BytesIO()
    picture.image.save(file, "JPEG", quality=chance.choice(QUALITIES))
    ways = ("-progressive", "-optimize", "-restart 1", "-restart 5B -progressive", "-grayscale", "-rotate 90")
    for way in (*ways, "-flip horizontal -trim", "-transpose -progressive"):
        yield from _run(["jpegtran", *way.split()], file.getvalue())


def _mozjpeg_transcoded(picture: Picture, chance: random.Random) -> Files:
    mozjpeg = importlib.import_module("mozjpeg_lossless_optimization")
    for mode in ("L", "RGB"):
        file = io.BytesIO()
        picture.image.convert(mode).save(file, "JPEG", quality=chance.choice(QUALITIES))
        yield mozjpeg.optimize(file.getvalue())


def _opencv(picture: Picture, chance: random.Random) -> Files:
    cv2 = importlib.import_module("cv2")
    pixels = np.asarray(picture.image)[..., ::-1]
    progressive, optimise, restart = (
        cv2.IMWRITE_JPEG_PROGRESSIVE,
        cv2.IMWRITE_JPEG_OPTIMIZE,
        cv2.IMWRITE_JPEG_RST_INTERVAL,
    )
    for options in ([], [progressive, 1], [optimise, 1], [restart, 2], [progressive, 1, restart, 1]):
        quality = [cv2.IMWRITE_JPEG_QUALITY, chance.choice(QUALITIES)]
        yield cv2.imencode(".jpg", pixels, [*quality, *options])[1].tobytes()


def _ffmpeg(picture: Picture, chance: random.Random) -> Files:
    read = ["ffmpeg", "-loglevel", "error", "-i", str(picture.png)]
    layout, quality = chance.choice(["yuvj420p", "yuvj422p", "yuvj444p"]), str(chance.randint(1, 31))
    options = [
        "-pix_fmt",
        layout,
        "-q:v",
        quality,
        "-qmin",
        "1",
        "-huffman",
        chance.choice(["default", "optimal"]),
    ]
    yield from _run([*read, *options, "-f", "image2pipe", "-c:v", "mjpeg", "-"])


def _graphicsmagick(picture: Picture, chance: random.Random) -> Files:
    for options in ("-interlace Line", "-sampling-factor 1x1", "-type Grayscale", "-colorspace CMYK"):
        quality = str(chance.choice(QUALITIES))
        yield from _run(["gm", "convert", str(picture.png), "-quality", quality, *options.split(), "jpeg:-"])


def _imagemagick(picture: Picture, chance: random.Random) -> Files:
    ways = ["-interlace JPEG", "-sampling-factor 2x2,1x1,1x1", "-sampling-factor 4:2:2 -interlace JPEG"]
    cmyk = "-colorspace CMYK"  # stored as YCCK
    for way in (
        *ways,
        "-type Grayscale",
        "-define jpeg:optimize-coding=false",
        cmyk,
        f"{cmyk} -interlace JPEG",
    ):
        quality = str(chance.choice(QUALITIES))
        yield from _run(["convert", str(picture.png), "-quality", quality, *way.split(), "jpeg:-"])


def _jpegli(picture: Picture, chance: random.Random) -> Files:
    pyjpegli = importlib.import_module("pyjpegli")
    for quality in chance.sample(QUALITIES, 3):
        yield pyjpegli.encode(picture.image.tobytes(), picture.image.width, picture.image.height, quality)


def _libjpeg(picture: Picture, chance: random.Random) -> Files:
    yield from _by_jpeglib(picture, chance, ("6b", "7", "8d", "9f"))


def _mozjpeg(picture: Picture, chance: random.Random) -> Files:
    yield from _by_jpeglib(picture, chance, ("mozjpeg101", "mozjpeg403"))


def _by_jpeglib(picture: Picture, chance: random.Random, versions: Sequence[str]) -> Files:
    """By releases of libjpeg and its kin, which the package jpeglib holds."""
    jpeglib = importlib.import_module("jpeglib")
    target = picture.png.with_suffix(".jpg")
    for version in versions:
        for flags in ([], ["+PROGRESSIVE_MODE"]):
            with jpeglib.version(version):
                encoded = jpeglib.from_spatial(np.array(picture.image))
                encoded.samp_factor = chance.choice(["4:4:4", "4:2:2", "4:2:0"])
                encoded.write_spatial(str(target), qt=chance.choice(QUALITIES), flags=flags)
            yield target.read_bytes()


def _guetzli(picture: Picture, chance: random.Random) -> Files:
    if picture.image.width * picture.image.height <= 2000:  # it takes a minute a megapixel
        yield from _run(
            ["guetzli", "--quality", str(chance.choice([84, 90, 95])), str(picture.png), "/dev/stdout"]
        )


def _run(argv: Sequence[str], data: bytes = b"") -> Files:
    """What a program writes; nothing where it refuses the picture or the options."""
    done = subprocess.run(argv, input=data, capture_output=True, check=False)
    if done.returncode == 0:
        yield done.stdout


ENCODERS: dict[str, Callable[[Picture, random.Random], Files]] = {
    "Pillow": _pillow,
    "libjpeg-turbo": _turbo,
    "cjpeg": _cjpeg,
    "jpegtran": _jpegtran,
    "libjpeg": _libjpeg,
    "mozjpeg": _mozjpeg,
    "mozjpeg's jpegtran": _mozjpeg_transcoded,
    "OpenCV": _opencv,
    "FFmpeg": _ffmpeg,
    "GraphicsMagick": _graphicsmagick,
    "ImageMagick": _imagemagick,
    "jpegli": _jpegli,
    "Guetzli": _guetzli,
}
# Programs of other languages, which take a folder and all pictures at once.
PROGRAMS: dict[str, tuple[Sequence[str], str]] = {
    "Java": (("java", str(HERE / "Encode.java")), "png"),
    "Go": (("go", "run", str(HERE / "encode.go")), "png"),
    "jpeg-js": (("node", str(HERE / "encode.cjs")), "rgba"),
}


def make(folder: Path, count: int) -> dict[str, int | None]:
    """Files of each encoder in a folder of its own, and their number; None where it is not here."""
    pictures = draw(folder / "pictures", count)
    for name, script in SCRIPTS.items():
        (folder / "pictures" / f"{name}.scans").write_text(script)
    counts: dict[str, int | None] = {}
    for name, encode in ENCODERS.items():
        out = _empty(folder / name)
        counts[name] = _encode_all(encode, pictures, out)
        print(f"{name}: {counts[name] or 'not here'}", file=sys.stderr, flush=True)
    for name, (command, suffix) in PROGRAMS.items():
        out = _empty(folder / name)
        paths = [str(getattr(picture, suffix)) for picture in pictures]
        settings = {**os.environ, "NODE_PATH": str(folder / "node_modules")}
        try:
            subprocess.run([*command, str(out), *paths], check=True, capture_output=True, env=settings)
            counts[name] = len(list(out.iterdir()))
        except (OSError, subprocess.CalledProcessError):
            counts[name] = None
        print(f"{name}: {counts[name] or 'not here'}", file=sys.stderr, flush=True)
    return counts


def _encode_all(
    encode: Callable[[Picture, random.Random], Files], pictures: Sequence[Picture], out: Path
) -> int | None:
    number = 0
    for index, picture in enumerate(pictures):
        try:
            for data in encode(picture, random.Random(index)):
                (out / f"{number:05}.jpg").write_bytes(data)
                number += 1
        except (ImportError, FileNotFoundError):
            return None
    return number or None


def _empty(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def main() -> None:
    """Make the files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pictures", type=int, default=120)
    options = parser.parse_args()
    make(options.folder, options.pictures)


if __name__ == "__main__":
    main()
