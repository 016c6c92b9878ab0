"""What is said behind proposals of columns: of other images, of flags, of videos, of weights and votes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import columns_option
from tfrecordcli.sources.folders.masks import CALLED_MASK
from tfrecordcli.sources.proposals.columns import NO_LABEL, Proposal
from tfrecordcli.sources.proposals.flag_columns import settled, unsure_columns
from tfrecordcli.sources.proposals.label_sets import label_sets
from tfrecordcli.sources.proposals.label_weights import likeliest_label, vote_columns, weight_columns
from tfrecordcli.sources.proposals.number_names import is_sequence
from tfrecordcli.sources.proposals.table import column_of
from tfrecordcli.sources.proposals.unread import Unread
from tfrecordcli.units import join_names, some_of


def other_images(names: Sequence[str]) -> str:
    """What to know of several columns of images, or of one of masks; empty where there is one image."""
    masks = [name for name in names if CALLED_MASK.fullmatch(name)]
    images = [name for name in names if name not in masks]
    of_masks = f"; {', '.join(masks)} names masks of segmentation, which are not read" if masks else ""
    return (f"; a record holds one image, of {', '.join(images)}" if len(images) > 1 else "") + of_masks


def labels_together(unread: Unread, image: str, first: Proposal) -> str:
    """The option that takes numbered columns for the labels of an image together; empty where none are."""
    header = unread.header
    names = {i: name for i, name in enumerate(header) if name and name != image}
    sets = [[header[i] for i in columns] for columns in label_sets(names, unread.table)]
    named = next((each for each in sets if first.column in each), [])
    alone = columns_option([("image_uri", image), ("label", first.column)])
    if not named or first.kind != "label" or first.options != alone:
        return ""
    option = columns_option([("image_uri", image), *(("label", name) for name in named)])
    return f"; where {' and '.join(named)} are labels of an image together, {option}"


def settling(unread: Unread, table: Sequence[list[str]], flags: Sequence[int]) -> str:
    """What to do about -1 beside 0 and 1 in columns of these; empty where there is none."""
    names = [unread.header[i] for i in unsure_columns(table, flags)]
    if not names:
        return ""
    return f"; -1 in {some_of(names)} may be unsure: {settled(names, unread.name, unread.delimiter)}"


def keeping_together(columns: Mapping[str, Sequence[str]]) -> str:
    """The option for a column of the videos that images are cut from, where nothing tells the label."""
    videos = [
        name for name, fields in columns.items() if is_sequence(name) and 1 < len({*fields}) < len(fields)
    ]
    option = command_line(["--split-by", *videos[:1]])
    return f"; {option} keeps images of one {videos[0]} in one split" if videos else ""


def taking_the_likeliest(
    unread: Unread, table: Sequence[list[str]], header: Sequence[str], options: str
) -> str:
    """What makes one label of columns of weights or votes; empty where there are none."""
    weights = weight_columns({i: column_of(table, i) for i, name in enumerate(header) if name})
    votes = vote_columns(table, [i for i, name in enumerate(header) if name])
    weights = weights or votes
    if not weights:
        return ""
    names = [header[i] for i in weights]
    named = options.replace(f"label={NO_LABEL}", "label=label")
    stored = options.replace(f",label={NO_LABEL}", "").replace(f"label={NO_LABEL},", "")
    return (
        f"; where {some_of(names)} are {'votes for' if votes else 'weights of'} labels, "
        f"{stored} --unlabelled keep {command_line(['--features', join_names(names)])} stores all of them; "
        f"{likeliest_label(weights, unread.name, unread.delimiter)}, and convert that with {named}"
    )
