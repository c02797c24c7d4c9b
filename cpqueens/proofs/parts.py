"""The named parts of a model that steps of a proof speak of, each in plain Python.

``c3`` is the constraint at position 3 of the model's, ``c3.5`` the element 5 of it where it is an array,
``x12`` the definition of the variable 12, and ``better`` that the objectives are better than those of the
best solution so far.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpqueens.errors import CpqueensError
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.definitions import Definition, Truth
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement

Row = tuple[tuple[int, ...], tuple[int, ...], int]
"""A term: its variables, their coefficients, and a constant."""

Meaning = Callable[[IntArray], NDArray[np.bool_]]

BETTER = "better"

_NAME = re.compile(r"(?:c(\d{1,9})(?:\.(\d{1,9}))?|x(\d{1,9}))\Z")


class BadProof(CpqueensError):  # noqa: N818
    """A step that is not believed, and why.

    >>> from cpqueens.proofs.parts import BadProof
    >>> str(BadProof("no such clause"))
    'no such clause'
    """

    exit_code = 10


@dataclass(frozen=True, eq=False)
class ModelPart:
    """One constraint, definition or the objectives' improvement.

    Attributes
    ----------
    name
        As steps name it.
    kind
        Of a constraint its class's name; of a definition its kind.
    scope
        Its variables, ascending.
    fields
        What defines it by name; terms are lists of rows.
    meaning
        Where it holds for values of its scope, (batch, scope) to (batch,).
    cone
        Of what rests on partial functions: the variables that decide its value; then ``meaning`` takes values
        of these, and also looks at the domains (see `refuters`).
    """

    name: str
    kind: str
    scope: tuple[int, ...]
    fields: Mapping[str, Any]
    meaning: Meaning
    cone: tuple[int, ...] = ()
    inner: ModelPart | None = None
    evaluate: Callable[[IntArray], IntArray] | None = None
    made: dict[str, Any] = field(default_factory=dict)


class ModelParts:
    """The parts of one model by their names, made when a step asks for them."""

    def __init__(self, model: Statement) -> None:
        self.model = model
        self._posted = [posted.constraint for posted in model.constraints]
        self._flat: dict[int, Constraint] = {}
        self._made: dict[str, ModelPart] = {}

    def names(self) -> list[str]:
        """Return the names of all constraints' elements and of all definitions."""
        found = []
        for k, constraint in enumerate(self._posted):
            found += [f"c{k}"] if not constraint.shape else [f"c{k}.{i}" for i in range(constraint.size)]
        return found + [f"x{v}" for v in np.flatnonzero(self.model.is_defined).tolist()]

    def __getitem__(self, name: str) -> ModelPart:
        """Return a part.

        Raises
        ------
        BadProof
            If there is none of this name.
        """
        part = self._made.get(name)
        if part is None:
            part = self._made[name] = self._make(name)
        return part

    def _make(self, name: str) -> ModelPart:
        found = _NAME.match(name)
        if found is None:
            raise BadProof(f"{name!r} names no part of a model: c3, c3.5, x12 or {BETTER} is needed")
        constraint, element, variable = (None if k is None else int(k) for k in found.groups())
        if variable is not None:
            produced = self.model.producer(variable) if variable < self.model.variable_count else None
            if produced is None:
                raise BadProof(f"{name}: the variable {variable} is not a defined one")
            definition, row = produced
            return self._defined(name, definition.take(np.array([row]), np.array([variable])), variable)
        assert constraint is not None
        if constraint >= len(self._posted):
            raise BadProof(f"{name}: the model has {len(self._posted)} constraints")
        whole = self._posted[constraint]
        if (element is None) != (whole.shape == ()) or (element or 0) >= max(1, whole.size):
            raise BadProof(f"{name}: this constraint has {whole.size} elements in shape {whole.shape}")
        flat = self._flat.setdefault(constraint, whole.flattened())
        one = flat.take(np.array([element or 0])) if whole.shape or flat.shape else flat
        return stated(name, one)

    def _defined(self, name: str, one: Definition, variable: int) -> ModelPart:
        if isinstance(one, Truth):
            inner = stated(name, one.constraint)
            if any(self.model.may_be_undefined[list(inner.scope)]):
                return self._cone(name, inner, variable)
            scope = tuple(sorted({*inner.scope, variable}))
            own, places = scope.index(variable), [scope.index(v) for v in inner.scope]

            def same(values: IntArray) -> NDArray[np.bool_]:
                return np.asarray(inner.meaning(values[:, places]) == (values[:, own] == 1))

            return ModelPart(name, "truth", scope, {"result": variable}, same, inner=inner)
        arguments = {f"argument {k}": _rows(a) for k, a in enumerate(one.arguments)}
        inputs = {v for rows in arguments.values() for row in rows for v in row[0]}
        scope = tuple(sorted({*inputs, variable}))
        known = np.array(scope)
        narrow = type(one)(tuple(_narrow(a, known) for a in one.arguments), one.results)
        own = scope.index(variable)

        def equal(values: IntArray) -> NDArray[np.bool_]:
            return np.asarray(narrow.evaluate(values)[:, 0] == values[:, own])

        fields = {"arguments": list(arguments.values()), "result": variable, "inputs": tuple(sorted(inputs))}
        return ModelPart(
            name, one.kind, scope, fields, equal, evaluate=lambda values: narrow.evaluate(values)[:, 0]
        )

    def _cone(self, name: str, inner: ModelPart, variable: int) -> ModelPart:
        """Return the truth of a constraint over terms that may be undefined.

        It is judged by the values of all decision variables that it rests on.
        """
        seen: set[int] = set()
        pending = [variable]
        while pending:
            v = pending.pop()
            produced = None if v in seen else self.model.producer(v)
            seen.add(v)
            if produced is not None:
                definition, row = produced
                one = definition.take(np.array([row]), np.array([v]))
                pending += [int(u) for a in one.arguments for u in a.scope().tolist()]
        scope = tuple(sorted(seen))
        decided = tuple(v for v in scope if not self.model.is_defined[v])
        known, columns = np.array(decided, dtype=np.int64), np.array(scope)

        def complete(values: IntArray) -> IntArray:
            return self.model.complete(values, known)[:, columns]

        return ModelPart(
            name, "cone", scope, {}, lambda values: np.ones(len(values), bool), decided, evaluate=complete
        )


def stated(name: str, constraint: Constraint) -> ModelPart:
    """Return a single constraint as a part."""
    fields = {
        field: _rows(value) if isinstance(value, LinearArray) else value
        for field, value in ((field, getattr(constraint, field)) for field in constraint.fields)
    }
    shapes = {f"{n} shape": getattr(constraint, n).shape for n in fields if f"{n}" in _SHAPED}
    scope = tuple(sorted({v for array in constraint.arguments for v in array.scope().tolist()}))
    known = np.array(scope, dtype=np.int64)
    narrow = constraint.map(lambda array: _narrow(array, known))
    return ModelPart(name, type(constraint).__name__, scope, {**fields, **shapes}, narrow.holds)


_SHAPED = ("counts", "matrix", "setup")
"""Fields whose terms mean something by their places along several axes."""


def _rows(array: LinearArray) -> list[Row]:
    return [(tuple(v), tuple(a), int(c)) for v, a, c in array.rows()]


def _narrow(array: LinearArray, scope: IntArray) -> LinearArray:
    """Return terms whose variables are numbered by their places in a scope."""
    if not array.variables.size or not len(scope):
        none = np.zeros((array.size, 0), dtype=np.int64)
        return LinearArray(array.registry, array.shape, none, none, array.constants)
    places = np.clip(np.searchsorted(scope, array.variables), 0, len(scope) - 1)
    return LinearArray(array.registry, array.shape, places, array.coefficients, array.constants)
