"""Draw the sample pictures and write their lists: the same bytes every time.

    python draw.py                  # into the folder of this script
    python draw.py --output DIR     # elsewhere, to compare

Needs Pillow only. Every picture has a seed of its own, so one can change without the others.
"""

from __future__ import annotations

import argparse
import colorsys
import csv
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageChops, ImageDraw, ImageFilter

KINDS = ("circle", "square", "triangle")
PICTURES_PER_KIND = 10
SMOOTH = 4  # shapes are drawn this many times larger, then shrunk, for smooth edges
EXIF_ORIENTATION = 0x0112
TURN_RIGHT = 6  # EXIF: "show me turned by 90 degrees clockwise"

# The pictures that are not plain baseline JPEG.
STYLES = {
    ("circle", 2): "progressive",
    ("circle", 5): "rgba",
    ("circle", 7): "gif",
    ("square", 3): "gray",
    ("square", 6): "png",
    ("square", 9): "progressive",
    ("triangle", 2): "turned",
    ("triangle", 4): "palette",
    ("triangle", 8): "progressive",
}
SUFFIXES = {"png": ".png", "rgba": ".png", "palette": ".png", "gif": ".gif"}  # all others: .jpg

# Which pictures of a kind are not for training: 20 train, 5 validation, 5 test in all.
VALIDATION = {"circle": (4, 7), "square": (4,), "triangle": (4, 9)}
TEST = {"circle": (10,), "square": (8, 10), "triangle": (6, 10)}

Color = tuple[int, int, int]
Point = tuple[float, float]
HEADER = ("split", "image_uri", "label")
SIZE_HEADER = ("split", "image_uri", "label", "covered", "area", "note")
BOX_HEADER = ("split", "filename", "width", "height", "class", "xmin", "ymin", "xmax", "ymax")

# Scenes: how many shapes each shows, and its split. The one that shows nothing is for training as well.
SCENES = (3, 1, 2, 0, 4, 2, 1, 3, 2, 3)
SCENE_SPLITS = ("TRAIN",) * 6 + ("VALIDATION",) * 2 + ("TEST",) * 2
TURNED_SCENE = 5  # lies on its side; its boxes are those of the upright picture


@dataclass(frozen=True)
class Picture:
    """One picture of the set: `kind` is its class, `number` counts from 1 within the class."""

    kind: str
    number: int

    @property
    def style(self) -> str:
        """How it is stored: `baseline`, or what STYLES says."""
        return STYLES.get((self.kind, self.number), "baseline")

    @property
    def path(self) -> str:
        """Where it lies, seen from data.csv."""
        return f"images/{self.kind}/{self.number:02}{SUFFIXES.get(self.style, '.jpg')}"

    @property
    def split(self) -> str:
        """The split it belongs to, as Google's lists spell it."""
        if self.number in VALIDATION[self.kind]:
            return "VALIDATION"
        return "TEST" if self.number in TEST[self.kind] else "TRAIN"


PICTURES = [Picture(kind, number) for number in range(1, PICTURES_PER_KIND + 1) for kind in KINDS]


# --- drawing -------------------------------------------------------------------------------------


def color(rng: random.Random, hue: float, lightness: tuple[float, float], saturation: float) -> Color:
    """A colour of about this hue, its lightness drawn from the range."""
    red, green, blue = colorsys.hls_to_rgb(hue % 1, rng.uniform(*lightness), saturation)
    return round(red * 255), round(green * 255), round(blue * 255)


def background(rng: random.Random, size: tuple[int, int], hue: float, *, dots: bool = True) -> Image.Image:
    """A soft slanting gradient with a few pale dots and some noise."""
    first = color(rng, hue, (0.68, 0.84), 0.5)
    second = color(rng, hue + rng.uniform(-0.12, 0.12), (0.68, 0.84), 0.5)
    slope = Image.linear_gradient("L").rotate(rng.choice((20, 65, 110, 155)), Image.Resampling.BICUBIC)
    slope = slope.crop((48, 48, 208, 208)).resize(size, Image.Resampling.BICUBIC)
    image = Image.composite(Image.new("RGB", size, first), Image.new("RGB", size, second), slope)
    if dots:
        pen = ImageDraw.Draw(image)
        for _ in range(rng.randrange(3, 12)):
            x, y, radius = rng.randrange(size[0]), rng.randrange(size[1]), rng.randrange(1, 4)
            pale = color(rng, hue, (0.7, 0.9), 0.4)
            pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=pale)
    return image


def noisy(rng: random.Random, image: Image.Image, strength: int) -> Image.Image:
    """The image with grain of at most `strength` levels up or down, the same in all channels."""
    width, height = image.size
    grain = Image.frombytes("L", image.size, rng.randbytes(width * height))
    levels = [value * 2 * strength // 255 for value in range(256)]
    grain = grain.filter(ImageFilter.BoxBlur(0.6)).point(levels)
    layers = Image.merge("RGB", (grain, grain, grain))
    return ImageChops.add(image, layers, scale=1, offset=-strength)


def outline(kind: str, rng: random.Random, center: Point, radius: float) -> list[Point]:
    """Corners of the shape around `center`, slightly turned; a circle has many."""
    corners, start = {"circle": (90, 0.0), "square": (4, math.pi / 4), "triangle": (3, -math.pi / 2)}[kind]
    start += math.radians(rng.uniform(-6, 6))
    angles = [start + 2 * math.pi * corner / corners for corner in range(corners)]
    return [(center[0] + radius * math.cos(angle), center[1] + radius * math.sin(angle)) for angle in angles]


def shape_mask(kind: str, rng: random.Random, size: tuple[int, int]) -> Image.Image:
    """Where the shape is (255) and is not (0). All kinds cover about the same area."""
    reach = {"circle": 0.80, "square": 1.0, "triangle": 1.2}[kind]  # same area, not same radius
    radius = reach * min(size) * rng.uniform(0.33, 0.39)
    x = size[0] * (0.5 + rng.uniform(-0.02, 0.02))
    y = size[1] * (0.5 + rng.uniform(-0.01, 0.03))
    points = outline(kind, rng, (x, y), radius)
    return polygon_mask(points, size)


def polygon_mask(points: list[Point], size: tuple[int, int]) -> Image.Image:
    """Where the polygon is (255) and is not (0), with smooth edges."""
    mask = Image.new("L", (size[0] * SMOOTH, size[1] * SMOOTH))
    ImageDraw.Draw(mask).polygon([(left * SMOOTH, top * SMOOTH) for left, top in points], fill=255)
    return mask.resize(size, Image.Resampling.BOX)


def shadow(mask: Image.Image) -> Image.Image:
    """A soft, faint shadow of the mask, below it and to the right."""
    fade = [level * 35 // 100 for level in range(256)]
    return ImageChops.offset(mask, 2, 3).filter(ImageFilter.GaussianBlur(3)).point(fade)


def draw(picture: Picture) -> tuple[Image.Image, Image.Image]:
    """The picture in RGB (RGBA for a transparent background), upright, and where its shape is (255)."""
    rng = random.Random(f"{picture.kind} {picture.number}")
    size = (rng.randrange(96, 161, 4), rng.randrange(96, 145, 4))
    hue = rng.random()
    few_colors = picture.style in ("png", "palette", "gif", "rgba")
    image = background(rng, size, hue, dots=not few_colors)
    mask = shape_mask(picture.kind, rng, size)
    ink = color(rng, hue + 0.5 + rng.uniform(-0.15, 0.15), (0.22, 0.36), 0.6)
    if picture.style != "rgba":
        image.paste(color(rng, hue, (0.2, 0.3), 0.3), mask=shadow(mask))
    image.paste(ink, mask=mask)
    if picture.style == "rgba":
        image.putalpha(mask)  # readers that drop the alpha still find the shape on its background
    return image if few_colors else noisy(rng, image, rng.randrange(6, 22)), mask


@dataclass(frozen=True)
class Shape:
    """A shape in a scene and its box: left, top, right, bottom in pixels of the upright picture."""

    kind: str
    box: tuple[int, int, int, int]


def draw_scene(number: int) -> tuple[Image.Image, list[Shape]]:
    """A picture with some shapes of any kind, none over another, and where they are."""
    rng = random.Random(f"scene {number}")
    size = (rng.randrange(160, 241, 4), rng.randrange(120, 181, 4))
    hue = rng.random()
    image = background(rng, size, hue)
    shapes: list[Shape] = []
    while len(shapes) < SCENES[number - 1]:
        kind, radius = rng.choice(KINDS), rng.uniform(0.12, 0.24) * min(size)
        center = (rng.uniform(radius, size[0] - radius), rng.uniform(radius, size[1] - radius))
        mask = polygon_mask(outline(kind, rng, center, radius), size)
        left, top, right, bottom = mask.point(lambda level: 255 * (level > 127)).getbbox() or (0, 0, 0, 0)
        others = (shape.box for shape in shapes)
        if all(left > b[2] or right < b[0] or top > b[3] or bottom < b[1] for b in others):
            image.paste(color(rng, hue, (0.2, 0.3), 0.3), mask=shadow(mask))
            image.paste(color(rng, hue + 0.5 + rng.uniform(-0.15, 0.15), (0.22, 0.36), 0.6), mask=mask)
            shapes.append(Shape(kind, (left, top, right, bottom)))
    return noisy(rng, image, rng.randrange(6, 16)), shapes


# --- writing files -------------------------------------------------------------------------------


def save(image: Image.Image, path: Path, style: str) -> None:
    """Write the image in its style (see STYLES)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if style in ("png", "rgba"):
        image.save(path, "PNG", optimize=True)
    elif style in ("palette", "gif"):
        palette = image.quantize(32, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        palette.save(path, "PNG" if style == "palette" else "GIF", optimize=True)
    elif style == "gray":
        image.convert("L").save(path, "JPEG", quality=88)
    elif style == "turned":
        exif = Image.Exif()
        exif[EXIF_ORIENTATION] = TURN_RIGHT
        image.transpose(Image.Transpose.ROTATE_90).save(path, "JPEG", quality=88, exif=exif)
    else:
        image.save(path, "JPEG", quality=88, progressive=style == "progressive")


def write_csv(path: Path, lines: list[tuple[str, ...]], header: tuple[str, ...] = HEADER) -> None:
    """Write the header and the rows; an empty tuple is a blank line."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for line in lines:
            if line:
                writer.writerow(line)
            else:
                file.write("\n")


def draw_good(folder: Path) -> None:
    """Draw images/ and list it by split in data.csv, and in sizes.csv with what is to be known of each."""
    sizes: list[tuple[str, ...]] = []
    ordered = sorted(PICTURES, key=lambda picture: ("TRAIN", "VALIDATION", "TEST").index(picture.split))
    for picture in ordered:
        image, mask = draw(picture)
        save(image, folder / picture.path, picture.style)
        area = sum(mask.histogram()[128:])
        note = "" if picture.style == "baseline" else picture.style
        covered = f"{area / (mask.width * mask.height):.4f}"
        sizes.append((picture.split, picture.path, picture.kind, covered, str(area), note))
    write_csv(folder / "data.csv", [(picture.split, picture.path, picture.kind) for picture in ordered])
    write_csv(folder / "sizes.csv", sizes, SIZE_HEADER)


def draw_scenes(folder: Path) -> None:
    """Draw scenes/ and list the boxes in boxes.csv: a row a shape, one without box for what shows nothing."""
    lines: list[tuple[str, ...]] = []
    for number, split in enumerate(SCENE_SPLITS, 1):
        image, shapes = draw_scene(number)
        path = f"scenes/{number:02}.jpg"
        save(image, folder / path, "turned" if number == TURNED_SCENE else "baseline")
        start = (split, path, *map(str, image.size))
        lines += [(*start, shape.kind, *map(str, shape.box)) for shape in shapes]
        lines += [] if shapes else [(*start, "", "", "", "", "")]
    write_csv(folder / "boxes.csv", lines, BOX_HEADER)


HTML_PAGE = b"""<!DOCTYPE html>
<html><head><title>404 Not Found</title></head>
<body><h1>Not Found</h1><p>The picture you asked for is not here.</p></body></html>
"""
LFS_POINTER = b"""version https://git-lfs.github.com/spec/v1
oid sha256:5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03
size 5120
"""
NOTES = b"Remember to label the remaining pictures before Friday.\n"


def draw_broken(folder: Path) -> None:
    """Write broken/: four files that are no pictures, one cut short, and two good ones with odd names."""
    broken = folder / "broken"
    broken.mkdir(parents=True, exist_ok=True)
    whole = (folder / Picture("square", 1).path).read_bytes()
    contents: dict[str, bytes] = {
        "truncated.jpg": whole[: len(whole) * 2 // 3],
        "page.jpg": HTML_PAGE,
        "empty.png": b"",
        "lfs-pointer.jpg": LFS_POINTER,
        "notes.txt": NOTES,
    }
    for name, content in contents.items():
        (broken / name).write_bytes(content)
    save(draw(Picture("circle", 11))[0], broken / "really-a-png.jpg", "palette")
    save(draw(Picture("circle", 12))[0], broken / "red, round.jpg", "baseline")


def write_bad_csv(folder: Path) -> None:
    """Write bad.csv, where nearly every line has a trouble of its own; README.md explains each."""
    write_csv(
        folder / "bad.csv",
        [
            ("TRAIN", "images/circle/01.jpg", "circle"),
            ("TRAIN", "images/square/01.jpg", "square"),
            ("VALIDATION", "images/triangle/01.jpg", "triangle"),
            ("TEST", "images/square/08.jpg", "square"),
            ("TRAIN", "images/circle/99.jpg", "circle"),
            ("TRAIN", "broken/truncated.jpg", "square"),
            ("TRAIN", "broken/page.jpg", "triangle"),
            ("TRAIN", "broken/empty.png", "circle"),
            ("TRAIN", "broken/lfs-pointer.jpg", "square"),
            ("TRAIN", "broken/notes.txt", "triangle"),
            ("valiation", "images/circle/04.jpg", "circle"),
            ("TRAIN", "images/square/02.jpg", ""),
            ("TRAIN", "images/circle/02.jpg", "circle"),
            ("TRAIN", "images/circle/02.jpg", "triangle"),
            ("TRAIN", "images/triangle/02.jpg", "triangle"),
            ("TEST", "images/triangle/02.jpg", "triangle"),
            ("TRAIN", "images/square/03.jpg", "square"),
            ("TRAIN", "images/square/03.jpg", "square"),
            ("TRAIN", "broken/really-a-png.jpg", "circle"),
            (),
            ("DISCARD", "images/triangle/03.jpg", "triangle"),
            ("UNASSIGNED", "images/triangle/05.jpg", "triangle"),
            ("TRAIN", "broken/red, round.jpg", "circle"),
        ],
    )


STEPS: tuple[Callable[[Path], None], ...] = (draw_good, draw_broken, write_bad_csv, draw_scenes)


def main() -> None:
    """Run all steps in the chosen folder."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path(__file__).resolve().parent, metavar="DIR")
    folder: Path = parser.parse_args().output
    for step in STEPS:
        step(folder)


if __name__ == "__main__":
    main()
