"""The oracle for expressions as they were written: every assignment, by what a user said.

`cpqueens.crosscheck.oracle` reads a model's rows of coefficients: what the language layer loses on the way
to these, no solver, checker or oracle could notice. Here an expression is a tree: a node has the *name* of a
function and what this was *given*: nodes, numbers, lists of both. Only the meaning of single functions and
constraints is the oracle's.

A term has values, (*shape, assignments), and where it is defined, likewise. A truth is a term of 0 and 1 that
is defined everywhere: it is 0 where a term of it is undefined.
"""

import math
import typing
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from cpqueens.crosscheck.meanings import DEFINITIONS, KINDS
from cpqueens.crosscheck.oracle import Solved, TruthTable, Value, assignments, element, wide

RELATIONS = ("==", "!=", "<=", "<", ">=", ">")
_CONNECTIVES: dict[str, Callable[..., np.ndarray]] = {
    "And": np.logical_and.reduce,
    "Or": np.logical_or.reduce,
    "Xor": np.logical_xor.reduce,
    "Negation": lambda b: ~b[0],
    "Implication": lambda b: ~b[0] | b[1],
}


def solve(model: Any, script: Any) -> Solved:
    """Return every solution of what was said to a model, by trying every assignment.

    ``script`` has the nodes that were its variables, its constraints (``posted``) and its objectives
    (``goals``, without penalties). With soft constraints the values of the objective are read of the rows.
    """
    grid = assignments(model)
    table = AsWritten([node for node, _ in script.variables], grid)
    good = table.solutions(script.posted, script.goals)
    if model.objective is None:
        return Solved(grid[good], None, None)
    if script.soft:
        values = TruthTable(model, grid).columns(model.objective)[0][:, 0]
    else:
        values = table.term(script.goals[0])[0]
    values = values[good]
    best = None if not len(values) else int(values.max() if model.maximizing else values.min())
    return Solved(grid[good], best, values)


class AsWritten:
    """Values of expressions over some assignments, (assignments, variables)."""

    def __init__(self, variables: Sequence[Any], grid: np.ndarray) -> None:
        self.size = len(grid)
        self._alive = [*variables]
        self.known: dict[int, Value] = {
            id(node): (wide(grid[:, k]), np.ones(len(grid), dtype=bool)) for k, node in enumerate(variables)
        }

    def solutions(self, posted: Sequence[Any], goals: Sequence[Any]) -> np.ndarray:
        """Return at which assignments all constraints hold and all objectives are defined."""
        good = np.ones(self.size, dtype=bool)
        for node in posted:
            good &= self.truth(node).reshape(-1, self.size).all(axis=0)
        for node in goals:
            good &= self.term(node)[1]
        return good

    def term(self, given: Any) -> Value:
        """Return the values of an expression, a number, or a list of them, and where they are defined."""
        if hasattr(given, "given"):
            if id(given) not in self.known:
                self.known[id(given)] = self._function(given)
                self._alive.append(given)  # its number is its own as long as it is there
            return self.known[id(given)]
        if isinstance(given, list | tuple):
            parts = [self.term(part) for part in given]
            if not parts:
                none = np.zeros((0, self.size), dtype=np.int64)
                return none, none.astype(bool)
            return np.stack([v for v, _ in parts]), np.stack([ok for _, ok in parts])
        numbers = np.asarray(given)
        shape = (*numbers.shape, self.size)
        values = np.broadcast_to(numbers[..., None], shape)
        return wide(values.astype(object)), np.ones(shape, dtype=bool)

    def truth(self, given: Any) -> np.ndarray:
        """Return where an expression is true; a 0/1 term is where it is 1."""
        values, defined = self.term(given)
        return np.asarray((values == 1) & defined, dtype=bool)

    def _function(self, node: Any) -> Value:
        name = node.name
        if name in RELATIONS:
            return self._held(self._relation(name, *map(self.term, node.given)))
        if name in _CONNECTIVES:
            return self._held(self._connective(name, node.given))
        if name in KINDS:
            return self._held(self._constraint(name, node.make, *node.given, **node.named))
        if name in _SHAPED:
            values, defined = _SHAPED[name](*map(self.term, node.given))
            return wide(values), defined
        parts = [self.term(part) for part in node.given]
        if len(parts) == 1 and parts[0][0].ndim > 1:  # of one list
            parts = list(zip(*parts[0], strict=True))
        return _elementwise(_ELEMENTWISE.get(name) or DEFINITIONS[name], parts)

    def _held(self, held: np.ndarray) -> Value:
        return held.astype(np.int64), np.ones(held.shape, dtype=bool)

    def _relation(self, name: str, left: Value, right: Value) -> np.ndarray:
        difference, defined = _elementwise(_ELEMENTWISE["difference"], [left, right])
        return KINDS["Linear"](None, difference, name) & defined

    def _connective(self, name: str, given: Sequence[Any]) -> np.ndarray:
        """Return a connective of its operands, elementwise; of one operand over all that it has."""
        truths = [self.truth(part) for part in given]
        if len(truths) == 1 and name != "Negation":
            (inner,) = truths
            return np.asarray(_CONNECTIVES[name](inner.reshape(-1, self.size)))
        return np.asarray(_CONNECTIVES[name](np.broadcast_arrays(*truths)))

    def _constraint(self, name: str, kind: Any, *given: Any, **named: Any) -> np.ndarray:
        """Return where a global constraint holds, all of whose terms must be defined.

        It is given its fields in their order; what the class says of their types says which are terms.
        """
        if name == "Predicate":
            columns = {"terms": self.term(given[1:])}
            return self._holds(name, SimpleNamespace(function=given[0]), columns, {"rows": None})
        types = typing.get_type_hints(kind)
        said = dict(zip(kind.fields, given, strict=False)) | named
        if "lower" in named:  # the least and the greatest number of each value
            said["counts"] = [n for pair in zip(said["lower"], said["upper"], strict=True) for n in pair]
        terms: dict[str, Value] = {}
        plain = {}
        for field in kind.fields:
            value: Any = said.get(field)
            if getattr(types[field], "__name__", "") != "LinearArray":
                plain[field] = _plain(field, value)
                continue
            if name in _OF_TASKS and field not in ("capacity", "setup") and not isinstance(value, list):
                value = [1 if value is None else value] * len(given[0])
            if field == "setup":
                terms[field] = self._between(len(given[0]), *given[3:])
            elif field == "present":
                present = np.array([self.truth(t) for t in value], dtype=bool)
                terms[field] = self._held(present.reshape(len(value), self.size))
            else:
                terms[field] = self.term(value)
        shapes = {field: SimpleNamespace(shape=values.shape[:-1]) for field, (values, _) in terms.items()}
        shapes["counts"] = SimpleNamespace(ndim=2 if "lower" in named else 1)
        return self._holds(name, SimpleNamespace(**shapes), terms, plain)

    def _between(self, tasks: int, setup: Any = 0, types: Any = None) -> Value:
        """Return the times between tasks: one for all, or (tasks, tasks), by their types if they have any."""
        times = self.term(setup if tasks else 0)
        if types is None or not tasks:
            return times
        rows = [[self._entry(times, self.term(a), self.term(b)) for b in types] for a in types]
        values, defined = (np.stack([[part[k] for part in row] for row in rows]) for k in (0, 1))
        return values, defined

    def _entry(self, matrix: Value, row: Value, column: Value) -> Value:
        """Return an entry of a square matrix."""
        many, inside = len(matrix[0]), np.ones(self.size, dtype=bool)
        for at, known in (row, column):
            inside &= (at >= 0) & (at < many) & known
        entries = zip(*(part.reshape(many * many, self.size) for part in matrix), strict=True)
        return element(entries, (np.where(inside, row[0] * many + column[0], 0), inside))

    def _holds(self, name: str, stand_in: Any, terms: dict[str, Value], plain: dict[str, Any]) -> np.ndarray:
        columns, everywhere = {}, np.ones(self.size, dtype=bool)
        for field, (values, defined) in terms.items():
            flat = math.prod(values.shape[:-1]), self.size
            columns[field] = values.reshape(flat).T
            everywhere &= defined.reshape(flat).all(axis=0)
        held = np.asarray(KINDS[name](stand_in, **columns, **plain), dtype=bool)
        return held.reshape(-1) & everywhere


def _plain(field: str, value: Any) -> Any:
    """Return a field that holds no terms; in rows every text stands for any value."""
    if field == "rows":
        width = len(value[0]) if value else 0
        listed = [[-(2**63) if isinstance(v, str) else int(v) for v in row] for row in value]
        return np.array(listed, dtype=np.int64).reshape(len(listed), width)
    if field == "depots":  # of one there is one tour
        return tuple(value) if value is not None and len(value) > 1 else ()
    return np.array(value, dtype=np.int64).reshape(-1, 3) if field == "transitions" else value


def _elementwise(function: Callable[..., Any], parts: Sequence[Value]) -> Value:
    """Return a function of elements that broadcast to one shape; it may say itself where it is defined."""
    values = np.broadcast_arrays(*[v for v, _ in parts])
    defined = np.logical_and.reduce(np.broadcast_arrays(*[ok for _, ok in parts]))
    found = function(*[v.reshape(-1) for v in values])
    if isinstance(found, tuple):
        found, ok = found
        defined = defined & ok.reshape(defined.shape)
    return wide(np.asarray(found).reshape(values[0].shape)), defined


def _sum(array: Value) -> Value:
    values, defined = (part.reshape(-1, part.shape[-1]) for part in array)
    return values.astype(object).sum(axis=0), np.asarray(defined.all(axis=0))


def _matmul(left: Value, right: Value) -> Value:
    """Return a matrix times a vector, or a vector times a vector."""
    values = left[0].astype(object) * right[0]
    return values.sum(axis=-2), np.asarray((left[1] & right[1]).all(axis=-2))


_SHAPED: dict[str, Callable[..., Value]] = {
    "stack": lambda array: array,
    "truth": lambda array: array,
    "sum": _sum,
    "matmul": _matmul,
    "element": lambda table, position: element(zip(*table, strict=True), position),
}
"""Functions of arrays."""

_ELEMENTWISE: dict[str, Callable[..., Any]] = {
    "sum of two": lambda x, y: x + y,
    "difference": lambda x, y: x - y,
    "negative": lambda x: -x,
    "power": lambda x, n: x.astype(object) ** n,
}
"""Functions of single elements that are no definitions."""

_OF_TASKS = ("Cumulative", "NoOverlap", "NoOverlap2D")
"""Constraints one number of whose may stand for that of each task."""
