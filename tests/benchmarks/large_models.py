"""Models that are too large to prove: published instances, and generated ones of known kinds."""

from __future__ import annotations

import random
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.append(str(Path(__file__).parents[1]))

from collection.schedules import job_shop

from cpqueens import AllDifferent, Circuit, Model, element, maximum

SHOPS = Path(__file__).with_name("job_shops.txt")
Matrix = NDArray[np.int64]
Graph = tuple[int, list[tuple[int, int]]]


Jobs = tuple[tuple[tuple[int, int], ...], ...]
"""Of each job its tasks: machine and duration."""


def shop(name: str) -> Model:
    """Return a job shop of ``job_shops.txt``, where the source is named."""
    jobs = jobs_of(name)
    return job_shop(jobs, horizon_of(jobs))


def horizon_of(jobs: Jobs) -> int:
    """Return when all tasks have ended, one after the other."""
    return sum(d for job in jobs for _, d in job)


def jobs_of(name: str) -> Jobs:
    """Return the jobs of a job shop of ``job_shops.txt``."""
    jobs: list[tuple[tuple[int, int], ...]] = []
    reading = False
    for line in SHOPS.read_text(encoding="utf-8").splitlines():
        if line[0].isalpha():
            reading = line.split()[0] == name
        elif reading:
            numbers = list(map(int, line.split()))
            jobs.append(tuple(zip(numbers[::2], numbers[1::2], strict=True)))
    return tuple(jobs)


def queen_graph(n: int) -> Graph:
    """Return which squares a queen can go between."""
    places = [divmod(a, n) for a in range(n * n)]
    edges = [
        (a, b) for a, b in combinations(range(n * n), 2)
        if places[a][0] == places[b][0] or places[a][1] == places[b][1]
        or abs(places[a][0] - places[b][0]) == abs(places[a][1] - places[b][1])
    ]  # fmt: skip
    return n * n, edges


def flat_graph(vertices: int, colours: int) -> Graph:
    """Return a random graph of density a half between equal classes, so that many colours are enough."""
    draw = random.Random(colours)
    classes = [v % colours for v in range(vertices)]
    draw.shuffle(classes)
    pairs = combinations(range(vertices), 2)
    return vertices, [(a, b) for a, b in pairs if classes[a] != classes[b] and draw.random() < 0.5]


def colouring(graph: Graph, most: int) -> Model:
    """Return that neighbours have different colours, with as few as possible."""
    vertices, edges = graph
    m = Model()
    colour = m.intvar(1, most, shape=vertices, name="colour")
    m.add([colour[a] != colour[b] for a, b in edges])
    m.minimize(maximum(colour))
    return m


def assignment_numbers(size: int) -> tuple[Matrix, Matrix]:
    """Return random flows, of each pair once, and distances on a grid."""
    draw = np.random.default_rng(size)
    flow = np.triu(draw.integers(0, 10, (size, size)) * (draw.random((size, size)) < 0.4), 1)
    at = [divmod(k, 5) for k in range(size)]
    return flow, np.array([[abs(a - c) + abs(b - d) for c, d in at] for a, b in at])


def assignment(size: int) -> Model:
    """Return a quadratic assignment of these numbers."""
    flow, distances = assignment_numbers(size)
    distance = distances.ravel().tolist()
    m = Model()
    place = m.intvar(0, size - 1, shape=size, name="place")
    m.add(AllDifferent(place))
    pairs = np.argwhere(flow).tolist()
    m.minimize(sum(int(flow[i, j]) * element(distance, size * place[i] + place[j]) for i, j in pairs))
    return m


def distances(cities: int) -> Matrix:
    """Return the distances of random points in a square."""
    draw = np.random.default_rng(cities)
    points = draw.integers(0, 1000, (cities, 2))
    return np.rint(np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))).astype(int)


def tour(cities: int) -> Model:
    """Return a shortest tour of such points, over successors."""
    distance = distances(cities)
    m = Model()
    following = m.intvar(0, cities - 1, shape=cities, name="following")
    m.add(Circuit(following))
    m.minimize(sum(element(distance[k].tolist(), following[k]) for k in range(cities)))
    return m


RULES = ((1, 2), (2, 3), (1, 3), (2, 5), (1, 5))
"""Of each option of cars how many of how many in a row may have it."""


def car_kinds(number: int, seed: int) -> tuple[list[tuple[int, ...]], list[int]]:
    """Return kinds of cars by their options, and how many of each; some sequence of them is known."""
    draw = random.Random(seed)
    known: list[tuple[int, ...]] = []
    for k in range(number):
        options = []
        for o, (p, q) in enumerate(RULES):
            recent = sum(known[j][o] for j in range(max(0, k - q + 1), k))
            options.append(int(recent < p and draw.random() < 0.8))
        known.append(tuple(options))
    kinds = sorted(set(known))
    return kinds, [known.count(one) for one in kinds]


def cars(number: int, seed: int) -> Model:
    """Return a sequence of cars, of each option at most p in q in a row."""
    kinds, counts = car_kinds(number, seed)
    m = Model()
    kind = m.intvar(0, len(kinds) - 1, shape=number, name="kind")
    for index, count in enumerate(counts):
        m.add((kind == index).sum() == count)
    for o, (p, q) in enumerate(RULES):
        has = [element([one[o] for one in kinds], kind[k]) for k in range(number)]
        m.add([sum(has[k : k + q]) <= p for k in range(number - q + 1)])
    return m
