"""What the summary counts by name: properties of stored images that a person may want to know."""

from __future__ import annotations

from typing import Final

# Pillow's name of each format that is decoded and encoded again -> what people call it.
REENCODED_FORMATS: Final[dict[str, str]] = {
    "AVIF": "AVIF",
    "BMP": "BMP",
    "CUR": "Windows cursor",
    "DDS": "DDS",
    "DIB": "DIB",
    "GIF": "GIF",
    "HEIF": "HEIC",
    "ICNS": "macOS icon",
    "ICO": "Windows icon",
    "JPEG": "JPEG of a rare kind",
    "JPEG2000": "JPEG 2000",
    "PCX": "PCX",
    "PPM": "PPM",
    "PSD": "Photoshop",
    "QOI": "QOI",
    "SGI": "SGI",
    "TGA": "TGA",
    "TIFF": "TIFF",
    "WEBP": "WebP",
    "XBM": "X bitmap",
    "XPM": "X pixmap",
}


def reencoded(pillow_format: str) -> str:
    """The note for an image of this format that was encoded again, such as ``reencoded_gif``."""
    return f"reencoded_{pillow_format.lower()}"


# Words that are right for one image and for many.
NOTES: Final[dict[str, str]] = {
    "box_frame_guessed": "with an EXIF rotation, boxes taken to be upright",
    "box_frame_stored": "with an EXIF rotation, boxes on stored pixels (listed size)",
    "box_frame_upright": "with an EXIF rotation, boxes on upright photo (listed size)",
    "boxes_of_another_size": "of another size than listed, boxes scaled",
    "alpha": "with an alpha channel, kept",
    "cmyk": "CMYK, kept",
    "colours_converted": "CMYK or another colour space, stored as RGB",
    "depth_reduced": "16 bits a channel, stored with 8 where turned or shrunk",
    "exif_kept": "with an EXIF rotation that TensorFlow ignores, left alone",
    "exif_turned": "turned upright as the EXIF says",
    "first_frame": "animated or of several pages, only the first stored",
    "gps_position": "with a GPS position, kept",
    "huffman_tables_added": "JPEG without Huffman tables, the standard ones added",
    "icc_profile": "with an ICC colour profile, kept",
    "multi_picture": "JPEG followed by further pictures, which TensorFlow ignores",
    "shrunk": "shrunk to --max-side",
    "sixteen_bit": "16 bits a channel, kept",
    "trailing_bytes": "further bytes after the image, which TensorFlow ignores",
    **{reencoded(name): f"{phrase}, encoded again" for name, phrase in REENCODED_FORMATS.items()},
}
