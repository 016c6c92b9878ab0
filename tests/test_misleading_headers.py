"""Rows above, in and below a header that are none of the data, and rows that only look so."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from converting import convert_json, jpeg, shell, tfrec
from misleading import TABLE, filled, rows

from tfrecordcli.sources.column_words import is_header

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
    assert shell(command, tmp_path).code == 0
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
    assert "(echo column_1,column_2; tail -c +4 list.csv) > list-as-csv.csv" in hint
    code = shlex.split(hint[hint.index("python -c ") :])[2].rstrip(";")
    assert shell(f"python -c {shlex.quote(code)}", tmp_path).code == 0
    kept = (tmp_path / "list-one-header.csv").read_text(encoding="utf-8")
    assert kept.splitlines() == f"city,state\nNew York,New York\nBoston,MA\n{others}".splitlines()
    assert tfrec("convert", "list-one-header.csv", "new", *words, cwd=tmp_path).code == 0


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
        code = shlex.split(done.err[done.err.index("python -c ") :])[2].rstrip(";")
        assert shell(f"python -c {shlex.quote(code)}", tmp_path).code == 0
        done = tfrec("convert", "list-one-header.csv", "out", *words, cwd=tmp_path)
        assert "1,201 records from 1,201 rows" in done.out, done.err


@pytest.mark.parametrize(
    ("second", "is_header"),
    [
        ("Dateiname;Klasse;Datum", True),
        ("none;gut;", False),
        ("erstes;neu;", False),  # is an image
        ("Abbey;ein altes Kloster;", False),
        ("missing;unknown;", False),
        ("bild_1;neu;x", False),
        ("x.png;neu;heute", False),
    ],
)
def test_a_second_line_of_names_is_left_out_by_the_command(
    second: str, is_header: bool, tmp_path: Path
) -> None:
    for number in range(6):
        (tmp_path / f"{number}.jpg").write_bytes(jpeg(number))
    (tmp_path / "erstes.jpg").write_bytes(jpeg(9))
    rows = "".join(f"{n}.jpg;{['gut', 'schlecht'][n % 2]};0{n + 1}.03.2024\n" for n in range(6))
    (tmp_path / "list.csv").write_text(f"Bild;Befund;Tag\n{second}\n{rows}", encoding="utf-8")
    words = ["--columns", "image_uri=Bild,label=Befund"]
    done = tfrec("convert", "list.csv", "out", *words, cwd=tmp_path)
    assert ("line 2 looks like a second header (Dateiname, Klasse, Datum)" in done.err) == is_header
    if is_header:
        command = done.err.partition("leave it out: ")[2].partition("; then: ")[0]
        assert shell(command, tmp_path).code == 0
        done = tfrec("convert", "list-one-header.csv", "out", *words, cwd=tmp_path)
        assert (done.code, "6 records from 6 rows" in done.out) == (0, True)


def test_an_image_in_the_image_root_is_no_header(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    for name in ("first", *map(str, range(6))):
        (tmp_path / "root" / f"{name}.jpg").write_bytes(jpeg(len(name)))
    rows = "".join(f"{number}.jpg,{'ab'[number % 2]}\n" for number in range(6))
    (tmp_path / "list.csv").write_text(f"image,label\nfirst,bird\n{rows}", encoding="utf-8")
    told = tfrec("convert", "list.csv", "out", "--image-root", "root", "--dry-run", cwd=tmp_path)
    assert "looks like a second header" not in told.err


_NUMBERS = "".join(f"{'ab'[i % 2]},{i},{i}.5\n" for i in range(9))
TWO_LINES = {
    "levels": ("kind,age,age\n,count,mean\n", ["kind", "age_count", "age_mean"]),
    "levels below an index": (",age,age\n,count,mean\nkind,,\n", ["kind", "age_count", "age_mean"]),
    "levels of other names": ("kind,age,age\n,left,right\n", ["kind", "age_left", "age_right"]),
    "levels with an à": ("kind,age,age\n,à,mean\n", ["kind", "age_à", "age_mean"]),
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
    assert shell(command, tmp_path).code == 0
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
    assert shell(command, tmp_path).code == 0
    kept = (tmp_path / "list-without-title.csv").read_text(encoding="utf-8")
    assert kept.endswith(f"{header}\n{body}")


def test_a_title_above_a_table_without_a_header_is_left_out_first(tmp_path: Path) -> None:
    text = "|1x3 Cross validator\n" + "".join(f"{25 + i}, Private, {i}.\n" for i in range(4))
    (tmp_path / "adult.test").write_text(text, encoding="utf-8")
    done = tfrec("convert", "adult.test", "out", "--task", "tabular", cwd=tmp_path)
    command = done.err.partition("where it is a title, leave it out: ")[2].strip()
    assert (done.code, shell(command, tmp_path).code) == (2, 0), done.err
    done = tfrec("convert", "adult-without-title.csv", "out", "--task", "tabular", cwd=tmp_path)
    assert "has it no header? make a CSV of it: (echo column_1,column_2,column_3; cat " in done.err


@pytest.mark.parametrize(
    ("text", "is_made"),
    [
        ("".join(f"{i}.jpg {i / 8:f},2018-07-01 17:09:44:{i}\n" for i in range(4)), True),  # Sully Chen's
        ("1.jpg of,kind\n" + rows("photo {i}.jpg,{c}"), False),  # a name of a column
    ],
)
def test_a_time_behind_a_comma_does_not_hide_the_label_behind_a_blank(
    text: str, is_made: bool, tmp_path: Path
) -> None:
    (tmp_path / "data.txt").write_text(text, encoding="utf-8")
    done = tfrec("convert", "data.txt", "out", "--dry-run", cwd=tmp_path)
    command = done.err.partition("has it no header? make a CSV of it: ")[2].partition(", with the names")[0]
    assert (done.code, bool(command), "name the columns" in done.err) == (2, is_made, not is_made), done.err
    if is_made:
        assert shell(command, tmp_path).code == 0
        made = (tmp_path / "data-as-csv.csv").read_text(encoding="utf-8").splitlines()
        assert made[:2] == ["image,label,column_3", "0.jpg,0.000000,2018-07-01 17:09:44:0"]


@pytest.mark.parametrize(
    ("text", "sed"),
    [
        ("Charge 7;;;;\n;;;;\nProbe;Bild;Prüfer;Härte HV\n" + rows("P{i};{i}.jpg;Groß;{i},5"), "1,2d"),
        ("Export\nProbe,Bild,HV\n" + rows("P{i},{i}.jpg,{i}"), "1d"),
        (  # as machines write what they measured
            "Maschine;AOI-3;SW 7\nCharge;L47\n\nNr;Bauteil;Ergebnis;Bild\n"
            + rows("{i};R{i};{c};C:\\x\\{i}.jpg"),
            "1,3d",
        ),
        (  # as pandas makes of a sheet
            "Äpfel 2024,Unnamed: 1,Unnamed: 2\n,,\ngut,Schorf,faul\n" + rows("a{i}.jpg,b{i}.jpg,c{i}.jpg"),
            "1,2d",
        ),
        ("who,what\na,b,c\n" + rows("x{i},{c},d{i}"), ""),
        ("photo kind box\n" + rows("{i}.jpg {c} 12"), ""),
        ("photo\n" + rows("P{i},{i}.jpg,{c}"), ""),
        ("Export\nProbe,Bild,HV\n" + rows("P{i},{i}.jpg,{i}", 4) + "P,9.jpg,too,many\n", ""),
    ],
    ids=[
        "a line of blank fields",
        "one word",
        "lines about a machine",
        "a sheet with a title",
        "rows wider than a header",
        "parted by blanks",
        "a header of one",
        "rows of several widths",
    ],
)
def test_a_title_above_a_header_of_other_names_is_left_out(text: str, sed: str, tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text(text, encoding="utf-8")
    done = tfrec("convert", "list.csv", "out", "--dry-run", cwd=tmp_path)
    assert done.code == 2
    assert re.findall("sed ([^ ]+) list.csv > list-without-title.csv", done.err) == [sed][: bool(sed)]


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


@pytest.mark.parametrize("image", ["img_{i}.jpg", "img_{i}"])
@pytest.mark.parametrize(
    ("header", "row"), [("species", "{c}"), ("xmin;ymin;xmax;ymax;label", "{i};2;50;60;{c}")]
)
def test_an_index_of_images_gets_a_name(header: str, row: str, image: str, tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text(
        f";{header}\n".replace(";", ",") + rows(f"{image};{row}".replace(";", ","))
    )
    refused = tfrec("convert", "list.csv", "out", cwd=tmp_path)
    assert (refused.code, "the first column has no name" in refused.err) == (2, True), refused
    assert shell(refused.err.partition("make a CSV of it: ")[2].partition("; --")[0], tmp_path).code == 0
    told = convert_json("list-as-csv.csv", "out", "--dry-run", cwd=tmp_path)
    assert (told["rows"], told["rejected"]) == (8, 0)


@pytest.mark.parametrize("first", [0, 1])
def test_an_index_of_images_above_numbers_in_order_gets_a_name(first: int, tmp_path: Path) -> None:
    header = ",".join(["", *map(str, range(first, first + 6))])
    (tmp_path / "list.csv").write_text(f"{header}\n" + rows("img_{i}.jpg,{i}.0,7,8.0,9,{i}.5,2"))
    refused = tfrec("convert", "list.csv", "out", cwd=tmp_path)
    assert "the first column has no name" in refused.err
    command, _, options = refused.err.partition("make a CSV of it: ")[2].partition(", and convert that with ")
    assert shell(command, tmp_path).code == 0
    how = shlex.split(options.partition(", which")[0])
    told = convert_json("list-as-csv.csv", "out", "--dry-run", *how, cwd=tmp_path)
    assert (told["rows"], told["rejected"]) == (8, 0)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (",0,2\n" + rows("{i}.jpg,{i},{i}"), "--unlabelled keep"),
        (",a.jpg,cat\n" + rows("TRAIN,{i}.jpg,{c}"), ""),
        (",a1,cat\n" + rows("TRAIN,b{i},{c}"), ""),
        (",x/a1,cat\n" + rows(",x/{i},{c}"), ""),
        (",image,label\n" + rows("row_{i},{i}.jpg,{c}"), ""),
        (",code,label\n" + rows("row_{i},a{i},{c}"), "--columns image_uri=code"),
        (",image,label\n" + rows("{i},{i}.jpg,{c}"), ""),
    ],
    ids=[
        "numbers in no order",
        "a list without a header",
        "of ids",
        "of paths",
        "rows with names",
        "said",
        "numbers of rows",
    ],
)
def test_a_first_field_without_text_is_no_index_of_images(text: str, options: str, tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text(text)
    done = tfrec("convert", "list.csv", "out", "--dry-run", *shlex.split(options), cwd=tmp_path)
    assert "has no name" not in done.err


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
    for head, how in (
        ('"Pic","Kind"', ()),
        ('"size","label"', ("--task", "tabular")),
    ):  # no known name, no image
        others = text.replace(delimiter, ",").replace('"image","label"', head)
        (tmp_path / "list.csv").write_text(others)
        assert (
            "each row begins with its number" in tfrec("convert", "list.csv", "out", *how, cwd=tmp_path).err
        )


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


def test_a_slash_in_the_name_of_a_column_is_no_path(tmp_path: Path) -> None:
    """Kobo and ODK write a column for each choice of a question; rows may also begin with such paths."""
    rows = "".join(f"{i}.jpg,{'ab'[i % 2]},{i % 2}\n" for i in range(4))
    (tmp_path / "list.csv").write_text(f"Leaf,Seen,Seen/b\n{rows}")
    done = tfrec("convert", "list.csv", "out", "--dry-run", cwd=tmp_path)
    assert "--columns image_uri=Leaf,label=Seen" in done.err
    (tmp_path / "list.csv").write_text("image/filename,label\n" + "".join(f"p/{i}.jpg,a\n" for i in range(4)))
    done = tfrec("convert", "list.csv", "out", "--dry-run", cwd=tmp_path)
    assert "--columns image_uri=image/filename,label=label" in done.err
    for first in ("b/9,b", "b/9,b,a"):
        (tmp_path / "list.csv").write_text(f"{first}\n" + "".join(f"a/{i},a\n" for i in range(4)))
        assert convert_json("list.csv", "out", "--dry-run", cwd=tmp_path)["records"] == 5


def test_a_column_called_n_a_is_no_path(tmp_path: Path) -> None:
    """Genres of movies that have none; rows without a header may name no image."""
    posters = "Id,Genre,Action,Drama,N/A\na,['Drama'],0,1,0\nb,['N/A'],0,0,1\nc,['Action'],1,0,0\n"
    (tmp_path / "list.csv").write_text(posters, encoding="utf-8")
    done = convert_json("list.csv", "out", "--dry-run", cwd=tmp_path)
    assert "--columns image_uri=Id --one-hot Action,Drama,N/A" in done["error"]["hint"]
    assert is_header(["id", "label", "n/a"])
    assert not is_header(["id", "N/A/1.jpg"])
