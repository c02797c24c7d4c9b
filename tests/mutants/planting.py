"""One mutant in a process of its own, forked from one that has loaded the libraries but not the package."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from shutil import copy

import pytest
from mutant import ROOT, Area
from timing import FAR, UNENDED, QuickestFirst, Seconds, limit_time

HOOK = Path(__file__).resolve().with_name("hook.py")
LIMIT = 900.0
"""Seconds on the clock for the tests and the fuzzed models of one mutant."""

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
    fuzz: bool = True


@dataclass(frozen=True)
class Noticed:
    """Who noticed, or ``survived``, ``late`` or ``broken``; what; processor seconds.

    Who noticed is ``tests``, ``fuzz`` or ``time``: far more processor time than before. ``late`` is by the
    clock, which may be the machine's fault.
    """

    end: str
    detail: str
    seconds: float


@dataclass(frozen=True)
class Child:
    """A process to be: its job, and the file that it writes to."""

    job: Job
    output: Path

    @property
    def book(self) -> Path:
        """The file of the tests that it ran: lines of name, seconds and outcome."""
        return self.output.with_suffix(".book")


def load_libraries() -> None:
    """Load what the package and the tests build on, so that no child has to."""
    for name in _LIBRARIES:
        importlib.import_module(name)
    assert "cpqueens" not in sys.modules, "children are to load it, with the mutant in it"


def watch_all(jobs: Mapping[int, Job], processes: int, seconds: Seconds) -> Iterator[tuple[int, Noticed]]:
    """Run the jobs side by side; yield the number of each and its end as it ends."""
    with tempfile.TemporaryDirectory(prefix="cpqueens-mutants-") as folder:
        yield from side_by_side(
            children_of(jobs, Path(folder)),
            lambda child: fork(child, lambda: _look(child, seconds)),
            processes,
            seconds,
        )


def children_of(jobs: Mapping[int, Job], folder: Path) -> dict[int, Child]:
    """Return a process to be for each job; all that they start load the hook that is put into the folder."""
    copy(HOOK, folder / "sitecustomize.py")
    return {number: Child(job, folder / f"{number}.txt") for number, job in jobs.items()}


def side_by_side(
    children: Mapping[int, Child],
    start: Callable[[Child], int],
    processes: int,
    seconds: Seconds,
    limit: float = LIMIT,
) -> Iterator[tuple[int, Noticed]]:
    """Start one child after the other, ``processes`` at a time; yield the number and the end of each.

    What their tests took is added to ``seconds`` before the next is started; ``limit`` is in seconds.
    """
    waiting = list(children)[::-1]
    running: dict[int, tuple[int, float]] = {}
    while waiting or running:
        while waiting and len(running) < processes:
            number = waiting.pop()
            running[start(children[number])] = number, time.monotonic()
        for pid, (number, started) in list(running.items()):
            found = _ended(pid, children[number], late=time.monotonic() - started > limit)
            if found is not None:
                del running[pid]
                for name, duration, _ in _booked(children[number]):
                    seconds[name] = min(duration, seconds.get(name, UNENDED))
                yield number, found
        time.sleep(0.02)


def _ended(pid: int, child: Child, late: bool) -> Noticed | None:
    """Return how a child ended, None while it runs; one that takes too long is ended."""
    if late:
        os.killpg(pid, signal.SIGKILL)
    done, status, used = os.wait4(pid, 0 if late else os.WNOHANG)
    if not done:
        return None
    seconds = used.ru_utime + used.ru_stime
    if late:
        return Noticed("late", f"no end in time: {_under_way(child)}", seconds)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
        return Noticed("time", f"{FAR} times as long: {_under_way(child)}", seconds)
    if not os.WIFEXITED(status):
        return Noticed("tests", f"the process died of signal {os.WTERMSIG(status)}", seconds)
    return Noticed(_ENDS.get(os.WEXITSTATUS(status), "broken"), _last(child), seconds)


def _booked(child: Child) -> list[tuple[str, float, str]]:
    if not child.book.exists():
        return []
    return [json.loads(line) for line in child.book.read_text(encoding="utf-8").splitlines()]


def _under_way(child: Child) -> str:
    """Return the test that had begun and not ended, "" if there is none."""
    name, seconds, _ = (_booked(child) or [("", 0.0, "")])[-1]
    return name if seconds == UNENDED else ""


def _last(child: Child) -> str:
    """Return the line that says what failed."""
    text = child.output.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    lines = [f"FAILED {name}" for name, _, outcome in _booked(child) if outcome == "failed"]
    lines += [line for line in text if line.startswith(("ERROR", "INTERNALERROR", "model "))]
    return (lines or text or [""])[-1][:160]


def fork(child: Child, work: Callable[[], int]) -> int:
    """Return the process that does the work, which returns its exit code; it writes to the child's file."""
    pid = os.fork()
    if pid:
        return pid
    code = 13
    try:
        os.setsid()  # with all that it starts it can be ended
        with child.output.open("w", encoding="utf-8") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        code = work()
        sys.stdout.flush()
    except BaseException as error:
        print(f"ERROR {type(error).__name__}: {error}", flush=True)
    finally:
        os._exit(code)


def prepare(job: Job, folder: Path) -> None:
    """Make this process, and those that it starts, ready for the package, which is loaded from here on."""
    os.chdir(ROOT)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    os.environ |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(folder)}
    sys.dont_write_bytecode = True
    if job.area.plain:
        os.environ["NUMBA_DISABLE_JIT"] = "1"
    sys.path.insert(0, str(ROOT))


def plant(planted: str) -> None:
    """Let this process, and those that it starts, load the fault when they load its module."""
    os.environ["CPQUEENS_MUTANT"] = planted
    spec = importlib.util.spec_from_file_location("mutant_hook", HOOK)
    assert spec is not None
    assert spec.loader is not None
    spec.loader.exec_module(importlib.util.module_from_spec(spec))


def run_tests(tests: tuple[str, ...], plugin: object) -> int:
    """Run tests until one fails; return 0 if none does, 10 if one does, 12 if they cannot be run."""
    arguments = ["-x", "-q", "-m", "not slow", "-p", "no:cacheprovider", *tests]
    ended = pytest.main(arguments, plugins=[plugin])
    if ended in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED):
        return 10 if ended else 0  # interrupted: a module could not even be imported
    return 12


def _look(child: Child, seconds: Seconds) -> int:
    """Plant the fault, run the tests, then the fuzzer; return the exit code."""
    job = child.job
    plugin = QuickestFirst(seconds, child.book, limited=job.planted != "")
    prepare(job, child.output.parent)
    plant(job.planted)
    return run_tests(job.tests, plugin) or (_fuzz(job) if job.fuzz else 0)


def _fuzz(job: Job) -> int:
    from fuzzed import main

    limit_time(UNENDED)
    try:
        return 11 if main(job.area.solvers) else 0
    except Exception as error:  # it noticed, too
        print(f"model that ended the fuzzer: {type(error).__name__}: {error}")
        return 11
