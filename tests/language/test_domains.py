"""Which values terms may take: by bounds, by the domain of a single variable, by its factor."""

from __future__ import annotations

import numpy as np
from each import each

from cpqueens import Model
from cpqueens.language.domains import may_equal
from cpqueens.language.expressions import LinearArray

MODEL = Model()
X = MODEL.intvar(0, 3, name="x")
Y = MODEL.intvar(domain=[0, 2, 5], name="y")
TERMS: dict[str, tuple[LinearArray, list[int]]] = {
    "a variable": (X, [0, 1, 2, 3]),
    "a shifted one": (X + 4, [4, 5, 6]),
    "a multiple": (-2 * X + 5, [-1, 1, 3, 5]),
    "a listed domain": (Y, [0, 2, 5]),
    "a multiple of one": (6 - 2 * Y, [-4, 2, 6]),
    "a sum, by its bounds": (2 * X + 2 * Y, [0, 1, 2, 3, 4, 5, 6]),
    "a constant": (0 * X + 3, [3]),
}


@each("name", TERMS)
def test_the_values_of_a_term(name: str) -> None:
    term, expected = TERMS[name]
    values = np.arange(-4, 7)
    assert values[may_equal(term.reshape(-1), values)[0]].tolist() == expected
