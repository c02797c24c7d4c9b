"""Routes: several vehicles from one depot, with capacities and time windows.

python examples/22_routes.py [customers, 6 by default]
"""

from __future__ import annotations

import sys

import numpy as np

from cpqueens import BinPacking, Circuit, Model, Tour, cross_check, element

DEPOT = (5, 5)
CUSTOMERS = [(1, 2), (2, 8), (8, 1), (9, 6), (7, 9), (3, 4), (8, 4), (4, 9), (1, 6)]
DEMAND = [3, 4, 2, 3, 4, 2, 3, 2, 1]
OPENS = [0, 10, 0, 5, 0, 8, 0, 0, 12]
CLOSES = [20, 30, 15, 25, 18, 30, 30, 16, 40]


def routes(customers: int = 6, vehicles: int = 2, capacity: int = 10) -> Model:
    """Return the shortest tours: the first nodes are the depots of the vehicles, then come the customers."""
    points = np.array([DEPOT] * vehicles + CUSTOMERS[:customers])
    distance = np.abs(points[:, None] - points).sum(axis=2)
    nodes, depots = len(points), np.arange(vehicles)

    m = Model("routes", view=Tour("follow", points=tuple((int(x), int(y)) for x, y in points)))
    follow = m.intvar(0, nodes - 1, shape=nodes, name="follow")
    vehicle = m.intvar(0, vehicles - 1, shape=nodes, name="vehicle")
    time = m.intvar(0, [0] * vehicles + CLOSES[:customers], shape=nodes, name="time")
    m.add(Circuit(follow, depots=depots), name="one tour for each vehicle")
    m.add(vehicle[follow] == vehicle, vehicle[:vehicles] == depots, name="a tour is of one vehicle")
    m.add(BinPacking(vehicle[vehicles:], DEMAND[:customers], [capacity] * vehicles, "<="), name="capacity")
    m.add(time[vehicles:] >= OPENS[:customers], name="time windows")
    for i in range(nodes):
        arrives = time[i] + distance[i, vehicles:] <= time[vehicles:]
        m.add((follow[i] == np.arange(vehicles, nodes)).implies(arrives), name="travel takes time")
    m.minimize(sum(element(distance[i], follow[i]) for i in range(nodes)))
    return m


def main(customers: int = 6) -> int:
    """Solve it, print the tours, and compare three solvers on a part of it."""
    outcome = routes(customers).solve(solver="cpsat", time_limit=20)
    print(f"{outcome.status}, length {outcome.objective}, arrivals {outcome['time'].tolist()}\n")
    print(outcome.solution)

    report = cross_check(routes(min(customers, 4)), ["cpsat", "backtracking", "local-search"], time_limit=5)
    print(f"\n{report}")
    return report.exit_code


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2])))
