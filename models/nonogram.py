"""Nonograms (Ishida 1987; CSPLib prob012): a picture told by the lengths of its blocks."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any, Literal

import numpy as np

from cpqueens import Model, ModelError, Regular
from cpqueens.language.views import Pieces
from cpqueens.problems.published import Published
from cpqueens.problems.signatures import validated

Clues = tuple[tuple[int, ...], ...]
"""The lengths of the blocks of each line."""

HEN_ROWS: Clues = ((3,), (2, 1), (3, 2), (2, 2), (6,), (1, 5), (6,), (1,), (2,))
HEN_COLUMNS: Clues = ((1, 2), (3, 1), (1, 5), (7, 1), (5,), (3,), (4,), (3,))


@validated
def nonogram(
    rows: Clues = HEN_ROWS,
    columns: Clues = HEN_COLUMNS,
    viewpoint: Literal["automata", "places"] = "automata",
) -> Model:
    """Fill squares so that the blocks of each row and column have the given lengths, in their order.

    ``x[i, j]`` is 1 where the square is filled. Each line is a word that an automaton reads: it counts the
    squares of a block, and goes on to the next one over at least one empty square. ``viewpoint="places"``
    decides the first square of each block instead, ``place``: rows from above, then columns from the left.

    Source: W. Hett, *Ninety-Nine Prolog Problems*, whose picture is the default; G. Pesant, *A regular
    language membership constraint for finite sequences of variables*, Principles and Practice of Constraint
    Programming (2004); CSPLib prob012.

    >>> nonogram().count(solver="cpsat")
    1
    """
    if not rows or not columns or any(length < 1 for line in (*rows, *columns) for length in line):
        raise ModelError("rows, columns: at least one of each is needed, and lengths from 1")
    m = Model("nonogram")
    x = m.boolvar(shape=(len(rows), len(columns)), name="x")
    lines = list(zip((*x, *x.T), (*rows, *columns), strict=True))
    if viewpoint == "places":
        ends = [line.size - 1 for line, lengths in lines for _ in lengths]
        place = m.intvar(0, ends, shape=len(ends), name="place")
        before = 0
        for line, lengths in lines:
            here, long = place[before : before + len(lengths)], np.array(lengths, dtype=int)
            before += len(lengths)
            m += [here[1:] > here[:-1] + long[:-1], here + long <= line.size]
            for square in range(line.size):
                m += line[square] == ((here <= square) & (here + long > square)).sum()
    else:
        for line, lengths in lines:
            steps, end = automaton(lengths)
            m += Regular(line, steps, 0, end)
    told = [tuple(" ".join(map(str, line)) for line in lines) for lines in (rows, columns)]
    m.view = Pieces("x", "block", row_labels=told[0], column_labels=told[1])
    return m


def automaton(lengths: tuple[int, ...]) -> tuple[list[tuple[int, int, int]], int]:
    """Return the steps (state, sign, state) of blocks of ones of these lengths, from 0, and the last state.

    >>> automaton((1,))
    ([(0, 0, 0), (0, 1, 1), (1, 0, 1)], 1)
    """
    steps = [(0, 0, 0)]
    state = 0
    for k, length in enumerate(lengths):
        for _ in range(length):
            steps.append((state, 1, state + 1))
            state += 1
        gap = state + (k < len(lengths) - 1)  # the gap between two blocks is a state of its own
        steps += [(state, 0, gap), (gap, 0, gap)] if gap > state else [(state, 0, state)]
        state = gap
    return steps, state


published = (Published("solutions", 1, "Ninety-Nine Prolog Problems, 98"),)


def verify(
    solution: Mapping[str, Any], rows: Clues, columns: Clues, viewpoint: str = "automata"
) -> list[str]:
    """Return what is wrong with the picture ``solution["x"]``."""
    x = [[int(cell) for cell in row] for row in solution["x"]]
    lines = [(f"row {i}", row) for i, row in enumerate(x)]
    lines += [(f"column {j}", [row[j] for row in x]) for j in range(len(columns))]
    wrong = []
    for (name, line), asked in zip(lines, (*rows, *columns), strict=True):
        found = tuple(len(list(run)) for filled, run in groupby(line) if filled)
        if found != tuple(asked):
            wrong.append(f"{name} has blocks of {list(found)} instead of {list(asked)}")
    if viewpoint == "places" and not wrong:
        told = [k for _, line in lines for k, sign in enumerate(line) if sign and not (k and line[k - 1])]
        wrong += [] if [int(k) for k in solution["place"]] == told else ["the blocks stand elsewhere"]
    return wrong
