"""Kinds of JSON are told by their content, whatever the file is called; those not read get a way out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from listing_json import DETECTION

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.sources.foreign.lists import need_no_foreign_list
from tfrecordcli.sources.json.kinds import kind_of_json
from tfrecordcli.sources.made_list import AS_LINES

COCO_IMAGE = {"id": 1, "file_name": "a.jpg"}
KINDS: dict[str, tuple[Any, str | None]] = {
    "COCO": ({"images": [COCO_IMAGE], "annotations": []}, "coco"),
    "COCO with ids of others": ({"images": [{"imageId": "1", **COCO_IMAGE}], "annotations": []}, "coco"),
    "COCO that begins with much else": ({"info": {"a": "b" * 20000}, "licenses": []}, "coco"),
    "COCO whose annotations come first": ({"annotations": [{"id": 1, "image_id": 2}] * 3000}, "coco"),
    "COCO whose categories come first": ({"categories": [{"id": 1, "supercategory": "a"}] * 3000}, "coco"),
    "COCO of this tool": ({"info": {}, "licenses": [], "images": []}, "coco"),
    "CreateML": ([{"image": "a.jpg", "annotations": []}], "createml"),
    "CreateML of Apple": ([{"imagefilename": "a.jpg", "annotation": []}], "createml"),
    "an array of rows": ([{"image_uri": "a.jpg", "label": "cat"}], "jsonl"),
    "one row": ({"file_name": "a.jpg", "objects": {"bbox": []}}, "jsonl"),
    "a row of Vertex AI": ({"imageGcsUri": "gs://b/a.jpg"}, "jsonl"),
    "rows": ('{"image_uri": "a.jpg"}\n{"image_uri": "b.jpg"}\n', "jsonl"),
    "rows without a known key": ('{"pic": "a.jpg"}\n\n{"pic": "b.jpg"}\n', "jsonl"),
    "a row with brackets in its text": ('{"image_uri": "a}{\\".jpg"}\n', "jsonl"),
    "rows that begin with paths of labels": (
        '{"labels": ["animal/cat"], "image": "a.jpg"}\n{"labels": ["dog/x"], "image": "b.jpg"}',
        "jsonl",
    ),
    "rows that begin with images of a label": ('{"cat": ["b.jpg"], "image": "a.jpg"}', "jsonl"),
    "rows that begin with an object of numbers": ('{"meta": {"0": "x"}, "image": "a.jpg"}', "jsonl"),
    "COCO that begins with a path": ({"licenses": ["CC/4"], "images": [COCO_IMAGE]}, "coco"),
    "rows with a list of data": (
        '{"data_list": [1], "gt_label": 1, "image": "a.jpg", "label": "cat"}\n{"image": "b.jpg"}',
        "jsonl",
    ),
    "a row with a list of data": (
        {"image": "a.jpg", "label": "cat", "data_list": [{"instances": []}]},
        "jsonl",
    ),
    "rows with names of Visual Genome": (
        [{"image": "a.jpg", "objects": {"bbox": [], "synsets": []}}],
        "jsonl",
    ),
    "rows with labels and the mode of boxes": (
        [{"file_name": "a.jpg", "label": "cat", "annotations": [{"bbox_mode": 0}]}],
        "jsonl",
    ),
    "rows with labels and names of MMDetection": (
        [{"filename": "a.jpg", "label": "cat", "ann": {"bboxes": []}}],
        "jsonl",
    ),
    "a row with an object of numbers, and images by number": (
        {"crops": {"0": 1, "image": {"0": "b.jpg"}}, "image": "a.jpg", "label": "cat"},
        "jsonl",
    ),
    "COCO with a list of data": (
        {"data_list": [], "instances": [], "images": [COCO_IMAGE], "annotations": []},
        "coco",
    ),
    "rows with a file beside images of Scrapy": (
        [{"file": "a.jpg", "label": "cat", "images": [{"path": "full/b.jpg", "checksum": "c"}]}],
        "jsonl",
    ),
    "labels and points of Label Studio": (
        [{"image": "a.jpg", "breed": "pug", "label": [{"keypointlabels": ["eye"]}]}],
        "jsonl",
    ),
    "a mark": ("\ufeff" + '{"image_uri": "a.jpg"}\n', "jsonl"),
    "a CSV": ("image_uri,label\na.jpg,cat\n", None),
    "a CSV of brackets": ("[a].jpg,cat\n", None),
    "nothing": ("", None),
}
REFUSED: dict[str, tuple[Any, str]] = {
    "LabelMe": ({"version": "5", "flags": {}, "shapes": [], "imagePath": "a.jpg"}, "a LabelMe file"),
    "VoTT": ({"name": "a", "tags": [{"name": "cat"}], "assets": {"x": {"asset": {}}}}, "a VoTT export"),
    "a VoTT asset": ({"asset": {"id": "x"}, "regions": []}, "a VoTT asset"),
    "Label Studio": ([{"id": 1, "data": {"image": "a"}, "annotations": [{"result": []}]}], "Label Studio"),
    "Label Studio, short": ([{"image": "a", "label": [{"rectanglelabels": ["a"]}]}], "Label Studio"),
    "points of Label Studio": (
        [{"id": 1, "data": {}, "annotations": [{"result": [{"value": {"keypointlabels": ["eye"]}}]}]}],
        "points alone, which are not stored",
    ),
    "points of Label Studio, short": (
        [{"image": "a.jpg", "id": 1, "label": [{"keypointlabels": ["eye"]}]}],
        "points alone, which are not stored",
    ),
    "boxes and points of Label Studio": (
        [
            {
                "id": 1,
                "data": {},
                "annotations": [
                    {"result": [{"value": {"keypointlabels": ["a"]}}, {"value": {"rectanglelabels": ["a"]}}]}
                ],
            }
        ],
        "an export of Label Studio, which",
    ),
    "VIA": ({"a.jpg12": {"filename": "a.jpg", "regions": []}}, "VGG Image Annotator"),
    "a VIA project": ({"_via_settings": {"ui": {}}, "_via_img_metadata": {}}, "VGG Image Annotator"),
    "results": ([{"image_id": 1, "category_id": 2, "bbox": [], "score": 0.5}], "prediction results of COCO"),
    "Labelbox": ([{"data_row": {"id": 1}}], "an export of Labelbox"),
    "BDD100K": ([{"name": "a.jpg", "labels": [{"box2d": {"x1": 1}}]}], "BDD100K"),
    "Supervisely": ({"description": "", "tags": [], "size": {"height": 1}, "objects": []}, "a Supervisely"),
    "Datumaro": ({"info": {}, "categories": {}, "items": []}, "a Datumaro dataset"),
    "Web Annotations as COCO's": (
        {
            "annotations": [
                {"type": "Annotation", "body": [], "target": "https://a.example/a.jpg#xywh=1,2,3,4"}
            ]
        },
        "a list of Web Annotations",
    ),
    "nuImages": ([{"token": "a", "category_token": "k", "sample_data_token": "d"}], "a table of nuImages"),
    "nuScenes": (
        [{"token": "a", "calibrated_sensor_token": "c", "filename": "a.jpg"}],
        "a table of nuImages",
    ),
    "a notebook": ({"cells": [], "nbformat": 4}, "a Jupyter notebook"),
    "a photo of Google's": (
        {"title": "a.jpg", "geoData": {}, "photoTakenTime": {}},
        "what Google Photos",
    ),
    "GeoJSON": ({"type": "FeatureCollection", "features": [{"geometry": {}}]}, "GeoJSON"),
    "predictions of one line": (
        {"instance": {}, "prediction": {"ids": []}},
        "results of Vertex AI: it has pred",
    ),
    "something else": ({"labels": ["a", "b"]}, "JSON of an unknown kind, with the keys labels"),
    "an array of arrays": ([["a.jpg", "cat"]], "an array of images and labels"),
    "an array of others": ([["a", "cat"]], "JSON of an unknown kind, without any key that is known"),
    "rows of 0 and 1 by image": ({"a.jpg": [0, 0, 1, 0], "b.jpg": [1, 0, 0, 0]}, "JSON of an unknown kind"),
    "ids by image": ({"a.jpg": [3, 17, 25, 40], "b.jpg": [1, 2]}, "JSON of an unknown kind"),
    "a box or labels by image": ({"a.jpg": [0, 3, 2, 7]}, "four numbers, as of a box or of labels, by image"),
    "counts by image": ({"a.jpg": {"1": 20, "2": 7}}, "images with what is told of each (JSON)"),
    "votes by image": ({"a.jpg": {"1": [3, 1, 0, 4], "2": [1, 2]}}, "images with what is told of each"),
    "labels by image in splits": ({"train": {"a.jpg": [1, 20, 30, 40]}}, "JSON of an unknown kind"),
    "rows of 0 and 1 by group": ({"cat": {"a.jpg": [0, 0, 1, 0]}}, "JSON of an unknown kind"),
    "words by image": ({"a.jpg": ["big red cat", "small cat"]}, "JSON of an unknown kind"),
    "a table by its columns": ({"label": {"0": "x"}, "image": {"0": "a.jpg"}}, "a table by its columns"),
    "an empty array": ([], "JSON of an unknown kind"),
    "boxes in no folders": (
        {"a": {"1": {"xmin": 1, "ymin": 2, "xmax": 9, "ymax": 8}}},
        "JSON of an unknown kind, with the keys a",
    ),
    "an object of VOC": ({"annotation": {"filename": "a.jpg", "object": {"bndbox": {}}}}, "Pascal VOC's"),
}


def kind_of(content: Any) -> str | None:
    """As a list is told: signs of foreign ones come before what any JSON is told by."""
    text = content if isinstance(content, str) else json.dumps(content)
    head = text.encode()[: 1 << 14]
    need_no_foreign_list(head, "a.json", ReadOptions())
    return kind_of_json(head, "a.json")


@pytest.mark.parametrize(("content", "kind"), KINDS.values(), ids=KINDS)
def test_kinds_are_told_by_content(content: Any, kind: str | None) -> None:
    assert kind_of(content) == kind


@pytest.mark.parametrize(("content", "said"), REFUSED.values(), ids=REFUSED)
def test_what_is_not_read_is_refused_by_name(content: Any, said: str) -> None:
    with pytest.raises(InputError) as caught:
        kind_of(content)
    assert caught.value.message.startswith("a.json: this is ")
    assert said in caught.value.message
    assert caught.value.hint


def test_keys_of_an_array_of_objects_that_name_no_files_are_asked_for() -> None:
    with pytest.raises(InputError, match="of an unknown kind, with the keys answer, id") as caught:
        kind_of([{"id": "X51", "answer": "SR"}])
    assert caught.value.hint.startswith("--columns image_uri=KEY,label=KEY says which keys")
    with pytest.raises(InputError) as caught:
        kind_of([{"image_id": "IMG001", "label": "Blood smear", "note": "a"}])
    assert caught.value.hint.startswith("--columns image_uri=image_id,label=label says which keys")
    head = json.dumps([{"id": "X51", "answer": "SR"}]).encode()
    assert kind_of_json(head, "a.json", has_columns=True) == "jsonl"


@pytest.mark.parametrize(
    ("beside", "is_told"),
    [
        ({"version": 1}, True),
        ({"names": ["a"]}, True),
        ({"n": {"1": "a"}}, True),
        ({"n": [{"id": 1}]}, False),
        ({"splits": {"train": ["a.jpg"]}}, False),
        ({"boxes": {"a.jpg": [[1, 2, 9, 9, "cat"]]}}, False),
    ],
)
def test_an_array_under_a_key_is_taken_out_where_nothing_else_tells_of_images(
    beside: Any, is_told: bool
) -> None:
    with pytest.raises(InputError, match="JSON of an unknown kind") as caught:
        kind_of({"photos": [{"file": "a.jpg", "label": 0}], **beside})
    assert (caught.value.hint == AS_LINES) == is_told


@pytest.mark.parametrize("photo", ["a.jpg", {"S": "a.jpg"}, {"path": {"S": "a.jpg"}}])
def test_images_in_objects_of_an_array_are_known(photo: Any) -> None:
    assert kind_of([{"photo": photo, "dish": {"S": "curry"}}]) == "jsonl"
    with pytest.raises(InputError, match="JSON of an unknown kind") as caught:
        kind_of({"Items": [{"photo": photo, "dish": {"S": "curry"}}], "Count": 1})
    assert caught.value.hint == AS_LINES


@pytest.mark.parametrize("told", [{"labels": ["call"]}, "call", [[1, 2, 3, 4, "call"]]])
def test_keys_are_images_without_extensions_where_such_files_are_near(told: Any, tmp_path: Path) -> None:
    path = tmp_path / "annotations" / "a.json"
    path.parent.mkdir()
    (tmp_path / "call").mkdir()
    text = json.dumps({"0b26-1c": told, "77aa-2d": told, "9e01-3f": told})
    path.write_text(text)
    with pytest.raises(InputError, match="JSON of an unknown kind"):
        kind_of_json(text.encode(), str(path))
    for stem in ("77aa-2d", "9e01-3f"):
        (tmp_path / "call" / f"{stem}.jpg").touch()
    with pytest.raises(InputError, match=r"an object of .* by image|of images with what is told") as caught:
        kind_of_json(text.encode(), str(path))
    assert caught.value.hint.startswith("make ")


def test_pretty_and_compact_files_are_alike() -> None:
    for content, kind in KINDS.values():
        if kind and not isinstance(content, str):
            for layout in ({"indent": 2}, {"separators": (",", ":")}):
                assert kind_of(json.dumps(content, **layout)[:9000]) == kind  # type: ignore[arg-type]


REAL = {
    "rbc_wbc_coco/valid/_annotations.coco.json": "coco",
    "salads_automl/json_files/train_annotations.json": "coco",
    "format_zoo_datumaro/coco_dataset/coco/annotations/panoptic_val.json": "coco",
    "format_zoo_datumaro/roboflow_dataset/createml/val/_annotations.createml.json": "createml",
    "format_zoo_datumaro/vott_json_dataset/dataset/train-export.json": "a VoTT export",
    "format_zoo_datumaro/vott_json_dataset/dataset_with_meta_file/dataset_meta.json": "an unknown kind",
    "format_zoo_datumaro/open_images_dataset/v6/annotations/bbox_labels_600_hierarchy.json": "unknown kind",
}


@pytest.mark.parametrize(("name", "kind"), REAL.items(), ids=REAL)
def test_real_files(name: str, kind: str) -> None:
    path = DETECTION / name
    if not path.is_file():
        pytest.skip(f"the reference data are not beside this checkout (looked for {path})")
    head = path.read_bytes()[: 1 << 14]
    if " " not in kind:
        assert kind_of_json(head, Path(name).name) == kind
    else:
        with pytest.raises(InputError, match=kind):
            kind_of_json(head, Path(name).name)
