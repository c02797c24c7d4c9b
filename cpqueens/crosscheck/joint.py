"""Two models as one: over the variables that they share, with what the second refuses as truths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from cpqueens.answers.outcome import Solution
from cpqueens.backends.clock import now
from cpqueens.crosscheck.functional import functions_of
from cpqueens.crosscheck.matching import Side
from cpqueens.crosscheck.wording import Said, parts_of
from cpqueens.language.arrays import of_rows
from cpqueens.language.constraints.all_different import AllDifferent
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.table import Table
from cpqueens.language.expressions import BoolArray, LinearArray
from cpqueens.language.linear_rows import Row
from cpqueens.language.rebuild import Rebuilder, domain_of, new_variable
from cpqueens.language.rows import IntArray
from cpqueens.model import Model

_VALUES = 4
"""Values per term up to which "two are equal" is said value by value."""


class OutOfTimeError(Exception):
    """Two models are so large that writing them as one takes longer than there is time."""


class Joint:
    """The first model written anew, to which parts of the second are added over the shared variables."""

    def __init__(
        self, first: Side, second: Side, pairs: Sequence[tuple[int, int]], end: float = float("inf")
    ) -> None:
        """Write the first model; raise `OutOfTimeError` at a time (`clock.now`), here and later."""
        self._end = end
        self.model = Model(f"{first.name} and {second.name}")
        self.first, self.second, self.pairs = first, second, pairs
        self._place: dict[int, Any] = {}
        rows: dict[int, Row] = {}
        for v in first.model.decisions.tolist():
            created = new_variable(self.model, domain_of(first.model, v), f"v{v}")
            self._place[v] = created
            rows[v] = _row(created)
        self._first = Rebuilder(first.model, self.model, rows)
        self._stated = list(self._rebuild(first, self._first))
        self._second_rows: dict[int, Row] = {w: rows[v] for v, w in pairs}
        self._look_at_clock()
        self._functions = functions_of(second.model, set(self._second_rows))
        """Of the second's own variables those that follow from the shared ones."""

    def _rebuild(self, side: Side, rebuilder: Rebuilder) -> Iterator[Constraint]:
        """Post all that a model says, and yield each constraint."""
        for stated in side.joined:
            self._look_at_clock()
            constraint = rebuilder.constraint(stated)
            self.model.add(constraint)
            yield constraint

    def _look_at_clock(self) -> None:
        if now() > self._end:
            raise OutOfTimeError

    def values(self, solution: Solution) -> list[int]:
        """Return the values of the shared variables."""
        return [int(solution[self._place[v]]) for v, _ in self.pairs]

    def functional_values(self, solution: Solution) -> dict[int, int]:
        """Return the values of the second's variables that are functions of the shared ones."""
        rebuilder = self._rebuilder({})
        terms = {w: of_rows(self.model, [rebuilder.row(w)], ()) for w in self._functions}
        return {w: int(solution[term]) for w, term in terms.items()}

    def free(self) -> list[int]:
        """Return the second's own variables that are no functions of the shared ones."""
        return [w for w in self.second.private(self._second_rows) if w not in self._functions]

    def refusals(self, own: set[int]) -> list[BoolArray]:
        """Return what the second model refuses, a truth for each constraint that is not in ``own``.

        In those that are, by their positions in what it states, it has free variables.
        """
        rebuilder = self._rebuilder({})
        said = Said(self.model)  # what the second says too needs no proof
        for constraint in self._stated:
            self._look_at_clock()
            said.learn(constraint)
        found: list[Any] = []
        for v, w in self.pairs:
            found += _outside(self._place[v], domain_of(self.first.model, v), domain_of(self.second.model, w))
        for w in self._functions:
            term = of_rows(self.model, [rebuilder.row(w)], ())
            low, high = (int(end[0]) for end in term.bounds())
            found += _outside(term, (low, high), domain_of(self.second.model, w))
        stated = self.second.joined if not own else _but(self.second.stated, own)
        constraints = [(rebuilder.constraint(one).flattened(), one) for one in stated]
        unknown = [(there, one) for there, one in constraints if _new(said, there)]
        for constraint in self._stated if unknown else ():
            self._look_at_clock()
            said.learn_parts(constraint)
        for constraint, one in unknown:
            self._look_at_clock()
            found += _negated(said, constraint, one)
        return found

    def objectives(self) -> tuple[list[LinearArray], list[LinearArray]]:
        """Return the terms of both models' objectives, as far as all variables are known."""
        both = (self._first, self.first), (self._rebuilder({}), self.second)
        mine, theirs = ([rebuilder.array(goal.term) for goal in side.whole.goals] for rebuilder, side in both)
        return mine, theirs

    def refusals_beside(self, own: set[int], values: Mapping[int, int]) -> list[BoolArray]:
        """Return what the constraints in ``own`` refuse where the free variables have the values."""
        rebuilder = self._rebuilder(values)
        return [~rebuilder.constraint(self.second.stated[k]) for k in sorted(own)]

    def _rebuilder(self, values: Mapping[int, int]) -> Rebuilder:
        constants: dict[int, Row] = {w: ((), (), value) for w, value in values.items()}
        rebuilder = Rebuilder(self.second.model, self.model, {**self._second_rows, **constants})
        for w, function in self._functions.items():
            rebuilder.replace(w, function(rebuilder))
        return rebuilder

    def post_second(self) -> None:
        """Add the second model whole, with variables of its own."""
        rows = dict(self._second_rows)
        for w in self.second.model.decisions.tolist():
            domain = domain_of(self.second.model, w)
            if w in rows:
                self.model.add(_inside(of_rows(self.model, [rows[w]], ()), domain))
            else:
                rows[w] = _row(new_variable(self.model, domain, f"w{w}"))
        for _ in self._rebuild(self.second, Rebuilder(self.second.model, self.model, rows)):
            pass


def _negated(said: Said, constraint: Constraint, stated: Constraint) -> list[BoolArray]:
    """Return the negation of what is not said in the same words, and was ``stated`` of the second model."""
    parts = parts_of(constraint)
    known = [_new(said, part) for part in parts]
    if any(len(new) < part.size for new, part in zip(known, parts, strict=True)):
        return [~part.take(np.array(new)) for new, part in zip(known, parts, strict=True) if new]
    new = _new(said, constraint)
    if new and isinstance(constraint, AllDifferent) and isinstance(stated, AllDifferent):
        return _repeated(constraint, stated)
    return [~constraint.take(np.array(new))] if new else []


def _repeated(constraint: AllDifferent, stated: AllDifferent) -> list[BoolArray]:
    """Return what says that two terms have one value, value by value where these are few.

    Against a model that says with 0/1 variables who has a value, each of these is refuted at once; that some
    pair is equal takes search. Which values there are says the second model, where the constraint is
    ``stated``: what is outside its domains is refused besides.
    """
    model: Any = stated.registry
    lows, highs = (ends.reshape(-1) for ends in stated.terms.bounds())
    least, most = (int(lows.min()), int(highs.max())) if lows.size else (0, 0)
    if most - least > _VALUES * lows.size or (model.has_partial and model.partial_terms(stated.terms).any()):
        return [~constraint]
    terms, found = constraint.terms.reshape(-1), []
    for value in range(least, most + 1):
        able = np.flatnonzero((lows <= value) & (highs >= value))
        if able.size > 1:
            found.append((terms[able] == value).sum() >= 2)
    return found


def _new(said: Said, constraint: Constraint) -> list[int]:
    """Return which elements do not follow from what is said."""
    return [k for k, follows in enumerate(said.of(constraint)) if not follows]


def _row(array: Any) -> Row:
    ((variables, coefficients, constant),) = array.reshape(-1).rows()
    return tuple(variables), tuple(coefficients), constant


def _but(constraints: Sequence[Constraint], positions: set[int]) -> list[Constraint]:
    return [c for k, c in enumerate(constraints) if k not in positions]


def reached_constraints(side: Side, variables: Sequence[int]) -> set[int]:
    """Return which of the stated constraints reach some variables, also through definitions."""
    if not variables:
        return set()
    reaches = reaching(side.model, variables)
    return {k for k, stated in enumerate(side.stated) if any(map(reaches, stated.arguments))}


def reaching(model: Model, variables: Sequence[int]) -> Callable[[LinearArray], bool]:
    """Return what says whether terms depend on some of the variables, also through definitions."""
    wanted = set(variables)
    reached: dict[int, bool] = {}

    def reaches(variable: int) -> bool:
        if variable not in reached:
            made = model.producer(variable)
            if made is None:
                reached[variable] = variable in wanted
            else:
                definition, at = made
                one = definition.take(np.array([at]), definition.results[[at]])
                reached[variable] = any(reaches(v) for array in _arguments(one) for v in _scope(array))
        return reached[variable]

    return lambda array: any(map(reaches, _scope(array)))


def _arguments(definition: Any) -> Iterable[Any]:
    inner = getattr(definition, "constraint", None)
    return inner.arguments if isinstance(inner, Constraint) else definition.arguments


def _scope(array: Any) -> list[int]:
    return [v for variables, _, _ in array.rows() for v in variables]


def _inside(x: Any, domain: IntArray | tuple[int, int]) -> list[Any]:
    """Return constraints that keep a term in a domain."""
    if isinstance(domain, tuple):
        return [x >= domain[0], x <= domain[1]]
    return [Table([x], [[int(value)] for value in domain])]


def _outside(x: Any, mine: IntArray | tuple[int, int], theirs: IntArray | tuple[int, int]) -> list[BoolArray]:
    """Return truths of which one holds where a term with values in ``mine`` is outside ``theirs``."""
    low, high = theirs if isinstance(theirs, tuple) else (int(theirs[0]), int(theirs[-1]))
    found: list[Any] = []
    least, most = mine if isinstance(mine, tuple) else (int(mine[0]), int(mine[-1]))
    if least < low:
        found.append(x < low)
    if most > high:
        found.append(x > high)
    if not isinstance(theirs, tuple):
        gaps = np.flatnonzero(np.diff(theirs) > 1)
        for left, right in zip(theirs[gaps].tolist(), theirs[gaps + 1].tolist(), strict=True):
            if not isinstance(mine, tuple) and not ((mine > left) & (mine < right)).any():
                continue
            found.append((x > left) & (x < right))
    return found


def in_domain(model: Model, variable: int, value: int) -> bool:
    """Say whether a variable may have a value."""
    domain = domain_of(model, variable)
    return domain[0] <= value <= domain[1] if isinstance(domain, tuple) else bool((domain == value).any())


def any_value(model: Model, variable: int) -> int:
    """Return the first value of a variable's domain."""
    domain = domain_of(model, variable)
    return int(domain[0])
