"""One problem in other variables: 0/1 variables for values, and whether two viewpoints fit together."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from cpqueens.model import Model


def by_booleans(m: Model, name: str, low: int, high: int, shape: Any) -> tuple[Any, Any]:
    """Return 0/1 variables ``b[..., value - low]``, one for each value, and integers that follow from them.

    The integers are called ``name``, as in other viewpoints; the 0/1 variables come first and are called
    ``b``. Which of them go together is for the problem to say.

    >>> m = Model()
    >>> b, x = by_booleans(m, "x", 1, 3, 2)
    >>> b.shape, m.count(solver="backtracking")
    ((2, 3), 9)
    """
    values = np.arange(low, high + 1)
    outer = (shape,) if isinstance(shape, int) else tuple(shape)
    b = m.boolvar(shape=(*outer, len(values)), name="b")
    x = m.intvar(low, high, shape=outer, name=name)
    m += [b.sum(axis=-1) == 1, x == (b * values).sum(axis=-1)]
    return b, x


def unlike(solution: Mapping[str, Any], name: str, low: int) -> list[str]:
    """Return a complaint if the 0/1 variables ``b`` do not say what the integers say.

    >>> unlike({"b": [[0, 1]], "x": [5]}, "x", 4), unlike({"b": [[1, 1]], "x": [5]}, "x", 4)
    ([], ['b and x do not fit together'])
    """
    b, x = np.array(solution["b"]), np.array(solution[name])
    fit = np.array_equal(b, x[..., None] - low == np.arange(b.shape[-1]))
    return [] if fit else [f"b and {name} do not fit together"]


def inverse_of(first: list[int]) -> list[int]:
    """Return where each of 0..n-1 stands in a permutation.

    >>> inverse_of([2, 0, 1])
    [1, 2, 0]
    """
    return [first.index(value) for value in range(len(first))]
