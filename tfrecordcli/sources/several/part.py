"""One of several sources that become one dataset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tfrecordcli.schema import IMAGE_FILENAME, IMAGE_TARGET, Feature
from tfrecordcli.sources.data_frame import FrameLines
from tfrecordcli.sources.given import GivenSource
from tfrecordcli.sources.source import Source

# Features from columns that are no further ones: numbers to predict, names of images that are parts of files.
NAMED: Final = (IMAGE_TARGET, IMAGE_FILENAME)


@dataclass(frozen=True, slots=True)
class SourcePart:
    """One of several sources, ready to be read.

    Attributes:
      name: as messages call it.
      lines: of a DataFrame: what its index calls the rows.
    """

    given: GivenSource
    source: Source
    name: str
    lines: FrameLines | None = None

    @property
    def task(self) -> str:
        return self.source.schema.task

    @property
    def has_labels(self) -> bool:
        """Whether its records have labels."""
        schema = self.source.schema
        return any(feature.key == schema.label_key for feature in schema.features)

    @property
    def further(self) -> tuple[Feature, ...]:
        """Features from further columns, what rows are grouped by included."""
        return tuple(each for each in self.source.rows.features if each.key not in NAMED)
