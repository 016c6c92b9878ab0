"""The text of a list: encodings, delimiters, and any bytes."""

from __future__ import annotations

import codecs
import csv
import io
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from test_dataset_samples import read, rows_of, write

from tfrecordcli.errors import InputError
from tfrecordcli.given_options import make_options
from tfrecordcli.sources.csv_file import RowFile

ENCODINGS = {
    "UTF-16 little end first": ("utf-16", "image;label\na.jpg;Käse\n".encode("utf-16")),
    "UTF-16 big end first": ("utf-16", b"\xfe\xff" + "image\tlabel\na.jpg\tKäse\n".encode("utf-16-be")),
    "UTF-16 without a mark": ("utf-16-le", "image,label\na.jpg,Käse\n".encode("utf-16-le")),
    "cp1252": ("cp1252", "image,label\na.jpg,Käse\n".encode("cp1252")),
    "UTF-8 with a mark under another name": ("U8", "\ufeffimage,label\na.jpg,Käse\n".encode()),
    "UTF-8 with a mark, named so": ("utf-8-sig", "\ufeffimage,label\na.jpg,Käse\n".encode()),
    "UTF-8 with a mark, named without": ("utf-8", "\ufeffimage,label\na.jpg,Käse\n".encode()),
    "little end with a mark": ("utf-16-le", "\ufeffimage,label\na.jpg,Käse\n".encode("utf-16-le")),
    "big end with a mark": ("UTF_16BE", "\ufeffimage,label\na.jpg,Käse\n".encode("utf-16-be")),
    "UTF-32 with a mark": ("utf-32-le", "\ufeffimage,label\na.jpg,Käse\n".encode("utf-32-le")),
    "UTF-32 and its mark": ("utf-32", "image,label\na.jpg,Käse\n".encode("utf-32")),
    "UTF-8's mark before cp1252": ("cp1252", b"\xef\xbb\xbf" + "image,label\na.jpg,Käse\n".encode("cp1252")),
    "UTF-8's mark before Latin-1": (
        "latin-1",
        b"\xef\xbb\xbf" + "image,label\na.jpg,Käse\n".encode("latin-1"),
    ),
}


@pytest.mark.parametrize(("encoding", "content"), ENCODINGS.values(), ids=ENCODINGS)
def test_encodings(encoding: str, content: bytes, tmp_path: Path) -> None:
    assert rows_of(tmp_path, content, encoding=encoding) == [(2, "", "a.jpg", "Käse")]


LETTERS = {
    "cp932": [
        "No,画像,判定\n1,写真\\表面\\1.jpg,傷\n2,写真\\表面\\2.jpg,汚れ\n",
        "ファイル,ラベル\na.jpg,ねこ\n",
    ],
    "gb18030": ["图片,标签,数据集\na.jpg,猫,训练\nb.jpg,狗,验证\n", "文件名,类别\na.jpg,苹果\nb.jpg,香蕉\n"],
    "cp949": ["파일,라벨\na.jpg,고양이\nb.jpg,강아지\n", "image,label\na.jpg,고양이\n"],
    "big5": ["圖片,標籤\na.jpg,貓\nb.jpg,狗\n", "檔名,類別\na.jpg,蘋果\n"],
    "cp1251": ["файл,метка\na.jpg,кошка\nb.jpg,собака\n", "image,label\na.jpg,Ёж\n"],
    "cp1253": [
        "Αρχείο;Κατηγορία;Σύνολο\na.jpg;ελιά;Δοκιμή\nb.jpg;λεμονιάς;Εκπαίδευση\n",
        "a.jpg,σκύλος\nb.jpg,γάτα\n",
    ],
    "cp1255": ["קובץ,תווית\na.jpg,כלב\nb.jpg,חתולים\nc.jpg,ענן\n"],
    "cp1256": ["ملف;تصنيف\na.jpg;قطة\nb.jpg;كلب كبير\n"],
    "cp1254": [
        "Dosya Adı;Sınıf;Küme\na.jpg;Çatlak;Eğitim\nb.jpg;Çürük;Test\n",
        "image,label\na.jpg,Şişme\nb.jpg,“köy”\n",
        "a.jpg,balık\nb.jpg,kedi\n",
        "a.jpg,kuş\n",
        "a.jpg,şeker\n",
        "a.jpg,dağ\n",
        "a.jpg,uğur böceği\n",
        "a.jpg,İnek\n",
    ],
    "cp1250": [
        "plik;etykieta\na.jpg;żółty\nb.jpg;biały\nc.jpg;niebieski – ciemny\n",
        "a.jpg,ręka\nb.jpg,łąka\n",
        "a.jpg,żaba\n",
        "a.jpg,Łania\n",
        "a.jpg,łoś\n",
        "a.jpg,młot\n",
        "a.jpg,liść\n",
        "a.jpg,śliwka\nb.jpg,Środek\n",
        "a.jpg,różowy\n",
        "a.jpg,BIAŁY\n",
    ],
    "cp1252": [
        "a.jpg,þorskur\nb.jpg,ýsa og æðarfugl, sjá mynd\n",
        "a.jpg,m³\nb.jpg,¿qué?\n",
        "a.jpg,cœur\nb.jpg,BŒUF\nc.jpg,fœtus\n",
        "a.jpg,¿Cómo\n",
        "a.jpg,¿cómo?\nb.jpg,“león”\n",
        "a.jpg,£five\nb.jpg,£ten\n",
        "a.jpg,5 cm³\n",
        "a.jpg,þröstur\nb.jpg,fýll\n",
        "a.jpg,Maður\nb.jpg,Köttur\nc.jpg,garður\n",
        "a.jpg,Käse\n",
        "Größe,Süßes\n",
        "a.jpg,Crème brûlée\n",
        "a.jpg,“x”\n",
        "a.jpg,20°C\n",
        "a.jpg,é\n",
    ],
}


@pytest.mark.parametrize(
    ("encoding", "text"), [(codec, text) for codec, texts in LETTERS.items() for text in texts]
)
def test_of_other_encodings_the_one_whose_letters_people_write_is_named(
    encoding: str, text: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="is not utf-8") as refused:
        rows_of(tmp_path, text.encode(encoding))
    first = next(line for line in text.splitlines() if not line.isascii())
    likeliest = refused.value.hint.partition("as in ")[2].partition(", or ")[0]
    assert likeliest in (f"--encoding {encoding} ({first})", "--encoding cp1252")
    assert (likeliest == "--encoding cp1252") <= (encoding == "cp1252")


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [
        ("utf-8", codecs.BOM_UTF8),
        ("utf-16-le", codecs.BOM_UTF16_LE),
        ("utf-16-be", codecs.BOM_UTF16_BE),
        ("cp1252", codecs.BOM_UTF8),
    ],
)
def test_a_mark_is_not_part_of_the_first_value(encoding: str, mark: bytes, tmp_path: Path) -> None:
    rows = rows_of(tmp_path, mark + "ä.jpg,Käse\n".encode(encoding), encoding=encoding)
    assert rows == [(1, "", "ä.jpg", "Käse")]


def test_a_mark_of_utf_8_before_another_encoding_is_said(tmp_path: Path) -> None:
    content = codecs.BOM_UTF8 + b"image,label\na.jpg,x\n"
    note = "the file begins with the mark of UTF-8 but is read as cp1252, as --encoding says"
    assert read(tmp_path, content, encoding="cp1252")[0].notes == (note,)
    assert read(tmp_path, content, encoding="utf-8")[0].notes == ()


def test_notes_of_several_lines_are_read(tmp_path: Path) -> None:
    content = 'image,label,note\na.jpg,x,"see\n1, 2, 3\n\nand b.jpg"\n[c].jpg,y,\n'
    assert rows_of(tmp_path, content) == [(2, "", "a.jpg", "x"), (6, "", "[c].jpg", "y")]


# The first line, and the delimiter that must be told from it.
DELIMITERS = [
    ("image_uri,label", ","),
    ("image_uri;label", ";"),
    ("split|image_uri|label", "|"),
    ("image_uri", ","),  # one column
    ("a,b;c.jpg", ","),  # a tie
    ('"a,b.jpg","x;y;z"', ","),  # semicolons inside a quote
    ('"a,b,c.jpg";"x"', ";"),  # commas inside a quote
    ('"say ""a;b;c"".jpg",x', ","),  # doubled quotes
]


@pytest.mark.parametrize(("first", "delimiter"), DELIMITERS)
def test_delimiter_is_told_from_the_first_line(first: str, delimiter: str, tmp_path: Path) -> None:
    path = write(tmp_path, f"\n{first}\n")
    options = make_options({"unlabelled": "keep"}).read
    shape, records = RowFile(str(path), "list.csv", options).read_records()
    list(records)
    assert shape.delimiter == delimiter
    assert any("separated" in note for note in shape.notes) is (delimiter != ",")


@pytest.mark.parametrize(("given", "char"), [("tab", "\t"), (";", ";"), (" ", " "), ("#", "#"), (",", ",")])
def test_delimiter_that_was_given(given: str, char: str, tmp_path: Path) -> None:
    content = f"image{char}label\na;b.jpg{char}x|y\n" if char != ";" else "image;label\na,b.jpg;x|y\n"
    (row,) = read(tmp_path, content, delimiter=given)[1]
    assert row.image_uri == ("a,b.jpg" if char == ";" else "a;b.jpg")
    assert row.labels == ("x|y",)


# U+FEFF, the mark of UTF-8, is no text within it.
_CHARACTERS = st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"], exclude_characters="\ufeff")
_TEXT = st.text(_CHARACTERS, min_size=1, max_size=8)
_FIELDS = _TEXT.map(str.strip).filter(bool)


@given(rows=st.lists(st.tuples(_FIELDS, _FIELDS), min_size=1, max_size=6), blank=st.integers(0, 3))
def test_what_a_csv_writer_wrote_is_read_back(
    rows: list[tuple[str, str]], blank: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(["image_uri", "label"])
    for uri, label in rows:
        text.write("\r\n" * blank)
        writer.writerow([f"x/{uri}", label])
    found = rows_of(tmp_path_factory.mktemp("csv"), text.getvalue())
    first = 2 + blank
    assert found == [(first + i * (blank + 1), "", f"x/{u}", n) for i, (u, n) in enumerate(rows)]


@given(
    content=st.text(st.sampled_from('a,.jpg"\n\r;\t {TRAIN0\ufeff\0é'), max_size=60) | st.binary(max_size=60)
)
@example(content="\0\r0")  # a name that no folder can have
def test_nonsense_is_read_or_refused(content: str | bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whatever the bytes: rows with rising lines, or one error with a message."""
    data = content if isinstance(content, bytes) else content.encode()
    rows, message = [], ""
    try:
        rows = read(tmp_path_factory.mktemp("csv"), data)[1]
    except InputError as error:
        message = error.message
    assert bool(rows) is not message.startswith("list.csv: ")
    lines = [row.line for row in rows]
    assert lines == sorted(set(lines))
    assert all(row.problem or row.image_uri or row.split == "discard" for row in rows)


def test_a_file_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        RowFile(str(tmp_path / "gone.csv"), "gone.csv", make_options({}).read).read()
