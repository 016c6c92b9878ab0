"""Labels that would be misread, with the commands and options that settle it, and what only looks so."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from boxing import photos, records
from converting import convert_json, shell, tfrec
from misleading import filled, rows

from tfrecordcli.sources.proposals.columns import propose_columns


def test_lists_of_zeros_and_ones_without_brackets_are_labels_as_the_hint_says(tmp_path: Path) -> None:
    lists = ("[1, 0, 0]", "[0, 1, 0]", "[0, 0, 1]", "[1, 0]")
    for name in ("list.csv", "bare.csv"):
        fields = (text if name == "list.csv" else text.strip("[]") for text in lists)
        text = "".join(f'{i}.jpg,"{field}"\n' for i, field in enumerate(fields))
        (tmp_path / name).write_text(f"image,label\n{text}", encoding="utf-8")
    assert "--label-separator ," in tfrec("convert", "list.csv", "out", "--dry-run", cwd=tmp_path).err
    done = tfrec("convert", "bare.csv", "out", "--dry-run", "--label-separator", ",", cwd=tmp_path)
    assert "2 label ids: 0, 1" in done.out


def test_lists_that_are_counts_become_columns_by_the_command(tmp_path: Path) -> None:
    told = ("convert", "list.csv", "out", "--dry-run", "--columns", "image_uri=name,label=n")
    for lists, code in (
        ("[1 1 2]|[0 2 1]|[1 0 0]", 2),
        ("[1 3 2]|[0 2 1]|[3 0 1]", 0),
        ("[1 1 2]|[2]|[0 1]", 0),
    ):
        text = "".join(f"{i}.jpg,{field}\n" for i, field in enumerate(lists.split("|")))
        (tmp_path / "list.csv").write_text(f"name,n\n{text}", encoding="utf-8")
        assert tfrec(*told, cwd=tmp_path).code == code, lists
    (tmp_path / "list.csv").write_text("name,n\n0.jpg,[1 1 2]\n1.jpg,[0 2 1]\n2.jpg,[1 0 0]\n")
    refused = tfrec(*told, cwd=tmp_path).err
    assert "--label-type id takes each number" in refused
    assert tfrec(*told, "--label-type", "id", cwd=tmp_path).code == 0
    command, _, options = refused.partition("make a column of each: ")[2].partition(
        ", and convert that with "
    )
    shell(command, tmp_path)
    given = shlex.split(options.partition(";")[0])
    assert tfrec("convert", "list-counts.csv", "out", "--dry-run", *given, cwd=tmp_path).code == 0
    assert (
        tmp_path / "list-counts.csv"
    ).read_text() == "name,n_1,n_2,n_3\n0.jpg,1,1,2\n1.jpg,0,2,1\n2.jpg,1,0,0\n"


@pytest.mark.parametrize(
    ("row", "head"), [("train a{i}.jpg {c} cat", "split,image"), ("\u00e9{i}.jpg  {c} cat ", "image")]
)
def test_words_parted_by_blanks_become_one_label_by_the_command(row: str, head: str, tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text(rows(row), encoding="utf-8")
    refused = convert_json("list.txt", "out", "--delimiter", " ", "--dry-run", cwd=tmp_path)
    assert "8 of 8 rows have several words behind the image, as 'c0 cat'" in refused["error"]["message"]
    command = refused["error"]["hint"].partition("a CSV of it: ")[2].partition("; where each")[0]
    assert shell(command, tmp_path).code == 0
    made = (tmp_path / "list-as-csv.csv").read_text(encoding="utf-8").splitlines()
    assert made[0] == f"{head},label"
    assert made[1].endswith("0.jpg,c0 cat")


def test_labels_that_come_again_in_some_rows_are_told_of(tmp_path: Path) -> None:
    text = f"image,label_1,label_2\nx.jpg,c0,c0\n{rows('{i}.jpg,{c},d')}"
    (tmp_path / "list.csv").write_text(text, encoding="utf-8")
    told = convert_json("list.csv", "out", "--dry-run", cwd=tmp_path)
    [warning] = [each for each in told["warnings"] if "1 have one again" in each]
    assert warning.endswith("--columns label=label_1 takes those of one column")


def test_a_label_that_every_row_has_twice_is_one_label(tmp_path: Path) -> None:
    text = f"image,label_1,label_2\n{rows('{i}.jpg,{c},{c}')}"
    (tmp_path / "list.csv").write_text(text, encoding="utf-8")
    told = convert_json("list.csv", "out", "--dry-run", cwd=tmp_path)
    assert told["records"] == 8
    assert any("8 have one again, as 'c0', 'c0', which is stored once" in each for each in told["warnings"])


def test_answers_of_0_and_1_of_several_people_can_be_taken_from_one(tmp_path: Path) -> None:
    text = f"image,label_1,label_2\n{rows('{i}.jpg,1,1')}x.jpg,0,1\n"
    (tmp_path / "list.csv").write_text(text, encoding="utf-8")
    done = tfrec("plan", "list.csv", "out", cwd=tmp_path)
    assert done.code == 2
    assert "several people: --columns label=label_1" in done.err
    told = convert_json("list.csv", "out", "--dry-run", "--columns", "label=label_1", cwd=tmp_path)
    assert told["rows"] == 9


def varied(columns: str, count: int = 60) -> list[list[str]]:
    """Rows: `n` are many numbers, `p` with a point, `f` flags, `c` and `g` classes, `i` images.

    `t` are ids that `c` has names for, `k` words that have nothing to do with these, `e` words and as many
    empty fields, `a` numbers with a comma, a few of them in words, `r` whole numbers that come again.
    """
    forms = {"n": "{0}", "p": "{0}.5", "f": "{1}", "c": "c{2}", "i": "{0}", "g": "{2}"}
    forms |= {"t": "7{2}", "k": "k{3}"}
    forms |= {"e": "{4}", "a": "{5}", "r": "{6}"}
    numbers = [
        (
            100 + i,
            bool(i % 2),
            i % 3,
            i % 4,
            "" if i % 2 else f"e{i % 3}",
            f"{i},6" if i % 20 else "ca. 9",
            i // 2,
        )
        for i in range(count)
    ]
    return [[forms[each].format(*some) for each in columns] for some in numbers]


@pytest.mark.parametrize(
    ("header", "columns", "task", "proposed"),
    [
        ("id,boneage,male", "inf", "auto", "image_uri=id,label=boneage --task regression"),
        ("id,boneage,male", "inf", "regression", "image_uri=id,label=boneage"),
        ("id,boneage,male", "inf", "classification", "image_uri=id,label=male"),
        ("id,age,malignant", "inf", "auto", "image_uri=id,label=malignant"),
        ("id,sd,MOS", "ipp", "auto", "image_uri=id,label=MOS --task regression"),
        ("id,width", "in", "auto", "image_uri=id,label=NAME"),
        ("id,data_provider,isup_grade", "icg", "auto", "image_uri=id,label=isup_grade"),
        ("id,weight,breed", "ipc", "auto", "image_uri=id,label=breed"),
        ("id,weight,breed", "ipc", "regression", "image_uri=id,label=weight"),
        ("id,product_category,brand,product_type", "itkc", "auto", "image_uri=id,label=product_type"),
        ("id,product_category,brand", "itk", "auto", "image_uri=id,label=product_category"),
        (
            "id,quality_grade,scientific_name,iconic_taxon_name",
            "ifkc",
            "auto",
            "image_uri=id,label=scientific_name",
        ),
        ("id,licence,inspector,Bemerkung,kind", "iccck", "auto", "image_uri=id,label=kind"),
        ("id,reviewed,kind", "iek", "auto", "image_uri=id,label=kind"),
        ("id,disease,kind", "iek", "auto", "image_uri=id,label=disease"),
        ("id,quality_grade", "ic", "auto", "image_uri=id,label=quality_grade"),
        ("id,weight,Prüfer,Bemerkung", "ipck", "auto", "image_uri=id,label=weight --task regression"),
        ("id,Gewicht,Prüfer", "iac", "auto", "image_uri=id,label=Gewicht --task regression"),
        ("id,Gewicht,breite (mm),Prüfer", "iarc", "auto", "image_uri=id,label=Gewicht --task regression"),
        ("id,weight,class_number,examiner", "iprc", "auto", "image_uri=id,label=class_number"),
        ("id,weight,genus_id,examiner", "iprc", "auto", "image_uri=id,label=genus_id"),
        ("id,weight,kind,Prüfer", "ipkc", "auto", "image_uri=id,label=kind"),
        ("id,weight,quality_grade", "ipc", "auto", "image_uri=id,label=quality_grade"),
        ("id,operator", "ic", "auto", "image_uri=id,label=operator"),
    ],
)
def test_numbers_of_many_values_are_proposed_where_nothing_else_is_a_label(
    header: str, columns: str, task: str, proposed: str
) -> None:
    first, *_ = propose_columns(header.split(","), varied(columns), [], task)
    assert first.options == f"--columns {proposed}"


WEIGHTS = "".join(f"{i}.jpg,0.{i + 1},0.{9 - i},0\n" for i in range(6))


@pytest.mark.parametrize("options", ["", "--one-hot a,b,c"])
def test_weights_of_labels_in_columns_have_the_command_that_takes_the_likeliest(
    options: str, tmp_path: Path
) -> None:
    (tmp_path / "list.csv").write_text(f"image,a,b,c\n{WEIGHTS}", encoding="utf-8")
    refused = tfrec("convert", "list.csv", "out", *options.split(), cwd=tmp_path)
    assert refused.code == 2
    assert "weights" in refused.err
    filled(refused.err, tmp_path)
    made = (tmp_path / "list-as-csv.csv").read_text(encoding="utf-8").splitlines()
    assert [line.rpartition(",")[2] for line in made] == ["label", "b", "b", "b", "b", "a", "a"]
    told = convert_json("list-as-csv.csv", "out", "--dry-run", cwd=tmp_path)
    assert told["records"] == 6


VOTES = [(6, 0, 3, 1), (0, 9, 0, 1), (8, 0, 1, 0), (0, 2, 7, 1), (0, 0, 10, 0), (5, 5, 0, 0)]


@pytest.mark.parametrize("options", ["", "--one-hot a,b,c,d"])
def test_votes_for_labels_in_columns_have_the_command_that_takes_the_likeliest(
    options: str, tmp_path: Path
) -> None:
    rows = "".join(f"{i}.jpg,{','.join(map(str, votes))}\n" for i, votes in enumerate(VOTES))
    (tmp_path / "list.csv").write_text(f"image,a,b,c,d\n{rows}", encoding="utf-8")
    refused = tfrec("convert", "list.csv", "out", *options.split(), cwd=tmp_path)
    assert refused.code == 2
    assert ("hold counts, as 6, 0, 3, 1" if options else "a, b, c, d are votes for labels") in refused.err
    assert not any(f"label={name}" in refused.err for name in "abcd")
    filled(refused.err, tmp_path)
    made = (tmp_path / "list-as-csv.csv").read_text(encoding="utf-8").splitlines()
    assert [line.rpartition(",")[2] for line in made] == ["label", "a", "b", "a", "c", "c", "a"]


def test_grades_that_do_not_add_up_are_no_votes() -> None:
    grades = [(0, 4, 1), (3, 0, 0), (0, 0, 2), (2, 0, 4), (0, 1, 0), (0, 0, 0), (4, 3, 4), (1, 0, 0)]
    table = [[f"{i}.jpg", *map(str, each)] for i, each in enumerate(grades)]
    first, *_ = propose_columns(["image", "a", "b", "c"], table, [])
    assert first.options == "--columns image_uri=image,label=b"


@pytest.mark.parametrize("labels", ["1,1,0,1", "1,0,0,0"])
def test_flags_are_no_votes(labels: str) -> None:
    turned = [[f"{i}.jpg", *(labels.split(",")[i % 4 :] + labels.split(",")[: i % 4])] for i in range(8)]
    (proposed,) = propose_columns(["image", "a", "b", "c", "d"], turned, [])
    assert proposed.options == "--columns image_uri=image --one-hot a,b,c,d"


@pytest.mark.parametrize(
    ("name", "flags", "is_first"),
    [
        ("diagnostic", "True False", True),
        ("diagnostic", "1 0", True),
        ("condition", "True False", True),
        ("condition", "1 0", False),  # of the image, perhaps
        ("region", "True False", False),
    ],
)
def test_words_called_like_labels_are_proposed_before_flags(
    name: str, flags: str, is_first: bool, tmp_path: Path
) -> None:
    yes, no = flags.split()
    turned = (f"{i}.jpg,{yes if i % 2 else no},c{i % 3},{yes if i % 3 else no}\n" for i in range(12))
    (tmp_path / "list.csv").write_text(f"image,smoke,{name},biopsed\n{''.join(turned)}", encoding="utf-8")
    hint = tfrec("convert", "list.csv", "out", "--dry-run", cwd=tmp_path).err.partition("as in ")[2]
    assert hint.startswith(f"--columns image_uri=image,label={name} " if is_first else "--columns image_uri=")
    assert hint.startswith("--columns image_uri=image --one-hot smoke,biopsed ") == (not is_first)
    assert "--one-hot smoke,biopsed" in hint


def test_a_few_counts_among_0_and_1_are_rejects(tmp_path: Path) -> None:
    rows = "".join(f"{i}.jpg,{2 * (i > 4)},1,0\n" for i in range(9))
    (tmp_path / "list.csv").write_text(f"image,a,b,c\n{rows}", encoding="utf-8")
    told = convert_json("list.csv", "out", "--dry-run", "--one-hot", "a,b,c", cwd=tmp_path)
    assert (told["records"], told["rejected"]) == (5, 4)


def test_a_few_weights_among_0_and_1_are_rejects(tmp_path: Path) -> None:
    zeros = "".join(f"z{i}.jpg,0,1,0\n" for i in range(6))
    (tmp_path / "list.csv").write_text(f"image,a,b,c\n{WEIGHTS}{zeros}", encoding="utf-8")
    told = convert_json("list.csv", "out", "--dry-run", "--one-hot", "a,b,c", cwd=tmp_path)
    assert (told["records"], told["rejected"]) == (6, 6)


@pytest.mark.parametrize("option", ["--labels", "--label-names"])
def test_words_parted_by_blanks_are_labels_where_a_file_has_them(option: str, tmp_path: Path) -> None:
    photos(tmp_path, *(f"{i}.png" for i in range(4)))
    names = {"--labels": "cat\ndog\nowl\n", "--label-names": "cat Cat\ndog Dog\nowl Owl\n"}
    (tmp_path / "names.txt").write_text(names[option], encoding="utf-8")
    (tmp_path / "list.txt").write_text("0.png cat dog\n1.png dog owl\n2.png owl\n", encoding="utf-8")
    done = convert_json("list.txt", "out", option, "names.txt", "--splits", "train=1", cwd=tmp_path)
    assert (done["records"], done["rejected"]) == (3, 0)
    assert sorted(len(each["image/class/text"]) for each in records(tmp_path / "out").values()) == [1, 2, 2]


@pytest.mark.parametrize(("count", "is_read"), [(11, True), (8, False)])
def test_a_row_or_two_of_several_words_are_read_and_told(count: int, is_read: bool, tmp_path: Path) -> None:
    photos(tmp_path, *(f"{i}.png" for i in range(count)), "x.png")
    text = f"{rows('{i}.png {c}', count)}x.png bird fish\n"
    (tmp_path / "list.txt").write_text(text, encoding="utf-8")
    done = convert_json("list.txt", "out", "--splits", "train=1", cwd=tmp_path)
    if not is_read:
        assert "1 of 9 rows have several words behind the image" in done["error"]["message"]
        return
    assert done["records"] == 12
    [warning] = [each for each in done["warnings"] if "as 'bird fish'" in each]
    assert warning.endswith("--label-type name takes them so without this warning")
