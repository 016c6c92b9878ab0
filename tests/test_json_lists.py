"""JSON lists through a whole conversion: COCO, CreateML and JSON Lines become the records that they say."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from boxing import CAT, DOG, boxes_of, convert, photo, photos, records, write
from converting import convert_json, manifest, read_csv, shell, tfrec
from verifying import verify

from tfrecordcli.sources.json.kinds import kind_of_json
from tfrecordcli.sources.json.nested_boxes import lines_of_nested_boxes

CATEGORIES = [{"id": 3, "name": "cat"}, {"id": 7, "name": "dog"}]
IMAGES = [
    {"id": 11, "file_name": "a.png", "width": 80, "height": 40},
    {"id": 12, "file_name": "b.png", "width": 80, "height": 40},
]
ANNOTATIONS = [
    {"id": 1, "image_id": 11, "category_id": 3, "bbox": [8, 4, 32, 16], "iscrowd": 0, "area": 300.5},
    {"id": 2, "image_id": 11, "category_id": 7, "bbox": [16, 8, 64, 32], "iscrowd": 1, "area": 9.0},
    {"id": 3, "image_id": 12, "category_id": 3, "bbox": [8, 4, 32, 16], "iscrowd": 0, "area": 512.0},
]


def coco(annotations: Any = ANNOTATIONS, images: Any = IMAGES, categories: Any = CATEGORIES) -> str:
    return json.dumps({"images": images, "annotations": annotations, "categories": categories})


LISTS = {
    "COCO": coco(),
    "CreateML": json.dumps(
        [
            {
                "image": "a.png",
                "annotations": [
                    {"label": "cat", "coordinates": {"x": 24, "y": 12, "width": 32, "height": 16}},
                    {"label": "dog", "coordinates": {"x": 48, "y": 24, "width": 64, "height": 32}},
                ],
            },
            {
                "image": "b.png",
                "annotations": [
                    {"label": "cat", "coordinates": {"x": 24, "y": 12, "width": 32, "height": 16}}
                ],
            },
        ]
    ),
    "JSON Lines": "".join(
        json.dumps({"image_uri": name, "split": "train", "boxes": boxes}) + "\n"
        for name, boxes in {
            "a.png": [
                {"label": "cat", "xmin": 8, "ymin": 4, "xmax": 40, "ymax": 20},
                {"label": "dog", "xmin": 16, "ymin": 8, "xmax": 80, "ymax": 40},
            ],
            "b.png": [{"label": "cat", "xmin": 8, "ymin": 4, "xmax": 40, "ymax": 20}],
        }.items()
    ),
    "Vertex AI": "".join(
        json.dumps(
            {
                "imageGcsUri": name,
                "boundingBoxAnnotations": boxes,
                "dataItemResourceLabels": {"aiplatform.googleapis.com/ml_use": "training"},
            }
        )
        + "\n"
        for name, boxes in {
            "a.png": [
                {"displayName": "cat", "xMin": 0.1, "yMin": 0.1, "xMax": 0.5, "yMax": 0.5},
                {"displayName": "dog", "xMin": 0.2, "yMin": 0.2, "xMax": 1, "yMax": 1},
            ],
            "b.png": [{"displayName": "cat", "xMin": "0.1", "yMin": 0.1, "xMax": 0.5, "yMax": 0.5}],
        }.items()
    ),
}


@pytest.mark.parametrize("kind", LISTS)
def test_boxes_of_each_kind(kind: str, tmp_path: Path) -> None:
    source = write(photos(tmp_path / "in", "a.png", "b.png"), LISTS[kind], "list.json")
    done = convert(source, tmp_path / "out")
    assert (done.exit_code, done.records, done.rejected) == (0, 2, 0)
    found = records(tmp_path / "out")
    assert boxes_of(found["a.png"]) == [CAT, DOG]
    assert boxes_of(found["b.png"]) == [CAT]
    assert verify(tmp_path / "out").exit_code == 0
    assert convert(source, tmp_path / "out").status == "already_complete"


def test_coco_keeps_its_numbers(tmp_path: Path) -> None:
    source = write(photos(tmp_path / "in", "a.png", "b.png"), coco(), "instances.json")
    convert(source, tmp_path / "out")
    found = records(tmp_path / "out")
    assert {name: values["image/source_id"] for name, values in found.items()} == {
        "a.png": [b"11"],
        "b.png": [b"12"],
    }
    told = found["a.png"]
    by_label = dict(zip(told["image/object/class/label"], told["image/object/area"], strict=True))
    assert by_label == {3: 300.5, 7: 9.0}
    assert sorted(zip(told["image/object/class/label"], told["image/object/is_crowd"], strict=True)) == [
        (3, 0),
        (7, 1),
    ]
    assert manifest(tmp_path / "out")["labels"] == {"cat": 3, "dog": 7}
    text = (tmp_path / "out" / "label_map.pbtxt").read_text()
    assert "id: 3\n  name: 'cat'" in text
    assert "id: 7\n  name: 'dog'" in text


def test_labels_of_whole_images(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "a.png", "b.png", "c.png")
    lines = [
        {"image_uri": "a.png", "split": "train", "labels": ["x", "y"]},
        {"image_uri": "b.png", "split": "test", "labels": ["y"]},
        {"image_uri": "c.png", "split": "train"},
    ]
    source = write(folder, "".join(json.dumps(line) + "\n" for line in lines), "list.jsonl")
    done = convert(source, tmp_path / "out")
    assert (done.exit_code, done.records, dict(done.reasons)) == (1, 2, {"no_label": 1})
    assert records(tmp_path / "out")["a.png"]["image/class/text"] == [b"x", b"y"]
    assert convert(source, tmp_path / "kept", unlabelled="keep").records == 3


UNKNOWN_KEYS = [{"photo": "a.png", "by": {"id": 1}, "kind": "cat"}, {"photo": "b.png", "kind": "dog"}]


def test_an_array_of_unknown_keys_is_read_as_lines_of_them_are(tmp_path: Path) -> None:
    write(photos(tmp_path, "a.png", "b.png"), json.dumps(UNKNOWN_KEYS), "list.json")
    asked = tfrec("convert", "list.json", "out", cwd=tmp_path)
    assert (asked.code, "--columns image_uri=photo" in asked.err) == (2, True)
    told = convert_json(
        "list.json", "out", "--columns", "image_uri=photo,label=kind", "--dry-run", cwd=tmp_path
    )
    assert told["records"] == 2


def test_the_array_of_unknown_keys_beside_a_text_becomes_lines_by_the_command(tmp_path: Path) -> None:
    write(tmp_path, json.dumps({"project": "x", "frames": UNKNOWN_KEYS, "version": 3}), "list.json")
    refused = tfrec("convert", "list.json", "out", cwd=tmp_path)
    assert shell(refused.err.partition("make JSON Lines of it: ")[2].strip(), tmp_path).code == 0
    lines = (tmp_path / "list-as-lines.jsonl").read_text().splitlines()
    assert list(map(json.loads, lines)) == UNKNOWN_KEYS


@pytest.mark.parametrize("key", ["reports", ""])
def test_objects_by_id_become_lines_by_the_command(key: str, tmp_path: Path) -> None:
    by_id = {f"-Nx{i}": value for i, value in enumerate(UNKNOWN_KEYS)}
    text = json.dumps({key: by_id, "users": {"u1": {"name": "Ann"}}, "version": 3} if key else by_id)
    write(photos(tmp_path, "a.png", "b.png"), text, "list.json")
    refused = tfrec("convert", "list.json", "out", cwd=tmp_path)
    assert refused.code == 2
    command = refused.err.partition("python -c ")
    assert shell("".join(command[1:]).strip(), tmp_path).code == 0
    lines = (tmp_path / "list-as-lines.jsonl").read_text().splitlines()
    assert list(map(json.loads, lines)) == UNKNOWN_KEYS


_SIDES = [{"x": 8, "y": 4, "w": 32, "h": 16}, {"x": 16, "y": 8, "w": 64, "h": 32}]
_POINTS = [{"p1": [40, 4], "p2": [8, 20]}, {"p1": [16, 8], "p2": [80.0, 40]}]
_EXTENTS = [dict(zip(("left", "top", "width", "height"), box.values(), strict=True)) for box in _SIDES]
_EDGES = [
    dict(zip(("xmin", "ymin", "xmax", "ymax"), box, strict=True)) for box in ([8, 4, 40, 20], [16, 8, 80, 40])
]


def _with_boxes(boxes: list[dict[str, Any]], key: str, label: str, cat: object, dog: object) -> list[Any]:
    both = [{label: name, **box, "id": 7} for name, box in zip((cat, dog), boxes, strict=True)]
    return [{"name": "a.png", "set": "val", key: both}, {"name": "b.png", "set": "train", key: []}]


NESTED: dict[str, Any] = {
    "two points, numbers of classes": {
        "project": "x",
        "classes": ["cat", "dog"],
        "frames": _with_boxes(_POINTS, "rects", "cls", 0, 1),
    },
    "sides": {"frames": _with_boxes(_SIDES, "rects", "cls", "cat", "dog"), "version": 3},
    "classes by id": {
        "categories": [{"id": 4, "name": "cat"}, {"id": 2, "name": "dog"}],
        "images": _with_boxes(_EDGES, "annotations", "category_id", 4, 2),
    },
    "called as COCO's arrays": {
        "info": {"version": "1.0"},
        "licenses": [],
        "categories": ["cat", "dog"],
        "annotations": _with_boxes(_EXTENTS, "bbox", "class", 0, 1),
    },
    "of images": {"images": _with_boxes(_EDGES, "boxes", "label", "cat", "dog")},
    "an array": _with_boxes(_POINTS, "regions", "class", "cat", "dog"),
    "rectangles of Swift": _with_boxes(
        [
            {"rect": {"origin": {"x": 8, "y": 4}, "size": {"width": 32, "height": 16}}},
            {"rect": {"size": {"height": 32, "width": 64}, "origin": {"x": 16, "y": 8}}},
        ],
        "detections",
        "label",
        "cat",
        "dog",
    ),
    "objects of two corners": _with_boxes(
        [
            {"bounding_box": {"minimum": {"r": 4, "c": 8}, "maximum": {"r": 20, "c": 40}}},
            {"bounding_box": {"minimum": {"r": 8, "c": 16}, "maximum": {"r": 40, "c": 80}}},
        ],
        "objects",
        "category",
        "cat",
        "dog",
    ),
    "two corners in an object": _with_boxes(
        [{"loc": {"tl": [8, 4], "br": [40, 20]}}, {"loc": {"tl": [16, 8], "br": [80, 40]}}],
        "objects",
        "cls",
        "cat",
        "dog",
    ),
    "two corners in the box": _with_boxes(
        [
            {"start": {"x": 40, "y": 4}, "end": {"x": 8, "y": 20}},
            {"start": {"x": 16, "y": 8}, "end": {"x": 80, "y": 40}},
        ],
        "regions",
        "label",
        "cat",
        "dog",
    ),
    "an array of boxes": _with_boxes(_SIDES, "boxes", "label", "cat", "dog"),
    "not of CreateML": [
        {"image": row["name"], "set": row["set"], "annotations": row["annotations"]}
        for row in _with_boxes(_EXTENTS, "annotations", "label", "cat", "dog")
    ],
    "an object in images": [
        {"set": row["set"], "params": {"name": row["name"]}, "response": {"rects": row["rects"]}}
        for row in _with_boxes(_EXTENTS, "rects", "label", "cat", "dog")
    ],
}


@pytest.mark.parametrize("document", NESTED.values(), ids=NESTED)
def test_boxes_in_images_of_other_forms_become_lines_by_the_command(document: Any, tmp_path: Path) -> None:
    write(photos(tmp_path, "a.png", "b.png"), json.dumps(document), "list.json")
    refused = tfrec("convert", "list.json", "out", cwd=tmp_path)
    assert refused.code == 2
    command, proposed, _ = refused.err.partition("make JSON Lines of it: ")[2].partition("; --columns")
    if proposed:
        name = "params.name" if "response" in refused.err else "name"
        images = ("--columns", f"image_uri={name}", "--unlabelled", "keep")
        assert tfrec("convert", "list.json", "images", *images, cwd=tmp_path).code == 0
    assert shell(command.strip(), tmp_path).code == 0
    assert convert(tmp_path / "list-as-lines.jsonl", tmp_path / "out").records == 2
    assert manifest(tmp_path / "out")["splits"].keys() == {"train", "validation"}
    assert boxes_of(records(tmp_path / "out")["a.png"]) == [CAT, DOG]


def test_lines_whose_boxes_stand_in_objects_are_refused_unless_images_are_named(tmp_path: Path) -> None:
    rows = [
        {"image": row["name"], "reply": {"rects": row["rects"]}}
        for row in _with_boxes(_SIDES, "rects", "label", "cat", "dog")
    ]
    lines = "".join(json.dumps(row) + "\n" for row in [*rows, {"image": "c.png"}])
    write(photos(tmp_path, "a.png", "b.png", "c.png"), lines, "list.jsonl")
    keep = ("--unlabelled", "keep")
    for options, is_told in (((), False), (keep, True)):
        refused = tfrec("convert", "list.jsonl", "out", *options, cwd=tmp_path).err
        assert ("; --columns image_uri=KEY" in refused) == is_told
        assert "its boxes are under reply.rects, which is no name for boxes" in refused
    command = refused.partition("make JSON Lines of it: ")[2].partition("; --columns")[0]
    assert shell(command.strip(), tmp_path).code == 0
    done = convert(tmp_path / "list-as-lines.jsonl", tmp_path / "out")
    assert (done.records, dict(done.reasons)) == (2, {"no_label": 1})  # nobody looked at the third
    assert boxes_of(records(tmp_path / "out")["a.png"]) == [CAT, DOG]
    images = ("--columns", "image_uri=image", *keep)
    assert tfrec("convert", "list.jsonl", "images", *images, cwd=tmp_path).code == 0


@pytest.mark.parametrize(
    ("first", "second", "commands"),
    [([[8, 4], [32, 3]], [8, 4, 40, 7], 1), ([[8, 4], [32, 16]], [8, 4, 40, 20], 2)],
)
def test_two_pairs_of_numbers_are_a_size_where_some_are_no_corners(
    first: list[list[int]], second: list[int], commands: int, tmp_path: Path
) -> None:
    rows = [{"imageName": "a.png", "id": 1, "objects": [{"label": "cat", "frame": first}]}]
    write(photos(tmp_path, "a.png"), json.dumps(rows), "list.json")
    refused = tfrec("convert", "list.json", "out", cwd=tmp_path).err
    ways = refused.partition("; --columns")[0].split("make JSON Lines of it: ")[1:]
    assert len(ways) == commands
    corners = [first[0] + first[1]]
    for way, box in zip(ways, [second, *corners], strict=False):
        assert shell(way.partition("; where they")[0].strip(), tmp_path).code == 0
        out = tmp_path / f"out{box[3]}"
        assert convert(tmp_path / "list-as-lines.jsonl", out).records == 1
        assert boxes_of(records(out)["a.png"]) == [("cat", tuple(map(float, box)))]


@pytest.mark.parametrize("ids", [(1, 2), (0, 7)])
def test_numbers_that_may_count_from_one_stop_the_command(ids: tuple[int, int], tmp_path: Path) -> None:
    document = {"classes": ["cat", "dog", "cow"], "frames": _with_boxes(_SIDES, "rects", "cls", *ids)}
    write(tmp_path, json.dumps(document), "list.json")
    refused = tfrec("convert", "list.json", "out", cwd=tmp_path)
    stopped = shell(refused.err.partition("make JSON Lines of it: ")[2].strip(), tmp_path)
    assert (stopped.code, "numbers of classes" in stopped.err) == (1, True)


@pytest.mark.parametrize(
    ("key", "value", "task", "is_told"),
    [
        ("detections", [{"label": "cat", "frame": [[8, 4], [32, 3]]}], "auto", True),
        ("regions", [{"shape": [1, 2.5, 3, 4]}], "auto", True),
        ("regions", [{"shape": [1, 2.5, 3, 4]}], "classification", False),
        ("regions", [{"name": "left", "score": 0.25}], "auto", False),
        ("regions", ["north", "east"], "auto", False),
        ("comments", [{"by": "Ann"}], "auto", False),
    ],
)
def test_objects_called_as_boxes_that_nobody_reads_are_warned_of(
    key: str, value: list[Any], task: str, is_told: bool, tmp_path: Path
) -> None:
    write(photos(tmp_path, "a.png"), json.dumps([{"photo": "a.png", key: value}]), "list.json")
    words = ("--columns", "image_uri=photo", "--unlabelled", "keep", "--splits", "train=1", "--task", task)
    done = tfrec("convert", "list.json", "out", *words, cwd=tmp_path)
    assert done.code == 0
    assert (f"warning: {key} may hold boxes of objects, and no boxes are read: " in done.err) is is_told
    assert ("python -c" in done.err) is (key == "detections")


def test_the_form_of_four_numbers_says_nothing_of_corners(tmp_path: Path) -> None:
    rows = NESTED["two corners in an object"]
    write(photos(tmp_path, "a.png", "b.png"), "".join(json.dumps(row) + "\n" for row in rows), "list.jsonl")
    refused = tfrec("convert", "list.jsonl", "out", "--box-format", "xyxy", cwd=tmp_path)
    assert (refused.code, "its boxes are under objects, in a form" in refused.err) == (2, True)


def test_four_numbers_under_any_key_of_objects_are_asked_for(tmp_path: Path) -> None:
    """A script's own keys of one letter, with centres as parts of the image and names of classes aside."""
    boxes = [[0.3, 0.3, 0.4, 0.4], [0.6, 0.6, 0.8, 0.8]]
    objects = [{"c": c, "b": box, "occluded": False} for c, box in enumerate(boxes)]
    rows = [{"img": "a.png", "wh": [80, 40], "objs": objects}, {"img": "b.png", "wh": [80, 40], "objs": []}]
    document = {"tool": "x.py", "classes": ["cat", "dog"], "items": rows}
    write(photos(tmp_path, "a.png", "b.png"), json.dumps(document), "list.json")
    refused = tfrec("convert", "list.json", "out", cwd=tmp_path)
    command = refused.err.partition("make JSON Lines of it: ")[2].partition("; then: ")[0]
    assert shell(command, tmp_path).code == 0
    asked = tfrec("convert", "list-as-lines.jsonl", "out", cwd=tmp_path)
    assert (asked.code, "--box-format xyxy" in asked.err, "--box-format xywh" in asked.err) == (
        2,
        True,
        False,
    )
    assert convert(tmp_path / "list-as-lines.jsonl", tmp_path / "out", box_format="center_xywh").records == 2
    assert boxes_of(records(tmp_path / "out")["a.png"]) == [CAT, DOG]


def test_boxes_beside_labels_and_what_is_no_box_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "list.json").touch()
    lines = [{"name": "edge", "p1": [1, 2], "p2": [3, 4]}]
    boxes = [{"label": "cat", **_SIDES[0]}]
    sized = [{"label": "cat", "pos": [8, 4], "size": [32, 16]}]
    for row in (
        {"image": "a.png", "regions": sized},
        {"image": "a.png", "regions": [{"label": "cat", "place": {"center": [8, 4], "size": [32, 16]}}]},
        {"image": "a.png", "scores": {"cat": 0.3, "dog": 0.7}},
        {"image": "a.png", "counts": {"cat": [2], "dog": [1]}},
        {"image": "a.png", "quarters": {"cat": [0.1, 0.2, 0.3, 0.4], "dog": [0.4, 0.3, 0.2, 0.1]}},
        {"image": "a.png", "masks": {"cat": [[1, 2, 3, 4, 5, 6]], "dog": []}},
        {"image": "a.png", "gt": [[1, 2, 3, 4]], "pred": [[1, 2, 3, 4]]},
        {"image": "a.png", "gt": {"boxes": [[1, 2, 3, 4]], "anchors": [[1, 2, 3, 4]]}},
        {"image": "a.png", "clip": {"frame": [[1, 2, 3, 4]]}},
        {"image": "a.png", "label": "cat", "stats": {"red": [[1, 2, 3, 4]], "blue": [[1, 2, 3, 4]]}},
        {"image": "a.png", "label": "cat", "faces": boxes},
        {"image": "a.png", "label": "cat", "meta": {"faces": boxes}},
        {"image": "a.png", "meta": {"label": "cat", "faces": boxes}},
        {"image": "a.png", "kind": "cat", "lines": lines},
        {"image": "a.png", "boxes": [{"label": "cat", **_EDGES[0]}]},
        {"image": "a.png", "boxes": [{**_EDGES[0], "cls": "cat", "points": [[1, 2]]}]},
        {"image": "a.png", "hits": [{"label": "cat", "boundingBox": [[0.1, 0.2], [0.3, 0.1]]}]},
        {"image": "a.png", "ways": [{"label": "road", "points": [[8, 4], [32, 3]]}]},
        {"image": "a.png", "boxes": [{**_POINTS[0], "label": "cat"}], "image_size": [1, 2], "label": "x"},
    ):
        text = json.dumps([row, row])
        assert lines_of_nested_boxes(text, str(tmp_path / "list.json")) == ""
        assert kind_of_json(text.encode(), str(tmp_path / "list.json")) == "jsonl"


def test_an_image_that_nobody_labelled_is_not_one_without_objects(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "a.png", "b.png", "c.png")
    box = {"label": "cat", "xmin": 8, "ymin": 4, "xmax": 40, "ymax": 20}
    lines = [
        {"image_uri": "a.png", "boxes": [box]},
        {"image_uri": "b.png", "boxes": []},
        {"image_uri": "c.png"},
    ]
    source = write(folder, "".join(json.dumps(line) + "\n" for line in lines), "list.jsonl")
    done = convert(source, tmp_path / "out")
    assert (done.records, dict(done.reasons)) == (2, {"no_label": 1})
    done = convert(source, tmp_path / "skipped", unlabelled="skip")
    assert (done.exit_code, done.records, done.rows) == (0, 2, 3)


def test_rejected_images_become_a_list_of_our_own(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "b.png")
    source = write(folder, coco(), "instances.json")
    done = convert(source, tmp_path / "out")
    assert (done.exit_code, done.records, done.rejected) == (1, 1, 1)
    rows = read_csv(tmp_path / "out" / "rejects.csv")
    assert [(row["image_uri"], row["label"], row["tfrec_place"]) for row in rows] == [
        ("a.png", "cat", "images[0], box 0"),
        ("a.png", "dog", "images[0], box 1"),
    ]
    photo(folder / "a.png")
    mended = tfrec(*shlex.split(done.mend_command)[1:])
    assert mended.code == 0, mended.err
    again = records(tmp_path / "out-mended")
    assert boxes_of(again["a.png"]) == [CAT, DOG]
    assert sorted(again["a.png"]["image/object/class/label"]) == [3, 7]


def test_boxes_of_no_image_are_left_out_and_counted(tmp_path: Path) -> None:
    stray = {"id": 4, "image_id": 99, "category_id": 3, "bbox": [1, 2, 3, 4]}
    folder = photos(tmp_path / "in", "a.png", "b.png")
    source = write(folder, coco([*ANNOTATIONS, stray]), "instances.json")
    assert convert(source, tmp_path / "out").exit_code == 0
    boxes = manifest(tmp_path / "out")["boxes"]
    assert (boxes["stored"], boxes["left_out"]) == (3, 1)
    (row,) = read_csv(tmp_path / "out" / "boxes-left-out.csv")
    assert row["tfrec_place"] == "image_id 99, box 3"
    assert verify(tmp_path / "out").exit_code == 0


def test_a_box_that_cannot_be_read_rejects_its_image(tmp_path: Path) -> None:
    broken = {"id": 4, "image_id": 12, "category_id": 3, "bbox": [1, 2, None, 4]}
    folder = photos(tmp_path / "in", "a.png", "b.png")
    done = convert(write(folder, coco([*ANNOTATIONS, broken]), "x.json"), tmp_path / "out")
    assert (done.exit_code, done.records, done.rejected) == (1, 1, 1)
    boxes = manifest(tmp_path / "out")["boxes"]
    assert (boxes["stored"], boxes["rejected"]) == (2, 2)


def test_from_a_pipe_and_in_steps(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "a.png", "b.png")
    source = write(folder, coco(), "instances.json")
    convert(source, tmp_path / "out", num_shards=1, splits="train=1")
    assert tfrec("plan", source, tmp_path / "steps", "--num-shards", "1", "--splits", "train=1").code == 0
    source.unlink()  # the plan keeps what it needs
    assert tfrec("write-shards", tmp_path / "steps").code == 0
    assert tfrec("finish", tmp_path / "steps").code == 0
    for name in ("train-00000-of-00001.tfrecord", "label_map.pbtxt", "labels.txt"):
        assert (tmp_path / "steps" / name).read_bytes() == (tmp_path / "out" / name).read_bytes()


def test_real_sets_agree_whatever_their_form(detection_data: Path, tmp_path: Path) -> None:
    """The salads of Model Maker's tests, by AutoML's CSV and by COCO, whose boxes are cut to whole pixels."""
    salads = detection_data / "salads_automl"
    convert(salads / "salads_ml_use.csv", tmp_path / "csv", image_root=salads / "salad_images")
    by_csv, by_coco = records(tmp_path / "csv"), {}
    for split in ("train", "test"):
        listed = salads / "json_files" / f"{split}_annotations.json"
        convert(listed, tmp_path / split, image_root=salads / "salad_images")
        by_coco |= records(tmp_path / split)
    assert by_coco.keys() == by_csv.keys()
    for name, values in by_coco.items():
        pairs = list(zip(boxes_of(values), boxes_of(by_csv[name]), strict=True))
        assert pairs
        for (label, corners), (other_label, other) in pairs:
            assert label == other_label
            assert corners == pytest.approx(other, abs=2)
