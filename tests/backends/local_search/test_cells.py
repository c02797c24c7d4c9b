"""Annealing over tables: what these say, the state of the walk, its optima, and what it does not suit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from searched import compiled

from cpqueens import AllDifferent, Count, GlobalCardinality, Model, Or, element, maximum, minimum
from cpqueens.backends.local_search import cells as module
from cpqueens.backends.local_search.cells import Cells, CellsWalk
from cpqueens.backends.local_search.search import Search
from cpqueens.kernels.local import cells as codes
from cpqueens.kernels.local.plain import NOT_EQUAL
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import GE
from cpqueens.lowered.evaluation import evaluate, values_of_all
from cpqueens.lowered.structures.cells import find
from cpqueens.lowered.term_tables import Scope, multisets, tabulated


def sequence(most: int = 2) -> Model:
    """Return a multiset of kinds under windows with at most so many, as sequences of cars are."""
    m = Model("sequence")
    kind = m.intvar(0, 2, shape=9, name="kind")
    m.add((kind == 0).sum() == 4, (kind == 1).sum() == 3, (kind == 2).sum() == 2)
    has = [element([0, 1, 1], kind[k]) for k in range(9)]
    m.add([sum(has[k : k + 3]) <= most for k in range(7)], Count(kind[:5], 1, 2))
    m.minimize(sum(abs(kind[k] - kind[k + 1]) * (k + 1) for k in range(8)))
    return m


def assignment() -> Model:
    """Return a quadratic assignment to more places than there are, with a side constraint."""
    random = np.random.default_rng(5)
    distance, flow = random.integers(0, 9, 36).tolist(), random.integers(0, 5, (5, 5)).tolist()
    m = Model("assignment")
    place = m.intvar(0, 5, shape=5, name="place")
    m.add(AllDifferent(place), place[0] + place[1] >= 4, Or([place[2] <= 1, place[3] >= 4]))
    m.minimize(
        sum(flow[i][j] * element(distance, 6 * place[i] + place[j]) for i in range(5) for j in range(i))
    )
    return m


def beside(missing: int = 6) -> Model:
    """Return a sequence, and three marks that ascend, none of them at ``missing``."""
    m = sequence()
    x = m.intvar(domain=[k for k in range(13) if k != missing], shape=3, name="x")
    m.add(x[1:] > x[:-1], x[2] - x[0] >= m["kind"][0] + 3)
    m.minimize(m.objective + x[2] - (x[1] == 5) * 2)
    return m


MODELS: list[Callable[[], Model]] = [sequence, assignment, beside]


def started(m: Model, seed: int = 0) -> tuple[Search, Cells, CellsWalk]:
    search = Search(compiled(m), seed)
    cells = find(search.compiled)
    assert cells is not None
    search.start()
    return search, cells, CellsWalk(search, cells)


def all_functions() -> Model:
    """Return a model of every kind of definition and relation over two variables each."""
    m = Model("functions")
    x, y, z = m.intvar(-3, 3, shape=3, name="x")
    m.add(abs(x - y) + x * z - 2 * minimum(x, y) >= -9, maximum(x, 2 * z) != 1, x + y - z <= 4)
    m.add((y // 2) + (z % 3) + element([y, z, 7], y + 1) * 2 >= -4, Or([x == y, z > 0, ~(y <= z)]))
    m.add((Count([x, y, z, 2], y, 2)), AllDifferent(x + 2 * y, abs(z), 9))
    m.minimize(element([5, 1, 4, 8], y) - x)
    return m


def added(tables: dict[Scope, IntArray], x: IntArray) -> int:
    """Return the sum of tables over -3 .. 3."""
    return sum(int(values[tuple(x[list(scope)] + 3)]) for scope, values in tables.items())


@pytest.mark.parametrize(("most", "goes", "warm"), [(2, False, True), (1, False, True), (2, True, False)])
def test_what_is_counts_alone_is_not_heated(most: int, goes: bool, warm: bool) -> None:
    m = sequence(most)
    if not goes:
        m.drop_objectives()
    _, cells, walk = started(m)
    assert cells.counts_alone
    assert (walk.info[codes.HEAT] == module.WARM) == warm


def test_a_row_of_larger_steps_is_heated() -> None:
    m = sequence()
    m.drop_objectives()
    m.add(m["kind"][:4].sum() <= 6)
    _, cells, walk = started(m)
    assert not cells.counts_alone
    assert walk.info[codes.HEAT] == 0


def test_equal_functions_of_equal_domains_share_one_table() -> None:
    m = Model()
    x = m.intvar(0, 4, shape=3, name="x")
    m.add(x**2 <= 9, (x - m.intvar(0, 5, name="y")) ** 2 >= 1)
    tables = tabulated(compiled(m), frozenset())
    assert tables is not None
    arrays = {id(values): values.tolist() for row in tables.rows for values in row.tables.values()}
    assert sorted(map(np.shape, arrays.values())) == [(5,), (5, 6)]


def test_a_number_is_no_term_whose_coefficient_is_missing() -> None:
    """Equal functions of one variable are known by their numbers, in which constants have coefficient 0."""
    m = Model()
    x = m.intvar(-4, 4, shape=3, name="x")
    m.add(maximum(2 - x[0], x[0]) + maximum(2, x[1]) + maximum(2 - x[2], x[2]) <= 9)
    tables = tabulated(compiled(m), frozenset())
    assert tables is not None
    (row,) = tables.rows
    domain = np.arange(-4, 5)
    first, second = np.maximum(2 - domain, domain), np.maximum(2, domain)
    assert [row.tables[(v,)].tolist() for v in range(3)] == [first.tolist(), second.tolist(), first.tolist()]
    assert row.tables[(0,)] is row.tables[(2,)]


@pytest.mark.parametrize("seed", range(4))
def test_tables_say_what_the_terms_say(seed: int) -> None:
    c = compiled(all_functions())
    tables = tabulated(c, frozenset())
    assert tables is not None
    assert tables.objective is not None
    x = np.random.default_rng(seed).integers(-3, 4, 3)
    values = values_of_all(c, x)
    assert added(tables.objective.tables, x) + tables.objective.constant == evaluate(c.objective, values)[0]
    signs = np.where(c.relation == GE, -1, 1)
    said = [row.constant + added(row.tables, x) for row in tables.rows]
    assert said[: len(signs)] == (signs * evaluate(c.linear, values)).tolist()
    literals = np.add.reduceat(evaluate(c.literals, values), c.clause_start[:-1])
    assert said[len(signs) :][: len(literals)] == (1 - literals).tolist()
    for (terms, value, _, wanted), row in zip(c.counts, said[len(signs) + len(literals) :], strict=True):
        number = (evaluate(terms, values) == evaluate(value, values)).sum()
        assert row == number - evaluate(wanted, values)[0]
    different = [added(dict([term]), x) for terms in tables.different for term in terms]
    assert different == evaluate(c.different, values).tolist()


@pytest.mark.parametrize("build", MODELS)
def test_the_state_is_what_a_fresh_look_says(build: Callable[[], Model]) -> None:
    search, cells, walk = started(build())
    values = [np.sort(walk.part(codes.X)[group.variables]) for group in cells.groups]
    for _ in range(12):
        walk.advance(search, 25)
        state = [walk.part(k).copy() for k in (codes.X, codes.ACTIVITY)]
        violation = int(walk.info[codes.VIOLATION])
        for group, kept in zip(cells.groups, values, strict=True):
            assert (np.sort(state[0][group.variables]) == kept).all()
        spare = state[0][len(search.x) :]
        walk.begin(walk.present())
        walk.part(codes.X)[len(search.x) :] = spare  # their order is nobody's concern
        for part, before in zip((codes.X, codes.ACTIVITY), state, strict=True):
            assert (walk.part(part) == before).all()
        assert walk.info[codes.VIOLATION] == violation
        if walk.info[codes.PASSED] >= walk.info[codes.CYCLE]:
            walk.turn()


@pytest.mark.parametrize("build", MODELS)
def test_the_best_is_found(build: Callable[[], Model]) -> None:
    found = build().solve(solver="local-search", step_limit=20_000, presolve=False)
    assert found.statistics["special"] == "cells"
    assert found.objective == build().solve(solver="backtracking").objective


def test_a_solution_is_enough_without_an_objective() -> None:
    m = sequence()
    m.drop_objectives()
    found = m.solve(solver="local-search", random_seed=3)
    assert (found.status, found.statistics["special"]) == ("FEASIBLE", "cells")


def test_propagation_helps_where_swaps_may_violate_something() -> None:
    m = Model("three of each of four values, in two halves of which the sums are no whole number apart")
    x = m.intvar(0, 3, shape=12, name="x")
    m += GlobalCardinality(x, range(4), [3] * 4)
    m.minimize(x @ range(12))
    best = m.solve(solver="local-search", step_limit=20_000)
    assert (best.statistics["special"], "presolve" in best.statistics) == ("cells", False)
    m += 2 * x[:6].sum() == 2 * x[6:].sum() + 1
    found = m.solve(solver="local-search", step_limit=20_000)
    assert (found.statistics["special"], "presolve" in found.statistics) == ("cells", True)


def test_the_price_follows_what_is_violated() -> None:
    _, _, walk = started(assignment())
    walk.info[[codes.PRICE, codes.CYCLE, codes.KEPT]] = 8, 1000, 0
    walk.turn()
    assert walk.info[codes.PRICE] == 16
    walk.info[codes.KEPT] = 1000
    walk.turn()
    assert walk.info[codes.PRICE] == 12
    assert walk.info[codes.CYCLE] == 2250


@pytest.mark.parametrize("seed", range(3))
def test_moves_stay_where_linear_rows_allow_them(seed: int) -> None:
    _, _, walk = started(beside(missing=-1), seed)
    walk.begin(np.array([0, 0, 0, 0, 1, 1, 1, 2, 2, 1, 4, 9]))
    random = np.random.default_rng(seed).integers(0, 1 << 32, 4)
    places = [codes.target(10, walk.arena, random) for _ in range(60)]
    inside = [walk.cells.domains[10][p] for p in places]
    assert {2, 3, 5, 6, 7, 8} <= set(inside)
    assert sum(not 1 < value < 9 for value in inside) < 20  # one in eight may be anything


def test_what_terms_of_three_variables_have_is_for_the_general_engine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    m = Model()
    x = m.intvar(0, 4, shape=5)
    m.add(AllDifferent(x))
    m.minimize(abs(x[0] + x[1] - x[2]))
    assert find(compiled(m)) is None
    m.minimize(abs(x[0] + x[1]))
    assert find(compiled(m)) is not None
    monkeypatch.setattr("cpqueens.lowered.structures.cells.MOST_TERMS", 4)
    assert find(compiled(m)) is None


def test_an_inequality_is_violated_by_equals_alone() -> None:
    assert [codes.gap(NOT_EQUAL, k) for k in (-2, 0, 3)] == [0, 1, 0]


def test_the_general_engine_walks_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SHORTEST", 50)
    monkeypatch.setattr(module, "CYCLE", 1)
    m = sequence(most=0)
    m.drop_objectives()
    found = m.solve(solver="local-search", step_limit=3000, presolve=False)
    assert found.statistics["restarts"] >= 1
    assert found.statistics["steps"] == 3000


def test_values_that_are_not_all_counted_are_no_multiset() -> None:
    m = Model()
    x = m.intvar(0, 2, shape=4)
    m.add((x == 0).sum() == 2, (x == 1).sum() == 1, x[0] <= x[1])
    model = tabulated(compiled(m), frozenset())
    assert model is not None
    groups, rows = multisets(model)
    assert (groups, len(rows)) == ([], 3)
