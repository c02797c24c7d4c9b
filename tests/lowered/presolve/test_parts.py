"""Independent parts have the solutions of the whole, put together: counted by trying everything."""

from __future__ import annotations

import math
import random
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pytest
from each import each

from cpqueens import AllDifferent, Model, Or, Table, element, maximum
from cpqueens.backends.backtracking.wholes.registry import takes
from cpqueens.backends.base import Clock, Request, Want
from cpqueens.backends.local_search import presolve
from cpqueens.backends.local_search.audit import violation
from cpqueens.backends.local_search.layers import build_arrays
from cpqueens.backends.local_search.presolve import WalkedPart, parts_within
from cpqueens.backends.local_search.root import propagated
from cpqueens.crosscheck import oracle
from cpqueens.lowered.compiled import Compiled
from cpqueens.lowered.evaluation import values_of_all
from cpqueens.lowered.forms import WALKED, compile_model
from cpqueens.lowered.neighbourhood import values_of
from cpqueens.lowered.structures.table import Structures


def walked(model: Model) -> Compiled:
    return compile_model(model, WALKED, "local-search")


def parts(model: Model, without: tuple[str, ...] = ()) -> list[WalkedPart] | None:
    """Return the parts that local search walks on."""
    request = Request(Want.ONE, Clock(None))
    root = propagated(Structures(model, "local-search", takes), request)
    assert root is not None
    return parts_within(walked(model), root, request, without) if root.possible else None


def solutions(part: WalkedPart) -> set[tuple[int, ...]]:
    """Return the solutions of a part, of which the variables of the others have some value."""
    c, found = part.smaller.compiled, set()
    entries = build_arrays(c, frozenset()).entries
    for x in product(*(values_of(c, v).tolist() for v in range(c.decision_count))):
        values = values_of_all(c, np.array(x, dtype=np.int64))
        if not sum(violation(entry, values) for entry in entries):
            found.add(tuple(part.smaller.restored(np.array(x, dtype=np.int64)).tolist()))
    return found


SORTS: tuple[Any, ...] = (
    lambda source, x: (AllDifferent(x), x[0] + 2 * x[1] != 3),
    lambda source, x: (x[0] * x[1] + x[2] >= source.randint(1, 6), (x[0] == 1) | (x[2] == 2)),
    lambda source, x: (Table(x[:2], [(0, 1), (1, 2), (2, 0), (3, 3)]), x[2] > x[0] - 1),
    lambda source, x: (element([3, 1, 0, 2], x[0]) != x[1], x[2] == x[1] + source.randint(-1, 1)),
    lambda source, x: (maximum(x[:2]) <= 2, Or(x[1] == 0, x[2] == 3)),
)


def several(seed: int) -> Model:
    """Return parts of three variables, one that is free, one with gaps, and one that connects nothing."""
    source, m = random.Random(seed), Model()
    fixed, gaps = m.intvar(2, 2, name="fixed"), m.intvar(domain=[1, 5, 6], name="gaps")
    for k in range(source.randint(1, 2)):
        x = m.intvar(0, 3, shape=3, name=f"x{k}")
        m.add(*source.choice(SORTS)(source, x), x[0] + abs(fixed - 4) <= 5)
    m.intvar(-1, 1, name="free")
    m.add(gaps != 1)
    return m


@each("seed", range(12))
def test_the_solutions_of_the_parts_are_those_of_the_whole(seed: int) -> None:
    model = several(seed)
    truth, found = oracle.solve(model), parts(model)
    assert found is not None
    each_has = [solutions(part) for part in found]
    assert math.prod(map(len, each_has)) == len(truth.solutions)
    for part, mine in zip(found, each_has, strict=True):  # which the exact engine is given to repair
        low, high = (ends[: len(model.decisions)] for ends in part.root.ends())
        assert all((low <= x).all() and (x <= high).all() for x in map(np.array, mine))
    for put_together in list(product(*each_has))[:50]:
        x = np.zeros(len(model.decisions), dtype=np.int64)
        for part, mine in zip(found, put_together, strict=True):
            x[part.mine] = np.array(mine)[part.mine]
        assert tuple(x.tolist()) in truth.rows


@each("passes", [[], ["substitution"], ["choices"], ["cliques"]])
def test_each_pass_may_be_left_out(passes: list[str]) -> None:
    m, pairs = Model(), [pair for pair in combinations(range(4), 2) if pair != (2, 3)]
    x, y, z = m.intvar(0, 3, shape=4, name="x"), m.boolvar(shape=7, name="y"), m.intvar(2, 9, name="z")
    other = m.intvar(0, 3, shape=2, name="other")
    m.add(*(x[a] != x[b] for a, b in combinations(range(4), 2)), *(x[a] != x[b] + 1 for a, b in pairs))
    m.add(y.sum() == 1, y[0] + x[2] <= 3, z == x[0] + 2 * x[1], other[0] < other[1])
    truth = 6 * sum(
        all(values[a] != values[b] + 1 for a, b in pairs) and values[0] + 2 * values[1] >= 2
        for values in permutations(range(4))
        for chosen in range(7)
        if chosen or values[2] < 3
    )
    found = parts(m, tuple(passes))
    assert found is not None
    facts = found[0].smaller.facts
    assert ("cliques" in facts) == ("cliques" not in passes)
    assert (facts["computed"] > 0) == ("substitution" not in passes)
    assert ("choices" in facts) == ("choices" not in passes)
    assert math.prod(len(solutions(part)) for part in found) == truth > 0


def test_no_part_is_searched_apart_where_nobody_wants_that() -> None:
    m = knapsacks(3, random.Random(1))
    given = {"solver": "local-search", "random_seed": 1, "step_limit": 3000}
    assert m.solve(**given).statistics["presolve"]["parts"] == 3
    assert "parts" not in m.solve(**given, without=["parts"]).statistics["presolve"]


def test_one_part_is_none() -> None:
    m = Model()
    x = m.intvar(0, 3, shape=4, name="x")
    m.add(AllDifferent(x[:2]), AllDifferent(x[2:]), x[1] != x[2])
    assert parts(m) is None


def test_what_defines_a_variable_of_two_parts_connects_them() -> None:
    m = Model()
    x = m.intvar(0, 3, shape=4, name="x")
    m.add(AllDifferent(x[:2]), AllDifferent(x[2:]))
    assert len(parts(m) or ()) == 2
    m.minimize(maximum([x[0], x[2]]))
    assert parts(m) is None


def knapsacks(many: int, source: random.Random) -> Model:
    m = Model()
    worth: Any = 0
    for k in range(many):
        x = m.boolvar(shape=16, name=f"x{k}")
        for _ in range(2):
            weights = [source.randint(10, 99) for _ in x]
            m.add(sum(w * v for w, v in zip(weights, x, strict=True)) <= sum(weights) // 2)
        worth += sum(source.randint(10, 99) * v for v in x) + (k + 2)
    m.maximize(worth)
    return m


def test_each_part_is_made_best() -> None:
    m = knapsacks(4, random.Random(7))
    outcome = m.solve(solver="local-search", random_seed=1, step_limit=20_000)
    assert outcome.statistics["presolve"]["parts"] == 4
    assert outcome.objective == m.solve(solver="backtracking").objective
    assert m.check(outcome.solution)
    again = m.solve(solver="local-search", random_seed=1, step_limit=20_000)
    assert again.statistics["steps"] == outcome.statistics["steps"] <= 20_000


@pytest.mark.parametrize("impossible", [False, True])
def test_each_part_is_solved(impossible: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of magic squares, which are left to the walks."""
    monkeypatch.setattr(presolve, "FIRST_PART", 1)
    monkeypatch.setattr(presolve, "RUNS_PER_NODE", 0)
    m = Model()
    for k in range(3):
        x = m.intvar(1, 16, shape=(4, 4), name=f"x{k}")
        m.add(AllDifferent(x.reshape(-1)), x.sum(axis=0) == 34, x.sum(axis=1) == 34)
        m.add(x[0, 0] < x[1, 1], x[1, 1] < x[2, 2])
    m.add(m["x1"][0, 1] * m["x1"][0, 2] == m["x1"][0, 3] ** 2 + 97)  # two numbers are fixed by that
    if impossible:  # which propagation does not see
        m.add((m["x2"][0, 1] * m["x2"][0, 2]) % 17 == 0)
    outcome = m.solve(solver="local-search", random_seed=3, step_limit=40_000)
    assert outcome.statistics["presolve"]["parts"] == 3
    assert outcome.statistics["steps"] <= 40_000
    assert bool(outcome.solutions) != impossible
    assert impossible or m.check(outcome.solution)
