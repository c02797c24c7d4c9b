"""Values that may be exchanged for each other in every solution, such as colours: one order of them will do.

They are where variables are only held apart from each other, or equal. A search for one solution, or for the
best, then asks that each value appears before the next one does (Law and Lee 2004, "Global constraints for
integer and set value precedence").
"""

from dataclasses import replace
from itertools import chain

import numpy as np

from cpqueens.backends.backtracking.network import differences
from cpqueens.language.rows import IntArray, Mask
from cpqueens.lowered.compiled import EQ, NE, Compiled

MOST = 1 << 14
"""Variables times values of a group."""


def with_one_order(c: Compiled) -> Compiled | None:
    """Return the model with one order of its interchangeable values; None if it has no such values."""
    apart, links = _used_otherwise(c)
    label, before = np.arange(c.variable_count), np.zeros(0, dtype=np.int64)
    while not np.array_equal(label, before):
        before = label.copy()
        np.minimum.at(label, links, label[links].min(axis=1, keepdims=True))
        label = label[label]
    apart[label[apart]] = True
    fixed, found = _fixed(c), []
    for part in np.unique(label[links][~apart[label[links]]]).tolist():
        members = np.flatnonzero(label == part).tolist()
        is_open = [v for v in members if v not in fixed]
        ends = {(int(c.lower[v]), int(c.upper[v])) for v in is_open}
        if len(ends) == 1:
            ((low, high),) = ends
            taken = {fixed.get(v) for v in members}
            values = [value for value in range(low, min(high, low + MOST) + 1) if value not in taken]
            if 1 < len(values) <= MOST // len(is_open):
                found.append((is_open, values))
    return replace(c, precedence=found) if found else None


def _fixed(c: Compiled) -> dict[int, int]:
    """Return the variables that have one value, from their bounds or by a row of their own."""
    fixed = {v: int(c.lower[v]) for v in np.flatnonzero(c.lower == c.upper).tolist()}
    for k in np.flatnonzero((c.linear.lengths == 1) & (c.relation == EQ)).tolist():
        variables, coefficients, constant = c.linear.row(k)
        fixed[int(variables[0])] = -constant // int(coefficients[0])
    return fixed


def _used_otherwise(c: Compiled) -> tuple[Mask, IntArray]:
    """Return which variables are in more than comparisons of two for equality; and the pairs compared."""
    apart = np.zeros(c.variable_count, dtype=np.bool_)
    apart[c.decision_count :] = True
    apart[list(c.domains)] = True
    links = []
    rows = [(c.linear, np.isin(c.relation, (EQ, NE)))]
    for block in c.definitions.blocks:
        compares = block.kind == "truth_linear" and block.relation in (EQ, NE)
        rows.append((block.terms, np.full(len(block.terms), compares)))
    for terms, equality in rows:
        which, pairs = differences(terms)
        good = equality[which]
        other = np.ones(len(terms), dtype=np.bool_)
        other[which[good]] = False
        if terms is c.linear:
            other &= (terms.lengths != 1) | (c.relation != EQ)
        apart[terms.variable[other.repeat(terms.lengths)]] = True
        links.append(pairs[good])
    for first, last in zip(c.different_start, c.different_start[1:], strict=False):
        group = c.different.part(int(first), int(last))
        alike = (group.lengths == 1).all() and len(set(group.coefficient.tolist())) == 1
        if alike and len(set(group.constant.tolist())) == 1:
            links.append(np.stack([group.variable[:-1], group.variable[1:]], axis=1))
        else:
            apart[group.variable] = True
    others = [terms.variable for terms, _ in c.tables]
    others += [terms.variable for of, value, _, count in c.counts for terms in (of, value, count)]
    others += [*chain.from_iterable(w.all_variables() for w in c.wholes), c.literals.variable]
    others += [] if c.objective is None else [c.objective.variable]
    for variables in others:
        apart[variables] = True
    return apart, np.concatenate([np.zeros((0, 2), dtype=np.int64), *links])
