"""What steps of a proof speak of, in plain Python: named parts of a model, and literals with what they leave.

``c3`` is the constraint at position 3 of the model's, ``c3.5`` the element 5 of it where it is an array,
``x12`` the definition of the variable 12, and ``better`` that the objectives are better than those of the
best solution so far.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from cpqueens.errors import CpqueensError, ModelError
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.definitions import Definition, Truth
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement

Row = tuple[tuple[int, ...], tuple[int, ...], int]
"""A term: its variables, their coefficients, and a constant."""

Literal = tuple[int, str, int]
"""A variable, one of ``>= <= == !=``, and a value."""

DENIED_SIGN = {">=": "<=", "<=": ">=", "==": "!=", "!=": "=="}

MOST_GAPS = 1 << 16
"""Values that an explicit domain may leave out between its bounds."""

BETTER = "better"


class BadProof(CpqueensError):  # noqa: N818
    """A step that is not believed, and why.

    >>> from cpqueens.proofs.parts import BadProof
    >>> str(BadProof("no such clause"))
    'no such clause'
    """

    exit_code = 10


@dataclass(frozen=True, eq=False)
class ModelPart:
    """One constraint or definition.

    Attributes
    ----------
    name
        As steps name it.
    kind
        Of a constraint its class's name; of a definition its kind.
    scope
        Its variables; of a definition its own is the last one.
    fields
        What defines it by name; terms are lists of rows.
    inputs
        The variables whose values decide those of the scope: all, but of a definition not its own.
    satisfying
        Makes of assignments of the inputs, (batch, inputs), those of the scope that satisfy the part.
    """

    name: str
    kind: str
    scope: tuple[int, ...]
    fields: Mapping[str, Any]
    inputs: tuple[int, ...]
    satisfying: Callable[[IntArray], IntArray]


class ModelParts:
    """The parts of one model by their names, made when a step asks for them.

    ``names`` are those of all constraints' elements and of all definitions.
    """

    def __init__(self, model: Statement) -> None:
        self.model = model
        self._made: dict[str, ModelPart] = {}
        self._makers: dict[str, Callable[[str], ModelPart]] = {}
        for k, posted in enumerate(model.constraints):
            whole, flat = posted.constraint, posted.constraint.flattened()
            for i in range(whole.size if whole.shape else 1):
                self._makers[f"c{k}.{i}" if whole.shape else f"c{k}"] = partial(stated, flat, i)
        for v in np.flatnonzero(model.is_defined).tolist():
            self._makers[f"x{v}"] = partial(self._defined, v)
        self.names = list(self._makers)

    def __getitem__(self, name: str) -> ModelPart:
        """Return a part.

        Raises
        ------
        BadProof
            If there is none of this name.
        """
        if name not in self._made:
            if name not in self._makers:
                raise BadProof(f"{name[:40]!r} is not known by now: parts are named c3, c3.5, x12, or better")
            self._made[name] = self._makers[name](name)
        return self._made[name]

    def add(self, part: ModelPart) -> None:
        """Let a part be known by its name from now on."""
        self._made[part.name] = part

    def _definition(self, variable: int) -> Definition:
        produced = self.model.producer(variable)
        assert produced is not None
        return produced[0].take(np.array([produced[1]]), np.array([variable]))

    def _defined(self, variable: int, name: str) -> ModelPart:
        one = self._definition(variable)
        inputs = _scope(one.arguments)
        known = np.array(inputs, dtype=np.int64)
        fields = {"arguments": [rows_of(a) for a in one.arguments], "result": variable}
        if not isinstance(one, Truth):
            narrow: Definition = type(one)(tuple(_narrow(a, known) for a in one.arguments), one.results)
        elif any(self.model.may_be_undefined[list(inputs)]):
            return self._cone(name, variable)
        else:
            fields["inner"] = stated(one.constraint, 0, name)
            narrow = Truth(one.constraint.map(lambda a: _narrow(a, known)))

        def satisfying(rows: IntArray) -> IntArray:
            return np.column_stack((rows, narrow.evaluate(rows)[:, 0]))

        return ModelPart(name, one.kind, (*inputs, variable), fields, inputs, satisfying)

    def _cone(self, name: str, variable: int) -> ModelPart:
        """Return the truth of a constraint over terms that may be undefined.

        It is judged by the values of all decision variables that it rests on.
        """
        seen, pending = {variable}, [variable]
        while pending:
            new = set(_scope(self._definition(pending.pop()).arguments)) - seen
            seen |= new
            pending += [v for v in new if self.model.is_defined[v]]
        scope = (*sorted(seen - {variable}), variable)
        inputs = tuple([v for v in scope if not self.model.is_defined[v]])
        known, columns = np.array(inputs, dtype=np.int64), np.array(scope)
        return ModelPart(
            name, "cone", scope, {}, inputs, lambda rows: self.model.complete(rows, known)[:, columns]
        )


def stated(whole: Constraint, place: int, name: str) -> ModelPart:
    """Return one element of a flat constraint, or a single one, as a part."""
    constraint = whole.take(np.array([place])) if whole.shape else whole
    fields: dict[str, Any] = {"constraint": constraint}
    for field in constraint.fields:
        value = getattr(constraint, field)
        if isinstance(value, LinearArray):
            fields[field], fields[f"{field} shape"] = rows_of(value), value.shape
        else:
            fields[field] = value.tolist() if isinstance(value, np.ndarray) else value
    scope = _scope(constraint.arguments)
    known = np.array(scope, dtype=np.int64)
    narrow = constraint.map(lambda array: _narrow(array, known))
    return ModelPart(
        name, type(constraint).__name__, scope, fields, scope, lambda rows: rows[narrow.holds(rows)]
    )


def related(name: str, row: Row, relation: str) -> ModelPart:
    """Return that a term stands in a relation to 0, which its refuter knows without any assignments."""
    return ModelPart(
        name, "Linear", row[0], {"expression": [row], "relation": relation}, row[0], lambda rows: rows
    )


def better(goals: list[Row], best: tuple[int, ...]) -> ModelPart:
    """Return that goals are less than the best values so far, the first one that differs."""
    if len(goals) == 1:
        return related(BETTER, (*goals[0][:2], goals[0][2] - best[0]), "<")
    return ModelPart(BETTER, BETTER, (), {"goals": goals, "best": best}, (), lambda rows: rows)


def goals_of(model: Statement) -> list[Row]:
    """Return the terms that are to be small, the first one first; what is maximised is negated."""
    return [
        (v, tuple([-k for k in a]), -c) if goal.maximizing else (v, a, c)
        for goal in model.goals
        for v, a, c in rows_of(goal.term)
    ]


def _scope(arrays: tuple[LinearArray, ...]) -> tuple[int, ...]:
    return tuple(sorted({v for array in arrays for v in array.scope().tolist()}))


def rows_of(array: LinearArray) -> list[Row]:
    """Return the terms of an array."""
    return [(tuple(v), tuple(a), int(c)) for v, a, c in array.rows()]


def _narrow(array: LinearArray, scope: IntArray) -> LinearArray:
    """Return terms whose variables are numbered by their places in a scope."""
    if not array.variables.size or not len(scope):
        none = np.zeros((array.size, 0), dtype=np.int64)
        return LinearArray(array.registry, array.shape, none, none, array.constants)
    places = np.clip(np.searchsorted(scope, array.variables), 0, len(scope) - 1)
    return LinearArray(array.registry, array.shape, places, array.coefficients, array.constants)


# ---- literals, and what is left of variables -------------------------------------------------------------


def denied(literal: Literal) -> Literal:
    """Return the literal that holds exactly where this one does not."""
    variable, operator, value = literal
    return variable, DENIED_SIGN[operator], value + {">=": -1, "<=": 1}.get(operator, 0)


class Domains:
    """Bounds of each variable and the values between them that are gone; all can be taken back.

    Attributes
    ----------
    low, high
        The bounds; a bound is never one of the values that are gone.
    gone
        The values that are gone, per variable (those outside the bounds may be among them).
    sums
        Terms whose values new variables have.
    """

    def __init__(self, low: list[int], high: list[int], gone: list[set[int]]) -> None:
        self.low, self.high, self.gone = low, high, gone
        self.sums: dict[Row, int] = {}
        self._undo: list[tuple[int, int, int, int | None]] = []

    @classmethod
    def of(cls, model: Statement) -> Domains:
        """Return the domains that a model states.

        Raises
        ------
        ModelError
            For a domain with too many gaps.
        """
        gone: list[set[int]] = [set() for _ in range(model.variable_count)]
        for variable, values in model.domains.items():
            low, high = int(values[0]), int(values[-1])
            if high - low - len(values) >= MOST_GAPS:
                raise ModelError(
                    f"{model.label_of(variable)}: more than {MOST_GAPS} gaps, too many for a proof"
                )
            gone[variable] = set(range(low, high + 1)) - set(values.tolist())
        return cls(model.lower.tolist(), model.upper.tolist(), gone)

    def contains(self, variable: int, value: int) -> bool:
        """Say whether a variable may still have a value."""
        return self.low[variable] <= value <= self.high[variable] and value not in self.gone[variable]

    def values(self, variable: int) -> list[int]:
        """Return the values that are left of a variable."""
        gone = self.gone[variable]
        return [v for v in range(self.low[variable], self.high[variable] + 1) if v not in gone]

    def holds(self, literal: Literal) -> bool | None:
        """Say whether a literal is true, false, or either."""
        variable, operator, value = literal
        low, high = self.low[variable], self.high[variable]
        if operator == ">=":
            return True if low >= value else False if high < value else None
        if operator == "<=":
            return True if high <= value else False if low > value else None
        if not self.contains(variable, value):
            return operator == "!="
        return operator == "==" if low == high else None

    def impose(self, literal: Literal) -> bool:
        """Make a literal true; say whether that leaves the variable a value."""
        variable, operator, value = literal
        low, high, gone = self.low[variable], self.high[variable], self.gone[variable]
        new = value if operator == "!=" and value not in gone else None
        self._undo.append((variable, low, high, new))
        if operator == "!=":
            gone.add(value)
        if operator in (">=", "=="):
            low = max(low, value)
        if operator in ("<=", "=="):
            high = min(high, value)
        while low <= high and low in gone:
            low += 1
        while low <= high and high in gone:
            high -= 1
        self.low[variable], self.high[variable] = low, high
        return low <= high

    def add(self, low: int, high: int) -> None:
        """Take up one more variable."""
        self.low.append(low)
        self.high.append(high)
        self.gone.append(set())

    def mark(self) -> int:
        """Return a place to which `back` leads."""
        return len(self._undo)

    def back(self, mark: int) -> None:
        """Take back everything since a mark."""
        while len(self._undo) > mark:
            variable, self.low[variable], self.high[variable], value = self._undo.pop()
            if value is not None:
                self.gone[variable].discard(value)
