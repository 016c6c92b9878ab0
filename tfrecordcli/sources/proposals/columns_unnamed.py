"""What is proposed for a list whose first row names no columns that are known."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from itertools import islice
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.boxes.columns import SAME_SIDE
from tfrecordcli.sources.boxes.in_text import (
    around_corners,
    parted_strings,
    tells_of_boxes,
)
from tfrecordcli.sources.boxes.run_lengths import around_masks
from tfrecordcli.sources.boxes.sides import SEVERAL, boxes_side_by_side
from tfrecordcli.sources.boxes.words import MASKS, OUTLINES, WHOLE_IMAGES, column_of_several
from tfrecordcli.sources.column_words import columns_option, looks_like_image, names_a_file
from tfrecordcli.sources.csv_shape import is_no_header
from tfrecordcli.sources.folders.masks import CALLED_MASK
from tfrecordcli.sources.pandas_commands import beside, in_plain_numbers
from tfrecordcli.sources.proposals.answers_unsettled import unsettled_hint
from tfrecordcli.sources.proposals.boxes_in_columns import parted_columns
from tfrecordcli.sources.proposals.boxes_unread import (
    calling_boxes,
    calling_sides,
    parting_boxes,
    parting_classes,
)
from tfrecordcli.sources.proposals.captions import are_captions, captions_hint, storing_texts, text_column
from tfrecordcli.sources.proposals.columns import choice, mended, propose_for
from tfrecordcli.sources.proposals.corners_unnamed import four_corners_hint
from tfrecordcli.sources.proposals.headers_missing import are_parted_twice, header_above_ids, header_for
from tfrecordcli.sources.proposals.image_columns import (
    are_nearly_all_images,
    are_pages,
    counting_columns,
    hold_paths,
    id_columns,
    proposed_image,
)
from tfrecordcli.sources.proposals.images_beside_ids import images_beside_ids_hint
from tfrecordcli.sources.proposals.images_in_another_list import images_in_another_list_hint
from tfrecordcli.sources.proposals.images_in_columns import (
    classes_above_images,
    pairs_hint,
    row_of_each,
    rows_of_images,
)
from tfrecordcli.sources.proposals.joined_lists import SEVERAL_COLUMNS, joined_lists_hint
from tfrecordcli.sources.proposals.labels_by_line import labels_by_line, numbers_by_line
from tfrecordcli.sources.proposals.labels_in_paths import folders_hint
from tfrecordcli.sources.proposals.long_form import long_form_hint
from tfrecordcli.sources.proposals.missing_images import are_below
from tfrecordcli.sources.proposals.number_names import is_id
from tfrecordcli.sources.proposals.numbers_by_row import numbers_by_row_hint
from tfrecordcli.sources.proposals.parts_of_lists import with_parts
from tfrecordcli.sources.proposals.paths_in_columns import paths_hint
from tfrecordcli.sources.proposals.points import around_objects, point_columns, storing_all
from tfrecordcli.sources.proposals.said_behind import (
    keeping_together,
    labels_together,
    other_images,
    settling,
    taking_the_likeliest,
)
from tfrecordcli.sources.proposals.sizes_twice import calling_sizes
from tfrecordcli.sources.proposals.table import column_of
from tfrecordcli.sources.proposals.unread import Unread, given_columns
from tfrecordcli.sources.rule_lines import without_rule
from tfrecordcli.storage.uris import is_remote

_Pairs = Sequence[tuple[str, str]]
_PAIR: Final = 2
_WITH_BOXES: Final = ("auto", "detection")
_CALLED_CROP: Final = re.compile(r"crop|cut_?out", re.IGNORECASE)


def way_out(error: InputError, unread: Unread) -> str:
    """The options or the command that lead on from what is wrong with a first row.

    Raises:
      InputError: the rows below it cannot be read.
    """
    header, message = unread.header, error.message
    if header[0].startswith("#") and message.startswith("no image and no known"):
        return _without_comments(header[0], unread.name)
    if ruled := without_rule(unread.table, unread.name, unread.delimiter):
        return f"a row of dashes stands below the header: {ruled}"
    is_no_row = message.startswith("no image and no known")
    by_line = (labels_by_line(unread) or numbers_by_line(unread)) if is_no_row else ""
    if by_line:
        return by_line
    above_ids = header_above_ids(unread) if message.startswith("no image and no known") else ""
    if above_ids:
        return above_ids
    proposal = _naming_columns(unread) if message.startswith("no ") else ""
    several = column_of_several(header)
    if several and several in message:
        proposal = f"{parted_strings(unread.name, unread.delimiter, several)}; {WHOLE_IMAGES}"
    if MASKS in message:
        proposal = around_masks(header, unread.table, unread.name, unread.delimiter)
        proposal += f"; {WHOLE_IMAGES} or outlines" if proposal else ""
        proposal = calling_boxes(unread) or proposal
    if OUTLINES in message:
        proposal = around_corners(header, unread.name, unread.delimiter)
    if message.startswith(SEVERAL_COLUMNS):
        proposal = joined_lists_hint(header, unread.rows(), unread.name, unread.delimiter)
        proposal = proposal or images_beside_ids_hint(unread)
        by_row = "" if proposal else numbers_by_row_hint(unread)
        proposal = f"{by_row}; else {error.hint}" if by_row else proposal
    if SEVERAL in message or (message.startswith("no label") and boxes_side_by_side(header)):
        proposal = parted_columns(header, unread.name, unread.delimiter)
    if message.startswith("no image column"):
        proposal = _of_crops(unread) or _joining_columns(unread) or proposal
    if message.startswith("no image"):
        proposal = images_in_another_list_hint(unread) or proposal
    if proposal and message.startswith("no label"):
        proposal = "; ".join(filter(None, [proposal, _labels_in_paths(unread)]))
    if proposal and message.startswith(("no label", "no image and no known")):
        proposal = with_parts(unread, proposal)
    if proposal and message.startswith("no image"):
        boxes = unread.boxes if unread.options.task in _WITH_BOXES else None
        proposal += f"{f'; {boxes.note}' if boxes else ''}; --task tabular takes rows without images"
    if message.startswith(SAME_SIDE):
        proposal = calling_sizes(header, unread.table, unread.name, unread.delimiter)
    return proposal or header_for(unread) or error.hint


def _without_comments(first: str, name: str) -> str:
    """The command that leaves out lines that begin as the first does: a name may begin with `#`, too."""
    sign = "# " if first.startswith("# ") else "#"
    # -a: bytes of another encoding make no binary file, of which nothing is copied.
    words = command_line(["grep", "-av", f"^{sign}", as_path(name)])
    target = command_line([as_path(beside(name, "without-comments"))])
    command = f": {words} > {target}" if os.path.isfile(name) else ""
    return f"where lines that begin with {sign.strip()} are comments, leave them out{command}"


def _of_crops(unread: Unread) -> str:
    """Options for images that were cut out of others, in which boxes are; empty where there are none."""
    header, given, table = unread.header, given_columns(unread.options), unread.table
    free = unread.free
    columns = {name: column_of(table, number) for number, name in enumerate(free) if name}
    images = [name for name, fields in columns.items() if fields and all(map(looks_like_image, fields))]
    crops = [name for name in images if _CALLED_CROP.search(name)]
    if free == header or len(crops) != 1 or unread.options.task == "tabular":
        return ""
    frames = [name for name in images if name not in crops]
    others = [name if name not in frames else "" for name in free]
    first, *_ = propose_for(unread, others, [("image_uri", crops[0]), *given], "classification")
    if first.kind != "label" or not first.has_label:
        return ""
    ways = [f"; {columns_option([('image_uri', name)])} takes the boxes of {name}" for name in frames[:1]]
    return f"where {crops[0]} holds what was cut out: --task classification {first.options}{''.join(ways)}"


def _joining_columns(unread: Unread) -> str:
    """The command that writes paths which several columns tell; empty where that is not certain."""
    root = unread.options.image_root or os.path.dirname(unread.name)
    return paths_hint(unread.header, unread.table, None, root, unread.name, unread.delimiter)


def _labels_in_paths(unread: Unread) -> str:
    """What makes labels of folders in the paths of images, and options for what it makes; may be empty."""
    given = given_columns(unread.options)
    image = proposed_image(unread.header, unread.table, given)
    hint = folders_hint(unread.header, unread.table, image, unread.name, unread.delimiter)
    named = [*given, ("label", "label")]
    options = [each.options for each in propose_for(unread, unread.header, named)] if hint else []
    return "".join(f"{hint}, and convert that with {each}" for each in options[:1])


def _naming_columns(unread: Unread) -> str:
    """Options that name the columns of a list whose header does not; empty when it has no such header."""
    header = unread.header
    if any(map(names_a_file, header)) or is_no_header(header) or any(map(tells_of_boxes, header)):
        return ""
    if are_parted_twice(unread):
        return ""
    table = unread.table
    return (
        long_form_hint(unread)
        or parting_boxes(unread, table)
        or numbers_by_row_hint(unread)
        or parting_classes(unread, table)
        or calling_sides(unread, table)
        or "; ".join(filter(None, [four_corners_hint(unread), _naming(unread, table)]))
    )


def _naming(unread: Unread, table: Sequence[list[str]]) -> str:
    header, given = unread.header, given_columns(unread.options)
    given = (*given, *_images_by_id(unread, table, given))
    free = unread.free
    is_told = unread.options.task == "regression" or "label" in dict(given)
    points = [] if is_told else point_columns(free, table)
    image = proposed_image(header, table, given)
    counting = counting_columns(header, table, image)
    left_out = {*points, *counting}
    others = ["" if number in left_out else name for number, name in enumerate(free)]
    proposals = propose_for(unread, others, given)
    if proposals:
        free = others
    elif points:  # of which one is the image, as x of x,y is
        free = ["" if number in counting else name for number, name in enumerate(free)]
        points, proposals = [], propose_for(unread, free, given)
    if not proposals:
        return ""
    if unsettled := unsettled_hint(unread, table, given, proposals):
        return unsettled
    if points and not proposals[0].has_label:
        return _of_point(unread, table, points, given)
    columns = {name: column_of(table, number) for number, name in enumerate(header)}
    first = proposals[0]
    if image and unread.boxes and unread.options.task in _WITH_BOXES and first.kind == "target":
        # What is measured of a box is nothing to be predicted of an image.
        return (
            f"name the column of images: {columns_option([('image_uri', image)])}, where boxes are of one "
            "class; label=NAME besides, where a column has theirs"
        )
    texts = text_column({**columns, image: []}) if image and "label" not in dict(given) else ""
    if texts and all(is_id(each.column) or not each.has_label for each in proposals):
        are_long = are_captions(columns[texts])
        return captions_hint(
            image, columns[image], texts, unread.name, unread.delimiter, is_of_captions=are_long
        )
    of_columns = header, columns, unread.name, unread.delimiter
    several = rows_of_images(*of_columns) or classes_above_images(*of_columns)
    several = several or pairs_hint(unread, first.column)
    if several and "image_uri" not in dict(given):
        return several
    images = [name for name, fields in columns.items() if hold_paths(fields)]
    images = [name for name in images if not are_pages(columns[name])]
    one = other_images(images)
    of_labels = [name for name in images if not CALLED_MASK.fullmatch(name)]
    if len(of_labels) > 1 and first.kind == "label" and "image_uri" not in dict(given):
        one += row_of_each(unread, of_labels, given)
    one += storing_texts(texts, columns[texts]) if texts else ""
    if not first.has_label:
        one += keeping_together(columns)
        one += taking_the_likeliest(unread, table, free, first.options)
    one += labels_together(unread, image, first) if image else ""
    one += settling(unread, table, [i for each in proposals for i in each.flags])
    none = "; where none is a label, --unlabelled keep"
    name, delimiter = unread.name, unread.delimiter
    proposals = mended(proposals, lambda column, how: in_plain_numbers(column, how, name, delimiter))
    return f"{'' if first.notation else 'name the columns, as in '}{choice(proposals)}{none}{one}"


def _of_point(unread: Unread, table: Sequence[list[str]], columns: Sequence[int], given: _Pairs) -> str:
    """Options for a point, or a circle, that these columns tell in each image."""
    names = [unread.header[i] for i in columns]
    whole, *_ = propose_for(unread, unread.header, [*given, ("label", names[-1])])
    return (
        f"{', '.join(names)} tell a {'point' if len(names) == _PAIR else 'circle'} and no class: "
        f"{storing_all(whole.options, names)} stores these numbers, {names[-1]} as the one to predict "
        "(--unlabelled keep: none is a label)"
        f"{around_objects(unread.header, table, columns, unread.name, unread.delimiter)}"
    )


def _images_by_id(
    unread: Unread, table: Sequence[list[str]], given: Sequence[tuple[str, str]]
) -> list[tuple[str, str]]:
    """The column of ids that files are called by, where others only look like images, as URLs and codes with
    slashes do; none where one is given."""
    header, root = unread.header, unread.options.image_root or os.path.dirname(unread.name) or "."
    image = proposed_image(header, table, given)
    if not image or "image_uri" in dict(given) or is_remote(root):
        return []
    fields = column_of(table, header.index(image))
    if not all(map(is_remote, fields)) and (are_nearly_all_images(fields) or are_below({*fields}, root)):
        return []
    found = (i for i in id_columns(header, table) if are_below({*column_of(table, i)}, root))
    return [("image_uri", header[i]) for i in islice(found, 1)]
