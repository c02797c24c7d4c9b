"""Two tiers of one text: the same bits in either, and a change-over that nobody notices."""

from __future__ import annotations

import ast
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cpqueens.models.costas_array import costas_array
from cpqueens.models.langford import langford
from cpqueens.models.queens import queens
from holding import held_elsewhere

from cpqueens import kernels
from cpqueens.cli.warming import FURTHER, MANY, RUNS, Run, model_of
from cpqueens.kernels.exact import apart
from cpqueens.kernels.jit import jobs, tiers
from cpqueens.kernels.jit.tiers import KernelEntry
from cpqueens.solving.solve import count_solutions

KERNELS = Path(kernels.__file__).parent

COMPARED = ("nodes", "failures", "steps", "evaluations", "trajectory", "attempts")


def module_of(file: Path) -> str:
    return ".".join(("cpqueens.kernels", *file.relative_to(KERNELS).with_suffix("").parts))


def said(problem: str, size: str, solver: str, options: Mapping[str, Any]) -> list[Any]:
    """Return all that a run says but its times."""
    model = model_of(problem, size)
    listing = solver.startswith("backtracking") and not solver.endswith(":learning")
    outcome = (model.enumerate if listing else model.solve)(solver=solver, random_seed=5, **options)
    found = outcome.solutions.matrix.tolist() if listing else str(outcome.solution)
    return [outcome.status, found, *(outcome.statistics.get(name) for name in COMPARED)]


def said_many(problem: str, size: str, solver: str, options: Mapping[str, Any]) -> list[Any]:
    """Return all that many runs say but their times."""
    runs = model_of(problem, size).runs(solver, 4, **options)
    counts = {name: values.tolist() for name, values in runs.statistics.items()}
    return [runs.stop_reason.tolist(), runs.matrix.tolist(), runs.steps.tolist(), counts]


def every_entry() -> dict[str, KernelEntry]:
    """Return all entries by their names."""
    found = {}
    for file in KERNELS.rglob("*.py"):
        if file.stem not in ("compiling", "compiler", "wrapping") and not file.stem.endswith("_code"):
            for value in vars(import_module(module_of(file))).values():
                if isinstance(value, KernelEntry):
                    found[value.__name__] = value
    return found


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> dict[str, set[str]]:
    """The forms in which each entry was called."""
    seen: dict[str, set[str]] = {}
    plain, compiled = KernelEntry._call_plain, KernelEntry._call_code

    def note(form: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def noted(self: KernelEntry, *arguments: Any) -> Any:
            seen.setdefault(self.__name__, set()).add(form)
            return call(self, *arguments)

        return noted

    monkeypatch.setattr(KernelEntry, "_call_plain", note("plain", plain))
    monkeypatch.setattr(KernelEntry, "_call_code", note("compiled", compiled))
    return seen


def compare(monkeypatch: pytest.MonkeyPatch, runs: Iterable[Run], say: Callable[..., list[Any]]) -> None:
    """Make runs plain, compiled, and changing over and back at random slices: all say the same."""
    source = random.Random(0)
    weights: dict[str, Callable[..., float]] = {
        "plain": lambda *_: 0.0,
        "compiled": lambda *_: tiers.WAIT,
        "changing": lambda *_: source.choice((0.0, tiers.WAIT)),
    }
    for run in runs:
        found = []
        for weight in weights.values():
            monkeypatch.setattr(KernelEntry, "_weight", weight)
            found.append(say(*run))
        assert found[0] == found[1] == found[2], run


@pytest.mark.slow  # kernels that differ in the parts of the model alone
def test_every_entry_gives_the_same_for_further_models(monkeypatch: pytest.MonkeyPatch) -> None:
    compare(monkeypatch, FURTHER, said)


def test_every_entry_gives_the_same_in_either_form(
    calls: dict[str, set[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    compare(monkeypatch, RUNS, said)
    compare(monkeypatch, MANY, said_many)
    both = {name for name, forms in calls.items() if forms == {"plain", "compiled"}}
    assert both == set(every_entry()) - {"count_units"} - set(apart.NAMES)


def test_kernels_call_no_entry() -> None:
    """An entry that a kernel calls would choose a form at every call."""
    decorators = {
        "kernel",
        "unbounded_kernel",
        "inner_kernel",
        "inlined",
        "linking_kernel(link)",
        "propagator",
    }
    looked_at = 0
    for file in KERNELS.rglob("*.py"):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and decorators & {
                ast.unparse(d) for d in node.decorator_list
            }:
                looked_at += 1
                names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
                globals_ = vars(import_module(module_of(file)))
                called = [name for name in names if isinstance(globals_.get(name), KernelEntry)]
                assert not called, f"{file.name}: {node.name} calls {called}"
    assert looked_at > 200


def ran(program: str, folder: Path, **environment: str) -> Any:
    """Run a program with a cache of its own and return what it says in JSON."""
    return answers(started(program, folder, **environment))[0]


def started(program: str, folder: Path, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", program],
        env=os.environ | {"NUMBA_CACHE_DIR": str(folder), "CPQUEENS_KERNELS": "tiers"} | environment,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def answers(*processes: subprocess.Popen[str]) -> list[Any]:
    said = [process.communicate(timeout=600) for process in processes]
    assert [process.returncode for process in processes] == [0] * len(processes), said
    return [json.loads(out) for out, _ in said]


SMALL = """
import json, sys
from cpqueens.models.queens import queens
from cpqueens.solving import race
race.HEAD_START = 1e9
found = [queens(8).solve(solver=s, random_seed=1) for s in ("auto", "backtracking", "local-search")]
there = [name in sys.modules for name in ("numba", "scipy", "ortools")]
print(json.dumps([[str(o.status) for o in found], there]))
"""


def test_small_runs_import_no_compiler_and_start_none(tmp_path: Path) -> None:
    assert ran(SMALL, tmp_path) == [["FEASIBLE"] * 3, [False] * 3]
    assert list(tmp_path.iterdir()) == []


COUNT = """
import json
from cpqueens.kernels.jit import tiers
tiers.COMPILE, tiers.WAIT = 0.05, 0.2
from cpqueens.models.queens import queens
from cpqueens.problems import catalog
from cpqueens.solving.solve import count_solutions
outcome = count_solutions(queens(11), "backtracking:bitmask")
times = outcome.statistics
print(json.dumps([outcome.count, times["nodes"], *(times[k] > 0 for k in ("plain_time", "compiled_time"))]))
"""
WITHOUT_NUMBA = "import sys; assert 'numba' not in sys.modules"


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Any]]:
    """A cache that two processes found empty, neither of which loads a compiler, and what they said."""
    folder = tmp_path_factory.mktemp("cache")
    program = COUNT + WITHOUT_NUMBA
    return folder, answers(started(program, folder), started(program, folder))


def test_a_run_changes_over_with_an_empty_cache_as_another_process_does(begun: tuple[Path, Any]) -> None:
    """Both ask for the same code; one compiles it, the other finds it."""
    folder, (one, other) = begun
    assert one == other == [2680, 166926, True, True]
    assert len(list(folder.glob("*.kernel"))) == 1


def test_a_cached_kernel_is_loaded_without_numba(begun: tuple[Path, Any]) -> None:
    program = COUNT.replace("queens(11)", "queens(7)").replace("0.05, 0.2", "0.0, 0.0\ntiers.LOOK = 0.0")
    count, _nodes, plain, compiled = ran(program + WITHOUT_NUMBA, begun[0])
    assert (count, plain, compiled) == (40, False, True)


def test_damaged_machine_code_is_not_loaded(begun: tuple[Path, Any], tmp_path: Path) -> None:
    (whole,) = begun[0].glob("*.kernel")
    kernel = tmp_path / whole.name
    kernel.write_bytes(whole.read_bytes()[:-100])
    assert ran(COUNT, tmp_path) == begun[1][0]
    assert len(kernel.read_bytes()) == len(whole.read_bytes())  # compiled anew


def test_a_killed_compiler_is_made_up_for(tmp_path: Path) -> None:
    program = COUNT.replace("tiers.COMPILE", "import cpqueens.kernels.jit.jobs as jobs\n"
        "jobs._COMPILE = 'import os; os.kill(os.getpid(), 9)'\ntiers.COMPILE", 1)  # fmt: skip
    assert ran(program, tmp_path) == [2680, 166926, True, True]


def test_a_compiler_goes_on_when_its_parent_has_ended(tmp_path: Path) -> None:
    program = COUNT.replace("tiers.COMPILE, tiers.WAIT = 0.05, 0.2", "tiers.LOOK = tiers.COMPILE = 0.0")
    program = program.replace("queens(11)", "queens(5)")
    assert ran(program, tmp_path)[0] == 10
    deadline = time.monotonic() + 300
    while not list(tmp_path.glob("*.kernel")):
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.skipif(sys.platform == "win32", reason="no locks of this kind")
def test_a_compiler_finds_done_what_another_was_at(tmp_path: Path) -> None:
    """Had it begun, it would have failed: there is nothing of this name to compile."""
    target = tmp_path / "done.kernel"
    with held_elsewhere(tmp_path / "compiling.lock"):
        job = jobs.Job("cpqueens.kernels.boards.bitmask:nothing", "int64", target)
        time.sleep(1.5)
        target.write_bytes(b"of the other")
        assert job._process.wait(60) == 0
    assert target.read_bytes() == b"of the other"


@pytest.fixture
def compiler_that_never_ends(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A process that only waits in the place of the compiler; it is ended afterwards."""
    begun: list[jobs.Job] = []
    begin = jobs.Job.__init__

    def noted(self: jobs.Job, *arguments: Any) -> None:
        begin(self, *arguments)
        begun.append(self)

    monkeypatch.setattr(jobs, "_COMPILE", "import time; time.sleep(600)")
    monkeypatch.setattr(jobs, "_begun", [])
    monkeypatch.setattr(jobs.Job, "__init__", noted)
    monkeypatch.setattr(tiers, "MODE", "tiers")
    monkeypatch.setattr(tiers.cache, "folder", lambda: tmp_path)
    for entry in every_entry().values():
        monkeypatch.setattr(entry, "_forms", {})
        monkeypatch.setattr(entry, "spent", 0.0)
    yield
    for job in begun:
        job._process.kill()
        job._process.wait()


@pytest.mark.parametrize("solver", ["bitmask", "forward", "halves"])
@pytest.mark.usefixtures("compiler_that_never_ends")
def test_time_limits_count_waiting_for_the_compiler(solver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "COMPILE", 0.0)
    monkeypatch.setattr(tiers, "WAIT", 0.02)
    monkeypatch.setattr(tiers, "LOOK", 0.0)
    outcome = count_solutions(queens(18), f"backtracking:{solver}", time_limit=5)
    assert str(outcome.stop_reason) == "time_limit"
    assert outcome.statistics["compile_time"] > 0


@pytest.mark.usefixtures("compiler_that_never_ends")
def test_who_asks_whether_an_entry_is_ready_has_it_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[jobs.Job] = []
    begin = tiers._Form._start
    monkeypatch.setattr(tiers._Form, "_start", lambda form: begun.append(begin(form)) or begun[-1])
    entry = next(iter(every_entry().values()))
    for name, ready, jobs_begun in (("plain", True, 0), ("tiers", False, 1), ("tiers", False, 1)):
        with tiers.mode(name):
            assert entry.is_ready(np.zeros(3, dtype=np.int64), 1) is ready
        assert len(begun) == jobs_begun


@pytest.mark.usefixtures("compiler_that_never_ends")
def test_what_is_compiled_soon_is_waited_for_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """And what takes long never here."""
    monkeypatch.setattr(tiers, "WAIT", 1e9)
    monkeypatch.setattr(tiers, "QUICK", 0.01)
    monkeypatch.setattr(tiers, "LOOK", 0.0)
    for solver, waits in (("bitmask", True), ("sums", True), ("forward", False)):
        model = costas_array(18) if solver == "sums" else queens(18)
        outcome = count_solutions(model, f"backtracking:{solver}", time_limit=3 if waits else 1)
        assert str(outcome.stop_reason) == "time_limit"
        assert (outcome.statistics["compile_time"] > 0) is waits


@pytest.mark.usefixtures("compiler_that_never_ends")
def test_many_runs_wait_soon_where_much_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[object] = []
    monkeypatch.setattr(tiers._Form, "_wait", lambda form: waits.append(form))
    monkeypatch.setattr(tiers, "WAIT", 1e9)
    monkeypatch.setattr(tiers, "QUICK", 0.01)
    monkeypatch.setattr(tiers, "LOOK", 0.0)
    monkeypatch.setattr(tiers, "MUCH", 1e9)
    model = queens(14)
    model.runs("local-search:sosic-gu", 20)
    assert not waits
    monkeypatch.setattr(tiers, "MUCH", 1e-6)
    model.runs("local-search:sosic-gu", 120)
    assert waits


@pytest.mark.usefixtures("compiler_that_never_ends")
def test_ctrl_c_is_seen_while_waiting_for_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "COMPILE", 0.0)
    monkeypatch.setattr(tiers, "WAIT", 0.0)
    monkeypatch.setattr(tiers, "LOOK", 0.0)

    def interrupted(_job: jobs.Job) -> bool:
        signal.raise_signal(signal.SIGINT)
        return True

    monkeypatch.setattr(jobs.Job, "is_running", interrupted)
    outcome = count_solutions(queens(18), "backtracking:bitmask")
    assert str(outcome.stop_reason) == "interrupted"


@pytest.mark.usefixtures("compiler_that_never_ends")
def test_a_rival_answers_while_the_own_engine_waits_for_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "COMPILE", 0.0)
    monkeypatch.setattr(tiers, "WAIT", 0.0)
    monkeypatch.setattr(tiers, "LOOK", 0.0)
    outcome = langford(7).enumerate(time_limit=600)
    assert (outcome.solver, outcome.count, outcome.complete) == ("cpsat", 52, True)
    assert outcome.statistics["compile_time"] > 0
