"""The digest of a record, and CRC32Cs put together, in C (`native`). Its import fails without a compiler."""

from typing_extensions import Buffer

def digest_of_pieces(*pieces: Buffer) -> int:
    """Digest of one record's bytes, 0 to 2**64-1; long ``bytes`` without the GIL.

    Args:
      *pieces: that make the record, joined.

    Raises:
      BufferError: a piece is not contiguous.
    """

def crc32c_of_both(first: int, second: int, length: int, /) -> int:
    """CRC32C of bytes and of others behind them, without going over either again.

    Args:
      first: CRC32C of the bytes before.
      second: CRC32C of those behind them.
      length: how many these are, 0 to 2**61.
    """
