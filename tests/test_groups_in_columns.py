"""A column of patients, videos and the like that rows are not assigned by is pointed out, with the option."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from converting import shell, tfrec, write_csv

from tfrecordcli.sources.group_names import width_of_group

_NOTE = "may be in several splits, which --split-by"


def _told(tmp_path: Path, header: str, rows: list[tuple[object, ...]], *options: str) -> list[str]:
    source = write_csv(tmp_path / "in/list.csv", rows, tuple(header.split(",")))
    run = tfrec("convert", source, tmp_path / "out", "--dry-run", *options)
    assert run.code == 0, run.err
    return [line for line in run.err.splitlines() if _NOTE in line]


def _rows(count: int = 60) -> list[tuple[object, ...]]:
    """(image, study, patient, label): two images a study, and two studies a patient."""
    return [(f"{n}.jpg", f"s{n // 2}", f"p{n // 4}", "ab"[n % 2]) for n in range(count)]


@pytest.mark.parametrize(
    ("header", "named"),
    [
        ("image,study,Patient ID,label", "'Patient ID'"),
        ("image,weight,original,label", "original"),
        ("image,weight,ref,label", "ref"),
        ("image,eye_id,volunteer,label", "volunteer"),
        ("image,weight,eye_id,label", "eye_id"),
        ("image,seq_id,location,label", "location"),
        ("image,study_id,weight,label", "study_id"),
        ("image,seq_nr,claim_no,label", "seq_nr"),
        ("image,asset_id,vehicle,label", "asset_id"),
        ("image,Storm ID,ocean,label", "'Storm ID'"),
        ("image,study,Patient ID,label,", "'Patient ID'"),  # as NIH's list of chest X-rays has it
    ],
)
def test_the_widest_group_is_named_with_the_option(tmp_path: Path, header: str, named: str) -> None:
    rows = [(*row, *[""] * header.endswith(",")) for row in _rows()]
    (note,) = _told(tmp_path, header, rows)
    assert note.endswith(f"--split-by {named} prevents")
    column = named.strip("'")
    assert _told(tmp_path, header, rows, "--split-by", column) == []


def test_an_id_that_images_begin_with_tells_whose_they_are(tmp_path: Path) -> None:
    header = "ID,age,image,label"
    rows = [(n // 2, 40 + n // 2, f"{n // 2}_{['left', 'right'][n % 2]}.jpg", "ab"[n % 2]) for n in range(40)]
    (note,) = _told(tmp_path, header, rows)
    assert note.endswith("--split-by ID prevents")
    assert _told(tmp_path, header, rows, "--split-by", "ID") == []


@pytest.mark.parametrize(
    "rows",
    [
        [(n, 40, f"{n}_left.jpg", "ab"[n % 2]) for n in range(40)],
        [(n % 4, 40, f"{n % 4}_{n}.jpg", "abcd"[n % 4]) for n in range(40)],  # the id of the class
        [(n // 8, 40, f"{n}.jpg", "ab"[n % 2]) for n in range(40)],
        [(n, 40, f"{n}.jpg", "ab"[n % 2]) for n in range(40)],
    ],
)
def test_other_ids_tell_of_no_group(tmp_path: Path, rows: list[tuple[object, ...]]) -> None:
    assert _told(tmp_path, "ID,age,image,label", rows) == []


@pytest.mark.parametrize("name", ["sign_id", "objectID", "plantId", "sherd id"])
def test_an_id_of_things_that_several_images_show_is_a_group(name: str, tmp_path: Path) -> None:
    rows = [(n // 3, 40, f"{n}.jpg", "ab"[n // 3 % 2]) for n in range(60)]
    (note,) = _told(tmp_path, f"{name},age,image,label", rows)
    assert name in note
    other = [(n, 40, f"{n}.jpg", "ab"[n % 2]) for n in range(60)]
    assert _told(tmp_path, f"{name},age,image,label", other) == []
    classes = [(n % 20, 40, f"{n}.jpg", f"class {n % 20}") for n in range(60)]
    assert _told(tmp_path, f"{name},age,image,label", classes) == []


@pytest.mark.parametrize("name", ["worker_id", "annotatorId", "category_id", "paid"])
def test_ids_of_who_looked_and_of_classes_tell_of_no_group(name: str, tmp_path: Path) -> None:
    rows = [(n // 3, 40, f"{n}.jpg", "ab"[n // 3 % 2]) for n in range(60)]
    assert _told(tmp_path, f"{name},age,image,label", rows) == []


def test_images_of_several_groups_are_refused_with_what_unites_them(tmp_path: Path) -> None:
    """A frame that shows two signs ties both, and all other frames of these, to one split."""
    rows = [(f"{n}.jpg", n // 3, n, 1, n + 9, 20, "ab"[n % 2]) for n in range(30)]
    rows += [
        ("0.jpg", 4, 1, 2, 30, 40, "a"),
        ("14.jpg", 7, 1, 2, 30, 40, "a"),
        ("5.jpg", "", 3, 3, 9, 9, "b"),
    ]
    header = ("image", "sign_id", "xmin", "ymin", "xmax", "ymax", "label")
    source = write_csv(tmp_path / "in/list.csv", rows, header)
    options = ("--dry-run", "--split-by")
    run = tfrec("convert", source, tmp_path / "out", *options, "sign_id")
    assert (run.code, "an image is of several, as 0.jpg is of 0 and 4" in run.err) == (2, True)
    command = run.err.partition("unite those that share an image: ")[2].partition(", and convert that")[0]
    assert shell(command, tmp_path).code == 0
    made = tmp_path / "in/list-groups.csv"
    groups = pd.read_csv(made, dtype=str, keep_default_na=False).groupby("group")["image"].agg(set)
    assert {f"{n}.jpg" for n in (0, 1, 2, 12, 13, 14, 21, 22, 23)} in [*groups]
    assert len(groups) == 8
    assert sum(map(len, groups)) == 30
    again = tfrec("convert", made, tmp_path / "out", *options, "group")
    assert (again.code, "rejected" in again.err) == (0, False)


def test_a_few_images_of_two_groups_are_mistakes_and_rejects(tmp_path: Path) -> None:
    rows = [(f"{n}.jpg", "ab"[n % 2], n // 3) for n in range(60)] + [("0.jpg", "a", 9), ("7.jpg", "b", 12)]
    source = write_csv(tmp_path / "in/list.csv", rows, ("image", "label", "owner"))
    run = tfrec("convert", source, tmp_path / "out", "--dry-run", "--split-by", "owner")
    assert "would be in several splits" not in run.err


def test_an_id_of_many_images_is_no_thing(tmp_path: Path) -> None:
    rows = [(n // 60, 40, f"{n}.jpg", "ab"[n // 60 % 2]) for n in range(360)]
    assert _told(tmp_path, "machine_id,age,image,label", rows) == []
    assert (
        len(_told(tmp_path, "machine_id,age,image,label", [(n // 6, *row[1:]) for n, row in enumerate(rows)]))
        == 1
    )


def test_rows_that_name_their_split_have_no_group_to_be_united(tmp_path: Path) -> None:
    rows = [
        (f"{n}.jpg", "ab"[k], ["train", "test"][n > 17], n // 3 + k * (n % 2))
        for n in range(24)
        for k in (0, 1)
    ]
    source = write_csv(tmp_path / "in/list.csv", rows, ("image", "label", "split", "owner"))
    options = ("--split-by", "owner", "--multi-label", "--dry-run")
    assert "would be in several splits" not in tfrec("convert", source, tmp_path / "out", *options).err


def test_the_command_that_unites_groups_reads_the_encoding_of_its_list(tmp_path: Path) -> None:
    rows = [(f"ü{n}.jpg", "ab"[k], n // 3 + k * (n % 2)) for n in range(24) for k in (0, 1)]
    source = write_csv(tmp_path / "in/list.csv", rows, ("image", "label", "owner"))
    source.write_bytes(source.read_text(encoding="utf-8").encode("latin-1"))
    options = ("--split-by", "owner", "--multi-label", "--dry-run", "--encoding", "latin-1")
    told = tfrec("convert", source, tmp_path / "out", *options).err
    command = told.partition("unite those that share an image: ")[2].partition(", and convert that")[0]
    assert shell(command, tmp_path).code == 0


def test_numbers_of_boxes_within_an_image_are_no_groups(tmp_path: Path) -> None:
    rows = [(f"{n}.jpg", k, 1, 2, 9, 9, "ab"[k % 2]) for n in range(40) for k in range(1 + n % 7)]
    assert _told(tmp_path, "image,object_id,xmin,ymin,xmax,ymax,label", rows) == []


def test_an_id_that_a_few_images_share_tells_of_what_they_show(tmp_path: Path) -> None:
    """COVIDx has the numbers of patients, of whom most have one image."""
    rows = [(n - n % 2 if n < 12 else n, 40, f"{n}.jpg", "ab"[n % 2]) for n in range(40)]
    assert len(_told(tmp_path, "id,age,image,label", rows)) == 1
    assert _told(tmp_path, "number,age,image,label", rows) == []
    classes = [(n // 2, 40, f"{n}.jpg", f"class {n % 20}") for n in range(40)]  # ids may be those of classes
    assert _told(tmp_path, "id,age,image,label", classes) == []


def test_boxes_of_a_video_count_by_their_images(tmp_path: Path) -> None:
    header = "image,video,label,xmin,ymin,xmax,ymax"
    rows = [(f"{n}.jpg", f"v{n // 4}", "cat", k, 2, 9, 9) for n in range(40) for k in (1, 2)]
    assert len(_told(tmp_path, header, rows)) == 1
    alone = [(image, f"v{image}", *rest) for image, _, *rest in rows]
    assert _told(tmp_path, header, alone) == []


@pytest.mark.parametrize(
    ("header", "rows", "options"),
    [
        ("image,patient,weight,label", [(f"{n}.jpg", f"p{n}", 1, "ab"[n % 2]) for n in range(60)], ()),
        ("image,patients_seen,weight,label", _rows(), ()),
        ("image,patient,split,label", [(f"{n}.jpg", f"p{n // 4}", "train", "a") for n in range(60)], ()),
        ("image,building,vehicle,label", _rows(), ()),
        ("image,eye,parent,label", _rows(), ()),
        ("image,study,patient,label", _rows(), ("--splits", "train=1")),
        ("image,study,patient,label", _rows(), ("--stratify",)),
    ],
)
def test_what_keeps_groups_together_or_has_none_is_not_told(
    tmp_path: Path, header: str, rows: list[tuple[object, ...]], options: tuple[str, ...]
) -> None:
    assert _told(tmp_path, header, rows, *options) == []


@pytest.mark.parametrize(
    ("name", "is_group"),
    [
        ("Origin track", True),
        ("source_video", True),
        ("Origin file", False),
        ("Handle", True),
        ("product_id", True),
        ("product_name", False),
        ("item", False),
    ],
)
def test_names_of_groups_may_say_what_images_come_from(name: str, is_group: bool) -> None:
    assert (width_of_group(name) is not None) == is_group
