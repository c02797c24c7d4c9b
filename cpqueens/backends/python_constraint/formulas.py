"""Atoms bounded over partial assignments: the definitions that they reach in order, then the atom."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from cpqueens.backends.python_constraint.atoms import Atom, Row, functions
from cpqueens.backends.python_constraint.bounds import FALSE, MEANINGS, TRUE, UNKNOWN, Interval
from cpqueens.language.definitions import Definition

Ends = dict[int, Interval]
"""The interval of each variable, decision variables and defined ones."""

Bounded = Callable[[Ends], Interval]
"""The interval of a term, of a defined variable or of a truth for those of the variables."""


class Step(NamedTuple):
    """How a defined variable follows from its operands."""

    result: int
    operands: set[int]
    bounded: Bounded


class Formulas:
    """What each defined variable stands for, in an order of evaluation, and the ends of all variables.

    ``root`` has the ends of the decision variables' domains, and may be narrowed before formulas are made of
    atoms. The definitions are never variables of the library.
    """

    def __init__(self, definitions: Iterable[Definition], root: Ends) -> None:
        self.root = root
        self.ends: Ends = {}  # of the search, written anew by each formula before it reads them
        self._steps: dict[int, Step] = {}
        for definition in [part for block in definitions for part in block.split()]:
            for v, atom in zip(definition.results.tolist(), functions(definition), strict=True):
                self._steps[v] = Step(v, _operands(atom), _bounded(atom))
        self._rank = {variable: k for k, variable in enumerate(self._steps)}

    def is_plain(self, atom: Atom) -> bool:
        """Say whether the atom speaks about decision variables only."""
        return self._steps.keys().isdisjoint(_operands(atom))

    def scope(self, atom: Atom) -> tuple[list[int], list[int]]:
        """Return the decision variables, ascending, and the defined ones, in order, that it depends on."""
        decisions: set[int] = set()
        defined: set[int] = set()
        pending = _operands(atom)
        while pending:
            v = pending.pop()
            if v not in self._steps:
                decisions.add(v)
            elif v not in defined:
                defined.add(v)
                pending |= self._steps[v].operands
        return sorted(decisions), sorted(defined, key=self._rank.__getitem__)

    def formula(self, atom: Atom) -> Formula:
        """Return the atom as a function of the decision variables."""
        decisions, defined = self.scope(atom)
        return Formula(atom, self, decisions, [self._steps[v] for v in defined])


class Formula:
    """An atom over the decision variables ``scope``."""

    def __init__(self, atom: Atom, formulas: Formulas, scope: list[int], steps: list[Step]) -> None:
        self.atom, self.scope = atom, scope
        self.root, self._ends = formulas.root, formulas.ends
        self._steps, self._result = steps, _bounded(atom)

    def bounds(self, assigned: Mapping[int, int]) -> Interval:
        """Return the interval of the atom for a partial assignment."""
        ends, root = self._ends, self.root
        for v in self.scope:
            value = assigned.get(v)
            ends[v] = root[v] if value is None else (value, value)
        for v, _, bounded in self._steps:
            ends[v] = bounded(ends)
        return self._result(ends)

    def refuted(self, variable: int, values: Sequence[int], due: Callable[[], None]) -> list[int]:
        """Return the values that a variable cannot have beside what `bounds` was asked for last.

        ``due`` is called between values, and may end it all by an exception.
        """
        ends, steps, refuted = self._ends, self._steps_after(variable), []
        for value in values:
            due()
            ends[variable] = (value, value)
            for v, bounded in steps:
                ends[v] = bounded(ends)
            if self._result(ends)[1] <= 0:
                refuted.append(value)
        return refuted

    def _steps_after(self, variable: int) -> list[tuple[int, Bounded]]:
        """Return the steps that depend on a variable."""
        affected, steps = {variable}, []
        for v, operands, bounded in self._steps:
            if not affected.isdisjoint(operands):
                affected.add(v)
                steps.append((v, bounded))
        return steps


def _operands(atom: Atom) -> set[int]:
    return {v for row in atom.rows for v in row[0]}


def _bounded(atom: Atom) -> Bounded:
    meaning, detail, terms = MEANINGS[atom.kind], atom.detail, [_term(row) for row in atom.rows]
    return lambda ends: meaning([term(ends) for term in terms], detail)


def _term(row: Row) -> Bounded:
    """Return what bounds a term; single variables, the usual case, get the short forms."""
    variables, coefficients, constant = row
    if not variables:
        return lambda ends: (constant, constant)
    if len(variables) == 1:
        return _affine(variables[0], coefficients[0], constant)
    pairs = list(zip(variables, coefficients, strict=True))

    def several(ends: Ends) -> Interval:
        least = most = constant
        for v, a in pairs:
            low, high = ends[v]
            if a < 0:
                low, high = high, low
            least += a * low
            most += a * high
        return least, most

    return several


def _affine(v: int, a: int, c: int) -> Bounded:
    if a == 1 and c == 0:
        return lambda ends: ends[v]
    if a > 0:
        return lambda ends: (a * ends[v][0] + c, a * ends[v][1] + c)
    return lambda ends: (a * ends[v][1] + c, a * ends[v][0] + c)


class Incumbent:
    """Branch and bound for a library without it: the best objective value so far, and "better" as an atom.

    Maximising is minimising the negated objective; ``value`` and ``root_bound`` are in the model's sense.
    """

    def __init__(self, row: Row, maximizing: bool, formulas: Formulas) -> None:
        self._sign = -1 if maximizing else 1
        variables, coefficients, constant = row
        signed = (variables, [self._sign * a for a in coefficients], self._sign * constant)
        self._best: int | None = None
        self._objective = formulas.formula(Atom("judged", (signed,), lambda interval: interval))
        self.atom = Atom("judged", (signed,), self._better)
        self.is_constant = not self._objective.scope
        self.root_bound = self._sign * self._objective.bounds({})[0]

    @property
    def value(self) -> int | None:
        """The best value, None before the first solution."""
        return None if self._best is None else self._sign * self._best

    def improve(self, solution: Mapping[int, int]) -> None:
        """Take over the value of a solution, which is better than all before."""
        self._best = self._objective.bounds(solution)[0]

    def _better(self, objective: Interval) -> Interval:
        """Return the truth of "better than the best so far" for an objective within the interval."""
        if self._best is None or objective[1] < self._best:
            return TRUE
        return UNKNOWN if objective[0] < self._best else FALSE
