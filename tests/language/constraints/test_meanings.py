"""Truth and violation of each kind on every assignment of small models, against the oracle's meaning."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from each import each

from cpqueens import (
    AllDifferent,
    AllDifferentExcept,
    AllEqual,
    Among,
    Circuit,
    Count,
    Cumulative,
    Decreasing,
    GlobalCardinality,
    Increasing,
    Inverse,
    LexLess,
    LexLessEqual,
    Model,
    NoOverlap,
    NoOverlap2D,
    SubCircuit,
    Table,
)
from cpqueens.crosscheck import oracle
from cpqueens.fuzzing.generate import random_model
from cpqueens.language.constraints.kinds import KINDS
from cpqueens.language.definedness import defined_elements

MODELS = 25
MOST = 1500  # assignments of one model


@each("kind", sorted(KINDS))
def test_a_kind_holds_where_the_oracle_says_and_its_violation_is_0_there(kind: str) -> None:
    seen = {True: 0, False: 0}
    for seed in range(MODELS):
        model = random_model(seed, kinds=[kind], contexts=["plain"], constraints=2)
        grid = oracle.assignments(model)[:MOST]
        table = oracle.TruthTable(model, grid)
        values, defined = model.complete_where_defined(grid, model.decisions)
        for posted in model.constraints:
            wanted, all_defined = (
                table.constraint(posted.constraint),
                defined_elements(posted.constraint, defined),
            )
            assert (posted.constraint.satisfied(values) & all_defined == wanted).all(), f"seed {seed}"
            amounts = posted.constraint.amounts(values)
            assert (amounts >= 0).all(), f"seed {seed}"
            assert ((amounts == 0) & all_defined == wanted).all(), f"seed {seed}"
            for answer in seen:
                seen[answer] += int((wanted == answer).sum())
    assert min(seen.values()) > 0


@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_lexicographic_orders_are_those_of_tuples(size: int) -> None:
    model = Model()
    x = model.intvar(0, 2, shape=2 * size, name="x")
    strict, weak = LexLess(x[:size], x[size:]), LexLessEqual(x[:size], x[size:])
    rows = list(itertools.product(range(3), repeat=2 * size))
    values = np.array(rows, dtype=np.int64).reshape(len(rows), 2 * size)
    assert strict.satisfied(values)[:, 0].tolist() == [row[:size] < row[size:] for row in rows]
    assert weak.satisfied(values)[:, 0].tolist() == [row[:size] <= row[size:] for row in rows]


AMOUNTS = [
    ("surplus", lambda x: AllDifferent(x), (1, 1, 1, 2), 2),
    ("surplus of what is not excepted", lambda x: AllDifferentExcept(x, 0), (0, 0, 2, 2), 1),
    ("terms that differ from most", lambda x: AllEqual(x), (1, 1, 2, 1), 1),
    ("distance of the number", lambda x: Among(x, [3], 0), (1, 3, 3, 0), 2),
    ("nodes that nothing leads to", lambda x: Circuit(x), (1, 1, 1, 0), 2),
    ("and cycles beyond one", lambda x: Circuit(x), (1, 0, 3, 3), 2),
    ("cycles with more or fewer depots than one", lambda x: Circuit(x, [0, 1]), (1, 0, 3, 2), 2),
    ("depots that are left out have a cycle", lambda x: Circuit(x, [0, 3]), (0, 2, 1, 3), 1),
    ("loops are no cycles of a subcircuit", lambda x: SubCircuit(x), (0, 1, 2, 3), 0),
    ("tours of a subcircuit beyond one", lambda x: SubCircuit(x), (1, 0, 3, 2), 1),
    ("how far tasks must move", lambda x: NoOverlap(x, [2, 2, 0, 1]), (0, 1, 1, 3), 2),
    ("what setup lacks, the shorter way", lambda x: NoOverlap(x, 1, setup=2), (0, 1, 6, 9), 2),
    ("by who comes first", lambda x: NoOverlap(x[:2], 1, setup=[[0, 4], [2, 0]]), (1, 3, 0, 0), 3),
    ("of those that are present", lambda x: NoOverlap(x, 2, [0, 1, 0, 1]), (0, 1, 0, 3), 0),
    ("and what durations lack", lambda x: NoOverlap(x, [-2, 1, 1, 1]), (0, 1, 2, 3), 2),
    ("the shorter way", lambda x: NoOverlap2D(x[:2], 3, x[2:], 3), (0, 1, 2, 0), 1),
    ("what sizes lack", lambda x: NoOverlap2D(x[:2], -1, x[2:], [-2, 1]), (0, 0, 3, 3), 4),
    ("excess at each start", lambda x: Cumulative(x, 2, [2, 2, 1, 9], 3, [1, 1, 1, 0]), (0, 1, 1, 1), 4),
    ("and what numbers lack", lambda x: Cumulative(x, [-3, 1, 1, 1], [0, -2, 0, 0], -1), (0, 1, 2, 3), 10),
    ("number too large", lambda x: Count(x, 3, "<", 1), (1, 3, 3, 0), 2),
    ("number too small", lambda x: Count(x, 3, ">", 2), (1, 3, 3, 0), 1),
    ("steps down", lambda x: Increasing(x), (3, 2, 2, 1), 2),
    ("steps not up", lambda x: Increasing(x, strict=True), (3, 2, 2, 1), 3),
    ("steps up", lambda x: Decreasing(x), (1, 2, 2, 3), 2),
    ("distances of two numbers", lambda x: GlobalCardinality(x, [1, 3], [0, 1]), (1, 3, 3, 0), 2),
    ("and values of neither", lambda x: GlobalCardinality(x, [1, 3], [0, 1], True), (1, 3, 3, 0), 3),
    ("positions of either array", lambda x: Inverse(x[:2], x[2:]), (1, 0, 0, 1), 4),
    ("positions of one array that leave it", lambda x: Inverse(x[:2], x[2:]), (0, 3, 0, 0), 2),
    ("from the deciding position on", lambda x: LexLess(x[:2], x[2:]), (2, 0, 1, 0), 2),
    ("equal is not less", lambda x: LexLess(x[:2], x[2:]), (1, 2, 1, 2), 1),
    ("distance to the nearest row", lambda x: Table(x, [(1, 2, 3, 3), (0, 0, 0, 0)]), (1, 2, 0, 3), 1),
]


@pytest.mark.parametrize(("meaning", "make", "values", "amount"), AMOUNTS)
def test_a_violation_is_measured_as_documented(
    meaning: str, make: Callable[[Any], Any], values: tuple[int, ...], amount: int
) -> None:
    model = Model()
    x = model.intvar(0, 3, shape=4, name="x")
    assert make(x).amounts(np.array([values]))[0].tolist() == [amount], meaning
