"""Fuzzing with a ledger: the report is that of a run without one, however often it ended on the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cpqueens.cli.main import main
from cpqueens.crosscheck.findings import Code
from cpqueens.errors import CpqueensError, ModelError
from cpqueens.fuzzing import fuzz as fuzzing
from cpqueens.fuzzing.findings import Examined, Failure, FuzzReport
from cpqueens.fuzzing.fuzz import as_text, from_text, fuzz
from cpqueens.longrun.ledger import Ledger
from cpqueens.longrun.session import STANDS_STILL

ONE = ["python-constraint"]


class Here(Executor):
    """Does every task at once, but fails at one model."""

    def __init__(self, fails_at: int | None = None) -> None:
        self.fails_at = fails_at

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if self.fails_at in args[1]:
            future.set_exception(RuntimeError("it died"))
        else:
            future.set_result(fn(*args))
        return future


class Stopped(ThreadPoolExecutor):
    """Is interrupted at its third task."""

    tasks = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.tasks += 1
        if self.tasks == 3:
            signal.raise_signal(signal.SIGINT)
        return super().submit(fn, *args, **kwargs)


def found(report: FuzzReport) -> object:
    """Return what does not depend on the clock."""
    return report.models, report.classes, report.coverage, report.asked, report.failures


@pytest.mark.slow
def test_a_run_that_is_stopped_and_resumed_reports_what_one_run_does(tmp_path: Path) -> None:
    path = tmp_path / "fuzz.db"
    whole = fuzz(40, 3, ONE, processes=0)
    with Stopped(1) as executor:
        first = fuzz(40, 3, ONE, processes=1, store=path, executor=executor)
    assert first.interrupted
    assert 0 < first.models < 40
    told: list[tuple[int, int, int]] = []
    rest = fuzz(40, 3, ONE, processes=1, store=path, executor=Here(), progress=lambda *s: told.append(s))
    assert found(rest) == found(whole)
    assert told[-1] == (40, 40, 0)
    assert rest.seconds >= first.seconds > 0
    assert found(fuzz(40, 3, ONE, processes=1, store=path, executor=Here())) == found(whole)
    with closing(Ledger.open(path)) as ledger:
        assert (ledger.totals().complete, len(ledger.sessions())) == (True, 3)


def test_a_model_that_nobody_survives_is_a_finding(tmp_path: Path) -> None:
    report = fuzz(12, 3, ONE, processes=1, store=tmp_path / "fuzz.db", executor=Here(fails_at=7))
    assert [(f.code, f.accused, f.index) for f in report.failures] == [(Code.CRASH, "process", 7)]
    assert "--only 7" in report.failures[0].replay
    assert (report.models, report.exit_code) == (11, 30)


def test_what_a_model_brought_is_written_and_read() -> None:
    failure = Failure(Code.MISSING, "liar", "é", 5, ("a(b)",), ("x in 0..1",), "", (1, 2), "{}", 3, "again")
    one = Examined(5, "few", {("AllDifferent", "plain"): 2}, ("a", "b"), (failure,), {("limit", "a"): 1})
    assert from_text(as_text(one)) == one


def test_other_models_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "fuzz.db"
    fuzz(3, 3, ONE, processes=1, store=path, executor=Here())
    for models, seed, solvers in ((3, 4, ONE), (4, 3, ONE), (3, 3, ["backtracking"])):
        with pytest.raises(CpqueensError, match="holds another job"):
            fuzz(models, seed, solvers, processes=1, store=path, executor=Here())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"executor": Here()}, "executor: only with a store"),
        ({"changed_code": True}, "changed_code: only with a store"),
        ({"store": "x.db", "only": 3}, "store: needs processes"),
        ({"store": "x.db", "processes": 0}, "store: needs processes"),
        ({"store": 3}, "a path is needed"),
    ],
)
def test_what_does_not_go_with_a_ledger(given: dict[str, Any], said: str) -> None:
    with pytest.raises((ModelError, TypeError), match=said):
        fuzz(**{"models": 3, "solvers": ONE, **given})


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(list(arguments))
    return int(left.value.code or 0)


def test_a_killed_command_is_resumed_by_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "fuzz.db"
    words = ["--solvers", "python-constraint", "--seed", "3", "--store", str(path), "--workers", "1"]
    command = [sys.executable, "-m", "cpqueens", "fuzz", "--models", "100000", *words]
    environment = os.environ | {"CPQUEENS_KERNELS": "plain"}
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as process:
        while not (path.exists() and results_in(path)):
            assert process.poll() is None
            time.sleep(0.05)
        process.kill()
    there = results_in(path)
    assert run("fuzz", "--models", "100000", *words, "--seconds", "0.01") == 0
    assert "resume by the same command" in capsys.readouterr().out
    assert results_in(path) >= there
    assert run("runs", "show", str(path)) == 3
    printed = capsys.readouterr().out
    assert "fuzzing, seed 3" in printed
    assert "examined on python-constraint" in printed
    assert run("runs", "export", str(path), "--format", "json") == 0
    assert capsys.readouterr().out.count('"usage"') == results_in(path)
    assert run("runs", "verify", str(path)) == 2
    assert "cannot be counted again" in capsys.readouterr().err
    assert run("fuzz", "--models", "3", "--cluster", "tcp://127.0.0.1:9") == 2
    assert "--cluster: only with --store" in capsys.readouterr().err


def results_in(path: Path) -> int:
    try:
        with closing(Ledger.open(path)) as ledger:
            return ledger.totals().done
    except CpqueensError:  # it is being made
        return 0


def test_a_hang_is_told_from_a_death(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzzing, "_LEASE", 0.05)
    path = tmp_path / "fuzz.db"
    report = fuzz(3, 3, ONE, processes=1, store=path, executor=Silent())
    assert [(f.code, f.index) for f in report.failures] == [(Code.HANG, 1)]
    assert report.failures[0].message.startswith(STANDS_STILL)
    assert found(fuzz(3, 3, ONE, processes=1, store=path, executor=Here())) == found(
        fuzz(3, 3, ONE, processes=0)
    )


class Silent(Here):
    """Never answers where one model is among a task's."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        return Future() if 1 in args[1] else super().submit(fn, *args)


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("no answer in 60 s", Code.HANG),
        ("out of memory: 12 GB", Code.OUT_OF_MEMORY),
        ("TaskLost: its process ended with signal 9 (out of memory: the sys", Code.OUT_OF_MEMORY),
        ("TaskLost: its process ended with signal 11", Code.CRASH),
    ],
)
def test_what_a_model_did_to_its_process(message: str, code: Code) -> None:
    assert fuzzing._code(message) is code
