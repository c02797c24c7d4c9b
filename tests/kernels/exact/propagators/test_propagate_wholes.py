"""Propagators of whole constraints, each laid out as the engine does it, against the constraint's meaning."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from each import each
from propagation import Bench, Strength, random_domains
from seeds import sweep

from cpqueens import ANY, Circuit, Cumulative, Model, NegativeTable, NoOverlap, Regular, SubCircuit, Table
from cpqueens.backends.backtracking.wholes.parts import Propagator
from cpqueens.backends.backtracking.wholes.registry import WHOLES, table_propagator
from cpqueens.kernels.exact.apart import KINDS, entry_of
from cpqueens.language.expressions import LinearArray


class Caught:
    """Parts of a network that keep one propagator; constants are variables of one value."""

    def __init__(self, domains: list[list[int]]) -> None:
        self.domains = domains
        self.own: list[Propagator] = []

    def variables(self, array: LinearArray) -> list[int]:
        """Return the number of each term, which is a variable or a constant."""
        found = []
        for term in array.reshape(-1):
            if not term.variable_list:
                self.domains.append([int(term.constants.item())])
            found.append(term.variable_list[0] if term.variable_list else len(self.domains) - 1)
        return found

    def bounds(self, variable: int) -> tuple[int, int]:
        """Return the least and the greatest value."""
        return self.domains[variable][0], self.domains[variable][-1]

    def decides_more(self, many: int) -> bool:
        """Say that there is a search for nothing more."""
        return False

    def propagator(self, own: Propagator) -> None:
        """Keep it."""
        self.own.append(own)

    def linear(self, *_: Any) -> None:
        """Leave out what other propagators say."""

    all_different = linear


def rows_of(source: random.Random, width: int, symbols: list[Any]) -> list[tuple[Any, ...]]:
    many = source.choice([1, 3, 10, 40, 100, 150])
    rows = {tuple(source.choice(symbols) for _ in range(width)) for _ in range(many)}
    return sorted(rows, key=str)


Make = Callable[[random.Random, Any, Any], Any]


def table(symbols: list[Any]) -> Make:
    """Return a maker of tables of a random number of rows."""
    return lambda source, x, present: Table(x, rows_of(source, x.size, symbols))


def negative_table(source: random.Random, x: Any, present: Any) -> Any:
    return NegativeTable(x, rows_of(source, x.size, [-1, 0, 1, 2]))


def cumulative(source: random.Random, x: Any, present: Any) -> Any:
    """Return tasks of fixed sizes, or some that may be absent, shorter or smaller."""
    count = max(1, x.size - 2) if source.random() < 0.5 else x.size
    durations = [source.randint(0, 3) for _ in range(count)]
    demands = [source.randint(0, 2) for _ in range(count)]
    if count == x.size:
        return Cumulative(x, durations, demands, source.randint(0, 3))
    here = [*present[:count], *[True] * (count - 2)]
    return Cumulative(x[:count], [x[-1], *durations[1:]], [*demands[1:], x[-2]], source.randint(0, 3), here)


def by_depots(source: random.Random, x: Any, present: Any) -> Any:
    return Circuit(x, source.sample(range(x.size), source.randint(min(2, x.size), x.size)))


def regular(source: random.Random, x: Any, present: Any) -> Any:
    """Return an automaton that may be nondeterministic, and accept nothing but all zeros."""
    states = source.randint(1, 4)
    arcs = [(source.randrange(states), source.randint(0, 3), source.randrange(states)) for _ in range(9)]
    return Regular(x, [*arcs, (0, 0, 0)], 0, [0, source.randrange(states)])


def no_overlap(source: random.Random, x: Any, present: Any) -> Any:
    """Return tasks of fixed durations, or some that may be absent or shorter."""
    if source.random() < 0.5 or x.size < 3:
        return NoOverlap(x, [source.randint(0, 3) for _ in range(x.size)])
    fixed = [source.randint(0, 2) for _ in range(x.size - 2)]
    return NoOverlap(x[:-1], [x[-1], *fixed], [*present[: x.size - 1], *[True] * (x.size - 3)])


@dataclass(frozen=True)
class Case:
    """How to make a constraint over terms and two truths, how many terms it has at most, what is claimed."""

    make: Make
    most: int
    strength: Strength = Strength.SOUND
    truths: bool = False


CASES: dict[str, Case] = {
    "circuit": Case(lambda source, x, present: Circuit(x), 5),
    "circuit by depots": Case(by_depots, 5),
    "cumulative": Case(cumulative, 5, truths=True),
    "negative table": Case(negative_table, 4, Strength.DOMAIN),
    "no overlap": Case(no_overlap, 4, truths=True),
    "regular": Case(regular, 5, Strength.DOMAIN),
    "short table": Case(table([ANY, -1, 0, 1, 2, 3]), 4, Strength.DOMAIN),
    "subcircuit": Case(lambda source, x, present: SubCircuit(x), 5),
    "table": Case(table([-1, 0, 1, 2, 3]), 4, Strength.DOMAIN),
}


def laid_out(constraint: Any, domains: list[list[int]]) -> Propagator:
    """Return the propagator, adding constants to the domains."""
    parts = Caught(domains)
    if constraint.kind == "Table":
        parts.own.append(table_propagator("table", parts.variables(constraint.terms), constraint.rows))
    else:
        WHOLES[constraint.kind].lay_out(constraint, parts)
    (own,) = parts.own
    return own


def bench(case: Case, source: random.Random) -> Bench:
    """Return a random constraint with its propagator."""
    model = Model()
    count = source.randint(1, case.most)
    domains = random_domains(source, [(-(source.random() < 0.2), source.randint(2, 4))] * count)
    domains += random_domains(source, [(0, case.truths)] * 2)
    return laid_bench(case.make(source, model.intvar(-9, 9, shape=count), model.boolvar(shape=2)), domains)


def laid_bench(constraint: Any, domains: list[list[int]]) -> Bench:
    """Return a constraint with its propagator."""
    whole = list(domains)
    own = laid_out(constraint, whole)
    hulls = np.array(list(product(*(range(v[0], v[-1] + 1) for v in domains))), dtype=np.int64)
    solutions = {tuple(row) for row in hulls[constraint.satisfied(hulls)[:, 0]].tolist()}
    return Bench(
        entry_of(KINDS[own.name]),
        whole,
        lambda row: row[: len(domains)] in solutions,
        constant=own.constant,
        data=own.numbers,
        words=own.words,
        arguments=own.variables,
    )


@each("name", CASES)
def test_propagators_prune_what_their_meaning_excludes(name: str) -> None:
    for seed in sweep(10, 25):
        source = random.Random(seed)
        bench(CASES[name], source).walk(source, CASES[name].strength)


Example = tuple[Callable[[Any], Any], list[list[int]], list[list[int]]]


def between(*ends: tuple[int, int]) -> list[list[int]]:
    return [list(range(low, high + 1)) for low, high in ends]


EXAMPLES: dict[str, Example] = {
    "a chain may not close": (
        Circuit,
        [[1], [2], [0, 3, 4], [0, 4], [0, 3]],
        [[1], [2], [3, 4], [0, 4], [0, 3]],
    ),
    "two parts": (Circuit, [[1, 2], [0], [3, 1], [2]], []),
    "one way between branches": (
        Circuit,
        [[1, 3], [2, 0], [0, 1], [4, 1], [3, 2]],
        [[3], [2, 0], [0, 1], [4, 1], [3, 2]],
    ),
    "a chain without a depot may not close": (
        lambda x: Circuit(x, [0, 4]),
        [[1, 2], [2], [0, 1, 3], [0, 2, 4], [4, 3]],
        [[1, 2], [2], [0, 3], [0, 2, 4], [4, 3]],
    ),
    "two depots may not meet": (
        lambda x: Circuit(x, [0, 3]),
        [[1], [0, 2, 3], [0, 1, 3], [0, 2, 3]],
        [[1], [0, 2], [0, 1, 3], [2, 3]],
    ),
    "a chain of two depots": (lambda x: Circuit(x, [0, 3]), [[3], [0, 2], [1, 0], [1, 2]], []),
    "a tour without a depot": (lambda x: Circuit(x, [0, 3]), [[0], [2], [1], [3]], []),
    "a tour with two depots": (lambda x: Circuit(x, [0, 3]), [[3], [2], [1], [0]], []),
    "a tour may leave out": (
        SubCircuit,
        [[1], [2], [0, 3], [3, 0], [4, 0]],
        [[1], [2], [0, 3], [3, 0], [4]],
    ),
    "two tours": (SubCircuit, [[1], [0], [3], [2]], []),
    "a tour may not leave out": (
        SubCircuit,
        [[1], [2], [0, 3, 4], [3, 0], [3, 0]],
        [[1], [2], [3, 4], [3, 0], [3, 0]],
    ),
    "unreached nodes are left out": (
        SubCircuit,
        [[1, 2], [0, 2], [0, 1], [3, 4], [3, 4]],
        [[1, 2], [0, 2], [0, 1], [3], [4]],
    ),
    "not last": (
        lambda x: NoOverlap(x, [5, 3, 2]),
        between((5, 10), (5, 11), (4, 11)),
        between((6, 10), (5, 11), (4, 8)),
    ),
    "detectable precedences": (
        lambda x: NoOverlap(x, [1, 5, 3]),
        between((3, 8), (5, 7), (4, 11)),
        between((3, 5), (5, 7), (4, 11)),
    ),
    "edge finding": (
        lambda x: NoOverlap(x, [4, 3, 3, 3]),
        between((7, 14), (7, 11), (4, 11), (3, 8)),
        between((12, 14), (7, 11), (4, 11), (3, 8)),
    ),
    "a task of no length within another": (lambda x: NoOverlap(x, [3, 0]), [[0], [1]], []),
    "a task of no length demands nothing": (
        lambda x: Cumulative(x[:2], [3, x[2]], 1, 1),
        [[0], [1], [0, 1]],
        [[0], [1], [0]],
    ),
    "durations": (
        lambda x: NoOverlap(x[:2], [x[2], 1]),
        between((0, 1), (4, 5), (1, 9)),
        between((0, 1), (4, 5), (1, 5)),
    ),
    "time table": (
        lambda x: Cumulative(x, [4, 4, 2], 1, 2),
        between((1, 3), (1, 3), (2, 9)),
        between((1, 3), (1, 3), (5, 9)),
    ),
    "energy": (
        lambda x: Cumulative(x, [3, 3, 3, 3, 2], 1, 2),
        between(*[(0, 3)] * 4, (0, 8)),
        between(*[(0, 3)] * 4, (6, 8)),
    ),
    "too much energy": (lambda x: Cumulative(x, 3, 1, 2), between(*[(0, 3)] * 4, (0, 4)), []),
    "forbidden rows in several words": (
        lambda x: NegativeTable(x, [(1, b) for b in range(100)]),
        between((0, 1), (0, 99)),
        between((0, 0), (0, 99)),
    ),
}
"""A constraint, given domains, and what is left of them: nothing where it fails."""


@each("name", EXAMPLES)
def test_what_is_left_of_domains(name: str) -> None:
    make, given, left = EXAMPLES[name]
    found = laid_bench(make(Model().intvar(-9, 99, shape=len(given))), [sorted(values) for values in given])
    assert (found.left()[: len(given)] if found.propagate() else []) == [sorted(values) for values in left]
