"""A count on a cluster of dask.distributed, whose processes are those of a real one and are killed."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from clusters import Cluster
from cpqueens.models.queens import queens
from executors import Here, found_in, run

from cpqueens import evaluate
from cpqueens.longrun import cluster
from cpqueens.longrun.cluster import connected
from cpqueens.longrun.coordinator import durable_count
from cpqueens.longrun.ledger import Ledger
from cpqueens.longrun.pool import TaskLost
from cpqueens.longrun.splitting import JobError

pytest.importorskip("distributed", reason="dask.distributed is not installed")
_NO_CODE = shutil.ignore_patterns("__pycache__", "*.kernel")
pytestmark = pytest.mark.filterwarnings("default")  # those of the cluster's libraries are theirs


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Cluster]:
    found = Cluster(tmp_path)
    try:
        yield found
    finally:
        found.end()


class Watched(Executor):
    """Another executor, of which each task is announced before it is handed on."""

    def __init__(self, executor: Executor, before: Callable[[int], object]) -> None:
        self.executor, self.before, self.tasks = executor, before, 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.before(self.tasks)
        self.tasks += 1
        return self.executor.submit(fn, *args, **kwargs)


def test_a_cluster_whose_worker_is_killed(here: Cluster, tmp_path: Path) -> None:
    here.scheduler()
    victim, _ = here.worker(), here.worker()
    here.wait_for(2)
    struck = []

    def strike(task: int) -> None:
        number = {0: signal.SIGSTOP, 8: signal.SIGKILL}.get(task)  # it gets tasks, and is through with none
        if number is not None:
            victim.send_signal(number)
            struck.append(number)

    with connected(here.address) as (executor, threads, _):
        given = Watched(executor, strike)
        found = durable_count(queens(6), tmp_path / "run.db", executor=given, workers=threads, parts=36)
    assert struck == [signal.SIGSTOP, signal.SIGKILL]
    assert (found.count, found.complete) == (4, True)


@pytest.mark.slow
def test_a_scheduler_that_is_killed_is_waited_for(here: Cluster, tmp_path: Path) -> None:
    scheduler, _ = here.scheduler(), here.worker()
    here.wait_for(1)

    def strike(task: int) -> None:
        if task == 8:
            scheduler.kill()
            scheduler.wait()
            here.scheduler()
            here.worker()

    path = tmp_path / "run.db"
    with connected(here.address) as (executor, threads, _dashboard):
        given = Watched(executor, strike)
        found = durable_count(queens(6), path, executor=given, workers=threads, parts=36)
    assert given.tasks > 8
    assert (found.count, found.complete, found.totals.poison) == (4, True, ())
    with closing(Ledger.open(path)) as ledger:
        assert ledger.failures() == []


@pytest.mark.slow
def test_a_scheduler_that_does_not_return_ends_the_run_and_it_is_resumed(
    here: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "RETURN", 0.5)
    scheduler, _ = here.scheduler(), here.worker()
    here.wait_for(1)
    path = tmp_path / "run.db"
    with connected(here.address) as (executor, threads, _dashboard):
        given = Watched(executor, lambda task: scheduler.kill() if task == 8 else None)
        with pytest.raises(JobError, match=r"no scheduler with workers at .* for 0\.5 s; resume later"):
            durable_count(queens(6), path, executor=given, workers=threads, parts=36)
    assert 0 < found_in(path).done < 36
    assert durable_count(queens(6), path, executor=Here(), parts=36).count == 4


def test_a_worker_with_another_version_is_refused(here: Cluster, tmp_path: Path) -> None:
    import cpqueens

    shutil.copytree(Path(cpqueens.__file__).parent, tmp_path / "other" / "cpqueens", ignore=_NO_CODE)
    (tmp_path / "other" / "cpqueens" / "longrun" / "another.py").write_text("")
    here.scheduler()
    here.worker(tmp_path / "other")
    here.wait_for(1)
    with (
        connected(here.address) as (executor, _threads, _dashboard),
        pytest.raises(JobError, match=r"the worker on .* has cpqueens .*, the job began with "),
    ):
        durable_count(queens(5), tmp_path / "run.db", executor=executor, workers=1, parts=5)


@pytest.mark.slow
def test_fuzzing_and_evaluating_on_a_cluster(
    here: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here.scheduler()
    here.worker()
    here.wait_for(1)
    on = ("--cluster", here.address, "--store")
    fuzz = ("fuzz", "--models", "12", "--solvers", "python-constraint", *on, str(tmp_path / "fuzz.db"))
    runs = ("evaluate", "queens", "n=6", "--solver", "local-search", "--runs", "30", "--reference-time", "0")
    with connected(here.address) as (executor, threads, _dashboard):
        heuristics = evaluate("local-search", "queens", [6], 30, executor=executor, reference_time=0)
    for words, title, whole in (
        (fuzz, "fuzzing, seed 0", 12), ((*runs, *on, str(tmp_path / "runs.db")), "local-search on", 30)
    ):  # fmt: skip
        for _ in range(2):  # the second time it is all there
            assert run(*words) == 0, capsys.readouterr().err
        capsys.readouterr()
        with closing(Ledger.open(Path(words[-1]))) as ledger:
            assert ledger.job.title.startswith(title)
            assert (ledger.totals().done, ledger.totals().complete) == (whole, True)
    assert len(heuristics.runs) == 30
    assert threads == 1


def test_tls_needs_certificates() -> None:
    with pytest.raises(JobError, match="needs certificates"), connected("tls://127.0.0.1:9"):
        pass


def test_a_task_whose_workers_died_is_lost_as_one_of_ours_is() -> None:
    from distributed.scheduler import KilledWorker

    lost = cluster._lost_task(KilledWorker("task", None, 3))
    assert isinstance(lost, TaskLost)
    assert "its workers died" in str(lost)
    error = RuntimeError("no")
    assert cluster._lost_task(error) is error
    assert cluster._lost_task(None) is None


def test_no_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_PATIENCE", 0.5)
    with pytest.raises(JobError, match="no scheduler answers"), cluster.connected("tcp://127.0.0.1:9"):
        pass
