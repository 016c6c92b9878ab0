"""COCO's captions, which are no boxes and no labels."""

from __future__ import annotations

from typing import Final

from tfrecordcli.sources.made_list import made_by

_COMMAND: Final = (
    'python -c \'import json, sys; t = json.load(open(sys.argv[1], "rb")); c = dict(); '
    '[c.setdefault(a["image_id"], []).append(a["caption"]) for a in t["annotations"]]; '
    '[print(json.dumps(dict(image=i["file_name"], captions=c.get(i["id"], [])))) for i in t["images"]]\' '
    "{name}"
)


def captions_of_coco(name: str) -> str:
    """How the images of such a file are stored with their captions.

    Args:
      name: of the file.
    """
    made = made_by("", _COMMAND, name, as_lines=True)
    return f"{made}, and convert that with --unlabelled keep --features captions"
