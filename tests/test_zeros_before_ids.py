"""Ids without the zeros of their files, which are in folders: the command writes the paths of these."""

from __future__ import annotations

from pathlib import Path

import pytest
from boxing import photos
from converting import convert_json, manifest, shell

IDS = ("108775015", "1153057", "23456789", "1234567890")


def _hint(folder: Path, ids: tuple[str, ...], *options: str) -> str:
    (folder / "list.csv").write_text("id,label,year\n" + "".join(f"{each},{each[0]},1\n" for each in ids))
    done = convert_json("list.csv", "out", "--columns", "image_uri=id", *options, cwd=folder)
    return str(done["error"]["hint"])


def _files(*names: str) -> list[str]:
    return [f"images/{name[:3]}/{name}" for name in names]


@pytest.mark.parametrize("options", [(), ("--image-root", "images")])
def test_the_command_writes_the_paths_of_numbers_with_zeros(options: tuple[str, ...], tmp_path: Path) -> None:
    photos(tmp_path, *_files(*(f"{each.zfill(10)}.jpg" for each in IDS)))
    before, _, command = _hint(tmp_path, IDS, *options).partition(": write their paths: ")
    assert before.startswith("the files have zeros before these numbers")
    assert shell(command.removesuffix(", and convert that"), tmp_path).code == 0
    done = convert_json("list-with-paths.csv", "out", "--columns", "image_uri=id", *options, cwd=tmp_path)
    assert (done["records"], done["rejected"]) == (4, 0)
    assert [*manifest(tmp_path / "out")["labels"]] == ["1", "2"]


@pytest.mark.parametrize(
    ("files", "ids"),
    [
        ([f"{i:03}.jpg" for i in range(40)], tuple(str(i) for i in range(1, 41))),  # numbered from 0
        (["0108775015.jpg", "0001153057.jpg"], IDS),  # half of them
        (["0108775015.jpg", "001153057.jpg"], IDS[:2]),  # of two widths
        (["108775015.jpg", "123456789.jpg"], ("108775015", "123456789")),  # without zeros
    ],
)
def test_other_numbers_have_no_such_command(files: list[str], ids: tuple[str, ...], tmp_path: Path) -> None:
    photos(tmp_path, *_files(*files))
    assert "zeros before these numbers" not in _hint(tmp_path, ids)


def test_two_files_of_an_id_stop_the_command(tmp_path: Path) -> None:
    photos(tmp_path, *_files(*(f"{each.zfill(10)}.jpg" for each in IDS)))
    command = _hint(tmp_path, IDS).partition(": write their paths: ")[2].removesuffix(", and convert that")
    photos(tmp_path, "images/b/0001153057.jpg")
    assert "zeros before these numbers" not in _hint(tmp_path, IDS)
    assert "several files: ['0001153057']" in shell(command, tmp_path).err
