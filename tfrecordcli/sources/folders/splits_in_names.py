"""Splits within the names of class folders, as `cats_train` beside `cats_test`: a class each they are not."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.folders.tree import joined
from tfrecordcli.sources.made_list import into
from tfrecordcli.split_words import SPLIT_WORDS, split_of

# The word of a split between other letters than those of a word: not in `latest`.
_PATTERN: Final = rf"(?i)(?<![^\W\d_])({'|'.join(filter(split_of, SPLIT_WORDS))})(?![^\W\d_])"
_SPLIT: Final = re.compile(_PATTERN)
_NUMBERED: Final = re.compile(rf"{_PATTERN}[_. -]*[0-9]+$", re.ASCII)
# Words, none of which has a digit, before another one, which may be that of a split.
_BEFORE_SPLIT: Final = re.compile(r"([^\W\d_]+(?:[ _-][^\W\d_]+)*)[ _-]([A-Za-z]+)[.][^.]*")
COPY: Final = r" ?[(][0-9]+[)]$"  # at the end of the name of a copy: `front (2)`
_FEWEST: Final = 3
_SHOWN: Final = 3
# Whether a file without a suffix begins as images do.
_BEGINS: Final = (
    ' if p.suffix or (f := pathlib.Path(sys.argv[1], q)).is_file() and f.open("rb").read(4).startswith('
    r'(b"\xff\xd8\xff", b"\x89PNG", b"GIF8", b"BM", b"RIFF", b"II*", b"MM\0"))'
)
# The split of an image's path ``p``: that of the folder above its own, or in the name of this one.
_SPLIT_CODE: Final = f's = re.compile(r"{_PATTERN}"); u = re.compile("(?i){"|".join(SPLIT_WORDS)}")'
_SPLIT_OF_FOLDER: Final = (
    "for t in [s.findall(p.parent.name)] "
    'for a in [[x for x in p.parts[-3:-2] if u.fullmatch(x)] or t * (len(t) == 1) or [""]]'
)
_BESIDE: Final = "_- ."  # what stands between the word of a split and the rest


def same_but_for_splits(names: Mapping[str, Collection[str]]) -> dict[str, list[str]]:
    """Names that differ from another one in nothing but the word of a split, by what they have in common.

    Within folders of splits only names that repeat these do: `train/train_cats` beside `val/val_cats`. Others
    are classes there, as `toy train` is.

    Args:
      names: of folders, and those of the folders of splits that they stand in; an empty one for none.
    """
    alike: dict[str, dict[str, str]] = {}
    for name in names:
        stem, split = _parted(name)
        if not {*map(split_of, filter(None, names[name]))} - {split}:
            alike.setdefault(stem.lower(), {})[name] = split
    return {stem: sorted(found) for stem, found in alike.items() if stem and len({*found.values()}) > 1}


@dataclass(frozen=True, slots=True)
class LabelBeforeSplit:
    """What names of images are alike as: `A_test.jpg`, `space_test.jpg`.

    Attributes:
      shown: some of the labels.
      pattern: of sed, that makes a row of a path: image, label, split.
    """

    shown: str
    pattern: str


def label_before_split(names: Collection[str]) -> LabelBeforeSplit | None:
    """What names without their folders are alike as, where all end in the same word of a split; else None."""
    found = [_BEFORE_SPLIT.fullmatch(name) for name in names]
    labels = sorted({match[1] for match in found if match})
    splits = {match[2] for match in found if match}
    if None in found or len(labels) < _FEWEST or len(splits) != 1 or not split_of(min(splits)):
        return None
    shown = ", ".join([*labels[:_SHOWN], *["…"][: len(labels) > _SHOWN]])
    return LabelBeforeSplit(shown, rf"s#^[.]/((.*/)?([^/]+)[_ -]({min(splits)})[.][^./]*)$#\1,\3,\4#p")


def list_command(root: str, names: Iterable[str], endings: Iterable[str], exclude: Collection[str]) -> str:
    """The command that writes a list of such folders: label and split of each image.

    A folder of a split above says more than the name of the folder itself.

    Args:
      root: local folder.
      names: of the folders, all of them.
      endings: of the images.
      exclude: patterns of what is passed over, as `Exclusion` has them.
    """
    label = "k.setdefault(l.lower(), l)" if _are_spelled_differently(names) else "l"
    code = (
        f"import csv, fnmatch, glob, pathlib, re, sys; s = re.compile(r{chr(34)}{_PATTERN}{chr(34)}); "
        f'u = re.compile("(?i){"|".join(SPLIT_WORDS)}"); k = {{}}; '
        'w = csv.writer(sys.stdout); w.writerow(["image", "label", "split"]); '
        f"[w.writerow([p, {label} if t else n, *a]) {_images(endings, exclude)} "
        "for n in [p.parent.name] for t in [s.findall(n)] for t in [t * (len(t) == 1)] "
        f'for l in [s.sub("", n).strip("{_BESIDE}")] '
        'for a in [[x for x in p.parts[-3:-2] if u.fullmatch(x)] or t or [""]]]'
    )
    return _into_list(code, root)


def list_by_files(
    root: str, pattern: str, label: str, endings: Iterable[str], exclude: Collection[str]
) -> str:
    """The command that writes a list of images whose own names begin with the words of splits.

    Args:
      pattern: of such a beginning; its group is the word.
      label: which of the folders above an image is its label, as a slice of them; empty: none is.
      root, endings, exclude: as of `list_command`.
    """
    header = ["image", *["label"][: bool(label)], "split"]
    of_folder = f'"".join(p.parent.parts[{label}]), ' * bool(label)
    code = (
        f'import csv, fnmatch, glob, pathlib, re, sys; s = re.compile("(?i){pattern}"); '
        f"w = csv.writer(sys.stdout); w.writerow({json.dumps(header)}); "
        f'[w.writerow([p, {of_folder}(s.match(p.name) or ["", ""])[1]]) {_images(endings, exclude)}]'
    )
    return _into_list(code, root)


def list_by_levels(
    root: str,
    names: Sequence[str],
    endings: Iterable[str],
    exclude: Collection[str],
    *,
    are_labels: bool = False,
) -> tuple[str, str]:
    """The command that writes a list of images with a column for each folder above them, and that list.

    Args:
      names: of these columns, the topmost first; no image has more folders above.
      root, endings, exclude: as of `list_command`.
      are_labels: whether the images' own names are their labels, without the number of a copy: `a (2)`.
    """
    blank = f'*[""] * ({len(names) + 1} - len(p.parts))'
    label = f're.sub(r"{COPY}", "", p.stem), ' * are_labels
    code = (
        f"import csv, fnmatch, glob, pathlib, {'re, ' * are_labels}sys; w = csv.writer(sys.stdout); "
        f"w.writerow({json.dumps(['image', *['label'][:are_labels], *names])}); "
        f"[w.writerow([p, {label}*p.parts[:-1], {blank}]) {_images(endings, exclude)}]"
    )
    return _into_list(code, root), _target(root)


def list_by_paths(
    root: str, start: int, split_at: int | None, endings: Iterable[str], exclude: Collection[str]
) -> tuple[str, str]:
    """The command that writes a list of images whose labels are the paths of their folders, and that list.

    Args:
      start: how many folders on top are no part of a label.
      split_at: which of these is that of the split; None for none.
      root, endings, exclude: as of `list_command`.
    """
    header = ["image", "label", *["split"][: split_at is not None]]
    split = "" if split_at is None else f", p.parts[{split_at}]"
    code = (
        "import csv, fnmatch, glob, pathlib, sys; w = csv.writer(sys.stdout); "
        f"w.writerow({json.dumps(header)}); "
        f'[w.writerow([p, "/".join(p.parts[{start}:-1]){split}]) {_images(endings, exclude)}]'
    )
    return _into_list(code, root), _target(root)


def list_by_sequences(root: str, endings: Iterable[str], exclude: Collection[str]) -> str:
    """The command that writes a list of the frames in numbered folders, with these as column `sequence`.

    Args:
      root, endings, exclude: as of `list_command`.
    """
    code = (
        f"import csv, fnmatch, glob, pathlib, re, sys; {_SPLIT_CODE}; "
        'w = csv.writer(sys.stdout); w.writerow(["image", "split", "sequence"]); '
        f"[w.writerow([p, *a, p.parent]) {_images(endings, exclude)} {_SPLIT_OF_FOLDER}]"
    )
    return _into_list(code, root)


def list_by_frames(root: str, name: str, endings: Iterable[str], exclude: Collection[str]) -> str:
    """The same with a box for each frame, which a file in its folder has in a line each.

    Folders whose file has another number of lines are left out, and told of. Of a frame whose box has no
    area the object is not seen: it has none.

    Args:
      name: of that file.
      root, endings, exclude: as of `list_command`.
    """
    code = (
        f"import collections, csv, fnmatch, glob, pathlib, re, sys; {_SPLIT_CODE}; "
        f"P = [p {_images(endings, exclude)}]; n = collections.Counter(p.parent for p in P); "
        f"g = {{f: pathlib.Path(sys.argv[1], f, {json.dumps(name)}) for f in n}}; "
        'g = {f: [x.split() for x in t.read_text("utf-8-sig").replace(",", " ").splitlines() if x.strip()] '
        "for f, t in g.items() if t.exists()}; "
        "g = {f: iter(b) for f, b in g.items() if len(b) == n[f]}; "
        'print(len(n) - len(g), "folders left out: not a line for each image", file=sys.stderr); '
        'w = csv.writer(sys.stdout); w.writerow("image split sequence label x y width height".split()); '
        '[w.writerow([p, *a, p.parent, *(["object", *b] if float(b[2]) > 0 < float(b[3]) else [""] * 5)]) '
        f"for p in P if p.parent in g for b in [next(g[p.parent])] {_SPLIT_OF_FOLDER}]"
    )
    return _into_list(code, root)


def without_split(name: str) -> str:
    """What a name says but for the word of a split; empty where it has not just one."""
    return _parted(name)[0]


def is_numbered_split(name: str) -> bool:
    """Whether a name ends in the word of a split and a number: `GOT-10k_Train_000001`."""
    return _NUMBERED.search(name) is not None


def _images(endings: Iterable[str], exclude: Collection[str]) -> str:
    """The part of such a command that goes through the paths ``p`` of the images."""
    patterns = json.dumps([each.strip("/") for each in exclude], ensure_ascii=False)
    passed_over = (
        ' if not any(fnmatch.fnmatchcase(str(y) if "/" in v else y.name, v) '
        f"for v in {patterns} for y in [p, *p.parents])"
    )
    names = sorted(endings)
    chosen = json.dumps(names) if any(not e or " " in e for e in names) else f'"{" ".join(names)}".split()'
    begins = _BEGINS * ("" in names)  # as folders and texts have no suffix, too
    return (
        'for q in sorted(glob.glob("**", root_dir=sys.argv[1], recursive=True)) for p in [pathlib.Path(q)] '
        f"if p.suffix in {chosen}{begins}{passed_over * bool(exclude)}"
    )


def _into_list(code: str, root: str) -> str:
    return into(command_line(["python", "-c", code, as_path(root)]), _target(root))


def _target(root: str) -> str:
    return shlex.quote(as_path(joined(root, "list.csv")))


def _are_spelled_differently(names: Iterable[str]) -> bool:
    """Whether some have only a name in other case beside them: `Cats_train` and `cats_test`.

    `A_train`, `A_test`, `a_train` and `a_test` are of two classes.
    """
    spelled: dict[str, set[str]] = {}
    for stem, split in map(_parted, names):
        spelled.setdefault(stem, set()).add(split)
    several: dict[str, list[set[str]]] = {}
    for stem, splits in spelled.items():
        several.setdefault(stem.lower(), []).append(splits)
    return any(stem and len(found) > 1 and 1 in map(len, found) for stem, found in several.items())


def _parted(name: str) -> tuple[str, str]:
    """What a name says but for the word of a split, and that split; both empty where it has not just one."""
    words = _SPLIT.findall(name)
    if len(words) != 1:
        return "", ""
    return _SPLIT.sub("", name).strip(_BESIDE), split_of(words[0])
