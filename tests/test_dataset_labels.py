"""The label map: numbering, ids that stay, vocabularies that are fixed."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from boxing import photos
from converting import image_list, shell, tfrec
from converting import manifest as manifest_of
from hypothesis import given
from hypothesis import strategies as st
from joining import BOXES
from test_dataset_samples import plan_from, plan_of, write

from tfrecordcli.dataset.given_labels import read_given_labels
from tfrecordcli.dataset.label_names import read_label_names
from tfrecordcli.dataset.labels import LabelMap, build_label_map, is_canonical_id
from tfrecordcli.dataset.labels_file import read_labels_file
from tfrecordcli.errors import InputError, UsageError
from tfrecordcli.planning.label_warnings import label_warnings
from tfrecordcli.reasons import Rejected

# labels, --label-type, (kind, ids)
MAPS: dict[str, tuple[list[str], str, tuple[str, dict[str, int]]]] = {
    "names are sorted": (["dog", "cat"], "auto", ("name", {"cat": 0, "dog": 1})),
    "by code point, capitals first": (["b", "a", "B"], "auto", ("name", {"B": 0, "a": 1, "b": 2})),
    "beyond ASCII": (["é", "z", "e"], "auto", ("name", {"e": 0, "z": 1, "é": 2})),
    "ids stay": (["2", "0", "1"], "auto", ("id", {"0": 0, "1": 1, "2": 2})),
    "ids are sorted as numbers": (["10", "9", "2"], "auto", ("id", {"2": 2, "9": 9, "10": 10})),
    "the highest int64": (["9223372036854775807"], "auto", ("id", {"9223372036854775807": 2**63 - 1})),
    "above int64 they are names": (
        ["9223372036854775808", "1"],
        "auto",
        ("name", {"1": 0, "9223372036854775808": 1}),
    ),
    "a leading zero makes names": (["007", "1"], "auto", ("name", {"007": 0, "1": 1})),
    "a sign makes names": (["-1", "1"], "auto", ("name", {"-1": 0, "1": 1})),
    "a point makes names where names are": (["1.5", "a", "b"], "auto", ("name", {"1.5": 0, "a": 1, "b": 2})),
    "whole floats are ids": (["10.0", "9.0", "2.0"], "auto", ("id", {"2": 2, "9": 9, "10": 10})),
    "the highest whole float": (
        ["9223372036854775807.0"],
        "auto",
        ("id", {"9223372036854775807": 2**63 - 1}),
    ),
    "whole floats as names": (["1.0", "2"], "name", ("name", {"1.0": 0, "2": 1})),
    "floats as names": (["0.5", "-1e3"], "name", ("name", {"-1e3": 0, "0.5": 1})),
    "whole floats among ids that were asked for": (["1.0", "1", "2.0", "x"], "id", ("id", {"1": 1, "2": 2})),
    "other digits make names": (["١", "2"], "auto", ("name", {"2": 0, "١": 1})),
    "one name makes names": (["0", "1", "cat"], "auto", ("name", {"0": 0, "1": 1, "cat": 2})),
    "numbers as names": (["10", "9"], "name", ("name", {"10": 0, "9": 1})),
    "ids that were asked for": (["3", "cat", "03"], "id", ("id", {"3": 3})),
    "no label at all": ([], "auto", ("name", {})),
}


@pytest.mark.parametrize(("names", "label_type", "expected"), MAPS.values(), ids=MAPS)
def test_map(names: list[str], label_type: str, expected: tuple[str, dict[str, int]]) -> None:
    for order in (names, names[::-1]):
        labels = build_label_map(order, label_type)
        assert (labels.kind, labels.ids) == expected
        assert list(labels.ids.values()) == sorted(labels.ids.values())


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1), unique=True))
def test_map_is_a_bijection_onto_the_first_ids(names: list[str]) -> None:
    labels = build_label_map(names, "name")
    assert sorted(labels.ids.values()) == list(range(len(names)))
    assert [labels.id_of(name) for name in sorted(names)] == list(range(len(names)))


@given(st.integers(-(2**70), 2**70))
def test_canonical_ids(number: int) -> None:
    assert is_canonical_id(str(number)) is (0 <= number < 2**63)
    assert not is_canonical_id(f"0{number}")
    assert not is_canonical_id(f"{number}\n")


ID_OF: dict[str, tuple[LabelMap, str, str]] = {
    "a name that is not there": (LabelMap("name", {"cat": 0}, "l.txt"), "dog", "unknown_label"),
    "not an id": (LabelMap("id", {"3": 3}), "cat", "bad_label_id"),
    "not as a program prints it": (LabelMap("id", {"3": 3}), "03", "bad_label_id"),
    "above int64": (LabelMap("id", {"3": 3}), str(2**63), "bad_label_id"),
    "an id that is not there": (LabelMap("id", {"3": 3}, "l.txt"), "4", "unknown_label"),
}


@pytest.mark.parametrize(("labels", "name", "code"), ID_OF.values(), ids=ID_OF)
def test_id_of_what_is_not_in_the_map(labels: LabelMap, name: str, code: str) -> None:
    with pytest.raises(Rejected) as caught:
        labels.id_of(name)
    assert caught.value.code == code
    assert repr(name) in caught.value.reason
    assert labels.source in caught.value.reason


# content of --labels, --label-type, (kind, ids)
FILES: dict[str, tuple[str | bytes, str, tuple[str, dict[str, int]]]] = {
    "id is the line": ("dog\ncat\n", "auto", ("name", {"dog": 0, "cat": 1})),
    "no line end at the end": ("dog\ncat", "auto", ("name", {"dog": 0, "cat": 1})),
    "CRLF": ("dog\r\ncat\r\n", "auto", ("name", {"dog": 0, "cat": 1})),
    "byte order mark": ("\ufeffdog\ncat\n", "auto", ("name", {"dog": 0, "cat": 1})),
    "blank lines at the end": ("dog\ncat\n\n \n", "auto", ("name", {"dog": 0, "cat": 1})),
    "outer blanks": (" dog \n\tcat\n", "auto", ("name", {"dog": 0, "cat": 1})),
    "blanks inside": ("big dog\n", "auto", ("name", {"big dog": 0})),
    "capitals apart": ("Dog\ndog\n", "auto", ("name", {"Dog": 0, "dog": 1})),
    "ids": ("10\n2\n", "auto", ("name", {"10": 0, "2": 1})),
    "ids as names": ("10\n2\n", "name", ("name", {"10": 0, "2": 1})),
    "ids that were asked for": ("10\n2\n", "id", ("id", {"2": 2, "10": 10})),
    "leading zeros": ("007\n1\n", "auto", ("name", {"007": 0, "1": 1})),
}


@pytest.mark.parametrize(("content", "label_type", "expected"), FILES.values(), ids=FILES)
def test_labels_file(
    content: str | bytes, label_type: str, expected: tuple[str, dict[str, int]], tmp_path: Path
) -> None:
    labels = read_labels_file(str(write(tmp_path, content, "labels.txt")), label_type)
    assert (labels.kind, labels.ids) == expected


def test_the_labels_of_a_dataset_keep_their_ids(tmp_path: Path) -> None:
    first, second = image_list(tmp_path / "a", 6), image_list(tmp_path / "b", 1)
    assert tfrec("convert", first, tmp_path / "out").code == 0
    manifest = tmp_path / "out" / "manifest.json"
    assert tfrec("convert", second, tmp_path / "more", "--labels", manifest).code == 0
    assert manifest_of(tmp_path / "more")["labels"] == manifest_of(tmp_path / "out")["labels"]
    with pytest.raises(InputError, match="its ids begin at 0, those of this list at 1"):
        read_labels_file(str(manifest), "auto", 1)
    with pytest.raises(InputError, match="its labels are names"):
        read_labels_file(str(manifest), "id")
    manifest.write_text(manifest.read_text().replace("{", "{ ", 1).replace('"rows"', '"row"'))
    with pytest.raises(InputError, match=r"manifest\.json"):
        read_labels_file(str(manifest), "auto")


# content of a file, its first id, what is said of its ids
OF_OTHER_LISTS = {
    "a label map from 1 for a classification list": (
        "item { id: 1 name: 'a' } \nitem { id: 2 display_name: 'x' name: 'b' }",
        0,
        "its ids begin at 1, those of this list are 0",
    ),
    "one with gaps": (
        'item {\n  id: 0\n  name: "a"\n}\nitem {\n  id: 2\n  name: "b"\n}\n',
        0,
        "its ids begin at 0 and have gaps",
    ),
    "one from 0 for a list of boxes": (
        "item { id: 0\nname: 'a' }\nitem { name: 'b'\nid: 1 }",
        1,
        "its ids begin at 0, those of this list begin at 1",
    ),
    "names of all kinds": (
        "# item { name: 'no' }\nitem { name: 'b' id: 2 } item { id: 1 display_name: 'a' }",
        0,
        "its ids begin at 1",
    ),
    "lines that are ids": ("1\n3\n", 0, "is 1 the id 1, or a name with the id 0?"),
}


@pytest.mark.parametrize(("content", "first_id", "words"), OF_OTHER_LISTS.values(), ids=OF_OTHER_LISTS)
def test_ids_of_a_given_file_are_not_changed_without_a_word(
    content: str, first_id: int, words: str, tmp_path: Path
) -> None:
    path = write(tmp_path, content, "names of it.pbtxt")
    with pytest.raises(InputError, match=re.escape(words)) as caught:
        read_given_labels(str(path), "auto", first_id)
    hint = caught.value.hint or ""
    if "item" in content:
        assert hint.endswith(" > names.txt, then --labels names.txt")
        command = hint.removeprefix("to number its names again: ").partition(", then")[0]
        subprocess.run(command, shell=True, cwd=tmp_path, check=True)
        labels = read_given_labels(str(tmp_path / "names.txt"), "auto", first_id)
        assert labels.ids == {"a": first_id, "b": first_id + 1}
    else:
        assert read_given_labels(str(path), "id", first_id).ids == {"1": 1, "3": 3}
        assert read_given_labels(str(path), "name", first_id).ids == {"1": 0, "3": 1}


def test_the_labels_txt_of_a_dataset_whose_ids_are_others_says_so(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    boxes = write(tmp_path, f"{BOXES}a.png,dog,1,2,9,8\nb.png,cat,1,2,9,8\n", "boxes.csv")
    plain = write(tmp_path, "image,label\na.png,dog\nb.png,cat\n", "plain.csv")
    assert tfrec("convert", boxes, tmp_path / "boxes").code == 0
    run = tfrec("convert", plain, tmp_path / "out", "--labels", tmp_path / "boxes" / "labels.txt")
    assert "labels.txt: label ids begin at 0; those of its dataset at 1" in run.err
    assert manifest_of(tmp_path / "out")["labels"] == {"cat": 0, "dog": 1}


def label_map(*names: str) -> str:
    return "".join(f"item {{ id: {number} name: {name} }}\n" for number, name in enumerate(names, 1))


# items of a label map from 1 -> their names
ODD_NAMES = {
    "escapes": (["'it\\'s'", '"a \\"b\\" $HOME"', r"'\303\251'"], ["it's", 'a "b" $HOME', "é"]),
    "signs of options": (["'-n'", "'%s'", "'back\\\\slash'"], ["-n", "%s", "back\\slash"]),
    "numbers": (["'7'", "'5'"], ["7", "5"]),
}


@pytest.mark.parametrize(("items", "names"), ODD_NAMES.values(), ids=ODD_NAMES)
def test_the_command_that_numbers_names_again_keeps_them(
    items: list[str], names: list[str], tmp_path: Path
) -> None:
    path = write(tmp_path, label_map(*items), "map.pbtxt")
    with pytest.raises(InputError, match="its ids begin at 1") as caught:
        read_given_labels(str(path), "name")
    command, _, options = (caught.value.hint or "").partition(": ")[2].partition(", then --labels names.txt")
    subprocess.run(command, shell=True, cwd=tmp_path, check=True)
    label_type = options.removeprefix(" --label-type ") or "auto"
    labels = read_given_labels(str(tmp_path / "names.txt"), label_type)
    assert labels.ids == {name: number for number, name in enumerate(names)}


def test_a_long_command_that_numbers_names_again_is_shown_whole(tmp_path: Path) -> None:
    photos(tmp_path, "a.png")
    write(tmp_path, label_map(*(f"'{n:015}'" for n in range(123))), "map.pbtxt")
    write(tmp_path, f"image,label\na.png,{0:015}\n", "list.csv")
    options = ("--labels", "map.pbtxt", "--label-type", "name")
    done = tfrec("convert", "list.csv", "out", *options, cwd=tmp_path)
    hint = done.err.strip().rpartition("\n")[2]
    assert len(hint) > 2_000
    assert " > names.txt, then --labels names.txt" in hint


@pytest.mark.parametrize(
    "names",
    [["' a'"], [r"'a\nb'"], ["'item {'"], [f"'{n:0100}'" for n in range(99)]],
    ids=lambda names: names[0],
)
def test_names_that_no_line_or_no_short_command_holds_are_not_proposed(
    names: list[str], tmp_path: Path
) -> None:
    path = write(tmp_path, label_map(*names), "map.pbtxt")
    with pytest.raises(InputError, match="its ids begin at 1") as caught:
        read_given_labels(str(path), "name")
    assert (caught.value.hint or "").startswith("to number its names again, leave out --labels")


# items of the label map of a dataset of boxes, lines of its labels.txt then, first id, what is said
OTHER_LINES: dict[str, tuple[dict[str, int], str, int, str]] = {
    "gaps": ({"cat": 1, "dog": 9}, "cat\ndog\n", 1, "'dog' has the id 9 in its dataset, and 2 by its line"),
    "gaps and another first id": ({"cat": 1, "dog": 9}, "cat\ndog\n", 0, "'dog' has the id 9 in its dataset"),
    "another order": ({"cat": 1, "dog": 2}, "dog\ncat\n", 1, "'cat' has the id 1 in its dataset, and 2 by"),
    "that and another first id": ({"cat": 1, "dog": 2}, "dog\ncat\n", 0, "'cat' has the id 1 in its dataset"),
    "a name before": ({"cat": 1, "dog": 2}, "ant\ncat\ndog\n", 1, "'cat' has the id 1 in its dataset"),
    "a name less": ({"cat": 1, "dog": 2}, "dog\n", 1, "'dog' has the id 2 in its dataset, and 1 by its line"),
}


def dataset_of(ids: dict[str, int], folder: Path) -> Path:
    """The labels.txt of a dataset of boxes with these ids."""
    photos(folder, "a.png")
    boxes = write(folder, BOXES + "".join(f"a.png,{name},1,2,9,8\n" for name in ids), "boxes.csv")
    items = "".join(f"item {{ id: {number} name: '{name}' }}" for name, number in ids.items())
    given_map = write(folder, items, "map.pbtxt")
    words = ("--labels", given_map, "--label-type", "name")
    assert tfrec("convert", boxes, folder / "out", *words).code == 0
    return folder / "out" / "labels.txt"


@pytest.mark.parametrize(("ids", "lines", "first_id", "said"), OTHER_LINES.values(), ids=OTHER_LINES)
def test_lines_that_give_a_name_another_id_than_its_dataset_are_refused(
    ids: dict[str, int], lines: str, first_id: int, said: str, tmp_path: Path
) -> None:
    labels = dataset_of(ids, tmp_path)
    labels.write_text(lines)
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        read_given_labels(str(labels), "auto", first_id)
    keeps, _, again = (caught.value.hint or "").rpartition("to number its names again: ")
    assert bool(keeps) == (first_id == 1)
    if keeps:
        manifest = keeps.removeprefix("--labels ").removesuffix(" keeps its ids; ")
        assert read_given_labels(manifest, "auto", first_id).ids == ids
    subprocess.run(again.partition(", then")[0], shell=True, cwd=tmp_path, check=True)
    assert [*read_given_labels(str(tmp_path / "names.txt"), "auto", first_id).ids] == lines.split()


def test_lines_behind_those_of_a_dataset_are_further_labels(tmp_path: Path) -> None:
    labels = dataset_of({"cat": 1, "dog": 2}, tmp_path)
    labels.write_text("cat\ndog\nant\n")
    given_labels = read_given_labels(str(labels), "auto", 1)
    assert given_labels.ids == {"cat": 1, "dog": 2, "ant": 3}
    assert not given_labels.note


def test_ids_of_a_dataset_that_are_asked_to_be_names_are_numbered(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    plain = write(tmp_path, "image,label\na.png,5\nb.png,7\n", "plain.csv")
    assert tfrec("convert", plain, tmp_path / "out").code == 0
    labels = str(tmp_path / "out" / "labels.txt")
    assert read_given_labels(labels, "name").ids == {"5": 0, "7": 1}
    assert read_given_labels(labels, "id").ids == {"5": 5, "7": 7}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"name": "app"}', "no manifest of tfrec"),
        ('{"identity": 1, "checksum": 2}', "damaged"),
        ("[", "no manifest of tfrec"),
    ],
)
def test_a_manifest_that_cannot_be_read_does_not_keep_the_labels_beside_it_from_use(
    content: str, said: str, tmp_path: Path
) -> None:
    write(tmp_path, content, "manifest.json")
    labels = read_given_labels(str(write(tmp_path, "dog\ncat\n", "labels.txt")), "auto")
    assert labels.ids == {"dog": 0, "cat": 1}
    assert said in labels.note


def test_names_that_are_numbers_are_numbered_again_as_names(tmp_path: Path) -> None:
    labels = dataset_of({"0": 1, "1": 2}, tmp_path)
    with pytest.raises(InputError, match="its ids begin at 1") as caught:
        read_given_labels(str(labels.with_name("manifest.json")), "auto")
    hint = caught.value.hint or ""
    subprocess.run(hint.partition(": ")[2].partition(", then")[0], shell=True, cwd=tmp_path, check=True)
    label_type = hint.partition(" --label-type ")[2] or "auto"
    assert read_given_labels(str(tmp_path / "names.txt"), label_type, 0).ids == {"0": 0, "1": 1}
    assert label_type == "name"


def test_the_manifest_of_names_that_are_numbers_tells_what_they_are(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    plain = write(tmp_path, "image,label\na.png,1\nb.png,2\n", "plain.csv")
    for label_type, ids in (("name", {"1": 0, "2": 1}), ("id", {"1": 1, "2": 2})):
        first, second = tmp_path / label_type, tmp_path / f"{label_type}-again"
        assert tfrec("convert", plain, first, "--label-type", label_type).code == 0
        words = ("--labels", first / "manifest.json", "--new-labels", "append")
        assert tfrec("convert", plain, second, *words).code == 0
        assert manifest_of(second)["labels"] == ids


def test_names_that_are_numbered_otherwise_than_by_their_ids_are_told(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    plain = write(tmp_path, "image,label\na.png,1\nb.png,3\n", "plain.csv")
    names = write(tmp_path, "3,dog\n1,cat\n", "names.csv")
    run = tfrec("convert", plain, tmp_path / "out", "--label-names", names)
    said = "names are numbered from 0 in the order of their ids, as dog 1 instead of 3"
    assert run.code == 0, run.err
    assert said in run.err
    names = write(tmp_path, "0,pug\n1,cat\n2,fox\n3,dog\n", "names.csv")
    run = tfrec("convert", plain, tmp_path / "out2", "--label-names", names)
    assert "names are numbered" not in run.err


@pytest.mark.parametrize("text", ["n02 1\nn01 5\n", '{"n02": 1, "n01": 5}'])
def test_ids_behind_codes_of_the_list_are_warned_of_where_they_are_not_kept(
    text: str, tmp_path: Path
) -> None:
    plain = write(tmp_path, "image,label\na.png,n01\nb.png,n02\n", "plain.csv")
    for file, is_told in (("moved", True), ("kept", False)):
        names = write(tmp_path, text if is_told else text.replace("1", "0", 1).replace("5", "1"), file)
        made = plan_from(str(plain), tmp_path, label_names=str(names))
        warned = any("as n02 0 instead of 1" in each for each in made.plan.warnings)
        assert (made.labels_text, warned) == ("n02\nn01\n", is_told)


@pytest.mark.parametrize(
    "text",
    [
        "0,tench, Tinca tinca\n1,goldfish\n",
        '0,"tench, Tinca tinca"\n1,goldfish\n',
        "0 tench, Tinca tinca\n1 goldfish\n",
    ],
)
def test_names_of_ids_may_have_commas(text: str, tmp_path: Path) -> None:
    names = read_label_names(str(write(tmp_path, text, "names.txt"))).names
    assert names == {"0": "tench, Tinca tinca", "1": "goldfish"}


# files with names before ids or codes, and the names by these
NAMES_FIRST: dict[str, tuple[str, dict[str, str]]] = {
    "places": ("/a/airfield 0\n/b/beach 48\n", {"0": "/a/airfield", "48": "/b/beach"}),
    "below a header": ("name,id\nwild cat,1\ndog,0\n", {"1": "wild cat", "0": "dog"}),
    "of several words": ("cat 0\nwild cat 1\n", {"0": "cat", "1": "wild cat"}),
    "in quotes": ('"corn, yellow"\t1\nrye\t2\n', {"1": "corn, yellow", "2": "rye"}),
    "of Keras": ('{"cat": 0, "dog": 1}', {"0": "cat", "1": "dog"}),
    "of one word, as before": ("A type 1\nB type 2\n", {"A": "type 1", "B": "type 2"}),
    "of numbers": ("7 1\n8 0\n", {"7": "1", "8": "0"}),
    "of numbers in JSON": ('{"7": "1", "8": "0"}', {"7": "1", "8": "0"}),
    "among further columns": ('id,name,supercat\n1,"cat, wild",x\n2,dog,y\n', {"1": "cat, wild", "2": "dog"}),
    "among further columns, last": (
        ";Class Name;colour;class_id\n0;cat;red;7\n1;dog;;8\n",
        {"7": "cat", "8": "dog"},
    ),
    "of years": ("A 2001\nB 2001\n", {"A": "2001 (A)", "B": "2001 (B)"}),
}


@pytest.mark.parametrize(("text", "names"), NAMES_FIRST.values(), ids=NAMES_FIRST)
def test_names_may_stand_before_their_ids(text: str, names: dict[str, str], tmp_path: Path) -> None:
    assert read_label_names(str(write(tmp_path, text, "names.txt"))).names == names


def test_what_is_no_code_and_its_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="3 fields a line where a code and its name are needed") as caught:
        read_label_names(str(write(tmp_path, '0,tench,"fish, wild"\n1,goldfish,fish\n', "names.txt")))
    command, made = caught.value.hint.partition("two: ")[2].partition("; then --label-names ")[::2]
    assert shell(command, tmp_path).code == 0
    assert read_label_names(made.partition(";")[0]).names == {"0": "tench", "1": "goldfish"}
    padded = "Label, Latin Name  , Trained\nn0   , alouatta   , 10 \nn1   , aotus      , 9\n"
    with pytest.raises(InputError, match="3 fields a line where a code and its name are needed") as caught:
        read_label_names(str(write(tmp_path, padded, "padded.txt")))
    command, made = caught.value.hint.partition("two: ")[2].partition("; then --label-names ")[::2]
    assert shell(command, tmp_path).code == 0
    names = {"Label": "Latin Name", "n0": "alouatta", "n1": "aotus"}
    assert read_label_names(made.partition(";")[0]).names == names
    with pytest.raises(InputError, match="line 1: a code and its name are needed"):
        read_label_names(str(write(tmp_path, "n0 , alouatta\nn1 , aotus, wild, x\n", "uneven.txt")))
    with pytest.raises(InputError, match="line 3: 1 fields are too few"):
        read_label_names(str(write(tmp_path, "id,name,kind\n0,tench,fish\n1\n", "names.txt")))
    with pytest.raises(InputError, match="line 2: more than 10,000 characters"):
        read_label_names(str(write(tmp_path, f"0,tench\n1,{'fish' * 50_000}\n", "names.txt")))


# content of --labels, --label-type, words of the error
BAD_FILES: dict[str, tuple[str | bytes, str, list[str]]] = {
    "empty": ("", "auto", ["no label"]),
    "blank": ("\n \n", "auto", ["no label"]),
    "a blank line between": ("dog\n\ncat\n", "auto", ["line 2", "empty"]),
    "a blank line first": ("\ndog\n", "auto", ["line 1", "empty"]),
    "doubled": ("dog\ncat\ndog\n", "auto", ["line 3", "'dog'", "line 1"]),
    "doubled but for blanks": ("dog\ndog \n", "auto", ["line 2", "'dog'", "line 1"]),
    "doubled id": ("7\n7\n", "auto", ["line 2", "'7'", "line 1"]),
    "control character": ("dog\nc\x07at\n", "auto", ["line 2"]),
    "not UTF-8": (b"dog\nK\xe4se\n", "auto", ["byte 5", "UTF-8"]),
    "names where ids were asked for": ("3\ncat\n", "id", ["line 2", "'cat'", "--label-type name"]),
    "too large where ids were asked for": (f"3\n{2**63}\n", "id", ["line 2", str(2**63)]),
}


@pytest.mark.parametrize(("content", "label_type", "words"), BAD_FILES.values(), ids=BAD_FILES)
def test_bad_labels_file(content: str | bytes, label_type: str, words: list[str], tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_labels_file(str(write(tmp_path, content, "labels.txt")), label_type)
    for word in ("labels.txt", *words):
        assert word in str(caught.value)


@pytest.mark.parametrize(
    "make", [lambda p: p / "gone", lambda p: p, lambda p: f"{p}/a\0b"], ids=["gone", "folder", "NUL"]
)
def test_labels_file_that_cannot_be_read(make: Callable[[Path], Any], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--labels"):
        read_labels_file(str(make(tmp_path)), "auto")


# labels, a word of the only warning ("" for none)
WARNINGS: dict[str, tuple[list[str], str]] = {
    "plain names": (["cat", "Dog_2"], ""),
    "look alike": (["cat", "Cat"], "'Cat' and 'cat'"),
    "look alike but for their width": (["OK", "ＯＫ"], "look alike are kept apart: 'OK' and 'ＯＫ'"),
    "look alike but for blanks": (["black_cat", "black_Cat"], "look alike"),
    "ids without gaps": (["0", "1", "2"], ""),
    "ids with gaps": (["0", "2"], "the highest is 2"),
    "ids that start at 1": (["1", "2"], "the highest is 2"),
    "a name that AutoML refuses": (["2 cats", "dog"], ""),
    "numbers and one that is no id": (["-1", "0", "1"], "but for '-1'"),
    "numbers among names": (["0", "cat", "dog"], ""),
    "whole floats without gaps": (["0.0", "1.0"], ""),
    "no labels": ([], ""),
}


def test_ids_of_boxes_that_begin_at_0_have_no_gaps() -> None:
    for names, has_gaps in ((["0", "1", "2"], False), (["1", "2"], False), (["0", "2"], True)):
        labels = build_label_map(names, "id", 1)
        assert any("gaps" in warning for warning in label_warnings(labels, "id", 1)) == has_gaps


@pytest.mark.parametrize(("names", "word"), WARNINGS.values(), ids=WARNINGS)
def test_label_warnings(names: list[str], word: str) -> None:
    warnings = label_warnings(build_label_map(names, "auto"), "auto")
    assert len(warnings) == bool(word)
    assert word in "".join(warnings)


def test_many_ids_far_apart_may_be_numbers_to_predict() -> None:
    for step, is_told in ((7, True), (1, False)):
        labels = build_label_map([str(5 + i * step) for i in range(20)], "auto")
        (warning,) = label_warnings(labels, "auto", may_be_targets=True)
        assert ("--task regression" in warning) is is_told
        assert "--task regression" not in "".join(label_warnings(labels, "auto"))


def test_a_label_of_the_source_below_the_first_id_is_told_where_it_is_left_out() -> None:
    ids = {"car": 1, "person": 0}
    left_out = build_label_map(["car"], "auto", 1, ids)
    assert left_out.ids == {"car": 1}
    assert left_out.note.startswith("'person' has an id below 1 and no box, and is left out")
    raised = build_label_map(["car", "person"], "auto", 1, ids)
    assert raised.ids == {"person": 1, "car": 2}
    assert raised.note.startswith("label ids are those of the list plus 1: ")
    assert build_label_map(["car"], "auto", 0, ids).note == ""


def test_ids_of_boxes_begin_at_1() -> None:
    labels = build_label_map(["1", "2"], "auto", first_id=1)
    assert not label_warnings(labels, "auto", first_id=1)


@pytest.mark.parametrize(
    ("numbers", "is_told"),
    [
        ([2 * number for number in range(40)], True),
        ([*range(1, 30)] * 2, True),  # each in two rows
        ([*range(1, 30)] * 3, False),
        ([*range(1, 10)] * 2, False),  # few
        ([1000 * number for number in range(25)] * 9, True),
    ],
)
def test_numbers_of_few_rows_each_or_far_apart_may_be_targets(
    numbers: list[int], is_told: bool, tmp_path: Path
) -> None:
    rows = (f"p/{at}.jpg,{number}\n" for at, number in enumerate(numbers))
    (told,) = (w for w in plan_of(tmp_path, ["image,label\n", *rows]).plan.warnings if "ids have gaps" in w)
    assert ("where they are numbers to predict, --task regression takes them so" in told) == is_told
