"""One mutant in a process of its own, forked from one that has loaded the libraries but not the package."""

from __future__ import annotations

import importlib
import importlib.util
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import copy

import numba
import pytest
from mutant import ROOT, Area

HOOK = Path(__file__).resolve().with_name("hook.py")
LIMIT = 900.0
"""Seconds for the tests and the fuzzed models of one mutant."""

MEMORY = 4 * 2**30
"""Bytes that a process may take: a fault may ask for any number."""

_LIBRARIES = ("numpy", "ortools.sat.python.cp_model", "constraint", "scipy.stats")
_ENDS = {0: "survived", 10: "tests", 11: "fuzz"}
"""By exit code; with any other one nothing was shown."""


@dataclass(frozen=True)
class Job:
    """What is to be planted (``module=file``, or nothing), and who is to notice it."""

    planted: str
    tests: tuple[str, ...]
    area: Area


@dataclass(frozen=True)
class Noticed:
    """Who noticed (``tests``, ``fuzz``, ``time``), ``survived`` or ``broken``; what; processor seconds."""

    end: str
    detail: str
    seconds: float


@dataclass(frozen=True)
class _Child:
    job: Job
    output: Path
    started: float


def load_libraries() -> None:
    """Load what the package and the tests build on, so that no child has to."""
    for name in _LIBRARIES:
        importlib.import_module(name)
    assert "cpqueens" not in sys.modules, "children are to load it, with the mutant in it"


def watch_all(jobs: list[Job], processes: int) -> Iterator[tuple[int, Noticed]]:
    """Run the jobs side by side; yield the number of each and its end as it ends."""
    waiting = list(enumerate(jobs))[::-1]
    running: dict[int, tuple[int, _Child]] = {}
    with tempfile.TemporaryDirectory(prefix="cpqueens-mutants-") as folder:
        copy(HOOK, Path(folder) / "sitecustomize.py")  # loaded by every Python that a child starts
        while waiting or running:
            while waiting and len(running) < processes:
                number, job = waiting.pop()
                output = Path(folder) / f"{number}.txt"
                running[_fork(job, output)] = number, _Child(job, output, time.monotonic())
            for pid in list(running):
                number, child = running[pid]
                found = _ended(pid, child)
                if found is not None:
                    del running[pid]
                    yield number, found
            time.sleep(0.05)


def _ended(pid: int, child: _Child) -> Noticed | None:
    """Return how a child ended, None while it runs; one that takes too long is ended."""
    late = time.monotonic() - child.started > LIMIT
    if late:
        os.killpg(pid, signal.SIGKILL)
    done, status, used = os.wait4(pid, 0 if late else os.WNOHANG)
    if not done:
        return None
    seconds = used.ru_utime + used.ru_stime
    text = child.output.read_text(encoding="utf-8", errors="replace")
    if late:
        return Noticed("time", f"no end after {LIMIT:.0f} s", seconds)
    if not os.WIFEXITED(status):
        return Noticed("tests", f"the process died of signal {os.WTERMSIG(status)}", seconds)
    return Noticed(_ENDS.get(os.WEXITSTATUS(status), "broken"), _last(text), seconds)


def _last(text: str) -> str:
    """Return the line that says what failed."""
    lines = [line for line in text.splitlines() if line.startswith(("FAILED", "ERROR", "model "))]
    return (lines or text.strip().splitlines() or [""])[-1][:160]


def _fork(job: Job, output: Path) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 13
    try:
        os.setsid()  # with all that it starts it can be ended
        with output.open("w", encoding="utf-8") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        code = _look(job, str(output.parent))
        sys.stdout.flush()
    except BaseException as error:
        print(f"ERROR {type(error).__name__}: {error}", flush=True)
    finally:
        os._exit(code)


def _look(job: Job, folder: str) -> int:
    """Plant the fault in this process and in those that it starts; return the exit code."""
    os.chdir(ROOT)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    os.environ |= {"PYTHONDONTWRITEBYTECODE": "1", "CPQUEENS_MUTANT": job.planted, "PYTHONPATH": folder}
    sys.dont_write_bytecode = True
    if job.area.plain:
        os.environ["NUMBA_DISABLE_JIT"] = "1"
        numba.config.DISABLE_JIT = True
    _load(HOOK)
    sys.path.insert(0, str(ROOT))
    for stage in (_test, _fuzz):
        code = stage(job)
        if code:
            return code
    return 0


def _test(job: Job) -> int:
    ended = pytest.main(["-x", "-q", "-m", "not slow", "-p", "no:cacheprovider", *job.tests])
    if ended in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED):
        return 10 if ended else 0  # interrupted: a module could not even be imported
    return 12


def _fuzz(job: Job) -> int:
    from fuzzed import main

    try:
        return 11 if main(job.area.solvers) else 0
    except Exception as error:  # it noticed, too
        print(f"model that ended the fuzzer: {type(error).__name__}: {error}")
        return 11


def _load(path: Path) -> None:
    spec = importlib.util.spec_from_file_location("mutant_hook", path)
    assert spec is not None
    assert spec.loader is not None
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
