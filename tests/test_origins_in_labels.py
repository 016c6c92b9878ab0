"""Labels with what images come from in their names are warned of, with the command that parts them."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from converting import convert_json, jpeg, shell
from test_dataset_layouts import put

from tfrecordcli.planning.origins_in_labels import city_warnings, origin_warnings, rests_of
from tfrecordcli.python_words import as_keywords

ACTIONS = [f"S{s:02}_{act}_R{r}" for s, act, r in product((1, 2, 3), ("run", "walk"), (1, 2))]
CLIPS = [f"v_{act}_g{g:02}_c{c:02}" for act, g, c in product(("Biking", "Diving"), (1, 2, 13), (1, 2))]


@pytest.mark.parametrize(
    ("labels", "rests"),
    [
        (ACTIONS, ["run", "walk"]),
        (CLIPS, ["v_Biking", "v_Diving"]),
        ([f"patient{p}-{'sick' if p % 2 else 'well'}" for p in range(8)], ["sick", "well"]),
        ([f"20240{m}15_{w}" for m, w in product((4, 5, 6), ("rain", "sun"))], ["rain", "sun"]),
        ([f"cam{c}_{w}" for c, w in product((1, 2, 3), ("rain", "sun"))], ["rain", "sun"]),
        ([f"stage{s}_{w}" for s, w in product((1, 2, 3), ("left", "right"))], []),
        ([f"S{s:02}" for s in range(9)], []),  # said by another warning
        ([f"{maker} {model}" for maker in ("Audi", "BMW") for model in ("A3", "A4", "Q5", "X1")], []),
        ([f"Airbus A{number}" for number in (310, 319, 320, 330, 340)] + ["Boeing B737", "Boeing B747"], []),
        (
            [f"Nikon D{number}" for number in (40, 50, 60)] + [f"Canon D{number}" for number in (10, 20, 30)],
            [],
        ),
        ([f"{what}_S{at}" for what in ("case", "phone") for at in (20, 21, 22)], []),
        ([f"speed limit {number}" for number in range(20, 120, 10)], []),
        ([f"{leaf}_stage{number}" for leaf in ("potato", "tomato") for number in (1, 2, 3)], []),
        ([f"T{t}_N{n}" for t, n in product((1, 2, 3), (0, 1))], []),
        (ACTIONS[:4], []),
        ([*ACTIONS, "background"], []),
    ],
)
def test_names_are_parted_where_it_is_certain(labels: list[str], rests: list[str]) -> None:
    assert rests_of(labels) == rests


@pytest.mark.parametrize(
    ("labels", "is_told"),
    [
        (["A-2023-0117", "A-2023-0118", "B-2024-0009"], True),
        (["cam0", "cam1", "cam2"], True),
        (["31b5a0a2fb744241", "3951f035d349736a"], True),
        (["2024-05-01", "2024-05-02", "2024-06-01"], True),
        (["MVI_20011", "MVI_20012"], True),
        (["Audi A4", "Audi A6", "BMW 320"], False),
        (["S1", "S2", "S3"], False),
    ],
)
def test_labels_that_are_numbered_are_told(labels: list[str], is_told: bool) -> None:
    told = [*origin_warnings(labels, are_folders=True)]
    assert [each.startswith(("labels are numbered", "labels are ids that")) for each in told] == [
        True
    ] * is_told


def test_the_list_of_a_folder_has_labels_without_what_images_come_from(tmp_path: Path) -> None:
    put(tmp_path / "in", {f"{name}/{at}.jpg": jpeg(at + len(name)) for name in ACTIONS for at in range(2)})
    (told,) = [t for t in convert_json("in", "out", cwd=tmp_path)["warnings"] if "come from in their" in t]
    assert told.startswith(
        "labels have what images come from in their names ('S01_run_R1', 'S01_run_R2' and 10 more): "
        "without it there are 2 (run, walk); where these are the labels, python -c "
    )
    made, converting = told.partition("labels, ")[2].split("; then: ")
    assert shell(made, tmp_path).code == 0
    assert (tmp_path / "in" / "list.csv").read_text().splitlines()[:2] == [
        "image,label,origin",
        "S01_run_R1/0.jpg,run,S01",
    ]
    ran = shell(converting.replace("OUTPUT_DIR", "out2"), tmp_path)
    assert "2 labels: run, walk" in ran.out
    assert "come from in their names" not in ran.err


@pytest.mark.parametrize(
    ("name", "is_told"),
    [("ulm/ulm_000001_000019_leftImg8bit.png", True), ("cat/cat_000001_000019.png", False),
     ("cat/ulm_000001_000019_leftImg8bit.png", False), ("walk/walk_01_003.jpg", False)],
)  # fmt: skip
def test_cities_of_cityscapes_are_told_by_the_names_of_their_images(name: str, is_told: bool) -> None:
    told = [*city_warnings([f"train/{name}", f"val/{name}"])]
    assert ["cities of Cityscapes" in each for each in told] == [True] * is_told
    assert not [*city_warnings([f"train/{name}", "train/cat/1.png"]), *city_warnings([])]


def test_the_list_of_a_folder_has_its_splits(tmp_path: Path) -> None:
    names = [f"{split}/{name}" for split in ("train", "test") for name in ACTIONS]
    put(tmp_path / "in", {f"{name}/0.jpg": jpeg(at) for at, name in enumerate(names)})
    (told,) = [t for t in convert_json("in", "out", cwd=tmp_path)["warnings"] if "come from in their" in t]
    made, converting = told.partition("labels, ")[2].split("; then: ")
    assert shell(made, tmp_path).code == 0
    done = convert_json(*converting.split()[2:-1], "out2", cwd=tmp_path)
    assert {split: each["records"] for split, each in done["splits"].items()} == {"train": 12, "test": 12}
    assert done["num_labels"] == 2


def test_the_list_of_a_csv_has_labels_without_what_images_come_from(tmp_path: Path) -> None:
    put(tmp_path, {f"{at}.jpg": jpeg(at) for at in range(len(ACTIONS))})
    rows = "".join(f"{at}.jpg,{name}\n" for at, name in enumerate(ACTIONS))
    (tmp_path / "list.csv").write_text(f"image,label\n{rows}")
    (told,) = [
        t for t in convert_json("list.csv", "out", cwd=tmp_path)["warnings"] if "come from in their" in t
    ]
    made, converting = told.partition("labels, ")[2].split("; convert ")
    assert shell(made, tmp_path).code == 0
    assert (tmp_path / "list-parted.csv").read_text().splitlines()[:2] == [
        "image,label,origin",
        "0.jpg,run,S01",
    ]
    name, options = converting.split(" with ")
    assert convert_json(name, "out2", *options.split(), cwd=tmp_path)["num_labels"] == 2


def test_what_has_no_command_is_told_in_words(tmp_path: Path) -> None:
    put(tmp_path, {f"{at % 2}/{name}/{at}.jpg": jpeg(at) for at, name in enumerate(ACTIONS * 2)})
    (told,) = [
        t for t in convert_json("0", "1", "out", cwd=tmp_path)["warnings"] if "come from in their" in t
    ]
    assert told.endswith(
        "labels, convert a list that has these in a column; --split-by keeps those of one together"
    )
    assert as_keywords(told).endswith("; split_by= keeps those of one together")


def test_labels_of_folders_joined_are_doubted_as_folders(tmp_path: Path) -> None:
    put(
        tmp_path,
        {f"{place}/{name}{place}/0.jpg": jpeg(len(name)) for place in "kf" for name in ("aa", "bbb")},
    )
    told = " ".join(convert_json("train=k", "test=f", "out", cwd=tmp_path)["warnings"])
    assert "of the other splits: is that the folder of the label? --label-folder first" in told
