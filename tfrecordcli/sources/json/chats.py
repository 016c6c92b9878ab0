"""JSON of chats about an image, for models of language, and how a record holds one.

`messages` with a `role` and `content` each, as OpenAI, TRL and LLaMA-Factory have them, or `conversations`
with `from` and `value`, as LLaVA and ShareGPT.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection
from typing import Final

from tfrecordcli.shell import as_path
from tfrecordcli.sources.column_words import KNOWN_COLUMNS
from tfrecordcli.sources.made_list import AS_CSV

_KEYS: Final = ("messages", "conversations")
_CARRIED: Final = " ".join((*KNOWN_COLUMNS["label"], *KNOWN_COLUMNS["split"]))
# Each line becomes the path of its one image, its whole chat as JSON, and its label and split where any has.
_CODE: Final = (
    'import csv, json, sys; s = open(sys.argv[1], encoding="utf-8-sig").read(); '
    't = json.loads(s) if s.lstrip()[:1] == "[" else [json.loads(r) for r in s.split("\\n") if r.strip()]; '
    "L = lambda v: v if isinstance(v, list) else [] if v is None else [v]; "
    'P = lambda m: [k for k in L(m.get("content")) if isinstance(k, dict)]; '
    'U = lambda k: k["image_url"]["url"] if "image_url" in k else k.get("image"); '
    'I = lambda i: L(i.get("image")) or L(i.get("images")) or [U(k) for m in L(i[K]) for k in P(m) if U(k)]; '
    'K = "{key}"; n = [j for j, i in enumerate(t) if len(I(i)) != 1]; '
    'n and sys.exit(f"no image, or several, in the chats {{[j + 1 for j in n[:5]]}}"); '
    f'F = [k for k in dict.fromkeys(k for i in t for k in i) if k.lower() in "{_CARRIED}".split()]; '
    'T = lambda v: "" if v is None else v if isinstance(v, str) else json.dumps(v); '
    'w = csv.writer(sys.stdout); w.writerow(["image", "chat", *F]); '
    "w.writerows([I(i)[0], json.dumps(i[K]), *map(T, map(i.get, F))] for i in t)"
)


def chat_hint(keys: Collection[str], name: str) -> str:
    """How the chats of a list are stored; empty where no key is called as chats are.

    Args:
      keys: of a line.
      name: of the list.
    """
    key = next((key for key in _KEYS if key in keys), "")
    if not key:
        return ""
    target = shlex.quote(as_path(f"{os.path.splitext(name)[0]}-as-csv.csv"))
    command = f"python -c {shlex.quote(_CODE.format(key=key))} {shlex.quote(as_path(name))} > {target}"
    made = f"make a CSV of it: {command}" if os.path.isfile(name) else AS_CSV
    return f"{key} are chats; to store each as text: {made}; then --unlabelled keep --features chat:text"
