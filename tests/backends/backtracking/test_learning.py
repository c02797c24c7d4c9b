"""Search for one solution and for the best: weights, restarts, nogoods, bisection; and the orders by name."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from cpqueens import AllDifferent, Model, maximum
from cpqueens.backends.backtracking import objective, orders
from cpqueens.backends.backtracking.orders import VALUE_ORDERS, VARIABLE_ORDERS
from cpqueens.crosscheck import oracle
from cpqueens.errors import ModelError, UnknownParameter
from cpqueens.fuzzing.generate import random_model
from cpqueens.kernels.exact.branching import LIMIT, WRITTEN
from cpqueens.text.parameters import LARGEST_COUNT

Phases = list[tuple[str | list[str], str, str]]


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restart after every failure, and bisect after every solution."""
    monkeypatch.setattr(orders, "FIRST_RESTART", 1)
    monkeypatch.setattr(orders, "TRIAL", 1)
    monkeypatch.setattr(objective, "STRETCH", 1)
    monkeypatch.setattr(objective, "FAR", 0)
    monkeypatch.setattr(objective, "FAILURES", 2)


def pigeons(holes: int) -> Model:
    """Return one pigeon too many, in pairs with a third variable each, so that only search can tell."""
    m = Model()
    x = m.intvar(0, holes - 1, shape=holes + 1, name="x")
    nothing = m.intvar(0, 0, name="nothing")
    for i, j in product(range(holes + 1), repeat=2):
        if i < j:
            m.add(x[i] != x[j] + nothing)
    return m


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("seed", range(24))
def test_whatever_is_learned_loses_nothing(seed: int) -> None:
    model = random_model(seed)
    expected = oracle.solve(model)
    outcome = model.solve(solver="backtracking:forward")
    if not len(expected.solutions):
        assert str(outcome.status) == "INFEASIBLE"
    elif model.objective is None:
        assert str(outcome.status) == "FEASIBLE"
    else:
        assert (str(outcome.status), outcome.objective) == ("OPTIMAL", expected.optimum)


@pytest.mark.usefixtures("eager")
def test_restarts_keep_nogoods_and_end() -> None:
    outcome = pigeons(4).solve(solver="backtracking:forward")
    assert str(outcome.status) == "INFEASIBLE"
    assert outcome.statistics["restarts"] > 2
    assert outcome.statistics["nogoods"] > 2


@pytest.mark.parametrize(
    ("told", "least"),
    [
        ({"restarts": [1], "variable_order": "lexicographic"}, 5),
        ({"restarts": [2, 3], "variable_order": "smallest-domain", "value_order": "random"}, 5),
        ({"restarts": [2, 1], "phases": [("x", "lexicographic", "descending")]}, 5),
        ({"restarts": [5] * 20}, 5),
        ({"variable_order": "lexicographic"}, 0),
        ({"restarts": [LARGEST_COUNT]}, 0),
    ],
)
def test_it_begins_anew_when_it_is_told_to_and_ends(told: dict[str, Any], least: int) -> None:
    """In an order that it would not leave by itself, and never where that is said."""
    outcome = pigeons(5).solve(solver="backtracking:forward", **told)
    assert str(outcome.status) == "INFEASIBLE"
    restarts = outcome.statistics["restarts"]
    assert restarts >= least
    assert (restarts > 0) == (least > 0)


def test_lengths_between_restarts_are_as_told_and_then_twice_as_long() -> None:
    lengths = orders.tree_search(4, nogoods=0, lengths=[7, 9]).options[-2:]
    assert lengths.tolist() == [7, 9]
    counts = [
        pigeons(5).solve("backtracking:forward", variable_order="lexicographic", restarts=[k])
        for k in (1, 30)
    ]
    few, many = (outcome.statistics["restarts"] for outcome in counts)
    assert many < few < 10  # 1, 2, 4, 8, ... failures: else it would begin anew at every failure


@pytest.mark.parametrize("sense", ["minimize", "maximize"])
def test_far_objectives_are_bisected(sense: str) -> None:
    m = Model()
    x, y = m.intvar(0, 10**6, name="x"), m.intvar(0, 10**6, name="y")
    m.add(x + y >= 10**6 + 1)
    best = maximum(x, y)
    getattr(m, sense)(best if sense == "minimize" else -best)
    outcome = m.solve(solver="backtracking:forward", step_limit=5000)
    assert str(outcome.status) == "OPTIMAL"
    assert abs(outcome.objective) == 500_001


@pytest.mark.parametrize("sign", [1, -1])
def test_the_side_that_is_good_for_the_objective_is_tried_first(sign: int) -> None:
    m = Model()
    z = m.intvar(-(10**9), 10**9, name="z")
    m.maximize(sign * z)
    outcome = m.solve(solver="backtracking:forward", step_limit=200)
    assert (str(outcome.status), outcome.objective) == ("OPTIMAL", 10**9)


def test_runs_are_the_same_however_they_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orders, "FIRST_RESTART", 3)
    names = ("nodes", "failures", "restarts", "nogoods", "propagations", "decisions", "deepest")

    def said(steps: int) -> list[Any]:
        monkeypatch.setattr(
            "cpqueens.system.stopping.Pace.timed", lambda self, call, *_, **_kept: call(steps)
        )
        outcome = pigeons(5).solve(solver="backtracking:forward")
        return [outcome.status, *(outcome.statistics[name] for name in names)]

    assert said(1) == said(7) == said(10_000)


@pytest.mark.parametrize(("variables", "values"), list(product(VARIABLE_ORDERS, VALUE_ORDERS)))
def test_every_order_finds_all(variables: str, values: str) -> None:
    m = Model()
    x = m.intvar(0, 3, shape=3, name="x")
    y = m.intvar(domain=[-1, 2, 5], name="y")
    m.add(AllDifferent(x), x[0] + y != 4)
    options = {"variable_order": variables, "value_order": values}
    found = m.enumerate(solver="backtracking:forward", random_seed=3, **options).solutions.matrix
    expected = oracle.solve(m).solutions
    assert np.array_equal(np.unique(found, axis=0), np.unique(expected, axis=0))
    assert len(found) == len(expected)


@pytest.mark.parametrize(
    ("values", "first"),
    [
        ("ascending", 0),
        ("descending", 9),
        ("median", 4),
        ("split", 0),
        ("split-upper", 9),
        ("saved", 0),
        ("middle", 4),
    ],
)
def test_orders_of_values_are_what_they_say(values: str, first: int) -> None:
    m = Model()
    x = m.intvar(0, 9, name="x")
    assert m.solve(solver="backtracking:forward", value_order=values)[x] == first


def test_orders_of_variables_are_what_they_say() -> None:
    """The one decided first gets 0, and no other can have it."""
    m = Model()
    domains = {"few": [0, 5], "many": range(8), "low": [-9, 0, 3], "high": [0, 2, 99], "gap": [0, 50, 51]}
    x = [m.intvar(domain=sorted(domain), name=name) for name, domain in domains.items()]
    m.add(AllDifferent(x))
    first = {"smallest-domain": "few", "largest-domain": "many", "smallest-value": "low",
             "largest-value": "high", "max-regret": "gap"}  # fmt: skip
    for order, name in first.items():
        seen = m.solve(solver="backtracking:forward", variable_order=order)
        least = {k: min(domain) for k, domain in domains.items()}
        assert seen[m[name]] == least[name], order


def test_what_most_constraints_look_at_and_the_middle_of_what_is_left() -> None:
    m = Model()
    x, y = m.intvar(0, 9, shape=3, name="x"), m.intvar(domain=[0, 1, 2, 3, 9], name="y")
    m.add(x[0] + x[1] != 5, x[1] * x[2] != 4, x[1] != y, AllDifferent(x))
    orders = {"variable_order": "most-occurrences", "value_order": "middle"}
    first = m.solve(solver="backtracking:forward", **orders)
    assert (first[x[1]], first[y]) == (4, 3)
    halves = {"value_order": "split-random"}
    seen = {int(m.solve(solver="backtracking:forward", random_seed=k, **halves)[x[0]]) for k in range(9)}
    assert len(seen) > 1


def test_unknown_orders_are_refused_in_one_line() -> None:
    with pytest.raises(UnknownParameter, match="dom/wdeg"):
        pigeons(2).solve(solver="backtracking", variable_order="dom-wdeg")


def test_variables_of_phases_are_placed_first_each_group_in_its_orders() -> None:
    m = Model()
    x, y = m.intvar(0, 3, shape=2, name="x"), m.intvar(0, 3, name="y")
    m.add(x[0] + x[1] + y == 4)
    orders: Phases = [("y", "lexicographic", "descending"), ("x", "largest-value", "median")]
    found = m.enumerate(solver="backtracking", phases=orders).solutions.matrix.tolist()
    assert [row[2] for row in found] == sorted((row[2] for row in found), reverse=True)
    assert sorted(found) == m.enumerate(solver="backtracking").solutions.matrix.tolist()
    assert m.count(solver="backtracking", phases=orders[:1]) == len(found)
    orders = [(["y", "x[1]"], "lexicographic", "descending")]
    least = m.enumerate(solver="backtracking", phases=orders).solutions.matrix.tolist()
    assert [row[1:] for row in least] == sorted((row[1:] for row in least), key=lambda r: (-r[1], -r[0]))
    wrong: tuple[tuple[Phases, str], ...] = (
        ([("z", "random", "random")], "no variable 'z'"),
        ([("x", "smallest", "random")], "phases: no order 'smallest' for 'x'"),
        ([("x", "random", "saved"), ("x", "random", "up")], "phases: no order 'up' for 'x'"),
    )
    for phases, message in wrong:
        with pytest.raises(ModelError, match=message):
            m.solve(solver="backtracking", phases=phases)


def test_a_series_in_the_order_in_which_it_was_written_is_found_at_once() -> None:
    """By smallest domain or by weights a series of 50 takes thousands of failures."""
    m = Model()
    x, d = m.intvar(0, 19, shape=20, name="x"), m.intvar(1, 19, shape=19, name="d")
    m.add(AllDifferent(x), AllDifferent(d), d == abs(x[1:] - x[:-1]), x[0] < x[1], d[-1] < d[0])
    outcome = m.solve(solver="backtracking:forward")
    assert str(outcome.status) == "FEASIBLE"
    assert outcome.statistics["failures"] == 0


def test_the_order_as_written_is_tried_longer_on_large_models() -> None:
    limits = [int(orders.tree_search(n, trial=WRITTEN).state[LIMIT]) for n in (10, 320, 900)]
    assert limits == [10, 10, 28]


def test_orders_that_go_round_are_seen_however_wide_domains_are() -> None:
    m = Model()
    x = m.intvar(0, 10**12, shape=4, name="x")
    m.add(x[0] <= x[1], x[1] - x[2] == -3, x[2] <= x[3] + 1, x[3] < x[0])
    assert str(m.solve(solver="backtracking:forward", time_limit=600).status) == "INFEASIBLE"
    m = Model()
    x = m.intvar(0, 10**12, shape=3, name="x")
    m.add(x[0] <= x[1], x[1] - x[2] == -3, x[2] <= x[0] + 3)
    assert str(m.solve(solver="backtracking:forward").status) == "FEASIBLE"


def test_bounds_that_creep_past_each_other_keep_to_limits() -> None:
    m = Model()
    x, y, z = (m.intvar(0, 10**12, name=name) for name in "xyz")
    m.add(2 * x == 2 * y + z, y >= x, z >= 1)
    outcome = m.solve(solver="backtracking:forward", time_limit=0.5)
    assert str(outcome.status) == "UNKNOWN"
    assert str(outcome.stop_reason) == "time_limit"
