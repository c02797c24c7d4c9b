"""A shop: machines to choose from, setup times between colours, an optional order, and a Gantt chart.

python examples/21_shop.py [orders, 6 by default]
"""

from __future__ import annotations

import sys

import numpy as np

from cpqueens import Model, NoOverlap, Schedule, cross_check, maximum

COLOURS = ["white", "red", "black"]
SETUP = np.array([[0, 1, 2], [3, 0, 1], [4, 3, 0]])
"""Time for cleaning a machine, from the colour of the row to that of the column."""
DURATION = np.array([[3, 4], [2, 3], [4, 4], [3, 2], [5, 4], [2, 2], [4, 3], [3, 3]])
"""The duration of each order on each of two machines."""
COLOUR = np.array([0, 1, 2, 0, 1, 2, 0, 1])


def shop(orders: int = 6) -> Model:
    """Return the machine and the start of each order; the last order may be declined, which costs 9."""
    duration, colour = DURATION[:orders], COLOUR[:orders]
    machines = duration.shape[1]
    horizon = int(duration.max(axis=1).sum() + SETUP.max() * orders)
    m = Model("paint shop")
    start = m.intvar(0, horizon, shape=(orders, machines), name="start")
    here = m.boolvar(shape=(orders, machines), name="here")
    done = here.sum(axis=1)
    m.add(done[:-1] == 1, done[-1] <= 1, name="each order on one machine")
    for k in range(machines):
        m.add(
            NoOverlap(start[:, k], duration[:, k], here[:, k], setup=SETUP, types=colour), name=f"machine {k}"
        )
    m.add((~here).implies(start == 0), name="no time for what is not done")
    end = maximum(((start + duration) * here).reshape(-1))
    m.minimize(end + 9 * (1 - done[-1]))
    lanes = tuple(list(range(machines)) * orders)
    m.view = Schedule("start", tuple(duration.ravel().tolist()), lanes, present="here")
    return m


def main(orders: int = 6) -> int:
    """Solve it, draw the chart, and compare two solvers on a part of it."""
    outcome = shop(orders).solve(solver="cpsat", time_limit=20)
    declined = "" if outcome["here"][-1].any() else "; the last order is declined"
    print(f"{outcome.status}, cost {outcome.objective}{declined}\n")
    print(outcome.solution)

    report = cross_check(shop(min(orders, 4)), ["cpsat", "backtracking", "local-search"], time_limit=5)
    print(f"\n{report}")
    return report.exit_code


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2])))
