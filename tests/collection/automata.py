"""Rows that an automaton reads: a nonogram, a roster of nurses; and cars whose options come in windows."""

from __future__ import annotations

from cpqueens.models.car_sequencing import car_sequencing
from cpqueens.models.nonogram import nonogram

from collection.instance import ALL, BOTH, Instance
from cpqueens import GlobalCardinality, Model, Regular

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


INSTANCES = (
    Instance(
        "nonogram, hen",
        nonogram,
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
    Instance("cars", car_sequencing, "CSPLib 1, 10 cars: 6", 6, exact=ALL),
)
