"""What one pass without a change of mind brings on the models of `bench_heuristics.py`.

Each function returns the values of its model's array in the order of a textbook rule, named in its
docstring, or None where that ends nowhere. The model itself says whether they are a solution and how good.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from bench_collection import knapsack_numbers, roster_wishes
from large_models import RULES, Graph, assignment_numbers, car_kinds, distances, horizon_of, jobs_of

from cpqueens import Model

Values = list[int]


def objective_of(build: Callable[[], Model], name: str, values: Values | None) -> int | bool:
    """Return the objective where the array of this name has these values, and whether they are a solution."""
    if values is None:
        return False
    m = build()
    m.fix(m[name].reshape(-1), values)
    outcome = m.solve(solver="backtracking", time_limit=60)
    if outcome.objective is not None:
        return outcome.objective
    return outcome.solution is not None


def knapsack(size: int) -> Values:
    """Take by value per weight what still fits (Dantzig 1957)."""
    weights, values, room = knapsack_numbers(size)
    taken = [0] * size
    for k in sorted(range(size), key=lambda k: -values[k] / weights[k]):
        if weights[k] <= room:
            room, taken[k] = room - weights[k], 1
    return taken


def roster(nurses: int, days: int, shifts: int) -> Values | None:
    """Give each shift, in turn, those who like it best of those who may still work; who has least first."""
    wishes = roster_wishes(nurses, days, shifts)
    works = np.zeros(wishes.shape, dtype=np.int64)
    for day in range(days):
        for shift in range(shifts):
            may = [
                k for k in range(nurses)
                if not works[k, day].any() and works[k].sum() < 10
                and not (shift == 0 and day and works[k, day - 1, shifts - 1])
            ]  # fmt: skip
            may.sort(key=lambda k: (-wishes[k, day, shift], works[k].sum()))
            if len(may) < nurses // 5:
                return None
            works[may[: nurses // 5], day, shift] = 1
    return [int(v) for v in works.ravel()]


def shop(name: str) -> Values:
    """Start next, as early as it can, a task of the job with most work left (MWKR: Panwalkar, Iskander 1977).

    Schedules are active (Giffler and Thompson 1960): no task waits for one that starts after it could end.
    """
    jobs = jobs_of(name)
    following, ready, free = [0] * len(jobs), [0] * len(jobs), dict.fromkeys(range(horizon_of(jobs)), 0)
    left = [sum(d for _, d in job) for job in jobs]
    start = [[0] * len(job) for job in jobs]
    while any(left):
        earliest = {
            j: max(ready[j], free[job[following[j]][0]])
            for j, job in enumerate(jobs)
            if following[j] < len(job)
        }
        first = min(earliest, key=lambda j: earliest[j] + jobs[j][following[j]][1])
        machine, ends = jobs[first][following[first]][0], earliest[first] + jobs[first][following[first]][1]
        rivals = [j for j in earliest if jobs[j][following[j]][0] == machine and earliest[j] < ends]
        j = max(rivals, key=lambda j: left[j])
        task, duration = following[j], jobs[j][following[j]][1]
        start[j][task] = earliest[j]
        ready[j] = free[machine] = earliest[j] + duration
        following[j], left[j] = task + 1, left[j] - duration
    return [at for of_job in start for at in of_job]


def colouring(graph: Graph, most: int) -> Values | None:
    """Give the vertex with most colours around it the first one that is free (DSATUR: Brelaz 1979)."""
    vertices, edges = graph
    around: list[set[int]] = [set() for _ in range(vertices)]
    beside: list[list[int]] = [[] for _ in range(vertices)]
    for a, b in edges:
        beside[a].append(b)
        beside[b].append(a)
    colour = [0] * vertices
    for _ in range(vertices):
        v = max((v for v in range(vertices) if not colour[v]), key=lambda v: (len(around[v]), len(beside[v])))
        free = [c for c in range(1, most + 1) if c not in around[v]]
        if not free:
            return None
        colour[v] = free[0]
        for w in beside[v]:
            around[w].add(colour[v])
    return colour


def assignment(size: int) -> Values:
    """Put who has most flow with those who are placed where that costs least."""
    flow, distance = assignment_numbers(size)
    flow = flow + flow.T
    place = {int(flow.sum(axis=1).argmax()): int(distance.sum(axis=1).argmin())}
    while len(place) < size:
        those = list(place)
        one = max((k for k in range(size) if k not in place), key=lambda k: int(flow[k, those].sum()))
        free = [at for at in range(size) if at not in place.values()]
        place[one] = min(free, key=lambda at: sum(int(flow[one, k] * distance[at, place[k]]) for k in those))
    return [place[k] for k in range(size)]


def tour(cities: int) -> Values:
    """Go to the nearest city that is left, from the best of all first ones."""
    distance = distances(cities)
    best: tuple[int, Values] | None = None
    for first in range(cities):
        order, left = [first], set(range(cities)) - {first}
        while left:
            order.append(min(left, key=lambda k: (int(distance[order[-1], k]), k)))
            left.remove(order[-1])
        following, length = [0] * cities, 0
        for a, b in zip(order, [*order[1:], first], strict=True):
            following[a] = b
            length += int(distance[a, b])
        best = min(best or (length, following), (length, following))
    return best[1] if best else []


def cars(number: int, seed: int) -> Values | None:
    """Of the kinds that fit next take the one whose options are most in demand (Gottlieb et al. 2003)."""
    kinds, counts = car_kinds(number, seed)
    left = list(counts)
    sequence: Values = []
    for at in range(number):
        full = {
            o
            for o, (p, q) in enumerate(RULES)
            if sum(kinds[k][o] for k in sequence[max(0, at - q + 1) :]) >= p
        }
        demand = [
            sum(n * one[o] for n, one in zip(left, kinds, strict=True)) * q / p / (number - at)
            for o, (p, q) in enumerate(RULES)
        ]
        possible = [
            (sum(d for d, has in zip(demand, one, strict=True) if has), kind)
            for kind, one in enumerate(kinds)
            if left[kind] and not any(one[o] for o in full)
        ]
        if not possible:
            return None
        kind = max(possible)[1]
        sequence.append(kind)
        left[kind] -= 1
    return sequence
