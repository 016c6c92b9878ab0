"""`--exclude`: files and folders of a source folder that are passed over, and said."""

from __future__ import annotations

from pathlib import Path

import pytest
from converting import convert_json, jpeg, manifest, shell, write_csv
from test_dataset_layouts import make
from test_preview import photo, voc, yolo

from tfrecordcli.sources.folders.exclusion import Exclusion

PLANTS = ["All (new)/All (new)/train/cat/2.jpg", "All (new)/All (new)/test/cat/3.jpg"]


def told(done: dict[str, object]) -> str:
    return "\n".join(str(line) for line in done["remarks"])  # type: ignore[attr-defined]


def test_names_and_paths_of_a_folder(tmp_path: Path) -> None:
    root = make(
        *(tmp_path / "in", "cat/1.jpg", "cat/1_mask.png", "cat/raw/9.jpg", "dog/2.jpg", "dog/old/3.jpg"),
        *("thumbs/cat/1.jpg", "dog/cat/8.jpg"),
    )
    patterns = [
        "--exclude",
        "thumbs,*_mask.png\ncat/raw",
        "--exclude",
        "dog/*/?.jpg",
        "--exclude=old,cat/*/x,old",
    ]
    done = convert_json(root, tmp_path / "out", *patterns)
    assert (done["records"], done["exit_code"]) == (2, 0)
    assert sorted(manifest(tmp_path / "out")["labels"]) == ["cat", "dog"]
    shown = "cat/1_mask.png, cat/raw, dog/cat/8.jpg, dog/old, thumbs"
    assert f"--exclude passed over 5 entries: {shown}" in told(done)
    assert "--exclude cat/*/x is not used: nothing in the folder is called so" in told(done)


def test_folders_beside_splits_are_refused_with_the_option(tmp_path: Path) -> None:
    root = make(tmp_path / "in", "train/cat/1.jpg", "train/dog/2.jpg", "test/cat/3.jpg", "old ones/cat/4.jpg")
    done = convert_json(root, tmp_path / "out")
    assert "--exclude 'old ones' passes over it" in done["error"]["hint"]
    done = convert_json(root, tmp_path / "out", "--exclude", "old ones")
    assert (done["records"], done["splits"]["test"]["records"]) == (3, 1)


BESIDE = {
    "a set of its own": (
        ["test/test/1.jpg", *PLANTS],
        "tfrec convert 'in/All (new)/All (new)' OUTPUT_DIR takes ",
    ),
    "a set of its own, and classes": (
        ["test/cat/1.jpg", *PLANTS],
        "'in/All (new)/All (new)' OUTPUT_DIR takes ",
    ),
    "classes": (
        ["test/1.jpg", "cat/2.jpg", "dog/3.jpg"],
        "--exclude test passes over it, and takes the others",
    ),
    "images without labels": (
        ["test/a/1.jpg", *(f"unlabeled/{n}.jpg" for n in range(2, 5))],
        "--exclude unlabeled passes over it; or",
    ),
    "more without a split": (
        ["test/a/1.jpg", "new/a/2.jpg", "new/a/3.jpg"],
        "call the folders of splits train,",
    ),
}


@pytest.mark.parametrize(("images", "hint"), BESIDE.values(), ids=BESIDE)
def test_no_command_passes_over_most_of_what_may_have_labels(
    images: list[str], hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path / "in", *images)
    monkeypatch.chdir(tmp_path)
    told_hint = convert_json("in", "out")["error"]["hint"]
    assert hint in told_hint
    if "OUTPUT_DIR" in told_hint:
        done = shell(told_hint.partition(" OUTPUT_DIR")[0] + " out --json", tmp_path).json
        assert (done["records"], [*manifest(tmp_path / "out")["labels"]]) == (2, ["cat"])


@pytest.mark.parametrize("listed", [voc, yolo])
def test_folders_of_boxes(listed: object, tmp_path: Path) -> None:
    names = ["1.jpg", "2.jpg", "3.jpg"]
    for name in names:
        photo(tmp_path / "in" / name, 1)
    listed(tmp_path / "in", names)  # type: ignore[operator]
    done = convert_json(tmp_path / "in", tmp_path / "out", "--exclude", "2.*", "--splits", "train=1")
    assert (done["records"], done["boxes"]["stored"]) == (2, 2)
    assert "--exclude passed over 2 entries: 2." in told(done)


def test_it_is_of_no_use_for_a_list(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(jpeg())
    source = write_csv(tmp_path / "list.csv", [("TRAIN", "a.jpg", "cat")])
    assert "--exclude is not used: the source is a list" in told(
        convert_json(source, tmp_path / "out", "--exclude", "*.txt")
    )


def test_another_exclusion_is_another_conversion(tmp_path: Path) -> None:
    root = make(tmp_path / "in", "cat/1.jpg", "dog/2.jpg", "dog/3.jpg")
    convert_json(root, tmp_path / "out")
    done = convert_json(root, tmp_path / "out", "--exclude", "3.jpg")
    assert "made with another value of: the source, --exclude" in done["error"]["message"]


def test_a_folder_that_is_listed_twice_counts_once() -> None:
    exclusion = Exclusion(["*.txt"])
    for _ in range(2):
        exclusion.begin("a")
        assert [exclusion.covers("a", name) for name in ("b.txt", "c.jpg", "d.TXT")] == [True, False, False]
    assert exclusion.notes() == ["--exclude passed over 1 entry: a/b.txt"]
