"""Propagating, exploring and substituting before walking: no solution is lost, none is added."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from each import each
from searched import compiled, run
from seeds import sweep

from cpqueens import AllDifferent, Model, element, maximum, minimum
from cpqueens.backends.backtracking.alternating import JOINING
from cpqueens.backends.backtracking.wholes.registry import takes
from cpqueens.backends.base import Clock, Request, Want
from cpqueens.backends.local_search.audit import violation
from cpqueens.backends.local_search.layers import build_arrays
from cpqueens.backends.local_search.presolve import FEWEST
from cpqueens.backends.local_search.root import InTurns, Tree, propagated
from cpqueens.crosscheck import oracle
from cpqueens.fuzzing.generate import random_model
from cpqueens.language.arrays import of_variables
from cpqueens.lowered.evaluation import evaluate, values_of_all
from cpqueens.lowered.neighbourhood import values_of
from cpqueens.lowered.presolve.choices import smaller_model
from cpqueens.lowered.presolve.reduction import Reduced, reduced
from cpqueens.lowered.structures.table import Structures

MOST = 3000  # assignments of a smaller model


def smaller(model: Model) -> Reduced | None:
    """Return what presolve makes of a model; None if propagation or reduction finds nothing to do."""
    root = propagated(Structures(model, "local-search", takes), Request(Want.ONE, Clock(None)))
    assert root is not None
    if not root.possible:
        assert not oracle.solve(model).rows
        return None
    return smaller_model(compiled(model), root.domains())


def solutions(small: Reduced) -> set[tuple[int, ...]]:
    """Return the solutions of a smaller model as those of the larger one, by trying everything."""
    c = small.compiled
    entries = build_arrays(c, frozenset()).entries
    found = []
    for x in product(*(values_of(c, v).tolist() for v in range(c.decision_count))):
        values = values_of_all(c, np.array(x, dtype=np.int64))
        assert (c.lower <= values).all(), "counters rely on bounds"
        assert (values <= c.upper).all()
        if not sum(violation(entry, values) for entry in entries):
            found.append(tuple(small.restored(np.array(x, dtype=np.int64)).tolist()))
    assert len(set(found)) == len(found)
    return set(found)


def size(small: Reduced) -> int:
    """Return how many assignments a smaller model has."""
    c = small.compiled
    return int(np.prod([len(values_of(c, v)) for v in range(c.decision_count)], dtype=float))


def test_random_models_keep_their_solutions() -> None:
    """Of the whole language, with a sum as one more variable, which is computed."""
    computed = looked = 0
    for seed in sweep(12, 45):
        model = random_model(seed)
        model.drop_objectives()
        first = model.decisions[:2]
        z = model.intvar(-3, 9, name="computed_here")
        model.add(z == of_variables(model, first, (len(first),)).sum())
        small = smaller(model)
        if small is None or size(small) > MOST:
            continue
        assert solutions(small) == set(oracle.solve(model).rows), seed
        looked += 1
        computed += small.facts["computed"]
    assert looked > 3
    assert computed > 1


def tasks(limit: int) -> Model:
    """Return what people write: an objective, a product, a truth and an element as variables of their own."""
    m = Model("tasks")
    x = m.intvar(0, 6, shape=2, name="x")
    area, cost, late, value = m.intvar(0, 36), m.intvar(0, 5000), m.boolvar(), m.intvar(0, limit)
    m.add(area == x[0] * x[1], cost == element([7, 0, 300, 5, 2, 9, 1], x[0]), late == (x[1] >= 4))
    m.add(value == 40 * x[0] + 50 * x[1] + 3 * late - cost, area <= 20, x[0] + 2 * x[1] <= 11)
    m.maximize(value)
    return m


@pytest.mark.parametrize("limit", [400, 250])
def test_variables_that_equalities_define_are_not_searched(limit: int) -> None:
    model = tasks(limit)
    small = smaller(model)
    assert small is not None
    assert small.facts == {"fixed": 0, "computed": 4, "searched": 2}
    model.drop_objectives()
    listed = model.enumerate(solver="backtracking").solutions.matrix
    assert solutions(small) == set(map(tuple, listed.tolist()))


def test_a_variable_is_computed_by_one_that_does_not_depend_on_it() -> None:
    m = Model("round")
    x, y = m.intvar(0, 9), m.intvar(0, 9)
    m.add(x == abs(y - 4), y == abs(x - 5) + 1)
    small = smaller(m)
    assert small is not None
    assert small.facts["computed"] == 1
    assert solutions(small) == set(oracle.solve(m).rows)


def test_a_row_of_a_permutation_is_not_computed_within_it() -> None:
    m = Model("within")
    x = m.intvar(1, 200, shape=3)
    m.add(AllDifferent(x), x[0] + x[1] == x[2])
    small = smaller(m)
    assert small is None or small.facts["computed"] == 0


MOSTS: dict[str, Callable[[Model, Any, Any], None]] = {
    "a variable beyond terms": lambda m, x, z: (m.add(z >= 2 * x, z - x[0] >= 3), m.minimize(2 * z + 1)),
    "one below terms": lambda m, x, z: (m.add(z <= x - x[0] + 4, x[2] - z >= 1), m.maximize(z)),
    "a maximum": lambda m, x, z: (m.add(z == 0), m.minimize(3 * maximum(x[0], x[1] + 1, x[2] + 2) - 1)),
    "equal to a minimum": lambda m, x, z: (m.add(z == minimum(x)), m.maximize(z)),
    "one that also stands elsewhere": lambda m, x, z: (m.add(z >= x, (z != 3) | (x[0] == 1)), m.minimize(z)),
}


@each("what", MOSTS)
def test_an_extreme_as_objective_is_computed(what: str) -> None:
    """What the smaller model has are solutions with the objective that its terms say, the best among them."""
    m = Model()
    x, z = m.intvar(-1, 4, shape=3), m.intvar(-2, 9)
    m.add(AllDifferent(x), x[0] + x[1] >= 3, x[1] <= 3)
    MOSTS[what](m, x, z)
    small = smaller(m)
    assert small is not None
    assert small.compiled.objective is not None
    assert (len(small.compiled.objective) > 1) == ("elsewhere" not in what)
    sign = -1 if m.maximizing else 1
    rows = np.array(sorted(solutions(small)))
    best = m.solve(solver="backtracking")
    m.drop_objectives()
    assert set(map(tuple, rows.tolist())) <= set(oracle.solve(m).rows)
    objective = small.compiled.objective
    values = [evaluate(objective, values_of_all(small.compiled, x)).max() for x in rows[:, small.kept]]
    assert best.objective == sign * min(values)


def test_functions_of_computed_variables_may_leave_their_bounds() -> None:
    """While nothing holds yet: counters and sums have to be prepared for that."""
    m = Model("square")
    x, y = m.intvar(0, 9, shape=2), m.intvar(0, 80)
    m.add(y == x[0] + 10 * x[1], AllDifferent([y * y, x[0] + 400, x[1]]))
    small = smaller(m)
    assert small is not None
    assert small.facts["computed"] == 1
    assert solutions(small) == set(oracle.solve(m).rows)


def test_gaps_of_a_computed_variable_remain() -> None:
    m = Model("gaps")
    x, z = m.intvar(0, 5, shape=2), m.intvar(domain=[1, 4, 9])
    m.add(z == x[0] + 2 * x[1] - maximum(x))
    small = smaller(m)
    assert small is not None
    assert small.facts["computed"] == 1
    assert solutions(small) == set(oracle.solve(m).rows)


@pytest.mark.parametrize("allowed", [[0, 4, 6], [0, 1, 4, 5, 6], [0, 2, 4, 6], [0, 1, 2, 4, 5, 6]])
def test_gaps_that_an_expression_has_by_itself_are_no_constraint(allowed: list[int]) -> None:
    m = Model("within")
    x, z = m.intvar(0, 3), m.intvar(domain=allowed)
    m.add(z == 2 * x)
    small = reduced(compiled(m), [(0, 3), np.array(allowed)])
    assert small is not None
    assert solutions(small) == set(oracle.solve(m).rows)
    assert len(small.compiled.tables) == (2 not in allowed)


def test_what_was_done_is_counted_and_can_be_switched_off() -> None:
    outcome = run(tasks(400), steps=300)
    assert outcome.objective == tasks(400).solve(solver="backtracking").objective
    assert outcome.status == "FEASIBLE"
    assert outcome.statistics["presolve"]["nodes"] > 0
    assert "presolve" not in run(tasks(400), steps=50, presolve=False).statistics


def test_a_tree_without_solution_ends_the_search_and_proves_nothing() -> None:
    m = Model("an odd cycle")
    x = m.intvar(0, 1, shape=5)
    m.add(*(x[i] != x[i - 1] for i in range(5)))
    outcome = run(m, steps=5_000)
    assert outcome.status == "UNKNOWN"
    assert outcome.stop_reason == "gave_up"
    assert "tree was exhausted" in outcome.statistics["gave_up"]
    m.fix(x[0], 1)
    m.add(x[0] == 2)
    assert "no value" in run(m, steps=50_000).statistics["gave_up"]


def test_steps_of_both_searches_and_of_the_tree_count() -> None:
    """The step limit holds in all, and the same seed takes the same way."""
    limits = [10, 20, 60]
    for limit in limits:
        model = tasks(10_000)
        one, two = (run(model, seed=3, steps=limit) for _ in range(2))
        assert one.statistics["steps"] <= limit
        presolve = one.statistics.get("presolve", {"nodes": -FEWEST})
        assert one.statistics["steps"] >= FEWEST + presolve["nodes"]
        assert one.statistics["trajectory"] == two.statistics["trajectory"]
        assert one.objective == two.objective


def coins(size: int) -> Model:
    """Return a knapsack whose objective is a variable, a sum of variables that are 0 or one value."""
    random = np.random.default_rng(size)
    values, weights = random.integers(10, 99, size), random.integers(10, 99, size)
    m = Model("coins")
    worth, parts, taken = m.intvar(0, 10**6), m.intvar(0, 99, shape=size), m.boolvar(size)
    m.add((weights * taken).sum() <= int(weights.sum()) // 2, worth == parts.sum(), parts == values * taken)
    m.maximize(worth)
    return m


def test_sums_of_any_length_and_values_of_one_variable_are_computed() -> None:
    small = smaller(coins(150))
    assert small is not None
    assert small.facts == {"fixed": 0, "computed": 151, "searched": 150}
    assert not small.compiled.tables
    values = [0, 1] * 75
    assert small.restored(np.array(values)).tolist()[151:] == values
    few = smaller(coins(5))
    assert few is not None
    model = coins(5)
    model.drop_objectives()
    assert solutions(few) == set(map(tuple, model.enumerate(solver="backtracking").solutions.matrix.tolist()))


@pytest.mark.parametrize("strategy", ["tabu", "hill-climbing", "annealing", "jump"])
def test_an_objective_that_an_equality_gives_is_as_good_as_its_expression(strategy: str) -> None:
    def best(expression: bool) -> tuple[Any, Any]:
        m = Model()
        g, c, value = m.intvar(0, 50, name="g"), m.intvar(0, 50, name="c"), m.intvar(0, 10_000, name="value")
        m.add(g + c <= 50, 3 * g + 4 * c <= 180, value == 40 * g + 50 * c)
        m.maximize(40 * g + 50 * c if expression else value)
        found = m.solve(solver=f"local-search:{strategy}", step_limit=2_000, random_seed=1)
        assert found.statistics["strategy"] == strategy
        if not expression:
            assert found.solution is not None
            assert found.solution[value] == found.objective
        return found.objective, found.stop_reason

    assert best(False)[0] >= 2200


def test_a_hint_and_a_trace_of_such_a_model_have_all_variables() -> None:
    m = Model()
    x, z = m.intvar(0, 9, shape=3, name="x"), m.intvar(0, 99, name="z")
    m.add(z == 3 * x[0] + 2 * x[1] - x[2], AllDifferent(x))
    m.minimize(z)
    found = m.solve(solver="local-search:tabu", step_limit=50, trace=100, hint={"x": [3, 1, 9], "z": 2})
    assert found.statistics["hint_kept"] == 3
    assert found.trace is not None
    assert found.trace.state(len(found.trace) - 1).shape == (4,)
    assert found.objective == 0


def split_weight(pieces: int, total: int) -> Model:
    """Return Bachet's problem: pieces with which a balance weighs all that is not more than all of them."""
    m = Model("weights")
    w, x = m.intvar(1, total, shape=pieces), m.intvar(-1, 1, shape=(total, pieces))
    m.add(w.sum() == total, w[1:] > w[:-1])
    for k in range(total):
        m.add(sum(w[j] * x[k, j] for j in range(pieces)) == k + 1)
    return m


def in_turns(model: Model) -> InTurns:
    asked = Request(Want.ONE, Clock(None))
    root = propagated(Structures(model, "local-search", takes), asked)
    assert root is not None
    return InTurns(root, asked)


def test_searches_in_turns_go_on_where_they_were() -> None:
    """What they find, and after how many decisions, depends on no clock, nor on how often they are asked."""
    found = []
    for runs in (1_000, 30_000, 1 << 40):
        searches, decisions, solution = in_turns(split_weight(3, 13)), 0, None
        while solution is None:
            explored = searches.go_on(runs)
            decisions, solution = decisions + explored.nodes, explored.solution
        found.append((decisions, solution.tolist()))
    assert found[0] == found[1] == found[2]
    assert found[0][1][:3] == [1, 3, 9]
    assert in_turns(split_weight(2, 5)).go_on(1 << 40).exhausted


def test_searches_in_turns_ask_the_linear_relaxation() -> None:
    m = Model("eleven pigeons in ten holes")
    x = m.boolvar(shape=(11, 10), name="x")
    m.add(x.sum(axis=1) >= 1, x.sum(axis=0) <= 1)
    explored = in_turns(m).go_on(1 << 40)
    assert (explored.exhausted, explored.solution) == (True, None)
    assert explored.nodes < JOINING  # the relaxation is asked before others join


@pytest.mark.parametrize(("dear", "most"), [(1, 40), (1 << 40, 1000)])
def test_dear_nodes_of_a_tree_are_fewer(dear: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Request(Want.ONE, Clock(None))
    root = propagated(Structures(split_weight(4, 40), "local-search", takes), asked)
    assert root is not None
    monkeypatch.setattr("cpqueens.backends.local_search.root.DEAR", dear)
    monkeypatch.setattr("cpqueens.backends.local_search.root.FEWEST_NODES", 20)
    tree = Tree(root, asked)
    ended = tree._search(1000, None, [])
    assert 20 <= ended.statistics["nodes"] + ended.statistics["failures"] - 1 <= most
    assert (tree.explore(1000, None).nodes, tree.searches) == (1000, 1)


def test_what_walks_do_not_find_is_found_by_the_exact_engine() -> None:
    outcome = split_weight(4, 40).solve(solver="local-search", step_limit=60_000)
    assert outcome.solution is not None
    assert outcome.solution.values[:4].tolist() == [1, 3, 9, 27]
