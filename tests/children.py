"""Which processes a test has left behind, also those that tried to get away."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from pathlib import Path

ADOPTS = sys.platform == "linux"
_PR_SET_CHILD_SUBREAPER = 36


_MAY_STAY = ("resource_tracker", "cpqueens.kernels.jit.jobs import work")


def adopt_orphans() -> None:
    """Let what loses its parent become a child of this process, so that it can be seen (on Linux)."""
    if ADOPTS:
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def running_children(pid: int | None = None) -> dict[int, str]:
    """Return the living children of a process with their command lines; nothing where that cannot be seen.

    A process that compiles a kernel may outlive who wanted it, and ends by itself.
    """
    if not ADOPTS or (pid is None and not _has_children()):
        return {}
    found: dict[int, str] = {}
    for child in _children_of(os.getpid() if pid is None else pid):
        with contextlib.suppress(OSError):
            folder = Path(f"/proc/{child}")
            if (folder / "stat").read_text().rpartition(")")[2].split()[0] != "Z":
                found[child] = (folder / "cmdline").read_text().replace("\0", " ").strip()
    return {child: words for child, words in found.items() if not any(name in words for name in _MAY_STAY)}


def _children_of(pid: int) -> list[int]:
    """Return the children of all threads of a process, as its kernel lists them or as all processes say."""
    if Path(f"/proc/self/task/{os.getpid()}/children").exists():
        files = Path(f"/proc/{pid}/task").glob("*/children")
        return [int(child) for file in files for child in _text(file).split()]
    parents = {int(folder.name): _text(folder / "stat") for folder in Path("/proc").glob("[0-9]*")}
    return [child for child, stat in parents.items() if stat.rpartition(")")[2].split()[1:2] == [str(pid)]]


def _text(file: Path) -> str:
    """Return the content of a file; nothing if its process has ended meanwhile."""
    try:
        return file.read_text()
    except OSError:
        return ""


def _has_children() -> bool:
    """Say whether this process has any, ended ones included; that is much cheaper than reading ``/proc``."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def left_behind(before: dict[int, str], patience: float = 5.0) -> dict[int, str]:
    """Return the children that were not there before and do not go; they are ended."""
    deadline = time.monotonic() + patience
    while left := {child: words for child, words in running_children().items() if child not in before}:
        if time.monotonic() > deadline:
            for child in left:
                with contextlib.suppress(OSError):
                    os.kill(child, signal.SIGKILL)
            return left
        time.sleep(0.02)
    return {}
