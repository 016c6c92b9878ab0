"""Commands that messages propose run as they stand, and what they make is read: see also `lists`."""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from converting import convert_json, jpeg, manifest, shell

import tfrecordcli
from tfrecordcli.options import ReadOptions
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.splits_in_paths import splits_in_paths_warning

_BEGINS: Final = ("(echo ", "(cd ", "awk ", "python -c ", "jq ", "gunzip ")


class Case(NamedTuple):
    """A list that is refused, and what its command makes.

    Attributes:
      content: of the list.
      made: file or folder that the command makes; the last word of the message that belongs to it.
      options: for what was made.
      labels: of the records, in the order of their ids.
      boxes: that are stored.
    """

    name: str
    content: str
    made: str
    labels: list[str]
    boxes: int = 0
    records: int = 2
    options: tuple[str, ...] = ()


def _pixels(count: int) -> str:
    return " ".join(str(i % 256) for i in range(count))


_LINES: Final = "\n".join
_FER: Final = f"emotion,pixels,Usage\n0,{_pixels(256)},Training\n3,{_pixels(256)},PrivateTest\n"
_NO_HEADER: Final = "".join(f"{k}," + _pixels(784).replace(" ", ",") + "\n" for k in (5, 0))
_LAST: Final = ",".join(f"pixel{i:04d}" for i in range(192))
_COLOURS: Final = "".join(_pixels(192).replace(" ", ",") + f",{k}\n" for k in (2, 1))
_ODGT: Final = (
    {"ID": "a", "gtboxes": [{"tag": "person", "fbox": [1, 2, 8, 9], "vbox": [1, 2, 3, 4], "extra": {}},
                            {"tag": "mask", "fbox": [3, 2, 8, 9], "extra": {"ignore": 1}}]},
    {"ID": "b", "gtboxes": [{"tag": "person", "fbox": [0, 0, 8, 9], "extra": {"box_id": 0}}]},
)  # fmt: skip
_BOX: Final = {"label": "cat", "xmin": 1, "ymin": 2, "xmax": 8, "ymax": 9, "score": 0.5}
_ROWS_OF_BOXES: Final = (
    {"filename": "a.jpg", "class": "cat", "xmin": 1, "ymin": 2, "xmax": 8, "ymax": 9},
    {"filename": "b.jpg", "class": "007", "xmin": 1, "ymin": 2, "xmax": 8, "ymax": 9},
)
_DETECTIONS: Final = (
    {"file": "a.jpg", "detections": [{"category": "2", "conf": 0.2, "bbox": [0, 0.25, 0.5, 0.5]},
                                     {"category": "1", "conf": 0.19, "bbox": [0, 0, 1, 1]}]},
    {"file": "b.jpg", "detections": []}, {"file": "c.jpg", "failure": "Failure image access"},
)  # fmt: skip
_WIDER: Final = "# a.jpg\n1 2 8 9 1.0 1.0 0.0 0.9\n3 2 8 9\n# b.jpg\n0 0 8 9\n"
_VERIFIED: Final = "ImageID,Source,LabelName,Confidence\na,v,/m/1,1\na,v,/m/2,0\nb,v,/m/2,1\n"
_MULTI: Final = ("--multi-label",)
_BY_FOLDER: Final = ("--split-by", "folder")
_SAID: Final = "ImageID,EstimatedYesNo,LabelName\na,yes,/m/1\na,no,/m/2\nb,yes,/m/2\n"
_LOC: Final = "ImageId,PredictionString\na,n01 1 2 8 9 n02 3 2 8 9 \nb,n02 1 1 8 9 \n"
CASES: Final = {
    "RetinaFace": Case("label.txt", _WIDER, "label-as-csv.csv", ["face"], 3),
    "CrowdHuman": Case("a.odgt", _LINES(map(json.dumps, _ODGT)), "a-as-csv.csv", ["person"], 3),
    "ImageNet's boxes": Case("LOC.csv", _LOC, "LOC-boxes.csv", ["n01", "n02"], 3),
    "FER": Case("fer.csv", _FER, "fer-images", ["0", "3"]),
    "pixels without a header": Case("digits.csv", _NO_HEADER, "digits-images", ["0", "5"]),
    "pixels in colour, the label last": Case("l.csv", f"{_LAST},label\n{_COLOURS}", "l-images", ["1", "2"]),
    "images by label": Case("l.json", '{"cat": ["a.jpg"], "dog": ["b.jpg"]}', "l-as-csv.csv", ["cat", "dog"]),
    "pairs": Case("l.json", '[["a.jpg", "cat"], ["b.jpg", "dog"]]', "l-as-csv.csv", ["cat", "dog"]),
    "MMPretrain": Case(
        "l.json",
        '{"metainfo": {"classes": ["cat", "dog"]}, "data_list": [{"img_path": "a.jpg", "gt_label": 1},'
        ' {"img_path": "b.jpg", "gt_label": [0]}]}',
        "l-as-csv.csv", ["cat", "dog"],
    ),
    "paths": Case("l.txt", "cats/a.jpg\ndogs/b.jpg\n", "l-as-csv.csv", ["cats", "dogs"]),
    "vectors parted by blanks": Case(
        "l.txt", "a.jpg 0 1\nb.jpg 1 0\n", "l-as-csv.csv", ["label_0", "label_1"],
        options=("--one-hot", "label_0,label_1"),
    ),
    "verified labels": Case("l.csv", _VERIFIED, "l-present.csv", ["/m/1", "/m/2"], options=_MULTI),
    "labels said to be there": Case(
        "l.csv", _SAID, "l-present.csv", ["/m/1", "/m/2"], options=_MULTI
    ),
    "MegaDetector": Case(
        "m.json", json.dumps({"images": _DETECTIONS, "detection_categories": {"1": "animal", "2": "person"}}),
        "m-as-csv.csv", ["person"], 1, options=("--box-unit", "fractions"),
    ),
    "scores in JSON": Case(
        "l.jsonl", _LINES(json.dumps({"image": f"{n}.jpg", "boxes": [_BOX]}) for n in "ab"),
        "l-without-scores.jsonl", ["cat"], 2,
    ),
    "studies": Case("l.csv", "cats/,x\ndogs/,y\n", "l-by-image.csv", ["x", "y"], options=_BY_FOLDER),
    "studies under a header": Case(
        "l.csv", "class,path\nx,cats/\ny,dogs/\n", "l-by-image.csv", ["x", "y"], options=_BY_FOLDER
    ),
    "attributes of DeepFashion": Case(
        "l.txt", "2\nimage_name  attribute_labels\na.jpg   -1  1 -1\nb.jpg    1 -1  1\n", "l-as-csv.csv",
        ["label_1", "label_2", "label_3"], options=("--one-hot", "label_1,label_2,label_3"),
    ),
    "a box a line of JSON": Case(
        "l.jsonl", _LINES(map(json.dumps, _ROWS_OF_BOXES)), "l-as-csv.csv", ["007", "cat"], 2
    ),
    "an array of a box each, behind a mark": Case(
        "l.json", "\ufeff" + json.dumps(_ROWS_OF_BOXES), "l-as-csv.csv", ["007", "cat"], 2
    ),
}  # fmt: skip


def _run(hint: str, made: str, folder: Path) -> None:
    """Runs the command of a message in bash, up to the name of what it makes and the quote behind that."""
    hint = hint.partition("; then")[0]
    start = min(hint.index(begin) for begin in _BEGINS if begin in hint)
    end = hint.rindex(made) + len(made)
    command = hint[start:end]
    if command.count("'") % 2:
        command = hint[start : hint.index("'", end) + 1]
    if command.startswith("jq") and shutil.which("jq") is None:
        pytest.skip("jq is not installed")
    assert shell(command, folder).code == 0


# Those whose command draws images, which takes a few seconds.
_SLOW: Final = frozenset(name for name, case in CASES.items() if case.made.endswith("-images"))
_PARAMETERS: Final = [
    pytest.param(case, id=name, marks=[pytest.mark.thorough] if name in _SLOW else [])
    for name, case in CASES.items()
]


@pytest.mark.parametrize("case", _PARAMETERS)
def test_a_proposed_command_makes_a_list_that_is_read(case: Case, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    for number, image in enumerate(("a.jpg", "b.jpg", "cats/a.jpg", "dogs/b.jpg")):
        (folder / image).parent.mkdir(parents=True, exist_ok=True)
        (folder / image).write_bytes(jpeg(number))
    (folder / case.name).write_text(case.content, encoding="utf-8")
    splits = ("--splits", "train=1")
    refused: dict[str, Any] = convert_json(case.name, "../out", *splits, cwd=folder)
    assert refused["exit_code"] == 2, refused
    _run(refused["error"]["hint"], case.made, folder)
    done = convert_json(case.made, "../out", *splits, *case.options, cwd=folder)
    assert (done["exit_code"], done["records"]) == (0, case.records), done
    made = manifest(tmp_path / "out")
    assert sorted(made["labels"], key=made["labels"].__getitem__) == case.labels
    assert made.get("boxes", {}).get("stored", 0) == case.boxes


def test_commands_read_text_without_the_mark_of_utf_8() -> None:
    """Python has its own way for the text of JSON as bytes."""
    reads = re.compile(
        r"\b(?:open\((?:sys\.argv\[.\]|{literal\([\w.]+\)}|(?:p|o / q)\b)|read_text\()([^()]*)\)"
    )
    said = ('"rb"', '"utf-8-sig"', '"latin-1"', '"{read}"', '"{encoding}"', '"x"')
    for path in (Path(tfrecordcli.__file__).parent / "sources").rglob("*.py"):
        for found in reads.finditer(path.read_text(encoding="utf-8").replace("\\", "")):
            assert any(word in found[1] for word in said), f"{path}: {found[0]}"


@pytest.mark.parametrize(
    "content",
    [
        {"v": "1", "train": [{"image": "a.jpg", "label": "x"}], "test": [{"image": "b.jpg", "label": "y"}]},
        {"classes": ["x", "y"], "train": [{"image": "a.jpg", "label": "x"}],
         "note": "n" * (1 << 14), "test": [{"image": "b.jpg", "label": "y"}]},
        {"train": ["x/a.jpg"], "test": ["y/b.jpg"]},
        {"train2017": [{"image": "a.jpg", "label": "x"}], "Test2017": [{"image": "b.jpg", "label": "y"}]},
    ],
    ids=["another key", "classes, and a key far behind", "paths", "years"],
)  # fmt: skip
def test_keys_of_json_that_are_splits_remain_splits(content: Any, tmp_path: Path) -> None:
    for number, name in enumerate(("a.jpg", "b.jpg", "x/a.jpg", "y/b.jpg")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(jpeg(number))
    (tmp_path / "l.json").write_text(json.dumps(content))
    refused = convert_json("l.json", "out", cwd=tmp_path)
    made = refused["error"]["hint"].split("> ")[-1].partition("; then: ")[0]
    _run(refused["error"]["hint"], made, tmp_path)
    assert "split" in (tmp_path / made).read_text()
    done = convert_json(made, "out", "--unlabelled", "keep", cwd=tmp_path)
    splits = {name: split["records"] for name, split in done["splits"].items() if split["records"]}
    assert splits == {"train": 1, "test": 1}, done


@pytest.mark.parametrize("keys", [("cat", "dog"), ("train", "dog")])
def test_keys_of_json_that_are_no_splits_get_no_command(keys: tuple[str, str], tmp_path: Path) -> None:
    box = {"xmin": 1, "ymin": 2, "xmax": 8, "ymax": 9}
    content = {key: [{"image": f"{key}.jpg", **box}] for key in keys}
    (tmp_path / "l.json").write_text(json.dumps(content))
    refused = convert_json("l.json", "out", cwd=tmp_path)
    assert refused["exit_code"] == 2
    assert "python" not in refused["error"]["hint"]


@pytest.mark.parametrize(
    "content",
    [
        '{"train": [{"image": "a.jpg"}]}',
        '{"cat": ["a.jpg"], "dog": ["b.jpg"]}',
        "0\t1.0\ta.jpg\n1\t2.0\tb.jpg\n",
        _NO_HEADER,
    ],
)
def test_a_list_on_standard_input_has_to_be_saved_before_a_command_can_read_it(
    content: str, tmp_path: Path
) -> None:
    refused = convert_json("-", "out", stdin=content.encode(), cwd=tmp_path)
    assert refused["exit_code"] == 2
    assert refused["error"]["hint"].startswith("save it in a file, then convert that: the message then has")


@pytest.mark.parametrize("header", ["emotion,pixels,Usage", "emotion, Usage, pixels"])
@pytest.mark.thorough
def test_splits_in_a_column_usage_become_folders(header: str, tmp_path: Path) -> None:
    """Both forms in which the Facial Expression Recognition challenge is handed on."""
    usages = ["Training", "Training", "PublicTest", "PrivateTest"]
    rows = [
        f"{k},{_pixels(256)},{usage}" if header.endswith("Usage") else f"{k}, {usage},{_pixels(256)}"
        for k, usage in enumerate(usages)
    ]
    (tmp_path / "fer.csv").write_text("\n".join([header, *rows]))
    refused = convert_json("fer.csv", "out", cwd=tmp_path)
    _run(refused["error"]["hint"], "fer-images", tmp_path)
    done = convert_json("fer-images", "out", cwd=tmp_path)
    splits = {name: split["records"] for name, split in done["splits"].items()}
    assert splits == {"train": 2, "validation": 1, "test": 1}
    assert manifest(tmp_path / "out")["labels"] == {str(k): k for k in range(4)}


def test_labels_in_files_beside_images_become_a_list(tmp_path: Path) -> None:
    for number, (label, ending) in enumerate((("cat", "jpg"), ("dog", "jpg"), ("dog", "jpeg"))):
        (tmp_path / f"{number}.{ending}").write_bytes(jpeg(number))
        (tmp_path / f"{number}.cls").write_text(label)
    refused = convert_json(".", "out", "--splits", "train=1", cwd=tmp_path)
    _run(refused["error"]["hint"], "list.csv", tmp_path)
    assert convert_json("list.csv", "out", "--splits", "train=1", cwd=tmp_path)["records"] == 3
    assert manifest(tmp_path / "out")["labels"] == {"cat": 0, "dog": 1}


def test_a_packed_list_is_unpacked_on_the_way(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(jpeg())
    (tmp_path / "list.csv.gz").write_bytes(gzip.compress(b"a.jpg,cat\n"))
    refused = convert_json("list.csv.gz", "out", cwd=tmp_path)
    hint = refused["error"]["hint"]
    command = hint[hint.index("gunzip") : hint.index(" | tfrec convert -")]
    rows = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, check=True).stdout
    assert convert_json("-", "out", "--splits", "train=1", stdin=rows, cwd=tmp_path)["records"] == 1


@pytest.mark.parametrize(
    ("content", "encoding", "made"),
    [
        ("# Ä\nimage,label\na.jpg,cat\n", "utf-16", "list-utf-8-as-csv.csv"),
        ("image,label,region\na.jpg,Käfer,1 1 5 5\n", "utf-16", "list-utf-8-boxes.csv"),
    ],
)
def test_commands_for_a_list_in_another_encoding_begin_with_writing_it_as_utf_8(
    content: str, encoding: str, made: str, tmp_path: Path
) -> None:
    (tmp_path / "a.jpg").write_bytes(jpeg())
    (tmp_path / "list.csv").write_text(content, encoding=encoding)
    refused = convert_json("list.csv", "out", "--encoding", encoding, cwd=tmp_path)
    _run(refused["error"]["hint"], "list-utf-8.csv", tmp_path)
    refused = convert_json("list-utf-8.csv", "out", cwd=tmp_path)
    _run(refused["error"]["hint"], made, tmp_path)
    done = convert_json(made, "out", "--splits", "train=1", cwd=tmp_path)
    assert list(manifest(tmp_path / "out")["labels"]) == ["Käfer" if "Käfer" in content else "cat"], done


@pytest.mark.parametrize(
    ("rows", "options", "label"),
    [
        ("#1_cat.jpg cat\n", ("--delimiter", " "), "cat"),
        ("#image label\n#1_cat.jpg cat\n",
         ("--delimiter", " ", "--columns", "image_uri=#image,label=label"), "cat"),
        ("# image\n#1_cat.jpg\n", ("--columns", "image_uri=# image", "--unlabelled", "keep"), ""),
        ("#id\n1\n", ("--task", "tabular", "--unlabelled", "keep"), ""),
    ],
    ids=["a path", "a header", "a header of one column that is named", "a table"],
)  # fmt: skip
def test_a_number_sign_begins_no_comment(
    rows: str, options: tuple[str, ...], label: str, tmp_path: Path
) -> None:
    (tmp_path / "#1_cat.jpg").write_bytes(jpeg(0))
    (tmp_path / "l.txt").write_text(rows)
    done = convert_json("l.txt", "out", "--splits", "train=1", *options, cwd=tmp_path)
    assert (done["exit_code"], done["records"]) == (0, 1), done
    assert [*manifest(tmp_path / "out")["labels"]] == [label] * bool(label)


@pytest.mark.parametrize("begin", ["", "\ufeff"], ids=["plain", "with a mark"])
def test_comments_above_a_list_are_left_out_and_no_row(begin: str, tmp_path: Path) -> None:
    for number, name in enumerate(("a.jpg", "#b.jpg")):
        (tmp_path / name).write_bytes(jpeg(number))
    rows = "# made by me\r\n#\n\n# in two days\n#b.jpg,dog\na.jpg,cat\n"
    (tmp_path / "l.txt").write_bytes(f"{begin}{rows}".encode())
    refused = convert_json("l.txt", "out", "--splits", "train=1", cwd=tmp_path)
    assert "comments above its rows" in refused["error"]["message"]
    _run(refused["error"]["hint"], "l-as-csv.csv", tmp_path)
    assert (tmp_path / "l-as-csv.csv").read_bytes() == b"#b.jpg,dog\na.jpg,cat\n"
    done = convert_json("l-as-csv.csv", "out", "--splits", "train=1", cwd=tmp_path)
    assert (done["exit_code"], done["records"]) == (0, 2), done


@pytest.mark.parametrize(
    ("delimiter", "field"), [(";", "1,5"), ("|", "1,5"), (" ", "1,5"), ("\t", "\u00e4,5")]
)
def test_commas_in_fields_stay_in_them_where_a_list_becomes_a_csv(
    delimiter: str, field: str, tmp_path: Path
) -> None:
    rows = [("p1", "0.jpg", field), ("p2", "1.jpg", "2")]
    (tmp_path / "l.txt").write_text("".join(f"{delimiter.join(row)}\n" for row in rows), encoding="utf-8")
    options = ("--splits", "train=1", "--delimiter", delimiter)
    refused = convert_json("l.txt", "out", *options, cwd=tmp_path)
    assert "are no split" in refused["error"]["message"] or "is no split" in refused["error"]["message"]
    hint = refused["error"]["hint"]
    _run(hint[hint.index("(echo") :], "l-as-csv.csv", tmp_path)
    made = (tmp_path / "l-as-csv.csv").read_text(encoding="utf-8")
    assert made == f'id,image,label\np1,0.jpg,"{field}"\np2,1.jpg,2\n'


@pytest.mark.parametrize(
    ("rows", "header"),
    [
        # As VIAME has them: track, image, frame, corners, confidence, length, species and others.
        (
            "0,0.jpg,0,4,3,15,16,1,-1,cod,1\n1,1.jpg,1,2,9,9,19,1,-1,eel,1,(trk-atr) occluded true\n",
            "id,image,column_3,column_4,column_5,column_6,column_7,column_8,column_9,label,column_11,column_12",
        ),
        ("p1,0.jpg,7,cod\np2,1.jpg,8,eel\n", "id,image,column_3,label"),
        # Where it is not certain, the first behind the image.
        ("p1,0.jpg,7,8\np2,1.jpg,8,9\n", "id,image,label,column_4"),
        ("p1,0.jpg,cod,rsna\np2,1.jpg,eel,rsna\n", "id,image,label,column_4"),
        ("p1,0.jpg,7,cod\np2,1.jpg,8,\n", "id,image,label,column_4"),
    ],
)
def test_the_only_column_of_words_behind_images_is_the_label(rows: str, header: str, tmp_path: Path) -> None:
    (tmp_path / "l.csv").write_text(rows)
    refused = convert_json("l.csv", "out", cwd=tmp_path)
    assert "is no split" in refused["error"]["message"]
    assert f"(echo {header}; cat l.csv) > l-as-csv.csv" in refused["error"]["hint"]


@pytest.mark.parametrize(
    ("rows", "made"),
    [
        # Pixels 17 to 48 are columns 1 and 2 of an image 16 high; 35 to 38 are rows 2 to 5 of column 2.
        (
            "ImageId,EncodedPixels\na,17 32 51 2\na,35 4\nb,\nb,\n",
            "cats/a.jpg,1,0,4,16,object\ncats/a.jpg,2,2,3,6,object\nb.jpg,,,,,\n",
        ),
        (
            "ImageId_ClassId,EncodedPixels\na.jpg_1,\na.jpg_2,35 4\nb.jpg_1,\nb.jpg_2,\n",
            "cats/a.jpg,2,2,3,6,2\nb.jpg,,,,,\n",
        ),
        ("Image_Label; EncodedPixels\na.jpg_Fish;35 4\n", "cats/a.jpg,2,2,3,6,Fish\n"),
        ("ImageId,ClassId,EncodedPixels\nb.jpg,3,35 4\n", "b.jpg,2,2,3,6,3\n"),
        # Ways from run to run, and masks that are called otherwise, which others number by rows.
        ("ImageId,EncodedPixels\na.jpg,35 4 12 4\n", ""),
        ("id,rle_mask\na.jpg,35 4\n", ""),
    ],
    ids=["ships", "steel", "clouds", "steel, anew", "ways", "by rows or columns"],
)
def test_a_command_writes_the_rectangle_around_each_mask(rows: str, made: str, tmp_path: Path) -> None:
    (tmp_path / "cats").mkdir()
    for number, name in enumerate(("cats/a.jpg", "b.jpg")):
        (tmp_path / name).write_bytes(jpeg(number))
    (tmp_path / "l.csv").write_text(rows)
    refused = convert_json("l.csv", "out", cwd=tmp_path)
    assert "holds outlines or masks" in refused["error"]["message"]
    assert ("python -c" in refused["error"]["hint"]) == bool(made)
    if made:
        _run(refused["error"]["hint"].partition("; --task")[0], "not in u))", tmp_path)
        assert (tmp_path / "l-boxes.csv").read_text() == f"image,xmin,ymin,xmax,ymax,label\n{made}"
        done = convert_json("l-boxes.csv", "out", "--splits", "train=1", cwd=tmp_path)
        assert (done["exit_code"], done["rejected"]) == (0, 0), done


@pytest.mark.parametrize(
    ("field", "rows"),
    [
        ({"type": "polygon", "data": [{"x": 0.25, "y": 0.5}, {"x": 0.75, "y": 0.25}, {"x": 0.5, "y": 0.625}]},
         ["0.25,0.25,0.75,0.625"]),
        ([[{"x": 1, "y": 8}, {"x": 9, "y": 2}, {"x": 5, "y": 5}]] * 2, ["1.0,2.0,9.0,8.0"] * 2),
        ({"data": [{"x": 0.25, "y": 0.5}, {"x": 0.75, "y": 0.25}]}, []),
    ],
    ids=["Python", "two, as JSON", "points"],
)  # fmt: skip
def test_a_command_writes_the_rectangle_around_points_in_objects(
    field: Any, rows: list[str], tmp_path: Path
) -> None:
    text = repr(field) if isinstance(field, dict) else json.dumps(field)
    values = [30 + number / 8 for number in range(24)]
    with (tmp_path / "l.csv").open("w", newline="") as file:
        listed = ((f"{value}.jpg", value, text if number else "") for number, value in enumerate(values))
        csv.writer(file).writerows([("photo_name", "value", "location"), *listed])
    for value in values:
        (tmp_path / f"{value}.jpg").write_bytes(jpeg(int(value)))
    hint = convert_json("l.csv", "out", cwd=tmp_path)["error"]["hint"]
    assert ("holds outlines of objects" in hint) == bool(rows)
    if rows:
        _run(hint.partition(", and convert")[0], "", tmp_path)
        made = (tmp_path / "l-boxes.csv").read_text().splitlines()
        assert made[1] == "30.0.jpg,30.0,,,,"
        assert made[2 : 2 + len(rows)] == [f"30.125.jpg,30.125,{row}" for row in rows]
        boxes, whole = re.findall(r"--columns (.*?)(?:;| takes| \()", hint)
        assert convert_json("l-boxes.csv", "out", "--columns", boxes, cwd=tmp_path)["records"] == 24
        assert whole == "image_uri=photo_name,label=value --task regression"
        done = convert_json("l.csv", "new", "--columns", *whole.split(), cwd=tmp_path)
        assert (done["exit_code"], done["records"]) == (0, 24)


def test_labels_that_look_alike_become_the_more_frequent(tmp_path: Path) -> None:
    labels = ["Cat", "cat", "cat", "sea  Lion", "Sea lion", "Sea lion", "NA"]
    # Rows end in a further empty field.
    rows = [f"{number}.jpg;{label};7;" for number, label in enumerate(labels)]
    (tmp_path / "l.csv").write_text("\n".join(["Image;Label;Age", *rows]) + "\n")
    for number in range(len(labels)):
        (tmp_path / f"{number}.jpg").write_bytes(jpeg(number))
    done = convert_json("l.csv", "out", "--splits", "train=1", cwd=tmp_path)
    (told,) = (each for each in done["warnings"] if "look alike are kept apart: 'Cat' and 'cat'" in each)
    _run(told, "l-one-spelling.csv", tmp_path)
    convert_json(told.rpartition("then convert ")[2], "two", "--splits", "train=1", cwd=tmp_path)
    assert manifest(tmp_path / "two")["labels"] == {"NA": 0, "Sea lion": 1, "cat": 2}


def test_labels_of_another_list_that_end_in_a_point_become_those_of_train(tmp_path: Path) -> None:
    # As UCI's Adult has them in adult.test.
    (tmp_path / "a.csv").write_text("age,income\n7,<=50K\n8,>50K\n9,no. of\n")
    (tmp_path / "b.csv").write_text("age,income\n9, <=50K.\n8,>50K.\n7,no. of\n")
    options = ("--task", "tabular", "--columns", "label=income")
    (told,) = convert_json("train=a.csv", "test=b.csv", "out", *options, cwd=tmp_path)["warnings"]
    assert "'<=50K.' is '<=50K' with a final point" in told
    assert told.endswith("; then convert b-without-points.csv in the place of b.csv")
    _run(told, "b-without-points.csv", tmp_path)
    done = convert_json("train=a.csv", "test=b-without-points.csv", "two", *options, cwd=tmp_path)
    assert done["warnings"] == []
    assert manifest(tmp_path / "two")["labels"] == {"<=50K": 0, ">50K": 1, "no. of": 2}


@pytest.mark.parametrize(
    ("in_train", "in_test", "told"),
    [
        (("cat", "St."), ("cat.", "St."), ""),  # a point belongs to a name
        (("cat", "dog"), ("cow.", "dog"), ""),
        (("cat", "dog", "dog."), ("cat.", "dog"), ""),
        (("cat", "dog"), ("cat.", "dog"), "take it off: python -c "),
        (("cat", "dog"), ("cat.", "cow"), "take it off: python -c "),
    ],
)
def test_points_are_taken_off_where_nothing_else_tells_labels_apart(
    in_train: tuple[str, ...], in_test: tuple[str, ...], told: str, tmp_path: Path
) -> None:
    rows = [("train", name) for name in in_train] + [("test", name) for name in in_test]
    text = "".join(f"{split},{number}.jpg,{name}\n" for number, (split, name) in enumerate(rows))
    (tmp_path / "l.csv").write_text(f"split,image,label\n{text}")
    _images(tmp_path, *(f"{number}.jpg" for number in range(len(rows))))
    warnings = convert_json("l.csv", "out", "--dry-run", cwd=tmp_path)["warnings"]
    assert ("with a final point" in "".join(warnings)) == bool(told)
    assert told in "".join(warnings)


def test_labels_of_other_lists_that_look_alike_have_words_only(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("image,label\n0.jpg,Cat\n")
    (tmp_path / "b.csv").write_text("image,label\n1.jpg,cat\n")
    (tmp_path / "Cat").mkdir()
    (tmp_path / "cat").mkdir()
    for number, place in enumerate(["0.jpg", "1.jpg", "Cat/2.jpg", "cat/3.jpg"]):
        (tmp_path / place).write_bytes(jpeg(number))
    several = convert_json("a.csv", "b.csv", "out", "--dry-run", cwd=tmp_path)["warnings"]
    assert any("are one class, write it one way in the source" in each for each in several)
    for rows in ("0.jpg,\"['Cat', 'dog']\"\n1.jpg,['cat']\n", "0.jpg,Cat,dog\n1.jpg,cat,\n"):
        (tmp_path / "c.csv").write_text(f"image,label\n{rows}")
        lists = convert_json("c.csv", "out", "--dry-run", cwd=tmp_path)["warnings"]
        assert any("are one class, write it one way in the source" in each for each in lists)
    folder = convert_json(".", "../out", "--dry-run", "--format", "folder", cwd=tmp_path)["warnings"]
    assert any("are one class, give their folders one name" in each for each in folder)


def test_rows_of_boxes_without_a_header_get_no_names_of_labels(tmp_path: Path) -> None:
    (tmp_path / "l.txt").write_text("a,0.jpg,1,2,30,40,cat\nb,1.jpg,1,2,30,40,dog\n")
    refused = convert_json("l.txt", "out", "--task", "detection", cwd=tmp_path)
    assert refused["exit_code"] != 0
    assert "id,image,label" not in json.dumps(refused)


def test_a_header_with_numbers_gets_no_second_one(tmp_path: Path) -> None:
    (tmp_path / "l.csv").write_text("filename,7,9\na.jpg,cat,x\nb.jpg,cat,y\nc.jpg,dog,z\n")
    refused = convert_json("l.csv", "out", cwd=tmp_path)
    assert "--columns image_uri=filename,label=7" in refused["error"]["hint"]
    assert "has it no header" not in refused["error"]["hint"]


def _images(folder: Path, *names: str) -> None:
    for number, name in enumerate(names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(jpeg(number))


# Key of a value in a relative of COCO, the values, and their classes where 1 is called 0, 2 is 1 and 3 is 2.
_NUMBERS_OF_CLASSES: Final = {
    "names": ("label", ["0", "1", "2"], ["0", "1", "2"]),
    "names, one unknown": ("label", ["1", "x"], ["1", None]),
    "ids as not all are names": ("label", [1, 2, 3], ["0", "1", "2"]),
    "ids by their key": ("category_id", [1, 2], ["0", "1"]),
    "an id that is unknown": ("category_id", [1, 7], ["0", None]),
    "a name for an id": ("category_id", [3, "0"], ["2", "0"]),
}


@pytest.mark.parametrize("case", _NUMBERS_OF_CLASSES.values(), ids=_NUMBERS_OF_CLASSES.keys())
@pytest.mark.parametrize("are_numbered", [True, False])
def test_numbers_of_classes_are_names_or_ids_as_their_key_says(
    case: tuple[str, list[Any], list[str | None]], are_numbered: bool, tmp_path: Path
) -> None:
    key, values, classes = case
    _images(tmp_path, *(f"{number}.jpg" for number in range(len(values))))
    boxes = [[{"bbox": [2, 3, 8, 9], key: value}] for value in values]
    images = [{"filename": f"{number}.jpg", "boxes": each} for number, each in enumerate(boxes)]
    content: dict[str, Any] = {"images": images}
    if are_numbered:
        content["categories"] = [{"id": number + 1, "name": str(number)} for number in range(3)]
    (tmp_path / "l.json").write_text(json.dumps(content))
    refused = convert_json("l.json", "out", cwd=tmp_path)
    _run(refused["error"]["hint"], "l-as-coco.json", tmp_path)
    made = json.loads((tmp_path / "l-as-coco.json").read_text())
    names = {each["id"]: each["name"] for each in made["categories"]}
    found = [names.get(each["category_id"]) for each in made["annotations"]]
    assert found == (classes if are_numbered else list(map(str, values)))


def test_names_of_classes_are_the_rest_of_their_line(tmp_path: Path) -> None:
    """As NABirds has them; lines end as on Windows."""
    _images(tmp_path, "images/a 1.jpg", "images/b.jpg")
    loon = 'Common Loon (Breeding), "old"'
    files = {"train_test_split": "1 1\n2 0\n", "image_class_labels": "1 817\n2 3\n",
             "classes": f"817 {loon}\n3 Auklet\n", "images": "1 a 1.jpg\n2 b.jpg\n"}  # fmt: skip
    for name, text in files.items():
        (tmp_path / f"{name}.txt").write_text(text, newline="\r\n")
    refused = convert_json(".", "out", cwd=tmp_path)
    _run(refused["error"]["hint"], "list.csv", tmp_path)
    rows = list(csv.reader((tmp_path / "list.csv").read_text().splitlines()))
    assert rows[1:] == [["images/a 1.jpg", loon, "train"], ["images/b.jpg", "Auklet", "test"]]
    done = convert_json("list.csv", "out", cwd=tmp_path)
    assert (done["exit_code"], done["records"]) == (0, 2), done
    assert [*manifest(tmp_path / "out")["labels"]] == ["Auklet", loon]


def test_splits_in_paths_are_those_of_all_rows_whatever_parts_their_folders(tmp_path: Path) -> None:
    """The first 1,000 rows have two of them; a blank behind the comma belongs to no name."""
    (tmp_path / "a.jpg").write_bytes(jpeg())
    first = [f"train/{k}.jpg" if k % 2 else f"test/{k}.jpg" for k in range(1000)]
    paths = [*first, "set\\Val\\x.jpg", "train/dev\\y.jpg", "holdout/z.jpg"]
    (tmp_path / "l.csv").write_text("label, image\n" + "".join(f"cat, {path}\n" for path in paths))
    rows = RowFile(str(tmp_path / "l.csv"), str(tmp_path / "l.csv"), ReadOptions())
    _run(splits_in_paths_warning(rows, first), "l-with-splits.csv", tmp_path)
    with (tmp_path / "l-with-splits.csv").open(newline="") as made:
        splits = {row["image"]: row["split"] for row in csv.DictReader(made)}
    assert splits == {path: "test" if path.startswith("test") else "train" for path in first} | dict(
        zip(paths[1000:], ("Val", "dev", "holdout"), strict=True)
    )


_FILES_OF_FOLDERS: Final = {
    "a photo and its depth, as of Nutrition5k": ("rgb.png depth_raw.png depth_color.png", "rgb.png"),
    "no name of a photo": ("scene.jpg depth.png", "scene.jpg"),
    "two photos": ("image_left.jpg image_right.jpg depth.png", "image_left.jpg image_right.jpg"),
    "frames": ("0001.jpg 0002.jpg", "0001.jpg 0002.jpg"),
    "images of a study, as of MURA": ("image1.png image2.png", "image1.png image2.png"),
    "views": ("back.jpg front.jpg", "back.jpg front.jpg"),
    "photos of both sides": ("photo_back.jpg photo_front.jpg", "photo_back.jpg photo_front.jpg"),
}


@pytest.mark.parametrize(("names", "kept"), _FILES_OF_FOLDERS.values(), ids=_FILES_OF_FOLDERS.keys())
def test_rows_of_folders_become_those_of_photos(names: str, kept: str, tmp_path: Path) -> None:
    _images(tmp_path, *(f"{folder}/{name}" for folder in "ab" for name in names.split()))
    (tmp_path / "l.csv").write_text("image,label,note\na,x,\nb,y\n")
    hint = convert_json("l.csv", "out", cwd=tmp_path)["error"]["hint"]
    left_out = sorted({*names.split()} - {*kept.split()})
    assert (f"and none of {', '.join(left_out)}: " in hint) == bool(left_out)
    _run(hint, "l-by-image.csv", tmp_path)
    with (tmp_path / "l-by-image.csv").open(newline="") as made:
        rows = [(row["image"], row["label"], row["folder"]) for row in csv.DictReader(made)]
    assert rows == [
        (f"{folder}/{name}", label, folder) for folder, label in ("ax", "by") for name in kept.split()
    ]


_FOLDERS_ABOVE: Final = {
    "train/train_cats/1.jpg": ("cats", "train"),
    "train/birds/2.jpg": ("birds", "train"),
    "val/val_cats/3.jpg": ("cats", "val"),
    "val/birds/4.jpg": ("birds", "val"),
}
_CASES_OF_LETTERS: Final = {
    "Cats_train/1.jpg": ("Cats", "train"),
    "cats_test/2.jpg": ("Cats", "test"),
    "latest_Train/3.jpg": ("latest", "Train"),
    "latest_test/4.jpg": ("latest", "test"),
    "train_test/5.jpg": ("train_test", ""),
    "Birds/6.jpg": ("Birds", ""),
}
_CLASSES_OF_ONE_LETTER: Final = {
    f"{name}_{split}/1.jpg": (name, split) for name in "Aa" for split in ("test", "train")
}


@pytest.mark.parametrize("rows", [_FOLDERS_ABOVE, _CASES_OF_LETTERS, _CLASSES_OF_ONE_LETTER])
def test_splits_in_names_of_folders_go_behind_those_above(
    rows: dict[str, tuple[str, str]], tmp_path: Path
) -> None:
    """Hidden folders, and what is to be passed over, are in no list."""
    _images(
        tmp_path, *rows, next(iter(rows)).rpartition("/")[0] + "/.h/x_train/7.jpg", "old/cats_train/8.jpg"
    )
    options = ("--exclude", "old,[!0-9].jpg")
    refused = convert_json(".", "out", *options, cwd=tmp_path)
    _run(refused["error"]["hint"], "list.csv", tmp_path)
    with (tmp_path / "list.csv").open(newline="") as made:
        assert {row["image"]: (row["label"], row["split"]) for row in csv.DictReader(made)} == rows


def test_folders_within_those_of_splits_are_classes(tmp_path: Path) -> None:
    names = ("cat", "toy train", "toy test")
    images = [f"{split}/{name}/{split}.jpg" for split in ("train", "test") for name in names]
    _images(tmp_path, *images[:-1])
    done = convert_json(".", "out", cwd=tmp_path)
    assert (done["exit_code"], done["records"]) == (0, 5), done
    assert [*manifest(tmp_path / "out")["labels"]] == sorted(names)


def test_folders_of_which_the_rest_tells_nothing_are_splits(tmp_path: Path) -> None:
    _images(tmp_path, "data/train_imgs/1.jpg", "data/val_imgs/2.jpg", "data/extra/3.jpg")
    refused = convert_json(".", "out", cwd=tmp_path)
    sources = ["train=./data/train_imgs", "validation=./data/val_imgs"]
    command = f"tfrec convert {' '.join(sources)} OUTPUT_DIR --unlabelled keep"
    assert refused["error"]["hint"].startswith(command)
    done = convert_json(*sources, "out", "--unlabelled", "keep", cwd=tmp_path)
    assert {name: split["records"] for name, split in done["splits"].items()} == {"train": 1, "validation": 1}


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("", "{}.json"),
        ("", "{}.jpg.json"),
        ("images/", "annotations/{}.json"),
        ("train/images/", "train/my json/{}.jpg.json"),
    ],
)
def test_json_called_like_images_is_told_as_such(folder: str, name: str, tmp_path: Path) -> None:
    root = tmp_path / "in"
    _images(root, f"{folder}0.v1.jpg", f"{folder}1.v1.jpg")
    (root / "about.json").write_text("[]")
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    for number, label in enumerate(("cat", "dog")):
        (root / name.format(f"{number}.v1")).write_text(json.dumps({"label": label, "by": "x"}))
    refused = convert_json("in", "out", cwd=tmp_path)
    _run(refused["error"]["hint"], "list.jsonl", tmp_path)
    rows = [json.loads(line) for line in (root / "list.jsonl").read_text().splitlines()]
    split = {"split": "train"} if folder.startswith("train") else {}
    assert rows == [
        {"image": f"{folder}{i}.v1.jpg", "label": label} | split for i, label in enumerate(("cat", "dog"))
    ]
    (root / "list.jsonl").unlink()
    kept = convert_json("in", "out", "--unlabelled", "keep", cwd=tmp_path)
    assert kept["records"] == 2, kept
    assert f"in/{name.format('0.v1')} is JSON with the keys label, by" in " ".join(kept["warnings"])


@pytest.mark.parametrize("source", ["car/data", "car/data/catalog_0.catalog"])
def test_json_lines_of_any_name_lead_to_what_they_tell(source: str, tmp_path: Path) -> None:
    _images(tmp_path / "car/data/images", *(f"{i}.jpg" for i in range(3)))
    lines = [json.dumps({"_id": "a", "cam/image_array": f"{i}.jpg", "user/angle": i / 8}) for i in range(3)]
    (tmp_path / "car/data/catalog_0.catalog").write_text("\n".join(lines))
    refused = convert_json(source, "out", cwd=tmp_path)
    if source != "car/data/catalog_0.catalog":
        asked = "is car/data/catalog_0.catalog the list of these images? tfrec convert "
        assert refused["error"]["hint"].startswith(f"{asked}car/data/catalog_0.catalog OUTPUT_DIR")
        kept = convert_json("car/data", "kept", "--unlabelled", "keep", cwd=tmp_path)
        assert any(asked in told for told in kept["warnings"])
        return
    options = refused["error"]["hint"].removeprefix("name them, as in ").partition(" (")[0]
    told = convert_json(source, "out", "--columns", "image_uri=cam/image_array", cwd=tmp_path)
    assert told["error"]["hint"].startswith(options)
    done = convert_json(source, "out", *shlex.split(options), cwd=tmp_path)
    assert (done["exit_code"], done["records"]) == (0, 3), done


_SIGHTINGS: Final = (
    "observationID,mediaID,kind,scientificName,lifeStage,bboxX,bboxY,bboxWidth,bboxHeight\n"
    "a_0,a,animal,Sus scrofa,,0.1,0.1,0.5,0.5\nb_0,b,blank,,,,,,\n"
    "c_0,c,animal,Vulpes vulpes,,0.2,0.2,0.5,0.5\n"
    "c_1,c,animal,Sus scrofa,,0.4,0.1,0.5,0.5\nd_0,,animal,Sus scrofa,,,,,\n"
)
_MEDIA: Final = "mediaID,filePath,fileName\n" + "".join(f"{k},m/{k}.jpg,{k}.jpg\n" for k in "abc")


def _tables(folder: Path, media: str, sightings: str = _SIGHTINGS) -> str:
    """What is said of sightings whose images another table names, as Camtrap DP has them."""
    (folder / "m").mkdir()
    for name in "abc":
        (folder / "m" / f"{name}.jpg").write_bytes(jpeg())
    (folder / "media.csv").write_text(media)
    (folder / "sightings.csv").write_text(sightings)
    done = convert_json("sightings.csv", "out", cwd=folder)
    shutil.rmtree(folder / "out", ignore_errors=True)
    return str((done["error"] or {}).get("hint"))


@pytest.mark.parametrize(
    ("sightings", "media", "label", "boxes"),
    [
        (_SIGHTINGS, _MEDIA, "scientificName", 3),
        ("observationID,mediaID,label\n1,c,cat\n2,a,dog\n3,b,cat\n4,,cat\n", _MEDIA, "label", 0),
        (
            "observationID,mediaID,scientificName\n1,c,cat\n2,a,dog\n3,b,cat\n4,,cat\n",
            "mediaID,filePath,split\na,m/a.jpg,test\nb,m/b.jpg,train\nc,m/c.jpg,train\n,m/d.jpg,\n,m/e.jpg,\n",
            "scientificName",
            0,
        ),
    ],
    ids=["boxes", "labels", "splits"],
)
def test_images_that_another_table_names_by_an_id_are_joined(
    sightings: str, media: str, label: str, boxes: int, tmp_path: Path
) -> None:
    hint = _tables(tmp_path, media, sightings)
    assert hint.startswith("media.csv names images in filePath, by mediaID: join the two: ")
    command, _, rest = hint.partition("join the two: ")[2].partition("; then: ")
    assert shell(command, tmp_path).code == 0
    options = shlex.split(rest.partition(";")[0])[4:]
    assert options == ["--columns", f"label={label}"]
    done = convert_json("sightings-joined.csv", "out", "--splits", "train=1", *options, cwd=tmp_path)
    assert (done["records"], done["rejected"], done["num_labels"]) == (3, 1, 2), done
    assert (done["boxes"] or {"stored": 0})["stored"] == boxes
    assert done["splits"].get("test", {"records": 0})["records"] == media.count("test")


_BOXES: Final = "id,image_id,class_id,x,y,w,h\n501,2,7,1,1,8,8\n502,1,3,2,2,6,6\n503,2,3,3,3,9,9\n"
_CLASSES: Final = "id,name,parent\n1,thing,\n3,chair,1\n7,lamp,1\n"


@pytest.mark.parametrize(
    ("media", "sightings", "classes", "options", "labels"),
    [
        (
            "id,file,taken\n1,a.jpg,x\n2,b.jpg,y\n3,c.jpg,z\n",
            _BOXES,
            ("tbl_class.csv", _CLASSES),
            ["--columns", "label=label", "--image-root", "./m"],
            ["chair", "lamp"],
        ),
        (
            "id,file,id_of\n1,m/a.jpg,1\n2,m/b.jpg,1\n3,m/c.jpg,2\n",
            "id,photo_id,category_id\n8,2,7\n9,1,3\n",
            ("categories.csv", _CLASSES.replace("name", "category_name")),
            ["--columns", "label=label"],
            ["chair", "lamp"],
        ),
        (
            "mediaID,file\n1,m/a.jpg\n2,m/b.jpg\n",
            "id,mediaID,species\n501,2,fox\n502,1,deer\n",
            ("users.csv", "id,name\n1,Ann\n2,Bo\n"),
            [],
            ["deer", "fox"],
        ),
        (
            "key_id,file\n1,a.jpg\n2,b.jpg\n",
            "image_uri,key_id,class\n2,2,fox\n1,1,deer\n",
            ("kinds.csv", "id,name\nfox,Vulpes\ndeer,Cervus\n"),
            ["--columns", "image_uri=image_path", "--image-root", "./m"],
            ["deer", "fox"],
        ),
    ],
    ids=["boxes", "photos", "media", "key"],
)
def test_images_called_by_ids_of_another_table_are_joined_with_it(
    media: str,
    sightings: str,
    classes: tuple[str, str],
    options: list[str],
    labels: list[str],
    tmp_path: Path,
) -> None:
    (tmp_path / classes[0]).write_text(classes[1])
    hint = _tables(tmp_path, media, sightings)
    assert hint.startswith("media.csv names images in file, by "), hint
    command, _, rest = re.split("join (?:the two|them): ", hint)[1].partition("; then: ")
    assert shell(command, tmp_path).code == 0
    assert shlex.split(rest)[4:] == options
    done = convert_json("sightings-joined.csv", "out", "--splits", "train=1", *options, cwd=tmp_path)
    assert (done["records"], done["rejected"]) == (2, 0), done
    assert sorted((tmp_path / "out" / "labels.txt").read_text().split()) == labels


def test_of_several_lists_whose_images_other_tables_name_none_is_left_out(tmp_path: Path) -> None:
    _tables(tmp_path, "mediaID,filePath\na,m/a.jpg\nb,m/b.jpg\nc,m/c.jpg\n", "mediaID,kind\na,cat\n")
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "media2.csv").write_text("mediaID,filePath\nb,m/b.jpg\nc,m/c.jpg\n")
    (tmp_path / "train.csv").write_text("mediaID,kind\na,cat\nb,dog\nc,dog\n")
    (tmp_path / "val.csv").write_text("mediaID,kind\nb,cat\nc,dog\n")
    words = ["train=train.csv", "validation=val.csv", "OUTPUT_DIR", "--task", "classification"]
    for _ in range(2):
        hint = convert_json(*words, cwd=tmp_path)["error"]["hint"]
        assert hint.startswith("media.csv and media2.csv name images in filePath, by mediaID: join them: ")
        command, _, rest = hint.partition("join them: ")[2].partition("; then: ")
        assert shell(command, tmp_path).code == 0
        words = shlex.split(rest.partition(";")[0])[2:]
    assert words[-2:] == ["--task", "classification"]
    done = convert_json(*words, cwd=tmp_path)
    assert {name: split["rows"] for name, split in done["splits"].items()} == {"train": 3, "validation": 2}


@pytest.mark.parametrize(
    ("media", "sightings"),
    [
        (f"{_MEDIA}a,m/b.jpg,b.jpg\n", _SIGHTINGS),  # an id twice
        (_MEDIA.replace("mediaID", "photo"), _SIGHTINGS),  # no id of both
        (_MEDIA.replace(".jpg", ".png"), _SIGHTINGS),  # no such files
        (_MEDIA, "image_uri,mediaID,label\nm/a.jpg,a,cat\nm/b.jpg,b,dog\n"),  # names its images itself
        ("id,file\n1,m/a.jpg\n2,m/b.jpg\n", "image_id,label\n1,cat\n2,dog\n3,dog\n"),  # other numbers
        ("id,file\n1,m/a.jpg\n2,m/b.jpg\n", "cow,label\n1,cat\n2,dog\n"),  # an id of what is no image
    ],
)
def test_tables_that_are_no_pair_are_not_joined(media: str, sightings: str, tmp_path: Path) -> None:
    assert "join the two" not in _tables(tmp_path, media, sightings)
