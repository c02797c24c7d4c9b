"""The fuzzer: replayable, steered, isolated; and agreement of all exact backends on what it makes.

Fuzzing with a ledger: the report is that of a run without one, however often it ended on the way.
"""

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
from each import each
from liars import Scripted
from seeds import sweep

from cpqueens import Model
from cpqueens.backends import named
from cpqueens.cli.main import main
from cpqueens.crosscheck import oracle
from cpqueens.crosscheck.findings import Code
from cpqueens.crosscheck.participants import as_participants
from cpqueens.errors import CpqueensError, ModelError, UnknownBackend
from cpqueens.files.modelfile import parse_model
from cpqueens.fuzzing import fuzz as fuzzing
from cpqueens.fuzzing.examine import examine
from cpqueens.fuzzing.findings import Examined, Failure, FuzzReport, fuzz_model, is_huge
from cpqueens.fuzzing.fuzz import as_text, assert_agree, from_text, fuzz
from cpqueens.fuzzing.generate import random_model
from cpqueens.fuzzing.subject import Subject
from cpqueens.language.definedness import conditions
from cpqueens.language.definitions import Truth
from cpqueens.language.rebuild import own_constraints
from cpqueens.longrun.ledger import Ledger
from cpqueens.longrun.pool import Processes
from cpqueens.longrun.session import STANDS_STILL

ONE = ["python-constraint"]


def _where_functions_may_be_undefined(model):
    """Yield (place, kind of the constraint or function there, kind of the partial function)."""
    places = [("posted", p.constraint.kind, p.constraint.arguments) for p in own_constraints(model)]
    if model.objective is not None:
        places.append(("objective", "", [model.objective]))
    for block in model.definitions:
        inside = isinstance(block, Truth)
        kind = block.constraint.kind if inside else block.kind
        places.append(("truth" if inside else "function", kind, block.arguments))
    for place, kind, arguments in places:
        for variable in conditions(model, arguments):
            yield place, kind, model.producer(variable)[0].kind


def test_partial_functions_are_drawn_everywhere():
    found = {what for seed in range(700) for what in _where_functions_may_be_undefined(random_model(seed))}
    partial = {"element", "quotient", "quotient_truncated", "remainder", "remainder_truncated"}
    for place in ("posted", "truth", "function", "objective"):
        assert {kind for where, _, kind in found if where == place} == partial, place
    assert len({around for where, around, _ in found if where == "truth"}) >= 12
    assert {"element", "quotient"} <= {around for where, around, _ in found if where == "function"}


def test_all_exact_backends_agree(solver):
    report = fuzz(18, 11, [solver], processes=0)
    assert report.exit_code == 0, str(report)
    assert report.models == 18
    assert report.coverage["Linear", "plain", solver] > 2
    assert "no disagreement" in str(report)


@each("seed", sweep(9, 25))
def test_all_backends_are_right_or_refuse_on_huge_values(seed):
    model = random_model(seed, huge=True)
    found = examine(Subject(model, as_participants(named.available()), seed=seed, deep=seed % 3 == 0))
    assert not found, "\n".join(map(str, found))


def test_some_models_of_a_run_have_huge_values():
    models = [fuzz_model(5, index)[0] for index in range(40)]
    huge = [max(abs(int(b)) for b in (*m.lower, *m.upper)) >= 2**59 for m in models]
    assert 0 < sum(huge) <= 4
    assert not any(huge[index] for index in range(40) if not is_huge(index))
    sparse = [m for m in models if any(int(d[-1]) - int(d[0]) > 2**40 for d in m.domains.values())]
    assert sparse


def test_child_processes_give_the_same_as_this_one():
    here = fuzz(6, 2, ["python-constraint"], processes=0)
    there = fuzz(6, 2, ["python-constraint"], processes=2)
    assert (there.models, there.coverage, there.classes) == (here.models, here.coverage, here.classes)
    single = fuzz(6, 2, ["python-constraint"], processes=1)
    assert single.coverage == here.coverage


def drop(answer, model, request):
    if len(answer.rows) > 2:
        answer.rows = answer.rows[1:]


@pytest.mark.slow
def test_failures_are_shrunk_put_together_and_replayable():
    report = fuzz(30, 0, [Scripted("liar", drop)], processes=0)
    assert {(str(f.code), f.accused) for f in report.failures} >= {("MISSING", "liar")}
    missing = [f for f in report.failures if f.code == "MISSING"]
    assert len(missing) <= 2
    assert missing[0].seen > 1
    assert missing[0].size[1] == 0
    assert oracle.solve(parse_model(missing[0].model)).count == 3
    again = fuzz(1, 0, [Scripted("liar", drop)], processes=0, only=missing[0].index)
    assert again.failures
    assert f"--only {missing[0].index}" in missing[0].replay
    assert report.exit_code == 12


class Struck(Processes):
    """A process that gets a signal instead of a task with the model 7, so many times."""

    def __init__(self, number: int, times: int) -> None:
        self.number, self.times = number, times
        super().__init__(1)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if self.times and 7 in args[1]:
            self.times -= 1
            return super().submit(signal.raise_signal, int(self.number))
        return super().submit(fn, *args)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGKILL, "CRASH"), (signal.SIGSTOP, "HANG")])
@pytest.mark.parametrize("times", [1, 99])
def test_a_process_that_ends_or_stands_still_accuses_a_model_only_when_it_is_tried_again_alone(
    number: int, code: str, times: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(fuzzing, "_LEASE", 1.0)
    struck = Struck(number, times)
    try:
        report = fuzz(9, 0, ONE, processes=1, store=tmp_path / "fuzz.db", executor=struck)
    finally:
        struck.shutdown(wait=False)
    accused = [(code, "process", 7)] if times > 1 else []
    assert [(str(f.code), f.accused, f.index) for f in report.failures] == accused
    assert report.models == 9 - len(accused)


def test_what_is_cut_short_is_no_failure():
    """A signal in the middle of a model: solvers that stop are not accused of stopping."""
    seen = []

    def interrupt(answer, model, request):
        seen.append(model)
        if len(seen) == 20:
            signal.raise_signal(signal.SIGINT)
            answer.rows, answer.exhausted = answer.rows[:0], False

    report = fuzz(1000, 6, [Scripted("honest", interrupt), "cpsat"], processes=0)
    assert report.interrupted
    assert report.failures == ()
    assert len(seen) < 40
    assert 0 < report.models < 20


def test_what_is_asked_is_checked():
    for bad in ({"models": 0}, {"models": 1.5}, {"processes": -1}, {"seed": -1}):
        with pytest.raises(ModelError):
            fuzz(**{"models": 1, **bad})
    with pytest.raises(UnknownBackend):
        fuzz(1, solvers=["nobody"], processes=0)
    with pytest.raises(ModelError, match="by name"):
        fuzz(1, solvers=[Scripted("liar")], processes=2)


def test_assert_agree():
    model = Model()
    model.intvar(0, 4, name="x")
    assert_agree(model, ["cpsat", Scripted("honest")])
    with pytest.raises(AssertionError, match="MISSING"):
        assert_agree(model, ["cpsat", Scripted("liar", drop)])


@pytest.mark.parametrize("processes", [0, pytest.param(2, marks=pytest.mark.slow)])
def test_an_interrupted_run_reports_what_is_done(processes):
    def interrupt(done, of, failures):
        if done >= 3:
            raise KeyboardInterrupt

    report = fuzz(100_000, 5, ["backtracking", "cpsat"], processes=processes, progress=interrupt)
    assert 3 <= report.models < 100
    assert sum(report.classes.values()) == report.models
    assert report.coverage
    assert report.interrupted
    assert report.exit_code == 130
    assert ", interrupted\n" in str(report)


def test_a_run_to_the_end_was_not_interrupted():
    report = fuzz(3, 5, ["backtracking"], processes=0)
    assert not report.interrupted
    assert report.exit_code == 0


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
