"""Splits that are written in another way than as words of a column, and what only looks so."""

from __future__ import annotations

import json
import re
import shlex
from contextlib import suppress
from pathlib import Path

import pytest
from boxing import photos
from converting import convert_json, jpeg, shell, tfrec
from misleading import filled
from test_dataset_samples import plan_from

from tfrecordcli.errors import InputError
from tfrecordcli.sources import sample
from tfrecordcli.sources.misread.merged_cells import _blanks_below, _in_turn
from tfrecordcli.sources.proposals.columns import propose_columns
from tfrecordcli.sources.proposals.splits import (
    certain_flag,
    propose_split_map,
    split_option,
    words_of_splits,
)
from tfrecordcli.split_words import split_of, suggest_split


@pytest.mark.parametrize("words", [("spades", "hearts"), ("1", "2")])
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_column_called_set_that_tells_no_splits_is_no_dead_end(
    words: tuple[str, ...], form: str, tmp_path: Path
) -> None:
    rows = [{"image": f"{i}.png", "label": "ab"[i % 2], "set": words[i % 2]} for i in range(4)]
    photos(tmp_path, *(row["image"] for row in rows))
    name = f"list.{form}"
    text = "".join(json.dumps(row) + "\n" for row in rows)
    if form == "csv":
        text = "image,label,set\n" + "".join(",".join(row.values()) + "\n" for row in rows)
    (tmp_path / name).write_text(text, encoding="utf-8")
    done = tfrec("convert", name, "out", cwd=tmp_path)
    assert done.code == 2
    assert ", which are no splits" in done.err
    assert "; where that tells no splits: --columns split=\n" in done.err
    given = tfrec("convert", name, "out", "--columns", "image_uri=image,label=label", cwd=tmp_path)
    assert "; where that tells no splits: --columns image_uri=image,label=label,split=\n" in given.err
    assert ("column split" in given.err) is False
    plain = tfrec("convert", name, "out", "--columns", "split=", "--splits", "test=1", "--json", cwd=tmp_path)
    assert plain.json["splits"]["test"]["records"] == 4
    mapped = f"{words[0]}=train,{words[1]}=test"
    assert f"{words[0] if words[0] == '1' else words[1]}=" in done.err
    split = tfrec("convert", name, "out2", "--split-map", mapped, "--json", cwd=tmp_path)
    assert {name: each["records"] for name, each in split.json["splits"].items()} == {"train": 2, "test": 2}


@pytest.mark.parametrize(
    ("words", "limit", "code"),
    [
        ("train train val test tuning blind", "0", 1),
        ("train train test trian trian trian trian", "0", 1),
        ("foo foo - - - -", "2", 0),
        ("extra extra extra train", "90%", 0),
    ],
)
def test_words_that_are_no_splits_reject_their_rows_alone(
    words: str, limit: str, code: int, tmp_path: Path
) -> None:
    told = [word.strip("-") for word in words.split()]
    photos(tmp_path, *(f"{i}.png" for i in range(len(told))))
    rows = "".join(f"{i}.png,{'ab'[i % 2]},{word}\n" for i, word in enumerate(told))
    (tmp_path / "list.csv").write_text(f"image,label,split\n{rows}", encoding="utf-8")
    done = convert_json("list.csv", "out", "--max-rejects", limit, "--dry-run", cwd=tmp_path)
    assert done["exit_code"] == code
    assert done["reasons"] == {"unknown_split": sum(bool(word) and not split_of(word) for word in told)}


@pytest.mark.parametrize(
    ("words", "mapped"),
    [
        ("обучение проверка тест", ""),
        ("eğitim doğrulama test", ""),
        ("uczący walidacyjny testowy", ""),
        ("обучение сверка тест", "сверка=validation"),
        ("train val gamma", "gamma=test"),
    ],
)
def test_splits_of_a_list_in_another_language_are_proposed(words: str, mapped: str, tmp_path: Path) -> None:
    photos(tmp_path, *(f"{i}.png" for i in range(12)))
    told = words.split()
    rows = "".join(f"{i}.png;{told[i % 3 if i < 6 else 0]};{'ab'[i % 2]}\n" for i in range(12))
    (tmp_path / "list.csv").write_text(f"Имя;Выборка;Дефект\n{rows}", encoding="utf-8")
    hint = convert_json("list.csv", "out", cwd=tmp_path)["error"]["hint"]
    options = shlex.split(hint.partition("as in ")[2].partition(" (")[0])
    assert options == [
        "--columns", "image_uri=Имя,label=Дефект,split=Выборка", *["--split-map", mapped] * bool(mapped)
    ]  # fmt: skip
    done = convert_json("list.csv", "out", *options, cwd=tmp_path)
    assert {split: each["records"] for split, each in done["splits"].items()} == {
        "train": 8, "validation": 2, "test": 2,
    }  # fmt: skip


@pytest.mark.parametrize(
    "word", ["excluded", "none", "n/a", "-", "?", "unlabeled", "Not used", "ignore", "dropped"]
)
@pytest.mark.parametrize("column", ["split", "set"])
def test_rows_of_no_split_are_not_taken_for_those_of_the_split_that_is_left(
    column: str, word: str, tmp_path: Path
) -> None:
    photos(tmp_path, *(f"{i}.png" for i in range(12)))
    told = ["train", "test", word]
    rows = "".join(f"{i}.png,{'ab'[i % 2]},{told[i % 3]}\n" for i in range(12))
    (tmp_path / "list.csv").write_text(f"image,label,{column}\n{rows}", encoding="utf-8")
    done = convert_json("list.csv", "out", "--dry-run", cwd=tmp_path)
    assert (done["records"], done["reasons"]) == (8, {"unknown_split": 4})
    assert propose_split_map(column, [*told[:2], "gamma"]) == "--split-map gamma=validation"


def test_where_words_of_most_rows_are_no_splits_the_option_for_them_is_named(tmp_path: Path) -> None:
    photos(tmp_path, *(f"{i}.png" for i in range(4)))
    rows = "".join(f"{i}.png,a,{word}\n" for i, word in enumerate(["model", "model", "tuning", "test"]))
    (tmp_path / "list.csv").write_text(f"image,label,subset\n{rows}", encoding="utf-8")
    refused = convert_json("list.csv", "out", cwd=tmp_path)["error"]["message"]
    assert "only 1 of 4 rows can be used, less than half; --split-map WORD=train" in refused
    option = ["--split-map", "model=train,tuning=validation"]
    assert convert_json("list.csv", "out", *option, "--unlabelled", "keep", cwd=tmp_path)["exit_code"] == 0


def test_words_of_later_rows_are_named_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample, "MOST_ROWS", 3)
    rows = "".join(f"{i}.png,a,{word}\n" for i, word in enumerate(["gallery"] * 3 + ["model"]))
    (tmp_path / "list.csv").write_text(f"image,label,subset\n{rows}", encoding="utf-8")
    assert "says gallery, model, which" in tfrec("convert", "list.csv", "out", cwd=tmp_path).err


def test_restval_of_karpathy_is_train_by_the_option_proposed(tmp_path: Path) -> None:
    words = ["train", "restval", "restval", "val", "test"]
    text = "image,label,split\n" + "".join(f"{i}.png,{'ab'[i % 2]},{word}\n" for i, word in enumerate(words))
    photos(tmp_path, *(f"{i}.png" for i in range(5)))
    (tmp_path / "list.csv").write_text(text, encoding="utf-8")
    refused = convert_json("list.csv", "out", cwd=tmp_path)["error"]
    assert refused["message"] == "list.csv: column split says restval, which is no split"
    option = refused["hint"].partition("are: ")[2].partition(";")[0]
    done = convert_json("list.csv", "out", *option.split(), cwd=tmp_path)
    assert {split: each["records"] for split, each in done["splits"].items()} == {
        "train": 3, "validation": 1, "test": 1
    }  # fmt: skip
    assert suggest_split("RestVal") == ": --split-map RestVal=train takes it for train"
    assert "--split-map" not in suggest_split("rest")  # of another set, which may be of any split


def test_a_column_of_one_split_may_be_it_where_more_rows_follow() -> None:
    assert split_option("usage", ["train"] * 3, is_whole=False) == "--columns split=usage"
    assert split_option("usage", ["train"] * 3) == ""
    assert split_option("usage", ["test", "val"]) == ""
    groups = ["Lernstichprobe", "Kontrollstichprobe"]
    assert split_option("Gruppe", groups).endswith("Kontrollstichprobe=test,Lernstichprobe=train")
    assert split_option("Rasse", groups) == ""
    assert split_option("group", ["treatment", "control"]) == ""
    assert (
        split_option("group", ["control", "trained"]) == split_option("group", ["control", "entrance"]) == ""
    )
    assert split_option("sample", ["model", "model"]) == ""
    assert split_option("usage", ["train", "other"], is_whole=False) == ""
    of_flags = "--columns split=is_valid --split-map False=train"
    assert split_option("is_valid", ["False"] * 3) == of_flags
    sorted_ = split_option("is_valid", ["False"] * 3, is_whole=False)
    assert sorted_ == "--columns split=is_valid --split-map True=validation,False=train"


# Words of a column of splits, what parts two that stand for one, and the rows of each split then.
OF_ONE = {
    "test": (["train"] * 4 + ["dev", "dev", "eval"], "eval=test", {"train": 4, "validation": 2, "test": 1}),
    "no train": (["dev"] * 4 + ["eval"] * 2, "dev=train", {"train": 4, "validation": 2}),
    "two tests": (["train"] * 3 + ["test", "Holdout"], "Holdout=validation", None),
    "none left": (["train", "dev", "val", "test"], "val=discard", None),
    "spellings": (["train", "val", "Validation", "valid", "test", "testing"], "", None),
}


@pytest.mark.parametrize(("words", "pairs", "counts"), OF_ONE.values(), ids=OF_ONE)
def test_two_words_for_one_split_are_told_with_what_parts_them(
    words: list[str], pairs: str, counts: dict[str, int] | None, tmp_path: Path
) -> None:
    for number in range(len(words)):
        (tmp_path / f"{number}.jpg").write_bytes(jpeg(number))
    rows = "".join(f"{number}.jpg,a,{word}\n" for number, word in enumerate(words))
    (tmp_path / "list.csv").write_text(f"image,label,split\n{rows}", encoding="utf-8")
    told = tfrec("convert", "list.csv", "out", "--dry-run", cwd=tmp_path).err
    found = re.findall("where they are two, --split-map ([^ ]+) tells them apart", told)
    assert found == [pairs][: bool(pairs)]
    if counts:
        done = convert_json("list.csv", "out", "--split-map", pairs, cwd=tmp_path)
        assert counts.items() <= {name: each["records"] for name, each in done["splits"].items()}.items()
        assert not any("taken for one split" in each for each in done["warnings"])


def test_two_folders_for_one_split_are_told_with_what_parts_them(tmp_path: Path) -> None:
    for split, count in {"train": 3, "dev": 2, "eval": 1}.items():
        for label in "ab":
            (tmp_path / "my set" / split / label).mkdir(parents=True)
            for number in range(count):
                (tmp_path / "my set" / split / label / f"{split}{number}.jpg").write_bytes(jpeg(number))
    told = tfrec("convert", "my set", "out", "--dry-run", cwd=tmp_path).err
    (given,) = re.findall("where they are two, tfrec convert (.*) OUTPUT_DIR takes them", told)
    done = convert_json(*shlex.split(given), "out", cwd=tmp_path)["splits"]
    assert {name: each["records"] for name, each in done.items()} == {"train": 6, "validation": 4, "test": 2}
    (tmp_path / "my set" / "eval").rename(tmp_path / "my set" / "test")
    assert "taken for one split" not in tfrec("convert", "my set", "out2", "--dry-run", cwd=tmp_path).err


_HELD_OUT = ["0", "0", "1"]


@pytest.mark.parametrize(
    ("columns", "split_map"),
    [
        ({"is_valid": _HELD_OUT}, "0=train,1=validation"),
        ({"breed": ["ab", "cd", "ab"], "inTest": ["no", "yes", "no"]}, "no=train,yes=test"),
        ({"is_training_image": ["1", "0", "1"]}, "0=validation,1=train"),
        ({"is_test": ["f", "f", "t"]}, "f=train,t=test"),  # as PostgreSQL writes them
        ({"is_train": ["1", "0", "1"], "is_car": _HELD_OUT}, ""),
        ({"is_test": _HELD_OUT, "is_blurred": _HELD_OUT}, "0=train,1=test"),
        ({"is_valid": ["1", "0", "1"]}, ""),
        ({"is_valid": ["0", "0", "0"]}, ""),
        ({"is_valid": ["0", "1"]}, ""),
        ({"valid": _HELD_OUT}, ""),
        ({"test": _HELD_OUT}, ""),
        ({"is_val": _HELD_OUT, "is_test": ["0", "1", "0"]}, ""),
        ({"is_test": _HELD_OUT, "fold": ["1", "2", "3"]}, ""),
        ({"is_cat": _HELD_OUT}, ""),
    ],
)
def test_a_flag_of_splits_is_taken_where_it_is_certain(columns: dict[str, list[str]], split_map: str) -> None:
    _, found = certain_flag(columns, 3, is_whole=True)
    assert found.removeprefix("--split-map ") == split_map


def test_a_flag_that_says_no_in_the_first_rows_is_taken_where_more_follow() -> None:
    found = certain_flag({"is_valid": ["False"] * 3}, 3, is_whole=False)
    assert found == ("is_valid", "--split-map True=validation,False=train")
    assert certain_flag({"is_valid": ["True"] * 3}, 3, is_whole=False) == ("", "")


@pytest.mark.parametrize("options", ["", "--split-seed 3", "--columns split=", "--split-by house"])
def test_a_flag_is_named_with_the_label_but_where_options_settle_splits(options: str, tmp_path: Path) -> None:
    rows = (f"{i}.jpg,{['cat', 'dog'][i % 2]},{i // 2},{i % 4 == 0}\n" for i in range(12))
    (tmp_path / "list.csv").write_text("photo,breed_1,house,is_valid\n" + "".join(rows))
    error = convert_json("list.csv", "out", *options.split(), cwd=tmp_path).get("error") or {}
    assert ("split=is_valid --split-map True=validation,False=train" in error.get("hint", "")) == (
        not options
    )


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("{split}_{i}.jpg {label}", "begin with words of splits (test, train)"),
        ('"{split}_{i}.jpg",{label}', "begin with words of splits (test, train)"),
        ("{split}_{i}.jpg\t{label}", "begin with words of splits (test, train)"),
        ("in/{split}/{i}.jpg {label}", "folders called like splits (test, train)"),
        ("image,label\n{split}-{i}.jpg,{label}", "begin with words of splits (test, train)"),
    ],
)
def test_splits_in_names_are_told_with_a_command_that_writes_them(
    form: str, said: str, tmp_path: Path
) -> None:
    head, _, form = form.rpartition("\n")
    lines = [
        form.format(split=s, i=i, label=f"l{i % 2}") for s, n in (("train", 8), ("test", 4)) for i in range(n)
    ]
    (tmp_path / "list.csv").write_text("\n".join([*filter(None, [head]), *lines]) + "\n", encoding="utf-8")
    told = convert_json("list.csv", "out", "--dry-run", cwd=tmp_path)
    [warning] = [each for each in told["warnings"] if said in each]
    command, _, options = warning.partition("into a column: ")[2].partition(", and convert that with ")
    assert shell(command, tmp_path).code == 0
    told = convert_json("list-with-splits.csv", "out", "--dry-run", *shlex.split(options), cwd=tmp_path)
    assert {split: told["splits"][split]["rows"] for split in ("train", "test")} == {"train": 8, "test": 4}
    assert told["rows"] == 12


@pytest.mark.parametrize("form", ["in/{folder}/{i}.jpg\t{label}", "image,label\nin/{folder}/{i}.jpg,{label}"])
def test_one_folder_of_another_name_does_not_hide_those_of_splits(form: str, tmp_path: Path) -> None:
    head, _, form = form.rpartition("\n")
    folders = ["train"] * 8 + ["test"] * 4 + ["other"] * 3
    lines = [form.format(folder=folder, i=i, label=f"l{i % 2}") for i, folder in enumerate(folders)]
    (tmp_path / "list.csv").write_text("\n".join([*filter(None, [head]), *lines]) + "\n", encoding="utf-8")
    told = convert_json("list.csv", "out", "--dry-run", cwd=tmp_path)
    [warning] = [each for each in told["warnings"] if "folders called like splits (test, train)" in each]
    command, _, rest = warning.partition("into a column: ")[2].partition("; images of other ")
    assert rest.startswith("folders get none by that and are assigned")
    assert shell(command, tmp_path).code == 0
    rows = (tmp_path / "list-with-splits.csv").read_text(encoding="utf-8").splitlines()[len(head) > 0 :]
    fields = [row.split("\t" if "\t" in row else ",") for row in rows]
    assert [*map(len, fields)] == [3] * len(folders)
    splits = [row[2 if head else 0] for row in fields]
    assert splits == ["train"] * 8 + ["test"] * 4 + [""] * 3


def test_names_of_which_some_begin_with_no_split_are_not_told_of(tmp_path: Path) -> None:
    lines = "train_0.jpg,a\ntest_1.jpg,b\ntests_2.jpg,a\n"
    (tmp_path / "list.csv").write_text(f"image,label\n{lines}", encoding="utf-8")
    told = convert_json("list.csv", "out", "--dry-run", cwd=tmp_path)
    assert told["rows"] == 3
    assert not any("words of splits" in each for each in told["warnings"])


def test_splits_that_some_rows_name_hide_those_of_their_folders_though_others_are_repeated(
    tmp_path: Path,
) -> None:
    lines = "train/0.jpg,a,\n" * 5 + "test/1.jpg,b,\n" * 5 + "train/2.jpg,a,train\ntest/3.jpg,b,val\n"
    (tmp_path / "list.csv").write_text(f"image,label,split\n{lines}", encoding="utf-8")
    told = convert_json("list.csv", "out", "--dry-run", cwd=tmp_path)
    assert told["rows"] == 12
    assert not any("folders called like splits" in each for each in told["warnings"])


def flags_list(splits: list[str], columns: dict[str, str], folder: Path) -> None:
    """A list of images of these splits with a column of 0 and 1 for each of some."""
    lines = [
        f"{i}.jpg,l{i % 2},{','.join(str(int(split == each)) for each in columns.values())}"
        for i, split in enumerate(splits)
    ]
    (folder / "list.csv").write_text("\n".join([f"image,label,{','.join(columns)}", *lines]) + "\n", "utf-8")


@pytest.mark.parametrize(
    "columns",
    [
        {"is_train": "train", "is_val": "validation", "is_test": "test"},
        {"val": "validation", "test": "test"},
        {"is_validation": "validation", "is_final_validation": "test"},
        {"is_valid": "validation", "is_holdout": "test"},
        {"in_validation": "validation", "inTestSet": "test"},
        {"is_held_out": "test", "used_for_training": "train", "val_set": "validation"},
    ],
)
def test_flags_of_several_splits_are_told_of_with_a_command_that_writes_one_column(
    columns: dict[str, str], tmp_path: Path
) -> None:
    flags_list(["train"] * 4 + ["validation"] * 3 + ["test"] * 2, columns, tmp_path)
    told = convert_json("list.csv", "out", "--dry-run", cwd=tmp_path)
    [warning] = [each for each in told["warnings"] if f"tell splits together ({', '.join(columns)})" in each]
    assert "--split-map" not in " ".join(told["warnings"])
    command = warning.partition("into one column called split: ")[2]
    refused = tfrec("convert", "list.csv", "out", "--columns", f"split={next(iter(columns))}", cwd=tmp_path)
    assert refused.code == 2
    assert "tells one split, beside" in refused.err
    assert "--split-map" not in refused.err
    assert shell(command, tmp_path).code == 0
    told = convert_json("list-with-splits.csv", "out", "--dry-run", cwd=tmp_path)
    assert {split: each["rows"] for split, each in told["splits"].items()} == {
        "train": 4,
        "validation": 3,
        "test": 2,
    }


# Columns beside image and label, their fields of nine rows, and the rows of train, validation and test that
# the command proposed makes.
BESIDE = {
    "flag": (["is_val", "is_test"], ["00", "10", "01"] * 3, ["split=is_val", "0=train,1=val"], (3, 3, 3)),
    "fold": (["fold", "is_test"], ["00", "10", "20"] * 2 + ["01", "11", "21"], [], (4, 2, 3)),
    "fold of none": (["is_holdout", "k_fold"], ["00", "01", "02"] * 2 + ["1."] * 3, [], (4, 2, 3)),
    "fold named": (["fold", "is_test"], ["00", "10", "20"] * 2 + ["01"] * 3, ["split=fold"], (4, 2, 3)),
    "letters": (["split", "in_test"], ["tn", "tn", "vn"] * 2 + ["ty"] * 3, [], (4, 2, 3)),
    "split": (["split", "in_test"], ["t0", "t0", "v0"] * 2 + ["t1"] * 3, [], (4, 2, 3)),
    "named": (["stage", "held_out"], ["t0", "t0", "v0"] * 2 + ["t1"] * 3, ["split=stage"], (4, 2, 3)),
    "assigned": (["split", "is_test"], ["t0", "v0", "v0"] * 2 + [".1"] * 3, [], (2, 4, 3)),
}  # fmt: skip


def beside_list(columns: list[str], rows: list[str], folder: Path) -> None:
    """A list of a row for each word, whose letters are fields: `t`, `v`, `s` of splits, `.` a blank one."""
    words = {"t": "train", "v": "val", "s": "test", ".": ""}
    lines = [
        f"{i}.jpg,l{i % 2},{','.join(words.get(letter, letter) for letter in row)}"
        for i, row in enumerate(rows)
    ]
    (folder / "list.csv").write_text("\n".join([f"image,label,{','.join(columns)}", *lines]) + "\n", "utf-8")


@pytest.mark.parametrize("case", BESIDE)
def test_a_column_that_holds_rows_out_beside_that_of_splits_is_told_with_the_command_for_both(
    case: str, tmp_path: Path
) -> None:
    columns, rows, given, counts = BESIDE[case]
    beside_list(columns, rows, tmp_path)
    names = ("--columns", "--split-map")
    options = [word for pair in zip(names, given, strict=False) for word in pair]
    told = tfrec("convert", "list.csv", "out", "--dry-run", *options, cwd=tmp_path).err
    assert "--columns split=is_test" not in told
    command = told.partition("into one column called split: ")[2].partition("\n")[0]
    assert shell(command, tmp_path).code == 0, told
    done = convert_json("list-with-splits.csv", "out", "--dry-run", cwd=tmp_path)
    assert tuple(done["splits"][split]["rows"] for split in ("train", "validation", "test")) == counts
    assert not any("not used" in each for each in done["warnings"])


def test_a_column_of_words_that_holds_rows_out_is_told_beside_that_of_splits(tmp_path: Path) -> None:
    beside_list(["split", "usage"], ["tt", "vt", "ts"] * 3, tmp_path)
    told = tfrec("convert", "list.csv", "out", "--dry-run", cwd=tmp_path).err
    assert "column usage, which is not used, says test of rows that are not by split: " in told
    assert "--columns split=usage takes that column instead" in told


@pytest.mark.parametrize(
    ("columns", "rows"),
    [
        ("split is_test", ["t0", "v0", "s1"]),
        ("split is_test", ["t0", "v0", "s1", "t1", "t0"]),  # taken at its word
        ("split is_valid", ["t1", "t1", "s1", "s0"]),  # sound, as it seems
        ("split fold", ["t0", "t1", "v2"]),
        ("split train", ["t0", "t0", "v1"]),  # a vehicle
        ("split usage", ["tt", "tt", "vv"]),
        ("split usage", ["t0", "t0", "v1"]),
        ("split tested", ["t0", "t1", "v0"]),
        ("invalid tested", ["00", "10", "01"]),
        ("in_trainer is_final", ["00", "10", "01"]),
        ("is_contest contested", ["00", "10", "01"]),
        ("final_test_score fold_of_skin", ["00", "10", "01"]),
    ],
)
def test_columns_beside_that_of_splits_that_hold_no_rows_out_are_not_told_of(
    columns: str, rows: list[str], tmp_path: Path
) -> None:
    beside_list(columns.split(), rows, tmp_path)
    done = convert_json("list.csv", "out", "--dry-run", cwd=tmp_path)
    assert done["rows"] == len(rows)
    assert not any("not used" in each for each in done["warnings"])


def test_no_command_is_proposed_for_flags_that_leave_the_split_of_rows_open(tmp_path: Path) -> None:
    flags_list(["train", "train", "validation", "test"], {"is_train": "train", "is_test": "test"}, tmp_path)
    told = convert_json("list.csv", "out", "--dry-run", cwd=tmp_path)
    [warning] = [each for each in told["warnings"] if "tell splits together" in each]
    assert warning.endswith("write them into one column called split")


def test_flags_of_splits_in_json_lines_are_told_of_together(tmp_path: Path) -> None:
    rows = [{"image": f"{i}.jpg", "label": "ab"[i % 2], "is_val": i % 2, "is_test": i < 2} for i in range(6)]
    (tmp_path / "list.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    told = convert_json("list.jsonl", "out", "--dry-run", cwd=tmp_path)
    assert any("keys that are not used tell splits together (is_test, is_val)" in each or
               "keys that are not used tell splits together (is_val, is_test)" in each
               for each in told["warnings"])  # fmt: skip


def test_a_flag_called_by_a_split_alone_may_be_it() -> None:
    assert split_option("test", ["0", "1", "0"]) == "--columns split=test --split-map 0=train,1=test"
    assert split_option("val", ["False", "True"]).endswith("--split-map True=validation,False=train")
    assert split_option("val", ["3", "4", "5"]) == ""
    assert split_option("Train/Val/Test", ["1", "2", "3"]).endswith("1=train,2=validation,3=test")
    assert split_option("test_train_val", ["0", "2"]).endswith("0=test,1=train,2=validation")
    assert split_option("Train/Val/Test", ["1", "2"]) == ""
    assert split_option("Train/Val/Test", ["1", "2", "3", "4"]) == ""
    assert split_option("Train/Test", ["1", "2"]) == ""
    assert split_option("test", ["0.25", "0.5"]) == ""
    assert split_option("crack", ["0", "1"]) == ""


@pytest.mark.parametrize(
    ("usage", "proposed"),
    [
        ("Casual Sports", "label=kind"),
        ("Casual", "label=kind"),
        ("Training PublicTest", "label=kind,split=usage --split-map"),
        ("train", "label=kind,split=usage"),
        ("0 1", "label=kind,split=usage --split-map"),
    ],
)
def test_a_column_called_usage_is_proposed_for_splits_by_its_words(usage: str, proposed: str) -> None:
    words = usage.split()
    table = [[f"{i}.jpg", f"c{i % 3}", words[i % len(words)]] for i in range(9)]
    first, *_ = propose_columns(["pic", "kind", "usage"], table, [])
    assert f"{first.options} ".startswith(f"--columns image_uri=pic,{proposed} ")


def test_flags_of_splits_are_proposed_for_no_labels() -> None:
    table = [[f"{i}.jpg", f"c{i % 3}", str(i % 2), str(1 - i % 2)] for i in range(9)]
    (found,) = propose_columns(["pic", "kind", "is_train", "is_val"], table, [])
    assert found.options == "--columns image_uri=pic,label=kind"


def list_of(splits: str, labels: str, folder: Path, delimiter: str = ",") -> None:
    """A list of a row for each letter: `t`, `v`, `s` for splits, any for labels, `.` for a blank field."""
    words = {"t": "train", "v": "val", "s": "test", ".": ""}
    lines = [
        f"{words[split]};{i}.jpg;{'' if label == '.' else label}"
        for i, (split, label) in enumerate(zip(splits, labels, strict=True))
    ]
    text = "\n".join(["Split;Image;Label", *lines]) + "\n"
    (folder / "list.csv").write_text(text.replace(";", delimiter), encoding="utf-8")


@pytest.mark.parametrize("delimiter", [",", ";"])
@pytest.mark.parametrize("splits", ["t...v..s", "t..s.v..", "s..t...."])
def test_splits_of_merged_cells_are_refused_with_the_command_that_fills_them_in(
    splits: str, delimiter: str, tmp_path: Path
) -> None:
    list_of(splits, ("ab" * 9)[: len(splits)], tmp_path, delimiter)
    refused = tfrec("convert", "list.csv", "out", cwd=tmp_path)
    assert refused.code == 2
    assert "as merged cells do" in refused.err
    assert not (tmp_path / "out").exists()
    as_map = "--split-map " + re.findall("--split-map ([^ ]+)", refused.err)[0]
    told = convert_json("list.csv", "out", "--dry-run", *as_map.split(), cwd=tmp_path)
    assert told["rows"] == told["records"] == len(splits)
    filled(refused.err, tmp_path)
    told = convert_json("list-as-csv.csv", "out", "--dry-run", cwd=tmp_path)
    whole = re.sub(r"([tvs])(\.+)", lambda match: match[1] * len(match[0]), splits)
    counts = {split: each["rows"] for split, each in told["splits"].items()}
    assert counts.get("train", 0) == whole.count("t")
    assert counts.get("test", 0) == whole.count("s")


@pytest.mark.parametrize(
    "splits",
    [
        ".t..v..s",
        "t..t.v..s",
        "tt..v...",
        "t.......",
        "t.v",
        "t.v.v.t.",
        "t.v.t.v.t.v.",
        "s....v......",
    ],
)
def test_other_blank_splits_are_assigned(splits: str, tmp_path: Path) -> None:
    list_of(splits, ("ab" * 9)[: len(splits)], tmp_path)
    told = convert_json("list.csv", "out", "--dry-run", cwd=tmp_path)
    assert told["records"] == len(splits)


def test_blank_splits_are_assigned_as_is_said_below_single_ones_too(tmp_path: Path) -> None:
    list_of("t...v..s", "abababab", tmp_path)
    told = convert_json("list.csv", "out", "--dry-run", "--stratify", cwd=tmp_path)
    assert told["records"] == 8


def test_labels_of_merged_cells_are_told_of_with_the_command_that_fills_them_in(tmp_path: Path) -> None:
    list_of("tttvtttv", "à...Å...", tmp_path)
    told = convert_json("list.csv", "out", "--dry-run", cwd=tmp_path)
    [warning] = [each for each in told["warnings"] if "merged cells" in each]
    assert told["rejected"] == 6
    filled(warning, tmp_path)
    told = convert_json("list-as-csv.csv", "out", "--dry-run", cwd=tmp_path)
    assert told["records"] == 8
    assert not any("merged cells" in each for each in told["warnings"])
    made = (tmp_path / "list-as-csv.csv").read_text(encoding="utf-8")
    assert (made.count(",à\n"), made.count(",Å\n")) == (4, 4)
    list_of("tttvtttv", "a..ab...", tmp_path)
    told = convert_json("list.csv", "out", "--dry-run", cwd=tmp_path)
    assert not any("merged cells" in each for each in told["warnings"])


PUBLISHED = "--split-map PrivateTest=test,PublicTest=validation"  # as Kaggle has FER2013


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("apprentissage validation test", "--columns split=Jeu"),
        ("Training Validierung Test", "--columns split=Jeu"),
        ("entrenamiento validación prueba", "--columns split=Jeu"),
        ("Training PublicTest PrivateTest", f"--columns split=Jeu {PUBLISHED}"),
        ("opleiding validation test", "--columns split=Jeu --split-map opleiding=train"),
        ("essai validation", ""),
        ("blue green test", ""),
        ("train val 0", "--columns split=Jeu --split-map 0=discard"),
        ("train val excluded", "--columns split=Jeu --split-map excluded=discard"),
        ("train test n/a", "--columns split=Jeu --split-map n/a=discard"),
        ("train val blue", ""),
        ("val bob bob test", ""),
    ],
)
def test_words_of_splits_in_other_languages_are_pointed_out(words: str, told: str, tmp_path: Path) -> None:
    first, *others = words.split()
    in_turn = [first] * len(others) + others
    rows = "".join(f"{i}.jpg,{'ab'[i % 2]},{in_turn[i % len(in_turn)]}\n" for i in range(24))
    (tmp_path / "list.csv").write_text(f"image,label,Jeu\n{rows}")
    done = convert_json("list.csv", "out", "--dry-run", cwd=tmp_path)
    if told == "--columns split=Jeu" or PUBLISHED in told:  # all words are certain
        assert done["error"]["hint"].startswith(f"{told} reads it; --columns split= assigns images")
        done = convert_json("list.csv", "out", "--dry-run", "--columns", "split=", cwd=tmp_path)
        assert (done["records"], any("may be the split" in each for each in done["warnings"])) == (24, False)
    else:
        begin = "a column that is not used may be the split: "
        found = [each.removeprefix(begin) for each in done["warnings"] if each.startswith(begin)]
        assert found == [told] * bool(told)
    if told:
        done = convert_json("list.csv", "out", "--dry-run", *told.split(), cwd=tmp_path)
        assert (done["records"], done["splits"]["train"]["records"]) == (24 - done["discarded"], 12)
        assert done["discarded"] == 6 * ("discard" in told)


def test_words_of_splits_are_pointed_out_before_folds(tmp_path: Path) -> None:
    rows = "".join(f"{i}.jpg,{'ab'[i % 2]},{i % 5},{'train' if i % 3 else 'test'}\n" for i in range(24))
    (tmp_path / "list.csv").write_text(f"image,label,fold,partition\n{rows}")
    told = convert_json("list.csv", "out", "--dry-run", cwd=tmp_path)["error"]
    assert (
        told["message"] == "list.csv: column partition holds words of splits (test, train), and is not read"
    )
    assert told["hint"].startswith("--columns split=partition reads it; ")
    dealt = convert_json("list.csv", "out", "--dry-run", "--split-seed", "1", cwd=tmp_path)
    assert "a column that is not used may be the split: --columns split=partition" in dealt["warnings"]


@pytest.mark.parametrize(
    ("first", "later", "words"),
    [
        (["train", ""], ["train", "test"], ["test", "train"]),
        (["train"], ["train"], []),
        (["train"], ["tram", "val"], []),
        (["val", "test"], ["train"], []),
        (["train", "test", "0"], [], []),
        (["Training", "PublicTest"], ["other"], ["PublicTest", "Training"]),
    ],
)
def test_words_of_splits_are_certain_beside_those_of_train_alone(
    first: list[str], later: list[str], words: list[str]
) -> None:
    assert words_of_splits(first, later) == words


IN_SPANISH = {"entrenamiento": "train", "Validación": "validation", "prueba": "test"}
IN_GERMAN = {"Trainingsbilder": "train", "Validierungsbilder": "validation", "Testbilder": "test"}
OF_TWO_WORDS = {"Training 2022": "train", "Testbilder_2022": "test"}


@pytest.mark.parametrize(
    ("header", "rest"),
    [
        ("split,image,label", "cat"),
        ("set,image,label", "['cat', 'dog']"),
        ("subset,image,label,xmin,ymin,xmax,ymax", "cat,1,2,30,40"),
    ],
)
def test_words_of_other_languages_are_splits_below_a_header(header: str, rest: str, tmp_path: Path) -> None:
    rest = f'"{rest}"' if "[" in rest else rest
    rows = [f"{word},{i}.png,{rest}" for i, word in enumerate(IN_SPANISH)]
    photos(tmp_path, "0.png", "1.png", "2.png")
    (tmp_path / "list.csv").write_text("\n".join([header, *rows]), encoding="utf-8")
    done = convert_json("list.csv", "out", cwd=tmp_path)
    assert {split: each["records"] for split, each in done["splits"].items()} == dict.fromkeys(
        IN_SPANISH.values(), 1
    )
    assert done["rejected"] == 0


def test_a_word_of_another_language_beside_others_is_no_split(tmp_path: Path) -> None:
    photos(tmp_path, "0.png", "1.png", "2.png")
    (tmp_path / "list.csv").write_text("image,label,set\n0.png,a,prova\n1.png,b,dolce\n2.png,b,amaro\n")
    told = convert_json("list.csv", "out", cwd=tmp_path)["error"]
    assert told["message"].endswith("column set says amaro, dolce, which are no splits")
    assert "--split-map amaro=train; --split-map WORD=discard leaves rows out; where that" in told["hint"]
    assert told["hint"].endswith(" tells no splits: --columns split=")


@pytest.mark.parametrize("names", ["apprentissage validation test", "train val prueba"])
def test_folders_of_splits_in_two_languages_get_the_command_of_all(names: str, tmp_path: Path) -> None:
    photos(tmp_path, *(f"in/{name}/{label}/{name}.png" for name in names.split() for label in "ab"))
    told = convert_json("in", "out", cwd=tmp_path)["error"]["hint"]
    command = told.partition("where these are splits, too: ")[2].partition(" OUTPUT_DIR")[0]
    done = convert_json(*shlex.split(command)[2:], "out", cwd=tmp_path)
    assert {split: each["records"] for split, each in done["splits"].items()} == dict.fromkeys(
        IN_SPANISH.values(), 2
    )


@pytest.mark.parametrize("place", ["folders", "paths", "first fields", "labels"])
def test_words_of_other_languages_are_classes_elsewhere(place: str, tmp_path: Path) -> None:
    """A training and a match are what photos of football show."""
    words = ["entrenamiento", "partido", "prueba"]
    paths = [f"{word}/{i}.png" for word in words for i in range(2)]
    photos(tmp_path / "in", *paths)
    row = {"first fields": "{1},{0}\n", "labels": "{0},{1}\n"}.get(place, "{0},cat\n")
    text = "".join(row.format(path, path.partition("/")[0]) for path in paths)
    header = "" if place == "first fields" else "image,label\n"
    (tmp_path / "list.csv").write_text(f"{header}{text}")
    is_list = place != "folders"
    options = ["--dry-run", "--splits", "train=1", *["--image-root", "in"] * is_list]
    done = convert_json("list.csv" if is_list else "in", "out", *options, cwd=tmp_path)
    if place == "first fields":  # the names of columns are asked for
        assert "no header" in done["error"]["message"]
        assert "entrenamiento, partido, prueba" in done["error"]["message"]
        return
    assert done["records"] == len(paths)
    assert not [each for each in done["warnings"] if "split" in each]


KEPT = ["--unlabelled", "keep"]


@pytest.mark.parametrize(
    ("names", "below", "given", "options"),
    [
        (IN_SPANISH, "a/", [], []),
        (IN_SPANISH, "", [], KEPT),
        (IN_SPANISH, "a/", ["--label-folder", "first"], []),
        (IN_GERMAN, "a/", [], []),
        (IN_GERMAN, "", [], KEPT),
        (IN_GERMAN, "", ["--label-folder", "last"], KEPT),
        (IN_GERMAN, "a/", ["--label-folder", "first"], []),
        (
            IN_GERMAN,
            "a/",
            ["--split-map", "Trainingsbilder=train,Validierungsbilder=val,Testbilder=test"],
            [],
        ),
        (IN_GERMAN, "a/", ["--split-map", "Testbilder=test"], []),
        ({"train": "train", "val": "test"}, "a/", ["--split-map", "val=test"], []),
        ({"train": "train", "val": "test"}, "", ["--split-map", "val=test"], KEPT),
        ({"train": "train", "blind": "test"}, "", [*KEPT, "--split-map", "blind=test"], KEPT),
        (
            {"train": "train", "evalset": "test", "tuning": "validation"},
            "a/",
            ["--split-map", "evalset=test,tuning=val"],
            [],
        ),
        (OF_TWO_WORDS, "a/", [], []),
        ({"trainset": "train", "testdata": "test"}, "", [], KEPT),
        ({"trainA": "train", "testA": "test"}, "", [], KEPT),
        ({"Treino": "train", "Teste": "test"}, "a/", [], []),
        ({"Trainingsbilder": "train", "test": "test"}, "a/", [], []),
        ({"train_set": "train", "test_set": "test"}, "a/", [], []),
        ({"train_set": "train", "test_set": "test"}, "images/", [], KEPT),
        ({"train_set": "train", "test_set": "test"}, "", [], KEPT),
    ],
)
def test_folders_that_all_are_called_like_splits_get_the_command(
    names: dict[str, str], below: str, given: list[str], options: list[str], tmp_path: Path
) -> None:
    inner = [below] if below != "a/" else ["a/", "b/"]
    photos(tmp_path, *(f"in/{word}/{each}{word}.png" for word in names for each in inner))
    told = convert_json("in", "out", *given, cwd=tmp_path)["error"]["hint"]
    assert "--label-folder first takes" not in told or not given
    command = told[told.index("tfrec convert ") :].partition(" OUTPUT_DIR")
    assert " ".join(options) in command[2]
    done = convert_json(*shlex.split(command[0])[2:], "out", *options, cwd=tmp_path)
    assert {split for split, each in done["splits"].items() if each["records"]} == {*names.values()}


@pytest.mark.parametrize(
    ("names", "below", "given", "told"),
    [
        ("train val", "a/", "train=train,val=validation", ""),
        ("apple pear", "", "apple=test", "a label, and no split: without --split-map they are assigned"),
        (
            "train tuning junk",
            "a/",
            "junk=discard,tuning=val",
            "train=in/train validation=in/tuning O",
        ),
        (
            "train a b",
            "a/",
            "a=val",
            "say those of the others, too: tfrec convert validation=in/a SPLIT=in/b t",
        ),
    ],
)
def test_split_map_of_folders_loses_none(
    names: str, below: str, given: str, told: str, tmp_path: Path
) -> None:
    photos(tmp_path, *(f"in/{name}/{below}{name}.png" for name in names.split()))
    done = tfrec("convert", "in", "out", "--dry-run", "--split-map", given, cwd=tmp_path)
    assert (done.code, told in done.err) == (2 if told else 0, True)


def test_folders_called_like_splits_above_labels_are_warned_of(tmp_path: Path) -> None:
    photos(tmp_path, *(f"in/{word}/{label}/{word}.png" for word in IN_GERMAN for label in "ab"))
    told = convert_json("in", "out", "--dry-run", "--label-folder", "last", cwd=tmp_path)
    [warning] = [each for each in told["warnings"] if "called like splits" in each]
    assert "test=in/Testbilder train=in/Trainingsbilder validation=in/Validierungsbilder OUTPUT" in warning


@pytest.mark.parametrize(
    "names",
    [
        ("trains", "testudo"),
        ("trainspotting", "testpiece"),
        ("trainingshoe", "testtube", "validator"),
        ("Testing equipment", "trains"),
        ("Trainer", "Tester"),
        ("Trainingsbilder", "cats"),
        ("training_a", "training_b"),
    ],
)
def test_classes_that_begin_as_splits_do_are_classes(names: tuple[str, ...], tmp_path: Path) -> None:
    photos(tmp_path, *(f"in/{name}/a{n}/{name}.png" for name in names for n in range(2)))
    told = tfrec("convert", "in", "out", "--dry-run", "--label-folder", "first", cwd=tmp_path)
    assert (told.code, "called like splits" in told.err) == (0, False)
    photos(tmp_path, *(f"flat/{name}/{name}.png" for name in names))
    assert convert_json("flat", "out", "--dry-run", cwd=tmp_path)["num_labels"] == len(names)


def test_a_column_called_split_is_pointed_out_where_all_of_it_is_train() -> None:
    assert split_option("new_split", ["train"] * 9) == "--columns split=new_split"
    assert not split_option("first_seen", ["train"] * 9)


def test_labels_in_the_first_row_of_each_product_are_filled_in(tmp_path: Path) -> None:
    table = "Handle,image,label\nred,0.jpg,mug\nred,1.jpg,\nblue,2.jpg,bag\ntop,3.jpg,mug\ntop,4.jpg,\n"
    (tmp_path / "list.csv").write_text(table)
    told = ("convert", "list.csv", "out", "--dry-run")
    done = tfrec(*told, cwd=tmp_path).err
    assert "in the first row of each Handle only" in done
    filled(done.partition("\nwarning: convert")[0], tmp_path)
    assert convert_json("list-as-csv.csv", *told[2:], cwd=tmp_path)["records"] == 5
    (tmp_path / "list.csv").write_text(table.replace("red,1", "tan,1"))  # a product without a word
    assert "of each Handle" not in tfrec(*told, cwd=tmp_path).err


@pytest.mark.parametrize("words", ["a..b..c", "a..b.c....", "a...b..c" + "." * 1000, "a.b.c.d.e."])
def test_groups_of_merged_cells_are_refused_with_the_command_that_fills_them_in(
    words: str, tmp_path: Path
) -> None:
    """Rows below the word of a group would be assigned one by one; a few blank ones are meant so."""
    list_of("." * len(words), words, tmp_path)
    text = (tmp_path / "list.csv").read_text(encoding="utf-8")
    table = "".join(f"{line},{'xy'[i % 2] if i else 'class'}\n" for i, line in enumerate(text.splitlines()))
    (tmp_path / "list.csv").write_text(table.replace("Split,Image,Label", "Split,Image,Sample"))
    told = ("convert", "list.csv", "out", "--dry-run", "--split-by", "Sample")
    refused = tfrec(*told, cwd=tmp_path)
    assert refused.code == 2
    assert "--split-by Sample: its words (a, b, c" in refused.err
    filled(refused.err, tmp_path)
    convert_json("list-as-csv.csv", *told[2:], cwd=tmp_path)
    alone = refused.err.partition("a word of its own: make a CSV of it: ")[2].strip()
    assert shell(alone, tmp_path).code == 0
    done = convert_json("list-as-csv.csv", *told[2:], cwd=tmp_path)
    assert done["records"] == len(words)


@pytest.mark.parametrize("words", ["a.b..c.", "a.b...c", "abc" + "." * 1000, "a.b.c."])
def test_groups_above_single_blank_ones_are_told_of_with_the_command_that_fills_them_in(
    words: str, tmp_path: Path
) -> None:
    """A column of bursts, which few images belong to, looks alike."""
    list_of("." * len(words), words, tmp_path)
    told = ("convert", "list.csv", "out", "--dry-run", "--split-by", "Label", "--unlabelled", "keep")
    done = convert_json(*told[1:], cwd=tmp_path)
    assert done["records"] == len(words)
    [warning] = [
        each for each in done["warnings"] if each.startswith("--split-by Label: its words (a, b, c)")
    ]
    filled(warning, tmp_path)
    done = convert_json("list-as-csv.csv", *told[2:], cwd=tmp_path)
    assert not any("merged cells" in each for each in done["warnings"])


@pytest.mark.parametrize("key", ["patient", "patient's"])
@pytest.mark.parametrize(("meaning", "parts"), [("fill in what stands above", 2), ("a word of its own", 6)])
def test_groups_above_blank_ones_in_json_lines_are_refused_alike(
    key: str, meaning: str, parts: int, tmp_path: Path
) -> None:
    lines = [{"image": f"{i}.jpg", "label": "x", key: word} for i, word in enumerate([0, "", None] * 2)]
    lines[3][key] = "b"
    (tmp_path / "list.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    told = ("out", "--dry-run", "--split-by", key)
    refused = tfrec("convert", "list.jsonl", *told, cwd=tmp_path)
    assert refused.code == 2
    assert f"list.jsonl: --split-by {key}: its words (0, b) stand above rows without one" in refused.err
    command = refused.err.partition(meaning)[2].partition("JSON Lines of it: ")[2]
    assert shell(f"{command.partition(' > ')[0]} > made.jsonl", tmp_path).code == 0
    made = [json.loads(line)[key] for line in (tmp_path / "made.jsonl").read_text().splitlines()]
    assert len({*map(str, made)}) == parts
    assert (made[0], made[3]) == (0, "b")
    assert tfrec("convert", "made.jsonl", *told, cwd=tmp_path).code == 0


def test_errors_of_groups_name_their_list_among_several(tmp_path: Path) -> None:
    list_of("." * 6, "a..b..", tmp_path)
    (tmp_path / "more.csv").write_text("Image,Label\n8.jpg,c\n9.jpg,d\n")
    words = ("--split-by", "Label", "--unlabelled", "keep", "--dry-run")
    refused = tfrec("convert", "more.csv", "list.csv", "out", *words, cwd=tmp_path)
    assert refused.code == 2
    assert refused.err.startswith("tfrec: list.csv: --split-by Label: its words")


@pytest.mark.parametrize("blanks", [0, 2])
def test_so_many_groups_tell_without_those_behind_them(blanks: int) -> None:
    rest = iter([word for i in range(1001) for word in (str(i), *[""] * blanks)] + ["rest"])
    assert len(_blanks_below(rest)) == (1000 if blanks else 0)
    assert "rest" in rest


@pytest.mark.parametrize(
    "words", ["ab.cde.", ".a..b..c", "a..ab...", "aabb..c", "a....", "a..b.." + "a" * 1000]
)
def test_other_blank_groups_are_assigned_by_their_images(words: str, tmp_path: Path) -> None:
    list_of("." * len(words), words, tmp_path)
    convert_json("list.csv", "out", "--dry-run", "--split-by", "Label", "--unlabelled", "keep", cwd=tmp_path)


def test_merged_cells_of_more_rows_than_a_sample_are_told_of(tmp_path: Path) -> None:
    def told_of(splits: str, labels: str) -> list[str]:
        list_of(splits, labels, tmp_path)
        with suppress(InputError):
            return [*plan_from(str(tmp_path / "list.csv"), tmp_path, unlabelled="keep").plan.warnings]
        return ["refused"]

    blank = "." * 1100
    assert told_of(f"t{blank}v...s", "a" * 1106) == ["refused"]
    assert any("merged cells" in each for each in told_of("t" * 1104, f"a{blank}b.."))
    # Rows that are assigned, or have no label, below some that name theirs
    for splits, labels in ((f"t{blank}vv..", "a"), (f"t{blank}....", "a"), (f"tv{blank}s..", "b")):
        assert not any("merged" in each or each == "refused" for each in told_of(splits, labels * 1105))
    assert not any("merged cells" in each for each in told_of("t" * 1105, f"a{blank}bb.."))


@pytest.mark.parametrize(
    "words", [["a", "", "b", "", "b"], ["a", "b"], [word for i in range(1001) for word in (str(i), "")]]
)
def test_no_more_is_read_of_words_that_are_no_merged_cells(words: list[str]) -> None:
    rest = iter([*words, "rest"])
    assert not _in_turn(rest)
    assert next(rest) == "rest"


def test_rejects_whose_splits_stand_as_merged_cells_do_are_mended(tmp_path: Path) -> None:
    list_of("t.v.ttvv", "....abab", tmp_path)
    photos(tmp_path, *(f"{i}.jpg" for i in range(8)))
    done = convert_json("list.csv", "out", "--max-rejects", "4", cwd=tmp_path)
    assert done["rejected"] == 4
    command = shlex.split(done["mend_command"])
    again = tfrec(*command[1:], "--unlabelled", "keep", "--json", cwd=tmp_path)
    assert "merged cells" not in again.err + again.out


def test_trains_and_tests_may_be_classes(tmp_path: Path) -> None:
    rows = (f"in/{name}/{i}.jpg,{name}" for name in ("train", "car", "test") for i in range(4))
    (tmp_path / "list.csv").write_text("image,label\n" + "\n".join(rows) + "\n", encoding="utf-8")
    told = convert_json("list.csv", "out", "--dry-run", cwd=tmp_path)
    assert told["rows"] == 12
    assert not any("folders called like splits" in each for each in told["warnings"])


@pytest.mark.parametrize("head", ["", "image,label\n"])
def test_splits_are_written_into_a_list_of_another_encoding(head: str, tmp_path: Path) -> None:
    rows = (f"{split}/ä{i}.jpg,l{i % 2}" for split in ("train", "test") for i in range(4))
    (tmp_path / "list.csv").write_text(head + "\n".join(rows) + "\n", encoding="latin-1")
    told = convert_json("list.csv", "out", "--dry-run", "--encoding", "latin-1", cwd=tmp_path)
    (warning,) = (each for each in told["warnings"] if "folders called like splits" in each)
    command, _, then = warning.partition("into a column: ")[2].partition(", and convert that ")
    assert then == "without --encoding"
    assert shell(command, tmp_path).code == 0
    told = convert_json("list-with-splits.csv", "out", "--dry-run", cwd=tmp_path)
    assert {split: told["splits"][split]["rows"] for split in ("train", "test")} == {"train": 4, "test": 4}
