"""From a lowered model to a fresh `constraint.Problem`."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import constraint as library
import numpy as np

from cpqueens.backends.base import Request, Want
from cpqueens.backends.python_constraint.formulas import ATOMS, Atom, Formulas, Incumbent, are_variables
from cpqueens.backends.python_constraint.objects import ByBounds, Watch, own
from cpqueens.errors import ModelInvalid
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
        name = model.name_of(variable)
        raise _too_many(f"{name} in {low}..{high} has {high - low + 1}", f"{MOST_VALUES}")
    if sizes.sum() > MOST_IN_ALL:
        raise _too_many(f"{sizes.sum():.0f} for {len(decisions)} variables", f"{MOST_IN_ALL} in all")


def _too_many(values: str, allowed: str) -> ModelInvalid:
    return ModelInvalid(
        f"python-constraint lists every value: {values}, allowed are at most {allowed}; "
        "narrow the bounds or use another solver"
    )


class Placement:
    """Places atoms: those over one variable filter its domain, the others become constraint objects."""

    def __init__(self, model: Statement, lowered: Lowered, request: Request, watch: Watch) -> None:
        self.possible = True  # no atom without variables is false, no domain is empty
        self.incumbent: Incumbent | None = None
        self.how = list(lowered.how)
        self._request = request
        self._watch = watch
        self.domains = _domains(model)
        self._formulas = Formulas(lowered.definitions, {v: (d[0], d[-1]) for v, d in self.domains.items()})
        self._placed: list[tuple[Any, list[int]]] = []
        self._place_all(lowered)
        if lowered.objective is not None and request.want is Want.BEST and self.possible:
            self._place_objective(lowered)

    def problem(self, solver: Any, *, ascending: bool) -> library.Problem:
        """Return the problem; ``ascending`` says in which order the solver takes the values.

        Seed 0 keeps the model's order of variables and values; other seeds shuffle both. Hinted values are
        tried first.
        """
        problem, request, decisions = library.Problem(solver), self._request, list(self.domains)
        order, random = list(decisions), Random(request.seed)
        if request.seed:
            random.shuffle(order)
        hints: dict[int, int] = {}
        if request.hint is not None:
            hints = {decisions[k]: int(request.hint[k]) for k in np.flatnonzero(request.hinted).tolist()}
        for variable in order:
            values = self.domains[variable]
            if request.seed:
                values = random.sample(values, len(values))
            if variable in hints and hints[variable] in values:
                values = [hints[variable], *(x for x in values if x != hints[variable])]
            problem.addVariable(variable, values if ascending else values[::-1])
        problem.addConstraint(self._watch, order)
        for item, variables in self._placed:
            problem.addConstraint(item, variables)
        return problem

    def _place_all(self, lowered: Lowered) -> None:
        """Filter the domains by the atoms over one variable, then make objects of the others."""
        several: list[tuple[int, Atom, tuple[list[int], list[int]]]] = []
        by_library: set[int] = set()
        own: set[int] = set()
        for constraint, origin in zip(lowered.constraints, lowered.origins, strict=True):
            for atom in ATOMS[constraint.kind](constraint):
                self._watch.due()
                scope = self._formulas.scope(atom)
                if len(scope[0]) > 1:
                    several.append((origin, atom, scope))
                    continue
                own.add(origin)
                self._settle(atom)
        self.possible = self.possible and all(self.domains.values())
        for origin, atom, scope in several if self.possible else ():
            (own if self._place(atom, scope) else by_library).add(origin)
        for origin, how in enumerate(self.how):
            if how == "native" and (origin in own or origin not in by_library):
                self.how[origin] = "own"

    def _settle(self, atom: Atom) -> None:
        """Apply an atom over at most one variable once and for all."""
        formula, root = self._formulas.formula(atom), self._formulas.root
        if not formula.bounds({})[1]:
            self.possible = False
        for variable in formula.scope:
            gone = set(formula.refuted(variable, self.domains[variable], self._watch.due))
            kept = self.domains[variable] = [x for x in self.domains[variable] if x not in gone]
            root[variable] = (kept[0], kept[-1]) if kept else root[variable]

    def _place(self, atom: Atom, scope: tuple[list[int], list[int]]) -> bool:
        """Add the object for an atom over several variables; answer whether it is one of ours."""
        self._watch.due()
        plain = not scope[1]  # it speaks about decision variables only
        found = native(atom, lambda v: len(self.domains[v])) if plain else None
        if found is not None:
            self._placed.append(found)
            return False
        formula = self._formulas.formula(atom, scope)
        item = own(atom, plain)(formula, self._watch.due)
        self._placed.append((item, formula.scope))
        return True

    def _place_objective(self, lowered: Lowered) -> None:
        """Add the bound over all variables: a new incumbent must end branches over other variables too."""
        assert lowered.objective is not None
        (row,) = lowered.objective.rows()
        self.incumbent = Incumbent(row, lowered.maximizing, self._formulas)
        formula = self._formulas.formula(self.incumbent.atom)
        self._placed.append((ByBounds(formula, self._watch.due), list(self.domains)))


def _domains(model: Statement) -> dict[int, list[int]]:
    """Return the values of each decision variable, ascending; equal intervals share their list."""
    shared: dict[Any, list[int]] = {}
    found: dict[int, list[int]] = {}
    lower, upper = model.lower.tolist(), model.upper.tolist()
    for v in model.decisions.tolist():
        key = v if v in model.domains else (lower[v], upper[v])
        if key not in shared:
            shared[key] = model.domain_values(v, MOST_VALUES).tolist()
        found[v] = shared[key]
    return found


# ---- the library's own constraints -----------------------------------------------------------------------


LARGEST_SCOPE = 64
"""Variables of a native AllDifferent or count, at most: their work at the root and in each node is quadratic
in the number of variables and cannot be stopped; ours is not."""

LARGEST_DOMAIN = 1000
"""Values of a variable of a native constraint, at most: each hidden value costs them the domain's length."""

Native = tuple[Any, list[int]]
"""The library's constraint object and its variables in order."""


def _linear(atom: Atom) -> Native | None:
    """Take two plain variables compared with each other; the library's sums prune at one end only."""
    ((variables, coefficients, constant),) = atom.rows
    make = _PAIRS.get(atom.detail)
    if make is not None and sorted(coefficients) == [-1, 1] and not constant:
        return make(), list(variables)
    return None


_PAIRS: dict[str, Callable[..., Any]] = {
    "!=": library.AllDifferentConstraint,
    "==": library.AllEqualConstraint,
}


def _variables(rows: Sequence[Any]) -> list[int]:
    return [row[0][0] for row in rows]


def _all_different(atom: Atom) -> Native | None:
    if not are_variables(atom.rows):
        return None
    return library.AllDifferentConstraint(), _variables(atom.rows)


def _count(atom: Atom) -> Native | None:
    """Take the number of plain variables that have a constant value, against a constant."""
    (chosen, _, value), (counted, _, number), *terms = atom.rows
    if chosen or counted or not are_variables(terms) or atom.detail not in _COUNTS:
        return None
    return _COUNTS[atom.detail]({value}, number, len(terms)), _variables(terms)


_COUNTS: dict[str, Callable[[set[int], int, int], Any]] = {
    "==": lambda values, n, size: library.SomeInSetConstraint(values, n, True),
    ">=": lambda values, n, size: library.SomeInSetConstraint(values, n),
    ">": lambda values, n, size: library.SomeInSetConstraint(values, n + 1),
    "<=": lambda values, n, size: library.SomeNotInSetConstraint(values, size - n),
    "<": lambda values, n, size: library.SomeNotInSetConstraint(values, size - n + 1),
}


def _among(atom: Atom) -> Native | None:
    (_, _, number), *terms = atom.rows
    return library.SomeInSetConstraint(set(atom.detail), number, True), _variables(terms)


NATIVE: dict[str, Callable[[Atom], Native | None]] = {
    "AllDifferent": _all_different,
    "AllEqual": lambda atom: (library.AllEqualConstraint(), _variables(atom.rows)),
    "Among": _among,
    "Count": _count,
    "Linear": _linear,
}
"""From kind to the library's constraint for a plain atom over several variables, or None."""

UNLIMITED = ("AllEqual", "Among")
"""Kinds that have no own form here, so that the size does not matter."""


def native(atom: Atom, size: Callable[[int], int]) -> Native | None:
    """Return the library's own constraint for a plain atom, None where ours is to be used.

    ``size`` gives the number of values of a variable.
    """
    found = NATIVE[atom.kind](atom) if atom.kind in NATIVE else None
    if found is None or atom.kind in UNLIMITED:
        return found
    variables = found[1]
    if len(variables) > LARGEST_SCOPE or max(map(size, variables)) > LARGEST_DOMAIN:
        return None
    return found
