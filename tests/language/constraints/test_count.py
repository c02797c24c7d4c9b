"""Numbers of values between bounds.

The number of different values: Stirling's numbers, dominating queens, both decompositions.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from each import each

from cpqueens import GlobalCardinality, Model, ModelError, NValue
from cpqueens.files.modelfile import dump_model, parse_model

WORDS = list(itertools.product(range(3), repeat=4))

BOUNDED: dict[str, tuple[dict[str, Any], Any]] = {
    "at least": ({"lower": [1, 2]}, lambda a, b: a >= 1 and b >= 2),
    "at least none": ({"lower": 0}, lambda a, b: True),
    "at most": ({"upper": [1, 2]}, lambda a, b: a <= 1 and b <= 2),
    "between": ({"lower": [1, 0], "upper": [2, 1]}, lambda a, b: 1 <= a <= 2 and b <= 1),
    "one for all": ({"lower": 1, "upper": 2}, lambda a, b: 1 <= a <= 2 and 1 <= b <= 2),
    "crossed": ({"lower": 2, "upper": 1}, lambda a, b: False),
    "pairs": ({"counts": [(0, 1), (1, 3)]}, lambda a, b: a <= 1 and 1 <= b <= 3),
    "counts": ({"counts": [1, 2]}, lambda a, b: (a, b) == (1, 2)),
}


@each("name", BOUNDED)
@each("closed", [False, True])
@each("negated", [False, True])
def test_numbers_stay_within_their_bounds(solver: str, name: str, closed: bool, negated: bool) -> None:
    options, allowed = BOUNDED[name]
    m = Model()
    x = m.intvar(0, 2, shape=4, name="x")
    constraint = GlobalCardinality(x, [0, 1], closed=closed, **options)
    m.add(~constraint if negated else constraint)
    wanted = {w for w in WORDS if (allowed(w.count(0), w.count(1)) and not (closed and 2 in w)) != negated}
    assert {tuple(row) for row in m.enumerate(solver=solver).solutions.matrix.tolist()} == wanted


def test_bounds_are_terms_too(solver: str) -> None:
    m = Model()
    x = m.intvar(0, 1, shape=3, name="x")
    n = m.intvar(0, 3, name="n")
    m.add(GlobalCardinality(x, [1], lower=n, upper=n + 1))
    assert m.count(solver=solver) == sum(
        n <= sum(w) <= n + 1 for w in itertools.product((0, 1), repeat=3) for n in range(4)
    )


def test_distances_of_numbers_from_their_bounds() -> None:
    m = Model()
    x = m.intvar(0, 3, shape=4, name="x")
    constraint = GlobalCardinality(x, [0, 1], lower=[3, 0], upper=[4, 0], closed=True)
    assert constraint.amounts(np.array([[0, 1, 1, 3], [0, 0, 0, 0]])).tolist() == [[2 + 2 + 1], [0]]


def test_bounds_in_files() -> None:
    m = Model()
    x = m.intvar(0, 1, shape=2, name="x")
    m.add(GlobalCardinality(x, [0, 1], lower=[0, 1], upper=x))
    text = dump_model(m)
    assert '["x",[0,1],{"shape":[2,2],"terms":[0,"x[0]",1,"x[1]"]},false]' in text
    assert dump_model(parse_model(text)) == text


@each("options", [{}, {"counts": [1, 1], "lower": 1}, {"lower": [1]}, {"upper": [[1, 2]]}, {"counts": [1]}])
def test_other_bounds_are_refused(options: dict[str, Any]) -> None:
    m = Model()
    with pytest.raises(ModelError, match=r"^GlobalCardinality: [^\n]* need"):
        GlobalCardinality(m.intvar(0, 1, shape=2, name="x"), [0, 1], **options)


STIRLING = {1: 1, 2: 15, 3: 25, 4: 10, 5: 1}
"""OEIS A008277: partitions of 5 things into so many sets."""


@pytest.mark.parametrize(("many", "partitions"), STIRLING.items())
def test_functions_with_so_many_values(many: int, partitions: int) -> None:
    m = Model()
    x = m.intvar(0, 5, shape=5, name="x")
    m.add(NValue(x, many))
    assert m.count(solver="cpsat") == partitions * math.perm(6, many)


@each("step", [1, 10**9])
@each("negated", [False, True])
def test_near_and_far_values_are_counted_alike(solver: str, step: int, negated: bool) -> None:
    m = Model()
    x = m.intvar(domain=[0, step, 2 * step], shape=3, name="x")
    n = m.intvar(1, 2, name="n")
    m.add(~NValue(x, n) if negated else NValue(x, n))
    assert m.count(solver=solver) == (2 * 27 - 21 if negated else 21)


@pytest.mark.parametrize(("squares", "queens"), [(4, 2), (5, 3), (6, 3)])
def test_fewest_queens_that_attack_every_square(squares: int, queens: int) -> None:
    """OEIS A075458: each square has a queen that attacks it, and these are few."""
    m = Model()
    where = [(i, j) for i in range(squares) for j in range(squares)]
    x = [
        m.intvar(
            domain=[k for k, (a, b) in enumerate(where) if i == a or j == b or abs(a - i) == abs(b - j)],
            name=f"x{i}_{j}",
        )
        for i, j in where
    ]
    n = m.intvar(1, squares, name="n")
    m.add(NValue(x, n))
    m.minimize(n)
    assert m.solve(solver="cpsat").objective == queens


def test_a_count_is_one_term() -> None:
    m = Model()
    x = m.intvar(0, 1, shape=2, name="x")
    with pytest.raises(ModelError, match=r"^NValue: count must be a single term or integer$"):
        NValue(x, x)
