"""Run a command and print the bytes that its largest process took at its peak.

    python benchmarks/peak.py COMMAND ...

A process begins with the peak of the one that started it, so that has to be a small one: this.
"""

from __future__ import annotations

import resource
import subprocess
import sys

if __name__ == "__main__":
    subprocess.run(sys.argv[1:], check=True)
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
