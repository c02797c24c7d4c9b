"""Explanations of infeasibility: unsatisfiable, and every member needed."""

from types import SimpleNamespace

import numpy as np
import pytest
from conftest import make_queens
from seeds import sweep

from cpqueens import AllDifferent, Model, ModelError
from cpqueens.crosscheck import oracle
from cpqueens.fuzzing.generate import random_model
from cpqueens.language.rebuild import rebuilt
from cpqueens.solving import explain
from cpqueens.solving.assumptions import Witnesses
from cpqueens.solving.explain import NotInfeasible


def contradiction():
    model = Model()
    x = model.intvar(0, 9, shape=3, name="x")
    model.add(x[0] < x[1], name="a")
    model.add(AllDifferent(x), name="spare")
    model.add(x[1] < x[2], name="b")
    model.add(x.sum() <= 20, name="spare too")
    model.add(x[2] < x[0], name="c")
    return model


def test_names_places_and_the_second_solver(solver):
    found = contradiction().explain_infeasible(solver)
    assert [r.name for r in found.reasons] == ["a", "b", "c"]
    assert found.positions == (0, 2, 4)
    assert all("test_explain.py:" in r.where for r in found.reasons)
    assert found.minimal
    assert found.checked_by not in (None, solver)
    assert [r.text for r in found.reasons] == ["x[0] < x[1]", "x[1] < x[2]", "x[2] < x[0]"]


def test_every_subset_is_unsatisfiable_and_minimal_by_the_oracle():
    seen = 0
    for seed in sweep(60, 150):
        model = random_model(seed)
        if oracle.solve(model).count:
            continue
        try:
            found = model.explain_infeasible("python-constraint")
        except ModelError:
            continue
        seen += 1
        everything = model.constraints
        kept = [everything[k] for k in found.positions]
        assert oracle.solve(rebuilt(model, constraints=kept)).count == 0
        for one in kept:
            fewer = [posted for posted in kept if posted is not one]
            assert oracle.solve(rebuilt(model, constraints=fewer)).count > 0
    assert seen > 10


def test_a_witness_shows_what_is_needed():
    """By itself what it alone violates, and what is violated once a value is changed; no more."""
    model = Model()
    x = model.intvar(0, 3, shape=3, name="x")
    model.add(x[0] < x[1], x[1] < x[2], x[2] < 2, x[0] + x[1] <= 9)
    parts = [(k, 0) for k in range(4)]
    witnesses = Witnesses(model)
    assert witnesses.among(parts)([0, 1, 2, 3]) == set()
    witnesses.add(np.array([0, 1, 2]))
    shown = witnesses.among(parts)([0, 1, 2, 3])
    for kept in ([0, 1], [0, 2], [1, 2]):
        left = rebuilt(model, constraints=[model.constraints[k] for k in [*kept, 3]])
        assert oracle.solve(left).count > 0
    assert shown == {0, 1, 2}
    two = Witnesses(model)
    two.add(np.array([3, 2, 1]))
    assert two.among(parts)([0, 1, 2, 3]) == set()
    assert two.among([(k, None) for k in range(4)])([2, 3]) == set()


def test_feasible_models_and_heuristics_are_refused():
    with pytest.raises(NotInfeasible, match="it has a solution"):
        make_queens(4).explain_infeasible("python-constraint")


def test_contradictions_of_one_and_of_domains_only():
    model = Model()
    x = model.intvar(0, 3, name="x")
    model.add(x >= 1)
    model.add(x > 5, name="too much")
    assert [r.name for r in model.explain_infeasible().reasons] == ["too much"]


def conflicts():
    """Five values that differ pairwise where they must not, said at once."""
    model = Model()
    x = model.intvar(0, 9, shape=7, name="x")
    first, second = np.triu_indices(7, 1)
    model.add(x[first] != x[second], name="conflicts")
    model.add(x[3:6] <= 1)
    return model


def test_arrays_come_down_to_the_rows_that_are_needed(solver):
    found = conflicts().explain_infeasible(solver)
    assert [str(r).partition("  ")[0] for r in found.reasons] == [
        "conflicts: x[3] != x[4]",
        "conflicts: x[3] != x[5]",
        "conflicts: x[4] != x[5]",
        "[x[3] <= 1, x[4] <= 1, x[5] <= 1]",
    ]
    assert found.positions == (0, 1)
    assert found.minimal
    assert [r.rows for r in found.reasons] == [(15,), (16,), (18,), ()]


def test_rows_are_looked_for_within_the_limit_and_many_stay_together(monkeypatch):
    monkeypatch.setattr("cpqueens.solving.explain._SECONDS_ON_ROWS", -1.0)
    found = conflicts().explain_infeasible("backtracking")
    assert not found.minimal
    assert [r.rows for r in found.reasons] == [(), ()]
    monkeypatch.undo()
    monkeypatch.setattr("cpqueens.solving.explain._ROWS_APART", 2)
    found = conflicts().explain_infeasible("backtracking")
    assert [r.rows for r in found.reasons] == [(15, 16, 18), ()]
    assert found.reasons[0].text == "[x[3] != x[4], x[3] != x[5], x[4] != x[5]]"


def test_the_solver_that_proved_is_named_and_another_checks():
    for solver in ("auto", "backtracking", "cpsat", "backtracking:forward"):
        found = contradiction().explain_infeasible(solver)
        assert found.solver in {solver} - {"auto"} or found.solver in ("backtracking", "cpsat")
        assert found.checked_by is not None
        assert found.checked_by != found.solver.partition(":")[0]


def test_the_core_of_assumptions_is_the_first_subset(monkeypatch):
    """Rows of arrays and a quotient among many that are not needed; without OR-Tools it is the same."""
    model = Model()
    x = model.intvar(0, 20, shape=30, name="x")
    model.add(x[:-1] != x[1:])
    for k in range(29):
        model.add(x[k] + x[k + 1] <= 35)
    model.add(x[4] // (x[3] - 2) >= 9, name="quotient")
    model.add(x[:8] <= np.array([20, 20, 20, 20, 12, 20, 20, 20]), name="ends")
    model.add(x[3] >= 4, name="divisor")
    found = model.explain_infeasible("backtracking")
    assert [r.name for r in found.reasons] == ["quotient", "ends", "divisor"]
    assert (found.minimal, found.reasons[1].rows) == (True, (4,))
    assert found.runs <= 10
    monkeypatch.setattr("cpqueens.backends.named.available", lambda: ["backtracking", "python-constraint"])
    other = model.explain_infeasible("backtracking")
    assert other.reasons == found.reasons
    assert other.runs > found.runs


def test_a_time_limit_is_that_of_the_whole_call(monkeypatch):
    """Each look at the clock takes a second: runs get what is left, and there are no more than fit."""
    seconds = iter(range(10**6))
    given = []
    real = explain.solve

    def solved(model, solver, **options):
        given.append(options["time_limit"])
        return real(model, solver)

    monkeypatch.setattr(explain, "time", SimpleNamespace(monotonic=lambda: float(next(seconds))))
    monkeypatch.setattr(explain, "solve", solved)
    found = conflicts().explain_infeasible("backtracking", time_limit=5)
    assert not found.minimal
    assert given == sorted(given, reverse=True)
    assert given[0] < 5
    assert len(given) <= 5


def test_where_nothing_was_proved_more_time_is_asked_for():
    with pytest.raises(NotInfeasible, match="not proved infeasible within the limits; give more"):
        contradiction().explain_infeasible("backtracking", time_limit=1e-9)


@pytest.mark.parametrize("goals", [0, 1])
def test_what_was_proved_before_is_explained_however_short_the_limit(goals):
    model = contradiction()
    model.minimize(*model["x"][:goals]) if goals else None
    assert model.solve("backtracking").status == "INFEASIBLE"
    found = model.explain_infeasible("python-constraint", time_limit=1e-9)
    assert (found.solver, found.minimal, found.checked_by, found.runs) == ("backtracking", False, None, 0)
    assert found.positions == tuple(range(5))
    found = model.explain_infeasible("python-constraint")
    assert (found.solver, found.minimal, found.positions) == ("python-constraint", True, (0, 2, 4))
    with pytest.raises(NotInfeasible, match="not proved"):  # something was taken back
        model.without([1]).explain_infeasible(time_limit=1e-9)


def test_of_long_arrays_the_first_row_and_a_count_are_told(monkeypatch):
    monkeypatch.setattr("cpqueens.solving.explain._SECONDS_ON_ROWS", -1.0)
    found = conflicts().explain_infeasible("backtracking")
    assert found.reasons[0].label == "conflicts: x[0] != x[1], and 20 more rows"


def test_what_did_nothing_in_a_proof_is_left_out_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    m = Model()
    x = m.intvar(1, 8, shape=40, name="x")
    m += [x[i] + x[i + 1] <= 16 for i in range(39)]
    m.add(AllDifferent(x[:9]))
    monkeypatch.setattr(explain, "_blamed", lambda *_: None)
    found = m.explain_infeasible(solver="backtracking")
    assert [reason.position for reason in found.reasons] == [39]
    assert found.runs <= 3
    monkeypatch.setattr(explain, "_busy", lambda _model, places, _limits: places)
    assert m.explain_infeasible(solver="backtracking").runs > found.runs


def test_what_the_exact_engine_has_no_room_for_is_explained_by_others() -> None:
    m = Model()
    x = m.intvar(0, 50_000, shape=5000, name="x")
    m += [x[:-1] <= x[1:], x.sum() >= 10, x[0] + x[1] <= 3, x[1] >= 5, x[2] >= 7]
    found = m.explain_infeasible(solver="cpsat")
    assert [reason.position for reason in found.reasons] == [2, 3]


def test_without_a_limit_guilty_rows_are_looked_for_in_a_share(monkeypatch: pytest.MonkeyPatch) -> None:
    m = Model()
    x = m.intvar(0, 9, shape=30, name="x")
    m += [x[:-1] < x[1:], x[0] >= 3]
    assert m.explain_infeasible(solver="backtracking").minimal
    monkeypatch.setattr(explain, "_SECONDS_ON_ROWS", 0.0)
    found = m.explain_infeasible(solver="backtracking")
    assert ([reason.rows for reason in found.reasons], found.minimal) == ([()], False)
