"""Proofs by Pumpkin: its logs, recorded and fresh, are believed where they are sound and refused where not.

The logs in ``tests/proofs/drcp`` were written by pumpkin-solver 0.5.0, for the models below.
"""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from cpqueens.models.queens import queens
from each import each
from proving import accepted, corrupted, is_true, steps_follow

import cpqueens
from cpqueens import AllDifferent, Cumulative, Model, Table
from cpqueens.backends.cpmpy.backend import end_idle
from cpqueens.backends.proving.pumpkin import PumpkinExport, prove
from cpqueens.crosscheck.oracle import solve
from cpqueens.errors import BackendFault, MissingLibrary, UnsupportedConstraint, UnsupportedRequest
from cpqueens.proofs.check import check_proof
from cpqueens.proofs.parts import BadProof, goals_of

RECORDED = Path(__file__).parent / "drcp"
HERE = importlib.util.find_spec("pumpkin_solver") is not None


@pytest.fixture(autouse=True)
def _nobody_waits() -> Iterator[None]:
    yield
    end_idle()


class Written:
    """What Pumpkin's variables, constraints and model are to an export that only writes."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: self


def pigeons() -> Model:
    m = Model()
    x = m.intvar(0, 2, shape=4, name="x")
    m += AllDifferent(x)
    return m


def cheapest() -> Model:
    """Three different numbers with the least sum, which becomes a new variable."""
    m = Model()
    x = m.intvar(0, 5, shape=3, name="x")
    m += [AllDifferent(x), x.sum() >= 7, (x[0] >= 4) | (x[1] <= 1)]
    m.minimize(2 * x[0] + x[1] - x[2])
    return m


def tasks() -> Model:
    m = Model()
    start = m.intvar(0, 4, shape=3, name="start")
    m += [Cumulative(start, [2, 3, 2], [2, 2, 1], 2), start[0] != 3]
    m.minimize(start[2] + start[1] + start[0])
    return m


def tabled() -> Model:
    m = Model()
    x = m.intvar(0, 3, shape=2, name="x")
    m += [Table(x, [[0, 1], [1, 2], [2, 0]]), x.sum() >= 4]
    return m


MODELS = {model.__name__: model for model in (pigeons, cheapest, tasks, tabled)}


def translated(model: Model, log: list[str], row: list[int] | None) -> list[str]:
    """Return the proof that a log of Pumpkin becomes, for its claim of optimality, or of no solution."""
    export = PumpkinExport(model, Written(), Written())
    if row is not None:
        export.view(goals_of(model)[0])
    lines: list[str] = []
    status = "Unsatisfiable" if row is None else "Optimal"
    prove(export, status, row, log, lines.append)
    return [*lines, "end infeasible" if row is None else f"end optimal {solve(model).optimum}"]


def recorded(name: str) -> tuple[Model, list[str], list[int] | None]:
    """Return a model, the log that Pumpkin wrote for it, and the solution that it gave."""
    text = (RECORDED / f"{name}.drcp").read_text(encoding="ascii")
    first, *log = text.splitlines()
    return MODELS[name](), log, [int(word) for word in first.split()[2:]] or None


@each("name", ["pigeons", "cheapest", "tasks"])
def test_a_recorded_log_is_believed(tmp_path_factory, name: str) -> None:
    model, log, row = recorded(name)
    lines = translated(model, log, row)
    truth = solve(model)
    found = accepted(model, lines, tmp_path_factory.mktemp("drcp") / "run.proof")
    assert found is not None
    assert found.complete
    assert is_true(found, lines, truth)
    assert steps_follow(model, lines, truth)


def test_the_clause_of_one_predicate_is_refused(tmp_path) -> None:
    """Pumpkin 0.5.0 leaves variables without a name out of its log, and a Table makes such variables."""
    model, log, row = recorded("tabled")
    assert "n 11 0 10 9" in log  # nothing is left, so far: what is not true has no name
    place = tmp_path / "run.proof"
    place.write_text("\n".join(["cpqueens proof 1", *translated(model, log, row)[1:]]) + "\n")
    with pytest.raises(BadProof, match="line 9: the clause is not seen to follow from c0"):
        check_proof(model, place)


def test_no_false_claim_of_a_corrupted_log_is_believed(tmp_path) -> None:
    draw = random.Random(0)
    for name in ("pigeons", "cheapest", "tasks"):
        model, log, row = recorded(name)
        truth = solve(model)
        for _ in range(60):
            try:
                lines = translated(model, corrupted(["", *log], draw)[1:], row)
            except BackendFault:
                continue
            found = accepted(model, lines, tmp_path / "run.proof")
            assert found is None or is_true(found, lines, truth)
            assert found is None or steps_follow(model, lines, truth), lines
        if row is not None:
            lines = translated(model, log, row)
            worse = [*lines[:-1], f"end optimal {int(lines[-1].split()[-1]) - 1}"]
            assert accepted(model, worse, tmp_path / "run.proof") is None


@each("line", ["a 1 x0 >= 1", "i 4 7 0 c:1 l:nogood", "n 4 -3 0", "z", "i x"])
def test_a_line_that_is_none_of_drcp_is_a_fault(line: str) -> None:
    with pytest.raises(BackendFault, match="is not a line of DRCP"):
        translated(pigeons(), [line], None)


def test_without_pumpkin_one_line_says_so(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingLibrary, match="proof by cpmpy:pumpkin: pip install pumpkin-solver"):
        pigeons().solve(solver="cpmpy:pumpkin", proof=tmp_path / "run.proof")
    assert not (tmp_path / "run.proof").exists()


def test_what_is_not_exported_is_said(tmp_path) -> None:
    m = Model()
    x = m.intvar(0, 3, shape=3, name="x")
    m += cpqueens.NValue(x, 2)
    with pytest.raises(UnsupportedConstraint, match="NValue is not exported"):
        PumpkinExport(m, Written(), Written())
    with pytest.raises(UnsupportedRequest, match="count"):
        pigeons().count(solver="cpmpy:pumpkin", proof=tmp_path / "run.proof")


@pytest.mark.skipif(not HERE, reason="pumpkin-solver is not installed")
def test_pumpkin_itself_is_believed(tmp_path) -> None:
    place = tmp_path / "run.proof"
    for name in ("pigeons", "cheapest", "tasks"):
        model = MODELS[name]()
        outcome = model.solve(solver="cpmpy:pumpkin", proof=place)
        assert outcome.complete
        assert check_proof(model, place).complete
        assert outcome.objective == (solve(model).optimum if model.goals else None)
    assert queens(6).solve(solver="cpmpy:pumpkin", proof=place).status == "FEASIBLE"
    assert check_proof(queens(6), place).claim == "solution"
    assert "translated" in tabled().solve(solver="cpmpy:pumpkin", proof=place).messages[-1]
    with pytest.raises(BadProof, match="c0"):
        check_proof(tabled(), place)


@pytest.mark.skipif(not HERE or metadata.version("pumpkin-solver") != "0.5.0", reason="faults of 0.5.0")
def test_faults_of_pumpkin_0_5_0(tmp_path) -> None:
    """Two tasks that must overlap before the time 0 are no solution; what has no variables is no end."""
    m = Model()
    start = m.intvar(-1, -1, shape=2, name="start")
    m += Cumulative(start, 3, 2, 2)
    with pytest.raises(BackendFault, match="cpmpy:pumpkin broke its contract, INVALID_SOLUTION: Cumulative"):
        m.solve(solver="cpmpy:pumpkin")
    assert m.solve(solver="cpmpy:pumpkin", proof=tmp_path / "run.proof").status == "INFEASIBLE"
    assert check_proof(m, tmp_path / "run.proof").claim == "infeasible"  # its starts are moved to 0
    m = Model()
    x = m.intvar(0, 2, name="x")
    m += x - x < 0
    assert m.solve(solver="cpmpy:pumpkin", proof=tmp_path / "run.proof").status == "INFEASIBLE"
    assert check_proof(m, tmp_path / "run.proof").claim == "infeasible"  # a new variable is 0


def drawn(seed: int) -> Model:
    """Return a random model of what the export has."""
    draw = random.Random(seed)
    m = Model()
    x = m.intvar(draw.randint(-2, 1), draw.randint(2, 4), shape=draw.randint(2, 4), name="x")
    b = m.boolvar(shape=2, name="b")
    n = x.size

    def term() -> Any:
        one, other = x[draw.randrange(n)], x[draw.randrange(n)]
        return draw.choice([
            lambda: draw.choice([1, 2, -3]) * one + draw.randint(-2, 2),
            lambda: one - 2 * other,
            lambda: one * other,
            lambda: abs(one),
            lambda: cpqueens.maximum(one, other + 1, b[0]),
            lambda: cpqueens.minimum(one, -other),
            lambda: cpqueens.element([one, 3, other], b[0] + b[1]),
        ])()  # fmt: skip

    def relation() -> Any:
        left, right = term(), draw.choice([term(), draw.randint(-3, 6)])
        return draw.choice([left <= right, left == right, left != right, left > right])

    for _ in range(draw.randint(1, 4)):
        m += draw.choice([
            relation,
            lambda: AllDifferent([term() for _ in range(3)]),
            lambda: relation() | (b[0] == 1),
            lambda: ~relation() & (b[1] <= b[0]),
            lambda: relation().implies(relation()),
            lambda: cpqueens.Increasing([x[0], term()], strict=draw.random() < 0.5),
            lambda: Cumulative(x, 2, [draw.randint(1, 2) for _ in range(n)], 2),
            lambda: cpqueens.NoOverlap(x, [draw.randint(1, 2) for _ in range(n)]),
        ])()  # fmt: skip
    if draw.random() < 0.5:
        draw.choice([m.minimize, m.maximize])(term())
    return m


@pytest.mark.slow
@pytest.mark.skipif(not HERE, reason="pumpkin-solver is not installed")
def test_random_models_are_proved_by_pumpkin(tmp_path) -> None:
    """A minute for 2,000 models in one process of Pumpkin."""
    proved = 0
    for seed in range(2000):
        model = drawn(seed)
        try:
            outcome = model.solve(solver="cpmpy:pumpkin", proof=tmp_path / "run.proof")
        except UnsupportedConstraint:
            continue
        proved += 1
        truth = solve(model)
        assert (outcome.status == "INFEASIBLE") == (truth.count == 0), seed
        assert outcome.objective is None or outcome.objective == truth.optimum, seed
        check_proof(model, tmp_path / "run.proof")
    print(f"{proved} of 2,000 random models were proved by Pumpkin and checked; the others are not exported")
    assert proved > 1_900
