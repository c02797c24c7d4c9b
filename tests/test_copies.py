"""Copies and pickles of models and of what belongs to them, and models that stay as they are while solved."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import oracle
import pytest
from each import each
from seeds import seeds

from cpqueens import STOP, AllDifferent, Count, Model, ModelError, Predicate, Table, all_, element
from cpqueens.files.modelfile import dump_model
from cpqueens.fuzzing.generate import random_model
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.views import Board


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


COPIES: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": pickled,
    "pickle 2": lambda value: pickle.loads(pickle.dumps(value, 2)),
}


def queens() -> tuple[Model, Any]:
    m = Model("queens")
    q = m.intvar(0, 4, shape=5, name="q")
    i = np.arange(5)
    m.add(AllDifferent(q), name="columns")
    m += [AllDifferent(q + i), AllDifferent(q - i)]
    m.add((q[0] < q[1]) | (abs(q[2] - q[3]) == 2), Predicate(lambda a, b: a != b, q[0], q[4]))
    m.maximize(element([3, 1, 4, 1, 5], q[0]))
    m.view = Board("q")
    return m, q


@pytest.mark.parametrize("how", COPIES)
def test_a_copied_model_says_the_same(how: str) -> None:
    m, _ = queens()
    n = COPIES[how](m)
    assert dump_model(n) == dump_model(m)
    assert [(p.name, p.source) for p in n.constraints] == [(p.name, p.source) for p in m.constraints]
    assert n.constraints[0].where.split(":")[0] == __file__
    assert (n.view, n.maximizing, n.name) == (m.view, True, "queens")
    assert oracle.solve(n).rows == oracle.solve(m).rows
    assert n.solve(solver="backtracking").objective == m.solve(solver="backtracking").objective


@pytest.mark.parametrize("how", COPIES)
def test_a_copied_model_is_independent(how: str) -> None:
    m, q = queens()
    before, size = dump_model(m), m.variable_count
    n = COPIES[how](m)
    extra = n.intvar(0, 1, name="extra")
    n.add(n["q"][0] == 1, (extra * n["q"][1]) >= 0)
    n.minimize(extra)
    n.fix(n["q"][2], 0)
    assert dump_model(m) == before
    assert m.variable_count == size
    m.add(q[0] == 0)
    assert n.constraint_count == 5 + 3


@seeds(range(60))
def test_random_models_are_pickled(seed: int) -> None:
    m = random_model(seed)
    for n in (pickled(m), copy.deepcopy(m), pickled(m.copy().copy())):
        assert dump_model(n) == dump_model(m)
        assert n.decisions.tolist() == m.decisions.tolist()
        values = oracle.solve(m).rows
        if values:
            matrix = np.array(sorted(values), dtype=np.int64).reshape(len(values), len(m.decisions))
            completed = m.complete(matrix, m.decisions)
            assert (n.complete(matrix, n.decisions) == completed).all()


def test_equal_definitions_are_shared_after_pickling() -> None:
    m, q = queens()
    n, r = pickled((m, q))
    assert abs(r[2] - r[3]).variable_list == abs(q[2] - q[3]).variable_list
    assert n.variable_count == m.variable_count
    assert r.registry is n


@pytest.mark.parametrize("first", ["terms", "constraint", "model", "truth"])
def test_what_belongs_together_stays_together(first: str) -> None:
    m, q = queens()
    things = {"terms": q[1] + 2, "constraint": m.constraints[1].constraint, "model": m, "truth": q > 2}
    ordered = [things.pop(first), *things.values()]
    for together in (pickled(ordered), copy.deepcopy(ordered)):
        (n,) = (part for part in together if isinstance(part, Model))
        assert n is not m
        for part in together:
            if not isinstance(part, Model):
                assert part.registry is n
                n.add(part if isinstance(part, Constraint) else part == 3)
        assert n.count(solver="backtracking") == len(oracle.solve(n).rows)


def test_a_copy_understands_variables_after_pickling() -> None:
    m, q = queens()
    n, r, c = pickled((m, q, m.copy()))
    c.add(r[0] == 1)
    assert c.constraint_count == n.constraint_count + 1
    with pytest.raises(ModelError, match="two different models"):
        pickled(m).add(q[0] == 1)


def test_a_long_chain_of_copies_is_pickled() -> None:
    m = Model()
    x = m.intvar(0, 3, name="x")
    for k in range(400):
        m = m.copy()
        m.add(abs(m["x"] - k) >= 0)
    assert pickled(m).constraint_count == 400
    m.add(x == 1)


def test_a_predicate_is_pickled_as_its_table() -> None:
    m, q = queens()
    kinds = [type(p.constraint) for p in pickled(m).constraints]
    assert Table in kinds
    assert Predicate not in kinds
    assert isinstance(copy.copy(Predicate(lambda a: a > 1, q[0])), Table)


@pytest.mark.parametrize("how", COPIES)
def test_outcomes_and_solutions(how: str) -> None:
    m, q = queens()
    outcome = m.enumerate(solver="backtracking")
    first = outcome.solution[q].tolist()  # kept in the set, by the identity of q
    other = COPIES[how](outcome)
    r = other.model["q"]
    assert (other.status, other.complete, other.count) == (outcome.status, outcome.complete, outcome.count)
    assert other.solution[r].tolist() == first
    assert other.solution[r[0] * r[1]] == first[0] * first[1]
    assert other.solution.check().ok
    for part in (outcome.solutions, outcome.solutions[1], outcome.statistics):
        assert type(COPIES[how](part)) is type(part)
    assert COPIES[how](outcome.solutions[1]) == outcome.solutions[1]


@pytest.mark.parametrize("how", COPIES)
def test_constraints_without_variables(how: str) -> None:
    m = Model()
    b = m.boolvar(name="b")
    m.add(COPIES[how](AllDifferent([])), COPIES[how](~AllDifferent([1, 1])) | b)
    assert m.count(solver="backtracking") == 2


def test_a_search_under_way_is_not_copied() -> None:
    m, _ = queens()
    with m.solutions(solver="backtracking") as found:
        for work in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(ModelError, match="take list"):
                work(found)


# ---- models that are solved ---------------------------------------------------------------------------

CHANGES: dict[str, Callable[[Model, Any], object]] = {
    "add": lambda m, q: m.add(q[0] == 9),
    "add array": lambda m, q: m.add(q == 9, name="nine"),
    "iadd": lambda m, q: m.__iadd__([AllDifferent(q)]),
    "fix": lambda m, q: m.fix(q[0], 0),
    "intvar": lambda m, q: m.intvar(0, 1),
    "boolvar": lambda m, q: m.boolvar(name="b"),
    "minimize": lambda m, q: m.minimize(q[0]),
    "maximize": lambda m, q: m.maximize(q[0]),
}


def _small() -> tuple[Model, Any]:
    m = Model()
    q = m.intvar(0, 3, shape=3, name="q")
    m.add(AllDifferent(q))
    return m, q


RUNS: dict[str, Callable[[Model, Callable[..., Any], str], Any]] = {
    "enumerate": lambda m, call, solver: m.enumerate(call, solver=solver),
    "on_improvement": lambda m, call, solver: m.solve(solver, on_improvement=call),
    "log": lambda m, call, solver: m.solve(solver, log=call),
}


@each("change", CHANGES)
@each("run", RUNS)
def test_a_callback_cannot_change_the_model_under_way(run: str, change: str) -> None:
    m, q = _small()
    before = dump_model(m)
    with pytest.raises(ModelError, match="is being solved"):
        RUNS[run](m, lambda *_: CHANGES[change](m, q), "cpsat" if run == "log" else "backtracking")
    assert dump_model(m) == before
    CHANGES[change](m, q)  # the run has ended
    assert dump_model(m) != before


def test_a_callback_of_every_solver_cannot_change_the_model(solver: str) -> None:
    m, q = _small()
    with pytest.raises(ModelError, match="is being solved"):
        m.solve(solver, on_improvement=lambda s: m.add(q[0] == 9))
    assert m.constraint_count == 1


def test_a_callback_may_read_copy_and_solve() -> None:
    m, q = _small()
    seen = []

    def look(solution: Any) -> Any:
        other = m.copy()
        other.add(q[0] == solution[q[0]])
        seen.append((solution[q[0] * q[1]], other.count(solver="backtracking")))
        m.count(solver="backtracking")
        return STOP if len(seen) == 2 else None

    m.enumerate(look, solver="backtracking")
    assert seen == [(0, 6), (0, 6)]
    m.add(q[0] == 1)


def test_the_model_is_free_again_after_an_error() -> None:
    m, q = _small()
    with pytest.raises(ZeroDivisionError):
        m.enumerate(lambda s: 1 // 0, solver="backtracking")
    with pytest.raises(ModelError):
        m.solve(solver="cpsat", hint={q: [1]})
    m.add(q[0] == 1)


def test_another_thread_cannot_change_it_either() -> None:
    m, q = _small()
    errors: list[BaseException] = []

    def add() -> None:
        try:
            m.add(q[0] == 0)
        except ModelError as error:
            errors.append(error)

    def look(_: Any) -> Any:
        thread = threading.Thread(target=add)
        thread.start()
        thread.join()
        return STOP

    m.enumerate(look, solver="backtracking")
    assert len(errors) == 1
    assert m.constraint_count == 1


def test_several_threads_solve_one_model() -> None:
    m, q = _small()
    counts: list[int] = []
    threads = [
        threading.Thread(target=lambda: counts.append(m.count(solver="backtracking"))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [24] * 4
    m.add(q[0] == 1)


def test_an_iterator_is_about_the_model_at_its_start() -> None:
    m, q = _small()
    found = m.solutions(solver="backtracking")
    m.add(q[0] == 9)
    seen = []
    for solution in found:
        m.add(all_(q != solution[q]))
        m.intvar(0, 1)
        seen.append(tuple(solution[q].tolist()))
        assert solution[q[0] * q[1]] == seen[-1][0] * seen[-1][1]
    assert len(set(seen)) == 24
    outcome = found.outcome
    assert outcome is not None
    assert (outcome.complete, outcome.count) == (True, 24)
    assert outcome.model is not m
    assert outcome.model.constraint_count == 1
    assert "before" in outcome.messages[-1]
    assert m.solve(solver="backtracking").status == "INFEASIBLE"


def test_an_iterator_over_a_model_that_stays_the_same() -> None:
    m, q = _small()
    m.add(Count(q, 0, ">=", 0))
    found = m.solutions(solver="backtracking")
    values = [solution[q[0] + 2 * q[1]] for solution in found]
    assert len(values) == 24
    assert found.outcome is not None
    assert found.outcome.model is m
    assert found.outcome.messages == ()
