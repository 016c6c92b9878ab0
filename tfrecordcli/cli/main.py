"""Entry point: runs a command and maps every way it can end to one exit code and one message."""

from __future__ import annotations

import atexit
import contextlib
import errno
import importlib
import io
import os
import signal
import sys
import tempfile
import traceback
from typing import Final, NoReturn

import click

from tfrecordcli.cli.output import print_error, print_json, print_traceback
from tfrecordcli.cli.signals import SIGNALS, Interrupted, Stopping
from tfrecordcli.errors import InternalError, OutputError, ResourceError, TfrecError, UsageError
from tfrecordcli.processes import has_current_directory, is_short_of_memory
from tfrecordcli.units import nearest
from tfrecordcli.version import __version__

# `tfrecordcli.cli.completion.VARIABLE`, which a shell sets when it asks what completes a command line.
_COMPLETING: Final = "_TFREC_COMPLETE"
_ISSUES = "please report it with that file"


# Command -> (its module here, the beginning of its help): each is loaded when it is run, and none for --help.
_COMMANDS: Final = {
    "bench": ("bench", "Compare the ways of feeding an accelerator on a dataset."),
    "completion": ("completion", "Make a shell complete commands, options, values and paths."),
    "convert": ("convert", "Convert an image list to sharded TFRecords."),
    "doctor": ("doctor", "Show whether this machine has what tfrec needs."),
    "finish": ("steps", "Make a dataset of shards that are all there."),
    "inspect": ("inspect", "Show what is in TFRecords, whoever wrote them."),
    "plan": ("steps", "Make the plan of a conversion, for write-shards."),
    "verify": ("verify", "Prove that TFRecords are right and can feed an accelerator."),
    "write-shards": ("steps", "Make shards of a plan."),
}
# Commands of TFRecorder -> what there is instead.
_FORMER: Final = {
    "create-tfrecords": "it is tfrec convert SOURCE OUTPUT_DIR; docs/from-tfrecorder.md has its options",
    "check-tfrecords": "it is tfrec verify PATH; tfrec inspect PATH --export FOLDER takes records apart",
}


def _tell_version(context: click.Context, _: click.Parameter, is_asked: bool) -> None:
    """Prints the version, and which gate JPEGs pass here unless an option says otherwise."""
    if is_asked:
        from tfrecordcli.images.gate import here

        click.echo(f"tfrec, version {__version__} (gate: {here()})")
        context.exit()


class _Commands(click.Group):
    """The commands of `_COMMANDS`; those that click holds are their names only."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"tfrecordcli.cli.{_COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        word = args[0]
        if word not in _COMMANDS and not word.startswith("-"):
            hint = _FORMER.get(word) or nearest(word, list(_COMMANDS)) or "tfrec --help lists them"
            raise UsageError(f"there is no command {word!r}", hint)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_) for name, (_, help_) in _COMMANDS.items()])


@click.group(
    cls=_Commands,
    commands={name: click.Command(name) for name in _COMMANDS},
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 all well; 1 something was found that was not allowed; 2 it cannot run; "
    "3 stopped by something passing, run it again; 70 a bug.",
)
@click.option(
    "-V", "--version", is_flag=True, expose_value=False, is_eager=True, callback=_tell_version,
    help="Show the version and the gate, and exit.",
)  # fmt: skip
def tfrec() -> None:
    """Image lists into TFRecords that TensorFlow reads, and proof that they are right.

    \b
    tfrec convert data.csv out/    # a list, or a folder of images
    tfrec verify out/
    tfrec convert --help           # each command has examples
    """


def main() -> NoReturn:
    """Runs `tfrec` with the arguments of this process and leaves with its exit code."""
    colour = False if os.environ.get("NO_COLOR") else None  # https://no-color.org
    arguments = sys.argv[1:]
    stopping = Stopping(lambda code, word: _stopped(arguments, code, word))
    stopping.install()
    with click.Context(tfrec, color=colour).scope():
        try:
            code = run(arguments, colour)
            stopping.ended(code)
        except Interrupted:
            code = stopping.end()
        _leave(code)


def run(arguments: list[str], colour: bool | None) -> int:
    """Runs a command line in this process; its exit code."""
    # A stream that the caller closed is None; nobody reads it, which is no reason to fail.
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal may know ASCII only
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)  # see __main__
        if _COMPLETING in os.environ:
            from tfrecordcli.cli.completion import answer

            return answer(tfrec)
        code: int = tfrec.main(arguments, standalone_mode=False, color=colour)
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit):  # click makes the second of the first
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Python would complain again at its end
        code = 141
    except TfrecError as error:
        code = _failed(arguments, error)
    except click.ClickException as error:
        code = _failed(arguments, _from_click(error))
    except OSError as error:
        code = _failed(arguments, _from_system(error))
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        failure: TfrecError = InternalError(f"a bug in tfrec: {what}")
        if is_short_of_memory(what):
            failure = ResourceError("too little memory", "raise the limit (ulimit -v)", code="memory")
        failure.__cause__ = error
        code = _failed(arguments, failure)
    return code


def _leave(code: int) -> NoReturn:
    """Ends the process at once: nothing is lost by it (see `Stopping`), and clearing up takes Python 30 ms.

    What stdout could not take must not change the exit code at the very end.
    """
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
    atexit._run_exitfuncs()
    os._exit(code)


def _from_click(error: click.ClickException) -> TfrecError:
    hint = ""
    if isinstance(error, click.UsageError) and error.ctx is not None:
        hint = f"see {error.ctx.command_path} --help"
    return UsageError(error.format_message(), hint)


def _from_system(error: OSError) -> TfrecError:
    """Of what no part of tfrec expected: by its file, or else that of the standard output."""
    failure: TfrecError = OutputError(f"the output cannot be written: {error.strerror}", "where does it go?")
    if error.errno in (errno.EMFILE, errno.ENFILE):
        failure = ResourceError("too many open files", "raise the limit (ulimit -n)")
    elif error.filename is not None:
        what = f"{os.fsdecode(error.filename)}: the system says {error.strerror}"
        failure = ResourceError(what, "see its permissions, and the room on its disk")
    failure.__cause__ = error
    return failure


def _failed(arguments: list[str], error: TfrecError) -> int:
    if "--debug" in arguments:
        print_traceback(error)
    elif isinstance(error, InternalError):
        error = InternalError(error.message.partition("\n")[0], f"{_keep_traceback(error)}: {_ISSUES}")
    if not has_current_directory():
        error.hint = (
            "the current directory was deleted, so relative paths lead nowhere: change to another one"
        )
    _report(arguments, error, error.exit_code)
    return error.exit_code


def _stopped(arguments: list[str], code: int, word: str) -> None:
    if _command_of(arguments) == "convert":
        error = TfrecError(f"{word}; finished shards are kept", "the same command continues", code=word)
    else:
        error = TfrecError(f"{word} before it was done", "run it again", code=word)
    _report(arguments, error, code)


def _report(arguments: list[str], error: TfrecError, code: int) -> None:
    with contextlib.suppress(OSError):  # stderr still hears what a full stdout cannot take
        if "--json" in arguments:
            print_json(_command_of(arguments), code, {}, error, warnings=error.warnings)
            sys.stdout.flush()
    with contextlib.suppress(OSError):
        print_error(error)


def _command_of(arguments: list[str]) -> str:
    """`convert`, `verify`, ...; empty when none is named."""
    return next((word for word in arguments if not word.startswith("-")), "")


def _keep_traceback(error: TfrecError) -> str:
    try:
        descriptor, path = tempfile.mkstemp(prefix="tfrec-bug-", suffix=".txt")
        with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            traceback.print_exception(error, file=file)
    except OSError:
        return "the traceback could not be kept; --debug prints it"
    return f"the traceback is in {path}"


if __name__ == "__main__":
    main()
