"""The boxes of a block of rows, read in C (`native`). Its import fails without a compiler."""

from collections.abc import Sequence

def fields_of_boxes(
    images: Sequence[str], lines: Sequence[int], columns: tuple[Sequence[str], ...], form: str, /
) -> tuple[list[str], float, float, bool, int] | None:
    """Fields of boxes as `box_parser` makes them of rows without attributes; None: one takes a closer look.

    Args:
      images: what is told of the image of each row.
      lines: of the rows.
      columns: texts of four numbers, column by column, or one column of texts that hold all four.
      form: of the numbers, a `BoxFormat`.

    Returns:
      the fields; of their corners the least and the most, whether one is no whole number, and how many boxes
      with such end before 1.

    Raises:
      IndexError: a column is shorter than ``lines``.
      ValueError: there are neither four columns nor one.
    """
