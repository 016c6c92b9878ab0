"""Lists that look like what is refused and are none: they are read, and no advice harms them."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from boxing import photos, records
from converting import convert_json, tfrec

from tfrecordcli.sources.proposals.columns import propose_columns, split_option

TABLE = "--task tabular"


def rows(form: str, count: int = 8) -> str:
    """Rows in which `{i}` is the number of the row, and `{c}` one of two words."""
    return "".join(form.format(i=i, c=f"c{i % 2}") + "\n" for i in range(count))


SIDES = ("left", "top", "right", "bottom")
TWO_CORNERS = ("x_min", "y_min", "x_max", "y_max")


def four(word: str, sides: tuple[str, ...] = SIDES) -> str:
    return ",".join(f"{word}_{side}" for side in sides)


PHOTOS = "image,label,"
EIGHT = rows("{i}.jpg,{c},1,2,3,4,5,6,7,8")
PRODUCTS = "image,label\n" + "".join(
    f"{i}.jpg,Coca Cola Zero Sugar size {c}\n" for i, c in enumerate("abcdef")
)
# name -> (list, options)
READ: dict[str, tuple[str, str]] = {
    "no value in brackets": (
        "id,w,h,label\ns0,(null),(null),a\n" + rows("s{i},{i}.5,{i},{c}"),
        f"{TABLE} --na '(null)'",
    ),
    "names and numbers": (f"image,label\n{rows('{i}.jpg,{c}:1')}", ""),
    "a score in some labels": (f"image,label\n0.jpg,c0:1 c1:0\n{rows('{i}.jpg,{c}')}", ""),
    "times of day": (f"image,label\n{rows('{i}.jpg,0{i}:30 10:15')}", ""),
    "pairs that are labels": (f"image,label\n{rows('{i}.jpg,size:{i} kind:1')}", "--label-type name"),
    "a number behind a column of no images": (f"image,label,image.1\n{rows('{i}.jpg,{c},{i}')}", ""),
    "no value beside a date": (
        "day,w,h,label\n2020-01-01,(null),(null),up\n" + rows("2020-02-0{i},{i}.5,{i},{c}"),
        TABLE,
    ),
    "words for no value": ("w,h,label\nNA,none,c0\n" + rows("{i},{i}.5,{c}"), f"{TABLE} --na NA,none"),
    "a mark and a word for no value": ("w,h,label\n?,unknown,c0\n" + rows("{i},{i}.5,{c}"), TABLE),
    "none in brackets": ("w,h,label\n(none),,c0\n" + rows("{i},{i}.5,{c}"), TABLE),
    "other brackets, and all the same": ("w,h,label\n(leer),(leer),c0\n" + rows("{i},{i}.5,{c}"), TABLE),
    "yes above 0 and 1": ("w,h,label\ntrue,yes,c0\n" + rows("0,1,{c}"), TABLE),
    "letters of grades": ("w,h,label\nA,K,c0\n" + rows("{i},{i}.5,{c}"), TABLE),
    "a header of words, as --columns says": (
        "p,x,s\n" + "p,x,s\ne,y,t\ne,x,s\np,y,t\n" * 2,
        f"{TABLE} --columns label=p",
    ),
    "margins": (f"{PHOTOS}{four('margin')},{four('pad')}\n{EIGHT}", ""),
    "sensors": (f"{PHOTOS}{four('acc', TWO_CORNERS)},{four('gyro', TWO_CORNERS)}\n{EIGHT}", ""),
    "where people look": (f"{PHOTOS}{four('fix', tuple('xywh'))},{four('gaze', tuple('xywh'))}\n{EIGHT}", ""),
    "sides as features": (
        f"{PHOTOS}{four('front', tuple('xywh'))},{four('rear', tuple('xywh'))}\n{EIGHT}",
        "--features all",
    ),
    "some sides as features": (
        f"{PHOTOS}{four('a', tuple('xywh'))},{four('b', tuple('xywh'))}\n{EIGHT}",
        "--features b_x,b_y,b_w,b_h",
    ),
    "a box for its id": (f"{PHOTOS}box_id\n" + rows('{i}.jpg,{c},"1 2 3 {i}"'), ""),
    "lengths of a box": (f"{PHOTOS}box_dims\n" + rows('{i}.jpg,{c},"1 2 3 {i}"'), ""),
    "a rectangle of text": (f"{PHOTOS}text_rect\n" + rows('{i}.jpg,{c},"1 2 3 {i}"'), ""),
    "a place on earth": (f"{PHOTOS}geometry\n" + rows('{i}.jpg,{c},"-122.4 37.7 -122.3 37.8"'), ""),
    "boxes as features": (f"{PHOTOS}rect\n" + rows('{i}.jpg,{c},"1 2 3 {i}"'), "--features rect"),
    "long names of classes": ("image,label\n" + rows("{i}.jpg,the red {c} of the far north"), ""),
    "another name in each row": ("image,label\n" + rows("{i}.jpg,house number {i}"), ""),
    "tags between commas": (
        'image,label\n0.jpg,"red cat, dog, old tree, sky, sea"\n1.jpg,"house, road, a car, lamp"\n'
        '2.jpg,"man, hat, coat, street, bus"\n',
        "",
    ),
    "sentences that are labels by their list": (
        "image,label\n" + rows("{i}.jpg,a {c} sits on mat number {i}"),
        "--label-type name",
    ),
    "names with signs for blanks": (
        "image,label\n" + rows("{i}.jpg,0000{i}_Animalia_Chordata_Aves_Passeriformes_Thraupidae_s{c}"),
        "",
    ),
    "diseases of plants": (
        "image,label\n0.jpg,Tomato___Tomato_Yellow_Leaf_Curl_Virus\n"
        "1.jpg,Corn_(maize)___Cercospora_leaf_spot Gray_leaf_spot\n"
        "2.jpg,Cherry_(including_sour)___Powdery_mildew\n",
        "",
    ),
    "names of products, by their column": (PRODUCTS, "--columns label=label"),
    "names of products, by the task": (PRODUCTS, "--task classification"),
    "a label that comes again in one row of many": (
        "image,label_1,label_2\nx.jpg,c0,c0\n" + rows("{i}.jpg,{c},d", 12),
        "",
    ),
    "labels that come again, by their columns": (
        "image,label_1,label_2\n" + rows("{i}.jpg,{c},{c}"),
        "--columns label=label_1,label=label_2",
    ),
    "labels that are words of splits, by their column": (
        "image,part\n" + rows("{i}.jpg,train") + rows("t{i}.jpg,test"),
        "--columns label=part",
    ),
    "labels that are words of splits, by the task": (
        "image,label\n" + rows("{i}.jpg,train") + rows("t{i}.jpg,test"),
        "--task classification",
    ),
}


@pytest.mark.parametrize(("text", "options"), READ.values(), ids=READ)
def test_what_looks_like_it_and_is_none_is_read(text: str, options: str, tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text(text, encoding="utf-8")
    done = tfrec("plan", "list.csv", "out", *shlex.split(options), cwd=tmp_path)
    said = f"{done.out}{done.err}"
    for words in (
        "are they units",
        "no header",
        "several boxes",
        "is none of those",
        "words of splits",
        "have one again",
        "sentences",
        "is it a title",
    ):
        assert words not in said, said
    assert "line 2" not in said, said


BOXES = "image,xmin,ymin,xmax,ymax,"
# name -> what is said
HELD: dict[str, tuple[str, str]] = {
    f"boxes called {name}": (f"{PHOTOS}{name}\n" + rows('{i}.jpg,{c},"10,10,60,9{i}"'), "holds boxes")
    for name in ("bbox_ltrb", "bbox_norm", "head_bbox", "car_bboxes")
} | {
    "two animals": (
        f"{PHOTOS}{four('mouse', TWO_CORNERS)},{four('cat', TWO_CORNERS)}\n{EIGHT}",
        "several boxes",
    ),
    "labels of boxes": (f"{BOXES}kind\n" + rows("{i}.jpg,1,2,30,40,{c}cat"), "--columns label=kind"),
}


@pytest.mark.parametrize(("text", "words"), HELD.values(), ids=HELD)
def test_boxes_and_their_labels_under_other_names_are_not_passed_over(
    text: str, words: str, tmp_path: Path
) -> None:
    (tmp_path / "list.csv").write_text(text, encoding="utf-8")
    done = tfrec("plan", "list.csv", "out", cwd=tmp_path)
    assert done.code == 2
    assert words in done.err


@pytest.mark.parametrize("name", ["gender", "occlusion", "shape_type", "annotated_by", "camera_name"])
def test_words_about_boxes_are_no_labels(name: str, tmp_path: Path) -> None:
    text = f"{BOXES}{name}\n" + rows("{i}.jpg,1,2,30,40,{c}cat") + rows("{i}.jpg,3,4,20,30,dog")
    (tmp_path / "list.csv").write_text(text, encoding="utf-8")
    assert "all boxes are of one class" in tfrec("plan", "list.csv", "out", cwd=tmp_path).err


UNITS = {
    "two": ("w,h,label\ncm,years,-\n", "2d"),
    "beside one that is not known": ("age,income,label\nyears,kUSD,class\n", "2d"),
    "beside no value": ("w,h,d,label\nkg/m³,NA,°C,\n", "2d"),
    "in brackets": ("w,h,label\n(count),[AU],\n", "2d"),
    "below a blank line": ("w,h,label\n\n[mm],[mm],\n\n", "3,4d"),
}


@pytest.mark.parametrize(("head", "lines"), UNITS.values(), ids=UNITS)
def test_units_are_left_out_where_they_stand(head: str, lines: str, tmp_path: Path) -> None:
    numbers = "{i}," * (head.count(",", 0, head.index("label")) - 1) + "{i}.5,{c}"
    (tmp_path / "list.csv").write_text(head + rows(numbers), encoding="utf-8")
    done = tfrec("convert", "list.csv", "out", *shlex.split(TABLE), "--dry-run", cwd=tmp_path)
    assert done.code == 2
    command = f"sed {lines} list.csv > list-without-units.csv"
    assert command in done.err
    subprocess.run(["bash", "-c", command], cwd=tmp_path, check=True)
    kept = (tmp_path / "list-without-units.csv").read_text(encoding="utf-8")
    assert kept.endswith(rows(numbers))
    assert len(kept) < len(head + rows(numbers))
    assert tfrec("convert", "list-without-units.csv", "out", *shlex.split(TABLE), cwd=tmp_path).code == 0


@pytest.mark.parametrize(
    ("others", "rejected"),
    [
        ("no,yes\nno,no\nyes,yes\n", 0),
        ("1,yes\n2,no\n", 1),
        ("red,blue\nred,no\ngreen,no\n", 1),  # a label that is called like its column
    ],
)
def test_a_row_of_a_table_is_the_header_again_where_its_words_are_no_values(
    others: str, rejected: int, tmp_path: Path
) -> None:
    (tmp_path / "list.csv").write_text(f"yes,no\n{others}yes,no\n" + others * 3, encoding="utf-8")
    words = shlex.split(f"{TABLE} --columns label=no --max-rejects 1 --json")
    done = tfrec("convert", "list.csv", "out", *words, cwd=tmp_path)
    assert done.json["rejected"] == rejected
    assert bool(re.search("repeated_header", done.out)) is bool(rejected)


@pytest.mark.parametrize("again", [1, 6])
def test_rows_like_the_first_of_a_table_of_words_without_a_header_are_not_left_out(
    again: int, tmp_path: Path
) -> None:
    others = "blue,large\nblue,tiny\ngreen,large\n" * 8
    (tmp_path / "list.csv").write_text("red,small\n" * (1 + again) + others, encoding="utf-8")
    words = ("convert", "list.csv", "out", *shlex.split(TABLE), "--max-rejects", "50%")
    assert "each field of the first row comes again in its column" in tfrec(*words, cwd=tmp_path).err
    done = tfrec(*words, "--columns", "label=small", "--json", cwd=tmp_path)
    assert done.json["rejected"] == again


@pytest.mark.parametrize(
    ("others", "is_first"), [("LA,CA\n", True), ("LA,state\nNY,NY\n", False)], ids=["together", "alone"]
)
def test_a_header_of_words_that_comes_again_is_taken_out_by_the_command(
    others: str, is_first: bool, tmp_path: Path
) -> None:
    text = f"city,state\nNew York,New York\nBoston,MA\n city,state\n{others}"
    (tmp_path / "list.csv").write_text(text, encoding="utf-8-sig")
    words = ("--task", "tabular", "--json")
    refused = tfrec("convert", "list.csv", "out", *words, cwd=tmp_path)
    hint = refused.json["error"]["hint"]
    assert "1 row below it equals it" in refused.json["error"]["message"]
    assert hint.startswith("where it is the header") is is_first
    assert "(echo column_1,column_2; cat list.csv) > list-as-csv.csv" in hint
    command = shlex.split(hint[hint.index("python -c ") :])[:3]
    subprocess.run([sys.executable, command[1], command[2].rstrip(";")], check=True, cwd=tmp_path)
    kept = (tmp_path / "list-one-header.csv").read_text(encoding="utf-8")
    assert kept.splitlines() == f"city,state\nNew York,New York\nBoston,MA\n{others}".splitlines()
    assert tfrec("convert", "list-one-header.csv", "new", *words, cwd=tmp_path).code == 0


def test_lists_of_zeros_and_ones_without_brackets_are_labels_as_the_hint_says(tmp_path: Path) -> None:
    lists = ("[1, 0, 0]", "[0, 1, 0]", "[0, 0, 1]", "[1, 0]")
    for name in ("list.csv", "bare.csv"):
        fields = (text if name == "list.csv" else text.strip("[]") for text in lists)
        text = "".join(f'{i}.jpg,"{field}"\n' for i, field in enumerate(fields))
        (tmp_path / name).write_text(f"image,label\n{text}", encoding="utf-8")
    assert "--label-separator ," in tfrec("convert", "list.csv", "out", "--dry-run", cwd=tmp_path).err
    done = tfrec("convert", "bare.csv", "out", "--dry-run", "--label-separator", ",", cwd=tmp_path)
    assert "2 label ids: 0, 1" in done.out


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


def test_a_column_of_one_split_may_be_it_where_more_rows_follow() -> None:
    assert split_option("usage", ["train"] * 3, is_whole=False) == "--columns split=usage"
    assert split_option("usage", ["train"] * 3) == ""
    assert split_option("usage", ["test", "val"]) == ""
    assert split_option("usage", ["train", "other"], is_whole=False) == ""


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
    command = command.replace("python -c", f"{shlex.quote(sys.executable)} -c", 1)
    subprocess.run(["bash", "-c", command], cwd=tmp_path, check=True)
    told = convert_json("list-with-splits.csv", "out", "--dry-run", *shlex.split(options), cwd=tmp_path)
    assert {split: told["splits"][split]["rows"] for split in ("train", "test")} == {"train": 8, "test": 4}
    assert told["rows"] == 12


@pytest.mark.parametrize(
    ("row", "head"), [("train a{i}.jpg {c} cat", "split,image"), ("\u00e9{i}.jpg  {c} cat ", "image")]
)
def test_words_parted_by_blanks_become_one_label_by_the_command(row: str, head: str, tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text(rows(row), encoding="utf-8")
    refused = convert_json("list.txt", "out", "--delimiter", " ", "--dry-run", cwd=tmp_path)
    assert "8 of 8 rows have several words behind the image, as 'c0 cat'" in refused["error"]["message"]
    command = refused["error"]["hint"].partition("a CSV of it: ")[2].partition("; where each")[0]
    command = command.replace("python -c", f"{shlex.quote(sys.executable)} -c", 1)
    subprocess.run(["bash", "-c", command], cwd=tmp_path, check=True)
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


def test_names_of_which_some_begin_with_no_split_are_not_told_of(tmp_path: Path) -> None:
    lines = "train_0.jpg,a\ntest_1.jpg,b\ntests_2.jpg,a\n"
    (tmp_path / "list.csv").write_text(f"image,label\n{lines}", encoding="utf-8")
    told = convert_json("list.csv", "out", "--dry-run", cwd=tmp_path)
    assert told["rows"] == 3
    assert not any("words of splits" in each for each in told["warnings"])


@pytest.mark.parametrize(
    ("again", "options", "said"),
    [
        ("city,country,kind", "", "line 1202: the row equals the first one"),
        ("city,country,big", "", None),
        ("city,country,kind", "--columns label=kind", "the row repeats the header"),
        ("city,country,kind", "--features city,kind", "the row repeats the header"),
    ],
    ids=["not told", "a row", "a column named as the label", "columns named as features"],
)
def test_a_header_of_words_that_comes_again_far_below_is_no_row(
    again: str, options: str, said: str | None, tmp_path: Path
) -> None:
    rows_before = "".join(f"{'AB'[i % 2]},{'CDE'[i % 3]},big\n" for i in range(1_200))
    (tmp_path / "list.csv").write_text(
        f"city,country,kind\n{rows_before}{again}\nA,D,big\n", encoding="utf-8"
    )
    words = ("--task", "tabular", "--dry-run", "--max-rejects", "1", *options.split())
    done = tfrec("convert", "list.csv", "out", *words, cwd=tmp_path)
    assert done.code == (2 if said and not options else 0), done.err
    if said:
        assert said in done.err + done.out
    else:
        assert "1,202 records from 1,202 rows" in done.out
    if done.code:
        command = shlex.split(done.err[done.err.index("python -c ") :])[:3]
        subprocess.run([sys.executable, command[1], command[2].rstrip(";")], check=True, cwd=tmp_path)
        done = tfrec("convert", "list-one-header.csv", "out", *words, cwd=tmp_path)
        assert "1,201 records from 1,201 rows" in done.out, done.err


_NUMBERS = "".join(f"{'ab'[i % 2]},{i},{i}.5\n" for i in range(9))
TWO_LINES = {
    "levels": ("kind,age,age\n,count,mean\n", ["kind", "age_count", "age_mean"]),
    "levels below an index": (",age,age\n,count,mean\nkind,,\n", ["kind", "age_count", "age_mean"]),
    "levels of other names": ("kind,age,age\n,left,right\n", ["kind", "age_left", "age_right"]),
    "statistics": ("kind,age,size\n,mean,25%\n", ["kind", "age_mean", "size_25%"]),
}


@pytest.mark.parametrize(("head", "names"), TWO_LINES.values(), ids=TWO_LINES)
def test_a_header_of_two_lines_is_joined_by_the_command(head: str, names: list[str], tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text(head + _NUMBERS, encoding="utf-8")
    words = shlex.split(f"{TABLE} --columns label=kind --dry-run")
    done = tfrec(
        "convert", "list.csv", "out", *words[: 2 if head[0] == "," else None], "--dry-run", cwd=tmp_path
    )
    assert (done.code, "below the header is a second line of it" in done.err) == (2, True), done.err
    command = done.err[done.err.index("python -c ") :].strip()
    subprocess.run(["bash", "-c", command.replace("python", sys.executable, 1)], cwd=tmp_path, check=True)
    made = tmp_path / "list-as-csv.csv"
    assert made.read_text(encoding="utf-8") == ",".join(names) + "\n" + _NUMBERS
    done = tfrec("convert", made, "out", *words, cwd=tmp_path)
    assert done.code == 0, done.err
    assert "9 records from 9 rows" in done.out


@pytest.mark.parametrize(
    "head",
    ["kind,age,size\nc,mean,max\n", "kind,age,size\n,NA,mean\n", "kind,age,size\nc,1,2\n"],
    ids=["a row with a label", "no value", "numbers"],
)
def test_rows_with_words_among_numbers_are_no_second_line(head: str, tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text(head + _NUMBERS, encoding="utf-8")
    words = shlex.split(f"{TABLE} --columns label=kind --unlabelled keep --dry-run")
    done = tfrec("convert", "list.csv", "out", *words, cwd=tmp_path)
    assert "10 records from 10 rows" in done.out, done.err


@pytest.mark.parametrize(
    ("title", "sed"), [("My dataset,,", "1d"), ("My dataset", "1d"), ("My dataset,,\n\nof cats,,", "1,3d")]
)
@pytest.mark.parametrize("is_table", [False, True])
def test_a_title_above_the_header_is_left_out_by_the_command(
    title: str, sed: str, is_table: bool, tmp_path: Path
) -> None:
    header = "age,size,label" if is_table else "image,label,age"
    if is_table and "\n" in title:
        sed = "1,2d"  # the line that follows would be the header
    body = "".join(f"{i}{'' if is_table else '.jpg'},{'ab'[i % 2]},{i}\n" for i in range(9))
    (tmp_path / "list.csv").write_text(f"{title}\n{header}\n{body}", encoding="utf-8")
    done = tfrec(
        "convert", "list.csv", "out", *shlex.split(TABLE if is_table else ""), "--dry-run", cwd=tmp_path
    )
    command = f"sed {sed} list.csv > list-without-title.csv"
    assert (done.code, command in done.err) == (2, True), done.err
    subprocess.run(["bash", "-c", command], cwd=tmp_path, check=True)
    kept = (tmp_path / "list-without-title.csv").read_text(encoding="utf-8")
    assert kept.endswith(f"{header}\n{body}")


@pytest.mark.parametrize(
    "text",
    [
        "text\n" + rows("nice {i}, thing {c}"),
        "text\nlabel, it says\n" + rows("nice {i}, thing, {c}"),
        "label\n" + rows("label, {c}"),
        "text\nNo label, but good\n" + rows("nice {i}, thing {c}"),
    ],
    ids=["words", "a word of a header", "a name of a column", "words among them"],
)
def test_texts_with_commas_in_one_column_are_below_no_title(text: str, tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text(text, encoding="utf-8")
    done = tfrec("convert", "list.csv", "out", *shlex.split(TABLE), "--dry-run", cwd=tmp_path)
    assert "is it a title" not in done.err
    assert "sed " not in done.err


def test_a_table_of_one_column_is_no_title(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text("age,,\n" + "".join(f"{i},,\n" for i in range(9)), encoding="utf-8")
    done = tfrec("convert", "list.csv", "out", *shlex.split(TABLE), "--dry-run", cwd=tmp_path)
    assert "9 records from 9 rows" in done.out, done.err


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
    command = command.replace("python -c", f"{shlex.quote(sys.executable)} -c", 1)
    subprocess.run(["bash", "-c", command], cwd=tmp_path, check=True)
    told = convert_json("list-with-splits.csv", "out", "--dry-run", cwd=tmp_path)
    assert {split: each["rows"] for split, each in told["splits"].items()} == {
        "train": 4,
        "validation": 3,
        "test": 2,
    }


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
    found = propose_columns(["pic", "kind", "usage"], table, [])
    assert f"{found} ".startswith(f"--columns image_uri=pic,{proposed} ")


def test_flags_of_splits_are_proposed_for_no_labels() -> None:
    table = [[f"{i}.jpg", f"c{i % 3}", str(i % 2), str(1 - i % 2)] for i in range(9)]
    found = propose_columns(["pic", "kind", "is_train", "is_val"], table, [])
    assert found == "--columns image_uri=pic,label=kind"


def list_of(splits: str, labels: str, folder: Path, delimiter: str = ",") -> None:
    """A list of a row for each letter: `t`, `v`, `s` for splits, any for labels, `.` for a blank field."""
    words = {"t": "train", "v": "val", "s": "test", ".": ""}
    lines = [
        f"{words[split]};{i}.jpg;{'' if label == '.' else label}"
        for i, (split, label) in enumerate(zip(splits, labels, strict=True))
    ]
    text = "\n".join(["Split;Image;Label", *lines]) + "\n"
    (folder / "list.csv").write_text(text.replace(";", delimiter), encoding="utf-8")


def filled(message: str, folder: Path) -> None:
    """Runs the command that fills in blank fields, with the Python that runs the tests."""
    command = re.split(" > list-as-csv.csv", message.partition("make a CSV of it: ")[2])[0]
    command = command.replace("python -c", f"{shlex.quote(sys.executable)} -c", 1)
    subprocess.run(["bash", "-c", f"{command} > list-as-csv.csv"], cwd=folder, check=True)


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
    list_of("tttvtttv", "a...b...", tmp_path)
    told = convert_json("list.csv", "out", "--dry-run", cwd=tmp_path)
    [warning] = [each for each in told["warnings"] if "merged cells" in each]
    assert told["rejected"] == 6
    filled(warning, tmp_path)
    told = convert_json("list-as-csv.csv", "out", "--dry-run", cwd=tmp_path)
    assert told["records"] == 8
    assert not any("merged cells" in each for each in told["warnings"])
    list_of("tttvtttv", "a..ab...", tmp_path)
    told = convert_json("list.csv", "out", "--dry-run", cwd=tmp_path)
    assert not any("merged cells" in each for each in told["warnings"])


def varied(columns: str, count: int = 60) -> list[list[str]]:
    """Rows: `n` are many numbers, `p` with a point, `f` flags, `c` and `g` classes, `i` images."""
    forms = {"n": "{0}", "p": "{0}.5", "f": "{1}", "c": "c{2}", "i": "{0}", "g": "{2}"}
    return [[forms[each].format(100 + i, bool(i % 2), i % 3) for each in columns] for i in range(count)]


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
    ],
)
def test_numbers_of_many_values_are_proposed_where_nothing_else_is_a_label(
    header: str, columns: str, task: str, proposed: str
) -> None:
    assert propose_columns(header.split(","), varied(columns), [], task) == f"--columns {proposed}"


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
    assert propose_columns(["image", "a", "b", "c"], table, []) == "--columns image_uri=image,label=b"


@pytest.mark.parametrize("labels", ["1,1,0,1", "1,0,0,0"])
def test_flags_are_no_votes(labels: str) -> None:
    turned = [[f"{i}.jpg", *(labels.split(",")[i % 4 :] + labels.split(",")[: i % 4])] for i in range(8)]
    proposed = propose_columns(["image", "a", "b", "c", "d"], turned, [])
    assert proposed == "--columns image_uri=image --one-hot a,b,c,d"


@pytest.mark.parametrize(("delimiter", "option"), [(",", ""), ("\t", ""), (" ", "--delimiter=' '")])
def test_names_of_rows_as_r_writes_them_get_a_name(delimiter: str, option: str, tmp_path: Path) -> None:
    rows = [["image", "label"], *([str(i), f"{i}.jpg", "ab"[i % 2]] for i in range(1, 5))]
    text = "".join(delimiter.join(f'"{field}"' for field in row) + "\n" for row in rows)
    (tmp_path / "list.csv").write_text(text, encoding="utf-8")
    if option:
        assert "--delimiter ' '" in tfrec("convert", "list.csv", "out", cwd=tmp_path).err
    refused = tfrec("convert", "list.csv", "out", *shlex.split(option), cwd=tmp_path)
    assert refused.code == 2
    assert "each row begins with its number" in refused.err
    filled(refused.err, tmp_path)
    told = convert_json("list-as-csv.csv", "out", "--dry-run", cwd=tmp_path)
    assert (told["records"], told["rejected"]) == (4, 0)


@pytest.mark.parametrize(
    "rows",
    [
        "1,1.jpg,a 2,2.jpg,b 3.jpg,a 4.jpg,b 5.jpg,b",
        "1,a,b 2,b,a",
        "1.jpg,a,b 2.jpg,b,a",
        "2,1.jpg,a 1,2.jpg,b",
    ],
)
def test_other_rows_with_a_field_too_many_are_read_as_before(rows: str, tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text("\n".join(["image,label", *rows.split()]), encoding="utf-8")
    done = tfrec("convert", "list.csv", "out", "--dry-run", cwd=tmp_path)
    assert (done.code, "begins with its number" in done.err) == (0, False)


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


def test_rejects_whose_splits_stand_as_merged_cells_do_are_mended(tmp_path: Path) -> None:
    list_of("t.v.ttvv", "....abab", tmp_path)
    photos(tmp_path, *(f"{i}.jpg" for i in range(8)))
    done = convert_json("list.csv", "out", "--max-rejects", "4", cwd=tmp_path)
    assert done["rejected"] == 4
    command = shlex.split(done["mend_command"])
    again = tfrec(*command[1:], "--unlabelled", "keep", "--json", cwd=tmp_path)
    assert "merged cells" not in again.err + again.out


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("{here}/{folder}/{i}.png", ""),
        ("{folder}%2F{i}.png", "file found only as a URL is decoded"),
        ("{i}.png", "has the same names for images in several folders"),
    ],
)
def test_names_with_their_folders_may_come_again(path: str, said: str, tmp_path: Path) -> None:
    photos(tmp_path, *(f"{folder}/{i}.png" for folder in "ab" for i in range(2)))
    names = [(folder, i) for folder in "ab" for i in range(2) for _ in range(2)]
    text = "".join(
        f"{path.format(here=tmp_path.as_uri(), folder=folder, i=i)},{folder},{i}\n" for folder, i in names
    )
    (tmp_path / "list.csv").write_text(f"image,label,frame\n{text}", encoding="utf-8")
    done = convert_json("list.csv", "out", "--splits", "train=1", cwd=tmp_path)
    if said:
        assert said in done["error"]["message"]
    else:
        assert (done["records"], done["merged"]) == (4, 4)


# files, folder of each row, whether the names are taken as they are
IN_FOLDERS = {
    "dots": (["{i}.png"], ["."] * 4, True),
    "slashes": (["{i}.png"], ["/"] * 4, True),
    "one copy": (["{i}.png", "a/2.png"], ["old", "old", "a", "old"], True),
    "copies": (["{i}.png", "a/{i}.png"], ["a"] * 4, True),
    "folders": (["a/{i}.png", "b/{i}.png"], ["a", "b", "a", "b"], False),
    "a name of two folders": (["{i}.png", "a/{i}.png"], ["", "/a", "/a", "/a"], False),
}


@pytest.mark.parametrize(("files", "folders", "is_read"), IN_FOLDERS.values(), ids=IN_FOLDERS)
def test_folders_beside_names_count_where_files_are_in_them(
    files: list[str], folders: list[str], is_read: bool, tmp_path: Path
) -> None:
    photos(tmp_path, *dict.fromkeys(file.format(i=i) for file in files for i in range(4)))
    names = [0, 0, 2, 3] if folders[0] == "" else range(4)
    text = "".join(f"{i}.png,{folder},c{i % 2},\n" for i, folder in zip(names, folders, strict=True))
    (tmp_path / "list.csv").write_text(f"File,RelativePath,Species,part\n{text}", encoding="utf-8")
    words = ("--columns", "label=Species,split=part", "--splits", "train=1", "--max-rejects", "100%")
    done = convert_json("list.csv", "out", *words, cwd=tmp_path)
    if is_read:
        assert done["records"] == 4
        return
    hint = done["error"]["hint"]
    assert "--columns image_uri=File,label=Species,split=part takes File alone" in hint
    command = hint[hint.index("python -c ") :].partition("; --columns")[0]
    subprocess.run(["bash", "-c", command.replace("python", sys.executable, 1)], cwd=tmp_path, check=True)
    done = convert_json("list-with-paths.csv", "out", *words, cwd=tmp_path)
    assert (done["records"], done["rejected"]) == (4, 0)


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
