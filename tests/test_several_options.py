"""What is given for several sources: splits, options and formats of each."""

from __future__ import annotations

from pathlib import Path

import pytest
from boxing import boxes_of, photos, records, write
from converting import manifest, shell, tfrec
from following import OF_NO_CLASSES, Person, follow
from joining import BOXES, convert, refused, splits_of

import tfrecordcli
from tfrecordcli.errors import UsageError
from tfrecordcli.sources.given import GivenSource, given_sources

# --- what is given ---


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("train=a.csv", GivenSource("a.csv", "train")),
        ("VAL=gs://bucket/a.csv", GivenSource("gs://bucket/a.csv", "validation")),
        ("test=-", GivenSource("-", "test")),
        ("date=2024/a.csv", GivenSource("date=2024/a.csv")),
        ("./train=a.csv", GivenSource("./train=a.csv")),
        ("https://host/a.csv?split=train", GivenSource("https://host/a.csv?split=train")),
        ("discard=a.csv", GivenSource("discard=a.csv")),
        ("=a.csv", GivenSource("=a.csv")),
    ],
)
def test_a_prefix_counts_when_it_is_a_split_word(text: str, found: GivenSource) -> None:
    assert given_sources([text]) == (found,)


def test_python_gives_sources_by_split() -> None:
    assert given_sources({"train": ["a", "b"], "val": "c=d"}) == (
        GivenSource("a", "train"),
        GivenSource("b", "train"),
        GivenSource("c=d", "validation"),
    )
    with pytest.raises(UsageError, match="'images' is no split"):
        given_sources({"images": "a"})
    with pytest.raises(UsageError, match="no source"):
        given_sources([])


def test_a_name_that_can_be_both_is_refused_with_both_ways_to_write_it(tmp_path: Path) -> None:
    photos(tmp_path, "a.png")
    write(tmp_path, "image,label\na.png,x\n", "a.csv")
    write(tmp_path, "image,label\na.png,y\n", "train=a.csv")
    err = refused("train=a.csv", cwd=tmp_path)
    assert "./train=a.csv" in err
    assert "train=./a.csv" in err
    convert("./train=a.csv", cwd=tmp_path)
    assert manifest(tmp_path / "out")["labels"] == {"y": 0}
    convert("train=./a.csv", "--overwrite", cwd=tmp_path)
    assert manifest(tmp_path / "out")["labels"] == {"x": 0}
    (tmp_path / "a.csv").unlink()
    convert("train=a.csv", "--overwrite", cwd=tmp_path)
    assert manifest(tmp_path / "out")["labels"] == {"y": 0}


def test_a_prefix_without_a_source_and_standard_input_twice_are_refused(tmp_path: Path) -> None:
    assert "no source after train=" in refused("train=", cwd=tmp_path)
    assert "standard input is given twice" in refused("train=-", "test=-", cwd=tmp_path)


# --- options of one source ---


def test_options_for_the_sources_of_a_split(tmp_path: Path) -> None:
    photos(tmp_path / "p", "a.png")
    photos(tmp_path / "q", "b.png")
    write(tmp_path, "Picture;Kind\na.png;ä\n", "one.csv").write_bytes(
        "Picture;Kind\na.png;ä\n".encode("cp1252")
    )
    write(tmp_path, "image,label\nb.png,x\n", "two.csv")
    options = "--columns train=image_uri=Picture,label=Kind --encoding train=cp1252 --delimiter train=;"
    roots = ("--image-root", "p", "--image-root", "test=q")
    convert("train=one.csv", "test=two.csv", *options.split(), *roots, cwd=tmp_path)
    assert manifest(tmp_path / "out")["labels"] == {"x": 0, "ä": 1}
    assert records(tmp_path / "out").keys() == {"p/a.png", "q/b.png"}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("--image-root val=q", "no source is for validation"),
        ("--image-root p --image-root q", "--image-root is given more than once: p, q"),
        ("--image-root train=p --image-root train=q", "--image-root is given more than once for train"),
        ("--box-format train=corners", "--box-format must be one of"),
        ("--encoding train=klingon", "--encoding"),
    ],
)
def test_options_of_one_source_that_cannot_be_right(tmp_path: Path, options: str, told: str) -> None:
    photos(tmp_path, "a.png")
    write(tmp_path, "image,label\na.png,x\n")
    assert told in refused("train=list.csv", *options.split(), cwd=tmp_path)


_ROWS = "Datei;Diagnose\nb.png;y\nc.png;y\nd.png;z\n"
OTHERS = {"en": "image,label\na.png,x\n", "de": _ROWS, "same": _ROWS}
NAMED = "--columns image_uri=Datei,label=Diagnose"


@pytest.mark.parametrize(
    ("sources", "options", "told"),
    [
        ("train=en.csv val=de.csv", "", "for it alone: --columns validation=image_uri=Datei,label=Diagnose"),
        ("train=en.csv val=de.csv", NAMED, "for it alone: --columns train=image_uri=image,label=label"),
        # One option does for all, or for none.
        ("de.csv same.csv", "", f"name the columns, as in {NAMED} ("),
        ("train=de.csv val=same.csv", "", f"name the columns, as in {NAMED} ("),
        ("en.csv de.csv", "--columns label=Diganose", "write the name as the header has it\n"),
    ],
)
def test_columns_of_one_source_are_named_for_it_alone(
    tmp_path: Path, sources: str, options: str, told: str
) -> None:
    for name, text in OTHERS.items():
        write(tmp_path, text, f"{name}.csv")
    photos(tmp_path, *(f"{name}.png" for name in "abcd"))
    error = refused(*sources.split(), *options.split(), cwd=tmp_path)
    assert told in error
    if "for it alone: " in error:
        option = error.rpartition("for it alone: ")[2].partition(" (")[0].split()
        convert(*sources.split(), *options.split(), *option, cwd=tmp_path)
        assert manifest(tmp_path / "out")["labels"] == {"x": 0, "y": 1, "z": 2}


def test_columns_that_were_given_for_one_source_are_those_of_another_that_has_them(tmp_path: Path) -> None:
    text = "caption,img,emotion\nA dog in the yard,{0}.png,sad\nA cat on the sofa,{1}.png,glad\n"
    photos(tmp_path, *(f"{name}.png" for name in "abcd"))
    write(tmp_path, text.format("a", "b"), "train.csv")
    write(tmp_path, text.format("c", "d"), "val.csv")
    options = ["train=train.csv", "val=val.csv", "--columns", "train=image_uri=img,label=emotion"]
    way = "--columns validation=image_uri=img,label=emotion"
    assert f"with the columns of train: {way}" in refused(*options, cwd=tmp_path)
    assert convert(*options, *way.split(), cwd=tmp_path)["records"] == 4


@pytest.mark.parametrize(
    ("paths", "places"),
    [
        ("/data/old/images/{}.png", "{split}/images/{}.png"),
        ("images/{}.png", "all/images/{}.png"),
        ("{}", "pictures/{:0>5}.png"),
        ("{}", "{split}/photos/{:0>5}.png"),
    ],
    ids=["another machine's", "one folder off", "numbers", "numbers of each split"],
)
def test_what_leads_to_the_images_of_all_lists_is_said_once(paths: str, places: str, tmp_path: Path) -> None:
    numbers = {"train": (11, 12, 13), "val": (21, 22, 23)}
    for split, some in numbers.items():
        rows = "".join(f"{paths.format(number)},{'ab'[number % 2]}\n" for number in some)
        (tmp_path / split).mkdir()
        write(tmp_path / split, f"image,label\n{rows}", "list.csv")
        for number in some:
            path = tmp_path / places.format(number, split=split)
            path.parent.mkdir(parents=True, exist_ok=True)
            photos(path.parent, path.name)
    end = follow(
        Person(lambda done, _: "right" if done["records"] == 6 else "wrong", OF_NO_CLASSES),
        tmp_path,
        ("train=train/list.csv", "val=val/list.csv"),
    )
    assert end.judgement == "right", end
    assert len(end.steps) <= 2, end


def test_one_source_has_all_ways_that_it_has_without_others(tmp_path: Path) -> None:
    ages = {str(number): 100 + 7 * (number % 8) for number in range(20, 36)}
    photos(tmp_path, "13.png", *(f"{number}.png" for number in ages))
    rows = (f"{number},{age},True\n" for number, age in ages.items())
    write(tmp_path, f"id,age,male\n{''.join(rows)}", "a.csv")
    write(tmp_path, "Image ID,male,Age (months)\n13,TRUE,42.5\n", "b.csv")
    given = ["train=a.csv", "val=b.csv"]
    error = refused(*given, cwd=tmp_path)
    option = "--columns train=image_uri=id,label=age --task regression"
    assert f"where age is to be predicted (100 to 149 in 16 rows), {option}" in error
    given += option.split()
    assert "for it alone: --columns 'validation=image_uri=Image ID,label=" in refused(*given, cwd=tmp_path)
    convert(*given, "--columns", "validation=image_uri=Image ID,label=Age (months)", cwd=tmp_path)
    found = {name: values["image/target"] for name, values in records(tmp_path / "out").items()}
    assert found == {"13.png": [42.5], **{f"{number}.png": [age] for number, age in ages.items()}}


@pytest.mark.parametrize("options", ["", NAMED, "--delimiter ; --encoding cp1252"])
def test_columns_of_one_source_without_a_split_are_renamed_beside_it(tmp_path: Path, options: str) -> None:
    for name in ("en", "de"):
        text = OTHERS[name].replace("Diagnose\n", "Diagnose;Größe\n") if "cp1252" in options else OTHERS[name]
        text = text.replace(",", ";") if "cp1252" in options else text
        write(tmp_path, "", f"{name}.csv").write_bytes(text.encode("cp1252"))
    photos(tmp_path, *(f"{name}.png" for name in "abcd"))
    error = refused("en.csv", "de.csv", *options.split(), cwd=tmp_path)
    _, _, hint = error.partition("for it alone, make a CSV of it: ")
    command, _, _ = hint.partition("; then give that in its place")
    assert shell(command, tmp_path).code == 0
    made = command.rpartition(" > ")[2]
    other = {"en-as-csv.csv": "de.csv", "de-as-csv.csv": "en.csv"}[made]
    convert(made, other, *options.split(), cwd=tmp_path)
    assert manifest(tmp_path / "out")["labels"] == {"x": 0, "y": 1, "z": 2}


def test_a_list_to_be_made_of_one_source_is_given_in_its_place(tmp_path: Path) -> None:
    write(tmp_path, "image,label\na.png,x\nb.png,y\n", "first.csv")
    write(tmp_path, "image,label,\nc.png,x,7\nd.png,y,8\n", "second.csv")
    photos(tmp_path / "p", *(f"{name}.png" for name in "abcd"))
    error = refused("train=first.csv", "test=second.csv", "--image-root", "p", cwd=tmp_path)
    command, _, then = error.partition(" of it: ")[2].partition("; then: ")
    assert then.startswith("tfrec convert train=first.csv test=second-as-csv.csv OUTPUT_DIR --image-root p; ")
    assert shell(command, tmp_path).code == 0
    convert("train=first.csv", "test=second-as-csv.csv", "--image-root", "p", cwd=tmp_path)
    assert manifest(tmp_path / "out")["labels"] == {"x": 0, "y": 1}
    assert splits_of(tmp_path / "out") == {"train": 2, "test": 2}


def test_a_format_settles_what_a_source_is(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    write(tmp_path, "a.png,8,4,40,20,7\n", "numbers.csv")
    write(tmp_path, f"{BOXES}b.png,7,8,4,40,20\n", "header.csv")
    convert("train=numbers.csv", "test=header.csv", "--format", "train=retinanet", cwd=tmp_path)
    found = records(tmp_path / "out")
    assert boxes_of(found["a.png"]) == boxes_of(found["b.png"]) == [("7", (8, 4, 40, 20))]


@pytest.mark.parametrize(
    ("source", "chosen", "told"),
    [
        ("list.csv", "voc", "--format voc cannot be that of a file"),
        (".", "coco", "--format coco cannot be that of a folder"),
        (".", "tfrecord", "there is no TFRecord in it"),
        ("list.csv", "tfrecord", "there is no TFRecord in it"),
        ("list.csv", "coco", "list.csv"),
    ],
)
def test_a_format_that_the_source_has_not(tmp_path: Path, source: str, chosen: str, told: str) -> None:
    write(tmp_path / "in", "image,label\na.png,x\n")
    run = tfrec("convert", source, tmp_path / "out", "--format", chosen, cwd=tmp_path / "in")
    assert run.code == 2
    assert told in run.err


def test_a_folder_that_holds_two_formats_is_read_as_the_one_that_is_said(tmp_path: Path) -> None:
    photos(tmp_path / "set" / "cat", "a.png")
    photos(tmp_path / "set" / "dog", "b.png")
    for name in ("cat/a", "dog/b"):
        write(tmp_path / "set", "0 0.5 0.5 0.5 0.5\n", f"{name}.txt")
    convert("set", "--format", "folder", "--splits", "train=1", cwd=tmp_path)
    assert manifest(tmp_path / "out")["labels"] == {"cat": 0, "dog": 1}


def test_folders_of_labels_for_a_split_each(tmp_path: Path) -> None:
    photos(tmp_path / "one", "cat/a.png", "dog/b.png")
    photos(tmp_path / "two", "dog/a.png")
    convert("train=one", "val=two", cwd=tmp_path)
    out = tmp_path / "out"
    assert splits_of(out) == {"train": 2, "validation": 1}
    assert records(out).keys() == {"one/cat/a.png", "one/dog/b.png", "two/dog/a.png"}
    assert manifest(out)["labels"] == {"cat": 0, "dog": 1}


def test_python_gives_options_by_split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    photos(tmp_path, "a.png", "b.png")
    write(tmp_path, "Pic,x,y\na.png,p,q\n", "one.csv")
    write(tmp_path, "image,label\nb.png,p\n", "two.csv")
    columns = {"train": {"image_uri": "Pic", "label": ["x", "y"]}}
    result = tfrecordcli.convert({"train": "one.csv", "test": ["two.csv"]}, "out", columns=columns)
    assert result.records == 2
    assert sorted(records(tmp_path / "out")["a.png"]["image/class/text"]) == [b"p", b"q"]


def test_all_further_columns_may_be_in_one_of_several_lists_of_boxes(tmp_path: Path) -> None:
    photos(tmp_path, "a.jpg", "b.jpg")
    write(tmp_path, "filename,class,xmin,ymin,xmax,ymax,age\na.jpg,cat,1,2,30,20,3\n", "one.csv")
    write(tmp_path, "filename,class,xmin,ymin,xmax,ymax\nb.jpg,cat,1,2,30,20\n", "other.csv")
    sources = ("train=one.csv", "val=other.csv")
    assert convert(*sources, "--features", "all", cwd=tmp_path)["exit_code"] == 0
    found = records(tmp_path / "out")
    assert [found[name].get("age") for name in ("a.jpg", "b.jpg")] == [[3], None]


@pytest.mark.parametrize("is_given", [True, False])
def test_where_the_images_are_is_said_once_behind_lists_that_are_made(is_given: bool, tmp_path: Path) -> None:
    """As of WFLW's two lists, whose command finds the folder of the images by itself."""
    photos(tmp_path, "images/a/1.png", "images/a/2.png")
    (tmp_path / "lists").mkdir()
    for number, split in ((1, "train"), (2, "test")):
        write(tmp_path, f"{'1.500000 ' * 196}8 4 40 20 0 1 0 0 1 0 a/{number}.png\n", f"lists/{split}.txt")
    given = ["train=lists/train.txt", "test=lists/test.txt", *["--image-root", "images"] * is_given]
    error = refused(*given, cwd=tmp_path)
    command, _, then = error.strip().partition(" of each: ")[2].partition("; then: tfrec convert ")
    assert shell(command, tmp_path).code == 0
    sources, _, options = then.partition(" OUTPUT_DIR ")
    assert options.split() == ["--image-root", "images" if is_given else "./images"]
    assert convert(*sources.split(), *options.split(), cwd=tmp_path)["records"] == 2
