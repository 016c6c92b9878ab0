"""Label columns that hold no classes: numbers with a point, a label a row, paths."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import pytest
from converting import convert_json, image_list, jpeg, manifest, read_all, shell, tfrec, write_csv
from test_dataset_samples import plan_from, plan_of

from tfrecordcli.dataset.labels import build_label_map
from tfrecordcli.errors import InputError


def lines(labels: list[str]) -> list[str]:
    return [f"TRAIN,{number}.jpg,{label}" for number, label in enumerate(labels)]


def test_whole_floats_are_ids_in_the_order_of_numbers(tmp_path: Path) -> None:
    made = plan_of(tmp_path, lines([f"{n}.0" for n in range(12)]))
    assert made.plan.label_kind == "id"
    assert made.labels_text == "".join(f"{n}\n" for n in range(12))
    assert sorted((row.label_ids, row.label_texts) for row in made.rows("train")) == sorted(
        ((n,), (str(n),)) for n in range(12)
    )
    (note,) = made.plan.remarks
    assert note.startswith("labels that are whole floats ('0.0', '1.0' and 10 more) are taken for ids")
    assert made.plan.warnings == ()


# labels that are refused
FLOATS = [
    ["0.5", "1.25", "3.0"],
    ["0.0", "1.0", "2"],
    ["-1.0", "0.0", "1.0"],
    ["0.0", "1.0", "unknown"],
    ["1e-3", "2e-3"],
    [".5", "1."],
    ["0.5", "1", "2", "3"],
    ["9223372036854775808.0"],
    ["1.00", "2.00"],
]


@pytest.mark.parametrize("labels", FLOATS, ids=" ".join)
def test_other_floats_are_refused_with_what_settles_it(labels: list[str], tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        plan_of(tmp_path, lines(labels))
    for word in ("list.csv", "decimal point", "--label-type name", "--label-type id"):
        assert word in str(caught.value)
    named = plan_of(tmp_path, lines(labels), label_type="name")
    assert sorted(named.planned.labels.ids) == sorted(labels)
    assert plan_of(tmp_path, lines(labels), label_type="id").plan.label_kind == "id"


def test_classes_with_a_slash_are_warned_of_and_read(tmp_path: Path) -> None:
    made = plan_of(tmp_path, lines(["on", "off", "on/off", "off/on"]))
    assert sorted(made.planned.labels.ids) == ["off", "off/on", "on", "on/off"]
    said = " ".join((*made.plan.warnings, *made.plan.remarks))
    assert "label 'off/on' may be 'off' and 'on', labels as well: --label-separator / parts it" in said


@pytest.mark.parametrize(
    "labels",
    [
        ["Cardiomegaly", "Cardiomegaly|Emphysema", "No Finding"],
        ["Mass|Nodule", "Effusion|Mass", "No Finding"],
        ["crack;dent", "dent", "ok"],
    ],
    ids=" ".join,
)
def test_labels_with_a_bar_of_which_a_part_comes_again_are_several(labels: list[str], tmp_path: Path) -> None:
    separator = ";" if ";" in labels[0] else "|"
    with pytest.raises(InputError, match=rf"made of several: .*--label-separator '\{separator}' parts them"):
        plan_of(tmp_path, lines(labels))
    parted = plan_of(tmp_path, lines(labels), label_separator=separator)
    assert not any(separator in name for name in parted.planned.labels.ids)
    kept = plan_of(tmp_path, lines(labels), label_separator="none")
    assert sorted(kept.planned.labels.ids) == sorted(labels)


@pytest.mark.parametrize("between", [", ", ","])
def test_labels_with_commas_that_are_turned_round_are_several(between: str, tmp_path: Path) -> None:
    labels = [between.join(pair) for pair in (("beach", "sunset"), ("sea", "beach"), ("sunset", "sea"))]
    rows = lines([f'"{label}"' for label in [*labels, "tree"]])
    with pytest.raises(InputError, match=r"made of several: .*--label-separator , parts them"):
        plan_of(tmp_path, rows)
    parted = plan_of(tmp_path, rows, label_separator=",")
    assert sorted(parted.planned.labels.ids) == ["beach", "sea", "sunset", "tree"]


# labels, and the one that may be several; empty: none is told of
WORDS: list[tuple[list[str], str]] = [
    (["beach sunset", "sea beach", "sunset sea", "tree"], "beach sunset"),
    (["scab", "scab complex", "rust complex", "healthy"], "scab complex"),
    (["scab+rust", "rust+canker", "healthy"], "rust+canker"),
    (["polar bear", "grizzly bear", "red fox", "arctic fox"], ""),
    (["golden retriever", "border collie", "collie"], ""),
    (["tench, Tinca tinca", "goldfish, Carassius auratus", "crane"], ""),
]


@pytest.mark.parametrize(("labels", "told"), WORDS, ids=str)
def test_labels_of_words_of_others_are_warned_of(labels: list[str], told: str, tmp_path: Path) -> None:
    made = plan_of(tmp_path, lines([f'"{label}"' for label in labels]))
    assert sorted(made.planned.labels.ids) == sorted(labels)
    warnings = [each for each in made.plan.warnings if "may be" in each and "--label-separator" in each]
    assert [each.partition(" may be ")[0] for each in warnings] == [f"label {told!r}"] * bool(told)


def test_labels_of_a_hierarchy_with_bars_are_warned_of_and_read(tmp_path: Path) -> None:
    labels = ["animal|cat", "animal|dog", "plant|oak"]
    made = plan_of(tmp_path, lines(labels))
    assert sorted(made.planned.labels.ids) == labels
    told = [each for each in made.plan.warnings if "may be 2 labels" in each]
    assert told == ["label 'animal|cat' may be 2 labels: --label-separator '|' parts it"]
    inner = ["animal", *labels[:2], "plant"]
    assert sorted(plan_of(tmp_path, lines(inner)).planned.labels.ids) == inner
    alike = plan_of(tmp_path, lines(["a/b", "a/c"]))
    assert not any("may be" in each for each in alike.plan.warnings)


def test_single_words_in_braces_are_never_renamed(tmp_path: Path) -> None:
    rows = lines(["{cat}", "{dog}", "{big cat}"])
    with pytest.raises(InputError, match=r"lists in text .*--label-separator none takes each"):
        plan_of(tmp_path, rows)
    found = plan_of(tmp_path, rows, label_separator="none")
    assert sorted(found.planned.labels.ids) == ["{big cat}", "{cat}", "{dog}"]


def test_a_few_labels_among_whole_floats_are_named(tmp_path: Path) -> None:
    floats = [f"{number}.0" for number in range(12)]
    with pytest.raises(InputError) as caught:
        plan_of(tmp_path, lines([*floats, "2.5", "n/a"]))
    assert "('2.5', 'n/a')" in caught.value.message
    assert "'1.0'" not in caught.value.message
    assert "--label-type id" in caught.value.hint


_COMMA: Final = "numbers with a comma"
_AMOUNTS: Final = "the labels are amounts"


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        (["0,5", "1,25"], _COMMA),
        (["1", "2,5"], _COMMA),
        ([",5", "-1,5", "2.5"], _COMMA),
        (["4,00638E+12", "8,7E+12"], _COMMA),
        (["8,1", "9,5", "n.b."], _COMMA),
        (["1,234", "2,000", "n.b."], _COMMA),
        (["$6,272.41", "$80", "$1,118.58", "$991.00", "$7", "n/a"], _AMOUNTS),
        (["6.272,41 €", "80,00 €", "1.118,58 €", "991,00 €", "7 €"], _AMOUNTS),
        (["6,272.41", "80.00", "1,118.58", "991.00", "7.00"], _AMOUNTS),
        ([f"${number}00" for number in range(10, 31)], _AMOUNTS),
        *[
            ([sign.format(each) for each in (5, 12, 7, 19, 23)], _AMOUNTS)
            for sign in ("${}", "{} €", "R$ {}", "CAD {}")
        ],
    ],
)
def test_numbers_as_people_write_them_are_no_classes(labels: list[str], told: str) -> None:
    with pytest.raises(InputError, match=told) as caught:
        build_label_map(labels, "auto")
    assert "--task regression tells how to write them" in caught.value.hint
    assert build_label_map(labels, "name").kind == "name"
    assert build_label_map([*labels, *(f"cat {name}" for name in labels)], "auto").kind == "name"


@pytest.mark.parametrize(
    "labels",
    [
        ["$1", "$2", "$5", "$10", "$20", "$50", "$100", "back of $1"],
        ["€0.50", "€0.20", "€1.00", "€2.00", "€5", "€500", "€0.25", "€1,000"],
        ["$9.99", "$19.99"],
        ["CAD5", "CAD12", "CAD7", "CAD19", "CAD23"],
        ["1 EUR", "2 EUR", "50 ct", "20 ct", "10 ct"],
        ["4.5ml", "6ml", "7ml", "8ml", "9ml"],
        ["1,000", "500", "coin"],
        ["1,000", "20,000"],
        ["1.5", "cat", "dog"],
        ["1", "2", "cat"],
        ["v1.0", "v2.0"],
        ["1.2.3", "1.2.4"],
        ["nan", "inf"],
    ],
)
def test_names_with_points_are_names(labels: list[str]) -> None:
    assert build_label_map(labels, "auto").kind == "name"


def test_floats_of_a_vocabulary_are_what_it_says(tmp_path: Path) -> None:
    vocabulary = tmp_path / "names.txt"
    vocabulary.write_text("0.5\n1.5\n")
    made = plan_of(tmp_path, lines(["0.5", "1.5", "1.0"]), labels=str(vocabulary))
    assert made.planned.labels.ids == {"0.5": 0, "1.5": 1}
    assert list(made.codes.values()) == ["unknown_label"]


def test_two_spellings_of_one_id_are_one(tmp_path: Path) -> None:
    made = plan_of(tmp_path, ["TRAIN,a.jpg,3,3.0,4.0"], label_type="id")
    (row,) = made.rows("train")
    assert (row.label_ids, row.label_texts) == ((3, 4), ("3", "4"))


@pytest.mark.parametrize("kind", ["float64", "float32", "float16"])
def test_whole_floats_of_a_frame(kind: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"image_uri": ["a.jpg", "b.jpg", "c.jpg"], "label": np.array([10, 9, 0], kind)})
    assert plan_from(frame, tmp_path).planned.labels.ids == {"0": 0, "9": 9, "10": 10}
    frame["label"] += np.array(0.5, kind)
    with pytest.raises(InputError, match="DataFrame: the labels are numbers with a decimal point"):
        plan_from(frame, tmp_path)


def test_rejects_of_whole_floats_are_mended_with_the_same_ids(tf: Any, tmp_path: Path) -> None:
    """labels.txt has ids, rejects.csv has the floats of its source."""
    image_list(tmp_path / "in", 3)
    rows = [("TRAIN", "bad.jpg", "2.0"), ("TRAIN", "bad.jpg2", "11.0")]
    for number in range(3):
        (tmp_path / f"in/{number}.jpg").write_bytes(jpeg(number))
        rows.append(("TRAIN", f"{number}.jpg", f"{number}.0"))
    source = write_csv(tmp_path / "in/floats.csv", rows, ("split", "image_uri", "label"))
    done = convert_json(source, tmp_path / "out")
    assert (done["rejected"], done["label_kind"]) == (2, "id")
    (tmp_path / "in/bad.jpg").write_bytes(jpeg(8))
    (tmp_path / "in/bad.jpg2").write_bytes(jpeg(9))
    assert tfrec(*done["mend_command"].split()[1:]).code == 0
    mended = read_all(tf, tmp_path / "out-mended")["train"]
    assert sorted((r.labels, r.texts) for r in mended) == [((2,), ("2",)), ((11,), ("11",))]
    labels = manifest(tmp_path / "out-mended")["labels"]
    assert labels == {str(number): number for number in (0, 1, 2, 11)}


# labels, a word of the only warning ("" for none)
COLUMNS: dict[str, tuple[list[str], str]] = {
    "a name a row": ([f"x{n}" for n in range(20)], "as many labels as rows ('x0', 'x1' and 18 more)"),
    "an id a row": ([str(n) for n in range(20)], "as many labels as rows"),
    "a label twice": (["x1", *(f"x{n}" for n in range(39))], "39 labels in 40 rows ('x0', 'x1' and 37 more)"),
    "one in eleven twice": ([f"x{n % 91}" for n in range(100)], "91 labels in 100 rows"),
    "one in ten twice": ([f"x{n % 90}" for n in range(100)], ""),
    "unlabelled rows": ([*(f"x{n}" for n in range(20)), *[""] * 9], "as many labels as rows"),
    "fewer rows": ([f"x{n}" for n in range(8)], "as many labels as rows"),
    "few numbers": ([str(n) for n in range(19)], ""),
    "few rows": ([f"x{n}" for n in range(7)], ""),
    "fewer rows, a label twice": (["x1", *(f"x{n}" for n in range(18))], ""),
    "two rows of one label": ([f"x{n // 2}" for n in range(40)], ""),
    **{
        f"origins as {label}": ([label, label.replace("1", "2"), label.replace("1", "3")], "are numbered")
        for label in ("Person01", "personne 1", "volunteer_1", "driver-1", "user01", "p01", "S_01", "ID01")
    },
    **{
        f"numbered as {label}": ([label, label.replace("1", "2"), label.replace("1", "3")], "")
        for label in ("S1", "stage01", "type_1", "c01", "t1")
    },
    "a person and others": (["person1", "person2", "person3", "car"], ""),
    "slashes": (["cat/dog", "w/o", "1/2"], ""),
    "extensions": ([".png", ".jpg", ".gif"], ""),
    "one path among names": (["a.png", "cat"], ""),
}


@pytest.mark.parametrize(("labels", "word"), COLUMNS.values(), ids=COLUMNS)
def test_columns_that_can_hardly_be_labels(labels: list[str], word: str, tmp_path: Path) -> None:
    warnings = plan_of(tmp_path, lines(labels), unlabelled="keep").plan.warnings
    assert len(warnings) == bool(word)
    assert word in "".join(warnings)
    are_words = "rows" in word and not labels[0].isdecimal()
    how = "--unlabelled keep --features caption" if are_words else "--columns label="
    assert not word or how in warnings[0]


@pytest.mark.parametrize("labels", [["m/1.png", "m/2.png", "m/1.png"], ["gs://b/1", "gs://b/2", "x"]])
def test_names_of_files_are_no_labels_unless_they_are_said_to_be(labels: list[str], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"names of files \('.*1.*', '.*2.*'\): is that the label column"):
        plan_of(tmp_path, lines(labels))
    named = plan_of(tmp_path, lines(labels), label_type="name")
    assert sorted(named.planned.labels.ids) == sorted({*labels})


@pytest.mark.parametrize(
    ("rows", "options", "told"),
    [
        (["TRAIN,a.jpg,x", "TEST,b.jpg,y", "TEST,c.jpg,z"], {}, "'y', 'z'"),
        (["TRAIN,a.jpg,1.0", "TEST,b.jpg,2.0"], {}, "'2'"),
        (["TRAIN,a.jpg,1", "TRAIN,d.jpg,2", "TEST,b.jpg,2.0"], {"label_type": "id"}, ""),
        (["TRAIN,a.jpg,1", "TEST,b.jpg,abc"], {"label_type": "id"}, ""),
        (["TRAIN,a.jpg,x", "TRIAN,b.jpg,y"], {}, ""),
        (["TRAIN,a.jpg,x", "TEST,b.jpg,x", "TEST,c.jpg,y", "TEST,c.jpg,z"], {}, ""),
        (["TRAIN,a.jpg,x", "TEST,b.jpg,w", "TEST,c.jpg,y", "TEST,c.jpg,z"], {}, "'w'"),
    ],
)
def test_labels_only_outside_train_are_those_of_records(
    rows: list[str], options: dict[str, str], told: str, tmp_path: Path
) -> None:
    warnings = [w for w in plan_of(tmp_path, rows, **options).plan.warnings if "only outside" in w]
    assert warnings == ([f"labels that occur only outside train: {told}"] if told else [])


def test_several_labels_a_row_can_be_more_than_rows(tmp_path: Path) -> None:
    made = plan_of(tmp_path, [f"TRAIN,{n}.jpg,a{n},b{n}" for n in range(30)])
    assert made.plan.warnings == ()


def test_the_warning_comes_before_any_image_is_read(tmp_path: Path) -> None:
    """And is not told twice."""
    list_of_one = write_csv(
        tmp_path / "in/list.csv",
        [("TRAIN", f"{n}.jpg", f"x{n}") for n in range(30)],
        ("split", "image_uri", "label"),
    )
    run = tfrec("convert", list_of_one, tmp_path / "out")
    assert run.code == 2  # there is no image at all
    assert run.err.index("warning: there are as many labels as") < run.err.index("none of 30 images tried")
    for number in range(30):
        (tmp_path / f"in/{number}.jpg").write_bytes(jpeg(number))
    run = tfrec("convert", list_of_one, tmp_path / "out")
    assert (run.code, run.err.count("warning: there are as many labels as")) == (0, 1)
    again = tfrec("convert", list_of_one, tmp_path / "out")
    assert (again.code, again.err.count("warning: there are as many labels as")) == (0, 1)


def test_words_for_no_value_are_classes_that_are_warned_of(tmp_path: Path) -> None:
    (warning,) = plan_of(tmp_path, lines(["cat", "dog", "nan", "None", r"\N"])).plan.warnings
    assert warning.startswith(r"labels 'None', '\\N', 'nan' are classes, and words for no value elsewhere")
    assert "--unlabelled keep or skip" in warning
    plan = plan_of(tmp_path, lines(["cat", "NA", "none"])).plan
    assert plan.warnings == ()
    assert any(remark.startswith("'NA', 'none' are classes like others") for remark in plan.remarks)


@pytest.mark.parametrize("word", ["nan", "--", "?", "[]", r"\N", "Unknown", "unlabeled"])
def test_words_for_no_value_are_told_of_boxes_too(tmp_path: Path, word: str) -> None:
    path = write_csv(
        tmp_path / "in/list.csv",
        [(f"{n}.jpg", 1, 2, 8, 9, word if n == 3 else "cat") for n in range(9)],
        ("image", "xmin", "ymin", "xmax", "ymax", "label"),
    )
    run = tfrec("convert", path, tmp_path / "out", "--dry-run", "--splits", "train=1")
    assert run.code == 0
    told = [line for line in run.err.splitlines() if repr(word) in line]
    assert len(told) == 1
    how = told[0].partition("leave these fields of the list empty")[2]
    command = how.removeprefix(": ").partition("; convert ")[0]
    assert how.endswith(", which rejects their images")
    if command != how:  # of words that programs write
        assert shell(command, tmp_path).code == 0
        path = path.with_name("list-emptied.csv")
    else:
        path.write_text(path.read_text().replace(f",{word}\n", ",\n"))
    emptied = convert_json(path, tmp_path / "out", "--dry-run", "--splits", "train=1")
    assert (emptied["records"], emptied["rejected"]) == (8, 1)


def test_a_class_whose_name_only_has_such_a_word_is_not_told(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, lines(["cat", "unknown dog", "none-of-these", "a-b", "empty"])).plan
    assert not any("like others" in told for told in (*plan.warnings, *plan.remarks))


@pytest.mark.parametrize(
    ("header", "named"),
    [
        ("image,species", "--columns label=species "),
        ("image,label", ""),
        ("photo,species", ""),  # nothing but assumed names: these count all the same
    ],
)
def test_what_admits_rows_without_a_label_keeps_the_label_column(
    header: str, named: str, tmp_path: Path
) -> None:
    rows = [[f"{n}.jpg", label] for n, label in enumerate(["a", "b", "", "NA"])]
    path = write_csv(tmp_path / "list.csv", rows, header.split(","))
    told = convert_json(path, "out", "--dry-run", cwd=tmp_path)
    assert f"has no label ({named}--unlabelled keep|skip" in told["problems"][0]["reason"]
    assert any(f"and give {named}--unlabelled keep or skip" in note for note in told["remarks"])
    kept = convert_json(path, "out", "--dry-run", *named.split(), "--unlabelled", "keep", cwd=tmp_path)
    assert (kept["records"], kept["num_labels"]) == (4, 3)


@pytest.mark.parametrize(
    ("totals", "options", "told"),
    [
        (",NG=7", "", "1 label of rejected rows alone gets an id and has no record ('NG=7')"),
        (",NG=7\n,OK=5", "", "2 labels of rejected rows alone get ids and have no record ('NG=7', 'OK=5')"),
        (",a", "", ""),
        (",NG=7", "--labels names.txt", ""),
    ],
)
def test_labels_that_only_rejected_rows_have_are_told(
    totals: str, options: str, told: str, tmp_path: Path
) -> None:
    rows = "".join(f"{i}.jpg,{'ab'[i % 2]}\n" for i in range(12))
    (tmp_path / "list.csv").write_text(f"image,label\n{rows}{totals}\n", encoding="utf-8")
    (tmp_path / "names.txt").write_text("a\nb\nNG=7\n", encoding="utf-8")
    done = tfrec("convert", "list.csv", "out", "--dry-run", *options.split(), cwd=tmp_path)
    assert done.code == 1
    found = re.findall("warning: ([^:]* rejected rows alone [^:]*): where these rows", done.err)
    assert found == [told][: bool(told)]
