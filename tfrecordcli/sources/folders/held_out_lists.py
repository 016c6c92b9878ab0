"""Lists beside folders of images that name those of validation or test alone: all others are of training."""

from __future__ import annotations

import json
from collections.abc import Mapping

from tfrecordcli.sources.folders.lists_of_splits import held_out
from tfrecordcli.sources.foreign.kind import FILE_OF_IMAGE, FIRST_FIELD, keyed_by_name
from tfrecordcli.sources.made_list import made_of_folder
from tfrecordcli.units import some_of


def told_of_held_out(folder: str, lists: Mapping[str, bytes], count: int) -> str:
    """Which lists are such, as those of Speech Commands, and the command for all images; else empty.

    Args:
      folder: the one that has the images, in folders of their labels.
      lists: how each begins, by its path.
      count: of the images, or of the first ones.
    """
    parts = held_out(lists)
    lines = [line for path in parts.values() for line in lists[path].splitlines() if line.strip()]
    if not 0 < len(lines) < count:
        return ""
    with_folders = any(b"/" in line or b"\\" in line for line in lines)
    made = made_of_folder("images, with all others in train", _listing(parts, 1 + with_folders), folder)
    return made and f"({some_of([*parts.values()])}): {made}"


def _listing(texts: Mapping[str, str], depth: int) -> str:
    """Python that lists the images of a folder by the splits of texts, which show so many parts of paths."""
    named = json.dumps(texts, ensure_ascii=False)
    return (
        "import csv, pathlib, re, sys; r = pathlib.Path(sys.argv[1]); "
        f"{keyed_by_name(depth, FIRST_FIELD)}"
        f's = {{n(l): k for k, p in {named}.items() for l in open(p, encoding="utf-8-sig")}}; '
        r'w = csv.writer(sys.stdout, lineterminator="\n"); w.writerow(["split", "image", "label"]); '
        'w.writerows([s.get(n(p.as_posix()), "train"), p.relative_to(r).as_posix(), p.parent.name] '
        f'for p in sorted(r.rglob("*")) if re.search(r"{FILE_OF_IMAGE}", p.name))'
    )
