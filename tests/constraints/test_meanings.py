"""Truth and violation of each kind on every assignment of small models, against the oracle's meaning."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from cpqueens import LexLess, LexLessEqual, Model
from cpqueens.constraints import KINDS
from cpqueens.crosscheck import oracle
from cpqueens.crosscheck.generate import random_model

MODELS = 25
MOST = 1500  # assignments of one model


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_kind_holds_where_the_oracle_says_and_its_violation_is_0_there(kind: str) -> None:
    seen = {True: 0, False: 0}
    for seed in range(MODELS):
        model = random_model(seed, kinds=[kind], contexts=["plain"], constraints=2)
        grid = oracle.assignments(model)[:MOST]
        table, values = oracle.Table(model, grid), model.complete(grid, model.decisions)
        for posted in model.constraints:
            held, defined = table.constraint(posted.constraint)
            wanted = held[defined]
            assert (posted.constraint.satisfied(values)[defined] == wanted).all(), f"seed {seed}"
            amounts = posted.constraint.amounts(values)[defined]
            assert (amounts >= 0).all(), f"seed {seed}"
            assert ((amounts == 0) == wanted).all(), f"seed {seed}"
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
