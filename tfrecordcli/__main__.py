"""`tfrec` and `python -m tfrecordcli`: where the command begins."""

import signal
from typing import NoReturn


def main() -> NoReturn:
    """Runs the command; a signal that arrives while it is being loaded waits until it can be answered."""
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    from tfrecordcli.cli.main import main as run

    run()


if __name__ == "__main__":
    main()
