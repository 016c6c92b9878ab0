"""Values as NumPy 2 writes them are read as what stands in them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from converting import convert_json, jpeg, manifest, shell

from tfrecordcli.sources.numpy_values import without_types

_BOXES: Final = "[np.int64(1), np.int64(2), np.int64(8), np.int64(9)]"
_ROWS: Final = ("a.jpg,cat,{0}", "b.jpg,dog,{0}")
LISTS: Final = {
    "boxes": ("image,label,bbox", _ROWS, f'"{_BOXES}"'),
    "floats": ("image,label,bbox", _ROWS, f'"{_BOXES}"'.replace("int64", "float32")),
    "sides": ("image,label,x1,y1,x2,y2", _ROWS, "np.int64(1),numpy.int64(2),np.uint8(8),9"),
    "labels": ("image,labels", ("a.jpg,[{0}('cat')]", "b.jpg,\"[{0}('dog'), {0}('cat')]\""), "np.str_"),
    "labels first": ("label,image", ("{0}('cat'),a.jpg", "{0}('dog'),b.jpg"), "np.str_"),
    "sides first": ("x1,y1,x2,y2,image,label", ("{0},2,8,9,a.jpg,cat", "{0},2,8,9,b.jpg,dog"), "np.int8(1)"),
    "behind blanks": ("image, label", ("a.jpg, {0}('cat')", "b.jpg, {0}('dog')"), "np.str_"),
    "behind bars": ("image|label|n", ("a.jpg|{0}('cat')|1", "b.jpg|{0}('dog')|2"), "numpy.str_"),
    "UTF-16": ("image,label,n", ("a.jpg,{0}('cat'),ö", "b.jpg,{0}('dog'),ö"), "np.str_"),
    "tuples": ("image,labels", ("a.jpg,\"({0}('cat'),)\"", "b.jpg,\"('dog', {0}('cat'))\""), "np.str_"),
}


@pytest.mark.parametrize(("head", "rows", "value"), LISTS.values(), ids=LISTS)
def test_what_stands_in_values_of_numpy_is_read(
    head: str, rows: tuple[str, ...], value: str, tmp_path: Path
) -> None:
    _write(tmp_path, head, *(row.format(value) for row in rows))
    if "ö" in rows[0]:
        path = tmp_path / "list.csv"
        path.write_text(path.read_text(encoding="utf-8"), encoding="utf-16")
    encoding = ("--encoding", "utf-16") if "ö" in rows[0] else ()
    form = ("--box-format", "xyxy") if "x1" in head or "bbox" in head else ()
    options = ("--splits", "train=1", *form, *encoding)
    done = convert_json("list.csv", "out", *options, cwd=tmp_path)
    assert (done["exit_code"], done["records"]) == (0, 2), done
    assert sorted(manifest(tmp_path / "out")["labels"]) == ["cat", "dog"]
    assert any("which NumPy writes" in note for note in done["remarks"])


def test_a_command_that_reads_such_a_list_comes_after_the_one_that_leaves_the_types_out(
    tmp_path: Path,
) -> None:
    _write(
        tmp_path,
        "image,labels,boxes",
        f"a.jpg,[np.str_('cat')],\"[{_BOXES}]\"",
        f"b.jpg,['dog'],\"[{_BOXES}]\"",
    )
    refused = convert_json("list.csv", "out", cwd=tmp_path)
    command = refused["error"]["hint"].partition("first: ")[2].partition("; then")[0]
    assert shell(command, tmp_path).code == 0
    assert (tmp_path / "list-plain.csv").read_text(encoding="utf-8") == (
        "image,labels,boxes\na.jpg,['cat'],\"[[1, 2, 8, 9]]\"\nb.jpg,['dog'],\"[[1, 2, 8, 9]]\"\n"
    )
    hint = convert_json("list-plain.csv", "out", cwd=tmp_path)["error"]["hint"]
    assert "make a row of each box: " in hint


_TWO: Final = '"[[1. 2. 8. 9.]\n [ 2.5 1. 1e+01\n  7. ]]"'
_ARRAYS: Final = {
    "names that are unknown": ("photo,found,animals", f"a.jpg,{_TWO},['wild boar' 'dog']", "b.jpg,[],[]"),
    "boxes alone": ("image,boxes,labels", f"a.jpg,{_TWO},\"['wild boar', 'dog']\"", "b.jpg,[],[]"),
    "labels alone": (
        "image,bbox,label",
        "a.jpg,\"[[1, 2, 8, 9], [2.5, 1, 10, 7]]\",['wild boar' 'dog']",
        "b.jpg,[],[]",
    ),
}


@pytest.mark.parametrize("lines", _ARRAYS.values(), ids=_ARRAYS)
def test_boxes_and_labels_in_text_of_arrays_get_the_command_that_makes_a_row_of_each(
    lines: tuple[str, str, str], tmp_path: Path
) -> None:
    _write(tmp_path, *lines)
    hint = convert_json("list.csv", "out", cwd=tmp_path)["error"]["hint"]
    command = hint[hint.index("python -c ") :].partition("; --task")[0]
    assert shell(command, tmp_path).code == 0
    label, made = lines[0].split(",")[2], tmp_path / "list-boxes.csv"
    made.write_text(made.read_text(encoding="utf-8").replace(",boxes,", ",bbox,", 1), encoding="utf-8")
    options = ("--splits", "train=1", "--columns", f"label={label}", "--box-format", "xyxy")
    done = convert_json("list-boxes.csv", "out", *options, cwd=tmp_path)
    assert (done["exit_code"], done["records"], done["boxes"]["stored"]) == (0, 2, 2), done
    assert sorted(manifest(tmp_path / "out")["labels"]) == ["dog", "wild boar"]


def test_an_array_of_four_numbers_is_no_box_of_matlab(tmp_path: Path) -> None:
    _write(tmp_path, "photo,found", "a.jpg,[ 1. 2. 8.5 9.]", "b.jpg,[1.5 2. 8. 9. ]")
    assert "MATLAB" not in str(convert_json("list.csv", "out", cwd=tmp_path)["error"])


@pytest.mark.parametrize(
    ("field", "read"),
    [
        ("[np.str_('wild boar (young)'), np.str_(\"it's\")]", "['wild boar (young)', \"it's\"]"),
        ("{numpy.int32(-1), np.float64(1e-05), np.float64(nan)}", "{-1, 1e-05, nan}"),
        ("[np.True_, np.False_]", "[True, False]"),
        ("[[np.int64(1), np.int64(2)], []]", "[[1, 2], []]"),
        ("np.str_('cat')", "cat"),
        ("np.mean(1) of np.int64(2)", "np.mean(1) of np.int64(2)"),
        ("np.int64(3).jpg", "np.int64(3).jpg"),
        ("['map.jpg(1)']", "['map.jpg(1)']"),
        ("[np.int64(0) is odd]", "[np.int64(0) is odd]"),
        ("(np.int64(0)) and (1)", "(np.int64(0)) and (1)"),
        ("{'n': np.int64(0), \"box\": [1.5, None]}", "{'n': 0, \"box\": [1.5, None]}"),
    ],
)
def test_fields_of_nothing_but_such_values_lose_their_types(field: str, read: str) -> None:
    assert without_types([field, "cat"]) == [read, "cat"]


def _write(folder: Path, *lines: str) -> None:
    for number, name in enumerate("ab"):
        (folder / f"{name}.jpg").write_bytes(jpeg(number))
    (folder / "list.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
