"""Bounds of functions and truths: they contain every value, and are exact where the arguments are known."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np
from each import each

from cpqueens.backends.python_constraint.formulas import MEANINGS, RELATIONS, TRUTHS

RELATION_OF: dict[str, Callable[[int, int], bool]] = {
    "==": int.__eq__,
    "!=": int.__ne__,
    "<=": int.__le__,
    ">=": int.__ge__,
    "<": int.__lt__,
    ">": int.__gt__,
}
ROWS = [(1, 2), (0, 0), (-1, 2), (2, -2)]


def divided(x: int, y: int, truncated: bool) -> tuple[int, int]:
    """Return quotient and remainder, both 0 where they are undefined."""
    if y == 0:
        return 0, 0
    quotient = int(x / y) if truncated else int(np.floor(x / y))
    return quotient, x - y * quotient


VALUES: dict[str, tuple[int, Callable[..., int]]] = {
    "AllDifferent": (3, lambda *x: len(set(x)) == 3),
    "And": (3, lambda *x: all(x)),
    "Or": (3, lambda *x: any(x)),
    "Table": (2, lambda *x: x in ROWS),
    "abs": (1, lambda x: x if x > 0 else -x),
    "element": (3, lambda x, *table: table[x] if 0 <= x < 2 else 0),
    "judged": (1, lambda x: x + 1),
    "maximum": (2, lambda x, y: x if x > y else y),
    "minimum": (2, lambda x, y: x if x < y else y),
    "product": (2, lambda x, y: x * y),
    "quotient": (2, lambda x, y: divided(x, y, False)[0]),
    "quotient_truncated": (2, lambda x, y: divided(x, y, True)[0]),
    "remainder": (2, lambda x, y: divided(x, y, False)[1]),
    "remainder_truncated": (2, lambda x, y: divided(x, y, True)[1]),
    "square": (1, lambda x: x**2),
}
"""From kind to the number of arguments and the value."""

DETAILS = {"Table": np.array(ROWS), "judged": lambda interval: (interval[0] + 1, interval[1] + 1)}


def assert_bounds(
    kind: str, detail: object, width: int, value: Callable[..., int], ends: Sequence[int]
) -> None:
    """Compare a meaning with the values over all boxes whose ends are among ``ends``."""
    intervals = [(a, b) for a in ends for b in ends if a <= b]
    for box in itertools.product(intervals, repeat=width):
        values = {int(value(*x)) for x in itertools.product(*(range(a, b + 1) for a, b in box))}
        low, high = map(int, MEANINGS[kind](list(box), detail))
        assert low <= min(values), box
        assert high >= max(values), box
        if kind in TRUTHS:
            assert (low, high) in ((0, 0), (0, 1), (1, 1)), box
        if all(a == b for a, b in box):
            assert low == high, box


@each("kind", VALUES)
def test_bounds_contain_every_value(kind: str) -> None:
    width, value = VALUES[kind]
    ends = (0, 1) if kind in ("And", "Or") else range(-4, 5) if width < 3 else range(-1, 3)
    assert_bounds(kind, DETAILS.get(kind), width, value, list(ends))


@each("relation", RELATIONS)
def test_bounds_of_relations_and_counts(relation: str) -> None:
    holds = RELATION_OF[relation]
    assert_bounds("Linear", relation, 1, lambda x: holds(x, 0), range(-3, 4))

    def counted(value: int, number: int, *terms: int) -> bool:
        return holds(terms.count(value), number)

    assert_bounds("Count", relation, 4, counted, range(3))


def test_every_kind_is_compared() -> None:
    assert VALUES.keys() | {"Linear", "Count"} == MEANINGS.keys()


@each("kind", ["abs", "maximum", "minimum", "product", "square", "quotient", "And", "Or"])
def test_bounds_are_tight_where_a_search_lives_on_them(kind: str) -> None:
    """Terms that do not share variables: the ends are values."""
    width, value = VALUES[kind]
    ends = (0, 1) if kind in ("And", "Or") else range(-3, 4)
    intervals = [(a, b) for a in ends for b in ends if a <= b]
    for box in itertools.product(intervals, repeat=width):
        values = {int(value(*x)) for x in itertools.product(*(range(a, b + 1) for a, b in box))}
        assert MEANINGS[kind](list(box), None) == (min(values), max(values)), box
