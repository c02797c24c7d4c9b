"""The lowered form that local search compiles: variables, terms, definitions, constraints.

Nodes are numbered 0 .. n-1 for the decision variables and n + d for definition d, in order of evaluation.
A term is a linear combination of nodes plus a constant; terms are numbered and stored in CSR arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


class Kind(IntEnum):
    """Kinds of constraints."""

    ALL_DIFFERENT = 0
    LINEAR = 1
    CLAUSE = 2
    TABLE = 3
    COUNT = 4


class Function(IntEnum):
    """Kinds of definitions; the numbers are those of the kernels."""

    ABS = 0
    PRODUCT = 1
    QUOTIENT = 2
    REMAINDER = 3
    MINIMUM = 4
    MAXIMUM = 5
    ELEMENT = 6
    TRUTH = 8
    QUOTIENT_TRUNCATED = 13
    REMAINDER_TRUNCATED = 14


@dataclass(frozen=True)
class Constraint:
    """A constraint of the kernel core over the terms ``terms`` (their numbers).

    Parameters
    ----------
    kind
        Which one. LINEAR has one term, compared with 0; COUNT has the counted terms and last the bound.
    relation
        ``==``, ``!=``, ``<=``, ``<``, ``>=`` or ``>`` for LINEAR and COUNT.
    value
        COUNT: the value that is counted.
    rows
        TABLE: int64 of shape (rows, terms).
    name
        What a report calls it.
    """

    kind: Kind
    terms: Ints
    relation: str = "=="
    value: int = 0
    rows: Any = None
    name: str = ""


@dataclass(frozen=True)
class Definition:
    """The value of ``function`` of terms; a TRUTH holds the constraint whose truth it is.

    ELEMENT has the index first; either the other terms are the array, or ``table`` holds constants.
    """

    function: Function
    terms: Ints
    table: Any = None
    truth: Constraint | None = None


@dataclass(frozen=True)
class Terms:
    """Linear combinations: term t is constants[t] + sum of coefficients * nodes over start[t]:start[t+1]."""

    start: Ints
    nodes: Ints
    coefficients: Ints
    constants: Ints

    def __len__(self) -> int:
        return len(self.constants)


@dataclass(frozen=True)
class Problem:
    """What local search is given.

    ``objective`` is a term to be minimised, or None; then the last constraint is ``objective <= limit``,
    whose limit a search lowers with each solution.
    """

    lower: Ints
    upper: Ints
    terms: Terms
    constraints: tuple[Constraint, ...]
    definitions: tuple[Definition, ...] = ()
    domains: Mapping[int, Ints] = field(default_factory=dict)
    objective: int | None = None

    @property
    def size(self) -> int:
        """Number of decision variables."""
        return len(self.lower)


class Builder:
    """Collects terms, definitions and constraints into a `Problem`; terms may be added in blocks."""

    def __init__(self, lower: Any, upper: Any, domains: Mapping[int, Ints] | None = None) -> None:
        self.lower = np.asarray(lower, dtype=np.int64)
        self.upper = np.asarray(upper, dtype=np.int64)
        self.domains = dict(domains or {})
        self.blocks: list[tuple[Ints, Ints, Ints, Ints]] = []  # lengths, nodes, coefficients, constants
        self.count = 0
        self.constraints: list[Constraint] = []
        self.definitions: list[Definition] = []

    def add_terms(self, nodes: Any, coefficients: Any, constants: Any) -> Ints:
        """Add one term per row of ``nodes`` and ``coefficients`` (rows, width); return their numbers.

        Zero coefficients are dropped. Nodes may repeat within a row.
        """
        nodes = np.atleast_2d(np.asarray(nodes, dtype=np.int64))
        coefficients = np.broadcast_to(np.asarray(coefficients, dtype=np.int64), nodes.shape)
        used = coefficients != 0
        constants = np.broadcast_to(np.asarray(constants, dtype=np.int64), nodes.shape[:1])
        self.blocks.append((used.sum(axis=1), nodes[used], coefficients[used], constants))
        first = self.count
        self.count += len(nodes)
        return np.arange(first, self.count)

    def add_rows(self, lengths: Any, nodes: Any, coefficients: Any, constants: Any) -> Ints:
        """Add terms given as compressed rows; return their numbers."""
        parts = [np.asarray(p, dtype=np.int64) for p in (lengths, nodes, coefficients, constants)]
        self.blocks.append((parts[0], parts[1], parts[2], parts[3]))
        first = self.count
        self.count += len(parts[0])
        return np.arange(first, self.count)

    def add(self, kind: Kind, terms: Any, **options: Any) -> None:
        """Add a constraint over the terms numbered ``terms``."""
        self.constraints.append(Constraint(kind, np.asarray(terms, dtype=np.int64), **options))

    def define(self, function: Function, terms: Any, **options: Any) -> int:
        """Add a definition; return its node."""
        self.definitions.append(Definition(function, np.asarray(terms, dtype=np.int64), **options))
        return len(self.lower) + len(self.definitions) - 1

    def build(self, objective: int | None = None) -> Problem:
        """Return the problem."""
        empty = np.zeros(0, dtype=np.int64)
        blocks = self.blocks or [(empty, empty, empty, empty)]
        lengths, nodes, coefficients, constants = (np.concatenate(part) for part in zip(*blocks, strict=True))
        start = np.zeros(len(lengths) + 1, dtype=np.int64)
        np.cumsum(lengths, out=start[1:])
        terms = Terms(start, nodes, coefficients, constants)
        return Problem(
            self.lower,
            self.upper,
            terms,
            tuple(self.constraints),
            tuple(self.definitions),
            self.domains,
            objective,
        )
