"""Move deltas of AllDifferents over terms of several variables, such as x[j] - x[i] or |x[i+1] - x[i]|.

Costas arrays, all-interval series and Golomb rulers live here. A term keeps four numbers,

    value of its linear part, counter, base, form

with counter = base + value (form 0), base + |value| (form 1) or base - |value| (form -1); absolute values
are folded into the term, so that these problems need no definitions. A variable lists, sorted by
(constraint, term) and closed by a sentinel, its incidences: constraint, term, coefficient, unused.
A swap changes up to four terms of one AllDifferent, hence the small lists of old and new counters.
"""

from __future__ import annotations

from typing import Any

from cpqueens.kernels.jit import kernel
from cpqueens.kernels.search_apply import mark
from cpqueens.kernels.search_plain import END, WIDTH, Ints

VALUE = 0
COUNTER = 1
BASE = 2
FORM = 3


@kernel
def counter_of(value: int, base: int, form: int) -> Any:
    """Return the counter of a term whose linear part is ``value``."""
    if form == 0:
        return base + value
    return base + form * abs(value)


@kernel
def moved_counters(size: int, old: Ints, new: Ints, count: Ints, measure: int) -> Any:
    """Return the change of violation when ``size`` terms go from counters ``old`` to ``new`` (O(size^2))."""
    change = 0
    for a in range(size):
        k = old[a]
        c = count[k]
        for b in range(a):
            c -= old[b] == k
        change -= (c > 1) + 0 if measure == 0 else c - 1
    for a in range(size):
        k = new[a]
        c = count[k]
        for b in range(size):
            c -= old[b] == k
        for b in range(a):
            c += new[b] == k
        change += (c > 0) + 0 if measure == 0 else c
    return change


@kernel
def rows_swap_deltas(
    i: int,
    candidates: Ints,
    size: int,
    out: Ints,
    start: Ints,
    incidences: Ints,
    terms: Ints,
    scratch: Ints,
    x: Ints,
    count: Ints,
    weight: Ints,
    measure: int,
) -> None:
    """Add to ``out[q]`` the change of weighted violation by swapping ``i`` and ``candidates[q]``."""
    half = scratch.shape[0] // 2
    old = scratch[:half]
    new = scratch[half:]
    for q in range(size):
        j = candidates[q]
        d = x[j] - x[i]
        p = start[i]
        r = start[j]
        delta = 0
        while d != 0:
            c = min(incidences[p], incidences[r])
            if c == END:
                break
            m = 0
            while True:
                in_p = incidences[p] == c
                in_r = incidences[r] == c
                if in_p and (not in_r or incidences[p + 1] < incidences[r + 1]):
                    t = incidences[p + 1]
                    change = incidences[p + 2] * d
                    p += WIDTH
                elif in_r and (not in_p or incidences[r + 1] < incidences[p + 1]):
                    t = incidences[r + 1]
                    change = -incidences[r + 2] * d
                    r += WIDTH
                elif in_p:
                    t = incidences[p + 1]
                    change = (incidences[p + 2] - incidences[r + 2]) * d
                    p += WIDTH
                    r += WIDTH
                else:
                    break
                t *= WIDTH
                k = counter_of(terms[t + VALUE] + change, terms[t + BASE], terms[t + FORM])
                if k != terms[t + COUNTER]:
                    old[m] = terms[t + COUNTER]
                    new[m] = k
                    m += 1
            delta += moved_counters(m, old, new, count, measure) * weight[c]
        out[q] += delta


@kernel
def rows_assign_deltas(
    v: int,
    values: Ints,
    size: int,
    out: Ints,
    start: Ints,
    incidences: Ints,
    terms: Ints,
    scratch: Ints,
    x: Ints,
    count: Ints,
    weight: Ints,
    measure: int,
) -> None:
    """Add to ``out[q]`` the change of weighted violation by giving ``values[q]`` to variable ``v``."""
    half = scratch.shape[0] // 2
    old = scratch[:half]
    new = scratch[half:]
    for q in range(size):
        d = values[q] - x[v]
        p = start[v]
        delta = 0
        while d != 0:
            c = incidences[p]
            if c == END:
                break
            m = 0
            while incidences[p] == c:
                t = incidences[p + 1] * WIDTH
                k = counter_of(terms[t + VALUE] + incidences[p + 2] * d, terms[t + BASE], terms[t + FORM])
                if k != terms[t + COUNTER]:
                    old[m] = terms[t + COUNTER]
                    new[m] = k
                    m += 1
                p += WIDTH
            delta += moved_counters(m, old, new, count, measure) * weight[c]
        out[q] += delta


@kernel
def mark_term(
    t: int,
    change: int,
    support_start: Ints,
    support: Ints,
    errors: Ints,
    members: Ints,
    position: Ints,
    info: Ints,
) -> None:
    """Add ``change`` to the projected error of every variable of term ``t``."""
    for s in range(support_start[t], support_start[t + 1]):
        mark(support[s], change, errors, members, position, info)


@kernel
def move_term(
    t: int,
    old: int,
    new: int,
    weight: int,
    measure: int,
    count: Ints,
    sum_of: Ints,
    support_start: Ints,
    support: Ints,
    errors: Ints,
    members: Ints,
    position: Ints,
    info: Ints,
) -> Any:
    """Move term ``t`` from counter ``old`` to ``new``; return the change of violation (unweighted)."""
    n1 = count[old] - 1
    count[old] = n1
    sum_of[old] -= t
    if n1 >= 1:
        mark_term(t, -weight, support_start, support, errors, members, position, info)
        if n1 == 1:
            mark_term(sum_of[old], -weight, support_start, support, errors, members, position, info)
    n3 = count[new]
    if n3 >= 1:
        if n3 == 1:
            mark_term(sum_of[new], weight, support_start, support, errors, members, position, info)
        mark_term(t, weight, support_start, support, errors, members, position, info)
    count[new] = n3 + 1
    sum_of[new] += t
    if measure == 1:
        return n3 - n1
    return (n3 > 0) + 0 - (n1 > 0)


@kernel
def rows_apply(
    v: int,
    old: int,
    new: int,
    start: Ints,
    incidences: Ints,
    terms: Ints,
    count: Ints,
    sum_of: Ints,
    activity: Ints,
    weight: Ints,
    support_start: Ints,
    support: Ints,
    measure: int,
    errors: Ints,
    members: Ints,
    position: Ints,
    info: Ints,
) -> Any:
    """Change ``v`` from ``old`` to ``new`` in this layer; return the change of weighted violation."""
    total = 0
    p = start[v]
    while incidences[p] != END:
        c = incidences[p]
        term = incidences[p + 1]
        t = term * WIDTH
        terms[t + VALUE] += incidences[p + 2] * (new - old)
        k = counter_of(terms[t + VALUE], terms[t + BASE], terms[t + FORM])
        if k != terms[t + COUNTER]:
            change = move_term(
                term, terms[t + COUNTER], k, weight[c], measure, count, sum_of,
                support_start, support, errors, members, position, info,
            )  # fmt: skip
            terms[t + COUNTER] = k
            activity[c] += change
            total += change * weight[c]
        p += WIDTH
    return total
