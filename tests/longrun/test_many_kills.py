"""Hundreds of kills of coordinators, workers and schedulers: every count has its right total (`make kills`).

A count takes minutes where nobody is killed. A kill counts only after the first part that its session has
committed, so that none is of a process which had not yet begun.
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
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from clusters import Cluster
from cpqueens.models.queens import queens
from executors import found_in

from cpqueens.longrun import session
from cpqueens.longrun.cluster import connected
from cpqueens.longrun.coordinator import durable_count
from cpqueens.longrun.pool import Processes

pytestmark = pytest.mark.slow
KILLS = int(os.environ.get("KILLS", "100"))
"""Of coordinators, and of workers, each with processes of this machine and with a scheduler."""
SCHEDULERS = max(1, KILLS // 10)
N, PARTS, SOLUTIONS = 10, 20_000, 724
TASK = 0.4
"""Seconds that a task is to take: of the usual two hardly one would end between two kills."""
_COMMAND = (
    f"from cpqueens.longrun import session; session.TASK_SECONDS = {TASK}; "
    "from cpqueens.cli.main import main; main()"
)


@pytest.fixture(autouse=True)
def tasks_are_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CPQUEENS_KERNELS", "plain")
    monkeypatch.setattr(session, "TASK_SECONDS", TASK)


def results(path: Path) -> int:
    """Return how many parts are committed, 0 before there is a ledger."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as reader:
            return int(reader.execute("SELECT count(*) FROM result").fetchone()[0])
    except sqlite3.Error:
        return 0


def exact(path: Path) -> None:
    """See that a count has come to its right end, in which each part was counted once."""
    totals = found_in(path)
    assert (totals.count, totals.complete, totals.conflicts, totals.poison) == (SOLUTIONS, True, 0, ())
    assert totals.done == totals.parts == PARTS


@dataclass
class Counts:
    """One count after the other, in files of their own."""

    folder: Path
    ended: int = 0
    kills: int = 0

    @property
    def path(self) -> Path:
        """The ledger of the one that is under way."""
        return self.folder / f"{self.ended}.db"

    def end(self) -> None:
        """Go to the next."""
        exact(self.path)
        self.ended += 1

    def __str__(self) -> str:
        return f"{self.kills} kills, {self.ended} counts, each of {SOLUTIONS} solutions in {PARTS:,} parts"


def begun(path: Path, *more: str) -> subprocess.Popen[bytes]:
    """Return a coordinator at work."""
    words = ["count", "queens", f"n={N}", "--store", str(path), "--parts", str(PARTS), *more]
    quiet = subprocess.DEVNULL
    return subprocess.Popen([sys.executable, "-c", _COMMAND, *words], stdout=quiet, stderr=quiet)


def kill_coordinators(counts: Counts, chance: random.Random, *more: str) -> None:
    """Kill coordinators some time after their first committed part; finish the last count."""
    while counts.kills < KILLS:
        there = results(counts.path)
        with begun(counts.path, *more) as coordinator:
            while results(counts.path) <= there and coordinator.poll() is None:
                time.sleep(0.02)
            time.sleep(chance.uniform(0, 0.5))
            alive = coordinator.poll() is None
            coordinator.kill()
        assert alive or coordinator.returncode == 0
        counts.kills += alive
        if results(counts.path) == PARTS:
            with begun(counts.path, *more) as last:
                assert last.wait() == 0
            counts.end()
    with begun(counts.path, *more) as last:
        assert last.wait() == 0
    counts.end()


@contextmanager
def killing(counts: Counts, kill: Callable[[], bool], times: int) -> Iterator[None]:
    """Kill something again and again while the block runs: each time after one more committed part."""
    over = threading.Event()

    def go_on() -> None:
        there, left = results(counts.path), times
        while left and not over.wait(0.05):
            now = results(counts.path)
            if now > there and kill():
                there, left = results(counts.path), left - 1
                counts.kills += 1

    killer = threading.Thread(target=go_on)
    killer.start()
    try:
        yield
    finally:
        over.set()
        killer.join()


def count(counts: Counts, executor: Executor) -> None:
    """Count in one session, which is all that may be needed, whoever dies."""
    found = durable_count(queens(N), counts.path, executor=executor, workers=2, parts=PARTS)
    assert found.stop_reason == "exhausted"
    counts.end()


class Known(Processes):
    """Processes of which one that has a task can be killed."""

    def kill_one(self, chance: random.Random) -> bool:
        """Kill one; say whether there was one."""
        at_work = [child.pid for child in list(self._children.values())]
        time.sleep(chance.uniform(0, 0.3))
        with suppress(ProcessLookupError):
            if at_work:
                os.kill(chance.choice(at_work), signal.SIGKILL)
                return True
        return False


def test_coordinators_with_processes(tmp_path: Path) -> None:
    counts = Counts(tmp_path)
    kill_coordinators(counts, random.Random(1), "--workers", "1")
    print(f"coordinators with processes: {counts}")


def test_workers_that_are_processes(tmp_path: Path) -> None:
    counts, chance = Counts(tmp_path), random.Random(2)
    while counts.kills < KILLS:
        pool = Known(2)
        try:
            with killing(counts, lambda pool=pool: pool.kill_one(chance), KILLS - counts.kills):
                count(counts, pool)
        finally:
            pool.shutdown(wait=False)
    print(f"workers that are processes: {counts}")


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    found = Cluster(tmp_path)
    try:
        found.scheduler()
        found.worker()
        found.worker()
        found.wait_for(2)
        yield found
    finally:
        found.end()


@pytest.mark.filterwarnings("default")
def test_coordinators_with_a_scheduler(cluster: Cluster, tmp_path: Path) -> None:
    counts = Counts(tmp_path)
    kill_coordinators(counts, random.Random(3), "--cluster", cluster.address)
    print(f"coordinators with a scheduler: {counts}")


@pytest.mark.filterwarnings("default")
def test_workers_of_a_scheduler(cluster: Cluster, tmp_path: Path) -> None:
    counts, chance = Counts(tmp_path), random.Random(4)

    def replace_one() -> bool:
        time.sleep(chance.uniform(0, 0.3))
        victim = cluster.processes.pop(chance.choice((1, 2)))
        victim.kill()
        victim.wait()
        cluster.worker()
        return True

    with connected(cluster.address) as (executor, _threads, _dashboard):
        while counts.kills < KILLS:
            with killing(counts, replace_one, KILLS - counts.kills):
                count(counts, executor)
    print(f"workers of a scheduler: {counts}")


@pytest.mark.filterwarnings("default")
def test_schedulers(cluster: Cluster, tmp_path: Path) -> None:
    counts = Counts(tmp_path)

    def restart() -> bool:
        cluster.end()
        cluster.processes.clear()
        cluster.scheduler()
        cluster.worker()
        cluster.worker()
        return True

    with connected(cluster.address) as (executor, _threads, _dashboard):
        while counts.kills < SCHEDULERS:
            with killing(counts, restart, SCHEDULERS - counts.kills):
                count(counts, executor)
    print(f"schedulers: {counts}")
