"""MiniZinc texts of jobs of `bench_everyone`, by name, for Gecode with its own global constraints.

They state the same constraints as ours, in the same order of variables, and no search: Gecode takes what its
FlatZinc front end takes by default. Jobs without a text have no entry in the column.
"""

from __future__ import annotations

from pathlib import Path

from collection import sudokus
from peers import NO_GECODE, SOLUTION, gecode
from race import Absent, Work

QUEENS = """
int: n; array[1..n] of var 0..n-1: x; include "alldifferent.mzn";
constraint alldifferent(x);
constraint alldifferent([x[i] + i | i in 1..n]) /\\ alldifferent([x[i] - i | i in 1..n]);
solve satisfy;
"""

PIGEONS = """
int: n; array[1..n] of var 1..n-1: x; include "alldifferent.mzn"; constraint alldifferent(x); solve satisfy;
"""

LATIN = """
int: n; array[1..n, 1..n] of var 0..n-1: x; include "alldifferent.mzn";
constraint forall(i in 1..n)(alldifferent(row(x, i)) /\\ alldifferent(col(x, i)));
solve satisfy;
"""

GOLOMB = """
int: n; array[1..n] of var 0..n*n: x; include "alldifferent.mzn";
constraint x[1] = 0 /\\ forall(i in 2..n)(x[i-1] < x[i]) /\\ x[2] - x[1] < x[n] - x[n-1];
constraint alldifferent([x[j] - x[i] | i, j in 1..n where i < j]);
var 0..n*n: length; constraint length = x[n];
solve minimize length;
"""

SERIES = """
int: n; array[1..n] of var 0..n-1: x; array[1..n-1] of var 1..n-1: d; include "alldifferent.mzn";
constraint alldifferent(x) /\\ alldifferent(d) /\\ forall(i in 1..n-1)(d[i] = abs(x[i+1] - x[i]));
constraint x[1] < x[2] /\\ d[n-1] < d[1];
solve satisfy;
"""

MAGIC = """
int: n; array[0..n-1] of var 0..n-1: x; include "global_cardinality.mzn";
constraint global_cardinality(x, array1d(0..n-1, [i | i in 0..n-1]), x);
constraint sum(x) = n /\\ sum(i in 0..n-1)(i * x[i]) = n;
solve satisfy;
"""

DESIGN = """
int: v; int: b; int: r; int: k; int: l; array[1..v, 1..b] of var 0..1: x; include "lex_lesseq.mzn";
constraint forall(i in 1..v)(sum(row(x, i)) = r) /\\ forall(j in 1..b)(sum(col(x, j)) = k);
constraint forall(i, j in 1..v where i < j)(sum(c in 1..b)(x[i, c] * x[j, c]) = l);
constraint forall(i in 1..v-1)(lex_lesseq(row(x, i), row(x, i+1)));
constraint forall(j in 1..b-1)(lex_lesseq(col(x, j), col(x, j+1)));
solve satisfy;
"""

SCHUR = """
int: n; array[1..n, 1..3] of var 0..1: x; include "lex_lesseq.mzn";
constraint forall(i in 1..n)(sum(row(x, i)) = 1) /\\ lex_lesseq(col(x, 1), col(x, 2));
constraint forall(a in 1..n, b in a..n-a, k in 1..3)(x[a, k] + x[b, k] + x[a+b, k] <= 2);
solve satisfy;
"""

SUDOKU = """
array[1..9, 1..9] of 0..9: given; array[1..9, 1..9] of var 1..9: x; include "alldifferent.mzn";
constraint forall(i, j in 1..9 where given[i, j] > 0)(x[i, j] = given[i, j]);
constraint forall(i in 1..9)(alldifferent(row(x, i)) /\\ alldifferent(col(x, i)));
constraint forall(a, b in 0..2)(alldifferent([x[3*a+i, 3*b+j] | i, j in 1..3]));
solve satisfy;
"""


def given(clues: str) -> str:
    """Return a sudoku's clues as data."""
    return f"given = array2d(1..9, 1..9, [{', '.join(clues)}]);"


TEXTS = {
    "queens 10": (QUEENS, "n = 10;"),
    "Latin square of order 30": (LATIN, "n = 30;"),
    "Golomb ruler, 8 marks": (GOLOMB, "n = 8;"),
    "Golomb ruler, 9 marks": (GOLOMB, "n = 9;"),
    "all-interval 10": (SERIES, "n = 10;"),
    "all-interval 50, one": (SERIES, "n = 50;"),
    "magic sequence of 100": (MAGIC, "n = 100;"),
    "magic sequence of 200": (MAGIC, "n = 200;"),
    "BIBD (7, 7, 3, 3, 1)": (DESIGN, "v = 7; b = 7; r = 3; k = 3; l = 1;"),
    "BIBD (8, 14, 7, 4, 3)": (DESIGN, "v = 8; b = 14; r = 7; k = 4; l = 3;"),
    "Schur's boxes, 100": (SCHUR, "n = 100;"),
    "pigeonholes, 30 in 29": (PIGEONS, "n = 30;"),
    "sudoku, Inkala 2006": (SUDOKU, given(sudokus.INKALA_2006)),
    "sudoku, Inkala 2012": (SUDOKU, given(sudokus.INKALA_2012)),
    "sudoku, 17 clues (1)": (SUDOKU, given(sudokus.CLUES_17[0])),
}
"""A text and its data."""


def read(printed: str, question: str) -> int | bool:
    """Return what a run found, as our jobs say it."""
    if question == "enumerate":
        return printed.count(SOLUTION)
    if question == "solve":
        return SOLUTION in printed
    return int(printed.rpartition("length = ")[2].partition(";")[0])


def gecode_work(name: str, question: str, patience: float, folder: Path) -> Work | Absent | None:
    """Return Gecode's work, flattened before into a folder of its own; None where the job has no text."""
    if name not in TEXTS:
        return None
    folder.mkdir()
    every = [] if question == "solve" else ["-a"]
    solve = gecode(*TEXTS[name], folder, patience, *every, native=True)
    if solve is None:
        return NO_GECODE

    def work(turn: int) -> int | bool | None:
        printed = solve()
        return None if printed is None else read(printed, question)

    return work
