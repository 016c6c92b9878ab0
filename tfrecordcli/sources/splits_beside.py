"""Files beside a list that name the images of each split, where the list itself tells no splits."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.csv_shape import detect_delimiter, detect_shape
from tfrecordcli.sources.folders.annotation_files import HEAD_BYTES
from tfrecordcli.sources.folders.json_splits import may_name_splits, names_by_split
from tfrecordcli.sources.folders.lists_and_images import converting_with_images
from tfrecordcli.sources.folders.lists_of_splits import FOLDERS, by_split, split_in_name, without_split
from tfrecordcli.sources.folders.tree import is_image_name
from tfrecordcli.sources.made_list import made_by, rows_by
from tfrecordcli.sources.pandas_commands import literal
from tfrecordcli.sources.splits_in_one_text import may_tell_splits, names_in_one_text, pairs_in_one_text
from tfrecordcli.split_words import SPLIT_WORDS
from tfrecordcli.storage.uris import is_remote
from tfrecordcli.units import some_of

_TEXTS: Final = (".txt", ".lst", ".csv", ".tsv")
_ENTRIES: Final = 10_000  # of a folder, that are looked at
_FILES: Final = 20  # that are read
_BYTES: Final = 64 << 20  # of each, at most
_DEPTHS: Final = (1, 2, 3)  # parts at the end of a path that may tell an image from others
_PART: Final = 0.9  # of the images, which are named
_SPLITS: Final = 2
_IMAGE: Final = r"(?i)\.(jpe?g|png|bmp|gif|tiff?|webp)$"
_ENDING: Final = _IMAGE.replace(")$", "|xml|txt)$")
# What stands behind the name in a line of a text; whole lines come first, as names may have blanks.
_BEHIND: Final = ("", r"[,;\t].*", r"[\s,;].*")

_Key = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class _Files:
    """Files of splits.

    Attributes:
      texts: one of each split, by it.
      json: the one of all, where there are no texts.
      depth: parts at the end of paths by which images are told.
      behind: a pattern of what is behind a name in the lines of the texts.
      one: a text of the split of each image, where there are none of these.
    """

    texts: Mapping[str, str]
    json: str
    depth: int
    behind: str = ""
    one: str = ""

    @property
    def paths(self) -> list[str]:
        return [*filter(None, (self.json, self.one))] or [*self.texts.values()]


def splits_beside_list(rows: RowFile, uris: Collection[str]) -> str:
    """What to know of rows without a split whose images files beside name by splits; or empty.

    Args:
      rows: a list on disk.
      uris: of the first of its images.
    """
    found = _found(os.path.dirname(rows.name), rows.name, uris)
    return _told(found, _with_splits(rows, found)) if found else ""


def splits_beside_yolo(root: str, uris: Collection[str]) -> str:
    """The same of the images of a YOLO dataset in a local folder, which has no lists of splits in it."""
    found = _found(root, "", uris)
    if not found or found.one:
        return ""
    are_kept = any(os.path.exists(os.path.join(root, f"{split}.txt")) for split in SPLIT_WORDS if split)
    kept = "; those that are there are kept as .orig" * are_kept
    return _told(found, _reading(found) or f"{_copied(found, root)} makes lists of them that are read{kept}")


def splits_beside_voc(root: str, uris: Collection[str]) -> str:
    """The same of a folder of Pascal VOC whose images lists of boxes name by splits, as they are made of it.

    Texts of names are read with it, or told of there.
    """
    found = _found(root, "", uris)
    reading = _reading(found) if found else ""
    return _told(found, reading) if found and reading else ""


def making_sets(commands: Sequence[str]) -> str:
    """The same of a folder of Pascal VOC, with the commands that make sets in ImageSets; none: empty."""
    made = "; ".join(commands)
    return _warned("", f"{made} makes sets of them, which are read") if made else ""


def _reading(found: _Files) -> str:
    """The command for texts that are lists of boxes by themselves; empty for others."""
    if not found.texts or not all(map(_tells_boxes, found.texts.values())):
        return ""
    return f"{converting_with_images('', sorted(found.texts.items()), _read)} reads these instead"


def _tells_boxes(path: str) -> bool:
    line = _read(path, HEAD_BYTES).decode("utf-8-sig", "replace").partition("\n")[0]
    delimiter = detect_delimiter(line)
    with suppress(InputError):  # of columns that are not known
        fields = [field.strip().strip('"') for field in line.split(delimiter)]
        return detect_shape(fields, delimiter, ReadOptions()).boxes is not None
    return False


def _copied(found: _Files, root: str) -> str:
    """The command that writes such texts where they are read, with the names of the files of images."""
    names = {path: os.path.join(root, f"{split}.txt") for split, path in found.texts.items()}
    lines = (line for path in found.texts.values() for line in _lines(_read(path), found.behind))
    are_new = not any(map(os.path.exists, names.values()))
    if names and are_new and not found.behind and all(map(is_image_name, lines)):
        return "; ".join(command_line(["cp", as_path(path), as_path(to)]) for path, to in names.items())
    texts = json.dumps(found.texts, ensure_ascii=False)
    named = f'{{k: open(p, encoding="utf-8-sig") for k, p in {texts}.items()}}'
    if found.json:
        named = f'json.load(open({literal(found.json)}, encoding="utf-8-sig"))'
    code = (
        "import json, pathlib, re, sys; r = pathlib.Path(sys.argv[1]); "
        f'n = lambda s: re.sub(r"{_ENDING}", "", '
        f'"/".join(s.strip().strip("\\"").replace("\\\\", "/").split("/")[-{found.depth}:])); '
        'm = {n(str(p)): str(p.relative_to(r)) for p in r.rglob("*") '
        f'if re.search(r"{_IMAGE}", p.name)}}; '
        f't = {{k: "".join(m[i] + "\\n" for l in v '
        f'if (i := n(re.sub(r"{found.behind}", "", l.strip()))) in m) for k, v in {named}.items()}}; '
        # Lists there are the user's own, but for those that this made before.
        '[q.rename(o) for k in t for q in [r / f"{k}.txt"] for o in [r / f"{k}.txt.orig"] '
        "if q.exists() and not o.exists()]; "
        '[(r / f"{k}.txt").write_text(v, encoding="utf-8") for k, v in t.items()]'
    )
    return command_line(["python", "-c", code, as_path(root)])


def _told(found: _Files, way: str) -> str:
    return _warned(f" ({some_of(found.paths)})", way)


def _warned(files: str, way: str) -> str:
    what = f"files beside name the images of splits{files}"
    return f"{what}, and rows without a split are assigned whatever these say: {way}"


def _with_splits(rows: RowFile, found: _Files) -> str:
    """How the list gets a column of splits."""
    shape = rows.shape()
    by_hand = _reading(found) or "write the split of each image into the list"
    if rows.is_spooled or rows.is_own or (shape.boxes is not None and not shape.header):
        return by_hand
    if shape.header and (shape.image is None or "split" in map(str.lower, shape.header)):
        return by_hand
    name = f'"/".join(s.strip().replace("\\\\", "/").split("/")[-{found.depth}:])'
    if found.one:
        pairs = pairs_in_one_text(_read(found.one), found.one, "n")
    elif found.json:
        of_file = f'json.load(open({literal(found.json)}, encoding="utf-8-sig")).items() for l in v'
        pairs = f'n(l.encode().decode("latin-1")): k for k, v in {of_file}'
    else:
        texts = json.dumps(found.texts, ensure_ascii=False)
        line = 'l.removeprefix("\\xef\\xbb\\xbf").strip()'
        line = f're.sub(r"{found.behind}", "", {line})' if found.behind else line
        pairs = f'n({line}): k for k, p in {texts}.items() for l in open(p, encoding="latin-1")'
    head = 'w.writerow(["split", *next(r)]); ' if shape.header else ""
    code = (
        f'import json, re; n = lambda s: re.sub(r"{_ENDING}", "", {name}); s = {{{pairs}}}; '
        f'{head}w.writerows([s.get(n(f[{shape.image or 0}]), "discard"), *f] for f in r if f)'
    )
    made = made_by("", rows_by(code, shape.delimiter, rows.options.delimiter or ","), rows.name)
    return f"{made}, and convert that"


def _found(folder: str, own: str, uris: Collection[str]) -> _Files | None:
    """Files in a local folder, or in one below it, that name most of these images in several splits."""
    depth = next((depth for depth in _DEPTHS if len({*map(_key(depth), uris)}) == len(uris)), 0)
    if is_remote(folder) or not depth or len(uris) < _SPLITS:
        return None
    wanted = {*map(_key(depth), uris)}
    for paths in _candidates(folder, own):
        for texts in _texts_alike(paths):
            read = {split: _read(path) for split, path in texts.items()}
            for behind in _BEHIND:
                named = {split: _lines(data, behind) for split, data in read.items()}
                if _name_most(named, wanted, _key(depth)):
                    return _Files(texts, "", depth, behind)
        for path in (path for path in paths if path.lower().endswith(".json")):
            data = _read(path) if may_name_splits(_read(path, HEAD_BYTES)) else b""
            if _name_most(names_by_split(data), wanted, _key(depth)):
                return _Files({}, path, depth)
        for path in (path for path in paths if path.lower().endswith(_TEXTS)):
            data = _read(path) if may_tell_splits(_read(path, HEAD_BYTES), path) else b""
            if _name_most(names_in_one_text(data, path), wanted, _key(depth)):
                return _Files({}, "", depth, one=path)
    return None


def _texts_alike(paths: Sequence[str]) -> list[dict[str, str]]:
    """Texts of several splits by these, of each name that they have but for the word of a split."""
    named: dict[str, list[str]] = {}
    for path in paths:
        if path.lower().endswith(_TEXTS) and split_in_name(path):
            named.setdefault(without_split(path), []).append(path)
    return [*filter(None, map(by_split, named.values()))]


def _key(depth: int) -> _Key:
    def key(path: str) -> str:
        return re.sub(_ENDING, "", "/".join(path.strip().replace("\\", "/").split("/")[-depth:]))

    return key


def _name_most(named: Mapping[str, Collection[str]], wanted: set[str], key: _Key) -> bool:
    """Whether names of several splits, which have none in common, are those of most images."""
    met = [wanted.intersection(map(key, names)) for names in named.values()]
    count = sum(map(len, met))
    is_of_one = len(set().union(*met)) < count
    return not is_of_one and sum(map(bool, met)) >= _SPLITS and count >= _PART * len(wanted)


def _lines(data: bytes, behind: str) -> list[str]:
    text = data.decode("utf-8-sig", "replace")
    lines = filter(None, map(str.strip, text.splitlines()))
    return [(re.sub(behind, "", line) if behind else line).strip('"') for line in lines]


def _candidates(folder: str, own: str) -> Iterator[list[str]]:
    """The files of each folder that may tell splits, but for the list itself.

    As DeepFashion has its list in `Anno` and its splits in `Eval`, folders beside that of the list are some.
    """
    names, above = _names(folder), os.path.normpath(os.path.join(folder, os.pardir))
    below = (name for name in names if name.lower() in FOLDERS)
    beside = (name for name in _names(above) if name.lower() in FOLDERS) if own else ()
    others = [
        *(os.path.join(folder, name) for name in below),
        *(os.path.normpath(os.path.join(above, name)) for name in beside),
    ]
    for each in dict.fromkeys((folder, *others)):
        files = names if each == folder else _names(each)
        paths = (os.path.join(each, name) for name in files if name.lower().endswith((*_TEXTS, ".json")))
        yield [*islice((path for path in paths if path != own and os.path.isfile(path)), _FILES)]


def _names(folder: str) -> list[str]:
    try:
        with os.scandir(folder or ".") as entries:
            return sorted(entry.name for entry in islice(entries, _ENTRIES))
    except OSError:
        return []


def _read(path: str, most: int = _BYTES) -> bytes:
    """The first bytes of a file; nothing of a very large one, or of one that cannot be read."""
    try:
        with open(path, "rb") as file:
            is_read = os.fstat(file.fileno()).st_size <= _BYTES
            return file.read(most) if is_read else b""
    except OSError:
        return b""
