"""The bound of tours with costs, against all assignments and all tours."""

import random
from itertools import pairwise, permutations
from typing import Any

import numpy as np
from each import each
from propagation import Bench, Strength, random_domains

from cpqueens import AllDifferent, Circuit, Model, element
from cpqueens.backends.backtracking.memory import build_memory
from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.apart import KINDS
from cpqueens.kernels.exact.domains import Memory
from cpqueens.kernels.exact.propagators import tour_bound as kernel
from cpqueens.lowered.forms import ModelForm, compile_model

NODES = 5


def is_tour(row: tuple[int, ...]) -> bool:
    seen, at_node = set(), 0
    while at_node not in seen and 0 <= at_node < len(row):
        seen.add(at_node)
        at_node = row[at_node]
    return len(seen) == len(row) and at_node == 0


def bounded_tour(m: Memory, p: int) -> int:
    """Run the propagator, for circuits alone: of other assignments it claims nothing."""
    alive = int(kernel.tour_bound.plain(m, p))
    values = tuple(int(m.x[v * at.X_WIDTH + at.LOW]) for v in range(NODES))
    fixed = all(values[v] == m.x[v * at.X_WIDTH + at.HIGH] for v in range(NODES))
    return alive if not fixed or is_tour(values) else 0


@each("seed", range(8))
def test_no_tour_is_lost_that_is_cheap_enough(seed: int) -> None:
    source = random.Random(seed)
    costs = [[source.randint(-2, 9) for _ in range(NODES)] for _ in range(NODES)]
    if seed % 2:  # where both directions cost the same
        costs = [[costs[max(i, j)][min(i, j)] for j in range(NODES)] for i in range(NODES)]
    domains = random_domains(source, [(0, NODES - 1)] * NODES)
    constant, weight = source.randint(-25, 0), source.choice([-2, -1, 1, 3])

    def meaning(row: tuple[int, ...]) -> bool:
        if not is_tour(row[:NODES]):
            return False
        return sum(costs[i][row[i]] for i in range(NODES)) + weight * row[NODES] + constant <= 0

    flat = [kernel.SCALE * cost for row in costs for cost in row]
    data = [NODES, -1, *[0] * (kernel.ROOM * NODES), *flat, *[0] * (2 * NODES * NODES)]
    bench = Bench(
        bounded_tour, [*domains, [0, 1, 2, 3]], meaning, coefficients=[*[1] * NODES, weight],
        constant=constant, data=data,
    )  # fmt: skip
    bench.walk(source, Strength.SOUND, steps=8)


def shortest(costs: Any) -> int:
    nodes = range(1, len(costs))
    rounds = ((0, *row, 0) for row in permutations(nodes))
    return min(sum(int(costs[a][b]) for a, b in pairwise(row)) for row in rounds)


def trip(costs: Any, form: str) -> Model:
    """Return the shortest tour in one of the forms in which people write it."""
    n = len(costs)
    m = Model()
    x = m.intvar(1, n, shape=n, name="x") if form == "from one" else m.intvar(0, n - 1, shape=n, name="x")
    m += Circuit(x - 1 if form == "from one" else x)
    if form == "from one":
        arcs = sum(element([0, *costs[k]], x[k]) for k in range(n))
    elif form == "one table":
        arcs = sum(element(costs.reshape(-1), n * k + x[k]) for k in range(n))
    else:
        arcs = sum(element(costs[k], x[k]) for k in range(n))
    if form == "total":
        total = m.intvar(0, 10**6, name="total")
        m.add(total == arcs)
        m.minimize(total)
    elif form == "longest":
        m.maximize(-2 * arcs)
    else:
        m.minimize(3 * arcs + 1)
    return m


@each("form", ["plain", "from one", "one table", "total", "longest"])
def test_it_is_found_in_what_people_write(form: str) -> None:
    costs = np.random.default_rng(1).integers(1, 30, (6, 6))
    m = trip(costs, form)
    compiled = compile_model(m, ModelForm(takes=lambda c: c.kind == "Circuit"))
    memory, _ = build_memory(compiled, False)
    records = memory.net[: memory.net[at.START]].reshape(-1, at.P_WIDTH)
    assert KINDS["tour_bound"] in records[:, at.KIND]
    factor, constant = {"total": (1, 0), "longest": (-2, 0)}.get(form, (3, 1))
    assert m.solve(solver="backtracking").objective == factor * shortest(costs) + constant


def test_without_a_circuit_there_is_none() -> None:
    m = Model()
    x = m.intvar(0, 5, shape=6, name="x")
    m += AllDifferent(x)
    m.minimize(sum(element([k, 3, 1, 4, 1, 5], x[k]) for k in range(6)))
    memory, _ = build_memory(compile_model(m), False)
    assert KINDS["tour_bound"] not in memory.net[: memory.net[at.START]].reshape(-1, at.P_WIDTH)[:, at.KIND]


def test_a_tour_is_proved_in_few_nodes() -> None:
    """Of nine places; without the bound it takes some hundreds of nodes, by adding up cheapest arcs."""
    points = np.random.default_rng(4).integers(0, 99, (9, 2))
    costs = abs(points[:, None] - points).sum(axis=2)
    outcome = trip(costs, "plain").solve(solver="backtracking", step_limit=60)
    assert outcome.complete
    assert outcome.objective == trip(costs, "plain").solve(solver="cpsat").objective
