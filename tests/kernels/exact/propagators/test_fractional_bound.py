"""The bound of a row and the objective where variables may be fractions, against all assignments."""

import random
from collections.abc import Callable
from typing import Any

from each import each
from propagation import Bench, Strength, random_domains

from cpqueens import Model
from cpqueens.backends.backtracking.wholes.bounds import add_fractional_bounds
from cpqueens.backends.backtracking.wholes.parts import Propagator
from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.propagators.fractional_bound import fractional_bound
from cpqueens.lowered.compiled import EQ, GE, LE

HOLDS = {LE: lambda value: value <= 0, GE: lambda value: value >= 0, EQ: lambda value: value == 0}


class Ends:
    """Takes propagators for variables with these domains."""

    def __init__(self, domains: list[list[int]]) -> None:
        self.domains = domains
        self.taken: list[Propagator] = []

    def bounds(self, variable: int) -> tuple[int, int]:
        return self.domains[variable][0], self.domains[variable][-1]

    def propagator(self, own: Propagator) -> None:
        self.taken.append(own)


def value(row: tuple[int, ...], coefficients: list[int], constant: int) -> int:
    return constant + sum(a * w for a, w in zip(coefficients, row, strict=True))


def data_behind(own: Propagator, constant: int) -> Callable[[int], list[int]]:
    """Return the numbers with a record of the objective behind them, which has its constant alone."""

    def data(begin: int) -> list[int]:
        objective = begin + len(own.numbers)
        record = [0] * at.P_WIDTH
        record[at.CONSTANT] = constant
        return [int(own.numbers[0]), objective, *map(int, own.numbers[2:]), *record]

    return data


@each("seed", range(30))
def test_nothing_is_lost_that_is_good_enough(seed: int) -> None:
    source = random.Random(seed)
    domains = random_domains(source, [(-1, 2)] * 5)
    weights = [source.choice([1, 2, 3, 5, -2]) for _ in domains]
    costs = [source.choice([-4, -3, -2, -1, 0, 2]) for _ in domains]
    constant, bound = source.randint(-9, 2), source.randint(0, 12)
    relation = source.choice([LE, GE, EQ])
    everyone = tuple(range(5))
    parts: Any = Ends(domains)
    add_fractional_bounds(
        [((everyone, tuple(weights), constant), relation)], (everyone, tuple(costs), bound), 0, parts
    )

    def meaning(row: tuple[int, ...]) -> bool:
        return HOLDS[relation](value(row, weights, constant)) and value(row, costs, bound) <= 0

    def undecided(row: tuple[int, ...]) -> bool:  # what one of both directions of an equation means
        return own_sign * value(row, weights, constant) <= 0 and value(row, costs, bound) <= 0

    for own in parts.taken:
        own_sign = 1 if list(own.coefficients)[own.variables.index(0)] == weights[0] else -1
        bench = Bench(
            fractional_bound, domains, undecided, coefficients=own.coefficients, constant=own.constant,
            data=data_behind(own, bound), arguments=own.variables,
        )  # fmt: skip
        assert all(undecided(row) for row in bench.solutions.tolist() if meaning(tuple(row)))
        bench.walk(source, Strength.SOUND)


def test_a_knapsack_is_proved_in_few_nodes() -> None:
    """Of 16 things whose densities lie near each other; without the bound some 2,000 nodes."""
    draw = random.Random(3)
    weights = [draw.randint(30, 100) for _ in range(16)]
    profits = [w + draw.randint(0, 10) for w in weights]
    m = Model()
    x = m.boolvar(shape=16, name="x")
    m.add(x @ weights <= sum(weights) // 2)
    m.maximize(x @ profits)
    outcome = m.solve(solver="backtracking", step_limit=300)
    assert outcome.status.name == "OPTIMAL"
    assert outcome.objective == m.solve(solver="cpsat").objective
