"""Classical problems stated three times: for us, for NuCS and in MiniZinc (for Gecode).

Ours are problems of the catalogue, of the collection or stated here; NuCS's are its own examples with the
heuristics that its examples name, but for Costas arrays, which it has no example of; MiniZinc's are the same
constraints.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
from cpqueens.models.all_interval import all_interval
from cpqueens.models.costas_array import costas_array
from cpqueens.models.golomb_ruler import golomb_ruler
from cpqueens.models.langford import langford
from cpqueens.models.magic_square import magic_square

from cpqueens import Count, LexLessEqual, Model

sys.path.append(str(Path(__file__).parents[1]))

from collection.cryptarithms import ALPHA, alpha, cryptarithm
from collection.designs import block_design
from collection.sudokus import INKALA_2010, sudoku


@dataclass(frozen=True)
class Stated:
    """A problem: what is wanted of it (`all`, `first` or `least`), and its statements.

    ``search`` names NuCS's heuristics; ``objective`` returns the variable of NuCS's problem that is least;
    ``minizinc`` is the model's text, in which ``n`` is given by ``data``.
    """

    wanted: str
    ours: Callable[[], Model]
    nucs: Callable[[], Any]
    search: Callable[[], dict[str, Any]] = dict
    objective: Callable[[Any], int] | None = None
    minizinc: str = ""
    data: str = ""


# ---- ours -----------------------------------------------------------------------------------------------

DONALD = ("DONALD", "GERALD", "ROBERT")
GIVENS = np.array([int(clue) for clue in INKALA_2010]).reshape(9, 9).tolist()


def magic_sequence(n: int) -> Model:
    """x[i] is how often i occurs (CSPLib prob019), with both redundant sums."""
    m = Model("magic sequence")
    x = m.intvar(0, n - 1, shape=n, name="x")
    m += [Count(x, i, x[i]) for i in range(n)]
    m.add(x.sum() == n, (x * np.arange(n)).sum() == n)
    return m


def schur(n: int) -> Model:
    """Three boxes for 1..n, none with x, y and x + y (CSPLib prob015); the boxes' lists in order."""
    m = Model("Schur")
    x = m.boolvar(shape=(n, 3), name="x")
    m.add(x.sum(axis=1) == 1)
    for a in range(1, n + 1):
        for b in range(1, n + 1 - a):
            m.add(x[a - 1] + x[b - 1] + x[a + b - 1] <= 2)
    m.add(LexLessEqual(x[:, 0], x[:, 1]), LexLessEqual(x[:, 1], x[:, 2]))
    return m


# ---- NuCS: problems of its examples ---------------------------------------------------------------------


def _example(module: str, name: str, *arguments: Any) -> Callable[[], Any]:
    def build() -> Any:
        from importlib import import_module

        return getattr(import_module(f"nucs.examples.{module}.{module}_problem"), name)(*arguments)

    return build


def _nucs_costas(n: int) -> Callable[[], Any]:
    def build() -> Any:
        from nucs.problems.problem import Problem
        from nucs.propagators.propagators import ALG_ALLDIFFERENT, ALG_SUM_EQ

        problem = Problem([(0, n - 1)] * n)
        problem.add_propagator(ALG_ALLDIFFERENT, range(n))
        for d in range(1, n - 1):
            gaps = [problem.add_variable((1 - n, n - 1)) for _ in range(n - d)]
            for i, gap in enumerate(gaps):
                problem.add_propagator(ALG_SUM_EQ, [gap, i, i + d])
            problem.add_propagator(ALG_ALLDIFFERENT, gaps)
        return problem

    return build


def _first_variables(n: int) -> Callable[[], dict[str, Any]]:
    return lambda: {"decision_variables": range(n)}


_registered: list[int] = []


def _golomb_search() -> dict[str, Any]:
    from nucs.examples.golomb.golomb_problem import golomb_consistency_algorithm
    from nucs.solvers.consistency_algorithms import register_consistency_algorithm

    if not _registered:  # NuCS keeps every registered algorithm, so it is registered once
        _registered.append(register_consistency_algorithm(golomb_consistency_algorithm))
    return {"consistency_algorithm": _registered[0]}


def _langford_search() -> dict[str, Any]:
    from nucs.heuristics.heuristics import DOM_HEURISTIC_MAX_VALUE, VAR_HEURISTIC_SMALLEST_DOMAIN

    return {"var_heuristic": VAR_HEURISTIC_SMALLEST_DOMAIN, "dom_heuristic": DOM_HEURISTIC_MAX_VALUE}


_ALPHA_DATA = {
    "letters": [chr(c) for c in range(65, 91)],
    "domain": (1, 26),
    "word_sums": list(ALPHA.items()),
}
_DONALD_DATA = {"letters": sorted(set("".join(DONALD))), "additions": [(list(DONALD[:2]), DONALD[2])]}

# ---- MiniZinc -------------------------------------------------------------------------------------------

_ALL_INTERVAL = """
include "alldifferent.mzn";
int: n; array[1..n] of var 0..n-1: x; array[1..n-1] of var 1..n-1: d;
constraint alldifferent(x) /\\ alldifferent(d) /\\ forall(i in 1..n-1)(d[i] = abs(x[i+1] - x[i]));
solve :: int_search(x, first_fail, indomain_min, complete) satisfy;
"""
_GOLOMB = """
include "alldifferent.mzn";
int: n; array[1..n] of var 0..n*n: x; var 0..n*n: length;
array[1..n, 1..n] of var 0..n*n: d;
constraint x[1] = 0 /\\ forall(i in 1..n-1)(x[i] < x[i+1]) /\\ length = x[n];
constraint forall(i, j in 1..n)(d[i, j] = if i < j then x[j] - x[i] else 0 endif);
constraint forall(i, j in 1..n where i < j)(d[i, j] >= (j - i) * (j - i + 1) div 2);
constraint alldifferent([d[i, j] | i, j in 1..n where i < j]) /\\ d[1, 2] < d[n-1, n];
solve :: int_search(x, input_order, indomain_min, complete) minimize length;
"""
_LANGFORD = """
include "alldifferent.mzn";
int: n; array[1..n] of var 0..2*n-1: p;
constraint forall(k in 1..n)(p[k] + k + 1 <= 2*n - 1);
constraint alldifferent(p ++ [p[k] + k + 1 | k in 1..n]);
solve :: int_search(p, first_fail, indomain_min, complete) satisfy;
"""
_COSTAS = """
include "alldifferent.mzn";
int: n; array[1..n] of var 0..n-1: p;
constraint alldifferent(p) /\\ forall(d in 1..n-2)(alldifferent([p[i + d] - p[i] | i in 1..n-d]));
solve :: int_search(p, first_fail, indomain_min, complete) satisfy;
"""
_MAGIC_SEQUENCE = """
include "count.mzn";
int: n; array[0..n-1] of var 0..n-1: x;
constraint forall(i in 0..n-1)(count(x, i, x[i]));
constraint sum(x) = n /\\ sum(i in 0..n-1)(i * x[i]) = n;
solve :: int_search(x, first_fail, indomain_min, complete) satisfy;
"""

_INTERVALS = _example("all_interval_series", "AllIntervalSeriesProblem", 10, False)
_LENGTH = attrgetter("length_idx")

PROBLEMS = {
    "Costas arrays of order 9": Stated(
        "all", lambda: costas_array(9), _nucs_costas(9), _first_variables(9), minizinc=_COSTAS, data="n=9;"
    ),
    "Langford pairings of 8": Stated(
        "all", lambda: langford(8), _example("langford", "LangfordProblem", 2, 8), _langford_search,
        minizinc=_LANGFORD, data="n=8;",
    ),
    "all-interval series of 10": Stated(
        "all", lambda: all_interval(10),
        _INTERVALS, _first_variables(10), minizinc=_ALL_INTERVAL, data="n=10;",
    ),
    "Golomb ruler, 9 marks": Stated(
        "least", lambda: golomb_ruler(9), _example("golomb", "GolombProblem", 9, True), _golomb_search,
        _LENGTH, _GOLOMB, "n=9;",
    ),
    "magic sequence of 50": Stated(
        "first", lambda: magic_sequence(50), _example("magic_sequence", "MagicSequenceProblem", 50),
        minizinc=_MAGIC_SEQUENCE, data="n=50;",
    ),
    "magic square of order 4": Stated(
        "first", lambda: magic_square(4), _example("magic_square", "MagicSquareProblem", 4, False)
    ),
    "BIBD (8, 14, 7, 4, 3)": Stated(
        "first", lambda: block_design(8, 14, 7, 4, 3), _example("bibd", "BIBDProblem", 8, 14, 7, 4, 3)
    ),
    "Schur's lemma, 3 boxes, 20 (none)": Stated(
        "first", lambda: schur(20), _example("schur_lemma", "SchurLemmaProblem", 20)
    ),
    "sudoku (Inkala 2010)": Stated(
        "first", lambda: sudoku(INKALA_2010), _example("sudoku", "SudokuProblem", GIVENS)
    ),
    "alpha": Stated("first", alpha, _example("alphanumeric", "AlphanumericProblem", _ALPHA_DATA)),
    "DONALD + GERALD = ROBERT": Stated(
        "first", lambda: cryptarithm(*DONALD),
        _example("cryptarithmetic", "CryptarithmeticProblem", _DONALD_DATA),
    ),
}  # fmt: skip
