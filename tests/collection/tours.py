"""Tours: of a knight, of a salesman, of several vehicles."""

from __future__ import annotations

from itertools import product

import numpy as np

from collection.instance import Instance
from cpqueens import Circuit, Model, element

KNIGHT = [(a, b) for a, b in product((-2, -1, 1, 2), repeat=2) if abs(a) != abs(b)]

GR17 = """
    0
    633 0
    257 390 0
    91 661 228 0
    412 227 169 383 0
    150 488 112 120 267 0
    80 572 196 77 351 63 0
    134 530 154 105 309 34 29 0
    259 555 372 175 338 264 232 249 0
    505 289 262 476 196 360 444 402 495 0
    353 282 110 324 61 208 292 250 352 154 0
    324 638 437 240 421 329 297 314 95 578 435 0
    70 567 191 27 346 83 47 68 189 439 287 254 0
    211 466 74 182 243 105 150 108 326 336 184 391 145 0
    268 420 53 239 199 123 207 165 383 240 140 448 202 57 0
    246 745 472 237 528 364 332 349 202 685 542 157 289 426 483 0
    121 518 142 84 297 35 29 36 236 390 238 301 55 96 153 336 0
"""

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


def salesman(distances: str) -> Model:
    """The shortest tour, by the lower half of the distances."""
    rows = [[int(d) for d in line.split()] for line in distances.strip().splitlines()]
    n = len(rows)
    table = [[rows[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]
    m = Model("travelling salesman")
    x = m.intvar(0, n - 1, shape=n, name="x")
    m.add(Circuit(x))
    m.minimize(sum(element(table[i], x[i]) for i in range(n)))
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
    Instance("travelling salesman, gr17", lambda: salesman(GR17), "TSPLIB", optimum=2085),
    Instance(
        "two rounds to eight customers", lambda: vehicles(PLACES, DEMANDS, 2, 15),
        "computed: Held and Karp's recursion on every split", optimum=3104, slow=("optimise",),
    ),
)  # fmt: skip
