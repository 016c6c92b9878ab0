"""Where the images of a list may be that are not where it says: one look at the folders around."""

from __future__ import annotations

import os
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import chain, islice
from typing import Final
from urllib.parse import unquote

from tfrecordcli.reasons import Rejected
from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import IMAGE_EXTENSION, without_extension
from tfrecordcli.sources.folders.annotation_files import say_nothing
from tfrecordcli.sources.folders.image_folders import ANNOTATIONS, IMAGES
from tfrecordcli.sources.image_paths import EXTENSIONS
from tfrecordcli.sources.proposals.spread_images import are_copies, in_many_folders, told
from tfrecordcli.sources.sizes_in_names import folders_of_sizes
from tfrecordcli.split_words import TRAIN, split_of
from tfrecordcli.storage.store_path import walk_local
from tfrecordcli.storage.uris import is_remote, local_path, public_uri, scheme_of, with_forward_slashes
from tfrecordcli.units import join_pairs

# Entries of a folder that are looked at.
_LOOKED_AT: Final = 100_000
# Folders in which a name without an extension is looked for.
_ASKED: Final = 100
# Folders that are looked into for images that may be spread, and how many of them make it certain.
_WALKED: Final = 2_000
_SOME: Final = 2
_DRIVE: Final = re.compile(r"[A-Za-z]:[\\/]|\\\\")  # or a share of another machine
# What stands behind a comma in the name of an image, as in Clothing1M's `2866666145,3526031454.jpg`.
_GOES_ON: Final = re.compile(r",[^/\\]*\.\w+")


def missing_hint(uri: str, root: str, others: Iterable[str] = ()) -> str:
    """What to do about an image that is not there: what stands in its place, as far as this machine sees.

    Args:
      uri: as the source has it.
      root: absolute folder or URL that relative URIs are relative to.
      others: of images that are not there either.
    """
    if is_remote(root) and not is_remote(uri) and not os.path.isabs(uri):
        return "is --image-root right?"
    try:
        path = local_path(with_forward_slashes(uri) or uri, root) if not is_remote(uri) else ""
    except Rejected:
        path = ""
    is_elsewhere = bool(scheme_of(uri) or os.path.isabs(uri) or _DRIVE.match(uri))
    if is_elsewhere:
        alike = [other for other in others if os.path.isabs(other) == os.path.isabs(uri)]  # of several lists
        found = below_root(uri, root) or _elsewhere(list(dict.fromkeys((uri, *alike))), root)
        drive = "the list has paths of a Windows machine" if _DRIVE.match(uri) else ""
        seen = drive or (_what_is_there(path) if path else "")
        return found or "; ".join(filter(None, [seen, "--image-root does not count for absolute paths"]))
    names = list(dict.fromkeys((uri, *others)))
    spread = in_many_folders({*names}, root)
    plain = [with_forward_slashes(name) or name for name in names]
    near = spread or _one_folder_off(plain, root) or _far_below({*names}, root)
    if not near and os.path.basename(root).lower() in ANNOTATIONS:
        near = _far_below({*names}, os.path.dirname(root))
    found = near or _elsewhere(names, root) or _as_folders(plain, root) or _by_numbers({*names}, root)
    return found or _what_is_there(path)


def _by_numbers(names: Set[str], root: str) -> str:
    """The only folder of images around one without any that has images of all these numbers; else empty.

    Those of other datasets may be called by such numbers as well, so it has to be called as folders of images
    or splits are, and whoever has the list has to know.
    """
    if len(names) < _SOME or not all(name.isascii() and name.isdecimal() for name in names):
        return ""
    above, numbers = os.path.dirname(root), {*map(int, names)}
    called = {
        os.path.relpath(folder, above): {int(stem) for stem in stems if stem.isascii() and stem.isdecimal()}
        for folder, _, files in islice(walk_local(above), _WALKED)
        if (stems := [without_extension(file) for file in files if IMAGE_EXTENSION.search(file)])
    }
    having = [folder for folder, found in called.items() if numbers <= found]
    has_own = any(folder.split(os.sep)[0] == os.path.basename(root) for folder in called)
    if len(having) != 1 or has_own:
        return ""
    parts = having[0].split(os.sep)
    if not any(part.lower() in IMAGES or split_of(part) for part in parts):
        return ""
    folder = os.path.join(above, having[0])
    return f"{folder} has images of these numbers: where they are those, --image-root {shlex.quote(folder)}"


def _as_folders(names: Sequence[str], root: str) -> str:
    """The only folder below the root that has folders of all these names; else empty."""
    holding = [each for each in folders_in(root) if all(os.path.isdir(os.path.join(each, n)) for n in names)]
    if len(holding) != 1 or len(names) < _SOME:
        return ""
    return f"folders of these names are there with --image-root {shlex.quote(holding[0])}"


def _what_is_there(path: str) -> str:
    """What the folder of a missing file holds, or how far its path leads."""
    folder, name = os.path.split(path)
    names = _names(folder)
    if names is None:
        missing = os.path.basename(folder)
        while names is None and folder != os.path.dirname(folder):
            folder, missing = os.path.split(folder)
            names = _names(folder)
        for other in names or ():
            if other.casefold() == missing.casefold():
                return f"{folder} has {other}: write names as the files have them, capital letters count"
        return f"{folder} has no folder {missing}; it holds {told(names)}"
    stem = without_extension(name).casefold()
    for other in names:
        if other.casefold() == name.casefold():
            return f"{folder} has {other}: write names as the files have them, capital letters count"
        if other == unquote(name):
            also = ", and also names with %" if any(unquote(each) != each for each in names) else ""
            return f"{folder} has {other}{also}: write names as the files have them, not as URLs do"
        if without_extension(other).casefold() == stem:
            left_out = without_extension(name) == name
            what = "the list leaves out the extension" if left_out else "the list has another extension"
            return f"{folder} has {other}: {what}; write names as the files have them"
        if _GOES_ON.match(other[len(name) :]) and other.startswith(name):
            return (
                f"{folder} has {other}: the name goes on behind the comma; where blanks part fields, "
                "--delimiter ' ', else quote such names"
            )
    several = [other for other in names if other.casefold().startswith((f"{stem}_", f"{stem}-"))]
    if len(several) > 1:
        return (
            f"{folder} has several files for it, {told(several)}: a record holds one image, so write "
            "the name of one of them, or join them into one image first"
        )
    return f"{folder} has no such file; it holds {told(names)}"


def folders_far_below(names: Set[str], root: str) -> list[str]:
    """The first folders that part from each other, below a local root, in which images of a name are twice.

    `train` and `test` for `cars/train/audi/1.jpg` and `cars/test/bmw/1.jpg`.
    """
    found: dict[str, set[str]] = {}  # folder -> those of the names that it has
    for folder, _, files in islice(walk_local(root), _WALKED):
        if there := {*files} & names:
            found[folder] = there
    if len(found) < _SOME or (common := os.path.commonpath([*found])) in found:
        return []
    parted: dict[str, set[str]] = {}
    for folder, there in found.items():
        first = os.path.relpath(folder, common).partition(os.sep)[0]
        parted.setdefault(os.path.join(common, first), set()).update(there)
    counts = Counter(chain.from_iterable(parted.values()))
    return sorted(parted) if max(counts.values()) > 1 else []


def _one_folder_off(uris: Sequence[str], root: str) -> str:
    """The folder above the root, in it or beside it, from which most of the images are found; else empty.

    Where several have as many, none is proposed: the list may mean each of them. Bare numbers are looked for
    in the root alone: the images of most other datasets are called so, too.

    Args:
      uris: of images that are not there.
    """
    above = os.path.dirname(root)
    are_numbers = all(map(str.isdecimal, uris))
    for folders in (folders_in(root),) if are_numbers else ((above,), folders_in(root), folders_in(above)):
        holding = (folder for folder in folders if folder != root)
        counts = {folder: sum(has_image(folder, uri) for uri in uris) for folder in holding}
        most = max(counts.values(), default=0)
        likely = [folder for folder in counts if most and counts[folder] == most and 2 * most >= len(uris)]
        if len(likely) > 1:
            held = (os.path.relpath(os.path.join(folder, uri), root) for folder in likely for uri in uris)
            if len(sizes := folders_of_sizes(held)) == len(likely):
                option = command_line(["--image-root", os.path.join(root, sizes[-1])])
                return f"{told(sizes)} may be one dataset in several sizes: {option} takes the largest"
            first = sorted(likely, key=_is_hardly_meant)[:2]
            one, other = (os.path.relpath(folder, root) for folder in first)
            options = " or ".join(command_line(["--image-root", folder]) for folder in first)
            # Classes may have the same names, too, all of which a list means.
            name = os.path.basename(one)
            is_told = split_of(name) or name.lower() in IMAGES or say_nothing([name])
            way = f"{options}, whichever is meant; where both are, " if is_told else ""
            return (
                f"{one} and {other} have such a file each: {way}write the folder into the paths, as {one}/…"
            )
        if likely:
            found = "it is" if most == len(uris) else f"{most} of {len(uris)} are"
            return f"{found} there with --image-root {shlex.quote(likely[0])}"
    return ""


def _is_hardly_meant(folder: str) -> tuple[bool, bool]:
    """How folders of the same names are sorted: a split to train on, then one that is called images."""
    name = os.path.basename(folder)
    return split_of(name) != TRAIN, name.lower() not in IMAGES


def has_image(folder: str, uri: str) -> bool:
    """Whether a local folder has an image of a list, which may leave out the extension."""
    endings = ("", *EXTENSIONS) if without_extension(uri) == uri else ("",)
    if uri.endswith("/") and os.path.isdir(os.path.join(folder, uri)):
        return True  # as rows of studies have it
    return any(os.path.isfile(os.path.join(folder, uri + ending)) for ending in endings)


def holds_images(folder: str) -> bool:
    """Whether files right in a local folder are called like images."""
    try:
        with os.scandir(folder) as entries:
            return any(IMAGE_EXTENSION.search(entry.name) for entry in entries)
    except (OSError, ValueError):  # the latter of a name with a NUL, or that no file can have
        return False


def folders_with_any(names: Sequence[str], root: str) -> list[str]:
    """Local folders that have images of some of these names: in the root; where fewer than two, around it."""
    above = os.path.dirname(root)
    found: dict[str, None] = {}
    for folders in (folders_in(root), chain((above,), folders_in(above))):
        near = (folder for folder in folders if folder != root)
        found.update((folder, None) for folder in near if any(has_image(folder, name) for name in names))
        if len(found) > 1:
            break
    return [*found]


def are_below(names: Set[str], root: str, least: int = _SOME) -> bool:
    """Whether images of so many of these names, without extensions, are in folders below a local root."""
    return len([*islice(names_below(names, root), least)]) == least


def names_below(names: Set[str], root: str) -> Iterator[str]:
    """Those of these names, without extensions, of which images are in folders below a local root."""
    files = (file for _, _, files in islice(walk_local(root), _WALKED) for file in files)
    images = (without_extension(file) for file in files if IMAGE_EXTENSION.search(file))
    return filter(names.__contains__, images)


def _far_below(names: Set[str], root: str) -> str:
    """The only folder, however deep, that has images of some of these names and of all; else empty."""
    with_any = [
        (folder, there)
        for folder, _, files in islice(walk_local(root), _WALKED)
        if (there := names & (set(files) | set(map(without_extension, files))))
    ]
    if len(with_any) != 1 or len(names) < _SOME or with_any[0][1] != names:
        return ""
    return f"they are there with --image-root {shlex.quote(with_any[0][0])}"


def folders_in(root: str) -> Iterator[str]:
    """Local folders in a folder, then those in these: some of them."""
    names = (os.path.join(root, name) for name in _names(root) or ())
    inner = list(islice(filter(os.path.isdir, names), _ASKED))
    deeper = (os.path.join(folder, name) for folder in inner for name in (_names(folder) or [])[:_ASKED])
    return chain(inner, islice(filter(os.path.isdir, deeper), _ASKED))


def below_root(uri: str, root: str) -> str:
    """How to cut paths of another machine or cloud, where the rest of them leads to a file below the root."""
    if is_remote(root) or public_uri(uri) != uri:  # what is not public must not be shown
        return ""
    plain = with_forward_slashes(uri) or uri
    parts = plain.split("/")
    for start in range(1, len(parts)):
        rest = "/".join(parts[start:])
        if rest and os.path.isfile(os.path.join(root, rest)):
            prefix = uri[: len(uri) - len(rest)]
            option = command_line(["--map", join_pairs([(prefix, "./")])])
            return f"{os.path.join(root, rest)} is there with {option}"
    return ""


def _elsewhere(uris: Sequence[str], root: str) -> str:
    """How to begin paths otherwise, where the rest of each leads to a file in one folder near the root.

    Where two folders have all of them, none is proposed, but the one with its copy in it; of a single image
    it would not be certain.
    """
    if is_remote(root) or len(uris) < _SOME or any(public_uri(uri) != uri for uri in uris):
        return ""
    plain = [with_forward_slashes(uri) or uri for uri in uris]
    slashes = [slash.end() for slash in re.finditer("/", plain[0])]
    ends = [end for end in slashes if all(uri.startswith(plain[0][:end]) for uri in plain)]
    above = os.path.dirname(root)
    for folders in ([*folders_in(root)], [above, *folders_in(above)]):
        for end in ends:
            rests = [uri[end:] for uri in plain]
            having = [each for each in folders if each != root and _has_all(each, rests)]
            if having:
                pair = uris[0][:end], f"{os.path.relpath(having[0], root)}/"
                found = f"{os.path.join(having[0], rests[0])} is there with "
                is_certain = all(_is_copy_in(having[0], each, rests) for each in having[1:])
                return found + command_line(["--map", join_pairs([pair])]) if is_certain else ""
    return ""


def _is_copy_in(folder: str, other: str, names: Iterable[str]) -> bool:
    """Whether another folder is in this one and has the same files of these names."""
    pairs = [(os.path.join(folder, name), os.path.join(other, name)) for name in names]
    return other.startswith(os.path.join(folder, "")) and are_copies(pairs)


def _has_all(folder: str, names: Iterable[str]) -> bool:
    return all(os.path.isfile(os.path.join(folder, name)) for name in names)


def _names(folder: str) -> list[str] | None:
    """The entries of a folder, sorted; None when it is none or may not be read."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in islice(entries, _LOOKED_AT))
    except (OSError, ValueError):
        return None
