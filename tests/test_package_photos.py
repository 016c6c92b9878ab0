"""The rule by which `benchmarks/package_photos.py` picks real photographs out of packages."""

from __future__ import annotations

import importlib
import io
import tarfile
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PIL import Image, ImageDraw

pytest.importorskip("tfrecordcli.images._jpeg_walk", reason="needs the native module (a C compiler)")

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def rule(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("package_photos")


def picture(seed: int, size: tuple[int, int] = (400, 300)) -> Image.Image:
    """Soft regions of many colours, each picture another."""
    coarse = np.random.default_rng(seed).integers(0, 256, (5, 7, 3), np.uint8)
    return Image.fromarray(coarse).resize(size, Image.Resampling.BICUBIC)


def jpeg(image: Image.Image, **options: bool | int) -> bytes:
    """Of a quality that gives more than 20,000 bytes."""
    rng = np.random.default_rng(image.width)
    grain = rng.normal(0, 8, (image.height, image.width, 1))
    pixels = (np.asarray(image.convert("RGB")) + grain).clip(0, 255).astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).convert(image.mode).save(file, "JPEG", **{"quality": 90, **options})
    return file.getvalue()


def drawing() -> Image.Image:
    image = Image.new("RGB", (400, 300), "white")
    ImageDraw.Draw(image).ellipse((100, 50, 300, 250), fill="red")
    return image


def test_photographs_have_many_colours_and_no_plain_ground(rule: ModuleType) -> None:
    assert rule.is_photograph(picture(1))
    assert rule.is_photograph(picture(1).convert("L"))
    assert not rule.is_photograph(drawing())
    on_white = Image.new("RGB", (400, 300), "white")
    on_white.paste(picture(1, (200, 150)))
    assert not rule.is_photograph(on_white)


def test_bytes_sides_and_colours_must_fit(rule: ModuleType) -> None:
    fits = jpeg(picture(1))
    assert rule.opened(fits) is not None
    assert rule.opened(fits[:19_999]) is None
    assert rule.opened(fits + bytes(rule.MOST_BYTES)) is None
    assert rule.opened(jpeg(picture(1, (2000, 199)))) is None
    assert rule.opened(jpeg(picture(1).convert("CMYK"))) is None
    assert rule.opened(b"GIF89a" + bytes(30_000)) is None


def test_none_comes_twice_and_the_refused_are_told(rule: ModuleType) -> None:
    one, other, bad = jpeg(picture(1)), jpeg(picture(2)), jpeg(picture(3))
    smaller = jpeg(picture(1, (320, 240)))
    files = {"a": one, "b": one, "c": smaller, "d": other, "e": bad, "f": jpeg(drawing(), quality=99)}
    photos = [rule.Photo("some@1", path, data) for path, data in files.items()]
    taken, refused = rule.fitting(photos, lambda data: "the walk" if data == bad else "")
    assert len(taken) == 2
    assert {photo.data for photo in taken} <= {one, smaller, other}
    assert [photo.sha256 for photo in taken] == sorted(photo.sha256 for photo in taken)
    assert list(refused.values()) == ["the walk"]


def test_no_package_rules_and_a_kind_that_lacks_files_has_some_of_the_other(rule: ModuleType) -> None:
    baseline, progressive = jpeg(picture(1)), jpeg(picture(1), progressive=True)
    photos = [rule.Photo("large@1", str(number), baseline) for number in range(40)]
    photos += [rule.Photo("small@1", str(number), baseline) for number in range(2)]
    photos += [rule.Photo("small@1", str(number), progressive) for number in range(3)]
    kinds = rule.chosen(photos, 31)
    assert {kind: len(found) for kind, found in kinds.items()} == {
        "baseline": 31,
        "baseline, recoded": 0,
        "progressive": 3,
        "progressive, recoded": 28,
    }
    assert kinds["progressive, recoded"][0].package == "small@1"  # left over: the 32nd


def test_the_files_are_written_as_their_packages_have_them(rule: ModuleType, tmp_path: Path) -> None:
    data = jpeg(picture(1))
    archive = tmp_path / "some-1.tgz"
    with tarfile.open(archive, "w:gz") as members:
        for name in ("package/a.JPG", "package/a.txt"):
            member = tarfile.TarInfo(name)
            member.size = len(data)
            members.addfile(member, io.BytesIO(data))
    photos = [rule.Photo("some@1", path, data) for path, data in rule.jpegs(archive)]
    assert [photo.path for photo in photos] == ["package/a.JPG"]
    digest = rule.write(tmp_path, rule.chosen(photos, 1) | {"progressive, recoded": []})
    written = list((tmp_path / "baseline").iterdir())
    assert [path.read_bytes() for path in written] == [data]
    assert photos[0].sha256 in (tmp_path / "photos.tsv").read_text(encoding="utf-8")
    assert digest == rule.write(tmp_path, rule.chosen(photos, 1) | {"progressive, recoded": []})
