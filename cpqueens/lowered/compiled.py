"""A model as plain arrays: what both own engines read.

Variables are renumbered: the decision variables first, in their order, then the defined ones that are
reached, in an order of evaluation. Constraints are those of the kernel core; everything else has been
decomposed. Terms lie one after the other in compressed rows (`Terms`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain, repeat
from typing import Any, TypeVar

import numpy as np

from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray, Mask
from cpqueens.language.term import Term

Made = TypeVar("Made")

EQ, NE, LE, GE = 0, 1, 2, 3
"""Codes of the relations of linear rows; strict ones are made non-strict by their constant."""

RELATIONS = {"==": (EQ, 0), "!=": (NE, 0), "<=": (LE, 0), "<": (LE, 1), ">=": (GE, 0), ">": (GE, -1)}
"""Of each relation its code, and what is added to ``term relation 0``."""

Singles = tuple[IntArray, IntArray, IntArray]
"""Variables, coefficients and constants of terms of one variable each."""


def offsets(lengths: Sequence[int] | IntArray) -> IntArray:
    """Return where each of some parts begins that lie one after the other, and last where they end."""
    start = np.zeros(len(lengths) + 1, dtype=np.int64)
    if len(lengths):
        np.add.accumulate(lengths, out=start[1:])
    return start


_SHORT = 64
"""Numbers up to which a look at them takes longer than to sort them."""


def stable_order(keys: IntArray) -> IntArray:
    """Return the stable order of some integers: ``np.argsort(keys, kind="stable")``.

    Numbers near each other are sorted by 16 bits at a time, which NumPy does by radix.
    """
    if len(keys) <= _SHORT:
        return keys.argsort(kind="stable")
    low, high = int(keys.min(initial=0)), int(keys.max(initial=0))
    if high - low >= 1 << 32:
        return keys.argsort(kind="stable")
    rest = keys - low
    order: IntArray = rest.astype(np.uint16).argsort(kind="stable")
    if high - low >= 1 << 16:
        order = order[(rest >> 16).astype(np.uint16)[order].argsort(kind="stable")]
    return order


@dataclass(frozen=True)
class Terms:
    """Terms in compressed rows.

    Term ``t`` is the sum of ``coefficient[k] * x[variable[k]]`` for k in ``start[t]:start[t + 1]`` plus
    ``constant[t]``.
    """

    start: IntArray
    variable: IntArray
    coefficient: IntArray
    constant: IntArray

    def __len__(self) -> int:
        return len(self.constant)

    @property
    def lengths(self) -> IntArray:
        """How many variables each term has."""
        return self.start[1:] - self.start[:-1]

    @property
    def owners(self) -> IntArray:
        """Of each entry the term."""
        return np.arange(len(self)).repeat(self.lengths)

    def row(self, t: int) -> tuple[IntArray, IntArray, int]:
        """Return variables, coefficients and constant of one term."""
        a, b = self.start[t], self.start[t + 1]
        return self.variable[a:b], self.coefficient[a:b], int(self.constant[t])

    def picked(self, which: IntArray) -> Terms:
        """Return the terms numbered ``which``, in that order."""
        first = self.start[which]
        lengths = self.start[which + 1] - first
        start = offsets(lengths)
        entry = (first - start[:-1]).repeat(lengths) + np.arange(start[-1])
        return Terms(start, self.variable[entry], self.coefficient[entry], self.constant[which])

    def groups(self, start: IntArray, kept: Mask) -> tuple[Terms, IntArray]:
        """Return some of the groups ``start[k]`` .. ``start[k + 1] - 1`` of terms, and where each begins."""
        lengths = np.diff(start)
        return self.picked(np.flatnonzero(kept.repeat(lengths))), offsets(lengths[kept])

    def variables_or(self, other: int) -> IntArray:
        """Return of each term the variable that it is, ``other`` if it is none."""
        first = np.minimum(self.start[:-1], len(self.variable) - 1)  # of a term without any, another's
        plain = (self.lengths == 1) & (self.constant == 0)
        if not len(self.variable):
            return np.full(len(self), other, dtype=np.int64)
        found: IntArray = np.where(plain & (self.coefficient[first] == 1), self.variable[first], other)
        return found

    def part(self, first: int, last: int) -> Terms:
        """Return the terms ``first`` .. ``last - 1``."""
        start = self.start[first : last + 1]
        entries = slice(int(start[0]), int(start[-1]))
        return Terms(
            start - start[0], self.variable[entries], self.coefficient[entries], self.constant[first:last]
        )

    def singles(self, first: int, last: int) -> Singles | None:
        """Return the terms ``first`` .. ``last - 1``, as views, if each has one variable; else None."""
        start = self.start[first : last + 1]
        if (start[1:] - start[:-1] != 1).any():
            return None
        part = slice(int(start[0]), int(start[-1]))
        return self.variable[part], self.coefficient[part], self.constant[first:last]

    def divided(self, relation: IntArray) -> Terms:
        """Return rows divided by what their coefficients have in common; what cannot be 0 is a number then.

        ``2 * x + 4 * y == 7`` of wide domains would be refuted value after value.
        """
        if (abs(self.coefficient) == 1).all():  # mostly
            return self
        lengths, constant = self.lengths, self.constant
        some, common = np.flatnonzero(lengths), np.ones(len(self), dtype=np.int64)
        common[some] = np.gcd.reduceat(np.abs(self.coefficient), self.start[some]) if len(some) else 1
        if (common == 1).all():
            return self
        least = np.where(relation == LE, -(-constant // common), constant // common)
        kept = (least * common == constant) | (relation == LE) | (relation == GE)
        entry = kept.repeat(lengths)
        coefficient = (self.coefficient // common.repeat(lengths))[entry]
        return Terms(offsets(lengths * kept), self.variable[entry], coefficient, np.where(kept, least, 1))


NO_TERMS = Terms(np.zeros(1, dtype=np.int64), *(np.zeros(0, dtype=np.int64) for _ in range(3)))
_NO_CODES, _NO_STARTS = partial(np.array, (), dtype=np.int64), partial(np.array, (0,), dtype=np.int64)


def joined(parts: Sequence[Terms]) -> Terms:
    """Return all terms, one part after the other."""
    if not parts:
        return NO_TERMS
    columns = [(p.lengths, p.variable, p.coefficient, p.constant) for p in parts]
    lengths, *others = map(np.concatenate, zip(*columns, strict=True))
    return Terms(offsets(lengths), *others)


@dataclass(frozen=True, kw_only=True)
class Compiled:
    """A lowered model as arrays.

    Attributes
    ----------
    lower, upper
        Bounds of all variables, decision variables first.
    domains
        Explicit domains with gaps, by variable.
    linear, relation
        One term and one code (`EQ`, `NE`, `LE`, `GE`) for each relation ``term relation 0``.
    literals, clause_start
        The 0/1 terms of all clauses; clause c has those of ``clause_start[c]:clause_start[c + 1]``.
    different, different_start
        The terms of all AllDifferents, likewise.
    tables
        Pairs of terms and allowed rows.
    counts
        (terms, value term, relation code, count term) with the relation on ``number - count``.
    wholes
        Constraints that an engine takes as they are.
    definitions
        In an order of evaluation; see `Definitions`.
    objective
        One term to be minimised, or None; of several, as local search makes them of one, the largest is.
    stated
        The model's own number of each variable; -1 for those of a decomposition.
    how
        Per constraint of the model, ``own`` (a kernel handles it) or ``decomposed``.
    precedence
        Variables, and values that are to appear among them in this order for the first time; an engine adds
        it, no model.
    """

    decision_count: int
    lower: IntArray
    upper: IntArray
    domains: dict[int, IntArray]
    linear: Terms = NO_TERMS
    relation: IntArray = field(default_factory=_NO_CODES)
    literals: Terms = NO_TERMS
    clause_start: IntArray = field(default_factory=_NO_STARTS)
    different: Terms = NO_TERMS
    different_start: IntArray = field(default_factory=_NO_STARTS)
    tables: list[tuple[Terms, IntArray]] = field(default_factory=list)
    counts: list[tuple[Terms, Terms, int, Terms]] = field(default_factory=list)
    wholes: list[Whole]
    definitions: Definitions
    objective: Terms | None
    maximizing: bool
    stated: IntArray
    how: list[str] = field(default_factory=list)
    precedence: list[tuple[list[int], list[int]]] = field(default_factory=list)
    _made: dict[Callable[[Any], Any], Any] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def once(self, make: Callable[[Compiled], Made]) -> Made:
        """Return what a function makes of these arrays, when it is first asked for; nobody changes it."""
        if make not in self._made:
            self._made[make] = make(self)
        made: Made = self._made[make]
        return made

    @property
    def variable_count(self) -> int:
        """Number of variables, defined ones included."""
        return len(self.lower)

    @property
    def is_linear(self) -> bool:
        """Whether all but `wholes` is linear rows and clauses."""
        parts = self.tables or self.counts or self.definitions or len(self.different)
        return not (parts or (self.relation == NE).any())


@dataclass(frozen=True)
class Whole:
    """A constraint that an engine takes as it is."""

    constraint: Any
    _number: IntArray

    def terms(self, array: LinearArray) -> Terms:
        """Return terms of the constraint under renumbered variables."""
        return _terms(self._number, [array])

    def all_variables(self) -> list[IntArray]:
        """Return the renumbered variables of each of its arguments, some more than once."""
        return [self._number[a.variables[a.coefficients != 0]] for a in self.constraint.arguments]

    def variables(self, array: LinearArray) -> list[int] | None:
        """Return the renumbered variables that terms of the constraint are, None if one is none."""
        if type(array) is Term and array.variable_list and array.literal() == array.variable_list[0]:
            return [self._number.item(array.variable_list[0])]
        if array.width != 1 or not (array.coefficients == 1).all() or array.constants.any():
            return None
        found: list[int] = self._number[array.variables[:, 0]].tolist()
        return found


@dataclass(frozen=True)
class DefinitionBlock:
    """Defined variables of one kind and relation, one after the other, with equally many arguments.

    None of them needs another one.
    ``kind`` is a definition's kind (abs, product, ...), ``truth_linear`` (with ``relation``) or
    ``truth_or``. The arguments of ``results[k]`` are the terms ``each * k`` .. ``each * (k + 1) - 1`` (for
    ``element``: the position, then the table), which may be results before it.
    """

    kind: str
    results: IntArray
    terms: Terms
    each: int
    relation: int = EQ

    @property
    def is_truth(self) -> bool:
        """Whether they are truths of constraints, not values of functions."""
        return self.kind in ("truth_linear", "truth_or")

    @property
    def is_table(self) -> bool:
        """Whether it is one element of numbers, at a place that depends on one variable."""
        return self.kind == "element" and self.terms.start.item(1) == self.terms.start.item(-1) == 1

    def part(self, first: int, last: int) -> DefinitionBlock:
        """Return the definitions numbered ``first`` .. ``last - 1``."""
        if last - first == len(self.results):
            return self
        terms = self.terms.part(first * self.each, last * self.each)
        return DefinitionBlock(self.kind, self.results[first:last], terms, self.each, self.relation)

    @property
    def result(self) -> int:
        """The only defined variable."""
        return int(self.results[0])

    def __iter__(self) -> Iterator[DefinitionBlock]:
        """Yield a block for each definition."""
        return (self.part(k, k + 1) for k in range(len(self.results)))


class Definitions:
    """Defined variables in an order of evaluation; single ones are made where somebody asks for them.

    Models have them by the thousand, mostly of few sorts.
    """

    def __init__(self, blocks: Sequence[DefinitionBlock]) -> None:
        self.blocks = blocks

    @cached_property
    def _singles(self) -> list[DefinitionBlock]:
        return list(chain.from_iterable(self.blocks))

    def __len__(self) -> int:
        return sum(len(block.results) for block in self.blocks)

    def __iter__(self) -> Iterator[DefinitionBlock]:
        return iter(self._singles)

    def __getitem__(self, k: int) -> DefinitionBlock:
        return self._singles[k]


def side_by_side(parts: Iterable[DefinitionBlock]) -> Definitions:
    """Return definitions, in an order of evaluation, with those in one block that are of a sort and adjoin.

    One that needs another one of the block begins the next.
    """
    groups: list[list[DefinitionBlock]] = []
    for part in parts:
        first = groups[-1][0] if groups else part
        same = (first.kind, first.relation, first.each) == (part.kind, part.relation, part.each)
        if groups and same and part.terms.variable.max(initial=-1) < first.results[0]:
            groups[-1].append(part)
        else:
            groups.append([part])
    return Definitions([_one(same) for same in groups])


def _one(same: Sequence[DefinitionBlock]) -> DefinitionBlock:
    results, terms = np.concatenate([one.results for one in same]), joined([one.terms for one in same])
    return replace(same[0], results=results, terms=terms)


def _terms(number: IntArray, arrays: Iterable[LinearArray], shifts: Iterable[int] = repeat(0)) -> Terms:
    """Return all terms of some arrays under renumbered variables, a shift added to each array's constants."""
    columns = []
    for a, shift in zip(arrays, shifts, strict=False):
        own = a.constants + shift
        columns.append((np.full(len(own), a.width), a.variables.reshape(-1), a.coefficients.reshape(-1), own))
    if not columns:
        return NO_TERMS
    lengths, variables, coefficients, constants = (
        columns[0] if len(columns) == 1 else map(np.concatenate, zip(*columns, strict=True))
    )
    if not coefficients.all():
        kept = coefficients != 0
        lengths = np.diff(offsets(kept)[offsets(lengths)])
        variables, coefficients = variables[kept], coefficients[kept]
    return Terms(offsets(lengths), number[variables], coefficients, constants)
