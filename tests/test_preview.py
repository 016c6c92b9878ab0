"""`convert --dry-run --sheet`: images and boxes as they would be stored, drawn before that."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from boxing import STORED
from converting import tfrec
from PIL import Image, ImageDraw

from tfrecordcli.converting import preview

RED, GROUND = (230, 20, 20), (20, 160, 20)
WIDTH, HEIGHT, BOX = 120, 80, (30, 10, 60, 50)
TURNS = (1, 3, 6, 7, 8)


def photo(path: Path, turn: int) -> None:
    """A photo that lies as its EXIF says, with a red box upright at `BOX`."""
    image = Image.new("RGB", (WIDTH, HEIGHT), GROUND)
    left, top, right, bottom = BOX
    ImageDraw.Draw(image).rectangle((left, top, right - 1, bottom - 1), RED)
    exif = Image.Exif()
    exif[0x0112] = turn
    method = STORED[turn]
    path.parent.mkdir(parents=True, exist_ok=True)
    (image if method is None else image.transpose(method)).save(path, quality=95, exif=exif)


def csv_of_pixels(folder: Path, names: list[str]) -> Path:
    lines = [f"{name},{WIDTH},{HEIGHT},cat,{','.join(map(str, BOX))}\n" for name in names]
    path = folder / "list.csv"
    path.write_text("filename,width,height,class,xmin,ymin,xmax,ymax\n" + "".join(lines))
    return path


def csv_of_fractions(folder: Path, names: list[str]) -> Path:
    left, top, right, bottom = BOX
    rel = (left / WIDTH, top / HEIGHT, right / WIDTH, bottom / HEIGHT)
    path = folder / "automl.csv"
    path.write_text("".join(f"TRAIN,{name},cat,{rel[0]},{rel[1]},,,{rel[2]},{rel[3]},,\n" for name in names))
    return path


def coco(folder: Path, names: list[str]) -> Path:
    left, top, right, bottom = BOX
    box = [left, top, right - left, bottom - top]
    images = [{"id": n, "file_name": name, "width": WIDTH, "height": HEIGHT} for n, name in enumerate(names)]
    boxes = [{"id": n, "image_id": n, "category_id": 4, "bbox": box} for n, _ in enumerate(names)]
    told = {"images": images, "annotations": boxes, "categories": [{"id": 4, "name": "cat"}]}
    path = folder / "instances.json"
    path.write_text(json.dumps(told))
    return path


def voc(folder: Path, names: list[str]) -> Path:
    corners = "".join(f"<{k}>{v}</{k}>" for k, v in zip(("xmin", "ymin", "xmax", "ymax"), BOX, strict=True))
    size = f"<size><width>{WIDTH}</width><height>{HEIGHT}</height><depth>3</depth></size>"
    for name in names:
        told = f"<object><name>cat</name><bndbox>{corners}</bndbox></object>"
        text = f"<annotation><filename>{name}</filename>{size}{told}</annotation>"
        (folder / name).with_suffix(".xml").write_text(text)
    return folder


def yolo(folder: Path, names: list[str]) -> Path:
    left, top, right, bottom = BOX
    centre = ((left + right) / 2 / WIDTH, (top + bottom) / 2 / HEIGHT)
    size = ((right - left) / WIDTH, (bottom - top) / HEIGHT)
    for name in names:
        (folder / name).with_suffix(".txt").write_text(f"0 {centre[0]} {centre[1]} {size[0]} {size[1]}\n")
    (folder / "classes.txt").write_text("cat\n")
    return folder


_OTHERS = (csv_of_fractions, voc, yolo)


@pytest.mark.parametrize(
    "listed", [csv_of_pixels, coco, *(pytest.param(each, marks=pytest.mark.thorough) for each in _OTHERS)]
)
def test_boxes_lie_on_what_they_are_boxes_of(
    listed: Callable[[Path, list[str]], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"{turn}.jpg" for turn in TURNS]
    for turn, name in zip(TURNS, names, strict=True):
        photo(tmp_path / "in" / name, turn)
    drawn: list[tuple[Any, list[Any]]] = []

    def thumbnail(image: Image.Image, boxes: Any) -> Image.Image:
        drawn.append((np.asarray(image).astype(int), [*boxes]))
        return image

    monkeypatch.setattr(preview, "thumbnail", thumbnail)
    source = listed(tmp_path / "in", names)
    done = tfrec("convert", source, tmp_path / "out", "--dry-run", "--sheet", tmp_path / "boxes.png")
    assert (done.code, (tmp_path / "out").exists()) == (0, False), done.err
    assert len(drawn) == len(names)
    for pixels, boxes in drawn:
        assert pixels.shape[:2] == (HEIGHT, WIDTH)
        ((corners, name, _),) = boxes
        assert name == "cat"
        left, top, right, bottom = (
            round(v * side) for v, side in zip(corners, (WIDTH, HEIGHT) * 2, strict=True)
        )
        is_red = np.abs(pixels - RED).max(axis=-1) < 60
        assert is_red[top + 1 : bottom - 1, left + 1 : right - 1].all()
        is_red[max(0, top - 1) : bottom + 1, max(0, left - 1) : right + 1] = False
        assert not is_red.any()


def test_the_sheet_shows_boxes_rejects_and_nothing_else_is_written(tmp_path: Path, sample_data: Path) -> None:
    photo(tmp_path / "in" / "a.jpg", 6)
    source = csv_of_pixels(tmp_path / "in", ["a.jpg", "gone.jpg"])
    done = tfrec(
        "convert", source, tmp_path / "out", "--dry-run", "--sheet", tmp_path / "s.png", "--json"
    ).json
    assert done["status"] == "planned"
    assert done["sheet"] == {"file": str(tmp_path / "s.png"), "images": 2, "rejected": 1}
    with Image.open(tmp_path / "s.png") as image:
        assert image.format == "PNG"
        pixels = np.asarray(image.convert("RGB")).reshape(-1, 3)
    assert (pixels == (255, 225, 25)).all(axis=-1).sum() > 100  # the outline; no photo has this colour
    assert (np.abs(pixels.astype(int) - RED).max(axis=-1) < 60).sum() > 500
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "s.png"]


def test_a_sheet_is_drawn_again_and_a_list_without_images_is_told(tmp_path: Path) -> None:
    photo(tmp_path / "in" / "images" / "a.jpg", 1)
    source = csv_of_pixels(tmp_path / "in", ["a.jpg"])
    words = ("convert", source, tmp_path / "out", "--dry-run", "--sheet", tmp_path / "s.png")
    done = tfrec(*words, "--image-root", tmp_path)
    assert (done.code, (tmp_path / "s.png").exists()) == (2, False)
    assert "none of 1 images tried can be used; line 2: " in done.err
    assert f"--image-root {tmp_path}/in/images" in done.err
    for _ in range(2):
        done = tfrec(*words, "--image-root", tmp_path / "in" / "images")
        assert (done.code, f"drew 1 image into {tmp_path}/s.png" in " ".join(done.out.split())) == (0, True)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--sheet", "s.png"), "--sheet is drawn before anything is converted"),
        (("--dry-run", "--sheet", "s.jpg"), "a contact sheet is a PNG"),
        (("--dry-run", "--sheet", "there.png"), "it is there already"),
        (("--dry-run", "--sheet", "nowhere/s.png"), "there is no such folder"),
        (("--dry-run", "--sheet", "gs://bucket/s.png"), "written to a local path only"),
        (("--dry-run", "--sheet", "out/s.png"), "a dry run writes nothing into OUTPUT_DIR"),
        (("--dry-run", "--sheet", "s.png", "--task", "tabular"), "these rows have none"),
    ],
)
def test_what_is_refused(words: tuple[str, ...], told: str, tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text("x,label\n1,a\n" if "tabular" in words else "TRAIN,a.jpg,cat\n")
    (tmp_path / "there.png").touch()
    (tmp_path / "out").mkdir()
    done = tfrec("convert", "list.csv", "out", *words, cwd=tmp_path)
    assert (done.code, [*(tmp_path / "out").iterdir()]) == (2, [])
    assert told in " ".join(done.err.split())
