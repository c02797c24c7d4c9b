"""The travelling salesman's shortest tour (Dantzig, Fulkerson and Johnson 1954)."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from cpqueens import AllDifferent, Circuit, Model, element
from cpqueens.language.views import Tour
from cpqueens.problems.published import Published
from cpqueens.problems.signatures import Between, validated

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


@validated
def travelling_salesman(
    instance: Literal["random", "gr17"] = "random",
    cities: Annotated[int, Between(2, 500)] = 9,
    seed: Annotated[int, Between(0, 2**31)] = 1,
    viewpoint: Literal["successors", "order"] = "successors",
) -> Model:
    """Find the shortest round trip through all cities.

    ``next[k]`` is the city after city k. Random cities lie on a map of 100 by 100, distances are rounded to
    integers; ``gr17`` has 17 cities with their road distances. ``viewpoint="order"`` also decides the city at
    each stop, ``order[stop]``, from city 0 on, in the place of the circuit.

    Source: G. Dantzig, R. Fulkerson and S. Johnson, *Solution of a large-scale traveling-salesman problem*,
    Operations Research 2 (1954); G. Reinelt, *TSPLIB - a traveling salesman problem library*, ORSA Journal on
    Computing 3 (1991).

    >>> travelling_salesman("gr17").solve(solver="cpsat").objective
    2085
    """
    distances, points = roads(instance, cities, seed)
    n = len(distances)
    m = Model("travelling salesman")
    follow = m.intvar(0, n - 1, shape=n, name="next")
    if viewpoint == "order":
        order = m.intvar(0, n - 1, shape=n, name="order")
        m += [AllDifferent(order), order[0] == 0, element(follow, order[:-1]) == order[1:]]
        m += element(follow, order[-1]) == 0
    else:
        m += Circuit(follow)
    m.minimize(sum(element(distances[k], follow[k]) for k in range(n)))
    m.view = Tour("next", points)
    return m


def roads(instance: str, cities: int, seed: int) -> tuple[list[list[int]], tuple[tuple[int, int], ...]]:
    """Return distances, cities by cities, and where the cities are drawn: on a circle if nobody knows."""
    if instance == "gr17":
        rows = [[int(d) for d in line.split()] for line in GR17.split("\n") if line.strip()]
        n = len(rows)
        angles = [2 * math.pi * k / n for k in range(n)]
        circle = tuple((round(50 + 50 * math.sin(a)), round(50 - 50 * math.cos(a))) for a in angles)
        return [[rows[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)], circle
    shuffle = random.Random(seed)
    places = tuple((shuffle.randrange(100), shuffle.randrange(100)) for _ in range(cities))
    return [[round(math.dist(a, b)) for b in places] for a in places], places


published = (Published("optimum", 2085, "TSPLIB, gr17", {"instance": "gr17"}),)


def verify(
    solution: Mapping[str, Any], instance: str, cities: int, seed: int, viewpoint: str = "successors"
) -> list[str]:
    """Return what is wrong with the trip ``solution["next"]``; whether it is the shortest is not judged."""
    follow = [int(city) for city in solution["next"]]
    n = 17 if instance == "gr17" else cities
    at, seen = 0, []
    while 0 <= at < len(follow) and at not in seen:
        seen.append(at)
        at = follow[at]
    if at or not len(seen) == len(follow) == n:
        return [f"the trip from city 0 sees {len(seen)} of {n}"]
    if viewpoint == "order" and [int(city) for city in solution["order"]] != seen:
        return ["the cities in their order are not those of the trip"]
    return []
