"""A process that has its turn (`cpqueens.system.children`) until it is killed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cpqueens.system import children

_HOLDER = """
import runpy, sys, time
from pathlib import Path
with runpy.run_path(sys.argv[1])["turn"](Path(sys.argv[2]), 60.0, print):
    print("mine", flush=True)
    time.sleep(600)
"""


@contextmanager
def held_elsewhere(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Let a child process have its turn while the block runs, or until the block kills it."""
    command = [sys.executable, "-c", _HOLDER, children.__file__, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "mine\n"
        try:
            yield child
        finally:
            child.kill()
