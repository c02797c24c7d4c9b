"""Models as a user writes them, three times: in cpqueens, for OR-Tools by one who knows it well, in CPMpy.

Each writer takes ``api``, the modelling library's module, and returns its model; ours and CPMpy's are
translated for CP-SAT by `bench_writing`, OR-Tools' own are that already.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

RULES = 10_000
PAIRS = list(combinations(range(142), 2))[:RULES]
"""Two indices for each of the rules, all different."""
EDGES = list(combinations(range(60), 2))
"""The 1,770 pairs of 60."""
COSTS = np.random.default_rng(0).integers(1, 100, (200, 200))
ROWS = np.random.default_rng(1).integers(0, 100, (100_000, 3)).tolist()
ARRAY = np.array(ROWS)
CLUES = {(0, 0): 8, (1, 2): 3, (1, 3): 6, (2, 1): 7, (2, 4): 9, (2, 6): 2, (3, 1): 5, (3, 5): 7, (4, 4): 4}

Writer = Callable[[Any], Any]


@dataclass(frozen=True)
class Job:
    """One row of the table: what is written, by whom, and how many times OR-Tools' time is allowed."""

    ours: Writer
    ortools: Writer
    cpmpy: Writer
    allowed: float


# ---- 10^4 times: a switch implies a relation ------------------------------------------------------------


def _ours_implied(cp: Any) -> Any:
    m = cp.Model()
    x, b = m.intvar(0, 99, shape=142, name="x"), m.boolvar(shape=142, name="b")
    for i, j in PAIRS:
        m.add(b[(i + j) % 142].implies(x[i] + x[j] <= 90))
    return m


def _ours_implied_arrays(cp: Any) -> Any:
    m = cp.Model()
    x, b = m.intvar(0, 99, shape=142, name="x"), m.boolvar(shape=142, name="b")
    i, j = np.array(PAIRS).T
    m.add(b[(i + j) % 142].implies(x[i] + x[j] <= 90))
    return m


def _raw_implied(cp: Any) -> Any:
    m = cp.CpModel()
    x = [m.new_int_var(0, 99, f"x{i}") for i in range(142)]
    b = [m.new_bool_var(f"b{i}") for i in range(142)]
    for i, j in PAIRS:
        m.add(x[i] + x[j] <= 90).only_enforce_if(b[(i + j) % 142])
    return m


def _cpmpy_implied(cp: Any) -> Any:
    m = cp.Model()
    x, b = cp.intvar(0, 99, shape=142, name="x"), cp.boolvar(shape=142, name="b")
    for i, j in PAIRS:
        m += b[(i + j) % 142].implies(x[i] + x[j] <= 90)
    return m


# ---- 10^4 times: a switch implies a clause --------------------------------------------------------------


def _ours_clauses(cp: Any) -> Any:
    m = cp.Model()
    a = m.boolvar(shape=142, name="a")
    for i, j in PAIRS:
        m.add(a[(i + j) % 142].implies(cp.Or([a[i], ~a[j], a[(i * j) % 142]])))
    return m


def _ours_clauses_arrays(cp: Any) -> Any:
    m = cp.Model()
    a = m.boolvar(shape=142, name="a")
    i, j = np.array(PAIRS).T
    m.add(a[(i + j) % 142].implies(a[i] | ~a[j] | a[(i * j) % 142]))
    return m


def _raw_clauses(cp: Any) -> Any:
    m = cp.CpModel()
    a = [m.new_bool_var(f"a{i}") for i in range(142)]
    for i, j in PAIRS:
        m.add_bool_or([a[i], ~a[j], a[(i * j) % 142]]).only_enforce_if(a[(i + j) % 142])
    return m


def _cpmpy_clauses(cp: Any) -> Any:
    m = cp.Model()
    a = cp.boolvar(shape=142, name="a")
    for i, j in PAIRS:
        m += a[(i + j) % 142].implies(cp.any([a[i], ~a[j], a[(i * j) % 142]]))
    return m


# ---- 10^4 times: a switch implies one of two relations --------------------------------------------------


def _ours_choices(cp: Any) -> Any:
    m = cp.Model()
    x, b = m.intvar(0, 99, shape=142, name="x"), m.boolvar(shape=142, name="b")
    for i, j in PAIRS:
        m.add(b[(i + j) % 142].implies(cp.Or([x[i] + x[j] <= 90, x[i] - x[j] >= 9])))
    return m


def _ours_choices_arrays(cp: Any) -> Any:
    m = cp.Model()
    x, b = m.intvar(0, 99, shape=142, name="x"), m.boolvar(shape=142, name="b")
    i, j = np.array(PAIRS).T
    m.add(b[(i + j) % 142].implies((x[i] + x[j] <= 90) | (x[i] - x[j] >= 9)))
    return m


def _raw_choices(cp: Any) -> Any:
    m = cp.CpModel()
    x = [m.new_int_var(0, 99, f"x{i}") for i in range(142)]
    b = [m.new_bool_var(f"b{i}") for i in range(142)]
    for i, j in PAIRS:
        first, second = m.new_bool_var(""), m.new_bool_var("")
        m.add(x[i] + x[j] <= 90).only_enforce_if(first)
        m.add(x[i] + x[j] > 90).only_enforce_if(~first)
        m.add(x[i] - x[j] >= 9).only_enforce_if(second)
        m.add(x[i] - x[j] < 9).only_enforce_if(~second)
        m.add_bool_or([first, second]).only_enforce_if(b[(i + j) % 142])
    return m


def _cpmpy_choices(cp: Any) -> Any:
    m = cp.Model()
    x, b = cp.intvar(0, 99, shape=142, name="x"), cp.boolvar(shape=142, name="b")
    for i, j in PAIRS:
        m += b[(i + j) % 142].implies(cp.any([x[i] + x[j] <= 90, x[i] - x[j] >= 9]))
    return m


# ---- functions ------------------------------------------------------------------------------------------


def _ours_assignment(cp: Any) -> Any:
    m = cp.Model()
    x = m.intvar(0, 199, shape=200, name="x")
    m.add(cp.AllDifferent(x))
    m.minimize(sum(cp.element(COSTS[i], x[i]) for i in range(200)))
    return m


def _ours_assignment_arrays(cp: Any) -> Any:
    m = cp.Model()
    x = m.intvar(0, 199, shape=200, name="x")
    m.add(cp.AllDifferent(x))
    m.minimize(cp.element(COSTS, np.arange(200), x).sum())
    return m


def _raw_assignment(cp: Any) -> Any:
    m = cp.CpModel()
    x = [m.new_int_var(0, 199, f"x{i}") for i in range(200)]
    m.add_all_different(x)
    costs = [m.new_int_var(1, 99, f"c{i}") for i in range(200)]
    for i in range(200):
        m.add_element(x[i], COSTS[i].tolist(), costs[i])
    m.minimize(sum(costs))
    return m


def _cpmpy_assignment(cp: Any) -> Any:
    m = cp.Model()
    x = cp.intvar(0, 199, shape=200, name="x")
    m += cp.AllDifferent(x)
    m.minimize(sum(cp.Element(COSTS[i], x[i]) for i in range(200)))
    return m


def _ours_functions(cp: Any) -> Any:
    m = cp.Model()
    x = m.intvar(0, 99, shape=142, name="x")
    for i, j in PAIRS[:2000]:
        m.add(abs(x[i] - x[j]) + x[i] * x[j] <= 5000)
    return m


def _ours_functions_arrays(cp: Any) -> Any:
    m = cp.Model()
    x = m.intvar(0, 99, shape=142, name="x")
    i, j = np.array(PAIRS[:2000]).T
    m.add(abs(x[i] - x[j]) + x[i] * x[j] <= 5000)
    return m


def _raw_functions(cp: Any) -> Any:
    m = cp.CpModel()
    x = [m.new_int_var(0, 99, f"x{i}") for i in range(142)]
    for i, j in PAIRS[:2000]:
        distance, product = m.new_int_var(0, 99, ""), m.new_int_var(0, 9801, "")
        m.add_abs_equality(distance, x[i] - x[j])
        m.add_multiplication_equality(product, [x[i], x[j]])
        m.add(distance + product <= 5000)
    return m


def _cpmpy_functions(cp: Any) -> Any:
    m = cp.Model()
    x = cp.intvar(0, 99, shape=142, name="x")
    for i, j in PAIRS[:2000]:
        m += abs(x[i] - x[j]) + x[i] * x[j] <= 5000
    return m


# ---- global constraints ---------------------------------------------------------------------------------


def _ours_table(cp: Any) -> Any:
    m = cp.Model()
    m.add(cp.Table(m.intvar(0, 99, shape=3, name="x"), ROWS))
    return m


def _ours_table_array(cp: Any) -> Any:
    m = cp.Model()
    m.add(cp.Table(m.intvar(0, 99, shape=3, name="x"), ARRAY))
    return m


def _raw_table(cp: Any) -> Any:
    m = cp.CpModel()
    m.add_allowed_assignments([m.new_int_var(0, 99, f"x{i}") for i in range(3)], ROWS)
    return m


def _cpmpy_table(cp: Any) -> Any:
    return cp.Model(cp.Table(cp.intvar(0, 99, shape=3, name="x"), ROWS))


def _units(x: Any) -> list[Any]:
    """Return rows, columns and boxes of a board, given by pairs."""
    lines = [[x[r, c] for c in range(9)] for r in range(9)]
    boxes = [
        [x[3 * a + i, 3 * b + j] for i in range(3) for j in range(3)] for a in range(3) for b in range(3)
    ]
    return lines + [[x[r, c] for r in range(9)] for c in range(9)] + boxes


def _ours_sudoku(cp: Any) -> Any:
    m = cp.Model()
    x = m.intvar(1, 9, shape=(9, 9), name="x")
    for unit in _units(x):
        m.add(cp.AllDifferent(unit))
    for cell, clue in CLUES.items():
        m.add(x[cell] == clue)
    return m


def _raw_sudoku(cp: Any) -> Any:
    m = cp.CpModel()
    x = {(r, c): m.new_int_var(1, 9, f"x{r}{c}") for r in range(9) for c in range(9)}
    for unit in _units(x):
        m.add_all_different(unit)
    for cell, clue in CLUES.items():
        m.add(x[cell] == clue)
    return m


def _cpmpy_sudoku(cp: Any) -> Any:
    m = cp.Model()
    x = cp.intvar(1, 9, shape=(9, 9), name="x")
    for unit in _units(x):
        m += cp.AllDifferent(unit)
    for cell, clue in CLUES.items():
        m += x[cell] == clue
    return m


# ---- relations and truths one by one --------------------------------------------------------------------


def _ours_pairs(cp: Any) -> Any:
    m = cp.Model()
    x = m.intvar(0, 99, shape=142, name="x")
    for i, j in PAIRS:
        m.add(x[i] != x[j])
    return m


def _ours_pairs_arrays(cp: Any) -> Any:
    m = cp.Model()
    x = m.intvar(0, 99, shape=142, name="x")
    i, j = np.array(PAIRS).T
    m.add(x[i] != x[j])
    return m


def _raw_pairs(cp: Any) -> Any:
    m = cp.CpModel()
    x = [m.new_int_var(0, 99, f"x{i}") for i in range(142)]
    for i, j in PAIRS:
        m.add(x[i] != x[j])
    return m


def _cpmpy_pairs(cp: Any) -> Any:
    m = cp.Model()
    x = cp.intvar(0, 99, shape=142, name="x")
    for i, j in PAIRS:
        m += x[i] != x[j]
    return m


def _ours_never_both(cp: Any) -> Any:
    m = cp.Model()
    a = m.boolvar(shape=60, name="a")
    for i, j in EDGES:
        m.add(~(a[i] & a[j]))
    return m


def _ours_never_both_arrays(cp: Any) -> Any:
    m = cp.Model()
    a = m.boolvar(shape=60, name="a")
    i, j = np.array(EDGES).T
    m.add(~(a[i] & a[j]))
    return m


def _ours_none_of_both(cp: Any) -> Any:
    m = cp.Model()
    a = m.boolvar(shape=60, name="a")
    for i, j in EDGES:
        m.add((a[i] & a[j]) <= 0)
    return m


def _ours_none_of_both_arrays(cp: Any) -> Any:
    m = cp.Model()
    a = m.boolvar(shape=60, name="a")
    i, j = np.array(EDGES).T
    m.add((a[i] & a[j]) <= 0)
    return m


def _raw_never_both(cp: Any) -> Any:
    m = cp.CpModel()
    a = [m.new_bool_var(f"a{i}") for i in range(60)]
    for i, j in EDGES:
        m.add_bool_or([~a[i], ~a[j]])
    return m


def _cpmpy_never_both(cp: Any) -> Any:
    m = cp.Model()
    a = cp.boolvar(shape=60, name="a")
    for i, j in EDGES:
        m += ~(a[i] & a[j])
    return m


def _ours_sum(cp: Any) -> Any:
    m = cp.Model()
    x = m.intvar(0, 9, shape=9000, name="x")
    m.add(sum(x[k] == 3 for k in range(9000)) <= 700)
    return m


def _ours_sliced_sum(cp: Any) -> Any:
    m = cp.Model()
    x = m.intvar(0, 9, shape=9000, name="x")
    m.add((x == 3).sum() <= 700)
    return m


def _raw_sum(cp: Any) -> Any:
    m = cp.CpModel()
    x = [m.new_int_var(0, 9, f"x{i}") for i in range(9000)]
    truths = [m.new_bool_var("") for _ in x]
    for variable, truth in zip(x, truths, strict=True):
        m.add(variable == 3).only_enforce_if(truth)
        m.add(variable != 3).only_enforce_if(~truth)
    m.add(sum(truths) <= 700)
    return m


def _cpmpy_sum(cp: Any) -> Any:
    m = cp.Model()
    x = cp.intvar(0, 9, shape=9000, name="x")
    m += sum(x[k] == 3 for k in range(9000)) <= 700
    return m


JOBS = {
    "10^4 b[k].implies(x[i] + x[j] <= 90)": Job(_ours_implied, _raw_implied, _cpmpy_implied, 2.0),
    "the same as arrays": Job(_ours_implied_arrays, _raw_implied, _cpmpy_implied, 1.0),
    "10^4 b[k].implies(Or([a, ~b, c]))": Job(_ours_clauses, _raw_clauses, _cpmpy_clauses, 2.0),
    "these clauses as arrays": Job(_ours_clauses_arrays, _raw_clauses, _cpmpy_clauses, 1.0),
    "10^4 b[k].implies(Or([relation, relation]))": Job(_ours_choices, _raw_choices, _cpmpy_choices, 2.0),
    "these choices as arrays": Job(_ours_choices_arrays, _raw_choices, _cpmpy_choices, 1.0),
    "200 x 200 assignment, element in a loop": Job(_ours_assignment, _raw_assignment, _cpmpy_assignment, 2.0),
    "this assignment as arrays": Job(_ours_assignment_arrays, _raw_assignment, _cpmpy_assignment, 1.0),
    "2,000 absolute values and products": Job(_ours_functions, _raw_functions, _cpmpy_functions, 2.0),
    "these functions as arrays": Job(_ours_functions_arrays, _raw_functions, _cpmpy_functions, 1.0),
    "table of 10^5 rows from lists": Job(_ours_table, _raw_table, _cpmpy_table, 2.0),
    "table of 10^5 rows from an array": Job(_ours_table_array, _raw_table, _cpmpy_table, 1.0),
    "sudoku": Job(_ours_sudoku, _raw_sudoku, _cpmpy_sudoku, 2.0),
    "10^4 x[i] != x[j]": Job(_ours_pairs, _raw_pairs, _cpmpy_pairs, 2.0),
    "these differences as an array": Job(_ours_pairs_arrays, _raw_pairs, _cpmpy_pairs, 1.0),
    "1,770 ~(a & b)": Job(_ours_never_both, _raw_never_both, _cpmpy_never_both, 2.0),
    "these negations as an array": Job(_ours_never_both_arrays, _raw_never_both, _cpmpy_never_both, 1.0),
    "1,770 (a & b) <= 0": Job(_ours_none_of_both, _raw_never_both, _cpmpy_never_both, 2.0),
    "these bounds as an array": Job(_ours_none_of_both_arrays, _raw_never_both, _cpmpy_never_both, 1.0),
    "a sum of 9,000 scalar truths": Job(_ours_sum, _raw_sum, _cpmpy_sum, 2.0),
    "a sum of 9,000 truths as an array": Job(_ours_sliced_sum, _raw_sum, _cpmpy_sum, 1.0),
}
