"""Random lists in JSON, each converted as a person does who follows what the messages propose.

`python tests/document_lists.py --seeds 5000:5300` tries others than the tests do, and shows all that do not
end well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import folder_lists
from following import End, main
from listing_documents import random_document
from listing_folders import Written


def run(seeds: Iterable[int], folder: Path) -> Iterator[tuple[int, Written, End]]:
    """As `folder_lists.run`, of lists in JSON beside their images."""
    return folder_lists.run(seeds, folder, random_document)


if __name__ == "__main__":
    main(run, __doc__)
