"""Commands as a person can copy them into a shell."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable

# C0, C1, line separators, the marks that turn the direction of writing, and bytes of paths that are no UTF-8.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\udc80-\udcff]")


def command_line(words: Iterable[str]) -> str:
    """One line of which a shell makes these words."""
    return " ".join(map(_quoted, words))


def as_path(path: str) -> str:
    """A path that no command takes for an option."""
    return f"./{path}" if path.startswith("-") else path


def requirements() -> list[str]:
    """What this package requires, as its metadata has it; none where it is not installed."""
    from importlib import metadata

    try:
        return metadata.requires("tfrecordcli") or []
    except metadata.PackageNotFoundError:
        return []


def install_extra(extra: str) -> str:
    """The command that installs what an extra asks for, wherever tfrecordcli came from."""
    mark = re.compile(rf"""extra == ["']{extra}["']""")
    wanted = [line.partition(";")[0].strip() for line in requirements() if mark.search(line)]
    return command_line(["pip", "install", *(wanted or [f".[{extra}]"])])


def _quoted(word: str) -> str:
    """A word for a shell; with control characters in it, in a form that shows them and still works."""
    if not _CONTROL.search(word):
        return shlex.quote(word)
    escaped = word.replace("\\", "\\\\").replace("'", "\\'")
    return (
        "$'"
        + _CONTROL.sub(
            lambda match: "".join(f"\\x{byte:02x}" for byte in match[0].encode(errors="surrogateescape")),
            escaped,
        )
        + "'"
    )
