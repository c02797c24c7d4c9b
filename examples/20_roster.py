"""A roster: shifts by an automaton, soft constraints, fairness, and the cost of an absence.

python examples/20_roster.py [people, 5 by default]
"""

from __future__ import annotations

import sys

from cpqueens import GlobalCardinality, Grid, Model, Regular, cross_check

SHIFTS = ["off", "early", "late", "night"]
STEPS = [
    *(("rest", shift, "day") for shift in ("early", "late")),
    *(("day", shift, "day") for shift in ("early", "late")),
    *((state, "night", "night") for state in ("rest", "day", "night")),
    *((state, "off", "rest") for state in ("rest", "day", "night")),
]
"""State, shift, next state: after a night there is no early and no late shift."""
WISHES = [(0, 5, "off", 3), (0, 6, "off", 3), (1, 2, "night", 1), (2, 6, "off", 3), (3, 0, "early", 1),
          (4, 5, "off", 3), (4, 6, "early", 2)]  # fmt: skip
"""Person, day, shift, and the weight of this soft constraint."""


def roster(people: int = 5, days: int = 7) -> Model:
    """Return the roster: after a night comes a night or a day off, and nobody works six days in a row."""
    m = Model("roster", view=Grid("shift"))
    shift = m.var(SHIFTS, shape=(people, days), name="shift")
    works = shift != "off"
    for person in range(people):
        m.add(Regular(shift[person], STEPS, "rest", ["rest", "day", "night"]), name="rest after a night")
        for first in range(days - 5):
            m.add(works[person, first : first + 6].sum() <= 5, name="at most five days in a row")
    for day in range(days):
        m.add(GlobalCardinality(shift[:, day], ["early", "late", "night"], [2, 1, 1]), name="staff")
    for person, day, wish, weight in WISHES:
        if person < people and day < days:
            m.add_soft(shift[person, day] == wish, weight=weight, name=f"person {person}, day {day}: {wish}")
    nights = (shift == "night").sum(axis=1)
    m.minimize(10 * m.penalties + nights.max() - nights.min())
    return m


def main(people: int = 5) -> int:
    """Solve it, compute the cost of an absence, and compare two solvers."""
    m = roster(people)
    outcome = m.solve(solver="cpsat", time_limit=20)
    print(
        f"{outcome.status}, cost {outcome.objective}; not met: {[wish.name for wish in outcome.violated]}\n"
    )
    print(outcome.solution)

    absent = m.copy()
    absent.add(absent["shift"][1, 4:6] == "off", name="person 1 is away on days 4 and 5")
    cost = absent.solve(solver="cpsat", time_limit=20).objective
    print(f"\nwith person 1 away on days 4 and 5 it costs {cost}")

    report = cross_check(roster(people, days=4), ["cpsat", "backtracking", "local-search"], time_limit=3)
    print(f"\n{report}")
    return report.exit_code


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2])))
