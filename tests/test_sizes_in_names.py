"""One dataset in several sizes or versions, a folder each: refused, with the command for one of them."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from boxing import photos
from converting import convert_json, jpeg, shell
from recording import foreign

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.sources.folders.local import FolderListing
from tfrecordcli.sources.folders.versions import in_versions
from tfrecordcli.sources.sizes_in_names import folders_of_sizes

# folders with files, and those that are of sizes
FOLDERS: dict[str, tuple[list[str], list[str]]] = {
    "flowers": (
        ["jpeg-512x512/train/00-512x512-798.tfrec", "jpeg-224x224/train/00-224x224-798.tfrec"],
        ["jpeg-224x224", "jpeg-512x512"],
    ),
    "below another": (["a/b/64/cat/1.jpg", "a/b/128/cat/1.jpg"], ["a/b/64", "a/b/128"]),
    "behind a line": (["set_224/a.tfrec", "set_96/a.tfrec"], ["set_96", "set_224"]),
    "pixels": (["100px/cat/1.jpg", "75px/cat/1.jpg"], ["75px", "100px"]),
    "years": (["set_2018/a.tfrec", "set_2048/a.tfrec"], []),
    "parts": (["part_32/a.tfrec", "part_33/a.tfrec"], []),
    "other files": (["set_224/a.tfrec", "set_512/b.tfrec"], []),
    "other names": (["train_224/a.tfrec", "test_512/a.tfrec"], []),
    "one size": (["set_224/a.tfrec", "set_224/b.tfrec"], []),
    "bricks": (["brick_2x2/1.jpg", "brick_2x4/1.jpg"], []),
}  # fmt: skip


@pytest.mark.parametrize(("paths", "folders"), FOLDERS.values(), ids=FOLDERS)
def test_folders_of_sizes_are_told_by_their_names_and_files(paths: list[str], folders: list[str]) -> None:
    assert folders_of_sizes(paths) == folders


@pytest.mark.parametrize("kind", ["records", "classes", "splits"])
def test_one_dataset_in_several_sizes_is_refused_with_the_largest(kind: str, tmp_path: Path) -> None:
    for size in ("96x96", "128x128"):
        folder = tmp_path / "in" / f"jpeg-{size}"
        if kind == "records":
            records = [{"image": [jpeg(n)], "label": [n]} for n in range(2)]
            foreign(folder / f"train/00-{size}-2.tfrec", *records)
        else:
            above = "train/" * (kind == "splits")  # which no label folder would read
            photos(folder, f"{above}cat/1.png", f"{above}dog/2.png")
    error = convert_json("in", "out", cwd=tmp_path)["error"]
    assert "looks like one dataset in several sizes" in error["message"]
    assert "takes all, where they are different images" in error["hint"]
    assert ("--label-folder" in error["hint"]) is (kind == "classes")
    one, all_of_them = error["hint"].removeprefix("convert one of them: ").split(" OUTPUT_DIR")[:2]
    for number, command in enumerate((one, all_of_them.strip("; "))):
        words = shlex.split(command)[2:]
        done = convert_json(*words, f"out{number}", "--splits", "train=1", cwd=tmp_path)
        assert done["records"] == 2 * (number + 1), done


@pytest.mark.parametrize("has_list", [True, False])
@pytest.mark.parametrize("name", ["images_{}", "{}"])
def test_flat_folders_of_sizes_lead_to_one_of_them(name: str, has_list: bool, tmp_path: Path) -> None:
    for size in (96, 128):
        photos(tmp_path / "in" / name.format(size), "cat_1.png", "cat_2.png", "dog_1.png", "dog_2.png")
    if has_list:
        (tmp_path / "in/list.csv").write_text("image,label\ncat_1,cat\ndog_2,dog\n")
    error = convert_json("in", "out", cwd=tmp_path)["error"]
    assert "looks like one dataset in several sizes" in error["message"]
    largest = f"in/{name.format(128)}"
    assert (f"with --image-root {largest}; " in error["hint"]) is has_list
    assert (f"convert one of them: tfrec convert {largest} OUTPUT_DIR" in error["hint"]) is not has_list
    told = convert_json("in/list.csv" if has_list else largest, "out", cwd=tmp_path)["error"]["hint"]
    option = told.partition("may be one dataset in several sizes: ")[2].removesuffix(" takes the largest")
    if not has_list:
        shell(told.partition("make a list: ")[2].partition("; --unlabelled")[0], tmp_path)
    source = "in/list.csv" if has_list else f"{largest}/list.csv"
    done = convert_json(source, "out", *shlex.split(option), cwd=tmp_path)
    assert (done["records"], bool(option)) == (2 if has_list else 4, has_list)
    assert "label-folder first" in error["hint"]
    done = convert_json("in", "sizes", "--label-folder", "first", cwd=tmp_path)
    assert done["records"] == 8


def test_classes_called_like_sizes_with_images_of_their_own_are_read(tmp_path: Path) -> None:
    photos(tmp_path / "in", "model_128/a.png", "model_128/b.png", "model_256/c.png", "model_256/b.png")
    assert convert_json("in", "out", cwd=tmp_path)["records"] == 4


def test_folders_of_sizes_with_files_of_their_own_are_read(tmp_path: Path) -> None:
    for size in (64, 128):
        foreign(tmp_path / f"in/part_{size}/train-{size}-{size}.tfrec", {"image": [jpeg(size)], "label": [1]})
        foreign(
            tmp_path / f"in/part_{size}/{'ab'[size > 64]}.tfrec", {"image": [jpeg(size + 1)], "label": [0]}
        )
    assert convert_json("in", "out", cwd=tmp_path)["records"] == 4


# for a class and number: the names of an image in two folders, and whether these look like versions
VERSIONS: dict[str, tuple[str, str, bool]] = {
    "suffix": ("{label}/{id}___RS 84{n}.JPG", "{label}/{id}___RS 84{n}_masked.jpg", True),
    "same names": ("{label}/{id}.jpg", "{label}/{id}.png", True),
    "recordings": ("{label}/frame_{n:03}.jpg", "{label}/frame_{n:03}.jpg", False),
    "recordings of classes": ("{label}/{label}_{n}.jpg", "{label}/{label}_{n}.jpg", False),
    "classes and views": ("{label}/{label}-{word}.jpg", "{label}/{label}-{word}.jpg", False),
    "begins of classes": (
        "{label}/{label[0]}_{word}.jpg",
        "{label}/{label[0]}_{word}.jpg",
        False,
    ),
    "classes beside words": ("{label}/{label}-{id}.jpg", "{label}/{label}-{id}.jpg", True),
    "hexadecimal": ("{label}/{hex}___RS 84{n}.jpg", "{label}/{hex}___RS 84{n}.jpg", True),
    "poses of subjects": ("{label}/pose_{word}.jpg", "{label}/pose_{word}.jpg", False),
    "other classes": ("{label}/{id}.jpg", "{label}s/{id}.jpg", False),
    "other images": ("{label}/{id}.jpg", "{label}/{id}b.jpg", False),
    "one class": ("cat/{id}.jpg", "cat/{id}.jpg", False),
}


def named(pattern: str) -> list[str]:
    return [
        pattern.format(
            label=label,
            n=n,
            word="abcdef"[n],
            hex=f"0{n}e9{label[0]}0{n}a-4558",
            id=f"{label[0]}{chr(97 + n) * 3}-e{n}f",
        )
        for label in ("cat", "dog")
        for n in range(6)
    ]


@pytest.mark.parametrize(("one", "two", "are_versions"), VERSIONS.values(), ids=VERSIONS)
def test_versions_are_told_by_names_of_one_image_each(one: str, two: str, are_versions: bool) -> None:
    assert in_versions({"first": named(one), "second": named(two)}) == "first" * are_versions
    assert bool(in_versions({"second": named(two), "first": named(one)})) is are_versions


# for names of folders: those of the images in all of them, and the one of which the others are versions
CALLED: dict[str, tuple[list[str], str, str]] = {
    "counted": (["grayscale", "color"], "{label}/{n}.jpg", "color"),
    "in splits": (["leaf_gray", "leaf_rgb"], "train/{label}/img_{n:04}.jpg", "leaf_rgb"),
    "above splits": (["a", "b"], "train/{label}/{id}.jpg", "a"),
    "one class in splits": (["a", "b"], "train/cat/{id}.jpg", ""),
    "light": (["day", "night"], "{label}/{n}.jpg", ""),
    "one other": (["color", "set2"], "{label}/{n}.jpg", ""),
    "of other things": (["leaf_gray", "stem_color"], "{label}/{n}.jpg", ""),
    "colours": (["gray", "brown"], "{label}/{n}.jpg", ""),
    "words in others": (["colored_pencil", "grayling"], "{label}/{n}.jpg", ""),
}


@pytest.mark.parametrize(("folders", "pattern", "one"), CALLED.values(), ids=CALLED)
def test_versions_are_told_by_the_names_of_their_folders(folders: list[str], pattern: str, one: str) -> None:
    assert in_versions(dict.fromkeys(folders, named(pattern))) == one


@pytest.mark.parametrize("folder", ["{version}/{split}", "{split}/{version}"])
def test_versions_with_splits_lead_to_one_of_them_in_its_splits(folder: str, tmp_path: Path) -> None:
    for version in ("color", "grayscale"):
        for split in ("train", "val"):
            photos(tmp_path / "in" / folder.format(version=version, split=split), "cat/1.png", "dog/2.png")
    hint = convert_json("in", "out", cwd=tmp_path)["error"]["hint"]
    command = hint.removeprefix("convert one of them: ").partition(" OUTPUT_DIR")[0]
    done = convert_json(*shlex.split(command)[2:], "out", cwd=tmp_path)
    assert {name: each["records"] for name, each in done["splits"].items()} == {"train": 2, "validation": 2}
    assert (tmp_path / "out/labels.txt").read_text().split() == ["cat", "dog"]


def test_folders_are_listed_once_more_for_a_refusal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("day/cat", "day/dog", "night/cat", "night/dog"):
        photos(tmp_path / "in" / folder, "1.png")
    listed: list[str] = []
    list_folder = FolderListing._list
    monkeypatch.setattr(
        FolderListing, "_list", lambda self, folder: listed.append(folder) or list_folder(self, folder)
    )
    with pytest.raises(InputError):
        [*FolderListing(str(tmp_path / "in"), ReadOptions()).rows()]
    assert max(map(listed.count, listed)) == 2
    assert listed.count("night") == 1


def test_one_dataset_in_several_versions_leads_to_one_of_them(tmp_path: Path) -> None:
    for folder, name in (("color", "{label}/{id}.png"), ("segmented", "{label}/{id}_final_masked.png")):
        photos(tmp_path / "in" / folder, *named(name))
    error = convert_json("in", "out", cwd=tmp_path)["error"]
    assert "look like one dataset in several versions" in error["message"]
    one, _, further = error["hint"].removeprefix("convert one of them: ").partition(" OUTPUT_DIR, or ")
    for number, words in enumerate((one.split()[2:], ["in", *further.partition(" passes")[0].split()])):
        done = convert_json(*words, f"out{number}", cwd=tmp_path)
        assert done["records"] == 12, done
        assert (tmp_path / f"out{number}/labels.txt").read_text().split() == ["cat", "dog"]


def test_recordings_with_images_of_the_same_names_are_read(tmp_path: Path) -> None:
    for folder in ("day", "night"):
        photos(tmp_path / "in" / folder, *named("{label}/frame_{n}.png"))
    hint = convert_json("in", "out", cwd=tmp_path)["error"]["hint"]
    assert "--label-folder last 'cat'" in hint
    done = convert_json("in", "out", "--label-folder", "last", cwd=tmp_path)
    assert done["records"] == 24
