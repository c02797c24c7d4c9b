"""MiniZinc texts of jobs of `bench_everyone`, by name, for Gecode with its own global constraints.

They state the same constraints as ours, in the same order of variables, and the search that Gecode's users
write: smallest domain first with the least value, rulers from left to right; job shops as by default. Jobs
without a text have no entry in the column.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from collection import latin_squares, schedules, sudokus
from cpqueens.models.graph_colouring import build_graph
from large_models import horizon_of, jobs_of
from peers import NO_GECODE, SOLUTION, best_gecode, gecode
from race import Absent, Work, timed

QUEENS = """
int: n; array[1..n] of var 0..n-1: x; include "alldifferent.mzn";
constraint alldifferent(x);
constraint alldifferent([x[i] + i | i in 1..n]) /\\ alldifferent([x[i] - i | i in 1..n]);
solve :: int_search(x, first_fail, indomain_min, complete) satisfy;
"""

PIGEONS = """
int: n; array[1..n] of var 1..n-1: x; include "alldifferent.mzn"; constraint alldifferent(x);
solve :: int_search(x, first_fail, indomain_min, complete) satisfy;
"""

LATIN = """
int: n; array[1..n, 1..n] of var 0..n-1: x; include "alldifferent.mzn";
constraint forall(i in 1..n)(alldifferent(row(x, i)) /\\ alldifferent(col(x, i)));
solve :: int_search(array1d(x), first_fail, indomain_min, complete) satisfy;
"""

GOLOMB = """
int: n; array[1..n] of var 0..n*n: x; include "alldifferent.mzn"; array[1..n, 1..n] of var 0..n*n: d;
constraint x[1] = 0 /\\ forall(i in 2..n)(x[i-1] < x[i]) /\\ d[1, 2] < d[n-1, n];
constraint forall(i, j in 1..n)(d[i, j] = if i < j then x[j] - x[i] else 0 endif);
constraint forall(i, j in 1..n where i < j)(d[i, j] >= (j - i) * (j - i + 1) div 2);
constraint alldifferent([d[i, j] | i, j in 1..n where i < j]);
var 0..n*n: length; constraint length = x[n];
solve :: int_search(x, input_order, indomain_min, complete) minimize length;
"""

SERIES = """
int: n; array[1..n] of var 0..n-1: x; array[1..n-1] of var 1..n-1: d; include "alldifferent.mzn";
constraint alldifferent(x) /\\ alldifferent(d) /\\ forall(i in 1..n-1)(d[i] = abs(x[i+1] - x[i]));
constraint x[1] < x[2] /\\ d[n-1] < d[1];
solve :: int_search(x, first_fail, indomain_min, complete) satisfy;
"""

MAGIC = """
int: n; array[0..n-1] of var 0..n-1: x; include "global_cardinality.mzn";
constraint global_cardinality(x, array1d(0..n-1, [i | i in 0..n-1]), x);
constraint sum(x) = n /\\ sum(i in 0..n-1)(i * x[i]) = n;
solve :: int_search(x, first_fail, indomain_min, complete) satisfy;
"""

DESIGN = """
int: v; int: b; int: r; int: k; int: l; array[1..v, 1..b] of var 0..1: x; include "lex_lesseq.mzn";
constraint forall(i in 1..v)(sum(row(x, i)) = r) /\\ forall(j in 1..b)(sum(col(x, j)) = k);
constraint forall(i, j in 1..v where i < j)(sum(c in 1..b)(x[i, c] * x[j, c]) = l);
constraint forall(i in 1..v-1)(lex_lesseq(row(x, i), row(x, i+1)));
constraint forall(j in 1..b-1)(lex_lesseq(col(x, j), col(x, j+1)));
solve :: int_search(array1d(x), input_order, indomain_min, complete) satisfy;
"""

SCHUR = """
int: n; array[1..n, 1..3] of var 0..1: x; include "lex_lesseq.mzn";
constraint forall(i in 1..n)(sum(row(x, i)) = 1) /\\ lex_lesseq(col(x, 1), col(x, 2));
constraint forall(a in 1..n, b in a..n-a, k in 1..3)(x[a, k] + x[b, k] + x[a+b, k] <= 2);
solve :: int_search(array1d(x), first_fail, indomain_min, complete) satisfy;
"""

SUDOKU = """
array[1..9, 1..9] of 0..9: given; array[1..9, 1..9] of var 1..9: x; include "alldifferent.mzn";
constraint forall(i, j in 1..9 where given[i, j] > 0)(x[i, j] = given[i, j]);
constraint forall(i in 1..9)(alldifferent(row(x, i)) /\\ alldifferent(col(x, i)));
constraint forall(a, b in 0..2)(alldifferent([x[3*a+i, 3*b+j] | i, j in 1..3]));
solve :: int_search(array1d(x), first_fail, indomain_min, complete) satisfy;
"""


LANGFORD = """
int: n; array[1..n] of var 0..2*n-1: p; include "alldifferent.mzn";
constraint forall(i in 1..n)(p[i] <= 2*n - 2 - i);
constraint alldifferent(p ++ [p[i] + i + 1 | i in 1..n]);
solve :: int_search(p, first_fail, indomain_min, complete) satisfy;
"""

TRIPLES = """
int: n; array[1..3, 1..n] of var 0..3*n-1: p; include "alldifferent.mzn";
constraint alldifferent(array1d(p));
constraint forall(k in 1..2, i in 1..n)(p[k+1, i] = p[k, i] + i + 1);
solve :: int_search(array1d(p), first_fail, indomain_min, complete) satisfy;
"""

SQUARES = """
int: n; array[1..n, 1..n] of var 1..n*n: x; int: sum_of_line = n * (n * n + 1) div 2;
include "alldifferent.mzn";
constraint alldifferent(array1d(x));
constraint forall(i in 1..n)(sum(row(x, i)) = sum_of_line /\\ sum(col(x, i)) = sum_of_line);
constraint sum(i in 1..n)(x[i, i]) = sum_of_line /\\ sum(i in 1..n)(x[i, n + 1 - i]) = sum_of_line;
"""

NORMAL = (
    SQUARES
    + """
constraint x[1, 1] < x[1, n] /\\ x[1, 1] < x[n, 1] /\\ x[1, 1] < x[n, n] /\\ x[1, n] < x[n, 1];
solve :: int_search(array1d(x), first_fail, indomain_min, complete) satisfy;
"""
)

KNAPSACK = """
int: n; array[1..n] of int: w; array[1..n] of int: p; array[1..n] of var 0..1: x; int: most;
var 0..sum(p): length; constraint length = sum(i in 1..n)(p[i] * x[i]);
constraint sum(i in 1..n)(w[i] * x[i]) <= most;
solve :: int_search(x, input_order, indomain_max, complete) maximize length;
"""

GRAPH = """
int: n; int: k; int: m; array[1..n] of var 1..k: x; array[1..m, 1..2] of int: e;
constraint forall(i in 1..m)(x[e[i, 1]] != x[e[i, 2]]);
solve :: int_search(x, first_fail, indomain_min, complete) satisfy;
"""

ORDERED = """include "value_precede.mzn";
""" + GRAPH.replace("solve", "constraint forall(c in 1..k-1)(value_precede(c, c + 1, x));\nsolve")

STILL_LIFE = """
int: n; array[-1..n+2, -1..n+2] of var 0..1: x; var 0..n*n: length;
constraint forall(i, j in -1..n+2 where min(i, j) < 1 \\/ max(i, j) > n)(x[i, j] = 0);
constraint forall(i, j in 0..n+1)(let {
  var 0..8: around = sum(a, b in -1..1 where a != 0 \\/ b != 0)(x[i+a, j+b])
} in (x[i, j] = 1 -> around in 2..3) /\\ (x[i, j] = 0 -> around != 3));
constraint length = sum(i, j in 1..n)(x[i, j]);
solve :: int_search(array1d(x), input_order, indomain_max, complete) maximize length;
"""

HOLES = """
int: n; array[1..n, 1..n] of 0..n: given; array[1..n, 1..n] of var 1..n: x; include "alldifferent.mzn";
constraint forall(i, j in 1..n where given[i, j] > 0)(x[i, j] = given[i, j]);
constraint forall(i in 1..n)(alldifferent(row(x, i)) /\\ alldifferent(col(x, i)));
solve :: int_search(array1d(x), first_fail, indomain_min, complete) satisfy;
"""

SHOP = """
int: n; int: m; int: horizon; array[1..n, 1..m] of int: machine; array[1..n, 1..m] of int: d;
array[1..n, 1..m] of var 0..horizon: s; var 0..horizon: length; include "cumulative.mzn";
constraint forall(j in 1..n)(s[j, m] + d[j, m] <= length);
constraint forall(j in 1..n, k in 1..m-1)(s[j, k] + d[j, k] <= s[j, k+1]);
constraint forall(q in 0..m-1)(cumulative([s[j, k] | j in 1..n, k in 1..m where machine[j, k] = q],
  [d[j, k] | j in 1..n, k in 1..m where machine[j, k] = q], [1 | j in 1..n], 1));
solve minimize length;
"""


def graph(kind: str, size: int, colours: int) -> str:
    """Return a graph as data."""
    vertices, edges = build_graph(kind, size)
    ends = ", ".join(f"{a + 1}, {b + 1}" for a, b in edges)
    many = len(edges)
    return f"n = {vertices}; k = {colours}; m = {many}; e = array2d(1..{many}, 1..2, [{ends}]);"


def things(items: int, seed: int) -> str:
    """Return the knapsack of `bench_everyone` as data."""
    draw = random.Random(seed)
    weights, profits = ([draw.randint(1, 100) for _ in range(items)] for _ in range(2))
    return f"n = {items}; w = {weights}; p = {profits}; most = {sum(weights) // 2};"


def shop(jobs: Sequence[Sequence[Sequence[int]]], horizon: int) -> str:
    """Return a job shop as data."""
    n, m = len(jobs), len(jobs[0])
    machines, durations = ([task[k] for job in jobs for task in job] for k in range(2))
    sides = f"1..{n}, 1..{m}"
    return (
        f"n = {n}; m = {m}; horizon = {horizon}; machine = array2d({sides}, {machines}); "
        f"d = array2d({sides}, {durations});"
    )


def square(n: int) -> str:
    """Return a Latin square with 42 % holes as data."""
    whole, kept = latin_squares.clues_with_holes(n, round(0.42 * n * n), 1)
    cells = np.zeros(n * n, dtype=np.int64)
    cells[kept] = whole.flat[kept] + 1
    return f"n = {n}; given = array2d(1..{n}, 1..{n}, {cells.tolist()});"


def given(clues: str) -> str:
    """Return a sudoku's clues as data."""
    return f"given = array2d(1..9, 1..9, [{', '.join(clues)}]);"


TEXTS = {
    "queens 10": (QUEENS, "n = 10;"),
    "queens 12": (QUEENS, "n = 12;"),
    "Langford 8": (LANGFORD, "n = 8;"),
    "Langford 12": (LANGFORD, "n = 12;"),
    "Langford 3 x 9": (TRIPLES, "n = 9;"),
    "magic squares of order 4, normal": (NORMAL, "n = 4;"),
    "magic square of order 5": (
        SQUARES + "solve :: int_search(array1d(x), first_fail, indomain_min, complete) satisfy;",
        "n = 5;",
    ),
    "knapsack of 30": (KNAPSACK, things(30, 1)),
    "knapsack of 50": (KNAPSACK, things(50, 1)),
    "Golomb ruler, 10 marks": (GOLOMB, "n = 10;"),
    "all-interval 12": (SERIES, "n = 12;"),
    "Mycielski's graph 5, 4 colours": (GRAPH, graph("mycielski", 5, 4)),
    "Mycielski's graph 6, 5 colours": (ORDERED, graph("mycielski", 6, 5)),
    "still life of 6": (STILL_LIFE, "n = 6;"),
    "still life of 8": (STILL_LIFE, "n = 8;"),
    "queens' graph 7, 7 colours": (GRAPH, graph("queens", 7, 7)),
    "job shop ft06": (SHOP, shop(schedules.FT06, 60)),
    **{
        f"job shop {name}": (SHOP, shop(jobs_of(name), horizon_of(jobs_of(name))))
        for name in ("la01", "la02", "la03", "la04", "la05")
    },
    **{f"Latin square of order {n}, 42 % holes": (HOLES, square(n)) for n in (20, 25, 30)},
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
    if question in ("enumerate", "count"):
        return printed.count(SOLUTION)
    if question == "solve":
        return SOLUTION in printed
    return int(printed.rpartition("length = ")[2].partition(";")[0])


def start_of_gecode(folder: Path) -> float | None:
    """Return the processor seconds that a run takes for nothing; None where there is no Gecode."""
    folder.mkdir()
    solve = gecode("int: n; var 0..n: x; solve satisfy;", "n = 1;", folder, 10.0, native=True)
    if solve is None:
        return None
    return min(timed(lambda turn: solve(), range(1))[0] for _ in range(5))


def gecode_work(name: str, question: str, patience: float, folder: Path) -> Work | Absent | None:
    """Return Gecode's work, flattened before into a folder of its own; None where the job has no text."""
    if name not in TEXTS:
        return None
    folder.mkdir()
    every = [] if question == "solve" else ["-a"]
    solve = best_gecode(*TEXTS[name], folder, patience, *every)
    if solve is None:
        return NO_GECODE

    def work(turn: int) -> int | bool | None:
        printed = solve()
        return None if printed is None else read(printed, question)

    return work
