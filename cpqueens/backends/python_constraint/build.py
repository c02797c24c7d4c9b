"""From a lowered model to a fresh `constraint.Problem`."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
from constraint import Constraint, Problem

from cpqueens.backends.base import Request, Want
from cpqueens.backends.python_constraint.atoms import Atom, Formulas, atoms
from cpqueens.backends.python_constraint.bound import Incumbent
from cpqueens.backends.python_constraint.different import DifferentSums, Permutation
from cpqueens.backends.python_constraint.intervals import TRUE, Interval
from cpqueens.backends.python_constraint.native import native
from cpqueens.backends.python_constraint.objects import IntervalConstraint
from cpqueens.backends.python_constraint.sums import AtMost, Equal, Unequal
from cpqueens.backends.python_constraint.table import Rows
from cpqueens.backends.python_constraint.tape import Tape
from cpqueens.backends.python_constraint.watch import Watch
from cpqueens.errors import ModelInvalid

if TYPE_CHECKING:
    from cpqueens.language.statement import Statement
    from cpqueens.lowered.lowering import Lowered

MOST_VALUES = 10**6
"""Values of one variable, at most: the library lists them."""

MOST_IN_ALL = 10**7
"""Values of all variables together, at most."""


def check_sizes(model: Statement) -> None:
    """Refuse domains that are too large to be listed.

    Raises
    ------
    ModelInvalid
        Naming the variable, its number of values, and the cap.
    """
    decisions = model.decisions
    sizes = model.upper[decisions].astype(np.float64) - model.lower[decisions] + 1
    for k, variable in enumerate(decisions.tolist() if model.domains else ()):
        if variable in model.domains:
            sizes[k] = len(model.domains[variable])
    if len(sizes) and sizes.max() > MOST_VALUES:
        variable = int(decisions[sizes.argmax()])
        low, high = int(model.lower[variable]), int(model.upper[variable])
        raise ModelInvalid(
            f"python-constraint lists every value: {model.name_of(variable)} in {low}..{high} has "
            f"{high - low + 1}, allowed are at most {MOST_VALUES}; narrow the bounds or use another solver"
        )
    if sizes.sum() > MOST_IN_ALL:
        raise ModelInvalid(
            f"python-constraint lists every value: {sizes.sum():.0f} for {len(decisions)} variables, "
            f"allowed are at most {MOST_IN_ALL} in all; narrow the bounds or use another solver"
        )


class Builder:
    """Places atoms: those over one variable filter its domain, the others become constraint objects."""

    def __init__(self, model: Statement, lowered: Lowered, request: Request, watch: Watch) -> None:
        self.possible = True  # no atom without variables is false, no domain is empty
        self.incumbent: Incumbent | None = None
        self.how = list(lowered.how)
        self._request = request
        self._watch = watch
        self._formulas = Formulas(lowered.definitions)
        self._decisions: list[int] = model.decisions.tolist()
        self.domains = _domains(model, self._decisions)
        self._placed: list[tuple[Any, list[int]]] = []
        self._place_all(lowered)
        if lowered.objective is not None and request.want is Want.BEST and self.possible:
            self._place_objective(lowered)

    def problem(self, solver: Any, *, ascending: bool) -> Problem:
        """Return the problem; ``ascending`` says in which order the solver takes the values.

        Seed 0 keeps the model's order of variables and values; other seeds shuffle both. Hinted values are
        tried first.
        """
        problem = Problem(solver)
        order = list(self._decisions)
        random = Random(self._request.seed)
        if self._request.seed:
            random.shuffle(order)
        hints = self._hints()
        for variable in order:
            values = self.domains[variable]
            if self._request.seed:
                values = random.sample(values, len(values))
            if variable in hints and hints[variable] in values:
                values = [hints[variable], *(x for x in values if x != hints[variable])]
            problem.addVariable(variable, values if ascending else values[::-1])
        problem.addConstraint(self._watch, order)
        for item, variables in self._placed:
            problem.addConstraint(item, variables)
        return problem

    def _hints(self) -> dict[int, int]:
        request = self._request
        if request.hint is None:
            return {}
        return {self._decisions[k]: int(request.hint[k]) for k in np.flatnonzero(request.hinted).tolist()}

    # ---- placing --------------------------------------------------------------------------------

    def _place_all(self, lowered: Lowered) -> None:
        """Filter the domains by the atoms over one variable, then make objects of the others."""
        by_library: set[int] = set()
        own: set[int] = set()
        several: list[tuple[int, Atom]] = []
        for constraint, origin in zip(lowered.constraints, lowered.origins, strict=True):
            for atom in atoms(constraint):
                self._watch.due()
                scope = self._formulas.reach(atom)[0]
                if len(scope) > 1:
                    several.append((origin, atom))
                    continue
                own.add(origin)
                self._settle(atom)
        self.possible = self.possible and all(self.domains.values())
        for origin, atom in several:
            if self.possible:
                (own if self._place(atom) else by_library).add(origin)
        for origin, how in enumerate(self.how):
            if how == "native" and (origin in own or origin not in by_library):
                self.how[origin] = "own"

    def _settle(self, atom: Atom) -> None:
        """Apply an atom over at most one variable once and for all."""
        tape = Tape(atom, self._formulas, self._bounds)
        if not tape.scope:
            self.possible = self.possible and tape.evaluate() == TRUE
            return
        variable = tape.scope[0]
        test, due = tape.tester(0), self._watch.due
        tape.evaluate()
        values = self.domains[variable]
        kept = []
        for start in range(0, len(values), 1000):
            kept += [value for value in values[start : start + 1000] if test(value)]
            due()
        self.domains[variable] = kept

    def _bounds(self, variable: int) -> Interval:
        values = self.domains[variable]
        return (values[0], values[-1]) if values else (0, 0)

    def _place(self, atom: Atom) -> bool:
        """Add the object for an atom over several variables; answer whether it is one of ours."""
        self._watch.due()
        if self._formulas.is_plain(atom):
            found = native(atom, lambda v: len(self.domains[v]))
            if found is not None:
                self._placed.append(found)
                return False
            make = OWN.get(atom.kind)
            item = None if make is None else make(atom, self)
            if item is not None:
                self._placed.append((item, sorted({v for row in atom.rows for v in row[0]})))
                return True
        tape = Tape(atom, self._formulas, self._bounds)
        self._placed.append((IntervalConstraint(tape, self._watch), tape.scope))
        return True

    def _place_objective(self, lowered: Lowered) -> None:
        """Add the bound over all variables: a new incumbent must end branches over other variables too."""
        assert lowered.objective is not None
        (row,) = lowered.objective.rows()
        self.incumbent = Incumbent(row, lowered.maximizing, self._formulas, self._bounds)
        tape = Tape(self.incumbent.atom, self._formulas, self._bounds)
        self._placed.append((IntervalConstraint(tape, self._watch), self._decisions))

    # ---- own forms ------------------------------------------------------------------------------

    def sum_of(self, atom: Atom) -> Constraint:
        """Return the own constraint for a linear relation over decision variables."""
        ((variables, coefficients, constant),) = atom.rows
        sign, offset, kind = _SUM_FORMS[atom.detail]
        row = (variables, [sign * a for a in coefficients], sign * constant + offset)
        return kind(Atom("Linear", (row,)), self._bounds, self._watch)

    def different(self, atom: Atom) -> Constraint:
        """Return the own constraint for AllDifferent over terms of decision variables."""
        if all(len(row[0]) <= 1 for row in atom.rows):
            return Permutation(atom, self._watch)
        return DifferentSums(atom, self._watch)

    def rows_of(self, atom: Atom) -> Constraint | None:
        """Return the own constraint for a table over terms of one variable each."""
        if all(len(row[0]) <= 1 for row in atom.rows):
            return Rows.over(atom, self._watch)
        return None


_SUM_FORMS: dict[str, tuple[int, int, Callable[..., Constraint]]] = {
    "==": (1, 0, Equal),
    "!=": (1, 0, Unequal),
    "<=": (1, 0, AtMost),
    "<": (1, 1, AtMost),
    ">=": (-1, 0, AtMost),
    ">": (-1, 1, AtMost),
}

OWN: dict[str, Callable[[Atom, Builder], Constraint | None]] = {
    "AllDifferent": lambda atom, builder: builder.different(atom),
    "Linear": lambda atom, builder: builder.sum_of(atom),
    "Table": lambda atom, builder: builder.rows_of(atom),
}
"""From kind to the own form for a plain atom; anything else is evaluated over intervals."""


def _domains(model: Statement, decisions: list[int]) -> dict[int, list[int]]:
    """Return the values of each decision variable, ascending; equal intervals share their list."""
    shared: dict[Interval, list[int]] = {}
    lower, upper = model.lower.tolist(), model.upper.tolist()
    domains = {}
    for variable in decisions:
        if variable in model.domains:
            domains[variable] = model.domains[variable].tolist()
            continue
        ends = (lower[variable], upper[variable])
        if ends not in shared:
            shared[ends] = list(range(ends[0], ends[1] + 1))
        domains[variable] = shared[ends]
    return domains
