"""Linear relations on python-constraint: every form, with and without hiding values of open variables."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable

from each import each

from cpqueens import Model

RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    "<": operator.lt,
    ">=": operator.ge,
    ">": operator.gt,
}
FACTORS = [(1, 1, 1), (-1, -1, -1), (1, 1, 0), (2, 1, 1), (2, -3, 1), (-2, -1, 0), (3, 2, -2)]


@each("relation", RELATIONS)
@each("factors", FACTORS)
@each("forwardcheck", [True, False])
def test_a_relation_means_what_a_loop_says(
    relation: str, factors: tuple[int, ...], forwardcheck: bool
) -> None:
    for right in (-3, -1, 0, 1, 2, 4):
        model = Model()
        x = model.intvar(-1, 2, shape=3, name="x")
        model.add(RELATIONS[relation](sum(a * x[k] for k, a in enumerate(factors)), right))
        outcome = model.enumerate(solver="python-constraint", forwardcheck=forwardcheck)
        expected = {
            row
            for row in itertools.product(range(-1, 3), repeat=3)
            if RELATIONS[relation](sum(a * v for a, v in zip(factors, row, strict=True)), right)
        }
        assert {tuple(row) for row in outcome.solutions.matrix.tolist()} == expected
        assert outcome.complete
