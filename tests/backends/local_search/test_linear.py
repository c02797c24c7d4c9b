"""The kernel for objectives under linear rows: its state, its solutions, and what it does not suit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from collection.designs import code
from searched import compiled, run
from seeds import sweep

from cpqueens import AllDifferent, Model, Or
from cpqueens.backends.local_search import linear
from cpqueens.backends.local_search.search import Limits, Search
from cpqueens.backends.local_search.specials import DEFAULTS, Task, kernel_of
from cpqueens.kernels.local import info as at, linear as codes
from cpqueens.kernels.local.plain import EQUAL
from cpqueens.lowered.structures.linear import find


def covering(seed: int) -> Model:
    """Return a random model of all that suits: equalities, both inequalities, clauses, wide and negative."""
    random = np.random.default_rng(seed)
    m = Model("covering")
    x, taken = m.intvar(-3, 12, shape=4), m.boolvar(8)
    for _ in range(3):
        m.add((random.integers(1, 5, 8) * taken).sum() + x[int(random.integers(4))] >= 6)
    m.add(x.sum() == 9, x[0] - x[1] <= 4, (random.integers(1, 9, 8) * taken).sum() <= 25)
    m.add(Or([taken[0], taken[1], ~taken[2]]), taken[3:6].sum() == 2)
    m.minimize((random.integers(-4, 9, 8) * taken).sum() + (random.integers(-2, 3, 4) * x).sum())
    return m


def fresh(state: linear.LinearWalk, limit: int) -> np.ndarray:
    """Return what the activities of the present assignment are, row 0 demanding at most ``limit``."""
    form = state.form
    activity = form.constant.copy()
    np.add.at(activity, form.row, form.coefficient * state.part(codes.X)[form.variable])
    activity[0] -= limit
    return activity


@pytest.mark.parametrize("seed", range(4))
def test_the_state_is_what_a_fresh_look_says(seed: int) -> None:
    search = Search(compiled(covering(seed)), seed)
    form = find(search.compiled)
    assert form is not None
    search.start()
    state = linear.LinearWalk(form)
    state.random[:] = search.random
    state.begin(search.x, search.objective_limit)
    limit, improvements = search.objective_limit, 0
    for _ in range(60):
        before = int(state.info[codes.FOUND])
        state.advance(search, 5)
        if state.info[codes.FOUND] > before:
            state.info[codes.TOLD] = state.info[codes.FOUND]
            improvements += 1
            limit = search.value_of(state.part(codes.BEST)) - 1
        activity = fresh(state, limit)
        assert (activity == state.part(codes.ACTIVITY)).all()
        violated = np.where(state.part(codes.KIND) == EQUAL, activity != 0, activity > 0)
        number = int(state.info[codes.VIOLATED])
        assert sorted(state.part(codes.MEMBERS)[:number]) == np.flatnonzero(violated).tolist()
        x = state.part(codes.X)
        assert ((state.part(codes.LOWER) <= x) & (x <= state.part(codes.UPPER))).all()
    assert improvements
    assert search.steps == 300


@pytest.mark.parametrize("seed", range(4))
def test_optima_are_reached(seed: int) -> None:
    best = covering(seed).solve(solver="cpsat").objective
    outcome = run(covering(seed), seed=seed, steps=1_500)
    assert outcome.statistics["special"] == "linear"
    assert outcome.objective is not None
    assert best is not None
    assert best <= outcome.objective <= best + 2


@pytest.mark.parametrize("seed", sweep(1, 3))
def test_a_code_is_found_by_demanding(seed: int) -> None:
    """One way alone stays at 12 words with some seeds; those of Hamming are 16."""
    outcome = run(code(7, 3), seed=seed, steps=40_000)
    assert outcome.objective == 16
    assert outcome.statistics["resets"] > 0


def test_what_it_does_not_suit() -> None:
    m = covering(0)
    task = Task("auto", 0, Limits(), {}, DEFAULTS)
    assert kernel_of(compiled(m), task) is not None
    assert kernel_of(compiled(m), replace(task, common=DEFAULTS | {"audit": "full"})) is None
    m.add(AllDifferent(m.intvar(0, 5, shape=3)))
    assert find(compiled(m)) is None
    m = covering(0)
    m.drop_objectives()
    assert find(compiled(m)) is None


def test_it_ends_where_there_is_nothing_to_better() -> None:
    """An objective without variables: the first solution is the best."""
    m = Model("nothing")
    x = m.intvar(0, 3, shape=2)
    m.add(x.sum() == 4)
    m.minimize(x[0] - x[0] + 5)
    outcome = run(m, steps=200)
    assert (outcome.status, outcome.objective) == ("FEASIBLE", 5)


def test_the_kernel_goes_back_to_the_best() -> None:
    search = Search(compiled(covering(1)), 1)
    form = find(search.compiled)
    assert form is not None
    search.start()
    state = linear.LinearWalk(form)
    state.random[:] = search.random
    state.begin(search.x, search.objective_limit)
    state.info[codes.TURN] = 20
    for _ in range(40):
        state.advance(search, 20)
        state.tell(search)
    assert search.info[at.RESETS] > 2
    limit = search.value_of(state.part(codes.BEST)) - 1
    assert (fresh(state, limit) == state.part(codes.ACTIVITY)).all()


@pytest.mark.parametrize("seed", range(3))
def test_what_it_takes_for_a_solution_is_one(seed: int) -> None:
    solution = run(covering(seed), steps=2000).solution
    assert solution is not None
    best = solution.values
    for change in (None, *range(len(best))):
        x = best if change is None else best + (np.arange(len(best)) == change)
        for slack in (0, 1):
            search = Search(compiled(covering(seed)), seed)
            form = find(search.compiled)
            assert form is not None
            limit = search.value_of(best) - slack
            search.demand(limit)
            search.go_to(x)
            found = linear.LinearWalk(form).violation(search.x, limit) == 0
            assert found == search.solved()
            if change is None:
                assert found == (slack == 0)
