"""Move deltas through defined variables: any constraint of the kernel core, any definition.

Nodes are the decision variables followed by the definitions in order of creation. Every argument of a
definition or of a constraint of this layer is a *term* (a linear combination of nodes) with its value
kept up to date. A move first propagates: the changes of the moved variables reach terms, and the
definitions that they can reach (a static list per variable, merged for a swap) are re-evaluated in
order; then each changed term tells its constraint. Evaluation and application are the same walk; an
evaluation undoes its changes before it returns.

Layouts (flat): ``nodes`` term, coefficient; ``terms`` value, owner kind, owner, base; ``definitions``
kind, first term, number of terms, data offset, relation, unused; ``tables`` per constraint: first
term, number of terms, data offset, rows.
"""

from __future__ import annotations

from typing import Any

from cpqueens.kernels.jit import kernel
from cpqueens.kernels.search_arena import ACTIVITY, COUNT, WEIGHT
from cpqueens.kernels.search_plain import Ints, amount

# owners of a term
OWNER_ALL_DIFFERENT = 0  # base: counter of value 0
OWNER_LINEAR = 1
OWNER_CLAUSE = 2  # true when not 0
OWNER_COUNT = 3  # base: the value that is counted
OWNER_TABLE = 4
OWNER_DEFINITION = 5
OWNER_SIGNED_COUNT = 6  # like OWNER_COUNT, each match taken away

# kinds of constraints beyond those of the plain layer
CLAUSE = 4
TABLE = 5

# kinds of definitions
ABS = 0
PRODUCT = 1
QUOTIENT = 2
REMAINDER = 3
MINIMUM = 4
MAXIMUM = 5
ELEMENT = 6  # first term: index; data: none, the other terms are the array
ELEMENT_CONSTANT = 7  # data: length, values
TRUTH_LINEAR = 8  # relation: EQUAL, AT_MOST or NOT_EQUAL
TRUTH_CLAUSE = 9
TRUTH_ALL_DIFFERENT = 10
TRUTH_TABLE = 11  # relation: rows; data: the rows
TRUTH_COUNT = (
    12  # data: value; last term: the bound; relation on matches - bound; data[1]: sign, data[2]: constant
)
QUOTIENT_TRUNCATED = 13
REMAINDER_TRUNCATED = 14

T_WIDTH = 4
D_WIDTH = 6


@kernel
def violation(kind: int, activity: int) -> Any:
    """Return the violation of a constraint of any layer from its activity."""
    if kind == CLAUSE:
        return 1 if activity == 0 else 0
    if kind == TABLE or kind == 0:
        return activity
    return amount(kind, activity)


@kernel
def term_value(t: int, terms: Ints, pending: Ints) -> Any:
    """Return the value of term ``t`` with its pending change."""
    return terms[t * T_WIDTH] + pending[t]


@kernel
def define(d: int, definitions: Ints, terms: Ints, pending: Ints, data: Ints) -> Any:
    """Return the value of definition ``d`` for the pending values of its terms."""
    f = d * D_WIDTH
    kind = definitions[f]
    first = definitions[f + 1]
    number = definitions[f + 2]
    offset = definitions[f + 3]
    relation = definitions[f + 4]
    a = term_value(first, terms, pending) if number > 0 else 0
    if kind == ABS:
        return abs(a)
    if kind == PRODUCT:
        return a * term_value(first + 1, terms, pending)
    if kind == QUOTIENT or kind == REMAINDER:  # noqa: SIM109 - faster to compile
        b = term_value(first + 1, terms, pending)
        if b == 0:  # a value without meaning: a condition of its own is false here
            return 0
        return a // b if kind == QUOTIENT else a % b
    if kind == MINIMUM or kind == MAXIMUM:  # noqa: SIM109
        for t in range(first + 1, first + number):
            b = term_value(t, terms, pending)
            if (b < a) == (kind == MINIMUM):
                a = b
        return a
    if kind == ELEMENT:
        return term_value(first + 1 + a, terms, pending) if 0 <= a < number - 1 else 0
    if kind == ELEMENT_CONSTANT:
        return data[offset + 1 + a] if 0 <= a < data[offset] else 0
    if kind == TRUTH_LINEAR:
        return 1 if amount(relation, a) == 0 else 0
    if kind == TRUTH_CLAUSE:
        for t in range(first, first + number):
            if term_value(t, terms, pending) != 0:
                return 1
        return 0
    if kind == TRUTH_ALL_DIFFERENT:
        for t in range(first, first + number):
            a = term_value(t, terms, pending)
            for u in range(first, t):
                if term_value(u, terms, pending) == a:
                    return 0
        return 1
    if kind == TRUTH_TABLE:
        return 1 if mismatches(first, number, offset, relation, terms, pending, data) == 0 else 0
    if kind == QUOTIENT_TRUNCATED or kind == REMAINDER_TRUNCATED:  # noqa: SIM109
        b = term_value(first + 1, terms, pending)
        if b == 0:
            return 0
        whole = abs(a) // abs(b)
        if (a < 0) != (b < 0):
            whole = -whole
        return whole if kind == QUOTIENT_TRUNCATED else a - whole * b
    matches = 0
    for t in range(first, first + number - 1):
        matches += (term_value(t, terms, pending) == data[offset]) + 0
    bound = term_value(first + number - 1, terms, pending)
    return 1 if amount(relation, data[offset + 1] * (matches - bound) + data[offset + 2]) == 0 else 0


@kernel
def mismatches(
    first: int, number: int, offset: int, rows: int, terms: Ints, pending: Ints, data: Ints
) -> Any:
    """Return the least number of terms that differ from a row (the number of terms plus 1 if no rows)."""
    best = number + 1
    for row in range(rows):
        wrong = 0
        for q in range(number):
            if data[offset + row * number + q] != term_value(first + q, terms, pending):
                wrong += 1
                if wrong >= best:
                    break
        if wrong < best:
            best = wrong
            if best == 0:
                break
    return best


@kernel
def touch(
    node: int, change: int, node_start: Ints, nodes: Ints, pending: Ints, touched: Ints, seen: Ints
) -> None:
    """Add ``change`` of a node to the terms that it is in. ``touched[0]`` counts them."""
    for s in range(node_start[node], node_start[node + 1], 2):
        t = nodes[s]
        if seen[t] == 0:
            seen[t] = 1
            touched[0] += 1
            touched[touched[0]] = t
        pending[t] += nodes[s + 1] * change


@kernel
def propagate(
    i: int,
    di: int,
    j: int,
    dj: int,
    n: int,
    node_start: Ints,
    nodes: Ints,
    terms: Ints,
    reach_start: Ints,
    reach: Ints,
    definitions: Ints,
    data: Ints,
    value: Ints,
    pending: Ints,
    touched: Ints,
    seen: Ints,
) -> None:
    """Collect the pending changes when ``i`` changes by ``di`` and ``j`` (if not -1) by ``dj``."""
    touched[0] = 0
    touch(i, di, node_start, nodes, pending, touched, seen)
    p = reach_start[i]
    end_p = reach_start[i + 1]
    r = 0
    end_r = 0
    if j >= 0:
        touch(j, dj, node_start, nodes, pending, touched, seen)
        r = reach_start[j]
        end_r = reach_start[j + 1]
    while p < end_p or r < end_r:
        if p < end_p and (r >= end_r or reach[p] <= reach[r]):
            d = reach[p]
            if r < end_r and reach[r] == d:
                r += 1
            p += 1
        else:
            d = reach[r]
            r += 1
        new = define(d, definitions, terms, pending, data)
        if new != value[d]:
            touch(n + d, new - value[d], node_start, nodes, pending, touched, seen)


@kernel
def deep_delta(
    n: int,
    node_start: Ints,
    terms: Ints,
    kinds: Ints,
    tables: Ints,
    data: Ints,
    pending: Ints,
    touched: Ints,
    seen: Ints,
    stale: Ints,
    arena: Ints,
    measure: int,
) -> Any:
    """Return the change of weighted violation of the pending changes, and forget them."""
    count = arena[COUNT]
    activity = arena[ACTIVITY]
    weight = arena[WEIGHT]
    total = 0
    size = touched[0]
    tables_touched = 0
    for q in range(1, size + 1):
        t = touched[q]
        f = t * T_WIDTH
        change = pending[t]
        owner = terms[f + 1]
        if change == 0 or owner == OWNER_DEFINITION:
            continue
        c = terms[f + 2]
        if owner == OWNER_ALL_DIFFERENT:
            k = terms[f + 3] + terms[f]
            arena[count + k] -= 1
            step = 0 - (arena[count + k] > 0) if measure != 1 else -arena[count + k]
            k += change
            step += (arena[count + k] > 0) + 0 if measure != 1 else arena[count + k]
            arena[count + k] += 1
            total += step * arena[weight + c]
        elif owner == OWNER_TABLE:
            if stale[c] == 0:
                stale[c] = 1
                tables_touched += 1
        else:
            before = arena[activity + c]
            arena[activity + c] = before + activity_change(owner, terms[f], change, terms[f + 3])
            total += (violation(kinds[c], arena[activity + c]) - violation(kinds[c], before)) * arena[
                weight + c
            ]
    for q in range(size, 0, -1):
        t = touched[q]
        f = t * T_WIDTH
        change = pending[t]
        owner = terms[f + 1]
        c = terms[f + 2]
        if change != 0 and owner != OWNER_DEFINITION:
            if owner == OWNER_ALL_DIFFERENT:
                k = terms[f + 3] + terms[f]
                arena[count + k + change] -= 1
                arena[count + k] += 1
            elif owner == OWNER_TABLE:
                if stale[c] != 0:
                    stale[c] = 0
                    g = c * 4
                    now = mismatches(
                        tables[g], tables[g + 1], tables[g + 2], tables[g + 3], terms, pending, data
                    )
                    total += (now - arena[activity + c]) * arena[weight + c]
            else:
                arena[activity + c] -= activity_change(owner, terms[f], change, terms[f + 3])
    for q in range(1, size + 1):
        pending[touched[q]] = 0
        seen[touched[q]] = 0
    return total


@kernel
def activity_change(owner: int, old: int, change: int, base: int) -> Any:
    """Return by how much a term of value ``old`` changes its constraint's activity."""
    if owner == OWNER_LINEAR:
        return change
    if owner == OWNER_CLAUSE:
        return (old + change != 0) + 0 - (old != 0)
    step = (old + change == base) + 0 - (old == base)
    return step if owner == OWNER_COUNT else -step
