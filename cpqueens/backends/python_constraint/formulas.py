"""Atoms bounded over partial assignments: the definitions that they reach in order, then the atom.

What functions and truths may be while their terms lie in intervals, exact on single values.

An interval is a pair ``(low, high)``; a truth is one of (0, 0), (0, 1), (1, 1). Each meaning takes the
intervals of its terms, and a detail that some kinds have. Its interval may be wider than the true range of
values, never narrower; on single values it is exact, so that the same tables decide full assignments.

A lowered model as atoms: single truths and functions over rows of terms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, product
from typing import Any, NamedTuple

import numpy as np

from cpqueens.language.constraints.base import Constraint
from cpqueens.language.defined_functions import Element
from cpqueens.language.definitions import Definition, Truth
from cpqueens.language.rows import IntArray

Interval = tuple[int, int]
Meaning = Callable[[Sequence[Interval], Any], Interval]

FALSE: Interval = (0, 0)
UNKNOWN: Interval = (0, 1)
TRUE: Interval = (1, 1)


# ---- functions ------------------------------------------------------------------------------------------


def _rising(function: Callable[[Iterable[int]], int]) -> Meaning:
    """Return the meaning of a function that rises with all of its arguments."""
    return lambda terms, _: (function(low for low, _ in terms), function(high for _, high in terms))


def _extremes(function: Callable[..., int]) -> Meaning:
    """Return the meaning of a function that is monotone in each argument on either side of 0."""

    def meaning(terms: Sequence[Interval], _: None) -> Interval:
        values = [function(*corner) for corner in product(*map(_corners, terms))]
        return min(values), max(values)

    return meaning


def _corners(term: Interval) -> Sequence[int]:
    low, high = term
    return (low,) if low == high else (low, high, *(k for k in (-1, 0, 1) if low < k < high))


def _floored(x: int, y: int) -> int:
    """Return the quotient rounded down, 0 where it is undefined."""
    return x // y if y else 0


def _truncated(x: int, y: int) -> int:
    """Return the quotient rounded towards 0, 0 where it is undefined."""
    if not y:
        return 0
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


def _remainder(quotient: Callable[[int, int], int], signed: int) -> Meaning:
    """Return the meaning of the remainder with the sign of the argument ``signed``."""

    def meaning(terms: Sequence[Interval], _: None) -> Interval:
        (a, b), (c, d) = terms
        if c == d and c:
            q = quotient(a, c)
            if q == quotient(b, c):  # one period, in which the remainder rises with the dividend
                return a - c * q, b - c * q
        most = max(abs(c), abs(d), 1) - 1
        low, high = terms[signed]
        return -most if low < 0 else 0, most if high > 0 else 0

    return meaning


def _element(terms: Sequence[Interval], _: None) -> Interval:
    (a, b), *entries = terms
    reached = entries[max(a, 0) : max(b + 1, 0)]
    if a < 0 or b >= len(entries):
        reached.append((0, 0))  # the value where the function is undefined
    return min(low for low, _ in reached), max(high for _, high in reached)


# ---- truths ---------------------------------------------------------------------------------------------


RELATIONS: dict[str, Callable[[int, int], Interval]] = {
    "==": lambda low, high: (low == 0 == high, low <= 0 <= high),
    "!=": lambda low, high: (not low <= 0 <= high, not low == 0 == high),
    "<=": lambda low, high: (high <= 0, low <= 0),
    ">=": lambda low, high: (low >= 0, high >= 0),
    "<": lambda low, high: (high < 0, low < 0),
    ">": lambda low, high: (low > 0, high > 0),
}
"""The truth of ``term relation 0`` for a term between two values."""


def _linear(terms: Sequence[Interval], relation: str) -> Interval:
    return RELATIONS[relation](*terms[0])


def _different(terms: Sequence[Interval], _: None) -> Interval:
    known = [low for low, high in terms if low == high]
    if len(set(known)) < len(known):
        return FALSE
    return TRUE if len(known) == len(terms) else UNKNOWN


def _table(terms: Sequence[Interval], rows: IntArray) -> Interval:
    low, high = np.array(terms, dtype=np.int64).reshape(-1, 2).T
    if not ((rows >= low) & (rows <= high)).all(axis=1).any():
        return FALSE
    return TRUE if all(a == b for a, b in terms) else UNKNOWN


def _count(terms: Sequence[Interval], relation: str) -> Interval:
    (least, most), (fewest, largest), *counted = terms
    possible = [(a, b) for a, b in counted if a <= most and b >= least]
    sure = sum(a == b == least == most for a, b in possible)
    return RELATIONS[relation](sure - largest, len(possible) - fewest)


TRUTHS: dict[str, Meaning] = {
    "AllDifferent": _different,
    "And": _rising(partial(min, default=1)),
    "Count": _count,
    "Linear": _linear,
    "Or": _rising(partial(max, default=0)),
    "Table": _table,
}
"""From the kind of a constraint: what its terms' intervals say of its truth."""

MEANINGS: dict[str, Meaning] = TRUTHS | {
    "abs": _extremes(abs),
    "element": _element,
    "judged": lambda terms, judge: judge(terms[0]),
    "maximum": _rising(max),
    "minimum": _rising(min),
    "product": _extremes(lambda x, y: x * y),
    "quotient": _extremes(_floored),
    "quotient_truncated": _extremes(_truncated),
    "remainder": _remainder(_floored, 1),
    "remainder_truncated": _remainder(_truncated, 0),
    "square": _extremes(lambda x: x * x),
}
"""The truths, the definitions by their kinds, squares, and ``judged``: what the detail says of a term."""


Row = tuple[list[int], list[int], int]
"""A term: variables, coefficients, constant."""


@dataclass(frozen=True, slots=True)
class Atom:
    """One truth or one function: its kind, the terms it speaks about, and what else defines it."""

    kind: str
    rows: tuple[Row, ...]
    detail: Any = None


# ---- constraints and definitions as atoms ---------------------------------------------------------------


def _linear_atoms(constraint: Any) -> Iterator[Atom]:
    for row in constraint.expression.rows():
        yield Atom("Linear", (row,), constraint.relation)


def _connective(constraint: Any) -> Iterator[Atom]:
    rows, k = list(constraint.literals.rows()), constraint.literals.shape[-1]
    for i in range(constraint.size):
        yield Atom(constraint.kind, tuple(rows[i * k : (i + 1) * k]))


def _whole(*arguments: str, detail: str = "") -> Callable[[Any], Iterator[Atom]]:
    """Return what makes one atom of a constraint, with the terms of these arguments in this order."""

    def atom(constraint: Any) -> Iterator[Atom]:
        rows = tuple(row for name in arguments for row in getattr(constraint, name).rows())
        yield Atom(constraint.kind, rows, getattr(constraint, detail) if detail else None)

    return atom


ATOMS: dict[str, Callable[[Any], Iterator[Atom]]] = {
    "AllDifferent": _whole("terms"),
    "AllEqual": _whole("terms"),
    "Among": _whole("count", "terms", detail="values"),
    "And": _connective,
    "Count": _whole("value", "count", "terms", detail="relation"),
    "Linear": _linear_atoms,
    "Or": _connective,
    "Table": _whole("terms", detail="rows"),
}
"""From kind to the elements of a constraint of this kind, in order."""


def functions(definition: Definition) -> Iterator[Atom]:
    """Yield an atom for each result of a block."""
    if isinstance(definition, Truth):
        yield from ATOMS[definition.constraint.kind](definition.constraint)
    elif isinstance(definition, Element):
        table = tuple(definition.table.rows())
        for row in definition.position.rows():
            yield Atom("element", (row, *table))
    else:
        for rows in zip(*(a.rows() for a in definition.arguments), strict=True):
            is_square = definition.kind == "product" and rows[0] == rows[1]
            yield Atom("square", rows[:1]) if is_square else Atom(definition.kind, rows)


# ---- what is supported ----------------------------------------------------------------------------------


def supports(constraint: Constraint, context: str) -> bool:
    """Say whether this backend takes the constraint as it is in this context."""
    kind = constraint.kind
    if kind in TRUTHS:
        return True
    return context == "plain" and kind in ONLY_NATIVE and ONLY_NATIVE[kind](constraint)


def are_variables(rows: Iterable[Row]) -> bool:
    """Say whether the rows are different single variables with nothing around them."""
    seen: set[int] = set()
    for variables, coefficients, constant in rows:
        if coefficients != [1] or constant or variables[0] in seen:
            return False
        seen.add(variables[0])
    return True


def _over_decisions(constraint: Any) -> bool:
    rows = list(constraint.terms.rows())
    defined = constraint.terms.registry.is_defined
    return len(rows) > 1 and are_variables(rows) and not any(defined[row[0][0]] for row in rows)


def _among_constant(constraint: Any) -> bool:
    return _over_decisions(constraint) and not any(row[0] for row in constraint.count.rows())


ONLY_NATIVE: dict[str, Callable[[Any], bool]] = {"AllEqual": _over_decisions, "Among": _among_constant}
"""Kinds that only the library's own constraints take, and when; else they are decomposed."""


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
        self._rank: dict[int, int] = {}
        for definition in chain.from_iterable(block.split() for block in definitions):
            for v, atom in zip(definition.results.tolist(), functions(definition), strict=True):
                self._rank[v] = len(self._rank)
                self._steps[v] = Step(v, _operands(atom), _bounded(atom))

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

    def formula(self, atom: Atom, scope: tuple[list[int], list[int]] | None = None) -> Formula:
        """Return the atom, whose ``scope`` may be known, as a function of the decision variables."""
        decisions, defined = scope or self.scope(atom)
        return Formula(atom, self, decisions, [self._steps[v] for v in defined])


class Formula:
    """An atom over the decision variables ``scope``."""

    def __init__(self, atom: Atom, formulas: Formulas, scope: list[int], steps: list[Step]) -> None:
        self.atom, self.scope, self._steps = atom, scope, steps
        self.root, self._ends = formulas.root, formulas.ends

    @cached_property
    def _result(self) -> Bounded:
        """What bounds the atom: asked for by constraints that know it by nothing else."""
        return _bounded(self.atom)

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
        v, a = variables[0], coefficients[0]
        if a == 1 and constant == 0:
            return lambda ends: ends[v]
        low, high = (0, 1) if a > 0 else (1, 0)
        return lambda ends: (a * ends[v][low] + constant, a * ends[v][high] + constant)
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
