"""AllDifferent has several ways of counting, chosen by size and spread: each against sets of Python."""

from __future__ import annotations

import numpy as np
import pytest
from each import each

from cpqueens import AllDifferent, Model, ModelError
from cpqueens.language.constraints.all_different import _BITS, _FEW, _MANY


def judged(rows: np.ndarray) -> tuple[list[bool], list[int]]:
    """Return truth and surplus of each row by the constraint."""
    model = Model()
    x = model.intvar(-(2**40), 2**40, shape=rows.shape[1], name="x")
    constraint = AllDifferent(x)
    return constraint.satisfied(rows)[:, 0].tolist(), constraint.amounts(rows)[:, 0].tolist()


def by_sets(rows: np.ndarray) -> tuple[list[bool], list[int]]:
    """Return truth and surplus of each row by counting a set."""
    surplus = [len(row) - len(set(row)) for row in rows.tolist()]
    return [s == 0 for s in surplus], surplus


TERMS = (0, 1, 2, 4, 5, 6, _FEW, _FEW + 1, 63, 64, 65, 130, _MANY - 1, _MANY, _MANY + 20)
SPREADS = (0, 3, _BITS - 1, _BITS, 62, 63, 64, 65, 127, 128, 200, 600, 5000, 2**33)


@each("terms", TERMS)
@each("spread", SPREADS)
def test_any_number_of_terms_over_any_spread(terms: int, spread: int) -> None:
    random = np.random.default_rng(terms + spread)
    low = int(random.integers(-(2**20), 2**20))
    rows = random.integers(low, low + spread + 1, size=(6, terms))
    if terms <= spread + 1 and spread < 10**6:
        rows[0] = low + random.permutation(spread + 1)[:terms]  # distinct
        rows[3] = rows[0][::-1]
    if 2 <= terms <= spread + 1 and spread < 10**6:
        rows[4] = rows[0]
        rows[4, -1] = rows[4, 0]  # one pair only, far apart
    assert judged(rows) == by_sets(rows)


@each("terms", [_MANY - 1, _MANY, 5 * _MANY])
@each("spread", [1, 7, 9, 10**6])
def test_a_single_row_of_many_terms(terms: int, spread: int) -> None:
    row = np.random.default_rng(terms).permutation(terms) * spread - 3 * terms
    twice = np.where(np.arange(terms) == terms - 1, row[0], row)
    assert [judged(one[None, :]) for one in (row, twice)] == [([True], [0]), ([False], [1])]


@each("apart", range(50, 140))
def test_two_values_whose_bits_would_meet(apart: int) -> None:
    rows = np.array([[0, 1, 2, 3, 4, apart], [0, 1, 2, 3, apart - 64, apart], [9, 1, 2, 3, apart, apart]])
    assert judged(rows) == by_sets(rows)


def test_rows_do_not_leave_marks_for_those_behind_them() -> None:
    rows = np.stack([np.arange(_MANY), np.zeros(_MANY, dtype=int), np.arange(_MANY) // 2, np.arange(_MANY)])
    assert judged(rows)[1] == [0, _MANY - 1, _MANY // 2, 0]


def test_equal_values_whose_bits_add_up_to_a_whole_word() -> None:
    """Of many equal values the union has one bit, whatever their sum would be."""
    assert judged(np.array([[57] * 129, [0] * 129]))[0] == [False, False]


def test_a_list_of_variables_stays_one_until_terms_are_asked_for() -> None:
    m, other = Model(), Model()
    x, y = m.intvar(0, 2, shape=3, name="x"), other.intvar(0, 2, name="y")
    single = [x[2], x[0]]
    constraint = AllDifferent(single)
    single.append(x[1])
    assert constraint.listed == (m, [2, 0])
    assert (str(constraint), constraint.terms.variables.tolist()) == ("AllDifferent(x[2], x[0])", [[2], [0]])
    assert [AllDifferent(given).listed for given in ([x[0] + 1, x[1]], [-x[0], x[1]], [x[0], 3], [])] == [
        None
    ] * 4
    with pytest.raises(ModelError, match="two different models"):
        AllDifferent([x[0], y])
    m.add(constraint, AllDifferent([x[0], x[1]]))
    copy = m.copy()
    assert [copy.count(s) for s in ("backtracking", "cpsat", "python-constraint")] == [12] * 3
    assert not m.check({x: [1, 0, 1]})
    with pytest.raises(ModelError, match="different models"):
        other.add(constraint)
