"""Names that Label Studio gives to what is uploaded to it or served by it, of files called otherwise here.

An upload gets eight characters before its name (`/data/upload/1/1a2b3c4d-photo.jpg`), and a file that it
serves itself becomes a part of a URL (`/data/local-files/?d=photos/photo.jpg`).
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import Final

from tfrecordcli.shell import as_path
from tfrecordcli.sources.proposals.missing_images import folders_in

# What is cut of a path, and the same for sed, in a field of JSON or of a CSV.
_CUTS: Final = (
    (re.compile(r".*[/\\][0-9a-f]{8}-(?=[^/\\]+$)"), r"""[^",]*[/\\][0-9a-f]{8}-"""),
    (re.compile(r".*/data/local-files/\?d=(?=.)"), """[^",]*/data/local-files/[?]d="""),
)
_UPLOAD: Final = re.compile(r"[0-9a-f]{8}-(.+)")


def label_files_hint(folder: str, files: Iterable[str], images: Collection[str]) -> str:
    """The command that gives label files the names of their images; empty where these are no others.

    Args:
      folder: of the label files.
      files, images: what they and images are called, without extensions.
    """
    found = [_UPLOAD.fullmatch(file) for file in files]
    if not found or not all(match and match[1] in images for match in found):
        return ""
    return (
        "label files have the names of Label Studio's uploads: give them those of the images: "
        f"(cd {shlex.quote(as_path(folder))} && "
        'for f in ????????-*.txt; do mv -n "$f" "${f#????????-}"; done)'
    )


def upload_hint(uris: Sequence[str], root: str, name: str) -> str:
    """The command that gives the images of a list their own names; empty where most are not found by these.

    Args:
      uris: of images that are not there.
      root: absolute folder that relative URIs are relative to.
      name: of the list, as messages call it.
    """
    if not os.path.isfile(name):
        return ""
    for cut, sed in _CUTS:
        own = [uri[found.end() :] for uri in uris if (found := cut.match(uri))]
        for folder in chain((root,), folders_in(root)) if own else ():
            if 2 * sum(os.path.isfile(os.path.join(folder, each)) for each in own) > len(uris):
                stem, ending = os.path.splitext(as_path(name))
                target = shlex.quote(f"{stem}-renamed{ending}")
                return (
                    f"the list has names of Label Studio, and {folder} has {own[0]}: write the names of the "
                    f"files: sed -E 's#{sed}##g' {shlex.quote(as_path(name))} > {target}; "
                    f"then: tfrec convert {target} OUTPUT_DIR --image-root {shlex.quote(folder)}"
                )
    return ""
