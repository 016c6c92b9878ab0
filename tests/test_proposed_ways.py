"""What is proposed where no column is known to be the label: each way that is plausible, likeliest first."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Final

import pytest
from boxing import photos
from converting import convert_json
from listing_json import read_with, write_json

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.sources.json.lines import read_json_lines
from tfrecordcli.sources.proposals.columns import propose_columns
from tfrecordcli.sources.proposals.columns_unnamed import way_out
from tfrecordcli.sources.proposals.image_columns import proposed_image
from tfrecordcli.sources.proposals.table import column_of
from tfrecordcli.sources.proposals.unread import Unread

_ROWS: Final = 120
# What a column holds, by the letter behind its name: of the number of a row, and of chance.
_FORMS: Final[dict[str, Callable[[int, Random], str]]] = {
    "i": lambda row, chance: f"{row}.jpg",
    "f": lambda row, chance: str(chance.randrange(2)),
    "t": lambda row, chance: str(chance.random() < 0.5),
    "w": lambda row, chance: chance.choice(["ab", "cd", "ef"]),
    "z": lambda row, chance: chance.choice(["pq", "rs"]),
    "v": lambda row, chance: chance.choice(["gh", "jk", "lm", "no"]),
    "g": lambda row, chance: str(chance.randrange(5)),
    "n": lambda row, chance: str(chance.randint(17, 99)),
    "r": lambda row, chance: str(chance.randint(100, 130)),
    "d": lambda row, chance: f"{chance.uniform(3, 42):.1f}",
    "h": lambda row, chance: str(2.5 + row % 6 / 4),
    "H": lambda row, chance: f"{2.5 + row % 6 / 4}ml",
    "D": lambda row, chance: f"{chance.uniform(3, 42):.1f} kg",
    "O": lambda row, chance: chance.choice(["8oz", "12oz", "16oz"]),
    "L": lambda row, chance: chance.choice(["500ml", "1l"]),
    "x": lambda row, chance: f"{chance.uniform(40, 60):.5f}",
    "y": lambda row, chance: chance.choice(["Y", "N", ""]),
    "s": lambda row, chance: chance.choice(["1.0", "0.0", "-1.0", ""]),
    "m": lambda row, chance: chance.choice(["1", "0", "-1"]),
    "k": lambda row, chance: chance.choice(["Y", ""]),
    "p": lambda row, chance: f"http://a.org/title/{row}",
    "u": lambda row, chance: f"https://b.org/{row}.jpg" if row % 9 else "",
    "c": lambda row, chance: str(row + 7),
    "b": lambda row, chance: "",
    "e": lambda row, chance: chance.choice("01234568"),
    "l": lambda row, chance: chance.choice(["new", "new, sale"]),
    "q": lambda row, chance: f"KA{row - row % 5 // 4}AB",
    "o": lambda row, chance: "0.0",
    "W": lambda row, chance: "LR"[row % 2],
    "I": lambda row, chance: "1",
    "Q": lambda row, chance: str(int(row % 40 == 7)),
    "V": lambda row, chance: str(int(row % 40 == 9)),
    "X": lambda row, chance: str(int(row % 40 == 11)),
    "G": lambda row, chance: "0",
    "N": lambda row, chance: f"Nice pet, {row}",
    "j": lambda row, chance: f"{chance.random():.4f}",
    "M": lambda row, chance: "shop",
    "a": lambda row, chance: str(chance.random() < 0.1),
    "Y": lambda row, chance: f"2023{1 + row % 12:02}{1 + row % 28:02}",
    "/": lambda row, chance: f"{1 + row % 28}/{1 + row % 12}/2023",
    "T": lambda row, chance: f"2023/{1 + row % 12}/{1 + row % 28}",
    "P": lambda row, chance: f"{1 + row % 12}/{1 + row % 28}/23 9:{row % 60:02}:10 AM",
    "$": lambda row, chance: f"${chance.uniform(3, 4200):,.2f}",
    "A": lambda row, chance: "validation" if row % 5 == 0 else "derivation",
    "S": lambda row, chance: ["Entrenamiento", "Validación", "Prueba"][row % 3],
    "J": lambda row, chance: ["学習", "検証", "評価"][row % 3],
    "C": lambda row, chance: ["训练", "验证", "测试"][row % 3],
    "K": lambda row, chance: ["학습", "검증", "평가"][row % 3],
    "U": lambda row, chance: ["обучение", "валидация", "тест"][row % 3],
    "E": lambda row, chance: chance.choice(["entrenamiento", "partido"]),
    "B": lambda row, chance: ["ab", "cd", "ef"][row % 3],
    "R": lambda row, chance: ["ab", "cd", "ef"][(row + (row % 4 == 0)) % 3],
    "%": lambda row, chance: ["<1", "2,5", "7,5", "20", "10-25", "0", "1,5", "12"][row % 8],
    "<": lambda row, chance: ["<1", "2,5", "tr.", "20", "10-25", "0", "1,5", "12"][row % 8],
    "Z": lambda row, chance: ["77511", "95070", "50315"][row % 3],
    "0": lambda row, chance: str(row % 3 == 0),
    "1": lambda row, chance: str(row % 3 == 1),
    "2": lambda row, chance: str(row % 3 == 2),
}


def table_of(columns: str) -> tuple[list[str], list[list[str]]]:
    """Header and rows of `photo:i, breed:w`."""
    header, letters = zip(*(each.rsplit(":", 1) for each in columns.split(", ")), strict=True)
    chance = Random(0)
    return list(header), [[_FORMS[each](row, chance) for each in letters] for row in range(_ROWS)]


# Lists of people, each with what is proposed of it: `weight?` is to be predicted, `breed` is the label.
_LISTS: Final = {
    "flags and a score": ("Id:i, Face:f, Blur:f, Info:f, Pawpularity:n", "Pawpularity? flags"),
    "ids that come again": ("photo:i, pig_id:r, weight_kg:d", "weight_kg? pig_id"),
    "frames of videos": ("file:i, video_id:g, polyp:w, frame_id:n", "polyp"),
    "shares with commas, of which few are no numbers": (
        "photo:i, grape:w, Mildew (%):%",
        "grape Mildew (%) Mildew (%)?",
    ),
    "shares of which many are none": ("photo:i, grape:w, Mildew (%):<", "grape Mildew (%)"),
    "coordinates": ("file:i, latitude:x, longitude:x, species_richness:n", "species_richness?"),
    "coordinates as Exif has them": ("file:i, GPSLatitude:x, altitude_m:d, cover:w", "cover"),
    "what a model said": ("image:i, prediction:w, truth:v", "truth prediction"),
    "nothing but coordinates": ("file:i, lat:x, lon:x", "lat?"),
    "a place and its coordinates": ("file:i, country:w, decimalLatitude:x", "country"),
    "sex and age": ("Datei:i, Sex:w, Age (y):n", "Age (y)? Sex"),
    "findings beside age": ("Path:i, Sex:w, Age:n, Edema:f, Fracture:f, Mass:f", "flags"),
    "findings that may be unsure": ("Path:i, Sex:w, Age:n, Edema:s, Fracture:s, Mass:s", "flags"),
    "two of three grades": ("photo:i, mood:m, light:m", "flags mood"),
    "findings beside a grade": ("file:i, hospital:w, KL:g, pain:f, surgery:f", "flags KL"),
    "one of two is about the person": ("photo:i, male:f, malignant:f", "malignant flags"),
    "two of yes and no": ("photo:i, wet:f, worms:f, pH:d, clay:d", "flags pH? wet"),
    "a score beside other numbers": (
        "photo:i, blur:f, dark:f, width:n, sd:d, score:d",
        "score? flags",
    ),
    "classes of which each row has one": ("photo:i, cat:0, dog:1, owl:2, area:n", "flags area?"),
    "houses": ("image_id:c, city:w, bed:g, sqft:n, price:n", "price? bed"),
    "goods": ("image:i, brand:w, price:d", "price? brand"),
    "a breed and a weight": ("photo:i, breed:w, weight_kg:d", "breed weight_kg?"),
    "a breed beside remarks": ("photo:i, region:w, breed:v, camera:w", "breed"),
    "skin": ("image_id:c, lesion_id:r, dx:w, dx_type:v, age:n, sex:w, localization:v", "dx"),
    "apparent ages and who told them": (
        "file_name:i, num_ratings:r, apparent_age_avg:d, apparent_age_std:d, real_age:n",
        "apparent_age_avg? real_age?",
    ),
    "numbers of things": ("photo:i, country:w, tree_count:n", "tree_count? country"),
    "a mean score and its spread": ("photo:i, votes:n, mean_score:d, score_std:d", "mean_score?"),
    "nothing but votes": ("photo:i, votes:n", "votes?"),
    "a finding beside other words": ("file:i, modality:w, view:w, finding:v", "finding"),
    "yes, no and blank beside words": ("file:i, intubated:y, in_icu:y, ward:v", "ward flags"),
    "ticks beside words": ("file:i, intubated:k, in_icu:k, ward:v", "flags ward"),
    "faces": ("file:i, age:n, gender:f, ethnicity:w", "ethnicity age?"),
    "words of which nothing is said": ("photo:i, kind:w, color:v, remarks:w", "kind color"),
    "a condition of animals": ("file:i, cow_id:r, bcs:h", "bcs? bcs"),
    "numbers with a unit": ("photo:i, volume:H, zoom:M", "volume? volume"),
    "many numbers with a unit": ("photo:i, breed:w, weight:D", "breed weight?"),
    "sizes with a unit": ("photo:i, cup:O", "cup"),
    "sizes of two units": ("photo:i, bottle:L", "bottle"),
    "food": ("dish_image:i, calories:d, mass:d", "calories? mass?"),
    "a meter": ("photo:i, reading:n", "reading?"),
    "sizes of files": ("photo:i, width:n, height:n, filesize:r", ""),
    "numbers of rows": ("photo:i, reading:c", ""),
    "a timestamp": ("photo:i, timestamp:n, kind:w", "kind"),
    "steering": ("center:i, steering:d, throttle:d, mode:w", "steering?"),
    "an angle that is always 0": ("photo:i, angle:o, mode:w", "mode"),
    "flags by which rows are chosen": (
        "photo:i, artist_name:z, is_wikiart:t, is_listed:t, run_1:f, exclude_old:t",
        "artist_name flags",
    ),
    "nothing but flags that are called so": ("photo:i, use_phone:f, use_radio:f", "flags use_phone"),
    "a known label": ("photo:i, label:w, age:n, smoke:f, biopsy:f", "label flags"),
    "a number called like a label": ("photo:i, target:d, kind:w", "target?"),
    "grades": ("photo:i, grade:g, farm:w", "grade"),
    "sizes in pixels": ("photo:i, width_px:n, height_px:n, kind:w", "kind"),
    "kinds in numbers": ("photo:i, hair_color:e, breed:w", "breed"),
    "nothing but a scale in numbers": ("photo:i, step:e", "step step?"),
    "tags that no row has": ("photo:i, _tags:b, kind:w", "kind"),
    "tags behind a type": ("photo:i, Published:t, Sold:t, Type:w, Tags:l", "Type Tags flags"),
    "tags alone": ("photo:i, Tags:l, kind:w", "Tags"),
    "one tag an image before a type": ("photo:i, Tags:w, Type:v", "Tags Type"),
    "larger groups beside a class": (
        "photo:i, finding_category:z, finding_class:v",
        "finding_class finding_category",
    ),
    "a category": ("photo:i, category_of_sale:z, finding_class:v", "category_of_sale finding_class"),
    "texts of plates": ("photo:i, text:q, annotator_id:g", ""),
    "texts of plates beside words": ("photo:i, plate_number:q, color:w", "color"),
    "few words": ("photo:i, text:w", "text"),
    "shares of which some are 0": ("photo:i, snow:o, ice:o, wood:j, sand:j", ""),
    "flags that are 0 beside others": ("photo:i, snow:o, ice:o, wood:f", "flags"),
    "yes of all beside a grade": ("image_id:c, dr_grade:g, dme:f, gradable:I", "dr_grade"),
    "nothing but the same in all": ("photo:i, health:I, quantity:I, videos:o, kind:w", "kind"),
    "classes of which the first alone is met": ("photo:i, cat:I, dog:o, owl:o", "flags"),
    "a code at the end": (
        "Breed1:v, Breed2:w, Gender:g, Health:I, Quantity:I, PetID:c, PhotoAmt:g, AdoptionSpeed:g",
        "Breed2 Breed1 AdoptionSpeed",
    ),
    "which of two eyes": ("image:i, eye:W, DR:g, quality:I", "DR"),
    "an eye and nothing else": ("image:i, eye:W, quality:I", "eye"),
    "whether an eye is open": ("image:i, eye:z, light:v", "eye light"),
    "which way": ("image:i, turn:W, light:v", "turn light"),
    "mean opinions from 0 to 1": ("image:i, dst_type:w, dmos_std:j, dmos:j", "dmos?"),
    "a mean opinion beside a level": ("image:i, level:g, mos:d, mos_std:d", "mos? level"),
    "a grade of two words": ("Image name:i, Risk of edema:w, Retinopathy grade:g", "Retinopathy grade"),
    "one word beside several": ("photo:i, Tags:M, sort:w", "sort"),
    "one word alone": ("photo:i, Tags:M", "Tags"),
    "groups for folds": ("photo:i, stratify_group:v, color:w", "color"),
    "readers and their consensus": (
        "file:i, StudyDate:Y, Sex:z, reader_1:B, reader_2:R, consensus:B, cohort:A",
        "consensus",
    ),
    "readers and a finding": ("file:i, reader1_says:B, reader2_says:R, finding:R, view:z", "finding"),
    "readers alone": ("file:i, reader_1:B, reader_2:R", "reader_1 reader_2"),
    "who read": ("file:i, reader_1:z, reader_2:v, kind:B", "reader_1 kind reader_2"),
    "splits in Spanish": ("Foto:i, Fecha:Y, Variedad:w, Conjunto:S", "Variedad"),
    "a training that is seen": ("Foto:i, Actividad:E", "Actividad"),
    "nothing but days": ("photo:i, taken:Y", ""),
    "sums of money": ("photo:i, vehicle:w, damage_area:v, repair_cost:$", "repair_cost? vehicle"),
    "defects and how bad they are": (
        "photo:i, asset_id:r, defect_code:v, severity:g",
        "defect_code severity",
    ),
    "days of one digit": ("Picture:i, kind:w, Date:T", "kind"),
    "answers to a form": (
        "Start time:P, Email:M, Name:z, Which plot?:z, Upload a photo:i, What do you see?:v",
        "What do you see?",
    ),
    "names of what is seen": ("photo:i, Name:z, seen by:M, Which plot?:w", "Name"),
    "a place beside its zip code": (
        "file:i, location:B, zip code:Z, subspecies:w, health:v, pollen:t",
        "pollen subspecies health",
    ),
    "posts of several kinds": ("photo:i, post:w, postcode:Z", "post"),
    "a rank and a depth that are 0": ("file:i, rank:Q, depth:G, object_category:w", "object_category"),
    "a rank and a depth that are 0 beside words": ("file:i, rank:Q, depth:G, seen:w", "seen flags"),
    "a rank and a depth that are 0 beside numbers": ("file:i, rank:Q, depth:G, grade:g", "flags grade"),
    "a rare finding and one of no image": ("file:i, hernia:Q, fibrosis:G", "flags hernia"),
    "two rare findings beside a category": (
        "file:i, hernia:Q, fibrosis:V, view_category:w",
        "view_category flags",
    ),
    "two rare findings beside words": ("file:i, hernia:Q, fibrosis:V, view:w", "flags view"),
    "three rare findings beside a category": (
        "file:i, hernia:Q, fibrosis:V, nodule:X, rib:G, view_category:w",
        "flags view_category",
    ),
    "remarks that are rarely true": ("photo:i, blur:a, odd:a, sort:w", "sort flags"),
}


@pytest.mark.parametrize(("columns", "ways"), _LISTS.values(), ids=_LISTS)
def test_each_plausible_way_is_named(columns: str, ways: str) -> None:
    found = propose_columns(*table_of(columns), [])
    shown = {"flags": "flags", "label": "{}", "target": "{}?"}
    assert " ".join(shown[each.kind].format(each.column) for each in found) == ways
    for each in found:
        assert each.has_label == bool(ways)
        assert ("--task regression" in each.options) == (each.kind == "target")


def test_numbers_are_what_regression_is_asked_for() -> None:
    columns = "photo:i, breed:w, weight_kg:d, height:n, fit:f, lame:f"
    found = propose_columns(*table_of(columns), [], "regression")
    assert [each.options for each in found] == [
        "--columns image_uri=photo,label=weight_kg",
        "--columns image_uri=photo,label=height",
    ]


@pytest.mark.parametrize(
    ("columns", "splits"),
    [
        ("photo:i, breed:w, cohort:A", ",split=cohort --split-map derivation=train"),
        ("photo:i, breed:w, Conjunto:S", ",split=Conjunto"),
        ("photo:i, breed:w, x:J", ",split=x"),
        ("photo:i, breed:w, x:C", ",split=x"),
        ("photo:i, breed:w, x:K", ",split=x"),
        ("photo:i, breed:w, x:U", ",split=x"),
    ],
)
def test_words_of_splits_are_proposed_for_these(columns: str, splits: str) -> None:
    (found,) = propose_columns(*table_of(columns), [])
    assert found.options == f"--columns image_uri=photo,label=breed{splits}"


@pytest.mark.parametrize(
    ("columns", "image"),
    [
        ("Fecha:/, Bild:i, kind:w", "Bild"),
        ("Datum:T, Bild:i, kind:w", "Bild"),
        ("Zeit:P, Bild:i, kind:w", "Bild"),
        ("Link:p, Title:w, Poster:u", "Poster"),
        ("photo_page:p, kind:w, Datei:i", "Datei"),
        ("Link:p, kind:w", "Link"),
    ],
)
def test_pages_of_the_web_are_proposed_for_images_where_nothing_else_is(columns: str, image: str) -> None:
    header, rows = table_of(columns)
    assert proposed_image(header, rows, []) == image


def test_what_is_yes_of_all_images_is_no_flag() -> None:
    found, _ = propose_columns(*table_of("photo:i, mass:f, usable:I, cyst:f"), [])
    assert found.options == "--columns image_uri=photo --one-hot mass,cyst"


@pytest.mark.parametrize("columns", ["Description:N, PetID:c, kind:w", "Fee:c, PetID:c, kind:w"])
def test_ids_are_images_before_what_differs_in_each_row(columns: str) -> None:
    header, rows = table_of(columns)
    assert proposed_image(header, rows, []) == "PetID"


def test_a_column_that_is_named_in_other_letters_is_no_crash() -> None:
    (found, _) = propose_columns(*table_of("Photo:i, breed:w, weight_kg:d"), [("image_uri", "photo")])
    assert found.options == "--columns image_uri=photo,label=breed"


def test_each_command_that_is_proposed_reads_the_list(tmp_path: Path) -> None:
    header, rows = table_of("photo:i, Face:f, Blur:f, Art der Aufnahme:w, kg:d")
    (tmp_path / "list.csv").write_text("\n".join(map(",".join, [header, *rows])), encoding="utf-8")
    hint = convert_json("list.csv", "out", "--dry-run", cwd=tmp_path)["error"]["hint"]
    proposed, none = hint.removeprefix("name the columns, as in ").split("; where none is a label, ")
    first, flags, words = proposed.split("; where ")
    options = [first.partition(" (")[0], *(each.partition("), ")[2] for each in (flags, words))]
    options.append(f"--columns image_uri=photo {none}")
    for given, count in zip(options, (0, 2, 3, 0), strict=True):
        done = convert_json("list.csv", "out", "--dry-run", *shlex.split(given), cwd=tmp_path)
        assert (done["rows"], done["num_labels"]) == (_ROWS, count), given


def test_keys_of_lines_are_proposed_alike(tmp_path: Path) -> None:
    header, rows = table_of("foto:i, pig_id:r, weight_kg:d")
    lines = "".join(f"{json.dumps(dict(zip(header, row, strict=True)))}\n" for row in rows)
    with pytest.raises(InputError) as caught:
        read_with(read_json_lines, write_json(tmp_path, lines, "a.jsonl"))
    assert re.sub(r" \(.*?\)", "", caught.value.hint) == (
        "name them, as in --columns image_uri=foto,label=weight_kg --task regression; "
        "where pig_id is the label, --columns image_uri=foto,label=pig_id"
    )


def test_rows_are_read_and_their_columns_put_together_once() -> None:
    header, rows = table_of("photo:i, breed:w, weight_kg:d")
    read: list[int] = []

    def below() -> Iterator[list[str]]:
        read.append(1)
        return iter(rows)

    unread = Unread("list.csv", ReadOptions(), header, ",", below)
    assert "label=breed" in way_out(InputError("no image and no known column in the first row"), unread)
    assert len(read) == 1
    assert column_of(unread.table, 1) is column_of(unread.table, 1) == column_of(rows, 1)


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([6, 2, 2], "0=train,1=validation,2=test"),
        ([2, 2, 6], "0=validation,1=test,2=train"),
        ([4, 4, 4], "0=validation,1=train,2=train"),  # folds
    ],
)
@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("name", ["split", "partition"])
def test_three_numbers_are_splits_by_how_many_rows_have_them(
    name: str, first: int, rows: list[int], told: str, tmp_path: Path
) -> None:
    words = [first + number for number, count in enumerate(rows) for _ in range(count)]
    photos(tmp_path, *(f"{n}.jpg" for n in range(len(words))))
    text = "".join(f"{n}.jpg,{'ab'[n % 2]},{word}\n" for n, word in enumerate(words))
    (tmp_path / "list.csv").write_text(f"image,label,{name}\n{text}", encoding="utf-8")
    done = convert_json("list.csv", "out", "--columns", f"split={name}", cwd=tmp_path)
    pairs = [f"{int(pair[0]) + first}{pair[1:]}" for pair in told.split(",")]
    assert f"--split-map {','.join(pairs)}" in done["error"]["hint"]
