"""Labels in parts of the names of images in folders that tell none."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import uuid
from pathlib import Path
from typing import Final

import pytest
from converting import convert_json, read_csv, shell
from test_dataset_layouts import make, rows_of

from tfrecordcli.errors import InputError
from tfrecordcli.sources.folders.labels_in_names import LabelsInNames
from tfrecordcli.sources.machine_ids import are_ids
from tfrecordcli.sources.parts_of_names import parts_of_names


@pytest.mark.parametrize("others", [1, 6])
def test_a_few_names_that_tell_no_race_do_not_hide_those_of_faces(others: int, tmp_path: Path) -> None:
    faces = [f"{age}_1_0_20170109142408075.jpg.chip.jpg" for age in range(20)]
    root = make(tmp_path / "in", *faces, *(f"39_1_2017011217{n:07}.jpg.chip.jpg" for n in range(others)))
    with pytest.raises(InputError, match="of its") as caught:
        rows_of(root)
    assert ("a list of them, without the few that tell not all of it: " in caught.value.hint) == (others == 1)


@pytest.mark.parametrize("is_list", [False, True])
def test_parts_of_names_become_columns_by_the_command(is_list: bool, tmp_path: Path) -> None:
    names = [f"{n % 7}_{'cat' if n % 2 else 'dog'}_{20170100 + n}.chip.jpg" for n in range(24)]
    root = make(tmp_path / "in", *names, "7_cat.chip.jpg")
    source = Path(root)
    if is_list:
        source = tmp_path / "in/all.txt"
        source.write_text("".join(f"{name}\n" for name in [*names, "7_cat.chip.jpg"]))
    hint = convert_json(source, "out", cwd=tmp_path)["error"]["hint"]
    told = "(part_1: 0, 1, 2, …, part_2: cat, dog; names of other parts are left out)"
    assert hint.startswith(f"where parts of names are the label {told}, make a ")
    assert "--columns label=part_2, or the part that is it" in hint
    made = tmp_path / ("in/all-as-csv.csv" if is_list else "in/list.csv")
    command = re.search(rf"[(](cd [^;]*; )?echo image,.*? > {re.escape(str(made))}", hint)
    assert command is not None
    assert shell(command[0], tmp_path).code == 0
    rows = {(row["image"], row["part_1"], row["part_2"]) for row in read_csv(made)}
    assert rows == {(name, *name.split("_")[:2]) for name in names}


_USERS: Final = [f"User.{user}.{n}.jpg" for user in (1, 2, 13) for n in (1, 2)]


@pytest.mark.parametrize(
    ("names", "what", "label"),
    [
        (_USERS, "part_2: 1, 13, 2", 1),
        ([f"{'一三上'[n % 3]}-{80 + n}-{n % 2}.png" for n in range(12)], "part_1: 一, 三, 上", 0),
        ([f"s{n // 9}_u_{n}.jpg" for n in range(18)], "", None),
        (_USERS[:2], "", None),
        ([f"{n % 9:02}-{n % 2:02}-19.jpg" for n in range(36)], "", None),
        ([f"{n % 9}.{n % 2}.jpg" for n in range(36)], "", None),
        ([f"Frame-{n}-{n % 50}.jpg" for n in range(99)], "", None),
    ],
)
def test_parts_of_names_by_other_signs_and_of_few_images(
    names: list[str], what: str, label: int | None, tmp_path: Path
) -> None:
    parts = parts_of_names(names)
    assert (parts and (parts.what, parts.label)) == ((what, label) if what else None)
    if parts:
        (tmp_path / "all.txt").write_text("".join(f"in/{name}\n" for name in names), encoding="utf-8")
        assert shell(f"{parts.command} all.txt > rows.csv", tmp_path).code == 0
        rows = (tmp_path / "rows.csv").read_text(encoding="utf-8").splitlines()
        assert rows == [",".join([f"in/{name}", *re.split("[.-]", name)[:3]]) for name in names]


@pytest.mark.parametrize("name", ["IMG_{n:04}", "C{n}ThinF_IMG_1_cell_{n}", "{n:03}_1_2017{n:04}", "{n}"])
def test_names_that_count_images_have_no_parts_for_labels(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="in a folder of a label") as caught:
        rows_of(make(tmp_path / "in", *(f"{name.format(n=n)}.jpg" for n in range(24))))
    assert caught.value.hint == "--unlabelled keep converts them without labels"


_HASHES: Final = [hashlib.md5(str(n).encode(), usedforsecurity=False).hexdigest() for n in range(40)]
_UUIDS: Final = [str(uuid.UUID(each)) for each in _HASHES]
# As databases give them out.
_TOKENS: Final = [
    f"cj{'uz'[n % 2]}{n % 7}qk{n:03}zx{each[:4]}w{n % 9}ylm{n:02}" for n, each in enumerate(_HASHES)
]


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (_HASHES, ""),
        (_UUIDS, ""),
        (_TOKENS, ""),
        ([*(f"{'abcd'[n % 4]}x{n}" for n in range(20)), "px1", "qx2", "rx3"], ""),  # many of one image
        ([f"{each[:9]}-1" for each in _HASHES], ""),
        ([each[:6] for each in _HASHES], ""),  # too short to be told, of which half begin with a digit
        # Words that hardly come again.
        ([base64.urlsafe_b64encode(bytes.fromhex(each)).decode().rstrip("=") for each in _HASHES], ""),
        (
            [f"{'cat' if n % 3 else 'dog'}_{each}" for n, each in enumerate(_HASHES)],
            "(cat, dog), make a list: ",
        ),
        ([f"{'face' if n % 3 else 'tree'}{n:04}a" for n in range(40)], "(face, tree), make a list: "),
        (
            [*(f"{'cat' if n % 3 else 'dog'}{n}" for n in range(40)), "1", "cat"],
            "(cat, dog), make a list, without 2 of 42 (1.jpg, cat.jpg): ",
        ),
        ([*(f"cat{n}" for n in range(9)), *(f"dog{n}" for n in range(9)), *map(str, range(20))], ""),
    ],
)
def test_ids_that_machines_give_out_begin_with_no_labels(names: list[str], told: str, tmp_path: Path) -> None:
    found = LabelsInNames(())
    for name in names:
        found.add(f"{name}.jpg")
    hint = found.hint(str(tmp_path))
    assert hint.startswith(f"where names begin with the label {told}" if told else "")
    assert hint.count("make a list") == bool(told), hint


@pytest.mark.parametrize(
    ("names", "is_so"),
    [
        (_HASHES, True),
        (_UUIDS, True),
        ([each[:12].upper() for each in _HASHES], True),
        ([f"1.2.840.113619.2.{n}.1500" for n in range(3)], True),
        (_HASHES[:1], False),
        ([*_HASHES, "cat"], False),
        ([_HASHES[0], _HASHES[1][:9]], False),
        (["01443537", "01629819"], False),
        (["decade", "facade"], False),
        (["effaced1", "defaced2", "acceded3"], False),
        (["n01443537", "n01629819"], False),
        (["1.2.3.4", "1.1.1.1"], False),
    ],
)
def test_what_is_an_id_of_a_machine(names: list[str], is_so: bool) -> None:
    assert are_ids(names) == is_so


def test_masks_are_left_out_of_the_list_of_names(tmp_path: Path) -> None:
    names = [f"{'cat' if n % 3 else 'dog'}_{n}" for n in range(12)]
    make(tmp_path / "in", *(f"{each}/{name}.jpg" for each in ("images", "masks") for name in names))
    hint = convert_json("in", "out", cwd=tmp_path)["error"]["hint"]
    command = re.search(r"\(cd in;.*? > in/list.csv", hint)
    assert command is not None
    assert shell(command[0], tmp_path).code == 0
    rows = {row["image"]: row["label"] for row in read_csv(tmp_path / "in/list.csv")}
    assert rows == {f"images/{name}.jpg": name[:3] for name in names}


def test_json_of_the_images_by_their_names_is_asked_about_first(tmp_path: Path) -> None:
    names = [f"{'cat' if n % 3 else 'dog'}_{n}" for n in range(12)]
    make(tmp_path / "in", *(f"{each}/{name}.jpg" for each in ("images", "masks") for name in names))
    told = {
        name: {"bbox": [{"label": name[:3], "xmin": 1, "ymin": 2, "xmax": 9, "ymax": 8}]} for name in names
    }
    (tmp_path / "in/told.json").write_text(json.dumps(told), encoding="utf-8")
    hint = convert_json("in", "out", cwd=tmp_path)["error"]["hint"]
    assert hint.startswith(
        "is in/told.json the list of these images? tfrec convert in/told.json OUTPUT_DIR; "
    )
    # Of things that are none of these images.
    (tmp_path / "in/told.json").write_text(
        json.dumps({f"k{name}": name[:3] for name in names}), encoding="utf-8"
    )
    assert convert_json("in", "out", cwd=tmp_path)["error"]["hint"].startswith(
        "where names begin with the label"
    )
