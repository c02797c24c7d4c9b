"""Rows that an automaton reads: a nonogram, a roster of nurses; and cars whose options come in windows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from collection.instance import ALL, BOTH, Instance
from cpqueens import GlobalCardinality, Model, Regular, element

Transitions = list[tuple[int, int, int]]

HEN_ROWS = ((3,), (2, 1), (3, 2), (2, 2), (6,), (1, 5), (6,), (1,), (2,))
HEN_COLUMNS = ((1, 2), (3, 1), (1, 5), (7, 1), (5,), (3,), (4,), (3,))


def blocks(lengths: Sequence[int]) -> tuple[Transitions, int]:
    """Return the automaton of blocks of ones of these lengths, from state 0, and its accepting state."""
    steps: Transitions = [(0, 0, 0)]
    state = 0
    for k, length in enumerate(lengths):
        for _ in range(length):
            steps.append((state, 1, state + 1))
            state += 1
        after = state + (k < len(lengths) - 1)  # between blocks a gap of its own state
        steps += [(state, 0, after), (after, 0, after)] if after > state else [(state, 0, state)]
        state = after
    return steps, state


def nonogram(rows: Sequence[Sequence[int]], columns: Sequence[Sequence[int]]) -> Model:
    """Blocks of black squares in each row and column (CSPLib 12)."""
    m = Model("nonogram")
    x = m.boolvar(shape=(len(rows), len(columns)), name="x")
    for line, clue in zip((*x, *x.T), (*rows, *columns), strict=True):
        steps, end = blocks(clue)
        m += Regular(line, steps, 0, end)
    return m


DAY, NIGHT, OFF = 0, 1, 2
REST = [
    ("rested", DAY, "1 day"), ("rested", NIGHT, "1 night"), ("rested", OFF, "rested"),
    ("1 day", DAY, "2 days"), ("1 day", NIGHT, "2 days"), ("1 day", OFF, "rested"),
    ("1 night", DAY, "2 days"), ("1 night", NIGHT, "2 nights"), ("1 night", OFF, "rested"),
    ("2 days", DAY, "3 days"), ("2 days", NIGHT, "3 days"), ("2 days", OFF, "rested"),
    ("2 nights", DAY, "3 days"), ("2 nights", OFF, "rested"),
    ("3 days", OFF, "rested"),
]  # fmt: skip
"""Four days have one off at least, and there are no three nights in a row."""


def roster(nurses: int, days: int, by_day: int, by_night: int) -> Model:
    """Shifts of nurses, so many on duty by day and by night."""
    m = Model("roster")
    x = m.intvar(DAY, OFF, shape=(nurses, days), name="x")
    states = {state for state, _, _ in REST}
    m += [Regular(line, REST, "rested", states) for line in x]
    m += [GlobalCardinality(column, [DAY, NIGHT], [by_day, by_night]) for column in x.T]
    return m


OPTIONS = np.array([
    [1, 0, 0, 0, 1, 1],
    [0, 0, 1, 1, 0, 1],
    [1, 0, 0, 0, 1, 0],
    [1, 1, 0, 1, 0, 0],
    [0, 0, 1, 0, 0, 0],
])  # fmt: skip
"""By option and class."""

WINDOWS = ((1, 2), (2, 3), (1, 3), (2, 5), (1, 5))


def cars(demand: Sequence[int], options: np.ndarray, windows: Sequence[tuple[int, int]]) -> Model:
    """Classes of cars on a line: of so many in a row, so many at most have an option."""
    m = Model("cars")
    many = sum(demand)
    x = m.intvar(0, len(demand) - 1, shape=many, name="x")
    m += GlobalCardinality(x, range(len(demand)), demand)
    for has, (most, window) in zip(options, windows, strict=True):
        fitted = element(has, x)
        m += [fitted[k : k + window].sum() <= most for k in range(many - window + 1)]
    return m


INSTANCES = (
    Instance(
        "nonogram, hen",
        lambda: nonogram(HEN_ROWS, HEN_COLUMNS),
        "Ninety-Nine Prolog Problems, 98",
        1,
        exact=BOTH,
    ),
    Instance(
        "roster of 7 nurses",
        lambda: roster(7, 10, 3, 2),
        "MiniZinc handbook, regular",
        slow=("solve",),
        exact=("cpsat",),
    ),
    Instance(
        "roster of 6 nurses", lambda: roster(6, 10, 3, 2), "18 of 20 shifts of 4 days", 0, asked=("solve",)
    ),
    Instance(
        "cars", lambda: cars((1, 1, 2, 2, 2, 2), OPTIONS, WINDOWS), "CSPLib 1, 10 cars: 6", 6, exact=ALL
    ),
)
