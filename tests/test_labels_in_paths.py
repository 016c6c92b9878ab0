"""Lists of nothing but paths or names of images, whose labels are the folders that these are in."""

from __future__ import annotations

from pathlib import Path

import pytest
from boxing import photos, records
from converting import convert_json, jpeg, manifest, shell

# Paths, and the labels of their folders as the command writes them.
_OF_FOLDERS: dict[str, dict[str, str]] = {
    "SUN397": {
        "/a/abbey/1.jpg": "abbey",
        "/b/bazaar/indoor/1.jpg": "bazaar/indoor",
        "/c/church/indoor/1.jpg": "church/indoor",
        "/c/church/outdoor/1.jpg": "church/outdoor",
    },
    "of one depth": {
        "set/k/a/1.jpg": "k/a",
        "set/k/b/1.jpg": "k/b",
        "set/k/c/1.jpg": "k/c",
        "set/x/in/1.jpg": "x/in",
        "set/y/in/1.jpg": "y/in",
    },
    "splits": {f"{split}/{name}/{split}.jpg": name for split in ("train", "test") for name in "ab"},
    "one folder": {"a/1.jpg": "a", "b/c/2.jpg": "c", "d/e/3.jpg": "e"},
}


@pytest.mark.parametrize("paths", _OF_FOLDERS.values(), ids=_OF_FOLDERS)
def test_the_last_folder_of_two_classes_is_no_label_alone(paths: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("\n".join(paths) + "\n", encoding="utf-8")
    hint = convert_json("list.txt", "out", cwd=tmp_path)["error"]["hint"]
    command = hint.partition("make a CSV of it: ")[2].partition("; then: ")[0]
    assert shell(command, tmp_path).code == 0
    rows = (tmp_path / "list-as-csv.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert rows == [f"{path.lstrip('/')},{label}" for path, label in paths.items()]


@pytest.mark.parametrize(
    ("form", "likely", "ways"),
    [
        ("p{n}/{word}/{n}.jpg", "folder_2", "label=folder_2 (left, right), or --columns label=folder_1 (p0"),
        (
            "{word}/m{n}/{year}/{n}.jpg",
            "folder_2",
            "label=folder_2 (m0, m1, m2), or --columns label=folder_1 ",
        ),
    ],
    ids=["patients", "CompCars"],
)
def test_which_of_several_folders_is_the_label_is_asked(
    form: str, likely: str, ways: str, tmp_path: Path
) -> None:
    paths = {
        form.format(n=n, word=word, year=year): {"folder_1": word, "folder_2": f"m{n}"}
        for n in range(3)
        for word in ("left", "right")
        for year in (2013, 2014)
    }
    photos(tmp_path, *paths)
    (tmp_path / "list.txt").write_text("\n".join(paths) + "\n", encoding="utf-8")
    hint = convert_json("list.txt", "out", cwd=tmp_path)["error"]["hint"]
    command, _, options = hint.partition("make a CSV of it: ")[2].partition(", and convert that with ")
    assert options.startswith(f"--columns {ways}")
    assert shell(command, tmp_path).code == 0
    convert_json("list-as-csv.csv", "out", "--columns", f"label={likely}", cwd=tmp_path)
    labels = {"patients": ["left", "right"], "CompCars": ["m0", "m1", "m2"]}
    assert [*manifest(tmp_path / "out")["labels"]] == labels["patients" if form[0] == "p" else "CompCars"]


def test_lists_of_other_classes_get_one_command(tmp_path: Path) -> None:
    """VGGFace2's lists of training and of test name no person both."""
    (tmp_path / "train.txt").write_text("n2/1.jpg\nn2/2.jpg\nn3/1.jpg\nn3/2.jpg\n", encoding="utf-8")
    (tmp_path / "test.txt").write_text("n1/1.jpg\nn1/2.jpg\nn9/1.jpg\nn9/2.jpg\n", encoding="utf-8")
    hint = convert_json("train=train.txt", "test=test.txt", "out", cwd=tmp_path)["error"]["hint"]
    assert (
        "where folders are the labels (n2, n3), make a CSV of each: for f in train.txt test.txt; do " in hint
    )


def test_names_of_images_in_folders_of_their_classes_get_these(tmp_path: Path) -> None:
    """RESISC45 and others have a list of bare names for each split beside the folders of the classes."""
    names = [f"{label}_{number}.jpg" for label in ("airport", "beach") for number in range(4)]
    for number, name in enumerate(names):
        (tmp_path / "all" / name.split("_")[0]).mkdir(parents=True, exist_ok=True)
        (tmp_path / "all" / name.split("_")[0] / name).write_bytes(jpeg(number))
    given = []
    for split, some in (("train", [0, 1, 4, 5]), ("test", [2, 6])):
        (tmp_path / f"set-{split}.txt").write_text("".join(f"{names[n]}\n" for n in some), encoding="utf-8")
        given.append(f"{split}=set-{split}.txt")
    hint = convert_json(*given, "out", cwd=tmp_path)["error"]["hint"]
    assert "the labels (airport, beach), make a CSV of each: " in hint
    command, _, then = hint.partition(" of each: ")[2].partition("; then: ")
    assert shell(command, tmp_path).code == 0
    words = then.partition(" OUTPUT_DIR")[0].split()[2:]
    assert convert_json(*words, "out", cwd=tmp_path)["records"] == 6
    found = {name: record["image/class/text"] for name, record in records(tmp_path / "out").items()}
    assert found == {f"all/{n.split('_')[0]}/{n}": [n.split("_")[0].encode()] for n in names if n[-5] != "3"}


def test_folders_that_have_one_image_each_are_no_classes(tmp_path: Path) -> None:
    """Those of patients, say: of the images in a folder the command would make a class."""
    for number in range(8):
        (tmp_path / f"all/{number}x").mkdir(parents=True)
        (tmp_path / f"all/{number}x/scan{number}.jpg").write_bytes(jpeg(number))
    (tmp_path / "list.txt").write_text("".join(f"scan{n}.jpg\n" for n in range(8)), encoding="utf-8")
    hint = convert_json("list.txt", "out", cwd=tmp_path)["error"]["hint"]
    assert "the folders that they are in" not in hint
