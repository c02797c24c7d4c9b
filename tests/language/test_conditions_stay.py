"""A term keeps the condition of all that was written in it, whatever cancels or is decided by bounds."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import oracle
from each import each

from cpqueens import Model, any_, div_trunc, element, maximum, minimum, mod_trunc
from cpqueens.answers.check import Checker
from cpqueens.files.modelfile import dump_model, parse_model
from cpqueens.language.defined_functions import DEFINITION_KINDS
from cpqueens.language.rebuild import rebuilt

X, Y = range(-1, 4), range(-1, 2)

PARTIAL: dict[str, tuple[Callable[[Any, Any], Any], Callable[[int, int], bool]]] = {
    "quotient": (lambda x, y: x // y, lambda x, y: y != 0),
    "remainder": (lambda x, y: 5 % (x - y), lambda x, y: x != y),
    "quotient_truncated": (lambda x, y: div_trunc(x + 1, y), lambda x, y: y != 0),
    "remainder_truncated": (lambda x, y: mod_trunc(y, x), lambda x, y: x != 0),
    "element": (lambda x, y: element([2, y, 1], x), lambda x, y: 0 <= x < 3),
    "nested": (lambda x, y: abs(element([1, 0], x // y)), lambda x, y: y != 0 and 0 <= x // y < 2),
}
"""Functions of x and y, and where they are defined."""

Same = Callable[[Any, Any, Any], Any]
FORMS: dict[str, Same] = {
    "equal to itself": lambda t, x, y: t == t,
    "less than itself and one": lambda t, x, y: t < t + 1,
    "minus itself": lambda t, x, y: t - t == 0,
    "minus itself, beside it": lambda t, x, y: (t + x) - (t - t) - t == x,
    "times 0": lambda t, x, y: 0 * t >= 0,
    "times 0, negative": lambda t, x, y: -(0 * t) + (t - t) <= 0,
    "a fixed factor": lambda t, x, y: (0 * x) * t == 0,
    "a decided factor": lambda t, x, y: (x > 5) * t == 0,
    "a decided factor before": lambda t, x, y: t * (1 * (y < -4)) == 0,
    "an array times 0": lambda t, x, y: np.array([0, 0]) * np.stack([t, x]) == 0,
    "a mask": lambda t, x, y: (np.array([True, False]) * np.stack([x, t])).sum() == x,
    "an array minus itself": lambda t, x, y: np.stack([t, y]) - np.stack([t, y]) == 0,
    "a matrix of zeros": lambda t, x, y: np.zeros((2, 3), dtype=int) @ np.stack([x, t, y]) == [0, 0],
    "a column of zeros": lambda t, x, y: np.stack([x, t]) @ [1, 0] == x,
    "a sum": lambda t, x, y: np.stack([t, x, -t]).sum() == x,
    "a difference of neighbours": lambda t, x, y: np.diff(np.stack([t, t])) == 0,
    "a growing sum": lambda t, x, y: sum([k * y for k in range(20)], t + x) - t - x == 190 * y,
    "maximum": lambda t, x, y: maximum(t - t, x) >= x,
    "minimum": lambda t, x, y: minimum([0 * t, 7]) == 0,
    "absolute value": lambda t, x, y: abs(0 * t) == 0,
    "element": lambda t, x, y: element([5, 6], t - t) == 5,
    "entry of a table": lambda t, x, y: element([x, t - t], 0) == x,
    "index": lambda t, x, y: np.stack([x, y])[0 * t + 1] == y,
    "power": lambda t, x, y: (t - t) ** 2 == 0,
    "remainder": lambda t, x, y: (0 * t) % 3 == 0,
}
"""What holds wherever t is defined, and nowhere else."""

CONTEXTS: dict[str, tuple[Callable[[Any], Any], bool]] = {
    "posted": (lambda c: c, True),
    "negated": (lambda c: ~c, False),
    "implied": (lambda c: any_([c, False]) if not c.shape else c | False, True),
    "reified": (lambda c: 1 * c == 1, True),
}


def stated(name: str, build: Callable[[Any, Any, Any], Any], wide: bool = False) -> Model:
    """Return a model of x and y with something about a partial function; wide: the bounds are constraints."""
    m = Model()
    far = 4 if wide else 0
    x, y = m.intvar(X[0] - far, X[-1] + far, name="x"), m.intvar(Y[0] - far, Y[-1] + far, name="y")
    if wide:
        m.add(x >= X[0], x <= X[-1], y >= Y[0], y <= Y[-1])
    m.add(build(PARTIAL[name][0](x, y), x, y))
    return m


def accepted(m: Model) -> set[tuple[int, ...]]:
    grid = oracle.assignments(m)
    return {tuple(row) for row in grid[Checker(m).accepts(grid)].tolist()}


def where(name: str, defined: bool) -> set[tuple[int, ...]]:
    return {(x, y) for x, y in itertools.product(X, Y) if PARTIAL[name][1](x, y) == defined}


def test_every_partial_function_is_met() -> None:
    total = DEFINITION_KINDS["abs"].partial
    assert {kind for kind, d in DEFINITION_KINDS.items() if d.partial is not total} <= set(PARTIAL)


@each("form", FORMS)
def test_what_holds_of_any_value_holds_where_there_is_one(form: str) -> None:
    for name, (context, (around, defined)) in itertools.product(PARTIAL, CONTEXTS.items()):
        for wide in (False, True):
            m = stated(name, lambda t, x, y, around=around: around(_single(FORMS[form](t, x, y))), wide)
            assert accepted(m) == where(name, defined), (name, context, wide)


def _single(truth: Any) -> Any:
    return truth.all() if truth.shape else truth


@each("form", FORMS)
def test_solvers_and_files_keep_it(solver: str, form: str) -> None:
    name = list(PARTIAL)[list(FORMS).index(form) % len(PARTIAL)]
    m = stated(name, FORMS[form])
    for model in (m, parse_model(dump_model(m)), m.copy()):
        found = model.enumerate(solver=solver)
        assert found.complete
        assert {tuple(row) for row in found.solutions.matrix.tolist()} == where(name, True)


def test_what_cancels_when_a_model_is_rebuilt_keeps_it() -> None:
    m = Model()
    x, y = m.intvar(0, 7, name="x"), m.intvar(-1, 1, name="y")
    m.add(x // y == 7 // y)
    assert accepted(rebuilt(m, constants={0: 7})) == {(-1,), (1,)}


def test_objectives_keep_it(optimizer: str) -> None:
    m = Model()
    x, y = m.intvar(0, 3, name="x"), m.intvar(0, 3, name="y")
    m.minimize(0 * (x // y) + y, x // y - x // y)
    m.then_maximize(x)
    outcome = m.solve(solver=optimizer)
    assert (outcome["x"], outcome["y"], outcome.objectives) == (3, 1, (1, 0, 3))


def test_a_soft_constraint_costs_where_it_is_undefined(optimizer: str) -> None:
    m = Model()
    x, y = m.intvar(0, 3, name="x"), m.intvar(0, 3, name="y")
    m.add_soft(x // y + x >= x // y, weight=5)
    m.add(y == 0)
    assert m.solve(solver=optimizer).penalty == 5
