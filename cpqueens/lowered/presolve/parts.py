"""Independent parts of a model: no constraint connects a variable of one with a variable of another.

What propagation at the root has fixed connects nothing. A model has the solutions of its parts put together:
their numbers are multiplied, with the values of the variables that no constraint looks at.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress

import numpy as np

from cpqueens.language.rows import IntArray, Mask
from cpqueens.lowered.compiled import Compiled, Terms, offsets, side_by_side, stable_order

MOST = 32
"""Parts that are searched apart; of more the smallest are one."""


@dataclass(frozen=True)
class IndependentParts:
    """The parts of a model within some bounds.

    Attributes
    ----------
    compiled
        The model within these bounds.
    members
        The variables of each part that have several values, ascending, defined ones too.
    free
        The decision variables that have several values, and are in no constraint.
    """

    compiled: Compiled
    members: list[IntArray]
    free: IntArray

    @property
    def choices(self) -> int:
        """In how many ways the free variables have values."""
        c, spans = self.compiled, (self.compiled.upper - self.compiled.lower + 1).tolist()
        return math.prod(len(c.domains[v]) if v in c.domains else spans[v] for v in self.free.tolist())

    @cached_property
    def searched(self) -> list[IntArray]:
        """The parts to be searched apart: free variables are one, and so are small parts of many."""
        groups = [*self.members, *([self.free] if len(self.free) else [])]
        order = sorted(range(len(groups)), key=lambda k: (-len(groups[k]), k))
        few = sorted(order[: MOST - 1])
        rest = [groups[k] for k in sorted(order[MOST - 1 :])]
        return [groups[k] for k in few] + ([np.sort(np.concatenate(rest))] if rest else [])

    @property
    def models(self) -> list[Compiled]:
        """The models of the parts to be searched apart, in the variables of the whole one."""
        label = self.label(self.compiled.variable_count)
        return [restricted(self.compiled, label, k) for k in range(len(self.searched))]

    def label(self, count: int) -> IntArray:
        """Return in which of the parts to be searched apart the first so many variables are, or -1."""
        label = np.full(self.compiled.variable_count, -1)
        for k, part in enumerate(self.searched):
            label[part] = k
        return label[:count]

    def models_of(self, c: Compiled) -> list[Compiled] | None:
        """Return the models of the same parts in another form of the model; None if it connects them."""
        label = np.full(c.variable_count, -1)
        label[: c.decision_count] = self.label(c.decision_count)
        for d in c.definitions:
            label[d.result] = label[d.terms.variable].max(initial=-1)
        for scope, owner, many in scopes_of(c):
            mine, owner = label[scope], owner[label[scope] >= 0]
            least, most = np.full(many, len(label)), np.full(many, -1)
            np.minimum.at(least, owner, mine[mine >= 0])
            np.maximum.at(most, owner, mine[mine >= 0])
            if (least < most).any():
                return None
        return [restricted(c, label, k) for k in range(len(self.searched))]


def parts_of(c: Compiled, lower: IntArray, upper: IntArray) -> IndependentParts:
    """Return the parts of a model within bounds; nothing needs to have been propagated."""
    is_open = lower < upper
    label, linked = _labels(c, is_open)
    inside, decided = np.flatnonzero(is_open & linked), slice(c.decision_count)
    of = label[inside]
    of[of >= c.decision_count] = of.min(initial=c.variable_count)  # nothing is decided there: of the first
    ordered, of = inside[stable_order(of)], np.sort(of)
    members = np.split(ordered, np.flatnonzero(np.diff(of)) + 1) if len(of) else []
    return IndependentParts(_within(c, lower, upper), members, np.flatnonzero((is_open & ~linked)[decided]))


def _labels(c: Compiled, is_open: Mask) -> tuple[IntArray, Mask]:
    """Return the least variable of each variable's part, and which variables are in some constraint.

    Variables with one value connect nothing.
    """
    variables, hubs, begin = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)], 0
    for scope, owner, many in scopes_of(c):
        seen = is_open[scope]
        variables.append(scope[seen])
        hubs.append(owner[seen] + begin)
        begin += many
    variable, least = np.concatenate(variables), np.zeros(begin, dtype=np.int64)
    hub, label = np.concatenate(hubs), np.arange(c.variable_count)
    linked = np.zeros(c.variable_count, dtype=np.bool_)
    linked[variable] = True
    while True:
        before = label.copy()
        least[:] = c.variable_count
        np.minimum.at(least, hub, label[variable])
        np.minimum.at(label, variable, least[hub])
        label = label[label]
        if (label == before).all():
            return label, linked


def _within(c: Compiled, lower: IntArray, upper: IntArray) -> Compiled:
    """Return the model with these bounds."""
    is_open = lower < upper
    objective = c.objective
    if objective is not None:  # what is fixed is in no part
        fixed = ~is_open[objective.variable]
        total = int(objective.coefficient[fixed] @ lower[objective.variable[fixed]])
        objective = replace(_share(objective, is_open), constant=objective.constant + total)
    trimmed = {v: d[(d >= lower[v]) & (d <= upper[v])] for v, d in c.domains.items() if is_open[v]}
    return replace(c, lower=lower, upper=upper, domains=trimmed, objective=objective)


def restricted(c: Compiled, label: IntArray, part: int) -> Compiled:
    """Return a part of a model: those of others have one value, and there are no constraints on them.

    What is in no part, -1, has one value anyway.
    """
    elsewhere = (label >= 0) & (label != part)
    kept = [np.bincount(owner, elsewhere[scope], many)[:many] == 0 for scope, owner, many in scopes_of(c)]
    rows, clauses, different, tables, counts, wholes, definitions = kept
    upper = np.where(elsewhere, c.lower, c.upper)
    literals, clause_start = c.literals.groups(c.clause_start, clauses)
    terms, different_start = c.different.groups(c.different_start, different)
    return replace(
        c,
        upper=upper,
        domains={v: values for v, values in c.domains.items() if not elsewhere[v]},
        linear=c.linear.picked(np.flatnonzero(rows)),
        relation=c.relation[rows],
        literals=literals,
        clause_start=clause_start,
        different=terms,
        different_start=different_start,
        tables=[table for table, here in zip(c.tables, tables, strict=True) if here],
        counts=[count for count, here in zip(c.counts, counts, strict=True) if here],
        wholes=[whole for whole, here in zip(c.wholes, wholes, strict=True) if here],
        definitions=side_by_side(compress(c.definitions, definitions)),
        objective=None if c.objective is None else _share(c.objective, label == part),
    )


def _share(objective: Terms, part: Mask) -> Terms:
    """Return what a part adds to the objective."""
    mine = part[objective.variable]
    many = int(mine.sum())
    return Terms(
        offsets([many]), objective.variable[mine], objective.coefficient[mine], np.zeros(1, dtype=np.int64)
    )


def scopes_of(c: Compiled) -> Iterator[tuple[IntArray, IntArray, int]]:
    """Yield of each sort of constraints, definitions too, the variables, whose they are, how many there are.

    In this order: rows, clauses, AllDifferents, tables, counts, wholes, definitions.
    """
    yield c.linear.variable, c.linear.owners, len(c.linear)
    for terms, start in ((c.literals, c.clause_start), (c.different, c.different_start)):
        of_term = np.repeat(np.arange(len(start) - 1), np.diff(start))
        yield terms.variable, of_term.repeat(terms.lengths), len(start) - 1
    yield _joined([terms.variable] for terms, _ in c.tables)
    yield _joined([a.variable, b.variable, d.variable] for a, b, _, d in c.counts)
    yield _joined([w.terms(a).variable for a in w.constraint.arguments] for w in c.wholes)
    yield _joined([np.array([d.result]), d.terms.variable] for d in c.definitions)


def _joined(scopes: Iterator[Sequence[IntArray]]) -> tuple[IntArray, IntArray, int]:
    none = np.zeros(0, dtype=np.int64)
    each = [np.concatenate([none, *scope]) for scope in scopes]
    owner = np.repeat(np.arange(len(each)), [len(scope) for scope in each])
    return np.concatenate([none, *each]), owner.astype(np.int64), len(each)
