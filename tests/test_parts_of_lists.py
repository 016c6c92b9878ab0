"""Tables of the same rows by an id, `features.csv` and `labels.csv`, get the command that joins them."""

from __future__ import annotations

from pathlib import Path

import pytest
from boxing import photos
from converting import convert_json, manifest, shell

FEATURES = "Image ID,Storm ID,Ocean\n" + "".join(f"a{i},s{i % 4},{i % 3}\n" for i in range(8))
LABELS = "Image ID,Wind Speed\n" + "".join(f"a{i},{20 + i * i}\n" for i in (7, 3, 1, 5, 2, 6, 4, 0))


def _made(folder: Path, tables: dict[str, str]) -> None:
    photos(folder / "train", *(f"a{i}.png" for i in range(8)))
    for name, text in tables.items():
        (folder / name).write_text(text)


@pytest.mark.parametrize(
    ("source", "begin"),
    [
        ("in", "x_labels.csv and x_features.csv"),
        ("in/x_features.csv", "x_features.csv and x_labels.csv"),
        ("in/x_labels.csv", "name the columns, as in --columns "),
    ],
)
def test_the_command_joins_features_and_labels(source: str, begin: str, tmp_path: Path) -> None:
    _made(tmp_path / "in", {"x_features.csv": FEATURES, "x_labels.csv": LABELS})
    hint = convert_json(source, "out", cwd=tmp_path)["error"]["hint"]
    before, _, rest = hint.partition(" tell of the same rows by Image ID: join them: ")
    assert before.startswith(begin)
    command, _, rest = rest.partition("; then: tfrec convert ")
    assert shell(command, tmp_path).code == 0
    made = rest.partition(" OUTPUT_DIR")[0]
    told = convert_json(made, "out", cwd=tmp_path)["error"]["hint"]
    options = "--columns 'image_uri=Image ID,label=Wind Speed' --task regression"
    assert options in told
    command = (
        f"tfrec convert {made} out --image-root in/train {options} --split-by 'Storm ID' --splits train=1"
    )
    assert shell(command, tmp_path).code == 0
    done = manifest(tmp_path / "out")
    assert (done["records"], done.get("labels", {})) == (8, {})
    told = convert_json("in", "new", cwd=tmp_path)["error"]["hint"]  # of what was made, others are no parts
    assert f"is {made} alone the list" not in told


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("classes.csv", "Image ID,name\na0,cat\na1,dog\n"),  # of few rows
        ("boxes.csv", "Image ID,x\n" + "".join(f"a{i // 2},{i}\n" for i in range(16))),  # several of each
        ("test.csv", "Image ID,Wind Speed\n" + "".join(f"b{i},{i}\n" for i in range(8))),
        ("old.csv", LABELS.replace("Wind Speed", "Ocean") + "a9,1\n"),  # the same columns
        ("ids.csv", "Image ID\n" + "".join(f"a{i}\n" for i in range(8))),
    ],
)
def test_other_tables_are_no_parts(name: str, text: str, tmp_path: Path) -> None:
    _made(tmp_path / "in", {"features.csv": FEATURES, name: text})
    for source in ("in", "in/features.csv"):
        assert "tell of the same rows" not in convert_json(source, "out", cwd=tmp_path)["error"]["hint"]
