"""JSON Lines of Vertex AI, of Hugging Face and plain ones; what is wrong is told by its line."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from converting import shell
from listing_json import problem_of, read_with, write_json

from tfrecordcli.errors import InputError
from tfrecordcli.sources.boxes.columns import BoxFormat
from tfrecordcli.sources.boxes.object_keys import SIDES
from tfrecordcli.sources.json.lines import read_json_lines
from tfrecordcli.sources.listed import Findings, ListedBox, ListedImage

VERTEX_BOX = {"displayName": "Tomato", "xMin": "0.3", "yMin": 0.3, "xMax": "0.7", "yMax": 0.6}
BOX = {"label": "cat", "xmin": 1, "ymin": 2.5, "xmax": 30, "ymax": 40}
CORNERS = (1, 2.5, 30, 40)


def read(folder: Path, *lines: Any, **how: Any) -> tuple[list[ListedImage], Findings]:
    text = "".join((each if isinstance(each, str) else json.dumps(each)) + "\n" for each in lines)
    return read_with(read_json_lines, write_json(folder, text, "a.jsonl"), **how)


def vertex(uri: str, use: Any = "training", **fields: Any) -> dict[str, Any]:
    further = {"aiplatform.googleapis.com/ml_use": use}
    return {"imageGcsUri": f"gs://b/{uri}", **fields, "dataItemResourceLabels": further}


def test_vertex_boxes(tmp_path: Path) -> None:
    images, findings = read(
        tmp_path,
        vertex("1.jpg", boundingBoxAnnotations=[VERTEX_BOX | {"annotationResourceLabels": {"a": "b"}}]),
        "",
        vertex("2.jpg", "test", boundingBoxAnnotations=[]),
        vertex("3.jpg", None),
    )
    assert images == [
        ListedImage(
            "line 1", "gs://b/1.jpg", "training", unit="fractions",
            boxes=(ListedBox("Tomato", (0.3, 0.3, 0.7, 0.6), 0),),
        ),
        ListedImage("line 3", "gs://b/2.jpg", "test", unit="fractions", boxes=()),
        ListedImage("line 4", "gs://b/3.jpg", "", unit="fractions"),
    ]  # fmt: skip
    assert findings.notes == ["keys of boxes that are not stored: annotationResourceLabels"]


def test_vertex_labels(tmp_path: Path) -> None:
    single = [
        vertex("1.jpg", classificationAnnotation={"displayName": "daisy", "annotationResourceLabels": {}})
    ]
    ((one,), _) = read(tmp_path, *single)
    assert (one.labels, one.boxes, one.split) == (("daisy",), None, "training")
    several = [{"displayName": name} for name in ("a", "b c", "a")]
    ((many,), _) = read(tmp_path, vertex("1.jpg", classificationAnnotations=several))
    assert many.labels == ("a", "b c")


def test_further_fields_are_extras(tmp_path: Path) -> None:
    line = vertex("1.jpg", classificationAnnotation={"displayName": "daisy"}) | {"dataRowId": 7}
    line["dataItemResourceLabels"]["farm"] = "north"
    ((found,), _) = read(tmp_path, line)
    assert found.extras == {"farm": "north", "dataRowId": 7}
    plain = {
        "image_uri": "a.jpg", "label": "cat", "age": 3, "zip": "007", "score": 0.5, "ok": True, "none": None,
        "tags": ["a", "ö"], "camera": {"name": "x", "iso": 100}, "width": 5,
    }  # fmt: skip
    ((found,), _) = read(tmp_path, plain)
    assert found.extras == {
        "age": 3, "zip": "007", "score": 0.5, "ok": True, "none": None, "tags": ["a", "ö"], "width": 5,
        "camera.name": "x", "camera.iso": 100,
    }  # fmt: skip


def test_plain_boxes(tmp_path: Path) -> None:
    flags = {"difficult": 0, "isCrowd": True, "area": 9.5, "pose": "Left", "score": 1, "is_occluded": None}
    images, findings = read(
        tmp_path,
        {"image_uri": "a.jpg", "split": "val", "boxes": [BOX | flags, BOX], "width": 64, "height": 48},
        {"image_uri": "b.jpg", "split": None, "boxes": [], "age": 3},
        {"image_uri": "c.jpg", "boxes": None},
    )
    attributes = {"difficult": 0, "is_crowd": 1, "area": 9.5, "view": "Left"}
    assert images == [
        ListedImage(
            "line 1", "a.jpg", "val", unit=None, width=64, height=48,
            boxes=(ListedBox("cat", CORNERS, 0, attributes), ListedBox("cat", CORNERS, 1)),
        ),
        ListedImage("line 2", "b.jpg", unit=None, boxes=(), extras={"age": 3}),
        ListedImage("line 3", "c.jpg", unit=None),
    ]  # fmt: skip
    assert findings.notes == ["keys of boxes that are not stored: score"]


HUGGING_FACE = {
    "lists": {"bbox": [[1, 2.5, 29, 37.5]], "categories": [0], "id": [7], "area": [8], "iscrowd": [0]},
    "objects": [{"bbox": [1, 2.5, 29, 37.5], "category": 0, "id": 7, "area": 8, "iscrowd": 0}],
}


@pytest.mark.parametrize("objects", HUGGING_FACE.values(), ids=HUGGING_FACE)
def test_hugging_face_boxes(objects: Any, tmp_path: Path) -> None:
    empty: Any = {"bbox": [], "categories": []} if isinstance(objects, dict) else []
    images, findings = read(
        tmp_path, {"file_name": "train/a.jpg", "objects": objects}, {"file_name": "b.jpg", "objects": empty}
    )
    assert images[0].boxes == (ListedBox("0", CORNERS, 0, {"area": 8, "is_crowd": 0}),)
    assert images[1].boxes == ()
    assert not findings.notes


def test_hugging_face_boxes_of_another_format(tmp_path: Path) -> None:
    line = {"file_name": "a.jpg", "objects": {"bbox": [[1, 2.5, 30, 40]], "categories": [0]}}
    ((found,), _) = read(tmp_path, line, box_format="xyxy")
    assert found.boxes == (ListedBox("0", CORNERS, 0),)


NAMED = {
    "corners": {"xmin": 1, "ymin": 2.5, "xmax": 30, "ymax": 40},
    "extents": {"x": 1, "y": 2.5, "w": 29, "h": 37.5},
    "whole words, height first": {"height": 37.5, "width": 29, "y": 2.5, "x": 1},
    "centres": {"cx": 15.5, "cy": 21.25, "w": 29, "h": 37.5},
}


@pytest.mark.parametrize("box", NAMED.values(), ids=NAMED)
def test_boxes_that_name_their_sides(box: Any, tmp_path: Path) -> None:
    empty = {"file": "b.jpg", "objects": []}
    images, findings = read(tmp_path, empty, {"file": "a.jpg", "objects": [{"name": "cat", "bbox": box}]})
    assert images[1].boxes == (ListedBox("cat", CORNERS, 0),)
    assert findings.form == ("xywh" if "x" in box else "xyxy" if "xmin" in box else None)


@pytest.mark.parametrize("more", [{"rotation": 30}, {"z": 1}])
def test_a_box_with_another_key_is_none(more: Any, tmp_path: Path) -> None:
    line = {"file": "a.jpg", "objects": [{"name": "cat", "bbox": NAMED["extents"] | more}]}
    assert "not four numbers" in problem_of(read(tmp_path, line)[0][0])


def test_fractions_called_x_and_y_may_be_centres(tmp_path: Path) -> None:
    box = {"x": 0.5, "y": 0.5, "w": 0.25, "h": 0.25}
    _, findings = read(tmp_path, {"file": "a.jpg", "objects": [{"name": "cat", "bbox": box}]})
    assert findings.calls_xy


BESIDE: Any = {"image": "a.jpg", "boxes": [[1, 2.5, 30, 40]] * 2, "labels": ["cat", 3], "area": [8, 9]}


def test_boxes_beside_their_labels(tmp_path: Path) -> None:
    empty = {"image": "b.jpg", "boxes": [], "labels": []}
    images, findings = read(tmp_path, empty, BESIDE, box_format="xyxy")
    assert images[0].boxes == ()
    assert images[1].boxes == (
        ListedBox("cat", CORNERS, 0, {"area": 8}), ListedBox("3", CORNERS, 1, {"area": 9}),
    )  # fmt: skip
    assert (images[1].unit, images[1].extras, findings.has_boxes) == (None, {}, True)


def test_boxes_beside_their_labels_need_a_form(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 1: nothing says what the four numbers in boxes are") as caught:
        read(tmp_path, BESIDE)
    assert "--box-format xyxy: " in caught.value.hint


@pytest.mark.parametrize("key", ["objects", "boxes"])
def test_four_numbers_under_a_name_for_places_are_a_box_in_the_form_that_is_told(
    key: str, tmp_path: Path
) -> None:
    line = {"image": "a.jpg", key: [{"label": "cat", "Bounding_Box": [1, 2.5, 30, 40]}]}
    (image,), _ = read(tmp_path, line, box_format="xyxy")
    assert image.boxes == (ListedBox("cat", CORNERS, 0),)
    with pytest.raises(InputError, match=f"the four numbers in Bounding_Box of {key} are"):
        read(tmp_path, line)


@pytest.mark.parametrize("box_format", [None, "xyxy"])
@pytest.mark.parametrize("under", ["boxes", "objects"])
@pytest.mark.parametrize("key", ["coordinates", "rect", "box", "roi"])
def test_four_numbers_beside_named_corners_are_no_box(
    key: str, under: str, box_format: BoxFormat | None, tmp_path: Path
) -> None:
    box = {"label": "cat", "xmin": 1, "ymin": 2.5, "xmax": 30, "ymax": 40}
    lines = [{"image": f"{key}.jpg", under: [box | more]} for more in ({key: [0, 0, 100, 80]}, {})]
    images, findings = read(tmp_path, *lines, box_format=box_format)
    assert [image.boxes for image in images] == [(ListedBox("cat", CORNERS, 0),)] * 2
    assert findings.form == "xyxy"


def test_sides_of_objects_are_read_by_their_names(tmp_path: Path) -> None:
    box = {"category": "cat", "left": 1, "top": 2.5, "width": 29, "height": 37.5}
    (image,), findings = read(tmp_path, {"image": "a.jpg", "objects": [box]})
    assert (image.boxes, findings.form) == ((ListedBox("cat", CORNERS, 0),), "xywh")


@pytest.mark.parametrize("under", ["boxes", "objects"])
@pytest.mark.parametrize(
    "sides", [("x", "y", "width", "height"), ("x1", "y1", "x2", "y2"), ("cx", "cy", "w", "h"), SIDES]
)
@pytest.mark.parametrize("key", ["coordinates", "rect", "box"])
def test_four_numbers_beside_sides_under_other_names_are_a_box_in_the_form_that_is_told(
    key: str, sides: tuple[str, ...], under: str, tmp_path: Path
) -> None:
    value = None if sides == SIDES else 9
    line = {"image": "a.jpg", under: [{"label": "cat", **dict.fromkeys(sides, value), key: [1, 2.5, 30, 40]}]}
    (image,), _ = read(tmp_path, line, box_format="xyxy")
    assert image.boxes == (ListedBox("cat", CORNERS, 0),)
    with pytest.raises(InputError, match=f"the four numbers in {key} of {under} are"):
        read(tmp_path, line)


@pytest.mark.parametrize("key", ["boxes", "objects"])
@pytest.mark.parametrize("sides", [("x", "y", "width", "height"), ("x1", "y1", "x2", "y2"), ("vertices",)])
def test_a_region_beside_other_sides_is_not_taken_instead(
    sides: tuple[str, ...], key: str, tmp_path: Path
) -> None:
    box = {"label": "cat", **dict.fromkeys(sides, 9), "roi": [0, 0, 100, 80]}
    images, _ = read(tmp_path, {"image": "a.jpg", key: [box]}, box_format="xyxy")
    assert "has no" in problem_of(images[0])


def test_another_key_of_four_numbers_is_no_box(tmp_path: Path) -> None:
    boxes = [{"label": "cat", "bbox": [1, 2.5, 29, 37.5]}, {"label": "cat", "color": [1, 2, 30, 40]}]
    lines = [{"image": "a.jpg", "objects": boxes[:1]}, {"image": "b.jpg", "objects": boxes}]
    images, _ = read(tmp_path, *lines)
    assert images[0].boxes == (ListedBox("cat", CORNERS, 0),)
    assert "has no bbox of four numbers" in problem_of(images[1])


def test_boxes_with_fewer_labels_are_a_reject(tmp_path: Path) -> None:
    images, _ = read(tmp_path, BESIDE, BESIDE | {"image": "b.jpg", "labels": ["cat"]}, box_format="xyxy")
    assert images[0].problem is None
    assert "not every box has its label: boxes has 2, labels 1" in problem_of(images[1])


def test_boxes_beside_scores_are_predictions(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="score"):
        read(tmp_path, BESIDE | {"scores": [0.5, 0.9]}, box_format="xyxy")


def test_hugging_face_labels(tmp_path: Path) -> None:
    images, _ = read(
        tmp_path, {"file_name": "a.jpg", "label": "cat"}, {"file_name": "b.jpg", "label": 3},
        {"file_name": "c.jpg", "label": 2.0}, {"file_name": "d.jpg", "label": None}, {"file_name": "e.jpg"},
    )  # fmt: skip
    assert [each.labels for each in images] == [("cat",), ("3",), ("2.0",), (), ()]


def test_several_labels(tmp_path: Path) -> None:
    images, _ = read(
        tmp_path, {"image": "a.jpg", "labels": ["cat", "dog", 3]}, {"image": "b.jpg", "labels": []}
    )
    assert [each.labels for each in images] == [("cat", "dog", "3"), ()]


def test_an_array_of_objects(tmp_path: Path) -> None:
    content = [{"image_uri": "a.jpg", "label": "cat"}, {"image_uri": "b.jpg", "label": ""}]
    images, _ = read_with(read_json_lines, write_json(tmp_path, json.dumps(content, indent=1)))
    assert [each.place for each in images] == ["[0]", "[1]"]
    assert images[0].labels == ("cat",)
    assert 'is "", where a name is needed' in problem_of(images[1])


def test_columns_choose_keys(tmp_path: Path) -> None:
    line = {"url": "https://a/b.jpg", "file_name": "a.jpg", "species": "cat", "part": "val"}
    with pytest.raises(InputError, match="line 1: both file_name and url could be the image") as caught:
        read(tmp_path, line)
    assert caught.value.hint == "--columns image_uri=file_name chooses"
    columns = (("image_uri", "file_name"), ("label", "species"), ("split", "part"))
    ((found,), _) = read(tmp_path, line, columns=columns)
    assert (found.image_uri, found.labels, found.split) == ("a.jpg", ("cat",), "val")
    assert found.extras == {"url": "https://a/b.jpg"}


@pytest.mark.parametrize(
    ("lines", "has_boxes"),
    [
        ([vertex("1.jpg"), vertex("2.jpg", boundingBoxAnnotations=[])], True),
        ([{"image": "a.jpg"}, {"image": "b.jpg", "objects": {}}], True),
        ([vertex("1.jpg", classificationAnnotation={"displayName": "a"})], False),
        ([{"image": "a.jpg", "labels": []}], False),
        ([{"image": "a.jpg"}, "no JSON"], False),
    ],
)
def test_whether_it_is_a_list_of_boxes_is_known_at_once(
    lines: list[Any], has_boxes: bool, tmp_path: Path
) -> None:
    text = "\n".join(each if isinstance(each, str) else json.dumps(each) for each in lines)
    findings = Findings()
    next(read_json_lines(write_json(tmp_path, text), findings))
    assert findings.has_boxes == has_boxes


MIXED = {
    "labels and boxes": (
        {"image_uri": "b.jpg", "label": "cat"}, {"image_uri": "c.jpg", "boxes": []},
        "line 2 has a label, line 3 has boxes",
    ),
    "one and several": (
        {"image_uri": "b.jpg", "label": "cat"}, {"image_uri": "c.jpg", "label": ["cat"]},
        "line 2 has a label, line 3 has several labels",
    ),
    "of Vertex AI": (
        vertex("b.jpg", classificationAnnotation={"displayName": "a"}),
        vertex("c.jpg", boundingBoxAnnotations=[]),
        "line 2 has a label of Vertex AI, line 3 has boxes of Vertex AI",
    ),
    "of both": (
        vertex("b.jpg", boundingBoxAnnotations=[]), {"image_uri": "c.jpg", "boxes": []},
        "line 2 has boxes of Vertex AI, line 3 has boxes",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("one", "other", "said"), MIXED.values(), ids=MIXED)
def test_lines_of_different_kinds_are_named(one: Any, other: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        read(tmp_path, {"image_uri": "a.jpg"}, one, other)


REFUSED = {
    "predictions": ({"instance": {}, "prediction": {"bboxes": []}}, "prediction results of Vertex AI"),
    "predictions by box": (
        {"imageGcsUri": "a.jpg", "bboxes": [], "confidences": []}, "prediction results of Vertex AI"
    ),
    "texts": ({"textContent": "a", "classificationAnnotation": {}}, "a list of texts"),
    "videos": ({"videoGcsUri": "gs://b/a.mp4"}, "a list of videos"),
    "masks of Ground Truth": (
        {"source-ref": "a", "m-ref": "m", "m-ref-metadata": {"type": "groundtruth/semantic-segmentation"}},
        "of the kind groundtruth/semantic-segmentation",
    ),
    "outlines of Azure": (
        {"image_url": "a.jpg", "label": [{"label": "can", "polygon": [[0, 0, 1, 1, 0, 1]]}]},
        "outlines of Azure",
    ),
    "an object for the image": (
        {"image": {"path": "a.jpg", "w": 8}, "label": "cat"}, "image is an object with the keys path, w,",
    ),
    "no image": ({"pic": "a.jpg", "label": "cat"}, "no key names the image; its keys are pic, label"),
    "no key": ({}, "no key names the image; its keys are none"),
    "boxes of another form": (
        {"image": "a.jpg", "bbox": [1, 2, 3, 4], "label": "cat"}, "boxes in bbox are not of a form that is"
    ),
    "boxes twice": ({"image": "a.jpg", "boxes": [], "objects": []}, "boxes in objects are not of a form"),
    "a label beside boxes": (
        {"image": "a.jpg", "boxes": [], "label": "cat"},
        "it has boxes (boxes) and a label of the whole image (label)",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("line", "said"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_read_for_certain_is_refused(line: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, line)
    assert caught.value.message.startswith("a.jsonl: line 1: ")
    assert said in caught.value.message
    assert caught.value.hint


UNCLEAR = {
    "two keys of images": ({"url": "https://a/c.jpg", "file_name": "c.jpg"}, "both file_name and url"),
    "two keys of labels": ({"image": "c.jpg", "label": "a", "class": "b"}, "both label and class could"),
    "boxes beside a label": ({"image": "c.jpg", "boxes": [BOX], "label": "a"}, "it has boxes (boxes) and a"),
    "boxes of another form": ({"image": "c.jpg", "bbox": [1, 2, 3, 4]}, "boxes in bbox are not of a form"),
    "a prediction": ({"image": "c.jpg", "prediction": {}}, "this is prediction results of Vertex AI"),
    "a prediction of Vertex AI": ({"imageGcsUri": "gs://b/c.jpg", "prediction": {}}, "this is prediction"),
}  # fmt: skip


@pytest.mark.parametrize("image", [{"image": "b.jpg", "label": "cat"}, {"image": "b.jpg", "boxes": [BOX]}])
@pytest.mark.parametrize(("line", "said"), UNCLEAR.values(), ids=UNCLEAR)
def test_a_line_that_is_not_clear_costs_itself_only(line: Any, said: str, image: Any, tmp_path: Path) -> None:
    for lines in ([line, image, image], [image, line, image]):
        images, findings = read(tmp_path, *lines)
        (odd,) = (found for found in images if found.problem)
        assert said in problem_of(odd)
        assert odd.image_uri.endswith("c.jpg")
        assert findings.has_boxes == ("boxes" in image)
    with pytest.raises(InputError) as caught:
        read(tmp_path, line, line)
    assert said in caught.value.message


@pytest.mark.parametrize(
    "image", [{"image_uri": "b.jpg", "label": "cat"}, {"image_uri": "b.jpg", "boxes": [BOX]}, vertex("b.jpg")]
)
@pytest.mark.parametrize("line", [{"error": "no answer"}, {}, {"label": "cat"}, {"": "b"}, {"boxes": [BOX]}])
def test_a_line_that_names_no_image_costs_itself_only(line: Any, image: Any, tmp_path: Path) -> None:
    for lines in ([line, image, image], [image, line, image]):
        images, findings = read(tmp_path, *lines)
        assert len(images) == 3
        (problem,) = (found.problem for found in images if not found.image_uri)
        assert problem is not None
        assert problem.code == "no_image_uri"
        assert findings.has_boxes == ("boxes" in image)


def test_a_long_file_that_names_no_image_is_refused_by_its_first_lines(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 1: no key names the image; its keys are x"):
        read(tmp_path, *[{"x": 1}] * 1200, {"image_uri": "b.jpg"})


_TUB = {"_session_id": "a", "cam/image_array": "0.jpg", "user/angle": 0.25, "user/mode": "user"}
# (lines, options that name their keys); none of the lines has a known key for its image.
KEYS = {
    "Donkeycar": (
        [_TUB, _TUB | {"user/angle": -1}], "image_uri=cam/image_array,label=user/angle --task regression",
    ),
    "a label": ([{"foto": "a.jpg", "label": ["cat"]}], "image_uri=foto"),
    "boxes": ([{"foto": "a.jpg", "boxes": []}], "image_uri=foto"),
    "words": ([{"foto": f"{i}.jpg", "art": "ab"[i % 2]} for i in range(6)], "image_uri=foto,label=art"),
    "no label": ([{"foto": f"{i}.jpg", "text": f"no {i}"} for i in range(6)], "image_uri=foto"),
    "types of selectors": (
        [{"foto": f"{i}.jpg", "at": {"type": f"{['Css', 'Svg'][i % 2]}Selector"}} for i in range(6)],
        "image_uri=foto",
    ),
    "types of animals": (
        [{"foto": f"{i}.jpg", "at": {"type": ["Owl", "Fox"][i % 2]}} for i in range(6)],
        "image_uri=foto,label=at.type",
    ),
    "truth": ([{"foto": f"{i}.jpg", "is_cat": i > 2} for i in range(6)], "image_uri=foto"),
    "two images": ([{"left": "a.jpg", "right": "b.jpg", "kind": "cat"}], ""),
    "DynamoDB": (
        [{"Item": {"key": {"S": f"{i}.jpg"}, "dish": {"S": "ab"[i % 2]}}} for i in range(6)],
        "image_uri=Item.key.S,label=Item.dish.S",
    ),
    "MongoDB": (
        [{"_id": {"$oid": f"{i}"}, "pic": f"{i}.jpg", "kg": {"$numberDouble": f"{i}.5"}} for i in range(6)],
        "'image_uri=pic,label=kg.$numberDouble' --task regression",
    ),
    "a thumb in an object": ([{"pic": "a.jpg", "small": {"path": "b.jpg"}, "label": "c"}], "image_uri=pic"),
    "two images in objects": ([{"a": {"left": "a.jpg", "right": "b.jpg"}, "kind": "cat"}], ""),
    "no image": ([{"left": "a", "kind": "cat"}], ""),
}  # fmt: skip


@pytest.mark.parametrize(("lines", "options"), KEYS.values(), ids=KEYS)
def test_unknown_keys_are_told_from_their_values(lines: list[Any], options: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no key names the image") as caught:
        read(tmp_path, *lines)
    proposed = f"name them, as in --columns {options}"
    hint = caught.value.hint.partition(" (")[0]  # behind it stands what the key of the label holds
    assert hint == (proposed if options else "--columns image_uri=KEY says which one does")


_MARK = {"label": "cat", "x": 1, "y": 2, "width": 8, "height": 4}
_DRAWN = {"label": "cat", "points": [[1, 2], [9, 3], [4, 6]], "type": "polygon"}
_RECT = {**_MARK, "center": [5, 4], "points": [[1, 2], [1, 6], [9, 6], [9, 2]], "type": "rect"}
UNREAD: dict[str, tuple[list[Any], list[str]]] = {
    "one's own": ([{"image": "a.jpg", "marks": [_MARK], "status": "done"}], ["a.jpg"]),
    "beside labels": (
        [
            {"image": f"{name}.jpg", "marks": [_MARK], "emotion": f"sad{i % 2}"}
            for i, name in enumerate("abde")
        ],
        ["a.jpg", "b.jpg", "d.jpg", "e.jpg"],
    ),
    "with another answer": ([{"image": "a.jpg", "marks": [_MARK], "answer": ["yes"]}], ["a.jpg"]),
    "of Prodigy": (
        [
            {"image": "a.jpg", "path": "a.jpg", "answer": "accept", "spans": [_RECT]},
            {"image": "b.jpg", "path": "b.jpg", "answer": "reject", "spans": [_RECT]},
            {"image": "c.jpg", "path": "c.jpg", "answer": "accept"},
            {"image": "d.jpg", "path": "d.jpg", "answer": "accept", "spans": [_DRAWN]},
            {"image": "e.jpg", "path": "e.jpg", "answer": "ignore"},
        ],
        ["a.jpg", "c.jpg", "d.jpg"],
    ),
}


@pytest.mark.parametrize(("lines", "taken"), UNREAD.values(), ids=UNREAD)
def test_boxes_under_another_name_are_no_question_of_labels(
    lines: list[Any], taken: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"its boxes are under (marks|spans)") as caught:
        read(tmp_path, *lines, needs_labels=True)
    command, _, otherwise = caught.value.hint.partition("; for labels of whole images, without boxes: ")
    assert otherwise.partition(" (")[0] == "--columns image_uri=image,label=emotion" * ("emotion" in lines[0])
    made = shell(command.partition("make JSON Lines of it: ")[2].partition("; these")[0], tmp_path)
    assert made.code == 0, made.err
    images, _ = read_with(read_json_lines, tmp_path / "a-as-lines.jsonl", needs_labels=True)
    assert [image.image_uri for image in images] == taken
    found = {image.image_uri: [(box.label, *box.corners) for box in image.boxes or ()] for image in images}
    assert found == {uri: [] if uri == "c.jpg" else [("cat", 1, 2, 9, 6)] for uri in taken}
    key = next(key for key in lines[0] if key in ("answer", "emotion", "status"))
    _, findings = read(tmp_path, *lines, needs_labels=True, columns=[("image_uri", "image"), ("label", key)])
    assert any(note.startswith("boxes under ") for note in findings.notes)


@pytest.mark.parametrize("others", [
    [{"label": "nose", "x": 1, "y": 2}], [{"name": "red", "score": 0.5}], [{"label": "a", "start": 1}],
])  # fmt: skip
def test_other_arrays_of_objects_are_no_boxes(others: list[Any], tmp_path: Path) -> None:
    line = {"image": "a.jpg", "parts": others, "answer": "accept"}
    with pytest.raises(InputError, match="no line has a label"):
        read(tmp_path, line, needs_labels=True)
    ((image,), findings) = read(tmp_path, line, columns=[("label", "answer")])
    assert (image.labels, findings.notes) == (("accept",), [])


_OF_PHOTO = (("image_uri", "photo.path"), ("label", "result.dish"), ("split", "set.name.S"))
_PHOTO = {"photo": {"path": "a.jpg", "w": 8}, "set": {"name": {"S": "test"}, "seed": {"N": "1"}}}


@pytest.mark.parametrize(
    ("dish", "label"),
    [
        ({"result": {"dish": "curry"}}, "curry"),
        ({"result.dish": "ramen", "result": {"dish": "curry"}}, "ramen"),
        ({"result": {}}, ""),
        ({"result": "curry"}, ""),
    ],
)
def test_keys_in_objects_are_named_with_dots(dish: dict[str, Any], label: str, tmp_path: Path) -> None:
    named = {"photo": {"path": "b.jpg"}, "result": {"dish": "pie"}}
    (found, other), _ = read(tmp_path, _PHOTO | dish, named, columns=_OF_PHOTO)
    assert (found.image_uri, found.split, found.labels) == ("a.jpg", "test", (label,) if label else ())
    assert (other.image_uri, other.split, other.labels) == ("b.jpg", "", ("pie",))
    assert {**found.extras}.items() >= {"photo.w": 8, "set.seed.N": "1"}.items()
    assert not {"photo.path", "set.name.S", "result.dish"} & {*found.extras}


# labels of the boxes of three lines, and what is read of them: "" is a reject
LABEL_KEYS = {
    "another key": ([{"category": "cat"}, {"target": "dog"}], ["cat", ""]),
    "a known key behind another": ([{"target": "cat"}, {"name": "dog"}], ["cat", ""]),
    "known keys": ([{"category": "cat"}, {"name": "dog"}], ["cat", "dog"]),
    "one key of another name": ([{"target": None}, {"target": "cat"}], ["", "cat"]),
    "a known key without a value": (
        [{"category": None, "target": "1"}, {"target": "2"}, {"category": "cat", "target": "3"}],
        ["", "", "cat"],
    ),
    "a known key of nothing but null": (
        [{"category": None, "target": "1"}, {"target": "cat"}, {"target": "dog"}],
        ["", "cat", "dog"],
    ),
    "another key without a value": ([{"target": None}, {"category": "cat"}], ["", "cat"]),
}  # fmt: skip


@pytest.mark.parametrize(("labels", "read_as"), LABEL_KEYS.values(), ids=LABEL_KEYS)
@pytest.mark.parametrize("key", ["boxes", "objects"])
def test_boxes_of_a_file_have_their_labels_under_the_keys_of_the_first(
    labels: list[dict[str, Any]], read_as: list[str], key: str, tmp_path: Path
) -> None:
    sides = {"xmin": 1, "ymin": 2, "xmax": 3, "ymax": 4} if key == "boxes" else {"bbox": [1, 2, 3, 4]}
    images, _ = read(tmp_path, *({"file_name": "a.jpg", key: [sides | label]} for label in labels))
    assert [box.label for image in images for box in image.boxes or ()] == read_as
    for image, label in zip(images, read_as, strict=True):
        assert image.problem is None if label else f"label of {key}[0] is missing" in str(image.problem)


def test_a_file_without_a_line_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is nothing in it"):
        read(tmp_path, "", " ")


BAD = {
    "no JSON": ('{"image_uri": "b.jpg", }', "this is no JSON: "),
    "cut": ('{"image_uri": "b.jp', "this is no JSON: it ends too early"),
    "a key twice": ('{"image_uri": "b.jpg", "image_uri": "c.jpg"}', "occurs twice in one object"),
    "no object": (["b.jpg"], '["b.jpg"] is no object'),
    "no image": ({"image_uri": None, "boxes": []}, "the row names no image"),
    "half a character": ({"image_uri": "\ud800", "boxes": []}, "image_uri holds half of a character"),
    "boxes that are none": ({"image_uri": "b.jpg", "boxes": {"a": 1}}, 'boxes is {"a": 1}, not an array'),
    "boxes without names": (
        {"image_uri": "b.jpg", "boxes": [[1, 2, 3, 4]]}, "boxes[0] is [1, 2, 3, 4], not an object"
    ),
    "no xmax": (
        {"image_uri": "b.jpg", "boxes": [BOX, {"label": "a", "xmin": 1, "ymin": 1, "w": 3, "h": 3}]},
        'the box of boxes[1] has no xmax, but "label, xmin, ymin, w, h"',
    ),
    "NaN": ({"image_uri": "b.jpg", "boxes": [BOX | {"xmin": math.nan}]}, "has NaN where a number is needed"),
    "no label": ({"image_uri": "b.jpg", "boxes": [BOX | {"label": None}]}, "label of boxes[0] is missing"),
    "an odd flag": (
        {"image_uri": "b.jpg", "boxes": [BOX | {"difficult": 3}]}, "difficult of boxes[0] is 3, not 0 or 1"
    ),
    "lists of different lengths": (
        {"file_name": "b.jpg", "objects": {"bbox": [[1, 2, 3, 4]] * 2, "category": [1]}}, "2 bbox, 1 category"
    ),
    "a box of three": (
        {"file_name": "b.jpg", "objects": {"bbox": [[1, 2, 3]], "category": [1]}}, "has 3 numbers, not four"
    ),
    "objects that are none": ({"file_name": "b.jpg", "objects": 5}, "objects is 5, not an array of boxes"),
}  # fmt: skip


@pytest.mark.parametrize(("line", "said"), BAD.values(), ids=BAD)
def test_a_line_that_cannot_be_used_has_a_problem(line: Any, said: str, tmp_path: Path) -> None:
    good = {"image_uri": "good.jpg", "boxes": [BOX]}
    images, findings = read(tmp_path, good, line, good)
    assert [each.place for each in images] == ["line 1", "line 2", "line 3"]
    assert said in problem_of(images[1])
    assert images[0].problem is images[2].problem is None
    assert not findings.left_out
    images[1].image_uri.encode()


BAD_LABELS = {
    "an object": ({"image_uri": "b.jpg", "label": {"a": 1}}, 'label is {"a": 1}, where a name is needed'),
    "true": ({"image_uri": "b.jpg", "label": True}, "label is true"),
    "two lines": ({"image_uri": "b.jpg", "label": "a\nb"}, "the label holds a control character"),
    "of Vertex AI": (vertex("b.jpg", classificationAnnotation={}), "classificationAnnotation is missing"),
    "two kinds": (
        vertex("b.jpg", classificationAnnotation={"displayName": "a"}, boundingBoxAnnotations=[]),
        "it has both classificationAnnotation and boundingBoxAnnotations",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("line", "said"), BAD_LABELS.values(), ids=BAD_LABELS)
def test_a_label_that_cannot_be_used_is_a_problem(line: Any, said: str, tmp_path: Path) -> None:
    ((found,), _) = read(tmp_path, line)
    assert said in problem_of(found)


def test_other_encodings(tmp_path: Path) -> None:
    path = write_json(tmp_path, '{"image": "ä.jpg", "label": "ö"}\n'.encode("cp1252"))
    with pytest.raises(InputError, match="line 1, byte 11 is not utf-8"):
        read_with(read_json_lines, path)
    ((found,), _) = read_with(read_json_lines, path, encoding="cp1252")
    assert found.labels == ("ö",)


@pytest.mark.parametrize(
    ("line", "is_proposed"),
    [({"image_uri": "a.jpg"}, False), ({"image_uri": "a.jpg", "label": None}, False), (
        {"image_uri": "a.jpg", "note": 1}, True,
    )],
)  # fmt: skip
def test_a_key_for_the_label_is_proposed_where_there_is_one(
    line: dict[str, Any], is_proposed: bool, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="no line has a label") as caught:
        read(tmp_path, line, needs_labels=True)
    assert ("--columns label=" in caught.value.hint) == is_proposed
    assert "--unlabelled keep" in caught.value.hint


def test_arrays_of_numbers_are_proposed_to_be_stored(tmp_path: Path) -> None:
    """A pose is no label, and not one number to predict either."""
    poses = [{"image": f"{i}.jpg", "q": [0.5, 1, i], "r": [i, 0.25], "z": [i]} for i in range(3)]
    storing = "--columns image_uri=image --unlabelled keep --features q,r stores the numbers in q, r"
    with pytest.raises(InputError, match="no line has a label") as caught:
        read(tmp_path, *poses, needs_labels=True)
    assert caught.value.hint.startswith(f"{storing}; --columns label=KEY")
    chosen = (("image_uri", "image"), ("label", "r"))
    with pytest.raises(InputError, match=r"predicts one number, and r is \[0, 0.25\]") as caught:
        read(tmp_path, *poses, columns=chosen, needs_one_number=True)
    assert (
        caught.value.hint
        == f"without --task regression and label=r, {storing.replace('q,r', 'r,q')[:-4]}r, q"
    )
    singles, _ = read(tmp_path, *poses, columns=[("label", "z")], needs_one_number=True)
    assert [each.labels for each in singles] == [("0",), ("1",), ("2",)]


def test_arrays_of_numbers_under_a_known_key_get_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [{"image": f"{i}.jpg", "label": [5, 5]} for i in range(3)]
    with pytest.raises(InputError) as caught:
        read(tmp_path, *lines, needs_one_number=True)
    command, _, then = caught.value.hint.removeprefix("make JSON Lines of it: ").partition(
        ", and convert that "
    )
    assert then == "without --task regression, with --unlabelled keep --features numbers"
    assert shell(command, tmp_path).code == 0
    made = (tmp_path / "a-as-lines.jsonl").read_text().splitlines()
    assert json.loads(made[0]) == {"image": "0.jpg", "numbers": [5, 5]}
    singles = [
        {"image": "0.jpg", "label": [0.5]},
        {"image": "1.jpg", "label": [1, 1]},
        {"image": "2.jpg", "label": [1]},
    ]
    images, _ = read(tmp_path, *singles, needs_one_number=True)
    told = problem_of(images[1])
    assert "label has 2 values, where one number is to be predicted" in told
    assert [each.labels for each in images] == [("0.5",), (), ("1",)]


def test_empty_lists_of_labels_hide_no_places_behind_them(tmp_path: Path) -> None:
    """Places of 0 and 1 that come after the first thousand lines, all of which are without a label."""
    empty = [{"image": f"{number}.jpg", "label": []} for number in range(1000)]
    places = [{"image": f"{number}.png", "label": [number % 2, 1, 0]} for number in range(3)]
    images, findings = read(tmp_path, *empty, *places)
    assert [image.labels for image in images[1000:]] == [("1",), ("0", "1"), ("1",)]
    assert "as [0, 1, 0]:" in findings.notes[0]


@pytest.mark.parametrize("boxes", ["boxes", "bboxes"])
def test_labels_beside_boxes_are_read_alone_where_boxes_are_not_wanted(boxes: str, tmp_path: Path) -> None:
    lines = [
        {"image": "a.jpg", boxes: [[1, 2, 3, 4]] * 3, "labels": [1, 0, 1]},
        {"image": "b.jpg", boxes: [[1, 2, 3, 4]] * 3, "labels": [0, 0, 1]},
    ]
    images, findings = read(tmp_path, *lines, needs_no_boxes=True)
    assert [(image.labels, image.boxes) for image in images] == [(("1", "0"), None), (("0", "1"), None)]
    assert not findings.has_boxes
    assert list(images[0].extras) == [boxes]
    with pytest.raises(InputError, match="nothing says what the four numbers in"):
        read(tmp_path, *lines)


@pytest.mark.parametrize("box", [[1, 2.5, 29, 37.5], {"x": 1, "y": 2.5, "w": 29, "h": 37.5}])
def test_a_name_beside_the_number_of_a_class_is_told_of(box: Any, tmp_path: Path) -> None:
    line = {"file": "a.jpg", "objects": [{"bbox": box, "category_id": 3, "name": "cat"}]}
    ((image,), findings) = read(tmp_path, line)
    assert image.boxes is not None
    assert image.boxes[0].label == "3"
    assert findings.notes == ["keys of boxes that are not stored: name"]


@pytest.mark.parametrize("key", ["cls", "classId", "species", "tag", "object", "displayName", "object_class"])
def test_labels_of_boxes_have_the_keys_by_which_columns_are_known(key: str, tmp_path: Path) -> None:
    sides = {"x": 1, "y": 2, "w": 29, "h": 38}
    plain = {"xmin": 1, "ymin": 2, "xmax": 30, "ymax": 40}
    lines = [
        {"path": "a.jpg", "objects": [{key: "cat", "bbox": sides, "by": "Bo"}]},
        {"path": "b.jpg", "boxes": [{key: "cat", **plain, "by": "Bo"}]},
    ]
    for line in lines:
        (image,), findings = read(tmp_path, line)
        assert [box.label for box in image.boxes or ()] == ["cat"]
        assert findings.notes == ["keys of boxes that are not stored: by"]


@pytest.mark.parametrize("blank", [{}, {"category": None, "name": ""}])
def test_a_key_that_may_be_the_label_of_boxes_is_told_of(
    blank: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    box = {"id": "7", "type": "rect", "a/what": "cat", "bbox": [1, 2, 3, 4], **blank}
    lines = [
        {"path": "a.jpg", "objects": [box, {**box, "a/what": "dog"}]},
        {"path": "b.jpg", "objects": []},
    ]
    images, findings = read(tmp_path, *lines)
    assert [image.problem is None for image in images] == [False, True]
    (note,) = findings.notes
    assert note.startswith(
        f"boxes have no {'value under a key' if blank else 'key'} of a label that is known: "
        "where a/what holds it, make JSON Lines of it: "
    )
    command = note.rpartition("make JSON Lines of it: ")[2]
    assert shell(command, tmp_path).code == 0
    (image, _), _ = read_with(read_json_lines, Path(command.rpartition(" > ")[2]))
    assert [box.label for box in image.boxes or ()] == ["cat", "dog"]
    # What is the same of all is none.
    assert not read(tmp_path, {"path": "a.jpg", "objects": [box, box]})[1].notes
    # Where other boxes have one, a label was left out.
    told = {key: value for key, value in box.items() if key not in blank}
    lines = [{"path": f"{name}.jpg", "objects": [{**told, name: "cat"}]} for name in ("label", "kind")]
    assert read(tmp_path, *lines)[1].notes == ["keys of boxes that are not stored: type, a/what"]


@pytest.mark.parametrize("key", ["boxes", "objects"])
def test_a_box_whose_label_is_under_another_key_tells_the_known_ones(key: str, tmp_path: Path) -> None:
    box = {"kind": 7, "xmin": 1, "ymin": 2, "xmax": 30, "ymax": 40, "bbox": [1, 2, 3, 4]}
    (image,), _ = read(tmp_path, {"image": "a.jpg", key: [box]})
    problem = problem_of(image)
    assert f"label of {key}[0] is missing, where a name is needed: its keys are kind, xmin" in problem
    assert "and none is label or " in problem or "and none is category or " in problem
