"""Which propagators AllDifferents, equations and distances get, by what it costs and may save."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cpqueens import AllDifferent, Model
from cpqueens.backends.backtracking.memory import build_memory
from cpqueens.kernels.exact import apart, domains as at
from cpqueens.lowered.forms import compile_model

Post = Callable[[Model, Any], None]
VALUES, EQUATION, DISTANCE = "all_different_values", "equation_values", "distance_values"


def boards(m: Model, q: Any) -> None:
    i = np.arange(q.size)
    m.add(AllDifferent(q), AllDifferent(q + i), AllDifferent(q - i))


def boards_with_a_queen(m: Model, q: Any) -> None:
    boards(m, q)
    m.add(q[0] == 1)


def differ(m: Model, q: Any) -> None:
    m.add(AllDifferent(q))


CASES: list[tuple[int, int, Post, set[str]]] = [
    (8, 8, boards, set()),
    (8, 8, boards_with_a_queen, {VALUES}),
    (8, 7, differ, {VALUES}),  # pigeons
    (8, 16, differ, {VALUES}),
    (8, 17, differ, set()),
    (2, 2, differ, set()),
    (600, 600, differ, set()),
    (600, 599, differ, {VALUES}),
    (1100, 1100, differ, set()),
    (8, 8, lambda m, q: m.add(q[0] + q[1] == q[2]), {EQUATION}),
    (8, 100, lambda m, q: m.add(q[0] + q[1] == q[2]), set()),
    (8, 100, lambda m, q: m.add(q[0] == 2 * q[1] + 1), {EQUATION}),
    (8, 8, lambda m, q: m.add(abs(q[0] - 2 * q[1]) == q[2]), {EQUATION}),
    (8, 8, lambda m, q: m.add(abs(q[0] - q[1]) == q[2]), {DISTANCE, EQUATION}),
    (8, 61, lambda m, q: m.add(abs(q[0] - q[1] + 1) > 2), {DISTANCE}),
    (8, 62, lambda m, q: m.add(abs(q[0] - q[1] + 1) > 2), set()),
]


@pytest.mark.parametrize(("terms", "values", "post", "expected"), CASES)
def test_what_pays_is_looked_for(terms: int, values: int, post: Post, expected: set[str]) -> None:
    model = Model()
    post(model, model.intvar(0, values - 1, shape=terms, name="q"))
    for check_only in (False, True):
        memory, _ = build_memory(compile_model(model), check_only)
        wanted = np.flatnonzero(memory.stack[at.ADDRESSES : at.HEADER] == at.WANTED)
        assert {apart.NAMES[code] for code in wanted} == (set() if check_only else expected)


def test_who_makes_a_distance_is_known() -> None:
    """Failures count for the two variables, too."""
    model = Model()
    q = model.intvar(0, 5, shape=3, name="q")
    model.add(abs(q[0] - q[1]) >= abs(q[1] - q[2]))
    memory, _ = build_memory(compile_model(model), False, learning=True)
    makers = [int(memory.x[v * at.X_WIDTH + at.MAKER]) - 1 for v in (3, 4)]
    for maker, expected in zip(makers, ({0, 1}, {1, 2}), strict=True):
        places = memory.net[memory.net[maker + at.START] : memory.net[maker + at.END] - 2 : 2]
        assert set((places // at.X_WIDTH).tolist()) == expected


def least_distances(apart_by: Callable[[Model, Any], object]) -> list[int]:
    """Return the least values of |x0 - x1|, |x1 - x2| and |x0 - x2 + 1| before anything is propagated."""
    m = Model()
    x = m.intvar(0, 4, shape=3, name="x")
    m.add(apart_by(m, x), abs(x[0] - x[1]) + abs(x[1] - x[2]) + abs(x[0] - x[2] + 1) <= 7)
    compiled = compile_model(m)
    memory, _ = build_memory(compiled, check_only=False)
    results = [int(r) for block in compiled.definitions.blocks for r in block.results if block.kind == "abs"]
    return [int(memory.x[r * at.X_WIDTH + at.LOW]) for r in results]


@pytest.mark.parametrize(
    ("apart_by", "least"),
    [
        (lambda m, x: AllDifferent(x), [1, 1, 0]),
        (lambda m, x: AllDifferent(x + 3), [1, 1, 0]),
        (lambda m, x: AllDifferent(x[0], x[1], x[2] + 1), [1, 0, 0]),
        (lambda m, x: AllDifferent(-x[0], x[1], x[2]), [0, 1, 0]),
        (lambda m, x: x[2] != x[1], [0, 1, 0]),
        (lambda m, x: x[0] != x[1] + 1, [0, 0, 0]),
        (lambda m, x: x[0] + x[1] != 0, [0, 0, 0]),
        (lambda m, x: x[0] <= x[1], [0, 0, 0]),
    ],
)
def test_distances_of_what_differs_begin_with_one(apart_by: Callable[..., object], least: list[int]) -> None:
    assert least_distances(apart_by) == least


def test_variables_that_cannot_differ_have_no_distance() -> None:
    m = Model()
    x = m.intvar([0, 0, 1], [0, 0, 3], shape=3, name="x")
    m.add(AllDifferent(x), abs(x[0] - x[1]) + abs(x[1] - x[2]) <= 3)
    assert str(m.solve(solver="backtracking").status) == "INFEASIBLE"


@pytest.mark.parametrize("n", [12, 60])
def test_all_interval_series_need_no_bound_that_follows(n: int) -> None:
    m = Model()
    x = m.intvar(0, n - 1, shape=n, name="x")
    m.add(AllDifferent(x), AllDifferent(abs(x[1:] - x[:-1])))
    found = m.solve(solver="backtracking:forward", step_limit=20_000)
    assert found.solution is not None
    assert found.statistics["nodes"] < 200


@pytest.mark.parametrize("constant", [-2, 0, 3])
def test_distances_have_their_constants(constant: int) -> None:
    model = Model()
    q = model.intvar(0, 4, shape=3, name="q")
    model.add(abs(q[0] - q[1] + constant) == q[2])
    found = model.enumerate(solver="backtracking").solutions.matrix.tolist()
    pairs = [(a, b) for a in range(5) for b in range(5)]
    assert found == [[a, b, abs(a - b + constant)] for a, b in pairs if abs(a - b + constant) <= 4]


@pytest.mark.parametrize("turned", [False, True])
def test_two_terms_of_a_variable_differ_at_once(turned: bool) -> None:
    """``x`` and ``4 - x`` are equal at 2 alone."""
    model = Model()
    x, y = model.intvar(0, 4, name="x"), model.intvar(0, 4, name="y")
    model.add(AllDifferent([4 - x, x, y] if turned else [x, y, 4 - x]), x >= 2, x <= 2)
    outcome = model.solve(solver="backtracking:forward")
    assert outcome.status.name == "INFEASIBLE"
    assert (outcome.statistics["nodes"], outcome.statistics["failures"]) == (0, 1)
    model = Model()
    x = model.intvar(0, 4, name="x")
    model.add(AllDifferent([x, 4 - x, 8 - 2 * x]))
    assert model.enumerate(solver="backtracking:forward").solutions.matrix[:, 0].tolist() == [0, 1, 3]
    assert model.enumerate(solver="backtracking:forward").statistics["failures"] == 0
