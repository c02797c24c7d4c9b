"""Values that may be exchanged for each other in every solution, such as colours: one order of them will do.

They are where variables are only held apart from each other, or equal. A search for one solution, or for the
best, then asks that each value appears before the next one does (Law and Lee 2004, "Global constraints for
integer and set value precedence").
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from cpqueens.backends.backtracking.network import differences
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import EQ, NE, Compiled

MOST = 1 << 14
"""Variables times values of a group."""


def with_one_order(c: Compiled) -> Compiled | None:
    """Return the model with one order of its interchangeable values; None if it has no such values."""
    apart, links = _used_otherwise(c)
    label = np.arange(c.variable_count)
    before = None
    while before is None or (label != before).any():
        before = label.copy()
        least = label[links].min(axis=1)
        np.minimum.at(label, links[:, 0], least)
        np.minimum.at(label, links[:, 1], least)
        label = label[label]
    fixed, found = _fixed(c), []
    for part in np.unique(label[links]).tolist():
        members = np.flatnonzero(label == part)
        is_open = members[[v not in fixed for v in members.tolist()]]
        if not len(is_open) or apart[members].any():
            continue
        low, high = int(c.lower[is_open[0]]), int(c.upper[is_open[0]])
        if (c.lower[is_open] != low).any() or (c.upper[is_open] != high).any():
            continue
        if (high - low + 1) * len(is_open) <= MOST:
            taken = {fixed.get(v) for v in members.tolist()}
            values = [value for value in range(low, high + 1) if value not in taken]
            if len(values) > 1:
                found.append((is_open.tolist(), values))
    return replace(c, precedence=found) if found else None


def _fixed(c: Compiled) -> dict[int, int]:
    """Return the variables that have one value, from their bounds or by a row of their own."""
    fixed = {v: int(c.lower[v]) for v in np.flatnonzero(c.lower == c.upper).tolist()}
    alone = np.flatnonzero((np.diff(c.linear.start) == 1) & (c.relation == EQ))
    for k in alone.tolist():
        variables, coefficients, constant = c.linear.row(k)
        fixed[int(variables[0])] = -constant // int(coefficients[0])
    return fixed


def _used_otherwise(c: Compiled) -> tuple[NDArray[np.bool_], IntArray]:
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
            other &= (np.diff(terms.start) != 1) | (c.relation != EQ)
        apart[terms.variable[np.repeat(other, np.diff(terms.start))]] = True
        links.append(pairs[good])
    for first, last in zip(c.different_start, c.different_start[1:], strict=False):
        group = c.different.part(int(first), int(last))
        alike = (np.diff(group.start) == 1).all() and len(set(group.coefficient.tolist())) == 1
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
