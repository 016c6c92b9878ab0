"""Folders and lists of well-known sets and tools: commands of refusals run, and what they make is read.

Beside each is the nearest folder or list that is none of them, and is read as before.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import pandas as pd
import pytest
from boxing import boxes_of, photos, records
from converting import convert_json, manifest, shell, tfrec
from foreign_files import (
    DARWIN,
    EXTENT,
    darwin,
    mapillary,
    run_bash,
    super_annotate,
    supervisely,
    write_files,
)

import tfrecordcli


class Case(NamedTuple):
    """What is refused, and what its command makes.

    Attributes:
      files: text by path.
      images: that are drawn.
      source: that is given.
      says: the refusal.
      made: list that the command makes.
      labels: of the records, in order of their ids.
      boxes: (label, corners in pixels) of the first image, if there are boxes.
      options: for what was made.
      records: how many there are.
      splits: how many in each, if the list tells it.
    """

    files: dict[str, str]
    images: tuple[str, ...]
    source: str
    says: str
    made: str
    labels: list[str]
    boxes: list[tuple[str, tuple[float, ...]]] | None = None
    options: tuple[str, ...] = ()
    records: int = 2
    splits: Mapping[str, int] | None = None


NUMBERED: Final = ("00000/img00000000.png", "00001/img00001000.png")
VECTORS: Final = json.dumps({"labels": [[NUMBERED[0], [0.0, 1.0]], [NUMBERED[1], [1.0, 0.0]]]})
APPLES: Final = "in/train/Apple/Label/"
OPEN: Final = "000a1b2c3d4e5f60"  # as Open Images calls its images
EDGE: Final = {"x": 8, "y": 4, "width": 32, "height": 16}
KITTI: Final = "Car 0.00 0 -0.20 8 4 40 20 1.89 0.48 1.20 1.84 1.47 8.41 0.01\n"
BOX: Final = (8.0, 4.0, 40.0, 20.0)
SCALED: Final = {"label": "car", "left": 8, "top": 4, "width": 32, "height": 16, "type": "box"}
OUTLINED: Final = {"label": "van", "type": "polygon", "vertices": [{"x": 8, "y": 20}, {"x": 40, "y": 4}]}
TAG: Final = {"type": "TextualBody", "purpose": "tagging", "value": "stain"}
COMMENT: Final = {"type": "TextualBody", "purpose": "commenting", "value": "see the back"}
OUTLINE: Final = '<svg><polygon points="8,4 40,12.0 20,20"></polygon></svg>'
CIRCLE: Final = "<svg><circle cx='12' cy='10' r='4'/></svg>"
XVIEW: Final = json.dumps({"type": "FeatureCollection", "features": [
    {"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [[[-90.5, 14.6], [-90.4, 14.5]]]},
     "properties": {"bounds_imcoords": box, "type_id": number, "image_id": image}}
    for image, box, number in (("10.png", "8,4,40,20", 18), ("5.png", "0,0,9,9", 73))
]})  # fmt: skip
BOSCH: Final = """- boxes: []
  path: rgb/b/2.png
- boxes:
  - {label: off, occluded: false, x_max: 40, x_min: 8.0, y_max: 20, y_min: 4.0}
  path: rgb/a/1.png
"""
CVAT: Final = """<?xml version="1.0"?><annotations><version>1.1</version><image id="0" name="i/1.png">
<box label="cat" xtl="8.0" ytl="4.00" xbr="40" ybr="20.00"/><tag label="day"/><mask label="train"
left="8" top="4" width="32" height="16" rle="1"/>
<box label="train" xtl="15" ytl="0" xbr="25" ybr="20" rotation="90"/></image>
<image id="1" name="i/2.png"/></annotations>"""
DLIB: Final = """<?xml version='1.0' encoding='ISO-8859-1'?>
<?xml-stylesheet type='text/xsl' href='image_metadata_stylesheet.xsl'?>
<dataset><name>faces</name>
<images>
  <image file='i/1.png' width='80' height='40'>
    <box top='4' left='8' width='32' height='16'><label>cat</label><part name='0' x='9' y='9'/></box>
    <box top='2' left='1' width='3' height='4' ignore='1'/>
  </image>
  <image file='i/2.png'><box top='4' left='8' width='32' height='16'><label>dog</label></box></image>
</images></dataset>
"""
REGION: Final = {"regionId": "r", "tagName": "cat", "left": 0.1, "top": 0.1, "width": 0.4, "height": 0.4}
VIA_3: Final = """# Exported using VGG Image Annotator (http://www.robots.ox.ac.uk/~vgg/software/via)
# ATTRIBUTE = {"1":{"aname":"pet","anchor_id":"FILE1_Z0_XY1","type":4,"options":{"0":"cat","1":"dog"}}}
# CSV_HEADER = metadata_id,file_list,flags,temporal_coordinates,spatial_coordinates,metadata
"""
VIA: Final = (
    "filename,file_size,file_attributes,region_count,region_id,region_shape_attributes,region_attributes\n"
)
VIA_BOX: Final = '{""name"":""rect"",""x"":8,""y"":4,""width"":32,""height"":16}'
VIA_REGION: Final = {
    "shape_attributes": {"name": "rect", "x": 8, "y": 4, "width": 32, "height": 16},
    "region_attributes": {"kind": "cat"},
}
ADIENCE: Final = "user_id\toriginal_image\tface_id\tage\tgender\tx\n"


ZOONIVERSE: Final = "classification_id,user_name,workflow_id,metadata,annotations,subject_data,subject_ids\n"


def _classifications(*values: tuple[str, Any]) -> str:
    """Of (name of an image, answer): rows of Zooniverse."""
    file = io.StringIO()
    for i, (image, value) in enumerate(values):
        told = {image: {"retired": {"id": i} if i % 2 else None, "Filename": image}}
        answers = [{"task": "T0", "value": value}, {"task": "T1", "value": None}]
        row = [
            i,
            "me",
            12,
            json.dumps({"viewport": {"width": 9}}),
            json.dumps(answers),
            json.dumps(told),
            image,
        ]
        csv.writer(file).writerow(row)
    return ZOONIVERSE + file.getvalue()


LABELBOX_BOX: Final = {"title": "Vest", "bbox": {"top": 4, "left": 8, "height": 16, "width": 32}}


def _labelled(*rows: tuple[str, list[Any] | None]) -> str:
    """Of (name of an image, objects; None: it was skipped): rows of Labelbox."""
    file = io.StringIO()
    csv.writer(file).writerow(["ID", "Labeled Data", "Label", "External ID"])
    for name, objects in rows:
        label = "Skip" if objects is None else json.dumps({"objects": objects, "classifications": []})
        csv.writer(file).writerow(["ck", f"https://storage.example/{name}?x=1", label, name])
    return file.getvalue()


def _data_row(name: str, *labels: dict[str, Any]) -> str:
    """A line of Labelbox of an image, with what each person said."""
    return (
        json.dumps(
            {
                "data_row": {
                    "id": "cl1",
                    "external_id": name,
                    "row_data": f"https://storage.example/{name}?x=1",
                },
                "media_attributes": {"height": 40, "width": 80},
                "projects": {"p1": {"name": "p", "labels": [{"annotations": each} for each in labels]}},
            }
        )
        + "\n"
    )


LABELBOX_OBJECTS: Final = {
    "objects": [
        {"name": "Vest", "bounding_box": LABELBOX_BOX["bbox"]},
        {"name": "Hat", "polygon": [{"x": 8, "y": 4}, {"x": 40, "y": 6}, {"x": 20, "y": 20}]},
    ],
    "classifications": [{"name": "weather", "radio_answer": {"name": "sun"}}],
}
LABELBOX_ANSWERS: Final = {
    "objects": [],
    "classifications": [
        {"name": "weather", "radio_answer": {"name": "sun"}},
        {"name": "seen", "checklist_answers": [{"name": "Vest"}, {"name": "Hat"}]},
        {"name": "note", "text_answer": {"content": "fog"}},
    ],
}
NOTHING_SEEN: Final = {"objects": [], "classifications": []}


def _ndjson(task: str, *annotations: dict[str, Any]) -> str:
    """Of Ultralytics: images of the splits to train on and of validation."""
    top = {"type": "dataset", "task": task, "class_names": {"0": "cat", "1": "dog"}}
    images = [
        {
            "type": "image",
            "file": "a.png",
            "url": "https://storage.example/a.png",
            "split": split,
            "annotations": a,
        }
        for split, a in zip(("train", "val"), annotations, strict=True)
    ]
    return "".join(f"{json.dumps(each)}\n" for each in (top, *images))


def _datumaro(path: str, *annotations: dict[str, Any]) -> str:
    labels = [{"name": name, "parent": "", "attributes": []} for name in ("cat", "dog")]
    item = {"id": path[:-4], "annotations": annotations, "image": {"path": path, "size": [40, 80]}}
    return json.dumps({"info": {}, "categories": {"label": {"labels": labels}}, "items": [item]})


def _attachment(name: str, number: int = 1) -> str:
    return f"{name} (https://v5.airtableusercontent.com/v3/u/29/{number}/aB-_/c)"


def _clef(name: str, label: str, tag: str = "Train") -> str:
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<Image>\n<ObservationId>7</ObservationId><FileName>{name}'
        f"</FileName><Location></Location><ClassId>{label}</ClassId><Species>Quercus ilex L.</Species>"
        f"<LearnTag>{tag}</LearnTag></Image>\n"
    )


def _pascal(name: str, count: int) -> str:
    box = '\nBounding box for object 1 "PASperson" (Xmin, Ymin) - (Xmax, Ymax) : (8, 4) - (40, 20)\n'
    begin = "# Compatible with PASCAL Annotation Version 1.00\n"
    return f'{begin}Image filename : "Set/PNGImages/{name}"\n{box * count}'


def _annotation(body: Any, source: Any, kind: str, value: str) -> dict[str, Any]:
    """Of the W3C: a region of an image, and what is said of it."""
    return {"body": body, "target": {"source": source, "selector": {"type": kind, "value": value}}}


# Pages of two splits are called alike.
FORMS: Final = ("training_data/annotations/1", "testing_data/annotations/1")
FUNSD: Final = json.dumps({"form": [{
    "box": [8, 4, 40, 20], "text": "Date:", "label": "question",
    "words": [{"box": [8, 4, 40, 20], "text": "Date:"}], "linking": [[0, 1]], "id": 0,
}]})  # fmt: skip
NU_TRAIN, NU_VAL, NU_SWEEP = (f"samples/CAM/{name}.jpg" for name in ("a", "b", "sweep"))


def _nu_images(folder: str, *tables: list[dict[str, Any]]) -> dict[str, str]:
    """Tables of objects, images and categories."""
    names = ("object_ann", "sample_data", "category")
    return {f"in/{folder}/{name}.json": json.dumps(each) for name, each in zip(names, tables, strict=True)}


def _nu_image(path: str, *, is_key: bool = True) -> dict[str, Any]:
    return {"token": path, "calibrated_sensor_token": "c", "filename": path, "is_key_frame": is_key}


NU_OBJECT: Final = {
    "token": "o",
    "category_token": "k",
    "sample_data_token": NU_TRAIN,
    "bbox": [8, 4, 40, 20],
}
NU_CATEGORY: Final = {"token": "k", "name": "cat", "description": ""}
NU_IMAGES: Final = {
    **_nu_images("v1.0-train", [NU_OBJECT], [_nu_image(NU_TRAIN)], [NU_CATEGORY]),
    **_nu_images(
        "v1.0-val",
        [NU_OBJECT | {"sample_data_token": NU_VAL}],
        [_nu_image(NU_VAL), _nu_image("samples/CAM/none.jpg"), _nu_image(NU_SWEEP, is_key=False)],
        [NU_CATEGORY],
    ),
    **_nu_images("v1.0-test", [], [_nu_image("samples/CAM/test.jpg")], [NU_CATEGORY]),
}
NU_PHOTOS: Final = tuple(f"in/samples/CAM/{name}.jpg" for name in ("a", "b", "none", "sweep", "test"))
CASES: Final = {
    "nuImages": Case(
        NU_IMAGES, NU_PHOTOS, "in", "this is nuImages", "in/list.csv", ["cat"], [("cat", BOX)], (), 3,
        {"train": 1, "validation": 2},
    ),
    "nuImages by its tables": Case(
        NU_IMAGES, NU_PHOTOS, "in/v1.0-val", "this is nuImages", "in/list.csv", ["cat"], records=3,
    ),
    "StyleGAN": Case(
        {"dataset.json": json.dumps({"labels": [[NUMBERED[0], 6], [NUMBERED[1], 5]]})},
        NUMBERED, ".", "as StyleGAN has them; its folders are numbered, and no classes",
        "dataset-as-csv.csv", ["5", "6"],
    ),
    "StyleGAN's list of vectors": Case(
        {"dataset.json": VECTORS}, NUMBERED, "dataset.json", "as StyleGAN has them\n", "dataset-as-csv.csv",
        ["label_0", "label_1"], options=("--one-hot", "label_0,label_1"),
    ),
    "StyleGAN without labels": Case(
        {"in/dataset.json": '{"labels": null}'}, tuple(f"in/{name}" for name in NUMBERED), "in",
        "no labels, as StyleGAN writes it", "list.csv", [], options=("--unlabelled", "keep"),
    ),
    "OIDv4": Case(
        # The second image has objects of both classes, and stands in the folder of each.
        {f"{APPLES}1.txt": "Apple 8.0 4.0 40.0 20.0\n", f"{APPLES}{OPEN}.txt": "Apple 1 2 3 4\n",
         f"in/train/Human eye/Label/{OPEN}.txt": "Human eye 8 4 40 20\r\nHuman eye 1.5 2.5 9 9\n"},
        ("in/train/Apple/1.jpg", f"in/train/Apple/{OPEN}.jpg", f"in/train/Human eye/{OPEN}.jpg"), "in",
        "of the kind OIDv4 ToolKit", "list.csv", ["Apple", "Human eye"], [("Apple", BOX)],
    ),
    "WiderPerson": Case(
        {"in/Annotations/1.jpg.txt": "3\n1 8 4 40 20\n4 3 3 20 20\n5 1.5 2 9 9\n",
         "in/Annotations/2.jpg.txt": "0\n", "in/Annotations/4.jpg.txt": "1\n4 3 3 20 20\n",
         "in/train.txt": "1\n4\n", "in/val.txt": "2\n", "in/test.txt": "3\n"},
        tuple(f"in/Images/{i}.jpg" for i in range(1, 5)), "in", "of the kind WiderPerson", "list.csv",
        ["crowd", "pedestrian"], [("crowd", (1.5, 2, 9, 9)), ("pedestrian", BOX)],
    ),
    "WiderPerson in folders": Case(
        {"in/annotations/1.jpg.txt": "1\n1 8 4 40 20\n", "in/annotations/2.jpg.txt": "0\n"},
        ("in/images/a/1.jpg", "in/images/b/2.jpg"), "in", "of the kind WiderPerson", "list.csv",
        ["pedestrian"], [("pedestrian", BOX)],
    ),
    "KITTI": Case(
        # Numbers come again in the folders of other cameras and splits.
        {"in/training/label_2/000003.txt": KITTI, "in/training/label_2/000004.txt": "",
         "in/training/label_2/000005.txt": KITTI.replace("Car", "DontCare"), "in/readme.txt": "of KITTI\n"},
        tuple(f"in/{folder}/{i:06}.png" for i in range(3, 6)
              for folder in ("training/image_2", "testing/image_2", "training/image_3")),
        "in", "a label file of KITTI", "in/list.csv", ["Car"], [("Car", BOX)], records=3,
    ),
    "KITTI by a file": Case(
        {f"label_2/{i}.txt": KITTI for i in range(2)}, ("image_2/0.jpg", "image_2/1.jpg"), "label_2/1.txt",
        "a label file of KITTI", "./list.csv", ["Car"], [("Car", BOX)],
    ),
    "KITTI by its folder of texts": Case(
        {f"in/label_2/{i}.txt": "" if i < 7 else KITTI for i in range(8)},
        tuple(f"in/image_2/{i}.jpg" for i in (7, 0, 1, 2, 3, 4, 5, 6)), "in/label_2", "a label file of KITTI",
        "in/list.csv", ["Car"], [("Car", BOX)], records=8,
    ),
    "KITTI as TAO has it": Case(
        {"in/train/labels/a.txt": KITTI, "in/train/labels/b.txt": "", "in/val/labels/a.txt": KITTI},
        ("in/train/images/a.jpg", "in/train/images/b.jpg", "in/val/images/a.jpg"), "in",
        "a label file of KITTI", "in/list.csv", ["Car"], records=3, splits={"train": 2, "validation": 1},
    ),
    "KITTI right beside images": Case(
        {"in/a.txt": KITTI.replace("\n", " 0.9\n"), "in/b.txt": ""}, ("in/a.jpg", "in/b.jpg"), "in",
        "a label file of KITTI", "in/list.csv", ["Car"], [("Car", BOX)],
    ),
    "dlib": Case(
        {"training.xml": DLIB}, ("i/1.png", "i/2.png"), "training.xml", "a file of boxes of dlib (XML)",
        "training-as-csv.csv", ["cat", "dog"],
        [("cat", (1, 2, 4, 6)), ("cat", BOX), ("dog", (1, 2, 4, 6))],
    ),
    "dlib without labels": Case(
        {"training.xml": DLIB.replace("<label>cat</label>", "").replace("<label>dog</label>", "")},
        ("i/1.png", "i/2.png"), "training.xml", "a file of boxes of dlib (XML)", "training-as-csv.csv",
        ["object"], [("object", (1, 2, 4, 6)), ("object", BOX)],
    ),
    "boxes below a path and a size": Case(
        {"anno.txt": "i/a.png\r\n80 40\r\n2 5\r\n0 8 4 40 20\r\n1 1 2 4 6\r\ni/b.png\r\n80 40\r\n0 5\r\n"},
        ("i/a.png", "i/b.png"), "anno.txt", "blocks of a path, the size of the image", "anno-as-csv.csv",
        ["0", "1"], [("0", BOX), ("1", (1, 2, 4, 6))],
    ),
    "boxes below an image without any": Case(
        {"anno.txt": "i/b.png\n80 40\n0 5\ni/a.png\n80 40\n2 5\n0 8 4 40 20\n1 1 2 4 6\n"},
        ("i/a.png", "i/b.png"), "anno.txt", "blocks of a path, the size of the image", "anno-as-csv.csv",
        ["0", "1"], [("0", BOX), ("1", (1, 2, 4, 6))],
    ),
    "CVAT": Case(
        {"a.xml": CVAT}, ("i/1.png", "i/2.png"), "a.xml", "CVAT's own XML", "a-as-csv.csv", ["cat", "train"],
        [("cat", BOX), ("train", BOX), ("train", (10, 5, 30, 15))],
    ),
    "a project of CVAT in a folder of exports": Case(
        {"sets/one/annotations.xml": CVAT.replace("i/1.png", "1.png").replace("i/2.png", "2.png")},
        ("sets/one/images/1.png", "sets/one/images/2.png", "sets/two/images/3.png"), ".",
        "sets/one/annotations.xml: this is CVAT's own XML", "annotations-as-csv.csv", ["cat", "train"],
        [("cat", BOX), ("train", BOX), ("train", (10, 5, 30, 15))], ("--image-root", "sets/one/images"),
    ),
    "Azure's boxes": Case(
        {"list.json": json.dumps([{"id": "a", "tags": [{"tagName": "cat"}], "regions": [REGION]},
                                  {"id": "b", "tags": [], "regions": []}])},
        ("a.png", "b.jpg"), "list.json", "Azure Custom Vision (JSON)", "list-as-csv.csv", ["cat"],
        [("cat", BOX)],
    ),
    "Scale AI": Case(
        {"tasks.json": json.dumps([
            {"task_id": "1", "status": "completed", "params": {"attachment": "s3://b/drive/a%20b.png"},
             "response": {"annotations": [{**SCALED, "attributes": {"far": 1}}, OUTLINED]}},
            {"task_id": "2", "status": "completed", "params": {"attachment": "s3://b/drive/c.png"},
             "response": {"annotations": []}},
            {"task_id": "3", "status": "pending", "params": {"attachment": "s3://b/drive/d.png"}},
        ])},
        ("f/a b.png", "f/c.png", "f/d.png"), "tasks.json", "a list of tasks of Scale AI (JSON)",
        "tasks-as-csv.csv", ["car", "van"], [("car", BOX), ("van", BOX)],
    ),
    "Scale AI in lines": Case(
        {"tasks.jsonl": "".join(
            json.dumps({"task_id": i, "image_url": f"{i}.png", "annotations": [SCALED]}) + "\n"
            for i in "12")},
        ("1.png", "2.png"), "tasks.jsonl", "a list of tasks of Scale AI (JSON)", "tasks-as-csv.csv", ["car"],
        [("car", BOX)],
    ),
    "Web Annotations": Case(
        {"notes.json": json.dumps({"@context": "http://www.w3.org/ns/anno.jsonld", "items": [
            _annotation([TAG, COMMENT], "http://m.org/p/1.png", "FragmentSelector", "xywh=pixel:8,4,32,16"),
            _annotation({**TAG, "value": "loss"}, {"id": "http://m.org/p/1.png"}, "SvgSelector", OUTLINE),
            _annotation([{**TAG, "value": "chip"}], "http://m.org/p/1.png", "SvgSelector", CIRCLE),
            {"body": [TAG], "target": "http://m.org/p/2.png#xywh=1,2,3,4"},
            {"body": [TAG], "target": "http://m.org/p/2.png"},
        ]})},
        ("p/1.png", "p/2.png"), "notes.json", "a list of Web Annotations of the W3C (JSON)",
        "notes-as-csv.csv", ["chip", "loss", "stain"],
        [("chip", (8.0, 6.0, 16.0, 14.0)), ("loss", BOX), ("stain", BOX)],
    ),
    "Web Annotations in lines": Case(
        {"notes.jsonl": "".join(
            json.dumps(_annotation(TAG, f"{i}.png", "FragmentSelector", "xywh=percent:10,10,40,40")) + "\n"
            for i in "12")},
        ("1.png", "2.png"), "notes.jsonl", "a list of Web Annotations of the W3C (JSON)",
        "notes-as-csv.csv", ["stain"], [("stain", BOX)],
    ),
    "xView": Case(
        {"xView_train.geojson": XVIEW}, ("train_images/10.png", "train_images/5.png"), "xView_train.geojson",
        "a list of boxes of xView (GeoJSON)", "xView_train-as-csv.csv", ["18", "73"], [("18", BOX)],
        options=("--image-root", "train_images"),
    ),
    "xView with names of classes": Case(
        {"xView_train.geojson": XVIEW, "xview_class_labels.txt": "18:Passenger Car\n73:Building\n"},
        ("10.png", "5.png"), "xView_train.geojson", "a list of boxes of xView (GeoJSON)",
        "xView_train-as-csv.csv", ["Building", "Passenger Car"], [("Passenger Car", BOX)],
    ),
    "Azure's tags": Case(
        {"list.json": json.dumps([{"id": "a", "tags": [{"tagName": "cat"}], "originalImageUri": "https://x/1"},
                                  {"id": "b", "tags": [{"tagName": "dog"}]}])},
        ("a.png", "b.jpg"), "list.json", "Azure Custom Vision (JSON)", "list-as-csv.csv", ["cat", "dog"],
    ),
    "TT100K": Case(
        {"list.json": json.dumps({"types": ["cat"], "imgs": {
            "1": {"path": "train/1.png", "id": 1, "objects": [
                {"bbox": {"xmin": 8, "ymin": 4, "ymax": 20, "xmax": 40}, "category": "cat"}]},
            "2": {"path": "train/2.png", "id": 2, "objects": []}}})},
        ("train/1.png", "train/2.png"), "list.json", "Tsinghua-Tencent 100K", "list-as-csv.csv", ["cat"],
        [("cat", BOX)],
    ),
    "iMaterialist": Case(
        {"list.json": json.dumps({"images": [{"url": "https://x/a", "imageId": "1"}, {"imageId": "2"}],
                                  "annotations": [{"labelId": ["5", "66"], "imageId": "1"},
                                                  {"labelId": ["66"], "imageId": "2"}]})},
        ("1.png", "2.png"), "list.json", "iMaterialist", "list-as-lines.jsonl", ["5", "66"],
    ),
    "VIA without regions": Case(
        {"list.csv": f"#{VIA}" + 'a.png,9,"{""class"":""cat""}",0,0,"{}","{}"\n'
         'b.png,9,"{""class"":""dog""}",0,0,"{}","{}"\n'},
        ("a.png", "b.png"), "list.csv", "without regions", "list-as-csv.csv", ["cat", "dog"],
    ),
    "VIA 3": Case(
        {"list.csv": VIA_3 + '"1_a","[""a.png""]",0,"[]","[2,8,4,32,16]","{""1"":""0""}"\n'
         '"1_b","[""a.png""]",0,"[]","[3,20,9,4]","{""1"":""1""}"\n'
         '"2_c","[""b.png""]",0,"[]","[7,8,4,40,9,20,20]","{}"\n"3_d","[""c.png""]",0,"[]","[]","{}"\n'},
        ("a.png", "b.png", "c.png"), "list.csv", "Image Annotator 3", "list-as-csv.csv", ["cat", "dog"],
        [("cat", BOX), ("dog", (16, 5, 24, 13))], options=("--max-rejects", "1"), records=2,
    ),
    "VIA with several of each": Case(
        {"list.csv": VIA + 'a.png,9,"{""class"":{""cat"":true,""dog"":true}}",0,0,"{}","{}"\n'
         'b.png,9,"{""class"":{""dog"":true}}",0,0,"{}","{}"'},
        ("a.png", "b.png"), "list.csv", "without regions", "list-as-csv.csv", ["cat", "dog"],
        options=("--label-separator", "|"),
    ),
    "one box by image below a remark": Case(
        {"list.json": json.dumps({"form": "[x, y, w, h]", "a.png": [8, 4, 32, 16], "b.png": [1, 2, 9, 9]})},
        ("a.png", "b.png"), "list.json", "of labels, by image (JSON)", "list-as-lines.jsonl", ["object"],
        [("object", BOX)], options=("--box-format", "xywh"),
    ),
    "numbered boxes by image": Case(
        {"list.json": json.dumps({"b.png": {}, "a.png": {"1": [8, 4, 40, 20], "2": [1, 2, 9, 9]}})},
        ("a.png", "b.png"), "list.json", "numbered boxes by image (JSON)", "list-as-lines.jsonl", ["object"],
        [("object", (1, 2, 9, 9)), ("object", BOX)], options=("--box-format", "xyxy"), records=2,
    ),
    "pairs of an image and its boxes": Case(
        {"list.json": json.dumps([["b.png", []], ["a.png", [[8, 4, 40, 20]]], ["c.png", [[0, 0, 0, 0]]]])},
        ("a.png", "b.png", "c.png"), "list.json", "images and their boxes (JSON)", "list-as-lines.jsonl",
        ["object"], [("object", BOX)], options=("--box-format", "xyxy"), records=3,
    ),
    "a box by class and image": Case(
        {"list.json": json.dumps({"cat": {"a.png": [8, 4, 40, 20]}, "palm left": {"b.png": [8, 4, 40, 20]}})},
        ("a.png", "b.png"), "list.json", "boxes by class and image (JSON)", "list-as-lines.jsonl",
        ["cat", "palm left"], [("cat", BOX)], options=("--box-format", "xyxy"),
    ),
    "objects with boxes by image": Case(
        {"list.json": json.dumps({"b.png": [], "a.png": [
            {"class": "cat", "bbox": {"x1": 8, "y1": 4, "x2": 40, "y2": 20.0}}]})},
        ("a.png", "b.png"), "list.json", "objects by image (JSON)", "list-as-csv.csv", ["cat"],
        [("cat", BOX)],
    ),
    "OIDv4 from above": Case(
        {"OID/Dataset/train/Apple/Label/1.txt": "Apple 8.0 4.0 40.0 20.0\n", "OID/csv_folder/a.csv": "a,b\n"},
        ("OID/Dataset/train/Apple/1.jpg",), "OID", "of the kind OIDv4 ToolKit", "list.csv", ["Apple"],
        [("Apple", BOX)], records=1,
    ),
    "Pascal VOC's list of a class": Case(
        {"ImageSets/Main/cat_train.txt": "2008_000001 -1\n2008_000002  1\n2008_000003  0\n"},
        tuple(f"JPEGImages/2008_00000{i}.jpg" for i in (1, 2, 3)), "ImageSets/Main/cat_train.txt",
        "this is Pascal VOC's list of images with and without one class", "cat_train-as-csv.csv",
        ["cat", "no cat"],
    ),
    "RAF-DB": Case(
        {"EmoLabel/list_patition_label.txt": "train_00001.jpg 4\r\ntest_0001.jpg 7\n"},
        ("Image/aligned/train_00001_aligned.jpg", "Image/aligned/test_0001_aligned.jpg"),
        "EmoLabel/list_patition_label.txt", "this is RAF-DB's list", "list_patition_label-as-csv.csv",
        ["happiness", "neutral"],
    ),
    "Adience": Case(
        {"fold_0_data.txt": ADIENCE + "3@N\tb.jpg\t7\t(25, 32)\tm\t0\n3@N\ta.jpg\t8\tNone\tf\t0\n"},
        ("aligned/3@N/landmark_aligned_face.7.b.jpg", "aligned/3@N/landmark_aligned_face.8.a.jpg"),
        "fold_0_data.txt", "this is Adience's list", "fold_0_data-as-csv.csv", ["25-32"],
        options=("--columns", "label=age", "--unlabelled", "keep"),
    ),
    "AVA": Case(
        {"AVA.txt": "1 953 0 1 5 17 38 36 15 6 5 1 1 22 1396\n2 954 10 7 15 26 26 21 10 8 1 2 15 21 1396\n"},
        ("953.jpg", "954.jpg"), "AVA.txt", "this is AVA's list of votes", "AVA-as-csv.csv", [],
        options=("--task", "regression"),
    ),
    "WFLW": Case(
        {"in/lists/face.txt": "\ufeff" + "".join(
            f"{'1.500000 ' * 196}{box} 0 1 0 0 1 0 a/{i}.png\r\n"
            for i, box in (("1, 2", "8 4 40 20"), (3, "1 1 9 9"), (3, "20 5 30.5 9")))},
        ("in/images/a/1, 2.png", "in/images/a/3.png"), "in/lists/face.txt",
        "this is a list of WFLW, of points in faces", "in/lists/face-as-csv.csv", ["face"], [("face", BOX)],
        options=("--image-root", "in/images"),
    ),
    "boxes by the numbers of images": Case(
        {"in/images.txt": "1 cat/1.png\n7 dog/2, 3.png\r\n9 dog/4.png\n",
         "in/bounding_boxes.txt": "1 8.0 4.0 32.0 16.0\n7 8 4 32 16\r\n"},
        ("in/Images/cat/1.png", "in/Images/dog/2, 3.png", "in/Images/dog/4.png"), "in/bounding_boxes.txt",
        "images and their boxes are in files by the numbers of images", "in/boxes.csv", ["cat", "dog"],
        [("cat", BOX)], records=3,
    ),
    "a number first": Case(
        {"mos.txt": "5.51429 I01 1.png\r\n5.56757 I01_2.png\r\n"}, ("I01 1.png", "I01_2.png"), "mos.txt",
        "a number, a blank and an image", "mos-as-csv.csv", [], options=("--task", "regression"),
    ),
    "FDDB": Case(
        {"fold.txt": "a/1\n1\n16 8 0 24 12  1\na/2\n2\n9 4.5 1.5 30 20  1\n9 4 -1 50 20 1\n"},
        ("a/1.png", "a/2.png"), "fold.txt", "a list of ellipses of FDDB", "fold-as-csv.csv", ["face"],
        [("face", BOX)],
    ),
    "FiftyOne": Case(
        {"in/labels.json": json.dumps({"classes": ["dog", "cat"], "labels": {
            "1": [{"label": 1, "bounding_box": [0.1, 0.1, 0.4, 0.4]}], "2": [], "3": None}})},
        ("in/data/1.png", "in/data/2.png", "in/data/3.png"), "in",
        "a list of boxes of FiftyOne (labels.json)", "in/labels-as-csv.csv", ["cat"], [("cat", BOX)],
    ),
    "FiftyOne's labels": Case(
        {"labels.json": '{"classes": ["dog", "cat"], "labels": {"1": 1, "2": 0, "3": null}}'},
        ("data/1.png", "data/2.png", "data/3.png"), "labels.json",
        "a list of labels of FiftyOne (labels.json)", "labels-as-csv.csv", ["cat", "dog"],
    ),
    "Edge Impulse": Case(
        {"in/info.labels": json.dumps({"version": 1, "files": [
            {"path": f"{split}/{name}", "name": name, "category": split, "label": {"type": "unlabeled"},
             "boundingBoxes": [{"label": "nut", **EDGE}] * (name != "2.png")}
            for split, name in (("training", "1.png"), ("training", "2.png"), ("testing", "1.png"))]})},
        ("in/training/1.png", "in/training/2.png", "in/testing/1.png"), "in/info.labels",
        "a list of files of Edge Impulse (JSON)", "in/info-as-csv.csv", ["nut"], [("nut", BOX)],
        records=3, splits={"train": 2, "test": 1},
    ),
    "Edge Impulse's labels": Case(
        {"in/info.labels": json.dumps({"version": 1, "files": [
            {"path": f"t/{name}.png", "category": "training", "label": {"label": name, "type": "label"}}
            for name in ("nut", "bolt")]})},
        ("in/t/nut.png", "in/t/bolt.png"), "in/info.labels",
        "a list of files of Edge Impulse (JSON)", "in/info-as-csv.csv", ["bolt", "nut"],
    ),
    "Edge Impulse's boxes": Case(
        {"bounding_boxes.labels": json.dumps({"version": 1, "type": "bounding-box-labels", "boundingBoxes": {
            "1.png": [{"label": "nut", **EDGE}], "2.png": []}})},
        ("1.png", "2.png"), "bounding_boxes.labels", "a list of boxes of Edge Impulse (JSON)",
        "bounding_boxes-as-csv.csv", ["nut"], [("nut", BOX)], records=2,
    ),
    "V7 Darwin": Case(
        {"annotations/1.json": darwin("a/1.png", {"name": "cat", "bounding_box": EXTENT}),
         "annotations/2.json": darwin("b/1.png", {"name": "dark", "tag": {}})},
        ("images/a/1.png", "images/b/1.png"), ".", "JSON of V7 Darwin, a file for each image", "list.csv",
        ["cat"], [("cat", BOX)],
    ),
    "SuperAnnotate": Case(
        {"1.png.json": super_annotate("1.png", {"x1": 8, "y1": 4, "x2": 40, "y2": 20}, "bbox"),
         "2.png.json": super_annotate("2.png", [1, 9, 5, 2, 7, 3], "polygon")},
        ("1.png", "2.png"), ".", "JSON of SuperAnnotate, a file for each image", "list.csv", ["cat"],
        [("cat", BOX)],
    ),
    "Supervisely": Case(
        {"in/a b/ann/1.png.json": supervisely("train", [[8, 4], [40, 20]]),
         "in/c/ann/1.png.json": supervisely("val", [[9, 4], [20, 40], [8, 7]], "polygon"),
         "in/c/ann/2.png.json": supervisely("val", None), "in/meta.json": '{"classes": [], "tags": []}'},
        ("in/a b/img/1.png", "in/c/img/1.png", "in/c/img/2.png"), "in", "of the kind Supervisely",
        "in/list.csv", ["cat"], [("cat", BOX)], records=3, splits={"train": 1, "validation": 2},
    ),
    "bitmaps of Supervisely": Case(
        {"in/ann/1.png.json": supervisely("train", [[8, 4], [40, 20]], "bitmap")}, ("in/img/1.png",), "in",
        "of the kind Supervisely", "in/list.csv", ["cat"], [("cat", BOX)], records=1, splits={"train": 1},
    ),
    "one dataset of Supervisely": Case(
        {"val/ann/1.png.json": supervisely("done", [[8, 4], [40, 20]])}, ("val/img/1.png",), ".",
        "of the kind Supervisely", "list.csv", ["cat"], [("cat", BOX)], records=1, splits={"validation": 1},
    ),
    "FUNSD": Case(
        {f"in/{name}.json": FUNSD for name in FORMS} | {"in/testing_data/annotations/2.json": '{"form": []}'},
        (*(f"in/{name.replace('annotations', 'images')}.png" for name in FORMS),
         "in/testing_data/images/2.png"), "in",
        "JSON of FUNSD, a file for each image", "list.csv", ["question"], [("question", BOX)],
        records=3, splits={"train": 1, "test": 2},
    ),
    "annotations of FUNSD": Case(
        {f"in/{FORMS[0]}.json": FUNSD}, (f"in/{FORMS[0].replace('annotations', 'images')}.jpg",),
        f"in/{os.path.dirname(FORMS[0])}", "JSON of FUNSD, a file for each image", "list.csv", ["question"],
        [("question", BOX)], records=1,
    ),
    "images of FUNSD": Case(
        {"annotations/1.json": FUNSD}, ("images/1.png",), "images",
        "JSON of FUNSD, a file for each image", "list.csv", ["question"], [("question", BOX)],
        records=1,
    ),
    "FUNSD in one folder": Case(
        {"1.json": FUNSD}, ("1.png",), ".", "JSON of FUNSD, a file for each image", "list.csv",
        ["question"], [("question", BOX)], records=1,
    ),
    "Mapillary": Case(
        {f"annotations/{i}.json": mapillary(i) for i in (0, 1)}
         | {"splits/train.txt": "1\n", "splits/val.txt": "0\n"},
        ("images/1.jpg", "images/0.PNG", "labels/1.png"), ".", "JSON of Mapillary, a file for each image",
        "list.csv", ["cat"], [("cat", BOX)],
    ),
    "Zooniverse": Case(
        {"list.csv": _classifications(("a.png", "cat"), ("a.png", "cat"), ("a.png", "dog"), ("b.png", None),
                                      ("b.png", "dog"), ("c.png", "dog"), ("c.png", "cat"))},
        ("a.png", "b.png", "c.png"), "list.csv", "this is Zooniverse's list", "list-as-csv.csv",
        ["cat", "dog"],
    ),
    "Zooniverse's surveys": Case(
        {"list.csv": _classifications(("a.png", [{"choice": "ZEBRA"}]), ("b.png", ["b", "a"]),
                                      ("b.png", ["a", "b"]), ("b.png", "a"))},
        ("a.png", "b.png"), "list.csv", "this is Zooniverse's list", "list-as-csv.csv", ["ZEBRA", "a", "b"],
        options=("--label-separator", "|"),
    ),
    "Labelbox": Case(
        {"list.csv": _labelled(("a.png", [LABELBOX_BOX]), ("b.png", None), ("c.png", []))},
        ("a.png", "b.png", "c.png"), "list.csv", "this is Labelbox's list", "list-as-csv.csv", ["Vest"],
        [("Vest", BOX)],
    ),
    "Labelbox's lines": Case(
        {"export.ndjson": _data_row("a.png", LABELBOX_OBJECTS) + _data_row("b.png")
         + _data_row("c.png", NOTHING_SEEN)},
        ("a.png", "b.png", "c.png"), "export.ndjson", "this is an export of Labelbox (JSON)",
        "export-as-csv.csv", ["Hat", "Vest"], [("Hat", BOX), ("Vest", BOX)], records=2,
    ),
    "Labelbox's answers": Case(
        {"export.ndjson": _data_row("a.png", LABELBOX_ANSWERS) + _data_row("b.png", LABELBOX_ANSWERS)},
        ("a.png", "b.png"), "export.ndjson", "this is an export of Labelbox (JSON)", "export-as-csv.csv",
        ["Hat", "Vest"], options=("--columns", "image_uri=image,label=seen", "--label-separator", "|"),
    ),
    "Ultralytics": Case(
        {"list.ndjson": _ndjson("detect", {"boxes": [[1, 0.3, 0.3, 0.4, 0.4]]}, {"boxes": []})},
        ("x/train/a.png", "x/val/a.png"), "list.ndjson", "a dataset of Ultralytics, of boxes (NDJSON)",
        "list-as-csv.csv", ["dog"], [("dog", BOX)],
        splits={"train": 1, "validation": 1},
    ),
    "Ultralytics' outlines": Case(
        {"list.ndjson": _ndjson("segment", {"segments": [[0, 0.1, 0.1, 0.5, 0.2, 0.3, 0.5]]}, {})},
        ("train/a.png", "val/a.png"), "list.ndjson", "a dataset of Ultralytics, of boxes (NDJSON)",
        "list-as-csv.csv", ["cat"], [("cat", BOX)],
    ),
    "Ultralytics' classes": Case(
        {"list.ndjson": _ndjson("classify", {"classification": [1]}, {"classification": [0]})},
        ("train/dog/a.png", "val/cat/a.png"), "list.ndjson", "a dataset of Ultralytics, of classes (NDJSON)",
        "list-as-csv.csv", ["cat", "dog"],
        splits={"train": 1, "validation": 1},
    ),
    "Datumaro": Case(
        {"in/annotations/train.json": _datumaro("a.png", {
            "type": "bbox", "label_id": 1, "bbox": [8, 4, 32, 16]}),
         "in/annotations/val.json": _datumaro("a.png")},
        ("in/images/train/a.png", "in/images/val/a.png"), "in", "this is a Datumaro dataset", "list.csv",
        ["dog"], [("dog", BOX)], splits={"train": 1, "validation": 1},
    ),
    "Datumaro, turned about the centre": Case(
        {"in/annotations/default.json": _datumaro("a.png", {
            "type": "bbox", "label_id": 0, "bbox": [16, -4, 16, 32], "attributes": {"rotation": 90.0}}),
         "in/annotations/val.json": _datumaro("b.png")},
        ("in/images/a.png", "in/images/b.png"), "in/annotations/val.json", "this is a Datumaro dataset",
        "list.csv", ["cat"], [("cat", BOX)],
    ),
    "Datumaro's labels": Case(
        {"in/annotations/train.json": _datumaro("a.png", {"type": "label", "label_id": 1}),
         "in/annotations/test.json": _datumaro("b.png", {"type": "label", "label_id": 0})},
        ("in/images/train/a.png", "in/images/test/b.png"), "in/annotations", "this is a Datumaro dataset",
        "list.csv", ["cat", "dog"], splits={"train": 1, "test": 1},
    ),
    "Airtable": Case(
        {"list.csv": f'Name,Image,Label\nx,"{_attachment("a (1).png")},{_attachment("b,c.png")}",cat\n'
         f"y,{_attachment('d.png')},dog\nz,{_attachment('d.png', 2)},cat\n"},
        ("a (1).png", "b,c.png", "d.png"), "list.csv", "this is Airtable's CSV", "list-as-csv.csv", ["cat"],
    ),
    "ImageCLEF": Case(
        {"in/PlantTrainingData/1.xml": _clef("1.jpg", "5514"),
         "in/PlantTestData/2.xml": _clef("2.jpg", "7", "Test")},
        ("in/PlantTrainingData/1.jpg", "in/PlantTestData/2.jpg"), "in", "labels are in XML beside the images",
        "list.csv", ["7", "5514"],
    ),
    "ImageCLEF in one folder": Case(
        {"in/1.xml": _clef("1.jpg", "5514"), "in/2.xml": _clef("2.jpg", "5514")}, ("in/1.jpg", "in/2.jpg"),
        "in", "labels are in XML beside the images", "list.csv", ["Quercus ilex L."],
        options=("--columns", "label=species"),
    ),
    "an XML of ImageCLEF": Case(
        {"in/1.xml": _clef("1.jpg", "5514"), "in/2.xml": _clef("2.jpg", "5514")}, ("in/1.jpg", "in/2.jpg"),
        "in/1.xml", "XML of ImageCLEF, of one image", "1-as-csv.csv", ["5514"],
    ),
    "Penn-Fudan": Case(
        {"in/Annotation/1.txt": _pascal("1.png", 1), "in/Annotation/2.txt": _pascal("2.png", 0),
         "in/readme.txt": "1. Structure\n"},
        ("in/PNGImages/1.png", "in/PNGImages/2.png", "in/PedMasks/1_mask.png"), "in",
        "PASCAL's annotations in text, version 1.00", "1-as-csv.csv", ["PASperson"], [("PASperson", BOX)],
    ),
    "labels on lines of their own": Case(
        {"list.txt": "a b.jpg\r\n4\r\n2.jpg\r\n0\r\n3.jpg\r\n4\r\n"}, ("a b.jpg", "2.jpg", "3.jpg"),
        "list.txt", "an image on one line and its label on the next", "list-as-csv.csv", ["0", "4"],
        records=3,
    ),
    "ELPV": Case(
        {"labels.csv": "i/1.png  1.0                 mono\ni/2.png  0.3333333333333333  poly\n"},
        ("i/1.png", "i/2.png"), "labels.csv", "cells of ELPV", "labels-as-csv.csv",
        ["0.3333333333333333", "1.0"], options=("--columns", "label=probability", "--label-type", "name"),
    ),
    "Bosch's traffic lights": Case(
        {"train.yaml": BOSCH}, ("rgb/a/1.png", "rgb/b/2.png"), "train.yaml", "a list of boxes in YAML",
        "train-as-csv.csv", ["off"], [("off", BOX)],
    ),
    "keras-yolo3 with bars": Case(
        {"train.txt": "1.png| 8,4,40,20,7\n2.png|\n"}, ("1.png", "2.png"), "train.txt",
        "as keras-yolo3 has it", "train-as-csv.csv", ["7"], [("7", BOX)],
        options=("--unlabelled", "keep"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_command_of_a_refusal_makes_a_list_that_is_read(case: Case, tmp_path: Path) -> None:
    photos(tmp_path, *case.images)
    write_files(tmp_path, case.files)
    done = tfrec("convert", case.source, tmp_path / "out", cwd=tmp_path)
    assert done.code == 2, done
    assert case.says in done.err
    made = _run(done.err, case.made, tmp_path)
    done = tfrec("convert", made, tmp_path / "out", *case.options, cwd=tmp_path)
    assert done.code == 0, done
    facts = manifest(tmp_path / "out")
    assert [*facts["labels"]] == case.labels
    assert facts["records"] == case.records
    if case.splits is not None:
        assert {name: split["records"] for name, split in facts["splits"].items()} == case.splits
    if case.boxes is not None:
        found = records(tmp_path / "out")
        (values,) = (
            values for name, values in found.items() if case.images[0].endswith(name.removeprefix("../"))
        )
        assert boxes_of(values) == case.boxes


@pytest.mark.parametrize("regions", [[VIA_REGION], {"0": VIA_REGION}], ids=["version 2", "version 1"])
@pytest.mark.parametrize("is_project", [False, True])
def test_json_of_via_becomes_its_csv(regions: Any, is_project: bool, tmp_path: Path) -> None:
    told = {"a.png9": {"filename": "a.png", "size": 9, "regions": regions, "file_attributes": {"by": "x"}},
            "b.png7": {"filename": "b.png", "size": 7, "regions": [], "file_attributes": {}}}  # fmt: skip
    told = {"_via_settings": {"ui": {}}, "_via_img_metadata": told} if is_project else told
    write_files(tmp_path, {"list.json": json.dumps(told)})
    done = tfrec("convert", "list.json", tmp_path / "out", cwd=tmp_path)
    assert "this is JSON of the VGG Image Annotator" in done.err
    made = (tmp_path / _run(done.err, "list-as-csv.csv", tmp_path)).read_text()
    assert [*csv.reader(io.StringIO(made))] == [
        VIA.strip().split(","),
        ["a.png", "9", '{"by": "x"}', "1", "0", *map(json.dumps, VIA_REGION.values())],
        ["b.png", "7", "{}", "0", "0", "{}", "{}"],
    ]


def _run(message: str, made: str, folder: Path) -> str:
    """Runs what a message has behind `make …: ` up to what it makes, whose path it gives."""
    hint = message.partition("\n")[2].partition(": ")[2]
    head = re.split("; then|; where the", hint)[0]
    command = head[: head.rindex(made) + len(made)]
    run_bash(command, folder)
    return command.rpartition(" ")[2].strip("'")


@pytest.mark.parametrize(
    ("text", "images", "options"),
    [
        ("train_0001.png 4\ntest_0001.png 7\n", ("train_0001.png", "test_0001.png"), ()),
        ("train_1.jpg 4\ntest_1.jpg 7\n", ("train_1.jpg", "test_1.jpg", "train_1_aligned.jpg"), ()),
        ("a.png  1\nb.png    0\n", ("a.png", "b.png"), ()),
        ("5.5 a.png\n6.5 b.png\n", ("5.5 a.png", "6.5 b.png"), ("--unlabelled", "keep")),
    ],
    ids=["RAF-DB's in another format", "RAF-DB's own names", "several blanks", "names with a number before"],
)
def test_lists_that_name_their_images_are_read(
    text: str, images: tuple[str, ...], options: tuple[str, ...], tmp_path: Path
) -> None:
    photos(tmp_path, *images)
    write_files(tmp_path, {"list.txt": text})
    done = tfrec("convert", "list.txt", "out", *options, cwd=tmp_path)
    assert (done.code, manifest(tmp_path / "out")["records"]) == (0, 2), done


@pytest.mark.parametrize("folder", ["", "Images/"])
def test_images_are_converted_without_their_boxes_by_numbers_as_is_said(folder: str, tmp_path: Path) -> None:
    paths = ("cat/1.png", "dog/2.png")
    photos(tmp_path, *(f"{folder}{path}" for path in paths))
    numbered = "".join(f"{number} {path}\n" for number, path in enumerate(paths, 1))
    write_files(tmp_path, {"images.txt": numbered, "bounding_boxes.txt": "1 8 4 32 16\n2 8 4 32 16\n"})
    refused = tfrec("convert", "images.txt", "out", cwd=tmp_path)
    words = shlex.split(refused.err.partition("without boxes: ")[2].replace("OUTPUT_DIR", "out"))
    done = convert_json(*words[2:], cwd=tmp_path)
    assert (done["records"], manifest(tmp_path / "out")["labels"]) == (2, {"cat": 0, "dog": 1})


def test_a_list_of_labels_is_read_beside_boxes_by_numbers(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    write_files(tmp_path, {"images.txt": "a.png 0\nb.png 1\n", "bounding_boxes.txt": "1 8 4 32 16\n"})
    done = tfrec("convert", "images.txt", "out", cwd=tmp_path)
    assert (done.code, manifest(tmp_path / "out")["records"]) == (0, 2), done


def test_numbers_of_boxes_below_images_are_no_labels(tmp_path: Path) -> None:
    write_files(tmp_path, {"list.txt": "1.jpg\n0\n2.jpg\n0\n3.jpg\n0\n4.jpg\n1\n8 4 40 20 0.9\n"})
    done = tfrec("convert", "list.txt", "out", cwd=tmp_path)
    assert (done.code, "its label on the next" in done.err) == (1, False), done


def test_what_was_drawn_for_zooniverse_has_no_majority(tmp_path: Path) -> None:
    drawn = _classifications(("a.png", [{"x": 8.5, "y": 4, "width": 9, "height": 9, "details": []}]))
    write_files(tmp_path, {"list.csv": drawn})
    hint = tfrec("convert", "list.csv", "out", cwd=tmp_path).err.partition("make a CSV of it: ")[2]
    done = shell(hint.partition("; then: ")[0], tmp_path)
    assert (done.code, "T0" in done.err, "panoptes_aggregation" in done.err) == (1, True, True), done


def test_images_that_labelbox_skipped_are_left_out_and_the_newest_of_several_labels_is_taken(
    tmp_path: Path,
) -> None:
    photos(tmp_path, "a.png", "b.png", "c.png")
    rows = [
        json.loads(_data_row(name, *[NOTHING_SEEN, LABELBOX_OBJECTS][-count:]))
        for name, count in (("a.png", 2), ("b.png", 1), ("c.png", 1))
    ]
    older, newer = rows[0]["projects"]["p1"]["labels"]
    older["label_details"] = {"created_at": "2024-02-01", "updated_at": "2024-02-03"}
    newer["label_details"] = {"created_at": "2024-01-01", "content_last_updated_at": "2024-02-04"}
    rows[1]["projects"]["p1"]["labels"][0]["performance_details"] = {"skipped": True}
    write_files(tmp_path, {"list.ndjson": "".join(f"{json.dumps(row)}\n" for row in rows)})
    hint = tfrec("convert", "list.ndjson", "out", cwd=tmp_path).err.partition("make a CSV of it: ")[2]
    command, _, then = hint.partition("; then: ")
    told = shell(command, tmp_path).err
    assert "1 without a label, or skipped, left out" in told
    assert "1 with several labels: the newest is taken" in told
    assert shell(then.strip().replace("OUTPUT_DIR", "out"), tmp_path).code == 0
    found = {name: boxes_of(values) for name, values in records(tmp_path / "out").items()}
    assert found == {name: [("Hat", BOX), ("Vest", BOX)] for name in ("a.png", "c.png")}


def test_json_of_anything_but_boxes_is_not_called_boxes(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    field = {"meta": '"{""width"": 9, ""retired"": null}"', "boxes": '"{""x"": 1, ""retired"": null}"'}
    rows = "".join(f"{name}.png,{{}},{name * 3}\n" for name in "ab")
    write_files(
        tmp_path, {f"{name}.csv": f"my file,x,y\n{rows}".replace("{}", text) for name, text in field.items()}
    )
    assert "holds boxes as text" not in tfrec("convert", "meta.csv", "out", cwd=tmp_path).err
    hint = tfrec("convert", "boxes.csv", "out", cwd=tmp_path).err.partition("make a row of each box: ")[2]
    run_bash(hint.partition("; --task")[0], tmp_path)
    assert (tmp_path / "boxes-boxes.csv").read_text().splitlines()[1] == "a.png,aaa,1,"


@pytest.mark.parametrize(
    ("first", "box", "label"),
    [("0,", "('cat', (8, 4, 32, 16))", "cat"), ("a.png,", "('cat', (8, 4, 32, 16))", "cat"),
     ("image,label\na.png,", "[8, 4, 32, 16]", "")],
)  # fmt: skip
def test_lists_of_boxes_under_no_name_of_boxes_become_rows_of_each(
    first: str, box: str, label: str, tmp_path: Path
) -> None:
    photos(tmp_path, "a.png", "b.png")
    write_files(tmp_path, {"list.csv": f'{first}"[{box}, {box.replace("8", "9")}]"\n'})
    done = tfrec("convert", "list.csv", "out", cwd=tmp_path)
    command = re.search(r"(?:\(echo|python -c) .*", done.err)
    assert command is not None, done
    run_bash(command[0].partition("; --")[0], tmp_path)
    (made,) = {path.name for path in tmp_path.glob("*.csv")} - {"list.csv"}
    hint = tfrec("convert", made, "out", cwd=tmp_path).err.partition("make a row of each box: ")[2]
    run_bash(hint.partition("; --task")[0], tmp_path)
    rows = max(tmp_path.glob("*.csv"), key=lambda path: len(path.name)).read_text().splitlines()
    assert len(rows) == 3
    assert "8, 4, 32, 16" in rows[1]
    assert label in rows[1]


def test_lists_of_boxes_of_a_frame_are_told_of_without_a_command(tmp_path: Path) -> None:
    frame = pd.DataFrame({"image": ["a.png"] * 2, "label": ["[('cat', (8, 4, 32, 16))]"] * 2})
    with pytest.raises(tfrecordcli.TfrecError) as refused:
        tfrecordcli.convert(frame, tmp_path / "out")
    assert refused.value.hint.startswith("call that column boxes; ")


@pytest.mark.parametrize(("column", "delimiter"), [("image", ","), ("img", ","), ("image", ";")])
def test_attachments_beside_names_of_images_are_not_used(column: str, delimiter: str, tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    rows = "".join(f"{name}.png,{_attachment('x.png')},{name}\n" for name in "ab")
    text = f"{column},Attachments,label\n{rows}".replace(",", delimiter)
    write_files(tmp_path, {"list.csv": text})
    assert tfrec("convert", "list.csv", "out", cwd=tmp_path).code == 0


def test_columns_of_labelbox_without_objects_are_not_refused(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    write_files(tmp_path, {"list.csv": "image,Labeled Data,External ID,Label\na.png,u,a,x\nb.png,u,b,y\n"})
    assert tfrec("convert", "list.csv", "out", cwd=tmp_path).code == 0


def test_columns_of_zooniverse_beside_images_are_not_used(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    rows = "".join(f"1,{name}.png,[],{{}},{name}\n" for name in "ab")
    write_files(tmp_path, {"list.csv": f"classification_id,image,annotations,subject_data,label\n{rows}"})
    assert tfrec("convert", "list.csv", "out", cwd=tmp_path).code == 0


@pytest.mark.parametrize("classes", [("5514", "7"), ("leaf", "flower")])
def test_folders_of_classes_with_xml_of_image_clef_are_read(classes: tuple[str, str], tmp_path: Path) -> None:
    for number, name in enumerate(classes):
        photos(tmp_path, f"in/{name}/{number}.jpg")
        write_files(tmp_path, {f"in/{name}/{number}.xml": _clef(f"{number}.jpg", "5514")})
    assert tfrec("convert", "in", "out", cwd=tmp_path).code == 0


def test_folders_of_images_with_boxes_of_dlib_are_no_classes(tmp_path: Path) -> None:
    photos(tmp_path / "in", "i/1.png", "i/2.png", "j/1.png")
    write_files(tmp_path, {"in/labels_train.xml": DLIB, "in/other.xml": "<dataset/>"})
    done = tfrec("convert", "in", "out", cwd=tmp_path)
    assert (done.code, "labels_train.xml tells of boxes" in done.err) == (2, True), done
    told = shell(
        done.err.partition("\n")[2].partition(" tells how")[0].strip().replace("OUTPUT_DIR", "out"), tmp_path
    )
    assert "make a CSV of it" in told.err
    crowds = "boxes to be ignored become boxes of a crowd"
    assert crowds in told.err
    write_files(tmp_path, {"plain.xml": DLIB.replace(" ignore='1'", "")})
    assert crowds not in tfrec("convert", "plain.xml", "out", cwd=tmp_path).err
    assert tfrec("convert", "in", "out", "--label-folder", "last", cwd=tmp_path).code == 0
    write_files(tmp_path, {"in/labels_train.xml": DLIB.replace("i/", "faces/")})  # of images elsewhere
    assert tfrec("convert", "in", "new", cwd=tmp_path).code == 0


def test_a_list_of_pascal_voc_leads_to_its_folder(tmp_path: Path) -> None:
    xml = "<annotation><object><name>cat</name><bndbox><xmin>9</xmin><ymin>5</ymin><xmax>40</xmax>"
    xml += "<ymax>20</ymax></bndbox></object></annotation>"
    photos(tmp_path, "VOC/JPEGImages/1.jpg")
    write_files(tmp_path, {"VOC/ImageSets/Main/train.txt": "1\n", "VOC/Annotations/1.xml": xml})
    done = tfrec("convert", "VOC/ImageSets/Main/train.txt", "out", cwd=tmp_path)
    assert done.code == 2
    command = done.err.partition("whose splits it tells: ")[2].strip().replace("OUTPUT_DIR", "out")
    assert command == "tfrec convert VOC out"
    assert shell(command, tmp_path).code == 0
    assert [boxes_of(values)[0][0] for values in records(tmp_path / "out").values()] == ["cat"]
    (tmp_path / "VOC/Annotations/1.xml").unlink()
    assert "Pascal VOC" not in tfrec("convert", "VOC/ImageSets/Main/train.txt", "new", cwd=tmp_path).err


def test_stems_and_flags_that_lead_to_no_image_keep_their_hint(tmp_path: Path) -> None:
    photos(tmp_path, "a.png")
    write_files(tmp_path, {"ImageSets/Main/cat_train.txt": "a -1\nb 1\n"})
    done = tfrec("convert", "ImageSets/Main/cat_train.txt", "out", cwd=tmp_path)
    assert "Pascal VOC" not in done.err
    assert "--delimiter" in done.err


@pytest.mark.parametrize(
    ("files", "images"),
    [
        ({"dataset.json": '{"labels": [["cat/1.png", 0], ["dog/1.png", 1]]}'}, ("cat/1.png", "dog/1.png")),
        ({"dataset.json": '{"labels": null}'}, ("cat/1.png", "dog/1.png")),
        ({"dataset.json": '{"name": "mine"}'}, NUMBERED),
        ({}, NUMBERED),
        ({"labels.json": '{"classes": ["a"], "labels": {"x": 0}}'}, ("cat/1.png", "dog/1.png")),
        ({"labels.json": '{"0": "cat", "1": "dog"}'}, ("data/cat/1.png", "data/dog/1.png")),
        (
            {"cat/1.json": '{"metadata": {"name": "1.png"}, "instances": 3}', "dog/1.json": '{"item": {}}'},
            ("cat/1.png", "dog/1.png"),
        ),
        ({"cat/Label/1.txt": "it sleeps\n", "dog/Label/1.txt": "dog 1 2 3\n"}, ("cat/1.png", "dog/1.png")),
        ({"cat/1.txt": "cat 1 2 3 4\n"}, ("cat/1.png", "dog/1.png")),
        ({"cat/label/1.txt": "cat 1 2 3 4\n"}, ("cat/1.png", "dog/1.png")),
        (
            {"labels.json": '{"classes": ["cat", "dog"], "labels": {"0": "cat", "1": "dog"}}'},
            ("data/cat/1.png", "data/dog/1.png"),
        ),
        (
            {"labels.json": r'{"classes": ["a"], "labels": {"\u0000/x": 0, "\ud800/x": 0}}'},
            ("data/cat/1.png", "data/dog/1.png"),
        ),
        ({"dataset.json": '{"labels": null}'}, ("00000/1.png", "00001/1.png")),
        ({"annotations/1.json": DARWIN}, ("cat/1.png", "dog/2.png")),
        ({"ann/1.png.json": '{"tags": [], "size": {}, "objects": []}'}, ("cat/1.png", "dog/2.png")),
        ({"annotations/1.jpg.txt": "2\n1 2 3 4\n"}, ("cat/1.jpg", "dog/2.jpg")),
    ],
    ids=["labels of classes", "no labels of classes", "other JSON", "numbers", "FiftyOne's without data",
         "names of classes", "JSON of images", "other texts", "beside", "OIDv4's in lower case",
         "FiftyOne's of ids", "no path", "numbers of classes", "V7 Darwin's",
         "Supervisely's without objects", "counted numbers"],
)  # fmt: skip
def test_folders_of_classes_with_files_that_look_alike_are_read(
    files: dict[str, str], images: tuple[str, ...], tmp_path: Path
) -> None:
    photos(tmp_path / "in", *images)
    write_files(tmp_path / "in", files)
    done = tfrec("convert", "in", "out", cwd=tmp_path)
    assert done.code == 0, done
    labels = [*manifest(tmp_path / "out")["labels"]]
    assert labels == sorted({Path(name).parent.name for name in images})


def test_points_of_supervisely_get_no_command_and_no_half_list(tmp_path: Path) -> None:
    photos(tmp_path, "in/img/1.png", "in/img/2.png")
    boxes, point = supervisely("train", [[8, 4], [40, 20]]), supervisely("train", [[8, 4]], "point")
    write_files(tmp_path / "in/ann", {"1.png.json": point, "2.png.json": point})
    told = convert_json("in", "out", cwd=tmp_path)["error"]["hint"]
    assert told == "that kind is not read: export it as COCO or Pascal VOC"
    write_files(tmp_path / "in/ann", {"1.png.json": boxes, "2.png.json": boxes})
    told = convert_json("in", "out", cwd=tmp_path)["error"]["hint"]
    write_files(tmp_path / "in/ann", {"2.png.json": point})
    done = shell(told.removeprefix("make a list of its boxes: ").partition("; then: ")[0], tmp_path)
    assert (done.code, (tmp_path / "in/list.csv").exists()) == (1, False)
    assert "no box: export it as COCO or Pascal VOC" in done.err


def test_images_of_wider_person_of_one_name_in_several_folders_are_not_guessed(tmp_path: Path) -> None:
    photos(tmp_path, "in/images/a/1.jpg", "in/images/a/2.jpg", "in/images/b/2.jpg")
    write_files(tmp_path / "in/annotations", {f"{i}.jpg.txt": "1\n1 8 4 40 20\n" for i in (1, 2)})
    told = convert_json("in", "out", cwd=tmp_path)["error"]["hint"]
    done = shell(told.removeprefix("make a list of its boxes: ").partition("; then: ")[0], tmp_path)
    assert (done.code, (tmp_path / "in/list.csv").exists()) == (1, False)
    assert "2.jpg.txt: 2 images called 2.jpg" in done.err


def test_images_of_oidv4_with_numbers_of_each_folder_are_not_one(tmp_path: Path) -> None:
    images = [("cat", 1), ("cat", 2), ("dog", 1), ("dog", 2), ("dog", 3), ("eel", 3)]
    photos(tmp_path / "in/train", *(f"{label}/{i}.jpg" for label, i in images))
    shutil.copy(tmp_path / "in/train/dog/3.jpg", tmp_path / "in/train/eel/3.jpg")
    for label, i in images:
        write_files(tmp_path, {f"in/train/{label}/Label/{i}.txt": f"{label} 8 4 40 20\n"})
    made = _run(tfrec("convert", "in", "out", cwd=tmp_path).err, "list.csv", tmp_path)
    assert tfrec("convert", made, "out", cwd=tmp_path).code == 0
    found = {
        name: [label for label, _ in boxes_of(values)] for name, values in records(tmp_path / "out").items()
    }
    assert found == {"train/cat/1.jpg": ["cat"], "train/cat/2.jpg": ["cat"], "train/dog/1.jpg": ["dog"],
                     "train/dog/2.jpg": ["dog"], "train/dog/3.jpg": ["dog", "eel"]}  # fmt: skip


@pytest.mark.parametrize("has_folders", [True, False])
def test_fiftyone_names_the_option_for_its_folders_where_it_has_some(
    has_folders: bool, tmp_path: Path
) -> None:
    path = "cat/1" if has_folders else "1"
    photos(tmp_path, f"in/data/{path}.png")
    write_files(tmp_path, {"in/labels.json": json.dumps({"classes": ["a"], "labels": {path: 0}})})
    done = tfrec("convert", "in", "out", "--task", "classification", cwd=tmp_path)
    assert (done.code, "a list of labels of FiftyOne" in done.err) == (2, True), done
    assert ("; --label-folder last takes the folders in data" in done.err) == has_folders
    assert not has_folders or tfrec("convert", "in", "out", "--label-folder", "last", cwd=tmp_path).code == 0


def test_actions_of_ava_get_a_header_and_then_paths(tmp_path: Path) -> None:
    photos(tmp_path, "f/-5KQ66BBWC4_0902.png", "f/-5KQ66BBWC4_0903.png")
    rows = [f"-5KQ66BBWC4,090{i},0.100,0.100,0.500,0.500,{9 + i},1\n" for i in (2, 3)]
    write_files(tmp_path, {"ava.csv": "".join(rows)})
    done = tfrec("convert", "ava.csv", "out", cwd=tmp_path)
    assert "a list of actions in videos of AVA" in done.err
    made = _run(done.err, "ava-as-csv.csv", tmp_path)
    told = tfrec("convert", made, "out", cwd=tmp_path).err
    assert 't["image"] = "f/" + t["video_id"].str.strip() + "_" + t["timestamp"].str.strip() + ".png"' in told
