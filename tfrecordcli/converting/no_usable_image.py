"""The error for a list of which no image can be used, with what helps: much that only this needs is here."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Final

from tfrecordcli.converting.request import Request
from tfrecordcli.dataset.plan import Plan
from tfrecordcli.errors import InputError
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.next_step import options_behind
from tfrecordcli.sources.pandas_commands import beside, literal
from tfrecordcli.sources.proposals.annotations_as_images import annotations_hint
from tfrecordcli.sources.proposals.missing_images import below_root, missing_hint
from tfrecordcli.sources.proposals.names_in_other_case import told_other_case
from tfrecordcli.sources.proposals.names_of_uploads import upload_hint
from tfrecordcli.sources.proposals.names_of_urls import decoded_names_hint
from tfrecordcli.sources.proposals.spread_images import spread_by_split
from tfrecordcli.sources.rows_of_folders import folders_hint
from tfrecordcli.sources.several.missing_of_one import is_told_where
from tfrecordcli.sources.true_paths import true_paths_hint, with_columns
from tfrecordcli.storage.stores import hint_of
from tfrecordcli.storage.uris import is_on_store, is_remote, public_place, scheme_of

_CONVERT_THAT: Final = ", and convert that"


def none_usable(
    request: Request, plan: Plan, tried: list[str], first: tuple[int, str], problem: tuple[str, str]
) -> InputError:
    """The error for a list of which no image can be used.

    Args:
      plan: of it; its warnings may say where the images of several sources are.
      tried: the URIs of those that were looked at.
      first: line and URI of one of them.
      problem: its code and reason.
    """
    (line, uri), (code, reason) = first, problem
    hint = "is this the right list?"
    if code in ("not_found", "encoded_name"):
        root = request.source.image_root
        told = "a warning says where they are" if is_told_where(plan.warnings) else ""
        hint = told or upload_hint(tried, root, request.source.rows.name)
        hint = (
            hint
            or true_paths_hint(request.source.rows, root)
            or _of_all(request, true_paths_hint, "with-paths")
        )
        by_split = request.options.read.by_split
        roots = {split: text for split, option, text in by_split if option == "image_root"}
        hint = hint or spread_by_split(tried, root, roots) or told_other_case(tried, root)
        hint = hint or missing_hint(uri, root, tried)
    elif code == "is_directory":
        of_one = folders_hint(request.source.rows, request.source.image_root)
        hint = of_one or _of_all(request, folders_hint, "by-image") or hint
    elif code == "xml":
        hint = annotations_hint(tried, request.source.image_root) or hint
    path = public_place(request.source.image_root, uri)
    hint = (is_remote(uri) and files_of_urls(request, tried)) or hint
    if code == "permission_denied" and is_on_store(path):
        hint = hint_of(scheme_of(path))
    return InputError(
        f"{request.source.rows.name}: none of {len(tried)} images tried can be used; "
        f"{request.where(line)}{path}: {reason}",
        hint,
        code="no_usable_image",
    )


def files_of_urls(request: Request, uris: Sequence[str]) -> str:
    """What takes images from files that are here and called as the list has them on a server; or empty."""
    root = request.source.image_root
    rows = request.source.rows
    here = next(filter(None, (below_root(uri, root) for uri in uris)), "")
    sample = None if here else with_columns(rows)
    if sample is None or (image := sample.shape.image) is None:
        return here
    of_list = root, rows.name, sample.shape.delimiter
    return decoded_names_hint(sample.shape.header, sample.table, image, *of_list)


def _of_all(request: Request, hint_of: Callable[[RowFile, str], str], what: str) -> str:
    """What is to be done with each of several lists: one command for all where they need the same; or empty.

    Args:
      hint_of: gives the command for one, which Python writes beside it, by its root.
      what: such a list is then.
    """
    hints, lists, read = [], request.source.parts, request.options.read
    for rows in lists:
        root = rows.options.image_root or os.path.dirname(os.path.abspath(rows.name))
        told, python, code = hint_of(rows, root).partition("python -c ")
        code, _, options = code.partition(_CONVERT_THAT)
        written = literal(beside(rows.name, what))
        if not python or code.count(literal(rows.name)) != 1 or code.count(written) != 1:
            return ""
        hints.append((told, python + code, python + _of_any(code, rows.name, written, what), options))
    if not hints:
        return ""
    told, first, _, options = hints[0]
    commands = " && ".join([first, *(command for _, command, _, _ in hints[1:])])
    if len({(told, command) for told, _, command, _ in hints}) == 1:
        names = command_line([as_path(rows.name) for rows in lists])
        commands = f'for f in {names}; do {hints[0][2]} "$f"; done'
    made = [(rows.options.splits, as_path(beside(rows.name, what))) for rows in lists]
    sources = [f"{splits[0][0]}={path}" if len(splits) == 1 else path for splits, path in made]
    dealt = "" if all(len(splits) == 1 for splits, _ in made) else options.removeprefix(" with")
    kept = options_behind(first, read)
    then = f"{command_line(['tfrec', 'convert', *sources])} OUTPUT_DIR{dealt}{kept and f' {kept}'}"
    return f"{told}{commands}; then: {then}"


def _of_any(code: str, name: str, written: str, what: str) -> str:
    """The command of one list for the list that it is given."""
    target = f'os.path.splitext(sys.argv[1])[0] + "-{what}.csv"'
    return (
        code.replace(written, target)
        .replace(literal(name), "sys.argv[1]")
        .replace("import ", "import os, sys, ", 1)
    )
