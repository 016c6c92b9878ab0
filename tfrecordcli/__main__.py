"""`python -m tfrecordcli` is `tfrec`."""

from tfrecordcli.cli.main import main

if __name__ == "__main__":
    main()
