"""XML of boxes, a file for each image, that is not Pascal VOC's: refused with the list of its boxes."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from boxing import boxes_of, photos, records
from converting import manifest, shell, tfrec
from foreign_files import write_files
from test_dataset_samples import plan_from

from tfrecordcli.errors import InputError


def _hrsc(*classes: int) -> str:
    """A file of HRSC2016."""
    objects = "".join(
        f"<HRSC_Object>\n<Class_ID>{number}</Class_ID>\n<difficult>0</difficult>\n<box_xmin>8</box_xmin>\n"
        "<box_ymin>4</box_ymin>\n<box_xmax>40</box_xmax>\n<box_ymax>20</box_ymax>\n<mbox_cx>24.5</mbox_cx>\n"
        "</HRSC_Object>\n"
        for number in classes
    )
    head = '<?xml version="1.0" encoding="utf-8"?>\n<HRSC_Image>\n<Img_FileName>1</Img_FileName>\n'
    return f"{head}<HRSC_Objects>\n{objects}</HRSC_Objects>\n</HRSC_Image>\n"


SYSTEM: Final = "<HRSC_SysData>" + "".join(
    f"<HRSC_Class><Class_ID>{number}</Class_ID><Class_Layer>2</Class_Layer><Class_Name>{name}</Class_Name>"
    "</HRSC_Class>"
    for number, name in ((100000002, "carrier"), (100000001, "ship"))
)
OTHER: Final = "<root><region points='1,2 3,4'/></root>"
SETS: Final = {"ImageSets/train.txt": "1\n", "ImageSets/test.txt": "2\n", "ImageSets/trainval.txt": "1\n"}
FULL: Final = ("FullDataSet/AllImages/1.png", "FullDataSet/AllImages/2.png", "FullDataSet/LandMask/1.png")
FILES: Final = {"FullDataSet/Annotations/1.xml": _hrsc(100000002), "FullDataSet/Annotations/2.xml": _hrsc()}
# Images, files, labels, and splits where they are told.
SHIPS: Final = {
    "HRSC2016": (
        FULL,
        {**FILES, **SETS, "FullDataSet/sysdata.xml": f"{SYSTEM}</HRSC_SysData>"},
        ["carrier"],
        {"train": 1, "test": 1},
    ),
    "its images alone": (
        ("AllImages/1.png", "AllImages/2.png"),
        {"Annotations/1.xml": _hrsc(100000002), "Annotations/2.xml": _hrsc(100000001)},
        ["100000001", "100000002"],
        None,
    ),
    "by splits": (
        ("Train/AllImages/1.png", "Test/AllImages/2.png"),
        {"Train/Annotations/1.xml": _hrsc(100000002), "Test/Annotations/2.xml": _hrsc(100000002)},
        ["100000002"],
        {"train": 1, "test": 1},
    ),
    "beside the images": (("1.png", "2.png"), {"1.xml": _hrsc(7), "2.xml": _hrsc()}, ["7"], None),
}


@pytest.mark.parametrize(("images", "files", "labels", "splits"), SHIPS.values(), ids=SHIPS)
def test_boxes_in_other_xml_become_a_list(
    images: tuple[str, ...],
    files: dict[str, str],
    labels: list[str],
    splits: dict[str, int] | None,
    tmp_path: Path,
) -> None:
    photos(tmp_path / "in", *images)
    write_files(tmp_path / "in", files)
    for options in ([], ["--format", "voc"]):
        error = tfrec("convert", "in", "out", *options, cwd=tmp_path).err
        assert "<HRSC_Image> with box_xmin, box_ymin, box_xmax, box_ymax), which are no Pascal VOC" in error
    command, _, then = (
        error.partition("list of its boxes: ")[2].partition("; --task")[0].partition("; then: ")
    )
    assert shell(command, tmp_path).code == 0
    assert shell(then.replace("OUTPUT_DIR", "out"), tmp_path).code == 0
    facts = manifest(tmp_path / "out")
    assert ([*facts["labels"]], facts["records"]) == (labels, 2)
    assert splits in (None, {name: split["records"] for name, split in facts["splits"].items()})
    found = {name.rpartition("/")[2]: values for name, values in records(tmp_path / "out").items()}
    assert [corners for _, corners in boxes_of(found["1.png"])] == [(8.0, 4.0, 40.0, 20.0)]


def test_lists_of_splits_beside_a_folder_of_boxes_in_xml_are_told_of(tmp_path: Path) -> None:
    photos(tmp_path, *FULL)
    write_files(tmp_path, {**FILES, **SETS})
    error = tfrec("convert", "FullDataSet", "out", cwd=tmp_path).err
    assert "; with the splits of ImageSets beside it: tfrec convert . OUTPUT_DIR tells how;" in error
    assert "splits of ImageSets" not in tfrec("convert", ".", "out", cwd=tmp_path).err


def test_other_boxes_in_xml_are_refused_without_a_command(tmp_path: Path) -> None:
    photos(tmp_path / "in", "pages/1.png", "pages/2.png")
    write_files(tmp_path / "in", {f"regions/{number}.xml": OTHER for number in (1, 2)})
    with pytest.raises(InputError, match="<root> with points") as caught:
        plan_from(str(tmp_path / "in"), tmp_path)
    assert caught.value.hint.startswith("write a CSV with a row for each box: image,xmin")


@pytest.mark.parametrize(
    ("images", "files"),
    [
        (("cat/1.png", "dog/2.png"), {"annotations/1.xml": OTHER}),
        (("cat/1.png", "dog/2.png"), {"annotations/1.xml": OTHER, "annotations/2.xml": OTHER}),
        (("cat/1.png", "dog/2.png"), {"cat/1.xml": OTHER, "dog/2.xml": OTHER}),
        (("cat/1.png", "cat/2.png", "cat/3.png"), {"annotations/1.xml": OTHER}),
        (("cat/1.png", "cat/2.png"), {f"meta/{n}.xml": "<meta><iso v='1'/></meta>" for n in (1, 2)}),
    ],
    ids=["one image", "of classes", "beside images of classes", "one of many", "metadata"],
)
def test_classes_beside_other_xml_are_read(
    images: tuple[str, ...], files: dict[str, str], tmp_path: Path
) -> None:
    photos(tmp_path / "in", *images)
    write_files(tmp_path / "in", files)
    assert plan_from(str(tmp_path / "in"), tmp_path).plan.num_labels == len({name[:3] for name in images})


def test_folders_of_pascal_voc_with_other_xml_are_not_called_that(tmp_path: Path) -> None:
    photos(tmp_path / "in", "JPEGImages/1.png")
    box = "<bndbox><xmin>8</xmin><ymin>4</ymin><xmax>40</xmax><ymax>20</ymax></bndbox>"
    voc = f"<annotation><filename>1.png</filename><object><name>cat</name>{box}</object></annotation>"
    write_files(tmp_path / "in", {"Annotations/1.xml": voc, "Raw/1.xml": OTHER})
    for form in ("auto", "voc"):
        assert (
            "read as a folder of Pascal VOC"
            in tfrec("convert", "in", "out", "--format", form, cwd=tmp_path).err
        )


_RECT: Final = "<rect><x>8</x><y>4</y><w>32</w><h>16</h></rect>"
_BOX: Final = "<box><left>8</left><top>4</top><right>40</right><bottom>20</bottom></box>"
_ANY: Final = {
    "elements": f"<doc><file>1.png</file><obj><cls>cat</cls>{_RECT}</obj></doc>",
    "attributes": "<a><obj class='cat'><box left='8' top='4' width='32' height='16'/></obj></a>",
    "attributes alone": "<a>" + "<item label='cat' x='8' y='4' width='32' height='16'/>" * 2 + "</a>",
    "a class above": f"<image><name>1.png</name><label>cat</label>{_RECT}{_RECT}</image>",
    "as Pascal VOC": f"<annotation><owner>me</owner><object><class>cat</class>{_BOX}</object></annotation>",
    "as Pascal VOC but for one name": "<annotation><object><name>cat</name><bbox><xmin>8</xmin><ymin>4</ymin>"
    "<xmax>40</xmax><ymax>20</ymax></bbox></object></annotation>",
}


@pytest.mark.parametrize("text", _ANY.values(), ids=_ANY)
def test_boxes_of_known_names_in_any_xml_become_a_list(text: str, tmp_path: Path) -> None:
    photos(tmp_path / "in", "1.png", "2.png")
    write_files(tmp_path / "in", {"1.xml": text, "2.xml": text.replace("cat", "dog")})
    error = tfrec("convert", "in", "out", cwd=tmp_path).err
    assert "XML files that are called like the images tell of boxes in them" in error
    command, _, then = (
        error.partition("list of its boxes: ")[2].partition("; --task")[0].partition("; then: ")
    )
    assert shell(command, tmp_path).code == 0
    assert shell(then.replace("OUTPUT_DIR", "out"), tmp_path).code == 0
    found = records(tmp_path / "out")
    assert {*boxes_of(found["1.png"])} == {("cat", (8.0, 4.0, 40.0, 20.0))}
    assert {name for name, _ in boxes_of(found["2.png"])} == {"dog"}


@pytest.mark.parametrize(
    "text",
    [
        "<meta><name>Canon</name><crop><x>1</x><y>2</y><width>100</width><height>90</height></crop></meta>",
        "<meta><size><width>100</width><height>90</height></size><type>photo</type></meta>",
        f"<!DOCTYPE a [<!ENTITY b 'c'>]><a><obj><cls>&b;</cls>{_RECT.replace('rect', 'area')}</obj></a>",
    ],
)
def test_four_numbers_of_an_image_in_xml_are_no_box_of_it(text: str, tmp_path: Path) -> None:
    photos(tmp_path / "in", "cat/1.png", "dog/2.png")
    write_files(tmp_path / "in", {"cat/1.xml": text, "dog/2.xml": text})
    assert plan_from(str(tmp_path / "in"), tmp_path).plan.num_labels == 2
    photos(tmp_path / "one", "1.png", "2.png")
    write_files(tmp_path / "one", {"1.xml": text, "2.xml": text})
    assert "tell of boxes" not in tfrec("convert", "one", "out", cwd=tmp_path).err
