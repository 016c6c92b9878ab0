"""Lists whose images are called otherwise than their files: uploads of Label Studio, paths from a root."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest
from boxing import boxes_of, photos, records
from converting import shell, tfrec
from foreign_files import run_bash, write_files

from tfrecordcli.sources.proposals.missing_images import missing_hint

UPLOADS: Final = {
    "characters before names": ("images/1a2b3c4%d-photo %d.png", "images/photo %d.png"),
    "uploads": ("/data/upload/1/1a2b3c4%d-photo%d.png", "photo%d.png"),
    "backslashes": ("..\\images\\1a2b3c4%d-photo%d.png", "images/photo%d.png"),
    "files that it serves": ("/data/local-files/?d=photos/%d/photo%d.png", "photos/%d/photo%d.png"),
}


def _coco(names: list[str]) -> str:
    boxes = [{"id": i, "image_id": i, "category_id": 0, "bbox": [8, 4, 32, 16]} for i in range(len(names))]
    images = [{"id": i, "file_name": name, "width": 80, "height": 40} for i, name in enumerate(names)]
    return json.dumps({"images": images, "categories": [{"id": 0, "name": "cat"}], "annotations": boxes})


@pytest.mark.parametrize(("listed", "there"), UPLOADS.values(), ids=UPLOADS)
def test_names_of_label_studio_become_those_of_the_files(listed: str, there: str, tmp_path: Path) -> None:
    names = [[form.replace("%d", str(i)) for i in range(2)] for form in (listed, there)]
    photos(tmp_path, *names[1])
    write_files(tmp_path, {"result.json": _coco(names[0])})
    done = tfrec("convert", "result.json", "out", cwd=tmp_path)
    assert done.code == 2, done
    command, _, then = done.err.partition("names of the files: ")[2].partition("; then: ")
    run_bash(command, tmp_path)
    done = shell(then.strip().replace("OUTPUT_DIR", "out"), tmp_path)
    assert done.code == 0, done
    assert sorted(records(tmp_path / "out")) == [name.removeprefix("images/") for name in names[1]]


def test_names_that_only_look_like_those_of_label_studio_keep_their_hint(tmp_path: Path) -> None:
    names = ["images/1a2b3c4d-a.png", "images/1a2b3c4d-b.png"]
    photos(tmp_path, "other/1a2b3c4d-a.png", "other/1a2b3c4d-b.png", "a.jpg")
    write_files(tmp_path, {"result.json": _coco(names)})
    done = tfrec("convert", "result.json", "out", cwd=tmp_path)
    assert "is there with --map images/=other/" in done.err
    assert tfrec("convert", "result.json", "out", "--map", "images/=other/", cwd=tmp_path).code == 0


def test_label_files_of_uploads_get_the_names_of_the_images(tmp_path: Path) -> None:
    photos(tmp_path / "in/images", "a.png", "b c.png")
    box = "0 0.3 0.3 0.4 0.4\n"
    write_files(
        tmp_path / "in",
        {"labels/1a2b3c4d-a.txt": box, "labels/1a2b3c4e-b c.txt": box, "classes.txt": "cat\n"},
    )
    done = tfrec("convert", "in", "out", cwd=tmp_path)
    assert done.code == 2, done
    run_bash(done.err.partition("images: ")[2].strip(), tmp_path)
    assert tfrec("convert", "in", "out", cwd=tmp_path).code == 0
    assert [boxes_of(values) for values in records(tmp_path / "out").values()] == [
        [("cat", (8.0, 4.0, 40.0, 20.0))]
    ] * 2


def test_label_files_of_no_image_keep_their_hint(tmp_path: Path) -> None:
    photos(tmp_path / "in/images", "a.png")
    write_files(tmp_path / "in", {"labels/1a2b3c4d-b.txt": "0 0.3 0.3 0.4 0.4\n", "classes.txt": "cat\n"})
    assert "are the labels where they should be?" in tfrec("convert", "in", "out", cwd=tmp_path).err


def test_paths_from_the_root_of_a_set_lead_into_the_folder_that_has_them(tmp_path: Path) -> None:
    names = ["/a/abbey/1.png", "/b/bar/2.png"]
    photos(tmp_path, *(f"data_256{name}" for name in names))
    write_files(tmp_path, {"list.txt": "".join(f"{name} {i}\n" for i, name in enumerate(names))})
    option = "--map /=data_256/"
    assert f"is there with {option}\n" in tfrec("convert", "list.txt", "out", cwd=tmp_path).err
    assert tfrec("convert", "list.txt", "out", *option.split(), cwd=tmp_path).code == 0
    photos(tmp_path, *(f"small{name}" for name in names))
    assert "--map" not in missing_hint(names[0], str(tmp_path), names)
    assert "--map" not in missing_hint(names[0], str(tmp_path), [*names, "/c/car/3.png"])
