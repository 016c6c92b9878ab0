"""Files beside images that no reader takes: what may tell of the images is said, and nothing else."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from converting import jpeg
from test_dataset_layouts import put
from test_dataset_samples import plan_from

from tfrecordcli.sources.folders.unread_files import UnreadFiles

NAMES = [f"{label}/{label}{number}" for label, number in product(("cat", "dog"), range(4))]


def told_of(images: list[str], files: list[str], told: tuple[str, ...] = ()) -> list[str]:
    """What is said of files of which half are met before the images."""
    unread = UnreadFiles()
    for path in files[::2]:
        unread.add(path)
    for path in images:
        unread.add_image(f"{path}.jpg")
    for path in files[1::2]:
        unread.add(path)
    return [*unread.doubts(told, sorted({path.rpartition("/")[0] for path in images}))]


@pytest.mark.parametrize("behind", [".txt", ".mat", ".jpg.json"])
def test_files_called_like_images_are_warned_of(behind: str, tmp_path: Path) -> None:
    root = put(tmp_path / "in", {f"{name}.jpg": jpeg(at) for at, name in enumerate(NAMES)})
    put(tmp_path / "in", {f"{name}{behind}": b"a photo of a pet" for name in NAMES})
    (told,) = [told for told in plan_from(root, tmp_path).plan.warnings if "called like images" in told]
    ending = behind.rpartition(".")[2]
    assert told.startswith(f"8 files called like images (cat/cat0{behind}, …): passed over")
    assert f"--exclude '*.{ending}'" in told
    excluded = plan_from(root, tmp_path, exclude=f"*.{ending}").plan.warnings
    assert not any("called like images" in told for told in excluded)


@pytest.mark.parametrize(
    ("images", "files"),
    [
        (["a/0", "b/0"], ["a/a.json", "b/b.json"]),  # few
        (["a/0", "b/0", "c/0"], ["a/a.json", "b/b.json"]),
        (["a/0", "b/0", "c/0"], ["a/README.txt", "b/README.txt", "c/notes.txt"]),
        (["a/0", "b/0", "c/0"], [f"{name}/{at}.log" for name in "abc" for at in "12"]),
        (NAMES, [f"{name}.xmp" for name in NAMES]),  # of a photo editor
        (NAMES, [f"{name}.THM" for name in NAMES]),
        (NAMES, [f"cat/.{number}.txt" for number in range(9)]),
        (NAMES, ["cat/cat0.txt", "dog/dog0.txt", "README.md", "cat/notes.txt"]),
        (NAMES, [*(f"logs/{number}.txt" for number in range(9)), *(f"{name}.txt" for name in NAMES[:4])]),
        ([f"{at}/frame" for at in range(9)], [f"{at}/frame.log" for at in range(9)]),
        (NAMES, [f"{name}.{at:04}" for at, name in enumerate(NAMES)]),
    ],
)
def test_other_files_are_not_warned_of(images: list[str], files: list[str]) -> None:
    assert told_of(images, files) == []


def test_files_in_another_folder_are_told_once() -> None:
    files = [f"labels/{name}.txt" for name in NAMES]
    (told,) = told_of(NAMES, files)
    assert told.startswith("8 files called like images (labels/cat/cat0.txt, …)")
    assert told_of(NAMES, files, (f"boxes in {files[0]} are passed over",)) == []


def test_data_of_each_folder_is_warned_of() -> None:
    (told,) = told_of([f"{patch}/band" for patch in "abc"], [f"{patch}/labels.json" for patch in "abc"])
    assert told.startswith("each folder of a label holds a .json of its own (a/labels.json, …): passed over")
