"""Further keys of JSON as features, and for --split-by: typed by JSON, and as a CSV's columns beyond that."""

from __future__ import annotations

import csv
import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from boxing import photos, records, write
from converting import read_csv, tfrec

import tfrecordcli

_TEXTS = "text (numbers in quotes)"


def lines(folder: Path, *values: Any, key: str = "k", **more: Any) -> Path:
    """A list with these values under a key, one an image; `...` stands for a line without the key."""
    photos(folder, *(f"{n}.png" for n in range(len(values))))
    texts = [
        json.dumps(
            {"image": f"{n}.png", "label": "ab"[n % 2], **more, **({} if each is ... else {key: each})}
        )
        for n, each in enumerate(values)
    ]
    return write(folder, "\n".join(texts) + "\n", "list.jsonl")


def stored(folder: Path, key: str = "k") -> list[Any]:
    """What the records hold under a key, in the order of the images; None where it is absent."""
    found = records(folder)
    return [found[name].get(key) for name in sorted(found)]


# Values of the lines -> what is said of the type, and what is stored.
_TYPED = {
    "int": ([1, -2, None], "k int (1 missing)", [[1], [-2], None]),
    "float": ([1, 0.5, 1e-7], "k float", None),
    "bool": ([True, False, ...], "k bool", [[1], [0], None]),
    "text": (["x", " ", ""], "k text", [[b"x"], None, None]),
    "numbers in quotes": (["1", "02", "3"], f"k {_TEXTS}", [[b"1"], [b"02"], [b"3"]]),
    "numbers, some in quotes": ([1, "2", 3], "k text (number and text)", [[b"1"], [b"2"], [b"3"]]),
    "flags and words": ([True, "x", 0.5], "k text (bool and number and text)", [[b"true"], [b"x"], [b"0.5"]]),
    "whole numbers": ([[1, 2], [], [2**62]], "k int (lists)", [[1, 2], None, [2**62]]),
    "numbers beyond int64": ([[1], [2**63], 0], "k float (lists)", [[1.0], [2.0**63], [0.0]]),
    "texts": ([["a;b", "c"], "d", None], "k text (lists)", [[b"a;b", b"c"], [b"d"], None]),
    "half of a character": (["\ud83d", "x", "y"], "k text", [[b"\\ud83d"], [b"x"], [b"y"]]),
}


@pytest.mark.parametrize(("values", "told", "wanted"), _TYPED.values(), ids=_TYPED)
def test_json_tells_the_type_of_a_key(values: list[Any], told: str, wanted: Any, tmp_path: Path) -> None:
    source = lines(tmp_path, *values)
    done = tfrec("convert", source, tmp_path / "out", "--splits", "train=1", "--features", "k", "--json")
    assert done.code == 0, done.err
    assert told in " ".join(done.json["remarks"]).replace("further columns: ", "").replace(
        "further keys: ", ""
    )
    if wanted is not None:
        assert stored(tmp_path / "out") == wanted
    assert tfrec("verify", tmp_path / "out", "--no-feed").code == 0


def test_words_for_no_value_are_those_of_a_csv(tmp_path: Path) -> None:
    source = lines(tmp_path, 3, "NA", 4)
    done = tfrec("convert", source, tmp_path / "out", "--splits", "train=1", "--features", "all", "--json")
    assert "column k is text because of NA: --na NA makes it int" in " ".join(done.json["warnings"])
    options = ("--splits", "train=1", "--features", "all", "--na", "NA", "--missing", "k=-1")
    assert tfrec("convert", source, tmp_path / "na", *options).code == 0
    assert stored(tmp_path / "na") == [[3], [-1], [4]]
    odd = lines(tmp_path, 3, r"\N", 4)
    told = tfrec("convert", odd, tmp_path / "null", *options[:4], "--dry-run").err
    assert r"column k is text because of \N: --na '\N' makes it int" in told
    flags = lines(tmp_path, True, "NA", False)
    assert tfrec("convert", flags, tmp_path / "flags", *options[:-2]).code == 0
    assert stored(tmp_path / "flags") == [[1], None, [0]]


def test_a_type_that_is_given_counts(tmp_path: Path) -> None:
    source = lines(tmp_path, "1", 2, "x")
    done = tfrec("convert", source, tmp_path / "out", "--splits", "train=1", "--features", "k:float")
    assert "line 3: 2.png: k is 'x', not a number" in done.err
    assert stored(tmp_path / "out") == [[1.0], [2.0]]


_UNFIT = {
    "a blank in a list": ["x", " "],
    "a sign that parts texts": ["x", "y\u241fz"],
    "a text with the sign beside lists": "y\u241fz",
    "a line break": "x\ny",
    "too long": "x" * 100_001,
}


@pytest.mark.parametrize("value", _UNFIT.values(), ids=_UNFIT)
def test_a_value_that_no_field_can_hold_rejects_its_row(value: Any, tmp_path: Path) -> None:
    """And rejects.csv has it with a tab: rejected again until mended, with features as the others."""
    has_lists = isinstance(value, list) or "\u241f" in value
    source = lines(tmp_path, "a", value, ["b", "c"] if has_lists else "b", age=7)
    out = tmp_path / "out"
    done = tfrec("convert", source, out, "--splits", "train=1", "--features", "all", "--json")
    assert (done.code, done.json["rejected"]) == (1, 1)
    assert len(stored(out)) == 2
    rejects = out / "rejects.csv"
    (row,) = read_csv(rejects)
    if has_lists:
        assert json.loads(row["k"]) in (value, [value])
    words = shlex.split(done.json["mend_command"])
    again = tfrec(*words[1:])
    assert again.code == 1, again.err
    assert "the k holds a control character" in again.out
    with rejects.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, row)
        writer.writeheader()
        writer.writerow({**row, "k": "mended"})
    mended = tfrec(*words[1:])
    assert mended.code == 0, mended.err
    assert stored(tmp_path / "out-mended", "age") == [[7]]
    assert stored(tmp_path / "out-mended") == [[b"mended"]]


# Values of a line -> its field in rejects.csv, the way out that the reason says.
_FOR_A_PERSON = {
    "a text": (
        'say "x"\r\n\ny\n',
        'say "x"\t\ty',
        "which no field of a list can hold (write it on one line); ",
    ),
    "a list": (
        ["q", " "],
        '[\t"q", " "]',
        "from its neighbours (write the values with \u241f between them); ",
    ),
    "lines in a list": (
        ["q\nr"],
        '[\t"q\\nr"]',
        "(write the values with \u241f between them, on one line); ",
    ),
    "a text that is cut": ("x" * 100_001, "x" * 10_000 + "\t…", "more than 100,000 characters; correct it"),
}


@pytest.mark.parametrize(("value", "field", "said"), _FOR_A_PERSON.values(), ids=_FOR_A_PERSON)
def test_rejects_say_how_a_value_is_written(value: Any, field: str, said: str, tmp_path: Path) -> None:
    source = lines(tmp_path, value, ["b", "c"] if isinstance(value, list) else "b")
    tfrec("convert", source, tmp_path / "out", "--splits", "train=1", "--features", "k")
    (row,) = read_csv(tmp_path / "out" / "rejects.csv")
    assert row["k"] == field
    assert said in row["tfrec_reason"]


def test_a_sign_in_texts_alone_and_a_separator_that_is_given_are_as_they_are_meant(tmp_path: Path) -> None:
    source = lines(tmp_path, "v\u241fw", "x")
    assert tfrec("convert", source, tmp_path / "a", "--splits", "train=1", "--features", "k").code == 0
    assert stored(tmp_path / "a") == [["v\u241fw".encode()], [b"x"]]
    source = lines(tmp_path, "v;w", ["x", "y"], ["\u241f"])
    done = tfrec("convert", source, tmp_path / "b", "--splits", "train=1", "--features", "k:text[;]")
    assert (done.code, stored(tmp_path / "b")) == (0, [[b"v", b"w"], [b"x", b"y"], ["\u241f".encode()]])


# What a spreadsheet leaves of a list in rejects.csv -> what is stored; None: the row is rejected again.
_EDITED = {
    "no tab": ('["q", " "]', None),
    "a blank": ('[ "q", " "]', None),
    "no first bracket": ('"q", " "]', None),
    "no last bracket": ('["q", " "', None),
    "other values in JSON": ('["q", "r"]', None),
    "values as they are to be": ("q\u241f[r]", [b"q", b"[r]"]),
    "one value in brackets": ("[q]", [b"[q]"]),
    "one value in quotes": ('"q"', [b'"q"']),
}


@pytest.mark.parametrize(("field", "wanted"), _EDITED.values(), ids=_EDITED)
def test_a_list_that_is_in_json_still_is_no_text(field: str, wanted: Any, tmp_path: Path) -> None:
    source = lines(tmp_path, ["b", "c"], ["q", " "])
    out = tmp_path / "out"
    done = tfrec("convert", source, out, "--splits", "train=1", "--features", "k", "--json")
    (row,) = read_csv(out / "rejects.csv")
    with (out / "rejects.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, row)
        writer.writeheader()
        writer.writerow({**row, "k": field})
    again = tfrec(*shlex.split(done.json["mend_command"])[1:])
    assert again.code == (wanted is None), again.err
    if wanted is None:
        assert "k is a list in JSON still (write the values with \u241f between them" in again.out
    else:
        assert stored(tmp_path / "out-mended") == [wanted]


def test_a_text_like_json_in_a_row_rejected_for_another_reason_is_a_text(tmp_path: Path) -> None:
    source = lines(tmp_path, ["b", "c"], '["q"]')
    (tmp_path / "1.png").rename(tmp_path / "x.png")
    done = tfrec(
        "convert",
        source,
        tmp_path / "out",
        "--splits",
        "train=1",
        "--features",
        "k",
        "--json",
        "--max-rejects=1",
    )
    (tmp_path / "x.png").rename(tmp_path / "1.png")
    assert tfrec(*shlex.split(done.json["mend_command"])[1:]).code == 0
    assert stored(tmp_path / "out-mended") == [[b'["q"]']]


def test_line_breaks_around_a_text_are_blanks(tmp_path: Path) -> None:
    source = lines(tmp_path, "\nx", "y\r\n")
    done = tfrec("convert", source, tmp_path / "out", "--splits", "train=1", "--features", "k")
    assert (done.code, stored(tmp_path / "out")) == (0, [[b"x"], [b"y"]]), done.err


_REFUSED = {
    "no such key": (
        "--features nope",
        "--features nope: no further key of images has that name; there are: deep.a.b, k,",
    ),
    "no such group": ("--split-by nope", "--split-by nope: no further key of images has that name"),
    "an object": ("--features deep.a", "--features deep.a: no further key of images has that name"),
    "two for one name": ("--features two.a", "--features two.a: line 1 has an object or a list"),
    "a group of objects": ("--split-by deep.a", "--split-by deep.a: no further key of images has that name"),
    "a name that the list needs": (
        "--features tfrec_place",
        "images, labels or boxes have a column of that name",
    ),
    "a value for none": ("--features k --missing z=1", "--missing z: this column is not stored"),
}


@pytest.mark.parametrize(("options", "words"), _REFUSED.values(), ids=_REFUSED)
def test_what_cannot_be_is_refused_by_name(options: str, words: str, tmp_path: Path) -> None:
    more = {"deep": {"a": {"b": 1}}, "two": {"a": 1}, "two.a": 2, "tfrec_place": "x"}
    source = lines(tmp_path, 1, 2, 3, **more)
    done = tfrec("convert", source, tmp_path / "out", *options.split())
    assert (done.code, words in " ".join(done.err.split())) == (2, True), done.err
    assert not (tmp_path / "out").exists()


def test_all_leaves_out_what_cannot_be_and_says_so(tmp_path: Path) -> None:
    source = lines(tmp_path, 1, 2, 3, deep=[{"a": {"b": 1}}], several=[1, "x"])
    done = tfrec("convert", source, tmp_path / "out", "--splits", "train=1", "--features", "all", "--json")
    assert any(told.startswith("not stored: deep, several: line 1") for told in done.json["remarks"])
    assert stored(tmp_path / "out") == [[1], [2], [3]]
    none = write(tmp_path, '{"image": "0.png", "label": "a"}\n', "none.jsonl")
    assert (
        "--features all: there is no further key"
        in tfrec("convert", none, tmp_path / "x", "--features", "all").err
    )


def test_keys_called_like_columns_of_boxes_are_no_boxes(tmp_path: Path) -> None:
    keys = {"x1": 3, "w": 4, "pose": "left", "name": "fred", "score": 0.5, "angle": 4}
    photos(tmp_path, "0.png", "1.png")
    box = {"label": "cat", "xmin": 1, "ymin": 2, "xmax": 20, "ymax": 9}
    text = "".join(json.dumps({"image": f"{n}.png", "boxes": [box]} | keys) + "\n" for n in range(2))
    source = write(tmp_path, text, "list.jsonl")
    options = ("--splits", "train=1", "--features", "all")
    assert tfrec("convert", source, tmp_path / "out", *options).code == 0
    found = records(tmp_path / "out")["0.png"]
    assert found["image/object/class/text"] == [b"cat"]
    assert found["image/object/bbox/xmax"] == [pytest.approx(20 / 80)]
    assert [found[key] for key in ("x1", "w", "pose", "name", "angle")] == [
        [3],
        [4],
        [b"left"],
        [b"fred"],
        [4],
    ]
    assert "image/object/view" not in found
    taken = write(tmp_path, text.replace('"w"', '"xmin"', 1), "taken.jsonl")
    done = tfrec("convert", taken, tmp_path / "taken", "--features", "xmin")
    assert done.code == 2


def test_plan_python_and_workers_give_the_same(tmp_path: Path) -> None:
    source = lines(tmp_path, *(n if n % 3 else None for n in range(12)), tags=["x", "y"], patient="p1")
    options = ("--features", "all", "--split-by", "patient", "--num-shards", "2")
    tfrec("convert", source, tmp_path / "out", *options)
    tfrec("convert", source, tmp_path / "two", *options, "--workers", "2")
    for step in (("plan", source, tmp_path / "steps", *options), ("write-shards", tmp_path / "steps")):
        assert tfrec(*step).code == 0
    assert tfrec("finish", tmp_path / "steps").code == 0
    tfrecordcli.convert(str(source), tmp_path / "python", features="all", split_by="patient", num_shards=2)
    shards = {path.name: path.read_bytes() for path in (tmp_path / "out").glob("*.tfrecord")}
    assert len(shards) == 2, "one patient is in one split"
    for other in ("two", "steps", "python"):
        assert {path.name: path.read_bytes() for path in (tmp_path / other).glob("*.tfrecord")} == shards


def test_several_sources_of_other_keys(tmp_path: Path) -> None:
    lines(tmp_path / "a", 1, 2)
    lines(tmp_path / "b", 0.5, 1, key="j")
    photos(tmp_path / "c", "2.png")
    write(tmp_path / "c", "image,label,k\n2.png,a,7\n")
    sources = (tmp_path / "a/list.jsonl", tmp_path / "b/list.jsonl", tmp_path / "c/list.csv")
    done = tfrec("convert", *sources, tmp_path / "out", "--splits", "train=1", "--features", "k,j")
    assert done.code == 0, done.err
    assert stored(tmp_path / "out") == [[1], [2], None, None, [7]]
    assert stored(tmp_path / "out", "j") == [None, None, [0.5], [1.0], None]
    done = tfrec("convert", *sources, tmp_path / "x", "--split-by", "j")
    assert (done.code, "--split-by j" in done.err) == (2, True)


_APART = {
    "numbers and texts with their sign": ([[1, 2]], [["p;q", "r"]], [[b"1", b"2"], [b"p;q", b"r"]]),
    "numbers and one text": ([[1, 2]], ["big; red"], [[b"1", b"2"], [b"big; red"]]),
    "texts and one number": ([["x", "y"]], [3], [[b"x", b"y"], [b"3"]]),
    "numbers and one number": ([[1, 2]], [3], [[1, 2], [3]]),
    "one text that holds the sign": ([["x", "y"]], ["v\u241fw"], [[b"x", b"y"]]),
}


@pytest.mark.parametrize(("one", "other", "wanted"), _APART.values(), ids=_APART)
@pytest.mark.parametrize("is_turned", [False, True])
def test_lists_of_several_sources_are_parted_as_each_has_them(
    one: Any, other: Any, wanted: Any, is_turned: bool, tmp_path: Path
) -> None:
    sources = [lines(tmp_path / "a", *one), lines(tmp_path / "b", *other)]
    write(tmp_path / "b", sources[1].read_text().replace("0.png", "1.png"), "list.jsonl")
    photos(tmp_path / "b", "0.png", "1.png")
    out = tmp_path / "out"
    options = ("--splits", "train=1", "--features", "all", "--json")
    done = tfrec("convert", *sources[:: -1 if is_turned else 1], out, *options)
    assert (done.code, done.json["rejected"]) == (2 - len(wanted), 2 - len(wanted)), done.err
    assert stored(out) == wanted
    if done.code:
        (row,) = read_csv(out / "rejects.csv")
        assert json.loads(row["k"]) == other
        assert "(write the values with \u241f between them); correct it" in row["tfrec_reason"]


@pytest.mark.parametrize("is_turned", [False, True])
def test_a_text_of_a_csv_beside_lists_is_asked_about(is_turned: bool, tmp_path: Path) -> None:
    photos(tmp_path / "c", "1.png")
    text = write(tmp_path / "c", "image,label,k\n1.png,a,one;two\n")
    sources = [text, lines(tmp_path / "a", ["x", "y"])][:: -1 if is_turned else 1]
    done = tfrec("convert", *sources, tmp_path / "out", "--splits", "train=1", "--features", "k")
    said = " ".join(done.err.split())
    assert (done.code, "k is one text in" in said, "--features 'k:text[;]'" in said) == (2, True, True), said
    done = tfrec("convert", *sources, tmp_path / "out", "--splits", "train=1", "--features", "k:text[;]")
    assert done.code == 0, done.err
    assert stored(tmp_path / "out") == [[b"x", b"y"], [b"one", b"two"]]


def test_a_group_of_coco_stays_in_one_split(tmp_path: Path) -> None:
    photos(tmp_path, *(f"{n}.png" for n in range(12)))
    images = [{"id": n, "file_name": f"{n}.png", "video": {"id": n // 4}, "label": "x"} for n in range(12)]
    boxes = [{"id": n, "image_id": n // 2, "category_id": 1, "bbox": [n % 2, 1, 8, 8]} for n in range(24)]
    document = {
        "annotations": boxes,
        "categories": [{"id": 1, "name": "cat"}],
        "images": [*images, images[0]],
    }
    source = write(tmp_path, json.dumps(document), "list.json")
    done = tfrec(
        "convert", source, tmp_path / "out", "--split-by", "video.id", "--splits", "train=1,test=1", "--json"
    )
    assert done.code == 0, done.err
    assert {split["records"] % 4 for split in done.json["splits"].values()} == {0}
    told = tfrec("convert", source, tmp_path / "x", "--features", "label", "--json").err
    assert "images, labels or boxes have a column of that name" in told


def test_keys_of_boxes_are_called_so(tmp_path: Path) -> None:
    photos(tmp_path / "voc", "a.png")
    box = "<bndbox><xmin>1</xmin><ymin>2</ymin><xmax>20</xmax><ymax>9</ymax></bndbox>"
    object_ = f"<object><name>cat</name><pose>Left</pose>{box}</object>"
    write(tmp_path / "voc", f"<annotation><filename>a.png</filename>{object_}</annotation>", "a.xml")
    photos(tmp_path, "b.png")
    sides = {"x": 20, "y": 20, "width": 9, "height": 9}
    marked = [{"image": "b.png", "annotations": [{"label": "cat", "conf": 0.5, "coordinates": sides}]}]
    source = write(tmp_path, json.dumps(marked), "list.json")
    for path, key in ((tmp_path / "voc", "pose"), (source, "conf")):
        done = tfrec("convert", path, tmp_path / "out", "--features", key)
        assert (done.code, f"--features {key}: this is a key of boxes" in done.err) == (2, True), done.err
    marked[0]["site"] = "north"
    source = write(tmp_path, json.dumps(marked), "list.json")
    told = tfrec("convert", source, tmp_path / "out", "--features", "conf,site").err
    assert "leave it out: --features site; " in told


def test_own_splits_of_json_lines_have_the_option_that_assigns_all_anew(tmp_path: Path) -> None:
    source = lines(tmp_path, *range(8), split="learn")
    options = ("--splits", "train=50,test=50")
    done = tfrec("convert", source, tmp_path / "out", *options, "--split-map", "learn=train", "--json")
    again = "--split-map learn=unassigned"
    assert again in " ".join(done.json["remarks"]), done.json
    done = tfrec("convert", source, tmp_path / "new", *options, *again.split(), "--json")
    assert (done.code, len(done.json["splits"])) == (0, 2), done.err
