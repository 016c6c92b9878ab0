"""Lists whose rows name further images: pairs are refused, of others is said that no record has them."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from boxing import photos
from converting import convert_json, shell
from misleading import rows

# Each image with two others, of which one is of the same person.
PEOPLE = [(i, (i + 1) % 4, 1) for i in range(4)] + [(i, (i + 2) % 4, 0) for i in range(4)]
OTHERS = [(i, j, int(i % 2 == j % 2)) for i in range(2) for j in range(2, 4)]


def pairs(form: str, of: list[tuple[int, int, int]] = PEOPLE) -> str:
    return "".join(form.format(a=a, b=b, same=same) + "\n" for a, b, same in of)


# list, options
PAIRS = {
    "without a header": (pairs("{a}.jpg,{b}.jpg,{same}"), "--label-type name"),
    "behind splits": (pairs("TRAIN,{a}.jpg,{b}.jpg,{same}"), ""),
    "parted by blanks": (pairs("{a}.jpg {b}.jpg {same}"), "--delimiter ' '"),
    "below names that are known": (f"image,other,label\n{pairs('{a}.jpg,{b}.jpg,{same}')}", ""),
    "below names that are not": (f"image_1,image_2,same\n{pairs('{a}.jpg,{b}.jpg,{same}')}", ""),
    "by --columns": (
        f"one,two,same\n{pairs('{a}.jpg,{b}.jpg,{same}')}",
        "--columns image_uri=one,label=same",
    ),
    "of two sets": (f"image,gallery,label\n{pairs('{a}.jpg,{b}.jpg,{same}', OTHERS)}", ""),
}


@pytest.mark.parametrize(("text", "options"), PAIRS.values(), ids=PAIRS)
def test_pairs_of_images_are_refused_with_the_command_for_their_images(
    text: str, options: str, tmp_path: Path
) -> None:
    photos(tmp_path, *(f"{i}.jpg" for i in range(4)))
    (tmp_path / "list.txt").write_text(text, encoding="utf-8")
    error = convert_json("list.txt", "out", *shlex.split(options), cwd=tmp_path)["error"]
    assert "its rows are pairs of images: 0.jpg is 1 with " in f"{error['message']}; {error['hint']}"
    assert "a record holds one image, and no label of a pair" in error["hint"]
    assert "--multi-label" not in error["hint"]
    command = error["hint"].partition("make a CSV of it: ")[2].partition(", and convert that")[0]
    assert shell(command, tmp_path).code == 0
    done = convert_json("list-as-csv.csv", "out", "--dry-run", "--unlabelled", "keep", cwd=tmp_path)
    assert (done["rows"], done["records"]) == (4, 4)


# header, form of the rows, options, what is said; nothing where all of it is empty
READ = {
    "thumbnails": ("image,small,label", "{i}.jpg,t{i}.png,{c}", "", "that small names, as t0.png: "),
    "files": ("image,reference,label", "{i}.jpg,of/{i}.jpg,{c}", "", "that reference names, as of/0.jpg: "),
    "both eyes in each row": ("image,right,label", "{i}.jpg,1.jpg,{c}", "", ""),
    "masks": ("image,mask,label", "{i}.jpg,m{i}.png,{c}", "", "mask names masks of segmentation, which are"),
    "old names": ("image,original_filename,label", "{i}.jpg,DSC{i}.JPG,{c}", "", ""),
    "with boxes": (
        "image,crop,label,xmin,ymin,xmax,ymax",
        "{i}.jpg,c{i}.png,{c},1,2,9,9",
        "",
        "none that crop names",
    ),
    "by --features": ("image,other,label", "{i}.jpg,{i}b.jpg,{c}", "--features other", ""),
    "all as features": ("image,other,label", "{i}.jpg,{i}b.jpg,{c}", "--features all", ""),
    "the image again": ("image,source,label", "{i}.jpg,C:\\in\\{i}.JPG,{c}", "", ""),
    "the image of an id": ("image,relative_path,label", "{i},in/{i}.jpg,{c}", "", ""),
    "where it came from": ("image,seen_at,label", "{i}.jpg,https://example.org/{i}b.jpg,{c}", "", ""),
    "no images": ("image,other,label", "{i}.jpg,{i}b.json,{c}", "", ""),
    "some of them": ("image,label,other\n9.jpg,cat,", "{i}.jpg,{c},{i}b.jpg", "", ""),
}  # fmt: skip


@pytest.mark.parametrize(("header", "form", "options", "said"), READ.values(), ids=READ)
def test_a_column_of_other_images_is_warned_of_and_the_list_read(
    header: str, form: str, options: str, said: str, tmp_path: Path
) -> None:
    photos(tmp_path, *(f"{i}.jpg" for i in range(4)), "of/0.jpg", "9.jpg", "t0.png", "c0.png")
    (tmp_path / "list.csv").write_text(f"{header}\n{rows(form, 4)}", encoding="utf-8")
    done = convert_json("list.csv", "out", "--dry-run", *shlex.split(options), cwd=tmp_path)
    assert done["records"] == 4 + header.count("\n")
    warnings = "; ".join(done["warnings"])
    assert said in warnings
    assert bool(said) == ("names masks" in warnings or "a record holds one image" in warnings), warnings


# list, what is said of its labels
OF_ONE = {
    "neighbours of an image, which has a label of its own": (pairs("{a}.jpg,{b}.jpg,cat"), ""),
    "a row of each object in an image": (
        pairs("{a}.jpg,{a}{b}.png,c{same}"),
        "--multi-label makes one record",
    ),
}


@pytest.mark.parametrize(("text", "said"), OF_ONE.values(), ids=OF_ONE)
def test_rows_of_one_image_with_others_may_tell_of_it_alone(text: str, said: str, tmp_path: Path) -> None:
    photos(tmp_path, *(f"{i}.jpg" for i in range(4)), "01.png")
    (tmp_path / "list.csv").write_text(f"image,other,label\n{text}", encoding="utf-8")
    done = convert_json("list.csv", "out", "--dry-run", *["--multi-label"][: bool(said)], cwd=tmp_path)
    assert (done["records"], done["merged"]) == (4, 4)
    assert "none that other names" in "; ".join(done["warnings"])
    done = convert_json("list.csv", "out", "--dry-run", cwd=tmp_path)
    assert said in "; ".join(done["warnings"])
