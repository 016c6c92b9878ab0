"""Keys of JSON that tell what several images come from, and URLs beside names of files that are here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
from boxing import photos
from converting import convert_json, tfrec

_COUNT: Final = 24
_NOTE: Final = "images of one {} may be in several splits, which --split-by {} prevents"
# Further fields of an image by its number, and the key that is told; empty: none.
FIELDS: Final[dict[str, tuple[Any, str]]] = {
    "sequences": (lambda n: {"seq_id": f"s{n // 3}", "frame_num": n % 3}, "seq_id"),
    "the widest": (lambda n: {"video_id": n // 2, "patient": n // 6}, "patient"),
    "of one image each": (lambda n: {"video_id": n}, ""),
    "of two": (lambda n: {"video_id": n % 2}, ""),
    "of some images": (lambda n: {"video_id": n // 3} if n else {}, ""),
    "without values": (lambda n: {"video_id": n // 3 if n else None}, ""),
    "of another name": (lambda n: {"colour": n // 3}, ""),
}


def _list(form: str, images: list[dict[str, Any]]) -> str:
    if form == "jsonl":
        return "".join(json.dumps({**each, "label": "ab"[n % 2]}) + "\n" for n, each in enumerate(images))
    named = [{"id": n, "file_name": each.pop("image"), **each} for n, each in enumerate(images)]
    boxes = [{"id": n, "image_id": n, "category_id": 1, "bbox": [1, 2, 9, 8]} for n in range(_COUNT)]
    categories = [{"id": 1, "name": "cat"}]
    return json.dumps({"images": named, "annotations": boxes, "categories": categories})


@pytest.mark.parametrize(("fields", "told"), FIELDS.values(), ids=FIELDS)
@pytest.mark.parametrize("form", ["jsonl", "coco"])
def test_keys_of_groups_are_told_with_the_option(form: str, fields: Any, told: str, tmp_path: Path) -> None:
    names = [f"{number}.png" for number in range(_COUNT)]
    photos(tmp_path, *names)
    images = [{"image": name, **fields(number)} for number, name in enumerate(names)]
    (tmp_path / "list.json").write_text(_list(form, images), encoding="utf-8")
    for option in ((), ("--features", "all")) if told else ((),):
        notes = tfrec("convert", "list.json", "out", "--dry-run", *option, cwd=tmp_path).err
        assert (_NOTE.format(told, told) in notes) == bool(told)
        assert ("may be in several splits" in notes) == bool(told)
    if told:
        said = convert_json("list.json", "out", "--split-by", told, cwd=tmp_path)
        assert said["exit_code"] == 0
        assert not any("may be in several splits" in note for note in (*said["remarks"], *said["warnings"]))


@pytest.mark.parametrize("count", [0, _COUNT])
def test_urls_beside_names_of_files_that_are_here_are_asked_about(count: int, tmp_path: Path) -> None:
    photos(tmp_path, *(f"images/x{number}.png" for number in range(count)))
    rows = "".join(f"x{n},https://example.invalid/{n}.png,{'ab'[n % 2]}\n" for n in range(_COUNT))
    (tmp_path / "list.csv").write_text(f"hash,url,label\n{rows}", encoding="utf-8")
    options = "--splits", "train=1"
    if not count:
        done = tfrec("convert", "list.csv", "out", *options, "--dry-run", cwd=tmp_path)
        assert (done.code, "names files" in done.err) == (0, False)
        return
    refused = tfrec("convert", "list.csv", "out", *options, "--dry-run", cwd=tmp_path)
    assert refused.code == 2
    assert (
        "images would be read from url, as https://example.invalid/0.png, and hash names files" in refused.err
    )
    assert "--columns image_uri=hash reads these; --columns image_uri=url those of the web" in refused.err
    here = "--columns", "image_uri=hash", "--image-root", "images"
    assert convert_json("list.csv", "out", *options, *here, cwd=tmp_path)["records"] == _COUNT


def _log(tmp_path: Path) -> Path:
    """A log whose first line, and some between, are about no image; power was lost in the last."""
    names = [f"{number}.png" for number in range(_COUNT)]
    photos(tmp_path, *names)
    lines: list[dict[str, Any]] = []
    for number, name in enumerate(names):
        run = {"run": f"run_{number // 6}"}
        if number % 6 == 0:
            lines.append({"type": "meta", **run, "robot": "ur5"})
        lines.append({"type": "grasp", **run, "img": name, "outcome": ["missed", "held"][number % 2]})
    source = tmp_path / "log.jsonl"
    source.write_text("".join(json.dumps(each) + "\n" for each in lines) + '{"type": "grasp", "im')
    return source


def test_keys_of_a_log_are_those_of_the_lines_with_images(tmp_path: Path) -> None:
    source = _log(tmp_path)
    for options in ([], ["--columns", "image_uri=img"]):
        error = tfrec("convert", source, tmp_path / "out", "--json", *options).json["error"]
        likely = error["hint"].removeprefix("name them, as in ")
        assert likely.startswith("--columns image_uri=img,label=outcome (missed, held in 24 rows); ")
    assert error["message"].endswith("the keys are type, run, img, outcome")


def test_runs_of_a_log_are_told_and_kept_together(tmp_path: Path) -> None:
    source = _log(tmp_path)
    options = ["--columns", "image_uri=img,label=outcome", "--max-rejects", "9", "--dry-run"]
    told = tfrec("convert", source, tmp_path / "out", *options)
    assert (told.code, _NOTE.format("run", "run") in told.err) == (0, True)
    kept = tfrec("convert", source, tmp_path / "out", *options, "--split-by", "run", "--json")
    assert kept.json["reasons"] == {"no_image_uri": 4, "bad_annotation": 1}
    assert all(split["records"] % 6 == 0 for split in kept.json["splits"].values())
