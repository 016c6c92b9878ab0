"""Images that come several of one thing, told by the ends of their names."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from boxing import photos, records
from converting import convert_json
from following import proposals
from PIL import Image

FONTS = ("Arial", "Futura", "Times")
KEPT = re.compile("--label-folder")  # whoever follows the hint wants one kind


def _photo(path: Path, seed: int) -> None:
    colours = bytes((i * i * 7 + seed) // 5 % 256 for i in range(64 * 64 * 3))
    Image.frombytes("RGB", (64, 64), colours).save(path)


def _gray(path: Path, seed: int) -> None:
    Image.new("L", (24, 16), seed % 256).save(path)


def _folder(
    root: Path,
    *endings: str,
    names: str = "{label}{number}",
    labels: tuple[str, ...] = ("cat", "dog"),
    drawn: Callable[[Path, int], None] = _gray,
) -> None:
    """Three things in each label, of each an image with each ending."""
    for at, label in enumerate(labels):
        (root / label).mkdir(parents=True)
        for number in range(3):
            for seed, ending in enumerate(endings):
                name = names.format(label=label, number=number, font=FONTS[number])
                drawn(root / label / f"{name}{ending}", 50 * at + 7 * number + seed)


def _stored(output: Path) -> set[str]:
    return {path.rpartition("/")[2] for path in records(output)}


@pytest.mark.parametrize(
    ("endings", "kept"),
    [
        ((".BMP", "-d.bmp"), ".BMP"),
        ((".png", " anno.tif"), ".png"),
        (("_depth.png", "_rgb.png", "_normals.png"), "_rgb.png"),
        (("d.png", ".png"), ".png"),
        (("_red.png", "_green.png", "_blue.png"), "_blue.png"),
    ],
)
def test_one_kind_is_kept_by_what_is_proposed(endings: tuple[str, ...], kept: str, tmp_path: Path) -> None:
    _folder(tmp_path / "in", *endings)
    told = convert_json("in", "out", cwd=tmp_path)["error"]
    assert "nearly all images come several of one thing" in told["message"]
    assert f"cat/cat0{kept}" in told["message"]
    options = [word for option in next(proposals(told["hint"], KEPT)).options for word in option]
    done = convert_json("in", "out", *options, cwd=tmp_path)
    assert (done["exit_code"], done["records"]) == (0, 6)
    assert _stored(tmp_path / "out") == {f"{label}{n}{kept}" for label in ("cat", "dog") for n in range(3)}


def test_of_kinds_that_no_name_tells_photos_are_kept(tmp_path: Path) -> None:
    for label in ("cat", "dog"):
        for number in range(3):
            photos(tmp_path / "in" / label, f"{number}_acrop.png", f"{number}_crop.png")
            _gray(tmp_path / "in" / label / f"{number}_acrop.png", number)
            _photo(tmp_path / "in" / label / f"{number}_crop.png", number)
    assert "--exclude '*_acrop.*'" in convert_json("in", "out", cwd=tmp_path)["error"]["hint"]


def test_where_nothing_tells_which_to_keep_each_may_be(tmp_path: Path) -> None:
    _folder(tmp_path / "in", "_temp.png", "_test.png")
    hint = convert_json("in", "out", cwd=tmp_path)["error"]["hint"]
    for one, other in (("temp", "test"), ("test", "temp")):
        assert f"--exclude '*_{other}.*' keeps those called as cat0_{one}.png" in hint


def test_a_list_beside_the_only_folder_comes_first(tmp_path: Path) -> None:
    _folder(tmp_path / "in", ".png", "_anno.png", labels=("images of mine",))
    (tmp_path / "in/grade.csv").write_text("image,grade\nimages of mine0.png,1\nimages of mine1.png,2\n")
    assert "is described by a list (grade.csv)" in convert_json("in", "out", cwd=tmp_path)["error"]["message"]


def test_who_insists_is_warned(tmp_path: Path) -> None:
    _folder(tmp_path / "in", "_crop.png", "_depth.png", labels=("cat/a", "cat/b", "dog/c"), names="{number}")
    for way in ("first", "last"):
        done = convert_json("in", "out", "--label-folder", way, "--overwrite", cwd=tmp_path)
        assert done["records"] == 18
        (told,) = (each for each in done["warnings"] if "several of one thing" in each)
        assert "--exclude '*_depth.*' keeps those called as 0_crop.png" in told


def test_a_flat_folder_is_warned_of(tmp_path: Path) -> None:
    _folder(tmp_path / "in", ".png", "_anno.png", labels=(".",), names="train_{number}")
    done = convert_json("in", "out", "--unlabelled", "keep", cwd=tmp_path)
    assert done["records"] == 6
    assert any("--exclude '*_anno.*' keeps those called as train_0.png" in told for told in done["warnings"])


def test_what_is_passed_over_already_stays_so(tmp_path: Path) -> None:
    _folder(tmp_path / "in", ".png", "_x.png", "_y.png")
    hint = convert_json("in", "out", "--exclude", "*_x.*", cwd=tmp_path)["error"]["hint"]
    assert "--exclude '*_x.*,*_y.*' keeps those called as cat0.png" in hint


def test_no_pattern_is_proposed_that_folders_are_called_by(tmp_path: Path) -> None:
    _folder(tmp_path / "in", ".png", "-d.png", labels=("cat-d.one", "dog"))
    hint = convert_json("in", "out", cwd=tmp_path)["error"]["hint"]
    assert "--exclude" not in hint
    assert "move all away but those called as cat-d.one0.png" in hint


FACES = ("happy", "sad", "angry", "calm", "bored", "sick")
ALL_MEANT: dict[str, tuple[tuple[str, ...], str]] = {
    "numbers": (("_1.png", "_2.png"), "{label}{number}"),
    "numbers behind a word": (("_cam1.png", "_cam2.png"), "{number}"),
    "letters that count": (("a.png", "b.png", "c.png"), "{label}{number}"),
    "a second one": ((".png", "b.png"), "{label}{number}"),
    "sides": (("_left.png", "_right.png"), "{label}{number}"),
    "views of the chest": (("_AP.png", "_lateral.png"), "{label}{number}"),
    "a side beside the front": ((".png", "-back.png"), "{label}{number}"),
    "copies": ((".png", "_flip.png", "_rotated.png"), "{label}{number}"),
    "faces": (tuple(f"_{face}.png" for face in FACES), "p{number}"),
    "fonts of letters": (("_bold.png", "_italic.png"), "{font}"),
}


@pytest.mark.parametrize(("endings", "names"), ALL_MEANT.values(), ids=ALL_MEANT)
def test_all_that_may_be_meant_is_read(endings: tuple[str, ...], names: str, tmp_path: Path) -> None:
    _folder(tmp_path / "in", *endings, names=names)
    done = convert_json("in", "out", cwd=tmp_path)
    assert done["exit_code"] == 0
    assert not any("several of one thing" in told for told in done["warnings"])


def test_a_person_in_several_poses_is_read(tmp_path: Path) -> None:
    for number in range(4):
        folder = tmp_path / f"in/s{number}"
        folder.mkdir(parents=True)
        for pose in ("happy", "sad", "wink"):
            _gray(folder / f"subject{number}.{pose}.png", number)
    assert convert_json("in", "out", cwd=tmp_path)["exit_code"] == 0


def test_photos_of_several_kinds_are_read_with_a_warning(tmp_path: Path) -> None:
    _folder(tmp_path / "in", "_calm.png", "_smile.png", drawn=_photo)
    done = convert_json("in", "out", cwd=tmp_path)
    assert done["records"] == 12
    assert any(
        "--exclude '*_smile.*' keeps those called as cat0_calm.png" in told for told in done["warnings"]
    )


def test_some_that_come_so_are_read(tmp_path: Path) -> None:
    _folder(tmp_path / "in", ".png", "-edited.png")
    for number in range(4, 8):
        _gray(tmp_path / f"in/dog/{number}.png", number)
    done = convert_json("in", "out", cwd=tmp_path)
    assert (done["exit_code"], done["records"]) == (0, 16)
    assert not any("several of one thing" in told for told in done["warnings"])
