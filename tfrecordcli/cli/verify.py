"""`tfrec verify`: its options, and how its report is shown; the work is `verifying/verification.py`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from tfrecordcli.cli.options import completes, printing, takes
from tfrecordcli.cli.output import print_error, print_json, printable, problem_line, wrapped
from tfrecordcli.errors import TfrecError
from tfrecordcli.problems import DISAGREE
from tfrecordcli.units import format_rate, format_size, plural
from tfrecordcli.verify_options import VerifyOptions, make_verify_options
from tfrecordcli.verify_report import JointReport

if TYPE_CHECKING:
    from tfrecordcli.feed.report import FeedReport
    from tfrecordcli.verify_report import VerifyReport


@click.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, shell_complete=completes(place="file"))
@takes(VerifyOptions)
@printing("report")
def verify(paths: tuple[str, ...], as_json: bool, quiet: bool, **options: Any) -> int:
    """Prove that TFRecords are right and can feed an accelerator.

    PATH is a dataset that tfrec wrote, any folder of TFRecords, or one TFRecord file. Several are
    verified as the one that they are to be.

    \b
    tfrec verify out/
    tfrec verify out/ --step-time 60 --device gpu
    tfrec verify out/ more/
    """  # fmt: skip
    from tfrecordcli.cli.progress import reporting
    from tfrecordcli.feed.tensorflow import log_fatal_only
    from tfrecordcli.verifying.joint_verification import verify_together
    from tfrecordcli.verifying.verification import verify as run

    log_fatal_only()
    with reporting(quiet) as reporter:
        report: VerifyReport | JointReport
        if len(paths) > 1:
            report = verify_together(paths, make_verify_options(options), reporter)
        else:
            report = run(paths[0], make_verify_options(options), reporter)
    if as_json:
        print_json("verify", report.exit_code, _json_values(report), _error_of(report))
    elif not quiet or report.exit_code:
        click.echo(joint_summary(report) if isinstance(report, JointReport) else summary(report))
    for each in report.reports if isinstance(report, JointReport) else (report,):
        if each.failure is not None:
            print_error(each.failure)
    return report.exit_code


def joint_summary(report: JointReport) -> str:
    """The reports of several datasets, and what is to be said of all, without a line break at the end."""
    count, records = plural(len(report.reports), "dataset"), plural(report.records, "record")
    if not report.ok:
        verdict = click.style("are not right", fg="red")
    elif not DISAGREE.isdisjoint(report.problem_counts):  # and it is ignored
        verdict = "are right, each by itself"
    else:
        verdict = click.style("are right as one", fg="green")
    blocks = [*map(summary, report.reports), f"{count} {verdict}: {records}", "\n".join(_problems(report))]
    return "\n\n".join(filter(None, blocks))


def summary(report: VerifyReport) -> str:
    """The report as text, without a line break at its end."""
    blocks = [_headline(report), "\n".join(_problems(report)), "\n".join(_feed(report)), _left_out(report)]
    return "\n\n".join(block for block in blocks if block)


def _headline(report: VerifyReport) -> str:
    where = click.style(printable(report.path), bold=True)
    is_right = report.exit_code != 1  # a feed that could not be run alone says nothing about the files
    word = click.style("is right", fg="green") if is_right else click.style("is not right", fg="red")
    splits = ", ".join(f"{name} {counts['records']:,}" for name, counts in report.splits.items())
    shards = plural(sum(counts["shards"] for counts in report.splits.values()), "shard")
    rates = report.integrity
    is_all = report.ok and not report.not_checked
    rate = rates["images_per_second"]  # none of a table
    all_of_it = f": every checksum, record{', label and image' if rate else ' and label'}" if is_all else ""
    images = f" ({format_rate(rate, 'image')})" if rate else ""
    checked = wrapped(f"{format_size(report.bytes)} checked in {rates['seconds']:.1f} s{all_of_it}{images}")
    records = plural(report.records, "record")
    return f"{where} {word}: {records} in {shards} ({splits or 'nothing read'})\n{checked}"


def _problems(report: VerifyReport | JointReport) -> Iterable[str]:
    from tfrecordcli.problems import HINTS

    for problem in report.problems:
        yield problem_line(problem)
    more = sum(report.problem_counts.values()) - len(report.problems)
    if more > 0:
        yield f"  and {more:,} more"
    if len(report.problem_counts) > 1 or more > 0:
        counts = ", ".join(f"{code} {count:,}" for code, count in report.problem_counts.items())
        yield f"  in all: {counts}"
    for code in dict.fromkeys(problem.code for problem in report.problems):
        yield f"  {click.style('hint', bold=True)} for {code}: {HINTS[code]}"


def _feed(report: VerifyReport) -> Iterable[str]:
    if report.feed is None:
        return ()
    noun = "image" if report.integrity["images_per_second"] else "row"
    return map(wrapped, _feed_sentences(report.feed, noun))


def _feed_sentences(feed: FeedReport, noun: str) -> Iterable[str]:
    from tfrecordcli.feed.report import is_in_doubt, milliseconds

    if not feed.proof["ok"]:
        yield "TensorFlow does not read what was written; nothing was timed"
        return
    where = f"batches arrive on {feed.device}"
    if feed.gpu_missing:
        where = "it sees no GPU, so batches stay on the cpu"
    yield (
        f"TensorFlow reads and decodes every record too, and agrees ({plural(feed.images, noun)} in "
        f"{feed.proof['seconds']:.1f} s); {where}"
    )
    if "read_through" in feed.proof:
        yield f"read through {feed.proof['read_through']}"
    if feed.images_per_second is None or feed.break_even_step_ms is None:
        return
    yield (
        f"the feed gives {format_rate(feed.images_per_second, 'image')} ({feed.mb_per_second:,.1f} MB/s) in "
        f"batches of {feed.batch_size:,}, the first after {feed.first_batch_seconds:.2f} s; "
        f"memory {format_size(feed.peak_memory or 0)}"
    )
    if (feed.requested_batch_size or 0) > feed.batch_size:
        yield (
            f"batches of {feed.requested_batch_size:,} were asked for: the split that is timed has too"
            f" few records for them"
        )
    advice = feed.advice or ""
    even = f"{milliseconds(feed.break_even_step_ms)} ms"
    if even not in advice:
        yield f"an accelerator never waits if it takes {even} or more for a batch"
    if feed.step_time_ms:
        in_doubt = is_in_doubt(feed.accelerator_wait, feed.accelerator_wait_predicted)
        verdict = "the two disagree" if in_doubt else feed.verdict
        yield f"one that takes {feed.step_time_ms:g} ms {_wait(feed, advice)}: {verdict}"
    stages = feed.stages or {}
    costs = ", ".join(f"{name} {stage['microseconds']:,.0f}" for name, stage in stages.items())
    yield f"microseconds an image with all cores at work: {costs}"
    yield advice  # which names the bottleneck


def _wait(feed: FeedReport, advice: str) -> str:
    """How long an accelerator waits: seen and predicted, as far as the advice does not say it."""
    predicted = f"{feed.accelerator_wait_predicted:.0%}"
    if feed.accelerator_wait is None:
        return f"would wait {predicted} of the time (predicted; --feed-seconds is too short to see it)"
    if f" waits {feed.accelerator_wait:.0%} of its time" in advice:
        return f"waits (predicted: {predicted})"
    return f"waits {feed.accelerator_wait:.0%} of the time (predicted: {predicted})"


def _left_out(report: VerifyReport) -> str:
    notes = [f"note: {printable(note, 400)}" for note in report.notes]
    reasons = [f"not checked: {printable(reason, 400)}" for reason in report.not_checked]
    return "\n".join(wrapped(sentence, keep_words=True) for sentence in [*notes, *reasons])


def _json_values(report: VerifyReport | JointReport) -> dict[str, Any]:
    if isinstance(report, JointReport):
        problems = [dataclasses.asdict(each) for each in report.problems]
        reports = [_json_values(each) for each in report.reports]
        counts = report.problem_counts
        return {"reports": reports, "problems": problems, "problem_counts": counts, "ok": report.ok}
    values = dataclasses.asdict(dataclasses.replace(report, failure=None))
    del values["failure"]
    return {**values, "ok": report.ok, "problem_count": report.problem_count}


def _error_of(report: VerifyReport | JointReport) -> TfrecError | None:
    from tfrecordcli.problems import PROBLEMS

    if isinstance(report, JointReport):
        failed = next((each for each in report.reports if not each.ok), None)
        if failed is not None:
            return _error_of(failed)

    elif report.failure is not None and report.exit_code != 1:
        return report.failure
    if report.ok:
        return None
    errors = sum(count for code, count in report.problem_counts.items() if PROBLEMS[code][0] == "error")
    warnings = sum(report.problem_counts.values())
    found = plural(errors, "error") if errors else plural(warnings, "warning")
    return TfrecError(f"{found} found", "problems lists them", code="problems")
