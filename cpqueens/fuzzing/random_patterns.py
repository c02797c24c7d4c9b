"""Random models of the shapes that solvers recognise: queens, triangles, paths, equal sums, tours, schedules.

Terms drawn one by one never form them, and then the special searches, kernels and strategies of a backend
are never asked.
"""

from collections.abc import Callable
from random import Random
from typing import Any, Protocol

import numpy as np

from cpqueens.fuzzing.random_terms import RandomTerms
from cpqueens.fuzzing.written import Written, stated
from cpqueens.language.constraints.all_different import AllDifferent
from cpqueens.language.constraints.circuit import Circuit, SubCircuit
from cpqueens.language.constraints.cumulative import Cumulative, NoOverlap, NoOverlap2D
from cpqueens.language.expressions import LinearArray
from cpqueens.model import Model

_MOST = 5


def pattern_model(random: Random) -> Model:
    """Return a small model of a random shape, often with something that spoils the pattern."""
    model = Model("random")
    n = random.randint(2, _MOST)
    low = random.choice((0, 0, 1, -2))
    x = model.intvar(low, low + n - 1 + random.choice((0, 0, 1)), shape=n, name="x")
    random.choice(_SHAPES)(random, model, x)
    for _ in range(random.choice((0, 0, 1, 2))):
        random.choice(_EXTRAS)(random, model, x)
    return model


def _queens(random: Random, model: Model, x: LinearArray) -> None:
    rows = np.arange(x.size)
    model += [AllDifferent(x), AllDifferent(x + rows), AllDifferent(x - rows)]


def _shifted(random: Random, model: Model, x: LinearArray) -> None:
    if random.randint(0, 2):
        model.add(AllDifferent(x))
    for _ in range(random.randint(1, 3)):
        model.add(AllDifferent(x + np.array([random.randint(-3, 3) for _ in range(x.size)])))


def _triangle(random: Random, model: Model, x: LinearArray) -> None:
    if random.randint(0, 3):
        model.add(AllDifferent(x))
    for apart in range(1, random.randint(2, x.size)):
        model.add(AllDifferent(x[apart:] - x[:-apart]))


def _sums(random: Random, model: Model, x: LinearArray) -> None:
    pairs = [(i, j) for i in range(x.size) for j in range(i)]
    chosen = random.sample(pairs, random.randint(1, min(4, len(pairs))))
    terms = [x[i] + random.choice((1, -1)) * x[j] for i, j in chosen]
    model.add(AllDifferent([*terms, x[random.randrange(x.size)]]))


def _path(random: Random, model: Model, x: LinearArray) -> None:
    model += [AllDifferent(x), AllDifferent(abs(x[1:] - x[:-1]))]


def _equal_sums(random: Random, model: Model, x: LinearArray) -> None:
    low = int(model.lower[0])
    model.add(AllDifferent(x))
    for _ in range(random.randint(1, 2)):
        members = random.sample(range(x.size), random.randint(2, x.size))
        total = sum(x[k] for k in members)
        model.add(total == len(members) * low + random.randint(1, 2 * x.size))


def _exclude(random: Random, model: Model, x: LinearArray) -> None:
    low, high = int(model.lower[0]), int(model.upper[0])
    model.add(x[random.randrange(x.size)] != random.randint(low, high))


def _order(random: Random, model: Model, x: LinearArray) -> None:
    model.add(x[0] < x[x.size - 1])


def _goal(random: Random, model: Model, x: LinearArray) -> None:
    model.minimize((np.array([random.randint(-2, 2) for _ in range(x.size)]) * x).sum())


Part = Callable[[Random, Model, LinearArray], None]
_SHAPES: tuple[Part, ...] = (_queens, _shifted, _triangle, _sums, _path, _equal_sums)
_EXTRAS: tuple[Part, ...] = (_exclude, _order, _goal)


# ---- tours and schedules: terms drawn one by one hardly ever make one that holds -------------------------


_DEEP = 2


class Maker(Protocol):
    """What draws constraints."""

    random: Random
    terms: RandomTerms

    def literal(self, depth: int = 0) -> Written:
        """Return a truth, of no other truths at a depth of 2."""


def _from_zero(m: Maker) -> Written:
    """Return a variable, shifted so that its least value is about 0."""
    variable = m.terms.plain()
    return variable - int(variable.bounds()[0][0]) + m.random.choice((0, 0, 0, 1, -1))


def _successor(m: Maker, size: int) -> Written:
    """Return what may be one of ``size`` nodes, or any term."""
    choice = m.random.randint(0, 5)
    if choice == 0:
        return m.terms.constant(m.random.randrange(size))
    return m.terms.term(1) if choice == 1 else _from_zero(m)


def _successors(m: Maker) -> list[Written]:
    size = m.random.choice((3, 2, 4, 1, 0))
    return [_successor(m, size) for _ in range(size)]


def _circuit(m: Maker, depth: int = 0) -> Any:
    """Return a circuit, or tours by some depots."""
    successors = _successors(m)
    depots = m.random.sample(range(len(successors)), m.random.randint(0, len(successors)))
    return stated(Circuit, successors, depots if depots and m.random.randint(0, 1) else None)


def _size(m: Maker) -> Any:
    """Return a small number, seldom a negative one, or a term."""
    choice = m.random.randint(0, 5)
    if choice == 0:
        return _from_zero(m)
    return m.terms.term(1) if choice == 1 else m.random.choice((1, 2, 0, 3, 1, 2, -1))


def _sizes(m: Maker, size: int) -> Any:
    """Return a size for each task, or one for all."""
    return [_size(m) for _ in range(size)] if m.random.randint(0, 3) else _size(m)


def _present(m: Maker, size: int) -> Any:
    """Return which tasks are present: all, or a truth for each."""
    return [m.literal(_DEEP) for _ in range(size)] if m.random.randint(0, 2) == 2 else None


def _starts(m: Maker, size: int) -> list[Written]:
    return [m.terms.term(1) if m.random.randint(0, 3) == 3 else _from_zero(m) for _ in range(size)]


def _no_overlap(m: Maker, depth: int = 0) -> Any:
    size = m.random.choice((2, 3, 1, 4, 0))
    return stated(NoOverlap, _starts(m, size), _sizes(m, size), _present(m, size), *_setup(m, size))


def _setup(m: Maker, size: int) -> list[Any]:
    """Return times between tasks: none, one for all, or a matrix, perhaps by types."""
    choice = m.random.randint(0, 5)
    if choice > 2:
        return []
    if choice == 0:
        return [_size(m)]
    many = size if choice == 1 else 2
    matrix = [[_size(m) for _ in range(many)] for _ in range(many)]
    return [matrix] if choice == 1 else [_total(m, matrix), [_type(m) for _ in range(size)]]


def _total(m: Maker, matrix: list[list[Any]]) -> list[list[Any]]:
    """Return a matrix without terms that may be undefined: types that are known pick only what they need."""
    partial = m.terms.model.partial_terms
    return [[1 if isinstance(v, Written) and partial(v.built).any() else v for v in row] for row in matrix]


def _type(m: Maker) -> Any:
    """Return one of two types, or any term."""
    drawn = _successor(m, 2)
    return drawn if drawn.built.width else int(drawn.built.constants[0]) % 2


def _no_overlap_2d(m: Maker, depth: int = 0) -> Any:
    size = m.random.choice((2, 3, 1, 0))
    x, dx, y, dy = (draw(m, size) for draw in (_starts, _sizes, _starts, _sizes))
    return stated(NoOverlap2D, x, dx, y, dy, _present(m, size))


def _cumulative(m: Maker, depth: int = 0) -> Any:
    size = m.random.choice((3, 2, 4, 1, 0))
    start, duration, demand = (draw(m, size) for draw in (_starts, _sizes, _sizes))
    capacity = m.terms.term(1) if m.random.randint(0, 4) == 4 else m.random.choice((2, 1, 3, 0, -1))
    present = _present(m, size)
    try:
        return stated(Cumulative, start, duration, demand, capacity, present)
    except ValueError:  # by chance they are the ends
        return stated(Cumulative, start, duration, [1] * size, capacity, present)


SCHEDULES: dict[str, Callable[..., Any]] = {
    "Circuit": _circuit,
    "Cumulative": _cumulative,
    "NoOverlap": _no_overlap,
    "NoOverlap2D": _no_overlap_2d,
    "SubCircuit": lambda m, depth=0: stated(SubCircuit, _successors(m)),
}
"""Kinds of routing and scheduling, as in `generate.MAKERS`."""
