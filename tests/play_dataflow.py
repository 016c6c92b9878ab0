"""Executes a staged pipeline as Dataflow's workers would: `play_dataflow.py PIPELINE SITE`.

PIPELINE is the file that was staged. The workers are processes that have Beam and the folder SITE, into which
the staged wheel was installed, on their path; a `sitecustomize` there keeps everything else of ours away.
"""

from __future__ import annotations

import sys

from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.portability.api import beam_runner_api_pb2
from apache_beam.runners.portability.fn_api_runner.fn_runner import FnApiRunner

WORKER = "beam:env:harness_subprocess_python:v1"


def main() -> None:
    with open(sys.argv[1], "rb") as file:
        pipeline = beam_runner_api_pb2.Pipeline.FromString(file.read())
    command = f"env PYTHONPATH={sys.argv[2]} {sys.executable} -m apache_beam.runners.worker.sdk_worker_main"
    for environment in pipeline.components.environments.values():
        environment.CopyFrom(
            beam_runner_api_pb2.Environment(
                urn=WORKER, payload=command.encode(), capabilities=environment.capabilities
            )
        )
    options = PipelineOptions(["--direct_num_workers=2"])
    state = FnApiRunner().run_via_runner_api(pipeline, options).wait_until_finish()
    sys.exit(0 if state in (None, "DONE") else 1)


if __name__ == "__main__":
    main()
