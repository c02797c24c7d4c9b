"""Whatever dies while a count with a ledger runs: it is exact in the end.

Nothing here waits for a moment in a fast job: a process is struck as it is given a task, so that it cannot be
through before.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from cpqueens.models.queens import queens
from executors import found_in, job_of

from cpqueens.kernels.jit import tiers
from cpqueens.longrun.coordinator import durable_count
from cpqueens.longrun.pool import Processes, TaskLost
from cpqueens.longrun.splitting import JobError, code_version
from cpqueens.longrun.work import count_parts, residues

TIMES = 1
"""Kills of each kind here; `test_many_kills` does more."""


@pytest.fixture(autouse=True)
def kernels_are_plain(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Compile nothing for boards this small, in no process."""
    monkeypatch.setenv("CPQUEENS_KERNELS", "plain")
    with tiers.mode("plain"):
        yield


# ---- coordinators --------------------------------------------------------------------------------------


def begun(
    path: Path, n: int, *more: str, before: Callable[[], None] | None = None
) -> subprocess.Popen[bytes]:
    """Return a coordinator at work on at least 300 parts, in a session of its own."""
    command = ["-m", "cpqueens", "count", "queens", f"n={n}", "--store", str(path), "--parts", "300", *more]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, *command], stdout=pipe, stderr=pipe, start_new_session=True, preexec_fn=before
    )


def rows(path: Path, table: str) -> int:
    """Return how many rows of a table are on the disk, 0 before there is a ledger."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as reader:
            (found,) = reader.execute(f"SELECT count(*) FROM {table}").fetchone()
            return int(found)
    except sqlite3.Error:
        return 0


def to_the_end(path: Path) -> None:
    """Have a coordinator finish a count, which must be exact."""
    with begun(path, 7, "--workers", "2") as process:
        printed = process.communicate(timeout=600)
    assert process.returncode == 0, printed
    totals = found_in(path)
    assert (totals.count, totals.complete, totals.conflicts) == (40, True, 0)
    assert (totals.done, totals.confirmed) == (343, 0)


def kill_coordinators(folder: Path, times: int, chance: random.Random) -> tuple[int, int]:
    """Kill coordinators at random instants; return how many were at work then, and how many counts that took.

    All counts are exact. One that came to its end before the kill makes place for another.
    """
    counts, at_work = 1, 0
    for _ in range(times):
        path = folder / f"{counts}.db"
        sessions = rows(path, "session")
        process = begun(path, 7, "--workers", "1")
        if chance.random() < 0.8:  # the others are killed while they start
            while rows(path, "session") == sessions and process.poll() is None:
                time.sleep(0.01)
        time.sleep(chance.uniform(0, 1.2))
        at_work += process.poll() is None and rows(path, "session") > sessions
        process.kill()
        process.communicate()
        if rows(path, "result") == 343:
            to_the_end(path)
            counts += 1
    to_the_end(folder / f"{counts}.db")
    return at_work, counts


def test_killed_coordinators(tmp_path: Path) -> None:
    _, counts = kill_coordinators(tmp_path, TIMES, random.Random(1))
    assert counts <= 2


@pytest.mark.slow
def test_a_full_disk_is_said_in_one_line_and_nothing_is_lost(tmp_path: Path) -> None:
    """No file may grow beyond some kilobytes, which is what a small disk does."""
    resource = pytest.importorskip("resource")
    path = tmp_path / "run.db"
    small = (100_000, 100_000)
    with begun(
        path, 7, "--workers", "1", before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, small)
    ) as full:
        _, err = full.communicate(timeout=600)
    assert full.returncode == 2, err
    assert len(err.splitlines()) == 1
    assert b"what was committed before is kept" in err
    assert not found_in(path).complete
    to_the_end(path)


def test_interrupted_by_a_signal_it_says_how_to_resume(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with begun(path, 13, "--workers", "1", "--solver", "backtracking:check") as process:  # it has hours to do
        while not rows(path, "session"):  # from then on it listens
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=600)
    assert process.returncode == 130, (out, err)
    assert b"resume     by the same command" in out
    assert not found_in(path).conflicts


# ---- workers -------------------------------------------------------------------------------------------


class Struck(Processes):
    """Processes of which some are struck as they get a task, each part of a job at most once.

    Parameters
    ----------
    times
        How many are struck.
    strike
        Does it to the process of this number.
    """

    def __init__(self, workers: int, times: int, strike: Callable[[int], object]) -> None:
        self.left, self.strike = times, strike
        self.parts: dict[Future[Any], Sequence[int]] = {}
        self.hit: set[int] = set()
        self.lock = threading.Lock()
        super().__init__(workers)
        self._children = Children(self)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        with self.lock:
            future = super().submit(fn, *args, **kwargs)
            self.parts[future] = args[1]
        return future

    def given(self, future: Future[Any], pid: int) -> None:
        """Strike a process that is about to get a task."""
        with self.lock:
            if self.left and self.hit.isdisjoint(self.parts[future]):
                self.left -= 1
                self.hit |= set(self.parts[future])
                self.strike(pid)


class Children(dict[Any, Any]):
    """Who has which task; says so when somebody gets one."""

    def __init__(self, pool: Struck) -> None:
        self.pool = pool

    def __setitem__(self, future: Any, child: Any) -> None:
        super().__setitem__(future, child)
        self.pool.given(future, child.pid)


def killing(chance: random.Random, timers: list[threading.Timer]) -> Callable[[int], None]:
    """Return what kills a process within a tenth of a second, half of them stopped until then."""

    def strike(pid: int) -> None:
        if not timers or chance.random() < 0.5:
            os.kill(pid, signal.SIGSTOP)  # it is still at its task when it is killed
        timers.append(threading.Timer(chance.uniform(0, 0.1), kill, (pid,)))
        timers[-1].start()

    return strike


def kill(pid: int) -> None:
    """Kill a process, if it is there."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def kill_workers(path: Path, times: int, chance: random.Random) -> None:
    """Kill workers at random instants; the count must be exact in one session."""
    timers: list[threading.Timer] = []
    pool = Struck(2, times, killing(chance, timers))
    try:
        found = durable_count(queens(7), path, executor=pool, workers=2, parts=300)
    finally:
        for timer in timers:
            timer.join()
        pool.shutdown(wait=False)
    assert len(timers) == times
    assert (found.count, found.complete) == (40, True)
    assert found.totals.done == found.totals.parts == 343


def test_killed_workers(tmp_path: Path) -> None:
    kill_workers(tmp_path / "run.db", TIMES, random.Random(2))


def test_a_stopped_worker_loses_its_lease(tmp_path: Path) -> None:
    stopped: list[int] = []

    def strike(pid: int) -> None:
        os.kill(pid, signal.SIGSTOP)
        stopped.append(pid)

    pool = Struck(2, 1, strike)
    try:
        found = durable_count(queens(6), tmp_path / "run.db", executor=pool, workers=2, parts=36, lease=1.0)
    finally:
        pool.shutdown(wait=False)
    assert len(stopped) == 1
    assert (found.count, found.complete) == (4, True)


def test_a_pool_goes_on_without_the_dead() -> None:
    pool = Processes(1)
    try:
        with pytest.raises(TaskLost, match="exit code 3"):
            pool.submit(os._exit, 3).result(60)
        assert pool.submit(residues, 92).result(60) == (92, 92)
        with pytest.raises(JobError, match="has cpqueens"):
            pool.submit(count_parts, job_of(queens(5)).text.replace(code_version(), "0+0"), [0]).result(60)
    finally:
        pool.shutdown(wait=True)
