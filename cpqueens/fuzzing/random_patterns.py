"""Random models of the shapes that solvers recognise: queens, difference triangles, paths, equal sums.

Terms drawn one by one never form them, and then the special searches, kernels and strategies of a backend
are never asked.
"""

from collections.abc import Callable
from random import Random

import numpy as np

from cpqueens.language.constraints.all_different import AllDifferent
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
