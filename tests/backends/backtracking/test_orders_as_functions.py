"""Orders of variables and values that are functions of the user."""

from typing import Any

import pytest
from cpqueens.models.queens import queens
from each import each

from cpqueens import AllDifferent, Model, ModelError, UnknownParameter, UnsupportedRequest
from cpqueens.backends.backtracking.orders import OpenVariable


def shifted() -> Model:
    m = Model()
    x, y = m.intvar(0, 3, shape=3, name="x"), m.intvar([0, 2], [9, 7], shape=2, name="y")
    m.add(AllDifferent(x), x[0] + y[0] == 6, y[1] != x[2], y[0] != 5)
    return m


@each(
    "orders",
    [
        {"variable_order": lambda v: v.size},
        {"variable_order": lambda v: -v.low / (1 + v.degree), "value_order": "descending"},
        {"value_order": lambda v, w: abs(w - 4)},
        {"variable_order": "random", "value_order": lambda v, w: -w},
        {"variable_order": lambda v: v.name, "value_order": lambda v, w: w % 2}
        | {"variable_order": lambda v: sum(v.values)},
        {"phases": [("y", lambda v: -v.high, "median"), ("x", "largest-value", lambda v, w: -w)]},
    ],
)
def test_all_solutions_are_found_whatever_a_function_says(orders: dict[str, Any]) -> None:
    m = shifted()
    expected = m.enumerate(solver="cpsat").solutions.matrix.tolist()
    found = m.enumerate(solver="backtracking", **orders)
    assert found.complete
    assert sorted(found.solutions.matrix.tolist()) == sorted(expected)
    assert m.count(solver="backtracking", **orders) == len(expected)
    assert m.count(solver="backtracking", num_workers=2, **orders) == len(expected)


def test_the_order_is_the_function_s() -> None:
    m = shifted()
    orders: dict[str, Any] = {"variable_order": lambda v: v.name != "y[1]", "value_order": lambda v, w: -w}
    last = [row[4] for row in m.enumerate(solver="backtracking", **orders).solutions.matrix.tolist()]
    assert last == sorted(last, reverse=True)
    assert m.solve(solver="backtracking", **orders).statistics["restarts"] == 0


def test_a_name_and_a_function_that_says_the_same_make_the_same_tree() -> None:
    for name, function in (
        ("smallest-domain", lambda v: v.size),
        ("largest-domain", lambda v: -v.size),
        ("largest-value", lambda v: -v.high),
        ("most-constrained", lambda v: v.size - v.degree / 2**32),
        ("max-regret", lambda v: v.values[0] - v.values[1]),
    ):
        runs = [
            queens(5).enumerate(solver="backtracking:forward", variable_order=o) for o in (name, function)
        ]
        told = [(run.solutions.matrix.tolist(), run.statistics["nodes"]) for run in runs]
        assert told[0] == told[1], name


def test_what_a_function_sees() -> None:
    seen: list[tuple[str, int, int, list[int]]] = []

    def note(v: OpenVariable) -> int:
        seen.append((v.name, v.low, v.high, list(v.values)))
        return 0

    m = Model()
    x = m.intvar(domain=[1, 3, 10**6], name="far")
    y = m.intvar(0, 10**9, name="wide")
    z = m.intvar(0, 4, name="near")
    m.add(z != 2, y <= 2, x + y + z >= 2)
    m.solve(solver="backtracking", variable_order=note)
    assert seen[:3] == [
        ("far", 1, 10**6, [1, 3, 10**6]),
        ("wide", 0, 2, [0, 1, 2]),
        ("near", 0, 4, [0, 1, 3, 4]),
    ]


@pytest.mark.parametrize(
    ("orders", "error", "message"),
    [
        ({"variable_order": lambda v: "x"}, ModelError, "variable_order: the function is to return a number"),
        ({"variable_order": lambda v: float("nan")}, ModelError, "a number, not nan"),
        ({"value_order": lambda v, w: None}, ModelError, "value_order: the function is to return a number"),
        ({"value_order": lambda v, w: w}, ModelError, r"w\[1\] has too many values for a function"),
        ({"phases": [("w", "random", lambda v, w: w)]}, ModelError, "phases: w.1. has too many values"),
        ({"phases": [("x", 3, "random")]}, ModelError, "phases: no order 3"),
        ({"variable_order": 3}, UnknownParameter, "or in Python a function is needed, got 3"),
        ({"solver": "backtracking:check", "value_order": min}, UnsupportedRequest, "asks no functions"),
        ({"solver": "backtracking:bitmask", "variable_order": id}, UnsupportedRequest, "has one order"),
    ],
)
def test_what_cannot_work_is_refused(orders: dict[str, Any], error: type[Exception], message: str) -> None:
    m = queens(6)
    if "w" in message.split(":")[-1]:
        m = Model()
        m.add(m.intvar([0, 0], [5, 10**6], shape=2, name="w").sum() >= 7)
    with pytest.raises(error, match=message):
        m.solve(**{"solver": "backtracking", **orders})


def test_what_a_function_raises_comes_out() -> None:
    def faulty(v: OpenVariable) -> int:
        raise KeyError(v.name)

    with pytest.raises(KeyError, match="q"):
        queens(6).solve(solver="backtracking", variable_order=faulty)
