"""Tours: of a knight, of a salesman, of several vehicles."""

from __future__ import annotations

from itertools import product

import numpy as np
from cpqueens.models.travelling_salesman import travelling_salesman

from collection.instance import Instance
from cpqueens import Circuit, Model, element

KNIGHT = [(a, b) for a, b in product((-2, -1, 1, 2), repeat=2) if abs(a) != abs(b)]

PLACES = ((4, 4), (2, 0), (8, 0), (0, 1), (1, 1), (5, 2), (7, 2), (3, 3), (6, 3))
DEMANDS = (0, 1, 1, 2, 4, 2, 4, 8, 8)
"""Half of the city of the OR-Tools guides: depot and customers at corners of blocks of 114 by 80 metres."""


def knights_tours(n: int, closed: bool) -> Model:
    """Tours of a knight in both directions; an open one goes on to a node beside the board."""
    m = Model("knight's tours")
    squares = list(product(range(n), repeat=2))
    number = {square: k for k, square in enumerate(squares)}
    x = []
    for r, c in squares:
        near = [number[r + a, c + b] for a, b in KNIGHT if (r + a, c + b) in number]
        x.append(m.intvar(domain=near if closed else [*near, n * n], name=f"x{r}{c}"))
    m.add(Circuit(x if closed else [*x, m.intvar(0, n * n - 1, name="first")]))
    return m


def vehicles(places: tuple[tuple[int, int], ...], demands: tuple[int, ...], many: int, room: int) -> Model:
    """The shortest rounds of vehicles from a depot: one tour that passes it once for each vehicle.

    ``load[k]`` is what has been delivered once node k is left; streets run along two axes.
    """
    points = np.array([places[0]] * (many - 1) + list(places))
    wanted = np.array([0] * (many - 1) + list(demands))
    n = len(points)
    apart = abs(points[:, None] - points) @ [114, 80]
    m = Model("vehicle routing")
    x = m.intvar(0, n - 1, shape=n, name="next")
    load = m.intvar(wanted, np.where(wanted, room, 0), shape=n, name="load")
    m.add(Circuit(x))
    for i, j in product(range(n), range(many, n)):
        if i != j:
            m.add((x[i] == j).implies(load[j] == load[i] + wanted[j]))
    m.minimize(sum(element(apart[i], x[i]) for i in range(n)))
    return m


INSTANCES = (
    Instance("knight's tours, 4 by 4", lambda: knights_tours(4, True), "Schwenk 1991", 0),
    Instance("knight's tour, 6 by 6", lambda: knights_tours(6, True), "Euler 1759", asked=("solve",)),
    Instance(
        "open knight's tours, 5 by 5", lambda: knights_tours(5, False), "OEIS A165134", 1728,
        slow=("enumerate", "count"),
    ),
    Instance("travelling salesman, gr17", lambda: travelling_salesman("gr17"), "TSPLIB", optimum=2085),
    Instance(
        "two rounds to eight customers", lambda: vehicles(PLACES, DEMANDS, 2, 15),
        "computed: Held and Karp's recursion on every split", optimum=3104, slow=("optimise",),
    ),
)  # fmt: skip
