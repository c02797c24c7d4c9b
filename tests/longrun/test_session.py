"""Who is to blame where work fails or dies: a part by itself, three times within one session; nobody else."""

from __future__ import annotations

import random
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from cpqueens.models.queens import queens
from executors import Here, found_in

from cpqueens.kernels.jit import tiers
from cpqueens.longrun import pool as pool_module
from cpqueens.longrun.coordinator import DurableCount, durable_count
from cpqueens.longrun.ledger import Ledger
from cpqueens.longrun.pool import Processes, TaskLost


@pytest.fixture(autouse=True)
def kernels_are_plain(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Compile nothing for boards this small, in no process."""
    monkeypatch.setenv("CPQUEENS_KERNELS", "plain")
    with tiers.mode("plain"):
        yield


def count_with(executor: Any, path: Path, workers: int = 2) -> DurableCount:
    return durable_count(queens(6), path, executor=executor, workers=workers, parts=36)


def failures_in(path: Path) -> list[tuple[int, str]]:
    with closing(Ledger.open(path)) as ledger:
        return [(part, message) for part, message, _ in ledger.failures()]


class Deadly(Here):
    """Raises something at tasks with a part, so many times."""

    def __init__(self, part: int, times: int, error: Exception) -> None:
        self.part, self.left, self.error = part, times, error
        self.tasks: list[list[int]] = []

    def call(self, fn: Callable[..., Any], *args: Any) -> Any:
        self.tasks.append(list(args[1]))
        if self.part in args[1] and self.left:
            self.left -= 1
            raise self.error
        return fn(*args)


KILLED = TaskLost("crashed", "its process ended with signal 9")


def test_a_part_that_kills_its_worker_is_poison_after_three_deaths_alone(tmp_path: Path) -> None:
    executor = Deadly(7, 10**9, KILLED)
    found = count_with(executor, tmp_path / "run.db")
    assert (found.stop_reason, found.totals.done, found.totals.poison) == ("poison", 35, (7,))
    assert failures_in(tmp_path / "run.db") == [(7, "TaskLost: its process ended with signal 9")] * 3
    assert executor.tasks[-3:] == [[7]] * 3  # after all others


@pytest.mark.parametrize(
    ("times", "error"), [(3, KILLED), (3, MemoryError("12 GB")), (2, RuntimeError("no"))]
)
def test_what_dies_less_often_is_done_all_the_same(times: int, error: Exception, tmp_path: Path) -> None:
    found = count_with(Deadly(7, times, error), tmp_path / "run.db")
    assert (found.count, found.complete, found.totals.poison) == (4, True, ())


def test_deaths_do_not_add_up_over_sessions(tmp_path: Path) -> None:
    class Left(Deadly):
        """Is left by its coordinator after the second death alone."""

        def call(self, fn: Callable[..., Any], *args: Any) -> Any:
            if args[1] == [7] and self.tasks.count([7]) == 2:
                signal.raise_signal(signal.SIGINT)
            return super().call(fn, *args)

    path = tmp_path / "run.db"
    for session in range(1, 4):
        found = count_with(Left(7, 10**9, KILLED), path)
        assert (found.stop_reason, found.totals.poison) == ("interrupted", ())
        assert len(failures_in(path)) == 2 * session
    assert count_with(Here(), path).complete


@pytest.mark.parametrize("seed", range(5))
def test_deaths_among_others_blame_nobody(seed: int, tmp_path: Path) -> None:
    """As many as half of all tasks that are not alone."""
    chance = random.Random(seed)

    class Struck(Here):
        def call(self, fn: Callable[..., Any], *args: Any) -> Any:
            if seen[tuple(args[1])] < 2 and chance.random() < 0.5:
                seen[tuple(args[1])] += 1
                raise KILLED
            return fn(*args)

    seen: Counter[tuple[int, ...]] = Counter()
    found = count_with(Struck(), tmp_path / "run.db")
    assert (found.count, found.complete, found.totals.confirmed) == (4, True, 0)
    assert seen.total() > 5


def test_who_is_suspected_is_tried_alone(tmp_path: Path) -> None:
    beside: list[int] = []

    class Crowd(ThreadPoolExecutor):
        """Four tasks at a time, of which each notes how many there are."""

        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
            return super().submit(self.watched, fn, *args)

        def watched(self, fn: Callable[..., Any], *args: Any) -> Any:
            with lock:
                running.add(tuple(args[1]))
                if args[1] == [7]:
                    beside.append(len(running))
            try:
                if 7 in args[1] and len(beside) < 4:
                    raise KILLED
                return fn(*args)
            finally:
                with lock:
                    running.discard(tuple(args[1]))

    running: set[tuple[int, ...]] = set()
    lock = threading.Lock()
    with Crowd(4) as executor:
        found = count_with(executor, tmp_path / "run.db", workers=4)
    assert (found.count, found.complete) == (4, True)
    assert beside[1:] == [1, 1, 1]
    assert len(failures_in(tmp_path / "run.db")) == 2


def test_out_of_memory_is_named(tmp_path: Path) -> None:
    count_with(Deadly(7, 10**9, MemoryError("12 GB")), tmp_path / "run.db")
    assert failures_in(tmp_path / "run.db") == [(7, "out of memory: 12 GB")] * 3
    assert found_in(tmp_path / "run.db").poison == (7,)


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
@pytest.mark.parametrize(("ends", "said"), [(0, r"signal 9$"), (1, "signal 9 .out of memory: the system")])
def test_a_process_that_the_system_ended_for_memory_is_told_from_one_that_was_killed(
    ends: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = iter((7, 7, 7 + ends))  # as it starts, as it gets its task, as it has died
    monkeypatch.setattr(pool_module, "processes_ended_for_memory", lambda: next(looks))
    pool = Processes(1)
    try:
        with pytest.raises(TaskLost, match=said):
            pool.submit(signal.raise_signal, int(signal.SIGKILL)).result(60)
    finally:
        pool.shutdown(wait=True)


@pytest.mark.skipif(not Path("/proc/vmstat").exists(), reason="Linux alone counts these")
def test_the_system_counts_whom_it_ends_for_memory() -> None:
    assert pool_module.processes_ended_for_memory() >= 0
    (line,) = [line for line in Path("/proc/vmstat").read_text().splitlines() if line.startswith("oom_kill ")]
    assert pool_module.processes_ended_for_memory() >= int(line.split()[1])
