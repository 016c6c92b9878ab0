"""Lists that name images and nothing else, where labels are needed; a word or number may be before each."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import WRITTEN
from tfrecordcli.sources.column_words import IMAGE_EXTENSION
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.made_list import made_by, rows_by
from tfrecordcli.sources.misread.folders_of_names import labels_in_folders
from tfrecordcli.sources.misread.folders_of_paths import label_of_folder
from tfrecordcli.sources.misread.label_files import names_images_alone
from tfrecordcli.sources.misread.numbers_before import FIRST_BEHIND, need_no_numbers
from tfrecordcli.sources.misread.videos import need_no_videos
from tfrecordcli.sources.parts_of_names import parts_of_names
from tfrecordcli.sources.proposals.folders_of_frames import header_above_folders
from tfrecordcli.sources.sample import Sample
from tfrecordcli.storage.uris import is_remote

# The folder of a study with its finding behind the number, as MURA has it: `study1_positive`.
_STUDY: Final = re.compile(r"(?:study|series|exam|visit|scan)[0-9]+_([A-Za-z]+)")
_LOOKED_AT: Final = 100  # rows of which the files are looked for
_MOST_WORDS: Final = 3  # of a label
# The command that writes a comma behind the ending of an image.
_AFTER_ENDING: Final = (
    r"""awk '{{{{sub(/[ \t\r]+$/, ""); i = match(tolower($0), /[.]({endings})[ \t]/) + RLENGTH; """
    r"""v = substr($0, i); sub(/^[ \t]+/, "", v); print substr($0, 1, i - 2) "," v}}}}' {{name}}"""
)
# The path is what a file is called by behind one of the blanks.
_FILES_BEHIND: Final = (
    "import csv, os, sys; d = os.path.dirname(sys.argv[1]); "
    'w = csv.writer(sys.stdout, lineterminator="\\n"); '
    'r = map(str.strip, open(sys.argv[1], encoding="utf-8-sig")); '
    'f = lambda s: next(((s[i + 1 :], s[:i]) for i, c in enumerate(s) if c == " " '
    "and os.path.isfile(os.path.join(d, s[i + 1 :]))), s.split(None, 1)[::-1]); "
    'w.writerow(["image", "label"]); w.writerows(f(s) for s in r if s)'
)
_ENDING: Final = re.compile(rf"(?<=\S)\.({IMAGE_EXTENSION.pattern[5:-2]})[ \t]+(\S.*)", re.IGNORECASE)


def need_labels(sample: Sample, rows: RowFile) -> None:
    """Refuses a list of nothing but paths where labels are needed, with where they may be.

    Raises:
      InputError: with the command that makes a list with labels.
    """
    if rows.options.unlabelled != "error" or not names_images_alone(sample):
        return
    paths = [uri.replace("\\", "/") for _, uri, _ in sample.words]
    folder = os.path.dirname(rows.name)
    need_no_videos(paths, rows.name, rows.options.image_root or os.path.abspath(folder))
    words, root = [path.split() for path in paths], rows.options.image_root or folder or "."
    by_word = rows_by('w.writerows(" ".join(f).split() for f in r if f)', sample.shape.delimiter)
    if hint := header_above_folders(words, root, rows.name, by_word):
        raise InputError("its rows have a folder of images and words behind it", hint)
    need_no_numbers(paths, rows.name, rows.options.image_root or folder)
    if all(_is_behind_a_word(path, folder) for path in paths[:_LOOKED_AT]):
        how = made_by("image,label", FIRST_BEHIND, rows.name)
        raise InputError("its rows have a word, a blank and an image, in this order", how)
    if all(_has_words_before(path, folder) for path in paths[:_LOOKED_AT]):
        command = f"python -c {shlex.quote(_FILES_BEHIND)} {{name}}"
        how = made_by("", command, rows.name)
        raise InputError("its rows have words, a blank and an image, in this order", how)
    if endings := _endings_before_words(paths, folder):
        how = made_by("image,label", _AFTER_ENDING.format(endings="|".join(endings)), rows.name)
        raise InputError("its rows have an image, a blank and a word or number, in this order", how)
    hint = "--unlabelled keep converts them without labels"
    classes = {path.split("/")[-2] for path in paths if "/" in path}
    if len(classes) > 1 and all("/" in path for path in paths):
        folder, shown = "p[n - 1]", ", ".join(sorted(classes)[:3])
        ends = {match[1] for match in map(_STUDY.fullmatch, classes) if match}
        if len(ends) > 1 and all(map(_STUDY.fullmatch, classes)):
            folder, shown = 'q[split(p[n - 1], q, "_")]', f"{shown}: {', '.join(sorted(ends)[:3])}"
        # Those of a website or a tool; on this machine they are below the folder that is given.
        is_here = any(map(os.path.isfile, paths[:_LOOKED_AT]))
        is_from_root = all(path.startswith("/") for path in paths) and not is_here
        ways = [label_of_folder(rows, folder, shown, is_from_root=is_from_root), hint]
        # Those of pages all over the web are seldom of a class.
        is_of_web = all(map(is_remote, paths)) and 2 * len(classes) > len(paths)
        hint = "; ".join(reversed(ways) if is_of_web else ways)
    elif in_folders := labels_in_folders(paths, rows):
        hint = f"{in_folders}; {hint}"
    elif parts := parts_of_names([path.rpartition("/")[2] for path in paths]):
        command = parts.command.replace("{", "{{").replace("}", "}}") + " {name}"
        made = made_by(parts.header, command, rows.name)
        told = f"where parts of names are the label ({parts.what})"
        hint = f"{told}, {made}, and convert that with {parts.way}; {hint}"
    raise InputError("its rows name images and nothing else", hint)


def _is_behind_a_word(path: str, folder: str) -> bool:
    """Whether a file is called like what stands behind the first blank, and none like all of it."""
    word, _, rest = path.partition(" ")
    there = os.path.isfile(os.path.join(folder, rest.strip())) if rest and "/" not in word else False
    return there and not os.path.isfile(os.path.join(folder, path))


def _has_words_before(path: str, folder: str) -> bool:
    """Whether a file is called like what stands behind some blank, and none like all of it."""
    rests = [path, *(path[place.end() :] for place in re.finditer(" ", path))]
    is_whole, *are_there = (os.path.isfile(os.path.join(folder, rest)) for rest in rests)
    return any(are_there) and not is_whole


def _endings_before_words(paths: Sequence[str], folder: str) -> list[str]:
    """The endings of images in small letters, where words or a number are behind each, and are no files.

    Several numbers may be several labels or a box.
    """
    found = [_ENDING.search(path) for path in paths]
    words = [match[2] for match in found if match]
    are_words = len(words) == len(paths) and not any(map(_is_no_label, words))
    if not are_words or any(os.path.isfile(os.path.join(folder, path)) for path in paths):
        return []
    return sorted({match[1].lower() for match in found if match})


def _is_no_label(text: str) -> bool:
    """Whether words are a path, several that have a number among them, or a sentence."""
    words = text.split()
    has_number = any(re.fullmatch(WRITTEN, word) for word in words)
    is_several = len(words) > _MOST_WORDS or (len(words) > 1 and has_number)
    return is_several or IMAGE_EXTENSION.search(text) is not None
