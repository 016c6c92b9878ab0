"""The shards of a dataset, checked by worker processes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from tfrecordcli.images.gate import Gate
from tfrecordcli.integrity.agreement import Agreement, Said
from tfrecordcli.integrity.dataset_check import tell_swapped
from tfrecordcli.integrity.discovery import Dataset
from tfrecordcli.integrity.large_shards import join_reports, split_large
from tfrecordcli.integrity.reports import CheckTask, DeclaredSpec, ShardReport
from tfrecordcli.naming import MANIFEST
from tfrecordcli.options import DEFAULT_MAX_PIXELS
from tfrecordcli.processes import available_cores
from tfrecordcli.progress import Reporter
from tfrecordcli.runners.local import LocalRunner
from tfrecordcli.verify_options import VerifyOptions


@dataclass(frozen=True, slots=True)
class ShardChecks:
    """What is to be checked.

    Attributes:
      keys: a folder for keys of images, empty.
      first_number: of its shards, among those of several datasets.
    """

    dataset: Dataset
    options: VerifyOptions
    gate: Gate
    keys: str
    first_number: int = 0

    def __len__(self) -> int:
        return len(self.dataset.shards)

    def numbered_shards(self) -> dict[int, tuple[str, str]]:
        """(name, split) of every shard by the number that its keys have."""
        shards = self.dataset.shards
        return {self.first_number + at: (name, self.dataset.split_of(name)) for at, name in enumerate(shards)}

    def run(self, reporter: Reporter, agreement: Agreement) -> list[ShardReport]:
        """The reports of all shards, by name.

        Args:
          agreement: takes what the records of each say.
        """
        parts: dict[str, list[ShardReport]] = {}

        def on_report(report: ShardReport) -> None:
            agreement.take(report.name, report.said)
            report.said = Said()
            parts.setdefault(report.name, []).append(report)

        def on_progress(rows: int, bad: int, size: int) -> bool:
            reporter.advance(rows, bad, size)
            return False

        tasks = list(self._tasks())
        reporter.start(sum(task.expected.records for task in tasks if task.expected), 0)
        try:
            workers = self.options.workers or available_cores()
            with LocalRunner(workers) as runner:
                runner.run(split_large(tasks, workers), on_progress, on_report)
        finally:
            reporter.finish()
        reports = [join_reports(task, parts.pop(task.name)) for task in tasks]
        if "files_swapped" not in self.options.ignore:
            by_content = {(each.bytes, each.crc32c): name for name, each in self.dataset.expected.items()}
            for report in reports:
                tell_swapped(report, self.dataset, by_content)
        return sorted(reports, key=lambda report: report.name)

    def _tasks(self) -> Iterator[CheckTask]:
        manifest = self.dataset.manifest
        for number, name in enumerate(self.dataset.shards, self.first_number):
            yield CheckTask(
                path=str((self.dataset.folder / name).absolute()),
                name=name,
                number=number,
                split=self.dataset.split_of(name),
                expected=self.dataset.expected.get(name),
                manifest_path=str((self.dataset.folder / MANIFEST).absolute()) if manifest else "",
                check=self.options.check,
                index=manifest is not None and manifest.has_index,
                keys_folder=self.keys,
                max_problems=self.options.max_problems,
                ignore=self.options.ignore,
                max_pixels=self._max_pixels(),
                gate=self.gate,
                admit=tuple(manifest.options["image"].get("admit", ())) if manifest else (),
                declared=self._declared(name),
            )

    def _max_pixels(self) -> int:
        """The largest image that is decoded: as asked for, or as large as the conversion admitted."""
        manifest = self.dataset.manifest
        made_with = manifest.options["image"]["max_pixels"] if manifest else DEFAULT_MAX_PIXELS
        return self.options.max_pixels or int(made_with)

    def _declared(self, name: str) -> dict[str, DeclaredSpec]:
        metadata = self.dataset.tfds.get(os.path.dirname(name))
        features = metadata.features.items() if metadata is not None else ()
        return {key: DeclaredSpec(each.kind, each.is_single, each.num_classes) for key, each in features}
