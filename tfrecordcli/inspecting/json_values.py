"""An inspection as the JSON object of `tfrec inspect --json`."""

from __future__ import annotations

import dataclasses
from typing import Any

from tfrecordcli.inspecting.features import FeatureSummary
from tfrecordcli.inspecting.image_table import ImageSummary
from tfrecordcli.inspecting.inspection import Inspection
from tfrecordcli.inspecting.labels import LabelSummary
from tfrecordcli.units import plural


def as_json_values(inspection: Inspection) -> dict[str, Any]:
    """The common keys of every command, then those of inspect."""
    return {
        "schema_version": 1,
        "command": "inspect",
        "status": "complete" if inspection.ok else "failed",
        "exit_code": inspection.exit_code,
        "error": None if inspection.ok else _error_of(inspection),
        "warnings": ["only the first records were read"] if inspection.stopped else [],
        "path": inspection.path,
        "records": inspection.records,
        "max_records": inspection.max_records,
        "stopped": inspection.stopped,
        "sequence_examples": inspection.sequences,
        "files": [dataclasses.asdict(file) for file in inspection.files],
        "splits": inspection.splits,
        "features": [_feature_values(feature) for feature in inspection.features],
        "features_left_out": inspection.features_left_out,
        "float_label": inspection.float_label,
        "labels": _label_values(inspection.labels) if inspection.labels else None,
        "images": _image_values(inspection.images) if inspection.images else None,
        "samples": [dataclasses.asdict(sample) for sample in inspection.samples],
        "problems": [dataclasses.asdict(problem) for problem in inspection.problems],
        "problem_counts": inspection.problem_counts,
    }


def _error_of(inspection: Inspection) -> dict[str, str]:
    if not inspection.problem_counts:
        return {"code": "no_records", "message": "there is no record", "hint": "is it the right path?"}
    count = sum(inspection.problem_counts.values())
    return {"code": "problems", "message": f"{plural(count, 'problem')} found", "hint": "problems lists them"}


def _feature_values(feature: FeatureSummary) -> dict[str, Any]:
    return {"kind": feature.kind, **dataclasses.asdict(feature)}


def _label_values(labels: LabelSummary) -> dict[str, Any]:
    counts = [{"label": label.id, "text": label.text, "count": count} for label, count in labels.counts]
    return {**dataclasses.asdict(labels), "counts": counts}


def _image_values(images: ImageSummary) -> dict[str, Any]:
    sizes = [{"height": size[0], "width": size[1], "count": count} for size, count in images.sizes]
    return {**dataclasses.asdict(images), "sizes": sizes}
