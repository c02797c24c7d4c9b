"""Lowered problems built by hand: queens, Costas arrays, magic squares, all-interval series, random ones."""

from __future__ import annotations

import random as stdlib_random
from typing import Any

import numpy as np

from cpqueens.backends.local_search.problem import Builder, Constraint, Function, Kind, Problem


def queens(n: int, rows: bool = True) -> Problem:
    b = Builder(np.zeros(n), np.full(n, n - 1))
    i = np.arange(n)
    for slope in (0, 1, -1) if rows else (1, -1):
        b.add(Kind.ALL_DIFFERENT, b.add_terms(i[:, None], 1, slope * i))
    return b.build()


def costas(n: int) -> Problem:
    b = Builder(np.zeros(n), np.full(n, n - 1))
    b.add(Kind.ALL_DIFFERENT, b.add_terms(np.arange(n)[:, None], 1, 0))
    for d in range(1, n - 1):
        i = np.arange(n - d)
        b.add(Kind.ALL_DIFFERENT, b.add_terms(np.stack([i + d, i], axis=1), [[1, -1]], 0))
    return b.build()


def magic(n: int) -> Problem:
    b = Builder(np.ones(n * n), np.full(n * n, n * n))
    b.add(Kind.ALL_DIFFERENT, b.add_terms(np.arange(n * n)[:, None], 1, 0))
    square = np.arange(n * n).reshape(n, n)
    total = n * (n * n + 1) // 2
    lines = [*square, *square.T, square.diagonal(), square[:, ::-1].diagonal()]
    for line in lines:
        b.add(Kind.LINEAR, b.add_terms(line[None, :], 1, -total))
    return b.build()


def all_interval(n: int) -> Problem:
    b = Builder(np.zeros(n), np.full(n, n - 1))
    b.add(Kind.ALL_DIFFERENT, b.add_terms(np.arange(n)[:, None], 1, 0))
    i = np.arange(n - 1)
    differences = b.add_terms(np.stack([i + 1, i], axis=1), [[1, -1]], 0)
    nodes = np.array([b.define(Function.ABS, [t]) for t in differences])
    b.add(Kind.ALL_DIFFERENT, b.add_terms(nodes[:, None], 1, 0))
    return b.build()


def mixed(n: int) -> Problem:
    """A permutation with equal offsets in an AllDifferent, and absolute values inside a linear relation."""
    b = Builder(np.zeros(n), np.full(n, n - 1))
    i = np.arange(n)
    b.add(Kind.ALL_DIFFERENT, b.add_terms(i[:, None], 1, 0))
    b.add(Kind.ALL_DIFFERENT, b.add_terms(i[:, None], 1, i // 2))
    differences = b.add_terms(np.stack([i[1:], i[:-1]], axis=1), [[1, -1]], 0)
    nodes = np.array([b.define(Function.ABS, [t]) for t in differences])
    b.add(Kind.LINEAR, b.add_terms(nodes[None, :], 1, -2 * n))
    return b.build()


_TWO = (
    Function.PRODUCT,
    Function.QUOTIENT,
    Function.REMAINDER,
    Function.QUOTIENT_TRUNCATED,
    Function.REMAINDER_TRUNCATED,
)
_MANY = (Function.MINIMUM, Function.MAXIMUM)


class _Random:
    """Random lowered problems over every kind of constraint and definition."""

    def __init__(self, seed: int) -> None:
        self.r = stdlib_random.Random(seed)
        self.n = self.r.randint(2, 6)
        lower = [self.r.randint(-3, 2) for _ in range(self.n)]
        upper = [a + self.r.randint(0, 5) for a in lower]
        domains = {}
        for v in range(self.n):
            if self.r.random() < 0.3:
                values = range(lower[v], upper[v] + 1)
                kept = sorted(self.r.sample(values, self.r.randint(1, len(values))))
                domains[v] = np.array(kept)
                lower[v], upper[v] = kept[0], kept[-1]
        self.b = Builder(lower, upper, domains)
        self.nodes = self.n

    def term(self, decision_only: bool = False) -> int:
        width = self.r.choice([0, 1, 1, 1, 2, 2, 3])
        top = self.n if decision_only else self.nodes
        nodes = [self.r.randrange(top) for _ in range(width)]
        coefficients = [self.r.choice([-2, -1, 1, 1, 1, 2]) for _ in range(width)]
        if width == 0:
            nodes, coefficients = [0], [0]
        return int(self.b.add_terms([nodes], [coefficients], self.r.randint(-2, 2))[0])

    def constraint(self, kind: Kind) -> dict[str, Any]:
        relation = self.r.choice(["==", "!=", "<=", "<", ">=", ">"])
        size = self.r.randint(1, 4)
        terms = [self.term() for _ in range(size)]
        if kind == Kind.LINEAR:
            return {"kind": kind, "terms": terms[:1], "relation": relation}
        if kind == Kind.COUNT:
            return {
                "kind": kind,
                "terms": [*terms, self.term()],
                "relation": relation,
                "value": self.r.randint(-1, 3),
            }
        if kind == Kind.TABLE:
            rows = [[self.r.randint(-2, 3) for _ in range(size)] for _ in range(self.r.randint(0, 4))]
            return {"kind": kind, "terms": terms, "rows": np.array(rows).reshape(-1, size)}
        return {"kind": kind, "terms": terms}

    def definition(self) -> None:
        function = self.r.choice(list(Function))
        if function == Function.TRUTH:
            options = self.constraint(self.r.choice(list(Kind)))
            options["terms"] = np.array(options["terms"])
            truth = Constraint(**options)
            self.b.define(function, truth.terms, truth=truth)
        elif function == Function.ELEMENT and self.r.random() < 0.5:
            self.b.define(
                function, [self.term()], table=[self.r.randint(-3, 3) for _ in range(self.r.randint(1, 4))]
            )
        else:
            size = 1 if function == Function.ABS else 2 if function in _TWO else self.r.randint(2, 4)
            self.b.define(function, [self.term() for _ in range(size)])
        self.nodes += 1

    def build(self) -> Problem:
        style = self.r.random()
        if style < 0.7:
            for _ in range(self.r.randint(0, 4)):
                self.definition()
        if self.r.random() < 0.5:
            scope = self.r.sample(range(self.n), self.r.randint(2, self.n))
            self.b.add(Kind.ALL_DIFFERENT, self.b.add_terms(np.array(scope)[:, None], 1, 0))
        for _ in range(self.r.randint(1, 5)):
            options = self.constraint(self.r.choice(list(Kind)))
            self.b.add(options.pop("kind"), options.pop("terms"), **options)
        if self.r.random() < 0.6:
            scope = self.r.sample(range(self.n), self.r.randint(2, self.n))
            constants = [self.r.randint(-2, 2) for _ in scope]
            slopes = [[self.r.choice([-1, 1, 2])] for _ in scope]
            self.b.add(Kind.ALL_DIFFERENT, self.b.add_terms(np.array(scope)[:, None], slopes, constants))
            self.b.add(Kind.LINEAR, [self.term(True)], relation=self.r.choice(["==", "!=", "<=", ">"]))
        if self.r.random() < 0.4:
            self.b.add(Kind.ALL_DIFFERENT, [self.term(True) for _ in range(self.r.randint(2, 4))])
        return self.b.build()


def random_problem(seed: int) -> Problem:
    """Return a small random problem; it may have no solution."""
    return _Random(seed).build()
