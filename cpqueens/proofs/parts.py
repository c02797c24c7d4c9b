"""The named parts of a model that steps of a proof speak of, each in plain Python.

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

from cpqueens.errors import CpqueensError
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.definitions import Definition, Truth
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.proofs.domains import Row

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
