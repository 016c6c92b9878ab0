"""The digest of a record in C (`native`). Its import fails where no compiler was."""

from typing_extensions import Buffer

def record_digest(data: Buffer, /) -> int:
    """Digest of one record's bytes, 0 to 2**64-1; long ``bytes`` without the GIL.

    Raises:
      BufferError: ``data`` is not contiguous.
    """
