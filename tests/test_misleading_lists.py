"""Lists that look like what is refused and are none: they are read, and no advice harms them."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from boxing import photos
from converting import convert_json, shell, tfrec
from misleading import EIGHT, PHOTOS, TABLE, TWO_CORNERS, four, rows

PRODUCTS = "image,label\n" + "".join(
    f"{i}.jpg,Coca Cola Zero Sugar size {c}\n" for i, c in enumerate("abcdef")
)
# name -> (list, options)
READ: dict[str, tuple[str, str]] = {
    "no value in brackets": (
        "id,w,h,label\ns0,(null),(null),a\n" + rows("s{i},{i}.5,{i},{c}"),
        f"{TABLE} --na '(null)'",
    ),
    "names and numbers": (f"image,label\n{rows('{i}.jpg,{c}:1')}", ""),
    "a score in some labels": (f"image,label\n0.jpg,c0:1 c1:0\n{rows('{i}.jpg,{c}')}", ""),
    "times of day": (f"image,label\n{rows('{i}.jpg,0{i}:30 10:15')}", ""),
    "pairs that are labels": (f"image,label\n{rows('{i}.jpg,size:{i} kind:1')}", "--label-type name"),
    "a number behind a column of no images": (f"image,label,image.1\n{rows('{i}.jpg,{c},{i}')}", ""),
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
    "long names of classes": ("image,label\n" + rows("{i}.jpg,the red {c} of the far north"), ""),
    "another name in each row": ("image,label\n" + rows("{i}.jpg,house number {i}"), ""),
    "tags between commas": (
        'image,label\n0.jpg,"red cat, dog, old tree, sky, sea"\n1.jpg,"house, road, a car, lamp"\n'
        '2.jpg,"man, hat, coat, street, bus"\n',
        "",
    ),
    "sentences that are labels by their list": (
        "image,label\n" + rows("{i}.jpg,a {c} sits on mat number {i}"),
        "--label-type name",
    ),
    "names with signs for blanks": (
        "image,label\n" + rows("{i}.jpg,0000{i}_Animalia_Chordata_Aves_Passeriformes_Thraupidae_s{c}"),
        "",
    ),
    "diseases of plants": (
        "image,label\n0.jpg,Tomato___Tomato_Yellow_Leaf_Curl_Virus\n"
        "1.jpg,Corn_(maize)___Cercospora_leaf_spot Gray_leaf_spot\n"
        "2.jpg,Cherry_(including_sour)___Powdery_mildew\n",
        "",
    ),
    "names of products, by their column": (PRODUCTS, "--columns label=label"),
    "names of products, by the task": (PRODUCTS, "--task classification"),
    "a label that comes again in one row of many": (
        "image,label_1,label_2\nx.jpg,c0,c0\n" + rows("{i}.jpg,{c},d", 12),
        "",
    ),
    "labels that come again, by their columns": (
        "image,label_1,label_2\n" + rows("{i}.jpg,{c},{c}"),
        "--columns label=label_1,label=label_2",
    ),
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
    for words in (
        "are they units",
        "no header",
        "several boxes",
        "is none of those",
        "words of splits",
        "have one again",
        "sentences",
        "is it a title",
    ):
        assert words not in said, said
    assert "line 2" not in said, said


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("{here}/{folder}/{i}.png", ""),
        ("{folder}%2F{i}.png", "file found only as a URL is decoded"),
        ("{i}.png", "has the same names for images in several folders"),
    ],
)
def test_names_with_their_folders_may_come_again(path: str, said: str, tmp_path: Path) -> None:
    photos(tmp_path, *(f"{folder}/{i}.png" for folder in "ab" for i in range(2)))
    names = [(folder, i) for folder in "ab" for i in range(2) for _ in range(2)]
    text = "".join(
        f"{path.format(here=tmp_path.as_uri(), folder=folder, i=i)},{folder},{i}\n" for folder, i in names
    )
    (tmp_path / "list.csv").write_text(f"image,label,frame\n{text}", encoding="utf-8")
    done = convert_json("list.csv", "out", "--splits", "train=1", cwd=tmp_path)
    if said:
        assert said in done["error"]["message"]
    else:
        assert (done["records"], done["merged"]) == (4, 4)


# files, folder of each row, whether the names are taken as they are
IN_FOLDERS = {
    "dots": (["{i}.png"], ["."] * 4, True),
    "slashes": (["{i}.png"], ["/"] * 4, True),
    "one copy": (["{i}.png", "a/2.png"], ["old", "old", "a", "old"], True),
    "copies": (["{i}.png", "a/{i}.png"], ["a"] * 4, True),
    "folders": (["a/{i}.png", "b/{i}.png"], ["a", "b", "a", "b"], False),
    "a name of two folders": (["{i}.png", "a/{i}.png"], ["", "/a", "/a", "/a"], False),
}


@pytest.mark.parametrize(("files", "folders", "is_read"), IN_FOLDERS.values(), ids=IN_FOLDERS)
def test_folders_beside_names_count_where_files_are_in_them(
    files: list[str], folders: list[str], is_read: bool, tmp_path: Path
) -> None:
    photos(tmp_path, *dict.fromkeys(file.format(i=i) for file in files for i in range(4)))
    names = [0, 0, 2, 3] if folders[0] == "" else range(4)
    text = "".join(f"{i}.png,{folder},c{i % 2},\n" for i, folder in zip(names, folders, strict=True))
    (tmp_path / "list.csv").write_text(f"File,RelativePath,Species,part\n{text}", encoding="utf-8")
    words = ("--columns", "label=Species,split=part", "--splits", "train=1", "--max-rejects", "100%")
    done = convert_json("list.csv", "out", *words, cwd=tmp_path)
    if is_read:
        assert done["records"] == 4
        return
    hint = done["error"]["hint"]
    assert "--columns image_uri=File,label=Species,split=part takes File alone" in hint
    command = hint[hint.index("python -c ") :].partition("; --columns")[0]
    assert shell(command, tmp_path).code == 0
    done = convert_json("list-with-paths.csv", "out", *words, cwd=tmp_path)
    assert (done["records"], done["rejected"]) == (4, 0)
