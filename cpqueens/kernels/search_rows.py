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
from cpqueens.kernels.search_arena import ACTIVITY, COUNT, SUM_OF, SUPPORT, SUPPORT_START, WEIGHT
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
def moved_counters(size: int, old: Ints, new: Ints, arena: Ints, measure: int) -> Any:
    """Return the change of violation when ``size`` terms go from counters ``old`` to ``new`` (O(size^2))."""
    change = 0
    for a in range(size):
        k = old[a]
        c = arena[arena[COUNT] + k]
        for b in range(a):
            c -= old[b] == k
        change -= (c > 1) + 0 if measure == 0 else c - 1
    for a in range(size):
        k = new[a]
        c = arena[arena[COUNT] + k]
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
    arena: Ints,
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
            delta += moved_counters(m, old, new, arena, measure) * arena[arena[WEIGHT] + c]
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
    arena: Ints,
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
            delta += moved_counters(m, old, new, arena, measure) * arena[arena[WEIGHT] + c]
        out[q] += delta


@kernel
def mark_term(t: int, change: int, support_start: int, support: int, static: Ints, arena: Ints) -> None:
    """Add ``change`` to the error of every variable of term ``t``; the supports are offsets in ``static``."""
    for s in range(static[support_start + t], static[support_start + t + 1]):
        mark(static[support + s], change, arena)


@kernel
def move_term(
    t: int,
    old: int,
    new: int,
    weight: int,
    measure: int,
    support_start: int,
    support: int,
    static: Ints,
    arena: Ints,
) -> Any:
    """Move term ``t`` from counter ``old`` to ``new``; return the change of violation (unweighted)."""
    counts = arena[COUNT]
    sums = arena[SUM_OF]
    n1 = arena[counts + old] - 1
    arena[counts + old] = n1
    arena[sums + old] -= t
    n3 = arena[counts + new]
    arena[counts + new] = n3 + 1
    if n1 == 1:
        mark_term(arena[sums + old], -weight, support_start, support, static, arena)
    if n3 == 1:
        mark_term(arena[sums + new], weight, support_start, support, static, arena)
    arena[sums + new] += t
    error = ((n3 >= 1) + 0 - (n1 >= 1)) * weight
    if error != 0:
        mark_term(t, error, support_start, support, static, arena)
    if measure == 1:
        return n3 - n1
    return (n3 > 0) + 0 - (n1 > 0)


@kernel
def rows_apply(
    v: int,
    old: int,
    new: int,
    measure: int,
    start: Ints,
    incidences: Ints,
    terms: Ints,
    static: Ints,
    arena: Ints,
) -> Any:
    """Change ``v`` from ``old`` to ``new`` in this layer; return the change of weighted violation."""
    total = 0
    p = start[v]
    while incidences[p] != END:
        c = incidences[p]
        term = incidences[p + 1]
        t = term * WIDTH
        value = terms[t + VALUE] + incidences[p + 2] * (new - old)
        terms[t + VALUE] = value
        before = terms[t + COUNTER]
        k = counter_of(value, terms[t + BASE], terms[t + FORM])
        if k != before:
            w = arena[arena[WEIGHT] + c]
            change = move_term(
                term, before, k, w, measure, static[SUPPORT_START], static[SUPPORT], static, arena
            )
            terms[t + COUNTER] = k
            arena[arena[ACTIVITY] + c] += change
            total += change * w
        p += WIDTH
    return total
