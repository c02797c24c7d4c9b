"""The oracle: every assignment of the decision variables, judged by a second, separately written meaning.

`cpqueens fuzz` and the tests use it. It imports nothing of the package but these meanings
(`crosscheck.meanings`), so that it cannot share its errors.

It reads the fields of constraints, the arrays of terms and the arguments of definitions, and nothing of
what the package says they mean. Values are Python integers in object arrays wherever 64-bit arithmetic could
come near its limits.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cpqueens.crosscheck.meanings import DEFINITIONS, KINDS

Value = tuple[np.ndarray, np.ndarray]
"""Values over all assignments, and where they are defined."""
CAP = 200_000
LARGE = 2**20


@dataclass(frozen=True)
class Solved:
    """All solutions, sorted, of shape (count, decision variables); the optimum if there is an objective."""

    solutions: np.ndarray
    optimum: int | None
    objectives: np.ndarray | None

    @property
    def count(self) -> int:
        """Number of solutions."""
        return len(self.solutions)

    @property
    def rows(self) -> set[tuple[int, ...]]:
        """The solutions as a set of tuples."""
        return {tuple(row) for row in self.solutions.tolist()}


def solve(model: Any) -> Solved:
    """Return every solution of ``model`` by trying every assignment."""
    grid = assignments(model)
    table = TruthTable(model, grid)
    good = table.accepted()
    solutions = grid[good]
    if model.objective is None:
        return Solved(solutions, None, None)
    values, _ = table.column(_row(model.objective, 0))
    values = values[good]
    best = None if not len(values) else int(values.max() if model.maximizing else values.min())
    return Solved(solutions, best, values)


def penalties(model: Any, grid: np.ndarray) -> np.ndarray:
    """Return what each soft constraint costs, (assignments, soft constraints): its weight where it fails."""
    table = TruthTable(model, grid)
    parts = [np.where(table.constraint(soft.constraint), 0, soft.weights) for soft in model.soft]
    return np.concatenate([np.zeros((len(grid), 0), dtype=np.int64), *parts], axis=1)


def assignments(model: Any) -> np.ndarray:
    """Return all assignments of the decision variables in lexicographic order, (product, variables)."""
    domains = []
    size = 1
    for variable in model.decisions.tolist():
        if variable in model.domains:
            domains.append([int(v) for v in model.domains[variable]])
        else:
            span = int(model.upper[variable]) - int(model.lower[variable]) + 1
            assert span <= CAP, "too large for the oracle"
            domains.append(list(range(int(model.lower[variable]), int(model.upper[variable]) + 1)))
        size *= len(domains[-1])
        assert size <= CAP, "too large for the oracle"
    if not domains:
        return np.zeros((1, 0), dtype=np.int64)
    grid = np.meshgrid(*(np.array(domain, dtype=np.int64) for domain in domains), indexing="ij")
    return np.stack([values.reshape(-1) for values in grid], axis=1)


def inside(model: Any, rows: np.ndarray) -> np.ndarray:
    """Return which values are in their domains, in the shape of ``rows`` (batch, decision variables)."""
    found = np.zeros(rows.shape, dtype=bool)
    for k, variable in enumerate(model.decisions.tolist()):
        listed = [int(v) for v in model.domains.get(variable, ())]
        low, high = int(model.lower[variable]), int(model.upper[variable])
        found[:, k] = [v in listed if listed else low <= v <= high for v in rows[:, k].tolist()]
    return found


def _row(array: Any, k: int) -> tuple[list[int], list[int], int]:
    flat_variables = np.asarray(array.variables).reshape(array.size, -1)[k].tolist()
    flat_coefficients = np.asarray(array.coefficients).reshape(array.size, -1)[k].tolist()
    return flat_variables, flat_coefficients, int(np.asarray(array.constants).reshape(-1)[k])


def wide(values: np.ndarray) -> np.ndarray:
    """Return values of any size as 64-bit integers where all are small, else as Python's."""
    large = values.size and (int(values.max()) > LARGE or int(values.min()) < -LARGE)
    return values.astype(object if large else np.int64, copy=False)


def element(entries: Iterable[Value], position: Value) -> Value:
    """Return the entry at a position, of a table all of whose entries must be defined."""
    at, defined = position
    found, inside = np.zeros(at.shape, dtype=object), np.zeros(at.shape, dtype=bool)
    for k, (values, ok) in enumerate(entries):
        found, inside, defined = np.where(at == k, values, found), inside | (at == k), defined & ok
    return found, inside & defined


class TruthTable:
    """Values of variables over all assignments, and where they are defined."""

    def __init__(self, model: Any, grid: np.ndarray) -> None:
        self.model = model
        self.size = len(grid)
        self.known: dict[int, Value] = {}
        everywhere = np.ones(self.size, dtype=bool)
        for k, variable in enumerate(model.decisions.tolist()):
            self.known[variable] = (wide(grid[:, k]), everywhere)

    def variable(self, number: int) -> Value:
        """Return a variable's values over all assignments, and where they are defined."""
        if number not in self.known:
            self.known[number] = self._defined(number)
        return self.known[number]

    def _defined(self, number: int) -> Value:
        for definition in self.model.definitions:
            where = np.flatnonzero(definition.results == number)
            if len(where):
                return self._definition(definition, int(where[0]))
        raise AssertionError(f"variable {number} is defined by nothing")

    def _definition(self, definition: Any, row: int) -> Value:
        if definition.kind == "truth":
            held = self.constraint(definition.constraint)
            return held[:, row].astype(np.int64), np.ones(self.size, dtype=bool)
        if definition.kind == "element":
            index, tables = definition.arguments
            many = tables.shape[-1]
            first = many * int(definition.which[row])
            entries = (self.column(_row(tables, first + k)) for k in range(many))
            values, ok = element(entries, self.column(_row(index, row)))
            return wide(values), ok
        parts = [self.column(_row(argument, row)) for argument in definition.arguments]
        defined = np.logical_and.reduce([ok for _, ok in parts])
        values, ok = DEFINITIONS[definition.kind](*[v for v, _ in parts])
        return wide(values), defined & ok

    def column(self, row: tuple[list[int], list[int], int]) -> Value:
        """Return one term's values over all assignments, and where it is defined."""
        parts = [(self.variable(v), a) for v, a in zip(row[0], row[1], strict=True) if a]
        numbers = [row[2], *(a for _, a in parts)]
        near = max(map(abs, numbers)) <= LARGE and all(v.dtype != object for (v, _), _ in parts)
        total = np.full(self.size, row[2], dtype=np.int64 if near else object)  # near: below 2^41 a variable
        defined = np.ones(self.size, dtype=bool)
        for (values, ok), coefficient in parts:
            total = total + values.astype(total.dtype, copy=False) * coefficient
            defined = defined & ok
        return wide(total), defined

    def columns(self, array: Any) -> Value:
        """Return the values of all terms, (assignments, terms), and where they are defined."""
        found = [self.column(_row(array, k)) for k in range(array.size)]
        if not found:
            none = np.zeros((self.size, 0), dtype=np.int64)
            return none, none.astype(bool)
        return np.stack([v for v, _ in found], axis=1), np.stack([ok for _, ok in found], axis=1)

    def constraint(self, constraint: Any) -> np.ndarray:
        """Return where each element holds, (assignments, elements).

        The relational semantics of Frisch and Stuckey, "The Proper Treatment of Undefinedness in Constraint
        Languages" (2009): a relation of which a term denotes nothing does not hold.
        """
        arguments, defined = {}, []
        for name in constraint.fields:
            value = getattr(constraint, name)
            if hasattr(value, "coefficients"):
                arguments[name], where = self.columns(value)
                defined.append(where)
            else:
                arguments[name] = value
        held = KINDS[type(constraint).__name__](constraint, **arguments)
        held = np.array(held, dtype=bool)
        held = held.reshape(self.size, held.size // self.size if self.size else constraint.size)
        elements = held.shape[1]
        for where in defined:
            per = where.shape[1] // elements if elements else 0  # the terms of one element lie together
            for k in range(elements):
                held[:, k] &= where[:, k * per : (k + 1) * per].all(axis=1)
        return held

    def accepted(self) -> np.ndarray:
        """Return which assignments are solutions."""
        good = np.ones(self.size, dtype=bool)
        for posted in self.model.constraints:
            if posted.source is None and (posted.name or "").startswith("range of "):
                continue  # what the model adds for partial functions must follow from the rest
            good &= self.constraint(posted.constraint).all(axis=1)
        for goal in self.model.goals:
            good &= self.column(_row(goal.term, 0))[1]
        return good
