"""Sources that are no folder: DataFrames, standard input, files; and where their images are."""

from __future__ import annotations

import datetime
import io
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from test_dataset_samples import plan_from, plan_of, write

from tfrecordcli.errors import InputError
from tfrecordcli.given_options import make_options
from tfrecordcli.sources.label_fields import places_of
from tfrecordcli.sources.opened_source import open_source
from tfrecordcli.sources.row import Row
from tfrecordcli.sources.source import Source


def opened(source: Any, **options: Any) -> tuple[Source, list[Row]]:
    with open_source(source, make_options(options).read, "out") as found:
        return found, list(found.rows.read()[1])


def frame_rows(frame: Any, **options: Any) -> list[tuple[Any, ...]]:
    """(split, image_uri, *labels) of each row; a reject is its code."""
    return [
        row.problem.code if row.problem else (row.split, row.image_uri, *row.labels)
        for row in opened(frame, **options)[1]
    ]


def frame(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame({"image_uri": ["a.jpg", "b.jpg"], **columns})


# labels of a.jpg and b.jpg as a DataFrame has them, and what they are
LABELS: dict[str, tuple[Any, list[tuple[str, ...]]]] = {
    "text": (["x", "y"], [("x",), ("y",)]),
    "text that looks missing": (["NA", "nan"], [("NA",), ("nan",)]),
    "text that looks like a number": (["007", "1.0"], [("007",), ("1.0",)]),
    "commas and quotes": (["x,y", 'say "z"'], [("x,y",), ('say "z"',)]),
    "int": ([3, 10], [("3",), ("10",)]),
    "numpy int": (np.array([3, 10], np.int32), [("3",), ("10",)]),
    "int64 beyond floats": ([2**53 + 1, 2**63 - 1], [("9007199254740993",), ("9223372036854775807",)]),
    "int that became float": ([3, None], [("3",), ()]),
    "float32": (np.array([3, np.nan], np.float32), [("3",), ()]),
    "nullable int": (pd.array([3, None], "Int64"), [("3",), ()]),
    "float": ([0.5, 2.0], [("0.5",), ("2",)]),
    "None": (["x", None], [("x",), ()]),
    "NaN among text": (["x", float("nan")], [("x",), ()]),
    "pd.NA among objects": (pd.Series(["x", pd.NA], dtype=object), [("x",), ()]),
    "nullable text": (pd.array(["x", None], "string"), [("x",), ()]),
    "empty text": (["x", ""], [("x",), ()]),
    "categorical": (pd.Categorical(["y", "x"]), [("y",), ("x",)]),
    "categorical with a gap": (pd.Categorical(["y", None]), [("y",), ()]),
    "categorical of numbers": (pd.Categorical([7, 3]), [("7",), ("3",)]),
    "bool": ([True, False], [("True",), ("False",)]),
    "lists": ([["x", "y"], ["z"]], [("x", "y"), ("z",)]),
    "an empty list": ([["x"], []], [("x",), ()]),
    "lists of numbers": ([[1, 2], [3]], [("1", "2"), ("3",)]),
    "lists with gaps": ([["x", None, "y"], [float("nan")]], [("x", "y"), ()]),
    "tuples": ([("x", "y"), ("z",)], [("x", "y"), ("z",)]),
    "arrays, as parquet gives them": ([np.array(["x", "y"]), np.array([], object)], [("x", "y"), ()]),
    "truth values, a place each": ([np.array([True, False, False]), [0, 0, 1]], [("0",), ("2",)]),
    "vectors of 0 and 1": ([np.array([0.0, 1.0, 1.0]), np.array([0.0, 0.0, 0.0])], [("1", "2"), ()]),
    "ids in pairs": ([[0, 1], [0, 1]], [("0", "1"), ("0", "1")]),
    "bytes": ([b"x", "y"], [("x",), ("y",)]),
    "arrays of numbers": ([np.array([1, 2]), np.array([3])], [("1", "2"), ("3",)]),
}


@pytest.mark.parametrize(("labels", "expected"), LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("place", ["last", "first"])
def test_labels_of_a_frame(labels: Any, expected: list[tuple[str, ...]], place: str) -> None:
    columns = frame(label=labels, split="TRAIN")
    columns = columns[
        ["label", "split", "image_uri"] if place == "first" else ["split", "image_uri", "label"]
    ]
    found = frame_rows(columns)
    assert found == [("train", "a.jpg", *expected[0]), ("train", "b.jpg", *expected[1])]


@pytest.mark.parametrize(
    "odd", [[0, 1], [0, 1, 0, 1], [1, None, 0], [1, float("nan"), 0], [1, "x", 0]], ids=str
)
@pytest.mark.parametrize("kind", ["frame", "csv"])
def test_a_vector_in_ten_that_is_unlike_the_others_is_the_only_reject(
    odd: list[Any], kind: str, tmp_path: Path
) -> None:
    vectors = [[1, 0, 0], odd, [0, 0, 1], [], [0, 1, 1], *[[1, 0, 0]] * 6]
    names = [f"{i}.jpg" for i in range(len(vectors))]
    source: Any = pd.DataFrame({"image_uri": names, "label": vectors})
    if kind == "csv":
        source = tmp_path / "list.csv"
        rows = [f'{i}.jpg,"{str(each).replace("None", "nan")}"\n' for i, each in enumerate(vectors)]
        source.write_text("image_uri,label\n" + "".join(rows))
    found = frame_rows(source)
    assert [each if isinstance(each, str) else each[2:] for each in found] == [
        ("0",), "bad_value", ("2",), (), ("1", "2"), *[("0",)] * 6,
    ]  # fmt: skip


def test_of_a_few_lists_none_may_be_unlike_the_others() -> None:
    lists = [["1", "2", "3"], ["0", "1", "0"], ["1", "0", "1"]]
    assert places_of(lists) == 0
    assert places_of([*lists, *[["0", "0", "1"]] * 6]) == 0
    assert places_of([*lists, *[["0", "0", "1"]] * 7]) == 3


def test_lists_of_ids_that_vary_in_length_are_no_vectors() -> None:
    lists = [[0], [1], [0, 1], [1, 0], [0, 1, 2]]
    images = [f"{i}.jpg" for i in range(5)]
    found = frame_rows(pd.DataFrame({"image_uri": images, "label": lists}))
    assert [each[2:] for each in found] == [tuple(map(str, each)) for each in lists]


@pytest.mark.parametrize(
    "image",
    [b"\xff\xd8\xff", {"bytes": b"", "path": None}, np.zeros((2, 2, 3), np.uint8), Image.new("L", (2, 2))],
    ids=["bytes", "a dict", "an array", "an image"],
)
def test_images_in_a_frame_are_no_paths(image: Any) -> None:
    held = pd.DataFrame({"image": ["a.jpg", image], "label": ["x", "y"]}, dtype=object)
    with pytest.raises(InputError, match=r"column image holds .*, no paths of images"):
        opened(held)
    assert opened(held, columns={"image_uri": "label"}, unlabelled="keep")


# a column that is not used must not move the others, whatever its cells hold
@pytest.mark.parametrize(
    "cell",
    [[1, 2, 3, 4], (1, 2), np.zeros((2, 2)), {"x": 1}, "a,b", None, pd.NaT, datetime.date(2024, 1, 2)],
    ids=repr,
)
@pytest.mark.parametrize("labels", [["x", "y"], [["x"], ["y"]]], ids=["text", "lists"])
def test_other_columns_of_a_frame(cell: Any, labels: Any) -> None:
    cells = pd.Series([cell, cell], dtype=object)
    found = frame_rows(
        pd.DataFrame({"note": cells, "label": labels, "image_uri": ["a.jpg", "b.jpg"], "note2": cells})
    )
    assert found == [("", "a.jpg", "x"), ("", "b.jpg", "y")]


@pytest.mark.parametrize("column", ["Species", "species", "SPECIES"])
def test_columns_of_a_frame(column: str) -> None:
    columns = pd.DataFrame({"Species": [["x", "y"], ["z"]], "Pic": ["a.jpg", "b.jpg"], "n": [1, 2]})
    found = frame_rows(columns, columns={"image_uri": "Pic", "label": column})
    assert found == [("", "a.jpg", "x", "y"), ("", "b.jpg", "z")]


def test_a_slash_in_the_name_of_a_column_of_a_frame() -> None:
    columns = pd.DataFrame({"path/to": ["p/1", "p/2"], "label": ["x", "y"]})
    with pytest.raises(InputError, match="no image column; the columns are: path/to, label"):
        frame_rows(columns)
    assert frame_rows(columns, columns="image_uri=path/to") == [("", "p/1", "x"), ("", "p/2", "y")]


@pytest.mark.parametrize("first", ["p/0", "p/0.jpg", "0.jpg"])
def test_a_frame_of_a_list_without_a_header(first: str) -> None:
    """As `read_csv` makes it: its columns are called as the first row is."""
    columns = pd.DataFrame({first: ["p/1", "p/2"], "z": ["x", "y"]})
    assert frame_rows(columns) == [("", first, "z"), ("", "p/1", "x"), ("", "p/2", "y")]


def test_several_label_columns_of_a_frame() -> None:
    found = frame_rows(frame(A=["x", "y"], n=[1, 2], B=["z", None]), columns="label=A,label=B")
    assert found == [("", "a.jpg", "x", "z"), ("", "b.jpg", "y")]


def test_the_index_of_a_frame_does_not_matter() -> None:
    columns = frame(label=["x", "y"]).set_index(pd.Index([7, 7]))
    assert frame_rows(columns) == [("", "a.jpg", "x"), ("", "b.jpg", "y")]


@pytest.mark.parametrize("uri", [Path("p/a.jpg"), np.str_("p/a.jpg")], ids=["Path", "numpy"])
def test_paths_in_a_frame(uri: Any) -> None:
    found = frame_rows(pd.DataFrame({"image_uri": [uri], "label": ["x"]}))
    assert found == [("", "p/a.jpg", "x")]


def test_a_name_in_a_frame_that_is_no_text() -> None:
    """As `os.listdir` gives names that are not UTF-8."""
    with pytest.raises(InputError, match="DataFrame"):
        frame_rows(
            # as an object: a string column of pandas refuses it by itself
            pd.DataFrame({"image_uri": [os.fsdecode(b"\xff.jpg")], "label": ["x"]}, dtype=object)
        )


@pytest.mark.parametrize(
    "columns",
    [{"image_uri": [], "label": []}, {"image_uri": ["a.jpg"]}, {"label": ["x"]}],
    ids=["no row", "no label", "no image"],
)
def test_frames_that_are_no_list(columns: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="DataFrame"):
        plan_from(pd.DataFrame(columns), tmp_path)


def test_options_for_files_do_not_touch_a_frame() -> None:
    found = frame_rows(frame(label=["é;,", "y"]), encoding="utf-16", delimiter=";")
    assert found == [("", "a.jpg", "é;,"), ("", "b.jpg", "y")]


@pytest.mark.parametrize("source", [None, 3, ["a.csv"], {"image_uri": ["a.jpg"]}, b"list.csv"], ids=repr)
def test_what_is_no_source(source: Any) -> None:
    with pytest.raises(InputError):
        opened(source)


def test_a_frame_is_planned_as_its_csv(tmp_path: Path) -> None:
    columns = pd.DataFrame(
        {"image_uri": [f"{n}.jpg" for n in range(300)], "label": [n % 7 for n in range(300)]}
    )
    of_csv = plan_of(tmp_path, columns.to_csv(index=False))
    assert plan_from(columns, tmp_path).shards == of_csv.shards


# --- standard input and files ---


def test_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\ufeffimage_uri;label\r\na.jpg;é\r\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode()), encoding="ascii"))
    monkeypatch.chdir(tmp_path)
    source, rows = opened("-")
    assert [(row.line, row.image_uri, *row.labels) for row in rows] == [(2, "a.jpg", "é")]
    assert source.image_root == str(tmp_path)


def test_standard_input_that_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(InputError, match="standard input"):
        opened("-")


def test_standard_input_that_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="standard input is closed"):
        opened("-")


def test_a_list_that_the_conversion_would_replace(tmp_path: Path) -> None:
    (tmp_path / "rejects.csv").write_text("image_uri,label\na.jpg,x\n")
    with (
        pytest.raises(InputError, match="belongs to the dataset"),
        open_source(str(tmp_path / "rejects.csv"), make_options({}).read, f"{tmp_path}/./"),
    ):
        pass


def test_images_are_relative_to_the_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lists").mkdir()
    write(tmp_path / "lists", "TRAIN,a.jpg,x\n")
    monkeypatch.chdir(tmp_path)
    assert opened("lists/list.csv")[0].image_root == str(tmp_path / "lists")
    assert opened(Path("lists") / "list.csv", image_root=".")[0].image_root == str(tmp_path)
    monkeypatch.chdir(tmp_path / "lists")
    assert opened("list.csv")[0].image_root == str(tmp_path / "lists")


@pytest.mark.parametrize("root", ["gone", "list.csv", "a\0b"], ids=["gone", "a file", "NUL"])
def test_an_image_root_that_is_no_folder(root: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "TRAIN,a.jpg,x\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="--image-root"):
        opened("list.csv", image_root=root)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("gone.csv", "no such"),
        ("ftp://b/list.csv", "is not read"),
        ("", "no such"),
        ("a\0b", "no such"),
        ("/dev/null", "pipe"),
    ],
)
def test_a_source_that_is_not_there(path: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        opened(path)


def test_a_pipe_as_a_source(tmp_path: Path) -> None:
    """Two passes need a file; waiting for a writer would hang."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe"):
        opened(str(tmp_path / "pipe"))
