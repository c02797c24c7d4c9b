"""The solvers behind CPMpy: the conformance suite on each, refusals, crashes, limits, families."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cpqueens.models.queens import queens
from seeds import LONG

from cpqueens import BackendFault, Model, Status, StopReason, UnsupportedConstraint, cross_check
from cpqueens.backends import named
from cpqueens.backends.base import Clock, Request, Want
from cpqueens.backends.cpmpy import backend as cpmpy_backend
from cpqueens.crosscheck.findings import Evidence
from cpqueens.crosscheck.participants import as_participants
from cpqueens.system.children import Worker

TRIED = ("choco", "exact", "pumpkin", "z3")
"""Those that the conformance suite is passed with."""
MAY_REFUSE = {"choco": 0.1, "exact": 0.1, "pumpkin": 0.1, "z3": 0.25}
"""Shares of the drawn models that declare no integers which are too large for a solver."""
FIRST = next((name for name in TRIED if cpmpy_backend.is_installed(name)), "ortools")
needs_one = pytest.mark.skipif(
    not cpmpy_backend.is_installed(FIRST), reason="no solver that CPMpy reaches is installed"
)


@pytest.fixture(autouse=True)
def _nobody_waits() -> Iterator[None]:
    yield
    cpmpy_backend.end_idle()


@pytest.mark.parametrize(
    "name", ["ortools", *(pytest.param(n, marks=[pytest.mark.slow] if n != "pumpkin" else []) for n in TRIED)]
)
def test_conformance(name: str, tmp_path: Path) -> None:
    """All its tests in one process of pytest, which says which fail."""
    if not cpmpy_backend.is_installed(name):
        pytest.skip(f"cpmpy:{name} is not installed")
    program = "from cpqueens.testing import BackendConformance\nclass TestIt(BackendConformance):\n"
    program += f"    solver = 'cpmpy:{name}'\n    may_refuse = {MAY_REFUSE.get(name, 0.0)}\n"
    if not LONG:
        program += "    seeds = range(12)\n"
    if name in cpmpy_backend.LARGEST:  # about half of the models declare larger ones
        program += f"    largest, seeds = {cpmpy_backend.LARGEST[name]}, range(130)\n"
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    path = tmp_path / "test_it.py"
    path.write_text(program, encoding="utf-8")
    done = subprocess.run([*words, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:]


@needs_one
def test_a_solver_behind_cpmpy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Listing, proofs, limits; its process is kept, and its death is a fault that names it."""
    solver = f"cpmpy:{FIRST}"
    assert queens(5).enumerate(solver=solver).count == 10
    kept = cpmpy_backend._idle[FIRST]
    assert queens(5).solve(solver).count == 1
    assert cpmpy_backend._idle[FIRST] is kept
    m = Model()
    x = m.intvar(0, 9, shape=2, name="x")
    m.add(x[0] + x[1] == 7)
    m.maximize(2 * x[0] - x[1])
    best = m.solve(solver)
    assert (best.status, best.objective, best.bound) == (Status.OPTIMAL, 14, 14)
    assert cpmpy_backend._idle[FIRST] is kept
    free = Model()
    y = free.intvar(1, 3, shape=2, name="y")
    free.add(y[0] >= 2)
    free.minimize(y[1])  # which stands nowhere else, and is listed too
    assert free.count(solver) == 6
    free.minimize(y[0] - y[0] + 4)
    assert free.solve(solver).objective == 4  # Exact 2.2 says 0 of an objective that is a number
    few = queens(6).enumerate(solver=solver, solution_limit=2)
    assert (few.count, few.stop_reason) == (2, StopReason.SOLUTION_LIMIT)
    m.add(x[0] > 8)
    assert m.solve(solver).status is Status.INFEASIBLE
    waiting = cpmpy_backend._idle[FIRST]
    os.kill(waiting.pid, signal.SIGKILL)
    assert waiting.connection.poll(60)
    assert m.solve(solver).status is Status.INFEASIBLE  # in a new one
    made: list[Worker] = []

    def make(*arguments: Any) -> Worker:
        made.append(Worker(*arguments))
        return made[-1]

    monkeypatch.setattr(cpmpy_backend, "Worker", make)
    cpmpy_backend.end_idle()
    with pytest.raises(BackendFault, match=f"{solver} crashed") as caught:
        queens(12).enumerate(lambda _: os.kill(made[0].pid, signal.SIGKILL), solver)
    assert (caught.value.code, caught.value.exit_code) == ("CRASH", 30)
    assert queens(3).solve(solver).status is Status.INFEASIBLE


def test_what_is_too_much_is_refused_before_the_run() -> None:
    m = Model()
    x = m.intvar(0, 2**40, name="x")
    m.add(x > 3)
    one = Request(Want.ONE, Clock(None))
    for name, most in cpmpy_backend.LARGEST.items():
        with pytest.raises(UnsupportedConstraint, match=f"cpmpy:{name} takes integers up to {most}, and one"):
            cpmpy_backend._refuse(name, m, Request(Want.BEST, Clock(None)) if name == "rc2" else one)
        if cpmpy_backend.is_installed(name) and name != "rc2":
            with pytest.raises(UnsupportedConstraint, match=f"up to {most}.*backends that can: .*cpsat"):
                m.solve(f"cpmpy:{name}")
    cpmpy_backend._refuse("z3", m, one)
    m.minimize(x)
    with pytest.raises(UnsupportedConstraint, match="cpmpy:pysat takes no objective"):
        cpmpy_backend._refuse("pysat", m, Request(Want.BEST, Clock(None)))
    with pytest.raises(UnsupportedConstraint, match="cpmpy:rc2 takes only models with an objective"):
        cpmpy_backend._refuse("rc2", m, one)
    with pytest.raises(UnsupportedConstraint, match="cpmpy:gurobi does not list all solutions"):
        cpmpy_backend._refuse("gurobi", m, Request(Want.COUNT, Clock(None)))


@needs_one
def test_two_solvers_behind_cpmpy_share_it() -> None:
    found = [name for name in TRIED if cpmpy_backend.is_installed(name)][:2]
    names = [f"cpmpy:{name}" for name in found]
    assert {f"cpmpy:{name}" for name in cpmpy_backend.installed()} - {"cpmpy:ortools"} <= {
        p.name for p in as_participants("provers")
    }
    backend = named.get_backend("cpmpy")
    assert named.families(backend, "ortools") == {"cpsat"}
    if len(names) == 2:
        assert cross_check(queens(4), names).verdict.evidence is Evidence.ALONE
    both = [f"cpmpy:{FIRST}", "backtracking"]
    assert cross_check(queens(4), both).verdict.evidence is Evidence.INDEPENDENT
    assert cross_check(queens(4), ["cpmpy:ortools", "cpsat"]).verdict.evidence is Evidence.ALONE
