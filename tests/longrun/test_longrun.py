"""Counts with a ledger: the parts cover everything once, and no end of any process changes the count."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cpqueens.models.latin_square import latin_square
from cpqueens.models.queens import queens

from cpqueens import AllDifferent, Model
from cpqueens.cli.main import main
from cpqueens.longrun import coordinator, job, work
from cpqueens.longrun import ledger as ledger_module
from cpqueens.longrun.coordinator import durable_count, durable_enumerate
from cpqueens.longrun.job import JobError, LongJob, code_version
from cpqueens.longrun.ledger import Ledger
from cpqueens.longrun.partfiles import folder_of, merge
from cpqueens.longrun.pool import Processes, WorkerDied
from cpqueens.longrun.splitting import Prefixes, UnitParts, partition_digest, split
from cpqueens.longrun.verification import verify
from cpqueens.longrun.work import Counted, count_parts, residues

TIMES = 1
"""Kills of each kind here; `test_kills_a_hundred_times` does more."""


def gaps() -> Model:
    """Holes, a large domain and a defined term."""
    m = Model("gaps")
    x = m.intvar(domain=[-3, 0, 4, 5, 9], name="x")
    y = m.intvar(0, 5000, name="y")
    z = m.boolvar(shape=2, name="z")
    m += [abs(x) + y <= 40, z[0] != z[1], (x == 4).implies(y >= 30)]
    return m


MODELS: dict[str, Callable[[], Model]] = {
    "gaps": gaps,
    "Latin squares": lambda: latin_square(4),
    "queens": lambda: queens(6),
}


def job_of(model: Model, parts: int = 50, solver: str = "backtracking") -> LongJob:
    from cpqueens.files.modelfile import dump_model

    splitting = split(model, solver, parts)
    return LongJob(
        "count", model.name, dump_model(model), solver, splitting.name, parts,
        len(splitting), partition_digest(splitting), code_version(),
    )  # fmt: skip


# ---- splitting -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("wanted", [1, 2, 7, 60])
def test_prefixes_cover_the_space_once(name: str, wanted: int) -> None:
    model = MODELS[name]()
    splitting = Prefixes(model, wanted)
    assert len(splitting) >= wanted
    matrix = model.enumerate(solver="backtracking").solutions.matrix
    inside = np.zeros(len(matrix), dtype=int)
    for part in splitting.parts:
        lows, highs = np.array(part, dtype=np.int64).reshape(-1, 2).T
        first = matrix[:, : len(part)]
        inside += ((first >= lows) & (first <= highs)).all(axis=1)
    assert (inside == 1).all()
    if wanted == 7:
        assert sum(splitting.count(range(len(splitting)), "backtracking")) == len(matrix)


@pytest.mark.parametrize("n", [8, 9])
def test_units_are_what_their_narrowed_models_say(n: int) -> None:
    splitting = UnitParts(queens(n), n)
    counts = splitting.count(range(len(splitting)), "backtracking")
    assert sum(counts) == {8: 92, 9: 352}[n]
    for part in range(0, len(splitting), 3):
        narrower, weight = splitting.narrowed(part)
        assert weight * narrower.count(solver="backtracking:bitmask") == counts[part]
    assert len({splitting.describe(k) for k in range(len(splitting))}) == len(splitting)


def test_who_splits_how() -> None:
    assert split(queens(13), "backtracking", 10).name == "units"
    assert split(queens(8), "backtracking:halves", 10).name == "units"
    assert split(queens(13), "cpsat", 10).name == "prefixes"
    assert split(queens(8), "backtracking", 10).name == "prefixes"
    given = queens(13)
    given += given["q"][0] == 3
    assert split(given, "backtracking", 10).name == "prefixes"


# ---- the ledger ----------------------------------------------------------------------------------------


@pytest.fixture
def ledger(tmp_path: Path) -> Any:
    with closing(Ledger.create(tmp_path / "run.db", job_of(queens(6)))) as opened:
        yield opened


def counted(part: int, count: int) -> Counted:
    return Counted(part, count, residues(count), 0.5, "here")


def test_a_later_result_is_compared_and_never_overwrites(ledger: Ledger) -> None:
    ledger.add(counted(3, 7), "backtracking")
    ledger.add(counted(3, 7), "cpsat")
    ledger.add(counted(3, 8), "cpsat")
    totals = ledger.totals()
    assert (totals.count, totals.done, totals.confirmed, totals.conflicts) == (7, 1, 1, 1)
    assert ledger.conflicts() == [(3, 7, 8, "here", "cpsat")]
    assert not totals.is_sound


def test_a_flipped_bit_shows(ledger: Ledger) -> None:
    ledger.add(replace(counted(1, 92), count=93), "backtracking")  # on its way
    assert ledger.totals().done == 0
    assert "residues" in ledger.failures()[0][1]
    ledger.add(counted(1, 92), "backtracking")
    ledger.commit()
    with closing(sqlite3.connect(ledger.path)) as other, other:  # on the disk
        other.execute("UPDATE result SET count = '94' WHERE part = 1")
    assert ledger.totals().damaged == (1,)
    assert not ledger.totals().is_sound


def test_numbers_have_no_width(ledger: Ledger) -> None:
    ledger.add(counted(0, 10**30), "backtracking")
    assert ledger.totals().count == 10**30


def test_a_poisoned_part_is_given_to_nobody(ledger: Ledger) -> None:
    for _ in range(3):
        ledger.fail(5, "it died")
    assert ledger.poison() == (5,)
    assert 5 not in ledger.open_parts()
    ledger.forgive()
    assert 5 in ledger.open_parts()


def test_only_one_coordinator(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    Ledger.create(path, job_of(queens(6))).close()
    code = f"""
import sys, time
from pathlib import Path
from cpqueens.longrun.ledger import Ledger
ledger = Ledger.open(Path({str(path)!r})); ledger.claim(); print("mine", flush=True); time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"mine\n"
        with pytest.raises(JobError, match=f"process {other.pid} is writing it"):
            durable_count(queens(6), path, workers=1)
        other.kill()
    assert durable_count(queens(6), path, executor=Here()).complete


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"no database at all, but text that is long enough", "not a database"), (b"", None)],
)
def test_a_file_that_is_no_ledger(tmp_path: Path, content: bytes, said: str | None) -> None:
    path = tmp_path / "run.db"
    path.write_bytes(content)
    if said is None:
        assert durable_count(queens(4), path, executor=Here(), parts=2).count == 2
    else:
        with pytest.raises(JobError, match=said):
            durable_count(queens(4), path, executor=Here())


def test_a_ledger_of_another_job_or_other_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.db"
    durable_count(queens(5), path, executor=Here(), parts=5)
    with pytest.raises(JobError, match="holds another job"):
        durable_count(queens(6), path, executor=Here())
    with pytest.raises(JobError, match="holds another job"):
        durable_count(queens(5), path, executor=Here(), solver="cpsat")
    monkeypatch.setattr(coordinator, "code_version", lambda: "9.9+other")
    with pytest.raises(JobError, match="begun by cpqueens"):
        durable_count(queens(5), path, executor=Here())
    assert durable_count(queens(5), path, executor=Here(), changed_code=True).count == 10


def test_a_worker_with_other_code_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    work._prepared.cache_clear()
    monkeypatch.setattr(work, "code_version", lambda: "9.9+other")
    with pytest.raises(JobError, match=r"has cpqueens 9\.9\+other, the job began with"):
        durable_count(queens(5), tmp_path / "run.db", executor=Here())


def test_a_full_disk_loses_nothing_that_was_committed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.db"
    durable_count(queens(6), path, executor=Stopping(1), workers=1, parts=200)
    before = found_in(path).done
    connected = ledger_module._connected

    def full(path: Path) -> sqlite3.Connection:
        connection = connected(path)
        connection.execute("PRAGMA max_page_count = 1")  # the file may not grow
        return connection

    monkeypatch.setattr(ledger_module, "_connected", full)
    with pytest.raises(JobError, match="full"):
        durable_count(queens(6), path, executor=Here(), parts=200)
    monkeypatch.undo()
    assert found_in(path).parts > found_in(path).done >= before > 0
    assert durable_count(queens(6), path, executor=Here(), parts=200).count == 4


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everything")
def test_a_ledger_that_may_not_be_written(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    durable_count(queens(5), path, executor=Stopping(2), parts=5)
    path.chmod(0o400)
    with pytest.raises(JobError, match="readonly"):
        durable_count(queens(5), path, executor=Here(), parts=5)


# ---- executors ---------------------------------------------------------------------------------------


class Here(Executor):
    """Does every task at once, in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(self.call(fn, *args))
        except Exception as error:
            future.set_exception(error)
        return future

    def call(self, fn: Callable[..., Any], *args: Any) -> Any:
        return fn(*args)


class Stopping(Here):
    """Takes no more tasks after some."""

    def __init__(self, tasks: int) -> None:
        self.tasks = tasks

    def call(self, fn: Callable[..., Any], *args: Any) -> Any:
        self.tasks -= 1
        if self.tasks == -1:
            signal.raise_signal(signal.SIGINT)
        return fn(*args)


class Twice(Here):
    """Delivers every result two times, as at-least-once executors may."""

    def call(self, fn: Callable[..., Any], *args: Any) -> Any:
        return [*fn(*args), *fn(*args)]


class Poisoned(Here):
    """Fails whenever one part is among the task's."""

    def call(self, fn: Callable[..., Any], *args: Any) -> Any:
        if 3 in args[1]:
            raise RuntimeError("it eats all memory")
        return fn(*args)


class Lying(Here):
    """Miscounts one part, now and then."""

    def __init__(self) -> None:
        self.calls = 0

    def call(self, fn: Callable[..., Any], *args: Any) -> Any:
        self.calls += 1
        results = [*fn(*args), *fn(*args)]
        return (
            [counted(r.part, r.count + (k == 0)) for k, r in enumerate(results)]
            if self.calls == 2
            else results
        )


def found_in(path: Path) -> Any:
    with closing(Ledger.open(path)) as ledger:
        return ledger.totals()


@pytest.mark.parametrize("name", MODELS)
def test_every_executor_finds_the_same(name: str, tmp_path: Path) -> None:
    model = MODELS[name]()
    expected = model.count(solver="backtracking")
    with ThreadPoolExecutor(2) as threads:
        for k, executor in enumerate((Here(), Twice(), threads)):
            found = durable_count(model, tmp_path / f"{k}.db", executor=executor, workers=2, parts=20)
            assert (found.count, found.complete, found.stop_reason) == (expected, True, "exhausted")


def test_a_count_is_resumed(tmp_path: Path) -> None:
    path, seen = tmp_path / "run.db", []
    first = durable_count(queens(6), path, executor=Stopping(9), workers=1, parts=30)
    assert first.stop_reason == "interrupted"
    assert 0 < first.totals.done < first.totals.parts
    second = durable_count(queens(6), path, executor=Here(), on_progress=seen.append)
    assert (second.count, second.complete) == (4, True)
    assert seen[-1]["done"] == seen[-1]["total"] == second.totals.parts
    with closing(Ledger.open(path)) as ledger:
        assert len(ledger.sessions()) == 2
        assert len({r.part for r in ledger.results()}) == second.totals.parts


def test_poison_makes_the_job_incomplete(tmp_path: Path) -> None:
    found = durable_count(queens(5), tmp_path / "run.db", executor=Poisoned(), parts=5)
    assert (found.stop_reason, found.complete, found.totals.poison) == ("poison", False, (3,))


def test_two_results_for_a_part_make_the_job_red(tmp_path: Path) -> None:
    found = durable_count(queens(5), tmp_path / "run.db", executor=Lying(), parts=5)
    assert found.totals.conflicts == 1
    assert not found.complete


def test_a_model_with_an_objective_is_refused(tmp_path: Path) -> None:
    model = queens(4)
    model.minimize(model["q"][0])
    with pytest.raises(ValueError, match="objective"):
        durable_count(model, tmp_path / "run.db")


def test_time_limit(tmp_path: Path) -> None:
    found = durable_count(queens(9), tmp_path / "run.db", executor=Here(), time_limit=0.3)
    assert (found.stop_reason, found.complete) == ("time_limit", False)


# ---- enumeration -------------------------------------------------------------------------------------


def contents(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(folder_of(path).iterdir())}


@pytest.mark.parametrize("name", MODELS)
def test_files_have_all_solutions_in_order(name: str, tmp_path: Path) -> None:
    model, path = MODELS[name](), tmp_path / "run.db"
    expected = model.enumerate(solver="backtracking").solutions.matrix
    found = durable_enumerate(model, path, executor=Here(), parts=20)
    assert (found.count, found.complete) == (len(expected), True)
    assert merge(path, tmp_path / "all.npy") == len(expected)
    matrix = np.load(tmp_path / "all.npy")
    np.testing.assert_array_equal(matrix, expected[np.lexsort(expected.T[::-1])])
    merge(path, tmp_path / "all.csv")
    assert len((tmp_path / "all.csv").read_text().splitlines()) == len(expected) + 1


def test_two_runs_give_the_same_bytes_and_damage_is_mended(tmp_path: Path) -> None:
    first, second = tmp_path / "first.db", tmp_path / "second.db"
    durable_enumerate(queens(6), first, executor=Here(), parts=36)
    durable_enumerate(queens(6), second, executor=Stopping(1), workers=1, parts=36, solver="backtracking")
    durable_enumerate(queens(6), second, executor=Here(), parts=36)
    whole = contents(first)
    assert contents(second) == whole
    victims = sorted(folder_of(second).iterdir())[:2]
    victims[0].unlink()
    victims[1].write_bytes(b"damaged")
    with pytest.raises(JobError, match="lists it again"):
        merge(second, tmp_path / "all.npy")
    assert not (tmp_path / "all.npy").exists()
    assert durable_enumerate(queens(6), second, executor=Here(), parts=36).complete
    assert contents(second) == whole


def test_a_count_has_no_solutions(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    durable_count(queens(4), path, executor=Here(), parts=4)
    with pytest.raises(JobError, match="has no solutions"):
        merge(path, tmp_path / "all.npy")
    with pytest.raises(JobError, match="holds another job"):
        durable_enumerate(queens(4), path, executor=Here(), parts=4)


# ---- verification ------------------------------------------------------------------------------------


def test_a_sample_is_counted_again(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    durable_count(queens(6), path, executor=Here(), parts=36)
    found = verify(path, least=10)
    assert (found.solver, found.checked, found.differing) == ("cpsat", 10, ())
    assert "95 % confidence fewer than 26 %" in found.sentence
    assert found_in(path).confirmed == 10
    assert "All 36 parts" in verify(path, least=36, solver="backtracking").sentence
    with closing(sqlite3.connect(path)) as other, other:
        part = other.execute("SELECT part FROM result WHERE count = '0'").fetchone()[0]
        other.execute("UPDATE result SET count = '5', first = 5, second = 5 WHERE part = ?", (part,))
    wrong = verify(path, least=36)
    assert wrong.differing == (part,)
    assert "not to be believed" in wrong.sentence


# ---- kills -------------------------------------------------------------------------------------------


def begun(path: Path, *more: str) -> subprocess.Popen[bytes]:
    """Return a coordinator at work on 343 parts, in a session of its own."""
    command = [
        sys.executable,
        "-m",
        "cpqueens",
        "count",
        "queens",
        "n=7",
        "--store",
        str(path),
        "--parts",
        "300",
    ]
    environment = os.environ | {"CPQUEENS_KERNELS": "plain"}
    return subprocess.Popen(
        [*command, *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        start_new_session=True,
    )


def kill_coordinators(path: Path, times: int, chance: random.Random) -> None:
    """Kill coordinators at random instants until one gets to the end."""
    for _ in range(times):
        process = begun(path, "--workers", "1")
        time.sleep(chance.uniform(0.3, 2.0))
        process.kill()
        process.communicate()
    with begun(path, "--workers", "2") as process:
        printed = process.communicate(timeout=120)
    assert process.returncode == 0, printed
    totals = found_in(path)
    assert (totals.count, totals.complete, totals.conflicts) == (40, True, 0)


def test_killed_coordinators(tmp_path: Path) -> None:
    kill_coordinators(tmp_path / "run.db", TIMES, random.Random(1))


def kill_workers(path: Path, times: int, chance: random.Random) -> None:
    """Kill workers at random instants; the count must be exact in one session."""
    pool = Processes(2)
    left = times

    def note(state: dict[str, Any]) -> None:
        nonlocal left
        children = list(pool._children.values())
        if left and children and chance.random() < 0.2:
            left -= 1
            os.kill(chance.choice(children).pid, signal.SIGKILL)

    try:
        found = durable_count(queens(7), path, executor=pool, workers=2, parts=300, on_progress=note)
    finally:
        pool.shutdown(wait=False)
    assert left < times
    assert (found.count, found.complete) == (40, True)
    assert found.totals.done == found.totals.parts == 343


def test_killed_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CPQUEENS_KERNELS", "plain")
    kill_workers(tmp_path / "run.db", TIMES, random.Random(2))


def test_a_stopped_worker_loses_its_lease(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CPQUEENS_KERNELS", "plain")
    pool = Processes(2)
    stopped: list[int] = []

    def note(state: dict[str, Any]) -> None:
        children = list(pool._children.values())
        if not stopped and children and state["done"] > 5:
            stopped.append(children[0].pid)
            os.kill(stopped[0], signal.SIGSTOP)

    try:
        found = durable_count(
            queens(6), tmp_path / "run.db", executor=pool, workers=2, parts=36, on_progress=note, lease=1.0
        )
    finally:
        pool.shutdown(wait=False)
    assert stopped
    assert (found.count, found.complete) == (4, True)


def test_a_pool_goes_on_without_the_dead() -> None:
    pool = Processes(1)
    try:
        with pytest.raises(WorkerDied):
            pool.submit(os._exit, 3).result(60)
        assert pool.submit(residues, 92).result(60) == (92, 92)
        with pytest.raises(JobError, match="has cpqueens"):
            pool.submit(count_parts, job_of(queens(5)).text.replace(code_version(), "0+0"), [0]).result(60)
    finally:
        pool.shutdown(wait=True)


@pytest.mark.slow
def test_kills_a_hundred_times(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CPQUEENS_KERNELS", "plain")
    kill_coordinators(tmp_path / "coordinators.db", 100, random.Random(3))
    for k in range(10):
        kill_workers(tmp_path / f"workers{k}.db", 10, random.Random(k))


def test_interrupted_by_a_signal_it_says_how_to_resume(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with begun(path, "--workers", "1") as process:
        while not path.exists() or path.stat().st_size == 0:
            time.sleep(0.02)
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130, (out, err)
    assert b"resume     by the same command" in out
    assert not found_in(path).conflicts


# ---- a cluster -----------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("default")  # those of the cluster's libraries are theirs
def test_a_cluster_whose_worker_is_killed(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    from cpqueens.longrun.cluster import connected

    options = {"processes": True, "dashboard_address": None, "worker_dashboard_address": None}
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, **options) as cluster:
        killed = []

        def note(state: dict[str, Any]) -> None:
            if not killed and state["done"] > 5:
                killed.append(next(iter(cluster.workers.values())).process.process.pid)
                os.kill(killed[0], signal.SIGKILL)

        with connected(cluster.scheduler_address) as (executor, threads, _):
            found = durable_count(
                queens(6), tmp_path / "run.db", executor=executor, workers=threads, parts=36, on_progress=note
            )
    assert killed
    assert (found.count, found.complete) == (4, True)


def test_no_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    from cpqueens.longrun import cluster

    monkeypatch.setattr(cluster, "_PATIENCE", 0.5)
    with pytest.raises(JobError, match="no scheduler answers"), cluster.connected("tcp://127.0.0.1:9"):
        pass


# ---- the command line ----------------------------------------------------------------------------------


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(list(arguments))
    return int(left.value.code or 0)


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = str(tmp_path / "run.db")
    assert run("count", "queens", "n=5", "--store", store, "--workers", "1", "--parts", "5") == 0
    assert "published  10 (OEIS A000170): agrees" in capsys.readouterr().out
    assert run("runs", "show", store) == 0
    assert "5 of 5 done" in capsys.readouterr().out
    assert run("runs", "show", store, "--json") == 0
    assert '"complete":true' in capsys.readouterr().out.replace(" ", "")
    assert run("runs", "verify", store, "--solver", "backtracking:check") == 0
    assert "All 5 parts" in capsys.readouterr().out
    assert run("runs", "export", store) == 0
    assert capsys.readouterr().out.splitlines()[0] == "part,count,seconds,worker"
    assert run("runs", "export", store, "--format", "json") == 0
    assert len(capsys.readouterr().out.splitlines()) == 5
    out = tmp_path / "all.csv"
    arguments = (
        "queens",
        "n=5",
        "--store",
        f"{store}.2",
        "--workers",
        "1",
        "--parts",
        "5",
        "--out",
        str(out),
    )
    assert run("enumerate", *arguments) == 0
    assert "written" in capsys.readouterr().out
    assert len(out.read_text().splitlines()) == 11
    assert run("runs", "export", f"{store}.2", "--solutions", str(out), "--force") == 0
    assert "10 solutions" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("runs", "show", "none.db"), "there is no such ledger"),
        (("count", "queens", "--parts", "5"), "--parts: only with --store"),
        (("count", "queens", "--store", "x.db", "--seed", "1"), "random_seed is not taken"),
        (("count", "golomb_ruler", "--store", "x.db"), "objective"),
        (("enumerate", "queens", "--store", "x.db", "--limit", "3"), "--limit is not taken"),
        (("runs", "verify", "none.db", "--share", "2"), "share"),
    ],
)
def test_refused(
    arguments: tuple[str, ...],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(*arguments) == 2
    assert said in capsys.readouterr().err


def test_code_version_is_of_this_source() -> None:
    assert code_version().count("+") == 1
    assert job.code_version() == code_version()


def test_a_model_without_solutions(tmp_path: Path) -> None:
    m = Model("none")
    x = m.intvar(0, 1, shape=3, name="x")
    m += AllDifferent(x)
    found = durable_count(m, tmp_path / "run.db", executor=Here())
    assert (found.count, found.complete) == (0, True)
