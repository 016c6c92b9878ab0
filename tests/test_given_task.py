"""A task that a source tells nothing for, given with `--task`: refused, and not passed over."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from boxing import HEIGHT, WIDTH, photo, photos, write
from converting import tfrec
from foreign_files import write_files
from joining import BOXES, convert, refused
from listing_json import write_json

COCO = {
    "images": [{"id": 1, "file_name": "a.png", "width": WIDTH, "height": HEIGHT}],
    "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 2, 30, 20]}],
    "categories": [{"id": 1, "name": "cat"}],
}


@pytest.mark.parametrize(
    ("task", "what"),
    [("classification", "labels of whole images"), ("regression", "numbers of whole images")],
)
def test_boxes_in_json_are_for_no_other_task(tmp_path: Path, task: str, what: str) -> None:
    photos(tmp_path, "a.png")
    write_json(tmp_path, COCO)
    message = refused("a.json", "--task", task, cwd=tmp_path)
    assert f"a.json: --task {task} is for {what}, and this tells boxes" in message
    assert convert("a.json", "--task", "detection", cwd=tmp_path)["records"] == 1


def test_labels_of_images_are_no_boxes(tmp_path: Path) -> None:
    photos(tmp_path, "a.png")
    (tmp_path / "folders" / "cat").mkdir(parents=True)
    photo(tmp_path / "folders" / "cat" / "b.png")
    write(tmp_path, '{"file_name": "a.png", "label": "cat"}\n', "a.jsonl")
    for source in ("a.jsonl", "folders"):
        message = refused(source, "--task", "detection", cwd=tmp_path)
        assert f"{source}: --task detection is for boxes, and this tells labels of whole images" in message
    assert convert("a.jsonl", "--task", "classification", cwd=tmp_path)["records"] == 1
    assert convert("folders", "--task", "classification", "--overwrite", cwd=tmp_path)["records"] == 1


_XML = "<bndbox><xmin>8</xmin><ymin>4</ymin><xmax>40</xmax><ymax>20</ymax></bndbox>"
_VOC = {"{}.xml": f"<annotation><object><name>cat</name>{_XML}</object></annotation>"}
_YOLO = {"{}.txt": "0 0.5 0.5 0.4 0.4\n", "classes.txt": "cat\n"}


@pytest.mark.parametrize(
    ("files", "says"),
    [(_VOC, ""), (_YOLO, ""), (_VOC | _YOLO, "--format voc or"), ({"{}.txt": "a cat\n"}, "is for boxes")],
    ids=["VOC", "YOLO", "both", "texts"],
)
def test_boxes_beside_images_of_classes_are_read_for_their_task(
    files: dict[str, str], says: str, tmp_path: Path
) -> None:
    images = ("cat/1", "dog/2")
    photos(tmp_path, *(f"in/{image}.png" for image in images))
    write_files(tmp_path / "in", {name.format(image): files[name] for image in images for name in files})
    told = convert("in", "--dry-run", cwd=tmp_path)
    assert (told["records"], told["num_labels"]) == (2, 2)
    if says:
        assert says in refused("in", "--task", "detection", cwd=tmp_path)
        return
    done = convert("in", "--task", "detection", cwd=tmp_path)
    assert (done["records"], done["boxes"]["stored"], done["num_labels"]) == (2, 2, 1)


def test_images_without_labels_beside_boxes_are_told_as_of_another_kind(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    write_json(tmp_path, COCO)
    write(tmp_path, '{"file_name": "b.png"}\n', "b.jsonl")
    message = refused("a.json", "b.jsonl", "--task", "detection", "--unlabelled", "keep", cwd=tmp_path)
    assert "a.json is a list of boxes, b.jsonl is none\n       convert them apart\n" in message
    write(tmp_path, '{"file_name": "a.png"}\n', "c.jsonl")
    both = ("b.jsonl", "c.jsonl", "--unlabelled", "keep")
    assert "--task detection is for boxes" in refused(*both, "--task", "detection", cwd=tmp_path)


def test_records_are_read_for_the_task_that_is_given(tmp_path: Path) -> None:
    photos(tmp_path, "a.png")
    write(tmp_path, f"{BOXES}a.png,dog,8,4,40,20\n", "boxes.csv")
    convert("boxes.csv", cwd=tmp_path)
    run = tfrec("convert", "out", "labels", "--task", "classification", cwd=tmp_path)
    assert (run.code, "--task is not used" in run.err) == (0, False)
    run = tfrec("convert", "out", "rows", "--task", "tabular", cwd=tmp_path)
    assert "this is TFRecords\n" in run.err
    assert "or give the table that they were made of\n" in run.err


@pytest.mark.parametrize("said", [("--task", "classification"), ("--columns", "image_uri=image,label=label")])
def test_texts_of_boxes_beside_labels_are_passed_over_where_it_is_said(
    said: tuple[str, str], tmp_path: Path
) -> None:
    photos(tmp_path, "a.png")
    text = "<loc0100><loc0100><loc0200><loc0200> cat"
    write(tmp_path, json.dumps({"image": "a.png", "label": "cat", "suffix": text}) + "\n", "a.jsonl")
    assert "; --task classification takes whole images" in refused("a.jsonl", cwd=tmp_path)
    assert convert("a.jsonl", *said, cwd=tmp_path)["records"] == 1


def test_only_a_table_can_do_without_its_boxes(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    write(tmp_path, "image,label\nb.png,x\n", "labels.csv")
    write(tmp_path, f"{BOXES}a.png,dog,8,4,40,20\n", "boxes.csv")
    write_json(tmp_path, COCO)
    assert "--task classification" in refused("train=labels.csv", "test=boxes.csv", cwd=tmp_path)
    message = refused("train=labels.csv", "test=a.json", cwd=tmp_path)
    assert "a.json is a list of boxes, labels.csv is none" in message
    assert "--task" not in message
    assert (
        convert("train=labels.csv", "test=boxes.csv", "--task", "classification", cwd=tmp_path)["records"]
        == 2
    )
