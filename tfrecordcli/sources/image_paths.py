"""Image paths of a list as the files here are called: other beginnings, endings that the list leaves out."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.column_words import without_extension
from tfrecordcli.storage.uris import is_remote, local_path, scheme_of, with_forward_slashes

# Entries of folders that are looked at, folders, and files that may be called otherwise than most.
_LOOKED_AT: Final = 1_000_000
_FOLDERS: Final = 32
_EXCEPTIONS: Final = 10_000
# Of images whose list may leave them out, likeliest first.
EXTENSIONS: Final = (".jpg", ".jpeg", ".png", ".JPG", ".JPEG", ".PNG", ".webp", ".tif", ".bmp", ".gif")


@dataclass(frozen=True, slots=True)
class PathRules:
    """How a path of the list becomes the one that is read.

    Attributes:
      prefixes: (prefix, prefix instead) pairs; the first that fits counts.
      endings: extension of the list, "" for none -> extension of the files.
      exceptions: paths, mapped, whose files have another one -> paths of the files.
    """

    prefixes: tuple[tuple[str, str], ...] = ()
    endings: Mapping[str, str] = field(default_factory=dict)
    exceptions: Mapping[str, str] = field(default_factory=dict)

    def apply(self, uri: str) -> str:
        """The path of the image that the list calls so."""
        for prefix, instead in self.prefixes:
            if uri.startswith(prefix):
                uri = instead + uri[len(prefix) :].lstrip("/\\" if not instead else "")
                break
        if not self.endings or not uri or scheme_of(uri):
            return uri
        uri = with_forward_slashes(uri) or uri
        if uri in self.exceptions:
            return self.exceptions[uri]
        stem = without_extension(uri)
        ending = self.endings.get(uri[len(stem) :])
        return uri if ending is None else stem + ending


AS_LISTED: Final = PathRules()


def with_endings(rules: PathRules, uris: Sequence[str], root: str) -> tuple[PathRules, list[str]]:
    """Rules with the endings under which a sample of the images is found, and what to tell of them.

    Args:
      rules: of prefixes.
      uris: of the list, as it has them.
      root: absolute folder or URL that relative ones are relative to.
    """
    applied = (with_forward_slashes(uri) or uri for uri in map(rules.apply, uris))
    paths = {uri: path for uri in applied if (path := path_of(uri, root))}
    missing = [uri for uri, path in paths.items() if not os.path.exists(path)]
    if not missing:
        return rules, []
    folders = list(dict.fromkeys(os.path.dirname(uri) for uri in missing))[:_FOLDERS]
    found = _endings_by_name([(uri, paths[uri]) for uri in paths], folders, root)
    by_count = {
        listed: sorted(counts, key=lambda own: (-counts[own], own)) for listed, counts in found.items()
    }
    endings = {listed: own for listed, (own, *_) in by_count.items()}
    as_many = {
        listed: [own for own in others if found[listed][own] == found[listed][first]]
        for listed, (first, *others) in by_count.items()
    }
    exceptions: dict[str, str] = {}
    for listed, ending in endings.items():
        exceptions |= _exceptions(folders, root, listed, ending)
    endings = {listed: ending for listed, ending in endings.items() if listed != ending or exceptions}
    if not endings or len(exceptions) > _EXCEPTIONS:
        return rules, []
    return replace(rules, endings=endings, exceptions=exceptions), list(_told(endings, exceptions, as_many))


def path_of(uri: str, root: str) -> str:
    """The local path of an image; empty when it is elsewhere."""
    if is_remote(uri) or is_remote(root) or not uri or "\0" in uri:
        return ""
    try:
        return local_path(with_forward_slashes(uri) or uri, root)
    except Rejected:
        return ""


def _endings_by_name(
    listed: Iterable[tuple[str, str]], folders: Iterable[str], root: str
) -> dict[str, Counter[str]]:
    """Extension of the list -> extensions of the files that have the names of these images."""
    wanted: dict[tuple[str, str], str] = {}
    found: dict[str, Counter[str]] = {}
    for uri, path in listed:
        if os.path.isfile(path):
            ending = uri[len(without_extension(uri)) :]
            found.setdefault(ending, Counter())[ending] += 1
        else:
            folder, name = os.path.split(uri)
            stem = without_extension(name)
            wanted[folder, stem] = name[len(stem) :]
    for folder, name in entries(folders, root):
        stem = without_extension(name)
        listed_as = wanted.get((folder, stem))
        if listed_as is not None and _may_stand_for(name[len(stem) :], listed_as):
            found.setdefault(listed_as, Counter())[name[len(stem) :]] += 1
    return found


def _may_stand_for(ending: str, listed: str) -> bool:
    return bool(ending) and (not listed or ending.lower() == listed.lower())


def _exceptions(folders: Iterable[str], root: str, listed: str, ending: str) -> dict[str, str]:
    """Paths of files that have another ending than most, and whose name with that one is no file."""
    found: dict[str, str] = {}
    for folder, name in entries(folders, root):
        stem = without_extension(name)
        own = name[len(stem) :]
        if own == ending or not _may_stand_for(own, listed):
            continue
        other = os.path.join(root, folder, stem)
        if not os.path.exists(other + ending) and not os.path.exists(other + listed):
            found[os.path.join(folder, stem + listed)] = os.path.join(folder, name)
            if len(found) > _EXCEPTIONS:
                break
    return found


def entries(folders: Iterable[str], root: str) -> Iterator[tuple[str, str]]:
    """(folder, name) of what stands in folders, as far as it is looked at."""
    for folder in folders:
        try:
            with os.scandir(os.path.join(root, with_forward_slashes(folder) or folder)) as entries:
                for entry in islice(entries, _LOOKED_AT):
                    yield folder, entry.name
        except OSError:
            continue


def _told(
    endings: Mapping[str, str], exceptions: Mapping[str, str], as_many: Mapping[str, list[str]]
) -> Iterator[str]:
    others = ", ".join(sorted({os.path.splitext(path)[1] for path in exceptions.values()}))
    if exceptions and all(listed == ending for listed, ending in endings.items()):
        yield f"images that are not there as the list calls them are looked for with {others}"
        return
    for listed, ending in endings.items():
        if listed == ending:
            continue
        if listed:
            yield f"images are looked for as {ending}, where the list has {listed}: so the files are called"
        else:
            also = f", and as many have {', '.join(as_many[listed])}" if as_many[listed] else ""
            yield f"the list leaves out the extension of its images: they are looked for with {ending}{also}"
    if exceptions:
        yield f"and {len(exceptions):,} of them with {others}"
