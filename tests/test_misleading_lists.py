"""Lists that look like what is refused and are none: they are read, and no advice harms them."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from converting import tfrec

TABLE = "--task tabular"


def rows(form: str, count: int = 8) -> str:
    """Rows in which `{i}` is the number of the row, and `{c}` one of two words."""
    return "".join(form.format(i=i, c=f"c{i % 2}") + "\n" for i in range(count))


SIDES = ("left", "top", "right", "bottom")
TWO_CORNERS = ("x_min", "y_min", "x_max", "y_max")


def four(word: str, sides: tuple[str, ...] = SIDES) -> str:
    return ",".join(f"{word}_{side}" for side in sides)


PHOTOS = "image,label,"
EIGHT = rows("{i}.jpg,{c},1,2,3,4,5,6,7,8")
# name -> (list, options)
READ: dict[str, tuple[str, str]] = {
    "no value in brackets": (
        "id,w,h,label\ns0,(null),(null),a\n" + rows("s{i},{i}.5,{i},{c}"),
        f"{TABLE} --na '(null)'",
    ),
    "no value beside a date": (
        "day,w,h,label\n2020-01-01,(null),(null),up\n" + rows("2020-02-0{i},{i}.5,{i},{c}"),
        TABLE,
    ),
    "words for no value": ("w,h,label\nNA,none,c0\n" + rows("{i},{i}.5,{c}"), f"{TABLE} --na NA,none"),
    "a mark and a word for no value": ("w,h,label\n?,unknown,c0\n" + rows("{i},{i}.5,{c}"), TABLE),
    "none in brackets": ("w,h,label\n(none),,c0\n" + rows("{i},{i}.5,{c}"), TABLE),
    "other brackets, and all the same": ("w,h,label\n(leer),(leer),c0\n" + rows("{i},{i}.5,{c}"), TABLE),
    "yes above 0 and 1": ("w,h,label\ntrue,yes,c0\n" + rows("0,1,{c}"), TABLE),
    "letters of grades": ("w,h,label\nA,K,c0\n" + rows("{i},{i}.5,{c}"), TABLE),
    "a header of words, as --columns says": (
        "p,x,s\n" + "p,x,s\ne,y,t\ne,x,s\np,y,t\n" * 2,
        f"{TABLE} --columns label=p",
    ),
    "margins": (f"{PHOTOS}{four('margin')},{four('pad')}\n{EIGHT}", ""),
    "sensors": (f"{PHOTOS}{four('acc', TWO_CORNERS)},{four('gyro', TWO_CORNERS)}\n{EIGHT}", ""),
    "where people look": (f"{PHOTOS}{four('fix', tuple('xywh'))},{four('gaze', tuple('xywh'))}\n{EIGHT}", ""),
    "sides as features": (
        f"{PHOTOS}{four('front', tuple('xywh'))},{four('rear', tuple('xywh'))}\n{EIGHT}",
        "--features all",
    ),
    "some sides as features": (
        f"{PHOTOS}{four('a', tuple('xywh'))},{four('b', tuple('xywh'))}\n{EIGHT}",
        "--features b_x,b_y,b_w,b_h",
    ),
    "a box for its id": (f"{PHOTOS}box_id\n" + rows('{i}.jpg,{c},"1 2 3 {i}"'), ""),
    "lengths of a box": (f"{PHOTOS}box_dims\n" + rows('{i}.jpg,{c},"1 2 3 {i}"'), ""),
    "a rectangle of text": (f"{PHOTOS}text_rect\n" + rows('{i}.jpg,{c},"1 2 3 {i}"'), ""),
    "a place on earth": (f"{PHOTOS}geometry\n" + rows('{i}.jpg,{c},"-122.4 37.7 -122.3 37.8"'), ""),
    "boxes as features": (f"{PHOTOS}rect\n" + rows('{i}.jpg,{c},"1 2 3 {i}"'), "--features rect"),
    "labels that are words of splits, by their column": (
        "image,part\n" + rows("{i}.jpg,train") + rows("t{i}.jpg,test"),
        "--columns label=part",
    ),
    "labels that are words of splits, by the task": (
        "image,label\n" + rows("{i}.jpg,train") + rows("t{i}.jpg,test"),
        "--task classification",
    ),
}


@pytest.mark.parametrize(("text", "options"), READ.values(), ids=READ)
def test_what_looks_like_it_and_is_none_is_read(text: str, options: str, tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text(text, encoding="utf-8")
    done = tfrec("plan", "list.csv", "out", *shlex.split(options), cwd=tmp_path)
    said = f"{done.out}{done.err}"
    for words in ("are they units", "no header", "several boxes", "is none of those", "words of splits"):
        assert words not in said, said
    assert "line 2" not in said, said


BOXES = "image,xmin,ymin,xmax,ymax,"
# name -> what is said
HELD: dict[str, tuple[str, str]] = {
    f"boxes called {name}": (f"{PHOTOS}{name}\n" + rows('{i}.jpg,{c},"10,10,60,9{i}"'), "holds boxes")
    for name in ("bbox_ltrb", "bbox_norm", "head_bbox", "car_bboxes")
} | {
    "two animals": (
        f"{PHOTOS}{four('mouse', TWO_CORNERS)},{four('cat', TWO_CORNERS)}\n{EIGHT}",
        "several boxes",
    ),
    "labels of boxes": (f"{BOXES}kind\n" + rows("{i}.jpg,1,2,30,40,{c}cat"), "--columns label=kind"),
}


@pytest.mark.parametrize(("text", "words"), HELD.values(), ids=HELD)
def test_boxes_and_their_labels_under_other_names_are_not_passed_over(
    text: str, words: str, tmp_path: Path
) -> None:
    (tmp_path / "list.csv").write_text(text, encoding="utf-8")
    done = tfrec("plan", "list.csv", "out", cwd=tmp_path)
    assert done.code == 2
    assert words in done.err


@pytest.mark.parametrize("name", ["gender", "occlusion", "shape_type", "annotated_by", "camera_name"])
def test_words_about_boxes_are_no_labels(name: str, tmp_path: Path) -> None:
    text = f"{BOXES}{name}\n" + rows("{i}.jpg,1,2,30,40,{c}cat") + rows("{i}.jpg,3,4,20,30,dog")
    (tmp_path / "list.csv").write_text(text, encoding="utf-8")
    assert "all boxes are of one class" in tfrec("plan", "list.csv", "out", cwd=tmp_path).err


UNITS = {
    "two": ("w,h,label\ncm,years,-\n", "2d"),
    "beside one that is not known": ("age,income,label\nyears,kUSD,class\n", "2d"),
    "beside no value": ("w,h,d,label\nkg/m³,NA,°C,\n", "2d"),
    "in brackets": ("w,h,label\n(count),[AU],\n", "2d"),
    "below a blank line": ("w,h,label\n\n[mm],[mm],\n\n", "3,4d"),
}


@pytest.mark.parametrize(("head", "lines"), UNITS.values(), ids=UNITS)
def test_units_are_left_out_where_they_stand(head: str, lines: str, tmp_path: Path) -> None:
    numbers = "{i}," * (head.count(",", 0, head.index("label")) - 1) + "{i}.5,{c}"
    (tmp_path / "list.csv").write_text(head + rows(numbers), encoding="utf-8")
    done = tfrec("convert", "list.csv", "out", *shlex.split(TABLE), "--dry-run", cwd=tmp_path)
    assert done.code == 2
    command = f"sed {lines} list.csv > list-without-units.csv"
    assert command in done.err
    subprocess.run(["bash", "-c", command], cwd=tmp_path, check=True)
    kept = (tmp_path / "list-without-units.csv").read_text(encoding="utf-8")
    assert kept.endswith(rows(numbers))
    assert len(kept) < len(head + rows(numbers))
    assert tfrec("convert", "list-without-units.csv", "out", *shlex.split(TABLE), cwd=tmp_path).code == 0


@pytest.mark.parametrize(("others", "rejected"), [("no,yes\nno,no\nyes,yes\n", 0), ("1,yes\n2,no\n", 1)])
def test_a_row_of_a_table_is_the_header_again_only_beside_numbers(
    others: str, rejected: int, tmp_path: Path
) -> None:
    (tmp_path / "list.csv").write_text(f"yes,no\n{others}yes,no\n" + others * 3, encoding="utf-8")
    words = shlex.split(f"{TABLE} --columns label=no --max-rejects 1 --json")
    done = tfrec("convert", "list.csv", "out", *words, cwd=tmp_path)
    assert done.json["rejected"] == rejected
    assert bool(re.search("repeated_header", done.out)) is bool(rejected)


def test_lists_of_zeros_and_ones_without_brackets_are_labels_as_the_hint_says(tmp_path: Path) -> None:
    lists = ("[1, 0, 0]", "[0, 1, 0]", "[0, 0, 1]", "[1, 0]")
    for name in ("list.csv", "bare.csv"):
        fields = (text if name == "list.csv" else text.strip("[]") for text in lists)
        text = "".join(f'{i}.jpg,"{field}"\n' for i, field in enumerate(fields))
        (tmp_path / name).write_text(f"image,label\n{text}", encoding="utf-8")
    assert "--label-separator ," in tfrec("convert", "list.csv", "out", "--dry-run", cwd=tmp_path).err
    done = tfrec("convert", "bare.csv", "out", "--dry-run", "--label-separator", ",", cwd=tmp_path)
    assert "2 label ids: 0, 1" in done.out
