"""Move deltas of AllDifferents over terms of several variables, such as x[j] - x[i] or |x[i+1] - x[i]|.

Costas arrays, all-interval series and Golomb rulers live here. A term keeps four numbers,

    value of its linear part, counter, base, form

with counter = base + value (form 0), base + |value| (form 1) or base - |value| (form -1); absolute values
are folded into the term, so that these problems need no definitions. A variable lists, sorted by
(constraint, term) and closed by a sentinel, its incidences: constraint, term, coefficient, unused.
A swap changes up to four terms of one AllDifferent, hence the small lists of old and new counters.
"""

from typing import Any

from cpqueens.kernels.jit.decorators import inlined, inner_kernel
from cpqueens.kernels.local import arena as parts
from cpqueens.kernels.local.apply import change_of_violation, mark, move_occupant
from cpqueens.kernels.local.arena import Ints, part
from cpqueens.kernels.local.plain import END, WIDTH

VALUE = 0
COUNTER = 1
BASE = 2
FORM = 3


@inner_kernel
def counter_of(value: int, base: int, form: int) -> Any:
    """Return the counter of a term whose linear part is ``value``."""
    if form == 0:
        return base + value
    return base + form * abs(value)


@inner_kernel
def moved_counters(size: int, old: Ints, new: Ints, arena: Ints, measure: int) -> Any:
    """Return the change of violation when ``size`` terms go from counters ``old`` to ``new`` (O(size^2))."""
    change = 0
    for a in range(size):
        k = old[a]
        c = arena[arena[parts.COUNT] + k]
        for b in range(a):
            c -= old[b] == k
        change -= (c > 1) + 0 if measure == 0 else c - 1
    for a in range(size):
        k = new[a]
        c = arena[arena[parts.COUNT] + k]
        for b in range(size):
            c -= old[b] == k
        for b in range(a):
            c += new[b] == k
        change += (c > 0) + 0 if measure == 0 else c
    return change


@inlined
def list_term(t: int, change: int, size: int, old: Ints, new: Ints, terms: Ints) -> Any:
    """List the counters of term ``t`` behind ``size`` others if a change moves it; return how many."""
    f = t * WIDTH
    k = counter_of(terms[f + VALUE] + change, terms[f + BASE], terms[f + FORM])
    if k == terms[f + COUNTER]:
        return size
    old[size] = terms[f + COUNTER]
    new[size] = k
    return size + 1


@inner_kernel
def rows_deltas(
    i: int, candidates: Ints, size: int, swap: bool, out: Ints, rows: Any, core: Any, measure: int
) -> None:
    """Add to ``out[q]`` the change of weighted violation by each candidate move of ``i``.

    ``candidates`` are variables to swap with (``swap``) or values to take.
    """
    incidences = rows.incidences
    scratch = part(rows.static, parts.SCRATCH)
    half = scratch.shape[0] // 2
    old = scratch[:half]
    new = scratch[half:]
    for q in range(size):
        d = (core.x[candidates[q]] if swap else candidates[q]) - core.x[i]
        p = rows.start[i]
        r = rows.start[candidates[q]] if swap else rows.start[i + 1] - WIDTH  # else at the sentinel: no other
        while d != 0:
            c = min(incidences[p], incidences[r])
            if c == END:
                break
            m = 0
            while incidences[p] == c or incidences[r] == c:
                # the term with the least number, of one of the two or of both
                t = END
                change = 0
                if incidences[p] == c:
                    t = incidences[p + 1]
                if incidences[r] == c:
                    t = min(t, incidences[r + 1])
                if incidences[p] == c and incidences[p + 1] == t:
                    change += incidences[p + 2] * d
                    p += WIDTH
                if incidences[r] == c and incidences[r + 1] == t:
                    change -= incidences[r + 2] * d
                    r += WIDTH
                m = list_term(t, change, m, old, new, rows.terms)
            out[q] += (
                moved_counters(m, old, new, core.arena, measure) * core.arena[core.arena[parts.WEIGHT] + c]
            )


@inner_kernel
def mark_term(t: int, change: int, support_start: int, support: int, static: Ints, arena: Ints) -> None:
    """Add ``change`` to the error of every variable of term ``t``; the supports are offsets in ``static``."""
    for s in range(static[support_start + t], static[support_start + t + 1]):
        mark(static[support + s], change, arena)


@inner_kernel
def move_term(
    t: int, old: int, new: int, weight: int, support_start: int, support: int, static: Ints, arena: Ints,
    measure: int,
) -> Any:  # fmt: skip
    """Move term ``t`` from counter ``old`` to ``new``; return the change of violation (unweighted)."""
    left, met = move_occupant(t, old, new, arena)
    if left == 1:
        mark_term(arena[arena[parts.SUM_OF] + old], -weight, support_start, support, static, arena)
    if met == 1:
        mark_term(arena[arena[parts.SUM_OF] + new] - t, weight, support_start, support, static, arena)
    error = ((met > 0) + 0 - (left > 0)) * weight
    if error != 0:
        mark_term(t, error, support_start, support, static, arena)
    return change_of_violation(left, met, measure)


@inner_kernel
def rows_apply(v: int, old: int, new: int, rows: Any, arena: Ints, measure: int) -> Any:
    """Change ``v`` from ``old`` to ``new`` in this layer; return the change of weighted violation."""
    incidences = rows.incidences
    terms = rows.terms
    starts = rows.static[parts.SUPPORT_START]
    support = rows.static[parts.SUPPORT]
    total = 0
    p = rows.start[v]
    while incidences[p] != END:
        c = incidences[p]
        term = incidences[p + 1]
        t = term * WIDTH
        value = terms[t + VALUE] + incidences[p + 2] * (new - old)
        terms[t + VALUE] = value
        before = terms[t + COUNTER]
        k = counter_of(value, terms[t + BASE], terms[t + FORM])
        if k != before:
            w = arena[arena[parts.WEIGHT] + c]
            change = move_term(term, before, k, w, starts, support, rows.static, arena, measure)
            terms[t + COUNTER] = k
            arena[arena[parts.ACTIVITY] + c] += change
            total += change * w
        p += WIDTH
    return total
