"""Why a row is rejected: every code, with the fixed text a person reads, in one table.

The texts never hold what the operating system or a library said: those differ between machines,
and a rejects.csv must not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

# The row itself: found before any image is read.
ROW_REASONS: dict[str, str] = {
    "malformed_row": "the row is not valid CSV: {detail}; double the quotes that belong to the text",
    "repeated_header": "the row repeats the header (were lists joined?); delete it",
    "header_behind": "the header of a joined list follows without a line break; take it off the row",
    "field_count": "{found} fields where the header has {expected} columns; quote fields that hold a comma",
    "no_image_uri": "the row names no image; fill it in or delete the row",
    "control_character": "the {field} holds a control character or line break (is a quote missing?)",
    "outer_blanks": "its path begins or ends with a blank, which no list can hold; rename it",
    "unknown_split": "unknown split {value}{suggestion}",
    "other_split": "the row says {split}, its source was given for {given}; correct one of them",
    "no_label": "the row has no label ({columns}--unlabelled keep|skip admits or leaves out such rows)",
    "bad_label_id": "label {value} is no id, 0 to 2**63-1 without a leading 0 (--label-type name admits it)",
    "unknown_label": "label {value} is not in {labels_file}; correct it, or add it there",
    "conflicting_label": "the same image has another label in line {lines}; keep the right row",
    "conflicting_split": "the same image is in another split in line {lines}; keep the right row",
    "bad_value": "{column} {what}; correct it",
    "conflicting_value": "the same image has other values in line {lines}; keep the right row",
    "conflicting_box": "an equal box of the image has other attributes in line {lines}; keep the right row",
    "bad_annotation": "{detail}; correct it",
    "bad_box": "the box {what}; correct it",
    "box_outside": "a box lies wholly outside the image: {detail}; is it the right image?",
    "same_image": "a row of the same image cannot be used: line {line}",
    "other_size": "the list says {listed} pixels, the image has {found}; boxes cannot be placed for certain",
    "damaged_record": "{detail}; get the file again, or leave the record out",
    "no_image_in_record": "the record holds no image",
    "tensor_in_record": "{key} holds a serialized tensor, {tensor}: {why}",
    "several_images_in_record": "the record holds {count} images under {key}, and a row is one",
    "unsupported_scheme": "{scheme}:// is not read; download the images, and name their folder with --map",
    "bad_url": "this URL cannot be read as it is written: {detail}; copy the image to another name",
    "not_encrypted": "http:// is read from this machine only; use https://",
}

# The image that the row names.
IMAGE_REASONS: dict[str, str] = {
    # --- the file ---
    "not_found": "file not found",
    "encoded_name": "file found only as a URL is decoded (%20: a blank); write names as files have them",
    "found_elsewhere": "file not found; the only one called so is {path}: if it is that, move it",
    "is_directory": "this is a directory, not an image",
    "not_a_file": "this is a device, pipe or socket, not a file",
    "link_loop": "a symbolic link that leads to itself",
    "permission_denied": "no permission to read this file",
    "unreadable": "the file cannot be read",
    "empty_file": "the file is empty",
    "too_many_bytes": "{size} bytes; the limit is {limit}{suggestion}",
    "other_record": "other bytes stand at byte {offset} of the TFRecord file than when it was listed",
    # --- not an image ---
    "html": "this is a web page, not an image (a failed download?)",
    "lfs_pointer": "this is a Git LFS pointer, not the image (run git lfs pull)",
    "xml": "this is an XML file, not an image",
    "svg": "this is an SVG drawing; export it to PNG first",
    "json": "this is JSON, not an image (an error message from a server?)",
    "pdf": "this is a PDF document; export its pages to PNG first",
    "video": "this is a video or audio file; extract its frames first",
    "archive": "this is a compressed archive; unpack it first",
    "base64": "this is base64 text; decode it to a binary image first",
    "text": "this is a text file, not an image",
    "zeros": "the file holds only zero bytes (a failed copy?)",
    "prefixed_image": "{count} stray bytes stand before the image data",
    "unknown_format": "not an image in any format that is read",
    # --- an image that cannot be used ---
    "truncated": "the {format} image is cut short",
    "incomplete": "scans of the JPEG are missing (a broken download?); get it again, or open and save it",
    "corrupt": "the {format} image is damaged: {detail}",
    "dc_range": "the JPEG goes beyond black or white at byte {offset}: damaged, or of an odd encoder "
    "(--admit dc_range lets it in)",
    "too_many_pixels": "{width} x {height} pixels; the limit is {limit} (--max-pixels {pixels} admits it)",
    "decoder_limit": "{width} x {height} pixels are more than TensorFlow decodes",
    "too_many_scans": "the JPEG has more than {limit} scans (made to exhaust decoders?)",
    "unsupported_jpeg": "this kind of JPEG ({detail}) cannot be read by TensorFlow or Pillow",
    "unsupported_image": "this kind of {format} ({detail}) is not read; save it as a common PNG or JPEG",
    "needs_heif": "HEIC/HEIF image: reading it needs the extra heif (pip install pi-heif)",
    "jpeg_xl": "JPEG XL image: older TensorFlow cannot read it; convert it to JPEG or PNG first",
    "decoder_crash": "the image decoder crashed on this file",
}

# What no editing of a list mends.
RECORD_REASONS: frozenset[str] = frozenset(
    {"damaged_record", "no_image_in_record", "tensor_in_record", "several_images_in_record", "other_record"}
)

# What --admit lets in.
ADMISSIBLE: tuple[str, ...] = ("dc_range",)

# A box that is left out of an image that is kept; they stand in boxes-left-out.csv.
BOX_REASONS: dict[str, str] = {
    "no_extent": "the box has no width or no height",
}

REASONS: dict[str, str] = ROW_REASONS | IMAGE_REASONS


class Rejected(Exception):
    """One row that cannot be used; it travels from a checking process to its worker.

    Raised as ``Rejected("too_many_pixels", width=…, height=…, limit=…, pixels=…)``.

    Attributes:
      code: a key of `REASONS`.
      reason: its text, filled in.
    Raises:
      KeyError: for a code or placeholder that is not in the table (a bug).
    """

    def __init__(self, code: str, **details: object) -> None:
        self.code = code
        self.reason = REASONS[code].format(**details)
        self.details = details
        super().__init__(self.reason)

    def __reduce__(self) -> tuple[Callable[..., Rejected], tuple[str, ...]]:
        return partial(Rejected, self.code, **self.details), ()


# Bytes of the largest Example that TensorFlow reads: protobuf's limit.
_LARGEST_RECORD: Final = (1 << 31) - 1
_ROOM: Final = 1 << 20  # bytes for what a record holds beside its image: names, labels, boxes


def too_many_bytes(size: int, limit: int) -> Rejected:
    """The reject of an image of so many bytes; a larger limit is proposed where a record could hold it."""
    fits = size <= _LARGEST_RECORD - _ROOM
    suggestion = f" (--max-image-bytes {size} admits it)" if fits else ", and no record has room for it"
    return Rejected("too_many_bytes", size=size, limit=limit, suggestion=suggestion)


class Told(Rejected):
    """A reject whose reason was filled in before, and comes as text."""

    def __init__(self, code: str, reason: str) -> None:
        Exception.__init__(self, reason)
        self.code = code
        self.reason = reason
        self.details = {}

    def __reduce__(self) -> tuple[Callable[..., Rejected], tuple[str, ...]]:
        return Told, (self.code, self.reason)
