"""Files of the same bytes in folders of several classes are told of before an image is read."""

from __future__ import annotations

from pathlib import Path

import pytest
from converting import jpeg, tfrec
from test_dataset_layouts import put

_TOLD = "with the bytes of others under another label"


def _told(folder: Path, files: dict[str, bytes]) -> str:
    put(folder / "in", files)
    return next(
        iter([line for line in tfrec("convert", "in", "out", cwd=folder).err.splitlines() if _TOLD in line]),
        "",
    )


def test_an_image_in_the_folders_of_two_classes_is_told_of(tmp_path: Path) -> None:
    """UECFOOD256 has a photo of a set meal in the folder of each of its dishes."""
    files = {
        f"{name}/{n}.jpg": jpeg(4 * at + n) for at, name in enumerate(("1", "12", "36")) for n in range(4)
    }
    told = _told(tmp_path, files | {"12/7.jpg": files["1/2.jpg"], "36/8.jpg": files["1/3.jpg"]})
    assert "4 files with the bytes of others under another label (such as 1/2.jpg and 12/7.jpg)" in told


@pytest.mark.parametrize("other", ["a/9.jpg", "b/9.jpg"])
def test_of_other_files_nothing_is_said(other: str, tmp_path: Path) -> None:
    """Copies of one class are merged or told by their splits; files of one size hold other bytes."""
    files = {f"{name}/{n}.jpg": jpeg(4 * at + n) for at, name in enumerate("ab") for n in range(4)}
    again = files["a/1.jpg"] if other.startswith("a") else files["a/1.jpg"][:-2] + b"\xff\xd8"
    assert _told(tmp_path, files | {other: again}) == ""
