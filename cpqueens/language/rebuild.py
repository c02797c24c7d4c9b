"""Writing a model anew with its variables replaced: the tool behind shrinking and equivalent models.

Each decision variable of the old model is replaced by a term of the new one (a constant included);
definitions are created again over the replaced terms, so that nothing of the old model is left.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import numpy as np

from cpqueens.language.arrays import of_rows
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.definitions import Truth
from cpqueens.language.expressions import LinearArray
from cpqueens.language.linear_rows import Row
from cpqueens.language.objectives import Goal, Soft
from cpqueens.language.posted import Posted
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement

Stated = TypeVar("Stated", bound=Statement)


class Rebuilder:
    """Maps terms and constraints of one model to those of another."""

    def __init__(self, old: Statement, new: Statement, replacements: Mapping[int, Row]) -> None:
        self.old = old
        self.new = new
        self._rows: dict[int, Row] = dict(replacements)

    def row(self, variable: int) -> Row:
        """Return the new term for an old variable; definitions are created on demand."""
        if variable not in self._rows:
            self._rows[variable] = self._defined(variable)
        return self._rows[variable]

    def replace(self, variable: int, term: LinearArray) -> None:
        """Let a term of the new model stand for a variable of the old one."""
        self._rows[variable] = _only_row(term)

    def _defined(self, variable: int) -> Row:
        definition, at = self.old.producer(variable)  # type: ignore[misc]
        one = definition.take(np.array([at]), definition.results[[at]])
        if isinstance(one, Truth):
            return _only_row(self.new.truth(self.constraint(one.constraint)))
        return _only_row(self.new.define(one.kind, (1,), *map(self.array, one.arguments)))

    def array(self, array: LinearArray) -> LinearArray:
        """Return an array of old terms as new ones, in the same shape."""
        return of_rows(self.new, [self._term(*row) for row in array.rows()], array.shape)

    def _term(self, variables: Iterable[int], coefficients: Iterable[int], constant: int) -> Row:
        total: dict[int, int] = {}
        for variable, factor in zip(variables, coefficients, strict=True):
            inner, factors, offset = self.row(variable)
            constant += factor * offset
            for v, a in zip(inner, factors, strict=True):
                total[v] = total.get(v, 0) + factor * a
        kept = self.new.remaining(total)
        return tuple(kept), tuple(kept.values()), constant

    def constraint(self, constraint: Constraint) -> Constraint:
        """Return an old constraint over new terms."""
        return constraint.map(self.array)

    def post(self, posted: Posted, edit: Callable[[Constraint], Any] = lambda c: c) -> None:
        """Post an old constraint, perhaps edited, with its name and source."""
        placed = self.new._constraints
        before = len(placed)
        self.new.add(edit(self.constraint(posted.constraint)), name=posted.name)
        for k in range(before, len(placed)):
            if placed.source(k) is not None:  # what the model adds for partial functions has none
                placed.set_source(k, posted.source or ("rebuilt", 0))

    def objective(self, soft: Iterable[Soft] | None = None) -> None:
        """Set the old objectives and soft constraints (or some of these), if there are any."""
        for each in self.old.soft if soft is None else soft:
            constraint = self.constraint(each.constraint)
            self.new._soften(constraint, each.weights.reshape(constraint.shape), each.name, each.source)
        for goal in self.old.stated:
            self.new._then(Goal(self.array(goal.term), goal.maximizing, goal.penalties))


def _only_row(array: LinearArray) -> Row:
    ((variables, coefficients, constant),) = array.rows()
    return tuple(variables), tuple(coefficients), constant


def own_constraints(model: Statement) -> list[Posted]:
    """Return the constraints that the user posted; a model adds those for partial functions by itself."""
    return [p for p in model.constraints if p.source is not None]


def domain_of(model: Statement, variable: int) -> IntArray | tuple[int, int]:
    """Return the explicit domain of a variable, or its bounds."""
    if variable in model.domains:
        return model.domains[variable]
    return int(model.lower[variable]), int(model.upper[variable])


def new_variable(model: Statement, domain: IntArray | tuple[int, int], name: str) -> LinearArray:
    """Create a variable with a domain as `domain_of` returns it."""
    if isinstance(domain, tuple):
        return model.intvar(domain[0], domain[1], name=name)
    return model.intvar(domain=domain, name=name)


def rebuilt(
    model: Stated,
    *,
    domains: Mapping[int, IntArray | tuple[int, int]] | None = None,
    constants: Mapping[int, int] | None = None,
    constraints: Iterable[Posted] | None = None,
    edit: Callable[[int, Constraint], Any] | None = None,
    objective: bool = True,
    soft: Iterable[Soft] | None = None,
) -> Stated:
    """Return a model like ``model`` with some parts changed.

    Parameters
    ----------
    domains
        New domains of decision variables.
    constants
        Variables (defined ones too) that become constants and disappear.
    constraints
        The constraints to keep; by default all.
    edit
        Takes the position and the new constraint, returns what is posted in its place.
    objective
        Whether to keep the objective, and with it soft constraints.
    soft
        Those that are kept; by default all.

    Raises
    ------
    ModelError
        If the result is not well-formed, for instance for an empty domain.
    """
    fixed = constants or {}
    new = type(model)(model.name)
    replacements: dict[int, Row] = {v: ((), (), value) for v, value in fixed.items()}
    for variable in model.decisions.tolist():
        if variable not in fixed:
            domain = (domains or {}).get(variable, domain_of(model, variable))
            created = new_variable(new, domain, model.name_of(variable))
            replacements[variable] = _only_row(created)
    rebuilder = Rebuilder(model, new, replacements)
    for k, posted in enumerate(own_constraints(model) if constraints is None else constraints):
        rebuilder.post(posted, (lambda c, k=k: edit(k, c)) if edit is not None else (lambda c: c))  # type: ignore[misc]
    if objective:
        rebuilder.objective(soft)
    return new
